/* Code that both pens share: texts with superscripts and subscripts, dashes, and files. */
#include "draw/canvas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/status.h"
#include "draw/png.h"

const uint8_t ky_pale_ink[3] = {226, 228, 236};

enum ky_status ky_canvas_open(struct ky_canvas *canvas, size_t width, size_t height,
                              const uint8_t paper[3], struct ky_error *error)
{
    *canvas = (struct ky_canvas){.width = width, .height = height};
    canvas->pen = ky_cairo_pen() ? ky_cairo_pen() : &ky_pixel_pen;
    KY_TRY(ky_array(&canvas->rgb, width * height, 3, "the picture", error));
    for (size_t i = 0; i < 3 * width * height; i++)
        canvas->rgb[i] = paper[i % 3];
    memcpy(canvas->paper, paper, sizeof canvas->paper);
    ky_take_ink(canvas, ky_pale_ink);
    return KY_OK;
}

void ky_canvas_close(struct ky_canvas *canvas)
{
    if (canvas->pen)
        canvas->pen->leave(canvas);
    free(canvas->rgb);
    *canvas = (struct ky_canvas){0};
}

static int is_vector(const char *path)
{
    return ky_ends_with(path, ".pdf") || ky_ends_with(path, ".svg");
}

enum ky_status ky_draw_available(const char *path, struct ky_error *error)
{
    KY_NEED(path, error);
    return is_vector(path) ? ky_cairo_available(error) : ky_png_available(error);
}

enum ky_status ky_canvas_write(const char *path, struct ky_canvas *canvas, const char *comment,
                               int overwrite, struct ky_error *error)
{
    if (is_vector(path))
        return ky_cairo_write(path, canvas, comment, overwrite, error);
    KY_TRY(canvas->pen->flatten(canvas, error));
    return ky_png_write(path, canvas, comment, overwrite, error);
}

void ky_picture_free(struct ky_picture *picture)
{
    if (!picture)
        return;
    free(picture->rgba);
    picture->rgba = NULL;
    picture->width = picture->height = 0;
}

/* Fills the caller's pixels from the canvas, after the drawing has been flattened. */
static enum ky_status fill_pixels(const struct ky_canvas *canvas, struct ky_picture *picture,
                                  struct ky_error *error)
{
    const size_t pixels = canvas->width * canvas->height;
    uint8_t *rgba;
    KY_TRY(ky_array(&rgba, pixels, 4, "the picture", error));
    for (size_t i = 0; i < pixels; i++) {
        memcpy(rgba + 4 * i, canvas->rgb + 3 * i, 3);
        rgba[4 * i + 3] = UINT8_MAX;
    }
    picture->width = canvas->width;
    picture->height = canvas->height;
    picture->rgba = rgba;
    return KY_OK;
}

enum ky_status ky_canvas_give(const struct ky_canvas_goal *goal, struct ky_canvas *canvas,
                              const char *comment, struct ky_error *error)
{
    if (goal->path)
        return ky_canvas_write(goal->path, canvas, comment, goal->overwrite, error);
    KY_TRY(canvas->pen->flatten(canvas, error));
    return fill_pixels(canvas, goal->picture, error);
}

void ky_take_ink(struct ky_canvas *canvas, const uint8_t colour[3])
{
    memcpy(canvas->ink, colour, sizeof canvas->ink);
}

/* ---- texts ---- */

/* A piece of text on one level: 0 normal, 1 superscript, −1 subscript. */
struct piece {
    const char *text;
    size_t length;
    int level;
};

/* The mark at which a superscript or subscript begins: its number of bytes, and the level. */
static size_t change_at(const char *text, int *level)
{
    *level = *text == '_' ? -1 : 1;
    if ((*text == '^' || *text == '_') && text[1] == '{' && strchr(text, '}'))
        return 2;
    return !strncmp(text, "\u00b2", 2) || !strncmp(text, "\u00b3", 2) ? 2 : 0;
}

/* Cuts off the next piece. 0 at the end of the text. */
static int next_piece(const char **text, struct piece *piece)
{
    const char *at = *text;
    int level;
    if (!*at)
        return 0;
    if (!change_at(at, &level)) {
        *piece = (struct piece){.text = at};
        while (*at && !change_at(at, &level))
            at++;
        piece->length = (size_t)(at - piece->text);
        *text = at;
    } else if (*at == '^' || *at == '_') {
        *piece = (struct piece){at + 2, strcspn(at + 2, "}"), level};
        *text = at + 3 + piece->length;
    } else {
        *piece = (struct piece){strncmp(at, "\u00b2", 2) ? "3" : "2", 1, 1};
        *text = at + 2;
    }
    return 1;
}

/* The height of letters on this level. */
static double height_of(double cell, int level)
{
    return KY_LETTER * cell * (level ? 0.7 : 1);
}

static void write_text(struct ky_canvas *canvas, struct ky_baseline at, double cell,
                       const char *text)
{
    struct piece piece;
    while (next_piece(&text, &piece)) {
        const double height = height_of(cell, piece.level);
        const double above = KY_LETTER * cell *
                             (piece.level > 0   ? 0.45
                              : piece.level < 0 ? -0.2
                                                : 0);
        const double width = canvas->pen->width(height, piece.text, piece.length);
        const struct ky_baseline raised = {at.upright ? at.x - above : at.x,
                                           at.upright ? at.y : at.y - above, at.upright};
        canvas->pen->letters(canvas, raised, height, piece.text, piece.length);
        at.x += at.upright ? 0 : width;
        at.y -= at.upright ? width : 0;
    }
}

void ky_text(struct ky_canvas *canvas, double x, double y, double cell, const char *text)
{
    write_text(canvas, (struct ky_baseline){x, y + KY_LETTER * cell, 0}, cell, text);
}

void ky_text_upright(struct ky_canvas *canvas, double x, double y, double cell, const char *text)
{
    write_text(canvas, (struct ky_baseline){x + KY_LETTER * cell, y, 1}, cell, text);
}

double ky_text_width(double cell, const char *text)
{
    const struct ky_pen *pen = ky_cairo_pen() ? ky_cairo_pen() : &ky_pixel_pen;
    struct piece piece;
    double width = 0;
    while (next_piece(&text, &piece))
        width += pen->width(height_of(cell, piece.level), piece.text, piece.length);
    return width;
}

double ky_text_fit(double cell, const char *text, double room)
{
    const double width = ky_text_width(cell, text);
    return width > room ? cell * room / width : cell;
}

/* ---- lines ---- */

void ky_bar(struct ky_canvas *canvas, double x, double y, double width, double height)
{
    canvas->pen->bar(canvas, x, y, width, height);
}

void ky_fill(struct ky_canvas *canvas, double x, double y, double width, double height)
{
    for (long py = lround(y); py < lround(y + height); py++)
        for (long px = lround(x); px < lround(x + width); px++)
            if (px >= 0 && py >= 0 && (size_t)px < canvas->width && (size_t)py < canvas->height)
                memcpy(canvas->rgb + 3 * ((size_t)py * canvas->width + (size_t)px), canvas->ink, 3);
}

void ky_line(struct ky_canvas *canvas, const double from[2], const double to[2], double width)
{
    const double points[2][2] = {{from[0], from[1]}, {to[0], to[1]}};
    ky_curve(canvas, points, 2, width, 0);
}

void ky_ring(struct ky_canvas *canvas, const double middle[2], double radius, double width,
             const double box[2][2])
{
    enum { SIDES = 180 };
    const double turn = 6.283185307179586;
    double points[SIDES + 1][2];
    for (int k = 0; k <= SIDES; k++) {
        points[k][0] = middle[0] + radius * cos(turn * k / SIDES);
        points[k][1] = middle[1] + radius * sin(turn * k / SIDES);
        for (int c = 0; c < 2; c++)
            if (!(points[k][c] >= box[0][c] && points[k][c] <= box[1][c]))
                points[k][0] = (double)NAN;
    }
    ky_curve(canvas, (const double(*)[2])points, SIDES + 1, width, 0);
}

void ky_symbol(struct ky_canvas *canvas, const double middle[2], double radius, double width,
               int shape)
{
    static const struct {
        int corners, arms; /* arms: lines from the middle to the corners instead of sides */
        double turn;       /* angle of the first corner, in right angles */
    } shapes[KY_SYMBOLS] = {{24, 0, 0}, {4, 0, 0.5}, {3, 0, -1},  {4, 0, 0},
                            {3, 0, 1},  {4, 1, 0},   {4, 1, 0.5}, {6, 0, 0}};
    const double right = 1.5707963267948966;
    const int corners = shapes[shape % KY_SYMBOLS].corners, arms = shapes[shape % KY_SYMBOLS].arms;
    double points[64][2];
    int count = 0;
    for (int k = 0; k <= corners; k++) {
        const double angle = right * (shapes[shape % KY_SYMBOLS].turn + 4.0 * k / corners);
        points[count][0] = middle[0] + radius * cos(angle);
        points[count++][1] = middle[1] + radius * sin(angle);
        if (arms)
            memcpy(points[count++], middle, sizeof *points);
    }
    ky_curve(canvas, (const double(*)[2])points, (size_t)count, width, 0);
}

/* Lengths of lines and gaps, in line widths; a gap is one width longer for the round ends. */
static const double dashes[KY_DASHES][6] = {
    {0}, {6, 3.5}, {0.5, 2.5}, {7, 3, 0.5, 3}, {3, 3}, {9, 3, 0.5, 3, 0.5, 3}};

/* State while a dashed line is drawn: points of a dash wait here until it is complete. */
struct dashing {
    struct ky_canvas *canvas;
    double width;
    const double *pattern;
    size_t steps, step; /* of the pattern; even steps are lines, odd ones gaps */
    double left;        /* remaining length of this step [pixels] */
    size_t count;
    double points[64][2];
};

static void draw_part(struct dashing *dash)
{
    if (dash->count > 1)
        dash->canvas->pen->path(dash->canvas, (const double(*)[2])dash->points, dash->count,
                                dash->width);
}

static void add_point(struct dashing *dash, const double point[2])
{
    if (dash->count == sizeof dash->points / sizeof *dash->points) {
        draw_part(dash);
        memcpy(dash->points[0], dash->points[dash->count - 1], sizeof *dash->points);
        dash->count = 1;
    }
    memcpy(dash->points[dash->count++], point, sizeof *dash->points);
}

/* Continues the dashes along a straight line. */
static void dash_along(struct dashing *dash, const double from[2], const double to[2])
{
    const double length = hypot(to[0] - from[0], to[1] - from[1]);
    double done = 0, at[2];
    while (length - done > dash->left) {
        done += dash->left;
        for (int c = 0; c < 2; c++)
            at[c] = from[c] + (to[c] - from[c]) * (done / length);
        if (dash->step % 2 == 0) {
            add_point(dash, at);
            draw_part(dash);
        }
        dash->step = (dash->step + 1) % dash->steps;
        dash->left = dash->pattern[dash->step] * dash->width;
        dash->count = 0;
        if (dash->step % 2 == 0)
            add_point(dash, at);
    }
    dash->left -= length - done;
    if (dash->step % 2 == 0)
        add_point(dash, to);
}

/* Draws a line without breaks. */
static void draw_run(struct ky_canvas *canvas, const double (*points)[2], size_t count,
                     double width, int dash)
{
    struct dashing dashing = {
        .canvas = canvas, .width = width, .pattern = dashes[dash % KY_DASHES]};
    while (dashing.steps < 6 && dashing.pattern[dashing.steps] > 0)
        dashing.steps++;
    if (!dashing.steps || count < 2) {
        if (count > 1)
            canvas->pen->path(canvas, points, count, width);
        return;
    }
    dashing.left = dashing.pattern[0] * width;
    add_point(&dashing, points[0]);
    for (size_t k = 1; k < count; k++)
        dash_along(&dashing, points[k - 1], points[k]);
    draw_part(&dashing);
}

void ky_curve(struct ky_canvas *canvas, const double (*points)[2], size_t count, double width,
              int dash)
{
    for (size_t first = 0, end; first < count; first = end + 1) {
        for (end = first; end < count && isfinite(points[end][0]) && isfinite(points[end][1]);)
            end++;
        draw_run(canvas, points + first, end - first, width, dash);
    }
}
