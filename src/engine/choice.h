/* Which engine `auto` takes. */
#ifndef KY_ENGINE_CHOICE_H
#define KY_ENGINE_CHOICE_H

#include "engine/engine.h"

/* The number of bodies from which on a GPU takes less time than a CPU for a step with this force
 * (enum ky_force); infinite for a force that is not known. */
double ky_crossover(int force);

/* KY_UNSUPPORTED for an engine that cannot have the external fields of the parameters. */
enum ky_status ky_engine_takes_fields(const struct ky_engine_verbs *verbs,
                                      const struct ky_parameters *parameters,
                                      struct ky_error *error);

/* Opens one of the engines with room for `room` bodies. The last of them is the CPU; those before
 * it are devices, the fastest first. From the crossover of use->n on devices are tried first, below
 * it the CPU; one that does not open, or cannot do what `use` says, is passed over. The log says
 * which one it is, and why. If there is none: why the CPU is not, as it fails or KY_UNSUPPORTED. */
enum ky_status ky_engine_open_best(const struct ky_engine_verbs *const *engines, size_t count,
                                   const struct ky_parameters *parameters, size_t room,
                                   const struct ky_engine_use *use, struct ky_engine **engine,
                                   struct ky_error *error);

#endif
