/* The common region of all panels: a square that holds a given fraction of every panel's mass. The
 * bounds are quantiles of the mass along each coordinate, found by histograms that are refined
 * around the wanted place: no sort, and a far escaper costs nothing. Masses are summed as integers,
 * so that the order of the threads does not matter. */
#include "draw/draw.h"

#include <math.h>

enum { BINS = 2048, ROUNDS = 4 };

/* Room around the mass, so that nothing touches the frame. */
static const double margin = 1.2;

struct column {
    size_t n;
    const double (*position)[3];
    const double *mass; /* or NULL: 1 each */
    int component;
    double unit; /* 2^62 / total */
};

/* The mass of the bodies between `low` and `high` in bins of equal width. */
static void histogram(const struct column *column, double low, double high, uint64_t *bins)
{
    for (int b = 0; b < BINS; b++)
        bins[b] = 0;
    double scale = BINS / (high - low);
#pragma omp parallel for reduction(+ : bins[:BINS])
    for (size_t i = 0; i < column->n; i++) {
        double x = column->position[i][column->component];
        if (!(x >= low && x <= high))
            continue;
        size_t b = (size_t)((x - low) * scale);
        double mass = column->mass ? column->mass[i] : 1;
        bins[b < BINS ? b : BINS - 1] += (uint64_t)(mass * column->unit + 0.5);
    }
}

/* The interval around the place where the sum of the mass from below reaches `fraction`. */
static void quantile(const struct column *column, double fraction, double interval[2])
{
    uint64_t bins[BINS];
    double wanted = fraction * 0x1p62;
    for (int round = 0; round < ROUNDS && interval[1] > interval[0]; round++) {
        double low = interval[0], width = (interval[1] - low) / BINS, sum = 0;
        histogram(column, low, interval[1], bins);
        int b = 0;
        while (b < BINS - 1 && sum + (double)bins[b] < wanted)
            sum += (double)bins[b++];
        wanted -= sum;
        interval[0] = low + b * width;
        if (b < BINS - 1)
            interval[1] = low + (b + 1) * width;
    }
}

/* The smallest and the largest coordinate of bodies that have mass. */
static void extent(const struct column *column, double bounds[2])
{
    double low = HUGE_VAL, high = -HUGE_VAL;
#pragma omp parallel for reduction(min : low) reduction(max : high)
    for (size_t i = 0; i < column->n; i++) {
        double x = column->position[i][column->component];
        if (column->mass && column->mass[i] <= 0)
            continue;
        low = fmin(low, x);
        high = fmax(high, x);
    }
    bounds[0] = low, bounds[1] = high;
}

/* Sum of masses, in the caller's order whatever the number of threads. */
static double total_mass(const struct ky_bodies *bodies)
{
    double sum = 0;
    for (size_t i = 0; i < bodies->n; i++)
        sum += bodies->mass[i];
    return sum;
}

/* Widens bounds to hold `fraction` of the mass along both coordinates together. */
static void include(const struct ky_bodies *bodies, const struct ky_view *view, double fraction,
                    double bounds[2][2])
{
    double total = view->by_number ? (double)bodies->n : total_mass(bodies);
    if (!(total > 0))
        return;
    double outside = (1 - fraction) / 4; /* on each of four sides */
    for (int k = 0; k < 2; k++) {
        struct column column = {.n = bodies->n,
                                .position = (const double(*)[3])bodies->position,
                                .mass = view->by_number ? NULL : bodies->mass,
                                .component = k == 0 ? view->right : view->up,
                                .unit = 0x1p62 / total};
        double all[2], low[2], high[2];
        extent(&column, all);
        low[0] = high[0] = all[0], low[1] = high[1] = all[1];
        if (outside > 0) {
            quantile(&column, outside, low);
            quantile(&column, 1 - outside, high);
        }
        bounds[k][0] = fmin(bounds[k][0], low[0]);
        bounds[k][1] = fmax(bounds[k][1], high[1]);
    }
}

enum ky_status ky_view_choose(const struct ky_snapshot *panels, size_t count,
                              const struct ky_draw_parameters *parameters, struct ky_view *view,
                              struct ky_error *error)
{
    static const int axes[3][2] = {{1, 2}, {0, 2}, {0, 1}};
    view->right = axes[parameters->axis][0], view->up = axes[parameters->axis][1];
    double mass = 0, bounds[2][2] = {{HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, -HUGE_VAL}};
    for (size_t p = 0; p < count; p++)
        mass += total_mass(&panels[p].bodies);
    view->by_number = !(mass > 0);
    for (size_t p = 0; p < count; p++)
        include(&panels[p].bodies, view, parameters->fraction, bounds);
    double side = 0;
    for (int k = 0; k < 2; k++) {
        double given = parameters->centre[k == 0 ? view->right : view->up];
        double middle = bounds[k][1] >= bounds[k][0] ? bounds[k][0] / 2 + bounds[k][1] / 2 : 0;
        view->centre[k] = isnan(given) ? middle : given;
        if (bounds[k][1] >= bounds[k][0])
            side = fmax(side,
                        2 * fmax(bounds[k][1] - view->centre[k], view->centre[k] - bounds[k][0]));
    }
    /* One body, or all in one place, still need a square about them. */
    double least = 1e-9 * fmax(fabs(view->centre[0]), fabs(view->centre[1]));
    side = side > least ? side * margin : fmax(1, least);
    view->side = isnan(parameters->region) ? side : parameters->region;
    if (!isfinite(view->side) || !isfinite(mass))
        return ky_fail(error, KY_BAD_DATA,
                       "the bodies span more than a number can hold (side %g, mass %g)", view->side,
                       mass);
    return KY_OK;
}
