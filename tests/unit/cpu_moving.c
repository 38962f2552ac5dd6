/* Sums with jerks on the CPU: every instruction set and precision against two nested loops, awkward
 * sizes, labels, softenings, coincident and massless bodies, nearest bodies and lists. */
#include "test.h"

#include "base/split.h"
#include "engine/cpu/cpu.h"
#include "moving_bodies.h"

enum { MOST = 300, CAPACITY = 40 };

struct case_ {
    struct moving_body body[MOST];
    size_t n;
    int precision, own_eps, what;
    double eps2, h2;
};

/* The columns of both precisions. */
static struct {
    float x[3][MOST], low[3][MOST], v[3][MOST], mass[MOST], eps2[MOST];
    int32_t label[MOST];
    double X[3][MOST], V[3][MOST], M[MOST], E[MOST];
    int64_t L[MOST];
} column;

static struct ky_moving columns(const struct case_ *t, double scale)
{
    for (size_t i = 0; i < t->n; i++) {
        const struct moving_body *b = &t->body[i];
        for (int c = 0; c < 3; c++) {
            column.X[c][i] = b->x[c], column.x[c][i] = (float)b->x[c];
            column.low[c][i] = ky_low_part(b->x[c]);
            column.V[c][i] = b->v[c], column.v[c][i] = (float)b->v[c];
        }
        column.M[i] = b->mass, column.mass[i] = (float)(b->mass / scale);
        column.E[i] = b->eps2, column.eps2[i] = (float)b->eps2;
        column.L[i] = b->label, column.label[i] = b->label;
    }
    if (t->precision == KY_DOUBLE)
        return (struct ky_moving){{column.X[0], column.X[1], column.X[2]},
                                  {column.V[0], column.V[1], column.V[2]},
                                  column.M,
                                  {NULL, NULL, NULL},
                                  t->own_eps ? column.E : NULL,
                                  column.L,
                                  t->what};
    return (struct ky_moving){{column.x[0], column.x[1], column.x[2]},
                              {column.v[0], column.v[1], column.v[2]},
                              column.mass,
                              {column.low[0], column.low[1], column.low[2]},
                              t->own_eps ? column.eps2 : NULL,
                              column.label,
                              t->what};
}

static void load(struct ky_moving_sinks *sinks, const struct case_ *t, const struct moving_body *b,
                 size_t count)
{
    static uint32_t list[KY_MOVING_BLOCK * CAPACITY];
    sinks->count = count;
    sinks->capacity = CAPACITY;
    sinks->list = list;
    for (size_t k = 0; k < count; k++) {
        for (int c = 0; c < 3; c++)
            sinks->x[c][k] = b[k].x[c], sinks->v[c][k] = b[k].v[c];
        sinks->eps2[k] = t->own_eps ? b[k].eps2 : t->eps2;
        sinks->label[k] = b[k].label;
        sinks->h2[k] = t->h2;
    }
}

static void check_list(const struct case_ *t, const struct ky_moving_sinks *s, size_t k,
                       const struct moving_body *sink, size_t within)
{
    assert_int_equal(s->found[k], within);
    const size_t stored = within < CAPACITY ? within : CAPACITY;
    for (size_t e = 0, before = 0; e < stored; e++) {
        const size_t j = s->list[k * CAPACITY + e];
        double r2 = 0;
        for (int c = 0; c < 3; c++)
            r2 += pow(t->body[j].x[c] - sink->x[c], 2);
        assert_true(r2 <= t->h2 * (1 + 1e-6) && t->body[j].label != sink->label);
        assert_true(e == 0 || j > before);
        before = j;
    }
}

/* All of a block's sinks against the nested loops. */
static void check(const struct case_ *t, const struct ky_moving_sinks *s,
                  const struct moving_body *sink)
{
    const double bound = t->precision == KY_DOUBLE ? 1e-13 : 1e-6;
    for (size_t k = 0; k < s->count; k++) {
        struct moving_sums e = moving_sum(t->body, t->n, &sink[k],
                                          t->own_eps ? sink[k].eps2 : t->eps2, t->own_eps, t->h2);
        const double a[3] = {s->sum[0][k], s->sum[1][k], s->sum[2][k]},
                     j[3] = {s->sum[4][k], s->sum[5][k], s->sum[6][k]};
        assert_true(moving_error(a, e.a) < bound);
        assert_true(fabs(s->sum[3][k] + e.potential) <= bound * (1 - e.potential));
        if (t->what & KY_MOVING_JERK)
            assert_true(moving_error(j, e.j) < 100 * bound);
        if (t->what & KY_MOVING_NEAREST) {
            assert_int_equal(s->nearest[k], isinf(e.nearest2) ? UINT32_MAX : e.nearest);
            assert_true(s->nearest2[k] == e.nearest2 ||
                        fabs(s->nearest2[k] / e.nearest2 - 1) < bound);
        }
        if (t->what & KY_MOVING_LISTS)
            check_list(t, s, k, &sink[k], e.within);
    }
}

/* The bodies as sinks, in blocks of an awkward size. */
static void run(const struct case_ *t, const struct ky_lanes *lanes, size_t block)
{
    struct ky_moving moving = columns(t, t->precision == KY_DOUBLE ? 1.0 : lanes->single_scale);
    static struct ky_moving_sinks sinks;
    for (size_t first = 0; first < t->n || first == 0; first += block) {
        struct moving_body alone = {.label = -1};
        size_t count = t->n - first < block ? t->n - first : block;
        const struct moving_body *sink = count ? t->body + first : &alone;
        load(&sinks, t, sink, count ? count : 1);
        lanes->moving[t->precision](&moving, 0, t->n, &sinks);
        check(t, &sinks, sink);
    }
}

static void fill(struct case_ *t, size_t n)
{
    uint64_t state = 7;
    t->n = n;
    for (size_t i = 0; i < n; i++)
        t->body[i] = moving_body(&state, n, i);
    if (n < 15)
        return;
    t->body[3].mass = 0;                 /* may be a neighbour all the same */
    t->body[9].label = t->body[4].label; /* two with one label do not see each other */
    t->body[12].label = INT32_MIN;       /* labels may be any number */
    t->body[13].label = (1 << 24) + 1;   /* that no float holds */
    t->body[14].label = 1 << 24;
}

static void agrees_with_nested_loops(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 15, 16, 17, 63, 64, 65, 127, 128, 129, 300};
    static struct case_ t;
    int tried = 0;
    for (int isa = KY_ISA_PLAIN; isa <= KY_ISA_NEON; isa++) {
        const struct ky_lanes *lanes;
        const char *name;
        if (ky_cpu_lanes(isa, &lanes, &name, NULL) != KY_OK)
            continue;
        for (int which = 0; which < 13 * 2 * 8 * 3; which++) {
            fill(&t, sizes[which % 13]);
            t.precision = which / 13 % 2 ? KY_DOUBLE : KY_EXTENDED;
            t.what = which / 26 % 8;
            t.own_eps = which / 208 == 2;
            t.eps2 = which / 208 ? 1e-3 : 0;
            t.h2 = which % 3 ? 0.1 : -1;
            run(&t, lanes, which % 2 ? 64 : 17);
        }
        tried++;
    }
    assert_true(tried >= 1);
}

/* Of equal distances the first source; coincident bodies without softening exert nothing, and are
 * neighbours at 0. */
static void ties_and_coincidence(void **state)
{
    (void)state;
    static struct case_ t;
    const struct ky_lanes *lanes;
    const char *name;
    static struct ky_moving_sinks sinks;
    assert_int_equal(ky_cpu_lanes(KY_ISA_AUTO, &lanes, &name, NULL), KY_OK);
    for (t.precision = KY_EXTENDED; t.precision <= KY_DOUBLE; t.precision++) {
        fill(&t, 40);
        t.what = KY_MOVING_JERK | KY_MOVING_NEAREST | KY_MOVING_LISTS;
        t.h2 = 0;
        for (int k = 20; k < 24; k++)
            memcpy(t.body[k].x, t.body[2].x, sizeof t.body[2].x);
        struct ky_moving moving = columns(&t, t.precision == KY_DOUBLE ? 1.0 : lanes->single_scale);
        load(&sinks, &t, t.body, 40);
        lanes->moving[t.precision](&moving, 0, t.n, &sinks);
        check(&t, &sinks, t.body);
        assert_int_equal(sinks.nearest[2], 20);
        assert_int_equal(sinks.nearest[23], 2);
        assert_int_equal(sinks.found[22], 4);
    }
}

/* A range of the sources counts as those alone. */
static void takes_a_range(void **state)
{
    (void)state;
    static struct case_ t, part;
    const struct ky_lanes *lanes;
    const char *name;
    static struct ky_moving_sinks sinks;
    assert_int_equal(ky_cpu_lanes(KY_ISA_AUTO, &lanes, &name, NULL), KY_OK);
    fill(&t, 200);
    t.precision = KY_DOUBLE;
    t.what = KY_MOVING_JERK;
    part = t;
    part.n = 190 - 33;
    memmove(part.body, t.body + 33, part.n * sizeof *part.body);
    struct ky_moving moving = columns(&t, 1);
    load(&sinks, &t, t.body, 20);
    lanes->moving[KY_DOUBLE](&moving, 33, 190, &sinks);
    check(&part, &sinks, t.body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_nested_loops),
                                       cmocka_unit_test(ties_and_coincidence),
                                       cmocka_unit_test(takes_a_range)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
