/* The state of a device engine, in three.
 *
 * A part is a card and the bodies there. The first part has all that is known of the bodies; the
 * others have what they need of it while they share its work (parts.h). Bodies lie in columns of
 * "state" numbers of 8 bytes, in the engine's own units (engine/common/units.h;
 * kernels/state/bodies.k says which), and in the caller's order unless curve.h says otherwise.
 *
 * What is the same for all parts is the engine's: parameters, cards, units, the report.
 *
 * An evaluation of forces is what one call is for. It is nobody's, but passed on. */
#ifndef KY_DEVICE_STATE_H
#define KY_DEVICE_STATE_H

#include "engine/common/columns.h"
#include "engine/common/units.h"
#include "engine/device/driver/staging.h"
#include "engine/engine.h"

/* Of curve.c: bodies along the curve. */
struct ky_device_curve {
    struct ky_buffer room;     /* ky_device_room(n) bytes */
    struct ky_buffer place[2]; /* the next orders */
    struct ky_buffer index;    /* if is_followed: the caller's number of each body */
    int is_followed;           /* the bodies lie in the order of `index`, not in the caller's */
    uint64_t changes;          /* how many times bodies were put or reordered */
    unsigned readers; /* parts whose cards may still be reading the positions, a sum of 1 << number;
                         each has finished at its mark KY_MARK_SENT */
};

/* The arrays of a part: ky_device_arrays. Those of an integrator's columns come last. */
enum {
    KY_ARRAY_POSITION,
    KY_ARRAY_VELOCITY,
    KY_ARRAY_MASS,
    KY_ARRAY_SOFTENING,
    KY_ARRAY_ACCELERATION,
    KY_ARRAY_POTENTIAL,
    KY_ARRAY_PRECISE,
    KY_ARRAY_SECOND,
    KY_ARRAY_COLUMN,
    KY_ARRAYS = KY_ARRAY_COLUMN + KY_COLUMN_COUNT
};

/* A part. */
struct ky_device_bodies {
    struct ky_device_state *state;
    struct ky_card *card;
    size_t number; /* of this part: 0 is the first */
    size_t n;
    /* Which of the arrays below hold the numbers of the bodies: a sum of 1 << KY_ARRAY_…. For parts
     * but the first they are those of the first part if `place` and curve.changes are, too. */
    unsigned has;
    struct ky_buffer position, velocity, mass, softening, acceleration, potential;
    struct ky_buffer precise; /* accelerations as numbers of the state: state->precise */
    struct ky_buffer second;  /* positions at another time, which stay beside those of `position`
                                 when the bodies are reordered */
    struct ky_buffer column[KY_COLUMN_COUNT]; /* of columns.c */
    struct ky_buffer active_list;             /* of an evaluation, once they are listed */
    struct ky_buffer sums;                    /* of motion.c: sums of chunks */
    struct ky_device_curve curve;
    struct {
        struct ky_buffer numbers;
        uint64_t set, put; /* which fields `numbers` has, and in the units of which bodies */
    } external;            /* of external.c */
    struct ky_staging staging;
    uint64_t place; /* how many times positions changed */
};

struct ky_device_hermite;

enum { KY_PENDING = 2 };

/* The engine. */
struct ky_device_state {
    const struct ky_parameters *parameters;
    unsigned schemes; /* that the engine was opened for: a sum of 1 << ky_scheme */
    struct ky_cards cards;
    int threads; /* of loops on the host */
    size_t n;
    struct ky_device_bodies part[KY_MOST_CARDS]; /* one for each card */
    struct ky_engine_frame frame;                /* edge 0: found from the bodies */
    struct ky_engine_units units;
    int unroll;       /* of the exact sum: enum ky_unroll, or one of the sweep (direct_sum.h) */
    int own_eps;      /* bodies have their own softening */
    int how;          /* to soften pairs: KY_GUARD … of physics/softening_kinds.h */
    int precise;      /* the Hermite scheme keeps accelerations as numbers of the state beside those
                         of the kernels, which have fewer digits */
    unsigned columns; /* that an integrator asked for */
    const struct ky_externals *externals; /* of the engine */
    struct ky_device_hermite *hermite;    /* of steps/hermite.h, which alone knows what is in it */
    int has_acceleration;
    double pending[KY_PENDING]; /* dt of kicks that have not been made yet */
    int pendings;
    uint64_t put;                  /* how many times masses and softenings were put */
    struct ky_force_report report; /* but for what the device itself measures of the last pass */
};

/* An evaluation. */
struct ky_evaluation {
    const struct ky_active *active; /* NULL: all bodies */
    int in_block;                   /* only some bodies are at the end of their steps */
    unsigned listed; /* the parts whose cards have the list of the active bodies: a sum of 1 <<
                        number; in a block the card has made it, and `active` has their number alone
                      */
};

/* 1 if the engine was opened for the scheme, else 0. */
static inline int ky_device_leads(const struct ky_device_state *state, enum ky_scheme scheme)
{
    return state->schemes >> scheme & 1U;
}

/* Factors from the units on the cards to the caller's. */
static inline struct ky_engine_scale ky_device_scale(const struct ky_device_state *state)
{
    return ky_engine_scale(&state->units, state->parameters->g);
}

#endif
