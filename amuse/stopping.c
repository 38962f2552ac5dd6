/* stopping.c - AMUSE's stopping conditions: which there are, which are enabled, and which are met.
 */
#include "code.h"
#include "worker.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

/* AMUSE's numbers of the conditions. */
enum { COLLISION = 0, PAIR = 1, ESCAPER = 2, TIMEOUT = 3, STEPS = 4, BOX = 5, CONDITIONS = 10 };
enum { MOST_BODIES = 2 };

struct met {
    int condition, bodies;
    int id[MOST_BODIES];
};

static const int supported[CONDITIONS] = {
    [COLLISION] = 1, [PAIR] = 1, [ESCAPER] = 1, [TIMEOUT] = 1, [STEPS] = 1, [BOX] = 1};
static int enabled[CONDITIONS];
static struct met *met;
static int met_count, met_room;
static double began; /* [s] */

/* Their parameters. Those of gas are kept for AMUSE, whose gravity codes all have them. */
static struct {
    double timeout, box, minimum_density, maximum_density, minimum_energy, maximum_energy;
    int steps;
    bool about_centre;
} limits;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void stopping_reset(void)
{
    for (int i = 0; i < CONDITIONS; i++)
        enabled[i] = 0;
    limits.timeout = 4;
    limits.steps = 1;
    limits.box = 0;
    limits.minimum_density = limits.maximum_density = -1;
    limits.minimum_energy = limits.maximum_energy = -1;
    limits.about_centre = false;
    met_count = 0;
}

int stopping_watched(void)
{
    int watched = 0;
    for (int i = 0; i < CONDITIONS; i++)
        watched |= enabled[i];
    return watched;
}

void stopping_begin(void)
{
    met_count = 0;
    began = seconds();
}

static int add(int condition, int bodies, uint64_t first, uint64_t second)
{
    if (met_count == met_room) {
        int room = 2 * met_room + 16;
        struct met *grown = realloc(met, (size_t)room * sizeof *met);
        if (!grown)
            return code_refuse("there is no memory for %d stopping conditions", room);
        met = grown;
        met_room = room;
    }
    met[met_count++] = (struct met){condition, bodies, {(int)first, (int)second}};
    return DONE;
}

static double distance2(const double a[3], const double b[3])
{
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += (a[k] - b[k]) * (a[k] - b[k]);
    return sum;
}

/* The larger body of a pair comes first. */
static int find_collisions(void)
{
    struct ky_pairs pairs = {0};
    int refused =
        code_answer(ky_sim_pairs(code.sim, code.radius, code.known, &pairs, NULL, &code_error));
    for (size_t k = 0; k < pairs.count && !refused; k++) {
        size_t i = pairs.index[k][0], j = pairs.index[k][1];
        int smaller = code.radius[j] > code.radius[i];
        refused = add(COLLISION, 2, code.id[smaller ? j : i], code.id[smaller ? i : j]);
    }
    ky_pairs_free(&pairs);
    return refused;
}

/* Two bodies that are bound to each other, the more massive one first. */
static int find_pairs(void)
{
    struct ky_binaries binaries = {.size = sizeof binaries};
    struct ky_bodies bodies = {.size = sizeof bodies, .n = code.known};
    bodies.mass = code.mass;
    bodies.position = code.position;
    bodies.velocity = code.velocity;
    if (code_pull())
        return REFUSED;
    int refused =
        code_answer(ky_binaries_find(code_parameters(), &bodies, &binaries, NULL, &code_error));
    for (size_t k = 0; k < binaries.count && !refused; k++)
        refused = add(PAIR, 2, code.id[binaries.body[k][0]], code.id[binaries.body[k][1]]);
    ky_binaries_free(&binaries);
    return refused;
}

/* Bodies whose kinetic energy, relative to the centre of mass, exceeds their binding energy. */
static int find_escapers(void)
{
    struct ky_sums sums = {.size = sizeof sums};
    if (code_pull() || code_pull_forces() || code_answer(ky_sim_sums(code.sim, &sums, &code_error)))
        return REFUSED;
    double mean[3];
    for (int k = 0; k < 3; k++)
        mean[k] = sums.mass > 0 ? sums.momentum[k] / sums.mass : 0;
    for (size_t i = 0; i < code.known; i++)
        if (distance2(code.velocity[i], mean) / 2 + code.potential[i] > 0 &&
            add(ESCAPER, 1, code.id[i], 0))
            return REFUSED;
    return DONE;
}

/* Bodies that are farther from the origin, or from the centre of mass, than the size of the box. */
static int find_outside(void)
{
    struct ky_sums sums = {.size = sizeof sums};
    if (limits.about_centre && code_answer(ky_sim_sums(code.sim, &sums, &code_error)))
        return REFUSED;
    for (size_t i = 0; i < code.known; i++)
        if (distance2(code.position[i], sums.centre) > limits.box * limits.box &&
            add(BOX, 1, code.id[i], 0))
            return REFUSED;
    return DONE;
}

int stopping_met(uint64_t steps)
{
    if (enabled[COLLISION] && find_collisions())
        return REFUSED;
    if (enabled[PAIR] && find_pairs())
        return REFUSED;
    if (enabled[ESCAPER] && find_escapers())
        return REFUSED;
    if (enabled[BOX] && (code_pull() || find_outside()))
        return REFUSED;
    if (enabled[TIMEOUT] && seconds() - began > limits.timeout && add(TIMEOUT, 0, 0, 0))
        return REFUSED;
    if (enabled[STEPS] && steps >= (uint64_t)limits.steps && add(STEPS, 0, 0, 0))
        return REFUSED;
    return met_count > 0;
}

static int check_condition(int condition)
{
    if (condition < 0 || condition >= CONDITIONS)
        return code_refuse("there is no stopping condition %d", condition);
    return DONE;
}

int has_stopping_condition(int condition, int *result)
{
    *result = 0;
    if (check_condition(condition))
        return REFUSED;
    *result = supported[condition];
    return DONE;
}

static int enable(int condition, int value)
{
    if (check_condition(condition))
        return REFUSED;
    if (!supported[condition])
        return code_refuse("stopping condition %d is not among those of Kyoho", condition);
    enabled[condition] = value;
    return DONE;
}

int enable_stopping_condition(int condition)
{
    return enable(condition, 1);
}

int disable_stopping_condition(int condition)
{
    return enable(condition, 0);
}

int is_stopping_condition_enabled(int condition, int *result)
{
    *result = 0;
    if (check_condition(condition))
        return REFUSED;
    *result = enabled[condition];
    return DONE;
}

int is_stopping_condition_set(int condition, int *result)
{
    *result = 0;
    if (check_condition(condition))
        return REFUSED;
    for (int i = 0; i < met_count; i++)
        *result |= met[i].condition == condition;
    return DONE;
}

int get_number_of_stopping_conditions_set(int *count)
{
    *count = met_count;
    return DONE;
}

int get_stopping_condition_info(int index, int *condition, int *bodies)
{
    *condition = *bodies = 0;
    if (index < 0 || index >= met_count)
        return code_refuse("%d stopping conditions are met; there is no number %d", met_count,
                           index);
    *condition = met[index].condition;
    *bodies = met[index].bodies;
    return DONE;
}

int get_stopping_condition_particle_index(int index, int column, int *id)
{
    *id = -1;
    if (index < 0 || index >= met_count || column < 0 || column >= met[index].bodies)
        return code_refuse("stopping condition %d has no body %d", index, column);
    *id = met[index].id[column];
    return DONE;
}

/* The functions that read and set one parameter, whose values are from `low` to `high`. */
#define LIMIT(name, type, member, low, high)                                                       \
    int get_stopping_condition_##name##_parameter(type *value)                                     \
    {                                                                                              \
        *value = limits.member;                                                                    \
        return DONE;                                                                               \
    }                                                                                              \
    int set_stopping_condition_##name##_parameter(type value)                                      \
    {                                                                                              \
        if (!(value >= (low) && value <= (high)))                                                  \
            return code_refuse("the stopping condition's " #name " is out of its range");          \
        limits.member = value;                                                                     \
        return DONE;                                                                               \
    }
LIMIT(timeout, double, timeout, 0, DBL_MAX)
LIMIT(number_of_steps, int, steps, 1, INT32_MAX)
LIMIT(out_of_box, double, box, 0, DBL_MAX)
LIMIT(minimum_density, double, minimum_density, -DBL_MAX, DBL_MAX)
LIMIT(maximum_density, double, maximum_density, -DBL_MAX, DBL_MAX)
LIMIT(minimum_internal_energy, double, minimum_energy, -DBL_MAX, DBL_MAX)
LIMIT(maximum_internal_energy, double, maximum_energy, -DBL_MAX, DBL_MAX)

int get_stopping_condition_out_of_box_use_center_of_mass_parameter(bool *value)
{
    *value = limits.about_centre;
    return DONE;
}

int set_stopping_condition_out_of_box_use_center_of_mass_parameter(bool value)
{
    limits.about_centre = value;
    return DONE;
}
