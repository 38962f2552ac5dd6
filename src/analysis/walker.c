/* The engine of a general walk: see walker.h. */
#include "analysis/walker.h"

#include <math.h>
#include <string.h>

#include "base/bodies.h"
#include "base/phases.h"
#include "base/status.h"
#include "domain/domain.h"
#include "engine/force_options.h"
#include "physics/space.h"

/* Opens the engine. Ranks search through the tree of a force, but compute no force here. `why`: why
 * a single device does everything, or NULL. */
static enum ky_status open_engine(struct ky_walker *walker, const struct ky_bodies *bodies,
                                  const char *why, struct ky_error *error)
{
    const struct ky_engine_use use = {.n = bodies->n, .walk = 1};
    struct ky_parameters *own = &walker->parameters;
    char remark[KY_RANKS_REMARK];
    own->force = KY_TREE;
    if (why)
        ky_domain_take_first(own, why, remark);
    else
        ky_domain_choose_ranks(own, 0, bodies, remark);
    const int is_chosen = own->ranks > 1 && *remark;
    own->force = is_chosen ? KY_TREE : KY_WALK;
    KY_TRY((is_chosen ? ky_domain_open : ky_engine_open_for)(own, bodies->n, &use, &walker->engine,
                                                             error));
    if (*remark) /* logged only if the devices exist */
        ky_log(own, KY_LOG_INFO, "%s", remark);
    return KY_OK;
}

enum ky_status ky_walker_open(const struct ky_parameters *parameters,
                              const struct ky_bodies *bodies, const char *why,
                              struct ky_walker *walker, struct ky_error *error)
{
    struct ky_bodies input = *bodies;
    struct ky_parameters own;
    memset(walker, 0, sizeof *walker);
    input.acceleration = NULL;
    input.potential = NULL;
    ky_force_defaults(&own);
    enum ky_status status =
        ky_size_adopt(&own, sizeof own, parameters, "ky_parameters_defaults", error);
    /* In double all engines find the same bodies within a radius, even a body on its surface. */
    if (own.precision == KY_PRECISION_BY_INTEGRATOR)
        own.precision = KY_DOUBLE;
    own.error = (double)NAN; /* walks compute no forces */
    if (!status)
        status = ky_force_resolve_once(&own, &walker->parameters, error);
    if (!status)
        status = ky_bodies_check_by(walker->parameters.threads, bodies, error);
    walker->halt.flag = own.stop;
    if (!status)
        status = ky_halt_check(&walker->halt, error);
    if (!status)
        status = open_engine(walker, &input, why, error);
    if (!status)
        status = ky_engine_put(walker->engine, &input, error);
    return status;
}

enum ky_status ky_walker_check_radii(const struct ky_walker *walker, const double *radius,
                                     size_t radii, struct ky_error *error)
{
    const double side = walker->parameters.box;
    for (size_t i = 0; i < radii && radius && side > 0; i++)
        if (radius[i] > side / 2)
            return ky_fail(error, KY_USAGE,
                           "the radius %g is more than half of the periodic box, whose side is %g: "
                           "bodies would be within it with several images",
                           radius[i], side);
    return KY_OK;
}

enum ky_status ky_walker_need_open_space(const struct ky_walker *walker, const char *what,
                                         struct ky_error *error)
{
    return walker->parameters.box > 0
               ? ky_fail(error, KY_UNSUPPORTED,
                         "%s do not know periodic boxes yet: leave out --box", what)
               : KY_OK;
}

double ky_walker_distance2(const struct ky_walker *walker, const double a[3], const double b[3])
{
    const double side = walker->parameters.box;
    double r2 = 0;
    for (int c = 0; c < 3; c++) {
        const double d = side > 0
                             ? ky_nearest_image(ky_wrap(b[c], side) - ky_wrap(a[c], side), side)
                             : b[c] - a[c];
        r2 += d * d;
    }
    return r2;
}

struct ky_walker ky_walker_on(struct ky_engine *engine, const struct ky_parameters *parameters,
                              const volatile int *stop)
{
    return (struct ky_walker){
        .parameters = *parameters, .engine = engine, .halt = {.flag = stop}, .is_guest = 1};
}

enum ky_status ky_walker_walk(struct ky_walker *walker, const struct ky_walk_request *request,
                              struct ky_error *error)
{
    struct ky_force_report now, *sum = &walker->report;
    walker->engine->halt = &walker->halt;
    enum ky_status status = ky_engine_walk(walker->engine, request, error);
    walker->engine->halt = NULL;
    if (status)
        return status;
    ky_engine_report(walker->engine, &now);
#define ADD(phase) now.phase += sum->phase;
    KY_PHASES(ADD)
    now.body_interactions += sum->body_interactions;
    now.cell_interactions += sum->cell_interactions;
    *sum = now;
    return KY_OK;
}

void ky_walker_close(struct ky_walker *walker, struct ky_force_report *report)
{
    if (!walker->is_guest)
        ky_engine_close(walker->engine);
    walker->engine = NULL;
    if (report)
        ky_size_give_grown(report, &walker->report, sizeof walker->report, KY_FIRST_REPORT);
}
