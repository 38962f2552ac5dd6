/* The conditions that end a call that advances: the bodies that meet them now but did not when a
 * call last checked. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/walker.h"
#include "base/bodies.h"
#include "base/memory.h"
#include "base/status.h"
#include "simulation/sim.h"

/* A pair or a body that meets a condition. A restart file stores these numbers as they are. */
struct met {
    uint64_t kind;  /* enum ky_stop_kind */
    uint64_t id[2]; /* for a pair the smaller id first; for a body its id, and 0 */
};

struct ky_watch {
    struct ky_bodies bodies; /* copies of the conditions' input */
    struct met *met;         /* reported bodies, ascending */
    size_t count;
};

/* A candidate for a condition. */
struct entry {
    struct met met;
    size_t index[2];
    double distance; /* as in struct ky_stop */
};
struct found {
    struct entry *entry;
    size_t count, room;
};

static enum ky_status add(struct found *found, const struct ky_sim *sim, size_t i, size_t j,
                          double distance, struct ky_error *error)
{
    if (!ky_room_for_one(&found->entry, found->count, &found->room, sizeof *found->entry))
        return ky_no_memory(error, "bodies that meet a condition", found->count + 1,
                            sizeof *found->entry);
    struct entry *entry = &found->entry[found->count++];
    const size_t index[2] = {i, j == SIZE_MAX ? 0 : j};
    *entry = (struct entry){.distance = distance};
    for (int k = 0; k < (j == SIZE_MAX ? 1 : 2); k++) {
        entry->index[k] = index[k];
        entry->met.id[k] = sim->id ? sim->id[index[k]] : index[k];
    }
    return KY_OK;
}

static int in_order(const void *one, const void *other)
{
    const struct met *a = one, *b = other;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    for (int k = 0; k < 2; k++)
        if (a->id[k] != b->id[k])
            return a->id[k] < b->id[k] ? -1 : 1;
    return 0;
}

static int has_told(const struct ky_watch *watch, const struct met *met)
{
    return watch->count && bsearch(met, watch->met, watch->count, sizeof *met, in_order);
}

/* ---- the tests of the conditions ---- */

static enum ky_status find_pairs(struct ky_sim *sim, const double *radius, size_t radii,
                                 struct found *found, struct ky_error *error)
{
    struct ky_pairs pairs = {0};
    struct ky_walker walker = ky_walker_on(sim->engine, &sim->parameters, NULL);
    enum ky_status status =
        ky_walker_pairs(&walker, sim->n, (const double(*)[3])sim->watch->bodies.position, radius,
                        radii, &pairs, error);
    if (!status)
        status = ky_sim_add_passages(sim, radius, radii, &pairs, error);
    for (size_t k = 0; k < pairs.count && !status; k++)
        status = add(found, sim, pairs.index[k][0], pairs.index[k][1], pairs.distance[k], error);
    ky_pairs_free(&pairs);
    ky_walker_close(&walker, NULL);
    return status;
}

size_t ky_sim_radii(const struct ky_sim *sim, const double **radius)
{
    const int one = !isnan(sim->parameters.body_radius);
    *radius = one ? &sim->parameters.body_radius : sim->radius;
    return one ? 1 : sim->radius ? sim->n : 0;
}

static enum ky_status find_collisions(struct ky_sim *sim, struct found *found,
                                      struct ky_error *error)
{
    const double *radius;
    const size_t radii = ky_sim_radii(sim, &radius);
    return radii ? find_pairs(sim, radius, radii, found, error) : KY_OK;
}

static enum ky_status find_near_pairs(struct ky_sim *sim, struct found *found,
                                      struct ky_error *error)
{
    const double half = sim->parameters.stop_pair / 2;
    return find_pairs(sim, &half, 1, found, error);
}

/* The centre, which takes long, is computed only if a body is unbound and has not been reported. */
static enum ky_status find_unbound(struct ky_sim *sim, const struct ky_bodies *bodies,
                                   struct found *found, struct ky_error *error)
{
    struct ky_sums sums = {0};
    double centre[3];
    int has_centre = 0;
    enum ky_status status = ky_engine_sums(sim->engine, &sums, error);
    for (size_t i = 0; i < sim->n && !status; i++) {
        const struct met met = {KY_STOP_ESCAPE, {sim->id ? sim->id[i] : i, 0}};
        if (!ky_is_unbound(bodies, i, &sums) || has_told(sim->watch, &met))
            continue;
        if (!has_centre)
            status = ky_density_centre(&sim->watch->bodies, centre, error);
        has_centre = 1;
        const double distance = status ? 0 : ky_distance(bodies->position[i], centre);
        if (distance > sim->parameters.stop_escape)
            status = add(found, sim, i, SIZE_MAX, distance, error);
    }
    return status;
}

static enum ky_status find_escapers(struct ky_sim *sim, struct found *found, struct ky_error *error)
{
    const struct ky_bodies *bodies = &sim->watch->bodies;
    struct ky_bodies settled;
    if (!(sim->parameters.group_radius > 0))
        return find_unbound(sim, bodies, found, error);
    enum ky_status status = ky_sim_settle_systems(sim, bodies, &settled, error);
    if (!status)
        status = find_unbound(sim, &settled, found, error);
    ky_bodies_free(&settled);
    return status;
}

static enum ky_status find_outside(struct ky_sim *sim, struct found *found, struct ky_error *error)
{
    for (size_t i = 0; i < sim->n; i++) {
        const double *x = sim->watch->bodies.position[i];
        const double farthest = fmax(fmax(fabs(x[0]), fabs(x[1])), fabs(x[2]));
        if (farthest > sim->parameters.stop_box / 2)
            KY_TRY(add(found, sim, i, SIZE_MAX, farthest, error));
    }
    return KY_OK;
}

/* ---- reports ---- */

/* Texts of lengths in the line of a stop. */
struct lengths {
    char distance[KY_QUANTITY_TEXT], limit[KY_QUANTITY_TEXT];
};

static void tell_collision(const struct ky_stop *stop, const struct lengths *text,
                           struct ky_error *error)
{
    ky_fail(error, KY_STOPPED,
            "a collision of bodies %" PRIu64 " and %" PRIu64
            " (distance %s, sum of their radii %s)",
            stop->id[0], stop->id[1], text->distance, text->limit);
}

static void tell_pair(const struct ky_stop *stop, const struct lengths *text,
                      struct ky_error *error)
{
    ky_fail(error, KY_STOPPED,
            "the pair of bodies %" PRIu64 " and %" PRIu64 " (distance %s, --stop-pair %s)",
            stop->id[0], stop->id[1], text->distance, text->limit);
}

static void tell_escape(const struct ky_stop *stop, const struct lengths *text,
                        struct ky_error *error)
{
    ky_fail(error, KY_STOPPED,
            "the escape of body %" PRIu64 " (%s from the density centre, --stop-escape %s)",
            stop->id[0], text->distance, text->limit);
}

static void tell_outside(const struct ky_stop *stop, const struct lengths *text,
                         struct ky_error *error)
{
    ky_fail(error, KY_STOPPED,
            "body %" PRIu64 " outside the box (%s from its middle along an axis, --stop-box %s)",
            stop->id[0], text->distance, text->limit);
}

#define MEMBER(name) offsetof(struct ky_parameters, name)
static const struct condition {
    int kind;
    int of_pairs; /* 1: report the nearest pair; 0: the farthest body */
    int once;     /* 1: a body stops only one call */
    size_t limit; /* member of struct ky_parameters with the length; 0: a collision */
    enum ky_status (*find)(struct ky_sim *sim, struct found *found, struct ky_error *error);
    void (*tell)(const struct ky_stop *stop, const struct lengths *text, struct ky_error *error);
    const char *others; /* the plural */
} conditions[] = {
    {KY_STOP_COLLISION, 1, 0, 0, find_collisions, tell_collision, "collisions"},
    {KY_STOP_PAIR, 1, 0, MEMBER(stop_pair), find_near_pairs, tell_pair, "pairs"},
    {KY_STOP_ESCAPE, 0, 1, MEMBER(stop_escape), find_escapers, tell_escape, "bodies"},
    {KY_STOP_BOX, 0, 0, MEMBER(stop_box), find_outside, tell_outside, "bodies"},
};
enum { CONDITIONS = sizeof conditions / sizeof *conditions };

/* The length of the condition; NaN: not requested. */
static double limit_of(const struct ky_parameters *parameters, const struct condition *condition)
{
    double limit = parameters->stop_collision ? 0 : (double)NAN;
    if (condition->limit)
        memcpy(&limit, (const char *)parameters + condition->limit, sizeof limit);
    return limit;
}

/* Sets the keys of the entries. Returns the new entry to report, or NULL, and the number of new
 * ones in *count. */
static const struct entry *choose(const struct ky_watch *watch, const struct condition *condition,
                                  struct found *found, size_t *count)
{
    const struct entry *best = NULL;
    *count = 0;
    for (size_t k = 0; k < found->count; k++) {
        struct entry *entry = &found->entry[k];
        entry->met.kind = (uint64_t)condition->kind;
        if (condition->of_pairs && entry->met.id[0] > entry->met.id[1]) {
            const uint64_t larger = entry->met.id[0];
            entry->met.id[0] = entry->met.id[1];
            entry->met.id[1] = larger;
        }
        if (has_told(watch, &entry->met))
            continue;
        ++*count;
        if (!best || (condition->of_pairs ? entry->distance < best->distance
                                          : entry->distance > best->distance))
            best = entry;
    }
    return best;
}

/* Replaces the records of this condition by the current findings; if a body is reported only once,
 * adds them. */
static enum ky_status note(struct ky_watch *watch, const struct condition *condition,
                           const struct found *found, struct ky_error *error)
{
    size_t count = 0;
    if (!found->count && !watch->count)
        return KY_OK;
    struct met *met;
    KY_TRY(ky_array(&met, watch->count + found->count, sizeof *met, "bodies that meet conditions",
                    error));
    for (size_t k = 0; k < watch->count; k++)
        if (condition->once || watch->met[k].kind != (uint64_t)condition->kind)
            met[count++] = watch->met[k];
    for (size_t k = 0; k < found->count; k++)
        met[count++] = found->entry[k].met;
    if (count)
        qsort(met, count, sizeof *met, in_order);
    free(watch->met);
    watch->met = met;
    watch->count = count;
    return KY_OK;
}

/* Fills sim->stop; KY_STOPPED. */
static enum ky_status stop(struct ky_sim *sim, const struct condition *condition,
                           const struct entry *entry, size_t count, struct ky_error *error)
{
    struct lengths text;
    struct ky_error line;
    const double *radius;
    const struct ky_units *units = &sim->line.units;
    double limit = limit_of(&sim->parameters, condition);
    if (!condition->limit)
        limit = ky_sim_radii(sim, &radius) > 1 ? radius[entry->index[0]] + radius[entry->index[1]]
                                               : 2 * radius[0];
    sim->stop.kind = condition->kind;
    sim->stop.distance = entry->distance;
    sim->stop.count = count;
    for (int k = 0; k < 2; k++) {
        const size_t i = entry->index[k];
        if (k && !condition->of_pairs)
            continue;
        sim->stop.index[k] = i;
        sim->stop.id[k] = sim->id ? sim->id[i] : i;
    }
    ky_quantity_text(units, KY_LENGTH_UNIT, entry->distance, 6, text.distance);
    if (isinf(limit)) /* two radii */
        snprintf(text.limit, sizeof text.limit, "over %g", DBL_MAX);
    else
        ky_quantity_text(units, KY_LENGTH_UNIT, limit, 6, text.limit);
    condition->tell(&sim->stop, &text, &line);
    if (count > 1)
        return ky_fail(error, KY_STOPPED, "%s, the %s of %zu %s,", line.text,
                       condition->of_pairs ? "nearest" : "farthest", count, condition->others);
    return ky_fail(error, KY_STOPPED, "%s", line.text);
}

/* ---- watching ---- */

/* Copies the conditions' input. */
static enum ky_status look(struct ky_sim *sim, struct ky_error *error)
{
    struct ky_bodies *bodies = &sim->watch->bodies;
    if (bodies->n != sim->n) {
        ky_bodies_free(bodies);
        bodies->n = sim->n;
    }
    if (!bodies->position && !(bodies->position = ky_allocate(sim->n, sizeof *bodies->position)))
        return ky_no_memory(error, "positions", sim->n, sizeof *bodies->position);
    if (!isnan(sim->parameters.stop_escape) && !bodies->potential) {
        ky_bodies_free(bodies);
        KY_TRY(ky_bodies_allocate_by(sim->parameters.threads, bodies, sim->n, KY_WITH_POTENTIAL,
                                     error));
    }
    if (bodies->potential)
        KY_TRY(ky_sim_catch_up(sim, error));
    return ky_engine_get(sim->engine, bodies, error);
}

/* Checks whether one condition is newly met. */
static enum ky_status check(struct ky_sim *sim, const struct condition *condition,
                            struct ky_error *error)
{
    struct found found = {0};
    size_t count = 0;
    enum ky_status status = condition->find(sim, &found, error);
    const struct entry *entry = status ? NULL : choose(sim->watch, condition, &found, &count);
    if (!status)
        status = note(sim->watch, condition, &found, error);
    if (!status && entry)
        status = stop(sim, condition, entry, count, error);
    free(found.entry);
    return status;
}

enum ky_status ky_sim_watch(struct ky_sim *sim, struct ky_error *error)
{
    if (!sim->watch || !sim->n)
        return KY_OK;
    enum ky_status status = look(sim, error);
    for (int k = 0; k < CONDITIONS && !status; k++)
        if (!isnan(limit_of(&sim->parameters, &conditions[k])))
            status = check(sim, &conditions[k], error);
    sim->has_failed |= status && status != KY_STOPPED;
    return status;
}

void ky_sim_free_watch(struct ky_sim *sim)
{
    if (!sim->watch)
        return;
    ky_bodies_free(&sim->watch->bodies);
    free(sim->watch->met);
    free(sim->watch);
    sim->watch = NULL;
}

enum ky_status ky_sim_make_watch(struct ky_sim *sim, struct ky_error *error)
{
    if (!ky_stopping_is_asked(&sim->parameters))
        ky_sim_free_watch(sim);
    else if (!sim->watch && !(sim->watch = ky_allocate_zeroed(1, sizeof *sim->watch)))
        return ky_no_memory(error, "conditions that stop", 1, sizeof *sim->watch);
    return KY_OK;
}

/* ---- restart files ---- */

struct ky_section ky_sim_told_section(const struct ky_sim *sim)
{
    struct ky_section section = {.name = "told"};
    if (sim->watch) {
        section.data = sim->watch->met;
        section.bytes = sim->watch->count * sizeof *sim->watch->met;
    }
    return section;
}

enum ky_status ky_sim_restore_told(struct ky_sim *sim, const struct ky_restart *restart,
                                   struct ky_error *error)
{
    const struct ky_section *told = ky_restart_find(restart, "told");
    struct ky_watch *watch = sim->watch;
    if (!told || !watch)
        return KY_OK;
    watch->count = (size_t)told->bytes / sizeof *watch->met;
    KY_TRY(ky_array(&watch->met, watch->count, sizeof *watch->met, "bodies that meet conditions",
                    error));
    memcpy(watch->met, told->data, watch->count * sizeof *watch->met);
    for (size_t k = 1; k < watch->count; k++)
        if (in_order(&watch->met[k - 1], &watch->met[k]) >= 0)
            return ky_fail(error, KY_BAD_DATA,
                           "the restart file has a section 'told' whose entry %zu is not in order",
                           k);
    return KY_OK;
}

/* ---- the pairs of a simulation ---- */

enum ky_status ky_sim_pairs(struct ky_sim *sim, const double *radius, size_t radii,
                            struct ky_pairs *pairs, struct ky_force_report *report,
                            struct ky_error *error)
{
    KY_TRY(ky_sim_check_alive(sim, error));
    KY_NEED(pairs, error);
    struct ky_pairs own = {0};
    struct ky_bodies places = {.n = sim->n};
    ky_size_give(pairs, &own, sizeof own);
    if (!radius && sim->n && !(radii = ky_sim_radii(sim, &radius)))
        return ky_fail(error, KY_USAGE,
                       "radius is NULL, but the bodies of the simulation have no radii");
    if (radii != 1 && radii != sim->n)
        return ky_fail(error, KY_USAGE,
                       "%zu radii; there must be 1 or one for each of the %zu bodies", radii,
                       sim->n);
    KY_TRY(ky_array(&places.position, sim->n, sizeof *places.position, "positions", error));
    struct ky_walker walker = ky_walker_on(sim->engine, &sim->parameters, sim->parameters.stop);
    enum ky_status status = ky_engine_get(sim->engine, &places, error);
    if (!status)
        status = ky_walker_pairs(&walker, sim->n, (const double(*)[3])places.position, radius,
                                 radii, &own, error);
    ky_bodies_free(&places);
    ky_walker_close(&walker, report);
    ky_size_give(pairs, &own, sizeof own);
    return status;
}
