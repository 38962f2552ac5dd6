/* The stop flag of a call: loops look at it and leave out the rest of their work.
 *
 * Another thread may clear the flag while the call goes on. So it is noted that a loop has seen it,
 * and a call whose loops have left out work always says so. */
#ifndef KY_BASE_HALT_H
#define KY_BASE_HALT_H

#include "base/status.h"

struct ky_halt {
    const volatile int *flag; /* of the caller, or NULL: never */
    int seen;                 /* 1: the call is to end; set by any of its threads */
};

/* 1 if the call is to end. `halt` NULL: never. For loops of several threads. */
static inline int ky_halted(struct ky_halt *halt)
{
    if (!halt || !halt->flag)
        return 0;
    if (__atomic_load_n(&halt->seen, __ATOMIC_RELAXED))
        return 1;
    if (!*halt->flag)
        return 0;
    __atomic_store_n(&halt->seen, 1, __ATOMIC_RELAXED);
    return 1;
}

/* KY_STOPPED if the flag is set, or was when a loop looked at it. */
static inline enum ky_status ky_halt_check(struct ky_halt *halt, struct ky_error *error)
{
    return ky_halted(halt)
               ? ky_fail(
                     error, KY_STOPPED,
                     "stopped by the program before the call was complete: there are no results")
               : KY_OK;
}

#endif
