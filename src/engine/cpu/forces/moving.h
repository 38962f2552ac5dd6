/* Sums with jerks over all sources for any number of sinks, with threads; lanes/moving_table.h
 * computes one block. */
#ifndef KY_CPU_MOVING_H
#define KY_CPU_MOVING_H

#include "base/status.h"
#include "engine/cpu/lanes/table.h"

struct ky_moving_task {
    const struct ky_lanes *lanes;
    int precision, threads;
    const struct ky_moving *moving;
    size_t sources, blocks;
    struct ky_moving_sinks *block; /* [blocks] filled by the caller; results are added */
};

/* The number of sinks in a block for which all threads have work: even, and at most
 * KY_MOVING_BLOCK. */
size_t ky_moving_each(size_t sources, size_t sinks, int threads);
/* Clears the sums and the lists of a block. */
void ky_moving_clear(struct ky_moving_sinks *sinks);
/* Computes the results of all blocks. The bits do not depend on the number of threads, nor, for a
 * sink, on the other sinks. If there are few blocks the sources are divided too. KY_FAULT if memory
 * runs out. */
enum ky_status ky_moving_run(const struct ky_moving_task *task, struct ky_error *error);

#endif
