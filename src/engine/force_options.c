/* The tables of the options of engine and force in struct ky_parameters, and the fields that follow
 * from others. */
#include "engine/force_options.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/status.h"
#include "engine/common/external.h"
#include "engine/common/force_kinds.h"
#include "octree/opening_kinds.h"
#include "physics/softening.h"
#include "physics/taylor_table.h"

#define FIELD(name) offsetof(struct ky_parameters, name)
#define COUNT(table) (sizeof(table) / sizeof *(table))

#define IN_ORDER(name, NAME, how, help)                                                            \
    _Static_assert((int)KY_SOFTENING_ROW_##NAME == (int)KY_##NAME,                                 \
                   "the rows of KY_SOFTENING_KINDS are in the order of enum ky_softening_kind");
KY_SOFTENING_KINDS(IN_ORDER)

#define DRIVER_WORD(own, name, ...) "|" #name "[:i,j...]"

static const struct ky_option engine_options[] = {
    {"engine", KY_OPTION_TEXT, FIELD(engine), "auto", KY_NO_RANGE, NULL,
     "auto|cpu" KY_DRIVERS(DRIVER_WORD, ),
     "processor; `kyoho devices` lists them. auto takes a GPU if it is faster than the CPU for the "
     "number of bodies, and prints the choice"},
    {"isa", KY_OPTION_CHOICE, FIELD(isa), "auto", KY_NO_RANGE, "auto|plain|sse2|avx2|avx512|neon",
     NULL, "instruction set of the CPU engine; auto takes the widest one"},
    {"threads", KY_OPTION_INTEGER, FIELD(threads), "0", 0, 1024, NULL, NULL,
     "number of CPU threads, also for trees that the CPU builds for a device; 0: OMP_NUM_THREADS, "
     "otherwise all processors that this process may use"},
    {"ranks", KY_OPTION_INTEGER, FIELD(ranks), "1", 1, 1024, NULL, NULL,
     "number of ranks that share the simulation of `kyoho run`: each has a part of the threads, "
     "or one of the devices of --engine; the bits of the bodies do not depend on their number. "
     "With --force tree or fmm, and --integrator leapfrog or block, each has a part of the "
     "bodies, otherwise all of them. Without --ranks, each of several devices gets a rank, unless "
     "the first device alone is faster"},
    {"tree", KY_OPTION_CHOICE, FIELD(tree), NULL, KY_NO_RANGE, "host|device", NULL,
     "processor that builds the tree for a device. device: the device itself; host, only for "
     "searches and --force walk and list: the CPU, which copies it to the device (default "
     "device; host with --force list)"},
};

#define FIELD_WORD(name, accelerations, lengths, word, how, range, initial, help) " " word
#define FIELD_SENTENCE(name, NAME, word, help) "; " word KY_NUMBERS_##name(FIELD_WORD) ": " help

static const struct ky_option force_options[] = {
    {"force", KY_OPTION_CHOICE, FIELD(force), "auto", KY_NO_RANGE, KY_FORCE_CHOICES, NULL,
     KY_FORCE_HELP
     "auto: the fastest of direct, tree and fmm for these bodies, engine, "
     "integrator and --error, which is printed and stored; an option that only some of them use "
     "selects among these: --theta tree, --order fmm"},
    {"error", KY_OPTION_REAL, FIELD(error), NULL, KY_FORCE_LEAST_ERROR, 1, NULL, NULL,
     "relative error for 99 % of the accelerations. It chooses order, alpha, precision and, "
     "unless --force is given, the method, by comparison with exact sums for a sample of the "
     "bodies (without it the errors are as said for alpha). In a periodic box it is an error over "
     "the rms acceleration of all bodies, and a comoving run chooses order and alpha again "
     "whenever the scale factor has doubled"},
    {"opening", KY_OPTION_CHOICE, FIELD(opening), NULL, KY_NO_RANGE, KY_OPENING_CHOICES, NULL,
     "condition for using a cell of size l at distance d as a whole" KY_OPENING_HELP
     " (default relative; offset if only --theta is given)"},
    {"theta", KY_OPTION_REAL, FIELD(theta), NULL, 1e-3, 2.0, NULL, NULL,
     "opening angle θ: smaller is more accurate and slower. With offset and 0.7, 99 % of the "
     "accelerations are within 0.3 % in a sphere, 1 % in a sheet or a lattice (walk: 0.8 and 1 "
     "%). With relative, θ is used only for the first evaluation (default 0.7)"},
    {"alpha", KY_OPTION_REAL, FIELD(alpha), NULL, 1e-12, 1.0, NULL, NULL,
     "tolerance of --opening relative for a cell, in units of the last acceleration: smaller is "
     "more accurate and slower. With 0.005, 99 % of the accelerations are within 0.25 % (walk: 0.4 "
     "%; "
     "a few compact clumps: 0.6 %). With --force fmm it is the tolerance of an expansion: with the "
     "default, 99 % of the accelerations are within 0.1 % (default 0.005; fmm: 0.0005, with the "
     "orders 2, 3, 5, 6: 0.0001, 0.0002, 0.0008, 0.001; in a periodic box 0.002, fmm with order 4: "
     "0.00005, 5: 0.0002, 6: 0.0008)"},
    {"cell", KY_OPTION_CHOICE, FIELD(cell), NULL, KY_NO_RANGE, "box|edge", NULL,
     "size l of a cell: box is the longest side of the box around its bodies, edge the side of its "
     "cube (default box; edge with walk and list)"},
    {"multipole", KY_OPTION_INTEGER, FIELD(multipole), "2", 1, 2, NULL, "1|2",
     "highest moments of a cell; 1: monopole, 2: quadrupole"},
    {"order", KY_OPTION_INTEGER, FIELD(order), "0", 0, KY_TAYLOR_MOST, NULL, NULL,
     "order of the expansions of --force fmm, 2 to 6: a higher one is faster if errors are small; "
     "0: 4, in a periodic box 6"},
    {"curve", KY_OPTION_CHOICE, FIELD(curve), "hilbert", KY_NO_RANGE, "none|morton|hilbert", NULL,
     "curve along which the bodies are sorted before the walk"},
    {"leaf", KY_OPTION_INTEGER, FIELD(leaf), "16", 1, 4096, NULL, NULL,
     "maximum number of bodies in a leaf; with --force fmm twice as many, with --order 5 three "
     "times, with 6 five times and in a box three, on devices at most 32 unless more are given"},
    {"group", KY_OPTION_INTEGER, FIELD(group), "64", 1, 256, NULL, NULL,
     "maximum number of bodies that share a tree walk; at most 32 with --mutual and on a device, "
     "there 64 with fmm in a box"},
    {"precision", KY_OPTION_CHOICE, FIELD(precision), NULL, KY_NO_RANGE,
     "single|extended|double|mixed", NULL,
     "arithmetic of pairs: single: float; extended: distances of 48 bits, then float; double: "
     "double; mixed: for direct, on the matrix units of a CUDA device, where 99 % of the "
     "accelerations are within 2e-5 (default single; for direct: extended, and double for "
     "hermite4 with up to 1,024 bodies with mass)"},
    {"softening", KY_OPTION_REAL, FIELD(softening), NULL, 0, (double)INFINITY, NULL, "LENGTH",
     "Plummer softening ε of all bodies; without it their own, or the one stored in the file, or "
     "the model's; 0: none [length]"},
    {"softening-kind", KY_OPTION_CHOICE, FIELD(softening_kind), NULL, KY_NO_RANGE,
     KY_SOFTENING_CHOICES, NULL,
     KY_SOFTENING_HELP "without it the kind stored in the file, else plummer"},
    {"g", KY_OPTION_REAL, FIELD(g), "1", 0, (double)INFINITY, NULL, NULL,
     "gravitational constant in the units of the bodies"},
    {"field", KY_OPTION_TEXT, FIELD(field), NULL, KY_NO_RANGE, NULL, "NAME:NUMBER=VALUE,...",
     "external fields that act on all bodies, separated by blanks, about the centre x, y, z (0). "
     "centre=@FILE and strength=@FILE are tables in time, for a field that moves or grows; turn "
     "and angle rotate its axes about z; reflex=1: the origin of the frame falls in "
     "it" KY_EXTERNAL_KINDS(FIELD_SENTENCE) KY_EXTERNAL_SUMS(FIELD_SENTENCE)},
    {"mutual", KY_OPTION_FLAG, FIELD(mutual), "no", KY_NO_RANGE, NULL, NULL,
     "with --force fmm: a pair of cells acts in both directions or in neither, so that total "
     "momentum is conserved to rounding errors; needs --engine cpu and --integrator leapfrog"},
    {"box", KY_OPTION_REAL, FIELD(box), "0", 0, DBL_MAX, NULL, "LENGTH",
     "side of a periodic box with a corner at the origin, into which all bodies are moved: every "
     "body acts with all its images, and the mean density exerts no force. With --force direct, "
     "tree or fmm and --integrator leapfrog or block; alpha is then relative to |a|, or to a "
     "tenth of the rms acceleration where that is larger; 0: open space [length]"},
};

void ky_force_sets(struct ky_parameters *parameters, struct ky_option_set sets[KY_FORCE_SETS])
{
    sets[0] = (struct ky_option_set){"engine",   engine_options, COUNT(engine_options),
                                     parameters, NULL,           NULL};
    sets[1] = (struct ky_option_set){"force",    force_options, COUNT(force_options),
                                     parameters, NULL,          NULL};
}

void ky_force_defaults(struct ky_parameters *parameters)
{
    struct ky_option_set sets[KY_FORCE_SETS];
    *parameters = (struct ky_parameters){.size = sizeof *parameters};
    ky_force_sets(parameters, sets);
    for (int k = 0; k < KY_FORCE_SETS; k++)
        ky_options_defaults(&sets[k]);
}

/* ---- the force that options imply ---- */

/* Whether the option has another value than when nobody sets it. */
static int is_given(const struct ky_parameters *own, const struct ky_option *option)
{
    char now[64], initial[64];
    struct ky_parameters defaults;
    ky_force_defaults(&defaults);
    ky_option_text(option, own, now, sizeof now);
    ky_option_text(option, &defaults, initial, sizeof initial);
    return strcmp(now, initial) != 0;
}

/* The methods of KY_FORCE_AUTO; the first that uses all options that are given is chosen. Returns
 * their number: the approximate ones in the order of the table, then the exact ones. */
static int list_methods(int methods[KY_FORCE_AUTO])
{
    int count = 0;
    for (int exact = 0; exact <= 1; exact++)
        for (int force = 0; force < KY_FORCE_AUTO; force++)
            if (ky_force_kind(force)->automatic && ky_force_kind(force)->is_exact == exact)
                methods[count++] = force;
    return count;
}

/* Whether the force ignores the option, but not all methods do. */
static int refuses(const struct ky_parameters *parameters, int force, const char *name)
{
    struct ky_parameters own = *parameters;
    int methods[KY_FORCE_AUTO], ignored = 0;
    const int count = list_methods(methods);
    for (int k = 0; k < count; k++) {
        own.force = methods[k];
        ignored += ky_parameters_ignore(&own, name) != NULL;
    }
    own.force = force;
    return ignored < count && ky_parameters_ignore(&own, name);
}

/* The first of the options that the force, but not all methods, ignores; NULL: there is none. */
static const char *refused(const struct ky_parameters *own, int force, const char *const *given)
{
    while (*given && !refuses(own, force, *given))
        given++;
    return *given;
}

/* KY_USAGE for options that the error chooses, and for an opening test that keeps no error. */
static enum ky_status check_error(const struct ky_parameters *own, const char *const *given,
                                  struct ky_error *error)
{
    if (isnan(own->error))
        return KY_OK;
    for (; *given; given++)
        if (!strcmp(*given, "alpha") || !strcmp(*given, "theta") || !strcmp(*given, "order"))
            return ky_fail(error, KY_USAGE,
                           "--error and --%s: an error chooses alpha, theta and order; give one of "
                           "the two",
                           *given);
    if (own->opening == KY_OPENING_BY_USE || ky_opening_kind(own->opening)->by_alpha)
        return KY_OK;
    return ky_fail(error, KY_USAGE,
                   "--error and --opening %s: only --opening %s keeps an error; leave out one "
                   "of the two",
                   ky_opening_kind(own->opening)->name, ky_opening_kind(KY_OPENING_USUAL)->name);
}

/* As ky_parameters_choose_force. */
static enum ky_status choose_force(struct ky_parameters *own, const char *const *given,
                                   struct ky_error *error)
{
    const char *by[KY_FORCE_AUTO];
    int methods[KY_FORCE_AUTO], refusals = 0, user = 0;
    const int count = list_methods(methods);
    int chosen = count;
    enum ky_status status = check_error(own, given, error);
    if (status || own->force != KY_FORCE_AUTO)
        return status;
    for (int k = count - 1; k >= 0; k--) {
        by[k] = refused(own, methods[k], given);
        refusals += by[k] != NULL;
        chosen = by[k] ? chosen : k;
    }
    while (refusals == count && refuses(own, methods[user], by[0]))
        user++;
    if (refusals == count)
        return ky_fail(error, KY_USAGE,
                       "--%s is for %s, which does not use --%s: leave out one of the two", by[0],
                       ky_force_kind(methods[user])->option, by[user]);
    if (refusals > 0)
        own->force = methods[chosen];
    return KY_OK;
}

enum ky_status ky_parameters_choose_force(struct ky_parameters *parameters,
                                          const char *const *given, struct ky_error *error)
{
    struct ky_parameters own;
    KY_NEED(given, error);
    ky_force_defaults(&own);
    KY_TRY(ky_size_adopt(&own, sizeof own, parameters, "ky_parameters_defaults", error));
    KY_TRY(choose_force(&own, given, error));
    parameters->force = own.force;
    return KY_OK;
}

/* The same if the given options are the options whose values differ from the defaults. */
static enum ky_status choose_by_values(struct ky_parameters *own, struct ky_error *error)
{
    const char *given[COUNT(engine_options) + COUNT(force_options) + 1];
    struct ky_option_set sets[KY_FORCE_SETS];
    size_t count = 0;
    ky_force_sets(NULL, sets);
    for (int s = 0; s < KY_FORCE_SETS; s++)
        for (size_t k = 0; k < sets[s].count; k++)
            if (is_given(own, &sets[s].options[k]))
                given[count++] = sets[s].options[k].name;
    given[count] = NULL;
    return choose_force(own, given, error);
}

/* The tolerance of an opening test is θ or α: the option that is given chooses the test. */
static enum ky_status resolve_opening(struct ky_parameters *own, struct ky_error *error)
{
    if (own->order == 0)
        own->order = own->box > 0 ? 6 : 4;
    if (ky_force_kind(own->force)->expands) {
        own->opening = KY_OPENING_USUAL;
        if (isnan(own->theta)) /* for points and general walks */
            own->theta = ky_opening_kind(KY_OPENING_AT_FIRST)->usual;
        own->alpha = isnan(own->alpha) ? ky_expansions_alpha(own) : own->alpha;
        return KY_OK;
    }
    const int theta = !isnan(own->theta), alpha = !isnan(own->alpha);
    char by_theta[KY_OPENING_NAMES], by_alpha[KY_OPENING_NAMES];
    ky_opening_names(0, by_theta);
    ky_opening_names(1, by_alpha);
    if (own->opening == KY_OPENING_BY_USE && theta && alpha)
        return ky_fail(error, KY_USAGE,
                       "theta and alpha are both given: theta is for opening %s, alpha for %s; "
                       "give the opening",
                       by_theta, by_alpha);
    if (own->opening == KY_OPENING_BY_USE)
        own->opening = theta ? KY_OPENING_AT_FIRST : KY_OPENING_USUAL;
    const struct ky_opening_kind *kind = ky_opening_kind(own->opening);
    if (!kind->by_alpha && alpha)
        return ky_fail(
            error, KY_USAGE,
            "alpha is given, but it is the tolerance of opening %s; the other openings use theta",
            by_alpha);
    if (!theta) /* a test by α has θ for its first pass */
        own->theta = (kind->by_alpha ? ky_opening_kind(KY_OPENING_AT_FIRST) : kind)->usual;
    /* in a box most pulls cancel, and |a| is small beside them */
    if (kind->by_alpha && !alpha)
        own->alpha = own->box > 0 ? 0.4 * kind->usual : kind->usual;
    return KY_OK;
}

/* Fills the fields that follow from the force, which is known. */
static enum ky_status resolve_for_force(struct ky_parameters *own, struct ky_error *error)
{
    const struct ky_force_kind *force = ky_force_kind(own->force);
    if (own->cell == KY_CELL_BY_FORCE)
        own->cell = force->cell;
    if (own->precision == KY_PRECISION_BY_INTEGRATOR)
        own->precision = (int)force->precision;
    return resolve_opening(own, error);
}

/* KY_USAGE for parameters that a periodic box does not have. */
static enum ky_status check_box(const struct ky_parameters *own, struct ky_error *error)
{
    const int has_field = own->field || own->field_function || own->field_places;
    const int has_stop = own->stop_collision || !isnan(own->stop_pair) ||
                         !isnan(own->stop_escape) || !isnan(own->stop_box);
    const struct {
        int is_wrong;
        const char *why;
    } checks[] = {
        {own->force != KY_FORCE_AUTO && !ky_force_kind(own->force)->in_box,
         "this force does not know periodic boxes: use --force fmm, tree or direct with --box"},
        {own->mutual,
         "with --box the forces on all bodies add up to 0 without --mutual: leave out --mutual"},
        {has_field, "external fields are in open space: leave out --field or --box"},
        {has_stop, "searches for pairs and escapers are in open space: leave out --collisions, "
                   "--stop-collision, --stop-pair, --stop-escape and --stop-box, or --box"},
        {own->softening > 0.1 * own->box,
         "the softening is more than a tenth of the box, whose farther images are not softened: "
         "use a smaller --softening or a larger --box"},
    };
    for (size_t k = 0; k < COUNT(checks) && own->box > 0; k++)
        if (checks[k].is_wrong)
            return ky_fail(error, KY_USAGE, "%s", checks[k].why);
    return KY_OK;
}

enum ky_status ky_force_resolve_later(const struct ky_parameters *given,
                                      struct ky_parameters *resolved, struct ky_error *error)
{
    struct ky_parameters own; /* `given` may be `resolved` */
    ky_force_defaults(&own);
    enum ky_status status = ky_size_adopt(&own, sizeof own, given, "ky_parameters_defaults", error);
    if (!status)
        status = choose_by_values(&own, error);
    if (status)
        return status;
    *resolved = own;
    if (!resolved->engine)
        resolved->engine = "auto";
    if (resolved->softening_kind == KY_SOFTENING_KIND_BY_SNAPSHOT)
        resolved->softening_kind = KY_PLUMMER;
    struct ky_option_set sets[KY_FORCE_SETS];
    ky_force_sets(resolved, sets);
    if (resolved->force != KY_FORCE_AUTO && isnan(resolved->error))
        status = resolve_for_force(resolved, error);
    for (int k = 0; k < KY_FORCE_SETS && !status; k++)
        status = ky_options_check(&sets[k], error);
    struct ky_externals fields = {0};
    if (!status && resolved->order == 1)
        status = ky_fail(error, KY_USAGE,
                         "--order 1: expansions have an order from 2 to 6, or 0 for the default");
    if (!status && resolved->precision == KY_MIXED &&
        isinf(ky_force_kind(resolved->force)->least_error[KY_MIXED]))
        status = ky_fail(error, KY_USAGE,
                         "--precision mixed is for --force direct: give both, or another "
                         "--precision");
    if (!status && resolved->mutual && !ky_force_kind(resolved->force)->expands)
        status = ky_fail(error, KY_USAGE,
                         "mutual interactions are between cells: use --force fmm with --mutual, or "
                         "leave it out (--mutual=no)");
    if (!status)
        status = check_box(resolved, error);
    if (!status)
        status = ky_externals_of(resolved, &fields, error);
    ky_externals_release(&fields);
    return status;
}

enum ky_status ky_force_resolve(const struct ky_parameters *given, struct ky_parameters *resolved,
                                struct ky_error *error)
{
    struct ky_parameters own;
    enum ky_status status = ky_force_resolve_later(given, &own, error);
    if (!status && own.force == KY_FORCE_AUTO)
        own.force = ky_force_usual(&own);
    own.error = status ? own.error : (double)NAN;
    return status ? status : ky_force_resolve_later(&own, resolved, error);
}

enum ky_status ky_force_resolve_once(const struct ky_parameters *given,
                                     struct ky_parameters *resolved, struct ky_error *error)
{
    struct ky_parameters once;
    ky_force_defaults(&once);
    enum ky_status status =
        ky_size_adopt(&once, sizeof once, given, "ky_parameters_defaults", error);
    const int by_error = !isnan(once.error);
    if (!status)
        status = choose_by_values(&once, error);
    if (!by_error && once.force == KY_FORCE_AUTO)
        once.force = ky_force_usual(&once);
    if (!by_error && once.opening == KY_OPENING_BY_USE && isnan(once.alpha))
        once.opening = KY_OPENING_AT_FIRST;
    return status ? status : ky_force_resolve_later(&once, resolved, error);
}

/* 1 if the parameters allow an engine of that name. */
static int may_take(const struct ky_parameters *parameters, const char *engine)
{
    const char *const given = parameters->engine ? parameters->engine : "auto";
    return !strncmp(given, engine, strlen(engine)) || !strncmp(given, "auto", 4);
}

const char *ky_parameters_ignore(const struct ky_parameters *parameters, const char *name)
{
    if (!parameters || !name)
        return NULL;
    const struct ky_force_kind *force = ky_force_kind(parameters->force);
    if (!strcmp(name, "mutual") && !parameters->mutual)
        return NULL; /* with every force */
    for (const char *const *ignored = force->ignored; *ignored; ignored++)
        if (!strcmp(*ignored, name))
            return force->option;
    if (!strcmp(name, "leaf") && parameters->mutual)
        return "--mutual";
    if (!strcmp(name, "tree") && parameters->engine &&
        ky_engine_is_named(parameters->engine, "cpu"))
        return "--engine cpu";
    return !strcmp(name, "isa") && !may_take(parameters, "cpu") ? "an --engine other than cpu"
                                                                : NULL;
}
