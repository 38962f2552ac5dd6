/* The forces of the CPU engine: the table of methods, and one evaluation. */
#ifndef KY_CPU_FORCES_H
#define KY_CPU_FORCES_H

#include "engine/cpu/state/cpu.h"

/* A method of computing a force; the file of the force defines it. */
struct ky_cpu_method {
    enum ky_status (*forces)(struct ky_cpu *cpu, struct ky_error *error);
    /* The walk through the tree, which has been built. NULL: the method has no tree. */
    enum ky_status (*walk)(struct ky_cpu_sinks *set, const struct ky_parameters *parameters,
                           struct ky_error *error);
    double (*memory)(const struct ky_parameters *parameters, size_t n); /* bytes for n bodies */
};

#define KY_CPU_METHOD(name, NAME) extern const struct ky_cpu_method ky_cpu_##name##_method;
#define KY_CPU_METHOD_OF(p, name, NAME, on_cpu, ...) on_cpu(KY_CPU_METHOD, name, NAME)
KY_FORCES(KY_CPU_METHOD_OF, )

/* Finds the method of an enum ky_force. KY_UNSUPPORTED if the CPU has none; the error names an
 * alternative. */
enum ky_status ky_cpu_method(int force, const struct ky_cpu_method **method,
                             struct ky_error *error);
/* Computes the forces on the active bodies; NULL: on all bodies. */
enum ky_status ky_cpu_evaluate(struct ky_cpu *cpu, const struct ky_active *active,
                               struct ky_error *error);

/* After an evaluation of all bodies: subtracts their net force, if ky_force_balances. Collective.
 * KY_FAULT if memory runs out. */
enum ky_status ky_cpu_balance(struct ky_cpu *cpu, struct ky_error *error);

/* ---- bodies with mass and others (massless.c) ---- */

/* Sorts the bodies into bodies with and without mass. To be called after a change of masses.
 * KY_FAULT if memory runs out. */
enum ky_status ky_cpu_sort_masses(struct ky_cpu *cpu, struct ky_error *error);
/* Bytes of the lists for n bodies, of which this many have no mass. */
double ky_cpu_massless_memory(size_t n, size_t massless);
void ky_cpu_free_massless(struct ky_cpu *cpu);
/* Frees the trees of the bodies, which the next evaluation builds again. */
void ky_cpu_free_trees(struct ky_cpu *cpu);
/* Computes forces with these parameters on the active members of a set. */
typedef enum ky_status ky_cpu_pass(struct ky_cpu_sinks *set, const struct ky_parameters *parameters,
                                   struct ky_error *error);
/* The same for all active bodies: for one set, or for the bodies with mass and then the others. */
enum ky_status ky_cpu_pass_all(struct ky_cpu *cpu, ky_cpu_pass *pass,
                               const struct ky_parameters *parameters, struct ky_error *error);
/* ---- periodic boxes (far.c) ---- */

/* Makes the far field of the bodies of all ranks at their positions of the evaluation; without a
 * box it does nothing. Collective. KY_FAULT when memory is out. */
enum ky_status ky_cpu_find_far(struct ky_cpu *cpu, struct ky_error *error);
/* Adds it at x, in the engine's units, to the field of the nearest images for G = 1. */
void ky_cpu_add_far(const struct ky_cpu *cpu, const double x[3], double field[4]);

/* The parameters of a tree of `sinks` massless sinks, on which `bodies` bodies act. If sinks are
 * sparse among the bodies, few of them share a list, since their box contains many bodies. */
struct ky_parameters ky_cpu_sinks_tree(const struct ky_parameters *parameters, size_t sinks,
                                       size_t bodies);

/* ---- the methods ---- */

/* Prepares the members of a set of bodies as sources of sums in double. The caller frees *room
 * after use. KY_FAULT if memory runs out. */
enum ky_status ky_cpu_in_double(const struct ky_cpu_sinks *set, struct ky_direct *direct,
                                double **room, struct ky_error *error);
/* Computes forces by the tree, with the walk of the method. */
enum ky_status ky_cpu_tree(struct ky_cpu *cpu, struct ky_error *error);
/* Walk the active sinks of a set through the tree of its sources: in the groups of their tree, or
 * cells of the sources act on cells of the sinks (--force fmm). Both trees have been built.
 * KY_FAULT if memory runs out. */
enum ky_status ky_cpu_walk_groups(struct ky_cpu_sinks *set, const struct ky_parameters *parameters,
                                  struct ky_error *error);
enum ky_status ky_cpu_walk_cells(struct ky_cpu_sinks *set, const struct ky_parameters *parameters,
                                 struct ky_error *error);
/* The same if cells act on each other (--mutual; mutual.c). */
enum ky_status ky_cpu_walk_mutual(struct ky_cpu_sinks *set, const struct ky_parameters *parameters,
                                  struct ky_error *error);
/* The field at points that walk in groups (points.c). Either array may be NULL. KY_FAULT if memory
 * runs out. */
enum ky_status ky_cpu_field_in_groups(struct ky_cpu_sinks *sources, const struct ky_points *points,
                                      double (*acceleration)[3], double *potential,
                                      struct ky_error *error);
/* The same by the exact sum (direct.c). Points may stand for bodies. */
enum ky_status ky_cpu_direct_field(struct ky_cpu_sinks *sources, const struct ky_points *points,
                                   double (*acceleration)[3], double *potential,
                                   struct ky_error *error);
/* ε² of point k in the engine's units, including the bodies' ε² if all bodies have the same; and
 * the smallest and the largest over all points. */
double ky_cpu_point_eps2(const struct ky_cpu *cpu, const struct ky_points *points, size_t k);
double ky_cpu_least_eps2(const struct ky_cpu *cpu, const struct ky_points *points);
double ky_cpu_largest_eps2(const struct ky_cpu *cpu, const struct ky_points *points);
/* The box of a single point (struct ky_shared_tree). */
struct ky_octree_box ky_cpu_box_of_point(const struct ky_cpu *cpu, const struct ky_points *points,
                                         size_t k);
/* The field for G = 1 at one point, in the engine's units, through the current tree, whose opening
 * test must use θ. */
struct ky_field ky_cpu_walk_point(const struct ky_cpu_sinks *sources, const double x[3],
                                  double eps2);

/* ---- the verbs `field`, `tides`, `exact` and `walk` ---- */

enum ky_status ky_cpu_field(struct ky_engine *engine, const struct ky_points *points,
                            double (*acceleration)[3], double *potential, struct ky_error *error);
enum ky_status ky_cpu_tides(struct ky_engine *engine, const struct ky_points *points,
                            double (*tide)[6], struct ky_error *error);
/* The parameters of the tree for points. */
struct ky_parameters ky_cpu_field_parameters(const struct ky_cpu *cpu);
/* KY_UNSUPPORTED for points that the method does not support. */
enum ky_status ky_cpu_check_points(const struct ky_cpu *cpu, const struct ky_points *points,
                                   struct ky_error *error);
/* The number among the sources of the body for which point k stands, or KY_NO_BODY. */
static inline uint32_t ky_cpu_point_number(const struct ky_cpu *cpu, const struct ky_points *points,
                                           size_t k)
{
    const uint32_t body = points->body ? points->body[k] : KY_NO_BODY;
    return body == KY_NO_BODY ? body : ky_cpu_source_number(cpu, body);
}
/* Exact sums; `sinks` NULL: for all bodies. Collective if engines each have a part of the bodies,
 * for the same sinks of the system; either array may be NULL on some engines. */
enum ky_status ky_cpu_exact(struct ky_engine *engine, const size_t *sinks, size_t count,
                            double (*acceleration)[3], double *potential, struct ky_error *error);
/* The same if the engine has all bodies, or other bodies also act (direct.c). */
enum ky_status ky_cpu_exact_of_own(struct ky_cpu *cpu, const size_t *sinks, size_t count,
                                   double (*acceleration)[3], double *potential,
                                   struct ky_error *error);
/* A sink of an exact sum: a body or a point, the index of its results, and its number among the
 * sources. */
struct ky_cpu_wanted {
    size_t sink, row;
    uint32_t own;
};
/* Sorts the sinks, and finds block[0 … *blocks]: the first sink of each block, and the end of the
 * last block. Sinks of a block are summed together and use the same chunks of sources. */
void ky_cpu_make_blocks(struct ky_cpu_wanted *wanted, size_t count, size_t *block, size_t *blocks);
enum ky_status ky_cpu_walk(struct ky_engine *engine, const struct ky_walk_request *request,
                           struct ky_error *error);

/* ---- work.c: the work of a tree that is kept ---- */

/* Resets the recorded work, for a new tree that is kept from now on. KY_FAULT if memory runs
 * out. */
enum ky_status ky_cpu_start_work(struct ky_cpu_sinks *set, struct ky_error *error);
void ky_cpu_free_work(struct ky_cpu_sinks *set);
/* Records the number of sources that acted on each of `sinks` sinks, which walked together as group
 * or body number `unit` of the tree. Returns the number of interactions, over all sinks, by which
 * this walk exceeds the first one of the unit. */
static inline int64_t ky_cpu_note_work(struct ky_cpu_sinks *set, size_t unit, uint64_t sources,
                                       uint32_t sinks)
{
    if (!set->cpu->in_block)
        return 0;
    uint32_t *first = &set->kept.first[unit], now = (uint32_t)sources;
    *first = *first ? *first : now;
    return ((int64_t)now - (int64_t)*first) * sinks;
}

#endif
