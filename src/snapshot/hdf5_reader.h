/* The state of the HDF5 reader, used by hdf5_read.c, and the reading of bodies. */
#ifndef KY_SNAPSHOT_HDF5_READER_H
#define KY_SNAPSHOT_HDF5_READER_H

#include "snapshot/hdf5.h"

struct ky_hdf5_reader {
    const struct ky_read_options *options;
    struct ky_snapshot *snapshot;
    struct ky_hdf5_header
        like;                /* header of the first file, with which all other files must agree */
    struct ky_units stored;  /* units of the numbers in the file */
    int convention;          /* enum ky_convention */
    uint64_t n;              /* number of bodies of the files processed so far */
    int files;               /* number of files of the snapshot */
    int begin, end;          /* the files to process: begin … end − 1 */
    int counts;              /* 1: fill `before` */
    uint64_t *before;        /* [files + 1] number of bodies in earlier files, or NULL */
    uint64_t first, all;     /* the body for element 0 of the arrays; bodies of all files */
    int has[KY_HDF5_FIELDS]; /* 1: every group with bodies has it */
    int some_ids;            /* 1: a group has ids */
    char lacks_ids;          /* digit of a type without ids, or 0 */
    int typed;               /* 1: a type other than 4 occurs */
    int has_softenings;      /* 1: of each body */
    double softening_scale;  /* of the common softening that our files give */
    double softening[KY_HDF5_TYPES]; /* of the bodies of each type; NaN: unknown */
    int occurs[KY_HDF5_TYPES];       /* 1: a body of this type is read */
    int some_order;                  /* 1: a file has its bodies in another order than the run */
    uint64_t *order;                 /* /Kyoho/Order of all files, or NULL */
    uint64_t ordered;                /* number of bodies of the files whose order has been read */
    void *slab;
};

/* ---- hdf5_space.c ---- */

/* Determines whether the file is comoving, h-scaled or periodic, and whose factors its numbers have
 * unless the data sets say so: r->convention becomes KY_CONVENTION_GADGET or KY_CONVENTION_SWIFT.
 * r->like has the header. KY_BAD_DATA for an attribute that should be a number and is not, for a
 * scale factor and a redshift that contradict each other, and if the factors are not known. */
enum ky_status ky_hdf5_read_space(hid_t file, struct ky_hdf5_reader *r, struct ky_space *space,
                                  struct ky_error *error);

/* ---- hdf5_rows.c ---- */

/* The function for one file of a snapshot. */
typedef enum ky_status ky_hdf5_per_piece(hid_t file, const struct ky_hdf5_header *h,
                                         struct ky_hdf5_reader *r, struct ky_error *error);
/* Read the wanted bodies of all types; read the order of all bodies in one of our own files, if
 * they were not grouped by type. Fail as the reader. */
ky_hdf5_per_piece ky_hdf5_read_groups, ky_hdf5_read_order;
/* 1 if one of our own files has such an order and the options use it. */
int ky_hdf5_has_order(hid_t file, const struct ky_hdf5_reader *r);
/* Fails with KY_BAD_DATA: the file has changed. */
enum ky_status ky_hdf5_has_changed(struct ky_error *error);

#endif
