/* Sums over bodies at rest, in float, as tree codes request them from GRAPE-5. */
#ifndef KY_CPU_BOARD_REST_H
#define KY_CPU_BOARD_REST_H

#include "engine/board.h"
#include "engine/cpu/lanes/table.h"

/* The verb `rest`. Threads share the work if there is enough. */
enum ky_status ky_cpu_rest(const struct ky_lanes *lanes, int threads,
                           const struct ky_board_resting *resting, struct ky_error *error);

#endif
