/* Common code of the formats: empty snapshots, names of files, the log, the order of bodies in
 * groups. */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "snapshot/snapshot.h"

void ky_snapshot_clear(struct ky_snapshot *snapshot)
{
    *snapshot = (struct ky_snapshot){.size = sizeof *snapshot,
                                     .units.g = 1,
                                     .space = {.scale_factor = 1, .hubble = (double)NAN},
                                     .softening = (double)NAN,
                                     .softening_kind = KY_SOFTENING_KIND_BY_SNAPSHOT};
}

enum ky_status ky_snapshot_create(const char *path, int overwrite, struct ky_file **file,
                                  struct ky_error *error)
{
    return ky_is_standard(path) ? ky_file_standard_output(file, error)
                                : ky_file_create(path, overwrite, file, error);
}

size_t ky_hdf5_ending(const char *path)
{
    static const char *const suffixes[] = {KY_HDF5_SUFFIXES};
    for (size_t k = 0; k < sizeof suffixes / sizeof *suffixes; k++)
        if (ky_ends_with(path, suffixes[k]))
            return strlen(suffixes[k]);
    return 0;
}

char *ky_piece_name(const char *path, unsigned index)
{
    const size_t end = strlen(path) - ky_hdf5_ending(path);
    size_t start = end;
    while (start && isdigit((unsigned char)path[start - 1]))
        start--;
    if (start == end || !start || path[start - 1] != '.')
        return NULL;
    size_t room = strlen(path) + 16;
    char *name = ky_allocate(room, 1);
    if (name)
        snprintf(name, room, "%.*s%u%s", (int)start, path, index, path + end);
    return name;
}

enum ky_status ky_piece_open(const struct ky_input *first, unsigned files, unsigned k,
                             struct ky_input *piece, struct ky_error *error)
{
    *piece = *first;
    if (files == 1)
        return KY_OK;
    char *name = first->path ? ky_piece_name(first->path, k) : NULL;
    if (!name)
        return ky_fail(error, KY_BAD_DATA,
                       "is one of %u files, and its name has no number as in name.0%s that would "
                       "lead to the others",
                       files, first->path && ky_hdf5_ending(first->path) ? ".hdf5" : "");
    struct ky_input *kept = first->kept && k < KY_INPUTS_KEPT ? &first->kept[k] : NULL;
    const int is_first = !strcmp(name, first->path);
    if (is_first || (kept && kept->path)) {
        free(name);
        *piece = is_first ? *first : *kept;
        return KY_OK;
    }
    const enum ky_status status = ky_input_open(name, piece, error);
    if (status) {
        free(name);
        return status;
    }
    piece->owned = name;
    if (kept)
        *kept = *piece;
    return KY_OK;
}

void ky_piece_close(const struct ky_input *first, unsigned k, struct ky_input *piece)
{
    if (piece->fd != first->fd && !(first->kept && k < KY_INPUTS_KEPT))
        ky_input_close(piece);
}

void ky_read_log(const struct ky_read_options *options, enum ky_log_level level, const char *format,
                 ...)
{
    va_list arguments;
    va_start(arguments, format);
    ky_log_list((struct ky_log_to){options->log, options->log_context}, level, format, arguments);
    va_end(arguments);
}

enum ky_status ky_group_order(const struct ky_bodies *bodies, const int group[6], uint64_t count[6],
                              uint64_t **order, struct ky_error *error)
{
    int last = 0, grouped = 1;
    *order = NULL;
    memset(count, 0, 6 * sizeof *count);
    for (size_t i = 0; i < bodies->n; i++) {
        int type = ky_type_of(bodies, i);
        if (type > 5)
            return ky_fail(error, KY_BAD_DATA, "body %zu: type is %d; types are 0 to 5", i, type);
        grouped &= group[type] >= last;
        last = group[type];
        count[last]++;
    }
    if (grouped)
        return KY_OK;
    KY_TRY(ky_array(order, bodies->n, sizeof **order, "order of bodies", error));
    uint64_t next[6] = {0};
    for (int g = 1; g < 6; g++)
        next[g] = next[g - 1] + count[g - 1];
    for (size_t i = 0; i < bodies->n; i++)
        (*order)[next[group[ky_type_of(bodies, i)]]++] = i;
    return KY_OK;
}
