/* The actions of the general walk, as every engine and the public interface know them: by number,
 * name, results and needs. What they do is in src/physics/actions. */
#ifndef KY_ENGINE_ACTIONS_H
#define KY_ENGINE_ACTIONS_H

#include "base/status.h"
#include "physics/actions/actions.h"

enum ky_action_id {
#define KY_ACTION_ID(name, needs) KY_ACTION_##name,
    KY_ACTIONS(KY_ACTION_ID) KY_JOINING(KY_ACTION_ID)
    /* those that callers know */
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

/* What a caller has to know about an action. KY_ACTION_FACTS(name, needs) is the initialiser. */
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

struct ky_walk_request;
/* KY_USAGE for a request without what its action needs, or with numbers out of range. */
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
