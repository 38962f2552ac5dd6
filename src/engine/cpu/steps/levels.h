/* Block steps on the CPU, and code shared with the Hermite scheme: levels of steps, and the list of
 * the bodies of a block. */
#ifndef KY_CPU_LEVELS_H
#define KY_CPU_LEVELS_H

#include "engine/cpu/state/cpu.h"
#include "physics/block.h"

/* The state that is kept between calls of `advance`, for the n bodies in the caller's order: the
 * levels of their steps, and the list of the bodies whose steps end. All 0 at first. */
struct ky_cpu_blocks {
    unsigned char *level;
    uint32_t *active;
    size_t *
        count; /* number of active bodies in each chunk; later the number in all chunks before it */
    double longest;      /* the longest step when `level` was last computed; 0: not computed yet */
    int deepest;         /* the deepest level at that time */
    uint64_t extras_put; /* cpu->extras_put at that time */
    /* Of block steps alone: positions at the present tick, [n][3] for a tree that is kept, else
     * [3][n]; [n][3] of the list: accelerations at the beginning of the steps that end. */
    double *at;
    float *before;
    double sinks, pairs; /* of the walks since the tree was new */
    uint64_t since;      /* blocks since the longest step began, or since these levels were read */
};

/* One call of `advance` through blocks. */
struct ky_cpu_way {
    struct ky_cpu *cpu;
    struct ky_advance *way;
    int deepest;     /* the deepest level: steps of one tick */
    double longest;  /* [time] */
    size_t chunks;   /* number of chunks of bodies */
    size_t active;   /* bodies on the list of the block */
    int has_stopped; /* the call ends here */
    /* By level: the step, and the time from the end of the last step to the present tick. */
    double step[KY_MOST_LEVELS + 1], time[KY_MOST_LEVELS + 1];
};

/* The bodies of a chunk. */
struct ky_cpu_range {
    size_t begin, end;
};

/* Fills *own for a call of `advance`, and allocates levels and lists. KY_USAGE as ky_blocks_check,
 * KY_FAULT when memory is out. */
enum ky_status ky_cpu_way_open(struct ky_cpu_way *own, struct ky_cpu *cpu, struct ky_advance *way,
                               struct ky_error *error);
/* The same memory for a call whose engine has other bodies now. */
enum ky_status ky_cpu_way_reserve(struct ky_cpu_way *own, struct ky_error *error);
struct ky_cpu_range ky_cpu_way_range(const struct ky_cpu_way *own, size_t chunk);
/* The level of a step [time]; −1 if this call cannot have such a step. */
int ky_cpu_way_level(const struct ky_cpu_way *own, double step);
/* is_known: 1 if the levels agree with the column of steps. know: from now on they do if `now`,
 * else not. */
int ky_cpu_way_is_known(const struct ky_cpu_way *own);
void ky_cpu_way_know(const struct ky_cpu_way *own, int now);
/* The deepest level that a body has. */
int ky_cpu_way_deepest(const struct ky_cpu_way *own);
/* Fills time[] for a tick, whose time becomes the engine's. Returns the lowest level whose steps
 * end there. */
int ky_cpu_way_clock(struct ky_cpu_way *own, uint64_t tick);
/* Turns cpu->blocks->count[], the active bodies of each chunk, into the numbers before each chunk;
 * `active` becomes their sum. */
void ky_cpu_way_place(struct ky_cpu_way *own);

void ky_cpu_free_blocks(struct ky_cpu *cpu);

/* block.c: KY_SCHEME_BLOCK. */
enum ky_status ky_cpu_block_steps(struct ky_cpu *cpu, struct ky_advance *way,
                                  struct ky_error *error);
/* Bytes for n bodies. */
double ky_cpu_blocks_memory(const struct ky_parameters *parameters, size_t n);

#endif
