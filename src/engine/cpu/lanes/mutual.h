/* Cells act on each other (--mutual); a part of fmm_single.c, included by fmm.h.
 *
 * Pairs of cells are visited as if both were divided together: a pair in which each cell may act on
 * the other acts in both directions; of another pair the larger cell is divided, or the one that is
 * not a leaf; a pair of leaves acts body by body. ky_fmm_source says what a leaf is here: cells of
 * few bodies are leaves, unless they are wide. In each visit one cell of the pair is the sink. The
 * same pair is visited with the other cell as the sink, and every decision has to be the same
 * there, to the last bit: all numbers belong to the two cells, and all formulas are symmetric in
 * them. */

/* The test's data of the sinks' own cell. */
struct own {
    const struct ky_fmm_source *cell;
    struct ky_fmm_limits limits;
    float error, all; /* error: α a; all: the mass of all cells */
    int32_t few; /* a leaf with at most this many bodies acts body by body on this leaf; -1: none */
    ky_ints is_leaf; /* -1 or 0 */
};

/* -1 for cells A on which this cell B may act and that may act on it: M_A/(α a_B) and M_B/(α a_A)
 * replace the mass and the tolerance, where M_A and M_B are joint masses. */
KY_INLINE ky_ints test_both(const struct own *own, const struct cells *c, const ky_floats rest[4])
{
    const ky_floats d = ky_floats_root(c->x * c->x + c->y * c->y + c->z * c->z);
    const ky_floats reach = c->radius + own->cell->radius, its = c->radius,
                    radius = KY_FLOAT_SPLAT(own->cell->radius),
                    mass = ky_fmm_joint_mass(c->mass, its, radius, own->all),
                    back =
                        ky_fmm_joint_mass(KY_FLOAT_SPLAT(own->cell->mass), radius, its, own->all);
    const ky_floats size = c->size + radius, its_size = its + own->cell->size;
    return ky_fmm_acts(d, size / d, reach, size, mass / own->error, own->limits) &
           ky_fmm_acts(d, its_size / d, reach, its_size, back / rest[0], own->limits) &
           (d > rest[1]);
}

/* Begins the list for the children with the cell's children, or with the leaf itself. */
static int begin_list(const struct ky_octree *tree, uint32_t cell, int is_leaf,
                      struct ky_fmm_list *to)
{
    const uint32_t count = is_leaf ? 0 : tree->children[cell];
    to->count = 0;
    if (!make_room(to))
        return 0;
    if (count == 0)
        to->cell[to->count++] = cell;
    for (uint32_t k = 0; k < count; k++) {
        to->cell[to->count++] = tree->link[cell].more + k;
        if (!make_room(to))
            return 0;
    }
    return 1;
}

static struct own own_of(const struct ky_fmm_walk *given, uint32_t cell,
                         const struct ky_fmm_sinks *sinks)
{
    const struct ky_fmm_source *source = &given->source[cell];
    const int is_leaf = source->bodies < 0;
    struct own own = {.cell = source,
                      .limits = sinks->limits,
                      .error = sinks->limits.error,
                      .all = given->source[0].mass,
                      .few = is_leaf ? (int32_t)ky_fmm_cost(given->order) / -source->bodies : -1};
    own.is_leaf = is_leaf - (ky_ints){0};
    own.is_leaf = -own.is_leaf;
    own.limits.error = 1;
    return own;
}

int KY_LANE_NAME(ky_mutual_cell)(const struct ky_fmm_walk *given, uint32_t cell,
                                 struct ky_fmm_sinks *sinks, const struct ky_fmm_list *from,
                                 struct ky_fmm_list *to, void *space, struct ky_fmm_counts *counts)
{
    const struct ky_octree *tree = given->walk.sources;
    const struct own own = own_of(given, cell, sinks);
    struct fmm fmm = start_step(given, sinks, from, space, counts);
    ky_ints index, wanted;
    fmm.walk = (struct walk){.given = &given->walk, .tree = tree, .space = space_of_walk(space)};
    for (int c = 0; c < 3; c++) {
        fmm.walk.high[c] = tree->centre[cell].x[c];
        fmm.walk.low[c] = tree->low[cell].x[c];
    }
    if (!begin_list(tree, cell, own.cell->bodies < 0, to))
        return 0;
    while (next_batch(&fmm, &index, &wanted)) {
        struct cells c;
        uint32_t cells[KY_BATCH];
        ky_floats rest[4];
        read_cells(&fmm, index, &c);
        memcpy(cells, &index, sizeof cells);
        ky_read_fours(given->mutual, cells, 1, rest);
        wanted &= (c.mass > 0.0f) & (index != (int32_t)cell);
        const ky_ints leaf = c.bodies < 0;
        const ky_ints larger = (c.radius > own.cell->radius) |
                               ((c.radius == own.cell->radius) & (index > (int32_t)cell));
        const ky_ints acts = wanted & test_both(&own, &c, rest) & ~(leaf & (-c.bodies <= own.few));
        const ky_ints open = wanted & ~acts & ~leaf & (own.is_leaf | larger);
        if (!make_room(to))
            return 0;
        collect(&fmm, index, acts);
        to->count += ky_keep(to->cell + to->count, index, wanted & ~acts & ~open);
        open_cells(&fmm, index, open);
    }
    act_on_local(&fmm);
    return 1;
}
