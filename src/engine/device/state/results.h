/* Accelerations and potentials of sinks (separate from the bodies' own) on a card, as columns of
 * state numbers. */
#ifndef KY_DEVICE_RESULTS_H
#define KY_DEVICE_RESULTS_H

#include "engine/device/state/bodies.h"

/* Cleared at first. */
struct ky_device_results {
    struct ky_buffer acceleration, potential;
};

/* Allocates memory for `count` sinks. */
enum ky_status ky_results_need(struct ky_device_results *results, struct ky_card *card,
                               size_t count, struct ky_error *error);
/* Copies them from the card, in the caller's units; either array may be NULL. */
enum ky_status ky_results_read(const struct ky_device_results *results,
                               const struct ky_device_bodies *bodies, size_t count,
                               double (*acceleration)[3], double *potential,
                               struct ky_error *error);
void ky_results_release(struct ky_device_results *results, struct ky_card *card);

#endif
