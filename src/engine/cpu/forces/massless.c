/* Systems with some massless bodies, which are only sinks. The bodies with mass act on each other
 * as if there were no others. Then they act on the massless bodies, which have their own tree if
 * the method has trees. If all bodies have mass, or none has, there is one set of sinks. */
#include <stdlib.h>

#include "base/memory.h"
#include "engine/common/blocks.h"
#include "engine/cpu/forces/forces.h"
#include "octree/opening_kinds.h"

enum { WITH_MASS, WITHOUT, SETS };

/* ---- the bodies of each kind ---- */

static void free_tree(struct ky_cpu_sinks *set)
{
    ky_octree_free(&set->tree);
    set->tree_stands = set->tree_serves = 0;
}

void ky_cpu_free_trees(struct ky_cpu *cpu)
{
    free_tree(&cpu->bodies);
    for (int k = 0; k < SETS; k++)
        free_tree(&cpu->massless.sinks[k]);
}

void ky_cpu_free_massless(struct ky_cpu *cpu)
{
    struct ky_cpu_massless *massless = &cpu->massless;
    for (int k = 0; k < SETS; k++) {
        ky_cpu_free_work(&massless->sinks[k]);
        free_tree(&massless->sinks[k]);
    }
    free(massless->body);
    free(massless->number);
    free(massless->active);
    *massless = (struct ky_cpu_massless){.body = NULL};
}

enum ky_status ky_cpu_sort_masses(struct ky_cpu *cpu, struct ky_error *error)
{
    struct ky_cpu_massless *massless = &cpu->massless;
    const size_t n = cpu->n;
    size_t sources = 0;
    ky_cpu_free_massless(cpu);
    free(cpu->column); /* of as many sources as there were */
    cpu->column = NULL;
    for (size_t i = 0; i < n; i++)
        sources += cpu->mass[i] > 0;
    massless->sources = sources;
    if (sources == 0 || sources == n)
        return KY_OK;
    massless->body = ky_allocate(n, sizeof *massless->body);
    massless->number = ky_allocate(n, sizeof *massless->number);
    massless->active = ky_allocate(n, sizeof *massless->active);
    if (!massless->body || !massless->number || !massless->active) {
        ky_cpu_free_massless(cpu);
        return ky_no_memory(error, "bodies with and without mass", n, sizeof *massless->body);
    }
    size_t next[SETS] = {0, 0};
    for (size_t i = 0; i < n; i++) {
        const int k = cpu->mass[i] > 0 ? WITH_MASS : WITHOUT;
        massless->body[next[k] + (k == WITHOUT ? sources : 0)] = (uint32_t)i;
        massless->number[i] = (uint32_t)next[k]++;
    }
    return KY_OK;
}

double ky_cpu_massless_memory(size_t n, size_t massless)
{
    const size_t words = 3; /* body, number, active */
    return massless == 0 || massless == n ? 0 : (double)n * (double)(words * sizeof(uint32_t));
}

/* ---- a pass ---- */

static int has_sinks(const struct ky_cpu_sinks *set)
{
    return !set->active || set->active->count > 0;
}

/* 1 if a set has to rebuild its tree. Massless bodies must not change the forces on bodies with
 * mass. So each set decides by the cost of its own walks, and a tree that was built when no step
 * of its bodies ended is rebuilt when a step ends. */
static int is_worn(const struct ky_cpu_sinks *set)
{
    return has_sinks(set) &&
           (set->kept.early || set->kept.more > KY_BLOCKS_BUILD * (int64_t)set->n);
}

/* Lists the active bodies of set k. */
static struct ky_active list_active(struct ky_cpu *cpu, int k)
{
    uint32_t *list = cpu->massless.active + (k == WITHOUT ? cpu->massless.sources : 0);
    struct ky_active active = {0, list};
    for (size_t j = 0; j < cpu->active->count; j++)
        if ((cpu->mass[cpu->active->body[j]] > 0) == (k == WITH_MASS))
            list[active.count++] = cpu->active->body[j];
    return active;
}

static enum ky_status pass_set(struct ky_cpu *cpu, int k, ky_cpu_pass *pass,
                               const struct ky_parameters *parameters, struct ky_error *error)
{
    struct ky_cpu_sinks *set = ky_cpu_set(cpu, k);
    struct ky_active active = {0};
    if (cpu->active) {
        active = list_active(cpu, k);
        set->active = &active;
    }
    set->tree_serves &= cpu->bodies.tree_serves && !is_worn(set);
    if (!set->tree_serves)
        set->kept.early = !has_sinks(set);
    /* massless bodies with a valid tree need nothing if none of them is active */
    const int rests = k == WITHOUT && !has_sinks(set) &&
                      (set->tree_serves || !ky_force_kind(cpu->parameters->force)->has_tree);
    const enum ky_status status = rests ? KY_OK : pass(set, parameters, error);
    set->active = NULL;
    return status;
}

static enum ky_status pass_sets(struct ky_cpu *cpu, ky_cpu_pass *pass,
                                const struct ky_parameters *parameters, struct ky_error *error)
{
    const struct ky_cpu_sinks *set = cpu->massless.sinks;
    for (int k = 0; k < SETS; k++)
        KY_TRY(pass_set(cpu, k, pass, parameters, error));
    if (cpu->in_block)
        cpu->bodies.tree_serves = set[WITH_MASS].tree_serves && set[WITHOUT].tree_serves;
    return KY_OK;
}

enum ky_status ky_cpu_pass_all(struct ky_cpu *cpu, ky_cpu_pass *pass,
                               const struct ky_parameters *parameters, struct ky_error *error)
{
    KY_TRY(ky_cpu_find_far(cpu, error));
    return ky_cpu_has_massless(cpu) ? pass_sets(cpu, pass, parameters, error)
                                    : pass(ky_cpu_bodies(cpu), parameters, error);
}

/* ---- the tree of sinks ---- */

/* Number of bodies per sink in a group. */
enum { BODIES_OF_SINK = 8 };

/* The maximum size of a group: one sink if there are many more bodies than sinks. */
static int group_of(int most, size_t sinks, size_t bodies)
{
    const double share = (double)sinks * most / (1.0 + (double)bodies / BODIES_OF_SINK);
    return share < 1 ? 1 : share > most ? most : (int)share;
}

struct ky_parameters ky_cpu_sinks_tree(const struct ky_parameters *parameters, size_t sinks,
                                       size_t bodies)
{
    struct ky_parameters tree = *parameters;
    tree.multipole = 1; /* sinks exert no force */
    tree.opening = KY_OPENING_AT_FIRST;
    tree.group = tree.leaf = group_of(tree.group, sinks, bodies);
    return tree;
}
