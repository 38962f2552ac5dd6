/* The formats of snapshots: one file each, one table (snapshot.c). A reader gets an open input and
 * fills an empty snapshot; what it leaves allocated after a failure is freed by the caller, who
 * also checks the bodies and puts the name of the file before the error line. */
#ifndef KY_SNAPSHOT_SNAPSHOT_H
#define KY_SNAPSHOT_SNAPSHOT_H

#include "base/bodies.h"
#include "base/file.h"
#include "physics/softening.h"

/* ".hdf5", or ".tipsy" in a build without HDF5. */
const char *ky_snapshot_default_suffix(void);

/* The format of the content, or KY_FORMAT_BY_NAME if it is none that is known. */
enum ky_format ky_snapshot_recognise(const struct ky_input *input);
/* "HDF5", "TIPSY", "GADGET 1", "GADGET 2", "CSV" */
const char *ky_format_name(enum ky_format format);

/* KY_FORMAT_BY_NAME: told by content. `options` may be NULL. */
enum ky_status ky_snapshot_read_input(const struct ky_input *input, enum ky_format format,
                                      const struct ky_read_options *options,
                                      struct ky_snapshot *snapshot, struct ky_error *error);

/* ---- common.c ---- */

/* "-": standard input or output. */
int ky_is_standard(const char *path);
/* The file to write a snapshot to, or standard output. */
enum ky_status ky_snapshot_create(const char *path, int overwrite, struct ky_file **file,
                                  struct ky_error *error);

/* Whether `text` ends with `end`, which is in small letters, whatever the case; not with NULL. */
int ky_ends_with(const char *text, const char *end);
#define KY_HDF5_SUFFIXES ".hdf5", ".h5"

/* A line to the log of the options, if there is one. */
void ky_read_log(const struct ky_read_options *options, enum ky_log_level level, const char *format,
                 ...) __attribute__((format(printf, 3, 4)));

/* ---- told_units.c ---- */

/* Whether a name has the word "unit" or "units": "UnitLength", "length_unit"; not "community". */
int ky_speaks_of_units(const char *name);
/* Whether a text has the name of a unit among its words: "1e10 Msun", "km/s". */
int ky_names_unit(const char *text);
/* What becomes of a file whose units are not understood: KY_BAD_DATA, or a warning where the
 * options tell its units or ask for the numbers as they are. `what` is for the line: "/Header has
 * 'X'". */
enum ky_status ky_units_unknown(const struct ky_read_options *options, const char *what,
                                struct ky_error *error);

/* For a program, before its first snapshot: HDF5 does nothing when the process ends. After a
 * damaged file it would print lines of its own there. Every file of ours is closed before. */
void ky_snapshot_quiet_exit(void);

/* Whether a reader leaves it at the number of bodies, as the options want of so many. */
static inline int ky_count_alone(const struct ky_read_options *options, uint64_t n)
{
    return options->count_above && n > options->count_above && !options->types;
}

typedef int ky_recogniser(const struct ky_input *input, const unsigned char *head, size_t bytes);
typedef enum ky_status ky_reader(const struct ky_input *input,
                                 const struct ky_read_options *options,
                                 struct ky_snapshot *snapshot, struct ky_error *error);
typedef enum ky_status ky_writer(const char *path, const struct ky_snapshot *snapshot,
                                 const struct ky_write_options *options, struct ky_error *error);

ky_recogniser ky_hdf5_recognise, ky_gadget2_recognise, ky_gadget1_recognise, ky_tipsy_recognise,
    ky_csv_recognise;
ky_reader ky_hdf5_read, ky_gadget_read, ky_tipsy_read, ky_csv_read;
ky_writer ky_hdf5_write, ky_tipsy_write, ky_csv_write;

/* A file of several: the name of number `index` of those that `path` belongs to ("a.0.hdf5",
 * "a.0"), to be freed; NULL if the name has no number or memory is out. */
char *ky_piece_name(const char *path, unsigned index);

/* A file tells the kind of softening by its number, which began as 1 for symmetric and 0 for not;
 * any other means that it is not known. */
static inline int ky_softening_kind_of(double number)
{
    int kind = KY_SOFTENING_KIND_COUNT - 1;
    while (kind >= 0 && number != kind)
        kind--;
    return kind;
}

/* The order of the file for a format that groups bodies: *order[k] is the body that comes k-th, or
 * NULL if the bodies come in that order already. `group` maps types to groups 0 … 5; count[g] is
 * the size of group g. */
enum ky_status ky_group_order(const struct ky_bodies *bodies, const int group[6], uint64_t count[6],
                              uint64_t **order, struct ky_error *error);

#endif
