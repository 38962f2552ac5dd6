/* The stages of a step of one system of few bodies with the pulls of bodies outside it. */
#include "few/few.h"

#define KY_FEW_LANES 1
#define KY_FEW_ROOM KY_FEW_MOST
#define KY_FEW_OTHERS
#define KY_FEW_NAME(name) name##_one
#include "few/stages.h"

void ky_few_stages_pulled(struct ky_few_system_one *system, double h,
                          const struct ky_few_others *others)
{
    step_one(system, &h, others);
}
