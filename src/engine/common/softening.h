/* The flags and numbers by which the loops of every engine soften pairs, by kind of softening. The
 * kinds and the formulas are in physics/softening.h. */
#ifndef KY_ENGINE_SOFTENING_H
#define KY_ENGINE_SOFTENING_H

#include "physics/softening.h"

/* How the loops soften pairs, without KY_GUARD. `own`: bodies have softenings of their own. */
static inline int ky_pairs_how(int kind, int own)
{
    return own ? ky_softening_how(kind) : ky_softening_how(kind) & ~KY_EPS_OF_BOTH;
}

/* ε² of a sink with this softening: its own, or ε² of a pair if all bodies have the same
 * softening. */
static inline double ky_sink_eps2(int kind, int own, double softening)
{
    double eps2 = softening * softening;
    return own ? eps2 : ky_softening_eps2(eps2, eps2, ky_softening_how(kind));
}

/* The same for a point of softening `point`; `body` is the softening of bodies without their own.
 */
static inline double ky_point_eps2(int kind, int own, double point, double body)
{
    double eps2 = point * point;
    return own ? eps2 : ky_softening_eps2(eps2, body * body, ky_softening_how(kind));
}

/* KY_GUARD if pairs may coincide, else 0; `least` is the smallest ε² of a sink. */
static inline int ky_pairs_guard(double least)
{
    return least > (double)KY_CLOSE2 ? 0 : KY_GUARD;
}

#endif
