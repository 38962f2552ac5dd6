/* Signals that end a long call in an orderly way. */
#ifndef KY_COMMAND_SIGNALS_H
#define KY_COMMAND_SIGNALS_H

/* Becomes 1 with the first signal. */
const volatile int *signals_stop(void);
/* From this call on, the first SIGINT, SIGTERM, SIGHUP or SIGPIPE sets the number. A second SIGINT
 * or SIGTERM ends the program at once. */
void signals_catch(void);

#endif
