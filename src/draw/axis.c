/* The round numbers on an axis: 1, 2 or 5 times a power of ten, or decades; and the text of these
 * numbers and of the axis label. layout.c and plot.c draw them. */
#include "draw/axis.h"

#include <math.h>
#include <string.h>

#include "base/number.h"

/* Decades in this range are written in full, others as powers. */
enum { LEAST_PLAIN = -3, MOST_PLAIN = 4 };

double ky_on_axis(const struct ky_ruler *axis, double value)
{
    if (!axis->logarithmic)
        return value;
    return value > 0 ? log10(value) : (double)NAN;
}

static int lies_on(const struct ky_ruler *axis, double value)
{
    const double room = 1e-9 * (axis->high - axis->low);
    return value >= axis->low - room && value <= axis->high + room;
}

/* Writes a number with a minus sign instead of a hyphen. */
static void write_number(char *text, const char *format, int decimals, double value)
{
    const int negative = value < 0;
    if (negative)
        memcpy(text, "\u2212", sizeof "\u2212");
    const size_t at = negative ? strlen(text) : 0;
    ky_format(text + at, KY_TICK_TEXT - at, format, decimals, fabs(value));
}

/* Adds a tick if it lies on the axis, and returns the buffer for its text; otherwise NULL. */
static char *add_tick(struct ky_ruler *axis, double value)
{
    if (!lies_on(axis, value) || axis->ticks == KY_MOST_TICKS)
        return NULL;
    axis->tick[axis->ticks] = value;
    return axis->text[axis->ticks++];
}

static void add_between(struct ky_ruler *axis, double value)
{
    if (lies_on(axis, value) && axis->minor < KY_MOST_MINOR)
        axis->between[axis->minor++] = value;
}

/* Adds a tick at digit × 10^decade. */
static void add_power(struct ky_ruler *axis, double digit, int decade, int plain)
{
    char *text = add_tick(axis, decade + log10(digit));
    if (!text)
        return;
    if (plain)
        write_number(text, "%.*g", 6, digit * pow(10, decade));
    else if (digit == 1)
        ky_format(text, KY_TICK_TEXT, "10^{%s%d}", decade < 0 ? "\u2212" : "",
                  decade < 0 ? -decade : decade);
    else
        ky_format(text, KY_TICK_TEXT, "%g\u00d710^{%s%d}", digit, decade < 0 ? "\u2212" : "",
                  decade < 0 ? -decade : decade);
}

/* Ticks for a range below about a decade: increases the number of digits until there are two
 * ticks. */
static void divide_decade(struct ky_ruler *axis, int plain)
{
    static const double coarse[] = {1, 2, 5};
    const int first = (int)floor(axis->low), last = (int)floor(axis->high);
    const double span = axis->high - axis->low;
    for (int decade = first; decade <= last; decade++)
        for (int k = 0; k < 3; k++)
            add_power(axis, coarse[k], decade, plain);
    if (axis->ticks > 1)
        return;
    axis->ticks = 0;
    for (int decade = first; decade <= last; decade++)
        for (int k = 10; k < 100; k++)
            if (span < 0.2 || k % 5 == 0)
                add_power(axis, k / 10.0, decade, plain);
}

static void divide_logarithmic(struct ky_ruler *axis, double wanted)
{
    const double span = axis->high - axis->low;
    const int plain = axis->low >= LEAST_PLAIN - 0.1 && axis->high <= MOST_PLAIN + 0.1;
    const int first = (int)floor(axis->low), last = (int)floor(axis->high);
    const int step = (int)fmax(1, ceil(span / wanted));
    if (span < 2.5)
        divide_decade(axis, plain);
    else
        for (int decade = first; decade <= last + 1; decade++)
            if (decade % step == 0)
                add_power(axis, 1, decade, plain);
    for (int decade = first; decade <= last && span < 12; decade++)
        for (int k = step == 1 ? 2 : 1; k < (step == 1 ? 10 : 2); k++)
            add_between(axis, decade + log10(k));
}

void ky_ruler_divide(struct ky_ruler *axis, double wanted)
{
    const double span = axis->high - axis->low;
    axis->ticks = axis->minor = 0, axis->exponent = 0;
    if (axis->logarithmic) {
        divide_logarithmic(axis, wanted);
        return;
    }
    const double rough = span / wanted, power = pow(10, floor(log10(rough))), digit = rough / power;
    const double first = digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10;
    const double step = first * power, part = step / (first == 2 ? 4 : 5);
    const double largest = fmax(fabs(axis->low), fabs(axis->high));
    const int size = largest > 0 && isfinite(largest) ? (int)floor(log10(largest) + 1e-9) : 0;
    axis->exponent = size > MOST_PLAIN || size < LEAST_PLAIN ? size : 0;
    const double unit = pow(10, axis->exponent);
    const int decimals = (int)fmin(fmax(0, ceil(-log10(step / unit) - 1e-9)), 15);
    for (double k = ceil(axis->low / step - 1e-9); k * step <= axis->high + 1e-9 * span; k++) {
        char *text = add_tick(axis, k * step);
        if (text)
            write_number(text, "%.*f", decimals, k == 0 ? 0 : k * step / unit);
    }
    for (double k = ceil(axis->low / part); k * part <= axis->high; k++)
        add_between(axis, k * part);
}

const char *ky_ruler_label(const char *what, const char *unit, int exponent,
                           char text[KY_AXIS_TEXT])
{
    char power[24] = "";
    if (exponent)
        ky_format(power, sizeof power, "10^{%s%d}", exponent < 0 ? "\u2212" : "",
                  exponent < 0 ? -exponent : exponent);
    const char *name = !unit ? "" : *unit ? unit : "N-body units";
    if (!*name && !*power)
        ky_format(text, KY_AXIS_TEXT, "%s", what);
    else
        ky_format(text, KY_AXIS_TEXT, "%s [%s%s%s]", what, power, *name && *power ? " " : "", name);
    return text;
}
