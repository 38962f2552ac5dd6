/* The table of unit names, and numbers with units as text. */
#include "base/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/status.h"
#include "base/units.h"

/* A unit. A number of `from` or more of it is shown in this unit rather than in a smaller one; 0:
 * the unit is read, and never shown. Units of one dimension are in rising order. */
struct unit {
    const char *name;
    struct ky_dimension dimension;
    double cgs, from;
};

#define YEAR KY_YEAR_S
static const struct unit table[] = {
    {"cm", {1, 0, 0}, 1, 1},
    {"m", {1, 0, 0}, 1e2, 0},
    {"km", {1, 0, 0}, 1e5, 1},
    {"Rsun", {1, 0, 0}, 6.957e10, 0},
    {"AU", {1, 0, 0}, KY_AU_CM, 0.01},
    {"au", {1, 0, 0}, KY_AU_CM, 0},
    {"pc", {1, 0, 0}, KY_KPC_CM / 1e3, 0.01},
    {"kpc", {1, 0, 0}, KY_KPC_CM, 0.9999},
    {"Mpc", {1, 0, 0}, KY_KPC_CM * 1e3, 0.9999},
    {"g", {0, 1, 0}, 1, 0},
    {"kg", {0, 1, 0}, 1e3, 0},
    {"Msun", {0, 1, 0}, KY_SUN_G, 1e-300},
    {"s", {0, 0, 1}, 1, 1},
    {"min", {0, 0, 1}, 60, 0},
    {"h", {0, 0, 1}, 3600, 0},
    {"d", {0, 0, 1}, 86400, 0},
    {"yr", {0, 0, 1}, YEAR, 0.5},
    {"kyr", {0, 0, 1}, 1e3 * YEAR, 0.9999},
    {"Myr", {0, 0, 1}, 1e6 * YEAR, 0.5},
    {"Gyr", {0, 0, 1}, 1e9 * YEAR, 0.5},
};
enum { COUNT = sizeof table / sizeof *table };

static int same(struct ky_dimension a, struct ky_dimension b)
{
    return a.length == b.length && a.mass == b.mass && a.time == b.time;
}

static int is_none(struct ky_dimension dimension)
{
    return same(dimension, KY_NO_UNIT);
}

double ky_unit_cgs(const struct ky_units *units, struct ky_dimension dimension)
{
    if (!(units->length_cm > 0 && units->mass_g > 0 && units->velocity_cm_s > 0))
        return 0;
    const double second = units->length_cm / units->velocity_cm_s;
    return pow(units->length_cm, dimension.length) * pow(units->mass_g, dimension.mass) *
           pow(second, dimension.time);
}

/* ---- units as text ---- */

/* The unit of the table in which a value of this size is shown; NULL where none has its
 * dimension. */
static const struct unit *suiting(struct ky_dimension dimension, double cgs)
{
    const struct unit *best = NULL;
    for (const struct unit *unit = table; unit < table + COUNT; unit++)
        if (same(unit->dimension, dimension) && unit->from > 0 &&
            (!best || fabs(cgs) >= unit->from * unit->cgs))
            best = unit;
    return best;
}

/* Adds a name with its power to a text: " km²". */
static void add(char name[KY_UNIT_TEXT], const char *between, const char *factor, int power)
{
    static const char *const marks[] = {"", "", "²", "³"};
    const size_t used = strlen(name);
    if (power == 0)
        return;
    if (power < 4)
        snprintf(name + used, KY_UNIT_TEXT - used, "%s%s%s", between, factor, marks[power]);
    else
        snprintf(name + used, KY_UNIT_TEXT - used, "%s%s^%d", between, factor, power);
}

/* A unit that is made of Msun, km/s and a length: its name, and its size in cgs. */
static double compose(const struct ky_units *units, struct ky_dimension dimension,
                      char name[KY_UNIT_TEXT])
{
    const struct unit *length = suiting(KY_LENGTH_UNIT, units->length_cm);
    const int m = dimension.mass, v = -dimension.time, l = dimension.length + dimension.time;
    *name = '\0';
    add(name, "", "Msun", m > 0 ? m : 0);
    add(name, *name ? " " : "", length->name, l > 0 ? l : 0);
    add(name, *name ? " " : "", "km", v > 0 ? v : 0);
    add(name, *name ? " " : "", "s", v < 0 ? -v : 0);
    if (!*name)
        snprintf(name, KY_UNIT_TEXT, "1");
    add(name, "/", "s", v > 0 ? v : 0);
    add(name, "/", "km", v < 0 ? -v : 0);
    add(name, "/", length->name, l < 0 ? -l : 0);
    add(name, "/", "Msun", m < 0 ? -m : 0);
    return pow(KY_SUN_G, m) * pow(KY_KM_S, v) * pow(length->cgs, l);
}

double ky_unit_shown(const struct ky_units *units, struct ky_dimension dimension, double largest,
                     char name[KY_UNIT_TEXT])
{
    const double one = ky_unit_cgs(units, dimension);
    *name = '\0';
    if (one == 0 || is_none(dimension))
        return 1;
    const struct unit *unit =
        suiting(dimension, isnan(largest) || largest == 0 ? one : largest * one);
    if (!unit)
        return one / compose(units, dimension, name);
    snprintf(name, KY_UNIT_TEXT, "%s", unit->name);
    return one / unit->cgs;
}

const char *ky_unit_text(const struct ky_units *units, struct ky_dimension dimension,
                         char text[KY_UNIT_TEXT])
{
    char name[KY_UNIT_TEXT];
    const double factor = ky_unit_shown(units, dimension, (double)NAN, name);
    if (fabs(factor - 1) < 1e-6)
        ky_format(text, KY_UNIT_TEXT, "%s", name);
    else
        ky_format(text, KY_UNIT_TEXT, "%.6g %.40s", factor, name);
    return text;
}

const char *ky_quantity_text(const struct ky_units *units, struct ky_dimension dimension,
                             double value, int digits, char text[KY_QUANTITY_TEXT])
{
    char name[KY_UNIT_TEXT];
    const double factor = ky_unit_shown(units, dimension, value, name);
    ky_format(text, KY_QUANTITY_TEXT, "%.*g%s%s", digits, value * factor, *name ? " " : "", name);
    return text;
}

const char *ky_unit_names(struct ky_dimension dimension, char text[KY_UNIT_NAMES])
{
    size_t used = 0;
    *text = '\0';
    for (const struct unit *unit = table; unit < table + COUNT; unit++)
        if (same(unit->dimension, dimension) && unit->from > 0)
            used += (size_t)snprintf(text + used, KY_UNIT_NAMES - used, "%s%s", used ? ", " : "",
                                     unit->name);
    if (same(dimension, KY_VELOCITY_UNIT))
        snprintf(text, KY_UNIT_NAMES, "km/s, pc/Myr, kpc/Gyr");
    else if (same(dimension, KY_DIMENSION(0, 0, -1)))
        snprintf(text, KY_UNIT_NAMES, "km/s/kpc, km/s/Mpc, 1/Myr");
    else if (same(dimension, KY_DIMENSION(0, 0, -2)))
        snprintf(text, KY_UNIT_NAMES, "km²/s²/kpc², 1/Myr²");
    else if (!used)
        compose(&(struct ky_units){.length_cm = KY_KPC_CM}, dimension, text);
    return text;
}

/* ---- units from text ---- */

int ky_dimension_of(const char *name, struct ky_dimension *dimension)
{
    static const struct {
        const char *name;
        struct ky_dimension dimension;
    } known[] = {
        {"length", {1, 0, 0}},  {"kpc", {1, 0, 0}},           {"mass", {0, 1, 0}},
        {"time", {0, 0, 1}},    {"velocity", {1, 0, -1}},     {"length³", {3, 0, 0}},
        {"1/time", {0, 0, -1}}, {"mass/length²", {-2, 1, 0}}, {"1/time²", {0, 0, -2}},
    };
    *dimension = KY_NO_UNIT;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (!strcmp(known[k].name, name)) {
            *dimension = known[k].dimension;
            return 1;
        }
    return 0;
}

int ky_has_unit(const char *text, const char **unit)
{
    char *end;
    ky_number_real(text, &end);
    *unit = end;
    return end != text && *end && *end != ',';
}

/* The power behind a name: "2", "^2", "²"; 1 without. */
static int read_power(const char **at)
{
    static const char *const marks[] = {"²", "³"};
    for (int k = 0; k < 2; k++)
        if (!strncmp(*at, marks[k], strlen(marks[k]))) {
            *at += strlen(marks[k]);
            return k + 2;
        }
    const char *digit = *at + (**at == '^');
    if (*digit < '1' || *digit > '4')
        return 1;
    *at = digit + 1;
    return *digit - '0';
}

/* A name at *at, with its power, into the product; 0 if there is none. */
static int read_factor(const char **at, int sign, struct ky_dimension *dimension, double *cgs)
{
    const size_t length = strspn(*at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
    for (const struct unit *unit = table; unit < table + COUNT; unit++)
        if (strlen(unit->name) == length && !memcmp(unit->name, *at, length)) {
            *at += length;
            const int power = sign * read_power(at);
            dimension->length = (signed char)(dimension->length + power * unit->dimension.length);
            dimension->mass = (signed char)(dimension->mass + power * unit->dimension.mass);
            dimension->time = (signed char)(dimension->time + power * unit->dimension.time);
            *cgs *= pow(unit->cgs, power);
            return 1;
        }
    return 0;
}

/* A whole name; 0 if it is not a name. */
static int read_name(const char *at, struct ky_dimension *dimension, double *cgs)
{
    int sign = 1, factors = 0;
    *dimension = KY_NO_UNIT, *cgs = 1;
    at += !strncmp(at, "1/", 2);
    if (*at == '/') /* "0.07/Gyr" */
        at++, sign = -1;
    for (;; factors++, at++) {
        if (factors == 8 || !read_factor(&at, sign, dimension, cgs))
            return 0;
        if (!*at || *at == ',')
            return 1;
        if (*at != '/' && *at != '*')
            return 0;
        sign = *at == '/' ? -1 : 1;
    }
}

int ky_unit_is(const char *text)
{
    struct ky_dimension found;
    double cgs;
    return read_name(text, &found, &cgs);
}

enum ky_status ky_unit_read(const char *text, struct ky_dimension dimension, const char *where,
                            double *cgs, struct ky_error *error)
{
    char names[KY_UNIT_NAMES];
    struct ky_dimension found;
    const int length = (int)strcspn(text, ",");
    ky_unit_names(dimension, names);
    if (!read_name(text, &found, cgs) && !is_none(dimension))
        return ky_fail(error, KY_USAGE, "%s: '%.*s' is not a unit here; it takes %s", where,
                       length < 40 ? length : 40, text, names);
    if (is_none(dimension))
        return ky_fail(error, KY_USAGE, "%s: %.*s: it takes a number without a unit", where,
                       length < 40 ? length : 40, text);
    if (!same(found, dimension))
        return ky_fail(error, KY_USAGE, "%s: %.*s is a unit of another kind; it takes %s", where,
                       length < 40 ? length : 40, text, names);
    return KY_OK;
}

/* Scales have few digits, so that the last ones of a quotient are noise: 1e5 Msun are 1e-5 of
 * 1e10 Msun. */
static double rounded(double value)
{
    char text[KY_NUMBER_TEXT];
    ky_format(text, sizeof text, "%.15g", value);
    return ky_number_real(text, NULL);
}

enum ky_status ky_quantity_read(const char *text, const struct ky_quantity_form *form,
                                double *value, const char **end, struct ky_error *error)
{
    const char *where = form->where;
    char *at;
    double cgs;
    *value = ky_number_real(text, &at);
    if (at == text || !isfinite(*value))
        return ky_fail(error, KY_USAGE, "%s: '%.40s' is not a number", where, text);
    at += strspn(at, " \t");
    if (*at && *at != ',') {
        const double one = ky_unit_cgs(form->units, form->dimension);
        KY_TRY(ky_unit_read(at, form->dimension, where, &cgs, error));
        if (one == 0)
            return ky_fail(error, KY_USAGE,
                           "%s: %.40s, but the bodies are in N-body units, which have no physical "
                           "scale; give --units galaxy, cluster, cosmic or planets, or a number "
                           "without a unit",
                           where, text);
        *value = rounded(*value * (cgs / one));
        at += strcspn(at, ",");
    }
    if (end)
        *end = at;
    return KY_OK;
}

enum ky_status ky_quantity(const char *text, const char *kind, const struct ky_units *units,
                           double *value, struct ky_error *error)
{
    struct ky_quantity_form form = {.units = units, .where = kind};
    const char *end;
    KY_NEED(text, error);
    KY_NEED(kind, error);
    KY_NEED(units, error);
    KY_NEED(value, error);
    if (!ky_dimension_of(kind, &form.dimension))
        return ky_fail(error, KY_USAGE,
                       "'%.40s' is no kind of unit; there are length, mass, time "
                       "and velocity",
                       kind);
    KY_TRY(ky_quantity_read(text, &form, value, &end, error));
    return *end ? ky_fail(error, KY_USAGE, "%s: '%.40s' is not one number", kind, text) : KY_OK;
}

enum ky_status ky_units_together(const struct ky_units *one, const struct ky_units *other,
                                 struct ky_error *error)
{
    static const struct ky_dimension kinds[] = {{1, 0, 0}, {0, 1, 0}, {1, 0, -1}};
    char names[2][KY_UNIT_TEXT] = {"", ""};
    if (ky_units_agree(one, other))
        return KY_OK;
    for (size_t k = 0; k < 3 && !strcmp(names[0], names[1]); k++) {
        ky_unit_text(one, kinds[k], names[0]);
        ky_unit_text(other, kinds[k], names[1]);
    }
    return ky_fail(error, KY_BAD_DATA,
                   "the snapshots are in different units, %s and %s, without a common scale; draw "
                   "them separately",
                   *names[0] ? names[0] : "N-body units", *names[1] ? names[1] : "N-body units");
}
