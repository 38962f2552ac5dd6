/* The restart file of a simulation: clock, integrator and bodies; the parameters are in
 * sim_restart_text.c. */
#include "base/status.h"
#include "engine/common/external.h"
#include "simulation/run_tasks.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/force_error.h"
#include "base/bodies.h"
#include "base/file.h"
#include "base/memory.h"
#include "domain/domain.h"
#include "engine/common/integrator_columns.h"
#include "engine/common/units.h"
#include "snapshot/fields.h"
#include "snapshot/pieces.h"

/* In files of version 1 the tick is the step of the leapfrog, and no step was divided. */
struct stored_clock {
    double start, tick;
    uint64_t ticks, n, with;
    double part, step;
    uint64_t steps;
    uint64_t field_function; /* 1: there was a field function of the caller */
    double length, mass;     /* the engine's units; 0: unknown */
    double asked, measured;  /* the error at the opening; NaN: none */
    uint64_t samples;        /* number of bodies with which it was measured */
    uint64_t bits;           /* of the processor (ky_engine.bits); 0: unknown */
    /* Within a longest step: the number of its ticks that are done, and their length [time].
     * `ticks` includes them, so that a reader that does not know them refuses the file. */
    uint64_t within;
    double within_tick;
    struct ky_layzer layzer; /* of comoving bodies */
    struct ky_parted parted; /* of comoving bodies */
};

#define AT(member) offsetof(struct stored_clock, member)
static const struct ky_stored_field clock_fields[] = {
    {"start", AT(start), 0, KY_STORED_REAL},
    {"tick", AT(tick), 0, KY_STORED_ANY},
    {"ticks", AT(ticks), 0, KY_STORED_COUNT},
    {"bodies", AT(n), 0, KY_STORED_COUNT},
    {"with", AT(with), 0, KY_STORED_ANY},
    {"part", AT(part), 1, KY_STORED_REAL},
    {"step", AT(step), 1, KY_STORED_ANY},
    {"steps", AT(steps), 1, KY_STORED_COUNT},
    {"field_function", AT(field_function), 1, KY_STORED_FLAG},
    {"unit of length", AT(length), 1, KY_STORED_SIZE},
    {"unit of mass", AT(mass), 1, KY_STORED_SIZE},
    {"error asked", AT(asked), 1, KY_STORED_MAYBE},
    {"error measured", AT(measured), 1, KY_STORED_MAYBE},
    {"error samples", AT(samples), 1, KY_STORED_COUNT},
    {"arithmetic", AT(bits), 1, KY_STORED_ANY},
    {"within", AT(within), 1, KY_STORED_COUNT},
    {"tick within", AT(within_tick), 1, KY_STORED_REAL},
    {"scale factor", AT(layzer.a), 1, KY_STORED_SIZE},
    {"kinetic", AT(layzer.kinetic), 1, KY_STORED_SIZE},
    {"potential", AT(layzer.potential), 1, KY_STORED_REAL},
    {"mass", AT(layzer.mass), 1, KY_STORED_SIZE},
    {"layzer irvine", AT(layzer.sum), 1, KY_STORED_REAL},
    {"step to", AT(parted.to), 1, KY_STORED_SIZE},
    {"parts", AT(parted.parts), 1, KY_STORED_COUNT},
    {"parts done", AT(parted.done), 1, KY_STORED_COUNT},
};
enum { CLOCK_FIELDS = sizeof clock_fields / sizeof *clock_fields };

/* The arrays of the bodies and the columns of the engine as sections without data; returns their
 * number. get_section supplies the data. `without`: arrays that are written elsewhere, as 1 << enum
 * ky_array_id. */
enum { MOST_ARRAYS = (int)KY_ARRAYS + (int)KY_COLUMN_COUNT };
static size_t list_arrays(const struct ky_sim *sim, unsigned without,
                          struct ky_section sections[MOST_ARRAYS])
{
    const unsigned with = sim->with | KY_WITH_ACCELERATION | KY_WITH_POTENTIAL;
    size_t used = 0;
    for (int k = 0; k < KY_COLUMN_COUNT; k++) {
        if (!ky_column_is_in(sim->engine->columns, k))
            continue;
        struct ky_section *section = &sections[used++];
        snprintf(section->name, sizeof section->name, "%s", ky_columns[k].name);
        section->bytes = (uint64_t)sim->n * ky_columns[k].components * sizeof(double);
    }
    for (int k = 0; k < KY_ARRAYS; k++) {
        if ((ky_arrays[k].with && !(with & ky_arrays[k].with)) || (without >> k & 1U))
            continue;
        struct ky_section *section = &sections[used++];
        snprintf(section->name, sizeof section->name, "%s", ky_arrays[k].name);
        section->bytes = (uint64_t)sim->n * ky_arrays[k].bytes;
    }
    return used;
}

/* The ky_section_get of these sections; `context` is the simulation. */
static enum ky_status get_section(void *context, const struct ky_section *section, void *data,
                                  struct ky_error *error)
{
    struct ky_sim *sim = context;
    struct ky_bodies bodies = {.n = sim->n};
    for (int k = 0; k < KY_COLUMN_COUNT; k++)
        if (!strcmp(section->name, ky_columns[k].name))
            return ky_engine_get_column(sim->engine, (enum ky_column)k, data, error);
    for (int k = 0; k < KY_ARRAYS; k++)
        if (!strcmp(section->name, ky_arrays[k].name))
            ky_array_set(&bodies, (enum ky_array_id)k, data);
    return ky_sim_get(sim, &bodies, error);
}

/* KY_BAD_DATA for a number that is not finite, for a body's step with the other sign than the
 * longest step, and, except in comoving boxes, for a body's step that is longer than it. */
static enum ky_status check_column(const struct ky_sim *sim, int which, const double *column,
                                   struct ky_error *error)
{
    const struct ky_column_about *about = &ky_columns[which];
    /* longest steps of comoving boxes differ, and a body may still have the step of a longer one */
    const int any = sim->line.comoving;
    const double longest = sim->integrator->tick * (double)sim->integrator->stride,
                 most = any ? (double)INFINITY : 1;
    for (size_t k = 0; k < sim->n * about->components; k++)
        if (!isfinite(column[k]) ||
            (!about->of_field && !(column[k] / longest >= 0 && column[k] / longest <= most)))
            return ky_fail(
                error, KY_BAD_DATA,
                "the restart file has %g for body %zu in its section '%s'; it must be %s",
                column[k], k / about->components, about->name,
                about->of_field ? "finite"
                : any           ? "0 or a step"
                                : "0 or a step up to the longest one");
    return KY_OK;
}

enum ky_status ky_sim_restore_columns(struct ky_sim *sim, const struct ky_restart *restart,
                                      struct ky_error *error)
{
    for (int k = 0; k < KY_COLUMN_COUNT; k++) {
        const size_t bytes = sim->n * ky_columns[k].components * sizeof(double);
        if (!ky_column_is_in(sim->engine->columns, k) ||
            !ky_restart_find(restart, ky_columns[k].name))
            continue;
        const double *column = ky_restart_section(restart, ky_columns[k].name, bytes, error);
        KY_TRY(column ? check_column(sim, k, column, error) : KY_BAD_DATA);
        KY_TRY(ky_engine_put_column(sim->engine, (enum ky_column)k, column, error));
    }
    return KY_OK;
}

/* The sections of named numbers: clock and integrator. */
enum { NUMBERS = 2 };
static enum ky_status store_numbers(const struct ky_sim *sim, struct ky_section sections[NUMBERS],
                                    struct ky_error *error)
{
    const struct ky_engine_frame units = ky_engine_units_of(sim->engine);
    const struct stored_clock stored = {sim->line.start,
                                        sim->line.tick,
                                        sim->now.ticks + sim->integrator->within,
                                        sim->n,
                                        sim->with,
                                        sim->now.part,
                                        sim->parameters.step,
                                        ky_sim_steps(sim),
                                        (uint64_t)ky_has_field_function(&sim->parameters),
                                        units.length,
                                        units.mass,
                                        sim->choice.asked,
                                        sim->choice.measured,
                                        sim->choice.samples,
                                        sim->engine->bits,
                                        sim->integrator->within,
                                        sim->integrator->within_tick,
                                        sim->layzer,
                                        sim->parted};
    const struct ky_integrator_verbs *verbs = sim->integrator->verbs;
    KY_TRY(ky_fields_store("clock", clock_fields, CLOCK_FIELDS, &stored, &sections[0], error));
    return ky_fields_store("integrator", verbs->fields, verbs->field_count, sim->integrator,
                           &sections[1], error);
}

enum ky_status ky_sim_write_restart(struct ky_sim *sim, struct ky_restart_to *to,
                                    const struct ky_section *extra, size_t extras,
                                    struct ky_error *error)
{
    const size_t most = NUMBERS + MOST_ARRAYS + 2 + extras;
    const struct ky_section lists[] = {ky_sim_told_section(sim), ky_sim_tunings_section(sim)};
    struct ky_section *sections;
    KY_TRY(ky_array_zeroed(&sections, most, sizeof *sections, "restart sections", error));
    const struct ky_writers writers = ky_sim_writers(sim, KY_PIECES_ARRAYS);
    to->bodies = sim->n;
    to->writers = &writers;
    to->get = get_section;
    to->context = sim;
    ky_engine_trim(sim->engine);
    enum ky_status status = to->pieces ? ky_sim_catch_up(sim, error) : KY_OK;
    if (!status)
        status = store_numbers(sim, sections, error);
    if (!status) {
        size_t used =
            NUMBERS + list_arrays(sim, to->pieces ? writers.arrays : 0, sections + NUMBERS);
        for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
            if (lists[k].bytes)
                sections[used++] = lists[k];
        if (extras)
            memcpy(sections + used, extra, extras * sizeof *extra);
        status = ky_restart_write(to, sections, used + extras, error);
    }
    for (size_t k = 0; k < NUMBERS; k++)
        ky_section_free(&sections[k]);
    free(sections);
    return status;
}

/* KY_BAD_DATA unless the clock's `bodies` and `with` agree with the n bodies of the file and its
 * sections. */
static enum ky_status check_arrays(const struct ky_restart *restart,
                                   const struct stored_clock *stored, uint64_t n,
                                   struct ky_error *error)
{
    uint64_t with = 0;
    if (n != stored->n)
        return ky_fail(error, KY_BAD_DATA,
                       "the restart file has the number 'bodies' %" PRIu64
                       " in its section 'clock', and positions of %" PRIu64,
                       stored->n, n);
    for (int k = 0; k < KY_ARRAYS; k++)
        if (ky_restart_find(restart, ky_arrays[k].name))
            with |= ky_arrays[k].with & KY_SIM_LABELS;
    if (stored->with == with)
        return KY_OK;
    return ky_fail(error, KY_BAD_DATA,
                   "the restart file has the number 'with' %" PRIu64
                   " in its section 'clock', where its arrays make %" PRIu64,
                   stored->with, with);
}

/* Moves the sections to arrays, since a copy would need as much memory again; KY_BAD_DATA if one is
 * missing or has another length. `elsewhere`: arrays that are in pieces, as 1 << enum ky_array_id.
 * To be freed also after a failure. */
static enum ky_status take_bodies(struct ky_restart *restart, const struct stored_clock *stored,
                                  unsigned elsewhere, struct ky_bodies *bodies,
                                  struct ky_error *error)
{
    const unsigned with = (unsigned)stored->with | KY_WITH_ACCELERATION | KY_WITH_POTENTIAL;
    bodies->n = (size_t)stored->n;
    for (int k = 0; k < KY_ARRAYS; k++) {
        if ((ky_arrays[k].with && !(with & ky_arrays[k].with)) || (elsewhere >> k & 1U))
            continue;
        void *array =
            ky_restart_take(restart, ky_arrays[k].name, bodies->n * ky_arrays[k].bytes, error);
        ky_array_set(bodies, (enum ky_array_id)k, array);
        if (!array)
            KY_TRY(KY_BAD_DATA);
    }
    return KY_OK;
}

/* Reads the clock. Numbers that files of version 1 lack are derived from the others. */
static enum ky_status restore_clock(const struct ky_restart *restart, struct stored_clock *stored,
                                    struct ky_error *error)
{
    *stored = (struct stored_clock){
        .step = (double)NAN, .steps = UINT64_MAX, .asked = (double)NAN, .measured = (double)NAN};
    enum ky_status status =
        ky_fields_restore(restart, "clock", clock_fields, CLOCK_FIELDS, stored, error);
    if (restart->version == 1)
        stored->step = stored->tick;
    if (stored->steps == UINT64_MAX)
        stored->steps = stored->ticks;
    if (!status && stored->within > stored->ticks)
        return ky_fail(error, KY_BAD_DATA,
                       "the restart file has the number 'within' %" PRIu64
                       " in its section 'clock', above its 'ticks' %" PRIu64,
                       stored->within, stored->ticks);
    stored->ticks -= stored->within;
    return status;
}

/* KY_USAGE unless the caller gives a field function exactly if the run had one. The file does not
 * contain the function. */
static enum ky_status check_function(const struct stored_clock *stored,
                                     const struct ky_parameters *parameters, struct ky_error *error)
{
    if (!stored->field_function == !ky_has_field_function(parameters))
        return KY_OK;
    return ky_fail(error, KY_USAGE,
                   stored->field_function
                       ? "it ran in a field that is a function of the program: give the same "
                         "function as its field"
                       : "it ran without a function of the program as its field: give none");
}

/* 1 if a stop can have left this step of comoving bodies, or if there is none. */
static int has_right_parts(const struct stored_clock *stored, const struct ky_sim *sim)
{
    const struct ky_parted *own = &stored->parted;
    if (own->parts == 0)
        return own->done == 0 && !(stored->within && sim->line.comoving);
    return sim->line.comoving && own->done < own->parts && own->parts <= KY_MOST_PARTS &&
           stored->within + own->done > 0 && own->to > 0;
}

/* Checks that the clock fits these parameters. A simulation may have no step yet. */
static enum ky_status check_clock(const struct stored_clock *stored, const struct ky_sim *sim,
                                  struct ky_error *error)
{
    const double tick = sim->integrator->tick;
    if (stored->tick != tick && !(isnan(stored->tick) && isnan(tick)))
        return ky_fail(error, KY_BAD_DATA,
                       "the restart file has the numbers 'tick' %g and 'step' %g in its section "
                       "'clock'; this step makes ticks of %g",
                       stored->tick, stored->step, tick);
    if (!ky_instant_lies_on(&sim->line, sim->integrator->stride,
                            (struct ky_instant){stored->ticks, stored->part}))
        return ky_fail(error, KY_BAD_DATA,
                       "the restart file has the numbers 'ticks' %" PRIu64
                       " and 'part' %g in its section 'clock', which are no time of its steps",
                       stored->ticks, stored->part);
    const double length = ky_timeline_length(&sim->line, stored->ticks, sim->integrator->stride),
                 most = fabs(length) / (double)sim->integrator->stride * (1 + 1e-12);
    if (stored->within && (stored->within >= sim->integrator->stride ||
                           !(fabs(stored->within_tick) <= most && stored->within_tick != 0)))
        return ky_fail(
            error, KY_BAD_DATA,
            "the restart file has the numbers 'within' %" PRIu64
            " and 'tick within' %g in its section 'clock', which do not lie within a step",
            stored->within, stored->within_tick);
    if (!has_right_parts(stored, sim))
        return ky_fail(
            error, KY_BAD_DATA,
            "the restart file has the numbers 'parts' %" PRIu64 ", 'parts done' %" PRIu64
            " and 'step to' %g in its "
            "section 'clock', which do not describe a stop within a step of comoving bodies",
            stored->parted.parts, stored->parted.done, stored->parted.to);
    return KY_OK;
}

/* 1 if the file has the engine's former units, in which it continues: the bodies may have outgrown
 * them, but in other units different floats would underflow. */
static int has_units(const struct stored_clock *stored)
{
    return stored->length > 0 || stored->mass > 0;
}

static enum ky_status check_units(const struct stored_clock *stored, struct ky_error *error)
{
    const double unit[] = {stored->length, stored->mass};
    int exponent;
    for (int k = 0; has_units(stored) && k < 2; k++)
        if (frexp(unit[k], &exponent) != 0.5)
            return ky_fail(error, KY_BAD_DATA,
                           "the restart file has the number '%s' %g in its section 'clock'; it "
                           "must be a power of two",
                           k ? "unit of mass" : "unit of length", unit[k]);
    return KY_OK;
}

/* Restores the error found at the opening. The force may have changed since; its current parameters
 * are kept. */
static void restore_choice(struct ky_sim *sim, const struct stored_clock *stored)
{
    sim->choice.asked = stored->asked;
    sim->choice.measured = stored->measured;
    sim->choice.samples = stored->samples;
    ky_choice_note(&sim->choice, &sim->parameters);
}

/* The run continues, but its results do not repeat bit for bit. */
static void warn_of_bits(const struct ky_sim *sim, const struct stored_clock *stored)
{
    if (stored->bits && sim->engine->bits && stored->bits != sim->engine->bits)
        ky_log(&sim->parameters, KY_LOG_WARNING,
               "the last digits differ from those of the processor or instruction set that wrote "
               "the restart file: " KY_OTHER_BITS);
}

/* 1 if bodies in pieces will be divided among ranks, unless some have no mass and the ranks need
 * bodies with mass. */
static int are_divided(const struct ky_parameters *resolved, const struct stored_clock *stored)
{
    const struct ky_engine_use use = ky_integrator_use(resolved, (size_t)stored->n);
    return ky_domain_divides(resolved, use.schemes) && !(stored->with & KY_WITH_SOFTENING);
}

/* Takes the bodies from the file, and from its pieces if it has any. If these are divided, opens
 * the simulation, whose ranks read them. *has_forces: 0 if some have no forces yet. */
static enum ky_status load_bodies(struct ky_restart *restart, const struct stored_clock *stored,
                                  const struct ky_parameters *resolved, struct ky_bodies *bodies,
                                  struct ky_sim **sim, int *has_forces, struct ky_error *error)
{
    struct ky_pieces pieces;
    const struct ky_section *position = ky_restart_find(restart, "position");
    const int in_pieces = restart->path != NULL;
    if (in_pieces)
        KY_TRY(ky_pieces_describe(restart, &pieces, error));
    else if (!position)
        return ky_fail(error, KY_BAD_DATA, "the restart file has no positions");
    KY_TRY(check_arrays(restart, stored,
                        in_pieces ? pieces.bodies : position->bytes / (3 * sizeof(double)), error));
    KY_TRY(take_bodies(restart, stored, in_pieces ? KY_PIECES_ARRAYS : 0, bodies, error));
    if (in_pieces && has_units(stored) && are_divided(resolved, stored)) {
        int has_massless;
        KY_TRY(ky_bodies_check_arrays(0, bodies, error));
        KY_TRY(ky_sim_begin(resolved, bodies->n, sim, error));
        KY_TRY(ky_run_resume_pieces((*sim)->engine, &pieces, has_forces, &has_massless, error));
        if (!has_massless || !ky_domain_needs_mass(resolved))
            return KY_OK;
        ky_sim_close(*sim);
        *sim = NULL;
    }
    const struct ky_portion all = ky_portion_of_all(bodies->n);
    if (in_pieces)
        KY_TRY(ky_pieces_read(&pieces, &all, resolved->threads, bodies, error));
    *has_forces = ky_knows_acceleration(bodies);
    KY_TRY(ky_bodies_check_by(resolved->threads, bodies, error));
    return ky_bodies_check_forces_from(resolved->threads, 0, bodies, error);
}

enum ky_status ky_sim_from_restart(struct ky_restart *restart,
                                   const struct ky_parameters *parameters, struct ky_sim **made,
                                   struct ky_error *error)
{
    *made = NULL;
    struct stored_clock stored;
    KY_TRY(restore_clock(restart, &stored, error));
    KY_TRY(check_function(&stored, parameters, error));
    KY_TRY(check_units(&stored, error));
    struct ky_sim *sim = NULL;
    struct ky_parameters own = *parameters, resolved;
    const struct ky_engine_frame units = {.length = stored.length, .mass = stored.mass};
    struct ky_bodies bodies = {0};
    int has_forces = 0;
    own.step = stored.step;
    KY_TRY(ky_parameters_resolve(&own, &resolved, error));
    enum ky_status status =
        load_bodies(restart, &stored, &resolved, &bodies, &sim, &has_forces, error);
    if (!status && !sim)
        status = ky_sim_begin(&resolved, bodies.n, &sim, error);
    if (!status && has_units(&stored))
        status = ky_engine_set_frame(sim->engine, &units, error);
    if (!status)
        status = ky_sim_create(&resolved, &bodies, stored.start, &sim, error);
    if (!status)
        status = check_clock(&stored, sim, error);
    if (!status) {
        sim->line.tick = stored.tick;
        sim->now = (struct ky_instant){stored.ticks, stored.part};
        sim->layzer = stored.layzer;
        sim->parted = stored.parted;
        ky_sim_soften(sim, ky_sim_time(sim));
        sim->integrator->within = stored.within;
        sim->integrator->within_tick = stored.within_tick;
        ky_engine_set_time(sim->engine, ky_sim_time(sim));
    }
    /* An engine treats forces that are all 0, as on a single body, as unknown. */
    if (!status && !has_forces)
        status = ky_engine_forces(sim->engine, error);
    ky_bodies_free(&bodies);
    if (status) {
        ky_sim_close(sim);
        return status;
    }
    sim->steps_before = stored.steps;
    warn_of_bits(sim, &stored);
    restore_choice(sim, &stored);
    const struct ky_integrator_verbs *verbs = sim->integrator->verbs;
    status = ky_fields_restore(restart, "integrator", verbs->fields, verbs->field_count,
                               sim->integrator, error);
    if (!status)
        status = ky_sim_restore_columns(sim, restart, error);
    if (!status)
        status = ky_sim_restore_told(sim, restart, error);
    if (!status)
        status = ky_sim_restore_tunings(sim, restart, error);
    if (status)
        ky_sim_close(sim);
    else
        *made = sim;
    return status;
}

/* ---- the public calls ---- */

static enum ky_status save(struct ky_sim *sim, struct ky_restart_to *to, struct ky_error *error)
{
    char *text = NULL;
    enum ky_status status = ky_sim_check_open(sim, error);
    if (!status)
        status = ky_sim_text(sim, &text, error);
    if (!status) {
        const struct ky_section parameters = {"parameters", text, strlen(text) + 1};
        status = ky_sim_write_restart(sim, to, &parameters, 1, error);
    }
    free(text);
    return status;
}

enum ky_status ky_sim_save(struct ky_sim *sim, const char *path, struct ky_error *error)
{
    KY_NEED(path, error);
    return save(sim, &(struct ky_restart_to){.path = path}, error);
}

enum ky_status ky_sim_save_memory(struct ky_sim *sim, void *data, size_t *bytes,
                                  struct ky_error *error)
{
    KY_NEED(bytes, error);
    struct ky_restart_to to = {.memory = data, .room = *bytes};
    enum ky_status status = save(sim, &to, error);
    *bytes = to.bytes;
    return status;
}

/* Opens a simulation from data that have been read, and frees them. */
static enum ky_status restore(struct ky_restart *restart, const struct ky_parameters *wanted,
                              struct ky_sim **sim, struct ky_error *error)
{
    struct ky_parameters restored;
    char *text = NULL;
    enum ky_status status = ky_sim_restore_parameters(restart, wanted, &restored, &text, error);
    if (!status)
        status = ky_sim_from_restart(restart, &restored, sim, error);
    char remark[KY_RANKS_REMARK] = "";
    if (!status)
        ky_domain_take_first(&restored, "`ranks` of a restored simulation is 1", remark);
    if (*remark)
        ky_log(&restored, KY_LOG_INFO, "%s", remark);
    ky_restart_free(restart);
    free(text);
    return status;
}

static enum ky_status adopt(const struct ky_parameters *parameters, struct ky_parameters *own,
                            struct ky_error *error)
{
    ky_parameters_defaults(own);
    return ky_size_adopt(own, sizeof *own, parameters, "ky_parameters_defaults", error);
}

enum ky_status ky_sim_restore(const char *path, const struct ky_parameters *parameters,
                              struct ky_sim **sim, struct ky_error *error)
{
    KY_NEED(path, error);
    KY_NEED(sim, error);
    struct ky_parameters own;
    struct ky_restart restart;
    *sim = NULL;
    KY_TRY(adopt(parameters, &own, error));
    KY_TRY(ky_restart_read(path, &restart, NULL, error));
    enum ky_status status = restore(&restart, &own, sim, error);
    return status ? ky_fail_in(error, status, "%s: ", path) : KY_OK;
}

enum ky_status ky_sim_restore_memory(const void *data, size_t bytes,
                                     const struct ky_parameters *parameters, struct ky_sim **sim,
                                     struct ky_error *error)
{
    KY_NEED(data, error);
    KY_NEED(sim, error);
    struct ky_parameters own;
    struct ky_restart restart;
    struct ky_input input;
    *sim = NULL;
    enum ky_status status = adopt(parameters, &own, error);
    ky_input_memory(&input, data, bytes);
    if (!status)
        status = ky_restart_read_input(&input, &restart, error);
    if (!status)
        status = restore(&restart, &own, sim, error);
    return status ? ky_fail_in(error, status, "the saved simulation: ") : KY_OK;
}
