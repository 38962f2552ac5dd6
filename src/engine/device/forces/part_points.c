/* Points in the field of bodies that are divided among ranks: the division of the points, their
 * boxes, and the tree for them. */
#include "engine/device/forces/part_points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/shares.h"
#include "engine/common/active.h"
#include "engine/common/trees.h"
#include "engine/device/forces/grouped.h"
#include "engine/device/ranks/exchange.h"
#include "octree/keys.h"
#include "physics/frame.h"

/* Maximum number of points in a box; and its longest side, as a fraction of the cube of keys:
 * distant points, which all lie on the faces of the cube, get their own boxes. */
enum { IN_BOX = 32 };
#define LONGEST (1.0 / 16)
/* Coordinates of points are sent to other ranks clipped to this, in units of length: squares have
 * to fit into float. No body is so far away, so that a point at this distance opens every cell that
 * it would open from farther away. */
#define FARTHEST 1e18

/* ---- the order of points ---- */

struct place {
    uint64_t key;
    uint32_t point;
};

static int by_key(const void *a, const void *b)
{
    const struct place *one = a, *two = b;
    const int key = (one->key > two->key) - (one->key < two->key);
    return key ? key : (one->point > two->point) - (one->point < two->point);
}

static uint64_t key_of(const struct ky_engine_frame *frame, const double position[3])
{
    const double scale = frame->edge > 0 ? KY_KEY_PLACES / frame->edge : 0;
    uint32_t at[3];
    for (int c = 0; c < 3; c++)
        at[c] = ky_frame_position(position[c], frame->low[c], scale);
    return ky_morton_key(at[0], at[1], at[2]);
}

static enum ky_status order_points(struct ky_part_points *part, const struct ky_engine_frame *frame,
                                   const struct ky_points *points, struct ky_error *error)
{
    const size_t count = points->count;
    struct place *place = ky_allocate(count, sizeof *place);
    part->order = ky_allocate(count, sizeof *part->order);
    if (!place || !part->order) {
        free(place);
        return ky_no_memory(error, "points of a field", count, sizeof *place);
    }
    for (size_t k = 0; k < count; k++)
        place[k] = (struct place){key_of(frame, points->position[k]), (uint32_t)k};
    qsort(place, count, sizeof *place, by_key);
    for (size_t k = 0; k < count; k++)
        part->order[k] = place[k].point;
    free(place);
    return KY_OK;
}

/* Divides the points equally among the ranks with bodies. Collective. */
static enum ky_status share_points(struct ky_part_points *part, const struct ky_shared *shared,
                                   size_t live, size_t count, struct ky_error *error)
{
    const unsigned char own = live > 0;
    unsigned char *has = ky_allocate(shared->ranks, sizeof *has);
    part->first = ky_allocate_zeroed(shared->ranks + 1, sizeof *part->first);
    enum ky_status status = has && part->first
                                ? ky_shared_gather(shared, &own, sizeof own, has, error)
                                : ky_no_memory(error, "the ranks", shared->ranks, sizeof *has);
    size_t shares = 0, share = 0;
    for (size_t r = 0; r < shared->ranks && !status; r++)
        shares += has[r];
    for (size_t r = 0; r < shared->ranks && !status; r++) {
        share += has[r];
        part->first[r + 1] = shares > 0 ? ky_share_start(count, shares, share) : 0;
    }
    free(has);
    return status;
}

static enum ky_status take_own(struct ky_part_points *part, size_t rank,
                               const struct ky_points *points, struct ky_error *error)
{
    const size_t first = part->first[rank], count = part->first[rank + 1] - first;
    part->position = ky_allocate(count, sizeof *part->position);
    part->softenings = points->softenings ? ky_allocate(count, sizeof(double)) : NULL;
    if (!part->position || (points->softenings && !part->softenings))
        return ky_no_memory(error, "points of a field", count, sizeof *part->position);
    for (size_t k = 0; k < count; k++) {
        const uint32_t from = part->order[first + k];
        memcpy(part->position[k], points->position[from], sizeof *part->position);
        if (part->softenings)
            part->softenings[k] = points->softenings[from];
    }
    part->points = (struct ky_points){.count = count,
                                      .position = (const double(*)[3])part->position,
                                      .softening = points->softening,
                                      .softenings = part->softenings};
    return KY_OK;
}

/* ---- boxes ---- */

/* The range of some points, relative to the origin of the cells. */
struct range {
    double low[3], high[3];
};

static void add_point(struct range *range, const struct ky_device_state *state,
                      const double position[3])
{
    double origin[3];
    ky_tree_origin(&state->frame, state->units.length, origin);
    for (int c = 0; c < 3; c++) {
        const double x = position[c] / state->units.length - origin[c],
                     near = fmin(fmax(x, -FARTHEST), FARTHEST);
        range->low[c] = fmin(range->low[c], near);
        range->high[c] = fmax(range->high[c], near);
    }
}

static double longest_of(const struct range *range)
{
    double longest = 0;
    for (int c = 0; c < 3; c++)
        longest = fmax(longest, range->high[c] - range->low[c]);
    return longest;
}

/* As ky_part_boxes of kernels/ranks/prune.k, with a margin for the rounding of its coordinates. */
static struct ky_part_box box_of(const struct range *range, float eps2)
{
    struct ky_part_box box = {.factor = 1, .size = eps2};
    for (int c = 0; c < 3; c++) {
        const double low = range->low[c], high = range->high[c];
        box.x[c] = (float)(low / 2 + high / 2);
        box.side[c] = (float)(0.5001 * (high - low) + 1e-6 * fmax(fabs(low), fabs(high)));
    }
    return box;
}

/* Computes the boxes of this rank's points. */
static enum ky_status box_points(struct ky_part_points *part, const struct ky_device_state *state,
                                 size_t *boxes, struct ky_error *error)
{
    const double far = (double)INFINITY;
    const struct range none = {{far, far, far}, {-far, -far, -far}};
    const struct ky_points *points = &part->points;
    const double longest = LONGEST * state->frame.edge / state->units.length;
    double softest = 0;
    KY_TRY(ky_array(&part->box, points->count, sizeof *part->box, "boxes of points", error));
    for (size_t k = 0; k < points->count; k++)
        softest = fmax(softest, ky_point_softening(points, k));
    const float eps2 = ky_eps2_of_point(state, softest).part;
    *boxes = 0;
    for (size_t k = 0; k < points->count; ++*boxes) {
        struct range range = none, wider = none;
        for (size_t in = 0; in < IN_BOX && k < points->count; in++, k++) {
            add_point(&wider, state, points->position[k]);
            if (in > 0 && longest_of(&wider) > longest)
                break;
            range = wider;
        }
        part->box[*boxes] = box_of(&range, eps2);
    }
    return KY_OK;
}

/* ---- the tree ---- */

/* Builds the rank's own tree, and gets the cells of other ranks that the points may open. */
static enum ky_status stand(struct ky_part_points *part, struct ky_links *links,
                            const struct ky_parameters *parameters, size_t boxes,
                            struct ky_error *error)
{
    struct ky_device_bodies *bodies = links->bodies;
    const struct ky_active active = {part->points.count, NULL};
    const struct ky_evaluation evaluation = {.active = &active};
    const struct ky_ranks_search search = {.points = part->box, .boxes = boxes};
    enum ky_status status =
        bodies->live > 0 ? ky_links_stand_part(links, parameters, error) : KY_OK;
    if (!status)
        status =
            ky_ranks_exchange(bodies->state, &links->own, &evaluation, parameters, &search, error);
    if (!status && part->points.count > 0)
        status = ky_links_stand_parts(links, parameters, &part->points, error);
    links->own.built = 0; /* its links lead to cells of other ranks */
    return status;
}

enum ky_status ky_part_points_stand(struct ky_part_points *part, struct ky_links *links,
                                    const struct ky_parameters *parameters,
                                    const struct ky_points *points, struct ky_error *error)
{
    struct ky_device_bodies *bodies = links->bodies;
    struct ky_device_state *state = bodies->state;
    const struct ky_shared *shared = ky_device_shared(state);
    const struct ky_force_report report = state->report;
    const int measured = state->opened.measured;
    size_t boxes = 0;
    state->opened.measured = 0;
    enum ky_status status = ky_grouped_along(links, error);
    if (!status)
        status = order_points(part, &state->frame, points, error);
    if (!status)
        status = share_points(part, shared, bodies->live, points->count, error);
    if (!status)
        status = take_own(part, shared->rank, points, error);
    if (!status)
        status = box_points(part, state, &boxes, error);
    if (!status)
        status = stand(part, links, parameters, boxes, error);
    ky_links_done(links);
    state->opened.measured = measured;
    state->report = report;
    return status;
}

enum ky_status ky_part_points_join(const struct ky_part_points *part,
                                   const struct ky_shared *shared, const double *own,
                                   size_t numbers, double *all, struct ky_error *error)
{
    const size_t count = part->first[shared->ranks], row = numbers * sizeof *own;
    double *rows = ky_allocate(count, row);
    size_t *bytes = ky_allocate(shared->ranks, sizeof *bytes);
    enum ky_status status =
        rows && bytes ? KY_OK : ky_no_memory(error, "points of a field", count, row);
    for (size_t r = 0; r < shared->ranks && !status; r++)
        bytes[r] = (part->first[r + 1] - part->first[r]) * row;
    if (!status)
        status = shared->gather(shared->context, own, bytes, rows, error);
    for (size_t k = 0; k < count && all && !status; k++)
        memcpy(all + part->order[k] * numbers, rows + k * numbers, row);
    free(rows);
    free(bytes);
    return status;
}

void ky_part_points_release(struct ky_part_points *part)
{
    free(part->order);
    free(part->first);
    free(part->position);
    free(part->softenings);
    free(part->box);
}
