/* Action: the smallest and the largest label among the other bodies within the radius, its surface
 * included, that are not the label of the sink; −1 where there are none. A body of radius 0 finds
 * nothing. analysis/friends.c uses this action to join friends of friends.
 *
 * A cell acts as a whole where it lies within reach and is not longer across than the radius. It
 * then gives the label of its first body alone. That is enough to join all of its bodies, which are
 * within reach of each other. So each of them meets the first body of every cell beside it, and
 * once no other label is found, the cell has one label. A cell that is opened gives its first body
 * too, so that it does not matter which cells are used. */
#ifndef KY_ACTIONS_FRIENDS_H
#define KY_ACTIONS_FRIENDS_H

#include "physics/visit.h"

#define KY_RESULTS_friends(R) R(least, 0, 0, 0) R(most, 0, 0, 0)

struct ky_friends {
    KY_REAL reach2;
    KY_GLOBAL const unsigned int *label;
    unsigned int own, least, most; /* least > most: none was found */
};

KY_FN struct ky_friends ky_friends_start(struct ky_visit_sink sink)
{
    struct ky_friends a;
    a.reach2 = sink.radius > KY_SPLAT(0) ? sink.radius * sink.radius : KY_SPLAT(-1);
    a.label = sink.label;
    a.own = sink.label[sink.body];
    a.least = 0xffffffffu;
    a.most = 0;
    return a;
}

KY_FN KY_REAL ky_friends_reach2(struct ky_friends a)
{
    return a.reach2;
}

/* The squared length of the cell's box from corner to corner, and a little more. */
KY_FN KY_REAL ky_friends_across2(struct ky_visit_span span)
{
    KY_REAL more = KY_SPLAT(1) + KY_SPLAT(4) * KY_VISIT_SLACK;
    return more * ky_distance2(span.below_x + span.above_x, span.below_y + span.above_y,
                               span.below_z + span.above_z, KY_SPLAT(0));
}

KY_FN int ky_friends_test(struct ky_visit_span span)
{
    int verdict = ky_visit_in_reach(span);
    return verdict == KY_VISIT_USE && ky_friends_across2(span) > span.least2 ? KY_VISIT_OPEN
                                                                             : verdict;
}

KY_FN struct ky_friends ky_friends_meet(struct ky_friends a, unsigned int body)
{
    unsigned int label = a.label[body];
    if (label == a.own)
        return a;
    a.least = label < a.least ? label : a.least;
    a.most = label > a.most ? label : a.most;
    return a;
}

KY_FN struct ky_friends ky_friends_body(struct ky_friends a, struct ky_visit_body body)
{
    return body.r2 <= a.reach2 ? ky_friends_meet(a, body.body) : a;
}

KY_FN struct ky_friends ky_friends_cell(struct ky_friends a, struct ky_visit_cell cell)
{
    return ky_friends_meet(a, cell.first);
}

KY_FN KY_REAL ky_friends_result(struct ky_friends a, int column)
{
    if (a.least > a.most)
        return KY_SPLAT(-1);
    return (KY_REAL)(column ? a.most : a.least);
}

#endif
