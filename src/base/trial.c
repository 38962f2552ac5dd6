/* See trial.h. A child made by fork would send SIGCHLD at its end, and a thread of the caller could
 * wait for it. So an intermediate process makes the child: a clone that sends no signal, shares the
 * memory and suspends the calling thread, as vfork does. The intermediate process forks like the
 * calling thread, with the locks of the C library in order, waits for the child, and ends. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* clone */
#endif
#include "base/trial.h"

#ifdef KY_HAS_TRIAL
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK = 8 << 20, LEFT = 1 }; /* LEFT: the exit code of a child that exits early */

/* Memory that the three processes share. */
struct shared {
    void (*act)(char *note);
    unsigned seconds;
    int made, returned, status;
    char note[KY_TRIAL_NOTE];
};

/* exit() in `act` writes no buffers of files that the caller has open. */
static void leave(void)
{
    _exit(LEFT);
}

/* Faults end the child by their default actions; all other signals stay blocked. No core file, no
 * output. */
static void be_quiet(void)
{
    static const int faults[] = {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGSYS, SIGALRM};
    const struct rlimit none = {0, 0};
    sigset_t heard;
    sigemptyset(&heard);
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) {
        signal(faults[k], SIG_DFL);
        sigaddset(&heard, faults[k]);
    }
    pthread_sigmask(SIG_UNBLOCK, &heard, NULL);
    setrlimit(RLIMIT_CORE, &none);
    const int nowhere = open("/dev/null", O_RDWR);
    for (int file = 0; file <= 2 && nowhere >= 0; file++)
        dup2(nowhere, file);
    atexit(leave);
}

static void act_alone(struct shared *shared)
{
    be_quiet();
    alarm(shared->seconds);
    shared->act(shared->note);
    shared->returned = 1;
    _exit(0);
}

/* The intermediate process. It has its own handlers. If SIGCHLD were ignored, it could not wait. */
static int between(void *of)
{
    struct shared *shared = of;
    signal(SIGCHLD, SIG_DFL);
    const pid_t child = fork();
    if (child == 0)
        act_alone(shared);
    shared->made = child > 0;
    while (child > 0 && waitpid(child, &shared->status, 0) < 0 && errno == EINTR)
        continue;
    return 0;
}

/* All signals are blocked meanwhile, since a handler would run in both processes. */
static void run_between(struct shared *shared, char *stack)
{
    sigset_t all, before;
    int state, status;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    const pid_t child = clone(between, stack + STACK, CLONE_VM | CLONE_VFORK, shared);
    while (child > 0 && waitpid(child, &status, (int)__WCLONE) < 0 && errno == EINTR)
        continue;
    pthread_setcancelstate(state, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void *map(size_t size, int kind)
{
    void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, kind | MAP_ANONYMOUS, -1, 0);
    return at == MAP_FAILED ? NULL : at;
}

static void unmap(void *at, size_t size)
{
    if (at)
        munmap(at, size);
}

struct ky_trial ky_trial(void (*act)(char *note), unsigned seconds)
{
    struct ky_trial trial = {0};
    struct shared *shared = map(sizeof *shared, MAP_SHARED);
    char *stack = map(STACK, MAP_PRIVATE | MAP_STACK | MAP_NORESERVE);
    if (shared && stack) {
        const int kept = errno;
        shared->act = act;
        shared->seconds = seconds;
        run_between(shared, stack);
        trial.returned = shared->returned;
        trial.ended = shared->made && !shared->returned;
        trial.signal = trial.ended && WIFSIGNALED(shared->status) ? WTERMSIG(shared->status) : 0;
        for (int k = 0; k < KY_TRIAL_NOTE - 1; k++)
            trial.note[k] = shared->note[k];
        errno = kept;
    }
    unmap(shared, sizeof *shared);
    unmap(stack, STACK);
    return trial;
}
#else
struct ky_trial ky_trial(void (*act)(char *note), unsigned seconds)
{
    (void)act;
    (void)seconds;
    return (struct ky_trial){0};
}
#endif
