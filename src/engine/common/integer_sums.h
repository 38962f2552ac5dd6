/* Sums over bodies that do not depend on their order. Each sum has a unit that follows from its
 * largest term. Each term is rounded to an integer multiple of this unit, far below the rounding of
 * a sum in double, and integers have the same sum in any order. */
#ifndef KY_ENGINE_INTEGER_SUMS_H
#define KY_ENGINE_INTEGER_SUMS_H

#include "engine/engine.h"

/* A sum of integers, as ranks exchange it. */
__extension__ typedef __int128 ky_whole;

/* The largest size of a term of each sum so far, and of one more body or set of bodies. NaN stays.
 */
void ky_sums_keep_largest(double most[KY_SUMS], const double size[KY_SUMS]);
/* The exponent of a sum whose largest term has this size: |term| < 2^exponent. 0 if the size is not
 * finite, else 1. */
int ky_sum_exponent(double most, int *exponent);
/* The value of a sum of integers in units of 2^exponent. */
double ky_sum_value(ky_whole sum, int exponent);
/* Fills all of `sums`, in the caller's units; the virial is about the centre of mass of all bodies.
 */
void ky_sums_finish(const struct ky_raw_sums *raw, struct ky_sums *sums);

#endif
