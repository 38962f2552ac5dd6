/* The cube of the keys, and the origin of the cells: from the box of all bodies and a sample. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "base/split.h"
#include "base/status.h"
#include "domain/curve.h"
#include "engine/common/trees.h"
#include "octree/sample.h"

/* A ky_domain_work: reads the places of some bodies. */
static enum ky_status read_some(void *context, int part, size_t first, size_t end,
                                struct ky_error *error)
{
    struct ky_ranging *curve = context;
    struct ky_domain *domain = curve->domain;
    const double per_length = 1 / ky_engine_units_of(domain->engine).length;
    double position[KY_DOMAIN_CHUNK][3];
    (void)part;
    for (; first < end; first += KY_DOMAIN_CHUNK) {
        struct ky_bodies chunk = {.n = end - first, .position = position};
        chunk.n = chunk.n < KY_DOMAIN_CHUNK ? chunk.n : KY_DOMAIN_CHUNK;
        if (!curve->at)
            KY_TRY(ky_domain_read(domain, first, &chunk, error));
        for (size_t k = 0; k < chunk.n; k++)
            for (int c = 0; c < 3; c++)
                curve->x[c][first + k] =
                    curve->at ? curve->at[c][first + k] : position[k][c] * per_length;
    }
    return KY_OK;
}

static enum ky_status read_places(struct ky_ranging *curve, struct ky_error *error)
{
    struct ky_domain *domain = curve->domain;
    curve->x[0] = ky_domain_space(domain, KY_SPACE_X, 3 * curve->n, sizeof **curve->x, error);
    if (!curve->x[0])
        return KY_FAULT;
    curve->x[1] = curve->x[0] + curve->n;
    curve->x[2] = curve->x[1] + curve->n;
    return ky_domain_each(domain, read_some, curve, error);
}

/* The size of the larger of the two samples, at most the number of bodies. */
static size_t most_samples(const struct ky_domain *domain)
{
    const size_t samples = ky_frame_sample(domain->total).samples;
    return samples < KY_ORIGIN_SAMPLE ? KY_ORIGIN_SAMPLE : samples;
}

/* Results of the threads: each thread may find all samples. */
struct looking {
    const struct ky_ranging *curve;
    struct ky_curve_told *told;      /* [threads] */
    struct ky_curve_sampled *sample; /* [threads][KY_CURVE_ROOM] */
};

/* A ky_domain_work: looks at some bodies. */
static enum ky_status look_at_some(void *context, int part, size_t first, size_t end,
                                   struct ky_error *error)
{
    const struct looking *looking = context;
    const struct ky_ranging *curve = looking->curve;
    const struct ky_domain *domain = curve->domain;
    const struct ky_sample_order order = ky_sample_order(domain->total ? domain->total : 1);
    const size_t most = most_samples(domain);
    struct ky_curve_told *told = &looking->told[part];
    struct ky_curve_sampled *sample = looking->sample + (size_t)part * KY_CURVE_ROOM;
    (void)error;
    *told = (struct ky_curve_told){.lost = UINT64_MAX};
    for (int c = 0; c < 3; c++) {
        told->low[c] = (double)INFINITY;
        told->high[c] = -(double)INFINITY;
    }
    for (size_t i = first; i < end; i++) {
        for (int c = 0; c < 3; c++) {
            const double x = curve->x[c][i];
            told->low[c] = x < told->low[c] ? x : told->low[c];
            told->high[c] = x > told->high[c] ? x : told->high[c];
            if (!isfinite(x) && domain->index[i] < told->lost)
                told->lost = domain->index[i];
        }
        const uint64_t place = ky_sample_place(order, domain->index[i]);
        if (place < most || domain->total <= most)
            sample[told->sampled++] =
                (struct ky_curve_sampled){place, {curve->x[0][i], curve->x[1][i], curve->x[2][i]}};
    }
    return KY_OK;
}

/* Afterwards the samples of all threads are contiguous at the beginning, and *own describes them
 * together. */
enum ky_status ky_curve_look(struct ky_ranging *curve, struct ky_curve_told *own,
                             struct ky_curve_told *told, struct ky_curve_sampled *sample,
                             struct ky_error *error)
{
    struct looking looking = {curve, told, sample};
    KY_TRY(read_places(curve, error));
    KY_TRY(ky_domain_each(curve->domain, look_at_some, &looking, error));
    *own = told[0];
    for (int part = 1; part < curve->domain->engine->threads; part++) {
        memmove(sample + own->sampled, sample + (size_t)part * KY_CURVE_ROOM,
                told[part].sampled * sizeof *sample);
        own->sampled += told[part].sampled;
        own->lost = own->lost < told[part].lost ? own->lost : told[part].lost;
        for (int c = 0; c < 3; c++) {
            own->low[c] = fmin(own->low[c], told[part].low[c]);
            own->high[c] = fmax(own->high[c], told[part].high[c]);
        }
    }
    return KY_OK;
}

/* Takes a coordinate of a sample of at most `most` bodies; returns the number of bodies. */
static size_t take_axis(const struct ky_domain *domain, const struct ky_curve_sampled *sample,
                        size_t count, size_t most, int axis, double x[])
{
    size_t found = 0;
    for (size_t k = 0; k < count; k++)
        if (sample[k].place < most || domain->total <= most)
            x[found++] = sample[k].x[axis];
    return found;
}

/* Results of rank 0; lost: the first body whose position is not finite, or UINT64_MAX. */
struct cube {
    double low[3], edge, origin[3];
    uint64_t lost;
};

/* The same cube and origin that the tree of one engine has (ky_frame_of_bulk). */
static void place_cube(const struct ky_ranging *curve, const struct ky_curve_told *told,
                       const struct ky_curve_sampled *sample, size_t count, struct cube *cube)
{
    const struct ky_domain *domain = curve->domain;
    double low[3], high[3], bulk[KY_FRAME_SAMPLES], others[KY_ORIGIN_SAMPLE];
    const struct ky_frame_sample of = ky_frame_sample(domain->total);
    for (int c = 0; c < 3; c++) {
        low[c] = (double)INFINITY;
        high[c] = -(double)INFINITY;
        for (int r = 0; r < domain->comm->size; r++) {
            low[c] = fmin(low[c], told[r].low[c]);
            high[c] = fmax(high[c], told[r].high[c]);
        }
        const size_t origins = take_axis(domain, sample, count, KY_ORIGIN_SAMPLE, c, others),
                     found = take_axis(domain, sample, count, of.samples, c, bulk);
        cube->origin[c] = curve->verbs->origin(curve, bulk, found, others, origins);
        if (found <= 2 * of.trim)
            continue;
        const double lower = ky_select(bulk, found, of.trim),
                     upper = ky_select(bulk, found, found - 1 - of.trim);
        low[c] = ky_frame_side(low[c], lower, upper, 0);
        high[c] = ky_frame_side(high[c], lower, upper, 1);
    }
    const struct ky_frame frame = ky_frame_of_box(low, high);
    cube->edge = frame.scale > 0 ? frame.edge : 0;
    memcpy(cube->low, frame.low, sizeof cube->low);
}

/* On the CPU a periodic box is the cube, wherever the bodies are in it. */
static void take_box(const struct ky_domain *domain, struct cube *cube)
{
    const struct ky_engine_frame frame = ky_tree_frame_of_box(domain->parameters.box);
    struct ky_octree_bodies bodies;
    ky_tree_frame(&frame, ky_engine_units_of(domain->engine).length, &bodies);
    memcpy(cube->low, bodies.low, sizeof cube->low);
    memcpy(cube->origin, bodies.origin, sizeof cube->origin);
    cube->edge = bodies.edge;
}

/* KY_BAD_DATA on all ranks if the position of a body is not finite. */
static enum ky_status take_cube(struct ky_domain *domain, const struct cube *cube,
                                struct ky_error *error)
{
    domain->is_lost = cube->lost != UINT64_MAX;
    if (domain->is_lost)
        return ky_fail(error, KY_BAD_DATA,
                       "the position of body %llu is not finite: masses, distances, G or the step "
                       "leave the range of numbers",
                       (unsigned long long)cube->lost);
    memcpy(domain->low, cube->low, sizeof domain->low);
    memcpy(domain->origin, cube->origin, sizeof domain->origin);
    domain->edge = cube->edge;
    return KY_OK;
}

/* The median of the origin's sample, as a float. */
double ky_curve_median(const struct ky_ranging *curve, double *of_cube, size_t cubes,
                       double *of_origin, size_t origins)
{
    (void)curve;
    (void)of_cube;
    (void)cubes;
    return ky_high_part(ky_median(of_origin, origins));
}

/* Gathers boxes and samples on rank 0, which places the cube. told[] and counts[] have room for all
 * ranks, and all[] for the samples. */
static enum ky_status place_together(const struct ky_ranging *curve,
                                     const struct ky_curve_told *own,
                                     const struct ky_curve_sampled *sample,
                                     struct ky_curve_told *told, size_t *counts,
                                     struct ky_curve_sampled *all, struct ky_error *error)
{
    struct ky_domain *domain = curve->domain;
    struct ky_comm *comm = domain->comm;
    const size_t size = (size_t)comm->size;
    size_t count = 0;
    enum ky_status status = comm->verbs->gather(comm, own, sizeof *own, told, error);
    for (size_t r = 0; r < size && !status; count += counts[r], r++)
        counts[r] = told[r].sampled;
    if (!status)
        status = ky_comm_collect(comm, sample, own->sampled, all, counts, sizeof *sample, error);
    struct cube cube = {.lost = UINT64_MAX};
    for (size_t r = 0; r < size && !status && !comm->rank; r++)
        cube.lost = told[r].lost < cube.lost ? told[r].lost : cube.lost;
    if (!status && !comm->rank && domain->parameters.box > 0 && !domain->engine->verbs->part)
        take_box(domain, &cube);
    else if (!status && !comm->rank && cube.lost == UINT64_MAX)
        place_cube(curve, told, all, count, &cube);
    if (!status)
        status = ky_comm_broadcast(comm, &cube, sizeof cube, error);
    return status ? status : take_cube(domain, &cube, error);
}

enum ky_status ky_curve_find_cube(struct ky_ranging *curve, struct ky_error *error)
{
    struct ky_domain *domain = curve->domain;
    const size_t size = (size_t)domain->comm->size;
    const size_t threads = (size_t)domain->engine->threads;
    struct ky_curve_told own = {0},
                         *told = ky_allocate(size > threads ? size : threads, sizeof *told);
    size_t *counts = ky_allocate(size, sizeof *counts);
    struct ky_curve_sampled *sample =
                                ky_domain_space(domain, KY_SPACE_SAMPLE, threads * KY_CURVE_ROOM,
                                                sizeof *sample, error),
                            *all = ky_domain_space(domain, KY_SPACE_SAMPLES, KY_CURVE_ROOM,
                                                   sizeof *all, error);
    enum ky_status status = sample && all ? KY_OK : KY_FAULT;
    if (!told || !counts)
        status = ky_no_memory(error, "the ranks", size, sizeof *told + sizeof *counts);
    if (!status)
        status = curve->verbs->look(curve, &own, told, sample, error);
    if (!status)
        status = place_together(curve, &own, sample, told, counts, all, error);
    free(told);
    free(counts);
    return status;
}
