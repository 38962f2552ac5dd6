/* The actions of the general walk (physics/walk.h). A new one is its file and a line below. */
#ifndef KY_ACTIONS_TABLE_H
#define KY_ACTIONS_TABLE_H

#include "physics/actions/count.h"
#include "physics/actions/density.h"
#include "physics/actions/gravity.h"
#include "physics/actions/list.h"
#include "physics/actions/nearest.h"

/* What a caller has to give for an action. */
#define KY_NEEDS_NOTHING 0
#define KY_NEEDS_RADIUS 1     /* for each body or one for all */
#define KY_NEEDS_NEIGHBOURS 2 /* a number k, below that of the bodies */
#define KY_NEEDS_LISTS 4      /* lists to fill */

/* Names and needs. Each file says by KY_RESULTS_NAME what its results are: name, and the powers of
 * G, mass and length in their unit. */
#define KY_ACTIONS(X)                                                                              \
    X(gravity, KY_NEEDS_NOTHING)                                                                   \
    X(count, KY_NEEDS_RADIUS)                                                                      \
    X(list, KY_NEEDS_RADIUS | KY_NEEDS_LISTS)                                                      \
    X(nearest, KY_NEEDS_NEIGHBOURS)                                                                \
    X(density, KY_NEEDS_RADIUS)

#endif
