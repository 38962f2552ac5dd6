/* Second and third derivatives of accelerations, once at the start of the Hermite scheme: sums over
 * all pairs in double. The CPU engine calls this through struct ky_lanes, block after block of
 * sinks. */
#ifndef KY_CPU_CHANGE_TABLE_H
#define KY_CPU_CHANGE_TABLE_H

#include <stddef.h>

/* Sinks of one call; derivatives of a body; the derivatives and the two numbers of its rate
 * (physics/change.h). */
enum { KY_CHANGE_BLOCK = 64, KY_CHANGE_DERIVATIVES = 6, KY_CHANGE_SUMS = 8 };
/* The numbers of a body: position, velocity, acceleration, jerk, mass, ε². */
enum { KY_CHANGE_MASS = 12, KY_CHANGE_EPS2, KY_CHANGE_NUMBERS };

/* Bodies with lengths in the engine's unit. */
struct ky_changing {
    size_t n;
    const double (*body)[KY_CHANGE_NUMBERS];
    int how; /* softening of pairs: KY_EPS_SUM of physics/softening_kinds.h, or 0 */
};

/* Derivatives and rates of the bodies [first, first + count), which the caller sets; at most
 * KY_CHANGE_BLOCK. Pairs that coincide at ε = 0 add nothing. */
struct ky_change_sinks {
    size_t first, count;
    double sum[KY_CHANGE_SUMS][KY_CHANGE_BLOCK];
};

typedef void ky_change_function(const struct ky_changing *changing, struct ky_change_sinks *sinks);

#endif
