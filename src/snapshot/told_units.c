/* Units that a file names in words, or with names that no reader knows: see snapshot.h. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "snapshot/snapshot.h"

int ky_speaks_of_units(const char *name)
{
    const size_t length = strlen(name);
    for (size_t k = 0; k + 4 <= length; k++) {
        const char *at = name + k, *end = at + 4 + (at[4] == 's');
        int starts = k == 0 || !isalpha((unsigned char)at[-1]) || *at == 'U';
        if (!strncasecmp(at, "unit", 4) && (starts || !*end))
            return 1;
    }
    return 0;
}

int ky_names_unit(const char *text)
{
    /* without "cm", which may also mean centre of mass */
    static const char *const units[] = {"pc", "kpc",  "Mpc",   "parsec", "AU",
                                        "km", "Msun", "M_sun", "Msol",   "msun"};
    while (*text) {
        size_t length = 0;
        while (isalpha((unsigned char)text[length]) || text[length] == '_')
            length++;
        for (size_t k = 0; k < sizeof units / sizeof *units; k++)
            if (strlen(units[k]) == length && !memcmp(text, units[k], length))
                return 1;
        text += length ? length : 1;
    }
    return 0;
}

enum ky_status ky_units_unknown(const struct ky_read_options *options, const char *what,
                                struct ky_error *error)
{
    if (!options->units && options->space != KY_SPACE_AS_STORED)
        return ky_fail(error, KY_BAD_DATA,
                       "names units that are not understood (%s); --units sets them", what);
    ky_read_log(
        options, KY_LOG_WARNING, "the file names units that are not understood (%s); %s", what,
        options->units ? "those of --units are taken" : "its numbers are shown without units");
    return KY_OK;
}
