/* Copies large arrays between host and card through two pieces of pinned memory: the host fills or
 * empties one while the card copies the other. */
#ifndef KY_DEVICE_STAGING_H
#define KY_DEVICE_STAGING_H

#include "engine/device/driver/card.h"

enum { KY_STAGING_BYTES = 1 << 21 };

/* Cleared at first. The two pieces are fenced by the marks from KY_MARK_STAGING on. */
struct ky_staging {
    struct ky_pinned piece[2];
    int turn; /* index of the next piece */
};

/* An array of the card: `count` items of `size` bytes, at most KY_STAGING_BYTES, from `offset` on.
 */
struct ky_staged {
    struct ky_buffer *buffer;
    size_t offset, count, size;
};

/* Fills the items first … end - 1 at `piece`, or takes them from there. Called by several threads
 * at the same time with different items. */
typedef void ky_staging_function(const void *context, size_t first, size_t end, void *piece);
struct ky_staging_work {
    int threads;
    ky_staging_function *function;
    const void *context;
};

/* Copies to the card. Returns when all pieces have been filled; copies of the last ones may still
 * be in progress. */
enum ky_status ky_staging_up(struct ky_staging *staging, struct ky_card *card,
                             const struct ky_staged *array, const struct ky_staging_work *fill,
                             struct ky_error *error);
/* Copies an array of the host unchanged to the beginning of a buffer, which is made large enough:
 * ky_buffer_fill with less waiting. `what` names the buffer in errors. */
enum ky_status ky_staging_fill(struct ky_staging *staging, struct ky_card *card, int threads,
                               const struct ky_staged *array, const char *what, const void *data,
                               struct ky_error *error);
/* Copies from the card. Returns when all pieces have been taken. */
enum ky_status ky_staging_down(struct ky_staging *staging, struct ky_card *card,
                               const struct ky_staged *array, const struct ky_staging_work *take,
                               struct ky_error *error);
/* No copy may be in progress. */
void ky_staging_release(struct ky_staging *staging, struct ky_card *card);

#endif
