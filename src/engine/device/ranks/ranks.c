/* Buffers on cards that other ranks read, and copies from card to card. */
#include "engine/device/ranks/ranks.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "engine/common/force_kinds.h"
#include "engine/device/tree/tree_part.h"
#include "octree/octree.h"

/* ---- memory ---- */

double ky_device_ranks_memory(const struct ky_parameters *parameters, size_t n, size_t ranks)
{
    enum { ROWS = 2 * KY_PART_ROW * sizeof(uint64_t) }; /* a row sent and a row received */
    const struct ky_parameters tree = ky_force_tree(parameters);
    const double marks = 2 * sizeof(uint32_t) + (double)(ranks - 1),      /* per cell (prune.c) */
        rows = ROWS / 64.0;                                               /* movers.c */
    return 1.25 * (marks * ky_octree_cells(&tree, n) + rows * (double)n); /* as ky_ranks_need */
}

enum ky_status ky_ranks_need(struct ky_card *card, struct ky_buffer *buffer, const char *what,
                             size_t bytes, struct ky_error *error)
{
    return ky_buffer_need(card, buffer, what, bytes > buffer->bytes ? bytes + bytes / 4 : bytes, 1,
                          error);
}

enum ky_status ky_ranks_pin(struct ky_card *card, struct ky_pinned *pinned, const char *what,
                            size_t bytes, struct ky_error *error)
{
    return ky_pinned_need(card, pinned, what, bytes > pinned->bytes ? bytes + bytes / 4 : bytes,
                          error);
}

/* 1 if other processes may have opened the buffers that this rank offers. */
static int are_held(const struct ky_device_state *state)
{
    return ky_device_any_ranks(state)->is_process && state->ranks->way == KY_WAY_BY_CARDS;
}

enum ky_status ky_ranks_need_offered(const struct ky_device_state *state, enum ky_offer_slot slot,
                                     const char *what, size_t bytes, struct ky_error *error)
{
    struct ky_buffer *buffer = &state->ranks->offered[slot], *old = &state->ranks->retired[slot];
    const size_t wanted = bytes > buffer->bytes ? bytes + bytes / 4 : bytes;
    if (bytes > buffer->bytes && buffer->handle && !old->handle && are_held(state)) {
        *old = *buffer;
        *buffer = (struct ky_buffer){.handle = NULL};
    }
    return ky_buffer_need(state->bodies.card, buffer, what, wanted, 1, error);
}

/* ---- buffers of other processes ---- */

static struct ky_ranks_known *known_of(const struct ky_device_state *state, enum ky_offer_slot slot,
                                       size_t rank)
{
    return &state->ranks->known[(size_t)slot * ky_device_any_ranks(state)->ranks + rank];
}

static void close_known(struct ky_card *card, struct ky_ranks_known *known)
{
    if (known->memory)
        card->driver->close_shared(card, known->memory);
    known->memory = NULL;
}

void ky_ranks_forget(const struct ky_device_state *state, enum ky_offer_slot slot)
{
    for (size_t r = 0; r < ky_device_any_ranks(state)->ranks && state->ranks->known; r++)
        close_known(state->bodies.card, known_of(state, slot, r));
}

/* After the exchange of offers in the slot: closes buffers that are no longer offered, and releases
 * this rank's buffers that all other ranks have closed. */
static void settle(const struct ky_device_state *state, enum ky_offer_slot slot,
                   const struct ky_ranks_offer *all)
{
    struct ky_device_ranks *ranks = state->ranks;
    struct ky_card *card = state->bodies.card;
    for (size_t r = 0; r < ky_device_any_ranks(state)->ranks && ranks->known; r++) {
        struct ky_ranks_known *known = known_of(state, slot, r);
        if (memcmp(known->handle, all[r].handle, sizeof known->handle) != 0)
            close_known(card, known);
    }
    for (int k = 0; k < KY_OFFERS; k++)
        ky_buffer_release(card, &ranks->closing[k]);
    ranks->closing[slot] = ranks->retired[slot];
    ranks->retired[slot] = (struct ky_buffer){.handle = NULL};
}

static enum ky_status open_known(const struct ky_device_state *state, enum ky_offer_slot slot,
                                 size_t rank, const struct ky_ranks_offer *offer,
                                 struct ky_error *error)
{
    struct ky_card *card = state->bodies.card;
    struct ky_ranks_known *known = known_of(state, slot, rank);
    if (known->memory)
        return KY_OK;
    memcpy(known->handle, offer->handle, sizeof known->handle);
    return card->driver->open_shared(card, known->handle, &known->memory, error);
}

/* ---- offers ---- */

enum ky_status ky_ranks_offer(const struct ky_device_state *state, enum ky_offer_slot slot,
                              const struct ky_ranks_offer *offer, struct ky_ranks_offer *all,
                              struct ky_error *error)
{
    const struct ky_shared *shared = ky_device_any_ranks(state);
    struct ky_card *card = state->bodies.card;
    struct ky_ranks_offer own = *offer;
    const int by_host = state->ranks->way == KY_WAY_BY_HOST;
    if (!by_host)
        KY_TRY(card->driver->wait(card, error));
    own.card = card;
    own.buffer = state->ranks->offered[slot];
    if (are_held(state) && own.buffer.handle)
        KY_TRY(card->driver->share(card, &own.buffer, own.handle, error));
    KY_TRY(ky_shared_gather(shared, &own, sizeof own, all, error));
    if (are_held(state))
        settle(state, slot, all);
    return KY_OK;
}

enum ky_status ky_ranks_fetch(const struct ky_device_state *state, struct ky_offer_address from,
                              const struct ky_ranks_offer *all, struct ky_buffer_address to,
                              size_t bytes, struct ky_error *error)
{
    struct ky_card *card = state->bodies.card;
    const struct ky_ranks_offer *offer = &all[from.rank];
    if (!ky_device_any_ranks(state)->is_process)
        return card->driver->fetch(offer->card, KY_ADDRESS(&offer->buffer, from.from), card, to,
                                   bytes, error);
    KY_TRY(open_known(state, from.slot, from.rank, offer, error));
    return card->driver->fetch_shared(card, known_of(state, from.slot, from.rank)->memory,
                                      from.from, to, bytes, error);
}

/* ---- the way ---- */

/* Tries to copy some bytes from another process. */
static enum ky_status try_one(struct ky_card *card, const struct ky_ranks_offer *offer,
                              struct ky_buffer_address to, size_t bytes)
{
    void *memory = NULL;
    KY_TRY(card->driver->open_shared(card, offer->handle, &memory, NULL));
    enum ky_status status = card->driver->fetch_shared(card, memory, 0, to, bytes, NULL);
    if (!status)
        status = card->driver->wait(card, NULL);
    card->driver->close_shared(card, memory);
    return status;
}

/* Tries every other process, since some pairs of cards cannot reach each other. */
static enum ky_status try_all(const struct ky_device_state *state, struct ky_ranks_offer *offer,
                              struct ky_error *error)
{
    enum { BYTES = 256 };
    const struct ky_shared *shared = ky_device_any_ranks(state);
    struct ky_card *card = state->bodies.card;
    struct ky_buffer mine = {0}, theirs = {0};
    struct ky_ranks_offer own = {.card = card};
    enum ky_status tried = card->driver->share && shared->is_local
                               ? ky_buffer_need(card, &mine, "a trial", BYTES, 1, NULL)
                               : KY_UNSUPPORTED;
    if (tried == KY_OK)
        tried = ky_buffer_need(card, &theirs, "a trial", BYTES, 1, NULL);
    if (tried == KY_OK)
        tried = card->driver->share(card, &mine, own.handle, NULL);
    enum ky_status status = ky_shared_gather(shared, &own, sizeof own, offer, error);
    for (size_t r = 0; r < shared->ranks && !status && tried == KY_OK; r++)
        if (r != shared->rank)
            tried = try_one(card, &offer[r], KY_ADDRESS(&theirs, 0), BYTES);
    uint64_t failed = tried != KY_OK;
    if (!status)
        status = shared->add(shared->context, &failed, 1, error);
    state->ranks->way = failed ? KY_WAY_BY_HOST : KY_WAY_BY_CARDS;
    ky_buffer_release(card, &mine);
    ky_buffer_release(card, &theirs);
    return status;
}

static enum ky_status check_kinds(const struct ky_shared *shared, const struct ky_card *card,
                                  struct ky_error *error)
{
    char(*name)[sizeof card->name] = ky_allocate(shared->ranks, sizeof *name);
    enum ky_status status = name ? ky_shared_gather(shared, card->name, sizeof *name, name, error)
                                 : ky_no_memory(error, "the ranks", shared->ranks, sizeof *name);
    for (size_t r = 1; r < shared->ranks && !status; r++)
        if (strcmp(name[r], name[0]) != 0)
            status = ky_fail(error, KY_UNSUPPORTED,
                             "the devices of ranks must be of one kind, not %.100s and %.100s: "
                             "name others in --engine",
                             name[0], name[r]);
    free(name);
    return status;
}

enum ky_status ky_ranks_way(const struct ky_device_state *state, int *by_host,
                            struct ky_error *error)
{
    const struct ky_shared *shared = ky_device_any_ranks(state);
    struct ky_device_ranks *ranks = state->ranks;
    enum ky_status status =
        ranks->way == KY_WAY_UNKNOWN ? check_kinds(shared, state->bodies.card, error) : KY_OK;
    if (!status && !shared->is_process)
        ranks->way = KY_WAY_BY_CARDS;
    if (!status && ranks->way == KY_WAY_UNKNOWN) {
        struct ky_ranks_offer *offer = ky_allocate(shared->ranks, sizeof *offer);
        ranks->known = ky_allocate_zeroed(KY_OFFERS * shared->ranks, sizeof *ranks->known);
        status = offer && ranks->known
                     ? try_all(state, offer, error)
                     : ky_no_memory(error, "the ranks", shared->ranks, sizeof *offer);
        free(offer);
    }
    *by_host = ranks->way == KY_WAY_BY_HOST;
    return status;
}

/* ---- the end ---- */

/* All ranks close the buffers of other ranks before any rank releases its own. */
static void let_go(struct ky_device_state *state)
{
    char mine = 0, *all;
    for (int slot = 0; slot < KY_OFFERS; slot++)
        ky_ranks_forget(state, (enum ky_offer_slot)slot);
    all = ky_allocate(ky_device_any_ranks(state)->ranks, 1);
    if (all)
        ky_shared_gather(ky_device_any_ranks(state), &mine, 1, all, NULL);
    free(all);
}

void ky_device_ranks_release(struct ky_device_state *state)
{
    struct ky_device_ranks *ranks = state->ranks;
    struct ky_card *card = state->bodies.card;
    struct ky_buffer *buffers[] = {
        &ranks->begin,    &ranks->gone,    &ranks->count,   &ranks->probe,   &ranks->sinks,
        &ranks->sinks_of, &ranks->wait[0], &ranks->wait[1], &ranks->openers, &ranks->need,
        &ranks->waiting,  &ranks->seen,    &ranks->bodies,  &ranks->told,    &ranks->in,
        &ranks->to,       &ranks->gap,     &ranks->last,    &ranks->left,    &ranks->next,
        &ranks->found,    &ranks->come,    &ranks->run,     &ranks->weight,  &ranks->of_level,
        &ranks->mark};
    if (ky_device_any_ranks(state) && are_held(state))
        let_go(state);
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        ky_buffer_release(card, buffers[k]);
    for (int k = 0; k < KY_OFFERS; k++) {
        ky_buffer_release(card, &ranks->offered[k]);
        ky_buffer_release(card, &ranks->retired[k]);
        ky_buffer_release(card, &ranks->closing[k]);
    }
    for (int k = 0; k < KY_RANKS_PINS; k++)
        ky_pinned_release(card, &ranks->pinned[k]);
    free(ranks->edge);
    free(ranks->known);
    ranks->edge = NULL;
    ranks->known = NULL;
}
