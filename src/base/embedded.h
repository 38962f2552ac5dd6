/* Files of the source that are embedded in the library as bytes. mk/library.mk makes such tables; a
 * header in the folder of the files declares them. */
#ifndef KY_BASE_EMBEDDED_H
#define KY_BASE_EMBEDDED_H

#include <stddef.h>

struct ky_embedded {
    const char *name; /* of the file, below src/ */
    const unsigned char *text;
    size_t size;
};

#endif
