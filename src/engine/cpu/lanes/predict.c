/* Predicts slots, block after block, and the bodies of the Hermite scheme. It is plain C that
 * compilers vectorise, without fused multiply-add, so that every instruction set computes the same
 * positions. */
#include "engine/cpu/lanes/functions.h"

#include <string.h>

#include "base/split.h"
#include "physics/hermite.h"
#include "physics/jerk.h"

struct predicted {
    double x[KY_SLOTS], v[KY_SLOTS];
};

static inline double within(double x, double far)
{
    return KY_JERK_WITHIN(x, far);
}

/* Component c relative to the origin, limited to `far`. */
static inline __attribute__((always_inline)) void component(const struct ky_slots *b, size_t c,
                                                            const struct ky_prediction *to,
                                                            const double far, const int snaps,
                                                            struct predicted *p)
{
    const double origin = to->origin[c], velocity = to->velocity[c];
    for (int k = 0; k < KY_SLOTS; k++) {
        const double dt = to->time - b->time[k], x = b->x[c][k], v = b->v[c][k], a2 = b->a2[c][k],
                     j6 = b->j6[c][k], s18 = snaps ? b->s18[c][k] : 0;
        const double px = snaps ? KY_PREDICTED_X(x, v, a2, j6, s18, dt)
                                : KY_PREDICTED_CUBIC_X(x, v, a2, j6, dt),
                     pv = snaps ? KY_PREDICTED_V(v, a2, j6, s18, dt)
                                : KY_PREDICTED_CUBIC_V(v, a2, j6, dt);
        p->x[k] = within(px - origin, far);
        p->v[k] = within(pv - velocity, far);
    }
}

static inline __attribute__((always_inline)) void both(const struct ky_slots *b, size_t c,
                                                       const struct ky_prediction *to,
                                                       const double far, struct predicted *p)
{
    if (b->snaps)
        component(b, c, to, far, 1, p);
    else
        component(b, c, to, far, 0, p);
}

/* The same as floats, in three columns. */
static inline __attribute__((always_inline)) void split(const struct predicted *p, float *x,
                                                        float *low, float *v)
{
    float part[3][KY_SLOTS];
    for (int k = 0; k < KY_SLOTS; k++)
        part[0][k] = (float)p->x[k];
    for (int k = 0; k < KY_SLOTS; k++)
        part[1][k] = ky_low_part(p->x[k]);
    for (int k = 0; k < KY_SLOTS; k++)
        part[2][k] = (float)p->v[k];
    memcpy(x, part[0], sizeof part[0]);
    memcpy(low, part[1], sizeof part[1]);
    memcpy(v, part[2], sizeof part[2]);
}

void KY_LANE_NAME(ky_predict_extended)(const struct ky_slots *slots, size_t first, size_t last,
                                       const struct ky_prediction *to)
{
    const size_t stride = to->stride;
    for (size_t block = first; block < last; block++) {
        const struct ky_slots *b = &slots[block];
        float *column = (float *)to->column + block * KY_SLOTS, mass[KY_SLOTS];
        struct predicted p;
        for (size_t c = 0; c < 3; c++) {
            both(b, c, to, KY_JERK_FAR_FLOAT, &p);
            split(&p, column + c * stride, column + (KY_PREDICTED_LOW + c) * stride,
                  column + (KY_PREDICTED_SPEED + c) * stride);
        }
        for (int k = 0; k < KY_SLOTS; k++)
            mass[k] = (float)(b->mass[k] * to->per_mass);
        memcpy(column + KY_PREDICTED_MASS * stride, mass, sizeof mass);
        memcpy(column + KY_PREDICTED_LABEL * stride, b->label, sizeof b->label);
    }
}

void KY_LANE_NAME(ky_predict_double)(const struct ky_slots *slots, size_t first, size_t last,
                                     const struct ky_prediction *to)
{
    for (size_t block = first; block < last; block++) {
        const struct ky_slots *b = &slots[block];
        double *column = (double *)to->column + block * KY_SLOTS;
        int64_t *label = (int64_t *)to->column + KY_PREDICTED_LABEL * to->stride + block * KY_SLOTS;
        struct predicted p;
        for (size_t c = 0; c < 3; c++) {
            both(b, c, to, KY_JERK_FAR_DOUBLE, &p);
            memcpy(column + c * to->stride, p.x, sizeof p.x);
            memcpy(column + (KY_PREDICTED_SPEED + c) * to->stride, p.v, sizeof p.v);
        }
        for (int k = 0; k < KY_SLOTS; k++) {
            column[KY_PREDICTED_MASS * to->stride + (size_t)k] = b->mass[k] * to->per_mass;
            label[k] = b->label[k];
        }
    }
}

/* ---- bodies of the Hermite scheme ---- */

/* Bodies that are predicted together. */
enum { SOME = 256 };

/* One coordinate of `count` bodies after `first`, whose steps have lasted for h. */
static inline void along(const struct ky_tracks *tracks, size_t c, size_t first, size_t count,
                         const double *restrict h)
{
    const double *restrict x = tracks->x[c] + first, *restrict v = tracks->v[c] + first;
    const double *restrict a = tracks->a[c] + first, *restrict j = tracks->j[c] + first;
    double *restrict to_x = tracks->at[c] + first, *restrict to_v = tracks->at[3 + c] + first;
    const double part = tracks->part;
#pragma omp simd
    for (size_t k = 0; k < count; k++) {
        to_x[k] = ky_hermite_place(x[k], v[k], a[k], j[k], h[k], part);
        to_v[k] = ky_hermite_speed(v[k], a[k], j[k], h[k]) * part;
    }
}

void KY_LANE_NAME(ky_predict_tracks)(const struct ky_tracks *tracks, size_t first, size_t last)
{
    double h[SOME];
    for (; first < last; first += SOME) {
        const size_t count = last - first < SOME ? last - first : SOME;
        for (size_t k = 0; k < count; k++)
            h[k] = tracks->time[tracks->level[first + k]];
        for (size_t c = 0; c < 3; c++)
            along(tracks, c, first, count, h);
    }
}
