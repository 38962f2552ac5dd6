/* Snapshots that ranks read in shares: see shared_file.h. */
#include "snapshot/shared_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bodies.h"
#include "base/memory.h"
#include "snapshot/space.h"

void ky_shared_file_free(struct ky_shared_file *file)
{
    free(file->before);
    file->before = NULL;
}

/* Stores the data of the file and the options that readers of shares need. */
static enum ky_status note(struct ky_shared_file *file, const struct ky_input *input,
                           enum ky_format format, const struct ky_read_options *options,
                           struct ky_error *error)
{
    if (strlen(input->path) >= sizeof file->path)
        return ky_fail(error, KY_UNSUPPORTED, "the name is longer than %zu bytes",
                       sizeof file->path - 1);
    strcpy(file->path, input->path);
    file->bytes = input->size;
    file->written = input->written;
    file->format = (int)format;
    file->options = *options;
    file->has_units = options->units != NULL;
    if (options->units)
        file->units = *options->units;
    return KY_OK;
}

/* ky_shared_file_find for an open file. */
static enum ky_status find(const struct ky_input *input, const struct ky_read_options *options,
                           struct ky_snapshot *snapshot, struct ky_shared_file *file,
                           struct ky_error *error)
{
    const enum ky_format format = ky_snapshot_recognise(input);
    const struct ky_share_verbs *verbs = ky_format_shares(format);
    if (!verbs)
        return ky_fail(error, KY_UNSUPPORTED, "its bodies are read together");
    enum ky_status status = note(file, input, format, options, error);
    if (!status)
        status = verbs->find(input, options, snapshot, file, error);
    if (options->renumber)
        file->with &= ~(unsigned)KY_WITH_ID;
    if (!status && (!snapshot->bodies.n || file->with & KY_WITH_SOFTENING))
        status = ky_fail(error, KY_UNSUPPORTED, "has no bodies, or softenings of their own");
    if (status)
        return status;
    file->flow = ky_space_flow(&snapshot->space, &snapshot->units);
    return ky_snapshot_settle(snapshot, options, error);
}

enum ky_status ky_shared_file_find(const char *path, const struct ky_read_options *options,
                                   struct ky_snapshot *snapshot, struct ky_shared_file *file,
                                   struct ky_error *error)
{
    struct ky_input input;
    struct ky_read_options chosen;
    char *piece;
    ky_snapshot_clear(snapshot);
    memset(file, 0, sizeof *file);
    enum ky_status status = ky_read_options_adopt(options, &chosen, error);
    if (!status && ky_is_standard(path))
        status = ky_fail(error, KY_UNSUPPORTED, "standard input is read once");
    if (!status)
        status = ky_snapshot_open(path, &input, &piece, error);
    if (status)
        return status;
    status = find(&input, &chosen, snapshot, file, error);
    if (status)
        ky_snapshot_free(snapshot);
    return ky_snapshot_close(&input, piece, status, error);
}

enum ky_status ky_snapshot_describe(const char *path, const struct ky_read_options *options,
                                    struct ky_snapshot *snapshot, struct ky_error *error)
{
    KY_NEED(path, error);
    KY_NEED(snapshot, error);
    struct ky_shared_file file;
    struct ky_read_options chosen;
    ky_snapshot_clear(snapshot);
    if (ky_read_options_adopt(options, &chosen, error))
        return KY_USAGE;
    chosen.log = NULL;
    const enum ky_status status = ky_shared_file_find(path, &chosen, snapshot, &file, error);
    ky_shared_file_free(&file);
    return status;
}

/* ---- reading ---- */

/* Reads the arrays that exist, for bodies from number `first` on. */
static enum ky_status read_share(struct ky_shared_file *file, uint64_t first,
                                 struct ky_bodies *bodies, struct ky_error *error)
{
    struct ky_input input;
    if (!bodies->n)
        return KY_OK;
    file->options.log = NULL;
    file->options.units = file->has_units ? &file->units : NULL;
    enum ky_status status = ky_input_open(file->path, &input, error);
    if (status)
        return status;
    if (input.size != file->bytes || input.written != file->written)
        status = ky_fail(error, KY_BAD_DATA, "has changed while it was read: begin the run again");
    else
        status = ky_format_shares((enum ky_format)file->format)
                     ->read(&input, file, first, bodies, error);
    return ky_snapshot_close(&input, NULL, status, error);
}

/* A copy of the leading rank's file description. The caller frees it. */
static enum ky_status copy(const struct ky_shared_file *from, const struct ky_portion *portion,
                           struct ky_shared_file *to, struct ky_error *error)
{
    const size_t count = from->files + 1;
    *to = *from;
    to->before = ky_allocate_zeroed(count, sizeof *to->before);
    if (!to->before)
        return ky_no_memory(error, "files of a snapshot", count, sizeof *to->before);
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
        status = read_share(file, portion->first, bodies, error);
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
    ky_shared_file_free(&file);
    return status;
}

enum ky_status ky_shared_file_label(const struct ky_shared_file *file, unsigned with,
                                    struct ky_bodies *bodies, struct ky_error *error)
{
    struct ky_shared_file own = *file;
    struct ky_bodies labels = {.size = sizeof labels, .n = bodies->n};
    enum ky_status status = ky_bodies_extend(&labels, with & file->with, error);
    if (!status && ky_bodies_with(&labels))
        status = read_share(&own, 0, &labels, error);
    if (!status && (status = ky_bodies_check_present(0, &labels, error)))
        ky_fail_in(error, status, "%s: ", file->path);
    for (int k = 0; k < KY_ARRAYS; k++)
        if (ky_array_of(&labels, (enum ky_array_id)k) && !status)
            ky_array_set(bodies, (enum ky_array_id)k, ky_array_of(&labels, (enum ky_array_id)k));
    if (status)
        ky_bodies_free(&labels);
    return status;
}
