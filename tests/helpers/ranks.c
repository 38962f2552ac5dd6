/* ranks [fail|field]: tells numbers to the other ranks of MPI and prints a line for each rank; or
 * advances bodies in a field that is a function of this program, and prints what comes of it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ranks.h"

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

static int lead(void *context)
{
    struct ky_error error;
    struct ky_parameters parameters;
    struct ky_model_parameters model;
    struct ky_snapshot made = {0};
    struct ky_sim *sim = NULL;
    struct ky_sums sums = {0};
    double mass = 2;
    (void)context;
    ky_parameters_defaults(&parameters);
    ky_model_parameters_defaults(&model);
    model.n = 5000;
    parameters.engine = "cpu";
    parameters.force = KY_TREE;
    parameters.softening = 0.05;
    parameters.step = 0.0078125;
    parameters.ranks = ky_mpi_ranks();
    parameters.field_function = pull;
    parameters.field_context = &mass;
    enum ky_status status = ky_model_make("plummer", &model, &made, &error);
    if (!status)
        status = ky_sim_open(&parameters, &made.bodies, 0, &sim, &error);
    if (!status)
        status = ky_sim_advance(sim, 4, &error);
    if (!status)
        status = ky_sim_sums(sim, &sums, &error);
    if (status)
        fprintf(stderr, "ranks: %s\n", error.text);
    else
        printf("%.17g %.17g %.17g\n", sums.kinetic, sums.potential, sums.external);
    ky_sim_close(sim);
    ky_snapshot_free(&made);
    return (int)status;
}

int main(int argc, char **argv)
{
    struct ky_error error;
    char *word = argc > 1 ? argv[1] : NULL;
    int code = 0;
    const enum ky_status status = word && !strcmp(word, "field")
                                      ? ky_mpi_lead(lead, NULL, &code, &error)
                                      : ky_comm_mpi(be_rank, word, &error);
    if (status)
        fprintf(stderr, "ranks: %s\n", error.text);
    return status ? (int)status : code;
}
