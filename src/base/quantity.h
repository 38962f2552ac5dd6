/* Numbers with units: the names of units, read from text and written as text. A calculation has the
 * scales of its struct ky_units; where these are 0 (N-body units) no number has a unit. */
#ifndef KY_BASE_QUANTITY_H
#define KY_BASE_QUANTITY_H

#include "base/status.h"

/* The powers of length, mass and time in a unit; in a static table only the numbers: {1, 0, -1}. */
struct ky_dimension {
    signed char length, mass, time;
};
#define KY_DIMENSION(length, mass, time)                                                           \
    ((struct ky_dimension){(signed char)(length), (signed char)(mass), (signed char)(time)})
#define KY_NO_UNIT KY_DIMENSION(0, 0, 0)
#define KY_LENGTH_UNIT KY_DIMENSION(1, 0, 0)
#define KY_MASS_UNIT KY_DIMENSION(0, 1, 0)
#define KY_TIME_UNIT KY_DIMENSION(0, 0, 1)
#define KY_VELOCITY_UNIT KY_DIMENSION(1, 0, -1)
#define KY_ENERGY_UNIT KY_DIMENSION(2, 1, -2)

/* Room for the name of a unit, "1e+10 Msun km²/s²", and for a number with it. */
enum { KY_UNIT_TEXT = 64, KY_QUANTITY_TEXT = 96 };
/* Room for the names of all units of a kind. */
enum { KY_UNIT_NAMES = 96 };

/* 1 in these units, in cgs; 0 where they have no scale. */
double ky_unit_cgs(const struct ky_units *units, struct ky_dimension dimension);

/* Writes to `name` the unit in which numbers of this dimension are shown where the largest is about
 * `largest` (in `units`; NaN: 1): AU to Mpc, s to Gyr, Msun, km/s, and products of these:
 * "Msun/pc²", "Msun km²/s²", in UTF-8. Returns the factor by which numbers in `units` are
 * multiplied to be in it. Without a scale, and without a dimension: "" and 1. */
double ky_unit_shown(const struct ky_units *units, struct ky_dimension dimension, double largest,
                     char name[KY_UNIT_TEXT]);

/* Writes the value of 1 in these units: "pc", "0.977792 Myr", "1e+10 Msun"; "" without a scale or a
 * dimension. Returns `text`. */
const char *ky_unit_text(const struct ky_units *units, struct ky_dimension dimension,
                         char text[KY_UNIT_TEXT]);

/* Writes a number in `units` with the unit that suits its size, "48.89 Myr", with `digits`
 * significant digits; without a scale only the number. Returns `text`. */
const char *ky_quantity_text(const struct ky_units *units, struct ky_dimension dimension,
                             double value, int digits, char text[KY_QUANTITY_TEXT]);

/* The powers of a name in the tables of options: "length", "1/time", "mass/length²", "kpc"; 0 for a
 * name of another kind ("s", "pixels"), whose *dimension is 0, 0, 0. */
int ky_dimension_of(const char *name, struct ky_dimension *dimension);

/* 1 if there is a number at the start of `text` and something other than a comma follows it: then
 * *unit is where that begins. */
int ky_has_unit(const char *text, const char **unit);

/* 1 if the text, up to its end or a comma, is the name of a unit of any kind. */
int ky_unit_is(const char *text);

/* Reads the name of a unit, up to the end of the text or a comma: names of the table, with powers,
 * joined by '/' and '*', "kpc", "km/s", "Msun/pc2", "1/Gyr". *cgs: its size. KY_USAGE for a text
 * that is not such a name, and for a dimension other than `dimension`; the error names
 * the units that are allowed, and begins with `where`. */
enum ky_status ky_unit_read(const char *text, struct ky_dimension dimension, const char *where,
                            double *cgs, struct ky_error *error);

/* The form of a number in a text: the units that it is to be in, and the beginning of errors. */
struct ky_quantity_form {
    const struct ky_units *units;
    struct ky_dimension dimension;
    const char *where;
};
/* Reads "50", "50Myr", "50 Myr" to *value in the units of the form. A number without unit is in
 * these already; *end (may be NULL) is where it ends, at a comma or the end. KY_USAGE for text that
 * is no number, as ky_unit_read, and for a unit where the units have no scale. */
enum ky_status ky_quantity_read(const char *text, const struct ky_quantity_form *form,
                                double *value, const char **end, struct ky_error *error);

/* Writes the names of the units of this dimension for an error or a help: "AU, pc, kpc, Mpc". */
const char *ky_unit_names(struct ky_dimension dimension, char text[KY_UNIT_NAMES]);

/* KY_BAD_DATA for snapshots in different units: one picture or curve of both has no scale. */
enum ky_status ky_units_together(const struct ky_units *one, const struct ky_units *other,
                                 struct ky_error *error);

#endif
