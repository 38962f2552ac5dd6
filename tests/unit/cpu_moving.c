/* Sums with jerks on the CPU: every instruction set and precision against two nested loops, with
 * awkward sizes, labels, softenings, coincident and massless bodies, nearest bodies and lists. */
#include "test.h"

#include "base/split.h"
#include "engine/cpu/forces/moving.h"
#include "engine/cpu/state/cpu.h"
#include "moving_bodies.h"
#include "physics/change.h"
#include "physics/softening_kinds.h"

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
    ky_moving_clear(sinks);
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

/* Compares all sinks of a block with the nested loops. */
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

/* Sums for all bodies as sinks, in blocks of an awkward size. */
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
    t->body[3].mass = 0;                 /* a massless body can be a neighbour */
    t->body[9].label = t->body[4].label; /* equal labels: no force between them */
    t->body[12].label = INT32_MIN;       /* a label can be any number */
    t->body[13].label = (1 << 24) + 1;   /* a label that no float holds */
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
            t.what = which / 26 % 8 | (which % 2 ? KY_MOVING_MENDED : 0);
            t.own_eps = which / 208 == 2;
            t.eps2 = which / 208 ? 1e-3 : 0;
            t.h2 = which % 3 ? 0.1 : -1;
            run(&t, lanes, which % 2 ? 64 : 17);
        }
        tried++;
    }
    assert_true(tried >= 1);
}

/* Compares the sums for body i with scalar sums, to roundings of the largest term. */
static void check_change(const struct ky_changing *changing, size_t i,
                         const struct ky_change_sinks *sinks)
{
    const double *own = changing->body[i];
    struct ky_hermite_change sum = {0};
    struct ky_hermite_rate rate = {0};
    double size[2] = {0};
    for (size_t j = 0; j < changing->n; j++) {
        const double *b = changing->body[j];
        const double d[12] = {b[0] - own[0], b[1] - own[1], b[2] - own[2],   b[3] - own[3],
                              b[4] - own[4], b[5] - own[5], b[6] - own[6],   b[7] - own[7],
                              b[8] - own[8], b[9] - own[9], b[10] - own[10], b[11] - own[11]};
        const struct ky_hermite_motion r = {d[0], d[1], d[2], d[3], d[4],  d[5],
                                            d[6], d[7], d[8], d[9], d[10], d[11]};
        const double eps2 = own[KY_CHANGE_EPS2] + (changing->how ? b[KY_CHANGE_EPS2] : 0),
                     s2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + eps2;
        const struct ky_hermite_change before = sum;
        const double y = s2 > 0 ? 1 / sqrt(s2) : 0;
        if (j == i)
            continue;
        sum = ky_add_change(sum, r, y, b[KY_CHANGE_MASS]);
        rate = ky_hermite_rate_add(rate, y, d[3] * d[3] + d[4] * d[4] + d[5] * d[5],
                                   b[KY_CHANGE_MASS], own[KY_CHANGE_MASS]);
        size[0] = fmax(size[0], fabs(sum.sx - before.sx) + fabs(sum.sy - before.sy));
        size[1] = fmax(size[1], fabs(sum.cx - before.cx) + fabs(sum.cy - before.cy));
    }
    const double right[6] = {sum.sx, sum.sy, sum.sz, sum.cx, sum.cy, sum.cz};
    for (int c = 0; c < 6; c++)
        assert_between(fabs(sinks->sum[c][i - sinks->first] - right[c]), 0, 1e-12 * size[c / 3]);
    assert_between(fabs(sinks->sum[6][i - sinks->first] - rate.tides), 0, 1e-12 * rate.tides);
    assert_between(fabs(sinks->sum[7][i - sinks->first] - rate.motion), 0, 1e-12 * rate.motion);
}

/* Of sources at equal distances the first is the nearest. Coincident bodies without softening exert
 * no force, and are neighbours at the distance 0. */
static void ties_and_coincident_bodies(void **state)
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

/* Second and third derivatives for the Hermite scheme: every instruction set against a sum of one
 * pair after another. Two bodies are at one place. */
static void changes_agree_with_nested_loops(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 3, 7, 8, 9, 63, 64, 65, 127, 128, 129, 300};
    static double body[MOST][KY_CHANGE_NUMBERS];
    for (int which = 0; which < 13 * 3 * 6; which++) {
        const size_t n = sizes[which % 13];
        const struct ky_lanes *lanes;
        const char *name;
        uint64_t seed = 3;
        struct ky_changing changing = {n, (const double(*)[KY_CHANGE_NUMBERS])body,
                                       which / 13 % 3 == 2 ? KY_EPS_SUM : 0};
        if (ky_cpu_lanes(which / 39, &lanes, &name, NULL) != KY_OK)
            continue;
        for (size_t i = 0; i < n; i++)
            for (int c = 0; c < KY_CHANGE_NUMBERS; c++)
                body[i][c] = moving_number(&seed) - (c < 12 ? 0.5 : 0);
        for (size_t i = 0; i < n && which / 13 % 3 == 0; i++)
            body[i][KY_CHANGE_EPS2] = 0;
        if (n > 5)
            memcpy(body[4], body[1], 3 * sizeof(double));
        for (size_t first = 0; first < n; first += KY_CHANGE_BLOCK) {
            struct ky_change_sinks sinks = {
                first, n - first < KY_CHANGE_BLOCK ? n - first : KY_CHANGE_BLOCK, {{0}}};
            lanes->change(&changing, &sinks);
            for (size_t i = first; i < first + sinks.count; i++)
                check_change(&changing, i, &sinks);
        }
    }
}

/* A range of the sources gives the sums of these sources alone. */
static void a_range_of_sources_gives_its_sums(void **state)
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
                                       cmocka_unit_test(ties_and_coincident_bodies),
                                       cmocka_unit_test(changes_agree_with_nested_loops),
                                       cmocka_unit_test(a_range_of_sources_gives_its_sums)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
