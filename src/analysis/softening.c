/* The softening of a calculation: the rule of ky_softening_choose. */
#include <math.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/number.h"
#include "base/options.h"
#include "base/quantity.h"
#include "base/status.h"
#include "engine/engine.h"
#include "engine/force_options.h"
#include "physics/softening.h"

/* Fails with KY_USAGE: no softening is known. The message recommends one, in the form of an option,
 * if the bodies have a size. */
static enum ky_status none_known(const struct ky_parameters *parameters,
                                 const struct ky_bodies *bodies, struct ky_error *error)
{
    struct ky_scales scales = {0};
    char value[160] = "", unit[KY_UNIT_TEXT];
    KY_TRY(ky_bodies_check(bodies, error));
    if (!ky_system_scales(bodies, parameters->g > 0 ? parameters->g : 1, (double)NAN, &scales,
                          NULL) &&
        scales.softening > 0) {
        const double factor =
            ky_unit_shown(&parameters->units, KY_LENGTH_UNIT, scales.softening, unit);
        ky_format(value, sizeof value, "%.3g%s is recommended for these bodies, ",
                  factor * scales.softening, unit);
    }
    return ky_fail(
        error, KY_USAGE,
        "the softening of these bodies is unknown; give --softening (%s0 is Newtonian gravity)",
        value);
}

enum ky_status ky_softening_need(const struct ky_parameters *parameters, struct ky_bodies *bodies,
                                 struct ky_error *error)
{
    if (isnan(parameters->softening))
        return bodies->softening || !bodies->n ? KY_OK : none_known(parameters, bodies, error);
    bodies->softening = NULL;
    return KY_OK;
}

double ky_softening_least(const struct ky_parameters *parameters, const struct ky_bodies *bodies)
{
    double least = parameters->softening;
    for (size_t i = 0; isnan(parameters->softening) && bodies->softening && i < bodies->n; i++)
        least = fmin(least, bodies->softening[i]);
    return least;
}

enum { RANGE = 2 * KY_QUANTITY_TEXT };
/* Writes "from 0.1 pc to 0.2 pc". */
static void say_range(const struct ky_snapshot *snapshot, char *text, size_t size)
{
    const struct ky_bodies *bodies = &snapshot->bodies;
    char low[KY_QUANTITY_TEXT], high[KY_QUANTITY_TEXT];
    double least = (double)INFINITY, most = 0;
    for (size_t i = 0; i < bodies->n; i++) {
        least = fmin(least, bodies->softening[i]);
        most = fmax(most, bodies->softening[i]);
    }
    ky_format(text, size, "from %s to %s",
              ky_quantity_text(&snapshot->units, KY_LENGTH_UNIT, least, 6, low),
              ky_quantity_text(&snapshot->units, KY_LENGTH_UNIT, most, 6, high));
}

/* Logs that the softening of an option replaces the one stored with the bodies. Differences in the
 * digits that TIPSY rounds are ignored. */
static void say_replaced(const struct ky_parameters *given, const struct ky_snapshot *snapshot,
                         char remark[KY_REMARK])
{
    const struct ky_units *units = &snapshot->units;
    char range[RANGE], length[KY_QUANTITY_TEXT], stored[KY_QUANTITY_TEXT];
    ky_quantity_text(units, KY_LENGTH_UNIT, given->softening, 6, length);
    if (snapshot->bodies.softening && snapshot->bodies.n) {
        say_range(snapshot, range, sizeof range);
        ky_format(remark, KY_REMARK, "softening %s replaces the bodies' own, %s", length, range);
    } else if (fabs(snapshot->softening - given->softening) > 1e-6 * given->softening) {
        ky_format(remark, KY_REMARK, "softening %s replaces %s, stored with the bodies", length,
                  ky_quantity_text(units, KY_LENGTH_UNIT, snapshot->softening, 6, stored));
    }
}

/* Logs the softening if no option chose it: the stored one, or the range of the bodies' own. */
static void say_chosen(const struct ky_parameters *chosen, const struct ky_snapshot *snapshot,
                       char remark[KY_REMARK])
{
    char range[RANGE], length[KY_QUANTITY_TEXT];
    if (!isnan(chosen->softening)) {
        ky_format(remark, KY_REMARK, "softening %s (%s), stored with the bodies",
                  ky_quantity_text(&snapshot->units, KY_LENGTH_UNIT, chosen->softening, 6, length),
                  ky_softening_name(chosen->softening_kind));
    } else if (snapshot->bodies.n) {
        say_range(snapshot, range, sizeof range);
        ky_format(remark, KY_REMARK, "softening of each body's own, %s (%s)", range,
                  ky_softening_name(chosen->softening_kind));
    }
}

/* Adds to the remark that an option changes the kind. */
static void say_kind(int given, int stored, char remark[KY_REMARK])
{
    size_t used = strlen(remark);
    if (given >= 0 && stored >= 0 && given != stored)
        ky_format(remark + used, KY_REMARK - used, "%ssoftening kind %s replaces %s",
                  used ? "; " : "", ky_softening_name(given), ky_softening_name(stored));
}

/* KY_USAGE for a number that is not a kind. */
static enum ky_status check_kind(int kind, const char *whose, struct ky_error *error)
{
    if (kind >= KY_SOFTENING_KIND_BY_SNAPSHOT && kind < KY_SOFTENING_KIND_COUNT)
        return KY_OK;
    return ky_fail(error, KY_USAGE,
                   "softening_kind of the %s is %d, not one of enum ky_softening_kind", whose,
                   kind);
}

enum ky_status ky_softening_choose(struct ky_parameters *parameters,
                                   const struct ky_snapshot *snapshot, char remark[KY_REMARK],
                                   struct ky_error *error)
{
    KY_NEED(parameters, error);
    KY_NEED(snapshot, error);
    struct ky_parameters given;
    struct ky_snapshot stored;
    char said[KY_REMARK] = "";
    ky_force_defaults(&given);
    ky_snapshot_clear(&stored);
    if (ky_size_adopt(&given, sizeof given, parameters, "ky_parameters_defaults", error) ||
        ky_size_adopt(&stored, sizeof stored, snapshot, "ky_snapshot_clear", error))
        return KY_USAGE;
    if (check_kind(given.softening_kind, "parameters", error) ||
        check_kind(stored.softening_kind, "snapshot", error))
        return KY_USAGE;
    given.units = stored.units;
    if (isnan(given.softening) && !stored.bodies.softening) {
        if (isnan(stored.softening))
            return none_known(&given, &stored.bodies, error);
        parameters->softening = stored.softening;
    }
    if (given.softening_kind < 0)
        parameters->softening_kind =
            stored.softening_kind >= 0 ? stored.softening_kind : KY_PLUMMER;
    if (isnan(given.softening))
        say_chosen(parameters, &stored, said);
    else
        say_replaced(&given, &stored, said);
    say_kind(given.softening_kind, stored.softening_kind, said);
    if (remark)
        memcpy(remark, said, KY_REMARK);
    return KY_OK;
}
