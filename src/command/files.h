/* The snapshots that a word of the command line stands for: a file, or the snapshots of a run's
 * folder. */
#ifndef KY_COMMAND_FILES_H
#define KY_COMMAND_FILES_H

#include "command/command.h"

struct file_list {
    char **names;
    size_t count;
};

/* Adds `word` itself, or the snapshots in the folder `word` in their order. */
enum ky_status files_add(struct cli *cli, struct file_list *list, const char *word);
void files_free(struct file_list *list);
int files_is_folder(const char *word);

#endif
