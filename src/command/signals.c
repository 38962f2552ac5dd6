/* Signals that end a run after its current step, or a view. */
#include "command/signals.h"

#include <signal.h>
#include <string.h>

static volatile int stop; /* the library reads it */

static void on_signal(int number)
{
    (void)number;
    stop = 1;
}

const volatile int *signals_stop(void)
{
    return &stop;
}

/* SIGHUP and SIGPIPE never end the program: a closed terminal or pipe may send its signal again for
 * each printed line. If they are ignored (nohup), the program continues. */
void signals_catch(void)
{
    static const struct {
        int number, again;
    } signals[] = {{SIGINT, 0}, {SIGTERM, 0}, {SIGHUP, 1}, {SIGPIPE, 1}};
    for (size_t k = 0; k < sizeof signals / sizeof *signals; k++) {
        struct sigaction action, before;
        memset(&action, 0, sizeof action);
        action.sa_handler = on_signal;
        action.sa_flags = signals[k].again ? 0 : (int)SA_RESETHAND;
        sigemptyset(&action.sa_mask);
        if (!signals[k].again || sigaction(signals[k].number, NULL, &before) ||
            before.sa_handler != SIG_IGN)
            sigaction(signals[k].number, &action, NULL);
    }
}
