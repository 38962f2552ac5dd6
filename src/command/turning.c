/* Axes that turn about z. */
#include "command/turning.h"

#include "physics/external.h"

void turn_into(double speed, double time, double *x, double *v)
{
    struct ky_external_place at = {.x = x[0], .y = x[1]};
    if (v)
        at.vx = v[0], at.vy = v[1];
    at = ky_external_turn_in(at, speed * time, speed);
    x[0] = at.x, x[1] = at.y;
    if (v)
        v[0] = at.vx, v[1] = at.vy;
}
