/* The table of forces: what follows from the name of one, on whatever engine. The engines have
 * tables of their own of how they compute it. */
#ifndef KY_ENGINE_FORCE_KINDS_H
#define KY_ENGINE_FORCE_KINDS_H

#include "engine/engine.h"

struct ky_force_kind {
    int is_exact;      /* the sum over all bodies one by one. It has jerks, and points may stand for
                          bodies in it */
    int has_tree;      /* it goes through a tree */
    int in_groups;     /* bodies go through the tree in groups, else each by itself */
    enum ky_cell cell; /* unless the caller says it */
    enum ky_precision precision; /* the same */
    enum ky_tree_maker tree;     /* the only tree that it has on a device; KY_TREE_BY_ENGINE: any */
    const char *not_the_other;   /* the error when the caller wants the other tree */
    const char *option;          /* "--force direct" */
    const char *const *ignored;  /* names of options that it does not look at, ended by NULL */
    double crossover; /* the bodies from which on a GPU takes less time for a step than a CPU */
};

/* The row of an enum ky_force. A force that is not known has a row too, which is never computed:
 * it has no tree, and its crossover is infinite. */
const struct ky_force_kind *ky_force_kind(int force);

#endif
