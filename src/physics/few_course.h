/* The numbers of a launch for systems of few bodies (kernels/steps/few.k, few_lane.h). */
#ifndef KY_PHYSICS_FEW_COURSE_H
#define KY_PHYSICS_FEW_COURSE_H

#include "physics/dialect.h"

/* Where the systems of a launch go. */
struct ky_few_course {
    double until;            /* the time, or the first one behind it */
    double sign;             /* -1: backwards in time */
    double apart;            /* systems end when they are farther apart; 0: they do not end */
    double tolerance, angle; /* as in struct ky_few_settings */
    ky_ulong count;          /* systems in a column */
    ky_ulong listed;         /* systems of this launch */
    ky_uint bodies;          /* of a system */
    ky_uint slow_down;
    ky_uint most; /* steps */
    ky_uint all;  /* 1: all systems; 0: the ones of the list */
};

#endif
