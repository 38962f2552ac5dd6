/* The field at many points by a method that computes forces on bodies: a point is a body without
 * mass. The engine's bodies and the points form a second set on the same card, and only the forces
 * on the points are evaluated. The engine's own bodies are read, and the engine does not change.
 *
 * The tolerance of the opening test by α is relative to |a| of the sinks, which is unknown for
 * points. So there are two passes, as for bodies at the start. The last accelerations of the bodies
 * are not used, so the field does not depend on earlier evaluations.
 *
 * The set needs the memory of forces on as many bodies, in addition to the engine's, and keeps it
 * for the next call. Few points have exact sums or walk separately, as distant points do. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "engine/common/active.h"
#include "engine/common/force_kinds.h"
#include "engine/common/relative.h"
#include "engine/common/softening.h"
#include "engine/device/forces/far.h"
#include "engine/device/forces/method.h"
#include "engine/device/state/curve.h"
#include "engine/device/state/massless.h"
#include "engine/device/state/rows.h"
#include "octree/opening_kinds.h"

/* A point at more than FARTHEST units of length walks separately: in float the sums of groups can
 * contain 1/s³ only up to 2³⁷ units (units.c). */
#define FARTHEST 0x1p36
/* The factor of α for points. With α itself their errors were 1.1 to 1.6 times the errors of
 * forces; with half of it 0.7 to 1 times, in 3 % more time (4 pairs of bodies and points, 2,000 to
 * 30,000 of each, order 4, α = 1e-4). */
#define PART 0.5
/* Minimum θ of the first pass of trees, which only has to find |a| to some tenths. Up to it no
 * boxes need be tested (octree/opening_kinds.h). */
#define THETA 1.1

/* A set is kept for the next call if its memory is at most this fraction of the card's, so that
 * larger evaluations of the engine find memory. */
#define STAYS 0.25

struct set {
    const struct ky_method *method;
    struct ky_device_state *of; /* the engine's state */
    struct ky_points points;
    struct ky_parameters parameters; /* the engine's, with the softening and the α of points */
    struct ky_device_state state;
    struct ky_links links;
    struct ky_device_far far;
    void *own;             /* the method's state; NULL: no memory is allocated */
    struct ky_buffer rows; /* points and results in transit */
};

struct ky_point_sets {
    struct set massless, exact;
    struct ky_field_seconds seconds;
    int is_measured;
    double since; /* the end of the previous phase */
};

double ky_points_softening(const struct ky_device_state *state, const struct ky_points *points)
{
    const double eps2 = ky_eps2_of_points(state, points).whole;
    return sqrt(eps2 / ky_sink_eps2(state->parameters->softening_kind, 0, 1)) * state->units.length;
}

/* Sets the parameters for points, with a softening by which two points would be softened as a point
 * and a body are. If bodies or points have their own softenings, both get their own. */
static void set_parameters(struct set *set)
{
    const struct ky_device_state *of = set->of;
    const int kind = of->parameters->softening_kind;
    const double eps2 = ky_eps2_of_points(of, &set->points).whole;
    set->parameters.alpha *= PART;
    if (!set->state.own_eps)
        set->parameters.softening = ky_points_softening(of, &set->points);
    set->state.how = ky_pairs_how(kind, set->state.own_eps) | ky_pairs_guard(eps2);
}

/* Sets up the state of a set and its memory. No time marks: the report stays the report of the last
 * forces. */
static void begin_state(struct set *set)
{
    const struct ky_device_state *of = set->of;
    struct ky_device_state *state = &set->state;
    state->parameters = &set->parameters;
    state->opened = of->opened;
    state->opened.measured = 0;
    state->threads = of->threads;
    state->n = of->n + set->points.count;
    state->frame = of->frame;
    state->units = of->units;
    state->box = of->box;
    state->far = &set->far;
    state->own_eps = of->own_eps || set->points.softenings;
    state->how = of->how;
    state->externals = of->externals;
    struct ky_device_bodies *bodies = &state->bodies;
    bodies->state = state;
    bodies->card = state->opened.card;
    bodies->n = bodies->live = state->n;
    bodies->has = 0;
    if (ky_device_copies(of)) {
        state->shared = of->shared;
        state->ranks = of->ranks;
    }
}

/* Prepares the set without its bodies, which are the engine's bodies and the points. */
static enum ky_status begin(struct set *set, const struct ky_method *method,
                            struct ky_device_state *of, struct ky_points points,
                            struct ky_error *error)
{
    set->method = method;
    set->of = of;
    set->points = points;
    set->parameters = *of->parameters;
    begin_state(set);
    set->links.bodies = set->links.host.bodies = &set->state.bodies;
    if (!set->own)
        set->own = ky_allocate_zeroed(1, method->own);
    return set->own ? KY_OK : ky_no_memory(error, "points of a field", 1, method->own);
}

static void release(struct set *set)
{
    struct ky_device_state *state = &set->state;
    if (!set->own)
        return;
    struct ky_card *card = state->bodies.card;
    (void)card->driver->wait(card, NULL);
    if (set->method->release)
        set->method->release(state, set->own);
    ky_links_release(&set->links);
    ky_device_far_release(state);
    ky_buffer_release(card, &set->rows);
    ky_device_bodies_release(&state->bodies);
    free(set->own);
    *set = (struct set){.own = NULL};
}

/* Keeps the memory for the next call, or releases it if it is large and after a failure. */
static void end(struct set *set, enum ky_status status)
{
    struct ky_memory memory = {.device = ky_device_bodies_memory(&set->parameters, set->state.n)};
    set->method->memory(&set->parameters, set->state.n, &memory);
    if (status || memory.device > STAYS * set->of->opened.card->memory)
        release(set);
}

static enum ky_status sets_need(struct ky_device_state *state, struct ky_error *error)
{
    if (!state->points)
        state->points = ky_allocate_zeroed(1, sizeof *state->points);
    return state->points ? KY_OK
                         : ky_no_memory(error, "points of a field", 1, sizeof *state->points);
}

void ky_points_release(struct ky_device_state *state)
{
    if (!state->points)
        return;
    release(&state->points->massless);
    release(&state->points->exact);
    free(state->points);
    state->points = NULL;
}

/* ---- seconds ---- */

enum ky_status ky_points_seconds(struct ky_device_state *state, struct ky_field_seconds *seconds,
                                 struct ky_error *error)
{
    KY_TRY(sets_need(state, error));
    *seconds = state->points->seconds;
    state->points->is_measured = 1;
    return KY_OK;
}

/* Ends a phase if `status` is KY_OK: waits for the card, so that the time is right. */
static enum ky_status end_phase(const struct set *set, size_t phase, enum ky_status status,
                                struct ky_error *error)
{
    struct ky_point_sets *sets = set->of->points;
    struct ky_card *card = set->state.bodies.card;
    if (status || !sets->is_measured)
        return status;
    status = card->driver->wait(card, error);
    const double now = ky_clock();
    sets->seconds.of[phase] += now - sets->since;
    sets->since = now;
    return status;
}

/* ---- the bodies of the set ---- */

/* Copies columns of `rows` numbers to the columns of an array of the set, from body `first` on. */
static enum ky_status lay(const struct set *set, const struct ky_buffer *from, size_t rows,
                          const struct ky_device_array *to, size_t first, struct ky_error *error)
{
    struct ky_card *card = set->state.opened.card;
    const size_t n = set->state.n, bytes = to->number;
    for (size_t c = 0; c < to->columns; c++)
        KY_TRY(card->driver->copy(card, KY_ADDRESS(from, c * rows * bytes),
                                  KY_ADDRESS(to->buffer, (c * n + first) * bytes), rows * bytes,
                                  error));
    return KY_OK;
}

/* Allocates the arrays of the set; all except positions and softenings are 0. */
static enum ky_status need_arrays(struct set *set, struct ky_error *error)
{
    static const int zeros[] = {KY_ARRAY_MASS, KY_ARRAY_ACCELERATION, KY_ARRAY_POTENTIAL};
    struct ky_device_bodies *bodies = &set->state.bodies;
    struct ky_device_array array[KY_ARRAYS];
    enum ky_status status = ky_device_bodies_need(bodies, KY_ARRAY_POSITION, error);
    if (!status && set->state.own_eps)
        status = ky_device_bodies_need(bodies, KY_ARRAY_SOFTENING, error);
    ky_device_arrays(bodies, array);
    for (size_t k = 0; k < sizeof zeros / sizeof *zeros && !status; k++) {
        status = ky_device_bodies_need(bodies, zeros[k], error);
        if (!status)
            status = bodies->card->driver->zero(bodies->card, array[zeros[k]].buffer, error);
    }
    return status;
}

/* Copies the engine's bodies in their order. Along a curve they keep the caller's numbers, and the
 * points get the next numbers. */
static enum ky_status lay_bodies(struct set *set, struct ky_error *error)
{
    static const int copied[] = {KY_ARRAY_POSITION, KY_ARRAY_MASS, KY_ARRAY_SOFTENING};
    struct ky_device_bodies *its = &set->of->bodies, *own = &set->state.bodies;
    struct ky_device_array from[KY_ARRAYS], to[KY_ARRAYS];
    const uint32_t n = (uint32_t)its->n, count = (uint32_t)set->points.count;
    enum ky_status status = KY_OK;
    ky_device_arrays(its, from);
    ky_device_arrays(own, to);
    for (size_t k = 0; k < sizeof copied / sizeof *copied && !status; k++)
        if (own->has & its->has & 1U << copied[k])
            status = lay(set, from[copied[k]].buffer, n, &to[copied[k]], 0, error);
    own->curve.is_followed = its->curve.is_followed;
    own->curve.changes++;
    own->moves++;
    if (status || !own->curve.is_followed)
        return status;
    status = ky_buffer_need(own->card, &own->curve.index, "numbers of the bodies", own->n,
                            sizeof(uint32_t), error);
    const struct ky_device_array index = ky_device_index(own);
    if (!status)
        status = lay(set, &its->curve.index, n, &index, 0, error);
    return !status
               ? ky_launch_over(
                     own->card, KY_KERNEL_ky_order_itself, count,
                     KY_ARGUMENTS(KY_BUFFER(own->curve.index), KY_VALUE(n), KY_VALUE(count)), error)
               : status;
}

/* Sends rows of numbers to an array of the set, from body `first` on. */
static enum ky_status lay_rows(struct set *set, int which, const double *numbers, size_t first,
                               size_t count, struct ky_error *error)
{
    struct ky_device_bodies *bodies = &set->state.bodies;
    struct ky_device_array array[KY_ARRAYS];
    ky_device_arrays(bodies, array);
    const struct ky_rows rows = {count, array[which].columns, 1 / set->of->units.length,
                                 ky_device_box_of(bodies, array[which].buffer)};
    const struct ky_columns to = {array[which].buffer, bodies->n, first, NULL};
    return ky_rows_to(set->of, &set->rows, rows, numbers, &to, error);
}

/* Sends the softenings of the points and, if the bodies share one, of the bodies. */
static enum ky_status lay_softenings(struct set *set, struct ky_error *error)
{
    const struct ky_device_state *of = set->of;
    const size_t count = set->points.count, first = of->own_eps ? of->n : 0,
                 rows = of->n + count - first;
    double *softening;
    KY_TRY(ky_array(&softening, rows, sizeof *softening, "softenings of points", error));
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
    enum ky_status status = end_phase(set, KY_FIELD_memory, need_arrays(set, error), error);
    if (!status)
        status = lay_bodies(set, error);
    if (!status)
        status = lay_rows(set, KY_ARRAY_POSITION, set->points.position[0], set->of->n,
                          set->points.count, error);
    if (!status && set->state.own_eps)
        status = lay_softenings(set, error);
    return end_phase(set, KY_FIELD_upload, status, error);
}

/* ---- forces ---- */

/* The parameters of the first pass. */
static struct ky_parameters first_of(const struct ky_parameters *parameters)
{
    struct ky_parameters first = ky_without_relative(parameters);
    first.theta = fmax(first.theta, THETA);
    return first;
}

/* Evaluates twice through one tree if the opening test is by α. */
static enum ky_status evaluate(struct set *set, struct ky_error *error)
{
    const struct ky_method *method = set->method;
    const struct ky_active active = {set->points.count, NULL};
    const struct ky_parameters first = first_of(&set->parameters);
    struct ky_evaluation evaluation = {
        .active = &active, .first_point = set->of->n, .together = active.count};
    enum ky_status status = KY_OK;
    if (ky_opening_kind(set->parameters.opening)->by_alpha) {
        evaluation.stays = 1;
        status = method->evaluate(&set->state, &set->links, set->own, &evaluation, &first, error);
        status = end_phase(set, KY_FIELD_first, status, error);
        evaluation.stays = 0;
        evaluation.again = 1;
    }
    if (!status)
        status = method->evaluate(&set->state, &set->links, set->own, &evaluation, &set->parameters,
                                  error);
    return end_phase(set, KY_FIELD_last, status, error);
}

enum ky_status ky_points_of_part(const struct ky_point_sources *of,
                                 const struct ky_evaluation *evaluation, struct ky_error *error)
{
    const struct ky_method *method = of->method;
    struct ky_evaluation pass = *evaluation;
    struct ky_parameters last = *of->state->parameters;
    last.alpha *= PART;
    const struct ky_parameters first = first_of(&last);
    of->state->opened.measured = 0;
    if (ky_opening_kind(last.opening)->by_alpha) {
        pass.stays = 1;
        KY_TRY(method->evaluate(of->state, of->links, of->own, &pass, &first, error));
        pass.stays = 0;
        pass.again = 1;
    }
    return method->evaluate(of->state, of->links, of->own, &pass, &last, error);
}

/* Copies the results of the points, which lie along the curve, from the card. */
static enum ky_status get(struct set *set, double (*acceleration)[3], double *potential,
                          struct ky_error *error)
{
    struct ky_device_bodies *bodies = &set->state.bodies;
    struct ky_buffer *place = &bodies->curve.place[0];
    const struct ky_engine_scale scale = ky_device_scale(&set->state);
    const size_t count = set->points.count;
    const struct ky_rows vectors = {count, 3, 1 / scale.acceleration, 0},
                         numbers = {count, 1, 1 / scale.potential, 0};
    const struct ky_columns at = {&bodies->acceleration, bodies->n, set->of->n, place},
                            where = {&bodies->potential, bodies->n, set->of->n, place};
    const uint32_t n = (uint32_t)bodies->n;
    enum ky_status status = ky_launch_over(
        bodies->card, KY_KERNEL_ky_order_inverse, n,
        KY_ARGUMENTS(KY_BUFFER(bodies->curve.index), KY_BUFFER(*place), KY_VALUE(n)), error);
    if (!status)
        status = ky_rows_from(set->of, &set->rows, vectors, &at, (double *)acceleration, error);
    if (!status)
        status = ky_rows_from(set->of, &set->rows, numbers, &where, potential, error);
    return end_phase(set, KY_FIELD_download, status, error);
}

/* The field at some points. */
static enum ky_status field_of(const struct ky_point_sources *sources, struct ky_points points,
                               double (*acceleration)[3], double *potential, struct ky_error *error)
{
    struct set *set = &sources->state->points->massless;
    enum ky_status status = begin(set, sources->method, sources->state, points, error);
    if (!status) {
        set_parameters(set);
        status = fill(set, error);
    }
    if (!status)
        status = evaluate(set, error);
    if (!status)
        status = get(set, acceleration, potential, error);
    end(set, status);
    return status;
}

/* Exact sums over a set without points. Their bits depend on the order of the bodies, so it is
 * always the caller's order. */
static enum ky_status exact_field(struct ky_device_state *state, const struct ky_points *points,
                                  double (*acceleration)[3], double *potential,
                                  struct ky_error *error)
{
    const struct ky_points none = {.count = 0};
    struct set *set = &state->points->exact;
    enum ky_status status = begin(set, &ky_direct_method, state, none, error);
    if (!status)
        status = ky_device_massless_need(state, error);
    set->state.massless = state->massless;
    if (!status)
        status = need_arrays(set, error);
    if (!status)
        status = lay_bodies(set, error);
    if (!status)
        status = ky_device_curve_leave(&set->state.bodies, error);
    if (!status)
        status = set->method->field(&set->state, &set->links, set->own, points, acceleration,
                                    potential, error);
    end(set, status);
    return status;
}

static enum ky_status massless_field(const struct ky_point_sources *sources,
                                     const struct ky_points *points, double (*acceleration)[3],
                                     double *potential, struct ky_error *error)
{
    const size_t batch = ky_points_batch(points->count, sources->state->n);
    for (size_t first = 0; first < points->count; first += batch) {
        const size_t rest = points->count - first;
        KY_TRY(field_of(sources, ky_points_some(points, first, rest < batch ? rest : batch),
                        acceleration ? acceleration + first : NULL,
                        potential ? potential + first : NULL, error));
    }
    return KY_OK;
}

/* ---- points that are near, and others ---- */

/* In a periodic box points are moved into it. */
int ky_points_are_near(const struct ky_device_state *state, const double position[3])
{
    for (int c = 0; c < 3 && !(state->box > 0); c++)
        if (!(fabs(position[c]) <= FARTHEST * state->units.length))
            return 0;
    return 1;
}

static size_t count_near(const struct ky_device_state *state, const struct ky_points *points)
{
    enum { MANY = 1 << 14 };
    size_t near = 0;
#pragma omp parallel for num_threads(state->threads) reduction(+ : near) if (points->count > MANY)
    for (size_t k = 0; k < points->count; k++)
        near += (size_t)ky_points_are_near(state, points->position[k]);
    return near;
}

/* A call's points, nearby ones first, and their results. */
struct divided {
    size_t near;
    size_t *number; /* index of each in the call */
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
        const size_t to = next[ky_points_are_near(state, points->position[k])]++;
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

static int are_many(size_t points, size_t bodies)
{
    return points >= KY_MANY_POINTS && bodies >= KY_MANY_POINTS;
}

static enum ky_status near_field(const struct ky_point_sources *sources,
                                 const struct ky_points *points, double (*acceleration)[3],
                                 double *potential, struct ky_error *error)
{
    if (points->count == 0)
        return KY_OK;
    if (are_many(points->count, sources->state->n))
        return massless_field(sources, points, acceleration, potential, error);
    return sources->walks && !(sources->state->box > 0)
               ? ky_walk_field(sources->state, sources->links, sources->own, points, acceleration,
                               potential, error)
               : exact_field(sources->state, points, acceleration, potential, error);
}

static enum ky_status field_of_divided(const struct ky_point_sources *sources,
                                       struct divided *divided, const struct ky_points *points,
                                       struct ky_error *error)
{
    KY_TRY(divide(divided, sources->state, points, error));
    const size_t near = divided->near;
    const struct ky_points all = {.count = points->count,
                                  .position = (const double(*)[3])divided->position,
                                  .softening = points->softening,
                                  .softenings = points->softenings ? divided->softening : NULL},
                           nearby = ky_points_some(&all, 0, near),
                           far = ky_points_some(&all, near, all.count - near);
    KY_TRY(near_field(sources, &nearby, divided->acceleration, divided->potential, error));
    return ky_walk_field(sources->state, sources->links, sources->own, &far,
                         divided->acceleration + near, divided->potential + near, error);
}

enum ky_part_way ky_points_way(const struct ky_device_state *state, const struct ky_points *points)
{
    const int few_walk = !ky_force_kind(state->parameters->force)->expands && !(state->box > 0);
    if (!are_many(count_near(state, points), ky_device_shared(state)->system))
        return few_walk ? KY_POINTS_WALK : KY_POINTS_NEED_ALL;
    /* bodies that ranks divide have no softenings of their own */
    return points->softenings ? KY_POINTS_NEED_ALL : KY_POINTS_IN_SET;
}

enum ky_status ky_points_field(const struct ky_point_sources *sources,
                               const struct ky_points *points, double (*acceleration)[3],
                               double *potential, struct ky_error *error)
{
    struct ky_device_state *state = sources->state;
    if (ky_device_shared(state))
        return ky_walk_field(state, sources->links, sources->own, points, acceleration, potential,
                             error);
    KY_TRY(sets_need(state, error));
    state->points->seconds = (struct ky_field_seconds){{0}};
    struct divided divided = {.near = count_near(state, points)};
    state->points->since = ky_clock();
    if (divided.near == points->count)
        return near_field(sources, points, acceleration, potential, error);
    enum ky_status status = field_of_divided(sources, &divided, points, error);
    if (!status)
        gather(&divided, points->count, acceleration, potential);
    free(divided.number);
    free(divided.position);
    free(divided.acceleration);
    free(divided.potential);
    free(divided.softening);
    return status;
}
