/* kyoho info: the progress of a run, from energy.csv and run.json. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_read.h"
#include "base/number.h"
#include "base/quantity.h"
#include "command/info.h"

/* The columns of energy.csv that are used here, in the order of their names below. */
enum { TIME, STEPS, CHANGE, BODIES, LAYZER_IRVINE, COLUMNS };
struct places {
    size_t of[COLUMNS]; /* column index, from 0; SIZE_MAX: the file lacks the column */
};

/* Finds the columns of these names in the first line of the file. */
static void read_header(const char *line, struct places *places)
{
    static const char *const names[COLUMNS] = {"time", "steps", "de", "bodies", "layzer_irvine"};
    for (int k = 0; k < COLUMNS; k++)
        places->of[k] = SIZE_MAX;
    for (size_t place = 0; *line && *line != '\n'; place++) {
        const size_t length = strcspn(line, ",\n");
        for (int k = 0; k < COLUMNS; k++)
            if (strlen(names[k]) == length && !strncmp(line, names[k], length))
                places->of[k] = place;
        line += length + (line[length] == ',');
    }
}

/* Reads a complete row; a row without time or steps is ignored. An empty cell means unknown. */
static void read_row(const char *line, const struct places *places, struct run_state *last)
{
    double cells[COLUMNS] = {(double)NAN, (double)NAN, (double)NAN, (double)NAN, (double)NAN};
    for (size_t place = 0; *line && *line != '\n'; place++) {
        char *end;
        const double value = ky_number_real(line, &end);
        for (int k = 0; k < COLUMNS; k++)
            if (places->of[k] == place && end != line)
                cells[k] = value;
        line += strcspn(line, ",\n");
        line += *line == ',';
    }
    if (!isnan(cells[TIME]) && cells[STEPS] >= 0)
        *last = (struct run_state){.time = cells[TIME],
                                   .change = cells[CHANGE],
                                   .steps = (uint64_t)cells[STEPS],
                                   .known = 1,
                                   .empty = cells[BODIES] == 0,
                                   .comoving = places->of[LAYZER_IRVINE] != SIZE_MAX};
}

/* The last row of energy.csv in the folder; `known` stays 0 if there is none. */
static void read_last_row(const char *folder, struct run_state *last)
{
    char path[4096], *line = NULL;
    size_t room = 0;
    struct places places;
    snprintf(path, sizeof path, "%s/energy.csv", folder);
    FILE *file = fopen(path, "r");
    *last = (struct run_state){.change = (double)NAN};
    int named = 0;
    while (file && getline(&line, &room, file) >= 0) {
        if (*line == '#')
            continue;
        if (named)
            read_row(line, &places, last);
        else
            read_header(line, &places);
        named = 1;
    }
    free(line);
    if (file)
        fclose(file);
}

/* A member of the object "units" of run.json. */
static void take_unit(struct ky_units *units, const char *name, const char *text)
{
    double *const places[] = {&units->length_cm, &units->mass_g, &units->velocity_cm_s};
    static const char *const names[] = {"length_cm", "mass_g", "velocity_cm_s"};
    char *end;
    for (int k = 0; k < 3; k++)
        if (!strcmp(name, names[k]))
            *places[k] = ky_number_real(text, &end);
}

/* A ky_json_member: reads the time, the steps, the energy and the units of run.json. */
static enum ky_status take_member(void *context, const struct ky_json_told *told,
                                  struct ky_error *error)
{
    struct run_state *last = context;
    char *end;
    (void)error;
    if (!strcmp(told->object, "units"))
        take_unit(&last->units, told->name, told->text);
    if (*told->object)
        return KY_OK;
    if (!strcmp(told->name, "time"))
        last->time = ky_number_real(told->text, &end);
    if (!strcmp(told->name, "energy_change"))
        last->change = ky_number_real(told->text, &end);
    if (!strcmp(told->name, "steps"))
        last->steps = ky_number_count(told->text, &end);
    return KY_OK;
}

/* Uses run.json instead of the last row if it is later: a run may stop between two rows. */
static void read_run_json(const char *folder, struct run_state *last)
{
    char path[4096], *text = NULL;
    struct ky_option_storage *storage = NULL;
    struct run_state told = {
        .change = (double)NAN, .known = 1, .empty = last->empty, .comoving = last->comoving};
    snprintf(path, sizeof path, "%s/run.json", folder);
    FILE *file = fopen(path, "r");
    if (file && !ky_options_read_file(file, path, &storage, &text, NULL) &&
        !ky_json_read(text, path, take_member, &told, NULL)) {
        last->units = told.units;
        if (told.steps > last->steps)
            *last = told;
    }
    if (file)
        fclose(file);
    ky_options_storage_free(storage);
}

struct run_state run_state_read(const char *folder)
{
    struct run_state last;
    read_last_row(folder, &last);
    read_run_json(folder, &last);
    return last;
}

/* The time of the last state in words; in a comoving box a scale factor and its redshift. */
static void words_of_time(const struct run_state *last, const struct ky_units *units,
                          char text[KY_QUANTITY_TEXT])
{
    const double z = 1 / last->time - 1;
    if (last->comoving)
        ky_format(text, KY_QUANTITY_TEXT, "%.9g (z = %.4g)", last->time, fabs(z) < 1e-9 ? 0 : z);
    else
        ky_quantity_text(units->length_cm > 0 ? units : &last->units, KY_TIME_UNIT, last->time, 9,
                         text);
}

void run_state_show(struct cli *cli, const char *folder, const struct file_list *files,
                    const struct ky_units *units, struct ky_json *json)
{
    char time[KY_QUANTITY_TEXT];
    const struct run_state last = run_state_read(folder);
    if (cli->json) {
        ky_json_text(json, "folder", folder);
        ky_json_count(json, "snapshots", files->count);
        ky_json_real(json, "time", last.known ? last.time : (double)NAN);
        ky_json_count(json, "steps", last.steps);
        ky_json_real(json, "energy_change", last.change);
        return;
    }
    char change[32] = "not defined";
    words_of_time(&last, units, time);
    if (!isnan(last.change))
        snprintf(change, sizeof change, "%+.2e", last.change);
    printf("%-22s %zu %s; ", folder, files->count,
           ky_plural(files->count, "snapshot", "snapshots"));
    if (last.known)
        printf("time %s after %" PRIu64 " %s, dE/E %s%s\n", time, last.steps,
               ky_plural(last.steps, "step", "steps"), change,
               last.empty ? "; no body is left" : "");
    else
        printf("no rows in energy.csv\n");
}
