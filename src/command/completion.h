/* Completion of command lines in bash and zsh, from the same tables as the help. */
#ifndef KY_COMMAND_COMPLETION_H
#define KY_COMMAND_COMPLETION_H

#include "command/command.h"

/* The parts of a shell's script: the beginning with the names and summaries of all commands, a part
 * for each command whose options are bound, and the end. */
struct completion {
    const char *shell; /* "bash", "zsh" */
    void (*begin)(const struct subcommand *const *commands, size_t count, FILE *out);
    void (*command)(const struct cli *cli, FILE *out);
    void (*end)(FILE *out);
};

/* The row of the table for this shell, or NULL. */
const struct completion *completion_find(const char *shell);

#endif
