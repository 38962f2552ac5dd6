/* External fields on the host: numbers in an engine's units, and what acts at a place. */
#ifndef KY_ENGINE_EXTERNAL_H
#define KY_ENGINE_EXTERNAL_H

#include "engine/engine.h"

/* The field with accelerations and lengths in these units of the caller's. Powers of two change no
 * digit. */
struct ky_external ky_external_in(const struct ky_external *field, double acceleration,
                                  double length);
/* What all fields do at a place that moves with velocity v; NULL: that rests. The jerk is the
 * change of the acceleration along v. */
struct ky_external_pull ky_externals_at(const struct ky_external *field, size_t count,
                                        const double x[3], const double v[3]);
/* These in place of those before: see ky_engine_set_fields. */
enum ky_status ky_externals_replace(struct ky_externals *own, const struct ky_external *fields,
                                    size_t count, struct ky_error *error);
/* Adds what they do at a place, in the caller's units; NULL is left out. */
void ky_externals_add(const struct ky_externals *own, const double x[3], double *acceleration,
                      double *potential);

#endif
