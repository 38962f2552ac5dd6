/* The host's side of pairs on a device without double (kernels/steps/few_single.k): each pair is
 * converted to units of its own and to sums of two floats, and back. */
#ifndef KY_DEVICE_FEW_SINGLE_H
#define KY_DEVICE_FEW_SINGLE_H

#include "engine/device/driver/card.h"
#include "engine/few.h"
#include "physics/few_single.h"

/* The time of a pair on the host when it was put, and its units. */
struct ky_few_origin {
    double t, low;
    struct ky_few_units units;
};

/* All 0 before the first put. */
struct ky_few_singles {
    struct ky_buffer column, goal; /* goal: the time and the distance of the present course */
    int has_goal;
    double until, apart;
    struct ky_few_origin *origin; /* [count] */
    size_t count;
};

/* Converts the columns of `count` pairs (physics/few_device.h) and copies them to the device. */
enum ky_status ky_few_singles_put(struct ky_card *card, struct ky_few_singles *singles,
                                  const double *column, size_t count, struct ky_error *error);
/* Gives the steps, times, places and velocities of all pairs. */
enum ky_status ky_few_singles_get(struct ky_card *card, const struct ky_few_singles *singles,
                                  double *column, struct ky_error *error);
/* Tells the device the goal of a course, if it is a new one. */
enum ky_status ky_few_singles_aim(struct ky_card *card, struct ky_few_singles *singles,
                                  const struct ky_few_course *course, struct ky_error *error);
void ky_few_singles_release(struct ky_card *card, struct ky_few_singles *singles);

#endif
