/* Speeds of bodies: see struct ky_speeds. Random speeds are velocities minus the flow that is
 * linear in the coordinates within each small neighbourhood, which removes expansion, rotation and
 * the fall of one part towards another. */
#include <math.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "base/block_sums.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/status.h"
#include "octree/sample.h"
#include "octree/work.h"

/* Bodies of a neighbourhood, consecutive along the curve; bodies of all neighbourhoods; and the
 * minimum number of bodies for which neighbourhoods are used. */
enum { NEAR = 32, MOST = KY_CENTRE_SAMPLE, FEW = 2 * NEAR };

/* A body with more than this many times the median speed is an escaper. */
static const double faster = 32;
/* Ratio of rms to median for the speeds of a Maxwellian. */
static const double maxwell = 1.126;

/* The rms of the three-dimensional velocity about the mean velocity [velocity], weighted by mass; 0
 * without mass. */
static enum ky_status velocity_dispersion(const struct ky_portion *portion,
                                          const struct ky_bodies *bodies, double *dispersion,
                                          struct ky_error *error)
{
    double part[KY_BLOCKS] = {0}, mean[3], mass, sum;
    enum ky_status status =
        ky_portion_mean(portion, bodies->mass, bodies->velocity, mean, &mass, error);
    if (status)
        return status;
#pragma omp parallel for schedule(static) if (ky_portion_is_long(portion))
    for (size_t b = portion->from; b < portion->to; b++) {
        const size_t end = ky_portion_start(portion, b + 1);
        for (size_t i = ky_portion_start(portion, b); i < end; i++)
            for (int k = 0; k < 3; k++)
                part[b] += bodies->mass[i] * pow(bodies->velocity[i][k] - mean[k], 2);
    }
    status = ky_portion_sums(portion, part, 1, &sum, error);
    *dispersion = mass > 0 ? sqrt(sum / mass) : 0;
    return status;
}

static double speed_about(const double v[3], const double mean[3])
{
    double v2 = 0;
    for (int c = 0; c < 3; c++)
        v2 += (v[c] - mean[c]) * (v[c] - mean[c]);
    return sqrt(v2);
}

/* Bodies, and their median velocity `middle`. A body that moves faster than `limit` relative to it
 * is an escaper. */
struct crowd {
    const struct ky_portion *portion;
    const struct ky_bodies *bodies;
    double middle[3], limit;
};

/* The speed about the median velocity above which a body is an escaper. Infinite for few bodies,
 * which have no typical speed. */
static enum ky_status find_limit(struct crowd *crowd, double virial, struct ky_error *error)
{
    const struct ky_portion *portion = crowd->portion;
    const struct ky_bodies *bodies = crowd->bodies;
    double sample[KY_MEDIAN_MOST] = {0};
    size_t index[KY_MEDIAN_MOST], count = ky_sample(portion->n, KY_MEDIAN_MOST, index);
    enum ky_status status = KY_OK;
    for (int c = 0; c < 3 && !status; c++)
        status = ky_portion_median(portion, &bodies->velocity[0][c], 3, KY_MEDIAN_MOST,
                                   &crowd->middle[c], error);
    for (size_t k = 0; k < count && !status; k++)
        if (ky_portion_has(portion, index[k]))
            sample[k] = speed_about(bodies->velocity[index[k] - portion->first], crowd->middle);
    if (!status)
        status = ky_portion_add_up(portion, sample, count, error);
    crowd->limit = portion->n < FEW
                       ? (double)INFINITY
                       : faster * fmax(ky_sampled_median(sample, 1, count, KY_MEDIAN_MOST), virial);
    return status;
}

/* Counts the bodies above the limit and finds the fastest; of several the first. */
static enum ky_status find_fast(const struct crowd *crowd, struct ky_speeds *speeds,
                                struct ky_error *error)
{
    const struct ky_portion *portion = crowd->portion;
    struct {
        double most;
        uint64_t fast, fastest;
    } part[KY_BLOCKS] = {{0, 0, 0}};
    double most = 0;
#pragma omp parallel for schedule(static) if (ky_portion_is_long(portion))
    for (size_t b = portion->from; b < portion->to; b++) {
        const size_t end = ky_portion_start(portion, b + 1);
        for (size_t i = ky_portion_start(portion, b); i < end; i++) {
            const double v = speed_about(crowd->bodies->velocity[i], crowd->middle);
            if (v > crowd->limit && v > part[b].most)
                part[b].most = v, part[b].fastest = portion->first + i;
            part[b].fast += v > crowd->limit;
        }
    }
    const enum ky_status status =
        ky_portion_add_up(portion, part, KY_BLOCKS * (sizeof *part / sizeof(uint64_t)), error);
    for (size_t b = 0; b < KY_BLOCKS; b++) {
        if (part[b].most > most)
            most = part[b].most, speeds->fastest = (size_t)part[b].fastest;
        speeds->fast += (size_t)part[b].fast;
    }
    return status;
}

/* Computes the dispersion of the bodies up to the limit, and counts the rest. */
static enum ky_status find_dispersion(const struct crowd *crowd, struct ky_speeds *speeds,
                                      struct ky_error *error)
{
    const struct ky_bodies *bodies = crowd->bodies;
    const size_t n = ky_portion_count(crowd->portion);
    struct ky_bodies slow = *bodies;
    enum ky_status status = find_fast(crowd, speeds, error);
    if (!status && speeds->fast && !(slow.mass = ky_allocate(n, sizeof *slow.mass)))
        status = ky_no_memory(error, "masses", n, sizeof *slow.mass);
    for (size_t i = 0; i < n && speeds->fast && !status; i++)
        slow.mass[i] =
            speed_about(bodies->velocity[i], crowd->middle) > crowd->limit ? 0 : bodies->mass[i];
    if (!status)
        status = velocity_dispersion(crowd->portion, &slow, &speeds->dispersion, error);
    speeds->random = speeds->dispersion;
    if (slow.mass != bodies->mass)
        free(slow.mass);
    return status;
}

/* A body of the sample, with its index in the sample. */
struct taken {
    uint64_t place;
    double mass, x[3], v[3];
};

/* The bodies whose random speeds are measured, stored by columns, and their order along the
 * curve. */
struct flow {
    const struct taken *taken;
    size_t n, *body; /* [MOST] */
    double *x[3], *left;
    uint64_t *word, *other;
};

static int by_place(const void *a, const void *b)
{
    const uint64_t one = ((const struct taken *)a)->place, other = ((const struct taken *)b)->place;
    return (one > other) - (one < other);
}

/* Collects the bodies of the sample in *taken on the leading rank. */
static enum ky_status take_sample(const struct ky_portion *portion, const struct ky_bodies *bodies,
                                  void **taken, size_t *count, struct ky_error *error)
{
    const struct ky_sample_order order = ky_sample_order(portion->n);
    const size_t most = portion->n < MOST ? portion->n : MOST;
    struct taken *own = ky_allocate(most, sizeof *own);
    *count = 0;
    *taken = own;
    if (!own)
        return ky_no_memory(error, "random speeds", most, sizeof *own);
    for (size_t k = 0; k < most; k++) {
        const size_t i = ky_sampled(order, most, k) - portion->first;
        if (!ky_portion_has(portion, i + portion->first))
            continue;
        struct taken *here = &own[(*count)++];
        *here = (struct taken){.place = k, .mass = bodies->mass[i]};
        for (int c = 0; c < 3; c++) {
            here->x[c] = bodies->position[i][c];
            here->v[c] = bodies->velocity[i][c];
        }
    }
    KY_TRY(ky_portion_collect(portion, taken, count, sizeof(struct taken), error));
    if (portion->shares > 1)
        qsort(*taken, *count, sizeof(struct taken), by_place);
    return KY_OK;
}

static void take(struct flow *flow, size_t count, const struct crowd *crowd)
{
    for (size_t k = 0; k < count; k++) {
        const struct taken *here = &flow->taken[k];
        if (!(here->mass > 0) || speed_about(here->v, crowd->middle) > crowd->limit)
            continue;
        for (int c = 0; c < 3; c++)
            flow->x[c][flow->n] = here->x[c];
        flow->body[flow->n++] = k;
    }
}

/* Computes the random speeds of a neighbourhood after subtracting the fit of its flow, and the
 * subtracted part. */
static void leave(const size_t body[NEAR], const struct taken *taken, double left[NEAR])
{
    static const double none[3] = {0};
    double x[NEAR][3], v[NEAR][3];
    for (int k = 0; k < NEAR; k++)
        for (int c = 0; c < 3; c++) {
            x[k][c] = taken[body[k]].x[c];
            v[k][c] = taken[body[k]].v[c];
        }
    ky_subtract_linear(NEAR, x, v);
    for (int k = 0; k < NEAR; k++)
        left[k] = speed_about(v[k], none) * sqrt(NEAR / (NEAR - 4.0));
}

static void find_random(struct flow *flow, struct ky_speeds *speeds)
{
    const struct ky_frame frame = ky_frame_of_bulk(
        &(struct ky_positions){flow->n, NULL, flow->x[0], flow->x[1], flow->x[2], 0}, 1);
    struct ky_hilbert hilbert;
    if (flow->n < FEW)
        return;
    ky_hilbert_init(&hilbert);
    const struct ky_positions places = {flow->n, NULL, flow->x[0], flow->x[1], flow->x[2], 0};
    const uint64_t varying = ky_words(&frame, &hilbert, &places, flow->word, 1);
    const uint64_t *sorted = ky_octree_sort(flow->n, flow->word, flow->other, varying, 1);
    const struct ky_word_layout layout = ky_word_layout(flow->n);
    const size_t whole = flow->n / NEAR * NEAR;
    for (size_t k = 0; k < whole; k += NEAR) {
        size_t body[NEAR];
        for (size_t j = 0; j < NEAR; j++)
            body[j] = flow->body[ky_word_index(layout, sorted[k + j])];
        leave(body, flow->taken, flow->left + k);
    }
    const double median = ky_median(flow->left, whole);
    if (isfinite(median))
        speeds->random = fmin(maxwell * median, speeds->dispersion);
}

/* Computes the random speeds of the sample. */
static enum ky_status measure_random(const struct crowd *crowd, const struct taken *taken,
                                     size_t count, struct ky_speeds *speeds, struct ky_error *error)
{
    double *columns = ky_allocate(count, 4 * sizeof *columns);
    uint64_t *words = ky_allocate(count, 2 * sizeof *words);
    struct flow flow = {.taken = taken, .body = ky_allocate(count, sizeof *flow.body)};
    enum ky_status status = KY_OK;
    if (!columns || !words || !flow.body)
        status = ky_no_memory(error, "random speeds", count, 7 * sizeof *columns);
    if (!status) {
        for (size_t c = 0; c < 3; c++)
            flow.x[c] = columns + c * count;
        flow.left = columns + 3 * count, flow.word = words, flow.other = words + count;
        take(&flow, count, crowd);
        find_random(&flow, speeds);
    }
    free(columns);
    free(words);
    free(flow.body);
    return status;
}

enum ky_status ky_measure_speeds(const struct ky_portion *portion, const struct ky_bodies *bodies,
                                 double virial, struct ky_speeds *speeds, struct ky_error *error)
{
    struct crowd crowd = {.portion = portion, .bodies = bodies};
    void *taken = NULL;
    size_t count;
    *speeds = (struct ky_speeds){0};
    if (!portion->n)
        return KY_OK;
    enum ky_status status = find_limit(&crowd, virial, error);
    if (!status)
        status = find_dispersion(&crowd, speeds, error);
    if (status || portion->n < FEW)
        return status;
    status = take_sample(portion, bodies, &taken, &count, error);
    if (!status && portion->leads)
        status = measure_random(&crowd, taken, count, speeds, error);
    free(taken);
    if (!portion->leads)
        speeds->random = 0;
    return status ? status : ky_portion_add_up(portion, &speeds->random, 1, error);
}
