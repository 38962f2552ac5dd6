/* The snapshots of a run, or one snapshot, in a browser. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/sample_ids.h"
#include "base/units.h"
#include "view/view.h"

#define WAIT 0.2 /* interval at which an unwatched folder checks for a stop [s] */

/* Keeps only the bodies that are shown. */
static enum ky_status thin_out(struct ky_bodies *bodies, size_t most, struct ky_error *error)
{
    const size_t all = most < bodies->n ? most : bodies->n;
    size_t *index;
    KY_TRY(ky_array(&index, all, sizeof *index, "bodies of the view", error));
    const size_t count = ky_sample_ids(bodies->id, bodies->n, most, index);
    for (size_t k = 0; k < count; k++) { /* index[k] >= k */
        for (int c = 0; c < 3; c++) {
            bodies->position[k][c] = bodies->position[index[k]][c];
            bodies->velocity[k][c] = bodies->velocity[index[k]][c];
        }
        if (bodies->type)
            bodies->type[k] = bodies->type[index[k]];
    }
    bodies->n = count;
    free(index);
    return KY_OK;
}

/* Reads a snapshot as it is stored, and publishes its frame, or one that gives the error. */
static enum ky_status show(struct ky_view *view, const char *folder, const struct ky_paths *paths,
                           uint64_t number, struct ky_error *error)
{
    struct ky_error failure = {KY_OK, "there is no such snapshot"};
    struct ky_snapshot snapshot;
    struct ky_read_options reading;
    ky_snapshot_clear(&snapshot);
    ky_read_options_defaults(&reading);
    reading.space = KY_SPACE_AS_STORED;
    reading.may_be_empty = 1;
    enum ky_status status = KY_BAD_DATA;
    if (number <= paths->count)
        status = ky_snapshot_read_as(paths->path[number - 1], &reading, &snapshot, &failure);
    const size_t n = snapshot.bodies.n;
    const double box = snapshot.space.box;
    if (!status)
        status = thin_out(&snapshot.bodies, ky_view_desk.most(view), &failure);
    struct ky_bodies none = {0};
    const struct ky_units units = ky_units_stored(&snapshot.units, &snapshot.space);
    const struct ky_view_frame frame = {.shown = status ? &none : &snapshot.bodies,
                                        .n = n,
                                        .units = &units,
                                        .time = snapshot.time,
                                        .comoving = box > 0 && snapshot.space.comoving,
                                        .box = box,
                                        .title = folder,
                                        .snapshots = paths->count,
                                        .failure = status ? failure.text : NULL};
    status = ky_view_desk.give(view, &frame, number, error);
    ky_snapshot_free(&snapshot);
    return status;
}

/* The snapshots of a folder; a file is one. */
static enum ky_status find(const char *folder, struct ky_paths *paths, struct ky_error *error)
{
    struct stat about;
    if (stat(folder, &about) || S_ISDIR(about.st_mode))
        return ky_run_snapshots(folder, paths, error);
    *paths = (struct ky_paths){.path = ky_allocate_zeroed(1, sizeof *paths->path)};
    char *name = ky_allocate(strlen(folder) + 1, 1);
    if (!paths->path || !name) {
        free(name);
        ky_paths_free(paths);
        return ky_no_memory(error, "name of a snapshot", strlen(folder) + 1, 1);
    }
    paths->path[paths->count++] = strcpy(name, folder);
    return KY_OK;
}

enum ky_status ky_view_folder(struct ky_view *view, const char *folder, double seconds,
                              const volatile int *stop, struct ky_error *error)
{
    KY_NEED(view, error);
    KY_NEED(folder, error);
    KY_NEED(stop, error);
    char path[4096];
    struct ky_paths paths = {0};
    const double begin = ky_clock();
    enum ky_status status = find(folder, &paths, error);
    if (!status && snprintf(path, sizeof path, "%s/energy.csv", folder) >= (int)sizeof path)
        status = ky_fail(error, KY_USAGE, "the name of the folder is too long: %.60s…", folder);
    if (!status)
        status = ky_view_desk.begin(view, 0, path, error);
    while (!status && !*stop && !(ky_clock() - begin > seconds)) {
        const uint64_t number = ky_view_next(view, WAIT);
        if (!number)
            continue;
        ky_paths_free(&paths);
        status = find(folder, &paths, error); /* a run may have written more */
        if (!status)
            status = show(view, folder, &paths, number, error);
    }
    ky_view_desk.end(view);
    ky_paths_free(&paths);
    return status;
}
