/* A star cluster in a galaxy of bodies, each with an integrator of its own: a bridge (Fujii et al.
 * 2007). The two kick each other. Kicks cost no new evaluation of their own forces.
 *
 *     cc 13-bridge.c $(pkg-config --cflags --libs kyoho) && ./a.out */
#include <kyoho/kyoho.h>

#include <stdio.h>
#include <stdlib.h>

enum { GALAXY = 2000, CLUSTER = 200 };
static struct ky_error error;
static double x[GALAXY][3], m[GALAXY], pull[GALAXY][3], phi[GALAXY], density[CLUSTER];

static void must(enum ky_status status)
{
    if (status != KY_OK)
        exit((fprintf(stderr, "%s\n", error.text), (int)status));
}

static struct ky_sim *sphere(struct ky_model_parameters *model, int integrator)
{
    struct ky_snapshot snapshot;
    struct ky_parameters parameters;
    struct ky_sim *sim;
    ky_parameters_defaults(&parameters);
    must(ky_model_make("plummer", model, &snapshot, &error));
    parameters.softening = snapshot.softening;
    parameters.step = 1.0 / 64;
    parameters.integrator = integrator;
    must(ky_sim_open(&parameters, &snapshot.bodies, 0, &sim, &error));
    ky_snapshot_free(&snapshot);
    return sim;
}

/* Kicks the bodies of `of` by the field of `by` for a time. Returns their mutual energy. */
static double kick(struct ky_sim *of, struct ky_sim *by, double time)
{
    double energy = 0;
    struct ky_bodies all = {.n = ky_sim_n(of), .position = x, .mass = m};
    must(ky_sim_read(of, NULL, &all, &error));
    must(ky_sim_field(by, all.n, (const double(*)[3])x, 0.05, pull, phi, &error));
    for (size_t i = 0; i < all.n; energy += m[i] * phi[i], i++)
        for (int k = 0; k < 3; k++)
            pull[i][k] *= time;
    must(ky_sim_kick(of, NULL, all.n, (const double(*)[3])pull, &error));
    return energy;
}

int main(void)
{
    struct ky_model_parameters model;
    ky_model_parameters_defaults(&model);
    model.n = GALAXY;
    struct ky_sim *galaxy = sphere(&model, KY_LEAPFROG), *cluster;
    model.options =
        (const char *const[]){"bodies=200",     "mass=0.01",        "radius=0.02", "seed=2",
                              "position=1,0,0", "velocity=0,0.6,0", NULL};
    cluster = sphere(&model, KY_BLOCK_STEPS);
    for (double half = 1 / 32.0, time = 2 * half; time <= 2; time += 2 * half) {
        struct ky_bodies star = {.n = 1, .position = x};
        struct ky_sums one = {0}, two = {0};
        size_t i;
        kick(galaxy, cluster, half);
        kick(cluster, galaxy, half);
        must(ky_sim_advance_to(galaxy, time, 0, &error));
        must(ky_sim_advance_to(cluster, time, 0, &error));
        kick(galaxy, cluster, half);
        const double mutual = kick(cluster, galaxy, half);
        must(ky_sim_sums(galaxy, &one, &error));
        must(ky_sim_sums(cluster, &two, &error));
        must(ky_sim_sph_density(cluster, 12, density, NULL, NULL, &error));
        must(ky_sim_find(cluster, (const uint64_t[]){7}, 1, &i, &error));
        must(ky_sim_read(cluster, &i, &star, &error));
        printf("t %.3f  energy %.6f  star 7 at %.3f %.3f, density %.0f\n", time,
               one.kinetic + one.potential + two.kinetic + two.potential + mutual, x[0][0], x[0][1],
               density[i]);
    }
    return ky_sim_close(galaxy), ky_sim_close(cluster), 0;
}
