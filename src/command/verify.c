/* kyoho verify: runs a finished run again, from its run.json, and compares the files of both runs
 * bit by bit. Files that hold times of the clock or the machine (run.json, run.log, restart files)
 * are not compared, nor is wall_s, the last column of energy.csv. */
#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json_read.h"
#include "base/number.h"
#include "command/files.h"
#include "command/signals.h"

static const uint64_t never = UINT64_MAX;

struct request {
    const char *keep; /* --keep, or NULL */
    char folder[FILES_PATH], again[FILES_PATH];
    char outcome[32], device[160], reason[200]; /* of the first run */
    int has_source;  /* 1: run.json names the model or the file of the bodies */
    char first[256]; /* the first file that differs */
    size_t files, different;
    uint64_t step,
        equal; /* rows of energy.csv: the first that differs, the last before it; never */
};

/* 1 for a run that a condition has stopped, which stops again at the same step. */
static int has_condition(const struct request *request)
{
    return !strcmp(request->outcome, "stopped early") && strstr(request->reason, "--stop-");
}

/* ---- one file ---- */

/* Two files of the same name, one of each run. */
struct pair {
    char path[2][2 * FILES_PATH];
    FILE *file[2];
};

static int same_bytes(struct pair *pair)
{
    enum { PIECE = 1 << 16 };
    static char piece[2][PIECE];
    size_t got;
    do {
        got = fread(piece[0], 1, PIECE, pair->file[0]);
        if (fread(piece[1], 1, PIECE, pair->file[1]) != got || memcmp(piece[0], piece[1], got) != 0)
            return 0;
    } while (got);
    return 1;
}

/* The length of a line without its last cell if `clock`. */
static size_t compared(const char *line, int clock)
{
    const char *comma = clock ? strrchr(line, ',') : NULL;
    return comma ? (size_t)(comma - line) : strlen(line);
}

/* The steps of a row, its second cell. */
static uint64_t steps_of(const char *line)
{
    char *end;
    const char *comma = strchr(line, ',');
    return comma ? ky_number_count(comma + 1, &end) : never;
}

/* Compares two tables of energies row by row. A row that one of them lacks differs. */
static int same_rows(struct request *request, struct pair *pair)
{
    char *line[2] = {NULL, NULL};
    size_t room[2] = {0, 0};
    int same = 1, clock = 0, more = 1;
    for (size_t row = 0; same && more; row++) {
        const ssize_t a = getline(&line[0], &room[0], pair->file[0]),
                      b = getline(&line[1], &room[1], pair->file[1]);
        more = a >= 0 && b >= 0;
        if (!row && more)
            clock = ky_ends_with(line[0], ",wall_s\n");
        if (more) {
            const size_t length = compared(line[0], clock);
            same = length == compared(line[1], clock) && !memcmp(line[0], line[1], length);
        } else
            same = a < 0 && b < 0;
        const uint64_t step = a >= 0 ? steps_of(line[0]) : b >= 0 ? steps_of(line[1]) : never;
        if (same && more && row)
            request->equal = step;
        else if (!same)
            request->step = step;
    }
    free(line[0]);
    free(line[1]);
    return same;
}

/* 1 if both snapshots have the same bodies. Bytes may differ by another version of HDF5. */
static int same_bodies(struct cli *cli, const struct pair *pair)
{
    struct ky_snapshot of[2] = {{.size = 0}, {.size = 0}};
    const struct reading reading = {.types = NULL};
    int same = 1;
    for (int k = 0; k < 2; k++)
        same &= !reading_get(cli, &reading, pair->path[k], NULL, KY_SPACE_AS_STORED, &of[k]);
    const struct ky_bodies *a = &of[0].bodies, *b = &of[1].bodies;
    const size_t n = a->n;
    same = same && n == b->n && !a->id == !b->id &&
           !memcmp(a->position, b->position, n * sizeof *a->position) &&
           !memcmp(a->velocity, b->velocity, n * sizeof *a->velocity) &&
           !memcmp(a->mass, b->mass, n * sizeof *a->mass) &&
           (!a->id || !memcmp(a->id, b->id, n * sizeof *a->id));
    ky_snapshot_free(&of[0]);
    ky_snapshot_free(&of[1]);
    return same;
}

static void tell(struct cli *cli, struct request *request, const char *name, int same,
                 const char *how)
{
    request->files++;
    request->different += !same;
    if (!same && !*request->first)
        snprintf(request->first, sizeof request->first, "%s", name);
    if (!cli->json && !cli->quiet)
        printf("%-8s %s%s%s\n", same ? "same" : "differs", name, how ? ": " : "", how ? how : "");
}

/* Compares the files of this name, of which the first run has one. A folder is no result of a run:
 * it may be the second run, that --keep puts into the first one. */
static void compare(struct cli *cli, struct request *request, const char *name)
{
    struct pair pair;
    struct stat about;
    const char *how = NULL;
    int same = 0;
    snprintf(pair.path[0], sizeof pair.path[0], "%s/%s", request->folder, name);
    if (!stat(pair.path[0], &about) && S_ISDIR(about.st_mode))
        return;
    snprintf(pair.path[1], sizeof pair.path[1], "%s/%s", request->again, name);
    for (int k = 0; k < 2; k++)
        pair.file[k] = fopen(pair.path[k], "rb");
    if (pair.file[0] && pair.file[1])
        same = !strcmp(name, "energy.csv") ? same_rows(request, &pair) : same_bytes(&pair);
    else
        how = pair.file[0] ? "the second run does not have it" : "it cannot be read";
    if (!same && !how && !strncmp(name, "snapshot_", 9) && same_bodies(cli, &pair)) {
        same = 1;
        how = "the same bodies, in other bytes";
    }
    tell(cli, request, name, same, how);
    for (int k = 0; k < 2; k++)
        if (pair.file[k])
            fclose(pair.file[k]);
}

/* ---- the two runs ---- */

/* 1 for a file with results of a run. */
static int has_results(const struct dirent *entry)
{
    const char *name = entry->d_name;
    return *name != '.' && strncmp(name, "run.", 4) != 0 && strncmp(name, "restart.", 8) != 0;
}

static int any(const struct dirent *entry)
{
    return *entry->d_name != '.';
}

/* Calls `act` for the files of a folder that `which` chooses, in order. KY_BAD_DATA if the folder
 * cannot be read. */
static enum ky_status for_files(struct cli *cli, struct request *request, const char *folder,
                                int (*which)(const struct dirent *),
                                void (*act)(struct cli *, struct request *, const char *))
{
    struct dirent **files;
    const int count = scandir(folder, &files, which, alphasort);
    if (count < 0)
        return ky_fail(&cli->error, KY_BAD_DATA, "%s cannot be read", folder);
    for (int k = 0; k < count; k++) {
        act(cli, request, files[k]->d_name);
        free(files[k]);
    }
    free(files);
    return KY_OK;
}

static void remove_again(struct cli *cli, struct request *request, const char *name)
{
    char path[2 * FILES_PATH];
    (void)cli;
    snprintf(path, sizeof path, "%s/%s", request->again, name);
    unlink(path);
}

/* A ky_json_member: the outcome, the device and the reason of an early end. */
static enum ky_status take_member(void *context, const struct ky_json_told *told,
                                  struct ky_error *error)
{
    struct request *request = context;
    (void)error;
    if (!*told->object && !strcmp(told->name, "outcome"))
        snprintf(request->outcome, sizeof request->outcome, "%s", told->text);
    if (!*told->object && !strcmp(told->name, "device"))
        snprintf(request->device, sizeof request->device, "%s", told->text);
    if (!*told->object && !strcmp(told->name, "reason"))
        snprintf(request->reason, sizeof request->reason, "%s", told->text);
    if (!strcmp(told->object, "options") &&
        (!strcmp(told->name, "model") || !strcmp(told->name, "input")))
        request->has_source = 1;
    return KY_OK;
}

/* Reads run.json at this path. */
static enum ky_status read_told(struct request *request, const char *path, struct ky_error *error)
{
    struct ky_option_storage *storage = NULL;
    char *text = NULL;
    FILE *file = fopen(path, "r");
    if (!file)
        return ky_fail(error, KY_BAD_DATA,
                       "%s cannot be read; a folder of a run has it, from version 0.2 on", path);
    enum ky_status status = ky_options_read_file(file, path, &storage, &text, error);
    if (!status)
        status = ky_json_read(text, path, take_member, request, error);
    ky_options_storage_free(storage);
    fclose(file);
    return status;
}

/* Runs again, with the options of run.json, into the other folder. If a program had the bodies in
 * memory, the first snapshot provides them; the hash in run.json tells whether it has the same
 * bits. */
static enum ky_status run_again(struct cli *cli, struct request *request, char *told)
{
    struct ky_paths paths = {0};
    if (!request->has_source)
        KY_TRY(ky_run_snapshots(request->folder, &paths, &cli->error));
    char *words[] = {
        told, "--output", request->again, "--input", paths.count ? paths.path[0] : NULL, NULL};
    struct cli again;
    memset(&again, 0, sizeof again);
    again.command = &run_command;
    again.summary = run_command.summary;
    again.quiet = 1;
    enum ky_status status = run_command.run(&again, paths.count ? 5 : 3, words, 0);
    ky_paths_free(&paths);
    cli->error = again.error;
    cli_free(&again);
    if (status == KY_STOPPED && *signals_stop())
        return ky_fail(&cli->error, KY_STOPPED, "stopped by a signal; nothing was compared");
    return status == KY_STOPPED && has_condition(request) ? KY_OK : status;
}

/* ---- the command ---- */

/* The names of both folders, and run.json of the first. */
static enum ky_status prepare(struct cli *cli, struct request *request, char told[FILES_PATH])
{
    size_t length = strlen(cli->words[0]);
    while (length > 1 && cli->words[0][length - 1] == '/')
        length--;
    if (length + 32 > FILES_PATH)
        return ky_fail(&cli->error, KY_USAGE, "the name of the folder is too long");
    snprintf(request->folder, sizeof request->folder, "%.*s", (int)length, cli->words[0]);
    snprintf(told, FILES_PATH, "%.*s/run.json", (int)length, request->folder);
    snprintf(request->again, sizeof request->again, "%.*s%s",
             request->keep ? FILES_PATH - 1 : (int)length,
             request->keep ? request->keep : request->folder, request->keep ? "" : ".verify");
    struct stat about;
    if (!stat(request->again, &about))
        return ky_fail(&cli->error, KY_USAGE,
                       "%s exists; remove it, or name a new folder for the second run by --keep",
                       request->again);
    KY_TRY(read_told(request, told, &cli->error));
    if (strcmp(request->outcome, "done") != 0 && !has_condition(request))
        return ky_fail(&cli->error, KY_USAGE,
                       "the run in %s has not come to its end (%s%s%s); see kyoho info %s, and "
                       "finish it by kyoho run --resume %s",
                       request->folder, request->outcome, *request->reason ? " by " : "",
                       request->reason, request->folder, request->folder);
    return KY_OK;
}

static void tell_same(const struct cli *cli, const struct request *request)
{
    struct ky_json json = {.out = stdout};
    if (!cli->json) {
        if (!cli->quiet)
            printf("all %zu files have the same bits\n", request->files);
        return;
    }
    ky_json_object(&json, NULL);
    ky_json_count(&json, "files", request->files);
    ky_json_count(&json, "different", 0);
    ky_json_end_object(&json);
}

/* The status of the whole comparison, with its line. */
static enum ky_status conclude(struct cli *cli, struct request *request)
{
    struct request second = {.outcome = ""};
    char path[FILES_PATH + 16], where[120] = "", host[400] = "";
    struct ky_error ignored;
    snprintf(path, sizeof path, "%s/run.json", request->again);
    read_told(&second, path, &ignored);
    if (!request->different) {
        tell_same(cli, request);
        return KY_OK;
    }
    if (request->step != never && request->equal != never)
        snprintf(where, sizeof where, ", from step %" PRIu64 " on (step %" PRIu64 " is the same)",
                 request->step, request->equal);
    else if (request->step != never)
        snprintf(where, sizeof where, ", from step %" PRIu64 " on", request->step);
    if (strcmp(second.device, request->device) != 0)
        snprintf(host, sizeof host, "; it was made on %s, this is %s", request->device,
                 second.device);
    return ky_fail(&cli->error, KY_BAD_DATA, "%zu of %zu files differ, first %s%s%s%s",
                   request->different, request->files, request->first, where, host,
                   request->has_source ? ""
                                       : "; a program made the run, whose functions (heartbeat, "
                                         "field) cannot run again here");
}

static enum ky_status verify(struct cli *cli, struct request *request)
{
    char told[FILES_PATH];
    KY_TRY(prepare(cli, request, told));
    enum ky_status status = run_again(cli, request, told);
    if (status == KY_CANNOT_WRITE && !request->keep) {
        const struct ky_error why = cli->error;
        status = ky_fail(&cli->error, status, "%s; --keep FOLDER puts the second run elsewhere",
                         why.text);
    }
    if (!status)
        status = for_files(cli, request, request->folder, has_results, compare);
    if (!status && !request->files)
        status = ky_fail(&cli->error, KY_BAD_DATA, "%s has no results", request->folder);
    if (!status)
        status = conclude(cli, request);
    struct cli quiet = {.quiet = 1}; /* whose errors, of a folder that is not there, are not told */
    if (!request->keep) {
        for_files(&quiet, request, request->again, any, remove_again);
        rmdir(request->again);
    }
    return status;
}

static enum ky_status run(struct cli *cli, int argc, char **argv, int describe)
{
    struct request request = {.keep = NULL, .step = never, .equal = never};
    static const struct ky_option options[] = {
        {"keep", KY_OPTION_TEXT, offsetof(struct request, keep), NULL, KY_NO_RANGE, NULL, "FOLDER",
         "the folder of the second run, which stays; without it the second run is removed"}};
    cli_add_table(cli, "verify", options, &request);
    enum ky_status status = describe ? KY_OK : cli_parse(cli, argc, argv, 1, 1);
    return status || describe || cli->help ? status : verify(cli, &request);
}

const struct subcommand verify_command = {
    "verify",
    "FOLDER [--keep FOLDER]",
    "run a finished run again, and say which files have the same bits",
    run,
    NULL,
    NULL,
    "kyoho verify first\n"};
