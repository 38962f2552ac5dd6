/* The actions of the general walk (physics/visit.h) by name. A new one is its file, a line here and
 * its file's name in actions.h. */
#ifndef KY_ACTIONS_TABLE_H
#define KY_ACTIONS_TABLE_H

/* What a caller has to give for an action. */
#define KY_NEEDS_NOTHING 0
#define KY_NEEDS_RADIUS 1     /* for each body or one for all */
#define KY_NEEDS_NEIGHBOURS 2 /* a number k, below that of the bodies */
/* Lists to fill. The first result is how many bodies belong in a list, also where its room is
 * smaller: by that the engines know a list that is too short. */
#define KY_NEEDS_LISTS 4
#define KY_NEEDS_LABELS 8 /* a number below 2^32 of each body */

/* Names and needs; p and number are handed through. Each file says by KY_RESULTS_NAME what its
 * results are: name, and the powers of G, mass and length in their unit. */
#define KY_ACTIONS_OF(X, p, number)                                                                \
    X(gravity, KY_NEEDS_NOTHING, p, number)                                                        \
    X(count, KY_NEEDS_RADIUS, p, number)                                                           \
    X(list, KY_NEEDS_RADIUS | KY_NEEDS_LISTS, p, number)                                           \
    X(nearest, KY_NEEDS_NEIGHBOURS, p, number)                                                     \
    X(density, KY_NEEDS_RADIUS, p, number)                                                         \
    X(friends, KY_NEEDS_RADIUS | KY_NEEDS_LABELS, p, number)

#define KY_ACTIONS_PLAIN(name, needs, X, unused) X(name, needs)
#define KY_ACTIONS(X) KY_ACTIONS_OF(KY_ACTIONS_PLAIN, X, 0)

#endif
