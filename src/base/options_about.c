/* The public description of an option, and the search by its name. */
#include <stddef.h>
#include <string.h>

#include "base/options.h"

void ky_option_unit(const char *help, char unit[16])
{
    const size_t length = strlen(help);
    const char *open = strrchr(help, '[');
    *unit = '\0';
    if (!open || help[length - 1] != ']' || (size_t)(help + length - open) > 16)
        return;
    memcpy(unit, open + 1, (size_t)(help + length - open) - 2);
    unit[help + length - open - 2] = '\0';
}

/* The bytes of the option's field. */
static size_t bytes_of(const struct ky_option *option)
{
    static const size_t bytes[] = {
        [KY_OPTION_FLAG] = sizeof(int),       [KY_OPTION_INTEGER] = sizeof(int),
        [KY_OPTION_COUNT] = sizeof(uint64_t), [KY_OPTION_REAL] = sizeof(double),
        [KY_OPTION_CHOICE] = sizeof(int),     [KY_OPTION_TEXT] = sizeof(const char *),
    };
    return bytes[option->type];
}

const struct ky_option *ky_option_by_name(const struct ky_option_set *sets, size_t count,
                                          const void *values, const char *name,
                                          struct ky_error *error)
{
    char guess[KY_OPTION_GUESS];
    size_t size;
    memcpy(&size, values, sizeof size);
    const struct ky_option *option = ky_options_find(sets, count, name, NULL);
    if (option && option->offset + bytes_of(option) <= size)
        return option;
    if (option) {
        ky_fail(error, KY_USAGE, "'%s' is not in the parameters of this program", name);
        return NULL;
    }
    ky_options_guess(&(struct ky_option_names){sets, count, NULL}, "", name, guess);
    ky_fail(error, KY_USAGE, "no parameter '%.80s'%s", name, guess);
    return NULL;
}

enum ky_status ky_option_give_text(const struct ky_option *option, const void *values, char *text,
                                   size_t size, struct ky_error *error)
{
    enum { LONGEST = 4096 };
    char whole[LONGEST];
    const char *const given =
        option->type == KY_OPTION_TEXT
            ? *(const char *const *)(const void *)((const char *)values + option->offset)
            : whole;
    if (given == whole)
        ky_option_text(option, values, whole, sizeof whole);
    const size_t length = given ? strlen(given) : 0;
    if (length >= size)
        return ky_fail(error, KY_USAGE,
                       "%s: its text has %zu bytes and a terminator, and there is space for %zu",
                       option->name, length, size);
    memcpy(text, given ? given : "", length + 1);
    return KY_OK;
}

void ky_option_describe(const char *section, const struct ky_option *option,
                        struct ky_option_about *about)
{
    static const int kinds[] = {
        [KY_OPTION_FLAG] = KY_IS_FLAG,     [KY_OPTION_INTEGER] = KY_IS_INTEGER,
        [KY_OPTION_COUNT] = KY_IS_INTEGER, [KY_OPTION_REAL] = KY_IS_REAL,
        [KY_OPTION_CHOICE] = KY_IS_CHOICE, [KY_OPTION_TEXT] = KY_IS_TEXT,
    };
    struct ky_option_about own = {.section = section,
                                  .name = option->name,
                                  .kind = kinds[option->type],
                                  .initial = option->initial,
                                  .low = option->low,
                                  .high = option->high,
                                  .choices = option->choices,
                                  .help = option->help,
                                  .value = option->value,
                                  .offset = option->offset,
                                  .bytes = bytes_of(option)};
    ky_option_unit(option->help, own.unit);
    ky_size_give_grown(about, &own, sizeof own, offsetof(struct ky_option_about, value));
}
