/* Predictions. The board's slots are predicted to a time as columns of sources: the CPU's board
 * calls this through struct ky_lanes, for some blocks of slots at a time. The bodies of the Hermite
 * scheme are predicted to the tick of a block. */
#ifndef KY_CPU_PREDICT_TABLE_H
#define KY_CPU_PREDICT_TABLE_H

#include <stddef.h>
#include <stdint.h>

enum { KY_SLOTS = 16 }; /* slots of a block */

/* Slots interleaved in the order of the lanes' loads: struct ky_board_body. */
struct ky_slots {
    int32_t label[KY_SLOTS], set[KY_SLOTS];
    double time[KY_SLOTS], mass[KY_SLOTS];
    double x[3][KY_SLOTS], v[3][KY_SLOTS], a2[3][KY_SLOTS], j6[3][KY_SLOTS], s18[3][KY_SLOTS];
    int32_t snaps; /* 1: some body has had a non-zero snap; otherwise s18 is not used */
};

/* Columns of a source, for struct ky_moving: x y z, low parts, vx vy vz, mass, label. In precision
 * double the low parts are not written. */
enum { KY_PREDICTED_LOW = 3, KY_PREDICTED_SPEED = 6, KY_PREDICTED_MASS = 9, KY_PREDICTED_LABEL };
enum { KY_PREDICTED_COLUMNS = KY_PREDICTED_LABEL + 1 };

struct ky_prediction {
    double time, origin[3], velocity[3]; /* the origin of positions and velocities */
    double per_mass;                     /* factor of the masses */
    void *column;                        /* of `stride` elements each: float or double */
    size_t stride;
};

/* Predicts slots [KY_SLOTS first, KY_SLOTS last) to the same elements of the columns. A body beyond
 * KY_JERK_FAR from the origin, or faster, is stored at that limit, where it exerts no force. */
typedef void ky_predict_function(const struct ky_slots *slots, size_t first, size_t last,
                                 const struct ky_prediction *to);

/* Bodies at the ends of their steps: x in the engine's unit of length, all else in the caller's
 * units. `part`: the caller's unit of length in the engine's unit. */
struct ky_tracks {
    const double *x[3], *v[3], *a[3], *j[3];
    const unsigned char *level;
    const double *time; /* by level: since the end of the last step */
    double part;
    double *at[6]; /* the result: x and v in the engine's lengths */
};

/* Predicts the bodies [first, last). */
typedef void ky_tracks_function(const struct ky_tracks *tracks, size_t first, size_t last);

#endif
