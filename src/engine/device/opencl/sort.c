/* Sort, scan and reduce of the OpenCL driver: kernels/sort.k from the host's side. */
#include "engine/device/card.h"
#include "engine/device/opencl/opencl.h"

/* to = exclusive sums of from; a tile's sum goes to the level above, which is scanned first. */
static enum ky_status scan_level(struct ky_opencl *cl, const struct ky_buffer *from,
                                 struct ky_buffer *to, size_t n, int level, struct ky_error *error)
{
    struct ky_card *card = &cl->base;
    struct ky_buffer *sums = &cl->scan_sums[level];
    size_t tiles = (n + KY_SCAN_TILE - 1) / KY_SCAN_TILE;
    cl_uint count = (cl_uint)n, has_before = tiles > 1;
    enum ky_status status =
        ky_buffer_need(card, sums, "sums of a scan", tiles, sizeof(cl_uint), error);
    const struct ky_arguments summing =
        KY_ARGUMENTS(KY_BUFFER(*from), KY_BUFFER(*sums), KY_VALUE(count));
    const struct ky_arguments scanning = KY_ARGUMENTS(
        KY_BUFFER(*from), KY_BUFFER(*to), KY_BUFFER(*sums), KY_VALUE(count), KY_VALUE(has_before));
    if (status == KY_OK && has_before)
        status = ky_launch(card, KY_KERNEL_ky_scan_sum, tiles, summing, error);
    if (status == KY_OK && has_before)
        status = scan_level(cl, sums, sums, tiles, level + 1, error);
    if (status == KY_OK)
        status = ky_launch(card, KY_KERNEL_ky_scan_tile, tiles, scanning, error);
    return status;
}

enum ky_status ky_opencl_scan(struct ky_card *card, const struct ky_buffer *from,
                              struct ky_buffer *to, size_t n, struct ky_error *error)
{
    return n > 0 ? scan_level((struct ky_opencl *)card, from, to, n, 0, error) : KY_OK;
}

/* Sums of tiles, of those again, until one is left. */
enum ky_status ky_opencl_reduce(struct ky_card *card, const struct ky_buffer *from, size_t first,
                                size_t n, struct ky_buffer *to, size_t place,
                                struct ky_error *error)
{
    struct ky_opencl *cl = (struct ky_opencl *)card;
    enum ky_status status = KY_OK;
    for (int level = 0, last = 0; status == KY_OK && !last; level++) {
        size_t tiles = n > 0 ? (n + KY_SCAN_TILE - 1) / KY_SCAN_TILE : 1;
        struct ky_buffer *sums = &cl->reduce_sums[level % 2];
        last = tiles == 1;
        if (!last)
            status = ky_buffer_need(card, sums, "sums of tiles", tiles, sizeof(cl_ulong), error);
        cl_ulong begin = first, count = n, target = last ? place : 0;
        const struct ky_buffer *target_buffer = last ? to : sums;
        const struct ky_arguments arguments =
            KY_ARGUMENTS(KY_BUFFER(*from), KY_BUFFER(*target_buffer), KY_VALUE(begin),
                         KY_VALUE(count), KY_VALUE(target));
        if (status == KY_OK)
            status = ky_launch(card, KY_KERNEL_ky_reduce_counts, tiles, arguments, error);
        from = sums;
        first = 0;
        n = tiles;
    }
    return status;
}

/* One pass: from the pair of buffers to the work space, which then change places. */
static enum ky_status sort_pass(struct ky_opencl *cl, struct ky_buffer *keys,
                                struct ky_buffer *values, size_t n, cl_uint shift, cl_uint bits,
                                struct ky_error *error)
{
    struct ky_card *card = &cl->base;
    cl_uint count = (cl_uint)n, tiles = (cl_uint)((n + KY_SORT_TILE - 1) / KY_SORT_TILE);
    cl_uint mask = bits >= shift + 4 ? 15U : bits > shift ? (1U << (bits - shift)) - 1 : 0;
    const struct ky_arguments counting =
        KY_ARGUMENTS(KY_BUFFER(*keys), KY_BUFFER(cl->counts), KY_VALUE(count), KY_VALUE(shift),
                     KY_VALUE(mask), KY_VALUE(tiles));
    const struct ky_arguments placing =
        KY_ARGUMENTS(KY_BUFFER(*keys), KY_BUFFER(*values), KY_BUFFER(cl->counts),
                     KY_BUFFER(cl->sort_keys), KY_BUFFER(cl->sort_values), KY_VALUE(count),
                     KY_VALUE(shift), KY_VALUE(mask), KY_VALUE(tiles));
    enum ky_status status = ky_launch(card, KY_KERNEL_ky_sort_count, tiles, counting, error);
    if (status == KY_OK)
        status = scan_level(cl, &cl->counts, &cl->counts, (size_t)tiles * 16, 0, error);
    if (status == KY_OK)
        status = ky_launch(card, KY_KERNEL_ky_sort_place, tiles, placing, error);
    struct ky_buffer swap = *keys;
    *keys = cl->sort_keys;
    cl->sort_keys = swap;
    swap = *values;
    *values = cl->sort_values;
    cl->sort_values = swap;
    return status;
}

/* An even number of passes, so that the caller's buffers are the caller's again at the end. */
enum ky_status ky_opencl_sort(struct ky_card *card, struct ky_buffer *keys,
                              struct ky_buffer *values, size_t n, int bits, struct ky_error *error)
{
    struct ky_opencl *cl = (struct ky_opencl *)card;
    size_t tiles = (n + KY_SORT_TILE - 1) / KY_SORT_TILE;
    enum ky_status status = KY_OK;
    if (status == KY_OK)
        status = ky_buffer_need(card, &cl->sort_keys, "work space of a sort", n, 8, error);
    if (status == KY_OK)
        status = ky_buffer_need(card, &cl->sort_values, "work space of a sort", n, 4, error);
    if (status == KY_OK)
        status = ky_buffer_need(card, &cl->counts, "counts of a sort", tiles * 16, 4, error);
    for (cl_uint shift = 0; shift < (cl_uint)bits && status == KY_OK && n > 1; shift += 8) {
        status = sort_pass(cl, keys, values, n, shift, (cl_uint)bits, error);
        if (status == KY_OK)
            status = sort_pass(cl, keys, values, n, shift + 4, (cl_uint)bits, error);
    }
    return status;
}
