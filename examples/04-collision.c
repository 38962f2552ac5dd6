/* Two clusters fall together on a parabola: models, an orbit, a run, and a picture of three
 * moments.
 *
 *     cc 04-collision.c $(pkg-config --cflags --libs kyoho_draw) && ./a.out collision.png */
#include <kyoho/draw.h>

#include <stdio.h>
#include <stdlib.h>

static struct ky_error error;

static void must(enum ky_status status)
{
    if (status != KY_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit((int)status);
    }
}

int main(int argc, char **argv)
{
    enum { PANELS = 3, STEPS_BETWEEN = 120 };
    struct ky_parameters parameters;
    ky_parameters_defaults(&parameters);
    parameters.softening = 0.03;
    parameters.step = 1.0 / 32;

    struct ky_model_parameters model;
    struct ky_snapshot first, second, panel[PANELS];
    ky_model_parameters_defaults(&model);
    model.softening = parameters.softening;
    model.n = 3000;
    must(ky_model_make("plummer", &model, &first, &error));
    model.seed++;
    must(ky_model_make("hernquist", &model, &second, &error));

    struct ky_merge_parameters orbit;
    struct ky_bodies bodies = {0};
    ky_merge_parameters_defaults(&orbit);
    orbit.separation = 6;
    orbit.pericentre = 0.5;
    must(ky_merge(&first.bodies, &second.bodies, &orbit, &bodies, &error));

    struct ky_sim *sim;
    must(ky_sim_open(&parameters, &bodies, 0, &sim, &error));
    for (int p = 0; p < PANELS; p++) {
        if (p)
            must(ky_sim_advance(sim, STEPS_BETWEEN, &error));
        ky_snapshot_clear(&panel[p]);
        must(ky_bodies_allocate(&panel[p].bodies, bodies.n, 0, &error));
        must(ky_sim_bodies(sim, &panel[p].bodies, &error));
        panel[p].time = ky_sim_time(sim);
    }
    struct ky_sums sums = {0};
    must(ky_sim_sums(sim, &sums, &error));
    printf("bodies %zu  time %g  energy %.4f  centre of mass %.1e\n", bodies.n, panel[2].time,
           sums.kinetic + sums.potential, sums.centre[0]);

    if (argc > 1) {
        struct ky_draw_parameters draw;
        ky_draw_parameters_defaults(&draw);
        must(ky_draw(argv[1], panel, PANELS, &draw, &error));
        printf("picture %s\n", argv[1]);
    }
    for (int p = 0; p < PANELS; p++)
        ky_snapshot_free(&panel[p]);
    ky_sim_close(sim);
    ky_bodies_free(&bodies);
    ky_snapshot_free(&first);
    ky_snapshot_free(&second);
    return 0;
}
