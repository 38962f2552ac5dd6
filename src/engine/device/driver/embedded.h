/* The sources of the kernels and of the headers that they include, as bytes in the library
 * (mk/device.mk makes the table). A name is as in #include "…". */
#ifndef KY_DEVICE_EMBEDDED_H
#define KY_DEVICE_EMBEDDED_H

#include "base/embedded.h"

extern const struct ky_embedded ky_embedded[];
extern const size_t ky_embedded_count;

#endif
