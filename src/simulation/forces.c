/* One evaluation of the forces without a simulation. */
#include "analysis/analysis.h"
#include "analysis/force_error.h"
#include "base/bodies.h"
#include "base/phases.h"
#include "engine/common/external.h"
#include "simulation/sim.h"

/* Opens an engine with the bodies on it. *resolved: the parameters as they are used. Close the
 * engine after a failure too. */
static enum ky_status open_with(const struct ky_parameters *parameters,
                                const struct ky_bodies *bodies, struct ky_parameters *resolved,
                                struct ky_engine **engine, struct ky_error *error)
{
    struct ky_bodies input = *bodies;
    input.acceleration = NULL;
    input.potential = NULL;
    struct ky_choice choice = {.text = ""};
    const struct ky_engine_use use = {.n = bodies->n};
    enum ky_status status = ky_force_resolve_once(parameters, resolved, error);
    if (!status)
        status = ky_bodies_check_by(resolved->threads, bodies, error);
    if (!status)
        status = ky_softening_need(resolved, &input, error);
    if (!status)
        status = ky_force_settle(resolved, &input, &use, &choice, error);
    if (!status && *choice.text)
        ky_log(resolved, KY_LOG_DETAIL, "%s", choice.text);
    if (!status)
        status = ky_engine_open(resolved, bodies->n, engine, error);
    if (!status)
        status = ky_externals_cover(&(*engine)->externals, resolved->time, resolved->time, error);
    return status ? status : ky_engine_put(*engine, &input, error);
}

enum ky_status ky_forces(const struct ky_parameters *parameters, struct ky_bodies *bodies,
                         struct ky_force_report *report, struct ky_error *error)
{
    KY_NEED(parameters, error);
    KY_NEED(bodies, error);
    struct ky_parameters resolved;
    struct ky_engine *engine = NULL;
    struct ky_bodies results = {
        .n = bodies->n, .acceleration = bodies->acceleration, .potential = bodies->potential};
    enum ky_status status = open_with(parameters, bodies, &resolved, &engine, error);
    if (!status)
        status = ky_engine_forces(engine, error);
    if (!status)
        status = ky_engine_get(engine, &results, error);
    if (!status && report) {
        struct ky_force_report own;
        ky_engine_report(engine, &own);
        ky_size_give_grown(report, &own, sizeof own, KY_FIRST_REPORT);
    }
    ky_engine_close(engine);
    return status;
}

enum ky_status ky_field(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                        size_t count, const double (*position)[3], double softening,
                        double (*acceleration)[3], double *potential, struct ky_error *error)
{
    KY_NEED(parameters, error);
    KY_NEED(bodies, error);
    if (count)
        KY_NEED(position, error);
    const struct ky_points points = {count, position, softening, NULL, NULL};
    struct ky_parameters resolved;
    struct ky_engine *engine = NULL;
    enum ky_status status = ky_sim_check_softening(softening, error);
    if (!status)
        status = open_with(parameters, bodies, &resolved, &engine, error);
    if (!status && count)
        status = ky_engine_field(engine, &points, acceleration, potential, error);
    ky_engine_close(engine);
    return status;
}
