/* script.c - a worker that ends with its script, also where the script is killed. What connects the
 * two tells it through sockets, but not through MPI. */
#include "code.h"
#include "kyoho_worker.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Linux keeps a process that has ended, in state Z, until its parent asks how it ended. */
static int has_ended(pid_t script)
{
    char path[64], text[512] = "";
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)script);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    const size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = 0;
    const char *name = strrchr(text, ')'); /* "NUMBER (NAME) STATE …" */
    return name && (!strncmp(name, ") Z", 3) || !strncmp(name, ") X", 3));
}

static int is_there(pid_t script)
{
    return (!kill(script, 0) || errno != ESRCH) && !has_ended(script);
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
