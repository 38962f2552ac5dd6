/* The GADGET-style HDF5 writer (docs/formats/snapshots.md). Bodies are grouped by type. If the
 * caller's bodies are not, /Kyoho/Order stores their order. Arrays are written directly from
 * memory, or by slabs if they must be gathered or scaled. For arrays of other writers it creates
 * data sets without numbers and records their positions. */
#ifdef KY_HAVE_HDF5
#include "snapshot/hdf5.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "snapshot/space.h"

struct writer {
    const struct ky_snapshot *snapshot;
    const struct ky_hdf5_share *share;
    uint64_t *order;   /* or NULL */
    uint64_t count[6]; /* by type */
    void *slab;
    struct ky_hdf5_output *out;
};

double ky_hdf5_scale_of(const struct ky_snapshot *snapshot, const struct ky_array *array)
{
    return ky_hdf5_scale(array, &snapshot->units, &ky_hdf5_units) *
           ky_space_stored(&snapshot->space, array).factor;
}

/* The side of the periodic box in the file's unit of length; 0: open space. */
static double box_of(const struct ky_snapshot *snapshot)
{
    const struct ky_space *space = &snapshot->space;
    const int is_here =
        ky_space_is_comoving(space) || (!space->comoving && !space->per_h && !space->converted);
    return is_here ? space->box * ky_hdf5_scale_of(snapshot, &ky_arrays[KY_ARRAY_POSITION]) : 0;
}

void ky_hdf5_put_cosmology(struct ky_hdf5_output *out, hid_t header, const struct ky_space *space)
{
    if (!ky_space_is_comoving(space))
        return;
    ky_hdf5_put_real(out, header, "HubbleParam", ky_space_h(space));
    ky_hdf5_put_real(out, header, "Omega0", space->omega_matter);
    ky_hdf5_put_real(out, header, "OmegaLambda", space->omega_lambda);
}

/* Writes /Header as in GADGET, in the units of the file. */
static void write_header(struct writer *w)
{
    const struct ky_snapshot *snapshot = w->snapshot;
    const double none[6] = {0};
    uint32_t low[6], high[6], here[6];
    int wide = 0;
    for (int t = 0; t < 6; t++) {
        here[t] = (uint32_t)w->count[t];
        low[t] = (uint32_t)w->share->total[t];
        high[t] = (uint32_t)(w->share->total[t] >> 32);
        wide |= w->count[t] > here[t];
    }
    const int comoving = ky_space_is_comoving(&snapshot->space);
    double time = comoving ? snapshot->space.scale_factor
                           : snapshot->time * ky_hdf5_time_scale(&snapshot->units, &ky_hdf5_units);
    const double gyr = 3.15576e16; /* seconds, Julian years */
    hid_t header = ky_hdf5_make_group(w->out, "Header");
    if (wide)
        ky_hdf5_put_attribute(w->out, header, "NumPart_ThisFile", H5T_NATIVE_UINT64, 6, w->count);
    else
        ky_hdf5_put_attribute(w->out, header, "NumPart_ThisFile", H5T_NATIVE_UINT32, 6, here);
    ky_hdf5_put_attribute(w->out, header, "NumPart_Total", H5T_NATIVE_UINT32, 6, low);
    ky_hdf5_put_attribute(w->out, header, "NumPart_Total_HighWord", H5T_NATIVE_UINT32, 6, high);
    ky_hdf5_put_attribute(w->out, header, "MassTable", H5T_NATIVE_DOUBLE, 6, none);
    ky_hdf5_put_real(w->out, header, "Time", time);
    if (!comoving)
        ky_hdf5_put_real(w->out, header, "Time_GYR",
                         time * (ky_hdf5_units.length_cm / ky_hdf5_units.velocity_cm_s / gyr));
    ky_hdf5_put_real(w->out, header, "Redshift", comoving ? 1 / time - 1 : 0);
    ky_hdf5_put_real(w->out, header, "BoxSize", box_of(snapshot));
    ky_hdf5_put_cosmology(w->out, header, &snapshot->space);
    ky_hdf5_put_integer(w->out, header, "NumFilesPerSnapshot", w->share->files);
    ky_hdf5_put_integer(w->out, header, "Flag_DoublePrecision", 1);
    H5Gclose(header);
}

/* Gathers rows first … first + rows − 1, in the order of the file, into the slab, scaled. */
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
            ids[k] = array ? ((const uint64_t *)array)[i] : w->share->first + i;
    }
}

/* 1 if other ranks write this array. */
static int is_of_others(const struct ky_writers *others, const struct ky_hdf5_field *field)
{
    return others && (others->arrays >> (field->array - ky_arrays) & 1U);
}

/* 1 if the file has this field. pynbody requires ids. */
static int has_field(const struct ky_snapshot *snapshot, const struct ky_writers *others,
                     const struct ky_hdf5_field *field)
{
    return ky_hdf5_array(field, &snapshot->bodies) || field->array->with == KY_WITH_ID ||
           is_of_others(others, field);
}

/* Records the position of a type's data set, for which the file already has space. */
static void note_part(struct writer *w, hid_t set, const struct ky_hdf5_field *field, int type)
{
    struct ky_write_plan *plan = w->out->plan;
    const enum ky_array_id array = (enum ky_array_id)(field->array - ky_arrays);
    const haddr_t offset = H5Dget_offset(set);
    w->out->failed |= offset == HADDR_UNDEF;
    plan->part[plan->parts++] = (struct ky_write_piece){
        .array = array,
        .type = plan->type ? type : KY_ALL_TYPES,
        .file = plan->files - 1,
        .first = plan->type ? w->share->before[type] : w->share->first,
        .count = w->count[type],
        .offset = offset,
        .divisor = array == KY_ARRAY_VELOCITY ? w->out->others->velocity_divisor : 1,
        .factor = ky_hdf5_scale_of(w->snapshot, field->array)};
}

/* Writes the data set of one array for the bodies of a type; `first` is the index of the first one
 * in the order of the file. */
static void write_field(struct writer *w, hid_t where, const struct ky_hdf5_field *field, int type,
                        uint64_t first)
{
    const char *array = ky_hdf5_array(field, &w->snapshot->bodies);
    const int of_others = is_of_others(w->out->others, field);
    const uint64_t rows = w->count[type];
    const struct ky_space_form form = ky_space_stored(&w->snapshot->space, field->array);
    double scale = ky_hdf5_scale_of(w->snapshot, field->array);
    hid_t memory = field->array->real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_UINT64;
    hid_t stored = of_others            ? memory /* other ranks write it as it is in memory */
                   : field->array->real ? H5T_IEEE_F64LE
                                        : H5T_STD_U64LE;
    hid_t set = ky_hdf5_make_set(w->out, where, field->name,
                                 (struct ky_hdf5_slab){stored, field->array->columns, rows, 0});
    ky_hdf5_describe(w->out, set, field->array, field->description, (double[]){form.a, form.h});
    if (of_others)
        note_part(w, set, field, type);
    int as_it_lies = array && !w->order && (!field->array->real || scale == 1);
    for (uint64_t done = 0; done < rows && !w->out->failed && !of_others; done += KY_HDF5_SLAB) {
        uint64_t part = rows - done < KY_HDF5_SLAB ? rows - done : KY_HDF5_SLAB;
        if (!as_it_lies)
            gather(w, field, array, first + done, part, scale);
        const void *from =
            as_it_lies ? array + (first + done) * (size_t)field->array->columns * sizeof(double)
                       : w->slab;
        ky_hdf5_put_rows(w->out, set,
                         (struct ky_hdf5_slab){memory, field->array->columns, part, done}, from);
    }
    H5Dclose(set);
}

/* Writes the cosmology with which bodies in physical coordinates expand. With /Header they would be
 * taken as comoving. */
static void write_universe(struct writer *w, hid_t own)
{
    const struct ky_space *space = &w->snapshot->space;
    if (!ky_space_tells_universe(space) || (space->comoving && space->converted != KY_TO_PHYSICAL))
        return;
    ky_hdf5_put_integer(w->out, own, "ComovingIntegrationOn", 0);
    ky_hdf5_put_real(w->out, own, "h", space->hubble);
    ky_hdf5_put_real(w->out, own, "Omega_m", space->omega_matter);
    ky_hdf5_put_real(w->out, own, "Omega_lambda", space->omega_lambda);
}

/* Writes /Kyoho: data for which GADGET's groups have no place. */
static void write_own(struct writer *w)
{
    hid_t own = ky_hdf5_make_group(w->out, "Kyoho");
    ky_hdf5_put_scales(w->out, own, &w->snapshot->units);
    if (!isnan(w->snapshot->softening))
        ky_hdf5_put_real(w->out, own, "Softening", w->snapshot->softening);
    if (w->snapshot->softening_kind >= 0)
        ky_hdf5_put_integer(w->out, own, "SofteningSymmetric", w->snapshot->softening_kind);
    write_universe(w, own);
    if (w->share->run)
        ky_hdf5_put_attribute(w->out, own, "Run", H5T_NATIVE_UINT64, 0, &w->share->run);
    if (w->snapshot->parameters)
        ky_hdf5_put_long_text(w->out, own, "Parameters", w->snapshot->parameters);
    if (w->order) {
        size_t n = w->snapshot->bodies.n;
        hid_t set =
            ky_hdf5_make_set(w->out, own, "Order", (struct ky_hdf5_slab){H5T_STD_U64LE, 1, n, 0});
        ky_hdf5_put_rows(w->out, set, (struct ky_hdf5_slab){H5T_NATIVE_UINT64, 1, n, 0}, w->order);
        H5Dclose(set);
    }
    H5Gclose(own);
}

/* Writes the whole content of the file; a ky_hdf5_filler. */
static void write_all(struct ky_hdf5_output *out, const void *what)
{
    struct writer w = *(const struct writer *)what;
    w.out = out;
    write_header(&w);
    ky_hdf5_write_units(out);
    write_own(&w);
    uint64_t first = 0;
    for (int t = 0; t < 6; first += w.count[t], t++) {
        if (!w.count[t])
            continue;
        char name[24];
        snprintf(name, sizeof name, "PartType%d", t);
        hid_t where = ky_hdf5_make_group(out, name);
        for (int f = 0; f < KY_HDF5_FIELDS && !out->failed; f++)
            if (has_field(w.snapshot, out->others, &ky_hdf5_fields[f]))
                write_field(&w, where, &ky_hdf5_fields[f], t, first);
        H5Gclose(where);
    }
}

/* An upper estimate of the size of the uncompressed file in bytes. */
static uint64_t bytes_needed(const struct writer *w, const struct ky_writers *others)
{
    uint64_t row = 0, n = w->snapshot->bodies.n;
    for (int f = 0; f < KY_HDF5_FIELDS; f++)
        if (has_field(w->snapshot, others, &ky_hdf5_fields[f]))
            row += 8 * (uint64_t)ky_hdf5_fields[f].array->columns;
    return n * (row + (w->order ? 8 : 0)) + 65536;
}

enum ky_status ky_hdf5_begin(const char *path, const struct ky_snapshot *snapshot, int overwrite,
                             const struct ky_hdf5_share *share, struct ky_hdf5_output *out,
                             struct ky_error *error)
{
    static const int types[6] = {0, 1, 2, 3, 4, 5};
    struct writer w = {.snapshot = snapshot, .share = share};
    enum ky_status status = ky_group_order(&snapshot->bodies, types, w.count, &w.order, error);
    w.slab = ky_allocate(KY_HDF5_SLAB, 3 * sizeof(double));
    if (!status && !w.slab)
        status = ky_no_memory(error, "output slab", KY_HDF5_SLAB, 3 * sizeof(double));
    if (!status)
        status = ky_hdf5_begin_file(path, overwrite, out, bytes_needed(&w, out->others), write_all,
                                    &w, error);
    free(w.slab);
    free(w.order);
    return status;
}
#else
typedef int ky_hdf5_is_absent;
#endif
