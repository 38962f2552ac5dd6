/* Block steps of ranks: one without active bodies computes nothing, and does not wait for the walks
 * of the others before the block ends. */
#include "test.h"

#include "domain/orders.h"
#include "engine/common/units.h"
#include "engine/force_options.h"
#include "engines.h"
#include "ranked.h"

static struct ky_error error;

enum { RANKS = 2, N = 6000, TICKS = 1024, MOST = 400 };

/* ---- the calls of rank 0 ---- */

/* A letter for each of them, which are those of all ranks: g gather, p gather_parts, d deal, x
 * exchange, a add. */
static char calls[256];
static const struct ky_comm_verbs *verbs; /* what they are noted for */

static void note(const struct ky_comm *comm, char call)
{
    const size_t length = strlen(calls);
    if (!comm->rank && length < sizeof calls - 1)
        calls[length] = call;
}

#define NOTED(call, letter, types, names)                                                          \
    static enum ky_status call types                                                               \
    {                                                                                              \
        note(comm, letter);                                                                        \
        return verbs->call names;                                                                  \
    }
NOTED(gather, 'g',
      (struct ky_comm * comm, const void *own, size_t bytes, void *all, struct ky_error *told),
      (comm, own, bytes, all, told))
NOTED(gather_parts, 'p',
      (struct ky_comm * comm, const void *own, const size_t *bytes, void *all,
       struct ky_error *told),
      (comm, own, bytes, all, told))
NOTED(deal, 'd',
      (struct ky_comm * comm, const void *own, size_t bytes, void *all, struct ky_error *told),
      (comm, own, bytes, all, told))
NOTED(exchange, 'x',
      (struct ky_comm * comm, const struct ky_parcel *out, size_t outs, const struct ky_parcel *in,
       size_t ins, struct ky_error *told),
      (comm, out, outs, in, ins, told))
NOTED(add, 'a', (struct ky_comm * comm, uint64_t *number, size_t count, struct ky_error *told),
      (comm, number, count, told))

/* A ky_rank_function. */
static enum ky_status take_verbs(struct ky_comm *comm, void *context, struct ky_error *told)
{
    (void)told;
    *(const struct ky_comm_verbs **)context = comm->verbs;
    return KY_OK;
}

/* The verbs of threads, with notes. */
static struct ky_comm_verbs watched_verbs(void)
{
    assert_ok(ky_comm_threads(1, take_verbs, &verbs, &error));
    struct ky_comm_verbs watched = *verbs;
    watched.gather = gather;
    watched.gather_parts = gather_parts;
    watched.deal = deal;
    watched.exchange = exchange;
    watched.add = add;
    return watched;
}

/* ---- blocks ---- */

/* A thin cloud, whose bodies have long steps, and a dense one at the end of Morton's curve. */
static struct ky_bodies thin_and_dense(void)
{
    struct ky_bodies bodies = make(SPHERE, N);
    for (size_t i = 0; i < N; i++)
        for (int c = 0; c < 3; c++) {
            const int is_thin = i < N - N / 10;
            double *x = &bodies.position[i][c];
            *x = is_thin ? -10 + 2 * *x : 10 + 0.05 * *x;
            bodies.velocity[i][c] *= is_thin ? 0.01 : 1;
        }
    return bodies;
}

struct led {
    struct ky_parameters parameters;
    struct ky_comm_verbs watched;
    const char *end;     /* the last calls of a block */
    size_t blocks, idle; /* in which rank 0 had nothing to do */
};

static void give(struct ky_domain *domain, const struct ky_order *order,
                 const struct ky_order_data *data)
{
    struct ky_order softened = *order; /* every order carries the softening */
    softened.eps = domain->parameters.softening;
    assert_ok(ky_order_give(domain, &softened, data, &error));
}

static double pairs_of(const struct ky_force_report *report)
{
    return report->body_interactions + report->cell_interactions;
}

static void expect_end(const struct led *led)
{
    const size_t length = strlen(led->end), all = strlen(calls);
    if (all < length || strcmp(calls + all - length, led->end) != 0)
        fail_msg("a block of calls %s, which does not end with %s", calls, led->end);
}

static void make_block(struct ky_domain *domain, struct ky_advance *way, struct led *led)
{
    struct ky_force_report all, own;
    struct ky_error outcome = {0};
    struct ky_order order = {.kind = KY_ORDER_advance, .way = *way};
    order.way.most = 1;
    memset(calls, 0, sizeof calls);
    give(domain, &order, &(struct ky_order_data){.way = way, .report = &all, .outcome = &outcome});
    ky_engine_report(domain->engine, &own);
    led->blocks++;
    led->idle += pairs_of(&own) == 0;
    assert_true(pairs_of(&all) > 0);
    expect_end(led);
}

/* The bodies and their forces. */
static void begin(struct ky_domain *domain, const struct led *led, const struct ky_bodies *bodies)
{
    struct ky_error outcome = {0};
    const struct ky_order_data data = {
        .parameters = &led->parameters, .bodies = bodies, .outcome = &outcome};
    struct ky_engine_frame frame = {0};
    struct ky_engine_units units;
    assert_ok(ky_engine_units(bodies, &led->parameters, &frame, &units, &error));
    const unsigned rows = ky_domain_arrays_of(bodies) & ~(unsigned)KY_WITH_ACCELERATION_ROW;
    const struct ky_order orders[] = {{.kind = KY_ORDER_open, .with = 1U << KY_SCHEME_BLOCK},
                                      {.kind = KY_ORDER_columns, .with = 1U << KY_COLUMN_STEP},
                                      {.kind = KY_ORDER_put,
                                       .with = rows,
                                       .n = bodies->n,
                                       .units = {.length = units.length, .mass = units.mass}},
                                      {.kind = KY_ORDER_forces}};
    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++)
        give(domain, &orders[k], &data);
    assert_ok(outcome.status);
}

/* A ky_rank_function: rank 0 leads. */
static enum ky_status go(struct ky_comm *comm, void *context, struct ky_error *told)
{
    struct led *led = context;
    comm->verbs = &led->watched;
    if (comm->rank)
        return ky_order_obey(comm, NULL, told);
    struct ky_domain domain = {.comm = comm};
    struct ky_bodies bodies = thin_and_dense();
    struct ky_advance way = {.scheme = KY_SCHEME_BLOCK,
                             .tick = 0.25 / TICKS,
                             .stride = TICKS,
                             .until = TICKS,
                             .eta = 0.2,
                             .length = 0.01,
                             .close = KY_NO_BODY};
    begin(&domain, led, &bodies);
    for (size_t k = 0; way.now < way.until && k < MOST; k++)
        make_block(&domain, &way, led);
    give(&domain, &(struct ky_order){.kind = KY_ORDER_leave}, &(struct ky_order_data){0});
    ky_bodies_free(&bodies);
    return KY_OK;
}

static void try_blocks(const char *processor, const char *end)
{
    struct ky_parameters parameters = parameters_of("integrator=block curve=morton");
    struct led led = {.watched = watched_verbs(), .end = end};
    parameters.engine = processor;
    assert_ok(ky_force_resolve(&parameters, &led.parameters, &error));
    led.parameters.ranks = RANKS;
    assert_ok(ky_comm_threads(RANKS, go, &led, &error));
    if (!(led.idle > led.blocks / 2 && led.idle < led.blocks))
        fail_msg("%s: of %zu blocks %zu concern rank 1 alone", processor, led.blocks, led.idle);
}

/* After the exchange of cells (x) a block has no other calls than those that end the order: sums of
 * counts (a), reports (g) and a meeting (g). */
static void a_rank_walks_while_others_go_on(void **state)
{
    (void)state;
    try_blocks("cpu", "xagg");
}

/* On devices the cells come by way of gather_parts. Before the walk ranks may add what they know of
 * a new tree; after it they add the counts from which the next block follows. */
static void so_it_does_on_a_device(void **state)
{
    (void)state;
    need_a_device();
    FOR_DEVICES(k, 1)
    try_blocks(engines[k].engine, "agg");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rank_walks_while_others_go_on),
        cmocka_unit_test(so_it_does_on_a_device),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
