/* Bytes that several answers share, such as a frame that several pages get. */
#ifndef KY_VIEW_BLOB_H
#define KY_VIEW_BLOB_H

#include <stddef.h>

/* Whoever has one holds the lock of the view while it counts. */
struct ky_blob {
    size_t holders, size;
    unsigned char byte[];
};

/* One holder; NULL when memory is out. */
struct ky_blob *ky_blob_make(size_t size);
struct ky_blob *ky_blob_hold(struct ky_blob *blob); /* one more; returns it */
void ky_blob_drop(struct ky_blob *blob);            /* one less; NULL: nothing */

struct ky_view_frame;
/* The bytes of a frame: the length of a JSON text (32 bits, the lowest first), that text, which
 * blanks fill up to a multiple of 4, then of each body x, y, z, from the origin that the text
 * names, and its speed, as floats; then their types as bytes, if they have any. NULL when memory is
 * out. */
struct ky_blob *ky_blob_of_frame(const struct ky_view_frame *frame, double number, int paused);

#endif
