/* ky_orbit: the path of one body in external fields alone. */
#include <math.h>
#include <string.h>

#include "base/sizes.h"
#include "base/status.h"
#include "engine/common/external.h"
#include "integrate/friction.h"
#include "integrate/path.h"

/* The caller's arrays. */
struct rows {
    size_t count;
    const double *time;
    double (*position)[3], (*velocity)[3], *potential;
};

static enum ky_status check(const struct rows *rows, const struct ky_externals *fields,
                            struct ky_error *error)
{
    if (rows->count > 0)
        for (int c = 0; c < 3; c++)
            if (!isfinite(rows->position[0][c]) || !isfinite(rows->velocity[0][c]))
                return ky_fail(error, KY_BAD_DATA,
                               "the first position or velocity of an orbit is not finite");
    for (size_t k = 0; k < rows->count; k++)
        KY_TRY(isfinite(rows->time[k])
                   ? ky_externals_cover(fields, rows->time[k], rows->time[k], error)
                   : ky_fail(error, KY_USAGE, "time %zu of an orbit is not finite", k));
    return KY_OK;
}

static enum ky_status follow(const struct ky_path *path, const struct rows *rows,
                             const volatile int *stop, struct ky_error *error)
{
    struct ky_externals then = *path->fields;
    for (size_t k = 0; k < rows->count; k++) {
        double *x = rows->position[k], *v = rows->velocity[k];
        if (stop && *stop)
            return ky_fail(error, KY_STOPPED, "stopped at row %zu of an orbit", k);
        if (k > 0) {
            memcpy(x, rows->position[k - 1], sizeof rows->position[k]);
            memcpy(v, rows->velocity[k - 1], sizeof rows->velocity[k]);
            KY_TRY(ky_path_follow(path, rows->time[k - 1], rows->time[k] - rows->time[k - 1], x, v,
                                  error));
        }
        then.time = rows->time[k];
        if (rows->potential) {
            rows->potential[k] = 0;
            ky_externals_add(&then, x, NULL, &rows->potential[k]);
        }
    }
    return KY_OK;
}

enum ky_status ky_orbit(const struct ky_parameters *parameters, size_t count, const double *time,
                        double (*position)[3], double (*velocity)[3], double *potential,
                        struct ky_error *error)
{
    const struct rows rows = {count, time, position, velocity, potential};
    struct ky_parameters own;
    struct ky_externals fields = {0};
    struct ky_path path = {.fields = &fields};
    KY_NEED(parameters, error);
    if (count > 0 && !(time && position && velocity))
        return ky_fail(error, KY_USAGE, "an orbit needs times, positions and velocities");
    enum ky_status status =
        ky_size_adopt(&own, sizeof own, parameters, "ky_parameters_defaults", error);
    if (!status)
        status = ky_externals_of(&own, &fields, error);
    if (!status)
        status = ky_friction_alone(&fields, &path.friction, error);
    if (!status)
        status = check(&rows, &fields, error);
    if (path.friction)
        path.mu = path.friction[KY_EXTERNAL_FRICTION_MASS];
    if (!status)
        status = follow(&path, &rows, own.stop, error);
    ky_externals_release(&fields);
    return status;
}
