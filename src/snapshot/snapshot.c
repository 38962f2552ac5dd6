/* ky_snapshot_*: the table of formats. */
#include "snapshot/shared_file.h"
#include "snapshot/space.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bodies.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/options.h"

/* In the order in which the content is tested: the most distinctive formats first. */
static const struct format {
    enum ky_format format;
    const char *name;
    const char *suffixes[2];
    ky_recogniser *recognise;
    ky_reader *read;
    ky_writer *write;
    const struct ky_share_verbs *shares; /* NULL: its bodies can only be read together */
} formats[] = {
    {KY_HDF5,
     "HDF5",
     {KY_HDF5_SUFFIXES},
     ky_hdf5_recognise,
     ky_hdf5_read,
     ky_hdf5_write,
     &ky_hdf5_shares},
    {KY_GADGET2, "GADGET 2", {0}, ky_gadget2_recognise, ky_gadget_read, NULL, &ky_gadget_shares},
    {KY_GADGET1, "GADGET 1", {0}, ky_gadget1_recognise, ky_gadget_read, NULL, &ky_gadget_shares},
    {KY_TIPSY, "TIPSY", {".tipsy"}, ky_tipsy_recognise, ky_tipsy_read, ky_tipsy_write, NULL},
    {KY_CSV, "CSV", {".csv"}, ky_csv_recognise, ky_csv_read, ky_csv_write, NULL},
};

enum { FORMATS = sizeof formats / sizeof *formats, HEAD = 4096 };

/* The row of a format, or NULL. */
static const struct format *find_format(enum ky_format format)
{
    for (int k = 0; k < FORMATS; k++)
        if (formats[k].format == format)
            return &formats[k];
    return NULL;
}

const struct ky_share_verbs *ky_format_shares(enum ky_format format)
{
    const struct format *row = find_format(format);
    return row && row->shares && row->shares->find ? row->shares : NULL;
}

const char *ky_snapshot_default_suffix(void)
{
#ifdef KY_HAVE_HDF5
    return ".hdf5";
#else
    return ".tipsy";
#endif
}

void ky_snapshot_free(struct ky_snapshot *snapshot)
{
    if (!snapshot)
        return;
    ky_bodies_free(&snapshot->bodies);
    free(snapshot->parameters);
    ky_snapshot_clear(snapshot);
}

void ky_write_options_defaults_sized(struct ky_write_options *options, size_t size)
{
    static const struct ky_write_options own = {.size = sizeof own, .format = KY_FORMAT_BY_NAME};
    ky_size_fill(options, size, &own, sizeof own);
}

void ky_read_options_defaults_sized(struct ky_read_options *options, size_t size)
{
    static const struct ky_read_options own = {.size = sizeof own};
    ky_size_fill(options, size, &own, sizeof own);
}

enum ky_format ky_snapshot_recognise(const struct ky_input *input)
{
    unsigned char head[HEAD];
    size_t bytes = input->size < HEAD ? (size_t)input->size : HEAD;
    if (ky_input_read(input, 0, head, bytes, NULL))
        return KY_FORMAT_BY_NAME;
    for (int k = 0; k < FORMATS; k++)
        if (formats[k].recognise(input, head, bytes))
            return formats[k].format;
    return KY_FORMAT_BY_NAME;
}

/* The names of all formats, separated by commas, or the extensions of the formats that can be
 * written. */
enum { LIST = 128 };
static const char *list_names(char text[LIST])
{
    size_t used = 0;
    for (int k = 0; k < FORMATS; k++)
        used += (size_t)snprintf(text + used, LIST - used, "%s%s", k ? ", " : "", formats[k].name);
    return text;
}

static const char *list_endings(char text[LIST])
{
    size_t used = 0;
    *text = '\0';
    for (int k = 0; k < FORMATS; k++)
        for (int e = 0; e < 2 && formats[k].write && formats[k].suffixes[e]; e++)
            used += (size_t)snprintf(text + used, LIST - used, "%s%s", used ? ", " : "",
                                     formats[k].suffixes[e]);
    return text;
}

/* The error for a file of no known format. */
static enum ky_status unknown_content(const struct ky_input *input, struct ky_error *error)
{
    char head[5] = {0};
    if (input->size >= sizeof head && !ky_input_read(input, 0, head, sizeof head, NULL) &&
        !memcmp(head, "KYOHO", sizeof head))
        return ky_fail(error, KY_BAD_DATA,
                       "is a restart file, not a snapshot; --resume continues from it");
    char names[LIST];
    return ky_fail(error, KY_BAD_DATA,
                   "is not a snapshot in a known format (%s with a header line such as "
                   "id,mass,x,y,z,vx,vy,vz), or it is cut off",
                   list_names(names));
}

enum ky_status ky_snapshot_settle(struct ky_snapshot *made, const struct ky_read_options *options,
                                  struct ky_error *error)
{
    if (options->space == KY_SPACE_PHYSICAL && !made->space.converted)
        ky_read_log(options, KY_LOG_INFO,
                    "the file is not comoving, h-scaled or periodic; nothing is converted");
    ky_space_finish(made);
    return made->softening < 0 || isinf(made->softening)
               ? ky_fail(error, KY_BAD_DATA, "has a softening of %g; it must be 0 or more",
                         made->softening)
               : KY_OK;
}

/* For all formats: removes types, drops ids, fills in the rest, checks the bodies. KY_BAD_DATA for
 * unusable data. */
static enum ky_status finish(struct ky_snapshot *made, const struct ky_read_options *options,
                             struct ky_error *error)
{
    struct ky_bodies *bodies = &made->bodies;
    if (options->renumber) {
        free(bodies->id);
        bodies->id = NULL;
    }
    if (options->types)
        ky_bodies_choose(bodies, options->types);
    if (bodies->n == 0 && !options->may_be_empty)
        return ky_fail(error, KY_BAD_DATA, "holds no bodies%s",
                       options->types ? " of the chosen types" : "");
    struct ky_error softening;
    const enum ky_status settled = ky_snapshot_settle(made, options, &softening);
    enum ky_status status = bodies->mass ? ky_bodies_check(bodies, error) : KY_OK;
    if (!status && bodies->mass)
        status = ky_bodies_check_forces(bodies, error);
    return status || !settled ? status : ky_fail(error, settled, "%s", softening.text);
}

enum ky_status ky_read_options_adopt(const struct ky_read_options *options,
                                     struct ky_read_options *chosen, struct ky_error *error)
{
    ky_read_options_defaults(chosen);
    if (options &&
        ky_size_adopt(chosen, sizeof *chosen, options, "ky_read_options_defaults", error))
        return KY_USAGE;
    return chosen->types >> 6
               ? ky_fail(error, KY_USAGE,
                         "types of bodies are 0 to 5; the options ask for other types")
               : KY_OK;
}

enum ky_status ky_snapshot_read_input(const struct ky_input *input, enum ky_format format,
                                      const struct ky_read_options *options,
                                      struct ky_snapshot *snapshot, struct ky_error *error)
{
    struct ky_snapshot made;
    struct ky_read_options chosen;
    ky_snapshot_clear(&made);
    if (ky_read_options_adopt(options, &chosen, error))
        return KY_USAGE;
    const struct format *reader =
        find_format(format == KY_FORMAT_BY_NAME ? ky_snapshot_recognise(input) : format);
    enum ky_status status =
        reader ? reader->read(input, &chosen, &made, error) : unknown_content(input, error);
    if (!status)
        status = finish(&made, &chosen, error);
    if (status)
        ky_snapshot_free(&made);
    else
        *snapshot = made;
    return status;
}

/* The name of the first of several files with a common name; the caller frees it; NULL if there is
 * none. */
static char *first_piece(const char *path)
{
    size_t length = strlen(path), stem = length;
    if (length > 5 && !strcmp(path + length - 5, ".hdf5"))
        stem -= 5;
    char *name = ky_allocate(length + sizeof ".0.hdf5", 1);
    if (!name)
        return NULL;
    memcpy(name, path, stem);
    strcpy(name + stem, ".0.hdf5");
    if (!access(name, R_OK))
        return name;
    strcpy(name + stem, ".0");
    if (stem == length && !access(name, R_OK))
        return name;
    free(name);
    return NULL;
}

enum ky_status ky_snapshot_open(const char *path, struct ky_input *input, struct ky_error *error)
{
    char *piece = access(path, F_OK) ? first_piece(path) : NULL;
    const enum ky_status status = ky_input_open(piece ? piece : path, input, error);
    if (status) {
        free(piece);
        return status;
    }
    input->owned = piece;
    input->kept = ky_allocate_zeroed(KY_INPUTS_KEPT, sizeof *input->kept);
    return KY_OK;
}

enum ky_status ky_snapshot_read(const char *path, struct ky_snapshot *snapshot,
                                struct ky_error *error)
{
    KY_NEED(path, error);
    KY_NEED(snapshot, error);
    return ky_snapshot_read_as(path, NULL, snapshot, error);
}

/* Reads a snapshot from standard input. */
static enum ky_status read_standard(const struct ky_read_options *options,
                                    struct ky_snapshot *snapshot, struct ky_error *error)
{
    struct ky_input input;
    enum ky_status status = ky_input_standard(&input, error);
    if (!status)
        status = ky_snapshot_read_input(&input, KY_FORMAT_BY_NAME, options, snapshot, error);
    ky_input_close(&input);
    return status ? ky_fail_in(error, status, "standard input: ") : KY_OK;
}

enum ky_status ky_snapshot_read_as(const char *path, const struct ky_read_options *options,
                                   struct ky_snapshot *snapshot, struct ky_error *error)
{
    KY_NEED(path, error);
    KY_NEED(snapshot, error);
    struct ky_input input;
    ky_snapshot_clear(snapshot);
    if (ky_is_standard(path))
        return read_standard(options, snapshot, error);
    KY_TRY(ky_snapshot_open(path, &input, error));
    const enum ky_status status =
        ky_snapshot_read_input(&input, KY_FORMAT_BY_NAME, options, snapshot, error);
    if (status)
        ky_fail_in(error, status, "%s: ", input.path);
    ky_input_close(&input);
    return status;
}

/* ---- writing ---- */

/* The row of the format for the file's extension, or NULL. */
static const struct format *format_by_name(const char *path)
{
    for (int k = 0; k < FORMATS; k++)
        if (ky_ends_with(path, formats[k].suffixes[0]) ||
            ky_ends_with(path, formats[k].suffixes[1]))
            return &formats[k];
    return NULL;
}

int ky_format_of_name(const char *path)
{
    const struct format *format = path ? format_by_name(path) : NULL;
    return format ? (int)format->format : KY_FORMAT_BY_NAME;
}

int ky_snapshot_takes_others(const char *path, const struct ky_write_options *options)
{
    const struct format *format = format_by_name(path);
    return format && format->format == KY_HDF5 && !options->compress;
}

enum ky_status ky_snapshot_write(const char *path, const struct ky_snapshot *snapshot,
                                 const struct ky_write_options *options, struct ky_error *error)
{
    KY_NEED(path, error);
    KY_NEED(snapshot, error);
    struct ky_write_options chosen;
    struct ky_snapshot own;
    char endings[LIST];
    ky_write_options_defaults(&chosen);
    ky_snapshot_clear(&own);
    if ((options &&
         ky_size_adopt(&chosen, sizeof chosen, options, "ky_write_options_defaults", error)) ||
        ky_size_adopt(&own, sizeof own, snapshot, "ky_snapshot_clear", error))
        return KY_USAGE;
    const struct format *format = chosen.format == KY_FORMAT_BY_NAME
                                      ? format_by_name(path)
                                      : find_format((enum ky_format)chosen.format);
    if (!format && ky_is_standard(path))
        return ky_fail(error, KY_USAGE,
                       "standard output has no extension that gives the format; give --format csv "
                       "or --format tipsy");
    if (ky_is_standard(path) && format->format == KY_HDF5)
        return ky_fail(error, KY_USAGE,
                       "HDF5 cannot be written to standard output; give --format csv or tipsy, or "
                       "the name of a file");
    if (!format && chosen.format != KY_FORMAT_BY_NAME)
        return ky_fail(error, KY_USAGE, "%s: there is no snapshot format number %d", path,
                       chosen.format);
    if (!format)
        return ky_fail(error, KY_USAGE,
                       "%s: the name must end in one of %s, which gives the format", path,
                       list_endings(endings));
    if (!format->write)
        return ky_fail(error, KY_UNSUPPORTED, "%s: %s can be read but not written; write one of %s",
                       path, format->name, list_endings(endings));
    if (chosen.compress && format->format != KY_HDF5)
        return ky_fail(error, KY_USAGE, "%s: only HDF5 is written compressed, not %s", path,
                       format->name);
    const struct ky_bodies *bodies = &own.bodies;
    if (ky_bodies_need(bodies, KY_NEED_MOTION, error))
        return ky_fail_in(error, KY_USAGE, "%s: ", path);
    return format->write(path, &own, &chosen, error);
}
