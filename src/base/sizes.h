/* Public structs that may grow begin with their own size: a program that was built with an earlier,
 * shorter struct still works. */
#ifndef KY_BASE_SIZES_H
#define KY_BASE_SIZES_H

#include "base/status.h"

/* A public struct, for bindings that ask for its size by name. */
struct ky_struct_size {
    const char *name;
    size_t size;
};
/* The size of the struct of that name; 0 for NULL and for a name that the table lacks. */
size_t ky_size_find(const struct ky_struct_size *structs, size_t count, const char *name);

/* Copies the caller's struct over the defaults in `own`, as many bytes as both have. KY_USAGE if
 * the caller's struct is NULL or its size cannot be right (all have members of 8 bytes); `own` is
 * unchanged then. `maker` sets the size, for the error:
 * "ky_parameters_defaults". */
enum ky_status ky_size_adopt(void *own, size_t own_size, const void *given, const char *maker,
                             struct ky_error *error);
/* Fills the caller's struct of `size` bytes with the defaults in `own`, as many bytes as both have,
 * and the rest with 0. Its own size becomes the smaller of both. */
void ky_size_fill(void *to, size_t size, const void *own, size_t own_size);
/* Copies results to the caller's struct, as many bytes as both have. The caller's size stays;
 * nothing is done for NULL. A size of 0, as in a zeroed struct, means the size of the first
 * version, which is the present one. */
void ky_size_give(void *to, const void *own, size_t own_size);
/* The same for a struct that has grown since its first version, which had `first` bytes; a size of
 * 0 means the first version. */
void ky_size_give_grown(void *to, const void *own, size_t own_size, size_t first);

#endif
