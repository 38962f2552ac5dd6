/* A rank's portion of the bodies: whole blocks of block_sums.h, in the caller's order. The calls
 * are collective over the ranks that hold blocks. Results have the same bits for any division of
 * the blocks, and all ranks get them. */
#ifndef KY_BASE_PORTION_H
#define KY_BASE_PORTION_H

#include "base/block_sums.h"
#include "base/status.h"
#include "base/threads.h"

struct ky_portion {
    size_t n;             /* bodies of the system */
    size_t from, to;      /* the blocks from … to − 1 are here */
    size_t first;         /* the body at the place 0 of the arrays */
    size_t share, shares; /* shares: the number of ranks that hold blocks; share: the index of this
                             rank */
    int leads;            /* 1: this rank receives collected arrays */
    void *context;
    /* All-reduce: each number becomes the sum over all ranks; NULL: there is only one. */
    enum ky_status (*add)(void *context, uint64_t *number, size_t count, struct ky_error *error);
    /* The elements of all to the one that leads, in the order of the blocks. See
     * ky_portion_collect. */
    enum ky_status (*collect)(void *context, void **array, size_t *count, size_t size,
                              struct ky_error *error);
};

/* All bodies are here. */
struct ky_portion ky_portion_of_all(size_t n);
/* The bodies that are here. */
static inline size_t ky_portion_count(const struct ky_portion *portion)
{
    return ky_block_start(portion->n, portion->to) - ky_block_start(portion->n, portion->from);
}
/* 1 if a loop over the bodies that are here takes several threads. */
static inline int ky_portion_is_long(const struct ky_portion *portion)
{
    return ky_portion_count(portion) >= KY_SEVERAL_FROM;
}
/* 1 if body i of the system is here. */
static inline int ky_portion_has(const struct ky_portion *portion, size_t i)
{
    return i - portion->first < ky_portion_count(portion); /* also for i < first */
}
/* Place of the first body of a block in the arrays. */
static inline size_t ky_portion_start(const struct ky_portion *portion, size_t block)
{
    return ky_block_start(portion->n, block) - portion->first;
}

/* Broadcasts words of 8 bytes. Exactly one rank holds each word; the other ranks pass zero bits.
 * Fails if one of the ranks has failed, here and below. */
enum ky_status ky_portion_add_up(const struct ky_portion *portion, void *numbers, size_t count,
                                 struct ky_error *error);
/* Gathers the elements of all ranks, in order, on the leading rank: there *array, from ky_allocate,
 * is replaced by memory for all of them, and *count becomes their number. On other ranks both stay
 * as they are. KY_FAULT if memory runs out. */
enum ky_status ky_portion_collect(const struct ky_portion *portion, void **array, size_t *count,
                                  size_t size, struct ky_error *error);
/* sum[k] = Σ part[b × width + k] in the order of all blocks b; blocks of other ranks must be 0.
 * Afterwards `part` has all blocks. */
enum ky_status ky_portion_sums(const struct ky_portion *portion, double *part, size_t width,
                               double *sum, struct ky_error *error);
/* Σ values, as ky_sum. */
enum ky_status ky_portion_sum(const struct ky_portion *portion, const double *values, double *sum,
                              struct ky_error *error);
/* As ky_mean; *total: Σ w. */
enum ky_status ky_portion_mean(const struct ky_portion *portion, const double *weight,
                               double (*vectors)[3], double mean[3], double *total,
                               struct ky_error *error);
/* The number of positive values over all ranks; *before: how many of them precede this rank's
 * values. */
enum ky_status ky_portion_positive(const struct ky_portion *portion, const double *values,
                                   size_t *count, size_t *before, struct ky_error *error);

#endif
