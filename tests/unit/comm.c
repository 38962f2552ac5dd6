/* Ranks that are threads: what they tell each other, and how failures end them. */
#include "test.h"

#include <dlfcn.h>
#include <unistd.h>

#include "../helpers/ranks.h"
#include "domain/domain.h"

static void ranks_get_what_they_are_told(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 3, 4, 8, 33};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        struct ky_error error = {KY_OK, ""};
        assert_ok(ky_comm_threads(sizes[k], try_all, NULL, &error));
    }
}

static void a_rank_that_fails_ends_all(void **state)
{
    (void)state;
    for (int size = 1; size < 9; size++) {
        struct ky_error error = {KY_OK, ""};
        char text[64];
        assert_int_equal(ky_comm_threads(size, try_failure, NULL, &error), KY_DEVICE);
        snprintf(text, sizeof text, "the card of rank %d is gone", size - 1);
        assert_string_equal(error.text, text);
    }
}

static enum ky_status leave(struct ky_comm *comm, void *context, struct ky_error *error)
{
    (void)context;
    int own = 0, all[8];
    return comm->rank == 1 ? KY_OK : comm->verbs->gather(comm, &own, sizeof own, all, error);
}

static enum ky_status expect_more(struct ky_comm *comm, void *context, struct ky_error *error)
{
    (void)context;
    char own[9], got[9];
    const int next = (comm->rank + 1) % comm->size, before = (comm->rank + 3) % comm->size;
    const struct ky_parcel out = {next, own, 8}, in = {before, got, comm->rank == 2 ? 9 : 8};
    memset(own, 'x', sizeof own);
    return comm->verbs->exchange(comm, &out, 1, &in, 1, error);
}

static enum ky_status expect_nothing_sent(struct ky_comm *comm, void *context,
                                          struct ky_error *error)
{
    (void)context;
    char got[8];
    const struct ky_parcel in = {0, got, sizeof got};
    return comm->verbs->exchange(comm, NULL, 0, &in, comm->rank == 3, error);
}

static void ranks_that_do_not_fit_together_fail(void **state)
{
    (void)state;
    struct ky_error error;
    assert_int_equal(ky_comm_threads(4, leave, NULL, &error), KY_FAULT);
    assert_non_null(strstr(error.text, "ended"));
    assert_int_equal(ky_comm_threads(4, expect_more, NULL, &error), KY_FAULT);
    assert_non_null(strstr(error.text, "rank 2 expects 9 bytes of rank 1"));
    assert_int_equal(ky_comm_threads(4, expect_nothing_sent, NULL, &error), KY_FAULT);
    assert_non_null(strstr(error.text, "sends nothing"));
    assert_int_equal(ky_comm_threads(0, leave, NULL, &error), KY_USAGE);
}

/* Each rank adds the numbers of all in their order: so the bits are the same everywhere. */
static enum ky_status add(struct ky_comm *comm, void *context, struct ky_error *error)
{
    double own = 1 / (comm->rank + 3.), all[8], sum = 0, *sums = context;
    const enum ky_status status = comm->verbs->gather(comm, &own, sizeof own, all, error);
    for (int r = 0; r < comm->size; r++)
        sum += all[r];
    sums[comm->rank] = sum;
    return status;
}

static void sums_are_the_same_everywhere(void **state)
{
    (void)state;
    double sums[8];
    struct ky_error error;
    for (int round = 0; round < 50; round++) {
        assert_ok(ky_comm_threads(8, add, sums, &error));
        for (int r = 1; r < 8; r++)
            assert_memory_equal(&sums[0], &sums[r], sizeof *sums);
    }
}

static int answer(void *context)
{
    assert_int_equal(ky_mpi_ranks(), 1);
    return *(int *)context;
}

static void without_a_launcher_there_is_one_rank_of_mpi(void **state)
{
    (void)state;
    int rank = 7, given = 41, code = 0;
    struct ky_error error;
    assert_int_equal(ky_mpi_launched(&rank), 1);
    assert_int_equal(rank, 0);
    assert_ok(ky_mpi_lead(answer, &given, &code, &error));
    assert_int_equal(code, 41);
    assert_int_equal(ky_mpi_ranks(), 1);
}

static void launchers_tell_rank_and_number(void **state)
{
    (void)state;
    static const struct {
        const char *rank_name, *rank, *size_name, *size;
        int told_rank, told_size;
    } cases[] = {{"OMPI_COMM_WORLD_RANK", "2", "OMPI_COMM_WORLD_SIZE", "3", 2, 3},
                 {"PMI_RANK", "0", "PMI_SIZE", "8", 0, 8},
                 {"PMIX_RANK", "5", "SLURM_NTASKS", "6", 5, 6},
                 {"PMIX_RANK", "5", "SLURM_NTASKS", "none", 5, 0},
                 {"SLURM_PROCID", "1", "SLURM_NTASKS", "4", 0, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int rank = -1;
        setenv(cases[k].rank_name, cases[k].rank, 1);
        setenv(cases[k].size_name, cases[k].size, 1);
        assert_int_equal(ky_mpi_launched(&rank), cases[k].told_size);
        assert_int_equal(rank, cases[k].told_rank);
        unsetenv(cases[k].rank_name);
        unsetenv(cases[k].size_name);
    }
}

/* This program finds no library of MPI. */
void *dlopen(const char *file, int how)
{
    (void)file, (void)how;
    return NULL;
}

static void where_there_is_no_library_the_list_is_empty(void **state)
{
    (void)state;
    const char *name = "none";
    assert_null(ky_mpi_library(0, &name));
    assert_string_equal(name, "none");
}

/* MPICH's launcher is asked by its own protocol to end the ranks that wait for this one. */
static void a_process_without_mpi_ends_the_others(void **state)
{
    (void)state;
    int launcher[2], given = 0, code = 0;
    char text[80] = "", number[16];
    struct ky_error error;
    assert_int_equal(pipe(launcher), 0);
    snprintf(number, sizeof number, "%d", launcher[1]);
    setenv("PMI_RANK", "0", 1);
    setenv("PMI_SIZE", "2", 1);
    setenv("PMI_FD", number, 1);
    ky_mpi_abandon(3); /* nobody waits so far */
    assert_int_equal(ky_mpi_lead(answer, &given, &code, &error), KY_UNSUPPORTED);
    ky_mpi_abandon(4);
    close(launcher[1]);
    assert_true(read(launcher[0], text, sizeof text - 1) > 0);
    assert_string_equal(text, "cmd=abort exitcode=4\n");
    close(launcher[0]);
    unsetenv("PMI_RANK");
    unsetenv("PMI_SIZE");
    unsetenv("PMI_FD");
}

struct three_ranks {
    uint64_t bits[3];
    int odd; /* of rank 0 */
    char said[512];
};

static void listen(void *context, enum ky_log_level level, const char *line)
{
    char *said = context;
    if (level == KY_LOG_WARNING)
        snprintf(said, 512, "%s", line);
}

static enum ky_status compare_bits(struct ky_comm *comm, void *context, struct ky_error *error)
{
    struct three_ranks *three = context;
    struct ky_engine engine = {.bits = three->bits[comm->rank]};
    struct ky_domain domain = {.comm = comm, .engine = &engine};
    ky_parameters_defaults(&domain.parameters);
    domain.parameters.log = listen;
    domain.parameters.log_context = three->said;
    const enum ky_status status = ky_domain_compare_bits(&domain, error);
    if (comm->rank == 0) {
        three->odd = domain.odd;
        ky_domain_tell_kind(&domain, &domain.parameters, 0, NULL);
    }
    return status;
}

static void processors_with_other_bits_are_told(void **state)
{
    (void)state;
    static const struct three_ranks cases[] = {
        {{7, 7, 7}, 0, ""}, {{0, 0, 0}, 0, ""}, {{7, 7, 8}, 2, ""}, {{7, 8, 9}, 1, ""}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct three_ranks three = cases[k];
        struct ky_error error = {KY_OK, ""};
        char text[32];
        assert_ok(ky_comm_threads(3, compare_bits, &three, &error));
        assert_int_equal(three.odd, cases[k].odd);
        snprintf(text, sizeof text, "rank 0 and rank %d differ", three.odd);
        assert_int_equal(strstr(three.said, text) != NULL, three.odd > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_get_what_they_are_told),
        cmocka_unit_test(a_rank_that_fails_ends_all),
        cmocka_unit_test(ranks_that_do_not_fit_together_fail),
        cmocka_unit_test(sums_are_the_same_everywhere),
        cmocka_unit_test(processors_with_other_bits_are_told),
        cmocka_unit_test(without_a_launcher_there_is_one_rank_of_mpi),
        cmocka_unit_test(launchers_tell_rank_and_number),
        cmocka_unit_test(where_there_is_no_library_the_list_is_empty),
        cmocka_unit_test(a_process_without_mpi_ends_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
