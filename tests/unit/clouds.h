/* Bodies and forces for tests of engines: clouds of several shapes, an evaluation in one call, and
 * percentiles of errors. */
#ifndef KY_TEST_CLOUDS_H
#define KY_TEST_CLOUDS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order.h"
#include "base/random.h"
#include "engine/engine.h"
#include "engine/force_options.h"

enum cloud { PLUMMER, CUBE, LINE, POINT, PAIRS, OUTLIER, CLOUDS };

/* Makes n bodies of one kind. Free with ky_bodies_free. PAIRS are twins at the very same place. */
static inline struct ky_bodies cloud_make(enum cloud kind, size_t n)
{
    struct ky_bodies bodies;
    struct ky_error error = {0};
    if (ky_bodies_allocate(&bodies, n, KY_WITH_ACCELERATION | KY_WITH_POTENTIAL, &error) != KY_OK)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < n; i++) {
        struct ky_random random = ky_random_at(42, (uint32_t)kind, kind == PAIRS ? i / 2 : i);
        double *x = bodies.position[i], u = ky_random_uniform(&random), r;
        ky_random_direction(&random, x);
        r = 1 / sqrt(pow(u * 0.99 + 1e-6, -2.0 / 3) - 1); /* Plummer's mass within r */
        for (int c = 0; c < 3; c++) {
            x[c] = kind == CUBE    ? ky_random_uniform(&random) - 0.5
                   : kind == POINT ? 0.25 * c
                   : kind == LINE  ? u * (c + 1)
                                   : x[c] * r;
            bodies.velocity[i][c] = ky_random_normal(&random);
        }
        if (kind == OUTLIER && i == n / 2)
            x[1] = 1e6;
        bodies.mass[i] = (0.5 + ky_random_uniform(&random)) / (double)n;
    }
    return bodies;
}

/* A Plummer sphere, of which every twentieth body stands far away. */
static inline struct ky_bodies cloud_with_outliers(size_t n, double distance)
{
    struct ky_bodies bodies = cloud_make(PLUMMER, n);
    for (size_t i = 0; i < n / 20; i++)
        bodies.position[i * 20][i % 3] = (i % 2 ? 1 : -1) * distance;
    return bodies;
}

/* One, of which every fifth body is in a dense clump of that size. */
static inline struct ky_bodies cloud_with_clump(size_t n, double size)
{
    struct ky_bodies bodies = cloud_make(PLUMMER, n);
    for (size_t i = 0; i < n / 5; i++)
        for (int c = 0; c < 3; c++)
            bodies.position[i][c] = 0.5 + size * bodies.position[i][c];
    return bodies;
}

/* One without masses, or where two of three bodies have none. Such bodies feel forces, and exert
 * none. */
static inline struct ky_bodies cloud_of_test_particles(size_t n, int all)
{
    struct ky_bodies bodies = cloud_make(PLUMMER, n);
    for (size_t i = 0; i < n; i++)
        bodies.mass[i] = all || i % 3 ? 0 : bodies.mass[i];
    return bodies;
}

/* Softenings from 0 to 0.12, of which every fifth is 0. */
static inline void cloud_softenings(double *softening, size_t n)
{
    for (size_t i = 0; i < n; i++)
        softening[i] = i % 5 ? 0.02 * (double)(i % 7) : 0;
}

/* Default parameters, changed as tests of the CPU engine need them. */
static inline struct ky_parameters cloud_parameters(void)
{
    struct ky_parameters parameters;
    ky_parameters_defaults(&parameters);
    parameters.engine = "cpu";
    parameters.softening = 0;
    return parameters;
}

/* --force fmm of order 4 on that engine. */
static inline struct ky_parameters cloud_expansions(const char *engine, double alpha)
{
    struct ky_parameters parameters = cloud_parameters();
    parameters.engine = engine;
    parameters.force = KY_FMM;
    parameters.order = 4;
    parameters.softening = 0.01;
    parameters.alpha = alpha;
    return parameters;
}

/* Makes one evaluation. `exact`, with n bodies, or NULL, gets sums in double. */
static inline enum ky_status cloud_forces(const struct ky_parameters *given,
                                          struct ky_bodies *bodies, struct ky_bodies *exact,
                                          struct ky_force_report *report, struct ky_error *error)
{
    struct ky_parameters parameters;
    struct ky_engine *engine = NULL;
    enum ky_status status = ky_force_resolve(given, &parameters, error);
    if (status == KY_OK)
        status = ky_engine_open(&parameters, bodies->n, &engine, error);
    if (status == KY_OK)
        status = ky_engine_put(engine, bodies, error);
    if (status == KY_OK)
        status = ky_engine_forces(engine, error);
    if (status == KY_OK)
        status = ky_engine_get(engine, bodies, error);
    if (status == KY_OK && report)
        ky_engine_report(engine, report);
    if (status == KY_OK && exact) {
        size_t *all = malloc((bodies->n + 1) * sizeof *all);
        for (size_t i = 0; i < bodies->n; i++)
            all[i] = i;
        status =
            ky_engine_exact(engine, all, bodies->n, exact->acceleration, exact->potential, error);
        free(all);
    }
    ky_engine_close(engine);
    return status;
}

/* Forces have the same digits with lengths in cm and masses in g as in natural units, in which the
 * softening of `given` is. */
static inline void cloud_units_leave_no_trace(const struct ky_parameters *given, size_t n)
{
    static const double lengths[] = {1, 0x1p73, 0x1p-50}, masses[] = {1, 0x1p143, 0x1p-60};
    struct ky_error error = {0};
    struct ky_bodies first = cloud_make(PLUMMER, n);
    assert_ok(cloud_forces(given, &first, NULL, NULL, &error));
    for (int k = 1; k < 3; k++) {
        struct ky_parameters parameters = *given;
        struct ky_bodies bodies = cloud_make(PLUMMER, n);
        parameters.softening *= lengths[k];
        for (size_t i = 0; i < n; i++) {
            for (int c = 0; c < 3; c++)
                bodies.position[i][c] *= lengths[k];
            bodies.mass[i] *= masses[k];
        }
        assert_ok(cloud_forces(&parameters, &bodies, NULL, NULL, &error));
        for (size_t i = 0; i < n; i++) {
            assert_true(bodies.potential[i] / masses[k] * lengths[k] == first.potential[i]);
            assert_true(bodies.acceleration[i][2] / masses[k] * lengths[k] * lengths[k] ==
                        first.acceleration[i][2]);
        }
        ky_bodies_free(&bodies);
    }
    ky_bodies_free(&first);
}

/* Computes forces by the action `gravity` of the general walk. */
static inline enum ky_status cloud_walk(const struct ky_parameters *parameters,
                                        struct ky_bodies *bodies, struct ky_force_report *report,
                                        struct ky_error *error)
{
    struct ky_walk_input input = {.size = sizeof input};
    double(*out)[4] = malloc((bodies->n + 1) * sizeof *out);
    struct ky_parameters own = *parameters;
    if (bodies->softening)
        own.softening = (double)NAN;
    enum ky_status status = ky_walk(&own, bodies, "gravity", &input, &out[0][0], report, error);
    for (size_t i = 0; i < bodies->n && status == KY_OK; i++) {
        memcpy(bodies->acceleration[i], out[i], sizeof *bodies->acceleration);
        bodies->potential[i] = out[i][3];
    }
    free(out);
    return status;
}

struct cloud_error {
    double median, p99, max, potential_median, potential_p99, potential_max;
};

static inline double cloud_percentile(const double *sorted, size_t n, double fraction)
{
    return n ? sorted[(size_t)((double)(n - 1) * fraction)] : 0;
}

/* The percentiles of the relative errors. A result that is not a number is infinitely wrong. */
static inline struct cloud_error cloud_compare(const struct ky_bodies *bodies,
                                               const struct ky_bodies *exact)
{
    size_t n = bodies->n;
    double *e = malloc((n + 1) * sizeof *e), *p = malloc((n + 1) * sizeof *p);
    for (size_t i = 0; i < n; i++) {
        double d2 = 0, a2 = 0;
        for (int c = 0; c < 3; c++) {
            double a = exact->acceleration[i][c], d = bodies->acceleration[i][c] - a;
            d2 += d * d;
            a2 += a * a;
        }
        double dp = fabs(bodies->potential[i] - exact->potential[i]);
        e[i] = d2 == 0 ? 0 : sqrt(d2 / a2);
        p[i] = dp == 0 ? 0 : dp / fabs(exact->potential[i]);
        e[i] = isnan(e[i]) ? (double)INFINITY : e[i];
        p[i] = isnan(p[i]) ? (double)INFINITY : p[i];
    }
    qsort(e, n, sizeof *e, ky_order_reals);
    qsort(p, n, sizeof *p, ky_order_reals);
    struct cloud_error result = {cloud_percentile(e, n, 0.5),  cloud_percentile(e, n, 0.99),
                                 cloud_percentile(e, n, 1),    cloud_percentile(p, n, 0.5),
                                 cloud_percentile(p, n, 0.99), cloud_percentile(p, n, 1)};
    free(e);
    free(p);
    return result;
}

/* The errors of one evaluation for the bodies. *report, unless NULL, gets its report. */
static inline struct cloud_error cloud_errors(const struct ky_parameters *parameters,
                                              struct ky_bodies *bodies,
                                              struct ky_force_report *report)
{
    struct ky_error error = {0};
    struct ky_bodies exact = cloud_make(PLUMMER, bodies->n);
    if (cloud_forces(parameters, bodies, &exact, report, &error) != KY_OK)
        fail_msg("%s", error.text);
    struct cloud_error e = cloud_compare(bodies, &exact);
    ky_bodies_free(&exact);
    return e;
}

/* The same for a cloud of n bodies. */
static inline struct cloud_error cloud_errors_of(const struct ky_parameters *parameters,
                                                 enum cloud kind, size_t n,
                                                 struct ky_force_report *report)
{
    struct ky_bodies bodies = cloud_make(kind, n);
    const struct cloud_error e = cloud_errors(parameters, &bodies, report);
    ky_bodies_free(&bodies);
    return e;
}

/* ---- what holds for every method with a tree ---- */

/* Bodies far away and dense clumps, where powers of distances leave float, cost no digits. */
static inline void cloud_awkward_places_are_served(const struct ky_parameters *parameters, size_t n)
{
    for (int k = 0; k < 4; k++) {
        struct ky_bodies bodies = k < 2 ? cloud_with_outliers(n, k ? 1e9 : 1e6)
                                        : cloud_with_clump(n, k > 2 ? 1e-7 : 1e-4);
        const struct cloud_error e = cloud_errors(parameters, &bodies, NULL);
        if (!(e.p99 <= 4e-3 && e.max <= 2e-2 && e.potential_max <= 2e-3))
            fail_msg("%s, order %d, %zu bodies, case %d: errors %g, %g, of the potential %g",
                     parameters->engine, parameters->order, n, k, e.p99, e.max, e.potential_max);
        ky_bodies_free(&bodies);
    }
}

/* Softenings of all kinds, of one length and of the bodies' own, are those of exact sums. */
static inline void cloud_softenings_are_served(const struct ky_parameters *given)
{
    enum { N = 3000 };
    static const int kinds[] = {KY_PLUMMER, KY_SYMMETRIC, KY_SPLINE};
    double own[N];
    cloud_softenings(own, N);
    for (int k = 0; k < 3 * 2; k++) {
        struct ky_parameters parameters = *given;
        struct ky_bodies bodies = cloud_make(PLUMMER, N);
        parameters.softening_kind = kinds[k / 2];
        parameters.softening = 0.3;
        bodies.softening = k & 1 ? own : NULL;
        const struct cloud_error e = cloud_errors(&parameters, &bodies, NULL);
        if (!(e.p99 <= 3.5e-3 && e.potential_p99 <= 1e-3))
            fail_msg("%s, softening %d, own %d: error %g, of the potential %g", parameters.engine,
                     kinds[k / 2], k & 1, e.p99, e.potential_p99);
        bodies.softening = NULL;
        ky_bodies_free(&bodies);
    }
}

/* Bodies without mass are legal. */
static inline void cloud_test_particles_are_served(const struct ky_parameters *parameters)
{
    for (int all = 0; all < 2; all++) {
        struct ky_bodies bodies = cloud_of_test_particles(1000, all);
        assert_between(cloud_errors(parameters, &bodies, NULL).p99, 0, 3.5e-3);
        assert_true(!all || bodies.potential[0] == 0);
        ky_bodies_free(&bodies);
    }
}

/* The bits do not depend on the number of threads. */
static inline void cloud_threads_leave_no_trace(const struct ky_parameters *given, size_t n)
{
    struct ky_error error = {0};
    struct ky_bodies first = {0};
    double pairs = 0;
    for (int threads = 1; threads <= 3; threads++) {
        struct ky_parameters parameters = *given;
        struct ky_force_report report = {0};
        parameters.threads = threads;
        struct ky_bodies bodies = cloud_make(PLUMMER, n);
        assert_ok(cloud_forces(&parameters, &bodies, NULL, &report, &error));
        if (threads == 1) {
            first = bodies;
            pairs = report.cell_interactions;
            continue;
        }
        assert_true(report.cell_interactions == pairs);
        assert_memory_equal(bodies.acceleration, first.acceleration, n * 3 * sizeof(double));
        assert_memory_equal(bodies.potential, first.potential, n * sizeof(double));
        ky_bodies_free(&bodies);
    }
    ky_bodies_free(&first);
}

/* Whether this build and processor have the instruction set. */
static inline int cloud_has_isa(int isa)
{
    struct ky_parameters parameters = cloud_parameters();
    parameters.isa = isa;
    parameters.force = KY_DIRECT;
    struct ky_bodies none = {0};
    return cloud_forces(&parameters, &none, NULL, NULL, NULL) == KY_OK;
}

#endif
