/* Numbers in files of either byte order. `turn` is 1 if the byte orders of the file and of the
 * machine differ. Pointers need not be aligned. These functions never fail. */
#ifndef KY_SNAPSHOT_BYTES_H
#define KY_SNAPSHOT_BYTES_H

#include <stdint.h>
#include <string.h>

/* `turn` for big-endian and for little-endian files. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { KY_TURN_BIG = 1, KY_TURN_LITTLE = 0 };
#else
enum { KY_TURN_BIG = 0, KY_TURN_LITTLE = 1 };
#endif

/* The integer of 4 or 8 bytes at `from`. */
static inline uint32_t ky_load32(const void *from, int turn)
{
    uint32_t value;
    memcpy(&value, from, sizeof value);
    return turn ? __builtin_bswap32(value) : value;
}

static inline uint64_t ky_load64(const void *from, int turn)
{
    uint64_t value;
    memcpy(&value, from, sizeof value);
    return turn ? __builtin_bswap64(value) : value;
}

/* The float (`width` 4) or double (`width` 8) at `from`. */
static inline double ky_load_real(const void *from, size_t width, int turn)
{
    if (width == 8) {
        uint64_t bits = ky_load64(from, turn);
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    uint32_t bits = ky_load32(from, turn);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* Write a number to the bytes at `to`. */
static inline void ky_store32(void *to, uint32_t value, int turn)
{
    value = turn ? __builtin_bswap32(value) : value;
    memcpy(to, &value, sizeof value);
}

static inline void ky_store64(void *to, uint64_t value, int turn)
{
    value = turn ? __builtin_bswap64(value) : value;
    memcpy(to, &value, sizeof value);
}

static inline void ky_store_float(void *to, float value, int turn)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    ky_store32(to, bits, turn);
}

static inline void ky_store_double(void *to, double value, int turn)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    ky_store64(to, bits, turn);
}

#endif
