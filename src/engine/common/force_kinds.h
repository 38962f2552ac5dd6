/* The table of forces: the properties of each named force, on any engine. The engines' own tables
 * have their methods. */
#ifndef KY_ENGINE_FORCE_KINDS_H
#define KY_ENGINE_FORCE_KINDS_H

#include "engine/engine.h"

struct ky_force_kind {
    int is_exact;      /* exact sum over all bodies; it can give jerks, and points may represent
                          bodies */
    int has_tree;      /* uses a tree */
    int expands;       /* cells act on cells, with moments of --order */
    int in_groups;     /* bodies walk through the tree in groups, else each by itself */
    enum ky_cell cell; /* default of --cell */
    enum ky_precision precision; /* default of --precision */
    enum ky_tree_maker tree; /* the only tree that it can use on a device; KY_TREE_BY_ENGINE: any */
    const char *not_the_other;  /* the error text if the caller asks for the tree maker that the
                                   force does not have */
    const char *option;         /* "--force direct" */
    const char *const *ignored; /* names of options that it ignores, ended by NULL */
    double crossover; /* smallest number of bodies for which a GPU makes a step faster than a CPU */
    /* Errors that 99 % of the accelerations keep: the smallest possible one, by precision; and for
     * forces that walk, the one in a Plummer sphere of 100,000 bodies with α = 0.005.
     * docs/decisions/error.md says how they were measured. */
    double least_error[3], usual_error;
};

/* The least --error. */
#define KY_FORCE_LEAST_ERROR 1e-13

/* The row of an enum ky_force. An unknown force has a row too, without a tree and with an infinite
 * crossover. */
const struct ky_force_kind *ky_force_kind(int force);
/* The parameters of the tree that the force uses: where cells act on cells, their moments have the
 * order of the expansions, and leaves are larger. */
struct ky_parameters ky_force_tree(const struct ky_parameters *parameters);

/* The default of --alpha where cells act on cells, by the order of the expansions. With it errors
 * are not larger than with --force tree and its default. */
double ky_expansions_alpha(int order);
/* The α with which --force tree has about the same errors as these parameters; their opening uses
 * α. */
double ky_force_coarseness(const struct ky_parameters *parameters);

#endif
