/* Replicated bodies: each rank has all bodies on its device and computes the results of its share
 * of the sinks exactly as a single device would. It receives the other results, from card to card
 * where ky_ranks_way allows, so that all ranks continue with identical bits. */
#ifndef KY_DEVICE_COPIES_H
#define KY_DEVICE_COPIES_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct ky_buffer;
struct ky_device_state;

/* Number of pairs below which each rank computes everything: an H200 sums 10^8 of them in some 0.2
 * ms (docs/lab/2026-11-22-hermite.md), which an exchange would hardly shorten.
 * Tests change it. */
extern double ky_copies_few;
/* Approximate number of pairs per sink of a walk. */
#define KY_PAIRS_OF_A_WALK 1000.0

/* KY_UNSUPPORTED, on all ranks, if their devices are of different kinds. */
enum ky_status ky_copies_check(struct ky_device_state *state, struct ky_error *error);

/* Bytes on the card for the exchange of results of n bodies; 0 without such ranks. */
double ky_copies_memory(const struct ky_device_state *state, size_t n);

/* Begins an evaluation of `count` sinks with `sources` sources each. Returns 1 if the ranks divide
 * the sinks: then ky_copies_divide must follow. 0: this engine computes all sinks. */
int ky_copies_begin(struct ky_device_state *state, size_t count, double sources);
/* 1 if the ranks have divided the sinks of the current evaluation. */
int ky_copies_joins(const struct ky_device_state *state);
/* Makes shares that are equal to within one unit of `unit` sinks. KY_FAULT if memory runs out. */
enum ky_status ky_copies_divide(struct ky_device_state *state, size_t count, size_t unit,
                                struct ky_error *error);
/* The share of rank r: sinks edge[r] … edge[r + 1] − 1; to be changed for unequal shares. */
size_t *ky_copies_edges(const struct ky_device_state *state);
/* This engine's share: its first sink, and the one after its last. */
size_t ky_copies_first(const struct ky_device_state *state);
size_t ky_copies_end(const struct ky_device_state *state);
/* 1 if the pairs of this engine count in the sum over all ranks; also without ranks. */
int ky_copies_count(const struct ky_device_state *state);

/* Columns of state numbers on the card: accelerations, with this stride, and potentials. */
struct ky_copies_results {
    const struct ky_buffer *acceleration, *potential;
    size_t stride;
};
/* Completes the results, of which this engine has computed its share. Returns when the copies to
 * the card have been queued; they may be in progress. KY_FAULT if memory runs out. */
enum ky_status ky_copies_join(struct ky_device_state *state,
                              const struct ky_copies_results *results, struct ky_error *error);
/* The same if sink k is row order[k] of the columns. */
enum ky_status ky_copies_join_ordered(struct ky_device_state *state,
                                      const struct ky_copies_results *results,
                                      const uint32_t *order, struct ky_error *error);
/* The same for rows of `bytes` bytes on the card, from a buffer with this engine's rows to one for
 * all rows; and for rows on the host. */
enum ky_status ky_copies_join_rows_of_card(struct ky_device_state *state,
                                           const struct ky_buffer *from, const struct ky_buffer *to,
                                           size_t bytes, struct ky_error *error);
enum ky_status ky_copies_join_rows(struct ky_device_state *state, void *rows, size_t bytes,
                                   struct ky_error *error);

#endif
