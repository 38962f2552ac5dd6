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

/* Bodies of a neighbourhood, which lie one after the other along the curve; of all neighbourhoods;
 * and the fewest for which one can be looked at. */
enum { NEAR = 32, MOST = KY_CENTRE_SAMPLE, FEW = 2 * NEAR };

/* A body with more than so many times the median speed is an escaper. */
static const double faster = 32;
/* The rms over the median of speeds that follow a Maxwellian. */
static const double maxwell = 1.126;

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

/* The dispersion of the bodies up to the limit; the others are counted. */
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
    speeds->dispersion = speeds->random = ky_velocity_dispersion(&slow);
    if (speeds->fast)
        free(slow.mass);
    return KY_OK;
}

/* Bodies of which the random speeds are looked at: columns, and their order along the curve. */
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

/* Solves c s = b for the three columns of b; c is symmetric and positive. */
static void solve(double c[3][3], double b[3][3], double s[3][3])
{
    double inverse[3][3], determinant = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            inverse[j][i] = c[i1][j1] * c[i2][j2] - c[i1][j2] * c[i2][j1];
        }
    for (int j = 0; j < 3; j++)
        determinant += c[0][j] * inverse[j][0];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            s[i][k] = 0;
            for (int j = 0; j < 3 && determinant > 0; j++)
                s[i][k] += inverse[i][j] * b[j][k] / determinant;
        }
}

/* What is left of the speeds of a neighbourhood, less what the fit took of it. Lengths are in units
 * of its own; where it is flat, the flow across it is not looked for. */
static void leave(const size_t body[NEAR], const struct ky_bodies *bodies, double left[NEAR])
{
    double x[NEAR][3], v[NEAR][3], of[3][3] = {{0}}, with[3][3] = {{0}}, slope[3][3], size = 0;
    for (int c = 0; c < 3; c++) {
        double mean[2] = {0};
        for (int k = 0; k < NEAR; k++) {
            mean[0] += bodies->position[body[k]][c] / NEAR;
            mean[1] += bodies->velocity[body[k]][c] / NEAR;
        }
        for (int k = 0; k < NEAR; k++) {
            x[k][c] = bodies->position[body[k]][c] - mean[0];
            v[k][c] = bodies->velocity[body[k]][c] - mean[1];
            size = fmax(size, fabs(x[k][c]));
        }
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3 && size > 0; j++) {
            for (int k = 0; k < NEAR; k++) {
                of[i][j] += x[k][i] / size * (x[k][j] / size);
                with[i][j] += x[k][i] / size * v[k][j];
            }
            of[i][j] += i == j ? 1e-6 : 0;
        }
    solve(of, with, slope);
    for (int k = 0; k < NEAR; k++) {
        double flow[3] = {0};
        for (int c = 0; c < 3; c++)
            for (int j = 0; j < 3 && size > 0; j++)
                flow[c] += slope[j][c] * (x[k][j] / size);
        left[k] = speed_about(v[k], flow) * sqrt(NEAR / (NEAR - 4.0));
    }
}

static void find_random(struct flow *flow, struct ky_speeds *speeds)
{
    const struct ky_frame frame = ky_frame_of_bulk(flow->n, flow->x[0], flow->x[1], flow->x[2], 1);
    struct ky_hilbert hilbert;
    if (flow->n < FEW)
        return;
    ky_hilbert_init(&hilbert);
    const uint64_t varying = ky_words(&frame, &hilbert, flow->n, NULL, flow->x[0], flow->x[1],
                                      flow->x[2], flow->word, 1);
    const uint64_t *sorted = ky_octree_sort(flow->n, flow->word, flow->other, varying, 1);
    const struct ky_word_layout layout = ky_word_layout(flow->n);
    const size_t whole = flow->n / NEAR * NEAR;
    for (size_t k = 0; k < whole; k += NEAR) {
        size_t body[NEAR];
        for (size_t j = 0; j < NEAR; j++)
            body[j] = flow->body[ky_word_index(layout, sorted[k + j])];
        leave(body, flow->bodies, flow->left + k);
    }
    qsort(flow->left, whole, sizeof *flow->left, ky_order_reals);
    if (isfinite(flow->left[whole / 2]))
        speeds->random = fmin(maxwell * flow->left[whole / 2], speeds->dispersion);
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
