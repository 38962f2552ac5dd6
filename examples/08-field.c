/* The field of a cluster at points that are not bodies: its rotation curve, from the simulation.
 *
 *     cc 08-field.c $(pkg-config --cflags --libs kyoho) -lm && ./a.out */
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
    enum { POINTS = 8 };
    struct ky_parameters parameters;
    struct ky_snapshot plummer = cluster(20000);
    struct ky_sim *sim;
    double points[POINTS][3] = {{0}}, acceleration[POINTS][3], potential[POINTS];
    ky_parameters_defaults(&parameters);
    parameters.softening = plummer.softening;
    must(ky_sim_open(&parameters, &plummer.bodies, 0, &sim, &error));
    for (int k = 0; k < POINTS; k++)
        points[k][0] = 0.25 * (k + 1);
    must(ky_sim_field(sim, POINTS, (const double(*)[3])points, plummer.softening, acceleration,
                      potential, &error));
    for (int k = 0; k < POINTS; k++)
        printf("r %.2f  circular velocity %.3f  escape velocity %.3f\n", points[k][0],
               sqrt(-acceleration[k][0] * points[k][0]), sqrt(-2 * potential[k]));
    ky_sim_close(sim);
    ky_snapshot_free(&plummer);
    return 0;
}
