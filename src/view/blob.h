/* Reference-counted bytes that several answers share, such as a frame for several pages. */
#ifndef KY_VIEW_BLOB_H
#define KY_VIEW_BLOB_H

#include <stddef.h>

/* The lock of the view must be held when the count changes. */
struct ky_blob {
    size_t holders, size;
    unsigned char byte[];
};

/* Has one reference; NULL if memory runs out. */
struct ky_blob *ky_blob_make(size_t size);
struct ky_blob *ky_blob_hold(struct ky_blob *blob); /* adds a reference; returns the blob */
void ky_blob_drop(struct ky_blob *blob);            /* removes a reference; NULL is allowed */

struct ky_view_frame;
/* The bytes of a frame: the length of a JSON text (32 bits, little-endian), the text, padded with
 * blanks to a multiple of 4, then for each body x, y, z, relative to the origin given in the text,
 * and its speed, as floats; then their types as bytes, if they have any. NULL if memory runs
 * out. */
struct ky_blob *ky_blob_of_frame(const struct ky_view_frame *frame, double number, int paused);

#endif
