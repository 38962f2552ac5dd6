/* Values of options with units: 50Myr, 3pc. The unit in brackets at the end of an option's help
 * gives the kind of unit that it takes. The units of the bodies may be known only when a file has
 * been read; until then such a value waits as text. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/options.h"
#include "base/status.h"
#include "base/units.h"

/* The units of an option's numbers. */
enum kind { PLAIN, SECONDS, MEGAPARSECS, SCALED };

static enum kind kind_of(const struct ky_option *option, struct ky_dimension *dimension)
{
    char unit[sizeof((struct ky_option_about *)0)->unit];
    *dimension = KY_TIME_UNIT;
    if (option->type != KY_OPTION_REAL && option->type != KY_OPTION_TEXT)
        return PLAIN;
    ky_option_unit(option->help, unit);
    if (!strcmp(unit, "s"))
        return SECONDS;
    if (!strcmp(unit, "Mpc")) {
        *dimension = KY_LENGTH_UNIT;
        return MEGAPARSECS;
    }
    return ky_dimension_of(unit, dimension) ? SCALED : PLAIN;
}

/* Whether a number in the text, or in the list with commas, has a unit. */
static int has_unit(const char *text)
{
    const char *unit;
    for (; text; text = strchr(text, ',') ? strchr(text, ',') + 1 : NULL)
        if (ky_has_unit(text, &unit))
            return 1;
    return 0;
}

/* Sets a real from a value with a unit. */
static enum ky_status set_real(const struct ky_option *option, void *values, const char *text,
                               const struct ky_quantity_form *form, struct ky_error *error)
{
    char number[KY_NUMBER_TEXT];
    const char *end, *where = form->where;
    double value;
    KY_TRY(ky_quantity_read(text, form, &value, &end, error));
    if (*end)
        return ky_fail(error, KY_USAGE, "%s: '%s' is not a number", where, text);
    enum ky_status status =
        ky_option_set_text(option, values, ky_number_text(number, value), where, error);
    return status ? ky_fail_in(error, status, "%s is %s in the units of the bodies: ", text, number)
                  : KY_OK;
}

enum ky_status ky_option_set_in(const struct ky_option *option, void *values, const char *text,
                                const struct ky_units *units, const char *where,
                                struct ky_error *error)
{
    const struct ky_units fixed[] = {[SECONDS] = {1, 1, 1, 1}, /* and a centimetre */
                                     [MEGAPARSECS] = {1e3 * KY_KPC_CM, 1, 1, 1}};
    struct ky_quantity_form form = {.units = units, .where = where};
    const char *unit;
    double cgs;
    const enum kind kind = kind_of(option, &form.dimension);
    if (option->type != KY_OPTION_REAL || !has_unit(text))
        return ky_option_set_text(option, values, text, where, error);
    if (kind != PLAIN && kind != SCALED)
        form.units = &fixed[kind];
    if (kind != PLAIN)
        return set_real(option, values, text, &form, error);
    const int is_unit = ky_has_unit(text, &unit) && ky_unit_is(unit);
    return is_unit ? ky_unit_read(unit, KY_NO_UNIT, where, &cgs, error)
                   : ky_option_set_text(option, values, text, where, error);
}

/* Refuses a list in which a number or its unit is wrong. */
static enum ky_status check_list(const char *text, struct ky_dimension dimension, const char *where,
                                 struct ky_error *error)
{
    const struct ky_units any = {1, 1, 1, 1};
    const struct ky_quantity_form form = {&any, dimension, where};
    double value;
    for (const char *at = text; at; at = *at ? at + 1 : NULL)
        KY_TRY(ky_quantity_read(at, &form, &value, &at, error));
    return KY_OK;
}

enum ky_status ky_option_take(const struct ky_option_set *set, const struct ky_option *option,
                              const char *text, const char *where, struct ky_error *error)
{
    struct ky_dimension dimension;
    const enum kind kind = kind_of(option, &dimension);
    const char **waiting = set->waiting ? &set->waiting[option - set->options] : NULL;
    if (waiting)
        *waiting = NULL;
    if (!waiting || kind != SCALED || !has_unit(text))
        return ky_option_set_in(option, set->values, text, &(struct ky_units){0}, where, error);
    KY_TRY(check_list(text, dimension, where, error));
    if (option->type == KY_OPTION_REAL && strchr(text, ','))
        return ky_fail(error, KY_USAGE, "%s: '%s' is not a number", where, text);
    *waiting = text;
    if (option->type == KY_OPTION_TEXT)
        return ky_option_set_text(option, set->values, text, where, error);
    *(double *)((char *)set->values + option->offset) = ky_number_real(text, NULL);
    return KY_OK;
}

enum ky_status ky_option_check_next(const struct ky_option *option, const char *value,
                                    const char *next, const char *where, struct ky_error *error)
{
    char names[KY_UNIT_NAMES];
    struct ky_dimension dimension;
    double cgs;
    if (kind_of(option, &dimension) == PLAIN || has_unit(value) ||
        ky_unit_read(next, dimension, where, &cgs, NULL))
        return KY_OK;
    return ky_fail(error, KY_USAGE,
                   "%s: there is a blank between %.40s and its unit; write them together, "
                   "%.40s%.40s. It takes %s",
                   where, value, value, next, ky_unit_names(dimension, names));
}

/* The list with its numbers in the units of the form, which *storage owns. */
static enum ky_status settle_list(const char *text, const struct ky_quantity_form *form,
                                  struct ky_option_storage **storage, const char **settled,
                                  struct ky_error *error)
{
    size_t room = strlen(text) * KY_NUMBER_TEXT + 1, used = 0;
    char *list = ky_options_store(storage, room);
    if (!list)
        return ky_no_memory(error, "list", room, 1);
    for (const char *at = text; at; at = *at ? at + 1 : NULL) {
        double value;
        char number[KY_NUMBER_TEXT];
        KY_TRY(ky_quantity_read(at, form, &value, &at, error));
        used += (size_t)ky_format(list + used, room - used, "%s%s", used ? "," : "",
                                  ky_number_text(number, value));
    }
    *settled = list;
    return KY_OK;
}

/* Settles option k of a set, if its value waits and was not taken back. */
static enum ky_status settle(const struct ky_option_set *set, size_t k,
                             const struct ky_units *units, struct ky_option_storage **storage,
                             struct ky_error *error)
{
    const struct ky_option *option = &set->options[k];
    const char *text = set->waiting[k], *list = NULL;
    char where[80];
    struct ky_quantity_form form = {.units = units, .where = where};
    set->waiting[k] = NULL;
    if (!text || !ky_option_is_set(option, set->values))
        return KY_OK;
    kind_of(option, &form.dimension);
    ky_format(where, sizeof where, "--%s", option->name);
    if (option->type == KY_OPTION_REAL)
        return set_real(option, set->values, text, &form, error);
    KY_TRY(settle_list(text, &form, storage, &list, error));
    return ky_option_set_text(option, set->values, list, where, error);
}

enum ky_status ky_options_settle(const struct ky_option_set *sets, size_t count,
                                 const struct ky_units *units, struct ky_option_storage **storage,
                                 struct ky_error *error)
{
    for (size_t s = 0; s < count; s++)
        for (size_t k = 0; k < sets[s].count && sets[s].waiting; k++)
            KY_TRY(settle(&sets[s], k, units, storage, error));
    return KY_OK;
}
