/* Signals that end a long call in good order. */
#ifndef KY_COMMAND_SIGNALS_H
#define KY_COMMAND_SIGNALS_H

/* Becomes 1 with the first signal. */
const volatile int *signals_stop(void);
/* From here on the first SIGINT or SIGTERM, SIGHUP and SIGPIPE set that number. A second SIGINT or
 * SIGTERM ends the program at once. */
void signals_catch(void);

#endif
