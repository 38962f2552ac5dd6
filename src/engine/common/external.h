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
extern const struct ky_external_number ky_external_numbers[KY_EXTERNAL_KIND_COUNT]
                                                          [KY_EXTERNAL_NUMBERS];

/* The fields of a text, "plummer:mass=1,scale=0.5 lambda:omega=0.7,h0=0.07": names of kinds with
 * blanks between, their numbers and the centre, x y z. `g` is the constant of gravity. A number may
 * have its own unit ("mass=1e12Msun") where `units`, the units of the others, have scales. KY_USAGE
 * for any other text, for a number that is missing, given twice or out of its range, and for too
 * many fields. */
enum ky_status ky_externals_read(const char *text, double g, const struct ky_units *units,
                                 struct ky_externals *own, struct ky_error *error);

/* Writes the same text with all numbers in `units`. KY_USAGE as above. A `size` of
 * KY_EXTERNALS_TEXT is enough for every text that can be read. */
enum { KY_EXTERNALS_TEXT = 8192 };
enum ky_status ky_externals_plain(const char *text, const struct ky_units *units, char *plain,
                                  size_t size, struct ky_error *error);

/* The field in units with these accelerations and lengths, which are in the caller's units. Units
 * that are powers of two change no digit. */
struct ky_external ky_external_in(const struct ky_external *field, double acceleration,
                                  double length);
/* The sum of all fields at a point that moves with velocity v (NULL: at rest). The jerk is the
 * change of the acceleration along v. */
struct ky_external_pull ky_externals_at(const struct ky_external *field, size_t count,
                                        const double x[3], const double v[3]);
/* The fields of the parameters: --field, and the caller's function. KY_USAGE as above. */
enum ky_status ky_externals_of(const struct ky_parameters *parameters, struct ky_externals *own,
                               struct ky_error *error);
/* Replaces the fields of `own`; fails as ky_engine_set_fields. */
enum ky_status ky_externals_replace(struct ky_externals *own, const struct ky_external *fields,
                                    size_t count, struct ky_error *error);
/* Adds the fields' acceleration and potential at a point, in the caller's units. Either result may
 * be NULL. */
void ky_externals_add(const struct ky_externals *own, const double x[3], double *acceleration,
                      double *potential);

#endif
