/* Reports of kernels whose memory was too small: for each of KY_CAPACITIES the largest size that
 * any lane needed. The host reads them (device/driver/fault.h). */
#ifndef KY_KERNELS_FAULT_H
#define KY_KERNELS_FAULT_H

#include "engine/device/kernels/driver/dialect.h"

/* Reports the positive size `wanted`. The kernel then drops the excess. */
KY_FN void ky_fault(KY_GLOBAL ky_uint *faults, enum ky_capacity capacity, ky_uint wanted)
{
    KY_ATOMIC_MAX(faults + capacity, wanted);
}

#endif
