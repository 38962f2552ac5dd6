/* The reader of GADGET-style HDF5, of Kyoho or of other codes, in one file or several. A first pass
 * compares header, data sets and size of all files. Only then is memory taken. */
#ifdef KY_HAVE_HDF5
#include "snapshot/hdf5.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "snapshot/space.h"

enum { SLAB = 1 << 17, TYPES = KY_HDF5_TYPES };

struct reader {
    const struct ky_read_options *options;
    struct ky_snapshot *snapshot;
    struct ky_units stored; /* units of the numbers in the file */
    uint64_t n;
    int files;
    int has[KY_HDF5_FIELDS]; /* in every group that has bodies */
    int some_ids;            /* a group has ids */
    char lacks_ids;          /* the digit of a type without ids, or 0 */
    int typed;               /* a type other than 4 occurs */
    double softening[TYPES]; /* of the bodies of each type; NaN: not in the file */
    int occurs[TYPES];       /* a body of this type is read */
    uint64_t *order;         /* the orders /Kyoho/Order of all files, or NULL */
    uint64_t ordered;        /* bodies of the files whose order has been read */
    void *slab;
};

/* The error for a file that HDF5 does not open. */
static enum ky_status cannot_open(hid_t failed, struct ky_error *error)
{
    if (failed == KY_HDF5_NO_MEMORY)
        return ky_fail(error, KY_FAULT, "out of memory: HDF5 cannot open it");
    return ky_fail(error, KY_BAD_DATA,
                   "HDF5 cannot open it; it is cut off, damaged or was never finished");
}

/* ---- the first pass ---- */

/* For a field that a group lacks: KY_BAD_DATA if it is required, else no body of the file has it.
 */
static enum ky_status missing(const struct ky_hdf5_field *field, const char *name,
                              const struct ky_hdf5_header *h, int type, struct reader *r,
                              struct ky_error *error)
{
    if (!field->array->real && !r->options->renumber && !r->lacks_ids)
        r->lacks_ids = name[8];
    if (field->array->with) {
        r->has[field - ky_hdf5_fields] = 0;
        return KY_OK;
    }
    if (field->array->mass && h->mass[type] > 0)
        return KY_OK;
    return ky_fail(error, KY_BAD_DATA,
                   "%s has no data set %s%s; --types chooses types that have one", name,
                   field->name, field->array->mass ? ", and /Header/MassTable no mass" : "");
}

/* Whether the data sets of the group can be read, and which of the optional ones it has. */
static enum ky_status check_group(hid_t group, const char *name, const struct ky_hdf5_header *h,
                                  int type, struct reader *r, struct ky_error *error)
{
    enum ky_status status = KY_OK;
    for (int f = 0; f < KY_HDF5_FIELDS && !status; f++) {
        const struct ky_hdf5_field *field = &ky_hdf5_fields[f];
        const char *set_name = ky_hdf5_set_name(group, field);
        char where[64];
        if (!set_name) {
            status = missing(field, name, h, type, r, error);
            continue;
        }
        status = ky_hdf5_stays_inside(group, set_name, error);
        if (status)
            return ky_fail_in(error, status, "%s/", name);
        snprintf(where, sizeof where, "%s/%s", name, set_name);
        hid_t set = H5Dopen2(group, set_name, H5P_DEFAULT);
        status = ky_hdf5_check_set(set, field, where, h->here[type], error);
        H5Dclose(set);
        r->some_ids |= !field->array->real;
    }
    return status;
}

/* A per_piece: checks the groups of all types, and counts the bodies. */
static enum ky_status check_groups(hid_t file, const struct ky_hdf5_header *h, struct reader *r,
                                   struct ky_error *error)
{
    enum ky_status status = KY_OK;
    for (int t = 0; t < TYPES && !status; t++) {
        char name[24];
        snprintf(name, sizeof name, "PartType%d", t);
        if (r->options->types && !(r->options->types >> t & 1))
            continue;
        status = ky_hdf5_stays_inside(file, name, error);
        if (status)
            return status;
        hid_t group = ky_hdf5_group(file, name);
        if (h->here[t] && group < 0)
            status = ky_fail(error, KY_BAD_DATA,
                             "/Header says %" PRIu64 " bodies of type %d, but there is no %s",
                             h->here[t], t, name);
        else if (h->here[t] || (group >= 0 && H5Lexists(group, "Coordinates", H5P_DEFAULT) > 0))
            status = check_group(group, name, h, t, r, error);
        if (group >= 0)
            H5Gclose(group);
        if (h->here[t] > SIZE_MAX / 256 - r->n)
            return ky_fail(error, KY_BAD_DATA,
                           "/Header has more bodies than the memory of any machine holds");
        r->n += h->here[t];
        r->typed |= h->here[t] && t != 4;
        r->occurs[t] |= h->here[t] > 0;
    }
    return status;
}

/* ---- several files ---- */

/* Opens file number k of the snapshot that begins with `first`; `name` is to be freed. The first
 * file itself is used as it is. */
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

typedef enum ky_status per_piece(hid_t file, const struct ky_hdf5_header *h, struct reader *r,
                                 struct ky_error *error);

/* Calls `action` for every file in turn and compares the sum of bodies with the header's total. */
static enum ky_status for_pieces(const struct ky_input *first, struct reader *r, per_piece *action,
                                 struct ky_error *error)
{
    uint64_t sum[TYPES] = {0};
    struct ky_hdf5_header h = {0};
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
            status = ky_hdf5_read_header(file, r->options->types, &h, error);
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
                             "/Header: NumPart_Total says %" PRIu64
                             " bodies of type %d and there are %" PRIu64
                             "; a file is missing, or the header is wrong",
                             h.total[t], t, sum[t]);
    return status;
}

/* ---- reading ---- */

/* KY_BAD_DATA for an id below 0. Ids are read with the signedness in which they are stored, because
 * HDF5 turns a negative number into 0 where it is read as unsigned. */
static enum ky_status check_signed(const int64_t *ids, uint64_t count, uint64_t first,
                                   struct ky_error *error)
{
    for (uint64_t k = 0; k < count; k++)
        if (ids[k] < 0)
            return ky_fail(error, KY_BAD_DATA,
                           "row %" PRIu64 " of ParticleIDs is %" PRId64 "; ids are 0 or more, and "
                           "--renumber numbers all bodies anew",
                           first + k, ids[k]);
    return KY_OK;
}

/* The type into which the numbers of the data set are read. */
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

/* Reads a data set into its array from body `at` on, scaled, in the order of the caller. */
static enum ky_status read_field(hid_t group, const struct ky_hdf5_field *field, struct reader *r,
                                 uint64_t at, uint64_t rows, struct ky_error *error)
{
    const size_t columns = (size_t)field->array->columns;
    uint64_t *array = ky_hdf5_array(field, &r->snapshot->bodies);
    hid_t set = H5Dopen2(group, ky_hdf5_set_name(group, field), H5P_DEFAULT);
    hid_t space = H5Dget_space(set);
    double scale = ky_hdf5_scale(field->array, &r->stored, &r->snapshot->units) *
                   ky_hdf5_space_factor(set, field, &r->snapshot->space);
    enum ky_status status = KY_OK;
    for (uint64_t done = 0; done < rows && !status; done += SLAB) {
        uint64_t part = rows - done < SLAB ? rows - done : SLAB;
        uint64_t *to = r->order ? r->slab : array + (at + done) * columns;
        status = read_rows(set, space, field, done, part, to, error);
        if (scale != 1 && field->array->real)
            for (size_t k = 0; k < part * columns; k++)
                ((double *)to)[k] *= scale;
        for (size_t k = 0; r->order && k < part; k++)
            memcpy(array + r->order[at + done + k] * columns, to + k * columns,
                   columns * sizeof *array);
    }
    H5Sclose(space);
    H5Dclose(set);
    return status;
}

/* Gives `rows` bodies from `at` on the mass of /Header. */
static void fill_masses(struct reader *r, uint64_t at, uint64_t rows, double mass)
{
    mass *= ky_hdf5_scale(&ky_arrays[KY_ARRAY_MASS], &r->stored, &r->snapshot->units) *
            ky_space_factor(&r->snapshot->space, 0, 1, 0);
    for (uint64_t k = at; k < at + rows; k++)
        r->snapshot->bodies.mass[r->order ? r->order[k] : k] = mass;
}

/* A per_piece: reads the bodies of all types. */
static enum ky_status read_groups(hid_t file, const struct ky_hdf5_header *h, struct reader *r,
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
        hid_t group = ky_hdf5_group(file, name);
        enum ky_status status = KY_OK;
        for (int f = 0; f < KY_HDF5_FIELDS && !status; f++) {
            const struct ky_hdf5_field *field = &ky_hdf5_fields[f];
            if (!ky_hdf5_array(field, bodies))
                continue;
            if (field->array->mass && !ky_hdf5_set_name(group, field))
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

/* The INI text of our own files, to snapshot->parameters. */
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
        status = ky_fail(error, KY_BAD_DATA,
                         "/Kyoho/Parameters is damaged; delete that data set to read the bodies");
    } else {
        snapshot->parameters = ky_allocate_zeroed(bytes + 1, 1);
        if (!snapshot->parameters)
            status = ky_no_memory(error, "parameters", bytes, 1);
        else if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, snapshot->parameters) < 0)
            status = ky_fail(
                error, KY_BAD_DATA,
                "/Kyoho/Parameters cannot be read; delete that data set to read the bodies");
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
    return status;
}

/* KY_BAD_DATA unless the order names each of the n bodies once. */
static enum ky_status check_order(const uint64_t *order, uint64_t n, struct ky_error *error)
{
    unsigned char *seen = ky_allocate_zeroed(n, 1);
    if (!seen)
        return ky_no_memory(error, "check of the order", n, 1);
    enum ky_status status = KY_OK;
    for (uint64_t k = 0; k < n && !status; k++) {
        if (order[k] >= n || seen[order[k]])
            status =
                ky_fail(error, KY_BAD_DATA,
                        "/Kyoho/Order is not an order of the bodies; delete that data set to read "
                        "them as they lie");
        else
            seen[order[k]] = 1;
    }
    free(seen);
    return status;
}

/* Makes the orders of all files. Until one is found, bodies lie in their order. */
static enum ky_status make_order(struct reader *r, struct ky_error *error)
{
    r->order = ky_allocate(r->n, sizeof *r->order);
    r->slab = ky_allocate(SLAB, 3 * sizeof(double));
    if (!r->order || !r->slab)
        return ky_no_memory(error, "order of bodies", r->n, sizeof *r->order);
    for (uint64_t k = 0; k < r->n; k++)
        r->order[k] = k;
    return KY_OK;
}

/* Reads the order of the next `rows` bodies, those of one file. */
static enum ky_status read_set_of_order(hid_t own, struct reader *r, uint64_t rows,
                                        struct ky_error *error)
{
    static const struct ky_hdf5_field field = {.name = "Order", .array = &ky_arrays[KY_ARRAY_ID]};
    if (rows > r->n - r->ordered)
        return ky_fail(error, KY_BAD_DATA, "has changed while it was read");
    hid_t set = H5Dopen2(own, "Order", H5P_DEFAULT);
    enum ky_status status = ky_hdf5_check_set(set, &field, "/Kyoho/Order", rows, error);
    if (!status && !r->order)
        status = make_order(r, error);
    uint64_t *order = status ? NULL : r->order + r->ordered;
    if (!status && H5Dread(set, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, order) < 0)
        status = ky_fail(
            error, KY_BAD_DATA,
            "/Kyoho/Order cannot be read; delete that data set to read the bodies as they lie");
    H5Dclose(set);
    if (!status)
        status = check_order(order, rows, error);
    for (uint64_t k = 0; k < rows && !status; k++)
        order[k] += r->ordered;
    return status;
}

/* A per_piece: the order of the bodies in one of our own files, if they were not grouped by type.
 */
static enum ky_status read_order(hid_t file, const struct ky_hdf5_header *h, struct reader *r,
                                 struct ky_error *error)
{
    uint64_t rows = 0;
    enum ky_status status = KY_OK;
    hid_t own = ky_hdf5_group(file, "Kyoho");
    for (int t = 0; t < TYPES; t++)
        rows += h->here[t];
    if (own >= 0 && !r->options->types && H5Lexists(own, "Order", H5P_DEFAULT) > 0)
        status = read_set_of_order(own, r, rows, error);
    ky_hdf5_close_group(own);
    r->ordered += rows;
    return status;
}

/* Reads what the first file says for all: units, time, space and the number of files. */
static enum ky_status read_preface(hid_t file, struct reader *r, struct ky_error *error)
{
    struct ky_hdf5_header h;
    enum ky_status status = ky_hdf5_read_header(file, r->options->types, &h, error);
    r->files = h.files;
    if (!status)
        status = ky_hdf5_read_units(file, r->options, &r->stored, &r->snapshot->units, error);
    if (status)
        return status;
    r->snapshot->time = h.time * ky_hdf5_time_scale(&r->stored, &r->snapshot->units);
    struct ky_space space;
    status = ky_hdf5_read_space(file, h.time, &space, error);
    return status ? status : ky_space_decide(&space, r->options, r->snapshot, error);
}

/* Reads what only our own files have. */
static enum ky_status read_own(hid_t file, struct reader *r, struct ky_error *error)
{
    hid_t own = ky_hdf5_group(file, "Kyoho");
    if (own < 0)
        return KY_OK;
    r->snapshot->softening = ky_hdf5_real(own, "Softening", (double)NAN);
    r->snapshot->softening_kind = ky_softening_kind_of(ky_hdf5_real(own, "SofteningSymmetric", -1));
    enum ky_status status = read_parameters(own, r->snapshot, error);
    H5Gclose(own);
    return status;
}

/* Uses the softenings of the types, where neither a data set nor our own parameters give one: one
 * for all if they are the same, else one for each body. */
static enum ky_status soften_types(struct reader *r, struct ky_error *error)
{
    struct ky_bodies *bodies = &r->snapshot->bodies;
    double least = (double)INFINITY, most = 0;
    for (int t = 0; t < TYPES; t++)
        if (r->occurs[t]) {
            if (isnan(r->softening[t]) || bodies->softening || !isnan(r->snapshot->softening))
                return KY_OK;
            least = fmin(least, r->softening[t]);
            most = fmax(most, r->softening[t]);
        }
    if (least == most) {
        r->snapshot->softening = least;
        return KY_OK;
    }
    enum ky_status status = ky_bodies_extend(bodies, KY_WITH_SOFTENING, error);
    for (size_t i = 0; i < bodies->n && !status; i++)
        bodies->softening[i] = r->softening[ky_type_of(bodies, i)];
    return status;
}

/* Allocates the arrays that every group has. KY_BAD_DATA if some types have ids and others have
 * none. */
static enum ky_status allocate(struct reader *r, struct ky_error *error)
{
    /* potentials and accelerations hold only in the space in which the file was made */
    const unsigned lost =
        r->snapshot->space.converted ? KY_WITH_POTENTIAL | KY_WITH_ACCELERATION : 0;
    unsigned with = r->typed ? KY_WITH_TYPE : 0;
    if (r->some_ids && r->lacks_ids)
        return ky_fail(error, KY_BAD_DATA,
                       "PartType%c has no data set ParticleIDs and other types have; --renumber "
                       "numbers all bodies anew",
                       r->lacks_ids);
    for (int f = 0; f < KY_HDF5_FIELDS; f++)
        with |= r->has[f] ? ky_hdf5_fields[f].array->with : 0;
    with &= ~(lost | (r->options->renumber ? KY_WITH_ID : 0));
    return ky_bodies_allocate(&r->snapshot->bodies, (size_t)r->n, with, error);
}

/* Reads a whole file, or several. The library is entered. */
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
    if (!status && r->n)
        status = for_pieces(input, r, read_order, error);
    if (!status && r->n)
        ky_hdf5_read_softenings(first, r->options, &r->snapshot->space, r->softening);
    H5Fclose(first);
    if (!status && ky_count_alone(r->options, r->n)) {
        r->snapshot->bodies.n = (size_t)r->n;
        return KY_OK;
    }
    if (!status && r->n)
        status = allocate(r, error);
    if (status || !r->n)
        return status;
    r->n = 0; /* from here on n counts the bodies that have been read */
    status = for_pieces(input, r, read_groups, error);
    return status ? status : soften_types(r, error);
}

enum ky_status ky_hdf5_read(const struct ky_input *input, const struct ky_read_options *options,
                            struct ky_snapshot *snapshot, struct ky_error *error)
{
    struct reader r = {.options = options, .snapshot = snapshot, .stored.g = 1, .files = 1};
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
