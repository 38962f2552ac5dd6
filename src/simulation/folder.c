/* The output folder. */
#include "simulation/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "snapshot/snapshot.h"

enum ky_status ky_folder_path(const char *folder, const char *name, char path[KY_PATH],
                              struct ky_error *error)
{
    if (snprintf(path, KY_PATH, "%s/%s", folder, name) >= KY_PATH)
        return ky_fail(error, KY_USAGE, "the name of the folder is too long: %.60s…", folder);
    return KY_OK;
}

enum ky_status ky_folder_snapshot(const char *folder, size_t number, char path[KY_PATH],
                                  struct ky_error *error)
{
    char name[64];
    snprintf(name, sizeof name, "snapshot_%04zu%s", number, ky_snapshot_default_suffix());
    return ky_folder_path(folder, name, path, error);
}

int ky_folder_is_snapshot(const char *name)
{
    static const char *const suffixes[] = {".hdf5", ".tipsy"};
    if (strncmp(name, "snapshot_", 9) != 0)
        return 0;
    size_t digits = strspn(name + 9, "0123456789");
    for (size_t k = 0; digits >= 4 && k < sizeof suffixes / sizeof *suffixes; k++)
        if (!strcmp(name + 9 + digits, suffixes[k]))
            return 1;
    return 0;
}

/* What a run writes and may remove again; run.log is locked and emptied in its own place. */
static int is_result(const char *name)
{
    static const char *const results[] = {"restart.kyo", "restart.kyo.previous", "energy.csv",
                                          "run.json"};
    static const char *const beside[] = {".iord", ".param"}; /* of a TIPSY snapshot */
    for (size_t k = 0; k < sizeof results / sizeof *results; k++)
        if (!strcmp(name, results[k]))
            return 1;
    char snapshot[256];
    size_t length = strlen(name);
    for (size_t k = 0; k < sizeof beside / sizeof *beside; k++) {
        size_t suffix = strlen(beside[k]);
        if (length > suffix && length < sizeof snapshot &&
            !strcmp(name + length - suffix, beside[k])) {
            memcpy(snapshot, name, length - suffix);
            snapshot[length - suffix] = '\0';
            return ky_folder_is_snapshot(snapshot);
        }
    }
    return ky_folder_is_snapshot(name);
}

/* Calls `act` for every result in the folder. */
static enum ky_status each_result(const char *folder,
                                  enum ky_status (*act)(const char *folder, const char *name,
                                                        struct ky_error *error),
                                  struct ky_error *error)
{
    DIR *list = opendir(folder);
    if (!list)
        return ky_fail(error, KY_CANNOT_WRITE, "%s: %s", folder, strerror(errno));
    enum ky_status status = KY_OK;
    for (struct dirent *entry; !status && (entry = readdir(list));)
        if (is_result(entry->d_name))
            status = act(folder, entry->d_name, error);
    closedir(list);
    return status;
}

static enum ky_status refuse(const char *folder, const char *name, struct ky_error *error)
{
    char path[KY_PATH];
    int resumable =
        ky_folder_path(folder, "restart.kyo", path, NULL) == KY_OK && !access(path, F_OK);
    if (!resumable)
        return ky_fail(error, KY_USAGE,
                       "%s holds what is left of a run that had no restart file yet (%s); "
                       "--overwrite replaces it",
                       folder, name);
    return ky_fail(
        error, KY_USAGE,
        "%s holds the results of a run (%s); --resume %s goes on with it, --overwrite replaces it",
        folder, name, folder);
}

static enum ky_status remove_result(const char *folder, const char *name, struct ky_error *error)
{
    char path[KY_PATH];
    enum ky_status status = ky_folder_path(folder, name, path, error);
    if (!status && unlink(path) && errno != ENOENT)
        status =
            ky_fail(error, KY_CANNOT_WRITE, "%s: cannot be removed: %s", path, strerror(errno));
    return status;
}

/* Makes every folder on the way; *made tells about the last. */
static enum ky_status make(const char *folder, int *made, struct ky_error *error)
{
    char path[KY_PATH];
    if (!*folder || snprintf(path, sizeof path, "%s", folder) >= KY_PATH)
        return ky_fail(error, KY_USAGE, "--output: '%.60s' is no name for a folder", folder);
    for (char *slash = path + 1;; slash++) {
        slash += strcspn(slash, "/");
        char kept = *slash;
        *slash = '\0';
        *made = mkdir(path, 0777) == 0;
        if (!*made && errno != EEXIST)
            return ky_fail(error, KY_CANNOT_WRITE, "%s: cannot be made: %s", path, strerror(errno));
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
    return status || overwrite ? status : each_result(folder, refuse, error);
}

enum ky_status ky_folder_clear(const char *folder, struct ky_error *error)
{
    ky_folder_stop(folder); /* one that was left lying about does not mean this run */
    return each_result(folder, remove_result, error);
}

int ky_folder_stop(const char *folder)
{
    char path[KY_PATH];
    return ky_folder_path(folder, "stop", path, NULL) == KY_OK && unlink(path) == 0;
}
