/* Sums with jerks over all sources for any number of sinks, by threads: lanes/moving_table.h does
 * one block. */
#ifndef KY_CPU_MOVING_H
#define KY_CPU_MOVING_H

#include "base/status.h"
#include "engine/cpu/lanes/table.h"

struct ky_moving_task {
    const struct ky_lanes *lanes;
    int precision, threads;
    const struct ky_moving *moving;
    size_t sources, blocks;
    struct ky_moving_sinks *block; /* [blocks] filled by the caller; results are added here */
};

/* Clears the sums and the found bodies of a block. */
void ky_moving_clear(struct ky_moving_sinks *sinks);
/* The results of all blocks. The bits do not depend on the number of threads, nor, for a sink, on
 * the other sinks. If blocks are few the sources are divided too. KY_FAULT where memory is out. */
enum ky_status ky_moving_run(const struct ky_moving_task *task, struct ky_error *error);

#endif
