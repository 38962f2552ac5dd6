/* The cairo pen. It draws onto a recording, which is painted on the pixels or written as PDF or
 * SVG. Without cairo, in the build or on the machine, an error gives the reason. */
#include "draw/canvas.h"

#include "base/features.h"

#ifndef KY_HAVE_CAIRO

const struct ky_pen *ky_cairo_pen(void)
{
    return NULL;
}

enum ky_status ky_cairo_available(struct ky_error *error)
{
    return ky_fail(error, KY_UNSUPPORTED,
                   "PDF and SVG files need cairo, which this build does not have: " KY_WHY_NO_CAIRO
                   "; a PNG file needs none");
}

enum ky_status ky_cairo_write(const char *path, struct ky_canvas *canvas, const char *comment,
                              int overwrite, struct ky_error *error)
{
    (void)path, (void)canvas, (void)comment, (void)overwrite;
    return ky_cairo_available(error);
}

#else

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "base/opened.h"

/* The functions of cairo that are called here: cairo.fill is cairo_fill. cairo is opened when the
 * first picture is drawn; without it our own pen draws. */
#define CALLS(F)                                                                                   \
    F(create)                                                                                      \
    F(destroy)                                                                                     \
    F(fill)                                                                                        \
    F(font_options_create)                                                                         \
    F(font_options_destroy)                                                                        \
    F(font_options_set_antialias)                                                                  \
    F(font_options_set_hint_metrics)                                                               \
    F(font_options_set_hint_style)                                                                 \
    F(image_surface_create)                                                                        \
    F(image_surface_get_data)                                                                      \
    F(image_surface_get_stride)                                                                    \
    F(line_to)                                                                                     \
    F(move_to)                                                                                     \
    F(paint)                                                                                       \
    F(pdf_surface_create_for_stream)                                                               \
    F(pdf_surface_set_metadata)                                                                    \
    F(recording_surface_create)                                                                    \
    F(rectangle)                                                                                   \
    F(rotate)                                                                                      \
    F(scale)                                                                                       \
    F(select_font_face)                                                                            \
    F(set_font_options)                                                                            \
    F(set_font_size)                                                                               \
    F(set_line_cap)                                                                                \
    F(set_line_join)                                                                               \
    F(set_line_width)                                                                              \
    F(set_source_rgb)                                                                              \
    F(set_source_surface)                                                                          \
    F(show_text)                                                                                   \
    F(status)                                                                                      \
    F(status_to_string)                                                                            \
    F(stroke)                                                                                      \
    F(surface_destroy)                                                                             \
    F(surface_finish)                                                                              \
    F(surface_flush)                                                                               \
    F(surface_mark_dirty)                                                                          \
    F(surface_status)                                                                              \
    F(svg_surface_create_for_stream)                                                               \
    F(text_extents)
static struct {
#define MEMBER(name) __typeof__(&cairo_##name) name;
    CALLS(MEMBER)
#undef MEMBER
} cairo;

static const char *why_missing(void)
{
#define NAME(name) "cairo_" #name,
    static const char *const names[] = {CALLS(NAME)};
#undef NAME
    static struct ky_opened library = {.file = KY_SHARED_FILE("cairo", "2"),
                                       .package = "libcairo2",
                                       .names = names,
                                       .count = sizeof names / sizeof *names,
                                       .calls = &cairo};
    return ky_open_library(&library);
}

/* Cap height as a fraction of the font size, for the usual sans-serif fonts; and the height of
 * these letters as a fraction of the bitmap font's, since they are wider. */
static const double capital = 0.73, part = 0.9;

/* A page has 96 pixels per inch, as in browsers; its unit is the point, 1/72 inch. */
static const double point = 72.0 / 96;

static void choose_font(cairo_t *context, double height)
{
    cairo_font_options_t *options = cairo.font_options_create();
    cairo.font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo.font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo.font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo.set_font_options(context, options);
    cairo.font_options_destroy(options);
    cairo.select_font_face(context, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           CAIRO_FONT_WEIGHT_NORMAL);
    cairo.set_font_size(context, height * part / capital);
}

static cairo_surface_t *new_recording(double width, double height)
{
    const cairo_rectangle_t all = {0, 0, width, height};
    return cairo.recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, &all);
}

/* Creates a context that draws on the canvas with its ink; the caller destroys it. */
static cairo_t *begin(struct ky_canvas *canvas)
{
    if (!canvas->sheet)
        canvas->sheet = new_recording((double)canvas->width, (double)canvas->height);
    cairo_t *context = cairo.create(canvas->sheet);
    cairo.set_source_rgb(context, canvas->ink[0] / 255.0, canvas->ink[1] / 255.0,
                         canvas->ink[2] / 255.0);
    return context;
}

/* A copy of the text with a terminating zero byte. A text longer than any label is truncated. */
static const char *terminated(const char *text, size_t length, char *copy, size_t room)
{
    length = length < room ? length : room - 1;
    memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

enum { LABEL = 512 };

static void letters(struct ky_canvas *canvas, struct ky_baseline at, double height,
                    const char *text, size_t length)
{
    const double raised = height * (1 - part) / 2;
    char copy[LABEL];
    cairo_t *context = begin(canvas);
    choose_font(context, height);
    cairo.move_to(context, at.upright ? at.x - raised : at.x, at.upright ? at.y : at.y - raised);
    if (at.upright)
        cairo.rotate(context, -1.5707963267948966);
    cairo.show_text(context, terminated(text, length, copy, sizeof copy));
    cairo.destroy(context);
}

static double width_of(double height, const char *text, size_t length)
{
    char copy[LABEL];
    cairo_text_extents_t extents = {.x_advance = 0};
    cairo_surface_t *surface = new_recording(1, 1);
    cairo_t *context = cairo.create(surface);
    choose_font(context, height);
    cairo.text_extents(context, terminated(text, length, copy, sizeof copy), &extents);
    cairo.destroy(context);
    cairo.surface_destroy(surface);
    return extents.x_advance;
}

static void bar(struct ky_canvas *canvas, double x, double y, double width, double height)
{
    const double left = round(x), top = round(y);
    cairo_t *context = begin(canvas);
    cairo.rectangle(context, left, top, round(x + width) - left, round(y + height) - top);
    cairo.fill(context);
    cairo.destroy(context);
}

static void path(struct ky_canvas *canvas, const double (*points)[2], size_t count, double width)
{
    cairo_t *context = begin(canvas);
    cairo.set_line_cap(context, CAIRO_LINE_CAP_ROUND);
    cairo.set_line_join(context, CAIRO_LINE_JOIN_ROUND);
    cairo.set_line_width(context, width);
    for (size_t k = 0; k < count; k++)
        cairo.line_to(context, points[k][0], points[k][1]);
    cairo.stroke(context);
    cairo.destroy(context);
}

static enum ky_status fail(cairo_status_t status, struct ky_error *error)
{
    return ky_fail(error, KY_FAULT, "cairo: %s", cairo.status_to_string(status));
}

static void leave(struct ky_canvas *canvas)
{
    if (canvas->sheet)
        cairo.surface_destroy(canvas->sheet);
    canvas->sheet = NULL;
}

/* Composites premultiplied pixels, 4 bytes each in native byte order, over the pixels of the
 * canvas. */
static void lay_over(struct ky_canvas *canvas, const unsigned char *data, size_t stride)
{
    for (size_t y = 0; y < canvas->height; y++)
        for (size_t x = 0; x < canvas->width; x++) {
            uint32_t above;
            memcpy(&above, data + y * stride + 4 * x, sizeof above);
            if (!above)
                continue;
            uint8_t *pixel = canvas->rgb + 3 * (y * canvas->width + x);
            const uint32_t through = 255 - (above >> 24);
            for (int c = 0; c < 3; c++)
                pixel[c] =
                    (uint8_t)((above >> (16 - 8 * c) & 255) + (pixel[c] * through + 127) / 255);
        }
}

static enum ky_status flatten(struct ky_canvas *canvas, struct ky_error *error)
{
    if (!canvas->sheet)
        return KY_OK;
    cairo_surface_t *image =
        cairo.image_surface_create(CAIRO_FORMAT_ARGB32, (int)canvas->width, (int)canvas->height);
    cairo_t *context = cairo.create(image);
    cairo.set_source_surface(context, canvas->sheet, 0, 0);
    cairo.paint(context);
    const cairo_status_t status = cairo.status(context);
    cairo.destroy(context);
    cairo.surface_flush(image);
    if (!status)
        lay_over(canvas, cairo.image_surface_get_data(image),
                 (size_t)cairo.image_surface_get_stride(image));
    cairo.surface_destroy(image);
    leave(canvas);
    return status ? fail(status, error) : KY_OK;
}

const struct ky_pen *ky_cairo_pen(void)
{
    static const struct ky_pen pen = {letters, width_of, bar, path, flatten, leave};
    return why_missing() ? NULL : &pen;
}

enum ky_status ky_cairo_available(struct ky_error *error)
{
    const char *missing = why_missing();
    return missing ? ky_fail(error, KY_UNSUPPORTED,
                             "PDF and SVG files need cairo: %s; a PNG file needs none", missing)
                   : KY_OK;
}

/* ---- files ---- */

/* The file stores a failure and reports it when it is published. */
static cairo_status_t write_bytes(void *file, const unsigned char *data, unsigned bytes)
{
    ky_file_write(file, data, bytes);
    return CAIRO_STATUS_SUCCESS;
}

/* Draws the pixels as an image; leaves it out if all of them have the paper's colour. */
static void paint_pixels(cairo_t *context, const struct ky_canvas *canvas)
{
    const size_t pixels = canvas->width * canvas->height;
    size_t blank = 0;
    while (blank < pixels && !memcmp(canvas->rgb + 3 * blank, canvas->paper, 3))
        blank++;
    cairo.set_source_rgb(context, canvas->paper[0] / 255.0, canvas->paper[1] / 255.0,
                         canvas->paper[2] / 255.0);
    cairo.paint(context);
    if (blank == pixels)
        return;
    cairo_surface_t *image =
        cairo.image_surface_create(CAIRO_FORMAT_RGB24, (int)canvas->width, (int)canvas->height);
    unsigned char *data = cairo.image_surface_get_data(image);
    const size_t stride = (size_t)cairo.image_surface_get_stride(image);
    for (size_t i = 0; data && i < pixels; i++) {
        const uint8_t *rgb = canvas->rgb + 3 * i;
        const uint32_t pixel = (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2];
        memcpy(data + i / canvas->width * stride + 4 * (i % canvas->width), &pixel, sizeof pixel);
    }
    cairo.surface_mark_dirty(image);
    cairo.set_source_surface(context, image, 0, 0);
    cairo.paint(context);
    cairo.surface_destroy(image);
}

/* Creates a page of this size that is written to the file; the caller destroys it. */
static cairo_surface_t *new_page(struct ky_file *file, const char *path,
                                 const struct ky_canvas *canvas, const char *comment)
{
    const double width = (double)canvas->width * point, height = (double)canvas->height * point;
    if (ky_ends_with(path, ".svg"))
        return cairo.svg_surface_create_for_stream(write_bytes, file, width, height);
    cairo_surface_t *page = cairo.pdf_surface_create_for_stream(write_bytes, file, width, height);
    cairo.pdf_surface_set_metadata(page, CAIRO_PDF_METADATA_CREATOR, "Kyoho");
    cairo.pdf_surface_set_metadata(page, CAIRO_PDF_METADATA_SUBJECT, comment);
    /* No date, so that the same picture gives the same file. */
    cairo.pdf_surface_set_metadata(page, CAIRO_PDF_METADATA_CREATE_DATE, NULL);
    return page;
}

enum ky_status ky_cairo_write(const char *name, struct ky_canvas *canvas, const char *comment,
                              int overwrite, struct ky_error *error)
{
    struct ky_file *file;
    KY_TRY(ky_file_create(name, overwrite, &file, error));
    cairo_surface_t *page = new_page(file, name, canvas, comment);
    cairo_t *context = cairo.create(page);
    cairo.scale(context, point, point);
    paint_pixels(context, canvas);
    if (canvas->sheet) {
        cairo.set_source_surface(context, canvas->sheet, 0, 0);
        cairo.paint(context);
    }
    cairo_status_t failed = cairo.status(context);
    cairo.destroy(context);
    cairo.surface_finish(page);
    failed = failed ? failed : cairo.surface_status(page);
    cairo.surface_destroy(page);
    if (!failed)
        return ky_file_publish(file, NULL, error);
    ky_file_discard(file);
    return fail(failed, error);
}

#endif
