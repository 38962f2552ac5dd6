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

const struct ky_option *ky_kind_find(const struct ky_options_rows *kinds, int kind,
                                     const void *values, const char *name, struct ky_error *error)
{
    struct ky_option_set sets[KY_KIND_SETS];
    const struct ky_options_row *row = row_of(kinds, kind);
    size_t size;
    if (!row) {
        ky_fail(error, KY_USAGE, "no struct of options has the kind %d", kind);
        return NULL;
    }
    memcpy(&size, values, sizeof size);
    if (size < sizeof size || size > row->bytes || size % sizeof size) {
        ky_fail(error, KY_USAGE, "a struct has size %zu, which is wrong: %s sets it", size,
                row->maker);
        return NULL;
    }
    return ky_option_by_name(sets, sets_of(row, sets), values, name, error);
}
