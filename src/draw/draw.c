/* ky_draw: panels of projected density side by side, with a scale that is common to all, labels and
 * a scale bar. Reading snapshots is left to the caller. */
#include "draw/draw.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"

#define FIELD(name) offsetof(struct ky_draw_parameters, name)

const struct ky_option ky_draw_options[] = {
    {"axis", KY_OPTION_CHOICE, FIELD(axis), "z", KY_NO_RANGE, "x|y|z", NULL, "line of sight"},
    {"width", KY_OPTION_INTEGER, FIELD(width), "640", 16, 16384, NULL, "PIXELS",
     "side of a panel [pixels]"},
    {"columns", KY_OPTION_INTEGER, FIELD(columns), "0", 0, 1000, NULL, NULL,
     "panels in a row; 0: chosen from their number"},
    {"region", KY_OPTION_REAL, FIELD(region), NULL, 1e-300, 1e300, NULL, "LENGTH",
     "side of the square that every panel shows; without it --fraction decides [length]"},
    {"centre-x", KY_OPTION_REAL, FIELD(centre[0]), NULL, -1e300, 1e300, NULL, "LENGTH",
     "x of the middle of the square; without it the middle of the bodies [length]"},
    {"centre-y", KY_OPTION_REAL, FIELD(centre[1]), NULL, -1e300, 1e300, NULL, "LENGTH",
     "the same along y [length]"},
    {"centre-z", KY_OPTION_REAL, FIELD(centre[2]), NULL, -1e300, 1e300, NULL, "LENGTH",
     "the same along z [length]"},
    {"fraction", KY_OPTION_REAL, FIELD(fraction), "0.98", 0.01, 1, NULL, NULL,
     "fraction of the mass of every panel that the square holds"},
    {"colours", KY_OPTION_CHOICE, FIELD(colours), "ember", KY_NO_RANGE, "ember|ice|gray", NULL,
     "colour map"},
    {"brightness", KY_OPTION_CHOICE, FIELD(brightness), "asinh", KY_NO_RANGE, "asinh|log|linear",
     NULL, "how brightness follows from density, the same in all panels"},
    {"range", KY_OPTION_REAL, FIELD(range), "3.5", 0.1, 30, NULL, "DECADES",
     "span of densities from dark to bright [powers of ten]"},
    {"peak", KY_OPTION_REAL, FIELD(peak), NULL, 1e-300, 1e300, NULL, "DENSITY",
     "density that has the brightest colour; without it that of the densest 1 % of the mass "
     "[mass/length²]"},
    {"smooth", KY_OPTION_REAL, FIELD(smooth), "200", 0, 1e9, NULL, NULL,
     "number of neighbours over which a body is spread; with 0 bodies are sharp dots"},
    {"title", KY_OPTION_TEXT, FIELD(title), NULL, KY_NO_RANGE, NULL, "TEXT",
     "titles of the panels, with | between them; without it the time"},
    {"overwrite", KY_OPTION_FLAG, FIELD(overwrite), "no", KY_NO_RANGE, NULL, NULL,
     "replace an existing picture"},
};
const size_t ky_draw_option_count = sizeof ky_draw_options / sizeof *ky_draw_options;

/* A picture in the making. */
struct picture {
    const struct ky_draw_parameters *parameters;
    const struct ky_snapshot *panels;
    size_t count, columns, width, gap;
    struct ky_view view;
    double *density; /* [count][width][width] */
    double peak;
    uint8_t map[KY_MAP_COLOURS][3];
    struct ky_canvas canvas;
};

static struct ky_option_set option_set(struct ky_draw_parameters *parameters)
{
    return (struct ky_option_set){.title = "draw",
                                  .options = ky_draw_options,
                                  .count = ky_draw_option_count,
                                  .values = parameters};
}

void ky_draw_parameters_defaults(struct ky_draw_parameters *parameters)
{
    struct ky_option_set set;
    *parameters = (struct ky_draw_parameters){.size = sizeof *parameters};
    set = option_set(parameters);
    ky_options_defaults(&set);
}

/* KY_USAGE or KY_BAD_DATA for what can be wrong with the call. Positions past `farthest` would
 * overflow. */
static enum ky_status check(const struct ky_snapshot *panels, size_t count,
                            struct ky_draw_parameters *parameters, struct ky_error *error)
{
    const double farthest = 1e150;
    if (!count)
        return ky_fail(error, KY_USAGE, "nothing to draw: give at least one snapshot");
    struct ky_option_set set = option_set(parameters);
    enum ky_status status = ky_options_check(&set, error);
    for (size_t p = 0; !status && p < count; p++) {
        struct ky_bodies plain = panels[p].bodies;
        plain.id = NULL; /* whether ids are unique is no matter here */
        status = ky_bodies_check(&plain, error);
        for (size_t i = 0; !status && i < plain.n; i++)
            for (int k = 0; k < 3; k++)
                if (!(fabs(plain.position[i][k]) <= farthest))
                    return ky_fail(error, KY_BAD_DATA, "body %zu is farther away than %g", i,
                                   farthest);
    }
    return status;
}

/* The density above which 1 % of a panel's mass lies: brighter than noise, and not a single pixel.
 */
static double bright_density(const double *density, size_t pixels)
{
    enum { BINS = 2048 };
    const double bins_per_octave = 32;
    double bins[BINS] = {0}, most = 0, sum = 0;
    for (size_t i = 0; i < pixels; i++)
        most = fmax(most, density[i]);
    for (size_t i = 0; i < pixels; i++) {
        double octaves = density[i] > 0 ? log2(most / density[i]) : HUGE_VAL;
        if (octaves * bins_per_octave < BINS)
            bins[(size_t)(octaves * bins_per_octave)] += density[i];
        sum += density[i];
    }
    int b = 0;
    for (double above = bins[0]; above < 0.01 * sum && b < BINS - 1; above += bins[b])
        b++;
    return most * exp2(-b / bins_per_octave);
}

/* The densities of all panels, and the density that is brightest. */
static enum ky_status project(struct picture *picture, struct ky_error *error)
{
    size_t pixels = picture->width * picture->width;
    double peak = 0;
    picture->density = ky_allocate(picture->count * pixels, sizeof *picture->density);
    if (!picture->density)
        return ky_no_memory(error, "the picture", picture->count * pixels, sizeof(double));
    for (size_t p = 0; p < picture->count; p++) {
        double *density = picture->density + p * pixels;
        enum ky_status status =
            ky_density_project(&picture->panels[p].bodies, &picture->view, (int)picture->width,
                               picture->parameters->smooth, density, error);
        if (status)
            return status;
        peak = fmax(peak, bright_density(density, pixels));
    }
    picture->peak = isnan(picture->parameters->peak) ? peak : picture->parameters->peak;
    return KY_OK;
}

/* 0 … 1 for a density in units of the peak; `faint` = 10^-range. */
static double brightness(int kind, double density, double range, double faint)
{
    double value = density;
    if (kind == KY_ASINH)
        value = asinh(density / faint) / asinh(1 / faint);
    else if (kind == KY_LOG)
        value = density > 0 ? 1 + log10(density) / range : 0;
    return fmin(fmax(value, 0), 1);
}

/* Paints panel p: density to brightness to colour. */
static void colour_panel(struct picture *picture, size_t p)
{
    size_t width = picture->width, step = width + picture->gap;
    size_t left = p % picture->columns * step, top = p / picture->columns * step;
    const double *density = picture->density + p * width * width;
    double range = picture->parameters->range, faint = pow(10, -range);
    double scale = picture->peak > 0 ? 1 / picture->peak : 0;
#pragma omp parallel for schedule(static)
    for (size_t y = 0; y < width; y++)
        for (size_t x = 0; x < width; x++) {
            double value = brightness(picture->parameters->brightness,
                                      density[y * width + x] * scale, range, faint);
            memcpy(picture->canvas.rgb + 3 * ((top + y) * picture->canvas.width + left + x),
                   picture->map[(size_t)(value * (KY_MAP_COLOURS - 1) + 0.5)], 3);
        }
}

/* The p-th of the texts between '|', or the time. */
static void panel_text(const struct picture *picture, size_t p, char *text, size_t size)
{
    const char *title = picture->parameters->title;
    if (!title) {
        double largest = 0;
        for (size_t k = 0; k < picture->count; k++)
            largest = fmax(largest, fabs(picture->panels[k].time));
        ky_time_label(&picture->panels[p], largest, text, size);
        return;
    }
    for (; p && title; p--)
        title = (title = strchr(title, '|')) ? title + 1 : NULL;
    size_t length = title ? strcspn(title, "|") : 0;
    snprintf(text, size, "%.*s", (int)length, title ? title : "");
}

/* Writes a text into each panel, and the scale bar into the first. */
static void label_panels(struct picture *picture)
{
    char text[128];
    double width = (double)picture->width, cell = fmax(1, width / 320), edge = 8 * cell;
    for (size_t p = 0; p < picture->count; p++) {
        size_t step = picture->width + picture->gap;
        panel_text(picture, p, text, sizeof text);
        ky_text(&picture->canvas, (double)(p % picture->columns * step) + edge,
                (double)(p / picture->columns * step) + edge, cell, text);
    }
    /* The bar stands in the first panel: all have the same scale. */
    double side = picture->view.side;
    double length = ky_length_label(&picture->panels[0].units, side / 4, text, sizeof text);
    double pixels = length / side * width, bottom = width - edge;
    ky_bar(&picture->canvas, edge, bottom - cell, pixels, cell);
    ky_text(&picture->canvas, edge + (pixels - ky_text_width(cell, text)) / 2,
            bottom - (KY_GLYPH_HEIGHT + 5) * cell, cell, text);
}

/* Makes the canvas and fills it. KY_FAULT when memory is out. */
static enum ky_status paint(struct picture *picture, struct ky_error *error)
{
    size_t rows = (picture->count + picture->columns - 1) / picture->columns;
    size_t step = picture->width + picture->gap;
    struct ky_canvas *canvas = &picture->canvas;
    canvas->width = picture->columns * step - picture->gap;
    canvas->height = rows * step - picture->gap;
    canvas->rgb = ky_allocate_zeroed(canvas->width * canvas->height, 3);
    if (!canvas->rgb)
        return ky_no_memory(error, "the picture", canvas->width * canvas->height, 3);
    ky_colour_map(picture->parameters->colours, picture->map);
    for (size_t p = 0; p < picture->count; p++)
        colour_panel(picture, p);
    label_panels(picture);
    return KY_OK;
}

enum ky_status ky_draw(const char *path, const struct ky_snapshot *panels, size_t count,
                       const struct ky_draw_parameters *given, struct ky_error *error)
{
    struct ky_draw_parameters parameters;
    ky_draw_parameters_defaults(&parameters);
    enum ky_status status =
        ky_size_adopt(&parameters, sizeof parameters, given, "ky_draw_parameters_defaults", error);
    struct picture picture = {.parameters = &parameters,
                              .panels = panels,
                              .count = count,
                              .width = (size_t)parameters.width,
                              .gap = (size_t)(parameters.width / 160 + 1)};
    if (!status)
        status = ky_png_available(error);
    if (!status)
        status = check(panels, count, &parameters, error);
    if (status)
        return status;
    size_t most = count <= 5 ? count : (size_t)ceil(sqrt((double)count));
    picture.columns = parameters.columns ? (size_t)parameters.columns : most;
    if (picture.columns > count)
        picture.columns = count;
    status = ky_view_choose(panels, count, &parameters, &picture.view, error);
    if (!status)
        status = project(&picture, error);
    if (!status)
        status = paint(&picture, error);
    if (!status) {
        char comment[160];
        ky_format(comment, sizeof comment,
                  "projected density along %c; side of a panel %.6g; brightest colour %.6g",
                  "xyz"[parameters.axis], picture.view.side, picture.peak);
        status = ky_png_write(path, &picture.canvas, comment, parameters.overwrite, error);
    }
    free(picture.canvas.rgb);
    free(picture.density);
    return status;
}
