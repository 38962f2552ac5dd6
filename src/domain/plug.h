/* The interface of libkyoho to MPI: a table that a plug-in fills. A plug-in is a small library that
 * is linked with one MPI, and is opened only in a process that a launcher has started: so the same
 * program runs without MPI, and with any MPI for which a plug-in was built (mk/mpi.mk). Functions
 * return 0, or an error of MPI, which ends the process with MPI's own message. */
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
    const char *only; /* given: the name of the library has to begin so; NULL: any will do */
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

/* Begins MPI and fills the table. 0; an error of MPI; or, before MPI begins, KY_PLUG_OLD where the
 * table has another size than the plug-in knows, KY_PLUG_OTHER where the library has another name
 * than `only`: its own is then in `library`. The name of the function in the plug-in is
 * KY_PLUG_OPEN. */
enum { KY_PLUG_OLD = -1, KY_PLUG_OTHER = -2 };
typedef int ky_plug_open_function(struct ky_plug *plug);
#define KY_PLUG_OPEN "ky_plug_open"

#endif
