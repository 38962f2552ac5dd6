/* Reports of kernels whose memory was too small (kernels/driver/fault.h), read when the host waits
 * for the card anyway. */
#ifndef KY_DEVICE_FAULT_H
#define KY_DEVICE_FAULT_H

#include "engine/device/driver/card.h"

/* Cleared at first. */
struct ky_faults {
    struct ky_buffer words; /* written by kernels: for each capacity the largest required size */
};

/* Allocates the words, and clears earlier reports. */
enum ky_status ky_faults_clear(struct ky_faults *faults, struct ky_card *card,
                               struct ky_error *error);
/* Waits for the card. wanted[k]: the largest size reported for a capacity since the last call; 0
 * for none. */
enum ky_status ky_faults_read(struct ky_faults *faults, struct ky_card *card,
                              uint32_t wanted[KY_CAPACITY_COUNT], struct ky_error *error);
/* The same; KY_DEVICE, naming the capacity and the required size, if there was a report. `but`: a
 * capacity for which a report is not an error: *wanted becomes the size, and the caller allocates
 * more memory and tries again; KY_CAPACITY_COUNT: every report is an error. */
enum ky_status ky_faults_check(struct ky_faults *faults, struct ky_card *card, enum ky_capacity but,
                               uint32_t *wanted, struct ky_error *error);
void ky_faults_release(struct ky_faults *faults, struct ky_card *card);

#endif
