/* Unit presets: scales in cgs. G of a preset follows from G in cgs (CODATA 2018) but keeps the
 * customary digits. */
#include "base/units.h"

#include "base/status.h"

#include <string.h>

enum ky_status ky_units_preset(const char *name, struct ky_units *units, struct ky_error *error)
{
    static const struct {
        const char *name;
        struct ky_units units;
    } presets[] = {
        {"nbody", {0, 0, 0, 1}},
        {"galaxy",
         {3.085678e21, 1.989e43, 1e5,
          43009.0}}, /* kpc, 1e10 Msun, km/s: G in kpc (km/s)²/1e10 Msun */
        {"cluster", {3.085678e18, 1.989e33, 1e5, 0.0043009}}, /* pc, Msun, km/s */
    };
    for (size_t k = 0; k < sizeof presets / sizeof *presets; k++)
        if (!strcmp(name, presets[k].name)) {
            *units = presets[k].units;
            return KY_OK;
        }
    return ky_fail(error, KY_USAGE, "unknown units '%s'; nbody, galaxy and cluster are known",
                   name);
}

double ky_units_gravity(double length_cm, double mass_g, double velocity_cm_s)
{
    if (!(length_cm > 0 && mass_g > 0 && velocity_cm_s > 0))
        return 1;
    double length = length_cm / 3.085678e21, mass = mass_g / 1.989e43,
           velocity = velocity_cm_s / 1e5;
    return 43009.0 * mass / (length * velocity * velocity);
}
