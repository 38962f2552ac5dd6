/* A kernel that calls every function of every action; tests/command/actions.sh lets clang read it. */
#include "physics/actions/actions.h"

#define USE(name, needs)                                                                           \
    {                                                                                              \
        struct ky_##name a = ky_##name##_start(sink);                                              \
        int verdict = ky_##name##_test(span);                                                      \
        if (ky_##name##_reach2(a) > out[0])                                                        \
            a = ky_##name##_body(a, body);                                                         \
        if (verdict == KY_VISIT_USE)                                                                \
            a = ky_##name##_cell(a, cell);                                                         \
        out[verdict] = ky_##name##_result(a, 0);                                                   \
    }

#define JOIN(name, needs)                                                                          \
    {                                                                                              \
        struct ky_##name a = ky_##name##_start(sink);                                              \
        out[ky_##name##_test(span)] = ky_##name##_reach2(a);                                       \
        out[0] = (KY_REAL)ky_##name##_joins(a, body);                                              \
    }

__kernel void walk(__global KY_REAL *out, __global KY_REAL *space, __global uint *list)
{
    struct ky_visit_sink sink = {0};
    struct ky_visit_body body = {0};
    struct ky_visit_cell cell = {0};
    struct ky_visit_span span = {0};
    sink.list = list;
    sink.space = space;
    sink.stride = sink.k = sink.room = 1;
    KY_ACTIONS(USE)
    KY_JOINING(JOIN)
}
