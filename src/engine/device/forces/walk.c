/* The walk of each body separately (N09, N12): one lane per body, through the tree of the card or
 * of the host. */
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "engine/device/forces/method.h"
#include "engine/device/forces/part_points.h"
#include "engine/device/ranks/copies.h"
#include "engine/device/state/results.h"
#include "engine/device/tree/active.h"
#include "octree/opening_kinds.h"

struct walk {
    struct ky_buffer factor; /* for an opening test by α with a tree of the host */
};

static void release(const struct ky_device_state *state, void *own)
{
    struct walk *walk = own;
    ky_buffer_release(state->bodies.card, &walk->factor);
}

static enum ky_status send_factors(const struct ky_host_tree *host, struct walk *walk,
                                   struct ky_error *error)
{
    size_t n = host->bodies->n;
    struct ky_relative relative;
    double *columns;
    float *factor;
    KY_TRY(ky_array(&factor, n, sizeof *factor, "factors of the opening test", error));
    enum ky_status status = ky_device_last_accelerations(host, &relative, &columns, error);
    if (!status) {
#pragma omp parallel for num_threads(host->bodies->state->threads) if (n > 65536)
        for (size_t k = 0; k < n; k++)
            factor[k] = (float)ky_relative_factor(&relative, &host->tree.order[k], 1);
        status = ky_buffer_fill(host->bodies->card, &walk->factor, "factors of the opening test",
                                factor, n, sizeof *factor, error);
    }
    free(columns);
    free(factor);
    return status;
}

/* The kernel, by whether it has to test flags. */
static enum ky_kernel_id kernel_of(const struct ky_parameters *parameters, uint32_t flags)
{
    const uint32_t general = KY_FLAG_SOURCE_EPS | KY_OPENING_BOXES | KY_OPENING_CUBE;
    return ky_variant(KY_WALK,
                      flags & KY_OPENING_REACH ? KY_KIND_spline
                      : flags & general        ? KY_KIND_general
                                               : KY_KIND_plain,
                      parameters);
}

/* The sinks of a launch, and the destination of their results; see KY_WALK_KERNEL. */
struct sinks {
    size_t first, count, stride;
    uint32_t flags;
    struct ky_eps2_argument eps2;
    const struct ky_buffer *list, *acceleration, *potential;
    struct ky_pair_counts *counts;
};

static enum ky_status launch(const struct ky_links *links, const struct ky_buffer *factor,
                             const struct ky_parameters *parameters, const struct sinks *sinks,
                             struct ky_error *error)
{
    const struct ky_device_bodies *bodies = links->bodies;
    const struct ky_cells cells = ky_links_cells(links);
    struct ky_card *card = bodies->card;
    uint32_t stride = (uint32_t)sinks->stride, first = (uint32_t)sinks->first,
             count = (uint32_t)sinks->count, root = cells.root;
    union ky_state_value strength = ky_device_strength(bodies);
    enum ky_status status = ky_pair_counts_need(sinks->counts, bodies, sinks->count, error);
    const struct ky_arguments arguments = KY_ARGUMENTS(
        KY_CELLS(*cells.column) KY_BUFFER(links->source), KY_BUFFER(links->low),
        KY_BUFFER(links->eps2), KY_BUFFER(*factor), KY_BUFFER(*sinks->list),
        KY_BUFFER(*cells.order), KY_BUFFER(*sinks->acceleration), KY_BUFFER(*sinks->potential),
        KY_BUFFER(sinks->counts->counts), KY_VALUE(stride), KY_VALUE(first), KY_VALUE(count),
        KY_VALUE(sinks->flags), KY_EPS2(sinks->eps2, parameters->precision), KY_VALUE(strength),
        KY_VALUE(root));
    if (!status)
        status = ky_launch_over(card, kernel_of(parameters, sinks->flags), count, arguments, error);
    if (status)
        sinks->counts->of.groups = 0;
    return status;
}

/* ---- bodies ---- */

/* Computes the factors of an opening test by α in *factor; with another test they are never
 * read. */
static enum ky_status make_factors(struct ky_links *links, struct walk *walk,
                                   const struct ky_evaluation *evaluation,
                                   const struct ky_parameters *parameters,
                                   const struct ky_buffer **factor, struct ky_error *error)
{
    const int of_host = ky_links_of_host(parameters);
    *factor = ky_links_cells(links).order;
    if (!ky_opening_kind(parameters->opening)->by_alpha)
        return KY_OK;
    *factor = of_host ? &walk->factor : &links->own.factor;
    return of_host
               ? send_factors(&links->host, walk, error)
               : ky_device_tree_factors(&links->own, links->bodies, evaluation, parameters, error);
}

static enum ky_status walk_bodies(struct ky_links *links, const struct ky_buffer *factor,
                                  const struct ky_active *active,
                                  const struct ky_parameters *parameters, struct ky_error *error)
{
    const struct ky_device_bodies *bodies = links->bodies;
    const int is_listed = active || parameters->curve == KY_CURVE_NONE;
    const struct sinks sinks = {.count = active ? active->count : bodies->n,
                                .stride = bodies->n,
                                .flags = ky_links_flags(links, parameters) |
                                         (is_listed ? KY_FLAG_LISTED : 0U) |
                                         (bodies->curve.is_followed ? KY_FLAG_ALONG : 0U),
                                .eps2 = ky_eps2_argument(bodies->state),
                                .list = is_listed ? &links->lanes : ky_links_cells(links).order,
                                .acceleration = &bodies->acceleration,
                                .potential = &bodies->potential,
                                .counts = &links->counts};
    return launch(links, factor, parameters, &sinks, error);
}

static enum ky_status evaluate(struct ky_device_state *state, struct ky_links *links, void *own,
                               struct ky_evaluation *evaluation,
                               const struct ky_parameters *parameters, struct ky_error *error)
{
    const struct ky_buffer *factor = NULL;
    enum ky_status status = ky_links_build(links, parameters, error);
    if (!status)
        status = make_factors(links, own, evaluation, parameters, &factor, error);
    if (!status)
        status = ky_links_lanes(links, evaluation, parameters, error);
    if (!status)
        status = ky_mark(&state->opened, 0, error);
    if (!status)
        status = walk_bodies(links, factor, evaluation->active, parameters, error);
    if (!status)
        status = ky_mark(&state->opened, 1, error);
    ky_links_done(links);
    return status;
}

/* ---- points ---- */

/* The buffers for a field; freed after the call. */
struct field {
    struct ky_device_results results;
    struct ky_pair_counts counts;
};

static enum ky_status walk_points(struct ky_links *links, struct field *field,
                                  const struct ky_parameters *parameters,
                                  const struct ky_points *points, struct ky_error *error)
{
    const size_t count = points->count;
    const uint32_t own_eps = KY_FLAG_OWN_EPS,
                   flags = ky_links_flags(links, parameters) | KY_FLAG_ALONG;
    const struct ky_buffer *unread = ky_links_cells(links).order;
    const struct sinks sinks = {.first = links->bodies->n,
                                .count = count,
                                .stride = count,
                                .flags = points->softenings ? flags | own_eps : flags & ~own_eps,
                                .eps2 = ky_eps2_of_points(links->bodies->state, points),
                                .list = unread,
                                .acceleration = &field->results.acceleration,
                                .potential = &field->results.potential,
                                .counts = &field->counts};
    return launch(links, unread, parameters, &sinks, error);
}

/* The field, when tree and points are ready. */
static enum ky_status find_field(struct ky_links *links, const struct ky_parameters *parameters,
                                 const struct ky_points *points, double (*acceleration)[3],
                                 double *potential, struct ky_error *error)
{
    struct ky_card *card = links->bodies->card;
    struct field field = {0};
    enum ky_status status = ky_results_need(&field.results, card, points->count, error);
    if (!status)
        status = walk_points(links, &field, parameters, points, error);
    if (!status)
        status = ky_results_read(&field.results, links->bodies, points->count, acceleration,
                                 potential, error);
    ky_results_release(&field.results, card);
    ky_pair_counts_release(&field.counts, links->bodies);
    return status;
}

/* For ranks that share the bodies: each computes the field at some points. */
static enum ky_status find_field_in_part(struct ky_links *links,
                                         const struct ky_parameters *parameters,
                                         const struct ky_points *points, double (*acceleration)[3],
                                         double *potential, struct ky_error *error)
{
    const struct ky_shared *shared = ky_device_shared(links->bodies->state);
    struct ky_part_points part = {.order = NULL};
    double(*a)[3] = NULL, *p = NULL;
    enum ky_status status = ky_part_points_stand(&part, links, parameters, points, error);
    const size_t count = part.points.count;
    if (!status && (!(a = ky_allocate(count, sizeof *a)) || !(p = ky_allocate(count, sizeof *p))))
        status = ky_no_memory(error, "points of a field", count, sizeof *a);
    if (!status && count > 0)
        status = find_field(links, parameters, &part.points, a, p, error);
    if (!status)
        status = ky_part_points_join(&part, shared, a[0], 3, acceleration ? acceleration[0] : NULL,
                                     error);
    if (!status)
        status = ky_part_points_join(&part, shared, p, 1, potential, error);
    ky_part_points_release(&part);
    free(a);
    free(p);
    return status;
}

/* Ranks that each have all bodies divide the points if these are many. Both arrays are then
 * given. */
enum ky_status ky_walk_field(struct ky_device_state *state, struct ky_links *links, void *own,
                             const struct ky_points *points, double (*acceleration)[3],
                             double *potential, struct ky_error *error)
{
    const struct ky_parameters parameters = ky_for_points(state->parameters);
    (void)own;
    if (ky_device_shared(state))
        return find_field_in_part(links, &parameters, points, acceleration, potential, error);
    struct ky_points its = *points;
    size_t first = 0;
    const int joins = ky_copies_begin(state, points->count, KY_PAIRS_OF_A_WALK);
    if (joins) {
        KY_TRY(ky_copies_divide(state, points->count, 1, error));
        first = ky_copies_first(state);
        its = ky_points_some(points, first, ky_copies_end(state) - first);
    }
    if (its.count > 0)
        KY_TRY(ky_links_stand_for_points(links, &parameters, &its, error));
    if (its.count > 0)
        KY_TRY(find_field(links, &parameters, &its, acceleration ? acceleration + first : NULL,
                          potential ? potential + first : NULL, error));
    if (joins)
        KY_TRY(ky_copies_join_rows(state, acceleration, sizeof *acceleration, error));
    return joins ? ky_copies_join_rows(state, potential, sizeof *potential, error) : KY_OK;
}

static enum ky_status report(struct ky_device_state *state, struct ky_links *links, void *own,
                             struct ky_force_report *report, struct ky_error *error)
{
    (void)state;
    (void)own;
    (void)error;
    ky_links_report(links, report);
    return KY_OK;
}

const struct ky_method ky_walk_method = {
    .own = sizeof(struct walk),
    .evaluate = evaluate,
    .field = ky_walk_field,
    .memory = ky_links_memory,
    .report = report,
    .release = release,
};
