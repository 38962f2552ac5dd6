/* The tables of options for programs: what there is, and fields set by name. */
#include <string.h>

#include "base/options.h"
#include "simulation/run.h"

enum { SETS = KY_PARAMETER_SETS + 1 };

static void all_sets(struct ky_parameters *parameters, struct ky_run_parameters *run,
                     struct ky_option_set sets[SETS])
{
    ky_parameter_sets(parameters, sets);
    sets[SETS - 1] = (struct ky_option_set){"run", ky_run_options, ky_run_option_count, run, NULL};
}

/* The unit stands in brackets at the end of the help. */
static void unit_of(const char *help, char unit[16])
{
    const size_t length = strlen(help);
    const char *open = strrchr(help, '[');
    *unit = '\0';
    if (!open || help[length - 1] != ']' || (size_t)(help + length - open) > 16)
        return;
    memcpy(unit, open + 1, (size_t)(help + length - open) - 2);
    unit[help + length - open - 2] = '\0';
}

enum ky_status ky_option_get(size_t index, struct ky_option_about *about)
{
    static const int kinds[] = {
        [KY_OPTION_FLAG] = KY_IS_FLAG,     [KY_OPTION_INTEGER] = KY_IS_INTEGER,
        [KY_OPTION_COUNT] = KY_IS_INTEGER, [KY_OPTION_REAL] = KY_IS_REAL,
        [KY_OPTION_CHOICE] = KY_IS_CHOICE, [KY_OPTION_TEXT] = KY_IS_TEXT,
    };
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    struct ky_option_set sets[SETS];
    all_sets(&parameters, &run, sets);
    for (int s = 0; s < SETS; index -= sets[s++].count) {
        if (index >= sets[s].count)
            continue;
        const struct ky_option *option = &sets[s].options[index];
        struct ky_option_about own = {0,
                                      sets[s].title,
                                      option->name,
                                      kinds[option->type],
                                      option->initial,
                                      option->low,
                                      option->high,
                                      option->choices,
                                      "",
                                      option->help};
        unit_of(option->help, own.unit);
        ky_size_give(about, &own, sizeof own);
        return KY_OK;
    }
    return KY_USAGE;
}

enum ky_status ky_parameters_set(struct ky_parameters *parameters, const char *name,
                                 const char *value, struct ky_error *error)
{
    struct ky_option_set sets[KY_PARAMETER_SETS];
    ky_parameter_sets(parameters, sets);
    const struct ky_option *option = ky_options_find(sets, KY_PARAMETER_SETS, name, NULL);
    const char *near = ky_options_nearest(sets, KY_PARAMETER_SETS, NULL, name);
    if (option && option->offset + sizeof(double) > parameters->size)
        return ky_fail(error, KY_USAGE, "'%s' is not in the parameters of this program", name);
    if (option)
        return ky_option_set_text(option, parameters, value, name, error);
    return ky_fail(error, KY_USAGE, "no parameter '%.80s'%s%s", name, near ? "; did you mean " : "",
                   near ? near : "");
}
