/* Action: mass of the other bodies within the radius. The example of docs/general-walk.md. */
#include "physics/visit.h"

#define KY_RESULTS_enclosed(R) R(mass, 0, 1, 0)

struct ky_enclosed {
    KY_REAL reach2, mass;
};

KY_FN struct ky_enclosed ky_enclosed_start(struct ky_visit_sink sink)
{
    struct ky_enclosed a;
    a.reach2 = sink.radius * sink.radius;
    a.mass = KY_SPLAT(0);
    return a;
}

KY_FN KY_REAL ky_enclosed_reach2(struct ky_enclosed a)
{
    return a.reach2;
}

KY_FN int ky_enclosed_test(struct ky_visit_span span)
{
    return ky_visit_in_reach(span);
}

KY_FN struct ky_enclosed ky_enclosed_body(struct ky_enclosed a, struct ky_visit_body body)
{
    if (body.r2 <= a.reach2)
        a.mass += body.mass;
    return a;
}

KY_FN struct ky_enclosed ky_enclosed_cell(struct ky_enclosed a, struct ky_visit_cell cell)
{
    a.mass += cell.moments.m;
    return a;
}

KY_FN KY_REAL ky_enclosed_result(struct ky_enclosed a, int column)
{
    (void)column;
    return a.mass;
}
