/* Action: the indices of the other bodies within the radius, in the order of the walk; the caller
 * sorts them. All are counted, but nothing is written beyond the end of the list's memory. */
#ifndef KY_ACTIONS_LIST_H
#define KY_ACTIONS_LIST_H

#include "physics/visit.h"

#define KY_RESULTS_list(R) R(count, 0, 0, 0)

struct ky_list {
    KY_REAL reach2;
    KY_GLOBAL unsigned int *list;
    unsigned int count, room;
};

KY_FN struct ky_list ky_list_start(struct ky_visit_sink sink)
{
    struct ky_list a;
    a.reach2 = sink.radius * sink.radius;
    a.list = sink.list;
    a.count = 0;
    a.room = sink.room;
    return a;
}

KY_FN KY_REAL ky_list_reach2(struct ky_list a)
{
    return a.reach2;
}

KY_FN int ky_list_test(struct ky_visit_span span)
{
    return ky_visit_near_reach(span);
}

KY_FN struct ky_list ky_list_body(struct ky_list a, struct ky_visit_body body)
{
    if (body.r2 > a.reach2)
        return a;
    if (a.count < a.room)
        a.list[a.count] = body.body;
    a.count++;
    return a;
}

KY_FN struct ky_list ky_list_cell(struct ky_list a, struct ky_visit_cell cell)
{
    (void)cell; /* the test never uses a cell */
    return a;
}

KY_FN KY_REAL ky_list_result(struct ky_list a, int column)
{
    (void)column;
    return (KY_REAL)a.count;
}

#endif
