/* Allocation and checks of the bodies' arrays. */
#include "base/bodies.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "base/status.h"
#include "base/threads.h"

#define AT(array) offsetof(struct ky_bodies, array)
enum { REAL = sizeof(double), REALS = 3 * sizeof(double) };
const struct ky_array ky_arrays[KY_ARRAYS] = {
    [KY_ARRAY_MASS] = {"mass", "masses", AT(mass), REAL, 1, 1, 0, 0, 1, 0},
    [KY_ARRAY_POSITION] = {"position", "positions", AT(position), REALS, 3, 1, 0, 1, 0, 0},
    [KY_ARRAY_VELOCITY] = {"velocity", "velocities", AT(velocity), REALS, 3, 1, 0, 0, 0, 1},
    [KY_ARRAY_ACCELERATION] = {"acceleration", "accelerations", AT(acceleration), REALS, 3, 1,
                               KY_WITH_ACCELERATION, -1, 0, 2},
    [KY_ARRAY_POTENTIAL] = {"potential", "potentials", AT(potential), REAL, 1, 1, KY_WITH_POTENTIAL,
                            0, 0, 2},
    [KY_ARRAY_SOFTENING] = {"softening", "softenings", AT(softening), REAL, 1, 1, KY_WITH_SOFTENING,
                            1, 0, 0},
    [KY_ARRAY_ID] = {"id", "ids", AT(id), sizeof(uint64_t), 1, 0, KY_WITH_ID, 0, 0, 0},
    [KY_ARRAY_TYPE] = {"type", "types", AT(type), sizeof(uint8_t), 1, 0, KY_WITH_TYPE, 0, 0, 0},
    [KY_ARRAY_RADIUS] = {"radius", "radii", AT(radius), REAL, 1, 1, KY_WITH_RADIUS, 1, 0, 0},
};

void *ky_array_of(const struct ky_bodies *bodies, enum ky_array_id id)
{
    void *array;
    memcpy(&array, (const char *)bodies + ky_arrays[id].offset, sizeof array);
    return array;
}

void ky_array_set(struct ky_bodies *bodies, enum ky_array_id id, void *array)
{
    memcpy((char *)bodies + ky_arrays[id].offset, &array, sizeof array);
}

unsigned ky_bodies_with(const struct ky_bodies *bodies)
{
    unsigned with = 0;
    for (int k = 0; k < KY_ARRAYS; k++)
        with |= ky_array_of(bodies, (enum ky_array_id)k) ? ky_arrays[k].with : 0;
    return with;
}

/* Whether an array is wanted: the arrays in `with`, and with `required` also the required
 * arrays. */
static int is_wanted(const struct ky_array *array, unsigned with, int required)
{
    return array->with ? (with & array->with) != 0 : required;
}

double ky_bodies_bytes(size_t n, unsigned with, int required)
{
    double bytes = 0;
    for (int k = 0; k < KY_ARRAYS; k++)
        if (is_wanted(&ky_arrays[k], with, required))
            bytes += ky_allocated((double)n * (double)ky_arrays[k].bytes);
    return bytes;
}

/* Makes the arrays that are NULL and wanted. KY_FAULT if memory runs out. */
static enum ky_status allocate(int threads, struct ky_bodies *bodies, unsigned with, int required,
                               struct ky_error *error)
{
    for (int k = 0; k < KY_ARRAYS; k++) {
        const struct ky_array *array = &ky_arrays[k];
        if (ky_array_of(bodies, (enum ky_array_id)k) || !is_wanted(array, with, required))
            continue;
        void *memory = ky_allocate_zeroed_by(threads, bodies->n, array->bytes);
        if (!memory)
            return ky_no_memory(error, array->plural, bodies->n, array->bytes);
        ky_array_set(bodies, (enum ky_array_id)k, memory);
    }
    return KY_OK;
}

/* Whether the members reserved for arrays of later versions are empty. */
static int is_zeroed(const struct ky_bodies *bodies)
{
    int zeroed = 1;
    for (size_t k = 0; k < sizeof bodies->later / sizeof *bodies->later; k++)
        zeroed &= !bodies->later[k];
    return zeroed;
}

static enum ky_status not_zeroed(struct ky_error *error)
{
    return ky_fail(error, KY_USAGE,
                   "the struct of the bodies has pointers in `later`; it must be zeroed before its "
                   "arrays are set: struct ky_bodies bodies = {0}");
}

enum ky_status ky_bodies_extend(struct ky_bodies *bodies, unsigned with, struct ky_error *error)
{
    KY_NEED(bodies, error);
    return is_zeroed(bodies) ? allocate(0, bodies, with, 0, error) : not_zeroed(error);
}

enum ky_status ky_bodies_allocate_by(int threads, struct ky_bodies *bodies, size_t n, unsigned with,
                                     struct ky_error *error)
{
    *bodies = (struct ky_bodies){.size = sizeof *bodies, .n = n};
    enum ky_status status = allocate(threads, bodies, with, 1, error);
    if (status)
        ky_bodies_free(bodies);
    return status;
}

enum ky_status ky_bodies_allocate(struct ky_bodies *bodies, size_t n, unsigned with,
                                  struct ky_error *error)
{
    KY_NEED(bodies, error);
    return ky_bodies_allocate_by(0, bodies, n, with, error);
}

void ky_bodies_free(struct ky_bodies *bodies)
{
    if (!bodies)
        return;
    for (int k = 0; k < KY_ARRAYS; k++)
        free(ky_array_of(bodies, (enum ky_array_id)k));
    memset(bodies, 0, sizeof *bodies);
}

size_t ky_bodies_massless(const struct ky_bodies *bodies)
{
    size_t massless = 0;
    for (size_t i = 0; bodies->mass && i < bodies->n; i++)
        massless += !(bodies->mass[i] > 0);
    return massless;
}

void ky_bodies_move(struct ky_bodies *bodies, size_t to, size_t from)
{
    for (int k = 0; k < KY_ARRAYS && to != from; k++) {
        char *array = ky_array_of(bodies, (enum ky_array_id)k);
        const size_t bytes = ky_arrays[k].bytes;
        if (array)
            memcpy(array + to * bytes, array + from * bytes, bytes);
    }
}

void ky_bodies_join(struct ky_bodies *bodies, size_t i, size_t j)
{
    const double mass = bodies->mass[i] + bodies->mass[j], share = bodies->mass[j] / mass;
    for (int c = 0; c < 3; c++) {
        bodies->position[i][c] += share * (bodies->position[j][c] - bodies->position[i][c]);
        bodies->velocity[i][c] += share * (bodies->velocity[j][c] - bodies->velocity[i][c]);
    }
    bodies->mass[i] = mass;
}

void ky_bodies_choose(struct ky_bodies *bodies, unsigned types)
{
    size_t kept = 0;
    for (size_t i = 0; i < bodies->n; i++)
        if (types >> ky_type_of(bodies, i) & 1)
            ky_bodies_move(bodies, kept++, i);
    bodies->n = kept;
}

enum ky_status ky_bodies_need(const struct ky_bodies *bodies, unsigned arrays,
                              struct ky_error *error)
{
    for (int k = 0; k < KY_ARRAYS && bodies->n; k++)
        if ((arrays >> k & 1) && !ky_array_of(bodies, (enum ky_array_id)k))
            return ky_fail(error, KY_USAGE, "bodies without %s: `%s` is NULL and n is %zu",
                           ky_arrays[k].plural, ky_arrays[k].name, bodies->n);
    return KY_OK;
}

static enum ky_status twice(uint64_t id, struct ky_error *error)
{
    return ky_fail(error, KY_BAD_DATA,
                   "id %" PRIu64
                   " occurs twice; ids must be unique, and --renumber gives all bodies new ids",
                   id);
}

/* KY_BAD_DATA if an id occurs twice; for ids of any range. */
static enum ky_status check_by_sorting(const uint64_t *id, size_t n, struct ky_error *error)
{
    uint64_t *sorted;
    KY_TRY(ky_array(&sorted, n, sizeof *sorted, "check of ids", error));
    memcpy(sorted, id, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, ky_order_ids);
    enum ky_status status = KY_OK;
    for (size_t k = 1; k < n && !status; k++)
        if (sorted[k] == sorted[k - 1])
            status = twice(sorted[k], error);
    free(sorted);
    return status;
}

/* Whether each id is larger than the previous one; *least and *most become the range of the ids. */
static int look_through(int threads, const uint64_t *id, size_t n, uint64_t *least, uint64_t *most)
{
    uint64_t low = UINT64_MAX, high = 0;
    size_t falls = 0;
    threads = ky_threads(threads);
#pragma omp parallel for num_threads(threads) if (n >= KY_SEVERAL_FROM)                                   \
    reduction(min : low) reduction(max : high) reduction(+ : falls)
    for (size_t i = 0; i < n; i++) {
        low = id[i] < low ? id[i] : low;
        high = id[i] > high ? id[i] : high;
        falls += i && id[i - 1] >= id[i];
    }
    *least = low;
    *most = high;
    return !falls;
}

/* KY_BAD_DATA if an id occurs twice. Ascending ids are checked in one pass. Ids that fill a 64th of
 * their range or more, as in files whose bodies are shuffled, are marked in a map of bits, which
 * takes no more memory than sorting does. Other ids are sorted. */
static enum ky_status check_ids(int threads, const uint64_t *id, size_t n, struct ky_error *error)
{
    uint64_t least, most;
    if (look_through(threads, id, n, &least, &most))
        return KY_OK;
    if ((most - least) / 64 >= n)
        return check_by_sorting(id, n, error);
    size_t words = (size_t)((most - least) / 64) + 1;
    uint64_t *seen = ky_allocate_zeroed_by(threads, words, sizeof *seen);
    if (!seen)
        return ky_no_memory(error, "check of ids", words, sizeof *seen);
    enum ky_status status = KY_OK;
    for (size_t i = 0; i < n && !status; i++) {
        uint64_t place = id[i] - least, bit = (uint64_t)1 << place % 64;
        if (seen[place / 64] & bit)
            status = twice(id[i], error);
        seen[place / 64] |= bit;
    }
    free(seen);
    return status;
}

/* KY_BAD_DATA for the first number of body i that is not finite or out of its range, in the arrays
 * that are not NULL. `name`: its number in the text. */
static enum ky_status check_body(const struct ky_bodies *bodies, size_t i, size_t name,
                                 struct ky_error *error)
{
    static const char *const axis = "xyz";
    for (int k = 0; k < 3; k++) {
        if (bodies->position && !isfinite(bodies->position[i][k]))
            return ky_fail(error, KY_BAD_DATA, "body %zu: position %c is %g; it must be finite",
                           name, axis[k], bodies->position[i][k]);
        if (bodies->velocity && !isfinite(bodies->velocity[i][k]))
            return ky_fail(error, KY_BAD_DATA, "body %zu: velocity %c is %g; it must be finite",
                           name, axis[k], bodies->velocity[i][k]);
    }
    const struct {
        const char *name;
        const double *array;
    } sizes[] = {
        {"mass", bodies->mass}, {"softening", bodies->softening}, {"radius", bodies->radius}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        if (sizes[k].array && (!isfinite(sizes[k].array[i]) || sizes[k].array[i] < 0))
            return ky_fail(error, KY_BAD_DATA,
                           "body %zu: %s is %g; it must be finite and not negative", name,
                           sizes[k].name, sizes[k].array[i]);
    if (bodies->type && bodies->type[i] > 5)
        return ky_fail(error, KY_BAD_DATA, "body %zu: type is %d; types are 0 to 5", name,
                       bodies->type[i]);
    return KY_OK;
}

/* Checks all bodies with `check`. The error names the first body that fails, for any number of
 * threads. */
static enum ky_status check_each(int threads, size_t from, const struct ky_bodies *bodies,
                                 enum ky_status (*check)(const struct ky_bodies *bodies, size_t i,
                                                         size_t name, struct ky_error *error),
                                 struct ky_error *error)
{
    size_t first = bodies->n;
    threads = ky_threads(threads);
#pragma omp parallel for num_threads(threads) if (bodies->n >= KY_SEVERAL_FROM) reduction(min      \
                                                                                          : first)
    for (size_t i = 0; i < bodies->n; i++)
        if (i < first && check(bodies, i, i, NULL))
            first = i;
    return first < bodies->n ? check(bodies, first, from + first, error) : KY_OK;
}

enum ky_status ky_bodies_check_from(int threads, size_t first, const struct ky_bodies *bodies,
                                    struct ky_error *error)
{
    return is_zeroed(bodies) ? check_each(threads, first, bodies, check_body, error)
                             : not_zeroed(error);
}

enum ky_status ky_bodies_check_arrays(int threads, const struct ky_bodies *bodies,
                                      struct ky_error *error)
{
    return ky_bodies_check_from(threads, 0, bodies, error);
}

enum ky_status ky_bodies_check_present(int threads, const struct ky_bodies *bodies,
                                       struct ky_error *error)
{
    const enum ky_status status = ky_bodies_check_arrays(threads, bodies, error);
    return status || !bodies->id ? status : check_ids(threads, bodies->id, bodies->n, error);
}

enum ky_status ky_bodies_check_by(int threads, const struct ky_bodies *bodies,
                                  struct ky_error *error)
{
    KY_TRY(ky_bodies_need(bodies, KY_NEED_MOTION, error));
    return ky_bodies_check_present(threads, bodies, error);
}

enum ky_status ky_bodies_check(const struct ky_bodies *bodies, struct ky_error *error)
{
    KY_NEED(bodies, error);
    return ky_bodies_check_by(0, bodies, error);
}

/* KY_BAD_DATA for the first number in the acceleration or potential of body i that is not finite.
 */
static enum ky_status check_force(const struct ky_bodies *bodies, size_t i, size_t name,
                                  struct ky_error *error)
{
    static const char *const axis = "xyz";
    for (int k = 0; k < 3 && bodies->acceleration; k++)
        if (!isfinite(bodies->acceleration[i][k]))
            return ky_fail(error, KY_BAD_DATA, "body %zu: acceleration %c is %g; it must be finite",
                           name, axis[k], bodies->acceleration[i][k]);
    if (bodies->potential && !isfinite(bodies->potential[i]))
        return ky_fail(error, KY_BAD_DATA, "body %zu: potential is %g; it must be finite", name,
                       bodies->potential[i]);
    return KY_OK;
}

enum ky_status ky_bodies_check_forces_from(int threads, size_t first,
                                           const struct ky_bodies *bodies, struct ky_error *error)
{
    return check_each(threads, first, bodies, check_force, error);
}

enum ky_status ky_bodies_check_forces(const struct ky_bodies *bodies, struct ky_error *error)
{
    return ky_bodies_check_forces_from(0, 0, bodies, error);
}
