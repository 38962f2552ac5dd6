/* Ranks: the threads or processes that divide one system, and their collective calls.
 *
 * All ranks call the same functions in the same order. A result does not depend on which rank comes
 * first: data lie in the order of the ranks, and sums over ranks are made from gathered numbers in
 * an order that the caller chooses.
 *
 * A rank that fails ends the other ranks: each of their calls fails with its status and text. */
#ifndef KY_DOMAIN_COMM_H
#define KY_DOMAIN_COMM_H

#include "base/status.h"

struct ky_comm;

/* Data for a rank, or from it. */
struct ky_parcel {
    int rank;
    void *data;
    size_t bytes;
};

struct ky_comm_verbs {
    const char *name; /* "threads", or the library of MPI: "Open MPI 4.1.4" */
    /* All-gather: `bytes` bytes of every rank go to every rank; the bytes of rank r begin at all +
     * r × bytes. */
    enum ky_status (*gather)(struct ky_comm *comm, const void *own, size_t bytes, void *all,
                             struct ky_error *error);
    /* The same with bytes[r] bytes of rank r, one after the other. All ranks know all sizes. Where
     * one rank alone has bytes, `own` may be `all`. */
    enum ky_status (*gather_parts)(struct ky_comm *comm, const void *own, const size_t *bytes,
                                   void *all, struct ky_error *error);
    /* All-to-all: `bytes` bytes from every rank to each rank. The bytes for rank r begin at own + r
     * × bytes, the bytes from rank r at all + r × bytes. */
    enum ky_status (*deal)(struct ky_comm *comm, const void *own, size_t bytes, void *all,
                           struct ky_error *error);
    /* Sends and receives parcels, at most one from a rank to another, which may be the same one.
     * Both know the bytes. Ranks without parcels call it too. */
    enum ky_status (*exchange)(struct ky_comm *comm, const struct ky_parcel *out, size_t outs,
                               const struct ky_parcel *in, size_t ins, struct ky_error *error);
    /* All-reduce: each number becomes the sum over all ranks. Sums of whole numbers do not depend
     * on the order. */
    enum ky_status (*add)(struct ky_comm *comm, uint64_t *number, size_t count,
                          struct ky_error *error);
    /* Ends all ranks with this error: of processes at once, without return. */
    void (*fail)(struct ky_comm *comm, const struct ky_error *error);
};

struct ky_comm {
    const struct ky_comm_verbs *verbs;
    int rank, size;
    int local_rank, local_size;   /* among the ranks of this computer */
    int local_first;              /* the smallest rank of this computer */
    int is_process;               /* 1: ranks are processes; 0: threads of one */
    const struct ky_works *works; /* of a process; threads find the table in the order */
};

/* The function of a rank. */
typedef enum ky_status ky_rank_function(struct ky_comm *comm, void *context,
                                        struct ky_error *error);

/* Starts ranks 1 … size − 1, each a thread of this process that runs the function. The caller is
 * rank 0 and gets *first, until ky_comm_close. Its calls may come from any thread, one at a time.
 * KY_USAGE for less than one rank, KY_FAULT where memory is out or a thread cannot be made. */
enum ky_status ky_comm_open(int size, ky_rank_function *function, void *context,
                            struct ky_comm **first, struct ky_error *error);
/* Waits until the other ranks return; ranks that wait for rank 0 fail. Returns the status of the
 * rank that failed first, with its text. */
enum ky_status ky_comm_close(struct ky_comm *first, struct ky_error *error);

/* Runs the function on `size` ranks, each a thread of this process, and waits for all of them.
 * Returns the status of the rank that failed first, with its text; KY_USAGE for less than one rank,
 * KY_FAULT where a thread cannot be made, or where a rank returns while another waits for it. */
enum ky_status ky_comm_threads(int size, ky_rank_function *function, void *context,
                               struct ky_error *error);

/* Runs it on the ranks of MPI, of which this process is one, or on a world of one where no launcher
 * of MPI has started it. KY_UNSUPPORTED where a launcher has, and no plug-in for its MPI is here. A
 * process in which the function fails prints why, and ends all of them. */
enum ky_status ky_comm_mpi(ky_rank_function *function, void *context, struct ky_error *error);

/* `bytes` bytes of rank 0 to every rank. KY_FAULT when memory is out. */
enum ky_status ky_comm_tell(struct ky_comm *comm, void *data, size_t bytes, struct ky_error *error);
/* Sends out[r] elements of `bytes` bytes to rank r, and receives in[r] from it: one rank's after
 * the other's, at `own` and at `all`. The sizes are known to both. KY_FAULT when memory is out. */
enum ky_status ky_comm_trade(struct ky_comm *comm, const void *own, const size_t *out, void *all,
                             const size_t *in, size_t bytes, struct ky_error *error);
/* The elements of all ranks to rank 0, of `bytes` bytes each: counts[r] of rank r, one after the
 * other at `all`. The other ranks have no use for these two. KY_FAULT when memory is out. */
enum ky_status ky_comm_collect(struct ky_comm *comm, const void *own, size_t count, void *all,
                               const size_t *counts, size_t bytes, struct ky_error *error);
/* A meeting of all ranks: fails if one of them has failed. */
enum ky_status ky_comm_meet(struct ky_comm *comm, struct ky_error *error);

#endif
