/* The options of engine and force: tables, defaults and checks. */
#ifndef KY_ENGINE_FORCE_OPTIONS_H
#define KY_ENGINE_FORCE_OPTIONS_H

#include "base/options.h"
#include "engine/engine.h"

/* The tables of the options of engine and force, bound to one struct. */
enum { KY_FORCE_SETS = 2 };
void ky_force_sets(struct ky_parameters *parameters, struct ky_option_set sets[KY_FORCE_SETS]);
/* Sets the fields of these tables to their defaults, the size to the size of the struct, and the
 * rest to 0. */
void ky_force_defaults(struct ky_parameters *parameters);
/* Copies `given` to `resolved`, fills the fields that depend on others (cell, opening, precision)
 * and checks these tables' ranges and choices: KY_USAGE. Both may be the same struct. If the
 * options name no force, KY_FORCE_AUTO and an error stay, and fields that depend on the force stay
 * unset. ky_force_choose and ky_force_settle, which know the bodies, must be called next. */
enum ky_status ky_force_resolve_later(const struct ky_parameters *given,
                                      struct ky_parameters *resolved, struct ky_error *error);
/* The same for engines that are opened whatever the bodies are: KY_FORCE_AUTO becomes KY_TREE, and
 * `error` NaN. */
enum ky_status ky_force_resolve(const struct ky_parameters *given, struct ky_parameters *resolved,
                                struct ky_error *error);
/* The same for general walks, which have no last accelerations. The opening is `offset` unless
 * `given` has an opening or alpha, since `relative` needs a first pass for the accelerations. */
enum ky_status ky_force_resolve_once(const struct ky_parameters *given,
                                     struct ky_parameters *resolved, struct ky_error *error);

#endif
