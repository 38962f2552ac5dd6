/* What `kyoho help WORD` says about something that is not a command. */
#ifndef KY_COMMAND_TOPICS_H
#define KY_COMMAND_TOPICS_H

#include <stdio.h>

/* Prints the help of the topic; 0 if there is none of that name. */
int topic_print(const char *name, FILE *out);

#endif
