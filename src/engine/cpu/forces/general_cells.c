/* The general walk of the CPU engine for all sinks. For an action that needs the dual walk
 * (KY_DUAL) cells of sinks walk against cells of sources: a cell of sinks inherits the undecided
 * cells from its parent, drops cells that its own test passes, and opens cells that are large
 * compared with itself. The groups at the bottom begin with the remaining cells. For other actions
 * they begin with the root.
 *
 * The tree is cut into branches, each done by one thread, from the root's list on. Lists depend
 * only on the tree and the reaches, so the bits do not depend on threads; and they keep the order
 * of the curve, so that a sink visits bodies in the order of a walk from the root. */
#include "engine/cpu/forces/general.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/threads.h"
#include "engine/cpu/forces/groups.h"
#include "engine/cpu/tree/tree.h"
#include "octree/host_cells.h"

/* Maximum size of a branch: BRANCH bodies, or 1/BRANCHES of all bodies; unless its sinks are
 * groups. */
enum { BRANCH = 8192, BRANCHES = 64 };

/* A cell of sources is opened if its longest side exceeds this many times the longest side of the
 * sinks: cells of the same level stay closed, although their boxes are boxes of bodies. */
#define LARGER 0.7

struct all {
    struct ky_general walk;
    struct ky_general_reach *cell, *group; /* [cells] cells with sinks; [groups] */
    uint32_t *branch;
    size_t branches;
    int is_dual;
};

/* ---- reaches ---- */

static int has_groups(const struct all *all, uint32_t cell)
{
    return ky_octree_has_groups(all->walk.tree, cell, all->walk.cpu->parameters->group);
}

/* The reaches of the sinks below a cell of a branch. */
static struct ky_general_reach measure(const struct all *all, struct ky_general_desk *desk,
                                       uint32_t cell)
{
    const struct ky_octree *tree = all->walk.tree;
    struct ky_general_reach reach = ky_general_no_reach;
    if (has_groups(all, cell)) {
        const struct ky_cpu_range range = ky_cpu_groups_of(tree, cell);
        for (uint32_t g = range.first; g < range.end; g++) {
            all->group[g] = ky_general_measure(&all->walk, desk, &tree->group[g]);
            reach = ky_general_both(reach, all->group[g]);
        }
    } else {
        for (uint32_t k = 0; k < tree->children[cell]; k++)
            reach = ky_general_both(reach, measure(all, desk, tree->link[cell].more + k));
    }
    return all->cell[cell] = reach;
}

/* ---- lists ---- */

static int append(struct ky_general_list *list, uint32_t cell)
{
    if (!ky_room_for_one(&list->cell, list->count, &list->room, sizeof *list->cell))
        return 0;
    list->cell[list->count++] = cell;
    return 1;
}

static double longest(double x, double y, double z)
{
    return fmax(x, fmax(y, z));
}

static int is_larger(const struct ky_octree *tree, uint32_t cell, double side)
{
    const struct ky_cell_box *box = &tree->box[cell];
    return longest((double)box->below[0] + (double)box->above[0],
                   (double)box->below[1] + (double)box->above[1],
                   (double)box->below[2] + (double)box->above[2]) > side;
}

static void place_cell(const struct all *all, uint32_t cell, struct ky_general_sinks *sinks)
{
    const struct ky_cell_link *link = &all->walk.tree->link[cell];
    double centre[3], half_side[3];
    ky_cell_middle(all->walk.tree, cell, centre, half_side);
    ky_general_place(&all->walk, sinks, centre, half_side, &all->cell[cell]);
    sinks->body = link->body;
    sinks->end = link->body + link->bodies;
}

/* Writes the remaining cells of the list for the sinks of a cell to `list`. */
static void inherit(const struct all *all, uint32_t cell, const struct ky_general_list *from,
                    struct ky_general_list *list, struct ky_general_desk *desk)
{
    const struct ky_octree *tree = all->walk.tree;
    struct ky_general_sinks sinks;
    place_cell(all, cell, &sinks);
    const double side = LARGER * 2 * longest(sinks.span.hx, sinks.span.hy, sinks.span.hz);
    list->count = 0;
    for (size_t k = 0; k < from->count; k++) {
        const uint32_t end = tree->link[from->cell[k]].next;
        for (uint32_t its = from->cell[k], next; its != end; its = next) {
            const struct ky_cell_link *link = &tree->link[its];
            const int verdict = ky_general_test(&all->walk, &sinks, its);
            next = link->next;
            if (verdict == KY_VISIT_OPEN && link->more != KY_NO_LINK && is_larger(tree, its, side))
                next = link->more;
            else if (verdict != KY_VISIT_PASS && !append(list, its))
                desk->failed = 1;
        }
    }
}

/* Processes a cell of a branch and everything below it. */
static void descend(const struct all *all, uint32_t cell, const struct ky_general_list *from,
                    struct ky_general_desk *desk, size_t depth)
{
    const struct ky_octree *tree = all->walk.tree;
    if (all->is_dual) {
        inherit(all, cell, from, &desk->list[depth], desk);
        from = &desk->list[depth];
    }
    if (desk->failed)
        return;
    if (has_groups(all, cell)) {
        const struct ky_cpu_range range = ky_cpu_groups_of(tree, cell);
        for (uint32_t g = range.first; g < range.end; g++)
            ky_general_walk_group(&all->walk, desk, &tree->group[g], &all->group[g], from);
        return;
    }
    for (uint32_t k = 0; k < tree->children[cell]; k++)
        descend(all, tree->link[cell].more + k, from, desk, depth + 1);
}

/* ---- all of it ---- */

static void do_branch(const struct all *all, struct ky_general_desk *desk, uint32_t cell)
{
    uint32_t root = 0;
    const struct ky_general_list from = {&root, 1, 1};
    desk->first = all->walk.tree->link[cell].body;
    measure(all, desk, cell);
    descend(all, cell, &from, desk, 0);
}

/* Adds the branches at or below a cell: the largest cells with at most this many bodies, and leaves
 * above them, that have sinks. */
static void add_branches(struct all *all, uint32_t cell, size_t most)
{
    const struct ky_octree *tree = all->walk.tree;
    const struct ky_cell_link *link = &tree->link[cell];
    const struct ky_group *own = &all->walk.own;
    const size_t end = (size_t)link->body + link->bodies, own_end = (size_t)own->body + own->bodies;
    if (end <= own->body || link->body >= own_end)
        return;
    if (link->body >= own->body && end <= own_end &&
        (link->bodies <= most || !tree->children[cell]))
        all->branch[all->branches++] = cell;
    else
        for (uint32_t k = 0; k < tree->children[cell]; k++)
            add_branches(all, link->more + k, most);
}

/* Cuts the tree into branches. */
static void cut(struct all *all)
{
    const struct ky_octree *tree = all->walk.tree;
    const size_t part = all->walk.own.bodies / BRANCHES,
                 least = KY_GROUPS_IN_CELL * (size_t)all->walk.cpu->parameters->group,
                 most = part < BRANCH ? part : BRANCH;
    add_branches(all, 0, most > least ? most : least);
    for (size_t k = 0; k < all->branches; k++) {
        const size_t bodies = tree->link[all->branch[k]].bodies;
        all->walk.most = bodies > all->walk.most ? bodies : all->walk.most;
    }
}

static void close_desks(const struct all *all, struct ky_general_desk *desk)
{
    for (int k = 0; desk && k < all->walk.cpu->threads; k++) {
        for (size_t depth = 0; desk[k].list && depth < all->walk.tree->levels + 1; depth++)
            free(desk[k].list[depth].cell);
        free(desk[k].list);
        ky_general_close(&desk[k]);
    }
    free(desk);
}

/* Opens one desk per thread. */
static enum ky_status open_desks(const struct all *all, struct ky_general_desk **desk,
                                 struct ky_error *error)
{
    const size_t threads = (size_t)all->walk.cpu->threads, levels = all->walk.tree->levels + 1;
    *desk = ky_allocate_zeroed(threads, sizeof **desk);
    enum ky_status status =
        *desk ? KY_OK : ky_no_memory(error, "general walk", threads, sizeof **desk);
    for (size_t k = 0; k < threads && !status; k++) {
        status = ky_general_open(&all->walk, &(*desk)[k], error);
        (*desk)[k].list = ky_allocate_zeroed(levels, sizeof *(*desk)[k].list);
        if (!status && !(*desk)[k].list)
            status = ky_no_memory(error, "lists of cells", levels, sizeof *(*desk)[k].list);
    }
    return status;
}

/* Adds the work of the threads to the report. */
static enum ky_status report(const struct all *all, const struct ky_general_desk *desk,
                             struct ky_error *error)
{
    struct ky_cpu *cpu = all->walk.cpu;
    uint32_t wanted = 0;
    int failed = 0;
    for (int k = 0; k < cpu->threads; k++) {
        wanted = desk[k].wanted > wanted ? desk[k].wanted : wanted;
        failed |= desk[k].failed;
        cpu->report.body_interactions += (double)desk[k].bodies;
        cpu->report.cell_interactions += (double)desk[k].cells;
    }
    if (failed)
        return ky_fail(error, KY_FAULT, "out of memory: lists of cells for a search");
    return ky_walk_room_check(all->walk.request, wanted, error);
}

static enum ky_status walk_all(struct all *all, struct ky_error *error)
{
    const struct ky_octree *tree = all->walk.tree;
    struct ky_general_desk *desk = NULL;
    all->cell = ky_allocate(tree->nodes, sizeof *all->cell);
    all->group = ky_allocate(tree->groups, sizeof *all->group);
    all->branch = ky_allocate(tree->nodes, sizeof *all->branch);
    enum ky_status status = KY_OK;
    if (!all->cell || !all->group || !all->branch) {
        status = ky_no_memory(error, "reaches of cells", tree->nodes,
                              sizeof *all->cell + sizeof *all->branch);
    } else {
        cut(all);
        status = open_desks(all, &desk, error);
    }
    if (!status) {
#pragma omp parallel for schedule(dynamic)                                                         \
    num_threads(all->walk.cpu->threads) if (all->branches > 1)
        for (size_t k = 0; k < all->branches; k++)
            if (!ky_halted(all->walk.cpu->base.halt))
                do_branch(all, &desk[ky_thread()], all->branch[k]);
        status = report(all, desk, error);
    }
    close_desks(all, desk);
    free(all->branch);
    free(all->group);
    free(all->cell);
    return status;
}

/* ---- ranks ---- */

/* The context of reach_of: the reach of the bodies, for the request to the engine's own tree. */
struct looking {
    struct ky_general walk; /* for its own tree, with memory for bound2 */
    struct ky_general_desk *desk;
};

/* The function `reach` of struct ky_shared_tree. */
static double reach_of(void *context, const struct ky_octree *own, uint32_t first, uint32_t bodies)
{
    const struct looking *looking = context;
    struct ky_general walk = looking->walk;
    walk.tree = own;
    walk.own = ky_cpu_own_bodies(walk.cpu, own);
    const struct ky_group group = {first, bodies};
    return sqrt(ky_general_measure(&walk, &looking->desk[ky_thread()], &group).most2);
}

/* Makes the tree with the bodies of other ranks within reach. Computes bound2 of all sinks. */
static enum ky_status share(struct ky_general *walk, const struct ky_parameters *parameters,
                            struct ky_error *error)
{
    static const struct ky_octree none;
    const int needs_k = walk->action->facts.about.needs_k;
    struct all all;
    struct looking looking;
    walk->bound2 = ky_allocate(needs_k ? walk->cpu->n : 0, sizeof *walk->bound2);
    if (!walk->bound2)
        return ky_no_memory(error, "reaches of bodies", walk->cpu->n, sizeof *walk->bound2);
    looking.walk = all.walk = *walk;
    all.walk.tree = &none; /* without lists of cells */
    enum ky_status status = open_desks(&all, &looking.desk, error);
    if (!status)
        status = ky_cpu_stand_tree_to_walk(ky_cpu_bodies(walk->cpu), parameters, reach_of, &looking,
                                           error);
    close_desks(&all, looking.desk);
    walk->has_bounds = 1;
    return status;
}

/* Makes the tree of the walk. An action with an unlimited reach uses the opening test. */
static enum ky_status stand(struct ky_general *walk, struct ky_error *error)
{
    struct ky_cpu *cpu = walk->cpu;
    const struct ky_parameters parameters = ky_walk_parameters(walk->request, cpu->parameters);
    const struct ky_action *about = &walk->action->facts.about;
    if (ky_cpu_is_divided(cpu))
        return about->needs_radius || about->needs_k
                   ? share(walk, &parameters, error)
                   : ky_cpu_stand_tree_to_walk(ky_cpu_bodies(cpu), &parameters, NULL, NULL, error);
    return cpu->n ? ky_cpu_stand_tree(ky_cpu_bodies(cpu), &parameters, error) : KY_OK;
}

enum ky_status ky_cpu_walk_action(struct ky_cpu *cpu, const struct ky_cpu_action *action,
                                  const struct ky_walk_request *request, struct ky_error *error)
{
    struct all all = {.walk = {.cpu = cpu,
                               .tree = &cpu->bodies.tree,
                               .action = action,
                               .request = request,
                               .stride = (action->size + 15) / 16 * 16,
                               .source_eps = cpu->how & KY_EPS_OF_BOTH},
                      .is_dual = action->facts.is_dual};
    ky_report_clear(&cpu->report);
    double start = ky_clock();
    enum ky_status status = stand(&all.walk, error);
    double built = ky_clock();
    all.walk.number = ky_cpu_numbers(&cpu->bodies.tree);
    all.walk.own = ky_cpu_own_bodies(cpu, &cpu->bodies.tree);
    if (!status && cpu->n)
        status = walk_all(&all, error);
    free(all.walk.bound2);
    cpu->report.walk = ky_clock() - built;
    cpu->report.total = ky_clock() - start;
    return status;
}
