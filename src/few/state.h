/* The state of systems of few bodies in KY_FEW_LANES lanes; all have the same tree. stages.h names
 * the macros that the including file defines. With KY_FEW_NUMBER lanes are of this type instead of
 * KY_FEW_REAL, and have the alignment of any vector. */
#include "few/shape.h"
#include "physics/few.h"

#define REALS KY_FEW_NAME(ky_few_lanes)
#ifdef KY_FEW_NUMBER
typedef KY_FEW_NUMBER REALS[KY_FEW_LANES] __attribute__((aligned(64)));
#else
typedef KY_FEW_REAL REALS[KY_FEW_LANES];
#endif

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
#ifdef KY_FEW_TEAM
    KY_LOCAL_POINTER struct ky_few_shared *team; /* shared by the lanes of the system */
#endif
};
#undef REALS
