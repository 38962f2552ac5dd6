/* Ranks that each have all bodies on their devices. Each rank computes the results of its share of
 * the sinks, as a device that is alone would, and gets the other results by way of the host. All
 * ranks then have the same bits. */
#ifndef KY_DEVICE_COPIES_H
#define KY_DEVICE_COPIES_H

#include "engine/device/ranks/ranks.h"

/* Pairs below which each rank computes all by itself: an H200 sums 10^8 of them in some 0.2 ms
 * (docs/lab/2026-11-22-hermite.md), which an exchange through the host would hardly shorten. Tests
 * change it. */
extern double ky_copies_few;

/* KY_UNSUPPORTED, on all ranks, where their devices are of different kinds. */
enum ky_status ky_copies_check(struct ky_device_state *state, struct ky_error *error);

/* Begins an evaluation of `count` sinks, each of which feels `sources` others. Returns 1 where the
 * ranks divide the sinks: then ky_copies_divide has to follow. 0: this engine computes all. */
int ky_copies_begin(struct ky_device_state *state, size_t count, double sources);
/* The last status. */
int ky_copies_joins(const struct ky_device_state *state);
/* Makes the parts equal to within one unit of `unit` sinks. KY_FAULT when memory is out. */
enum ky_status ky_copies_divide(struct ky_device_state *state, size_t count, size_t unit,
                                struct ky_error *error);
/* The part of rank r: sinks edge[r] … edge[r + 1] − 1; to be changed where parts are not equal. */
size_t *ky_copies_edges(const struct ky_device_state *state);
/* This engine's part: its first sink, and the one after its last. */
size_t ky_copies_first(const struct ky_device_state *state);
size_t ky_copies_end(const struct ky_device_state *state);
/* 1 if the pairs of this engine count in the sum over all ranks: also without ranks. */
int ky_copies_count(const struct ky_device_state *state);

/* Columns of numbers of the state on the card: of accelerations, `stride` apart, and potentials. */
struct ky_copies_results {
    const struct ky_buffer *acceleration, *potential;
    size_t stride;
};
/* Completes them, of which this engine has computed its part. Returns when the card has been given
 * them; the copies may be under way. KY_FAULT when memory is out. */
enum ky_status ky_copies_join(struct ky_device_state *state,
                              const struct ky_copies_results *results, struct ky_error *error);
/* The same where sink k is row order[k] of the columns. */
enum ky_status ky_copies_join_ordered(struct ky_device_state *state,
                                      const struct ky_copies_results *results,
                                      const uint32_t *order, struct ky_error *error);
/* The same for rows of `bytes` bytes on the card, from a buffer that has this engine's to one that
 * gets all; and for rows of the host. */
enum ky_status ky_copies_join_rows_of_card(struct ky_device_state *state,
                                           const struct ky_buffer *from, const struct ky_buffer *to,
                                           size_t bytes, struct ky_error *error);
enum ky_status ky_copies_join_rows(struct ky_device_state *state, void *rows, size_t bytes,
                                   struct ky_error *error);

#endif
