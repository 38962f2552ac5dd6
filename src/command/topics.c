/* The topics of `kyoho help`: units. */
#include "command/topics.h"

#include <string.h>

#include "base/options.h"
#include "base/units.h"

static void print_presets(FILE *out)
{
    static const struct {
        const char *name;
        struct ky_dimension dimension;
    } kinds[] = {
        {"length", {1, 0, 0}}, {"mass", {0, 1, 0}}, {"velocity", {1, 0, -1}}, {"time", {0, 0, 1}}};
    fputs("presets of --units, and the meaning of 1 in each:\n", out);
    for (size_t k = 0; ky_units_preset_name(k); k++) {
        struct ky_units units;
        char text[KY_UNIT_TEXT];
        const char *name = ky_units_preset_name(k);
        if (ky_units_preset(name, &units, NULL))
            continue;
        fprintf(out, "  %-9s", name);
        for (size_t d = 0; units.length_cm > 0 && d < sizeof kinds / sizeof *kinds; d++)
            fprintf(out, "%s%s %s", d ? ", " : "", kinds[d].name,
                    ky_unit_text(&units, kinds[d].dimension, text));
        fprintf(out, "%sG = %.7g\n", units.length_cm > 0 ? "; " : "no scale; ", units.g);
    }
}

static void print_names(FILE *out)
{
    static const char *const kinds[] = {"length", "mass", "time", "velocity", "1/time"};
    fputs("\nunits that a number may have:\n", out);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        char names[KY_UNIT_NAMES];
        struct ky_dimension dimension;
        ky_dimension_of(kinds[k], &dimension);
        fprintf(out, "  %-9s %s\n", kinds[k], ky_unit_names(dimension, names));
    }
}

static void print_units(FILE *out)
{
    ky_help_text(
        "A number of an option whose help ends in [length], [mass], [time] or [velocity] is in the "
        "units of the bodies. It may also have a unit of its own: --end 50Myr, --end '50 Myr', "
        "--radius 3pc, --softening 0.1kpc, --mass 1e5Msun, --at 1Myr,2Myr. The same is true in "
        "parameter files, in lists, and in the texts of --field and --expansion. With N-body "
        "units, which have no physical scale, numbers have no units. Text output has units if "
        "there is a scale; files and --json have numbers in the bodies' own units.\n",
        0, 0, out);
    print_presets(out);
    print_names(out);
    fputs("\n", out);
    ky_help_text(
        "Names are joined by / and *, with powers: Msun/pc2, km/s/Mpc, 1/Gyr. A year has 365.25 "
        "days; pc and Msun have the digits of GADGET's files, 3.085678e18 cm and 1.989e33 g. m, "
        "Rsun, g, kg, min, h and d are accepted too. With [s] a number may be in s, min, h or d: "
        "--max-wall 2h.\nA snapshot in HDF5 keeps its units; --units sets the units of a model, "
        "and of a file without units. `kyoho info FILE` prints them.",
        0, 0, out);
}

int topic_print(const char *name, FILE *out)
{
    static const struct {
        const char *name;
        void (*print)(FILE *out);
    } topics[] = {{"units", print_units}};
    for (size_t k = 0; k < sizeof topics / sizeof *topics; k++)
        if (!strcmp(name, topics[k].name)) {
            topics[k].print(out);
            return 1;
        }
    return 0;
}
