/* Sort, scan and reduce of the drivers against loops on the host, copies that do not wait,
 * launches, teams, and the guard of the other tests. */
#include "test.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guard.h"

#include "base/drivers.h"
#include "base/random.h"
#include "engine/device/driver/fault.h"
#include "engine/device/driver/staging.h"

#define DRIVER(name) &ky_##name##_driver,
static const struct ky_driver *const drivers[] = {KY_DRIVERS_HERE(DRIVER) NULL};

struct pair {
    uint64_t key;
    uint32_t value;
};

static int ascending_pair(const void *a, const void *b)
{
    const struct pair *p = a, *q = b;
    return p->key != q->key ? (p->key > q->key) - (p->key < q->key)
                            : (p->value > q->value) - (p->value < q->value);
}

/* Sorts by the lowest bits alone, with higher bits set as well. The result is in the second buffer
 * of the keys and in the first buffer of the values. */
static void sort_with(struct ky_card *card, size_t n, int bits)
{
    uint64_t mask = bits < 64 ? (1ULL << bits) - 1 : UINT64_MAX;
    struct ky_error error = {0};
    struct ky_two_buffers keys = {{{0}, {0}}, 1}, values = {{{0}, {0}}, 0};
    struct ky_buffer scratch = {0};
    struct pair *pairs = calloc(n + 1, sizeof *pairs);
    uint64_t *key = calloc(n + 1, sizeof *key);
    uint32_t *value = calloc(n + 1, sizeof *value);
    for (size_t k = 0; k < n; k++) {
        struct ky_random random = ky_random_at(1, 2, k);
        uint64_t high = (uint64_t)(ky_random_uniform(&random) * 0x1p32);
        key[k] = (high << 32 | (uint64_t)(ky_random_uniform(&random) * 0x1p32)) % 977 *
                 0x1234567890abcdef;
        value[k] = (uint32_t)k;
        pairs[k] = (struct pair){key[k] & mask, value[k]};
    }
    qsort(pairs, n, sizeof *pairs, ascending_pair);
    for (int k = 0; k < 2; k++) {
        assert_ok(ky_buffer_need(card, &keys.buffer[k], "keys", n, 8, &error));
        assert_ok(ky_buffer_need(card, &values.buffer[k], "values", n, 4, &error));
    }
    assert_ok(ky_scratch_need(card, &scratch, KY_BULK_SORT, n, &error));
    assert_ok(card->driver->write(card, &keys.buffer[1], 0, key, n * 8, &error));
    assert_ok(card->driver->write(card, &values.buffer[0], 0, value, n * 4, &error));
    assert_ok(card->driver->sort(card, &keys, &values, n, bits, &scratch, &error));
    assert_ok(card->driver->read(card, &keys.buffer[keys.now], 0, key, n * 8, &error));
    assert_ok(card->driver->read(card, &values.buffer[values.now], 0, value, n * 4, &error));
    for (size_t k = 0; k < n; k++)
        assert_true((key[k] & mask) == pairs[k].key && value[k] == pairs[k].value);
    for (int k = 0; k < 2; k++) {
        ky_buffer_release(card, &keys.buffer[k]);
        ky_buffer_release(card, &values.buffer[k]);
    }
    ky_buffer_release(card, &scratch);
    free(pairs);
    free(key);
    free(value);
}

static void scan_with(struct ky_card *card, size_t n)
{
    struct ky_error error = {0};
    struct ky_buffer from = {0}, to = {0}, scratch = {0};
    uint32_t *number = calloc(n + 1, sizeof *number), *sum = calloc(n + 1, sizeof *sum), s = 0;
    for (size_t k = 0; k < n; k++)
        number[k] = (uint32_t)(k * 2654435761U) >> 20;
    assert_ok(ky_buffer_need(card, &from, "numbers", n, 4, &error));
    assert_ok(ky_buffer_need(card, &to, "sums", n, 4, &error));
    assert_ok(card->driver->write(card, &from, 0, number, n * 4, &error));
    assert_ok(ky_scratch_need(card, &scratch, KY_BULK_SCAN, n, &error));
    assert_ok(card->driver->scan(card, &from, &to, n, &scratch, &error));
    assert_ok(card->driver->read(card, &to, 0, sum, n * 4, &error));
    for (size_t k = 0; k < n; s += number[k++])
        assert_int_equal(sum[k], s);
    assert_ok(card->driver->scan(card, &from, &from, n, &scratch, &error)); /* in place */
    assert_ok(card->driver->read(card, &from, 0, number, n * 4, &error));
    assert_memory_equal(number, sum, n * 4);
    ky_buffer_release(card, &scratch);
    ky_buffer_release(card, &from);
    ky_buffer_release(card, &to);
    free(number);
    free(sum);
}

/* Numbers before and behind the summed ones would be noticed in the sum. */
static void reduce_with(struct ky_card *card, size_t n)
{
    enum { BEFORE = 3, AFTER = 5, PLACE = 2 };
    struct ky_error error = {0};
    struct ky_buffer from = {0}, to = {0}, scratch = {0};
    size_t all = BEFORE + n + AFTER;
    uint64_t *number = calloc(all, sizeof *number), s = 0, sum[4] = {11, 12, 13, 14};
    for (size_t k = 0; k < all; k++) {
        number[k] = (k + 1) * 0x9e3779b97f4a7c15u >> 20;
        s += k >= BEFORE && k < BEFORE + n ? number[k] : 0;
    }
    assert_ok(ky_buffer_need(card, &from, "numbers", all, 8, &error));
    assert_ok(ky_buffer_need(card, &to, "sums", 4, 8, &error));
    assert_ok(card->driver->write(card, &from, 0, number, all * 8, &error));
    assert_ok(card->driver->write(card, &to, 0, sum, sizeof sum, &error));
    assert_ok(ky_scratch_need(card, &scratch, KY_BULK_REDUCE, n, &error));
    assert_ok(card->driver->reduce(card, KY_ADDRESS(&from, BEFORE * 8), n,
                                   KY_ADDRESS(&to, PLACE * 8), &scratch, &error));
    ky_buffer_release(card, &scratch);
    assert_ok(card->driver->read(card, &to, 0, sum, sizeof sum, &error));
    assert_true(sum[PLACE] == s);
    assert_true(sum[0] == 11 && sum[1] == 12 && sum[3] == 14);
    ky_buffer_release(card, &from);
    ky_buffer_release(card, &to);
    free(number);
}

static const size_t sizes[] = {0, 1, 2, 255, 256, 257, 2047, 2048, 2049, 100003};

static void sizes_of_all_kinds(struct ky_card *card)
{
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        sort_with(card, sizes[s], 64);
        sort_with(card, sizes[s], 12);
        sort_with(card, sizes[s], 21);
        scan_with(card, sizes[s]);
        reduce_with(card, sizes[s]);
    }
    scan_with(card, 2048 * 2048 + 5);
    reduce_with(card, 2048 * 2048 + 5);
}

/* Calls `test` for the first device of each driver. */
static void on_devices(void (*test)(struct ky_card *card))
{
    struct ky_error error = {0};
    struct ky_card *card;
    int opened = 0;
    for (int d = 0; drivers[d]; d++) {
        const struct ky_driver *driver = ky_device_wrap ? ky_device_wrap(drivers[d]) : drivers[d];
        guard.overruns = 0;
        if (driver->open(0, &card, &error) != KY_OK)
            continue;
        test(card);
        driver->close(card);
        opened++;
    }
    if (opened)
        return;
    printf("# no OpenCL or CUDA device here\n");
    skip();
}

static void sort_scan_and_reduce(void **state)
{
    (void)state;
    on_devices(sizes_of_all_kinds);
}

/* With a byte less scratch than an operation asks for, nothing is started. */
static void too_little_scratch(struct ky_card *card)
{
    enum { N = 100003 };
    const struct ky_driver *driver = card->driver;
    struct ky_error error = {0};
    struct ky_buffer from = {0};
    struct ky_two_buffers keys = {{{0}, {0}}, 1}, values = {{{0}, {0}}, 0};
    assert_ok(ky_buffer_need(card, &from, "numbers", N, 8, &error));
    for (int k = 0; k < 2; k++) {
        assert_ok(ky_buffer_need(card, &keys.buffer[k], "keys", N, 8, &error));
        assert_ok(ky_buffer_need(card, &values.buffer[k], "values", N, 4, &error));
    }
    for (int what = KY_BULK_SORT; what <= KY_BULK_REDUCE; what++) {
        struct ky_buffer scratch = {0};
        size_t bytes;
        assert_ok(driver->scratch(card, (enum ky_bulk)what, N, &bytes, &error));
        assert_true(bytes > 1);
        assert_ok(ky_buffer_need(card, &scratch, "scratch", bytes - 1, 1, &error));
        enum ky_status status =
            what == KY_BULK_SORT   ? driver->sort(card, &keys, &values, N, 36, &scratch, &error)
            : what == KY_BULK_SCAN ? driver->scan(card, &from, &from, N, &scratch, &error)
                                   : driver->reduce(card, KY_ADDRESS(&from, 0), N,
                                                    KY_ADDRESS(&from, 0), &scratch, &error);
        assert_int_equal(status, KY_FAULT);
        assert_non_null(strstr(error.text, "are needed for 100003 numbers"));
        assert_true(keys.now == 1 && values.now == 0);
        ky_buffer_release(card, &scratch);
    }
    for (int k = 0; k < 2; k++) {
        ky_buffer_release(card, &keys.buffer[k]);
        ky_buffer_release(card, &values.buffer[k]);
    }
    ky_buffer_release(card, &from);
}

/* Operations stay within the scratch that they ask for. Less scratch is an error. */
static void scratch_of_all_kinds(struct ky_card *card)
{
    static const size_t some[] = {1, 2049, 100003};
    for (size_t s = 0; s < sizeof some / sizeof *some; s++) {
        sort_with(card, some[s], 36);
        scan_with(card, some[s]);
        reduce_with(card, some[s]);
    }
    assert_int_equal(guard.overruns, 0);
    too_little_scratch(card);
}

static void scratch_is_the_callers(void **state)
{
    (void)state;
    guard_begin(1);
    on_devices(scratch_of_all_kinds);
    guard_end();
    assert_int_equal(guard.buffers, 0);
}

/* A buffer of four units, a part without the first unit, and a part of this part without another
 * one. Numbers that are written to one are read from the others, and nothing around them
 * changes. */
static void parts_of_parts(struct ky_card *card)
{
    enum { UNIT = KY_SLICE_ALIGN / 4 };
    struct ky_error error = {0};
    struct ky_buffer whole = {0}, outer = {0}, inner = {0}, none = {0};
    uint32_t number[4 * UNIT], found[4 * UNIT];
    for (uint32_t k = 0; k < 4 * UNIT; k++)
        number[k] = k + 1;
    assert_ok(ky_buffer_need(card, &whole, "whole", 4 * UNIT, 4, &error));
    assert_ok(
        ky_buffer_slice(card, &whole, "outer", KY_SLICE_ALIGN, 3 * KY_SLICE_ALIGN, &outer, &error));
    assert_ok(
        ky_buffer_slice(card, &outer, "inner", KY_SLICE_ALIGN, KY_SLICE_ALIGN, &inner, &error));
    assert_ok(card->driver->write(card, &whole, 0, number, sizeof number, &error));
    assert_ok(card->driver->read(card, &inner, 0, found, KY_SLICE_ALIGN, &error));
    assert_memory_equal(found, number + 2 * UNIT, KY_SLICE_ALIGN);
    assert_ok(card->driver->zero(card, &inner, &error));
    memset(number + 2 * UNIT, 0, KY_SLICE_ALIGN);
    assert_ok(card->driver->read(card, &whole, 0, found, sizeof found, &error));
    assert_memory_equal(found, number, sizeof number);
    const struct {
        size_t offset, bytes;
    } wrong[] = {{0, KY_SLICE_ALIGN + 1},
                 {KY_SLICE_ALIGN, 1},
                 {SIZE_MAX - 4095, 8192},
                 {KY_SLICE_ALIGN / 2, 1},
                 {0, 0}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        assert_int_equal(ky_buffer_slice(card, &inner, "a part that is wrong", wrong[k].offset,
                                         wrong[k].bytes, &none, &error),
                         KY_FAULT);
        assert_null(none.handle);
    }
    ky_buffer_release(card, &inner);
    ky_buffer_release(card, &outer);
    ky_buffer_release(card, &whole);
}

/* Scratch is a part of a buffer, and the numbers behind it stay. */
static void scratch_within_another(struct ky_card *card)
{
    enum { N = 100003 };
    struct ky_error error = {0};
    struct ky_buffer from = {0}, whole = {0}, scratch = {0};
    size_t bytes, behind;
    uint32_t *number = calloc(N, 4), mark = 4711;
    for (size_t k = 0; k < N; k++)
        number[k] = 3;
    assert_ok(card->driver->scratch(card, KY_BULK_SCAN, N, &bytes, &error));
    behind = KY_SLICE_ALIGN + bytes;
    assert_ok(ky_buffer_fill(card, &from, "numbers", number, N, 4, &error));
    assert_ok(ky_buffer_need(card, &whole, "whole", behind + 4, 1, &error));
    assert_ok(card->driver->write(card, &whole, behind, &mark, 4, &error));
    assert_ok(ky_buffer_slice(card, &whole, "scratch", KY_SLICE_ALIGN, bytes, &scratch, &error));
    assert_ok(card->driver->scan(card, &from, &from, N, &scratch, &error));
    assert_ok(card->driver->read(card, &from, 0, number, N * 4, &error));
    assert_ok(card->driver->read(card, &whole, behind, &mark, 4, &error));
    for (size_t k = 0; k < N; k++)
        assert_int_equal(number[k], 3 * k);
    assert_int_equal(mark, 4711);
    ky_buffer_release(card, &scratch);
    ky_buffer_release(card, &whole);
    ky_buffer_release(card, &from);
    free(number);
}

static void parts_and_scratch_in_them(struct ky_card *card)
{
    parts_of_parts(card);
    scratch_within_another(card);
}

static void buffers_have_parts(void **state)
{
    (void)state;
    on_devices(parts_and_scratch_in_them);
    guard_begin(1);
    on_devices(parts_and_scratch_in_them);
    guard_end();
    assert_int_equal(guard.overruns, 0);
    assert_int_equal(guard.buffers, 0);
}

/* Scans one number more than there is memory for. */
static void one_too_many(struct ky_card *card)
{
    enum { N = 100 };
    struct ky_error error = {0};
    struct ky_buffer from = {0}, to = {0}, scratch = {0};
    uint32_t number[N + 1] = {1};
    assert_ok(ky_buffer_need(card, &from, "numbers", N + 1, 4, &error));
    assert_ok(ky_buffer_need(card, &to, "sums", N, 4, &error));
    assert_ok(card->driver->write(card, &from, 0, number, sizeof number, &error));
    assert_ok(ky_scratch_need(card, &scratch, KY_BULK_SCAN, N + 1, &error));
    assert_ok(card->driver->scan(card, &from, &to, N, &scratch, &error));
    ky_buffer_release(card, &to);
    assert_int_equal(guard.overruns, 0);
    assert_ok(ky_buffer_need(card, &to, "sums", N, 4, &error));
    assert_ok(card->driver->scan(card, &from, &to, N + 1, &scratch, &error));
    ky_buffer_release(card, &to);
    ky_buffer_release(card, &scratch);
    assert_int_equal(guard.overruns, 1);
    ky_buffer_release(card, &from);
}

static void the_guard_sees_what_strays(void **state)
{
    (void)state;
    guard_begin(1);
    on_devices(one_too_many);
    guard_end();
    assert_int_equal(guard.buffers, 0);
}

/* ---- copies that do not wait ---- */

/* Numbers go up through two halves of a buffer by turns, each of which is filled again as soon as
 * its mark is reached. They come down in the same way. */
static void there_and_back(struct ky_card *card)
{
    enum { N = 100000, HALF = 1000, ROUNDS = N / HALF };
    struct ky_error error = {0};
    struct ky_buffer buffer = {0};
    struct ky_pinned half[2] = {{0}, {0}};
    assert_ok(ky_buffer_need(card, &buffer, "numbers", N, 4, &error));
    for (int k = 0; k < 2; k++) {
        assert_ok(ky_pinned_need(card, &half[k], "half", HALF * 4, &error));
        assert_ok(card->driver->reach(card, 2 + k, &error)); /* a mark that was never set */
    }
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t *number = half[round % 2].data;
        assert_ok(card->driver->reach(card, 2 + round % 2, &error));
        for (int k = 0; k < HALF; k++)
            number[k] = (uint32_t)(round * HALF + k) * 2654435761U;
        assert_ok(card->driver->write_later(card, &buffer, (size_t)round * HALF * 4, number,
                                            HALF * 4, &error));
        assert_ok(card->driver->mark(card, 2 + round % 2, &error));
    }
    assert_ok(card->driver->wait(card, &error));
    for (int round = 0; round <= ROUNDS; round++) {
        size_t place = (size_t)round * HALF, last = place - HALF;
        if (round < ROUNDS) {
            assert_ok(card->driver->read_later(card, &buffer, place * 4, half[round % 2].data,
                                               HALF * 4, &error));
            assert_ok(card->driver->mark(card, 2 + round % 2, &error));
        }
        if (round == 0)
            continue;
        const uint32_t *number = half[1 - round % 2].data;
        assert_ok(card->driver->reach(card, 3 - round % 2, &error));
        for (size_t k = 0; k < HALF; k++)
            assert_int_equal(number[k], (uint32_t)(last + k) * 2654435761U);
    }
    for (int k = 0; k < 2; k++)
        ky_pinned_release(card, &half[k]);
    ky_buffer_release(card, &buffer);
}

static void fill_number(const void *context, size_t first, size_t end, void *piece)
{
    const uint32_t *seed = context;
    uint32_t(*to)[3] = piece;
    for (size_t k = first; k < end; k++, to++)
        for (uint32_t c = 0; c < 3; c++)
            (*to)[c] = (uint32_t)k * *seed + c;
}

static void take_number(const void *context, size_t first, size_t end, void *piece)
{
    uint32_t(*from)[3] = piece, *const *found = context;
    for (size_t k = first; k < end; k++, from++)
        memcpy(*found + 3 * k, *from, sizeof *from);
}

/* Items of 12 bytes are staged, and the bytes before and behind them stay. */
static void staged(struct ky_card *card, size_t n)
{
    struct ky_error error = {0};
    struct ky_staging staging = {0};
    struct ky_buffer buffer = {0};
    uint32_t seed = 40503, *found = calloc(3 * n + 2, 4), around[2] = {77, 78};
    struct ky_staged array = {&buffer, 4, n, 12};
    assert_ok(ky_buffer_need(card, &buffer, "numbers", 3 * n + 2, 4, &error));
    assert_ok(card->driver->write(card, &buffer, 0, &around[0], 4, &error));
    assert_ok(card->driver->write(card, &buffer, 4 + 12 * n, &around[1], 4, &error));
    assert_ok(ky_staging_up(&staging, card, &array,
                            &(struct ky_staging_work){2, fill_number, &seed}, &error));
    assert_ok(ky_staging_down(&staging, card, &array,
                              &(struct ky_staging_work){2, take_number, &found}, &error));
    for (size_t k = 0; k < 3 * n; k++)
        assert_int_equal(found[k], (uint32_t)(k / 3) * seed + k % 3);
    assert_ok(card->driver->read(card, &buffer, 0, &around[1], 4, &error));
    assert_ok(card->driver->read(card, &buffer, 4 + 12 * n, &around[0], 4, &error));
    assert_true(around[0] == 78 && around[1] == 77);
    struct ky_buffer copy = {0};
    uint32_t *back = calloc(3 * n + 1, 4);
    array = (struct ky_staged){&copy, 0, n, 12};
    assert_ok(ky_staging_fill(&staging, card, 2, &array, "copy", found, &error));
    assert_ok(card->driver->read(card, &copy, 0, back, 12 * n, &error));
    assert_memory_equal(back, found, 12 * n);
    ky_buffer_release(card, &copy);
    free(back);
    ky_staging_release(&staging, card);
    ky_buffer_release(card, &buffer);
    free(found);
}

static void through_pinned_memory(struct ky_card *card)
{
    enum { PIECE = KY_STAGING_BYTES / 12 };
    static const size_t counts[] = {0, 1, 2, PIECE - 1, PIECE, PIECE + 1, 5 * PIECE + 7};
    there_and_back(card);
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        staged(card, counts[k]);
    assert_int_equal(guard.changes, 0);
}

static void copies_that_do_not_wait(void **state)
{
    (void)state;
    on_devices(through_pinned_memory);
    guard_begin(0);
    on_devices(through_pinned_memory);
    guard_end();
    assert_int_equal(guard.buffers, 0);
}

/* The guard sees memory that is changed, or released, before the mark is reached. */
static void too_early(struct ky_card *card)
{
    struct ky_error error = {0};
    struct ky_buffer buffer = {0};
    struct ky_pinned pinned = {0};
    assert_ok(ky_buffer_need(card, &buffer, "numbers", 100, 1, &error));
    assert_ok(ky_pinned_need(card, &pinned, "numbers", 100, &error));
    memset(pinned.data, 1, 100);
    for (int late = 0; late < 2; late++) {
        guard.changes = 0;
        assert_ok(card->driver->write_later(card, &buffer, 0, pinned.data, 100, &error));
        assert_ok(card->driver->mark(card, 3, &error));
        if (!late)
            memset(pinned.data, 2, 50);
        assert_ok(card->driver->reach(card, 3, &error));
        memset(pinned.data, 1, 50);
        assert_int_equal(guard.changes, !late);
    }
    assert_ok(card->driver->write_later(card, &buffer, 0, pinned.data, 100, &error));
    ky_pinned_release(card, &pinned);
    assert_int_equal(guard.changes, 1);
    assert_ok(card->driver->wait(card, &error));
    ky_buffer_release(card, &buffer);
}

static void the_guard_sees_what_changes(void **state)
{
    (void)state;
    guard_begin(0);
    on_devices(too_early);
    guard_end();
    assert_int_equal(guard.buffers, 0);
}

/* ---- launches ---- */

static void with_wrong_arguments(struct ky_card *card)
{
    struct ky_error error = {0};
    struct ky_buffer none = {0};
    uint32_t n = 1;
    uint64_t wide = 1;
    const struct ky_arguments two = KY_ARGUMENTS(KY_VALUE(n), KY_VALUE(n));
    assert_int_equal(ky_launch_over(card, KY_KERNEL_ky_order_inverse, 1, two, &error), KY_FAULT);
    assert_string_equal(error.text, "kernel ky_order_inverse has 3 arguments, not 2");
    const struct ky_arguments large =
        KY_ARGUMENTS(KY_BUFFER(none), KY_BUFFER(none), KY_VALUE(wide));
    assert_int_equal(ky_launch_over(card, KY_KERNEL_ky_order_inverse, 1, large, &error), KY_FAULT);
    assert_string_equal(error.text, "argument 3 of kernel ky_order_inverse has 4 bytes, not 8");
}

static void arguments_are_checked(void **state)
{
    (void)state;
    on_devices(with_wrong_arguments);
}

/* ---- teams ---- */

/* Numbers below 1,000, so that a limit is the number of thousandths that it keeps. */
static uint32_t *some_numbers(struct ky_card *card, size_t n, struct ky_buffer *buffer)
{
    struct ky_error error = {0};
    uint32_t *number = calloc(n + 1, sizeof *number);
    for (size_t k = 0; k < n; k++)
        number[k] = (uint32_t)((k + 1) * 2654435761U >> 7) % 1000;
    assert_ok(ky_buffer_need(card, buffer, "numbers", n, 4, &error));
    assert_ok(card->driver->write(card, buffer, 0, number, n * 4, &error));
    return number;
}

struct compaction {
    struct ky_card *card;
    struct ky_buffer from, before, scratch, to;
    struct ky_faults faults;
    uint32_t n, limit, room;
};

static void compact(struct compaction *c)
{
    struct ky_error error = {0};
    struct ky_card *card = c->card;
    size_t teams = ky_groups(c->n, KY_COMPACT_CHUNK);
    assert_ok(ky_buffer_need(card, &c->before, "counts of teams", teams, 4, &error));
    assert_ok(ky_buffer_need(card, &c->to, "compacted numbers", c->room, 4, &error));
    assert_ok(ky_scratch_need(card, &c->scratch, KY_BULK_SCAN, teams, &error));
    assert_ok(ky_launch_teams(
        card, KY_KERNEL_ky_compact_count, teams,
        KY_ARGUMENTS(KY_BUFFER(c->from), KY_BUFFER(c->before), KY_VALUE(c->n), KY_VALUE(c->limit)),
        &error));
    assert_ok(card->driver->scan(card, &c->before, &c->before, teams, &c->scratch, &error));
    assert_ok(ky_launch_teams(card, KY_KERNEL_ky_compact_place, teams,
                              KY_ARGUMENTS(KY_BUFFER(c->from), KY_BUFFER(c->before),
                                           KY_BUFFER(c->to), KY_BUFFER(c->faults.words),
                                           KY_VALUE(c->n), KY_VALUE(c->limit), KY_VALUE(c->room)),
                              &error));
}

/* A compaction with half the memory that it needs: once it is an error, once the memory is made
 * larger. */
static void compacted(struct ky_card *card, size_t n, uint32_t limit)
{
    struct ky_error error = {0};
    struct compaction c = {.card = card, .n = (uint32_t)n, .limit = limit};
    uint32_t *number = some_numbers(card, n, &c.from), wanted = 7, kept = 0;
    for (size_t k = 0; k < n; k++)
        if (number[k] < limit)
            number[kept++] = number[k];
    c.room = kept / 2;
    assert_ok(ky_faults_clear(&c.faults, card, &error));
    compact(&c);
    enum ky_status status = ky_faults_check(&c.faults, card, KY_CAPACITY_COUNT, NULL, &error);
    assert_int_equal(status, kept > 0 ? KY_DEVICE : KY_OK);
    if (kept > 0) {
        char text[80];
        snprintf(text, sizeof text,
                 "the memory for the output of a compaction is too small: %u needed", kept);
        assert_non_null(strstr(error.text, text));
    }
    compact(&c);
    assert_ok(ky_faults_check(&c.faults, card, KY_CAPACITY_COMPACTED, &wanted, &error));
    assert_int_equal(wanted, kept);
    c.room = wanted;
    compact(&c);
    assert_ok(ky_faults_check(&c.faults, card, KY_CAPACITY_COMPACTED, &wanted, &error));
    assert_int_equal(wanted, 0);
    uint32_t *found = calloc(kept + 1, sizeof *found);
    assert_ok(card->driver->read(card, &c.to, 0, found, kept * sizeof *found, &error));
    assert_memory_equal(found, number, kept * sizeof *found);
    struct ky_buffer *buffers[] = {&c.from, &c.before, &c.scratch, &c.to};
    for (int k = 0; k < 4; k++)
        ky_buffer_release(card, buffers[k]);
    ky_faults_release(&c.faults, card);
    free(found);
    free(number);
}

/* Every function of a team against loops; kernels/driver/teams.k calls them. */
static void team_facts(struct ky_card *card, size_t n)
{
    struct ky_error error = {0};
    struct ky_buffer from = {0}, sums = {0}, facts = {0}, all = {0};
    size_t teams = ky_groups(n, KY_COMPACT_CHUNK);
    uint32_t *number = some_numbers(card, n, &from), *sum = calloc(n + 1, 4),
             *fact = calloc(4 * teams + 1, 4), total[4], count = (uint32_t)n, limit = 5,
             wanted[4] = {count, 0, 0, 0}, own = 0, any = 0;
    assert_ok(ky_buffer_need(card, &sums, "sums", n, 4, &error));
    assert_ok(ky_buffer_need(card, &facts, "facts", 4 * teams, 4, &error));
    assert_ok(ky_buffer_need(card, &all, "facts of all", 4, 4, &error));
    assert_ok(card->driver->zero(card, &all, &error));
    assert_ok(ky_launch_teams(card, KY_KERNEL_ky_team_facts, teams,
                              KY_ARGUMENTS(KY_BUFFER(from), KY_BUFFER(sums), KY_BUFFER(facts),
                                           KY_BUFFER(all), KY_VALUE(count), KY_VALUE(limit)),
                              &error));
    assert_ok(card->driver->read(card, &sums, 0, sum, n * 4, &error));
    assert_ok(card->driver->read(card, &facts, 0, fact, 16 * teams, &error));
    assert_ok(card->driver->read(card, &all, 0, total, sizeof total, &error));
    for (size_t k = 0; k < n; k++) {
        size_t first = k % KY_COMPACT_CHUNK, team = k / KY_COMPACT_CHUNK;
        own = first ? own : 0;
        any = (first ? any : 0) | (number[k] < limit);
        assert_int_equal(sum[k], own);
        own += number[k];
        wanted[1] = number[k] > wanted[1] ? number[k] : wanted[1];
        wanted[2] += number[k];
        if (k + 1 < n && first + 1 < KY_COMPACT_CHUNK)
            continue;
        const uint32_t of_team[4] = {own, any, number[k - first], own};
        assert_memory_equal(fact + 4 * team, of_team, sizeof of_team);
    }
    wanted[3] = wanted[2];
    assert_memory_equal(total, wanted, sizeof total);
    struct ky_buffer *buffers[] = {&from, &sums, &facts, &all};
    for (int k = 0; k < 4; k++)
        ky_buffer_release(card, buffers[k]);
    free(number);
    free(sum);
    free(fact);
}

static void teams_of_all_sizes(struct ky_card *card)
{
    static const size_t counts[] = {0,  1,   2,   31,  32,  33,  63,  64,
                                    65, 127, 128, 129, 511, 512, 513, 10003};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        team_facts(card, counts[k]);
        compacted(card, counts[k], 500);
    }
    compacted(card, 513, 0);
    compacted(card, 513, 1);
    compacted(card, 513, 1000);
}

static void teams_of_lanes(void **state)
{
    (void)state;
    on_devices(teams_of_all_sizes);
    guard_begin(1);
    on_devices(teams_of_all_sizes);
    guard_end();
    assert_int_equal(guard.overruns, 0);
    assert_int_equal(guard.buffers, 0);
}

/* ---- products of tiles ---- */

enum { TILE_A = 16 * 16, TILE_B = 16 * 8, TILES = 40 };

/* Numbers that halves hold exactly: random, near the largest and the smallest normal ones,
 * multiples of the smallest one, and of many sizes together. */
static float half_of(int kind)
{
    static const int power[] = {-11, 5, -20, -24, 0};
    const int digits = rand() % 2048 - 1024;
    return ldexpf((float)digits, kind == 4 ? rand() % 29 - 24 : power[kind]);
}

/* A product: every row times every column in double. The unit adds 16 products to d and may cut
 * each at a unit of the last place of the largest. */
static void check_tile(const float *a, const float *b, const float *before, const float *d)
{
    for (int row = 0; row < 16; row++)
        for (int column = 0; column < 8; column++) {
            double sum = (double)before[8 * row + column], most = fabs(sum);
            for (int k = 0; k < 16; k++) {
                const double product = (double)a[16 * row + k] * (double)b[8 * k + column];
                sum += product;
                most = fmax(most, fabs(product));
            }
            assert_between((double)d[8 * row + column] - sum, -18 * most / (1 << 23),
                           18 * most / (1 << 23));
        }
}

static void tiles_of_all_kinds(struct ky_card *card)
{
    struct ky_error error = {0};
    struct ky_buffer buffer[3] = {{0}};
    static float a[TILES * TILE_A], b[TILES * TILE_B], before[TILES * TILE_B], d[TILES * TILE_B];
    for (int k = 0; k < TILES * TILE_A; k++)
        a[k] = half_of(k / TILE_A % 5);
    for (int k = 0; k < TILES * TILE_B; k++) {
        b[k] = half_of(k / TILE_B / 5 % 5);
        before[k] = k / TILE_B % 2 ? half_of(0) : 0;
    }
    for (int k = 0; k < TILE_A; k++) /* rows that cancel columns of ones */
        a[k] = (k % 2 ? -1 : 1) * a[k & ~1];
    for (int k = 0; k < TILE_B; k++)
        b[k] = 1;
    const float *from[] = {a, b, before};
    const size_t bytes[] = {sizeof a, sizeof b, sizeof before};
    for (int k = 0; k < 3; k++) {
        assert_ok(ky_buffer_need(card, &buffer[k], "tiles", bytes[k], 1, &error));
        assert_ok(card->driver->write(card, &buffer[k], 0, from[k], bytes[k], &error));
    }
    assert_ok(ky_launch(
        card, KY_KERNEL_ky_tile_facts, TILES,
        KY_ARGUMENTS(KY_BUFFER(buffer[0]), KY_BUFFER(buffer[1]), KY_BUFFER(buffer[2])), &error));
    assert_ok(card->driver->read(card, &buffer[2], 0, d, sizeof d, &error));
    for (int k = 0; k < TILES; k++)
        check_tile(a + k * TILE_A, b + k * TILE_B, before + k * TILE_B, d + k * TILE_B);
    for (int k = 0; k < TILE_B; k++) /* the cancelling one */
        assert_true(d[k] == 0);
    for (int k = 0; k < 3; k++)
        ky_buffer_release(card, &buffer[k]);
}

static void products_of_tiles(void **state)
{
    (void)state;
    on_devices(tiles_of_all_kinds);
}

/* Two buffers are too small at the same time. Whichever is made larger, the other is still an
 * error. Afterwards the report is empty. */
static void two_faults(struct ky_card *card)
{
    struct ky_error error = {0};
    struct ky_faults faults = {0};
    const uint32_t told[KY_CAPACITY_COUNT] = {5, 9};
    uint32_t wanted = 0, found[KY_CAPACITY_COUNT];
    assert_ok(ky_faults_clear(&faults, card, &error));
    for (int but = 0; but <= KY_CAPACITY_COUNT; but++) {
        assert_ok(card->driver->write(card, &faults.words, 0, told, sizeof told, &error));
        assert_int_equal(ky_faults_check(&faults, card, (enum ky_capacity)but, &wanted, &error),
                         KY_DEVICE);
        assert_non_null(strstr(error.text, but == 0 ? "compaction is too small: 9 needed"
                                                    : "neighbours is too small: 5 needed"));
        assert_ok(ky_faults_read(&faults, card, found, &error));
        assert_true(found[0] == 0 && found[1] == 0);
    }
    ky_faults_release(&faults, card);
}

static void faults_of_two_rooms(void **state)
{
    (void)state;
    on_devices(two_faults);
}

/* A few small cases, for tools under which a kernel takes long. */
static void little(struct ky_card *card)
{
    sort_with(card, 2100, 12);
    scan_with(card, 2100);
    reduce_with(card, 2100);
    team_facts(card, 300);
    compacted(card, 300, 500);
    tiles_of_all_kinds(card);
}

static void every_kernel_in_small(void **state)
{
    (void)state;
    on_devices(little);
}

static pthread_barrier_t together;

/* Opens the first usable device. A failure ends the process. */
static void *open_first(void *from)
{
    const struct ky_driver *driver = from;
    struct ky_device device = {0};
    struct ky_card *card = NULL;
    struct ky_error error = {0};
    pthread_barrier_wait(&together);
    if (driver->list(0, &device) || !device.usable)
        return NULL;
    if (driver->open(0, &card, &error))
        _exit(1);
    driver->close(card);
    return from;
}

/* In a process of their own, several threads may be the first to ask a driver for devices. */
static void threads_may_be_the_first(void **state)
{
    (void)state;
    enum { THREADS = 8 };
    for (int d = 0; drivers[d]; d++) {
        fflush(NULL);
        const pid_t child = fork();
        if (child == 0) {
            pthread_t thread[THREADS];
            void *opened;
            int count = 0;
            pthread_barrier_init(&together, NULL, THREADS);
            for (int k = 0; k < THREADS; k++)
                pthread_create(&thread[k], NULL, open_first, (void *)(uintptr_t)drivers[d]);
            for (int k = 0; k < THREADS; k++)
                count += !pthread_join(thread[k], &opened) && opened;
            _exit(count == 0 || count == THREADS ? 0 : 2);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_may_be_the_first), /* first, before a driver is set up */
        cmocka_unit_test(sort_scan_and_reduce),     cmocka_unit_test(scratch_is_the_callers),
        cmocka_unit_test(buffers_have_parts),       cmocka_unit_test(the_guard_sees_what_strays),
        cmocka_unit_test(copies_that_do_not_wait),  cmocka_unit_test(the_guard_sees_what_changes),
        cmocka_unit_test(arguments_are_checked),    cmocka_unit_test(teams_of_lanes),
        cmocka_unit_test(products_of_tiles),        cmocka_unit_test(faults_of_two_rooms),
        cmocka_unit_test(every_kernel_in_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
