/* The man page kyoho(1), from the same tables as the help. */
#ifndef KY_COMMAND_MAN_H
#define KY_COMMAND_MAN_H

#include "command/command.h"

/* Write the parts of the page in this order: the beginning; a section for each subcommand, whose
 * options are bound; files, environment and exit codes; the examples of each subcommand; the
 * end. */
void man_begin(FILE *out);
void man_command(const struct cli *cli, FILE *out);
void man_surroundings(FILE *out);
void man_examples(const struct cli *cli, FILE *out);
void man_end(FILE *out);

#endif
