/* kyoho devices: every device that the library knows, with the reason if it cannot be used, and the
 * MPI libraries. */
#include "command/command.h"

void devices_mpi(void)
{
    const char *name, *file;
    size_t k = 0;
    for (; (file = ky_mpi_library(k, &name)); k++)
        printf("%s%s (%s)", k ? "; " : "MPI: ", name, file);
    puts(k ? ""
           : "MPI: no library is found; `mpiexec -n 1 kyoho devices` also looks beside mpiexec");
}

static void list_libraries(struct ky_json *json)
{
    const char *name, *file;
    ky_json_array(json, "mpi");
    for (size_t k = 0; (file = ky_mpi_library(k, &name)); k++) {
        ky_json_object(json, NULL);
        ky_json_text(json, "library", file);
        ky_json_text(json, "name", name);
        ky_json_end_object(json);
    }
    ky_json_end_array(json);
}

static enum ky_status run(struct cli *cli, int argc, char **argv, int describe)
{
    enum ky_status status = describe ? KY_OK : cli_parse(cli, argc, argv, 0, 0);
    if (status || describe || cli->help)
        return status;
    struct ky_json json = {.out = stdout};
    struct ky_device device = {0};
    if (cli->json) {
        ky_json_object(&json, NULL);
        ky_json_array(&json, "devices");
    }
    for (size_t k = 0; ky_device_get(k, &device) == KY_OK; k++) {
        if (!cli->json) {
            printf("%-12s %s%s%s%s\n", device.engine, device.name,
                   device.usable ? "" : " - not usable", *device.reason ? ": " : "", device.reason);
            continue;
        }
        ky_json_object(&json, NULL);
        ky_json_text(&json, "engine", device.engine);
        ky_json_text(&json, "name", device.name);
        ky_json_flag(&json, "usable", device.usable);
        ky_json_text(&json, "reason", device.reason);
        ky_json_flag(&json, "on_cpu", device.on_cpu);
        ky_json_end_object(&json);
    }
    if (cli->json) {
        ky_json_end_array(&json);
        list_libraries(&json);
        ky_json_end_object(&json);
    } else
        devices_mpi();
    return KY_OK;
}

const struct subcommand devices_command = {
    "devices",
    "[--json]",
    "list the processors, with the reason if one cannot be used, and the MPI libraries",
    run,
    NULL,
    NULL,
    "kyoho devices\n"};
