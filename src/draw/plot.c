/* Plots. Each has a frame, whose margins are as wide as the labels beside it; the legend stands to
 * the right of the frame, so that it covers no curve. */
#include "draw/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

enum { MOST_TICKS = 64, TICK_TEXT = 24 };

static const uint8_t paper[3] = {252, 252, 252}, ink[3] = {40, 40, 46}, grid[3] = {226, 226, 230};

/* One axis: from low to high, of logarithms (base 10) where it is logarithmic. */
struct axis {
    double low, high;
    int logarithmic;
    size_t ticks;
    double tick[MOST_TICKS];
    char text[MOST_TICKS][TICK_TEXT];
};

struct frame {
    double left, top, width, height; /* pixels */
    double cell;
    struct axis axes[2];
};

/* The number on the axis; not finite where the axis does not have it. */
static double on_axis(const struct axis *axis, double value)
{
    if (!axis->logarithmic)
        return value;
    return value > 0 ? log10(value) : (double)NAN;
}

/* Adds a tick, if it lies on the axis. `value`: as on the axis. */
static void add_tick(struct axis *axis, double value)
{
    double span = axis->high - axis->low;
    if (value < axis->low - 1e-9 * span || value > axis->high + 1e-9 * span ||
        axis->ticks == MOST_TICKS)
        return;
    double shown = axis->logarithmic ? pow(10, value) : value;
    if (!axis->logarithmic && fabs(value) < 1e-9 * span)
        shown = 0;
    axis->tick[axis->ticks] = value;
    ky_format(axis->text[axis->ticks++], TICK_TEXT, "%.6g", shown);
}

/* About `wanted` ticks at round numbers: 1, 2 or 5 times a power of ten, or whole decades. */
static void choose_ticks(struct axis *axis, double wanted)
{
    double span = axis->high - axis->low;
    axis->ticks = 0;
    if (axis->logarithmic && span < 2.5) {
        static const double digits[] = {1, 2, 5};
        for (double decade = floor(axis->low); decade <= axis->high; decade++)
            for (int k = 0; k < 3; k++)
                add_tick(axis, decade + log10(digits[k]));
        if (axis->ticks > 1)
            return;
        axis->ticks = 0; /* less than a factor of 5: neighbours that are round are too far apart */
        for (double decade = floor(axis->low); decade <= axis->high; decade++)
            for (int k = 10; k < 100; k++)
                if (span < 0.2 || k % 5 == 0)
                    add_tick(axis, decade + log10(k / 10.0));
        return;
    }
    double rough = span / wanted, power = pow(10, floor(log10(rough))), digit = rough / power;
    double step = (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10) * power;
    if (axis->logarithmic)
        step = fmax(1, ceil(step));
    for (double k = ceil(axis->low / step); k * step <= axis->high + 1e-9 * span; k++)
        add_tick(axis, k * step);
}

/* The range of all points, with a little room. 0 if there are none. */
static int choose_range(const struct ky_plot *plot, int which, struct axis *axis)
{
    const double room = 0.03;
    *axis = (struct axis){.low = HUGE_VAL, .high = -HUGE_VAL};
    axis->logarithmic = plot->logarithmic[which];
    struct axis other = {.logarithmic = plot->logarithmic[1 - which]};
    for (size_t c = 0; c < plot->count; c++)
        for (size_t i = 0; i < plot->curves[c].n; i++) {
            const double *of[2] = {plot->curves[c].x, plot->curves[c].y};
            double value = on_axis(axis, of[which][i]);
            if (!isfinite(value) || !isfinite(on_axis(&other, of[1 - which][i])))
                continue;
            axis->low = fmin(axis->low, value);
            axis->high = fmax(axis->high, value);
        }
    if (axis->low > axis->high)
        return 0;
    double least = axis->logarithmic ? 0.1 : fmax(1e-9 * fabs(axis->low), 1e-300);
    if (axis->high - axis->low < least) { /* all the same */
        double half = axis->logarithmic ? 0.5 : axis->low != 0 ? 0.5 * fabs(axis->low) : 1;
        axis->low -= half, axis->high += half;
    }
    double more = room * (axis->high - axis->low);
    axis->low -= more, axis->high += more;
    return 1;
}

/* Where a point stands on the picture. */
static void place(const struct frame *frame, double x, double y, double pixel[2])
{
    const struct axis *right = &frame->axes[KY_RIGHT], *up = &frame->axes[KY_UP];
    pixel[0] =
        frame->left + (on_axis(right, x) - right->low) / (right->high - right->low) * frame->width;
    pixel[1] = frame->top + (1 - (on_axis(up, y) - up->low) / (up->high - up->low)) * frame->height;
}

static void take_ink(struct ky_canvas *canvas, const uint8_t colour[3])
{
    memcpy(canvas->ink, colour, sizeof canvas->ink);
}

/* Lines of the grid, numbers at the ticks, labels and the frame itself. Numbers that would touch
 * the one before are left out. */
static void draw_axes(const struct frame *frame, const struct ky_plot *plot,
                      struct ky_canvas *canvas)
{
    const double cell = frame->cell, letter = KY_GLYPH_HEIGHT * cell, thin = fmax(1, cell / 2);
    const double bottom = frame->top + frame->height;
    double free_from = 0;
    for (int which = 0; which < 2; which++) {
        const struct axis *axis = &frame->axes[which];
        for (size_t k = 0; k < axis->ticks; k++) {
            double part = (axis->tick[k] - axis->low) / (axis->high - axis->low);
            double wide = ky_text_width(cell, axis->text[k]);
            double x = frame->left + part * frame->width, y = bottom - part * frame->height;
            take_ink(canvas, grid);
            if (which == KY_RIGHT)
                ky_bar(canvas, x - thin / 2, frame->top, thin, frame->height);
            else
                ky_bar(canvas, frame->left, y - thin / 2, frame->width, thin);
            take_ink(canvas, ink);
            if (which == KY_UP)
                ky_text(canvas, frame->left - wide - 4 * cell, y - letter / 2, cell, axis->text[k]);
            else if (x - wide / 2 >= free_from) {
                ky_text(canvas, x - wide / 2, bottom + 4 * cell, cell, axis->text[k]);
                free_from = x + wide / 2 + 2 * KY_GLYPH_ADVANCE * cell;
            }
        }
    }
    double wide = ky_text_width(cell, plot->labels[KY_RIGHT]);
    ky_text(canvas, frame->left + (frame->width - wide) / 2, bottom + 8 * cell + letter, cell,
            plot->labels[KY_RIGHT]);
    ky_text(canvas, frame->left, frame->top - letter - 5 * cell, cell, plot->labels[KY_UP]);
    ky_bar(canvas, frame->left, frame->top, frame->width, thin);
    ky_bar(canvas, frame->left, bottom - thin, frame->width, thin);
    ky_bar(canvas, frame->left, frame->top, thin, frame->height);
    ky_bar(canvas, frame->left + frame->width - thin, frame->top, thin, frame->height);
}

/* A curve, with dots if it has few points, and its name in the legend. */
static void draw_curve(const struct frame *frame, const struct ky_plot *plot, size_t c,
                       struct ky_canvas *canvas)
{
    enum { FEW = 40 };
    const struct ky_plot_curve *curve = &plot->curves[c];
    const double cell = frame->cell, thick = 1.2 * cell;
    double before[2] = {(double)NAN, (double)NAN}, here[2];
    uint8_t colour[3];
    ky_colour(0.55, 0.19, 27 + 360 * (double)c / (double)plot->count, colour);
    take_ink(canvas, colour);
    for (size_t i = 0; i < curve->n; i++) {
        place(frame, curve->x[i], curve->y[i], here);
        ky_line(canvas, before, here, thick);
        if (curve->n <= FEW)
            ky_line(canvas, here, here, 3 * cell);
        memcpy(before, here, sizeof here);
    }
    double left = frame->left + frame->width + 6 * cell;
    double middle = frame->top + ((double)c * 12 + 4) * cell;
    double ends[2][2] = {{left, middle}, {left + 10 * cell, middle}};
    ky_line(canvas, ends[0], ends[1], thick);
    ky_text(canvas, left + 14 * cell, middle - KY_GLYPH_HEIGHT * cell / 2, cell, curve->name);
}

/* The widest of the texts beside the frame [pixels]: of the numbers, or of the names. */
static double widest(const struct frame *frame, const struct ky_plot *plot, int names)
{
    double most = 0;
    for (size_t c = 0; names && c < plot->count; c++)
        most = fmax(most, ky_text_width(frame->cell, plot->curves[c].name));
    for (size_t k = 0; !names && k < frame->axes[KY_UP].ticks; k++)
        most = fmax(most, ky_text_width(frame->cell, frame->axes[KY_UP].text[k]));
    return most;
}

/* Chooses the axes of a plot in its frame, and writes their ranges to `text`. KY_USAGE for a frame
 * that its labels leave no room. */
static enum ky_status set_axes(struct frame *frame, const struct ky_plot *plot, char *text,
                               size_t size, struct ky_error *error)
{
    const double least = 20 * frame->cell;
    if (frame->width < least || frame->height < least)
        return ky_fail(error, KY_USAGE,
                       "the labels leave no room for the plot: give a larger --width and --height");
    for (int k = 0; k < 2; k++) {
        struct axis *axis = &frame->axes[k];
        choose_range(plot, k, axis);
        choose_ticks(axis, 5);
        size_t length = strlen(text);
        ky_format(text + length, size - length, "%s%s %.4g to %.4g", length ? "; " : "",
                  plot->labels[k], axis->logarithmic ? pow(10, axis->low) : axis->low,
                  axis->logarithmic ? pow(10, axis->high) : axis->high);
    }
    return KY_OK;
}

/* The room that numbers and names need beside the frames, the same for all plots. */
static enum ky_status set_margins(const struct ky_plot *plots, size_t count, double cell,
                                  double *left, double *right, struct ky_error *error)
{
    *left = *right = 0;
    for (size_t p = 0; p < count; p++) {
        struct frame frame = {.cell = cell};
        if (!choose_range(&plots[p], KY_UP, &frame.axes[KY_UP]))
            return ky_fail(error, KY_BAD_DATA, "nothing to plot: no number for '%s'",
                           plots[p].labels[KY_UP]);
        choose_ticks(&frame.axes[KY_UP], 5);
        *left = fmax(*left, widest(&frame, &plots[p], 0) + 12 * cell);
        *right = fmax(*right, widest(&frame, &plots[p], 1) + 26 * cell);
    }
    return KY_OK;
}

enum ky_status ky_plot_write(const char *path, const struct ky_plot *plots, size_t count,
                             const size_t size[2], int overwrite, struct ky_error *error)
{
    char comment[256] = "";
    struct ky_canvas canvas = {0};
    double each = (double)size[1] / (double)count, cell = ky_text_cell(size), left, right;
    enum ky_status status = set_margins(plots, count, cell, &left, &right, error);
    if (!status)
        status = ky_canvas_open(&canvas, size[0], size[1], paper, error);
    for (size_t p = 0; p < count && !status; p++) { /* frames stand exactly below each other */
        struct frame frame = {.left = left, .top = (double)p * each + 20 * cell, .cell = cell};
        frame.width = (double)size[0] - left - right;
        frame.height = each - 50 * cell;
        status = set_axes(&frame, &plots[p], comment, sizeof comment, error);
        if (status)
            break;
        draw_axes(&frame, &plots[p], &canvas);
        for (size_t c = 0; c < plots[p].count; c++)
            draw_curve(&frame, &plots[p], c, &canvas);
    }
    if (!status)
        status = ky_png_write(path, &canvas, comment, overwrite, error);
    free(canvas.rgb);
    return status;
}
