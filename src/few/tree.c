/* The first tree of a system of few bodies, its pairs, and its energy. */
#include <math.h>

#include "few/few.h"
#include "few/tree.h"

/* ---- pairs of bodies ---- */

void ky_few_visit_pairs(const struct ky_few_system_one *system, ky_few_pair_function *visit,
                        void *context)
{
    struct ky_few_walk walk;
    KY_FEW_EACH_PAIR(system, &walk)
    visit(context, &walk.pair);
}

struct sum {
    const struct ky_few_system_one *system;
    int slow; /* 1: with slow-down */
    double energy;
};

static double part_of(const struct sum *sum, int k)
{
    return sum->slow ? sum->system->slow[k][0] : 1;
}

static void add_potential(void *context, const struct ky_few_pair *pair)
{
    struct sum *sum = context;
    sum->energy -= part_of(sum, pair->k) * sum->system->mass[pair->i][0] *
                   sum->system->mass[pair->j][0] *
                   ky_few_inverse(ky_few_square(pair->x[0], pair->x[1], pair->x[2]));
}

static double energy_of(const struct ky_few_system_one *system, int slow)
{
    struct sum sum = {.system = system, .slow = slow};
    for (int k = 0; k < system->shape.n - 1; k++)
        sum.energy += 0.5 * part_of(&sum, k) * system->total[k][0] * system->left[k][0] *
                      system->right[k][0] *
                      ky_few_square(system->v[k][0][0], system->v[k][1][0], system->v[k][2][0]);
    ky_few_visit_pairs(system, add_potential, &sum);
    return sum.energy;
}

double ky_few_energy(const struct ky_few_system_one *system)
{
    return energy_of(system, 0);
}

double ky_few_slow_energy(const struct ky_few_system_one *system)
{
    return energy_of(system, 1);
}

/* ---- the first tree ---- */

void ky_few_first_tree(struct ky_few *few, const double *mass, const double (*x)[3],
                       const double (*v)[3])
{
    struct ky_few_filling filling = {.system = &few->system};
    const int n = few->system.shape.n;
    struct ky_few_pair pair = {0};
    ky_few_reshape(&filling, n, mass, x, few->order);
    for (pair.i = 0; pair.i < n; pair.i++)
        for (pair.j = pair.i + 1; pair.j < n; pair.j++) {
            for (int c = 0; c < 3; c++) {
                pair.x[c] = x[pair.j][c] - x[pair.i][c];
                pair.v[c] = v[pair.j][c] - v[pair.i][c];
            }
            ky_few_add_pair(&filling, &pair);
        }
    few->trees++;
}
