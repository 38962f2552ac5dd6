/* Boards of every engine and device that opens: forces, nearest bodies and lists against a sum in
 * double over all pairs, predictions, empty slots, labels, errors. */
#include "test.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drivers.h"
#include "engines.h"
#include "guard.h"
#include "kernels.h"

#include "engine/board.h"

enum { PRECISIONS = 2 };
static const int precisions[PRECISIONS] = {KY_EXTENDED, KY_DOUBLE};

static const struct ky_board_verbs *verbs_of(int engine)
{
#define BOARD_IF_NAMED(name)                                                                       \
    if (ky_engine_is_named(engines[engine].engine, #name))                                         \
        return &ky_##name##_board;
    KY_DRIVERS_HERE(BOARD_IF_NAMED)
    return NULL;
}

static struct ky_board *open_board(int engine, int precision)
{
    struct ky_error error = {0};
    struct ky_parameters parameters;
    struct ky_board *board = NULL;
    ky_parameters_defaults(&parameters);
    parameters.engine = engines[engine].engine;
    parameters.precision = precision;
    assert_ok(verbs_of(engine)->open(&parameters, &board, &error));
    return board;
}

/* ---- bodies, sinks and results ---- */

static uint64_t seed;

/* A random number from −1 to 1. */
static double some(void)
{
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    return (double)(int64_t)(seed >> 11) / (double)((uint64_t)1 << 52) - 1;
}

/* A random position; positions are dense in the middle. */
static void some_place(double x[3])
{
    double r = 0.02 + pow(some(), 2);
    for (int c = 0; c < 3; c++)
        x[c] = r * some();
}

struct system {
    size_t slots, sinks, capacity;
    struct ky_board_body *body;
    uint32_t *slot;
    struct ky_board_request request;
    int32_t *label;
    double (*x)[3], (*v)[3], *h2;
    struct ky_board_results results;
};

static void *room(size_t count, size_t size)
{
    void *memory = malloc((count + 1) * size);
    memset(memory, 0x5b, (count + 1) * size);
    return memory;
}

/* Makes bodies with the labels `label`, `label` + 1, …, and sinks, most of which are bodies. */
static struct system system_make(size_t slots, size_t sinks, int32_t label, double eps2)
{
    struct system s = {.slots = slots, .sinks = sinks, .capacity = 40};
    seed = 12345 + slots * 1000 + sinks;
    s.body = calloc(slots + 1, sizeof *s.body);
    s.slot = calloc(slots + 1, sizeof *s.slot);
    for (size_t j = 0; j < slots; j++) {
        struct ky_board_body *body = &s.body[j];
        *body =
            (struct ky_board_body){.time = 1 + some() / 64, .mass = (1 + some()) / (double)slots};
        some_place(body->x);
        for (int c = 0; c < 3; c++) {
            body->v[c] = some() + 20;
            body->a2[c] = some() / 10;
            body->j6[c] = 5 * some();
            body->s18[c] = 100 * some();
        }
        body->label = (int32_t)((uint32_t)label + (uint32_t)j);
        body->set = 1;
        s.slot[j] = (uint32_t)j;
    }
    s.label = room(sinks, sizeof *s.label);
    s.x = room(sinks, sizeof *s.x);
    s.v = room(sinks, sizeof *s.v);
    s.h2 = room(sinks, sizeof *s.h2);
    for (size_t i = 0; i < sinks; i++) {
        const struct ky_board_body *body = &s.body[slots ? i * 7 % slots : 0];
        memcpy(s.x[i], body->x, sizeof s.x[i]);
        for (int c = 0; c < 3; c++)
            s.v[i][c] = some() + 20;
        s.label[i] = i % 5 == 4 ? (int32_t)((uint32_t)label - 1 - (uint32_t)i) : body->label;
        if (i % 5 == 4)
            some_place(s.x[i]);
        s.h2[i] = pow(fabs(some()), 4);
    }
    s.request = (struct ky_board_request){1.125,
                                          slots,
                                          sinks,
                                          KY_BOARD_JERK | KY_BOARD_NEAREST,
                                          eps2,
                                          s.label,
                                          (const double(*)[3])s.x,
                                          (const double(*)[3])s.v,
                                          s.h2,
                                          s.capacity};
    s.results.acceleration = room(sinks, sizeof *s.results.acceleration);
    s.results.jerk = room(sinks, sizeof *s.results.jerk);
    s.results.potential = room(sinks, sizeof *s.results.potential);
    s.results.nearest = room(sinks, sizeof *s.results.nearest);
    s.results.nearest_slot = room(sinks, sizeof *s.results.nearest_slot);
    s.results.nearest_r2 = room(sinks, sizeof *s.results.nearest_r2);
    s.results.found = room(sinks, sizeof *s.results.found);
    s.results.begin = room(sinks, sizeof *s.results.begin);
    s.results.list = room(sinks * s.capacity, sizeof *s.results.list);
    return s;
}

static void system_free(struct system *s)
{
    void *const all[] = {s->body,
                         s->slot,
                         s->label,
                         s->x,
                         s->v,
                         s->h2,
                         s->results.acceleration,
                         s->results.jerk,
                         s->results.potential,
                         s->results.nearest,
                         s->results.nearest_slot,
                         s->results.nearest_r2,
                         s->results.found,
                         s->results.begin,
                         s->results.list};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
}

/* ---- the sum over all pairs ---- */

/* Predicts a body at the time, by the series itself. */
static void predict(const struct ky_board_body *body, double time, double x[3], double v[3])
{
    double t = time - body->time;
    for (int c = 0; c < 3; c++) {
        double a = 2 * body->a2[c], j = 6 * body->j6[c], snap = 18 * body->s18[c];
        x[c] = body->x[c] + body->v[c] * t + a * t * t / 2 + j * t * t * t / 6 +
               snap * t * t * t * t / 24;
        v[c] = body->v[c] + a * t + j * t * t / 2 + snap * t * t * t / 6;
    }
}

struct exact {
    double a[3], j[3], p;          /* p: negative */
    double size_a, size_j, size_p; /* sums of absolute values */
    double r2;                     /* of the nearest body */
    uint32_t slot;
};

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static struct exact sum_pairs(const struct system *s, const double (*x)[3], const double (*v)[3],
                              size_t i)
{
    struct exact e = {.r2 = (double)INFINITY, .slot = UINT32_MAX};
    for (size_t j = 0; j < s->slots; j++) {
        double r[3], w[3];
        if (!s->body[j].set || s->body[j].label == s->label[i])
            continue;
        for (int c = 0; c < 3; c++) {
            r[c] = x[j][c] - s->x[i][c];
            w[c] = v[j][c] - s->v[i][c];
        }
        double r2 = dot(r, r), s2 = r2 + s->request.eps2, m = s->body[j].mass;
        if (r2 < e.r2)
            e.r2 = r2, e.slot = (uint32_t)j;
        if (s2 == 0)
            continue;
        double s3 = s2 * sqrt(s2), rw = dot(r, w);
        for (int c = 0; c < 3; c++) {
            e.a[c] += m * r[c] / s3;
            e.j[c] += m * (w[c] - 3 * rw * r[c] / s2) / s3;
        }
        e.p -= m / sqrt(s2);
        e.size_p += m / sqrt(s2);
        e.size_a += m * sqrt(r2) / s3;
        e.size_j += 4 * m * (sqrt(dot(w, w)) + 1) / s3;
    }
    return e;
}

/* Predicts the bodies of all slots. */
static void predict_all(const struct system *s, double (*x)[3], double (*v)[3])
{
    for (size_t j = 0; j < s->slots; j++)
        predict(&s->body[j], s->request.time, x[j], v[j]);
}

static double apart(const double a[3], const double b[3])
{
    double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    return sqrt(dot(d, d));
}

/* The relative uncertainty of sums of absolute values, and of squared distances. */
static double slack(int precision)
{
    return precision == KY_DOUBLE ? 1e-13 : 5e-7;
}

/* The squared distance of a sink and the predicted body in a slot. */
static double distance2(const struct system *s, const double (*x)[3], size_t i, size_t j)
{
    double d = apart(x[j], s->x[i]);
    return d * d;
}

static void check_nearest(const struct system *s, const double (*x)[3], size_t i,
                          const struct exact *e, double open)
{
    const struct ky_board_results *is = &s->results;
    if (e->slot == UINT32_MAX) {
        assert_int_equal(is->nearest[i], -1);
        assert_true(is->nearest_slot[i] == UINT32_MAX && is->nearest_r2[i] == (double)INFINITY);
        return;
    }
    uint32_t slot = is->nearest_slot[i];
    assert_true(slot < s->slots && s->body[slot].set && s->body[slot].label != s->label[i]);
    assert_int_equal(is->nearest[i], s->body[slot].label);
    assert_between(is->nearest_r2[i], e->r2 * (1 - open) - 1e-24, e->r2 * (1 + open) + 1e-24);
    if (slot != e->slot)
        assert_true(distance2(s, x, i, slot) <= e->r2 * (1 + 2 * open));
}

/* Fails unless the list has the labels of the bodies within h², ascending; a full list has those in
 * the lowest slots. */
static void check_list(const struct system *s, const double (*x)[3], size_t i, double open)
{
    const uint32_t found = s->results.found[i];
    const int32_t *list = s->results.list + s->results.begin[i];
    const size_t entries = found < s->request.capacity ? found : s->request.capacity;
    size_t least = 0, most = 0, listed = 0;
    for (size_t j = 0; j < s->slots; j++) {
        if (!s->body[j].set || s->body[j].label == s->label[i])
            continue;
        double r2 = distance2(s, x, i, j), h2 = s->h2[i] > 0 ? s->h2[i] : -1;
        int surely = r2<h2 *(1 - open), maybe = h2> 0 && r2 <= h2 * (1 + open), here = 0;
        least += (size_t)surely;
        most += (size_t)maybe;
        for (size_t e = 0; e < entries; e++)
            here |= list[e] == s->body[j].label;
        assert_true(maybe || !here);
        if (surely && listed < entries && least <= entries)
            assert_true(here);
        listed += (size_t)here;
    }
    for (size_t e = 1; e < entries; e++)
        assert_true(list[e - 1] < list[e]);
    assert_int_equal(listed, entries);
    if (most <= s->request.capacity)
        assert_true(found >= least && found <= most);
    else
        assert_true(least <= s->request.capacity || found > s->request.capacity);
}

/* Compares every `step`-th sink with the sum over pairs. Returns the mean error of
 * accelerations. */
static double check(const struct system *s, int precision, size_t step)
{
    double(*x)[3] = room(s->slots, sizeof *x), (*v)[3] = room(s->slots, sizeof *v), mean = 0;
    const struct ky_board_results *is = &s->results;
    const double open = slack(precision);
    size_t count = 0;
    predict_all(s, x, v);
    for (size_t i = 0; i < s->sinks; i += step, count++) {
        struct exact e = sum_pairs(s, (const double(*)[3])x, (const double(*)[3])v, i);
        double size = sqrt(dot(e.a, e.a)), wrong = apart(is->acceleration[i], e.a);
        mean += size > 0 ? wrong / size : wrong;
        assert_between(wrong, 0, open * e.size_a);
        assert_between(apart(is->jerk[i], e.j), 0, open * e.size_j);
        assert_between(is->potential[i] - e.p, -open * e.size_p, open * e.size_p);
        check_nearest(s, (const double(*)[3])x, i, &e, 4 * open);
        if (s->request.what & KY_BOARD_LISTS)
            check_list(s, (const double(*)[3])x, i, 4 * open);
    }
    free(x);
    free(v);
    return count ? mean / (double)count : 0;
}

static void put_all(struct ky_board *board, const struct system *s)
{
    struct ky_error error = {0};
    assert_ok(board->verbs->put(board, s->slots, s->slot, s->body, &error));
}

static void force(struct ky_board *board, const struct system *s)
{
    struct ky_error error = {0};
    assert_ok(board->verbs->start(board, &s->request, &error));
    assert_ok(board->verbs->finish(board, &s->results, &error));
}

/* ---- tests ---- */

#define FOR_BOARDS(e, p)                                                                           \
    for (int e = 0; e < engine_count; e++)                                                         \
        for (int p = 0;                                                                            \
             p < (takes_few_kernels(engines[e].engine) ? 1 : PRECISIONS) && verbs_of(e); p++)

static void one_size(int e, int p, size_t slots, size_t sinks)
{
    static const int32_t labels[] = {0, 1000, INT32_MAX - 60, INT32_MIN, -30};
    static const double eps2s[] = {0, 1e-6, 0.01};
    struct system s =
        system_make(slots, sinks, labels[(slots + sinks) % 5], eps2s[(slots + sinks / 2) % 3]);
    struct ky_board *board = open_board(e, precisions[p]);
    put_all(board, &s);
    for (int lists = 0; lists < 2; lists++) {
        s.request.what |= lists ? KY_BOARD_LISTS : 0;
        force(board, &s);
        double mean = check(&s, precisions[p], sinks * slots > 1000000 ? 7 : 1);
        assert_true(mean < (precisions[p] == KY_DOUBLE ? 1e-13 : 2e-7) || slots < 1000);
    }
    board->verbs->close(board);
    system_free(&s);
}

static void forces_are_those_of_all_pairs(void **state)
{
    (void)state;
    need_a_device();
    static const size_t slots[] = {0, 1, 2, 31, 127, 128, 129, 1000},
                        sinks[] = {0, 1, 2, 47, 48, 49, 64, 65, 128, 129, 255, 256, 257, 1000};
    FOR_BOARDS(e, p)
    for (size_t a = 0; a < sizeof slots / sizeof *slots; a++)
        for (size_t b = 0; b < sizeof sinks / sizeof *sinks; b++)
            if (test_everything() || (a + b) % 3 == 0 || slots[a] < 3)
                one_size(e, p, slots[a], sinks[b]);
}

static void many_slots(void **state)
{
    (void)state;
    need_a_device();
    FOR_BOARDS(e, p)
    {
        one_size(e, p, 100003, 49);
        if (!is_slow(e))
            one_size(e, p, 100003, 1000);
    }
}

/* Slots that were never put or were put as empty; forces of more slots than there are, and of
 * fewer; memory that grows in any order. */
static void empty_slots(void **state)
{
    (void)state;
    need_a_device();
    FOR_BOARDS(e, p)
    {
        struct ky_error error = {0};
        struct system s = system_make(5000, 100, 1, 0);
        struct ky_board *board = open_board(e, precisions[p]);
        static const size_t order[] = {4500, 7, 3000, 2999};
        for (size_t j = 0; j < s.slots; j++)
            s.body[j].set = 0;
        for (size_t k = 0; k < 4; k++) {
            s.body[order[k]].set = 1;
            assert_ok(board->verbs->put(board, 1, &s.slot[order[k]], &s.body[order[k]], &error));
            s.request.what ^= KY_BOARD_LISTS;
            force(board, &s);
            check(&s, precisions[p], 1);
        }
        s.request.slots = 100000; /* there are 4,501 */
        force(board, &s);
        check(&s, precisions[p], 1);
        s.request.slots = s.slots = 8; /* the others do not act */
        force(board, &s);
        check(&s, precisions[p], 1);
        s.body[7].set = 0;
        assert_ok(board->verbs->put(board, 1, &s.slot[7], &s.body[7], &error));
        force(board, &s);
        check(&s, precisions[p], 1);
        assert_true(s.results.potential[3] == 0 && s.results.nearest[3] == -1);
        board->verbs->close(board);
        system_free(&s);
    }
}

/* The same force again, at another time, and after a body has changed. Few sinks have a kernel that
 * predicts by itself, many do not. Moving bodies are put together, in ascending slots. */
static void predictions(void **state)
{
    (void)state;
    need_a_device();
    FOR_BOARDS(e, p)
    for (size_t sinks = 50; sinks <= 600; sinks += 550) {
        struct system s = system_make(300, sinks, 1, 1e-4);
        struct ky_board *board = open_board(e, precisions[p]);
        struct ky_error error = {0};
        put_all(board, &s);
        for (int turn = 0; turn < 6; turn++) {
            const uint32_t moved[] = {3, 200, 299};
            struct ky_board_body bodies[3];
            for (int k = 0; k < 3; k++) {
                s.body[moved[k]].x[0] += turn % 2 ? 0.25 : 0;
                bodies[k] = s.body[moved[k]];
            }
            if (turn % 2)
                assert_ok(board->verbs->put(board, 3, moved, bodies, &error));
            s.request.time += turn == 2 || turn == 5 ? -0.03125 : 0;
            force(board, &s);
            check(&s, precisions[p], 1);
        }
        board->verbs->close(board);
        system_free(&s);
    }
}

/* Coincident bodies with and without a softening, and bodies without mass. */
static void coincident_bodies(void **state)
{
    (void)state;
    need_a_device();
    static const double eps2s[] = {0, 1e-30, 0.04};
    FOR_BOARDS(e, p)
    for (int k = 0; k < 3; k++) {
        struct system s = system_make(40, 70, 1, eps2s[k]);
        for (size_t j = 0; j < s.slots; j++) {
            struct ky_board_body still = {.mass = j % 3 ? 1 : 0, .set = 1};
            memcpy(still.x, s.body[j / 4].x, sizeof still.x);
            still.label = s.body[j].label;
            s.body[j] = still;
        }
        for (size_t i = 0; i < s.sinks; i++)
            memcpy(s.x[i], s.body[i % s.slots].x, sizeof s.x[i]);
        struct ky_board *board = open_board(e, precisions[p]);
        put_all(board, &s);
        for (int lists = 0; lists < 2; lists++) {
            s.request.what |= lists ? KY_BOARD_LISTS : 0;
            force(board, &s);
            for (size_t i = 0; i < s.sinks; i++)
                assert_true(isfinite(s.results.potential[i]) && s.results.nearest_r2[i] == 0);
            if (eps2s[k] != 1e-30) /* with 1e-30 only finiteness is known */
                check(&s, precisions[p], 1);
        }
        board->verbs->close(board);
        system_free(&s);
    }
}

/* Of bodies at equal distances, at the corners of a lattice, the lowest slot is the nearest. */
static void nearest_of_equals(void **state)
{
    (void)state;
    need_a_device();
    FOR_BOARDS(e, p)
    {
        struct system s = system_make(1000, 300, 7, 0.01);
        for (size_t j = 0; j < s.slots; j++) {
            struct ky_board_body still = {.mass = 1, .label = s.body[j].label, .set = 1};
            for (size_t c = 0, rest = j * 389 % 1000; c < 3; c++, rest /= 10)
                still.x[c] = (double)(rest % 10) / 4;
            s.body[j] = still;
        }
        for (size_t i = 0; i < s.sinks; i++)
            memcpy(s.x[i], s.body[i].x, sizeof s.x[i]), s.label[i] = s.body[i].label;
        struct ky_board *board = open_board(e, precisions[p]);
        put_all(board, &s);
        force(board, &s);
        for (size_t i = 0; i < s.sinks; i++) {
            size_t j = 0;
            while (s.body[j].label == s.label[i] || apart(s.body[j].x, s.x[i]) != 0.25)
                j++;
            assert_int_equal(s.results.nearest_slot[i], j);
            assert_int_equal(s.results.nearest[i], s.body[j].label);
            assert_true(s.results.nearest_r2[i] == 0.0625);
        }
        board->verbs->close(board);
        system_free(&s);
    }
}

/* A radius of 0 and one that holds all bodies; lists of one body, and lists too long to be sorted
 * in local memory. */
static void lists_of_any_length(void **state)
{
    (void)state;
    need_a_device();
    static const size_t capacities[] = {1, 3, 39, 40, 1500, 5000};
    FOR_BOARDS(e, p)
    for (size_t k = 0; k < 6; k++) {
        struct system s = system_make(1700, 70, -800, 0.01);
        struct ky_board *board = open_board(e, precisions[p]);
        s.request.what = KY_BOARD_JERK | KY_BOARD_LISTS;
        s.request.capacity = capacities[k];
        free(s.results.list);
        s.results.list = room(s.sinks * capacities[k], sizeof *s.results.list);
        for (size_t i = 0; i < s.sinks; i++)
            s.h2[i] = i % 4 == 0 ? 0 : i % 4 == 1 ? 1e300 : i % 4 == 2 ? -1e300 : s.h2[i];
        put_all(board, &s);
        force(board, &s);
        check(&s, precisions[p], 1);
        assert_int_equal(s.results.list[s.sinks * capacities[k]], 0x5b5b5b5b);
        board->verbs->close(board);
        system_free(&s);
    }
}

/* A force has the same bits again, whatever was computed in between, also calls whose results
 * nobody took. */
static void bits_are_kept(void **state)
{
    (void)state;
    need_a_device();
    FOR_BOARDS(e, p)
    {
        struct ky_error error = {0};
        struct system s = system_make(3000, 100, 0, 0), first = system_make(3000, 100, 0, 0);
        const struct ky_board_results none = {0};
        struct ky_board *board = open_board(e, precisions[p]);
        put_all(board, &s);
        force(board, &first);
        s.request.count = 3;
        force(board, &s);
        s.request.count = 100;
        assert_ok(board->verbs->start(board, &s.request, &error));
        assert_ok(board->verbs->finish(board, NULL, &error));
        assert_ok(board->verbs->start(board, &s.request, &error));
        assert_ok(board->verbs->finish(board, &none, &error));
        force(board, &s);
        assert_memory_equal(s.results.acceleration, first.results.acceleration, 100 * 24);
        assert_memory_equal(s.results.jerk, first.results.jerk, 100 * 24);
        assert_memory_equal(s.results.potential, first.results.potential, 100 * 8);
        assert_memory_equal(s.results.nearest, first.results.nearest, 100 * 4);
        assert_int_equal(board->verbs->finish(board, &s.results, &error), KY_USAGE);
        board->verbs->close(board);
        system_free(&s);
        system_free(&first);
    }
}

/* ---- errors ---- */

static enum ky_status try_all(int e, int precision, const struct system *s)
{
    struct ky_error error = {0};
    struct ky_parameters parameters;
    struct ky_board *board = NULL;
    ky_parameters_defaults(&parameters);
    parameters.engine = engines[e].engine;
    parameters.precision = precision;
    enum ky_status status = verbs_of(e)->open(&parameters, &board, &error);
    if (!status)
        status = board->verbs->put(board, s->slots / 2, s->slot, s->body, &error);
    if (!status)
        status = board->verbs->put(board, s->slots / 2, s->slot + s->slots / 2,
                                   s->body + s->slots / 2, &error);
    if (!status)
        status = board->verbs->start(board, &s->request, &error);
    if (!status)
        status = board->verbs->finish(board, &s->results, &error);
    if (board)
        board->verbs->close(board);
    return status;
}

/* Every buffer is released, none is written beyond its ends, pinned memory does not change while it
 * is copied, and each allocation that fails is an error. */
static void memory_is_kept(void **state)
{
    (void)state;
    need_a_device();
    FOR_BOARDS(e, p)
    for (size_t sinks = 60; sinks <= 560; sinks += 500) {
        struct system s = system_make(3000, sinks, 0, 0);
        s.request.what |= KY_BOARD_LISTS;
        guard_begin(1);
        assert_int_equal(try_all(e, precisions[p], &s), KY_OK);
        check(&s, precisions[p], 1);
        assert_true(guard.overruns == 0 && guard.changes == 0 && guard.buffers == 0);
        guard.marks = 0;
        for (int fail = 0;; fail++) {
            guard.fail = fail;
            enum ky_status status = try_all(e, precisions[p], &s);
            assert_int_equal(guard.buffers, 0);
            if (guard.fail >= 0) {
                assert_true(fail >= 15);
                break;
            }
            assert_int_equal(status, KY_DEVICE);
        }
        guard_end();
        system_free(&s);
    }
}

/* A device that is lost while it computes. */
static struct ky_driver mortal;
static const struct ky_driver *immortal;
static int is_lost;

static enum ky_status wait_or_be_lost(struct ky_card *card, struct ky_error *error)
{
    if (is_lost)
        return ky_fail(error, KY_DEVICE, "%s: lost, as a test demands", card->name);
    return immortal->wait(card, error);
}

static enum ky_status open_mortal(size_t index, struct ky_card **card, struct ky_error *error)
{
    enum ky_status status = immortal->open(index, card, error);
    if (status == KY_OK)
        (*card)->driver = &mortal;
    return status;
}

static const struct ky_driver *make_mortal(const struct ky_driver *driver)
{
    immortal = driver;
    mortal = *driver;
    mortal.open = open_mortal;
    mortal.wait = wait_or_be_lost;
    return &mortal;
}

static void a_lost_device(void **state)
{
    (void)state;
    need_a_device();
    FOR_BOARDS(e, p)
    {
        struct ky_error error = {0};
        struct system s = system_make(300, 10, 0, 0);
        ky_device_wrap = make_mortal;
        struct ky_board *board = open_board(e, precisions[p]);
        ky_device_wrap = NULL;
        put_all(board, &s);
        assert_ok(board->verbs->start(board, &s.request, &error));
        is_lost = 1;
        assert_int_equal(board->verbs->finish(board, &s.results, &error), KY_DEVICE);
        assert_non_null(strstr(error.text, "lost"));
        is_lost = 0;
        board->verbs->close(board);
        system_free(&s);
    }
}

static void wrong_requests_are_refused(void **state)
{
    (void)state;
    need_a_device();
    for (int e = 0; e < engine_count; e++) {
        struct ky_parameters parameters;
        struct ky_error error = {0};
        struct ky_board *board = NULL;
        char name[64];
        if (!verbs_of(e))
            continue;
        ky_parameters_defaults(&parameters);
        parameters.engine = engines[e].engine;
        parameters.precision = KY_SINGLE;
        assert_int_equal(verbs_of(e)->open(&parameters, &board, &error), KY_UNSUPPORTED);
        assert_null(board);
        parameters.precision = KY_EXTENDED;
        parameters.engine = with_another(e, name, sizeof name);
        assert_int_equal(ky_board_open(&parameters, &board, &error), KY_USAGE);
        assert_null(board);
    }
}

/* For oclgrind: each kernel with few bodies, on slow devices each case in one precision. */
static void every_kernel_in_small(void **state)
{
    (void)state;
    need_a_device();
    static const struct {
        size_t slots, sinks;
        double eps2;
        int lists;
    } cases[] = {{150, 3, 0.01, 0}, {150, 70, 0, 1}, {140, 258, 0, 0}, {40, 258, 0.01, 1}};
    FOR_BOARDS(e, p)
    for (size_t k = 0; k < 4; k++) {
        if (is_slow(e) && !test_everything() && k / 2 != (size_t)p)
            continue;
        struct system s = system_make(cases[k].slots, cases[k].sinks, 5, cases[k].eps2);
        struct ky_board *board = open_board(e, precisions[p]);
        s.request.what |= cases[k].lists ? KY_BOARD_LISTS : 0;
        s.request.capacity = 10;
        put_all(board, &s);
        force(board, &s);
        check(&s, precisions[p], 1);
        board->verbs->close(board);
        system_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_in_small),
        cmocka_unit_test(forces_are_those_of_all_pairs),
        cmocka_unit_test(many_slots),
        cmocka_unit_test(empty_slots),
        cmocka_unit_test(predictions),
        cmocka_unit_test(coincident_bodies),
        cmocka_unit_test(nearest_of_equals),
        cmocka_unit_test(lists_of_any_length),
        cmocka_unit_test(bits_are_kept),
        cmocka_unit_test(memory_is_kept),
        cmocka_unit_test(a_lost_device),
        cmocka_unit_test(wrong_requests_are_refused),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
