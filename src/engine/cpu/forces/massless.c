/* Systems with some massless bodies, which are only sinks. The forces of such an engine are
 * computed by two parts, which are engines used only for forces. The bodies with mass act on each
 * other as if there were no others. Then they act on the massless bodies, which have their own tree
 * if the method has trees. If all bodies have mass, or none has, there are no parts.
 *
 * The parts copy positions before each pass, and their results are copied back: a few numbers per
 * body. Their trees are kept from block to block like an engine's. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/common/active.h"
#include "engine/common/blocks.h"
#include "engine/cpu/forces/forces.h"
#include "octree/opening_kinds.h"

enum { WITH_MASS, WITHOUT, PARTS };

/* Columns of a part: x, a, mass, potential, pull, softening. */
enum { X, A = 3, MASS = 6, POTENTIAL, PULL, SOFTENING, COLUMNS };

/* ---- the division ---- */

static void close_part(struct ky_cpu *part)
{
    ky_cpu_free_work(part);
    ky_octree_free(&part->tree);
    free(part->x[0]);
    free(part->is_active);
    free(part->column);
}

void ky_cpu_free_division(struct ky_cpu *cpu)
{
    struct ky_cpu_division *division = &cpu->division;
    for (int k = 0; division->part && k < PARTS; k++)
        close_part(&division->part[k]);
    free(division->part);
    free(division->body);
    free(division->place);
    free(division->active);
    *division = (struct ky_cpu_division){0};
}

void ky_cpu_trim_division(struct ky_cpu *cpu)
{
    for (int k = 0; cpu->division.part && k < PARTS; k++) {
        struct ky_cpu *part = &cpu->division.part[k];
        ky_octree_free(&part->tree);
        ky_octree_init(&part->tree);
        part->tree_stands = part->tree_serves = 0;
        free(part->column);
        part->column = NULL;
    }
}

/* The bodies of a part, as indices of the engine. */
static const uint32_t *bodies_of(const struct ky_cpu *cpu, int k)
{
    return cpu->division.body + (k == WITHOUT ? cpu->division.sources : 0);
}

static void list_bodies(struct ky_cpu *cpu)
{
    struct ky_cpu_division *division = &cpu->division;
    size_t next[PARTS] = {0, division->sources};
    for (size_t i = 0; i < cpu->n; i++) {
        const int k = cpu->mass[i] > 0 ? WITH_MASS : WITHOUT;
        division->place[i] = (uint32_t)(next[k] - (k == WITHOUT ? division->sources : 0));
        division->body[next[k]++] = (uint32_t)i;
    }
}

static enum ky_status open_part(struct ky_cpu *cpu, int k, struct ky_error *error)
{
    struct ky_cpu *part = &cpu->division.part[k];
    const uint32_t *body = bodies_of(cpu, k);
    const size_t n = k == WITHOUT ? cpu->n - cpu->division.sources : cpu->division.sources;
    *part = (struct ky_cpu){.parameters = cpu->parameters,
                            .method = cpu->method,
                            .lanes = cpu->lanes,
                            .isa = cpu->isa,
                            .threads = cpu->threads,
                            .team = n > KY_BODIES_CHUNK ? cpu->threads : 1,
                            .n = n,
                            .how = cpu->how,
                            .length = cpu->length,
                            .mass_unit = cpu->mass_unit,
                            .frame = cpu->frame,
                            .acting = k == WITHOUT ? &cpu->division.part[WITH_MASS] : NULL};
    ky_octree_init(&part->tree);
    double *room = ky_allocate_zeroed_by(part->team, n * COLUMNS, sizeof *room);
    if (!room)
        return ky_no_memory(error, "bodies with and without mass", n, COLUMNS * sizeof *room);
    for (size_t c = 0; c < 3; c++) {
        part->x[c] = room + (X + c) * n;
        part->a[c] = room + (A + c) * n;
    }
    part->mass = room + MASS * n;
    part->potential = room + POTENTIAL * n;
    part->softening = cpu->softening ? room + SOFTENING * n : NULL;
    for (size_t p = 0; p < n; p++) {
        part->mass[p] = cpu->mass[body[p]];
        if (cpu->softening)
            part->softening[p] = cpu->softening[body[p]];
    }
    return KY_OK;
}

enum ky_status ky_cpu_divide(struct ky_cpu *cpu, struct ky_error *error)
{
    struct ky_cpu_division *division = &cpu->division;
    const size_t n = cpu->n;
    size_t sources = 0;
    ky_cpu_free_division(cpu);
    for (size_t i = 0; i < n; i++)
        sources += cpu->mass[i] > 0;
    division->sources = sources;
    if (sources == 0 || sources == n)
        return KY_OK;
    division->body = ky_allocate(n, sizeof *division->body);
    division->place = ky_allocate(n, sizeof *division->place);
    division->active = ky_allocate(n, sizeof *division->active);
    division->part = ky_allocate_zeroed(PARTS, sizeof *division->part);
    enum ky_status status = KY_OK;
    if (!division->body || !division->place || !division->active || !division->part)
        status = ky_no_memory(error, "bodies with and without mass", n, sizeof *division->body);
    else
        list_bodies(cpu);
    for (int k = 0; k < PARTS && !status; k++)
        status = open_part(cpu, k, error);
    if (status)
        ky_cpu_free_division(cpu);
    return status;
}

double ky_cpu_division_memory(size_t n, size_t massless)
{
    const size_t words = 3; /* body, place, active */
    return massless == 0 || massless == n
               ? 0
               : (double)n * (double)(COLUMNS * sizeof(double) + words * sizeof(uint32_t));
}

/* ---- positions and results ---- */

static int has_sinks(const struct ky_cpu *part)
{
    return !part->active || part->active->count > 0;
}

/* 1 if a part has to rebuild its tree. Massless bodies must not change the forces on bodies with
 * mass. So each part decides by the cost of its own walks, and a tree that was built when no step
 * of its bodies ended is rebuilt when a step ends. */
static int is_worn(const struct ky_cpu *part)
{
    return has_sinks(part) &&
           (part->kept.early || part->kept.more > KY_BLOCKS_BUILD * (int64_t)part->n);
}

/* Copies the positions of a part's bodies: as rows if a kept tree is valid, which takes rows,
 * otherwise as columns. The active bodies of the part are known. */
static void gather(const struct ky_cpu *cpu, int k)
{
    struct ky_cpu *part = &cpu->division.part[k];
    const uint32_t *body = bodies_of(cpu, k);
    const int rows_here = cpu->in_block && cpu->tree_serves;
    double(*rows)[3] = (double(*)[3])part->x[0];
    const double *pull = cpu->extra[KY_COLUMN_PULL];
    double *its_pull = part->extra[KY_COLUMN_PULL] = pull ? part->x[0] + PULL * part->n : NULL;
    part->tree_serves &= cpu->tree_serves && !is_worn(part);
    const int rows_there = rows_here && part->tree_serves;
#pragma omp parallel for num_threads(part->team)
    for (size_t p = 0; p < part->n; p++) {
        const uint32_t i = body[p];
        for (int c = 0; c < 3; c++) {
            const double x = rows_here ? cpu->at[i][c] : cpu->x[c][i];
            if (rows_there)
                rows[p][c] = x;
            else
                part->x[c][p] = x;
            if (cpu->has_acceleration)
                part->a[c][p] = cpu->a[c][i];
        }
        part->potential[p] = cpu->potential[i];
        if (pull)
            its_pull[p] = pull[i];
    }
    part->base.halt = cpu->base.halt;
    part->base.shared = cpu->base.shared;
    part->at = (const double(*)[3])rows;
    part->in_block = cpu->in_block;
    part->has_acceleration = cpu->has_acceleration;
}

struct ky_cpu *ky_cpu_sources(struct ky_cpu *cpu)
{
    if (!cpu->division.part)
        return cpu;
    gather(cpu, WITH_MASS);
    return &cpu->division.part[WITH_MASS];
}

/* Lists the active bodies of a part; NULL: all are active. */
static enum ky_status activate(struct ky_cpu *cpu, int k, struct ky_active *active,
                               struct ky_error *error)
{
    struct ky_cpu *part = &cpu->division.part[k];
    uint32_t *list = cpu->division.active + (k == WITHOUT ? cpu->division.sources : 0);
    part->active = NULL;
    if (!cpu->active)
        return KY_OK;
    *active = (struct ky_active){0, list};
    for (size_t j = 0; j < cpu->active->count; j++) {
        const uint32_t i = cpu->active->body[j];
        if ((cpu->mass[i] > 0) == (k == WITH_MASS))
            list[active->count++] = cpu->division.place[i];
    }
    if (!part->is_active && !(part->is_active = ky_allocate(part->n, 1)))
        return ky_no_memory(error, "active bodies", part->n, 1);
    ky_active_mark(active, part->n, part->is_active);
    part->active = active;
    return KY_OK;
}

static void scatter(struct ky_cpu *cpu, int k)
{
    const struct ky_cpu *part = &cpu->division.part[k];
    const uint32_t *body = bodies_of(cpu, k);
    const size_t sinks = part->active ? part->active->count : part->n;
#pragma omp parallel for num_threads(part->team)
    for (size_t j = 0; j < sinks; j++) {
        const uint32_t p = part->active ? part->active->body[j] : (uint32_t)j, i = body[p];
        for (int c = 0; c < 3; c++)
            cpu->a[c][i] = part->a[c][p];
        cpu->potential[i] = part->potential[p];
    }
}

static void add_report(struct ky_force_report *to, const struct ky_force_report *from)
{
    to->keys += from->keys;
    to->sort += from->sort;
    to->build += from->build;
    to->moments += from->moments;
    to->walk += from->walk;
    to->cells += from->cells;
    to->groups += from->groups;
    to->body_interactions += from->body_interactions;
    to->cell_interactions += from->cell_interactions;
}

/* ---- a pass ---- */

/* 1 if massless bodies with a valid tree need nothing because none of them is active. */
static int may_rest(const struct ky_cpu *cpu, int k)
{
    const struct ky_cpu *part = &cpu->division.part[k];
    return k == WITHOUT && part->active && part->active->count == 0 &&
           (part->tree_serves || !part->method->walk);
}

static enum ky_status pass_part(struct ky_cpu *cpu, int k, ky_cpu_pass *pass,
                                const struct ky_parameters *parameters, struct ky_error *error)
{
    struct ky_cpu *part = &cpu->division.part[k];
    struct ky_active active = {0};
    enum ky_status status = activate(cpu, k, &active, error);
    gather(cpu, k);
    ky_report_clear(&part->report);
    if (!part->tree_serves)
        part->kept.early = !has_sinks(part);
    if (!status && !may_rest(cpu, k))
        status = pass(part, parameters, error);
    if (!status)
        scatter(cpu, k);
    part->active = NULL;
    add_report(&cpu->report, &part->report);
    return status;
}

enum ky_status ky_cpu_pass_parts(struct ky_cpu *cpu, ky_cpu_pass *pass,
                                 const struct ky_parameters *parameters, struct ky_error *error)
{
    struct ky_cpu *part = cpu->division.part;
    if (!part)
        return pass(cpu, parameters, error);
    enum ky_status status = KY_OK;
    for (int k = 0; k < PARTS && !status; k++)
        status = pass_part(cpu, k, pass, parameters, error);
    if (cpu->in_block)
        cpu->tree_serves = part[WITH_MASS].tree_serves && part[WITHOUT].tree_serves;
    return status;
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
