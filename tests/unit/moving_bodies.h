/* Moving bodies, and their acceleration, jerk, potential and neighbours by two nested loops in
 * double. */
#ifndef MOVING_BODIES_H
#define MOVING_BODIES_H

#include <math.h>

struct moving_body {
    double x[3], v[3], mass, eps2;
    int32_t label;
};

struct moving_sums {
    double a[3], j[3], potential;
    double nearest2; /* INFINITY: none */
    size_t nearest;
    size_t within; /* how many have r² <= h2 */
};

static inline double moving_number(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/* Makes body i of n, in a cube of edge 2 with a dense middle. Labels are 1000, 1001, … */
static inline struct moving_body moving_body(uint64_t *state, size_t n, size_t i)
{
    struct moving_body body = {.mass = (0.5 + moving_number(state)) / (double)(n ? n : 1),
                               .eps2 = 1e-4 * moving_number(state),
                               .label = 1000 + (int32_t)i};
    const double r = moving_number(state);
    for (int c = 0; c < 3; c++) {
        body.x[c] = r * (2 * moving_number(state) - 1);
        body.v[c] = 2 * moving_number(state) - 1;
    }
    return body;
}

/* Sums what the bodies do to a sink with the softening ε²; with `own` the bodies' softenings are
 * added. */
static inline struct moving_sums moving_sum(const struct moving_body *body, size_t n,
                                            const struct moving_body *sink, double eps2, int own,
                                            double h2)
{
    struct moving_sums s = {.nearest2 = (double)INFINITY};
    for (size_t k = 0; k < n; k++) {
        double d[3], w[3], r2 = 0, rw = 0;
        if (body[k].label == sink->label)
            continue;
        for (int c = 0; c < 3; c++) {
            d[c] = body[k].x[c] - sink->x[c];
            w[c] = body[k].v[c] - sink->v[c];
            r2 += d[c] * d[c];
            rw += d[c] * w[c];
        }
        if (r2 < s.nearest2)
            s.nearest2 = r2, s.nearest = k;
        s.within += r2 <= h2;
        double s2 = r2 + eps2 + (own ? body[k].eps2 : 0);
        if (s2 == 0)
            continue;
        double mr = body[k].mass / sqrt(s2);
        s.potential -= mr;
        for (int c = 0; c < 3; c++) {
            s.a[c] += mr / s2 * d[c];
            s.j[c] += mr / s2 * (w[c] - 3 * rw / s2 * d[c]);
        }
    }
    return s;
}

/* |a − b| in units of |b|, or of 1 if that is more. */
static inline double moving_error(const double *a, const double *b)
{
    double d2 = 0, b2 = 0;
    for (int c = 0; c < 3; c++) {
        d2 += (a[c] - b[c]) * (a[c] - b[c]);
        b2 += b[c] * b[c];
    }
    return sqrt(d2 / (b2 > 1 ? b2 : 1));
}

#endif
