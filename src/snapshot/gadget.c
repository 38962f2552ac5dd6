/* The reader of GADGET's binary formats 1 and 2. They consist of Fortran records in either byte
 * order, each between two markers with its length. Format 1 has the blocks POS, VEL, ID and MASS in
 * this order. Format 2 names them, and may have POT and ACCE. Numbers are floats or doubles, ids
 * have 32 or 64 bits, and a snapshot is one file or several. Markers are 32 bits wide: a record of
 * 4 GB or more stores its length modulo 2^32. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "snapshot/bytes.h"
#include "snapshot/shared_file.h"
#include "snapshot/space.h"

enum { TYPES = 6, HEADER = 256, SLAB = 1 << 17, MOST_FILES = 1000000 };

enum { POS, VEL, ID, MASS, POT, ACCE, BLOCKS, UNKNOWN = BLOCKS };
static const struct {
    const char *name;
    enum ky_array_id array;
} blocks[BLOCKS] = {
    {"POS ", KY_ARRAY_POSITION}, {"VEL ", KY_ARRAY_VELOCITY},  {"ID  ", KY_ARRAY_ID},
    {"MASS", KY_ARRAY_MASS},     {"POT ", KY_ARRAY_POTENTIAL}, {"ACCE", KY_ARRAY_ACCELERATION},
};

/* The array of struct ky_bodies for a block. */
static const struct ky_array *about(int block)
{
    return &ky_arrays[blocks[block].array];
}

/* One file of the snapshot. */
struct piece {
    struct ky_input input;
    int turn, named; /* 1: the other byte order; 1: format 2 */
    uint64_t count[TYPES], total[TYPES];
    double mass[TYPES], time;
    struct ky_space space;
    uint64_t n, without_mass; /* bodies; bodies whose mass is not in the header */
    uint32_t files;
    struct {
        uint64_t offset; /* 0: absent */
        size_t width;
    } block[BLOCKS];
};

/* 1 if the 4 bytes from `at` on exist and contain `value`. */
static int marker_is(const unsigned char *head, size_t bytes, size_t at, uint32_t value, int turn)
{
    return bytes >= at + 4 && ky_load32(head + at, turn) == value;
}

int ky_gadget1_recognise(const struct ky_input *input, const unsigned char *head, size_t bytes)
{
    (void)input;
    for (int turn = 0; turn < 2; turn++)
        if (marker_is(head, bytes, 0, HEADER, turn) &&
            marker_is(head, bytes, HEADER + 4, HEADER, turn))
            return 1;
    return 0;
}

int ky_gadget2_recognise(const struct ky_input *input, const unsigned char *head, size_t bytes)
{
    (void)input;
    for (int turn = 0; turn < 2; turn++)
        if (bytes >= 8 && marker_is(head, bytes, 0, 8, turn) && !memcmp(head + 4, "HEAD", 4))
            return 1;
    return 0;
}

/* Finds the length of the record at `offset`. `fits` says whether the block can have a given
 * length. KY_BAD_DATA if no length allowed by the marker agrees with the marker at the end. */
static enum ky_status record(const struct piece *p, uint64_t offset,
                             int (*fits)(const struct piece *, int block, uint64_t length),
                             int block, uint64_t *length, struct ky_error *error)
{
    unsigned char bytes[4];
    KY_TRY(ky_input_read(&p->input, offset, bytes, 4, error));
    uint32_t marker = ky_load32(bytes, p->turn);
    for (*length = marker; *length <= p->input.size - offset - 4; *length += (uint64_t)1 << 32) {
        if (!fits(p, block, *length))
            continue;
        KY_TRY(ky_input_read(&p->input, offset + 4 + *length, bytes, 4, error));
        if (ky_load32(bytes, p->turn) == marker)
            return KY_OK;
    }
    return ky_fail(error, KY_BAD_DATA,
                   "the %s record at byte %" PRIu64 " is marked %" PRIu32
                   " bytes long, which does not agree with the header or with the record's end; "
                   "the file is cut off or damaged",
                   block < BLOCKS ? blocks[block].name : "next", offset, marker);
}

/* The number of bodies with a number in the block. */
static uint64_t rows_of(const struct piece *p, int block)
{
    return block == MASS ? p->without_mass : p->n;
}

/* 1 if a record of this length can hold the block, as floats or as doubles. */
static int fits_block(const struct piece *p, int block, uint64_t length)
{
    if (block >= BLOCKS)
        return 1;
    uint64_t numbers = rows_of(p, block) * (uint64_t)about(block)->columns;
    return length == 4 * numbers || length == 8 * numbers;
}

/* For records that are not blocks of bodies. */
static int fits_anything(const struct piece *p, int block, uint64_t length)
{
    (void)p, (void)block, (void)length;
    return 1;
}

/* Reads redshift, side of the box, density parameters and h. All are 0 for an isolated system. So a
 * redshift of 0 may mean that the file gives none. */
static enum ky_status read_space(struct piece *p, const unsigned char head[HEADER],
                                 struct ky_error *error)
{
    static const struct {
        enum ky_space_fact fact;
        size_t at;
        const char *name;
    } places[] = {
        {KY_REDSHIFT, 80, "its redshift"},       {KY_BOX_SIDE, 128, "the side of its box"},
        {KY_OMEGA_MATTER, 136, "its Omega0"},    {KY_OMEGA_LAMBDA, 144, "its OmegaLambda"},
        {KY_HUBBLE, 152, "its HubbleParam (h)"}, {KY_PER_H, 152, "its HubbleParam (h)"}};
    double facts[KY_SPACE_FACTS];
    for (int k = 0; k < KY_SPACE_FACTS; k++)
        facts[k] = (double)NAN;
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        facts[places[k].fact] = ky_load_real(head + places[k].at, 8, p->turn);
        KY_TRY(ky_space_check(places[k].fact, facts[places[k].fact], places[k].name, error));
    }
    if (facts[KY_REDSHIFT] == 0)
        facts[KY_REDSHIFT] = (double)NAN;
    p->space = ky_space_of(facts, p->time);
    return KY_OK;
}

/* 1 for the header of GADGET-4, which has 64-bit counts of six types and then of all files, and
 * neither h nor density parameters. As GADGET-2's header its totals would be masses, time and
 * redshift, whose bits as integers are 0 or far larger than any count. */
static int is_of_gadget4(const unsigned char head[HEADER], int turn)
{
    static const uint64_t most = (uint64_t)1 << 48;
    uint64_t sum = 0;
    for (size_t t = 0; t < TYPES; t++) {
        const uint64_t here = ky_load64(head + 8 * t, turn),
                       all = ky_load64(head + 48 + 8 * t, turn);
        if (here > all || all >= most)
            return 0;
        sum += all;
    }
    return sum > 0;
}

/* Reads the header. *offset becomes the byte after it. KY_BAD_DATA for impossible numbers. */
static enum ky_status read_header(struct piece *p, uint64_t *offset, struct ky_error *error)
{
    unsigned char head[HEADER];
    uint64_t length;
    KY_TRY(ky_input_read(&p->input, 0, head, 8, error));
    uint32_t first = ky_load32(head, 0);
    p->turn = first != HEADER && first != 8;
    p->named = ky_load32(head, p->turn) == 8;
    *offset = p->named ? 16 : 0;
    KY_TRY(record(p, *offset, fits_anything, UNKNOWN, &length, error));
    if (length != HEADER)
        return ky_fail(error, KY_BAD_DATA, "its header has %" PRIu64 " bytes; it must have %d",
                       length, HEADER);
    KY_TRY(ky_input_read(&p->input, *offset + 4, head, HEADER, error));
    *offset += HEADER + 8;
    if (is_of_gadget4(head, p->turn))
        return ky_fail(error, KY_BAD_DATA,
                       "has the header of GADGET-4, which gives neither h nor a cosmology: let it "
                       "write HDF5 (SnapFormat 3), or compile it with GADGET2_HEADER");
    for (int t = 0; t < TYPES; t++) {
        p->count[t] = ky_load32(head + 4 * t, p->turn);
        p->mass[t] = ky_load_real(head + 24 + 8 * t, 8, p->turn);
        p->total[t] = ky_load32(head + 96 + 4 * t, p->turn) +
                      ((uint64_t)ky_load32(head + 168 + 4 * t, p->turn) << 32);
        p->n += p->count[t];
        if (!(p->mass[t] > 0))
            p->without_mass += p->count[t];
        if (!isfinite(p->mass[t]) || p->mass[t] < 0)
            return ky_fail(error, KY_BAD_DATA,
                           "its header gives bodies of type %d the mass %g; it must be 0 or more",
                           t, p->mass[t]);
    }
    p->time = ky_load_real(head + 72, 8, p->turn);
    p->files = ky_load32(head + 124, p->turn);
    if (!isfinite(p->time))
        return ky_fail(error, KY_BAD_DATA, "its time is %g; it must be finite", p->time);
    KY_TRY(read_space(p, head, error));
    if (p->files > MOST_FILES)
        return ky_fail(error, KY_BAD_DATA, "its header says %" PRIu32 " files; at most %d are read",
                       p->files, MOST_FILES);
    p->files = p->files ? p->files : 1;
    /* positions alone take 12 bytes per body, so no memory is allocated for a count that the file
     * cannot hold */
    if (p->n > p->input.size / 12)
        return ky_fail(error, KY_BAD_DATA,
                       "its header says %" PRIu64 " bodies, which do not fit in its %" PRIu64
                       " bytes",
                       p->n, p->input.size);
    return KY_OK;
}

/* Identifies the next block: by position in format 1, by name in format 2. */
static enum ky_status next_block(const struct piece *p, uint64_t *offset, int place, int *block,
                                 struct ky_error *error)
{
    unsigned char name[4];
    uint64_t length;
    *block = place < MASS || (place == MASS && p->without_mass) ? place : UNKNOWN;
    if (!p->named)
        return KY_OK;
    *block = UNKNOWN;
    KY_TRY(record(p, *offset, fits_anything, UNKNOWN, &length, error));
    if (length != 8)
        return ky_fail(error, KY_BAD_DATA, "has no block name at byte %" PRIu64 "; it is damaged",
                       *offset);
    KY_TRY(ky_input_read(&p->input, *offset + 4, name, 4, error));
    *offset += 16;
    for (int k = 0; k < BLOCKS; k++)
        if (!memcmp(name, blocks[k].name, 4))
            *block = k;
    return KY_OK;
}

/* Finds the blocks, and checks that every record is complete. */
static enum ky_status survey(struct piece *p, struct ky_error *error)
{
    uint64_t offset, length = 0;
    enum ky_status status = read_header(p, &offset, error);
    for (int place = 0; !status && p->n && offset < p->input.size; place++) {
        int block;
        status = next_block(p, &offset, place, &block, error);
        if (!status)
            status = record(p, offset, fits_block, block, &length, error);
        if (!status && block < BLOCKS) {
            uint64_t rows = rows_of(p, block) * (uint64_t)about(block)->columns;
            p->block[block].offset = offset + 4;
            p->block[block].width = rows ? (size_t)(length / rows) : 4;
        }
        offset += length + 8;
    }
    for (int k = 0; k < BLOCKS && !status && p->n; k++)
        if (!p->block[k].offset && !about(k)->with && rows_of(p, k))
            status = ky_fail(error, KY_BAD_DATA, "has no block %s; it is cut off or damaged",
                             blocks[k].name);
    return status;
}

/* Opens file number k of `files` and finds its blocks. ky_piece_close closes it, also after a
 * failure. */
static enum ky_status open_piece(const struct ky_input *first, uint32_t files, uint32_t k,
                                 struct piece *p, struct ky_error *error)
{
    *p = (struct piece){.input.fd = first->fd};
    KY_TRY(ky_piece_open(first, files, k, &p->input, error));
    const enum ky_status status = survey(p, error);
    return status && files > 1 ? ky_fail_in(error, status, "%s: ", p->input.path) : status;
}

/* Reads `count` numbers of the block from number `from` on, into an array of 8-byte numbers. */
static enum ky_status read_numbers(const struct piece *p, int block, uint64_t from, uint64_t count,
                                   void *array, unsigned char *slab, struct ky_error *error)
{
    const size_t width = p->block[block].width;
    uint64_t *ids = array;
    double *reals = array;
    for (uint64_t done = 0; done < count;) {
        size_t part = count - done < SLAB ? (size_t)(count - done) : SLAB;
        KY_TRY(ky_input_read(&p->input, p->block[block].offset + (from + done) * width, slab,
                             part * width, error));
        for (size_t k = 0; k < part; k++) {
            const unsigned char *at = slab + k * width;
            if (about(block)->real)
                reals[done + k] = ky_load_real(at, width, p->turn);
            else
                ids[done + k] = width == 8 ? ky_load64(at, p->turn) : ky_load32(at, p->turn);
        }
        done += part;
    }
    return KY_OK;
}

/* The wanted bodies and their destination. */
struct share {
    uint64_t first;          /* number of the body for element 0 of the arrays */
    struct ky_bodies bodies; /* arrays that are NULL are not wanted */
    struct ky_space space;
    int convention; /* enum ky_convention */
    unsigned char *slab;
};

/* Converts the numbers of block k to physical units. */
static void scale(const struct share *share, int k, double *numbers, uint64_t count)
{
    const struct ky_array *array = about(k);
    double factor = ky_space_factor(&share->space, array->length, array->mass,
                                    share->convention == KY_CONVENTION_SWIFT ? 0 : array->velocity);
    for (uint64_t i = 0; i < count && factor != 1 && array->real; i++)
        numbers[i] *= factor;
}

/* Reads the masses of the bodies of a file, the first of which has the number `at`, from the header
 * or from the block. */
static enum ky_status read_masses(const struct piece *p, uint64_t at, const struct share *share,
                                  struct ky_error *error)
{
    double *mass = share->bodies.mass;
    enum ky_status status = KY_OK;
    uint64_t listed = 0;
    for (int t = 0; t < TYPES && !status && mass; at += p->count[t], t++) {
        const struct ky_rows rows = ky_rows_wanted(share->first, share->bodies.n, at, p->count[t]);
        if (p->mass[t] > 0) {
            for (uint64_t k = 0; k < rows.count; k++)
                mass[rows.at + k] = p->mass[t];
            continue;
        }
        status = read_numbers(p, MASS, listed + rows.row, rows.count, mass + rows.at, share->slab,
                              error);
        listed += p->count[t];
    }
    return status;
}

/* Reads the wanted bodies of a file. The first body of the file has the number `at`. */
static enum ky_status read_piece(const struct piece *p, uint64_t at, const struct share *share,
                                 struct ky_error *error)
{
    const struct ky_bodies *bodies = &share->bodies;
    const struct ky_rows rows = ky_rows_wanted(share->first, bodies->n, at, p->n);
    KY_TRY(read_masses(p, at, share, error));
    for (int k = 0; k < BLOCKS; k++) {
        char *array = ky_array_of(bodies, blocks[k].array);
        const uint64_t columns = (uint64_t)about(k)->columns;
        array = array && rows.count ? array + 8 * columns * rows.at : NULL;
        if (array && rows_of(p, k) && !p->block[k].offset)
            return ky_fail(error, KY_BAD_DATA, "has changed while it was read");
        if (k != MASS && array)
            KY_TRY(read_numbers(p, k, rows.row * columns, rows.count * columns, array, share->slab,
                                error));
        if (array)
            scale(share, k, (double *)(void *)array, rows.count * columns);
    }
    for (int t = 0; t < TYPES && bodies->type; at += p->count[t], t++) {
        const struct ky_rows some = ky_rows_wanted(share->first, bodies->n, at, p->count[t]);
        if (some.count)
            memset(bodies->type + some.at, t, some.count);
    }
    return KY_OK;
}

/* Common data of the files of a snapshot. */
struct whole {
    uint64_t *before; /* [files + 1] number of bodies in earlier files; the caller frees it */
    uint32_t files;
    uint64_t sum[TYPES];
    unsigned with;
    double time, mass; /* of all bodies; NaN: unknown */
    struct ky_space space;
};

/* The mass of all bodies by the header of the first file; NaN if not all masses are there. */
static double mass_of_all(const struct piece *p)
{
    uint64_t total = 0;
    double sum = 0;
    for (int t = 0; t < TYPES; t++)
        total += p->total[t];
    for (int t = 0; t < TYPES; t++) {
        const uint64_t n = total ? p->total[t] : p->count[t];
        if (n && !(p->mass[t] > 0))
            return (double)NAN;
        sum += (double)n * p->mass[t];
    }
    return sum;
}

/* Sets units and space of the snapshot. */
static enum ky_status settle(const struct ky_space *stored, double mass,
                             const struct ky_read_options *options, struct ky_snapshot *snapshot,
                             struct ky_error *error)
{
    struct ky_space space = *stored;
    if (options->convention == KY_CONVENTION_SWIFT)
        space.per_h = 0;
    if (options->units)
        snapshot->units = *options->units;
    KY_TRY(ky_space_find_units(&space, mass, options, &snapshot->units, error));
    return ky_space_decide(&space, options, snapshot, error);
}

/* Records the counts of file number k. */
static void note_piece(struct whole *w, uint32_t k, const struct piece *p)
{
    for (int b = 0; b < BLOCKS; b++)
        if (!p->block[b].offset && p->n)
            w->with &= ~about(b)->with;
    for (int t = 0; t < TYPES; t++) {
        w->sum[t] += p->count[t];
        w->with |= t != 4 && p->count[t] ? KY_WITH_TYPE : 0;
    }
    w->before[k + 1] = w->before[k] + p->n;
    w->time = p->time;
}

/* KY_BAD_DATA for a file of another snapshot than the first file. */
static enum ky_status check_same(const struct piece *p, const struct piece *first,
                                 struct ky_error *error)
{
    if (p->time != first->time)
        return ky_fail(error, KY_BAD_DATA,
                       "its time is %.15g, but %.15g in the first file: they are pieces of "
                       "different snapshots",
                       p->time, first->time);
    if (p->files != first->files)
        return ky_fail(error, KY_BAD_DATA,
                       "is one of %" PRIu32 " files, but the first file is one of %" PRIu32
                       ": they are pieces of different snapshots",
                       p->files, first->files);
    for (int t = 0; t < TYPES; t++)
        if (p->total[t] != first->total[t] ||
            (p->mass[t] != first->mass[t] && p->count[t] && first->count[t]))
            return ky_fail(error, KY_BAD_DATA,
                           "its header gives %" PRIu64 " bodies of type %d in all the mass %g, and "
                           "that of the first file %" PRIu64 " bodies the mass %g: they are pieces "
                           "of different snapshots",
                           p->total[t], t, p->mass[t], first->total[t], first->mass[t]);
    return KY_OK;
}

/* Reads the headers of all files. KY_BAD_DATA unless they have as many bodies as the first header
 * says. */
static enum ky_status survey_all(const struct ky_input *first, struct whole *w,
                                 struct ky_error *error)
{
    struct piece p = {.input = *first};
    uint64_t offset;
    enum ky_status status = read_header(&p, &offset, error);
    const struct piece like = p;
    *w = (struct whole){.with = KY_WITH_ID | KY_WITH_POTENTIAL | KY_WITH_ACCELERATION,
                        .files = p.files,
                        .mass = mass_of_all(&p),
                        .space = p.space};
    if (!status && !(w->before = ky_allocate_zeroed((size_t)p.files + 1, sizeof *w->before)))
        status = ky_no_memory(error, "files of a snapshot", p.files, sizeof *w->before);
    for (uint32_t k = 0; k < w->files && !status; k++) {
        status = open_piece(first, w->files, k, &p, error);
        if (!status && (status = check_same(&p, &like, error)) && w->files > 1)
            ky_fail_in(error, status, "%s: ", p.input.path);
        note_piece(w, k, &p);
        ky_piece_close(first, k, &p.input);
    }
    /* some writers of single files leave the totals at 0 */
    uint64_t total = 0;
    for (int t = 0; t < TYPES; t++)
        total += p.total[t];
    for (int t = 0; t < TYPES && !status && (total || w->files > 1); t++)
        if (p.total[t] != w->sum[t])
            status = ky_fail(error, KY_BAD_DATA,
                             "its header says %" PRIu64
                             " bodies of type %d in all, and there are %" PRIu64
                             "; a file is missing, or the header is wrong",
                             p.total[t], t, w->sum[t]);
    return status;
}

/* Surveys the files, and fills the snapshot except for its bodies. */
static enum ky_status find_all(const struct ky_input *input, const struct ky_read_options *options,
                               struct ky_snapshot *snapshot, struct whole *whole,
                               struct ky_error *error)
{
    KY_TRY(survey_all(input, whole, error));
    KY_TRY(settle(&whole->space, options->types ? (double)NAN : whole->mass, options, snapshot,
                  error));
    if (snapshot->space.converted)
        whole->with &= ~(unsigned)(KY_WITH_POTENTIAL | KY_WITH_ACCELERATION);
    snapshot->bodies.n = (size_t)whole->before[whole->files];
    snapshot->time = whole->time;
    return KY_OK;
}

/* Reads the wanted bodies from the files that contain them. */
static enum ky_status read_pieces(const struct ky_input *input, uint32_t files,
                                  const uint64_t *before, struct share *share,
                                  struct ky_error *error)
{
    enum ky_status status = KY_OK;
    KY_TRY(ky_array(&share->slab, SLAB, 8, "input slab", error));
    for (uint32_t k = 0; k < files && !status; k++) {
        struct piece p;
        const uint64_t n = before[k + 1] - before[k];
        if (!ky_rows_wanted(share->first, share->bodies.n, before[k], n).count)
            continue;
        status = open_piece(input, files, k, &p, error);
        if (!status)
            status = p.n == n ? read_piece(&p, before[k], share, error)
                              : ky_fail(error, KY_BAD_DATA, "has changed while it was read");
        ky_piece_close(input, k, &p.input);
    }
    free(share->slab);
    return status;
}

enum ky_status ky_gadget_read(const struct ky_input *input, const struct ky_read_options *options,
                              struct ky_snapshot *snapshot, struct ky_error *error)
{
    struct whole whole;
    struct ky_bodies *bodies = &snapshot->bodies;
    enum ky_status status = find_all(input, options, snapshot, &whole, error);
    const int alone = !status && ky_count_alone(options, bodies->n);
    if (!status && !alone)
        status = ky_bodies_allocate(bodies, bodies->n, whole.with, error);
    struct share share = {
        .bodies = *bodies, .space = snapshot->space, .convention = options->convention};
    if (!status && !alone)
        status = read_pieces(input, whole.files, whole.before, &share, error);
    free(whole.before);
    return status;
}

/* ---- shares ---- */

static enum ky_status find_shares(const struct ky_input *input,
                                  const struct ky_read_options *options,
                                  struct ky_snapshot *snapshot, struct ky_shared_file *file,
                                  struct ky_error *error)
{
    struct whole whole;
    const enum ky_status status = find_all(input, options, snapshot, &whole, error);
    file->with = whole.with;
    file->files = whole.files;
    file->before = whole.before;
    file->is_divisible = !options->types; /* types are chosen when all are there */
    return status;
}

static enum ky_status read_share(const struct ky_input *input, const struct ky_shared_file *file,
                                 uint64_t first, struct ky_bodies *bodies, struct ky_error *error)
{
    struct piece p = {.input = *input};
    struct ky_snapshot own;
    uint64_t offset;
    ky_snapshot_clear(&own);
    KY_TRY(read_header(&p, &offset, error));
    KY_TRY(settle(&p.space, mass_of_all(&p), &file->options, &own, error));
    struct share share = {.first = first,
                          .bodies = *bodies,
                          .space = own.space,
                          .convention = file->options.convention};
    return read_pieces(input, (uint32_t)file->files, file->before, &share, error);
}

const struct ky_share_verbs ky_gadget_shares = {find_shares, read_share};
