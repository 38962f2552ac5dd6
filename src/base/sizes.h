/* Public structs that may grow begin with their own size: a program that was built with an earlier,
 * shorter one goes on working. */
#ifndef KY_BASE_SIZES_H
#define KY_BASE_SIZES_H

#include <stddef.h>

/* Copies a parameter struct of a caller over the defaults in `own`, as far as the caller's goes.
 * Returns 1, or 0 if the caller's size cannot be right; `own` is unchanged then. */
int ky_size_adopt(void *own, size_t own_size, const void *given);
/* Copies results to the struct of a caller, as far as that goes. The caller's size stays. A size of
 * 0, as in a zeroed struct, stands for that of the first version, which is the present one. */
void ky_size_give(void *to, const void *own, size_t own_size);

#endif
