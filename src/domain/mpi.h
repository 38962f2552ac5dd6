/* The MPI library of this process. The program is not linked with MPI: it opens the library under
 * which the launcher has started it. Libraries have one of three binary interfaces (ABIs). They
 * agree on the calls, and differ in the values and sizes of handles and in some constants. */
#ifndef KY_DOMAIN_MPI_H
#define KY_DOMAIN_MPI_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "domain/launchers.h"

/* A handle as an argument. It is a pointer or an int. A function that takes an int reads the lower
 * half of the register or stack slot that has the word. */
typedef uintptr_t ky_mpi_word;

/* A handle that a call writes; word_of of comm_mpi.c makes an argument of it. */
union ky_mpi_handle {
    ky_mpi_word pointer;
    unsigned int number;
};

/* F(name, arguments): the calls. Requests are arrays of handles. */
#define KY_MPI_CALLS(F)                                                                            \
    F(Abort, ky_mpi_word comm, int code)                                                           \
    F(Bcast, void *data, int count, ky_mpi_word type, int root, ky_mpi_word comm)                  \
    F(Comm_free, union ky_mpi_handle *comm)                                                        \
    F(Comm_rank, ky_mpi_word comm, int *rank)                                                      \
    F(Comm_size, ky_mpi_word comm, int *size)                                                      \
    F(Comm_split_type, ky_mpi_word comm, int type, int key, ky_mpi_word info,                      \
      union ky_mpi_handle *made)                                                                   \
    F(Finalize, void)                                                                              \
    F(Finalized, int *flag)                                                                        \
    F(Get_library_version, char *text, int *length)                                                \
    F(Iallgather, const void *own, int count, ky_mpi_word type, void *all, int each,               \
      ky_mpi_word of, ky_mpi_word comm, void *request)                                             \
    F(Iallgatherv, const void *own, int count, ky_mpi_word type, void *all, const int *counts,     \
      const int *places, ky_mpi_word of, ky_mpi_word comm, void *request)                          \
    F(Iallreduce, const void *own, void *all, int count, ky_mpi_word type, ky_mpi_word operation,  \
      ky_mpi_word comm, void *request)                                                             \
    F(Ialltoall, const void *own, int count, ky_mpi_word type, void *all, int each,                \
      ky_mpi_word of, ky_mpi_word comm, void *request)                                             \
    F(Ibarrier, ky_mpi_word comm, void *request)                                                   \
    F(Ibcast, void *data, int count, ky_mpi_word type, int root, ky_mpi_word comm, void *request)  \
    F(Init_thread, int *argc, char ***argv, int wanted, int *given)                                \
    F(Initialized, int *flag)                                                                      \
    F(Irecv, void *data, int count, ky_mpi_word type, int rank, int tag, ky_mpi_word comm,         \
      void *request)                                                                               \
    F(Isend, const void *data, int count, ky_mpi_word type, int rank, int tag, ky_mpi_word comm,   \
      void *request)                                                                               \
    F(Testall, int count, void *requests, int *done, void *statuses)

/* H(name, object, mpich, standard): the handles. In Open MPI a handle is the address of an object
 * that the library exports; MPICH and the standard ABI of MPI 5 have fixed values. */
#define KY_MPI_HANDLES(H)                                                                          \
    H(world, "ompi_mpi_comm_world", 0x44000000, 0x101)                                             \
    H(byte, "ompi_mpi_byte", 0x4c00010d, 0x247)                                                    \
    H(integer, "ompi_mpi_int", 0x4c000405, 0x209)                                                  \
    H(uint64, "ompi_mpi_uint64_t", 0x4c00083e, 0x259)                                              \
    H(sum, "ompi_mpi_op_sum", 0x58000003, 0x21)                                                    \
    H(no_info, "ompi_mpi_info_null", 0x1c000000, 0x130)

struct ky_mpi_abi {
    size_t handle;                       /* bytes of a handle */
    ky_mpi_word in_place, skip_statuses; /* MPI_IN_PLACE, MPI_STATUSES_IGNORE */
    int serialized, shared;              /* MPI_THREAD_SERIALIZED, MPI_COMM_TYPE_SHARED */
};

struct ky_mpi {
#define MEMBER(name, ...) int (*name)(__VA_ARGS__);
    KY_MPI_CALLS(MEMBER)
#undef MEMBER
#define MEMBER(name, object, mpich, standard) ky_mpi_word name;
    KY_MPI_HANDLES(MEMBER)
#undef MEMBER
    const struct ky_mpi_abi *abi;
    char name[256]; /* name and version: "Open MPI 4.1.4" */
};

/* Places in the list of files, for launchers. */
enum { KY_FILE_OPEN_MPI, KY_FILE_MPICH };

/* Opens the library for a launcher, and fills *mpi. It is the library that the process has loaded
 * already; else the one in the folder of the launcher's program; else the first one that the loader
 * finds and that fits. KY_UNSUPPORTED, with a reason, if there is none. */
enum ky_status ky_mpi_open(struct ky_mpi *mpi, const struct ky_launcher *launcher,
                           struct ky_error *error);

#endif
