/* The table of softenings: the kinds, and the instances of the loops that each of them needs. The
 * formulas are in softening.h and gravity.h.
 *
 * A pair acts as if its squared distance were s² = r² + ε² (Plummer 1911; Aarseth 1963).
 * `plummer` takes the ε of the sink, `symmetric` ε² = ε_i² + ε_j² (Saitoh & Makino 2012), so that
 * the forces of two bodies on each other are equal and opposite. A cell has the mass-weighted mean
 * of its bodies' ε²; octree/softenings.c says when that is accurate enough.
 *
 * `spline` is the kernel of GADGET (Springel, Yoshida & White 2001): each body has the density of a
 * cubic spline of radius h = 2.8 ε, so that its potential at the centre is -m/ε as for a Plummer
 * sphere, and beyond h it is a point mass. A pair uses the larger ε. A cell acts as a point mass,
 * and is opened if one of its bodies may be nearer than h to a sink (KY_OPENING_REACH). */
#ifndef KY_PHYSICS_SOFTENING_KINDS_H
#define KY_PHYSICS_SOFTENING_KINDS_H

/* The softening of pairs in an inner loop: a sum of these bits, constant in every instance of the
 * loop. */
#define KY_GUARD 1 /* ε may be 0: pairs that coincide (KY_CLOSE2) exert no force on each other */
#define KY_GUARD_FIRST 4 /* the same for loops with few pairs, in fewer registers of a device */
#define KY_EPS_SUM 2     /* sources have their own ε², which is added to the sink's */
#define KY_EPS_LARGER 8  /* sources have their own ε², and the larger of the two is used */
#define KY_SPLINED 16    /* the spline; its pairs are always guarded */
#define KY_NEWTON 32     /* no softening */
#define KY_ROUGH 64      /* KY_RSQRT_ROUGH instead of KY_RSQRT; not with the spline */
/* The kinds that need the sources' own ε². */
#define KY_EPS_OF_BOTH (KY_EPS_SUM | KY_EPS_LARGER)

/* The softening of cells in a loop that softens bodies by `how`. */
#define KY_CELLS_HOW(how)                                                                          \
    (((how)&KY_SPLINED) ? ((how) & ~(KY_SPLINED | KY_EPS_LARGER)) | KY_NEWTON : (how))

/* h²/ε² of the spline is KY_SPLINE_REACH2/KY_SPLINE_REACH2_OVER. */
#define KY_SPLINE_REACH2 196
#define KY_SPLINE_REACH2_OVER 25

/* K(name, NAME, how, help): the kinds in the order of enum ky_softening_kind, with their words on
 * the command line. `how`: the bits for bodies that have their own softenings. */
#define KY_SOFTENING_KINDS(K)                                                                      \
    K(plummer, PLUMMER, 0, "r² + ε² with the ε of the body that feels the force")                  \
    K(symmetric, SYMMETRIC, KY_EPS_SUM, "r² + ε_i² + ε_j², so that equal ε act as √2 ε")           \
    K(spline, SPLINE, KY_GUARD | KY_SPLINED | KY_EPS_LARGER,                                       \
      "GADGET's spline of radius 2.8 ε, Newtonian beyond, with the larger ε of a pair")

/* I(a, b, name, NAME, how): the instances of a loop over pairs, from the cheapest on, with the
 * suffix of their names. `a` and `b` are passed on unchanged. The first table has the instances
 * with s² = r² + ε². The row of the spline is also used for sources without their own ε². */
#define KY_SOFTENED_AS_PLUMMER(I, a, b)                                                            \
    I(a, b, soft, SOFT, 0)                                                                         \
    I(a, b, guard, GUARD, KY_GUARD)                                                                \
    I(a, b, eps, EPS, KY_GUARD | KY_EPS_SUM)
#define KY_SOFTENED(I, a, b)                                                                       \
    KY_SOFTENED_AS_PLUMMER(I, a, b)                                                                \
    I(a, b, spline, SPLINE, KY_GUARD | KY_SPLINED | KY_EPS_LARGER)

#endif
