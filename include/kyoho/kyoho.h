/* kyoho.h - gravitational N-body simulation: the library's public interface and its manual. It is
 * one file, although a long one, so that a program includes one header and a reader searches one.
 *
 * Conventions that hold for every call:
 * - A call that can fail returns enum ky_status; KY_OK is 0. The last parameter `error` may be
 *   NULL; otherwise it holds one line of text after a failure and is unchanged after a success.
 * - The library never prints, exits or aborts. Its only global state is the threads for its loops,
 *   one team for each calling thread. Handles are independent: two threads may use two handles at
 *   the same time, but not the same handle. After a fork the child process starts its own threads.
 * - Arrays belong to the caller unless a call says that it allocates. Such a call does not free the
 *   previous content of its result. Vectors are double[3], in C order.
 * - A pointer may be NULL where its comment says so. For any other NULL a call that returns a
 *   status returns KY_USAGE, unless it does not need the argument. Arrays may be NULL if their
 *   count is 0.
 * - Structs that may grow begin with their own `size`, and get new members only at their end. A
 *   struct of parameters is filled by its `_defaults` call, which sets the size. A struct of bodies
 *   or results is zeroed by the caller before the first call (`struct ky_sums sums = {0};`), or
 *   begins with its size. A program that was built with an older header, whose structs are shorter,
 *   runs with this library. The library then touches nothing beyond the end of these structs and
 *   uses defaults for parameters that the program does not know. See the last section.
 * - Structs without a size never grow: they are parts of other structs, elements of arrays, or
 *   results of fixed form. If more is needed, a new call with a new struct will provide it. They
 *   are ky_error, ky_units, ky_space, ky_error_statistics, ky_neighbour_lists and ky_merge_scale.
 *   ky_snapshot does not grow either: the calls that make one write all of it.
 * - Units are the caller's. G is a number in `struct ky_parameters` (1 by default).
 *
 * Each section begins with a line with four hyphens. First come status and errors, bodies, units,
 * parameters of a simulation, forces and sums, and the general walk. Then come a simulation,
 * changes between two steps, the state, some of the bodies, and walks over the bodies of a
 * simulation. The others are a run in a folder, many systems of few bodies, snapshots, initial
 * models, analysis, devices, and structs that grow. Pictures, plots and the view are in draw.h.
 *
 * Why this file has more than 600 lines: it is the library's manual. A user reads it from front to
 * back, and searches it with one command. More than half of its lines are comments. Its sections
 * use each other's types (bodies, parameters, snapshots, errors), so several files would include
 * each other. Bindings for other languages read one file. */
#ifndef KYOHO_KYOHO_H
#define KYOHO_KYOHO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KY_VERSION_MAJOR 0
#define KY_VERSION_MINOR 3
#define KY_VERSION_PATCH 0

#if defined(__GNUC__)
#define KY_API __attribute__((visibility("default")))
#else
#define KY_API
#endif

/* ---- status and errors ---- */

/* The numbers are also the exit codes of the command. */
enum ky_status {
    KY_OK = 0,
    KY_FAULT = 1, /* out of memory, an error in the library itself, or a device used in a child
                     process (fork) of the process that opened it: the child can use only the CPU */
    KY_USAGE = 2, /* a parameter is out of range or contradicts another; a file exists that may not
                     be overwritten */
    KY_UNSUPPORTED = 3, /* not available in this build, on this machine or with this engine */
    KY_BAD_DATA = 4,    /* a file is damaged or of the wrong kind, or bodies are invalid */
    KY_DEVICE = 5,      /* a device failed or ran out of memory */
    KY_STOPPED = 6,     /* stopped early; a run can be resumed */
    KY_CANNOT_WRITE = 7 /* a file cannot be written */
};

struct ky_error {
    enum ky_status status;
    char text[1024]; /* one line, without a newline: the fault, its place and the remedy. */
};

/* "bad data"; "unknown status" for another number. Static text. */
KY_API const char *ky_status_name(enum ky_status status);
KY_API const char *ky_version(void); /* "0.3.0" */
/* Sets the number of threads for the loops of the calling thread, at most 1,024. It applies to
 * calls without `threads` in their parameters (analysis, merging, pictures), and to calls with
 * `threads` 0. The default, 0, means OMP_NUM_THREADS, or else the number of processors that the
 * thread may use. Results do not depend on it. Returns the previous number, 0 at first. A build
 * without threads uses one. */
KY_API int ky_use_threads(int threads);

/* For bindings that do not read this file: the size in bytes that a struct of this file has in the
 * library, as in ky_abi("ky_parameters"); 0 for NULL and for an unknown name. */
KY_API size_t ky_abi(const char *name);

/* The features of this build, one line an item ("HDF5: yes", "PNG: no - libpng was not found");
 * lines are separated by '\n'. Static text. */
KY_API const char *ky_build_features(void);

enum ky_log_level { KY_LOG_DETAIL, KY_LOG_INFO, KY_LOG_WARNING };

/* Receives one line without a newline. It runs in the thread that called the library. ky_film calls
 * it from its own threads, one at a time. */
typedef void ky_log_function(void *context, enum ky_log_level level, const char *line);

/* ---- bodies ---- */

/* A plain view of arrays of length n. n = 0 with NULL arrays is legal. */
struct ky_bodies {
    size_t size; /* of this struct, or 0 */
    size_t n;
    double *mass;          /* required; 0 makes a test particle, which exerts no force and costs no
                              more than a point at which a field is computed; negative is an
                              error */
    double (*position)[3]; /* required */
    double (*velocity)[3]; /* required */
    uint64_t *id;          /* unique; or NULL: the id of a body is its index */
    double *softening;     /* or NULL: one softening for all; see ky_softening_choose */
    uint8_t *type; /* or NULL: 4. GADGET type 0 … 5 (gas, halo, disk, bulge, stars, black holes) */
    double (*acceleration)[3]; /* includes external fields; or NULL: not known or not wanted */
    double *potential;         /* per unit mass, negative, without the body's own and without
                                  external fields; or NULL */
    double *radius; /* physical radius, for stop_collision of struct ky_parameters and for
                       ky_sim_pairs; no force depends on it [length]. NULL: not known */
    void *later[7]; /* NULL: reserved for arrays of later versions */
};

/* Optional arrays for ky_bodies_allocate, or-ed. */
enum {
    KY_WITH_ID = 1,
    KY_WITH_SOFTENING = 2,
    KY_WITH_TYPE = 4,
    KY_WITH_ACCELERATION = 8,
    KY_WITH_POTENTIAL = 16,
    KY_WITH_RADIUS = 32
};

/* Allocates the three required arrays and the arrays named in `with`, zeroed; after a failure none
 * is allocated. Free with ky_bodies_free, which frees every array that is not NULL and clears the
 * struct. */
KY_API enum ky_status ky_bodies_allocate(struct ky_bodies *bodies, size_t n, unsigned with,
                                         struct ky_error *error);
/* Adds the arrays in `with` that are NULL, zeroed. After KY_FAULT some of them may have been
 * added. */
KY_API enum ky_status ky_bodies_extend(struct ky_bodies *bodies, unsigned with,
                                       struct ky_error *error);
KY_API void ky_bodies_free(struct ky_bodies *bodies);

/* KY_BAD_DATA, naming the first such body, for masses, softenings and radii that are negative or
 * not finite, for positions and velocities that are not finite, for types above 5, and for an id
 * that occurs twice. KY_USAGE for bodies without masses, positions or velocities. Accelerations and
 * potentials are not checked. */
KY_API enum ky_status ky_bodies_check(const struct ky_bodies *bodies, struct ky_error *error);

/* ---- units ---- */

/* The units of length, mass and velocity in cgs; 0: no physical unit (N-body units). The unit of
 * time and G follow from them. */
struct ky_units {
    double length_cm, mass_g, velocity_cm_s;
    double g; /* the constant of gravity in these units */
};

/* Presets: "nbody" (no scale, G = 1), "galaxy" (kpc, 1e10 Msun, km/s), "cosmic" (Mpc instead of
 * kpc), "cluster" (pc, Msun, km/s), "planets" (AU, Msun, AU/yr). KY_USAGE for another name. */
KY_API enum ky_status ky_units_preset(const char *name, struct ky_units *units,
                                      struct ky_error *error);
/* Reads a number with or without a unit, "50", "50Myr", "50 Myr", as a number in `units`. `kind` is
 * "length", "mass", "time" or "velocity". KY_USAGE for a text that is no such number, for a unit of
 * another kind, and for a unit where `units` have no scale. */
KY_API enum ky_status ky_quantity(const char *text, const char *kind, const struct ky_units *units,
                                  double *value, struct ky_error *error);

/* ---- parameters of a simulation ---- */

/* KY_DIRECT: the exact sum over all bodies. KY_WALK: a walk through the octree for each body.
 * KY_LIST: interaction lists for groups of bodies, which the host makes for a device. KY_TREE: a
 * walk for each group of bodies. KY_FMM: cells act on cells. KY_FORCE_AUTO (default): the fastest
 * of KY_TREE, KY_FMM and KY_DIRECT for this number of bodies, engine, integrator and error. Fields
 * that are not at their defaults restrict the choice to the first of these three that uses all of
 * them: theta, alpha, opening, cell, multipole, curve, leaf, group and tree choose KY_TREE, order
 * and mutual KY_FMM. KY_USAGE if none does. */
enum ky_force { KY_DIRECT, KY_WALK, KY_LIST, KY_TREE, KY_FMM, KY_FORCE_AUTO };
/* Which cells act as a whole, for a cell of size l at the distance d. Geometric: d > l/θ. Offset: d
 * > l/θ + s, where s is the distance of its centre of mass from its middle. Minimum: the distance
 * to its box is above l/θ. Relative: the expected error is below α times the last acceleration. By
 * use: offset if theta is set, relative if alpha is set. If neither is set: relative, but offset
 * with ky_walk, since relative needs the last accelerations. */
enum ky_opening { KY_OPENING_BY_USE = -1, KY_GEOMETRIC, KY_OFFSET, KY_MINIMUM, KY_RELATIVE };
/* The size of a cell: the longest side of the box around its bodies, or the edge of its cube. By
 * force: edge for walk and list, else box. */
enum ky_cell { KY_CELL_BY_FORCE = -1, KY_BOX, KY_EDGE };
/* The space-filling curve along which bodies are sorted before a walk; Hilbert's is the default. */
enum ky_curve { KY_CURVE_NONE, KY_MORTON, KY_HILBERT };
/* Which processor builds the tree for a device. By engine: the device, except for KY_LIST. The
 * engine cpu, which has its own tree, refuses the other two values. A method that needs one maker
 * refuses the other. */
enum ky_tree_maker { KY_TREE_BY_ENGINE = -1, KY_TREE_OF_HOST, KY_TREE_OF_DEVICE };
/* By integrator (not set): extended for KY_DIRECT, else single. docs/numerics.md describes the
 * precisions. KY_MIXED is for KY_DIRECT on devices with matrix units: CUDA from compute capability
 * 8.0 on. */
enum ky_precision { KY_PRECISION_BY_INTEGRATOR = -1, KY_SINGLE, KY_EXTENDED, KY_DOUBLE, KY_MIXED };
/* By snapshot: the kind stored with the bodies, else Plummer. ε_i belongs to the body that feels
 * the force, ε_j to the body that exerts it. A pair at the distance r acts as if the distance were
 *   Plummer    √(r² + ε_i²);
 *   symmetric  √(r² + ε_i² + ε_j²);
 *   spline     r where r >= 2.8 max(ε_i, ε_j).
 * Nearer pairs act with `spline` as GADGET's spline of that radius, whose potential at r = 0 equals
 * Plummer's with the larger ε. Not for KY_HERMITE4. */
enum ky_softening_kind { KY_SOFTENING_KIND_BY_SNAPSHOT = -1, KY_PLUMMER, KY_SYMMETRIC, KY_SPLINE };
enum ky_isa { KY_ISA_AUTO, KY_ISA_PLAIN, KY_ISA_SSE2, KY_ISA_AVX2, KY_ISA_AVX512, KY_ISA_NEON };
/* Leap-frog with one step for all bodies (default); leap-frog with individual steps; the
 * fourth-order Hermite scheme with individual steps, for KY_DIRECT; up to 100 bodies without
 * softening, on the CPU (docs/few.md). */
enum ky_integrator { KY_LEAPFROG, KY_BLOCK_STEPS, KY_HERMITE4, KY_FEW };

/* A point at which the caller's field is evaluated, in the caller's units. The function sets the
 * acceleration, the jerk and the potential, which are NaN before the call. If a NaN is left in a
 * number that is used, the call that needs it returns KY_BAD_DATA. */
struct ky_field_place {
    size_t size;                     /* of this struct, as the library has it */
    double position[3], velocity[3]; /* a point that is not a body is at rest */
    double acceleration[3];
    double jerk[3]; /* (v·∇)a + ∂a/∂t, the change of the acceleration in time along the velocity;
                       read by KY_HERMITE4 and for tides */
    double potential; /* per unit mass */
    double time;      /* of the bodies; 0 where none is known (ky_forces) */
};
/* Several threads call it at once. The same position, velocity and time must always give the
 * same numbers. */
typedef void ky_field_function(void *context, struct ky_field_place *place);

/* The same for many places at once. The function sets `count` rows of the arrays that are not NULL;
 * they are NaN before the call. Places that are at rest have velocity NULL. */
struct ky_field_places {
    size_t size; /* of this struct, as the library has it */
    size_t count;
    double time; /* as above */
    const double (*position)[3], (*velocity)[3];
    double (*acceleration)[3];
    double (*jerk)[3]; /* as above; NULL if it is not read */
    double *potential;
};
/* All bodies come in one call, from the thread that called the library. Single places, such as
 * bodies that KY_HERMITE4 evaluates one by one, may come from several threads at once. With several
 * ranks, rank 0 calls the function for the bodies of all ranks; KY_HERMITE4 is then
 * KY_UNSUPPORTED. */
typedef void ky_field_places_function(void *context, const struct ky_field_places *places);

/* All parameters of a calculation. Each field has the name of an option. `kyoho run --help` prints
 * its meaning, range, unit and default. */
struct ky_parameters {
    size_t size;
    /* which processor */
    const char *engine; /* "auto", "cpu", "cuda[:i,j…]", "opencl[:i]"; must outlive the calls that
                           read it */
    int isa;            /* enum ky_isa */
    int threads;        /* 0: OMP_NUM_THREADS, or all processors that the process may use */
    /* the force */
    int force;     /* enum ky_force */
    int opening;   /* enum ky_opening */
    int cell;      /* enum ky_cell */
    int multipole; /* 1 or 2 */
    int curve;     /* enum ky_curve */
    int leaf,
        group; /* the most bodies in a leaf (KY_FMM: 2, 3 or 5 times as many, on devices at most 32
                  unless more are given; ignored with mutual); the most bodies that share a walk */
    int precision; /* enum ky_precision */
    int unused;    /* keeps the offsets of later members */
    int softening_kind;
    double theta, alpha; /* NaN: the default of the opening; alpha is only for relative. With KY_FMM
                            and KY_DIRECT theta is for general walks, and with KY_FMM also for
                            distant points of ky_sim_field */
    double softening;    /* one for all bodies, instead of their own; NaN (default): their own.
                            KY_USAGE if they have none: see ky_softening_choose */
    double g;
    /* the motion */
    int integrator; /* enum ky_integrator */
    double step;    /* [time]; with `expansion` [ln a]. NaN (default): ky_run chooses one; a
                       simulation needs one before it advances */
    /* receives remarks; or NULL */
    ky_log_function *log;
    void *log_context;
    /* individual steps (KY_BLOCK_STEPS, KY_HERMITE4); NaN: not given */
    double eta, step_min, step_max, step_length;
    int tree;        /* enum ky_tree_maker */
    int corrections; /* KY_HERMITE4; 0 (default): chosen from the number of bodies with mass, see
                        the option */
    /* external fields, docs/models.md; general walks (ky_walk) ignore them. A field may read a file
     * with a table in time: KY_BAD_DATA if the file cannot be used, KY_USAGE for a time outside the
     * table */
    const char *field;                 /* NULL: none; must outlive the calls that read it */
    ky_field_function *field_function; /* one more field, for the engine cpu or for ranks, or NULL.
                                          A restart uses the function that its caller passes */
    void *field_context;
    /* NULL: steps equal in time. Else steps equal in ln a: "omega-m=0.3,omega-lambda=0.7,h0=0.07"
     * describes the universe, whose age is the time of the bodies; "bodies" (ky_run only) takes it
     * from ky_snapshot.space. Must outlive the calls that read it. With `box` the universe may also
     * have omega-r, w0 and wa, and bodies are comoving. Then their time is the scale factor a,
     * positions are comoving ones, x, and velocities of a ky_sim are the momenta a² dx/dt. Its sums
     * and fields are of these numbers. Snapshots, also of a run, have the peculiar velocities
     * a dx/dt */
    const char *expansion;
    struct ky_units units; /* the units of the bodies, for values with units in ky_parameters_set,
                              "3pc", and in `field` and `expansion`. Without scales (default) such
                              values are KY_USAGE. A run has the units of its snapshot */
    int order;             /* KY_FMM: order of its expansions, 2 to 6; 0 (default): 4, in a box 6 */
    int mutual;   /* 1: pairs of cells act on each other, so that momentum is conserved up to
                     rounding; KY_FMM with KY_LEAPFROG on the CPU */
    double error; /* NaN (default): the other fields define the force. Else 99 % of the
                     accelerations have at most this relative error. Order and alpha follow from it,
                     and so do precision and force unless they are given. The library finds them
                     when it opens a simulation (ky_sim_choice). It compares forces with exact sums
                     for a sample of the bodies. With KY_FORCE_AUTO it also times the forces that
                     take about the same time, so that two calls may choose different ones. They
                     replace `error` in ky_sim_parameters and in files. KY_USAGE with theta, alpha,
                     order, or an opening other than relative. In a periodic box errors are over
                     the rms acceleration, and a comoving simulation finds order and alpha again
                     whenever the scale factor has doubled or halved, until a call sets one of
                     alpha, order, theta, opening, cell and multipole */
    const volatile int
        *stop;   /* not 0 (set by a signal handler or another thread, for example): the calls below
                    end with KY_STOPPED. Must outlive the calls that read it. NULL: never.
                    - Calls that advance end after the present step (KY_STOP_ASKED). The simulation
                    stays usable. Once the flag is 0 again, the next such call continues with the
                    same bits. A run stops after this step. With KY_BLOCK_STEPS and KY_HERMITE4
                    the step is the longest one. If the longest step does not end within a quarter
                    of a second, the call ends within it: the bodies are at different times,
                    ky_sim_time is the time at which the step began, and ky_sim_stop_reason names
                    a pair. Until the end of the step is reached, only calls that save, and calls
                    that advance to that end or beyond, are possible. All others return KY_USAGE.
                    - ky_forces, ky_forces_check, ky_field, ky_field_fill, ky_orbit, ky_walk,
                    ky_neighbours, ky_nearest, ky_sph_density, ky_catalogue_make, ky_few_integrate
                    and ky_binaries_find end in the middle of their work. The bodies stay usable. No
                    partial result is kept: a repeated call starts from the beginning, with the same
                    results.
                    - ky_sim_field, ky_sim_field_fill, ky_sim_walk, ky_sim_neighbours,
                      ky_sim_nearest, ky_sim_sph_density, ky_sim_pairs and ky_sim_catalogue_make do
                    too, and leave the simulation as it was. Later calls give the same results as
                    without the stopped call. On the CPU loops over the bodies check the flag;
                      docs/lab/README.md has the times until calls end. On devices a call checks it
                      only between the parts of its work: upload of the bodies, an evaluation of
                      forces, a whole field at points, download of the results. Each call documents
                      the content of its arrays after KY_STOPPED. ky_sim_open and
                      the calls that run check it while they measure forces for `error`, and then
                      leave nothing behind. Other calls do not check the flag */
    double time; /* of the bodies [time], for fields that change in time, in calls without a
                    simulation (ky_forces, ky_forces_check); default 0 */
    /* Conditions that end a call that advances, and a run: see enum ky_stop_kind */
    int stop_collision; /* 1: two bodies are nearer than the sum of their radii: `body_radius`, or
                           the bodies' own radii. KY_USAGE without radii */
    double stop_pair;   /* two bodies are nearer than this, which is above 0 [length]; NaN: never */
    double
        stop_escape; /* an unbound body is farther from the density centre [length]; NaN: never */
    double stop_box; /* a body is outside the cube of this side, above 0, about the origin: |x|,
                        |y| or |z| is more than half of it [length]; NaN: never */
    double body_radius; /* of all bodies, instead of their own radii, for stop_collision [length];
                           NaN: the bodies' own. KY_USAGE without stop_collision */
    /* The same as field_function for many places in one call, with field_context; at most one of
     * the two is set. Or NULL. Unlike field_function it also works on devices, except with
     * KY_HERMITE4: the host evaluates it at the present positions and the device adds the
     * result. */
    ky_field_places_function *field_places;
    int ranks; /* number of ranks of a simulation. Ranks are threads of the process, each with some
                  of its threads or with one of the devices that `engine` names; or, within
                  ky_mpi_lead, the processes of MPI. With KY_TREE or KY_FMM, and KY_LEAPFROG or
                  KY_BLOCK_STEPS, each rank has its share of the bodies; otherwise each has all
                  bodies. KY_UNSUPPORTED on devices: KY_WALK, and block steps with KY_TREE or KY_FMM
                  if some bodies have no mass, or if bodies have softenings of their own.
                  Accelerations and motion have the same bits for any number of ranks. 1 (default):
                  one processor. But if `engine` names several devices, ky_sim_open and calls that
                  compute forces or fields once open a rank for each device, unless the first device
                  alone is faster; the choice is logged. Calls without a simulation accept only 1 */
    /* KY_FEW */
    double orbit_steps; /* steps of the quickest orbit; default 16 */
    double tolerance; /* relative error of the energy above which a step is taken again at half its
                         length; default 1e-11 */
    int slow_down;    /* 1: the orbits of pairs far inside the orbit around them are slowed down */
    double box; /* side of a periodic box with a corner at the origin, docs/periodic.md [length]; 0
                   (default): open space. Bodies outside are moved into it. KY_DIRECT, KY_TREE
                   and KY_FMM, with KY_LEAPFROG and KY_BLOCK */
    /* KY_HERMITE4, for bodies without softening and without field functions. 1: close bodies
     * advance as one body, their centre of mass, and within as a system of few bodies; the CPU
     * leads devices */
    int groups;
    /* The largest distance of such bodies [length]; above 0 it implies `groups`; 0: there are no
     * groups; NaN (default): chosen from the bodies if `groups` is 1, else 0 */
    double group_radius;
    /* KY_LEAPFROG and KY_BLOCK_STEPS in a comoving box: the largest physical softening [length].
     * The comoving one is the smaller of `softening` and softening_max/a, with the scale factor a
     * of each evaluation of forces. NaN (default): no limit */
    double softening_max;
    /* KY_LEAPFROG and KY_BLOCK_STEPS in a comoving box: at the scale factor a no longest step is
     * longer than late_step/a^(3/4) in ln a, so that the last ones before a = 1 are the shortest.
     * NaN (default): no limit if there is a `step`; else, until one is set, 0.012, in block steps
     * 0.048, and the step that a run chooses is at most 10 or 2.5 times late_step */
    double late_step;
    /* The same integrators in a comoving box: the length in a of the longest steps; early ones are
     * 0.12 in ln a, where that is shorter. `step` is then 0.12, or -0.12 back in time. KY_USAGE
     * with another `step` and with late_step. NaN (default): steps are as above */
    double step_a;
};

KY_API void ky_parameters_defaults(struct ky_parameters *parameters);

/* One option of the command, which is a field of struct ky_parameters (sections "engine", "force",
 * "integrator", "stopping") or struct ky_run_parameters ("run"). */
enum ky_option_kind {
    KY_IS_FLAG,    /* "yes" or "no" */
    KY_IS_INTEGER, /* whole number */
    KY_IS_REAL,
    KY_IS_CHOICE, /* one of `choices` */
    KY_IS_TEXT
};

struct ky_option_about {
    size_t size;          /* of this struct, or 0 */
    const char *section;  /* "force" */
    const char *name;     /* "theta" */
    int kind;             /* enum ky_option_kind */
    const char *initial;  /* the default as text; NULL: unset, with the meaning in the help */
    double low, high;     /* range of numbers, ends included; low > high: no range */
    const char *choices;  /* "geometric|offset|minimum|relative", or NULL */
    char unit[16];        /* "length", "time", "s"; "": none */
    const char *help;     /* one line. A size of 0 ends here; later members need the true size */
    const char *value;    /* the help's word for the value: "LENGTH", "FILE"; NULL: by kind */
    size_t offset, bytes; /* of the field in its struct. Flags and choices are int, integers int or
                             uint64_t by their bytes, reals double, texts const char * */
};
/* index = 0, 1, …; KY_USAGE past the last. Texts are static. */
KY_API enum ky_status ky_option_get(size_t index, struct ky_option_about *about);
/* Sets the field of that name from text, as the command line does; a number may have a unit, "3pc",
 * where parameters->units have scales. Texts are not copied. KY_USAGE for an unknown name (the
 * error text has the nearest one), and for a text that is not a value of the field; the field is
 * unchanged then. */
KY_API enum ky_status ky_parameters_set(struct ky_parameters *parameters, const char *name,
                                        const char *value, struct ky_error *error);
/* The inverse: writes the field of that name as text, without a unit; ky_parameters_set reads it
 * back to the last bit. "" for a field that is not set. KY_USAGE for an unknown name, and if the
 * text has `size` bytes or more; `value` is unchanged then. ky_options_text does the same for other
 * structs. */
KY_API enum ky_status ky_parameters_get(const struct ky_parameters *parameters, const char *name,
                                        char *value, size_t size, struct ky_error *error);

/* The structs whose fields are options, for the calls below. */
enum ky_options_kind {
    KY_OPTIONS_PARAMETERS, /* struct ky_parameters */
    KY_OPTIONS_RUN,        /* struct ky_run_parameters */
    KY_OPTIONS_MODEL,      /* struct ky_model_parameters: the options that all models share.
                              ky_model_option_get has the options of one model; the member `options`
                              sets them by name */
    KY_OPTIONS_MERGE,      /* struct ky_merge_parameters */
    KY_OPTIONS_GROUPS,     /* struct ky_catalogue_parameters */
    KY_OPTIONS_PROFILE,    /* struct ky_profile_parameters */
    KY_OPTIONS_TUNE        /* struct ky_tune_parameters */
};
/* The option `index` = 0, 1, … of the struct; KY_USAGE past the last, and for an unknown kind. */
KY_API enum ky_status ky_options_get(int kind, size_t index, struct ky_option_about *about);
/* The word `index` = 0, 1, … by which another program names an option, such as "dt"; NULL past the
 * last. *name: the option here, perhaps with a value: "force direct". *hint: how to convert the
 * number, or NULL. */
KY_API const char *ky_option_word(size_t index, const char **name, const char **hint);
/* Sets the field of that name in `values`, a struct of that kind that its _defaults call has
 * filled, as ky_parameters_set does. `units` are the units of the bodies, for a value with a unit;
 * NULL: none. The field is unchanged after KY_USAGE. */
KY_API enum ky_status ky_options_set(int kind, void *values, const char *name, const char *value,
                                     const struct ky_units *units, struct ky_error *error);
/* Writes the field of that name as text that ky_options_set takes back exactly; "" while it is not
 * set. KY_USAGE for an unknown name or kind, and where the text has `size` bytes or
 * more; `text` is unchanged then. */
KY_API enum ky_status ky_options_text(int kind, const void *values, const char *name, char *text,
                                      size_t size, struct ky_error *error);
/* The reason why an option has no effect with these parameters: the option that makes their force
 * and engine ignore it, such as "--force direct" for "theta". NULL if it has an effect, and for
 * other names. Static text. */
KY_API const char *ky_parameters_ignore(const struct ky_parameters *parameters, const char *name);
/* Replaces KY_FORCE_AUTO if the options that a user gave allow only some methods. `given` has the
 * names of these options, with NULL at the end. If not all of tree, fmm and direct use all of them,
 * the first method that does becomes the force. KY_USAGE if none does. If parameters->error is set,
 * KY_USAGE also for alpha, theta, order and an opening other than relative, with any force. A
 * simulation does the same for fields that differ from their defaults; this call is for programs
 * that also know which options were given with the default value. */
KY_API enum ky_status ky_parameters_choose_force(struct ky_parameters *parameters,
                                                 const char *const *given, struct ky_error *error);

struct ky_snapshot;

enum { KY_REMARK = 256 };
/* The rule for the softening of a calculation: the softening of the parameters if it is a number;
 * else each body's own; else the softening stored in the snapshot; else KY_USAGE with a recommended
 * value in the error text. After KY_OK parameters->softening is NaN if each body uses its own
 * softening; otherwise all bodies use this number. parameters->softening_kind is the kind of the
 * parameters, else the stored kind, else plummer. `remark` (KY_REMARK bytes, or NULL) gets a line
 * with the choice and with the softening that it replaces. It is empty if the parameters gave the
 * softening and it replaces nothing. ky_run and ky_run_plan apply this rule themselves. Calls that
 * get bodies without a snapshot (ky_sim_open, ky_forces, ky_forces_check, ky_binaries_find, ky_walk
 * with `gravity`) apply only the first two rules, then KY_USAGE. */
KY_API enum ky_status ky_softening_choose(struct ky_parameters *parameters,
                                          const struct ky_snapshot *snapshot,
                                          char remark[KY_REMARK], struct ky_error *error);

/* ---- forces and sums ---- */

/* The cost of one evaluation. Times are in seconds on the engine's own clock; a phase that the
 * method does not have is 0. `walk` and `total` are NaN when they were not measured: devices
 * measure the first evaluations, every 64th, and each evaluation after one whose report was read.
 * The first evaluation with opening relative makes two passes, the first with offset: all figures
 * are then sums of both. */
struct ky_force_report {
    size_t size;      /* of this struct, or 0 */
    char engine[16];  /* "cpu" */
    char device[160]; /* "AVX-512, 2 threads, Intel Xeon …" */
    double keys, sort, build, moments, walk,
        total;               /* seconds; total: from bodies on the engine to forces on the engine */
    double upload, download; /* seconds; not in total */
    double body_interactions, cell_interactions; /* pairs evaluated, all bodies together */
    double cells, groups; /* seconds; parts of `walk` with KY_FMM on the CPU: cells as sinks; groups
                             of bodies, with all pairs. `walk` is divided in the ratio of the times
                             that all threads spent in each. Else 0 */
};

/* Computes the accelerations and potentials of all bodies once, without a simulation. External
 * fields add only to the accelerations. In a periodic box the sum of the forces is 0: KY_FMM and
 * KY_TREE subtract their net force. A simulation with these parameters begins with the same forces.
 * Writes bodies->acceleration and ->potential where they are not NULL. `report` may be NULL.
 * KY_BAD_DATA for bodies that ky_bodies_check refuses and for results that are not finite,
 * KY_USAGE for parameters out of their range, KY_STOPPED by parameters->stop: the bodies are
 * unchanged then. */
KY_API enum ky_status ky_forces(const struct ky_parameters *parameters, struct ky_bodies *bodies,
                                struct ky_force_report *report, struct ky_error *error);

/* Computes the field of the bodies at points as ky_sim_field does, without a simulation; the forces
 * on the bodies are not computed. `softening` is the softening of the points [length]. Either array
 * may be NULL. Fails as ky_forces and ky_sim_field do; after KY_STOPPED the numbers in the arrays
 * have no meaning. */
KY_API enum ky_status ky_field(const struct ky_parameters *parameters,
                               const struct ky_bodies *bodies, size_t count,
                               const double (*position)[3], double softening,
                               double (*acceleration)[3], double *potential,
                               struct ky_error *error);

/* Points at which a field is computed. The quantities whose arrays are not NULL are computed; each
 * array has `count` rows. */
struct ky_field_points {
    size_t size; /* of this struct */
    size_t count;
    const double (*position)[3];
    double softening;         /* of all points [length], not negative */
    const double *softenings; /* softening of each point, used instead of `softening`; or NULL */
    double (*acceleration)[3];
    double *potential;
    double (*tide)[6]; /* tidal tensor ∂a_i/∂x_j, with external fields, of the softened forces: xx
                          yy zz xy xz yz. In double; points walk through a tree one by one.
                          KY_UNSUPPORTED on a device without double. A field_function has to set
                          the jerk for it */
};
/* ky_field with a softening for each point, and with tidal tensors. Fails as ky_field does, and
 * with KY_USAGE for softenings that are negative or not finite. */
KY_API enum ky_status ky_field_fill(const struct ky_parameters *parameters,
                                    const struct ky_bodies *bodies,
                                    const struct ky_field_points *points, struct ky_error *error);

/* Computes only the external fields (`field` and the functions of the parameters) at points at
 * rest, at parameters->time, in double precision on the CPU. Softenings of points have no meaning
 * here. KY_USAGE for fields that ky_sim_open would refuse, for friction alone, which is 0 at rest,
 * and for a time that the tables of the fields do not cover. */
KY_API enum ky_status ky_external_field(const struct ky_parameters *parameters,
                                        const struct ky_field_points *points,
                                        struct ky_error *error);

/* Computes the path of one body in external fields, without other bodies. The path begins at
 * time[0] with position[0] and velocity[0]; the call fills the other rows. Times may ascend or
 * descend. `potential`, unless NULL, gets the potential of the fields at all times. It uses
 * `field`, the functions of a field, `g`, `units` and `stop` of the parameters. A field `friction`
 * acts on this body; it needs body=0 and a mass. The relative error of each step is 1e-12. KY_USAGE
 * as ky_external_field; KY_BAD_DATA if the body falls into a centre where no step is short enough;
 * KY_STOPPED is possible between two times. */
KY_API enum ky_status ky_orbit(const struct ky_parameters *parameters, size_t count,
                               const double *time, double (*position)[3], double (*velocity)[3],
                               double *potential, struct ky_error *error);

/* ---- arrays of a host or a device, and an engine that is kept ---- */

/* The type of the numbers of an array. */
enum ky_number { KY_FLOAT64, KY_FLOAT32 };

/* Numbers in C order without gaps; `data` NULL: there is no such array. */
struct ky_numbers {
    void *data;
    uint64_t stream; /* of an array on a device: a CUDA stream. Before the library touches the
                        array, its own stream on the device waits for the present work of this one.
                        The cudaStream_t as a number, 1 for the legacy default stream, 2 for the
                        default stream of the thread; 0: there is no such work */
    int number;      /* enum ky_number */
};

/* Bodies at rest, or points, whose arrays are in the memory of the host or of a device. */
struct ky_array_bodies {
    size_t size; /* of this struct, or 0 */
    size_t n;
    int on_device; /* 1: all arrays are in the memory of the CUDA device that the engine uses, which
                      the parameters must name ("cuda", "cuda:1"); 0: of the host */
    double equal_mass;              /* of all bodies, if there are no masses */
    struct ky_numbers position;     /* [n][3] */
    struct ky_numbers mass;         /* [n] */
    struct ky_numbers softening;    /* [n], or none: the softening of the parameters */
    struct ky_numbers acceleration; /* [n][3] result, or none */
    struct ky_numbers potential;    /* [n] result, or none */
    struct ky_numbers velocity;     /* [n][3]; for ky_sim_arrays alone */
};

/* An engine for calls without a simulation that is kept from call to call, with its memory, as long
 * as parameters, number of bodies and engine stay the same. Engines of the CPU are not kept, nor
 * are engines with external fields, `error`, `box` or several devices. One thread at a time uses
 * it. */
struct ky_evaluator;
/* An evaluator without an engine. KY_FAULT without memory. */
KY_API enum ky_status ky_evaluator_open(struct ky_evaluator **evaluator, struct ky_error *error);
/* Closes it, and the engine that it has kept; NULL: nothing. */
KY_API void ky_evaluator_close(struct ky_evaluator *evaluator);
/* ky_forces of such bodies: the same forces, in the arrays `acceleration` and `potential`, which
 * are complete when the call returns. A device with double converts and checks the numbers itself,
 * so that arrays on it do not cross to the host, except for bodies without mass, for parameters
 * whose engines are not kept, and for the text of an error. After a failure the results have no
 * meaning. KY_USAGE also for arrays that are not on the device of the engine, KY_UNSUPPORTED for
 * arrays on a device and another engine than CUDA's. */
KY_API enum ky_status ky_evaluator_forces(struct ky_evaluator *evaluator,
                                          const struct ky_parameters *parameters,
                                          const struct ky_array_bodies *bodies,
                                          struct ky_force_report *report, struct ky_error *error);
/* ky_field_fill of such bodies at such points, whose masses are not read. Points without softenings
 * have the softening `softening`. Positions and results of the points on a device cross to the
 * host. */
KY_API enum ky_status ky_evaluator_field(struct ky_evaluator *evaluator,
                                         const struct ky_parameters *parameters,
                                         const struct ky_array_bodies *bodies,
                                         const struct ky_array_bodies *points, double softening,
                                         struct ky_error *error);

/* The distribution of relative errors. Percentile p is the smallest error such that at least p % of
 * the samples have this error or a smaller one. */
struct ky_error_statistics {
    double median, p90, p99, max, mean, rms;
    size_t samples; /* 0: nothing was compared, and the numbers are meaningless */
};

/* The choice for KY_FORCE_AUTO and for parameters->error. */
struct ky_choice {
    size_t size;      /* of this struct, or 0 */
    int force;        /* enum ky_force: the method */
    int order;        /* order of its expansions; 0: it has none */
    int precision;    /* enum ky_precision */
    double alpha;     /* NaN: the method has none */
    double asked;     /* the error that was asked for; NaN: none */
    double measured;  /* 99 % of the samples have at most this error; NaN: not measured */
    uint64_t samples; /* bodies whose acceleration was compared with an exact sum */
    char text[256];   /* the choice and its reason, in one line; "": there was nothing to choose */
};

/* The settings of ky_forces_check, and its results. */
struct ky_check_parameters {
    size_t size;
    uint64_t repeat;  /* evaluations; 1 (default) or more */
    uint64_t samples; /* number of bodies, drawn evenly, whose forces are compared with a sum over
                         all bodies in double precision; 0 (default): none; at most all */
    int fill;    /* 1: the forces are stored in the bodies; bodies->acceleration and ->potential are
                    allocated if they are NULL, as by ky_bodies_extend */
    int release; /* 1: the bodies are freed (ky_bodies_free) as soon as they are on the engine, to
                    save memory; bodies->n stays. KY_USAGE with `fill` */
    int unused[2];                  /* keep the places of the members behind them */
    struct ky_force_report *report; /* each time is the median over the evaluations; or NULL */
    struct ky_sums *sums;           /* or NULL: not summed */
    struct ky_parameters *resolved; /* the parameters with the values chosen for unset fields; or
                                       NULL. The caller calls ky_parameters_defaults for it first */
    struct ky_choice *choice;       /* the choice for KY_FORCE_AUTO and for `error`; or NULL */
    /* in a later version of the struct, for which `size` must be set: */
    size_t massless; /* for ky_forces_memory: how many of the bodies have no mass; default 0 */
};
KY_API void ky_check_parameters_defaults(struct ky_check_parameters *parameters);

struct ky_check_results {
    size_t size; /* of this struct, or 0 */
    /* |a − a_exact|/|a_exact|, both without external fields; if a_exact is 0, the divisor is the
     * rms of all a_exact */
    struct ky_error_statistics acceleration;
    struct ky_error_statistics potential;
    double of_rms;      /* rms error of the accelerations over the rms of the exact ones */
    double of_peculiar; /* the same, relative to the exact accelerations without their part linear
                           in the position (an expansion or a tide common to all bodies); NaN:
                           without it they are 0 */
    /* in a later version of the struct, for which `size` must be set: */
    struct ky_error_statistics total; /* errors of the accelerations by bodies and external fields
                                         together; 0 samples if there are no fields */
    /* errors relative to the accelerations by all bodies except the one that has more than half of
     * all mass; 0 samples if there is no such body */
    struct ky_error_statistics without_dominant;
    /* errors of the accelerations in a periodic box over the rms of the exact ones. There
     * `error` bounds these; 0 samples in open space */
    struct ky_error_statistics over_rms;
};
/* Measures the forces of a run with these parameters: times, pairs and errors. With opening
 * relative one more evaluation comes first, to provide the last accelerations. `wanted` and
 * `results` may be NULL. KY_BAD_DATA for bodies that ky_bodies_check refuses and for errors that
 * are not finite; KY_USAGE as ky_forces, for `repeat` 0, and for `fill` with `release`. KY_STOPPED
 * by parameters->stop: the results are not filled. With `fill` the bodies may or may not have the
 * forces, and with `release` they may be freed. */
KY_API enum ky_status ky_forces_check(const struct ky_parameters *parameters,
                                      struct ky_bodies *bodies,
                                      const struct ky_check_parameters *wanted,
                                      struct ky_check_results *results, struct ky_error *error);

/* Peak memory of ky_forces_check for n bodies with ids, including the bodies [bytes]. */
struct ky_check_memory {
    size_t size; /* of this struct, or 0 */
    double host, device;
};
/* Computes this memory without evaluating forces. Opens the engine without bodies, and fails if
 * that fails. Fills wanted->choice too. */
KY_API enum ky_status ky_forces_memory(const struct ky_parameters *parameters, size_t n,
                                       const struct ky_check_parameters *wanted,
                                       struct ky_check_memory *memory, struct ky_error *error);

/* A setting of the force that ky_tune has measured. */
struct ky_tuned {
    char engine[16];        /* as --engine takes it */
    int force, opening;     /* enum ky_force; enum ky_opening, KY_OPENING_BY_USE if it has none */
    int order;              /* of its expansions; 0: it has none */
    double alpha, theta;    /* the tolerance; NaN: not this one */
    double seconds;         /* of an evaluation, the median [s] */
    double error;           /* 99 % of the accelerations of the sample have at most this error; in a
                               periodic box over the rms acceleration */
    double error_potential; /* the same for the potentials */
};
struct ky_tune_parameters {
    size_t size;
    double error;     /* the wanted error of 99 % of the accelerations; NaN (default): none */
    double seconds;   /* for all measurements; default 60 [s] */
    uint64_t samples; /* bodies that are compared with an exact sum; default 500 */
    uint64_t repeat;  /* evaluations of a setting; default 3 */
    const char *const *given; /* the options among engine, force, opening and order whose values in
                                 the parameters alone are measured, with NULL at the end; NULL
                                 (default): none */
    void (*tell)(void *context, const struct ky_tuned *setting); /* called after each measurement;
                                                                    or NULL (default) */
    void *context;
};
KY_API void ky_tune_parameters_defaults_sized(struct ky_tune_parameters *parameters, size_t size);
#define ky_tune_parameters_defaults(parameters)                                                    \
    ky_tune_parameters_defaults_sized((parameters), sizeof(struct ky_tune_parameters))
struct ky_tuning {
    struct ky_tuned *setting; /* [count], of each method from the coarsest to the finest */
    size_t count, left_out;   /* left_out: settings for which there was no time */
    int has_found;            /* 1: an error was wanted, and `found` keeps it */
    struct ky_tuned found;    /* the fastest one, which was measured too */
};
/* Measures methods and tolerances for these bodies, and finds the fastest setting that keeps the
 * wanted error. `wanted` may be NULL. KY_UNSUPPORTED if no setting keeps it, or if the engines
 * support none of the forces; KY_USAGE if there was no time for any setting; else as
 * ky_forces_check. KY_STOPPED by parameters->stop. After a failure *tuning is empty. */
KY_API enum ky_status ky_tune(const struct ky_parameters *parameters,
                              const struct ky_bodies *bodies,
                              const struct ky_tune_parameters *wanted, struct ky_tuning *tuning,
                              struct ky_error *error);
/* Frees the settings. NULL: nothing. */
KY_API void ky_tuning_free(struct ky_tuning *tuning);

/* ---- the general walk: neighbours, SPH density, actions by name ---- */

/* Every body walks through the octree once. An action decides which cells are skipped, which act as
 * a whole, and how a source acts on the body; docs/general-walk.md explains how to write one. The
 * walk uses engine, isa, threads, curve, leaf and group of `parameters`, and for `gravity` also the
 * fields of the force. Precision is double here unless `parameters` set it; the CPU always uses
 * double. With less, devices round positions to float, so that bodies very near the surface of a
 * radius may be counted on the wrong side (docs/general-walk.md). Results are in the order of the
 * bodies, and the same for any number of threads. `report` may be NULL. Its `walk` sums all walks
 * of the call; its body interactions count the distances computed. With `friends` and groups this
 * count may differ between runs, since it depends on the order in which bodies are joined.
 *
 * KY_BAD_DATA for bodies that ky_bodies_check refuses; KY_USAGE for parameters, radii and numbers
 * of neighbours out of their range. `gravity` with opening relative is KY_UNSUPPORTED. After
 * KY_STOPPED by parameters->stop the caller's arrays of numbers, such as `results`, `count` and
 * `density`, have no meaning, and lists, groups and catalogues are empty. */

/* Neighbours of body i: body[offset[i]] … body[offset[i + 1] − 1], indices in ascending order. */
struct ky_neighbour_lists {
    size_t n;
    size_t *offset; /* [n + 1] */
    uint32_t *body; /* [offset[n]] */
};

/* Finds for each body i the bodies j ≠ i with |x_j − x_i| <= radius of i. `radius` has `radii`
 * elements: 1 for a common radius, or n (then j may be a neighbour of i without i being one of j).
 * A radius is finite and not negative; 0 finds the bodies at exactly the same position. Distances
 * are compared as r². `count` has n elements, or is NULL. `lists` may be NULL; else they are
 * allocated: free them with ky_neighbour_lists_free. KY_FAULT, naming the size, if the lists do not
 * fit into memory: they are then empty, but `count` is filled. */
KY_API enum ky_status ky_neighbours(const struct ky_parameters *parameters,
                                    const struct ky_bodies *bodies, const double *radius,
                                    size_t radii, uint32_t *count, struct ky_neighbour_lists *lists,
                                    struct ky_force_report *report, struct ky_error *error);
KY_API void ky_neighbour_lists_free(struct ky_neighbour_lists *lists); /* clears the struct */

/* The k nearest other bodies of each body i: index[i × k] … index[i × k + k − 1], and their
 * distances [length] in the same places. The nearest is the first; of bodies at equal distances the
 * one with the smaller index comes first. Either array (n × k) may be NULL. k from 1 to n − 1, else
 * KY_USAGE; with no bodies there is nothing to do. KY_FAULT as ky_neighbours: very many bodies at
 * one place are listed. */
KY_API enum ky_status ky_nearest(const struct ky_parameters *parameters,
                                 const struct ky_bodies *bodies, size_t k, uint32_t *index,
                                 double *distance, struct ky_force_report *report,
                                 struct ky_error *error);

/* SPH density at every body: Σ m W(r, h) over the bodies within h, including the body itself. W is
 * the cubic spline that vanishes at h. h is the distance of the k-th nearest other body, so that
 * the support holds k neighbours, the last on its surface. This h equals GADGET's, and is twice the
 * h of Monaghan & Lattanzio (1985). If k other bodies are at the same position, h is 0. The density
 * is then 0 if no body there has mass, else infinite, which is KY_BAD_DATA with the body's index.
 * `density` has n elements; `smoothing` (h) too, or is NULL. k from 1 to n − 1, else KY_USAGE; with
 * no bodies there is nothing to do. */
KY_API enum ky_status ky_sph_density(const struct ky_parameters *parameters,
                                     const struct ky_bodies *bodies, size_t k, double *density,
                                     double *smoothing, struct ky_force_report *report,
                                     struct ky_error *error);

/* Groups of bodies by friends of friends (Davis et al. 1985): two bodies at the linking length or
 * nearer are friends, and a group is all bodies that chains of friends connect. Distances are
 * compared as r². In a periodic box groups continue over its faces. */
struct ky_catalogue_parameters {
    size_t size;
    double linking_length;   /* above 0; NaN (default): the fraction of the mean distance */
    double linking_fraction; /* in units of the mean distance ∛(volume/bodies); 0.2 */
    double volume; /* volume in which the bodies lie, above 0. NaN (default): of the periodic box;
                      in open space the mean distance is measured for the inner half of the bodies,
                      in the sphere that holds them. The centre of this sphere is the median of the
                      coordinates (of at most 1,023 bodies) */
    uint64_t minimum;    /* groups of fewer bodies are left out; 20, at least 1 */
    double omega_matter; /* density parameter of matter at the time of the bodies, as by
                            ky_omega_matter, for m200c; NaN (default): not known */
};
KY_API void ky_catalogue_parameters_defaults(struct ky_catalogue_parameters *parameters);

/* The groups in descending order of their number of bodies; groups of the same size in ascending
 * order of their smallest index. The bodies of group g are body[offset[g]] … body[offset[g + 1] −
 * 1], indices in ascending order. Means are weighted by mass, in a group without mass by number. */
struct ky_catalogue {
    size_t size;           /* of this struct, or 0 */
    double linking_length; /* used */
    double mean_distance;  /* from which the linking length follows; NaN: it was given */
    uint64_t minimum;
    size_t groups, members; /* members: bodies of all groups */
    size_t *offset;         /* [groups + 1] */
    uint32_t *body;         /* [members] */
    double *mass;           /* [groups] here and below */
    double (*centre)[3];    /* of mass; in a periodic box of images near one body */
    double (*velocity)[3];  /* mean */
    double *radius;         /* rms distance from the centre */
    double *dispersion;     /* rms speed about the mean, in three dimensions */
    /* In a periodic box, else 0 and NULL; only for a caller that sets `size`. Lengths are in the
     * coordinates of the bodies, in a comoving box comoving ones. */
    double box;        /* its side */
    double (*peak)[3]; /* position of the group's body with the lowest potential by the group's own
                          bodies, softened by a tenth of the linking length [groups], as below */
    double *m200m;     /* mass of all bodies in the largest sphere about the peak with 200 times
                          the mean density of the box */
    double *r200m;     /* its radius */
    double *m200c, *r200c; /* the same with 200 times the critical density, the mean density over
                              omega_matter; NaN: not known */
};
/* Finds the groups. The result is the same for any number of threads, and in double the same on
 * every engine. Allocates the arrays; none remain after a failure. Without bodies there are no
 * groups. KY_BAD_DATA if half of the bodies lie at one place, so that there is no mean distance,
 * and if a mean overflows. */
KY_API enum ky_status ky_catalogue_make(const struct ky_parameters *parameters,
                                        const struct ky_catalogue_parameters *wanted,
                                        const struct ky_bodies *bodies,
                                        struct ky_catalogue *catalogue,
                                        struct ky_force_report *report, struct ky_error *error);
KY_API void ky_catalogue_free(struct ky_catalogue *catalogue); /* clears the struct */
/* Writes the catalogue of the groups of snapshot->bodies, with the ids, time and units of that
 * snapshot, and as safely as ky_snapshot_write. The ending of the name decides the format: .hdf5 or
 * .h5 has the groups and the ids of their bodies (docs/formats/groups.md), .csv a line for each
 * group. `overwrite` 0: an existing file is KY_USAGE. KY_UNSUPPORTED for HDF5 in a build without
 * it. */
KY_API enum ky_status ky_catalogue_write(const char *path, const struct ky_catalogue *catalogue,
                                         const struct ky_snapshot *snapshot, int overwrite,
                                         struct ky_error *error);
/* Checks, before the work is done, whether ky_catalogue_write would accept this name. Fails as that
 * call does for the name, for an existing file and in a build without HDF5. */
KY_API enum ky_status ky_catalogue_may_write(const char *path, int overwrite,
                                             struct ky_error *error);
/* Reads the centres and radii of the groups of an HDF5 catalogue that ky_catalogue_write wrote: x,
 * y, z and radius, in the units of its snapshot, as `circles` of struct ky_draw_parameters takes
 * them. In a comoving box they have no factors of h, as KY_SPACE_IN_BOX reads its bodies. *circles
 * [*count] is the caller's to free(); NULL after a failure. KY_BAD_DATA for another file,
 * KY_UNSUPPORTED in a build without HDF5. */
KY_API enum ky_status ky_catalogue_circles(const char *path, double (**circles)[4], size_t *count,
                                           struct ky_error *error);
/* The side of the periodic box of such a catalogue, in the units of its circles; 0 in open space
 * and after a failure. Fails as ky_catalogue_circles. */
KY_API enum ky_status ky_catalogue_box(const char *path, double *box, struct ky_error *error);

/* Describes the actions, index = 0, 1, …; KY_USAGE past the last. */
struct ky_action {
    size_t size;         /* of this struct, or 0 */
    const char *name;    /* "gravity", "count", "list", "nearest", "density", "friends" */
    const char *results; /* "ax ay az potential": names of the results of one body */
    size_t columns;      /* how many they are */
    int needs_radius;    /* 1: it needs a radius, one for all or one for each body */
    int needs_k;         /* 1: it needs a number of neighbours */
    int needs_lists;     /* 1: it fills lists, so that ky_walk refuses it: use ky_neighbours */
    int joins; /* 1: it joins bodies; its result is the smallest index in the body's group */
};
KY_API enum ky_status ky_action_get(size_t index, struct ky_action *action);

/* The input of an action; members that it does not need are 0 or NULL. `friends` joins two bodies
 * if their distance is within the radius of either. */
struct ky_walk_input {
    size_t size; /* of this struct */
    const double *radius;
    size_t radii; /* 0, 1 or n */
    size_t k;     /* from 1 to n − 1 */
};

/* A walk with the action of that name: results[i × columns + c]. Units are the caller's. KY_USAGE
 * for an unknown action, for one that needs lists, and for an input out of its range. KY_BAD_DATA,
 * naming the body, if a result is not finite, such as the density for radius 0. */
KY_API enum ky_status ky_walk(const struct ky_parameters *parameters,
                              const struct ky_bodies *bodies, const char *action,
                              const struct ky_walk_input *input, double *results,
                              struct ky_force_report *report, struct ky_error *error);

/* Sums over all bodies, in double, the same for any number of threads. */
struct ky_sums {
    size_t size; /* of this struct, or 0 */
    double mass;
    double centre[3];           /* of mass */
    double momentum[3];         /* total */
    double angular_momentum[3]; /* about the origin */
    double kinetic;
    double potential; /* half the sum of m φ */
    double virial;   /* sum of m x·a, with x about the centre of mass. In equilibrium −2T for any
                        softening, with T about the mean velocity */
    double external; /* sum of m φ in external fields; the total energy is kinetic + potential +
                        external */
};
/* Kinetic energy, plus the potential energy of the bodies in their own field and in external
 * fields; NaN for NULL. */
KY_API double ky_total_energy(const struct ky_sums *sums);
/* 2T/|Σ m x·a|, with velocities about the mean velocity and positions about the centre of mass. It
 * is 1 in equilibrium for any softening; NaN without forces and for NULL. */
KY_API double ky_virial_ratio(const struct ky_sums *sums);

/* ---- a simulation ---- */

struct ky_sim; /* bodies, engine, integrator and clock */

/* Copies the bodies to the engine and computes the first forces. The caller may free its arrays
 * afterwards. Accelerations and potentials in them are not read. KY_BAD_DATA for bodies that
 * ky_bodies_check refuses; KY_USAGE for parameters that are out of range or contradict each other,
 * for bodies of unknown softening, and for a time that is not finite. *sim is NULL after a
 * failure. */
KY_API enum ky_status ky_sim_open(const struct ky_parameters *parameters,
                                  const struct ky_bodies *bodies, double time, struct ky_sim **sim,
                                  struct ky_error *error);
KY_API void ky_sim_close(struct ky_sim *sim); /* NULL is allowed, as in all calls that free */

/* Advances by `steps` steps of parameters.step; 0 changes nothing. Completing a divided step counts
 * as one step. After KY_STOPPED (see ky_sim_stop_reason) the next call continues. After KY_USAGE
 * (if no step is set, for example) nothing has changed. After another failure the simulation can
 * only be closed, and calls that need its bodies return KY_USAGE. The same is true after any call
 * that had to compute forces first and failed to. */
KY_API enum ky_status ky_sim_advance(struct ky_sim *sim, uint64_t steps, struct ky_error *error);
/* Advances to `time`; the present time is allowed and changes nothing. KY_USAGE for a time in the
 * wrong direction: an earlier one, or with negative steps a later one. If no step ends at `time`
 * and `shorten` is 0: KY_USAGE with the nearest times. If `shorten` is 1 the last step is divided;
 * the next call begins with the rest of it, so that the times of later steps do not change.
 * Otherwise it fails as ky_sim_advance. */
KY_API enum ky_status ky_sim_advance_to(struct ky_sim *sim, double time, int shorten,
                                        struct ky_error *error);

/* Why the last call that advanced, or a run, has ended early. */
enum ky_stop_kind {
    KY_STOP_NONE,        /* it has not ended early, or it has failed in another way */
    KY_STOP_CLOSE_PAIR,  /* KY_STOPPED: two bodies without softening need steps below the shortest
                            allowed one (KY_HERMITE4). A call that continues ignores this pair */
    KY_STOP_SHORT_STEPS, /* KY_BAD_DATA: all bodies need steps so short that the run would not
                            advance (KY_BLOCK_STEPS, KY_HERMITE4) */
    KY_STOP_ASKED, /* KY_STOPPED: by `stop` of struct ky_parameters or ky_run_parameters, by the
                      `view` of a run, or a file named stop in its folder. If it stopped within a
                      longest step, struct ky_stop has the body with the shortest step and the body
                      that pulls it most; their distance is NaN if ranks share the bodies */
    /* only for runs, KY_STOPPED */
    KY_STOP_WALL, /* by max_wall */
    KY_STOP_CORE, /* by stop_core */
    /* KY_STOPPED: by the members of struct ky_parameters with these names. The conditions are
     * checked at the end of every step; with KY_BLOCK_STEPS and KY_HERMITE4 that is a step of
     * parameters.step, after which all bodies are at one time. KY_FEW finds collisions within its
     * steps and ends at the time of the contact. Of two members of a group the distance at the last
     * pericentre counts too, if they have passed it within the step. A call that advances makes at
     * least one step before it stops. A pair or a body that has stopped a call does not stop
     * another one until it has ceased to meet the condition. A body that escapes stops only one
     * call. Save and restore keep this state. Positions are compared in double, on every engine and
     * in every precision */
    KY_STOP_COLLISION,
    KY_STOP_PAIR,
    KY_STOP_ESCAPE, /* an unbound body as for escape_radius of a run: ½ |v − u|² + φ > 0, where u is
                       the velocity of the centre of mass and φ the potential of the bodies without
                       external fields. With groups, close systems count by their centres of mass */
    KY_STOP_BOX
};
struct ky_stop {
    size_t size;     /* of this struct, or 0 */
    int kind;        /* enum ky_stop_kind */
    uint64_t id[2];  /* KY_STOP_CLOSE_PAIR, _COLLISION, _PAIR: of the two bodies, of the nearest
                        pair if there are several; _ESCAPE, _BOX: id[0] of the farthest body; else
                        0 */
    size_t index[2]; /* the same in the order of the bodies */
    double distance; /* between the two bodies; KY_STOP_CORE: the core radius; _ESCAPE: distance
                        from the density centre; _BOX: the largest of |x|, |y|, |z| [length]; else
                        NaN */
    double time;     /* of the stop [time]; NaN: it has not stopped */
    double step; /* the shortest step that is allowed, or that was taken [time]. If KY_STOP_ASKED or
                    KY_STOP_WALL stopped it within a longest step, the step of id[0]. Else NaN */
    /* in a later version of the struct, for which `size` must be set: */
    size_t count; /* pairs or bodies that stopped it together; 0 for the other kinds */
};
/* Fills *stop; KY_STOP_NONE for sim NULL. Also valid for a simulation that can only be closed. */
KY_API void ky_sim_stop_reason(const struct ky_sim *sim, struct ky_stop *stop);

/* ---- changes between two steps ----
 *
 * The time does not change. Each call recomputes the forces of all bodies, unless it says otherwise
 * or lies between ky_sim_change_begin and ky_sim_change_end. After KY_BAD_DATA and KY_USAGE the
 * simulation is unchanged; after other failures it can only be closed. The calls that set a
 * parameter leave it unchanged after KY_UNSUPPORTED too. */

/* Begins a group of changes, which compute no forces. The first call that needs the forces computes
 * them once: ky_sim_change_end, calls that advance or save, ky_sim_sums, and calls that read
 * accelerations or potentials. KY_USAGE within another group. */
KY_API enum ky_status ky_sim_change_begin(struct ky_sim *sim, struct ky_error *error);
/* Ends the group. `now` 1: computes the forces if a change requires it; 0: the first call that
 * needs them computes them. KY_USAGE outside a group. */
KY_API enum ky_status ky_sim_change_end(struct ky_sim *sim, int now, struct ky_error *error);

/* Replaces mass, position, velocity, softening, type and radius by the arrays of `bodies` that are
 * not NULL (its n must be ky_sim_n, else KY_USAGE). All else stays, also the ids. If `bodies` has
 * softenings, each body uses its own from then on. */
KY_API enum ky_status ky_sim_write(struct ky_sim *sim, const struct ky_bodies *bodies,
                                   struct ky_error *error);
/* Appends bodies. Their ids must be new, else KY_BAD_DATA; NULL: ids continue from the largest one.
 * If the bodies of the simulation have their own softenings, the new bodies need theirs (KY_USAGE);
 * if all share one softening, the new bodies get it instead of their own. Without types they get
 * type 4, without radii the radius 0. KY_UNSUPPORTED for more than 2³¹ − 1 bodies in all. */
KY_API enum ky_status ky_sim_add(struct ky_sim *sim, const struct ky_bodies *bodies,
                                 struct ky_error *error);
/* Removes the bodies with these ids; the order of the remaining bodies stays. All may be removed.
 * KY_BAD_DATA for an id that no body has, and for an id that is given twice. */
KY_API enum ky_status ky_sim_remove(struct ky_sim *sim, const uint64_t *id, size_t count,
                                    struct ky_error *error);
/* Two bodies that have become one. */
struct ky_merger {
    size_t size;    /* of this struct, or 0 */
    uint64_t id[2]; /* of the body that stays, the heavier one or, of equal ones, the first in the
                       order of the bodies; and of the other, which is gone */
    double mass[2], radius[2];       /* of both before; radius NaN: unknown */
    double new_radius;               /* NaN: unknown */
    double position[3], velocity[3]; /* of their centre of mass */
    double distance, speed;          /* of one relative to the other, before */
    double energy; /* the change of the total energy: their relative motion and their pull on each
                      other are gone, and others pull one body instead of two [mass velocity²] */
};
/* Makes one body of two: at their centre of mass, with its velocity and the sum of the masses, and
 * with id, type and softening of the heavier one. Where bodies have radii, `radius` is its radius;
 * NaN: their volumes add up. KY_BAD_DATA for an id that no body has, KY_USAGE for twice the same id
 * and in a periodic box. `merger` may be NULL. */
KY_API enum ky_status ky_sim_merge(struct ky_sim *sim, const uint64_t id[2], double radius,
                                   struct ky_merger *merger, struct ky_error *error);
/* Sets the length of the steps from now on [time; with `expansion` ln a]; negative: backwards. A
 * divided step ends here, and so does the default of late_step. No forces are computed. KY_USAGE
 * for a step that is 0, not finite, or so short that the time would not change, and within a run.
 */
KY_API enum ky_status ky_sim_set_step(struct ky_sim *sim, double step, struct ky_error *error);
/* Sets one softening for all bodies, instead of their own [length]. */
KY_API enum ky_status ky_sim_set_softening(struct ky_sim *sim, double softening,
                                           struct ky_error *error);
/* Sets one parameter from text, as ky_parameters_set does. These can change: step, step-min,
 * late-step or step-a, the one in use (not within a run), eta, corrections, step-length; softening,
 * softening-kind, opening, theta, alpha, cell, multipole, order, curve, leaf, group; field;
 * stop-collision, stop-pair, stop-escape, stop-box, body-radius. KY_USAGE with the reason for other
 * parameters, for a value that contradicts the rest (theta with opening relative, for example), and
 * for an option without effect on the force or the integrator. Changes of parameters of steps
 * compute no forces: they take effect when the bodies' present steps end. Steps that do not fit a
 * new `step` or step-min are chosen again at the next advance. A new opening begins with its
 * default theta or alpha. */
KY_API enum ky_status ky_sim_set_parameter(struct ky_sim *sim, const char *name, const char *value,
                                           struct ky_error *error);
/* Replaces the external fields by the fields of a text like parameters.field; NULL: none.
 * field_function stays. Within a run energy.csv keeps its columns. */
KY_API enum ky_status ky_sim_set_fields(struct ky_sim *sim, const char *field,
                                        struct ky_error *error);
/* The present parameters, with later changes, and with the values chosen for fields that were not
 * set (engine, opening, precision). `parameters` has its size, or 0. Its texts belong to the
 * simulation: they are valid until one of them changes, or the simulation is closed. */
KY_API enum ky_status ky_sim_parameters(const struct ky_sim *sim, struct ky_parameters *parameters,
                                        struct ky_error *error);
/* The choice for KY_FORCE_AUTO and `error` when the simulation was opened. Later changes of
 * parameters do not change it. After ky_sim_restore it is the same, with an empty text. */
KY_API void ky_sim_choice(const struct ky_sim *sim, struct ky_choice *choice);

/* Computes the acceleration and potential of all bodies and external fields at `count` points that
 * are not bodies; either array may be NULL. `softening` is the softening of the points [length],
 * not negative.
 *
 * The simulation's method and precision are used, and the errors are as large as the errors of its
 * forces. With `walk`, and on devices `list`, there is one walk for each point, on the CPU in
 * double. With tree and fmm points walk in groups, so that the results depend, within the errors,
 * on the other points of the call. The opening relative is replaced by offset with theta of at most
 * 0.4, except with fmm, and with tree on devices. A distant point (on devices farther than some
 * 10^8 sizes of the system) has a walk of its own by offset and theta.
 *
 * On devices, with fewer than 1,024 points or fewer than 1,024 bodies, tree has one walk for each
 * point and fmm an exact sum. With more, a call needs as much additional memory as the forces of
 * n + count bodies; KY_DEVICE if there is not enough. If this is at most a quarter of the device's
 * memory, it is kept for the next call, until a restart file or a snapshot is written. Ranks that
 * divide the bodies divide this memory too, and do not keep it.
 *
 * Forces on the bodies are not computed. KY_BAD_DATA for positions and results that are not finite.
 * KY_STOPPED as ky_field; the simulation is unchanged. */
KY_API enum ky_status ky_sim_field(struct ky_sim *sim, size_t count, const double (*position)[3],
                                   double softening, double (*acceleration)[3], double *potential,
                                   struct ky_error *error);
/* The same for the quantities of struct ky_field_points. */
KY_API enum ky_status ky_sim_field_fill(struct ky_sim *sim, const struct ky_field_points *points,
                                        struct ky_error *error);

/* Writes everything that the simulation needs to continue bit for bit (docs/formats/restart.md). An
 * existing file is kept as PATH.previous. After KY_CANNOT_WRITE the simulation is still usable. */
KY_API enum ky_status ky_sim_save(struct ky_sim *sim, const char *path, struct ky_error *error);
/* Opens a simulation from such a file, or from restart.kyo in the folder of a run. If the file is
 * missing or damaged, PATH.previous is read. Engine, isa, threads, log, stop and field_function are
 * taken from `parameters`, as in ky_resume, and so are the units, which are not in the file. All
 * else comes from the file. KY_BAD_DATA for a file that is not a restart file or whose numbers
 * contradict each other. *sim is NULL after a failure. */
KY_API enum ky_status ky_sim_restore(const char *path, const struct ky_parameters *parameters,
                                     struct ky_sim **sim, struct ky_error *error);
/* The same in memory. *bytes is the capacity of `data` and becomes the size of the saved
 * simulation; with `data` NULL only *bytes is set. KY_USAGE if the capacity is too small. */
KY_API enum ky_status ky_sim_save_memory(struct ky_sim *sim, void *data, size_t *bytes,
                                         struct ky_error *error);
KY_API enum ky_status ky_sim_restore_memory(const void *data, size_t bytes,
                                            const struct ky_parameters *parameters,
                                            struct ky_sim **sim, struct ky_error *error);

/* ---- the state ----
 *
 * For sim NULL the first three calls return 0, NaN and 0. If another call fails, the simulation is
 * unchanged, unless pending forces had to be computed first and failed. */

KY_API size_t ky_sim_n(const struct ky_sim *sim);
KY_API double ky_sim_time(const struct ky_sim *sim);
/* Steps since the start, over all resumptions; each part of a divided step counts. */
KY_API uint64_t ky_sim_steps(const struct ky_sim *sim);

/* Fills the arrays of `bodies` that are not NULL (its n must be ky_sim_n, else KY_USAGE), in the
 * order in which the bodies were given. If ky_sim_open got no ids, types, softenings or radii, a
 * body's id is its index there, its type 4, its softening the common one, and its radius 0.
 * KY_BAD_DATA for numbers that are not finite, also in ky_sim_sums. */
KY_API enum ky_status ky_sim_bodies(struct ky_sim *sim, struct ky_bodies *bodies,
                                    struct ky_error *error);
/* The same for positions, masses, velocities, accelerations and potentials in the memory of the
 * host or of a device. Device to device they do not cross to the host, except potentials of
 * KY_HERMITE4. KY_UNSUPPORTED for arrays on a device and an engine that is not on it; else as
 * ky_evaluator_forces. */
KY_API enum ky_status ky_sim_arrays(struct ky_sim *sim, const struct ky_array_bodies *wanted,
                                    struct ky_error *error);
KY_API enum ky_status ky_sim_sums(struct ky_sim *sim, struct ky_sums *sums, struct ky_error *error);
/* The cost of the last forces or walk; all 0 for sim NULL. */
KY_API void ky_sim_report(struct ky_sim *sim, struct ky_force_report *report);

/* ---- some of the bodies ----
 *
 * `index` has `count` indices of bodies, in the order of ky_sim_bodies; they need not be sorted.
 * NULL means all bodies, and `count` must then be ky_sim_n. KY_USAGE for an index that is not below
 * ky_sim_n. A body may be named twice unless a call says otherwise. A count of 0 is allowed with
 * NULL arrays, and changes nothing. Calls that read leave the simulation unchanged if they fail;
 * calls that write fail as the changes above. Only these bodies are copied between host and device,
 * except for columns, for new softenings, and for positions so far out that the device needs other
 * units for all bodies. */

/* index[k] becomes the index of the body whose id is id[k]; an id may be given twice. If no body
 * has that id, index[k] becomes SIZE_MAX, and the call returns KY_BAD_DATA, naming the first such
 * id; the others are found. */
KY_API enum ky_status ky_sim_find(const struct ky_sim *sim, const uint64_t *id, size_t count,
                                  size_t *index, struct ky_error *error);
/* Fills index[0 … *count) with a sample of distinct bodies, which does not depend on their order;
 * *count is the smaller of `most` and ky_sim_n. The same `draw` (0, 1, …) gives the same bodies as
 * long as ky_sim_n stays. The first ky_sim_n/most draws share no body; later ones repeat them. */
KY_API enum ky_status ky_sim_sample(const struct ky_sim *sim, size_t most, uint64_t draw,
                                    size_t *index, size_t *count, struct ky_error *error);
/* Fills the arrays of `some` that are not NULL (its n is the count). Row k belongs to body
 * index[k]. */
KY_API enum ky_status ky_sim_read(struct ky_sim *sim, const size_t *index, struct ky_bodies *some,
                                  struct ky_error *error);
/* Replaces mass, position, velocity, softening, type and radius of some bodies by the arrays of
 * `some` that are not NULL, as ky_sim_write does for all; errors name rows of `some`. KY_USAGE for
 * a body that is named twice. If no mass, position or softening changes, no force is computed:
 * leap-frog continues with the forces that it has, so that a kick by 0 does not change the bits of
 * later steps. KY_BLOCK_STEPS and KY_HERMITE4 choose the steps of all bodies again; KY_HERMITE4
 * needs one evaluation at the next step, since the jerk has changed. */
KY_API enum ky_status ky_sim_replace(struct ky_sim *sim, const size_t *index,
                                     const struct ky_bodies *some, struct ky_error *error);
/* Adds change[k] to the velocity of body index[k]; otherwise as ky_sim_replace with velocities. */
KY_API enum ky_status ky_sim_kick(struct ky_sim *sim, const size_t *index, size_t count,
                                  const double (*change)[3], struct ky_error *error);
/* Quantities that an integrator with individual steps keeps for each body. "step": its present step
 * [time], 0 if the next advance chooses it. "level": log2(parameters.step/step), −1 for a step of
 * 0. It is a whole number, except after a divided step, when steps are halvings of a part of
 * parameters.step. "jerk" (KY_HERMITE4): the time derivative of its acceleration, numbers[3 k] to
 * numbers[3 k + 2]. It is 0 after ky_sim_open, and after every change except changes of step,
 * step-min, eta and corrections, until the next advance computes it. KY_USAGE for another name,
 * KY_UNSUPPORTED if the integrator has no such numbers. */
KY_API enum ky_status ky_sim_column(struct ky_sim *sim, const char *name, const size_t *index,
                                    size_t count, double *numbers, struct ky_error *error);

/* ---- walks over the bodies of a simulation ----
 *
 * The calls of the general walk on the simulation's own engine, at the present positions. In a
 * periodic box with devices or ranks they take the CPU and a copy of the bodies; otherwise only
 * ky_sim_catalogue_make copies the bodies, for its means. On the CPU the results have the same bits
 * as from the calls without a simulation. On devices they have the precision of the simulation (see
 * ky_sim_parameters), which may be less than double, and the results of `gravity` differ by the
 * rounding of cells. For `gravity` the opening relative is replaced by offset. No forces are
 * computed or changed, and after a failure the simulation is unchanged. All of these calls, and
 * ky_sim_pairs, end with KY_STOPPED by parameters.stop of the simulation; the simulation is then
 * unchanged, and arrays are as after the calls without a simulation. */
KY_API enum ky_status ky_sim_walk(struct ky_sim *sim, const char *action,
                                  const struct ky_walk_input *input, double *results,
                                  struct ky_force_report *report, struct ky_error *error);
KY_API enum ky_status ky_sim_neighbours(struct ky_sim *sim, const double *radius, size_t radii,
                                        uint32_t *count, struct ky_neighbour_lists *lists,
                                        struct ky_force_report *report, struct ky_error *error);
/* Pairs of bodies that are now nearer than the sum of their radii: index[k][0] < index[k][1], in
 * ascending order. Free with ky_pairs_free. */
struct ky_pairs {
    size_t size; /* of this struct, or 0 */
    size_t count;
    size_t (*index)[2]; /* [count] */
    double *distance;   /* [count] [length] */
};
/* `radius` has `radii` elements, 1 or ky_sim_n, finite and not negative. One element r finds the
 * pairs nearer than 2 r. NULL: the radii of the simulation (body_radius of its parameters, else the
 * radii of its bodies); KY_USAGE if it has none. Distances are compared as squares, in double on
 * every engine and in every precision. Below 257 bodies all pairs are compared, and the report is
 * all 0; else a walk finds candidates. Unlike the other walks here, this call copies positions.
 * KY_FAULT as ky_sim_neighbours; *pairs is empty after a failure. */
KY_API enum ky_status ky_sim_pairs(struct ky_sim *sim, const double *radius, size_t radii,
                                   struct ky_pairs *pairs, struct ky_force_report *report,
                                   struct ky_error *error);
KY_API void ky_pairs_free(struct ky_pairs *pairs); /* clears the struct */
KY_API enum ky_status ky_sim_nearest(struct ky_sim *sim, size_t k, uint32_t *index,
                                     double *distance, struct ky_force_report *report,
                                     struct ky_error *error);
KY_API enum ky_status ky_sim_sph_density(struct ky_sim *sim, size_t k, double *density,
                                         double *smoothing, struct ky_force_report *report,
                                         struct ky_error *error);
KY_API enum ky_status ky_sim_catalogue_make(struct ky_sim *sim,
                                            const struct ky_catalogue_parameters *wanted,
                                            struct ky_catalogue *catalogue,
                                            struct ky_force_report *report, struct ky_error *error);

/* ---- a simulation in a browser ----
 *
 * The view is a page of kyoho/draw.h, which shows bodies and energies and has buttons that pause,
 * make a step, write a snapshot and stop. As long as no page is open a view costs next to nothing.
 */

struct ky_view; /* ky_view_open of libkyoho_draw makes it */
/* Shows a simulation that is not part of a run: sends its present bodies to the pages that wait for
 * a picture, and fills *orders with the requests of the pages since the last call, KY_SHOW_… or-ed.
 * Call it after each step, and again while *orders has KY_SHOW_WAIT; it then waits up to 0.2 s. It
 * costs next to nothing while no page is open. After the view is closed, the simulation must not be
 * shown. KY_USAGE as ky_sim_advance. */
enum {
    KY_SHOW_WAIT = 1,     /* a page has paused: make no step */
    KY_SHOW_SNAPSHOT = 2, /* write a snapshot */
    KY_SHOW_STOP = 4      /* stop */
};
KY_API enum ky_status ky_sim_show(struct ky_sim *sim, struct ky_view *view, unsigned *orders,
                                  struct ky_error *error);

/* ---- a run in a folder ---- */

/* The progress of a run. */
struct ky_progress {
    size_t size; /* as the library has it */
    double time, end;
    uint64_t steps, steps_at_end;
    double steps_per_s;   /* over about the last second, or less if the call has just begun */
    double seconds_left;  /* at that rate; NaN during the first second */
    double energy_change; /* (E − E₀)/|E₀| at energy_time; NaN if it is not known */
    size_t snapshots;     /* written so far, over all resumptions */
    double energy_time;   /* of the last row of energy.csv; NaN before the first one */
    int energy_is_off; /* 1: the energy of that row has changed by more than 1e-3 of itself, or of
                          the potential energy if it is near 0. Always 0 if the energy is not
                          conserved */
};

/* Bodies that touch stop the run, or merge. */
enum ky_collisions {
    KY_COLLISIONS_BY_STOP = -1, /* by stop_collision of struct ky_parameters (default) */
    KY_COLLISIONS_STOP,         /* the run stops */
    KY_COLLISIONS_MERGE /* ky_sim_merge, and a row in events.csv. On the CPU, and with groups of
                            KY_HERMITE4 on devices */
};

struct ky_stellar; /* kyoho/stellar.h */

/* The fields have the names of the options of `kyoho run --help`. Times are in the units of the
 * simulation. With `expansion` of struct ky_parameters the intervals `every` and `energy_every` are
 * intervals of ln a. */
struct ky_run_parameters {
    size_t size;
    const char *output;   /* the folder; made if it does not exist */
    double end;           /* NaN: given by steps */
    uint64_t steps;       /* 0: given by end */
    double every;         /* between snapshots; NaN: only the first and the last state; 0: only the
                             snapshots of `at` */
    double energy_every;  /* between rows of energy.csv; NaN: one step, or longer if that would make
                             more than 5,000 rows. Each snapshot has a row too */
    double restart_every; /* seconds of wall time between restart files; 0: there are none */
    double max_wall;      /* seconds after which the run stops, resumable; NaN: never */
    int compress;         /* HDF5 snapshots */
    int overwrite;        /* 1: results of another run in the folder are removed after the first
                             step; 0: they are KY_USAGE */
    const char *origin;   /* source of the bodies, for run.json; or NULL */
    uint64_t seed;        /* of the model that made the bodies, for run.json */
    int has_seed;         /* 0: they were not made by a model */
    /* Called after every step; may be NULL. */
    void (*progress)(void *context, const struct ky_progress *progress);
    void *progress_context;
    const volatile int *stop; /* not 0: stop after this step, by "the program" in run.json; the flag
                                 of the parameters stops it by "a signal". NULL: never */
    const char *input; /* the file that the bodies came from, or NULL. KY_USAGE if `overwrite` would
                          remove it */
    const char *at;    /* further times of snapshots, "0.5,1,2.25", in any order; or NULL */
    const char *source; /* the options by which `kyoho run` would get the bodies, for run.json, as
                           lines "name=value"; in a value \\ is a backslash and the end of a line.
                           Or NULL */
    const char *bodies_hash; /* the expected hash of the bodies, as in a run.json, or NULL.
                                KY_BAD_DATA if the bodies do not match it */
    /* Called after every `visit_every` whole steps (0: 1), before the output of that step; or NULL.
     * It may read the simulation and change its bodies, parameters and fields, but not its time. A
     * group of changes that it has begun ends when it returns. To give the same results, such a run
     * must be resumed with the same function. A status other than KY_OK ends the run with this
     * status and text, without a restart file for this step; to stop with a restart file, it can
     * set *stop. */
    enum ky_status (*visit)(void *context, struct ky_sim *sim, struct ky_error *error);
    void *visit_context;
    uint64_t visit_every;
    int keep;    /* 1: the bodies of `initial` are kept; 0: they are freed, to save memory */
    int shorten; /* 1: a step is divided where a time of `at` or the end lies within it; 0: such
                    times are KY_USAGE */
    int core;    /* 1: energy.csv has columns of the core, in which close pairs are one body if the
                    run has groups */
    double stop_core; /* the run stops, resumable, when the core radius (its median over the last 2
                         units of time) is at most this [length]; 0: a radius chosen from softening
                         and number of bodies; NaN: never. Implies `core` */
    double
        escape_radius;  /* unbound bodies farther from the density centre are removed; NaN: none */
    const char *follow; /* ids of at most 16 bodies, "0,17": energy.csv gets columns of their
                           positions, x_17, y_17, z_17; or NULL. KY_USAGE for an id that no body
                           has */
    double escapers; /* unbound bodies farther from the density centre are listed in escapers.csv,
                        each once; NaN: none. Bodies that escape_radius removes are listed too.
                        KY_USAGE with escape_radius */
    struct ky_stop *stopped; /* filled when the run ends; or NULL */
    struct ky_view *view;    /* shows the run from its first step on, and steers it: a stop there is
                                KY_STOP_ASKED; or NULL. A view shows one run at a time */
    int pieces;       /* 1: each rank writes an HDF5 file of each snapshot, snapshot_0000.0.hdf5,
                         snapshot_0000.1.hdf5 …, as GADGET does; there are at most as many files as
                         bodies. 0: one file */
    int choose_ranks; /* only for parameters->ranks = 1 and several devices in `engine`. 1: each
                         device gets a rank, unless the first device alone is faster; the choice is
                         logged. 0: only the first device is used. A resumed run keeps its number of
                         ranks */
    /* Of a comoving box (ky_parameters.box and expansion), whose times are scale factors: */
    double end_z;          /* the redshift of the end, instead of `end`; NaN (default): not given */
    const char *at_z;      /* redshifts of further snapshots, "9,4,0.5"; or NULL */
    uint64_t groups_every; /* each snapshot whose number is a multiple of this gets a catalogue of
                              groups, groups_0000.csv, as ky_catalogue_write writes it; 0: none */
    double linking_length; /* of struct ky_catalogue_parameters, as the next two */
    double linking_fraction;
    uint64_t groups_minimum;
    /* enum ky_collisions. Both test contacts as stop_collision of struct ky_parameters does. Where
     * there is no body_radius, the bodies have no radii and the units have scales, each body has
     * the radius of a star of its mass on the main sequence (docs/command.md) */
    int collisions;
    /* Stellar evolution (docs/stellar.md): "analytic", or a plug-in, a file with a slash in its
     * name or the ending .so, each with ":options"; NULL: none. Stars have then the radii of this
     * code, unless there is a body_radius. KY_USAGE for an unknown name, a file that is no plug-in,
     * and bodies without physical units; KY_BAD_DATA where the code gives impossible numbers */
    const char *stellar_evolution;
    /* The program's own code instead (kyoho/stellar.h); stellar_evolution has then its options.
     * Such a run must be resumed with the same code. NULL: none. It is used until the run ends */
    const struct ky_stellar *stellar;
};

KY_API void ky_run_parameters_defaults(struct ky_run_parameters *run);

/* A plan of a run: its steps, files, memory and disk space. `initial` may have only the number of
 * bodies, without arrays (mass NULL). Then `step` is NaN and `steps` is 0 unless they are given,
 * since they follow from the bodies. No folder is read. KY_USAGE for parameters, times and
 * intervals that contradict each other, and if no end is given. */
struct ky_plan {
    size_t size; /* of this struct, or 0 */
    double step; /* [time]; with `expansion` of ln a */
    uint64_t steps, snapshots;
    double host_bytes, device_bytes; /* peak */
    double disk_bytes;               /* of all files */
    double largest_n; /* number of bodies that would fit into the free memory of host and device */
    /* in a later version of the struct, for which `size` must be set: */
    char choice[256];  /* as `text` of struct ky_choice */
    double rank_bytes; /* host memory of each rank for the forces; host_bytes is the sum over the
                          ranks of this computer; 0: no ranks */
};
KY_API enum ky_status ky_run_plan(const struct ky_parameters *parameters,
                                  const struct ky_run_parameters *run,
                                  const struct ky_snapshot *initial, struct ky_plan *plan,
                                  struct ky_error *error);

/* Runs from the initial state to the end, and writes snapshots, energy.csv, run.json, run.log and
 * restart files into run->output. KY_STOPPED if it ended early (enum ky_stop_kind): ky_resume
 * continues it, unless restart_every is 0. KY_USAGE for a folder with the results of a run, unless
 * run->overwrite is set; if initial->units have scales and parameters->g differs from their G by
 * more than 1 %; and as ky_run_plan. KY_BAD_DATA for no bodies and for bodies that ky_bodies_check
 * refuses. A failure before the first files are complete leaves the folder as it was. Unless
 * run->keep is set, the bodies of *initial are freed (ky_bodies_free) as soon as they are on the
 * engine, to save memory. */
KY_API enum ky_status ky_run(const struct ky_parameters *parameters,
                             const struct ky_run_parameters *run, struct ky_snapshot *initial,
                             struct ky_error *error);

/* Continues from the restart file in run->output, with the same bits as a run that did not stop.
 * It takes from the arguments:
 * - engine (unless NULL or "auto"), isa (unless -1 or KY_ISA_AUTO) and threads (unless -1 or 0);
 * - end or steps, if they are set: the totals of the run;
 * - log, max_wall, restart_every, progress, stop, stopped, view, and visit with visit_every;
 * - field_function. KY_USAGE if it is set and the run had none, or if the run had one and it is
 * not.
 *
 * All else is as in the run. Another engine or isa gives other last bits. KY_USAGE for an isa if
 * the engine is not the CPU; KY_BAD_DATA for a folder without a restart file, or with a damaged
 * one. */
KY_API enum ky_status ky_resume(const struct ky_parameters *parameters,
                                const struct ky_run_parameters *run, struct ky_error *error);

/* The paths of the snapshots in the folder of a run, in their order. KY_BAD_DATA, and no paths, for
 * a folder that has no snapshots or cannot be read. Free with ky_paths_free. */
struct ky_paths {
    size_t size; /* of this struct, or 0 */
    size_t count;
    char **path;
};
KY_API enum ky_status ky_run_snapshots(const char *folder, struct ky_paths *paths,
                                       struct ky_error *error);
KY_API void ky_paths_free(struct ky_paths *paths); /* clears the struct */

/* ---- many systems of few bodies ---- */

/* Why a system has ended. */
enum ky_few_end {
    KY_FEW_AT_TIME,   /* it has reached the last time */
    KY_FEW_ESCAPE,    /* stop_escape */
    KY_FEW_COLLISION, /* stop_collision */
    KY_FEW_LOST       /* its numbers became infinite, as where three bodies meet */
};

/* Systems that do not act on each other, each of the same number of bodies. Arrays of bodies have
 * one system after the other. */
struct ky_few_systems {
    size_t size;        /* of this struct */
    size_t count;       /* systems */
    size_t bodies;      /* of each system, at most 100 */
    const double *mass; /* [count × bodies] here and below */
    const double (*position)[3], (*velocity)[3];
    const double *radius; /* for stop_collision; NULL: body_radius of the parameters */
    double begin;         /* the time of these bodies */
    size_t times;
    const double *time; /* [times], ascending from `begin`, or descending from it */
    /* Receives the part of the expected work that is done, up to 1, about ten times a second and at
     * the end, from any thread, one call at a time. NULL: not wanted */
    void (*tell)(void *context, double done);
    void *context;
    /* Results; NULL: not wanted. At times after its end a system is as it was then; a lost one is
     * NaN. */
    double (*positions)[3], (*velocities)[3]; /* [times × count × bodies] */
    double *ended;         /* [count] here and below: the time of the last state */
    int *end;              /* enum ky_few_end */
    int (*touching)[2];    /* the two bodies of the collision, numbers within the system, or -1 */
    double *energy_change; /* (E − E₀)/|E₀| of the last state, about the centre of mass */
    double *steps;         /* own steps of the system */
};

/* Integrates the systems by the method of KY_FEW (docs/few.md). Of the parameters it uses engine
 * ("auto": the CPU; devices take two to 32 bodies), isa, g, orbit_steps, tolerance, slow_down,
 * threads, stop, stop_collision, body_radius and stop_escape. With stop_escape a system ends when
 * its two outermost parts, bodies or groups, are unbound, recede and are farther apart than that.
 * The bits of a system do not depend on the other systems or other times, nor on the processor, but
 * for pairs on devices without double.
 * KY_BAD_DATA, naming the first such system, for numbers that are not finite, negative masses and
 * radii, and a body at the place of a body with mass. KY_USAGE for parameters that have no effect
 * here and for times in another order. KY_UNSUPPORTED for more bodies than 100, or than a device
 * takes; without double it takes only pairs, without stop_collision. After a failure the results
 * have no meaning. */
KY_API enum ky_status ky_few_integrate(const struct ky_parameters *parameters,
                                       const struct ky_few_systems *systems,
                                       struct ky_error *error);

/* ---- snapshots ---- */

/* The coordinates of a snapshot, as stored in its file. An ordinary file is not comoving and has
 * scale_factor 1, per_h 0 and box 0. A file in physical coordinates may also have the parameters of
 * its universe, hubble, omega_matter and omega_lambda; files of the model cosmic have them. */
enum { KY_TO_PHYSICAL = 1, KY_TO_COMOVING };
struct ky_space {
    int comoving;  /* positions are comoving: physical ones divided by scale_factor */
    int per_h;     /* lengths and masses are in units of 1/hubble */
    int converted; /* KY_TO_PHYSICAL: the numbers have been converted to physical ones, and the box
                      was dropped; KY_TO_COMOVING: to comoving lengths and masses without factors
                      of h, and peculiar velocities, in a box; 0: they are as in the file */
    double scale_factor;
    double hubble;                     /* H0 in 100 km/s/Mpc; NaN: not known */
    double omega_matter, omega_lambda; /* densities at scale factor 1; NaN: not known */
    double box; /* side of a periodic box, in the numbers of the file or with KY_TO_COMOVING of the
                   bodies; 0: open space. HDF5 files keep it */
};

struct ky_snapshot {
    size_t size;
    struct ky_bodies bodies; /* allocated by ky_snapshot_read and ky_model_make */
    double time;
    struct ky_units units;
    char *parameters;      /* effective parameters, INI text, or NULL */
    struct ky_space space; /* of the file that was read */
    double softening;      /* for which the bodies were made, or with which they ran [length]; NaN:
                              not known, or each body has its own */
    int softening_kind;    /* enum ky_softening_kind; −1: not known */
};

/* GADGET's binary formats are read and not written. */
enum ky_format { KY_FORMAT_BY_NAME, KY_HDF5, KY_TIPSY, KY_CSV, KY_GADGET1, KY_GADGET2 };

struct ky_write_options {
    size_t size;
    int format;    /* enum ky_format; by name: .hdf5 .h5 .tipsy .csv */
    int compress;  /* HDF5 only: 0 no (default), 1 yes */
    int overwrite; /* 0: an existing file is KY_USAGE */
};

/* Describes the coordinates in words: "comoving (redshift 3), in units of 1/h (h = 0.7), in a
 * periodic box of side 100"; "" for an ordinary file and for NULL. A text of `size` bytes or more
 * is cut. */
KY_API void ky_space_describe(const struct ky_space *space, char *text, size_t size);
/* The enum ky_format for the ending of a name; KY_FORMAT_BY_NAME for other endings, and for
 * NULL. */
KY_API int ky_format_of_name(const char *path);
/* To be called before the first snapshot: the HDF5 library then does nothing when the program
 * exits. Otherwise it prints messages of its own at exit if a file was damaged. Nothing is lost,
 * since this library closes all its files before. */
KY_API void ky_snapshot_quiet_exit(void);

/* Sets the snapshot to an empty one in N-body units with unknown softening; sets `size`. */
KY_API void ky_snapshot_clear(struct ky_snapshot *snapshot);
/* Frees its bodies and its text, and clears it. */
KY_API void ky_snapshot_free(struct ky_snapshot *snapshot);
KY_API void ky_write_options_defaults(struct ky_write_options *options);

/* The treatment of a file that is comoving, in units of 1/h or in a periodic box. */
enum ky_space_reading {
    KY_SPACE_REFUSED,   /* KY_BAD_DATA that names the kind (default) */
    KY_SPACE_PHYSICAL,  /* converted: lengths × a/h, masses / h, velocities peculiar + H(a) (x −
                           centre of mass), time since a = 0; the box is dropped. Needs units and
                           cosmology */
    KY_SPACE_AS_STORED, /* the numbers as they are, for a description or a picture */
    KY_SPACE_OPEN,  /* the numbers are read as physical ones in open space, even if the file has a
                       scale factor, h or a box */
    KY_SPACE_IN_BOX /* as KY_SPACE_REFUSED, but bodies in a periodic box are accepted, for
                       ky_parameters.box. If they are comoving or in units of 1/h, they are
                       converted as KY_TO_COMOVING, and the time is the scale factor */
};

/* The factors of a and h in the numbers of a comoving file, unless its data sets state them. */
enum ky_convention {
    KY_CONVENTION_OF_FILE, /* SWIFT's in an HDF5 file with SWIFT's names of units, otherwise
                              GADGET's (default); KY_BAD_DATA for a file that leaves both open */
    KY_CONVENTION_GADGET,  /* lengths and masses in units of 1/h, peculiar velocities over √a */
    KY_CONVENTION_SWIFT    /* lengths and masses without factors of h, peculiar velocities */
};

struct ky_read_options {
    size_t size;
    int space;      /* enum ky_space_reading */
    unsigned types; /* bit t: only bodies of type t; 0: all */
    int renumber;   /* 1: ids are not read: a body's id is its index */
    /* for a file without units or with unknown ones. NULL: a file without units is in N-body units,
     * and a comoving box in units in which it has the matter of its universe; KY_BAD_DATA if no
     * units fit, and for unknown units */
    const struct ky_units *units;
    ky_log_function *log; /* gets remarks and warnings; or NULL */
    void *log_context;
    uint64_t count_above; /* if a file has more bodies than this and `types` is 0, only bodies.n is
                             set: no array is allocated or checked; 0: never */
    int may_be_empty;     /* 1: a file without bodies (from a run whose bodies have all escaped, for
                             example) is read, with bodies.n 0; 0: it is KY_BAD_DATA */
    int convention;       /* enum ky_convention */
};

KY_API void ky_read_options_defaults(struct ky_read_options *options);

/* Reads any known format, recognised by its content; the path "-" is standard input. Allocates.
 * Checks the bodies. `options` NULL: as ky_read_options_defaults. KY_BAD_DATA for a file that is
 * missing, of no known format, damaged or without bodies (see may_be_empty); KY_UNSUPPORTED for
 * HDF5 in a build without it. The snapshot is empty after a failure. */
KY_API enum ky_status ky_snapshot_read(const char *path, struct ky_snapshot *snapshot,
                                       struct ky_error *error);
KY_API enum ky_status ky_snapshot_read_as(const char *path, const struct ky_read_options *options,
                                          struct ky_snapshot *snapshot, struct ky_error *error);
/* Writes to a temporary name, flushes to the disk and renames, so that an existing file is never
 * damaged. The path "-" is standard output, for CSV and TIPSY; the format must be given. `options`
 * NULL: as ky_write_options_defaults. KY_USAGE for a name without a known format, and for bodies
 * without masses, positions or velocities; KY_UNSUPPORTED for a format that is not written or not
 * in this build. */
KY_API enum ky_status ky_snapshot_write(const char *path, const struct ky_snapshot *snapshot,
                                        const struct ky_write_options *options,
                                        struct ky_error *error);

/* ---- initial models ---- */

/* The mass function of the bodies, in solar masses. Without units only ratios of masses count,
 * since their sum is given. */
enum ky_mass_function {
    KY_MASS_EQUAL,
    KY_MASS_SALPETER, /* dN/dm ∝ m^−2.35 from 0.1 to 100 */
    KY_MASS_KROUPA    /* m^−1.3 from 0.08 to 0.5, m^−2.3 to 100: Kroupa (2001) */
};

/* Primordial pairs of stars (docs/models.md): periods, eccentricities and ratios of masses. A star
 * above 5 solar masses is massive. */
enum ky_binary_periods {
    KY_PERIODS_MIXED,      /* KY_PERIODS_SANA for pairs with a massive star, else Kroupa's */
    KY_PERIODS_KROUPA,     /* Kroupa (1995): 10 d to 10^8.43 d */
    KY_PERIODS_SANA,       /* Sana et al. (2012): 10^0.15 d to 10^3.5 d */
    KY_PERIODS_LOG_UNIFORM /* in the semi-major axis, between two limits */
};
enum ky_binary_eccentricities {
    KY_ECCENTRICITIES_BY_PERIODS, /* Sana's with Sana's periods, else thermal */
    KY_ECCENTRICITIES_THERMAL,    /* f(e) = 2 e */
    KY_ECCENTRICITIES_SANA,       /* f(e) ∝ e^−0.45 up to 1 − (P/2d)^(−2/3) */
    KY_ECCENTRICITIES_CIRCULAR
};
enum ky_binary_ratios {
    KY_RATIOS_MASSIVE, /* massive stars: uniform from 0.1 to 1; others at random */
    KY_RATIOS_RANDOM   /* all companions are drawn from the mass function */
};

/* The fields have the names of the options of `kyoho model --help`; a model ignores fields that it
 * does not list there. `options` sets options by name, including options of a model that have no
 * field here.
 *
 * Masses are equal or drawn from `mass_function`; their sum is `mass`. Ids are 0 … n − 1. The total
 * momentum is 0. The origin is the centre of mass. For hernquist, jaffe and nfw it is the cusp, and
 * the centre of mass is displaced by the noise of the halo. By default spheres and uniform-cube are
 * in Hénon units: G = M = 1, and E = −1/4 for the smooth, truncated Newtonian system from which the
 * bodies are drawn; a sample deviates by its noise. Other models have masses or lengths of their
 * own (docs/models.md). With `mass`, `radius` and `units` lengths are scaled so that the half-mass
 * radius is `radius`, and velocities by √(G mass/length), so that the virial ratio is the same.
 * `softening` and `semi_major_axis` are lengths in these final units. The softening changes only
 * the velocities: they follow an isotropic equilibrium with the softened force (plummer, hernquist,
 * jaffe, nfw, king), or give the requested virial ratio with it (uniform-sphere, uniform-cube). So
 * E with softened forces is not −1/4, but 2T/|Σ m x·a| is 1. A single body is at rest at 0. */
struct ky_model_parameters {
    size_t size;
    uint64_t n; /* 0: the model's number (two-body 2, random 100000, figure8 7500, super8 10000,
                   cosmic 2874551, cartwheel 18000, merger 240002). If `mass` is given and masses
                   of a mass function are in units with a scale, 0 is the number that has this mass.
                   KY_USAGE for other models */
    uint64_t seed;
    double softening;       /* softening of the run; velocities are in equilibrium with it. NaN
                               (default): 0.75 r_h n^−0.26 with the half-mass radius r_h of the
                               smooth model (galaxy: of its disk); 0 for two-body, 0.1 for figure8,
                               super8 and merger, 0.01 for random and cartwheel, 4 for cosmic. The
                               snapshot stores it */
    int softening_kind;     /* enum ky_softening_kind */
    double cutoff;          /* outermost radius in scale radii; 0: the model's own default */
    double virial_ratio;    /* uniform-sphere, uniform-cube: 2T/|Σ m x·a|; 0 is cold */
    double w0;              /* king: central potential */
    double eccentricity;    /* two-body, which starts at apocentre */
    double mass_ratio;      /* two-body: second over first */
    double semi_major_axis; /* two-body */
    double mass;   /* total; NaN (default): 1; or, if units have a scale and masses are from a mass
                      function, the sum of the masses, which are drawn in solar masses */
    double radius; /* half-mass radius of the smooth model; NaN (default): the one that makes
                      the virial radius G M²/(4 |E|) 1, as in Hénon units */
    struct ky_units units; /* of all lengths and masses here and of the bodies; g NaN: the G that
                              follows from the scales, 1 without them (default) */
    const char *const *options; /* "name=value" each, ended by NULL, instead of the fields of these
                                   names; or NULL. Another model's are KY_USAGE */
    ky_log_function *log; /* gets warnings, and progress if the model takes seconds; or NULL */
    void *log_context;
    int mass_function; /* enum ky_mass_function; not equal: for spheres */
    double rotation;   /* of the bodies of a sphere with L_z < 0 this fraction, 0 to 1, has its
                          rotation about the z axis reversed */
    /* "x,y,z", added to all positions [length] and velocities [velocity]. Before that, "i,Ω,ω"
     * [degrees] turns the system about its origin, see docs/models.md. A number may have a unit.
     * NULL: no change */
    const char *position, *velocity, *orientation;
    const volatile int *stop; /* not 0: ky_model_make ends with KY_STOPPED; as in struct
                                 ky_parameters */
    double binaries;          /* spheres: pairs over all systems, pairs and single stars, 0 to 1.
                                 `n` counts stars. Pair k has the ids 2k and 2k + 1 */
    int binary_periods;       /* enum ky_binary_periods; without scales of units log-uniform */
    int binary_eccentricities, binary_ratios; /* the enums of these names */
    double binary_axis_min, binary_axis_max;  /* log-uniform: limits of the semi-major axis */
    int eigenevolution; /* 1: tides circularise close pairs (Kroupa 1995), with constant masses */
};

KY_API void ky_model_parameters_defaults(struct ky_model_parameters *parameters);

/* The name of the model with this index, 0, 1, …; NULL past the last. */
KY_API const char *ky_model_name(size_t index);
struct ky_model_about {
    size_t size;      /* of this struct, or 0 */
    const char *name; /* "plummer" */
    const char *help; /* one line */
};
/* The model with this index; KY_USAGE past the last. Texts are static. */
KY_API enum ky_status ky_model_get(size_t index, struct ky_model_about *about);
/* Replaces the requested units by the units that the bodies of the model will have; g NaN becomes
 * the G of the scales. KY_USAGE for a name that is not a model's, for invalid units, and for units
 * that contradict the model's own. */
KY_API enum ky_status ky_model_units(const char *name, struct ky_units *units,
                                     struct ky_error *error);
/* The options of a model, as ky_option_get for a run; KY_USAGE past the last, and for a name that
 * is not a model's. The options of KY_OPTIONS_MODEL are first; for later options `offset` refers to
 * a struct of the model's own. */
KY_API enum ky_status ky_model_option_get(const char *name, size_t index,
                                          struct ky_option_about *about);
/* Allocates the snapshot's bodies. The same seed gives the same bodies for any number of threads.
 * KY_USAGE for a name that is not a model's, and for parameters out of their range. After a failure
 * the snapshot is empty, also after KY_STOPPED by parameters->stop. */
KY_API enum ky_status ky_model_make(const char *name, const struct ky_model_parameters *parameters,
                                    struct ky_snapshot *snapshot, struct ky_error *error);
/* Fills *snapshot as ky_model_make does, but with only the number of bodies: the arrays are NULL.
 * Logs nothing. KY_UNSUPPORTED for a model whose bodies depend on each other, and for a name that
 * is empty or has more than 255 characters. */
KY_API enum ky_status ky_model_describe(const char *name,
                                        const struct ky_model_parameters *parameters,
                                        struct ky_snapshot *snapshot, struct ky_error *error);
/* Fills *snapshot as ky_snapshot_read_as does, but with only the number of bodies: the arrays are
 * NULL. Logs nothing. Fails as ky_snapshot_read_as, for faults that can be found without reading
 * the bodies. KY_UNSUPPORTED for files without bodies, and for files whose bodies have to be read
 * as a whole. These are TIPSY and CSV, GADGET's binary format with options->types, standard input,
 * files with a softening for each body, and HDF5 files whose bodies are not in the order of the run
 * that wrote them. */
KY_API enum ky_status ky_snapshot_describe(const char *path, const struct ky_read_options *options,
                                           struct ky_snapshot *snapshot, struct ky_error *error);
/* The bodies of a run before they are in memory: of an open file, or of a model. */
struct ky_source;
/* Opens a source. If ky_snapshot_describe or ky_model_describe supports the file or model,
 * *snapshot gets only the number of bodies, and *source is for ky_run_source. Otherwise *source is
 * NULL, and the calls do the same as ky_snapshot_read_as and ky_model_make. A file stays open until
 * ky_source_close, so that it is opened only once. */
KY_API enum ky_status ky_source_file(const char *path, const struct ky_read_options *options,
                                     struct ky_source **source, struct ky_snapshot *snapshot,
                                     struct ky_error *error);
KY_API enum ky_status ky_source_model(const char *name, const struct ky_model_parameters *model,
                                      struct ky_source **source, struct ky_snapshot *snapshot,
                                      struct ky_error *error);
KY_API void ky_source_close(struct ky_source *source); /* NULL: does nothing */
/* ky_run with the bodies of a source, and the same files. `initial` is the snapshot that came with
 * it; units, softening and time may have been changed. Without a source (NULL) it is ky_run. If
 * ranks divide the bodies and all bodies have mass, each rank reads or makes its own bodies, and no
 * process has all of them. `stop` of a model is then checked before and after its bodies are made,
 * but not meanwhile. Fails also as ky_snapshot_read_as and ky_model_make; KY_BAD_DATA for a file
 * that has changed since it was opened. */
KY_API enum ky_status ky_run_source(const struct ky_parameters *parameters,
                                    const struct ky_run_parameters *run, struct ky_source *source,
                                    struct ky_snapshot *initial, struct ky_error *error);
/* ky_source_model and ky_run_source in one call. */
KY_API enum ky_status ky_run_model(const struct ky_parameters *parameters,
                                   const struct ky_run_parameters *run, const char *name,
                                   const struct ky_model_parameters *model, struct ky_error *error);
/* ky_source_file and ky_run_source in one call. `initial` has all the rest, as ky_snapshot_describe
 * or ky_snapshot_read_as gives it; its bodies are replaced and then freed. */
KY_API enum ky_status ky_run_file(const struct ky_parameters *parameters,
                                  const struct ky_run_parameters *run, const char *path,
                                  const struct ky_read_options *reading,
                                  struct ky_snapshot *initial, struct ky_error *error);

/* Turns the bodies about the origin by `orientation` (accelerations too, if they have any), adds
 * `position` to their positions and `velocity` to their velocities: texts as in struct
 * ky_model_parameters, or NULL. KY_USAGE for a text that is not three numbers, or has a unit that
 * `units` (or NULL: none) do not know; the bodies are unchanged then. */
KY_API enum ky_status ky_bodies_place(struct ky_bodies *bodies, const char *position,
                                      const char *velocity, const char *orientation,
                                      const struct ky_units *units, struct ky_error *error);
/* Transforms positions and velocities to axes that rotate about z, from x towards y, with `speed`
 * in radians per unit of time. At time 0 they coincide with the axes at rest; `time` is the time of
 * the bodies. Accelerations, if there are any, are rotated to these axes, without the Coriolis
 * force. KY_USAGE for numbers that are not finite; the bodies are unchanged then. */
KY_API enum ky_status ky_bodies_turn(struct ky_bodies *bodies, double speed, double time,
                                     struct ky_error *error);

struct ky_merge_parameters {
    size_t size;
    double separation;   /* of the centres of mass at the start */
    double pericentre;   /* of the Kepler orbit of two point masses */
    double eccentricity; /* 1 (default): a parabola */
    double g;
    double softening; /* for the bodies of an input without softenings if the other has softenings;
                         NaN (default): such inputs are KY_USAGE */
    double mass;      /* the second system is scaled to this total mass; NaN (default): as it is */
    double radius;    /* and to this half-mass radius about its density centre; NaN (default): the
                         radius is scaled with the square root of the mass. Velocities are scaled
                         with √(mass/radius), so that the system stays in equilibrium, and the
                         softenings of its bodies with the radius */
    /* Degrees, as in Toomre & Toomre (1972). Each system is turned about its centre of mass. Its
     * x-y plane then has this inclination to the orbit (180: retrograde) and this argument of the
     * pericentre, measured from where the orbit rises through the plane. 0 (default): not
     * turned. */
    double first_inclination, first_omega, second_inclination, second_omega;
    const volatile int *stop; /* not 0: ky_merge ends with KY_STOPPED; as in struct ky_parameters */
};

KY_API void ky_merge_parameters_defaults(struct ky_merge_parameters *parameters);
/* Two systems on a Kepler orbit in the x-y plane about their common centre of mass, approaching,
 * anticlockwise, b on the positive x axis. Each is centred on its own centre of mass first. A
 * separation that the orbit never has is KY_USAGE; pericentre 0 needs eccentricity 1 (head on).
 * Allocates `merged`; after a failure it is empty. Ids are kept if they stay unique, else the ids
 * of b are moved past the largest id of a. A system without types has type 4 when the other has
 * types. KY_BAD_DATA for a system without bodies or one that ky_bodies_check refuses, and where no
 * body has mass. KY_STOPPED by parameters->stop: a and b are unchanged. */
KY_API enum ky_status ky_merge(const struct ky_bodies *a, const struct ky_bodies *b,
                               const struct ky_merge_parameters *parameters,
                               struct ky_bodies *merged, struct ky_error *error);
/* The factors by which ky_merge multiplies the numbers of the second system; softenings are
 * multiplied by `length`. */
struct ky_merge_scale {
    double mass, length, speed;
};
/* KY_USAGE for parameters that ky_merge refuses, here and below; KY_BAD_DATA for a system that
 * cannot be scaled. */
KY_API enum ky_status ky_merge_scale(const struct ky_bodies *b,
                                     const struct ky_merge_parameters *parameters,
                                     struct ky_merge_scale *scale, struct ky_error *error);
/* The time from the start to the pericentre of the orbit of two points with this mass in all
 * [time]. KY_USAGE also for a mass that is not finite and above 0. */
KY_API enum ky_status ky_merge_time(const struct ky_merge_parameters *parameters, double mass,
                                    double *time, struct ky_error *error);

/* ---- analysis ----
 *
 * Calls need masses and positions, and for scales, binaries and profiles also velocities; a missing
 * array is KY_USAGE. Calls without parameters->threads use OMP_NUM_THREADS threads, or as many as
 * the processor has. Results do not depend on this number. */

/* The density centre: the mean of the positions, weighted by the local density, which is measured
 * from the masses of the bodies nearer than the sixth neighbour (Casertano & Hut 1985). For fewer
 * than 7 bodies, the centre of mass. Massless bodies do not count, unless all are massless: then it
 * is the mean position. KY_BAD_DATA without bodies, and for negative masses and for masses and
 * positions that are not finite. */
KY_API enum ky_status ky_density_centre(const struct ky_bodies *bodies, double centre[3],
                                        struct ky_error *error);

/* The same for a sample of at most 65,536 of the bodies with mass. It is accurate enough for
 * lengths of the whole system, and its time hardly grows with the number of bodies. The same bodies
 * give the same centre. KY_BAD_DATA also if no body has mass. */
KY_API enum ky_status ky_sampled_centre(const struct ky_bodies *bodies, double centre[3],
                                        struct ky_error *error);

/* Fills radii[k] with the radius of the sphere about `centre` that holds fractions[k] of the mass;
 * 0 for 0. KY_USAGE for fractions that do not ascend from 0 to 1, else as ky_sampled_centre. */
KY_API enum ky_status ky_lagrangian_radii(const struct ky_bodies *bodies, const double centre[3],
                                          size_t count, const double *fractions, double *radii,
                                          struct ky_error *error);
/* The customary fractions: 1, 2, 5, 10, 25, 50, 75, 90 %. */
enum { KY_LAGRANGIAN_FRACTIONS = 8 };
KY_API extern const double ky_lagrangian_fractions[KY_LAGRANGIAN_FRACTIONS];

/* Lengths and times of a system, and recommended softening and step. Bodies without mass do not
 * count. */
struct ky_scales {
    size_t size;                /* of this struct, or 0 */
    double centre[3];           /* density centre; of a sample of 65,536 bodies if there are more */
    double half_mass_radius;    /* r_h, about `centre` */
    double velocity_dispersion; /* σ: rms speed in three dimensions about the mean velocity, without
                                   escapers */
    double speed; /* the larger of σ and √(0.4 G M/r_h), which a cold system will reach */
    double crossing_time; /* 2 r_h/speed */
    double relaxation_time; /* at r_h: 0.138 N √(r_h³/(G M))/ln Λ, Λ = 0.11 N (Spitzer 1987; Giersz
                               & Heggie 1994), ln Λ at least 1 */
    double softening; /* 0.75 r_h N^−0.26: 0.98 scale radii of a Plummer sphere × N^−0.26 (Merritt
                         1996; Athanassoula et al. 2000) */
    double step; /* softening/(4 v), rounded down to a power of two. v is random_speed, or √(0.4 G
                    M/r_h) as far as ordered motion does not support the system. If ordered motion
                    makes v small, the step is at most a 64th of the crossing time. For softening 0
                    it is a 32nd of the shortest √(r³/(G m)) of a body and its nearest neighbour,
                    where r is their distance, or the pericentre of a binary */
    double random_speed; /* rms speed about the local flow (the mean velocity and its gradient among
                            32 neighbours), from the median; σ for fewer than 64 bodies. A size of 0
                            ends before this member; it and later members need the true size */
    size_t escapers;     /* bodies that are 32 times as fast as the median speed, and as √(0.4 G
                            M/r_h) */
    size_t fastest;      /* the index of the fastest of these */
};

/* `softening`: the softening of the run, from which the step follows; NaN: the recommended one.
 * KY_BAD_DATA when no body has mass, KY_USAGE for g not above 0. */
KY_API enum ky_status ky_system_scales(const struct ky_bodies *bodies, double g, double softening,
                                       struct ky_scales *scales, struct ky_error *error);

/* Binaries. A body is bound to another if the energy of their relative motion in the softened force
 * of the two is negative. Two bodies are a binary if each is, among the KY_BINARY_NEIGHBOURS
 * nearest neighbours of the other, the nearest to which the other is bound. Of a triple the inner
 * two bodies are found. Two bodies that exert no force on each other, such as massless bodies, are
 * not a binary.
 *
 * Without softening the elements are the elements of the Kepler orbit. With softening, where orbits
 * do not close, they follow from the turning points r₁ and r₂ of the relative motion: semi-major
 * axis (r₁ + r₂)/2, eccentricity (r₂ − r₁)/(r₂ + r₁), and as period the time from pericentre to
 * pericentre. */
enum { KY_BINARY_NEIGHBOURS = 8 };
struct ky_binaries {
    size_t size; /* of this struct, or 0 */
    size_t count;
    uint32_t (*body)[2];     /* [count] here and below: the indices, the more massive body first */
    double *separation;      /* present distance */
    double *semi_major_axis; /* [length] */
    double *eccentricity;
    double *period; /* [time] */
    double *energy; /* of the relative motion, below 0; 0 if one has no mass [mass velocity²] */
};
/* Finds the binaries, in ascending order of energy, with the same result for any number of threads.
 * Engine, isa, threads, G and softening are taken from `parameters`; KY_USAGE if the softening is
 * not known. Allocates the arrays; after a failure there are none, also after KY_STOPPED by
 * parameters->stop. `report` may be NULL. */
KY_API enum ky_status ky_binaries_find(const struct ky_parameters *parameters,
                                       const struct ky_bodies *bodies, struct ky_binaries *binaries,
                                       struct ky_force_report *report, struct ky_error *error);
KY_API void ky_binaries_free(struct ky_binaries *binaries); /* clears the struct */

enum ky_axis { KY_X, KY_Y, KY_Z };

/* Spherical profiles about a centre, in shells whose radii are equally spaced in their logarithm,
 * and the surface density in rings of the same radii, seen along an axis. */
struct ky_profile_parameters {
    size_t size;
    uint64_t shells;  /* 1 to 1,000; 20 */
    double centre[3]; /* NaN (default): the density centre */
    double inner; /* radius where the first shell begins, above 0; NaN (default): the radius that
                     holds 1 % of the mass, and 20 bodies where there are enough */
    double outer; /* radius where the last shell ends; NaN (default): the radius that holds 99 % of
                     the mass */
    int axis;     /* enum ky_axis; KY_Z */
    double g;     /* 1; comoving positions need G/a for physical circular speeds */
    double box;   /* side of a periodic box with a corner at the origin [length]; 0 (default): open
                     space. In a box the centre has to be given, and each body counts with its
                     image nearest to it. The first shell begins at the radius that holds 20 bodies.
                     The last one ends at half of the box at most, where it ends by default.
                     Velocities are relative to the mean velocity within it */
};
KY_API void ky_profile_parameters_defaults(struct ky_profile_parameters *parameters);

/* Velocities are relative to the mean velocity of all bodies. In a shell each component of the
 * velocity, along r, θ and φ of spherical coordinates about the z axis, has a mean and a
 * dispersion about it, weighted by mass. NaN: not known, for want of bodies. */
struct ky_radial_profile {
    size_t size; /* of this struct, or 0 */
    size_t shells;
    double centre[3], velocity[3]; /* that were taken */
    double *edge;                  /* [shells + 1]: radii, ascending */
    uint64_t *bodies;              /* [shells] here and below: in the shell */
    double *radius;                /* middle of the shell, √(inner × outer) */
    double *density;               /* mass over volume */
    double *enclosed;              /* mass within the outer edge */
    double *circular_speed;        /* √(G enclosed/outer edge) */
    double *radial;                /* dispersion along r */
    double *tangential;            /* √((σ_θ² + σ_φ²)/2), in one dimension */
    double *anisotropy;            /* 1 − tangential²/radial² */
    double *radial_velocity;       /* mean velocity along r; negative: inwards */
    double *rotation;              /* mean velocity along φ */
    double *surface_density;       /* of the ring: mass over area */
};
/* Allocates the arrays; after a failure there are none. The same for any number of threads.
 * KY_BAD_DATA if no body has mass, and where the bodies have no extent and `inner` and `outer`
 * are not given. KY_USAGE for radii that do not ascend, for a centre of fewer than three numbers,
 * and in a box for no centre and for shells beyond half of it. */
KY_API enum ky_status ky_profile_make(const struct ky_profile_parameters *parameters,
                                      const struct ky_bodies *bodies,
                                      struct ky_radial_profile *profile, struct ky_error *error);
KY_API void ky_profile_free(struct ky_radial_profile *profile); /* clears the struct */

/* The density of bodies in a periodic box with corners at 0 and `box`, on a mesh of mesh³ points
 * [mass/length³]. Masses are assigned as by ky_power_make to its first mesh: with a triangle-shaped
 * cloud (TSC), over the 27 points about a body. density[(i*mesh + j)*mesh + k] belongs to the point
 * with the coordinates i, j and k times box/mesh. Bodies outside are moved into the box.
 * The same bits for any number of threads. KY_USAGE for a box that is not above 0 and for a mesh
 * that has not 1 to 16,384 points along an axis. KY_BAD_DATA if a density is not finite. */
KY_API enum ky_status ky_density_mesh(const struct ky_bodies *bodies, double box, uint64_t mesh,
                                      double *density, struct ky_error *error);

/* The power spectrum of the density contrast δ of bodies in a periodic box, P(k) = V ⟨|δ_k|²⟩,
 * averaged over the waves of shells whose width is the smallest wave number 2π/box. Masses are
 * assigned to a mesh with a triangle-shaped cloud (TSC) and to a second one, half a cell apart,
 * whose mean with the first has no aliases of odd order (Sefusatti et al. 2016); the spectrum of
 * the cloud is divided out. */
struct ky_power {
    size_t size;     /* of this struct, or 0 */
    size_t count;    /* of shells */
    double *k;       /* [count] here and below: mean wave number [1/length] */
    double *power;   /* [length³] */
    uint64_t *waves; /* in the shell */
    double noise;  /* of bodies at random, V Σm²/(Σm)² [length³]. It is in `power`: bodies that
                      began on a lattice have hardly any before they cluster */
    uint64_t mesh; /* points of the mesh along an axis */
};
/* The box has corners at 0 and `box`. `mesh`: points along an axis, even; 0: twice the cube root of
 * the number of bodies, 16 to 1,024. Shells reach to half of the mesh's highest wave number. The
 * same bits for any number of threads. Allocates the arrays; after a failure there are none.
 * KY_USAGE for a box that is not above 0 and for a mesh of fewer than 8 points, an odd number or a
 * prime factor above 7, KY_BAD_DATA for bodies without mass. */
KY_API enum ky_status ky_power_make(const struct ky_bodies *bodies, double box, uint64_t mesh,
                                    struct ky_power *power, struct ky_error *error);
/* The same of two sets of bodies, V ⟨Re δ1 δ2*⟩, whose `noise` is 0; with `two` NULL of one. The
 * space is folded `fold` times along each axis (Jenkins et al. 1998): positions modulo box/fold
 * have every fold-th wave of the box along each axis, exactly. So the shells begin at fold × 2π/box
 * and reach fold times as far with the same mesh, and hold fewer waves. 1: no folding. Fails as
 * ky_power_make, with KY_USAGE for a `fold` of 0 or more than 1,024. */
KY_API enum ky_status ky_power_cross(const struct ky_bodies *one, const struct ky_bodies *two,
                                     double box, uint64_t mesh, uint64_t fold,
                                     struct ky_power *power, struct ky_error *error);
KY_API void ky_power_free(struct ky_power *power); /* clears the struct */
/* The ratio of the linear growth factors of matter at two scale factors, D(to)/D(from), in the
 * universe of the space: matter, curvature and a cosmological constant. NaN if it is not known. */
KY_API double ky_linear_growth(const struct ky_space *space, double from, double to);
/* The density parameter of matter at the scale factor of a comoving space; NaN if it is not known,
 * and for other spaces. */
KY_API double ky_omega_matter(const struct ky_space *space);

/* Fits to the number of haloes of each mass: Press & Schechter (1974), Sheth & Tormen (1999), and
 * Tinker et al. (2008) for masses M200m. */
enum ky_mass_function_fit { KY_PRESS_SCHECHTER, KY_SHETH_TORMEN, KY_TINKER };
/* A universe of matter, curvature and a cosmological constant, today. */
struct ky_mass_function_parameters {
    size_t size;
    int fit;                                          /* enum ky_mass_function_fit */
    double omega_matter, omega_lambda, omega_baryons; /* baryons: included in matter */
    double hubble;                                    /* H0 in 100 km/s/Mpc */
    double spectral_index, sigma8;
    const char *spectrum; /* file of k [h/Mpc] and P(k) [(Mpc/h)³] today, as CAMB writes it, scaled
                             to sigma8 unless this is NaN; NULL: the fit of Eisenstein & Hu (1998)
                             without acoustic oscillations */
    double scale_factor;  /* for which haloes are counted */
};
/* The universe and the spectrum of the model cosmic-box, Tinker's fit, and scale factor 1. */
KY_API void ky_mass_function_parameters_defaults(struct ky_mass_function_parameters *parameters);
/* dn/d ln M of haloes with these masses [Msun/h], comoving [(h/Mpc)³]. KY_USAGE for numbers out of
 * range, KY_BAD_DATA for a file without a spectrum. */
KY_API enum ky_status ky_mass_function(const struct ky_mass_function_parameters *parameters,
                                       size_t count, const double *mass, double *density,
                                       struct ky_error *error);

/* ---- devices ---- */

struct ky_device {
    size_t size;     /* of this struct, or 0 */
    char engine[16]; /* as --engine takes it: "cpu", "cuda:0", "opencl:1" */
    char name[160];
    int usable;
    char reason[256]; /* why it is not usable, or how `auto` treats it */
    int on_cpu;       /* 1: it computes on the cores of the CPU */
};

/* The index-th processor that the library knows of; KY_USAGE past the last. */
KY_API enum ky_status ky_device_get(size_t index, struct ky_device *device);

/* ---- processes of MPI ---- */

/* The library is not linked with MPI. If an MPI launcher (mpiexec, srun) has started the process,
 * it opens the MPI library of the launcher. docs/ranks.md says where it looks. */

/* The index-th MPI library that is found here: its file, and in *name its name and version ("Open
 * MPI 4.1.4"), both static text. NULL past the last. If the process has loaded one, or a launcher
 * has started it, only that library may be in the list. The first call opens the libraries, and
 * closes them again. */
KY_API const char *ky_mpi_library(size_t index, const char **name);

/* Reads the launcher's environment variables. Returns the number of processes that an MPI launcher
 * has started for this program; *rank becomes the rank of this process, from 0. Returns 0 if the
 * variables do not give the number; without a launcher it returns 1, and *rank is 0. */
KY_API int ky_mpi_launched(int *rank);

/* Begins MPI and makes the processes that a launcher has started ranks of one program: `lead` runs
 * on rank 0, and the other ranks compute their shares of its simulations, if these have
 * `parameters->ranks` = ky_mpi_ranks(). Every process makes this call, once. *code becomes the
 * result of `lead` (0 to 255) on all ranks. The other ranks leave SIGINT and SIGTERM to rank 0. A
 * rank that fails prints its error on standard error and ends all processes. KY_UNSUPPORTED if
 * the launcher's MPI library is not found: on rank 0 the caller has to report it, and the first
 * rank of each other machine prints it. Without a launcher it calls `lead`. */
KY_API enum ky_status ky_mpi_lead(int (*lead)(void *context), void *context, int *code,
                                  struct ky_error *error);

/* Every process of a launcher calls this before it ends because of an error that only rank 0
 * prints; rank 0 calls it after it has printed the error. Since launchers end all processes as soon
 * as one ends with an error, the other ranks wait here for 3 s. If ky_mpi_lead has failed because
 * this machine has no MPI library, rank 0 asks the launcher to end all other processes with this
 * exit code: under MPICH they would wait for it forever. That takes 0.6 s, so that the launcher
 * prints the error first. Otherwise, and without a launcher, rank 0 does nothing here. */
KY_API void ky_mpi_abandon(int code);

/* The number of ranks, for rank 0 within `lead`; else 1. */
KY_API int ky_mpi_ranks(void);

/* ---- structs that grow ---- */

/* A struct of parameters is as long as the program's header says, and the library may be older or
 * newer than that header. So a `_defaults` call is a macro, which passes the length to a `_sized`
 * function. This fills the members that the program and the library both know, zeroes the rest up
 * to `size`, and sets the struct's own size to the smaller of both:
 * - for an older program the size of its struct, which is all that the library may touch;
 * - for a newer program the size of the library's struct. The library ignores members beyond it. A
 *   program that needs such a member compares its offset with the struct's size. The library could
 *   not accept the program's size: it refuses every size above its own, since such a struct may not
 *   have been filled. Programs that were built before these macros existed call the `_defaults`
 *   functions of the library, and so does a call through a pointer or with the name in parentheses.
 *   These functions fill the members that existed then. Languages without C's preprocessor, such as
 *   Python with cffi, call the `_sized` functions, with the size of the struct as they declare
 *   it. */
KY_API void ky_parameters_defaults_sized(struct ky_parameters *parameters, size_t size);
KY_API void ky_check_parameters_defaults_sized(struct ky_check_parameters *parameters, size_t size);
KY_API void
ky_mass_function_parameters_defaults_sized(struct ky_mass_function_parameters *parameters,
                                           size_t size);
KY_API void ky_catalogue_parameters_defaults_sized(struct ky_catalogue_parameters *parameters,
                                                   size_t size);
KY_API void ky_run_parameters_defaults_sized(struct ky_run_parameters *run, size_t size);
KY_API void ky_write_options_defaults_sized(struct ky_write_options *options, size_t size);
KY_API void ky_read_options_defaults_sized(struct ky_read_options *options, size_t size);
KY_API void ky_model_parameters_defaults_sized(struct ky_model_parameters *parameters, size_t size);
KY_API void ky_merge_parameters_defaults_sized(struct ky_merge_parameters *parameters, size_t size);
KY_API void ky_profile_parameters_defaults_sized(struct ky_profile_parameters *parameters,
                                                 size_t size);
#define ky_parameters_defaults(parameters)                                                         \
    ky_parameters_defaults_sized((parameters), sizeof(struct ky_parameters))
#define ky_check_parameters_defaults(parameters)                                                   \
    ky_check_parameters_defaults_sized((parameters), sizeof(struct ky_check_parameters))
#define ky_mass_function_parameters_defaults(parameters)                                           \
    ky_mass_function_parameters_defaults_sized((parameters),                                       \
                                               sizeof(struct ky_mass_function_parameters))
#define ky_catalogue_parameters_defaults(parameters)                                               \
    ky_catalogue_parameters_defaults_sized((parameters), sizeof(struct ky_catalogue_parameters))
#define ky_run_parameters_defaults(run)                                                            \
    ky_run_parameters_defaults_sized((run), sizeof(struct ky_run_parameters))
#define ky_write_options_defaults(options)                                                         \
    ky_write_options_defaults_sized((options), sizeof(struct ky_write_options))
#define ky_read_options_defaults(options)                                                          \
    ky_read_options_defaults_sized((options), sizeof(struct ky_read_options))
#define ky_model_parameters_defaults(parameters)                                                   \
    ky_model_parameters_defaults_sized((parameters), sizeof(struct ky_model_parameters))
#define ky_merge_parameters_defaults(parameters)                                                   \
    ky_merge_parameters_defaults_sized((parameters), sizeof(struct ky_merge_parameters))
#define ky_profile_parameters_defaults(parameters)                                                 \
    ky_profile_parameters_defaults_sized((parameters), sizeof(struct ky_profile_parameters))

#ifdef __cplusplus
}
#endif
#endif
