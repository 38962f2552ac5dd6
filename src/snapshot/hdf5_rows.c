/* Reads numbers of all or some bodies from HDF5 files into arrays. */
#ifdef KY_HAVE_HDF5
#include "snapshot/hdf5_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "snapshot/shared_file.h"
#include "snapshot/space.h"

enum { SLAB = 1 << 17, TYPES = KY_HDF5_TYPES };

enum ky_status ky_hdf5_has_changed(struct ky_error *error)
{
    return ky_fail(error, KY_BAD_DATA, "has changed while it was read");
}

/* KY_BAD_DATA for a negative id. Ids are read with their stored signedness, because HDF5 converts a
 * negative number to 0 if it is read as unsigned. */
static enum ky_status check_signed(const int64_t *ids, uint64_t count, uint64_t first,
                                   struct ky_error *error)
{
    for (uint64_t k = 0; k < count; k++)
        if (ids[k] < 0)
            return ky_fail(error, KY_BAD_DATA,
                           "row %" PRIu64 " of ParticleIDs is %" PRId64
                           "; ids are 0 or more, and --renumber gives all bodies new ids",
                           first + k, ids[k]);
    return KY_OK;
}

/* The memory type for the numbers of the data set. */
static hid_t memory_type(const struct ky_hdf5_field *field, hid_t set)
{
    if (field->array->real)
        return H5T_NATIVE_DOUBLE;
    hid_t stored = H5Dget_type(set);
    int is_signed = H5Tget_sign(stored) == H5T_SGN_2;
    H5Tclose(stored);
    return is_signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64;
}

/* Reads rows done … done + part − 1 of the data set to `to`. */
static enum ky_status read_rows(hid_t set, hid_t space, const struct ky_hdf5_field *field,
                                uint64_t done, uint64_t part, void *to, struct ky_error *error)
{
    hsize_t start[2] = {done, 0}, size[2] = {part, (hsize_t)field->array->columns};
    hid_t memory = H5Screate_simple(H5Sget_simple_extent_ndims(space), size, NULL);
    hid_t type = memory_type(field, set);
    int bad = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL) < 0 ||
              H5Dread(set, type, memory, space, H5P_DEFAULT, to) < 0;
    int is_signed = !field->array->real && H5Tget_sign(type) == H5T_SGN_2;
    H5Sclose(memory);
    if (bad)
        return ky_fail(error, KY_BAD_DATA, "%s cannot be read; the file is damaged", field->name);
    return is_signed ? check_signed(to, part, done, error) : KY_OK;
}

/* Reads rows of a data set into its array, scaled, in the caller's order. */
static enum ky_status read_field(hid_t group, const struct ky_hdf5_field *field,
                                 struct ky_hdf5_reader *r, const struct ky_rows *rows,
                                 struct ky_error *error)
{
    const size_t columns = (size_t)field->array->columns;
    uint64_t *array = ky_hdf5_array(field, &r->snapshot->bodies);
    if (!ky_hdf5_set_name(group, field))
        return ky_hdf5_has_changed(error);
    hid_t set = H5Dopen2(group, ky_hdf5_set_name(group, field), H5P_DEFAULT);
    hid_t space = H5Dget_space(set);
    double scale = ky_hdf5_scale(field->array, &r->stored, &r->snapshot->units) *
                   ky_hdf5_space_factor(set, field, &r->snapshot->space, r->convention);
    enum ky_status status = KY_OK;
    for (uint64_t done = 0; done < rows->count && !status; done += SLAB) {
        uint64_t part = rows->count - done < SLAB ? rows->count - done : SLAB;
        uint64_t *to = r->order ? r->slab : array + (rows->at + done) * columns;
        status = read_rows(set, space, field, rows->row + done, part, to, error);
        if (scale != 1 && field->array->real)
            for (size_t k = 0; k < part * columns; k++)
                ((double *)to)[k] *= scale;
        for (size_t k = 0; r->order && k < part; k++)
            memcpy(array + r->order[rows->at + done + k] * columns, to + k * columns,
                   columns * sizeof *array);
    }
    H5Sclose(space);
    H5Dclose(set);
    return status;
}

/* Sets the masses of bodies to the mass in /Header. */
static void fill_masses(struct ky_hdf5_reader *r, const struct ky_rows *rows, double mass)
{
    mass *= ky_hdf5_scale(&ky_arrays[KY_ARRAY_MASS], &r->stored, &r->snapshot->units) *
            ky_space_factor(&r->snapshot->space, 0, 1, 0);
    for (uint64_t k = rows->at; k < rows->at + rows->count; k++)
        r->snapshot->bodies.mass[r->order ? r->order[k] : k] = mass;
}

/* Reads bodies of type t. */
static enum ky_status read_group(hid_t file, const struct ky_hdf5_header *h, int t,
                                 const struct ky_rows *rows, struct ky_hdf5_reader *r,
                                 struct ky_error *error)
{
    struct ky_bodies *bodies = &r->snapshot->bodies;
    char name[24];
    snprintf(name, sizeof name, "PartType%d", t);
    hid_t group = ky_hdf5_group(file, name);
    enum ky_status status = KY_OK;
    for (int f = 0; f < KY_HDF5_FIELDS && !status; f++) {
        const struct ky_hdf5_field *field = &ky_hdf5_fields[f];
        if (!ky_hdf5_array(field, bodies))
            continue;
        if (field->array->mass && !ky_hdf5_set_name(group, field))
            fill_masses(r, rows, h->mass[t]);
        else
            status = read_field(group, field, r, rows, error);
    }
    ky_hdf5_close_group(group);
    if (status)
        return ky_fail_in(error, status, "%s: ", name);
    for (uint64_t k = rows->at; bodies->type && k < rows->at + rows->count; k++)
        bodies->type[r->order ? r->order[k] : k] = (uint8_t)t;
    return KY_OK;
}

enum ky_status ky_hdf5_read_groups(hid_t file, const struct ky_hdf5_header *h,
                                   struct ky_hdf5_reader *r, struct ky_error *error)
{
    enum ky_status status = KY_OK;
    for (int t = 0; t < TYPES && !status; t++) {
        if (h->here[t] > r->all - r->n)
            return ky_hdf5_has_changed(error);
        const struct ky_rows rows =
            ky_rows_wanted(r->first, r->snapshot->bodies.n, r->n, h->here[t]);
        if (rows.count)
            status = read_group(file, h, t, &rows, r, error);
        r->n += h->here[t];
    }
    return status;
}

/* ---- the order of the run ---- */

int ky_hdf5_has_order(hid_t file, const struct ky_hdf5_reader *r)
{
    hid_t own = ky_hdf5_group(file, "Kyoho");
    const int has = own >= 0 && !r->options->types && H5Lexists(own, "Order", H5P_DEFAULT) > 0;
    ky_hdf5_close_group(own);
    return has;
}

/* KY_BAD_DATA unless the order is a permutation of the n bodies. */
static enum ky_status check_order(const uint64_t *order, uint64_t n, struct ky_error *error)
{
    unsigned char *seen;
    KY_TRY(ky_array_zeroed(&seen, n, 1, "check of the order", error));
    enum ky_status status = KY_OK;
    for (uint64_t k = 0; k < n && !status; k++) {
        if (order[k] >= n || seen[order[k]])
            status = ky_fail(error, KY_BAD_DATA,
                             "/Kyoho/Order is not a permutation of the bodies; delete that data "
                             "set to read them in file order");
        else
            seen[order[k]] = 1;
    }
    free(seen);
    return status;
}

/* Allocates the orders of all files. Until one is found, bodies are in file order. */
static enum ky_status make_order(struct ky_hdf5_reader *r, struct ky_error *error)
{
    r->order = ky_allocate(r->n, sizeof *r->order);
    r->slab = ky_allocate(SLAB, 3 * sizeof(double));
    if (!r->order || !r->slab)
        return ky_no_memory(error, "order of bodies", r->n, sizeof *r->order);
    for (uint64_t k = 0; k < r->n; k++)
        r->order[k] = k;
    return KY_OK;
}

/* Reads the order of the next `rows` bodies, the bodies of one file with an order. */
static enum ky_status read_set_of_order(hid_t file, struct ky_hdf5_reader *r, uint64_t rows,
                                        struct ky_error *error)
{
    static const struct ky_hdf5_field field = {.name = "Order", .array = &ky_arrays[KY_ARRAY_ID]};
    if (rows > r->n - r->ordered)
        return ky_hdf5_has_changed(error);
    hid_t set = H5Dopen2(file, "Kyoho/Order", H5P_DEFAULT);
    enum ky_status status = ky_hdf5_check_set(set, &field, "/Kyoho/Order", rows, error);
    if (!status && !r->order)
        status = make_order(r, error);
    uint64_t *order = status ? NULL : r->order + r->ordered;
    if (!status && H5Dread(set, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, order) < 0)
        status = ky_fail(
            error, KY_BAD_DATA,
            "/Kyoho/Order cannot be read; delete that data set to read the bodies in file order");
    H5Dclose(set);
    if (!status)
        status = check_order(order, rows, error);
    for (uint64_t k = 0; k < rows && !status; k++)
        order[k] += r->ordered;
    return status;
}

enum ky_status ky_hdf5_read_order(hid_t file, const struct ky_hdf5_header *h,
                                  struct ky_hdf5_reader *r, struct ky_error *error)
{
    uint64_t rows = 0;
    enum ky_status status = KY_OK;
    for (int t = 0; t < TYPES; t++)
        rows += h->here[t];
    if (ky_hdf5_has_order(file, r))
        status = read_set_of_order(file, r, rows, error);
    r->ordered += rows;
    return status;
}
#else
typedef int ky_hdf5_is_absent;
#endif
