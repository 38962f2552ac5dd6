/* The CPU tables of all actions in physics/actions/actions.h, and the verb that selects one. */
#include "engine/cpu/forces/action.h"

KY_ACTIONS(KY_CPU_ACTION)
KY_INNER(KY_CPU_ACTION)
KY_JOINING(KY_CPU_JOINING)

/* Indexed by enum ky_action_id; each action is in one of the two tables. */
#define ENTRY(name, needs) [KY_ACTION_##name] = &ky_cpu_##name,
static const struct ky_cpu_action *const actions[KY_ACTION_ALL] = {KY_ACTIONS(ENTRY)
                                                                       KY_INNER(ENTRY)};
static const struct ky_cpu_joining *const joining[KY_ACTION_ALL] = {KY_JOINING(ENTRY)};

enum ky_status ky_cpu_walk(struct ky_engine *engine, const struct ky_walk_request *request,
                           struct ky_error *error)
{
    struct ky_cpu *cpu = (struct ky_cpu *)engine;
    return actions[request->action]
               ? ky_cpu_walk_action(cpu, actions[request->action], request, error)
               : ky_cpu_join_action(cpu, joining[request->action], request, error);
}
