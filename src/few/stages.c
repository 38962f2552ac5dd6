/* The stages of a step of one system of few bodies. */
#include "few/few.h"

#define KY_FEW_LANES 1
#define KY_FEW_ROOM KY_FEW_MOST
#define KY_FEW_NAME(name) name##_one
#include "few/stages.h"

void ky_few_stages(struct ky_few_system_one *system, double h)
{
    step_one(system, &h);
}

void ky_few_set_clock(struct ky_few_system_one *system)
{
    set_clock_one(system);
}

double ky_few_rate(const struct ky_few_system_one *system)
{
    double kinetic = 0;
    for (int k = 0; k < system->shape.n - 1; k++)
        kinetic += 0.5 * system->weight[k][0] *
                   ky_few_square(system->v[k][0][0], system->v[k][1][0], system->v[k][2][0]);
    return 1 / (kinetic + system->b[0]);
}
