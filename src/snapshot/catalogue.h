/* The columns of a catalogue of groups, which the HDF5 and the CSV writer share. */
#ifndef KY_SNAPSHOT_CATALOGUE_H
#define KY_SNAPSHOT_CATALOGUE_H

#include "snapshot/snapshot.h"

struct ky_catalogue_column {
    const char *set;         /* name of the data set in HDF5 */
    const char *names;       /* column names in CSV */
    const char *description; /* the unit in the form that pynbody reads */
    size_t offset;           /* of the array in struct ky_catalogue */
    struct ky_array array;   /* numbers per group, and the powers of their unit */
};
enum { KY_CATALOGUE_COLUMNS = 10, KY_CATALOGUE_OPEN = 5 };
extern const struct ky_catalogue_column ky_catalogue_columns[KY_CATALOGUE_COLUMNS];

/* 1 if the catalogue has spheres about the peaks of its groups. */
static inline int ky_catalogue_has_spheres(const struct ky_catalogue *catalogue)
{
    return catalogue->size >= sizeof *catalogue && catalogue->box > 0;
}

/* The number of columns of this catalogue, the first ones. */
static inline int ky_catalogue_count(const struct ky_catalogue *catalogue)
{
    return ky_catalogue_has_spheres(catalogue) ? KY_CATALOGUE_COLUMNS : KY_CATALOGUE_OPEN;
}

/* The values of the column. */
static inline const double *ky_catalogue_numbers(const struct ky_catalogue *catalogue,
                                                 const struct ky_catalogue_column *column)
{
    return *(double *const *)(const void *)((const char *)catalogue + column->offset);
}

/* KY_UNSUPPORTED, with the path and advice, in a build without HDF5. */
enum ky_status ky_hdf5_catalogue_check(const char *path, struct ky_error *error);
/* Writes the catalogue; see ky_catalogue_write. */
enum ky_status ky_hdf5_write_catalogue(const char *path, const struct ky_catalogue *catalogue,
                                       const struct ky_snapshot *snapshot,
                                       const struct ky_write_options *options,
                                       struct ky_error *error);

#endif
