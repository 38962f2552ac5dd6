/* Boards that are open, and the bodies divided among them: body `slot` lies on board slot mod
 * boards. Partial sums are added in the order of the boards. */
#ifndef KY_GRAPE_POOL_H
#define KY_GRAPE_POOL_H

#include "engine/board.h"
#include "grape/settings.h"

struct ky_pool;

/* Opens the boards. On failure *pool is NULL. */
enum ky_status ky_pool_open(const struct ky_grape_devices *devices,
                            const struct ky_grape_settings *settings, struct ky_pool **pool,
                            struct ky_error *error);
void ky_pool_close(struct ky_pool *pool); /* NULL is allowed */

/* Keeps the body for the next start that is not a repetition. Of several bodies for one slot the
 * last counts. KY_FAULT if memory runs out. */
enum ky_status ky_pool_put(struct ky_pool *pool, uint32_t slot, const struct ky_board_body *body,
                           struct ky_error *error);
/* Empties all slots and abandons a running force. After a failure the pool can only be closed. */
enum ky_status ky_pool_clear(struct ky_pool *pool, struct ky_error *error);
/* How the board sums over bodies at rest (board.h), in the caller's own units; threads may call it
 * at once. NULL: the board has to be asked as for moving bodies. */
ky_board_rest *ky_pool_rest(const struct ky_pool *pool);
enum ky_status ky_pool_sum_at_rest(struct ky_pool *pool, const struct ky_board_resting *resting,
                                   struct ky_error *error);

/* As the verbs of a board (engine/board.h), in the caller's own units. A second start without a
 * finish replaces the first. Bodies that are put between start and finish act from the next start
 * on. h2 may hold any numbers; NaN counts as 0. */
enum ky_status ky_pool_start(struct ky_pool *pool, const struct ky_board_request *request,
                             struct ky_error *error);
/* Repeats the last force over the same bodies, with these bits of `what` and lists of this
 * capacity. KY_USAGE before the first start and after ky_pool_clear. */
enum ky_status ky_pool_repeat(struct ky_pool *pool, int what, size_t capacity,
                              struct ky_error *error);
enum ky_status ky_pool_finish(struct ky_pool *pool, const struct ky_board_results *results,
                              struct ky_error *error);

#endif
