/* The general walk of the CPU engine: common code of the walk for one group of sinks (general.c)
 * and for cells of sinks (general_cells.c). */
#ifndef KY_CPU_GENERAL_H
#define KY_CPU_GENERAL_H

#include "engine/cpu/forces/action.h"

struct ky_general {
    struct ky_cpu *cpu;
    const struct ky_octree *tree;
    const struct ky_cpu_action *action;
    const struct ky_walk_request *request;
    const uint32_t *number; /* [tree->n] along the curve: index in the caller's order */
    size_t stride;          /* bytes of a sink's state */
    size_t most;            /* number of bodies of the largest branch */
    int source_eps;
    struct ky_group own; /* the sinks: the engine's bodies in the tree */
    double *bound2;      /* [own.bodies] for k nearest with ranks; otherwise NULL */
    int has_bounds;      /* 1: they have been computed, in the engine's own tree */
};

/* Data of some sinks before the walk: the largest and the smallest squared reach, and the largest
 * ε². */
struct ky_general_reach {
    double most2, least2, most_eps2;
};

static const struct ky_general_reach ky_general_no_reach = {0, (double)KY_VISIT_FAR, 0};

static inline struct ky_general_reach ky_general_both(struct ky_general_reach a,
                                                      struct ky_general_reach b)
{
    return (struct ky_general_reach){a.most2 > b.most2 ? a.most2 : b.most2,
                                     a.least2 < b.least2 ? a.least2 : b.least2,
                                     a.most_eps2 > b.most_eps2 ? a.most_eps2 : b.most_eps2};
}

/* Sinks treated as one: body ≤ place < end, in a box about a centre that is relative to the tree's
 * origin. `span` has the box and the reaches; its other members belong to the cell tested last. */
struct ky_general_sinks {
    struct ky_visit_span span;
    double from[3], most_eps2;
    uint32_t body, end;
};

/* Cells that may act on sinks, in the order of the curve. */
struct ky_general_list {
    uint32_t *cell;
    size_t count, room;
};

/* The work memory of one thread. */
struct ky_general_desk {
    char *own; /* states of the sinks of a group */
    struct ky_general_sinks sinks;
    double centre[3];              /* centre of the sinks' box */
    struct ky_cpu_sources sources; /* collected sources */
    struct ky_cpu_near near;
    uint64_t *keys, *key, *other; /* caller's index and place in the tree; in `keys` */
    double *heap;                 /* k elements for each sink of a group */
    double *distance2;
    double *bound2; /* [sinks of a branch, which begins with the body `first`]; NULL: the squared
                       reaches of the walk are used */
    uint32_t first;
    struct ky_general_list *list; /* indexed by the depth below the top of a branch */
    uint64_t bodies, cells;
    uint32_t wanted; /* length of the longest list that did not fit; 0: all fitted */
    int failed;      /* 1: memory ran out */
};

/* Allocates a desk's memory for groups; clears everything else. KY_FAULT if memory runs out; close
 * it also then. */
enum ky_status ky_general_open(const struct ky_general *walk, struct ky_general_desk *desk,
                               struct ky_error *error);
void ky_general_close(struct ky_general_desk *desk);

/* The initial reaches of a group. Stores bound2 of its sinks for ky_general_walk_group. */
struct ky_general_reach ky_general_measure(const struct ky_general *walk,
                                           struct ky_general_desk *desk,
                                           const struct ky_group *group);

/* Sets the box and the reaches of sinks. */
void ky_general_place(const struct ky_general *walk, struct ky_general_sinks *sinks,
                      const double centre[3], const double half_side[3],
                      const struct ky_general_reach *reach);

/* The action's test of the cell: KY_VISIT_…. A cell that contains one of the sinks, or a single
 * body, is not used whatever the test says. */
int ky_general_test(const struct ky_general *walk, struct ky_general_sinks *sinks, uint32_t cell);

/* Lets the cells of the list and everything below them act on the sinks of a group, and writes the
 * results. */
void ky_general_walk_group(const struct ky_general *walk, struct ky_general_desk *desk,
                           const struct ky_group *group, const struct ky_general_reach *reach,
                           const struct ky_general_list *from);

#endif
