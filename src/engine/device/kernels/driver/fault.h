/* How a kernel reports that its memory was too small: the largest size that any lane wanted, a
 * number for each of KY_CAPACITIES. The host reads them (device/driver/fault.h). */
#ifndef KY_KERNELS_FAULT_H
#define KY_KERNELS_FAULT_H

#include "engine/device/kernels/driver/dialect.h"

/* A kernel that reports a fault leaves out the excess. `wanted` is above 0. */
KY_FN void ky_fault(KY_GLOBAL ky_uint *faults, enum ky_capacity capacity, ky_uint wanted)
{
    KY_ATOMIC_MAX(faults + capacity, wanted);
}

#endif
