/* Cases of the tests of ranks: tables of systems and options, and loops over them. */
#ifndef KY_TEST_RANKED_CASES_H
#define KY_TEST_RANKED_CASES_H

#include "ranked.h"

/* Where a case is tried also without all cases (test_everything). */
enum { ON_CPU = 1, ON_DEVICES = 2, OF_FMM = 4 };

struct ranked_case {
    enum shape shape;
    size_t n;
    const char *options;
    unsigned always; /* a sum of the above */
};

/* Steps of a simulation, on any number of ranks. */
typedef void try_function(enum shape shape, size_t n, const char *options, uint64_t steps);

/* Tries the cases that are wanted `where`; `options` come before those of each case. */
static inline void try_cases(const struct ranked_case *cases, size_t count, unsigned where,
                             const char *options, try_function *try, uint64_t steps)
{
    for (size_t k = 0; k < count; k++) {
        char all[200];
        snprintf(all, sizeof all, "%s %s", options, cases[k].options);
        if (cases[k].always & where || test_everything())
            try(cases[k].shape, cases[k].n, all, steps);
    }
}
#define TRY_CASES(cases, ...) try_cases(cases, sizeof(cases) / sizeof *(cases), __VA_ARGS__)

/* ---- tables ---- */

#define SYSTEMS                                                                                    \
    {SPHERE, 20011, "", ON_CPU | OF_FMM}, {BLOCK, 8193, "", 0}, {TWO, 8193, "", ON_CPU | OF_FMM},  \
        {DISK, 20011, "", 0}, {DISK, 4097, "", ON_CPU | OF_FMM},                                   \
        {COLLISION, 8193, "", ON_CPU | OF_FMM}, {MASSES, 8193, "", ON_CPU | OF_FMM},               \
        {LATTICE, 9261, "", ON_CPU | OF_FMM}, {LATTICE, 8192, "", 0},                              \
        {PERTURBED, 9261, "", ON_CPU}, {COLLISION, 20011, "", 0}, {SPHERE, 4097, "", 0},           \
        {TWINS, 8193, "", OF_FMM}, {FAR, 8193, "", ON_CPU | OF_FMM},                               \
        {CHAIN, 8193, "", ON_CPU | OF_FMM}, {SPHERE, 100003, "", 0}, {BLOCK, 100003, "", 0},       \
        {PERTURBED, 35937, "", 0}, {NODE, 12000, "", OF_FMM}, {HEAP, 5000, "", OF_FMM},

/* Block steps. */
#define SYSTEMS_IN_BLOCKS                                                                          \
    {SPHERE, 9001, "", ON_CPU | ON_DEVICES},                                                       \
        {COLLISION, 8193, "step=0.25 softening=0.1", ON_CPU | ON_DEVICES},                         \
        {TWO, 8193, "opening=offset multipole=1", ON_CPU},                                         \
        {FAR, 8193, "curve=morton eta=0.1", ON_CPU}, {NODE, 7001, "", ON_CPU},                     \
        {MASSES, 6007, "step=0.000244140625 precision=double threads=5", ON_CPU},                  \
        {LATTICE, 6859, "step=-0.125 leaf=1 group=16", ON_CPU},                                    \
        {CHAIN, 4097, "softening=0.1 softening-kind=spline", ON_CPU},                              \
        {TWINS, 8193, "field=plummer:mass=3,scale=2,x=3", ON_CPU | ON_DEVICES},                    \
        {SPHERE, 50021, "alpha=0.0005", 0}, {DISK, 20011, "softening=0.001", 0},                   \
        {COLLISION, 50021, "step=0.5 softening=0.05", 0},

/* ---- few bodies ---- */

/* Fewer bodies than ranks; and so few that one cell, and one rank, has all of them. */
static inline void try_few_bodies(const char *options, try_function *try)
{
    static const size_t few[] = {0, 1, 2, 3, 5, 100, 3000, 4096};
    char hard[200];
    snprintf(hard, sizeof hard, "%s softening=0", options);
    for (size_t k = 0; k < sizeof few / sizeof *few; k++) {
        try(SPHERE, few[k], options, 3);
        try(HEAP, few[k] < 1000 ? few[k] : 1, options, 3);
        try(CHAIN, few[k] < 1000 ? few[k] : 1, hard, 1);
    }
}

static inline void try_few_bodies_in_blocks(const char *options, try_function *try)
{
    static const size_t few[] = {0, 1, 2, 3, 5, 100, 3000};
    for (size_t k = 0; k < sizeof few / sizeof *few; k++) {
        try(SPHERE, few[k], options, 3);
        try(HEAP, few[k], options, 1);
    }
}

/* ---- devices ---- */

/* How many of these numbers of ranks are tried on a device: on a CPU, which takes long, make check
 * takes the first two. */
enum { DEVICE_RUNS = 6 };
static inline size_t device_runs(const char *engine, int ranks[DEVICE_RUNS])
{
    static const int all[DEVICE_RUNS] = {1, 2, 3, 4, 5, 8};
    memcpy(ranks, all, sizeof all);
    return strncmp(engine, "cuda", 4) && !test_everything() ? 2 : DEVICE_RUNS;
}

/* Two ranks on this device are refused. */
static inline void expect_refused(const char *engine, const char *options,
                                  const struct ky_bodies *bodies)
{
    struct ky_error error;
    struct ky_parameters parameters = parameters_of(options);
    struct ky_sim *sim = NULL;
    parameters.engine = engine;
    parameters.ranks = 2;
    assert_int_equal(ky_sim_open(&parameters, bodies, 0, &sim, &error), KY_UNSUPPORTED);
    assert_non_null(strstr(error.text, "ranks with devices"));
}

#endif
