/* The work of ky_few_integrate (few_systems.c), and one of its systems (few_one.c). */
#ifndef KY_INTEGRATE_FEW_WORK_H
#define KY_INTEGRATE_FEW_WORK_H

#include "base/halt.h"
#include "engine/few.h"
#include "few/few.h"

struct ky_few_order {
    double cost; /* of the system, relative to others */
    size_t system;
};

struct ky_few_work {
    const struct ky_few_systems *systems;
    struct ky_few_settings settings;
    const double *radius; /* [count × bodies] or one for all; NULL: none */
    struct ky_halt halt;
    struct ky_few_order *order; /* [count] */
    double cost;                /* of all systems */
    uint64_t done;              /* of `whole` */
    size_t finished;            /* systems */
    double told;                /* when `tell` was called last */
    size_t taken;               /* systems that threads have begun */
    int is_telling, threads;
    ky_few_function *steps;       /* of a batch; NULL: every system alone */
    struct ky_few_device *device; /* NULL: the CPU */
};

/* A system on its way, and its state at the time that is asked for. */
struct ky_few_one {
    const struct ky_few_order *order;
    size_t next;                   /* the time that it has to reach */
    struct ky_few few, before;     /* before: at the beginning of the step with the contact */
    struct ky_few_contact contact; /* body[0] is -1: none yet */
    const struct ky_few *shown;    /* has the bodies at `time` */
    double time, energy;
    enum ky_few_end end;
};

/* Starts the bodies of a system. Fails as ky_few_start. */
enum ky_status ky_few_start_of(const struct ky_few_work *work, size_t system, struct ky_few *few,
                               struct ky_error *error);
/* Begins with a system, which can be started. */
void ky_few_begin(const struct ky_few_work *work, const struct ky_few_order *order,
                  struct ky_few_one *one);
/* If a system has reached its next time, or its end before it: gives its bodies at this time, and
 * returns 1. 0: it has to take a step. */
int ky_few_show(const struct ky_few_work *work, struct ky_few_one *one);
/* Gives the end of a system that was shown at all times. */
void ky_few_report(struct ky_few_work *work, const struct ky_few_one *one);
/* Shows a system at all times that it has reached. 1: it has to take a step; 0: it is reported. */
int ky_few_has_to_step(struct ky_few_work *work, struct ky_few_one *one);
/* Some steps of a system that has to take one. */
void ky_few_step_alone(const struct ky_few_work *work, struct ky_few_one *one);
/* Advances one system from its beginning to its end, or until the halt. */
void ky_few_alone(struct ky_few_work *work, const struct ky_few_order *order,
                  struct ky_few_one *one);

/* few_device.c: all systems, of two to KY_FEW_ON_DEVICE bodies each, on work->device. */
enum ky_status ky_few_on_device(struct ky_few_work *work, struct ky_error *error);

#endif
