/* Reads and writes files for tests that are scripts:
 *   files convert IN OUT [UNITS] [compress]     OUT is overwritten
 *   files restart FILE NUMBER                   writes sections that depend on the number
 *   files resume FILE                           prints that number
 * The line of an error goes to standard error; the status is the exit code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kyoho/kyoho.h"
#include "snapshot/restart.h"
#include "snapshot/snapshot.h"

enum { NUMBERS = 500 };

static enum ky_status convert(int argc, char **argv, struct ky_error *error)
{
    struct ky_snapshot snapshot;
    struct ky_write_options options;
    ky_write_options_defaults(&options);
    options.overwrite = 1;
    options.compress = argc > 5 && !strcmp(argv[5], "compress");
    enum ky_status status = ky_snapshot_read(argv[2], &snapshot, error);
    if (!status && argc > 4)
        status = ky_units_preset(argv[4], &snapshot.units, error);
    if (!status)
        status = ky_snapshot_write(argv[3], &snapshot, &options, error);
    ky_snapshot_free(&snapshot);
    return status;
}

static enum ky_status restart(const char *path, double number, struct ky_error *error)
{
    double numbers[NUMBERS];
    for (int k = 0; k < NUMBERS; k++)
        numbers[k] = number + k;
    const struct ky_section sections[] = {
        {"numbers", numbers, sizeof numbers},
        {"empty", NULL, 0},
        {"clock", &number, sizeof number},
    };
    return ky_restart_write(&(struct ky_restart_to){.path = path}, sections,
                            sizeof sections / sizeof *sections, error);
}

static enum ky_status resume(const char *path, struct ky_error *error)
{
    struct ky_restart read;
    struct ky_error why;
    enum ky_status status = ky_restart_read(path, &read, &why, error);
    if (status)
        return status;
    const double *clock = ky_restart_section(&read, "clock", sizeof *clock, error);
    if (clock)
        printf("%g%s\n", *clock, why.status ? " previous" : "");
    ky_restart_free(&read);
    return clock ? KY_OK : error->status;
}

int main(int argc, char **argv)
{
    struct ky_error error = {KY_USAGE, "files convert IN OUT | restart FILE NUMBER | resume FILE"};
    enum ky_status status = KY_USAGE;
    ky_snapshot_quiet_exit();
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "convert") && argc > 3)
        status = convert(argc, argv, &error);
    else if (!strcmp(what, "restart") && argc > 3)
        status = restart(argv[2], strtod(argv[3], NULL), &error);
    else if (!strcmp(what, "resume") && argc > 2)
        status = resume(argv[2], &error);
    if (status)
        fprintf(stderr, "%s\n", error.text);
    return (int)status;
}
