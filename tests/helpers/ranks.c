/* ranks [fail]: tells numbers to the other ranks of MPI and prints a line for each rank. ranks
 * field ENGINE: advances bodies in a field that is a function of this program, and prints their
 * energies. ranks searches ENGINE: prints what is found of groups, neighbours and densities of
 * bodies. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ranks.h"

#include "base/hash.h"
#include "kyoho/kyoho.h"

static enum ky_status be_rank(struct ky_comm *comm, void *context, struct ky_error *error)
{
    const enum ky_status status =
        context ? try_failure(comm, context, error) : try_all(comm, context, error);
    if (status)
        comm->verbs->fail(comm, error);
    else
        printf("rank %d of %d, %d of %d here, by %s\n", comm->rank, comm->size, comm->local_rank,
               comm->local_size, comm->verbs->name);
    return status;
}

/* A sphere whose mass the context has: rank 0 alone gives it. */
static void pull(void *context, struct ky_field_place *at)
{
    const double *x = at->position, m = *(double *)context,
                 s2 = 0.25 + x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
    for (int c = 0; c < 3; c++)
        at->acceleration[c] = -m * x[c] / (s2 * sqrt(s2));
    at->potential = -m / sqrt(s2);
}

/* A simulation of a sphere, some steps after its beginning, whose bodies the ranks divide. */
static enum ky_status begin(const char *engine, double *mass, struct ky_sim **sim,
                            struct ky_error *error)
{
    struct ky_parameters parameters;
    struct ky_model_parameters model;
    struct ky_snapshot made = {0};
    ky_parameters_defaults(&parameters);
    ky_model_parameters_defaults(&model);
    model.n = 5000;
    parameters.engine = engine;
    parameters.force = KY_TREE;
    parameters.softening = 0.05;
    parameters.step = 0.0078125;
    parameters.ranks = ky_mpi_ranks();
    if (mass) {
        parameters.field_function = pull;
        parameters.field_context = mass;
    }
    enum ky_status status = ky_model_make("plummer", &model, &made, error);
    if (!status)
        status = ky_sim_open(&parameters, &made.bodies, 0, sim, error);
    if (!status)
        status = ky_sim_advance(*sim, 4, error);
    ky_snapshot_free(&made);
    return status;
}

static enum ky_status print_energies(struct ky_sim *sim, struct ky_error *error)
{
    struct ky_sums sums = {0};
    const enum ky_status status = ky_sim_sums(sim, &sums, error);
    if (!status)
        printf("%.17g %.17g %.17g\n", sums.kinetic, sums.potential, sums.external);
    return status;
}

static void print_catalogue(const struct ky_catalogue *found)
{
    const size_t groups = found->groups;
    struct ky_hashing all = ky_hash_begin(0);
    ky_hash_add(&all, found->offset, (groups + 1) * sizeof *found->offset);
    ky_hash_add(&all, found->body, found->members * sizeof *found->body);
    ky_hash_add(&all, found->mass, groups * sizeof *found->mass);
    ky_hash_add(&all, found->centre, groups * sizeof *found->centre);
    ky_hash_add(&all, found->velocity, groups * sizeof *found->velocity);
    ky_hash_add(&all, found->radius, groups * sizeof *found->radius);
    printf("groups %zu largest %zu members %zu hash %" PRIx64 "\n", groups,
           groups ? found->offset[1] : 0, found->members, ky_hash_end(&all));
}

static enum ky_status print_groups(struct ky_sim *sim, struct ky_error *error)
{
    struct ky_catalogue_parameters wanted;
    struct ky_catalogue found = {0};
    ky_catalogue_parameters_defaults(&wanted);
    wanted.linking_length = 0.1;
    wanted.minimum = 2;
    const enum ky_status status = ky_sim_catalogue_make(sim, &wanted, &found, NULL, error);
    if (!status)
        print_catalogue(&found);
    ky_catalogue_free(&found);
    return status;
}

static enum ky_status print_neighbours(struct ky_sim *sim, struct ky_error *error)
{
    const double radius = 0.1;
    struct ky_neighbour_lists lists = {0};
    const enum ky_status status = ky_sim_neighbours(sim, &radius, 1, NULL, &lists, NULL, error);
    if (!status)
        printf("neighbours %zu hash %" PRIx64 "\n", lists.offset[lists.n],
               ky_hash(lists.body, lists.offset[lists.n] * sizeof *lists.body, 0));
    ky_neighbour_lists_free(&lists);
    return status;
}

static enum ky_status print_density(struct ky_sim *sim, struct ky_error *error)
{
    const size_t n = ky_sim_n(sim);
    double *density = calloc(n, sizeof *density);
    const enum ky_status status =
        density ? ky_sim_sph_density(sim, 12, density, NULL, NULL, error) : KY_FAULT;
    if (!status)
        printf("density %.17g hash %" PRIx64 "\n", density[0],
               ky_hash(density, n * sizeof *density, 0));
    free(density);
    return status;
}

/* What rank 0 does: its arguments. */
struct led {
    const char *what, *engine;
};

static int lead(void *context)
{
    const struct led *led = context;
    struct ky_error error;
    struct ky_sim *sim = NULL;
    double mass = 2;
    const int has_field = !strcmp(led->what, "field");
    enum ky_status status = begin(led->engine, has_field ? &mass : NULL, &sim, &error);
    if (!status && has_field)
        status = print_energies(sim, &error);
    else if (!status)
        status = print_groups(sim, &error);
    if (!status && !has_field)
        status = print_neighbours(sim, &error);
    if (!status && !has_field)
        status = print_density(sim, &error);
    if (status)
        fprintf(stderr, "ranks: %s\n", error.text);
    ky_sim_close(sim);
    return (int)status;
}

int main(int argc, char **argv)
{
    struct ky_error error;
    char *word = argc > 1 ? argv[1] : NULL;
    int code = 0;
    struct led led = {word, argc > 2 ? argv[2] : NULL};
    const enum ky_status status =
        led.engine ? ky_mpi_lead(lead, &led, &code, &error) : ky_comm_mpi(be_rank, word, &error);
    if (status)
        fprintf(stderr, "ranks: %s\n", error.text);
    return status ? (int)status : code;
}
