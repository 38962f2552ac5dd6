/* The direct sum over all bodies for one block of sinks; included by direct_single.c,
 * direct_extended.c and direct_double.c, which define KY_LANE_DOUBLE, KY_BASE (0 or KY_LOW) and
 * KY_NAME. */
#include "engine/cpu/lanes/lanes.h"

#include "base/hash.h"
#include "engine/cpu/lanes/pairs.h"

static void load_sinks(struct ky_sinks *to, const struct ky_direct_sinks *from)
{
    to->vectors = (int)((from->count + KY_WIDTH - 1) / KY_WIDTH);
    for (size_t k = 0; k < (size_t)to->vectors * KY_WIDTH; k++) {
        size_t i = k < from->count ? k : from->count - 1;
        const double position[3] = {from->x[i], from->y[i], from->z[i]};
        ky_element *high[3] = {to->x, to->y, to->z};
        for (int c = 0; c < 3; c++) {
            high[c][k] = (ky_element)position[c];
            to->low[c][k] = KY_LANE_DOUBLE ? 0 : (ky_element)ky_low_part(position[c]);
        }
        to->eps2[k] = (ky_element)from->eps2[i];
        to->own[k] = (ky_index_element)from->own[i];
    }
    memset(to->sum, 0, sizeof to->sum);
}

/* Estimates depend on the leading bits of x, with fewer than 2¹¹ steps from x to 2 x, so the
 * samples cover every step. */
uint64_t KY_LANE_NAME(KY_PASTE(KY_NAME, _bits))(void)
{
    enum { SAMPLES = 1 << 12 };
    ky_element result[2][KY_WIDTH];
    struct ky_hashing hashing = ky_hash_begin(0);
    for (int k = 0; k < SAMPLES; k++) {
        const ky_vector x = ky_splat((ky_element)(k % 2 + 1) * (1 + (ky_element)k / SAMPLES)),
                        y = ky_rsqrt(x);
        ky_store(result[0], y);
        ky_store(result[1], ky_fma(y, y, -x));
        ky_hash_add(&hashing, &result[0][0], sizeof(ky_element));
        ky_hash_add(&hashing, &result[1][0], sizeof(ky_element));
    }
    return ky_hash_end(&hashing);
}

/* Takes the sources in order. A run of sources that are also sinks goes through the loop that skips
 * the sink itself. */
void KY_LANE_NAME(KY_NAME)(const struct ky_direct *direct, struct ky_direct_sinks *block)
{
    struct ky_sinks sinks;
    load_sinks(&sinks, block);
    const struct ky_sources sources = {
        direct->x,    direct->y,    direct->z,
        direct->mass, direct->eps2, {direct->low[0], direct->low[1], direct->low[2]}};
    for (size_t k = 0, done = 0; done < direct->n;) {
        while (k < block->count && block->own[k] >= direct->n) /* these are not sources */
            k++;
        size_t first = k < block->count ? block->own[k] : direct->n;
        ky_pairs(&sources, done, first, &sinks, direct->how, KY_BASE);
        size_t last = first;
        for (; k < block->count && block->own[k] == last; k++)
            last++;
        ky_pairs(&sources, first, last, &sinks, direct->how, KY_BASE | KY_OWN);
        done = last;
    }
    for (size_t k = 0; k < block->count; k++)
        for (int c = 0; c < 4; c++)
            block->field[c][k] = sinks.sum[c][k] * (c < 3 ? KY_SCALE_SUM(KY_RSQRT_SCALE) : 1.0);
}
