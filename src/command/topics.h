/* The text of `kyoho help WORD` for words that are not commands. */
#ifndef KY_COMMAND_TOPICS_H
#define KY_COMMAND_TOPICS_H

#include <stdio.h>

/* Prints the help of the topic; 0 if there is no topic of that name. */
int topic_print(const char *name, FILE *out);

#endif
