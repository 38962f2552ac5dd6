/* The line that says which force was chosen for given bodies, with its options, and why. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/force_error.h"
#include "base/number.h"
#include "base/text.h"
#include "engine/common/force_kinds.h"
#include "engine/force_choice.h"
#include "engine/force_options.h"
#include "octree/opening_kinds.h"

/* Writes "--force fmm --order 4 --alpha 0.00213 --mutual": order and α if the force has them, and
 * other options that differ from the force's defaults. */
enum { SETTING = 144 };
static void write_setting(const struct ky_parameters *own, int with_alpha, char text[SETTING])
{
    static const char *const names[] = {"order", "alpha", "cell",  "multipole", "curve",
                                        "tree",  "leaf",  "group", "precision", "mutual"};
    enum { ALWAYS = 2 };
    char now[KY_NUMBER_TEXT], initial[KY_NUMBER_TEXT];
    struct ky_parameters usual;
    ky_force_defaults(&usual);
    usual.force = own->force;
    ky_force_resolve_later(&usual, &usual, NULL);
    struct ky_option_set sets[KY_FORCE_SETS];
    ky_force_sets(&usual, sets);
    size_t used = (size_t)snprintf(text, SETTING, "%s", ky_force_kind(own->force)->option);
    for (size_t k = 0; k < sizeof names / sizeof *names && used < SETTING; k++) {
        const struct ky_option *option = ky_options_find(sets, KY_FORCE_SETS, names[k], NULL);
        const int is_flag = option->type == KY_OPTION_FLAG,
                  is_idle = ky_parameters_ignore(own, names[k]) != NULL;
        ky_option_text(option, own, now, sizeof now);
        ky_option_text(option, &usual, initial, sizeof initial);
        if (!is_idle && (k < ALWAYS ? k == 0 || with_alpha : strcmp(now, initial) != 0))
            used += (size_t)snprintf(text + used, SETTING - used, " --%s%s%s", names[k],
                                     is_flag ? "" : " ", is_flag ? "" : now);
    }
}

/* The text has room for the times of three forces. */
enum { WHY = 112 };

/* Writes ", the fastest here: 5.7 ms, tree 10.6 ms". 0 if forces were not timed. */
static int write_times(const struct ky_race *race, int chosen, char text[WHY])
{
    size_t used = 0;
    for (int first = 1; first >= 0; first--)
        for (int k = 0; k < race->count; k++) {
            const double time = 1e3 * race->seconds[k];
            if ((race->force[k] == chosen) != first || !isfinite(time) || used >= WHY)
                continue;
            const char *word = ky_force_kind(race->force[k])->option + strlen("--force ");
            used += (size_t)ky_format(text + used, WHY - used,
                                      first ? ", the fastest here: %s%.3g ms" : ", %s %.3g ms",
                                      first ? "" : word, time);
        }
    return used > 0;
}

/* Why --force auto chose the method: ", the fastest below 5000 bodies". */
static void write_why(const struct ky_choice *choice, const struct ky_choice_reason *reason,
                      char text[WHY])
{
    const int in_box = reason->own->box > 0;
    const double asked = choice->asked,
                 below = ky_force_direct_below(asked, reason->on_cpu, in_box),
                 above = in_box ? 0 : ky_force_fastest_from(choice->force, asked, reason->on_cpu),
                 from = fmax(below, above);
    const size_t n = reason->n;
    const int is_exact = ky_force_kind(choice->force)->is_exact,
              is_alone = (double)n >= below || asked < ky_force_least(KY_FMM, KY_DOUBLE);
    if (write_times(&reason->race, choice->force, text))
        return;
    if (is_exact && is_alone)
        snprintf(text, WHY, ", the only one that keeps it");
    else if (!is_exact && (double)n < below)
        snprintf(text, WHY, ", which keeps it in this precision");
    else
        ky_format(text, WHY,
                  is_exact ? ", the fastest below %.0f bodies"
                           : ", the fastest from %.0f bodies on",
                  from);
}

void ky_choice_describe(struct ky_choice *choice, const struct ky_choice_reason *reason)
{
    char setting[SETTING], why[WHY], *const text = choice->text;
    const size_t room = sizeof choice->text, n = reason->n;
    const int is_asked = !isnan(choice->asked), is_measured = !isnan(choice->measured),
              is_guess = is_asked && !is_measured && !isnan(choice->alpha);
    write_setting(reason->own, !is_guess, setting);
    *why = '\0';
    if (reason->was_auto)
        write_why(choice, reason, why);
    if (is_measured)
        ky_format(text, room,
                  "%s for --error %g%s: 99 %% of %llu sampled accelerations within %.2g%s", setting,
                  choice->asked, why, (unsigned long long)choice->samples, choice->measured,
                  reason->own->box > 0 ? " of their rms" : "");
    else if (is_asked)
        ky_format(text, room, "%s for --error %g%s%s", setting, choice->asked, why,
                  is_guess ? "; alpha follows from the bodies" : "");
    else
        ky_format(text, room, "%s for %zu %s on this engine%s", setting, n,
                  ky_plural(n, "body", "bodies"), why);
}

void ky_choice_note(struct ky_choice *choice, const struct ky_parameters *own)
{
    const struct ky_force_kind *force = ky_force_kind(own->force);
    const int by_alpha = force->has_tree && ky_opening_kind(own->opening)->by_alpha;
    choice->force = own->force;
    choice->order = force->expands ? own->order : 0;
    choice->precision = own->precision;
    choice->alpha = by_alpha ? own->alpha : (double)NAN;
}
