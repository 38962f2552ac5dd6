/* Trees and expansions of a device: tree [ENGINE [LARGEST]] (default cuda:0, 16777216). There is a
 * line for each row of the table below with no more than LARGEST bodies: milliseconds of the phases
 * of an evaluation from keys to forces, millions of bodies a second, interactions a body, the
 * errors of SAMPLES bodies against sums in double on the device, and the rate of the walk over that
 * of the arithmetic of an H200. Each line is the median of REPEAT evaluations, after two that are
 * not counted. p is the order of the moments, or f and that of the expansions; of the arithmetic of
 * expansions that of cells with single sinks and of pairs is counted alone. A last line has a
 * leap-frog step of two spheres in contact. */
#include "common.h"

#include "base/clock.h"
#include "engine/force_options.h"

enum { SAMPLES = 4096, REPEAT = 9, STEPS = 200 };

static const struct row {
    const char *model;
    size_t n;
    int multipole;
    double alpha, softening;
    int order; /* 0: --force tree; else fmm with this order */
} rows[] = {
    {"plummer", 131072, 2, 0.019, 0.01, 0},    {"plummer", 1048576, 1, 0.0078, 0.01, 0},
    {"plummer", 1048576, 2, 0.0012, 0.01, 0},  {"plummer", 4194304, 1, 0.015, 0.01, 0},
    {"plummer", 4194304, 2, 0.004, 0.01, 0},   {"plummer", 16777216, 1, 0.014, 0.01, 0},
    {"plummer", 16777216, 2, 0.002, 0.01, 0},  {"uniform-cube", 4194304, 1, 0.03, 0.001, 0},
    {"plummer", 500000000, 1, 0.012, 0.01, 0}, {"plummer", 131072, 2, 0.001, 0.01, 4},
    {"plummer", 1048576, 2, 0.012, 0.01, 4},   {"plummer", 1048576, 2, 0.0008, 0.01, 5},
    {"plummer", 1048576, 2, 0.00002, 0.01, 6}, {"plummer", 16777216, 2, 0.05, 0.01, 4},
    {"plummer", 16777216, 2, 0.0008, 0.01, 4}, {"uniform-cube", 4194304, 2, 0.2, 0.001, 4},
};

static struct ky_engine *open_for(const struct row *row, const char *engine_name,
                                  struct ky_parameters *resolved, const struct ky_bodies *bodies)
{
    struct ky_parameters given;
    ky_force_defaults(&given);
    given.engine = engine_name;
    given.force = row->order ? KY_FMM : KY_TREE;
    given.order = row->order ? row->order : given.order;
    given.softening = row->softening;
    given.multipole = row->multipole;
    given.alpha = row->alpha;
    return engine_for(&given, resolved, bodies);
}

/* Median and 99th percentile of the relative errors of the accelerations. */
static void errors_of(struct ky_engine *engine, struct ky_bodies *bodies, double error[2])
{
    static double wrong[SAMPLES];
    const size_t count =
        sampled_errors(engine, bodies->n, bodies->n > 100000000 ? SAMPLES / 16 : SAMPLES,
                       bodies->velocity, wrong); /* velocities are not needed now */
    error[0] = wrong[count / 2];
    error[1] = wrong[count * 99 / 100];
}

static struct ky_force_report measure(struct ky_engine *engine)
{
    struct ky_error error;
    struct ky_force_report run[REPEAT] = {{0}};
    for (int r = -2; r < REPEAT; r++) {
        stop_if(ky_engine_forces(engine, &error), &error);
        ky_engine_report(engine, &run[r < 0 ? 0 : r]);
    }
    return median_run(run, REPEAT);
}

/* The seconds that the walk's arithmetic needs on an H200, over the seconds that the walk took. A
 * pair is 13 float operations beside the root, a quadrupole 34; a fused one counts once. An H200
 * makes 132 × 128 of them a cycle, at 1.98 GHz. */
static double of_the_limit(const struct row *row, const struct ky_force_report *report)
{
    const double operations =
        13 * report->body_interactions + (row->multipole > 1 ? 34 : 13) * report->cell_interactions;
    return operations / (132 * 128 * 1.98e9) / report->walk;
}

static void print_row(const struct row *row, const char *engine_name)
{
    struct ky_snapshot snapshot = model(row->model, row->n);
    struct ky_parameters parameters;
    struct ky_engine *engine = open_for(row, engine_name, &parameters, &snapshot.bodies);
    const struct ky_force_report report = measure(engine);
    const double n = (double)row->n;
    double error[2];
    errors_of(engine, &snapshot.bodies, error);
    printf("%-12s %9zu %s%d %-6g %6.3f %6.3f %6.3f %6.3f %8.3f %8.3f %6.0f %5.0f %5.0f %.1e %.1e "
           "%3.0f%%\n",
           row->model, row->n, row->order ? "f" : " ", row->order ? row->order : row->multipole,
           row->alpha, 1e3 * report.keys, 1e3 * report.sort, 1e3 * report.build,
           1e3 * report.moments, 1e3 * report.walk, 1e3 * report.total, 1e-6 * n / report.total,
           report.body_interactions / n, report.cell_interactions / n, error[0], error[1],
           100 * of_the_limit(row, &report));
    fflush(stdout);
    ky_engine_close(engine);
    ky_snapshot_free(&snapshot);
}

static void take_steps(struct ky_engine *engine, int steps)
{
    const double dt = 1e-4;
    struct ky_error error;
    for (int k = 0; k < steps; k++) {
        stop_if(ky_engine_kick(engine, 0.5 * dt, &error), &error);
        stop_if(ky_engine_drift(engine, dt, &error), &error);
        stop_if(ky_engine_forces(engine, &error), &error);
        stop_if(ky_engine_kick(engine, 0.5 * dt, &error), &error);
    }
}

/* Two Plummer spheres with their centres at a distance of two virial radii, and as many bodies in
 * all as the merger of Bédorf, Gaburov & Portegies Zwart (2012). */
static void print_step(const char *engine_name)
{
    enum { N = 240002 };
    const struct row row = {"two plummer", N, 2, 0.016, 0.01, 0};
    struct ky_error error;
    struct ky_snapshot snapshot = model("plummer", N);
    struct ky_parameters parameters;
    for (size_t i = 0; i < N; i++)
        snapshot.bodies.position[i][0] += i % 2 ? 1 : -1;
    struct ky_engine *engine = open_for(&row, engine_name, &parameters, &snapshot.bodies);
    struct ky_sums sums = {.size = sizeof sums};
    stop_if(ky_engine_forces(engine, &error), &error);
    take_steps(engine, 20);
    stop_if(ky_engine_sums(engine, &sums, &error), &error); /* waits for the device */
    double start = ky_clock();
    take_steps(engine, STEPS);
    stop_if(ky_engine_sums(engine, &sums, &error), &error);
    printf("a step of %d bodies, two spheres in contact, quadrupoles, alpha 0.016: %.3f ms\n", N,
           1e3 * (ky_clock() - start) / STEPS);
    ky_engine_close(engine);
    ky_snapshot_free(&snapshot);
}

int main(int argc, char **argv)
{
    const char *engine_name = argc > 1 ? argv[1] : "cuda:0";
    const double largest = argc > 2 ? atof(argv[2]) : 16777216;
    printf("%-12s %9s  p alpha    keys   sort  build moment     walk    total    M/s bodies cells "
           "median  99%%     limit\n",
           "model", "n");
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if ((double)rows[k].n <= largest)
            print_row(&rows[k], engine_name);
    print_step(engine_name);
    return 0;
}
