/* The launchers of MPI, which tell a process its rank by environment variables. */
#ifndef KY_DOMAIN_LAUNCHERS_H
#define KY_DOMAIN_LAUNCHERS_H

struct ky_launcher {
    const char *rank, *size, *here; /* variables: the rank, the number of ranks, and the rank on
                                       this machine */
    int first;        /* the place in mpi.c's list of files of the library that is tried first */
    const char *only; /* the name of its MPI, if another MPI would end the process with its own
                         message; else NULL */
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

#endif
