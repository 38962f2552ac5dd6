/* XXH64, a checksum that runs as fast as the memory (Yann Collet's xxHash, by its published
 * specification). It protects restart files from damage, not from manipulation. */
#ifndef KY_BASE_HASH_H
#define KY_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of `bytes` bytes; `data` may be NULL for 0 bytes. Never fails. */
uint64_t ky_hash(const void *data, size_t bytes, uint64_t seed);

/* The same for data in pieces: begin, add each piece, end. The state consists of numbers only, so
 * another process may continue with it. */
struct ky_hashing {
    uint64_t lane[4], held[4], bytes, seed; /* held: data that do not fill a block of 32 bytes */
};
struct ky_hashing ky_hash_begin(uint64_t seed);
void ky_hash_add(struct ky_hashing *hashing, const void *data, size_t bytes);
uint64_t ky_hash_end(const struct ky_hashing *hashing);

#endif
