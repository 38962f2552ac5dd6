/* PNG files. */
#ifndef KY_DRAW_PNG_H
#define KY_DRAW_PNG_H

#include "draw/canvas.h"

/* KY_UNSUPPORTED in a build without libpng. */
enum ky_status ky_png_available(struct ky_error *error);
/* Writes only the pixels; otherwise as ky_canvas_write. */
enum ky_status ky_png_write(const char *path, const struct ky_canvas *canvas, const char *comment,
                            int overwrite, struct ky_error *error);

#endif
