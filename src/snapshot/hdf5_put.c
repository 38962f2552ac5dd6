/* Common code of the writers of HDF5 files: attributes, groups, data sets, units, and a file that
 * replaces the former one when it is complete. */
#ifdef KY_HAVE_HDF5
#include "snapshot/hdf5.h"

#include <string.h>

/* Rows of a chunk of a compressed data set, and the level of compression. */
enum { CHUNK = KY_HDF5_SLAB / 4, LEVEL = 4 };

void ky_hdf5_put_attribute(struct ky_hdf5_output *out, hid_t object, const char *name, hid_t type,
                           hsize_t count, const void *data)
{
    hid_t space = count ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_SCALAR);
    hid_t made = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    out->failed |= made < 0 || H5Awrite(made, type, data) < 0;
    H5Aclose(made);
    H5Sclose(space);
}

void ky_hdf5_put_real(struct ky_hdf5_output *out, hid_t object, const char *name, double value)
{
    ky_hdf5_put_attribute(out, object, name, H5T_NATIVE_DOUBLE, 0, &value);
}

void ky_hdf5_put_integer(struct ky_hdf5_output *out, hid_t object, const char *name, int value)
{
    ky_hdf5_put_attribute(out, object, name, H5T_NATIVE_INT, 0, &value);
}

/* The type of a text of this length. The caller closes it. */
static hid_t text_type(const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text) + 1);
    return type;
}

/* Writes a text as an attribute. */
static void put_text(struct ky_hdf5_output *out, hid_t object, const char *name, const char *value)
{
    hid_t type = text_type(value);
    ky_hdf5_put_attribute(out, object, name, type, 0, value);
    H5Tclose(type);
}

hid_t ky_hdf5_make_group(struct ky_hdf5_output *out, const char *name)
{
    hid_t how = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_obj_track_times(how, 0);
    hid_t made = H5Gcreate2(out->h5, name, H5P_DEFAULT, how, H5P_DEFAULT);
    out->failed |= made < 0;
    H5Pclose(how);
    return made;
}

void ky_hdf5_put_long_text(struct ky_hdf5_output *out, hid_t where, const char *name,
                           const char *value)
{
    hid_t type = text_type(value), space = H5Screate(H5S_SCALAR);
    hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(how, 0);
    hid_t set = H5Dcreate2(where, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    out->failed |= set < 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) < 0;
    H5Dclose(set);
    H5Pclose(how);
    H5Sclose(space);
    H5Tclose(type);
}

/* Writes /Units. yt assumes kpc, 1e10 Msun and km/s for any file, and pynbody needs the units. So
 * physical numbers are written in these units. N-body numbers are written unchanged, under the same
 * units, so that both programs see the same. */
void ky_hdf5_write_units(struct ky_hdf5_output *out)
{
    hid_t units = ky_hdf5_make_group(out, "Units");
    ky_hdf5_put_real(out, units, "UnitLength_in_cm", ky_hdf5_units.length_cm);
    ky_hdf5_put_real(out, units, "UnitMass_in_g", ky_hdf5_units.mass_g);
    ky_hdf5_put_real(out, units, "UnitVelocity_in_cm_per_s", ky_hdf5_units.velocity_cm_s);
    ky_hdf5_put_real(out, units, "UnitTime_in_s",
                     ky_hdf5_units.length_cm / ky_hdf5_units.velocity_cm_s);
    H5Gclose(units);
}

void ky_hdf5_put_scales(struct ky_hdf5_output *out, hid_t own, const struct ky_units *units)
{
    put_text(out, own, "Version", ky_version());
    put_text(out, own, "Scale", units->length_cm > 0 ? "physical" : "none; /Units is a convention");
    ky_hdf5_put_real(out, own, "G", units->g);
    ky_hdf5_put_real(out, own, "UnitLength_in_cm", units->length_cm);
    ky_hdf5_put_real(out, own, "UnitMass_in_g", units->mass_g);
    ky_hdf5_put_real(out, own, "UnitVelocity_in_cm_per_s", units->velocity_cm_s);
}

hid_t ky_hdf5_make_set(struct ky_hdf5_output *out, hid_t where, const char *name,
                       struct ky_hdf5_slab all)
{
    const int rank = all.columns > 1 ? 2 : 1;
    hsize_t size[2] = {all.rows, (hsize_t)all.columns},
            chunk[2] = {all.rows < CHUNK ? all.rows : CHUNK, size[1]};
    hid_t space = H5Screate_simple(rank, size, NULL);
    hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_fill_time(how, H5D_FILL_TIME_NEVER);
    H5Pset_obj_track_times(how, 0); /* no times: the same bodies give the same file */
    if (out->compress) {
        H5Pset_chunk(how, rank, chunk);
        H5Pset_shuffle(how);
        out->failed |= H5Pset_deflate(how, LEVEL) < 0;
    } else {
        H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY);
    }
    hid_t made = H5Dcreate2(where, name, all.type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    out->failed |= made < 0;
    H5Pclose(how);
    H5Sclose(space);
    return made;
}

void ky_hdf5_put_rows(struct ky_hdf5_output *out, hid_t set, struct ky_hdf5_slab slab,
                      const void *data)
{
    hsize_t start[2] = {slab.at, 0}, size[2] = {slab.rows, (hsize_t)slab.columns};
    int rank = slab.columns > 1 ? 2 : 1;
    hid_t memory = H5Screate_simple(rank, size, NULL), file = H5Dget_space(set);
    out->failed |= H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, size, NULL) < 0 ||
                   H5Dwrite(set, slab.type, memory, file, H5P_DEFAULT, data) < 0;
    H5Sclose(file);
    H5Sclose(memory);
}

void ky_hdf5_describe(struct ky_hdf5_output *out, hid_t set, const struct ky_array *array,
                      const char *description, const double exponent[2])
{
    const struct ky_units cgs = {1, 1, 1, 0};
    double to_cgs = ky_hdf5_scale(array, &ky_hdf5_units, &cgs);
    put_text(out, set, "VarDescription", description);
    ky_hdf5_put_real(out, set, "CGSConversionFactor", to_cgs);
    ky_hdf5_put_real(out, set, "aexp-scale-exponent", exponent[0]);
    ky_hdf5_put_real(out, set, "h-scale-exponent", exponent[1]);
    ky_hdf5_put_real(out, set, "a_scaling", exponent[0]);
    ky_hdf5_put_real(out, set, "h_scaling", exponent[1]);
    ky_hdf5_put_real(out, set, "length_scaling", array->length);
    ky_hdf5_put_real(out, set, "mass_scaling", array->mass);
    ky_hdf5_put_real(out, set, "velocity_scaling", array->velocity);
    ky_hdf5_put_real(out, set, "to_cgs", to_cgs);
}

/* Fills the open file. */
static void fill_file(struct ky_hdf5_output *out, ky_hdf5_filler *fill, const void *what)
{
    struct ky_hdf5_quiet quiet;
    ky_hdf5_enter(&quiet);
    out->h5 = ky_hdf5_create(out->file);
    if (out->h5 >= 0)
        fill(out, what);
    out->failed |= out->h5 < 0 || H5Fclose(out->h5) < 0;
    ky_hdf5_leave(&quiet);
}

enum ky_status ky_hdf5_begin_file(const char *path, int overwrite, struct ky_hdf5_output *out,
                                  uint64_t bytes, ky_hdf5_filler *fill, const void *what,
                                  struct ky_error *error)
{
    enum ky_status status = ky_file_create(path, overwrite, &out->file, error);
    if (!status && !out->compress)
        status = ky_file_reserve(out->file, bytes, error);
    if (!status) {
        fill_file(out, fill, what);
        status = ky_file_finish(out->file, error);
    }
    if (!status && out->failed)
        status = ky_fail(error, KY_FAULT, "%s: the HDF5 library failed to create the file", path);
    if (!status)
        return KY_OK;
    ky_file_discard(out->file);
    out->file = NULL;
    return status;
}
#else
typedef int ky_hdf5_is_absent;
#endif
