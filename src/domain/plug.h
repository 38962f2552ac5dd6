/* The interface between libkyoho and MPI: a table of functions that a plug-in fills. A plug-in is a
 * small library that is linked with one MPI. It is opened only in a process that a launcher has
 * started, so the same program runs without MPI, and with any MPI for which a plug-in was built
 * (mk/mpi.mk). Functions return 0, or an MPI error, after which the process ends with MPI's own
 * message. */
#ifndef KY_DOMAIN_PLUG_H
#define KY_DOMAIN_PLUG_H

#include <stddef.h>
#include <stdint.h>

struct ky_plug_parcel { /* as struct ky_parcel */
    int rank;
    void *data;
    size_t bytes;
};

struct ky_plug {
    size_t size;      /* of this struct */
    const char *only; /* given: the name of the library must begin with it; NULL: any name */
    int rank, ranks, local_rank, local_ranks, local_first; /* as in struct ky_comm */
    char library[256];                                     /* name and version: "Open MPI 4.1.4" */
    int (*gather)(const void *own, size_t bytes, void *all);
    int (*gather_parts)(const void *own, const size_t *bytes, void *all);
    int (*deal)(const void *own, size_t bytes, void *all);
    int (*exchange)(const struct ky_plug_parcel *out, size_t outs, const struct ky_plug_parcel *in,
                    size_t ins);
    int (*add)(uint64_t *number, size_t count);
    void (*abort)(int code);
    void (*finish)(void);
};

/* Begins MPI and fills the table. Returns 0 or an MPI error. Before MPI begins it may return
 * KY_PLUG_OLD if the table has not the size that the plug-in knows, or KY_PLUG_OTHER if the
 * library's name does not begin with `only`; `library` then has its name. The function in the
 * plug-in is called KY_PLUG_OPEN. */
enum { KY_PLUG_OLD = -1, KY_PLUG_OTHER = -2 };
typedef int ky_plug_open_function(struct ky_plug *plug);
#define KY_PLUG_OPEN "ky_plug_open"

#endif
