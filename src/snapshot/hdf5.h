/* Common code of the HDF5 reader and writer: the table of data sets, the lock, attributes, and our
 * own file driver, through which HDF5 reads a ky_input and writes a ky_file. */
#ifndef KY_SNAPSHOT_HDF5_H
#define KY_SNAPSHOT_HDF5_H

#include <hdf5.h>

#include "snapshot/snapshot.h"

/* A data set of each /PartType group, and the array of struct ky_bodies that it holds. */
struct ky_hdf5_field {
    const char *name;
    const struct ky_array *array;
    const char *description; /* the unit in the form that pynbody reads */
    const char *others[2];   /* its names in other codes, or NULL */
};
enum { KY_HDF5_FIELDS = 8 };
extern const struct ky_hdf5_field ky_hdf5_fields[KY_HDF5_FIELDS];

/* The array of these bodies for the field, or NULL. */
void *ky_hdf5_array(const struct ky_hdf5_field *field, const struct ky_bodies *bodies);

/* kpc, 1e10 Msun, km/s: the only units that yt supports. */
extern const struct ky_units ky_hdf5_units;
/* The factor from the unit in `from` to the unit in `to` for numbers of this array; 1 if either has
 * no physical scale. */
double ky_hdf5_scale(const struct ky_array *array, const struct ky_units *from,
                     const struct ky_units *to);
/* The same for times. */
double ky_hdf5_time_scale(const struct ky_units *from, const struct ky_units *to);

/* The HDF5 library may not be thread-safe, and it prints errors. So every use of it is between
 * these two calls. `enter` takes the only lock, silences the library and registers the file driver.
 * `leave` is called when every file is closed: it removes the driver, restores the caller's own
 * error handler from `saved`, and releases the lock. */
struct ky_hdf5_quiet {
    H5E_auto2_t function;
    void *data;
};
void ky_hdf5_enter(struct ky_hdf5_quiet *saved);
void ky_hdf5_leave(const struct ky_hdf5_quiet *saved);

/* ---- hdf5_attributes.c ---- */

/* 1 if the library can convert the type: integers or reals whose bits lie within their size. Some
 * versions do not check this, and read beyond their memory. */
int ky_hdf5_is_number(hid_t type);
/* 1 if all attributes of the object can be read. If one is damaged the library crashes when it
 * lists them. */
int ky_hdf5_can_list(hid_t object);
/* Reads the numbers of an attribute as `type`. Returns their number; 0 if the attribute is absent;
 * −1 if it has no numbers or more than `most`, or is damaged. */
int ky_hdf5_numbers(hid_t object, const char *name, hid_t type, int most, void *data);
/* The value of the attribute, or `otherwise` if it is absent or not a single number. */
double ky_hdf5_real(hid_t object, const char *name, double otherwise);
/* Opens the group; −1 if the file has no group of that name. "/" is the file itself. */
hid_t ky_hdf5_group(hid_t where, const char *name);
/* Closes the group; does nothing for −1. */
void ky_hdf5_close_group(hid_t group);

/* The value of an attribute. A text is converted to a number if possible. Of several numbers, such
 * as the sides of a box, the largest is used. */
enum { KY_HDF5_TEXT = 64 };
struct ky_hdf5_told {
    int is_there;
    double number;           /* NaN: not a number */
    char text[KY_HDF5_TEXT]; /* as in the file, for error messages */
};
/* The attribute `name` of an object, or of a group of the file. */
struct ky_hdf5_told ky_hdf5_tell(hid_t object, const char *name);
struct ky_hdf5_told ky_hdf5_tell_in(hid_t file, const char *group, const char *name);
/* Fails with KY_BAD_DATA and a message such as "/Header: BoxSize is nan; it must be a number". */
enum ky_status ky_hdf5_no_number(const char *group, const char *name,
                                 const struct ky_hdf5_told *told, struct ky_error *error);

/* ---- hdf5_preface.c ---- */

enum { KY_HDF5_TYPES = 6 };
struct ky_hdf5_header {
    uint64_t here[KY_HDF5_TYPES];  /* bodies in this file; 0 for types that are not selected */
    uint64_t total[KY_HDF5_TYPES]; /* bodies in all files; 0 for types that are not selected */
    double mass[KY_HDF5_TYPES];    /* of each body of the type; 0: the masses are in a data set */
    double time;
    int files, has_total; /* has_total 0: the file lacks `total` */
    uint64_t run;         /* /Kyoho/Run of Kyoho's files in pieces; otherwise 0 */
};
/* Reads /Header and /Kyoho/Run. `types`: bits as in struct ky_read_options. KY_BAD_DATA if the
 * header is missing or has impossible values. */
enum ky_status ky_hdf5_read_header(hid_t file, unsigned types, struct ky_hdf5_header *header,
                                   struct ky_error *error);
/* Reads the INI text of the group /Kyoho of our own files into snapshot->parameters. KY_BAD_DATA if
 * it is damaged, KY_FAULT if memory runs out. */
enum ky_status ky_hdf5_read_parameters(hid_t own, struct ky_snapshot *snapshot,
                                       struct ky_error *error);

/* ---- hdf5_units.c ---- */

/* SWIFT's name of its unit of length. */
#define KY_HDF5_SWIFT_LENGTH "Unit length in cgs (U_L)"

/* Finds *stored, the units of the numbers in the file, and *units, the units of the run that wrote
 * it; they differ only in our own files. KY_BAD_DATA for units that are not understood and not
 * given by the options. */
enum ky_status ky_hdf5_read_units(hid_t file, const struct ky_read_options *options,
                                  struct ky_units *stored, struct ky_units *units,
                                  struct ky_error *error);

/* ---- hdf5_softening.c ---- */

/* The softening of the bodies of each type [length of the file]; NaN if the file does not give it.
 * The parameters of a comoving or h-scaled run are ambiguous and not used: the log names the first
 * of them. */
void ky_hdf5_read_softenings(hid_t file, const struct ky_read_options *options,
                             const struct ky_space *space, double softening[KY_HDF5_TYPES]);

/* ---- hdf5_sets.c ---- */

/* KY_BAD_DATA if `name` is a link that leads out of the file. */
enum ky_status ky_hdf5_stays_inside(hid_t where, const char *name, struct ky_error *error);
/* The name of the field's data set in the group, or NULL if there is none. */
const char *ky_hdf5_set_name(hid_t group, const struct ky_hdf5_field *field);
/* Checks that the data set can be read: it has `rows` rows of the right shape and type, and the
 * file contains all of it. Otherwise KY_BAD_DATA, or KY_UNSUPPORTED for a compression that this
 * HDF5 cannot decode. `where` names the set in the message. */
enum ky_status ky_hdf5_check_set(hid_t set, const struct ky_hdf5_field *field, const char *where,
                                 uint64_t rows, struct ky_error *error);
/* The factor that converts the numbers of the data set to physical ones; 1 unless the space is
 * converted. `convention`: enum ky_convention, for data sets that do not state their factors. */
double ky_hdf5_space_factor(hid_t set, const struct ky_hdf5_field *field,
                            const struct ky_space *space, int convention);

/* ---- hdf5.c: the file driver ---- */

/* Between enter and leave: open an input for reading, or create a file that is written to `file`.
 * Return the id, or after a failure KY_HDF5_NO_MEMORY or −1. H5Fclose also closes all objects in
 * the file. The ky_file keeps a failed write without telling HDF5, which cannot close a file after
 * a failure. */
enum { KY_HDF5_NO_MEMORY = -2 };
hid_t ky_hdf5_open(const struct ky_input *input);
hid_t ky_hdf5_create(struct ky_file *file);

/* ---- hdf5_put.c ---- */

/* Number of rows that are written at a time if memory and file have different layouts. */
enum { KY_HDF5_SLAB = 1 << 17 };

/* A file that is being created. */
struct ky_hdf5_output {
    struct ky_file *file;
    hid_t h5;
    int compress;
    int failed;                      /* 1: HDF5 itself failed */
    const struct ky_writers *others; /* writers of arrays after HDF5 has closed the file, or NULL */
    struct ky_write_plan *plan;      /* receives the parts that they write; has space for them */
};
/* Writes the content of the file. Failures are recorded in the ky_file or in `failed`. */
typedef void ky_hdf5_filler(struct ky_hdf5_output *out, const void *what);
/* Creates the file PATH.part, whose content `fill` writes: at most `bytes` bytes without
 * compression. The caller sets `compress`, `others` and `plan` of `out`. When the other writers
 * have written their parts, ky_file_publish renames out->file; after a failure there is no file.
 * KY_CANNOT_WRITE if the file system or the operating system fails, KY_USAGE for a file that exists
 * unless `overwrite`, KY_FAULT if HDF5 fails. */
enum ky_status ky_hdf5_begin_file(const char *path, int overwrite, struct ky_hdf5_output *out,
                                  uint64_t bytes, ky_hdf5_filler *fill, const void *what,
                                  struct ky_error *error);

/* Write an attribute: an array of `count` numbers (0: a single one), or a number. */
void ky_hdf5_put_attribute(struct ky_hdf5_output *out, hid_t object, const char *name, hid_t type,
                           hsize_t count, const void *data);
void ky_hdf5_put_real(struct ky_hdf5_output *out, hid_t object, const char *name, double value);
void ky_hdf5_put_integer(struct ky_hdf5_output *out, hid_t object, const char *name, int value);
/* Writes a text of any length as a data set. */
void ky_hdf5_put_long_text(struct ky_hdf5_output *out, hid_t where, const char *name,
                           const char *value);
/* Creates a group in the file. The caller closes it. */
hid_t ky_hdf5_make_group(struct ky_hdf5_output *out, const char *name);
/* Rows of 8-byte columns of a data set, from row `at` on. */
struct ky_hdf5_slab {
    hid_t type;
    int columns;
    uint64_t rows, at;
};
/* Creates a data set of so many rows, compressed if the options say so. The caller closes it. */
hid_t ky_hdf5_make_set(struct ky_hdf5_output *out, hid_t where, const char *name,
                       struct ky_hdf5_slab all);
void ky_hdf5_put_rows(struct ky_hdf5_output *out, hid_t set, struct ky_hdf5_slab slab,
                      const void *data);
/* Writes the unit of a data set as attributes, with the names of EAGLE, GADGET-4 and AREPO. Only
 * the powers of the array's unit are used. `exponent`: stored numbers times these powers of a and h
 * are physical ones. */
void ky_hdf5_describe(struct ky_hdf5_output *out, hid_t set, const struct ky_array *array,
                      const char *description, const double exponent[2]);
/* Writes the group /Units. */
void ky_hdf5_write_units(struct ky_hdf5_output *out);
/* Writes version, G and scales of the run's units to the group /Kyoho. */
void ky_hdf5_put_scales(struct ky_hdf5_output *out, hid_t own, const struct ky_units *units);

/* ---- hdf5_write.c ---- */

/* The factor from numbers of the bodies to numbers of the file, with factors of a and h. */
double ky_hdf5_scale_of(const struct ky_snapshot *snapshot, const struct ky_array *array);
/* Writes the cosmology of comoving bodies, as GADGET does. */
void ky_hdf5_put_cosmology(struct ky_hdf5_output *out, hid_t header, const struct ky_space *space);

/* The part of a snapshot in one file, and the number of files. */
struct ky_hdf5_share {
    int files, number;
    uint64_t run;                  /* of a snapshot in pieces: struct ky_hdf5_pieces; otherwise 0 */
    uint64_t first;                /* index of its first body among the caller's bodies */
    uint64_t total[KY_HDF5_TYPES]; /* bodies of each type in all files */
    uint64_t before[KY_HDF5_TYPES]; /* the same in earlier files */
};
/* Creates the file as ky_hdf5_begin_file does. The snapshot has only the bodies of the share, and
 * only the arrays without other writers. */
enum ky_status ky_hdf5_begin(const char *path, const struct ky_snapshot *snapshot, int overwrite,
                             const struct ky_hdf5_share *share, struct ky_hdf5_output *out,
                             struct ky_error *error);

#endif
