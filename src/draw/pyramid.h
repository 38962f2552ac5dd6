/* A pyramid of grids over a picture, each level with cells twice as wide as the level below, and
 * the quantities that bodies deposit on it. */
#ifndef KY_DRAW_PYRAMID_H
#define KY_DRAW_PYRAMID_H

#include "draw/images.h"

enum {
    /* Cells around the picture on every level, since bodies outside reach in. Even, so that the
     * cells of all levels stay aligned. */
    KY_PYRAMID_PAD = 4,
    KY_PYRAMID_LEVELS = 16,
    KY_DOTS = 1000 /* up to this number of bodies are drawn as dots */
};

struct ky_level {
    size_t side[2]; /* cells along right and up, padding included */
    size_t first;   /* index of its first cell in the arrays of all levels */
    double cell;    /* side of a cell [pixels] */
};

/* Quantities of each cell, as fractions of the sum over all bodies. The momentum is along the line
 * of sight, away from the eye, in units of mass × fastest. */
enum { KY_NUMBER, KY_MASS, KY_MOMENTUM, KY_QUANTITIES };

struct ky_pyramid {
    const struct ky_projection *projection;
    double centre[2];        /* centre of the view, along right and up */
    double scale, origin[2]; /* pixel = (position − centre) × scale + origin */
    size_t corner[2]; /* pixels from the grid's inner corner to the picture's, since grids are
                         centred */
    int levels;
    struct ky_level level[KY_PYRAMID_LEVELS];
    size_t cells;                 /* number of cells of all levels */
    double *value[KY_QUANTITIES]; /* [cells]; the momentum is NULL if it is not needed */
    struct ky_images images;      /* the grids reach into these */
    size_t n;                     /* number of bodies in the projection, with images */
    double total;                 /* their total mass */
    double crowd;                 /* number of bodies in the projection, each counted once */
    int equal;                    /* 1: all masses are equal */
    double fastest;               /* largest speed along the line of sight */
};

/* Counts the bodies and sums their masses: n, total, equal; with `velocities` also fastest. */
void ky_pyramid_measure(struct ky_pyramid *pyramid, int velocities);
/* Fills the values with the deposit of each body on the finest level that contains it; nothing is
 * deposited on the other levels. KY_FAULT if memory runs out. */
enum ky_status ky_pyramid_lay(struct ky_pyramid *pyramid, struct ky_error *error);

#endif
