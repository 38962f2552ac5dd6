/* The exact sum on one card: the host side of kernels/forces/direct.k. */
#include "engine/device/forces/direct_sum.h"

#include <math.h>

#include "base/status.h"
#include "engine/common/force_kinds.h"
#include "engine/common/softening.h"
#include "engine/device/state/curve.h"
#include "engine/device/state/massless.h"
#include "engine/device/state/rows.h"

void ky_direct_release(struct ky_card *card, struct ky_direct_buffers *buffers)
{
    ky_buffer_release(card, &buffers->source);
    ky_buffer_release(card, &buffers->low);
    ky_buffer_release(card, &buffers->eps2);
    ky_buffer_release(card, &buffers->partial);
    ky_buffer_release(card, &buffers->label);
    ky_buffer_release(card, &buffers->point);
    ky_buffer_release(card, &buffers->box);
    ky_buffer_release(card, &buffers->doubt);
    ky_buffer_release(card, &buffers->place);
    ky_buffer_release(card, &buffers->body);
    ky_buffer_release(card, &buffers->found);
}

/* 1 if sources have low parts. */
static int has_low(int precision)
{
    return precision == KY_EXTENDED || precision == KY_MIXED;
}

double ky_direct_bytes(const struct ky_parameters *parameters, size_t n)
{
    const int precision = parameters->precision, in_box = parameters->box > 0;
    const int on_units = precision == KY_MIXED && !in_box && n >= ky_direct_least_on_units;
    const double source = (double)ky_real4_bytes(precision), least = (double)n * source,
                 slices = on_units ? 64 : 16,
                 partial = fmax(least, fmin(slices * least, (double)KY_PARTIAL_BYTES)) *
                           (in_box ? KY_IMAGES : 1);
    double bytes = least + (has_low(precision) ? 16 * (double)n : 0) + partial;
    if (on_units) {
        const double box = 3 * 4 * sizeof(float) * (double)n / KY_SPAN,
                     doubt = partial / source * sizeof(float),
                     again = 2 * sizeof(uint32_t) * (double)n;
        bytes += ky_device_curve_memory(n) + box + doubt + again;
    }
    return bytes;
}

/* ---- sources ---- */

/* The number of sinks behind the sources. */
static size_t behind(const struct ky_direct_sum *sum)
{
    return sum->points ? sum->points->count : sum->behind ? sum->count : 0;
}

/* 1 if sinks have their own softenings. */
static int has_own_eps(const struct ky_device_state *state, const struct ky_points *points)
{
    return points ? points->softenings != NULL : state->own_eps;
}

/* Allocates the sources. Arrays that the precision does not use alias the first one, and are never
 * read. */
static enum ky_status need_sources(const struct ky_device_state *state,
                                   struct ky_direct_buffers *buffers,
                                   const struct ky_direct_sum *sum, struct ky_error *error)
{
    struct ky_card *card = state->bodies.card;
    const size_t n = sum->sources + behind(sum), real = ky_real_bytes(sum->precision);
    const int softened = state->own_eps || has_own_eps(state, sum->points);
    KY_TRY(ky_buffer_need(card, &buffers->source, "sources", n, ky_real4_bytes(sum->precision),
                          error));
    KY_TRY(ky_buffer_need(card, &buffers->low, "low parts of sources",
                          has_low(sum->precision) ? n : 1, 4 * sizeof(float), error));
    return ky_buffer_need(card, &buffers->eps2, "squared softenings", softened ? n : 1, real,
                          error);
}

/* Puts the points behind the sources. */
static enum ky_status make_points(const struct ky_device_bodies *bodies,
                                  struct ky_direct_buffers *buffers,
                                  const struct ky_direct_sum *sum, struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    const struct ky_points *points = sum->points;
    uint32_t n = (uint32_t)bodies->n, count = (uint32_t)points->count, to = (uint32_t)sum->sources;
    const struct ky_rows rows = {points->count, 3, 1 / bodies->state->units.length,
                                 bodies->state->box};
    KY_TRY(
        ky_rows_send(bodies->state, &buffers->point, "points", rows, points->position[0], error));
    KY_TRY(ky_launch_over(card, KY_IN_PRECISION(ky_points, sum->precision), count,
                          KY_ARGUMENTS(KY_BUFFER(bodies->position), KY_BUFFER(buffers->point),
                                       KY_BUFFER(buffers->source), KY_BUFFER(buffers->low),
                                       KY_VALUE(n), KY_VALUE(count), KY_VALUE(to)),
                          error));
    return ky_device_send_softenings(bodies, points, sum->precision, &buffers->eps2, sum->sources,
                                     error);
}

/* Copies bodies to the elements from `to` on: the bodies of a list, or with NULL the first ones. */
static enum ky_status make_bodies(const struct ky_device_bodies *bodies,
                                  struct ky_direct_buffers *buffers, int precision,
                                  const struct ky_buffer *list, size_t rows, size_t place,
                                  struct ky_error *error)
{
    const struct ky_buffer *read = list ? list : &bodies->mass; /* a dummy that is never read */
    const uint32_t n = (uint32_t)bodies->n, count = (uint32_t)rows, to = (uint32_t)place,
                   flags = (bodies->state->own_eps ? KY_DIRECT_OWN_EPS : 0U) |
                           (list ? KY_DIRECT_LISTED : 0U);
    return ky_launch_over(bodies->card, KY_IN_PRECISION(ky_sources, precision), rows,
                          KY_ARGUMENTS(KY_BUFFER(bodies->position), KY_BUFFER(bodies->mass),
                                       KY_BUFFER(*ky_device_softenings(bodies)), KY_BUFFER(*read),
                                       KY_BUFFER(buffers->source), KY_BUFFER(buffers->low),
                                       KY_BUFFER(buffers->eps2), KY_VALUE(n), KY_VALUE(count),
                                       KY_VALUE(to), KY_VALUE(flags)),
                          error);
}

enum ky_status ky_direct_make_sources(const struct ky_device_bodies *bodies,
                                      struct ky_direct_buffers *buffers,
                                      const struct ky_direct_sum *sum,
                                      const struct ky_buffer *active, struct ky_error *error)
{
    const struct ky_device_state *state = bodies->state;
    const struct ky_buffer *list = sum->order                      ? sum->order
                                   : ky_device_has_massless(state) ? &state->massless.list
                                                                   : NULL;
    enum ky_status status = need_sources(state, buffers, sum, error);
    if (!status)
        status = make_bodies(bodies, buffers, sum->precision, list, sum->sources, 0, error);
    if (!status && sum->points)
        return make_points(bodies, buffers, sum, error);
    return !status && sum->behind ? make_bodies(bodies, buffers, sum->precision, active, sum->count,
                                                sum->sources, error)
                                  : status;
}

enum ky_status ky_direct_send_labels(struct ky_card *card, struct ky_direct_buffers *buffers,
                                     const uint32_t *label, size_t count, struct ky_error *error)
{
    return ky_buffer_fill(card, &buffers->label, "labels of sinks", label, count, sizeof *label,
                          error);
}

/* ---- the kernel ---- */

/* The rows of KY_SOFTENED. */
#define ROW(a, b, name, NAME, how) ROW_##NAME,
enum { KY_SOFTENED(ROW, , ) SOFTENED };

/* The kernels by softening and precision; and the kernels for points with labels. */
#define EACH(loop, b, name, NAME, how) [ROW_##NAME] = KY_EACH_PRECISION(ky_direct_##loop##_##name),
static const enum ky_kernel_id tuned[SOFTENED][KY_PRECISIONS] = {KY_SOFTENED(EACH, tuned, )},
                               labelled_points[SOFTENED][KY_PRECISIONS] = {
                                   KY_SOFTENED(EACH, points, )};

/* The kernels on matrix units. */
#define ON_UNITS(a, b, name, NAME, how) [ROW_##NAME] = KY_KERNEL_ky_direct_matrix_##name##_extended,
static const enum ky_kernel_id on_matrix_units[SOFTENED] = {KY_SOFTENED(ON_UNITS, , )};

/* The kernels that read the state directly. */
#define FROM_STATE(a, b, name, NAME, how) [ROW_##NAME] = KY_KERNEL_ky_exact_##name##_double,
static const enum ky_kernel_id from_state[SOFTENED] = {KY_SOFTENED(FROM_STATE, , )};

/* The first kernel for these pairs: of bodies, or of points and bodies. */
static size_t softened(const struct ky_device_state *state, const struct ky_points *points)
{
#define DOES(a, b, name, NAME, how) [ROW_##NAME] = how,
    static const int does[SOFTENED] = {KY_SOFTENED(DOES, , )};
    const int how =
        !points ? state->how
                : (state->how & ~KY_GUARD) | ky_pairs_guard(ky_eps2_of_points(state, points).whole);
    size_t row = 0;
    while (row + 1 < SOFTENED && (does[row] & how) != how)
        row++;
    return row;
}

/* ---- slices ---- */

/* The cost of a launch. The unit is the time in which a group of lanes processes one source. It is
 * the sum of three terms with constants measured on an H200: the work of the busiest processor;
 * `tail` lives of a group, since at the end the remaining groups no longer fill the device; and
 * adding the slices. */
static double cost_of(const struct ky_card *card, double tail, size_t blocks, size_t slices,
                      size_t length, size_t count)
{
    enum { GROUP_COST = 16, SINKS_A_UNIT = 2400 };
    return (double)ky_groups(blocks * slices, card->processors) * (double)(length + GROUP_COST) +
           tail * (double)length + (double)slices * (double)count / SINKS_A_UNIT;
}

/* The number of slices of the sources, and their length in *length. */
static size_t best_slices(struct ky_card *card, enum ky_kernel_id kernel,
                          const struct ky_direct_sum *sum, size_t *length)
{
    const size_t count = sum->of ? sum->of : sum->count;
    size_t tiles = ky_groups(sum->sources, KY_DIRECT_LANES);
    size_t blocks = ky_groups(count, KY_DIRECT_LANES * KY_DIRECT_SINKS);
    size_t resident = card->driver->resident(card, kernel), best = 1, most = tiles;
    size_t room = KY_PARTIAL_BYTES / (ky_real4_bytes(sum->precision) * count);
    most = most < 512 ? most : 512;
    most = most < room ? most : room;
    /* groups on matrix units take different times */
    const double at_once = (double)resident / (double)card->processors,
                 tail = at_once / (sum->order ? 2 : 8);
    double least = 0;
    for (size_t slices = 1; slices <= most || slices == 1; slices++) {
        size_t each = ky_groups(tiles, slices);
        if (ky_groups(tiles, each) != slices)
            continue;
        double cost = cost_of(card, tail, blocks, slices, each * KY_DIRECT_LANES, count);
        if (slices == 1 || cost < least) {
            least = cost;
            best = slices;
        }
    }
    *length = ky_groups(tiles, best) * KY_DIRECT_LANES;
    return best;
}

/* ---- the sum ---- */

/* A dummy buffer that is never read, if there are no labels. */
static const struct ky_buffer *labels_of(const struct ky_direct_buffers *buffers,
                                         const struct ky_direct_sum *sum)
{
    return sum->label ? sum->label : &buffers->source;
}

/* The sources of a kernel: see kernels/forces/direct.h. */
struct sources {
    const struct ky_buffer *source, *low, *eps2;
};

static struct sources sources_of(const struct ky_direct_buffers *buffers,
                                 const struct ky_direct_sum *sum)
{
    if (sum->state)
        return (struct sources){sum->state->position, sum->state->mass, sum->state->softening};
    return (struct sources){&buffers->source, &buffers->low, &buffers->eps2};
}

/* The flags of a kernel: KY_DIRECT_…, and ε². */
struct softenings {
    uint32_t flags;
    struct ky_eps2_argument eps2;
};

static struct softenings softenings_of(const struct ky_device_state *state,
                                       const struct ky_points *points)
{
    return (struct softenings){(has_own_eps(state, points) ? KY_DIRECT_OWN_EPS : 0U) |
                                   (state->how & KY_EPS_LARGER ? KY_DIRECT_SOURCE_EPS : 0U),
                               points ? ky_eps2_of_points(state, points) : ky_eps2_argument(state)};
}

/* A sum that runs: its slices, and the number of sources in a slice. */
struct run {
    const struct ky_device_bodies *bodies;
    struct ky_direct_buffers *buffers;
    const struct ky_direct_sum *sum;
    const struct ky_direct_results *results;
    size_t slices; /* of all images */
    uint32_t length;
};

/* struct ky_direct_image of kernels/forces/direct.h. */
struct image {
    union ky_state_value way[3], side;
    uint64_t slices;
};
static struct image image_of(const struct run *run, size_t number)
{
    const struct ky_device_state *state = run->bodies->state;
    const struct ky_card *card = run->bodies->card;
    struct image image = {.side = ky_to_state(card, state->box),
                          .slices = run->slices / ky_device_images(state) * number};
    for (int c = 0; c < 3; c++)
        image.way[c] = ky_to_state(card, -ky_image((int)number, c) * state->box);
    return image;
}

/* Loads the kernel, divides the sources into slices, and allocates their partial sums. */
static enum ky_status need_slices(struct run *run, enum ky_kernel_id kernel, struct ky_error *error)
{
    struct ky_card *card = run->bodies->card;
    const struct ky_direct_sum *sum = run->sum;
    size_t each = sum->sources;
    KY_TRY(card->driver->load(card, kernel, error));
    run->slices = ky_device_images(run->bodies->state) * best_slices(card, kernel, sum, &each);
    run->length = (uint32_t)each;
    return ky_buffer_need(card, &run->buffers->partial, "partial sums", run->slices * sum->count,
                          ky_real4_bytes(sum->precision), error);
}

/* Computes the sums over all sources for the wanted sinks, as partial sums. */
static enum ky_status launch_sum(struct run *run, struct ky_error *error)
{
    struct ky_card *card = run->bodies->card;
    const struct ky_direct_sum *sum = run->sum;
    struct ky_direct_buffers *buffers = run->buffers;
    const int is_behind = behind(sum) > 0;
    const size_t row = softened(run->bodies->state, sum->points);
    const enum ky_kernel_id kernel = sum->state ? from_state[row]
                                     : sum->label && is_behind
                                         ? labelled_points[row][sum->precision]
                                         : tuned[row][sum->precision];
    const struct sources sources = sources_of(buffers, sum);
    const struct softenings soft = softenings_of(run->bodies->state, sum->points);
    uint32_t n = (uint32_t)sum->sources, count = (uint32_t)sum->count,
             first = (uint32_t)(sum->state ? sum->state->apart : sum->first),
             flags = soft.flags | (sum->label && !is_behind ? KY_DIRECT_LISTED : 0U);
    KY_TRY(need_slices(run, kernel, error));
    for (size_t k = 0; k < ky_device_images(run->bodies->state); k++) {
        const struct image image = image_of(run, k);
        const uint32_t its = flags | (run->bodies->state->box > 0 ? KY_DIRECT_IMAGE : 0U);
        KY_TRY(ky_launch(card, kernel,
                         ky_groups(sum->count, KY_DIRECT_LANES * KY_DIRECT_SINKS) * run->slices /
                             ky_device_images(run->bodies->state),
                         KY_ARGUMENTS(KY_BUFFER(*sources.source), KY_BUFFER(*sources.low),
                                      KY_BUFFER(*sources.eps2), KY_BUFFER(*labels_of(buffers, sum)),
                                      KY_BUFFER(buffers->partial), KY_VALUE(n), KY_VALUE(first),
                                      KY_VALUE(count), KY_VALUE(run->length), KY_VALUE(its),
                                      KY_EPS2(soft.eps2, sum->precision), KY_VALUE(image)),
                         error));
    }
    return KY_OK;
}

/* Adds the sums of the slices to the results. */
static enum ky_status reduce(const struct run *run, struct ky_error *error)
{
    const struct ky_direct_results *results = run->results;
    struct ky_direct_buffers *buffers = run->buffers;
    uint32_t stride = (uint32_t)results->stride, to = (uint32_t)results->to,
             count = (uint32_t)run->sum->count, parts = (uint32_t)run->slices,
             flags = results->at ? KY_DIRECT_SCATTER : 0U;
    union ky_state_value strength = ky_device_strength(run->bodies);
    return ky_launch_over(
        run->bodies->card, KY_IN_PRECISION(ky_reduce, run->sum->precision), run->sum->count,
        KY_ARGUMENTS(
            KY_BUFFER(buffers->partial), KY_BUFFER(*(results->at ? results->at : &buffers->source)),
            KY_BUFFER(*results->acceleration), KY_BUFFER(*results->potential), KY_VALUE(stride),
            KY_VALUE(to), KY_VALUE(count), KY_VALUE(parts), KY_VALUE(flags), KY_VALUE(strength)),
        error);
}

/* ---- matrix units ---- */

/* Makes the boxes of spans of sources, and finds heavy ones (kernels/forces/boxes.k). */
static enum ky_status make_boxes(const struct run *run, struct ky_error *error)
{
    struct ky_card *card = run->bodies->card;
    struct ky_direct_buffers *buffers = run->buffers;
    const uint32_t n = (uint32_t)run->sum->sources, spans = (uint32_t)ky_groups(n, KY_SPAN),
                   flags = run->bodies->state->own_eps ? KY_DIRECT_OWN_EPS : 0U;
    KY_TRY(ky_buffer_need(card, &buffers->box, "boxes of sources", 3 * (size_t)spans + 1,
                          4 * sizeof(float), error));
    KY_TRY(ky_launch_teams(card, KY_KERNEL_ky_direct_boxes_extended, spans,
                           KY_ARGUMENTS(KY_BUFFER(buffers->source), KY_BUFFER(buffers->eps2),
                                        KY_BUFFER(buffers->box), KY_VALUE(n), KY_VALUE(flags)),
                           error));
    return ky_launch(card, KY_KERNEL_ky_direct_heavy_extended, 1,
                     KY_ARGUMENTS(KY_BUFFER(buffers->box), KY_VALUE(spans)), error);
}

/* The same as launch_sum, with estimates of the rounding errors. */
static enum ky_status launch_on_units(struct run *run, struct ky_error *error)
{
    struct ky_card *card = run->bodies->card;
    const struct ky_direct_sum *sum = run->sum;
    struct ky_direct_buffers *buffers = run->buffers;
    const enum ky_kernel_id kernel = on_matrix_units[softened(run->bodies->state, NULL)];
    const struct softenings soft = softenings_of(run->bodies->state, NULL);
    uint32_t n = (uint32_t)sum->sources, count = (uint32_t)sum->count, first = (uint32_t)sum->first;
    KY_TRY(make_boxes(run, error));
    KY_TRY(need_slices(run, kernel, error));
    KY_TRY(ky_buffer_need(card, &buffers->doubt, "errors of partial sums", run->slices * sum->count,
                          sizeof(float), error));
    return ky_launch(card, kernel, ky_groups(sum->count, KY_TEAM_SINKS * card->teams) * run->slices,
                     KY_ARGUMENTS(KY_BUFFER(buffers->source), KY_BUFFER(buffers->low),
                                  KY_BUFFER(buffers->eps2), KY_BUFFER(buffers->box),
                                  KY_BUFFER(buffers->partial), KY_BUFFER(buffers->doubt),
                                  KY_VALUE(n), KY_VALUE(first), KY_VALUE(count),
                                  KY_VALUE(run->length), KY_VALUE(soft.flags),
                                  KY_EPS2(soft.eps2, sum->precision)),
                     error);
}

/* Lists the sinks that are not accurate enough, and waits for their number. */
static enum ky_status list_doubted(const struct run *run, uint32_t *found, struct ky_error *error)
{
    struct ky_card *card = run->bodies->card;
    struct ky_direct_buffers *buffers = run->buffers;
    const size_t word = sizeof(uint32_t);
    uint32_t first = (uint32_t)run->sum->first, count = (uint32_t)run->sum->count,
             to = (uint32_t)run->results->to, parts = (uint32_t)run->slices,
             flags = run->results->at ? KY_DIRECT_LISTED : 0U;
    KY_TRY(ky_buffer_need(card, &buffers->place, "inaccurate sinks", count, word, error));
    KY_TRY(ky_buffer_need(card, &buffers->body, "inaccurate bodies", count, word, error));
    KY_TRY(ky_buffer_need(card, &buffers->found, "number of inaccurate sinks", 1, word, error));
    KY_TRY(card->driver->zero(card, &buffers->found, error));
    KY_TRY(ky_launch_over(card, KY_KERNEL_ky_direct_doubted_extended, count,
                          KY_ARGUMENTS(KY_BUFFER(buffers->partial), KY_BUFFER(buffers->doubt),
                                       KY_BUFFER(*run->sum->order), KY_BUFFER(buffers->place),
                                       KY_BUFFER(buffers->body), KY_BUFFER(buffers->found),
                                       KY_VALUE(first), KY_VALUE(count), KY_VALUE(to),
                                       KY_VALUE(parts), KY_VALUE(flags)),
                          error));
    return card->driver->read(card, &buffers->found, 0, found, word, error);
}

/* Computes the sums of `count` inaccurate sinks again, from number `begin` of their list on. The
 * slices of the sources do not depend on the number of these sinks, which ranks divide. */
enum { AGAIN = 16384 };
static enum ky_status sum_again(const struct run *run, size_t begin, size_t count,
                                struct ky_error *error)
{
    struct ky_card *card = run->bodies->card;
    const size_t word = sizeof(uint32_t);
    struct ky_buffer place = {0}, body = {0};
    const struct ky_direct_sum again = {.precision = run->sum->precision,
                                        .sources = run->sum->sources,
                                        .count = count,
                                        .of = AGAIN,
                                        .label = &place};
    const struct ky_direct_results there = {run->results->acceleration, run->results->potential,
                                            run->results->stride, 0, &body};
    enum ky_status status = ky_buffer_slice(card, &run->buffers->place, "inaccurate sinks",
                                            begin * word, count * word, &place, error);
    if (!status)
        status = ky_buffer_slice(card, &run->buffers->body, "inaccurate bodies", begin * word,
                                 count * word, &body, error);
    if (!status)
        status = ky_direct_run(run->bodies, run->buffers, &again, &there, error);
    ky_buffer_release(card, &place);
    ky_buffer_release(card, &body);
    return status;
}

/* The sum on matrix units, and in the ordinary way for the sinks that are not accurate enough. */
static enum ky_status run_on_units(struct run *run, struct ky_error *error)
{
    uint32_t found;
    KY_TRY(launch_on_units(run, error));
    KY_TRY(reduce(run, error));
    KY_TRY(list_doubted(run, &found, error));
    for (size_t begin = 0; begin < found; begin += AGAIN)
        KY_TRY(sum_again(run, begin, found - begin < AGAIN ? found - begin : AGAIN, error));
    return KY_OK;
}

enum ky_status ky_direct_run(const struct ky_device_bodies *bodies,
                             struct ky_direct_buffers *buffers, const struct ky_direct_sum *sum,
                             const struct ky_direct_results *results, struct ky_error *error)
{
    struct run run = {.bodies = bodies, .buffers = buffers, .sum = sum, .results = results};
    if (sum->order)
        return run_on_units(&run, error);
    KY_TRY(launch_sum(&run, error));
    return reduce(&run, error);
}
