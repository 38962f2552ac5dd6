/* Ranks that are processes, which a launcher of MPI has started: through a plug-in (plug.h). */
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>

#include "base/host.h"
#include "domain/comm.h"
#include "domain/plug.h"
#include "domain/plugs.h"
#include "kyoho/kyoho.h"

struct process {
    struct ky_comm comm; /* the first member, so that a pointer to it is also a pointer to the
                            process */
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

/* A launcher may end before it has forwarded the last output of a process. */
static void wait_for_launcher(void)
{
    nanosleep(&(struct timespec){0, 300000000}, NULL);
}

static void fail(struct ky_comm *comm, const struct ky_error *error)
{
    char host[KY_HOST_NAME];
    fprintf(stderr, "kyoho: rank %d on %s: %s\n", comm->rank, ky_host_name(host), error->text);
    wait_for_launcher();
    plug_of(comm)->abort((int)error->status);
}

/* ---- opening ---- */

/* Begins MPI through one plug-in. KY_UNSUPPORTED, with a reason, if the plug-in exists but does not
 * fit this launcher; it is unloaded then. *begun: 1 if MPI has begun. The MPI library is loaded
 * with global symbols because the libraries that it opens itself need them. */
static enum ky_status try_plug(struct ky_plug *plug, int which, int *begun, struct ky_error *error)
{
    char path[KY_PLUG_PATH];
    ky_plug_open_function *open = NULL;
    const char *file = ky_plug_file(which);
    ky_plug_path(which, path);
    void *library = *path ? dlopen(path, RTLD_NOW | RTLD_GLOBAL) : NULL;
    if (library) /* POSIX: a pointer to data can hold a function wherever dlsym exists */
        *(void **)&open = dlsym(library, KY_PLUG_OPEN);
    const int wrong = open ? open(plug) : 0;
    *begun = open && !wrong;
    if (wrong > 0)
        return ky_fail(error, KY_FAULT, "MPI cannot be initialised: error %d", wrong);
    if (*path && !open)
        ky_fail(error, KY_UNSUPPORTED, "%s cannot be opened (%s)", file, dlerror());
    else if (wrong == KY_PLUG_OLD)
        ky_fail(error, KY_UNSUPPORTED, "%s belongs to another version of Kyoho", file);
    else if (wrong == KY_PLUG_OTHER)
        ky_fail(error, KY_UNSUPPORTED, "%s is for %s", file, plug->library);
    if (library && !*begun)
        dlclose(library);
    return *path && !*begun ? KY_UNSUPPORTED : KY_OK;
}

/* Begins MPI through the first plug-in that can. */
static enum ky_status open_plug(struct ky_plug *plug, const struct ky_launcher *launcher,
                                struct ky_error *error)
{
    struct ky_error first = {KY_OK, "there is no plug-in for its MPI"}, why;
    int begun = 0;
    for (int k = 0; k < KY_PLUGS_KNOWN && !begun; k++) {
        *plug = (struct ky_plug){.size = sizeof *plug, .only = launcher->only};
        const enum ky_status status =
            try_plug(plug, (launcher->plug + k) % KY_PLUGS_KNOWN, &begun, &why);
        if (status && !first.status)
            first = why;
        if (status == KY_FAULT)
            return ky_fail(error, status, "%s", why.text);
    }
    if (begun)
        return KY_OK;
    char host[KY_HOST_NAME];
    return ky_fail(error, KY_UNSUPPORTED,
                   "an MPI launcher has started this program on %s (%s is set), and %s: build a "
                   "plug-in with its mpicc (make plugs), or start the program without the launcher",
                   ky_host_name(host), launcher->rank, first.text);
}

/* Refuses a launcher that belongs to another MPI than the plug-in: each process would be a world of
 * one rank. */
static enum ky_status compare_worlds(const struct ky_plug *plug, const struct ky_launcher *launcher,
                                     struct ky_error *error)
{
    const long ranks = ky_launcher_size(launcher, plug->ranks);
    if (ranks == plug->ranks)
        return KY_OK;
    return ky_fail(error, KY_UNSUPPORTED,
                   "the launcher has started %ld ranks, of which %s knows %d: it belongs to "
                   "another MPI, so use the mpiexec of %s, or build a plug-in with the mpicc of "
                   "the launcher (make plugs)",
                   ranks, plug->library, plug->ranks, plug->library);
}

static int is_missed; /* MPI has not begun in this process, and other processes may wait for it */
static int has_told;  /* this process has printed the error */

static void abandon(int code)
{
    wait_for_launcher();
    ky_launcher_abort(code);
    wait_for_launcher();
}

void ky_mpi_abandon(int code)
{
    int rank;
    ky_mpi_launched(&rank);
    if (rank && !has_told) /* the launcher ends all processes as soon as one ends with an error */
        nanosleep(&(struct timespec){.tv_sec = 3}, NULL);
    else if (!rank && is_missed)
        abandon(code);
}

enum ky_status ky_comm_mpi(ky_rank_function *function, void *context, struct ky_error *error)
{
    const struct ky_launcher *launcher = ky_launcher_find();
    struct ky_error own;
    error = error ? error : &own; /* fail prints it */
    if (!launcher)
        return ky_comm_threads(1, function, context, error);
    struct process process = {.verbs = {.gather = gather,
                                        .gather_parts = gather_parts,
                                        .deal = deal,
                                        .exchange = exchange,
                                        .add = add,
                                        .fail = fail}};
    enum ky_status status = open_plug(&process.plug, launcher, error);
    if (status) {
        int rank;
        ky_mpi_launched(&rank);
        is_missed = 1;
        if (rank && ky_launcher_is_first_here()) { /* rank 0 may have its plug-in */
            fprintf(stderr, "kyoho: rank %d: %s\n", rank, error->text);
            has_told = 1;
            abandon((int)status);
        }
        return status;
    }
    const struct ky_plug *plug = &process.plug;
    process.verbs.name = plug->library;
    process.comm =
        (struct ky_comm){&process.verbs,    plug->rank,        plug->ranks,    plug->local_rank,
                         plug->local_ranks, plug->local_first, .is_process = 1};
    status = compare_worlds(plug, launcher, error);
    if (!status) {
        status = function(&process.comm, context, error);
        if (status) /* the other processes may wait for this one */
            fail(&process.comm, error);
    }
    plug->finish();
    return status;
}
