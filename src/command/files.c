/* Files and folders of snapshots. */
#include "command/files.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "simulation/folder.h"

/* Adds FOLDER/NAME, or NAME if `folder` is NULL. */
static enum ky_status append(struct cli *cli, struct file_list *list, const char *folder,
                             const char *name)
{
    char **more = realloc(list->names, (list->count + 1) * sizeof *more);
    if (!more)
        return ky_fail(&cli->error, KY_FAULT, "out of memory: list of files");
    list->names = more;
    size_t size = (folder ? strlen(folder) + 1 : 0) + strlen(name) + 1;
    char *copy = malloc(size);
    if (!copy)
        return ky_fail(&cli->error, KY_FAULT, "out of memory: list of files");
    snprintf(copy, size, "%s%s%s", folder ? folder : "", folder ? "/" : "", name);
    list->names[list->count++] = copy;
    return KY_OK;
}

int files_is_folder(const char *word)
{
    struct stat about;
    return !stat(word, &about) && S_ISDIR(about.st_mode);
}

/* For qsort: snapshots in the order of their numbers. */
static int by_name(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    size_t m = strlen(*x), n = strlen(*y); /* snapshot_10000 comes after snapshot_9999 */
    return m != n ? (m > n) - (m < n) : strcmp(*x, *y);
}

enum ky_status files_add(struct cli *cli, struct file_list *list, const char *word)
{
    if (!files_is_folder(word))
        return append(cli, list, NULL, word);
    DIR *folder = opendir(word);
    if (!folder)
        return ky_fail(&cli->error, KY_BAD_DATA, "%s: %s", word, strerror(errno));
    size_t before = list->count;
    enum ky_status status = KY_OK;
    for (struct dirent *entry; !status && (entry = readdir(folder));) {
        if (ky_folder_is_snapshot(entry->d_name))
            status = append(cli, list, word, entry->d_name);
    }
    closedir(folder);
    if (!status && list->count == before)
        status = ky_fail(&cli->error, KY_BAD_DATA, "%s: holds no snapshots (snapshot_0000…)", word);
    if (!status)
        qsort(list->names + before, list->count - before, sizeof *list->names, by_name);
    return status;
}

size_t files_spread(size_t k, size_t count, size_t all)
{
    return count < 2 ? all - 1
                     : (size_t)floor((double)k * (double)(all - 1) / (double)(count - 1) + 0.5);
}

void files_free(struct file_list *list)
{
    for (size_t k = 0; k < list->count; k++)
        free(list->names[k]);
    free(list->names);
}
