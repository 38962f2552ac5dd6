/* The threads of loops: promises of OpenMP, and promises of the library's own threads. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_setaffinity */
#endif
#include "test.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analysis/analysis.h"
#include "base/block_sums.h"
#include "base/cores.h"
#include "base/threads.h"
#include "clouds.h"
#include "files.h"
#include "tasks.h"

#ifdef _OPENMP
enum { N = 1000, MANY = 5 };

/* Every turn of a loop is made once, upwards and downwards. Threads have the right numbers and
 * counts. */
static void every_turn_once(void **state)
{
    (void)state;
    for (int threads = 1; threads <= MANY; threads++) {
        int seen[5][N] = {{0}}, low = N, high = -1;
        long sum = 0;
#pragma omp parallel for schedule(dynamic, 7) num_threads(threads) reduction(+ : sum)
        for (size_t i = 3; i < N; i += 2)
            seen[0][i]++, sum += (long)i;
#pragma omp parallel for schedule(dynamic) num_threads(threads) reduction(min                      \
                                                                          : low) reduction(max     \
                                                                                           : high)
        for (int i = N - 1; i >= 0; i -= 3) {
            seen[1][i]++;
            low = i < low ? i : low;
            high = i > high ? i : high;
        }
#pragma omp parallel for schedule(dynamic, 100) num_threads(threads)
        for (size_t i = N - 1; i > 5; i--)
            seen[2][i]++;
#pragma omp parallel for num_threads(threads)
        for (int i = 0; i < N; i++)
            seen[3][i] += ky_thread() < threads;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
        for (size_t i = 5; i < (size_t)low; i++) /* no turn */
            fail();
            /* gcc 8 makes this of schedule(dynamic) */
#pragma omp parallel for schedule(monotonic : dynamic) num_threads(threads)
        for (int i = 0; i < N; i++)
            seen[4][i]++;
#pragma omp parallel for schedule(monotonic : dynamic) num_threads(threads)
        for (size_t i = 0; i < N; i++)
            seen[4][i]++;
        assert_int_equal(sum, 250000 - 1);
        assert_int_equal(low, 0);
        assert_int_equal(high, N - 1);
        for (int i = 0; i < N; i++) {
            assert_int_equal(seen[0][i], i >= 3 && i % 2);
            assert_int_equal(seen[1][i], i % 3 == 0);
            assert_int_equal(seen[2][i], i > 5);
            assert_int_equal(seen[3][i], 1);
            assert_int_equal(seen[4][i], 2);
        }
    }
}

static void region_in_region(void **state)
{
    (void)state;
    int count[MANY][N] = {{0}}, here[MANY];
#pragma omp parallel for num_threads(MANY) schedule(static, 1)
    for (int k = 0; k < MANY; k++) {
        here[k] = ky_threads_here();
#pragma omp parallel for num_threads(MANY) schedule(dynamic)
        for (size_t i = 0; i < N; i++)
            count[k][i] += 1 + omp_get_thread_num();
    }
    for (int k = 0; k < MANY; k++) {
        assert_int_equal(here[k], 1);
        for (int i = 0; i < N; i++)
            assert_int_equal(count[k][i], 1);
    }
}

static long sum_to(int threads, long n)
{
    long sum = 0;
#pragma omp parallel for schedule(dynamic, 3) num_threads(threads) reduction(+ : sum)
    for (long i = 0; i < n; i++)
        sum += i;
    return sum;
}

static void *sum_often(void *wrong)
{
    for (int k = 0; k < 200; k++)
        *(int *)wrong += sum_to(1 + k % 4, N) != N * (N - 1L) / 2;
    return NULL;
}

/* Several callers each have threads of their own, which end with them. */
static void callers_at_once(void **state)
{
    (void)state;
    pthread_t caller[3];
    int wrong[4] = {0};
    for (int k = 0; k < 3; k++)
        assert_int_equal(pthread_create(&caller[k], NULL, sum_often, &wrong[k]), 0);
    sum_often(&wrong[3]);
    for (int k = 0; k < 3; k++)
        pthread_join(caller[k], NULL);
    for (int k = 0; k < 4; k++)
        assert_int_equal(wrong[k], 0);
}

/* The number of threads that take part in a loop. */
static int threads_of_a_loop(void)
{
    int most = 0;
#pragma omp parallel for num_threads(ky_threads(0)) reduction(max : most)
    for (int i = 0; i < 10000; i++)
        most = ky_thread() + 1 > most ? ky_thread() + 1 : most;
    return most;
}

static void *another_thread(void *its)
{
    *(int *)its = threads_of_a_loop();
    return NULL;
}

/* The choice of a program holds for the calling thread alone, until it takes it back. */
static void a_program_chooses(void **state)
{
    (void)state;
    const int usual = threads_of_a_loop();
    int other = 0;
    pthread_t thread;
    assert_int_equal(ky_use_threads(3), 0);
    assert_int_equal(threads_of_a_loop(), 3);
    pthread_create(&thread, NULL, another_thread, &other);
    pthread_join(thread, NULL);
    assert_int_equal(other, usual);
    assert_int_equal(ky_use_threads(1), 3);
    assert_int_equal(threads_of_a_loop(), 1);
    assert_int_equal(ky_use_threads(5000), 1);
    assert_int_equal(ky_use_threads(-1), 1024);
    assert_int_equal(ky_use_threads(0), 0);
    assert_int_equal(threads_of_a_loop(), usual);
}

#ifdef KY_HAVE_TEAM
/* A forked child has none of its parent's threads, and makes its own. With OpenMP it would wait for
 * the parent's for ever. */
static void child_after_fork(void **state)
{
    (void)state;
    assert_int_equal(sum_to(3, N), N * (N - 1) / 2);
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        _exit(sum_to(3, N) != N * (N - 1) / 2);
    }
    int status = 1;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(sum_to(3, N), N * (N - 1) / 2);
}

/* A child that is forked within a loop finishes it. */
static void fork_within_a_loop(void **state)
{
    (void)state;
    pid_t child = -1;
    int status = 1;
    do { /* until thread 0 gets a turn */
#pragma omp parallel for schedule(dynamic) num_threads(2)
        for (int i = 0; i < 200; i++) {
            if (omp_get_thread_num() > 0)
                nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
            else if (child < 0 && (child = fork()) == 0)
                alarm(60);
        }
    } while (child < 0);
    if (child == 0)
        _exit(sum_to(3, N) != N * (N - 1) / 2);
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

static void *sum_for_ever(void *unused)
{
    for (;;) {
        sum_to(2, N);
        pthread_testcancel();
    }
    return unused;
}

/* The loop and the team of a caller that is cancelled come to an end. */
static void cancelled_callers(void **state)
{
    (void)state;
    for (int k = 0; k < 100; k++) {
        pthread_t caller;
        assert_int_equal(pthread_create(&caller, NULL, sum_for_ever, NULL), 0);
        nanosleep(&(struct timespec){.tv_nsec = 100000 + 7919 * k}, NULL);
        pthread_cancel(caller);
        assert_int_equal(pthread_join(caller, NULL), 0);
    }
}

/* A program's signal handler gets faults of our threads, and no other signals in them. */
static void signals_of_faults(void **state)
{
    (void)state;
    sigset_t blocked[2];
#pragma omp parallel for num_threads(2) schedule(static, 1)
    for (int k = 0; k < 2; k++)
        pthread_sigmask(SIG_BLOCK, NULL, &blocked[k]);
    assert_true(sigismember(&blocked[1], SIGINT) && sigismember(&blocked[1], SIGTERM));
    assert_false(sigismember(&blocked[1], SIGSEGV) || sigismember(&blocked[1], SIGFPE));
}

/* ---- as many threads as the caller has processors ---- */

static int pin(void)
{
    cpu_set_t all, one;
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof all, &all))
        return 0;
    for (size_t cpu = 0; cpu < CPU_SETSIZE && !CPU_COUNT(&one); cpu++)
        if (CPU_ISSET(cpu, &all))
            CPU_SET(cpu, &one);
    return !sched_setaffinity(0, sizeof one, &one);
}

static void *threads_when_pinned(void *count)
{
    *(int *)count = pin() ? ky_threads(0) : 1;
    return NULL;
}

/* The first caller in a process has one processor, and so one thread. A second caller takes another
 * number of threads and gives it back. */
static int pinned_threads(void)
{
    pthread_t first;
    int count = 0;
    if (pthread_create(&first, NULL, threads_when_pinned, &count) || pthread_join(first, NULL))
        return 1;
    if (count != 1 || ky_threads(0) != ky_cores())
        return 2;
    ky_threads_restore(ky_threads_take(7));
    threads_when_pinned(&count);
    return count == 1 ? 0 : 3;
}

static const char *program; /* the name of this one */

/* Runs this program with a word, and with a variable of this value or without it (NULL). Returns
 * its seconds of processor. */
static double run_again(const char *word, const char *variable, const char *value)
{
    int status = 1;
    struct rusage before, after;
    getrusage(RUSAGE_CHILDREN, &before);
    const pid_t child = fork();
    if (child == 0) {
        if (value ? setenv(variable, value, 1) : unsetenv(variable))
            _exit(8);
        execl(program, program, word, (char *)NULL); /* /proc/self/exe may be valgrind */
        _exit(9);
    }
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    getrusage(RUSAGE_CHILDREN, &after);
    const struct timeval a = before.ru_utime, b = after.ru_utime, c = before.ru_stime,
                         d = after.ru_stime;
    return (double)(b.tv_sec - a.tv_sec + d.tv_sec - c.tv_sec) +
           1e-6 * (double)(b.tv_usec - a.tv_usec + d.tv_usec - c.tv_usec);
}

static void processors_of_each_thread(void **state)
{
    (void)state;
    run_again("pinned", "OMP_NUM_THREADS", NULL);
}

/* Loops whose threads wait longer than they spin. */
static int long_waits(void)
{
    for (int k = 0; k < 2000; k++) {
#pragma omp parallel for num_threads(2) schedule(static, 1)
        for (int i = 0; i < 2; i++)
            if (i > 0)
                nanosleep(&(struct timespec){.tv_nsec = 60000}, NULL);
    }
    return 0;
}

/* With OMP_WAIT_POLICY=passive no thread spins, which these loops do most of the time. One
 * processor does not let them spin anyway. */
static void passive_threads_do_not_spin(void **state)
{
    (void)state;
    if (ky_cores() < 2)
        skip();
    const double active = run_again("waits", "OMP_WAIT_POLICY", NULL),
                 passive = run_again("waits", "OMP_WAIT_POLICY", " Passive");
    printf("# %.3f s of processor, passive %.3f s\n", active, passive);
    assert_true(passive < 0.85 * active);
}

/* Analyses few bodies, as each row of energy.csv does. *begun: the number of threads that this has
 * begun. */
static void *analyse(void *begun)
{
    struct ky_bodies bodies = cloud_make(PLUMMER, 60);
    const struct ky_portion all = ky_portion_of_all(bodies.n);
    struct ky_speeds speeds;
    double centre[3], radii[2];
    const double half[2] = {0.1, 0.5};
    const int before = threads_now();
    ky_threads_take(3);
    ky_subtract(bodies.n, bodies.position, (const double[3]){0});
    int failed = !(ky_mean(bodies.n, bodies.mass, bodies.position, centre) > 0);
    failed |= ky_lagrangian_radii(&bodies, centre, 2, half, radii, NULL) ||
              ky_density_centre(&bodies, centre, NULL) ||
              ky_measure_speeds(&all, &bodies, 1, &speeds, NULL);
    *(int *)begun = failed ? -1 : threads_now() - before;
    ky_bodies_free(&bodies);
    return NULL;
}

/* Few bodies are added up before other threads have woken. */
static void few_bodies_take_one_thread(void **state)
{
    (void)state;
    pthread_t caller;
    int begun = -1;
    assert_int_equal(pthread_create(&caller, NULL, analyse, &begun), 0);
    pthread_join(caller, NULL);
    assert_int_equal(begun, 0);
}

/* A thread that waits for a sleeping one takes no processor time. */
static void waiting_threads_sleep(void **state)
{
    (void)state;
    struct timespec begin, end;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    for (int k = 0; k < 30; k++) {
#pragma omp parallel for num_threads(2)
        for (int i = 0; i < 2; i++)
            if (i > 0)
                nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    double spent =
        (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    assert_between(spent, 0, 0.05); /* OpenMP: 0.2 s */
}
#endif
#endif

/* ---- numbers of cores ---- */

/* Writes a file below the folder, and makes the folders above it. */
static void put(const char *folder, const char *name, const char *text)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = 0;
        mkdir(path, 0777);
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int cores_of(const char *folder, const char *groups)
{
    char path[600];
    put(folder, "cgroup", groups);
    snprintf(path, sizeof path, "%s/cgroup", folder);
    return ky_cores_of_groups(path, folder);
}

static void limits_of_groups(void **state)
{
    (void)state;
    char top[] = "/tmp/kyoho-team-XXXXXX";
    assert_non_null(mkdtemp(top));
    put(top, "new/job/cpu.max", "max 100000\n");
    put(top, "new/cpu.max", "350000 100000\n");
    put(top, "broken/cpu.max", "-1 0 x\n");
    put(top, "cpu,cpuacct/old/cpu.cfs_quota_us", "50000\n");
    put(top, "cpu,cpuacct/old/cpu.cfs_period_us", "100000\n");
    put(top, "cpu,cpuacct/free/cpu.cfs_quota_us", "-1\n");
    put(top, "cpu,cpuacct/free/cpu.cfs_period_us", "100000\n");
    assert_int_equal(cores_of(top, "0::/new/job\n"), 4); /* the group above, rounded up */
    assert_int_equal(cores_of(top, "0::/broken\n"), 0);
    assert_int_equal(cores_of(top, "0::/\n"), 0);
    assert_int_equal(cores_of(top, "nonsense\n1:\n\n"), 0);
    assert_int_equal(cores_of(top, "3:cpuset:/old\n7:cpu,cpuacct:/old\n0::/\n"), 1);
    assert_int_equal(cores_of(top, "7:cpu,cpuacct:/free\n0::/new\n"), 4);
    put(top, "cpu.max", "200000 100000\n"); /* a container: its own group is the root */
    assert_int_equal(cores_of(top, "0::/somewhere/else\n"), 2);
    assert_int_equal(ky_cores_of_groups("/nowhere/cgroup", top), 0);
    assert_true(ky_cores() >= 1 && ky_cores() <= sysconf(_SC_NPROCESSORS_ONLN));
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", top);
    assert_int_equal(system(command), 0);
}

int main(int argc, char **argv)
{
#ifdef KY_HAVE_TEAM
    program = argv[0];
    if (argc == 1)
        unsetenv("OMP_WAIT_POLICY");
    if (argc == 2 && !strcmp(argv[1], "pinned"))
        return pinned_threads();
    if (argc == 2 && !strcmp(argv[1], "waits"))
        return long_waits();
#endif
    (void)argc, (void)argv;
    const struct CMUnitTest tests[] = {
#ifdef _OPENMP
        cmocka_unit_test(every_turn_once),
        cmocka_unit_test(region_in_region),
        cmocka_unit_test(callers_at_once),
        cmocka_unit_test(a_program_chooses),
#ifdef KY_HAVE_TEAM
        cmocka_unit_test(child_after_fork),
        cmocka_unit_test(waiting_threads_sleep),
        cmocka_unit_test(few_bodies_take_one_thread),
        cmocka_unit_test(fork_within_a_loop),
        cmocka_unit_test(cancelled_callers),
        cmocka_unit_test(signals_of_faults),
        cmocka_unit_test(processors_of_each_thread),
        cmocka_unit_test(passive_threads_do_not_spin),
#endif
#endif
        cmocka_unit_test(limits_of_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
