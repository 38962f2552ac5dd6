/* The state of a device engine, in two structs.
 *
 * The bodies are on one card. They lie in columns of "state" numbers of 8 bytes, in the engine's
 * own units (engine/common/units.h; kernels/state/bodies.k says which), and in the caller's order
 * unless curve.h says otherwise. The second struct has parameters, units and the report.
 *
 * An evaluation of forces belongs to one call. It is an argument, not a member of these structs. */
#ifndef KY_DEVICE_STATE_H
#define KY_DEVICE_STATE_H

#include "engine/common/integrator_columns.h"
#include "engine/common/units.h"
#include "engine/device/driver/staging.h"
#include "engine/engine.h"
#include "physics/space.h"

/* State of curve.c: the order of the bodies along the curve. */
struct ky_device_curve {
    struct ky_buffer room;     /* ky_device_room(n) bytes */
    struct ky_buffer place[2]; /* the next orders of the bodies */
    struct ky_buffer index;    /* if is_followed: the caller's index of each body */
    int is_followed;           /* 1: the bodies lie in the order of `index`, not in the caller's */
    uint64_t changes;          /* number of times bodies were put or reordered */
    /* For ranks: if `moves` and `changes` are current, the room begins with the keys of the bodies
     * in their current order, and place[0] is the order of the keys. `moves` 0: not valid. */
    struct {
        uint64_t moves, changes;
    } keyed;
};

/* The arrays of the bodies: ky_device_arrays. The integrator's columns come last. */
enum {
    KY_ARRAY_POSITION,
    KY_ARRAY_VELOCITY,
    KY_ARRAY_MASS,
    KY_ARRAY_SOFTENING,
    KY_ARRAY_ACCELERATION,
    KY_ARRAY_POTENTIAL,
    KY_ARRAY_SECOND,
    KY_ARRAY_COLUMN,
    KY_ARRAYS = KY_ARRAY_COLUMN + KY_COLUMN_COUNT
};

/* The bodies and their card. */
struct ky_device_bodies {
    struct ky_device_state *state;
    struct ky_card *card;
    size_t n;    /* capacity for bodies */
    size_t live; /* number of bodies, at the first places. n, except on ranks (ranks/ranks.h) */
    /* The arrays below that are valid: a sum of 1 << KY_ARRAY_…. */
    unsigned has;
    struct ky_buffer position, velocity, mass, softening, acceleration, potential;
    struct ky_buffer second; /* positions at another time; reordered together with `position` */
    struct ky_buffer column[KY_COLUMN_COUNT]; /* of integrator_columns.c */
    struct ky_buffer active_list;             /* of an evaluation, once they are listed */
    struct ky_buffer sums, scales;            /* of body_sums.c: sums of chunks */
    struct ky_device_curve curve;
    struct {
        struct ky_buffer numbers, potential;
        uint64_t set, put; /* which fields are in `numbers`, and for which bodies' units */
        double time;       /* and at which time */
        int all;           /* 1: with their whole paths */
    } external;            /* of external.c */
    struct {
        struct ky_buffer position, mass, softening; /* the host's numbers as they are */
        struct ky_buffer index, rows, findings, wrong;
        size_t sampled; /* number of bodies of whose sample the index is */
    } outer;            /* of outer.c */
    struct ky_staging staging;
    uint64_t moves; /* number of times positions changed */
};

struct ky_device_far;
struct ky_device_hermite;
struct ky_device_ranks;

enum { KY_PENDING = 2 };

/* The bodies with mass and without: massless.h. `body` NULL: all have mass. */
struct ky_device_massless {
    unsigned char *has_mass; /* [n] marks */
    uint32_t *body;          /* [n] sources, ascending, then the other bodies */
    uint32_t *label;         /* [n] index of each body in `body` */
    size_t sources;
    int is_sent;                   /* 1: both lists have been copied to the buffers */
    struct ky_buffer list, labels; /* on the card: `body` and `label` */
};

/* The state of the engine. */
struct ky_device_state {
    const struct ky_parameters *parameters;
    unsigned schemes; /* bits 1 << ky_scheme for which the engine was opened */
    struct ky_opened opened;
    int threads; /* for loops on the host */
    size_t n;
    struct ky_device_bodies bodies;
    struct ky_engine_frame frame; /* edge 0: computed from the bodies */
    struct ky_engine_units units;
    double box;       /* side of the periodic box in units of length; 0: open space */
    int own_eps;      /* 1: bodies have their own softenings */
    int how;          /* the softening of pairs: KY_GUARD … of physics/softening_kinds.h */
    unsigned columns; /* set of the columns that an integrator has requested */
    struct ky_externals *externals;        /* of the engine */
    struct ky_device_hermite *hermite;     /* private to steps/hermite.h */
    struct ky_device_ranks *ranks;         /* private to ranks/ranks.h */
    struct ky_device_far *far;             /* private to forces/far.h */
    const struct ky_shared *const *shared; /* of the engine */
    int has_acceleration;
    int has_fields; /* 1: accelerations include external fields */
    int has_pull;   /* 1: the column of pulls, if it is kept, belongs to the last evaluation */
    double pending[KY_PENDING]; /* dt of pending kicks */
    int pendings;
    struct ky_device_massless massless;
    struct ky_point_sets *points;  /* private to forces/points.c; NULL: none */
    uint64_t put;                  /* number of times masses and softenings were put */
    struct ky_force_report report; /* without the device's own times of the last pass */
};

/* One evaluation of forces. */
struct ky_evaluation {
    const struct ky_active *active; /* NULL: all bodies */
    int in_block;                   /* 1: only some bodies are at the end of their steps */
    size_t together; /* in a block, and for points: number of active bodies on all ranks, which
                        determines how the bodies of a cut are divided into groups */
    /* If not 0, the active bodies are the points (forces/points.c) from this number on, and the
     * list has only its length. Forces on the bodies are not computed. */
    size_t first_point;
    int stays; /* 1: an evaluation at the same positions follows, for which tree and groups are kept
                */
    int again; /* 1: this is that evaluation, perhaps with another opening test */
    int is_listed; /* 1: the card has the list of the active bodies. In a block it has made the
                      list, and `active` has only its length */
};

/* The ranks among which the bodies of the system are divided; NULL: there are none. */
static inline const struct ky_shared *ky_device_shared(const struct ky_device_state *state)
{
    return state->shared && *state->shared && (*state->shared)->tree ? *state->shared : NULL;
}

/* The ranks that also have all bodies of the system; NULL: there are none. */
static inline const struct ky_shared *ky_device_copies(const struct ky_device_state *state)
{
    return state->shared && *state->shared && !(*state->shared)->tree ? *state->shared : NULL;
}

/* The ranks of either kind; NULL: there are none. */
static inline const struct ky_shared *ky_device_any_ranks(const struct ky_device_state *state)
{
    return state->shared ? *state->shared : NULL;
}

/* 1 if groups contain only the active bodies, else 0. */
static inline int ky_evaluation_is_listed(const struct ky_evaluation *evaluation)
{
    return (evaluation->in_block || evaluation->first_point) && evaluation->active;
}

/* 1 if the engine was opened for the scheme, else 0. */
static inline int ky_device_leads(const struct ky_device_state *state, enum ky_scheme scheme)
{
    return state->schemes >> scheme & 1U;
}

/* 1 if an opening test by α reads the column of pulls, 0 if it reads accelerations. */
static inline int ky_device_reads_pull(const struct ky_device_state *state)
{
    return (int)(state->columns >> KY_COLUMN_PULL & 1U) && state->has_fields;
}

/* 1 if bodies lack the values that an opening test by α reads. */
static inline int ky_device_lacks_pull(const struct ky_device_state *state)
{
    return !state->has_acceleration || (ky_device_reads_pull(state) && !state->has_pull);
}

/* The number of images of the sources whose forces are summed one by one. */
static inline size_t ky_device_images(const struct ky_device_state *state)
{
    return state->box > 0 ? KY_IMAGES : 1;
}

/* Factors from the units on the card to the caller's. */
static inline struct ky_engine_scale ky_device_scale(const struct ky_device_state *state)
{
    return ky_engine_scale(&state->units, state->parameters->g);
}

#endif
