/* The images of a periodic box that a picture shows. The camera is at infinity, so the picture
 * needs an end along the line of sight: it shows a slab about its centre, in a box without --slab
 * one as thick as the box is wide. So each body of a box that is seen along an axis shows once. In
 * open space there is one image, and no end unless a slab is given. */
#ifndef KY_DRAW_IMAGES_H
#define KY_DRAW_IMAGES_H

#include <stddef.h>

#include "draw/draw.h"
#include "physics/space.h"

/* The boxes in and around a picture, one after the other. */
struct ky_image_walk {
    const struct ky_view *view;
    double half[3];         /* half the sides of the picture along right, up and sight [length] */
    double extent[3];       /* half of the box's extent along the same axes [length] */
    long first[3], last[3]; /* candidates, in boxes along x, y, z */
    long next[3];
};
/* Begins a walk over the images in a picture of `size` pixels with `rim` pixels around it. */
struct ky_image_walk ky_images_begin(const struct ky_view *view, const size_t size[2], double rim);
/* The displacement of the next image; 0 after the last. */
int ky_images_next(struct ky_image_walk *walk, double shift[3]);

/* A list of them. */
struct ky_images {
    const struct ky_view *view;
    size_t count;
    double (*shift)[3];
};
/* Frees with ky_images_free, also after a failure. KY_FAULT if memory runs out; KY_USAGE if they
 * are too many for a picture. */
enum ky_status ky_images_list(const struct ky_view *view, const size_t size[2], double rim,
                              struct ky_images *images, struct ky_error *error);
void ky_images_free(struct ky_images *images);

/* The place of a position in the box; in open space the position. */
static inline void ky_image_base(const struct ky_view *view, const double x[3], double base[3])
{
    for (int c = 0; c < 3; c++)
        base[c] = view->box > 0 ? ky_wrap(x[c], view->box) : x[c];
}

/* 1 if the image of a base is in the slab; its position goes to `x`. In units of the box a base
 * leaves the slab on one side exactly where its image enters on the other. */
static inline int ky_image_shown(const struct ky_view *view, const double base[3],
                                 const double shift[3], double x[3])
{
    for (int c = 0; c < 3; c++)
        x[c] = base[c] + shift[c];
    if (!(view->slab > 0))
        return 1;
    const double unit = view->box > 0 ? view->box : view->slab;
    const double half = view->slab / (2 * unit);
    const double from = ky_along(base, view->axis[2]) - ky_along(view->middle, view->axis[2]);
    const double at = from / unit + ky_along(shift, view->axis[2]) / unit;
    return at >= -half && at < half;
}

#endif
