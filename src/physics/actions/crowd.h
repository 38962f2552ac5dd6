/* Action: the data for the density of Casertano & Hut (1985) with j = 6: the masses of the five
 * nearest other bodies, from the nearest on, and the squared distance of the sixth. Of bodies at
 * equal distances the one with the smaller index is the nearer. The caller asks for k = 6. */
#ifndef KY_ACTIONS_CROWD_H
#define KY_ACTIONS_CROWD_H

#include "physics/visit.h"

#define KY_RESULTS_crowd(R) R(mass, 0, 1, 0) R(distance2, 0, 0, 2)
#define KY_CROWD 6

struct ky_crowd {
    KY_REAL reach2;
    unsigned int count;
    KY_REAL r2[KY_CROWD], mass[KY_CROWD]; /* of the nearest so far, ascending */
    unsigned int body[KY_CROWD];
};

KY_FN struct ky_crowd ky_crowd_start(struct ky_visit_sink sink)
{
    struct ky_crowd a;
    a.reach2 = sink.bound2;
    a.count = 0;
    for (int k = 0; k < KY_CROWD; k++) {
        a.r2[k] = KY_VISIT_FAR;
        a.mass[k] = KY_SPLAT(0);
        a.body[k] = 0;
    }
    return a;
}

KY_FN KY_REAL ky_crowd_reach2(struct ky_crowd a)
{
    return a.reach2;
}

KY_FN int ky_crowd_test(struct ky_visit_span span)
{
    return ky_visit_near_reach(span);
}

/* 1 if the body is nearer than number k of the nearest so far. */
KY_FN int ky_crowd_is_nearer(struct ky_crowd a, struct ky_visit_body body, unsigned int k)
{
    return k >= a.count || body.r2 < a.r2[k] || (body.r2 == a.r2[k] && body.body < a.body[k]);
}

KY_FN struct ky_crowd ky_crowd_body(struct ky_crowd a, struct ky_visit_body body)
{
    unsigned int at = KY_CROWD - 1;
    if (body.r2 > a.reach2 || !ky_crowd_is_nearer(a, body, at))
        return a;
    for (; at > 0 && ky_crowd_is_nearer(a, body, at - 1); at--) {
        a.r2[at] = a.r2[at - 1];
        a.mass[at] = a.mass[at - 1];
        a.body[at] = a.body[at - 1];
    }
    a.r2[at] = body.r2;
    a.mass[at] = body.mass;
    a.body[at] = body.body;
    a.count += a.count < KY_CROWD;
    if (a.count == KY_CROWD)
        a.reach2 = a.r2[KY_CROWD - 1];
    return a;
}

KY_FN struct ky_crowd ky_crowd_cell(struct ky_crowd a, struct ky_visit_cell cell)
{
    (void)cell; /* the test never uses a cell */
    return a;
}

KY_FN KY_REAL ky_crowd_result(struct ky_crowd a, int column)
{
    KY_REAL mass = KY_SPLAT(0);
    for (int k = 0; k < KY_CROWD - 1; k++)
        mass += a.mass[k];
    return column ? a.r2[KY_CROWD - 1] : mass;
}

#endif
