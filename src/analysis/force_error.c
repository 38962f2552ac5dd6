/* Chooses the force for given bodies: the method for KY_FORCE_AUTO, and the α for a requested
 * error. The relation of α and error differs between systems by factors, so the error is measured:
 * forces on a sample of the bodies are compared with exact sums, which are computed once. The error
 * grows as a power of α, and a few steps along the power law find α. An error is relative to the
 * body's own acceleration, in a periodic box to the rms acceleration of all bodies. The results do
 * not depend on the number of threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/force_error.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"
#include "base/threads.h"
#include "domain/domain.h"
#include "engine/common/force_kinds.h"
#include "engine/force_choice.h"
#include "engine/force_options.h"
#include "octree/sample.h"
#include "physics/opening.h"
#include "physics/space.h"

/* The error of the sample ends between `least` and `most` of the requested error, near `aim`. The
 * 99th percentile of SAMPLES scatters by 8 %, so the error of all bodies stays below the requested
 * error and above 0.3 of it. */
static const double least = 0.45, aim = 0.65, most = 0.77;

/* If the distribution of errors has a step at the last percent, as near a dominant mass, the
 * percentile of a sample says little about all bodies. So there is also an upper bound for the
 * error, valid for every distribution: the error of the sample whose rank is SIGMAS standard
 * deviations above the 99th percentile. The rank is higher by MORE of the sample, since the next
 * evaluation opens slightly different cells. A bound of most_of_bound of the requested error is
 * treated like a percentile of `most`. */
static const double most_of_bound = 0.97, SIGMAS = 3, MORE = 0.002;
/* The largest error of the sample is at most this many times the requested one. */
static const double most_of_largest = 30;

/* Measurements for one order and precision; the least number of bodies in the sample, in a periodic
 * box fewer, since each body has 27 images; the number of pairs up to which the sample is larger.
 */
enum { TURNS = 10, SAMPLES = 2000, SAMPLES_IN_BOX = 1000, PAIRS = 400000000 };

/* ---- the error for given parameters ---- */

/* The sample and the engine on which its forces are computed. */
struct trial {
    struct ky_parameters *own; /* resolved; the engine reads them in every evaluation */
    struct ky_bodies bodies;   /* with forces removed */
    struct ky_engine *engine;
    struct ky_halt *halt; /* the flag that each engine checks, or NULL */
    size_t count, *sink;
    uint32_t *body;
    double (*exact)[3], (*got)[3], *potential; /* potential: written by the engine, not compared */
    int has_exact;
    double over;         /* the divisor of errors in a periodic box; 0: each its own acceleration */
    double *sorted;      /* errors of the sample */
    double asked, error; /* of 99 % of the sample, in the last measurement */
    double held;         /* the same, or a bound that is stricter */
    int is_fresh;        /* 1: measure_anew measures */
    int on_cpu;
    int ranks;                   /* with which forces are timed */
    struct ky_parameters shared; /* of the engine with ranks, which reads them */
};

static size_t samples_of(size_t n, int in_box)
{
    const size_t images = in_box ? KY_IMAGES : 1, fewest = in_box ? SAMPLES_IN_BOX : SAMPLES,
                 more = PAIRS / images / (n + 1), count = more > fewest ? more : fewest;
    return n < count ? n : count;
}

/* Computes trial->error and trial->held. If the sample contains all bodies there is no sampling
 * error. */
static void rank_errors(struct trial *trial)
{
    const double count = (double)trial->count, left = 1 - count / (double)trial->bodies.n,
                 rank = ceil(0.99 * count - 1e-9),
                 above = ceil(rank + SIGMAS * sqrt(0.99 * 0.01 * count * left) + MORE * count);
    const double bound = trial->sorted[(size_t)fmin(above, count) - 1],
                 largest = trial->sorted[trial->count - 1];
    trial->error = trial->sorted[(size_t)rank - 1];
    trial->held = fmax(trial->error, fmax(bound / most_of_bound, largest / most_of_largest) * most);
}

static enum ky_status make_sample(struct trial *trial, struct ky_error *error)
{
    const size_t n = trial->bodies.n;
    trial->count = samples_of(n, trial->own->box > 0);
    trial->sorted = ky_allocate(trial->count, sizeof *trial->sorted);
    trial->sink = ky_allocate(trial->count, sizeof *trial->sink);
    trial->body = ky_allocate(trial->count, sizeof *trial->body);
    trial->exact = ky_allocate(trial->count, sizeof *trial->exact);
    trial->got = ky_allocate(trial->count, sizeof *trial->got);
    trial->potential = ky_allocate(trial->count, sizeof *trial->potential);
    if (!trial->sink || !trial->body || !trial->exact || !trial->got || !trial->potential ||
        !trial->sorted)
        return ky_no_memory(error, "samples of the error", trial->count, 9 * sizeof(double));
    ky_sample(n, trial->count, trial->sink);
    for (size_t k = 0; k < trial->count; k++)
        trial->body[k] = (uint32_t)trial->sink[k];
    return KY_OK;
}

static void end(struct trial *trial)
{
    ky_engine_close(trial->engine);
    free(trial->sink);
    free(trial->body);
    free(trial->exact);
    free(trial->got);
    free(trial->potential);
    free(trial->sorted);
}

/* Opens the engine again for these parameters, which it reads. */
static enum ky_status open_for(struct trial *trial, const struct ky_parameters *parameters,
                               struct ky_error *error)
{
    const size_t n = trial->bodies.n;
    const struct ky_engine_use use = {.n = n};
    ky_engine_close(trial->engine);
    trial->engine = NULL;
    trial->is_fresh = 0;
    KY_TRY(ky_halt_check(trial->halt, error));
    KY_TRY((parameters->ranks > 1 ? ky_domain_open : ky_engine_open_for)(parameters, n, &use,
                                                                         &trial->engine, error));
    trial->engine->halt = trial->halt;
    return ky_engine_put(trial->engine, &trial->bodies, error);
}

/* The same for the current parameters. Errors are measured without ranks. */
static enum ky_status open_again(struct trial *trial, struct ky_error *error)
{
    return open_for(trial, trial->own, error);
}

/* The same with the ranks of the simulation. */
static enum ky_status open_shared(struct trial *trial, struct ky_error *error)
{
    trial->shared = *trial->own;
    trial->shared.ranks = trial->ranks;
    trial->shared.log = NULL; /* each force would repeat the lines of the ranks */
    return open_for(trial, &trial->shared, error);
}

/* The acceleration by which errors in a periodic box are measured. */
static double usual_in_box(const struct trial *trial)
{
    const struct ky_parameters *own = trial->own;
    double mass = 0;
    for (size_t i = 0; i < trial->bodies.n; i++)
        mass += trial->bodies.mass[i];
    return ky_opening_usual_in_box(ky_rms(trial->count, (const double(*)[3])trial->exact),
                                   own->g * mass, own->box);
}

/* The same, with exact sums of the sample. */
static enum ky_status begin(struct trial *trial, struct ky_error *error)
{
    KY_TRY(open_again(trial, error));
    if (!trial->has_exact)
        KY_TRY(ky_engine_exact(trial->engine, trial->sink, trial->count, trial->exact,
                               trial->potential, error));
    trial->has_exact = 1;
    trial->over = trial->own->box > 0 ? usual_in_box(trial) : 0;
    return KY_OK;
}

/* Evaluates the forces with the current α and compares them on the sample. */
static enum ky_status measure(struct trial *trial, struct ky_error *error)
{
    struct ky_bodies some = {.n = trial->count, .acceleration = trial->got};
    KY_TRY(ky_engine_forces(trial->engine, error));
    KY_TRY(ky_engine_get_some(trial->engine, trial->body, &some, error));
    const struct ky_compared compared = {trial->count, 3, (const double *)trial->got,
                                         (const double *)trial->exact, trial->over};
    KY_TRY(ky_sorted_errors(&compared, trial->sorted, error));
    rank_errors(trial);
    return KY_OK;
}

/* The larger errors of the first two evaluations of bodies without accelerations, as a user has
 * them. `measure` has accelerations by another α, and many bodies may share a threshold that these
 * move. */
static enum ky_status measure_anew(struct trial *trial, struct ky_error *error)
{
    KY_TRY(ky_engine_put(trial->engine, &trial->bodies, error));
    KY_TRY(measure(trial, error));
    const double first = trial->error, held = trial->held;
    KY_TRY(measure(trial, error));
    trial->error = fmax(trial->error, first);
    trial->held = fmax(trial->held, held);
    return KY_OK;
}

/* ---- the α of an error ---- */

/* A measured point of the curve. */
struct point {
    double alpha, error, measured; /* trial->held and trial->error; α NaN: no point */
};

/* Rounds to three digits, so that the printed α is the α in use. */
static double rounded(double alpha)
{
    char text[KY_NUMBER_TEXT];
    ky_format(text, sizeof text, "%.3g", alpha);
    return fmin(1, fmax(1e-12, ky_number_real(text, NULL)));
}

/* The next α: along the power law through the last two points, limited to the interval around the
 * aim. */
static double next_alpha(const struct point *now, const struct point *before,
                         const struct point *below, const struct point *above, double wanted)
{
    double power = 0.6;
    if (!isnan(before->alpha) && before->error > 0)
        power = log(now->error / before->error) / log(now->alpha / before->alpha);
    if (!(power > 0.2 && power < 2))
        power = 0.6;
    const double factor = pow(wanted / now->error, 1 / power);
    const double alpha = rounded(now->alpha * fmin(30, fmax(1.0 / 30, factor)));
    const int is_between = !isnan(below->alpha) && !isnan(above->alpha);
    return is_between && !(alpha > below->alpha && alpha < above->alpha)
               ? rounded(sqrt(below->alpha * above->alpha))
               : alpha;
}

/* The error has a step where two α so near to each other lie above and below the aim. */
static const double STEP = 1.3;

/* The outcome of the search for α. */
enum outcome { KEPT, TOO_SMALL, TOO_LARGE };

/* 1 if a much smaller α has left the error as it was: rounding, not the method, makes it. Larger
 * errors than FAR times the least one of the method have other reasons. */
static int is_rounding(const struct trial *trial, const struct point *now,
                       const struct point *before)
{
    enum { FAR = 100 };
    return now->alpha < 0.2 * before->alpha && now->error > 0.8 * before->error &&
           now->error < FAR * ky_force_least(trial->own->force, trial->own->precision);
}

/* Measures a point that seems to keep the error once more, as a user has it. 1 if it does. */
static enum ky_status confirm(struct trial *trial, int *is_kept, struct ky_error *error)
{
    const int was_fresh = trial->is_fresh;
    trial->is_fresh = 1;
    if (!was_fresh)
        KY_TRY(measure_anew(trial, error));
    *is_kept = trial->held <= most * trial->asked;
    return KY_OK;
}

/* The error has a step at α, and is smaller than need be below it. The next evaluation may have the
 * step elsewhere, so that a smaller α keeps the error. */
static enum ky_status stay_below(struct trial *trial, double alpha, enum outcome *outcome,
                                 struct ky_error *error)
{
    int is_kept = 0;
    for (int turn = 0; turn < 4 && !is_kept; turn++) {
        trial->own->alpha = rounded(ldexp(alpha, -turn));
        trial->is_fresh = 0;
        KY_TRY(confirm(trial, &is_kept, error));
    }
    *outcome = is_kept ? KEPT : TOO_LARGE;
    return KY_OK;
}

/* Finds α for the current order and precision. TOO_SMALL: even the largest α has a smaller error
 * than requested. TOO_LARGE: no α keeps the error. */
static enum ky_status search(struct trial *trial, enum outcome *outcome, struct ky_error *error)
{
    const double wanted = aim * trial->asked;
    struct point now, before = {.alpha = (double)NAN}, below = before, above = before;
    int is_kept = 0;
    *outcome = TOO_LARGE;
    trial->own->alpha = rounded(trial->own->alpha);
    for (int turn = 0; turn < TURNS; turn++) {
        KY_TRY((trial->is_fresh ? measure_anew : measure)(trial, error));
        const double first = trial->held;
        const int is_last = first < wanted && trial->own->alpha >= 1;
        if (is_last || !(first > 0) ||
            (first >= least * trial->asked && first <= most * trial->asked)) {
            KY_TRY(confirm(trial, &is_kept, error));
            *outcome = is_last && trial->held < least * trial->asked ? TOO_SMALL : KEPT;
            if (is_kept)
                return KY_OK;
            *outcome = TOO_LARGE;
        }
        now = (struct point){trial->own->alpha, trial->held, trial->error};
        if (is_rounding(trial, &now, &before))
            break;
        *(now.error < wanted ? &below : &above) = now;
        trial->own->alpha = next_alpha(&now, &before, &below, &above, wanted);
        if (trial->own->alpha == now.alpha || above.alpha < STEP * below.alpha)
            break;
        before = now;
    }
    return isnan(below.alpha) ? KY_OK : stay_below(trial, below.alpha, outcome, error);
}

/* Finds order and α for the current precision. Takes a lower order if the errors of this one are
 * too small for any α. */
static enum ky_status search_orders(struct trial *trial, enum outcome *outcome,
                                    struct ky_error *error)
{
    struct ky_parameters *own = trial->own;
    enum ky_status status = begin(trial, error);
    if (!status)
        status = search(trial, outcome, error);
    while (!status && *outcome == TOO_SMALL && ky_force_kind(own->force)->expands &&
           own->order > 2) {
        const struct ky_parameters finer = *own;
        const double with_finer = trial->error;
        own->order--;
        own->alpha = 0.1;
        status = begin(trial, error);
        if (!status)
            status = search(trial, outcome, error);
        if (status || *outcome != TOO_LARGE)
            continue;
        *own = finer;
        trial->error = with_finer;
        *outcome = KEPT;
    }
    return status;
}

/* Takes double. 0 if that is the precision already, or the user has fixed it. */
static int take_double(struct ky_parameters *own, const struct ky_parameters *given)
{
    if (given->precision != KY_PRECISION_BY_INTEGRATOR || own->precision == KY_DOUBLE)
        return 0;
    own->precision = KY_DOUBLE;
    return 1;
}

/* Takes a more accurate option if the current parameters do not keep the error: double, then the
 * exact sum. 0 if the user has fixed both. */
static int take_finer(struct ky_parameters *own, const struct ky_parameters *given)
{
    if (take_double(own, given))
        return 1;
    if (given->force != KY_FORCE_AUTO)
        return 0;
    const int precision = given->precision;
    *own = *given;
    own->force = KY_DIRECT;
    own->precision = precision;
    return 1;
}

/* ---- the call ---- */

/* Determines whether the engine is the CPU; for `auto`, the engine that it would choose for this
 * number of bodies; with ranks the CPU. */
static enum ky_status find_engine(const struct ky_parameters *given,
                                  const struct ky_engine_use *use, int *on_cpu,
                                  struct ky_error *error)
{
    struct ky_parameters probe = *given;
    struct ky_engine *engine = NULL;
    const int is_auto = !strcmp(given->engine, "auto");
    *on_cpu = ky_engine_is_named(given->engine, "cpu") || (is_auto && given->ranks > 1);
    if (!is_auto || given->ranks > 1)
        return KY_OK;
    if (probe.force == KY_FORCE_AUTO)
        probe.force =
            (double)use->n < ky_force_kind(KY_TREE)->crossover ? KY_DIRECT : ky_force_usual(&probe);
    probe.log = NULL;
    enum ky_status status = ky_force_resolve(&probe, &probe, error);
    if (!status)
        status = ky_engine_open_for(&probe, 0, use, &engine, error);
    if (!status)
        *on_cpu = ky_engine_is_named(engine->name, "cpu");
    ky_engine_close(engine);
    return status;
}

/* Measures and refines until the error is kept. */
static enum ky_status keep_error(struct trial *trial, const struct ky_parameters *given,
                                 struct ky_error *error)
{
    struct ky_parameters *own = trial->own;
    enum outcome outcome = KEPT;
    enum ky_status status = KY_OK;
    while (!status && !ky_force_kind(own->force)->is_exact) {
        status = search_orders(trial, &outcome, error);
        if (status || outcome != TOO_LARGE)
            return status;
        if (!take_finer(own, given))
            return ky_fail(error, KY_USAGE,
                           "--error %g: with %s 99 %% of the accelerations of these bodies are "
                           "within %.2g at best; leave out %s, or give a larger --error",
                           trial->asked, ky_force_kind(own->force)->option, trial->held,
                           own->mutual ? "--force, --precision and --mutual"
                                       : "--force and --precision");
        if (ky_force_kind(own->force)->is_exact)
            status = ky_force_choose(own, trial->bodies.n, 1, error);
    }
    trial->error = (double)NAN;
    return status;
}

/* ---- several forces ---- */

/* An evaluation with its wait for the devices [s]. One thread of a CPU: its processor time, which
 * other work on the machine hardly changes. */
static enum ky_status time_once(struct trial *trial, double *seconds, struct ky_error *error)
{
    static const uint32_t first = 0;
    struct ky_bodies one = {.n = 1, .acceleration = trial->got};
    double (*const now)(void) =
        trial->on_cpu && trial->ranks == 1 && ky_threads(trial->own->threads) == 1
            ? ky_processor_clock
            : ky_clock;
    const double start = now();
    KY_TRY(ky_engine_forces(trial->engine, error));
    if (trial->ranks == 1) /* ranks have waited; they search all bodies for one, which takes longer
                              than forces on cards */
        KY_TRY(ky_engine_get_some(trial->engine, &first, &one, error));
    *seconds = now() - start;
    return KY_OK;
}

/* The least time of some evaluations with the current parameters [s]. The first one is left out,
 * since it may compile kernels and take two passes, unless it is long. */
static enum ky_status time_forces(struct trial *trial, double *seconds, struct ky_error *error)
{
    enum { TIMES = 20 };
    static const double whole = 0.2, is_long = 1; /* s */
    double now, spent = 0;
    *seconds = (double)INFINITY;
    KY_TRY(open_shared(trial, error));
    for (int k = 0; k <= TIMES && (k < 2 || spent < whole); k++) {
        KY_TRY(time_once(trial, &now, error));
        spent += k ? now : 0;
        if (k || now > is_long)
            *seconds = fmin(*seconds, now);
        if (!k && now > is_long)
            break;
    }
    return KY_OK;
}

/* Finds the parameters of this force and their time, infinite if it does not keep the error. */
static enum ky_status try_force(struct trial *trial, const struct ky_parameters *given, int force,
                                double *seconds, struct ky_error *error)
{
    const struct ky_engine_use use = {.n = trial->bodies.n};
    enum outcome outcome = KEPT;
    *seconds = (double)INFINITY;
    *trial->own = *given;
    trial->own->force = force;
    KY_TRY(ky_force_choose(trial->own, use.n, trial->on_cpu, error));
    ky_force_prefer_units(trial->own, given, &use, trial->on_cpu);
    if (ky_force_kind(force)->is_exact)
        trial->error = (double)NAN;
    else
        do
            KY_TRY(search_orders(trial, &outcome, error));
        while (outcome == TOO_LARGE && take_double(trial->own, given));
    return outcome == TOO_LARGE ? KY_OK : time_forces(trial, seconds, error);
}

/* Takes the fastest force that keeps the error. A later one in the race has to be faster by 3 %,
 * so that noise seldom decides. */
static enum ky_status run_race(struct trial *trial, const struct ky_parameters *given,
                               struct ky_race *race, struct ky_error *error)
{
    struct ky_parameters best = *trial->own;
    double fastest = (double)INFINITY, its_error = (double)NAN;
    for (int k = 0; k < race->count; k++) {
        KY_TRY(try_force(trial, given, race->force[k], &race->seconds[k], error));
        if (!(race->seconds[k] < (k ? 0.97 : 1) * fastest))
            continue;
        fastest = race->seconds[k];
        its_error = trial->error;
        best = *trial->own;
    }
    *trial->own = best;
    trial->error = its_error;
    return isfinite(fastest) ? KY_OK : keep_error(trial, given, error);
}

/* Measures errors, and times where several forces may be the fastest. */
static enum ky_status measure_forces(struct trial *trial, const struct ky_parameters *given,
                                     struct ky_race *forces, struct ky_error *error)
{
    struct ky_parameters *own = trial->own, bare = *given;
    bare.field = NULL; /* the error is relative to the bodies' own acceleration */
    bare.field_function = NULL;
    bare.field_places = NULL;
    bare.ranks = 1; /* all bodies are in this process */
    own->field = NULL;
    own->field_function = NULL;
    own->field_places = NULL;
    own->ranks = 1;
    ky_announce(own, trial->bodies.n, "forces compared with exact sums, for --error");
    enum ky_status status = make_sample(trial, error);
    if (!status)
        status = forces->count > 1 ? run_race(trial, &bare, forces, error)
                                   : keep_error(trial, &bare, error);
    own->field = given->field;
    own->field_function = given->field_function;
    own->field_places = given->field_places;
    own->ranks = given->ranks;
    return status;
}

/* A sample of the bodies, for the parameters that the engine reads. */
static struct trial trial_of(struct ky_parameters *own, const struct ky_bodies *bodies,
                             double asked, struct ky_halt *halt)
{
    struct trial trial = {
        .own = own, .bodies = *bodies, .halt = halt, .asked = asked, .ranks = own->ranks};
    trial.bodies.acceleration = NULL;
    trial.bodies.potential = NULL;
    return trial;
}

enum ky_status ky_force_settle_again(struct ky_parameters *own, const struct ky_bodies *bodies,
                                     struct ky_choice *choice, struct ky_halt *halt,
                                     struct ky_error *error)
{
    const struct ky_parameters before = *own;
    struct ky_race none = {.count = 0};
    struct trial trial = trial_of(own, bodies, choice->asked, halt);
    const struct ky_choice_reason reason = {.own = own, .n = bodies->n};
    enum ky_status status = measure_forces(&trial, &before, &none, error);
    if (!status) {
        ky_choice_note(choice, own);
        choice->measured = trial.error;
        choice->samples = trial.count;
        ky_choice_describe(choice, &reason);
    } else {
        *own = before;
    }
    end(&trial);
    return status;
}

enum ky_status ky_force_settle(struct ky_parameters *own, const struct ky_bodies *bodies,
                               const struct ky_engine_use *use, struct ky_choice *choice,
                               struct ky_halt *halt, struct ky_error *error)
{
    const struct ky_parameters given = *own;
    struct trial trial = trial_of(own, bodies, given.error, halt);
    struct ky_choice_reason reason = {.own = own, .n = bodies->n};
    const int was_asked = !isnan(given.error);
    *choice = (struct ky_choice){.size = sizeof *choice, .measured = (double)NAN};
    reason.was_auto = given.force == KY_FORCE_AUTO;
    enum ky_status status = KY_OK;
    if (reason.was_auto || was_asked) {
        KY_TRY(find_engine(&given, use, &reason.on_cpu, error));
        reason.race.count =
            ky_force_rivals(own, bodies->n, reason.on_cpu, use->schemes, reason.race.force);
        KY_TRY(ky_force_choose(own, bodies->n, reason.on_cpu, error));
        ky_force_prefer_units(own, &given, use, reason.on_cpu);
    }
    const int is_timed = reason.race.count > 1 && bodies->position && bodies->n;
    reason.race.count = is_timed ? reason.race.count : 0;
    if (is_timed ||
        (was_asked && bodies->position && bodies->n && !ky_force_kind(own->force)->is_exact)) {
        trial.on_cpu = reason.on_cpu;
        status = measure_forces(&trial, &given, &reason.race, error);
        choice->measured = trial.error;
        choice->samples = isnan(trial.error) ? 0 : trial.count;
        end(&trial);
    }
    ky_choice_note(choice, own);
    choice->asked = given.error;
    if (!status && (reason.was_auto || was_asked))
        ky_choice_describe(choice, &reason);
    return status;
}
