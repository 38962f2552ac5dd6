/* The tree that a device makes, cell by cell, against the tree of the host, against its bodies and
 * against the rule for its groups. device_tree_use.c tests what engines do with it. */
#include "test.h"

#include "base/drivers.h"

#if KY_DRIVERS_COUNT

#include "device_trees.h"

#include "octree/octree.h"

/* ---- cell by cell ---- */

struct pairing {
    const struct made *made;
    const struct ky_octree *host;
    const double *x[3];
    uint64_t *key; /* along the curve, with all 21 levels */
    int levels;    /* levels in a word of the host, which makes new keys below */
    size_t seen, alone;
};

/* Fails unless a and b agree as sums of size `size` do that are rounded to float, at a position
 * `far` from the origin. */
static void assert_near(double a, double b, double size, double far)
{
    if (!(fabs(a - b) <= 2e-5 * size + 1e-13 * far))
        fail_msg("%.17g is not %.17g, %g from the origin, size %g", a, b, far, size);
}

/* Fails unless the box of a cell holds its bodies and hardly more. Returns its longest side. */
static double check_box(const struct pairing *pair, uint32_t cell)
{
    const struct made *made = pair->made;
    const struct ky_cell_link link = made->link[cell];
    const struct ky_cell_box *box = &made->box[cell];
    double side = 0, low[3], high[3];
    for (int c = 0; c < 3; c++) {
        low[c] = (double)INFINITY, high[c] = -low[c];
        for (uint32_t k = link.body; k < link.body + link.bodies; k++) {
            low[c] = fmin(low[c], pair->x[c][made->order[k]]);
            high[c] = fmax(high[c], pair->x[c][made->order[k]]);
        }
        side = fmax(side, high[c] - low[c]);
    }
    for (int c = 0; c < 3; c++) {
        double at = (double)made->centre[cell].x[c] + (double)made->low[cell].x[c];
        double from = made->origin[c] + at - (double)box->below[c],
               to = made->origin[c] + at + (double)box->above[c],
               far = fabs(at) + fabs(made->origin[c]);
        assert_near(from, low[c], side, far);
        assert_near(to, high[c], side, far);
        assert_true(from <= low[c] + 1e-13 * far && to >= high[c] - 1e-13 * far);
    }
    return side;
}

static void compare_moments(const struct pairing *pair, uint32_t cell, uint32_t its, int common,
                            double side)
{
    const struct made *made = pair->made;
    const struct ky_octree *host = pair->host;
    const float *own = made->moment + cell * host->moments,
                *same = host->moment + its * host->moments;
    double far = 0, trace = 0;
    for (int c = 0; c < 3; c++) {
        double at = (double)made->centre[cell].x[c] + (double)made->low[cell].x[c],
               there = (double)host->centre[its].x[c] + (double)host->low[its].x[c],
               away = fabs(at) + fabs(made->origin[c]) + fabs(there) + fabs(host->origin[c]);
        assert_near(made->origin[c] + at, host->origin[c] + there, side, away);
        far += away;
        trace += fabs(host->moments > 1 ? (double)same[KY_MOMENT_SECOND + c] : 0);
    }
    assert_near((double)own[KY_MOMENT_MASS], (double)same[KY_MOMENT_MASS],
                (double)same[KY_MOMENT_MASS], 0);
    for (size_t k = KY_MOMENT_SECOND; k < host->moments; k++)
        assert_near((double)own[k], (double)same[k], trace, 1e-13);
    double open = sqrt((double)made->centre[cell].open2);
    if (made->p.cell == KY_BOX || common < pair->levels) /* the host has a cube for this cell */
        assert_near(open, sqrt((double)host->centre[its].open2), open, far);
    double eps2 = (double)host->low[its].eps2;
    assert_near((double)made->low[cell].eps2, eps2, eps2, 0);
}

#define NOBODY UINT32_MAX

/* Whether the body and the next one along the curve have one key on the host. */
static int is_as_next(const struct pairing *pair, uint32_t k)
{
    return k + 1 < pair->made->bodies->n &&
           ky_key_common(pair->key[k], pair->key[k + 1]) >= pair->levels;
}

/* Compares a cell with the host's cell of the same bodies (or NOBODY), and the cells that follow
 * both. */
static void compare(struct pairing *pair, uint32_t cell, uint32_t its, uint32_t after)
{
    const struct made *made = pair->made;
    const struct ky_cell_link link = made->link[cell];
    const uint32_t last = link.body + link.bodies - 1, children = made->children[cell];
    const int common = ky_key_common(pair->key[link.body], pair->key[last]);
    pair->seen++;
    assert_int_equal(link.next, after);
    assert_int_equal(children == 0, link.more == KY_NO_LINK);
    assert_int_equal(children == 0,
                     link.bodies <= (uint32_t)made->p.leaf || common == KY_KEY_LEVELS);
    const double side = check_box(pair, cell);
    if (its != NOBODY) {
        assert_int_equal(link.body, pair->host->link[its].body);
        assert_int_equal(link.bodies, pair->host->link[its].bodies);
        compare_moments(pair, cell, its, common, side);
        if (common < pair->levels || link.bodies == 1)
            assert_int_equal(children, pair->host->children[its]);
        else
            pair->alone += link.bodies, its = NOBODY;
    }
    for (uint32_t k = link.body; children == 0 && its != NOBODY && k <= last; k++)
        if (!is_as_next(pair, k) && (k == 0 || !is_as_next(pair, k - 1)))
            assert_int_equal(made->order[k], pair->host->order[k]);
    uint32_t body = link.body;
    for (uint32_t k = 0; k < children; k++) {
        const struct ky_cell_link child = made->link[link.more + k];
        assert_int_equal(child.body, body);
        assert_in_range(child.bodies, 1, link.bodies - 1);
        compare(pair, link.more + k, its == NOBODY ? NOBODY : pair->host->link[its].more + k,
                k + 1 < children ? link.more + k + 1 : link.next);
        body += child.bodies;
    }
    assert_int_equal(children > 0 ? body : last + 1, last + 1);
}

/* Cuts have up to 32 groups, in the order of the cells. The groups of a cut have about equal
 * sizes. */
static void check_groups(const struct made *made)
{
    const uint32_t team = (uint32_t)made->bodies->card->team, group = (uint32_t)made->p.group,
                   most = group < team ? group : team;
    uint32_t *parent = calloc(made->tree.cells, sizeof *parent), g = 0;
    for (uint32_t cell = 0; cell < made->tree.cells; cell++) {
        const struct ky_cell_link link = made->link[cell];
        const int leaf = link.more == KY_NO_LINK;
        for (uint32_t k = 0; k < made->children[cell]; k++)
            parent[link.more + k] = cell;
        if ((link.bodies > 32 * most && !leaf) ||
            (cell > 0 && made->link[parent[cell]].bodies <= 32 * most))
            continue;
        uint32_t groups = (link.bodies + most - 1) / most,
                 size = (link.bodies + groups - 1) / groups;
        for (uint32_t body = link.body, end = link.body + link.bodies; body < end;
             body += size, g++) {
            assert_true(g < made->tree.groups);
            assert_int_equal(made->group[2 * g], body);
            assert_int_equal(made->group[2 * g + 1], body + size < end ? body + size : end);
        }
    }
    assert_int_equal(g, made->tree.groups);
    free(parent);
}

/* ---- cases ---- */

static struct ky_parameters parameters_of(int leaf, int curve, int opening, int cell, int multipole)
{
    struct ky_parameters p = cloud_parameters();
    p.force = KY_TREE;
    p.leaf = leaf;
    p.curve = curve;
    p.opening = opening;
    p.cell = cell;
    p.multipole = multipole;
    return p;
}

/* Returns the number of cells. */
static size_t check_tree(const char *engine, const struct ky_parameters *p, int kind, size_t n,
                         int own_eps)
{
    struct ky_error error = {0};
    struct ky_bodies cloud = tree_bodies(kind, n);
    cloud.softening = own_eps ? malloc(n * sizeof *cloud.softening) : NULL;
    for (size_t i = 0; own_eps && i < n; i++)
        cloud.softening[i] = 0.01 * (double)(i % 7);
    struct made *made = make_tree(engine, p, &cloud);
    double *column[5], unit[5] = {1, 1, 1, 1, 1};
    for (int c = 0; c < 5; c++) {
        column[c] = malloc(n * sizeof *column[c]);
        unit[c] = c == 3 ? made->state.units.mass : made->state.units.length;
        for (size_t i = 0; i < n; i++)
            column[c][i] = (c < 3             ? cloud.position[i][c]
                            : c == 3          ? cloud.mass[i]
                            : cloud.softening ? cloud.softening[i]
                                              : 0) /
                           unit[c];
    }
    const struct ky_octree_bodies columns = {.n = n,
                                             .x = column[0],
                                             .y = column[1],
                                             .z = column[2],
                                             .mass = column[3],
                                             .softening = own_eps ? column[4] : NULL};
    struct ky_octree host;
    ky_octree_init(&host);
    assert_ok(ky_octree_build(&host, &columns, &made->p, &error));
    const struct ky_frame frame =
        ky_frame_of_bulk(&(struct ky_positions){n, NULL, column[0], column[1], column[2], 0}, 1);
    assert_memory_equal(made->frame.low, frame.low, sizeof frame.low);
    assert_true(made->frame.edge == frame.edge && made->frame.scale == frame.scale);
    struct pairing pair = {.made = made,
                           .host = &host,
                           .x = {column[0], column[1], column[2]},
                           .levels = ky_word_layout(n).levels};
    pair.key = keys_of(made, pair.x);
    compare(&pair, 0, 0, KY_NO_LINK);
    check_groups(made);
    assert_int_equal(pair.seen, made->tree.cells);
    if (kind == PLUMMER || kind == CUBE)
        assert_in_range(pair.alone, 0, n / 100);
    const size_t cells = made->tree.cells;
    for (int c = 0; c < 5; c++)
        free(column[c]);
    free(pair.key);
    ky_octree_free(&host);
    free_tree(made);
    ky_bodies_free(&cloud);
    return cells;
}

static void trees_are_those_of_the_host(void **state)
{
    (void)state;
    static const int leaves[] = {1, 4, 16, 64}, groups[] = {64, 5, 16};
    need_a_device();
    for (int k = 0; k < engine_count; k++)
        for (int which = 0; which < KINDS * 8 * 2 && !is_cpu_engine(k); which++) {
            const int kind = which / 16, leaf = which % 4, curve = which / 4 % 2;
            struct ky_parameters p = parameters_of(
                leaves[leaf], curve ? KY_HILBERT : KY_MORTON, (which / 8 + kind + leaf) % 4,
                (kind + which / 8) % 2 ? KY_EDGE : KY_BOX, 1 + (kind + leaf + curve) % 2);
            p.group = groups[which % 3];
            check_tree(engines[k].engine, &p, kind, 1025, which % 5 == 0);
        }
}

static void trees_of_any_size(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 31, 32, 33, 1023, 1024, 1025, 100003};
    need_a_device();
    for (int k = 0; k < engine_count; k++)
        for (int s = 0; s < 9 && !is_cpu_engine(k); s++)
            for (int kind = 0; kind < (s < 8 || test_everything() ? KINDS : CUBE + 1); kind++) {
                struct ky_parameters p = parameters_of(s % 2 ? 16 : 3, KY_HILBERT, KY_RELATIVE,
                                                       s % 2 ? KY_BOX : KY_EDGE, 2);
                check_tree(engines[k].engine, &p, kind, sizes[s], 0);
            }
}

/* Two cells a body, or groups of one body, need more memory than there is at first. */
static void more_cells_and_groups_than_expected(void **state)
{
    (void)state;
    enum { N = 100003 };
    need_a_device();
    for (int k = 0; k < engine_count; k++) {
        struct ky_parameters p = parameters_of(1, KY_HILBERT, KY_OFFSET, KY_BOX, 2);
        if (is_cpu_engine(k))
            continue;
        assert_in_range(check_tree(engines[k].engine, &p, LINE, N, 0), 1.6 * N, 2 * N);
        p.group = 1;
        p.leaf = 16;
        check_tree(engines[k].engine, &p, PLUMMER, N, 0);
    }
}

/* Any number of coincident bodies is one leaf. */
static void one_leaf_of_100000_bodies(void **state)
{
    (void)state;
    need_a_device();
    for (int k = 0; k < engine_count; k++) {
        struct ky_parameters p = parameters_of(16, KY_MORTON, KY_MINIMUM, KY_BOX, 2);
        if (!is_cpu_engine(k))
            assert_int_equal(check_tree(engines[k].engine, &p, POINT, 100000, 0), 1);
    }
}

/* Groups of active bodies, at places from `from` to `to` in steps of up to `every`. Each place in
 * their list is in one group, and the bodies of a group are in one cut. Afterwards the groups of
 * all bodies are the old ones. */
static void check_active_groups(struct made *made, uint32_t from, uint32_t to, uint32_t every)
{
    struct ky_error error = {0};
    struct ky_device_bodies *bodies = made->bodies;
    struct ky_device_tree *tree = &made->tree;
    struct ky_card *card = bodies->card;
    uint32_t *list = calloc(bodies->n, sizeof *list), count = 0;
    unsigned char *times = calloc(bodies->n, 1);
    for (uint32_t k = from; k < to; k += 1 + k % every)
        list[count++] = k;
    const struct ky_active active = {count, NULL};
    assert_ok(ky_buffer_fill(card, &bodies->active_list, "active bodies", list, count, sizeof *list,
                             &error));
    struct ky_evaluation evaluation = {.active = &active, .in_block = 1, .together = count};
    assert_ok(ky_device_tree_regroup(tree, bodies, &evaluation, &made->p, &error));
    uint32_t *group = read_back(made, &tree->group, 2 * tree->groups * sizeof *group);
    for (size_t g = 0; g < tree->groups; g++) {
        const uint32_t begin = group[2 * g], end = group[2 * g + 1];
        assert_true(begin <= end && end <= count && end - begin <= card->team);
        for (uint32_t k = begin; k < end; k++)
            times[k]++;
        if (end > begin) /* a cut has 32 full groups at most, or is a leaf with few bodies */
            assert_true(list[end - 1] - list[begin] < 32 * card->team);
    }
    for (uint32_t k = 0; k < count; k++)
        assert_int_equal(times[k], 1);
    evaluation.active = NULL;
    assert_ok(ky_device_tree_regroup(tree, bodies, &evaluation, &made->p, &error));
    free(group);
    group = read_back(made, &tree->group, 2 * tree->groups * sizeof *group);
    assert_memory_equal(group, made->group, 2 * tree->groups * sizeof *group);
    free(group);
    free(list);
    free(times);
}

static void groups_of_active_bodies(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {1, 2, 33, 1025, 6000};
    need_a_device();
    for (int e = 0; e < engine_count; e++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes && !is_cpu_engine(e); k++) {
            struct ky_error error = {0};
            struct ky_parameters p = parameters_of(16, KY_HILBERT, KY_RELATIVE, KY_BOX, 2);
            const uint32_t n = sizes[k];
            struct ky_bodies bodies = tree_bodies(PLUMMER, n);
            struct made *made = make_tree(engines[e].engine, &p, &bodies);
            assert_ok(ky_device_tree_build(&made->tree, made->bodies, &made->p, &error));
            check_active_groups(made, 0, n, 1);
            check_active_groups(made, 0, n, 5);
            check_active_groups(made, 0, n, 97);
            check_active_groups(made, n / 3, n / 3 + 1, 1);
            check_active_groups(made, n / 3, n, 2);
            ky_device_tree_done(&made->tree, made->bodies);
            ky_buffer_release(made->bodies->card, &made->bodies->active_list);
            free_tree(made);
            ky_bodies_free(&bodies);
        }
}

/* The relative opening test divides by the mass of all bodies. The sum reads each of 1 + 2 + … + n
 * units of mass once: one that loses lanes or groups of lanes differs by more than rounding. */
static void the_mass_of_all_bodies(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 129, 256, 1025, 70001};
    need_a_device();
    for (int e = 0; e < engine_count; e++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes && !is_cpu_engine(e); k++) {
            struct ky_error error = {0};
            struct ky_parameters p = parameters_of(16, KY_HILBERT, KY_RELATIVE, KY_BOX, 1);
            const struct ky_evaluation all = {.together = sizes[k]};
            struct ky_bodies bodies = tree_bodies(PLUMMER, sizes[k]);
            double mass = 0;
            for (size_t i = 0; i < bodies.n; i++)
                mass += bodies.mass[i] = (double)(i + 1) / (double)bodies.n;
            struct made *made = make_tree(engines[e].engine, &p, &bodies);
            assert_ok(ky_device_tree_build(&made->tree, made->bodies, &made->p, &error));
            assert_ok(ky_device_tree_factors(&made->tree, made->bodies, &all, &made->p, &error));
            uint64_t *sum = read_back(made, &made->tree.mass, sizeof *sum);
            mass *= (double)KY_OPENING_MASS_PART / made->state.units.mass;
            assert_true(fabs((double)*sum - mass) <= 1e-6 * mass + (double)bodies.n);
            free(sum);
            ky_device_tree_done(&made->tree, made->bodies);
            free_tree(made);
            ky_bodies_free(&bodies);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_are_those_of_the_host),
        cmocka_unit_test(trees_of_any_size),
        cmocka_unit_test(more_cells_and_groups_than_expected),
        cmocka_unit_test(one_leaf_of_100000_bodies),
        cmocka_unit_test(groups_of_active_bodies),
        cmocka_unit_test(the_mass_of_all_bodies),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}

#else

MAIN_THAT_SKIPS(the_tree_of_a_device, "no driver of devices is in this build")

#endif
