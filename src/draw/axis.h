/* Axes of plots, pictures and colour bars: their round numbers, and the text of these. */
#ifndef KY_DRAW_AXIS_H
#define KY_DRAW_AXIS_H

#include <stddef.h>

enum { KY_MOST_TICKS = 64, KY_MOST_MINOR = 256, KY_TICK_TEXT = 32, KY_AXIS_TEXT = 192 };

/* An axis from low to high; on a logarithmic axis these are logarithms (base 10). */
struct ky_ruler {
    double low, high;
    int logarithmic;
    int exponent; /* numbers at the ticks are multiplied by 10^exponent */
    size_t ticks, minor;
    double tick[KY_MOST_TICKS];
    char text[KY_MOST_TICKS][KY_TICK_TEXT];
    double between[KY_MOST_MINOR]; /* small ticks, without numbers */
};

/* The position of a number on the axis; not finite if the axis does not contain it. */
double ky_on_axis(const struct ky_ruler *axis, double value);
/* Chooses about `wanted` ticks at round numbers for the range of the axis: 1, 2 or 5 times a power
 * of ten, or whole decades. */
void ky_ruler_divide(struct ky_ruler *axis, double wanted);
/* Writes the label "what [unit]", with the power of ten of the axis. An empty unit stands for
 * N-body units, NULL for none. Returns `text`. */
const char *ky_ruler_label(const char *what, const char *unit, int exponent,
                           char text[KY_AXIS_TEXT]);

#endif
