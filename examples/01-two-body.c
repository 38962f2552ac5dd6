/* Two bodies on an ellipse, set by hand: one revolution, and how well the orbit closes.
 *
 *     cc 01-two-body.c $(pkg-config --cflags --libs kyoho) && ./a.out */
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

/* Sets two bodies at the pericentre of an ellipse with semi-major axis 1. Total mass and G are 1,
 * so the period is 2 π. */
static void place(struct ky_bodies *bodies, double eccentricity)
{
    double distance = 1 - eccentricity;
    double speed = sqrt((1 + eccentricity) / distance);
    must(ky_bodies_allocate(bodies, 2, 0, &error));
    for (int i = 0; i < 2; i++) {
        bodies->mass[i] = 0.5;
        bodies->position[i][0] = (i ? 0.5 : -0.5) * distance;
        bodies->velocity[i][1] = (i ? 0.5 : -0.5) * speed;
    }
}

int main(void)
{
    const double period = 2 * 3.14159265358979324;
    const unsigned steps = 10000;
    struct ky_bodies bodies = {0};
    place(&bodies, 0.5);

    struct ky_parameters parameters;
    ky_parameters_defaults(&parameters);
    parameters.force = KY_DIRECT;
    parameters.precision = KY_DOUBLE;
    parameters.softening = 0;
    parameters.step = period / steps;

    struct ky_sim *sim;
    struct ky_sums before = {0}, after = {0};
    must(ky_sim_open(&parameters, &bodies, 0, &sim, &error));
    must(ky_sim_sums(sim, &before, &error));
    must(ky_sim_advance(sim, steps, &error));
    must(ky_sim_sums(sim, &after, &error));

    double start[3] = {bodies.position[0][0], bodies.position[0][1], bodies.position[0][2]};
    must(ky_sim_bodies(sim, &bodies, &error));
    double miss = 0;
    for (int k = 0; k < 3; k++)
        miss += pow(bodies.position[0][k] - start[k], 2);
    double e0 = before.kinetic + before.potential, e1 = after.kinetic + after.potential;
    printf("steps            %llu\n", (unsigned long long)ky_sim_steps(sim));
    printf("time             %.6f\n", ky_sim_time(sim));
    printf("energy           %.6f\n", e1);
    printf("energy change    %.2e\n", fabs(e1 / e0 - 1));
    printf("orbit misses by  %.2e\n", sqrt(miss));
    ky_sim_close(sim);
    ky_bodies_free(&bodies);
    return 0;
}
