/* Unit presets: scales in cgs. G follows from G in cgs (CODATA 2018), with the digits that are
 * customary: 43009 for kpc, 1e10 Msun and km/s. */
#include "base/units.h"

#include "base/status.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *name;
    struct ky_units units;
} presets[] = {
    {"nbody", {0, 0, 0, 1}},
    {"galaxy", {KY_KPC_CM, 1e10 * KY_SUN_G, KY_KM_S, KY_GALAXY_G}},
    {"cluster", {KY_KPC_CM / 1e3, KY_SUN_G, KY_KM_S, KY_GALAXY_G / 1e7}},
    {"cosmic", {KY_KPC_CM * 1e3, 1e10 * KY_SUN_G, KY_KM_S, KY_GALAXY_G / 1e3}},
    {"planets", {KY_AU_CM, KY_SUN_G, KY_AU_CM / KY_YEAR_S, KY_PLANETS_G}},
};
enum { PRESETS = sizeof presets / sizeof *presets };

const char *ky_units_preset_name(size_t index)
{
    return index < PRESETS ? presets[index].name : NULL;
}

enum ky_status ky_units_preset(const char *name, struct ky_units *units, struct ky_error *error)
{
    KY_NEED(name, error);
    KY_NEED(units, error);
    for (size_t k = 0; k < PRESETS; k++)
        if (!strcmp(name, presets[k].name)) {
            *units = presets[k].units;
            return KY_OK;
        }
    return ky_fail(error, KY_USAGE,
                   "unknown units '%s'; nbody, galaxy, cluster, cosmic and planets are known",
                   name);
}

/* Whether two positive scales are equal up to rounding. */
static int same(double a, double b)
{
    return fabs(a - b) <= 1e-12 * b;
}

double ky_units_gravity(double length_cm, double mass_g, double velocity_cm_s)
{
    if (!(length_cm > 0 && mass_g > 0 && velocity_cm_s > 0))
        return 1;
    for (size_t k = 0; k < PRESETS; k++) {
        const struct ky_units *units = &presets[k].units;
        if (same(length_cm, units->length_cm) && same(mass_g, units->mass_g) &&
            same(velocity_cm_s, units->velocity_cm_s))
            return units->g;
    }
    double length = length_cm / KY_KPC_CM, mass = mass_g / (1e10 * KY_SUN_G),
           velocity = velocity_cm_s / KY_KM_S;
    return KY_GALAXY_G * mass / (length * velocity * velocity);
}

static int near(double a, double b)
{
    return fabs(a - b) <= 0.01 * fabs(b);
}

int ky_units_agree(const struct ky_units *a, const struct ky_units *b)
{
    return near(a->length_cm, b->length_cm) && near(a->mass_g, b->mass_g) &&
           near(a->velocity_cm_s, b->velocity_cm_s);
}

struct ky_units ky_units_stored(const struct ky_units *units, const struct ky_space *space)
{
    struct ky_units stored = *units;
    if (space->converted || !space->per_h || !(space->hubble > 0))
        return stored;
    stored.length_cm /= space->hubble;
    stored.mass_g /= space->hubble;
    if (space->comoving && space->scale_factor > 0)
        stored.velocity_cm_s *= sqrt(space->scale_factor);
    return stored;
}

enum ky_status ky_units_check(struct ky_units *units, struct ky_error *error)
{
    int scales = (units->length_cm > 0) + (units->mass_g > 0) + (units->velocity_cm_s > 0);
    double g = ky_units_gravity(units->length_cm, units->mass_g, units->velocity_cm_s);
    if (scales && scales < 3)
        return ky_fail(error, KY_USAGE,
                       "units of length %g cm, mass %g g, velocity %g cm/s; all three must be "
                       "positive, or 0 for N-body units",
                       units->length_cm, units->mass_g, units->velocity_cm_s);
    if (isnan(units->g))
        units->g = g;
    if (scales && !near(units->g, g))
        return ky_fail(error, KY_USAGE, "G = %g contradicts the units, in which it is %g", units->g,
                       g);
    return KY_OK;
}
