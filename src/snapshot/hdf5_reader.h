/* The state of the HDF5 reader, which hdf5_read.c has, and the reading of bodies. */
#ifndef KY_SNAPSHOT_HDF5_READER_H
#define KY_SNAPSHOT_HDF5_READER_H

#include "snapshot/hdf5.h"

struct ky_hdf5_reader {
    const struct ky_read_options *options;
    struct ky_snapshot *snapshot;
    struct ky_hdf5_header
        like;               /* header of the first file, with which all other files have to agree */
    struct ky_units stored; /* units of the numbers in the file */
    uint64_t n;             /* bodies of the files that have been gone through */
    int files;              /* of the snapshot */
    int begin, end;         /* the files that are gone through: begin … end − 1 */
    int counts;             /* 1: `before` is wanted */
    uint64_t *before;       /* [files + 1] bodies in the files before each, or NULL */
    uint64_t first, all;    /* the body that place 0 of the arrays is for; bodies of all files */
    int has[KY_HDF5_FIELDS];         /* in every group that has bodies */
    int some_ids;                    /* a group has ids */
    char lacks_ids;                  /* the digit of a type without ids, or 0 */
    int typed;                       /* a type other than 4 occurs */
    int has_softenings;              /* of each body */
    double softening[KY_HDF5_TYPES]; /* of the bodies of each type; NaN: not in the file */
    int occurs[KY_HDF5_TYPES];       /* a body of this type is read */
    int some_order;                  /* a file has its bodies in another order than the run had */
    uint64_t *order;                 /* the orders /Kyoho/Order of all files, or NULL */
    uint64_t ordered;                /* bodies of the files whose order has been read */
    void *slab;
};

/* ---- hdf5_rows.c ---- */

/* The function for one file of a snapshot. */
typedef enum ky_status ky_hdf5_per_piece(hid_t file, const struct ky_hdf5_header *h,
                                         struct ky_hdf5_reader *r, struct ky_error *error);
/* Read the bodies that are wanted, of all types; the order of all bodies in one of our own files,
 * if they were not grouped by type. Fail as the reader does. */
ky_hdf5_per_piece ky_hdf5_read_groups, ky_hdf5_read_order;
/* Whether one of our own files has such an order, which the options want. */
int ky_hdf5_has_order(hid_t file, const struct ky_hdf5_reader *r);
/* Returns KY_BAD_DATA. */
enum ky_status ky_hdf5_has_changed(struct ky_error *error);

#endif
