/* Few bodies as stars, as on a photograph of a cluster: each is a small round spot whose brightness
 * and size depend on its mass. Stars lighter than most are orange, heavier ones blue. */
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "draw/images.h"
#include "octree/sample.h"

enum { COLOURS = 3, LARGEST = 5 /* star, in radii of a typical one */ };

void ky_stars_weigh(struct ky_scene *scene, const struct ky_bodies *bodies)
{
    double heaviest = 0;
    if (scene->star_mass > 0)
        return;
    for (size_t i = 0; i < bodies->n; i++)
        heaviest = fmax(heaviest, bodies->mass[i]);
    const double median = ky_sampled_median(bodies->mass, 1, bodies->n, KY_MEDIAN_MOST);
    scene->star_mass = median > 0 ? median : heaviest;
}

/* Light of a star in three colours, and its radius in units of a typical star's. If there are many
 * stars, each has less light, so that the centre of a cluster is not all white. */
struct star {
    double light[COLOURS], size;
};

static struct star star_of(const struct ky_scene *scene, double n, double mass)
{
    static const double orange[COLOURS] = {1, 0.66, 0.38}, blue[COLOURS] = {0.55, 0.74, 1};
    const double most = 3.5 / (1 + n / 3000), span = 30; /* light at the centre; range of masses */
    const double ratio =
        scene->star_mass > 0 && !scene->view.by_number ? mass / scene->star_mass : 1;
    const double size = cbrt(ratio), part = ratio > 0 ? fmin(fabs(log(ratio)) / log(span), 1) : 1;
    const double *colour = ratio < 1 ? orange : blue;
    struct star star = {.size = fmin(fmax(size, 0.7), LARGEST)};
    for (int c = 0; c < COLOURS; c++)
        star.light[c] = most * fmin(fmax(size, 0.25), 3) * (1 + part * (colour[c] - 1));
    return star;
}

/* Adds a spot of light, (1 − r²/R²)² over the pixels. */
static void add_star(const struct ky_scene *scene, const double pixel[2], double radius,
                     const struct star *star, double *layers)
{
    const size_t width = scene->size[0], pixels = width * scene->size[1];
    size_t low[2], high[2];
    for (int k = 0; k < 2; k++) {
        if (!(pixel[k] > -radius && pixel[k] < (double)scene->size[k] + radius))
            return;
        low[k] = (size_t)fmax(pixel[k] - radius, 0);
        high[k] = (size_t)fmin(pixel[k] + radius + 1, (double)scene->size[k]);
    }
    for (size_t y = low[1]; y < high[1]; y++)
        for (size_t x = low[0]; x < high[0]; x++) {
            const double dx = (double)x + 0.5 - pixel[0], dy = (double)y + 0.5 - pixel[1];
            const double part = fmax(0, 1 - (dx * dx + dy * dy) / (radius * radius));
            for (size_t c = 0; c < COLOURS; c++)
                layers[c * pixels + y * width + x] += star->light[c] * part * part;
        }
}

enum ky_status ky_stars_project(const struct ky_scene *scene, const struct ky_bodies *bodies,
                                double *layers, struct ky_error *error)
{
    const double n = (double)bodies->n, side = (double)ky_shorter(scene->size);
    const double radius = fmax(side / 110 / sqrt(1 + n / 100), 1.3);
    struct ky_images images;
    memset(layers, 0, COLOURS * scene->size[0] * scene->size[1] * sizeof *layers);
    KY_TRY(ky_images_list(&scene->view, scene->size, LARGEST * radius, &images, error));
    for (size_t i = 0; i < bodies->n; i++) {
        const struct star star = star_of(scene, n, bodies->mass[i]);
        double base[3], x[3], pixel[2];
        ky_image_base(&scene->view, bodies->position[i], base);
        for (size_t m = 0; m < images.count; m++) {
            if (!ky_image_shown(&scene->view, base, images.shift[m], x))
                continue;
            ky_view_project(&scene->view, scene->size, x, pixel);
            add_star(scene, pixel, radius * star.size, &star, layers);
        }
    }
    ky_images_free(&images);
    return KY_OK;
}

void ky_stars_mix(const double light[COLOURS], const uint8_t dark[COLOURS], uint8_t *pixel)
{
    const double most = fmax(light[0], fmax(light[1], light[2]));
    const double shown = most > 0 ? -expm1(-most) / most : 0;
    for (int c = 0; c < COLOURS; c++) {
        const double part =
            (light[c] * shown - expm1(-light[c])) / 2; /* half of the light keeps its colour */
        pixel[c] = (uint8_t)(dark[c] + (255 - dark[c]) * part + 0.5);
    }
}
