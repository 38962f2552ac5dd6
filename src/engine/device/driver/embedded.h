/* The sources of the kernels and of the headers that they include, as bytes in the library
 * (mk/device.mk makes the table). */
#ifndef KY_DEVICE_EMBEDDED_H
#define KY_DEVICE_EMBEDDED_H

#include <stddef.h>

struct ky_embedded {
    const char *name; /* as in #include "…", below src/ */
    const unsigned char *text;
    size_t size;
};

extern const struct ky_embedded ky_embedded[];
extern const size_t ky_embedded_count;

#endif
