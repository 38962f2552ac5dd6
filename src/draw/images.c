/* The place of a point on a picture, and the images of a periodic box that it shows: see images.h.
 */
#include "draw/images.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"

/* More images in a picture, and half as many boxes along a side of it, are refused: they would be
 * smaller than a few pixels each. */
enum { MOST = 4096, MOST_ALONG = 256 };

void ky_view_project(const struct ky_view *view, const size_t size[2], const double x[3],
                     double pixel[2])
{
    const double scale = (double)ky_shorter(size) / view->side;
    for (int k = 0; k < 2; k++) {
        const double along = (ky_along(x, view->axis[k]) - ky_along(view->middle, view->axis[k]));
        pixel[k] = (double)size[k] / 2 + (k ? -along : along) * scale;
    }
}

struct ky_image_walk ky_images_begin(const struct ky_view *view, const size_t size[2], double rim)
{
    struct ky_image_walk walk = {.view = view};
    const double per_pixel = view->side / (double)ky_shorter(size);
    double reach2 = 0;
    for (int k = 0; k < 3; k++) {
        walk.half[k] = k < 2 ? ((double)size[k] / 2 + rim) * per_pixel : view->slab / 2;
        reach2 += walk.half[k] * walk.half[k];
        for (int c = 0; c < 3; c++)
            walk.extent[k] += view->box / 2 * fabs(view->axis[k][c]);
    }
    const double reach = sqrt(reach2) + view->box;
    for (int c = 0; c < 3 && view->box > 0; c++) {
        const double most = fmin(reach / view->box, MOST_ALONG), at = view->middle[c] / view->box;
        walk.first[c] = (long)floor(at - most), walk.last[c] = (long)ceil(at + most);
        walk.next[c] = walk.first[c];
    }
    return walk;
}

/* Goes to the next candidate. 0 after the last. */
static int step(struct ky_image_walk *walk)
{
    for (int c = 0; c < 3; c++) {
        if (walk->next[c]++ < walk->last[c])
            return 1;
        walk->next[c] = walk->first[c];
    }
    walk->next[2] = walk->last[2] + 1;
    return 0;
}

/* 1 if a part of the box with this displacement is in the picture. */
static int is_in(const struct ky_image_walk *walk, const double shift[3])
{
    const struct ky_view *view = walk->view;
    double from[3];
    for (int c = 0; c < 3; c++)
        from[c] = shift[c] + view->box / 2 - view->middle[c];
    for (int k = 0; k < 3; k++)
        if (!(fabs(ky_along(from, view->axis[k])) < walk->half[k] + walk->extent[k]))
            return 0;
    return 1;
}

int ky_images_next(struct ky_image_walk *walk, double shift[3])
{
    const double box = walk->view->box;
    while (walk->next[2] <= walk->last[2]) {
        for (int c = 0; c < 3; c++)
            shift[c] = box * (double)walk->next[c];
        step(walk);
        if (!(box > 0) || is_in(walk, shift))
            return 1;
    }
    return 0;
}

enum ky_status ky_images_list(const struct ky_view *view, const size_t size[2], double rim,
                              struct ky_images *images, struct ky_error *error)
{
    double shift[3];
    *images = (struct ky_images){.view = view};
    struct ky_image_walk count = ky_images_begin(view, size, rim), walk = count;
    for (int k = 0; k < 3 && view->box > 0; k++)
        if (!(walk.half[k] < MOST_ALONG / 4 * view->box))
            images->count = MOST;
    while (images->count < MOST && ky_images_next(&count, shift))
        images->count++;
    if (images->count >= MOST)
        return ky_fail(error, KY_USAGE,
                       "the picture shows %g by %g, too many images of a box of side %g: give a "
                       "smaller --region or --slab",
                       view->side, view->slab, view->box);
    KY_TRY(
        ky_array(&images->shift, images->count, sizeof *images->shift, "images of the box", error));
    for (size_t k = 0; k < images->count; k++)
        ky_images_next(&walk, images->shift[k]);
    return KY_OK;
}

void ky_images_free(struct ky_images *images)
{
    free(images->shift);
    *images = (struct ky_images){0};
}
