/* Plots of curves with axes, ticks, labels and a legend. */
#ifndef KY_DRAW_PLOT_H
#define KY_DRAW_PLOT_H

#include "draw/draw.h"

/* Points are joined in their order. A point that is not finite, or that a logarithmic axis cannot
 * show, leaves a gap. */
struct ky_plot_curve {
    const char *name; /* for the legend; NULL: no entry */
    const double *x, *y;
    size_t n;   /* 0: only an entry of the legend */
    int colour; /* from 0; −1: the colour of the axes */
    int dash;   /* dash pattern, as in ky_curve */
    int mark;   /* 0: dots if there are few points; else a shape, from 1, at some of the points: it
                   distinguishes curves whose colours look alike in a grey print */
};

enum { KY_RIGHT, KY_UP };
struct ky_plot {
    const char *labels[2]; /* of the axes: right, up */
    int logarithmic[2];
    const struct ky_plot_curve *curves;
    size_t count;
    const char *units[2]; /* of the axes; "": N-body units; NULL: none */
};

/* Writes `count` plots, one below the other, to a file as ky_canvas_write does; size: width and
 * height [pixels] of all. All have the same horizontal range. The title, which may be NULL, is
 * above the first. The file's comment holds the ranges of the axes. KY_BAD_DATA for a plot without
 * points, KY_USAGE where the labels leave no room. */
enum ky_status ky_plot_write(const char *path, const struct ky_plot *plots, size_t count,
                             const size_t size[2], const char *title, int overwrite,
                             struct ky_error *error);

#endif
