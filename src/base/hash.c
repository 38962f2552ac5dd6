/* XXH64: see hash.h. Four lanes take 8 bytes each in turn, are folded together, and the rest of
 * under 32 bytes follows. Numbers are read in little-endian order on any machine. */
#include "base/hash.h"

#include <string.h>

static const uint64_t PRIME1 = 0x9E3779B185EBCA87U, PRIME2 = 0xC2B2AE3D27D4EB4FU,
                      PRIME3 = 0x165667B19E3779F9U, PRIME4 = 0x85EBCA77C2B2AE63U,
                      PRIME5 = 0x27D4EB2F165667C5U;

static uint64_t load(const unsigned char *from, size_t bytes)
{
    uint64_t value = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(&value, from, bytes);
#else
    for (size_t k = 0; k < bytes; k++)
        value |= (uint64_t)from[k] << (8 * k);
#endif
    return value;
}

static uint64_t turned(uint64_t value, int bits)
{
    return value << bits | value >> (64 - bits);
}

static uint64_t lane(uint64_t sum, uint64_t input)
{
    return turned(sum + input * PRIME2, 31) * PRIME1;
}

/* The state after `blocks` blocks of 32 bytes. Moves *from behind them. */
static uint64_t lanes(const unsigned char **from, size_t blocks, uint64_t seed)
{
    uint64_t a = seed + PRIME1 + PRIME2, b = seed + PRIME2, c = seed, d = seed - PRIME1;
    const unsigned char *at = *from;
    for (size_t k = 0; k < blocks; k++, at += 32) {
        a = lane(a, load(at, 8));
        b = lane(b, load(at + 8, 8));
        c = lane(c, load(at + 16, 8));
        d = lane(d, load(at + 24, 8));
    }
    *from = at;
    uint64_t hash = turned(a, 1) + turned(b, 7) + turned(c, 12) + turned(d, 18);
    const uint64_t each[] = {a, b, c, d};
    for (int k = 0; k < 4; k++)
        hash = (hash ^ lane(0, each[k])) * PRIME1 + PRIME4;
    return hash;
}

uint64_t ky_hash(const void *data, size_t bytes, uint64_t seed)
{
    const unsigned char *at = data;
    size_t left = bytes % 32;
    uint64_t hash = bytes >= 32 ? lanes(&at, bytes / 32, seed) : seed + PRIME5;
    hash += bytes;
    for (; left >= 8; left -= 8, at += 8)
        hash = turned(hash ^ lane(0, load(at, 8)), 27) * PRIME1 + PRIME4;
    for (; left >= 4; left -= 4, at += 4)
        hash = turned(hash ^ load(at, 4) * PRIME1, 23) * PRIME2 + PRIME3;
    for (; left; left--, at++)
        hash = turned(hash ^ *at * PRIME5, 11) * PRIME1;
    hash = (hash ^ hash >> 33) * PRIME2;
    hash = (hash ^ hash >> 29) * PRIME3;
    return hash ^ hash >> 32;
}
