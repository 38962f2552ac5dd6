/* Checks for results that are infinite or NaN, made once, when they leave an engine. */
#include "engine/common/finite.h"

#include <math.h>

#include "base/bodies.h"
#include "base/status.h"
#include "base/threads.h"

/* The sum of all 0 × x is NaN if one x is not finite. That is cheaper than a test of each. */
size_t ky_first_wrong(int threads, const double *x, size_t count)
{
    double sum = 0;
    threads = ky_threads(threads);
#pragma omp parallel for num_threads(threads) if (count >= KY_SEVERAL_FROM) reduction(+ : sum)
    for (size_t k = 0; k < count; k++)
        sum += 0 * x[k];
    for (size_t k = 0; isnan(sum) && k < count; k++)
        if (!isfinite(x[k]))
            return k;
    return count;
}

/* Numbers of bodies or points, `columns` of each; NULL: there are none. */
struct rows {
    const char *what;
    const double *numbers;
    size_t count, columns;
    size_t first; /* number of the first one */
};

/* KY_BAD_DATA for the first number that is not finite: "the {quantity} {whose} 7 is not finite
 * (nan){why}". */
static enum ky_status check(int threads, struct rows rows, const char *whose, const char *why,
                            struct ky_error *error)
{
    const size_t count = rows.numbers ? rows.count * rows.columns : 0,
                 wrong = ky_first_wrong(threads, rows.numbers, count);
    if (wrong == count)
        return KY_OK;
    return ky_fail(error, KY_BAD_DATA, "the %s %s %zu is not finite (%g)%s", rows.what, whose,
                   rows.first + wrong / rows.columns, rows.numbers[wrong], why);
}

enum ky_status ky_finite_some(int threads, const struct ky_bodies *bodies, size_t first,
                              struct ky_error *error)
{
    for (int k = 0; k < KY_ARRAYS; k++) {
        const struct rows rows = {ky_arrays[k].name, ky_array_of(bodies, (enum ky_array_id)k),
                                  bodies->n, (size_t)ky_arrays[k].columns, first};
        if (ky_arrays[k].real)
            KY_TRY(check(threads, rows, "of body",
                         ": masses, distances, G or the step leave the range of numbers", error));
    }
    return KY_OK;
}

enum ky_status ky_finite_bodies(int threads, const struct ky_bodies *bodies, struct ky_error *error)
{
    return ky_finite_some(threads, bodies, 0, error);
}

enum ky_status ky_finite_points(int threads, const struct ky_points *points, struct ky_error *error)
{
    const struct rows rows = {"position", (const double *)points->position, points->count, 3, 0};
    return check(threads, rows, "of point", "", error);
}

enum ky_status ky_finite_field(int threads, const struct ky_points *points,
                               const double (*acceleration)[3], const double *potential,
                               struct ky_error *error)
{
    const struct rows rows[] = {{"acceleration", (const double *)acceleration, points->count, 3, 0},
                                {"potential", potential, points->count, 1, 0}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        KY_TRY(check(threads, rows[k], "at point",
                     ": masses, distances or G leave the range of numbers", error));
    return KY_OK;
}

enum ky_status ky_finite_tides(int threads, const struct ky_points *points, const double (*tide)[6],
                               struct ky_error *error)
{
    const struct rows rows = {"tidal tensor", (const double *)tide, points->count, 6, 0};
    return check(threads, rows, "at point", ": masses, distances or G leave the range of numbers",
                 error);
}

enum ky_status ky_finite_results(int threads, enum ky_action_id action, const double *results,
                                 size_t n, struct ky_error *error)
{
    const struct ky_action_facts *facts = &ky_actions[action];
    size_t columns = facts->about.columns, wrong = ky_first_wrong(threads, results, n * columns);
    if (wrong == n * columns)
        return KY_OK;
    return ky_fail(error, KY_BAD_DATA,
                   "action %s: the %s of body %zu is not finite (%g): masses, distances, radii or "
                   "G leave the range of numbers",
                   facts->about.name, facts->results[wrong % columns].name, wrong / columns,
                   results[wrong]);
}

enum ky_status ky_finite_sums(const struct ky_sums *sums, struct ky_error *error)
{
    const double total = sums->kinetic + sums->potential + sums->external;
    const struct {
        const char *what;
        const double *numbers;
        size_t count;
    } parts[] = {
        {"kinetic energy", &sums->kinetic, 1},
        {"potential energy", &sums->potential, 1},
        {"energy in external fields", &sums->external, 1},
        {"total energy", &total, 1},
        {"virial", &sums->virial, 1},
        {"momentum", sums->momentum, 3},
        {"angular momentum", sums->angular_momentum, 3},
        {"centre of mass", sums->centre, 3},
    };
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        size_t wrong = ky_first_wrong(1, parts[k].numbers, parts[k].count);
        if (wrong < parts[k].count)
            return ky_fail(error, KY_BAD_DATA,
                           "the %s is not finite (%g): masses, velocities or distances leave the "
                           "range of numbers",
                           parts[k].what, parts[k].numbers[wrong]);
    }
    return KY_OK;
}
