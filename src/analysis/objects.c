/* Single bodies and binaries as the objects of a system: see analysis.h. */
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/bodies.h"
#include "base/memory.h"
#include "base/status.h"

/* Joins the binaries with semi-major axes below `axis`, and closes the gaps that they leave.
 * `gone`: [objects->n], all 0. */
static void join_all(const struct ky_binaries *binaries, double axis, struct ky_bodies *objects,
                     char *gone)
{
    size_t kept = 0;
    for (size_t k = 0; k < binaries->count; k++) {
        const uint32_t *body = binaries->body[k];
        if (!(binaries->semi_major_axis[k] < axis))
            continue;
        ky_bodies_join(objects, body[0], body[1]);
        gone[body[1]] = 1;
    }
    for (size_t i = 0; i < objects->n; i++)
        if (!gone[i])
            ky_bodies_move(objects, kept++, i);
    objects->n = kept;
}

static enum ky_status copy(const struct ky_bodies *bodies, struct ky_bodies *objects,
                           struct ky_error *error)
{
    KY_TRY(ky_bodies_allocate(objects, bodies->n, 0, error));
    for (int k = 0; k < KY_ARRAYS; k++) {
        void *array = ky_array_of(objects, (enum ky_array_id)k);
        if (array && bodies->n)
            memcpy(array, ky_array_of(bodies, (enum ky_array_id)k), bodies->n * ky_arrays[k].bytes);
    }
    return KY_OK;
}

enum ky_status ky_objects_make(const struct ky_parameters *parameters,
                               const struct ky_bodies *bodies, double axis,
                               struct ky_bodies *objects, struct ky_error *error)
{
    struct ky_parameters own = *parameters;
    struct ky_binaries binaries = {.size = sizeof binaries};
    own.engine = "cpu";
    own.ranks = 1;
    own.stop = NULL;
    own.log = NULL;
    *objects = (struct ky_bodies){0};
    KY_TRY(ky_binaries_find(&own, bodies, &binaries, NULL, error));
    char *gone = ky_allocate_zeroed(bodies->n, 1);
    enum ky_status status =
        gone ? copy(bodies, objects, error) : ky_no_memory(error, "objects", bodies->n, 1);
    if (!status)
        join_all(&binaries, axis, objects, gone);
    free(gone);
    ky_binaries_free(&binaries);
    return status;
}
