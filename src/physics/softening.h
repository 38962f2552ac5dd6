/* The softening of a pair, for the formulas of gravity.h and the code that prepares their input. */
#ifndef KY_PHYSICS_SOFTENING_H
#define KY_PHYSICS_SOFTENING_H

#include "physics/dialect.h"
#include "physics/softening_kinds.h"

/* A pair for the formulas of gravity.h: its ε², s², and y = KY_RSQRT(s²), or 0 if the source exerts
 * no force on the sink. s² is r² + ε²; with KY_SPLINED it is r² (at least KY_CLOSE2). `how` is
 * constant in every loop. */
struct ky_softened {
    KY_REAL eps2, s2, y;
    int how;
};

KY_FN KY_REAL ky_distance2(KY_REAL dx, KY_REAL dy, KY_REAL dz, KY_REAL eps2)
{
    return KY_FMA(dz, dz, KY_FMA(dy, dy, KY_FMA(dx, dx, eps2)));
}

/* ε² of a pair. */
KY_FN KY_REAL ky_softening_eps2(KY_REAL sink, KY_REAL source, const int how)
{
    if (how & KY_NEWTON)
        return KY_SPLAT(0);
    if (how & KY_EPS_LARGER)
        return KY_LARGER(sink, source);
    return (how & KY_EPS_SUM) ? sink + source : sink;
}

/* The pair if r² is known. */
KY_FN struct ky_softened ky_splined_of(KY_REAL eps2, KY_REAL r2)
{
    struct ky_softened s;
    s.how = KY_SPLINED;
    s.eps2 = eps2;
    s.s2 = KY_LARGER(r2, KY_SPLAT(KY_CLOSE2));
    s.y = KY_RSQRT(s.s2);
    s.y = KY_WHERE_ABOVE(s.y, KY_LARGER(r2, eps2), KY_CLOSE2);
    return s;
}

/* The pair if both s² and r² + ε² are known. */
KY_FN struct ky_softened ky_softened_of(KY_REAL eps2, KY_REAL s2, const int how)
{
    struct ky_softened s;
    s.how = how;
    s.eps2 = eps2;
    s.s2 = s2;
    if (how & KY_GUARD_FIRST) {
        s.y = KY_WHERE_ABOVE(KY_RSQRT(s2), s2, KY_CLOSE2);
        return s;
    }
    /* before the test, so that no compiler makes a branch of it */
    s.y = (how & KY_ROUGH) ? KY_RSQRT_ROUGH(s2) : KY_RSQRT(s2);
    if (how & KY_GUARD)
        s.y = KY_WHERE_ABOVE(s.y, s2, KY_CLOSE2);
    return s;
}

/* The pair at the distance dx dy dz. */
KY_FN struct ky_softened ky_soften(KY_REAL dx, KY_REAL dy, KY_REAL dz, KY_REAL sink_eps2,
                                   KY_REAL source_eps2, const int how)
{
    KY_REAL eps2 = ky_softening_eps2(sink_eps2, source_eps2, how);
    if (how & KY_SPLINED)
        return ky_splined_of(eps2, ky_distance2(dx, dy, dz, KY_SPLAT(0)));
    return ky_softened_of(eps2, ky_distance2(dx, dy, dz, eps2), how);
}

#if KY_HOST
/* The words on the command line, plummer|symmetric|spline, and the meaning of each. */
#define KY_SOFTENING_WORD(name, NAME, how, help) "|" #name
#define KY_SOFTENING_CHOICES (&(KY_SOFTENING_KINDS(KY_SOFTENING_WORD))[1])
#define KY_SOFTENING_SENTENCE(name, NAME, how, help) #name ": " help "; "
#define KY_SOFTENING_HELP KY_SOFTENING_KINDS(KY_SOFTENING_SENTENCE)

#define KY_SOFTENING_ROW(name, NAME, how, help) KY_SOFTENING_ROW_##NAME,
enum { KY_SOFTENING_KINDS(KY_SOFTENING_ROW) KY_SOFTENING_KIND_COUNT };

/* The word for an enum ky_softening_kind. */
static inline const char *ky_softening_name(int kind)
{
#define KY_SOFTENING_NAME(name, NAME, how, help) #name,
    static const char *const names[] = {KY_SOFTENING_KINDS(KY_SOFTENING_NAME)};
#undef KY_SOFTENING_NAME
    return names[kind];
}

/* The softening bits of loops over pairs of bodies that have their own softenings. */
static inline int ky_softening_how(int kind)
{
#define KY_SOFTENING_HOW(name, NAME, how, help) how,
    static const int hows[] = {KY_SOFTENING_KINDS(KY_SOFTENING_HOW)};
#undef KY_SOFTENING_HOW
    return hows[kind];
}
#endif

#endif
