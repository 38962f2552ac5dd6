/* The bodies of a range along the curve that are in a sorted list of places. */
#ifndef KY_KERNELS_LISTED_H
#define KY_KERNELS_LISTED_H

#include "engine/device/kernels/driver/dialect.h"

/* The number of the `listed` places before place `body`. */
KY_FN ky_uint ky_listed_before(KY_GLOBAL const ky_uint *list, ky_uint listed, ky_uint body)
{
    ky_uint low = 0, high = listed;
    while (low < high) {
        ky_uint middle = (low + high) / 2;
        if (list[middle] < body)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The sinks among the bodies begin … end - 1: with KY_FLAG_LISTED the entries of the list that are
 * there, otherwise all of these bodies. Factors are indexed by sinks. */
struct ky_span {
    ky_uint begin, end;
};
KY_FN struct ky_span ky_listed_span(KY_GLOBAL const ky_uint *list, ky_uint listed, ky_uint flags,
                                    ky_uint begin, ky_uint end)
{
    struct ky_span its;
    const int in_list = (flags & KY_FLAG_LISTED) != 0;
    its.begin = in_list ? ky_listed_before(list, listed, begin) : begin;
    its.end = in_list ? ky_listed_before(list, listed, end) : end;
    return its;
}

/* The largest factor of the sinks of a span, on all lanes of the team; 0 if there are none. */
KY_FN float ky_listed_most(ky_team team, KY_GLOBAL const float *factor, struct ky_span sinks)
{
    float most = 0.0f;
    for (ky_uint k = sinks.begin + KY_TEAM_LANE; k < sinks.end; k += KY_TEAM)
        most = KY_FMAX(most, factor[k]);
    return -ky_team_least(team, -most);
}

#endif
