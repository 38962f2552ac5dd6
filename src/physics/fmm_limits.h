/* The data of the sinks for the test of physics/fmm.h. */
#ifndef KY_PHYSICS_FMM_LIMITS_H
#define KY_PHYSICS_FMM_LIMITS_H

struct ky_fmm_limits {
    float angle;
    float error;       /* α a of the sinks; INFINITY: not known */
    float least, most; /* the smallest distance, the largest sum of radii: for the range of float,
                          and for ε² of the sinks, which the expansion has as one number */
    float hold;        /* the distance within which the softening is no Plummer softening; 0 */
};

#endif
