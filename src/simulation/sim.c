/* ky_sim: bodies on an engine, an integrator and a clock. */
#include "simulation/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/memory.h"
#include "integrate/integrate.h"

static void *copy_of(const void *data, size_t count, size_t size)
{
    void *copy = ky_allocate(count, size);
    if (copy && count)
        memcpy(copy, data, count * size);
    return copy;
}

static enum ky_status keep_labels(struct ky_sim *sim, const struct ky_bodies *bodies,
                                  struct ky_error *error)
{
    sim->with = (bodies->id ? KY_WITH_ID : 0u) | (bodies->type ? KY_WITH_TYPE : 0u) |
                (bodies->softening ? KY_WITH_SOFTENING : 0u);
    if (bodies->id && !(sim->id = copy_of(bodies->id, bodies->n, sizeof *sim->id)))
        return ky_no_memory(error, "ids", bodies->n, sizeof *sim->id);
    if (bodies->type && !(sim->type = copy_of(bodies->type, bodies->n, sizeof *sim->type)))
        return ky_no_memory(error, "types", bodies->n, sizeof *sim->type);
    return KY_OK;
}

/* A simulation whose bodies are on the engine, without forces unless the bodies brought them. */
static enum ky_status create(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                             double time, struct ky_sim **made, struct ky_error *error)
{
    *made = NULL;
    struct ky_sim *sim = ky_allocate_zeroed(1, sizeof *sim);
    if (!sim)
        return ky_no_memory(error, "simulation", 1, sizeof *sim);
    enum ky_status status = ky_parameters_resolve(parameters, &sim->parameters, error);
    if (status)
        goto fail;
    sim->engine_name = copy_of(sim->parameters.engine, strlen(sim->parameters.engine) + 1, 1);
    if (!sim->engine_name) {
        status = ky_no_memory(error, "engine name", strlen(sim->parameters.engine) + 1, 1);
        goto fail;
    }
    sim->parameters.engine = sim->engine_name;
    sim->n = bodies->n;
    sim->start = time;
    status = keep_labels(sim, bodies, error);
    if (!status)
        status = ky_engine_open(&sim->parameters, bodies->n, &sim->engine, error);
    if (!status)
        status = ky_engine_put(sim->engine, bodies, error);
    if (status)
        goto fail;
    *made = sim;
    return KY_OK;
fail:
    ky_sim_close(sim);
    return status;
}

enum ky_status ky_sim_place(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                            double time, struct ky_sim **made, struct ky_error *error)
{
    struct ky_parameters resolved;
    struct ky_bodies fresh =
        *bodies; /* the forces of another run are not those of these parameters */
    fresh.acceleration = NULL;
    fresh.potential = NULL;
    *made = NULL;
    if (!isfinite(time))
        return ky_fail(error, KY_USAGE, "start time %g; it must be finite", time);
    if (parameters->step != 0 && time + parameters->step == time)
        return ky_fail(
            error, KY_USAGE,
            "the step %g is lost in the rounding of the start time %g: time cannot advance",
            parameters->step, time);
    enum ky_status status = ky_parameters_resolve(parameters, &resolved, error);
    if (!status)
        status = ky_softening_need(&resolved, &fresh, error);
    return status ? status : create(parameters, &fresh, time, made, error);
}

enum ky_status ky_sim_first_forces(struct ky_sim *sim, struct ky_error *error)
{
    return ky_engine_forces(sim->engine, error);
}

enum ky_status ky_sim_open(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                           double time, struct ky_sim **made, struct ky_error *error)
{
    *made = NULL;
    enum ky_status status = ky_bodies_check(bodies, error);
    if (!status)
        status = ky_sim_place(parameters, bodies, time, made, error);
    if (!status)
        status = ky_sim_first_forces(*made, error);
    if (status) {
        ky_sim_close(*made);
        *made = NULL;
    }
    return status;
}

void ky_sim_close(struct ky_sim *sim)
{
    if (!sim)
        return;
    ky_engine_close(sim->engine);
    free(sim->engine_name);
    free(sim->id);
    free(sim->type);
    free(sim);
}

enum ky_status ky_sim_advance(struct ky_sim *sim, uint64_t steps, struct ky_error *error)
{
    double step = sim->parameters.step;
    if (!isfinite(step) || step == 0)
        return ky_fail(error, KY_USAGE, "step is not set; parameters.step must be a finite time");
    enum ky_status status = ky_integrator_get((enum ky_integrator)sim->parameters.integrator)
                                ->advance(sim->engine, step, steps, error);
    if (!status)
        sim->steps += steps;
    return status;
}

size_t ky_sim_n(const struct ky_sim *sim)
{
    return sim->n;
}

double ky_sim_time(const struct ky_sim *sim)
{
    return sim->steps ? fma((double)sim->steps, sim->parameters.step, sim->start) : sim->start;
}

uint64_t ky_sim_steps(const struct ky_sim *sim)
{
    return sim->steps;
}

enum ky_status ky_sim_bodies(struct ky_sim *sim, struct ky_bodies *bodies, struct ky_error *error)
{
    if (bodies->n != sim->n)
        return ky_fail(error, KY_USAGE, "arrays for %zu bodies, the simulation has %zu", bodies->n,
                       sim->n);
    for (size_t i = 0; bodies->id && i < sim->n; i++)
        bodies->id[i] = sim->id ? sim->id[i] : i;
    for (size_t i = 0; bodies->type && i < sim->n; i++)
        bodies->type[i] = sim->type ? sim->type[i] : 4;
    return ky_engine_get(sim->engine, bodies, error);
}

enum ky_status ky_sim_sums(struct ky_sim *sim, struct ky_sums *sums, struct ky_error *error)
{
    return ky_engine_sums(sim->engine, sums, error);
}

void ky_sim_report(struct ky_sim *sim, struct ky_force_report *report)
{
    ky_engine_report(sim->engine, report);
}

/* ---- the restart file ---- */

struct stored_clock {
    double start, step;
    uint64_t steps, n, with;
};

enum { BODY_ARRAYS = 8 };

/* The arrays of the bodies as sections; those that are NULL are left out. */
static size_t body_sections(const struct ky_bodies *bodies, struct ky_section sections[BODY_ARRAYS])
{
    const struct {
        const char *name;
        const void *data;
        size_t size;
    } arrays[BODY_ARRAYS] = {
        {"mass", bodies->mass, sizeof(double)},
        {"position", bodies->position, 3 * sizeof(double)},
        {"velocity", bodies->velocity, 3 * sizeof(double)},
        {"acceleration", bodies->acceleration, 3 * sizeof(double)},
        {"potential", bodies->potential, sizeof(double)},
        {"softening", bodies->softening, sizeof(double)},
        {"id", bodies->id, sizeof(uint64_t)},
        {"type", bodies->type, sizeof(uint8_t)},
    };
    size_t used = 0;
    for (size_t k = 0; k < BODY_ARRAYS; k++) {
        if (!arrays[k].data)
            continue;
        struct ky_section *section = &sections[used++];
        snprintf(section->name, sizeof section->name, "%s", arrays[k].name);
        section->data = arrays[k].data;
        section->bytes = (uint64_t)bodies->n * arrays[k].size;
    }
    return used;
}

enum ky_status ky_sim_write_restart(struct ky_sim *sim, const char *path,
                                    const struct ky_section *extra, size_t extras,
                                    struct ky_error *error)
{
    const struct stored_clock stored = {sim->start, sim->parameters.step, sim->steps, sim->n,
                                        sim->with};
    struct ky_section *sections = ky_allocate(1 + BODY_ARRAYS + extras, sizeof *sections);
    struct ky_bodies bodies = {0};
    if (!sections)
        return ky_no_memory(error, "restart sections", 1 + BODY_ARRAYS + extras, sizeof *sections);
    ky_engine_trim(sim->engine);
    enum ky_status status = ky_bodies_allocate(
        &bodies, sim->n, sim->with | KY_WITH_ACCELERATION | KY_WITH_POTENTIAL, error);
    if (!status)
        status = ky_sim_bodies(sim, &bodies, error);
    if (!status) {
        sections[0] = (struct ky_section){"clock", &stored, sizeof stored};
        size_t used = 1 + body_sections(&bodies, sections + 1);
        if (extras)
            memcpy(sections + used, extra, extras * sizeof *extra);
        status = ky_restart_write(path, sections, used + extras, error);
    }
    ky_bodies_free(&bodies);
    free(sections);
    return status;
}

/* Copies the sections into arrays of the right length; one that is missing or of another length is
 * an error. */
static enum ky_status read_bodies(const struct ky_restart *restart,
                                  const struct stored_clock *stored, struct ky_bodies *bodies,
                                  struct ky_error *error)
{
    if (stored->n > SIZE_MAX / (3 * sizeof(double)))
        return ky_fail(error, KY_BAD_DATA,
                       "the restart file claims more bodies than memory can hold");
    if (!ky_restart_section(restart, "position", stored->n * 3 * sizeof(double), error))
        return KY_BAD_DATA;
    enum ky_status status = ky_bodies_allocate(
        bodies, (size_t)stored->n,
        (unsigned)stored->with | KY_WITH_ACCELERATION | KY_WITH_POTENTIAL, error);
    struct ky_section sections[BODY_ARRAYS];
    size_t used = status ? 0 : body_sections(bodies, sections);
    for (size_t k = 0; k < used; k++) {
        const void *data = ky_restart_section(restart, sections[k].name, sections[k].bytes, error);
        if (!data)
            return KY_BAD_DATA;
        void *array; /* ours, though a section's data are const */
        memcpy(&array, &sections[k].data, sizeof array);
        memcpy(array, data, (size_t)sections[k].bytes);
    }
    return status;
}

enum ky_status ky_sim_from_restart(const struct ky_restart *restart,
                                   const struct ky_parameters *parameters, struct ky_sim **made,
                                   struct ky_error *error)
{
    *made = NULL;
    const struct stored_clock *stored = ky_restart_section(restart, "clock", sizeof *stored, error);
    if (!stored)
        return KY_BAD_DATA;
    struct ky_parameters own = *parameters;
    own.step = stored->step;
    struct ky_bodies bodies = {0};
    enum ky_status status = read_bodies(restart, stored, &bodies, error);
    if (!status)
        status = ky_bodies_check(&bodies, error);
    if (!status)
        status = create(&own, &bodies, stored->start, made, error);
    if (!status)
        (*made)->steps = stored->steps;
    ky_bodies_free(&bodies);
    return status;
}
