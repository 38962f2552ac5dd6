/* Block steps on a device: the host side of kernels/steps/block_kernels.h.
 *
 * A body has its x, v and a at the end of its last step. For a block all bodies are predicted to
 * the current tick in a second column of positions, which is exchanged with the first while forces
 * are computed. Once per block the host reads a tally: the number of bodies with steps of each
 * level, and the number of pairs in the walks. It determines the next tick and the number of active
 * bodies there. The kernel ky_block_close chooses the steps. In comoving boxes the host also sends
 * the factors of each level's step to the tick, to kernels of their own.
 *
 * The tree is kept as on the CPU. It is rebuilt at the first block after every multiple of the
 * longest step, since a run that is resumed there must find the same tree, and when walks have cost
 * more than the first ones by as much as a build.
 *
 * Ranks, each of which has a part of the bodies on its card, do the same blocks: after each they
 * add their tallies. Before a rebuild the bodies go to the ranks of their current positions. A rank
 * without active bodies only predicts, updates the moments of its tree, and sends the cells that
 * other ranks need. */
#include "engine/device/steps/block.h"

#include <math.h>
#include <string.h>

#include "base/status.h"
#include "engine/common/blocks.h"
#include "engine/device/ranks/ranks.h"
#include "engine/device/state/external.h"
#include "engine/device/state/motion.h"
#include "engine/device/tree/tree_memory.h"
#include "physics/block.h"

/* A tree is rebuilt when its walks have had this many interactions per body more than the walks of
 * a new tree. A build costs about 200, but forces of a tree that is kept too long add energy:
 * docs/decisions/block-steps.md. */
enum { BUILD = 30 };

/* Numbers of all levels. */
enum { FACTORS = KY_STEP_FACTORS * (KY_MOST_LEVELS + 1) };

_Static_assert(KY_TALLY_CUT == KY_MOST_LEVELS + 1, "a word of the tally for each level");

/* The host's data of a block. */
struct tally {
    uint64_t pairs; /* number of pairs in the walks of the block */
    uint32_t word[KY_TALLY_WORDS];
};

/* The same, summed over all ranks. KY_TALLY_CUT: for this block only. */
struct sums {
    uint64_t word[KY_TALLY_WORDS];
    uint64_t pairs;
    uint64_t wants_tree; /* number of ranks whose tree must be rebuilt */
};

/* The state of one call that advances through blocks. */
struct blocks {
    struct ky_device_blocks *kept;
    struct ky_device_state *state;
    struct ky_device_bodies *bodies; /* of the first part, which is the only one */
    const struct ky_method *method;
    struct ky_links *links;
    void *own;
    struct ky_advance *way;
    uint32_t deepest; /* the deepest level: steps of one tick */
    double longest;   /* [time] */
    double limit;     /* limit of the criterion at a tick, for accelerations in the card's units */
    uint32_t due;     /* the lowest level whose steps end at the current tick */
    size_t active;    /* number of bodies whose steps end there */
    struct sums all;
    size_t system, together; /* bodies of all ranks: all, and at the end of a step */
};

static struct ky_card *card_of(const struct blocks *b)
{
    return b->bodies->card;
}

static int expands(const struct blocks *b)
{
    return b->way->expansion.h0 != 0;
}

/* ---- memory ---- */

double ky_device_blocks_memory(size_t n)
{
    return (double)ky_device_room(n) + sizeof(uint32_t) * (double)(n + ky_groups(n, KY_LEAST_TEAM));
}

void ky_device_blocks_release(struct ky_device_blocks *own, struct ky_card *card)
{
    struct ky_buffer *buffers[] = {&own->counts, &own->words, &own->tally, &own->factors,
                                   &own->scratch};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        ky_buffer_release(card, buffers[k]);
    ky_pinned_release(card, &own->pinned);
}

static enum ky_status reserve(const struct blocks *b, struct ky_error *error)
{
    struct ky_card *card = card_of(b);
    struct ky_device_blocks *own = b->kept;
    const size_t n = b->bodies->n, teams = ky_groups(n, card->team);
    const struct ky_need needs[] = {
        {&own->counts, "counts of active bodies", teams, sizeof(uint32_t)},
        {&own->words, "bodies by their steps", KY_TALLY_WORDS, sizeof(uint32_t)},
        {&own->tally, "work of a block", 1, sizeof(uint64_t)},
        {&own->factors, "factors of steps", expands(b) ? FACTORS : 0, sizeof(union ky_state_value)},
        {&b->bodies->active_list, "active bodies", n, sizeof(uint32_t)},
    };
    KY_TRY(ky_device_bodies_need(b->bodies, KY_ARRAY_SECOND, error));
    KY_TRY(ky_buffers_need(card, needs, sizeof needs / sizeof *needs, error));
    KY_TRY(ky_scratch_need(card, &own->scratch, KY_BULK_SCAN, teams, error));
    return ky_pinned_need(card, &own->pinned, "work of a block", sizeof(struct tally), error);
}

/* ---- the tally ---- */

static struct tally *tally_of(const struct blocks *b)
{
    return b->kept->pinned.data;
}

/* Reads the words and the work of a block. */
static enum ky_status read_tally(const struct blocks *b, struct ky_error *error)
{
    struct ky_card *card = card_of(b);
    struct ky_device_blocks *own = b->kept;
    struct tally *tally = tally_of(b);
    KY_TRY(card->driver->read_later(card, &own->words, 0, tally->word, sizeof tally->word, error));
    KY_TRY(
        card->driver->read_later(card, &own->tally, 0, &tally->pairs, sizeof tally->pairs, error));
    KY_TRY(card->driver->mark(card, KY_MARK_BLOCK, error));
    return card->driver->reach(card, KY_MARK_BLOCK, error);
}

/* Adds the data of all ranks. `cut`: the previous value of the word KY_TALLY_CUT. */
static enum ky_status agree(struct blocks *b, uint32_t cut, struct ky_error *error)
{
    const struct ky_shared *shared = ky_device_shared(b->state);
    const struct tally *own = tally_of(b);
    for (int k = 0; k < KY_TALLY_WORDS; k++)
        b->all.word[k] = own->word[k];
    b->all.word[KY_TALLY_CUT] = own->word[KY_TALLY_CUT] - cut;
    b->all.pairs = b->active > 0 ? own->pairs : 0;
    b->all.wants_tree =
        !b->links->own.serves || b->kept->put != b->state->put || own->word[KY_TALLY_STRAYS] > 0;
    b->kept->sinks += (double)b->active;
    b->kept->pairs += (double)b->all.pairs;
    return shared ? shared->add(shared->context, b->all.word, sizeof b->all / sizeof *b->all.word,
                                error)
                  : KY_OK;
}

/* The deepest level of any body. */
static uint32_t deepest_level(const struct blocks *b)
{
    uint32_t level = b->system > 0 ? b->deepest : 0;
    while (level > 0 && b->all.word[level] == 0)
        level--;
    return level;
}

/* ---- a block ---- */

/* The factor from an acceleration on the card, times a time, to a change of velocity. */
static double per_kick_of(const struct blocks *b)
{
    return ky_device_scale(b->state).acceleration / b->state->units.length;
}

/* struct ky_clock of kernels/steps/clock.h. */
struct clock {
    uint64_t stride;
    union ky_state_value longest, length, per_kick;
    int32_t deepest, none;
};
static struct clock clock_of(const struct blocks *b)
{
    const struct ky_card *card = card_of(b);
    return (struct clock){.stride = b->way->stride,
                          .longest = ky_to_state(card, b->longest),
                          .length = ky_to_state(card, b->way->tick),
                          .per_kick = ky_to_state(card, per_kick_of(b)),
                          .deepest = (int32_t)b->deepest};
}

/* The kernel for the bodies' precision; and the one of a step, which comoving boxes have too. */
#define KERNEL(b, name) KY_IN_PRECISION(name, (b)->state->parameters->precision)
#define STEP_KERNEL(b, name)                                                                       \
    (expands(b) ? KERNEL(b, ky_comoving_##name) : KERNEL(b, ky_block_##name))
/* Their arguments. The last one is the factors, which only kernels of comoving boxes take. */
#define STEP_ARGUMENTS(b, ...)                                                                     \
    without_factors((b), KY_ARGUMENTS(__VA_ARGS__, KY_BUFFER((b)->kept->factors)))
static struct ky_arguments without_factors(const struct blocks *b, struct ky_arguments all)
{
    all.count -= expands(b) ? 0 : 1;
    return all;
}

/* A number in the kernels' type, for comparisons. */
struct real {
    double whole;
    float part;
};
#define REAL(b, number)                                                                            \
    ((b)->state->parameters->precision == KY_DOUBLE ? KY_VALUE((number).whole)                     \
                                                    : KY_VALUE((number).part))

static struct real real_of(double number)
{
    return (struct real){number, (float)number};
}

/* 1 if bodies have their own softenings, which are the lengths of the criterion. */
static uint32_t own_lengths(const struct blocks *b)
{
    return b->state->own_eps && isnan(b->way->length);
}

/* Swaps the positions at the current tick with the positions at the ends of the last steps. */
static void exchange(struct ky_device_bodies *bodies)
{
    const struct ky_buffer other = bodies->second;
    bodies->second = bodies->position;
    bodies->position = other;
    bodies->moves++;
}

/* The limit of the criterion at a tick; for length 1 if each body has its own length. */
static double limit_of(const struct blocks *b, uint64_t tick)
{
    const struct ky_device_state *state = b->state;
    const double acceleration = ky_device_scale(state).acceleration;
    double length = b->way->length;
    if (isnan(length))
        length = state->own_eps ? state->units.length : state->parameters->softening;
    return ky_step_limit(b->way->eta, length, ky_blocks_longest(b->way, tick)) / acceleration;
}

/* Sets the softening and the limit, and in a comoving box the factors of all levels that bodies
 * have. */
static enum ky_status set_clock(struct blocks *b, uint64_t tick, struct ky_error *error)
{
    struct ky_card *card = card_of(b);
    union ky_state_value factors[FACTORS];
    const int used = (int)deepest_level(b);
    const double per_kick = per_kick_of(b);
    ky_blocks_soften(b->way, tick);
    b->limit = limit_of(b, tick);
    if (!expands(b))
        return KY_OK;
    for (int level = 0; level <= used; level++) {
        const struct ky_step_factors own = ky_blocks_factors(b->way, level, tick);
        factors[KY_STEP_FACTORS * level] = ky_to_state(card, own.kick * per_kick);
        factors[KY_STEP_FACTORS * level + 1] = ky_to_state(card, own.drift);
        factors[KY_STEP_FACTORS * level + 2] = ky_to_state(card, own.last_kick * per_kick);
    }
    return card->driver->write(card, &b->kept->factors, 0, factors,
                               (size_t)(KY_STEP_FACTORS * (used + 1)) * sizeof *factors, error);
}

/* Predicts all bodies to the tick. `how`: KY_SETTLES moves bodies that have left a periodic box
 * into it; together with KY_STAYS, only their predicted positions; 0 moves none. */
static enum ky_status predict(const struct blocks *b, uint64_t tick, uint32_t how,
                              struct ky_error *error)
{
    struct ky_device_bodies *bodies = b->bodies;
    const struct clock clock = clock_of(b);
    uint32_t n = (uint32_t)bodies->n, live = (uint32_t)bodies->live,
             in_box = b->state->box > 0 ? KY_IN_BOX | how : 0U;
    const union ky_state_value box = ky_to_state(card_of(b), b->state->box);
    return ky_launch_over(
        card_of(b), STEP_KERNEL(b, predict), live,
        STEP_ARGUMENTS(b, KY_BUFFER(bodies->position), KY_BUFFER(bodies->velocity),
                       KY_BUFFER(bodies->acceleration), KY_BUFFER(bodies->column[KY_COLUMN_STEP]),
                       KY_BUFFER(bodies->second), KY_BUFFER(b->kept->words), KY_VALUE(n),
                       KY_VALUE(live), KY_VALUE(tick), KY_VALUE(in_box), KY_VALUE(box),
                       KY_VALUE(clock)),
        error);
}

/* Lists the active bodies and begins the ends of their steps. The positions have been exchanged. */
static enum ky_status open_steps(const struct blocks *b, struct ky_error *error)
{
    struct ky_device_bodies *bodies = b->bodies;
    struct ky_device_blocks *own = b->kept;
    struct ky_card *card = card_of(b);
    const struct ky_buffer *step = &bodies->column[KY_COLUMN_STEP];
    const struct clock clock = clock_of(b);
    const size_t teams = ky_groups(bodies->live, card->team);
    uint32_t n = (uint32_t)bodies->n, live = (uint32_t)bodies->live, due = b->due;
    if (b->active == 0)
        return KY_OK;
    KY_TRY(ky_launch_teams(card, STEP_KERNEL(b, count), teams,
                           KY_ARGUMENTS(KY_BUFFER(*step), KY_BUFFER(own->counts), KY_VALUE(live),
                                        KY_VALUE(due), KY_VALUE(clock)),
                           error));
    KY_TRY(card->driver->scan(card, &own->counts, &own->counts, teams, &own->scratch, error));
    return ky_launch_teams(card, STEP_KERNEL(b, open), teams,
                           STEP_ARGUMENTS(b, KY_BUFFER(*step), KY_BUFFER(own->counts),
                                          KY_BUFFER(bodies->active_list), KY_BUFFER(bodies->second),
                                          KY_BUFFER(bodies->velocity),
                                          KY_BUFFER(bodies->acceleration), KY_VALUE(n),
                                          KY_VALUE(live), KY_VALUE(due), KY_VALUE(clock)),
                           error);
}

/* Computes the forces on the active bodies, with all bodies at the current tick. */
static enum ky_status evaluate(const struct blocks *b, int anew, struct ky_error *error)
{
    struct ky_device_bodies *bodies = b->bodies;
    const struct ky_active active = {b->active, NULL};
    struct ky_evaluation evaluation = {.active = b->together < b->system ? &active : NULL,
                                       .together = b->together,
                                       .in_block = 1,
                                       .is_listed = 1};
    enum ky_status status = KY_OK;
    ky_links_begin(b->links);
    exchange(bodies);
    if (b->method->stand) {
        status = b->method->stand(b->links, anew, error);
        if (anew)
            b->kept->of_new_tree = b->kept->more = 0;
        b->kept->put = b->state->put;
    }
    if (!status)
        status = open_steps(b, error);
    if (!status)
        status = b->method->evaluate(b->state, b->links, b->own, &evaluation, b->state->parameters,
                                     error);
    if (!status && b->method->note && b->active > 0)
        status = b->method->note(b->links, b->own, &b->kept->tally, error);
    if (!status)
        status = ky_device_externals_add(bodies, &evaluation, error);
    exchange(bodies);
    return status;
}

/* Does the second half of the kick, and chooses the next step. */
static enum ky_status close_steps(const struct blocks *b, uint64_t tick, struct ky_error *error)
{
    struct ky_device_bodies *bodies = b->bodies;
    const struct clock clock = clock_of(b);
    const struct real limit = real_of(b->limit), eta = real_of(b->way->eta),
                      eps = real_of(b->state->parameters->softening / b->state->units.length);
    uint32_t n = (uint32_t)bodies->n, count = (uint32_t)b->active,
             own_eps = (uint32_t)b->state->own_eps, lengths = own_lengths(b);
    return ky_launch_over(
        card_of(b), STEP_KERNEL(b, close), count,
        STEP_ARGUMENTS(b, KY_BUFFER(bodies->active_list), KY_BUFFER(bodies->second),
                       KY_BUFFER(bodies->position), KY_BUFFER(bodies->velocity),
                       KY_BUFFER(bodies->acceleration), KY_BUFFER(*ky_device_softenings(bodies)),
                       KY_BUFFER(bodies->column[KY_COLUMN_STEP]), KY_BUFFER(b->kept->words),
                       KY_VALUE(count), KY_VALUE(n), KY_VALUE(own_eps), KY_VALUE(lengths),
                       REAL(b, limit), REAL(b, eps), REAL(b, eta), KY_VALUE(tick), KY_VALUE(clock)),
        error);
}

/* Counts the bodies by their steps, and chooses missing steps. */
static enum ky_status count_steps(const struct blocks *b, struct ky_error *error)
{
    struct ky_device_bodies *bodies = b->bodies;
    struct ky_card *card = card_of(b);
    const struct clock clock = clock_of(b);
    const struct real limit = real_of(limit_of(b, b->way->now));
    uint32_t n = (uint32_t)bodies->n, live = (uint32_t)bodies->live, own_eps = own_lengths(b),
             even = b->way->now % b->way->stride == 0;
    KY_TRY(card->driver->zero(card, &b->kept->words, error));
    KY_TRY(card->driver->zero(card, &b->kept->tally, error));
    KY_TRY(ky_launch_over(
        card, STEP_KERNEL(b, begin), live,
        KY_ARGUMENTS(KY_BUFFER(bodies->column[KY_COLUMN_STEP]), KY_BUFFER(bodies->acceleration),
                     KY_BUFFER(*ky_device_softenings(bodies)), KY_BUFFER(b->kept->words),
                     KY_VALUE(n), KY_VALUE(live), KY_VALUE(own_eps), REAL(b, limit), KY_VALUE(even),
                     KY_VALUE(clock)),
        error));
    return read_tally(b, error);
}

/* ---- ranks ---- */

/* Cost in interactions: of predicting a body and moving it in the tree; and of a sink before any
 * have been counted. */
enum { A_BODY = 100, A_SINK = 1000 };

/* The work per longest step for a body of each level, as integers in units of *unit: it is a sink
 * in as many blocks as it has steps, and moves in all of them. Returns the sum for the bodies of
 * this rank. */
static uint32_t weights_of(const struct blocks *b, uint32_t weight[KY_MOST_LEVELS + 1],
                           double *unit)
{
    const struct ky_device_blocks *kept = b->kept;
    const struct tally *tally = tally_of(b);
    const double sink = kept->sinks > 0 ? kept->pairs / kept->sinks : A_SINK,
                 moves = ldexp(A_BODY, (int)deepest_level(b));
    double all = 0;
    uint32_t sum = 0;
    for (uint32_t level = 0; level <= b->deepest; level++)
        all += tally->word[level] * (ldexp(sink, (int)level) + moves);
    *unit = ldexp(all, -30);
    for (uint32_t level = 0; level <= b->deepest; level++) {
        const double own = (ldexp(sink, (int)level) + moves) / *unit;
        weight[level] = tally->word[level] == 0 ? 0 : own > 1 ? (uint32_t)own : 1;
        sum += tally->word[level] * weight[level];
    }
    return sum;
}

/* Computes the work for the bodies before each body: state->ranks->weight. */
static enum ky_status weigh(const struct blocks *b, struct ky_error *error)
{
    struct ky_card *card = card_of(b);
    struct ky_device_ranks *ranks = b->state->ranks;
    struct ky_buffer *scratch = &b->kept->scratch;
    const struct clock clock = clock_of(b);
    const size_t live = b->bodies->live, word = sizeof(uint32_t);
    uint32_t weight[KY_MOST_LEVELS + 1] = {0}, bodies = (uint32_t)live;
    double unit;
    ranks->sum = weights_of(b, weight, &unit);
    ranks->work = ranks->sum * unit;
    if (live == 0)
        return KY_OK;
    KY_TRY(ky_buffer_fill(card, &ranks->of_level, "weights of steps", weight, KY_MOST_LEVELS + 1,
                          word, error));
    KY_TRY(ky_ranks_need(card, &ranks->weight, "weights of bodies", live * word, error));
    KY_TRY(ky_launch_over(card, KERNEL(b, ky_block_weigh), live,
                          KY_ARGUMENTS(KY_BUFFER(b->bodies->column[KY_COLUMN_STEP]),
                                       KY_BUFFER(ranks->of_level), KY_BUFFER(ranks->weight),
                                       KY_VALUE(bodies), KY_VALUE(clock)),
                          error));
    KY_TRY(ky_scratch_need(card, scratch, KY_BULK_SCAN, live, error));
    return card->driver->scan(card, &ranks->weight, &ranks->weight, live, scratch, error);
}

/* Before a rebuild: predicts the bodies to the tick, and sends them to the ranks of these positions
 * with the positions at the ends of their own steps, which must not be rounded on the way. */
static enum ky_status settle(struct blocks *b, uint64_t tick, struct ky_error *error)
{
    const struct ky_shared *shared = ky_device_shared(b->state);
    struct ky_device_ranks *ranks = b->state->ranks;
    enum ky_status status = predict(b, tick, KY_SETTLES | KY_STAYS, error);
    if (!status)
        status = weigh(b, error);
    exchange(b->bodies);
    ranks->in_block = 1;
    if (!status)
        status = shared->settle(shared->context, NULL, NULL, error);
    ranks->in_block = 0;
    exchange(b->bodies);
    b->kept->sinks = b->kept->pairs = 0;
    if (!status)
        status = reserve(b, error);
    return status ? status : count_steps(b, error);
}

/* ---- from block to block ---- */

/* Finds the next tick at which steps end, and their number. */
static void find_active(struct blocks *b, uint64_t tick)
{
    b->due = b->deepest;
    b->active = b->together = 0;
    for (uint32_t level = b->deepest + 1; level-- > 0;)
        if (tick % (b->way->stride >> level) == 0) {
            b->due = level;
            b->active += tally_of(b)->word[level];
            b->together += b->all.word[level];
        }
}

/* Counts the pairs of a block's walks in excess of the walks of a new tree. Bodies with short steps
 * may cross their cells within a step. So only the first block of a tree gives a reference: for the
 * longest step that ends there, also for later trees, and for steps that have not ended in such a
 * block yet. A block of few bodies waits for its longest walk: each pair of a sink then costs as
 * much as if every lane of the card had one. */
static void count_beyond(const struct blocks *b)
{
    struct ky_device_blocks *own = b->kept;
    const double active = (double)b->together, mean = (double)b->all.pairs / active,
                 lanes = (double)(card_of(b)->team * ky_device_tree_teams(card_of(b)));
    if (own->of_new_tree == 0)
        own->of_new_tree = own->of_level[b->due] = mean;
    const double expected = own->of_level[b->due] > 0 ? own->of_level[b->due] : own->of_new_tree;
    if (mean > expected)
        own->more += (mean - expected) * (active > lanes ? active : lanes);
}

/* 1 if the next block begins with a rebuild, as it would on an engine that receives the bodies
 * here. */
static int is_whole(const struct blocks *b)
{
    return b->way->now % b->way->stride == 0 || b->kept->since % KY_BLOCKS_KEPT == 0;
}

/* Clears the word of bodies that have strayed, before a new tree. */
static enum ky_status forget_strays(const struct blocks *b, struct ky_error *error)
{
    const uint32_t none = 0;
    return card_of(b)->driver->write(card_of(b), &b->kept->words, KY_TALLY_STRAYS * sizeof none,
                                     &none, sizeof none, error);
}

static enum ky_status go_to(struct blocks *b, uint64_t tick, struct ky_error *error)
{
    const int begins = is_whole(b),
              anew = begins || b->all.wants_tree || b->kept->more > BUILD * (double)b->system;
    enum ky_status status = set_clock(b, tick, error);
    if (begins)
        memset(b->kept->of_level, 0, sizeof b->kept->of_level);
    if (!status && anew && tally_of(b)->word[KY_TALLY_STRAYS] > 0)
        status = forget_strays(b, error);
    if (!status && anew && ky_device_shared(b->state))
        status = settle(b, tick, error);
    if (!status)
        status = predict(b, tick, anew || !b->method->stand ? KY_SETTLES : 0, error);
    const uint32_t cut = tally_of(b)->word[KY_TALLY_CUT];
    find_active(b, tick);
    b->state->externals->time = ky_advance_time(b->way, tick);
    if (!status)
        status = evaluate(b, anew, error);
    if (!status)
        status = close_steps(b, tick, error);
    if (!status && b->active > 0)
        status = read_tally(b, error);
    if (!status)
        status = agree(b, cut, error);
    if (status)
        return status;
    count_beyond(b);
    b->kept->since = b->way->now % b->way->stride ? b->kept->since + 1 : 1;
    b->way->cut += (double)b->all.word[KY_TALLY_CUT];
    return KY_OK;
}

static enum ky_status one_block(struct blocks *b, struct ky_error *error)
{
    const uint64_t tick = b->way->now + (b->way->stride >> deepest_level(b));
    if (b->system > 0)
        KY_TRY(go_to(b, tick, error));
    ky_blocks_count(b->way, tick, b->together);
    return KY_OK;
}

/* ---- one call of `advance` ---- */

static enum ky_status begin(struct blocks *b, struct ky_error *error)
{
    if (b->kept->put != b->state->put)
        b->kept->since = 0;
    ky_blocks_soften(b->way, b->way->now);
    enum ky_status status = count_steps(b, error);
    if (!status)
        status = agree(b, 0, error);
    return !status && b->all.word[KY_TALLY_MISSING] > 0 ? ky_blocks_missing(error) : status;
}

enum ky_status ky_device_blocks_advance(struct ky_device_blocks *kept,
                                        struct ky_device_state *state,
                                        const struct ky_method *method, struct ky_links *links,
                                        void *own, struct ky_advance *way, struct ky_error *error)
{
    struct blocks b = {.kept = kept,
                       .state = state,
                       .bodies = &state->bodies,
                       .method = method,
                       .links = links,
                       .own = own,
                       .way = way,
                       .longest = way->tick * (double)way->stride,
                       .system =
                           ky_device_shared(state) ? ky_device_shared(state)->system : state->n};
    enum ky_status status = ky_blocks_check(way, state->columns, state->has_acceleration, error);
    if (!status)
        status = ky_device_settle(state, error);
    if (!status && state->n > 0)
        status = reserve(&b, error);
    if (status)
        return status;
    b.deepest = (uint32_t)ky_blocks_deepest(way);
    if (state->n > 0)
        status = begin(&b, error);
    for (uint64_t k = 0;
         (k < way->most || (way->whole && !is_whole(&b))) && way->now < way->until && !status; k++)
        status = one_block(&b, error);
    if (is_whole(&b)) /* the next block begins with a rebuild */
        links->own.serves = 0;
    return status;
}
