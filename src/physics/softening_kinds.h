/* The table of softenings: the kinds, and the instances of the loops that they need. The formulas
 * stand in softening.h and gravity.h.
 *
 * A pair acts as if its squared distance were s² = r² + ε² (Plummer 1911; Aarseth 1963). `plummer`
 * takes the ε of the sink, `symmetric` ε² = ε_i² + ε_j² (Saitoh & Makino 2012), so that the forces
 * of two bodies on each other are equal and opposite. A cell brings the mass-weighted mean of its
 * bodies' ε²; octree/softenings.c says when that will do. */
#ifndef KY_PHYSICS_SOFTENING_KINDS_H
#define KY_PHYSICS_SOFTENING_KINDS_H

/* How an inner loop softens its pairs: a sum of these, constant in every instance of the loop. */
#define KY_GUARD 1 /* ε may be 0: pairs that coincide (KY_CLOSE2) exert nothing on each other */
#define KY_GUARD_FIRST 4 /* the same for pairs that are few, in fewer registers of a device */
#define KY_EPS_SUM 2     /* sources have their own ε², which is added to that of the sink */
/* What of these needs the sources' own ε². */
#define KY_EPS_OF_BOTH KY_EPS_SUM

/* K(name, NAME, how, help): the kinds in the order of enum ky_softening_kind, with their words on
 * the command line. `how`: what the loops do where bodies have softenings of their own. */
#define KY_SOFTENING_KINDS(K)                                                                      \
    K(plummer, PLUMMER, 0, "r² + ε² with the ε of the body that feels the force")                  \
    K(symmetric, SYMMETRIC, KY_EPS_SUM, "r² + ε_i² + ε_j², so that equal ε act as √2 ε")

/* I(a, b, name, NAME, how): the instances of a loop over pairs, from the one that does least, with
 * the suffix of their names. `a` and `b` are the caller's own. */
#define KY_SOFTENED(I, a, b)                                                                       \
    I(a, b, soft, SOFT, 0)                                                                         \
    I(a, b, guard, GUARD, KY_GUARD)                                                                \
    I(a, b, eps, EPS, KY_GUARD | KY_EPS_SUM)

#endif
