/* Levels of steps and lists of active bodies: see levels.h. */
#include "engine/cpu/steps/levels.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "engine/common/blocks.h"

/* Bytes per body of levels and lists. */
enum { BYTES = 1 + sizeof(uint32_t) };

void ky_cpu_free_blocks(struct ky_cpu *cpu)
{
    struct ky_cpu_blocks *own = cpu->blocks;
    free(own->at);
    free(own->before);
    free(own->level);
    free(own->active);
    free(own->count);
    *own = (struct ky_cpu_blocks){0};
}

enum ky_status ky_cpu_way_reserve(struct ky_cpu_way *own, struct ky_error *error)
{
    struct ky_cpu *cpu = own->cpu;
    struct ky_cpu_blocks *blocks = cpu->blocks;
    const size_t chunks = own->chunks = (cpu->n + KY_BODIES_CHUNK - 1) / KY_BODIES_CHUNK;
    if (blocks->level)
        return KY_OK;
    blocks->level = ky_allocate(cpu->n, 1);
    blocks->active = ky_allocate(cpu->n, sizeof *blocks->active);
    blocks->count = ky_allocate(chunks + 1, sizeof *blocks->count);
    if (blocks->level && blocks->active && blocks->count)
        return KY_OK;
    ky_cpu_free_blocks(cpu);
    return ky_no_memory(error, "steps of bodies", cpu->n, BYTES);
}

enum ky_status ky_cpu_way_open(struct ky_cpu_way *own, struct ky_cpu *cpu, struct ky_advance *way,
                               struct ky_error *error)
{
    enum ky_status status = ky_blocks_check(way, cpu->extras, cpu->has_acceleration, error);
    *own = (struct ky_cpu_way){.cpu = cpu, .way = way, .longest = way->tick * (double)way->stride};
    if (!status)
        status = ky_cpu_way_reserve(own, error);
    if (status)
        return status;
    own->deepest = ky_blocks_deepest(way);
    for (int level = 0; level <= own->deepest; level++)
        own->step[level] = ldexp(own->longest, -level);
    return KY_OK;
}

struct ky_cpu_range ky_cpu_way_range(const struct ky_cpu_way *own, size_t chunk)
{
    const size_t begin = chunk * KY_BODIES_CHUNK, end = begin + KY_BODIES_CHUNK;
    return (struct ky_cpu_range){begin, end < own->cpu->n ? end : own->cpu->n};
}

int ky_cpu_way_level(const struct ky_cpu_way *own, double step)
{
    int exponent;
    const double ratio = own->longest / step;
    if (!(ratio >= 1) || frexp(ratio, &exponent) != 0.5 || exponent - 1 > own->deepest)
        return -1;
    return exponent - 1;
}

int ky_cpu_way_is_known(const struct ky_cpu_way *own)
{
    const struct ky_cpu_blocks *blocks = own->cpu->blocks;
    return blocks->longest == own->longest && blocks->deepest == own->deepest &&
           blocks->extras_put == own->cpu->extras_put;
}

void ky_cpu_way_know(const struct ky_cpu_way *own, int now)
{
    struct ky_cpu_blocks *blocks = own->cpu->blocks;
    blocks->longest = now ? own->longest : 0;
    blocks->deepest = own->deepest;
    blocks->extras_put = own->cpu->extras_put;
}

int ky_cpu_way_deepest(const struct ky_cpu_way *own)
{
    enum { AT_ONCE = 16 }; /* bodies of a vector */
    const struct ky_cpu *cpu = own->cpu;
    const unsigned char *level = cpu->blocks->level;
    unsigned char above = 1; /* the level + 1, which is 0 for hidden bodies */
#pragma omp parallel for num_threads(ky_cpu_crew(cpu, cpu->n / AT_ONCE)) reduction(max : above)
    for (size_t i = 0; i < cpu->n; i++) {
        const unsigned char here = (unsigned char)(level[i] + 1);
        above = here > above ? here : above;
    }
    return above - 1;
}

int ky_cpu_way_clock(struct ky_cpu_way *own, uint64_t tick)
{
    own->cpu->base.externals.time = ky_advance_time(own->way, tick);
    for (int level = own->deepest; level >= 0; level--) {
        const uint64_t step = own->way->stride >> level, rest = tick % step;
        own->time[level] = (double)(rest ? rest : step) * own->way->tick;
    }
    return ky_cpu_way_due(own, tick);
}

void ky_cpu_way_offsets(struct ky_cpu_way *own)
{
    size_t *count = own->cpu->blocks->count;
    own->active = 0;
    for (size_t k = 0; k < own->chunks; k++) {
        const size_t here = count[k];
        count[k] = own->active;
        own->active += here;
    }
    count[own->chunks] = own->active;
}
