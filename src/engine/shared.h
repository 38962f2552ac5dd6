/* The interface between ranks of one system: the calls of an engine to the other ranks, and the
 * additional verbs of an engine that keeps its share on a card. */
#ifndef KY_ENGINE_SHARED_H
#define KY_ENGINE_SHARED_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct ky_engine;
struct ky_points;
struct ky_octree;
struct ky_octree_bodies;

struct ky_active;
struct ky_relative;
struct ky_octree_box;
/* A request for a tree: of the rank's own bodies, with all cells and bodies of other ranks that its
 * sinks need. */
struct ky_shared_tree {
    const struct ky_octree_bodies *own;
    const struct ky_parameters *parameters;
    /* Block steps: the present positions of the engine's bodies in the tree of the last call, which
     * is kept; NULL: the tree is new. */
    const double (*moved)[3];
    /* The active bodies: marks of bodies if the tree is new, marks of groups with active bodies if
     * the tree is kept; both NULL: all bodies are active. */
    const unsigned char *is_active, *has_active;
    /* Sinks that are not bodies: their boxes (octree/parts.h), relative to 0 instead of the tree's
     * origin. NULL: the sinks are the groups of the rank's own tree. */
    const struct ky_octree_box *box;
    size_t boxes;
    const struct ky_relative *relative; /* of the sinks, for an opening test by α; else NULL */
    int has_cells; /* 1: cells act on cells; the sinks are groups and all cells above them */
    /* As `has_cells`, for sinks that are points: the tree of the points, which all ranks have, with
     * an origin of its own. `has_active` marks the groups that belong to this rank. eps2: ε² of a
     * point, unless the tree has ε² for each point. NULL: the sinks are bodies. */
    const struct ky_octree *points;
    double eps2;
    /* Walks with actions: the tree has the numbers of bodies (octree/octree.h). */
    int has_numbers;
    /* The reach of sinks: the largest distance for some consecutive bodies along the curve of
     * `own`, the rank's own tree. All sources within this distance are needed. Several threads call
     * it at a time, each for different bodies. NULL: the opening test decides. */
    double (*reach)(void *context, const struct ky_octree *own, uint32_t first, uint32_t bodies);
    void *reach_context;
};
/* A pass through all bodies of the system in the order of their numbers. */
struct ky_shared_pass {
    const size_t *body; /* numbers of some bodies, the same on all ranks */
    size_t count;
    double (*position)[3]; /* gets the positions of these, before the first visit */
    /* Consecutive bodies from number `first` on: x y z and mass of each. Lengths and masses are the
     * caller's. */
    void (*visit)(void *of, size_t first, size_t count, const double (*row)[4]);
    void *of;
};
/* The collective calls of a rank's engine (domain/domain.h). Each rank has its share of the bodies;
 * all have the same frame and make the same calls. A call that fails on one rank fails on all. */
struct ky_shared {
    void *context;
    size_t rank, ranks; /* the number of this rank, and the number of ranks */
    size_t system;      /* bodies of all ranks */
    /* Makes the tree (octree/parts.h). NULL: each rank has all bodies and computes the results of
     * its share of the sinks, which `gather` then distributes to all. */
    enum ky_status (*tree)(void *context, const struct ky_shared_tree *wanted,
                           struct ky_octree *tree, struct ky_error *error);
    /* Block steps: bodies migrate, with their columns, to the ranks whose ranges hold the positions
     * at[c][i], in the engines' length. weight[i]: interactions for the body over a longest step.
     * Both are NULL if engines keep their shares on cards, which know these numbers. KY_BAD_DATA on
     * all ranks, and no body moves, if a position is not finite. */
    enum ky_status (*settle)(void *context, double *const at[3], const double *weight,
                             struct ky_error *error);
    /* All-reduce: each number becomes the sum over all ranks. */
    enum ky_status (*add)(void *context, uint64_t *number, size_t count, struct ky_error *error);
    /* All-gather of bytes[r] bytes from rank r, in the order of the ranks; `own` has this rank's
     * bytes. */
    enum ky_status (*gather)(void *context, const void *own, const size_t *bytes, void *all,
                             struct ky_error *error);
    /* All-to-all: sends out[r] bytes at from[r] to each rank r, and receives in[r] bytes from it at
     * to[r]. */
    enum ky_status (*trade)(void *context, void *const *from, const size_t *out, void *const *to,
                            const size_t *in, struct ky_error *error);
    /* A pass over all bodies of the system: all ranks visit the same bodies at the same time. */
    enum ky_status (*pass)(void *context, const struct ky_shared_pass *pass,
                           struct ky_error *error);
    int is_process; /* 1: ranks are processes; 0: threads of one process */
    int is_local;   /* 1: all ranks are on one computer */
    /* Evaluates the caller's function for many places (ky_externals_ask) at the rank's bodies, all
     * or the active bodies; positions are in the caller's units. Collective. Velocities are 0. */
    enum ky_status (*ask)(void *context, const struct ky_active *active, size_t count,
                          const double (*position)[3], double (*acceleration)[3], double *potential,
                          struct ky_error *error);
};

/* Verbs of an engine that keeps its share of a system on a card, in an order that each evaluation
 * of forces changes. A body's place is its index in this order; its number is its index in the
 * caller's order of the whole system. */

/* The box of the bodies, in the engine's units: low[3] and high[3]. Also the positions of the
 * bodies that are among the first `samples` of a sample of `system` bodies (physics/sample.h):
 * sample[c × samples + k], NaN if the body is not here. */
struct ky_part_look {
    size_t system, samples;
    double *low, *high, *sample;
};

/* low, edge: the cube that the keys divide; edge 0: all bodies have the same key. origin: of the
 * cells. All in the engine's units. probe: receives `probes` of the keys, each in the middle of an
 * equal share of the work. *work: the work for all bodies, which the engine may correct. */
struct ky_part_keys {
    const double *low, *origin;
    double edge;
    uint64_t *probe;
    size_t probes;
    double *work;
};

/* Ranges of keys: rank r has begin[r] to begin[r + 1]. leaving[r]: number of bodies that move to
 * rank r; leaving[own] is 0. Also the number of bodies that will move in a later round. */
struct ky_part_leavers {
    const uint64_t *begin;
    size_t ranks, own, *leaving;
    uint64_t *left;
};

/* Migration of the bodies that `leavers` has found: leaving[r] bodies go to rank r; also the number
 * that arrive from each. */
struct ky_part_move {
    const size_t *leaving, *coming;
    size_t count, arrivals; /* all that leave, and all that arrive */
};

/* Ways to compute the field at points if ranks divide the bodies. NEED_ALL: one engine needs all
 * bodies. WALK: each point walks through the tree of all ranks (`field` is collective). IN_SET:
 * near points are bodies without mass in a second set of bodies, which the ranks divide
 * (`at_points`); other points walk. */
enum ky_part_way { KY_POINTS_NEED_ALL, KY_POINTS_WALK, KY_POINTS_IN_SET };

struct ky_part_verbs {
    /* Sets the global numbers of the `count` bodies just uploaded, from place 0 on; and reads the
     * global numbers in the present order on the card. */
    enum ky_status (*put_numbers)(struct ky_engine *engine, size_t count, const uint64_t *number,
                                  struct ky_error *error);
    enum ky_status (*get_numbers)(struct ky_engine *engine, uint64_t *number,
                                  struct ky_error *error);
    /* 1 if `tides` can be evaluated collectively; 0: one engine needs all bodies for it. */
    int (*gives_tides)(const struct ky_engine *engine);
    enum ky_part_way (*way_to_field)(const struct ky_engine *engine,
                                     const struct ky_points *points);
    /* 1 if a point is near enough to the bodies to be one of the second set. */
    int (*is_near)(const struct ky_engine *engine, const double position[3]);
    /* The softening that all bodies of the second set have. */
    double (*softening_of_set)(const struct ky_engine *engine, const struct ky_points *points);
    /* For the second set: computes accelerations and potentials of the points. These are the bodies
     * from number `first` on, `here` on this rank and `together` on all ranks. Collective. */
    enum ky_status (*at_points)(struct ky_engine *engine, size_t first, size_t here,
                                size_t together, struct ky_error *error);
    /* Brings the bodies, which must be on their ranges, into the order of the curve. A following
     * walk with an action uses this order for its inputs and results, and uses the tree that was
     * built. Collective. */
    enum ky_status (*along)(struct ky_engine *engine, struct ky_error *error);
    enum ky_status (*look)(struct ky_engine *engine, const struct ky_part_look *look,
                           struct ky_error *error);
    /* Takes the cube and the origin, and makes the keys of the present positions. */
    enum ky_status (*keys)(struct ky_engine *engine, const struct ky_part_keys *keys,
                           struct ky_error *error);
    /* count[e × (KY_KEY_LEVELS + 1) + l]: keys that agree with at[e] in l levels and no more. */
    enum ky_status (*count)(struct ky_engine *engine, const uint64_t *at, size_t ends,
                            uint64_t *count, struct ky_error *error);
    /* Finds the bodies that go. They are known until the next call of `keys`. */
    enum ky_status (*leavers)(struct ky_engine *engine, const struct ky_part_leavers *leavers,
                              struct ky_error *error);
    /* Exchanges these bodies between ranks. Collective. */
    enum ky_status (*move)(struct ky_engine *engine, const struct ky_part_move *move,
                           struct ky_error *error);
};

/* All-gather of `bytes` bytes from each rank. Collective. KY_FAULT when memory is out. */
enum ky_status ky_shared_gather(const struct ky_shared *shared, const void *own, size_t bytes,
                                void *all, struct ky_error *error);
/* The number becomes the largest one of all ranks. Collective. KY_FAULT when memory is out. */
enum ky_status ky_shared_largest(const struct ky_shared *shared, uint64_t *number,
                                 struct ky_error *error);

#endif
