/* Steps of systems of few bodies, one system a lane: src/few/stages.h for vectors. A step is one
 * long chain of roots and divisions, so several vectors take each stage side by side. Nothing is
 * fused, so that a system has the same bits with every instruction set and alone. */
#define KY_LANE_DOUBLE 1
#include "engine/cpu/lanes/lanes.h"

#define KY_FEW_REAL ky_vector
#define KY_FEW_SPLAT(x) ky_splat(x)
#define KY_FEW_INVERSE(r2) ky_where_above(ky_rsqrt_exact(r2), r2, 0)
#include "few/batch.h"

#define KY_FEW_ROOM KY_FEW_BATCH_MOST
#define KY_FEW_LANES (KY_FEW_BATCH / KY_WIDTH)
#define KY_FEW_NAME(name) name##_lanes
#include "few/state.h"

#include "few/stages.h"

typedef ky_vector ky_lanes_of_batch[KY_FEW_LANES];
_Static_assert(sizeof(struct ky_few_system_lanes) == sizeof(struct ky_few_system_batch),
               "the same numbers");

/* Lanes that have not reached their times keep h; the others get 0. Returns 1 if all keep it. */
KY_INLINE int keep_going(const struct ky_few_system_lanes *s, const struct ky_few_batch *batch,
                         const ky_vector *until, ky_vector *h, ky_vector *made)
{
    const double sign = batch->sign;
    double still = 0;
    ky_vector sum = ky_splat(0);
    for (int l = 0; l < KY_FEW_LANES; l++) {
        made[l] += ky_where_above(ky_splat(1), sign * h[l], 0);
        h[l] = ky_where_above(h[l], sign * ((until[l] - s->t[l]) + s->low[l]), 0);
        sum += ky_where_above(ky_splat(1), sign * h[l], 0);
    }
    for (int k = 0; k < KY_WIDTH; k++)
        still += sum[k];
    return still == (double)batch->count;
}

KY_INLINE void go(struct ky_few_system_lanes *s, const struct ky_few_shape *shape,
                  struct ky_few_batch *batch)
{
    ky_lanes_of_batch h, until, made;
    memcpy(h, batch->h, sizeof h);
    memcpy(until, batch->until, sizeof until);
    memset(made, 0, sizeof made);
    size_t k = 0;
    do
        step_of_lanes(s, shape, h);
    while (keep_going(s, batch, until, h, made) && ++k < batch->most);
    memcpy(batch->made, made, sizeof made);
}

void KY_LANE_NAME(ky_few_steps)(struct ky_few_batch *batch)
{
    static const struct ky_few_shape pair = {2, {{0, 1, 2}}}, left = {3, {{0, 1, 2}, {0, 2, 3}}},
                                     right = {3, {{1, 2, 3}, {0, 1, 3}}};
    struct ky_few_system_lanes s;
    memcpy(&s, &batch->system, sizeof s);
    if (s.shape.n == 2)
        go(&s, &pair, batch);
    else if (s.shape.n == 3 && s.shape.node[0].begin == 0)
        go(&s, &left, batch);
    else
        go(&s, &right, batch);
    memcpy(&batch->system, &s, sizeof s);
}
