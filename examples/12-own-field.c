/* A star cluster on an orbit in the disk of a galaxy (Miyamoto & Nagai 1975). The disk is an
 * external field that Kyoho does not have: a function of this program.
 *
 *     cc 12-own-field.c $(pkg-config --cflags --libs kyoho) -lm && ./a.out */
#include <kyoho/kyoho.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct disk {
    double gm, a, b;
};

static struct ky_error error;

static void must(enum ky_status status)
{
    if (status != KY_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit((int)status);
    }
}

/* φ = -GM/s, s² = R² + (a + √(z² + b²))². Acceleration and jerk are the same along x and y. */
static void pull(void *context, struct ky_field_place *at)
{
    const struct disk *d = context;
    const double *x = at->position, *v = at->velocity;
    double zb = sqrt(x[2] * x[2] + d->b * d->b), thick = d->a + zb;
    double s2 = x[0] * x[0] + x[1] * x[1] + thick * thick, force = -d->gm / (s2 * sqrt(s2));
    double ratio = thick / zb; /* the force along z over that along x and y */
    double turn[3] = {0, 0, -d->a * x[2] * v[2] / (zb * zb * zb)}; /* its derivative in time */
    double along = 3 * (x[0] * v[0] + x[1] * v[1] + ratio * x[2] * v[2]) / s2;
    for (int c = 0; c < 3; c++) {
        double part = c == 2 ? ratio : 1;
        at->acceleration[c] = force * part * x[c];
        at->jerk[c] = force * (part * (v[c] - along * x[c]) + turn[c] * x[c]);
    }
    at->potential = -d->gm / sqrt(s2);
}

int main(void)
{
    struct disk disk = {100, 3, 0.3};
    struct ky_model_parameters model;
    struct ky_snapshot cluster;
    struct ky_parameters parameters;
    struct ky_sim *sim;
    struct ky_sums sums = {0};
    ky_model_parameters_defaults(&model);
    model.n = 200;
    model.mass = 1e-3;
    model.radius = 0.05;
    must(ky_model_make("plummer", &model, &cluster, &error));
    for (size_t i = 0; i < cluster.bodies.n; i++) {
        cluster.bodies.position[i][0] += 8;
        cluster.bodies.velocity[i][1] += 3.2;
        cluster.bodies.velocity[i][2] += 0.5;
    }
    ky_parameters_defaults(&parameters);
    parameters.engine = "cpu"; /* devices cannot call functions of a program */
    parameters.integrator = KY_HERMITE4;
    parameters.force = KY_DIRECT;
    parameters.softening = cluster.softening;
    parameters.step = 1. / 64;
    parameters.field_function = pull;
    parameters.field_context = &disk;
    must(ky_sim_open(&parameters, &cluster.bodies, 0, &sim, &error));
    for (int k = 0; k <= 4; k++) {
        must(ky_sim_advance_to(sim, k, 0, &error));
        must(ky_sim_sums(sim, &sums, &error));
        printf("t %d  cluster at %6.3f %6.3f %6.3f  energy %.9f\n", k, sums.centre[0],
               sums.centre[1], sums.centre[2], sums.kinetic + sums.potential + sums.external);
    }
    ky_sim_close(sim);
    ky_snapshot_free(&cluster);
    return 0;
}
