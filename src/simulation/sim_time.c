/* Advancing a simulation in time: complete steps, shorter ones, and their ends. */
#include "simulation/sim.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/status.h"
#include "engine/common/external.h"

/* Fills sim->stop with the bodies of a pair. */
static void name_pair(struct ky_sim *sim, const size_t pair[2])
{
    for (int k = 0; k < 2; k++) {
        sim->stop.index[k] = pair[k];
        sim->stop.id[k] = sim->id ? sim->id[pair[k]] : pair[k];
    }
}

/* Two bodies touch at the present time. The watch remembers the pair; if it does not see the
 * contact in the rounded positions, the integrator's numbers stand for it. */
static enum ky_status touch(struct ky_sim *sim, const struct ky_integrator_report *report,
                            struct ky_error *error)
{
    char distance[KY_QUANTITY_TEXT];
    KY_TRY(ky_sim_watch(sim, error));
    sim->stop.kind = KY_STOP_COLLISION;
    sim->stop.distance = report->apart;
    sim->stop.count = 1;
    name_pair(sim, report->close);
    return ky_fail(error, KY_STOPPED,
                   "a collision of bodies %" PRIu64 " and %" PRIu64 " (distance %s)",
                   sim->stop.id[0], sim->stop.id[1],
                   ky_quantity_text(&sim->line.units, KY_LENGTH_UNIT, report->apart, 6, distance));
}

/* The integrator has stopped by itself, after `now` and not later than its target: two bodies came
 * too close to each other or touch, or a flag is set. */
static enum ky_status halt(struct ky_sim *sim, struct ky_error *error)
{
    struct ky_integrator_report report;
    char least[KY_QUANTITY_TEXT];
    const uint64_t stride = sim->integrator->stride;
    const double step = sim->line.tick * (double)stride,
                 part = sim->now.part + sim->integrator->reached, steps = floor(part / step);
    sim->integrator->verbs->report(sim->integrator, &report);
    sim->now.ticks += (uint64_t)steps * stride;
    sim->now.part = part - steps * step;
    if (report.ended == KY_ENDED_BY_CONTACT)
        return touch(sim, &report, error);
    if (report.ended == KY_ENDED_AS_ASKED) {
        sim->stop.kind = KY_STOP_ASKED;
        return ky_fail(error, KY_STOPPED, "stopped by the program within a step");
    }
    sim->stop.kind = KY_STOP_CLOSE_PAIR;
    sim->stop.distance = report.apart;
    sim->stop.step = fabs(sim->line.tick);
    name_pair(sim, report.close);
    return ky_fail(error, KY_STOPPED,
                   "a close encounter of bodies %" PRIu64 " and %" PRIu64
                   ", which need steps shorter than --step-min (%s),",
                   sim->stop.id[0], sim->stop.id[1],
                   ky_length_of_time(&sim->line, fabs(sim->line.tick), least));
}

const char *ky_sim_within_words(const struct ky_sim *sim, char text[KY_WITHIN_WORDS])
{
    const struct ky_integrator_state *integrator = sim->integrator;
    const struct ky_stop *stop = &sim->stop;
    const struct ky_parted *parted = &sim->parted;
    const double part = (double)integrator->within / (double)integrator->stride,
                 done =
                     parted->parts ? ((double)parted->done + part) / (double)parted->parts : part;
    char least[KY_QUANTITY_TEXT], apart[KY_QUANTITY_TEXT];
    const int used = snprintf(text, KY_WITHIN_WORDS,
                              "within a longest step, of which %.3g %% is done", 100 * done);
    if (!isnan(stop->distance))
        snprintf(text + used, KY_WITHIN_WORDS - (size_t)used,
                 ": bodies %" PRIu64 " and %" PRIu64 ", %s apart, need steps of %s,", stop->id[0],
                 stop->id[1],
                 ky_quantity_text(&sim->line.units, KY_LENGTH_UNIT, stop->distance, 4, apart),
                 ky_length_of_time(&sim->line, stop->step, least));
    return text;
}

/* The integrator has ended its call because `is_over` returned 1. */
static enum ky_status end_call(struct ky_sim *sim, struct ky_error *error)
{
    char words[KY_WITHIN_WORDS];
    struct ky_integrator_report report;
    sim->integrator->verbs->report(sim->integrator, &report);
    sim->now.ticks += sim->integrator->whole;
    sim->stop.kind = KY_STOP_ASKED;
    if (!ky_sim_is_within(sim))
        return ky_fail(error, KY_STOPPED, "stopped by the program between two steps");
    if (!isnan(report.least)) {
        sim->stop.distance = report.apart;
        sim->stop.step = report.least;
        name_pair(sim, report.close);
    }
    return ky_fail(error, KY_STOPPED, "stopped by the program %s", ky_sim_within_words(sim, words));
}

/* Handles the status of the integrator. After a failure bodies are somewhere within a step. */
static enum ky_status settle(struct ky_sim *sim, enum ky_status status, struct ky_error *error)
{
    if (status == KY_STOPPED)
        return sim->integrator->was_over ? end_call(sim, error) : halt(sim, error);
    sim->has_failed |= status && !sim->integrator->within;
    return status;
}

/* 1 if a call that advances is to end. */
static int is_over(void *context)
{
    const struct ky_sim *sim = context;
    const volatile int *stop = sim->parameters.stop;
    return (stop && *stop) || (sim->is_over && sim->is_over(sim->is_over_context));
}

/* Prepares the integrator for a call that begins `before` ticks after the time `origin`. */
static void begin_call(struct ky_sim *sim, double origin, uint64_t before)
{
    struct ky_integrator_state *integrator = sim->integrator;
    integrator->origin = origin;
    integrator->before = before;
    integrator->is_over = is_over;
    integrator->is_over_context = sim;
    integrator->was_over = 0;
    integrator->radii = sim->parameters.stop_collision ? ky_sim_radii(sim, &integrator->radius) : 0;
    if (!integrator->within)
        sim->passages.count = 0;
    integrator->softened = isnan(sim->parameters.softening_max) ? NULL : &sim->parameters;
    integrator->softening = sim->softening;
    integrator->near = fmax(sim->parameters.stop_pair, 0); /* NaN: 0 */
}

/* Divides a step of comoving bodies, or finds the one within which they are. */
static enum ky_status plan_parts(struct ky_sim *sim, double from, double to, struct ky_error *error)
{
    unsigned parts;
    if (sim->parted.parts && sim->parted.to != to)
        return ky_fail(error, KY_USAGE,
                       "the bodies are within a step to a = %.10g: advance to the end of this step "
                       "first",
                       sim->parted.to);
    if (sim->parted.parts)
        return KY_OK;
    KY_TRY(ky_sim_keep_error(sim, from, error));
    if (!(sim->layzer.a > 0))
        KY_TRY(ky_sim_note_energy(sim, from, error));
    KY_TRY(ky_sim_parts(sim, from, to, &parts, error));
    sim->parted = (struct ky_parted){to, parts, 0};
    return KY_OK;
}

/* The scale factor after k parts. */
static double after_parts(const struct ky_parted *own, double from, uint64_t k)
{
    return k < own->parts ? from * pow(own->to / from, (double)k / (double)own->parts) : own->to;
}

/* 1 if the call is to end between two parts: is_over has returned 1 for as long as the integrator
 * may go on. With a step that all bodies share a call does not end there. `asked`: when it first
 * did; NaN: it has not. */
static int is_over_between(struct ky_sim *sim, double *asked)
{
    if (sim->integrator->stride == 1 || sim->parted.done == sim->parted.parts || !is_over(sim))
        return 0;
    if (isnan(*asked))
        *asked = ky_clock();
    return ky_clock() - *asked >= sim->integrator->patience;
}

/* A step of comoving bodies, in parts that are equal in ln a; or the rest of such a step. */
static enum ky_status comoving_step(struct ky_sim *sim, double from, double to,
                                    struct ky_error *error)
{
    const struct ky_integrator_verbs *verbs = sim->integrator->verbs;
    struct ky_parted *own = &sim->parted;
    char words[KY_WITHIN_WORDS];
    double asked = (double)NAN;
    KY_TRY(plan_parts(sim, from, to, error));
    while (own->done < own->parts) {
        const double at = after_parts(own, from, own->done),
                     next = after_parts(own, from, own->done + 1);
        begin_call(sim, at, 0);
        ky_sim_soften(sim, at + (next - at)); /* rounded as the integrator does */
        KY_TRY(settle(sim, verbs->short_step(sim->integrator, next - at, error), error));
        own->done++;
        KY_TRY(ky_sim_note_energy(sim, next, error));
        if (is_over_between(sim, &asked)) {
            sim->stop.kind = KY_STOP_ASKED;
            return ky_fail(error, KY_STOPPED, "stopped by the program %s",
                           ky_sim_within_words(sim, words));
        }
    }
    *own = (struct ky_parted){0};
    return KY_OK;
}

static enum ky_status short_step(struct ky_sim *sim, double dt, struct ky_error *error)
{
    const struct ky_integrator_verbs *verbs = sim->integrator->verbs;
    if (!verbs->short_step)
        return ky_fail(error, KY_UNSUPPORTED,
                       "integrator %s cannot divide its steps: choose a time at the end of one",
                       verbs->name);
    if (sim->line.comoving)
        return comoving_step(sim, ky_sim_time(sim), ky_sim_time(sim) + dt, error);
    begin_call(sim, ky_sim_time(sim), 0);
    return settle(sim, verbs->short_step(sim->integrator, dt, error), error);
}

/* From an instant within a step to its end. */
static enum ky_status finish_step(struct ky_sim *sim, struct ky_error *error)
{
    const uint64_t stride = sim->integrator->stride;
    const double step = ky_timeline_length(&sim->line, sim->now.ticks, stride);
    if (sim->now.part == 0)
        return KY_OK;
    KY_TRY(short_step(sim, step - sim->now.part, error));
    sim->now = (struct ky_instant){sim->now.ticks + stride, 0};
    return ky_sim_watch(sim, error);
}

/* To an instant within the present step. */
static enum ky_status last_part(struct ky_sim *sim, struct ky_instant instant,
                                struct ky_error *error)
{
    KY_TRY(short_step(sim, instant.part - sim->now.part, error));
    sim->now = instant;
    return ky_sim_watch(sim, error);
}

/* KY_STOPPED if the caller wants the call to end here. */
static enum ky_status heed_stop(struct ky_sim *sim, struct ky_error *error)
{
    const volatile int *stop = sim->parameters.stop;
    if (!stop || !*stop)
        return KY_OK;
    sim->stop.kind = KY_STOP_ASKED;
    return ky_fail(error, KY_STOPPED, "stopped by the program between two steps");
}

/* Advances from one tick to a later one by complete steps that are equal in time. If the call can
 * stop between two steps, each step is a call of its own; the bits are the same. */
static enum ky_status equal_steps(struct ky_sim *sim, uint64_t until, struct ky_error *error)
{
    const uint64_t ticks =
        sim->parameters.stop || sim->watch ? sim->integrator->stride : until - sim->now.ticks;
    begin_call(sim, sim->line.start, sim->now.ticks);
    KY_TRY(settle(sim, sim->integrator->verbs->advance(sim->integrator, ticks, error), error));
    sim->now.ticks += ticks;
    return KY_OK;
}

static enum ky_status next_step(struct ky_sim *sim, struct ky_error *error)
{
    const uint64_t stride = sim->integrator->stride;
    KY_TRY(short_step(sim, ky_timeline_length(&sim->line, sim->now.ticks, stride), error));
    sim->now.ticks += stride;
    return KY_OK;
}

static enum ky_status whole_steps(struct ky_sim *sim, uint64_t until, struct ky_error *error)
{
    while (sim->now.ticks < until) {
        KY_TRY(sim->line.expansion.h0 == 0 ? equal_steps(sim, until, error)
                                           : next_step(sim, error));
        KY_TRY(ky_sim_watch(sim, error));
        if (sim->now.ticks < until)
            KY_TRY(heed_stop(sim, error));
    }
    return KY_OK;
}

/* Records whether the last call ended early, and if so whether for lack of time. */
static void note_stop(struct ky_sim *sim)
{
    struct ky_integrator_report report;
    sim->integrator->verbs->report(sim->integrator, &report);
    if (report.stuck) {
        sim->stop.kind = KY_STOP_SHORT_STEPS;
        sim->stop.step = report.shortest;
    }
    if (sim->stop.kind != KY_STOP_NONE)
        sim->stop.time = ky_sim_time(sim);
}

enum ky_status ky_sim_go_to(struct ky_sim *sim, struct ky_instant instant, struct ky_error *error)
{
    const double step = sim->parameters.step;
    KY_TRY(ky_sim_check_open(sim, error));
    if (!isfinite(step) || step == 0)
        return ky_fail(error, KY_USAGE,
                       "no step is known; give --step, a finite time that is not 0");
    sim->stop = ky_not_stopped;
    enum ky_status status = ky_externals_cover(&sim->engine->externals, ky_sim_time(sim),
                                               ky_instant_time(&sim->line, instant), error);
    if (!status)
        status = ky_sim_catch_up(sim, error);
    if (!status && instant.ticks > sim->now.ticks)
        status = finish_step(sim, error);
    if (!status && instant.ticks > sim->now.ticks)
        status = whole_steps(sim, instant.ticks, error);
    if (!status && instant.part != sim->now.part)
        status = last_part(sim, instant, error);
    if (status)
        note_stop(sim);
    return status;
}

enum ky_status ky_sim_check_time(const struct ky_sim *sim, struct ky_error *error)
{
    if (!sim->in_run)
        return KY_OK;
    return ky_fail(error, KY_USAGE,
                   "the run controls the time of its simulation: the caller's function may neither "
                   "advance it nor change its step");
}

enum ky_status ky_sim_advance(struct ky_sim *sim, uint64_t steps, struct ky_error *error)
{
    KY_NEED(sim, error);
    const uint64_t stride = sim->integrator->stride;
    const struct ky_instant instant = {sim->now.ticks + steps * stride, 0};
    KY_TRY(ky_sim_check_open(sim, error));
    KY_TRY(ky_sim_check_time(sim, error));
    if (steps > (KY_MOST_TICKS - sim->now.ticks) / stride)
        return ky_fail(error, KY_USAGE, "%" PRIu64 " steps are too many to be counted", steps);
    return ky_sim_go_to(sim, steps ? instant : sim->now, error);
}

enum ky_status ky_sim_advance_to(struct ky_sim *sim, double time, int shorten,
                                 struct ky_error *error)
{
    KY_NEED(sim, error);
    char nearest[KY_NEAREST];
    struct ky_instant instant;
    const uint64_t stride = sim->integrator->stride;
    char wanted[KY_QUANTITY_TEXT], now[KY_QUANTITY_TEXT], step[KY_QUANTITY_TEXT];
    int on_grid = ky_instant_find(&sim->line, stride, time, &instant);
    KY_TRY(ky_sim_check_open(sim, error));
    KY_TRY(ky_sim_check_time(sim, error));
    if (isnan(time))
        return ky_fail(error, KY_USAGE, "the time to advance to is not a number (nan)");
    if (isnan(sim->line.tick) || sim->line.tick == 0)
        return ky_sim_go_to(sim, instant, error);
    ky_time_words(&sim->line, time, wanted);
    ky_time_words(&sim->line, ky_sim_time(sim), now);
    ky_step_words(&sim->line, sim->parameters.step, step);
    if (on_grid < 0 && (time - ky_sim_time(sim)) / sim->parameters.step > 0)
        return ky_fail(error, KY_USAGE,
                       "time %s is more steps away than can be counted: it is %s now, step %s",
                       wanted, now, step);
    if (on_grid < 0 || ky_instant_compare(instant, sim->now) < 0)
        return ky_fail(
            error, KY_USAGE,
            "time %s is not ahead: it is %s now, step %s; a step of the other sign leads "
            "there",
            wanted, now, step);
    if (!on_grid && !shorten)
        return ky_fail(error, KY_USAGE, "no step ends at time %s (step %s); %s", wanted, step,

                       ky_instant_nearest(&sim->line, stride, time, 0, nearest));
    return ky_sim_go_to(sim, instant, error);
}
