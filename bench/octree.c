/* The time of each phase of the host octree's build, in nanoseconds a body, and the size of the
 * tree: octree [offset|relative] [N…] (default: offset, 131072 1048576).
 * There is a row for each distribution, order of the bodies and curve, and for 1 and 2 threads. It
 * has the median of REPEAT builds, after one that is not counted. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "octree/octree.h"

enum { REPEAT = 7, PHASES = 5 };

static void place(int plummer, size_t i, double x[3])
{
    struct ky_random random = ky_random_at(1, 0, i);
    if (!plummer) {
        for (int k = 0; k < 3; k++)
            x[k] = ky_random_uniform(&random);
        return;
    }
    double radius = 1 / sqrt(pow(ky_random_uniform(&random) * 0.999, -2.0 / 3) - 1);
    ky_random_direction(&random, x);
    for (int k = 0; k < 3; k++)
        x[k] *= radius;
}

static int compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(double value[REPEAT])
{
    qsort(value, REPEAT, sizeof *value, compare_doubles);
    return value[REPEAT / 2];
}

static int measure(const struct ky_octree_bodies *bodies, const struct ky_parameters *parameters,
                   const char *label)
{
    struct ky_octree tree;
    struct ky_error error;
    double seconds[PHASES][REPEAT];
    ky_octree_init(&tree);
    for (int r = -1; r < REPEAT; r++) {
        if (ky_octree_build(&tree, bodies, parameters, &error)) {
            fprintf(stderr, "%s\n", error.text);
            ky_octree_free(&tree);
            return 1;
        }
        const struct ky_octree_seconds *s = &tree.seconds;
        const double phase[PHASES] = {s->keys, s->sort, s->build, s->moments,
                                      s->keys + s->sort + s->build + s->moments};
        for (int p = 0; p < PHASES && r >= 0; p++)
            seconds[p][r] = phase[p];
    }
    printf("%-24s %-8s %7d", label, parameters->curve == KY_HILBERT ? "hilbert" : "morton",
           parameters->threads);
    for (int p = 0; p < PHASES; p++)
        printf(" %8.2f", 1e9 * median(seconds[p]) / (double)bodies->n);
    printf(" %8.4f %7zu %9.1f\n", (double)tree.nodes / (double)bodies->n, tree.levels,
           (double)bodies->n / (double)tree.groups);
    ky_octree_free(&tree);
    return 0;
}

/* Measures bodies in random order, and in the order of the curve, as they lie in an engine that
 * keeps them sorted. */
static int measure_orders(struct ky_octree_bodies *bodies, double *const array[4],
                          struct ky_parameters *parameters, const char *name)
{
    char label[64];
    struct ky_octree tree;
    ky_octree_init(&tree);
    int failed = 0;
    for (int sorted = 0; sorted < 2 && !failed; sorted++) {
        snprintf(label, sizeof label, "%s %zu %s", name, bodies->n, sorted ? "sorted" : "random");
        for (parameters->threads = 1; parameters->threads <= 2; parameters->threads++)
            failed |= measure(bodies, parameters, label);
        failed |= ky_octree_build(&tree, bodies, parameters, NULL) != KY_OK;
        const double *from[4] = {tree.x, tree.y, tree.z, tree.mass};
        for (size_t i = 0; i < bodies->n && !failed; i++)
            for (int a = 0; a < 4; a++)
                array[a][i] = from[a][i];
    }
    ky_octree_free(&tree);
    return failed;
}

static int measure_size(size_t n, int opening)
{
    double *array[4] = {0};
    int failed = 0;
    for (int a = 0; a < 4; a++)
        failed |= !(array[a] = ky_allocate(n, sizeof(double)));
    for (int kind = 0; kind < 4 && !failed; kind++) {
        for (size_t i = 0; i < n; i++) {
            double x[3];
            place(kind & 1, i, x);
            array[0][i] = x[0], array[1][i] = x[1], array[2][i] = x[2];
            array[3][i] = 1 / (double)n;
        }
        struct ky_octree_bodies bodies = {
            .n = n, .x = array[0], .y = array[1], .z = array[2], .mass = array[3]};
        struct ky_parameters parameters = {.size = sizeof parameters};
        parameters.curve = kind & 2 ? KY_HILBERT : KY_MORTON;
        parameters.leaf = 16, parameters.group = 64, parameters.theta = 0.7, parameters.g = 1;
        parameters.opening = opening, parameters.cell = KY_BOX, parameters.multipole = 2;
        failed |= measure_orders(&bodies, array, &parameters, kind & 1 ? "plummer" : "cube");
    }
    for (int a = 0; a < 4; a++)
        free(array[a]);
    return failed;
}

int main(int count, char **word)
{
    static char *usual[] = {NULL, "131072", "1048576"};
    const int relative = count > 1 && strcmp(word[1], "relative") == 0,
              named = relative || (count > 1 && strcmp(word[1], "offset") == 0);
    word += named, count -= named;
    if (count < 2)
        word = usual, count = 3;
    printf("%-24s %-8s %7s %8s %8s %8s %8s %8s %8s %7s %9s\n", "ns a body", "curve", "threads",
           "keys", "sort", "build", "moments", "total", "cells/n", "levels", "n/groups");
    int failed = 0;
    for (int k = 1; k < count && !failed; k++) {
        char *end = NULL;
        size_t n = strtoull(word[k], &end, 10);
        if (*end || n == 0) {
            fprintf(stderr, "octree: '%s' is not a number of bodies\n", word[k]);
            return 2;
        }
        failed = measure_size(n, relative ? KY_RELATIVE : KY_OFFSET);
    }
    return failed;
}
