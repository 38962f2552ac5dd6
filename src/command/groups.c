/* kyoho groups: friends-of-friends groups and their catalogue. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/status.h"
#include "command/walks.h"

enum { SHOWN = 10 }; /* number of largest groups that are printed */

struct request {
    struct ky_catalogue_parameters wanted;
    const char *output;
    int overwrite;
};

#define FIELD(name) offsetof(struct request, name)
static const struct ky_option output_options[] = {
    {"output", KY_OPTION_TEXT, FIELD(output), NULL, KY_NO_RANGE, NULL, "FILE.hdf5|FILE.csv",
     "write the catalogue: groups and the ids of their bodies, or with .csv a line for each group"},
    {"overwrite", KY_OPTION_FLAG, FIELD(overwrite), NULL, KY_NO_RANGE, NULL, NULL,
     "replace a file that exists"},
};

/* Before any work: KY_USAGE for options that contradict each other; otherwise fails as
 * ky_catalogue_may_write. */
static enum ky_status check(struct cli *cli, const struct request *request, const char *input)
{
    if (!isnan(request->wanted.linking_length) &&
        (cli_given(cli, "linking-fraction") || cli_given(cli, "volume")))
        return ky_fail(&cli->error, KY_USAGE,
                       "--linking-length is complete: leave out --linking-fraction and --volume");
    if (!request->output)
        return cli_refuse(cli, "overwrite", "-o FILE");
    if (ky_is_standard(request->output))
        return ky_fail(&cli->error, KY_USAGE,
                       "a catalogue is not written to standard output; give -o FILE.hdf5");
    KY_TRY(ky_catalogue_may_write(request->output, request->overwrite, &cli->error));
    return refuse_own_input(cli, request->output, input);
}

static size_t bodies_of(const struct ky_catalogue *catalogue, size_t g)
{
    return catalogue->offset[g + 1] - catalogue->offset[g];
}

/* ---- printing ---- */

/* The peak of the group g and the spheres about it. */
static void json_spheres(struct ky_json *json, const struct ky_catalogue *catalogue, size_t g)
{
    ky_json_vector(json, "peak", catalogue->peak[g], 3);
    ky_json_real(json, "m200m", catalogue->m200m[g]);
    ky_json_real(json, "r200m", catalogue->r200m[g]);
    ky_json_real(json, "m200c", catalogue->m200c[g]);
    ky_json_real(json, "r200c", catalogue->r200c[g]);
}

static void show_json(const struct ky_catalogue *catalogue, const struct ky_force_report *report,
                      size_t n)
{
    struct ky_json json = {.out = stdout};
    ky_json_object(&json, NULL);
    report_json(&json, n, report);
    ky_json_real(&json, "linking_length", catalogue->linking_length);
    ky_json_real(&json, "mean_distance", catalogue->mean_distance);
    ky_json_count(&json, "minimum", catalogue->minimum);
    ky_json_count(&json, "groups", catalogue->groups);
    ky_json_count(&json, "members", catalogue->members);
    ky_json_array(&json, "largest");
    for (size_t g = 0; g < catalogue->groups && g < SHOWN; g++) {
        ky_json_object(&json, NULL);
        ky_json_count(&json, "bodies", bodies_of(catalogue, g));
        ky_json_real(&json, "mass", catalogue->mass[g]);
        ky_json_vector(&json, "centre", catalogue->centre[g], 3);
        ky_json_vector(&json, "velocity", catalogue->velocity[g], 3);
        ky_json_real(&json, "radius", catalogue->radius[g]);
        ky_json_real(&json, "dispersion", catalogue->dispersion[g]);
        if (catalogue->box > 0)
            json_spheres(&json, catalogue, g);
        ky_json_end_object(&json);
    }
    ky_json_end_array(&json);
    ky_json_end_object(&json);
}

/* Prints the groups with the most bodies, in units that suit the first group. */
static void show_largest(const struct ky_catalogue *catalogue, const struct ky_units *units)
{
    char mass[KY_UNIT_TEXT], length[KY_UNIT_TEXT], speed[KY_UNIT_TEXT];
    const double m = ky_unit_shown(units, KY_MASS_UNIT, (double)NAN, mass);
    const double l = ky_unit_shown(units, KY_LENGTH_UNIT, catalogue->radius[0], length);
    const double v = ky_unit_shown(units, KY_VELOCITY_UNIT, (double)NAN, speed);
    const int spheres = catalogue->box > 0;
    printf("%5s %10s %12s %12s %12s %12s %12s %12s%s\n", "group", "bodies", "mass", "x", "y", "z",
           "rms radius", "rms speed", spheres ? "        M200m        M200c" : "");
    if (*length)
        printf("%5s %10s %12s %12s %12s %12s %12s %12s", "", "", mass, length, length, length,
               length, speed);
    if (*length && spheres)
        printf(" %12s %12s", mass, mass);
    if (*length)
        printf("\n");
    for (size_t g = 0; g < catalogue->groups && g < SHOWN; g++) {
        const double *x = catalogue->centre[g];
        printf("%5zu %10zu %12.5g %12.5g %12.5g %12.5g %12.5g %12.5g", g, bodies_of(catalogue, g),
               m * catalogue->mass[g], l * x[0], l * x[1], l * x[2], l * catalogue->radius[g],
               v * catalogue->dispersion[g]);
        if (spheres)
            printf(" %12.5g %12.5g", m * catalogue->m200m[g], m * catalogue->m200c[g]);
        printf("\n");
    }
}

static void show(const struct ky_catalogue *catalogue, const struct ky_force_report *report,
                 const struct ky_snapshot *snapshot)
{
    const struct ky_units *units = &snapshot->units;
    const size_t n = snapshot->bodies.n;
    char text[KY_QUANTITY_TEXT];
    report_print(report);
    printf("linking length %s",
           ky_quantity_text(units, KY_LENGTH_UNIT, catalogue->linking_length, 6, text));
    if (!isnan(catalogue->mean_distance))
        printf(": %.6g of the mean distance %s",
               catalogue->linking_length / catalogue->mean_distance,
               ky_quantity_text(units, KY_LENGTH_UNIT, catalogue->mean_distance, 6, text));
    printf("\n%zu %s of %" PRIu64 " bodies or more, with %zu of %zu bodies\n", catalogue->groups,
           ky_plural(catalogue->groups, "group", "groups"), catalogue->minimum, catalogue->members,
           n);
    if (catalogue->groups)
        show_largest(catalogue, units);
}

/* ---- the call ---- */

static enum ky_status find(struct cli *cli, const struct ky_parameters *parameters,
                           const struct request *request, const struct ky_snapshot *snapshot)
{
    struct ky_catalogue catalogue = {.size = sizeof catalogue};
    struct ky_force_report report = {0};
    struct ky_catalogue_parameters wanted = request->wanted;
    wanted.omega_matter = ky_omega_matter(&snapshot->space);
    enum ky_status status =
        ky_catalogue_make(parameters, &wanted, &snapshot->bodies, &catalogue, &report, &cli->error);
    if (!status && request->output)
        status = ky_catalogue_write(request->output, &catalogue, snapshot, request->overwrite,
                                    &cli->error);
    if (!status && cli->json)
        show_json(&catalogue, &report, snapshot->bodies.n);
    else if (!status && !cli->quiet)
        show(&catalogue, &report, snapshot);
    ky_catalogue_free(&catalogue);
    return status;
}

static enum ky_status run(struct cli *cli, int argc, char **argv, int describe)
{
    struct request request;
    struct ky_parameters parameters;
    struct source source;
    struct ky_snapshot snapshot;
    char origin[ORIGIN];
    ky_catalogue_parameters_defaults(&request.wanted);
    cli_add_options(cli, "groups", KY_OPTIONS_GROUPS, &request.wanted);
    cli_add_table(cli, "output", output_options, &request);
    walk_add_bodies(cli, &parameters, &source);
    enum ky_status status = describe ? KY_OK : cli_parse(cli, argc, argv, 0, 1);
    if (status || describe || cli->help)
        return status;
    ky_snapshot_clear(&snapshot);
    status = check(cli, &request, source_file(cli, &source));
    if (!status)
        status = source_get(cli, &source, &parameters, &snapshot, origin);
    if (!status)
        status = find(cli, &parameters, &request, &snapshot);
    ky_snapshot_free(&snapshot);
    return status;
}

const struct subcommand groups_command = {
    "groups",
    "FILE | --model NAME -n N [--linking-length LENGTH] [-o FILE.hdf5]",
    "find groups of bodies by friends of friends, and write their catalogue",
    run,
    NULL,
    "linking-length linking-fraction minimum input model bodies box output engine threads "
    "overwrite",
    "kyoho groups cluster.hdf5 --linking-length 0.1 -o groups.hdf5\n"};
