/* Axes of plots, pictures and bars of colours: the round numbers on them, and how these are
 * written. */
#ifndef KY_DRAW_AXIS_H
#define KY_DRAW_AXIS_H

#include <stddef.h>

#include "base/quantity.h"

enum { KY_MOST_TICKS = 64, KY_MOST_MINOR = 256, KY_TICK_TEXT = 32, KY_AXIS_TEXT = 192 };

/* An axis from low to high; if it is logarithmic, these are logarithms (base 10). */
struct ky_ruler {
    double low, high;
    int logarithmic;
    int exponent; /* the numbers at the ticks are multiplied by 10 to this power */
    size_t ticks, minor;
    double tick[KY_MOST_TICKS];
    char text[KY_MOST_TICKS][KY_TICK_TEXT];
    double between[KY_MOST_MINOR]; /* small ticks, without numbers */
};

/* The place of a number on the axis; not finite where the axis does not have it. */
double ky_on_axis(const struct ky_ruler *axis, double value);
/* Chooses about `wanted` ticks at round numbers for the range of the axis: 1, 2 or 5 times a power
 * of ten, or whole decades. */
void ky_ruler_divide(struct ky_ruler *axis, double wanted);
/* Writes "what [unit]", with the power of ten of the axis. An empty unit stands for N-body units,
 * NULL for none. Returns `text`. */
const char *ky_ruler_label(const char *what, const char *unit, int exponent,
                           char text[KY_AXIS_TEXT]);

#endif
