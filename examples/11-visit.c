/* A run in a folder calls a function after every eighth step, which prints the radius of half the
 * mass. A viewer, or a code that computes more than gravity, is called in the same way.
 *
 *     cc 11-visit.c $(pkg-config --cflags --libs kyoho) && ./a.out folder */
#include <kyoho/kyoho.h>

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

/* A cluster of n bodies, at rest as a whole. */
static struct ky_snapshot cluster(size_t n)
{
    struct ky_model_parameters model;
    struct ky_snapshot plummer;
    ky_model_parameters_defaults(&model);
    model.n = n;
    must(ky_model_make("plummer", &model, &plummer, &error));
    return plummer;
}

static enum ky_status look(void *context, struct ky_sim *sim, struct ky_error *problem)
{
    struct ky_bodies *bodies = context; /* memory for the bodies that are read */
    const double half = 0.5;
    double centre[3], radius;
    enum ky_status status = ky_sim_bodies(sim, bodies, problem);
    if (!status)
        status = ky_density_centre(bodies, centre, problem);
    if (!status)
        status = ky_lagrangian_radii(bodies, centre, 1, &half, &radius, problem);
    if (!status)
        printf("t %.3f  half-mass radius %.3f\n", ky_sim_time(sim), radius);
    return status;
}

int main(int count, char **words)
{
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    struct ky_snapshot plummer = cluster(1000);
    struct ky_bodies room = {0};
    must(ky_bodies_allocate(&room, plummer.bodies.n, 0, &error));
    ky_parameters_defaults(&parameters);
    ky_run_parameters_defaults(&run);
    parameters.step = 1.0 / 64;
    run.output = count > 1 ? words[1] : "visited";
    run.end = 0.5;
    run.overwrite = 1;
    run.keep = 1; /* the bodies stay with the program */
    run.visit = look;
    run.visit_context = &room;
    run.visit_every = 8;
    must(ky_run(&parameters, &run, &plummer, &error));
    printf("%zu bodies are still here\n", plummer.bodies.n);
    ky_bodies_free(&room);
    ky_snapshot_free(&plummer);
    return 0;
}
