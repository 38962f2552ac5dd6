/* The stages of a step of one system of few bodies. */
#include "few/few.h"

#define KY_FEW_LANES 1
#define KY_FEW_ROOM KY_FEW_MOST
#define KY_FEW_NAME(name) name##_one
#include "few/stages.h"

void ky_few_stages(struct ky_few_system_one *system, double h)
{
    /* Constant trees of two and three bodies: the compiler unrolls their loops. */
    static const struct ky_few_shape pair = {2, {{0, 1, 2}}}, left = {3, {{0, 1, 2}, {0, 2, 3}}},
                                     right = {3, {{1, 2, 3}, {0, 1, 3}}};
    if (system->shape.n == 2)
        step_of_one(system, &pair, &h);
    else if (system->shape.n == 3 && system->shape.node[0].begin == 0)
        step_of_one(system, &left, &h);
    else if (system->shape.n == 3)
        step_of_one(system, &right, &h);
    else
        step_of_one(system, &system->shape, &h);
}

void ky_few_set_clock(struct ky_few_system_one *system)
{
    set_clock_one(system, &system->shape);
}

double ky_few_rate(const struct ky_few_system_one *system)
{
    double kinetic = 0;
    for (int k = 0; k < system->shape.n - 1; k++)
        kinetic += 0.5 * system->weight[k][0] *
                   ky_few_square(system->v[k][0][0], system->v[k][1][0], system->v[k][2][0]);
    return 1 / (kinetic + system->b[0]);
}
