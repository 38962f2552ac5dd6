/* Engines that share a system: the functions that each may call on the other engines, and the verbs
 * of an engine that keeps its part on a card. */
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
/* The tree that an engine asks for: of its own bodies and of the others', with all that its sinks
 * need. */
struct ky_shared_tree {
    const struct ky_octree_bodies *own;
    const struct ky_parameters *parameters;
    /* Block steps: the present positions of the engine's bodies in the tree of the last call, which
     * is kept; NULL: the tree is new. */
    const double (*moved)[3];
    /* The sinks among the bodies: marks of them all where the tree is new, marks of the groups that
     * have some where it is kept; both NULL: all are. */
    const unsigned char *is_active, *has_active;
    /* Sinks that are no bodies: their boxes (octree/parts.h), relative to 0 in place of the tree's
     * origin. NULL: the sinks are the groups of the engine's own tree. */
    const struct ky_octree_box *box;
    size_t boxes;
    const struct ky_relative *relative; /* of the sinks, for an opening test by α; else NULL */
    int has_cells; /* 1: cells act on cells; the sinks are groups and all cells above them */
    /* The same where the sinks are points: their tree, which all engines have, with an origin of
     * its own. `has_active` marks the groups of this engine. eps2: of a point, unless the tree has
     * the softenings of all points. NULL: the sinks are bodies. */
    const struct ky_octree *points;
    double eps2;
    /* Walks with actions: the tree has the numbers of bodies (octree/octree.h). */
    int has_numbers;
    /* The reach of sinks: the largest distance of some bodies that follow each other along the
     * curve of `own`, the engine's own tree. Several threads call it at a time, each for other
     * bodies. They need the bodies within. NULL: the opening test decides. */
    double (*reach)(void *context, const struct ky_octree *own, uint32_t first, uint32_t bodies);
    void *reach_context;
};
/* A pass through all bodies of the system in the order of their numbers. */
struct ky_shared_pass {
    const size_t *body; /* numbers of some bodies, the same on all engines */
    size_t count;
    double (*position)[3]; /* gets the positions of these, before the first visit */
    /* Some bodies that follow each other from number `first` on: x y z and mass of each. Lengths
     * and masses are the caller's. */
    void (*visit)(void *of, size_t first, size_t count, const double (*row)[4]);
    void *of;
};
/* How engines ask the others with which they share a system (domain/domain.h). Each has a part of
 * the bodies, and all have the same frame and make the same calls. A call that fails on one of them
 * fails on all. */
struct ky_shared {
    void *context;
    size_t rank, ranks; /* the number of this engine, and of all */
    size_t system;      /* bodies of all engines */
    /* Makes the tree (octree/parts.h). NULL: each engine has all bodies, and computes the results
     * of some sinks, which `gather` then gives to all. */
    enum ky_status (*tree)(void *context, const struct ky_shared_tree *wanted,
                           struct ky_octree *tree, struct ky_error *error);
    /* Block steps: the bodies go to the engines that have their places at[c][i], in the engines'
     * length, with all that is kept of them. weight[i]: the work for a body, in interactions, over
     * a longest step. Both NULL where engines keep their parts on cards and know it themselves.
     * KY_BAD_DATA for all engines, and no body moves, where a place is not finite. */
    enum ky_status (*settle)(void *context, double *const at[3], const double *weight,
                             struct ky_error *error);
    /* Each number becomes the sum over all engines. */
    enum ky_status (*add)(void *context, uint64_t *number, size_t count, struct ky_error *error);
    /* `bytes[r]` bytes of engine r, one after the other, to each engine: at `own` is this one's. */
    enum ky_status (*gather)(void *context, const void *own, const size_t *bytes, void *all,
                             struct ky_error *error);
    /* Sends `out[r]` bytes at from[r] to each engine r, and receives `in[r]` bytes from it at
     * to[r]. */
    enum ky_status (*trade)(void *context, void *const *from, const size_t *out, void *const *to,
                            const size_t *in, struct ky_error *error);
    /* Has all engines visit all bodies: each gets the same ones at the same time. */
    enum ky_status (*pass)(void *context, const struct ky_shared_pass *pass,
                           struct ky_error *error);
    int is_process; /* 1: the others are other processes; 0: threads of this one */
    int is_local;   /* 1: all are on one computer */
    /* The caller's function for many places (ky_externals_ask) at the engine's bodies, all or the
     * active ones; positions are the caller's. All engines call it. Velocities are 0. */
    enum ky_status (*ask)(void *context, const struct ky_active *active, size_t count,
                          const double (*position)[3], double (*acceleration)[3], double *potential,
                          struct ky_error *error);
};

/* Verbs of an engine that keeps its part of a system on a card, in an order that each evaluation of
 * forces changes. A place is a place in this order, and a number is a body's number in the caller's
 * order of the whole system. */

/* The box of the bodies, in the engine's units: low[3] and high[3]. And the positions of the bodies
 * in the first `samples` of a sample of `system` bodies (physics/sample.h): sample[c × samples +
 * k], NaN if the body is not here. */
struct ky_part_look {
    size_t system, samples;
    double *low, *high, *sample;
};

/* A cube that keys divide (edge 0: all bodies have the same key) and the origin of the cells, in
 * the engine's units; and where `probes` of the keys go, each in the midst of an equal share of the
 * work. *work: that for all bodies, which the engine may correct. */
struct ky_part_keys {
    const double *low, *origin;
    double edge;
    uint64_t *probe;
    size_t probes;
    double *work;
};

/* Ranges of keys, which begin at begin[0 … ranks], the last one before begin[ranks]; how many of
 * the bodies go to each range of another rank: leaving[own] is 0; and how many will go later. */
struct ky_part_leavers {
    const uint64_t *begin;
    size_t ranks, own;
    uint64_t *leaving, *left;
};

/* The bodies that `leavers` has found go, leaving[r] to each rank; and how many come from each. */
struct ky_part_move {
    const uint64_t *leaving, *coming;
    size_t count, arrivals; /* all that go, and all that come */
};

struct ky_part_verbs {
    /* Sets the numbers of the `count` bodies that were put, from place 0 on; reads the numbers at
     * the present places, from 0 on. */
    enum ky_status (*put_numbers)(struct ky_engine *engine, size_t count, const uint64_t *number,
                                  struct ky_error *error);
    enum ky_status (*get_numbers)(struct ky_engine *engine, uint64_t *number,
                                  struct ky_error *error);
    /* 1 if the verbs `field` or `tides` of all ranks serve these points; 0: one engine needs all
     * bodies for them. */
    int (*gives_field)(const struct ky_engine *engine, const struct ky_points *points);
    int (*gives_tides)(const struct ky_engine *engine);
    /* Brings the bodies, which are on their ranges, into the order of the curve. A walk with an
     * action that follows takes and gives all that it does of bodies in this order, and has its
     * tree. A call of all ranks. */
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
    /* They go to other ranks, and others come. A call of all ranks. */
    enum ky_status (*move)(struct ky_engine *engine, const struct ky_part_move *move,
                           struct ky_error *error);
};

#endif
