/* Plots. Each has a frame with margins as wide as the labels beside it. The legend is to the right
 * of the frame, so that it covers no curve. Lines differ in colour, in lightness and in dashes, so
 * they can be distinguished in a greyscale print and by colour-blind readers. */
#include "draw/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "draw/axis.h"

enum { TICKS = 5, FEW = 40, LEAST = 16, MOST = 65536 };
static const double mark_size = 3; /* cells */

static const uint8_t paper[3] = {255, 255, 255}, ink[3] = {20, 20, 24};
/* Okabe & Ito (2008): colours that colour-blind readers can distinguish. */
static const uint8_t palette[][3] = {{0, 114, 178},  {213, 94, 0},  {0, 158, 115}, {204, 121, 167},
                                     {86, 180, 233}, {230, 159, 0}, {90, 90, 96},  {0, 0, 0}};

struct frame {
    const struct ky_plot *plot;
    double left, top, width, height; /* pixels */
    double cell;
    struct ky_ruler axes[2];
};

/* The range of all points, plus a margin. 0 if there are none. */
static int choose_range(const struct ky_plot *plot, int which, struct ky_ruler *axis)
{
    const double room = 0.03;
    *axis = (struct ky_ruler){.low = HUGE_VAL, .high = -HUGE_VAL};
    axis->logarithmic = plot->logarithmic[which];
    const struct ky_ruler other = {.logarithmic = plot->logarithmic[1 - which]};
    for (size_t c = 0; c < plot->count; c++)
        for (size_t i = 0; i < plot->curves[c].n; i++) {
            const double *of[2] = {plot->curves[c].x, plot->curves[c].y};
            double value = ky_on_axis(axis, of[which][i]);
            if (!isfinite(value) || !isfinite(ky_on_axis(&other, of[1 - which][i])))
                continue;
            axis->low = fmin(axis->low, value);
            axis->high = fmax(axis->high, value);
        }
    if (axis->low > axis->high)
        return 0;
    double least = axis->logarithmic ? 0.1 : fmax(1e-9 * fabs(axis->low), 1e-300);
    if (axis->high - axis->low < least) { /* all values are equal */
        double half = axis->logarithmic ? 0.5 : axis->low != 0 ? 0.5 * fabs(axis->low) : 1;
        axis->low -= half, axis->high += half;
    }
    double more = room * (axis->high - axis->low);
    axis->low -= more, axis->high += more;
    return 1;
}

/* Chooses the axes of all plots; their horizontal axes have one range. KY_BAD_DATA for a plot
 * without points. `text` receives the ranges. */
static enum ky_status choose_axes(struct frame *frames, size_t count, char *text, size_t size,
                                  struct ky_error *error)
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (size_t p = 0; p < count; p++) {
        for (int k = 0; k < 2; k++)
            if (!choose_range(frames[p].plot, k, &frames[p].axes[k]))
                return ky_fail(error, KY_BAD_DATA, "nothing to plot: no number for '%s'",
                               frames[p].plot->labels[KY_UP]);
        low = fmin(low, frames[p].axes[KY_RIGHT].low);
        high = fmax(high, frames[p].axes[KY_RIGHT].high);
    }
    for (size_t p = 0; p < count; p++) {
        frames[p].axes[KY_RIGHT].low = low, frames[p].axes[KY_RIGHT].high = high;
        for (int k = 0; k < 2; k++) {
            struct ky_ruler *axis = &frames[p].axes[k];
            const size_t length = strlen(text);
            ky_ruler_divide(axis, TICKS);
            ky_format(text + length, size - length, "%s%s %.4g to %.4g", length ? "; " : "",
                      frames[p].plot->labels[k], axis->logarithmic ? pow(10, axis->low) : axis->low,
                      axis->logarithmic ? pow(10, axis->high) : axis->high);
        }
    }
    return KY_OK;
}

/* The position of a point in the picture. */
static void place(const struct frame *frame, double x, double y, double pixel[2])
{
    const struct ky_ruler *right = &frame->axes[KY_RIGHT], *up = &frame->axes[KY_UP];
    pixel[0] = frame->left +
               (ky_on_axis(right, x) - right->low) / (right->high - right->low) * frame->width;
    pixel[1] =
        frame->top + (1 - (ky_on_axis(up, y) - up->low) / (up->high - up->low)) * frame->height;
}

/* Draws a pair of ticks that point inwards from both sides of the frame. `part`: position on the
 * axis, 0 … 1. */
static void draw_tick(const struct frame *frame, int which, double part, double length,
                      struct ky_canvas *canvas)
{
    const double thin = fmax(1, frame->cell / 2), x = frame->left + part * frame->width - thin / 2;
    const double y = frame->top + (1 - part) * frame->height - thin / 2;
    if (which == KY_RIGHT) {
        ky_bar(canvas, x, frame->top, thin, length);
        ky_bar(canvas, x, frame->top + frame->height - length, thin, length);
    } else {
        ky_bar(canvas, frame->left, y, length, thin);
        ky_bar(canvas, frame->left + frame->width - length, y, length, thin);
    }
}

/* Draws the ticks of one axis and, if `numbers`, their numbers. A number that would touch the
 * previous one is left out. */
static void draw_ticks(const struct frame *frame, int which, int numbers, struct ky_canvas *canvas)
{
    const struct ky_ruler *axis = &frame->axes[which];
    const double cell = frame->cell, span = axis->high - axis->low;
    double free_from = -HUGE_VAL;
    for (size_t k = 0; k < axis->minor; k++)
        draw_tick(frame, which, (axis->between[k] - axis->low) / span, 2.5 * cell, canvas);
    for (size_t k = 0; k < axis->ticks; k++) {
        const double part = (axis->tick[k] - axis->low) / span;
        const double wide = ky_text_width(cell, axis->text[k]);
        const double x = frame->left + part * frame->width - wide / 2;
        const double y = frame->top + (1 - part) * frame->height - KY_LETTER * cell / 2;
        draw_tick(frame, which, part, 5 * cell, canvas);
        if (which == KY_UP)
            ky_text(canvas, frame->left - wide - 4 * cell, y, cell, axis->text[k]);
        else if (numbers && x >= free_from) {
            ky_text(canvas, x, frame->top + frame->height + 5 * cell, cell, axis->text[k]);
            free_from = x + wide + 10 * cell;
        }
    }
}

/* Draws the frame with its ticks and labels; the horizontal axis is labelled only if `lowest`. */
static void draw_axes(const struct frame *frame, const struct ky_plot *plot, int lowest,
                      struct ky_canvas *canvas)
{
    const double cell = frame->cell, thin = fmax(1, cell / 2);
    const double bottom = frame->top + frame->height, right = frame->left + frame->width;
    char label[KY_AXIS_TEXT];
    ky_take_ink(canvas, ink);
    draw_ticks(frame, KY_RIGHT, lowest, canvas);
    draw_ticks(frame, KY_UP, 1, canvas);
    if (lowest) {
        ky_ruler_label(plot->labels[KY_RIGHT], plot->units[KY_RIGHT],
                       frame->axes[KY_RIGHT].exponent, label);
        const double fit = ky_text_fit(cell, label, (double)canvas->width - frame->left);
        ky_text(canvas,
                fmin(frame->left + (frame->width - ky_text_width(fit, label)) / 2,
                     (double)canvas->width - ky_text_width(fit, label)),
                bottom + (9 + KY_LETTER) * cell, fit, label);
    }
    ky_ruler_label(plot->labels[KY_UP], plot->units[KY_UP], frame->axes[KY_UP].exponent, label);
    const double fit = ky_text_fit(cell, label, frame->height + 8 * cell);
    ky_text_upright(canvas, 4 * cell, frame->top + (frame->height + ky_text_width(fit, label)) / 2,
                    fit, label);
    ky_bar(canvas, frame->left - thin / 2, frame->top - thin / 2, frame->width + thin, thin);
    ky_bar(canvas, frame->left - thin / 2, bottom - thin / 2, frame->width + thin, thin);
    ky_bar(canvas, frame->left - thin / 2, frame->top - thin / 2, thin, frame->height + thin);
    ky_bar(canvas, right - thin / 2, frame->top - thin / 2, thin, frame->height + thin);
}

static void take_colour(struct ky_canvas *canvas, int colour)
{
    const size_t colours = sizeof palette / sizeof *palette;
    ky_take_ink(canvas, colour < 0 ? ink : palette[(size_t)colour % colours]);
}

/* Keeps only the first, the lowest, the highest and the last of the points in each column of
 * pixels. Works in place; returns how many are left. */
static size_t thin_out(double (*pixels)[2], size_t n)
{
    size_t kept = 0, end;
    for (size_t first = 0; first < n; first = end) {
        size_t low = first, high = first;
        for (end = first + 1; end < n && floor(pixels[end][0]) == floor(pixels[first][0]) &&
                              isfinite(pixels[end][1]);
             end++) {
            low = pixels[end][1] < pixels[low][1] ? end : low;
            high = pixels[end][1] > pixels[high][1] ? end : high;
        }
        const size_t of[4] = {first, low < high ? low : high, low < high ? high : low, end - 1};
        double points[4][2];
        for (int k = 0; k < 4; k++)
            memcpy(points[k], pixels[of[k]], sizeof points[k]);
        for (int k = 0; k < 4; k++)
            if (k == 0 || of[k] > of[k - 1])
                memcpy(pixels[kept++], points[k], sizeof points[k]);
    }
    return kept;
}

/* Draws markers at regular distances along the frame's width, and at the first point. */
static void draw_marks(const struct frame *frame, const double (*pixels)[2], size_t n, int mark,
                       struct ky_canvas *canvas)
{
    double next = -HUGE_VAL;
    for (size_t i = 0; i < n; i++)
        if (isfinite(pixels[i][0]) && isfinite(pixels[i][1]) && pixels[i][0] >= next) {
            ky_symbol(canvas, pixels[i], mark_size * frame->cell, frame->cell, mark - 1);
            next = pixels[i][0] + frame->width / 8;
        }
}

/* Draws a curve with markers, or with dots if it has few points. */
static enum ky_status draw_curve(const struct frame *frame, const struct ky_plot_curve *curve,
                                 struct ky_canvas *canvas, struct ky_error *error)
{
    double(*pixels)[2];
    KY_TRY(ky_array(&pixels, curve->n, sizeof *pixels, "a curve", error));
    take_colour(canvas, curve->colour);
    for (size_t i = 0; i < curve->n; i++) {
        place(frame, curve->x[i], curve->y[i], pixels[i]);
        if (curve->n <= FEW && !curve->mark)
            ky_line(canvas, pixels[i], pixels[i], 3.2 * frame->cell);
    }
    if (curve->mark)
        draw_marks(frame, (const double(*)[2])pixels, curve->n, curve->mark, canvas);
    ky_curve(canvas, (const double(*)[2])pixels, thin_out(pixels, curve->n), 1.2 * frame->cell,
             curve->dash);
    free(pixels);
    return KY_OK;
}

enum { SAMPLE = 20, LEGEND = SAMPLE + 12 }; /* cells: a line of the legend; all but the name */

/* Draws the names of the curves, each with a piece of its line. */
static void draw_legend(const struct frame *frame, const struct ky_plot *plot,
                        struct ky_canvas *canvas)
{
    const double cell = frame->cell, left = frame->left + frame->width + 6 * cell;
    double middle = frame->top + 4 * cell;
    for (size_t c = 0; c < plot->count; c++) {
        const struct ky_plot_curve *curve = &plot->curves[c];
        const double ends[2][2] = {{left, middle}, {left + SAMPLE * cell, middle}};
        if (!curve->name || !*curve->name)
            continue;
        take_colour(canvas, curve->colour);
        ky_curve(canvas, ends, 2, 1.2 * cell, curve->dash);
        if (curve->mark)
            ky_symbol(canvas, (const double[2]){left + SAMPLE * cell / 2, middle}, mark_size * cell,
                      cell, curve->mark - 1);
        ky_take_ink(canvas, ink);
        ky_text(canvas, left + (SAMPLE + 4) * cell, middle - KY_LETTER * cell / 2, cell,
                curve->name);
        middle += 12 * cell;
    }
}

/* Sets the margins for numbers, labels and names beside the frames, the same for all plots. */
static void set_margins(const struct frame *frames, size_t count, double cell, double *left,
                        double *right)
{
    double numbers = 0, names = 0;
    for (size_t p = 0; p < count; p++) {
        const struct ky_plot *plot = frames[p].plot;
        for (size_t k = 0; k < frames[p].axes[KY_UP].ticks; k++)
            numbers = fmax(numbers, ky_text_width(cell, frames[p].axes[KY_UP].text[k]));
        for (size_t c = 0; c < plot->count; c++)
            if (plot->curves[c].name && *plot->curves[c].name)
                names = fmax(names, LEGEND * cell + ky_text_width(cell, plot->curves[c].name));
    }
    /* Half of the last number may extend beyond the frame. */
    const size_t ticks = frames[0].axes[KY_RIGHT].ticks;
    const double last =
        ticks ? ky_text_width(cell, frames[0].axes[KY_RIGHT].text[ticks - 1]) / 2 : 0;
    *left = numbers + (KY_LETTER + 14) * cell;
    *right = fmax(names, last + 4 * cell);
}

/* Draws the plots on the canvas. */
static enum ky_status draw_plots(struct frame *frames, size_t count, const char *title,
                                 struct ky_canvas *canvas, struct ky_error *error)
{
    const size_t size[2] = {canvas->width, canvas->height};
    const double cell = ky_text_cell(size), least = 20 * cell, gap = 8 * cell;
    const double above = title ? 22 * cell : 8 * cell, below = (2 * KY_LETTER + 14) * cell;
    const double each =
        ((double)size[1] - above - below - (double)(count - 1) * gap) / (double)count;
    double left, right;
    enum ky_status status = KY_OK;
    set_margins(frames, count, cell, &left, &right);
    if ((double)size[0] - left - right < least || each < least)
        return ky_fail(
            error, KY_USAGE,
            "the labels leave no space for the plot: give a larger --width and --height");
    ky_take_ink(canvas, ink);
    if (title)
        ky_text(canvas, left, 6 * cell,
                ky_text_fit(1.1 * cell, title, (double)size[0] - left - 4 * cell), title);
    for (size_t p = 0; p < count && !status; p++) {
        struct frame *frame = &frames[p];
        frame->left = left, frame->width = (double)size[0] - left - right, frame->cell = cell;
        frame->top = above + (double)p * (each + gap), frame->height = each;
        const struct ky_plot *plot = frame->plot;
        for (size_t c = 0; c < plot->count && !status; c++)
            status = draw_curve(frame, &plot->curves[c], canvas, error);
        draw_axes(frame, plot, p + 1 == count, canvas);
        draw_legend(frame, plot, canvas);
    }
    return status;
}

/* Checks the arguments; KY_USAGE for any error. */
static enum ky_status check(const struct ky_plot *plots, size_t count, const size_t size[2],
                            struct ky_error *error)
{
    if (!count || !plots)
        return ky_fail(error, KY_BAD_DATA, "nothing to plot: there are no curves");
    for (int k = 0; k < 2; k++)
        if (size[k] < LEAST || size[k] > MOST)
            return ky_fail(error, KY_USAGE, "a plot of %zu x %zu pixels; each must be %d to %d",
                           size[0], size[1], (int)LEAST, (int)MOST);
    for (size_t p = 0; p < count; p++) {
        int whole = plots[p].labels[KY_RIGHT] && plots[p].labels[KY_UP] &&
                    (plots[p].curves || !plots[p].count);
        for (size_t c = 0; c < plots[p].count && whole; c++)
            whole = !plots[p].curves[c].n || (plots[p].curves[c].x && plots[p].curves[c].y);
        if (!whole)
            return ky_fail(error, KY_USAGE,
                           "plot %zu: a label, or the numbers of a curve, are NULL", p);
        for (size_t c = 0; c < plots[p].count; c++)
            if (plots[p].curves[c].dash < 0 || plots[p].curves[c].mark < 0)
                return ky_fail(error, KY_USAGE,
                               "plot %zu: curve %zu has dash %d and mark %d; they begin at 0", p, c,
                               plots[p].curves[c].dash, plots[p].curves[c].mark);
    }
    return KY_OK;
}

enum ky_status ky_plot_write(const char *path, const struct ky_plot *plots, size_t count,
                             const size_t size[2], const char *title, int overwrite,
                             struct ky_error *error)
{
    KY_NEED(path, error);
    KY_NEED(size, error);
    char comment[256] = "";
    struct ky_canvas canvas = {0};
    KY_TRY(ky_draw_available(path, error));
    KY_TRY(check(plots, count, size, error));
    struct frame *frames;
    KY_TRY(ky_array_zeroed(&frames, count, sizeof *frames, "the plot", error));
    for (size_t p = 0; p < count; p++)
        frames[p].plot = &plots[p];
    enum ky_status status = choose_axes(frames, count, comment, sizeof comment, error);
    if (!status)
        status = ky_canvas_open(&canvas, size[0], size[1], paper, error);
    if (!status)
        status = draw_plots(frames, count, title && *title ? title : NULL, &canvas, error);
    if (!status)
        status = ky_canvas_write(path, &canvas, comment, overwrite, error);
    ky_canvas_close(&canvas);
    free(frames);
    return status;
}
