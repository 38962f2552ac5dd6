/* Bodies of the board's slots, and their prediction to a time as columns of sources. The CPU's
 * board calls this through struct ky_lanes, for some blocks of slots at a time. */
#ifndef KY_CPU_PREDICT_TABLE_H
#define KY_CPU_PREDICT_TABLE_H

#include <stddef.h>
#include <stdint.h>

enum { KY_SLOTS = 16 }; /* of a block */

/* Slots side by side, in the order of the lanes' loads: struct ky_board_body. */
struct ky_slots {
    int32_t label[KY_SLOTS], set[KY_SLOTS];
    double time[KY_SLOTS], mass[KY_SLOTS];
    double x[3][KY_SLOTS], v[3][KY_SLOTS], a2[3][KY_SLOTS], j6[3][KY_SLOTS], s18[3][KY_SLOTS];
    int32_t snaps; /* 1: some body has had a snap that is not 0; else s18 is not read */
};

/* Columns of a source, for struct ky_moving: x y z, low parts, vx vy vz, mass, label. In precision
 * double the low parts are not written. */
enum { KY_PREDICTED_LOW = 3, KY_PREDICTED_SPEED = 6, KY_PREDICTED_MASS = 9, KY_PREDICTED_LABEL };
enum { KY_PREDICTED_COLUMNS = KY_PREDICTED_LABEL + 1 };

struct ky_prediction {
    double time, origin[3], velocity[3]; /* the origin of positions and velocities */
    double per_mass;                     /* masses are multiplied by this */
    void *column;                        /* of `stride` elements each: float or double */
    size_t stride;
};

/* Predicts slots [KY_SLOTS first, KY_SLOTS last) into the same elements of the columns. A body
 * farther from the origin, or faster, than KY_JERK_FAR is stored at that limit: it exerts nothing.
 */
typedef void ky_predict_function(const struct ky_slots *slots, size_t first, size_t last,
                                 const struct ky_prediction *to);

#endif
