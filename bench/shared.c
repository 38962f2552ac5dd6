/* What threads cost where processors are shared: the time of a step of a Plummer sphere on the CPU
 * engine, alone, beside a busy process for each processor, and in two runs at once. Programs of
 * several builds are timed in turns, so that other work of the machine disturbs all of them alike.
 *
 * usage: shared direct|tree [PROGRAM…]
 *            PROGRAM: the same program of another build (make BUILD=build/openmp TEAM=no bench)
 *        shared --run N FORCE SECONDS
 *            one run, which prints the microseconds of a step
 *
 * Pin it to the processors that the others leave alone: taskset -c 0,1 build/bench/shared tree */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cores.h"
#include "common.h"

enum { TURNS = 5, MOST = 4 };

static int run(size_t n, const char *force, double seconds)
{
    struct ky_error error;
    struct ky_snapshot snapshot = model("plummer", n);
    struct ky_parameters parameters;
    struct ky_sim *sim;
    ky_parameters_defaults(&parameters);
    parameters.engine = "cpu";
    parameters.force = strcmp(force, "direct") ? KY_TREE : KY_DIRECT;
    parameters.softening = 0.05;
    parameters.step = 1.0 / 1024;
    stop_if(ky_sim_open(&parameters, &snapshot.bodies, 0, &sim, &error), &error);
    stop_if(ky_sim_advance(sim, 2, &error), &error);
    double began = ky_clock(), now = began;
    uint64_t steps = 0;
    for (; now < began + seconds; now = ky_clock(), steps++)
        stop_if(ky_sim_advance(sim, 1, &error), &error);
    printf("%.3f\n", 1e6 * (now - began) / (double)steps);
    ky_sim_close(sim);
    ky_snapshot_free(&snapshot);
    return 0;
}

/* ---- the table ---- */

struct row {
    const char *n, *force, *seconds;
};

/* Starts a run, with one thread or with its own choice of threads. */
static FILE *start(const char *program, const struct row *row, int single)
{
    char command[1000];
    snprintf(command, sizeof command, "%s %s --run %s %s %s", single ? "OMP_NUM_THREADS=1" : "",
             program, row->n, row->force, row->seconds);
    return popen(command, "r");
}

static double finish(FILE *pipe)
{
    double microseconds = NAN;
    if (fscanf(pipe, "%lf", &microseconds) != 1 || pclose(pipe)) {
        fprintf(stderr, "a run failed\n");
        exit(1);
    }
    return microseconds;
}

static pid_t start_hog(void)
{
    pid_t pid = fork();
    if (pid == 0)
        for (volatile unsigned k = 0;; k++)
            ;
    return pid;
}

static void end_hogs(pid_t *hog, int count)
{
    for (int k = 0; k < count; k++) {
        kill(hog[k], SIGKILL);
        waitpid(hog[k], NULL, 0);
    }
}

enum { ALONE, SINGLE, BESIDE, TWO, WAYS };

static double measure(const char *program, const struct row *row, int way)
{
    pid_t hog[256];
    int hogs = way == BESIDE ? ky_cores() : 0;
    for (int k = 0; k < hogs; k++)
        hog[k] = start_hog();
    FILE *one = start(program, row, way == SINGLE);
    FILE *other = way == TWO ? start(program, row, 0) : NULL;
    double time = finish(one);
    if (other) /* the time of a step, the steps of both runs counted */
        time = 1 / (1 / time + 1 / finish(other));
    end_hogs(hog, hogs);
    return time;
}

static double median(double *value)
{
    qsort(value, TURNS, sizeof *value, ky_order_reals);
    return value[TURNS / 2];
}

static void show(char **program, int programs, const struct row *row)
{
    static double time[MOST][WAYS][TURNS];
    for (int turn = 0; turn < TURNS; turn++)
        for (int way = 0; way < WAYS; way++)
            for (int p = 0; p < programs; p++)
                time[p][way][turn] = measure(program[p], row, way);
    for (int p = 0; p < programs; p++) {
        double alone = median(time[p][ALONE]), single = median(time[p][SINGLE]);
        double beside = median(time[p][BESIDE]), two = median(time[p][TWO]);
        printf("| %s | %s | %s | %.4g | %.4g | %.4g (%.2f) | %.4g (%.2f) |\n", row->n, row->force,
               program[p], alone, single, beside, beside / alone, two, two / alone);
    }
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const struct row rows[] = {
        {"100", "direct", "0.1"}, {"500", "direct", "0.1"}, {"2000", "direct", "0.2"},
        {"100", "tree", "0.1"},   {"500", "tree", "0.1"},   {"2000", "tree", "0.2"},
        {"20000", "tree", "0.4"},
    };
    if (argc == 5 && !strcmp(argv[1], "--run"))
        return run((size_t)strtoul(argv[2], NULL, 10), argv[3], strtod(argv[4], NULL));
    if (argc < 2 || argc > MOST + 1 || argv[1][0] == '-') {
        fprintf(stderr, "usage: shared direct|tree [PROGRAM...]\n");
        return 2;
    }
    const char *force = argv[1];
    argv[1] = argv[0];
    printf(
        "%d processors; the median of %d runs; a step in microseconds, in brackets over the time "
        "alone\n\n| N | force | program | alone | one thread | beside busy processes | two at "
        "once, steps of both counted |\n|---|---|---|---|---|---|---|\n",
        ky_cores(), TURNS);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        if (!strcmp(rows[k].force, force))
            show(argv + 1, argc - 1, &rows[k]);
    return 0;
}
