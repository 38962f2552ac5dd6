/* The bodies of a run before they are in memory: of an open file, or of a model. Bodies that a
 * caller gives need no source. */
#ifndef KY_SIMULATION_SOURCE_H
#define KY_SIMULATION_SOURCE_H

#include "engine/task.h"
#include "models/recipe.h"
#include "snapshot/shared_file.h"

/* It can be sent to other ranks as bytes. */
struct ky_source {
    int is_model;
    union {
        struct ky_model_recipe recipe;
        struct ky_shared_file file;
    } of;
};

/* Reads or makes the bodies of the share on each rank, without types and radii. An error is in
 * *outcome on the rank that finds it, and in *wrong on all ranks. Fails if memory runs out, and as
 * ky_portion_add_up. */
enum ky_status ky_source_take(const struct ky_source *source, struct ky_task_share *share,
                              uint64_t *wrong, struct ky_error *outcome, struct ky_error *error);
/* Reads or makes all bodies in this process, instead of their number and labels in *bodies. Fails
 * as ky_snapshot_read_as and ky_model_make. */
enum ky_status ky_source_take_all(struct ky_source *source, struct ky_bodies *bodies,
                                  struct ky_error *error);
/* Adds the arrays in `with` (KY_WITH_ID, KY_WITH_TYPE, KY_WITH_RADIUS) to bodies->n bodies, if a
 * file has them, and checks them. KY_BAD_DATA for impossible values. */
enum ky_status ky_source_label(const struct ky_source *source, unsigned with,
                               struct ky_bodies *bodies, struct ky_error *error);

#endif
