/* The snapshots that a word of the command line stands for: a file, or the snapshots of a run's
 * folder. */
#ifndef KY_COMMAND_FILES_H
#define KY_COMMAND_FILES_H

#include "command/command.h"

enum { FILES_PATH = 4096 }; /* bytes of a name of a file */

struct file_list {
    char **names;
    size_t count;
};

/* Adds `word` itself, or if it is a folder the snapshots in it, in their order. KY_BAD_DATA for a
 * folder without snapshots, or one that cannot be read. */
enum ky_status files_add(struct cli *cli, struct file_list *list, const char *word);
/* Frees the names. */
void files_free(struct file_list *list);
/* 1 if `word` names a folder. */
int files_is_folder(const char *word);

#endif
