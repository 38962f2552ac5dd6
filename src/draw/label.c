/* Labels of times and lengths: round numbers in the unit that suits their size. */
#include "draw/draw.h"

#include <math.h>
#include <stdio.h>

#include "base/number.h"
#include "base/units.h"

struct unit {
    const char *name;
    double cgs;
};

static const struct unit times[] = {
    {"s", 1}, {"yr", 3.15576e7}, {"kyr", 3.15576e10}, {"Myr", 3.15576e13}, {"Gyr", 3.15576e16}};
static const struct unit lengths[] = {{"cm", 1},
                                      {"km", 1e5},
                                      {"AU", 1.495978707e13},
                                      {"pc", KY_KPC_CM / 1e3},
                                      {"kpc", KY_KPC_CM},
                                      {"Mpc", KY_KPC_CM * 1e3}};

/* The largest unit that the value is not smaller than. */
static const struct unit *suiting(const struct unit *units, size_t count, double cgs)
{
    size_t k = 0;
    while (k + 1 < count && fabs(cgs) >= 0.9999 * units[k + 1].cgs)
        k++;
    return &units[k];
}

void ky_time_label(const struct ky_snapshot *panel, double largest, char *text, size_t size)
{
    double length = panel->units.length_cm, velocity = panel->units.velocity_cm_s;
    if (!(length > 0 && velocity > 0)) {
        ky_format(text, size, "t = %.4g", panel->time);
        return;
    }
    double second = length / velocity;
    const struct unit *unit = suiting(times, sizeof times / sizeof *times, largest * second);
    ky_format(text, size, "t = %.4g %s", panel->time * second / unit->cgs, unit->name);
}

double ky_length_label(const struct ky_units *units, double wanted, char *text, size_t size)
{
    double scale = 1; /* caller's units per label unit */
    const char *name = "", *space = "";
    if (units->length_cm > 0) {
        const struct unit *unit =
            suiting(lengths, sizeof lengths / sizeof *lengths, wanted * units->length_cm);
        scale = unit->cgs / units->length_cm;
        name = unit->name, space = " ";
    }
    double value = wanted / scale, power = pow(10, floor(log10(value)));
    double digit = value / power;
    double round = (digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * power;
    ky_format(text, size, "%g%s%s", round, space, name);
    return round * scale;
}
