/* Order-independent sums over bodies: see sums_table.h. It is plain C that compilers vectorise. */
#include "engine/cpu/lanes/functions.h"

#include <math.h>
#include <string.h>

#include "physics/sum_terms.h"

/* Number of bodies whose terms are computed at a time; terms after the last body are 0. */
enum { BODIES = 64, LANES = 8 };

static void find_terms(const struct ky_summed *bodies, size_t first, size_t count,
                       double (*restrict term)[BODIES])
{
    for (size_t k = 0; k < KY_SUMS && count < BODIES; k++)
        memset(term[k], 0, sizeof term[k]);
    for (size_t j = 0; j < count; j++) {
        const size_t i = first + j;
        const double x[3] = {bodies->x[0][i], bodies->x[1][i], bodies->x[2][i]},
                     v[3] = {bodies->v[0][i], bodies->v[1][i], bodies->v[2][i]},
                     a[3] = {bodies->a[0][i], bodies->a[1][i], bodies->a[2][i]};
        double sum[KY_SUMS_KEPT] = {0};
        ky_sum_body(sum, bodies->mass[i], x, v, a, bodies->potential[i]);
        for (int k = 0; k < KY_SUMS_KEPT; k++)
            term[k][j] = sum[k];
    }
    if (bodies->external)
        memcpy(term[KY_SUM_EXTERNAL], bodies->external + first, count * sizeof(double));
    else
        memset(term[KY_SUM_EXTERNAL], 0, sizeof term[KY_SUM_EXTERNAL]);
}

void KY_LANE_NAME(ky_largest)(const struct ky_summed *bodies, size_t first, size_t end,
                              double largest[KY_SUMS])
{
    double term[KY_SUMS][BODIES], most[KY_SUMS][LANES] = {{0}}, all[KY_SUMS][LANES] = {{0}};
    for (; first < end; first += BODIES) {
        find_terms(bodies, first, end - first < BODIES ? end - first : BODIES, term);
        for (int k = 0; k < KY_SUMS; k++)
            for (int j = 0; j < BODIES; j += LANES)
                for (int lane = 0; lane < LANES; lane++) {
                    const double size = fabs(term[k][j + lane]);
                    most[k][lane] = size > most[k][lane] ? size : most[k][lane];
                    all[k][lane] += size; /* NaN stays NaN */
                }
    }
    for (int k = 0; k < KY_SUMS; k++) {
        largest[k] = 0;
        for (int lane = 0; lane < LANES; lane++)
            largest[k] = most[k][lane] > largest[k] ? most[k][lane] : largest[k];
        for (int lane = 0; lane < LANES; lane++)
            largest[k] = isnan(all[k][lane]) ? (double)NAN : largest[k];
    }
}

/* Rounds to the nearest multiple of the unit; `round` is 2⁵² × 1.5 units. */
static inline double whole(double x, double round)
{
    return (x + round) - round;
}

void KY_LANE_NAME(ky_sum)(const struct ky_summed *bodies, size_t first, size_t end,
                          const double scale[KY_SUMS], double sum[KY_SUMS][KY_SUM_PARTS])
{
    static const double round[KY_SUM_PARTS] = {
        0x1.8p52 / (1LL << KY_SUM_BITS), 0x1.8p52 / (1LL << KY_SUM_BITS) / (1LL << KY_SUM_BITS)};
    double term[KY_SUMS][BODIES], part[KY_SUM_PARTS][KY_SUMS][LANES] = {{{0}}};
    for (; first < end; first += BODIES) {
        find_terms(bodies, first, end - first < BODIES ? end - first : BODIES, term);
        for (int k = 0; k < KY_SUMS; k++)
            for (int j = 0; j < BODIES; j += LANES)
                for (int lane = 0; lane < LANES; lane++) {
                    const double scaled = term[k][j + lane] * scale[k],
                                 high = whole(scaled, round[0]);
                    part[0][k][lane] += high;
                    part[1][k][lane] += whole(scaled - high, round[1]);
                }
    }
    for (int k = 0; k < KY_SUMS; k++)
        for (int p = 0; p < KY_SUM_PARTS; p++) {
            sum[k][p] = 0;
            for (int lane = 0; lane < LANES; lane++)
                sum[k][p] += part[p][k][lane];
        }
}
