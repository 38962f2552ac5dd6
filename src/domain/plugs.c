#define _GNU_SOURCE /* dladdr */
/* Launchers of MPI, and the search for plug-ins. */
#include "domain/plugs.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "kyoho/kyoho.h"

/* ---- launchers ---- */

static const struct ky_launcher launchers[] = {
#define ROW(rank, size, here, plug, only) {rank, size, here, plug, only},
    KY_LAUNCHERS(ROW)
#undef ROW
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

/* ---- plug-ins ---- */

static const struct {
    const char *file, *kind;
} plugs[] = {
#define ROW(file, library, kind) {file, kind},
    KY_PLUGS(ROW)
#undef ROW
};

/* Folders of plug-ins, relative to the file that contains this code: in a build, next to an
 * installed library, in the parent of an architecture's folder, and from an installed command. */
static const char *const places[] = {"mpi", "kyoho", "../kyoho", "../lib/kyoho"};
enum { PLACES = sizeof places / sizeof *places };

/* The file that this code is in, to be freed; NULL if it is not found. The loader knows a program
 * by the word that started it, which has no folder where PATH was searched. */
static char *find_file(void)
{
    Dl_info here;
    const int known = dladdr(plugs, &here) && strchr(here.dli_fname, '/');
    char *file = known ? realpath(here.dli_fname, NULL) : NULL;
    return file ? file : realpath("/proc/self/exe", NULL);
}

void ky_plug_path(int plug, char path[KY_PLUG_PATH])
{
    char *file = find_file();
    const int folder = file ? (int)(strrchr(file, '/') - file) : 0;
    int found = 0;
    for (int k = 0; k < PLACES && file && !found; k++)
        found = snprintf(path, KY_PLUG_PATH, "%.*s/%s/%s", folder, file, places[k],
                         plugs[plug].file) < KY_PLUG_PATH &&
                !access(path, R_OK);
    if (!found)
        *path = '\0';
    free(file);
}

const char *ky_plug_file(int plug)
{
    return plugs[plug].file;
}

const char *ky_mpi_plug(size_t index, const char **mpi)
{
    char path[KY_PLUG_PATH];
    for (int k = 0; k < KY_PLUGS_KNOWN; k++) {
        ky_plug_path(k, path);
        if (*path && !index--) {
            *mpi = plugs[k].kind;
            return plugs[k].file;
        }
    }
    return NULL;
}
