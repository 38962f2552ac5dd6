/* The actions of the general walk, as every engine and the public interface know them: by number,
 * name, results and needs. Their code is in src/physics/actions. */
#ifndef KY_ENGINE_ACTIONS_H
#define KY_ENGINE_ACTIONS_H

#include "base/status.h"
#include "physics/actions/actions.h"

enum ky_action_id {
#define KY_ACTION_ID(name, needs) KY_ACTION_##name,
    KY_ACTIONS(KY_ACTION_ID) KY_JOINING(KY_ACTION_ID)
    /* the public actions */
    KY_ACTION_COUNT,
    KY_ACTION_LAST = KY_ACTION_COUNT - 1,
    KY_INNER(KY_ACTION_ID)
#undef KY_ACTION_ID
        KY_ACTION_ALL
};

/* One result of a body: its unit is G^g mass^mass length^length. */
struct ky_action_result {
    const char *name;
    int g, mass, length;
};

/* The properties of an action that a caller needs. */
struct ky_action_facts {
    struct ky_action about;
    const struct ky_action_result *results;
    int is_dual; /* it wants the dual walk */
};
#define KY_RESULT_ROW(name, g, mass, length) {#name, g, mass, length},
#define KY_RESULT_NAME(name, g, mass, length) " " #name
#define KY_RESULT_ONE(name, g, mass, length) +1
#define KY_ACTION_FACTS(name, needs)                                                               \
    {                                                                                              \
        {sizeof(struct ky_action),                                                                 \
         #name,                                                                                    \
         &(KY_RESULTS_##name(KY_RESULT_NAME))[1],                                                  \
         0 KY_RESULTS_##name(KY_RESULT_ONE),                                                       \
         !!((needs)&KY_NEEDS_RADIUS),                                                              \
         !!((needs)&KY_NEEDS_NEIGHBOURS),                                                          \
         !!((needs)&KY_NEEDS_LISTS),                                                               \
         !!((needs)&KY_JOINS)},                                                                    \
            (const struct ky_action_result[]){KY_RESULTS_##name(KY_RESULT_ROW)},                   \
            !!((needs)&KY_DUAL)                                                                    \
    }

extern const struct ky_action_facts ky_actions[KY_ACTION_ALL];

/* The factor from a result to the caller's units. The engine computed it for G = 1 in its own
 * units; g is the caller's G, mass and length are the engine's units in the caller's. */
double ky_action_unit(const struct ky_action_result *result, double g, double mass, double length);

/* One general walk (physics/visit.h): the action, its inputs and its results. */
struct ky_walk_request {
    enum ky_action_id action;
    size_t n;             /* bodies of the engine */
    const double *radius; /* one for all or [n], as `radii` says; where the action needs it */
    size_t radii;         /* number of radii. 1: one for all bodies; else one for each body of the
                             system (a rank has n of them); 0: the action needs none */
    size_t k;             /* neighbours, below n; where the action needs it */
    double *results;      /* [n][columns of the action], or NULL */
    /* Lists, where the action needs them: body i has list[offset[i]] … list[offset[i + 1] − 1] to
     * fill, ascending. If a list is too short the walk returns KY_USAGE, and all lists are
     * undefined. A list that is too long is undefined. */
    const size_t *offset; /* [n + 1] */
    uint32_t *list;
    uint32_t *group; /* [n] or NULL: the result of an action that joins, as whole numbers */
    /* An action that joins, for a rank with its share of the bodies: the links, given instead of
     * results */
    struct ky_walk_links *links;
};
/* Pairs of bodies that belong to one group, by their numbers in the whole system. Chains of pairs
 * of all ranks make the groups. `pair` is to be freed. */
struct ky_walk_links {
    uint32_t (*pair)[2];
    size_t count;
};

/* KY_USAGE for a request that lacks an input of its action, or has numbers out of range. */
enum ky_status ky_walk_request_check(const struct ky_walk_request *request, struct ky_error *error);
/* KY_USAGE if a list had too little memory after a walk. `wanted` is the number of bodies of the
 * longest such list, which the error names; 0: no list was too short. */
enum ky_status ky_walk_room_check(const struct ky_walk_request *request, uint32_t wanted,
                                  struct ky_error *error);
/* The parameters of the walk, from the engine's. For gravity `relative` is replaced by `offset`:
 * the walk has no last accelerations. */
struct ky_parameters ky_walk_parameters(const struct ky_walk_request *request,
                                        const struct ky_parameters *parameters);

#endif
