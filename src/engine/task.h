/* Collective tasks: a higher layer hands a function to all ranks. Each rank applies it to
 * its blocks of bodies, in the caller's order, and the results are reduced over the ranks. */
#ifndef KY_ENGINE_TASK_H
#define KY_ENGINE_TASK_H

#include "base/bodies.h"
#include "base/portion.h"

/* The portion of a rank that executes a task. */
struct ky_task_share {
    struct ky_portion portion;
    struct ky_bodies bodies; /* of the portion; their arrays are NULL at first, and come from
                                ky_allocate */
    int threads;
    void *context;
    /* Gets an array of the portion's bodies from the engines. Fails if one of the ranks has failed,
     * and with KY_FAULT if memory runs out. */
    enum ky_status (*fetch)(struct ky_task_share *share, enum ky_array_id array,
                            struct ky_error *error);
};

struct ky_task {
    size_t bytes; /* of `told` */
    int makes;    /* 1: the bodies stay where they are made until ky_engine_take takes them; else
                     their arrays are freed */
    /* told: the caller's arguments, broadcast to all ranks; the caller gets the content of the
     * leading rank afterwards. *outcome: an error in the arguments; then the task ends on all ranks
     * with the same outcome. A failure ends all ranks. */
    enum ky_status (*run)(struct ky_task_share *share, void *told, struct ky_error *outcome,
                          struct ky_error *error);
};

/* All tasks of a program: orders between processes name a task by its index in this table. */
struct ky_tasks {
    size_t count;
    const struct ky_task *of;
};

#endif
