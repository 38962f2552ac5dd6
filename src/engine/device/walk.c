/* The walk of each body by itself (N09, N12): tree from the host, one lane a body. */
#include <stdlib.h>

#include "base/memory.h"
#include "engine/device/method.h"
#include "engine/device/opening.h"
#include "engine/device/results.h"

struct walk {
    struct ky_buffer factor; /* of the relative opening test, for each body */
    struct ky_buffer active; /* places of the active bodies */
};

static void release(const struct ky_device_bodies *bodies, void *own)
{
    struct walk *walk = own;
    ky_buffer_release(bodies->cards.card[0], &walk->factor);
    ky_buffer_release(bodies->cards.card[0], &walk->active);
}

static enum ky_status send_factors(struct ky_host_tree *host, struct walk *walk,
                                   struct ky_error *error)
{
    size_t n = host->bodies->n;
    struct ky_relative relative;
    double *columns;
    float *factor = ky_allocate(n, sizeof *factor);
    if (!factor)
        return ky_no_memory(error, "factors of the opening test", n, sizeof *factor);
    enum ky_status status = ky_device_last_accelerations(host, &relative, &columns, error);
    if (status == KY_OK) {
#pragma omp parallel for num_threads(host->bodies->threads) if (n > 65536)
        for (size_t k = 0; k < n; k++)
            factor[k] = (float)ky_relative_factor(&relative, &host->tree.order[k], 1);
        status = ky_buffer_fill(host->bodies->cards.card[0], &walk->factor,
                                "factors of the opening test", factor, n, sizeof *factor, error);
    }
    free(columns);
    free(factor);
    return status;
}

/* By what a cell holds and by whether the kernel has to look at flags. */
static enum ky_kernel_id kernel_of(const struct ky_parameters *parameters, uint32_t flags)
{
    static const enum ky_kernel_id kernels[2][2][KY_PRECISIONS] = {
        {KY_EACH_PRECISION(ky_walk_monopole), KY_EACH_PRECISION(ky_walk_monopole_general)},
        {KY_EACH_PRECISION(ky_walk_quadrupole), KY_EACH_PRECISION(ky_walk_quadrupole_general)},
    };
    const uint32_t general = KY_FLAG_SOURCE_EPS | KY_OPENING_BOXES | KY_OPENING_CUBE;
    return kernels[parameters->multipole > 1][(flags & general) != 0][parameters->precision];
}

/* The sinks of a launch and where their results go; see KY_WALK_KERNEL. */
struct sinks {
    size_t first, count, stride;
    uint32_t flags;
    struct ky_eps2_argument eps2;
    const struct ky_buffer *list, *acceleration, *potential;
    struct ky_pair_counts *counts;
};

static enum ky_status launch(const struct ky_host_tree *host, const struct ky_buffer *factor,
                             const struct ky_parameters *parameters, const struct sinks *sinks,
                             struct ky_error *error)
{
    const struct ky_device_bodies *bodies = host->bodies;
    struct ky_card *card = bodies->cards.card[0];
    uint32_t stride = (uint32_t)sinks->stride, first = (uint32_t)sinks->first,
             count = (uint32_t)sinks->count;
    union ky_state_value strength =
        ky_to_state(card, ky_engine_scale(&bodies->units, bodies->parameters->g).strength);
    enum ky_status status = ky_pair_counts_need(sinks->counts, bodies, sinks->count, error);
    const struct ky_arguments arguments = KY_ARGUMENTS(
        KY_BUFFER(host->source), KY_BUFFER(host->low), KY_BUFFER(host->eps2),
        KY_BUFFER(host->centre), KY_BUFFER(host->centre_low), KY_BUFFER(host->link),
        KY_BUFFER(host->moment), KY_BUFFER(host->box), KY_BUFFER(*factor), KY_BUFFER(*sinks->list),
        KY_BUFFER(host->order), KY_BUFFER(*sinks->acceleration), KY_BUFFER(*sinks->potential),
        KY_BUFFER(sinks->counts->counts), KY_VALUE(stride), KY_VALUE(first), KY_VALUE(count),
        KY_VALUE(sinks->flags), KY_EPS2(sinks->eps2, parameters->precision), KY_VALUE(strength));
    if (status == KY_OK)
        status = ky_launch_over(card, kernel_of(parameters, sinks->flags), count, arguments, error);
    if (status != KY_OK)
        sinks->counts->groups = 0;
    return status;
}

/* The places of the active bodies, along the curve. */
static enum ky_status send_active(const struct ky_host_tree *host, struct walk *walk,
                                  struct ky_error *error)
{
    unsigned char *is_active;
    size_t n = host->bodies->n, count = host->bodies->active->count, next = 0;
    uint32_t *list = ky_allocate(count, sizeof *list);
    enum ky_status status = ky_device_active_places(host, &is_active, error);
    if (status == KY_OK && !list)
        status = ky_no_memory(error, "active bodies", count, sizeof *list);
    for (size_t k = 0; k < n && status == KY_OK; k++)
        if (is_active[k])
            list[next++] = (uint32_t)k;
    if (status == KY_OK)
        status = ky_buffer_fill(host->bodies->cards.card[0], &walk->active, "active bodies", list,
                                count, sizeof *list, error);
    free(is_active);
    free(list);
    return status;
}

static enum ky_status walk_bodies(struct ky_host_tree *host, struct walk *walk,
                                  const struct ky_parameters *parameters, struct ky_error *error)
{
    const struct ky_device_bodies *bodies = host->bodies;
    const struct ky_active *active = bodies->active;
    const struct sinks sinks = {.count = active ? active->count : bodies->n,
                                .stride = bodies->n,
                                .flags = ky_device_flags(host, parameters) |
                                         (active ? KY_FLAG_LISTED : 0U),
                                .eps2 = ky_eps2_argument(bodies),
                                /* not read where lanes are places */
                                .list = active              ? &walk->active
                                        : host->sink.handle ? &host->sink
                                                            : &host->order,
                                .acceleration = &bodies->acceleration,
                                .potential = &bodies->potential,
                                .counts = &host->counts};
    return launch(host, walk->factor.handle ? &walk->factor : &host->order, parameters, &sinks,
                  error);
}

static enum ky_status pass(struct ky_host_tree *host, void *own,
                           const struct ky_parameters *parameters, struct ky_error *error)
{
    struct ky_cards *cards = &host->bodies->cards;
    enum ky_status status = ky_host_tree_build(host, parameters, error);
    if (status == KY_OK)
        status = ky_host_tree_send(host, parameters, 0, error);
    if (status == KY_OK && parameters->opening == KY_RELATIVE)
        status = send_factors(host, own, error);
    if (status == KY_OK && host->bodies->active)
        status = send_active(host, own, error);
    if (status == KY_OK)
        status = ky_mark(cards, 0, error);
    if (status == KY_OK)
        status = walk_bodies(host, own, parameters, error);
    return status == KY_OK ? ky_mark(cards, 1, error) : status;
}

static enum ky_status evaluate(struct ky_device_bodies *bodies, struct ky_host_tree *host,
                               void *own, struct ky_error *error)
{
    (void)bodies;
    return ky_device_passes(host, own, pass, error);
}

/* ---- points ---- */

/* What a field is computed in; nothing of it stays. */
struct field {
    struct ky_device_results results;
    struct ky_pair_counts counts;
};

/* The tree and the points to the card, and room for what is computed there. */
static enum ky_status prepare_points(struct ky_host_tree *host, struct field *field,
                                     const struct ky_parameters *parameters, struct ky_error *error)
{
    enum ky_status status = ky_host_tree_stand(host, parameters, error);
    if (status == KY_OK)
        status = ky_host_tree_send(host, parameters, 0, error);
    return status == KY_OK ? ky_results_need(&field->results, host->bodies->cards.card[0],
                                             parameters->precision, host->points->count, error)
                           : status;
}

/* The flags are those of the tree that stands now. */
static enum ky_status walk_points(struct ky_host_tree *host, struct field *field,
                                  const struct ky_parameters *parameters, struct ky_error *error)
{
    const struct ky_device_bodies *bodies = host->bodies;
    const size_t count = host->points->count;
    const struct sinks sinks = {.first = bodies->n,
                                .count = count,
                                .stride = count,
                                .flags = ky_device_flags(host, parameters) &
                                         ~(uint32_t)(KY_FLAG_LISTED | KY_FLAG_OWN_EPS),
                                .eps2 = ky_eps2_of_points(bodies, host->points),
                                .list = &host->order, /* not read */
                                .acceleration = &field->results.acceleration,
                                .potential = &field->results.potential,
                                .counts = &field->counts};
    return launch(host, &host->order, parameters, &sinks, error);
}

enum ky_status ky_walk_field(struct ky_device_bodies *bodies, struct ky_host_tree *host, void *own,
                             const struct ky_points *points, double (*acceleration)[3],
                             double *potential, struct ky_error *error)
{
    const struct ky_force_report report = bodies->report; /* it is not of this */
    const struct ky_parameters parameters = ky_without_relative(bodies->parameters);
    struct field field = {0};
    (void)own;
    host->points = points;
    enum ky_status status = prepare_points(host, &field, &parameters, error);
    if (status == KY_OK)
        status = walk_points(host, &field, &parameters, error);
    host->points = NULL;
    bodies->report = report;
    if (status == KY_OK)
        status = ky_results_read(&field.results, bodies, parameters.precision, points->count,
                                 acceleration, potential, error);
    ky_results_release(&field.results, bodies->cards.card[0]);
    ky_pair_counts_release(&field.counts, bodies);
    return status;
}

const struct ky_method ky_walk_method = {
    .force = KY_WALK,
    .comes_down = 1,
    .own = sizeof(struct walk),
    .evaluate = evaluate,
    .field = ky_walk_field,
    .memory = ky_host_tree_memory,
    .release = release,
};
