/* The data of the sinks for the test of physics/fmm.h. */
#ifndef KY_PHYSICS_FMM_LIMITS_H
#define KY_PHYSICS_FMM_LIMITS_H

struct ky_fmm_limits {
    float angle;
    float error;       /* α a of the sinks; INFINITY: unknown */
    float least, most; /* the smallest distance, and the largest sum of radii: for the range of
                          float, and because the expansion uses one ε² for all sinks */
    float hold;        /* the distance within which the softening is not Plummer's; 0 */
    int order;         /* p */
};

#endif
