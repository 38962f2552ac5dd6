/* Which method KY_FORCE_AUTO takes: tables of measured costs and errors. docs/decisions/error.md
 * says how they were measured. */
#include "engine/force_choice.h"

#include <math.h>
#include <stdlib.h>

#include "base/threads.h"
#include "engine/common/force_kinds.h"
#include "engine/force_options.h"
#include "octree/opening_kinds.h"
#include "physics/space.h"
#include "physics/taylor_table.h"

/* ---- measurements ---- */

/* The kinds of processors. */
enum { ON_CPU, ON_DEVICE, KINDS };

/* An error; the order and α that give it with expansions in a Plummer sphere of 100,000 bodies; the
 * number of bodies below which the exact sum takes less time than the others; and the number from
 * which on expansions take less time than a tree. */
static const struct row {
    double error;
    int order;
    double alpha, direct_below[KINDS], expansions_from[KINDS];
} rows[] = {
    {1e-2, 3, 1.6e-2, {2500, 30000}, {1000, 1e6}},
    {3e-3, 4, 6e-3, {3000, 30000}, {1000, 1e6}},
    {1e-3, 4, 1e-3, {4000, 40000}, {1000, 1e6}},
    {1e-4, 5, 5.5e-5, {8000, 40000}, {1000, 40000}},
    {1e-5, 6, 2e-6, {4000, 40000}, {1000, 20000}},
    {1e-6, 6, 2e-8, {1000000, 400000}, {1000, 20000}},
};

/* The limits differ among processors and systems: below a limit divided by the first factor, and
 * above its product with the second and the number of threads, another method is not faster. The
 * limits are for one thread. Threads of expansions wait for each other more often than others. */
static const double close_below = 10, close_above = 4;
/* Exact sums of more pairs are not timed. */
static const double most_pairs[KINDS] = {1e9, 1e10};
/* The error of the default α of expansions in a box, over the rms acceleration. */
static const double ERROR_IN_BOX = 1e-3;
enum { ROWS = sizeof rows / sizeof *rows, OF_DEFAULTS = 2 };

/* The row with the nearest error; without an error, the row of the defaults. */
static const struct row *row_of(double error)
{
    const struct row *best = &rows[OF_DEFAULTS];
    for (int k = 0; k < ROWS && !isnan(error); k++)
        if (fabs(log(rows[k].error / error)) < fabs(log(best->error / error)))
            best = &rows[k];
    return best;
}

/* The α of an error that is larger by a factor: errors grow as α^0.7. */
static double by_power(double alpha, double factor)
{
    return alpha * pow(factor, 1 / 0.7);
}

/* The default α of the opening test by α keeps the force's usual error, in a box about the half. */
static double walk_alpha(const struct ky_parameters *own, double error)
{
    const double factor = error / ky_force_kind(own->force)->usual_error;
    return by_power(0.005, own->box > 0 ? 0.5 * factor : factor);
}

double ky_force_least(int force, int precision)
{
    return ky_force_kind(force)->least_error[precision];
}

static int processor(int on_cpu)
{
    return on_cpu ? ON_CPU : ON_DEVICE;
}

double ky_force_direct_below(double error, int on_cpu, int in_box)
{
    const double images = in_box ? KY_IMAGES : 1; /* each as dear as the box */
    return row_of(error)->direct_below[processor(on_cpu)] / images;
}

double ky_force_fastest_from(int force, double error, int on_cpu)
{
    return ky_force_kind(force)->expands ? row_of(error)->expansions_from[processor(on_cpu)] : 0;
}

/* ---- the choice ---- */

/* The least error of the force with the precision that was given, or with any. */
static double least_of(const struct ky_parameters *own, int force)
{
    const int given = own->precision;
    return ky_force_least(force, given == KY_PRECISION_BY_INTEGRATOR ? KY_DOUBLE : given);
}

/* The fastest approximate force for n bodies. */
static int approximate_for(const struct ky_parameters *own, size_t n, int on_cpu)
{
    int fastest = ky_force_usual(own);
    for (int force = 0; force < KY_FORCE_AUTO; force++) {
        const struct ky_force_kind *kind = ky_force_kind(force);
        if (kind->automatic && !kind->is_exact && !(own->box > 0) &&
            (double)n >= ky_force_fastest_from(force, own->error, on_cpu))
            fastest = force;
    }
    return fastest;
}

/* The method for KY_FORCE_AUTO. */
static int method_for(const struct ky_parameters *own, size_t n, int on_cpu)
{
    const double error = own->error;
    const int cells = approximate_for(own, n, on_cpu);
    if (own->precision == KY_MIXED)
        return KY_DIRECT;
    if (error < least_of(own, KY_DIRECT)) /* with the precision that is given */
        return cells;
    return (double)n < ky_force_direct_below(error, on_cpu, own->box > 0) ||
                   error < least_of(own, cells)
               ? KY_DIRECT
               : cells;
}

static int is_close(size_t n, double limit, int threads)
{
    return (double)n > limit / close_below && (double)n < limit * close_above * threads;
}

/* 1 if the force may be faster than `first`, the one of the tables. */
static int may_be_faster(const struct ky_parameters *own, int force, int first, size_t n,
                         int on_cpu)
{
    const double error = own->error;
    const int is_exact = ky_force_kind(force)->is_exact,
              threads = on_cpu ? ky_threads(own->threads) : 1;
    if (!ky_force_kind(force)->automatic || force == first || error < least_of(own, force))
        return 0;
    if ((is_exact || ky_force_kind(first)->is_exact) &&
        (!is_close(n, ky_force_direct_below(error, on_cpu, 0), threads) ||
         (double)n * (double)n > most_pairs[processor(on_cpu)]))
        return 0;
    return is_exact || force == approximate_for(own, n, on_cpu) ||
           is_close(n, ky_force_fastest_from(KY_FMM, error, on_cpu), threads);
}

int ky_force_rivals(const struct ky_parameters *own, size_t n, int on_cpu, unsigned schemes,
                    int rivals[KY_FORCE_AUTO])
{
    int count = 1;
    rivals[0] = own->force;
    if (own->force != KY_FORCE_AUTO)
        return 1;
    rivals[0] = method_for(own, n, on_cpu);
    const int is_timed = !schemes && !isnan(own->error) && !(own->box > 0); /* fmm is far ahead */
    for (int force = 0; force < KY_FORCE_AUTO && is_timed; force++)
        if (may_be_faster(own, force, rivals[0], n, on_cpu))
            rivals[count++] = force;
    return count;
}

/* The coarsest precision that keeps the error. */
static int precision_for(int force, double error)
{
    int precision = (int)ky_force_kind(force)->precision;
    while (precision < KY_DOUBLE && error < ky_force_least(force, precision))
        precision++;
    return precision;
}

/* Sets order and α for the error. In a box pulls cancel: the highest order is the fastest there. */
static void guess_expansions(struct ky_parameters *own, double error)
{
    const struct row *row = row_of(error);
    own->order = own->box > 0 ? KY_TAYLOR_MOST : row->order;
    own->alpha = own->box > 0 ? by_power(ky_expansions_alpha(own), error / ERROR_IN_BOX)
                              : by_power(row->alpha, error / row->error);
}

/* Sets order, α and precision for the error. */
static void guess(struct ky_parameters *own, double error)
{
    const struct ky_force_kind *force = ky_force_kind(own->force);
    if (own->precision == KY_PRECISION_BY_INTEGRATOR)
        own->precision = precision_for(own->force, error);
    if (force->is_exact)
        return;
    own->opening = KY_OPENING_USUAL;
    if (force->expands)
        guess_expansions(own, error);
    else
        own->alpha = walk_alpha(own, error);
    own->alpha = fmin(1, fmax(1e-12, own->alpha));
}

/* KY_USAGE for an error that the force does not keep. */
static enum ky_status refuse_error(const struct ky_parameters *own, struct ky_error *error)
{
    const int is_free = own->precision == KY_PRECISION_BY_INTEGRATOR;
    return ky_fail(error, KY_USAGE,
                   "--error %g: the smallest error of %s%s is %g; give a larger --error, %s",
                   own->error, own->mutual ? "--mutual" : ky_force_kind(own->force)->option,
                   is_free ? "" : " with the --precision that is given", least_of(own, own->force),
                   !is_free      ? "or leave out that option"
                   : own->mutual ? "or --force direct without --mutual"
                                 : "or --force direct");
}

enum ky_status ky_force_choose(struct ky_parameters *own, size_t n, int on_cpu,
                               struct ky_error *error)
{
    const double asked = own->error;
    if (own->force == KY_FORCE_AUTO)
        own->force = method_for(own, n, on_cpu);
    if (asked < least_of(own, own->force))
        return refuse_error(own, error);
    own->error = (double)NAN;
    if (!isnan(asked))
        guess(own, asked);
    return ky_force_resolve_later(own, own, error);
}

void ky_force_prefer_units(struct ky_parameters *own, const struct ky_parameters *given,
                           const struct ky_engine_use *use, int on_cpu)
{
    struct ky_parameters probe = *own;
    struct ky_engine *engine = NULL;
    if (on_cpu || !ky_force_kind(own->force)->is_exact ||
        given->precision != KY_PRECISION_BY_INTEGRATOR ||
        !(given->error >= ky_force_least(KY_DIRECT, KY_MIXED)) || use->schemes ||
        use->n < ky_direct_least_on_units)
        return;
    probe.precision = KY_MIXED;
    probe.ranks = 1;
    probe.log = NULL;
    if (!ky_engine_open_for(&probe, 0, use, &engine, NULL))
        own->precision = KY_MIXED;
    ky_engine_close(engine);
}
