/* The rows of the forces. */
#include "engine/common/force_kinds.h"

#include <math.h>

#include "octree/opening_kinds.h"

const char *const ky_options_of_trees[] = {"opening",   "theta", "alpha",  "cell",
                                           "multipole", "curve", "tree",   "leaf",
                                           "group",     "order", "mutual", NULL},
                  *const ky_options_of_groups[] = {"group", "order", "mutual", NULL},
                  *const ky_not_of_expansions[] = {"opening", "theta", "cell", "multipole", NULL},
                  *const ky_options_of_fmm[] = {"order", "mutual", NULL};
size_t ky_direct_least_on_units = 49152;

static const char *const none[] = {NULL};

#define KIND(p, name, NAME, on_cpu, on_devices, help, ...)                                         \
    [KY_##NAME] = {.option = "--force " #name, __VA_ARGS__},
static const struct ky_force_kind kinds[] = {
    KY_FORCES(KIND, )
        /* Before the method is chosen. */
        [KY_FORCE_AUTO] = {.option = "--force auto",
                           .ignored = none,
                           .cell = KY_CELL_BY_FORCE,
                           .precision = KY_PRECISION_BY_INTEGRATOR,
                           .tree = KY_TREE_BY_ENGINE,
                           .crossover = (double)INFINITY},
};

#define PLACE(p, name, NAME, ...) PLACE_##NAME,
enum { KY_FORCES(PLACE, ) PLACE_FORCE_AUTO };
#define IN_ORDER(p, name, NAME, ...)                                                               \
    _Static_assert((int)PLACE_##NAME == (int)KY_##NAME,                                            \
                   "the rows of KY_FORCES are in the order of enum ky_force");
KY_FORCES(IN_ORDER, )
_Static_assert((int)PLACE_FORCE_AUTO == (int)KY_FORCE_AUTO, "all forces have rows");

static const struct ky_force_kind unknown = {
    .tree = KY_TREE_BY_ENGINE, .ignored = none, .crossover = (double)INFINITY};

const struct ky_force_kind *ky_force_kind(int force)
{
    const int known = force >= 0 && (size_t)force < sizeof kinds / sizeof *kinds;
    return known ? &kinds[force] : &unknown;
}

enum ky_status ky_force_lacks(const char *engine, int force, struct ky_error *error)
{
    const char *instead = ky_force_kind(force)->instead;
    return instead
               ? ky_fail(error, KY_UNSUPPORTED, "%s", instead)
               : ky_fail(error, KY_UNSUPPORTED, "engine %s has no force number %d: give one of %s",
                         engine, force, KY_FORCE_CHOICES);
}

/* In a box α is a part of the rms acceleration, which in a nearly uniform universe is small beside
 * the pulls that cancel each other. */
double ky_expansions_alpha(const struct ky_parameters *parameters)
{
    static const double usual[][5] = {{1e-4, 2e-4, 5e-4, 8e-4, 1e-3},
                                      {1e-6, 1e-5, 5e-5, 2e-4, 8e-4}};
    enum { LEAST = 2, COUNT = sizeof *usual / sizeof **usual };
    const int place = parameters->order < LEAST ? 0 : parameters->order - LEAST;
    return usual[parameters->box > 0][place < COUNT ? place : COUNT - 1];
}

double ky_force_coarseness(const struct ky_parameters *parameters)
{
    const double usual = ky_opening_kind(KY_OPENING_USUAL)->usual;
    return ky_force_kind(parameters->force)->expands
               ? usual * sqrt(parameters->alpha / ky_expansions_alpha(parameters))
               : parameters->alpha;
}

/* With mutual forces (cpu/forces/mutual.c) cells of at most this many bodies are leaves, unless
 * they are wide; wide cells are divided down to the leaves of the tree. */
enum { GROUP_OF_MUTUAL = 32, LEAF_OF_MUTUAL = 4 };
/* The factor by which leaves are larger with KY_FMM. The more time a cell takes, the larger are the
 * fastest leaves. In a box the tolerance is small beside the pulls of neighbours: there the largest
 * leaves would act body by body on many others. */
static int leaves_of(const struct ky_parameters *parameters)
{
    const int is_high = parameters->order > 5 && !(parameters->box > 0);
    return parameters->order < 5 ? 2 : is_high ? 5 : 3;
}

int ky_force_usual(const struct ky_parameters *parameters)
{
    return parameters->box > 0 ? KY_FMM : KY_TREE;
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
