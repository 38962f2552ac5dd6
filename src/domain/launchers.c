#include "domain/launchers.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/number.h"
#include "domain/mpi.h"
#include "kyoho/kyoho.h"

static const struct ky_launcher launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", KY_FILE_OPEN_MPI,
     "Open MPI"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", KY_FILE_MPICH, NULL},
    {"PMIX_RANK", "SLURM_NTASKS", "SLURM_LOCALID", KY_FILE_OPEN_MPI, NULL},
};

const struct ky_launcher *ky_launcher_find(void)
{
    for (size_t k = 0; k < sizeof launchers / sizeof *launchers; k++)
        if (getenv(launchers[k].rank))
            return &launchers[k];
    return NULL;
}

/* A number of the environment; `otherwise` if it is none. */
static long number_of(const char *name, long otherwise)
{
    const char *text = getenv(name);
    char *end = NULL;
    const uint64_t number = text ? ky_number_count(text, &end) : 0;
    return !text || end == text || *end || number > INT_MAX ? otherwise : (long)number;
}

long ky_launcher_size(const struct ky_launcher *launcher, long otherwise)
{
    return number_of(launcher->size, otherwise);
}

int ky_launcher_is_first_here(void)
{
    const struct ky_launcher *launcher = ky_launcher_find();
    return launcher && number_of(launcher->here, number_of("SLURM_LOCALID", 1)) == 0;
}

void ky_launcher_abort(int code)
{
    const long launcher = number_of("PMI_FD", -1);
    if (launcher >= 0) /* PMI, version 1 */
        dprintf((int)launcher, "cmd=abort exitcode=%d\n", code);
}

int ky_mpi_launched(int *rank)
{
    const struct ky_launcher *launcher = ky_launcher_find();
    *rank = launcher ? (int)number_of(launcher->rank, 0) : 0;
    return launcher ? (int)ky_launcher_size(launcher, 0) : 1;
}
