/* Information about libkyoho_draw: features, sizes of its structs, and their options by name. */
#include "base/features.h"
#include "base/sizes.h"
#include "draw/canvas.h"
#include "draw/draw.h"
#include "view/view_options.h"

#define PNG_LINE KY_FEATURE(PNG, "PNG", ", so that nothing can be drawn", KY_WHY_NO_PNG) "\n"
#define NO_CAIRO ", so that letters are coarse, and no PDF or SVG"

const char *ky_draw_features(void)
{
    static const char built[] = PNG_LINE KY_FEATURE(CAIRO, "cairo", NO_CAIRO, KY_WHY_NO_CAIRO);
    static const char alone[] =
        PNG_LINE "cairo: no" NO_CAIRO ": the library is not on this machine; install libcairo2";
    return KY_IF(KY_HAVE_CAIRO, 1, 0) && !ky_cairo_pen() ? alone : built;
}

static const struct ky_struct_size structs[] = {
    {"ky_draw_parameters", sizeof(struct ky_draw_parameters)},
    {"ky_picture", sizeof(struct ky_picture)},
    {"ky_map", sizeof(struct ky_map)},
    {"ky_film_parameters", sizeof(struct ky_film_parameters)},
    {"ky_plot_curve", sizeof(struct ky_plot_curve)},
    {"ky_plot", sizeof(struct ky_plot)},
    {"ky_view_parameters", sizeof(struct ky_view_parameters)},
};

size_t ky_draw_abi(const char *name)
{
    return ky_size_find(structs, sizeof structs / sizeof *structs, name);
}

#define ROW(kind, title, name)                                                                     \
    {                                                                                              \
        kind, title, ky_##name##_options, &ky_##name##_option_count,                               \
            sizeof(struct ky_##name##_parameters), "ky_" #name "_parameters_defaults", NULL        \
    }

static const struct ky_options_row rows[] = {
    ROW(KY_OPTIONS_DRAW, "draw", draw),
    ROW(KY_OPTIONS_FILM, "film", film),
    ROW(KY_OPTIONS_VIEW, "view", view),
};
static const struct ky_options_rows kinds = {rows, sizeof rows / sizeof *rows};

enum ky_status ky_draw_options_get(int kind, size_t index, struct ky_option_about *about)
{
    return kind < KY_OPTIONS_DRAW ? ky_options_get(kind, index, about)
                                  : ky_kind_get(&kinds, kind, index, about);
}

enum ky_status ky_draw_options_set(int kind, void *values, const char *name, const char *value,
                                   const struct ky_units *units, struct ky_error *error)
{
    KY_NEED(values, error);
    KY_NEED(name, error);
    KY_NEED(value, error);
    if (kind < KY_OPTIONS_DRAW)
        return ky_options_set(kind, values, name, value, units, error);
    const struct ky_units none = {0};
    const struct ky_option *option = ky_kind_find(&kinds, kind, values, name, error);
    return option ? ky_option_set_in(option, values, value, units ? units : &none, name, error)
                  : KY_USAGE;
}

enum ky_status ky_draw_options_text(int kind, const void *values, const char *name, char *text,
                                    size_t size, struct ky_error *error)
{
    KY_NEED(values, error);
    KY_NEED(name, error);
    KY_NEED(text, error);
    if (kind < KY_OPTIONS_DRAW)
        return ky_options_text(kind, values, name, text, size, error);
    const struct ky_option *option = ky_kind_find(&kinds, kind, values, name, error);
    return option ? ky_option_give_text(option, values, text, size, error) : KY_USAGE;
}
