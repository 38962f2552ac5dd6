/* External fields on the host. */
#include "engine/common/external.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/named_numbers.h"
#include "engine/common/external_table.h"
#include "engine/common/finite.h"

#define ROW(name, NAME, word, help)                                                                \
    [KY_EXTERNAL_##NAME] = {KY_NUMBERS_##name(KY_EXTERNAL_NUMBER_ROW)},
const struct ky_external_number ky_external_numbers[KY_EXTERNAL_KIND_COUNT][KY_EXTERNAL_NUMBERS] = {
    KY_EXTERNAL_KINDS(ROW)};

/* The angle at this time, modulo 2π. */
static double turned(double angle, double rate, double time)
{
    const double whole = 2 * acos(-1.0);
    return fmod(angle + rate * time, whole);
}

struct ky_external ky_external_in(const struct ky_external *field, double acceleration,
                                  double length, double time)
{
    struct ky_external scaled = *field;
    memset(scaled.cubic, 0, sizeof scaled.cubic);
    if (field->path)
        ky_external_path_at(field->path, time, scaled.cubic);
    else
        scaled.cubic[KY_EXTERNAL_STRENGTH][0] = 1;
    for (int c = 0; c < 3; c++) {
        if (!field->path)
            scaled.cubic[c][0] = field->centre[c];
        for (int k = 0; k < 4; k++)
            scaled.cubic[c][k] /= length;
        scaled.centre[c] = scaled.cubic[c][0];
    }
    scaled.angle = turned(field->angle, field->turn, time);
    if (field->kind == KY_EXTERNAL_FUNCTION) {
        scaled.length *= length;
        scaled.acceleration *= acceleration;
        scaled.time = time;
        return scaled;
    }
    const struct ky_external_number *number = ky_external_numbers[field->kind];
    for (int k = 0; k < KY_EXTERNAL_NUMBERS; k++)
        scaled.number[k] /=
            pow(acceleration, number[k].acceleration) * pow(length, number[k].length);
    if (field->kind == KY_EXTERNAL_BAR)
        scaled.number[KY_EXTERNAL_BAR_ANGLE] =
            turned(field->number[KY_EXTERNAL_BAR_ANGLE], field->number[KY_EXTERNAL_BAR_RATE], time);
    return scaled;
}

void ky_external_finish(struct ky_external *field, double g)
{
    const struct ky_external_number *number = ky_external_numbers[field->kind];
    field->angle *= acos(-1.0) / 180;
    for (int k = 0; k < KY_EXTERNAL_NUMBERS; k++)
        field->number[k] *= number[k].how == KY_GIVEN_MASS      ? g
                            : number[k].how == KY_GIVEN_SQUARED ? field->number[k]
                            : number[k].how == KY_GIVEN_ANGLE   ? acos(-1.0) / 180
                                                                : 1;
}

/* The pull by the caller's function for many places, at one place. */
static struct ky_external_pull ask_of_places(const struct ky_external *field,
                                             struct ky_external_state at)
{
    const double l = field->length, by = 1 / field->acceleration, none = (double)NAN,
                 x[1][3] = {{at.x * l, at.y * l, at.z * l}},
                 v[1][3] = {{at.vx * l, at.vy * l, at.vz * l}};
    double a[1][3] = {{none, none, none}}, j[1][3] = {{none, none, none}}, potential[1] = {none};
    const struct ky_field_places places = {sizeof places, 1, field->time + at.time, x, v, a, j,
                                           potential};
    field->places(field->context, &places);
    return (struct ky_external_pull){a[0][0] * by, a[0][1] * by, a[0][2] * by,         j[0][0] * by,
                                     j[0][1] * by, j[0][2] * by, potential[0] * by / l};
}

/* The pull by the caller's function, in the field's units. A number that the function does not set
 * is NaN, which shows in the results. */
static struct ky_external_pull ask_once(const struct ky_external *field,
                                        struct ky_external_state at)
{
    const double l = field->length, a = 1 / field->acceleration, none = (double)NAN;
    if (field->places)
        return ask_of_places(field, at);
    struct ky_field_place place = {sizeof place,
                                   {at.x * l, at.y * l, at.z * l},
                                   {at.vx * l, at.vy * l, at.vz * l},
                                   {none, none, none},
                                   {none, none, none},
                                   none,
                                   field->time + at.time};
    field->function(field->context, &place);
    return (struct ky_external_pull){place.acceleration[0] * a, place.acceleration[1] * a,
                                     place.acceleration[2] * a, place.jerk[0] * a,
                                     place.jerk[1] * a,         place.jerk[2] * a,
                                     place.potential * a / l};
}

/* The same. Its jerk is the change along the velocity and in time; if time does not pass, the
 * change in time (the jerk of a place at rest) is subtracted. */
static struct ky_external_pull ask(const struct ky_external *field, struct ky_external_state at)
{
    struct ky_external_pull pull = ask_once(field, at);
    if (at.pace > 0)
        return pull;
    at.vx = at.vy = at.vz = 0;
    const struct ky_external_pull at_rest = ask_once(field, at);
    pull.jx -= at_rest.jx;
    pull.jy -= at_rest.jy;
    pull.jz -= at_rest.jz;
    return pull;
}

static struct ky_external_pull pull_of(const struct ky_external *field, struct ky_external_state at)
{
    struct ky_external_pull pull = ky_external_none();
    int k = 0;
    switch (field->kind) {
#define KY_EXTERNAL_NUMBER(k) field->number[k]
        KY_EXTERNAL_KINDS(KY_EXTERNAL_CASE)
    case KY_EXTERNAL_FUNCTION:
        return ask(field, at);
    }
    return pull;
}

int ky_externals_change(const struct ky_externals *own)
{
    int change = 0;
    for (size_t k = 0; k < own->count; k++)
        change |= own->field[k].path || own->field[k].turn != 0 ||
                  (own->field[k].kind == KY_EXTERNAL_BAR &&
                   own->field[k].number[KY_EXTERNAL_BAR_RATE] != 0);
    return change;
}

/* The place relative to the field's centre, at the time of the place if the centre moves. */
static struct ky_external_state relative(const struct ky_external *field,
                                         struct ky_external_state at,
                                         struct ky_external_moment *now)
{
    struct ky_external_cubic cubic[KY_EXTERNAL_CUBICS] = {
        {field->centre[0], 0}, {field->centre[1], 0}, {field->centre[2], 0}, {1, 0}};
    for (int k = 0; k < KY_EXTERNAL_CUBICS && field->path; k++) {
        const double *c = field->cubic[k];
        cubic[k] = ky_external_cubic(c[0], c[1], c[2], c[3], at.time);
    }
    at.x -= cubic[0].value;
    at.y -= cubic[1].value;
    at.z -= cubic[2].value;
    *now = (struct ky_external_moment){cubic[0].rate,
                                       cubic[1].rate,
                                       cubic[2].rate,
                                       cubic[KY_EXTERNAL_STRENGTH].value,
                                       cubic[KY_EXTERNAL_STRENGTH].rate,
                                       field->angle + field->turn * at.time,
                                       field->turn};
    return at;
}

static struct ky_external_pull pull_inside(const struct ky_external *field,
                                           struct ky_external_state at,
                                           struct ky_external_moment now)
{
    return ky_external_leave(pull_of(field, ky_external_enter(at, now)), now, at.pace);
}

/* The pull of a field that moves, grows or rotates, or that accelerates the origin of the frame. */
static struct ky_external_pull moving_pull(const struct ky_external *field,
                                           struct ky_external_state place)
{
    struct ky_external_moment now;
    const struct ky_external_state at = relative(field, place, &now);
    const struct ky_external_pull pull = pull_inside(field, at, now);
    if (!field->reflex)
        return pull;
    const struct ky_external_state origin =
        ky_external_origin(place, place.x - at.x, place.y - at.y, place.z - at.z);
    return ky_external_reflex(pull, pull_inside(field, origin, now), place.x, place.y, place.z);
}

static int rests(const struct ky_external *field)
{
    return !field->path && field->turn == 0 && field->angle == 0 && !field->reflex;
}

struct ky_external_pull ky_externals_on(const struct ky_external *field, size_t count,
                                        struct ky_external_state place)
{
    struct ky_external_pull sum = ky_external_none();
    for (size_t k = 0; k < count; k++) {
        struct ky_external_state at = place;
        at.x -= field[k].centre[0];
        at.y -= field[k].centre[1];
        at.z -= field[k].centre[2];
        sum = ky_external_add(sum, rests(&field[k]) ? pull_of(&field[k], at)
                                                    : moving_pull(&field[k], place));
    }
    return sum;
}

struct ky_external_pull ky_externals_at(const struct ky_external *field, size_t count,
                                        const double x[3], const double v[3])
{
    struct ky_external_state place = {x[0], x[1], x[2], 0, 0, 0, 0, 1};
    if (v)
        place.vx = v[0], place.vy = v[1], place.vz = v[2];
    return ky_externals_on(field, count, place);
}

enum ky_status ky_externals_replace(struct ky_externals *own, const struct ky_external *fields,
                                    size_t count, struct ky_error *error)
{
    if (count > KY_MOST_EXTERNALS)
        return ky_fail(error, KY_USAGE, "%zu external fields; at most %d act at once", count,
                       KY_MOST_EXTERNALS);
    for (size_t k = 0; k < count; k++) {
        if ((unsigned)fields[k].kind >= KY_EXTERNAL_KIND_COUNT)
            return ky_fail(error, KY_USAGE,
                           "external field %zu is of kind %d, which does not exist", k,
                           (int)fields[k].kind);
        if (ky_first_wrong(1, fields[k].centre, 3) < 3 || !isfinite(fields[k].turn) ||
            !isfinite(fields[k].angle) ||
            ky_first_wrong(1, fields[k].number, KY_EXTERNAL_NUMBERS) < KY_EXTERNAL_NUMBERS)
            return ky_fail(error, KY_USAGE, "external field %zu has a number that is not finite",
                           k);
    }
    for (size_t k = 0; k < count; k++)
        ky_external_path_share(fields[k].path);
    ky_externals_release(own);
    own->count = count;
    for (size_t k = 0; k < count; k++)
        own->field[k] = fields[k];
    own->set++;
    return KY_OK;
}

void ky_externals_release(struct ky_externals *own)
{
    for (size_t k = 0; k < own->count; k++)
        ky_external_path_release(own->field[k].path);
    own->count = 0;
}

static enum ky_status uncovered(const struct ky_external_path *path, double first, double last,
                                struct ky_error *error)
{
    char needed[64];
    if (first == last)
        snprintf(needed, sizeof needed, "at %.10g", first);
    else
        snprintf(needed, sizeof needed, "from %.10g to %.10g", first, last);
    return ky_fail(error, KY_USAGE,
                   "external field: the table %s has times from %.10g to %.10g, and the field is "
                   "needed %s; make the table longer",
                   path->name, path->begin, path->end, needed);
}

enum ky_status ky_externals_cover(const struct ky_externals *own, double from, double to,
                                  struct ky_error *error)
{
    const double first = fmin(from, to), last = fmax(from, to), rounding = 1e-9;
    for (size_t k = 0; k < own->count; k++) {
        const struct ky_external_path *path = own->field[k].path;
        const double slack = path ? rounding * (path->end - path->begin) : 0;
        if (path && !(first >= path->begin - slack && last <= path->end + slack))
            return uncovered(path, first, last, error);
    }
    return KY_OK;
}

void ky_externals_add(const struct ky_externals *own, const double x[3], double *acceleration,
                      double *potential)
{
    struct ky_external field[KY_MOST_EXTERNALS];
    for (size_t k = 0; k < own->count; k++)
        field[k] = ky_external_in(&own->field[k], 1, 1, own->time);
    const struct ky_external_pull pull = ky_externals_at(field, own->count, x, NULL);
    if (acceleration) {
        acceleration[0] += pull.x;
        acceleration[1] += pull.y;
        acceleration[2] += pull.z;
    }
    if (potential)
        *potential += pull.potential;
}

/* change[j][i]: ∂a_i/∂x_j of the fields: the jerk of a body with unit velocity at constant time. */
static void change_along_axes(const struct ky_external *field, size_t count,
                              struct ky_external_state at, double change[3][3])
{
    for (int j = 0; j < 3; j++) {
        const struct ky_external_state along = {at.x,   at.y,   at.z,    j == 0,
                                                j == 1, j == 2, at.time, 0};
        const struct ky_external_pull pull = ky_externals_on(field, count, along);
        change[j][0] = pull.jx;
        change[j][1] = pull.jy;
        change[j][2] = pull.jz;
    }
}

double ky_external_density(const struct ky_external *field, struct ky_external_state at,
                           double *distance2)
{
    double change[3][3];
    struct ky_external_moment now;
    const struct ky_external_state from = relative(field, at, &now);
    change_along_axes(field, 1, at, change);
    *distance2 = ky_external_dot(from, from.x, from.y, from.z);
    return -(change[0][0] + change[1][1] + change[2][2]);
}

void ky_externals_tide_at(const struct ky_external *field, size_t count, const double x[3],
                          double tide[6])
{
    double change[3][3];
    change_along_axes(field, count, (struct ky_external_state){.x = x[0], .y = x[1], .z = x[2]},
                      change);
    for (int c = 0; c < 3; c++) {
        const int i = c < 2 ? 0 : 1, j = c == 0 ? 1 : 2;
        tide[c] += change[c][c];
        tide[3 + c] += 0.5 * (change[i][j] + change[j][i]);
    }
}

void ky_externals_add_tide(const struct ky_externals *own, const double x[3], double tide[6])
{
    struct ky_external field[KY_MOST_EXTERNALS];
    for (size_t k = 0; k < own->count; k++)
        field[k] = ky_external_in(&own->field[k], 1, 1, own->time);
    ky_externals_tide_at(field, own->count, x, tide);
}

void ky_externals_ask(const struct ky_externals *own, size_t count, const double (*position)[3],
                      const double (*velocity)[3], double (*acceleration)[3], double (*jerk)[3],
                      double *potential)
{
    const struct ky_external *field = &own->field[own->count - 1];
    const struct ky_field_places places = {.size = sizeof places,
                                           .count = count,
                                           .time = own->time,
                                           .position = position,
                                           .velocity = velocity,
                                           .acceleration = acceleration,
                                           .jerk = jerk,
                                           .potential = potential};
    for (size_t k = 0; k < count; k++) {
        for (int c = 0; c < 3; c++) {
            acceleration[k][c] = (double)NAN;
            if (jerk)
                jerk[k][c] = (double)NAN;
        }
        if (potential)
            potential[k] = (double)NAN;
    }
    if (count > 0)
        field->places(field->context, &places);
}

/* Adds the function for many places at points. */
static enum ky_status add_many(const struct ky_externals *own, const struct ky_points *points,
                               double (*acceleration)[3], double *potential, struct ky_error *error)
{
    const size_t count = points->count;
    double(*a)[3] = ky_allocate(count, sizeof *a), *p = ky_allocate(count, sizeof *p);
    enum ky_status status =
        a && p ? KY_OK : ky_no_memory(error, "a field at points", count, sizeof *a);
    if (!status)
        ky_externals_ask(own, count, points->position, NULL, a, NULL, p);
    for (size_t k = 0; k < count && !status; k++) {
        for (int c = 0; c < 3 && acceleration; c++)
            acceleration[k][c] += a[k][c];
        if (potential)
            potential[k] += p[k];
    }
    free(a);
    free(p);
    return status;
}

enum ky_status ky_externals_add_at(const struct ky_externals *own, const struct ky_points *points,
                                   double (*acceleration)[3], double *potential,
                                   struct ky_error *error)
{
    struct ky_externals plain = *own;
    plain.count = ky_externals_plain_count(own);
    for (size_t k = 0; k < points->count && plain.count; k++)
        ky_externals_add(&plain, points->position[k], acceleration ? acceleration[k] : NULL,
                         potential ? &potential[k] : NULL);
    return plain.count < own->count ? add_many(own, points, acceleration, potential, error) : KY_OK;
}
