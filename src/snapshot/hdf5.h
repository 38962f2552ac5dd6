/* What the HDF5 reader and writer share: the table of data sets, the lock, and a file driver of our
 * own through which HDF5 reads a ky_input and writes a ky_file. */
#ifndef KY_SNAPSHOT_HDF5_H
#define KY_SNAPSHOT_HDF5_H

#include <hdf5.h>

#include "snapshot/snapshot.h"

/* A data set of each /PartType group and its array of struct ky_bodies. The unit is length^a
 * mass^b velocity^c. */
struct ky_hdf5_field {
    const char *name;
    size_t offset; /* in struct ky_bodies */
    int columns;
    int integer;   /* uint64_t, else double */
    unsigned with; /* 0: required, else KY_WITH_… */
    int length, mass, velocity;
    const char *description; /* the unit as pynbody reads it */
};
enum { KY_HDF5_FIELDS = 7 };
extern const struct ky_hdf5_field ky_hdf5_fields[KY_HDF5_FIELDS];

/* The array of the field, or NULL. */
void *ky_hdf5_array(const struct ky_hdf5_field *field, const struct ky_bodies *bodies);

/* kpc, 1e10 Msun, km/s: the only units that yt knows. */
extern const struct ky_units ky_hdf5_units;
/* Numbers of this field in units `from` times this are in units `to`; 1 if either has no scale. */
double ky_hdf5_scale(const struct ky_hdf5_field *field, const struct ky_units *from,
                     const struct ky_units *to);
double ky_hdf5_time_scale(const struct ky_units *from, const struct ky_units *to);

/* The library may not be safe for threads and prints errors: one lock for all of it, and silence.
 * `saved` keeps the caller's own error handler. */
struct ky_hdf5_quiet {
    H5E_auto2_t function;
    void *data;
};
void ky_hdf5_enter(struct ky_hdf5_quiet *saved);
void ky_hdf5_leave(const struct ky_hdf5_quiet *saved);

/* Negative after a failure: KY_HDF5_NO_MEMORY or -1. Closing the file closes what is open in it. A
 * failed write is kept in the ky_file and hidden from HDF5, which cannot close a file that failed.
 */
enum { KY_HDF5_NO_MEMORY = -2 };
hid_t ky_hdf5_open(const struct ky_input *input);
hid_t ky_hdf5_create(struct ky_file *file);

#endif
