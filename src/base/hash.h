/* XXH64, a checksum that runs as fast as the memory (Yann Collet's xxHash, by its published
 * specification). It guards restart files against damage, not against an enemy. */
#ifndef KY_BASE_HASH_H
#define KY_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of `bytes` bytes; `data` may be NULL for 0 bytes. Never fails. */
uint64_t ky_hash(const void *data, size_t bytes, uint64_t seed);

#endif
