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

/* The view that the parameters ask for, or that holds parameters->fraction of every panel's mass.
 */
enum ky_status ky_view_choose(const struct ky_snapshot *panels, size_t count,
                              const struct ky_draw_parameters *parameters, struct ky_view *view,
                              struct ky_error *error);

/* Mass per area of a square of `width` × `width` pixels, each body spread over about `smooth` of
 * its neighbours. Bodies outside count as far as they reach in. */
enum ky_status ky_density_project(const struct ky_bodies *bodies, const struct ky_view *view,
                                  int width, double smooth, double *density,
                                  struct ky_error *error);

/* Red, green and blue of a picture, 3 bytes a pixel. */
struct ky_canvas {
    size_t width, height;
    uint8_t *rgb;
};

/* A colour map: KY_MAP_COLOURS colours from dark to bright, evenly in perceived lightness. */
enum { KY_MAP_COLOURS = 1024 };
void ky_colour_map(int map, uint8_t colours[KY_MAP_COLOURS][3]);

/* Text with its upper left corner at (x, y); a letter is 5 × 7 cells of `cell` pixels, 6 cells
 * apart. */
enum { KY_GLYPH_ADVANCE = 6, KY_GLYPH_HEIGHT = 7 };
void ky_text(struct ky_canvas *canvas, double x, double y, double cell, const char *text);
double ky_text_width(double cell, const char *text);
/* A filled rectangle in the colour of the text. */
void ky_bar(struct ky_canvas *canvas, double x, double y, double width, double height);

/* "t = 12.5 Myr" in the unit that suits the largest time of all panels. */
void ky_time_label(const struct ky_snapshot *panel, double largest, char *text, size_t size);
/* A round length of about `wanted` and its label ("2 kpc"). */
double ky_length_label(const struct ky_units *units, double wanted, char *text, size_t size);

/* KY_UNSUPPORTED in a build without libpng. */
enum ky_status ky_png_available(struct ky_error *error);
/* Writes to a temporary name and renames. */
enum ky_status ky_png_write(const char *path, const struct ky_canvas *canvas, const char *comment,
                            int overwrite, struct ky_error *error);

#endif
