/* The density centre and the core of Casertano & Hut (1985).
 *
 * The density at a body is the mass of its five nearest neighbours over the volume of the sphere
 * through the sixth (their j = 6, with masses instead of numbers). Neighbours are found by an
 * in-place k-d tree, in which the middle body of a range splits it along the longest side of its
 * box, or by the ranks (physics/actions/crowd.h). Of bodies at equal distances the first is the
 * nearer, and sums are in the order of the bodies, so both methods give the same bits. */
#include <math.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "base/block_sums.h"
#include "base/bodies.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/status.h"
#include "base/threads.h"
#include "engine/engine.h"

enum { NEIGHBOURS = KY_CROWD, LEAF = 8, PARTS = 64, MANY = 1 << 15 };

struct point {
    double x[3], mass;
    size_t body;
};

struct tree {
    size_t n;
    struct point *point;
    unsigned char *axis;  /* the axis along which point[middle] splits its range */
    struct ky_halt *halt; /* when it is set, the rest is skipped */
};

/* Partial sort: afterwards x[axis] is at most x[axis] of point[middle] for points before `middle`,
 * and at least that for points after it. */
static void split(struct point *point, size_t low, size_t high, size_t middle, int axis)
{
    while (high - low > 1) {
        double pivot = point[low + (high - low) / 2].x[axis];
        size_t i = low, end = high; /* [low, i) <= pivot <= [end, high) */
        for (;;) {
            while (point[i].x[axis] < pivot)
                i++;
            while (point[end - 1].x[axis] > pivot)
                end--;
            if (i + 1 >= end)
                break;
            struct point swap = point[i];
            point[i++] = point[end - 1];
            point[--end] = swap;
        }
        /* i + 1 == end: point[i] is a pivot, at its final index; i == end: two parts. */
        if (i + 1 == end && middle == i)
            return;
        if (middle < i)
            high = i;
        else
            low = end;
    }
}

/* The axis, 0 to 2, of the largest extent of the points. */
static int longest_side(const struct point *point, size_t low, size_t high)
{
    double side[3];
    for (int k = 0; k < 3; k++) {
        double least = point[low].x[k], most = least;
        for (size_t i = low + 1; i < high; i++) {
            least = point[i].x[k] < least ? point[i].x[k] : least;
            most = point[i].x[k] > most ? point[i].x[k] : most;
        }
        side[k] = most - least;
    }
    return side[0] >= side[1] && side[0] >= side[2] ? 0 : side[1] >= side[2] ? 1 : 2;
}

struct range {
    size_t low, high;
};

/* Moves the middle point of a range to its index, smaller points before it and larger ones after
 * it. */
static void divide(struct tree *tree, const struct range *range, struct range *below,
                   struct range *above)
{
    const size_t low = range->low, high = range->high, middle = low + (high - low) / 2;
    int axis = longest_side(tree->point, low, high);
    split(tree->point, low, high, middle, axis);
    tree->axis[middle] = (unsigned char)axis;
    *below = (struct range){low, middle};
    *above = (struct range){middle + 1, high};
}

/* Sorts the points of a range into a k-d tree. */
static void build(struct tree *tree, struct range range)
{
    while (range.high - range.low > LEAF) {
        struct range below;
        divide(tree, &range, &below, &range);
        build(tree, below);
    }
}

/* The same for all points, by several threads: they split the range, its halves and so on, and then
 * build the remaining parts. */
static void build_all(struct tree *tree)
{
    struct range part[PARTS] = {{0, tree->n}};
    if (tree->n < MANY) {
        build(tree, part[0]);
        return;
    }
    for (size_t width = PARTS; width > 1; width /= 2) {
#pragma omp parallel for schedule(dynamic)
        for (size_t k = 0; k < PARTS; k += width)
            if (!ky_halted(tree->halt))
                divide(tree, &part[k], &part[k], &part[k + width / 2]);
    }
#pragma omp parallel for schedule(dynamic)
    for (size_t k = 0; k < PARTS; k++)
        if (!ky_halted(tree->halt))
            build(tree, part[k]);
}

/* The nearest points so far, in ascending order. */
struct nearest {
    size_t self;
    const double *x;
    double r2[NEIGHBOURS], mass[NEIGHBOURS];
    size_t body[NEIGHBOURS];
};

/* 1 if the body is nearer than entry k of the nearest. */
static int is_nearer(const struct nearest *nearest, double r2, size_t body, int k)
{
    return r2 < nearest->r2[k] || (r2 == nearest->r2[k] && body < nearest->body[k]);
}

/* Inserts the point if it is nearer than the last entry. */
static void offer(struct nearest *nearest, const struct point *point)
{
    double r2 = 0;
    for (int k = 0; k < 3; k++)
        r2 += (point->x[k] - nearest->x[k]) * (point->x[k] - nearest->x[k]);
    int k = NEIGHBOURS - 1;
    if (!is_nearer(nearest, r2, point->body, k))
        return;
    for (; k > 0 && is_nearer(nearest, r2, point->body, k - 1); k--) {
        nearest->r2[k] = nearest->r2[k - 1];
        nearest->mass[k] = nearest->mass[k - 1];
        nearest->body[k] = nearest->body[k - 1];
    }
    nearest->r2[k] = r2;
    nearest->mass[k] = point->mass;
    nearest->body[k] = point->body;
}

/* Searches the points low … high − 1, and skips parts that are farther than the last entry. */
static void search(const struct tree *tree, size_t low, size_t high, struct nearest *nearest)
{
    while (high - low > LEAF) {
        size_t middle = low + (high - low) / 2;
        const struct point *here = &tree->point[middle];
        int axis = tree->axis[middle];
        double side = nearest->x[axis] - here->x[axis];
        if (side < 0)
            search(tree, low, middle, nearest);
        else
            search(tree, middle + 1, high, nearest);
        if (side * side > nearest->r2[NEIGHBOURS - 1])
            return;
        if (middle != nearest->self)
            offer(nearest, here);
        if (side < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low; i < high; i++)
        if (i != nearest->self)
            offer(nearest, &tree->point[i]);
}

/* The density up to a constant factor, from the mass of five neighbours and the squared distance of
 * the sixth. Infinite if that distance is 0. */
static double density_of(double mass, double r2)
{
    return mass > 0 ? mass / (r2 * sqrt(r2)) : 0;
}

/* The density at point i. */
static double density(const struct tree *tree, size_t i)
{
    struct nearest nearest = {.self = i, .x = tree->point[i].x};
    double mass = 0;
    for (int k = 0; k < NEIGHBOURS; k++)
        nearest.r2[k] = (double)INFINITY;
    search(tree, 0, tree->n, &nearest);
    for (int k = 0; k < NEIGHBOURS - 1; k++)
        mass += nearest.mass[k];
    return density_of(mass, nearest.r2[NEIGHBOURS - 1]);
}

/* The densities of some bodies: of all, or of bodies with mass. */
struct weights {
    const struct ky_bodies *bodies;
    int all;
    double *of; /* [bodies->n]; 0 for excluded bodies */
};

/* The mean position weighted by density. If some densities are infinite, the mean of these bodies
 * only. `centre` is unchanged if no body has weight. */
static void weighted_centre(const struct weights *weights, double centre[3])
{
    int infinite = 0;
    double total = 0, sum[3] = {0};
    const double *weight = weights->of;
    for (size_t i = 0; i < weights->bodies->n; i++)
        infinite |= isinf(weight[i]) != 0;
    for (size_t i = 0; i < weights->bodies->n; i++) {
        double w = infinite ? isinf(weight[i]) != 0 : weight[i];
        total += w;
        for (int k = 0; k < 3; k++)
            sum[k] += w * weights->bodies->position[i][k];
    }
    for (int k = 0; k < 3 && total > 0; k++)
        centre[k] = sum[k] / total;
}

static void take(struct tree *tree, size_t place, const struct ky_bodies *bodies, size_t i)
{
    for (int k = 0; k < 3; k++)
        tree->point[place].x[k] = bodies->position[i][k];
    tree->point[place].mass = bodies->mass[i];
    tree->point[place].body = i;
}

/* Copies the bodies into the tree (only bodies with mass, unless it has room for all) and builds
 * it. */
static void fill(struct tree *tree, const struct ky_bodies *bodies)
{
    size_t place = 0;
    const int all = tree->n == bodies->n;
#pragma omp parallel for schedule(static) if (tree->n >= KY_SEVERAL_FROM)
    for (size_t i = 0; i < tree->n; i++)
        if (all)
            take(tree, i, bodies, i);
    for (size_t i = 0; i < bodies->n && !all; i++)
        if (bodies->mass[i] > 0)
            take(tree, place++, bodies, i);
    build_all(tree);
}

/* Computes radius and density of the core about core->centre, and counts the bodies within. */
static void measure(const struct weights *weights, struct ky_core *core)
{
    const struct ky_bodies *bodies = weights->bodies;
    const double *weight = weights->of;
    const double unit = 3 / (4 * 3.14159265358979323846); /* factor from weight to density */
    double sum = 0, squares = 0, moment = 0;
    for (int turn = 0; turn < 2; turn++)
        for (size_t i = 0; i < bodies->n; i++) {
            double r2 = 0;
            if (!weights->all && !(bodies->mass[i] > 0))
                continue;
            for (int k = 0; k < 3; k++)
                r2 += pow(bodies->position[i][k] - core->centre[k], 2);
            if (turn) {
                core->bodies += r2 <= core->radius * core->radius;
                continue;
            }
            sum += weight[i];
            squares += weight[i] * weight[i];
            moment += weight[i] * weight[i] * r2;
            core->radius = moment > 0 && isfinite(squares) ? sqrt(moment / squares) : 0;
        }
    core->density = sum > 0 ? squares / sum * unit : 0;
}

/* Computes the densities with a tree of the n included bodies. KY_STOPPED when `halt` (or NULL) is
 * set. */
static enum ky_status find_densities(struct weights *weights, size_t n, struct ky_halt *halt,
                                     struct ky_error *error)
{
    struct tree tree = {n, ky_allocate(n, sizeof *tree.point), ky_allocate(n, 1), halt};
    enum ky_status status = tree.point && tree.axis ? KY_OK
                                                    : ky_no_memory(error, "neighbour search", n,
                                                                   sizeof *tree.point + 1);
    if (!status) {
        fill(&tree, weights->bodies);
#pragma omp parallel for schedule(dynamic, 64) if (n > 64)
        for (size_t i = 0; i < n; i++)
            weights->of[tree.point[i].body] = ky_halted(halt) ? 0 : density(&tree, i);
        status = ky_halt_check(halt, error);
    }
    free(tree.point);
    free(tree.axis);
    return status;
}

/* Computes the densities on the ranks of the engine, whose bodies all have mass. */
static enum ky_status ask_ranks(struct ky_engine *engine, struct weights *weights,
                                struct ky_error *error)
{
    const size_t n = weights->bodies->n;
    double(*crowd)[2] = ky_allocate(n, sizeof *crowd);
    const struct ky_walk_request request = {
        .action = KY_ACTION_crowd, .n = n, .k = KY_CROWD, .results = (double *)crowd};
    enum ky_status status = crowd ? ky_engine_walk(engine, &request, error)
                                  : ky_no_memory(error, "densities of bodies", n, sizeof *crowd);
    for (size_t i = 0; i < n && !status; i++)
        weights->of[i] = density_of(crowd[i][0], crowd[i][1]);
    free(crowd);
    return status;
}

/* The method for the densities. */
struct way {
    struct ky_engine *engine; /* as in ky_measure_core */
    struct ky_halt *halt;
};

/* The density centre; if `core` is not NULL, also radius and density of the core. */
static enum ky_status find_centre(const struct ky_bodies *bodies, const struct way *way,
                                  double centre[3], struct ky_core *core, struct ky_error *error)
{
    const size_t massive = ky_count_positive(bodies->n, bodies->mass),
                 n = massive > 0 ? massive : bodies->n;
    if (!n)
        return ky_fail(error, KY_BAD_DATA, "there are no bodies, so there is no density centre");
    ky_mean(bodies->n, bodies->mass, bodies->position, centre);
    if (n <= NEIGHBOURS)
        return KY_OK;
    struct weights weights = {bodies, n == bodies->n,
                              ky_allocate_zeroed(bodies->n, sizeof *weights.of)};
    enum ky_status status = KY_OK;
    if (!weights.of)
        return ky_no_memory(error, "densities of bodies", bodies->n, sizeof *weights.of);
    status = way->engine && way->engine->finds_crowds
                 ? ask_ranks(way->engine, &weights, error)
                 : find_densities(&weights, n, way->halt, error);
    if (!status)
        weighted_centre(&weights, centre);
    if (!status && core)
        measure(&weights, core);
    free(weights.of);
    return status;
}

/* Without an engine: the tree of this process. */
static const struct way alone;

enum ky_status ky_places_check(const struct ky_bodies *bodies, struct ky_error *error)
{
    const struct ky_bodies places = {
        .n = bodies->n, .mass = bodies->mass, .position = bodies->position};
    KY_TRY(ky_bodies_need(&places, KY_NEED_PLACES, error));
    return ky_bodies_check_arrays(0, &places, error);
}

enum ky_status ky_density_centre_until(const struct ky_bodies *bodies, struct ky_halt *halt,
                                       double centre[3], struct ky_error *error)
{
    KY_TRY(ky_places_check(bodies, error));
    const struct way way = {.halt = halt};
    return find_centre(bodies, &way, centre, NULL, error);
}

enum ky_status ky_density_centre(const struct ky_bodies *bodies, double centre[3],
                                 struct ky_error *error)
{
    KY_NEED(bodies, error);
    KY_NEED(centre, error);
    return ky_density_centre_until(bodies, NULL, centre, error);
}

enum ky_status ky_measure_core(const struct ky_bodies *bodies, struct ky_engine *engine,
                               struct ky_core *core, struct ky_error *error)
{
    const struct way way = {.engine = engine};
    *core = (struct ky_core){.bodies = 0};
    return find_centre(bodies, &way, core->centre, core, error);
}

/* A random index in part k of the bodies. */
static size_t place_in_part(size_t k, double part)
{
    struct ky_random random = ky_random_at(0, 0, k);
    return (size_t)(((double)k + ky_random_uniform(&random)) * part);
}

/* A body of a sample. */
struct sampled {
    double mass, x[3];
};

/* Selects the bodies of this rank that belong to a sample of `most` of the `massive` bodies: one at
 * random from each of `most` equal parts, so that the order of bodies, such as pairs, does not bias
 * the sample. `before`: number of massive bodies on earlier ranks. Takes all bodies if there are at
 * most `most`. Returns the number of selected bodies, which keep their order. */
static size_t take_sample(const struct ky_portion *portion, const struct ky_bodies *bodies,
                          size_t massive, size_t before, size_t most, struct sampled *sample)
{
    const size_t n = ky_portion_count(portion), all = massive < most ? massive : most;
    const double part = (double)massive / (double)all;
    size_t taken = 0, seen = before, next = 0;
    for (size_t k = 0, i = 0; k < all; k++, next++) { /* next: its index among the massive bodies */
        const size_t place = massive > most ? place_in_part(k, part) : k;
        next = place > next ? place : next;
        if (next < before)
            continue;
        if (massive == portion->n) /* all bodies have mass: no search */
            i = next - before, seen = next;
        for (; i < n && (seen < next || !(bodies->mass[i] > 0)); i++)
            seen += bodies->mass[i] > 0;
        if (i >= n)
            break;
        sample[taken].mass = bodies->mass[i];
        for (int c = 0; c < 3; c++)
            sample[taken].x[c] = bodies->position[i][c];
        taken++;
    }
    return taken;
}

/* The density centre of the bodies of a sample. */
static enum ky_status centre_of(const struct sampled *sample, size_t n, double centre[3],
                                struct ky_error *error)
{
    struct ky_bodies bodies;
    enum ky_status status = ky_bodies_allocate(&bodies, n, 0, error);
    for (size_t k = 0; k < n && !status; k++) {
        bodies.mass[k] = sample[k].mass;
        for (int c = 0; c < 3; c++)
            bodies.position[k][c] = sample[k].x[c];
    }
    if (!status)
        status = find_centre(&bodies, &alone, centre, NULL, error);
    ky_bodies_free(&bodies);
    return status;
}

enum ky_status ky_portion_centre(const struct ky_portion *portion, const struct ky_bodies *bodies,
                                 size_t most, double centre[3], struct ky_error *error)
{
    size_t massive, before, taken = 0;
    KY_TRY(ky_portion_positive(portion, bodies->mass, &massive, &before, error));
    void *sample;
    KY_TRY(ky_array(&sample, massive < most ? massive : most, sizeof(struct sampled), "a sample",
                    error));
    taken = take_sample(portion, bodies, massive, before, most, sample);
    enum ky_status status =
        ky_portion_collect(portion, &sample, &taken, sizeof(struct sampled), error);
    for (int c = 0; c < 3; c++)
        centre[c] = 0;
    if (!status && portion->leads)
        status = centre_of(sample, taken, centre, error);
    free(sample);
    return status ? status : ky_portion_add_up(portion, centre, 3, error);
}

enum ky_status ky_centre_of_sample(const struct ky_bodies *bodies, size_t most, double centre[3],
                                   struct ky_error *error)
{
    const struct ky_portion all = ky_portion_of_all(bodies->n);
    /* few bodies need no sample; bodies without mass have a centre too */
    return ky_count_positive(bodies->n, bodies->mass) <= most
               ? find_centre(bodies, &alone, centre, NULL, error)
               : ky_portion_centre(&all, bodies, most, centre, error);
}

enum ky_status ky_sampled_centre(const struct ky_bodies *bodies, double centre[3],
                                 struct ky_error *error)
{
    KY_NEED(bodies, error);
    KY_NEED(centre, error);
    KY_TRY(ky_places_check(bodies, error));
    if (bodies->n && !ky_count_positive(bodies->n, bodies->mass))
        return ky_fail(error, KY_BAD_DATA, "no body has mass, so there is no density centre");
    return ky_centre_of_sample(bodies, KY_CENTRE_SAMPLE, centre, error);
}
