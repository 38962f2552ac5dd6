/* How fast bodies move: see struct ky_speeds. Random speeds are what is left of velocities when in
 * each small neighbourhood the flow that is linear in the coordinates has been taken away, so that
 * expansion, rotation and the fall of one part towards another do not count. */
#include <math.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/sums.h"
#include "octree/sample.h"
#include "octree/work.h"

/* Bodies of a neighbourhood, which follow each other along the curve; of all neighbourhoods; and
 * the fewest bodies for which neighbourhoods are used. */
enum { NEAR = 32, MOST = KY_CENTRE_SAMPLE, FEW = 2 * NEAR };

/* A body with more than so many times the median speed is an escaper. */
static const double faster = 32;
/* The rms over the median of speeds that follow a Maxwellian. */
static const double maxwell = 1.126;

/* The rms speed [velocity] about the mean velocity in three dimensions, weighted by mass; 0 without
 * mass. */
static double velocity_dispersion(const struct ky_bodies *bodies)
{
    double part[KY_BLOCKS], mean[3];
    double mass = ky_mean(bodies->n, bodies->mass, bodies->velocity, mean);
#pragma omp parallel for schedule(static)
    for (int b = 0; b < KY_BLOCKS; b++) {
        size_t i = ky_block_start(bodies->n, (size_t)b),
               end = ky_block_start(bodies->n, (size_t)b + 1);
        for (part[b] = 0; i < end; i++)
            for (int k = 0; k < 3; k++)
                part[b] += bodies->mass[i] * pow(bodies->velocity[i][k] - mean[k], 2);
    }
    return mass > 0 ? sqrt(ky_sum(KY_BLOCKS, part) / mass) : 0;
}

static double speed_about(const double v[3], const double mean[3])
{
    double v2 = 0;
    for (int c = 0; c < 3; c++)
        v2 += (v[c] - mean[c]) * (v[c] - mean[c]);
    return sqrt(v2);
}

/* The speed above which a body is an escaper, about the median velocity. Infinite for few bodies,
 * which have no typical speed. */
static double limit_of(const struct ky_bodies *bodies, double virial, double middle[3])
{
    double sample[KY_MEDIAN_MOST];
    size_t index[KY_MEDIAN_MOST], count = ky_sample(bodies->n, KY_MEDIAN_MOST, index);
    for (int c = 0; c < 3; c++)
        middle[c] = ky_sampled_median(&bodies->velocity[0][c], 3, bodies->n, KY_MEDIAN_MOST);
    for (size_t k = 0; k < count; k++)
        sample[k] = speed_about(bodies->velocity[index[k]], middle);
    return bodies->n < FEW
               ? (double)INFINITY
               : faster * fmax(ky_sampled_median(sample, 1, count, KY_MEDIAN_MOST), virial);
}

/* The dispersion of the bodies up to the limit; counts the others. */
static enum ky_status find_dispersion(const struct ky_bodies *bodies, double limit,
                                      const double middle[3], struct ky_speeds *speeds,
                                      struct ky_error *error)
{
    struct ky_bodies slow = *bodies;
    double most = 0;
    for (size_t i = 0; i < bodies->n; i++) {
        const double v = speed_about(bodies->velocity[i], middle);
        if (v > limit && v > most)
            most = v, speeds->fastest = i;
        speeds->fast += v > limit;
    }
    if (speeds->fast && !(slow.mass = ky_allocate(bodies->n, sizeof *slow.mass)))
        return ky_no_memory(error, "masses", bodies->n, sizeof *slow.mass);
    for (size_t i = 0; i < bodies->n && speeds->fast; i++)
        slow.mass[i] = speed_about(bodies->velocity[i], middle) > limit ? 0 : bodies->mass[i];
    speeds->dispersion = speeds->random = velocity_dispersion(&slow);
    if (speeds->fast)
        free(slow.mass);
    return KY_OK;
}

/* The bodies whose random speeds are measured, in columns, and their order along the curve. */
struct flow {
    const struct ky_bodies *bodies;
    size_t n, *body; /* [MOST] */
    double *x[3], *left;
    uint64_t *word, *other;
};

static void take(struct flow *flow, double limit, const double middle[3])
{
    const struct ky_bodies *bodies = flow->bodies;
    const struct ky_sample_order order = ky_sample_order(bodies->n);
    const size_t most = bodies->n < MOST ? bodies->n : MOST;
    for (size_t k = 0; k < most; k++) {
        const size_t i = ky_sampled(order, most, k);
        if (!(bodies->mass[i] > 0) || speed_about(bodies->velocity[i], middle) > limit)
            continue;
        for (int c = 0; c < 3; c++)
            flow->x[c][flow->n] = bodies->position[i][c];
        flow->body[flow->n++] = i;
    }
}

/* The random speeds that a neighbourhood has after the fit of its flow, and what the fit took away.
 */
static void leave(const size_t body[NEAR], const struct ky_bodies *bodies, double left[NEAR])
{
    static const double none[3] = {0};
    double x[NEAR][3], v[NEAR][3];
    for (int k = 0; k < NEAR; k++)
        for (int c = 0; c < 3; c++) {
            x[k][c] = bodies->position[body[k]][c];
            v[k][c] = bodies->velocity[body[k]][c];
        }
    ky_subtract_linear(NEAR, x, v);
    for (int k = 0; k < NEAR; k++)
        left[k] = speed_about(v[k], none) * sqrt(NEAR / (NEAR - 4.0));
}

static void find_random(struct flow *flow, struct ky_speeds *speeds)
{
    const struct ky_frame frame = ky_frame_of_bulk(flow->n, flow->x[0], flow->x[1], flow->x[2], 1);
    struct ky_hilbert hilbert;
    if (flow->n < FEW)
        return;
    ky_hilbert_init(&hilbert);
    const struct ky_places places = {flow->n, NULL, flow->x[0], flow->x[1], flow->x[2], 0};
    const uint64_t varying = ky_words(&frame, &hilbert, &places, flow->word, 1);
    const uint64_t *sorted = ky_octree_sort(flow->n, flow->word, flow->other, varying, 1);
    const struct ky_word_layout layout = ky_word_layout(flow->n);
    const size_t whole = flow->n / NEAR * NEAR;
    for (size_t k = 0; k < whole; k += NEAR) {
        size_t body[NEAR];
        for (size_t j = 0; j < NEAR; j++)
            body[j] = flow->body[ky_word_index(layout, sorted[k + j])];
        leave(body, flow->bodies, flow->left + k);
    }
    const double median = ky_median(flow->left, whole);
    if (isfinite(median))
        speeds->random = fmin(maxwell * median, speeds->dispersion);
}

enum ky_status ky_measure_speeds(const struct ky_bodies *bodies, double virial,
                                 struct ky_speeds *speeds, struct ky_error *error)
{
    *speeds = (struct ky_speeds){0};
    if (!bodies->n)
        return KY_OK;
    double middle[3];
    const double limit = limit_of(bodies, virial, middle);
    enum ky_status status = find_dispersion(bodies, limit, middle, speeds, error);
    if (status || bodies->n < FEW)
        return status;
    const size_t most = bodies->n < MOST ? bodies->n : MOST;
    double *columns = ky_allocate(most, 4 * sizeof *columns);
    uint64_t *words = ky_allocate(most, 2 * sizeof *words);
    struct flow flow = {.bodies = bodies, .body = ky_allocate(most, sizeof *flow.body)};
    if (!columns || !words || !flow.body)
        status = ky_no_memory(error, "random speeds", most, 7 * sizeof *columns);
    if (!status) {
        for (size_t c = 0; c < 3; c++)
            flow.x[c] = columns + c * most;
        flow.left = columns + 3 * most, flow.word = words, flow.other = words + most;
        take(&flow, limit, middle);
        find_random(&flow, speeds);
    }
    free(columns);
    free(words);
    free(flow.body);
    return status;
}
