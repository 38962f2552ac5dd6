/* parameters.c - the options of `kyoho run` for engine, force and integrator, as parameters of
 * AMUSE.
 */
#include "code.h"
#include "worker.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Options that AMUSE knows by other names, or that it settles itself. */
static const struct {
    const char *name, *why;
} elsewhere[] = {
    {"softening", "it is the root of the parameter epsilon_squared"},
    {"step", "it is the parameter timestep"},
    {"g", "it is 1 in AMUSE's N-body units"},
    {"expansion", "AMUSE's time is not ln a"},
    {"stop-collision", "it is the stopping condition collision_detection"},
    {"stop-pair",
     "it is the stopping condition collision_detection, with radii of half its length"},
    {"stop-escape", "it is the stopping condition escaper_detection, at any distance"},
    {"stop-box", "it is the stopping condition out_of_box_detection"},
    {"body-radius", "particles have a radius"},
};

enum { MOST = 128 };
static struct ky_option_about offered[MOST];
static int offered_count;
static char *texts[MOST]; /* of parameters that are texts, which the library does not copy */
static struct ky_parameters parameters, defaults;
static double eps2 = 0.0025; /* [length²]; the square of a square root has other last digits */

static void say(void *context, enum ky_log_level level, const char *line)
{
    (void)context;
    (void)level;
    fprintf(stderr, "kyoho: %s\n", line);
}

static const char *why_elsewhere(const char *name)
{
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (!strcmp(elsewhere[i].name, name))
            return elsewhere[i].why;
    return NULL;
}

static void find_offered(void)
{
    struct ky_option_about about = {.size = sizeof about};
    for (size_t k = 0; offered_count < MOST && ky_option_get(k, &about) == KY_OK; k++)
        if (strcmp(about.section, "run") && !why_elsewhere(about.name))
            offered[offered_count++] = about;
}

static void set_defaults(void)
{
    ky_parameters_defaults(&defaults);
    defaults.step = 1. / 64;
    eps2 = 0.0025;
    defaults.softening = sqrt(eps2);
    defaults.log = say;
    parameters = defaults;
}

struct ky_parameters *code_parameters(void)
{
    if (!offered_count) {
        find_offered();
        set_defaults();
    }
    return &parameters;
}

void options_reset(void)
{
    code_parameters();
    set_defaults();
    for (int i = 0; i < offered_count; i++) {
        free(texts[i]);
        texts[i] = NULL;
    }
}

/* The place of the option in `offered`; -1, with code_error, for another name. */
static int place_of(const char *name)
{
    code_parameters();
    for (int i = 0; i < offered_count; i++)
        if (!strcmp(offered[i].name, name))
            return i;
    const char *why = why_elsewhere(name);
    if (why)
        code_refuse("%s is not set by its name: %s", name, why);
    else /* no field has that name: this names the nearest one */
        ky_parameters_set(&parameters, name, "", &code_error);
    return -1;
}

static void *field(struct ky_parameters *of, int place)
{
    return (char *)of + offered[place].offset;
}

int set_option(char *name, char *value)
{
    int place = place_of(name);
    if (place < 0)
        return REFUSED;
    struct ky_parameters changed = parameters;
    char *text = NULL;
    if (!*value)
        memcpy(field(&changed, place), field(&defaults, place), offered[place].bytes);
    else if (!(text = strdup(value)))
        return code_refuse("there is no memory for a text");
    else if (code_answer(ky_parameters_set(&changed, name, text, &code_error))) {
        free(text);
        return REFUSED;
    }
    parameters = changed;
    free(texts[place]); /* an open simulation has a copy */
    texts[place] = text;
    code.changed |= NEW_PARAMETERS;
    return DONE;
}

static char value_text[4096];

int get_option(char *name, char **value)
{
    value_text[0] = 0;
    *value = value_text;
    if (place_of(name) < 0)
        return REFUSED;
    return code_answer(
        ky_parameters_get(&parameters, name, value_text, sizeof value_text, &code_error));
}

int get_number_of_options(int *count)
{
    code_parameters();
    *count = offered_count;
    return DONE;
}

/* A text of the library's table, which nobody writes to; "" for none. */
static char *told(const char *text)
{
    static char nothing[] = "";
    char *there = NULL;
    memcpy(&there, &text, sizeof text);
    return text ? there : nothing;
}

int get_option_about(int index, char **name, int *kind, char **initial, char **choices, char **unit,
                     char **section, char **help)
{
    *name = *initial = *choices = *unit = *section = *help = told(NULL);
    *kind = -1;
    code_parameters();
    if (index < 0 || index >= offered_count)
        return code_refuse("there are %d options", offered_count);
    struct ky_option_about *about = &offered[index];
    *name = told(about->name);
    *kind = about->kind;
    *initial = told(about->initial);
    *choices = told(about->choices);
    *unit = about->unit;
    *section = told(about->section);
    *help = told(about->help);
    return DONE;
}

/* Whether the option has another value than its default. */
static int is_set(int place)
{
    char value[2][sizeof value_text];
    ky_parameters_get(&parameters, offered[place].name, value[0], sizeof *value, NULL);
    ky_parameters_get(&defaults, offered[place].name, value[1], sizeof *value, NULL);
    return strcmp(value[0], value[1]) != 0;
}

int options_settle(struct ky_parameters *settled)
{
    const char *given[MOST + 1];
    int count = 0;
    *settled = *code_parameters();
    for (int i = 0; i < offered_count; i++)
        if (is_set(i))
            given[count++] = offered[i].name;
    given[count] = NULL;
    if (code_answer(ky_parameters_choose_force(settled, given, &code_error)))
        return REFUSED;
    for (int i = 0; i < count; i++) {
        const char *because = ky_parameters_ignore(settled, given[i]);
        if (because)
            return code_refuse("%s has no effect with %s", given[i], because);
    }
    return DONE;
}

int get_eps2(double *value)
{
    code_parameters();
    *value = eps2;
    return DONE;
}

int set_eps2(double value)
{
    if (!(value >= 0 && isfinite(value)))
        return code_refuse("epsilon_squared is %g; it must be 0 or more", value);
    code_parameters()->softening = sqrt(value);
    if (value != eps2)
        code.changed |= NEW_PARAMETERS;
    eps2 = value;
    return DONE;
}

int get_time_step(double *step)
{
    *step = code_parameters()->step;
    return DONE;
}

int set_time_step(double step)
{
    if (!(step > 0 && isfinite(step)))
        return code_refuse("timestep is %g; it must be above 0", step);
    if (step != code_parameters()->step && code.sim &&
        code_answer(ky_sim_set_step(code.sim, step, &code_error)))
        return REFUSED;
    code_parameters()->step = step;
    return DONE;
}

int get_begin_time(double *time)
{
    *time = code.begin;
    return DONE;
}

int set_begin_time(double time)
{
    if (code.sim && time != code.begin)
        return code_refuse("begin_time is %g and can no longer change: the simulation is open",
                           code.begin);
    if (!isfinite(time))
        return code_refuse("begin_time must be a finite number");
    code.begin = time;
    return DONE;
}

int get_is_time_reversed_allowed(int *allowed)
{
    *allowed = code.reversible;
    return DONE;
}

int set_is_time_reversed_allowed(int allowed)
{
    code.reversible = allowed != 0;
    return DONE;
}
