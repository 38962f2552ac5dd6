/* Bodies in a comoving box: lattices, waves on them, and comparisons of simulations. */
#ifndef KY_TEST_COMOVING_H
#define KY_TEST_COMOVING_H

#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "simulation/sim.h"

static struct ky_error error;
static const double pi = 3.14159265358979323846;
static const char flat[] = "omega-m=1,h0=1", standard[] = "omega-m=0.3,omega-lambda=0.7,h0=1";

static inline struct ky_parameters parameters_of(const char *expansion, double step)
{
    struct ky_parameters parameters;
    ky_parameters_defaults(&parameters);
    parameters.box = 1;
    parameters.expansion = expansion;
    parameters.step = step;
    parameters.softening = 0;
    return parameters;
}

/* The mass of the matter in a box of side 1 with H0 = 1 and G = 1. */
static inline double mass_of(double omega_matter)
{
    return 3 * omega_matter / (8 * pi);
}

/* n³ bodies in the middles of the cells of a lattice. */
static inline void make_lattice(size_t n, double mass, struct ky_bodies *bodies)
{
    assert_ok(ky_bodies_allocate(bodies, n * n * n, 0, &error));
    for (size_t b = 0; b < n * n * n; b++) {
        const size_t point[] = {b / (n * n), b / n % n, b % n};
        bodies->mass[b] = mass / (double)(n * n * n);
        for (int c = 0; c < 3; c++)
            bodies->position[b][c] = ((double)point[c] + 0.5) / (double)n;
    }
}

enum { SIDE = 16 };

/* The phase of a wave at a lattice point, and its direction. */
struct wave {
    double k[3], length; /* wave numbers; |k| */
};

static inline double phase_at(const struct wave *wave, const double q[3])
{
    return 2 * pi * (wave->k[0] * q[0] + wave->k[1] * q[1] + wave->k[2] * q[2]);
}

/* The amplitude of the wave in displacements from the lattice, and in *across the rms of the rest
 * over it. */
static inline double amplitude_of(const struct wave *wave, const struct ky_bodies *lattice,
                                  const double (*x)[3], double *across)
{
    double sum = 0, square = 0;
    for (size_t i = 0; i < lattice->n; i++) {
        double along = 0, d[3];
        for (int c = 0; c < 3; c++) {
            d[c] = remainder(x[i][c] - lattice->position[i][c], 1);
            along += d[c] * wave->k[c] / wave->length;
            square += d[c] * d[c];
        }
        sum += 2 * along * sin(phase_at(wave, lattice->position[i])) / (double)lattice->n;
    }
    if (across)
        *across = sqrt(fabs(square / (double)lattice->n - sum * sum / 2)) / fabs(sum);
    return sum;
}

static inline void displace(const struct wave *wave, double size, const struct ky_bodies *lattice,
                            double (*to)[3])
{
    for (size_t i = 0; i < lattice->n; i++)
        for (int c = 0; c < 3; c++)
            to[i][c] +=
                size * wave->k[c] / wave->length * sin(phase_at(wave, lattice->position[i]));
}

/* Waves of 16 and 32 spacings, and the pull of the lattice on them over that on a fluid, by Ewald
 * sums. */
enum { LATTICE_WAVES = 3 };
static const struct lattice_wave {
    struct wave wave;
    double e;
    size_t side;
} lattice_waves[] = {{{{1, 0, 0}, 1}, 1.003993, SIDE},
                     {{{1, 1, 0}, 1.41421356237309505}, 0.986419, SIDE},
                     {{{1, 1, 1}, 1.73205080756887729}, 0.969208, SIDE},
                     {{{1, 0, 0}, 1}, 1.001008, 32},
                     {{{1, 1, 0}, 1.41421356237309505}, 0.996596, 32},
                     {{{1, 1, 1}, 1.73205080756887729}, 0.992206, 32}};

/* The growth of a wave from a = 0.05 to 0.1, in so many steps, over that of linear theory; *across
 * as above. With Ωm = 1 the growing wave of a lattice grows as a^m, m = (√(1 + 24 e) − 1)/4 (Joyce
 * & Marcos 2007). *body_steps: of single bodies; NULL is allowed. */
static inline double growth_of(const struct lattice_wave *own,
                               const struct ky_parameters *parameters, uint64_t steps,
                               double *body_steps, double *across)
{
    const double mass = mass_of(1), a = 0.05, to = 0.1, size = 0.01 / (double)own->side,
                 m = (sqrt(1 + 24 * own->e) - 1) / 4;
    struct ky_bodies lattice = {0}, bodies = {0};
    struct ky_integrator_report report;
    struct ky_sim *sim;
    make_lattice(own->side, mass, &lattice);
    make_lattice(own->side, mass, &bodies);
    displace(&own->wave, size, &lattice, bodies.position);
    displace(&own->wave, m * sqrt(a) * size, &lattice, bodies.velocity); /* a² dx/dt */
    assert_ok(ky_sim_open(parameters, &bodies, a, &sim, &error));
    assert_ok(ky_sim_advance(sim, steps, &error));
    assert_between(ky_sim_time(sim), to * (1 - 1e-14), to * (1 + 1e-14));
    assert_ok(ky_sim_bodies(sim, &bodies, &error));
    sim->integrator->verbs->report(sim->integrator, &report);
    if (body_steps)
        *body_steps = report.body_steps;
    const double found =
        amplitude_of(&own->wave, &lattice, (const double(*)[3])bodies.position, across);
    ky_sim_close(sim);
    ky_bodies_free(&lattice);
    ky_bodies_free(&bodies);
    return found / (size * pow(to / a, m));
}

/* Bodies on a lattice with large random displacements. */
static inline void make_stirred(size_t n, struct ky_bodies *bodies)
{
    make_lattice(n, mass_of(0.3), bodies);
    for (size_t i = 0; i < bodies->n; i++) {
        struct ky_random random = ky_random_at(3, 1, i);
        for (int c = 0; c < 3; c++) {
            bodies->position[i][c] += 0.2 / (double)n * (ky_random_uniform(&random) - 0.5);
            bodies->velocity[i][c] = 0.02 * (ky_random_uniform(&random) - 0.5);
        }
    }
}

static inline void assert_same_places(struct ky_sim *one, struct ky_sim *other)
{
    struct ky_bodies a, b;
    assert_ok(ky_bodies_allocate(&a, ky_sim_n(one), 0, &error));
    assert_ok(ky_bodies_allocate(&b, ky_sim_n(other), 0, &error));
    assert_ok(ky_sim_bodies(one, &a, &error));
    assert_ok(ky_sim_bodies(other, &b, &error));
    assert_memory_equal(a.position, b.position, a.n * sizeof *a.position);
    assert_memory_equal(a.velocity, b.velocity, a.n * sizeof *a.velocity);
    ky_bodies_free(&a);
    ky_bodies_free(&b);
}

/* The largest difference of the accelerations from forces with this softening, over the largest. */
static inline double force_error(struct ky_sim *sim, const struct ky_parameters *given,
                                 double softening, enum ky_force force)
{
    struct ky_parameters parameters = *given;
    struct ky_bodies now = {0}, exact = {0};
    double apart = 0, most = 0;
    assert_ok(ky_bodies_allocate(&now, ky_sim_n(sim), KY_WITH_ACCELERATION, &error));
    assert_ok(ky_bodies_allocate(&exact, now.n, KY_WITH_ACCELERATION, &error));
    assert_ok(ky_sim_bodies(sim, &now, &error));
    memcpy(exact.position, now.position, now.n * sizeof *now.position);
    memcpy(exact.mass, now.mass, now.n * sizeof *now.mass);
    parameters.softening = softening, parameters.softening_max = (double)NAN;
    parameters.expansion = NULL, parameters.force = (int)force;
    assert_ok(ky_forces(&parameters, &exact, NULL, &error));
    for (size_t i = 0; i < now.n; i++)
        for (int c = 0; c < 3; c++) {
            apart = fmax(apart, fabs(now.acceleration[i][c] - exact.acceleration[i][c]));
            most = fmax(most, fabs(exact.acceleration[i][c]));
        }
    ky_bodies_free(&now);
    ky_bodies_free(&exact);
    return apart / most;
}

static inline struct ky_sim *restored(struct ky_sim *sim, const struct ky_parameters *parameters)
{
    struct ky_sim *other = NULL;
    size_t bytes = 0;
    ky_sim_save_memory(sim, NULL, &bytes, &error);
    void *data = malloc(bytes);
    assert_ok(ky_sim_save_memory(sim, data, &bytes, &error));
    assert_ok(ky_sim_restore_memory(data, bytes, parameters, &other, &error));
    free(data);
    return other;
}

#endif
