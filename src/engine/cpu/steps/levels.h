/* Block steps on the CPU, and code shared with the Hermite scheme: levels of steps, and the list of
 * the bodies of a block. */
#ifndef KY_CPU_LEVELS_H
#define KY_CPU_LEVELS_H

#include "engine/cpu/state/cpu.h"
#include "physics/block.h"

/* The state between calls of `advance`, for the n bodies in the caller's order: the levels of their
 * steps, and the list of the bodies whose steps end. Initially all 0. */
struct ky_cpu_blocks {
    unsigned char *level;
    uint32_t *active;
    size_t *count;       /* number of active bodies in each chunk; later in all chunks before it */
    double longest;      /* the longest step when `level` was last computed; 0: not computed yet */
    int deepest;         /* the deepest level at that time */
    uint64_t extras_put; /* cpu->extras_put at that time */
    /* Only for block steps: positions at the current tick, [n][3] for a tree that is kept,
     * otherwise [3][n]; [n][3] of the list: accelerations at the beginning of the steps that
     * end. */
    double *at;
    float *before;
    double sinks, pairs; /* of the walks since the tree was built */
    uint64_t since;      /* blocks since the longest step began, or these levels were read */
};

/* The number of threads for a loop of a few nanoseconds a body: 1 if the loop ends before other
 * threads wake up. */
enum { KY_BODIES_WAKE = 32768 };
static inline int ky_cpu_crew(const struct ky_cpu *cpu, size_t bodies)
{
    return bodies >= KY_BODIES_WAKE ? cpu->threads : 1;
}

/* The level of bodies that take no part in blocks: hidden members of groups. */
enum { KY_LEVEL_HIDDEN = 255 };

/* One call of `advance` through blocks. */
struct ky_cpu_way {
    struct ky_cpu *cpu;
    struct ky_advance *way;
    int deepest;     /* the level of a step of one tick */
    double longest;  /* [time] */
    size_t chunks;   /* number of chunks of bodies */
    size_t active;   /* number of bodies on the list of the block */
    int has_stopped; /* 1: the call ends here */
    /* By level: the step, and the time from the end of the last step to the current tick. */
    double step[KY_MOST_LEVELS + 1], time[KY_LEVEL_HIDDEN + 1];
};

/* The bodies of a chunk. */
struct ky_cpu_range {
    size_t begin, end;
};

/* Fills *own for a call of `advance`, and allocates levels and lists. KY_USAGE as ky_blocks_check,
 * KY_FAULT if memory runs out. */
enum ky_status ky_cpu_way_open(struct ky_cpu_way *own, struct ky_cpu *cpu, struct ky_advance *way,
                               struct ky_error *error);
/* Allocates the same memory during a call, after the engine's bodies have changed. */
enum ky_status ky_cpu_way_reserve(struct ky_cpu_way *own, struct ky_error *error);
struct ky_cpu_range ky_cpu_way_range(const struct ky_cpu_way *own, size_t chunk);
/* The level of a step [time]; −1 if this call cannot have such a step. */
int ky_cpu_way_level(const struct ky_cpu_way *own, double step);
/* is_known: returns 1 if the levels agree with the column of steps. know: records whether they
 * agree (`now`). */
int ky_cpu_way_is_known(const struct ky_cpu_way *own);
void ky_cpu_way_know(const struct ky_cpu_way *own, int now);
/* The deepest level of any body. */
int ky_cpu_way_deepest(const struct ky_cpu_way *own);
/* Fills time[] for a tick, which becomes the engine's time. Returns the lowest level whose steps
 * end there. */
int ky_cpu_way_clock(struct ky_cpu_way *own, uint64_t tick);
/* The lowest level whose steps end at the tick. */
static inline int ky_cpu_way_due(const struct ky_cpu_way *own, uint64_t tick)
{
    int level = 0;
    while (level < own->deepest && tick % (own->way->stride >> level))
        level++;
    return level;
}
/* Replaces cpu->blocks->count[], the number of active bodies of each chunk, by the number before
 * each chunk; `active` becomes their sum. */
void ky_cpu_way_offsets(struct ky_cpu_way *own);

void ky_cpu_free_blocks(struct ky_cpu *cpu);

/* block.c: KY_SCHEME_BLOCK. */
enum ky_status ky_cpu_block_steps(struct ky_cpu *cpu, struct ky_advance *way,
                                  struct ky_error *error);
/* Bytes for n bodies. */
double ky_cpu_blocks_memory(const struct ky_parameters *parameters, size_t n);

#endif
