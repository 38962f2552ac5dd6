/* The canvas for pictures and plots: pixels, and texts and lines above them. A pen draws the texts
 * and lines. The cairo pen has smooth letters and can write PDF and SVG; our own needs no
 * library. Pixel coordinates start at the upper left corner, as in the file. */
#ifndef KY_DRAW_CANVAS_H
#define KY_DRAW_CANVAS_H

#include <stddef.h>

#include "kyoho/draw.h"

#include "base/status.h"

struct ky_pen;
struct ky_canvas {
    size_t width, height;
    uint8_t *rgb;   /* red, green and blue, 3 bytes per pixel */
    uint8_t ink[3]; /* colour of texts, bars and lines */
    uint8_t paper[3];
    const struct ky_pen *pen;
    void *sheet; /* the pen's own drawing; NULL: nothing was drawn */
};

/* Where a text begins on its baseline, which goes to the right, or upwards if `upright`. */
struct ky_baseline {
    double x, y;
    int upright;
};

/* The functions of a pen. Lengths are in pixels. If memory runs out, drawing does nothing and
 * flatten returns the error. */
struct ky_pen {
    /* Draws UTF-8 text with capitals of this height. */
    void (*letters)(struct ky_canvas *canvas, struct ky_baseline at, double height,
                    const char *text, size_t length);
    double (*width)(double height, const char *text, size_t length);
    void (*bar)(struct ky_canvas *canvas, double x, double y, double width, double height);
    /* Draws a line through the points, which are finite, with round ends and corners. */
    void (*path)(struct ky_canvas *canvas, const double (*points)[2], size_t count, double width);
    /* Composites the drawing over the pixels. KY_FAULT if memory runs out. */
    enum ky_status (*flatten)(struct ky_canvas *canvas, struct ky_error *error);
    /* Frees the sheet. */
    void (*leave)(struct ky_canvas *canvas);
};
extern const struct ky_pen ky_pixel_pen;
/* The cairo pen; NULL without cairo. */
const struct ky_pen *ky_cairo_pen(void);
/* KY_UNSUPPORTED, with the reason, without cairo in the build or on the machine. */
enum ky_status ky_cairo_available(struct ky_error *error);
/* Writes the canvas as PDF or SVG, chosen by the extension: texts and lines as vectors, above the
 * pixels unless these are all paper. Otherwise fails as ky_canvas_write. */
enum ky_status ky_cairo_write(const char *path, struct ky_canvas *canvas, const char *comment,
                              int overwrite, struct ky_error *error);

/* Makes a canvas of one colour, with the pale ink. KY_FAULT if memory runs out. */
enum ky_status ky_canvas_open(struct ky_canvas *canvas, size_t width, size_t height,
                              const uint8_t paper[3], struct ky_error *error);
/* Frees the members of a canvas, which may be all 0. */
void ky_canvas_close(struct ky_canvas *canvas);
/* Writes the picture to a temporary name and renames it. `comment` is kept in PNG and PDF files.
 * KY_USAGE if the file exists, unless `overwrite`; KY_CANNOT_WRITE if the file system fails. */
enum ky_status ky_canvas_write(const char *path, struct ky_canvas *canvas, const char *comment,
                               int overwrite, struct ky_error *error);
/* The output of a picture: a file, or pixels if the path is NULL. */
struct ky_canvas_goal {
    const char *path;
    int overwrite;
    struct ky_picture *picture; /* comes empty */
};
/* Writes the picture to the file as ky_canvas_write does, or fills the pixels: KY_FAULT if memory
 * runs out. */
enum ky_status ky_canvas_give(const struct ky_canvas_goal *goal, struct ky_canvas *canvas,
                              const char *comment, struct ky_error *error);

/* The colour of labels on dark pictures. */
extern const uint8_t ky_pale_ink[3];
void ky_take_ink(struct ky_canvas *canvas, const uint8_t colour[3]);

/* Draws text with its upper left corner at the pixel (x, y). Capitals are KY_LETTER cells high;
 * `cell` is the size of a cell in pixels. ^{…} is a superscript and _{…} a subscript; ² and ³ are
 * superscripts too. Text outside the picture is clipped. */
enum { KY_LETTER = 7 };
void ky_text(struct ky_canvas *canvas, double x, double y, double cell, const char *text);
/* The same text upwards; (x, y): the lower left corner. */
void ky_text_upright(struct ky_canvas *canvas, double x, double y, double cell, const char *text);
/* The width of a text [pixels]. */
double ky_text_width(double cell, const char *text);
/* The largest size of a cell, at most `cell`, for which a text fits in `room` pixels. */
double ky_text_fit(double cell, const char *text, double room);
/* Fills a rectangle with the ink; all lengths in pixels. */
void ky_bar(struct ky_canvas *canvas, double x, double y, double width, double height);
/* The same on the pixels themselves, below all texts and lines. */
void ky_fill(struct ky_canvas *canvas, double x, double y, double width, double height);
/* Draws a line with round ends, or a disc if both ends are equal; all lengths in pixels. */
void ky_line(struct ky_canvas *canvas, const double from[2], const double to[2], double width);
/* Draws the part of a circle that lies in the box from box[0] to box[1]. */
void ky_ring(struct ky_canvas *canvas, const double middle[2], double radius, double width,
             const double box[2][2]);
/* Draws the outline of a marker at a point: shape 0 to KY_SYMBOLS − 1, all different. */
enum { KY_SYMBOLS = 8 };
void ky_symbol(struct ky_canvas *canvas, const double middle[2], double radius, double width,
               int shape);
/* Draws a line through the points, with a break at each point that is not finite. `dash` is the
 * index of one of the KY_DASHES patterns; pattern 0 has no gaps. */
void ky_curve(struct ky_canvas *canvas, const double (*points)[2], size_t count, double width,
              int dash);

#endif
