/* Pictures of snapshots that are read from files: see kyoho.h. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/quantity.h"
#include "base/sizes.h"
#include "base/status.h"
#include "draw/draw.h"

/* A picture of snapshots: the files, and where it goes. */
struct drawing {
    const char *path, *const *files;
    size_t count;
    const struct ky_read_options *reading;
    const struct ky_draw_parameters *parameters;
};

/* Reads the snapshots of the panels and draws them. */
static enum ky_status draw_panels(const struct drawing *drawing, struct ky_error *error)
{
    const size_t count = drawing->count;
    struct ky_snapshot *panels;
    KY_TRY(ky_array_zeroed(&panels, count, sizeof *panels, "panels", error));
    enum ky_status status = KY_OK;
    size_t read = 0;
    for (; read < count && !status; read++)
        status = ky_snapshot_read_as(drawing->files[read], drawing->reading, &panels[read], error);
    if (!status)
        status = ky_draw(drawing->path, panels, count, drawing->parameters, error);
    for (size_t k = 0; k < read; k++)
        ky_snapshot_free(&panels[k]);
    free(panels);
    return status;
}

/* Warns of a snapshot without bodies, at which all paths end. */
static void warn_of_none(const struct ky_draw_parameters *parameters, const char *file)
{
    char line[KY_REMARK];
    ky_format(line, sizeof line, "%s: holds no bodies", file);
    if (parameters->log)
        parameters->log(parameters->log_context, KY_LOG_WARNING, line);
}

/* Reads the snapshots one after the other and draws the paths of some of their bodies. */
static enum ky_status draw_trails(const struct drawing *drawing, struct ky_error *error)
{
    const char *path = drawing->path, *const *files = drawing->files;
    const struct ky_draw_parameters *parameters = drawing->parameters;
    const size_t count = drawing->count;
    const struct ky_canvas_goal goal = {path, parameters->overwrite, NULL};
    struct ky_trails trails = {0};
    struct ky_snapshot snapshot;
    struct ky_units units = {0};
    enum ky_status status = ky_draw_available(path, error);
    ky_snapshot_clear(&snapshot);
    for (size_t k = 0; k < count && !status; k++) {
        ky_snapshot_free(&snapshot);
        status = ky_snapshot_read_as(files[k], drawing->reading, &snapshot, error);
        if (!status)
            status = ky_draw_check(&snapshot.bodies, error);
        if (!status && !snapshot.bodies.n)
            warn_of_none(parameters, files[k]);
        units = k == 0 ? snapshot.units : units;
        if (!status)
            status = ky_units_together(&units, &snapshot.units, error);
        if (!status && k == 0)
            status = ky_trails_begin(&trails, &snapshot.bodies, (size_t)parameters->trails, count,
                                     error);
        if (!status)
            ky_trails_add(&trails, &snapshot);
    }
    if (!status)
        status = ky_trails_draw(&goal, &trails, &snapshot, parameters, error);
    ky_snapshot_free(&snapshot);
    ky_trails_free(&trails);
    return status;
}

enum ky_status ky_draw_reading(const struct ky_read_options *reading, struct ky_read_options *own,
                               struct ky_error *error)
{
    ky_read_options_defaults(own);
    own->space = KY_SPACE_AS_STORED;
    return reading ? ky_size_adopt(own, sizeof *own, reading, "ky_read_options_defaults", error)
                   : KY_OK;
}

enum ky_status ky_draw_files(const char *path, const char *const *files, size_t count,
                             const struct ky_read_options *reading,
                             const struct ky_draw_parameters *parameters, struct ky_error *error)
{
    KY_NEED(path, error);
    KY_NEED(parameters, error);
    struct ky_draw_parameters drawing;
    struct ky_read_options own;
    KY_TRY(ky_draw_adopt(parameters, &drawing, error));
    KY_TRY(ky_draw_reading(reading, &own, error));
    if (!files || !count)
        return ky_fail(error, KY_USAGE, "nothing to draw: give at least one snapshot");
    for (size_t k = 0; k < count; k++)
        if (!files[k])
            return ky_fail(error, KY_USAGE, "ky_draw_files: files[%zu] is NULL", k);
    const struct drawing all = {path, files, count, &own, &drawing};
    return (drawing.show == KY_SHOW_TRAILS ? draw_trails : draw_panels)(&all, error);
}
