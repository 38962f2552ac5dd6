/* The table of functions that each instruction set offers to the CPU engine. */
#ifndef KY_CPU_LANES_TABLE_H
#define KY_CPU_LANES_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "engine/cpu/lanes/change_table.h"
#include "engine/cpu/lanes/moving_table.h"
#include "engine/cpu/lanes/predict_table.h"
#include "engine/cpu/lanes/sums_table.h"
#include "octree/octree.h"
#include "octree/sources.h"
#include "physics/fmm_limits.h"
#include "physics/space.h"
#include "physics/taylor_table.h"

enum { KY_BLOCK = 64 }; /* sinks of one call */

/* Number of sources that are summed in the lane's own type before the sum is added to the others
 * (pairs.h). */
enum { KY_CHUNK = 512 };

/* Bodies as sources, in the engine's units and relative to one centre. The columns are double for
 * precision double and float otherwise. */
struct ky_direct {
    size_t n;
    const void *x, *y, *z, *mass; /* mass already scaled: physics/gravity.h */
    const void *eps2;             /* of the sources, if `how` needs it; otherwise NULL */
    const void *low[3];           /* precision extended: low parts of the positions */
    int how; /* softening of pairs: KY_GUARD … of physics/softening_kinds.h */
};

/* Sinks of one call. own: index of the source that is the sink itself, ascending, or UINT32_MAX for
 * sinks that are not sources, anywhere in the array. eps2: of the sink. */
struct ky_direct_sinks {
    size_t count; /* 1 … KY_BLOCK */
    uint32_t own[KY_BLOCK];
    double x[KY_BLOCK], y[KY_BLOCK], z[KY_BLOCK], eps2[KY_BLOCK];
    double field[4][KY_BLOCK]; /* result: acceleration and -potential for G = 1 */
};

/* A walk for groups of sinks; positions and masses in the engine's units. */
struct ky_group_walk {
    const struct ky_octree *tree;    /* of the sinks */
    const struct ky_octree *sources; /* the same, or a tree without the sinks, with closed cells */
    double eps2;                     /* of a sink, unless tree->softening2 has it */
    int how;    /* softening of pairs: KY_GUARD … of physics/softening_kinds.h */
    int order;  /* order of the cells' moments */
    int images; /* images of the sources: 1, or KY_IMAGES of a box of side `box` */
    double box;
};

enum { KY_MOST_SINKS = 256 /* of one group */ };

/* The active bodies of a group, by their indices in it, ascending; and the results of a walk: their
 * fields, as in ky_direct_sinks, and the number of sources that acted on each. */
struct ky_group_sinks {
    uint32_t count; /* at least 1 */
    uint8_t own[KY_MOST_SINKS];
    double field[4][KY_MOST_SINKS];
    uint64_t bodies, cells;
};

/* ---- cells act on cells (physics/fmm.h, physics/taylor.h) ---- */

/* A cell for the test of both directions (lanes/mutual.h): α a of its bodies, INFINITY if unknown,
 * and the smallest distance at which its ε² may replace theirs. */
struct ky_mutual_cell {
    float error, least;
} KY_LAID_OUT;

/* Data of all sinks. walk.order: order of cells that act on each sink separately. */
struct ky_fmm_walk {
    struct ky_group_walk walk;
    const struct ky_fmm_source *source;  /* [cells of walk.sources] */
    const struct ky_mutual_cell *mutual; /* [cells]; only if cells act on each other */
    int order;                           /* of the expansions */
};

/* The sinks of a cell or a group: their box, their limits, and the local coefficients about its
 * middle (physics/taylor.h). */
struct ky_fmm_sinks {
    double centre[3];
    float half[3];
    struct ky_fmm_limits limits;
    float eps2; /* ε² of the sinks in expansions */
    double local[KY_TAYLOR_TERMS];
};

/* Cells that may act on sinks, image after image of the sources. */
struct ky_fmm_list {
    uint32_t *cell;
    size_t count, room;
    size_t begin[KY_IMAGES]; /* the first cell of each image */
};

/* Numbers of interactions: cells with local coefficients; cells and bodies with single sinks. */
struct ky_fmm_counts {
    uint64_t expansions, cells, bodies;
};

/* Bodies, and a sink that needs the bodies within its reach or its k nearest. */
enum { KY_REACH_MOST = 256 }; /* bodies of one call */
struct ky_reach {
    const double *x, *y, *z;
    double sink[3], reach2;
    double side; /* of the periodic box, whose nearest images are meant; 0: open space */
};

/* Bodies that move past a centre. A body has to be noticed if its distance r and its velocity w
 * from the centre fulfil r² < by_weight × weight + by_speed × w². */
struct ky_passing {
    const double *at[6], *weight; /* at[]: x and v */
    double centre[6], by_weight, by_speed;
};

typedef void ky_direct_function(const struct ky_direct *direct, struct ky_direct_sinks *sinks);
/* A hash of reciprocal roots and fused products. Two processors with the same hash compute the same
 * bits of forces. */
typedef uint64_t ky_bits_function(void);
/* The walk for groups: `shared` is called once for some consecutive groups, then `group` for each
 * of them. The factors are for the relative opening test, otherwise 1. `space` is the work memory
 * of one thread: group_space(tree) bytes, aligned to 64. */
typedef void ky_shared_function(const struct ky_group_walk *walk, const struct ky_group *group,
                                size_t groups, float least_factor, float largest_factor,
                                void *space);
typedef void ky_group_function(const struct ky_group_walk *walk, const struct ky_group *group,
                               float factor, void *space, struct ky_group_sinks *result);
typedef size_t ky_space_function(const struct ky_octree *tree);
/* Lets the cells of the list `from` act on the local coefficients of a cell's sinks; cells that are
 * left for its children go to `to`. Returns 0 if memory runs out. `space` is the work memory of one
 * thread: fmm_space(tree) bytes, aligned to 64. */
typedef int ky_fmm_cell_function(const struct ky_fmm_walk *walk, struct ky_fmm_sinks *sinks,
                                 const struct ky_fmm_list *from, struct ky_fmm_list *to,
                                 void *space, struct ky_fmm_counts *counts);
/* The same for a cell, as the sink, of pairs in which each acts on the other: its middle is the
 * centre of mass. For a leaf `to` receives the leaves whose bodies act, including the leaf
 * itself. */
typedef int ky_mutual_cell_function(const struct ky_fmm_walk *walk, uint32_t cell,
                                    struct ky_fmm_sinks *sinks, const struct ky_fmm_list *from,
                                    struct ky_fmm_list *to, void *space,
                                    struct ky_fmm_counts *counts);
/* Lets all cells of the list and the local coefficients act on the sinks of a group. */
typedef void ky_fmm_group_function(const struct ky_fmm_walk *walk, struct ky_fmm_sinks *sinks,
                                   const struct ky_fmm_list *from, const struct ky_group *group,
                                   void *space, struct ky_group_sinks *result,
                                   struct ky_fmm_counts *counts);
/* Finds the bodies from `first` on with r² <= reach2: their indices in the columns, and r². Returns
 * their number. */
typedef size_t ky_reach_function(const struct ky_reach *reach, size_t first, size_t count,
                                 uint32_t *found, double *found2);
/* Finds the bodies from `first` on that have to be noticed; at most KY_REACH_MOST. Returns their
 * number. */
typedef size_t ky_passing_function(const struct ky_passing *passing, size_t first, size_t count,
                                   uint32_t *found);
/* A value of r² that at least `k` of the bodies from `first` on do not exceed; it is at most a few
 * per cent above the k-th smallest. 1 <= k <= count. `work`: count elements. */
typedef double ky_bound2_function(const struct ky_reach *reach, size_t first, size_t count,
                                  size_t k, double *work);

/* Steps of systems of few bodies, as few/batch.h says. */
struct ky_few_batch;
typedef void ky_few_function(struct ky_few_batch *batch);

/* EACH(type, member, single, extended, double): the functions of each precision, by enum
 * ky_precision. ONE(type, member, function). A group's sources are relative to its centre, computed
 * in double, so that `single` is as accurate as `extended`. `resting` has no velocities, low parts
 * and labels. */
#define KY_LANE_FUNCTIONS(EACH, ONE)                                                               \
    EACH(ky_direct_function, direct, ky_direct_single, ky_direct_extended, ky_direct_double)       \
    EACH(ky_bits_function, bits, ky_direct_single_bits, ky_direct_extended_bits,                   \
         ky_direct_double_bits)                                                                    \
    EACH(ky_moving_function, moving, ky_moving_extended, ky_moving_extended, ky_moving_double)     \
    ONE(ky_moving_function, resting, ky_resting_single)                                            \
    ONE(ky_rest_function, rest, ky_rest)                                                           \
    EACH(ky_predict_function, predict, ky_predict_extended, ky_predict_extended,                   \
         ky_predict_double)                                                                        \
    ONE(ky_tracks_function, tracks, ky_predict_tracks)                                             \
    ONE(ky_change_function, change, ky_change)                                                     \
    ONE(ky_largest_function, largest, ky_largest)                                                  \
    ONE(ky_sum_function, sum, ky_sum)                                                              \
    EACH(ky_shared_function, shared, ky_shared_single, ky_shared_single, ky_shared_double)         \
    EACH(ky_group_function, group, ky_group_single, ky_group_single, ky_group_double)              \
    EACH(ky_space_function, group_space, ky_group_space_single, ky_group_space_single,             \
         ky_group_space_double)                                                                    \
    ONE(ky_fmm_cell_function, fmm_cell, ky_fmm_cell)                                               \
    ONE(ky_mutual_cell_function, mutual_cell, ky_mutual_cell)                                      \
    EACH(ky_fmm_group_function, fmm_group, ky_fmm_group_single, ky_fmm_group_single,               \
         ky_fmm_group_double)                                                                      \
    EACH(ky_space_function, fmm_space, ky_fmm_space_single, ky_fmm_space_single,                   \
         ky_fmm_space_double)                                                                      \
    ONE(ky_reach_function, reach, ky_reach)                                                        \
    ONE(ky_passing_function, passing, ky_passing)                                                  \
    ONE(ky_bound2_function, bound2, ky_bound2)                                                     \
    ONE(ky_few_function, few, ky_few_steps)

#define KY_LANE_EACH(type, member, single, extended, real) type *member[3];
#define KY_LANE_ONE(type, member, function) type *member;
struct ky_lanes {
    double single_scale; /* KY_RSQRT_SCALE in single and extended; it is 1 in double */
    KY_LANE_FUNCTIONS(KY_LANE_EACH, KY_LANE_ONE)
};

extern const struct ky_lanes ky_lanes_plain, ky_lanes_sse2, ky_lanes_avx2, ky_lanes_avx512,
    ky_lanes_neon;

#endif
