/* script.c - a worker that ends with its script, also where the script is killed. What connects the
 * two tells it through sockets, but not through MPI. */
#include "code.h"
#include "kyoho_worker.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int is_there(pid_t script)
{
    return !kill(script, 0) || errno != ESRCH;
}

static void *wait_for(void *script)
{
    const struct timespec pause = {.tv_nsec = 500000000};
    while (is_there(*(pid_t *)script))
        nanosleep(&pause, NULL);
    _exit(1);
}

/* `number`: the script's process on the computer `host`. A script on another computer is not
 * watched. */
int end_with_script(char *number, char *host)
{
    static pid_t script;
    static char here[256];
    pthread_t thread;
    if (script || gethostname(here, sizeof here - 1) || strcmp(here, host))
        return DONE;
    script = (pid_t)strtol(number, NULL, 10);
    if (script <= 0 || !is_there(script)) /* a container may number processes in its own way */
        return DONE;
    if (pthread_create(&thread, NULL, wait_for, &script))
        return code_refuse("there is no thread that watches the script");
    pthread_detach(thread);
    return DONE;
}
