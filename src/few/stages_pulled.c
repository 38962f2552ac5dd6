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
    static const struct ky_few_shape left = {3, {{0, 1, 2}, {0, 2, 3}}},
                                     right = {3, {{1, 2, 3}, {0, 1, 3}}};
    if (system->shape.n == 3 && system->shape.node[0].begin == 0)
        step_of_one(system, &left, &h, others);
    else if (system->shape.n == 3)
        step_of_one(system, &right, &h, others);
    else
        step_of_one(system, &system->shape, &h, others);
}
