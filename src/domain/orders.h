/* Orders: the calls that rank 0 broadcasts to the other ranks. */
#ifndef KY_DOMAIN_ORDERS_H
#define KY_DOMAIN_ORDERS_H

#include "domain/domain.h"

/* How the ranks end an order. KY_NO_BARRIER: without a barrier. KY_BARRIER_AFTER: a barrier, for
 * orders in which a rank may fail. KY_STOPPABLE: also, the loops obey the stop flag of rank 0's
 * caller. */
enum { KY_NO_BARRIER, KY_BARRIER_AFTER, KY_STOPPABLE };

/* ORDER(name, how) */
#define KY_DOMAIN_ORDERS(ORDER)                                                                    \
    ORDER(open, KY_BARRIER_AFTER)                                                                  \
    ORDER(put, KY_BARRIER_AFTER)                                                                   \
    ORDER(get, KY_BARRIER_AFTER)                                                                   \
    ORDER(take, KY_BARRIER_AFTER)                                                                  \
    ORDER(task, KY_BARRIER_AFTER)                                                                  \
    ORDER(write, KY_BARRIER_AFTER)                                                                 \
    ORDER(get_some, KY_BARRIER_AFTER)                                                              \
    ORDER(put_some, KY_BARRIER_AFTER)                                                              \
    ORDER(forces, KY_BARRIER_AFTER)                                                                \
    ORDER(kick, KY_NO_BARRIER)                                                                     \
    ORDER(drift, KY_NO_BARRIER)                                                                    \
    ORDER(sums, KY_BARRIER_AFTER)                                                                  \
    ORDER(exact, KY_STOPPABLE)                                                                     \
    ORDER(field, KY_STOPPABLE)                                                                     \
    ORDER(tides, KY_STOPPABLE)                                                                     \
    ORDER(walk, KY_STOPPABLE)                                                                      \
    ORDER(columns, KY_BARRIER_AFTER)                                                               \
    ORDER(put_column, KY_BARRIER_AFTER)                                                            \
    ORDER(get_column, KY_BARRIER_AFTER)                                                            \
    ORDER(advance, KY_BARRIER_AFTER)                                                               \
    ORDER(trim, KY_NO_BARRIER)                                                                     \
    ORDER(close, KY_NO_BARRIER)                                                                    \
    ORDER(leave, KY_NO_BARRIER)
#define KY_DOMAIN_ORDER(name, how) KY_ORDER_##name,
enum ky_order_kind { KY_DOMAIN_ORDERS(KY_DOMAIN_ORDER) KY_ORDERS_OF_DOMAINS };

/* The most arrays of an order. */
enum { KY_ORDER_LISTS = 4 };

struct ky_order_data;
struct ky_order {
    enum ky_order_kind kind;
    unsigned with; /* rows: the arrays; open: schemes; columns: the set; task: the number of the
                      task */
    int copies;    /* open */
    size_t n;      /* number of bodies, of listed bodies or of points; put_column, get_column: the
                      column; walk: number of radii */
    enum ky_action_id action; /* walk */
    size_t k;                 /* walk: neighbours */
    double softening;         /* of points without their own */
    double eps;               /* softening of bodies without their own, at the present */
    double dt;                /* [time] */
    double time;              /* time at which external fields act; serial number of the fields */
    uint64_t fields;
    int function; /* 1: the last field is a function of the caller */
    struct ky_engine_frame units;
    struct ky_advance way;
    const volatile int *stop;     /* the caller's flag, or NULL: of the process of rank 0 */
    const struct ky_tasks *tasks; /* task: the table of tasks, in the process of rank 0 */
    struct {
        size_t count, size;           /* size 0: there is none */
    } list[KY_ORDER_LISTS];           /* arrays that are broadcast with it */
    const struct ky_order_data *data; /* of this rank */
};

/* Arguments and results of an order that only rank 0 has, and the arrays, of which every rank has a
 * copy while it executes the order. */
struct ky_order_data {
    void *list[KY_ORDER_LISTS];
    const struct ky_parameters *parameters;
    const struct ky_bodies *bodies;
    struct ky_bodies *to;
    struct ky_write_plan *plan;
    struct ky_error *outcome; /* a fault of the data: fails the order, and leaves the ranks as they
                                 were */
    void *told;               /* arguments of a task */
    const double *numbers;
    double *to_numbers;
    const char *field;                    /* text of the external fields, or NULL */
    const struct ky_externals *externals; /* all of them */
    const struct ky_walk_request *request;
    struct ky_halt *halt; /* of the caller, for orders that heed it; or NULL */
    double (*acceleration)[3], *potential, (*tide)[6];
    struct ky_raw_sums *sums;
    struct ky_force_report *report;
    struct ky_advance *way;
};

/* Adds an array to an order; NULL adds none. */
static inline void ky_order_list(struct ky_order *order, struct ky_order_data *data, int place,
                                 const void *list, size_t count, size_t size)
{
    order->list[place].count = count;
    order->list[place].size = list ? size : 0;
    data->list[place] = (void *)list; /* is read only */
}

/* walk.c. Executes a walk with an action for the bodies of all ranks. Rank 0 has
 * order->data->request, whose arrays get the results. *order->data->outcome: KY_USAGE if the
 * caller's lists are too short, KY_BAD_DATA if a position is not finite. */
enum ky_status ky_domain_walk(struct ky_domain *domain, const struct ky_order *order,
                              struct ky_error *error);

/* points.c. The engine's verbs for the sinks or the points of the order. Rank 0 has the arrays for
 * the results, to which external fields do not contribute. *order->data->outcome: the error if the
 * devices do not support the call, if the device of a rank lacks the memory for many points, or if
 * a body has no finite position. */
enum ky_status ky_domain_exact(struct ky_domain *domain, const struct ky_order *order,
                               struct ky_error *error);
enum ky_status ky_domain_field(struct ky_domain *domain, const struct ky_order *order,
                               struct ky_error *error);
enum ky_status ky_domain_tides(struct ky_domain *domain, const struct ky_order *order,
                               struct ky_error *error);

/* Executes an order on rank 0 and broadcasts it to the other ranks. After a failure only
 * KY_ORDER_close and KY_ORDER_leave are allowed. */
enum ky_status ky_order_give(struct ky_domain *domain, const struct ky_order *order,
                             const struct ky_order_data *data, struct ky_error *error);
/* A ky_rank_function of the other ranks: executes the orders of rank 0 until KY_ORDER_leave. If
 * `context` is not NULL it points to an int, which then becomes order.n. */
enum ky_status ky_order_obey(struct ky_comm *comm, void *context, struct ky_error *error);

#endif
