/* Action: the distance of the k-th nearest body that is heavier than the sink, 0 if there are
 * fewer. Its reach is no nearest body's: a sink with few heavier bodies looks at all. */
#include "physics/visit.h"

#define KY_RESULTS_heavier(R) R(distance, 0, 0, 1)

struct ky_heavier {
    KY_REAL reach2, mass;
    KY_SPACE KY_REAL *found; /* squared distances, ascending */
    unsigned int count, k, stride;
};

KY_FN struct ky_heavier ky_heavier_start(struct ky_visit_sink sink)
{
    struct ky_heavier a;
    a.reach2 = KY_VISIT_FAR;
    a.mass = sink.mass;
    a.found = sink.space;
    a.count = 0;
    a.k = sink.k;
    a.stride = sink.stride;
    return a;
}

KY_FN KY_REAL ky_heavier_reach2(struct ky_heavier a)
{
    return a.reach2;
}

KY_FN int ky_heavier_test(struct ky_visit_span span)
{
    return ky_visit_near_reach(span);
}

KY_FN struct ky_heavier ky_heavier_body(struct ky_heavier a, struct ky_visit_body body)
{
    unsigned int at;
    if (body.mass <= a.mass || body.r2 > a.reach2)
        return a;
    a.count += a.count < a.k;
    for (at = a.count - 1; at > 0 && a.found[(at - 1) * a.stride] > body.r2; at--)
        a.found[at * a.stride] = a.found[(at - 1) * a.stride];
    a.found[at * a.stride] = body.r2;
    if (a.count == a.k)
        a.reach2 = a.found[(a.k - 1) * a.stride];
    return a;
}

KY_FN struct ky_heavier ky_heavier_cell(struct ky_heavier a, struct ky_visit_cell cell)
{
    (void)cell; /* its test uses no cell */
    return a;
}

KY_FN KY_REAL ky_heavier_result(struct ky_heavier a, int column)
{
    (void)column;
    return a.count == a.k && a.reach2 > KY_SPLAT(0) ? a.reach2 * KY_RSQRT(a.reach2) : KY_SPLAT(0);
}
