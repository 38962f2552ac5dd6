/* crossover methods [ENGINE [THREADS [SELECTION...]]] prints what --force auto takes for an error
 * and how near it is to the fastest method, and crossover ranks [ENGINE [RANKS [SELECTION...]]] the
 * same for ranks that share the threads or the devices; see struct selection.
 *
 * The number of bodies above which a device is faster than the CPU: crossover [ENGINE [THREADS]]
 * (default cuda:0, all cores). For the exact sum and the tree it prints the time of a leap-frog
 * step of Plummer spheres on both, over the number of bodies. Then follow the speeds of a thread
 * and of the device (pairs a second for the exact sum, bodies a second for the tree), the part of
 * the device's step that does not grow with the bodies, and the crossover: as measured, and as
 * src/engine/common/force_kinds.c has it. Options have their defaults. */
#include "common.h"

#include <string.h>

#include "base/clock.h"
#include "base/threads.h"
#include "engine/common/force_kinds.h"
#include "integrate/integrate.h"

/* Numbers of bodies are powers of two from 64 to 131,072, as long as a step takes no more than
 * LONGEST seconds. As many steps are timed as take LEAST seconds. */
enum { SIZES = 12, SMALLEST = 64, TIMES = 3 };
static const double LEAST = 0.05, LONGEST = 2;

/* Seconds of `steps` steps. The sums before and after them wait for the device. */
static double time_steps(struct ky_engine *engine, struct ky_integrator_state *leapfrog,
                         uint64_t steps)
{
    struct ky_error error;
    struct ky_sums sums = {0};
    stop_if(ky_engine_sums(engine, &sums, &error), &error);
    const double start = ky_clock();
    stop_if(leapfrog->verbs->advance(leapfrog, steps, &error), &error);
    stop_if(ky_engine_sums(engine, &sums, &error), &error);
    return ky_clock() - start;
}

/* Seconds of a step: the least of TIMES series. Trials before them find out how long a series
 * is. */
static double step_of(struct ky_engine *engine, struct ky_integrator_state *leapfrog)
{
    uint64_t steps = 1;
    double least = time_steps(engine, leapfrog, steps);
    while (time_steps(engine, leapfrog, steps) < LEAST)
        steps *= 2;
    for (int k = 0; k < TIMES; k++)
        least = fmin(least, time_steps(engine, leapfrog, steps) / (double)steps);
    return least;
}

static double measure(const char *name, int threads, int force, const struct ky_bodies *bodies)
{
    struct ky_error error;
    struct ky_parameters given, parameters;
    struct ky_engine *engine;
    struct ky_integrator_state *leapfrog;
    ky_parameters_defaults(&given);
    given.engine = name;
    given.threads = threads;
    given.force = force;
    given.softening = 0.01;
    given.step = 1.0 / 65536; /* the bodies are to stay where they are */
    stop_if(ky_parameters_resolve(&given, &parameters, &error), &error);
    stop_if(ky_engine_open(&parameters, bodies->n, &engine, &error), &error);
    stop_if(ky_engine_put(engine, bodies, &error), &error);
    stop_if(ky_engine_forces(engine, &error), &error);
    stop_if(ky_integrator_create(engine, bodies->n, &parameters, &leapfrog, &error), &error);
    const double seconds = step_of(engine, leapfrog);
    ky_integrator_free(leapfrog);
    ky_engine_close(engine);
    return seconds;
}

struct curve {
    double n[SIZES], cpu[SIZES], device[SIZES];
    int count;
};

/* The number of bodies at which the lines through the measured points cross for the last time, on
 * logarithmic scales. It is 0 where the device is always faster, and infinite where the CPU is
 * faster in the end. */
static double crossing(const struct curve *curve)
{
    double before = 0, at = 0;
    for (int k = 0; k < curve->count; k++) {
        const double now = log(curve->device[k] / curve->cpu[k]); /* below 0: the device */
        if (now >= 0)
            at = (double)INFINITY;
        else if (k > 0 && before >= 0)
            at = curve->n[k - 1] * pow(curve->n[k] / curve->n[k - 1], before / (before - now));
        before = now;
    }
    return at;
}

static void print_curve(const char *name, int force, double power, const char *engine, int threads)
{
    struct curve curve = {.count = 0};
    printf("%-8s %9s %12s %12s\n", name, "bodies", "CPU, ms", "device, ms");
    for (int k = 0; k < SIZES; k++) {
        const size_t n = (size_t)SMALLEST << k;
        struct ky_snapshot snapshot = model("plummer", n);
        curve.n[k] = (double)n;
        curve.cpu[k] = measure("cpu", threads, force, &snapshot.bodies);
        curve.device[k] = measure(engine, threads, force, &snapshot.bodies);
        curve.count = k + 1;
        printf("%-8s %9.0f %12.4f %12.4f\n", name, curve.n[k], 1e3 * curve.cpu[k],
               1e3 * curve.device[k]);
        fflush(stdout);
        ky_snapshot_free(&snapshot);
        if (pow(2, power) * fmax(curve.cpu[k], curve.device[k]) > LONGEST)
            break;
    }
    const int last = curve.count - 1;
    const double rate = pow(curve.n[last], power) / curve.device[last];
    printf("%s: a thread %.3g/s, the device %.3g/s and %.3g us a step; crossover measured %.4g, of "
           "the table %.4g\n\n",
           name, pow(curve.n[last], power) / curve.cpu[last] / threads, rate,
           1e6 * (curve.device[0] - pow(curve.n[0], power) / rate), crossing(&curve),
           ky_force_kind(force)->crossover);
}

/* ---- methods ---- */

enum { WARM = 2, STEPS = 10, MOST = 10 };

/* An exact sum of more pairs is not measured. */
static double most_pairs(const struct ky_parameters *given)
{
    const int is_cpu = !strcmp(given->engine, "cpu");
    return is_cpu ? 4e9 : given->ranks > 1 ? 1e11 : 4e12;
}

/* How often work that takes so many seconds is timed. */
static int times_of(double seconds)
{
    return seconds > 1 ? 1 : TIMES;
}

/* Milliseconds of an evaluation with the parameters in use: the least of TIMES, or one that takes
 * more than a second. On the CPU with one thread it is processor time, which other work on the
 * machine changes little. */
static double milliseconds(const struct ky_parameters *used, const struct ky_bodies *bodies)
{
    static const uint32_t first = 0;
    struct ky_error error;
    struct ky_parameters resolved;
    double found[1][3], least = (double)INFINITY;
    struct ky_bodies one = {.n = 1, .acceleration = found};
    struct ky_engine *engine = engine_for(used, &resolved, bodies);
    double (*const now)(void) =
        used->threads == 1 && !strcmp(used->engine, "cpu") ? processor_seconds : ky_clock;
    for (int k = 0, times = TIMES; k <= times; k++) {
        const double start = now();
        stop_if(ky_engine_forces(engine, &error), &error);
        stop_if(ky_engine_get_some(engine, &first, &one, &error), &error);
        if (k)
            least = fmin(least, now() - start);
        else
            times = times_of(now() - start);
    }
    ky_engine_close(engine);
    return 1e3 * least;
}

/* Makes steps, and waits for the engines. Returns the seconds of a step. */
static double make_steps(struct ky_sim *sim, uint64_t steps)
{
    struct ky_error error;
    struct ky_force_report report = {.size = sizeof report};
    const double start = ky_clock();
    stop_if(ky_sim_advance(sim, steps, &error), &error);
    ky_sim_report(sim, &report);
    return (ky_clock() - start) / (double)steps;
}

/* Milliseconds of a step of a simulation with ranks, the least of TIMES series of STEPS, by the
 * wall clock; of one step if it takes more than a second. Infinite where the force does not keep
 * the error. */
static double of_ranks(const struct ky_parameters *given, const struct ky_bodies *bodies,
                       struct ky_choice *choice)
{
    struct ky_error error;
    struct ky_sim *sim;
    double least = (double)INFINITY;
    const enum ky_status status = ky_sim_open(given, bodies, 0, &sim, &error);
    if (status == KY_USAGE)
        return least;
    stop_if(status, &error);
    if (choice)
        ky_sim_choice(sim, choice);
    make_steps(sim, 1);
    const int times = times_of(make_steps(sim, 1)), is_short = times == TIMES;
    make_steps(sim, is_short ? WARM : 1);
    for (int k = 0; k < times; k++)
        least = fmin(least, make_steps(sim, is_short ? STEPS : 1));
    ky_sim_close(sim);
    return 1e3 * least;
}

/* The same for this force and error, of an evaluation or, with ranks, of a step. */
static double of_force(struct ky_parameters given, int force, struct ky_bodies *bodies,
                       struct ky_choice *choice)
{
    struct ky_error error;
    struct ky_parameters used;
    struct ky_check_parameters wanted;
    ky_check_parameters_defaults(&wanted);
    wanted.resolved = &used;
    wanted.choice = choice;
    ky_parameters_defaults(&used);
    given.force = force;
    if (given.ranks > 1)
        return of_ranks(&given, bodies, choice);
    const enum ky_status status = ky_forces_check(&given, bodies, &wanted, NULL, &error);
    if (status == KY_USAGE)
        return (double)INFINITY;
    stop_if(status, &error);
    return milliseconds(&used, bodies);
}

/* A row: the system, its number of bodies, the error; the times of the methods; the method of auto,
 * the ratio of its time to the shortest time, and the error that it measured. Returns the ratio. */
static double print_row(const struct ky_parameters *given, const char *system,
                        struct ky_bodies *bodies)
{
    static const int forces[] = {KY_DIRECT, KY_TREE, KY_FMM};
    const double n = (double)bodies->n;
    struct ky_choice choice = {.size = sizeof choice};
    double time[3], least = (double)INFINITY, chosen = (double)NAN;
    const double own = of_force(*given, KY_FORCE_AUTO, bodies, &choice);
    for (int k = 0; k < 3; k++) {
        time[k] = k || n * n <= most_pairs(given) ? of_force(*given, forces[k], bodies, NULL)
                                                  : (double)INFINITY;
        least = fmin(least, time[k]);
        if (forces[k] == choice.force)
            chosen = time[k];
    }
    const double ratio = (isnan(chosen) ? own : chosen) / least;
    printf("%-12s %9.0f %7g %10.4g %10.4g %10.4g %7.3f  %s\n", system, n, given->error, time[0],
           time[1], time[2], ratio, choice.text);
    fflush(stdout);
    return ratio;
}

/* Arguments that select rows: names of systems, errors (below 1) and numbers of bodies. */
struct selection {
    char **given;
    int count;
};

/* Whether a system is selected: named, or none is. */
static int has_system(const struct selection *selection, const char *system)
{
    int names = 0;
    for (int k = 0; k < selection->count; k++) {
        if (!strcmp(selection->given[k], system))
            return 1;
        names += atof(selection->given[k]) == 0;
    }
    return !names;
}

/* Selects the numbers above `from` and below `to` among the arguments. If there are any, they
 * replace the `count` numbers in `numbers`. Returns how many numbers it then has. */
static int select_numbers(const struct selection *selection, double from, double to,
                          double numbers[MOST], int count)
{
    int found = 0;
    for (int k = 0; k < selection->count && found < MOST; k++) {
        const double number = atof(selection->given[k]);
        if (number > from && number < to)
            numbers[found++] = number;
    }
    return found ? found : count;
}

/* Rows for three kinds of systems, four errors and numbers of bodies from 1,000 up, with a CPU to
 * 1,000,000, with a device to 10,000,000; or for the selected ones. The last line counts the rows
 * in which auto takes more than 1.1 times the least time, and rows without times. */
static void print_methods(const struct ky_parameters *parameters, const struct selection *selection)
{
    static const char *const systems[] = {"plummer", "galaxy", "uniform-cube"};
    double errors[MOST] = {1e-2, 1e-3, 1e-4, 1e-5},
           bodies[MOST] = {1e3, 3e3, 1e4, 3e4, 1e5, 2e5, 3e5, 1e6, 3e6, 1e7};
    const int sizes = select_numbers(selection, 1, (double)INFINITY, bodies,
                                     strcmp(parameters->engine, "cpu") ? 10 : 8),
              rows = select_numbers(selection, 0, 1, errors, 4);
    int off = 0, all = 0;
    printf("methods on %s, ranks: %d; milliseconds of %s\n", parameters->engine, parameters->ranks,
           parameters->ranks > 1 ? "a step" : "an evaluation");
    printf("%-12s %9s %7s %10s %10s %10s %7s  %s\n", "system", "bodies", "error", "direct", "tree",
           "fmm", "auto", "choice");
    for (int k = 0; k < 3 * sizes; k++) {
        if (!has_system(selection, systems[k % 3]))
            continue;
        struct ky_snapshot snapshot = model(systems[k % 3], (size_t)bodies[k / 3]);
        for (int row = 0; row < rows; row++, all++) {
            struct ky_error error;
            struct ky_parameters given = *parameters;
            given.error = errors[row];
            stop_if(ky_softening_choose(&given, &snapshot, NULL, &error), &error);
            /* also a row without any time, whose ratio is NaN */
            off += !(print_row(&given, systems[k % 3], &snapshot.bodies) <= 1.1);
        }
        ky_snapshot_free(&snapshot);
    }
    printf("%d of %d rows above 1.1\n", off, all);
}

int main(int argc, char **argv)
{
    const int is_ranks = argc > 1 && !strcmp(argv[1], "ranks"),
              is_methods = is_ranks || (argc > 1 && !strcmp(argv[1], "methods"));
    argc -= is_methods;
    argv += is_methods;
    const char *engine = argc > 1 ? argv[1] : is_ranks ? "cuda:0,1" : "cuda:0";
    const int number = argc > 2 ? atoi(argv[2]) : 0, threads = ky_threads(is_ranks ? 0 : number),
              some = number ? number : 2, ranks = is_ranks ? some : 1;
    if (is_methods) {
        struct ky_parameters given;
        ky_parameters_defaults(&given);
        given.engine = engine;
        given.threads = threads;
        given.ranks = ranks;
        given.step = 1.0 / 1048576; /* the bodies are to stay where they are */
        print_methods(&given, &(struct selection){argv + 3, argc > 3 ? argc - 3 : 0});
        return 0;
    }
    printf("cpu with %d threads beside %s; steps of the leap-frog\n", threads, engine);
    print_curve("direct", KY_DIRECT, 2, engine, threads);
    print_curve("tree", KY_TREE, 1, engine, threads);
    return 0;
}
