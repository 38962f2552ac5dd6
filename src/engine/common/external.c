/* External fields on the host. */
#include "engine/common/external.h"

#include <math.h>

#include "base/named_numbers.h"
#include "engine/common/finite.h"

#define ROW(name, NAME, word, help)                                                                \
    [KY_EXTERNAL_##NAME] = {KY_NUMBERS_##name(KY_EXTERNAL_NUMBER_ROW)},
const struct ky_external_number ky_external_numbers[KY_EXTERNAL_KIND_COUNT][KY_EXTERNAL_NUMBERS] = {
    KY_EXTERNAL_KINDS(ROW)};

/* A bar at the angle that it has at this time. */
static void turn(struct ky_external *bar, double time)
{
    const double whole = 2 * acos(-1.0);
    double *angle = &bar->number[KY_EXTERNAL_BAR_ANGLE];
    *angle = fmod(*angle + bar->number[KY_EXTERNAL_BAR_RATE] * time, whole);
}

struct ky_external ky_external_in(const struct ky_external *field, double acceleration,
                                  double length, double time)
{
    struct ky_external scaled = *field;
    for (int c = 0; c < 3; c++)
        scaled.centre[c] /= length;
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
        turn(&scaled, time);
    return scaled;
}

void ky_external_finish(struct ky_external *field, double g)
{
    const struct ky_external_number *number = ky_external_numbers[field->kind];
    for (int k = 0; k < KY_EXTERNAL_NUMBERS; k++)
        field->number[k] *= number[k].how == KY_GIVEN_MASS      ? g
                            : number[k].how == KY_GIVEN_SQUARED ? field->number[k]
                            : number[k].how == KY_GIVEN_ANGLE   ? acos(-1.0) / 180
                                                                : 1;
}

/* The pull by the caller's function, in the field's units. A number that the function does not set
 * is NaN, which shows in the results. */
static struct ky_external_pull ask_once(const struct ky_external *field,
                                        struct ky_external_place at)
{
    const double l = field->length, a = 1 / field->acceleration, none = (double)NAN;
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

/* The same. Its jerk is the change along the velocity and in time; where time does not pass, that
 * at rest is not in it. */
static struct ky_external_pull ask(const struct ky_external *field, struct ky_external_place at)
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

static struct ky_external_pull pull_of(const struct ky_external *field, struct ky_external_place at)
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
        change |= own->field[k].kind == KY_EXTERNAL_BAR &&
                  own->field[k].number[KY_EXTERNAL_BAR_RATE] != 0;
    return change;
}

struct ky_external_pull ky_externals_on(const struct ky_external *field, size_t count,
                                        struct ky_external_place place)
{
    struct ky_external_pull sum = ky_external_none();
    for (size_t k = 0; k < count; k++) {
        struct ky_external_place at = place;
        at.x -= field[k].centre[0];
        at.y -= field[k].centre[1];
        at.z -= field[k].centre[2];
        sum = ky_external_add(sum, pull_of(&field[k], at));
    }
    return sum;
}

struct ky_external_pull ky_externals_at(const struct ky_external *field, size_t count,
                                        const double x[3], const double v[3])
{
    struct ky_external_place place = {x[0], x[1], x[2], 0, 0, 0, 0, 1};
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
            return ky_fail(error, KY_USAGE, "external field %zu is of kind %d, which there is not",
                           k, (int)fields[k].kind);
        if (ky_first_wrong(1, fields[k].centre, 3) < 3 ||
            ky_first_wrong(1, fields[k].number, KY_EXTERNAL_NUMBERS) < KY_EXTERNAL_NUMBERS)
            return ky_fail(error, KY_USAGE, "external field %zu has a number that is not finite",
                           k);
    }
    own->count = count;
    for (size_t k = 0; k < count; k++)
        own->field[k] = fields[k];
    own->set++;
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
