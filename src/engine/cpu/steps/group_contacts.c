/* Members of groups that touch: they come nearer to each other than the sum of their radii. A step
 * of the centre may hold many orbits, or a whole encounter, so that its end shows nothing of them.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/pairs.h"
#include "base/status.h"
#include "engine/cpu/steps/groups.h"
#include "few/contact.h"
#include "few/few.h"
#include "physics/few.h"
#include "physics/kepler.h"

struct ky_pairs *ky_cpu_passages(const struct ky_engine *engine)
{
    const struct ky_cpu *cpu = (const struct ky_cpu *)engine;
    return cpu->hermite && cpu->hermite->groups ? &cpu->hermite->groups->passages : NULL;
}

static int has_contacts(const struct ky_advance *way)
{
    return way->radii || way->near > 0;
}

/* The radius of a body, or half of the distance `near` if this is more. */
static double radius_of(const struct ky_advance *way, uint32_t i)
{
    const double radius = way->radii ? way->radius[way->radii == 1 ? 0 : i] : 0;
    return fmax(radius, way->near / 2);
}

/* ---- notes ---- */

static enum ky_status add(struct ky_pairs *pairs, const uint32_t body[2], double distance,
                          struct ky_error *error)
{
    for (size_t k = 0; k < pairs->count; k++)
        if (pairs->index[k][0] == body[0] && pairs->index[k][1] == body[1]) {
            pairs->distance[k] = fmin(pairs->distance[k], distance);
            return KY_OK;
        }
    return ky_pairs_add(pairs, body[0], body[1], distance, error);
}

/* Notes two members of a group. */
static enum ky_status note(struct ky_cpu_group *group, const int member[2], double distance,
                           struct ky_error *error)
{
    const uint32_t i = group->member[member[0]], j = group->member[member[1]],
                   body[2] = {i < j ? i : j, i < j ? j : i};
    return add(&group->passages, body, distance, error);
}

enum ky_status ky_cpu_group_tell(struct ky_cpu_groups *own, struct ky_cpu_group *group,
                                 struct ky_error *error)
{
    struct ky_pairs *pairs = &group->passages;
    for (size_t k = 0; k < pairs->count; k++) {
        const uint32_t body[2] = {(uint32_t)pairs->index[k][0], (uint32_t)pairs->index[k][1]};
        KY_TRY(add(&own->passages, body, pairs->distance[k], error));
    }
    pairs->count = 0;
    return KY_OK;
}

/* ---- pairs ---- */

/* *rv: the product of place and velocity. */
static struct ky_few_orbit orbit_of(const struct ky_few_binary *pair, double *rv)
{
    const struct ky_few_two two = ky_few_two_of(pair->x, pair->v);
    *rv = two.rv;
    return ky_few_orbit(pair->gm[0] + pair->gm[1], sqrt(two.r2), two.v2, two.rv);
}

/* The time since the last pericentre; of a hyperbola infinite before it. */
static double since_pericentre(const struct ky_few_orbit *orbit, double rv)
{
    const double a = 1 / fabs(orbit->inverse_axis), n = sqrt(orbit->gm / a) / a,
                 sine = fabs(rv) / sqrt(orbit->gm * a); /* e sin E, or e sinh F */
    if (!(orbit->inverse_axis > 0))
        return rv > 0 ? (sine - asinh(sine / orbit->e)) / n : (double)INFINITY;
    const double mean = atan2(sine, 1 - orbit->r / a) - sine;
    return rv > 0 ? mean / n : orbit->period - mean / n;
}

enum ky_status ky_cpu_group_note_pair(const struct ky_cpu_way *b, struct ky_cpu_group *group,
                                      double time, struct ky_error *error)
{
    /* A pericentre at the end of a step must not lie between two steps by rounding. */
    const double much = 1 + 1e-9;
    if (!has_contacts(b->way))
        return KY_OK;
    struct ky_few_binary pair = group->pair;
    double rv;
    struct ky_few_orbit orbit = orbit_of(&pair, &rv);
    const double reach = radius_of(b->way, group->member[0]) + radius_of(b->way, group->member[1]);
    if (!(orbit.pericentre < reach)) /* it is not a number for bodies without mass */
        return KY_OK;
    if (group->t != time) {
        ky_kepler_move(group->gm, pair.x, pair.v, time - group->t);
        orbit = orbit_of(&pair, &rv);
    }
    const double step = (time - ky_advance_time(b->way, b->way->now)) / group->kappa;
    const int passes = since_pericentre(&orbit, step < 0 ? -rv : rv) <= much * fabs(step);
    return passes || orbit.r < reach
               ? note(group, (const int[2]){0, 1}, passes ? orbit.pericentre : orbit.r, error)
               : KY_OK;
}

/* ---- more bodies ---- */

/* Notes a contact with the pericentre of the present orbit as the distance, unless it is later. */
static enum ky_status note_contact(struct ky_cpu_group *group, const struct ky_few_contact *contact,
                                   double time, struct ky_error *error)
{
    const struct ky_few *few = group->few;
    if (ky_few_sign(few) * (contact->time - time) > 0)
        return KY_OK;
    const int one = ky_few_place_of(few, contact->body[0]),
              other = ky_few_place_of(few, contact->body[1]);
    const struct ky_few_two two =
        ky_few_two_at(&few->system, one < other ? one : other, one < other ? other : one);
    const double gm = few->system.mass[one][0] + few->system.mass[other][0],
                 least = ky_few_orbit(gm, sqrt(two.r2), two.v2, two.rv).pericentre;
    return note(group, contact->body, fmin(contact->distance, least), error);
}

/* The same as ky_few_go_anyway with radii, beyond all contacts. */
static enum ky_status go_on(struct ky_cpu_group *group, double time, struct ky_few *before,
                            struct ky_error *error)
{
    struct ky_few *few = group->few;
    const uint64_t most = few->settings.most;
    const double last = few->steps + (double)most;
    struct ky_few_contact contact;
    enum ky_status status = KY_OK;
    do {
        few->settings.most = (uint64_t)fmax(last - few->steps, 1);
        status = ky_few_go_anyway(few, time, before, &contact, error);
        if (!status && contact.body[0] >= 0)
            status = note_contact(group, &contact, time, error);
    } while (!status && contact.body[0] >= 0);
    few->settings.most = most;
    return status;
}

enum ky_status ky_cpu_group_go(const struct ky_cpu_way *b, struct ky_cpu_group *group, double time,
                               struct ky_error *error)
{
    struct ky_few *few = group->few, *before;
    double radius[KY_GROUP_MOST];
    if (!has_contacts(b->way))
        return ky_few_go_anyway(few, time, NULL, NULL, error);
    if (!(before = ky_allocate(1, sizeof *before)))
        return ky_no_memory(error, "a group", 1, sizeof *before);
    for (int k = 0; k < group->n; k++)
        radius[k] = radius_of(b->way, group->member[k]);
    few->settings.radius = radius;
    few->settings.radii = (size_t)group->n;
    const enum ky_status status = go_on(group, time, before, error);
    few->settings.radius = NULL;
    few->settings.radii = 0;
    free(before);
    return status;
}
