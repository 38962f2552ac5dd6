/* What the HDF5 reader and writer share: the table of data sets, the lock, and a file driver of our
 * own through which HDF5 reads a ky_input and writes a ky_file. */
#ifndef KY_SNAPSHOT_HDF5_H
#define KY_SNAPSHOT_HDF5_H

#include <hdf5.h>

#include "snapshot/snapshot.h"

/* A data set of each /PartType group, and the array of struct ky_bodies that it holds. */
struct ky_hdf5_field {
    const char *name;
    const struct ky_array *array;
    const char *description; /* the unit as pynbody reads it */
    const char *others[2];   /* what other codes call it, or NULL */
};
enum { KY_HDF5_FIELDS = 7 };
extern const struct ky_hdf5_field ky_hdf5_fields[KY_HDF5_FIELDS];

/* The array of the field in these bodies, or NULL. */
void *ky_hdf5_array(const struct ky_hdf5_field *field, const struct ky_bodies *bodies);

/* kpc, 1e10 Msun, km/s: the only units that yt knows. */
extern const struct ky_units ky_hdf5_units;
/* Numbers of this array in units `from` times this are in units `to`; 1 if either has no scale. */
double ky_hdf5_scale(const struct ky_array *array, const struct ky_units *from,
                     const struct ky_units *to);
/* The same for times. */
double ky_hdf5_time_scale(const struct ky_units *from, const struct ky_units *to);

/* The library may not be safe for threads and prints errors: one lock for all of it, and silence.
 * `saved` keeps the caller's own error handler. */
struct ky_hdf5_quiet {
    H5E_auto2_t function;
    void *data;
};
void ky_hdf5_enter(struct ky_hdf5_quiet *saved);
void ky_hdf5_leave(const struct ky_hdf5_quiet *saved);

/* ---- hdf5_attributes.c ---- */

/* Numbers of the attribute as `type`: how many, 0 if it is absent, -1 if it is none or too many. */
int ky_hdf5_numbers(hid_t object, const char *name, hid_t type, int most, void *data);
/* The attribute, or `otherwise` if it is no single number. */
double ky_hdf5_real(hid_t object, const char *name, double otherwise);
/* The group, or -1 if there is none in this file. "/" is the file itself. */
hid_t ky_hdf5_group(hid_t where, const char *name);
void ky_hdf5_close_group(hid_t group); /* which may be -1 */

/* What an attribute says. A text that is a number counts as one; of several numbers, such as the
 * sides of a box, the largest counts. */
enum { KY_HDF5_TEXT = 64 };
struct ky_hdf5_told {
    int is_there;
    double number;           /* NaN: it is none */
    char text[KY_HDF5_TEXT]; /* as it stands, for a line that names it */
};
struct ky_hdf5_told ky_hdf5_tell(hid_t object, const char *name);
struct ky_hdf5_told ky_hdf5_tell_in(hid_t file, const char *group, const char *name);
/* KY_BAD_DATA: "/Header: BoxSize is nan; it must be a number" */
enum ky_status ky_hdf5_no_number(const char *group, const char *name,
                                 const struct ky_hdf5_told *told, struct ky_error *error);

/* ---- hdf5_preface.c ---- */

enum { KY_HDF5_TYPES = 6 };
struct ky_hdf5_header {
    uint64_t here[KY_HDF5_TYPES], total[KY_HDF5_TYPES]; /* 0 for types that were not chosen */
    double mass[KY_HDF5_TYPES], time;
    int files, has_total;
};
/* `types`: bits as in struct ky_read_options. */
enum ky_status ky_hdf5_read_header(hid_t file, unsigned types, struct ky_hdf5_header *header,
                                   struct ky_error *error);

/* ---- hdf5_units.c ---- */

/* `stored`: units of the numbers in the file; `units`: of the run that wrote it, else the same.
 * KY_BAD_DATA for units that are not understood and that the options do not tell. */
enum ky_status ky_hdf5_read_units(hid_t file, const struct ky_read_options *options,
                                  struct ky_units *stored, struct ky_units *units,
                                  struct ky_error *error);

/* ---- hdf5_space.c ---- */

/* KY_BAD_DATA for a number that is none. `time`: of the header. */
enum ky_status ky_hdf5_read_space(hid_t file, double time, struct ky_space *space,
                                  struct ky_error *error);

/* ---- hdf5_softening.c ---- */

/* The softening of the bodies of each type [length of the file], NaN where the file does not tell
 * it. What the parameters of a comoving or h-scaled run mean is not sure: a line to the log names
 * the first. */
void ky_hdf5_read_softenings(hid_t file, const struct ky_read_options *options,
                             const struct ky_space *space, double softening[KY_HDF5_TYPES]);

/* ---- hdf5_sets.c ---- */

/* KY_BAD_DATA if `name` is a link out of the file. */
enum ky_status ky_hdf5_stays_inside(hid_t where, const char *name, struct ky_error *error);
/* The name of the field's data set in the group, or NULL if there is none. */
const char *ky_hdf5_set_name(hid_t group, const struct ky_hdf5_field *field);
/* Whether the data set can be read; `where` names it in the error line. */
enum ky_status ky_hdf5_check_set(hid_t set, const struct ky_hdf5_field *field, const char *where,
                                 uint64_t rows, struct ky_error *error);
/* Numbers of the data set times this are physical; 1 unless the space is converted. */
double ky_hdf5_space_factor(hid_t set, const struct ky_hdf5_field *field,
                            const struct ky_space *space);

/* ---- hdf5.c: the file driver ---- */

/* Negative after a failure: KY_HDF5_NO_MEMORY or -1. Closing the file closes what is open in it. A
 * failed write is kept in the ky_file and hidden from HDF5, which cannot close a file that failed.
 */
enum { KY_HDF5_NO_MEMORY = -2 };
hid_t ky_hdf5_open(const struct ky_input *input);
hid_t ky_hdf5_create(struct ky_file *file);

#endif
