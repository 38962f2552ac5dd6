/* Sort, scan and reduce of the OpenCL driver: the host side of kernels/driver/sort.k. Scratch
 * memory is cut into parts, one after the other. */
#include "base/status.h"
#include "engine/device/driver/card.h"
#include "engine/device/driver/opencl/opencl.h"

/* ---- scratch ---- */

enum { DIGITS = 256, DIGIT_BITS = 8 };

static size_t tiles_of(size_t n)
{
    return n > 0 ? ky_groups(n, KY_SCAN_TILE) : 1;
}

/* The bytes of a part for this many numbers. */
static size_t part_bytes(size_t count, size_t size)
{
    return (count * size + KY_SLICE_ALIGN - 1) / KY_SLICE_ALIGN * KY_SLICE_ALIGN;
}

/* The bytes for the sums of tiles, the sums of tiles of these sums and so on, for numbers of `size`
 * bytes. */
static size_t levels_bytes(size_t n, size_t size)
{
    size_t bytes = 0;
    for (size_t tiles = tiles_of(n);; tiles = tiles_of(tiles)) {
        bytes += part_bytes(tiles, size);
        if (tiles == 1)
            return bytes;
    }
}

static size_t counts_of(size_t n)
{
    return ky_groups(n, KY_SORT_TILE) * DIGITS;
}

enum ky_status ky_opencl_scratch(struct ky_card *card, enum ky_bulk what, size_t n, size_t *bytes,
                                 struct ky_error *error)
{
    size_t counts = counts_of(n), size = sizeof(cl_uint);
    (void)card, (void)error;
    *bytes = what == KY_BULK_SORT   ? part_bytes(counts, size) + levels_bytes(counts, size)
             : what == KY_BULK_SCAN ? levels_bytes(n, size)
                                    : levels_bytes(n, sizeof(cl_ulong));
    return KY_OK;
}

/* Takes the next part of the scratch memory, of which `rest` is left. */
static enum ky_status take(struct ky_card *card, struct ky_buffer_address *rest, size_t bytes,
                           struct ky_buffer *part, struct ky_error *error)
{
    enum ky_status status =
        ky_buffer_slice(card, rest->buffer, "scratch", rest->offset, bytes, part, error);
    rest->offset += bytes;
    return status;
}

/* ---- scan and reduce ---- */

/* Buffers for the sums of tiles, the sums of tiles of these sums and so on: parts of the scratch
 * memory. They are made once for all passes of a sort, since making a part takes a driver longer
 * than a launch. */
enum { MOST_LEVELS = 4 }; /* 2³² numbers need three */
struct levels {
    struct ky_buffer sums[MOST_LEVELS];
};

static void release_levels(struct ky_card *card, struct levels *levels)
{
    for (int k = 0; k < MOST_LEVELS; k++)
        ky_buffer_release(card, &levels->sums[k]);
}

static enum ky_status make_levels(struct ky_card *card, size_t n, size_t size,
                                  struct ky_buffer_address scratch, struct levels *levels,
                                  struct ky_error *error)
{
    enum ky_status status = KY_OK;
    size_t tiles = n;
    *levels = (struct levels){0};
    for (int k = 0; k < MOST_LEVELS && !status && (k == 0 || tiles > 1); k++) {
        tiles = tiles_of(tiles);
        status = take(card, &scratch, part_bytes(tiles, size), &levels->sums[k], error);
    }
    if (status)
        release_levels(card, levels);
    return status;
}

/* to = exclusive sums of from. The sum of each tile goes to the next level, which is scanned
 * first. */
static enum ky_status scan_level(struct ky_card *card, const struct ky_buffer *from,
                                 struct ky_buffer *to, size_t n, struct ky_buffer *sums,
                                 struct ky_error *error)
{
    size_t tiles = tiles_of(n);
    cl_uint count = (cl_uint)n, has_before = tiles > 1;
    const struct ky_arguments summing =
        KY_ARGUMENTS(KY_BUFFER(*from), KY_BUFFER(*sums), KY_VALUE(count));
    const struct ky_arguments scanning = KY_ARGUMENTS(
        KY_BUFFER(*from), KY_BUFFER(*to), KY_BUFFER(*sums), KY_VALUE(count), KY_VALUE(has_before));
    if (has_before)
        KY_TRY(ky_launch(card, KY_KERNEL_ky_scan_sum, tiles, summing, error));
    if (has_before)
        KY_TRY(scan_level(card, sums, sums, tiles, sums + 1, error));
    return ky_launch(card, KY_KERNEL_ky_scan_tile, tiles, scanning, error);
}

enum ky_status ky_opencl_scan(struct ky_card *card, const struct ky_buffer *from,
                              struct ky_buffer *to, size_t n, const struct ky_buffer *scratch,
                              struct ky_error *error)
{
    struct levels levels;
    enum ky_status status = ky_scratch_check(card, scratch, KY_BULK_SCAN, n, error);
    if (status || n == 0)
        return status;
    status = make_levels(card, n, sizeof(cl_uint), KY_ADDRESS(scratch, 0), &levels, error);
    if (status)
        return status;
    status = scan_level(card, from, to, n, levels.sums, error);
    release_levels(card, &levels);
    return status;
}

static enum ky_status reduce_tiles(struct ky_card *card, struct ky_buffer_address from, size_t n,
                                   struct ky_buffer_address to, struct ky_error *error)
{
    cl_ulong begin = from.offset / sizeof begin, count = n, target = to.offset / sizeof target;
    return ky_launch(card, KY_KERNEL_ky_reduce_counts, tiles_of(n),
                     KY_ARGUMENTS(KY_BUFFER(*from.buffer), KY_BUFFER(*to.buffer), KY_VALUE(begin),
                                  KY_VALUE(count), KY_VALUE(target)),
                     error);
}

/* Sums tiles, then tiles of these sums, until one sum is left. */
static enum ky_status reduce_level(struct ky_card *card, struct ky_buffer_address from, size_t n,
                                   struct ky_buffer_address to, struct ky_buffer_address scratch,
                                   struct ky_error *error)
{
    struct ky_buffer sums;
    size_t tiles = tiles_of(n);
    if (tiles == 1)
        return reduce_tiles(card, from, n, to, error);
    KY_TRY(take(card, &scratch, part_bytes(tiles, sizeof(cl_ulong)), &sums, error));
    enum ky_status status = reduce_tiles(card, from, n, KY_ADDRESS(&sums, 0), error);
    if (!status)
        status = reduce_level(card, KY_ADDRESS(&sums, 0), tiles, to, scratch, error);
    ky_buffer_release(card, &sums);
    return status;
}

enum ky_status ky_opencl_reduce(struct ky_card *card, struct ky_buffer_address from, size_t n,
                                struct ky_buffer_address to, const struct ky_buffer *scratch,
                                struct ky_error *error)
{
    KY_TRY(ky_scratch_check(card, scratch, KY_BULK_REDUCE, n, error));
    return reduce_level(card, from, n, to, KY_ADDRESS(scratch, 0), error);
}

/* ---- sort ---- */

/* A sort in progress. */
struct sorting {
    struct ky_two_buffers *keys, *values;
    size_t n;
    cl_uint bits;
    struct ky_buffer counts; /* of each digit in each tile */
    struct levels levels;    /* for the scan of the counts */
};

/* One pass over the digit from bit `shift` on, into the other buffers. */
static enum ky_status sort_pass(struct ky_card *card, struct sorting *s, cl_uint shift,
                                struct ky_error *error)
{
    struct ky_two_buffers *keys = s->keys, *values = s->values;
    struct ky_buffer *key = &keys->buffer[keys->now], *key_out = &keys->buffer[1 - keys->now],
                     *value = &values->buffer[values->now],
                     *value_out = &values->buffer[1 - values->now];
    cl_uint count = (cl_uint)s->n, tiles = (cl_uint)ky_groups(s->n, KY_SORT_TILE);
    cl_uint left = s->bits - shift, mask = left < DIGIT_BITS ? (1U << left) - 1 : DIGITS - 1;
    const struct ky_arguments counting =
        KY_ARGUMENTS(KY_BUFFER(*key), KY_BUFFER(s->counts), KY_VALUE(count), KY_VALUE(shift),
                     KY_VALUE(mask), KY_VALUE(tiles));
    const struct ky_arguments placing = KY_ARGUMENTS(
        KY_BUFFER(*key), KY_BUFFER(*value), KY_BUFFER(s->counts), KY_BUFFER(*key_out),
        KY_BUFFER(*value_out), KY_VALUE(count), KY_VALUE(shift), KY_VALUE(mask), KY_VALUE(tiles));
    enum ky_status status = ky_launch(card, KY_KERNEL_ky_sort_count, tiles, counting, error);
    if (!status)
        status = scan_level(card, &s->counts, &s->counts, counts_of(s->n), s->levels.sums, error);
    if (!status)
        status = ky_launch(card, KY_KERNEL_ky_sort_place, tiles, placing, error);
    keys->now = 1 - keys->now;
    values->now = 1 - values->now;
    return status;
}

enum ky_status ky_opencl_sort(struct ky_card *card, struct ky_two_buffers *keys,
                              struct ky_two_buffers *values, size_t n, int bits,
                              const struct ky_buffer *scratch, struct ky_error *error)
{
    struct sorting s = {.keys = keys, .values = values, .n = n, .bits = (cl_uint)bits};
    struct ky_buffer_address rest = {scratch, 0};
    enum ky_status status = ky_scratch_check(card, scratch, KY_BULK_SORT, n, error);
    if (status || n < 2)
        return status;
    status = take(card, &rest, part_bytes(counts_of(n), sizeof(cl_uint)), &s.counts, error);
    if (status)
        return status;
    status = make_levels(card, counts_of(n), sizeof(cl_uint), rest, &s.levels, error);
    for (cl_uint shift = 0; shift < s.bits && !status; shift += DIGIT_BITS)
        status = sort_pass(card, &s, shift, error);
    release_levels(card, &s.levels);
    ky_buffer_release(card, &s.counts);
    return status;
}
