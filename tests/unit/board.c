/* The board of every engine against nested loops in double, with prediction, empty slots, labels,
 * nearest bodies and lists, awkward numbers of slots and sinks, and threads. */
#include "test.h"

#include <string.h>

#include "base/drivers.h"
#include "base/memory.h"
#include "engine/board.h"
#include "engine/engine.h"
#include "moving_bodies.h"

static const char *name; /* the engine under test */
enum { CAPACITY = 50 };

struct sums {
    double (*a)[3], (*j)[3], *p, *r2;
    int32_t *nearest, *list;
    size_t *begin;
    uint32_t *slot, *found;
    size_t count;
};

static struct sums sums_make(size_t count)
{
    struct sums s = {.count = count};
    s.a = ky_allocate_zeroed(count + 1, sizeof *s.a);
    s.j = ky_allocate_zeroed(count + 1, sizeof *s.j);
    s.p = ky_allocate_zeroed(count + 1, sizeof *s.p);
    s.r2 = ky_allocate_zeroed(count + 1, sizeof *s.r2);
    s.nearest = ky_allocate_zeroed(count + 1, sizeof *s.nearest);
    s.slot = ky_allocate_zeroed(count + 1, sizeof *s.slot);
    s.found = ky_allocate_zeroed(count + 1, sizeof *s.found);
    s.list = ky_allocate_zeroed(count + 1, CAPACITY * sizeof *s.list);
    s.begin = ky_allocate_zeroed(count + 1, sizeof *s.begin);
    return s;
}

static void sums_free(struct sums *s)
{
    void *all[] = {s->a, s->j, s->p, s->r2, s->nearest, s->slot, s->found, s->list, s->begin};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
}

static struct ky_board_results results_of(const struct sums *s)
{
    return (struct ky_board_results){s->a,  s->j,     s->p,    s->nearest, s->slot,
                                     s->r2, s->found, s->list, s->begin};
}

static enum ky_status try_board(int precision, int threads, struct ky_board **board,
                                struct ky_error *error)
{
    struct ky_parameters parameters;
    ky_parameters_defaults(&parameters);
    parameters.engine = name;
    parameters.precision = precision;
    parameters.threads = threads;
    return ky_board_open(&parameters, board, error);
}

static struct ky_board *open_board(int precision, int threads)
{
    struct ky_board *board;
    struct ky_error error = {0};
    assert_ok(try_board(precision, threads, &board, &error));
    return board;
}

/* Bodies with their derivatives, and their positions at a time, by the series itself. */
struct cloud {
    struct ky_board_body *body;
    struct moving_body *at;
    uint32_t *slot;
    size_t n;
    double time;
};

static struct cloud cloud_make_moving(size_t n, double time, uint64_t seed)
{
    struct cloud c = {ky_allocate_zeroed(n + 1, sizeof *c.body),
                      ky_allocate_zeroed(n + 1, sizeof *c.at),
                      ky_allocate_zeroed(n + 1, sizeof *c.slot), n, time};
    for (size_t i = 0; i < n; i++) {
        struct moving_body m = moving_body(&seed, n, i);
        const double t = moving_number(&seed), dt = time - t;
        struct ky_board_body *b = &c.body[i];
        *b = (struct ky_board_body){.time = t, .mass = m.mass, .label = m.label, .set = 1};
        c.slot[i] = (uint32_t)i;
        for (int k = 0; k < 3; k++) {
            const double a = moving_number(&seed) - 0.5, j = moving_number(&seed) - 0.5,
                         s = moving_number(&seed) - 0.5;
            b->x[k] = m.x[k], b->v[k] = m.v[k];
            b->a2[k] = a / 2, b->j6[k] = j / 6, b->s18[k] = s / 18;
            m.x[k] += m.v[k] * dt + a * dt * dt / 2 + j * pow(dt, 3) / 6 + s * pow(dt, 4) / 24;
            m.v[k] += a * dt + j * dt * dt / 2 + s * pow(dt, 3) / 6;
        }
        c.at[i] = m;
    }
    return c;
}

static void cloud_free_moving(struct cloud *c)
{
    free(c->body);
    free(c->at);
    free(c->slot);
}

/* Sinks: the first ones are bodies at their predicted positions, the others are points without a
 * body. */
struct sinks {
    double (*x)[3], (*v)[3], *h2;
    int32_t *label;
    struct moving_body *as;
};

static struct sinks sinks_make(const struct cloud *c, size_t count, double h2)
{
    struct sinks s = {
        ky_allocate_zeroed(count + 1, sizeof *s.x), ky_allocate_zeroed(count + 1, sizeof *s.v),
        ky_allocate_zeroed(count + 1, sizeof *s.h2), ky_allocate_zeroed(count + 1, sizeof *s.label),
        ky_allocate_zeroed(count + 1, sizeof *s.as)};
    uint64_t seed = 99;
    for (size_t i = 0; i < count; i++) {
        s.as[i] = i < c->n ? c->at[i] : moving_body(&seed, 1, 500000 + i);
        memcpy(s.x[i], s.as[i].x, sizeof s.x[i]);
        memcpy(s.v[i], s.as[i].v, sizeof s.v[i]);
        s.label[i] = s.as[i].label;
        s.h2[i] = i % 3 ? h2 : 0;
    }
    return s;
}

static void sinks_free(struct sinks *s)
{
    void *all[] = {s->x, s->v, s->h2, s->label, s->as};
    for (int k = 0; k < 5; k++)
        free(all[k]);
}

static struct ky_board_request request_of(const struct sinks *s, size_t count, size_t slots,
                                          double time)
{
    return (struct ky_board_request){time,
                                     slots,
                                     count,
                                     KY_BOARD_JERK | KY_BOARD_NEAREST | KY_BOARD_LISTS,
                                     1e-4,
                                     s->label,
                                     (const double(*)[3])s->x,
                                     (const double(*)[3])s->v,
                                     s->h2,
                                     CAPACITY};
}

/* Compares sums with the nested loops. A body whose mass is NAN in `at` is in an empty slot. */
static void check(const struct sums *s, const struct sinks *sinks, const struct moving_body *at,
                  const uint32_t *slot, size_t n, int precision)
{
    const double bound = precision == KY_DOUBLE ? 1e-12 : 2e-6;
    for (size_t i = 0; i < s->count; i++) {
        const double h2 = sinks->h2[i] > 0 ? sinks->h2[i] : -1;
        const struct moving_sums e = moving_sum(at, n, &sinks->as[i], 1e-4, 0, h2);
        assert_true(moving_error(s->a[i], e.a) < bound);
        assert_true(moving_error(s->j[i], e.j) < 10 * bound);
        assert_true(fabs(s->p[i] - e.potential) <= bound * (1 - e.potential));
        assert_int_equal(s->nearest[i], isinf(e.nearest2) ? -1 : at[e.nearest].label);
        assert_true(s->slot[i] == (isinf(e.nearest2) ? UINT32_MAX : slot[e.nearest]));
        assert_true(s->r2[i] == e.nearest2 || fabs(s->r2[i] / e.nearest2 - 1) < bound);
        assert_true(e.within > CAPACITY ? s->found[i] > CAPACITY : s->found[i] == e.within);
        for (size_t k = 1; k < e.within && k < CAPACITY; k++)
            assert_true(s->list[s->begin[i] + k - 1] <= s->list[s->begin[i] + k]);
    }
}

static void force(struct ky_board *board, const struct sinks *sinks, struct sums *s, size_t slots,
                  double time)
{
    const struct ky_board_request request = request_of(sinks, s->count, slots, time);
    const struct ky_board_results results = results_of(s);
    struct ky_error error = {0};
    assert_int_equal(board->verbs->start(board, &request, &error), KY_OK);
    assert_int_equal(board->verbs->finish(board, &results, &error), KY_OK);
}

static void agrees(int precision, size_t n, size_t count)
{
    struct ky_board *board = open_board(precision, 2);
    struct cloud c = cloud_make_moving(n, 0.5, 3);
    struct sinks sinks = sinks_make(&c, count, 0.05);
    struct sums s = sums_make(count);
    assert_int_equal(board->verbs->put(board, n, c.slot, c.body, NULL), KY_OK);
    force(board, &sinks, &s, n + 5, c.time); /* the last five were never put */
    check(&s, &sinks, c.at, c.slot, n, precision);
    force(board, &sinks, &s, n / 2, c.time); /* the others do not act */
    check(&s, &sinks, c.at, c.slot, n / 2, precision);
    board->verbs->close(board);
    cloud_free_moving(&c);
    sinks_free(&sinks);
    sums_free(&s);
}

/* Whether `check` takes one precision: kernels for a processor take long to compile. oclgrind.sh,
 * which asks for a test by its name, gets both. */
static int takes_one_precision(void)
{
    struct ky_device device = {0};
    for (size_t k = 0; ky_device_get(k, &device) == KY_OK; k++)
        if (device.usable && strcmp(name, "cpu") != 0 && ky_engine_is_named(device.engine, name))
            return device.on_cpu && !test_everything() && !getenv("KYOHO_TEST_ONLY");
    return 0;
}

static void agrees_with_nested_loops(void **state)
{
    (void)state;
    const int last = takes_one_precision() ? KY_EXTENDED : KY_DOUBLE;
    static const size_t sizes[] = {0, 1, 2, 63, 64, 65, 257, 1025, 3000};
    static const size_t counts[] = {0, 1, 47, 48, 49, 200};
    for (int precision = KY_EXTENDED; precision <= last; precision++)
        for (int which = 0; which < 9 * 6; which++)
            agrees(precision, sizes[which / 6], counts[which % 6]);
}

/* Slots that were put out of order, put again, and emptied. */
static void slots_come_and_go(void **state)
{
    (void)state;
    enum { N = 100, COUNT = 70 };
    struct ky_board *board = open_board(KY_EXTENDED, 2);
    struct cloud c = cloud_make_moving(N, 0.5, 5), other = cloud_make_moving(N, 0.5, 6);
    struct sinks sinks = sinks_make(&c, COUNT, 0.05);
    struct sums s = sums_make(COUNT);
    for (size_t i = N; i-- > 0;) { /* downwards, with gaps that stay empty */
        c.slot[i] = (uint32_t)(3 * i + 1);
        assert_int_equal(board->verbs->put(board, 1, &c.slot[i], &c.body[i], NULL), KY_OK);
    }
    force(board, &sinks, &s, 3 * N, c.time);
    check(&s, &sinks, c.at, c.slot, N, KY_EXTENDED);
    for (size_t i = 80; i < N; i++) { /* other bodies in the same slots */
        other.body[i].label = c.body[i].label + 5000;
        other.at[i].label = other.body[i].label;
        c.at[i] = other.at[i];
        assert_int_equal(board->verbs->put(board, 1, &c.slot[i], &other.body[i], NULL), KY_OK);
    }
    force(board, &sinks, &s, 3 * N, c.time);
    check(&s, &sinks, c.at, c.slot, N, KY_EXTENDED);
    const struct ky_board_body none = {.set = 0};
    for (size_t i = 90; i < N; i++)
        assert_int_equal(board->verbs->put(board, 1, &c.slot[i], &none, NULL), KY_OK);
    force(board, &sinks, &s, 3 * N, c.time);
    check(&s, &sinks, c.at, c.slot, 90, KY_EXTENDED);
    board->verbs->close(board);
    cloud_free_moving(&c);
    cloud_free_moving(&other);
    sinks_free(&sinks);
    sums_free(&s);
}

/* Changes to the caller's arrays after start have no effect. Finish without start is an error. */
static void start_copies(void **state)
{
    (void)state;
    enum { N = 3000, COUNT = 200 };
    struct ky_board *board = open_board(KY_EXTENDED, 2);
    struct ky_error error = {0};
    struct cloud c = cloud_make_moving(N, 0.5, 3);
    struct sinks sinks = sinks_make(&c, COUNT, 0.05), spoilt = sinks_make(&c, COUNT, 0.05);
    struct sums s = sums_make(COUNT);
    const struct ky_board_results results = results_of(&s);
    const struct ky_board_request request = request_of(&spoilt, COUNT, N, c.time);
    assert_int_equal(board->verbs->finish(board, &results, &error), KY_USAGE);
    assert_int_equal(board->verbs->put(board, N, c.slot, c.body, NULL), KY_OK);
    assert_int_equal(board->verbs->start(board, &request, NULL), KY_OK);
    memset(spoilt.x, 0x7f, COUNT * sizeof *spoilt.x);
    memset(spoilt.v, 0x7f, COUNT * sizeof *spoilt.v);
    memset(spoilt.h2, 0x7f, COUNT * sizeof *spoilt.h2);
    memset(spoilt.label, 0x7f, COUNT * sizeof *spoilt.label);
    assert_int_equal(board->verbs->finish(board, &results, NULL), KY_OK);
    check(&s, &sinks, c.at, c.slot, N, KY_EXTENDED);
    assert_int_equal(board->verbs->finish(board, &results, &error), KY_USAGE);
    assert_int_equal(board->verbs->start(board, &request, NULL), KY_OK);
    assert_int_equal(board->verbs->finish(board, NULL, NULL), KY_OK);
    board->verbs->close(board);
    cloud_free_moving(&c);
    sinks_free(&sinks);
    sinks_free(&spoilt);
    sums_free(&s);
}

static void threads_leave_no_trace(void **state)
{
    (void)state;
    enum { N = 20000, COUNT = 100 };
    struct cloud c = cloud_make_moving(N, 0.5, 3);
    struct sinks sinks = sinks_make(&c, COUNT, 0.01);
    struct sums s[2] = {sums_make(COUNT), sums_make(COUNT)};
    for (int k = 0; k < 2; k++) {
        struct ky_board *board = open_board(KY_EXTENDED, k ? 1 : 7);
        assert_int_equal(board->verbs->put(board, N, c.slot, c.body, NULL), KY_OK);
        force(board, &sinks, &s[k], N, c.time);
        board->verbs->close(board);
    }
    assert_memory_equal(s[0].a, s[1].a, COUNT * sizeof *s[0].a);
    assert_memory_equal(s[0].j, s[1].j, COUNT * sizeof *s[0].j);
    assert_memory_equal(s[0].p, s[1].p, COUNT * sizeof *s[0].p);
    assert_memory_equal(s[0].found, s[1].found, COUNT * sizeof *s[0].found);
    for (size_t i = 0; i < COUNT; i++) { /* lists may be anywhere in the array */
        const size_t entries = s[0].found[i] < CAPACITY ? s[0].found[i] : CAPACITY;
        assert_memory_equal(s[0].list + s[0].begin[i], s[1].list + s[1].begin[i],
                            entries * sizeof *s[0].list);
    }
    check(&s[0], &sinks, c.at, c.slot, N, KY_EXTENDED);
    cloud_free_moving(&c);
    sinks_free(&sinks);
    sums_free(&s[0]);
    sums_free(&s[1]);
}

static void same_bits(const struct sums *whole, size_t first, const struct sums *part)
{
    assert_memory_equal(whole->a + first, part->a, part->count * sizeof *part->a);
    assert_memory_equal(whole->j + first, part->j, part->count * sizeof *part->j);
    assert_memory_equal(whole->p + first, part->p, part->count * sizeof *part->p);
    assert_memory_equal(whole->r2 + first, part->r2, part->count * sizeof *part->r2);
    assert_memory_equal(whole->nearest + first, part->nearest, part->count * sizeof(int32_t));
}

/* On the CPU forces have the same bits with other sinks in the same call, and with other bodies on
 * the board before. Devices divide the sources by the number of sinks, so that their bits
 * differ. */
static void bits_follow_from_the_bodies(void **state)
{
    (void)state;
    if (strcmp(name, "cpu") != 0)
        return;
    enum { N = 9000, COUNT = 2200 };
    static const size_t parts[][2] = {{0, 1}, {1, 2}, {37, 65}, {2135, 65}, {2199, 1}};
    struct cloud c = cloud_make_moving(N, 0.5, 3), other = cloud_make_moving(N, 0.5, 4);
    struct sinks sinks = sinks_make(&c, COUNT, 0.01);
    struct sums whole = sums_make(COUNT), again = sums_make(COUNT);
    for (int precision = KY_EXTENDED; precision <= KY_DOUBLE; precision++) {
        struct ky_board *board = open_board(precision, 2);
        assert_int_equal(board->verbs->put(board, N, c.slot, c.body, NULL), KY_OK);
        force(board, &sinks, &whole, N, c.time);
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
            const size_t at = parts[k][0];
            struct sinks some = {sinks.x + at, sinks.v + at, sinks.h2 + at, sinks.label + at, NULL};
            struct sums part = sums_make(parts[k][1]);
            force(board, &some, &part, N, c.time);
            same_bits(&whole, at, &part);
            sums_free(&part);
        }
        board->verbs->close(board);
        board = open_board(precision, 2);
        assert_int_equal(board->verbs->put(board, N, other.slot, other.body, NULL), KY_OK);
        force(board, &sinks, &again, N, 0.25);
        assert_int_equal(board->verbs->put(board, N / 5, c.slot, c.body, NULL), KY_OK);
        force(board, &sinks, &again, N, 0.3);
        assert_int_equal(board->verbs->put(board, N - N / 5, c.slot + N / 5, c.body + N / 5, NULL),
                         KY_OK);
        force(board, &sinks, &again, N, c.time);
        same_bits(&whole, 0, &again);
        board->verbs->close(board);
    }
    cloud_free_moving(&c);
    cloud_free_moving(&other);
    sinks_free(&sinks);
    sums_free(&whole);
    sums_free(&again);
}

/* Moves the cloud on for a time, without accelerations. */
static void drift(struct cloud *c, double time)
{
    for (size_t i = 0; i < c->n; i++)
        for (int d = 0; d < 3; d++)
            c->at[i].x[d] += c->at[i].v[d] * time;
    c->time += time;
}

/* A system far from the origin that moves as a whole loses no digits. */
static void far_and_fast(void **state)
{
    (void)state;
    enum { N = 500, COUNT = 64 };
    struct ky_board *board = open_board(KY_EXTENDED, 2);
    struct cloud c = cloud_make_moving(N, 0.5, 3);
    for (size_t i = 0; i < N; i++) {
        c.body[i].time = c.time;
        c.at[i] = (struct moving_body){.mass = c.body[i].mass, .label = c.body[i].label};
        for (int d = 0; d < 3; d++) {
            c.at[i].x[d] = c.body[i].x[d] += 1000;
            c.at[i].v[d] = c.body[i].v[d] += 200;
            c.body[i].a2[d] = c.body[i].j6[d] = c.body[i].s18[d] = 0;
        }
    }
    struct sinks sinks = sinks_make(&c, COUNT, 0.05);
    struct sums s = sums_make(COUNT);
    assert_int_equal(board->verbs->put(board, N, c.slot, c.body, NULL), KY_OK);
    force(board, &sinks, &s, N, c.time);
    check(&s, &sinks, c.at, c.slot, N, KY_EXTENDED);
    sinks_free(&sinks);
    drift(&c, 10);
    sinks = sinks_make(&c, COUNT, 0.05);
    force(board, &sinks, &s, N, c.time); /* with nothing sent in between */
    check(&s, &sinks, c.at, c.slot, N, KY_EXTENDED);
    board->verbs->close(board);
    cloud_free_moving(&c);
    sinks_free(&sinks);
    sums_free(&s);
}

/* With few bodies the roundings of single sums are seen. */
static void few_bodies(void **state)
{
    (void)state;
    enum { N = 256 };
    struct ky_board *board = open_board(KY_EXTENDED, 1);
    struct cloud c = cloud_make_moving(N, 0.5, 8);
    struct sinks sinks = sinks_make(&c, N, 0);
    struct sums s = sums_make(N);
    double sum = 0;
    assert_int_equal(board->verbs->put(board, N, c.slot, c.body, NULL), KY_OK);
    force(board, &sinks, &s, N, c.time);
    for (size_t i = 0; i < N; i++) {
        const struct moving_sums e = moving_sum(c.at, N, &sinks.as[i], 1e-4, 0, 0);
        sum += pow(moving_error(s.a[i], e.a), 2);
    }
    printf("# errors of 256 bodies on each other: %.1e\n", sqrt(sum / N));
    assert_true(sqrt(sum / N) < (strcmp(name, "cpu") == 0 ? 7.5e-8 : 1.2e-7));
    board->verbs->close(board);
    cloud_free_moving(&c);
    sinks_free(&sinks);
    sums_free(&s);
}

/* ---- the engines ---- */

static struct ky_error why;

/* A device that is usable has a board. */
static void is_not_here(void **state)
{
    (void)state;
    struct ky_device device = {0};
    printf("# no board of engine %s: %s\n", name, why.text);
    for (size_t k = 0; ky_device_get(k, &device) == KY_OK; k++)
        if (device.usable && ky_engine_is_named(device.engine, name))
            fail_msg("%s is usable: %s", device.engine, device.name);
    skip();
}

int main(void)
{
#define NAME(own, name, ...) #name,
    static const char *const names[] = {KY_DRIVERS(NAME, ) "cpu"};
    const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_nested_loops),
                                       cmocka_unit_test(slots_come_and_go),
                                       cmocka_unit_test(start_copies),
                                       cmocka_unit_test(threads_leave_no_trace),
                                       cmocka_unit_test(bits_follow_from_the_bodies),
                                       cmocka_unit_test(far_and_fast),
                                       cmocka_unit_test(few_bodies)};
    const struct CMUnitTest none[] = {cmocka_unit_test(is_not_here)};
    int failed = 0;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        struct ky_board *board;
        name = names[k];
        const enum ky_status status = try_board(KY_EXTENDED, 1, &board, &why);
        if (status == KY_OK)
            board->verbs->close(board);
        failed += status == KY_OK ? cmocka_run_group_tests_name(name, tests, NULL, NULL)
                                  : cmocka_run_group_tests_name(name, none, NULL, NULL);
    }
    return failed;
}
