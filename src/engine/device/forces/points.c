/* The field at many points by a method that computes the forces of bodies: a point is a body
 * without mass. The engine's bodies and the points make a second set on the same cards, and the
 * forces of the points alone are evaluated. The engine's own bodies are read, and nothing of the
 * engine changes.
 *
 * The tolerance of the opening test by α is relative to |a| of the sinks, which is not known for
 * points. So there are two passes, as for bodies at the start. The last accelerations of the bodies
 * do not count: the field does not depend on what was evaluated before.
 *
 * The set takes the memory of forces of so many bodies, beside that of the engine, until the end of
 * the call. Few points have exact sums, or walk by themselves as those far away do. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "engine/common/active.h"
#include "engine/common/relative.h"
#include "engine/common/softening.h"
#include "engine/device/forces/method.h"
#include "engine/device/state/curve.h"
#include "engine/device/state/massless.h"
#include "engine/device/state/rows.h"
#include "octree/opening_kinds.h"

/* Fewer points, or points among fewer bodies, are not worth it: two trees of all bodies, and memory
 * for them, take longer. */
enum { LEAST = 1024 };
/* Points for each body at a time. The cube of the keys comes from a sample of all, of which the
 * outermost 64th at either end does not count. With so few points it reaches the bodies, also if
 * all points are in a small part of the system. With more of them the bodies would lie outside, in
 * a few leaves, and all of them would act on each point one by one. */
enum { POINTS_OF_BODY = 16 };
/* A point at more than FARTHEST units of length walks by itself: the sums of groups in float have
 * 1/s³ of 2³⁷ units at most (units.c). */
#define FARTHEST 0x1p36
/* The part of α for points. With α their errors were 1.1 to 1.6 times those of forces, with half of
 * it 0.7 to 1 times, in 3 % more time (4 pairs of bodies and points, 2,000 to 30,000 of each, order
 * 4, α = 1e-4). */
#define PART 0.5

struct set {
    const struct ky_method *method;
    const struct ky_device_state *of; /* the engine's */
    struct ky_points points;
    struct ky_parameters parameters; /* the engine's, with the softening and the α of points */
    struct ky_device_state state;
    struct ky_links links;
    void *own;        /* the method's state */
    uint32_t *number; /* of each point in the set: those of the bodies come first */
};

/* The parameters for points, with a softening by which two of them would be softened as a point and
 * a body are. Where bodies or points have softenings of their own, both do. */
static void set_parameters(struct set *set)
{
    const struct ky_device_state *of = set->of;
    const int kind = of->parameters->softening_kind;
    const double eps2 = ky_eps2_of_points(of, &set->points).whole;
    set->parameters.alpha *= PART;
    if (!set->state.own_eps)
        set->parameters.softening = sqrt(eps2 / ky_sink_eps2(kind, 0, 1)) * of->units.length;
    set->state.how = ky_pairs_how(kind, set->state.own_eps) | ky_pairs_guard(eps2);
}

/* The set without its bodies. Times are not measured: the report is that of the last forces. */
static enum ky_status begin(struct set *set, struct ky_error *error)
{
    const struct ky_device_state *of = set->of;
    const size_t count = set->points.count;
    struct ky_device_state *state = &set->state;
    set->parameters = *of->parameters;
    *state = (struct ky_device_state){.parameters = &set->parameters,
                                      .cards = of->cards,
                                      .threads = of->threads,
                                      .n = of->n + count,
                                      .frame = of->frame,
                                      .units = of->units,
                                      .unroll = of->unroll,
                                      .own_eps = of->own_eps || set->points.softenings,
                                      .how = of->how,
                                      .externals = of->externals};
    state->cards.measured = 0;
    for (size_t k = 0; k < state->cards.count; k++)
        state->part[k] = (struct ky_device_bodies){
            .state = state, .card = state->cards.card[k], .number = k, .n = state->n};
    set->links = (struct ky_links){.bodies = &state->part[0]};
    set->links.host.bodies = &state->part[0];
    set->own = ky_allocate_zeroed(1, set->method->own);
    set->number = ky_allocate(count, sizeof *set->number);
    if (!set->own || !set->number)
        return ky_no_memory(error, "points of a field", count, sizeof *set->number);
    for (size_t k = 0; k < count; k++)
        set->number[k] = (uint32_t)(of->n + k);
    return KY_OK;
}

static void end(struct set *set)
{
    struct ky_device_state *state = &set->state;
    (void)ky_wait_for_all(&state->cards, NULL);
    if (set->own && set->method->release)
        set->method->release(state, set->own);
    ky_links_release(&set->links);
    for (size_t k = 0; k < state->cards.count; k++)
        ky_device_bodies_release(&state->part[k]);
    free(set->own);
    free(set->number);
}

/* ---- the bodies of the set ---- */

/* Copies columns of `rows` numbers to those of an array of the set, from its body `first` on. */
static enum ky_status lay(const struct set *set, const struct ky_buffer *from, size_t rows,
                          const struct ky_device_array *to, size_t first, struct ky_error *error)
{
    struct ky_card *card = set->state.cards.card[0];
    const size_t n = set->state.n, bytes = to->number;
    enum ky_status status = KY_OK;
    for (size_t c = 0; c < to->columns && status == KY_OK; c++)
        status =
            card->driver->copy(card, KY_PLACE(from, c * rows * bytes), card,
                               KY_PLACE(to->buffer, (c * n + first) * bytes), rows * bytes, error);
    return status;
}

/* Arrays of the set; those that are not positions or softenings are 0. */
static enum ky_status need_arrays(struct set *set, struct ky_error *error)
{
    static const int zeros[] = {KY_ARRAY_MASS, KY_ARRAY_ACCELERATION, KY_ARRAY_POTENTIAL};
    struct ky_device_bodies *bodies = &set->state.part[0];
    struct ky_device_array array[KY_ARRAYS];
    enum ky_status status = ky_device_bodies_need(bodies, KY_ARRAY_POSITION, error);
    if (status == KY_OK && set->state.own_eps)
        status = ky_device_bodies_need(bodies, KY_ARRAY_SOFTENING, error);
    ky_device_arrays(bodies, array);
    for (size_t k = 0; k < sizeof zeros / sizeof *zeros && status == KY_OK; k++) {
        status = ky_device_bodies_need(bodies, zeros[k], error);
        if (status == KY_OK)
            status = bodies->card->driver->zero(bodies->card, array[zeros[k]].buffer, error);
    }
    return status;
}

/* Copies the engine's bodies as they lie. If that is along a curve they have the caller's numbers,
 * and the points those behind. */
static enum ky_status lay_bodies(struct set *set, struct ky_error *error)
{
    static const int copied[] = {KY_ARRAY_POSITION, KY_ARRAY_MASS, KY_ARRAY_SOFTENING};
    struct ky_device_bodies its = set->of->part[0], *own = &set->state.part[0];
    struct ky_device_array from[KY_ARRAYS], to[KY_ARRAYS];
    const size_t n = its.n, word = sizeof *set->number;
    enum ky_status status = KY_OK;
    ky_device_arrays(&its, from);
    ky_device_arrays(own, to);
    for (size_t k = 0; k < sizeof copied / sizeof *copied && status == KY_OK; k++)
        if (own->has & its.has & 1U << copied[k])
            status = lay(set, from[copied[k]].buffer, n, &to[copied[k]], 0, error);
    own->curve.is_followed = its.curve.is_followed;
    own->place = 1;
    if (status != KY_OK || !own->curve.is_followed)
        return status;
    status =
        ky_buffer_need(own->card, &own->curve.index, "numbers of the bodies", own->n, word, error);
    const struct ky_device_array index = ky_device_index(own);
    if (status == KY_OK)
        status = lay(set, &its.curve.index, n, &index, 0, error);
    return status == KY_OK ? own->card->driver->write(own->card, &own->curve.index, n * word,
                                                      set->number, set->points.count * word, error)
                           : status;
}

/* Sends rows of numbers to an array of the set, from its body `first` on. */
static enum ky_status lay_rows(struct set *set, int which, const double *numbers, size_t first,
                               size_t count, struct ky_error *error)
{
    struct ky_device_bodies *bodies = &set->state.part[0];
    struct ky_device_array array[KY_ARRAYS];
    struct ky_buffer sent = {0};
    ky_device_arrays(bodies, array);
    const struct ky_rows rows = {count, array[which].columns, 1 / set->of->units.length,
                                 array[which].number};
    enum ky_status status = ky_rows_send(bodies->card, &sent, "points", rows, numbers, error);
    if (status == KY_OK)
        status = lay(set, &sent, rows.count, &array[which], first, error);
    ky_buffer_release(bodies->card, &sent);
    return status;
}

/* Sends softenings: of the points and, where they share one, of the bodies. */
static enum ky_status lay_softenings(struct set *set, struct ky_error *error)
{
    const struct ky_device_state *of = set->of;
    const size_t count = set->points.count, first = of->own_eps ? of->n : 0,
                 rows = of->n + count - first;
    double *softening = ky_allocate(rows, sizeof *softening);
    if (!softening)
        return ky_no_memory(error, "softenings of points", rows, sizeof *softening);
    for (size_t i = first; i < of->n; i++)
        softening[i] = of->parameters->softening;
    for (size_t k = 0; k < count; k++)
        softening[of->n - first + k] = ky_point_softening(&set->points, k);
    const enum ky_status status = lay_rows(set, KY_ARRAY_SOFTENING, softening, first, rows, error);
    free(softening);
    return status;
}

static enum ky_status fill(struct set *set, struct ky_error *error)
{
    enum ky_status status = need_arrays(set, error);
    if (status == KY_OK)
        status = lay_bodies(set, error);
    if (status == KY_OK)
        status = lay_rows(set, KY_ARRAY_POSITION, set->points.position[0], set->of->n,
                          set->points.count, error);
    if (status == KY_OK && set->state.own_eps)
        status = lay_softenings(set, error);
    return status;
}

/* ---- forces ---- */

static enum ky_status evaluate(struct set *set, struct ky_error *error)
{
    const struct ky_method *method = set->method;
    const struct ky_active active = {set->points.count, set->number};
    const struct ky_parameters first = ky_without_relative(&set->parameters);
    struct ky_evaluation evaluation = {.active = &active, .of_points = 1};
    enum ky_status status = KY_OK;
    if (ky_opening_kind(set->parameters.opening)->by_alpha)
        status = method->evaluate(&set->state, &set->links, set->own, &evaluation, &first, error);
    return status == KY_OK ? method->evaluate(&set->state, &set->links, set->own, &evaluation,
                                              &set->parameters, error)
                           : status;
}

static enum ky_status get(struct set *set, double (*acceleration)[3], double *potential,
                          struct ky_error *error)
{
    struct ky_bodies found = {
        .n = set->points.count, .acceleration = acceleration, .potential = potential};
    enum ky_status status = ky_device_curve_leave(&set->state.part[0], error);
    return status == KY_OK ? ky_device_bodies_get_some(&set->state, set->number, &found, error)
                           : status;
}

/* The field at some points. */
static enum ky_status field_of(struct set *set, double (*acceleration)[3], double *potential,
                               struct ky_error *error)
{
    enum ky_status status = begin(set, error);
    if (status == KY_OK) {
        set_parameters(set);
        status = fill(set, error);
    }
    if (status == KY_OK)
        status = evaluate(set, error);
    if (status == KY_OK)
        status = get(set, acceleration, potential, error);
    end(set);
    return status;
}

/* Exact sums over a set that has no points in it. Their bits depend on the order of the bodies: it
 * is the caller's, whatever was evaluated before. */
static enum ky_status exact_field(struct ky_device_state *state, const struct ky_points *points,
                                  double (*acceleration)[3], double *potential,
                                  struct ky_error *error)
{
    struct set set = {.method = &ky_direct_method, .of = state};
    enum ky_status status = ky_device_division_need(state, error);
    if (status == KY_OK)
        status = begin(&set, error);
    set.state.division = state->division;
    if (status == KY_OK)
        status = need_arrays(&set, error);
    if (status == KY_OK)
        status = lay_bodies(&set, error);
    if (status == KY_OK)
        status = ky_device_curve_leave(&set.state.part[0], error);
    if (status == KY_OK)
        status = set.method->field(&set.state, &set.links, set.own, points, acceleration, potential,
                                   error);
    end(&set);
    return status;
}

/* The points from `first` on, `count` of them. */
static struct ky_points some_of(const struct ky_points *points, size_t first, size_t count)
{
    return (struct ky_points){.count = count,
                              .position = points->position + first,
                              .softening = points->softening,
                              .softenings = points->softenings ? points->softenings + first : NULL};
}

static enum ky_status massless_field(const struct ky_point_sources *sources,
                                     const struct ky_points *points, double (*acceleration)[3],
                                     double *potential, struct ky_error *error)
{
    const size_t most = POINTS_OF_BODY * sources->state->n,
                 batches = ky_groups(points->count, most),
                 batch = ky_groups(points->count, batches);
    struct set set = {.method = sources->method, .of = sources->state};
    enum ky_status status = KY_OK;
    for (size_t first = 0; first < points->count && status == KY_OK; first += batch) {
        const size_t rest = points->count - first;
        set.points = some_of(points, first, rest < batch ? rest : batch);
        status = field_of(&set, acceleration ? acceleration + first : NULL,
                          potential ? potential + first : NULL, error);
    }
    return status;
}

/* ---- points that are near, and others ---- */

static int is_near(const struct ky_device_state *state, const double position[3])
{
    for (int c = 0; c < 3; c++)
        if (!(fabs(position[c]) <= FARTHEST * state->units.length))
            return 0;
    return 1;
}

static size_t count_near(const struct ky_device_state *state, const struct ky_points *points)
{
    size_t near = 0;
    for (size_t k = 0; k < points->count; k++)
        near += (size_t)is_near(state, points->position[k]);
    return near;
}

/* A call's points with those near by in front, and what was found there. */
struct divided {
    size_t near;
    size_t *number; /* of each in the call */
    double (*position)[3], (*acceleration)[3], *potential;
    double *softening; /* of each point */
};

static enum ky_status divide(struct divided *divided, const struct ky_device_state *state,
                             const struct ky_points *points, struct ky_error *error)
{
    const size_t count = points->count;
    size_t next[2] = {divided->near, 0}; /* [near] */
    divided->number = ky_allocate(count, sizeof *divided->number);
    divided->position = ky_allocate(count, sizeof *divided->position);
    divided->acceleration = ky_allocate(count, sizeof *divided->acceleration);
    divided->potential = ky_allocate(count, sizeof *divided->potential);
    divided->softening = ky_allocate(count, sizeof *divided->softening);
    if (!divided->number || !divided->position || !divided->acceleration || !divided->potential ||
        !divided->softening)
        return ky_no_memory(error, "points of a field", count, sizeof *divided->position);
    for (size_t k = 0; k < count; k++) {
        const size_t to = next[is_near(state, points->position[k])]++;
        divided->number[to] = k;
        divided->softening[to] = ky_point_softening(points, k);
        memcpy(divided->position[to], points->position[k], sizeof *divided->position);
    }
    return KY_OK;
}

static void gather(const struct divided *divided, size_t count, double (*acceleration)[3],
                   double *potential)
{
    for (size_t from = 0; from < count; from++) {
        const size_t k = divided->number[from];
        if (acceleration)
            memcpy(acceleration[k], divided->acceleration[from], sizeof *acceleration);
        if (potential)
            potential[k] = divided->potential[from];
    }
}

static enum ky_status near_field(const struct ky_point_sources *sources,
                                 const struct ky_points *points, double (*acceleration)[3],
                                 double *potential, struct ky_error *error)
{
    if (points->count == 0)
        return KY_OK;
    if (points->count >= LEAST && sources->state->n >= LEAST)
        return massless_field(sources, points, acceleration, potential, error);
    return sources->walks ? ky_walk_field(sources->state, sources->links, sources->own, points,
                                          acceleration, potential, error)
                          : exact_field(sources->state, points, acceleration, potential, error);
}

static enum ky_status field_of_divided(const struct ky_point_sources *sources,
                                       struct divided *divided, const struct ky_points *points,
                                       struct ky_error *error)
{
    enum ky_status status = divide(divided, sources->state, points, error);
    if (status != KY_OK)
        return status;
    const size_t near = divided->near;
    const struct ky_points all = {.count = points->count,
                                  .position = (const double(*)[3])divided->position,
                                  .softening = points->softening,
                                  .softenings = points->softenings ? divided->softening : NULL},
                           nearby = some_of(&all, 0, near),
                           far = some_of(&all, near, all.count - near);
    status = near_field(sources, &nearby, divided->acceleration, divided->potential, error);
    return status ? status
                  : ky_walk_field(sources->state, sources->links, sources->own, &far,
                                  divided->acceleration + near, divided->potential + near, error);
}

enum ky_status ky_points_field(const struct ky_point_sources *sources,
                               const struct ky_points *points, double (*acceleration)[3],
                               double *potential, struct ky_error *error)
{
    struct divided divided = {.near = count_near(sources->state, points)};
    if (divided.near == points->count)
        return near_field(sources, points, acceleration, potential, error);
    const enum ky_status status = field_of_divided(sources, &divided, points, error);
    if (status == KY_OK)
        gather(&divided, points->count, acceleration, potential);
    free(divided.number);
    free(divided.position);
    free(divided.acceleration);
    free(divided.potential);
    free(divided.softening);
    return status;
}
