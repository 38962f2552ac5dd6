/* The bodies by slots, the units of the boards, and the division among several boards. */
#include "grape/pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/order.h"
#include "base/status.h"
#include "octree/sample.h"
#include "physics/jerk.h"

/* Bodies that go to a board in one call; bodies in the sample for the units. */
enum { STAGE = 2048, SAMPLE = 63 };

/* Lengths and masses from 2^-NEAR to 2^NEAR go to the boards without a change of unit. */
enum { NEAR = 16 };

/* The results of one of several boards, before they are added. */
struct partial {
    double (*acceleration)[3], (*jerk)[3], *potential, *nearest_r2;
    int32_t *nearest, *list;
    size_t *begin;
    uint32_t *nearest_slot, *found;
    size_t room, list_room;
};

struct ky_pool {
    struct ky_board *board[KY_GRAPE_DEVICES];
    size_t boards;
    struct ky_board_body *body; /* all slots, in the caller's units */
    unsigned char *waits;       /* 1: the slot is in `waiting` */
    uint32_t *waiting;          /* slots whose present bodies have not been sent to the boards */
    size_t slots, room, count_waiting;
    double length, mass, largest_mass; /* the boards' units; the largest that was put */
    double far;                        /* the largest coordinate that they take */
    struct ky_board_body *stage;
    uint32_t *stage_slot;
    /* The last request: sinks in the boards' units. */
    struct ky_board_request request;
    double (*x)[3], (*v)[3], *h2;
    int32_t *label;
    size_t sinks_room;
    int has_request, started;
    struct partial partial;
};

/* ---- bodies ---- */

enum ky_status ky_pool_open(const struct ky_grape_devices *devices,
                            const struct ky_grape_settings *settings, struct ky_pool **opened,
                            struct ky_error *error)
{
    struct ky_parameters parameters;
    struct ky_pool *pool = ky_allocate_zeroed(1, sizeof *pool);
    *opened = NULL;
    if (!pool)
        return ky_no_memory(error, "boards", 1, sizeof *pool);
    enum ky_status status = KY_OK;
    ky_parameters_defaults(&parameters);
    parameters.precision = settings->precision == KY_SINGLE ? KY_EXTENDED : settings->precision;
    pool->length = pool->mass = 1;
    pool->far = KY_JERK_FAR_OF(parameters.precision == KY_DOUBLE);
    pool->stage = ky_allocate(STAGE, sizeof *pool->stage);
    pool->stage_slot = ky_allocate(STAGE, sizeof *pool->stage_slot);
    if (!pool->stage || !pool->stage_slot)
        status = ky_no_memory(error, "bodies on their way", STAGE, sizeof *pool->stage);
    for (size_t k = 0; k < devices->count && !status; k++) {
        parameters.engine = devices->name[k];
        status = ky_board_open(&parameters, &pool->board[k], error);
        pool->boards += !status;
    }
    if (!status)
        *opened = pool;
    else
        ky_pool_close(pool);
    return status;
}

static void free_partial(struct partial *p)
{
    void *all[] = {p->acceleration, p->jerk,         p->potential, p->nearest_r2, p->nearest,
                   p->list,         p->nearest_slot, p->found,     p->begin};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
    memset(p, 0, sizeof *p);
}

void ky_pool_close(struct ky_pool *pool)
{
    if (!pool)
        return;
    for (size_t k = 0; k < pool->boards; k++)
        pool->board[k]->verbs->close(pool->board[k]);
    void *all[] = {pool->body, pool->waits, pool->waiting, pool->stage, pool->stage_slot,
                   pool->x,    pool->v,     pool->h2,      pool->label};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
    free_partial(&pool->partial);
    free(pool);
}

static enum ky_status grow(struct ky_pool *pool, size_t slots, struct ky_error *error)
{
    if (slots <= pool->room)
        return KY_OK;
    const size_t room = slots + slots / 2 + 1024;
    if (!ky_extend(&pool->body, pool->slots, room, sizeof *pool->body) ||
        !ky_extend(&pool->waits, pool->slots, room, sizeof *pool->waits) ||
        !ky_extend(&pool->waiting, pool->count_waiting, room, sizeof *pool->waiting))
        return ky_no_memory(error, "j-particles", room, sizeof *pool->body);
    pool->room = room;
    return KY_OK;
}

static void wait_for_start(struct ky_pool *pool, size_t slot)
{
    if (!pool->waits[slot])
        pool->waiting[pool->count_waiting++] = (uint32_t)slot;
    pool->waits[slot] = 1;
}

enum ky_status ky_pool_put(struct ky_pool *pool, uint32_t slot, const struct ky_board_body *body,
                           struct ky_error *error)
{
    KY_TRY(grow(pool, (size_t)slot + 1, error));
    for (; pool->slots <= slot; pool->slots++) { /* boards may have bodies there from before */
        pool->body[pool->slots] = (struct ky_board_body){0};
        pool->waits[pool->slots] = 0;
        wait_for_start(pool, pool->slots);
    }
    pool->body[slot] = *body;
    if (fabs(body->mass) > pool->largest_mass)
        pool->largest_mass = fabs(body->mass);
    wait_for_start(pool, slot);
    return KY_OK;
}

ky_board_rest *ky_pool_rest(const struct ky_pool *pool)
{
    return pool->boards == 1 ? pool->board[0]->verbs->rest : NULL;
}

enum ky_status ky_pool_sum_at_rest(struct ky_pool *pool, const struct ky_board_resting *resting,
                                   struct ky_error *error)
{
    return ky_pool_rest(pool)(pool->board[0], resting, error);
}

/* ---- to the boards ---- */

static enum ky_status give_up(struct ky_pool *pool, struct ky_error *error)
{
    enum ky_status status = KY_OK;
    for (size_t k = 0; k < pool->boards && pool->started; k++) {
        const enum ky_status one = pool->board[k]->verbs->finish(pool->board[k], NULL, error);
        status = one == KY_OK ? status : one;
    }
    pool->started = 0;
    return status;
}

enum ky_status ky_pool_clear(struct ky_pool *pool, struct ky_error *error)
{
    pool->has_request = 0;
    pool->slots = pool->count_waiting = 0;
    pool->largest_mass = 0;
    return give_up(pool, error);
}

/* 1 for a value near 1, else the power of two above it. */
static double unit_of(double value)
{
    int exponent;
    if (!(value > 0) || !isfinite(value))
        return 1;
    (void)frexp(value, &exponent);
    return exponent < -NEAR || exponent > NEAR ? ldexp(1, exponent) : 1;
}

/* The geometric mean of the distances of a sample of the bodies from their median: one body that is
 * far away, or a close pair, hardly moves it. 0 if all lie in one place. */
static double extent(const struct ky_pool *pool)
{
    double x[3][SAMPLE], middle[3], sum = 0;
    size_t index[SAMPLE], count = 0, apart = 0, looked = ky_sample(pool->slots, SAMPLE, index);
    for (size_t k = 0; k < looked; k++)
        if (pool->body[index[k]].set) {
            for (int c = 0; c < 3; c++)
                x[c][count] = pool->body[index[k]].x[c];
            count++;
        }
    for (int c = 0; c < 3; c++)
        middle[c] = ky_sampled_median(x[c], 1, count, SAMPLE);
    for (size_t k = 0; k < count; k++) {
        double distance = 0;
        for (int c = 0; c < 3; c++)
            distance += fabs(x[c][k] - middle[c]);
        if (distance > 0 && isfinite(distance))
            sum += log(distance), apart++;
    }
    return apart > 0 ? exp(sum / (double)apart) : 0;
}

static double largest_mass(const struct ky_pool *pool)
{
    double largest = 0;
    for (size_t k = 0; k < pool->slots; k++)
        if (pool->body[k].set && fabs(pool->body[k].mass) > largest)
            largest = fabs(pool->body[k].mass);
    return largest;
}

/* Chooses units that suit the bodies. If they change, all bodies go to the boards again. The length
 * is found when many bodies have come; from then on only the mass changes, and it becomes smaller.
 */
static void choose_units(struct ky_pool *pool)
{
    const int many = pool->count_waiting >= pool->slots / 4;
    if (many)
        pool->largest_mass = largest_mass(pool);
    const double length = many ? unit_of(extent(pool)) : pool->length,
                 mass = unit_of(pool->largest_mass);
    if (length == pool->length && mass == pool->mass)
        return;
    pool->length = length;
    pool->mass = mass;
    for (size_t k = 0; k < pool->slots; k++)
        wait_for_start(pool, k);
}

/* A coordinate or speed that boards can hold. A body that is so far, or so fast, exerts nothing. */
static double within(const struct ky_pool *pool, double x)
{
    return KY_JERK_WITHIN(x, pool->far);
}

static struct ky_board_body in_units(const struct ky_pool *pool, struct ky_board_body body)
{
    double *vector[] = {body.x, body.v, body.a2, body.j6, body.s18};
    if (pool->length != 1)
        for (int k = 0; k < 15; k++)
            vector[k / 3][k % 3] /= pool->length;
    for (int c = 0; c < 3; c++) {
        body.x[c] = within(pool, body.x[c]);
        body.v[c] = within(pool, body.v[c]);
    }
    body.mass /= pool->mass;
    return body;
}

static void sort_waiting(struct ky_pool *pool)
{
    for (size_t k = 1; k < pool->count_waiting; k++)
        if (pool->waiting[k - 1] > pool->waiting[k]) {
            qsort(pool->waiting, pool->count_waiting, sizeof *pool->waiting, ky_order_words);
            return;
        }
}

/* Sends the waiting slots of one board. */
static enum ky_status send_to(struct ky_pool *pool, size_t board, struct ky_error *error)
{
    const struct ky_board_verbs *verbs = pool->board[board]->verbs;
    enum ky_status status = KY_OK;
    size_t staged = 0;
    for (size_t k = 0; k < pool->count_waiting && !status; k++) {
        const uint32_t slot = pool->waiting[k];
        if (slot % pool->boards != board)
            continue;
        pool->stage[staged] = in_units(pool, pool->body[slot]);
        pool->stage_slot[staged++] = slot / (uint32_t)pool->boards;
        if (staged == STAGE) {
            status = verbs->put(pool->board[board], staged, pool->stage_slot, pool->stage, error);
            staged = 0;
        }
    }
    if (!status && staged)
        status = verbs->put(pool->board[board], staged, pool->stage_slot, pool->stage, error);
    return status;
}

static enum ky_status send(struct ky_pool *pool, struct ky_error *error)
{
    enum ky_status status = KY_OK;
    if (pool->count_waiting == 0)
        return KY_OK;
    choose_units(pool);
    sort_waiting(pool);
    for (size_t k = 0; k < pool->boards && !status; k++)
        status = send_to(pool, k, error);
    for (size_t k = 0; k < pool->count_waiting; k++)
        pool->waits[pool->waiting[k]] = 0;
    pool->count_waiting = 0;
    return status;
}

static enum ky_status need_sinks(struct ky_pool *pool, size_t count, struct ky_error *error)
{
    if (count <= pool->sinks_room)
        return KY_OK;
    pool->sinks_room = 0;
    if (!ky_extend(&pool->x, 0, count, sizeof *pool->x) ||
        !ky_extend(&pool->v, 0, count, sizeof *pool->v) ||
        !ky_extend(&pool->h2, 0, count, sizeof *pool->h2) ||
        !ky_extend(&pool->label, 0, count, sizeof *pool->label))
        return ky_no_memory(error, "i-particles", count, sizeof *pool->x);
    pool->sinks_room = count;
    return KY_OK;
}

/* The radii of a request's lists in the boards' units, and within their range. */
static void copy_radii(struct ky_pool *pool, const struct ky_board_request *request)
{
    const double per_length = 1 / pool->length; /* a power of two */
    for (size_t i = 0; i < request->count; i++) {
        const double h2 = request->h2 ? request->h2[i] * per_length * per_length : 0;
        pool->h2[i] = h2 > 0 ? fmin(h2, 1e30) : 0;
    }
}

/* Copies the other numbers of the sinks in the same way. */
static void copy_sinks(struct ky_pool *pool, const struct ky_board_request *request)
{
    const size_t count = request->count;
    const double per_length = 1 / pool->length;
    for (size_t i = 0; i < count; i++)
        for (int c = 0; c < 3; c++)
            pool->x[i][c] = within(pool, request->x[i][c] * per_length);
    for (size_t i = 0; i < count; i++)
        for (int c = 0; c < 3; c++)
            pool->v[i][c] = request->v ? within(pool, request->v[i][c] * per_length) : 0;
    if (count > 0)
        memcpy(pool->label, request->label, count * sizeof *pool->label);
}

/* 1 if every number of the sinks is within the range of boards. */
static int all_within(const struct ky_pool *pool, const struct ky_board_request *request)
{
    int within_all = 1;
    for (size_t i = 0; i < request->count; i++)
        for (int c = 0; c < 3; c++)
            within_all &=
                fabs(request->x[i][c]) <= pool->far && fabs(request->v[i][c]) <= pool->far;
    return within_all;
}

static enum ky_status start_boards(struct ky_pool *pool, struct ky_error *error)
{
    enum ky_status status = KY_OK;
    for (size_t k = 0; k < pool->boards && !status; k++) {
        struct ky_board_request part = pool->request;
        part.slots = (part.slots + pool->boards - 1 - k) / pool->boards;
        status = pool->board[k]->verbs->start(pool->board[k], &part, error);
    }
    pool->started = !status;
    return status;
}

/* The request is from now on for the sinks that were copied. */
static void keep_sinks(struct ky_pool *pool, const struct ky_board_request *request)
{
    copy_sinks(pool, request);
    pool->request.label = pool->label;
    pool->request.x = (const double(*)[3])pool->x;
    pool->request.v = (const double(*)[3])pool->v;
}

enum ky_status ky_pool_start(struct ky_pool *pool, const struct ky_board_request *request,
                             struct ky_error *error)
{
    KY_TRY(give_up(pool, error));
    KY_TRY(send(pool, error));
    KY_TRY(need_sinks(pool, request->count, error));
    pool->request = *request;
    pool->request.slots = request->slots < pool->slots ? request->slots : pool->slots;
    pool->request.eps2 = request->eps2 > 0 ? request->eps2 / (pool->length * pool->length) : 0;
    pool->has_request = 1;
    /* Boards that can take the sinks as they are compute while these are copied. */
    const int later = pool->length == 1 && request->v && all_within(pool, request);
    copy_radii(pool, request);
    pool->request.h2 = pool->h2;
    if (!later)
        keep_sinks(pool, request);
    enum ky_status status = start_boards(pool, error);
    if (later)
        keep_sinks(pool, request);
    return status;
}

enum ky_status ky_pool_repeat(struct ky_pool *pool, int what, size_t capacity,
                              struct ky_error *error)
{
    if (!pool->has_request)
        return ky_fail(error, KY_USAGE, "no force has been requested yet");
    KY_TRY(give_up(pool, error));
    pool->request.what = what;
    pool->request.capacity = capacity;
    return start_boards(pool, error);
}

/* ---- results ---- */

static enum ky_status need_partial(struct ky_pool *pool, struct ky_error *error)
{
    struct partial *p = &pool->partial;
    const size_t count = pool->request.count + 1;
    const size_t entries =
        count * (pool->request.what & KY_BOARD_LISTS ? pool->request.capacity : 1);
    if (count <= p->room && entries <= p->list_room)
        return KY_OK;
    free_partial(p);
    if (!ky_extend(&p->acceleration, 0, count, sizeof *p->acceleration) ||
        !ky_extend(&p->jerk, 0, count, sizeof *p->jerk) ||
        !ky_extend(&p->potential, 0, count, sizeof *p->potential) ||
        !ky_extend(&p->nearest_r2, 0, count, sizeof *p->nearest_r2) ||
        !ky_extend(&p->nearest, 0, count, sizeof *p->nearest) ||
        !ky_extend(&p->nearest_slot, 0, count, sizeof *p->nearest_slot) ||
        !ky_extend(&p->found, 0, count, sizeof *p->found) ||
        !ky_extend(&p->begin, 0, count, sizeof *p->begin) ||
        !ky_extend(&p->list, 0, entries, sizeof *p->list))
        return ky_no_memory(error, "partial sums", count, sizeof *p->acceleration);
    p->room = count;
    p->list_room = entries;
    return KY_OK;
}

/* Merges the ascending labels `more` into the ascending labels of `list`, from the end. */
static void merge_labels(int32_t *list, size_t count, const int32_t *more, size_t count_more)
{
    for (size_t k = count + count_more; count_more > 0;)
        list[--k] = count > 0 && list[count - 1] > more[count_more - 1] ? list[--count]
                                                                        : more[--count_more];
}

/* Merges a board's list with the lists of the boards before it, which have `to->found[i]` labels.
 */
static void add_list(const struct ky_pool *pool, size_t i, const struct ky_board_results *to)
{
    const size_t capacity = pool->request.capacity;
    const struct partial *p = &pool->partial;
    const size_t had = to->found[i] < capacity ? to->found[i] : capacity;
    const size_t new = p->found[i] < capacity - had ? p->found[i] : capacity - had;
    merge_labels(to->list + to->begin[i], had, p->list + p->begin[i], new);
    to->found[i] += p->found[i];
}

/* Slots of nearest bodies are the pool's in `to`, and the board's own in the partial results. */
static void add_nearest(const struct ky_pool *pool, size_t i, size_t board,
                        const struct ky_board_results *to)
{
    const struct partial *p = &pool->partial;
    if (p->nearest_slot[i] == UINT32_MAX)
        return;
    const uint32_t slot = p->nearest_slot[i] * (uint32_t)pool->boards + (uint32_t)board;
    if (p->nearest_r2[i] > to->nearest_r2[i] ||
        (p->nearest_r2[i] == to->nearest_r2[i] && slot > to->nearest_slot[i]))
        return;
    to->nearest[i] = p->nearest[i];
    to->nearest_r2[i] = p->nearest_r2[i];
    to->nearest_slot[i] = slot;
}

static void add(const struct ky_pool *pool, size_t i, size_t board,
                const struct ky_board_results *to)
{
    const struct partial *p = &pool->partial;
    for (int c = 0; c < 3; c++) {
        to->acceleration[i][c] += p->acceleration[i][c];
        if (pool->request.what & KY_BOARD_JERK)
            to->jerk[i][c] += p->jerk[i][c];
    }
    to->potential[i] += p->potential[i];
    if (pool->request.what & KY_BOARD_NEAREST)
        add_nearest(pool, i, board, to);
    if (pool->request.what & KY_BOARD_LISTS)
        add_list(pool, i, to);
}

static void clear(const struct ky_pool *pool, size_t i, const struct ky_board_results *to)
{
    for (int c = 0; c < 3; c++) {
        to->acceleration[i][c] = 0;
        if (pool->request.what & KY_BOARD_JERK)
            to->jerk[i][c] = 0;
    }
    to->potential[i] = 0;
    if (pool->request.what & KY_BOARD_NEAREST) {
        to->nearest[i] = -1;
        to->nearest_slot[i] = UINT32_MAX;
        to->nearest_r2[i] = (double)INFINITY;
    }
    if (pool->request.what & KY_BOARD_LISTS) {
        to->found[i] = 0;
        to->begin[i] = i * pool->request.capacity;
    }
}

/* Adds the partial sums in the order of the boards. */
static enum ky_status add_boards(struct ky_pool *pool, const struct ky_board_results *to,
                                 struct ky_error *error)
{
    enum { SHARED = 1024 }; /* sinks whose lists are worth the start of threads */
    struct partial *p = &pool->partial;
    const size_t count = pool->request.count;
    enum ky_status status = need_partial(pool, error);
    const struct ky_board_results from = {p->acceleration, p->jerk,         p->potential,
                                          p->nearest,      p->nearest_slot, p->nearest_r2,
                                          p->found,        p->list,         p->begin};
    for (size_t i = 0; i < count; i++)
        clear(pool, i, to);
    for (size_t k = 0; k < pool->boards; k++) {
        const enum ky_status one = pool->board[k]->verbs->finish(
            pool->board[k], !status ? &from : NULL, !status ? error : NULL);
        status = !status ? one : status;
        if (status)
            continue;
#pragma omp parallel for schedule(static) if ((pool->request.what & KY_BOARD_LISTS) &&             \
                                              count >= SHARED)
        for (size_t i = 0; i < count; i++)
            add(pool, i, k, to);
    }
    return status;
}

/* Converts results from the boards' units to the caller's. */
static void scale(const struct ky_pool *pool, const struct ky_board_results *to)
{
    const double potential = pool->mass / pool->length,
                 acceleration = pool->mass / pool->length / pool->length;
    if (pool->mass == 1 && pool->length == 1)
        return;
    for (size_t i = 0; i < pool->request.count; i++) {
        for (int c = 0; c < 3; c++) {
            to->acceleration[i][c] *= acceleration;
            if (pool->request.what & KY_BOARD_JERK)
                to->jerk[i][c] *= acceleration;
        }
        to->potential[i] *= potential;
        if (pool->request.what & KY_BOARD_NEAREST)
            to->nearest_r2[i] *= pool->length * pool->length;
    }
}

enum ky_status ky_pool_finish(struct ky_pool *pool, const struct ky_board_results *results,
                              struct ky_error *error)
{
    if (!pool->started)
        return ky_fail(error, KY_USAGE, "no force was started");
    const enum ky_status status =
        pool->boards == 1 ? pool->board[0]->verbs->finish(pool->board[0], results, error)
                          : add_boards(pool, results, error);
    pool->started = 0;
    if (!status)
        scale(pool, results);
    return status;
}
