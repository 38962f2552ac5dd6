/* The kinds of softening by their published formulas: Plummer's, and the spline as in GADGET
 * (Springel, Yoshida & White 2001, appendix). */
#ifndef KY_TEST_SOFTENED_PAIR_H
#define KY_TEST_SOFTENED_PAIR_H

#include <math.h>
#include <string.h>

#include "kyoho/kyoho.h"

/* The acceleration over the distance, and the potential, of a source of mass 1. */
struct softened_pair {
    double force, potential;
};

static inline struct softened_pair splined_pair(double r, double h)
{
    const double u = r / h;
    if (u >= 1)
        return (struct softened_pair){1 / (r * r * r), -1 / r};
    if (u < 0.5)
        return (struct softened_pair){(10.0 + 2.0 / 3 + u * u * (32.0 * u - 38.4)) / pow(h, 3),
                                      (-2.8 + u * u * (16.0 / 3 + u * u * (6.4 * u - 9.6))) / h};
    return (struct softened_pair){
        (64.0 / 3 - 48.0 * u + 38.4 * u * u - 32.0 / 3 * pow(u, 3) - 1 / (15 * pow(u, 3))) /
            pow(h, 3),
        (-3.2 + 1 / (15 * u) + u * u * (32.0 / 3 + u * (-16.0 + u * (9.6 - 32.0 / 15 * u)))) / h};
}

/* What a source does to a sink at the squared distance r2, with the softenings of both. Without
 * softening coincident bodies exert no force on each other. */
static inline struct softened_pair softened_pair(int kind, double sink, double source, double r2)
{
    const double larger = sink > source ? sink : source,
                 s2 = r2 + sink * sink + (kind == KY_SYMMETRIC ? source * source : 0);
    if (kind == KY_SPLINE ? r2 == 0 && larger == 0 : s2 == 0)
        return (struct softened_pair){0, 0};
    if (kind == KY_SPLINE)
        return splined_pair(sqrt(r2), 2.8 * larger);
    return (struct softened_pair){1 / (s2 * sqrt(s2)), -1 / sqrt(s2)};
}

/* Computes the accelerations and potentials of `out` by two loops over the bodies. */
static inline void softened_sum(const struct ky_parameters *p, const struct ky_bodies *b,
                                struct ky_bodies *out)
{
    for (size_t i = 0; i < b->n; i++) {
        double a[3] = {0}, potential = 0;
        for (size_t j = 0; j < b->n; j++) {
            double d[3], r2 = 0;
            for (int c = 0; c < 3; c++) {
                d[c] = b->position[j][c] - b->position[i][c];
                r2 += d[c] * d[c];
            }
            if (j == i)
                continue;
            struct softened_pair pair =
                softened_pair(p->softening_kind, b->softening ? b->softening[i] : p->softening,
                              b->softening ? b->softening[j] : p->softening, r2);
            for (int c = 0; c < 3; c++)
                a[c] += p->g * b->mass[j] * pair.force * d[c];
            potential += p->g * b->mass[j] * pair.potential;
        }
        memcpy(out->acceleration[i], a, sizeof a);
        out->potential[i] = potential;
    }
}

#endif
