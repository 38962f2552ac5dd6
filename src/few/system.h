/* One system of few bodies, with its settings. Compiled for the host, where it has up to
 * KY_FEW_MOST bodies, and in kernels, where it has up to KY_FEW_SHAPES and no parts that only the
 * host has. */
#ifndef KY_FEW_SYSTEM_H
#define KY_FEW_SYSTEM_H

#include "few/shape.h"
#include "physics/few.h"

#ifdef KY_FEW_TEAM /* a team of lanes: kernels/steps/few_team.h */
struct ky_few_shared;
#endif

#define KY_FEW_LANES 1
#define KY_FEW_ROOM KY_FEW_SHAPES
#define KY_FEW_NAME(name) name##_one
#include "few/state.h"
#undef KY_FEW_LANES
#undef KY_FEW_ROOM
#undef KY_FEW_NAME

/* Functions of files that both compile. KY_FEW_FN: one file of the host has it for others.
 * KY_FEW_OWN: a large one that is not inlined by the compilers of CPUs in kernels. */
#if KY_HOST
#define KY_FEW_FN
#define KY_FEW_OWN KY_FN
#elif defined(KY_FEW_TEAM) /* the functions have barriers */
#define KY_FEW_FN KY_FN
#define KY_FEW_OWN KY_FN
#else
#define KY_FEW_FN KY_FN_ONCE
#define KY_FEW_OWN KY_FN_ONCE
#endif
/* KY_FEW_SELDOM: a large one that is seldom called, and not inlined anywhere. */
#if defined(KY_IN_CUDA)
#define KY_FEW_SELDOM static __device__ __attribute__((noinline))
#else
#define KY_FEW_SELDOM static __attribute__((noinline))
#endif

struct ky_few_settings {
    double g;
    double tolerance;   /* largest change of the energy in a step, relative to the energy */
    double angle;       /* [rad] of eccentric anomaly a step */
    int slow_down;      /* 1: pairs far inside their group's orbit are slowed down */
    int backwards;      /* 1: time runs backwards */
    double slow_energy; /* [G × energy] a change of κ changes the mean energy of a pair over its
                           orbit by about this at most; 0: no such limit */
    double apart;       /* [length] ky_few_go ends at ky_few_is_apart; infinite or 0: never */
    /* Radii for contacts: radii 0: there are none; 1: one for all bodies; else one for each body.
     */
    const double *radius;
    ky_ulong radii;
#if KY_HOST
    uint64_t most; /* steps of one call of ky_few_go; 0: any number */
#endif
};

KY_FN double ky_few_radius_of(const struct ky_few_settings *settings, int body)
{
    return settings->radius[settings->radii == 1 ? 0 : body];
}

enum ky_few_clock {
    KY_FEW_WHOLE, /* LogH */
    KY_FEW_PAIR,  /* BlogH: system.inner is the pair */
    KY_FEW_FREE   /* no body has mass, or there is only one body: straight lines */
};

struct ky_few {
    struct ky_few_settings settings;
    int order[KY_FEW_SHAPES]; /* the body at each place of the tree */
    enum ky_few_clock clock;
    struct ky_few_system_one system; /* its bodies are in the order of the tree */
    double longest, h;    /* the longest step, and the next one: the longest over a power of two */
    double last;          /* the last step */
    double energy, error; /* with slow-down, and Γ of the clock, at the end of the last step */
    double wrong; /* [G × energy] Γ U then: the energy is wrong by it, and less where bodies part */
    double whole; /* B of the whole system without slow-down */
    int is_plain; /* 1: the clock is the whole system without slow-down */
    double scale; /* of the energy, for the tolerance */
    /* The centre of mass moves uniformly: its place at time `epoch`, and its velocity. */
    double centre[3], motion[3], epoch;
    /* [G × energy] of the energy with slow-down: by changes of κ, and by the others */
    double slow_work, outer_work;
    double steps, repeated, kicks, trees; /* work: steps kept and taken again, kicks, trees made */
#if KY_HOST
    const struct ky_few_others *others; /* NULL: no bodies pull the system from outside */
#endif
};

/* The numbers of a system that a step changes. */
struct ky_few_motion {
    double x[KY_FEW_SHAPES][3], v[KY_FEW_SHAPES][3], b, t, low, work;
};

#endif
