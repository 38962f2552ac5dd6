/* Bodies that have escaped: unbound, and farther from the density centre than a radius. A run
 * removes them, or lists each of them once; both write escapers.csv. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/bodies.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/order.h"
#include "base/status.h"
#include "base/text.h"
#include "simulation/run.h"

const char ky_run_escaper_columns[] = "id,time,mass,x,y,z,vx,vy,vz\n";

int ky_run_finds_escapers(const struct ky_run *run)
{
    return !isnan(run->state.escape_radius) || !isnan(run->state.escapers);
}

static int is_listed(const struct ky_run_listed *listed, uint64_t id)
{
    return listed->count && bsearch(&id, listed->id, listed->count, sizeof id, ky_order_ids);
}

/* Moves newly escaped bodies to the front of the arrays: farther than the radius from the centre,
 * unbound, and not listed before. Returns their number. `settled`: the bodies, with close systems
 * at their centres of mass, whose members escape together. */
static size_t find_escapers(const struct ky_run *run, struct ky_bodies *bodies,
                            const struct ky_bodies *settled, const double centre[3],
                            const struct ky_sums *sums)
{
    const double radius =
        isnan(run->state.escape_radius) ? run->state.escapers : run->state.escape_radius;
    size_t count = 0;
    for (size_t i = 0; i < bodies->n; i++) {
        const double(*const x)[3] = (const double(*)[3])settled->position;
        if (ky_distance(x[i], centre) > radius && ky_is_unbound(settled, i, sums) &&
            !is_listed(&run->listed, bodies->id[i]))
            ky_bodies_move(bodies, count++, i);
    }
    return count;
}

/* Writes a row of escapers.csv for each of the first `count` bodies. */
static enum ky_status write_rows(struct ky_run *run, const struct ky_bodies *bodies, size_t count,
                                 struct ky_error *error)
{
    char *text = NULL, number[KY_NUMBER_TEXT];
    size_t size = 0;
    FILE *rows = open_memstream(&text, &size);
    if (!rows)
        return ky_no_memory(error, "rows of escapers.csv", count, 100);
    for (size_t i = 0; i < count; i++) {
        fprintf(rows, "%" PRIu64 ",%s", bodies->id[i],
                ky_number_text(number, ky_sim_time(run->sim)));
        fprintf(rows, ",%s", ky_number_text(number, bodies->mass[i]));
        for (int c = 0; c < 3; c++)
            fprintf(rows, ",%s", ky_number_text(number, bodies->position[i][c]));
        for (int c = 0; c < 3; c++)
            fprintf(rows, ",%s", ky_number_text(number, bodies->velocity[i][c]));
        fputc('\n', rows);
    }
    enum ky_status status = fclose(rows) ? ky_no_memory(error, "rows of escapers.csv", count, 100)
                                         : ky_run_append(run, &run->escapers, text, error);
    free(text);
    return status;
}

/* Removes these bodies. Their contribution to the energy is subtracted from the reference too. */
static enum ky_status remove_bodies(struct ky_run *run, const uint64_t *id, size_t count,
                                    const struct ky_sums *before, struct ky_error *error)
{
    struct ky_sums after = {0};
    KY_TRY(ky_sim_remove(run->sim, id, count, error));
    KY_TRY(ky_sim_sums(run->sim, &after, error));
    run->energy_start.energy += ky_total_energy(&after) - ky_total_energy(before);
    run->state.escaped += count;
    return KY_OK;
}

/* Records that these bodies are listed. */
static enum ky_status note(struct ky_run_listed *listed, const uint64_t *id, size_t count,
                           struct ky_error *error)
{
    const size_t all = listed->count + count;
    uint64_t *more = realloc(listed->id, all * sizeof *more);
    if (!more)
        return ky_no_memory(error, "ids of escapers", all, sizeof *more);
    memcpy(more + listed->count, id, count * sizeof *more);
    qsort(more, all, sizeof *more, ky_order_ids);
    *listed = (struct ky_run_listed){more, all};
    return KY_OK;
}

/* Lists the first `count` bodies, and removes them if the run is asked to. */
static enum ky_status take(struct ky_run *run, const struct ky_bodies *bodies, size_t count,
                           const struct ky_sums *sums, struct ky_error *error)
{
    char time[KY_QUANTITY_TEXT];
    const int removes = !isnan(run->state.escape_radius);
    KY_TRY(write_rows(run, bodies, count, error));
    KY_TRY(removes ? remove_bodies(run, bodies->id, count, sums, error)
                   : note(&run->listed, bodies->id, count, error));
    ky_log(&run->parameters, KY_LOG_INFO, "time %s: %zu %s %s, the first one is body %" PRIu64,
           ky_quantity_text(&run->parameters.units, KY_TIME_UNIT, ky_sim_time(run->sim), 10, time),
           count, ky_plural(count, "escaper", "escapers"), removes ? "removed" : "listed",
           bodies->id[0]);
    return KY_OK;
}

enum ky_status ky_run_look_for_escapers(struct ky_run *run, struct ky_error *error)
{
    struct ky_bodies bodies = {0}, settled = {0};
    struct ky_sums sums = {0};
    double centre[3];
    size_t count = 0;
    const int groups = run->energy_start.groups;
    if (!ky_run_finds_escapers(run) || run->sim->n == 0)
        return KY_OK;
    enum ky_status status =
        ky_bodies_allocate(&bodies, run->sim->n, KY_WITH_ID | KY_WITH_POTENTIAL, error);
    if (!status)
        status = ky_sim_bodies(run->sim, &bodies, error);
    if (!status)
        status = ky_density_centre(&bodies, centre, error);
    if (!status)
        status = ky_sim_sums(run->sim, &sums, error);
    if (!status && groups)
        status = ky_sim_settle_systems(run->sim, &bodies, &settled, error);
    if (!status)
        count = find_escapers(run, &bodies, groups ? &settled : &bodies, centre, &sums);
    if (!status && count)
        status = take(run, &bodies, count, &sums, error);
    ky_bodies_free(&bodies);
    ky_bodies_free(&settled);
    return status;
}
