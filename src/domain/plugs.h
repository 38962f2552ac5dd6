/* The table of plug-ins, and of the launchers that tell them apart. */
#ifndef KY_DOMAIN_PLUGS_H
#define KY_DOMAIN_PLUGS_H

/* P(file, library, kind): the plug-in's file, the library of MPI that it needs, and what has that
 * library. mk/mpi.mk builds the one of each mpicc that is found. */
#define KY_PLUGS(P)                                                                                \
    P("kyoho_mpi_40.so", "libmpi.so.40", "Open MPI 4 and 5")                                       \
    P("kyoho_mpi_12.so", "libmpi.so.12", "MPICH, Intel MPI, MVAPICH and Cray MPICH")               \
    P("kyoho_mpi_abi.so", "libmpi_abi.so.1", "MPI with the ABI of MPI 5")

/* L(rank, size, plug): variables in which a launcher tells the rank and the number of ranks; and
 * the plug-in that is tried first. */
#define KY_LAUNCHERS(L)                                                                            \
    L("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", 0)                                           \
    L("PMI_RANK", "PMI_SIZE", 1)                                                                   \
    L("PMIX_RANK", "SLURM_NTASKS", 0)

#endif
