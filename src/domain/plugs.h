/* The table of plug-ins, the launchers by which one is chosen, and the path of a plug-in. */
#ifndef KY_DOMAIN_PLUGS_H
#define KY_DOMAIN_PLUGS_H

#include <stddef.h>

/* P(file, library, kind): the plug-in's file, the MPI library that it needs, and the kind of MPI.
 * mk/make-plugs builds the right one for each mpicc that it is given. */
#define KY_PLUGS(P)                                                                                \
    P("kyoho_mpi_40.so", "libmpi.so.40", "Open MPI 4 and 5")                                       \
    P("kyoho_mpi_12.so", "libmpi.so.12", "MPICH, Intel MPI, MVAPICH and Cray MPICH")               \
    P("kyoho_mpi_abi.so", "libmpi_abi.so.1", "MPI with the ABI of MPI 5")
#define KY_PLUG_ONE(file, library, kind) +1
enum { KY_PLUGS_KNOWN = 0 KY_PLUGS(KY_PLUG_ONE) };

/* L(rank, size, here, plug, only): environment variables in which a launcher passes the rank, the
 * number of ranks and the rank on this machine; the plug-in that is tried first; and the name of
 * the MPI, for launchers under which another MPI would end the process with its own message. */
#define KY_LAUNCHERS(L)                                                                            \
    L("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", 0, "Open MPI") \
    L("PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", 1, NULL)                                          \
    L("PMIX_RANK", "SLURM_NTASKS", "SLURM_LOCALID", 0, NULL)

struct ky_launcher {
    const char *rank, *size, *here;
    int plug;
    const char *only;
};

/* The launcher that has started this process; NULL: none has. */
const struct ky_launcher *ky_launcher_find(void);
/* The number of ranks that it has started; `otherwise` if it is not known. */
long ky_launcher_size(const struct ky_launcher *launcher, long otherwise);

/* 1 if a launcher has started this process as the first one of its machine. */
int ky_launcher_is_first_here(void);

/* Makes the launcher end all processes with this code; for a process in which MPI has not begun.
 * Only MPICH's launcher is asked: it would let the other processes wait in MPI_Init. Other
 * launchers end all processes when one exits with an error. */
void ky_launcher_abort(int code);

/* The path of the plug-in with this place in KY_PLUGS: from the first folder that has it, or "". It
 * is not opened. */
enum { KY_PLUG_PATH = 4096 };
void ky_plug_path(int plug, char path[KY_PLUG_PATH]);
/* "kyoho_mpi_40.so" */
const char *ky_plug_file(int plug);

#endif
