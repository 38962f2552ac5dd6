/* A star cluster in equilibrium stays as it is: a Plummer model over one time unit.
 *
 *     cc 03-plummer-run.c $(pkg-config --cflags --libs kyoho) && ./a.out */
#include <kyoho/kyoho.h>

#include <math.h>
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

static void print_state(struct ky_sim *sim, struct ky_bodies *bodies, double start_energy)
{
    const double fractions[] = {0.1, 0.5, 0.9};
    double centre[3], radii[3];
    struct ky_sums sums = {0};
    must(ky_sim_bodies(sim, bodies, &error));
    must(ky_sim_sums(sim, &sums, &error));
    must(ky_density_centre(bodies, centre, &error));
    must(ky_lagrangian_radii(bodies, centre, 3, fractions, radii, &error));
    printf("t = %.3f  radii of 10, 50, 90 %%: %.3f %.3f %.3f  virial ratio %.3f  dE/E %+.1e\n",
           ky_sim_time(sim), radii[0], radii[1], radii[2], 2 * sums.kinetic / fabs(sums.virial),
           (sums.kinetic + sums.potential) / start_energy - 1);
}

int main(void)
{
    struct ky_parameters parameters;
    ky_parameters_defaults(&parameters);
    parameters.softening = 0.02;
    parameters.step = 1.0 / 128;

    struct ky_model_parameters model;
    struct ky_snapshot plummer;
    ky_model_parameters_defaults(&model);
    model.n = 10000;
    model.seed = 1;
    model.softening = parameters.softening; /* for velocities in balance */
    must(ky_model_make("plummer", &model, &plummer, &error));

    struct ky_sim *sim;
    struct ky_sums start = {0};
    must(ky_sim_open(&parameters, &plummer.bodies, 0, &sim, &error));
    must(ky_sim_sums(sim, &start, &error));
    for (int quarter = 0; quarter <= 4; quarter++) {
        print_state(sim, &plummer.bodies, start.kinetic + start.potential);
        if (quarter < 4)
            must(ky_sim_advance(sim, 32, &error));
    }
    ky_sim_close(sim);
    ky_snapshot_free(&plummer);
    return 0;
}
