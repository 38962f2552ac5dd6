/* Options of public structs that a caller names by their kind. */
#include <string.h>

#include "base/options.h"
#include "base/status.h"

/* The row of a kind, or NULL. */
static const struct ky_options_row *row_of(const struct ky_options_rows *kinds, int kind)
{
    for (size_t k = 0; k < kinds->count; k++)
        if (kinds->row[k].kind == kind)
            return &kinds->row[k];
    return NULL;
}

/* The tables of a row, bound to no struct; their number. */
static size_t sets_of(const struct ky_options_row *row, struct ky_option_set sets[KY_KIND_SETS])
{
    if (!row->options)
        return row->sets(sets);
    sets[0] = (struct ky_option_set){row->title, row->options, *row->count, NULL, NULL, NULL};
    return 1;
}

enum ky_status ky_kind_get(const struct ky_options_rows *kinds, int kind, size_t index,
                           struct ky_option_about *about)
{
    struct ky_option_set sets[KY_KIND_SETS];
    const struct ky_options_row *row = row_of(kinds, kind);
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
static enum ky_status find(const struct ky_options_rows *kinds, int kind, const void *values,
                           const char *name, const struct ky_option **option,
                           struct ky_error *error)
{
    struct ky_option_set sets[KY_KIND_SETS];
    const struct ky_options_row *row = row_of(kinds, kind);
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

enum ky_status ky_kind_set(const struct ky_options_rows *kinds, int kind, void *values,
                           const char *name, const char *value, const struct ky_units *units,
                           struct ky_error *error)
{
    const struct ky_units none = {0};
    const struct ky_option *option;
    KY_TRY(find(kinds, kind, values, name, &option, error));
    return ky_option_set_in(option, values, value, units ? units : &none, name, error);
}

enum ky_status ky_kind_text(const struct ky_options_rows *kinds, int kind, const void *values,
                            const char *name, char *text, size_t size, struct ky_error *error)
{
    const struct ky_option *option;
    KY_TRY(find(kinds, kind, values, name, &option, error));
    return ky_option_give_text(option, values, text, size, error);
}
