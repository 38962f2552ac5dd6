/* What a row of energy.csv costs: row [--engine NAME] [N [ROWS]] (default cpu, 240,000, 20).
 * KYOHO_ENGINE names the engine where the option does not. For a Plummer sphere it prints the
 * milliseconds of a step with the tree, and of the parts of a row: the sums, the copy of the
 * bodies, and their bound mass with the half-mass radius. Each is the median over the rows. */
#include <string.h>

#include "analysis/analysis.h"
#include "base/clock.h"
#include "common.h"

enum { STEP, SUMS, COPY, BOUND, PARTS, MOST_ROWS = 1000 };
static struct ky_error error;

/* The seconds of the four parts of one row. */
static void time_row(struct ky_sim *sim, struct ky_bodies *bodies, double seconds[PARTS])
{
    const struct ky_portion all = ky_portion_of_all(bodies->n);
    struct ky_sums sums = {0};
    struct ky_bound bound;
    double at[PARTS + 1];
    at[0] = ky_clock();
    stop_if(ky_sim_advance(sim, 1, &error), &error);
    at[1] = ky_clock();
    stop_if(ky_sim_sums(sim, &sums, &error), &error);
    at[2] = ky_clock();
    stop_if(ky_sim_bodies(sim, bodies, &error), &error);
    at[3] = ky_clock();
    stop_if(ky_choose_bound(&all, bodies, &bound, &error), &error);
    stop_if(ky_bound_radius(&all, bodies, &bound, &error), &error);
    at[4] = ky_clock();
    for (int k = 0; k < PARTS; k++)
        seconds[k] = at[k + 1] - at[k];
}

int main(int argc, char **argv)
{
    const char *engine = getenv("KYOHO_ENGINE");
    if (argc > 2 && !strcmp(argv[1], "--engine"))
        engine = argv[2], argc -= 2, argv += 2;
    const size_t n = argc > 1 ? (size_t)atof(argv[1]) : 240000;
    const int wanted = argc > 2 ? atoi(argv[2]) : 20;
    const int rows = wanted < 1 ? 1 : wanted < MOST_ROWS ? wanted : MOST_ROWS;
    static double seconds[PARTS][MOST_ROWS];
    struct ky_model_parameters model;
    struct ky_parameters parameters;
    struct ky_snapshot snapshot;
    struct ky_sim *sim;
    ky_snapshot_clear(&snapshot);
    ky_model_parameters_defaults(&model);
    model.n = n;
    stop_if(ky_model_make("plummer", &model, &snapshot, &error), &error);
    ky_parameters_defaults(&parameters);
    parameters.engine = engine ? engine : "cpu";
    parameters.softening = snapshot.softening;
    parameters.step = 1.0 / 1024;
    stop_if(ky_sim_open(&parameters, &snapshot.bodies, 0, &sim, &error), &error);
    stop_if(ky_bodies_extend(&snapshot.bodies, KY_WITH_POTENTIAL, &error), &error);
    for (int r = 0; r < rows; r++) {
        double row[PARTS];
        time_row(sim, &snapshot.bodies, row);
        for (int k = 0; k < PARTS; k++)
            seconds[k][r] = row[k];
    }
    for (int k = 0; k < PARTS; k++)
        qsort(seconds[k], (size_t)rows, sizeof **seconds, ky_order_reals);
    printf("%zu bodies on %s: step %.3f ms; of a row sums %.3f, copy %.3f, bound mass %.3f ms\n", n,
           parameters.engine, 1e3 * seconds[STEP][rows / 2], 1e3 * seconds[SUMS][rows / 2],
           1e3 * seconds[COPY][rows / 2], 1e3 * seconds[BOUND][rows / 2]);
    ky_sim_close(sim);
    ky_snapshot_free(&snapshot);
    return 0;
}
