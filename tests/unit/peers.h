/* Action: joins bodies within the radius whose masses differ by a factor of at most two. The
 * example of docs/general-walk.md. */
#include "physics/visit.h"

#define KY_RESULTS_peers(R) R(group, 0, 0, 0)

struct ky_peers {
    KY_REAL reach2, mass;
};

KY_FN struct ky_peers ky_peers_start(struct ky_visit_sink sink)
{
    struct ky_peers a;
    a.reach2 = sink.radius * sink.radius;
    a.mass = sink.mass;
    return a;
}

KY_FN KY_REAL ky_peers_reach2(struct ky_peers a)
{
    return a.reach2;
}

KY_FN int ky_peers_test(struct ky_visit_span span)
{
    return ky_visit_near_reach(span);
}

KY_FN int ky_peers_joins(struct ky_peers a, struct ky_visit_body body)
{
    return body.mass <= a.mass + a.mass && a.mass <= body.mass + body.mass;
}
