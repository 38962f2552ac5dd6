/* Keys along a space-filling curve: KY_KEY_LEVELS of 3 bits, most significant first. */
#ifndef KY_OCTREE_KEYS_H
#define KY_OCTREE_KEYS_H

#include <stddef.h>
#include <stdint.h>

#include "physics/frame.h"

enum { KY_HILBERT_STATES = 24, KY_HILBERT_STEP = 512 };

/* Three levels of the Hilbert curve in one step: [state][nine Morton bits] = nine Hilbert bits,
 * then the next state in the bits above. */
struct ky_hilbert {
    uint16_t step[KY_HILBERT_STATES][KY_HILBERT_STEP];
};

/* Fills the table. */
void ky_hilbert_init(struct ky_hilbert *hilbert);

/* For each state of the curve and each octant (Morton bits): place + 8 × the next state. Morton
 * order has one state; its other rows are 0. */
void ky_curve_steps(int hilbert, uint32_t step[8 * KY_HILBERT_STATES]);

/* The key of a place in Morton order; i, j and k are below KY_KEY_PLACES. */
uint64_t ky_morton_key(uint32_t i, uint32_t j, uint32_t k);
/* The Hilbert key of the place that has this Morton key. At least its first `levels` levels are
 * right; it has the length of a full key. */
uint64_t ky_hilbert_key(const struct ky_hilbert *hilbert, uint64_t morton, int levels);

/* How the bulk of n bodies is found: from a sample (octree/sample.h) of `samples` bodies, of which
 * the `trim` outermost at either end of an axis are left out. */
struct ky_frame_sample {
    size_t samples, trim;
};
struct ky_frame_sample ky_frame_sample(size_t n);

/* The positions of some bodies: the bodies index[0 … n), or the first n if `index` is NULL. */
struct ky_positions {
    size_t n;
    const uint32_t *index;
    const double *x, *y, *z;
    size_t system; /* bodies of the whole system of which these are a part; 0: they are all */
};

/* The frame of the bulk of the bodies. It holds the region between two quantiles of a sample, and a
 * margin. The sample is the same for the same bodies. It is never larger than the box of all
 * bodies. */
struct ky_frame ky_frame_of_bulk(const struct ky_positions *positions, int threads);
/* The frame of a given cube; edge > 0. */
struct ky_frame ky_frame_of_cube(const double low[3], double edge);
/* The tight frame of the bodies. */
struct ky_frame ky_frame_of(const struct ky_positions *positions, int threads);

/* A word holds as many levels of a key as fit above the body's index, so that one number is sorted.
 */
struct ky_word_layout {
    int index_bits, levels;
};

static inline struct ky_word_layout ky_word_layout(size_t n)
{
    struct ky_word_layout layout = {n > 2 ? 64 - __builtin_clzll(n - 1) : 1, 0};
    int levels = (64 - layout.index_bits) / 3;
    layout.levels = levels < KY_KEY_LEVELS ? levels : KY_KEY_LEVELS;
    return layout;
}

/* The layout for a part of n bodies of a system: it has the system's levels. */
static inline struct ky_word_layout ky_word_layout_in(size_t n, size_t system)
{
    struct ky_word_layout layout = ky_word_layout(n);
    if (system > n)
        layout.levels = ky_word_layout(system).levels;
    return layout;
}

/* The key in a word: its levels where a full key has them, zeros below. */
static inline uint64_t ky_word_key(struct ky_word_layout layout, uint64_t word)
{
    return word >> layout.index_bits << 3 * (KY_KEY_LEVELS - layout.levels);
}

static inline uint32_t ky_word_index(struct ky_word_layout layout, uint64_t word)
{
    return (uint32_t)(word & (((uint64_t)1 << layout.index_bits) - 1));
}

/* Makes word[i], with the index i, from the i-th of the positions. Without `hilbert` the keys are
 * Morton's. Returns the bits of a word in which the keys differ. */
uint64_t ky_words(const struct ky_frame *frame, const struct ky_hilbert *hilbert,
                  const struct ky_positions *positions, uint64_t *word, int threads);

#endif
