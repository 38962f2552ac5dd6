/* The source of a run's bodies: see source.h. */
#include "simulation/source.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"

static enum ky_status allocate(struct ky_source **source, struct ky_error *error)
{
    *source = ky_allocate_zeroed(1, sizeof **source);
    return *source ? KY_OK : ky_no_memory(error, "a source of bodies", 1, sizeof **source);
}

void ky_source_close(struct ky_source *source)
{
    if (source && !source->is_model)
        ky_shared_file_close(&source->of.file);
    free(source);
}

enum ky_status ky_source_file(const char *path, const struct ky_read_options *options,
                              struct ky_source **source, struct ky_snapshot *snapshot,
                              struct ky_error *error)
{
    KY_NEED(path, error);
    KY_NEED(source, error);
    KY_NEED(snapshot, error);
    *source = NULL;
    if (ky_is_standard(path))
        return ky_snapshot_read_as(path, options, snapshot, error);
    ky_snapshot_clear(snapshot);
    struct ky_source *own;
    KY_TRY(allocate(&own, error));
    struct ky_shared_file *file = &own->of.file;
    enum ky_status status = ky_shared_file_open(path, options, snapshot, file, error);
    if (!status && file->is_divisible) {
        *source = own;
        return KY_OK;
    }
    ky_snapshot_free(snapshot);
    if (!status)
        status = ky_shared_file_read_all(file, snapshot, error);
    ky_source_close(own);
    return status;
}

enum ky_status ky_source_model(const char *name, const struct ky_model_parameters *model,
                               struct ky_source **source, struct ky_snapshot *snapshot,
                               struct ky_error *error)
{
    KY_NEED(name, error);
    KY_NEED(model, error);
    KY_NEED(source, error);
    KY_NEED(snapshot, error);
    *source = NULL;
    ky_snapshot_clear(snapshot);
    struct ky_source *own;
    KY_TRY(allocate(&own, error));
    own->is_model = 1;
    const enum ky_status status = ky_recipe_write(name, model, &own->of.recipe, snapshot, error);
    if (!status) {
        *source = own;
        return KY_OK;
    }
    ky_source_close(own);
    return status == KY_UNSUPPORTED ? ky_model_make(name, model, snapshot, error) : status;
}

enum ky_status ky_source_take(const struct ky_source *source, struct ky_task_share *share,
                              uint64_t *wrong, struct ky_error *outcome, struct ky_error *error)
{
    if (!source->is_model)
        return ky_shared_file_read(&source->of.file, &share->portion, share->threads,
                                   &share->bodies, wrong, outcome, error);
    struct ky_snapshot made;
    const enum ky_status status =
        ky_recipe_make(&source->of.recipe, &share->portion, &made, outcome);
    *wrong = status != KY_OK; /* the same on all ranks */
    if (!status)
        share->bodies = made.bodies;
    return status == KY_FAULT ? ky_fail(error, status, "%s", outcome->text) : KY_OK;
}

enum ky_status ky_source_take_all(struct ky_source *source, struct ky_bodies *bodies,
                                  struct ky_error *error)
{
    struct ky_snapshot all;
    ky_bodies_free(bodies);
    KY_TRY(source->is_model ? ky_recipe_make(&source->of.recipe, NULL, &all, error)
                            : ky_shared_file_read_all(&source->of.file, &all, error));
    *bodies = all.bodies;
    all.bodies = (struct ky_bodies){0};
    ky_snapshot_free(&all);
    return KY_OK;
}

enum ky_status ky_source_label(const struct ky_source *source, unsigned with,
                               struct ky_bodies *bodies, struct ky_error *error)
{
    return source->is_model ? KY_OK : ky_shared_file_label(&source->of.file, with, bodies, error);
}
