/* Communication between ranks. Ranks are the threads or processes that divide one system.
 *
 * All calls are collective: all ranks call the same functions in the same order. Results do not
 * depend on timing: data lie in the order of the ranks, and sums over ranks are made from gathered
 * numbers in an order that the caller chooses.
 *
 * When a rank fails, every call on the other ranks fails with its status and text. */
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
    /* All-gather of `bytes` bytes from each rank: the data of rank r are at all + r × bytes. */
    enum ky_status (*gather)(struct ky_comm *comm, const void *own, size_t bytes, void *all,
                             struct ky_error *error);
    /* All-gather of bytes[r] bytes from rank r, stored one after the other. All ranks know all
     * sizes. If only one rank has bytes, `own` may be `all`. */
    enum ky_status (*gather_parts)(struct ky_comm *comm, const void *own, const size_t *bytes,
                                   void *all, struct ky_error *error);
    /* All-to-all of `bytes` bytes for each pair: the data for rank r are at own + r × bytes, the
     * data from rank r at all + r × bytes. */
    enum ky_status (*deal)(struct ky_comm *comm, const void *own, size_t bytes, void *all,
                           struct ky_error *error);
    /* Sends and receives parcels: at most one for each pair of ranks; a rank may send to itself.
     * Both sides know the number of bytes. Ranks without parcels call it too. */
    enum ky_status (*exchange)(struct ky_comm *comm, const struct ky_parcel *out, size_t outs,
                               const struct ky_parcel *in, size_t ins, struct ky_error *error);
    /* All-reduce: each number becomes the sum over all ranks. Integer sums do not depend on the
     * order. */
    enum ky_status (*add)(struct ky_comm *comm, uint64_t *number, size_t count,
                          struct ky_error *error);
    /* Ends all ranks with this error. With processes it does so at once and does not return. */
    void (*fail)(struct ky_comm *comm, const struct ky_error *error);
};

struct ky_comm {
    const struct ky_comm_verbs *verbs;
    int rank, size;
    int local_rank, local_size;   /* among the ranks of this computer */
    int local_first;              /* the smallest rank of this computer */
    int is_process;               /* 1: ranks are processes; 0: threads of one */
    const struct ky_tasks *tasks; /* ranks that are processes: the table of collective tasks; ranks
                                     that are threads get it in the order */
};

/* The function that a rank runs. */
typedef enum ky_status ky_rank_function(struct ky_comm *comm, void *context,
                                        struct ky_error *error);

/* Starts ranks 1 … size − 1, each a thread of this process that runs the function. The caller is
 * rank 0 and gets *first, until ky_comm_close. Its calls may come from any thread, one at a time.
 * KY_USAGE for less than one rank, KY_FAULT if memory runs out or a thread cannot be made. */
enum ky_status ky_comm_open(int size, ky_rank_function *function, void *context,
                            struct ky_comm **first, struct ky_error *error);
/* Waits until the other ranks return; ranks that wait for rank 0 fail. Returns the status of the
 * rank that failed first, with its text. */
enum ky_status ky_comm_close(struct ky_comm *first, struct ky_error *error);

/* Runs the function on `size` ranks, each a thread of this process, and waits for all of them.
 * Returns the status of the rank that failed first, with its text; KY_USAGE for less than one rank,
 * KY_FAULT if a thread cannot be made, or if a rank returns while another waits for it. */
enum ky_status ky_comm_threads(int size, ky_rank_function *function, void *context,
                               struct ky_error *error);

/* Runs it on the ranks of MPI, of which this process is one; without an MPI launcher, on one rank.
 * KY_UNSUPPORTED if a launcher has started the process but no library of its MPI is found. A
 * process in which the function fails prints the error and ends all processes. */
enum ky_status ky_comm_mpi(ky_rank_function *function, void *context, struct ky_error *error);

/* All-gather of `bytes` bytes from each rank into new memory. `all`: a pointer to a pointer, which
 * the caller frees; it becomes NULL after a failure. KY_FAULT if memory runs out. */
enum ky_status ky_comm_gather(struct ky_comm *comm, const void *own, size_t bytes, void *all,
                              struct ky_error *error);
/* Broadcasts `bytes` bytes from rank 0. KY_FAULT if memory runs out. */
enum ky_status ky_comm_broadcast(struct ky_comm *comm, void *data, size_t bytes,
                                 struct ky_error *error);
/* All-to-all with different sizes: sends out[r] elements of `bytes` bytes to rank r and receives
 * in[r] elements from it. At `own` and `all` the elements lie in the order of the ranks. Both sides
 * know the sizes. KY_FAULT if memory runs out. */
enum ky_status ky_comm_all_to_all(struct ky_comm *comm, const void *own, const size_t *out,
                                  void *all, const size_t *in, size_t bytes,
                                  struct ky_error *error);
/* Gathers elements of `bytes` bytes on rank 0: counts[r] from rank r, in the order of the ranks at
 * `all`. The other ranks ignore `counts` and `all`. KY_FAULT if memory runs out. */
enum ky_status ky_comm_collect(struct ky_comm *comm, const void *own, size_t count, void *all,
                               const size_t *counts, size_t bytes, struct ky_error *error);
/* A barrier; fails if one of the ranks has failed. */
enum ky_status ky_comm_barrier(struct ky_comm *comm, struct ky_error *error);

#endif
