/* The rows of the forces. */
#include "engine/common/force_kinds.h"

#include <math.h>

#include "octree/opening_kinds.h"

/* Crossovers: measured with Plummer spheres, default options and steps of the leap-frog on an
 * NVIDIA H200 and its host's Xeon (Sapphire Rapids): 99 bodies with 1 thread and 90 with 16 for the
 * exact sum, some 600 and 430 for the tree. Threads hardly help such small systems, so one number
 * is used for all. bench/crossover.c repeats the measurement; docs/lab/2026-11-22-gpu-crossover.md
 * has the figures. */
static const char *const of_trees[] = {"opening", "theta", "alpha", "cell",  "multipole", "curve",
                                       "tree",    "leaf",  "group", "order", "mutual",    NULL},
                         *const of_groups[] = {"group", "order", "mutual", NULL},
                         *const of_expansions[] = {"opening", "theta", "cell", "multipole", NULL},
                         *const of_fmm[] = {"order", "mutual", NULL}, *const none[] = {NULL};

static const char of_the_device[] =
    "--tree host is for --force walk and list: give one of these, or leave out --tree";

static const struct ky_force_kind kinds[] = {
    [KY_DIRECT] = {.is_exact = 1,
                   .option = "--force direct",
                   .ignored = of_trees,
                   .cell = KY_BOX,
                   .precision = KY_EXTENDED,
                   .tree = KY_TREE_BY_ENGINE,
                   .crossover = 100,
                   .least_error = {1e-4, 3e-5, KY_FORCE_LEAST_ERROR}},
    [KY_WALK] = {.has_tree = 1,
                 .option = "--force walk",
                 .ignored = of_groups,
                 .cell = KY_EDGE,
                 .precision = KY_SINGLE,
                 .tree = KY_TREE_BY_ENGINE,
                 .crossover = 500,
                 .least_error = {2e-6, 2e-6, 3e-8},
                 .usual_error = 2e-3},
    [KY_LIST] = {.has_tree = 1,
                 .option = "--force list",
                 .ignored = of_fmm,
                 .cell = KY_EDGE,
                 .precision = KY_SINGLE,
                 .tree = KY_TREE_OF_HOST,
                 .not_the_other = "--tree device is for --force walk, tree and fmm: the lists of "
                                  "--force list come from a tree of the host",
                 .crossover = 500,
                 .least_error = {2e-6, 2e-6, 3e-8},
                 .usual_error = 1e-3},
    [KY_TREE] = {.has_tree = 1,
                 .option = "--force tree",
                 .ignored = of_fmm,
                 .in_groups = 1,
                 .cell = KY_BOX,
                 .precision = KY_SINGLE,
                 .tree = KY_TREE_OF_DEVICE,
                 .not_the_other = of_the_device,
                 .crossover = 500,
                 .least_error = {2e-6, 2e-6, 3e-8},
                 .usual_error = 1e-3},
    [KY_FMM] = {.has_tree = 1,
                .expands = 1,
                .option = "--force fmm",
                .ignored = of_expansions,
                .in_groups = 1,
                .cell = KY_BOX,
                .precision = KY_SINGLE,
                .tree = KY_TREE_OF_DEVICE,
                .not_the_other = of_the_device,
                .crossover = 500,
                .least_error = {2e-6, 2e-6, 3e-8}},
    /* The row for a method that is not chosen yet. */
    [KY_FORCE_AUTO] = {.option = "--force auto",
                       .ignored = none,
                       .cell = KY_CELL_BY_FORCE,
                       .precision = KY_PRECISION_BY_INTEGRATOR,
                       .tree = KY_TREE_BY_ENGINE,
                       .crossover = (double)INFINITY},
};

static const struct ky_force_kind unknown = {
    .tree = KY_TREE_BY_ENGINE, .ignored = none, .crossover = (double)INFINITY};

const struct ky_force_kind *ky_force_kind(int force)
{
    const int known = force >= 0 && (size_t)force < sizeof kinds / sizeof *kinds;
    return known ? &kinds[force] : &unknown;
}

double ky_expansions_alpha(int degree)
{
    static const double usual[] = {1e-4, 2e-4, 5e-4, 8e-4, 1e-3};
    enum { LEAST = 2, COUNT = sizeof usual / sizeof *usual };
    const int place = degree < LEAST ? 0 : degree - LEAST;
    return usual[place < COUNT ? place : COUNT - 1];
}

double ky_force_coarseness(const struct ky_parameters *parameters)
{
    const double usual = ky_opening_kind(KY_OPENING_USUAL)->usual;
    return ky_force_kind(parameters->force)->expands
               ? usual * sqrt(parameters->alpha / ky_expansions_alpha(parameters->order))
               : parameters->alpha;
}

/* With mutual forces (cpu/forces/mutual.c) cells of at most this many bodies are leaves, unless
 * they are wide; wide cells are divided down to the leaves of the tree. */
enum { GROUP_OF_MUTUAL = 32, LEAF_OF_MUTUAL = 4 };
/* The factor by which leaves are larger with KY_FMM. The more time a cell takes, the larger are the
 * fastest leaves. */
static int leaves_of(const struct ky_parameters *parameters)
{
    return parameters->order < 5 ? 2 : parameters->order < 6 ? 3 : 5;
}

struct ky_parameters ky_force_tree(const struct ky_parameters *parameters)
{
    struct ky_parameters own = *parameters;
    if (ky_force_kind(own.force)->expands) {
        own.multipole = own.order;
        own.leaf *= leaves_of(&own);
        if (own.mutual) {
            own.leaf = LEAF_OF_MUTUAL;
            own.group = own.group < GROUP_OF_MUTUAL ? own.group : GROUP_OF_MUTUAL;
        }
    }
    return own;
}
