/* Sort, scan and reduce of the drivers against loops on the host, launches, and the guard of the
 * other tests. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "guard.h"

#include "base/random.h"
#include "engine/device/card.h"

static const struct ky_driver *const drivers[] = {
#ifdef KY_HAVE_CUDA
    &ky_cuda_driver,
#endif
#ifdef KY_HAVE_OPENCL
    &ky_opencl_driver,
#endif
    NULL,
};

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

/* By the lowest bits alone: those above are set as well. */
static void sort_with(struct ky_card *card, size_t n, int bits)
{
    uint64_t mask = bits < 64 ? (1ULL << bits) - 1 : UINT64_MAX;
    struct ky_error error = {0};
    struct ky_buffer keys = {0}, values = {0};
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
    assert_ok(ky_buffer_need(card, &keys, "keys", n, 8, &error));
    assert_ok(ky_buffer_need(card, &values, "values", n, 4, &error));
    assert_ok(card->driver->write(card, &keys, 0, key, n * 8, &error));
    assert_ok(card->driver->write(card, &values, 0, value, n * 4, &error));
    assert_ok(card->driver->sort(card, &keys, &values, n, bits, &error));
    assert_ok(card->driver->read(card, &keys, 0, key, n * 8, &error));
    assert_ok(card->driver->read(card, &values, 0, value, n * 4, &error));
    for (size_t k = 0; k < n; k++)
        assert_true((key[k] & mask) == pairs[k].key && value[k] == pairs[k].value);
    ky_buffer_release(card, &keys);
    ky_buffer_release(card, &values);
    free(pairs);
    free(key);
    free(value);
}

static void scan_with(struct ky_card *card, size_t n)
{
    struct ky_error error = {0};
    struct ky_buffer from = {0}, to = {0};
    uint32_t *number = calloc(n + 1, sizeof *number), *sum = calloc(n + 1, sizeof *sum), s = 0;
    for (size_t k = 0; k < n; k++)
        number[k] = (uint32_t)(k * 2654435761U) >> 20;
    assert_ok(ky_buffer_need(card, &from, "numbers", n, 4, &error));
    assert_ok(ky_buffer_need(card, &to, "sums", n, 4, &error));
    assert_ok(card->driver->write(card, &from, 0, number, n * 4, &error));
    assert_ok(card->driver->scan(card, &from, &to, n, &error));
    assert_ok(card->driver->read(card, &to, 0, sum, n * 4, &error));
    for (size_t k = 0; k < n; s += number[k++])
        assert_int_equal(sum[k], s);
    ky_buffer_release(card, &from);
    ky_buffer_release(card, &to);
    free(number);
    free(sum);
}

/* Beside what is to be summed lie numbers that would be noticed. */
static void reduce_with(struct ky_card *card, size_t n)
{
    enum { BEFORE = 3, AFTER = 5, PLACE = 2 };
    struct ky_error error = {0};
    struct ky_buffer from = {0}, to = {0};
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
    assert_ok(card->driver->reduce(card, &from, BEFORE, n, &to, PLACE, &error));
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

/* For tools under which a kernel takes long. */
static void little(struct ky_card *card)
{
    sort_with(card, 2100, 12);
    scan_with(card, 2100);
    reduce_with(card, 2100);
}

/* The first device of each driver. */
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

/* A scan of one number more than there is room for. */
static void one_too_many(struct ky_card *card)
{
    enum { N = 100 };
    struct ky_error error = {0};
    struct ky_buffer from = {0}, to = {0};
    uint32_t number[N + 1] = {1};
    assert_ok(ky_buffer_need(card, &from, "numbers", N + 1, 4, &error));
    assert_ok(ky_buffer_need(card, &to, "sums", N, 4, &error));
    assert_ok(card->driver->write(card, &from, 0, number, sizeof number, &error));
    assert_ok(card->driver->scan(card, &from, &to, N, &error));
    ky_buffer_release(card, &to);
    assert_int_equal(guard.overruns, 0);
    assert_ok(ky_buffer_need(card, &to, "sums", N, 4, &error));
    assert_ok(card->driver->scan(card, &from, &to, N + 1, &error));
    ky_buffer_release(card, &to);
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

static void with_an_argument_less(struct ky_card *card)
{
    struct ky_error error = {0};
    uint32_t n = 1;
    const struct ky_arguments two = KY_ARGUMENTS(KY_VALUE(n), KY_VALUE(n));
    assert_int_equal(ky_launch_over(card, KY_KERNEL_ky_scan_sum, 1, two, &error), KY_FAULT);
    assert_string_equal(error.text, "kernel ky_scan_sum has 3 arguments, not 2");
}

static void arguments_are_counted(void **state)
{
    (void)state;
    on_devices(with_an_argument_less);
}

static void every_kernel_in_small(void **state)
{
    (void)state;
    on_devices(little);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sort_scan_and_reduce),
        cmocka_unit_test(the_guard_sees_what_strays),
        cmocka_unit_test(arguments_are_counted),
        cmocka_unit_test(every_kernel_in_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
