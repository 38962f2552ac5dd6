/* The stages of a step of ky_few systems in KY_FEW_LANES lanes, all with the same tree. A lane is a
 * KY_FEW_REAL: a number of one system, or a vector with the numbers of several systems, for which
 * the including file defines KY_FEW_REAL as physics/few.h says. It also defines KY_FEW_LANES,
 * KY_FEW_ROOM (bodies of a system) and KY_FEW_NAME(name), as for state.h, which it has included.
 * Every lane computes the same bits as a single system. Masses contain G, and bodies are in the
 * order of the tree. `shape` is the tree of the system, or a constant that equals it. */
#include "physics/few.h"
#ifdef KY_FEW_OTHERS
#include <string.h>
#endif

#define LANES for (int l = 0; l < KY_FEW_LANES; l++)
/* The tree. Kernels that know it define KY_FEW_BODIES, and a node by KY_FEW_BEGIN(k) and the like:
 * their compiler keeps arrays in registers only if all indices are constants from the start. */
#ifdef KY_FEW_BODIES
#define BODIES KY_FEW_BODIES
#define BEGIN(k) KY_FEW_BEGIN(k)
#define MIDDLE(k) KY_FEW_MIDDLE(k)
#define END(k) KY_FEW_END(k)
#else
#define BODIES shape->n
#define BEGIN(k) shape->node[k].begin
#define MIDDLE(k) shape->node[k].middle
#define END(k) shape->node[k].end
#endif
#define foreach(i, from, to) KY_FEW_UNROLL for (int i = (from); i < (to); i++)
/* The names of types. They differ from names of functions where one type has several trees. */
#ifndef KY_FEW_STATE
#define KY_FEW_STATE(name) KY_FEW_NAME(name)
#endif
#define SYSTEM struct KY_FEW_STATE(ky_few_system)
#define REALS KY_FEW_STATE(ky_few_lanes)
#define TREE const struct ky_few_shape *const shape
/* With KY_FEW_OTHERS, which is for one lane, bodies outside the system pull too. */
#ifdef KY_FEW_OTHERS
#define OTHERS , const struct ky_few_others *others
#define PASS_OTHERS , others
#else
#define OTHERS
#define PASS_OTHERS
#endif

/* Accelerations within a kick. */
struct KY_FEW_NAME(ky_few_pulls) {
    REALS place[KY_FEW_ROOM]
               [3]; /* of bodies, from the centre of mass of the largest group so far */
    /* On each body, by the other side of the present node. Then on the centre of mass of each node
     * in it, at the first body of the node. */
    REALS pull[KY_FEW_ROOM][3];
    REALS own[KY_FEW_ROOM][3];    /* of nodes: between their two sides */
    REALS others[KY_FEW_ROOM][3]; /* of nodes: the difference of accelerations by bodies outside */
#ifdef KY_FEW_OTHERS
    REALS outer[KY_FEW_ROOM][3]; /* the same by bodies outside the system */
#endif
    REALS part[KY_FEW_ROOM]; /* of U, by the pairs that have this body on the left */
    REALS u;
};
#define PULLS struct KY_FEW_NAME(ky_few_pulls)

KY_FN void KY_FEW_NAME(drift)(SYSTEM *s, TREE, const KY_FEW_REAL *h)
{
    REALS kinetic, dt;
    LANES kinetic[l] = KY_FEW_SPLAT(0);
    foreach (k, 0, BODIES - 1)
        LANES kinetic[l] +=
            0.5 * s->weight[k][l] * ky_few_square(s->v[k][0][l], s->v[k][1][l], s->v[k][2][l]);
    LANES dt[l] = h[l] / (kinetic[l] + s->b[l]);
    foreach (k, 0, BODIES - 1)
        foreach (c, 0, 3)
            LANES s->x[k][c][l] += s->slow[k][l] * dt[l] * s->v[k][c][l];
    LANES
    {
        struct ky_few_time time;
        time.t = s->t[l];
        time.low = s->low[l];
        time = ky_few_later(time, dt[l]);
        s->t[l] = time.t;
        s->low[l] = time.low;
    }
}

KY_FN void KY_FEW_NAME(clear)(REALS vector[3])
{
    foreach (c, 0, 3)
        LANES vector[c][l] = KY_FEW_SPLAT(0);
}

/* A node that is a pair of bodies. */
KY_FN void KY_FEW_NAME(pull_pair)(const SYSTEM *s, TREE, PULLS *f, int k)
{
    const int i = BEGIN(k);
    LANES
    {
        const KY_FEW_REAL x = s->x[k][0][l], y = s->x[k][1][l], z = s->x[k][2][l],
                          q = ky_few_inverse(ky_few_square(x, y, z)),
                          g = -s->slow[k][l] * s->total[k][l] * q * q * q;
        f->part[i][l] += s->weight[k][l] * s->total[k][l] * q;
        f->own[k][0][l] = g * x;
        f->own[k][1][l] = g * y;
        f->own[k][2][l] = g * z;
    }
    foreach (c, 0, 3)
        LANES
        {
            f->place[i][c][l] = -s->right[k][l] * s->x[k][c][l];
            f->place[i + 1][c][l] = s->left[k][l] * s->x[k][c][l];
        }
}

/* Bodies i and j on the two sides of node k: their pulls, and their part of U. */
KY_FN void KY_FEW_NAME(pull_two)(const SYSTEM *s, PULLS *f, int k, int i, int j)
{
    const double in_clock = s->inner < 0;
    LANES
    {
        const KY_FEW_REAL x = s->x[k][0][l] + (f->place[j][0][l] - f->place[i][0][l]),
                          y = s->x[k][1][l] + (f->place[j][1][l] - f->place[i][1][l]),
                          z = s->x[k][2][l] + (f->place[j][2][l] - f->place[i][2][l]),
                          q = ky_few_inverse(ky_few_square(x, y, z)), q3 = q * q * q,
                          by_j = s->mass[j][l] * q3, by_i = s->mass[i][l] * q3;
        f->part[i][l] += in_clock * (s->mass[i][l] * s->mass[j][l] * q);
        f->pull[i][0][l] += by_j * x;
        f->pull[i][1][l] += by_j * y;
        f->pull[i][2][l] += by_j * z;
        f->pull[j][0][l] -= by_i * x;
        f->pull[j][1][l] -= by_i * y;
        f->pull[j][2][l] -= by_i * z;
    }
}

/* Adds the difference of the accelerations of the two sides of node n. The mean of both is the
 * acceleration of n and replaces the left one. */
KY_FN void KY_FEW_NAME(gather)(const SYSTEM *s, TREE, PULLS *f, int n, REALS difference[3])
{
    REALS *left = f->pull[BEGIN(n)], *right = f->pull[MIDDLE(n)];
    foreach (c, 0, 3)
        LANES
        {
            difference[c][l] += right[c][l] - left[c][l];
            left[c][l] = s->left[n][l] * left[c][l] + s->right[n][l] * right[c][l];
        }
}

/* A node of groups: pulls between its sides, which act on the node and on all nodes within it. */
KY_FN void KY_FEW_NAME(pull_groups)(const SYSTEM *s, TREE, PULLS *f, int k)
{
    foreach (i, BEGIN(k), END(k))
        KY_FEW_NAME(clear)(f->pull[i]);
    KY_FEW_NAME(clear)(f->own[k]);
    foreach (i, BEGIN(k), MIDDLE(k))
        foreach (j, MIDDLE(k), END(k))
            KY_FEW_NAME(pull_two)(s, f, k, i, j);
    foreach (n, k + 2 - END(k) + BEGIN(k), k)
        KY_FEW_NAME(gather)(s, shape, f, n, f->others[n]);
    KY_FEW_NAME(gather)(s, shape, f, k, f->own[k]);
    foreach (i, BEGIN(k), END(k))
        foreach (c, 0, 3)
            LANES f->place[i][c][l] +=
                i < MIDDLE(k) ? -s->right[k][l] * s->x[k][c][l] : s->left[k][l] * s->x[k][c][l];
}

KY_FN void KY_FEW_NAME(pull)(const SYSTEM *s, TREE, PULLS *f)
{
    LANES f->part[0][l] = KY_FEW_SPLAT(0);
    foreach (k, 0, BODIES - 1) {
        KY_FEW_NAME(clear)(f->others[k]);
        LANES f->part[k][l] = KY_FEW_SPLAT(0);
    }
    foreach (i, 0, BODIES)
        KY_FEW_NAME(clear)(f->place[i]);
    foreach (k, 0, BODIES - 1)
        if (END(k) - BEGIN(k) == 2)
            KY_FEW_NAME(pull_pair)(s, shape, f, k);
        else
            KY_FEW_NAME(pull_groups)(s, shape, f, k);
    LANES f->u[l] = f->part[0][l];
    foreach (i, 1, BODIES - 1)
        LANES f->u[l] += f->part[i][l];
}

#ifdef KY_FEW_OTHERS
/* Pulls of bodies outside on all nodes, in others[] and, alone, in outer[]. One lane. */
KY_FN void KY_FEW_NAME(pull_outer)(const SYSTEM *s, TREE, PULLS *f,
                                   const struct ky_few_others *others)
{
    double place[KY_FEW_ROOM][3], pull[KY_FEW_ROOM][3];
    memset(pull, 0, (size_t)BODIES * sizeof *pull);
    foreach (i, 0, BODIES)
        for (int c = 0; c < 3; c++)
            place[i][c] = f->place[i][c][0];
    ky_few_pull(others, (s->t[0] - others->from) - s->low[0], BODIES, (const double(*)[3])place,
                pull);
    foreach (i, 0, BODIES)
        for (int c = 0; c < 3; c++)
            f->pull[i][c][0] = pull[i][c];
    foreach (k, 0, BODIES - 1) {
        memset(f->outer[k], 0, sizeof f->outer[k]);
        KY_FEW_NAME(gather)(s, shape, f, k, f->outer[k]);
    }
}

/* Adds them to the velocities, after the kick by the bodies of the system. Their work changes B as
 * far as they act on the clock. */
KY_FN void KY_FEW_NAME(kick_outer)(SYSTEM *s, TREE, PULLS *f, double dt, const double (*before)[3])
{
    double power = 0, in_clock = 0;
    foreach (k, 0, BODIES - 1) {
        double here = 0;
        for (int c = 0; c < 3; c++) {
            const double kick = dt * f->outer[k][c][0], after = s->v[k][c][0] + kick;
            here += f->outer[k][c][0] * 0.5 * (before[k][c] + after);
            s->v[k][c][0] = after;
        }
        power += s->slow[k][0] * s->total[k][0] * s->left[k][0] * s->right[k][0] * here;
        in_clock += s->inner < 0 || k == s->inner ? s->weight[k][0] * here : 0;
    }
    s->work[0] += dt * power;
    s->b[0] -= dt * in_clock;
}
#endif

KY_FN void KY_FEW_NAME(kick)(SYSTEM *s, TREE, const KY_FEW_REAL *h OTHERS)
{
    PULLS f;
    REALS dt, power;
    KY_FEW_NAME(pull)(s, shape, &f);
#ifdef KY_FEW_OTHERS
    double before[KY_FEW_ROOM][3];
    foreach (k, 0, BODIES - 1)
        for (int c = 0; c < 3; c++)
            before[k][c] = s->v[k][c][0];
    KY_FEW_NAME(pull_outer)(s, shape, &f, others);
#endif
    LANES dt[l] = h[l] / f.u[l];
    LANES power[l] = KY_FEW_SPLAT(0);
    /* Places in f are constants where the tree is: a compiler then keeps f in registers. */
    foreach (k, 0, BODIES - 1)
        if (k == s->inner)
            foreach (c, 0, 3)
                LANES power[l] +=
                    s->weight[k][l] * f.others[k][c][l] *
                    (s->v[k][c][l] + 0.5 * dt[l] * (f.own[k][c][l] + f.others[k][c][l]));
    foreach (k, 0, BODIES - 1)
        foreach (c, 0, 3)
            LANES s->v[k][c][l] += dt[l] * (f.own[k][c][l] + f.others[k][c][l]);
    LANES s->b[l] -= dt[l] * power[l];
#ifdef KY_FEW_OTHERS
    KY_FEW_NAME(kick_outer)(s, shape, &f, dt[0], (const double(*)[3])before);
#endif
}

/* A step of the lengths h[lane]; with h = 0 a lane stays as it is. */
KY_FN void KY_FEW_NAME(step_of)(SYSTEM *s, TREE, const KY_FEW_REAL *h OTHERS)
{
    const double unit = KY_FEW_UNIT;
    REALS part;
    for (int stage = 0; stage <= KY_FEW_STAGES; stage++) {
        const double before = stage ? ky_few_coefficient[stage - 1] : 0,
                     after = stage < KY_FEW_STAGES ? ky_few_coefficient[stage] : 0;
        LANES part[l] = h[l] * (0.5 * unit * (before + after));
        KY_FEW_NAME(drift)(s, shape, part);
        LANES part[l] = h[l] * (unit * after);
        if (stage < KY_FEW_STAGES)
            KY_FEW_NAME(kick)(s, shape, part PASS_OTHERS);
    }
}

#ifndef KY_FEW_OTHERS
/* B at the present place: U - T of the clock. */
KY_FN void KY_FEW_NAME(set_clock)(SYSTEM *s, TREE)
{
    PULLS f;
    KY_FEW_NAME(pull)(s, shape, &f);
    LANES s->b[l] = f.u[l];
    foreach (k, 0, BODIES - 1)
        LANES s->b[l] -=
            0.5 * s->weight[k][l] * ky_few_square(s->v[k][0][l], s->v[k][1][l], s->v[k][2][l]);
}
#endif

#undef foreach
#undef END
#undef MIDDLE
#undef BEGIN
#undef BODIES
#undef OTHERS
#undef PASS_OTHERS
#undef PULLS
#undef TREE
#undef REALS
#undef SYSTEM
#undef LANES
