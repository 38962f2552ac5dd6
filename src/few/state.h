/* The state of a system of few bodies in each of KY_FEW_LANES lanes; all lanes have the same tree.
 * stages.h names the macros that the including file defines. */
#include "few/shape.h"

#define REALS KY_FEW_NAME(ky_few_lanes)
typedef double REALS[KY_FEW_LANES];

struct KY_FEW_NAME(ky_few_system) {
    struct ky_few_shape shape;
    int inner;               /* the node that is the clock; -1: the whole system */
    REALS mass[KY_FEW_ROOM]; /* of bodies */
    /* of nodes: total mass, and the parts of it on the left and on the right; 1/κ; the weight of
     * V²/2 and, for pairs of bodies, of M/r in the clock */
    REALS total[KY_FEW_ROOM], left[KY_FEW_ROOM], right[KY_FEW_ROOM], slow[KY_FEW_ROOM],
        weight[KY_FEW_ROOM];
    REALS x[KY_FEW_ROOM][3], v[KY_FEW_ROOM][3]; /* of nodes */
    REALS b, t, low;                            /* B; the time as in struct ky_few_time */
    REALS work;                                 /* by bodies outside the system */
};
#undef REALS
