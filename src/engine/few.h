/* Steps of many systems of few bodies (src/few), by the lanes of the CPU. They need no engine,
 * since the systems do not act on each other. */
#ifndef KY_ENGINE_FEW_H
#define KY_ENGINE_FEW_H

#include "base/status.h"

struct ky_few_batch;
typedef void ky_few_function(struct ky_few_batch *batch);

/* The function of the instruction set parameters->isa. KY_UNSUPPORTED if it is not here. */
enum ky_status ky_cpu_few(const struct ky_parameters *parameters, ky_few_function **steps,
                          struct ky_error *error);

#endif
