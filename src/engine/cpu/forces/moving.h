/* Sums with jerks over all sources for any number of sinks, by threads: lanes/moving_table.h for
 * more than one block. */
#ifndef KY_CPU_MOVING_H
#define KY_CPU_MOVING_H

#include "base/status.h"
#include "engine/cpu/lanes/table.h"

struct ky_moving_task {
    const struct ky_lanes *lanes;
    int precision, threads;
    const struct ky_moving *moving;
    size_t sources, blocks;
    struct ky_moving_sinks *block; /* [blocks] filled by the caller; here are the results */
};

/* No sums, and nothing found, for the sinks of a block. */
void ky_moving_clear(struct ky_moving_sinks *sinks);
/* The results of all blocks, with the same bits for any number of threads, and for each sink
 * whichever others there are. Where blocks are few the sources are divided too. KY_FAULT where
 * memory is out. */
enum ky_status ky_moving_run(const struct ky_moving_task *task, struct ky_error *error);

#endif
