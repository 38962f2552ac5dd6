/* The reader of GADGET-style HDF5, ours and others', in one file or several. A first pass over all
 * files compares header, data sets and size of the file; only then is memory taken. */
#ifdef KY_HAVE_HDF5
#include "snapshot/hdf5.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/units.h"

enum { SLAB = 1 << 17, TYPES = 6, MOST_TYPES = 16 };
/* deflate packs at most 1032 to 1; a data set that claims more is a lie. */
static const uint64_t MOST_PACKED = 1100;

struct header {
    uint64_t here[TYPES], total[TYPES];
    double mass[TYPES], time;
    int files, has_total;
};

struct reader {
    struct ky_snapshot *snapshot;
    struct ky_units stored; /* units of the numbers in the file */
    uint64_t n;
    int files;
    int has[KY_HDF5_FIELDS]; /* in every group that has bodies */
    int typed;               /* a type other than 4 occurs */
    uint64_t *order;         /* /Kyoho/Order or NULL */
    void *slab;
};

static enum ky_status cannot_open(hid_t failed, struct ky_error *error)
{
    if (failed == KY_HDF5_NO_MEMORY)
        return ky_fail(error, KY_FAULT, "out of memory: HDF5 cannot open it");
    return ky_fail(error, KY_BAD_DATA,
                   "HDF5 cannot open it; it is cut off, damaged or was never finished");
}

/* ---- attributes ---- */

/* Numbers of the attribute as `type`: how many, 0 if it is absent, -1 if it is none or too many. */
static int numbers(hid_t object, const char *name, hid_t type, int most, void *data)
{
    if (object < 0 || H5Aexists(object, name) <= 0)
        return 0;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    hid_t space = H5Aget_space(attribute), stored = H5Aget_type(attribute);
    hssize_t count = H5Sget_simple_extent_npoints(space);
    H5T_class_t class = H5Tget_class(stored);
    int result = -1;
    if (count >= 1 && count <= most && (class == H5T_INTEGER || class == H5T_FLOAT) &&
        H5Aread(attribute, type, data) >= 0)
        result = (int)count;
    H5Tclose(stored);
    H5Sclose(space);
    H5Aclose(attribute);
    return result;
}

static double real(hid_t object, const char *name, double otherwise)
{
    double value;
    return numbers(object, name, H5T_NATIVE_DOUBLE, 1, &value) == 1 ? value : otherwise;
}

static hid_t open_group(hid_t where, const char *name)
{
    return H5Lexists(where, name, H5P_DEFAULT) > 0 ? H5Gopen2(where, name, H5P_DEFAULT) : -1;
}

static enum ky_status counts(hid_t header, const char *name, uint64_t count[TYPES], int *found,
                             struct ky_error *error)
{
    uint64_t values[MOST_TYPES] = {0};
    *found = numbers(header, name, H5T_NATIVE_UINT64, MOST_TYPES, values);
    if (*found < 0)
        return ky_fail(error, KY_BAD_DATA, "/Header: %s is no list of numbers", name);
    for (int t = TYPES; t < MOST_TYPES; t++)
        if (values[t])
            return ky_fail(error, KY_BAD_DATA,
                           "/Header: %s tells of bodies of type %d; types are 0 to 5", name, t);
    memcpy(count, values, TYPES * sizeof *count);
    return KY_OK;
}

static enum ky_status read_header(hid_t file, struct header *h, struct ky_error *error)
{
    double masses[MOST_TYPES] = {0};
    uint64_t high[TYPES];
    int found_here, found_high;
    *h = (struct header){.files = 1};
    hid_t header = open_group(file, "Header");
    if (header < 0)
        return ky_fail(error, KY_BAD_DATA,
                       "is an HDF5 file without a group /Header; it is no GADGET snapshot");
    enum ky_status status = counts(header, "NumPart_ThisFile", h->here, &found_here, error);
    if (!status && !found_here)
        status = ky_fail(error, KY_BAD_DATA, "/Header has no NumPart_ThisFile");
    if (!status)
        status = counts(header, "NumPart_Total", h->total, &h->has_total, error);
    if (!status)
        status = counts(header, "NumPart_Total_HighWord", high, &found_high, error);
    for (int t = 0; t < TYPES && !status; t++)
        if (h->total[t] <= UINT32_MAX)
            h->total[t] += high[t] << 32;
    if (!status && numbers(header, "MassTable", H5T_NATIVE_DOUBLE, MOST_TYPES, masses) < 0)
        status = ky_fail(error, KY_BAD_DATA, "/Header: MassTable is no list of numbers");
    memcpy(h->mass, masses, sizeof h->mass);
    double files = real(header, "NumFilesPerSnapshot", 1);
    h->time = real(header, "Time", 0);
    H5Gclose(header);
    if (!status && !(files >= 0 && files <= 1e6))
        status = ky_fail(error, KY_BAD_DATA, "/Header: NumFilesPerSnapshot is %g", files);
    if (!status && !isfinite(h->time))
        status = ky_fail(error, KY_BAD_DATA, "/Header: Time is %g; it must be finite", h->time);
    h->files = status || files < 1 ? 1 : (int)files;
    return status;
}

/* ---- data sets ---- */

/* Whether all that the data set promises is really in the file. */
static int is_stored(hid_t set, hid_t space, uint64_t bytes)
{
    hid_t how = H5Dget_create_plist(set);
    H5D_layout_t layout = H5Pget_layout(how);
    uint64_t stored = H5Dget_storage_size(set);
    int result = layout == H5D_CHUNKED ? bytes / MOST_PACKED <= stored : stored >= bytes;
#if H5_VERSION_GE(1, 10, 5)
    hsize_t chunk[2] = {1, 1}, size[2] = {0, 0}, have = 0;
    if (layout == H5D_CHUNKED && result) {
        int rank = H5Pget_chunk(how, 2, chunk);
        H5Sget_simple_extent_dims(space, size, NULL);
        hsize_t want = (size[0] + chunk[0] - 1) / chunk[0];
        if (rank == 2)
            want *= (size[1] + chunk[1] - 1) / chunk[1];
        result = H5Dget_num_chunks(set, space, &have) >= 0 && have == want;
    }
#endif
    result &= layout != H5D_VIRTUAL && H5Pget_external_count(how) == 0;
    H5Pclose(how);
    return result;
}

static enum ky_status check_set(hid_t set, const struct ky_hdf5_field *field, const char *group,
                                uint64_t rows, struct ky_error *error)
{
    hsize_t size[2] = {0, 0};
    hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    int rank = H5Sget_simple_extent_ndims(space);
    int shape = rank == (field->columns > 1 ? 2 : 1) || (rank == 2 && field->columns == 1);
    if (shape)
        H5Sget_simple_extent_dims(space, size, NULL);
    if (rank == 1)
        size[1] = 1;
    H5T_class_t class = H5Tget_class(type);
    size_t width = H5Tget_size(type);
    enum ky_status status = KY_OK;
    if (set < 0 || rank < 0 || width == 0)
        status = ky_fail(error, KY_BAD_DATA, "%s/%s is damaged", group, field->name);
    else if (!shape || size[1] != (hsize_t)field->columns)
        status = ky_fail(error, KY_BAD_DATA, "%s/%s must have %d column%s", group, field->name,
                         field->columns, field->columns > 1 ? "s" : "");
    else if (size[0] != rows)
        status = ky_fail(error, KY_BAD_DATA,
                         "%s/%s has %" PRIu64 " rows and /Header tells of %" PRIu64 " bodies",
                         group, field->name, (uint64_t)size[0], rows);
    else if (class != H5T_INTEGER && (field->integer || class != H5T_FLOAT))
        status = ky_fail(error, KY_BAD_DATA, "%s/%s must hold %s", group, field->name,
                         field->integer ? "integers" : "numbers");
    else if (rows > UINT64_MAX / 64 || width > 16 || !is_stored(set, space, rows * size[1] * width))
        status = ky_fail(error, KY_BAD_DATA,
                         "%s/%s: the file does not hold all of it; it is cut off or damaged", group,
                         field->name);
    H5Tclose(type);
    H5Sclose(space);
    return status;
}

static enum ky_status check_group(hid_t group, const char *name, const struct header *h, int type,
                                  struct reader *r, struct ky_error *error)
{
    for (int f = 0; f < KY_HDF5_FIELDS; f++) {
        const struct ky_hdf5_field *field = &ky_hdf5_fields[f];
        if (H5Lexists(group, field->name, H5P_DEFAULT) > 0) {
            hid_t set = H5Dopen2(group, field->name, H5P_DEFAULT);
            enum ky_status status = check_set(set, field, name, h->here[type], error);
            H5Dclose(set);
            if (status)
                return status;
        } else if (field->with) {
            r->has[f] = 0;
        } else if (!field->mass || !(h->mass[type] > 0)) {
            return ky_fail(error, KY_BAD_DATA, "%s has no data set %s%s", name, field->name,
                           field->mass ? ", and /Header/MassTable no mass" : "");
        }
    }
    return KY_OK;
}

static enum ky_status check_groups(hid_t file, const struct header *h, struct reader *r,
                                   struct ky_error *error)
{
    enum ky_status status = KY_OK;
    for (int t = 0; t < TYPES && !status; t++) {
        char name[24];
        snprintf(name, sizeof name, "PartType%d", t);
        hid_t group = open_group(file, name);
        if (h->here[t] && group < 0)
            status = ky_fail(error, KY_BAD_DATA,
                             "/Header tells of %" PRIu64 " bodies of type %d, but there is no %s",
                             h->here[t], t, name);
        else if (h->here[t] || (group >= 0 && H5Lexists(group, "Coordinates", H5P_DEFAULT) > 0))
            status = check_group(group, name, h, t, r, error);
        if (group >= 0)
            H5Gclose(group);
        if (h->here[t] > SIZE_MAX / 256 - r->n)
            return ky_fail(error, KY_BAD_DATA, "/Header tells of too many bodies");
        r->n += h->here[t];
        r->typed |= h->here[t] && t != 4;
    }
    return status;
}

/* ---- several files ---- */

/* Opens file number k of those that `first` belongs to; `name` is to be freed. The first file
 * itself is used as it is. */
static enum ky_status open_piece(const struct ky_input *first, int files, int k,
                                 struct ky_input *piece, char **name, hid_t *file,
                                 struct ky_error *error)
{
    *name = NULL;
    *file = -1;
    if (files == 1) {
        *piece = *first;
    } else {
        *name = first->path ? ky_piece_name(first->path, (unsigned)k) : NULL;
        if (!*name)
            return ky_fail(error, KY_BAD_DATA,
                           "is one of %d files, and its name has no number as in name.0.hdf5 that "
                           "would lead to the others",
                           files);
        enum ky_status status = ky_input_open(*name, piece, error);
        if (status) {
            free(*name);
            *name = NULL;
            return status;
        }
    }
    *file = ky_hdf5_open(piece);
    return KY_OK;
}

static void close_piece(int files, struct ky_input *piece, char *name, hid_t file)
{
    if (file >= 0)
        H5Fclose(file);
    if (files > 1)
        ky_input_close(piece);
    free(name);
}

typedef enum ky_status per_piece(hid_t file, const struct header *h, struct reader *r,
                                 struct ky_error *error);

/* Calls `action` for every file in turn and compares the sum of bodies with the header's total. */
static enum ky_status for_pieces(const struct ky_input *first, struct reader *r, per_piece *action,
                                 struct ky_error *error)
{
    uint64_t sum[TYPES] = {0};
    struct header h = {0};
    enum ky_status status = KY_OK;
    for (int k = 0; k < r->files && !status; k++) {
        struct ky_input piece;
        char *name;
        hid_t file;
        status = open_piece(first, r->files, k, &piece, &name, &file, error);
        if (status)
            return status;
        if (file < 0)
            status = cannot_open(file, error);
        if (!status)
            status = read_header(file, &h, error);
        if (!status)
            status = action(file, &h, r, error);
        for (int t = 0; t < TYPES; t++)
            sum[t] += h.here[t];
        if (status && name)
            ky_fail_in(error, status, "%s: ", name);
        close_piece(r->files, &piece, name, file);
    }
    for (int t = 0; t < TYPES && !status && h.has_total; t++)
        if (sum[t] != h.total[t])
            status = ky_fail(error, KY_BAD_DATA,
                             "/Header: NumPart_Total tells of %" PRIu64
                             " bodies of type %d and there are %" PRIu64,
                             h.total[t], t, sum[t]);
    return status;
}

/* ---- reading ---- */

static enum ky_status read_field(hid_t group, const struct ky_hdf5_field *field, struct reader *r,
                                 uint64_t at, uint64_t rows, struct ky_error *error)
{
    const size_t columns = (size_t)field->columns;
    uint64_t *array = ky_hdf5_array(field, &r->snapshot->bodies);
    double scale = ky_hdf5_scale(field, &r->stored, &r->snapshot->units);
    hid_t type = field->integer ? H5T_NATIVE_UINT64 : H5T_NATIVE_DOUBLE;
    hid_t set = H5Dopen2(group, field->name, H5P_DEFAULT), space = H5Dget_space(set);
    int rank = H5Sget_simple_extent_ndims(space), bad = set < 0;
    for (uint64_t done = 0; done < rows && !bad; done += SLAB) {
        uint64_t part = rows - done < SLAB ? rows - done : SLAB;
        uint64_t *to = r->order ? r->slab : array + (at + done) * columns;
        hsize_t start[2] = {done, 0}, size[2] = {part, columns};
        hid_t memory = H5Screate_simple(rank, size, NULL);
        bad = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL) < 0 ||
              H5Dread(set, type, memory, space, H5P_DEFAULT, to) < 0;
        H5Sclose(memory);
        if (scale != 1 && !field->integer)
            for (size_t k = 0; k < part * columns; k++)
                ((double *)to)[k] *= scale;
        for (size_t k = 0; r->order && k < part; k++)
            memcpy(array + r->order[at + done + k] * columns, to + k * columns,
                   columns * sizeof *array);
    }
    H5Sclose(space);
    H5Dclose(set);
    return bad ? ky_fail(error, KY_BAD_DATA, "%s cannot be read; the file is damaged", field->name)
               : KY_OK;
}

static void fill_masses(struct reader *r, uint64_t at, uint64_t rows, double mass)
{
    struct ky_hdf5_field unit = {.mass = 1};
    mass *= ky_hdf5_scale(&unit, &r->stored, &r->snapshot->units);
    for (uint64_t k = at; k < at + rows; k++)
        r->snapshot->bodies.mass[r->order ? r->order[k] : k] = mass;
}

static enum ky_status read_groups(hid_t file, const struct header *h, struct reader *r,
                                  struct ky_error *error)
{
    struct ky_bodies *bodies = &r->snapshot->bodies;
    for (int t = 0; t < TYPES; t++) {
        char name[24];
        uint64_t at = r->n, rows = h->here[t];
        if (!rows)
            continue;
        if (rows > bodies->n - at)
            return ky_fail(error, KY_BAD_DATA, "has changed while it was read");
        snprintf(name, sizeof name, "PartType%d", t);
        hid_t group = open_group(file, name);
        enum ky_status status = KY_OK;
        for (int f = 0; f < KY_HDF5_FIELDS && !status; f++) {
            const struct ky_hdf5_field *field = &ky_hdf5_fields[f];
            if (!ky_hdf5_array(field, bodies))
                continue;
            if (field->mass && H5Lexists(group, field->name, H5P_DEFAULT) <= 0)
                fill_masses(r, at, rows, h->mass[t]);
            else
                status = read_field(group, field, r, at, rows, error);
        }
        if (group >= 0)
            H5Gclose(group);
        if (status)
            return ky_fail_in(error, status, "%s: ", name);
        for (uint64_t k = at; bodies->type && k < at + rows; k++)
            bodies->type[r->order ? r->order[k] : k] = (uint8_t)t;
        r->n += rows;
    }
    return KY_OK;
}

/* ---- what is in the file beside the bodies ---- */

static int read_units(hid_t object, struct ky_units *units)
{
    struct ky_units found = {.length_cm = real(object, "UnitLength_in_cm", 0),
                             .mass_g = real(object, "UnitMass_in_g", 0),
                             .velocity_cm_s = real(object, "UnitVelocity_in_cm_per_s", 0)};
    if (!(found.length_cm > 0 && found.mass_g > 0 && found.velocity_cm_s > 0) ||
        !isfinite(found.length_cm * found.mass_g * found.velocity_cm_s))
        return 0;
    found.g = ky_units_gravity(found.length_cm, found.mass_g, found.velocity_cm_s);
    *units = found;
    return 1;
}

/* The units of the numbers: /Units is ours and SWIFT's place, /Parameters GADGET-4's, /Header
 * AREPO's. Then those of the run that wrote the file, if it is ours. */
static void find_units(hid_t file, struct reader *r)
{
    static const char *const places[] = {"Units", "Parameters", "Header"};
    struct ky_units *units = &r->snapshot->units;
    int known = 0;
    for (int k = 0; k < 3 && !known; k++) {
        hid_t group = open_group(file, places[k]);
        known = read_units(group, &r->stored);
        if (group >= 0)
            H5Gclose(group);
    }
    *units = r->stored;
    hid_t own = open_group(file, "Kyoho");
    if (own < 0)
        return;
    if (real(own, "UnitLength_in_cm", -1) == 0)
        r->stored = *units = (struct ky_units){.g = 1}; /* raw numbers: /Units is a convention */
    else if (known)
        read_units(own, units);
    double g = real(own, "G", units->g);
    if (isfinite(g) && g > 0)
        units->g = g;
    H5Gclose(own);
}

static enum ky_status read_parameters(hid_t own, struct ky_snapshot *snapshot,
                                      struct ky_error *error)
{
    if (H5Lexists(own, "Parameters", H5P_DEFAULT) <= 0)
        return KY_OK;
    hid_t set = H5Dopen2(own, "Parameters", H5P_DEFAULT), type = H5Dget_type(set);
    hid_t space = H5Dget_space(set);
    size_t bytes = H5Tget_size(type);
    enum ky_status status = KY_OK;
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 ||
        H5Sget_simple_extent_npoints(space) != 1 || H5Dget_storage_size(set) < bytes) {
        status = ky_fail(error, KY_BAD_DATA, "/Kyoho/Parameters is damaged");
    } else {
        snapshot->parameters = ky_allocate_zeroed(bytes + 1, 1);
        if (!snapshot->parameters)
            status = ky_no_memory(error, "parameters", bytes, 1);
        else if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, snapshot->parameters) < 0)
            status = ky_fail(error, KY_BAD_DATA, "/Kyoho/Parameters cannot be read");
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
    return status;
}

static enum ky_status check_order(const uint64_t *order, uint64_t n, struct ky_error *error)
{
    unsigned char *seen = ky_allocate_zeroed(n, 1);
    if (!seen)
        return ky_no_memory(error, "check of the order", n, 1);
    enum ky_status status = KY_OK;
    for (uint64_t k = 0; k < n && !status; k++) {
        if (order[k] >= n || seen[order[k]])
            status = ky_fail(error, KY_BAD_DATA,
                             "/Kyoho/Order is no order of the bodies; delete that data set to read "
                             "them as they lie");
        else
            seen[order[k]] = 1;
    }
    free(seen);
    return status;
}

static enum ky_status read_order(hid_t own, struct reader *r, struct ky_error *error)
{
    static const struct ky_hdf5_field field = {.name = "Order", .columns = 1, .integer = 1};
    if (r->files > 1 || H5Lexists(own, "Order", H5P_DEFAULT) <= 0)
        return KY_OK;
    hid_t set = H5Dopen2(own, "Order", H5P_DEFAULT);
    enum ky_status status = check_set(set, &field, "/Kyoho", r->n, error);
    if (!status) {
        r->order = ky_allocate(r->n, sizeof *r->order);
        r->slab = ky_allocate(SLAB, 3 * sizeof(double));
        if (!r->order || !r->slab)
            status = ky_no_memory(error, "order of bodies", r->n, sizeof *r->order);
        else if (H5Dread(set, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, r->order) < 0)
            status = ky_fail(error, KY_BAD_DATA, "/Kyoho/Order cannot be read");
    }
    H5Dclose(set);
    return status ? status : (r->order ? check_order(r->order, r->n, error) : KY_OK);
}

/* What the first file says about all: units, time and the number of files. */
static enum ky_status read_preface(hid_t file, struct reader *r, struct ky_error *error)
{
    struct header h;
    enum ky_status status = read_header(file, &h, error);
    r->files = h.files;
    find_units(file, r);
    r->snapshot->time = h.time * ky_hdf5_time_scale(&r->stored, &r->snapshot->units);
    return status;
}

/* What only our own files have. */
static enum ky_status read_own(hid_t file, struct reader *r, struct ky_error *error)
{
    hid_t own = open_group(file, "Kyoho");
    if (own < 0)
        return KY_OK;
    enum ky_status status = read_parameters(own, r->snapshot, error);
    if (!status)
        status = read_order(own, r, error);
    H5Gclose(own);
    return status;
}

static enum ky_status allocate(struct reader *r, struct ky_error *error)
{
    unsigned with = r->typed ? KY_WITH_TYPE : 0;
    for (int f = 0; f < KY_HDF5_FIELDS; f++)
        with |= r->has[f] ? ky_hdf5_fields[f].with : 0;
    return ky_bodies_allocate(&r->snapshot->bodies, (size_t)r->n, with, error);
}

static enum ky_status read_all(const struct ky_input *input, struct reader *r,
                               struct ky_error *error)
{
    hid_t first = ky_hdf5_open(input);
    if (first < 0)
        return cannot_open(first, error);
    enum ky_status status = read_preface(first, r, error);
    if (!status)
        status = for_pieces(input, r, check_groups, error);
    if (!status && r->n)
        status = read_own(first, r, error);
    H5Fclose(first);
    if (!status && r->n)
        status = allocate(r, error);
    if (status || !r->n)
        return status;
    r->n = 0; /* from here on it counts what has been read */
    return for_pieces(input, r, read_groups, error);
}

enum ky_status ky_hdf5_read(const struct ky_input *input, struct ky_snapshot *snapshot,
                            struct ky_error *error)
{
    struct reader r = {.snapshot = snapshot, .stored.g = 1, .files = 1};
    for (int f = 0; f < KY_HDF5_FIELDS; f++)
        r.has[f] = 1;
    struct ky_hdf5_quiet quiet;
    ky_hdf5_enter(&quiet);
    enum ky_status status = read_all(input, &r, error);
    ky_hdf5_leave(&quiet);
    free(r.order);
    free(r.slab);
    return status;
}
#else
typedef int ky_hdf5_is_absent;
#endif
