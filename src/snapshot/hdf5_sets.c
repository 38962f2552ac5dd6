/* Data sets of /PartType groups: their names in the known codes, their factors of a and h, and the
 * check whether one can be read. */
#ifdef KY_HAVE_HDF5
#include "snapshot/hdf5.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "snapshot/space.h"

/* deflate compresses by at most 1032; a data set that claims more is damaged */
static const uint64_t MOST_PACKED = 1100;

/* Fails with "/PartType1 in 'other.hdf5'" for a link that leads out of the file. */
enum ky_status ky_hdf5_stays_inside(hid_t where, const char *name, struct ky_error *error)
{
    H5L_info_t link;
    char value[512];
    const char *file, *path;
    unsigned flags;
    if (H5Lexists(where, name, H5P_DEFAULT) <= 0 ||
        H5Lget_info(where, name, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_EXTERNAL)
        return KY_OK;
    if (link.u.val_size > sizeof value ||
        H5Lget_val(where, name, value, sizeof value, H5P_DEFAULT) < 0 ||
        H5Lunpack_elink_val(value, link.u.val_size, &flags, &file, &path) < 0)
        file = path = "?";
    return ky_fail(error, KY_BAD_DATA,
                   "%s is a link to %s in another file, '%s'; read that file, or gather both in "
                   "one with h5copy",
                   name, path, file);
}

const char *ky_hdf5_set_name(hid_t group, const struct ky_hdf5_field *field)
{
    if (H5Lexists(group, field->name, H5P_DEFAULT) > 0)
        return field->name;
    for (int k = 0; k < 2; k++)
        if (field->others[k] && H5Lexists(group, field->others[k], H5P_DEFAULT) > 0)
            return field->others[k];
    return NULL;
}

/* 1 if the file has all chunks of the data set, as far as this version of HDF5 can count them. */
static int has_all_chunks(hid_t how, hid_t set, hid_t space)
{
#if H5_VERSION_GE(1, 10, 5)
    hsize_t chunk[2] = {1, 1}, size[2] = {0, 0}, have = 0;
    int rank = H5Pget_chunk(how, 2, chunk);
    H5Sget_simple_extent_dims(space, size, NULL);
    hsize_t want = (size[0] + chunk[0] - 1) / chunk[0];
    if (rank == 2)
        want *= (size[1] + chunk[1] - 1) / chunk[1];
    return H5Dget_num_chunks(set, space, &have) >= 0 && have == want;
#else
    (void)how, (void)set, (void)space;
    return 1;
#endif
}

/* 1 if there is a filter that this HDF5 cannot decode; sets name and number of the first such
 * filter. */
static int unknown_filter(hid_t how, char name[64], int *number)
{
    int count = H5Pget_nfilters(how);
    for (int k = 0; k < count; k++) {
        unsigned flags, config;
        size_t values = 0;
        *name = '\0';
        H5Z_filter_t id =
            H5Pget_filter2(how, (unsigned)k, &flags, &values, NULL, 64, name, &config);
        *number = (int)id;
        if (id >= 0 && H5Zfilter_avail(id) <= 0)
            return 1;
    }
    return 0;
}

/* The error for a data set whose numbers are in other files. */
static enum ky_status in_other_files(hid_t how, const char *where, struct ky_error *error)
{
    char name[256] = "?";
    off_t offset;
    hsize_t bytes;
    if (H5Pget_external_count(how) > 0)
        H5Pget_external(how, 0, sizeof name, name, &offset, &bytes);
    else
        H5Pget_virtual_filename(how, 0, name, sizeof name);
    return ky_fail(error, KY_BAD_DATA,
                   "%s is in other files, the first of which is '%.200s'; read those files, which "
                   "the reader finds by their numbers as in name.0.hdf5",
                   where, name);
}

/* KY_BAD_DATA if the file does not contain all of the data set; KY_UNSUPPORTED if it cannot be
 * decoded. */
static enum ky_status check_storage(hid_t set, hid_t space, const char *where, uint64_t bytes,
                                    struct ky_error *error)
{
    hid_t how = H5Dget_create_plist(set);
    H5D_layout_t layout = H5Pget_layout(how);
    uint64_t stored = H5Dget_storage_size(set);
    char filter[64];
    int number = 0;
    enum ky_status status = KY_OK;
    if (layout == H5D_VIRTUAL || H5Pget_external_count(how) != 0)
        status = in_other_files(how, where, error);
    else if (unknown_filter(how, filter, &number))
        status = ky_fail(error, KY_UNSUPPORTED,
                         "%s is compressed by filter %d (%s), which this HDF5 library lacks; "
                         "h5repack -f NONE, on a machine with the filter, decompresses the file",
                         where, number, *filter ? filter : "no name");
    else if (layout == H5D_CHUNKED
                 ? bytes / MOST_PACKED > stored || !has_all_chunks(how, set, space)
                 : stored < bytes)
        status =
            ky_fail(error, KY_BAD_DATA,
                    "%s: the file does not contain all of it; it is cut off or damaged", where);
    H5Pclose(how);
    return status;
}

enum ky_status ky_hdf5_check_set(hid_t set, const struct ky_hdf5_field *field, const char *where,
                                 uint64_t rows, struct ky_error *error)
{
    hsize_t size[2] = {0, 0};
    hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    int rank = H5Sget_simple_extent_ndims(space);
    int shape =
        rank == (field->array->columns > 1 ? 2 : 1) || (rank == 2 && field->array->columns == 1);
    if (shape)
        H5Sget_simple_extent_dims(space, size, NULL);
    if (rank == 1)
        size[1] = 1;
    H5T_class_t class = H5Tget_class(type);
    size_t width = H5Tget_size(type);
    enum ky_status status = KY_OK;
    if (set < 0 || rank < 0 || width == 0)
        status = ky_fail(error, KY_BAD_DATA, "%s is damaged", where);
    else if (!shape || size[1] != (hsize_t)field->array->columns)
        status = ky_fail(error, KY_BAD_DATA, "%s has another shape; it must have %d column%s",
                         where, field->array->columns, field->array->columns > 1 ? "s" : "");
    else if (size[0] != rows)
        status = ky_fail(error, KY_BAD_DATA,
                         "%s has %" PRIu64 " rows and /Header says %" PRIu64 " bodies", where,
                         (uint64_t)size[0], rows);
    else if (class != H5T_INTEGER && (!field->array->real || class != H5T_FLOAT))
        status = ky_fail(error, KY_BAD_DATA, "%s must hold %s", where,
                         field->array->real ? "numbers" : "integers");
    else if (!ky_hdf5_is_number(type))
        status = ky_fail(error, KY_BAD_DATA,
                         "%s is damaged: its numbers have more bits than their size", where);
    else if (rows > UINT64_MAX / 64)
        status =
            ky_fail(error, KY_BAD_DATA,
                    "%s: the file does not contain all of it; it is cut off or damaged", where);
    else
        status = check_storage(set, space, where, rows * size[1] * width, error);
    H5Tclose(type);
    H5Sclose(space);
    return status;
}

/* Names of the exponents of a and h that give physical numbers: number × a^… × h^…. */
static const struct {
    const char *a, *h;
} exponent_names[] = {
    {"aexp-scale-exponent", "h-scale-exponent"}, /* EAGLE */
    {"a-scale exponent", "h-scale exponent"},    /* SWIFT */
    {"a_scaling", "h_scaling"},                  /* GADGET-4, AREPO */
};

double ky_hdf5_space_factor(hid_t set, const struct ky_hdf5_field *field,
                            const struct ky_space *space, int convention)
{
    if (!space->converted)
        return 1;
    for (size_t k = 0; k < sizeof exponent_names / sizeof *exponent_names; k++) {
        double a = ky_hdf5_real(set, exponent_names[k].a, (double)NAN),
               h = ky_hdf5_real(set, exponent_names[k].h, (double)NAN);
        if (ky_hdf5_real(set, "Value stored as physical", 0) == 1) /* SWIFT */
            a = 0;
        if (space->converted == KY_TO_COMOVING)
            a -= field->array->length;
        if (isfinite(a) && isfinite(h))
            return pow(space->comoving ? space->scale_factor : 1, a) *
                   pow(space->per_h ? space->hubble : 1, h);
    }
    return ky_space_factor(space, field->array->length, field->array->mass,
                           convention == KY_CONVENTION_SWIFT ? 0 : field->array->velocity);
}
#else
typedef int ky_hdf5_is_absent;
#endif
