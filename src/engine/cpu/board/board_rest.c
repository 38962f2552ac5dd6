/* Sums over bodies at rest: each call chooses units and a middle, and sums in float, one block of
 * sinks after another. Calls are short: a list of a tree code acts on a few sinks. So nothing is
 * sorted, and only the memory is kept. */
#include "engine/cpu/board/board_rest.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "engine/cpu/forces/moving.h"
#include "physics/jerk.h"

/* Number of bodies in the sample for the units; numbers from 2^-NEAR to 2^NEAR are not scaled;
 * number of pairs for which threads are worth their start. */
enum { SAMPLE = 16, NEAR = 16, MANY_PAIRS = 4000000 };
enum { COLUMNS = 4 /* x y z mass */, ALIGN = 16 };

/* 1 for an exponent near 0, otherwise the power of two. */
static double unit_of(int exponent)
{
    return exponent < -NEAR || exponent > NEAR ? ldexp(1, exponent) : 1;
}

/* The power of two nearest to the geometric mean of some distances from the middle. */
static double length_of(const struct ky_board_resting *r, const double *middle)
{
    int sum = 0, count = 0;
    for (size_t k = 0; k < SAMPLE; k++) {
        double distance = 0;
        for (int c = 0; c < 3; c++)
            distance += fabs(r->x[r->bodies * k / SAMPLE][c] - middle[c]);
        if (distance > 0 && isfinite(distance)) {
            sum += ilogb(distance);
            count++;
        }
    }
    return count ? unit_of(sum / count) : 1;
}

static double mass_of(const struct ky_board_resting *r)
{
    double most = 0;
    for (size_t k = 0; k < SAMPLE; k++)
        most = fmax(most, fabs(r->mass[r->bodies * k / SAMPLE]));
    return most > 0 && isfinite(most) ? unit_of(ilogb(most) + 1) : 1;
}

static void middle_of(const struct ky_board_resting *r, double *middle)
{
    for (int c = 0; c < 3; c++) {
        double sum = 0;
        for (size_t i = 0; i < r->count; i++)
            sum += r->sink[i][c];
        middle[c] = sum / (double)r->count;
        middle[c] = isfinite(middle[c]) ? middle[c] : 0;
    }
}

/* Allocates columns for this many bodies. */
static float *need_room(struct ky_board_room *room, size_t bodies)
{
    const size_t stride = (bodies + ALIGN) / ALIGN * ALIGN;
    if (stride > room->size) {
        free(room->memory);
        room->size = stride + stride / 4 / ALIGN * ALIGN;
        room->memory = ky_allocate(room->size, COLUMNS * sizeof(float));
        room->size = room->memory ? room->size : 0;
    }
    return room->memory;
}

struct frame {
    double middle[3], length, mass, eps2;
};

/* Computes the sums for the sinks [first, first + block.count). */
static void sum_block(const struct ky_lanes *lanes, const struct ky_board_resting *r,
                      const struct frame *frame, const struct ky_moving *moving, size_t first)
{
    struct ky_moving_sinks block;
    const size_t left = r->count - first;
    const double per_length = 1 / frame->length, potential = frame->mass * per_length;
    block.count = left < KY_MOVING_BLOCK ? left : KY_MOVING_BLOCK;
    for (size_t k = 0; k < block.count; k++) {
        for (int c = 0; c < 3; c++) {
            const double x = (r->sink[first + k][c] - frame->middle[c]) * per_length;
            block.x[c][k] = KY_JERK_WITHIN(x, KY_JERK_FAR_FLOAT);
            block.v[c][k] = 0;
        }
        block.eps2[k] = frame->eps2;
        block.label[k] = 0;
        block.h2[k] = -1;
    }
    ky_moving_clear(&block);
    lanes->resting(moving, 0, r->bodies, &block);
    for (size_t k = 0; k < block.count; k++) {
        for (int c = 0; c < 3; c++)
            r->acceleration[first + k][c] = block.sum[c][k] * potential * per_length;
        r->potential[first + k] = block.sum[3][k] * potential;
    }
}

enum ky_status ky_cpu_rest(const struct ky_lanes *lanes, int threads,
                           const struct ky_board_resting *resting, struct ky_error *error)
{
    struct frame frame = {.length = 1, .mass = 1};
    float *column = need_room(resting->room, resting->bodies);
    if (!column)
        return ky_no_memory(error, "bodies at rest", resting->bodies, COLUMNS * sizeof(float));
    if (resting->count == 0)
        return KY_OK;
    middle_of(resting, frame.middle);
    if (resting->bodies) {
        frame.length = length_of(resting, frame.middle);
        frame.mass = mass_of(resting);
    }
    frame.eps2 =
        fmin(resting->eps2 / (frame.length * frame.length), KY_JERK_FAR_FLOAT * KY_JERK_FAR_FLOAT);
    const size_t stride = resting->room->size;
    const struct ky_resting_frame to = {{frame.middle[0], frame.middle[1], frame.middle[2]},
                                        1 / frame.length,
                                        KY_SCALE_MASS(lanes->single_scale) / frame.mass,
                                        column,
                                        stride};
    lanes->rest(resting->x, resting->mass, resting->bodies, &to);
    const struct ky_moving moving = {.x = {column, column + stride, column + 2 * stride},
                                     .mass = column + 3 * stride};
    const int several = (double)resting->bodies * (double)resting->count > (double)MANY_PAIRS;
    (void)several, (void)threads; /* without OpenMP */
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (several)
    for (size_t first = 0; first < resting->count; first += KY_MOVING_BLOCK)
        sum_block(lanes, resting, &frame, &moving, first);
    return KY_OK;
}
