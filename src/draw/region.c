/* The camera and the common region of all panels: a square that contains a given fraction of every
 * panel's mass. The bounds are quantiles of the mass along each coordinate, found by histograms
 * that are refined around the wanted position. So nothing is sorted, and a distant escaper costs
 * nothing. Masses are summed as integers, so the order of threads does not matter. */
#include "draw/images.h"

#include <math.h>

#include "base/block_sums.h"
#include "base/number.h"
#include "base/quantity.h"
#include "base/status.h"
#include "octree/sample.h"

enum { BINS = 2048, ROUNDS = 4 };

/* At most this many bodies, a sample, are used: enough to choose a frame. */
enum { SAMPLE = 1 << 18 };

/* Margin around the mass, so that nothing touches the frame. */
static const double margin = 1.2;

struct column {
    struct ky_sample_order order; /* only its first `count` bodies are used */
    size_t count;
    const double (*position)[3];
    const double *mass; /* or NULL: all masses are 1 */
    const double *axis;
    double unit; /* 2^62 / total */
};

/* The mass of the bodies between `low` and `high` in bins of equal width. */
static void histogram(const struct column *column, double low, double high, uint64_t *bins)
{
    for (int b = 0; b < BINS; b++)
        bins[b] = 0;
    double scale = BINS / (high - low);
#pragma omp parallel for reduction(+ : bins[:BINS])
    for (size_t k = 0; k < column->count; k++) {
        size_t i = ky_sampled(column->order, column->count, k);
        double x = ky_along(column->position[i], column->axis);
        if (!(x >= low && x <= high))
            continue;
        size_t b = (size_t)((x - low) * scale);
        double mass = column->mass ? column->mass[i] : 1;
        bins[b < BINS ? b : BINS - 1] += (uint64_t)(mass * column->unit + 0.5);
    }
}

/* The interval around the position at which the cumulative mass reaches `fraction`. */
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

/* The smallest and the largest coordinate of bodies with mass. */
static void extent(const struct column *column, double bounds[2])
{
    double low = HUGE_VAL, high = -HUGE_VAL;
#pragma omp parallel for reduction(min : low) reduction(max : high)
    for (size_t k = 0; k < column->count; k++) {
        size_t i = ky_sampled(column->order, column->count, k);
        double x = ky_along(column->position[i], column->axis);
        if (column->mass && column->mass[i] <= 0)
            continue;
        low = fmin(low, x);
        high = fmax(high, x);
    }
    bounds[0] = low, bounds[1] = high;
}

/* The mass of the first `count` bodies of the order. Independent of the number of threads. */
static double total_mass(const struct ky_bodies *bodies, struct ky_sample_order order, size_t count)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++)
        sum += bodies->mass[ky_sampled(order, count, k)];
    return sum;
}

/* The needs of the panels so far along one axis of the view: bounds that contain the wanted
 * fraction of each panel, and the sums of the mass within and of its first moment. */
struct span {
    double low, high;
    double mass, moment;
};

/* Adds the needs of one panel. The sums do not depend on the number of threads. */
static void widen(const struct column *column, double low, double high, struct span *span)
{
    span->low = fmin(span->low, low);
    span->high = fmax(span->high, high);
    for (size_t k = 0; k < column->count; k++) {
        const size_t i = ky_sampled(column->order, column->count, k);
        const double x = ky_along(column->position[i], column->axis);
        const double mass = column->mass ? column->mass[i] : 1;
        if (x >= low && x <= high) {
            span->mass += mass;
            span->moment += mass * x;
        }
    }
}

/* Widens the spans to contain `fraction` of the mass along `axes` axes of the view together. */
static void include(const struct ky_bodies *bodies, const struct ky_view *view, double fraction,
                    int axes, struct span span[3])
{
    const size_t count = bodies->n < SAMPLE ? bodies->n : SAMPLE;
    const struct ky_sample_order order = ky_sample_order(count ? bodies->n : 1);
    double total = view->by_number ? (double)count : total_mass(bodies, order, count);
    if (!(total > 0))
        return;
    double outside = (1 - fraction) / 4; /* fraction outside each of four sides */
    for (int k = 0; k < axes; k++) {
        struct column column = {.order = order,
                                .count = count,
                                .position = (const double(*)[3])bodies->position,
                                .mass = view->by_number ? NULL : bodies->mass,
                                .axis = view->axis[k],
                                .unit = 0x1p62 / total};
        double all[2], low[2], high[2];
        extent(&column, all);
        low[0] = high[0] = all[0], low[1] = high[1] = all[1];
        if (outside > 0) {
            quantile(&column, outside, low);
            quantile(&column, 1 - outside, high);
        }
        widen(&column, low[0], high[1], &span[k]);
    }
}

/* The box of a panel, and how much of it shows. */
static void take_box(struct ky_view *view, const struct ky_draw_parameters *parameters,
                     const struct ky_snapshot *panel)
{
    view->box = ky_box_of(&panel->space);
    view->slab = isnan(parameters->slab) ? view->box : parameters->slab;
}

void ky_view_turn(struct ky_view *view, int axis, double turn, double tilt)
{
    /* right, up, and towards the eye */
    static const double plain[3][3][3] = {{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}},
                                          {{1, 0, 0}, {0, 0, 1}, {0, -1, 0}},
                                          {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const double radian = 0.017453292519943295;
    double ct = cos(turn * radian), st = sin(turn * radian);
    double ci = cos(tilt * radian), si = sin(tilt * radian);
    for (int k = 0; k < 3; k++) {
        double right = plain[axis][0][k], up = plain[axis][1][k], near = plain[axis][2][k];
        double ahead = ct * near + st * right; /* towards the eye, after the camera's turn */
        view->axis[0][k] = ct * right - st * near;
        view->axis[1][k] = ci * up - si * ahead;
        view->axis[2][k] = ci * ahead + si * up;
    }
}

/* The centre along an axis: halfway between the bounds if the square has to contain both. A square
 * of given size is centred on the centre of mass within the bounds, since a tail of few bodies on
 * one side would shift a bound far. */
static double middle_of(const struct span *span, int is_given)
{
    return is_given && span->mass > 0 ? span->moment / span->mass : span->low / 2 + span->high / 2;
}

/* Half the side of a square about the centre that contains the bounds of all axes. */
static double half_side(const struct span span[3], int axes, const struct ky_view *view)
{
    double half = 0;
    for (int k = 0; k < axes; k++) {
        double centre = ky_along(view->middle, view->axis[k]);
        if (span[k].high >= span[k].low)
            half = fmax(half, fmax(span[k].high - centre, centre - span[k].low));
    }
    return half;
}

/* The side of a picture that needs `half` of it on each side of the centre, which is at this
 * distance from 0. A single body, or several at one position, still need a square around them. */
static double side_of(double half, double farthest)
{
    const double side = 2 * half, least = 1e-9 * farthest;
    return side > least ? side * margin : fmax(1, least);
}

/* KY_USAGE for a group without a circle. */
static enum ky_status aim_at_group(struct ky_view *view,
                                   const struct ky_draw_parameters *parameters, uint64_t group,
                                   struct ky_error *error)
{
    if (!parameters->circle_count)
        return ky_fail(error, KY_USAGE,
                       "--about %s: give a catalogue that has groups with --groups",
                       parameters->about);
    if (group >= parameters->circle_count)
        return ky_fail(error, KY_USAGE, "--about %s: there are %zu groups, from 0 on",
                       parameters->about, parameters->circle_count);
    for (int c = 0; c < 3; c++)
        view->middle[c] = parameters->circles[group][c];
    return KY_OK;
}

int ky_view_follows(const struct ky_view *view, const struct ky_draw_parameters *parameters)
{
    struct ky_about about;
    return !ky_about_read(parameters->about, &about, NULL) && about.kind != KY_ABOUT_NOTHING &&
           !(about.kind == KY_ABOUT_AUTO && view->box > 0);
}

enum ky_status ky_view_aim(struct ky_view *view, const struct ky_draw_parameters *parameters,
                           const struct ky_snapshot *panel, struct ky_error *error)
{
    struct ky_about about;
    KY_TRY(ky_about_read(parameters->about, &about, error));
    take_box(view, parameters, panel);
    if (!ky_view_follows(view, parameters))
        return KY_OK;
    if (about.kind == KY_ABOUT_AUTO)
        about.kind = KY_ABOUT_DENSITY;
    if (about.kind == KY_ABOUT_GROUP)
        return aim_at_group(view, parameters, about.id, error);
    if (view->box > 0 && (about.kind == KY_ABOUT_DENSITY || about.kind == KY_ABOUT_MASS))
        return ky_fail(error, KY_UNSUPPORTED,
                       "--about %s: bodies in a periodic box have no such centre; give --centre-x, "
                       "--centre-y and --centre-z, or --groups FILE and --about group:0",
                       parameters->about);
    return ky_about_find(&about, &panel->bodies, &view->anchor, view->side, view->middle, error);
}

/* Writes "there is no body in the picture …", in units that suit the positions. */
static void say_missed(const struct ky_snapshot *panel, const double middle[3], double width,
                       const double centre[3], char *text, size_t room)
{
    char time[KY_QUANTITY_TEXT], wide[KY_QUANTITY_TEXT], unit[KY_UNIT_TEXT];
    double largest = 0;
    for (int c = 0; c < 3; c++)
        largest = fmax(largest, fmax(fabs(middle[c]), fabs(centre[c])));
    const double f = ky_unit_shown(&panel->units, KY_LENGTH_UNIT, largest, unit);
    const char *blank = *unit ? " " : "";
    ky_format(text, room,
              "there is no body in the picture of t = %s: it is about (%.4g, %.4g, %.4g)%s%s, %s "
              "wide, and the bodies are about (%.4g, %.4g, %.4g)%s%s; --about follows them",
              ky_quantity_text(&panel->units, KY_TIME_UNIT, panel->time, 6, time), f * middle[0],
              f * middle[1], f * middle[2], blank, unit,
              ky_quantity_text(&panel->units, KY_LENGTH_UNIT, width, 4, wide), f * centre[0],
              f * centre[1], f * centre[2], blank, unit);
}

/* 1 if a body or an image of one is in the picture. */
static int shows_body(const struct ky_view *view, const size_t size[2],
                      const struct ky_bodies *bodies)
{
    struct ky_images images;
    int shown = ky_images_list(view, size, 0, &images, NULL) != KY_OK;
    for (size_t i = 0; i < bodies->n && !shown; i++) {
        double base[3], x[3], pixel[2];
        if (!view->by_number && !(bodies->mass[i] > 0))
            continue;
        ky_image_base(view, bodies->position[i], base);
        for (size_t m = 0; m < images.count && !shown; m++) {
            shown = ky_image_shown(view, base, images.shift[m], x);
            ky_view_project(view, size, x, pixel);
            for (int k = 0; k < 2; k++)
                shown &= pixel[k] >= 0 && pixel[k] <= (double)size[k];
        }
    }
    ky_images_free(&images);
    return shown;
}

int ky_view_misses(const struct ky_view *view, const size_t size[2],
                   const struct ky_snapshot *panel, char *text, size_t room)
{
    const struct ky_about mass = {.kind = KY_ABOUT_MASS};
    const struct ky_bodies *bodies = &panel->bodies;
    const double *middle = view->middle, per_pixel = view->side / (double)ky_shorter(size);
    double centre[3];
    char time[KY_QUANTITY_TEXT];
    if (!bodies->n) {
        ky_format(text, room, "there are no bodies at t = %s: the picture of that time is empty",
                  ky_quantity_text(&panel->units, KY_TIME_UNIT, panel->time, 6, time));
        return 1;
    }
    if (shows_body(view, size, bodies))
        return 0;
    if (view->box > 0 || view->slab > 0) {
        ky_time_label(panel, fabs(panel->time), time, sizeof time);
        ky_format(text, room,
                  "there is no body in the picture of %s; a larger --region or --slab has some",
                  time);
        return 1;
    }
    if (ky_about_find(&mass, bodies, NULL, 0, centre, NULL))
        return 0;
    for (int c = 0; c < 3; c++) /* the rounding error of a sum that should be 0 has no meaning */
        if (fabs(centre[c]) < 1e-9 * (fabs(middle[c]) + view->side))
            centre[c] = 0;
    say_missed(panel, middle, (double)size[0] * per_pixel, centre, text, room);
    return 1;
}

/* Chooses the side so that a square about the followed target contains the wanted fraction of every
 * panel. The centre of a density depends on the side, so the side is chosen twice. */
static enum ky_status choose_followed(const struct ky_snapshot *panels, size_t count,
                                      const struct ky_draw_parameters *parameters, int axes,
                                      struct ky_view *view, struct ky_error *error)
{
    const struct span none = {.low = HUGE_VAL, .high = -HUGE_VAL};
    enum ky_status status = KY_OK;
    for (int round = 0; round < 2; round++) {
        double half = 0, farthest = 0;
        for (size_t p = 0; p < count && !status; p++) {
            struct span span[3] = {none, none, none};
            include(&panels[p].bodies, view, parameters->fraction, axes, span);
            status = ky_view_aim(view, parameters, &panels[p], error);
            half = fmax(half, half_side(span, axes, view));
            for (int k = 0; k < axes; k++)
                farthest = fmax(farthest, fabs(ky_along(view->middle, view->axis[k])));
        }
        view->side = side_of(half, farthest);
    }
    return status;
}

/* Chooses the common centre and side of all panels. */
static void choose_common(const struct ky_snapshot *panels, size_t count,
                          const struct ky_draw_parameters *parameters, int axes,
                          struct ky_view *view)
{
    const struct span none = {.low = HUGE_VAL, .high = -HUGE_VAL};
    const int placed = view->slab > 0 ? 3 : axes; /* a slab has a place along the line of sight */
    struct span span[3] = {none, none, none};
    double farthest = 0;
    for (size_t p = 0; p < count; p++)
        include(&panels[p].bodies, view, parameters->fraction, placed, span);
    for (int c = 0; c < 3; c++) {
        view->middle[c] = 0;
        for (int k = 0; k < placed; k++)
            if (span[k].high >= span[k].low)
                view->middle[c] +=
                    view->axis[k][c] * middle_of(&span[k], !isnan(parameters->region));
        if (!isnan(parameters->centre[c]))
            view->middle[c] = parameters->centre[c];
    }
    for (int k = 0; k < axes; k++)
        farthest = fmax(farthest, fabs(ky_along(view->middle, view->axis[k])));
    view->side = side_of(half_side(span, axes, view), farthest);
}

/* A periodic box is shown whole. */
static void choose_box(double box, const struct ky_draw_parameters *parameters,
                       struct ky_view *view)
{
    view->side = box;
    for (int c = 0; c < 3; c++)
        view->middle[c] = isnan(parameters->centre[c]) ? box / 2 : parameters->centre[c];
}

enum ky_status ky_view_choose(const struct ky_snapshot *panels, size_t count,
                              const struct ky_draw_parameters *parameters, int all_round,
                              struct ky_view *view, struct ky_error *error)
{
    const int axes = all_round ? 3 : 2, given = !isnan(parameters->region);
    const double box = count ? ky_box_of(&panels[0].space) : 0;
    double mass = 0;
    enum ky_status status = KY_OK;
    ky_view_turn(view, parameters->axis, parameters->turn, parameters->tilt);
    for (size_t p = 0; p < count; p++)
        mass += ky_sum(panels[p].bodies.n, panels[p].bodies.mass);
    view->by_number = !(mass > 0);
    view->side = 0, view->anchor.count = 0;
    for (size_t p = 0; p < count; p++)
        take_box(view, parameters, &panels[p]);
    if (box > 0)
        choose_box(box, parameters, view);
    else if (!parameters->about)
        choose_common(panels, count, parameters, axes, view);
    else if (!given)
        status = choose_followed(panels, count, parameters, axes, view, error);
    if (given)
        view->side = parameters->region;
    if (!status && (!isfinite(view->side) || !isfinite(mass)))
        return ky_fail(error, KY_BAD_DATA,
                       "the bodies span more than the range of numbers (side %g, mass %g)",
                       view->side, mass);
    return status;
}
