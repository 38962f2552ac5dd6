/* The formats of snapshots: one file per format, and a table of all formats in snapshot.c. A reader
 * gets an open input and fills an empty snapshot. Its caller checks the bodies, prefixes messages
 * with the name of the file, and after a failure frees everything that the reader has allocated. */
#ifndef KY_SNAPSHOT_SNAPSHOT_H
#define KY_SNAPSHOT_SNAPSHOT_H

#include "base/file.h"
#include "base/write_plan.h"
#include "physics/softening.h"

/* The extension of a run's snapshots: ".hdf5", or ".tipsy" in a build without HDF5. */
const char *ky_snapshot_default_suffix(void);

/* Reads a snapshot from an open input. With KY_FORMAT_BY_NAME the content determines the format.
 * `options` may be NULL. KY_BAD_DATA for a file that cannot be used, KY_UNSUPPORTED for a format
 * that this build cannot read, KY_USAGE for wrong options. *snapshot is set only on success. */
enum ky_status ky_snapshot_read_input(const struct ky_input *input, enum ky_format format,
                                      const struct ky_read_options *options,
                                      struct ky_snapshot *snapshot, struct ky_error *error);

/* Fills in the defaults of the caller's options (or NULL). KY_USAGE for types that do not exist. */
enum ky_status ky_read_options_adopt(const struct ky_read_options *options,
                                     struct ky_read_options *chosen, struct ky_error *error);
/* The format of the content, or KY_FORMAT_BY_NAME if it is unknown. */
enum ky_format ky_snapshot_recognise(const struct ky_input *input);
/* Opens the file `path`, or the first of several with this common name: "a" stands for "a.0.hdf5"
 * or "a.0", "a.hdf5" for "a.0.hdf5". To be closed by ky_input_close. */
enum ky_status ky_snapshot_open(const char *path, struct ky_input *input, struct ky_error *error);
/* Opens file number k of a snapshot in `files` files, of which `first` is one. A file of
 * ky_snapshot_open keeps the others open too, up to KY_INPUTS_KEPT. KY_BAD_DATA if the name of
 * `first` has no number. piece->path is the file's name. ky_piece_close may be called also after a
 * failure. */
enum ky_status ky_piece_open(const struct ky_input *first, unsigned files, unsigned k,
                             struct ky_input *piece, struct ky_error *error);
void ky_piece_close(const struct ky_input *first, unsigned k, struct ky_input *piece);
/* Called after a reader: completes the conversion to physical space. KY_BAD_DATA for an impossible
 * softening. */
enum ky_status ky_snapshot_settle(struct ky_snapshot *made, const struct ky_read_options *options,
                                  struct ky_error *error);

/* 1 if other ranks can write to a file of this name with these options: uncompressed HDF5. */
int ky_snapshot_takes_others(const char *path, const struct ky_write_options *options);
/* The files of a snapshot. `files`: their number, or 0 for a single file whose name has no number.
 * `run`: an identifier, different for each run. */
struct ky_hdf5_pieces {
    int files;
    uint64_t run;
};

/* Writes an HDF5 snapshot. In pieces, `path` is the name of number 0, "a.0.hdf5"; each has some of
 * the bodies, in order. Files with larger numbers are removed. `others`, if not NULL, are the
 * writers of arrays that the snapshot lacks; they write when everything else is in the files, which
 * are then not compressed. The bytes are the same. */
enum ky_status ky_hdf5_write_with(const char *path, const struct ky_snapshot *snapshot,
                                  const struct ky_write_options *options,
                                  struct ky_hdf5_pieces pieces, const struct ky_writers *others,
                                  struct ky_error *error);

/* ---- common.c ---- */

/* Opens the file for a snapshot, or standard output. */
enum ky_status ky_snapshot_create(const char *path, int overwrite, struct ky_file **file,
                                  struct ky_error *error);

#define KY_HDF5_SUFFIXES ".hdf5", ".h5"
/* The length of an HDF5 file's extension; 0 for other names. */
size_t ky_hdf5_ending(const char *path);

/* Writes a line to the log of the options, if there is one. */
void ky_read_log(const struct ky_read_options *options, enum ky_log_level level, const char *format,
                 ...) __attribute__((format(printf, 3, 4)));

/* ---- told_units.c ---- */

/* 1 if a name contains the word "unit" or "units", as in "UnitLength" and "length_unit", but not in
 * "community". */
int ky_speaks_of_units(const char *name);
/* 1 if a text contains the name of a unit as a word, as in "1e10 Msun" and "km/s". */
int ky_names_unit(const char *text);
/* For a file whose units are not understood. Fails with KY_BAD_DATA; or warns and returns KY_OK if
 * the options give its units or ask for plain numbers. `what` is the subject of the message:
 * "/Header has 'X'". */
enum ky_status ky_units_unknown(const struct ky_read_options *options, const char *what,
                                struct ky_error *error);

/* 1 if the options ask only for the number of the n bodies: the reader sets bodies.n and no
 * arrays. */
static inline int ky_count_alone(const struct ky_read_options *options, uint64_t n)
{
    return options->count_above && n > options->count_above && !options->types;
}

/* 1 if the content is of this format. `head` has the first `bytes` bytes of the input. */
typedef int ky_recogniser(const struct ky_input *input, const unsigned char *head, size_t bytes);
/* Fills the empty snapshot; see the beginning of this file. */
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
 * ("a.0.hdf5", "a.0"). The caller frees it; NULL if the name has no number or memory runs out. */
char *ky_piece_name(const char *path, unsigned index);

/* The kind of softening for a number in a file: 0 is plummer, 1 symmetric, 2 spline, in the order
 * of the kinds. For any other number or NaN the kind is unknown. */
static inline int ky_softening_kind_of(double number)
{
    int kind = KY_SOFTENING_KIND_COUNT - 1;
    while (kind >= 0 && number != kind)
        kind--;
    return kind;
}

/* The order of bodies in a file that groups them. (*order)[k] is the k-th body in the file; the
 * caller frees it; *order is NULL if the bodies are in that order already. `group` gives each type
 * its group, 0 … 5; count[g] becomes the size of group g. KY_BAD_DATA for a type above 5. */
enum ky_status ky_group_order(const struct ky_bodies *bodies, const int group[6], uint64_t count[6],
                              uint64_t **order, struct ky_error *error);

#endif
