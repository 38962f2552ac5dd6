/* Action: the number of other bodies within the radius, its surface included. If KY_REAL is float
 * the result is exact below 2^24, and engines refuse a larger one. */
#ifndef KY_ACTIONS_COUNT_H
#define KY_ACTIONS_COUNT_H

#include "physics/visit.h"

#define KY_RESULTS_count(R) R(count, 0, 0, 0)

struct ky_count {
    KY_REAL reach2;
    unsigned int count;
};

KY_FN struct ky_count ky_count_start(struct ky_visit_sink sink)
{
    struct ky_count a;
    a.reach2 = sink.radius * sink.radius;
    a.count = 0;
    return a;
}

KY_FN KY_REAL ky_count_reach2(struct ky_count a)
{
    return a.reach2;
}

KY_FN int ky_count_test(struct ky_visit_span span)
{
    return ky_visit_in_reach(span);
}

KY_FN struct ky_count ky_count_body(struct ky_count a, struct ky_visit_body body)
{
    a.count += body.r2 <= a.reach2;
    return a;
}

KY_FN struct ky_count ky_count_cell(struct ky_count a, struct ky_visit_cell cell)
{
    a.count += cell.bodies;
    return a;
}

KY_FN KY_REAL ky_count_result(struct ky_count a, int column)
{
    (void)column;
    return (KY_REAL)a.count;
}

#endif
