/* Models in equilibrium stay as they are when they are run with the softening that they were made
 * for: Lagrangian radii over two crossing times. */
#include "test.h"

#include <math.h>

static struct ky_error error;

enum { N = 3000, RADII = 3 };
static const double fractions[RADII] = {0.25, 0.5, 0.75};

static void measure(const struct ky_bodies *bodies, double radii[RADII])
{
    const double centre[3] = {0, 0, 0};
    assert_ok(ky_lagrangian_radii(bodies, centre, RADII, fractions, radii, &error));
}

/* The ratios of the radii after `time` to the radii at the start. They are means of three late
 * states, which reduces the noise. */
static void run(const char *name, double model_softening, double softening, int kind,
                double ratio[RADII])
{
    struct ky_model_parameters model;
    struct ky_snapshot start;
    struct ky_parameters parameters;
    struct ky_sim *sim;
    struct ky_scales scales = {0};
    double before[RADII], after[RADII];
    ky_model_parameters_defaults(&model);
    model.n = N;
    model.softening = model_softening;
    model.softening_kind = kind;
    assert_ok(ky_model_make(name, &model, &start, &error));
    assert_ok(ky_system_scales(&start.bodies, 1, softening, &scales, &error));
    measure(&start.bodies, before);
    ky_parameters_defaults(&parameters);
    parameters.engine = "cpu";
    parameters.force = KY_DIRECT;
    parameters.softening = softening;
    parameters.softening_kind = kind;
    parameters.step = fmin(scales.step, 1.0 / 16);
    assert_ok(ky_sim_open(&parameters, &start.bodies, 0, &sim, &error));
    for (int k = 0; k < RADII; k++)
        ratio[k] = 0;
    for (int late = 0; late < 3; late++) {
        double span = (late ? 0.25 : 1.5) * scales.crossing_time;
        assert_ok(ky_sim_advance(sim, (uint64_t)(span / parameters.step), &error));
        assert_ok(ky_sim_bodies(sim, &start.bodies, &error));
        measure(&start.bodies, after);
        for (int k = 0; k < RADII; k++)
            ratio[k] += after[k] / before[k] / 3;
    }
    ky_sim_close(sim);
    ky_snapshot_free(&start);
}

static void equilibria_stay(void **state)
{
    (void)state;
    static const char *const names[] = {"plummer", "hernquist", "king"};
    static const double softening[] = {0.1, 0.4};
    double ratio[RADII];
    for (int m = 0; m < 3; m++)
        for (int s = 0; s < 2; s++) {
            run(names[m], softening[s], softening[s], s, ratio);
            for (int k = 0; k < RADII; k++)
                assert_between(ratio[k], 0.95, 1.05);
        }
}

/* A Newtonian model is too hot for a softened run, and expands. */
static void a_newtonian_model_expands_when_softened(void **state)
{
    (void)state;
    double ratio[RADII];
    run("plummer", 0, 0.4, KY_PLUMMER, ratio);
    assert_between(ratio[1], 1.15, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equilibria_stay),
        cmocka_unit_test(a_newtonian_model_expands_when_softened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
