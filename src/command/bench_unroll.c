/* kyoho bench unroll: how much the unrolling of loops matters for the exact sum on a device, the
 * open question of section VII of F09. A lane takes 1, 2, 4 or 8 sinks, and 1, 2, 4 or 8 sources an
 * iteration. The kernels of F09 are 1x1 (no unrolling), 4x1 (simple) and 4x4 (double). */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/status.h"
#include "command/bench.h"

enum { SAMPLES = 512, REPEAT = 3, PASSES = 2, PROBE = 4096 };

/* A kernel with a larger median error is wrong: single precision gives 1e-7. */
static const double largest_error = 1e-5;

/* The index of an unrolling in the sweep, from log₂ of sinks and sources; `tuned` comes after them.
 */
enum { NONE = 0, SIMPLE = 2 * UNROLL_SIDE, DOUBLE = 2 * UNROLL_SIDE + 2, TUNED = UNROLL_SWEEP };

/* KY_FAULT for an unrolling whose forces differ from the exact sum. */
static enum ky_status wrong(struct cli *cli, const struct force_result *result)
{
    char name[FORCE_CHOICE];
    force_unroll(result, name);
    return ky_fail(&cli->error, KY_FAULT, "unrolling %s is wrong on %s: median error %.1e of %zu",
                   name, result->report.device, result->errors.acceleration.median,
                   result->errors.acceleration.samples);
}

/* Measures one unrolling. `samples`: bodies that are compared with the exact sum; 0: none. */
static enum ky_status measure_one(struct cli *cli, const struct ky_parameters *base, size_t n,
                                  int place, uint64_t samples, struct force_result *result)
{
    struct ky_parameters parameters = *base;
    struct force_request request = {.repeat = REPEAT, .check = samples};
    parameters.force = KY_DIRECT;
    parameters.unroll = KY_UNROLL_TUNED; /* in single precision unless another one is given */
    if (place != TUNED) {
        request.sinks = 1 << place / UNROLL_SIDE;
        request.sources = 1 << place % UNROLL_SIDE;
    }
    KY_TRY(force_measure_plummer(&parameters, n, &request, result, &cli->error));
    if (samples && !(result->errors.acceleration.median <= largest_error))
        KY_TRY(wrong(cli, result));
    return KY_OK;
}

/* Finds the engine, and how many bodies suit it. */
static enum ky_status probe(struct cli *cli, const struct ky_parameters *parameters, size_t *n)
{
    struct force_result result;
    KY_TRY(measure_one(cli, parameters, PROBE, TUNED, SAMPLES, &result));
    if (!strcmp(result.report.engine, "cpu"))
        return ky_fail(&cli->error, KY_UNSUPPORTED,
                       "only devices have unrolled kernels, the CPU has none: choose one of "
                       "`kyoho devices` with --engine");
    if (!*n)
        *n = ky_number_count(force_interactions_per_s(&result) > ky_number_real(UNROLL_FAST, NULL)
                                 ? UNROLL_LARGE
                                 : UNROLL_SMALL,
                             NULL);
    return KY_OK;
}

/* Measures the table once. The first pass finds which kernels are compiled, and compares with the
 * exact sum. Of several passes the fastest counts, so that a disturbance has no effect. */
static enum ky_status measure_all(struct cli *cli, const struct ky_parameters *parameters, size_t n,
                                  int pass, struct unroll_table *table)
{
    enum ky_status status = KY_OK;
    for (int k = 0; k <= TUNED && !status; k++) {
        struct force_result *row = k < TUNED ? &table->sweep[k] : &table->tuned, again;
        if (pass > 0 && !row->n)
            continue;
        status = measure_one(cli, parameters, n, k, pass ? 0 : SAMPLES, pass ? &again : row);
        if (!status && pass && again.report.total < row->report.total)
            row->report = again.report;
        if (status == KY_UNSUPPORTED && !pass && k != TUNED) {
            row->n = 0;
            status = KY_OK;
        }
    }
    return status;
}

enum ky_status unroll_measure(struct cli *cli, const struct ky_parameters *parameters, size_t n,
                              struct unroll_table *table)
{
    struct ky_parameters own = *parameters;
    memset(table, 0, sizeof *table);
    if (!cli_given(cli, "softening"))
        own.softening = 0.01;
    enum ky_status status = probe(cli, &own, &n);
    own.log = NULL; /* the engine has been logged */
    for (int pass = 0; pass < PASSES && !status; pass++)
        status = measure_all(cli, &own, n, pass, table);
    return status;
}

/* ---- the answer ---- */

/* Interactions/s of an unrolling of the sweep. */
static double speed(const struct unroll_table *table, int place)
{
    return force_interactions_per_s(&table->sweep[place]);
}

/* The fastest unrolling of the sweep. */
static int best(const struct unroll_table *table)
{
    int best = NONE;
    for (int u = 0; u < UNROLL_SWEEP; u++)
        if (table->sweep[u].n && speed(table, u) > speed(table, best))
            best = u;
    return best;
}

/* The speed of one unrolling of the sweep over another. */
static double over(const struct unroll_table *table, int place, int other)
{
    return speed(table, place) / speed(table, other);
}

/* Speed and error of one unrolling, or a dash if it is not compiled. */
static void show_cell(const struct force_result *result)
{
    if (result->n)
        printf("  %9.3g %7.0e", force_interactions_per_s(result),
               result->errors.acceleration.median);
    else
        printf("  %9s %7s", "-", "");
}

void unroll_show(const struct unroll_table *table)
{
    const struct force_result *tuned = &table->tuned;
    char name[FORCE_CHOICE], precision[FORCE_CHOICE];
    force_choice(&tuned->parameters, "precision", precision);
    int first = best(table);
    force_unroll(&table->sweep[first], name);
    printf("engine %s: %s; Plummer sphere of %zu bodies, softening %g, precision %s\n"
           "interactions/s and median error of a, by the sinks (rows) and sources (columns) of a "
           "turn\n      ",
           tuned->report.engine, tuned->report.device, tuned->n, tuned->parameters.softening,
           precision);
    for (int k = 0; k < UNROLL_SIDE; k++)
        printf("  %9d %7s", 1 << k, "");
    for (int k = 0; k < UNROLL_SWEEP; k++) {
        if (k % UNROLL_SIDE == 0)
            printf("\n%6d", 1 << k / UNROLL_SIDE);
        show_cell(&table->sweep[k]);
    }
    printf("\ntuned ");
    show_cell(tuned);
    printf(
        "\n%s is the fastest of them: %.2f times none (1x1), %.2f times simple (4x1), %.2f times "
        "double (4x4); tuned is %.2f times as fast as it\n",
        name, over(table, first, NONE), over(table, first, SIMPLE), over(table, first, DOUBLE),
        force_interactions_per_s(tuned) / speed(table, first));
}

void unroll_rows_json(struct ky_json *json, const struct unroll_table *table)
{
    for (int k = 0; k < UNROLL_SWEEP; k++)
        if (table->sweep[k].n)
            force_json(json, NULL, &table->sweep[k]);
    force_json(json, NULL, &table->tuned);
}

void unroll_answer_json(struct ky_json *json, const struct unroll_table *table)
{
    char name[FORCE_CHOICE];
    int first = best(table);
    force_unroll(&table->sweep[first], name);
    ky_json_object(json, "unroll");
    ky_json_count(json, "n", table->tuned.n);
    ky_json_text(json, "best", name);
    ky_json_real(json, "over_none", over(table, first, NONE));
    ky_json_real(json, "over_simple", over(table, first, SIMPLE));
    ky_json_real(json, "over_double", over(table, first, DOUBLE));
    ky_json_real(json, "tuned_over_best",
                 force_interactions_per_s(&table->tuned) / speed(table, first));
    ky_json_end_object(json);
}
