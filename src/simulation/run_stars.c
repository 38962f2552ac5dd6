/* Stellar evolution in a run: --stellar-evolution. Stars change between two steps, where a call of
 * the integrator has ended and all bodies, also in groups, are at one time. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/bodies.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "simulation/run.h"

/* ---- the start ---- */

static enum ky_status open_code(struct ky_run *run, const struct ky_units *units,
                                struct ky_error *error)
{
    const struct ky_run_parameters *given = &run->given;
    KY_TRY(ky_stars_open(given->stellar_evolution, given->stellar, units, &run->stars, error));
    run->state.stellar = given->stellar ? KY_STELLAR_OF_PROGRAM : KY_STELLAR_NAMED;
    run->given.stellar_evolution = run->stars->text; /* with the whole path of a file */
    return KY_OK;
}

static enum ky_status refuse_box(const struct ky_parameters *parameters, struct ky_error *error)
{
    return parameters->box > 0
               ? ky_fail(error, KY_UNSUPPORTED,
                         "stellar evolution is not available in periodic boxes: leave out "
                         "--stellar-evolution")
               : KY_OK;
}

enum ky_status ky_run_check_stars(const struct ky_parameters *parameters,
                                  const struct ky_run_parameters *given,
                                  const struct ky_units *units, struct ky_error *error)
{
    struct ky_stars *stars;
    if (!given->stellar_evolution && !given->stellar)
        return KY_OK;
    KY_TRY(refuse_box(parameters, error));
    KY_TRY(ky_stars_open(given->stellar_evolution, given->stellar, units, &stars, error));
    ky_stars_close(stars);
    return KY_OK;
}

enum ky_status ky_run_make_stars(struct ky_run *run, const struct ky_units *units,
                                 struct ky_bodies *bodies, struct ky_error *error)
{
    if (!run->given.stellar_evolution && !run->given.stellar)
        return KY_OK;
    KY_TRY(refuse_box(&run->parameters, error));
    KY_TRY(open_code(run, units, error));
    KY_TRY(ky_bodies_check(bodies, error));
    KY_TRY(ky_stars_follow(run->stars, bodies, error));
    ky_log(&run->parameters, KY_LOG_INFO, "stellar evolution: %s", run->stars->code->name);
    if (bodies->radius || !isnan(run->parameters.body_radius))
        return KY_OK;
    if (!(bodies->radius = ky_allocate_zeroed(bodies->n, sizeof *bodies->radius)))
        return ky_no_memory(error, "radii", bodies->n, sizeof *bodies->radius);
    run->state.stellar_radii = 1;
    return KY_OK;
}

/* Giants reach hundreds of solar radii, and in a pair of equal masses a star fills its Roche lobe
 * where the distance is 2.6 times its radius (Eggleton 1983). */
enum { CLOSE = 1000 /* solar radii */ };

enum ky_status ky_run_note_pairs(struct ky_run *run, const struct ky_bodies *bodies,
                                 struct ky_error *error)
{
    struct ky_parameters own = run->parameters;
    struct ky_binaries found = {.size = sizeof found};
    size_t count = 0;
    if (!run->stars || bodies->n < 2)
        return KY_OK;
    own.engine = "cpu";
    own.ranks = 1;
    KY_TRY(ky_binaries_find(&own, bodies, &found, NULL, error));
    for (size_t k = 0; k < found.count; k++) {
        const uint32_t *body = found.body[k];
        count += run->stars->row[body[0]].type != KY_NO_STAR &&
                 run->stars->row[body[1]].type != KY_NO_STAR &&
                 found.semi_major_axis[k] * (1 - found.eccentricity[k]) <
                     CLOSE * run->stars->solar_radius;
    }
    ky_binaries_free(&found);
    if (count)
        ky_format(run->notes.pairs, KY_NOTE,
                  "%zu %s of stars %s nearer than %d solar radii at pericentre: mass that they "
                  "exchange when one becomes a giant is not followed, as stellar evolution treats "
                  "each star alone",
                  count, ky_plural(count, "pair", "pairs"), count == 1 ? "is" : "are", CLOSE);
    return KY_OK;
}

/* ---- changes ---- */

/* New numbers of some bodies, with only the arrays that change. */
struct changed {
    size_t *index;
    struct ky_bodies some;
    struct ky_bodies own; /* the memory of the arrays */
};

static void release(struct changed *changed)
{
    free(changed->index);
    ky_bodies_free(&changed->own);
}

static void set_clock(struct ky_run *run)
{
    run->stars->clock = (ky_sim_time(run->sim) - run->sim->line.start) / run->stars->myr;
}

static int is_kicked(const struct ky_star *now)
{
    return now->kick[0] != 0 || now->kick[1] != 0 || now->kick[2] != 0;
}

/* Fills in the changed arrays. */
static enum ky_status prepare(struct ky_run *run, const struct ky_star_change *change, size_t count,
                              struct changed *changed, struct ky_error *error)
{
    const struct ky_stars *stars = run->stars;
    struct ky_bodies *own = &changed->own, *some = &changed->some;
    const int radii = isnan(run->parameters.body_radius);
    KY_TRY(ky_bodies_allocate(own, count, KY_WITH_RADIUS, error));
    KY_TRY(ky_array(&changed->index, count, sizeof *changed->index, "stars that change", error));
    for (size_t k = 0; k < count; k++)
        changed->index[k] = change[k].index;
    KY_TRY(ky_sim_read(run->sim, changed->index, own, error));
    *some = (struct ky_bodies){.size = sizeof *some, .n = count};
    some->radius = radii ? own->radius : NULL;
    for (size_t k = 0; k < count; k++) {
        const struct ky_star *now = &change[k].now;
        own->radius[k] = now->radius * stars->solar_radius;
        if (now->mass != change[k].before.mass) {
            own->mass[k] = now->mass * stars->solar_mass;
            some->mass = own->mass;
        }
        if (is_kicked(now))
            some->velocity = own->velocity;
        for (int c = 0; c < 3; c++)
            own->velocity[k][c] += now->kick[c] * stars->km_s;
    }
    return KY_OK;
}

/* Replaces the numbers, and books the change of the energy. */
static enum ky_status replace(struct ky_run *run, const struct changed *changed,
                              struct ky_error *error)
{
    struct ky_sums before = {0}, after = {0};
    const int has_energy = changed->some.mass || changed->some.velocity;
    if (has_energy)
        KY_TRY(ky_sim_sums(run->sim, &before, error));
    if (has_energy || changed->some.radius)
        KY_TRY(ky_sim_replace(run->sim, changed->index, &changed->some, error));
    if (!has_energy)
        return KY_OK;
    KY_TRY(ky_sim_sums(run->sim, &after, error));
    const double energy = ky_total_energy(&after) - ky_total_energy(&before);
    run->energy_start.energy += energy;
    run->energy_start.evolved += energy;
    return KY_OK;
}

/* A row for each star whose type changes, and for each supernova. */
static enum ky_status write_rows(struct ky_run *run, const struct ky_star_change *change,
                                 const struct changed *changed, struct ky_error *error)
{
    const struct ky_bodies *own = &changed->own;
    for (size_t k = 0; k < own->n; k++) {
        const struct ky_star *now = &change[k].now;
        const struct ky_star_row *before = &change[k].before;
        if (!now->supernova && now->type == before->type)
            continue;
        const double none = (double)NAN;
        struct ky_run_event event = {
            .name = now->supernova ? "supernova" : "stage",
            .told = {.id = {before->id},
                     .mass = {before->mass * run->stars->solar_mass, none},
                     .new_radius = changed->some.radius ? own->radius[k] : none,
                     .distance = none,
                     .speed = none,
                     .energy = none},
            .new_mass = own->mass[k],
            .type = {(int)before->type, now->type}};
        memcpy(event.told.position, own->position[k], sizeof own->position[k]);
        memcpy(event.told.velocity, own->velocity[k], sizeof own->velocity[k]);
        for (int c = 0; c < 3; c++)
            event.kick[c] = now->kick[c] * run->stars->km_s;
        KY_TRY(ky_run_write_event(run, &event, error));
    }
    return KY_OK;
}

static enum ky_status apply(struct ky_run *run, const struct ky_star_change *change, size_t count,
                            int with_rows, struct ky_error *error)
{
    struct changed changed = {0};
    if (!count)
        return KY_OK;
    enum ky_status status = prepare(run, change, count, &changed, error);
    if (!status)
        status = replace(run, &changed, error);
    if (!status && with_rows)
        status = write_rows(run, change, &changed, error);
    release(&changed);
    return status;
}

/* ---- bodies that come and go ---- */

/* All stars get their radii. */
static enum ky_status give_radii(struct ky_run *run, struct ky_error *error)
{
    const struct ky_stars *stars = run->stars;
    struct ky_star_change *change = ky_allocate_zeroed(stars->count, sizeof *change);
    size_t count = 0;
    if (!change)
        return ky_no_memory(error, "radii of stars", stars->count, sizeof *change);
    for (size_t k = 0; k < stars->count; k++)
        if (stars->row[k].type != KY_NO_STAR) {
            change[count].index = k;
            change[count].before = stars->row[k];
            change[count].now.mass = stars->row[k].mass;
            change[count++].now.radius = stars->row[k].radius;
        }
    enum ky_status status = apply(run, change, count, 0, error);
    free(change);
    return status;
}

/* Brings the rows into the order of the bodies, if that has changed. */
static enum ky_status follow(struct ky_run *run, struct ky_error *error)
{
    struct ky_sim *sim = run->sim;
    struct ky_bodies bodies = {0};
    if (!ky_stars_differ(run->stars, sim->n, sim->id))
        return KY_OK;
    enum ky_status status = ky_bodies_allocate(&bodies, sim->n, KY_WITH_ID | KY_WITH_TYPE, error);
    if (!status)
        status = ky_sim_bodies(sim, &bodies, error);
    if (!status)
        status = ky_stars_follow(run->stars, &bodies, error);
    ky_bodies_free(&bodies);
    return status ? status : give_radii(run, error);
}

enum ky_status ky_run_place_stars(struct ky_run *run, struct ky_error *error)
{
    return run->stars ? give_radii(run, error) : KY_OK;
}

enum ky_status ky_run_evolve(struct ky_run *run, struct ky_error *error)
{
    struct ky_star_change *change = NULL;
    size_t count = 0;
    if (!run->stars)
        return KY_OK;
    set_clock(run);
    KY_TRY(follow(run, error));
    enum ky_status status = ky_stars_advance(run->stars, &change, &count, error);
    if (!status)
        status = apply(run, change, count, 1, error);
    free(change);
    return status;
}

/* The row of the body with this id; all have one between two steps. */
static size_t row_of(const struct ky_stars *stars, uint64_t id)
{
    size_t k = 0;
    while (k + 1 < stars->count && stars->row[k].id != id)
        k++;
    return k;
}

enum ky_status ky_run_merge_stars(struct ky_run *run, struct ky_run_event *event,
                                  struct ky_error *error)
{
    struct ky_stars *stars = run->stars;
    struct ky_star_change change;
    struct ky_merger *told = &event->told;
    if (!stars)
        return KY_OK;
    set_clock(run);
    const size_t k[2] = {row_of(stars, told->id[0]), row_of(stars, told->id[1])};
    const double mass = (told->mass[0] + told->mass[1]) / stars->solar_mass;
    KY_TRY(ky_stars_merge(stars, k, mass, &change, error));
    KY_TRY(follow(run, error));
    change.index = row_of(stars, told->id[0]);
    event->new_mass = change.now.mass * stars->solar_mass;
    event->type[0] = (int)change.before.type;
    event->type[1] = (int)stars->row[change.index].type;
    for (int c = 0; c < 3; c++)
        event->kick[c] = change.now.kick[c] * stars->km_s;
    if (event->type[1] == KY_NO_STAR)
        return KY_OK;
    if (isnan(run->parameters.body_radius))
        told->new_radius = change.now.radius * stars->solar_radius;
    change.before.mass = mass; /* of the body now */
    return apply(run, &change, 1, 0, error);
}

/* ---- restart files ---- */

enum ky_status ky_run_restore_stars(struct ky_run *run, const struct ky_restart *restart,
                                    struct ky_error *error)
{
    const struct ky_section *text = ky_restart_find(restart, "stellar");
    const uint64_t whose = run->state.stellar;
    run->given.stellar_evolution = NULL;
    if (run->given.stellar && whose != KY_STELLAR_OF_PROGRAM)
        return ky_fail(
            error, KY_USAGE,
            "the run did not begin with the stellar evolution of a program: leave it out");
    if (!whose)
        return KY_OK;
    if (whose > KY_STELLAR_OF_PROGRAM || !text || !text->bytes ||
        ((const char *)text->data)[text->bytes - 1])
        return ky_fail(error, KY_BAD_DATA, "the restart file does not name its stellar evolution");
    if (whose == KY_STELLAR_OF_PROGRAM && !run->given.stellar)
        return ky_fail(error, KY_USAGE,
                       "the run has the stellar evolution of the program that began it: resume it "
                       "there");
    run->given.stellar_evolution = text->data;
    KY_TRY(open_code(run, &run->state.units, error));
    return ky_stars_restore(run->stars, restart, error);
}
