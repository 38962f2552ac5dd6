/* The bodies on the first card: in and out, and the powers of two between the caller's numbers and
 * the engine's.
 *
 * They lie in columns of "state" numbers of 8 bytes, in the engine's own units
 * (engine/common/units.h; kernels/state/bodies.k says which), and in the caller's order unless
 * curve.h says otherwise. The struct also has what several layers of the device engine need:
 * parameters, cards, and the report of the evaluation. */
#ifndef KY_DEVICE_BODIES_H
#define KY_DEVICE_BODIES_H

#include "engine/common/columns.h"
#include "engine/common/units.h"
#include "engine/device/driver/staging.h"
#include "engine/engine.h"

enum { KY_PENDING = 2 };

/* Of curve.c: bodies along the curve. */
struct ky_device_curve {
    struct ky_buffer room;     /* ky_device_room(n) bytes */
    struct ky_buffer place[2]; /* the next orders */
    struct ky_buffer index;    /* if is_followed: the caller's number of each body */
    int is_followed;           /* the bodies lie in the order of `index`, not in the caller's */
    uint64_t changes;          /* how many times bodies were put or reordered */
    /* Cards that may still be reading the positions; each has finished at its mark KY_MARK_SENT. */
    struct ky_card *reader[KY_MOST_CARDS];
    size_t readers;
};

/* One evaluation of forces: what it is for. */
struct ky_evaluation {
    const struct ky_active *active; /* NULL: all bodies */
    int in_block;                   /* only some bodies are at the end of their steps */
    unsigned listed; /* a bit for each card that has the list of the active bodies; in a block the
                        card has made it, and `active` has their number alone */
};

struct ky_device_hermite;

struct ky_device_bodies {
    const struct ky_parameters *parameters;
    unsigned schemes; /* that the engine was opened for: a sum of 1 << ky_scheme */
    struct ky_cards cards;
    size_t part; /* which of the engine's cards it is */
    int threads; /* of loops on the host */
    size_t n;
    struct ky_buffer position, velocity, mass, softening, acceleration, potential;
    struct ky_buffer second;  /* positions at another time, which stay beside those of `position`
                                 when the bodies are reordered; or none */
    struct ky_buffer precise; /* accelerations as numbers of the state, where the Hermite scheme has
                                 them and numbers of the kernels have fewer digits; else none */
    struct ky_buffer sums;    /* of motion.c: sums of chunks */
    struct {
        unsigned set;
        struct ky_buffer of[KY_COLUMN_COUNT];
    } columns; /* of columns.c: what an integrator asked for */
    struct ky_device_curve curve;
    struct ky_device_hermite *hermite; /* of steps/hermite.h, which alone knows what is in it */
    struct ky_staging staging;         /* of the first card */
    struct ky_engine_frame frame;      /* edge 0: found from the bodies */
    struct ky_engine_units units;
    int unroll;  /* of the exact sum: enum ky_unroll, or one of the sweep (direct_sum.h) */
    int own_eps; /* bodies have their own softening */
    int how;     /* to soften pairs: KY_GUARD … of physics/softening_kinds.h */
    const struct ky_externals *externals; /* of the engine */
    struct {
        struct ky_buffer numbers;
        uint64_t set, put; /* which fields `numbers` has, and in the units of which bodies */
    } external;            /* of external.c */
    int has_acceleration;
    struct ky_buffer active_list; /* of an evaluation, once they are listed */
    double pending[KY_PENDING];   /* dt of kicks that have not been made yet */
    int pendings;
    uint64_t put;                  /* how many times masses and softenings were put */
    uint64_t place;                /* how many times positions changed */
    struct ky_force_report report; /* but for what the device itself measures of the last pass */
};

/* Makes buffers for n bodies in place of the present ones. */
enum ky_status ky_device_bodies_resize(struct ky_device_bodies *bodies, size_t n,
                                       struct ky_error *error);
void ky_device_bodies_release(struct ky_device_bodies *bodies);
/* 1 if the engine was opened for the scheme, else 0. */
static inline int ky_device_leads(const struct ky_device_bodies *bodies, enum ky_scheme scheme)
{
    return bodies->schemes >> scheme & 1U;
}

/* Room for bodies->precise, where the scheme needs it. */
enum ky_status ky_device_bodies_need_precise(struct ky_device_bodies *bodies,
                                             struct ky_error *error);
/* Bytes of the positions, and of the velocities: three numbers a body, and some more for the
 * alignment of parts, since curve.room changes places with these buffers and is divided into parts.
 */
size_t ky_device_room(size_t n);
/* Bytes on the first card; bodies have softenings of their own if the parameters have none. */
double ky_device_bodies_memory(const struct ky_parameters *parameters, size_t n);

/* Finds units and softenings for the bodies that the next call puts. */
enum ky_status ky_device_bodies_expect(struct ky_device_bodies *bodies,
                                       const struct ky_bodies *given, struct ky_error *error);
/* Copies the bodies that were expected to the card. */
enum ky_status ky_device_bodies_put(struct ky_device_bodies *bodies, const struct ky_bodies *given,
                                    struct ky_error *error);
/* Copies new numbers of some bodies, at least one, to the card. The bodies must lie in the caller's
 * order, and pending kicks have to be made before. */
enum ky_status ky_device_bodies_put_some(struct ky_device_bodies *bodies,
                                         const struct ky_some *some, struct ky_error *error);
/* Copies the bodies to the caller's arrays. Pending kicks have to be made before. */
enum ky_status ky_device_bodies_get(struct ky_device_bodies *bodies, struct ky_bodies *wanted,
                                    struct ky_error *error);
/* Copies `count` columns of a buffer of the first card to the host, in the engine's units. */
enum ky_status ky_device_bodies_columns(struct ky_device_bodies *bodies, struct ky_buffer *buffer,
                                        size_t count, double *const column[],
                                        struct ky_error *error);

/* Copies the list of active bodies, which must exist, to active_list, once per evaluation. */
enum ky_status ky_device_active_list(struct ky_device_bodies *bodies,
                                     struct ky_evaluation *evaluation, struct ky_error *error);

/* ε² of a pair of bodies that all have the same ε, by the kind of softening; as double and as
 * float, since kernels take either. Bodies with softenings of their own do not need it. */
struct ky_eps2_argument {
    double whole;
    float part;
};
struct ky_eps2_argument ky_eps2_argument(const struct ky_device_bodies *bodies);
/* ε² of a point; of a pair of point and body if all bodies have the same ε and the kind of
 * softening adds it. */
struct ky_eps2_argument ky_eps2_of_points(const struct ky_device_bodies *bodies,
                                          const struct ky_points *points);
#define KY_EPS2(eps2, precision)                                                                   \
    ((precision) == KY_DOUBLE ? KY_VALUE((eps2).whole) : KY_VALUE((eps2).part))

#endif
