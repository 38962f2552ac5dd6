/* Sums on a board: see hermite_board.h.
 *
 * Lengths and masses on the board are the engine's, and the unit of time is the longest step, from
 * the beginning of the longest step in which the call began: a power of two of ticks, so that times
 * are exact. */
#include "engine/cpu/steps/hermite_board.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "base/status.h"
#include "engine/board.h"

enum { BATCH = KY_HERMITE_BATCH };

struct ky_cpu_sent {
    uint64_t first;  /* the tick from which time is counted */
    double now;      /* the time of sums and of bodies that are sent [longest steps] */
    double longest;  /* the longest step [time] */
    uint32_t *order; /* [n] */
    struct ky_board_body body[BATCH];
    uint32_t slot[BATCH];
    int32_t label[BATCH];
    double x[BATCH][3], v[BATCH][3], a[BATCH][3], j[BATCH][3]; /* of sinks */
};

double ky_cpu_sent_memory(const struct ky_cpu *cpu, size_t n)
{
    return cpu->board ? sizeof(struct ky_cpu_sent) + (double)n * sizeof(uint32_t) : 0;
}

void ky_cpu_free_sent(struct ky_cpu *cpu)
{
    if (cpu->hermite->sent)
        free(cpu->hermite->sent->order);
    free(cpu->hermite->sent);
    cpu->hermite->sent = NULL;
}

static enum ky_status reserve(struct ky_cpu *cpu, struct ky_error *error)
{
    struct ky_cpu_sent *own = cpu->hermite->sent;
    if (own)
        return KY_OK;
    own = cpu->hermite->sent = ky_allocate_zeroed(1, sizeof *own);
    if (own)
        own->order = ky_allocate(cpu->n, sizeof *own->order);
    if (own && own->order)
        return KY_OK;
    ky_cpu_free_sent(cpu);
    return ky_no_memory(error, "bodies for a board", cpu->n, sizeof *own->order);
}

/* ---- bodies ---- */

void ky_cpu_send_at(const struct ky_cpu_way *b, uint64_t tick)
{
    struct ky_cpu_sent *own = b->cpu->hermite->sent;
    if (own)
        own->now = (double)(tick - own->first) / (double)b->way->stride;
}

/* Body i at this place with this velocity, in the engine's lengths, at this time. */
static struct ky_board_body body_of(const struct ky_cpu *cpu, size_t i, double time,
                                    const double x[3], const double v[3])
{
    const double *jerk = cpu->extra[KY_COLUMN_JERK], h = cpu->hermite->sent->longest;
    struct ky_board_body body = {
        .time = time, .mass = cpu->mass[i], .label = (int32_t)i, .set = cpu->mass[i] > 0};
    for (size_t c = 0; c < 3; c++) {
        body.x[c] = x[c];
        body.v[c] = h * v[c];
        body.a2[c] = h * h / 2 * cpu->a[c][i] / cpu->length;
        body.j6[c] = h * h * h / 6 * jerk[c * cpu->n + i] / cpu->length;
    }
    return body;
}

enum ky_status ky_cpu_send_all(const struct ky_cpu_way *b, struct ky_error *error)
{
    struct ky_cpu *cpu = b->cpu;
    const uint64_t now = b->way->now, stride = b->way->stride;
    if (!cpu->board)
        return KY_OK;
    KY_TRY(reserve(cpu, error));
    struct ky_cpu_sent *own = cpu->hermite->sent;
    own->first = now - now % stride;
    own->longest = b->longest;
    ky_cpu_send_at(b, now);
    for (size_t first = 0; first < cpu->n; first += BATCH) {
        const size_t count = cpu->n - first < BATCH ? cpu->n - first : BATCH;
        for (size_t k = 0; k < count; k++) {
            const size_t i = first + k;
            const int level = cpu->blocks->level[i], hidden = level == KY_LEVEL_HIDDEN;
            const uint64_t rest = hidden ? 0 : now % (stride >> level);
            const double x[3] = {cpu->x[0][i], cpu->x[1][i], cpu->x[2][i]},
                         v[3] = {cpu->v[0][i] / cpu->length, cpu->v[1][i] / cpu->length,
                                 cpu->v[2][i] / cpu->length};
            own->slot[k] = (uint32_t)i;
            own->body[k] = body_of(cpu, i, own->now - (double)rest / (double)stride, x, v);
        }
        KY_TRY(cpu->board->verbs->put(cpu->board, count, own->slot, own->body, error));
    }
    return KY_OK;
}

enum ky_status ky_cpu_send(const struct ky_cpu_way *b, const uint32_t *body, size_t count,
                           struct ky_error *error)
{
    const struct ky_cpu *cpu = b->cpu;
    struct ky_cpu_sent *own = cpu->hermite->sent;
    double *const *at = cpu->hermite->at;
    if (!cpu->board || !count)
        return KY_OK;
    memcpy(own->order, body, count * sizeof *body);
    qsort(own->order, count, sizeof *own->order, ky_order_words);
    for (size_t first = 0; first < count; first += BATCH) {
        const size_t here = count - first < BATCH ? count - first : BATCH;
        for (size_t k = 0; k < here; k++) {
            const uint32_t i = own->order[first + k];
            const double x[3] = {at[0][i], at[1][i], at[2][i]},
                         v[3] = {at[3][i], at[4][i], at[5][i]};
            own->body[k] = body_of(cpu, i, own->now, x, v);
        }
        KY_TRY(cpu->board->verbs->put(cpu->board, here, own->order + first, own->body, error));
    }
    return KY_OK;
}

/* ---- sums ---- */

enum ky_status ky_cpu_sum_on_board(const struct ky_cpu *cpu, struct ky_moving_sinks *block,
                                   size_t count, struct ky_error *error)
{
    const struct ky_cpu_hermite *hermite = cpu->hermite;
    struct ky_cpu_sent *own = hermite->sent;
    const double h = own->longest, per_mass = 1 / hermite->heaviest,
                 per_jerk = per_mass / (h * hermite->speed);
    for (size_t k = 0; k < count; k++) {
        const int32_t i = block[k / KY_MOVING_BLOCK].label[k % KY_MOVING_BLOCK];
        own->label[k] = i;
        for (int c = 0; c < 3; c++) {
            own->x[k][c] = hermite->at[c][i];
            own->v[k][c] = h * hermite->at[3 + c][i];
        }
    }
    const struct ky_board_request request = {.time = own->now,
                                             .slots = cpu->n,
                                             .count = count,
                                             .what = KY_BOARD_JERK,
                                             .label = own->label,
                                             .x = (const double(*)[3])own->x,
                                             .v = (const double(*)[3])own->v};
    const struct ky_board_results results = {.acceleration = own->a, .jerk = own->j};
    KY_TRY(cpu->board->verbs->start(cpu->board, &request, error));
    KY_TRY(cpu->board->verbs->finish(cpu->board, &results, error));
    for (size_t k = 0; k < count; k++) {
        struct ky_moving_sinks *to = &block[k / KY_MOVING_BLOCK];
        const size_t s = k % KY_MOVING_BLOCK;
        to->found[s] = 0;
        for (int c = 0; c < 3; c++) { /* the potential follows the accelerations */
            to->sum[c][s] = per_mass * own->a[k][c];
            to->sum[4 + c][s] = per_jerk * own->j[k][c];
        }
    }
    return KY_OK;
}
