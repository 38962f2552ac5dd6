/* XXH64: see hash.h. Four lanes take 8 bytes each in turn and are combined; the remainder of less
 * than 32 bytes follows. Numbers are read in little-endian order on any machine. */
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

/* Takes `blocks` blocks of 32 bytes. */
static void take_blocks(struct ky_hashing *hashing, const unsigned char *at, size_t blocks)
{
    uint64_t a = hashing->lane[0], b = hashing->lane[1], c = hashing->lane[2], d = hashing->lane[3];
    for (size_t k = 0; k < blocks; k++, at += 32) {
        a = lane(a, load(at, 8));
        b = lane(b, load(at + 8, 8));
        c = lane(c, load(at + 16, 8));
        d = lane(d, load(at + 24, 8));
    }
    hashing->lane[0] = a, hashing->lane[1] = b, hashing->lane[2] = c, hashing->lane[3] = d;
}

static uint64_t fold(const uint64_t each[4])
{
    uint64_t hash =
        turned(each[0], 1) + turned(each[1], 7) + turned(each[2], 12) + turned(each[3], 18);
    for (int k = 0; k < 4; k++)
        hash = (hash ^ lane(0, each[k])) * PRIME1 + PRIME4;
    return hash;
}

struct ky_hashing ky_hash_begin(uint64_t seed)
{
    return (struct ky_hashing){.lane = {seed + PRIME1 + PRIME2, seed + PRIME2, seed, seed - PRIME1},
                               .seed = seed};
}

void ky_hash_add(struct ky_hashing *hashing, const void *data, size_t bytes)
{
    const unsigned char *at = data;
    const size_t held = hashing->bytes % 32;
    hashing->bytes += bytes;
    if (held) {
        const size_t more = bytes < 32 - held ? bytes : 32 - held;
        memcpy((unsigned char *)hashing->held + held, at, more);
        at += more, bytes -= more;
        if (held + more < 32)
            return;
        take_blocks(hashing, (const unsigned char *)hashing->held, 1);
    }
    take_blocks(hashing, at, bytes / 32);
    if (bytes % 32)
        memcpy(hashing->held, at + bytes / 32 * 32, bytes % 32);
}

uint64_t ky_hash_end(const struct ky_hashing *hashing)
{
    const unsigned char *at = (const unsigned char *)hashing->held;
    size_t left = hashing->bytes % 32;
    uint64_t hash = hashing->bytes >= 32 ? fold(hashing->lane) : hashing->seed + PRIME5;
    hash += hashing->bytes;
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

uint64_t ky_hash(const void *data, size_t bytes, uint64_t seed)
{
    struct ky_hashing hashing = ky_hash_begin(seed);
    if (bytes)
        ky_hash_add(&hashing, data, bytes);
    return ky_hash_end(&hashing);
}
