/* The part of a process's state that the GRAPE-6 and GRAPE-5 calls have in common: the boards, kept
 * from one opening to the next, and whether this is still the process that opened them. */
#ifndef KY_GRAPE_PROCESS_H
#define KY_GRAPE_PROCESS_H

#include "grape/pool.h"

struct ky_grape_process {
    int precision; /* the default, and the coarsest: KY_SINGLE only for GRAPE-5 */
    int open;      /* between open and close */
    int failed;    /* a device failed: no call works until it is opened again */
    struct ky_grape_settings settings;
    struct ky_pool *pool; /* NULL: no boards are open */
};

/* These return 0, or not 0 after printing why. Opens the boards that the settings ask for, unless
 * they are there from before; does nothing while it is open. */
int ky_grape_open(struct ky_grape_process *process, size_t special, const int *list);
/* Forgets the bodies, and boards that failed. */
int ky_grape_close(struct ky_grape_process *process);
/* The number of sinks that a call should have: KYOHO_NPIPES, also before it is opened. */
int ky_grape_pipes(const struct ky_grape_process *process);
/* Not 0 if calls are impossible: nothing is open, a device has failed, or this is a child after
 * fork. */
int ky_grape_unusable(struct ky_grape_process *process);
/* 0 for KY_OK. After a failure that is not the caller's own, no call works until it is opened
 * again. */
int ky_grape_result(struct ky_grape_process *process, const char *call, enum ky_status status,
                    const struct ky_error *error);

#endif
