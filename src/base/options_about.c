/* An option as programs are told of it. */
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
                                  .help = option->help};
    ky_option_unit(option->help, own.unit);
    ky_size_give(about, &own, sizeof own);
}
