/* Which kernels `make check` takes on a processor that serves as a device, where most take seconds
 * to compile: each kind in one precision, so that all precisions occur. `make check-all`, and GPUs,
 * take all of them. */
#ifndef KY_TEST_KERNELS_H
#define KY_TEST_KERNELS_H

#include "engines.h"

/* Whether the engine of this name, or the first of several devices, is one on which check takes a
 * part of the kernels. Who asks for a test by its name (oclgrind.sh) gets what the test says. */
static inline int takes_few_kernels(const char *engine)
{
    for (int k = 0; k < engine_count; k++)
        if (!strncmp(engines[k].engine, engine, strlen(engines[k].engine)))
            return is_slow(k) && !test_everything() && !getenv("KYOHO_TEST_ONLY");
    return 0;
}

/* The precision for these parameters, by the force and the order of its moments. Exact sums in
 * double, which have the steps of the CPU, stay. */
static inline int taken_precision(const struct ky_parameters *wanted)
{
    static const struct {
        int force, multipole, precision; /* multipole 0: any */
    } taken[] = {
        {KY_DIRECT, 0, KY_EXTENDED}, {KY_WALK, 1, KY_DOUBLE}, {KY_WALK, 2, KY_SINGLE},
        {KY_LIST, 1, KY_EXTENDED},   {KY_LIST, 2, KY_SINGLE}, {KY_TREE, 1, KY_EXTENDED},
        {KY_TREE, 2, KY_SINGLE},     {KY_FMM, 0, KY_SINGLE},
    };
    const int stays = wanted->force == KY_DIRECT && wanted->precision == KY_DOUBLE;
    if (stays || !takes_few_kernels(wanted->engine))
        return wanted->precision;
    for (size_t k = 0; k < sizeof taken / sizeof *taken; k++)
        if (taken[k].force == (int)wanted->force &&
            (!taken[k].multipole || taken[k].multipole == wanted->multipole))
            return taken[k].precision;
    return wanted->precision;
}

/* Whether their own precision is taken. */
static inline int is_taken(const struct ky_parameters *parameters)
{
    return taken_precision(parameters) == (int)parameters->precision;
}

/* The same for searches: the parameters with the precision that is taken. */
enum search { NEIGHBOURS, DENSITIES, GRAVITY, FRIENDS };
static inline struct ky_parameters for_search(const struct ky_parameters *wanted,
                                              enum search search)
{
    static const int taken[] = {[NEIGHBOURS] = KY_SINGLE,
                                [DENSITIES] = KY_DOUBLE,
                                [GRAVITY] = KY_EXTENDED,
                                [FRIENDS] = KY_SINGLE};
    struct ky_parameters parameters = *wanted;
    if (takes_few_kernels(wanted->engine))
        parameters.precision = taken[search];
    return parameters;
}

/* Whether the search is taken in this precision. */
static inline int takes_search(const struct ky_parameters *parameters, enum search search,
                               int precision)
{
    struct ky_parameters wanted = *parameters;
    wanted.precision = precision;
    return for_search(&wanted, search).precision == precision;
}

#endif
