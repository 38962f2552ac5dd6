/* The cells and bodies of a part's tree that sinks need if cells act on cells: see sinks.h. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/threads.h"
#include "octree/host_cells.h"
#include "octree/sinks.h"
#include "octree/work.h"
#include "physics/fmm.h"
#include "physics/space.h"

/* The factor by which a test here is stricter than the test of the walk, in float. */
#define SURE 1.0001f

/* The relation of a cell to sinks. ACTS: it acts for certain. COUNTS: it acts, but how depends on
 * the number of its bodies, which a closed cell does not have. STAYS: it is left for the sinks
 * below. OPENS: it may be opened. BODIES: all bodies below it may act one by one. */
enum verdict { ACTS, COUNTS, STAYS, OPENS, BODIES };

/* The distance of a point at d from the middle of a box with these half sides to the box, rounded
 * down. */
static float distance(const double d[3], const float half[3])
{
    float near2 = 0;
    for (int c = 0; c < 3; c++) {
        const float gap = (float)(fabs(d[c]) * (1 - 1e-6) - (double)half[c]);
        near2 += gap > 0 ? gap * gap : 0;
    }
    return sqrtf(near2) / SURE;
}

/* Within a distance equal to the size the test is not monotonic in the distance, so a cell there
 * never acts. */
static int acts(float d, float reach, float size, float mass, struct ky_fmm_limits limits)
{
    size *= SURE;
    return d > size && ky_fmm_acts(d, size / d, SURE * reach, size, mass, limits);
}

/* Whether the cell acts on each body of the groups for certain, by its moments. */
static int acts_on_each(const struct ky_octree_acting *acting, const struct ky_octree_sink *sink,
                        const double d[3], const struct ky_fmm_source *source)
{
    struct ky_fmm_limits limits =
        ky_fmm_limits_of_each(acting->limits, ky_fmm_single_order(acting->limits.order));
    const float near = distance(d, sink->half);
    limits.error = sink->error / SURE;
    return near * near > SURE * KY_OPENING_CLOSE2 &&
           acts(near, source->radius, source->size, source->mass, limits);
}

/* `d`: from the middle of the sinks to the cell's centre. */
static enum verdict judge(const struct ky_octree_acting *acting, const struct ky_octree_sink *sink,
                          const double d[3], const struct ky_fmm_source *source)
{
    struct ky_fmm_limits limits = acting->limits;
    const int is_leaf = source->bodies < 0;
    const uint32_t bodies = (uint32_t)abs(source->bodies);
    limits.error = sink->error / SURE;
    const int passes = acts(distance(d, sink->inside), source->radius + sink->radius,
                            ky_fmm_size(source->size, sink->radius), source->mass, limits);
    if (!sink->is_group)
        return passes ? ACTS : !is_leaf && source->radius > sink->radius ? OPENS : STAYS;
    if (passes && bodies > sink->few)
        return ACTS;
    if (!(is_leaf && bodies <= ky_fmm_single_cost(acting->limits.order)) &&
        acts_on_each(acting, sink, d, source))
        return bodies > sink->few ? ACTS : COUNTS;
    return is_leaf || bodies <= sink->few ? BODIES : OPENS;
}

static enum verdict judge_cell(const struct ky_octree_acting *acting,
                               const struct ky_octree_sink *sink, const struct ky_octree *tree,
                               const struct ky_fmm_source *source, uint32_t cell)
{
    double d[3];
    ky_cell_apart(tree, cell, sink->middle, d);
    return judge(acting, sink, d, &source[cell]);
}

/* Lists of cells, one after the other; the last one grows. */
struct lists {
    uint32_t *cell;
    size_t count, room;
    int failed;
};

static void push(struct lists *lists, uint32_t cell)
{
    if (ky_room_for_one(&lists->cell, lists->count, &lists->room, sizeof *lists->cell))
        lists->cell[lists->count++] = cell;
    else
        lists->failed = 1;
}

/* ---- sinks that need more cells ---- */

struct asking {
    const struct ky_octree_acting *acting;
    const struct ky_octree *roots;
    const struct ky_fmm_source *source;
    const struct ky_octree_sink *sink;
    int image; /* of the sources */
    struct ky_octree_sink *to;
    size_t count, room;
    struct lists lists;
};

/* A sink as an image of the sources meets it. */
static struct ky_octree_sink sink_of(const struct asking *a, size_t at)
{
    struct ky_octree_sink sink = a->sink[at];
    for (int c = 0; c < 3 && a->image > 0; c++) {
        const float rounding = (float)(1e-12 * a->acting->box);
        sink.middle[c] -= ky_image(a->image, c) * a->acting->box;
        sink.half[c] += rounding;
        sink.inside[c] += rounding;
    }
    return sink;
}

/* Copies all that is below the sink. */
static void take_all_below(struct asking *a, size_t at)
{
    const size_t moved = a->count - (at + 1); /* modulo 2⁶⁴ */
    for (size_t k = at + 1; k < a->sink[at].end; k++) {
        a->to[a->count] = sink_of(a, k);
        a->to[a->count++].end = (uint32_t)(a->sink[k].end + moved);
    }
}

/* A sink and the sinks below it, for which roots cell[begin … end) of the lists are left. */
static void ask_for(struct asking *a, size_t at, size_t begin, size_t end)
{
    const struct ky_octree_sink sink = sink_of(a, at);
    const size_t place = a->count, list = a->lists.count;
    int opens = 0;
    a->to[a->count++] = sink;
    for (size_t k = begin; k < end && !opens; k++) {
        const uint32_t root = a->lists.cell[k];
        const enum verdict verdict = judge_cell(a->acting, &sink, a->roots, a->source, root);
        opens = verdict == OPENS || verdict == BODIES;
        if (verdict == STAYS)
            push(&a->lists, root);
    }
    const size_t left = a->lists.count;
    if (opens)
        take_all_below(a, at);
    for (size_t k = at + 1; k < sink.end && !opens && left > list; k = a->sink[k].end)
        ask_for(a, k, list, left);
    if (!opens && a->count == place + 1)
        a->count = place;
    else
        a->to[place].end = (uint32_t)a->count;
    a->lists.count = list;
}

/* The sinks that ask an image, after the sinks that ask the images before it. */
static void ask_image(struct asking *a, size_t sinks, int image)
{
    const size_t room = a->count + sinks;
    if (room > a->room && !ky_extend(&a->to, a->count, room, sizeof *a->to)) {
        a->lists.failed = 1;
        return;
    }
    a->room = room > a->room ? room : a->room;
    a->image = image;
    ask_for(a, 0, 0, a->lists.count);
}

enum ky_status ky_octree_asking(const struct ky_octree_parcel *parcel,
                                const struct ky_octree_acting *acting,
                                const struct ky_octree_sink *sink, size_t sinks,
                                struct ky_octree_sink **asking, size_t *count,
                                struct ky_error *error)
{
    const struct ky_given_cells *cells = &parcel->cells;
#define KY_CELL_ROOT(p, type, name, count, what) .name = (type *)(uintptr_t)cells->name,
    const struct ky_octree roots = {.nodes = parcel->roots,
                                    .moments = KY_MOMENTS(acting->limits.order),
                                    KY_CELL_COLUMNS(KY_CELL_ROOT, )};
    struct ky_fmm_source *source = ky_allocate(roots.nodes, sizeof *source);
    struct asking a = {.acting = acting, .roots = &roots, .source = source, .sink = sink};
    const int images = acting->box > 0 ? KY_IMAGES : 1;
    a.lists.failed = !source;
    if (!a.lists.failed)
        ky_octree_list_sources(&roots, acting->limits.order, 1, source);
    for (uint32_t r = 0; r < roots.nodes && !a.lists.failed; r++) {
        if (roots.link[r].bodies != KY_CLOSED_CELL) /* all of it is here */
            continue;
        source[r].bodies = (int32_t)KY_CLOSED_CELL; /* it may have children */
        push(&a.lists, r);
    }
    for (int image = 0; image < images && sinks && !a.lists.failed; image++)
        ask_image(&a, sinks, image);
    free(source);
    free(a.lists.cell);
    *asking = a.to;
    *count = a.count;
    return a.lists.failed ? ky_no_memory(error, "sinks of a part", sinks, sizeof *sink) : KY_OK;
}

/* ---- marks of needed cells ---- */

struct marking {
    const struct ky_octree *tree;
    const struct ky_fmm_source *source;
    const struct ky_octree_acting *acting;
    const struct ky_octree_sink *sink;
    unsigned char *need; /* [nodes] enum ky_need */
    struct lists *lists; /* of the thread */
};

static void need_children(const struct marking *m, uint32_t cell)
{
    if (m->need[cell] < KY_NEED_CHILDREN)
        m->need[cell] = KY_NEED_CHILDREN;
}

static void look_at(const struct marking *m, const struct ky_octree_sink *sink, uint32_t cell)
{
    const struct ky_octree *tree = m->tree;
    switch (judge_cell(m->acting, sink, tree, m->source, cell)) {
    case ACTS:
        break;
    case STAYS:
        push(m->lists, cell);
        break;
    case BODIES:
        m->need[cell] = KY_NEED_BODIES;
        break;
    case COUNTS:
        need_children(m, cell);
        break;
    case OPENS:
        need_children(m, cell);
        for (uint32_t k = 0; k < tree->children[cell]; k++)
            look_at(m, sink, tree->link[cell].more + k);
    }
}

/* A sink and the sinks below it, for which cell[begin … end) of the lists are left. */
static void mark_for(const struct marking *m, size_t at, size_t begin, size_t end)
{
    const size_t list = m->lists->count;
    for (size_t k = begin; k < end; k++)
        look_at(m, &m->sink[at], m->lists->cell[k]);
    const size_t left = m->lists->count;
    for (size_t k = at + 1; k < m->sink[at].end && left > list; k = m->sink[k].end)
        mark_for(m, k, list, left);
    m->lists->count = list;
}

/* Marks the needs below a root: all of it if few bodies are below, so that no sink has to ask for
 * it. */
static void mark_root(const struct marking *m, size_t sinks, uint32_t root)
{
    if (m->tree->link[root].bodies <= ky_fmm_cost(m->acting->limits.order)) {
        m->need[root] = KY_NEED_BODIES;
        return;
    }
    for (size_t k = 0; k < sinks && !m->lists->failed; k = m->sink[k].end) {
        m->lists->count = 0;
        push(m->lists, root);
        mark_for(m, k, 0, m->lists->count);
    }
}

/* Derives the needs of the cells below from the needs of each cell. */
static void mark_children(const struct ky_octree *tree, unsigned char *need)
{
    for (size_t r = 0; r < tree->roots; r++)
        need[r] = need[r] < KY_NEED_CELL ? KY_NEED_CELL : need[r];
    for (size_t cell = 0; cell < tree->nodes; cell++) {
        const unsigned char its = need[cell] == KY_NEED_BODIES     ? KY_NEED_BODIES
                                  : need[cell] == KY_NEED_CHILDREN ? KY_NEED_CELL
                                                                   : KY_NEED_NOTHING;
        for (uint32_t k = 0; k < tree->children[cell]; k++) {
            unsigned char *child = &need[tree->link[cell].more + k];
            *child = *child < its ? its : *child;
        }
    }
}

enum ky_status ky_octree_prune_for(const struct ky_octree *tree, const struct ky_fmm_source *source,
                                   const struct ky_octree_acting *acting,
                                   const struct ky_octree_sink *sink, size_t sinks,
                                   struct ky_octree_parcel *parcel, struct ky_error *error)
{
    const int threads = tree->scratch ? tree->scratch->threads : 1;
    unsigned char *need = ky_allocate_zeroed(tree->nodes, 1);
    struct lists *lists = ky_allocate_zeroed((size_t)threads, sizeof *lists);
    int failed = !need || !lists;
    *parcel = (struct ky_octree_parcel){0};
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (threads > 1)
    for (size_t r = 0; r < (failed ? 0 : tree->roots); r++) {
        const struct marking m = {tree, source, acting, sink, need, &lists[ky_thread()]};
        mark_root(&m, sinks, (uint32_t)r);
    }
    for (int k = 0; lists && k < threads; k++) {
        failed |= lists[k].failed;
        free(lists[k].cell);
    }
    free(lists);
    enum ky_status status =
        failed ? ky_no_memory(error, "sinks of another part", sinks, sizeof *sink) : KY_OK;
    if (!status) {
        mark_children(tree, need);
        status = ky_octree_pack(tree, need, parcel, error);
    }
    free(need);
    return status;
}
