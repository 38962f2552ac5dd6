/* A catalogue of groups in HDF5, with the names of GADGET's catalogues (docs/formats/groups.md). */
#include "snapshot/catalogue.h"

#include <stdlib.h>

#include "base/status.h"

/* The groups that a catalogue's file has, in the units of its snapshot. */
struct circles {
    double (*circle)[4];
    size_t count;
    double box; /* side of the periodic box; 0: open space */
};

#ifdef KY_HAVE_HDF5
#include "base/memory.h"
#include "snapshot/hdf5.h"
#include "snapshot/space.h"

struct writer {
    const struct ky_catalogue *catalogue;
    const struct ky_snapshot *snapshot;
    void *slab; /* KY_HDF5_SLAB rows of three numbers of 8 bytes */
    struct ky_hdf5_output *out;
};

static void put_count(struct ky_hdf5_output *out, hid_t object, const char *name, uint64_t count)
{
    ky_hdf5_put_attribute(out, object, name, H5T_NATIVE_UINT64, 0, &count);
}

/* Writes /Header, in the units of the file. */
static void write_header(struct writer *w)
{
    static const struct ky_array length = {.length = 1};
    const struct ky_catalogue *catalogue = w->catalogue;
    const struct ky_units *units = &w->snapshot->units;
    const double scale = ky_hdf5_scale_of(w->snapshot, &length);
    const struct ky_space *space = &w->snapshot->space;
    const int comoving = ky_space_is_comoving(space);
    hid_t header = ky_hdf5_make_group(w->out, "Header");
    put_count(w->out, header, "Ngroups_ThisFile", catalogue->groups);
    put_count(w->out, header, "Ngroups_Total", catalogue->groups);
    put_count(w->out, header, "Nids_ThisFile", catalogue->members);
    put_count(w->out, header, "Nids_Total", catalogue->members);
    put_count(w->out, header, "NumPart_Total", w->snapshot->bodies.n);
    put_count(w->out, header, "MinimumBodies", catalogue->minimum);
    ky_hdf5_put_integer(w->out, header, "NumFiles", 1);
    ky_hdf5_put_real(w->out, header, "Time",
                     comoving ? space->scale_factor
                              : w->snapshot->time * ky_hdf5_time_scale(units, &ky_hdf5_units));
    ky_hdf5_put_real(w->out, header, "Redshift", comoving ? 1 / space->scale_factor - 1 : 0);
    ky_hdf5_put_real(w->out, header, "BoxSize",
                     ky_catalogue_has_spheres(catalogue) ? catalogue->box * scale : 0);
    ky_hdf5_put_cosmology(w->out, header, space);
    ky_hdf5_put_real(w->out, header, "LinkingLength", catalogue->linking_length * scale);
    ky_hdf5_put_real(w->out, header, "MeanDistance", catalogue->mean_distance * scale);
    H5Gclose(header);
}

/* A data set to write: numbers of a column of the catalogue, or without a column, counts. */
struct set {
    const char *name;
    /* Copies rows first … first + rows − 1 into the slab */
    void (*gather)(struct writer *w, size_t first, size_t rows,
                   const struct ky_catalogue_column *column);
    const struct ky_catalogue_column *column;
};

/* Writes a data set slab by slab. Returns its id, which the caller closes. */
static hid_t write_set(struct writer *w, hid_t where, const struct set *set, uint64_t rows)
{
    const int real = set->column != NULL, columns = real ? set->column->array.columns : 1;
    hid_t id = ky_hdf5_make_set(
        w->out, where, set->name,
        (struct ky_hdf5_slab){real ? H5T_IEEE_F64LE : H5T_STD_U64LE, columns, rows, 0});
    for (uint64_t done = 0; done < rows && !w->out->failed; done += KY_HDF5_SLAB) {
        uint64_t part = rows - done < KY_HDF5_SLAB ? rows - done : KY_HDF5_SLAB;
        set->gather(w, done, part, set->column);
        ky_hdf5_put_rows(w->out, id,
                         (struct ky_hdf5_slab){real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_UINT64,
                                               columns, part, done},
                         w->slab);
    }
    return id;
}

static void gather_lengths(struct writer *w, size_t first, size_t rows,
                           const struct ky_catalogue_column *column)
{
    const size_t *offset = w->catalogue->offset + first;
    (void)column;
    for (size_t k = 0; k < rows; k++)
        ((uint64_t *)w->slab)[k] = offset[k + 1] - offset[k];
}

static void gather_offsets(struct writer *w, size_t first, size_t rows,
                           const struct ky_catalogue_column *column)
{
    (void)column;
    for (size_t k = 0; k < rows; k++)
        ((uint64_t *)w->slab)[k] = w->catalogue->offset[first + k];
}

/* Copies numbers, in the units of the file. */
static void gather_numbers(struct writer *w, size_t first, size_t rows,
                           const struct ky_catalogue_column *column)
{
    const size_t columns = (size_t)column->array.columns;
    const double *from = ky_catalogue_numbers(w->catalogue, column) + first * columns;
    const double scale = ky_hdf5_scale_of(w->snapshot, &column->array);
    for (size_t k = 0; k < rows * columns; k++)
        ((double *)w->slab)[k] = from[k] * scale;
}

static void gather_ids(struct writer *w, size_t first, size_t rows,
                       const struct ky_catalogue_column *column)
{
    const uint64_t *id = w->snapshot->bodies.id;
    (void)column;
    for (size_t k = 0; k < rows; k++) {
        uint32_t i = w->catalogue->body[first + k];
        ((uint64_t *)w->slab)[k] = id ? id[i] : i;
    }
}

/* Writes the whole content of the file; a ky_hdf5_filler. */
static void write_all(struct ky_hdf5_output *out, const void *what)
{
    struct writer w = *(const struct writer *)what;
    const size_t groups = w.catalogue->groups;
    w.out = out;
    write_header(&w);
    ky_hdf5_write_units(out);
    hid_t own = ky_hdf5_make_group(out, "Kyoho");
    ky_hdf5_put_scales(out, own, &w.snapshot->units);
    H5Gclose(own);
    hid_t group = ky_hdf5_make_group(out, "Group");
    H5Dclose(write_set(&w, group, &(struct set){"GroupLen", gather_lengths, NULL}, groups));
    H5Dclose(write_set(&w, group, &(struct set){"GroupOffset", gather_offsets, NULL}, groups));
    for (int c = 0; c < ky_catalogue_count(w.catalogue) && !out->failed; c++) {
        const struct ky_catalogue_column *column = &ky_catalogue_columns[c];
        hid_t set =
            write_set(&w, group, &(struct set){column->set, gather_numbers, column}, groups);
        const struct ky_space_form form = ky_space_stored(&w.snapshot->space, &column->array);
        ky_hdf5_describe(out, set, &column->array, column->description, (double[]){form.a, form.h});
        H5Dclose(set);
    }
    H5Gclose(group);
    hid_t ids = ky_hdf5_make_group(out, "IDs");
    H5Dclose(write_set(&w, ids, &(struct set){"ID", gather_ids, NULL}, w.catalogue->members));
    H5Gclose(ids);
}

/* An upper estimate of the size of the file in bytes. */
static uint64_t bytes_needed(const struct ky_catalogue *catalogue)
{
    uint64_t row = 2;
    for (int c = 0; c < ky_catalogue_count(catalogue); c++)
        row += (uint64_t)ky_catalogue_columns[c].array.columns;
    return 8 * (row * catalogue->groups + catalogue->members) + 131072;
}

enum ky_status ky_hdf5_catalogue_check(const char *path, struct ky_error *error)
{
    (void)path, (void)error;
    return KY_OK;
}

enum ky_status ky_hdf5_write_catalogue(const char *path, const struct ky_catalogue *catalogue,
                                       const struct ky_snapshot *snapshot,
                                       const struct ky_write_options *options,
                                       struct ky_error *error)
{
    struct writer w = {.catalogue = catalogue,
                       .snapshot = snapshot,
                       .slab = ky_allocate(KY_HDF5_SLAB, 3 * sizeof(double))};
    struct ky_hdf5_output out = {.compress = options->compress};
    enum ky_status status =
        w.slab ? ky_hdf5_begin_file(path, options->overwrite, &out, bytes_needed(catalogue),
                                    write_all, &w, error)
               : ky_no_memory(error, "output slab", KY_HDF5_SLAB, 3 * sizeof(double));
    if (!status)
        status = ky_file_publish(out.file, NULL, error);
    free(w.slab);
    return status;
}

/* ---- reading ---- */

/* A data set of /Group: components first … first + columns − 1 of every circle. */
struct circle_set {
    const char *name;
    int first, columns;
};

/* Reads a data set with as many rows as there are groups; `values` has space for it. */
static enum ky_status read_set(hid_t group, const struct circle_set *from, double *values,
                               double (*circles)[4], uint64_t rows, struct ky_error *error)
{
    const char *name = from->name;
    const uint64_t columns = (uint64_t)from->columns;
    const struct ky_array array = {.columns = from->columns, .real = 1};
    const struct ky_hdf5_field field = {.name = name, .array = &array};
    if (H5Lexists(group, name, H5P_DEFAULT) <= 0)
        return ky_fail(error, KY_BAD_DATA, "/Group has no %s", name);
    hid_t set = H5Dopen2(group, name, H5P_DEFAULT);
    enum ky_status status = ky_hdf5_check_set(set, &field, name, rows, error);
    if (!status && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        status = ky_fail(error, KY_BAD_DATA, "%s is damaged", name);
    if (set >= 0)
        H5Dclose(set);
    for (uint64_t k = 0; k < rows * columns && !status; k++)
        circles[k / columns][(uint64_t)from->first + k % columns] = values[k];
    return status;
}

/* The file's unit of length in the snapshot's; /Kyoho has the units. Only catalogues of comoving
 * boxes have h, and their lengths are in units of 1/h. */
static double length_scale(hid_t file, hid_t header)
{
    static const struct ky_array length = {.length = 1};
    hid_t own = ky_hdf5_group(file, "Kyoho");
    const struct ky_units units = {ky_hdf5_real(own, "UnitLength_in_cm", 0),
                                   ky_hdf5_real(own, "UnitMass_in_g", 0),
                                   ky_hdf5_real(own, "UnitVelocity_in_cm_per_s", 0), 0};
    ky_hdf5_close_group(own);
    return ky_hdf5_scale(&length, &ky_hdf5_units, &units) / ky_hdf5_real(header, "HubbleParam", 1);
}

/* The caller frees the circles, also after a failure. */
static enum ky_status read_circles(hid_t file, struct circles *found, struct ky_error *error)
{
    static const struct circle_set sets[] = {{"GroupPos", 0, 3}, {"GroupRadius", 3, 1}};
    uint64_t rows = 0;
    hid_t header = ky_hdf5_group(file, "Header"), group = ky_hdf5_group(file, "Group");
    const int known = ky_hdf5_numbers(header, "Ngroups_ThisFile", H5T_NATIVE_UINT64, 1, &rows);
    double *values = NULL;
    enum ky_status status = KY_OK;
    if (group < 0 || known != 1 || rows > SIZE_MAX / sizeof *found->circle)
        status = ky_fail(error, KY_BAD_DATA, "is not a catalogue of kyoho groups");
    if (!status)
        status = ky_array(&found->circle, (size_t)rows, sizeof *found->circle, "groups", error);
    if (!status)
        status = ky_array(&values, (size_t)rows, 3 * sizeof *values, "groups", error);
    for (int k = 0; k < 2 && !status; k++)
        status = read_set(group, &sets[k], values, found->circle, rows, error);
    const double scale = length_scale(file, header);
    for (uint64_t k = 0; k < rows && !status; k++)
        for (int c = 0; c < 4; c++)
            found->circle[k][c] *= scale;
    found->box = ky_hdf5_real(header, "BoxSize", 0) * scale;
    found->count = status ? 0 : (size_t)rows;
    free(values);
    ky_hdf5_close_group(group);
    ky_hdf5_close_group(header);
    return status;
}

static enum ky_status read_catalogue(const char *path, struct circles *found,
                                     struct ky_error *error)
{
    struct ky_input input;
    struct ky_hdf5_quiet quiet;
    KY_TRY(ky_input_open(path, &input, error));
    ky_hdf5_enter(&quiet);
    hid_t file = ky_hdf5_open(&input);
    enum ky_status status = file < 0
                                ? ky_fail(error, KY_BAD_DATA, "is not an HDF5 file, or is damaged")
                                : read_circles(file, found, error);
    if (file >= 0)
        H5Fclose(file);
    ky_hdf5_leave(&quiet);
    ky_input_close(&input);
    return status ? ky_fail_in(error, status, "%s: ", path) : KY_OK;
}
#else
#include "base/features.h"

enum ky_status ky_hdf5_catalogue_check(const char *path, struct ky_error *error)
{
    return ky_fail(error, KY_UNSUPPORTED,
                   "%s: this build has no HDF5 (" KY_WHY_NO_HDF5 "); .csv works without it", path);
}

enum ky_status ky_hdf5_write_catalogue(const char *path, const struct ky_catalogue *catalogue,
                                       const struct ky_snapshot *snapshot,
                                       const struct ky_write_options *options,
                                       struct ky_error *error)
{
    (void)catalogue, (void)snapshot, (void)options;
    return ky_hdf5_catalogue_check(path, error);
}

static enum ky_status read_catalogue(const char *path, struct circles *found,
                                     struct ky_error *error)
{
    (void)found;
    return ky_hdf5_catalogue_check(path, error);
}
#endif

enum ky_status ky_catalogue_circles(const char *path, double (**circles)[4], size_t *count,
                                    struct ky_error *error)
{
    struct circles found = {0};
    KY_NEED(path, error);
    KY_NEED(circles, error);
    KY_NEED(count, error);
    const enum ky_status status = read_catalogue(path, &found, error);
    if (status)
        free(found.circle);
    *circles = status ? NULL : found.circle;
    *count = found.count;
    return status;
}

enum ky_status ky_catalogue_box(const char *path, double *box, struct ky_error *error)
{
    struct circles found = {0};
    KY_NEED(path, error);
    KY_NEED(box, error);
    const enum ky_status status = read_catalogue(path, &found, error);
    *box = status ? 0 : found.box;
    free(found.circle);
    return status;
}
