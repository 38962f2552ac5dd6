/* Systems of few bodies as the lanes of a batch, and back. */
#include "few/batch.h"

#include <math.h>
#include <string.h>

#include "few/few.h"

int ky_few_kind(const struct ky_few *few)
{
    const struct ky_few_shape *shape = &few->system.shape;
    int kind = few->system.inner + 1;
    for (int k = 0; k < shape->n - 1; k++) { /* three numbers of at most 4 */
        const struct ky_few_node *node = &shape->node[k];
        kind = ((kind * 8 + node->begin) * 8 + node->middle) * 8 + node->end;
    }
    return kind;
}

/* Lane l of the batch gets the system and the length of its next step. */
static void pack(struct ky_few_batch *batch, int l, const struct ky_few_system_one *one, double h,
                 double until)
{
    struct ky_few_system_batch *s = &batch->system;
    for (int k = 0; k < one->shape.n - 1; k++) {
        s->total[k][l] = one->total[k][0];
        s->left[k][l] = one->left[k][0];
        s->right[k][l] = one->right[k][0];
        s->slow[k][l] = one->slow[k][0];
        s->weight[k][l] = one->weight[k][0];
        for (int c = 0; c < 3; c++) {
            s->x[k][c][l] = one->x[k][c][0];
            s->v[k][c][l] = one->v[k][c][0];
        }
    }
    for (int i = 0; i < one->shape.n; i++)
        s->mass[i][l] = one->mass[i][0];
    s->b[l] = one->b[0];
    s->t[l] = one->t[0];
    s->low[l] = one->low[0];
    batch->h[l] = h;
    batch->until[l] = until;
}

static void unpack(const struct ky_few_batch *batch, int l, struct ky_few_system_one *one)
{
    const struct ky_few_system_batch *s = &batch->system;
    for (int k = 0; k < one->shape.n - 1; k++)
        for (int c = 0; c < 3; c++) {
            one->x[k][c][0] = s->x[k][c][l];
            one->v[k][c][0] = s->v[k][c][l];
        }
    one->b[0] = s->b[l];
    one->t[0] = s->t[l];
    one->low[0] = s->low[l];
}

/* Lanes without a system have the numbers of the first one, which stays as it is. */
static void fill(struct ky_few_batch *batch, const struct ky_few_some *some)
{
    const size_t count = some->count;
    const struct ky_few_system_one *first = &some->few[0]->system;
    struct ky_few_system_batch *s = &batch->system;
    s->shape.n = first->shape.n;
    memcpy(s->shape.node, first->shape.node, sizeof s->shape.node[0] * KY_FEW_BATCH_MOST);
    s->inner = first->inner;
    batch->sign = some->few[0]->settings.backwards ? -1 : 1;
    batch->count = count;
    for (size_t l = 0; l < KY_FEW_BATCH; l++) {
        const size_t from = l < count ? l : 0;
        const struct ky_few *now = some->few[from];
        pack(batch, (int)l, &now->system, l < count ? now->h : 0, some->until[from]);
    }
}

void ky_few_advance(struct ky_few_some *some, size_t most,
                    void (*steps)(struct ky_few_batch *batch), struct ky_few_motion *before)
{
    struct ky_few_batch batch;
    const int is_pair = some->few[0]->system.shape.n == 2;
    fill(&batch, some);
    batch.most = is_pair ? most : 1;
    steps(&batch);
    for (size_t l = 0; l < some->count; l++) {
        struct ky_few *now = some->few[l];
        if (!is_pair)
            ky_few_keep(now, before);
        unpack(&batch, (int)l, &now->system);
        if (is_pair) {
            now->steps += batch.made[l];
            now->kicks += KY_FEW_STAGES * batch.made[l];
            now->last = now->h;
            some->is_lost[l] = ky_few_check_finite(now, NULL) != KY_OK;
        } else {
            some->is_lost[l] = ky_few_finish(now, before) && ky_few_check_finite(now, NULL);
        }
    }
}
