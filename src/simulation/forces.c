/* One evaluation of the forces without a simulation. */
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/force_error.h"
#include "base/bodies.h"
#include "base/phases.h"
#include "base/sizes.h"
#include "base/status.h"
#include "domain/domain.h"
#include "engine/common/external.h"
#include "engine/common/finite.h"
#include "engine/common/force_kinds.h"
#include "engine/engine.h"
#include "engine/force_options.h"
#include "simulation/sim.h"

/* The reason why a single device computes the field at these points; NULL: several can share it. */
static const char *why_one_device(const struct ky_parameters *resolved,
                                  const struct ky_field_points *points)
{
    const struct ky_force_kind *force = ky_force_kind(resolved->force);
    const int in_box = resolved->box > 0;
    if (!points)
        return NULL;
    if (force->is_exact)
        return points->count < ky_domain_ranks_from[1][0]
                   ? "it is faster than several for exact sums at so few points"
                   : NULL;
    if (points->tide && in_box)
        return "ranks do not compute tides in a periodic box";
    if (!points->acceleration && !points->potential && points->tide)
        return NULL;
    /* where ranks divide the bodies 14 to 18 times as fast: docs/ranks.md */
    if (points->count >= KY_MANY_POINTS && !ky_domain_why_copies(resolved, 0))
        return "it is faster than several for fields at many points";
    return force->expands || in_box ? "so few points have exact sums over all bodies" : NULL;
}

/* Opens an engine with the bodies on it, which checks the flag of the parameters, for forces on the
 * bodies (points NULL) or the field at points. *resolved: the parameters in use. Close the engine
 * also after a failure. */
static enum ky_status open_with(const struct ky_parameters *parameters,
                                const struct ky_bodies *bodies,
                                const struct ky_field_points *points,
                                struct ky_parameters *resolved, struct ky_halt *halt,
                                struct ky_engine **engine, struct ky_error *error)
{
    struct ky_bodies input = *bodies;
    input.acceleration = NULL;
    input.potential = NULL;
    struct ky_choice choice = {.text = ""};
    const struct ky_engine_use use = {.n = bodies->n};
    enum ky_status status = ky_force_resolve_later(parameters, resolved, error);
    *halt = (struct ky_halt){.flag = resolved->stop};
    if (!status)
        status = ky_engine_check_alone(resolved, error);
    if (!status)
        status = ky_bodies_check_by(resolved->threads, bodies, error);
    if (!status)
        status = ky_softening_need(resolved, &input, error);
    if (!status)
        status = ky_force_settle(resolved, &input, &use, &choice, halt, error);
    if (!status && *choice.text)
        ky_log(resolved, KY_LOG_DETAIL, "%s", choice.text);
    if (!status)
        status = ky_halt_check(halt, error);
    if (!status)
        status = ky_domain_open_chosen(resolved, why_one_device(resolved, points), &input, engine,
                                       error);
    if (!status)
        (*engine)->halt = halt;
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
    struct ky_halt halt;
    struct ky_engine *engine = NULL;
    struct ky_bodies results = {
        .n = bodies->n, .acceleration = bodies->acceleration, .potential = bodies->potential};
    enum ky_status status = open_with(parameters, bodies, NULL, &resolved, &halt, &engine, error);
    if (!status)
        status = ky_engine_forces(engine, error);
    if (!status) {
        engine->halt = NULL; /* too late for the flag: the caller's arrays change whole or not */
        status = ky_engine_get(engine, &results, error);
    }
    if (!status && report) {
        struct ky_force_report own;
        ky_engine_report(engine, &own);
        ky_size_give_grown(report, &own, sizeof own, KY_FIRST_REPORT);
    }
    ky_engine_close(engine);
    return status;
}

enum ky_status ky_field_adopt(struct ky_field_points *own, const struct ky_field_points *given,
                              struct ky_error *error)
{
    *own = (struct ky_field_points){.size = sizeof *own};
    KY_TRY(ky_size_adopt(own, sizeof *own, given, "sizeof(struct ky_field_points)", error));
    if (own->count && !own->position)
        return ky_fail(error, KY_USAGE, "the points of a field have no positions");
    if (!own->softenings)
        return ky_sim_check_softening(own->softening, error);
    for (size_t k = 0; k < own->count; k++)
        KY_TRY(ky_sim_check_softening(own->softenings[k], error));
    return KY_OK;
}

enum ky_status ky_field_on(struct ky_engine *engine, const struct ky_field_points *wanted,
                           struct ky_error *error)
{
    const struct ky_points points = {wanted->count, wanted->position, wanted->softening,
                                     wanted->softenings, NULL};
    enum ky_status status = KY_OK;
    if (!wanted->count)
        return KY_OK;
    if (wanted->acceleration || wanted->potential || !wanted->tide)
        status = ky_engine_field(engine, &points, wanted->acceleration, wanted->potential, error);
    return status || !wanted->tide ? status : ky_engine_tides(engine, &points, wanted->tide, error);
}

enum ky_status ky_field_fill(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                             const struct ky_field_points *points, struct ky_error *error)
{
    KY_NEED(parameters, error);
    KY_NEED(bodies, error);
    struct ky_field_points own;
    struct ky_parameters resolved;
    struct ky_halt halt;
    struct ky_engine *engine = NULL;
    enum ky_status status = ky_field_adopt(&own, points, error);
    if (!status)
        status = open_with(parameters, bodies, &own, &resolved, &halt, &engine, error);
    if (!status)
        status = ky_field_on(engine, &own, error);
    ky_engine_close(engine);
    return status;
}

enum ky_status ky_field(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                        size_t count, const double (*position)[3], double softening,
                        double (*acceleration)[3], double *potential, struct ky_error *error)
{
    const struct ky_field_points points = {.size = sizeof points,
                                           .count = count,
                                           .position = position,
                                           .softening = softening,
                                           .acceleration = acceleration,
                                           .potential = potential};
    return ky_field_fill(parameters, bodies, &points, error);
}

/* The sum of the fields at points, without bodies. */
static enum ky_status fill_alone(const struct ky_externals *fields,
                                 const struct ky_field_points *own, struct ky_error *error)
{
    const size_t n = own->count;
    const struct ky_points points = {.count = n, .position = own->position};
    enum ky_status status = ky_finite_points(1, &points, error);
    for (size_t k = 0; k < n && !status; k++) {
        if (own->acceleration)
            memset(own->acceleration[k], 0, sizeof own->acceleration[k]);
        if (own->potential)
            own->potential[k] = 0;
        if (own->tide)
            memset(own->tide[k], 0, sizeof own->tide[k]);
        if (own->tide)
            ky_externals_add_tide(fields, own->position[k], own->tide[k]);
    }
    if (!status && (own->acceleration || own->potential))
        status = ky_externals_add_at(fields, &points, own->acceleration, own->potential, error);
    if (!status)
        status = ky_finite_field(1, &points, (const double(*)[3])own->acceleration, own->potential,
                                 error);
    return status || !own->tide ? status
                                : ky_finite_tides(1, &points, (const double(*)[6])own->tide, error);
}

/* KY_USAGE if friction is all that the fields have: it acts on a moving body, and would be 0
 * everywhere. */
static enum ky_status refuse_friction_alone(const struct ky_externals *fields,
                                            struct ky_error *error)
{
    size_t others = 0;
    for (size_t k = 0; k < fields->count; k++)
        others += fields->field[k].kind != KY_EXTERNAL_FRICTION;
    return others || !fields->count
               ? KY_OK
               : ky_fail(error, KY_USAGE,
                         "friction slows a moving body down and is nothing at points at rest: add "
                         "the fields that pull, or follow the body's orbit");
}

enum ky_status ky_external_field(const struct ky_parameters *parameters,
                                 const struct ky_field_points *points, struct ky_error *error)
{
    KY_NEED(parameters, error);
    struct ky_field_points own;
    struct ky_parameters adopted;
    struct ky_externals fields = {0};
    enum ky_status status = ky_field_adopt(&own, points, error);
    if (!status)
        status =
            ky_size_adopt(&adopted, sizeof adopted, parameters, "ky_parameters_defaults", error);
    if (!status)
        status = ky_externals_of(&adopted, &fields, error);
    if (!status)
        status = refuse_friction_alone(&fields, error);
    if (!status)
        status = ky_externals_cover(&fields, adopted.time, adopted.time, error);
    fields.time = adopted.time;
    if (!status)
        status = fill_alone(&fields, &own, error);
    ky_externals_release(&fields);
    return status;
}
