/* From sprouts (work.h) to cells: the bodies copied along the curve, and every cell from them, leaf
 * to root in double, by the formulas of physics/cell.h. The tree is cut into branches of at most
 * BRANCH bodies, which are done in parallel, each by recursion. The cells above them come last.
 * Every cell's sums run over its children in their order, so that they do not depend on threads. */
#include "octree/work.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/split.h"
#include "base/status.h"
#include "octree/opening_kinds.h"
#include "octree/sample.h"
#include "physics/cell.h"
#include "physics/gravity.h"

enum { BRANCH = 4096, PARALLEL_FROM = 8192 };

/* The error that a difference of doubles from the origin may have. */
#define DIGIT 0x1p-51
/* The same for centres of cells as two floats. */
#define CENTRE_DIGIT 0x1p-47

struct work {
    struct ky_octree *tree;
    const struct ky_octree_bodies *bodies; /* in a build */
    const double (*position)[3];   /* in a tree that is kept: the present positions of its bodies */
    struct ky_octree_sums *branch; /* of the cut cells, or NULL during their computation */
    size_t next_branch;
    struct ky_opening_test test;
    int edge;
};

/* ---- one cell ---------------------------------------------------------------------------------
 */

/* The cell's cube. Cells below the last level have none. A cell whose bodies have left its cube
 * keeps its edge in a tree that is kept, and loses it in a new tree. */
static struct ky_cell_cube cube_of(const struct work *work, uint32_t cell,
                                   const struct ky_cell_axis axis[3])
{
    struct ky_octree *tree = work->tree;
    const struct ky_frame *frame = &tree->scratch->frame;
    const unsigned level = tree->depth[cell];
    if (!work->edge || level > KY_KEY_LEVELS || frame->scale == 0)
        return ky_cell_no_cube();
    const uint32_t body = tree->link[cell].body;
    const uint32_t place[3] = {ky_frame_position(tree->x[body], frame->low[0], frame->scale),
                               ky_frame_position(tree->y[body], frame->low[1], frame->scale),
                               ky_frame_position(tree->z[body], frame->low[2], frame->scale)};
    struct ky_cell_cube cube = ky_cell_cube(*frame, place, KY_KEY_LEVELS - level, axis);
    if (cube.holds || work->position)
        return cube;
    tree->depth[cell] = KY_OFF_FRAME;
    return ky_cell_no_cube();
}

static void sum_bodies(const struct ky_octree *tree, uint32_t begin, uint32_t bodies,
                       struct ky_octree_sums *sums)
{
    const double *x = tree->x + begin, *y = tree->y + begin, *z = tree->z + begin,
                 *m = tree->mass + begin;
    struct ky_cell_axis ax = ky_cell_axis(x[0], x[0]), ay = ky_cell_axis(y[0], y[0]),
                        az = ky_cell_axis(z[0], z[0]);
    struct ky_cell_eps2 eps2 = ky_cell_eps2();
    struct ky_cell_second second = ky_cell_second();
    double mass = 0;
    for (uint32_t i = 0; i < bodies; i++) {
        mass += m[i];
        ax = ky_cell_axis_add(ax, m[i], x[i], x[0], x[i], x[i]);
        ay = ky_cell_axis_add(ay, m[i], y[i], y[0], y[i], y[i]);
        az = ky_cell_axis_add(az, m[i], z[i], z[0], z[i], z[i]);
    }
    ax = ky_cell_axis_end(ax, mass, x[0]);
    ay = ky_cell_axis_end(ay, mass, y[0]);
    az = ky_cell_axis_end(az, mass, z[0]);
    if (mass > 0) {
        for (uint32_t i = 0; i < bodies; i++)
            second = ky_cell_second_add(second, m[i], x[i] - ax.x, y[i] - ay.x, z[i] - az.x);
        for (uint32_t i = 0; tree->softening2 && i < bodies; i++)
            eps2 = ky_cell_eps2_add(eps2, ky_cell_eps2_of(m[i], tree->softening2[begin + i]));
    }
    *sums = (struct ky_octree_sums){{mass, eps2, {ax, ay, az}}, second};
}

static struct ky_cell_axis sum_axis(const struct ky_octree_sums *child, uint32_t children,
                                    double mass, int c)
{
    const struct ky_cell_axis *first = &child[0].plain.axis[c];
    struct ky_cell_axis axis = ky_cell_axis(first->low, first->high);
    for (uint32_t k = 0; k < children; k++) {
        const struct ky_cell_axis *its = &child[k].plain.axis[c];
        axis = ky_cell_axis_add(axis, child[k].plain.mass, its->x, first->x, its->low, its->high);
    }
    return ky_cell_axis_end(axis, mass, first->x);
}

static void sum_children(const struct ky_octree_sums *child, uint32_t children,
                         struct ky_octree_sums *sums)
{
    struct ky_cell_eps2 eps2 = ky_cell_eps2();
    struct ky_cell_second second = ky_cell_second();
    double mass = 0;
    for (uint32_t k = 0; k < children; k++) {
        mass += child[k].plain.mass;
        eps2 = ky_cell_eps2_add(eps2, child[k].plain.eps2);
    }
    const struct ky_cell_axis ax = sum_axis(child, children, mass, 0),
                              ay = sum_axis(child, children, mass, 1),
                              az = sum_axis(child, children, mass, 2);
    for (uint32_t k = 0; k < children && mass > 0; k++) {
        const struct ky_cell_axis *its = child[k].plain.axis;
        const struct ky_cell_second *more = &child[k].second;
        second = (struct ky_cell_second){second.xx + more->xx, second.yy + more->yy,
                                         second.zz + more->zz, second.xy + more->xy,
                                         second.xz + more->xz, second.yz + more->yz};
        second = ky_cell_second_add(second, child[k].plain.mass, its[0].x - ax.x, its[1].x - ay.x,
                                    its[2].x - az.x);
    }
    *sums = (struct ky_octree_sums){{mass, eps2, {ax, ay, az}}, second};
}

static void store_moments(struct ky_octree *tree, uint32_t cell, const struct ky_octree_sums *sums)
{
    float *moment = tree->moment + cell * tree->moments;
    const struct ky_cell_second *second = &sums->second;
    const double scale = KY_SCALE_SECOND(1);
    moment[KY_MOMENT_MASS] = (float)sums->plain.mass;
    if (tree->moments <= KY_MOMENT_SECOND)
        return;
    moment += KY_MOMENT_SECOND;
    moment[0] = (float)(scale * second->xx);
    moment[1] = (float)(scale * second->yy);
    moment[2] = (float)(scale * second->zz);
    moment[3] = (float)(scale * second->xy);
    moment[4] = (float)(scale * second->xz);
    moment[5] = (float)(scale * second->yz);
    moment[6] = 0;
}

static void store(const struct work *work, uint32_t cell, const struct ky_octree_sums *sums)
{
    struct ky_octree *tree = work->tree;
    struct ky_cell_box *box = &tree->box[cell];
    const struct ky_cell_axis *axis = sums->plain.axis;
    const double digit = tree->scratch->digit, mass = sums->plain.mass;
    double high[3], low[3], far = 0;
    *box = (struct ky_cell_box){{0}, {0}};
    for (int c = 0; c < 3; c++) {
        double place = axis[c].x - tree->origin[c];
        high[c] = ky_high_part(place);
        low[c] = ky_high_part(place - high[c]);
        place = high[c] + low[c];
        far += fabs(place);
        double below = place - (axis[c].low - tree->origin[c]),
               above = (axis[c].high - tree->origin[c]) - place;
        double wider = digit * (fabs(place) + (below > above ? below : above));
        box->below[c] = ky_round_up(below + wider);
        box->above[c] = ky_round_up(above + wider);
    }
    box->above[3] = (float)sums->plain.eps2.most;
    const double open2 =
        ky_cell_open2(mass, axis, cube_of(work, cell, axis), work->test, far * CENTRE_DIGIT);
    tree->centre[cell] =
        (struct ky_cell_centre){{(float)high[0], (float)high[1], (float)high[2]}, (float)open2};
    tree->low[cell] = (struct ky_low){{(float)low[0], (float)low[1], (float)low[2]},
                                      mass > 0 ? (float)(sums->plain.eps2.sum / mass) : 0.0f};
    store_moments(tree, cell, sums);
    ky_octree_higher(tree, cell, work->test.order);
}

/* Prefetches the cells to which `store` will write. */
static void prefetch(const struct ky_octree *tree, uint32_t first, uint32_t cells)
{
    for (uint32_t c = 0; c < cells; c += 2) {
        __builtin_prefetch(&tree->box[first + c], 1);
        __builtin_prefetch(tree->moment + (first + c) * tree->moments, 1);
        __builtin_prefetch(&tree->centre[first + c], 1);
        __builtin_prefetch(&tree->low[first + c], 1);
    }
}

/* A cell and all below it. */
static void sum_cell(struct work *work, uint32_t cell, struct ky_octree_sums *sums)
{
    const struct ky_octree *tree = work->tree;
    const struct ky_cell_link *link = &tree->link[cell];
    const uint32_t children = tree->children[cell];
    if (work->branch && (link->bodies <= BRANCH || children == 0)) {
        *sums = work->branch[work->next_branch++];
        return;
    }
    if (children == 0) {
        sum_bodies(tree, link->body, link->bodies, sums);
    } else {
        struct ky_octree_sums child[8];
        prefetch(tree, link->more, children);
        uint32_t c = 0;
        do
            sum_cell(work, link->more + c, &child[c]);
        while (++c < children);
        sum_children(child, children, sums);
    }
    store(work, cell, sums);
}

/* ---- the whole tree ---------------------------------------------------------------------------
 */

/* The sprouts occupy the memory to which the bodies will be copied. */
static void start_cells(struct ky_octree *tree)
{
    const struct ky_octree_scratch *scratch = tree->scratch;
    const struct ky_sprout *sprout = scratch->sprout;
    int threads = scratch->threads;
    (void)threads;
#pragma omp parallel for num_threads(threads) if (threads > 1 && tree->nodes >= PARALLEL_FROM)
    for (size_t c = 0; c < tree->nodes; c++) {
        const struct ky_sprout *from = &sprout[c];
        tree->link[c] = (struct ky_cell_link){KY_NO_LINK, from->children ? from->first : KY_NO_LINK,
                                              from->body, from->bodies};
        tree->children[c] = from->children;
        tree->depth[c] = from->level;
    }
}

static void copy_bodies(const struct work *work, size_t begin, size_t end)
{
    const struct ky_octree_bodies *from = work->bodies;
    struct ky_octree *tree = work->tree;
    for (size_t k = begin; k < end; k++) {
        uint32_t i = tree->order[k];
        tree->x[k] = from->x[i];
        tree->y[k] = from->y[i];
        tree->z[k] = from->z[i];
        tree->mass[k] = from->mass[i];
    }
    if (tree->softening2)
        for (size_t k = begin; k < end; k++) {
            double softening = from->softening[tree->order[k]];
            tree->softening2[k] = softening * softening;
        }
}

/* Moves the bodies to their new positions; their other arrays were copied at the build. */
static void move_bodies(const struct work *work, size_t begin, size_t end)
{
    struct ky_octree *tree = work->tree;
    for (size_t k = begin; k < end; k++) {
        const double *from = work->position[tree->order[k]];
        tree->x[k] = from[0];
        tree->y[k] = from[1];
        tree->z[k] = from[2];
    }
}

void ky_octree_pad(struct ky_octree *tree)
{
    size_t n = tree->n;
    for (size_t k = n; k < n + KY_OCTREE_PADDING; k++) {
        tree->x[k] = tree->x[n - 1];
        tree->y[k] = tree->y[n - 1];
        tree->z[k] = tree->z[n - 1];
        tree->mass[k] = 0;
        if (tree->softening2)
            tree->softening2[k] = tree->softening2[n - 1];
    }
}

/* Allocates moments of another size than before. */
static void need_moments(struct ky_octree *tree, size_t moments)
{
    if (tree->moments != moments) {
        free(tree->moment);
        tree->moment = NULL;
    }
    tree->moments = moments;
}

enum ky_status ky_octree_reserve_cells(struct ky_octree *tree, int multipole,
                                       struct ky_error *error)
{
    struct ky_octree_scratch *scratch = tree->scratch;
    const size_t moments = KY_MOMENTS(multipole);
#define KY_CELL_RESERVE(p, type, name, count, what) {&tree->name, sizeof(type) * (count), what},
    need_moments(tree, moments);
    const struct {
        void *array;
        size_t size;
        const char *what;
    } columns[] = {KY_CELL_COLUMNS(KY_CELL_RESERVE, )};
    enum ky_status status = ky_octree_reserve(&tree->depth, &scratch->depths, tree->nodes,
                                              sizeof *tree->depth, "levels of cells", error);
    for (int k = 0; k < KY_COLUMNS_OF_CELLS && !status; k++)
        status = ky_octree_reserve(columns[k].array, &scratch->nodes[k], tree->nodes,
                                   columns[k].size, columns[k].what, error);
    return status;
}

void ky_octree_set_origin(struct ky_octree *tree, const struct ky_octree_bodies *bodies)
{
    const double *const x[3] = {bodies->x, bodies->y, bodies->z};
    for (int axis = 0; axis < 3; axis++)
        tree->origin[axis] = bodies->has_origin
                                 ? bodies->origin[axis]
                                 : ky_high_part(ky_sampled_median_of(x[axis], bodies->member,
                                                                     bodies->n, KY_ORIGIN_SAMPLE));
    tree->scratch->digit = bodies->digit + DIGIT;
}

unsigned int ky_octree_opening(const struct ky_parameters *parameters)
{
    const struct ky_opening_kind *kind = ky_opening_kind(parameters->opening);
    return kind->bits | (parameters->theta <= kind->holds ? 0U : KY_OPENING_TOUCH) |
           (ky_softening_how(parameters->softening_kind) & KY_SPLINED ? KY_OPENING_REACH : 0U);
}

static struct ky_opening_test test_of(const struct ky_parameters *parameters)
{
    return (struct ky_opening_test){ky_octree_opening(parameters), parameters->multipole,
                                    1 / parameters->theta};
}

void ky_octree_join(struct ky_octree *tree, uint32_t cell, const struct ky_octree_sums *child,
                    const struct ky_parameters *parameters, struct ky_octree_sums *sums)
{
    const struct work work = {.tree = tree, .test = test_of(parameters)};
    sum_children(child, tree->children[cell], sums);
    store(&work, cell, sums);
}

/* All cells of a tree with links. */
static enum ky_status sum_tree(struct work *work, const struct ky_parameters *parameters,
                               struct ky_error *error)
{
    struct ky_octree *tree = work->tree;
    size_t cuts = 0;
    tree->opening = ky_octree_opening(parameters);
    work->test = test_of(parameters);
    work->edge = parameters->cell == KY_EDGE;
    enum ky_status status = ky_octree_cut(tree, BRANCH, &cuts, error);
    if (status)
        return status;
    struct ky_octree_sums *branch;
    KY_TRY(ky_array(&branch, cuts, sizeof *branch, "moments of branches", error));
    int threads = tree->scratch->threads;
    (void)threads;
#pragma omp parallel for schedule(dynamic)                                                         \
    num_threads(threads) if (threads > 1 && tree->n >= PARALLEL_FROM)
    for (size_t i = 0; i < cuts; i++) {
        uint32_t cell = tree->scratch->cut[i];
        size_t begin = tree->link[cell].body;
        (work->position ? move_bodies : copy_bodies)(work, begin, begin + tree->link[cell].bodies);
        sum_cell(work, cell, &branch[i]);
    }
    work->branch = branch;
    for (size_t r = 0; r < tree->roots; r++) {
        struct ky_octree_sums root;
        sum_cell(work, (uint32_t)r, &root);
        if (r < tree->scratch->parted)
            tree->scratch->root[r].sums = root;
    }
    free(branch);
    ky_octree_pad(tree);
    return KY_OK;
}

enum ky_status ky_octree_moments(struct ky_octree *tree, const struct ky_octree_bodies *bodies,
                                 const struct ky_parameters *parameters, struct ky_error *error)
{
    struct work work = {.tree = tree, .bodies = bodies};
    tree->nodes = tree->scratch->sprouts;
    KY_TRY(ky_octree_reserve_cells(tree, parameters->multipole, error));
    start_cells(tree);
    return sum_tree(&work, parameters, error);
}

enum ky_status ky_octree_move(struct ky_octree *tree, const double (*position)[3],
                              const struct ky_parameters *parameters, struct ky_error *error)
{
    struct work work = {.tree = tree, .position = position};
    return sum_tree(&work, parameters, error);
}
