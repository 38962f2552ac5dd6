/* The cairo pen. It draws onto a recording, which is painted on the pixels or written as PDF or
 * SVG. In a build without cairo, an error gives the reason. */
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

/* Cap height as a fraction of the font size, for the usual sans-serif fonts; and the height of
 * these letters as a fraction of the bitmap font's, since they are wider. */
static const double capital = 0.73, part = 0.9;

/* A page has 96 pixels per inch, as in browsers; its unit is the point, 1/72 inch. */
static const double point = 72.0 / 96;

static void choose_font(cairo_t *context, double height)
{
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(context, options);
    cairo_font_options_destroy(options);
    cairo_select_font_face(context, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                           CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(context, height * part / capital);
}

static cairo_surface_t *new_recording(double width, double height)
{
    const cairo_rectangle_t all = {0, 0, width, height};
    return cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, &all);
}

/* Creates a context that draws on the canvas with its ink; the caller destroys it. */
static cairo_t *begin(struct ky_canvas *canvas)
{
    if (!canvas->sheet)
        canvas->sheet = new_recording((double)canvas->width, (double)canvas->height);
    cairo_t *context = cairo_create(canvas->sheet);
    cairo_set_source_rgb(context, canvas->ink[0] / 255.0, canvas->ink[1] / 255.0,
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
    cairo_move_to(context, at.upright ? at.x - raised : at.x, at.upright ? at.y : at.y - raised);
    if (at.upright)
        cairo_rotate(context, -1.5707963267948966);
    cairo_show_text(context, terminated(text, length, copy, sizeof copy));
    cairo_destroy(context);
}

static double width_of(double height, const char *text, size_t length)
{
    char copy[LABEL];
    cairo_text_extents_t extents = {.x_advance = 0};
    cairo_surface_t *surface = new_recording(1, 1);
    cairo_t *context = cairo_create(surface);
    choose_font(context, height);
    cairo_text_extents(context, terminated(text, length, copy, sizeof copy), &extents);
    cairo_destroy(context);
    cairo_surface_destroy(surface);
    return extents.x_advance;
}

static void bar(struct ky_canvas *canvas, double x, double y, double width, double height)
{
    const double left = round(x), top = round(y);
    cairo_t *context = begin(canvas);
    cairo_rectangle(context, left, top, round(x + width) - left, round(y + height) - top);
    cairo_fill(context);
    cairo_destroy(context);
}

static void path(struct ky_canvas *canvas, const double (*points)[2], size_t count, double width)
{
    cairo_t *context = begin(canvas);
    cairo_set_line_cap(context, CAIRO_LINE_CAP_ROUND);
    cairo_set_line_join(context, CAIRO_LINE_JOIN_ROUND);
    cairo_set_line_width(context, width);
    for (size_t k = 0; k < count; k++)
        cairo_line_to(context, points[k][0], points[k][1]);
    cairo_stroke(context);
    cairo_destroy(context);
}

static enum ky_status fail(cairo_status_t status, struct ky_error *error)
{
    return ky_fail(error, KY_FAULT, "cairo: %s", cairo_status_to_string(status));
}

static void leave(struct ky_canvas *canvas)
{
    if (canvas->sheet)
        cairo_surface_destroy(canvas->sheet);
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
        cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)canvas->width, (int)canvas->height);
    cairo_t *context = cairo_create(image);
    cairo_set_source_surface(context, canvas->sheet, 0, 0);
    cairo_paint(context);
    const cairo_status_t status = cairo_status(context);
    cairo_destroy(context);
    cairo_surface_flush(image);
    if (!status)
        lay_over(canvas, cairo_image_surface_get_data(image),
                 (size_t)cairo_image_surface_get_stride(image));
    cairo_surface_destroy(image);
    leave(canvas);
    return status ? fail(status, error) : KY_OK;
}

const struct ky_pen *ky_cairo_pen(void)
{
    static const struct ky_pen pen = {letters, width_of, bar, path, flatten, leave};
    return &pen;
}

enum ky_status ky_cairo_available(struct ky_error *error)
{
    (void)error;
    return KY_OK;
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
    cairo_set_source_rgb(context, canvas->paper[0] / 255.0, canvas->paper[1] / 255.0,
                         canvas->paper[2] / 255.0);
    cairo_paint(context);
    if (blank == pixels)
        return;
    cairo_surface_t *image =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)canvas->width, (int)canvas->height);
    unsigned char *data = cairo_image_surface_get_data(image);
    const size_t stride = (size_t)cairo_image_surface_get_stride(image);
    for (size_t i = 0; data && i < pixels; i++) {
        const uint8_t *rgb = canvas->rgb + 3 * i;
        const uint32_t pixel = (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2];
        memcpy(data + i / canvas->width * stride + 4 * (i % canvas->width), &pixel, sizeof pixel);
    }
    cairo_surface_mark_dirty(image);
    cairo_set_source_surface(context, image, 0, 0);
    cairo_paint(context);
    cairo_surface_destroy(image);
}

/* Creates a page of this size that is written to the file; the caller destroys it. */
static cairo_surface_t *new_page(struct ky_file *file, const char *path,
                                 const struct ky_canvas *canvas, const char *comment)
{
    const double width = (double)canvas->width * point, height = (double)canvas->height * point;
    if (ky_ends_with(path, ".svg"))
        return cairo_svg_surface_create_for_stream(write_bytes, file, width, height);
    cairo_surface_t *page = cairo_pdf_surface_create_for_stream(write_bytes, file, width, height);
    cairo_pdf_surface_set_metadata(page, CAIRO_PDF_METADATA_CREATOR, "Kyoho");
    cairo_pdf_surface_set_metadata(page, CAIRO_PDF_METADATA_SUBJECT, comment);
    /* No date, so that the same picture gives the same file. */
    cairo_pdf_surface_set_metadata(page, CAIRO_PDF_METADATA_CREATE_DATE, NULL);
    return page;
}

enum ky_status ky_cairo_write(const char *name, struct ky_canvas *canvas, const char *comment,
                              int overwrite, struct ky_error *error)
{
    struct ky_file *file;
    enum ky_status status = ky_file_create(name, overwrite, &file, error);
    if (status)
        return status;
    cairo_surface_t *page = new_page(file, name, canvas, comment);
    cairo_t *context = cairo_create(page);
    cairo_scale(context, point, point);
    paint_pixels(context, canvas);
    if (canvas->sheet) {
        cairo_set_source_surface(context, canvas->sheet, 0, 0);
        cairo_paint(context);
    }
    cairo_status_t failed = cairo_status(context);
    cairo_destroy(context);
    cairo_surface_finish(page);
    failed = failed ? failed : cairo_surface_status(page);
    cairo_surface_destroy(page);
    if (!failed)
        return ky_file_publish(file, NULL, error);
    ky_file_discard(file);
    return fail(failed, error);
}

#endif
