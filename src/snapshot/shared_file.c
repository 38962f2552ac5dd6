/* Snapshots that ranks read in shares: see shared_file.h. */
#include "snapshot/shared_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bodies.h"
#include "base/memory.h"
#include "snapshot/space.h"

static enum ky_status has_changed(struct ky_error *error)
{
    return ky_fail(error, KY_BAD_DATA, "has changed while it was read: begin the run again");
}

void ky_shared_file_close(struct ky_shared_file *file)
{
    ky_input_close(&file->input);
    free(file->before);
    file->before = NULL;
}

/* Opens the file, and stores the options that readers of shares need. */
static enum ky_status open_first(const char *path, const struct ky_read_options *options,
                                 struct ky_shared_file *file, struct ky_error *error)
{
    KY_TRY(ky_snapshot_open(path, &file->input, error));
    const int is_long = strlen(file->input.path) >= sizeof file->path;
    snprintf(file->path, sizeof file->path, "%s", file->input.path);
    file->input.path = file->path;
    file->format = (int)ky_snapshot_recognise(&file->input);
    file->options = *options;
    file->has_units = options->units != NULL;
    if (options->units)
        file->units = *options->units;
    return is_long ? ky_fail(error, KY_UNSUPPORTED, "%s: the name is longer than %zu bytes", path,
                             sizeof file->path - 1)
                   : KY_OK;
}

enum ky_status ky_shared_file_open(const char *path, const struct ky_read_options *options,
                                   struct ky_snapshot *snapshot, struct ky_shared_file *file,
                                   struct ky_error *error)
{
    struct ky_read_options chosen;
    ky_snapshot_clear(snapshot);
    memset(file, 0, sizeof *file);
    file->input.fd = -1;
    KY_TRY(ky_read_options_adopt(options, &chosen, error));
    KY_TRY(open_first(path, &chosen, file, error));
    const struct ky_share_verbs *verbs = ky_format_shares((enum ky_format)file->format);
    if (!verbs)
        return KY_OK;
    file->is_divisible = 1;
    enum ky_status status = verbs->find(&file->input, &chosen, snapshot, file, error);
    if (chosen.renumber)
        file->with &= ~(unsigned)KY_WITH_ID;
    file->is_divisible &= snapshot->bodies.n && !(file->with & KY_WITH_SOFTENING);
    file->flow = status ? 0 : ky_space_flow(&snapshot->space, &snapshot->units);
    struct ky_error wrong; /* of bodies that are read together it comes after their own errors */
    if (!status && ky_snapshot_settle(snapshot, &chosen, &wrong) && file->is_divisible)
        status = ky_fail(error, wrong.status, "%s", wrong.text);
    if (!status)
        return KY_OK;
    ky_snapshot_free(snapshot);
    return ky_fail_in(error, status, "%s: ", file->path);
}

enum ky_status ky_shared_file_read_all(struct ky_shared_file *file, struct ky_snapshot *snapshot,
                                       struct ky_error *error)
{
    struct ky_read_options options = file->options;
    if (ky_format_shares((enum ky_format)file->format)) /* then its lines have been logged */
        options.log = NULL;
    options.units = file->has_units ? &file->units : NULL;
    enum ky_status status = ky_input_has_changed(&file->input)
                                ? has_changed(error)
                                : ky_snapshot_read_input(&file->input, (enum ky_format)file->format,
                                                         &options, snapshot, error);
    return status ? ky_fail_in(error, status, "%s: ", file->path) : KY_OK;
}

enum ky_status ky_snapshot_describe(const char *path, const struct ky_read_options *options,
                                    struct ky_snapshot *snapshot, struct ky_error *error)
{
    KY_NEED(path, error);
    KY_NEED(snapshot, error);
    struct ky_shared_file file = {.input.fd = -1};
    struct ky_read_options chosen;
    ky_snapshot_clear(snapshot);
    KY_TRY(ky_read_options_adopt(options, &chosen, error));
    chosen.log = NULL;
    enum ky_status status =
        ky_is_standard(path) ? KY_OK : ky_shared_file_open(path, &chosen, snapshot, &file, error);
    if (!status && !file.is_divisible) {
        ky_snapshot_free(snapshot);
        status = ky_fail(error, KY_UNSUPPORTED, "%s: its bodies have to be read together", path);
    }
    ky_shared_file_close(&file);
    return status;
}

/* ---- reading ---- */

/* Reads the arrays that exist, for bodies from number `first` on. The leading rank has the file
 * open. */
static enum ky_status read_share(struct ky_shared_file *file, int leads, uint64_t first,
                                 struct ky_bodies *bodies, struct ky_error *error)
{
    struct ky_input own = file->input;
    if (!bodies->n)
        return KY_OK;
    file->options.log = NULL;
    file->options.units = file->has_units ? &file->units : NULL;
    if (!leads)
        KY_TRY(ky_input_open(file->path, &own, error));
    enum ky_status status = own.size != file->input.size || own.written != file->input.written ||
                                    ky_input_has_changed(&own)
                                ? has_changed(error)
                                : ky_format_shares((enum ky_format)file->format)
                                      ->read(&own, file, first, bodies, error);
    if (status)
        ky_fail_in(error, status, "%s: ", file->path);
    if (!leads)
        ky_input_close(&own);
    return status;
}

/* A copy of the leading rank's file description. The caller frees it. */
static enum ky_status copy(const struct ky_shared_file *from, const struct ky_portion *portion,
                           struct ky_shared_file *to, struct ky_error *error)
{
    const size_t count = from->files + 1;
    *to = *from;
    KY_TRY(ky_array_zeroed(&to->before, count, sizeof *to->before, "files of a snapshot", error));
    if (portion->leads)
        memcpy(to->before, from->before, count * sizeof *to->before);
    return ky_portion_add_up(portion, to->before, count, error);
}

/* Allocates and reads arrays of the portion's bodies. */
static enum ky_status read_own(struct ky_shared_file *file, const struct ky_portion *portion,
                               int threads, struct ky_bodies *bodies, struct ky_error *error)
{
    const unsigned with = file->with & ~(unsigned)(KY_WITH_TYPE | KY_WITH_RADIUS);
    enum ky_status status =
        ky_bodies_allocate_by(threads, bodies, ky_portion_count(portion), with, error);
    if (!status)
        status = read_share(file, portion->leads, portion->first, bodies, error);
    return status == KY_BAD_DATA && portion->share && access(file->path, R_OK)
               ? ky_file_unseen(error, portion->share)
               : status;
}

enum ky_status ky_shared_file_read(const struct ky_shared_file *given,
                                   const struct ky_portion *portion, int threads,
                                   struct ky_bodies *bodies, uint64_t *wrong,
                                   struct ky_error *outcome, struct ky_error *error)
{
    struct ky_shared_file file;
    enum ky_status status = copy(given, portion, &file, error);
    if (!status && read_own(&file, portion, threads, bodies, outcome) == KY_FAULT)
        status = ky_fail(error, KY_FAULT, "%s", outcome->text);
    *wrong = outcome->status != KY_OK;
    if (!status)
        status = ky_portion_add_up(portion, wrong, 1, error);
    if (!status && !*wrong && file.flow != 0)
        status = ky_space_add_flow(portion, bodies, file.flow, error);
    free(file.before);
    return status;
}

enum ky_status ky_shared_file_label(const struct ky_shared_file *file, unsigned with,
                                    struct ky_bodies *bodies, struct ky_error *error)
{
    struct ky_shared_file own = *file;
    struct ky_bodies labels = {.size = sizeof labels, .n = bodies->n};
    enum ky_status status = ky_bodies_extend(&labels, with & file->with, error);
    if (!status && ky_bodies_with(&labels))
        status = read_share(&own, 1, 0, &labels, error);
    if (!status && (status = ky_bodies_check_present(0, &labels, error)))
        ky_fail_in(error, status, "%s: ", file->path);
    for (int k = 0; k < KY_ARRAYS; k++)
        if (ky_array_of(&labels, (enum ky_array_id)k) && !status)
            ky_array_set(bodies, (enum ky_array_id)k, ky_array_of(&labels, (enum ky_array_id)k));
    if (status)
        ky_bodies_free(&labels);
    return status;
}
