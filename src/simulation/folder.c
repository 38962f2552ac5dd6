/* The output folder. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "simulation/folder.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/status.h"
#include "snapshot/pieces.h"
#include "snapshot/snapshot.h"

enum ky_status ky_folder_path(const char *folder, const char *name, char path[KY_PATH],
                              struct ky_error *error)
{
    if (snprintf(path, KY_PATH, "%s/%s", folder, name) >= KY_PATH)
        return ky_fail(error, KY_USAGE, "the name of the folder is too long: %.60s…", folder);
    return KY_OK;
}

enum ky_status ky_folder_snapshot(const char *folder, size_t number, int in_pieces,
                                  char path[KY_PATH], struct ky_error *error)
{
    char name[64];
    snprintf(name, sizeof name, "snapshot_%04zu%s%s", number, in_pieces ? ".0" : "",
             ky_snapshot_default_suffix());
    return ky_folder_path(folder, name, path, error);
}

enum ky_status ky_folder_groups(const char *folder, size_t number, char path[KY_PATH],
                                struct ky_error *error)
{
    char name[64];
    snprintf(name, sizeof name, "groups_%04zu.csv", number);
    return ky_folder_path(folder, name, path, error);
}

/* 1 if a run's catalogues of groups have such names. */
static int is_catalogue(const char *name)
{
    static const char first[] = "groups_";
    const size_t length = sizeof first - 1;
    if (strncmp(name, first, length) != 0)
        return 0;
    const size_t digits = strspn(name + length, "0123456789");
    return digits >= 4 && !strcmp(name + length + digits, ".csv");
}

/* 1 if a run's snapshots have such names: "snapshot_0012.hdf5", and "snapshot_0012.3.hdf5" for a
 * piece. */
static int is_snapshot(const char *name)
{
    static const char *const suffixes[] = {".hdf5", ".tipsy"}, decimals[] = "0123456789";
    if (strncmp(name, "snapshot_", 9) != 0)
        return 0;
    size_t digits = strspn(name + 9, decimals);
    const char *end = name + 9 + digits;
    const size_t piece = *end == '.' ? strspn(end + 1, decimals) : 0;
    end += piece ? 1 + piece : 0;
    for (size_t k = 0; digits >= 4 && k < sizeof suffixes / sizeof *suffixes; k++)
        if (!strcmp(end, suffixes[k]))
            return 1;
    return 0;
}

/* 1 for a single file or for the first piece, which stands for all pieces. */
static int begins_snapshot(const char *name)
{
    const char *dot = strchr(name, '.');
    return is_snapshot(name) && (dot[1] < '0' || dot[1] > '9' || (dot[1] == '0' && dot[2] == '.'));
}

/* The folders of a start. Files are written to the folder with the first name. When they are
 * complete it gets the second name, and old results are removed. When these are gone it gets the
 * third name, and the files are moved up. So a start that is interrupted can be completed, or
 * leaves everything as it was. */
static const char begun[] = "starting.part", complete[] = "starting", moving[] = "started";

/* 1 if a run writes this file and may remove it; run.log is locked and emptied in place instead. */
static int is_result(const char *name)
{
    static const char *const results[] = {"restart.kyo",  "restart.kyo.previous", "energy.csv",
                                          "escapers.csv", "events.csv",           "run.json"};
    static const char *const beside[] = {".iord", ".param"}; /* of a TIPSY snapshot */
    for (size_t k = 0; k < sizeof results / sizeof *results; k++)
        if (!strcmp(name, results[k]))
            return 1;
    if (ky_piece_generation(name, results[0]) || is_catalogue(name))
        return 1;
    char snapshot[256];
    size_t length = strlen(name);
    for (size_t k = 0; k < sizeof beside / sizeof *beside; k++) {
        size_t suffix = strlen(beside[k]);
        if (length > suffix && length < sizeof snapshot &&
            !strcmp(name + length - suffix, beside[k])) {
            memcpy(snapshot, name, length - suffix);
            snapshot[length - suffix] = '\0';
            return is_snapshot(snapshot);
        }
    }
    return is_snapshot(name);
}

/* 1 if an interrupted start has left it. */
static int is_start(const char *name)
{
    return !strcmp(name, complete) || !strcmp(name, moving);
}

static int is_own(const char *name)
{
    return is_result(name) || is_start(name);
}

/* Calls `act` for every entry of the folder for which `which` returns 1. */
static enum ky_status each(const char *folder, int (*which)(const char *name),
                           enum ky_status (*act)(const char *folder, const char *name,
                                                 struct ky_error *error),
                           struct ky_error *error)
{
    DIR *list = opendir(folder);
    if (!list)
        return ky_fail(error, KY_CANNOT_WRITE, "%s: %s", folder, strerror(errno));
    enum ky_status status = KY_OK;
    for (struct dirent *entry; !status && (entry = readdir(list));)
        if (which(entry->d_name))
            status = act(folder, entry->d_name, error);
    closedir(list);
    return status;
}

/* Fails with KY_USAGE: results are in the folder; the message says how to continue. */
static enum ky_status refuse(const char *folder, const char *name, struct ky_error *error)
{
    if (!ky_folder_resumable(folder))
        return ky_fail(error, KY_USAGE,
                       "%s contains the results of a run without a restart file (%s); --overwrite "
                       "replaces it",
                       folder, name);
    return ky_fail(
        error, KY_USAGE,
        "%s contains the results of a run (%s); --resume %s continues it, --overwrite replaces it",
        folder, name, folder);
}

static enum ky_status remove_result(const char *folder, const char *name, struct ky_error *error)
{
    char path[KY_PATH];
    KY_TRY(ky_folder_path(folder, name, path, error));
    if (unlink(path) && errno != ENOENT)
        return ky_fail(error, KY_CANNOT_WRITE, "%s: cannot be removed: %s", path, strerror(errno));
    return KY_OK;
}

/* Makes every folder of the path. *made becomes 1 if the last one did not exist. */
static enum ky_status make(const char *folder, int *made, struct ky_error *error)
{
    char path[KY_PATH];
    if (!*folder || snprintf(path, sizeof path, "%s", folder) >= KY_PATH)
        return ky_fail(error, KY_USAGE, "--output: '%.60s' is not a valid name for a folder",
                       folder);
    for (char *slash = path + 1;; slash++) {
        slash += strcspn(slash, "/");
        char kept = *slash;
        *slash = '\0';
        *made = mkdir(path, 0777) == 0;
        if (!*made && errno != EEXIST)
            return ky_fail(error, KY_CANNOT_WRITE, "%s: cannot be created: %s", path,
                           strerror(errno));
        if (!kept)
            return KY_OK;
        *slash = kept;
    }
}

enum ky_status ky_folder_check(const char *folder, int overwrite, int *made, struct ky_error *error)
{
    enum ky_status status = make(folder, made, error);
    struct stat about;
    if (!status && (stat(folder, &about) || !S_ISDIR(about.st_mode)))
        status = ky_fail(error, KY_CANNOT_WRITE, "%s: is not a folder", folder);
    if (!status && access(folder, W_OK | X_OK))
        status = ky_fail(error, KY_CANNOT_WRITE, "%s: %s", folder, strerror(errno));
    return status || overwrite ? status : each(folder, is_own, refuse, error);
}

int ky_folder_resumable(const char *folder)
{
    static const char *const names[] = {"restart.kyo", "restart.kyo.previous", complete, moving};
    char path[KY_PATH];
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (ky_folder_path(folder, names[k], path, NULL) == KY_OK && !access(path, F_OK))
            return 1;
    return 0;
}

int ky_folder_would_remove(const char *folder, const char *path)
{
    struct stat here, there;
    char *real = realpath(path, NULL);
    char *slash = real ? strrchr(real, '/') : NULL;
    int removed = 0;
    if (slash && is_result(slash + 1)) {
        *slash = '\0';
        removed = !stat(folder, &here) && !stat(*real ? real : "/", &there) &&
                  here.st_dev == there.st_dev && here.st_ino == there.st_ino;
    }
    free(real);
    return removed;
}

/* ---- the start of a run ---- */

static int is_file(const char *name)
{
    return strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* Removes one of the folders of a start. */
static void remove_start(const char *folder, const char *name)
{
    char inside[KY_PATH];
    if (ky_folder_path(folder, name, inside, NULL) || access(inside, F_OK))
        return;
    each(inside, is_file, remove_result, NULL);
    rmdir(inside);
}

void ky_folder_drop(const char *folder)
{
    remove_start(folder, begun);
}

enum ky_status ky_folder_begin(const char *folder, char inside[KY_PATH], struct ky_error *error)
{
    ky_folder_drop(folder);
    KY_TRY(ky_folder_path(folder, begun, inside, error));
    if (mkdir(inside, 0777))
        return ky_fail(error, KY_CANNOT_WRITE, "%s: cannot be created: %s", inside,
                       strerror(errno));
    return KY_OK;
}

static enum ky_status rename_in(const char *folder, const char *from, const char *to,
                                struct ky_error *error)
{
    char old[KY_PATH], new[KY_PATH];
    KY_TRY(ky_folder_path(folder, from, old, error));
    KY_TRY(ky_folder_path(folder, to, new, error));
    if (rename(old, new))
        return ky_fail(error, KY_CANNOT_WRITE, "%s: cannot be moved to %s: %s", old, new,
                       strerror(errno));
    return KY_OK;
}

/* Moves a file from the folder of a start up to the folder of the run. */
static enum ky_status move_up(const char *inside, const char *name, struct ky_error *error)
{
    char above[NAME_MAX + 4];
    snprintf(above, sizeof above, "../%s", name);
    return rename_in(inside, name, above, error);
}

enum ky_status ky_folder_settle(const char *folder, struct ky_error *error)
{
    char path[KY_PATH];
    enum ky_status status = ky_folder_path(folder, complete, path, error);
    if (!status && !access(path, F_OK)) {
        ky_folder_stop(folder); /* a file `stop` from before is not meant for this run */
        status = each(folder, is_result, remove_result, error);
        if (!status)
            status = rename_in(folder, complete, moving, error);
    }
    if (!status)
        status = ky_folder_path(folder, moving, path, error);
    if (!status && !access(path, F_OK)) {
        status = each(path, is_file, move_up, error);
        rmdir(path);
    }
    return status;
}

enum ky_status ky_folder_commit(const char *folder, struct ky_error *error)
{
    KY_TRY(rename_in(folder, begun, complete, error));
    return ky_folder_settle(folder, error);
}

int ky_folder_stop(const char *folder)
{
    char path[KY_PATH];
    return ky_folder_path(folder, "stop", path, NULL) == KY_OK && unlink(path) == 0;
}

/* ---- the snapshots of a run ---- */

static enum ky_status add_path(const char *folder, const char *name, struct ky_paths *paths,
                               struct ky_error *error)
{
    const size_t size = strlen(folder) + strlen(name) + 2;
    char **more = realloc(paths->path, (paths->count + 1) * sizeof *more);
    if (more)
        paths->path = more;
    char *path = more ? ky_allocate(size, 1) : NULL;
    if (!path)
        return ky_no_memory(error, "names of snapshots", paths->count + 1, size);
    snprintf(path, size, "%s/%s", folder, name);
    paths->path[paths->count++] = path;
    return KY_OK;
}

/* The digits in the name of a snapshot. */
static const char digits[] = "0123456789";
static const char *number_of(const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    return name + strcspn(name, digits);
}

/* For qsort: snapshots in the order of their numbers. */
static int by_number(const void *a, const void *b)
{
    const char *x = number_of(*(const char *const *)a), *y = number_of(*(const char *const *)b);
    size_t m = strspn(x, digits), n = strspn(y, digits);
    return m != n ? (m > n) - (m < n) : strcmp(x, y); /* 10000 comes after 9999 */
}

void ky_paths_free(struct ky_paths *paths)
{
    if (!paths)
        return;
    for (size_t k = 0; k < paths->count; k++)
        free(paths->path[k]);
    free(paths->path);
    paths->path = NULL;
    paths->count = 0;
}

enum ky_status ky_run_snapshots(const char *folder, struct ky_paths *paths, struct ky_error *error)
{
    KY_NEED(folder, error);
    KY_NEED(paths, error);
    enum ky_status status = KY_OK;
    DIR *list = opendir(folder);
    paths->path = NULL;
    paths->count = 0;
    if (!list)
        return ky_fail(error, KY_BAD_DATA, "%s: %s", folder, strerror(errno));
    for (struct dirent *entry; !status && (entry = readdir(list));)
        if (begins_snapshot(entry->d_name))
            status = add_path(folder, entry->d_name, paths, error);
    closedir(list);
    if (!status && !paths->count)
        status = ky_fail(error, KY_BAD_DATA, "%s: holds no snapshots (snapshot_0000…)", folder);
    if (status)
        ky_paths_free(paths);
    else
        qsort(paths->path, paths->count, sizeof *paths->path, by_number);
    return status;
}
