/* Runs the actions of tests/unit/enclosed.h and heavier.h by name, in a build that has them, on the
 * engine that is named, and compares with loops over all pairs. For tests/command/new_action.sh. */
#include "kyoho/kyoho.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 6000, STEP = 19 }; /* every STEP-th sink is compared, and the heaviest */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double pair2(const struct ky_bodies *bodies, size_t i, size_t j)
{
    double r2 = 0;
    for (int c = 0; c < 3; c++)
        r2 += pow(bodies->position[j][c] - bodies->position[i][c], 2);
    return r2;
}

static double heavier(const struct ky_bodies *bodies, size_t i, const struct ky_walk_input *input)
{
    static double r[N];
    size_t count = 0;
    for (size_t j = 0; j < N; j++)
        if (bodies->mass[j] > bodies->mass[i])
            r[count++] = sqrt(pair2(bodies, i, j));
    qsort(r, count, sizeof *r, ascending);
    return count < input->k ? 0 : r[input->k - 1];
}

static double enclosed(const struct ky_bodies *bodies, size_t i, const struct ky_walk_input *input)
{
    double mass = 0;
    for (size_t j = 0; j < N; j++)
        if (j != i && pair2(bodies, i, j) <= *input->radius * *input->radius)
            mass += bodies->mass[j];
    return mass;
}

/* The number of sinks with another result than that of the loop; N if the walk failed. */
static size_t differences(const char *engine, const struct ky_bodies *bodies, const char *action,
                          const struct ky_walk_input *input,
                          double exact(const struct ky_bodies *, size_t,
                                       const struct ky_walk_input *))
{
    static double results[N];
    struct ky_error error = {0};
    struct ky_parameters parameters;
    size_t count = 0;
    ky_parameters_defaults(&parameters);
    parameters.engine = engine;
    parameters.precision = KY_DOUBLE;
    if (ky_walk(&parameters, bodies, action, input, results, NULL, &error) != KY_OK) {
        printf("# %s\n", error.text);
        return N;
    }
    for (size_t i = 0; i < N; i = i + STEP < N || i == N - 1 ? i + STEP : N - 1) {
        const double wanted = exact(bodies, i, input);
        count += !(fabs(results[i] - wanted) <= 1e-6 * wanted); /* moments are floats */
    }
    return count;
}

int main(int count, char **word)
{
    static const size_t k[] = {1, 8, 33};
    const double radius = 0.13;
    struct ky_error error = {0};
    struct ky_bodies bodies = {0};
    size_t wrong = 0;
    if (count != 2 || ky_bodies_allocate(&bodies, N, 0, &error) != KY_OK)
        return 2;
    srand(5);
    for (size_t i = 0; i < N; i++) { /* the later, the heavier */
        for (int c = 0; c < 3; c++)
            bodies.position[i][c] = rand() / (double)RAND_MAX;
        bodies.mass[i] = 1 + (double)i;
    }
    for (int c = 0; c < 3; c++) {
        const struct ky_walk_input input = {.size = sizeof input, .k = k[c]};
        const size_t here = differences(word[1], &bodies, "heavier", &input, heavier);
        printf("# heavier, k = %zu: %zu differ\n", k[c], here);
        wrong += here;
    }
    const struct ky_walk_input input = {.size = sizeof input, .radius = &radius, .radii = 1};
    const size_t here = differences(word[1], &bodies, "enclosed", &input, enclosed);
    printf("# enclosed: %zu differ\n", here);
    ky_bodies_free(&bodies);
    return wrong + here > 0;
}
