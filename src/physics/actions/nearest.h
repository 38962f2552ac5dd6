/* Action: the distance of the k-th nearest other body. The squared distances of the k nearest so
 * far are in a heap with the largest on top, which is the reach as soon as there are k. */
#ifndef KY_ACTIONS_NEAREST_H
#define KY_ACTIONS_NEAREST_H

#include "physics/visit.h"

#define KY_RESULTS_nearest(R) R(distance, 0, 0, 1)

struct ky_nearest {
    KY_REAL reach2;
    KY_SPACE KY_REAL *heap;
    unsigned int count, k, stride;
};

KY_FN struct ky_nearest ky_nearest_start(struct ky_visit_sink sink)
{
    struct ky_nearest a;
    a.reach2 = sink.bound2;
    a.heap = sink.space;
    a.count = 0;
    a.k = sink.k;
    a.stride = sink.stride;
    return a;
}

KY_FN KY_REAL ky_nearest_reach2(struct ky_nearest a)
{
    return a.reach2;
}

KY_FN int ky_nearest_test(struct ky_visit_span span)
{
    return ky_visit_near_reach(span);
}

/* Sifts a new distance up from the end, while the heap is not full. */
KY_FN void ky_nearest_rise(struct ky_nearest a, KY_REAL r2)
{
    unsigned int at = a.count;
    while (at > 0) {
        unsigned int parent = (at - 1) / 2;
        KY_REAL above = a.heap[parent * a.stride];
        if (above >= r2)
            break;
        a.heap[at * a.stride] = above;
        at = parent;
    }
    a.heap[at * a.stride] = r2;
}

/* Replaces the largest distance, at the top, and sifts the new one down. */
KY_FN void ky_nearest_sink(struct ky_nearest a, KY_REAL r2)
{
    unsigned int at = 0, child = 1;
    while (child < a.k) {
        KY_REAL below = a.heap[child * a.stride];
        if (child + 1 < a.k && a.heap[(child + 1) * a.stride] > below)
            below = a.heap[++child * a.stride];
        if (below <= r2)
            break;
        a.heap[at * a.stride] = below;
        at = child;
        child = 2 * at + 1;
    }
    a.heap[at * a.stride] = r2;
}

KY_FN struct ky_nearest ky_nearest_body(struct ky_nearest a, struct ky_visit_body body)
{
    if (body.r2 > a.reach2)
        return a;
    if (a.count < a.k) {
        ky_nearest_rise(a, body.r2);
        a.count++;
    } else {
        ky_nearest_sink(a, body.r2);
    }
    if (a.count == a.k)
        a.reach2 = a.heap[0];
    return a;
}

KY_FN struct ky_nearest ky_nearest_cell(struct ky_nearest a, struct ky_visit_cell cell)
{
    (void)cell; /* the test never uses a cell */
    return a;
}

KY_FN KY_REAL ky_nearest_result(struct ky_nearest a, int column)
{
    (void)column;
    return a.reach2 > KY_SPLAT(0) ? a.reach2 * KY_RSQRT(a.reach2) : KY_SPLAT(0);
}

#endif
