/* The GADGET-style HDF5 writer (docs/formats/snapshots.md). Bodies are grouped by type. If those
 * of the caller are not, /Kyoho/Order keeps their order. Arrays go to the disk as they lie in
 * memory, or by slabs where they must be gathered or scaled. */
#ifdef KY_HAVE_HDF5
#include "snapshot/hdf5.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Rows of a chunk of a compressed data set, and of a slab: whole chunks, a few MB. */
enum { CHUNK = 1 << 15, SLAB = 4 * CHUNK, LEVEL = 4 };

struct writer {
    const struct ky_snapshot *snapshot;
    struct ky_file *file;
    uint64_t *order;   /* or NULL */
    uint64_t count[6]; /* by type */
    void *slab;
    hid_t h5;
    int compress;
    int failed; /* HDF5 itself said no */
};

/* Writes an attribute of `count` numbers; 0: a single one. */
static void attribute(struct writer *w, hid_t object, const char *name, hid_t type, hsize_t count,
                      const void *data)
{
    hid_t space = count ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_SCALAR);
    hid_t made = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    w->failed |= made < 0 || H5Awrite(made, type, data) < 0;
    H5Aclose(made);
    H5Sclose(space);
}

static void real(struct writer *w, hid_t object, const char *name, double value)
{
    attribute(w, object, name, H5T_NATIVE_DOUBLE, 0, &value);
}

static void integer(struct writer *w, hid_t object, const char *name, int value)
{
    attribute(w, object, name, H5T_NATIVE_INT, 0, &value);
}

/* The type of a text of this length. To be closed. */
static hid_t text_type(const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, strlen(text) + 1);
    return type;
}

static void text(struct writer *w, hid_t object, const char *name, const char *value)
{
    hid_t type = text_type(value);
    attribute(w, object, name, type, 0, value);
    H5Tclose(type);
}

/* Makes a group. To be closed. */
static hid_t group(struct writer *w, const char *name)
{
    hid_t how = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_obj_track_times(how, 0);
    hid_t made = H5Gcreate2(w->h5, name, H5P_DEFAULT, how, H5P_DEFAULT);
    w->failed |= made < 0;
    H5Pclose(how);
    return made;
}

/* /Header as GADGET has it, in the units of the file. */
static void write_header(struct writer *w)
{
    const struct ky_snapshot *snapshot = w->snapshot;
    const double none[6] = {0};
    uint32_t low[6], high[6];
    int wide = 0;
    for (int t = 0; t < 6; t++) {
        low[t] = (uint32_t)w->count[t];
        high[t] = (uint32_t)(w->count[t] >> 32);
        wide |= high[t] != 0;
    }
    double time = snapshot->time * ky_hdf5_time_scale(&snapshot->units, &ky_hdf5_units);
    const double gyr = 3.15576e16; /* seconds, Julian years */
    hid_t header = group(w, "Header");
    if (wide)
        attribute(w, header, "NumPart_ThisFile", H5T_NATIVE_UINT64, 6, w->count);
    else
        attribute(w, header, "NumPart_ThisFile", H5T_NATIVE_UINT32, 6, low);
    attribute(w, header, "NumPart_Total", H5T_NATIVE_UINT32, 6, low);
    attribute(w, header, "NumPart_Total_HighWord", H5T_NATIVE_UINT32, 6, high);
    attribute(w, header, "MassTable", H5T_NATIVE_DOUBLE, 6, none);
    real(w, header, "Time", time);
    real(w, header, "Time_GYR",
         time * (ky_hdf5_units.length_cm / ky_hdf5_units.velocity_cm_s / gyr));
    real(w, header, "Redshift", 0);
    real(w, header, "BoxSize", 0);
    integer(w, header, "NumFilesPerSnapshot", 1);
    integer(w, header, "Flag_DoublePrecision", 1);
    H5Gclose(header);
}

/* Writes /Units. yt takes any file for kpc, 1e10 Msun and km/s, and pynbody wants to be told. So
 * physical numbers are written in these units. N-body numbers are written as they are, under the
 * same units, so that both programs see the same. */
static void write_units(struct writer *w)
{
    hid_t units = group(w, "Units");
    real(w, units, "UnitLength_in_cm", ky_hdf5_units.length_cm);
    real(w, units, "UnitMass_in_g", ky_hdf5_units.mass_g);
    real(w, units, "UnitVelocity_in_cm_per_s", ky_hdf5_units.velocity_cm_s);
    real(w, units, "UnitTime_in_s", ky_hdf5_units.length_cm / ky_hdf5_units.velocity_cm_s);
    H5Gclose(units);
}

/* Makes a data set, packed if the options say so. To be closed. */
static hid_t data_set(struct writer *w, hid_t where, const char *name, hid_t type, uint64_t rows,
                      int columns)
{
    hsize_t size[2] = {rows, (hsize_t)columns}, chunk[2] = {rows < CHUNK ? rows : CHUNK, size[1]};
    hid_t space = H5Screate_simple(columns > 1 ? 2 : 1, size, NULL);
    hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_fill_time(how, H5D_FILL_TIME_NEVER);
    H5Pset_obj_track_times(how, 0); /* the same bodies give the same file */
    if (w->compress) {
        H5Pset_chunk(how, columns > 1 ? 2 : 1, chunk);
        H5Pset_shuffle(how);
        w->failed |= H5Pset_deflate(how, LEVEL) < 0;
    } else {
        H5Pset_alloc_time(how, H5D_ALLOC_TIME_EARLY);
    }
    hid_t made = H5Dcreate2(where, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    w->failed |= made < 0;
    H5Pclose(how);
    H5Sclose(space);
    return made;
}

/* Writes `rows` rows of 8-byte columns to rows `at` … of the data set. */
static void put_rows(struct writer *w, hid_t set, hid_t type, uint64_t at, uint64_t rows,
                     int columns, const void *data)
{
    hsize_t start[2] = {at, 0}, size[2] = {rows, (hsize_t)columns};
    int rank = columns > 1 ? 2 : 1;
    hid_t memory = H5Screate_simple(rank, size, NULL), file = H5Dget_space(set);
    w->failed |= H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, size, NULL) < 0 ||
                 H5Dwrite(set, type, memory, file, H5P_DEFAULT, data) < 0;
    H5Sclose(file);
    H5Sclose(memory);
}

/* Gathers rows first … first + rows − 1 of the order of the file into the slab, scaled. */
static void gather(struct writer *w, const struct ky_hdf5_field *field, const void *array,
                   uint64_t first, uint64_t rows, double scale)
{
    const size_t columns = (size_t)field->array->columns;
    uint64_t *ids = w->slab;
    double *reals = w->slab;
    for (uint64_t k = 0; k < rows; k++) {
        uint64_t i = w->order ? w->order[first + k] : first + k;
        if (field->array->real)
            for (size_t c = 0; c < columns; c++)
                reals[k * columns + c] = ((const double *)array)[i * columns + c] * scale;
        else
            ids[k] = array ? ((const uint64_t *)array)[i] : i;
    }
}

/* Units of a data set under the names that EAGLE, GADGET-4 and AREPO use. */
static void describe(struct writer *w, hid_t set, const struct ky_hdf5_field *field)
{
    const struct ky_units cgs = {1, 1, 1, 0};
    double to_cgs = ky_hdf5_scale(field->array, &ky_hdf5_units, &cgs);
    text(w, set, "VarDescription", field->description);
    real(w, set, "CGSConversionFactor", to_cgs);
    real(w, set, "aexp-scale-exponent", 0);
    real(w, set, "h-scale-exponent", 0);
    real(w, set, "a_scaling", 0);
    real(w, set, "h_scaling", 0);
    real(w, set, "length_scaling", field->array->length);
    real(w, set, "mass_scaling", field->array->mass);
    real(w, set, "velocity_scaling", field->array->velocity);
    real(w, set, "to_cgs", to_cgs);
}

/* Bodies first … first + rows − 1 of the order of the file, of one array. Arrays that the bodies
 * have not are left out, but ids. */
static void write_field(struct writer *w, hid_t where, const struct ky_hdf5_field *field,
                        uint64_t first, uint64_t rows)
{
    const char *array = ky_hdf5_array(field, &w->snapshot->bodies);
    if (!array && field->array->with != KY_WITH_ID) /* pynbody requires ids */
        return;
    double scale = ky_hdf5_scale(field->array, &w->snapshot->units, &ky_hdf5_units);
    hid_t type = field->array->real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_UINT64;
    hid_t stored = field->array->real ? H5T_IEEE_F64LE : H5T_STD_U64LE;
    hid_t set = data_set(w, where, field->name, stored, rows, field->array->columns);
    describe(w, set, field);
    int as_it_lies = array && !w->order && (!field->array->real || scale == 1);
    for (uint64_t done = 0; done < rows && !w->failed; done += SLAB) {
        uint64_t part = rows - done < SLAB ? rows - done : SLAB;
        if (!as_it_lies)
            gather(w, field, array, first + done, part, scale);
        const void *from =
            as_it_lies ? array + (first + done) * (size_t)field->array->columns * sizeof(double)
                       : w->slab;
        put_rows(w, set, type, done, part, field->array->columns, from);
    }
    H5Dclose(set);
}

/* /Kyoho: what GADGET has no place for. */
static void write_own(struct writer *w)
{
    const struct ky_units *units = &w->snapshot->units;
    hid_t own = group(w, "Kyoho");
    text(w, own, "Version", ky_version());
    text(w, own, "Scale", units->length_cm > 0 ? "physical" : "none; /Units is a convention");
    real(w, own, "G", units->g);
    real(w, own, "UnitLength_in_cm", units->length_cm);
    real(w, own, "UnitMass_in_g", units->mass_g);
    real(w, own, "UnitVelocity_in_cm_per_s", units->velocity_cm_s);
    if (!isnan(w->snapshot->softening))
        real(w, own, "Softening", w->snapshot->softening);
    if (w->snapshot->softening_kind >= 0)
        integer(w, own, "SofteningSymmetric", w->snapshot->softening_kind);
    const char *parameters = w->snapshot->parameters;
    if (parameters) {
        hid_t type = text_type(parameters), space = H5Screate(H5S_SCALAR);
        hid_t how = H5Pcreate(H5P_DATASET_CREATE);
        H5Pset_obj_track_times(how, 0);
        hid_t set = H5Dcreate2(own, "Parameters", type, space, H5P_DEFAULT, how, H5P_DEFAULT);
        w->failed |= set < 0 || H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, parameters) < 0;
        H5Dclose(set);
        H5Pclose(how);
        H5Sclose(space);
        H5Tclose(type);
    }
    if (w->order) {
        size_t n = w->snapshot->bodies.n;
        hid_t set = data_set(w, own, "Order", H5T_STD_U64LE, n, 1);
        put_rows(w, set, H5T_NATIVE_UINT64, 0, n, 1, w->order);
        H5Dclose(set);
    }
    H5Gclose(own);
}

/* The whole file. A failure of HDF5 stays in `failed`. */
static void write_all(struct writer *w)
{
    w->h5 = ky_hdf5_create(w->file);
    if (w->h5 < 0) {
        w->failed = 1;
        return;
    }
    write_header(w);
    write_units(w);
    write_own(w);
    uint64_t first = 0;
    for (int t = 0; t < 6; first += w->count[t], t++) {
        if (!w->count[t])
            continue;
        char name[24];
        snprintf(name, sizeof name, "PartType%d", t);
        hid_t where = group(w, name);
        for (int f = 0; f < KY_HDF5_FIELDS && !w->failed; f++)
            write_field(w, where, &ky_hdf5_fields[f], first, w->count[t]);
        H5Gclose(where);
    }
    w->failed |= H5Fclose(w->h5) < 0;
}

/* Bytes of the uncompressed file, a few more than it will have. */
static uint64_t bytes_needed(const struct writer *w)
{
    uint64_t row = 0, n = w->snapshot->bodies.n;
    for (int f = 0; f < KY_HDF5_FIELDS; f++)
        if (ky_hdf5_array(&ky_hdf5_fields[f], &w->snapshot->bodies) ||
            ky_hdf5_fields[f].array->with == KY_WITH_ID)
            row += 8 * (uint64_t)ky_hdf5_fields[f].array->columns;
    return n * (row + (w->order ? 8 : 0)) + 65536;
}

enum ky_status ky_hdf5_write(const char *path, const struct ky_snapshot *snapshot,
                             const struct ky_write_options *options, struct ky_error *error)
{
    static const int types[6] = {0, 1, 2, 3, 4, 5};
    struct writer w = {.snapshot = snapshot, .compress = options->compress};
    enum ky_status status = ky_file_create(path, options->overwrite, &w.file, error);
    if (!status)
        status = ky_group_order(&snapshot->bodies, types, w.count, &w.order, error);
    if (status)
        goto done;
    w.slab = ky_allocate(SLAB, 3 * sizeof(double));
    if (!w.slab) {
        status = ky_no_memory(error, "output slab", SLAB, 3 * sizeof(double));
        goto done;
    }
    if (!options->compress)
        status = ky_file_reserve(w.file, bytes_needed(&w), error);
    if (status)
        goto done;
    struct ky_hdf5_quiet quiet;
    ky_hdf5_enter(&quiet);
    write_all(&w);
    ky_hdf5_leave(&quiet);
    status = ky_file_finish(w.file, error);
    if (!status && w.failed)
        status = ky_fail(error, KY_FAULT, "%s: the HDF5 library failed to make the file", path);
    if (!status) {
        status = ky_file_publish(w.file, NULL, error);
        w.file = NULL;
    }
done:
    ky_file_discard(w.file);
    free(w.slab);
    free(w.order);
    return status;
}
#else
typedef int ky_hdf5_is_absent;
#endif
