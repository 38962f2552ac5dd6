/* Public structs that may grow begin with their own size: a program that was built with an earlier,
 * shorter one goes on working. */
#ifndef KY_BASE_SIZES_H
#define KY_BASE_SIZES_H

#include <stddef.h>

/* Copies a parameter struct of a caller over the defaults in `own`. 1, or 0 if its size cannot be
 * right; then `own` is unchanged. */
int ky_size_adopt(void *own, size_t own_size, const void *given);
/* Copies results to the struct of a caller, as far as that goes. Its size stays; 0, as in a zeroed
 * struct, stands for that of the first version, which is still the only one. */
void ky_size_give(void *to, const void *own, size_t own_size);

#endif
