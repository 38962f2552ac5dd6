/* Trails: the paths of some bodies of a run, from snapshot to snapshot. Between two snapshots a
 * path is the cubic with the bodies' velocities at both ends. If a body has moved far between them,
 * the velocities say little, so their effect is limited in proportion to the distance. */
#include "draw/images.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/order.h"
#include "octree/sample.h"
#include "physics/space.h"

void ky_trails_free(struct ky_trails *trails)
{
    free(trails->id);
    free(trails->position);
    free(trails->velocity);
    free(trails->time);
    *trails = (struct ky_trails){0};
}

static uint64_t id_of(const struct ky_bodies *bodies, size_t i)
{
    return bodies->id ? bodies->id[i] : i;
}

enum ky_status ky_trails_begin(struct ky_trails *trails, const struct ky_bodies *bodies,
                               size_t most, size_t times, struct ky_error *error)
{
    size_t count = bodies->n < most ? bodies->n : most;
    *trails = (struct ky_trails){.bodies = count, .room = times};
    trails->id = ky_allocate(count, sizeof *trails->id);
    trails->position = ky_allocate(count * times, sizeof *trails->position);
    trails->velocity = ky_allocate(count * times, sizeof *trails->velocity);
    trails->time = ky_allocate(times, sizeof *trails->time);
    if (!trails->id || !trails->position || !trails->velocity || !trails->time)
        return ky_no_memory(error, "trails", count * times, 2 * sizeof *trails->position);
    const struct ky_sample_order order = ky_sample_order(count ? bodies->n : 1);
    for (size_t k = 0; k < count; k++)
        trails->id[k] = id_of(bodies, ky_sampled(order, count, k));
    qsort(trails->id, count, sizeof *trails->id, ky_order_ids);
    return KY_OK;
}

/* Replaces the last positions by their images nearest to the ones before, so that no path jumps
 * across the box. In a comoving box velocities do not fit the times, and paths are straight. */
static void follow_in_box(struct ky_trails *trails, const struct ky_space *space)
{
    const double box = ky_box_of(space);
    const size_t last = (trails->times - 1) * trails->bodies;
    for (size_t k = 0; k < trails->bodies; k++)
        for (int c = 0; c < 3; c++) {
            double *x = &trails->position[last + k][c];
            if (space->comoving)
                trails->velocity[last + k][c] = 0;
            if (trails->times > 1 && !isnan(*x - x[-3 * (ptrdiff_t)trails->bodies]))
                *x = ky_image_near(*x, x[-3 * (ptrdiff_t)trails->bodies], box);
        }
}

void ky_trails_add(struct ky_trails *trails, const struct ky_snapshot *snapshot)
{
    const struct ky_bodies *bodies = &snapshot->bodies;
    double(*position)[3] = trails->position + trails->times * trails->bodies;
    double(*velocity)[3] = trails->velocity + trails->times * trails->bodies;
    for (size_t k = 0; k < trails->bodies; k++)
        for (int c = 0; c < 3; c++)
            position[k][c] = (double)NAN, velocity[k][c] = 0;
    for (size_t i = 0; i < bodies->n && trails->bodies; i++) {
        uint64_t id = id_of(bodies, i);
        const uint64_t *found =
            bsearch(&id, trails->id, trails->bodies, sizeof *trails->id, ky_order_ids);
        if (!found)
            continue;
        memcpy(position[found - trails->id], bodies->position[i], sizeof *position);
        memcpy(velocity[found - trails->id], bodies->velocity[i], sizeof *velocity);
    }
    trails->time[trails->times++] = snapshot->time;
    if (ky_box_of(&snapshot->space) > 0)
        follow_in_box(trails, &snapshot->space);
}

/* The position of body k between times t and t + 1, at the fraction f. */
static void between(const struct ky_trails *trails, size_t k, size_t t, double f, double x[3])
{
    const double most = 2; /* largest effect of a velocity, in units of the distance */
    const double *a = trails->position[t * trails->bodies + k], *b = a + 3 * trails->bodies;
    const double *u = trails->velocity[t * trails->bodies + k], *v = u + 3 * trails->bodies;
    double dt = trails->time[t + 1] - trails->time[t], way = 0, first = 0, second = 0;
    for (int c = 0; c < 3; c++) {
        way += (b[c] - a[c]) * (b[c] - a[c]);
        first += u[c] * u[c];
        second += v[c] * v[c];
    }
    double bound = most * sqrt(way) / fmax(fabs(dt), 1e-300);
    first = dt * fmin(1, bound / fmax(sqrt(first), 1e-300));
    second = dt * fmin(1, bound / fmax(sqrt(second), 1e-300));
    double g = 1 - f, start = g * g * (1 + 2 * f), end = f * f * (3 - 2 * f);
    for (int c = 0; c < 3; c++)
        x[c] = start * a[c] + end * b[c] + f * g * (g * first * u[c] - f * second * v[c]);
}

/* The place of an image on the canvas: the corner of the panel, and the displacement. */
struct place {
    const size_t *corner;
    const double *shift;
};

/* The position of the image of a point on the canvas. 0 outside the panel. */
static int pixel_of(const struct ky_scene *scene, const struct place *place, const double point[3],
                    double pixel[2])
{
    double x[3];
    int inside = ky_image_shown(&scene->view, point, place->shift, x);
    ky_view_project(&scene->view, scene->size, x, pixel);
    for (int k = 0; k < 2; k++) {
        inside &= pixel[k] >= 0 && pixel[k] <= (double)scene->size[k];
        pixel[k] += (double)place->corner[k];
    }
    return inside;
}

/* An image of the path of body k. */
static void draw_path(const struct ky_scene *scene, const struct ky_trails *trails, size_t k,
                      const struct place *place, struct ky_canvas *canvas)
{
    enum { PARTS = 12 };
    const double golden = 137.50776, cell = ky_text_cell(scene->size);
    double pixels[2][2], x[3];
    for (size_t t = 0; t + 1 < trails->times; t++) {
        between(trails, k, t, 0, x);
        int before = pixel_of(scene, place, x, pixels[0]);
        for (int part = 1; part <= PARTS; part++) {
            between(trails, k, t, (double)part / PARTS, x);
            const int here = pixel_of(scene, place, x, pixels[1]);
            double age = ((double)t + (double)part / PARTS) / (double)(trails->times - 1);
            ky_colour(0.4 + 0.4 * age, 0.13, golden * (double)k, canvas->ink);
            if (before && here)
                ky_line(canvas, pixels[0], pixels[1], cell);
            memcpy(pixels[0], pixels[1], sizeof pixels[0]);
            before = here;
        }
    }
    ky_colour(0.9, 0.08, golden * (double)k, canvas->ink);
    if (pixel_of(scene, place, trails->position[(trails->times - 1) * trails->bodies + k],
                 pixels[0]))
        ky_line(canvas, pixels[0], pixels[0], 3 * cell);
}

/* Draws all paths. They are many short lines, so they are pixels in PDF and SVG too. */
static enum ky_status draw_paths(const struct ky_scene *scene, const struct ky_trails *trails,
                                 const size_t corner[2], struct ky_canvas *canvas,
                                 struct ky_error *error)
{
    static const uint8_t dark[3] = {8, 8, 14};
    const struct ky_pen *pen = canvas->pen;
    const double box = scene->view.box / scene->view.side * (double)ky_shorter(scene->size);
    struct ky_images images; /* paths leave the box by less than half of it from time to time */
    KY_TRY(ky_images_list(&scene->view, scene->size, box, &images, error));
    ky_take_ink(canvas, dark);
    ky_fill(canvas, (double)corner[0], (double)corner[1], (double)scene->size[0],
            (double)scene->size[1]);
    canvas->pen = &ky_pixel_pen;
    for (size_t k = 0; k < trails->bodies; k++)
        for (size_t m = 0; m < images.count; m++)
            draw_path(scene, trails, k, &(struct place){corner, images.shift[m]}, canvas);
    canvas->pen = pen;
    ky_images_free(&images);
    return KY_OK;
}

/* Chooses the view that contains the wanted fraction of all positions. */
static enum ky_status choose_view(struct ky_scene *scene, const struct ky_trails *trails,
                                  const struct ky_space *space, struct ky_error *error)
{
    size_t all = trails->times * trails->bodies, n = 0;
    struct ky_snapshot places = {.time = trails->time[trails->times - 1], .space = *space};
    char text[256];
    enum ky_status status = ky_bodies_allocate(&places.bodies, all, 0, error);
    for (size_t i = 0; i < all && !status; i++)
        if (!isnan(trails->position[i][0])) {
            memcpy(places.bodies.position[n], trails->position[i], 3 * sizeof(double));
            places.bodies.mass[n++] = 1;
        }
    places.bodies.n = n;
    if (!status)
        status = ky_view_choose(&places, 1, scene->parameters, 0, &scene->view, error);
    if (!status && scene->parameters->log &&
        ky_view_misses(&scene->view, scene->size, &places, text, sizeof text))
        scene->parameters->log(scene->parameters->log_context, KY_LOG_WARNING, text);
    ky_bodies_free(&places.bodies);
    return status;
}

enum ky_status ky_trails_draw(const struct ky_canvas_goal *goal, const struct ky_trails *trails,
                              const struct ky_snapshot *last,
                              const struct ky_draw_parameters *parameters, struct ky_error *error)
{
    struct ky_layout layout;
    size_t corner[2];
    struct ky_scene scene = {.parameters = parameters, .largest = fabs(last->time)};
    struct ky_canvas canvas = {0};
    char comment[160];
    if (trails->times < 2)
        return ky_fail(error, KY_USAGE,
                       "trails lead from one snapshot to the next: give at least two snapshots");
    scene.size[0] = (size_t)parameters->width;
    scene.size[1] = (size_t)(parameters->height ? parameters->height : parameters->width);
    enum ky_status status = choose_view(&scene, trails, &last->space, error);
    if (!status) {
        ky_layout_choose(&layout, &scene, 1, last);
        ky_layout_corner(&layout, &scene, 0, corner);
        status = ky_layout_open(&layout, &scene, &canvas, error);
    }
    if (!status) {
        status = draw_paths(&scene, trails, corner, &canvas, error);
        ky_layout_label(&layout, &scene, last, 0, 1, &canvas);
        ky_format(comment, sizeof comment, "paths of %zu bodies along %c; side of a panel %.6g",
                  trails->bodies, "xyz"[parameters->axis], scene.view.side);
        status = status ? status : ky_canvas_give(goal, &canvas, comment, error);
    }
    ky_canvas_close(&canvas);
    return status;
}
