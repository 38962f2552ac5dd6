/* A team of KY_FEW_TEAM lanes advances a system of few bodies. Every lane has the whole system in
 * its own memory and takes the same decisions. The lanes share the sums over pairs: lane p has body
 * p and node p of the tree. Terms are added in the order of src/few, so that a system has the bits
 * of the CPU.
 *
 * In the frame of each node that contains it, a body has a place: its vector from the centre of
 * mass of its side of the node. The rows of all nodes form one list. The rows of node k begin at
 * row[k], in the order of its bodies. */
#ifndef KY_KERNELS_STEPS_FEW_TEAM_H
#define KY_KERNELS_STEPS_FEW_TEAM_H

#include "few/system.h"

/* Functions of a team that few_lane.h calls; few_team_pairs.h has them. */
struct ky_few_state;
struct ky_few_grouping;
KY_FN void ky_few_team_sum_pairs(struct ky_few_state *state, const struct ky_few_system_one *s);
KY_FN void ky_few_team_strongest(const struct ky_few_grouping *all, int best[2]);
KY_FN int ky_few_team_may_touch(const struct ky_few *few);
KY_FN void ky_few_team_recall(struct ky_few *start, const struct ky_few *few,
                              KY_GLOBAL const double *column, ky_ulong count, ky_ulong i);
#define KY_FEW_SUM_PAIRS ky_few_team_sum_pairs
#define KY_FEW_STRONGEST ky_few_team_strongest
#define KY_FEW_SAVE(start, few, column, count, i) ky_few_store(few, column, count, i)
#define KY_FEW_MAY_TOUCH ky_few_team_may_touch
#define KY_FEW_RECALL ky_few_team_recall
#define KY_FEW_IS_FIRST (KY_LANE == 0)

/* The rows of all nodes, at most: 2 + 3 + … + n, if each node joins one body to a group. */
#define KY_FEW_ROWS (KY_FEW_SHAPES * (KY_FEW_SHAPES + 1) / 2 - 1)

/* Numbers that the lanes of a team share. */
struct ky_few_shared {
    double x[KY_FEW_SHAPES][3];                       /* of nodes */
    double mass[KY_FEW_SHAPES];                       /* of bodies */
    double left[KY_FEW_SHAPES], right[KY_FEW_SHAPES]; /* of nodes: shares of the mass */
    double own[KY_FEW_SHAPES][3];                     /* of pairs: their own acceleration */
    double part[KY_FEW_SHAPES];   /* of bodies: parts of U; of nodes: parts of T */
    double power;                 /* of bodies outside the clock */
    double place[KY_FEW_ROWS][3]; /* of the rows */
    double pull[KY_FEW_ROWS][3];  /* by the other side of the node; or a velocity in its frame */
    ky_uint begin[KY_FEW_SHAPES], middle[KY_FEW_SHAPES], end[KY_FEW_SHAPES], row[KY_FEW_SHAPES];
    ky_uint parent[KY_FEW_SHAPES]; /* of nodes: the next larger node, or KY_FEW_NO_NODE */
};
#define KY_FEW_NO_NODE KY_FEW_SHAPES

typedef KY_LOCAL_POINTER struct ky_few_shared *ky_few_team;

/* The smallest node that contains the body at this place, from node `from` on. */
KY_FN ky_uint ky_few_around_place(const struct ky_few_shape *shape, int from, int place)
{
    for (int k = from; k < shape->n - 1; k++)
        if (shape->node[k].begin <= place && shape->node[k].end > place)
            return (ky_uint)k;
    return KY_FEW_NO_NODE;
}

/* Writes the tree, the masses and the vectors of the nodes to the memory of the team. Returns the
 * smallest node that contains the body of this lane. */
KY_FN ky_uint ky_few_show_team(const struct ky_few_system_one *s)
{
    const ky_few_team team = s->team;
    const int p = (int)KY_LANE, n = s->shape.n;
    ky_uint row = 0;
    KY_BARRIER();
    if (p < n)
        team->mass[p] = s->mass[p][0];
    if (p < n - 1) {
        for (int k = 0; k < p; k++)
            row += (ky_uint)(s->shape.node[k].end - s->shape.node[k].begin);
        team->row[p] = row;
        team->begin[p] = s->shape.node[p].begin;
        team->middle[p] = s->shape.node[p].middle;
        team->end[p] = s->shape.node[p].end;
        team->parent[p] = ky_few_around_place(&s->shape, p + 1, s->shape.node[p].begin);
        team->left[p] = s->left[p][0];
        team->right[p] = s->right[p][0];
        for (int c = 0; c < 3; c++)
            team->x[p][c] = s->x[p][c][0];
    }
    const ky_uint first = p < n ? ky_few_around_place(&s->shape, 0, p) : KY_FEW_NO_NODE;
    KY_BARRIER();
    return first;
}

/* Writes the vector of the body of this lane in the frame of each node that contains it, from the
 * vectors of the nodes. `first` is the result of ky_few_show_team. */
KY_FN void ky_few_place_in_frames(ky_few_team team, ky_uint first,
                                  KY_LOCAL_POINTER const double (*node)[3],
                                  KY_LOCAL_POINTER double (*place)[3])
{
    const ky_uint p = KY_LANE;
    double at[3] = {0, 0, 0};
    for (ky_uint k = first; k != KY_FEW_NO_NODE; k = team->parent[k]) {
        const double side = p < team->middle[k] ? -team->right[k] : team->left[k];
        const ky_uint row = team->row[k] + p - team->begin[k];
        const int is_pair = team->end[k] - team->begin[k] == 2;
        for (int c = 0; c < 3; c++) {
            place[row][c] = at[c];
            at[c] = is_pair ? side * node[k][c] : at[c] + side * node[k][c];
        }
    }
}

/* ---- a kick ---- */

/* The acceleration within node k, a pair of bodies, computed by the lane of the left one. Returns
 * the part of U of the pair. */
KY_FN double ky_few_team_pair(const struct ky_few_system_one *s, ky_uint k)
{
    const ky_few_team team = s->team;
    const double x = team->x[k][0], y = team->x[k][1], z = team->x[k][2],
                 q = ky_few_inverse(ky_few_square(x, y, z)),
                 g = -s->slow[k][0] * s->total[k][0] * q * q * q;
    team->own[k][0] = g * x;
    team->own[k][1] = g * y;
    team->own[k][2] = g * z;
    return s->weight[k][0] * s->total[k][0] * q;
}

/* The pull on the body of this lane by the other side of node k, which has more than two bodies. If
 * the body is on the left, its part of U is added to *part. */
KY_FN void ky_few_team_pull(ky_few_team team, ky_uint k, int in_clock, double *part)
{
    const ky_uint p = KY_LANE, begin = team->begin[k], middle = team->middle[k],
                  row = team->row[k] - begin;
    const int is_left = p < middle;
    const ky_uint from = is_left ? middle : begin, to = is_left ? team->end[k] : middle;
    const double sign = is_left ? 1 : -1, mass = team->mass[p];
    double pull[3] = {0, 0, 0}, u = *part;
    for (ky_uint j = from; j < to; j++) {
        const ky_uint left = row + (is_left ? p : j), right = row + (is_left ? j : p);
        double r[3];
        for (int c = 0; c < 3; c++)
            r[c] = team->x[k][c] + (team->place[right][c] - team->place[left][c]);
        const double q = ky_few_inverse(ky_few_square(r[0], r[1], r[2])),
                     by = sign * (team->mass[j] * (q * q * q));
        for (int c = 0; c < 3; c++)
            pull[c] += by * r[c];
        if (is_left)
            u += in_clock * (mass * team->mass[j] * q);
    }
    for (int c = 0; c < 3; c++)
        team->pull[row + p][c] = pull[c];
    *part = u;
}

/* Computes the pulls on the body of this lane in all nodes. Returns U. */
KY_FN double ky_few_team_pulls(const struct ky_few_system_one *s, ky_uint first)
{
    const ky_few_team team = s->team;
    const ky_uint p = KY_LANE;
    double part = 0;
    ky_few_place_in_frames(team, first, (KY_LOCAL_POINTER const double(*)[3])team->x, team->place);
    KY_BARRIER();
    for (ky_uint k = first; k != KY_FEW_NO_NODE; k = team->parent[k])
        if (team->end[k] - team->begin[k] > 2)
            ky_few_team_pull(team, k, s->inner < 0, &part);
        else if (p == team->begin[k])
            part += ky_few_team_pair(s, k);
    team->part[p] = part;
    KY_BARRIER();
    double u = team->part[0];
    for (int i = 1; i < s->shape.n - 1; i++)
        u += team->part[i];
    return u;
}

/* For node k of this lane, turns the pulls on its bodies by its other side into the difference of
 * the pulls on the two sides of each node n within it. The difference is at the first body of the
 * right side of n, and the mean pull on n at its first body. */
KY_FN void ky_few_team_gather(const struct ky_few_system_one *s)
{
    const ky_few_team team = s->team;
    const ky_uint k = KY_LANE;
    if ((int)k >= s->shape.n - 1 || team->end[k] - team->begin[k] == 2)
        return;
    const ky_uint row = team->row[k] - team->begin[k];
    for (ky_uint n = k + 2 - team->end[k] + team->begin[k]; n <= k; n++)
        for (int c = 0; c < 3; c++) {
            const ky_uint left = row + team->begin[n], right = row + team->middle[n];
            const double by_left = team->pull[left][c], by_right = team->pull[right][c];
            team->pull[left][c] = team->left[n] * by_left + team->right[n] * by_right;
            team->pull[right][c] = by_right - by_left;
        }
}

/* Relative accelerations of the two sides of the node of this lane: `own` by each other, `others`
 * by the bodies outside the node. */
KY_FN void ky_few_team_accelerations(ky_few_team team, double own[3], double others[3])
{
    const ky_uint n = KY_LANE;
    for (int c = 0; c < 3; c++) {
        own[c] = team->own[n][c];
        others[c] = 0;
    }
    for (ky_uint k = n; k != KY_FEW_NO_NODE; k = team->parent[k])
        for (int c = 0; c < 3 && team->end[k] - team->begin[k] > 2; c++) {
            const double pull = team->pull[team->row[k] + team->middle[n] - team->begin[k]][c];
            if (k == n)
                own[c] = 0 + pull;
            else
                others[c] += pull;
        }
}

/* The node of this lane during a step. */
struct ky_few_lane_node {
    double x[3], v[3];
    double weight, slow;
};

/* A kick by h. Writes the power of the bodies outside the clock and the parts of T to the memory of
 * the team. Returns dt. */
KY_FN double ky_few_team_kick(const struct ky_few_system_one *s, struct ky_few_lane_node *node,
                              ky_uint first, double h)
{
    const ky_few_team team = s->team;
    const int k = (int)KY_LANE;
    const double dt = h / ky_few_team_pulls(s, first);
    double own[3], others[3], power = 0;
    ky_few_team_gather(s);
    KY_BARRIER();
    if (k < s->shape.n - 1) {
        ky_few_team_accelerations(team, own, others);
        for (int c = 0; c < 3; c++) {
            power += node->weight * others[c] * (node->v[c] + 0.5 * dt * (own[c] + others[c]));
            node->v[c] += dt * (own[c] + others[c]);
        }
        team->part[k] = 0.5 * node->weight * ky_few_length2(node->v);
        if (k == s->inner)
            team->power = power;
    }
    KY_BARRIER();
    return dt;
}

/* A drift by h. T is the sum of its parts in the memory of the team. */
KY_FN void ky_few_team_drift(struct ky_few_system_one *s, struct ky_few_lane_node *node, double h)
{
    const ky_few_team team = s->team;
    const int n = (int)KY_LANE;
    double kinetic = 0;
    for (int k = 0; k < s->shape.n - 1; k++)
        kinetic += team->part[k];
    const double dt = h / (kinetic + s->b[0]);
    struct ky_few_time time;
    time.t = s->t[0];
    time.low = s->low[0];
    time = ky_few_later(time, dt);
    s->t[0] = time.t;
    s->low[0] = time.low;
    if (n < s->shape.n - 1)
        for (int c = 0; c < 3; c++) {
            node->x[c] += node->slow * dt * node->v[c];
            team->x[n][c] = node->x[c];
        }
    KY_BARRIER();
}

/* Shares the vectors of the nodes after a step, and copies all of them to the lane's system. */
KY_FN void ky_few_team_take(struct ky_few_system_one *s, const struct ky_few_lane_node *node)
{
    const ky_few_team team = s->team;
    const int n = (int)KY_LANE;
    if (n < s->shape.n - 1)
        for (int c = 0; c < 3; c++)
            team->own[n][c] = node->v[c];
    KY_BARRIER();
    for (int k = 0; k < s->shape.n - 1; k++)
        for (int c = 0; c < 3; c++) {
            s->x[k][c][0] = team->x[k][c];
            s->v[k][c][0] = team->own[k][c];
        }
}

/* A step of length h. */
KY_FEW_SELDOM void ky_few_stages(struct ky_few_system_one *s, double h)
{
    const ky_few_team team = s->team;
    const double unit = KY_FEW_UNIT;
    const int n = (int)KY_LANE;
    const ky_uint first = ky_few_show_team(s);
    struct ky_few_lane_node node = {{0}, {0}, 0, 0};
    if (n < s->shape.n - 1) {
        for (int c = 0; c < 3; c++) {
            node.x[c] = s->x[n][c][0];
            node.v[c] = s->v[n][c][0];
        }
        node.weight = s->weight[n][0];
        node.slow = s->slow[n][0];
        team->part[n] = 0.5 * node.weight * ky_few_length2(node.v);
    }
    if (n == 0)
        team->power = 0;
    KY_BARRIER();
    for (int stage = 0; stage <= KY_FEW_STAGES; stage++) {
        const double before = stage ? ky_few_coefficient[stage - 1] : 0,
                     after = stage < KY_FEW_STAGES ? ky_few_coefficient[stage] : 0;
        ky_few_team_drift(s, &node, h * (0.5 * unit * (before + after)));
        if (stage == KY_FEW_STAGES)
            break;
        const double dt = ky_few_team_kick(s, &node, first, h * (unit * after));
        s->b[0] -= dt * team->power;
    }
    ky_few_team_take(s, &node);
}

/* Sets B = U − T from the present places and velocities. */
KY_FN void ky_few_set_clock(struct ky_few_system_one *s)
{
    s->b[0] = ky_few_team_pulls(s, ky_few_show_team(s));
    for (int k = 0; k < s->shape.n - 1; k++)
        s->b[0] -=
            0.5 * s->weight[k][0] * ky_few_square(s->v[k][0][0], s->v[k][1][0], s->v[k][2][0]);
}

#endif
