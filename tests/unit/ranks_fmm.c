/* Ranks that divide the bodies where cells act on cells (--force fmm): the same bits for any number
 * of ranks and without ranks, for systems of many shapes, with every option of the method; and what
 * a rank gets of the others. */
#include "test.h"

#include "domain/domain.h"
#include "engine/force_options.h"
#include "octree/sinks.h"
#include "ranked_cases.h"
#include "same_bits.h"

static struct ky_error error;

/* ---- the same bits ---- */

static void systems_have_the_same_bits(void **state)
{
    (void)state;
    static const struct ranked_case cases[] = {SYSTEMS};
    TRY_CASES(cases, OF_FMM, "force=fmm", try_case, 2);
}

static void few_bodies_have_the_same_bits(void **state)
{
    (void)state;
    try_few_bodies("force=fmm", try_case);
}

static void options_have_the_same_bits(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        int always;
    } cases[] = {
        {"force=fmm order=2 alpha=0.01", 1},
        {"force=fmm order=3", 0},
        {"force=fmm order=5", 1},
        {"force=fmm order=6 alpha=1e-7", 1},
        {"force=fmm alpha=0.5", 1},
        {"force=fmm alpha=1e-12", 0},
        {"force=fmm group=1 leaf=1", 1},
        {"force=fmm group=16 leaf=1", 1},
        {"force=fmm group=16 order=6", 1},
        {"force=fmm group=256 leaf=16", 0},
        {"force=fmm group=256 leaf=256", 0},
        {"force=fmm precision=double", 1},
        {"force=fmm precision=extended", 0},
        {"force=fmm softening=0", 0},
        {"force=fmm softening=0.3 softening-kind=spline", 1},
        {"force=fmm softening=3 softening-kind=spline", 0},
        {"force=fmm softening=0.1 softening-kind=symmetric", 0},
        {"force=fmm curve=morton", 1},
        {"force=fmm threads=5", 1},
        {"force=fmm g=43009", 0},
        {"force=fmm g=1e-30", 0},
        {"force=fmm isa=plain", 1},
        {"force=fmm step=-0.01", 0},
        {"force=fmm field=plummer:mass=3,scale=2,x=3", 0},
        {"force=fmm integrator=block step=0.0625", 1},
        {"force=fmm integrator=block step=0.0625 order=5 group=16", 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (cases[k].always || test_everything())
            try_case(k % 2 ? DISK : SPHERE, 6007, cases[k].options, 2);
    try_case(FAR, 4010, "force=fmm order=5", 1);
    try_case(FAR, 4010, "force=fmm order=6 softening=0.3 softening-kind=spline", 1);
}

/* Two spheres pass through each other: bodies go from rank to rank in every step. */
static void bodies_wander_through_all_ranks(void **state)
{
    (void)state;
    try_case(COLLISION, 6007, "force=fmm step=0.02", test_everything() ? 60 : 25);
}

/* Errors against exact sums in double are those of one tree. */
static void forces_are_those_of_the_exact_sum(void **state)
{
    (void)state;
    compare_with_exact_sum(TWO, 9001, "force=fmm");
    compare_with_exact_sum(DISK, 9001, "force=fmm order=5");
    compare_with_exact_sum(FAR, 9001, "force=fmm order=6");
}

/* ---- what a rank has ---- */

enum { MANY = 60000 };

struct task {
    const struct ky_bodies *bodies;
    const struct ky_parameters *parameters;
};

/* A rank with its part of the bodies, and their first forces. Free with close_rank. */
static enum ky_status open_rank(struct ky_comm *comm, const struct task *task,
                                struct ky_domain **opened, struct ky_error *problem)
{
    const struct ky_engine_frame units = {.length = 0x1p-10, .mass = 0x1p-16};
    struct ky_domain *domain = *opened = calloc(1, sizeof *domain);
    domain->comm = comm;
    domain->parameters = *task->parameters;
    domain->total = task->bodies->n;
    enum ky_status status = ky_domain_start(domain, 0, problem);
    if (!status)
        status = ky_domain_put(domain, task->bodies,
                               KY_WITH_MASS_ROW | KY_WITH_POSITION_ROW | KY_WITH_VELOCITY_ROW,
                               &units, problem);
    if (!status)
        status = ky_domain_migrate(domain, NULL, NULL, problem);
    return status ? status : ky_engine_forces(domain->engine, problem);
}

static void close_rank(struct ky_domain *domain)
{
    ky_domain_end(domain);
    free(domain);
}

/* A ky_rank_function. */
static enum ky_status be_rank(struct ky_comm *comm, void *context, struct ky_error *problem)
{
    struct ky_domain *domain;
    enum ky_status status = open_rank(comm, context, &domain, problem);
    const struct ky_domain_told *told = &domain->told;
    const size_t share = MANY / (size_t)comm->size;
    if (!status && (domain->engine->n > share + share / 2 || told->bodies > MANY / 2 ||
                    told->bodies == 0 || told->cells == 0 || told->coming > 6000000))
        status = ky_fail(problem, KY_FAULT, "rank %d has %zu bodies, and got %zu and %zu cells",
                         comm->rank, domain->engine->n, told->bodies, told->cells);
    struct ky_memory parts, copies;
    /* of so many bodies that what comes of other ranks is not most of it */
    ky_domain_memory(domain, 1000000, 0, &parts);
    domain->copies = 1;
    ky_domain_memory(domain, 1000000, 0, &copies);
    if (!status && parts.host > 0.5 * copies.host)
        status = ky_fail(problem, KY_FAULT, "%g bytes for parts, %g for copies", parts.host,
                         copies.host);
    close_rank(domain);
    return status;
}

/* Of the bodies each rank has its share, and of the others' some that are near, and cells. */
static void no_rank_has_all_bodies(void **state)
{
    (void)state;
    struct ky_parameters given = parameters_of("force=fmm threads=1"), parameters;
    struct ky_bodies bodies = make(SPHERE, MANY);
    assert_ok(ky_force_resolve(&given, &parameters, &error));
    struct task task = {&bodies, &parameters};
    assert_ok(ky_comm_threads(8, be_rank, &task, &error));
    ky_bodies_free(&bodies);
}

/* A ky_rank_function: one rank has all bodies, the others none. */
static enum ky_status be_alone_or_empty(struct ky_comm *comm, void *context,
                                        struct ky_error *problem)
{
    const struct task *task = context;
    struct ky_domain *domain;
    size_t count[8], empty = 0, all = 0;
    enum ky_status status = open_rank(comm, task, &domain, problem);
    if (!status)
        status = comm->verbs->gather(comm, &domain->engine->n, sizeof *count, count, problem);
    for (int r = 0; r < comm->size && !status; r++) {
        empty += !count[r];
        all += count[r];
    }
    if (!status && (empty != (size_t)comm->size - 1 || all != task->bodies->n))
        status = ky_fail(problem, KY_FAULT, "%zu ranks are empty", empty);
    close_rank(domain);
    return status;
}

/* The tests of bits above rest on it: where all bodies are at one place, or are few, seven of eight
 * ranks have none. */
static void seven_of_eight_ranks_are_empty(void **state)
{
    (void)state;
    static const struct {
        enum shape shape;
        size_t n;
        const char *options;
    } cases[] = {{HEAP, 5000, "threads=1"},
                 {HEAP, 5000, "force=fmm threads=1"},
                 {SPHERE, 3000, "threads=1"},
                 {SPHERE, 3000, "force=fmm threads=1"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct ky_parameters given = parameters_of(cases[k].options), parameters;
        struct ky_bodies bodies = make(cases[k].shape, cases[k].n);
        assert_ok(ky_force_resolve(&given, &parameters, &error));
        struct task task = {&bodies, &parameters};
        assert_ok(ky_comm_threads(8, be_alone_or_empty, &task, &error));
        ky_bodies_free(&bodies);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systems_have_the_same_bits),
        cmocka_unit_test(few_bodies_have_the_same_bits),
        cmocka_unit_test(options_have_the_same_bits),
        cmocka_unit_test(bodies_wander_through_all_ranks),
        cmocka_unit_test(forces_are_those_of_the_exact_sum),
        cmocka_unit_test(no_rank_has_all_bodies),
        cmocka_unit_test(seven_of_eight_ranks_are_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
