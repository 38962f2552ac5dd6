/* Which method KY_FORCE_AUTO takes, and the first guess of its parameters for an error.
 * ky_force_settle (analysis/force_error.c) measures the error of the guess. */
#ifndef KY_ENGINE_FORCE_CHOICE_H
#define KY_ENGINE_FORCE_CHOICE_H

#include "engine/engine.h"

/* Chooses for n bodies on a CPU (on_cpu 1) or a device, with these schemes. `own` comes from
 * ky_force_resolve_later. Afterwards force, order, alpha, precision and the fields that depend on
 * them are filled, and `error` is NaN. KY_USAGE for an error that the given precision or force
 * cannot keep. */
enum ky_status ky_force_choose(struct ky_parameters *own, size_t n, int on_cpu,
                               struct ky_error *error);
/* The least number of bodies at which KY_FORCE_AUTO leaves the exact sum for this error (NaN: the
 * defaults). */
double ky_force_direct_below(double error, int on_cpu, int in_box);
/* The number of bodies from which on the force takes less time than the approximate ones above it
 * in the table of forces, for this error (NaN: the defaults). */
double ky_force_fastest_from(int force, double error, int on_cpu);
/* The forces of which one is the fastest: first the choice of ky_force_choose, then others that
 * take about the same time by the tables. Returns their number. It is 1 without KY_FORCE_AUTO or an
 * error, and for block and Hermite steps. */
int ky_force_rivals(const struct ky_parameters *own, size_t n, int on_cpu, unsigned schemes,
                    int rivals[KY_FORCE_AUTO]);
/* The least error that 99 % of the accelerations keep with this force and precision. */
double ky_force_least(int force, int precision);

/* Takes matrix units for an exact sum, where the device has them and the error and the number of
 * bodies allow it. `given`: the parameters of the caller. */
void ky_force_prefer_units(struct ky_parameters *own, const struct ky_parameters *given,
                           const struct ky_engine_use *use, int on_cpu);

#endif
