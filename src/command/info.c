/* kyoho info: the content of a snapshot, or the state of a run. */
#include <math.h>

#include "base/block_sums.h"
#include "base/bodies.h"
#include "base/options.h"
#include "command/info.h"

struct facts {
    const char *file;
    size_t n, types[6];
    double mass, low[3], high[3], centre_of_mass[3], velocity[3];
    double softening[2]; /* smallest and largest of the bodies; NaN: none */
    double used; /* the smallest softening that a run of these bodies chooses by default; NaN:
                    unknown */
    double radii[KY_LAGRANGIAN_FRACTIONS];
    struct ky_scales scales;
    int has_scales;
    struct ky_units shown; /* for printing; no scales if the numbers are comoving or h-scaled */
};

/* Sums and ranges over the bodies. If all masses are zero, means weight all bodies equally. */
static void measure_bodies(const struct ky_bodies *bodies, struct facts *facts)
{
    facts->n = bodies->n;
    for (int k = 0; k < 3; k++) {
        facts->low[k] = (double)INFINITY;
        facts->high[k] = -(double)INFINITY;
    }
    for (size_t i = 0; i < bodies->n; i++) {
        facts->types[ky_type_of(bodies, i)]++;
        for (int k = 0; k < 3; k++) {
            facts->low[k] = fmin(facts->low[k], bodies->position[i][k]);
            facts->high[k] = fmax(facts->high[k], bodies->position[i][k]);
        }
    }
    facts->softening[0] = facts->softening[1] = (double)NAN;
    for (size_t i = 0; bodies->softening && i < bodies->n; i++) {
        facts->softening[0] = fmin(facts->softening[0], bodies->softening[i]);
        facts->softening[1] = fmax(facts->softening[1], bodies->softening[i]);
    }
    facts->mass = ky_mean(bodies->n, bodies->mass, bodies->position, facts->centre_of_mass);
    ky_mean(bodies->n, bodies->mass, bodies->velocity, facts->velocity);
}

/* Computes all facts of the snapshot. Scales need bodies with mass. */
static enum ky_status measure(struct cli *cli, const struct ky_snapshot *snapshot,
                              struct facts *facts)
{
    const struct ky_bodies *bodies = &snapshot->bodies;
    measure_bodies(bodies, facts);
    if (!(facts->mass > 0))
        return KY_OK;
    double g = snapshot->units.g > 0 ? snapshot->units.g : 1;
    facts->scales.size = sizeof facts->scales;
    facts->used = bodies->softening ? facts->softening[0] : snapshot->softening;
    enum ky_status status = ky_system_scales(bodies, g, facts->used, &facts->scales, &cli->error);
    if (!status)
        status = ky_lagrangian_radii(bodies, facts->scales.centre, KY_LAGRANGIAN_FRACTIONS,
                                     ky_lagrangian_fractions, facts->radii, &cli->error);
    facts->has_scales = !status;
    return status;
}

/* ---- as text ---- */

/* Prints the three numbers of a vector, in the unit that suits the number `size`. */
static void show_vector(const struct facts *facts, const char *name, struct ky_dimension dimension,
                        double size, const double v[3])
{
    char unit[KY_UNIT_TEXT];
    const double factor = ky_unit_shown(&facts->shown, dimension, size, unit);
    printf("%-22s %.6g %.6g %.6g%s%s\n", name, factor * v[0], factor * v[1], factor * v[2],
           *unit ? " " : "", unit);
}

/* Prints a number and its unit. */
static void show_number(const struct facts *facts, const char *name, struct ky_dimension dimension,
                        double value, int digits)
{
    char text[KY_QUANTITY_TEXT];
    printf("%-22s %s\n", name, ky_quantity_text(&facts->shown, dimension, value, digits, text));
}

/* Prints the units; for N-body units in HDF5 also how to pass them to yt. */
static void show_units(const struct ky_snapshot *snapshot, const char *file)
{
    const struct ky_units *units = &snapshot->units;
    if (units->length_cm > 0) {
        char names[4][KY_UNIT_TEXT];
        printf("%-22s length %s, mass %s, velocity %s, time %s (%.7g cm, %.4g g, %g cm/s); G = "
               "%.6g\n",
               "units", ky_unit_text(units, KY_LENGTH_UNIT, names[0]),
               ky_unit_text(units, KY_MASS_UNIT, names[1]),
               ky_unit_text(units, KY_VELOCITY_UNIT, names[2]),
               ky_unit_text(units, KY_TIME_UNIT, names[3]), units->length_cm, units->mass_g,
               units->velocity_cm_s, units->g);
        return;
    }
    printf("%-22s N-body, no physical scale; G = %.6g%s\n", "units", units->g > 0 ? units->g : 1,
           snapshot->softening_kind < 0
               ? " is assumed, since the file gives no units that Kyoho knows; --units sets them"
               : "");
    if (ky_format_of_name(file) == KY_HDF5)
        printf(
            "%-22s yt.load(\"%s\", unit_base={\"length\": (1.0, \"cm\"), \"mass\": (1.0, \"g\"), "
            "\"velocity\": (1.0, \"cm/s\")})\n",
            "in yt", file);
}

/* Prints a line about comoving, h-scaled or periodic space; nothing for an ordinary file. */
static void show_space(const struct ky_space *space)
{
    char text[256];
    ky_space_describe(space, text, sizeof text);
    if (*text)
        printf("%-22s %s%s%s\n", "space", text, reading_conversion(space),
               space->converted ? ""
               : space->box > 0
                   ? "; kyoho run and kyoho force compute in it. The numbers below are "
                     "as stored"
                   : "; the numbers below are as stored; --physical converts them, "
                     "--as-stored treats them as physical");
}

/* The word of --softening-kind for this kind. */
enum { KIND = 32 };
static const char *kind_of(const struct ky_snapshot *snapshot, char text[KIND])
{
    struct ky_parameters parameters;
    ky_parameters_defaults(&parameters);
    parameters.softening_kind =
        snapshot->softening_kind < 0 ? KY_PLUMMER : snapshot->softening_kind;
    *text = '\0';
    ky_options_text(KY_OPTIONS_PARAMETERS, &parameters, "softening-kind", text, KIND, NULL);
    return text;
}

/* Prints the softening that a run of these bodies chooses by default. */
static void show_softening(const struct ky_snapshot *snapshot, const struct facts *facts)
{
    char low[KY_QUANTITY_TEXT], high[KY_QUANTITY_TEXT], kind[KIND];
    const struct ky_units *units = &facts->shown;
    printf("%-22s ", "softening");
    if (snapshot->bodies.softening)
        printf("of each body's own, from %s to %s (%s)\n",
               ky_quantity_text(units, KY_LENGTH_UNIT, facts->softening[0], 6, low),
               ky_quantity_text(units, KY_LENGTH_UNIT, facts->softening[1], 6, high),
               kind_of(snapshot, kind));
    else if (isnan(snapshot->softening))
        printf("none in the file; a run needs --softening\n");
    else
        printf("%s (%s)\n", ky_quantity_text(units, KY_LENGTH_UNIT, snapshot->softening, 6, low),
               kind_of(snapshot, kind));
}

/* The largest coordinate, in absolute value. */
static double size_of(const struct facts *facts)
{
    double size = 0;
    for (int k = 0; k < 3; k++)
        size = fmax(size, fmax(fabs(facts->low[k]), fabs(facts->high[k])));
    return size > 0 ? size : (double)NAN;
}

/* Prints recommended values: without units, in the form of options, and with units. */
static void show_recommended(const struct facts *facts)
{
    const struct ky_scales *scales = &facts->scales;
    const int scaled = facts->shown.length_cm > 0;
    char softening[KY_QUANTITY_TEXT], step[KY_QUANTITY_TEXT];
    if (!(scales->softening > 0))
        return;
    ky_quantity_text(&facts->shown, KY_LENGTH_UNIT, scales->softening, 3, softening);
    printf("%-22s --softening %.3g%s%s\n", "recommended", scales->softening, scaled ? ", " : "",
           scaled ? softening : "");
    if (!(scales->step > 0))
        return;
    ky_quantity_text(&facts->shown, KY_LENGTH_UNIT,
                     isnan(facts->used) ? scales->softening : facts->used, 4, softening);
    ky_quantity_text(&facts->shown, KY_TIME_UNIT, scales->step, 4, step);
    printf("%-22s --step %.9g%s%s, for softening %s\n", "", scales->step, scaled ? ", " : "",
           scaled ? step : "", softening);
}

static int is_in_box(const struct ky_space *space)
{
    return space->box > 0 && !space->converted;
}

/* Prints the facts, a line each. */
static void show(const struct ky_snapshot *snapshot, const struct facts *facts)
{
    char text[KY_QUANTITY_TEXT], unit[KY_UNIT_TEXT];
    printf("%-22s %zu %s at time %s\n", facts->file, facts->n,
           ky_plural(facts->n, "body", "bodies"),
           ky_quantity_text(&facts->shown, KY_TIME_UNIT, snapshot->time, 9, text));
    for (int k = 0; k < 6; k++)
        if (facts->types[k])
            printf("%-22s %zu (type %d)\n", body_type_names[k], facts->types[k], k);
    show_units(snapshot, facts->file);
    show_space(&snapshot->space);
    show_softening(snapshot, facts);
    if (!facts->n)
        return;
    show_number(facts, "mass", KY_MASS_UNIT, facts->mass, 9);
    double factor = ky_unit_shown(&facts->shown, KY_LENGTH_UNIT, size_of(facts), unit);
    printf("%-22s x %.5g … %.5g, y %.5g … %.5g, z %.5g … %.5g%s%s\n", "extent",
           factor * facts->low[0], factor * facts->high[0], factor * facts->low[1],
           factor * facts->high[1], factor * facts->low[2], factor * facts->high[2],
           *unit ? " " : "", unit);
    show_vector(facts, "centre of mass", KY_LENGTH_UNIT, size_of(facts), facts->centre_of_mass);
    show_vector(facts, "mean velocity", KY_VELOCITY_UNIT, (double)NAN, facts->velocity);
    if (!facts->has_scales) {
        printf("no body has mass, so there are no scales\n");
        return;
    }
    const struct ky_scales *scales = &facts->scales;
    show_vector(facts, "density centre", KY_LENGTH_UNIT, size_of(facts), scales->centre);
    factor = ky_unit_shown(&facts->shown, KY_LENGTH_UNIT, scales->half_mass_radius, unit);
    printf("%-22s", "Lagrangian radii");
    for (int k = 0; k < KY_LAGRANGIAN_FRACTIONS; k++)
        printf(" %g%% %.4g%s", 100 * ky_lagrangian_fractions[k], factor * facts->radii[k],
               k + 1 < KY_LAGRANGIAN_FRACTIONS ? "," : "");
    printf("%s%s\n", *unit ? " " : "", unit);
    show_number(facts, "half-mass radius", KY_LENGTH_UNIT, scales->half_mass_radius, 5);
    show_number(facts, "velocity dispersion", KY_VELOCITY_UNIT, scales->velocity_dispersion, 5);
    show_number(facts, "random speed", KY_VELOCITY_UNIT, scales->random_speed, 5);
    if (scales->escapers)
        printf("%-22s %zu, which are not included\n", "escapers", scales->escapers);
    if (is_in_box(&snapshot->space)) /* the times below are of bodies in open space */
        return;
    show_number(facts, "crossing time", KY_TIME_UNIT, scales->crossing_time, 5);
    show_number(facts, "relaxation time", KY_TIME_UNIT, scales->relaxation_time, 5);
    show_recommended(facts);
}

/* ---- as JSON ---- */

/* Writes the facts as a member `name`, an object. */
static void write_json(struct ky_json *json, const char *name, const struct ky_snapshot *snapshot,
                       const struct facts *facts)
{
    const struct ky_scales *scales = &facts->scales;
    char kind[KIND];
    ky_json_object(json, name);
    ky_json_text(json, "file", facts->file);
    ky_json_count(json, "n", facts->n);
    ky_json_real(json, "time", snapshot->time);
    reading_json(json, snapshot);
    ky_json_vector(json, "own_softenings", facts->softening, 2);
    ky_json_text(json, "softening_kind",
                 snapshot->softening_kind < 0 ? NULL : kind_of(snapshot, kind));
    ky_json_real(json, "mass", facts->mass);
    ky_json_vector(json, "low", facts->low, 3);
    ky_json_vector(json, "high", facts->high, 3);
    ky_json_vector(json, "centre_of_mass", facts->centre_of_mass, 3);
    ky_json_vector(json, "mean_velocity", facts->velocity, 3);
    if (facts->has_scales) {
        ky_json_vector(json, "density_centre", scales->centre, 3);
        ky_json_vector(json, "lagrangian_fractions", ky_lagrangian_fractions,
                       KY_LAGRANGIAN_FRACTIONS);
        ky_json_vector(json, "lagrangian_radii", facts->radii, KY_LAGRANGIAN_FRACTIONS);
        ky_json_real(json, "half_mass_radius", scales->half_mass_radius);
        ky_json_real(json, "velocity_dispersion", scales->velocity_dispersion);
        ky_json_real(json, "random_speed", scales->random_speed);
        ky_json_count(json, "escapers", scales->escapers);
        ky_json_real(json, "crossing_time", scales->crossing_time);
        ky_json_real(json, "relaxation_time", scales->relaxation_time);
        ky_json_real(json, "recommended_softening", scales->softening);
        ky_json_real(json, "recommended_step", scales->step);
    }
    ky_json_end_object(json);
}

/* `folder` is NULL for a single file, `snapshot` is NULL for a run without snapshots. */
static void show_all(struct cli *cli, const char *folder, const struct file_list *files,
                     const struct ky_snapshot *snapshot, const struct facts *facts)
{
    const struct ky_units none = {0};
    struct ky_json json = {.out = stdout};
    if (folder && cli->json)
        ky_json_object(&json, NULL);
    if (folder)
        run_state_show(cli, folder, files, facts ? &facts->shown : &none, &json);
    if (cli->json && snapshot)
        write_json(&json, folder ? "last_snapshot" : NULL, snapshot, facts);
    else if (cli->json)
        ky_json_null(&json, "last_snapshot");
    else if (snapshot)
        show(snapshot, facts);
    if (folder && cli->json)
        ky_json_end_object(&json);
}

struct request {
    struct reading reading;
    const char *units;
};

static const struct ky_option own_options[] = {
    CLI_UNITS(offsetof(struct request, units), "units of a file without units"),
};

/* Reads the file and sets its units from --units. */
static enum ky_status read_snapshot(struct cli *cli, const struct request *request,
                                    struct facts *facts, struct ky_snapshot *snapshot)
{
    struct ky_units units;
    const char *preset = request->units;
    enum ky_status status = preset ? ky_units_preset(preset, &units, &cli->error) : KY_OK;
    if (!status)
        status = reading_get(cli, &request->reading, facts->file, preset ? &units : NULL,
                             KY_SPACE_AS_STORED, snapshot);
    if (!status)
        status = source_units(cli, facts->file, preset, (double)NAN, &snapshot->units,
                              snapshot->softening_kind >= 0);
    const struct ky_space *space = &snapshot->space;
    if (space->converted || !(space->per_h || space->comoving))
        facts->shown = snapshot->units;
    return status;
}

static enum ky_status run(struct cli *cli, int argc, char **argv, int describe)
{
    struct file_list files = {0};
    struct ky_snapshot snapshot;
    struct request request;
    reading_add(cli, &request.reading);
    cli_add_table(cli, "units", own_options, &request);
    enum ky_status status = describe ? KY_OK : cli_parse(cli, argc, argv, 1, 1);
    if (status || describe || cli->help)
        return status;
    ky_snapshot_clear(&snapshot);
    const char *folder = files_is_folder(cli->words[0]) ? cli->words[0] : NULL;
    status = files_add(cli, &files, cli->words[0]);
    const struct run_state last = folder ? run_state_read(folder) : (struct run_state){0};
    if (last.known &&
        (status == KY_BAD_DATA || (!status && last.empty))) { /* a run with --every 0 */
        show_all(cli, folder, &files, NULL, NULL);
        files_free(&files);
        return KY_OK;
    }
    struct facts facts = {.file = status ? NULL : files.names[files.count - 1]};
    if (!status)
        status = read_snapshot(cli, &request, &facts, &snapshot);
    if (!status)
        status = measure(cli, &snapshot, &facts);
    if (!status)
        show_all(cli, folder, &files, &snapshot, &facts);
    ky_snapshot_free(&snapshot);
    files_free(&files);
    return status;
}

const struct subcommand info_command = {"info",
                                        "FILE | FOLDER",
                                        "print the content of a snapshot, or the progress of a run",
                                        run,
                                        NULL,
                                        NULL,
                                        "kyoho info cluster.hdf5\n"
                                        "kyoho info first --json\n"};
