/* Pairs on a device without double (few_single.h). */
#include "engine/device/steps/few_single.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* Numbers of a pair: the column on the host, the column on the device, and the powers of the units
 * of length and speed in the unit of the number. */
static const struct crossing {
    int host, device, length, speed;
} crossings[] = {{KY_FEW_COLUMN_STEPS, KY_FEW_SINGLE_STEPS, 0, 0},
                 {KY_FEW_COLUMN_TOTAL, KY_FEW_SINGLE_MASS, 1, 2},
                 {KY_FEW_COLUMN_X(2, 0, 0), KY_FEW_SINGLE_X(0), 1, 0},
                 {KY_FEW_COLUMN_X(2, 0, 1), KY_FEW_SINGLE_X(1), 1, 0},
                 {KY_FEW_COLUMN_X(2, 0, 2), KY_FEW_SINGLE_X(2), 1, 0},
                 {KY_FEW_COLUMN_V(2, 0, 0), KY_FEW_SINGLE_V(0), 0, 1},
                 {KY_FEW_COLUMN_V(2, 0, 1), KY_FEW_SINGLE_V(1), 0, 1},
                 {KY_FEW_COLUMN_V(2, 0, 2), KY_FEW_SINGLE_V(2), 0, 1}};
enum { CROSSINGS = sizeof crossings / sizeof *crossings };

/* Columns of a conversion: `from` and `host` are the host's, read and written; `device` is a copy
 * of the device's. */
struct passage {
    const struct ky_card *card;
    struct ky_few_origin *origin;
    const double *from;
    double *host;
    union ky_state_value *device;
    size_t count;
};
#define HOST(which) host[(size_t)(which)*way->count + i]
#define DEVICE(which) way->device[(size_t)(which)*way->count + i]

/* x in units of the pair. */
static union ky_state_value in_units(const struct ky_card *card, double x,
                                     const struct ky_few_units *units, int length, int speed)
{
    return ky_to_state(card, ldexp(x, -(length * units->length + speed * units->speed)));
}

static double from_units(const struct ky_card *card, union ky_state_value x,
                         const struct ky_few_units *units, int length, int speed)
{
    return ldexp(ky_from_state(card, x), length * units->length + speed * units->speed);
}

/* Converts pair i to its units. B and h are divided by its weight in the clock. */
static void put_pair(const struct passage *way, size_t i)
{
    const double *host = way->from;
    const double x = HOST(KY_FEW_COLUMN_X(2, 0, 0)), y = HOST(KY_FEW_COLUMN_X(2, 0, 1)),
                 z = HOST(KY_FEW_COLUMN_X(2, 0, 2)), weight = HOST(KY_FEW_COLUMN_WEIGHT);
    struct ky_few_origin *origin = &way->origin[i];
    struct ky_few_units *units = &origin->units;
    *units = ky_few_units_of(HOST(KY_FEW_COLUMN_TOTAL), sqrt(x * x + y * y + z * z));
    origin->t = HOST(KY_FEW_COLUMN_T);
    origin->low = HOST(KY_FEW_COLUMN_LOW);
    DEVICE(KY_FEW_SINGLE_T) = DEVICE(KY_FEW_SINGLE_LOW) = ky_to_state(way->card, 0);
    DEVICE(KY_FEW_SINGLE_B) = in_units(way->card, HOST(KY_FEW_COLUMN_B) / weight, units, 0, 2);
    DEVICE(KY_FEW_SINGLE_H) = in_units(way->card, HOST(KY_FEW_COLUMN_H) / weight, units, 1, 1);
    for (int k = 0; k < CROSSINGS; k++)
        DEVICE(crossings[k].device) = in_units(way->card, HOST(crossings[k].host), units,
                                               crossings[k].length, crossings[k].speed);
}

/* Converts pair i back. Its time is the sum of the time at the start and the time on the device;
 * `low` includes the rounding error of this sum. */
static void get_pair(const struct passage *way, size_t i)
{
    double *host = way->host;
    const struct ky_few_origin *origin = &way->origin[i];
    const struct ky_few_units *units = &origin->units;
    const double passed = from_units(way->card, DEVICE(KY_FEW_SINGLE_T), units, 1, -1),
                 low = from_units(way->card, DEVICE(KY_FEW_SINGLE_LOW), units, 1, -1),
                 t = origin->t + passed, added = t - origin->t,
                 error = (origin->t - (t - added)) + (passed - added);
    HOST(KY_FEW_COLUMN_T) = t;
    HOST(KY_FEW_COLUMN_LOW) = (origin->low + low) - error;
    for (int k = 0; k < CROSSINGS; k++)
        HOST(crossings[k].host) = from_units(way->card, DEVICE(crossings[k].device), units,
                                             crossings[k].length, crossings[k].speed);
}

/* Allocates columns in floats, which the caller frees. */
static enum ky_status numbers(union ky_state_value **number, size_t columns, size_t count,
                              struct ky_error *error)
{
    *number = ky_allocate(columns * count, sizeof **number);
    return *number ? KY_OK
                   : ky_no_memory(error, "systems in floats", count, columns * sizeof **number);
}

enum ky_status ky_few_singles_put(struct ky_card *card, struct ky_few_singles *singles,
                                  const double *column, size_t count, struct ky_error *error)
{
    free(singles->origin);
    singles->origin = ky_allocate(count, sizeof *singles->origin);
    singles->count = count;
    singles->has_goal = 0;
    if (!singles->origin)
        return ky_no_memory(error, "systems", count, sizeof *singles->origin);
    struct passage way = {.card = card, .origin = singles->origin, .from = column, .count = count};
    KY_TRY(numbers(&way.device, KY_FEW_SINGLE_COLUMNS, count, error));
    for (size_t i = 0; i < count; i++)
        put_pair(&way, i);
    const enum ky_status status =
        ky_buffer_fill(card, &singles->column, "systems", way.device, KY_FEW_SINGLE_COLUMNS * count,
                       sizeof *way.device, error);
    free(way.device);
    return status;
}

enum ky_status ky_few_singles_get(struct ky_card *card, const struct ky_few_singles *singles,
                                  double *column, struct ky_error *error)
{
    struct passage way = {
        .card = card, .origin = singles->origin, .host = column, .count = singles->count};
    KY_TRY(numbers(&way.device, KY_FEW_SINGLE_COLUMNS, way.count, error));
    const enum ky_status status =
        card->driver->read(card, &singles->column, 0, way.device,
                           KY_FEW_SINGLE_COLUMNS * way.count * sizeof *way.device, error);
    for (size_t i = 0; i < way.count && !status; i++)
        get_pair(&way, i);
    free(way.device);
    return status;
}

/* Limits a distance or a time to the range of floats. A larger one is never reached, and a smaller
 * one was reached long ago. */
static double within(double x, double most)
{
    return fabs(x) > most ? copysign(most, x) : x;
}

enum ky_status ky_few_singles_aim(struct ky_card *card, struct ky_few_singles *singles,
                                  const struct ky_few_course *course, struct ky_error *error)
{
    const size_t count = singles->count;
    if (singles->has_goal && singles->until == course->until && singles->apart == course->apart)
        return KY_OK;
    union ky_state_value *goal;
    KY_TRY(numbers(&goal, KY_FEW_GOAL_COLUMNS, count, error));
    for (size_t i = 0; i < count; i++) {
        const struct ky_few_origin *origin = &singles->origin[i];
        const int length = origin->units.length, time = length - origin->units.speed;
        const double until = ldexp((course->until - origin->t) + origin->low, -time),
                     apart = course->apart > 0 ? fmax(ldexp(course->apart, -length), 0x1p-60) : 0;
        goal[KY_FEW_GOAL_TIME * count + i] = ky_to_state(card, within(until, 0x1p100));
        goal[KY_FEW_GOAL_APART * count + i] = ky_to_state(card, fmin(apart, 0x1p60));
    }
    const enum ky_status status = ky_buffer_fill(card, &singles->goal, "goals of systems", goal,
                                                 KY_FEW_GOAL_COLUMNS * count, sizeof *goal, error);
    free(goal);
    singles->until = course->until;
    singles->apart = course->apart;
    singles->has_goal = !status;
    return status;
}

void ky_few_singles_release(struct ky_card *card, struct ky_few_singles *singles)
{
    ky_buffer_release(card, &singles->column);
    ky_buffer_release(card, &singles->goal);
    free(singles->origin);
}
