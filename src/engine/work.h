/* Collective works of higher layers on all bodies of a system that several engines share, in the
 * caller's order: each engine works on some blocks, and the results are exchanged. */
#ifndef KY_ENGINE_WORK_H
#define KY_ENGINE_WORK_H

#include "base/bodies.h"
#include "base/portion.h"

/* Where one of them works. */
struct ky_work_place {
    struct ky_portion portion;
    struct ky_bodies bodies; /* of the portion; their arrays are NULL at first, and come from
                                ky_allocate */
    int threads;
    void *context;
    /* Gets an array of the portion's bodies from the engines. Fails if a rank has failed, and with
     * KY_FAULT when memory is out. */
    enum ky_status (*fetch)(struct ky_work_place *place, enum ky_array_id array,
                            struct ky_error *error);
};

struct ky_work {
    size_t bytes; /* of `told` */
    int makes;    /* 1: the bodies stay where they are made until ky_engine_read takes them; else
                     their arrays are freed */
    /* told: the caller's arguments, which all ranks get; the caller gets their final value from the
     * rank that leads. *outcome: an error of the work, which then ends on all ranks with the same
     * outcome. A failure ends all ranks. */
    enum ky_status (*run)(struct ky_work_place *place, void *told, struct ky_error *outcome,
                          struct ky_error *error);
};

/* All works of a program: processes know one by its number. */
struct ky_works {
    size_t count;
    const struct ky_work *of;
};

#endif
