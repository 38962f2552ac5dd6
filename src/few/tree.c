/* The tree of a system of few bodies: the two groups that pull each other most, by M/r³, become
 * one, until one group is left. */
#include "few/few.h"

#include <math.h>
#include <string.h>

#include "physics/few.h"

/* ---- pairs of bodies ---- */

void ky_few_visit_pairs(const struct ky_few_system_one *system, ky_few_pair_function *visit,
                        void *context)
{
    double x[KY_FEW_MOST][3], v[KY_FEW_MOST][3];
    struct ky_few_pair pair;
    memset(x, 0, (size_t)system->shape.n * sizeof *x);
    memset(v, 0, (size_t)system->shape.n * sizeof *v);
    for (int k = 0; k < system->shape.n - 1; k++) {
        const struct ky_few_node *node = &system->shape.node[k];
        for (int i = node->begin; i < node->middle; i++)
            for (int j = node->middle; j < node->end; j++) {
                pair.k = k;
                pair.i = i;
                pair.j = j;
                for (int c = 0; c < 3; c++) {
                    pair.x[c] = system->x[k][c][0] + (x[j][c] - x[i][c]);
                    pair.v[c] = system->v[k][c][0] + (v[j][c] - v[i][c]);
                }
                visit(context, &pair);
            }
        for (int i = node->begin; i < node->end; i++)
            for (int c = 0; c < 3; c++) {
                const double part = i < node->middle ? -system->right[k][0] : system->left[k][0];
                x[i][c] += part * system->x[k][c][0];
                v[i][c] += part * system->v[k][c][0];
            }
    }
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

void ky_few_positions(const struct ky_few_system_one *system, double (*x)[3], double (*v)[3])
{
    memset(x, 0, (size_t)system->shape.n * sizeof *x);
    memset(v, 0, (size_t)system->shape.n * sizeof *v);
    for (int k = 0; k < system->shape.n - 1; k++) {
        const struct ky_few_node *node = &system->shape.node[k];
        for (int i = node->begin; i < node->end; i++)
            for (int c = 0; c < 3; c++) {
                const double part = i < node->middle ? -system->right[k][0] : system->left[k][0];
                x[i][c] += part * system->x[k][c][0];
                v[i][c] += part * system->v[k][c][0];
            }
    }
}

/* ---- grouping ---- */

/* A group that is not yet in another one. Bodies have the numbers 0 to n - 1, joined groups the
 * numbers from n on. */
struct group {
    int number;
    double mass, x[3];
};
/* Groups and the two sides of each that was joined. */
struct grouping {
    int n, count;
    struct group group[KY_FEW_MOST];
    int side[KY_FEW_MOST][2];
};

/* M/r³ of two groups; at the same place it is infinite if one of them has mass. */
static double strength(const struct group *one, const struct group *other)
{
    const double mass = one->mass + other->mass;
    double r2 = 0;
    for (int c = 0; c < 3; c++)
        r2 += (other->x[c] - one->x[c]) * (other->x[c] - one->x[c]);
    return mass > 0 ? mass / (r2 * sqrt(r2)) : 0;
}

/* Replaces groups i < j by one of both. */
static void join(struct grouping *all, int i, int j)
{
    struct group *one = &all->group[i];
    const struct group *other = &all->group[j];
    const int made = all->n - all->count;
    const double mass = one->mass + other->mass, part = mass > 0 ? other->mass / mass : 0;
    all->side[made][0] = one->number;
    all->side[made][1] = other->number;
    one->number = all->n + made;
    one->mass = mass;
    for (int c = 0; c < 3; c++)
        one->x[c] += part * (other->x[c] - one->x[c]);
    all->group[j] = all->group[--all->count];
}

static void join_all(struct grouping *all)
{
    while (all->count > 1) {
        int best[2] = {0, 1};
        double most = -1;
        for (int i = 0; i < all->count; i++)
            for (int j = i + 1; j < all->count; j++) {
                const double now = strength(&all->group[i], &all->group[j]);
                if (now > most) {
                    most = now;
                    best[0] = i;
                    best[1] = j;
                }
            }
        join(all, best[0], best[1]);
    }
}

/* Writes the group `number` behind the `bodies` and `nodes` that the shape has already. */
static void write(const struct grouping *all, int number, int *order, struct ky_few_shape *shape,
                  int *nodes)
{
    struct ky_few_node node = {.begin = (uint8_t)shape->n};
    if (number < all->n) {
        order[shape->n++] = number;
        return;
    }
    write(all, all->side[number - all->n][0], order, shape, nodes);
    node.middle = (uint8_t)shape->n;
    write(all, all->side[number - all->n][1], order, shape, nodes);
    node.end = (uint8_t)shape->n;
    shape->node[(*nodes)++] = node;
}

/* The shape for bodies at x, and in `order` the number of the body at each place. */
static void find_shape(int n, const double *mass, const double (*x)[3], int *order,
                       struct ky_few_shape *shape)
{
    struct grouping all = {.n = n, .count = n};
    int nodes = 0;
    *shape = (struct ky_few_shape){0};
    for (int i = 0; i < n; i++) {
        all.group[i] = (struct group){.number = i, .mass = mass[i]};
        memcpy(all.group[i].x, x[i], sizeof all.group[i].x);
    }
    join_all(&all);
    if (n)
        write(&all, all.group[0].number, order, shape, &nodes);
}

/* ---- vectors of nodes ---- */

/* The new system, and the place in its tree of the body that the pairs call i. */
struct filling {
    struct ky_few_system_one *system;
    int place[KY_FEW_MOST];
    double share[2][KY_FEW_MOST];
};

/* The part of a body of the mass of the side [begin, end). */
static double share_of(const struct ky_few_system_one *system, int i, int begin, int end)
{
    double mass = 0;
    for (int j = begin; j < end; j++)
        mass += system->mass[j][0];
    return end - begin == 1 ? 1 : system->mass[i][0] / mass;
}

/* The node on whose two sides places i < j are. */
static int node_of(const struct ky_few_shape *shape, int i, int j)
{
    int k = 0;
    while (shape->node[k].begin > i || shape->node[k].end <= j)
        k++;
    return k;
}

/* The vector of a node is the mean of the differences of its pairs, so that it has all
 * their digits. */
static void add_pair(void *context, const struct ky_few_pair *pair)
{
    const struct filling *filling = context;
    struct ky_few_system_one *system = filling->system;
    const int one = filling->place[pair->i], other = filling->place[pair->j],
              left = one < other ? one : other, right = one < other ? other : one;
    const int k = node_of(&system->shape, left, right);
    const struct ky_few_node *node = &system->shape.node[k];
    const double sign = one < other ? 1 : -1,
                 weight = sign * share_of(system, left, node->begin, node->middle) *
                          share_of(system, right, node->middle, node->end);
    for (int c = 0; c < 3; c++) {
        system->x[k][c][0] += weight * pair->x[c];
        system->v[k][c][0] += weight * pair->v[c];
    }
}

void ky_few_set_masses(struct ky_few_system_one *system)
{
    for (int k = 0; k < system->shape.n - 1; k++) {
        const struct ky_few_node *node = &system->shape.node[k];
        double left = 0, right = 0;
        for (int i = node->begin; i < node->middle; i++)
            left += system->mass[i][0];
        for (int i = node->middle; i < node->end; i++)
            right += system->mass[i][0];
        const double total = left + right;
        system->total[k][0] = total;
        system->left[k][0] = left / total;
        system->right[k][0] = right / total;
        system->slow[k][0] = 1;
        system->weight[k][0] = left * system->right[k][0];
    }
    system->inner = -1;
}

/* Gives *system the shape for bodies of these masses at x; `order` gets their places. */
static void reshape(struct filling *filling, int n, const double *mass, const double (*x)[3],
                    int *order)
{
    struct ky_few_system_one *system = filling->system;
    find_shape(n, mass, x, order, &system->shape);
    for (int p = 0; p < n; p++) {
        filling->place[order[p]] = p;
        system->mass[p][0] = mass[order[p]];
    }
    memset(system->x, 0, (size_t)n * sizeof system->x[0]);
    memset(system->v, 0, (size_t)n * sizeof system->v[0]);
    ky_few_set_masses(system);
}

void ky_few_first_tree(struct ky_few *few, const double *mass, const double (*x)[3],
                       const double (*v)[3])
{
    struct filling filling = {.system = &few->system};
    const int n = few->system.shape.n;
    struct ky_few_pair pair = {0};
    reshape(&filling, n, mass, x, few->order);
    for (pair.i = 0; pair.i < n; pair.i++)
        for (pair.j = pair.i + 1; pair.j < n; pair.j++) {
            for (int c = 0; c < 3; c++) {
                pair.x[c] = x[pair.j][c] - x[pair.i][c];
                pair.v[c] = v[pair.j][c] - v[pair.i][c];
            }
            add_pair(&filling, &pair);
        }
    few->trees++;
}

void ky_few_renew_tree(struct ky_few *few)
{
    const struct ky_few_system_one old = few->system;
    struct filling filling = {.system = &few->system};
    const int n = old.shape.n;
    double x[KY_FEW_MOST][3], v[KY_FEW_MOST][3], mass[KY_FEW_MOST] = {0};
    int order[KY_FEW_MOST], before[KY_FEW_MOST];
    ky_few_positions(&old, x, v);
    memcpy(before, few->order, sizeof before);
    for (int p = 0; p < n; p++)
        mass[p] = old.mass[p][0];
    reshape(&filling, n, mass, (const double(*)[3])x, order);
    for (int p = 0; p < n; p++)
        few->order[p] = before[order[p]];
    ky_few_visit_pairs(&old, add_pair, &filling);
    few->trees++;
}
