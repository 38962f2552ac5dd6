/* The table of forces. From a row follow the word of --force and its help, the properties of the
 * force on any engine, its part in KY_FORCE_AUTO, and the engines' tables of methods. */
#ifndef KY_ENGINE_FORCE_KINDS_H
#define KY_ENGINE_FORCE_KINDS_H

#include "engine/engine.h"

struct ky_force_kind {
    int is_exact;      /* exact sum over all bodies; it can give jerks, and points may represent
                          bodies */
    int has_tree;      /* uses a tree */
    int expands;       /* cells act on cells, with moments of --order */
    int in_box;        /* in a periodic box too */
    int in_groups;     /* bodies walk through the tree in groups, else each by itself */
    enum ky_cell cell; /* default of --cell */
    enum ky_precision precision; /* default of --precision */
    enum ky_tree_maker tree; /* the only tree that it can use on a device; KY_TREE_BY_ENGINE: any */
    const char *not_the_other;  /* the error text if the caller asks for the tree maker that the
                                   force does not have */
    const char *instead;        /* the error text of engines that lack the force */
    const char *option;         /* "--force direct" */
    const char *const *ignored; /* names of options that it ignores, ended by NULL */
    double
        crossover; /* from this number of bodies on a GPU takes less time for a step than a CPU */
    int automatic; /* KY_FORCE_AUTO may take it */
    /* Errors of 99 % of the accelerations: the least one by precision; in a Plummer sphere of
     * 100,000 bodies with α = 0.005, for forces that walk. docs/decisions/error.md says how they
     * were measured. */
    double least_error[KY_MIXED + 1], usual_error;
};

/* From this number of bodies on exact sums in mixed precision use matrix units. With fewer bodies
 * they gain nothing. Tests change it. */
extern size_t ky_direct_least_on_units;
/* The least --error. */
#define KY_FORCE_LEAST_ERROR 1e-13

/* Names of options that forces ignore, ended by NULL. */
extern const char *const ky_options_of_trees[],
    *const ky_options_of_groups[], *const ky_options_of_fmm[], *const ky_not_of_expansions[];
#define KY_LEAST_OF_TREES                                                                          \
    {                                                                                              \
        2e-6, 2e-6, 3e-8, (double)INFINITY                                                         \
    }
#define KY_NOT_OF_HOST                                                                             \
    "--tree host is for --force walk and list: give one of these, or leave out --tree"

/* F(p, name, NAME, on_cpu, on_devices, help, …): the forces in the order of enum ky_force. `name`
 * is the word of --force, `help` its meaning; the rest are members of struct ky_force_kind. `p` is
 * the caller's. The engines that have the force: KY_TAKES or KY_LACKS. The methods are
 * ky_cpu_NAME_method (cpu/forces/forces.h) and ky_NAME_method (device/forces/method.h).
 *
 * Crossovers: measured with Plummer spheres, default options and steps of the leap-frog on an
 * NVIDIA H200 and its host's Xeon (Sapphire Rapids): 99 bodies with 1 thread and 90 with 16 for the
 * exact sum, some 600 and 430 for the tree. Threads hardly help such small systems, so one number
 * is used for all. bench/crossover.c repeats the measurement; docs/lab/2026-11-22-gpu-crossover.md
 * has the figures. */
#define KY_FORCES(F, p)                                                                            \
    F(p, direct, DIRECT, KY_TAKES, KY_TAKES, "exact sum", .is_exact = 1, .automatic = 1,           \
      .in_box = 1, .ignored = ky_options_of_trees, .cell = KY_BOX, .precision = KY_EXTENDED,       \
      .tree = KY_TREE_BY_ENGINE, .crossover = 100,                                                 \
      .least_error = {1e-4, 3e-5, KY_FORCE_LEAST_ERROR, 2e-5})                                     \
    F(p, walk, WALK, KY_TAKES, KY_TAKES, "one tree walk for each body", .has_tree = 1,             \
      .ignored = ky_options_of_groups, .cell = KY_EDGE, .precision = KY_SINGLE,                    \
      .tree = KY_TREE_BY_ENGINE, .crossover = 500, .least_error = KY_LEAST_OF_TREES,               \
      .usual_error = 2e-3)                                                                         \
    F(p, list, LIST, KY_LACKS, KY_TAKES, "interaction lists, made on the host for a device",       \
      .has_tree = 1, .ignored = ky_options_of_fmm, .cell = KY_EDGE, .precision = KY_SINGLE,        \
      .tree = KY_TREE_OF_HOST,                                                                     \
      .not_the_other = "--tree device is for --force walk, tree and fmm: the lists of --force "    \
                       "list come from a tree of the host",                                        \
      .instead = "force list is for devices, with lists made on the host: with the CPU engine "    \
                 "use --force tree or walk",                                                       \
      .crossover = 500, .least_error = KY_LEAST_OF_TREES, .usual_error = 1e-3)                     \
    F(p, tree, TREE, KY_TAKES, KY_TAKES, "one tree walk for each group of bodies", .has_tree = 1,  \
      .in_box = 1, .in_groups = 1, .ignored = ky_options_of_fmm, .cell = KY_BOX,                   \
      .precision = KY_SINGLE, .tree = KY_TREE_OF_DEVICE, .not_the_other = KY_NOT_OF_HOST,          \
      .automatic = 1, .crossover = 500, .least_error = KY_LEAST_OF_TREES, .usual_error = 1e-3)     \
    F(p, fmm, FMM, KY_TAKES, KY_TAKES, "cells act on cells (fast multipole method)",               \
      .has_tree = 1, .expands = 1, .in_box = 1, .in_groups = 1, .ignored = ky_not_of_expansions,   \
      .cell = KY_BOX, .precision = KY_SINGLE, .tree = KY_TREE_OF_DEVICE,                           \
      .not_the_other = KY_NOT_OF_HOST, .automatic = 1, .crossover = 500,                           \
      .least_error = KY_LEAST_OF_TREES)
#define KY_TAKES(F, name, NAME) F(name, NAME)
#define KY_LACKS(F, name, NAME)

/* The words of --force, and their meanings. */
#define KY_FORCE_WORD(p, name, ...) "|" #name
#define KY_FORCE_CHOICES (&(KY_FORCES(KY_FORCE_WORD, ) "|auto")[1])
#define KY_FORCE_SENTENCE(p, name, NAME, on_cpu, on_devices, help, ...) #name ": " help "; "
#define KY_FORCE_HELP KY_FORCES(KY_FORCE_SENTENCE, )

/* The row of an enum ky_force. An unknown force has a row too, which is never computed: it has no
 * tree, and its crossover is infinite. */
const struct ky_force_kind *ky_force_kind(int force);
/* The approximate force where nothing is known of the bodies: tree, and in a box fmm. */
int ky_force_usual(const struct ky_parameters *parameters);
/* Fails with KY_UNSUPPORTED: the engine of this name lacks the force. */
enum ky_status ky_force_lacks(const char *engine, int force, struct ky_error *error);
/* The parameters of the tree that the force uses: where cells act on cells, their moments have the
 * order of the expansions, and leaves are larger. */
struct ky_parameters ky_force_tree(const struct ky_parameters *parameters);

/* The default of --alpha where cells act on cells, by the order of the expansions. In open space,
 * with it, errors
 * are not larger than with --force tree and its default. */
double ky_expansions_alpha(const struct ky_parameters *parameters);
/* The α with which --force tree has about the same errors as these parameters; their opening uses
 * α. */
double ky_force_coarseness(const struct ky_parameters *parameters);

#endif
