/* Keys, the sort and the octree of the host, with ordinary and with degenerate bodies. */
#include "test.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "base/random.h"
#include "octree/host_cells.h"
#include "octree/octree.h"
#include "octree/sample.h"
#include "octree/work.h"
#include "physics/cell.h"
#include "physics/opening.h"

/* ---- bodies -----------------------------------------------------------------------------------
 */

struct sample {
    struct ky_octree_bodies view;
    double *x, *y, *z, *mass, *softening;
};

/* Places body i of a distribution; the random numbers of r depend on i alone. */
typedef void place_function(size_t i, size_t n, struct ky_random *r, double x[3]);

static void plummer(size_t i, size_t n, struct ky_random *r, double x[3])
{
    (void)i, (void)n;
    double radius = 1 / sqrt(pow(ky_random_uniform(r), -2.0 / 3) - 1);
    ky_random_direction(r, x);
    for (int k = 0; k < 3; k++)
        x[k] *= radius;
}

static void cube(size_t i, size_t n, struct ky_random *r, double x[3])
{
    (void)i, (void)n;
    for (int k = 0; k < 3; k++)
        x[k] = ky_random_uniform(r);
}

static void line(size_t i, size_t n, struct ky_random *r, double x[3])
{
    (void)i, (void)n;
    x[0] = ky_random_uniform(r), x[1] = 2, x[2] = -3;
}

static void diagonal(size_t i, size_t n, struct ky_random *r, double x[3])
{
    (void)n, (void)r;
    x[0] = x[1] = x[2] = (double)i;
}

static void plane(size_t i, size_t n, struct ky_random *r, double x[3])
{
    cube(i, n, r, x);
    x[1] = 0.1;
}

static void point(size_t i, size_t n, struct ky_random *r, double x[3])
{
    (void)i, (void)n, (void)r;
    x[0] = 0.1, x[1] = 0.2, x[2] = 0.3;
}

static void outlier(size_t i, size_t n, struct ky_random *r, double x[3])
{
    plummer(i, n, r, x);
    for (int k = 0; i == n / 2 && k < 3; k++)
        x[k] *= 1e6;
}

static void escapers(size_t i, size_t n, struct ky_random *r, double x[3])
{
    plummer(i, n, r, x);
    for (int k = 0; i % 10 == 0 && k < 3; k++)
        x[k] *= 1e7;
}

/* Half of the bodies in a cluster of size 1e-12; a tenth of the cluster is in one point. */
static void tight_cluster(size_t i, size_t n, struct ky_random *r, double x[3])
{
    cube(i, n, r, x);
    for (int k = 0; i % 2 && k < 3; k++)
        x[k] = 0.7 + (i % 20 == 1 ? 0 : 1e-12 * x[k]);
}

/* Each body is 1e-7 times as far out as the one before; the last ones are all in one place. */
static void graded(size_t i, size_t n, struct ky_random *r, double x[3])
{
    (void)n, (void)r;
    x[0] = i < 40 ? pow(1e-7, (double)i) : 0, x[1] = x[2] = 0;
}

static void grid(size_t i, size_t n, struct ky_random *r, double x[3])
{
    (void)n, (void)r;
    x[0] = (double)(i % 16), x[1] = (double)(i / 16 % 16), x[2] = (double)(i / 256 % 16);
}

static void far_away(size_t i, size_t n, struct ky_random *r, double x[3])
{
    cube(i, n, r, x);
    for (int k = 0; k < 3; k++)
        x[k] = 1e8 + 1e-3 * x[k];
}

static struct sample make(place_function *place, size_t n, int with_softening)
{
    struct sample s;
    s.x = ky_allocate(n, sizeof(double)), s.y = ky_allocate(n, sizeof(double));
    s.z = ky_allocate(n, sizeof(double)), s.mass = ky_allocate(n, sizeof(double));
    s.softening = with_softening ? ky_allocate(n, sizeof(double)) : NULL;
    for (size_t i = 0; i < n; i++) {
        struct ky_random random = ky_random_at(3, 1, i), other = ky_random_at(3, 2, i);
        double x[3] = {0};
        place(i, n, &random, x);
        s.x[i] = x[0], s.y[i] = x[1], s.z[i] = x[2];
        s.mass[i] = i % 7 == 3 ? 0 : ky_random_uniform(&other);
        if (s.softening)
            s.softening[i] = 0.1 * ky_random_uniform(&other);
    }
    s.view = (struct ky_octree_bodies){
        .n = n, .x = s.x, .y = s.y, .z = s.z, .mass = s.mass, .softening = s.softening};
    return s;
}

static void drop(struct sample *s)
{
    free(s->x), free(s->y), free(s->z), free(s->mass), free(s->softening);
}

static struct ky_parameters parameters_with(int curve, int leaf, int group)
{
    struct ky_parameters p = {.size = sizeof p};
    p.curve = curve, p.leaf = leaf, p.group = group, p.threads = 1;
    p.theta = 0.7, p.opening = KY_OFFSET, p.cell = KY_BOX, p.multipole = 2, p.force = KY_TREE;
    p.alpha = 0.005, p.g = 1;
    return p;
}

/* ---- checks of every tree ---------------------------------------------------------------- */

static void check_order(const struct ky_octree *tree, const struct sample *s)
{
    unsigned char *seen = ky_allocate_zeroed(tree->n, 1);
    for (size_t k = 0; k < tree->n; k++) {
        uint32_t i = tree->order[k];
        assert_true(i < tree->n && !seen[i]);
        seen[i] = 1;
        assert_true(tree->x[k] == s->x[i] && tree->y[k] == s->y[i] && tree->z[k] == s->z[i]);
        assert_true(tree->mass[k] == s->mass[i]);
        if (s->softening)
            assert_true(tree->softening2[k] == s->softening[i] * s->softening[i]);
    }
    for (size_t k = tree->n; k < tree->n + KY_OCTREE_PADDING; k++)
        assert_true(tree->mass[k] == 0 && tree->x[k] == tree->x[tree->n - 1]);
    free(seen);
}

static int all_in_one_place(const struct ky_octree *tree, uint32_t first, uint32_t bodies)
{
    for (uint32_t k = first + 1; k < first + bodies; k++)
        if (tree->x[k] != tree->x[first] || tree->y[k] != tree->y[first] ||
            tree->z[k] != tree->z[first])
            return 0;
    return 1;
}

static void check_shape(const struct ky_octree *tree, int leaf)
{
    assert_int_equal(tree->level[0], 0);
    assert_int_equal(tree->level[tree->levels], tree->nodes);
    assert_int_equal(tree->link[0].body, 0);
    assert_int_equal(tree->link[0].bodies, tree->n);
    size_t next = 1, in_leaves = 0;
    for (size_t c = 0; c < tree->nodes; c++) {
        const struct ky_cell_link *link = &tree->link[c];
        const uint32_t children = tree->children[c];
        assert_true(link->bodies > 0);
        if (children == 0) {
            assert_true(link->more == KY_NO_LINK);
            in_leaves += link->bodies;
            if (link->bodies > (uint32_t)leaf)
                assert_true(all_in_one_place(tree, link->body, link->bodies));
            continue;
        }
        assert_true(children >= 2 && children <= 8);
        assert_true(link->bodies > (uint32_t)leaf);
        assert_int_equal(link->more, next); /* breadth first, children together */
        next += children;
        uint32_t body = link->body;
        for (uint32_t child = link->more; child < link->more + children; child++) {
            assert_int_equal(tree->link[child].body, body);
            body += tree->link[child].bodies;
        }
        assert_int_equal(body, link->body + link->bodies);
    }
    assert_int_equal(next, tree->nodes);
    assert_int_equal(in_leaves, tree->n);
}

/* The moments of one cell, summed over all its bodies in long double. */
static void check_cell(const struct ky_octree *tree, size_t c)
{
    const struct ky_cell_box *box = &tree->box[c];
    const uint32_t first = tree->link[c].body, end = first + tree->link[c].bodies;
    const double *position[3] = {tree->x, tree->y, tree->z};
    const float *moment = tree->moment + c * tree->moments;
    double centre[3];
    ky_cell_apart(tree, (uint32_t)c, (const double[3]){0}, centre);
    long double mass = 0, com[3] = {0}, second[6] = {0}, softening2 = 0;
    double low[3], high[3], size = 0, far = 0, away = 0;
    for (int a = 0; a < 3; a++) {
        low[a] = DBL_MAX, high[a] = -DBL_MAX;
        for (uint32_t k = first; k < end; k++) {
            low[a] = fmin(low[a], position[a][k]), high[a] = fmax(high[a], position[a][k]);
            com[a] += (long double)tree->mass[k] *
                      ((long double)position[a][k] - (long double)position[a][first]);
        }
        size = fmax(size, high[a] - low[a]);
        far = fmax(far, fmax(fabs(low[a]), fabs(high[a])));
    }
    for (uint32_t k = first; k < end; k++) {
        mass += (long double)tree->mass[k];
        if (tree->softening2)
            softening2 += (long double)tree->mass[k] * (long double)tree->softening2[k];
    }
    for (int a = 0; a < 3; a++) {
        away = fmax(away, fabs(centre[a]));
        centre[a] += tree->origin[a];
    }
    /* Centres have 48 bits, and errors of a few of the smallest floats. */
    double tiny = 8 * DBL_EPSILON * far + 0x1p-47 * away + 0x1p-147;
    assert_between((double)moment[KY_MOMENT_MASS], (double)mass * (1 - 1e-7),
                   (double)mass * (1 + 1e-7));
    for (int a = 0; a < 3; a++) {
        long double middle = 0.5L * ((long double)low[a] + (long double)high[a]);
        com[a] = mass > 0 ? com[a] / mass + (long double)position[a][first] : middle;
        assert_between(centre[a] - (double)com[a], -1e-12 * size - tiny, 1e-12 * size + tiny);
        double lower = centre[a] - (double)box->below[a], upper = centre[a] + (double)box->above[a];
        assert_between(lower - low[a], -1e-6 * size - tiny, tiny);
        assert_between(upper - high[a], -tiny, 1e-6 * size + tiny);
    }
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (uint32_t k = first; k < end && mass > 0; k++)
        for (int q = 0; q < 6; q++)
            second[q] += (long double)tree->mass[k] *
                         ((long double)position[row[q]][k] - (long double)centre[row[q]]) *
                         ((long double)position[column[q]][k] - (long double)centre[column[q]]);
    double scale = 2e-7 * (double)(second[0] + second[1] + second[2]) +
                   4 * tiny * (size + tiny) * (double)mass + 1e-36;
    for (int q = 0; q < 6; q++)
        assert_between((double)moment[KY_MOMENT_SECOND + q] / KY_SCALE_SECOND(1) -
                           (double)second[q],
                       -scale, scale);
    if (tree->softening2) {
        double mean = mass > 0 ? (double)(softening2 / mass) : 0;
        assert_between((double)tree->low[c].eps2, mean * (1 - 1e-6), mean * (1 + 1e-6));
    }
}

static void check_groups(const struct ky_octree *tree, int group)
{
    uint32_t body = 0;
    for (size_t g = 0; g < tree->groups; g++) {
        assert_int_equal(tree->group[g].body, body);
        assert_true(tree->group[g].bodies > 0 && tree->group[g].bodies <= (uint32_t)group);
        body += tree->group[g].bodies;
    }
    assert_int_equal(body, tree->n);
}

/* A walk that opens everything meets every cell once, and the leaves in order. */
static void check_links(const struct ky_octree *tree)
{
    size_t visits = 0;
    uint32_t body = 0;
    for (uint32_t cell = 0; cell != KY_NO_LINK; visits++) {
        if (tree->link[cell].more == KY_NO_LINK) {
            assert_int_equal(tree->children[cell], 0);
            assert_int_equal(tree->link[cell].body, body);
            body += tree->link[cell].bodies;
            cell = tree->link[cell].next;
        } else {
            cell = tree->link[cell].more;
        }
    }
    assert_int_equal(visits, tree->nodes);
    assert_int_equal(body, tree->n);
}

static void check_tree(const struct ky_octree *tree, const struct sample *s, int leaf, int group)
{
    check_order(tree, s);
    check_shape(tree, leaf);
    check_groups(tree, group);
    check_links(tree);
    for (size_t c = 0; c < tree->nodes; c++)
        check_cell(tree, c);
}

/* ---- keys and sort ----------------------------------------------------------------------------
 */

static int compare_keys(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* All cells of a grid of 16³ have different keys, and each step along the Hilbert curve goes to a
 * neighbour. The coordinates are in the highest or in the lowest bits of the keys. */
static void curves_visit_a_grid_once(void **state)
{
    (void)state;
    enum { SIDE = 16, CELLS = SIDE * SIDE * SIDE };
    static uint64_t key[CELLS];
    struct ky_hilbert *hilbert = malloc(sizeof *hilbert);
    ky_hilbert_init(hilbert);
    for (int curve = 0; curve < 4; curve++) {
        int shift = curve & 1 ? KY_KEY_LEVELS - 4 : 0;
        for (uint32_t c = 0; c < CELLS; c++) {
            uint64_t morton =
                ky_morton_key(c / 256 << shift, c / 16 % 16 << shift, c % 16 << shift);
            assert_true(morton >> 63 == 0);
            uint64_t bits = curve & 2 ? ky_hilbert_key(hilbert, morton, KY_KEY_LEVELS) : morton;
            key[c] = bits >> 3 * shift << 12 | c;
        }
        qsort(key, CELLS, sizeof *key, compare_keys);
        for (uint32_t k = 0; k < CELLS; k++)
            assert_true(key[k] >> 12 == (key[0] >> 12) + k);
        for (uint32_t k = 1; k < CELLS && curve & 2; k++) {
            int a = (int)(key[k - 1] & 4095), b = (int)(key[k] & 4095);
            int steps =
                abs(a / 256 - b / 256) + abs(a / 16 % 16 - b / 16 % 16) + abs(a % 16 - b % 16);
            assert_int_equal(steps, 1);
        }
    }
    free(hilbert);
}

static void morton_keys_interleave(void **state)
{
    (void)state;
    for (int level = 0; level < KY_KEY_LEVELS; level++) {
        uint32_t bit = 1u << level;
        assert_true(ky_morton_key(bit, 0, 0) == (uint64_t)4 << 3 * level);
        assert_true(ky_morton_key(0, bit, 0) == (uint64_t)2 << 3 * level);
        assert_true(ky_morton_key(0, 0, bit) == (uint64_t)1 << 3 * level);
    }
    uint32_t all = (1u << KY_KEY_LEVELS) - 1;
    assert_true(ky_morton_key(all, all, all) == UINT64_MAX >> 1);
    assert_int_equal(ky_key_common(0, 0), 21);
    assert_int_equal(ky_key_common(0, 1), 20);
    assert_int_equal(ky_key_common(0, (uint64_t)1 << 62), 0);
    assert_int_equal(ky_key_common((uint64_t)1 << 59, 0), 1);
}

/* The sort does what qsort does with words of key and place: with many ties, with constant digits,
 * for every number of passes. */
static void sort_is_stable(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 100, 40000};
    static const uint64_t masks[] = {0, 0xff, 0xff00ff, UINT64_MAX >> 16, 0x300000000100};
    for (size_t s = 0; s < 4; s++)
        for (size_t m = 0; m < 5; m++)
            for (int threads = 1; threads <= 3; threads++) {
                size_t n = sizes[s];
                uint64_t *word = malloc(2 * n * sizeof *word), varying = 0;
                uint64_t *expected = malloc(n * sizeof *expected);
                for (size_t i = 0; i < n; i++) {
                    struct ky_random random = ky_random_at(5, 0, i);
                    uint64_t bits = (uint64_t)(ky_random_uniform(&random) * 0x1p63);
                    word[i] = expected[i] = (bits & masks[m]) << 16 | i;
                    varying |= (word[i] ^ word[0]) >> 16 << 16;
                }
                qsort(expected, n, sizeof *expected, compare_keys);
                uint64_t *sorted = ky_octree_sort(n, word, word + n, varying, threads);
                assert_memory_equal(sorted, expected, n * sizeof *expected);
                free(word), free(expected);
            }
}

/* A word has the index, and the levels of the key that fit. */
static void words_hold_key_and_index(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 3, 4, 5, 1000, 1 << 20, (1 << 20) + 1, 0x7fffffff};
    for (size_t s = 0; s < 9; s++) {
        struct ky_word_layout layout = ky_word_layout(sizes[s]);
        assert_true((size_t)1 << layout.index_bits >= sizes[s]);
        assert_true(3 * layout.levels + layout.index_bits <= 64);
        assert_true(layout.levels >= 11 && layout.levels <= KY_KEY_LEVELS);
        assert_true(layout.levels == KY_KEY_LEVELS || 3 * layout.levels + layout.index_bits >= 62);
    }
    struct sample sample = make(plummer, 5000, 0);
    struct ky_frame frame =
        ky_frame_of_bulk(&(struct ky_positions){5000, NULL, sample.x, sample.y, sample.z, 0}, 1);
    struct ky_hilbert *hilbert = malloc(sizeof *hilbert);
    uint64_t *word = malloc(5000 * sizeof *word);
    ky_hilbert_init(hilbert);
    ky_words(&frame, hilbert, &(struct ky_positions){5000, NULL, sample.x, sample.y, sample.z, 0},
             word, 1);
    struct ky_word_layout layout = ky_word_layout(5000);
    for (size_t i = 0; i < 5000; i++) {
        uint64_t key = ky_morton_key(ky_frame_position(sample.x[i], frame.low[0], frame.scale),
                                     ky_frame_position(sample.y[i], frame.low[1], frame.scale),
                                     ky_frame_position(sample.z[i], frame.low[2], frame.scale));
        key = ky_hilbert_key(hilbert, key, KY_KEY_LEVELS);
        assert_int_equal(ky_word_index(layout, word[i]), i);
        assert_true(ky_key_common(ky_word_key(layout, word[i]), key) >= layout.levels);
    }
    free(hilbert), free(word);
    drop(&sample);
}

/* ---- trees ------------------------------------------------------------------------------------
 */

static void build_and_check(place_function *place, size_t n, int curve, int leaf, int softening)
{
    struct ky_error error = {0};
    struct ky_octree tree;
    struct ky_parameters parameters = parameters_with(curve, leaf, 64);
    struct sample s = make(place, n, softening);
    ky_octree_init(&tree);
    assert_ok(ky_octree_build(&tree, &s.view, &parameters, &error));
    ky_octree_link(&tree);
    assert_int_equal(tree.n, n);
    if (n > 0)
        check_tree(&tree, &s, leaf, 64);
    ky_octree_free(&tree);
    drop(&s);
}

static void ordinary_trees_are_right(void **state)
{
    (void)state;
    static const int leaves[] = {1, 2, 8, 16, 100};
    for (size_t l = 0; l < 5; l++)
        for (int curve = KY_CURVE_NONE; curve <= KY_HILBERT; curve++) {
            build_and_check(plummer, 3000, curve, leaves[l], 0);
            build_and_check(cube, 3000, curve, leaves[l], 1);
        }
    build_and_check(plummer, 30000, KY_HILBERT, 16, 0);
}

static void degenerate_trees_are_right(void **state)
{
    (void)state;
    static place_function *const places[] = {line,     diagonal,      plane,  point, outlier,
                                             escapers, tight_cluster, graded, grid,  far_away};
    for (size_t p = 0; p < sizeof places / sizeof *places; p++)
        for (int curve = KY_MORTON; curve <= KY_HILBERT; curve++) {
            build_and_check(places[p], 5000, curve, 16, 0);
            build_and_check(places[p], 1000, curve, 1, 1);
        }
    for (size_t n = 0; n < 20; n++) {
        build_and_check(plummer, n, KY_MORTON, 1, 0);
        build_and_check(point, n, KY_HILBERT, 16, 1);
    }
}

/* With one body far out the others are resolved as well as without it. A cluster of size 1e-12 has
 * small leaves too. */
static void outsiders_do_not_spoil_the_tree(void **state)
{
    (void)state;
    static place_function *const places[] = {outlier, escapers, tight_cluster};
    for (size_t p = 0; p < 3; p++) {
        struct ky_error error = {0};
        struct ky_octree tree;
        struct ky_parameters parameters = parameters_with(KY_HILBERT, 16, 64);
        struct sample s = make(places[p], 20000, 0);
        ky_octree_init(&tree);
        assert_ok(ky_octree_build(&tree, &s.view, &parameters, &error));
        for (size_t c = 0; c < tree.nodes; c++)
            if (tree.children[c] == 0 && tree.link[c].bodies > 16)
                assert_true(all_in_one_place(&tree, tree.link[c].body, tree.link[c].bodies));
        assert_between((double)tree.nodes, 20000 / 12.0, 20000 / 2.0);
        assert_true(tree.levels < 40);
        ky_octree_free(&tree);
        drop(&s);
    }
}

/* ---- samples ---- */

/* Orders of bodies: near a lattice, in the lattice's order; sorted along an axis; two components by
 * turns. */
static void lattice(size_t i, size_t n, struct ky_random *r, double x[3])
{
    const size_t side = (size_t)(cbrt((double)n) + 0.5),
                 place[3] = {i % side, i / side % side, i / side / side};
    for (int k = 0; k < 3; k++)
        x[k] = ((double)place[k] + 0.1 * ky_random_uniform(r)) / (double)side;
}

static void sorted(size_t i, size_t n, struct ky_random *r, double x[3])
{
    cube(i, n, r, x);
    x[2] = (double)i / (double)n;
}

static void in_turns(size_t i, size_t n, struct ky_random *r, double x[3])
{
    cube(i, n, r, x);
    for (int k = 0; k < 3 && i % 4 == 0; k++)
        x[k] = 0.3 + 1e-4 * x[k];
}

/* The order of a sample has an inverse. Its first bodies come from every part of a period, and from
 * both halves of the bodies. */
static void a_sample_is_of_all_bodies(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 3, 63, 64, 65, 1000, 4095, 4096, 32768, 262144, 262145};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const size_t n = sizes[s];
        const struct ky_sample_order order = ky_sample_order(n);
        unsigned char *seen = calloc(n, 1);
        for (size_t k = 0; k < n; k++) {
            const size_t i = (size_t)ky_sample_index(order, k);
            assert_true(i < n && !seen[i] && ky_sample_place(order, i) == k);
            seen[i] = 1;
        }
        free(seen);
        for (size_t most = 64; most <= 2048 && 2 * most <= n; most *= 2)
            for (size_t period = 2; period <= n / 2 && period < 70000; period += 1 + period / 16) {
                size_t halves[2] = {0};
                for (size_t k = 0; k < most; k++)
                    halves[2 * (ky_sampled(order, most, k) % period) / period]++;
                const size_t upper = (period + 1) / 2, rest = n % period;
                const double share =
                    (double)(n / period * upper + (rest < upper ? rest : upper)) / (double)n;
                assert_between(((double)halves[0] - share * (double)most) / sqrt((double)most),
                               -2.5, 2.5); /* five standard deviations */
            }
    }
    size_t index[8];
    assert_int_equal(ky_sample(5, 8, index), 5);
    for (size_t k = 0; k < 5; k++)
        assert_int_equal(index[k], k);
    assert_int_equal(ky_sample(0, 8, index), 0);
}

/* In any order of the bodies the cube of the keys holds nearly all of them, and a median of the
 * sample is in their midst. */
static void no_order_of_the_bodies_spoils_a_sample(void **state)
{
    (void)state;
    static place_function *const places[] = {lattice, sorted, in_turns};
    static const size_t sides[] = {16, 31, 32, 64};
    for (size_t p = 0; p < 3; p++)
        for (size_t s = 0; s < 4; s++) {
            const size_t n = sides[s] * sides[s] * sides[s];
            struct sample own = make(places[p], n, 0);
            const double *const x[3] = {own.x, own.y, own.z};
            const struct ky_frame frame =
                ky_frame_of_bulk(&(struct ky_positions){n, NULL, own.x, own.y, own.z, 0}, 1);
            for (int c = 0; c < 3; c++)
                for (size_t most = KY_ORIGIN_SAMPLE; most <= KY_MEDIAN_MOST;
                     most = most * 4 < KY_MEDIAN_MOST ? most * 4 : most + KY_MEDIAN_MOST) {
                    const double median = ky_sampled_median(x[c], 1, n, most);
                    size_t below = 0, inside = 0;
                    for (size_t i = 0; i < n; i++) {
                        below += x[c][i] < median;
                        inside += x[c][i] >= frame.low[c] && x[c][i] <= frame.low[c] + frame.edge;
                    }
                    assert_between((double)below / (double)n, 0.25, 0.75);
                    assert_true(inside > n - n / 32);
                }
            drop(&own);
        }
    struct sample few = make(in_turns, 4000, 0); /* every (n/1023 + 1)th body is of one component */
    size_t below = 0;
    const double median = ky_sampled_median(few.x, 1, 4000, KY_MEDIAN_MOST);
    for (size_t i = 0; i < 4000; i++)
        below += few.x[i] < median;
    assert_between((double)below, 1600, 2400);
    drop(&few);
}

/* Numbers in many orders, with equal ones and infinities. */
static void a_median_needs_no_sorting(void **state)
{
    (void)state;
    enum { MOST = 200 };
    for (size_t n = 0; n <= MOST; n++)
        for (size_t kind = 0; kind < 5; kind++) {
            double ordered[MOST], selected[MOST] = {0};
            for (size_t k = 0; k < n; k++) {
                const size_t other = k * 7919 % 211;
                selected[k] = kind == 0   ? (double)k
                              : kind == 1 ? (double)(n - k)
                              : kind == 2 ? (double)other
                              : kind == 3 ? (double)(other % 3)
                                          : 1 / (double)(other % 4);
            }
            memcpy(ordered, selected, sizeof ordered);
            assert_true(ky_select_median(selected, n) == ky_median(ordered, n));
        }
}

static void assert_same_trees(const struct ky_octree *a, const struct ky_octree *b)
{
    assert_int_equal(a->nodes, b->nodes);
    assert_int_equal(a->groups, b->groups);
    assert_int_equal(a->levels, b->levels);
    assert_memory_equal(a->order, b->order, a->n * sizeof *a->order);
    assert_int_equal(a->moments, b->moments);
    assert_memory_equal(a->origin, b->origin, sizeof a->origin);
    assert_memory_equal(a->centre, b->centre, a->nodes * sizeof *a->centre);
    assert_memory_equal(a->low, b->low, a->nodes * sizeof *a->low);
    assert_memory_equal(a->link, b->link, a->nodes * sizeof *a->link);
    assert_memory_equal(a->box, b->box, a->nodes * sizeof *a->box);
    assert_memory_equal(a->moment, b->moment, a->nodes * a->moments * sizeof *a->moment);
    assert_memory_equal(a->children, b->children, a->nodes);
    assert_memory_equal(a->group, b->group, a->groups * sizeof *a->group);
    assert_memory_equal(a->x, b->x, a->n * sizeof *a->x);
    assert_memory_equal(a->mass, b->mass, a->n * sizeof *a->mass);
}

static void threads_do_not_change_a_byte(void **state)
{
    (void)state;
    static place_function *const places[] = {plummer, cube, tight_cluster, escapers, point};
    for (size_t p = 0; p < 5; p++) {
        struct ky_error error = {0};
        struct ky_octree tree[4];
        struct ky_parameters parameters = parameters_with(KY_HILBERT, 16, 64);
        struct sample s = make(places[p], 150000, 1);
        for (int threads = 1; threads <= 3; threads++) {
            ky_octree_init(&tree[threads]);
            parameters.threads = threads;
            assert_ok(ky_octree_build(&tree[threads], &s.view, &parameters, &error));
            ky_octree_link(&tree[threads]);
            assert_same_trees(&tree[1], &tree[threads]);
        }
        for (int threads = 1; threads <= 3; threads++)
            ky_octree_free(&tree[threads]);
        drop(&s);
    }
}

/* ---- softenings -------------------------------------------------------------------------------
 */

static struct ky_octree softening_tree(const struct sample *s, int kind, int leaf, int threads)
{
    struct ky_error error = {0};
    struct ky_octree tree;
    struct ky_parameters parameters = parameters_with(KY_HILBERT, leaf, 64);
    parameters.softening_kind = kind;
    parameters.threads = threads;
    ky_octree_init(&tree);
    assert_ok(ky_octree_build(&tree, &s->view, &parameters, &error));
    ky_octree_link(&tree);
    return tree;
}

/* The largest less the smallest ε² of the bodies with mass in a cell, and its longest side. */
static void spread_of(const struct ky_octree *tree, size_t c, double *spread, double *side)
{
    const double *const x[3] = {tree->x, tree->y, tree->z};
    uint32_t first = tree->link[c].body, end = first + tree->link[c].bodies;
    double least = DBL_MAX, most = -DBL_MAX;
    *side = 0;
    for (int a = 0; a < 3; a++) {
        double low = x[a][first], high = low;
        for (uint32_t k = first; k < end; k++)
            low = fmin(low, x[a][k]), high = fmax(high, x[a][k]);
        *side = fmax(*side, high - low);
    }
    for (uint32_t k = first; k < end; k++)
        if (tree->mass[k] > 0) {
            least = fmin(least, tree->softening2[k]);
            most = fmax(most, tree->softening2[k]);
        }
    *spread = most > least ? most - least : 0;
}

/* The number of cells and leaves that are small against the softenings that are mixed in them.
 * Cells that are divided by softening do not count. */
static size_t mixed_cells(const struct ky_octree *tree)
{
    size_t mixed = 0;
    for (size_t c = 0; c < tree->nodes; c++) {
        double spread, side;
        spread_of(tree, c, &spread, &side);
        mixed += spread > 0 && side < 5 * sqrt(0.5 * spread) && tree->children[c] != 2;
    }
    return mixed;
}

/* Gives the bodies softenings: by types, over a decade, one of them 0 or huge, neighbouring floats,
 * powers of two down to the smallest. */
static void soften(struct sample *s, int how)
{
    for (size_t i = 0; i < s->view.n; i++) {
        struct ky_random random = ky_random_at(3, 9, i);
        double *e = &s->softening[i];
        switch (how) {
        case 0:
            *e = i % 2 ? 0.02 : 0.2;
            break;
        case 1:
            *e = 0.02 * pow(10, ky_random_uniform(&random));
            break;
        case 2:
            *e = i == 5 ? 0 : 0.3;
            break;
        case 3:
            *e = i == 5 ? 1e200 : i == 6 ? 1e9 : 0.3;
            break;
        case 4:
            *e = i % 2 ? 0.3 : nextafter(0.3, 1);
            break;
        default:
            *e = ldexp(1, -(int)(i % 540));
            break;
        }
    }
}
enum { KINDS_OF_SOFTENING = 6 };

/* With symmetric softening no cell mixes softenings that are large against its size. The tree is
 * whole, of bounded depth, and the same for any number of threads. With the other kind, or with one
 * softening, the tree is the usual one. */
static void softenings_that_differ_lie_in_cells_of_their_own(void **state)
{
    (void)state;
    static place_function *const places[] = {plummer, point, tight_cluster, line};
    for (int k = 0; k < 4 * KINDS_OF_SOFTENING; k++) {
        int how = k % KINDS_OF_SOFTENING, leaf = k % 2 ? 16 : 1;
        struct sample s = make(places[k / KINDS_OF_SOFTENING], 9000, 1);
        soften(&s, how);
        struct ky_octree plain = softening_tree(&s, KY_PLUMMER, leaf, 1),
                         tree = softening_tree(&s, KY_SYMMETRIC, leaf, 1),
                         other = softening_tree(&s, KY_SYMMETRIC, leaf, 2);
        assert_same_trees(&tree, &other);
        check_order(&tree, &s);
        check_groups(&tree, 64);
        check_links(&tree);
        assert_true(tree.levels < 300);
        if (how != 3 && how != 5)
            assert_int_equal(mixed_cells(&tree), 0);
        assert_true(k != 0 || mixed_cells(&plain) > 0);
        for (size_t c = 0; how != 3 && how != 5 && c < tree.nodes; c += 7)
            check_cell(&tree, c);
        memset(s.softening, 0, s.view.n * sizeof *s.softening);
        ky_octree_free(&other);
        other = softening_tree(&s, KY_SYMMETRIC, leaf, 1);
        assert_int_equal(other.nodes, plain.nodes);
        assert_memory_equal(other.order, plain.order, plain.n * sizeof *plain.order);
        ky_octree_free(&plain);
        ky_octree_free(&tree);
        ky_octree_free(&other);
        drop(&s);
    }
}

/* One struct is built for systems of different sizes and kinds, and for the first one again. */
static void a_tree_is_used_again(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_octree tree, fresh;
    struct ky_parameters parameters = parameters_with(KY_MORTON, 4, 32);
    static const size_t sizes[] = {500, 6000, 0, 100, 6000};
    ky_octree_init(&tree);
    for (size_t k = 0; k < 5; k++) {
        struct sample s = make(k % 2 ? plummer : graded, sizes[k], k % 2 == 0 || k == 1);
        assert_ok(ky_octree_build(&tree, &s.view, &parameters, &error));
        ky_octree_link(&tree);
        assert_int_equal(tree.n, sizes[k]);
        if (sizes[k]) {
            check_tree(&tree, &s, 4, 32);
            assert_true((tree.softening2 != NULL) == (s.softening != NULL));
        }
        if (k == 4) {
            ky_octree_init(&fresh);
            assert_ok(ky_octree_build(&fresh, &s.view, &parameters, &error));
            ky_octree_link(&fresh);
            assert_same_trees(&fresh, &tree);
            ky_octree_free(&fresh);
        }
        drop(&s);
    }
    struct ky_octree_bodies many = {.n = (size_t)1 << 31};
    assert_int_equal(ky_octree_build(&tree, &many, &parameters, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "2147483648"));
    assert_int_equal(tree.n, 0);
    ky_octree_free(&tree);
}

static double longest(const struct ky_cell_box *box)
{
    double l = 0;
    for (int a = 0; a < 3; a++)
        l = fmax(l, (double)box->below[a] + (double)box->above[a]);
    return l;
}

static enum ky_status refresh(struct ky_octree *tree, const struct sample *s,
                              const struct ky_parameters *parameters)
{
    struct ky_error error = {0};
    double(*position)[3] = ky_allocate(s->view.n, sizeof *position);
    for (size_t i = 0; i < s->view.n; i++)
        position[i][0] = s->x[i], position[i][1] = s->y[i], position[i][2] = s->z[i];
    enum ky_status status =
        ky_octree_refresh(tree, (const double(*)[3])position, parameters, &error);
    free(position);
    return status;
}

/* A tree that follows bodies that have moved gets their moments and boxes, and keeps its cells,
 * links and edges. An edge is about the box if the box has left the cube. If no body has moved, all
 * bytes are the same. */
static void a_tree_follows_its_bodies(void **state)
{
    (void)state;
    static place_function *const places[] = {plummer, point, escapers, tight_cluster};
    static const size_t sizes[] = {20000, 50, 3000, 9000, 1, 2, 0};
    for (size_t k = 0; k < 4 * 7; k++) {
        struct ky_error error = {0};
        struct sample s = make(places[k % 4], sizes[k / 4], k % 4 == 1);
        struct ky_parameters parameters = parameters_with(KY_HILBERT, 16, 64);
        struct ky_octree tree, before, one;
        parameters.opening = KY_GEOMETRIC, parameters.cell = k % 2 ? KY_EDGE : KY_BOX;
        ky_octree_init(&tree), ky_octree_init(&before), ky_octree_init(&one);
        assert_ok(ky_octree_build(&tree, &s.view, &parameters, &error));
        assert_ok(ky_octree_build(&before, &s.view, &parameters, &error));
        assert_ok(ky_octree_build(&one, &s.view, &parameters, &error));
        ky_octree_link(&tree), ky_octree_link(&before), ky_octree_link(&one);
        assert_ok(refresh(&tree, &s, &parameters));
        if (s.view.n)
            assert_same_trees(&before, &tree);
        for (size_t i = 0; i < s.view.n; i++) {
            struct ky_random random = ky_random_at(9, 0, i);
            s.x[i] += 0.2 * ky_random_normal(&random), s.y[i] += 0.2 * ky_random_normal(&random);
        }
        assert_ok(refresh(&tree, &s, &parameters));
        one.scratch->threads = 1, tree.scratch->threads = 3;
        assert_ok(refresh(&tree, &s, &parameters));
        assert_ok(refresh(&one, &s, &parameters));
        if (s.view.n) {
            assert_same_trees(&one, &tree);
            check_order(&tree, &s);
            check_groups(&tree, 64);
            check_links(&tree);
            assert_memory_equal(tree.order, before.order, tree.n * sizeof *tree.order);
        }
        for (size_t c = 0; c < tree.nodes; c++) {
            double l = 0.7 * sqrt((double)tree.centre[c].open2);
            check_cell(&tree, c);
            assert_true(l >= longest(&tree.box[c]) * (1 - 1e-6));
            if (parameters.cell == KY_EDGE && tree.depth[c] <= KY_KEY_LEVELS)
                assert_true(l >= tree.scratch->frame.edge * pow(0.5, tree.depth[c]) * (1 - 1e-6));
        }
        ky_octree_free(&tree), ky_octree_free(&before), ky_octree_free(&one);
        drop(&s);
    }
}

/* The memory that is foreseen is near the memory that is used, and within the engine's budget. */
static void memory_is_foreseen(void **state)
{
    (void)state;
    static const int leaves[] = {1, 4, 16, 64};
    for (size_t k = 0; k < 8; k++) {
        size_t n = k & 1 ? 90000 : 30000;
        struct ky_error error = {0};
        struct ky_octree tree;
        struct ky_parameters parameters = parameters_with(KY_HILBERT, leaves[k / 2], 64);
        struct sample s = make(k & 1 ? cube : plummer, n, 0);
        double said = ky_octree_memory(&parameters, n);
        ky_octree_init(&tree);
        assert_ok(ky_octree_build(&tree, &s.view, &parameters, &error));
        size_t used =
            n * (4 * sizeof(double) + sizeof(uint32_t)) +
            tree.scratch->nodes[0] * (sizeof *tree.centre + sizeof *tree.low + sizeof *tree.link +
                                      sizeof *tree.box + 8 * sizeof(float) + 2) +
            tree.scratch->groups * sizeof *tree.group;
        assert_between(said, 0.85 * (double)used,
                       (leaves[k / 2] == 16 ? 1.15 : 2.0) * (double)used);
        if (leaves[k / 2] == 16)
            assert_between(said / (double)n, 60, 84);
        ky_octree_free(&tree);
        drop(&s);
    }
}

/* Positions that an engine should have refused must not crash the build. */
static void wild_positions_do_not_crash(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_octree tree;
    struct ky_parameters parameters = parameters_with(KY_HILBERT, 1, 64);
    struct sample s = make(plummer, 1000, 0);
    for (size_t i = 0; i < 1000; i += 3)
        s.x[i] = (i % 2) ? (double)NAN : (double)INFINITY, s.y[i] = i % 4 ? 1e308 : -1e308;
    ky_octree_init(&tree);
    assert_ok(ky_octree_build(&tree, &s.view, &parameters, &error));
    check_shape(&tree, 1000);
    for (size_t i = 0; i < 1000; i++)
        s.x[i] = (double)NAN, s.y[i] = 1e-310 * (double)i, s.z[i] = -(double)INFINITY;
    assert_ok(ky_octree_build(&tree, &s.view, &parameters, &error));
    ky_octree_free(&tree);
    drop(&s);
}

/* ---- opening ----------------------------------------------------------------------------------
 */

static void opening_radii_follow_their_formulas(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct sample s = make(plummer, 4000, 0);
    struct ky_parameters parameters = parameters_with(KY_HILBERT, 8, 64);
    for (int opening = KY_GEOMETRIC; opening <= KY_RELATIVE; opening++) {
        struct ky_octree tree;
        ky_octree_init(&tree);
        parameters.opening = opening;
        assert_ok(ky_octree_build(&tree, &s.view, &parameters, &error));
        assert_int_equal((tree.opening & KY_OPENING_TOUCH) != 0, opening != KY_OFFSET);
        for (size_t c = 0; c < tree.nodes; c++) {
            const struct ky_cell_box *box = &tree.box[c];
            double l = longest(box), s2 = 0;
            if (tree.link[c].bodies == 1) /* only its centre is rounded */
                continue;
            for (int a = 0; a < 3; a++)
                s2 += pow(0.5 * ((double)box->above[a] - (double)box->below[a]), 2);
            double radius = l / 0.7 + (opening == KY_OFFSET ? sqrt(s2) : 0);
            double open2 = opening == KY_RELATIVE
                               ? pow((double)tree.moment[c * tree.moments] * l * l * l, 2.0 / 5)
                               : radius * radius;
            assert_between((double)tree.centre[c].open2, open2 * (1 - 2e-6), open2 * (1 + 2e-6));
        }
        ky_octree_free(&tree);
    }
    drop(&s);
}

/* An edge is the root's edge over a power of two, and no less than the box, also where bodies are
 * outside the frame. */
static void edges_hold_the_boxes(void **state)
{
    (void)state;
    struct ky_error error = {0};
    static place_function *const places[] = {cube, outlier, tight_cluster};
    for (size_t p = 0; p < 3; p++) {
        struct sample s = make(places[p], 4000, 0);
        struct ky_parameters parameters = parameters_with(KY_MORTON, 8, 64);
        struct ky_octree tree;
        ky_octree_init(&tree);
        parameters.opening = KY_GEOMETRIC, parameters.cell = KY_EDGE, parameters.theta = 0.5;
        assert_ok(ky_octree_build(&tree, &s.view, &parameters, &error));
        assert_int_equal(tree.opening & KY_OPENING_TOUCH, 0);
        double root = 0.5 * sqrt((double)tree.centre[0].open2);
        for (size_t c = 0; c < tree.nodes; c++) {
            double l = 0.5 * sqrt((double)tree.centre[c].open2);
            assert_true(l >= longest(&tree.box[c]) * (1 - 1e-6));
            double halvings = log2(root / l);
            if (p == 0)
                assert_between(halvings - round(halvings), -1e-5, 1e-5);
        }
        ky_octree_free(&tree);
        drop(&s);
    }
}

/* Where the tree says that no box need be tested, no body lies in a cell that may act on it. */
static void opening_radii_hold_the_bodies(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct sample s = make(outlier, 4000, 0);
    for (int opening = KY_GEOMETRIC; opening <= KY_OFFSET; opening++)
        for (int cell = KY_BOX; cell <= KY_EDGE; cell++) {
            struct ky_octree tree;
            struct ky_parameters parameters = parameters_with(KY_HILBERT, 8, 64);
            parameters.opening = opening, parameters.cell = cell;
            parameters.theta = opening == KY_OFFSET ? 1.15 : 0.57;
            ky_octree_init(&tree);
            assert_ok(ky_octree_build(&tree, &s.view, &parameters, &error));
            assert_int_equal(tree.opening & KY_OPENING_TOUCH, 0);
            for (size_t c = 0; c < tree.nodes; c++)
                for (uint32_t k = 0; k < tree.link[c].bodies; k++) {
                    uint32_t body = tree.link[c].body + k;
                    const double at[3] = {tree.x[body] - tree.origin[0],
                                          tree.y[body] - tree.origin[1],
                                          tree.z[body] - tree.origin[2]};
                    double d[3];
                    ky_cell_apart(&tree, (uint32_t)c, at, d);
                    assert_true(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <=
                                (double)tree.centre[c].open2);
                }
            parameters.theta = 1.3;
            assert_ok(ky_octree_build(&tree, &s.view, &parameters, &error));
            assert_int_equal(tree.opening & KY_OPENING_BOXES, KY_OPENING_TOUCH);
            ky_octree_free(&tree);
        }
    drop(&s);
}

/* Sinks in a box with the half sides hx, 1 and 1, and a cell whose centre of mass is at x, y and z.
 * For x = 3 the cell reaches from 2 to 5 along x; along y and z it reaches to both sides of 0. */
static struct ky_opening_apart apart(float x, float y, float z, float hx)
{
    return (struct ky_opening_apart){x, y, z, hx, 1, 1};
}
static const struct ky_opening_sides sides = {1, 1, 1, 2, 1, 1, 0};

/* The sums of a cell with the bodies 0 … count − 1, by the formulas of host and kernels. */
static struct ky_cell_sums sum_of(const double (*x)[3], const double *m, size_t count,
                                  struct ky_cell_second *second)
{
    struct ky_cell_sums sums = {.eps2 = ky_cell_eps2()};
    for (size_t i = 0; i < count; i++) {
        sums.mass += m[i];
        sums.eps2 = ky_cell_eps2_add(sums.eps2, ky_cell_eps2_of(m[i], x[i][0] * x[i][0]));
    }
    for (int c = 0; c < 3; c++) {
        struct ky_cell_axis axis = ky_cell_axis(x[0][c], x[0][c]);
        for (size_t i = 0; i < count; i++)
            axis = ky_cell_axis_add(axis, m[i], x[i][c], x[0][c], x[i][c], x[i][c]);
        sums.axis[c] = ky_cell_axis_end(axis, sums.mass, x[0][c]);
    }
    *second = ky_cell_second();
    for (size_t i = 0; i < count; i++)
        *second = ky_cell_second_add(*second, m[i], x[i][0] - sums.axis[0].x,
                                     x[i][1] - sums.axis[1].x, x[i][2] - sums.axis[2].x);
    return sums;
}

static void formulas_of_a_cell_are_double_sums(void **state)
{
    (void)state;
    enum { N = 50 };
    double x[N][3], m[N], low = 1, high = 0, least = 1, most = 0;
    long double mass = 0, com[3] = {0}, mean = 0, xx = 0, yz = 0;
    for (size_t i = 0; i < N; i++) {
        struct ky_random random = ky_random_at(5, 0, i);
        for (int c = 0; c < 3; c++)
            x[i][c] = ky_random_uniform(&random);
        m[i] = i % 5 ? ky_random_uniform(&random) : 0;
        mass += (long double)m[i];
        for (int c = 0; c < 3; c++)
            com[c] += (long double)m[i] * (long double)x[i][c];
        mean += (long double)m[i] * (long double)x[i][0] * (long double)x[i][0];
        low = fmin(low, x[i][2]), high = fmax(high, x[i][2]);
        if (m[i] > 0)
            least = fmin(least, x[i][0] * x[i][0]), most = fmax(most, x[i][0] * x[i][0]);
    }
    for (size_t i = 0; i < N; i++) {
        const long double dx = (long double)x[i][0] - com[0] / mass,
                          dy = (long double)x[i][1] - com[1] / mass,
                          dz = (long double)x[i][2] - com[2] / mass;
        xx += (long double)m[i] * dx * dx, yz += (long double)m[i] * dy * dz;
    }
    struct ky_cell_second second;
    const struct ky_cell_sums sums = sum_of((const double(*)[3])x, m, N, &second);
    assert_between(sums.mass / (double)mass, 1 - 1e-14, 1 + 1e-14);
    assert_between(sums.eps2.sum / (double)mean, 1 - 1e-14, 1 + 1e-14);
    assert_true(sums.eps2.least == least && sums.eps2.most == most);
    assert_true(sums.axis[2].low == low && sums.axis[2].high == high);
    for (int c = 0; c < 3; c++)
        assert_between(sums.axis[c].x / (double)(com[c] / mass), 1 - 1e-14, 1 + 1e-14);
    assert_between(second.xx / (double)xx, 1 - 1e-13, 1 + 1e-13);
    assert_between(second.yz - (double)yz, -1e-14, 1e-14);
    m[0] = 0; /* without mass: the middle of the box, for any ε² */
    const struct ky_cell_sums none = sum_of((const double(*)[3])x, m, 1, &second);
    assert_true(none.axis[1].x == x[0][1] && none.eps2.most == 0 && second.xx == 0);
}

static void box_distances(void **state)
{
    (void)state;
    assert_false(ky_opening_box_touches(apart(3, 0, 0, 1), sides));
    assert_true(ky_opening_box_touches(apart(3, 0, 0, 2), sides));
    assert_true(ky_opening_box_touches(apart(-3, 0, 0, 1), sides));
    assert_float_equal(ky_opening_box_distance2(apart(3, 0, 0, 1), sides), 1, 0);
    assert_float_equal(ky_opening_box_distance2(apart(3, 4, -6, 1), sides), 21, 0);
    assert_float_equal(ky_opening_distance2(apart(3, 4, -6, 1)), 4 + 9 + 25, 0);
    /* l = 3, centre at 3.5: the cube reaches from 0.5 to 6.5. */
    assert_true(ky_opening_cube_touches(apart(3, 0, 0, 0.55f), sides));
    assert_false(ky_opening_cube_touches(apart(3, 0, 0, 0.45f), sides));
    assert_true(ky_opening_cube_touches(apart(3, 3.9f, 0, 0.55f), sides));
    assert_false(ky_opening_cube_touches(apart(3, 4.1f, 0, 0.55f), sides));
}

static int opens(struct ky_opening_apart a, float open2, unsigned how)
{
    return ky_opening_opens(a, sides, ky_opening_distance2(a), open2, how);
}

/* The opening test of all walks: by the centre, by the box, and cells that touch the sinks. */
static void cells_are_opened_by_one_test(void **state)
{
    (void)state;
    const struct ky_opening_apart near = apart(3, 0, 0, 1), /* centre 2, box 1 away, cube touches */
        on = {0, 0, 0, 0, 0, 0};
    assert_true(opens(near, 4.1f, 0));
    assert_false(opens(near, 3.9f, 0));
    assert_true(opens(near, 1.1f, KY_OPENING_TO_BOX));
    assert_false(opens(near, 0.9f, KY_OPENING_TO_BOX));
    assert_false(opens(near, 3.9f, KY_OPENING_TOUCH));
    assert_true(opens(apart(3, 0, 0, 2), 0.5f, KY_OPENING_TOUCH));
    assert_true(opens(near, 3.9f, KY_OPENING_TOUCH | KY_OPENING_CUBE));
    assert_false(opens(near, 3.9f, KY_OPENING_CUBE));
    assert_true(opens(on, 0, 0)); /* whatever its opening radius */
}

/* Kernels load these 16 bytes at a time. */
_Static_assert(sizeof(struct ky_cell_centre) == 16 && offsetof(struct ky_cell_centre, open2) == 12,
               "centre");
_Static_assert(sizeof(struct ky_low) == 16 && offsetof(struct ky_low, eps2) == 12, "low parts");
_Static_assert(sizeof(struct ky_cell_link) == 16 && offsetof(struct ky_cell_link, more) == 4 &&
                   offsetof(struct ky_cell_link, body) == 8 &&
                   offsetof(struct ky_cell_link, bodies) == 12,
               "links");
_Static_assert(sizeof(struct ky_cell_box) == 32 && offsetof(struct ky_cell_box, above) == 16,
               "box");
_Static_assert(KY_MOMENTS(1) == 1 && KY_MOMENTS(2) == 8, "moments are loaded four at a time");

/* Boxes are wider where the positions of those who read them are coarser, and the origin can be
 * given. */
static void trees_are_made_for_their_readers(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct sample s = make(plummer, 3000, 0);
    struct ky_parameters parameters = parameters_with(KY_HILBERT, 8, 64);
    struct ky_octree exact, coarse;
    const double origin[3] = {8, -4, 0.5};
    parameters.multipole = 1;
    ky_octree_init(&exact);
    ky_octree_init(&coarse);
    assert_ok(ky_octree_build(&exact, &s.view, &parameters, &error));
    s.view.has_origin = 1;
    memcpy(s.view.origin, origin, sizeof origin);
    s.view.digit = 0x1p-23;
    assert_ok(ky_octree_build(&coarse, &s.view, &parameters, &error));
    assert_memory_equal(coarse.origin, origin, sizeof origin);
    assert_int_equal(coarse.moments, 1);
    for (size_t c = 0; c < exact.nodes; c++)
        for (int a = 0; a < 3; a++) {
            const double side = fmax((double)exact.box[c].below[a], (double)exact.box[c].above[a]);
            double place = (double)coarse.centre[c].x[a],
                   before = (double)exact.centre[c].x[a] + exact.origin[a] - origin[a];
            double wider = (double)coarse.box[c].below[a] - (double)exact.box[c].below[a],
                   expected = 0x1p-23 * (fabs(place) + side);
            assert_between(place - before, -1e-5, 1e-5);
            assert_between(wider, (1 - 1e-5) * expected - 1e-6 * side,
                           (1 + 1e-5) * expected + 1e-6 * side);
        }
    assert_memory_equal(exact.moment, coarse.moment, exact.nodes * sizeof(float));
    ky_octree_free(&exact);
    ky_octree_free(&coarse);
    drop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_visit_a_grid_once),
        cmocka_unit_test(morton_keys_interleave),
        cmocka_unit_test(sort_is_stable),
        cmocka_unit_test(words_hold_key_and_index),
        cmocka_unit_test(ordinary_trees_are_right),
        cmocka_unit_test(degenerate_trees_are_right),
        cmocka_unit_test(outsiders_do_not_spoil_the_tree),
        cmocka_unit_test(a_sample_is_of_all_bodies),
        cmocka_unit_test(no_order_of_the_bodies_spoils_a_sample),
        cmocka_unit_test(a_median_needs_no_sorting),
        cmocka_unit_test(threads_do_not_change_a_byte),
        cmocka_unit_test(softenings_that_differ_lie_in_cells_of_their_own),
        cmocka_unit_test(a_tree_is_used_again),
        cmocka_unit_test(a_tree_follows_its_bodies),
        cmocka_unit_test(memory_is_foreseen),
        cmocka_unit_test(wild_positions_do_not_crash),
        cmocka_unit_test(opening_radii_follow_their_formulas),
        cmocka_unit_test(edges_hold_the_boxes),
        cmocka_unit_test(opening_radii_hold_the_bodies),
        cmocka_unit_test(formulas_of_a_cell_are_double_sums),
        cmocka_unit_test(box_distances),
        cmocka_unit_test(cells_are_opened_by_one_test),
        cmocka_unit_test(trees_are_made_for_their_readers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
