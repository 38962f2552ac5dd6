/* The GRAPE-6 calls on every engine that opens, against nested loops in double: points in which
 * GRAPE libraries differ, unusual orders of calls, errors, forks. */
#include "test.h"

#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "grape_settings.h"
#include "kyoho/grape6.h"
#include "moving_bodies.h"

#include "base/drivers.h"

/* Two CPUs stand for two devices. */
#define NAME(own, name, ...) , #name
static const char *const engines[] = {"cpu", "cpu:0,1" KY_DRIVERS(NAME, )};
static const char *engine; /* the engine under test */

enum { MOST = 1000, LIST = 300 };

/* A program's own arrays. */
struct body {
    int label;
    double t, m, x[3], v[3], a2[3], j6[3], s18[3];
};
static struct body body[MOST];
static struct {
    int index[MOST], nearest[MOST];
    double x[MOST][3], v[MOST][3], a[MOST][3], j[MOST][3], p[MOST], h2[MOST];
} sink;
static double eps2 = 1e-4, now;

/* ---- the program ---- */

static void make_bodies(int n)
{
    uint64_t seed = 11;
    for (int i = 0; i < n; i++) {
        const struct moving_body m = moving_body(&seed, (size_t)n, (size_t)i);
        struct body *b = &body[i];
        b->label = m.label;
        b->t = moving_number(&seed) / 4;
        b->m = m.mass;
        memcpy(b->x, m.x, sizeof b->x);
        memcpy(b->v, m.v, sizeof b->v);
        for (int c = 0; c < 3; c++) {
            b->a2[c] = moving_number(&seed) - 0.5;
            b->j6[c] = moving_number(&seed) - 0.5;
            b->s18[c] = moving_number(&seed) - 0.5;
        }
    }
    now = 0.5;
    eps2 = 1e-4;
}

static void send(int slot, const struct body *given)
{
    struct body b = *given;
    assert_int_equal(
        g6_set_j_particle(7, slot, b.label, b.t, 0.125, b.m, b.s18, b.j6, b.a2, b.v, b.x), 0);
}

static void send_all(int n)
{
    for (int i = 0; i < n; i++)
        send(i, &body[i]);
}

static struct moving_body predicted(const struct body *b)
{
    const double dt = now - b->t;
    struct moving_body m = {.mass = b->m, .label = b->label};
    for (int c = 0; c < 3; c++) {
        const double a = 2 * b->a2[c], j = 6 * b->j6[c], s = 18 * b->s18[c];
        m.x[c] = b->x[c] + b->v[c] * dt + a * dt * dt / 2 + j * dt * dt * dt / 6 +
                 s * dt * dt * dt * dt / 24;
        m.v[c] = b->v[c] + a * dt + j * dt * dt / 2 + s * dt * dt * dt / 6;
    }
    return m;
}

/* Takes the first n bodies as sinks, at their predicted positions. */
static void take_sinks(int n)
{
    for (int i = 0; i < n; i++) {
        const struct moving_body m = predicted(&body[i]);
        sink.index[i] = m.label;
        sink.h2[i] = 0;
        memcpy(sink.x[i], m.x, sizeof sink.x[i]);
        memcpy(sink.v[i], m.v, sizeof sink.v[i]);
    }
}

static int first(int nj, int ni)
{
    return g6calc_firsthalf(3, nj, ni, sink.index, sink.x, sink.v, sink.a, sink.j, sink.p, eps2,
                            sink.h2);
}

static int last(int nj, int ni)
{
    return g6calc_lasthalf2(3, nj, ni, sink.index, sink.x, sink.v, eps2, sink.h2, sink.a, sink.j,
                            sink.p, sink.nearest);
}

static void force(int nj, int ni)
{
    assert_int_equal(g6_set_ti(0, now), 0);
    assert_int_equal(first(nj, ni), 0);
    assert_int_equal(last(nj, ni), 0);
}

/* ---- the right results ---- */

static struct moving_body all[MOST];

static size_t sources(int nj)
{
    for (int j = 0; j < nj; j++)
        all[j] = predicted(&body[j]);
    return (size_t)nj;
}

static void check(int nj, int ni)
{
    const size_t n = sources(nj);
    for (int i = 0; i < ni; i++) {
        struct moving_body me = {.label = sink.index[i]};
        memcpy(me.x, sink.x[i], sizeof me.x);
        memcpy(me.v, sink.v[i], sizeof me.v);
        const struct moving_sums e = moving_sum(all, n, &me, eps2, 0, 0);
        assert_true(moving_error(sink.a[i], e.a) < 2e-6);
        assert_true(moving_error(sink.j[i], e.j) < 2e-5);
        assert_true(fabs(sink.p[i] - e.potential) <= 2e-6 * (1 - e.potential));
        assert_int_equal(sink.nearest[i], isinf(e.nearest2) ? -1 : all[e.nearest].label);
    }
}

static int open_engine(void)
{
    setenv("KYOHO_ENGINE", engine, 1);
    return g6_open(-12345) == 0;
}

/* ---- the tests ---- */

static void agrees(void **state)
{
    (void)state;
    static const int counts[] = {0, 1, 47, 48, 49, 1000}, bodies[] = {0, 1, 2, 48, 1000};
    for (int which = 0; which < 30; which++) {
        const int ni = counts[which % 6], nj = bodies[which / 6];
        make_bodies(MOST);
        take_sinks(ni);
        memset(&sink.a, 0x55, sizeof sink.a);
        send_all(nj);
        force(nj, ni);
        check(nj, ni);
        assert_int_equal(g6_close(0), 0);
        assert_int_equal(g6_open(0), 0);
    }
}

/* Bodies are predicted anew whenever the time or a body has changed, in any order. */
static void predicts_when_anything_changed(void **state)
{
    (void)state;
    make_bodies(20);
    send_all(20);
    force(20, 0);
    take_sinks(20);
    force(20, 20);
    check(20, 20);
    body[7].x[1] += 0.25; /* after the time was set */
    send(7, &body[7]);
    assert_int_equal(first(20, 20), 0);
    assert_int_equal(last(20, 20), 0);
    check(20, 20);
    now = -0.75; /* back */
    take_sinks(20);
    force(20, 20);
    check(20, 20);
}

/* Snap is used in the prediction of positions and velocities. */
static void snap_counts(void **state)
{
    (void)state;
    make_bodies(2);
    body[1] = (struct body){.label = 5, .m = 1, .x = {4}, .s18 = {1}};
    now = 2;
    take_sinks(1);
    send_all(2);
    force(2, 1);
    check(2, 1);
    const struct moving_body m = predicted(&body[1]);
    assert_true(fabs(m.x[0] - (4 + 18.0 * 16 / 24)) < 1e-14);
}

/* The sinks are those of firsthalf. The arrays of lasthalf may hold anything, and may be the arrays
 * of its results. */
static void inputs_are_those_of_first_half(void **state)
{
    (void)state;
    static double x[MOST][3], v[MOST][3];
    make_bodies(200);
    send_all(200);
    take_sinks(48);
    memcpy(x, sink.x, sizeof x);
    memcpy(v, sink.v, sizeof v);
    assert_int_equal(g6_set_ti(0, now), 0);
    assert_int_equal(first(200, 48), 0);
    memset(sink.x, 0x7f, sizeof sink.x);
    memset(sink.v, 0x7f, sizeof sink.v);
    assert_int_equal(g6calc_lasthalf2(0, 200, 48, sink.index, sink.x, sink.v, 7.0, sink.h2, sink.a,
                                      sink.j, sink.p, sink.nearest),
                     0);
    memcpy(sink.x, x, sizeof x);
    memcpy(sink.v, v, sizeof v);
    check(200, 48);
    assert_int_equal(first(200, 48), 0); /* inputs and outputs are the same arrays */
    assert_int_equal(g6calc_lasthalf2(0, 200, 48, sink.index, sink.x, sink.v, eps2, sink.h2, sink.x,
                                      sink.v, sink.h2, sink.index),
                     0);
    memcpy(sink.a, sink.x, sizeof sink.a);
    memcpy(sink.j, sink.v, sizeof sink.j);
    memcpy(sink.p, sink.h2, sizeof sink.p);
    memcpy(sink.nearest, sink.index, sizeof sink.nearest);
    take_sinks(48);
    check(200, 48);
}

/* Bodies sent between the halves act from the next force on. */
static void bodies_are_frozen(void **state)
{
    (void)state;
    make_bodies(300);
    send_all(300);
    take_sinks(48);
    assert_int_equal(g6_set_ti(0, now), 0);
    assert_int_equal(first(300, 48), 0);
    for (int i = 0; i < 300; i++) {
        struct body other = body[i];
        other.x[0] += 10;
        other.label += 1;
        send(i, &other);
    }
    assert_int_equal(last(300, 48), 0);
    check(300, 48);
    for (int i = 0; i < 300; i++)
        body[i].x[0] += 10, body[i].label += 1;
    take_sinks(48);
    force(300, 48);
    check(300, 48);
}

/* The nearest body by the distance without softening, with its exact label; −1 only where there is
 * none. */
static void nearest_body(void **state)
{
    (void)state;
    static const int labels[] = {1 << 24, (1 << 24) + 1, INT32_MAX, INT32_MIN, -1, 0};
    make_bodies(10);
    for (int i = 0; i < 6; i++) {
        body[i].label = labels[i];
        if (i % 2)
            body[i].m = 0; /* massless bodies count */
    }
    send_all(10);
    take_sinks(10);
    eps2 = 100; /* changes no distance */
    force(10, 10);
    check(10, 10);
    force(1, 1); /* a body alone */
    assert_int_equal(sink.nearest[0], -1);
    force(0, 1);
    assert_int_equal(sink.nearest[0], -1);
    for (int c = 0; c < 3; c++) /* far away */
        sink.x[0][c] = 1e5 * (c + 1);
    force(10, 1);
    check(10, 1);
    for (int k = 3; k < 6; k++) { /* at equal distances: the lowest slot */
        body[k] = (struct body){.label = 50 - k, .t = now, .m = 1};
        body[k].x[k - 3] = 1e-3;
        send(k, &body[k]);
    }
    memset(sink.x[0], 0, sizeof sink.x[0]);
    force(10, 1);
    assert_int_equal(sink.nearest[0], 47);
}

/* Opens with lists of 256 in place of the default; tear_down undoes it. */
static void open_with_short_lists(void)
{
    setenv("KYOHO_NEIGHBOURS", "256", 1);
    assert_int_equal(g6_close(0) | g6_open(0), 0);
}

/* Lists are by the distance without softening, h included, and ascend. A list that is too long is
 * an error. */
static void neighbour_lists(void **state)
{
    (void)state;
    static int list[MOST];
    int count = -7;
    open_with_short_lists();
    for (int i = 0; i < 600; i++) {
        body[i] = (struct body){.label = 10000 - i, .t = 0, .m = 1e-3, .x = {i / 1024.0}};
    }
    now = 0;
    eps2 = 0.01;
    send_all(600);
    take_sinks(48);
    for (int i = 0; i < 48; i++)
        sink.h2[i] = i == 2 ? 0 : pow((i == 40 ? 280 : 3) / 1024.0, 2);
    force(600, 48);
    check(600, 48);
    assert_int_equal(g6_read_neighbour_list(0), 1); /* sink 40 has too many */
    assert_int_equal(g6_get_neighbour_list(0, 10, 100, &count, list), 0);
    assert_int_equal(count, 6);
    static const int expected[] = {9987, 9988, 9989, 9991, 9992, 9993};
    assert_memory_equal(list, expected, sizeof expected);
    assert_int_equal(g6_get_neighbour_list(0, 2, 100, &count, list), 0);
    assert_int_equal(count, 0);
    list[4] = 77;
    assert_int_equal(g6_get_neighbour_list(0, 10, 4, &count, list), 1); /* the first four */
    assert_int_equal(count, 4);
    assert_memory_equal(list, expected, 4 * sizeof *list);
    assert_int_equal(list[4], 77);
    assert_int_equal(g6_get_neighbour_list(0, 40, 1000, &count, list), 1);
    assert_int_equal(count, 1000);
    for (int k = 1; k < 256; k++)
        assert_true(list[k] > list[k - 1] && list[k] <= 10000 && list[k] != 10000 - 40);
    assert_int_equal(list[256], -1);
    assert_true(g6_get_neighbour_list(0, 48, 10, &count, list) < 0);
    assert_true(g6_get_neighbour_list(0, -1, 10, &count, list) < 0);
    sink.h2[40] = sink.h2[10]; /* from now on lists come with the force */
    force(600, 48);
    check(600, 48);
    assert_int_equal(g6_read_neighbour_list(0), 0);
    assert_int_equal(g6_get_neighbour_list(0, 40, 100, &count, list), 0);
    assert_int_equal(count, 6);
    force(600, 3); /* fewer sinks: old lists are gone */
    assert_int_equal(g6_read_neighbour_list(0), 0);
    assert_true(g6_get_neighbour_list(0, 10, 100, &count, list) < 0);
    g6_set_neighbour_list_sort_mode(3);
    assert_int_equal(g6_get_neighbour_list_sort_mode(), 3);
}

/* Without KYOHO_NEIGHBOURS lists begin with room for 4,096. They grow when one is too long, and can
 * be read. */
static void lists_grow(void **state)
{
    (void)state;
    enum { N = 5000, SINKS = 4 };
    static int list[N];
    static const int wanted[SINKS] = {3, 300, 4096, 4097};
    double zero[3] = {0};
    int count = 0, label[SINKS] = {-1, -2, -3, -4};
    for (int i = 0; i < N; i++) { /* at 1, 2, … */
        double x[3] = {i + 1};
        assert_int_equal(g6_set_j_particle(0, i, i, 0, 1, 1, zero, zero, zero, zero, x), 0);
    }
    for (int k = 0; k < SINKS; k++) {
        memset(sink.x[k], 0, sizeof sink.x[k]);
        memset(sink.v[k], 0, sizeof sink.v[k]);
        sink.h2[k] = pow(wanted[k] + 0.5, 2);
    }
    for (int turn = 0; turn < 2; turn++) { /* the second force comes with its lists */
        assert_int_equal(g6_set_ti(0, 0), 0);
        assert_int_equal(
            g6calc_firsthalf(0, N, SINKS, label, sink.x, sink.v, NULL, NULL, NULL, 0.5, sink.h2),
            0);
        assert_int_equal(g6calc_lasthalf(0, N, SINKS, label, sink.x, sink.v, 0.5, sink.h2, sink.a,
                                         sink.j, sink.p),
                         0);
        for (int k = 0; k < SINKS; k++) {
            assert_int_equal(g6_get_neighbour_list(0, k, N, &count, list), wanted[k] > 4096);
            assert_int_equal(count, wanted[k] > 4096 ? N : wanted[k]);
            for (int e = 0; e < wanted[k] && wanted[k] <= 4096; e++)
                assert_int_equal(list[e], e);
        }
        assert_int_equal(g6_read_neighbour_list_old(0), 1);
    }
    assert_int_equal(g6_changed_index(0) | g6_print_chip_status(0), 0);
}

/* A program that asks for nearest bodies for the first time gets those of the force before. */
static void nearest_when_asked(void **state)
{
    (void)state;
    static double a[MOST][3];
    make_bodies(100);
    send_all(100);
    take_sinks(50);
    assert_int_equal(g6_set_ti(0, now), 0);
    for (int turn = 0; turn < 3; turn++) {
        assert_int_equal(first(100, 50), 0);
        if (turn)
            assert_int_equal(last(100, 50), 0);
        else
            assert_int_equal(g6calc_lasthalf(0, 100, 50, sink.index, sink.x, sink.v, eps2, sink.h2,
                                             a, sink.j, sink.p),
                             0);
    }
    check(100, 50);
    for (int i = 0; i < 50; i++)
        assert_true(moving_error(a[i], sink.a[i]) < 1e-6);
}

/* Lists that are read for the first time, after bodies have changed, are those of the force
 * before. */
static void late_lists(void **state)
{
    (void)state;
    int count, list[10];
    make_bodies(100);
    send_all(100);
    take_sinks(10);
    for (int i = 0; i < 10; i++)
        sink.h2[i] = 0.01;
    force(100, 10);
    for (int i = 0; i < 100; i++) {
        struct body far = body[i];
        far.x[2] += 1e3;
        send(i, &far);
    }
    assert_int_equal(g6_read_neighbour_list(0), 0);
    const size_t n = sources(100);
    for (int i = 0; i < 10; i++) {
        const struct moving_body me = predicted(&body[i]);
        const struct moving_sums e = moving_sum(all, n, &me, eps2, 0, 0.01);
        (void)g6_get_neighbour_list(0, i, 10, &count, list);
        assert_int_equal(count, e.within < 10 ? e.within : 10);
    }
}

/* Slots come in any order and with gaps, and a force may ask for more than there are. */
static void slots_in_any_order(void **state)
{
    (void)state;
    make_bodies(100);
    eps2 = 0;
    const struct body b = body[3];
    send(50000, &body[99]);
    send(7, &body[99]);
    send(7, &b); /* the last one counts */
    body[0] = b;
    body[1] = body[99];
    take_sinks(40);
    force(60000, 40);
    check(2, 40);
    force(50000, 40);
    check(1, 40);
    force(7, 40);
    check(0, 40);
    for (int i = 0; i < 40; i++)
        assert_true(sink.p[i] == 0 && sink.nearest[i] == -1);
}

/* Any number of a cluster, null pointers, more sinks than pipes, and the Fortran names. */
static void fortran_names(void **state)
{
    (void)state;
    int nj = 150, ni = 60, one = 1;
    double tj = 0, dtj = 0;
    make_bodies(150);
    assert_int_equal(g6_npipes_(), 48);
    assert_int_equal(g6_open_(NULL), 0);
    assert_int_equal(g6_set_tunit_(&one) | g6_set_xunit_(NULL), 0);
    for (int i = 0; i < nj; i++) {
        struct body *b = &body[i];
        tj = b->t;
        assert_int_equal(g6_set_j_particle_(NULL, &i, &b->label, &tj, &dtj, &b->m, b->s18, b->j6,
                                            b->a2, b->v, b->x),
                         0);
    }
    take_sinks(ni);
    assert_int_equal(g6_set_ti_(&one, &now), 0);
    assert_int_equal(g6calc_firsthalf_(NULL, &nj, &ni, sink.index, sink.x, sink.v, NULL, NULL, NULL,
                                       &eps2, NULL),
                     0);
    assert_int_equal(g6calc_lasthalf2_(NULL, &nj, &ni, sink.index, NULL, NULL, NULL, NULL, sink.a,
                                       sink.j, sink.p, sink.nearest),
                     0);
    check(nj, ni);
    memset(sink.a, 0, sizeof sink.a);
    assert_int_equal(first(nj, ni), 0);
    assert_int_equal(g6calc_lasthalf_(NULL, &nj, &ni, sink.index, NULL, NULL, NULL, NULL, sink.a,
                                      sink.j, sink.p),
                     0);
    check(nj, ni);
}

/* g6_reset keeps the bodies; g6_close drops them. */
static void reset_and_close(void **state)
{
    (void)state;
    make_bodies(100);
    send_all(100);
    take_sinks(20);
    assert_int_equal(g6_reset(0) | g6_reset_fofpga(0) | g6_reinitialize(0), 0);
    assert_int_equal(g6_setup_njdata(0, 5) | g6_initialize_jp_buffer(0, 5) | g6_flush_jp_buffer(0),
                     0);
    force(100, 20);
    check(100, 20);
    assert_int_equal(g6_open(5), 0); /* a second time: nothing happens */
    force(100, 20);
    check(100, 20);
    assert_int_equal(g6_close(0), 0);
    assert_int_equal(g6_open(0), 0);
    force(100, 20);
    check(0, 20);
    send(60, &body[60]);
    body[0] = body[60];
    force(100, 20);
    check(1, 20);
}

/* As many bodies as a large program has, for a sample of sinks. */
static void many_bodies(void **state)
{
    (void)state;
    const int n = test_everything() ? 1000000 : 100000, ni = 48;
    struct moving_body *many = malloc((size_t)n * sizeof *many);
    double zero[3] = {0};
    uint64_t seed = 17;
    assert_non_null(many);
    for (int i = 0; i < n; i++) {
        struct moving_body *b = &many[i];
        *b = moving_body(&seed, (size_t)n, (size_t)i);
        assert_int_equal(
            g6_set_j_particle(0, i, b->label, 0, 1, b->mass, zero, zero, zero, b->v, b->x), 0);
        if (i < ni) {
            sink.index[i] = b->label;
            memcpy(sink.x[i], b->x, sizeof sink.x[i]);
            memcpy(sink.v[i], b->v, sizeof sink.v[i]);
        }
    }
    now = 0;
    eps2 = 1e-6;
    force(n, ni);
    for (int i = 0; i < ni; i += 7) {
        const struct moving_sums e = moving_sum(many, (size_t)n, &many[i], eps2, 0, 0);
        assert_true(moving_error(sink.a[i], e.a) < 2e-6 && moving_error(sink.j[i], e.j) < 2e-5);
        assert_true(fabs(sink.p[i] / e.potential - 1) < 1e-6);
        assert_int_equal(sink.nearest[i], many[e.nearest].label);
    }
    free(many);
}

/* Bodies at the same place. */
static void no_distance(void **state)
{
    (void)state;
    make_bodies(60);
    body[0].t = now;
    memcpy(&body[1], &body[0], sizeof *body);
    body[1].label = 5;
    memcpy(&body[50], &body[0], sizeof *body);
    body[50].label = 6;
    send_all(60);
    take_sinks(60);
    for (int k = 0; k < 2; k++) {
        eps2 = k ? 1e-2 : 0;
        force(60, 60);
        check(60, 60);
    }
    int count = -1, list[9];
    assert_int_equal(g6_read_neighbour_list(0), 0);
    assert_int_equal(g6_get_neighbour_list(0, 0, 9, &count, list), 0);
    assert_int_equal(count, 0); /* h = 0 finds none */
    sink.h2[0] = 1e-12;
    force(60, 60);
    assert_int_equal(g6_read_neighbour_list(0), 0);
    assert_int_equal(g6_get_neighbour_list(0, 0, 9, &count, list), 0);
    assert_true(count == 2 && list[0] == 5 && list[1] == 6);
}

/* h2 that was never set changes no force. */
static void any_h2(void **state)
{
    (void)state;
    static const double wild[] = {1e308, -1, 1e-320, 4, 0};
    int count, list[10];
    open_with_short_lists();
    make_bodies(500);
    send_all(500);
    for (int k = 0; k < 7; k++) {
        take_sinks(48);
        for (int i = 0; i < 48; i++)
            sink.h2[i] = k < 5 ? wild[k] : k == 5 ? (double)NAN : (double)INFINITY;
        force(500, 48);
        check(500, 48);
        assert_int_equal(g6_read_neighbour_list(0), k == 0 || k == 3 || k == 6);
        (void)g6_get_neighbour_list(0, 0, 10, &count, list);
        assert_int_equal(count, k == 0 || k == 3 || k == 6 ? 10 : 0);
    }
}

/* A first half without a second half is dropped. */
static void first_half_alone(void **state)
{
    (void)state;
    make_bodies(400);
    send_all(400);
    take_sinks(48);
    assert_int_equal(g6_set_ti(0, 77), 0);
    for (int k = 0; k < 3; k++)
        assert_int_equal(first(400, 48), 0);
    force(400, 20);
    check(400, 20);
    assert_int_not_equal(last(400, 20), 0); /* a second half without a first one */
    assert_int_equal(first(400, 48), 0);
    assert_int_not_equal(last(400, 20), 0); /* other sinks than were sent */
    assert_int_equal(g6_close(0), 0);       /* between the two halves */
    assert_int_equal(g6_open(0), 0);
}

/* Where no body has the label of a sink, all bodies act on it, also the one at its place. */
static void labels_of_nobody(void **state)
{
    (void)state;
    make_bodies(100);
    for (int i = 0; i < 100; i++) /* at its own time a body lies exactly at its sink */
        body[i].t = now;
    send_all(100);
    take_sinks(30);
    for (int i = 0; i < 30; i++)
        sink.index[i] = i % 2 ? -1 : 3000 + i;
    force(100, 30);
    check(100, 30);
    for (int i = 0; i < 30; i++) {
        assert_int_equal(sink.nearest[i], body[i].label);
        assert_true(sink.p[i] < -body[i].m / sqrt(eps2));
    }
}

static void take_far_sink(void)
{
    take_sinks(60);
    memcpy(sink.x[0], sink.x[59], sizeof sink.x[0]);
    memcpy(sink.v[0], sink.v[59], sizeof sink.v[0]);
    sink.index[0] = sink.index[59];
}

/* An escaped body costs the others no digits. */
static void one_body_far_away(void **state)
{
    (void)state;
    enum { N = 60, SINKS = 30 };
    make_bodies(N);
    for (int c = 0; c < 3; c++)
        body[N - 1].v[c] = body[N - 1].a2[c] = body[N - 1].j6[c] = body[N - 1].s18[c] = 0;
    static const double place[] = {1e15, 1e20, -1e40, 1e120}, mass[] = {1e-20, 0, 1e-3, 0};
    for (int k = 0; k < 4; k++) { /* float holds neither its distance nor the square */
        body[N - 1].m = mass[k];
        body[N - 1].x[0] = place[k];
        send_all(N);
        take_sinks(SINKS);
        force(N, SINKS);
        check(N, SINKS);
        take_far_sink();
        force(N, 1);
        for (int c = 0; c < 3; c++)
            assert_true(isfinite(sink.a[0][c]) && isfinite(sink.j[0][c]) && fabs(sink.a[0][c]) < 1);
    }
}

/* Numbers far from 1, as in units of cm and g, where float could not hold r². */
static void other_units(void **state)
{
    (void)state;
    enum { N = 200 };
    const double L = 3e21, M = 2e38, V = 1e8;
    static double a[N][3], j[N][3], p[N];
    make_bodies(N);
    for (int i = 0; i < N; i++)
        for (int c = 0; c < 3; c++)
            body[i].a2[c] = body[i].j6[c] = body[i].s18[c] = 0, body[i].t = now;
    send_all(N);
    take_sinks(N);
    force(N, N);
    check(N, N);
    memcpy(a, sink.a, sizeof a);
    memcpy(j, sink.j, sizeof j);
    memcpy(p, sink.p, sizeof p);
    for (int i = 0; i < N; i++) {
        body[i].m *= M;
        for (int c = 0; c < 3; c++)
            body[i].x[c] *= L, body[i].v[c] *= V;
    }
    eps2 *= L * L;
    send_all(N);
    take_sinks(N);
    force(N, N);
    for (int i = 0; i < N; i++) {
        double e[3], f[3];
        for (int c = 0; c < 3; c++)
            e[c] = sink.a[i][c] * L * L / M, f[c] = sink.j[i][c] * L * L * L / (M * V);
        assert_true(moving_error(e, a[i]) < 4e-6 && moving_error(f, j[i]) < 4e-5);
        assert_true(fabs(sink.p[i] * L / M / p[i] - 1) < 2e-6);
    }
    make_bodies(N); /* and back to usual units */
    send_all(N);
    take_sinks(N);
    force(N, N);
    check(N, N);
}

/* KYOHO_PRECISION=double gives the digits of double. */
static void in_double(void **state)
{
    (void)state;
    assert_int_equal(g6_close(0), 0);
    setenv("KYOHO_PRECISION", "double", 1);
    const int opened = g6_open(0) == 0;
    if (opened) {
        make_bodies(300);
        send_all(300);
        take_sinks(48);
        force(300, 48);
        check(300, 48);
        const size_t n = sources(300);
        for (int i = 0; i < 48; i++) {
            const struct moving_sums e = moving_sum(all, n, &all[i], eps2, 0, 0);
            assert_true(moving_error(sink.a[i], e.a) < 1e-13);
            assert_true(moving_error(sink.j[i], e.j) < 1e-12);
        }
    }
    assert_int_equal(g6_close(0), 0);
    unsetenv("KYOHO_PRECISION");
    assert_int_equal(g6_open(0), 0);
    assert_true(opened || !strcmp(engine, "opencl"));
}

static long resident(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%*d %ld", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages;
}

static void opens_often(void **state)
{
    (void)state;
    long before = 0;
    make_bodies(50);
    take_sinks(48);
    for (int k = 0; k < 10000; k++) {
        if (k == 1000)
            before = resident();
        assert_int_equal(g6_close(k), 0);
        assert_int_equal(g6_open(k), 0);
        if (k % 50 == 0) {
            send_all(50);
            force(50, 48);
        }
    }
    check(50, 48);
    assert_true(resident() - before < 64); /* pages */
}

/* A child of a process that has opened the library gets errors. */
static void forks(void **state)
{
    (void)state;
    int status = -1;
    make_bodies(100);
    send_all(100);
    take_sinks(48);
    assert_int_equal(g6_set_ti(0, now), 0);
    assert_int_equal(first(100, 48), 0);
    const pid_t child = fork();
    if (child == 0) {
        const int errors = (last(100, 48) != 0) + (first(100, 48) != 0) + (g6_close(0) != 0) +
                           (g6_open(0) != 0) + (g6_read_neighbour_list(0) != 0);
        _exit(errors);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 5);
    assert_int_equal(last(100, 48), 0);
    check(100, 48);
}

static int set_up(void **state)
{
    (void)state;
    return !open_engine();
}

static int tear_down(void **state)
{
    (void)state;
    unsetenv("KYOHO_NEIGHBOURS");
    return g6_close(0);
}

/* ---- with no engine open ---- */

static int open_any(void)
{
    return g6_open(0);
}

/* Before the library is opened, g6_npipes also reports a wrong KYOHO_NPIPES, and returns the
 * default. */
static void wrong_pipes(void **state)
{
    (void)state;
    char said[512];
    setenv("KYOHO_NPIPES", "many", 1);
    assert_int_equal(said_by(g6_npipes, said), 48);
    assert_string_equal(said, "");
    setenv("KYOHO_VERBOSE", "1", 1);
    assert_int_equal(said_by(g6_npipes, said), 48);
    assert_non_null(strstr(said, "KYOHO_NPIPES is 'many'"));
    unsetenv("KYOHO_NPIPES");
    unsetenv("KYOHO_VERBOSE");
}

static void errors(void **state)
{
    (void)state;
    setenv("KYOHO_ENGINE", "cpu", 1);
    make_bodies(10);
    assert_int_not_equal(g6_set_ti(0, 0), 0);
    assert_int_not_equal(first(10, 10), 0);
    assert_int_not_equal(last(10, 10), 0);
    assert_true(g6_read_neighbour_list(0) < 0);
    wrong_values(open_any, 0);
    assert_int_equal(g6_open(0), 0);
    assert_int_not_equal(first(-1, 10), 0);
    assert_int_not_equal(first(10, -1), 0);
    assert_int_not_equal(
        g6_set_j_particle(0, -1, 0, 0, 0, 0, body->s18, body->j6, body->a2, body->v, body->x), 0);
    send_all(10); /* none of these errors was fatal */
    take_sinks(10);
    force(10, 10);
    check(10, 10);
    assert_int_equal(g6_close(0), 0);
    assert_int_not_equal(first(10, 10), 0);
}

static void pipes_and_lists_of_other_sizes(void **state)
{
    (void)state;
    int count, list[LIST];
    setenv("KYOHO_ENGINE", "cpu", 1);
    assert_int_equal(g6_npipes(), 48);
    setenv("KYOHO_NPIPES", "16384", 1);
    assert_int_equal(g6_npipes(), 16384);
    setenv("KYOHO_NEIGHBOURS", "299", 1);
    assert_int_equal(g6_open(0), 0);
    assert_int_equal(g6_get_number_of_pipelines(), 16384);
    make_bodies(300);
    send_all(300);
    take_sinks(1);
    sink.h2[0] = 100;
    force(300, 1);
    assert_int_equal(g6_read_neighbour_list(0), 0);
    assert_int_equal(g6_get_neighbour_list(0, 0, LIST, &count, list), 0);
    assert_int_equal(count, 299);
    assert_int_equal(g6_close(0), 0);
    setenv("KYOHO_NEIGHBOURS", "1000000", 1); /* the memory is for as many as there are bodies */
    assert_int_equal(g6_open(0), 0);
    send_all(300);
    take_sinks(300);
    for (int i = 0; i < 300; i++)
        sink.h2[i] = 100;
    force(300, 300);
    assert_int_equal(g6_read_neighbour_list(0), 0);
    assert_int_equal(g6_get_neighbour_list(0, 299, LIST, &count, list), 0);
    assert_int_equal(count, 299);
    assert_int_equal(g6_close(0), 0);
    unsetenv("KYOHO_NPIPES");
    unsetenv("KYOHO_NEIGHBOURS");
}

/* The distance of the nearest body, with softening, by the C and Fortran names. */
static void nearest_distance(void **state)
{
    (void)state;
    enum { N = 60 };
    float distance[2][N];
    int nj = N, ni = N;
    make_bodies(N);
    send_all(N);
    take_sinks(N);
    assert_int_equal(g6_set_ti(0, now), 0);
    for (int own = 0; own < 2; own++) { /* a single body has none */
        const size_t n = sources(own ? 1 : N);
        nj = ni = (int)n;
        assert_int_equal(first(nj, ni), 0);
        assert_int_equal(g6calc_lasthalf2p(0, nj, ni, sink.index, sink.x, sink.v, eps2, sink.h2,
                                           sink.a, sink.j, sink.p, sink.nearest, distance[0]),
                         0);
        assert_int_equal(first(nj, ni), 0);
        assert_int_equal(g6calc_lasthalf2np_(NULL, &nj, &ni, sink.index, sink.x, sink.v, NULL, NULL,
                                             sink.a, sink.j, sink.p, sink.nearest, distance[1]),
                         0);
        check(nj, ni);
        assert_memory_equal(distance[0], distance[1], n * sizeof(float));
        for (size_t i = 0; i < n; i++) {
            const struct moving_sums e = moving_sum(all, n, &all[i], eps2, 0, 0);
            const double right = sqrt(e.nearest2 + eps2), found = (double)distance[0][i];
            assert_true(found == right || fabs(found / right - 1) < 1e-6);
        }
    }
}

#define OPEN(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        OPEN(agrees),
        OPEN(predicts_when_anything_changed),
        OPEN(snap_counts),
        OPEN(inputs_are_those_of_first_half),
        OPEN(bodies_are_frozen),
        OPEN(nearest_body),
        OPEN(nearest_distance),
        OPEN(lists_grow),
        OPEN(nearest_when_asked),
        OPEN(late_lists),
        OPEN(neighbour_lists),
        OPEN(slots_in_any_order),
        OPEN(fortran_names),
        OPEN(reset_and_close),
        OPEN(many_bodies),
        OPEN(no_distance),
        OPEN(any_h2),
        OPEN(first_half_alone),
        OPEN(labels_of_nobody),
        OPEN(one_body_far_away),
        OPEN(other_units),
        OPEN(in_double),
        OPEN(opens_often),
        OPEN(forks),
    };
    const struct CMUnitTest without[] = {cmocka_unit_test(errors), cmocka_unit_test(wrong_pipes),
                                         cmocka_unit_test(pipes_and_lists_of_other_sizes)};
    int failed = cmocka_run_group_tests(without, NULL, NULL);
    for (size_t k = 0; k < sizeof engines / sizeof *engines; k++) {
        engine = engines[k];
        if (!open_engine()) {
            failed += run_without_boards(engine);
            continue;
        }
        g6_close(0);
        failed += cmocka_run_group_tests_name(engine, tests, NULL, NULL);
    }
    return failed;
}
