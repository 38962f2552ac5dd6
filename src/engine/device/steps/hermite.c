/* The Hermite scheme on a device: the host's side of kernels/steps/hermite.k.
 *
 * The card works alone: the next tick, and which bodies end their steps there, follow from numbers
 * on the card. The host enqueues blocks ahead and reads these numbers after each batch, while the
 * card works on the next one. After the end of the call, or an encounter, further blocks do
 * nothing, so that the bits do not depend on the number of enqueued blocks. If ranks share the sums
 * (hermite_copies.c), the host reads the number of sinks of each block. */
#include "engine/device/steps/hermite.h"

#include <string.h>

#include "base/status.h"
#include "engine/common/blocks.h"
#include "engine/common/force_kinds.h"
#include "engine/device/ranks/copies.h"
#include "engine/device/state/curve.h"
#include "engine/device/state/external.h"
#include "engine/device/state/massless.h"
#include "engine/device/state/motion.h"
#include "physics/block.h"

_Static_assert(KY_TALLY_CUT == KY_MOST_LEVELS + 1, "a word for each level");

/* One call of `advance`. */
struct hermite {
    struct ky_device_state *state;
    struct ky_advance *way;
    struct ky_hermite_way known; /* data that the host has read from the card */
    uint32_t flags;              /* flags that are the same in all launches */
    int may_join;                /* 1: ranks share the sums of blocks with many sinks */
};

static struct ky_card *card_of(const struct hermite *h)
{
    return h->state->bodies.card;
}

int ky_device_has_hermite(const struct ky_device_state *state)
{
    return ky_force_kind(state->parameters->force)->is_exact && state->bodies.card->has_double &&
           state->parameters->precision != KY_SINGLE;
}

/* ---- launches on a card, with the flags of kernels/driver/shared.h ---- */

#define KERNEL(bodies, name) KY_IN_EITHER(name, (bodies)->state->parameters->precision)

/* If there are no fields, another buffer takes their place; it is never read. */
static const struct ky_buffer *fields(const struct ky_device_bodies *bodies)
{
    return bodies->state->externals->count > 0 ? &bodies->external.numbers
                                               : &bodies->state->hermite->scale;
}

static enum ky_status count_levels(const struct ky_device_bodies *bodies, uint32_t flags,
                                   struct ky_error *error)
{
    const struct ky_device_hermite *own = bodies->state->hermite;
    const uint32_t n = (uint32_t)bodies->n;
    (void)flags;
    return ky_launch_over(bodies->card, KERNEL(bodies, ky_hermite_begin), n,
                          KY_ARGUMENTS(KY_BUFFER(bodies->column[KY_COLUMN_STEP]),
                                       KY_BUFFER(own->way), KY_BUFFER(own->scale),
                                       KY_BUFFER(own->way), KY_VALUE(n)),
                          error);
}

static enum ky_status predict(const struct ky_device_bodies *bodies, uint32_t flags,
                              struct ky_error *error)
{
    const struct ky_device_hermite *own = bodies->state->hermite;
    const uint32_t n = (uint32_t)bodies->n,
                   sources = (uint32_t)ky_device_source_count(bodies->state);
    const struct ky_buffer *list = flags & KY_HERMITE_ORDERED ? &own->ending : &own->list;
    return ky_launch_over(
        bodies->card, KERNEL(bodies, ky_hermite_predict), n,
        KY_ARGUMENTS(KY_BUFFER(bodies->position), KY_BUFFER(bodies->velocity),
                     KY_BUFFER(bodies->acceleration), KY_BUFFER(bodies->column[KY_COLUMN_JERK]),
                     KY_BUFFER(bodies->column[KY_COLUMN_STEP]), KY_BUFFER(bodies->mass),
                     KY_BUFFER(*ky_device_softenings(bodies)), KY_BUFFER(own->plane),
                     KY_BUFFER(*list), KY_BUFFER(own->way), KY_BUFFER(own->way),
                     KY_BUFFER(own->scale), KY_BUFFER(own->division), KY_VALUE(n),
                     KY_VALUE(sources), KY_VALUE(flags)),
        error);
}

static enum ky_status list(const struct ky_device_bodies *bodies, uint32_t flags,
                           struct ky_error *error)
{
    const struct ky_device_hermite *own = bodies->state->hermite;
    const uint32_t n = (uint32_t)bodies->n;
    return ky_launch_over(bodies->card, KERNEL(bodies, ky_hermite_list), n,
                          KY_ARGUMENTS(KY_BUFFER(bodies->column[KY_COLUMN_STEP]),
                                       KY_BUFFER(own->ending), KY_BUFFER(own->list),
                                       KY_BUFFER(own->way), KY_BUFFER(own->scale), KY_VALUE(n),
                                       KY_VALUE(flags)),
                          error);
}

/* The sinks of the list that this engine sums for. */
struct sinks {
    uint32_t first, end;
};
static struct sinks sinks_of(const struct ky_device_state *state)
{
    return ky_copies_joins(state)
               ? (struct sinks){(uint32_t)ky_copies_first(state), (uint32_t)ky_copies_end(state)}
               : (struct sinks){0, UINT32_MAX};
}

static enum ky_status sum(const struct ky_device_bodies *bodies, uint32_t flags,
                          struct ky_error *error)
{
    const struct ky_device_hermite *own = bodies->state->hermite;
    const struct sinks sinks = sinks_of(bodies->state);
    const uint32_t n = (uint32_t)bodies->n, groups = (uint32_t)own->summing,
                   sources = (uint32_t)ky_device_source_count(bodies->state);
    const struct ky_eps2_argument close2 = ky_device_hermite_close2(bodies->state);
    struct ky_eps2_argument eps2 = ky_eps2_argument(bodies->state);
    (void)flags;
    if (bodies->state->own_eps) /* the factor of a source's ε² */
        eps2.part = (float)(eps2.whole = bodies->state->how & KY_EPS_SUM ? 1 : 0);
    return ky_launch(bodies->card, ky_device_hermite_kernel(bodies->state), groups,
                     KY_ARGUMENTS(KY_BUFFER(own->plane), KY_BUFFER(own->list),
                                  KY_BUFFER(own->partial), KY_BUFFER(own->run), KY_BUFFER(own->way),
                                  KY_VALUE(n), KY_VALUE(sources), KY_VALUE(sinks.first),
                                  KY_VALUE(sinks.end), KY_VALUE(groups),
                                  KY_EPS2(eps2, bodies->state->parameters->precision),
                                  KY_EPS2(close2, bodies->state->parameters->precision)),
                     error);
}

static enum ky_status reduce(const struct ky_device_bodies *bodies, uint32_t flags,
                             struct ky_error *error)
{
    const struct ky_device_hermite *own = bodies->state->hermite;
    const uint32_t sources = (uint32_t)ky_device_source_count(bodies->state),
                   groups = (uint32_t)own->correcting;
    const struct sinks sinks = sinks_of(bodies->state);
    (void)flags;
    return ky_launch(bodies->card, KERNEL(bodies, ky_hermite_reduce), groups,
                     KY_ARGUMENTS(KY_BUFFER(own->partial), KY_BUFFER(own->run),
                                  KY_BUFFER(own->sums), KY_BUFFER(own->way), KY_VALUE(sources),
                                  KY_VALUE(sinks.first), KY_VALUE(sinks.end), KY_VALUE(groups)),
                     error);
}

static enum ky_status correct(const struct ky_device_bodies *bodies, uint32_t flags,
                              struct ky_error *error)
{
    const struct ky_device_hermite *own = bodies->state->hermite;
    const uint32_t n = (uint32_t)bodies->n, groups = (uint32_t)own->correcting,
                   sources = (uint32_t)ky_device_source_count(bodies->state),
                   count = (uint32_t)bodies->state->externals->count;
    return ky_launch(
        bodies->card, KERNEL(bodies, ky_hermite_correct), groups,
        KY_ARGUMENTS(KY_BUFFER(bodies->position), KY_BUFFER(bodies->velocity),
                     KY_BUFFER(bodies->acceleration), KY_BUFFER(bodies->column[KY_COLUMN_JERK]),
                     KY_BUFFER(bodies->column[KY_COLUMN_STEP]), KY_BUFFER(bodies->mass),
                     KY_BUFFER(*ky_device_softenings(bodies)), KY_BUFFER(own->plane),
                     KY_BUFFER(own->list), KY_BUFFER(own->partial), KY_BUFFER(own->run),
                     KY_BUFFER(*fields(bodies)), KY_BUFFER(own->way), KY_BUFFER(own->way),
                     KY_BUFFER(own->scale), KY_VALUE(n), KY_VALUE(sources), KY_VALUE(groups),
                     KY_VALUE(count), KY_VALUE(flags)),
        error);
}

/* Steps from accelerations and jerks. */
static enum ky_status first_steps(const struct ky_device_bodies *bodies, uint32_t flags,
                                  struct ky_error *error)
{
    const struct ky_device_hermite *own = bodies->state->hermite;
    const uint32_t n = (uint32_t)bodies->n, count = (uint32_t)bodies->state->externals->count,
                   sources = (uint32_t)ky_device_source_count(bodies->state),
                   own_eps = flags & KY_HERMITE_OWN_EPS ? 1 : 0;
    return ky_launch_over(
        bodies->card, KY_KERNEL_ky_hermite_start_double, n,
        KY_ARGUMENTS(KY_BUFFER(bodies->position), KY_BUFFER(bodies->velocity),
                     KY_BUFFER(bodies->acceleration), KY_BUFFER(bodies->column[KY_COLUMN_JERK]),
                     KY_BUFFER(bodies->mass), KY_BUFFER(*ky_device_softenings(bodies)),
                     KY_BUFFER(bodies->column[KY_COLUMN_STEP]), KY_BUFFER(*fields(bodies)),
                     KY_BUFFER(own->way), KY_BUFFER(own->way), KY_BUFFER(own->scale), KY_VALUE(n),
                     KY_VALUE(sources), KY_VALUE(count), KY_VALUE(own_eps)),
        error);
}

/* ---- blocks ---- */

typedef enum ky_status launcher(const struct ky_device_bodies *bodies, uint32_t flags,
                                struct ky_error *error);

static enum ky_status do_launch(const struct hermite *h, launcher *launch, uint32_t flags,
                                struct ky_error *error)
{
    return launch(&h->state->bodies, flags | h->flags, error);
}

/* Computes the sums over all sources for the bodies of the list, before the correction. */
static enum ky_status sum_all(const struct hermite *h, struct ky_error *error)
{
    KY_TRY(do_launch(h, sum, 0, error));
    if (!ky_copies_joins(h->state))
        return KY_OK;
    KY_TRY(do_launch(h, reduce, 0, error));
    return ky_device_hermite_join(h->state, error);
}

/* A block of any kind, KY_HERMITE_… of kernels/driver/shared.h. */
static enum ky_status one_block(const struct hermite *h, uint32_t mode, struct ky_error *error)
{
    const int turns = mode == KY_HERMITE_START ? 1 : h->way->corrections;
    enum ky_status status = do_launch(h, predict, mode, error);
    if (!status && (h->flags & KY_HERMITE_ORDERED))
        status = do_launch(h, list, mode, error);
    if (!status && h->may_join)
        status = ky_device_hermite_divide(h->state, error);
    if (ky_copies_joins(h->state)) /* then there is one sum for each sink */
        mode |= KY_HERMITE_SUMMED;
    for (int turn = 1; turn <= turns && !status; turn++) {
        status = sum_all(h, error);
        if (!status)
            status = do_launch(h, correct, mode | (turn < turns ? KY_HERMITE_AGAIN : 0U), error);
    }
    return status;
}

/* ---- steps that are not valid ---- */

static enum ky_status forget_steps(struct ky_device_state *state, struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->bodies;
    struct ky_buffer *step = &bodies->column[KY_COLUMN_STEP];
    return step->handle ? bodies->card->driver->zero(bodies->card, step, error) : KY_OK;
}

enum ky_status ky_device_hermite_forget(struct ky_device_state *state, struct ky_error *error)
{
    if (!ky_device_leads(state, KY_SCHEME_HERMITE))
        return KY_OK;
    ky_device_hermite_drop(state, state->parameters->precision != KY_DOUBLE && state->n > 0);
    return forget_steps(state, error);
}

/* ---- the host's data ---- */

/* Queues the copy of the card's numbers to the host; it is complete when the queue has passed this
 * point. */
static enum ky_status look_later(const struct hermite *h, int which, struct ky_error *error)
{
    struct ky_card *card = card_of(h);
    const struct ky_device_hermite *own = h->state->hermite;
    KY_TRY(card->driver->read_later(card, &own->way, 0, own->look[which].data,
                                    sizeof(struct ky_hermite_way), error));
    return card->driver->mark(card, KY_MARK_BLOCK + which, error);
}

static enum ky_status await_look(struct hermite *h, int which, struct ky_error *error)
{
    struct ky_card *card = card_of(h);
    KY_TRY(card->driver->reach(card, KY_MARK_BLOCK + which, error));
    memcpy(&h->known, h->state->hermite->look[which].data, sizeof h->known);
    return KY_OK;
}

static enum ky_status look(struct hermite *h, struct ky_error *error)
{
    KY_TRY(look_later(h, 0, error));
    return await_look(h, 0, error);
}

/* Sends the numbers with which a call begins. */
static enum ky_status tell(struct hermite *h, struct ky_error *error)
{
    const struct ky_advance *way = h->way;
    h->known =
        (struct ky_hermite_way){.number = {[KY_WAY_STRIDE] = way->stride,
                                           [KY_WAY_DEEPEST] = (uint64_t)ky_blocks_deepest(way),
                                           [KY_WAY_UNTIL] = way->until,
                                           [KY_WAY_MOST] = way->most,
                                           [KY_WAY_PASSED] = way->passed[0],
                                           [KY_WAY_PASSED + 1] = way->passed[1],
                                           [KY_WAY_BEFORE] = way->before,
                                           [KY_WAY_NOW] = way->now,
                                           [KY_WAY_SHORTEST] = way->shortest}};
    return card_of(h)->driver->write(card_of(h), &h->state->hermite->way, 0, &h->known,
                                     sizeof h->known, error);
}

/* ---- one call of `advance` ---- */

/* Computes accelerations, jerks and steps of all bodies, which are at one time. */
static enum ky_status start(struct hermite *h, struct ky_error *error)
{
    KY_TRY(tell(h, error));
    KY_TRY(one_block(h, KY_HERMITE_START, error));
    KY_TRY(do_launch(h, first_steps, 0, error));
    return look(h, error);
}

/* Counts the bodies by level. If one step is not valid, all steps are chosen again. */
static enum ky_status begin(struct hermite *h, struct ky_error *error)
{
    enum ky_status status = tell(h, error);
    if (!status)
        status = do_launch(h, count_levels, 0, error);
    if (!status)
        status = look(h, error);
    if (status || h->known.word[KY_TALLY_MISSING] == 0)
        return status;
    if (h->way->now % h->way->stride)
        return ky_blocks_missing(error);
    return start(h, error);
}

/* The number of further blocks to enqueue when `under_way` blocks are in the queue: as many as
 * would remain with the shortest known step, up to the largest size of a batch. */
static uint64_t blocks_more(const struct hermite *h, uint64_t under_way)
{
    enum { MOST = 64 };
    const uint64_t *number = h->known.number, *at = number + KY_WAY_NOW;
    if (*at >= number[KY_WAY_UNTIL] || number[KY_WAY_BLOCKS] >= number[KY_WAY_MOST] ||
        h->known.word[KY_WAY_CLOSE])
        return 0;
    int level = ky_blocks_deepest(h->way);
    while (level > 0 && h->known.word[level] == 0)
        level--;
    uint64_t more = (number[KY_WAY_UNTIL] - *at) / (number[KY_WAY_STRIDE] >> level);
    if (more > number[KY_WAY_MOST] - number[KY_WAY_BLOCKS])
        more = number[KY_WAY_MOST] - number[KY_WAY_BLOCKS];
    more = more > under_way ? more - under_way : 0;
    return more < MOST ? more : MOST;
}

/* At most two batches are under way. */
static enum ky_status go(struct hermite *h, struct ky_error *error)
{
    uint64_t batch[2] = {0, 0};
    int last = 0;
    enum ky_status status = KY_OK;
    while (!status) {
        const int next = 1 - last;
        const uint64_t more = blocks_more(h, batch[0] + batch[1]);
        if (more > 0 && batch[next] == 0) {
            for (uint64_t k = 0; k < more && !status; k++)
                status = one_block(h, KY_HERMITE_BLOCK, error);
            if (!status)
                status = look_later(h, next, error);
            batch[next] = more;
            last = next;
        } else if (batch[0] + batch[1] > 0) {
            const int oldest = batch[next] > 0 ? next : last;
            status = await_look(h, oldest, error);
            batch[oldest] = 0;
        } else {
            break;
        }
    }
    return status;
}

/* Ends all other steps too, at the tick of the last block. Afterwards all bodies are at one time
 * and have no steps. */
static enum ky_status stop(struct hermite *h, struct ky_error *error)
{
    KY_TRY(one_block(h, KY_HERMITE_STOP, error));
    KY_TRY(look(h, error));
    return forget_steps(h->state, error);
}

/* Counts steps for the caller. */
static void count(const struct hermite *h)
{
    struct ky_advance *way = h->way;
    const uint64_t *number = h->known.number;
    way->now = number[KY_WAY_NOW];
    way->steps += number[KY_WAY_BLOCKS];
    way->body_steps += (double)number[KY_WAY_BODY_STEPS];
    way->shortest = number[KY_WAY_SHORTEST];
    way->cut += h->known.word[KY_TALLY_CUT];
}

static enum ky_status lead(struct hermite *h, struct ky_error *error)
{
    KY_TRY(begin(h, error));
    KY_TRY(go(h, error));
    const uint32_t close = h->known.word[KY_WAY_CLOSE];
    if (close)
        KY_TRY(stop(h, error));
    KY_TRY(ky_device_hermite_agree(h->state, &h->known, error));
    count(h);
    h->way->close = close ? ~close : KY_NO_BODY;
    if (h->known.number[KY_WAY_BLOCKS] > 0)
        ky_device_hermite_drop(h->state, 1);
    h->state->bodies.moves++;
    return KY_OK;
}

/* If some bodies have no mass, moves the bodies with mass to the front: they are the sources. */
static enum ky_status put_sources_first(struct ky_device_state *state, struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->bodies;
    if (!ky_device_has_massless(state))
        return KY_OK;
    KY_TRY(ky_device_massless_need(state, error));
    KY_TRY(ky_device_curve_need(bodies, error));
    KY_TRY(bodies->card->driver->copy(bodies->card, KY_ADDRESS(&state->massless.list, 0),
                                      KY_ADDRESS(&bodies->curve.place[0], 0),
                                      state->n * sizeof(uint32_t), error));
    return ky_device_curve_follow(bodies, 0, error);
}

/* Translates the numbers of bodies in a call to numbers in the order on the card. */
static struct ky_advance numbered(const struct ky_device_state *state, const struct ky_advance *way)
{
    struct ky_advance own = *way;
    for (int k = 0; k < 2; k++)
        if (own.passed[k] < state->n)
            own.passed[k] = ky_device_label(state, own.passed[k]);
    return own;
}

/* Translates the results of a call back to the caller's numbers. */
static void give(const struct ky_device_state *state, const struct ky_advance *own,
                 struct ky_advance *way)
{
    const uint32_t passed[2] = {way->passed[0], way->passed[1]};
    *way = *own;
    memcpy(way->passed, passed, sizeof passed);
    if (ky_device_has_massless(state) && way->close != KY_NO_BODY)
        way->close = state->massless.body[way->close];
}

enum ky_status ky_device_hermite_advance(struct ky_device_state *state, struct ky_advance *way,
                                         struct ky_error *error)
{
    const int may_join = ky_copies_begin(state, state->n, (double)ky_device_source_count(state));
    struct ky_advance own;
    struct hermite h = {.state = state,
                        .way = &own,
                        .may_join = may_join,
                        .flags = (state->own_eps ? KY_HERMITE_OWN_EPS : 0) |
                                 (may_join ? KY_HERMITE_ORDERED : 0)};
    enum ky_status status = ky_blocks_check(way, state->columns, state->has_acceleration, error);
    way->close = KY_NO_BODY;
    if (!status)
        status = ky_device_settle(state, error);
    if (!status)
        status = ky_device_curve_leave(&state->bodies, error);
    for (uint64_t k = 0; state->n == 0 && k < way->most && way->now < way->until && !status; k++)
        ky_blocks_count(way, way->now + way->stride, 0);
    if (status || state->n == 0)
        return status;
    own = numbered(state, way);
    status = put_sources_first(state, error);
    if (!status)
        status = ky_device_hermite_reserve(state, way, error);
    if (!status)
        status = ky_device_externals_send(&state->bodies, 0, 1, error);
    if (!status)
        status = lead(&h, error);
    give(state, &own, way);
    return status ? status : ky_device_curve_leave(&state->bodies, error);
}
