/* The interface of a processor for integrators, simulations and the analysis.
 *
 * An engine is opened for a fixed set of parameters and a number of bodies; the bodies stay there.
 * Arrays that go in or come out are in the caller's order, whatever order the engine uses inside.
 * An unsupported operation is a NULL pointer in the engine's table, and the functions ky_engine_…
 * below then return KY_UNSUPPORTED with the reason: no call is ever passed on to another processor.
 * Results are the same, bit for bit, for any number of threads.
 *
 * The table of verbs and its arguments are in one file, since each engine fills the whole table. */
#ifndef KY_ENGINE_ENGINE_H
#define KY_ENGINE_ENGINE_H

#include "base/drivers.h"
#include "base/halt.h"
#include "base/status.h"
#include "engine/actions.h"
#include "engine/shared.h"
#include "octree/octree.h"
#include "physics/expansion.h"
#include "physics/external_moving.h"
#include "physics/sum_indices.h"

/* Centre and strength of a field from a time on, up to the next piece: cubics in the time since
 * then (physics/external_moving.h). */
struct ky_external_piece {
    double from; /* [time] */
    double cubic[KY_EXTERNAL_CUBICS][4];
};
/* Change of a field in time, from tables (common/external_table.h). Several fields may share
 * one. */
struct ky_external_path {
    size_t uses;
    char name[64];     /* of the table, for errors */
    double begin, end; /* [time] the tables know the field in between */
    size_t count;
    struct ky_external_piece piece[]; /* ascending */
};

/* An external field (physics/external.h), in the caller's units: its centre, and the parameters of
 * its kind in their order. */
struct ky_external {
    enum ky_external_kind kind;
    double centre[3];
    union {
        double number[KY_EXTERNAL_NUMBERS];
        /* KY_EXTERNAL_FUNCTION (the centre is 0): the caller's function, and the units of length
         * and acceleration used here, in the caller's units; the time of the field. */
        struct {
            ky_field_function *function;
            ky_field_places_function *places; /* not NULL: used instead of `function` */
            void *context;
            double length, acceleration, time;
        };
    };
    double turn, angle; /* rotation of its axes about z: radians per time, and radians at time 0 */
    int reflex;         /* 1: the frame's origin falls in this field */
    /* NULL: the field neither moves nor grows. Otherwise the centre above is valid only
     * in the field at a time that ky_external_in returns. */
    struct ky_external_path *path;
    double cubic[KY_EXTERNAL_CUBICS][4]; /* of a field at a time (ky_external_in), from it on */
};

/* External fields that act together. They are added in the order of the array. */
enum { KY_MOST_EXTERNALS = 32 };
struct ky_externals {
    size_t count;
    struct ky_external field[KY_MOST_EXTERNALS];
    uint64_t set; /* serial number of this set of fields: 1, 2, … */
    double time;  /* [time] of the present positions of the bodies, at which the fields act */
};

/* The end of a warning about processors whose `bits` differ. */
#define KY_OTHER_BITS                                                                              \
    "results differ in bits on other processors; --isa sse2 has the same bits on "                 \
    "every "                                                                                       \
    "x86-64 processor"

/* The first member of every engine's own struct. */
struct ky_engine {
    const struct ky_engine_verbs *verbs;
    /* Set by the functions ky_engine_…: */
    size_t n;    /* bodies that there is room for */
    int threads; /* threads that check the caller's arrays */
    struct ky_externals externals;
    /* Set by `open`: the processor as --engine takes it ("cpu", "cuda:0"); the first of several. */
    char name[16];
    unsigned schemes; /* set by `open` from its use */
    unsigned columns; /* the set that it keeps */
    int has_tree;     /* its forces have an opening test */
    int in_box;       /* 1: its bodies are in a periodic box */
    /* Set by `open`: a hash of the processor's arithmetic. Engines with the same hash give forces
     * with the same bits. 0: not known, as on devices. */
    uint64_t bits;
    /* Set by ranks that are processes with divided bodies on the CPU: they walk with
     * KY_ACTION_crowd. An engine that has all bodies in its memory does not need it. */
    int finds_crowds;
    /* The stop flag of the call that uses the engine, or NULL. The caller sets it and sets it back
     * to NULL when the call ends; steps are made without it. When the flag is raised, a verb skips
     * work, and the functions below return KY_STOPPED, before the verb or after it. Accelerations
     * on the engine are not known after a stop of `forces`; all else is as before. */
    struct ky_halt *halt;
    /* Set before the first `put` if the engine is one of several ranks of a system; NULL: the
     * engine is independent. With divided bodies (`tree` is not NULL) only these are supported:
     * forces by `tree` of all bodies, kicks, drifts, block steps, fields at points and general
     * walks; bodies must have mass, and none a softening of its own. In `advance` the counts of
     * steps are sums over all ranks. Numbers that are not finite are returned as they are, since
     * only the caller knows which body of the system it is. */
    const struct ky_shared *shared;
};

struct ky_board; /* engine/board.h */
struct ky_board_verbs;

/* The intended use of an engine. */
struct ky_engine_use {
    size_t n;         /* bodies */
    unsigned schemes; /* schemes that it must support: a sum of 1 << ky_scheme. The engine keeps the
                         state that they need, and advances by no other scheme */
    int walk;         /* 1: general walks */
    /* Computes the sums over pairs of the Hermite scheme in place of the CPU (led.h), which closes
     * it if it opens; NULL: none. */
    struct ky_board *board;
};

/* Bytes that `n` bodies need; as double, which cannot overflow. */
struct ky_memory {
    double host, device; /* at the peak of an evaluation */
    double kept;         /* on the host after `trim` */
    double room;         /* total memory of the device; 0: the engine uses no device */
    int ranks;           /* ranks of this computer, which share `host`; 0: no ranks */
    double most; /* the largest number of bodies that an engine takes, whatever its memory */
};

struct ky_write_plan; /* base/write_plan.h */
struct ky_tasks;      /* engine/task.h */

/* Units, cube and origin, which an engine derives from its bodies unless the caller sets them. All
 * ranks of a system must be given the same frame. */
struct ky_engine_frame {
    double length, mass; /* the engine's own units in the caller's units: powers of two (units.h) */
    double low[3], edge; /* the cube that the keys of trees divide: lowest corner, edge; the
                            caller's lengths. Bodies outside are sorted as if at its surface. Edge
                            0: cube and origin are found from the bodies */
    double origin[3];    /* a point in the middle of the system, in the caller's lengths. Float
                            positions in trees are relative to it */
};

/* Bodies whose forces are wanted; all bodies act on them. */
struct ky_active {
    size_t count;
    const uint32_t *body; /* ascending, in the caller's order */
};

/* New numbers for some bodies, in the caller's units. Where an array is NULL the bodies keep their
 * numbers. */
struct ky_some {
    size_t count;
    const uint32_t *body; /* [count] ascending, in the caller's order */
    const double (*position)[3], (*velocity)[3], *mass; /* [count] */
};

/* Points where the field of the bodies is wanted. */
#define KY_NO_BODY UINT32_MAX
/* From this number of points on, among at least as many bodies, devices make a tree for the points.
 * For fewer they are not worth it: two trees of all bodies, and memory for them, take longer. */
enum { KY_MANY_POINTS = 1024 };
/* Maximum number of points per body in such a tree. The cube of keys is found from a sample of
 * points and bodies, without the outermost 1/64 at either end. Up to this number of points it
 * reaches the bodies even if all points are in a small part of the system. With more points the
 * bodies would lie outside the cube, in a few leaves, and each would act on each point. */
enum { KY_POINTS_OF_BODY = 16 };
/* The number of points in one such tree, if `count` points are divided equally among trees. */
static inline size_t ky_points_batch(size_t count, size_t bodies)
{
    const size_t most = KY_POINTS_OF_BODY * bodies, batches = count / most + (count % most > 0);
    return batches > 0 ? count / batches + (count % batches > 0) : 0;
}
struct ky_points {
    size_t count;
    const double (*position)[3]; /* finite */
    double softening;            /* of all points; the kind symmetric adds the body's */
    const double *softenings;    /* [count] of each point in its place, or NULL */
    /* The body that each point stands for (its number in the caller's order), or KY_NO_BODY. That
     * body does not act on the point. NULL: no point stands for a body. */
    const uint32_t *body;
};
/* The `count` points from `first` on. */
static inline struct ky_points ky_points_some(const struct ky_points *points, size_t first,
                                              size_t count)
{
    return (struct ky_points){.count = count,
                              .position = points->position + first,
                              .softening = points->softening,
                              .softenings = points->softenings ? points->softenings + first : NULL,
                              .body = points->body ? points->body + first : NULL};
}

/* Phases of a field at many points on a device. */
#define KY_FIELD_PHASES(X) X(memory) X(upload) X(first) X(last) X(download)
#define KY_FIELD_PHASE(name) KY_FIELD_##name,
enum { KY_FIELD_PHASES(KY_FIELD_PHASE) KY_FIELD_PHASE_COUNT };
struct ky_field_seconds {
    double of[KY_FIELD_PHASE_COUNT];
};

/* Quantities of each body that an integrator may ask an engine to keep, in addition to the arrays
 * of struct ky_bodies, and quantities that the engine itself needs. A set of columns is a sum of 1
 * << ky_column. common/integrator_columns.h has the name and the number of components of each. */
enum ky_column {
    KY_COLUMN_STEP, /* [time] */
    KY_COLUMN_JERK, /* [velocity/time²] the change of the acceleration */
    KY_COLUMN_PULL, /* |a| by the bodies, without external fields, at the last evaluation, and never
                       0 after an evaluation; engines with a tree and external fields always keep
                       it */
    KY_COLUMN_FEW,  /* the state of a system of few bodies (few/few.h): for restart files alone */
    KY_COLUMN_GROUP, /* the state of groups in the Hermite scheme, likewise */
    KY_COLUMN_COUNT
};

/* The equations of motion that an engine can integrate by itself, without the host between steps.
 * The integrator chooses the scheme. */
enum ky_scheme {
    KY_SCHEME_BLOCK,   /* leap-frog with a step of each body's own: physics/block.h */
    KY_SCHEME_HERMITE, /* the Hermite scheme with a step for each body: physics/hermite.h */
    KY_SCHEME_FEW,    /* few bodies, which the integrator advances by itself (few/few.h) and puts on
                         the engine. `advance` does not take it */
    KY_SCHEME_GROUPS, /* groups in the Hermite scheme (ky_advance.group_radius); likewise */
    KY_SCHEME_COMOVING, /* block steps of comoving bodies (ky_advance.expansion); likewise */
};
/* The schemes of block steps, or-ed as a set. */
#define KY_SCHEMES_IN_BLOCKS (1U << KY_SCHEME_BLOCK | 1U << KY_SCHEME_COMOVING)

/* Integration of many steps in one call. Time is counted in ticks, since a sum of steps would be
 * rounded. Where bodies have their own steps (powers of two ticks), one step advances one block:
 * all bodies whose steps end at the same tick. */
struct ky_advance {
    enum ky_scheme scheme;
    double tick;     /* [time]; negative: backwards */
    uint64_t stride; /* ticks of the longest step */
    uint64_t until;  /* the tick to reach, a multiple of the stride */
    uint64_t most;   /* maximum number of steps of this call, at least 1 */
    /* 1: the call continues past `most` to a block after which the next block needs only the bodies
     * and their columns: another engine that receives them continues with the same bits. A tree
     * that was kept is rebuilt after this block (KY_BLOCKS_KEPT of common/blocks.h). Without a tree
     * the call can end after any block. */
    int whole;
    /* Where bodies have their own steps: η and ε of the criterion; length NaN: ε is the body's
     * softening [length]. */
    double eta, length;
    /* KY_SCHEME_HERMITE. corrections: number of times that a step computes forces and corrects the
     * bodies, at least 1. passed: two bodies that may continue with steps that are too long for
     * them, or KY_NO_BODY. */
    int corrections;
    uint32_t passed[2];
    /* KY_SCHEME_HERMITE: close bodies up to this distance become groups, which advance as one body
     * [length]; 0: none do. The column of groups is needed. */
    double group_radius;
    /* With groups: two members that come nearer to each other than the sum of their radii, or than
     * `near` [length], are noted (ky_engine_passages). radii: as in struct ky_integrator_state. */
    const double *radius;
    size_t radii;
    double near;
    /* The time of a tick is origin + (before + tick) × the tick's length, rounded once; fields act
     * at that time. */
    double origin; /* [time] */
    uint64_t before;
    /* KY_SCHEME_BLOCK, h0 not 0: the bodies are comoving ones, and times are scale factors. Then
     * `until` is the stride, since the next longest step has another length. */
    struct ky_expansion expansion;
    struct ky_parameters *softened; /* the engine's, if there is a softening_max; else NULL */
    double softening;               /* without this limit [length] */
    /* Progress so far: input and output of a call. */
    uint64_t now;      /* the tick of the last step */
    uint64_t steps;    /* of all bodies or of blocks */
    double body_steps; /* of single bodies */
    uint64_t shortest; /* [ticks] the shortest step that a body took; 0: none yet */
    double cut;        /* body steps that the criterion wanted shorter than a tick */
    uint32_t close;    /* KY_SCHEME_HERMITE: the body that ended the call, or KY_NO_BODY */
    /* Of groups [G × energy]: work on their members to which no work on others belongs, less the
     * tides of the present groups (struct ky_close_bodies); and by changes of κ. */
    double handover_work, slow_work;
};

/* The units of an engine's sums in the caller's units: powers of two. `external`: of the potential
 * of external fields. */
struct ky_sum_units {
    double mass, length, velocity, acceleration, potential, external;
};

/* Sums over the bodies, over all ranks if these divide them: Σ m, Σ m x, … at the places of
 * physics/sum_indices.h. They do not depend on the order of the bodies (common/integer_sums.h). NaN
 * if a term is not finite. */
struct ky_raw_sums {
    struct ky_sum_units units;
    double of[KY_SUMS];
};

/* Bodies in groups of the Hermite scheme, and energies [G × energy]. */
struct ky_close_bodies {
    size_t bodies;
    double energy;      /* of their motion about the centres of mass of their groups */
    double slow_energy; /* the energy of the slowed motion less this energy */
    double tides; /* of groups whose centres pull in place of their members: the potential energy
                     between members and others, less the one between centres and others; NaN if it
                     was not asked for */
};

struct ky_engine_verbs {
    const char *name;   /* "cpu" */
    const char *advice; /* text that errors append after a missing verb; NULL: nothing */
    int functions;      /* 1: external fields may be functions of the caller */
    int mutual;         /* 1: cells may act on each other (parameters.mutual) */
    int boxes;          /* 1: bodies may be in a periodic box (parameters.box) */
    /* The board of the same devices, by which the CPU leads them (led.h); NULL: it does not. */
    const struct ky_board_verbs *board;

    /* Describes a device of this kind, index = 0, 1, …; KY_USAGE past the last. */
    enum ky_status (*device)(size_t index, struct ky_device *device);
    /* Peak memory of a run with n bodies, `massless` of which have no mass, without the columns
     * that an integrator asks for. n need not be the number for which the engine was opened. */
    void (*memory)(const struct ky_engine *engine, size_t n, size_t massless,
                   struct ky_memory *memory);

    /* Makes room for `room` bodies. `parameters` have been checked against their ranges and stay
     * valid until close. For this and the verbs below, the numbers of bodies and sinks have been
     * checked. */
    enum ky_status (*open)(const struct ky_parameters *parameters, size_t room,
                           const struct ky_engine_use *use, struct ky_engine **engine,
                           struct ky_error *error);
    void (*close)(struct ky_engine *engine);

    /* Replaces the memory by memory for n bodies; the next `put` fills it. */
    enum ky_status (*resize)(struct ky_engine *engine, size_t n, struct ky_error *error);
    /* Sets the frame from the next `put` on; NULL: found from the bodies. */
    void (*frame)(struct ky_engine *engine, const struct ky_engine_frame *frame);
    /* The units since the last `put`, as a frame without a cube. */
    struct ky_engine_frame (*units)(const struct ky_engine *engine);
    /* Copies to and from the engine; arrays that are NULL are left out (put: mass, position,
     * velocity are required; an acceleration given to put counts as the last one, which `relative`
     * opening needs). */
    enum ky_status (*put)(struct ky_engine *engine, const struct ky_bodies *bodies,
                          struct ky_error *error);
    /* Replaces numbers of some bodies. The state is then the same as after a `put` of all bodies in
     * the present units with the present accelerations and potentials. These stay until the next
     * `forces`, and all columns become 0. The numbers have been checked as for `put`. A tree is
     * kept if only velocities are new. */
    enum ky_status (*put_some)(struct ky_engine *engine, const struct ky_some *some,
                               struct ky_error *error);
    enum ky_status (*get)(struct ky_engine *engine, struct ky_bodies *bodies,
                          struct ky_error *error);
    /* The same for some bodies: row k of the arrays of `some` is of body[k], in any order. */
    enum ky_status (*get_some)(struct ky_engine *engine, const uint32_t *body,
                               struct ky_bodies *some, struct ky_error *error);

    /* The same for arrays of which some may be in the memory of the engine's device; NULL: the
     * engine has no such verbs. put_arrays: *taken 0: the bodies, which have not been copied, need
     * a `put`, which also names the fault of impossible bodies. They are checked here, not before.
     */
    enum ky_status (*put_arrays)(struct ky_engine *engine, const struct ky_array_bodies *bodies,
                                 int *taken, struct ky_error *error);
    enum ky_status (*get_arrays)(struct ky_engine *engine, const struct ky_array_bodies *wanted,
                                 struct ky_error *error);
    /* Copies `count` numbers from and to an array on the device. */
    enum ky_status (*read_array)(struct ky_engine *engine, const struct ky_numbers *from,
                                 size_t count, double *to, struct ky_error *error);
    enum ky_status (*write_array)(struct ky_engine *engine, const struct ky_numbers *to,
                                  size_t count, const double *from, struct ky_error *error);

    /* Takes the bodies that a collective task has made, instead of a `put`, in the units of the
     * frame, which must be set. All bodies must have mass. Possible once for each such task. */
    enum ky_status (*take)(struct ky_engine *engine, struct ky_error *error);
    /* Executes a collective task on all ranks (engine/task.h). KY_FAULT and the failures of the
     * task. Only an engine whose bodies are divided has this verb. */
    enum ky_status (*task)(struct ky_engine *engine, const struct ky_tasks *tasks, size_t number,
                           void *told, struct ky_error *error);
    /* Writes the numbers of all bodies to files, in the caller's order and units; each rank writes
     * the numbers of its bodies. KY_CANNOT_WRITE as for a file, KY_BAD_DATA as for `get`. Only an
     * engine whose bodies are divided has this verb. */
    enum ky_status (*write)(struct ky_engine *engine, struct ky_write_plan *plan,
                            struct ky_error *error);

    /* Removes the bodies at the places gone[0 … count), ascending, and adds the bodies of
     * `arrivals` with mass, position, velocity, acceleration and potential; engine/common/replace.h
     * defines their places. Units and the state of the remaining bodies stay, but all columns
     * become 0. For ranks. */
    enum ky_status (*replace)(struct ky_engine *engine, const uint32_t *gone, size_t count,
                              const struct ky_bodies *arrivals, struct ky_error *error);
    /* For a rank that keeps its share in an order of its own; NULL: the places of its bodies are in
     * the order of `put`. */
    const struct ky_part_verbs *part;

    /* From now on the engine keeps the columns of the set and no others. A column that it had keeps
     * its numbers, a new one is 0. `resize` and `put` set all columns to 0. */
    enum ky_status (*columns)(struct ky_engine *engine, unsigned set, struct ky_error *error);
    /* [n][numbers of a body] in the caller's order and units. KY_USAGE for a column that was not
     * asked for. */
    enum ky_status (*put_column)(struct ky_engine *engine, enum ky_column column,
                                 const double *numbers, struct ky_error *error);
    enum ky_status (*get_column)(struct ky_engine *engine, enum ky_column column, double *numbers,
                                 struct ky_error *error);

    /* Accelerations and potentials at the present positions, kept on the engine: of all bodies
     * (`active` NULL), or only of the active bodies. Inactive bodies keep their accelerations and
     * potentials. Both give the same bits, except for the exact sum, which adds in another
     * order, and for a periodic box, where only forces on all bodies are balanced
     * (common/balance.h). */
    enum ky_status (*forces)(struct ky_engine *engine, const struct ky_active *active,
                             struct ky_error *error);
    /* Double-precision direct sums over the present positions for the bodies sinks[0 … count): the
     * reference of force errors. Does not change the engine's own accelerations. */
    enum ky_status (*exact)(struct ky_engine *engine, const size_t *sinks, size_t count,
                            double (*acceleration)[3], double *potential, struct ky_error *error);

    /* Accelerations and potentials at points, at the present positions of the bodies; either may be
     * NULL. The force method is taken from the parameters; with `list` and `tree` each point walks
     * the tree by itself. The opening test `relative` is replaced by `offset`, since a point has no
     * last acceleration; with `fmm` on the CPU, and on devices for many points, a first pass finds
     * one, and the results depend, within the tolerance, on the set of points of the call.
     * KY_UNSUPPORTED for points that stand for bodies, unless the force is direct, or fmm on the
     * CPU. */
    enum ky_status (*field)(struct ky_engine *engine, const struct ky_points *points,
                            double (*acceleration)[3], double *potential, struct ky_error *error);

    /* Seconds of the phases of the last `field` at many points; 0 if it had none. The device is
     * waited for after each phase from this call on. For measurements; NULL: there are no phases.
     */
    enum ky_status (*field_seconds)(struct ky_engine *engine, struct ky_field_seconds *seconds,
                                    struct ky_error *error);

    /* Tidal tensors ∂a_i/∂x_j at points, xx yy zz xy xz yz, in double; else as `field`.
     * KY_UNSUPPORTED on a device without double. */
    enum ky_status (*tides)(struct ky_engine *engine, const struct ky_points *points,
                            double (*tide)[6], struct ky_error *error);

    /* Advances to the tick `until` or by `most` steps, whichever comes first, and counts the steps.
     * The bits do not depend on how the steps are divided into calls. KY_UNSUPPORTED for a scheme
     * that is not in the set that `schemes` returns (a sum of 1 << scheme).
     *
     * KY_SCHEME_BLOCK keeps the bodies' steps in the column `step`, which the engine must have. At
     * a multiple of the stride it chooses a new step for a body whose step is not a valid one (0,
     * for example). KY_USAGE if a step has to be chosen at another tick, and before the first
     * forces. At a tick between two multiples `get` and `sums` give each body at the end of its own
     * last step, which is the last multiple of its step. No other verb may be called at such a
     * tick.
     *
     * KY_SCHEME_HERMITE is the same with the columns `step` and `jerk`. It chooses the steps of all
     * bodies if one has none, and after `forces`. The potentials from `get` and `sums` are sums in
     * double at the present positions. If a body without softening wants a step shorter than a tick
     * at the end of its step, all bodies are advanced to that time and the call ends there; a later
     * call may start from there. The bodies in `passed` do not end a call. */
    enum ky_status (*advance)(struct ky_engine *engine, struct ky_advance *advance,
                              struct ky_error *error);
    unsigned (*schemes)(const struct ky_engine *engine);

    enum ky_status (*kick)(struct ky_engine *engine, double dt,
                           struct ky_error *error); /* v += a dt */
    enum ky_status (*drift)(struct ky_engine *engine, double dt,
                            struct ky_error *error); /* x += v dt */
    enum ky_status (*sums)(struct ky_engine *engine, struct ky_raw_sums *sums,
                           struct ky_error *error);
    /* NULL: there are no groups. None are known before the first `advance` after `put`. */
    void (*grouped)(const struct ky_engine *engine, int tides, struct ky_close_bodies *grouped);
    /* With `grouped`: as ky_engine_leaders. */
    int (*leaders)(const struct ky_engine *engine, uint32_t *leader);
    struct ky_pairs *(*passages)(const struct ky_engine *engine);
    /* Frees memory that the next evaluation allocates again. */
    void (*trim)(struct ky_engine *engine);
    /* A general walk at the present positions; the request has been checked. */
    enum ky_status (*walk)(struct ky_engine *engine, const struct ky_walk_request *request,
                           struct ky_error *error);
    /* Cost of the last `forces` or `walk`. */
    void (*report)(struct ky_engine *engine, struct ky_force_report *report);
};

/* 1 if `name` ("cuda:0,1") names the engine `kind` ("cuda"), else 0. */
int ky_engine_is_named(const char *name, const char *kind);
/* Returns the number of usable devices of this kind ("cuda") in this computer. Does not ask drivers
 * of other kinds. */
size_t ky_engine_devices(const char *kind);
/* Why there is no engine of that name: KY_UNSUPPORTED if this build lacks it, else KY_USAGE. */
enum ky_status ky_engine_not_here(const char *name, struct ky_error *error);

/* Opens the engine that parameters->engine names, with room for n bodies and for no scheme; "auto"
 * takes the fastest for n bodies, and logs which and why. KY_UNSUPPORTED for more than 2³¹ − 1
 * bodies, here and in ky_engine_resize. */
enum ky_status ky_engine_open(const struct ky_parameters *parameters, size_t n,
                              struct ky_engine **engine, struct ky_error *error);
/* KY_UNSUPPORTED for ranks: for calls without a simulation, before their work. */
enum ky_status ky_engine_check_alone(const struct ky_parameters *parameters,
                                     struct ky_error *error);
/* KY_UNSUPPORTED for more than 2³¹ − 1 bodies. */
enum ky_status ky_engine_check_number(size_t n, struct ky_error *error);
/* The same with room for `room` bodies. "auto" takes the fastest engine for use->n bodies that
 * supports `use`. */
enum ky_status ky_engine_open_for(const struct ky_parameters *parameters, size_t room,
                                  const struct ky_engine_use *use, struct ky_engine **engine,
                                  struct ky_error *error);
void ky_engine_close(struct ky_engine *engine); /* NULL is allowed */
/* Peak memory of a run with n bodies, `massless` of which have no mass, and a set of columns on
 * this engine. n need not be the number for which it was opened. */
void ky_engine_memory(const struct ky_engine *engine, unsigned columns, size_t n, size_t massless,
                      struct ky_memory *memory);

/* Most of the functions below check their arguments and call the verb of the same name, whose
 * contract holds. The comments here describe the checks. KY_UNSUPPORTED if the engine has no such
 * verb. */

/* After a failure other than KY_UNSUPPORTED the engine can only be closed. */
enum ky_status ky_engine_resize(struct ky_engine *engine, size_t n, struct ky_error *error);
/* KY_USAGE for units that are not powers of two, for a cube or an origin that is not finite, and
 * for an edge that is neither 0 nor from 1 to 2³⁷ units, beyond the range of float (units.c). */
enum ky_status ky_engine_set_frame(struct ky_engine *engine, const struct ky_engine_frame *frame,
                                   struct ky_error *error);
/* The units of the bodies on the engine, as a frame without a cube: with it another engine computes
 * the same bits, wherever the bodies have moved since. All 0 if the engine has no units. */
struct ky_engine_frame ky_engine_units_of(const struct ky_engine *engine);
/* Replaces the external fields for the next forces; count 0: none. They add to the accelerations of
 * bodies and of points and to the potential of points. Call ky_engine_columns afterwards, since
 * fields need a column of pulls. The potential of bodies remains the potential by the other bodies,
 * and the energy in the fields is a sum of its own (struct ky_sums). KY_USAGE for too many fields,
 * for an unknown kind and for numbers that are not finite. A newly opened engine has the fields of
 * its parameters. */
enum ky_status ky_engine_set_fields(struct ky_engine *engine, const struct ky_external *fields,
                                    size_t count, struct ky_error *error);
/* Sets the time of the bodies' present positions, at which the fields act from now on. A new engine
 * has the time of the parameters. ky_engine_advance moves it on by itself; the verbs `put` and
 * `drift` do not. */
void ky_engine_set_time(struct ky_engine *engine, double time);
/* The time of a tick of a call of ky_engine_advance. */
double ky_advance_time(const struct ky_advance *advance, uint64_t tick);
/* KY_USAGE for arrays whose length is not the engine's, here and in ky_engine_get. */
enum ky_status ky_engine_put(struct ky_engine *engine, const struct ky_bodies *bodies,
                             struct ky_error *error);
/* KY_USAGE for a list that does not ascend, or that names a body past the last. KY_BAD_DATA for a
 * position that is not finite, or so far out that all bodies need other units, which only
 * ky_engine_put can find. After KY_USAGE and KY_BAD_DATA nothing has changed. */
enum ky_status ky_engine_put_some(struct ky_engine *engine, const struct ky_some *some,
                                  struct ky_error *error);
/* The verb `move` of struct ky_part_verbs. KY_UNSUPPORTED for more bodies than an engine takes. */
enum ky_status ky_engine_move(struct ky_engine *engine, const struct ky_part_move *move,
                              struct ky_error *error);
/* Does not check the bodies: for ranks. */
enum ky_status ky_engine_replace(struct ky_engine *engine, const uint32_t *gone, size_t count,
                                 const struct ky_bodies *arrivals, struct ky_error *error);
/* KY_BAD_DATA for numbers that are not finite, here and in sums. */
enum ky_status ky_engine_get(struct ky_engine *engine, struct ky_bodies *bodies,
                             struct ky_error *error);
/* The same, and KY_USAGE for a body past the last. */
enum ky_status ky_engine_get_some(struct ky_engine *engine, const uint32_t *body,
                                  struct ky_bodies *some, struct ky_error *error);
/* *taken becomes 0 also for an engine without this verb. */
enum ky_status ky_engine_put_arrays(struct ky_engine *engine, const struct ky_array_bodies *bodies,
                                    int *taken, struct ky_error *error);
/* KY_BAD_DATA for results that are not finite. */
enum ky_status ky_engine_get_arrays(struct ky_engine *engine, const struct ky_array_bodies *wanted,
                                    struct ky_error *error);
enum ky_status ky_engine_read_array(struct ky_engine *engine, const struct ky_numbers *from,
                                    size_t count, double *to, struct ky_error *error);
enum ky_status ky_engine_write_array(struct ky_engine *engine, const struct ky_numbers *to,
                                     size_t count, const double *from, struct ky_error *error);
enum ky_status ky_engine_take(struct ky_engine *engine, struct ky_error *error);
/* 1 if the engine's bodies are divided among ranks, so that it has the verbs `task` and `write`. */
int ky_engine_writes(const struct ky_engine *engine);
enum ky_status ky_engine_write(struct ky_engine *engine, struct ky_write_plan *plan,
                               struct ky_error *error);
enum ky_status ky_engine_task(struct ky_engine *engine, const struct ky_tasks *tasks, size_t number,
                              void *told, struct ky_error *error);
enum ky_status ky_engine_columns(struct ky_engine *engine, unsigned set, struct ky_error *error);
enum ky_status ky_engine_put_column(struct ky_engine *engine, enum ky_column column,
                                    const double *numbers, struct ky_error *error);
enum ky_status ky_engine_get_column(struct ky_engine *engine, enum ky_column column,
                                    double *numbers, struct ky_error *error);
enum ky_status ky_engine_forces(struct ky_engine *engine, struct ky_error *error);
/* The forces of the active bodies. KY_USAGE before ky_engine_forces. At present only tests
 * call it: block and Hermite steps are led by the engines themselves (ky_engine_advance). */
enum ky_status ky_engine_forces_of(struct ky_engine *engine, const struct ky_active *active,
                                   struct ky_error *error);
/* Exact sums over the bodies, without external fields. KY_USAGE for a sink that is not a body. */
enum ky_status ky_engine_exact(struct ky_engine *engine, const size_t *sinks, size_t count,
                               double (*acceleration)[3], double *potential,
                               struct ky_error *error);
/* KY_BAD_DATA for points or results that are not finite. */
enum ky_status ky_engine_field(struct ky_engine *engine, const struct ky_points *points,
                               double (*acceleration)[3], double *potential,
                               struct ky_error *error);
enum ky_status ky_engine_field_seconds(struct ky_engine *engine, struct ky_field_seconds *seconds,
                                       struct ky_error *error);
/* Includes the tides of external fields. KY_BAD_DATA for points or results that are not finite. */
enum ky_status ky_engine_tides(struct ky_engine *engine, const struct ky_points *points,
                               double (*tide)[6], struct ky_error *error);
/* 1 if ky_engine_advance supports the scheme on this engine, else 0. */
int ky_engine_advances(const struct ky_engine *engine, enum ky_scheme scheme);
/* KY_USAGE for block and Hermite steps on an engine that was not opened for them. */
enum ky_status ky_engine_advance(struct ky_engine *engine, struct ky_advance *advance,
                                 struct ky_error *error);
enum ky_status ky_engine_kick(struct ky_engine *engine, double dt, struct ky_error *error);
enum ky_status ky_engine_drift(struct ky_engine *engine, double dt, struct ky_error *error);
enum ky_status ky_engine_sums(struct ky_engine *engine, struct ky_sums *sums,
                              struct ky_error *error);
/* The same in the engine's units. */
enum ky_status ky_engine_raw_sums(struct ky_engine *engine, struct ky_raw_sums *sums,
                                  struct ky_error *error);
/* tides: 1: with their energy, which takes a core about 3 ns for a group and a body. */
struct ky_close_bodies ky_engine_grouped(const struct ky_engine *engine, int tides);
/* Sets the index of the first member of its group for each body in a group, and leaves the others.
 * 0 before the first `advance` after `put`, where groups are not known. */
int ky_engine_leaders(const struct ky_engine *engine, uint32_t *leader);
/* The noted pairs of the present longest step, with their least distances. NULL: no groups. */
struct ky_pairs *ky_engine_passages(const struct ky_engine *engine);
void ky_engine_trim(struct ky_engine *engine);
/* KY_USAGE for a request whose number of bodies is not the engine's, that lacks an input of its
 * action, or has numbers out of range. */
enum ky_status ky_engine_walk(struct ky_engine *engine, const struct ky_walk_request *request,
                              struct ky_error *error);
void ky_engine_report(struct ky_engine *engine, struct ky_force_report *report);

/* The engine of the CPU and, for each driver, the engine of its devices. A build without a driver
 * lacks its engine. */
#define KY_DRIVER_ENGINE(own, name, ...) extern const struct ky_engine_verbs ky_##name##_engine;
extern const struct ky_engine_verbs ky_cpu_engine;
KY_DRIVERS(KY_DRIVER_ENGINE, )

#endif
