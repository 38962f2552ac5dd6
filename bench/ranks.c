/* What ranks tell each other: ranks [N [RANKS [MODEL [ALPHA [FORCE]]]]] (default 1000000
 * 2,4,8,16,32,64 plummer 0.005 tree). The ranks are threads of this process, each with one thread
 * of its own; counts and sizes are those of ranks anywhere. A row for each number of ranks, after
 * three steps of a hundredth of a time unit, of the tree for the last forces: bodies of a rank;
 * roots of all ranks' trees, and boxes of their groups; cells and bodies that a rank gets, in
 * thousands; the same in MB, the mean and the most, and the most that a rank sends; the bytes of
 * roots and boxes, which every rank gets, in MB; the largest number of interactions of a rank over
 * the mean; bodies that a rank sends to another one in a step. */
#include <string.h>

#include "common.h"

#include "domain/domain.h"
#include "engine/common/force_kinds.h"
#include "engine/force_options.h"
#include "octree/parts.h"

enum { STEPS = 3 };
#define STEP 0.01

struct task {
    const struct ky_bodies *bodies;
    const struct ky_parameters *parameters;
    struct ky_engine_frame units;
};

/* One rank's figures. */
struct figures {
    struct ky_domain_told told;
    double work;
};

static void print_row(int size, size_t n, const struct ky_parameters *parameters,
                      const struct figures *all)
{
    struct ky_domain_told sum = {0};
    double work = 0, most_work = 0;
    size_t most_coming = 0, most_going = 0;
    const double ranks = size;
    for (int r = 0; r < size; r++) {
        sum.asked += all[r].told.asked;
        sum.boxes += all[r].told.boxes;
        sum.cells += all[r].told.cells;
        sum.bodies += all[r].told.bodies;
        sum.coming += all[r].told.coming;
        sum.moved += all[r].told.moved;
        most_coming = all[r].told.coming > most_coming ? all[r].told.coming : most_coming;
        most_going = all[r].told.going > most_going ? all[r].told.going : most_going;
        work += all[r].work;
        most_work = all[r].work > most_work ? all[r].work : most_work;
    }
    const struct ky_parameters tree = ky_force_tree(parameters);
    const double root_bytes = sizeof(struct ky_octree_root) + (double)ky_octree_cell_bytes(&tree);
    printf("%5d %9.0f %6zu %6.2f %6.1f %7.0f %8.1f %8.1f %7.2f %7.2f %7.2f %6.3f %8.1f\n", size,
           (double)n / ranks, all[0].told.roots, 1e-6 * root_bytes * (double)all[0].told.roots,
           (double)sum.asked / ranks, (double)sum.boxes / (double)(sum.asked ? sum.asked : 1),
           1e-3 * (double)sum.cells / ranks, 1e-3 * (double)sum.bodies / ranks,
           1e-6 * (double)sum.coming / ranks, 1e-6 * (double)most_coming, 1e-6 * (double)most_going,
           most_work * ranks / work, (double)sum.moved / ranks);
}

static enum ky_status forces(struct ky_domain *domain, struct ky_error *error)
{
    struct ky_force_report report;
    enum ky_status status = ky_domain_migrate(domain, NULL, NULL, error);
    if (!status)
        status = ky_engine_forces(domain->engine, error);
    ky_engine_report(domain->engine, &report);
    domain->work = report.body_interactions + report.cell_interactions;
    return status;
}

/* A ky_rank_function. */
static enum ky_status be_rank(struct ky_comm *comm, void *context, struct ky_error *error)
{
    const struct task *task = context;
    struct ky_domain *domain = memory_for(1, sizeof *domain);
    struct figures own, *all = memory_for((size_t)comm->size, sizeof *all);
    memset(domain, 0, sizeof *domain);
    domain->comm = comm;
    domain->parameters = *task->parameters;
    domain->total = task->bodies->n;
    const unsigned with = KY_WITH_MASS_ROW | KY_WITH_POSITION_ROW | KY_WITH_VELOCITY_ROW;
    enum ky_status status = ky_domain_start(domain, 0, error);
    if (!status)
        status = ky_domain_put(domain, task->bodies, with, &task->units, error);
    if (!status)
        status = forces(domain, error);
    for (int k = 0; k < STEPS && !status; k++) {
        status = ky_engine_kick(domain->engine, 0.5 * STEP, error);
        if (!status)
            status = ky_engine_drift(domain->engine, STEP, error);
        if (!status)
            status = forces(domain, error);
        if (!status)
            status = ky_engine_kick(domain->engine, 0.5 * STEP, error);
    }
    own = (struct figures){domain->told, domain->work};
    if (!status)
        status = comm->verbs->gather(comm, &own, sizeof own, all, error);
    if (!status && comm->rank == 0)
        print_row(comm->size, domain->total, task->parameters, all);
    ky_domain_end(domain);
    free(domain);
    free(all);
    return status;
}

int main(int argc, char **argv)
{
    const size_t n = argc > 1 ? (size_t)atof(argv[1]) : 1000000;
    char list[256];
    snprintf(list, sizeof list, "%s", argc > 2 ? argv[2] : "2,4,8,16,32,64");
    struct ky_parameters given, parameters;
    struct ky_error error;
    ky_parameters_defaults(&given);
    given.engine = "cpu";
    stop_if(ky_parameters_set(&given, "force", argc > 5 ? argv[5] : "tree", &error), &error);
    given.threads = 1;
    given.alpha = argc > 4 ? atof(argv[4]) : 0.005;
    struct ky_snapshot made = model(argc > 3 ? argv[3] : "plummer", n);
    struct ky_bodies bodies = made.bodies;
    given.softening = 0.98 * pow((double)n, -0.26); /* as recommended for a Plummer sphere */
    bodies.softening = NULL;
    stop_if(ky_force_resolve(&given, &parameters, &error), &error);
    struct task task = {&bodies, &parameters, {.length = 0x1p-10, .mass = 1}};
    while (task.units.mass * (double)n > 1)
        task.units.mass /= 2;
    printf(
        "ranks    bodies  roots     MB  asked   boxes   kcells  kbodies      MB    most    sent   "
        "work    moved\n");
    for (char *word = strtok(list, ","); word; word = strtok(NULL, ","))
        stop_if(ky_comm_threads(atoi(word), be_rank, &task, &error), &error);
    ky_snapshot_free(&made);
    return 0;
}
