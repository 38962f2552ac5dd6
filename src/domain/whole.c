/* Collects all bodies of a divided system on rank 0, for calls that cannot be divided. */
#include "domain/domain.h"

enum { ARRAYS = KY_WITH_MASS_ROW | KY_WITH_POSITION_ROW | KY_WITH_VELOCITY_ROW };

/* Rank 0 may use the processors of ranks that are threads: they wait meanwhile. */
static struct ky_parameters parameters_of(const struct ky_domain *domain)
{
    struct ky_parameters own = domain->parameters;
    own.field = NULL; /* the caller adds the fields */
    own.log = NULL;
    own.threads *= domain->comm->is_process ? 1 : domain->comm->size;
    return own;
}

enum ky_status ky_domain_open_whole(struct ky_domain *domain, ky_domain_get_function *get,
                                    struct ky_engine *engine, struct ky_whole *whole,
                                    struct ky_error *error)
{
    const struct ky_engine_frame units = ky_engine_units_of(domain->engine);
    struct ky_bodies all = {0};
    whole->engine = NULL;
    whole->parameters = parameters_of(domain);
    enum ky_status status = ky_rows_allocate(&all, domain->total, ARRAYS, error);
    if (!status)
        status = get(engine, &all, error);
    if (!status)
        status = ky_engine_open(&whole->parameters, all.n, &whole->engine, error);
    if (!status && units.length > 0)
        status = ky_engine_set_frame(whole->engine, &units, error);
    if (!status)
        status = ky_engine_put(whole->engine, &all, error);
    if (!status)
        whole->engine->halt = engine->halt;
    ky_rows_free(&all);
    return status;
}
