/* The settings of src/few, for the integrator few and for ky_few_integrate. */
#ifndef KY_INTEGRATE_FEW_SYSTEMS_H
#define KY_INTEGRATE_FEW_SYSTEMS_H

#include "few/few.h"

/* The settings that follow from parameters; the others are 0. */
struct ky_few_settings ky_few_settings_of(const struct ky_parameters *parameters);

#endif
