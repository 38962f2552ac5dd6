/* A simulation is saved, and another program goes on with it to the last bit.
 *
 *     cc 09-restart.c $(pkg-config --cflags --libs kyoho) && ./a.out state.kyo */
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

int main(int count, char **words)
{
    const char *path = count > 1 ? words[1] : "state.kyo";
    struct ky_parameters parameters;
    struct ky_snapshot plummer = cluster(2000);
    struct ky_bodies bodies = {0};
    struct ky_sim *sim, *again;
    ky_parameters_defaults(&parameters);
    parameters.softening = plummer.softening;
    parameters.step = 1.0 / 64;
    must(ky_sim_open(&parameters, &plummer.bodies, 0, &sim, &error));
    must(ky_sim_advance(sim, 10, &error));
    must(ky_sim_save(sim, path, &error));

    ky_parameters_defaults(&parameters); /* everything as saved */
    must(ky_sim_restore(path, &parameters, &again, &error));
    /* 0.4 lies within a step. The 1 allows the step to be divided. */
    must(ky_sim_advance_to(sim, 0.4, 1, &error));
    must(ky_sim_advance_to(again, 0.4, 1, &error));

    double largest = 0;
    must(ky_bodies_allocate(&bodies, ky_sim_n(again), 0, &error));
    must(ky_sim_bodies(sim, &plummer.bodies, &error));
    must(ky_sim_bodies(again, &bodies, &error));
    for (size_t i = 0; i < bodies.n; i++)
        for (int k = 0; k < 3; k++) {
            double miss = bodies.position[i][k] - plummer.bodies.position[i][k];
            largest = miss * miss > largest ? miss * miss : largest;
        }
    printf("time %g  steps %llu  largest difference %g\n", ky_sim_time(again),
           (unsigned long long)ky_sim_steps(again), largest);
    ky_sim_close(sim);
    ky_sim_close(again);
    ky_bodies_free(&bodies);
    ky_snapshot_free(&plummer);
    return 0;
}
