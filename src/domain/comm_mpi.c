#define _GNU_SOURCE /* dladdr */
/* Ranks that are processes, which a launcher of MPI has started: through a plug-in (plug.h). */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "domain/comm.h"
#include "domain/plug.h"
#include "domain/plugs.h"

struct process {
    struct ky_comm comm; /* first: a pointer to it is one to the process */
    struct ky_plug plug;
    struct ky_comm_verbs verbs; /* named by the library */
};

static struct ky_plug *plug_of(struct ky_comm *comm)
{
    return &((struct process *)comm)->plug;
}

static enum ky_status told(struct ky_comm *comm, int wrong, struct ky_error *error)
{
    return wrong ? ky_fail(error, KY_FAULT, "%s: error %d", plug_of(comm)->library, wrong) : KY_OK;
}

static enum ky_status gather(struct ky_comm *comm, const void *own, size_t bytes, void *all,
                             struct ky_error *error)
{
    return told(comm, plug_of(comm)->gather(own, bytes, all), error);
}

static enum ky_status gather_parts(struct ky_comm *comm, const void *own, const size_t *bytes,
                                   void *all, struct ky_error *error)
{
    return told(comm, plug_of(comm)->gather_parts(own, bytes, all), error);
}

static enum ky_status deal(struct ky_comm *comm, const void *own, size_t bytes, void *all,
                           struct ky_error *error)
{
    return told(comm, plug_of(comm)->deal(own, bytes, all), error);
}

static enum ky_status exchange(struct ky_comm *comm, const struct ky_parcel *out, size_t outs,
                               const struct ky_parcel *in, size_t ins, struct ky_error *error)
{
    _Static_assert(sizeof(struct ky_parcel) == sizeof(struct ky_plug_parcel), "the same members");
    return told(comm,
                plug_of(comm)->exchange((const struct ky_plug_parcel *)out, outs,
                                        (const struct ky_plug_parcel *)in, ins),
                error);
}

static enum ky_status add(struct ky_comm *comm, uint64_t *number, size_t count,
                          struct ky_error *error)
{
    return told(comm, plug_of(comm)->add(number, count), error);
}

static void fail(struct ky_comm *comm, const struct ky_error *error)
{
    fprintf(stderr, "kyoho: rank %d: %s\n", comm->rank, error->text);
    plug_of(comm)->abort((int)error->status);
}

/* ---- launchers and plug-ins ---- */

static const struct launcher {
    const char *rank, *size;
    int plug;
} launchers[] = {
#define ROW(rank, size, plug) {rank, size, plug},
    KY_LAUNCHERS(ROW)
#undef ROW
};
enum { LAUNCHERS = sizeof launchers / sizeof *launchers };

static const struct {
    const char *file, *library, *kind;
} plugs[] = {
#define ROW(file, library, kind) {file, library, kind},
    KY_PLUGS(ROW)
#undef ROW
};
enum { PLUGS = sizeof plugs / sizeof *plugs };

/* Folders of plug-ins, from the folder of the file that this code is in: in a build, beside an
 * installed library, and from an installed command. */
static const char *const places[] = {"mpi", "kyoho", "../lib/kyoho"};
enum { PLACES = sizeof places / sizeof *places };

/* The launcher that has started this process; NULL: none has. */
static const struct launcher *find_launcher(void)
{
    for (int k = 0; k < LAUNCHERS; k++)
        if (getenv(launchers[k].rank))
            return &launchers[k];
    return NULL;
}

/* A number of the environment; `otherwise` if it is none. */
static long number_of(const char *name, long otherwise)
{
    const char *text = name ? getenv(name) : NULL;
    char *end = NULL;
    const long number = text ? strtol(text, &end, 10) : otherwise;
    return text && (end == text || *end) ? otherwise : number;
}

int ky_comm_launched(int *rank)
{
    const struct launcher *launcher = find_launcher();
    *rank = launcher ? (int)number_of(launcher->rank, 0) : 0;
    return launcher ? (int)number_of(launcher->size, 1) : 1;
}

/* Opens the plug-in from the first folder that has it. The library of MPI is to be seen by what it
 * opens itself. */
static void *load(const char *folder, const char *file)
{
    char path[4096];
    void *library = NULL;
    for (int k = 0; k < PLACES && !library; k++)
        if (snprintf(path, sizeof path, "%s/%s/%s", folder, places[k], file) < (int)sizeof path)
            library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    return library;
}

/* The folder of the file that this code is in. */
static enum ky_status find_folder(char *folder, size_t room, struct ky_error *error)
{
    Dl_info here;
    char *whole = dladdr(plugs, &here) ? realpath(here.dli_fname, NULL) : NULL;
    if (!whole)
        return ky_fail(error, KY_FAULT, "the folder of this program is not found");
    *strrchr(whole, '/') = '\0';
    const int length = snprintf(folder, room, "%s", whole);
    free(whole);
    return length < (int)room ? KY_OK
                              : ky_fail(error, KY_FAULT, "the path of this program is too long");
}

/* Begins MPI through the first plug-in that can be opened. */
static enum ky_status open_plug(struct process *process, const struct launcher *launcher,
                                struct ky_error *error)
{
    char folder[4096];
    enum ky_status status = find_folder(folder, sizeof folder, error);
    for (int k = 0; k < PLUGS && !status; k++) {
        void *library = load(folder, plugs[(launcher->plug + k) % PLUGS].file);
        ky_plug_open_function *open = NULL;
        if (library) /* a pointer to data and one to a function are alike where dlsym is */
            *(void **)&open = dlsym(library, KY_PLUG_OPEN);
        if (!open)
            continue;
        process->plug.size = sizeof process->plug;
        const int wrong = open(&process->plug);
        return wrong ? ky_fail(error, KY_FAULT, "MPI does not begin: error %d", wrong) : KY_OK;
    }
    return status ? status
                  : ky_fail(error, KY_UNSUPPORTED,
                            "a launcher of MPI has started this program (%s is set), and there is "
                            "no plug-in for its MPI: build where its mpicc is found, or start "
                            "the program without it",
                            launcher->rank);
}

/* Refuses a launcher of another MPI than that of the plug-in: each process is a world of one. */
static enum ky_status compare_worlds(const struct ky_plug *plug, const struct launcher *launcher,
                                     struct ky_error *error)
{
    const long ranks = number_of(launcher->size, plug->ranks);
    if (ranks == plug->ranks)
        return KY_OK;
    return ky_fail(error, KY_UNSUPPORTED,
                   "the launcher has started %ld ranks, of which %s knows %d: it belongs to "
                   "another MPI",
                   ranks, plug->library, plug->ranks);
}

enum ky_status ky_comm_mpi(ky_rank_function *function, void *context, struct ky_error *error)
{
    const struct launcher *launcher = find_launcher();
    if (!launcher)
        return ky_comm_threads(1, function, context, error);
    struct process process = {.verbs = {.gather = gather,
                                        .gather_parts = gather_parts,
                                        .deal = deal,
                                        .exchange = exchange,
                                        .add = add,
                                        .fail = fail}};
    enum ky_status status = open_plug(&process, launcher, error);
    if (status)
        return status;
    const struct ky_plug *plug = &process.plug;
    process.verbs.name = plug->library;
    process.comm = (struct ky_comm){&process.verbs,   plug->rank,        plug->ranks,
                                    plug->local_rank, plug->local_ranks, 1};
    status = compare_worlds(plug, launcher, error);
    if (!status)
        status = function(&process.comm, context, error);
    plug->finish();
    return status;
}
