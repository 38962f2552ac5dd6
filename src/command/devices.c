/* kyoho devices: every device that the library knows, with the reason if it cannot be used, and the
 * MPI plug-ins. */
#include "command/command.h"

void devices_mpi(void)
{
    const char *mpi, *file;
    size_t k = 0;
    for (; (file = ky_mpi_plug(k, &mpi)); k++)
        printf("%s%s (%s)", k ? "; " : "MPI: ", mpi, file);
    puts(k ? ""
           : "MPI: no: there is no plug-in installed with this program; `make plugs` builds one");
}

static void list_plugs(struct ky_json *json)
{
    const char *mpi, *file;
    ky_json_array(json, "mpi");
    for (size_t k = 0; (file = ky_mpi_plug(k, &mpi)); k++) {
        ky_json_object(json, NULL);
        ky_json_text(json, "plug_in", file);
        ky_json_text(json, "of", mpi);
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
        list_plugs(&json);
        ky_json_end_object(&json);
    } else
        devices_mpi();
    return KY_OK;
}

const struct subcommand devices_command = {
    "devices",
    "[--json]",
    "list the processors, with the reason if one cannot be used, and the MPI plug-ins",
    run,
    NULL,
    NULL,
    "kyoho devices\n"};
