/* Systems for tests of simulations: a model, two bodies about each other, and the distance between
 * two states. */
#ifndef KY_TEST_SYSTEMS_H
#define KY_TEST_SYSTEMS_H

#include <math.h>
#include <string.h>

/* Makes a model with n bodies. Free with ky_snapshot_free. */
static inline void model(const char *name, size_t n, double softening, struct ky_snapshot *snapshot)
{
    struct ky_error error;
    struct ky_model_parameters parameters;
    ky_model_parameters_defaults(&parameters);
    parameters.n = n;
    parameters.softening = softening;
    ky_snapshot_clear(snapshot);
    assert_ok(ky_model_make(name, &parameters, snapshot, &error));
}

/* Two bodies of total mass 1 at a distance of r, with the relative velocity v at a right angle to
 * it. */
static inline void two_bodies(double r, double v, struct ky_bodies *bodies)
{
    struct ky_error error;
    const double m[2] = {0.75, 0.25};
    assert_ok(ky_bodies_allocate(bodies, 2, 0, &error));
    for (int i = 0; i < 2; i++) {
        double share = i ? m[0] : -m[1];
        bodies->mass[i] = m[i];
        bodies->position[i][0] = share * r;
        bodies->velocity[i][1] = share * v;
    }
}

static inline int same_bits(const struct ky_bodies *a, const struct ky_bodies *b)
{
    return !memcmp(a->position, b->position, a->n * sizeof *a->position) &&
           !memcmp(a->velocity, b->velocity, a->n * sizeof *a->velocity);
}

/* The largest difference of a coordinate between the bodies of `a` and of `b`. */
static inline double apart(const struct ky_bodies *a, const struct ky_bodies *b)
{
    double most = 0;
    for (size_t i = 0; i < a->n; i++)
        for (int c = 0; c < 3; c++)
            most = fmax(most, fabs(a->position[i][c] - b->position[i][c]));
    return most;
}

/* Moves bodies from side[0] on and from side[1] on, up to side[2], to the two sides of an orbit
 * (G = 1), in its pericentre at this angle from x. The orbit is inclined by `slope`. */
static inline void put_on_orbit(struct ky_bodies *bodies, const size_t side[3], double a, double e,
                                double angle, double slope)
{
    double mass[2] = {0, 0};
    for (size_t i = side[0]; i < side[2]; i++)
        mass[i >= side[1]] += bodies->mass[i];
    const double gm = mass[0] + mass[1], r = a * (1 - e), v = sqrt(gm * (1 + e) / r),
                 x[3] = {r * cos(angle), r * sin(angle), 0},
                 w[3] = {-v * sin(angle) * cos(slope), v * cos(angle) * cos(slope), v * sin(slope)};
    for (size_t i = side[0]; i < side[2]; i++)
        for (int c = 0; c < 3; c++) {
            const double share = i < side[1] ? -mass[1] / gm : mass[0] / gm;
            bodies->position[i][c] += share * x[c];
            bodies->velocity[i][c] += share * w[c];
        }
}

#endif
