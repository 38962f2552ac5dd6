/* Speed and errors of the CPU engine's forces, for Plummer spheres without softening.
 *
 *     force            the exact sum, then trees of 131,072 and 1,048,576 bodies
 *     force direct     the exact sum alone
 *     force N…         trees of N bodies alone
 *     force OPENING THETA MULTIPOLE LEAF GROUP THREADS N    one line of a tree; OPENING is a number
 *
 * The exact sum has interactions a second in all and per core. A tree has bodies a second from keys
 * to forces, the share of its construction, and interactions a body. The errors are those of
 * SAMPLES bodies against sums in double. Each line is the median of REPEAT evaluations, after one
 * that is not counted. With one thread it counts processor time.
 *
 * KYOHO_GHZ is the clock of a core under vector load, which the system does not say, and
 * KYOHO_LANES the floats of a vector (16). With KYOHO_GHZ a line ends with its part of the limit:
 * the rate of two vector pipes that do nothing but the arithmetic of the loop. */
#include "common.h"

#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/random.h"
#include "engine/engine.h"
#include "engine/force_options.h"

enum { SAMPLES = 2048, REPEAT = 3, DIRECT_N = 65536 };

static enum ky_status make_plummer(size_t n, struct ky_bodies *bodies, struct ky_error *error)
{
    enum ky_status status =
        ky_bodies_allocate(bodies, n, KY_WITH_ACCELERATION | KY_WITH_POTENTIAL, error);
    for (size_t i = 0; status == KY_OK && i < n; i++) {
        struct ky_random random = ky_random_at(1, 0, i);
        double r = 1 / sqrt(pow(ky_random_uniform(&random) * 0.999, -2.0 / 3) - 1);
        ky_random_direction(&random, bodies->position[i]);
        for (int c = 0; c < 3; c++)
            bodies->position[i][c] *= r;
        bodies->mass[i] = 1 / (double)n;
    }
    return status;
}

/* Sums in double for every stride-th body, made once for each N. */
struct exact {
    size_t count, body[SAMPLES];
    double acceleration[SAMPLES][3], potential[SAMPLES];
};

static enum ky_status make_exact(const struct ky_bodies *bodies, struct exact *exact,
                                 struct ky_error *error)
{
    struct ky_parameters given, parameters;
    ky_parameters_defaults(&given);
    given.force = KY_DIRECT;
    given.softening = 0;
    struct ky_engine *engine = NULL;
    exact->count = bodies->n < SAMPLES ? bodies->n : SAMPLES;
    for (size_t k = 0; k < exact->count; k++)
        exact->body[k] = k * (bodies->n / exact->count);
    enum ky_status status = ky_force_resolve(&given, &parameters, error);
    if (status == KY_OK)
        status = ky_engine_open(&parameters, bodies->n, &engine, error);
    if (status == KY_OK)
        status = ky_engine_put(engine, bodies, error);
    if (status == KY_OK)
        status = ky_engine_exact(engine, exact->body, exact->count, exact->acceleration,
                                 exact->potential, error);
    ky_engine_close(engine);
    return status;
}

static void print_errors(const struct ky_bodies *bodies, const struct exact *exact)
{
    double a[SAMPLES], p[SAMPLES];
    for (size_t k = 0; k < exact->count; k++) {
        size_t i = exact->body[k];
        double d2 = 0, a2 = 0;
        for (int c = 0; c < 3; c++) {
            double e = exact->acceleration[k][c], d = bodies->acceleration[i][c] - e;
            d2 += d * d, a2 += e * e;
        }
        a[k] = sqrt(d2 / a2);
        p[k] = fabs(bodies->potential[i] / exact->potential[k] - 1);
    }
    qsort(a, exact->count, sizeof *a, ky_order_reals);
    qsort(p, exact->count, sizeof *p, ky_order_reals);
    size_t half = exact->count / 2, most = exact->count * 99 / 100;
    printf("  %7.1e %7.1e  %7.1e %7.1e", a[half], a[most], p[half], p[most]);
}

/* *report is the evaluation with the median total. With one thread its seconds are processor time,
 * which a busy machine disturbs less; each phase keeps its share of them. */
static enum ky_status measure(const struct ky_parameters *given, struct ky_bodies *bodies,
                              struct ky_force_report *report, struct ky_error *error)
{
    struct ky_parameters parameters;
    struct ky_engine *engine = NULL;
    struct ky_force_report run[REPEAT] = {{0}};
    enum ky_status status = ky_force_resolve(given, &parameters, error);
    if (status == KY_OK)
        status = ky_engine_open(&parameters, bodies->n, &engine, error);
    if (status == KY_OK)
        status = ky_engine_put(engine, bodies, error);
    for (int r = -1; r < REPEAT && status == KY_OK; r++) {
        double start = processor_seconds();
        status = ky_engine_forces(engine, error);
        struct ky_force_report *report_of_run = &run[r < 0 ? 0 : r];
        ky_engine_report(engine, report_of_run);
        if (parameters.threads == 1 && report_of_run->total > 0) {
            double share = (processor_seconds() - start) / report_of_run->total;
            report_of_run->total *= share;
            report_of_run->keys *= share;
            report_of_run->sort *= share;
            report_of_run->build *= share;
            report_of_run->moments *= share;
        }
    }
    if (status == KY_OK)
        status = ky_engine_get(engine, bodies, error);
    ky_engine_close(engine);
    *report = median_run(run, REPEAT);
    return status;
}

/* Vector operations of an interaction with a body and with a cell (physics/gravity.h, one Newton
 * step). Two can start in a cycle. */
enum { OPS_BODY = 19, OPS_CELL = 40 };

/* The seconds that one core needs at the limit for so many interactions; 0 without KYOHO_GHZ. */
static double limit_seconds(double body, double cell, int multipole)
{
    const char *ghz = getenv("KYOHO_GHZ"), *lanes = getenv("KYOHO_LANES");
    double clock = ghz ? atof(ghz) * 1e9 : 0;
    return clock > 0 ? (body * OPS_BODY + cell * (multipole > 1 ? OPS_CELL : OPS_BODY)) /
                           (2 * clock * (lanes ? atof(lanes) : 16))
                     : 0;
}

static enum ky_status direct_line(struct ky_bodies *bodies, const struct exact *exact,
                                  int precision, int isa, int threads, struct ky_error *error)
{
    static const char *const name[] = {"single", "extended", "double"};
    struct ky_parameters parameters;
    struct ky_force_report report = {0};
    ky_parameters_defaults(&parameters);
    parameters.force = KY_DIRECT;
    parameters.softening = 0;
    parameters.precision = precision;
    parameters.isa = isa;
    parameters.threads = threads;
    enum ky_status status = measure(&parameters, bodies, &report, error);
    if (status != KY_OK)
        return status;
    double rate = report.body_interactions / report.total;
    printf("direct %-8s %-8.*s %d thr %9.2e /s %9.2e per core", name[precision],
           (int)strcspn(report.device, ","), report.device, threads, rate, rate / threads);
    print_errors(bodies, exact);
    double limit = limit_seconds(report.body_interactions, 0, 1);
    if (limit > 0 && precision == KY_SINGLE && isa == KY_ISA_AUTO)
        printf("  %3.0f %% of limit", 100 * limit / threads / report.total);
    printf("\n");
    return KY_OK;
}

struct setting {
    int opening, multipole, leaf, group;
    double theta; /* alpha, where the opening is relative */
    int threads;
};

static enum ky_status tree_line(struct ky_bodies *bodies, const struct exact *exact,
                                const struct setting *s, struct ky_error *error)
{
    static const char *const opening[] = {"geometric", "offset", "minimum", "relative"};
    struct ky_parameters parameters;
    struct ky_force_report report = {0};
    ky_parameters_defaults(&parameters);
    parameters.force = KY_TREE;
    parameters.softening = 0;
    parameters.opening = s->opening;
    parameters.multipole = s->multipole;
    parameters.leaf = s->leaf;
    parameters.group = s->group;
    parameters.threads = s->threads;
    if (s->opening == KY_RELATIVE)
        parameters.alpha = s->theta;
    else
        parameters.theta = s->theta;
    enum ky_status status = measure(&parameters, bodies, &report, error);
    if (status != KY_OK)
        return status;
    double n = (double)bodies->n,
           construction = report.keys + report.sort + report.build + report.moments;
    printf("tree %-9s %-6g m%d l%-3d g%-3d %d thr %9.3e /s  build %4.1f %%  %6.0f + %5.0f",
           opening[s->opening], s->theta, s->multipole, s->leaf, s->group, s->threads,
           n / report.total, 100 * construction / report.total, report.body_interactions / n,
           report.cell_interactions / n);
    print_errors(bodies, exact);
    double limit = limit_seconds(report.body_interactions, report.cell_interactions, s->multipole);
    if (limit > 0)
        printf("  %3.0f %% of limit", 100 * limit / s->threads / report.total);
    printf("\n");
    fflush(stdout);
    return KY_OK;
}

/* Prints the line of a tree that the command line describes. */
static enum ky_status one_setting(char **word, struct ky_error *error)
{
    struct setting s = {.opening = atoi(word[1]),
                        .multipole = atoi(word[3]),
                        .leaf = atoi(word[4]),
                        .group = atoi(word[5]),
                        .theta = atof(word[2]),
                        .threads = atoi(word[6])};
    struct ky_bodies bodies = {0};
    static struct exact exact;
    enum ky_status status = make_plummer(strtoull(word[7], NULL, 10), &bodies, error);
    if (status == KY_OK)
        status = make_exact(&bodies, &exact, error);
    if (status == KY_OK)
        status = tree_line(&bodies, &exact, &s, error);
    ky_bodies_free(&bodies);
    return status;
}

static enum ky_status all_direct(struct ky_error *error)
{
    struct ky_bodies bodies = {0};
    static struct exact exact;
    enum ky_status status = make_plummer(DIRECT_N, &bodies, error);
    if (status == KY_OK)
        status = make_exact(&bodies, &exact, error);
    printf("N = %d\n", DIRECT_N);
    for (int threads = 1; threads <= 2 && status == KY_OK; threads++)
        for (int isa = KY_ISA_SSE2; isa <= KY_ISA_AVX512 && status == KY_OK; isa++)
            status = direct_line(&bodies, &exact, KY_SINGLE,
                                 isa == KY_ISA_AVX512 ? KY_ISA_AUTO : isa, threads, error);
    for (int precision = KY_EXTENDED; precision <= KY_DOUBLE && status == KY_OK; precision++)
        status = direct_line(&bodies, &exact, precision, KY_ISA_AUTO, 1, error);
    ky_bodies_free(&bodies);
    return status;
}

static enum ky_status all_tree(size_t n, struct ky_error *error)
{
    static const struct setting settings[] = {
        {KY_OFFSET, 2, 16, 64, 0.5, 1},    {KY_OFFSET, 2, 16, 64, 0.65, 1},
        {KY_OFFSET, 2, 16, 64, 0.65, 2},   {KY_OFFSET, 2, 16, 64, 0.7, 1},
        {KY_OFFSET, 2, 16, 64, 0.9, 1},    {KY_OFFSET, 2, 16, 64, 0.9, 2},
        {KY_OFFSET, 1, 16, 64, 0.5, 1},    {KY_RELATIVE, 2, 16, 64, 0.01, 1},
        {KY_RELATIVE, 2, 16, 64, 0.01, 2}, {KY_RELATIVE, 2, 16, 64, 0.04, 1},
        {KY_RELATIVE, 2, 16, 64, 0.04, 2}, {KY_RELATIVE, 1, 16, 64, 0.02, 1},
    };
    struct ky_bodies bodies = {0};
    static struct exact exact;
    enum ky_status status = make_plummer(n, &bodies, error);
    if (status == KY_OK)
        status = make_exact(&bodies, &exact, error);
    printf("N = %zu\n", n);
    for (size_t k = 0; k < sizeof settings / sizeof *settings && status == KY_OK; k++)
        status = tree_line(&bodies, &exact, &settings[k], error);
    ky_bodies_free(&bodies);
    return status;
}

int main(int count, char **word)
{
    struct ky_error error = {0};
    enum ky_status status = KY_OK;
    if (count == 8) {
        status = one_setting(word, &error);
    } else if (count == 2 && !strcmp(word[1], "direct")) {
        status = all_direct(&error);
    } else {
        static char *usual[] = {NULL, "131072", "1048576"};
        if (count < 2) {
            status = all_direct(&error);
            word = usual, count = 3;
        }
        for (int k = 1; k < count && status == KY_OK; k++)
            status = all_tree(strtoull(word[k], NULL, 10), &error);
    }
    if (status != KY_OK)
        fprintf(stderr, "force: %s\n", error.text);
    return (int)status;
}
