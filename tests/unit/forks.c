/* Children of a process that uses the library: on the CPU they go on, with the same bits; what lies
 * on a device is KY_FAULT, and no call waits for ever. */
#include "test.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clouds.h"
#include "engines.h"

enum { N = 3000, PATIENCE = 60 }; /* bodies; seconds */

static struct ky_error error;

static struct ky_parameters parameters_for(const char *engine)
{
    struct ky_parameters parameters;
    ky_parameters_defaults(&parameters);
    parameters.engine = engine;
    parameters.softening = 0.01;
    parameters.step = 0.01;
    return parameters;
}

static struct ky_sim *open_one(const struct ky_parameters *parameters,
                               const struct ky_bodies *bodies)
{
    struct ky_sim *sim = NULL;
    assert_ok(ky_sim_open(parameters, bodies, 0, &sim, &error));
    assert_ok(ky_sim_advance(sim, 1, &error));
    return sim;
}

/* Runs `work` in a child; returns the number that it gives, or -1 if the child was killed. */
static int in_a_child(int (*work)(struct ky_sim *sim), struct ky_sim *sim)
{
    int status = 0;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        alarm(PATIENCE);
        _exit(work(sim));
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static uint8_t sum_of(struct ky_sim *sim)
{
    double position[N][3];
    struct ky_bodies got = {.n = N, .position = position};
    uint8_t sum = 0;
    if (ky_sim_bodies(sim, &got, &error) != KY_OK)
        return 0;
    for (size_t k = 0; k < sizeof position; k++)
        sum = (uint8_t)(31 * sum + ((const uint8_t *)position)[k]);
    return sum;
}

static int advance_there(struct ky_sim *sim)
{
    return ky_sim_advance(sim, 2, &error) == KY_OK ? sum_of(sim) : 0;
}

static void children_go_on_on_the_cpu(void **state)
{
    (void)state;
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    const struct ky_parameters parameters = parameters_for("cpu");
    struct ky_sim *sim = open_one(&parameters, &bodies);
    const int its = in_a_child(advance_there, sim);
    assert_ok(ky_sim_advance(sim, 2, &error));
    assert_int_equal(its, sum_of(sim));
    ky_sim_close(sim);
    ky_bodies_free(&bodies);
}

/* What a child may expect after its parent has used a device: the number of the first call that
 * gave something else, or 0. */
static int use_a_lost_device(struct ky_sim *sim)
{
    static double a[N][3], phi[N];
    struct ky_parameters parameters;
    struct ky_force_report report;
    struct ky_bodies bodies = {.n = N}, cloud = cloud_make(PLUMMER, N);
    struct ky_sim *other = NULL;
    double at[1][3] = {{0}};
    bodies.acceleration = a;
    bodies.potential = phi;
    ky_parameters_defaults(&parameters);
    if (ky_sim_parameters(sim, &parameters, &error) != KY_OK)
        return 1;
    if (ky_sim_advance(sim, 1, &error) != KY_FAULT || !strstr(error.text, "forked"))
        return 2;
    if (ky_sim_bodies(sim, &bodies, &error) == KY_OK)
        return 3;
    if (ky_sim_field(sim, 1, (const double(*)[3])at, 0, a, NULL, &error) == KY_OK)
        return 4;
    ky_sim_report(sim, &report);
    if (ky_sim_open(&parameters, &cloud, 0, &other, &error) != KY_FAULT || other)
        return 5;
    parameters.engine = "auto";
    if (ky_sim_open(&parameters, &cloud, 0, &other, &error) != KY_OK ||
        ky_sim_advance(other, 1, &error) != KY_OK)
        return 6;
    ky_sim_close(other);
    ky_sim_close(sim);
    return 0;
}

static void devices_are_lost_in_children(void **state)
{
    (void)state;
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    need_a_device();
    FOR_DEVICES(e, 1)
    {
        const struct ky_parameters parameters = parameters_for(engines[e].engine);
        struct ky_sim *sim = open_one(&parameters, &bodies);
        assert_int_equal(in_a_child(use_a_lost_device, sim), 0);
        assert_ok(ky_sim_advance(sim, 1, &error));
        ky_sim_close(sim);
    }
    ky_bodies_free(&bodies);
}

/* A child closes the view of its parent, and shows nothing there. */
static struct ky_view *view;

static int use_the_view(struct ky_sim *sim)
{
    unsigned orders = 7;
    if (ky_sim_show(sim, view, &orders, &error) != KY_OK || orders != 0)
        return 1;
    ky_sim_close(sim);
    ky_view_close(view);
    return 0;
}

static void views_stay_with_the_parent(void **state)
{
    (void)state;
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    const struct ky_parameters parameters = parameters_for("cpu");
    struct ky_view_parameters how;
    unsigned orders;
    ky_view_parameters_defaults(&how);
    struct ky_sim *sim = open_one(&parameters, &bodies);
    assert_ok(ky_view_open(&how, &view, &error));
    assert_ok(ky_sim_show(sim, view, &orders, &error));
    assert_int_equal(in_a_child(use_the_view, sim), 0);
    assert_ok(ky_sim_show(sim, view, &orders, &error));
    ky_sim_close(sim);
    ky_view_close(view);
    ky_bodies_free(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_stay_with_the_parent),
        cmocka_unit_test(children_go_on_on_the_cpu),
        cmocka_unit_test(devices_are_lost_in_children),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
