/* One system on several ranks (comm.h). Each rank has an engine with its share of the bodies, which
 * is a range of the curve. `index` has the numbers of its bodies in the caller's order.
 *
 * Rank 0 is led by the caller through the verbs of an engine (engine.c). It broadcasts each call as
 * an order, and all ranks then execute it together. Results do not depend on the number of ranks:
 * the trees of the ranks are parts of one tree (octree/parts.h), and sums are sums of integers,
 * which do not depend on the order. */
#ifndef KY_DOMAIN_DOMAIN_H
#define KY_DOMAIN_DOMAIN_H

#include "base/write_plan.h"
#include "domain/comm.h"
#include "engine/engine.h"
#include "engine/task.h"
#include "octree/octree.h"

/* Counts of a rank's exchange for its last tree. */
struct ky_domain_told {
    size_t roots;         /* of all ranks */
    size_t asked, boxes;  /* ranks that asked this one for more than its roots, and their boxes */
    size_t cells, bodies; /* received from other ranks, without their roots */
    size_t coming, going; /* bytes received and bytes sent */
    size_t moved;         /* bodies that left the rank before it */
};

/* Work space of a rank; it is kept between calls. */
enum ky_work_space {
    KY_SPACE_X,
    KY_SPACE_KEY,
    KY_SPACE_ORDER,
    KY_SPACE_TO,
    KY_SPACE_GONE,
    KY_SPACE_SAMPLE,
    KY_SPACE_SAMPLES,
    KY_SPACES
};

/* Room for the name of an engine with its devices. */
enum { KY_ENGINE_NAME = 256 };

struct ky_domain {
    struct ky_comm *comm;
    struct ky_parameters parameters; /* of the rank's engine */
    struct ky_engine *engine;
    struct ky_shared shared;        /* the engine's access to the other ranks */
    char processor[KY_ENGINE_NAME]; /* of the engine, as --engine takes it */
    char devices[KY_ENGINE_NAME];   /* of all ranks, "cuda:0, cuda:1"; "": they have none */
    size_t device_count;            /* number of distinct names; different computers may have the
                                       same names */
    int odd; /* the first rank whose processor has other bits than the processor of rank 0; 0: none
              */
    char *field;          /* text of the external fields, or NULL */
    uint64_t fields;      /* their serial number on rank 0 */
    int copies;           /* 1: every rank has all bodies, and computes some sinks' sums */
    size_t total;         /* bodies of the system */
    int is_settled;       /* each body is on the rank whose range holds its present position */
    int is_lost;          /* a position is not finite, so that there are no ranges */
    uint64_t *index;      /* [n] the numbers of the rank's bodies in the engine's order. On a card
                             this order changes, and `index` is valid only after the numbers have
                             been read (cards.c) */
    size_t room;          /* for indices */
    uint64_t first, last; /* the least and the largest key of its bodies */
    double low[3], edge;  /* the cube of the keys, and the origin, in the engine's units */
    double origin[3];
    void *space[KY_SPACES];
    size_t space_bytes[KY_SPACES];
    struct ky_external function; /* rank 0: the caller's function as a field */
    struct ky_domain_told told;
    double work;           /* interactions of the last forces */
    struct ky_bodies made; /* bodies of some blocks, made by a collective task, until they are
                              placed */
    struct ky_octree tree; /* of its own bodies */
    double tree_stands;    /* identity (number_of in tree.c) of the tree that was built since the
                              bodies were settled; 0: no valid tree */
};

/* Notes the processor of the rank, from the name in --engine. If it lists several devices, the
 * ranks of a computer take one each, in turn. */
enum ky_status ky_domain_choose_engine(struct ky_domain *domain, const char *engine,
                                       struct ky_error *error);
/* Notes the names of the devices of all ranks. Collective. */
enum ky_status ky_domain_name_devices(struct ky_domain *domain, struct ky_error *error);
/* Finds the first rank whose engine has other bits than the engine of rank 0. Collective. */
enum ky_status ky_domain_compare_bits(struct ky_domain *domain, struct ky_error *error);
/* Logs on rank 0 how many ranks there are, the share and the processor of each. Warns of devices
 * that several ranks share or that no rank uses, of devices that do the same work, of ranks with
 * other bits, and of given threads that no rank uses. `why`: why each rank has all bodies, or NULL.
 * `given`: the caller's parameters. */
void ky_domain_tell_kind(const struct ky_domain *domain, const struct ky_parameters *given,
                         unsigned schemes, const char *why);
/* 1 if --engine names devices. */
int ky_domain_is_for_devices(const char *engine);
/* Opens the rank's engine, without bodies. */
enum ky_status ky_domain_start(struct ky_domain *domain, unsigned schemes, struct ky_error *error);
void ky_domain_end(struct ky_domain *domain);
/* The bytes that n bodies of the system take on this computer, and on the rank's device. */
void ky_domain_memory(const struct ky_domain *domain, size_t n, size_t massless,
                      struct ky_memory *memory);

enum { KY_RANKS_REMARK = 200 };
/* choice.c. If `engine` names several devices and parameters->ranks is 1, sets parameters->ranks to
 * the number of devices where ranks are faster than one device and can do the task; otherwise the
 * first device is used. The remark for the log says which, and the reason for using only the first
 * device. It is empty if `engine` names fewer than two devices, or there are ranks already.
 * KY_FORCE_AUTO and an error count as the force that they will become. bodies->mass NULL: not known
 * yet. */
void ky_domain_choose_ranks(struct ky_parameters *parameters, unsigned schemes,
                            const struct ky_bodies *bodies, char remark[KY_RANKS_REMARK]);
/* Number of bodies from which ranks are faster than one device: with trees or exact sums, for steps
 * that all bodies share or individual steps. Tests change it. */
extern size_t ky_domain_ranks_from[2][2];
/* The remark that only the first of several devices is used, and why. */
void ky_domain_take_first(const struct ky_parameters *parameters, const char *why,
                          char remark[KY_RANKS_REMARK]);
/* Opens an engine for a call without a simulation, with ranks as by ky_domain_choose_ranks, unless
 * `why` gives a reason for one device. Logs the choice. Bodies without positions are only counted,
 * and the engine gets no memory for them. Fails as ky_engine_open_for and ky_domain_open;
 * KY_UNSUPPORTED if the caller asks for ranks. */
enum ky_status ky_domain_open_chosen(struct ky_parameters *parameters, const char *why,
                                     const struct ky_bodies *bodies, struct ky_engine **engine,
                                     struct ky_error *error);

/* The reason why each rank must have all bodies with these parameters and schemes, for any bodies;
 * NULL: it depends on the bodies. */
const char *ky_domain_why_copies(const struct ky_parameters *parameters, unsigned schemes);
/* The same for these bodies; bodies->mass NULL: the masses are not known yet. */
const char *ky_domain_why_copies_of(const struct ky_parameters *parameters, unsigned schemes,
                                    const struct ky_bodies *bodies);
/* KY_UNSUPPORTED for more bodies than ranks number. */
enum ky_status ky_domain_check_number(size_t n, struct ky_error *error);
/* 1 if ranks divide only bodies with mass. On a CPU massless bodies have a tree of their own; on a
 * device one tree has all bodies. */
int ky_domain_needs_mass(const struct ky_parameters *parameters);
/* 1 if there are ranks and they divide bodies that have mass and no softenings of their own. */
int ky_domain_divides(const struct ky_parameters *parameters, unsigned schemes);

/* Work space for `count` elements of `size` bytes; its previous content is lost. NULL when memory
 * is out, with the message in *error. */
void *ky_domain_space(struct ky_domain *domain, enum ky_work_space which, size_t count, size_t size,
                      struct ky_error *error);
void ky_domain_free_space(struct ky_domain *domain);

/* The side of the periodic box in the engines' units; 0: open space. */
static inline double ky_domain_box(const struct ky_domain *domain)
{
    return domain->parameters.box / ky_engine_units_of(domain->engine).length;
}

/* ---- parts of calls: collective; comments on arguments are for rank 0 ---- */

/* The first body of a rank's portion. */
static inline size_t ky_domain_portion_start(const struct ky_domain *domain, int rank)
{
    return (size_t)ky_share_start(domain->total, (uint64_t)domain->comm->size, (uint64_t)rank);
}
/* Divides the caller's bodies among the ranks, in portions. `units`: the units of the engines. */
enum ky_status ky_domain_put(struct ky_domain *domain, const struct ky_bodies *bodies,
                             unsigned with, const struct ky_engine_frame *units,
                             struct ky_error *error);
/* Gives every rank all bodies. */
enum ky_status ky_domain_copy(struct ky_domain *domain, const struct ky_bodies *bodies,
                              unsigned with, const struct ky_engine_frame *units,
                              struct ky_error *error);
/* The arrays that a call reads or writes, or-ed. */
enum {
    KY_WITH_MASS_ROW = 1,
    KY_WITH_POSITION_ROW = 2,
    KY_WITH_VELOCITY_ROW = 4,
    KY_WITH_ACCELERATION_ROW = 8,
    KY_WITH_POTENTIAL_ROW = 16,
    KY_WITH_ALL_ROWS = 31, /* of bodies that are divided */
    KY_WITH_SOFTENING_ROW = 32
};
unsigned ky_domain_arrays_of(const struct ky_bodies *bodies);
/* Collects the arrays of all bodies. */
enum ky_status ky_domain_get(struct ky_domain *domain, struct ky_bodies *bodies, unsigned with,
                             struct ky_error *error);
/* The same for `count` bodies; every rank has the list `body`. */
enum ky_status ky_domain_get_some(struct ky_domain *domain, const uint32_t *body, size_t count,
                                  struct ky_bodies *some, unsigned with, struct ky_error *error);
/* Sends the rank's bodies `from` to rank 0, into the rows of its arrays that have the bodies'
 * numbers. */
enum ky_status ky_domain_send_back(struct ky_domain *domain, const struct ky_bodies *from,
                                   const uint64_t *number, unsigned with,
                                   const struct ky_bodies *to, struct ky_error *error);
/* Writes new values of some bodies; every rank has the arrays. */
enum ky_status ky_domain_put_some(struct ky_domain *domain, const struct ky_some *some,
                                  struct ky_error *error);
/* Puts the rank's portion, which begins with body number `first`, on its engine. */
enum ky_status ky_domain_place(struct ky_domain *domain, const struct ky_bodies *own, size_t first,
                               const struct ky_engine_frame *units, struct ky_error *error);
/* The same for bodies whose numbers are in `index`. */
enum ky_status ky_domain_place_numbered(struct ky_domain *domain, const struct ky_bodies *own,
                                        const struct ky_engine_frame *units,
                                        struct ky_error *error);

/* permutation.c. The permutation of bodies from the ranges of the curve to the caller's order. The
 * caller's order is divided into `parts` parts, and the parts are divided among the ranks. */
struct ky_domain_permutation {
    size_t parts, n;  /* n: bodies that this rank gets */
    size_t *out, *in; /* [ranks] bodies for each rank and from each */
    uint32_t *order;  /* the rank's bodies, by the rank that they are for */
    uint32_t *row;    /* [n] the place of each arriving body among the bodies of this rank */
};
/* The first body that a rank gets. */
size_t ky_domain_first_row(const struct ky_domain *domain, size_t parts, int rank);
/* To be freed, also after a failure. */
enum ky_status ky_domain_find_permutation(struct ky_domain *domain, size_t parts,
                                          struct ky_domain_permutation *permutation,
                                          struct ky_error *error);
/* Fetches one array of the bodies that this rank gets, in the caller's order. */
enum ky_status ky_domain_fetch(struct ky_domain *domain,
                               const struct ky_domain_permutation *permutation,
                               enum ky_array_id array, void *numbers, struct ky_error *error);
void ky_domain_free_permutation(struct ky_domain_permutation *permutation);

/* plans.c. A plan of rank 0, as every rank has it. */
enum { KY_DOMAIN_NAME = 4096 };
struct ky_domain_file {
    char path[KY_DOMAIN_NAME], open[KY_DOMAIN_NAME];
    int is_new;
};
struct ky_domain_plan {
    size_t files, parts;
    int has_types, hashes; /* its types stay with rank 0 */
    struct ky_domain_file *file;
    struct ky_write_piece *part;
};
/* To be freed, also after a failure. `given` is for rank 0. */
enum ky_status ky_domain_tell_plan(struct ky_domain *domain, const struct ky_write_plan *given,
                                   struct ky_domain_plan *plan, struct ky_error *error);
void ky_domain_free_plan(struct ky_domain_plan *plan);
/* Broadcasts the outcome of the first rank that failed. */
enum ky_status ky_domain_tell_outcome(struct ky_domain *domain, struct ky_error *outcome,
                                      struct ky_error *error);
/* shared_writes.c. Each rank gets the bodies of its portion, array by array, and
 * writes their numbers to the files. `plan` is for rank 0. Failures of files and numbers that are
 * not finite are in *outcome, on every rank. */
enum ky_status ky_domain_write(struct ky_domain *domain, struct ky_write_plan *plan,
                               struct ky_error *outcome, struct ky_error *error);
/* Sends the bodies to the ranks that own their ranges. `settle` does so only if they are not there
 * yet. at[c][i]: where they are, in the engine's length; NULL: at their positions. weight[i]: the
 * work for each; NULL: the same for each of the rank. KY_BAD_DATA, on all ranks and with is_lost,
 * if a position is not finite. */
enum ky_status ky_domain_migrate(struct ky_domain *domain, double *const at[3],
                                 const double *weight, struct ky_error *error);
enum ky_status ky_domain_settle(struct ky_domain *domain, struct ky_error *error);
/* Sets the accelerations and potentials of the rank's bodies to NaN, as one engine does if a
 * position is not finite. */
enum ky_status ky_domain_lose(struct ky_domain *domain, struct ky_error *error);
/* A function applied to the rank's bodies first … end − 1 by thread number `part` of the engine's
 * threads. */
typedef enum ky_status ky_domain_work(void *context, int part, size_t first, size_t end,
                                      struct ky_error *error);
/* Applies the function on all threads, each to its part of the bodies. Returns the status of the
 * first part that failed, with its text; KY_FAULT if memory runs out. */
enum ky_status ky_domain_each(struct ky_domain *domain, ky_domain_work *work, void *context,
                              struct ky_error *error);
/* Bodies of the rank's engine that are read at a time: reads bodies first … first + chunk->n − 1 of
 * the engine to the arrays of the chunk, which has room for them. */
enum { KY_DOMAIN_CHUNK = 4096 };
enum ky_status ky_domain_read(struct ky_domain *domain, size_t first, struct ky_bodies *chunk,
                              struct ky_error *error);
/* Makes `index` valid, where the engine keeps the numbers. */
enum ky_status ky_domain_read_numbers(struct ky_domain *domain, struct ky_error *error);
/* Gives the engine the numbers in `index`, if it keeps them. */
enum ky_status ky_domain_put_numbers(struct ky_domain *domain, struct ky_error *error);
/* Room for n indices. KY_FAULT if memory runs out. */
enum ky_status ky_domain_reserve(struct ky_domain *domain, size_t n, struct ky_error *error);

/* The function `settle` of struct ky_shared. */
enum ky_status ky_domain_settle_at(void *context, double *const at[3], const double *weight,
                                   struct ky_error *error);
/* The function `tree`. */
enum ky_status ky_domain_tree(void *context, const struct ky_shared_tree *wanted,
                              struct ky_octree *tree, struct ky_error *error);
/* The function `gather`. */
enum ky_status ky_domain_gather(void *context, const void *own, const size_t *bytes, void *all,
                                struct ky_error *error);
/* The function `pass`. */
enum ky_status ky_domain_pass(void *context, const struct ky_shared_pass *pass,
                              struct ky_error *error);
/* The function `trade`. */
enum ky_status ky_domain_trade(void *context, void *const *from, const size_t *out, void *const *to,
                               const size_t *in, struct ky_error *error);
/* The function `add`. */
enum ky_status ky_domain_add(void *context, uint64_t *number, size_t count, struct ky_error *error);
/* The function `ask`. */
enum ky_status ky_domain_ask(void *context, const struct ky_active *active, size_t count,
                             const double (*position)[3], double (*acceleration)[3],
                             double *potential, struct ky_error *error);
/* Adds the caller's function, the last one of the fields that rank 0 is given, to the fields of the
 * rank's engine; for the other ranks `given` is NULL. */
void ky_domain_add_function(struct ky_domain *domain, const struct ky_externals *given);

/* ---- tasks.c: collective tasks of higher layers (engine/task.h) ---- */

/* Executes a task on all ranks (collective). `told` is for rank 0. *outcome becomes the error of
 * the task on every rank. */
enum ky_status ky_domain_do(struct ky_domain *domain, const struct ky_task *task, void *told,
                            struct ky_error *outcome, struct ky_error *error);
/* Hands the bodies that a task has made to the engines. */
enum ky_status ky_domain_place_made(struct ky_domain *domain, const struct ky_engine_frame *units,
                                    struct ky_error *error);

/* ---- all bodies on rank 0 ---- */

/* An engine of rank 0 with all bodies at their present positions, without fields, accelerations and
 * velocities. */
struct ky_whole {
    struct ky_parameters parameters;
    struct ky_engine *engine; /* to be closed, also after a failure; it may be NULL */
};
/* Opens it for `engine` (all ranks as one engine): it obeys the stop flag of `engine`, and
 * get(engine, …) fetches the bodies. KY_FAULT if memory runs out. */
typedef enum ky_status ky_domain_get_function(struct ky_engine *engine, struct ky_bodies *bodies,
                                              struct ky_error *error);
enum ky_status ky_domain_open_whole(struct ky_domain *domain, ky_domain_get_function *get,
                                    struct ky_engine *engine, struct ky_whole *whole,
                                    struct ky_error *error);

/* ---- rows: bodies as they travel ---- */

/* The doubles of a row with these arrays. */
size_t ky_row_numbers(unsigned with);
/* Memory for the arrays `with` of n bodies, to be freed by ky_rows_free. KY_FAULT when it is out.
 */
enum ky_status ky_rows_allocate(struct ky_bodies *bodies, size_t n, unsigned with,
                                struct ky_error *error);
void ky_rows_free(struct ky_bodies *bodies);
/* Gives all bodies one softening, where they have an array of them. */
void ky_rows_soften(struct ky_bodies *bodies, double softening);
/* Body i of the arrays to a row, and back. Both return the end of the row. */
double *ky_row_write(double *row, const struct ky_bodies *bodies, size_t i, unsigned with);
const double *ky_row_read(const double *row, const struct ky_bodies *bodies, size_t i,
                          unsigned with);

/* ---- integrator_columns.c: quantities that an integrator keeps for each body ---- */

/* Distributes a column of all bodies from rank 0 to the ranks; and gathers it there. */
enum ky_status ky_domain_put_column(struct ky_domain *domain, enum ky_column column,
                                    const double *numbers, struct ky_error *error);
enum ky_status ky_domain_get_column(struct ky_domain *domain, enum ky_column column,
                                    double *numbers, struct ky_error *error);

/* Gives each of the rank's bodies a row of `bytes` bytes, own[n × bytes]. Rank 0 writes the rows by
 * write(context, body, row) with the body's number, and sends them to one rank after the other.
 * KY_FAULT if memory runs out. */
typedef void ky_domain_row_function(const void *context, uint64_t body, void *row);
enum ky_status ky_domain_deal(struct ky_domain *domain, size_t bytes, ky_domain_row_function *write,
                              const void *context, void *own, struct ky_error *error);

/* The columns of the rank's bodies while some bodies move to other ranks. */
struct ky_domain_columns {
    unsigned set;
    double *of[KY_COLUMN_COUNT];
};
/* The numbers of a body in them. */
size_t ky_domain_column_numbers(const struct ky_domain *domain);
/* Reads them, with room for `room` bodies; to be freed by ky_domain_free_columns, also after a
 * failure. KY_FAULT if memory runs out. */
enum ky_status ky_domain_read_columns(struct ky_domain *domain, size_t room,
                                      struct ky_domain_columns *columns, struct ky_error *error);
void ky_domain_free_columns(struct ky_domain_columns *columns);
/* Columns of body i to a row and back; and from one body to another. */
void ky_domain_write_columns(double *row, const struct ky_domain_columns *columns, size_t i);
void ky_domain_take_columns(const double *row, const struct ky_domain_columns *columns, size_t i);
void ky_domain_move_columns(const struct ky_domain_columns *columns, size_t from, size_t to);
/* Gives them to the engine. */
enum ky_status ky_domain_give_columns(struct ky_domain *domain,
                                      const struct ky_domain_columns *columns,
                                      struct ky_error *error);

/* ---- the ranks of MPI ---- */

/* The ranks of MPI, for rank 0 within the `lead` of ky_mpi_lead; else NULL. */
struct ky_comm *ky_domain_world(void);
/* ky_mpi_lead, for a program in which every process knows these collective tasks. */
enum ky_status ky_domain_lead(int (*lead)(void *context), void *context,
                              const struct ky_tasks *tasks, int *code, struct ky_error *error);

/* ---- engine.c ---- */

/* Opens an engine of parameters->ranks ranks, threads of this process or the processes of MPI that
 * ky_mpi_lead has joined, with room for `room` bodies. KY_UNSUPPORTED for 2^32 bodies or more, and
 * for parameters that ranks do not support; the error names the alternative. */
enum ky_status ky_domain_open(const struct ky_parameters *parameters, size_t room,
                              const struct ky_engine_use *use, struct ky_engine **engine,
                              struct ky_error *error);

#endif
