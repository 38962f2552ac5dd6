/* The reader of GADGET-style HDF5, from Kyoho or other codes, in one file or several. A first pass
 * checks headers, data sets and sizes of all files. Only then is memory allocated, for all bodies
 * or for a share of them, which hdf5_rows.c reads. */
#ifdef KY_HAVE_HDF5
#include "snapshot/hdf5_reader.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "snapshot/shared_file.h"
#include "snapshot/space.h"

enum { TYPES = KY_HDF5_TYPES };

/* The error for a file that HDF5 does not open. */
static enum ky_status cannot_open(hid_t failed, struct ky_error *error)
{
    if (failed == KY_HDF5_NO_MEMORY)
        return ky_fail(error, KY_FAULT, "out of memory: HDF5 cannot open it");
    return ky_fail(error, KY_BAD_DATA,
                   "HDF5 cannot open it; it is cut off, damaged or was never finished");
}

/* ---- the first pass ---- */

/* A group with the bodies of a type. */
struct group {
    hid_t id;
    const char *name;
    int type;
    const struct ky_hdf5_header *header;
};

/* For a field that a group lacks: KY_BAD_DATA if it is required, otherwise no body of the file has
 * it. */
static enum ky_status missing(const struct ky_hdf5_field *field, const struct group *group,
                              struct ky_hdf5_reader *r, struct ky_error *error)
{
    if (!field->array->real && !r->options->renumber && !r->lacks_ids)
        r->lacks_ids = group->name[8];
    if (field->array->with) {
        r->has[field - ky_hdf5_fields] = 0;
        return KY_OK;
    }
    if (field->array->mass && group->header->mass[group->type] > 0)
        return KY_OK;
    return ky_fail(error, KY_BAD_DATA,
                   "%s has no data set %s%s; --types chooses types that have one", group->name,
                   field->name, field->array->mass ? ", and /Header/MassTable no mass" : "");
}

/* Checks that the data sets of the group can be read, and records which optional ones it has. */
static enum ky_status check_group(const struct group *group, struct ky_hdf5_reader *r,
                                  struct ky_error *error)
{
    enum ky_status status = KY_OK;
    for (int f = 0; f < KY_HDF5_FIELDS && !status; f++) {
        const struct ky_hdf5_field *field = &ky_hdf5_fields[f];
        const char *set_name = ky_hdf5_set_name(group->id, field);
        char where[64];
        if (!set_name) {
            status = missing(field, group, r, error);
            continue;
        }
        status = ky_hdf5_stays_inside(group->id, set_name, error);
        if (status)
            return ky_fail_in(error, status, "%s/", group->name);
        snprintf(where, sizeof where, "%s/%s", group->name, set_name);
        hid_t set = H5Dopen2(group->id, set_name, H5P_DEFAULT);
        status = ky_hdf5_check_set(set, field, where, group->header->here[group->type], error);
        H5Dclose(set);
        r->some_ids |= !field->array->real;
    }
    return status;
}

/* A per_piece: checks the groups of all types, and counts the bodies. */
static enum ky_status check_groups(hid_t file, const struct ky_hdf5_header *h,
                                   struct ky_hdf5_reader *r, struct ky_error *error)
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
            status = check_group(&(struct group){group, name, t, h}, r, error);
        if (group >= 0)
            H5Gclose(group);
        if (h->here[t] > SIZE_MAX / 256 - r->n)
            return ky_fail(error, KY_BAD_DATA,
                           "/Header has more bodies than fit into the memory of any machine");
        r->n += h->here[t];
        r->typed |= h->here[t] && t != 4;
        r->occurs[t] |= h->here[t] > 0;
    }
    r->some_order |= ky_hdf5_has_order(file, r);
    return status;
}

/* ---- several files ---- */

/* Records the number of bodies up to the end of file number k; KY_BAD_DATA if it was known and
 * differs. */
static enum ky_status note_bodies(struct ky_hdf5_reader *r, int k, struct ky_error *error)
{
    if (r->before[k + 1] && r->before[k + 1] != r->n)
        return ky_hdf5_has_changed(error);
    r->before[k + 1] = r->n;
    return KY_OK;
}

/* KY_BAD_DATA for a file of another snapshot than the first file: with another time, number of
 * files or bodies, mass, or run. Not all programs write all of these numbers. */
static enum ky_status check_same(const struct ky_hdf5_reader *r, const struct ky_hdf5_header *h,
                                 struct ky_error *error)
{
    const struct ky_hdf5_header *like = &r->like;
    if (h->time != like->time)
        return ky_fail(error, KY_BAD_DATA,
                       "its time is %.15g, but %.15g in the first file: they are pieces of "
                       "different snapshots",
                       h->time, like->time);
    if (h->files != like->files)
        return ky_fail(error, KY_BAD_DATA,
                       "is one of %d files, but the first file is one of %d: they are pieces of "
                       "different snapshots",
                       h->files, like->files);
    for (int t = 0; t < TYPES; t++)
        if (h->has_total && like->has_total && h->total[t] != like->total[t])
            return ky_fail(error, KY_BAD_DATA,
                           "/Header: NumPart_Total says %" PRIu64
                           " bodies of type %d, and that of the first file %" PRIu64
                           ": they are pieces of different snapshots",
                           h->total[t], t, like->total[t]);
        else if (h->mass[t] != like->mass[t] && h->here[t] && like->here[t])
            return ky_fail(error, KY_BAD_DATA,
                           "/Header: MassTable gives bodies of type %d the mass %g, but %g in the "
                           "first file: they are pieces of different snapshots",
                           t, h->mass[t], like->mass[t]);
    return h->run == like->run ? KY_OK
                               : ky_fail(error, KY_BAD_DATA,
                                         "is a piece of another run than the first file "
                                         "(/Kyoho/Run)");
}

/* Calls `action` for the files in turn. After the last file, compares the number of bodies with the
 * header's total. */
static enum ky_status for_pieces(const struct ky_input *first, struct ky_hdf5_reader *r,
                                 ky_hdf5_per_piece *action, struct ky_error *error)
{
    const int are_all = r->end - r->begin == r->files;
    uint64_t sum[TYPES] = {0};
    struct ky_hdf5_header h = {0};
    enum ky_status status = KY_OK;
    for (int k = r->begin; k < r->end && !status; k++) {
        struct ky_input piece;
        KY_TRY(ky_piece_open(first, (unsigned)r->files, (unsigned)k, &piece, error));
        const hid_t file = ky_hdf5_open(&piece);
        if (file < 0)
            status = cannot_open(file, error);
        if (!status)
            status = ky_hdf5_read_header(file, r->options->types, &h, error);
        if (!status)
            status = check_same(r, &h, error);
        if (!status)
            status = action(file, &h, r, error);
        if (!status && r->before)
            status = note_bodies(r, k, error);
        for (int t = 0; t < TYPES; t++)
            sum[t] += h.here[t];
        if (status && r->files > 1)
            ky_fail_in(error, status, "%s: ", piece.path);
        if (file >= 0)
            H5Fclose(file);
        ky_piece_close(first, (unsigned)k, &piece);
    }
    for (int t = 0; t < TYPES && !status && h.has_total && are_all; t++)
        if (sum[t] != h.total[t])
            status = ky_fail(error, KY_BAD_DATA,
                             "/Header: NumPart_Total says %" PRIu64
                             " bodies of type %d and there are %" PRIu64
                             "; a file is missing, or the header is wrong",
                             h.total[t], t, sum[t]);
    return status;
}

/* ---- data besides the bodies ---- */

/* The mass of all bodies by the header of the first file; NaN if not all are selected, or not all
 * masses are there. */
static double mass_of_all(const struct ky_hdf5_reader *r)
{
    const struct ky_hdf5_header *h = &r->like;
    double sum = 0;
    for (int t = 0; t < TYPES; t++) {
        const uint64_t n = h->has_total ? h->total[t] : h->here[t];
        if (r->options->types || (n && !(h->mass[t] > 0)))
            return (double)NAN;
        sum += (double)n * h->mass[t];
    }
    return sum;
}

/* The softening that our files give is comoving, without factors of h, if they are: its factor in
 * the space of the snapshot that is read. */
static double softening_scale(const struct ky_space *file, const struct ky_space *read)
{
    if (!file->comoving || read->converted == KY_TO_COMOVING)
        return 1;
    if (read->converted == KY_TO_PHYSICAL)
        return file->scale_factor;
    return file->per_h ? file->hubble : 1;
}

/* Reads the data of the first file that apply to all: units, time, space and the number of
 * files. */
static enum ky_status read_preface(hid_t file, struct ky_hdf5_reader *r, struct ky_error *error)
{
    struct ky_hdf5_header h;
    enum ky_status status = ky_hdf5_read_header(file, r->options->types, &h, error);
    r->like = h;
    r->files = h.files;
    if (!status)
        status = ky_hdf5_read_units(file, r->options, &r->stored, &r->snapshot->units, error);
    if (status)
        return status;
    r->snapshot->time = h.time * ky_hdf5_time_scale(&r->stored, &r->snapshot->units);
    struct ky_space space = {0};
    status = ky_hdf5_read_space(file, r, &space, error);
    if (!status && !(r->stored.length_cm > 0) && H5Lexists(file, "Kyoho", H5P_DEFAULT) <= 0) {
        status = ky_space_find_units(&space, mass_of_all(r), r->options, &r->stored, error);
        r->snapshot->units = r->stored;
    }
    space.box *= ky_hdf5_scale(&ky_arrays[KY_ARRAY_POSITION], &r->stored, &r->snapshot->units);
    KY_TRY(status);
    KY_TRY(ky_space_decide(&space, r->options, r->snapshot, error));
    r->softening_scale = softening_scale(&space, &r->snapshot->space);
    return KY_OK;
}

/* Reads the data that only our own files have. */
static enum ky_status read_own(hid_t file, struct ky_hdf5_reader *r, struct ky_error *error)
{
    hid_t own = ky_hdf5_group(file, "Kyoho");
    if (own < 0)
        return KY_OK;
    r->snapshot->softening = ky_hdf5_real(own, "Softening", (double)NAN) * r->softening_scale;
    r->snapshot->softening_kind = ky_softening_kind_of(ky_hdf5_real(own, "SofteningSymmetric", -1));
    enum ky_status status = ky_hdf5_read_parameters(own, r->snapshot, error);
    H5Gclose(own);
    return status;
}

/* If neither a data set nor our own parameters give softenings, uses the softenings of the types: a
 * common one if they are equal. Returns 1 if they are not, so that each body has its own. */
static int softens_types(struct ky_hdf5_reader *r)
{
    double least = (double)INFINITY, most = 0;
    for (int t = 0; t < TYPES; t++)
        if (r->occurs[t]) {
            if (isnan(r->softening[t]) || r->has_softenings || !isnan(r->snapshot->softening))
                return 0;
            least = fmin(least, r->softening[t]);
            most = fmax(most, r->softening[t]);
        }
    if (least == most)
        r->snapshot->softening = least;
    return least < most;
}

static enum ky_status give_softenings(struct ky_hdf5_reader *r, struct ky_error *error)
{
    struct ky_bodies *bodies = &r->snapshot->bodies;
    KY_TRY(ky_bodies_extend(bodies, KY_WITH_SOFTENING, error));
    for (size_t i = 0; i < bodies->n; i++)
        bodies->softening[i] = r->softening[ky_type_of(bodies, i)];
    return KY_OK;
}

/* Selects the optional arrays that every group has. KY_BAD_DATA if some types have ids and others
 * have none. */
static enum ky_status find_arrays(struct ky_hdf5_reader *r, unsigned *with, struct ky_error *error)
{
    /* potentials and accelerations are valid only in the space in which the file was made */
    const unsigned lost =
        r->snapshot->space.converted ? KY_WITH_POTENTIAL | KY_WITH_ACCELERATION : 0;
    if (r->some_ids && r->lacks_ids)
        return ky_fail(error, KY_BAD_DATA,
                       "PartType%c has no data set ParticleIDs, but other types have one; "
                       "--renumber gives all bodies new ids",
                       r->lacks_ids);
    *with = r->typed ? KY_WITH_TYPE : 0;
    for (int f = 0; f < KY_HDF5_FIELDS; f++)
        *with |= r->has[f] ? ky_hdf5_fields[f].array->with : 0;
    *with &= ~(lost | (r->options->renumber ? KY_WITH_ID : 0));
    r->has_softenings = (*with & KY_WITH_SOFTENING) != 0;
    return KY_OK;
}

/* ---- requests ---- */

/* Reads everything except bodies, from all files. `first` is the first one. */
static enum ky_status survey(const struct ky_input *input, hid_t first, struct ky_hdf5_reader *r,
                             struct ky_error *error)
{
    KY_TRY(read_preface(first, r, error));
    r->begin = 0;
    r->end = r->files;
    if (r->counts && !(r->before = ky_allocate_zeroed((size_t)r->files + 1, sizeof *r->before)))
        return ky_no_memory(error, "files of a snapshot", (size_t)r->files, sizeof r->n);
    KY_TRY(for_pieces(input, r, check_groups, error));
    r->all = r->n;
    if (!r->n)
        return KY_OK;
    KY_TRY(read_own(first, r, error));
    ky_hdf5_read_softenings(first, r->options, &r->snapshot->space, r->softening);
    return KY_OK;
}

/* Reads the bodies of all files. */
static enum ky_status read_bodies(const struct ky_input *input, struct ky_hdf5_reader *r,
                                  struct ky_error *error)
{
    unsigned with;
    if (r->some_order)
        KY_TRY(for_pieces(input, r, ky_hdf5_read_order, error));
    if (ky_count_alone(r->options, r->n)) {
        r->snapshot->bodies.n = (size_t)r->n;
        return KY_OK;
    }
    KY_TRY(find_arrays(r, &with, error));
    KY_TRY(ky_bodies_allocate(&r->snapshot->bodies, (size_t)r->n, with, error));
    r->n = 0; /* from here on n counts the bodies that have been read */
    KY_TRY(for_pieces(input, r, ky_hdf5_read_groups, error));
    return softens_types(r) ? give_softenings(r, error) : KY_OK;
}

/* A per_piece: checks one of the files of a share, and reads its part of the share. */
static enum ky_status read_share(hid_t file, const struct ky_hdf5_header *h,
                                 struct ky_hdf5_reader *r, struct ky_error *error)
{
    const uint64_t at = r->n;
    enum ky_status status = check_groups(file, h, r, error);
    r->n = at;
    return status ? status : ky_hdf5_read_groups(file, h, r, error);
}

/* Reads the bodies of a share from the files that contain them. */
static enum ky_status read_shares(const struct ky_input *input, hid_t first,
                                  struct ky_hdf5_reader *r, struct ky_error *error)
{
    const int files = r->files;
    KY_TRY(read_preface(first, r, error));
    if (r->files != files)
        KY_TRY(ky_hdf5_has_changed(error));
    while (r->before[r->begin + 1] <= r->first)
        r->begin++;
    while (r->before[r->end] < r->first + r->snapshot->bodies.n)
        r->end++;
    r->n = r->before[r->begin];
    return for_pieces(input, r, read_share, error);
}

/* ---- the verbs ---- */

typedef enum ky_status reading(const struct ky_input *input, hid_t first, struct ky_hdf5_reader *r,
                               struct ky_error *error);

/* Reads with the first file open, between enter and leave. */
static enum ky_status enter(const struct ky_input *input, reading *read, struct ky_hdf5_reader *r,
                            struct ky_error *error)
{
    struct ky_hdf5_quiet quiet;
    r->stored.g = 1;
    for (int f = 0; f < KY_HDF5_FIELDS; f++)
        r->has[f] = 1;
    ky_hdf5_enter(&quiet);
    hid_t first = ky_hdf5_open(input);
    enum ky_status status = first < 0 ? cannot_open(first, error) : read(input, first, r, error);
    if (first >= 0)
        H5Fclose(first);
    ky_hdf5_leave(&quiet);
    free(r->order);
    free(r->slab);
    return status;
}

static enum ky_status read_all(const struct ky_input *input, hid_t first, struct ky_hdf5_reader *r,
                               struct ky_error *error)
{
    enum ky_status status = survey(input, first, r, error);
    return status || !r->n ? status : read_bodies(input, r, error);
}

enum ky_status ky_hdf5_read(const struct ky_input *input, const struct ky_read_options *options,
                            struct ky_snapshot *snapshot, struct ky_error *error)
{
    struct ky_hdf5_reader r = {.options = options, .snapshot = snapshot};
    return enter(input, read_all, &r, error);
}

static enum ky_status find_shares(const struct ky_input *input,
                                  const struct ky_read_options *options,
                                  struct ky_snapshot *snapshot, struct ky_shared_file *file,
                                  struct ky_error *error)
{
    struct ky_hdf5_reader r = {.options = options, .snapshot = snapshot, .counts = 1};
    enum ky_status status = enter(input, survey, &r, error);
    if (!status)
        status = find_arrays(&r, &file->with, error);
    file->before = r.before;
    file->files = (size_t)r.files;
    snapshot->bodies.n = (size_t)r.n;
    file->is_divisible = !status && !r.some_order && !softens_types(&r);
    return status;
}

static enum ky_status read_share_of(const struct ky_input *input, const struct ky_shared_file *file,
                                    uint64_t first, struct ky_bodies *bodies,
                                    struct ky_error *error)
{
    struct ky_snapshot own;
    ky_snapshot_clear(&own);
    own.bodies = *bodies;
    struct ky_hdf5_reader r = {.options = &file->options,
                               .snapshot = &own,
                               .files = (int)file->files,
                               .before = file->before,
                               .first = first,
                               .all = file->before[file->files]};
    return enter(input, read_shares, &r, error);
}

const struct ky_share_verbs ky_hdf5_shares = {find_shares, read_share_of};
#else
typedef int ky_hdf5_is_absent;
#endif
