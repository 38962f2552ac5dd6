/* Threads that spin for a moment, then sleep. Each thread that calls the library has a team of its
 * own, made when it is first needed and ended with the thread: so calls from several threads do not
 * wait for each other. Thread 0 of a team is the caller. docs/decisions/threads.md says why this is
 * not left to OpenMP. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/cores.h"
#include "base/memory.h"
#include "base/number.h"

typedef unsigned long long wide;
typedef void part(void *data);

/* How long a thread spins before it sleeps [s]: a few times the time to wake it. */
static const double SPIN = 30e-6;

/* A value that one thread waits for. */
struct gate {
    _Alignas(64) atomic_uint value;
    atomic_int asleep;
    sem_t sem;
};

/* A dynamic loop: `total` iterations from `start` in steps of `step` (which wraps around where it
 * is negative). */
struct loop {
    wide start, step, total, chunk;
};

struct worker {
    struct gate begin; /* value: the number of regions it was called for */
    struct team *team;
    pthread_t thread;
    int number;
};

struct team {
    struct worker **workers;
    int count;        /* of workers */
    struct gate done; /* value: the number of workers that have not finished their part */
    part *work;       /* of the region; NULL: end */
    void *data;
    struct loop loop;
    int size;  /* threads of the region */
    int cores; /* processors when the first worker was made */
    double spin;
    pthread_mutex_t lock;
    _Alignas(64) atomic_ullong next; /* iteration of a dynamic loop */
};

/* The region in which the calling thread is. */
struct place {
    struct team *team; /* the team of the present loop; NULL: no loop, or only this thread */
    atomic_ullong *next;
    struct loop loop;
    int thread, size;
};

static _Thread_local struct place here;
static _Thread_local struct team *own;
static _Thread_local int taken; /* by omp_set_num_threads; 0: none */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key; /* ends the team of a thread that ends */
static bool has_key;
static int quota;         /* processors that control groups allow; 0: no limit */
static int wanted, limit; /* number of threads from the environment; 0: not set */
static double most_spin;  /* [s]: SPIN, or 0 with OMP_WAIT_POLICY=passive */

/* Functions of the calling program's OpenMP; NULL if it has none. */
__attribute__((weak)) int omp_in_parallel(void);
__attribute__((weak)) int omp_get_max_threads(void);

/* ---- waiting ---- */

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static int spins_until(struct gate *gate, unsigned value, double spin)
{
    double end = 0;
    for (int k = 0; atomic_load(&gate->value) != value; k++) {
        if (k % 16 == 0) {
            double now = ky_clock();
            end = k ? end : now + spin;
            if (now >= end)
                return 0;
        }
        relax();
    }
    return 1;
}

/* The thread that wakes the sleeper clears `asleep` first, so that there is never more than one
 * post. */
static void wait_until(struct gate *gate, unsigned value, double spin)
{
    while (!spins_until(gate, value, spin)) {
        atomic_store(&gate->asleep, 1);
        if (atomic_load(&gate->value) == value && atomic_exchange(&gate->asleep, 0))
            return;
        while (sem_wait(&gate->sem))
            ;
    }
}

/* To be called after a change of the value. */
static void wake(struct gate *gate)
{
    if (atomic_load(&gate->asleep) && atomic_exchange(&gate->asleep, 0))
        sem_post(&gate->sem);
}

static void open_gate(struct gate *gate)
{
    atomic_init(&gate->value, 0);
    atomic_init(&gate->asleep, 0);
    sem_init(&gate->sem, 0, 0);
}

/* ---- a team ---- */

static void do_part(struct team *team, int thread)
{
    const struct place before = here;
    here = (struct place){team, &team->next, team->loop, thread, team->size};
    team->work(team->data);
    here = before;
}

static void *run_worker(void *context)
{
    struct worker *worker = context;
    struct team *team = worker->team;
    double spin = most_spin;
    for (unsigned turn = 1;; turn++) {
        wait_until(&worker->begin, turn, spin);
        if (!team->work)
            return NULL;
        do_part(team, worker->number);
        spin = team->spin;
        if (atomic_fetch_sub(&team->done.value, 1) == 1)
            wake(&team->done);
    }
}

static void call(struct worker *worker)
{
    atomic_fetch_add(&worker->begin.value, 1);
    wake(&worker->begin);
}

/* Workers block signals, so that the threads of the program receive them. Signals of faults and of
 * profilers are not blocked, since they belong to the thread that causes them. */
static int start_thread(struct worker *worker)
{
    static const int own_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGPROF};
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (size_t k = 0; k < sizeof own_signals / sizeof *own_signals; k++)
        sigdelset(&blocked, own_signals[k]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    int failed = pthread_create(&worker->thread, NULL, run_worker, worker);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return !failed;
}

static int add_worker(struct team *team)
{
    struct worker *worker = ky_allocate(1, sizeof *worker);
    if (!worker)
        return 0;
    open_gate(&worker->begin);
    worker->team = team;
    worker->number = team->count + 1;
    if (!start_thread(worker)) {
        free(worker);
        return 0;
    }
    team->workers[team->count++] = worker;
    return 1;
}

/* The number of threads that a region of `size` gets. */
static int grow(struct team *team, int size)
{
    if (size > team->count + 1) {
        const size_t count = (size_t)team->count, all = (size_t)size - 1;
        if (ky_extend(&team->workers, count, all, sizeof *team->workers))
            while (team->count + 1 < size && add_worker(team))
                ;
    }
    return size < team->count + 1 ? size : team->count + 1;
}

/* Ends the team of a thread that ends. */
static void end_team(void *context)
{
    struct team *team = context;
    team->work = NULL;
    for (int k = 0; k < team->count; k++)
        call(team->workers[k]);
    for (int k = 0; k < team->count; k++) {
        pthread_join(team->workers[k]->thread, NULL);
        free(team->workers[k]);
    }
    free(team->workers);
    free(team);
    own = NULL;
}

/* After a fork the child has no workers. A child that was forked within a loop does the rest of the
 * loop by itself. */
static void leave_workers(void)
{
    if (!own)
        return;
    for (int k = 0; k < own->count; k++)
        free(own->workers[k]);
    own->count = 0;
    open_gate(&own->done);
    pthread_mutex_init(&own->lock, NULL);
}

/* The number in a variable of the environment, the first of a list; 0 without one. */
static int number_in(const char *variable)
{
    const char *text = getenv(variable);
    uint64_t number = text ? ky_number_count(text + strspn(text, " "), NULL) : 0;
    return number < 100000 ? (int)number : 0;
}

/* OpenMP's variable for threads that leave the processors to other programs. */
static bool sleeps_at_once(void)
{
    const char *policy = getenv("OMP_WAIT_POLICY");
    return policy && !strncasecmp(policy + strspn(policy, " "), "passive", strlen("passive"));
}

static void prepare(void)
{
    most_spin = sleeps_at_once() ? 0 : SPIN;
    wanted = number_in("OMP_NUM_THREADS");
    limit = number_in("OMP_THREAD_LIMIT");
    quota = ky_cores_of_process();
    has_key = !pthread_key_create(&key, end_team);
    pthread_atfork(NULL, NULL, leave_workers);
}

/* Processors of the calling thread: each can have an affinity of its own, which can change. */
static int cores(void)
{
    const int allowed = ky_cores_of_thread();
    return quota && quota < allowed ? quota : allowed;
}

/* The number of threads of a loop without omp_set_num_threads. */
static int usual(void)
{
    pthread_once(&once, prepare);
    int usual = wanted ? wanted : cores();
    usual = limit && limit < usual ? limit : usual;
    const int theirs = omp_get_max_threads ? omp_get_max_threads() : usual;
    return theirs < usual ? theirs : usual;
}

/* The team of the calling thread; NULL without memory for it, or where it could not be ended with
 * the thread. */
static struct team *own_team(void)
{
    if (own || !has_key || !(own = ky_allocate(1, sizeof *own)))
        return own;
    *own = (struct team){.cores = cores()};
    open_gate(&own->done);
    pthread_mutex_init(&own->lock, NULL);
    if (pthread_setspecific(key, own)) {
        free(own);
        own = NULL;
    }
    return own;
}

static void alone(part *work, void *data, const struct loop *loop)
{
    const struct place before = here;
    atomic_ullong next = 0;
    here = (struct place){before.team, &next, *loop, 0, 1};
    work(data);
    here = before;
}

/* ---- functions that compiled loops call ----
 *
 * The shared libkyoho exports these functions, though no header has them: loops of libkyoho_draw
 * run on the same threads. */

#pragma GCC visibility push(default)
int ky_team_most(void);

static void region(part *work, void *data, unsigned threads, const struct loop *loop)
{
    int size = threads ? (int)threads : ky_team_most(), cancel;
    struct team *team = NULL;
    if (size > 1 && !here.team && !(omp_in_parallel && omp_in_parallel())) {
        pthread_once(&once, prepare);
        team = own_team();
        size = team ? grow(team, size) : 1;
    }
    if (!team || size == 1) {
        alone(work, data, loop);
        return;
    }
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE,
                           &cancel); /* the workers use the caller's variables */
    team->work = work;
    team->data = data;
    team->loop = *loop;
    team->size = size;
    team->spin = size > team->cores ? 0 : most_spin;
    atomic_store(&team->next, 0);
    atomic_store(&team->done.value, (unsigned)size - 1);
    for (int k = 0; k < size - 1; k++)
        call(team->workers[k]);
    do_part(team, 0);
    wait_until(&team->done, 0, team->spin);
    pthread_setcancelstate(cancel, NULL);
}

/* `up` is false if the loop counts down. */
static struct loop loop_of(bool up, wide start, wide end, wide step, wide chunk)
{
    const wide length = up ? end - start : start - end, stride = up ? step : 0 - step;
    return (struct loop){start, step, length ? (length - 1) / stride + 1 : 0, chunk};
}

static struct loop loop_of_long(long start, long end, long step, long chunk)
{
    const bool up = step > 0, empty = up ? end <= start : start <= end;
    return loop_of(up, (wide)start, (wide)(empty ? start : end), (wide)step, (wide)chunk);
}

void ky_team_parallel(part *work, void *data, unsigned threads, unsigned flags);
void ky_team_parallel(part *work, void *data, unsigned threads, unsigned flags)
{
    (void)flags;
    region(work, data, threads, &(struct loop){0});
}

void ky_team_parallel_loop(part *work, void *data, unsigned threads, long start, long end,
                           long step, long chunk, unsigned flags);
void ky_team_parallel_loop(part *work, void *data, unsigned threads, long start, long end,
                           long step, long chunk, unsigned flags)
{
    (void)flags;
    const struct loop loop = loop_of_long(start, end, step, chunk);
    region(work, data, threads, &loop);
}

bool ky_team_next(wide *first, wide *end);
bool ky_team_next(wide *first, wide *end)
{
    const struct loop *loop = &here.loop;
    const wide turn = atomic_fetch_add(here.next, loop->chunk);
    if (turn >= loop->total)
        return false;
    const wide left = loop->total - turn;
    *first = loop->start + turn * loop->step;
    *end = *first + (left < loop->chunk ? left : loop->chunk) * loop->step;
    return true;
}

bool ky_team_next_long(long *first, long *end);
bool ky_team_next_long(long *first, long *end)
{
    wide begin, stop;
    if (!ky_team_next(&begin, &stop))
        return false;
    *first = (long)begin;
    *end = (long)stop;
    return true;
}

bool ky_team_start(bool up, wide start, wide end, wide step, wide chunk, wide *first, wide *last);
bool ky_team_start(bool up, wide start, wide end, wide step, wide chunk, wide *first, wide *last)
{
    const bool empty = up ? end <= start : start <= end;
    here.loop = loop_of(up, start, empty ? start : end, step, chunk);
    return ky_team_next(first, last);
}

bool ky_team_start_long(long start, long end, long step, long chunk, long *first, long *last);
bool ky_team_start_long(long start, long end, long step, long chunk, long *first, long *last)
{
    here.loop = loop_of_long(start, end, step, chunk);
    return ky_team_next_long(first, last);
}

void ky_team_end(void);
void ky_team_end(void)
{
}

void ky_team_lock(void);
void ky_team_lock(void)
{
    if (here.team)
        pthread_mutex_lock(&here.team->lock);
}

void ky_team_unlock(void);
void ky_team_unlock(void)
{
    if (here.team)
        pthread_mutex_unlock(&here.team->lock);
}

/* ---- functions that the sources call ---- */

int ky_team_thread(void);
int ky_team_thread(void)
{
    return here.thread;
}

int ky_team_size(void);
int ky_team_size(void)
{
    return here.size ? here.size : 1; /* 0 outside of regions */
}

int ky_team_most(void)
{
    return taken ? taken : usual();
}

/* The default number is not kept: it may change later. */
void ky_team_take(int threads);
void ky_team_take(int threads)
{
    taken = threads == usual() ? 0 : threads;
}

int ky_team_at_work(void);
int ky_team_at_work(void)
{
    return here.team != NULL;
}

#pragma GCC visibility pop
