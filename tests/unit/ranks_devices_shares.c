/* The shares of ranks with devices: of the bodies of a lattice, too, in the lattice's order. All
 * ranks may use one device. */
#include "test.h"

#include "boxes.h"
#include "domain/domain.h"
#include "engine/force_choice.h"
#include "engine/force_options.h"
#include "engines.h"

struct task {
    const struct ky_bodies *bodies;
    const struct ky_parameters *parameters;
};

/* A ky_rank_function: between a third and two thirds of the bodies come to a rank of two. */
static enum ky_status take_share(struct ky_comm *comm, void *context, struct ky_error *problem)
{
    const struct task *task = context;
    const struct ky_engine_frame units = {.length = 0x1p-10, .mass = 0x1p-16};
    struct ky_domain *domain = calloc(1, sizeof *domain);
    const size_t n = task->bodies->n;
    domain->comm = comm;
    domain->parameters = *task->parameters;
    domain->total = n;
    enum ky_status status = ky_domain_start(domain, 0, problem);
    if (!status)
        status = ky_domain_put(domain, task->bodies,
                               KY_WITH_MASS_ROW | KY_WITH_POSITION_ROW | KY_WITH_VELOCITY_ROW,
                               &units, problem);
    if (!status)
        status = ky_domain_migrate(domain, NULL, NULL, problem);
    uint64_t *number = calloc(n, sizeof *number); /* once they are here, no rank reads this one */
    if (!status)
        status = domain->engine->verbs->part->get_numbers(domain->engine, number, problem);
    if (!status)
        status = ky_comm_barrier(comm, problem);
    free(number);
    if (!status && (3 * domain->engine->n < n || 3 * domain->engine->n > 2 * n))
        status = ky_fail(problem, KY_FAULT, "rank %d has %zu of %zu bodies", comm->rank,
                         domain->engine->n, n);
    ky_domain_end(domain);
    free(domain);
    return status;
}

/* Bodies in the order of a lattice, of which every 64th, say, lies in the same plane. */
static void shares_of_a_lattice_are_equal(void **state)
{
    (void)state;
    need_a_device();
    FOR_DEVICES(k, 1)
    {
        struct ky_error error = {0};
        struct ky_parameters given = parameters_of("box=2.5 force=fmm"), parameters;
        struct ky_bodies bodies = make_box(WAVES, 32768);
        given.engine = engines[k].engine;
        assert_ok(ky_force_resolve(&given, &parameters, &error));
        assert_ok(ky_comm_threads(2, take_share, &(struct task){&bodies, &parameters}, &error));
        ky_bodies_free(&bodies);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shares_of_a_lattice_are_equal)};
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
