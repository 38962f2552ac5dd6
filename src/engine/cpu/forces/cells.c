/* Common code of all walks in which cells act on cells: the inherited coefficients of a cell of
 * sinks, and times. */
#include <string.h>

#include "base/clock.h"
#include "engine/cpu/forces/cells.h"
#include "engine/cpu/tree/tree.h"
#include "physics/taylor.h"

void ky_cpu_inherit(const struct ky_fmm_sinks *from, struct ky_fmm_sinks *to, int order)
{
    double t[3], power[KY_TAYLOR_TERMS];
    memset(to->local, 0, sizeof *to->local * (size_t)KY_TAYLOR_COUNT(order));
    for (int c = 0; c < 3 && from; c++)
        t[c] = from->centre[c] - to->centre[c];
    switch (from ? order : 0) {
#define INHERIT(p, its)                                                                            \
    case its:                                                                                      \
        ky_taylor_powers(power, t, its);                                                           \
        ky_taylor_shift(to->local, from->local, power, its);                                       \
        break;
        KY_TAYLOR_ORDERS(INHERIT, )
    }
}

void ky_cpu_divide_walk(struct ky_cpu *cpu, double start, double cells, double groups)
{
    const double all = cells + groups, share = all > 0 ? (ky_clock() - start) / all : 0;
    cpu->report.cells += share * cells;
    cpu->report.groups += share * groups;
}
