/* The host's part of pairs on a device without double (kernels/steps/few_single.k): it converts
 * each pair to units of its own and to sums of two floats, and back. */
#ifndef KY_DEVICE_FEW_SINGLE_H
#define KY_DEVICE_FEW_SINGLE_H

#include "engine/device/driver/card.h"
#include "engine/few.h"
#include "physics/few_single.h"

/* The units of a pair, and its time when it was copied to the device. */
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
/* Reads the steps, times, places and velocities of all pairs into the host's columns. */
enum ky_status ky_few_singles_get(struct ky_card *card, const struct ky_few_singles *singles,
                                  double *column, struct ky_error *error);
/* Copies the goals of a course to the device, unless they are there already. */
enum ky_status ky_few_singles_aim(struct ky_card *card, struct ky_few_singles *singles,
                                  const struct ky_few_course *course, struct ky_error *error);
void ky_few_singles_release(struct ky_card *card, struct ky_few_singles *singles);

#endif
