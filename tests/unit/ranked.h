/* Systems of many shapes, simulations of them on several ranks, and a comparison of their bits. */
#ifndef KY_TEST_RANKED_H
#define KY_TEST_RANKED_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "clouds.h"

enum { RESULTS = KY_WITH_ID | KY_WITH_ACCELERATION | KY_WITH_POTENTIAL };

/* ---- systems ---- */

enum shape {
    SPHERE,    /* Plummer's */
    BLOCK,     /* a cube with equal density */
    TWO,       /* two spheres far from each other */
    DISK,      /* thin, rotating */
    COLLISION, /* two spheres of different sizes that fall into each other */
    MASSES,    /* from 1 to 10⁶ */
    LATTICE,   /* without any disorder */
    PERTURBED, /* with a little */
    HEAP,      /* all at one place */
    NODE,      /* half of them at one place, every other one of the list */
    TWINS,     /* two each at one place */
    FAR,       /* one at 10⁶ */
    CHAIN      /* on a line */
};

static inline void place(enum shape shape, size_t i, size_t n, double x[3], double v[3])
{
    const double side = ceil(cbrt((double)n)), left = i % 2 ? 1 : -1;
    double at[3] = {fmod((double)i, side), fmod(floor((double)i / side), side),
                    floor((double)i / (side * side))};
    for (int c = 0; c < 3; c++) {
        const double lattice = at[c] / side - 0.5;
        x[c] = shape == TWO || shape == COLLISION ? (c ? x[c] : x[c] + 5 * left)
               : shape == DISK                    ? (c == 2 ? 0.01 * x[c] : x[c])
               : shape == LATTICE                 ? lattice
               : shape == PERTURBED               ? lattice + 1e-4 * x[c] / (1 + fabs(x[c]))
               : shape == NODE && i % 2           ? 0.125
                                                  : x[c];
        v[c] = shape == LATTICE || shape == HEAP ? 0 : shape == NODE && i % 2 ? 0.5 : 0.3 * v[c];
    }
    if (shape == COLLISION && i % 2)
        for (int c = 0; c < 3; c++)
            x[c] = 0.2 * x[c] + 1;
    if (shape == DISK) {
        v[0] = -x[1];
        v[1] = x[0];
    }
    if (shape == COLLISION)
        v[0] = -20 * left;
}

/* Free with ky_bodies_free. */
static inline struct ky_bodies make(enum shape shape, size_t n)
{
    static const enum cloud from[] = {[BLOCK] = CUBE,  [HEAP] = POINT, [TWINS] = PAIRS,
                                      [FAR] = OUTLIER, [CHAIN] = LINE, [SPHERE] = PLUMMER};
    struct ky_bodies bodies =
        cloud_make((size_t)shape < sizeof from / sizeof *from ? from[shape] : PLUMMER, n);
    for (size_t i = 0; i < n; i++) {
        if (shape == MASSES)
            bodies.mass[i] *= pow(10, (double)(i % 7));
        place(shape, i, n, bodies.position[i], bodies.velocity[i]);
    }
    return bodies;
}

/* Bodies that ranks on a CPU do not divide. With HALF_MASSLESS a part of space has no mass. */
enum kind { OWN_SOFTENINGS = 1, SOME_MASSLESS = 2, ALL_MASSLESS = 4, HALF_MASSLESS = 8 };

/* ε and masses that the shape does not have. Free with ky_bodies_free. */
static inline struct ky_bodies make_kind(enum shape shape, size_t n, int kind)
{
    struct ky_bodies bodies = make(shape, n);
    if (kind & OWN_SOFTENINGS)
        bodies.softening = calloc(n + 1, sizeof *bodies.softening);
    for (size_t i = 0; i < n; i++) {
        if (kind & OWN_SOFTENINGS)
            bodies.softening[i] = 0.01 + 0.01 * (double)(i % 5);
        if (kind & ALL_MASSLESS || (kind & SOME_MASSLESS && i % 3 == 1) ||
            (kind & HALF_MASSLESS && bodies.position[i][0] > 0))
            bodies.mass[i] = 0;
    }
    return bodies;
}

/* ---- the same bits ---- */

/* Default parameters and NAME=VALUE NAME=VALUE … */
static inline struct ky_parameters parameters_of(const char *options)
{
    struct ky_error error;
    struct ky_parameters parameters;
    static char text[256]; /* parameters may point to it, until the next call */
    ky_parameters_defaults(&parameters);
    parameters.engine = "cpu";
    parameters.force = KY_TREE;
    parameters.softening = 0.01;
    parameters.step = 0.0078125;
    snprintf(text, sizeof text, "%s", options);
    for (char *name = strtok(text, " "); name; name = strtok(NULL, " ")) {
        char *value = strchr(name, '=');
        *value++ = '\0';
        assert_ok(ky_parameters_set(&parameters, name, value, &error));
    }
    return parameters;
}

static inline struct ky_sim *open_ranks(const struct ky_parameters *parameters, int ranks,
                                        const struct ky_bodies *bodies)
{
    struct ky_error error;
    struct ky_sim *sim = NULL;
    struct ky_parameters own = *parameters;
    own.ranks = ranks;
    assert_ok(ky_sim_open(&own, bodies, own.time, &sim, &error));
    return sim;
}

/* Free with ky_bodies_free. */
static inline struct ky_bodies state_of(struct ky_sim *sim)
{
    struct ky_error error;
    struct ky_bodies bodies = {0};
    assert_ok(ky_bodies_allocate(&bodies, ky_sim_n(sim), RESULTS, &error));
    assert_ok(ky_sim_bodies(sim, &bodies, &error));
    return bodies;
}

/* The first body whose numbers differ, or n. */
static inline size_t first_other(const void *a, const void *b, size_t n, size_t bytes)
{
    size_t i = 0;
    while (i < n && !memcmp((const char *)a + i * bytes, (const char *)b + i * bytes, bytes))
        i++;
    return i;
}

static inline void expect_same(const struct ky_bodies *a, const struct ky_bodies *b,
                               const char *what)
{
    const struct {
        const char *name;
        const void *a, *b;
        size_t bytes;
    } arrays[] = {
        {"mass", a->mass, b->mass, sizeof *a->mass},
        {"acceleration", a->acceleration, b->acceleration, sizeof *a->acceleration},
        {"potential", a->potential, b->potential, sizeof *a->potential},
        {"velocity", a->velocity, b->velocity, sizeof *a->velocity},
        {"position", a->position, b->position, sizeof *a->position},
        {"id", a->id, b->id, sizeof *a->id},
    };
    if (a->n != b->n)
        fail_msg("%s: %zu and %zu bodies", what, a->n, b->n);
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        const size_t i = first_other(arrays[k].a, arrays[k].b, a->n, arrays[k].bytes);
        if (i < a->n)
            fail_msg("%s: the %s of body %zu has other bits", what, arrays[k].name, i);
    }
}

/* Whether this number of ranks is compared with one: `make check` takes all of them with few
 * bodies, and three with more. */
static inline int is_compared(int ranks, size_t n)
{
    return ranks < 2 || ranks == 3 || n <= 100 || test_everything();
}

#endif
