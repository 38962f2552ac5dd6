/* A picture that follows a run: the latest snapshot in its folder is drawn again and again. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/json_read.h"
#include "base/quantity.h"
#include "command/draw.h"

/* A ky_json_member: finds out whether run.json says that the run has ended. */
static enum ky_status take_member(void *context, const struct ky_json_told *told,
                                  struct ky_error *error)
{
    int *ended = context;
    (void)error;
    if (!*told->object && !strcmp(told->name, "outcome"))
        *ended = strcmp(told->text, "running") != 0;
    return KY_OK;
}

/* 1 if run.json says that the run has ended; 0 also if there is none yet. */
static int run_has_ended(const char *folder)
{
    char path[FILES_PATH], *text = NULL;
    struct ky_option_storage *storage = NULL;
    int ended = 0;
    const int length = snprintf(path, sizeof path, "%s/run.json", folder);
    FILE *file = (size_t)length < sizeof path ? fopen(path, "r") : NULL;
    if (file && !ky_options_read_file(file, path, &storage, &text, NULL))
        ky_json_read(text, path, take_member, &ended, NULL);
    if (file)
        fclose(file);
    ky_options_storage_free(storage);
    return ended;
}

/* Waits for this many seconds, or until a signal comes. */
static void wait_for(double seconds)
{
    struct timespec span = {.tv_sec = (time_t)seconds};
    span.tv_nsec = (long)(1e9 * (seconds - (double)span.tv_sec));
    nanosleep(&span, NULL);
}

/* Draws the last of the files, unless it was drawn before. *drawn is its name; the caller frees
 * it. */
static enum ky_status draw_latest(struct cli *cli, const struct draw_request *request,
                                  const struct file_list *files, char **drawn, size_t *pictures)
{
    struct ky_draw_parameters parameters = *request->parameters;
    struct ky_snapshot snapshot;
    char time[KY_QUANTITY_TEXT];
    const char *latest = files->count ? files->names[files->count - 1] : NULL;
    if (!latest || (*drawn && !strcmp(latest, *drawn)))
        return KY_OK;
    free(*drawn);
    *drawn = strdup(latest);
    if (!*drawn)
        return ky_fail(&cli->error, KY_FAULT, "out of memory: name of a file");
    ky_snapshot_clear(&snapshot);
    parameters.overwrite |= *pictures > 0;
    enum ky_status status =
        reading_get(cli, request->reading, latest, NULL, KY_SPACE_AS_STORED, &snapshot);
    if (!status)
        status = ky_draw(request->output, &snapshot, 1, &parameters, &cli->error);
    if (!status && ++*pictures && !cli->quiet && !cli->json) {
        printf("%s: %s, time %s\n", request->output, latest,
               ky_quantity_text(&snapshot.units, KY_TIME_UNIT, snapshot.time, 6, time));
        fflush(stdout);
    }
    ky_snapshot_free(&snapshot);
    return status;
}

enum ky_status draw_live(struct cli *cli, const struct draw_request *request, const char *folder,
                         size_t *pictures)
{
    enum ky_status status = ky_draw_available(request->output, &cli->error);
    char *drawn = NULL;
    int ended = 0;
    double news = ky_clock();
    *pictures = 0;
    while (!status && !ended) {
        struct file_list files = {0};
        size_t before = *pictures;
        ended = run_has_ended(folder); /* before the files are listed: the last pass sees all */
        status = files_add(cli, &files, folder);
        if (status == KY_BAD_DATA && files_is_folder(folder) && !ended)
            status = KY_OK; /* there are no snapshots yet */
        if (!status)
            status = draw_latest(cli, request, &files, &drawn, pictures);
        files_free(&files);
        if (*pictures > before)
            news = ky_clock();
        if (!status && !ended && request->patience > 0 && ky_clock() - news > request->patience) {
            cli_log(cli, KY_LOG_WARNING, "there is no new snapshot, and the run has not ended");
            break;
        }
        if (!status && !ended)
            wait_for(request->look_every);
    }
    free(drawn);
    return status;
}
