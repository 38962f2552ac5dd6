/* A simulation is changed while it goes on: stars lose mass, escapers are removed, a second cluster
 * comes, and step and softening change.
 *
 *     cc 07-changes.c $(pkg-config --cflags --libs kyoho) && ./a.out */
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

int main(void)
{
    struct ky_parameters parameters;
    struct ky_sums sums = {0};
    struct ky_snapshot first = cluster(1000), second = cluster(500);
    struct ky_bodies bodies = {0};
    struct ky_sim *sim;
    ky_parameters_defaults(&parameters);
    parameters.softening = first.softening;
    parameters.step = 1.0 / 64;
    must(ky_sim_open(&parameters, &first.bodies, 0, &sim, &error));
    must(ky_sim_advance_to(sim, 0.5, 0, &error));

    /* Winds leave 99 % of masses and softenings; one star is kicked. NULL arrays stay. */
    must(ky_bodies_allocate(&bodies, ky_sim_n(sim), KY_WITH_ID | KY_WITH_SOFTENING, &error));
    must(ky_sim_bodies(sim, &bodies, &error));
    for (size_t i = 0; i < bodies.n; i++)
        bodies.mass[i] *= 0.99, bodies.softening[i] *= 0.99;
    bodies.velocity[0][2] += 0.5;
    must(ky_sim_write(sim, &bodies, &error));

    /* Bodies far outside are removed, by their ids. */
    size_t escapers = 0;
    for (size_t i = 0; i < bodies.n; i++) {
        const double *x = bodies.position[i];
        if (x[0] * x[0] + x[1] * x[1] + x[2] * x[2] > 25)
            bodies.id[escapers++] = bodies.id[i];
    }
    must(ky_sim_remove(sim, bodies.id, escapers, &error));

    /* One softening for all bodies again. Another cluster comes, with new ids. */
    must(ky_sim_set_softening(sim, 2 * first.softening, &error));
    for (size_t i = 0; i < second.bodies.n; i++)
        second.bodies.position[i][0] += 4;
    free(second.bodies.id);
    second.bodies.id = NULL;
    must(ky_sim_add(sim, &second.bodies, &error));

    must(ky_sim_set_step(sim, 1.0 / 32, &error));
    must(ky_sim_advance_to(sim, 1, 0, &error));
    must(ky_sim_sums(sim, &sums, &error));
    printf("escapers %zu  bodies %zu  mass %.3f  time %g  steps %llu\n", escapers, ky_sim_n(sim),
           sums.mass, ky_sim_time(sim), (unsigned long long)ky_sim_steps(sim));
    ky_sim_close(sim);
    ky_bodies_free(&bodies);
    ky_snapshot_free(&first);
    ky_snapshot_free(&second);
    return 0;
}
