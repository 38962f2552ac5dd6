/* The places of bodies after some have left an engine and others have arrived (the verb
 * `replace`). */
#ifndef KY_ENGINE_REPLACE_H
#define KY_ENGINE_REPLACE_H

#include <stddef.h>
#include <stdint.h>

/* A body that fills a gap. */
struct ky_replace_move {
    uint32_t from, to;
};

/* Of n bodies, the bodies at gone[0 … count), ascending, leave, and `arrivals` bodies arrive.
 * Arrival k takes the place ky_replace_place: gone[k], or a place after all bodies. If fewer arrive
 * than leave, the last bodies fill the gaps. Writes these moves to move[], which has room for count
 * − arrivals moves, and returns their number. */
static inline size_t ky_replace_moves(size_t n, const uint32_t *gone, size_t count, size_t arrivals,
                                      struct ky_replace_move *move)
{
    size_t moves = 0, last = n, left = count;
    const size_t end = n + arrivals - count;
    for (size_t k = arrivals; k < count && gone[k] < end; k++) {
        for (last--; left > 0 && gone[left - 1] == last; left--)
            last--;
        move[moves++] = (struct ky_replace_move){(uint32_t)last, gone[k]};
    }
    return moves;
}

/* The place of arrival k. */
static inline uint32_t ky_replace_place(size_t n, const uint32_t *gone, size_t count, size_t k)
{
    return k < count ? gone[k] : (uint32_t)(n + k - count);
}

#endif
