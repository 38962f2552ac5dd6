/* The parts of ky_draw: which region is seen, the smoothed projected density of a panel, colours,
 * text, and the PNG file. Pixels are counted from the upper left corner, as in the file. */
#ifndef KY_DRAW_DRAW_H
#define KY_DRAW_DRAW_H

#include "base/options.h"
#include "base/status.h"

extern const struct ky_option ky_draw_options[];
extern const size_t ky_draw_option_count;

/* What is seen, and along which coordinates: the picture's right and up. */
struct ky_view {
    int right, up;    /* 0, 1, 2: x, y, z */
    double centre[2]; /* right, up */
    double side;      /* of the square, > 0 */
    int by_number;    /* every body weighs 1, since none has mass */
};

/* Chooses the view: the centre and side that the parameters name, else the square that holds
 * parameters->fraction of the mass of every panel. KY_BAD_DATA if the bodies span more than a
 * number can hold. */
enum ky_status ky_view_choose(const struct ky_snapshot *panels, size_t count,
                              const struct ky_draw_parameters *parameters, struct ky_view *view,
                              struct ky_error *error);

/* Fills density[width][width] with the mass per area of the view, each body spread over about
 * `smooth` of its neighbours. Bodies outside count as far as they reach in. KY_FAULT when memory is
 * out. */
enum ky_status ky_density_project(const struct ky_bodies *bodies, const struct ky_view *view,
                                  int width, double smooth, double *density,
                                  struct ky_error *error);

/* Red, green and blue of a picture, 3 bytes a pixel. */
struct ky_canvas {
    size_t width, height;
    uint8_t *rgb;
};

/* Fills a colour map, one of --colours, with KY_MAP_COLOURS colours from dark to bright, in even
 * steps of the lightness that the eye sees. */
enum { KY_MAP_COLOURS = 1024 };
void ky_colour_map(int map, uint8_t colours[KY_MAP_COLOURS][3]);

/* Draws text with its upper left corner at the pixel (x, y). A letter has 5 × 7 cells of `cell`
 * pixels, and the next one begins 6 cells further. What lies outside the picture is left out. */
enum { KY_GLYPH_ADVANCE = 6, KY_GLYPH_HEIGHT = 7 };
void ky_text(struct ky_canvas *canvas, double x, double y, double cell, const char *text);
/* The width of such a text [pixels]. */
double ky_text_width(double cell, const char *text);
/* Fills a rectangle with the colour of the text; all in pixels. */
void ky_bar(struct ky_canvas *canvas, double x, double y, double width, double height);

/* Writes the time of a panel, "t = 12.5 Myr", in the unit that suits `largest`, the largest time of
 * all panels. */
void ky_time_label(const struct ky_snapshot *panel, double largest, char *text, size_t size);
/* Returns a round length, at most `wanted`, and writes its label ("2 kpc") to `text`. */
double ky_length_label(const struct ky_units *units, double wanted, char *text, size_t size);

/* KY_UNSUPPORTED in a build without libpng. */
enum ky_status ky_png_available(struct ky_error *error);
/* Writes the picture to a temporary name and renames it. `comment` is kept in the file. KY_USAGE if
 * the file exists, unless `overwrite`; KY_CANNOT_WRITE where the disk refuses. */
enum ky_status ky_png_write(const char *path, const struct ky_canvas *canvas, const char *comment,
                            int overwrite, struct ky_error *error);

#endif
