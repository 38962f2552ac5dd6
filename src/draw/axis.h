/* Axes of plots, pictures and bars of colours: round numbers on them, and how these are written. */
#ifndef KY_DRAW_AXIS_H
#define KY_DRAW_AXIS_H

#include <stddef.h>

#include "base/quantity.h"

enum { KY_MOST_TICKS = 64, KY_MOST_MINOR = 256, KY_TICK_TEXT = 32, KY_AXIS_TEXT = 192 };

/* From low to high, which are logarithms (base 10) where it is logarithmic. */
struct ky_ruler {
    double low, high;
    int logarithmic;
    int exponent; /* of the power of ten by which the numbers at the ticks are multiplied */
    size_t ticks, minor;
    double tick[KY_MOST_TICKS];
    char text[KY_MOST_TICKS][KY_TICK_TEXT];
    double between[KY_MOST_MINOR]; /* small ticks, without numbers */
};

/* The number on the axis; not finite where the axis does not have it. */
double ky_on_axis(const struct ky_ruler *axis, double value);
/* Chooses about `wanted` ticks at round numbers for the range of the axis: 1, 2 or 5 times a power
 * of ten, or whole decades. */
void ky_ruler_divide(struct ky_ruler *axis, double wanted);
/* Writes "what [unit]", with the power of ten of the axis; an empty unit is that of N-body units,
 * NULL none. Returns `text`. */
const char *ky_ruler_label(const char *what, const char *unit, int exponent,
                           char text[KY_AXIS_TEXT]);

#endif
