/* The formats of snapshots: one file a format, and a table of all in snapshot.c. A reader gets an
 * open input and fills an empty snapshot. Its caller checks the bodies, puts the name of the file
 * before an error line, and after a failure frees what the reader has allocated. */
#ifndef KY_SNAPSHOT_SNAPSHOT_H
#define KY_SNAPSHOT_SNAPSHOT_H

#include "base/file.h"
#include "base/write_plan.h"
#include "physics/softening.h"

/* The ending of the snapshots of a run: ".hdf5", or ".tipsy" in a build without HDF5. */
const char *ky_snapshot_default_suffix(void);

/* Reads a snapshot from an open input. With KY_FORMAT_BY_NAME the content tells the format.
 * `options` may be NULL. KY_BAD_DATA for a file that cannot be used, KY_UNSUPPORTED for a format
 * that this build cannot read, KY_USAGE for wrong options. *snapshot is set after a success alone.
 */
enum ky_status ky_snapshot_read_input(const struct ky_input *input, enum ky_format format,
                                      const struct ky_read_options *options,
                                      struct ky_snapshot *snapshot, struct ky_error *error);

/* The options of the caller (or NULL) over the defaults. KY_USAGE for types that there are not. */
enum ky_status ky_read_options_adopt(const struct ky_read_options *options,
                                     struct ky_read_options *chosen, struct ky_error *error);
/* The format of the content, or KY_FORMAT_BY_NAME if it is unknown. */
enum ky_format ky_snapshot_recognise(const struct ky_input *input);
/* Opens the file `path`, or the first of several that share the name: "a" stands for "a.0.hdf5" or
 * "a.0", "a.hdf5" for "a.0.hdf5". *piece is for the close. */
enum ky_status ky_snapshot_open(const char *path, struct ky_input *input, char **piece,
                                struct ky_error *error);
/* Closes it. Returns `status`, the outcome of the work with the file, and puts the name of the file
 * before an error. */
enum ky_status ky_snapshot_close(struct ky_input *input, char *piece, enum ky_status status,
                                 struct ky_error *error);
/* After a reader: completes the conversion to physical space. KY_BAD_DATA for a softening that
 * cannot be. */
enum ky_status ky_snapshot_settle(struct ky_snapshot *made, const struct ky_read_options *options,
                                  struct ky_error *error);

/* 1 if others can write to a file of this name and with these options: HDF5, not packed. */
int ky_snapshot_takes_others(const char *path, const struct ky_write_options *options);
/* The files of a snapshot. `files`: their number, or 0 for a single file whose name has no number.
 * `run`: an identifier that is different for other runs. */
struct ky_hdf5_pieces {
    int files;
    uint64_t run;
};

/* Writes a snapshot of HDF5. In pieces, `path` is the name of number 0, "a.0.hdf5"; each has some
 * of the bodies, in their order. A file of a larger number is removed. `others`, if not NULL, have
 * arrays that the snapshot has not, and write them when all else is in the files; these are not
 * packed then. The bytes are the same. */
enum ky_status ky_hdf5_write_with(const char *path, const struct ky_snapshot *snapshot,
                                  const struct ky_write_options *options,
                                  struct ky_hdf5_pieces pieces, const struct ky_writers *others,
                                  struct ky_error *error);

/* ---- common.c ---- */

/* Opens the file that a snapshot is written to, or standard output. */
enum ky_status ky_snapshot_create(const char *path, int overwrite, struct ky_file **file,
                                  struct ky_error *error);

#define KY_HDF5_SUFFIXES ".hdf5", ".h5"
/* The length of the ending of a name of an HDF5 file; 0 for other names. */
size_t ky_hdf5_ending(const char *path);

/* A line to the log of the options, if there is one. */
void ky_read_log(const struct ky_read_options *options, enum ky_log_level level, const char *format,
                 ...) __attribute__((format(printf, 3, 4)));

/* ---- told_units.c ---- */

/* 1 if a name has the word "unit" or "units", like "UnitLength" and "length_unit", but not
 * "community". */
int ky_speaks_of_units(const char *name);
/* 1 if a text has the name of a unit among its words, as "1e10 Msun" and "km/s" have. */
int ky_names_unit(const char *text);
/* For a file whose units are not understood. Returns KY_BAD_DATA; or warns and returns KY_OK, where
 * the options give its units or ask for the plain numbers. `what` is for the line: "/Header has
 * 'X'". */
enum ky_status ky_units_unknown(const struct ky_read_options *options, const char *what,
                                struct ky_error *error);

/* 1 if the options ask only for the number of the n bodies: the reader sets bodies.n and no arrays.
 */
static inline int ky_count_alone(const struct ky_read_options *options, uint64_t n)
{
    return options->count_above && n > options->count_above && !options->types;
}

/* 1 if the content is of this format. `head` has the first `bytes` bytes of the input. */
typedef int ky_recogniser(const struct ky_input *input, const unsigned char *head, size_t bytes);
/* Fills the empty snapshot; see the head of this file. */
typedef enum ky_status ky_reader(const struct ky_input *input,
                                 const struct ky_read_options *options,
                                 struct ky_snapshot *snapshot, struct ky_error *error);
/* Writes the snapshot to a file, or to standard output if the path is "-". */
typedef enum ky_status ky_writer(const char *path, const struct ky_snapshot *snapshot,
                                 const struct ky_write_options *options, struct ky_error *error);

ky_recogniser ky_hdf5_recognise, ky_gadget2_recognise, ky_gadget1_recognise, ky_tipsy_recognise,
    ky_csv_recognise;
ky_reader ky_hdf5_read, ky_gadget_read, ky_tipsy_read, ky_csv_read;
ky_writer ky_hdf5_write, ky_tipsy_write, ky_csv_write;

/* For a snapshot in several files: the name of file number `index` of the same snapshot as `path`
 * ("a.0.hdf5", "a.0"). To be freed; NULL if the name has no number or memory is out. */
char *ky_piece_name(const char *path, unsigned index);

/* The kind of softening for a number in a file: 0 is plummer, 1 symmetric, 2 spline, in the order
 * of the kinds. Any other number, and NaN, leave it unknown. */
static inline int ky_softening_kind_of(double number)
{
    int kind = KY_SOFTENING_KIND_COUNT - 1;
    while (kind >= 0 && number != kind)
        kind--;
    return kind;
}

/* The order of bodies in a file that groups them. (*order)[k] is the body that comes k-th, to be
 * freed; *order is NULL if the bodies are in that order already. `group` gives each type its group,
 * 0 … 5; count[g] becomes the size of group g. KY_BAD_DATA for a type above 5. */
enum ky_status ky_group_order(const struct ky_bodies *bodies, const int group[6], uint64_t count[6],
                              uint64_t **order, struct ky_error *error);

#endif
