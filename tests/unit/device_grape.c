/* A device that is lost between the two halves of a GRAPE-6 force gives errors until the library is
 * opened anew, and never a crash. */
#include "test.h"

#include <math.h>
#include <string.h>

#include "base/status.h"
#include "engine/device/driver/driver.h"
#include "kyoho/grape6.h"

enum { N = 100 };
static int label[N], nearest[N];
static double x[N][3], v[N][3], a[N][3], j[N][3], p[N];

static const struct ky_driver *whole;
static struct ky_driver weak;
static int is_lost;

static enum ky_status weak_open(size_t index, struct ky_card **card, struct ky_error *error)
{
    const enum ky_status status = whole->open(index, card, error);
    if (status == KY_OK)
        (*card)->driver = &weak;
    return status;
}

static enum ky_status weak_wait(struct ky_card *card, struct ky_error *error)
{
    return is_lost ? ky_fail(error, KY_DEVICE, "the device is lost") : whole->wait(card, error);
}

static const struct ky_driver *weaken(const struct ky_driver *driver)
{
    whole = driver;
    weak = *driver;
    weak.open = weak_open;
    weak.wait = weak_wait;
    return &weak;
}

static void send_all(void)
{
    double zero[3] = {0};
    for (int i = 0; i < N; i++) {
        label[i] = i;
        x[i][0] = i;
        assert_int_equal(g6_set_j_particle(0, i, i, 0, 1, 1, zero, zero, zero, v[i], x[i]), 0);
    }
}

static int first(void)
{
    return g6calc_firsthalf(0, N, N, label, x, v, NULL, NULL, NULL, 0.01, NULL);
}

static int last(void)
{
    return g6calc_lasthalf2(0, N, N, label, x, v, 0.01, NULL, a, j, p, nearest);
}

static void check(void)
{
    assert_int_equal(first() | last(), 0);
    for (int i = 1; i < N; i++)
        assert_int_equal(nearest[i], i - 1);
    assert_true(fabs(a[0][0] - 1.6) < 0.1);
}

static void is_lost_and_opened_anew(void **state)
{
    (void)state;
    ky_device_wrap = weaken;
    setenv("KYOHO_ENGINE", "opencl", 1);
    int status = g6_open(0);
    if (status) {
        setenv("KYOHO_ENGINE", "cuda", 1);
        status = g6_open(0);
    }
    if (status)
        skip();
    send_all();
    check();
    assert_int_equal(first(), 0);
    is_lost = 1;
    assert_int_not_equal(last(), 0);
    is_lost = 0;
    assert_int_not_equal(last(), 0);
    assert_int_not_equal(first(), 0);
    assert_int_not_equal(g6_set_ti(0, 0), 0);
    assert_true(g6_read_neighbour_list(0) < 0);
    assert_int_not_equal(g6_reset(0), 0);
    assert_int_not_equal(g6_setup_njdata(0, 4), 0);
    assert_int_not_equal(g6_open(0), 0); /* refused before g6_close */
    assert_int_equal(g6_close(0), 0);
    assert_int_equal(g6_reset(0), 0);
    assert_int_equal(g6_open(0), 0);
    send_all();
    check();
    assert_int_equal(first(), 0);
    is_lost = 1; /* lost again, and closed between the halves */
    assert_int_equal(g6_close(0), 0);
    is_lost = 0;
    assert_int_equal(g6_open(0), 0);
    send_all();
    check();
    assert_int_equal(g6_close(0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_lost_and_opened_anew)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
