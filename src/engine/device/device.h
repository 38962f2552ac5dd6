/* The device engine: one orchestration over driver.h for every kind of device.
 *
 * The bodies lie on the first card in columns of "state" numbers of 8 bytes: doubles, or two floats
 * where the device has no double. They are in the caller's order and in the engine's own units
 * (engine/units.h); kernels/bodies.k says which. Further cards get the sources and compute the
 * forces of a part of the sinks. Kicks are kept back until the next drift, so that a step of the
 * leap-frog costs four launches. */
#ifndef KY_DEVICE_DEVICE_H
#define KY_DEVICE_DEVICE_H

#include "engine/device/driver.h"
#include "engine/engine.h"
#include "engine/units.h"
#include "octree/octree.h"

enum { KY_MOST_CARDS = 16, KY_STATE_BYTES = 8, KY_PENDING = 2 };

/* What the exact sum needs on a card. */
struct ky_direct_buffers {
    struct ky_buffer source, low, eps2, partial, list;
};

/* What the walks need on the first card: see kernels/walk.k. */
struct ky_tree_buffers {
    struct ky_buffer source, low, eps2, order, sink, factor;
    struct ky_buffer centre, centre_low, link, moment, box;
    struct ky_buffer counts, pairs;       /* of each group, of all: with bodies, with cells */
    struct ky_buffer work, bodies, cells; /* of lists */
    struct ky_buffer radius, offset, list, space, results; /* of general walks */
};

/* The tree on the host, and what it is built from: the bodies' masses and softenings come with the
 * first tree after they were put, positions with every one. */
struct ky_host_tree {
    int started; /* there are columns, with masses and softenings in them */
    int stands;  /* the device has the tree of the present positions, with boxes */
    struct ky_octree tree;
    double *x[3], *mass, *softening;
    double origin[3]; /* of positions on the device: in the midst of the system */
    float *factor;    /* of the relative opening test, by place along the curve */
    void *staging;
    size_t staging_bytes;
    size_t counts; /* of groups that counted pairs in the last walk */
};

struct ky_card {
    struct ky_gpu *gpu;
    struct ky_buffer position, velocity, mass, softening; /* first card only */
    struct ky_buffer acceleration, potential, sums;
    struct ky_direct_buffers direct;
};

struct ky_device_engine {
    struct ky_engine base;
    const struct ky_parameters *parameters;
    const struct ky_driver *driver;
    struct ky_card card[KY_MOST_CARDS];
    size_t cards;
    int threads; /* of loops on the host */
    struct ky_tree_buffers walk;
    struct ky_host_tree host;
    size_t n;
    struct ky_engine_units units;
    int own_eps;       /* bodies have their own softening */
    double least_eps2; /* the smallest ε² of a pair, in the engine's units */
    int has_acceleration;
    double pending[KY_PENDING]; /* kicks that have not been made: dt */
    int pendings;
    uint64_t evaluations;          /* since the bodies were put */
    int measured;                  /* the last one has marks of time */
    int reported;                  /* somebody asked for its report, and will for the next one's */
    struct ky_force_report report; /* but for what the device itself measures of the last pass */
};

/* A number of the state as its 8 bytes. */
union ky_state_value {
    double whole;
    float part[2];
};
union ky_state_value ky_to_state(const struct ky_device_engine *engine, double x);
double ky_from_state(const struct ky_device_engine *engine, union ky_state_value value);

/* Accelerations and potentials on the device are `strength` times the field for G = 1 in the
 * engine's units; these powers of two bring them to the caller's, so that what goes out comes back
 * to the last bit. strength is G without its power of two, 0 or from 1/2 to 1. */
struct ky_device_scale {
    double acceleration, potential, strength;
};
struct ky_device_scale ky_device_scale(const struct ky_device_engine *engine);

/* ky_uniform_eps2 as the kernels of the engine's precision take it. */
struct ky_eps2_argument {
    double whole;
    float part;
};
struct ky_eps2_argument ky_eps2_argument(const struct ky_device_engine *engine);
#define KY_EPS2(eps2, precision)                                                                   \
    ((precision) == KY_DOUBLE ? KY_VALUE((eps2).whole) : KY_VALUE((eps2).part))

/* Groups of `lanes` that cover n. */
size_t ky_groups(size_t n, size_t lanes);
/* Loads the kernel if that has not been done; nothing for no groups. */
enum ky_status ky_launch(struct ky_card *card, enum ky_kernel_id kernel, size_t groups,
                         const struct ky_argument *arguments, size_t count, struct ky_error *error);

/* A mark in the first card's queue, 0 before and 1 after what `walk` of the report is to count.
 * Marks cost as much as a small kernel: of long series of evaluations whose reports nobody wants
 * only some are measured. */
enum ky_status ky_mark(struct ky_device_engine *engine, int mark, struct ky_error *error);

/* names.c: the cards that a name ("cuda:0,1", "opencl", "auto") speaks of. */
enum ky_status ky_device_cards(struct ky_device_engine *engine, const char *name,
                               struct ky_error *error);

/* bodies.c */
enum ky_status ky_device_put(struct ky_engine *base, const struct ky_bodies *bodies,
                             struct ky_error *error);
enum ky_status ky_device_fetch(struct ky_engine *base, struct ky_bodies *bodies,
                               struct ky_error *error);
enum ky_status ky_device_kick(struct ky_engine *base, double dt, struct ky_error *error);
enum ky_status ky_device_drift(struct ky_engine *base, double dt, struct ky_error *error);
/* Makes the kicks that were kept back. */
enum ky_status ky_device_settle(struct ky_device_engine *engine, struct ky_error *error);
enum ky_status ky_device_sums(struct ky_engine *base, struct ky_sums *sums, struct ky_error *error);

/* `count` columns of the first card to the host, in the engine's units. */
enum ky_status ky_device_columns(struct ky_device_engine *engine, struct ky_buffer *buffer,
                                 size_t count, double *const column[], struct ky_error *error);
/* The same kernel for another precision than single. */
enum ky_kernel_id ky_in_precision(enum ky_kernel_id single, int precision);
size_t ky_real4_bytes(int precision);

/* walk.c */
enum ky_status ky_device_walk(struct ky_device_engine *engine, struct ky_error *error);
/* Evaluates the forces; for the relative opening test without last accelerations twice, with
 * `offset` first. */
typedef enum ky_status ky_evaluate_function(struct ky_device_engine *engine,
                                            const struct ky_parameters *parameters,
                                            struct ky_error *error);
enum ky_status ky_device_relative(struct ky_device_engine *engine, ky_evaluate_function *evaluate,
                                  struct ky_error *error);
/* host.factor from the last accelerations. */
enum ky_status ky_device_factors(struct ky_device_engine *engine, struct ky_error *error);
uint32_t ky_device_walk_flags(const struct ky_device_engine *engine,
                              const struct ky_parameters *parameters);
void ky_device_walk_release(struct ky_device_engine *engine);
/* Adds the pairs of the last walk, read from the device. */
enum ky_status ky_device_walk_report(struct ky_device_engine *engine,
                                     struct ky_force_report *report, struct ky_error *error);
double ky_device_walk_memory(const struct ky_parameters *parameters, size_t n);

/* general.c */
enum ky_status ky_device_walk_action(struct ky_engine *base, const struct ky_walk_request *request,
                                     struct ky_error *error);

/* lists.c */
void ky_device_lists_memory(const struct ky_parameters *parameters, size_t n,
                            struct ky_memory *memory);
enum ky_status ky_device_lists(struct ky_device_engine *engine, struct ky_error *error);

/* tree.c: the host's part. Builds the tree over the present positions and adds its seconds to the
 * report. */
enum ky_status ky_device_tree_build(struct ky_device_engine *engine,
                                    const struct ky_parameters *parameters, struct ky_error *error);
/* Bodies and cells of the tree to the first card, `boxes` also where no opening test wants them. */
enum ky_status ky_device_tree_send(struct ky_device_engine *engine,
                                   const struct ky_parameters *parameters, int boxes,
                                   struct ky_error *error);
/* Forgets tree and columns. */
void ky_device_tree_release(struct ky_device_engine *engine);

/* direct.c */
/* KY_UNSUPPORTED for an unrolling that the precision has not or, once `bodies` are there, their
 * softenings. */
enum ky_status ky_device_direct_check(const struct ky_device_engine *engine, int bodies,
                                      struct ky_error *error);
enum ky_status ky_device_direct(struct ky_device_engine *engine, struct ky_error *error);
enum ky_status ky_device_exact(struct ky_engine *base, const size_t *sinks, size_t count,
                               double (*acceleration)[3], double *potential,
                               struct ky_error *error);
void ky_device_direct_release(struct ky_card *card);
/* ε² of a pair if bodies have none of their own: of the sink, or of both. */
double ky_uniform_eps2(const struct ky_device_engine *engine);
double ky_device_direct_memory(const struct ky_parameters *parameters, size_t n);

#endif
