/* The host's octree for the walks on the device: positions come down, the tree is built and goes
 * up. Both ways count as download and upload of the evaluation. */
#include "engine/device/host_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/split.h"
#include "engine/device/rows.h"
#include "physics/gravity.h"
#include "physics/opening.h"

_Static_assert(KY_WALK_END == KY_NO_LINK, "the kernels' end of links is that of the octree");

/* ---- the host's side ---- */

static void forget(struct ky_host_tree *host)
{
    ky_octree_free(&host->tree);
    memset(&host->tree, 0, sizeof host->tree);
    for (int c = 0; c < 3; c++) {
        free(host->x[c]);
        host->x[c] = NULL;
    }
    free(host->mass);
    free(host->softening);
    free(host->staging);
    host->mass = host->softening = NULL;
    host->staging = NULL;
    host->staging_bytes = 0;
    host->put = host->place = 0;
}

void ky_host_tree_release(struct ky_host_tree *host)
{
    struct ky_buffer *buffers[] = {&host->source, &host->low,       &host->eps2, &host->order,
                                   &host->sink,   &host->centre,    &host->link, &host->moment,
                                   &host->box,    &host->centre_low};
    forget(host);
    ky_pair_counts_release(&host->counts, host->bodies);
    for (size_t k = 0; host->bodies->cards.count > 0 && k < sizeof buffers / sizeof *buffers; k++)
        ky_buffer_release(host->bodies->cards.card[0], buffers[k]);
}

void ky_host_tree_memory(const struct ky_parameters *parameters, size_t n, struct ky_memory *memory)
{
    enum { CELL_BYTES = 32 + 16 + 32 + 32 }; /* centre, link, moments, box */
    double cells = (double)n * fmin(2, 6.0 / parameters->leaf);
    double low = parameters->precision == KY_DOUBLE ? 0 : 4 * sizeof(float);
    double body = (double)ky_real4_bytes(parameters->precision) + low + 2 * sizeof(uint32_t);
    memory->device += (double)n * body + cells * CELL_BYTES;
    memory->host += (double)n * 5 * sizeof(double) + ky_octree_memory(parameters, n);
}

/* Columns for the bodies, and what does not change until bodies are put again. */
static enum ky_status start_host(struct ky_host_tree *host, struct ky_error *error)
{
    struct ky_device_bodies *bodies = host->bodies;
    size_t n = bodies->n;
    double **columns[] = {&host->x[0], &host->x[1], &host->x[2], &host->mass, &host->softening};
    forget(host);
    ky_octree_init(&host->tree);
    for (int k = 0; k < (bodies->own_eps ? 5 : 4); k++) {
        *columns[k] = ky_allocate(n, sizeof(double));
        if (!*columns[k])
            return ky_no_memory(error, "bodies for the tree on the host", n, sizeof(double));
    }
    enum ky_status status = ky_device_bodies_columns(bodies, &bodies->mass, 1, &host->mass, error);
    if (status == KY_OK && bodies->own_eps)
        status = ky_device_bodies_columns(bodies, &bodies->softening, 1, &host->softening, error);
    host->put = status == KY_OK ? bodies->put : 0;
    return status;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median of bodies spread over all, as in kernels/sources.k: no escaper moves it. */
static double median(const double *x, size_t n)
{
    double sample[KY_MEDIAN];
    for (size_t k = 0; k < KY_MEDIAN; k++)
        sample[k] = x[k * n / KY_MEDIAN];
    qsort(sample, KY_MEDIAN, sizeof *sample, ascending);
    return ky_high_part(sample[KY_MEDIAN / 2]);
}

/* The bodies' columns on the host, at the present positions. */
static enum ky_status fetch(struct ky_host_tree *host, struct ky_error *error)
{
    struct ky_device_bodies *bodies = host->bodies;
    const struct ky_cards *cards = &bodies->cards;
    enum ky_status status = cards->driver->wait(cards->card[0], error);
    double start = ky_clock();
    if (status == KY_OK && host->put != bodies->put)
        status = start_host(host, error);
    if (status == KY_OK)
        status = ky_device_bodies_columns(bodies, &bodies->position, 3, host->x, error);
    bodies->report.download += ky_clock() - start;
    return status;
}

enum ky_status ky_host_tree_build(struct ky_host_tree *host, const struct ky_parameters *parameters,
                                  struct ky_error *error)
{
    enum ky_status status = fetch(host, error);
    if (status != KY_OK)
        return status;
    struct ky_force_report *report = &host->bodies->report;
    size_t n = host->bodies->n;
    const struct ky_engine_frame *frame = &host->bodies->frame;
    const double per_length = 1 / host->bodies->units.length;
    struct ky_octree_bodies bodies = {n,          host->x[0],      host->x[1], host->x[2],
                                      host->mass, host->softening, {0},        0};
    bodies.edge = frame->edge * per_length;
    for (int c = 0; c < 3; c++) {
        bodies.low[c] = frame->low[c] * per_length;
        host->origin[c] = parameters->precision == KY_DOUBLE ? 0 : median(host->x[c], n);
    }
    host->place = 0;
    status = ky_octree_build(&host->tree, &bodies, parameters, error);
    if (status != KY_OK)
        return status;
    const struct ky_octree_seconds *seconds = &host->tree.seconds;
    report->keys += seconds->keys;
    report->sort += seconds->sort;
    report->moments += seconds->moments;
    double start = ky_clock();
    status = ky_octree_link(&host->tree, error);
    report->build += seconds->build + ky_clock() - start;
    return status;
}

/* ---- the tree to the device ---- */

typedef void fill_function(const struct ky_host_tree *host, size_t first, size_t end, void *to);

static void fill_centre(const struct ky_host_tree *host, size_t first, size_t end, void *to)
{
    const struct ky_node *node = host->tree.node;
    for (size_t k = first; k < end; k++)
        for (int c = 0; c < 4; c++) {
            double value = c < 3 ? node[k].com[c] - host->origin[c]
                                 : (double)fmaxf(node[k].open2, KY_OPENING_CLOSE2);
            if (host->bodies->parameters->precision == KY_DOUBLE)
                ((double *)to)[4 * k + (size_t)c] = value;
            else
                ((float *)to)[4 * k + (size_t)c] = (float)value;
        }
}

static void fill_centre_low(const struct ky_host_tree *host, size_t first, size_t end, void *to)
{
    const struct ky_node *node = host->tree.node;
    for (size_t k = first; k < end; k++)
        for (int c = 0; c < 4; c++) {
            double value = c < 3 ? node[k].com[c] - host->origin[c] : 0;
            ((float *)to)[4 * k + (size_t)c] = ky_low_part(value);
        }
}

static void fill_link(const struct ky_host_tree *host, size_t first, size_t end, void *to)
{
    const struct ky_octree *tree = &host->tree;
    uint32_t *link = to;
    for (size_t k = first; k < end; k++) {
        link[4 * k] = tree->links[k].next;
        link[4 * k + 1] = tree->links[k].more;
        link[4 * k + 2] = tree->box[k].body;
        link[4 * k + 3] = tree->box[k].bodies;
    }
}

/* Mass xx yy zz, xy xz yz ε²: see ky_cell_moments. */
static void fill_moment(const struct ky_host_tree *host, size_t first, size_t end, void *to)
{
    const struct ky_octree *tree = &host->tree;
    float *moment = to;
    for (size_t k = first; k < end; k++) {
        moment[8 * k] = tree->node[k].mass;
        for (size_t c = 0; c < 6; c++)
            moment[8 * k + 1 + c] = (float)(KY_SCALE_SECOND(1) * (double)tree->node[k].second[c]);
        moment[8 * k + 7] = tree->node_softening2 ? tree->node_softening2[k] : 0;
    }
}

/* Wide enough for the positions as the device has them: each of a body and of the centre may be off
 * by half its last digit, 2^-24 (single) or 2^-48 (extended) of its distance from the origin. */
static void fill_box(const struct ky_host_tree *host, size_t first, size_t end, void *to)
{
    static const double digit[] = {0x1p-23, 0x1p-47, 0};
    const struct ky_cell_box *box = host->tree.box;
    const struct ky_node *node = host->tree.node;
    float *side = to;
    for (size_t k = first; k < end; k++)
        for (size_t c = 0; c < 3; c++) {
            double far = fabs(node[k].com[c] - host->origin[c]) +
                         (double)fmaxf(box[k].below[c], box[k].above[c]);
            float wider = (float)(far * digit[host->bodies->parameters->precision]);
            side[8 * k + c] = box[k].below[c] + wider;
            side[8 * k + 4 + c] = box[k].above[c] + wider;
            side[8 * k + 3] = side[8 * k + 7] = 0;
        }
}

/* Where the caller's i-th body lies along the curve. */
static void fill_sink(const struct ky_host_tree *host, size_t first, size_t end, void *to)
{
    for (size_t k = first; k < end; k++)
        ((uint32_t *)to)[host->tree.order[k]] = (uint32_t)k;
}

/* Points keep their order. */
static void fill_order(const struct ky_host_tree *host, size_t first, size_t end, void *to)
{
    const size_t n = host->bodies->n;
    for (size_t k = first; k < end; k++)
        ((uint32_t *)to)[k] = k < n ? host->tree.order[k] : (uint32_t)(k - n);
}

static enum ky_status need_staging(struct ky_host_tree *host, size_t bytes, struct ky_error *error)
{
    if (bytes <= host->staging_bytes)
        return KY_OK;
    free(host->staging);
    host->staging = ky_allocate(bytes, 1);
    host->staging_bytes = host->staging ? bytes : 0;
    return host->staging ? KY_OK : ky_no_memory(error, "tree on its way", bytes, 1);
}

static enum ky_status send(struct ky_host_tree *host, struct ky_buffer *buffer, const char *what,
                           fill_function *fill, size_t count, size_t size, struct ky_error *error)
{
    enum { PART = 8192 };
    enum ky_status status = need_staging(host, count * size, error);
    if (status != KY_OK)
        return status;
#pragma omp parallel for num_threads(host->bodies->threads) if (count > 2 * PART)
    for (size_t first = 0; first < count; first += PART)
        fill(host, first, first + PART < count ? first + PART : count, host->staging);
    return ky_buffer_fill(host->bodies->cards.card[0], buffer, what, host->staging, count, size,
                          error);
}

static size_t points_of(const struct ky_host_tree *host)
{
    return host->points ? host->points->count : 0;
}

/* Points to their places behind the bodies. */
static enum ky_status make_points(struct ky_host_tree *host, const union ky_state_value origin[3],
                                  struct ky_error *error)
{
    const struct ky_device_bodies *bodies = host->bodies;
    struct ky_card *card = bodies->cards.card[0];
    uint32_t n = (uint32_t)bodies->n, count = (uint32_t)points_of(host);
    const struct ky_rows rows = {count, 3, 1 / bodies->units.length, KY_STATE_BYTES};
    struct ky_buffer position = {0};
    enum ky_status status =
        ky_rows_send(card, &position, "points", rows, host->points->position[0], error);
    if (status == KY_OK)
        status = ky_launch_over(
            card, KY_IN_PRECISION(ky_walk_points, bodies->parameters->precision), count,
            KY_ARGUMENTS(KY_BUFFER(position), KY_BUFFER(host->source), KY_BUFFER(host->low),
                         KY_VALUE(n), KY_VALUE(count), KY_VALUE(origin[0]), KY_VALUE(origin[1]),
                         KY_VALUE(origin[2])),
            error);
    ky_buffer_release(card, &position);
    return status;
}

static enum ky_status make_sources(struct ky_host_tree *host, struct ky_error *error)
{
    const struct ky_device_bodies *bodies = host->bodies;
    struct ky_card *card = bodies->cards.card[0];
    int precision = bodies->parameters->precision;
    size_t n = bodies->n, all = n + points_of(host), real4 = ky_real4_bytes(precision);
    uint32_t count = (uint32_t)n, own_eps = (uint32_t)bodies->own_eps;
    union ky_state_value origin[3];
    for (int c = 0; c < 3; c++)
        origin[c] = ky_to_state(card, host->origin[c]);
    enum ky_status status = ky_buffer_need(card, &host->source, "sources", all, real4, error);
    if (status == KY_OK)
        status = ky_buffer_need(card, &host->low, "low parts of sources",
                                precision == KY_DOUBLE ? 1 : all, 4 * sizeof(float), error);
    if (status == KY_OK)
        status = ky_buffer_need(card, &host->eps2, "squared softenings", own_eps ? n : 1,
                                ky_real_bytes(precision), error);
    const struct ky_buffer *softening = own_eps ? &bodies->softening : &bodies->mass;
    const struct ky_arguments arguments =
        KY_ARGUMENTS(KY_BUFFER(bodies->position), KY_BUFFER(bodies->mass), KY_BUFFER(*softening),
                     KY_BUFFER(host->order), KY_BUFFER(host->source), KY_BUFFER(host->low),
                     KY_BUFFER(host->eps2), KY_VALUE(count), KY_VALUE(own_eps), KY_VALUE(origin[0]),
                     KY_VALUE(origin[1]), KY_VALUE(origin[2]));
    if (status == KY_OK)
        status =
            ky_launch_over(card, KY_IN_PRECISION(ky_walk_sources, precision), n, arguments, error);
    return status == KY_OK && host->points ? make_points(host, origin, error) : status;
}

enum ky_status ky_host_tree_send(struct ky_host_tree *host, const struct ky_parameters *parameters,
                                 int boxes, struct ky_error *error)
{
    size_t nodes = host->tree.nodes;
    boxes |= host->tree.test_box || parameters->opening == KY_MINIMUM;
    const struct {
        struct ky_buffer *buffer;
        const char *what;
        fill_function *fill;
        size_t count, size;
    } parts[] = {
        {&host->centre, "centres of cells", fill_centre, nodes,
         ky_real4_bytes(parameters->precision)},
        {&host->centre_low, "low parts of centres", fill_centre_low,
         parameters->precision == KY_DOUBLE ? 1 : nodes, 4 * sizeof(float)},
        {&host->link, "links of cells", fill_link, nodes, 4 * sizeof(uint32_t)},
        {&host->moment, "moments of cells", fill_moment, nodes, 8 * sizeof(float)},
        {&host->box, "boxes of cells", fill_box, boxes ? nodes : 1, 8 * sizeof(float)},
        {&host->order, "order of the bodies", fill_order, host->bodies->n + points_of(host),
         sizeof(uint32_t)},
        {&host->sink, "order of the walks", fill_sink,
         parameters->curve == KY_CURVE_NONE ? host->bodies->n : 0, sizeof(uint32_t)},
    };
    double start = ky_clock();
    enum ky_status status = KY_OK;
    for (size_t k = 0; k < sizeof parts / sizeof *parts && status == KY_OK; k++)
        status = send(host, parts[k].buffer, parts[k].what, parts[k].fill, parts[k].count,
                      parts[k].size, error);
    if (status == KY_OK)
        status = make_sources(host, error);
    host->bodies->report.upload += ky_clock() - start;
    return status;
}
