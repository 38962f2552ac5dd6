/* The radius of groups: larger, and groups hold strangers; smaller, and the Hermite scheme follows
 * more binaries. The virial radius comes from the median distance of the bodies from their median
 * place, since hard binaries would rule the potential energy. */
#include "integrate/group_radius.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/order.h"

/* Of the mean distance of the bodies, if the virial radius is 1. */
static const double part = 0.1;
/* The virial radius of a Plummer sphere over the median distance. */
static const double virial_over_median = 1.3;

double ky_group_radius(const struct ky_bodies *bodies)
{
    size_t n = 0;
    double *x = ky_allocate(bodies->n, sizeof *x), centre[3], radius = 0;
    for (size_t i = 0; x && i < bodies->n; i++)
        n += bodies->mass[i] > 0;
    if (x && n > 0) {
        for (int c = 0; c < 3; c++) {
            size_t k = 0;
            for (size_t i = 0; i < bodies->n; i++)
                if (bodies->mass[i] > 0)
                    x[k++] = bodies->position[i][c];
            centre[c] = ky_select_median(x, n);
        }
        size_t k = 0;
        for (size_t i = 0; i < bodies->n; i++)
            if (bodies->mass[i] > 0) {
                const double *at = bodies->position[i];
                x[k++] = hypot(hypot(at[0] - centre[0], at[1] - centre[1]), at[2] - centre[2]);
            }
        radius = part * virial_over_median * ky_select_median(x, n) / cbrt((double)n);
    }
    free(x);
    return radius;
}
