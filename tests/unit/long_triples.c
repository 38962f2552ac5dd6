/* A triple and two pairs about each other in a group of the Hermite scheme for ten thousand of
 * their outermost orbits: all semi-major axes stay. */
#include "test.h"

#include "own_steps.h"
#include "physics/few.h"

/* Time units; an outermost orbit takes 2π/1000. */
enum { STEPS_A_UNIT = 64, UNITS = 63 };
/* Steps over which an axis is averaged: it changes within an outermost orbit. */
enum { MEAN = 400 };

/* ---- orbits ---- */

/* The centre of the bodies from `first` to `end`, and its velocity; returns their mass. */
static double centre(const struct ky_bodies *bodies, size_t first, size_t end, double x[3],
                     double v[3])
{
    double mass = 0;
    for (int c = 0; c < 3; c++)
        x[c] = v[c] = 0;
    for (size_t i = first; i < end; i++)
        mass += bodies->mass[i];
    for (size_t i = first; i < end; i++)
        for (int c = 0; c < 3; c++) {
            x[c] += bodies->mass[i] / mass * bodies->position[i][c];
            v[c] += bodies->mass[i] / mass * bodies->velocity[i][c];
        }
    return mass;
}

/* The semi-major axis of the orbit of two sides. */
static double axis_of(const struct ky_bodies *bodies, const size_t side[3])
{
    double x[2][3], v[2][3], gm = 0;
    for (int s = 0; s < 2; s++)
        gm += centre(bodies, side[s], side[s + 1], x[s], v[s]);
    for (int c = 0; c < 3; c++) {
        x[0][c] -= x[1][c];
        v[0][c] -= v[1][c];
    }
    return 1 / (2 / sqrt(ky_few_length2(x[0])) - ky_few_length2(v[0]) / gm);
}

/* ---- runs ---- */

struct orbits {
    int count;
    size_t side[3][3]; /* the first bodies of both sides, and the end */
};

static void stay(const char *name, struct ky_bodies *bodies, const struct orbits *orbits)
{
    enum { STEPS = UNITS * STEPS_A_UNIT };
    struct ky_parameters parameters;
    struct ky_sim *sim = NULL;
    double begin[3] = {0}, end[3] = {0}, least[3], most[3];
    ky_parameters_defaults(&parameters);
    parameters.engine = engine_name;
    parameters.integrator = KY_HERMITE4;
    parameters.softening = 0;
    parameters.step = 1.0 / STEPS_A_UNIT;
    parameters.group_radius = 0.03;
    assert_ok(ky_sim_open(&parameters, bodies, 0, &sim, &error));
    const double energy = total(sim);
    for (int step = 0; step < STEPS; step++) {
        assert_ok(ky_sim_advance(sim, 1, &error));
        assert_ok(ky_sim_bodies(sim, bodies, &error));
        for (int k = 0; k < orbits->count; k++) {
            const double axis = axis_of(bodies, orbits->side[k]);
            least[k] = step ? fmin(least[k], axis) : axis;
            most[k] = step ? fmax(most[k], axis) : axis;
            begin[k] += step < MEAN ? axis / MEAN : 0;
            end[k] += step >= STEPS - MEAN ? axis / MEAN : 0;
        }
    }
    const double change = total(sim) / energy - 1;
    printf("# %s: energy %.1e\n", name, change);
    assert_true(fabs(change) < 1e-6);
    for (int k = 0; k < orbits->count; k++) {
        printf("# axis %.6g, mean changes by %.1e, %.4f to %.4f of it\n", begin[k],
               end[k] / begin[k] - 1, least[k] / begin[k], most[k] / begin[k]);
        assert_true(fabs(end[k] / begin[k] - 1) < 2e-3);
        assert_true(least[k] > 0.95 * begin[k] && most[k] < 1.05 * begin[k]);
    }
    ky_sim_close(sim);
    ky_bodies_free(bodies);
}

static void a_triple_stays(void **state)
{
    (void)state;
    const double mass[3] = {0.35, 0.25, 0.4};
    const struct orbits orbits = {2, {{0, 1, 2}, {0, 2, 3}}};
    struct ky_bodies bodies = {0};
    assert_ok(ky_bodies_allocate(&bodies, 3, 0, &error));
    memcpy(bodies.mass, mass, sizeof mass);
    put_on_orbit(&bodies, orbits.side[0], 0.01 / 12, 0.3, 1, 0);
    put_on_orbit(&bodies, orbits.side[1], 0.01, 0.4, 2, 0.5);
    stay("triple", &bodies, &orbits);
}

static void two_pairs_stay(void **state)
{
    (void)state;
    const double mass[4] = {0.3, 0.2, 0.25, 0.25};
    const struct orbits orbits = {3, {{0, 1, 2}, {2, 3, 4}, {0, 2, 4}}};
    struct ky_bodies bodies = {0};
    assert_ok(ky_bodies_allocate(&bodies, 4, 0, &error));
    memcpy(bodies.mass, mass, sizeof mass);
    put_on_orbit(&bodies, orbits.side[0], 0.01 / 12, 0.3, 1, 0);
    put_on_orbit(&bodies, orbits.side[1], 0.01 / 18, 0.2, 0.5, 0.3);
    put_on_orbit(&bodies, orbits.side[2], 0.01, 0.4, 2, 0.5);
    stay("two pairs", &bodies, &orbits);
}

int main(void)
{
    engine_name = "cpu";
    takes_all = 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_triple_stays),
        cmocka_unit_test(two_pairs_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
