/* External fields on the host: their numbers in an engine's units, and their pull at a place. */
#ifndef KY_ENGINE_EXTERNAL_H
#define KY_ENGINE_EXTERNAL_H

#include "engine/engine.h"

/* A number of a kind: the powers of acceleration and length in its unit, and how a user gives it
 * (physics/external.h). */
struct ky_external_number {
    int acceleration, length;
    const char *word; /* NULL: the kind has no more numbers */
    int how;          /* KY_GIVEN_… */
    int range;        /* enum ky_number_range */
    const char *initial, *help;
};
#define KY_EXTERNAL_NUMBER_ROW(name, accelerations, lengths, word, how, range, initial, help)      \
    {accelerations, lengths, word, KY_GIVEN_##how, KY_NUMBER_##range, initial, help},
extern const struct ky_external_number ky_external_numbers[KY_EXTERNAL_KIND_COUNT]
                                                          [KY_EXTERNAL_NUMBERS];

/* F(name, NAME, word, help): fields with a name of their own that are sums of the kinds above. */
#define KY_EXTERNAL_SUMS(F)                                                                        \
    F(exponential_disk, EXPONENTIAL_DISK, "exponential-disk",                                      \
      "density ∝ exp(−R/scale − |z|/height), by three miyamoto-nagai")                             \
    F(mw14, MW14, "mw14", "the Milky Way, MWPotential2014 of Bovy (2015)")                         \
    F(mcmillan17, MCMILLAN17, "mcmillan17", "the Milky Way of McMillan (2017), also by sums")
#define KY_NUMBERS_exponential_disk(N)                                                             \
    N(mass, 0, 0, "mass", MASS, NOT_NEGATIVE, NULL, "the total mass [mass]")                       \
    N(scale, 0, 1, "scale", PLAIN, POSITIVE, NULL, "the scale length [length]")                    \
    N(height, 0, 1, "height", PLAIN, POSITIVE, NULL, "the scale height [length]")
#define KY_NUMBERS_mw14(N)
#define KY_NUMBERS_mcmillan17(N)

/* The fields that one word stands for, with numbers as a user gives them: the constant of gravity
 * and the units of the bodies, and term[0 … count - 1]. */
enum { KY_MOST_TERMS = 24 };
struct ky_external_terms {
    double g;
    const struct ky_units *units;
    size_t count;
    struct ky_external term[KY_MOST_TERMS];
};
/* A sum of fields with a name of its own, and its parameters. `fill` appends its fields, about the
 * centre 0. KY_USAGE for numbers for which there is no such sum, and for units without the scales
 * that the sum needs. */
struct ky_external_sum {
    const char *word;
    struct ky_external_number number[KY_EXTERNAL_NUMBERS];
    enum ky_status (*fill)(const double *number, struct ky_external_terms *terms,
                           struct ky_error *error);
};
#define KY_EXTERNAL_SUM_ENUM(name, NAME, word, help) KY_EXTERNAL_SUM_##NAME,
enum { KY_EXTERNAL_SUMS(KY_EXTERNAL_SUM_ENUM) KY_EXTERNAL_SUM_COUNT };
extern const struct ky_external_sum ky_external_sums[KY_EXTERNAL_SUM_COUNT];

/* The fields of a text, "plummer:mass=1,scale=0.5 lambda:omega=0.7,h0=0.07": names of kinds or
 * sums, each with its numbers and its centre, x y z, separated by blanks. `g` is the constant of
 * gravity. A number may have its own unit ("mass=1e12Msun") if `units`, the units of the numbers
 * without one, have scales. Releases the old fields of *own; the caller releases the new ones.
 * KY_BAD_DATA for a table that cannot be used (external_table.h). KY_USAGE for any other text, for
 * a number that is missing, given twice or out of its range, for a sum that needs physical units if
 * there are none, and for too many fields. */
enum ky_status ky_externals_read(const char *text, double g, const struct ky_units *units,
                                 struct ky_externals *own, struct ky_error *error);

/* 1 if reading the text later and without units gives the same result: no number has a unit, no sum
 * needs physical units, and tables have the checksum of their content. */
int ky_externals_are_plain(const char *text);
/* Writes the same fields with all numbers in `units`, sums as their individual fields, and tables
 * with the checksum of their content. KY_USAGE as above. A `size` of KY_EXTERNALS_TEXT is enough
 * for every text that can be read. */
enum { KY_EXTERNAL_TEXT = 1024, KY_EXTERNALS_TEXT = KY_EXTERNAL_TEXT * KY_MOST_EXTERNALS };
enum ky_status ky_externals_plain(const char *text, double g, const struct ky_units *units,
                                  char *plain, size_t size, struct ky_error *error);

/* The field at a time [time], converted to units of acceleration and length that are given in the
 * caller's units. Units that are powers of two change no digit. Time keeps the caller's unit. */
struct ky_external ky_external_in(const struct ky_external *field, double acceleration,
                                  double length, double time);
/* 1 if a field changes in time, else 0. */
int ky_externals_change(const struct ky_externals *own);
/* The sum of all fields at a place that is not relative to their centres. The time of the place
 * counts from the time of the fields. */
struct ky_external_pull ky_externals_on(const struct ky_external *field, size_t count,
                                        struct ky_external_state place);
/* The same at the time of the fields, at a point that moves with velocity v (NULL: at rest). */
struct ky_external_pull ky_externals_at(const struct ky_external *field, size_t count,
                                        const double x[3], const double v[3]);
/* Returns 4π G ρ of a field at a time (ky_external_in), at a place as above [1/time²]; ρ follows
 * from Poisson's equation, and is negative for a field that pushes. *distance2: the square of the
 * distance from the field's centre. */
double ky_external_density(const struct ky_external *field, struct ky_external_state at,
                           double *distance2);
/* The fields of the parameters: --field, and the caller's function. KY_USAGE as above. */
enum ky_status ky_externals_of(const struct ky_parameters *parameters, struct ky_externals *own,
                               struct ky_error *error);
/* KY_USAGE unless the tables of these fields cover the times between the two; otherwise fails as
 * ky_externals_of. */
enum ky_status ky_externals_check_times(const struct ky_parameters *parameters, double from,
                                        double to, struct ky_error *error);
/* 1 if the parameters have a function of the caller, for one place or for many. */
static inline int ky_has_field_function(const struct ky_parameters *parameters)
{
    return parameters->field_function != NULL || parameters->field_places != NULL;
}
/* The number of fields without the function for many places, which is the last field. */
static inline size_t ky_externals_plain_count(const struct ky_externals *own)
{
    const struct ky_external *last = own->count > 0 ? &own->field[own->count - 1] : NULL;
    return own->count - (last && last->kind == KY_EXTERNAL_FUNCTION && last->places != NULL);
}
/* Calls the function for many places, which must exist, at the time of the fields, in the caller's
 * units. Velocities are NULL for places at rest. Results other than accelerations may be NULL. */
void ky_externals_ask(const struct ky_externals *own, size_t count, const double (*position)[3],
                      const double (*velocity)[3], double (*acceleration)[3], double (*jerk)[3],
                      double *potential);
/* Adds all fields at points, as ky_externals_add. KY_FAULT if memory runs out. */
enum ky_status ky_externals_add_at(const struct ky_externals *own, const struct ky_points *points,
                                   double (*acceleration)[3], double *potential,
                                   struct ky_error *error);
/* Converts a user's numbers of the field to the numbers that the table documents: masses times g,
 * squares, radians. */
void ky_external_finish(struct ky_external *field, double g);
/* KY_USAGE unless the tables of all fields cover the times between these two [time]. */
enum ky_status ky_externals_cover(const struct ky_externals *own, double from, double to,
                                  struct ky_error *error);
/* Frees the memory of the fields; there are none after it. */
void ky_externals_release(struct ky_externals *own);
/* Replaces the fields of `own`, and shares the paths of the new ones; fails as
 * ky_engine_set_fields. */
enum ky_status ky_externals_replace(struct ky_externals *own, const struct ky_external *fields,
                                    size_t count, struct ky_error *error);
/* Adds the tidal tensor of the fields at x, xx yy zz xy xz yz, in the caller's units. */
void ky_externals_add_tide(const struct ky_externals *own, const double x[3], double tide[6]);
/* The same of fields at their time (ky_external_in), in their units. */
void ky_externals_tide_at(const struct ky_external *field, size_t count, const double x[3],
                          double tide[6]);
/* Adds the fields' acceleration and potential at a point at the time of `own`, in the caller's
 * units. Either result may be NULL. */
void ky_externals_add(const struct ky_externals *own, const double x[3], double *acceleration,
                      double *potential);

#endif
