/* The walk of each body by itself (N09, N12): tree from the host, one lane a body. */
#include <stdlib.h>

#include "base/memory.h"
#include "engine/device/method.h"
#include "engine/device/opening.h"

struct walk {
    struct ky_buffer factor; /* of the relative opening test, for each sink */
};

static void release(const struct ky_device_bodies *bodies, void *own)
{
    ky_buffer_release(bodies->cards.card[0], &((struct walk *)own)->factor);
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
    const uint32_t general =
        KY_WALK_SOURCE_EPS | KY_WALK_MINIMUM | KY_WALK_RELATIVE | KY_WALK_TEST_BOX;
    return kernels[parameters->multipole > 1][(flags & general) != 0][parameters->precision];
}

static enum ky_status launch_walk(struct ky_host_tree *host, const struct walk *walk,
                                  const struct ky_parameters *parameters, struct ky_error *error)
{
    struct ky_device_bodies *bodies = host->bodies;
    struct ky_card *card = bodies->cards.card[0];
    uint32_t n = (uint32_t)bodies->n, first = 0, flags = ky_device_walk_flags(host, parameters);
    struct ky_eps2_argument eps2 = ky_eps2_argument(bodies);
    union ky_state_value strength = ky_to_state(card, ky_device_scale(bodies).strength);
    enum ky_status status = ky_pair_counts_need(&host->counts, bodies, error);
    const struct ky_buffer *factor = walk->factor.handle ? &walk->factor : &host->order;
    const struct ky_arguments arguments = KY_ARGUMENTS(
        KY_BUFFER(host->source), KY_BUFFER(host->low), KY_BUFFER(host->eps2),
        KY_BUFFER(host->centre), KY_BUFFER(host->centre_low), KY_BUFFER(host->link),
        KY_BUFFER(host->moment), KY_BUFFER(host->box), KY_BUFFER(*factor), KY_BUFFER(host->sink),
        KY_BUFFER(host->order), KY_BUFFER(bodies->acceleration), KY_BUFFER(bodies->potential),
        KY_BUFFER(host->counts.counts), KY_VALUE(n), KY_VALUE(first), KY_VALUE(n), KY_VALUE(flags),
        KY_EPS2(eps2, parameters->precision), KY_VALUE(strength));
    if (status == KY_OK)
        status = ky_launch_over(card, kernel_of(parameters, flags), n, arguments, error);
    if (status != KY_OK)
        host->counts.groups = 0;
    return status;
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
    if (status == KY_OK)
        status = ky_mark(cards, 0, error);
    if (status == KY_OK)
        status = launch_walk(host, own, parameters, error);
    return status == KY_OK ? ky_mark(cards, 1, error) : status;
}

static enum ky_status evaluate(struct ky_device_bodies *bodies, struct ky_host_tree *host,
                               void *own, struct ky_error *error)
{
    (void)bodies;
    return ky_device_passes(host, own, pass, error);
}

const struct ky_method ky_walk_method = {
    .force = KY_WALK,
    .comes_down = 1,
    .own = sizeof(struct walk),
    .evaluate = evaluate,
    .memory = ky_host_tree_memory,
    .release = release,
};
