/* The interface between the CPU engine and an action of the general walk. The walk (general.c)
 * knows no action: it stores the state of a sink as bytes and calls the functions of this table.
 * KY_CPU_ACTION makes the table of an action from its file (physics/visit.h). */
#ifndef KY_CPU_ACTION_H
#define KY_CPU_ACTION_H

#include "engine/cpu/forces/forces.h"
#include "physics/visit.h"

/* Sources that are tested together: their columns, gathered from the tree. */
struct ky_cpu_sources {
    size_t count;
    double *x, *y, *z, *mass, *eps2;
    uint32_t *body; /* caller's index */
};

/* Some of these sources relative to one sink: their indices in the columns, and squared
 * distances. */
struct ky_cpu_near {
    double x[3];   /* position of the sink */
    double side;   /* of the periodic box, or 0 */
    uint32_t body; /* the sink itself, which is skipped */
    size_t count;
    uint32_t source[KY_REACH_MOST];
    double r2[KY_REACH_MOST];
};

struct ky_cpu_action {
    struct ky_action_facts facts;
    size_t size; /* bytes of the state of a sink, the argument `a` below */
    void (*start)(void *a, const struct ky_visit_sink *sink);
    double (*reach2)(const void *a);
    int (*test)(const struct ky_visit_span *span);
    void (*bodies)(void *a, const struct ky_cpu_sources *sources, const struct ky_cpu_near *near);
    void (*cell)(void *a, const struct ky_visit_cell *cell);
    double (*result)(const void *a, int column);
};

/* An action that joins bodies. Its state depends only on the sink, and is made for each call. */
struct ky_cpu_joining {
    struct ky_action_facts facts;
    double (*reach2)(const struct ky_visit_sink *sink);
    int (*test)(const struct ky_visit_span *span);
    int (*joins)(const struct ky_visit_sink *sink, const struct ky_visit_body *body);
};

/* Both build the tree unless it is valid. In the first each body walks; in the second cells walk
 * against cells (joins.c). Collective with ranks; each rank walks for its own bodies. */
enum ky_status ky_cpu_walk_action(struct ky_cpu *cpu, const struct ky_cpu_action *action,
                                  const struct ky_walk_request *request, struct ky_error *error);

enum ky_status ky_cpu_join_action(struct ky_cpu *cpu, const struct ky_cpu_joining *action,
                                  const struct ky_walk_request *request, struct ky_error *error);

/* The index of each body along the curve of a tree, in the caller's order of the system. */
static inline const uint32_t *ky_cpu_numbers(const struct ky_octree *tree)
{
    return tree->number ? tree->number : tree->order;
}

/* The engine's own bodies in its tree (all, unless ranks divide them): first ≤ place < end. */
static inline struct ky_group ky_cpu_own_bodies(const struct ky_cpu *cpu,
                                                const struct ky_octree *tree)
{
    return (struct ky_group){tree->groups ? tree->group[0].body : 0, (uint32_t)cpu->n};
}

/* The engine's body i as a sink, without the data for lists and k nearest. */
static inline struct ky_visit_sink ky_cpu_sink_of(const struct ky_cpu *cpu,
                                                  const struct ky_action *about,
                                                  const struct ky_walk_request *request, uint32_t i)
{
    struct ky_visit_sink sink = {.mass = cpu->mass[i],
                                 .eps2 = ky_cpu_sink_eps2(cpu, i),
                                 .splined = (cpu->how & KY_SPLINED) != 0,
                                 .body = i};
    if (about->needs_radius)
        sink.radius = request->radius[request->radii == 1 ? 0 : i] / cpu->length;
    return sink;
}

/* The same for the engine's body at this place along the curve of a tree. */
static inline struct ky_visit_sink ky_cpu_visit_sink(const struct ky_cpu *cpu,
                                                     const struct ky_octree *tree,
                                                     const struct ky_action *about,
                                                     const struct ky_walk_request *request,
                                                     uint32_t place)
{
    struct ky_visit_sink sink = ky_cpu_sink_of(cpu, about, request, tree->order[place]);
    sink.mass = tree->mass[place];
    sink.body = ky_cpu_numbers(tree)[place];
    return sink;
}

static inline struct ky_visit_body ky_cpu_source(const struct ky_cpu_sources *sources,
                                                 const struct ky_cpu_near *near, size_t k)
{
    uint32_t j = near->source[k];
    double d[3] = {KY_APART(sources->x[j], near->x[0]), KY_APART(sources->y[j], near->x[1]),
                   KY_APART(sources->z[j], near->x[2])};
    if (near->side > 0)
        for (int c = 0; c < 3; c++)
            d[c] = ky_nearest_image(d[c], near->side);
    return (struct ky_visit_body){
        d[0], d[1], d[2], near->r2[k], sources->mass[j], sources->eps2[j], sources->body[j]};
}

#define KY_CPU_ACTION(name, needs)                                                                 \
    static void start_##name(void *a, const struct ky_visit_sink *sink)                            \
    {                                                                                              \
        *(struct ky_##name *)a = ky_##name##_start(*sink);                                         \
    }                                                                                              \
    static double reach2_##name(const void *a)                                                     \
    {                                                                                              \
        return ky_##name##_reach2(*(const struct ky_##name *)a);                                   \
    }                                                                                              \
    static int test_##name(const struct ky_visit_span *span)                                       \
    {                                                                                              \
        return ky_##name##_test(*span);                                                            \
    }                                                                                              \
    static void bodies_##name(void *a, const struct ky_cpu_sources *sources,                       \
                              const struct ky_cpu_near *near)                                      \
    {                                                                                              \
        struct ky_##name own = *(struct ky_##name *)a;                                             \
        for (size_t k = 0; k < near->count; k++)                                                   \
            if (sources->body[near->source[k]] != near->body)                                      \
                own = ky_##name##_body(own, ky_cpu_source(sources, near, k));                      \
        *(struct ky_##name *)a = own;                                                              \
    }                                                                                              \
    static void cell_##name(void *a, const struct ky_visit_cell *cell)                             \
    {                                                                                              \
        *(struct ky_##name *)a = ky_##name##_cell(*(struct ky_##name *)a, *cell);                  \
    }                                                                                              \
    static double result_##name(const void *a, int column)                                         \
    {                                                                                              \
        return ky_##name##_result(*(const struct ky_##name *)a, column);                           \
    }                                                                                              \
    static const struct ky_cpu_action ky_cpu_##name = {KY_ACTION_FACTS(name, needs),               \
                                                       sizeof(struct ky_##name),                   \
                                                       start_##name,                               \
                                                       reach2_##name,                              \
                                                       test_##name,                                \
                                                       bodies_##name,                              \
                                                       cell_##name,                                \
                                                       result_##name};

#define KY_CPU_JOINING(name, needs)                                                                \
    static double reach2_##name(const struct ky_visit_sink *sink)                                  \
    {                                                                                              \
        return ky_##name##_reach2(ky_##name##_start(*sink));                                       \
    }                                                                                              \
    static int test_##name(const struct ky_visit_span *span)                                       \
    {                                                                                              \
        return ky_##name##_test(*span);                                                            \
    }                                                                                              \
    static int joins_##name(const struct ky_visit_sink *sink, const struct ky_visit_body *body)    \
    {                                                                                              \
        return ky_##name##_joins(ky_##name##_start(*sink), *body);                                 \
    }                                                                                              \
    static const struct ky_cpu_joining ky_cpu_##name = {KY_ACTION_FACTS(name, needs),              \
                                                        reach2_##name, test_##name, joins_##name};

#endif
