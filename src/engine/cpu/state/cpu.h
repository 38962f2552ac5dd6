/* The CPU engine's own state, and the functions of this room: instruction sets, units, columns,
 * fields and sums.
 *
 * Bodies lie in columns of double in the caller's order. Positions, masses and softenings are in
 * the engine's own units, velocities, accelerations and potentials in the caller's: `put` divides
 * lengths by `length` and masses by `mass_unit`, powers of two that make the size of the system
 * about 2¹⁰ and the mean mass 1. That changes no digits, and keeps the float arithmetic of the
 * lanes within its range whatever the caller's units are. */
#ifndef KY_CPU_H
#define KY_CPU_H

#include "engine/common/far_field.h"
#include "engine/common/force_kinds.h"
#include "engine/common/relative.h"
#include "engine/common/trees.h"
#include "engine/cpu/lanes/table.h"
#include "engine/engine.h"
#include "physics/space.h"

struct ky_board;
struct ky_cpu_blocks;
struct ky_cpu_hermite;
struct ky_cpu_method;

/* Records of forces/work.c for a tree that is kept while the bodies move. */
struct ky_cpu_kept {
    uint32_t *group; /* [n] --force tree: index of the tree's group that contains the body */
    uint32_t *first; /* interactions per sink at the first walk of its group, or body, since the
                        tree was built; 0: none yet */
    int64_t more;    /* interactions of later walks beyond the first ones */
    double per_mass; /* struct ky_relative, for all evaluations; 0: not computed yet */
    int early; /* 1: there are massless bodies, and when the tree was built no step of its bodies
                  ended */
};

/* A set of sinks, and their tree: all bodies, the bodies with mass, the massless bodies (massless.c
 * of forces), or the points of a field (points.c). */
struct ky_cpu_sinks {
    struct ky_cpu *cpu;
    struct ky_cpu_sinks *sources;           /* the set whose members act: this one, or another */
    const struct ky_parameters *parameters; /* of the walk */
    const struct ky_shared *shared;         /* ranks that walk for some of the sinks, or NULL */
    size_t n;
    const uint32_t *member; /* [n] indices of the sinks in the columns, ascending; NULL: all */
    size_t columns;         /* length of the columns */
    double *a[3], *potential;
    const double *pull; /* KY_COLUMN_PULL, or NULL */
    int how;            /* softening of pairs: KY_GUARD … of physics/softening_kinds.h */
    double eps2;        /* of a sink, unless `tree` has the softenings of its sinks */
    float angle;        /* fmm: tolerance of the test by the opening angle */
    const struct ky_active *active; /* active sinks of the evaluation; NULL: all */
    const unsigned char *is_active; /* 1 for active sinks, if `active` is not NULL */
    struct ky_octree tree;
    int tree_stands;     /* 1: `tree` is valid for the current positions */
    double tree_opening; /* ky_opening_key for which it was built */
    int tree_linked;     /* 1: it has its links */
    int tree_serves;     /* block steps: 1: `tree` is from an earlier tick, but still valid */
    struct ky_cpu_kept kept;
};

/* The bodies of a system in which some have no mass; otherwise the pointers are NULL. */
struct ky_cpu_massless {
    struct ky_cpu_sinks sinks[2]; /* the bodies with mass, and the massless bodies */
    uint32_t *body;   /* [n] the bodies with mass, ascending, then the massless bodies */
    uint32_t *number; /* [n] the index of each body among the bodies of its kind */
    uint32_t *active; /* [n] the active bodies of each kind, as in `body` */
    size_t sources;   /* number of bodies with mass */
};

struct ky_cpu {
    struct ky_engine base;
    const struct ky_parameters *parameters;
    const struct ky_cpu_method *method;
    const struct ky_lanes *lanes;
    const char *isa;
    int threads, team; /* team: for plain loops over the bodies, 1 when they are few */
    size_t n, room;    /* number of bodies, and capacity of the columns */
    double *x[3], *v[3], *a[3], *mass, *potential;
    unsigned extras;                /* set of the columns that an integrator has requested */
    double *extra[KY_COLUMN_COUNT]; /* component by component; NULL: not requested */
    uint64_t extras_put;            /* number of times a column was set to 0 or to given values */
    double *softening;              /* NULL: parameters->softening for all */
    int how; /* softening of pairs: KY_GUARD … of physics/softening_kinds.h */
    double length, mass_unit;
    double box;                     /* side of the periodic box in units of length; 0: open space */
    struct ky_far_field *far;       /* of the box, or NULL */
    struct ky_engine_frame frame;   /* edge 0: computed from the bodies */
    const struct ky_active *active; /* active bodies of the current evaluation; NULL: all */
    unsigned char *is_active;       /* [n] 1 for active bodies, if `active` is not NULL */
    int has_acceleration;           /* a[] holds the last accelerations */
    int has_pull; /* 1: the column of pulls, if it is kept, belongs to the last evaluation */
    void *column; /* direct: columns in float */
    struct ky_cpu_sinks bodies; /* all bodies */
    struct ky_cpu_massless massless;
    int in_block;          /* 1: the current evaluation is for a block */
    const double (*at)[3]; /* positions at the current tick, in a block with a tree that is kept */
    struct ky_cpu_blocks *blocks;   /* private to steps/levels.h and steps/hermite.h */
    struct ky_cpu_hermite *hermite; /* private to steps/hermite.h */
    struct ky_board *board; /* of struct ky_engine_use, or NULL; used by steps/hermite_board.c */
    struct ky_force_report report;
};

/* Number of bodies that a thread takes at a time. */
enum { KY_BODIES_CHUNK = 4096 };

/* The widest instruction set of this machine, or the one that `isa` names. */
enum ky_status ky_cpu_lanes(int isa, const struct ky_lanes **lanes, const char **name,
                            struct ky_error *error);

/* The centre of the bulk of the members of a set of bodies, in the engine's units. */
void ky_cpu_centre(const struct ky_cpu_sinks *set, double centre[3]);

/* The number of images of the sources whose forces are summed one by one. */
static inline int ky_cpu_images(const struct ky_cpu *cpu)
{
    return cpu->box > 0 ? KY_IMAGES : 1;
}

/* A coordinate in the engine's units; in a box it is moved into it by whole boxes. */
static inline double ky_cpu_place(const struct ky_cpu *cpu, double x)
{
    return cpu->box > 0 ? ky_wrap(x, cpu->box) : x;
}

/* A difference of two such coordinates, for the nearest image of the source. */
static inline double ky_cpu_to_nearest(const struct ky_cpu *cpu, double d)
{
    return cpu->box > 0 ? d - cpu->box * rint(d / cpu->box) : d;
}

/* A difference of a cell and a sink along an axis, for the image whose box, from below to above the
 * cell's position, has the nearest middle: no other image has a smaller or a larger distance from a
 * point. */
static inline double ky_cpu_to_nearest_cell(const struct ky_cpu *cpu, double d, double below,
                                            double above)
{
    const double to_middle = (above - below) / 2;
    return cpu->box > 0 ? d - cpu->box * rint((d + to_middle) / cpu->box) : d;
}

/* To be called when bodies have moved: invalidates their trees. */
static inline void ky_cpu_moved(struct ky_cpu *cpu)
{
    cpu->bodies.tree_stands = cpu->massless.sinks[0].tree_stands = 0;
}
/* 1 if the engine has a part of a system's bodies. */
static inline int ky_cpu_is_divided(const struct ky_cpu *cpu)
{
    return cpu->base.shared && cpu->base.shared->tree;
}

/* The number of engines with parts of the system's bodies, and the number of bodies of all of
 * them. */
static inline size_t ky_cpu_ranks(const struct ky_cpu *cpu)
{
    return ky_cpu_is_divided(cpu) ? cpu->base.shared->ranks : 1;
}
static inline size_t ky_cpu_system(const struct ky_cpu *cpu)
{
    return ky_cpu_is_divided(cpu) ? cpu->base.shared->system : cpu->n;
}

/* The sinks of a sum that this engine computes; ky_cpu_join receives the other results. If there
 * are few pairs, every engine computes all sinks. */
struct ky_cpu_share {
    size_t first, end, count, unit;
    int joins;
};
struct ky_cpu_share ky_cpu_share(const struct ky_cpu *cpu, size_t count, size_t sources,
                                 size_t unit);
/* Completes `columns` columns of `count` numbers, of which this engine has filled its share.
 * KY_FAULT if memory runs out. */
enum ky_status ky_cpu_join(const struct ky_cpu *cpu, const struct ky_cpu_share *share,
                           double *const *column, size_t columns, struct ky_error *error);

/* How ranks divide a walk through a tree: its units (groups, branches, bodies) are assigned to the
 * ranks in turn. For few sinks every rank walks for all, and the rank whose turn it is counts. */
struct ky_cpu_turns {
    size_t rank, ranks;
    int joins;
};
struct ky_cpu_turns ky_cpu_turns(const struct ky_cpu_sinks *set);
/* Whether the engine walks for this unit, and whether it counts the work. */
static inline int ky_cpu_counts(const struct ky_cpu_turns *turns, size_t unit)
{
    return unit % turns->ranks == turns->rank;
}
static inline int ky_cpu_walks(const struct ky_cpu_turns *turns, size_t unit)
{
    return !turns->joins || ky_cpu_counts(turns, unit);
}
/* The work of the walks of a unit, or of all units. */
struct ky_cpu_work {
    uint64_t bodies, cells; /* interactions */
    int64_t more;           /* pairs in excess of the first walks (ky_cpu_note_work) */
};
/* Ends such a walk: adds the work of all ranks to the report and to the records of the tree, and
 * receives the other ranks' results. The sinks of unit k are range(of, k), along the curve.
 * KY_FAULT if memory runs out. */
enum ky_status ky_cpu_end_walk(struct ky_cpu_sinks *set, const struct ky_cpu_turns *turns,
                               struct ky_cpu_work work, size_t units,
                               struct ky_group (*range)(const void *of, size_t unit),
                               const void *of, struct ky_error *error);

/* 1 if some bodies have mass and others have none. */
static inline int ky_cpu_has_massless(const struct ky_cpu *cpu)
{
    return cpu->massless.body != NULL;
}
/* sinks.c: a set with the engine's present columns and active bodies: all bodies; the bodies that
 * act; set `k` of the massless ones, if there are any. */
struct ky_cpu_sinks *ky_cpu_bodies(struct ky_cpu *cpu);
struct ky_cpu_sinks *ky_cpu_sources(struct ky_cpu *cpu);
struct ky_cpu_sinks *ky_cpu_set(struct ky_cpu *cpu, int k);

/* The number of body i among the sources, or KY_NO_BODY for a massless one. */
static inline uint32_t ky_cpu_source_number(const struct ky_cpu *cpu, size_t i)
{
    if (!ky_cpu_has_massless(cpu))
        return (uint32_t)i;
    return cpu->mass[i] > 0 ? cpu->massless.number[i] : KY_NO_BODY;
}

/* The index of the k-th body, bodies with mass first. */
static inline size_t ky_cpu_by_mass(const struct ky_cpu *cpu, size_t k)
{
    return ky_cpu_has_massless(cpu) ? cpu->massless.body[k] : k;
}

/* The index of the k-th member of a set. */
static inline size_t ky_cpu_member(const struct ky_cpu_sinks *set, size_t k)
{
    return set->member ? set->member[k] : k;
}
/* 1 if the force on the sink with this index is wanted. */
static inline int ky_cpu_is_active(const struct ky_cpu_sinks *set, size_t i)
{
    return !set->active || set->is_active[i];
}
/* ε² of one sink in the engine's units. Does not include the sources' ε² if they have their own. */
double ky_cpu_sink_eps2(const struct ky_cpu *cpu, size_t i);
/* Factors from a field for G = 1 in the engine's units to the caller's. */
struct ky_cpu_scale {
    double acceleration, potential;
};
struct ky_cpu_scale ky_cpu_scale(const struct ky_cpu *cpu);

/* integrator_columns.c: the verbs, and the reset of columns for new bodies. */
enum ky_status ky_cpu_columns(struct ky_engine *engine, unsigned set, struct ky_error *error);
enum ky_status ky_cpu_put_column(struct ky_engine *engine, enum ky_column column,
                                 const double *numbers, struct ky_error *error);
enum ky_status ky_cpu_get_column(struct ky_engine *engine, enum ky_column column, double *numbers,
                                 struct ky_error *error);
/* Sets all columns except the set `but` to 0, for the current number of bodies. KY_FAULT if memory
 * runs out. */
enum ky_status ky_cpu_clear_columns(struct ky_cpu *cpu, unsigned but, struct ky_error *error);
void ky_cpu_free_columns(struct ky_cpu *cpu);
/* The external fields at the current time, positions in the engine's units and accelerations in the
 * caller's; returns their number. */
size_t ky_cpu_externals(const struct ky_cpu *cpu, struct ky_external field[KY_MOST_EXTERNALS]);
/* Adds the fields to the accelerations of the active bodies. KY_FAULT if memory runs out. */
enum ky_status ky_cpu_add_externals(struct ky_cpu *cpu, struct ky_error *error);
/* The potentials of the field function for many points, which the caller frees; NULL if there is
 * none. */
enum ky_status ky_cpu_many_potentials(const struct ky_cpu *cpu, double **potential,
                                      struct ky_error *error);
/* The sum of a term >= 0 over the bodies with mass of all engines; i: the index of a body. The bits
 * do not depend on the order of the bodies, threads or engines. NaN if a term is not finite.
 * Collective. */
typedef double ky_cpu_term(const struct ky_cpu *cpu, size_t i);
enum ky_status ky_cpu_total(const struct ky_cpu *cpu, ky_cpu_term *term, double *total,
                            struct ky_error *error);
/* The verb `sums`; with the potentials at the present positions. */
enum ky_status ky_cpu_sums(const struct ky_cpu *cpu, struct ky_raw_sums *raw,
                           struct ky_error *error);

#endif
