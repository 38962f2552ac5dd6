/* Trials in a child: how they end, and that the caller's process does not notice them. */
#include "test.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/trial.h"

static int touched;
static FILE *open_file;

static void returns(char *note)
{
    touched = 1;
    printf("a trial says nothing\n");
    fflush(stdout);
    strcpy(note, "was here");
}

static void aborts(char *note)
{
    strcpy(note, "first");
    strcpy(note, "then");
    abort();
}

static void faults(char *note)
{
    (void)note;
    raise(SIGSEGV);
}

static void exits(char *note)
{
    (void)note;
    exit(0);
}

static void hangs(char *note)
{
    (void)note;
    for (;;)
        pause();
}

static void allocates(char *note)
{
    for (int k = 0; k < 200; k++)
        free(malloc((size_t)(k % 7 + 1) << 12));
    FILE *file = fopen("/dev/null", "w");
    if (file)
        fclose(file);
    strcpy(note, "done");
}

static void expect(void (*act)(char *note), int ended, int number, const char *note)
{
    struct ky_trial trial = ky_trial(act, 1);
    assert_int_equal(trial.ended, ended);
    assert_int_equal(trial.returned, !ended);
    assert_int_equal(trial.signal, number);
    assert_string_equal(trial.note, note);
}

static void tells_how_it_ended(void **state)
{
    (void)state;
    expect(returns, 0, 0, "was here");
    assert_int_equal(touched, 0);
    expect(aborts, 1, SIGABRT, "then");
    expect(faults, 1, SIGSEGV, "");
    expect(hangs, 1, SIGALRM, "");
}

/* Text that the caller has written to a buffered file, and not yet flushed, reaches the file once.
 */
static void leaves_files_alone(void **state)
{
    (void)state;
    char text[40] = "";
    open_file = tmpfile();
    assert_non_null(open_file);
    fputs("once", open_file);
    expect(exits, 1, 0, "");
    rewind(open_file);
    assert_non_null(fgets(text, sizeof text, open_file));
    assert_string_equal(text, "once");
    fclose(open_file);
}

static volatile sig_atomic_t heard;

static void hear(int number)
{
    (void)number;
    heard++;
}

static void of_crashes(int number)
{
    (void)number;
    _exit(0);
}

static void leaves_signals_alone(void **state)
{
    (void)state;
    struct sigaction action = {.sa_handler = hear}, now;
    sigset_t mask;
    int status;
    signal(SIGABRT, of_crashes);
    sigaction(SIGCHLD, &action, NULL);
    for (int k = 0; k < 2; k++) {
        expect(aborts, 1, SIGABRT, "then");
        expect(returns, 0, 0, "was here");
        assert_int_equal(waitpid(-1, &status, 0), -1); /* no child is left */
        assert_int_equal(errno, ECHILD);
        sigaction(SIGCHLD, NULL, &now);
        assert_true(now.sa_handler == (k ? SIG_IGN : hear));
        signal(SIGCHLD, SIG_IGN);
    }
    signal(SIGCHLD, SIG_DFL);
    signal(SIGABRT, SIG_DFL);
    assert_int_equal(heard, 0);
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    assert_false(sigismember(&mask, SIGCHLD));
    assert_false(sigismember(&mask, SIGTERM));
}

/* A thread of the caller that waits for any child gets a child of the caller. */
static void *wait_for_any(void *of)
{
    int status = -1;
    *(pid_t *)of = waitpid(-1, &status, 0);
    return NULL;
}

static void leaves_children_alone(void **state)
{
    (void)state;
    int ends[2];
    char byte;
    pid_t child, got = 0;
    pthread_t thread;
    assert_int_equal(pipe(ends), 0);
    child = fork();
    if (child == 0) {
        close(ends[1]);
        _exit(read(ends[0], &byte, 1) != 0);
    }
    assert_int_equal(pthread_create(&thread, NULL, wait_for_any, &got), 0);
    for (int k = 0; k < 5; k++)
        expect(returns, 0, 0, "was here");
    close(ends[0]);
    close(ends[1]);
    pthread_join(thread, NULL);
    assert_int_equal(got, child);
}

static atomic_int stop;

static void *use_memory(void *none)
{
    (void)none;
    while (!stop)
        free(malloc(1000));
    return NULL;
}

/* The locks of the C library are free in the child. */
static void works_beside_threads(void **state)
{
    (void)state;
    pthread_t threads[4];
    for (int k = 0; k < 4; k++)
        assert_int_equal(pthread_create(&threads[k], NULL, use_memory, NULL), 0);
    for (int k = 0; k < 50; k++)
        expect(allocates, 0, 0, "done");
    stop = 1;
    for (int k = 0; k < 4; k++)
        pthread_join(threads[k], NULL);
}

int main(void)
{
#ifndef KY_HAS_TRIAL
    puts("ok 1 - trials # SKIP not on this system, or not with this sanitizer");
    return 0;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_how_it_ended),   cmocka_unit_test(leaves_files_alone),
        cmocka_unit_test(leaves_signals_alone), cmocka_unit_test(leaves_children_alone),
        cmocka_unit_test(works_beside_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
