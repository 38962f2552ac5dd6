/* Labels of times and lengths with round numbers in a suitable unit, and the positions of a
 * picture's labels. */
#include "draw/images.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/quantity.h"

void ky_time_label(const struct ky_snapshot *panel, double largest, char *text, size_t size)
{
    char unit[KY_UNIT_TEXT];
    const struct ky_space *space = &panel->space;
    if (space->comoving && ky_box_of(space) > 0) {
        const double z = 1 / space->scale_factor - 1; /* of which a rounding error may be left */
        ky_format(text, size, "z = %.3g", z > 1e-9 ? z : 0);
        return;
    }
    const double factor =
        ky_unit_shown(&panel->units, KY_TIME_UNIT, largest > 0 ? largest : (double)NAN, unit);
    ky_format(text, size, "t = %.4g%s%s", panel->time * factor, *unit ? " " : "", unit);
}

double ky_length_label(const struct ky_units *units, double wanted, char *text, size_t size)
{
    char unit[KY_UNIT_TEXT];
    const double factor = ky_unit_shown(units, KY_LENGTH_UNIT, wanted, unit);
    const double value = wanted * factor, power = pow(10, floor(log10(value)));
    const double digit = value / power;
    const double round = (digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * power;
    ky_format(text, size, "%g%s%s", round, *unit ? " " : "", unit);
    return round / factor;
}

double ky_text_cell(const size_t size[2])
{
    return fmax(1, (double)ky_shorter(size) / 320);
}

/* Distance between a label and the border, in cells. */
static const double edge = 8;

void ky_label_title(const struct ky_scene *scene, const struct ky_snapshot *panel, size_t k,
                    struct ky_canvas *canvas, const double corner[2])
{
    const char *title = scene->parameters->title;
    double cell = ky_text_cell(scene->size);
    char text[128];
    if (title) { /* the k-th text between '|' */
        for (; k && title; k--)
            title = (title = strchr(title, '|')) ? title + 1 : NULL;
        size_t length = title ? strcspn(title, "|") : 0;
        snprintf(text, sizeof text, "%.*s", (int)length, title ? title : "");
    } else {
        ky_time_label(panel, scene->largest, text, sizeof text);
    }
    ky_text(canvas, corner[0] + edge * cell, corner[1] + edge * cell,
            ky_text_fit(cell, text, (double)scene->size[0] - 2 * edge * cell), text);
}

void ky_label_scale(const struct ky_scene *scene, const struct ky_units *units,
                    struct ky_canvas *canvas, const double corner[2])
{
    char text[64];
    double cell = ky_text_cell(scene->size), shorter = (double)ky_shorter(scene->size);
    double length = ky_length_label(units, scene->view.side / 4, text, sizeof text);
    double pixels = length / scene->view.side * shorter, left = corner[0] + edge * cell;
    double bottom = corner[1] + (double)scene->size[1] - edge * cell;
    ky_bar(canvas, left, bottom - cell, pixels, cell);
    ky_text(canvas, left + (pixels - ky_text_width(cell, text)) / 2,
            bottom - (KY_LETTER + 5) * cell, cell, text);
}

/* The radius of a circle [pixels]. */
static double radius_of(const struct ky_scene *scene, const double circle[4])
{
    return circle[3] / scene->view.side * (double)ky_shorter(scene->size);
}

/* Goes to the next image of the circle that may be in the panel; 0 after the last. */
static int next_circle(const struct ky_scene *scene, const double circle[4],
                       struct ky_image_walk *walk, double pixel[2])
{
    double base[3], shift[3], x[3];
    ky_image_base(&scene->view, circle, base);
    while (ky_images_next(walk, shift))
        if (ky_image_shown(&scene->view, base, shift, x)) {
            ky_view_project(&scene->view, scene->size, x, pixel);
            return 1;
        }
    return 0;
}

int ky_circles_miss(const struct ky_scene *scene)
{
    const struct ky_draw_parameters *parameters = scene->parameters;
    for (size_t k = 0; k < parameters->circle_count; k++) {
        struct ky_image_walk walk = ky_images_begin(&scene->view, scene->size, 0);
        double middle[2];
        while (next_circle(scene, parameters->circles[k], &walk, middle))
            if (middle[0] >= 0 && middle[0] <= (double)scene->size[0] && middle[1] >= 0 &&
                middle[1] <= (double)scene->size[1])
                return 0;
    }
    return parameters->circle_count > 0;
}

void ky_label_circles(const struct ky_scene *scene, struct ky_canvas *canvas,
                      const double corner[2])
{
    const struct ky_draw_parameters *parameters = scene->parameters;
    const double box[2][2] = {
        {corner[0], corner[1]},
        {corner[0] + (double)scene->size[0], corner[1] + (double)scene->size[1]}};
    for (size_t k = 0; k < parameters->circle_count; k++) {
        const double *circle = parameters->circles[k], radius = radius_of(scene, circle);
        struct ky_image_walk walk = ky_images_begin(&scene->view, scene->size, radius);
        double middle[2];
        while (next_circle(scene, circle, &walk, middle)) {
            for (int c = 0; c < 2; c++)
                middle[c] += corner[c];
            ky_ring(canvas, middle, radius, fmax(1, ky_text_cell(scene->size) / 2), box);
        }
    }
}

/* The names of the components that occur, each in its colour, in one column. */
static void label_parts(const struct ky_scene *scene, struct ky_canvas *canvas, double cell,
                        double right, double bottom)
{
    const char *const *names = ky_part_names(scene->parameters->divide);
    const uint8_t(*colours)[3] = ky_part_colours(scene->parameters->divide);
    for (int t = KY_TYPES - 1; t >= 0; t--) {
        if (!(scene->present >> t & 1))
            continue;
        bottom -= KY_LETTER * cell;
        memcpy(canvas->ink, colours[t], sizeof canvas->ink);
        ky_text(canvas, right - ky_text_width(cell, names[t]), bottom, cell, names[t]);
        bottom -= 4 * cell;
    }
    memcpy(canvas->ink, ky_pale_ink, sizeof canvas->ink);
}

/* A strip of the colour map, with the velocities at its ends and middle. */
static void label_velocities(const struct ky_scene *scene, const struct ky_units *units,
                             struct ky_canvas *canvas, double cell, double right, double bottom)
{
    double kms = units->velocity_cm_s > 0 ? units->velocity_cm_s / 1e5 : 1;
    char high[48], low[48];
    ky_format(high, sizeof high, "%+.3g%s", scene->speed * kms,
              units->velocity_cm_s > 0 ? " km/s" : "");
    ky_format(low, sizeof low, "%.3g", -scene->speed * kms);
    double half = ky_text_width(cell, high) / 2;
    double both = half + ky_text_width(cell, low) / 2 + KY_LETTER * cell;
    double length = fmax((double)ky_shorter(scene->size) / 4, both);
    double end = right - half, start = end - length, top = bottom - 3 * cell;
    for (long x = lround(start); x < lround(end); x++) {
        double place = fmin(fmax(((double)x + 0.5 - start) / length, 0), 1);
        memcpy(canvas->ink, scene->map[(size_t)(place * (KY_MAP_COLOURS - 1))], 3);
        ky_bar(canvas, (double)x, top, 1, 3 * cell);
    }
    memcpy(canvas->ink, ky_pale_ink, sizeof canvas->ink);
    top -= (KY_LETTER + 4) * cell;
    ky_text(canvas, end - half, top, cell, high);
    ky_text(canvas, start - ky_text_width(cell, low) / 2, top, cell, low);
}

void ky_label_colours(const struct ky_scene *scene, const struct ky_units *units,
                      struct ky_canvas *canvas, const double corner[2])
{
    double cell = ky_text_cell(scene->size);
    double right = corner[0] + (double)scene->size[0] - edge * cell;
    double bottom = corner[1] + (double)scene->size[1] - edge * cell;
    if (scene->parameters->show == KY_SHOW_COMPONENTS)
        label_parts(scene, canvas, cell, right, bottom);
    if (scene->parameters->show == KY_SHOW_VELOCITY)
        label_velocities(scene, units, canvas, cell, right, bottom);
}
