/* Every action of physics/actions/actions.h for the CPU engine, and the verb that finds them. */
#include "engine/cpu/forces/action.h"

KY_ACTIONS(KY_CPU_ACTION)

#define ENTRY(name, needs) &ky_cpu_##name,
/* In the order of enum ky_action_id. */
static const struct ky_cpu_action *const actions[KY_ACTION_COUNT] = {KY_ACTIONS(ENTRY)};

enum ky_status ky_cpu_walk(struct ky_engine *engine, const struct ky_walk_request *request,
                           struct ky_error *error)
{
    return ky_cpu_walk_action((struct ky_cpu *)engine, actions[request->action], request, error);
}
