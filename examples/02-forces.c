/* One evaluation of accelerations, without a simulation: errors of the tree at several opening
 * angles, against the exact sum.
 *
 *     cc 02-forces.c $(pkg-config --cflags --libs kyoho) && ./a.out */
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

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorted |a − exact| / |exact|. */
static void errors(const struct ky_bodies *bodies, double (*exact)[3], double *relative)
{
    for (size_t i = 0; i < bodies->n; i++) {
        double difference = 0, length = 0;
        for (int k = 0; k < 3; k++) {
            difference += pow(bodies->acceleration[i][k] - exact[i][k], 2);
            length += pow(exact[i][k], 2);
        }
        relative[i] = sqrt(difference / length);
    }
    qsort(relative, bodies->n, sizeof *relative, ascending);
}

int main(void)
{
    enum { N = 8000 };
    static double exact[N][3], relative[N], (*own)[3], potential[N];
    struct ky_model_parameters model;
    struct ky_snapshot plummer;
    ky_model_parameters_defaults(&model);
    model.n = N;
    must(ky_model_make("plummer", &model, &plummer, &error));

    struct ky_parameters parameters;
    ky_parameters_defaults(&parameters);
    parameters.softening = 0.01;
    parameters.force = KY_DIRECT;
    parameters.precision = KY_DOUBLE;
    struct ky_bodies view = plummer.bodies; /* the same bodies, with our arrays for results */
    view.acceleration = exact;
    view.potential = potential;
    must(ky_forces(&parameters, &view, NULL, &error));

    own = malloc(sizeof exact);
    view.acceleration = own;
    parameters.force = KY_TREE;
    parameters.precision = KY_SINGLE;
    printf("theta   median error   99 %%       pairs per body\n");
    for (parameters.theta = 0.4; own && parameters.theta < 1.1; parameters.theta += 0.2) {
        struct ky_force_report report = {0};
        must(ky_forces(&parameters, &view, &report, &error));
        errors(&view, exact, relative);
        printf("%.1f     %.2e       %.2e   %.0f\n", parameters.theta, relative[N / 2],
               relative[N * 99 / 100], (report.body_interactions + report.cell_interactions) / N);
    }
    free(own);
    ky_snapshot_free(&plummer);
    return 0;
}
