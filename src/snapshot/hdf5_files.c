/* HDF5 snapshots in one file or several: each file is created with everything except the arrays
 * that several ranks then write together; finally the files get their names. The first file comes
 * last: when it exists, the snapshot is complete. */
#ifdef KY_HAVE_HDF5
#include "snapshot/hdf5.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

/* Maximum number of files open at a time, and of parts of each that other ranks write. */
enum { GROUP = 64, PARTS = KY_WRITE_TYPES * KY_HDF5_FIELDS };

struct files {
    const char *path; /* of the single file, or of number 0 */
    const struct ky_snapshot *snapshot;
    const struct ky_write_options *options;
    const struct ky_writers *others; /* or NULL */
    struct ky_hdf5_share share;      /* of the next file */
    int numbered;
    struct ky_write_plan plan;
    struct ky_hdf5_output out[GROUP];
    struct ky_write_file file[GROUP];
    struct ky_file *first; /* number 0, until it is renamed */
};

/* The bodies first … first + n − 1. */
static struct ky_bodies some_of(const struct ky_bodies *bodies, uint64_t first, uint64_t n)
{
    struct ky_bodies some = {.n = (size_t)n};
    for (int k = 0; k < KY_ARRAYS; k++) {
        char *array = ky_array_of(bodies, (enum ky_array_id)k);
        if (array)
            ky_array_set(&some, (enum ky_array_id)k, array + first * ky_arrays[k].bytes);
    }
    return some;
}

/* Counts the bodies of each type. ky_group_order rejects other types. */
static void count_types(const struct ky_bodies *bodies, uint64_t count[KY_HDF5_TYPES])
{
    for (size_t i = 0; bodies->type && i < bodies->n; i++)
        count[bodies->type[i] < KY_HDF5_TYPES ? bodies->type[i] : 0]++;
    if (!bodies->type)
        count[4] += bodies->n;
}

/* Creates the next file, as number k of the group, without the arrays of other ranks. */
static enum ky_status begin_next(struct files *f, int k, struct ky_error *error)
{
    struct ky_hdf5_share *share = &f->share;
    struct ky_snapshot snapshot = *f->snapshot;
    const uint64_t n = snapshot.bodies.n, files = (uint64_t)share->files,
                   end = ky_share_start(n, files, (uint64_t)share->number + 1);
    char *name = f->numbered ? ky_piece_name(f->path, (unsigned)share->number) : NULL;
    if (f->numbered && !name)
        return ky_no_memory(error, "name of a snapshot", strlen(f->path), 1);
    share->first = ky_share_start(n, files, (uint64_t)share->number);
    snapshot.bodies = some_of(&f->snapshot->bodies, share->first, end - share->first);
    f->plan.files = (size_t)k + 1;
    f->out[k] = (struct ky_hdf5_output){
        .compress = f->options->compress, .others = f->others, .plan = &f->plan};
    f->file[k] = (struct ky_write_file){.path = name ? name : f->path};
    const enum ky_status status =
        ky_hdf5_begin(f->file[k].path, &snapshot, f->options->overwrite, share, &f->out[k], error);
    if (!status)
        f->file[k].open = ky_file_temporary(f->out[k].file);
    count_types(&snapshot.bodies, share->before);
    share->number++;
    return status;
}

/* Gives the files of the group their names, or removes them. File number 0 waits; an earlier one is
 * removed, since it may belong to a snapshot with another number of files. */
static enum ky_status end_group(struct files *f, enum ky_status status, struct ky_error *error)
{
    if (!status && f->share.files > 1)
        unlink(f->path);
    for (size_t k = 0; k < f->plan.files; k++) {
        struct ky_file *file = f->out[k].file;
        if (!f->first && !status)
            f->first = file;
        else if (status)
            ky_file_discard(file);
        else
            status = ky_file_publish(file, NULL, error);
        if (f->numbered)
            free((char *)(uintptr_t)f->file[k].path);
    }
    return status;
}

/* Creates the next files, as many as may be open. */
static enum ky_status write_group(struct files *f, struct ky_error *error)
{
    enum ky_status status = KY_OK;
    f->plan.files = f->plan.parts = 0;
    for (int k = 0; k < GROUP && f->share.number < f->share.files && !status; k++)
        status = begin_next(f, k, error);
    if (!status && f->others)
        status = f->others->write(f->others->context, &f->plan, error);
    return end_group(f, status, error);
}

/* Removes surplus files of an earlier snapshot of this name; after a failure the files without
 * number 0. */
static void tidy(const struct files *f, enum ky_status status)
{
    int gone = f->numbered && (!status || access(f->path, F_OK));
    for (int number = status ? 1 : f->share.files; gone; number++) {
        char *name = ky_piece_name(f->path, (unsigned)number);
        gone = name && !unlink(name);
        free(name);
    }
}

enum ky_status ky_hdf5_write_with(const char *path, const struct ky_snapshot *snapshot,
                                  const struct ky_write_options *options,
                                  struct ky_hdf5_pieces pieces, const struct ky_writers *others,
                                  struct ky_error *error)
{
    struct files *f = ky_allocate_zeroed(1, sizeof *f);
    struct ky_write_piece *part = ky_allocate(GROUP * PARTS, sizeof *part);
    int several = 0;
    enum ky_status status =
        f && part ? KY_OK : ky_no_memory(error, "parts of files", GROUP * PARTS, sizeof *part);
    if (!status) {
        *f = (struct files){.path = path,
                            .snapshot = snapshot,
                            .options = options,
                            .others = others,
                            .share = {.files = pieces.files ? pieces.files : 1, .run = pieces.run},
                            .numbered = pieces.files > 0,
                            .plan = {.part = part, .file = f->file}};
        count_types(&snapshot->bodies, f->share.total);
        for (int t = 0; t < KY_HDF5_TYPES; t++)
            several += f->share.total[t] > 0;
        f->plan.type = several > 1 ? snapshot->bodies.type : NULL;
    }
    while (!status && f->share.number < f->share.files)
        status = write_group(f, error);
    if (f && f->first && !status)
        status = ky_file_publish(f->first, NULL, error);
    else if (f)
        ky_file_discard(f->first);
    if (f)
        tidy(f, status);
    free(f);
    free(part);
    return status;
}

enum ky_status ky_hdf5_write(const char *path, const struct ky_snapshot *snapshot,
                             const struct ky_write_options *options, struct ky_error *error)
{
    return ky_hdf5_write_with(path, snapshot, options, (struct ky_hdf5_pieces){0}, NULL, error);
}
#else
typedef int ky_hdf5_is_absent;
#endif
