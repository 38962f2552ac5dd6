/* The Hermite scheme on a device: kernels/steps/hermite.k from the host's side.
 *
 * The card goes alone: which tick comes next, and which bodies end their steps there, follows from
 * numbers that lie on it. The host enqueues blocks ahead and looks at these numbers after each
 * batch, while the card is at the next one. A block that has nothing to do, because the way has
 * come to its end or to an encounter, does nothing, so that the bits do not depend on how many were
 * enqueued. Several cards do the same, each with all bodies, and share the sums (hermite_cards.c):
 * the host looks at the first. */
#include "engine/device/steps/hermite.h"

#include <string.h>

#include "engine/common/blocks.h"
#include "engine/common/force_kinds.h"
#include "engine/device/state/curve.h"
#include "engine/device/state/external.h"
#include "engine/device/state/motion.h"
#include "physics/block.h"

_Static_assert(KY_TALLY_CUT == KY_MOST_LEVELS + 1, "a word for each level");

/* A way of one call. */
struct hermite {
    struct ky_device_bodies *bodies;
    struct ky_advance *way;
    struct ky_hermite_way known; /* what the host knows of the card's */
    uint32_t flags;              /* those that are the same in all launches */
};

static struct ky_card *card_of(const struct hermite *h)
{
    return h->bodies->cards.card[0];
}

int ky_device_has_hermite(const struct ky_device_bodies *bodies)
{
    return ky_force_kind(bodies->parameters->force)->is_exact &&
           bodies->cards.card[0]->has_double && bodies->parameters->precision != KY_SINGLE;
}

/* ---- launches on a card, with the flags of kernels/driver/shared.h ---- */

#define KERNEL(bodies, name) KY_IN_EITHER(name, (bodies)->parameters->precision)

/* Accelerations with all their digits. */
static const struct ky_buffer *accelerations(const struct ky_device_bodies *bodies)
{
    return bodies->parameters->precision == KY_DOUBLE ? &bodies->acceleration : &bodies->precise;
}

/* Buffers that are not there, and never read, are others. */
static const struct ky_buffer *softenings(const struct ky_device_bodies *bodies)
{
    return bodies->own_eps ? &bodies->softening : &bodies->mass;
}

static const struct ky_buffer *fields(const struct ky_device_bodies *bodies)
{
    return bodies->externals->count > 0 ? &bodies->external.numbers : &bodies->hermite->scale;
}

static struct ky_card *the_card(const struct ky_device_bodies *bodies)
{
    return bodies->cards.card[0];
}

static enum ky_status count_levels(const struct ky_device_bodies *bodies, uint32_t flags,
                                   struct ky_error *error)
{
    const struct ky_device_hermite *own = bodies->hermite;
    const uint32_t n = (uint32_t)bodies->n;
    (void)flags;
    return ky_launch_over(the_card(bodies), KERNEL(bodies, ky_hermite_begin), n,
                          KY_ARGUMENTS(KY_BUFFER(bodies->columns.of[KY_COLUMN_STEP]),
                                       KY_BUFFER(own->way), KY_BUFFER(own->scale),
                                       KY_BUFFER(own->way), KY_VALUE(n)),
                          error);
}

static enum ky_status predict(const struct ky_device_bodies *bodies, uint32_t flags,
                              struct ky_error *error)
{
    const struct ky_device_hermite *own = bodies->hermite;
    const uint32_t n = (uint32_t)bodies->n;
    const struct ky_buffer *list = flags & KY_HERMITE_ORDERED ? &own->ending : &own->list;
    return ky_launch_over(the_card(bodies), KERNEL(bodies, ky_hermite_predict), n,
                          KY_ARGUMENTS(KY_BUFFER(bodies->position), KY_BUFFER(bodies->velocity),
                                       KY_BUFFER(*accelerations(bodies)),
                                       KY_BUFFER(bodies->columns.of[KY_COLUMN_JERK]),
                                       KY_BUFFER(bodies->columns.of[KY_COLUMN_STEP]),
                                       KY_BUFFER(bodies->mass), KY_BUFFER(*softenings(bodies)),
                                       KY_BUFFER(own->plane), KY_BUFFER(*list), KY_BUFFER(own->way),
                                       KY_BUFFER(own->way), KY_BUFFER(own->scale),
                                       KY_BUFFER(own->division), KY_VALUE(n), KY_VALUE(flags)),
                          error);
}

static enum ky_status list(const struct ky_device_bodies *bodies, uint32_t flags,
                           struct ky_error *error)
{
    const struct ky_device_hermite *own = bodies->hermite;
    const uint32_t n = (uint32_t)bodies->n;
    return ky_launch_over(the_card(bodies), KERNEL(bodies, ky_hermite_list), n,
                          KY_ARGUMENTS(KY_BUFFER(bodies->columns.of[KY_COLUMN_STEP]),
                                       KY_BUFFER(own->ending), KY_BUFFER(own->list),
                                       KY_BUFFER(own->way), KY_BUFFER(own->scale), KY_VALUE(n),
                                       KY_VALUE(flags)),
                          error);
}

static enum ky_status sum(const struct ky_device_bodies *bodies, uint32_t flags,
                          struct ky_error *error)
{
    const struct ky_device_hermite *own = bodies->hermite;
    const uint32_t n = (uint32_t)bodies->n, groups = (uint32_t)own->summing;
    struct ky_eps2_argument eps2 = ky_eps2_argument(bodies);
    (void)flags;
    if (bodies->own_eps) /* how often that of a source counts */
        eps2.part = (float)(eps2.whole = bodies->how & KY_EPS_SUM ? 1 : 0);
    return ky_launch(the_card(bodies), ky_device_hermite_kernel(bodies), groups,
                     KY_ARGUMENTS(KY_BUFFER(own->plane), KY_BUFFER(own->list),
                                  KY_BUFFER(own->partial), KY_BUFFER(own->run), KY_BUFFER(own->way),
                                  KY_VALUE(n), KY_VALUE(own->first), KY_VALUE(own->end),
                                  KY_VALUE(groups), KY_EPS2(eps2, bodies->parameters->precision)),
                     error);
}

static enum ky_status reduce(const struct ky_device_bodies *bodies, uint32_t flags,
                             struct ky_error *error)
{
    const struct ky_device_hermite *own = bodies->hermite;
    const uint32_t sources = own->end - own->first, groups = (uint32_t)own->correcting;
    (void)flags;
    return ky_launch(the_card(bodies), KERNEL(bodies, ky_hermite_reduce), groups,
                     KY_ARGUMENTS(KY_BUFFER(own->partial), KY_BUFFER(own->run),
                                  KY_BUFFER(own->sums[own->turn]), KY_BUFFER(own->way),
                                  KY_VALUE(sources), KY_VALUE(groups)),
                     error);
}

static enum ky_status correct(const struct ky_device_bodies *bodies, uint32_t flags,
                              struct ky_error *error)
{
    const struct ky_device_hermite *own = bodies->hermite;
    const uint32_t n = (uint32_t)bodies->n, groups = (uint32_t)own->correcting,
                   count = (uint32_t)bodies->externals->count;
    return ky_launch(
        the_card(bodies), KERNEL(bodies, ky_hermite_correct), groups,
        KY_ARGUMENTS(KY_BUFFER(bodies->position), KY_BUFFER(bodies->velocity),
                     KY_BUFFER(*accelerations(bodies)), KY_BUFFER(bodies->acceleration),
                     KY_BUFFER(bodies->columns.of[KY_COLUMN_JERK]),
                     KY_BUFFER(bodies->columns.of[KY_COLUMN_STEP]), KY_BUFFER(bodies->mass),
                     KY_BUFFER(*softenings(bodies)), KY_BUFFER(own->plane), KY_BUFFER(own->list),
                     KY_BUFFER(own->partial), KY_BUFFER(own->run), KY_BUFFER(*fields(bodies)),
                     KY_BUFFER(own->way), KY_BUFFER(own->way), KY_BUFFER(own->scale), KY_VALUE(n),
                     KY_VALUE(groups), KY_VALUE(count), KY_VALUE(flags)),
        error);
}

/* From accelerations and jerks. */
static enum ky_status first_steps(const struct ky_device_bodies *bodies, uint32_t flags,
                                  struct ky_error *error)
{
    const struct ky_device_hermite *own = bodies->hermite;
    const uint32_t n = (uint32_t)bodies->n, count = (uint32_t)bodies->externals->count,
                   own_eps = flags & KY_HERMITE_OWN_EPS ? 1 : 0;
    return ky_launch_over(
        the_card(bodies), KY_KERNEL_ky_hermite_start_double, n,
        KY_ARGUMENTS(KY_BUFFER(bodies->position), KY_BUFFER(bodies->velocity),
                     KY_BUFFER(*accelerations(bodies)),
                     KY_BUFFER(bodies->columns.of[KY_COLUMN_JERK]), KY_BUFFER(bodies->mass),
                     KY_BUFFER(*softenings(bodies)), KY_BUFFER(bodies->columns.of[KY_COLUMN_STEP]),
                     KY_BUFFER(*fields(bodies)), KY_BUFFER(own->way), KY_BUFFER(own->way),
                     KY_BUFFER(own->scale), KY_VALUE(n), KY_VALUE(count), KY_VALUE(own_eps)),
        error);
}

/* ---- blocks ---- */

typedef enum ky_status launcher(const struct ky_device_bodies *bodies, uint32_t flags,
                                struct ky_error *error);

static enum ky_status on_all_cards(const struct hermite *h, launcher *launch, uint32_t flags,
                                   struct ky_error *error)
{
    enum ky_status status = KY_OK;
    for (size_t k = 0; k < h->bodies->cards.count && status == KY_OK; k++)
        status = launch(ky_device_hermite_on(h->bodies, k), flags | h->flags, error);
    return status;
}

/* The sums of all sources on the bodies of the list, for the correction. */
static enum ky_status sum_all(const struct hermite *h, struct ky_error *error)
{
    enum ky_status status = on_all_cards(h, sum, 0, error);
    if (h->bodies->cards.count == 1 || status != KY_OK)
        return status;
    status = on_all_cards(h, reduce, 0, error);
    return status == KY_OK ? ky_device_hermite_gather(h->bodies, error) : status;
}

/* A block of any kind, KY_HERMITE_… of kernels/driver/shared.h. */
static enum ky_status one_block(const struct hermite *h, uint32_t mode, struct ky_error *error)
{
    const int turns = mode == KY_HERMITE_START ? 1 : h->way->corrections;
    enum ky_status status = on_all_cards(h, predict, mode, error);
    if (status == KY_OK && h->bodies->cards.count > 1)
        status = on_all_cards(h, list, mode, error);
    for (int turn = 1; turn <= turns && status == KY_OK; turn++) {
        status = sum_all(h, error);
        if (status == KY_OK)
            status = on_all_cards(h, correct, mode | (turn < turns ? KY_HERMITE_AGAIN : 0U), error);
    }
    return status;
}

/* ---- steps that are none ---- */

static enum ky_status forget_steps(struct ky_device_bodies *bodies, struct ky_error *error)
{
    struct ky_card *card = bodies->cards.card[0];
    struct ky_buffer *step = &bodies->columns.of[KY_COLUMN_STEP];
    return step->handle ? card->driver->zero(card, step, error) : KY_OK;
}

enum ky_status ky_device_hermite_forget(struct ky_device_bodies *bodies, struct ky_error *error)
{
    if (!ky_device_leads(bodies, KY_SCHEME_HERMITE))
        return KY_OK;
    ky_device_hermite_drop(bodies, bodies->parameters->precision != KY_DOUBLE && bodies->n > 0);
    ky_buffer_release(bodies->cards.card[0], &bodies->precise);
    return forget_steps(bodies, error);
}

/* ---- looks ---- */

/* The card is to send what it knows when it comes to this point. */
static enum ky_status look_later(const struct hermite *h, int which, struct ky_error *error)
{
    struct ky_card *card = card_of(h);
    struct ky_device_hermite *own = h->bodies->hermite;
    enum ky_status status = card->driver->read_later(card, &own->way, 0, own->look[which].data,
                                                     sizeof(struct ky_hermite_way), error);
    return status == KY_OK ? card->driver->mark(card, KY_MARK_BLOCK + which, error) : status;
}

static enum ky_status await_look(struct hermite *h, int which, struct ky_error *error)
{
    struct ky_card *card = card_of(h);
    enum ky_status status = card->driver->reach(card, KY_MARK_BLOCK + which, error);
    if (status == KY_OK)
        memcpy(&h->known, h->bodies->hermite->look[which].data, sizeof h->known);
    return status;
}

static enum ky_status look(struct hermite *h, struct ky_error *error)
{
    enum ky_status status = look_later(h, 0, error);
    return status == KY_OK ? await_look(h, 0, error) : status;
}

/* What a call begins with. */
static enum ky_status tell(struct hermite *h, struct ky_error *error)
{
    const struct ky_advance *way = h->way;
    enum ky_status status = KY_OK;
    h->known =
        (struct ky_hermite_way){.number = {[KY_WAY_STRIDE] = way->stride,
                                           [KY_WAY_DEEPEST] = (uint64_t)ky_blocks_deepest(way),
                                           [KY_WAY_UNTIL] = way->until,
                                           [KY_WAY_MOST] = way->most,
                                           [KY_WAY_PASSED] = way->passed[0],
                                           [KY_WAY_PASSED + 1] = way->passed[1],
                                           [KY_WAY_NOW] = way->now,
                                           [KY_WAY_SHORTEST] = way->shortest}};
    for (size_t k = 0; k < h->bodies->cards.count && status == KY_OK; k++) {
        struct ky_device_bodies *bodies = ky_device_hermite_on(h->bodies, k);
        struct ky_card *card = the_card(bodies);
        status =
            card->driver->write(card, &bodies->hermite->way, 0, &h->known, sizeof h->known, error);
    }
    return status;
}

/* ---- the way ---- */

/* Accelerations of all digits, which are numbers: they are predicted with, over no time. */
static enum ky_status need_precise(struct ky_device_bodies *bodies, struct ky_error *error)
{
    struct ky_card *card = the_card(bodies);
    enum ky_status status = ky_device_bodies_need_precise(bodies, error);
    return status == KY_OK && bodies->precise.handle
               ? card->driver->zero(card, &bodies->precise, error)
               : status;
}

/* All bodies, which are at one time, get accelerations, jerks and steps. */
static enum ky_status start(struct hermite *h, struct ky_error *error)
{
    enum ky_status status = KY_OK;
    for (size_t k = 0; k < h->bodies->cards.count && status == KY_OK; k++)
        status = need_precise(ky_device_hermite_on(h->bodies, k), error);
    if (status == KY_OK)
        status = tell(h, error);
    if (status == KY_OK)
        status = one_block(h, KY_HERMITE_START, error);
    if (status == KY_OK)
        status = on_all_cards(h, first_steps, 0, error);
    return status == KY_OK ? look(h, error) : status;
}

/* Counts the bodies by their steps; all are chosen where one has none of this way. */
static enum ky_status begin(struct hermite *h, struct ky_error *error)
{
    enum ky_status status = tell(h, error);
    if (status == KY_OK)
        status = on_all_cards(h, count_levels, 0, error);
    if (status == KY_OK)
        status = look(h, error);
    const int missing = h->known.word[KY_TALLY_MISSING] > 0 || !accelerations(h->bodies)->handle;
    if (status != KY_OK || !missing)
        return status;
    if (h->way->now % h->way->stride)
        return ky_blocks_missing(error);
    return start(h, error);
}

/* How many blocks more to enqueue, when so many are on their way: as many as there would be to come
 * with the shortest step that is known, but not too many in one batch. */
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

/* Two batches at most are under way. */
static enum ky_status go(struct hermite *h, struct ky_error *error)
{
    uint64_t batch[2] = {0, 0};
    int last = 0;
    enum ky_status status = KY_OK;
    while (status == KY_OK) {
        const int next = 1 - last;
        const uint64_t more = blocks_more(h, batch[0] + batch[1]);
        if (more > 0 && batch[next] == 0) {
            for (uint64_t k = 0; k < more && status == KY_OK; k++)
                status = one_block(h, KY_HERMITE_BLOCK, error);
            if (status == KY_OK)
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

/* Ends all other steps too, at the tick of the last block. All bodies are at one time then, and
 * have no steps. */
static enum ky_status stop(struct hermite *h, struct ky_error *error)
{
    enum ky_status status = one_block(h, KY_HERMITE_STOP, error);
    if (status == KY_OK)
        status = look(h, error);
    return status == KY_OK ? forget_steps(h->bodies, error) : status;
}

/* What has been done, for the caller. */
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
    enum ky_status status = begin(h, error);
    if (status == KY_OK)
        status = go(h, error);
    const uint32_t close = h->known.word[KY_WAY_CLOSE];
    if (status == KY_OK && close)
        status = stop(h, error);
    if (status == KY_OK)
        status = ky_device_hermite_agree(h->bodies, &h->known, error);
    if (status != KY_OK)
        return status;
    count(h);
    h->way->close = close ? ~close : KY_NO_BODY;
    if (h->known.number[KY_WAY_BLOCKS] > 0)
        ky_device_hermite_drop(h->bodies, 1);
    h->bodies->place++;
    return KY_OK;
}

enum ky_status ky_device_hermite_advance(struct ky_device_bodies *bodies, struct ky_advance *way,
                                         struct ky_error *error)
{
    const uint32_t cards = (uint32_t)bodies->cards.count;
    struct hermite h = {.bodies = bodies,
                        .way = way,
                        .flags = (bodies->own_eps ? KY_HERMITE_OWN_EPS : 0) |
                                 (cards > 1 ? KY_HERMITE_ORDERED | cards * KY_HERMITE_DEVICES : 0)};
    enum ky_status status =
        ky_blocks_check(way, bodies->columns.set, bodies->has_acceleration, error);
    way->close = KY_NO_BODY;
    if (status == KY_OK)
        status = ky_device_settle(bodies, error);
    if (status == KY_OK)
        status = ky_device_curve_leave(bodies, error);
    for (uint64_t k = 0; bodies->n == 0 && k < way->most && way->now < way->until && !status; k++)
        ky_blocks_count(way, way->now + way->stride, 0);
    if (status != KY_OK || bodies->n == 0)
        return status;
    status = ky_device_hermite_reserve(bodies, way, error);
    if (status == KY_OK)
        status = ky_device_externals_send(bodies, error);
    if (status == KY_OK)
        status = ky_device_hermite_share(bodies, error);
    return status == KY_OK ? lead(&h, error) : status;
}
