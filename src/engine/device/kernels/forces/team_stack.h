/* The stack of cells that a team has yet to test. */
#ifndef KY_KERNELS_TEAM_STACK_H
#define KY_KERNELS_TEAM_STACK_H

#include "engine/device/kernels/driver/dialect.h"
#include "engine/device/kernels/driver/shared.h"

/* The number of tested cells that can leave the stack, lane 0's first, so that their children fit.
 * `take`: lanes that test; `sum`: children of the lanes up to this one. If the stack is full it is
 * one cell at a time, down to the last level, for which memory is reserved. */
KY_FN ky_uint ky_team_done(ky_team team, ky_uint waiting, ky_uint take, ky_uint sum)
{
    const ky_uint room = KY_STACK - 7 * (KY_KEY_LEVELS + 2);
    ky_mask bits =
        ky_team_bits(team, KY_TEAM_LANE < take && waiting + sum <= room + KY_TEAM_LANE + 1);
    return bits ? (ky_uint)(64 - KY_LEADING_ZEROS((ky_ulong)bits)) : take > 0 ? 1 : 0;
}

#endif
