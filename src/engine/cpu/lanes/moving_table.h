/* Moving bodies act on moving sinks: acceleration, jerk, potential, nearest body and lists of
 * neighbours by direct summation. The GRAPE board and the Hermite integrator of the CPU call this
 * through struct ky_lanes, block after block of sinks. */
#ifndef KY_CPU_MOVING_TABLE_H
#define KY_CPU_MOVING_TABLE_H

#include <stddef.h>
#include <stdint.h>

enum { KY_MOVING_BLOCK = 64 /* sinks of one call */, KY_MOVING_SUMS = 7 };

/* Results in addition to acceleration and potential. MENDED: in extended, accelerations of few
 * sources have half the errors, for a tenth to a sixth more time. NEAR: in extended, bodies with s²
 * <= h2 are listed, as with LISTS, and excluded from the sums: the caller adds them. */
enum {
    KY_MOVING_JERK = 1,
    KY_MOVING_NEAREST = 2,
    KY_MOVING_LISTS = 4,
    KY_MOVING_MENDED = 128,
    KY_MOVING_NEAR = 256
};

/* Bodies as sources. Positions and velocities, like the sinks', are relative to one position and
 * one velocity; units make masses at most 1 (physics/jerk.h). Columns are float in precision
 * extended and double in double; columns of labels are int32_t and int64_t. */
struct ky_moving {
    const void *x[3], *v[3], *mass; /* mass already scaled: struct ky_lanes, physics/gravity.h */
    const void *low[3];             /* extended: ky_low_part of the positions; double: not used */
    const void *eps2;               /* of the sources, or NULL: only the sink's ε² is used */
    const void *label;              /* a body does not act on a sink with the same label */
    int what;                       /* KY_MOVING_… */
};

/* Sinks of one call and their results. The sources [first, last) are added to the sums, in double.
 * The bits of a sink do not depend on the other sinks. eps2 is the sink's; s² = r² + ε² (+ ε² of
 * the source). */
struct ky_moving_sinks {
    size_t count; /* 1 … KY_MOVING_BLOCK */
    double x[3][KY_MOVING_BLOCK], v[3][KY_MOVING_BLOCK], eps2[KY_MOVING_BLOCK];
    int32_t label[KY_MOVING_BLOCK];

    /* Acceleration, −potential, jerk. Pairs that coincide at ε = 0 add nothing. */
    double sum[KY_MOVING_SUMS][KY_MOVING_BLOCK];
    /* The nearest body (of several the first) and its r²; UINT32_MAX and infinity if there is none
     * with another label. */
    uint32_t nearest[KY_MOVING_BLOCK];
    double nearest2[KY_MOVING_BLOCK];
    /* Bodies with r² <= h2 and another label: their number, and the first `capacity` of them at
     * list[sink * capacity]. A negative h2 finds none. */
    double h2[KY_MOVING_BLOCK];
    size_t capacity;
    uint32_t found[KY_MOVING_BLOCK], *list;
};

/* Bodies at rest as float columns x y z mass of `stride` elements each: positions relative to the
 * middle and at most KY_JERK_FAR from it, and masses, both scaled. */
struct ky_resting_frame {
    double middle[3], per_length, per_mass;
    float *column;
    size_t stride;
};
typedef void ky_rest_function(const double (*x)[3], const double *mass, size_t n,
                              const struct ky_resting_frame *to);

typedef void ky_moving_function(const struct ky_moving *moving, size_t first, size_t last,
                                struct ky_moving_sinks *sinks);

#endif
