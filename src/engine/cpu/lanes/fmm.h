/* Cells act on cells; included by fmm_single.c and fmm_double.c, which define KY_LANE_DOUBLE and
 * the names.
 *
 * The sinks of a cell inherit a list of cells from its parent. Cells that pass the test of
 * physics/fmm.h act on the local coefficients of all its sinks at once, a vector of cells at a
 * time; larger cells are opened, and the rest goes to the list for the cell's own children. In a
 * group, at the lowest level of sinks, cells that fail the test act on each sink separately, as in
 * the walk for groups: by their quadrupoles, or opened down to their bodies. */
#include "engine/cpu/lanes/lanes.h"

#define KY_WITH_THIRD 1
#define KY_WITH_ROUGH !KY_LANE_DOUBLE
#include "base/memory.h"
#include "engine/cpu/lanes/group.h"
#include "octree/cell_moments.h"
#include "physics/fmm.h"
#include "physics/taylor.h"

_Static_assert(KY_FMM_MOST == KY_TAYLOR_MOST, "the test of expansions has all orders");

enum { ACTING = 256 };

/* Work memory of a thread, followed by the work memory of the walk for groups. */
struct fmm_space {
    _Alignas(64) uint32_t acting[ACTING + KY_BATCH];
    size_t count;
};

size_t KY_LANE_NAME(KY_SPACE_NAME)(const struct ky_octree *tree)
{
    return sizeof(struct fmm_space) + group_space(tree);
}

/* One step: a cell of sinks, or a group. */
struct fmm {
    struct walk walk;
    const struct ky_fmm_walk *given;
    struct ky_fmm_sinks *sinks;
    const struct ky_fmm_list *from;
    size_t next, end; /* indices in the list */
    struct fmm_space *space;
    struct ky_fmm_counts *counts;
    float radius; /* radius of the sinks' box */
};

/* ---- acting on the local coefficients ---------------------------------------------------------
 */

#if !KY_LANE_DOUBLE
/* The data with which the cells of a batch act. */
struct acting {
    ky_floats high[4], low[4], moment[(KY_MOMENTS(KY_TAYLOR_MOST) + 3) / 4 * 4];
};

KY_INLINE void read_acting(const struct ky_octree *tree, const uint32_t *cell, size_t count,
                           struct acting *a, const int order)
{
    const ky_ints wanted = ky_first(count);
    ky_read_fours(tree->centre, cell, 1, a->high);
    ky_read_fours(tree->low, cell, 1, a->low);
    const size_t moments = KY_MOMENTS(KY_FMM_DEGREE(order));
    for (size_t k = 0; k < moments; k += 4)
        ky_read_fours(tree->moment + k, cell, KY_MOMENTS(order) / 4, a->moment + k);
    for (size_t k = 0; count < KY_BATCH && k < moments; k++)
        a->moment[k] = (ky_floats)((ky_ints)a->moment[k] & wanted);
}

/* Lets a batch of cells act; `sum` are local coefficients, lane by lane. */
KY_INLINE void act_batch(const struct walk *walk, const struct ky_fmm_sinks *sinks,
                         const struct acting *a, ky_vector *sum, const int order)
{
    const int how = walk->given->how;
    const ky_vector r[3] = {apart(walk, 0, a->high[0], a->low[0]),
                            apart(walk, 1, a->high[1], a->low[1]),
                            apart(walk, 2, a->high[2], a->low[2])};
    ky_vector d[KY_TAYLOR_DERIVATIVES], moment[KY_TAYLOR_TERMS];
    ky_vector eps2 = {0};
    if (how & KY_EPS_SUM)
        eps2 = a->low[3];
    const struct ky_softened pair = ky_soften(r[0], r[1], r[2], ky_splat(sinks->eps2), eps2,
                                              KY_CELLS_HOW(how) & (KY_EPS_SUM | KY_NEWTON));
    moment[0] = a->moment[KY_MOMENT_MASS];
    for (int n = KY_TAYLOR_SECOND; n < KY_TAYLOR_COUNT(KY_FMM_DEGREE(order)); n++) {
        moment[n] = a->moment[KY_TAYLOR_PLACE(n)];
        if (n < KY_TAYLOR_COUNT(2))
            moment[n] = moment[n] * ky_splat((ky_element)KY_TAYLOR_FACTOR(n));
    }
    ky_taylor_derivatives(d, r, pair.y, order);
    ky_taylor_act_to(sum, moment, d, order, KY_FMM_DEGREE(order));
}

/* Prefetches the moments of cells that will act soon. */
KY_INLINE void prefetch_acting(const struct ky_octree *tree, const uint32_t *cell, const int order)
{
    for (size_t k = 0; k < KY_BATCH; k++) {
        const float *moment = tree->moment + cell[k] * (size_t)KY_MOMENTS(order);
        __builtin_prefetch(&tree->centre[cell[k]]);
        __builtin_prefetch(&tree->low[cell[k]]);
        for (size_t at = 0; at < KY_MOMENTS(KY_FMM_DEGREE(order)); at += 16)
            __builtin_prefetch(moment + at);
    }
}

KY_INLINE void act_all(const struct walk *walk, struct ky_fmm_sinks *sinks, const uint32_t *cell,
                       size_t count, const int order)
{
    ky_vector sum[KY_TAYLOR_TERMS];
    for (int n = 0; n < KY_TAYLOR_COUNT(order); n++)
        sum[n] = (ky_vector){0};
    for (size_t k = 0; k < count; k += KY_BATCH) {
        struct acting a;
        if (k + KY_BATCH < count)
            prefetch_acting(walk->tree, cell + k + KY_BATCH, order);
        read_acting(walk->tree, cell + k, count - k, &a, order);
        act_batch(walk, sinks, &a, sum, order);
    }
    for (int n = 0; n < KY_TAYLOR_COUNT(order); n++) {
        double all = 0;
        for (int k = 0; k < KY_WIDTH; k++)
            all += (double)sum[n][k];
        sinks->local[n] += all;
    }
}

void KY_LANE_NAME(ky_fmm_act)(const struct ky_fmm_walk *given, struct ky_fmm_sinks *sinks,
                              const uint32_t *cell, size_t count)
{
    struct walk walk = {.given = &given->walk, .tree = given->walk.sources};
    for (int c = 0; c < 3; c++)
        place_axis(&walk, c, sinks->centre[c], sinks->half[c]);
    switch (given->order) {
#define ACT(p, order)                                                                              \
    case order:                                                                                    \
        act_all(&walk, sinks, cell, count, order);                                                 \
        break;
        KY_TAYLOR_ORDERS(ACT, )
    }
}
#endif

/* Lets the collected cells act. Moments are floats, and so are these sums, whatever the precision
 * of the pairs. */
static void act_on_local(struct fmm *fmm)
{
    struct fmm_space *space = fmm->space;
    if (space->count == 0)
        return;
    for (size_t k = 0; k < KY_BATCH; k++)
        space->acting[space->count + k] = space->acting[0];
    KY_LANE_NAME(ky_fmm_act)(fmm->given, fmm->sinks, space->acting, space->count);
    fmm->counts->expansions += space->count;
    space->count = 0;
}

static void collect(struct fmm *fmm, ky_ints index, ky_ints wanted)
{
    struct fmm_space *space = fmm->space;
    if (space->count + KY_BATCH > ACTING)
        act_on_local(fmm);
    space->count += ky_keep(space->acting + space->count, index, wanted);
}

/* ---- the test ---------------------------------------------------------------------------------
 */

/* A batch of cells: their positions relative to the middle of the sinks' box, and the input of the
 * test. */
struct cells {
    ky_floats x, y, z, radius, size, mass;
    ky_ints bodies; /* negative for a leaf */
};

KY_INLINE void read_cells(const struct fmm *fmm, ky_ints index, struct cells *c)
{
    const struct walk *walk = &fmm->walk;
    const struct ky_octree *tree = walk->tree;
    ky_floats high[4], low[4], source[4];
    uint32_t cell[KY_BATCH];
    memcpy(cell, &index, sizeof cell);
    ky_read_fours(tree->centre, cell, 1, high);
    ky_read_fours(tree->low, cell, 1, low);
    ky_read_fours(fmm->given->source, cell, 1, source);
    c->x = apart(walk, 0, high[0], low[0]);
    c->y = apart(walk, 1, high[1], low[1]);
    c->z = apart(walk, 2, high[2], low[2]);
    c->radius = source[0];
    c->size = source[1];
    c->mass = source[2];
    c->bodies = (ky_ints)source[3];
}

/* -1 for cells that may act on the local coefficients. */
KY_INLINE ky_ints test_local(const struct fmm *fmm, const struct cells *c)
{
    const ky_floats d = ky_floats_root(c->x * c->x + c->y * c->y + c->z * c->z),
                    size = ky_fmm_size(c->size, KY_FLOAT_SPLAT(fmm->radius));
    return ky_fmm_acts(d, size / d, c->radius + fmm->radius, size, c->mass, fmm->sinks->limits);
}

/* The squared distance of the sinks' box to the cells' centres. */
KY_INLINE ky_floats box_distance2(const struct fmm *fmm, const struct cells *c)
{
    const float *half = fmm->walk.half;
    return ky_opening_distance2((struct ky_opening_apart){c->x, c->y, c->z, KY_FLOAT_SPLAT(half[0]),
                                                          KY_FLOAT_SPLAT(half[1]),
                                                          KY_FLOAT_SPLAT(half[2])});
}

/* -1 for cells that may act on each sink separately, by their moments up to walk.order. */
KY_INLINE ky_ints test_single(const struct fmm *fmm, const struct cells *c, ky_floats d2)
{
    const ky_floats d = ky_floats_root(d2);
    return ky_fmm_acts(d, c->size / d, c->radius, c->size, c->mass,
                       ky_fmm_limits_of_each(fmm->sinks->limits, fmm->given->walk.order)) &
           (d2 > KY_OPENING_CLOSE2);
}

/* ---- a step -----------------------------------------------------------------------------------
 */

/* Takes the next cells: opened ones first, then cells of the list. Returns 0 at the end. */
KY_INLINE int next_batch(struct fmm *fmm, ky_ints *index, ky_ints *wanted)
{
    struct walk *walk = &fmm->walk;
    if (walk->height < KY_BATCH && fmm->next < fmm->end) {
        const size_t left = fmm->end - fmm->next, count = left < KY_BATCH ? left : KY_BATCH;
        memcpy(walk->space->stack + walk->height, fmm->from->cell + fmm->next,
               count * sizeof *fmm->from->cell);
        walk->height += count;
        fmm->next += count;
    }
    if (walk->height == 0)
        return 0;
    *wanted = pop_batch(walk, index);
    return 1;
}

KY_INLINE void open_cells(struct fmm *fmm, ky_ints index, ky_ints wanted)
{
    uint32_t cell[KY_BATCH];
    push_children(&fmm->walk, cell, ky_keep(cell, index, wanted));
}

static struct fmm start_step(const struct ky_fmm_walk *given, struct ky_fmm_sinks *sinks,
                             const struct ky_fmm_list *from, void *space,
                             struct ky_fmm_counts *counts)
{
    struct fmm_space *own = space;
    own->count = 0;
    return (struct fmm){.given = given,
                        .sinks = sinks,
                        .from = from,
                        .end = from->count,
                        .space = own,
                        .counts = counts,
                        .radius = ky_fmm_radius(sinks->half)};
}

/* Takes the part of the list that belongs to an image of the sources, for sinks whose box has this
 * centre. */
KY_INLINE void take_list(struct fmm *fmm, const double centre[3], int image)
{
    const struct ky_fmm_list *from = fmm->from;
    fmm->next = from->begin[image];
    fmm->end = image + 1 < fmm->given->walk.images ? from->begin[image + 1] : from->count;
    for (int c = 0; c < 3; c++)
        fmm->sinks->centre[c] = centre_of(&fmm->given->walk, centre, image, c);
}

/* The part of the thread's work memory that walks for groups use. */
KY_INLINE void *space_of_walk(void *space)
{
    return (char *)space + sizeof(struct fmm_space);
}

#if !KY_LANE_DOUBLE
static int make_room(struct ky_fmm_list *list)
{
    if (list->count + KY_BATCH <= list->room)
        return 1;
    const size_t room = 2 * list->room + 8 * KY_BATCH;
    if (!ky_extend(&list->cell, list->count, room, sizeof *list->cell))
        return 0;
    list->room = room;
    return 1;
}

/* The cells of one image. Returns 0 if memory runs out. */
static int act_from_image(struct fmm *fmm, struct ky_fmm_list *to)
{
    ky_ints index, wanted;
    for (int c = 0; c < 3; c++)
        place_axis(&fmm->walk, c, fmm->sinks->centre[c], fmm->sinks->half[c]);
    while (next_batch(fmm, &index, &wanted)) {
        struct cells c;
        read_cells(fmm, index, &c);
        wanted &= c.mass > 0.0f; /* massless bodies exert no force */
        const ky_ints acts = wanted & test_local(fmm, &c),
                      open = wanted & ~acts & (c.radius > fmm->radius) & (c.bodies > 0);
        if (!make_room(to))
            return 0;
        collect(fmm, index, acts);
        to->count += ky_keep(to->cell + to->count, index, wanted & ~acts & ~open);
        open_cells(fmm, index, open);
    }
    act_on_local(fmm);
    return 1;
}

int KY_LANE_NAME(ky_fmm_cell)(const struct ky_fmm_walk *given, struct ky_fmm_sinks *sinks,
                              const struct ky_fmm_list *from, struct ky_fmm_list *to, void *space,
                              struct ky_fmm_counts *counts)
{
    struct fmm fmm = start_step(given, sinks, from, space, counts);
    const double centre[3] = {sinks->centre[0], sinks->centre[1], sinks->centre[2]};
    int has_room = 1;
    fmm.walk = (struct walk){
        .given = &given->walk, .tree = given->walk.sources, .space = space_of_walk(space)};
    to->count = 0;
    for (int image = 0; image < given->walk.images && has_room; image++) {
        take_list(&fmm, centre, image);
        to->begin[image] = to->count;
        if (fmm.next < fmm.end)
            has_room = act_from_image(&fmm, to);
    }
    take_list(&fmm, centre, 0);
    return has_room;
}
#endif

#if !KY_LANE_DOUBLE
#include "engine/cpu/lanes/mutual.h"
#endif

/* Adds the bodies of these cells one by one; `near` if they may be close to the sinks. */
static void add_their_bodies(struct walk *walk, ky_ints index, ky_ints wanted, int near)
{
    uint32_t cell[KY_BATCH];
    const size_t count = ky_keep(cell, index, wanted);
    for (size_t k = 0; k < count; k++) {
        const struct ky_cell_link *link = &walk->tree->link[cell[k]];
        add_leaf(walk, link->body, link->body + link->bodies, near && is_close(walk, cell[k]));
    }
}

/* Evaluates the local coefficients at the sinks, relative to the middle of their box. */
KY_INLINE void act_local(struct fmm *fmm, const int order)
{
    struct ky_sinks *at = &fmm->walk.space->sinks;
    ky_vector local[KY_TAYLOR_TERMS];
    for (int n = 0; n < KY_TAYLOR_COUNT(order); n++)
        local[n] = ky_splat((ky_element)fmm->sinks->local[n]);
    for (int v = 0; v < at->vectors; v++) {
        const ky_vector t[3] = {-ky_load(at->x + v * KY_WIDTH), -ky_load(at->y + v * KY_WIDTH),
                                -ky_load(at->z + v * KY_WIDTH)};
        const ky_vector scale = ky_splat((ky_element)(1 / KY_SCALE_SUM(KY_RSQRT_SCALE)));
        ky_vector power[KY_TAYLOR_TERMS];
        struct ky_field field = {{0}, {0}, {0}, {0}};
        ky_taylor_powers(power, t, order);
        field = ky_taylor_field(field, local, power, order);
        field.x *= scale, field.y *= scale, field.z *= scale;
        ky_flush(at, v, field);
    }
}

/* The cells of one image, for a group. */
KY_INLINE void act_on_group(struct fmm *fmm, uint32_t sinks)
{
    const int32_t few = (int32_t)(ky_fmm_cost(fmm->given->order) / sinks),
                  few_single = (int32_t)ky_fmm_single_cost(fmm->given->order);
    ky_ints index, wanted;
    while (next_batch(fmm, &index, &wanted)) {
        struct cells c;
        read_cells(fmm, index, &c);
        wanted &= c.mass > 0.0f;
        const ky_ints leaf = c.bodies < 0, bodies = (c.bodies ^ leaf) - leaf;
        const ky_floats d2 = box_distance2(fmm, &c);
        const ky_ints passes = wanted & test_local(fmm, &c), acts = passes & (bodies > few);
        const ky_ints closed = leaf & (bodies == (int32_t)KY_CLOSED_CELL);
        const ky_ints single =
            wanted & ~acts &
            (closed | (~(leaf & (bodies <= few_single)) & test_single(fmm, &c, d2)));
        const ky_ints ones = wanted & ~acts & ~single & (leaf | passes);
        const ky_floats within = c.radius + fmm->walk.reach;
        const ky_ints near = d2 <= within * within;
        collect(fmm, index, acts);
        uint32_t cell[KY_BATCH];
        add_near_cells(&fmm->walk, cell, ky_keep(cell, index, single));
        add_their_bodies(&fmm->walk, index, ones & ~near, 0);
        add_their_bodies(&fmm->walk, index, ones & near, 1);
        open_cells(fmm, index, wanted & ~acts & ~single & ~ones);
    }
    act_on_local(fmm);
}

void KY_LANE_NAME(KY_GROUP_NAME)(const struct ky_fmm_walk *given, struct ky_fmm_sinks *sinks,
                                 const struct ky_fmm_list *from, const struct ky_group *group,
                                 void *space, struct ky_group_sinks *result,
                                 struct ky_fmm_counts *counts)
{
    struct fmm fmm = start_step(given, sinks, from, space, counts);
    const double centre[3] = {sinks->centre[0], sinks->centre[1], sinks->centre[2]};
    fmm.walk = walk_for(&given->walk, group, group, 1, space_of_walk(space));
    place_box(&fmm.walk, sinks->centre, sinks->half);
    memset(fmm.walk.space->sinks.sum, 0, sizeof fmm.walk.space->sinks.sum);
    begin_near(&fmm.walk, result);
    for (int image = 0; image < given->walk.images; image++) {
        take_list(&fmm, centre, image);
        fmm.walk.is_image = image > 0;
        if (fmm.next == fmm.end)
            continue;
        place_box(&fmm.walk, sinks->centre, sinks->half);
        act_on_group(&fmm, group->bodies);
    }
    take_list(&fmm, centre, 0);
    /* No cell has acted on sinks with more than the largest radius, whose powers leave the range of
     * float. */
    switch (fmm.radius < sinks->limits.most ? given->order : 0) {
#define ACT_LOCAL(p, order)                                                                        \
    case order:                                                                                    \
        act_local(&fmm, order);                                                                    \
        break;
        KY_TAYLOR_ORDERS(ACT_LOCAL, )
    }
    end_group(&fmm.walk, result);
    counts->bodies += result->bodies * result->count;
    counts->cells += result->cells * result->count;
}
