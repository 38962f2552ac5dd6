/* Every action of physics/actions/actions.h for the CPU engine, and the verb that finds them. */
#include "engine/cpu/forces/action.h"

KY_ACTIONS(KY_CPU_ACTION)

#define ENTRY(name, needs) &ky_cpu_##name,
const struct ky_cpu_action *const ky_cpu_actions[KY_ACTION_COUNT] = {KY_ACTIONS(ENTRY)};

enum ky_status ky_cpu_walk(struct ky_engine *engine, const struct ky_walk_request *request,
                           struct ky_error *error)
{
    struct ky_cpu *cpu = (struct ky_cpu *)engine;
    enum ky_status status = ky_walk_opening_check(request, cpu->parameters, error);
    if (status != KY_OK)
        return status;
    return ky_cpu_walk_action(cpu, ky_cpu_actions[request->action], request, error);
}
