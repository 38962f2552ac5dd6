/* Fields of the public structs by name: the one place that knows the tables of all of them. */
#include "base/options.h"

#include <string.h>

#include "analysis/analysis.h"
#include "base/sizes.h"
#include "draw/draw.h"
#include "integrate/integrate.h"
#include "models/models.h"
#include "simulation/run.h"
#include "view/options.h"

enum { SETS = KY_PARAMETER_SETS };

/* A row of a kind whose options are one table. */
struct row {
    const char *title;
    const struct ky_option *options; /* NULL: those of struct ky_parameters, in several */
    const size_t *count;
    size_t bytes;      /* of the struct */
    const char *maker; /* fills it */
};

static const struct row rows[] = {
    [KY_OPTIONS_PARAMETERS] = {NULL, NULL, NULL, sizeof(struct ky_parameters),
                               "ky_parameters_defaults"},
    [KY_OPTIONS_RUN] = {"run", ky_run_options, &ky_run_option_count,
                        sizeof(struct ky_run_parameters), "ky_run_parameters_defaults"},
    [KY_OPTIONS_MODEL] = {"model", ky_model_options, &ky_model_option_count,
                          sizeof(struct ky_model_parameters), "ky_model_parameters_defaults"},
    [KY_OPTIONS_MERGE] = {"merge", ky_merge_options, &ky_merge_option_count,
                          sizeof(struct ky_merge_parameters), "ky_merge_parameters_defaults"},
    [KY_OPTIONS_GROUPS] = {"groups", ky_catalogue_options, &ky_catalogue_option_count,
                           sizeof(struct ky_catalogue_parameters),
                           "ky_catalogue_parameters_defaults"},
    [KY_OPTIONS_PROFILE] = {"profile", ky_profile_options, &ky_profile_option_count,
                            sizeof(struct ky_profile_parameters), "ky_profile_parameters_defaults"},
    [KY_OPTIONS_DRAW] = {"draw", ky_draw_options, &ky_draw_option_count,
                         sizeof(struct ky_draw_parameters), "ky_draw_parameters_defaults"},
    [KY_OPTIONS_FILM] = {"film", ky_film_options, &ky_film_option_count,
                         sizeof(struct ky_film_parameters), "ky_film_parameters_defaults"},
    [KY_OPTIONS_VIEW] = {"view", ky_view_options, &ky_view_option_count,
                         sizeof(struct ky_view_parameters), "ky_view_parameters_defaults"},
};

/* The row of a kind; NULL: there is none. */
static const struct row *row_of(int kind)
{
    return kind >= 0 && (size_t)kind < sizeof rows / sizeof *rows ? &rows[kind] : NULL;
}

/* The tables of a row, bound to no struct; their number. */
static size_t sets_of(const struct row *row, struct ky_option_set sets[SETS])
{
    if (!row->options) {
        ky_parameter_sets(NULL, sets);
        return SETS;
    }
    sets[0] = (struct ky_option_set){row->title, row->options, *row->count, NULL, NULL, NULL};
    return 1;
}

enum ky_status ky_options_get(int kind, size_t index, struct ky_option_about *about)
{
    struct ky_option_set sets[SETS];
    const struct row *row = row_of(kind);
    const size_t count = row ? sets_of(row, sets) : 0;
    for (size_t s = 0; s < count; s++)
        for (size_t k = 0; k < sets[s].count; k++) {
            const struct ky_option *option = &sets[s].options[k];
            if (!ky_options_is_first(sets, count, &sets[s], option) || index--)
                continue;
            ky_option_describe(sets[s].title, option, about);
            return KY_OK;
        }
    return KY_USAGE;
}

/* The option of that name in a caller's struct. */
static enum ky_status find(int kind, const void *values, const char *name,
                           const struct ky_option **option, struct ky_error *error)
{
    struct ky_option_set sets[SETS];
    const struct row *row = row_of(kind);
    size_t size;
    if (!row)
        return ky_fail(error, KY_USAGE, "no struct of options has the kind %d", kind);
    memcpy(&size, values, sizeof size);
    if (size < sizeof size || size > row->bytes || size % sizeof size)
        return ky_fail(error, KY_USAGE, "a struct has size %zu, which is wrong: %s sets it", size,
                       row->maker);
    const size_t count = sets_of(row, sets);
    return ky_option_by_name(sets, count, values, name, option, error);
}

enum ky_status ky_options_set(int kind, void *values, const char *name, const char *value,
                              const struct ky_units *units, struct ky_error *error)
{
    KY_NEED(values, error);
    KY_NEED(name, error);
    KY_NEED(value, error);
    const struct ky_units none = {0};
    const struct ky_option *option;
    enum ky_status status = find(kind, values, name, &option, error);
    return status ? status
                  : ky_option_set_in(option, values, value, units ? units : &none, name, error);
}

enum ky_status ky_options_text(int kind, const void *values, const char *name, char *text,
                               size_t size, struct ky_error *error)
{
    KY_NEED(values, error);
    KY_NEED(name, error);
    KY_NEED(text, error);
    const struct ky_option *option;
    enum ky_status status = find(kind, values, name, &option, error);
    return status ? status : ky_option_give_text(option, values, text, size, error);
}
