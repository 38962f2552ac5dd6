/* Which engine `auto` takes. */
#ifndef KY_ENGINE_CHOICE_H
#define KY_ENGINE_CHOICE_H

#include "engine/engine.h"

/* KY_UNSUPPORTED for an engine that does not support the external fields of the parameters, their
 * mutual interactions or their periodic box. */
enum ky_status ky_engine_takes(const struct ky_engine_verbs *verbs,
                               const struct ky_parameters *parameters, struct ky_error *error);

/* Opens one of the engines with room for `room` bodies. The last of them is the CPU; the engines
 * before it are devices, the fastest first. If use->n is at least the crossover, devices are tried
 * first, else the CPU. An engine that does not open, or does not support `use`, is skipped. The
 * engine and the reason are logged. If none opens: the error of the CPU, or KY_UNSUPPORTED if it
 * does not support `use`. */
enum ky_status ky_engine_open_best(const struct ky_engine_verbs *const *engines, size_t count,
                                   const struct ky_parameters *parameters, size_t room,
                                   const struct ky_engine_use *use, struct ky_engine **engine,
                                   struct ky_error *error);

#endif
