/* The CPU engine's own state and the parts it is made of.
 *
 * Bodies lie in columns of double in the caller's order. Positions, masses and softenings are in
 * the engine's own units, velocities, accelerations and potentials in the caller's: `put` divides
 * lengths by `length` and masses by `mass_unit`, powers of two that bring the system to a size of
 * about 2¹⁰ and the mean mass to 1. That changes no digit, and it keeps the float arithmetic of the
 * lanes away from its limits whatever the caller's units are. */
#ifndef KY_CPU_H
#define KY_CPU_H

#include "engine/common/force_kinds.h"
#include "engine/common/relative.h"
#include "engine/common/trees.h"
#include "engine/cpu/lanes/table.h"
#include "engine/engine.h"
#include "physics/gravity.h"

struct ky_cpu;

/* What block steps need beside the bodies. For the n bodies in the caller's order: their positions
 * at the present tick, the levels of their steps, and the list of the bodies whose steps end. */
struct ky_cpu_blocks {
    double *at;    /* [n][3] for a tree that is kept, else [3][n] */
    float *before; /* [n][3] of the list: accelerations at the beginning of the steps that end */
    unsigned char *level;
    uint32_t *active;
    size_t *
        count; /* number of active bodies in each chunk; later the number in all chunks before it */
    uint32_t *group; /* --force tree: index of the tree's group that contains the body */
    struct ky_relative relative; /* for all evaluations with one tree; a[0] NULL: not found yet */
    double longest;  /* the longest step when `level` was last computed; 0: not computed yet */
    int deepest;     /* the last level then */
    uint32_t *first; /* interactions of each sink at the first walk of its group, or body, since the
                        tree was built; 0: none yet */
    int64_t more;    /* interactions of later walks beyond that */
};

/* What the Hermite scheme needs beside the bodies and their levels. */
struct ky_cpu_hermite {
    double *room;   /* the columns that follow */
    double *at[6];  /* [n] x and v at the present tick, in the engine's lengths */
    double *sum[6]; /* [n] accelerations and jerks of the sinks */
    double *eps2;   /* [n] */
    double *rate2;  /* [n] how fast the force on a sink can change [1/time²]; 0: not known */
    void *column;   /* of sources, for the lanes */
    struct ky_moving_sinks *block;
    double middle[6], speed, heaviest; /* of the numbers of the lanes */
};

/* How a force is computed: a row of evaluate.c. */
struct ky_cpu_method {
    enum ky_status (*forces)(struct ky_cpu *cpu, struct ky_error *error);
    /* The way through the tree, which is there; NULL: it has no tree. */
    enum ky_status (*walk)(struct ky_cpu *cpu, const struct ky_parameters *parameters,
                           struct ky_error *error);
    double (*memory)(const struct ky_parameters *parameters, size_t n); /* bytes for n bodies */
    const char *instead; /* where the CPU has no such method, the error, with what to use */
};

struct ky_cpu {
    struct ky_engine base;
    const struct ky_parameters *parameters;
    const struct ky_cpu_method *method;
    const struct ky_lanes *lanes;
    const char *isa;
    int threads, team; /* team: for plain loops over the bodies, 1 when they are few */
    size_t n;
    double *x[3], *v[3], *a[3], *mass, *potential;
    unsigned extras;                /* the columns that an integrator asked for */
    double *extra[KY_COLUMN_COUNT]; /* component by component; NULL: not asked for */
    double *softening;              /* NULL: parameters->softening for all */
    int how;                        /* to soften pairs: KY_GUARD … of physics/softening_kinds.h */
    double length, mass_unit;
    struct ky_engine_frame frame;   /* edge 0: found from the bodies */
    const struct ky_active *active; /* of the present evaluation; NULL: all bodies */
    unsigned char *is_active;       /* [n] the same, if there is one */
    int has_acceleration;           /* a[] holds the last accelerations */
    double *partial;                /* KY_SUMS numbers for each chunk of bodies */
    void *column;                   /* direct: columns in float */
    struct ky_octree tree;          /* tree and walk */
    int tree_stands;                /* `tree` is that of the present positions */
    int tree_opening;               /* with which it was built: enum ky_opening */
    int tree_linked;                /* it has its links */
    int tree_serves; /* block steps: `tree` is that of an earlier tick, and good enough */
    int in_block;    /* the present evaluation is that of a block */
    struct ky_cpu_blocks blocks;
    struct ky_cpu_hermite hermite;
    int potential_is_late; /* the Hermite scheme: potential[] is that of other places than x[] */
    struct ky_force_report report;
};

/* Sums over bodies run over chunks of this many, each into its own partial sums, which are then
 * added in order: the number of threads leaves no trace. */
enum { KY_BODIES_CHUNK = 4096 };

/* The widest instruction set of this machine, or the one that is asked for. */
enum ky_status ky_cpu_lanes(int isa, const struct ky_lanes **lanes, const char **name,
                            struct ky_error *error);

/* The middle of the bulk of the bodies, in the engine's units. */
void ky_cpu_centre(const struct ky_cpu *cpu, double centre[3]);

/* Is the force of body i wanted? */
static inline int ky_cpu_is_active(const struct ky_cpu *cpu, size_t i)
{
    return !cpu->active || cpu->is_active[i];
}
/* ε² of one sink in the engine's units, without that of the source if sources have their own. */
double ky_cpu_sink_eps2(const struct ky_cpu *cpu, size_t i);
/* Factors from a field for G = 1 in the engine's units to the caller's. */
struct ky_cpu_scale {
    double acceleration, potential;
};
struct ky_cpu_scale ky_cpu_scale(const struct ky_cpu *cpu);

/* Forces of the active bodies by the exact sum, in the precision of the parameters. */
enum ky_status ky_cpu_direct(struct ky_cpu *cpu, struct ky_error *error);
/* Bytes of the columns of the exact sum for n bodies. */
double ky_cpu_direct_memory(const struct ky_parameters *parameters, size_t n);
/* The same by the tree, with the walk of the method. */
enum ky_status ky_cpu_tree(struct ky_cpu *cpu, struct ky_error *error);
/* Builds the tree over the present positions unless it stands, with the opening of the parameters
 * and with links; adds the seconds to the report. */
enum ky_status ky_cpu_stand_tree(struct ky_cpu *cpu, const struct ky_parameters *parameters,
                                 struct ky_error *error);
/* The tree for the next forces: the one that block steps keep, with the bodies where they are now,
 * or a new one. Adds the seconds to the report. */
enum ky_status ky_cpu_renew_tree(struct ky_cpu *cpu, const struct ky_parameters *parameters,
                                 struct ky_error *error);
/* Makes the links of the tree unless it has them. */
void ky_cpu_link_tree(struct ky_cpu *cpu);
/* Finds the method of an enum ky_force. KY_UNSUPPORTED if the CPU has none; the error says what to
 * use instead. */
enum ky_status ky_cpu_method(int force, const struct ky_cpu_method **method,
                             struct ky_error *error);
/* The forces of the active bodies, NULL: of all. */
enum ky_status ky_cpu_evaluate(struct ky_cpu *cpu, const struct ky_active *active,
                               struct ky_error *error);
/* block.c: KY_SCHEME_BLOCK; hermite.c: KY_SCHEME_HERMITE. */
enum ky_status ky_cpu_block_steps(struct ky_cpu *cpu, struct ky_advance *way,
                                  struct ky_error *error);
enum ky_status ky_cpu_hermite_steps(struct ky_cpu *cpu, struct ky_advance *way,
                                    struct ky_error *error);
/* levels.c, hermite_sums.c. */
void ky_cpu_free_blocks(struct ky_cpu *cpu);
void ky_cpu_free_hermite(struct ky_cpu *cpu);
/* Bytes for n bodies. */
double ky_cpu_blocks_memory(const struct ky_parameters *parameters, size_t n);
double ky_cpu_hermite_memory(size_t n);
/* Makes the Hermite scheme choose all steps anew. */
void ky_cpu_forget_steps(struct ky_cpu *cpu);
/* Computes potential[] for the present places, in double, where the Hermite scheme has left it
 * behind. KY_FAULT when memory is out. */
enum ky_status ky_cpu_catch_potential(struct ky_cpu *cpu, struct ky_error *error);
/* work.c. Forgets the work that was noted. To be called for a new tree that is kept from now on. */
enum ky_status ky_cpu_start_work(struct ky_cpu *cpu, struct ky_error *error);
/* Notes how many sources acted on each of `sinks` sinks, which walked together as the `unit`-th
 * group or body of the tree; returns by how much all of them exceed the first such walk. */
static inline int64_t ky_cpu_note_work(struct ky_cpu *cpu, size_t unit, uint64_t sources,
                                       uint32_t sinks)
{
    if (!cpu->in_block)
        return 0;
    uint32_t *first = &cpu->blocks.first[unit], now = (uint32_t)sources;
    *first = *first ? *first : now;
    return ((int64_t)now - (int64_t)*first) * sinks;
}
/* Walk the active bodies through the tree, which must be built: each body by itself, or in the
 * groups of the tree. */
enum ky_status ky_cpu_walk_bodies(struct ky_cpu *cpu, const struct ky_parameters *parameters,
                                  struct ky_error *error);
enum ky_status ky_cpu_walk_groups(struct ky_cpu *cpu, const struct ky_parameters *parameters,
                                  struct ky_error *error);
/* The field for G = 1 at one point, in the engine's units, by the present tree, whose opening must
 * not be relative. */
struct ky_field ky_cpu_walk_point(const struct ky_cpu *cpu, const double x[3], double eps2);
enum ky_status ky_cpu_field(struct ky_engine *engine, const struct ky_points *points,
                            double (*acceleration)[3], double *potential, struct ky_error *error);
/* For the relative opening test, from the last accelerations; in blocks the floor is that which was
 * found when their tree was new. */
struct ky_relative ky_cpu_relative(struct ky_cpu *cpu);
enum ky_status ky_cpu_exact(struct ky_engine *engine, const size_t *sinks, size_t count,
                            double (*acceleration)[3], double *potential, struct ky_error *error);
enum ky_status ky_cpu_walk(struct ky_engine *engine, const struct ky_walk_request *request,
                           struct ky_error *error);
/* columns.c: the verbs, and what follows from them when there are other bodies. */
enum ky_status ky_cpu_columns(struct ky_engine *engine, unsigned set, struct ky_error *error);
enum ky_status ky_cpu_put_column(struct ky_engine *engine, enum ky_column column,
                                 const double *numbers, struct ky_error *error);
enum ky_status ky_cpu_get_column(struct ky_engine *engine, enum ky_column column, double *numbers,
                                 struct ky_error *error);
/* Sets all columns to 0, for the present number of bodies. */
enum ky_status ky_cpu_clear_columns(struct ky_cpu *cpu, struct ky_error *error);
void ky_cpu_free_columns(struct ky_cpu *cpu);
/* The external fields with positions in the engine's units and accelerations in the caller's;
 * returns how many. */
size_t ky_cpu_externals(const struct ky_cpu *cpu, struct ky_external field[KY_MOST_EXTERNALS]);
/* Adds them to the accelerations of the active bodies. */
void ky_cpu_add_externals(struct ky_cpu *cpu);
enum ky_status ky_cpu_sums(struct ky_engine *engine, struct ky_sums *sums, struct ky_error *error);

#endif
