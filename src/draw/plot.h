/* Plots of curves with axes, ticks, labels and a legend. */
#ifndef KY_DRAW_PLOT_H
#define KY_DRAW_PLOT_H

#include "draw/draw.h"

/* Points are joined in their order. A point that is not finite, or that a logarithmic axis cannot
 * show, leaves a gap. */
struct ky_plot_curve {
    const char *name; /* for the legend */
    const double *x, *y;
    size_t n;
};

enum { KY_RIGHT, KY_UP };
struct ky_plot {
    const char *labels[2]; /* of the axes: right, up */
    int logarithmic[2];
    const struct ky_plot_curve *curves;
    size_t count;
};

/* Writes `count` plots, one below the other, as a PNG file; size: width and height [pixels] of all.
 * The ranges of the axes stand in the file's comment. KY_BAD_DATA for a plot without points. */
enum ky_status ky_plot_write(const char *path, const struct ky_plot *plots, size_t count,
                             const size_t size[2], int overwrite, struct ky_error *error);

#endif
