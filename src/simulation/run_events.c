/* events.csv: mergers, and with --stellar-evolution the ends of stars. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/number.h"
#include "simulation/run.h"

#define COLUMNS "time,event,id,other,mass,other_mass,radius,distance,speed,energy,x,y,z,vx,vy,vz"
static const char columns[] = COLUMNS "\n";
static const char with_stars[] = COLUMNS ",new_mass,type,new_type,kick_x,kick_y,kick_z\n";

static int has_events(const struct ky_run *run)
{
    return run->state.merges || run->state.stellar;
}

enum ky_status ky_run_open_events(struct ky_run *run, int again, struct ky_error *error)
{
    run->events.columns = run->state.stellar ? with_stars : columns;
    if (!has_events(run))
        return KY_OK;
    return again ? ky_run_reopen_table(run, &run->events, run->state.events_bytes, error)
                 : ky_run_begin_table(run, &run->events, error);
}

/* NaN leaves its cell empty. */
static void put(FILE *row, const double *value, size_t count)
{
    char number[KY_NUMBER_TEXT];
    for (size_t k = 0; k < count; k++)
        fprintf(row, ",%s", isnan(value[k]) ? "" : ky_number_text(number, value[k]));
}

enum ky_status ky_run_write_event(struct ky_run *run, const struct ky_run_event *event,
                                  struct ky_error *error)
{
    const struct ky_merger *told = &event->told;
    const double numbers[] = {told->mass[0],  told->mass[1], told->new_radius,
                              told->distance, told->speed,   told->energy};
    char text[40 * KY_NUMBER_TEXT], number[KY_NUMBER_TEXT];
    FILE *row = fmemopen(text, sizeof text, "w");
    if (!row)
        return ky_fail(error, KY_FAULT, "no memory for a row of events.csv");
    fprintf(row, "%s,%s,%" PRIu64 ",", ky_number_text(number, ky_sim_time(run->sim)), event->name,
            told->id[0]);
    if (event->is_of_two)
        fprintf(row, "%" PRIu64, told->id[1]);
    put(row, numbers, sizeof numbers / sizeof *numbers);
    put(row, told->position, 3);
    put(row, told->velocity, 3);
    if (run->state.stellar) {
        put(row, &event->new_mass, 1);
        fprintf(row, ",%d,%d", event->type[0], event->type[1]);
        put(row, event->kick, 3);
    }
    fputc('\n', row);
    fclose(row);
    return ky_run_append(run, &run->events, text, error);
}
