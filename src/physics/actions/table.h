/* The actions of the general walk (physics/visit.h) by name. A new action needs its file, a line
 * here and its file's name in actions.h. */
#ifndef KY_ACTIONS_TABLE_H
#define KY_ACTIONS_TABLE_H

/* The arguments of an action. */
#define KY_NEEDS_NOTHING 0
#define KY_NEEDS_RADIUS 1     /* for each body, or one for all */
#define KY_NEEDS_NEIGHBOURS 2 /* a number k, less than the number of bodies */
/* Lists to fill. The first result is the number of bodies that belong to a list, even if its memory
 * is smaller; engines compare the two to find lists that are too short. */
#define KY_NEEDS_LISTS 4
#define KY_JOINS 8 /* a joining action: see KY_JOINING_OF */
/* No argument: the action needs the dual walk (physics/visit.h). */
#define KY_DUAL 16

/* Names and needs; p and number are passed on unchanged. KY_RESULTS_NAME in each file lists the
 * results: name, and the powers of G, mass and length in its unit. */
#define KY_ACTIONS_OF(X, p, number)                                                                \
    X(gravity, KY_NEEDS_NOTHING, p, number)                                                        \
    X(count, KY_NEEDS_RADIUS | KY_DUAL, p, number)                                                 \
    X(list, KY_NEEDS_RADIUS | KY_NEEDS_LISTS | KY_DUAL, p, number)                                 \
    X(nearest, KY_NEEDS_NEIGHBOURS | KY_DUAL, p, number)                                           \
    X(density, KY_NEEDS_RADIUS | KY_DUAL, p, number)

/* The actions that join bodies, for which cells are tested against cells (physics/visit.h). Each
 * has one result: the smallest index among the bodies that are connected with the body by chains of
 * joined pairs. */
#define KY_JOINING_OF(X, p, number) X(friends, KY_NEEDS_RADIUS | KY_JOINS, p, number)

/* Actions that only the program itself uses, for ranks on the CPU (src/analysis). */
#define KY_INNER_OF(X, p, number) X(crowd, KY_NEEDS_NEIGHBOURS | KY_DUAL, p, number)

#define KY_ACTIONS_PLAIN(name, needs, X, unused) X(name, needs)
#define KY_ACTIONS(X) KY_ACTIONS_OF(KY_ACTIONS_PLAIN, X, 0)
#define KY_JOINING(X) KY_JOINING_OF(KY_ACTIONS_PLAIN, X, 0)
#define KY_INNER(X) KY_INNER_OF(KY_ACTIONS_PLAIN, X, 0)

#endif
