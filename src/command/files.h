/* The snapshots that a word of the command line names: a file, or all snapshots in a run's
 * folder. */
#ifndef KY_COMMAND_FILES_H
#define KY_COMMAND_FILES_H

#include "command/command.h"

enum { FILES_PATH = 4096 }; /* bytes of a file name */

struct file_list {
    char **names;
    size_t count;
};

/* Adds `word` itself, or if it is a folder, its snapshots in order. KY_BAD_DATA for a folder
 * without snapshots or that cannot be read. */
enum ky_status files_add(struct cli *cli, struct file_list *list, const char *word);
/* Frees the names. */
void files_free(struct file_list *list);
/* 1 if `word` names a folder. */
int files_is_folder(const char *word);

#endif
