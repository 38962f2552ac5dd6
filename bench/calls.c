/* What each call of the driver takes on each card of a step with its drift: calls ENGINE N RANKS
 * [MODEL [host] [WORDS…]], such as calls cuda:0,1 16777216 2 (words are parameters, as in
 * alpha=0.002). The card is waited for after each call, so that the times are those of the card,
 * and the step is longer than without. host: nothing is waited for, and the times are those for
 * which the host is in each call; then how long after a call for which the host waited, of which
 * the rows name the kernel before, the card has nothing to do until the next call. Milliseconds and
 * calls a step, the mean of four, of the first eight cards; the last row is the step itself by the
 * wall clock. */
#include <stddef.h>
#include <string.h>

#include "base/clock.h"
#include "common.h"
#include "engine/device/driver/driver.h"

enum { STEPS = 4, WARM = 4, CARDS = 8 };

#define CALLS(X)                                                                                   \
    X(write)                                                                                       \
    X(read) X(write_later) X(read_later) X(copy) X(fetch) X(zero) X(sort) X(scan) X(reduce) X(wait)
enum call {
#define ITSELF(call) CALL_##call,
    CALLS(ITSELF)
#undef ITSELF
        CALL_COUNT
};
static const char *const call_name[] = {
#define NAME(call) #call,
    CALLS(NAME)
#undef NAME
};

enum { ROWS = (int)CALL_COUNT + (int)KY_KERNEL_COUNT };

struct tally {
    double seconds;
    size_t calls;
};
static struct watched {
    struct ky_card *card;
    struct tally of[ROWS], idle[ROWS];
    size_t last;      /* kernel, or a call before the first */
    double idle_from; /* 0: it works */
} watched[CARDS];
static struct ky_driver traced;
static const struct ky_driver *real;
static int waits = 1;

static struct watched *watched_of(const struct ky_card *card)
{
    static struct watched others;
    for (int c = 0; c < CARDS; c++)
        if (watched[c].card == card)
            return &watched[c];
    return &others;
}

static void add(struct tally *tally, double seconds)
{
    tally->seconds += seconds;
    tally->calls++;
}

/* Ends a call that began at `start`. */
static enum ky_status note(struct ky_card *card, size_t what, double start, enum ky_status status,
                           struct ky_error *error)
{
    struct watched *its = watched_of(card);
    const int is_waited_for = what == CALL_read || what == CALL_wait;
    if (its->idle_from > 0)
        add(&its->idle[its->last], start - its->idle_from);
    if (what >= CALL_COUNT)
        its->last = what;
    if (waits && !status)
        status = real->wait(card, error);
    const double end = ky_clock();
    its->idle_from = is_waited_for ? end : 0;
    add(&its->of[what], end - start);
    return status;
}

static enum ky_status open(size_t index, struct ky_card **card, struct ky_error *error)
{
    const enum ky_status status = real->open(index, card, error);
    if (status)
        return status;
    (*card)->driver = &traced;
    for (int c = 0; c < CARDS; c++) {
        struct ky_card *none = NULL;
        if (__atomic_compare_exchange_n(&watched[c].card, &none, *card, 0, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST))
            break;
    }
    return status;
}

static void close(struct ky_card *card)
{
    for (int c = 0; c < CARDS; c++)
        if (watched[c].card == card)
            watched[c].card = NULL;
    real->close(card);
}

#define WATCH(card, call, ...)                                                                     \
    const double start = ky_clock();                                                               \
    return note(card, call, start, real->__VA_ARGS__, error)

static enum ky_status write(struct ky_card *card, struct ky_buffer *buffer, size_t offset,
                            const void *data, size_t bytes, struct ky_error *error)
{
    WATCH(card, CALL_write, write(card, buffer, offset, data, bytes, error));
}

static enum ky_status read(struct ky_card *card, const struct ky_buffer *buffer, size_t offset,
                           void *data, size_t bytes, struct ky_error *error)
{
    WATCH(card, CALL_read, read(card, buffer, offset, data, bytes, error));
}

static enum ky_status write_later(struct ky_card *card, struct ky_buffer *buffer, size_t offset,
                                  const void *data, size_t bytes, struct ky_error *error)
{
    WATCH(card, CALL_write_later, write_later(card, buffer, offset, data, bytes, error));
}

static enum ky_status read_later(struct ky_card *card, const struct ky_buffer *buffer,
                                 size_t offset, void *data, size_t bytes, struct ky_error *error)
{
    WATCH(card, CALL_read_later, read_later(card, buffer, offset, data, bytes, error));
}

static enum ky_status copy(struct ky_card *card, struct ky_buffer_address from,
                           struct ky_buffer_address to, size_t bytes, struct ky_error *error)
{
    WATCH(card, CALL_copy, copy(card, from, to, bytes, error));
}

static enum ky_status fetch(struct ky_card *from_card, struct ky_buffer_address from,
                            struct ky_card *to_card, struct ky_buffer_address to, size_t bytes,
                            struct ky_error *error)
{
    WATCH(to_card, CALL_fetch, fetch(from_card, from, to_card, to, bytes, error));
}

static enum ky_status zero(struct ky_card *card, struct ky_buffer *buffer, struct ky_error *error)
{
    WATCH(card, CALL_zero, zero(card, buffer, error));
}

static enum ky_status sort(struct ky_card *card, struct ky_two_buffers *keys,
                           struct ky_two_buffers *values, size_t n, int bits,
                           const struct ky_buffer *scratch, struct ky_error *error)
{
    WATCH(card, CALL_sort, sort(card, keys, values, n, bits, scratch, error));
}

static enum ky_status scan(struct ky_card *card, const struct ky_buffer *from, struct ky_buffer *to,
                           size_t n, const struct ky_buffer *scratch, struct ky_error *error)
{
    WATCH(card, CALL_scan, scan(card, from, to, n, scratch, error));
}

static enum ky_status reduce(struct ky_card *card, struct ky_buffer_address from, size_t n,
                             struct ky_buffer_address to, const struct ky_buffer *scratch,
                             struct ky_error *error)
{
    WATCH(card, CALL_reduce, reduce(card, from, n, to, scratch, error));
}

static enum ky_status wait(struct ky_card *card, struct ky_error *error)
{
    WATCH(card, CALL_wait, wait(card, error));
}

static enum ky_status launch(struct ky_card *card, enum ky_kernel_id kernel, size_t groups,
                             const struct ky_arguments *arguments, struct ky_error *error)
{
    WATCH(card, (size_t)CALL_COUNT + kernel, launch(card, kernel, groups, arguments, error));
}

static const struct ky_driver *wrap(const struct ky_driver *driver)
{
    real = driver;
    traced = *driver;
    traced.open = open;
    traced.close = close;
    traced.launch = launch;
#define REPLACE(call) traced.call = call;
    CALLS(REPLACE)
#undef REPLACE
    return &traced;
}

/* A row for each call that was made, by the time it took the first card. */
static void print(const char *title, size_t offset)
{
    size_t order[ROWS], count = 0;
    double sum[CARDS] = {0};
#define TALLY(c, k) (((const struct tally *)((const char *)&watched[c] + offset))[k])
    for (size_t k = 0; k < ROWS; k++) {
        size_t at = count, calls = 0;
        for (int c = 0; c < CARDS; c++)
            calls += TALLY(c, k).calls;
        if (calls == 0)
            continue;
        for (; at > 0 && TALLY(0, order[at - 1]).seconds < TALLY(0, k).seconds; at--)
            order[at] = order[at - 1];
        order[at] = k;
        count++;
    }
    printf("%s\n", title);
    for (size_t r = 0; r < count; r++) {
        const size_t k = order[r];
        printf("%-40s", k < CALL_COUNT ? call_name[k] : ky_kernels[k - CALL_COUNT].name);
        for (int c = 0; c < CARDS && watched[c].card; c++) {
            printf(" %9.3f %6.1f", 1e3 * TALLY(c, k).seconds / STEPS,
                   (double)TALLY(c, k).calls / STEPS);
            sum[c] += TALLY(c, k).seconds;
        }
        printf("\n");
    }
    printf("%-40s", "all of these");
    for (int c = 0; c < CARDS && watched[c].card; c++)
        printf(" %9.3f %6s", 1e3 * sum[c] / STEPS, "");
    printf("\n");
}

int main(int argc, char **argv)
{
    struct ky_error error;
    struct ky_parameters parameters;
    struct ky_force_report report = {.size = sizeof report};
    struct ky_sim *sim;
    if (argc < 4) {
        fprintf(stderr, "usage: calls ENGINE N RANKS [MODEL [host] [NAME=VALUE…]]\n");
        return 2;
    }
    ky_parameters_defaults(&parameters);
    parameters.engine = argv[1];
    parameters.ranks = atoi(argv[3]);
    parameters.force = KY_TREE;
    parameters.integrator = KY_LEAPFROG;
    parameters.softening = 0.01;
    parameters.step = 0.001;
    for (int k = 5; k < argc; k++) {
        char *value = strchr(argv[k], '=');
        if (!value) {
            waits = strcmp(argv[k], "host") != 0;
            continue;
        }
        *value = 0;
        stop_if(ky_parameters_set(&parameters, argv[k], value + 1, &error), &error);
    }
    struct ky_snapshot s = model(argc > 4 ? argv[4] : "plummer", (size_t)strtod(argv[2], NULL));
    ky_device_wrap = wrap;
    stop_if(ky_sim_open(&parameters, &s.bodies, 0, &sim, &error), &error);
    ky_snapshot_free(&s);
    stop_if(ky_sim_advance(sim, WARM, &error), &error);
    ky_sim_report(sim, &report);
    for (int c = 0; c < CARDS; c++)
        watched[c] = (struct watched){.card = watched[c].card};
    const double start = ky_clock();
    stop_if(ky_sim_advance(sim, STEPS, &error), &error);
    ky_sim_report(sim, &report);
    const double seconds = ky_clock() - start;
    print("# calls", offsetof(struct watched, of));
    if (!waits)
        print("# nothing to do, after", offsetof(struct watched, idle));
    printf("%-40s %9.3f\n", "a step", 1e3 * seconds / STEPS);
    ky_sim_close(sim);
    return 0;
}
