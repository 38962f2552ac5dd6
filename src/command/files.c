/* Files and folders of snapshots. */
#include "command/files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Adds a copy of the name. */
static enum ky_status append(struct cli *cli, struct file_list *list, const char *name)
{
    char **more = realloc(list->names, (list->count + 1) * sizeof *more);
    if (more)
        list->names = more;
    char *copy = more ? strdup(name) : NULL;
    if (!copy)
        return ky_fail(&cli->error, KY_FAULT, "out of memory: list of files");
    list->names[list->count++] = copy;
    return KY_OK;
}

int files_is_folder(const char *word)
{
    struct stat about;
    return !stat(word, &about) && S_ISDIR(about.st_mode);
}

enum ky_status files_add(struct cli *cli, struct file_list *list, const char *word)
{
    struct ky_paths paths = {0};
    if (!files_is_folder(word))
        return append(cli, list, word);
    enum ky_status status = ky_run_snapshots(word, &paths, &cli->error);
    for (size_t k = 0; k < paths.count && !status; k++)
        status = append(cli, list, paths.path[k]);
    ky_paths_free(&paths);
    return status;
}

void files_free(struct file_list *list)
{
    for (size_t k = 0; k < list->count; k++)
        free(list->names[k]);
    free(list->names);
}
