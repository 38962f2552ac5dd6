/* The surroundings of a picture's panels: rows and columns, axes with the unit of length on white
 * margins, and a colour bar. */
#include <math.h>

#include "base/number.h"
#include "base/units.h"
#include "draw/axis.h"
#include "draw/draw.h"

static const uint8_t white[3] = {255, 255, 255}, black[3] = {0, 0, 0}, ink[3] = {20, 20, 24};

/* Margins, in cells: frame to numbers, numbers to label, label to border. */
enum { TO_NUMBER = 4, TO_LABEL = 5, TO_RIM = 4, BAR = 9, TO_BAR = 6 };

/* The quantity of a colour bar; no bar if `what` is NULL. */
struct bar {
    const char *what;
    char unit[KY_UNIT_TEXT];
    double factor; /* factor from the units of the panels to this unit */
    struct ky_ruler axis;
};

/* The unit of surface densities up to `largest`: per pc² for galaxies too, as in papers. */
static double unit_of_density(const struct ky_units *units, struct ky_dimension dimension,
                              double largest, char name[KY_UNIT_TEXT])
{
    const double parsec = KY_KPC_CM / 1e3, cgs = ky_unit_cgs(units, dimension);
    struct ky_units shown = *units;
    if (!(cgs > 0) || units->length_cm < parsec)
        return ky_unit_shown(units, dimension, largest, name);
    shown.length_cm = parsec;
    const double factor = cgs / ky_unit_cgs(&shown, dimension);
    return factor * ky_unit_shown(&shown, dimension, largest * factor, name);
}

/* Chooses the colour bar of a scene. When it is drawn, peaks and speeds are known. For the layout
 * any values do, since only the space for numbers is needed. */
static void choose_bar(const struct ky_scene *scene, const struct ky_units *units, struct bar *bar)
{
    const struct ky_draw_parameters *parameters = scene->parameters;
    const int velocity = parameters->show == KY_SHOW_VELOCITY;
    *bar = (struct bar){.what = NULL};
    if (parameters->rim != KY_RIM_AXES || (!velocity && parameters->show != KY_SHOW_DENSITY))
        return;
    const int number = scene->view.by_number;
    const double high = velocity ? scene->speed : scene->peak[0];
    const struct ky_dimension dimension =
        velocity ? KY_VELOCITY_UNIT : KY_DIMENSION(-2, number ? 0 : 1, 0);
    bar->what = velocity ? "velocity along the line of sight"
                : number ? "bodies per area"
                         : "surface density";
    bar->factor = velocity ? ky_unit_shown(units, dimension, high, bar->unit)
                           : unit_of_density(units, dimension, high, bar->unit);
    const double shown = high > 0 ? high * bar->factor : 1;
    bar->axis.logarithmic = !velocity && parameters->brightness != KY_LINEAR;
    bar->axis.high = bar->axis.logarithmic ? log10(shown) : shown;
    bar->axis.low = bar->axis.logarithmic ? bar->axis.high - ky_range_of(parameters)
                    : velocity            ? -shown
                                          : 0;
    ky_ruler_divide(&bar->axis, 5);
}

/* The position of a tick on the bar, 0 … 1. */
static double place_on_bar(const struct ky_scene *scene, const struct bar *bar, double tick)
{
    if (scene->parameters->show == KY_SHOW_VELOCITY)
        return (tick - bar->axis.low) / (bar->axis.high - bar->axis.low);
    return ky_brightness(scene, 0, (bar->axis.logarithmic ? pow(10, tick) : tick) / bar->factor);
}

/* The axis of a panel. It counts from the centre if the picture follows something or is far away;
 * then *offset becomes 1. */
static void choose_axis(const struct ky_scene *scene, const struct ky_units *units, int k,
                        struct ky_ruler *axis, char unit[KY_UNIT_TEXT], int *offset)
{
    const double far = 20; /* distance of the centre, in sides */
    const double half =
        scene->view.side / 2 * (double)scene->size[k] / (double)ky_shorter(scene->size);
    const double middle = ky_along(scene->view.middle, scene->view.axis[k]);
    const double factor = ky_unit_shown(units, KY_LENGTH_UNIT, scene->view.side / 2, unit);
    *offset =
        ky_view_follows(&scene->view, scene->parameters) || fabs(middle) > far * scene->view.side;
    *axis = (struct ky_ruler){.low = ((*offset ? 0 : middle) - half) * factor,
                              .high = ((*offset ? 0 : middle) + half) * factor};
    ky_ruler_divide(axis, 4);
}

/* "x"; "x − x_{c}" if the centre is followed, "x − 8000" if it is far away; "right" if the camera
 * looks along no axis. */
static const char *name_axis(const struct ky_scene *scene, const struct ky_units *units, int k,
                             int offset, char name[48])
{
    const char *letter = k ? "up" : "right";
    const double middle = ky_along(scene->view.middle, scene->view.axis[k]);
    char unit[KY_UNIT_TEXT];
    for (int c = 0; c < 3; c++)
        if (scene->view.axis[k][c] > 1 - 1e-12)
            letter = &"x\0y\0z"[2 * c];
    if (!offset)
        ky_format(name, 48, "%s", letter);
    else if (ky_view_follows(&scene->view, scene->parameters))
        ky_format(name, 48, "%s \u2212 %s_{c}", letter, letter);
    else
        ky_format(name, 48, "%s %s %.8g", letter, middle < 0 ? "+" : "\u2212",
                  fabs(middle) * ky_unit_shown(units, KY_LENGTH_UNIT, scene->view.side / 2, unit));
    return name;
}

static double widest_text(const struct ky_ruler *axis, double cell)
{
    double most = 0;
    for (size_t k = 0; k < axis->ticks; k++)
        most = fmax(most, ky_text_width(cell, axis->text[k]));
    return most;
}

void ky_layout_choose(struct ky_layout *layout, const struct ky_scene *scene, size_t count,
                      const struct ky_snapshot *first)
{
    const struct ky_units units = ky_units_stored(&first->units, &first->space);
    const struct ky_draw_parameters *parameters = scene->parameters;
    const size_t most = count <= 5 ? count : (size_t)ceil(sqrt((double)count));
    const double cell = ky_text_cell(scene->size), line = KY_LETTER * cell;
    size_t right = 0, bottom = 0;
    *layout =
        (struct ky_layout){.columns = parameters->columns ? (size_t)parameters->columns : most};
    layout->columns = layout->columns > count ? count : layout->columns;
    layout->rows = (count + layout->columns - 1) / layout->columns;
    layout->gap = ky_shorter(scene->size) / 160 + 1;
    if (parameters->rim == KY_RIM_AXES) {
        struct ky_ruler axis;
        struct bar bar;
        char unit[KY_UNIT_TEXT];
        int offset;
        choose_axis(scene, &units, 1, &axis, unit, &offset);
        choose_bar(scene, &units, &bar);
        const double numbers = bar.what ? widest_text(&bar.axis, cell) : 0;
        layout->left =
            (size_t)(widest_text(&axis, cell) + line + (TO_NUMBER + TO_LABEL + TO_RIM) * cell);
        bottom = (size_t)(2 * line + (TO_NUMBER + TO_LABEL + TO_RIM) * cell);
        right = (size_t)(bar.what ? numbers + line +
                                        (TO_BAR + BAR + TO_NUMBER + TO_LABEL + TO_RIM) * cell
                                  : 2 * line);
        layout->top = (size_t)line;
    }
    layout->width =
        layout->left + right + layout->columns * (scene->size[0] + layout->gap) - layout->gap;
    layout->height =
        layout->top + bottom + layout->rows * (scene->size[1] + layout->gap) - layout->gap;
}

void ky_layout_corner(const struct ky_layout *layout, const struct ky_scene *scene, size_t k,
                      size_t corner[2])
{
    corner[0] = layout->left + k % layout->columns * (scene->size[0] + layout->gap);
    corner[1] = layout->top + k / layout->columns * (scene->size[1] + layout->gap);
}

enum ky_status ky_layout_open(const struct ky_layout *layout, const struct ky_scene *scene,
                              struct ky_canvas *canvas, struct ky_error *error)
{
    return ky_canvas_open(canvas, layout->width, layout->height,
                          scene->parameters->rim == KY_RIM_AXES ? white : black, error);
}

/* Draws a tick inwards from both sides of the panel. */
static void draw_tick(const struct ky_scene *scene, struct ky_canvas *canvas,
                      const double corner[2], int k, double part, double length)
{
    const double cell = ky_text_cell(scene->size), thin = fmax(1, cell / 2);
    const double width = (double)scene->size[0], height = (double)scene->size[1];
    const double x = corner[0] + part * width - thin / 2;
    const double y = corner[1] + (1 - part) * height - thin / 2;
    ky_take_ink(canvas, ky_pale_ink);
    for (int side = 0; side < 2; side++)
        if (k == 0)
            ky_bar(canvas, x, corner[1] + side * (height - length), thin, length);
        else
            ky_bar(canvas, corner[0] + side * (width - length), y, length, thin);
}

/* 1 if the number at a tick would touch the first number of the next panel, `gap` pixels away: to
 * the right for k = 0, above for k = 1. */
static int touches_next(const struct ky_scene *scene, const struct ky_ruler *axis, int k, size_t t,
                        size_t gap)
{
    const double cell = ky_text_cell(scene->size), line = KY_LETTER * cell;
    const double length = (double)scene->size[k], span = axis->high - axis->low;
    const double half[2] = {k ? line / 2 : ky_text_width(cell, axis->text[t]) / 2,
                            k ? line / 2 : ky_text_width(cell, axis->text[0]) / 2};
    const double end = (axis->tick[t] - axis->low) / span * length + half[0];
    const double next = length + (double)gap + (axis->tick[0] - axis->low) / span * length;
    return end + 2 * cell > next - half[1];
}

/* Draws one axis of a panel, with numbers and label if `outer`. `gap`: pixels to the next panel
 * with numbers; 0: there is none. */
static void draw_axis(const struct ky_scene *scene, const struct ky_units *units, int k, int outer,
                      size_t gap, struct ky_canvas *canvas, const double corner[2])
{
    const double cell = ky_text_cell(scene->size), line = KY_LETTER * cell;
    const double width = (double)scene->size[0], height = (double)scene->size[1];
    struct ky_ruler axis;
    char unit[KY_UNIT_TEXT], name[48], label[KY_AXIS_TEXT];
    int offset;
    choose_axis(scene, units, k, &axis, unit, &offset);
    for (size_t t = 0; t < axis.ticks; t++) {
        const double part = (axis.tick[t] - axis.low) / (axis.high - axis.low);
        const double wide = ky_text_width(cell, axis.text[t]);
        draw_tick(scene, canvas, corner, k, part, 4 * cell);
        ky_take_ink(canvas, ink);
        if (gap && touches_next(scene, &axis, k, t, gap))
            continue;
        if (outer && k == 0)
            ky_text(canvas, corner[0] + part * width - wide / 2,
                    corner[1] + height + TO_NUMBER * cell, cell, axis.text[t]);
        else if (outer)
            ky_text(canvas, corner[0] - wide - TO_NUMBER * cell,
                    corner[1] + (1 - part) * height - line / 2, cell, axis.text[t]);
    }
    for (size_t t = 0; t < axis.minor; t++)
        draw_tick(scene, canvas, corner, k, (axis.between[t] - axis.low) / (axis.high - axis.low),
                  2 * cell);
    if (!outer)
        return;
    ky_take_ink(canvas, ink);
    ky_ruler_label(name_axis(scene, units, k, offset, name), unit, axis.exponent, label);
    const double fit = ky_text_fit(cell, label, k == 0 ? width : height);
    const double wide = ky_text_width(fit, label);
    if (k == 0)
        ky_text(canvas, corner[0] + (width - wide) / 2,
                corner[1] + height + line + (TO_NUMBER + TO_LABEL) * cell, fit, label);
    else
        ky_text_upright(canvas, TO_RIM * cell, corner[1] + (height + wide) / 2, fit, label);
}

/* Draws the colour bar to the right of a panel. */
static void draw_bar(const struct ky_scene *scene, const struct ky_units *units,
                     struct ky_canvas *canvas, const double corner[2])
{
    const double cell = ky_text_cell(scene->size), thin = fmax(1, cell / 2);
    const double left = corner[0] + (double)scene->size[0] + TO_BAR * cell, wide = BAR * cell;
    const double height = (double)scene->size[1];
    char label[KY_AXIS_TEXT];
    struct bar bar;
    choose_bar(scene, units, &bar);
    if (!bar.what)
        return;
    for (size_t y = 0; y < scene->size[1]; y++) {
        const double part = 1 - ((double)y + 0.5) / height;
        ky_take_ink(canvas, scene->map[(size_t)(part * (KY_MAP_COLOURS - 1) + 0.5)]);
        ky_fill(canvas, left, corner[1] + (double)y, wide, 1);
    }
    ky_take_ink(canvas, ink);
    double free_to = HUGE_VAL;
    for (size_t t = 0; t < bar.axis.ticks; t++) {
        const double y = corner[1] + (1 - place_on_bar(scene, &bar, bar.axis.tick[t])) * height;
        if (y > free_to)
            continue;
        free_to = y - 1.3 * KY_LETTER * cell;
        ky_bar(canvas, left + wide, y - thin / 2, 2 * cell, thin);
        ky_text(canvas, left + wide + TO_NUMBER * cell, y - KY_LETTER * cell / 2, cell,
                bar.axis.text[t]);
    }
    ky_ruler_label(bar.what, bar.unit, bar.axis.exponent, label);
    const double fit = ky_text_fit(cell, label, height);
    ky_text_upright(canvas, (double)canvas->width - (TO_RIM + KY_LETTER) * cell,
                    corner[1] + (height + ky_text_width(fit, label)) / 2, fit, label);
}

void ky_layout_label(const struct ky_layout *layout, const struct ky_scene *scene,
                     const struct ky_snapshot *panel, size_t k, size_t count,
                     struct ky_canvas *canvas)
{
    const int rim = scene->parameters->rim;
    const struct ky_units units = ky_units_stored(&panel->units, &panel->space);
    size_t at[2];
    ky_layout_corner(layout, scene, k, at);
    const double corner[2] = {(double)at[0], (double)at[1]};
    ky_take_ink(canvas, ky_pale_ink);
    ky_label_circles(scene, canvas, corner);
    if (rim != KY_RIM_NONE || scene->parameters->title)
        ky_label_title(scene, panel, k, canvas, corner);
    if (rim == KY_RIM_NONE)
        return;
    if (rim == KY_RIM_SCALE && k == 0) /* all panels have the same scale and colours */
        ky_label_scale(scene, &units, canvas, corner);
    if (k + 1 == count && (rim == KY_RIM_SCALE || scene->parameters->show == KY_SHOW_COMPONENTS))
        ky_label_colours(scene, &units, canvas, corner);
    if (rim != KY_RIM_AXES)
        return;
    const int last = k % layout->columns + 1 == layout->columns || k + 1 == count;
    draw_axis(scene, &units, 0, k + layout->columns >= count, last ? 0 : layout->gap, canvas,
              corner);
    draw_axis(scene, &units, 1, k % layout->columns == 0, k < layout->columns ? 0 : layout->gap,
              canvas, corner);
    if (k % layout->columns + 1 == layout->columns || count == 1)
        draw_bar(scene, &units, canvas, corner);
    ky_take_ink(canvas, ky_pale_ink);
}
