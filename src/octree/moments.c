/* From sprouts to cells: the bodies copied along the curve, mass, centre of mass, raw second
 * moments, tight box, softening and opening radius of every cell, leaf to root in double. The tree
 * is cut into branches of at most BRANCH bodies, which are done in parallel, each by recursion;
 * what is above them comes last. Every cell's sums run over its children in their order, whoever
 * does it. */
#include "octree/work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/split.h"
#include "octree/sample.h"
#include "physics/gravity.h"
#include "physics/opening.h"

enum { BRANCH = 4096, PARALLEL_FROM = 8192 };

/* What a difference of doubles from the origin may be wrong by. */
#define DIGIT 0x1p-51
/* And centres of cells as two floats. */
#define CENTRE_DIGIT 0x1p-47

/* A cell's moments while its parent still needs them. */
struct sums {
    double mass, com[3];
    double second[6]; /* about com: xx yy zz xy xz yz */
    double low[3], high[3];
    double softening2; /* mass-weighted sum */
    double most2;      /* the largest ε² of a body with mass */
};

struct work {
    struct ky_octree *tree;
    const struct ky_octree_bodies *bodies; /* of a build */
    const double (*position)[3];           /* of a tree that is kept: where its bodies are now */
    struct sums *branch;                   /* of the cut cells, or NULL while they are made */
    size_t next_branch;
    int opening, edge;
    double theta_inverse, side; /* side: the power of l in `relative` */
};

/* ---- the opening radius -----------------------------------------------------------------------
 */

/* The edge of the cell's cube in the frame. 0 if it has none: escapers are clamped to the frame's
 * edge, and cells below the last level have no cube. */
static double edge_of(const struct ky_octree *tree, uint32_t cell)
{
    const struct ky_frame *frame = &tree->scratch->frame;
    const unsigned level = tree->depth[cell];
    if (level > KY_KEY_LEVELS || frame->scale == 0)
        return 0;
    return ldexp(frame->edge / KY_KEY_PLACES, (int)(KY_KEY_LEVELS - level));
}

/* Writes the centre of the cell's cube. Returns 0 if the cell's tight box does not fit into it. */
static int fits_cube(const struct ky_octree *tree, const struct sums *sums, uint32_t cell,
                     double edge, double centre[3])
{
    const struct ky_frame *frame = &tree->scratch->frame;
    const double *position[3] = {tree->x, tree->y, tree->z};
    const uint32_t body = tree->link[cell].body;
    unsigned shift = KY_KEY_LEVELS - tree->depth[cell];
    double unit = frame->edge / KY_KEY_PLACES, margin = KY_OPENING_SLACK * edge;
    for (int axis = 0; axis < 3; axis++) {
        uint32_t place = ky_frame_place(position[axis][body], frame->low[axis], frame->scale);
        double low = frame->low[axis] + unit * (double)(place >> shift << shift);
        centre[axis] = low + 0.5 * edge;
        if (sums->low[axis] < low - margin || sums->high[axis] > low + edge + margin)
            return 0;
    }
    return 1;
}

/* Without a test of boxes the radius has to hold the cell's own bodies, also about a centre that
 * has been rounded by up to `rounding`. */
static float opening_radius2(const struct work *work, const struct sums *sums, uint32_t cell,
                             double rounding)
{
    double l = 0, centre[3], s2 = 0;
    for (int axis = 0; axis < 3; axis++)
        l = fmax(l, sums->high[axis] - sums->low[axis]);
    double cube = work->edge ? edge_of(work->tree, cell) : 0;
    const int fits = cube > 0 && fits_cube(work->tree, sums, cell, cube, centre);
    if (cube > 0 && !fits && !work->position)
        work->tree->depth[cell] = KY_OFF_FRAME, cube = 0;
    for (int axis = 0; axis < 3; axis++) {
        if (!fits)
            centre[axis] = 0.5 * sums->low[axis] + 0.5 * sums->high[axis];
        double s = sums->com[axis] - centre[axis];
        s2 += s * s;
    }
    l = fmax(l, cube);
    if (work->opening == KY_RELATIVE)
        return (float)KY_OPENING_RELATIVE_OPEN2(pow, sums->mass, l, work->side);
    double radius = (l > 0 ? l * work->theta_inverse : 0) + rounding;
    if (work->opening == KY_OFFSET)
        radius += sqrt(s2);
    return (float)(radius * radius);
}

/* ---- one cell ---------------------------------------------------------------------------------
 */

static void add_second(double second[6], double m, double dx, double dy, double dz)
{
    second[0] += m * dx * dx;
    second[1] += m * dy * dy;
    second[2] += m * dz * dz;
    second[3] += m * dx * dy;
    second[4] += m * dx * dz;
    second[5] += m * dy * dz;
}

static void add_softening(struct sums *sums, double mass, double softening2)
{
    sums->softening2 += mass * softening2;
    if (mass > 0 && softening2 > sums->most2)
        sums->most2 = softening2;
}

static void sum_bodies(const struct ky_octree *tree, uint32_t begin, uint32_t bodies,
                       struct sums *sums)
{
    const double *x = tree->x + begin, *y = tree->y + begin, *z = tree->z + begin,
                 *m = tree->mass + begin;
    double lx = x[0], ly = y[0], lz = z[0], hx = lx, hy = ly, hz = lz;
    double mass = 0, mx = 0, my = 0, mz = 0;
    for (uint32_t i = 0; i < bodies; i++) {
        lx = x[i] < lx ? x[i] : lx, hx = x[i] > hx ? x[i] : hx;
        ly = y[i] < ly ? y[i] : ly, hy = y[i] > hy ? y[i] : hy;
        lz = z[i] < lz ? z[i] : lz, hz = z[i] > hz ? z[i] : hz;
        mass += m[i]; /* about the first body: no digits lost far from the origin */
        mx += m[i] * (x[i] - x[0]), my += m[i] * (y[i] - y[0]), mz += m[i] * (z[i] - z[0]);
    }
    *sums = (struct sums){.mass = mass, .low = {lx, ly, lz}, .high = {hx, hy, hz}};
    if (!(mass > 0)) {
        sums->com[0] = 0.5 * lx + 0.5 * hx;
        sums->com[1] = 0.5 * ly + 0.5 * hy;
        sums->com[2] = 0.5 * lz + 0.5 * hz;
        return;
    }
    sums->com[0] = x[0] + mx / mass;
    sums->com[1] = y[0] + my / mass;
    sums->com[2] = z[0] + mz / mass;
    for (uint32_t i = 0; i < bodies; i++)
        add_second(sums->second, m[i], x[i] - sums->com[0], y[i] - sums->com[1],
                   z[i] - sums->com[2]);
    if (tree->softening2)
        for (uint32_t i = 0; i < bodies; i++)
            add_softening(sums, m[i], tree->softening2[begin + i]);
}

static void sum_children(const struct sums *child, uint32_t children, struct sums *sums)
{
    *sums = (struct sums){.mass = 0};
    for (int axis = 0; axis < 3; axis++) {
        double low = child[0].low[axis], high = child[0].high[axis];
        for (uint32_t c = 1; c < children; c++) {
            low = child[c].low[axis] < low ? child[c].low[axis] : low;
            high = child[c].high[axis] > high ? child[c].high[axis] : high;
        }
        sums->low[axis] = low, sums->high[axis] = high;
        sums->com[axis] = 0.5 * low + 0.5 * high;
    }
    double moment[3] = {0};
    const double *origin = child[0].com;
    for (uint32_t c = 0; c < children; c++) {
        sums->mass += child[c].mass;
        sums->softening2 += child[c].softening2;
        sums->most2 = child[c].most2 > sums->most2 ? child[c].most2 : sums->most2;
        for (int axis = 0; axis < 3; axis++)
            moment[axis] += child[c].mass * (child[c].com[axis] - origin[axis]);
    }
    if (!(sums->mass > 0))
        return;
    for (int axis = 0; axis < 3; axis++)
        sums->com[axis] = origin[axis] + moment[axis] / sums->mass;
    for (uint32_t c = 0; c < children; c++) {
        for (int k = 0; k < 6; k++)
            sums->second[k] += child[c].second[k];
        add_second(sums->second, child[c].mass, child[c].com[0] - sums->com[0],
                   child[c].com[1] - sums->com[1], child[c].com[2] - sums->com[2]);
    }
}

/* A float that is not less; 2^-149 is for values that float holds with fewer digits. */
static float round_up(double value)
{
    double raised = value * (1 + 0x1p-23) + 0x1p-149;
    return value > 0 ? (float)raised : 0.0f;
}

static void store_moments(struct ky_octree *tree, uint32_t cell, const struct sums *sums)
{
    float *moment = tree->moment + cell * tree->moments;
    moment[KY_MOMENT_MASS] = (float)sums->mass;
    if (tree->moments < KY_MOMENTS(2))
        return;
    for (int k = 0; k < 6; k++)
        moment[KY_MOMENT_SECOND + k] = (float)(KY_SCALE_SECOND(1) * sums->second[k]);
    moment[KY_MOMENTS(2) - 1] = 0;
}

static void store(const struct work *work, uint32_t cell, const struct sums *sums)
{
    struct ky_octree *tree = work->tree;
    struct ky_cell_box *box = &tree->box[cell];
    const double digit = tree->scratch->digit;
    double high[3], low[3], far = 0;
    *box = (struct ky_cell_box){{0}, {0}};
    for (int axis = 0; axis < 3; axis++) {
        double place = sums->com[axis] - tree->origin[axis];
        high[axis] = ky_high_part(place);
        low[axis] = ky_high_part(place - high[axis]);
        place = high[axis] + low[axis];
        far += fabs(place);
        double below = place - (sums->low[axis] - tree->origin[axis]),
               above = (sums->high[axis] - tree->origin[axis]) - place;
        double wider = digit * (fabs(place) + (below > above ? below : above));
        box->below[axis] = round_up(below + wider);
        box->above[axis] = round_up(above + wider);
    }
    box->above[3] = (float)sums->most2;
    tree->centre[cell] =
        (struct ky_cell_centre){{(float)high[0], (float)high[1], (float)high[2]},
                                opening_radius2(work, sums, cell, far * CENTRE_DIGIT)};
    tree->low[cell] =
        (struct ky_low){{(float)low[0], (float)low[1], (float)low[2]},
                        sums->mass > 0 ? (float)(sums->softening2 / sums->mass) : 0.0f};
    store_moments(tree, cell, sums);
}

/* What store will write to some cells that follow each other. */
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
static void sum_cell(struct work *work, uint32_t cell, struct sums *sums)
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
        struct sums child[8];
        prefetch(tree, link->more, children);
        for (uint32_t c = 0; c < children; c++)
            sum_cell(work, link->more + c, &child[c]);
        sum_children(child, children, sums);
    }
    store(work, cell, sums);
}

/* ---- the whole tree ---------------------------------------------------------------------------
 */

/* Sprouts stand where the bodies will be copied to. */
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
    }
    for (size_t k = begin; k < end; k++)
        tree->mass[k] = from->mass[tree->order[k]];
    if (tree->softening2)
        for (size_t k = begin; k < end; k++) {
            double softening = from->softening[tree->order[k]];
            tree->softening2[k] = softening * softening;
        }
}

/* Positions alone, of bodies that were copied at the build. */
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

static void pad_bodies(struct ky_octree *tree)
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

/* Cells with other moments than before need memory of their own. */
static void need_moments(struct ky_octree *tree, size_t moments)
{
    if (tree->moments != moments) {
        free(tree->moment);
        tree->moment = NULL;
    }
    tree->moments = moments;
}

static enum ky_status reserve_cells(struct ky_octree *tree, struct ky_error *error)
{
    const struct {
        void *array;
        size_t size;
        const char *what;
    } arrays[KY_CELL_ARRAYS] = {
        {&tree->centre, sizeof *tree->centre, "centres of cells"},
        {&tree->low, sizeof *tree->low, "low parts of centres"},
        {&tree->link, sizeof *tree->link, "links of cells"},
        {&tree->box, sizeof *tree->box, "boxes of cells"},
        {&tree->moment, tree->moments * sizeof *tree->moment, "moments of cells"},
        {&tree->children, sizeof *tree->children, "children of cells"},
        {&tree->depth, sizeof *tree->depth, "levels of cells"},
    };
    enum ky_status status = KY_OK;
    for (int k = 0; k < KY_CELL_ARRAYS && status == KY_OK; k++)
        status = ky_octree_reserve(arrays[k].array, &tree->scratch->nodes[k], tree->nodes,
                                   arrays[k].size, arrays[k].what, error);
    return status;
}

static void place_origin(struct ky_octree *tree, const struct ky_octree_bodies *bodies)
{
    const double *const x[3] = {bodies->x, bodies->y, bodies->z};
    for (int axis = 0; axis < 3; axis++)
        tree->origin[axis] =
            bodies->has_origin
                ? bodies->origin[axis]
                : ky_high_part(ky_sampled_median(x[axis], 1, bodies->n, KY_ORIGIN_SAMPLE));
}

unsigned int ky_octree_opening(const struct ky_parameters *parameters)
{
    /* The farthest corner of a box is at most √3 l from com, and √3/2 l + s; a little below that,
     * for rounding, the opening radius holds the box. */
    double safe = parameters->opening == KY_OFFSET      ? 1.15
                  : parameters->opening == KY_GEOMETRIC ? 0.57
                                                        : 0;
    return (parameters->theta <= safe ? 0U : KY_OPENING_TOUCH) |
           (parameters->opening == KY_MINIMUM ? KY_OPENING_TO_BOX : 0U) |
           (parameters->opening == KY_RELATIVE ? KY_OPENING_CUBE : 0U) |
           (ky_softening_how(parameters->softening_kind) & KY_SPLINED ? KY_OPENING_REACH : 0U);
}

static void describe_opening(struct work *work, const struct ky_parameters *parameters)
{
    work->opening = parameters->opening;
    work->edge = parameters->cell == KY_EDGE;
    work->theta_inverse = 1 / parameters->theta;
    work->side = parameters->multipole > 1 ? 3 : 2;
    work->tree->opening = ky_octree_opening(parameters);
}

/* All cells of a tree with links. */
static enum ky_status sum_tree(struct work *work, const struct ky_parameters *parameters,
                               struct ky_error *error)
{
    struct ky_octree *tree = work->tree;
    size_t cuts = 0;
    describe_opening(work, parameters);
    enum ky_status status = ky_octree_cut(tree, BRANCH, &cuts, error);
    if (status)
        return status;
    struct sums *branch = ky_allocate(cuts, sizeof *branch);
    if (!branch)
        return ky_no_memory(error, "moments of branches", cuts, sizeof *branch);
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
    struct sums root;
    sum_cell(work, 0, &root);
    free(branch);
    pad_bodies(tree);
    return KY_OK;
}

enum ky_status ky_octree_moments(struct ky_octree *tree, const struct ky_octree_bodies *bodies,
                                 const struct ky_parameters *parameters, struct ky_error *error)
{
    struct work work = {.tree = tree, .bodies = bodies};
    tree->nodes = tree->scratch->sprouts;
    need_moments(tree, KY_MOMENTS(parameters->multipole));
    enum ky_status status = reserve_cells(tree, error);
    if (status)
        return status;
    start_cells(tree);
    place_origin(tree, bodies);
    tree->scratch->digit = bodies->digit + DIGIT;
    return sum_tree(&work, parameters, error);
}

enum ky_status ky_octree_move(struct ky_octree *tree, const double (*position)[3],
                              const struct ky_parameters *parameters, struct ky_error *error)
{
    struct work work = {.tree = tree, .position = position};
    return sum_tree(&work, parameters, error);
}
