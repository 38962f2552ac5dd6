/* Action: friends of friends. Two bodies are joined if their distance is at most the radius of
 * either of them. */
#ifndef KY_ACTIONS_FRIENDS_H
#define KY_ACTIONS_FRIENDS_H

#include "physics/visit.h"

#define KY_RESULTS_friends(R) R(group, 0, 0, 0)

struct ky_friends {
    KY_REAL reach2;
};

KY_FN struct ky_friends ky_friends_start(struct ky_visit_sink sink)
{
    struct ky_friends a;
    a.reach2 = sink.radius * sink.radius;
    return a;
}

KY_FN KY_REAL ky_friends_reach2(struct ky_friends a)
{
    return a.reach2;
}

KY_FN int ky_friends_test(struct ky_visit_span span)
{
    return ky_visit_in_reach(span);
}

KY_FN int ky_friends_joins(struct ky_friends a, struct ky_visit_body body)
{
    return body.r2 <= a.reach2;
}

#endif
