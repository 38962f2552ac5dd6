/* Which places bodies take when some leave an engine and others come (the verb `replace`). */
#ifndef KY_ENGINE_REPLACE_H
#define KY_ENGINE_REPLACE_H

#include <stddef.h>
#include <stdint.h>

/* A body that fills a gap. */
struct ky_replace_move {
    uint32_t from, to;
};

/* Of n bodies those at gone[0 … count), ascending, leave, and `arrivals` come. Arrival k takes the
 * place that ky_replace_place tells: gone[k], or one after all others. Where fewer come than leave,
 * the last bodies fill the gaps: writes these moves to move[], which has room for count − arrivals
 * of them, and returns how many they are. */
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
