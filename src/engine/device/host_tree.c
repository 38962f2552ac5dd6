/* The host's octree for the walks on the device: positions come down, the tree is built and goes
 * up. Both ways count as download and upload of the evaluation. */
#include "engine/device/host_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "engine/device/rows.h"
#include "engine/trees.h"
#include "physics/opening.h"

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
    host->mass = host->softening = NULL;
    host->put = host->place = host->built = 0;
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
    const size_t cell = sizeof(struct ky_cell_centre) + sizeof(struct ky_low) +
                        sizeof(struct ky_cell_link) + sizeof(struct ky_cell_box) +
                        KY_MOMENTS(parameters->multipole) * sizeof(float);
    double cells = (double)n * fmin(2, 6.0 / parameters->leaf);
    double low = parameters->precision == KY_DOUBLE ? 0 : 4 * sizeof(float);
    double body = (double)ky_real4_bytes(parameters->precision) + low + 2 * sizeof(uint32_t);
    memory->device += (double)n * body + cells * (double)cell;
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

void ky_host_tree_begin(struct ky_host_tree *host)
{
    ky_report_clear(&host->bodies->report);
    ky_begin_marks(&host->bodies->cards);
    host->counts.groups = 0;
}

enum ky_status ky_host_tree_build(struct ky_host_tree *host, const struct ky_parameters *parameters,
                                  struct ky_error *error)
{
    /* The place of a body and the centre of a cell may each be wrong by half their last digit,
     * which is 2^-24 (single) or 2^-48 (extended) of the distance from the origin. A difference is
     * wrong by both. Positions in double are as they came. */
    static const double digit[KY_PRECISIONS] = {0x1p-23, 0x1p-47, 0}, whole[3] = {0};
    enum ky_status status = fetch(host, error);
    if (status != KY_OK)
        return status;
    struct ky_force_report *report = &host->bodies->report;
    size_t n = host->bodies->n;
    struct ky_octree_bodies bodies = {
        n, host->x[0], host->x[1], host->x[2], host->mass, host->softening, {0}, 0, NULL, 0};
    ky_tree_cube(&host->bodies->frame, host->bodies->units.length, &bodies);
    bodies.origin = parameters->precision == KY_DOUBLE ? whole : NULL;
    bodies.digit = digit[parameters->precision];
    host->place = host->built = 0;
    status = ky_octree_build(&host->tree, &bodies, parameters, error);
    if (status != KY_OK)
        return status;
    ky_tree_seconds(&host->tree, report);
    double start = ky_clock();
    ky_octree_link(&host->tree);
    report->build += ky_clock() - start;
    host->built = host->bodies->place;
    host->opening = parameters->opening;
    return KY_OK;
}

enum ky_status ky_host_tree_stand(struct ky_host_tree *host, const struct ky_parameters *parameters,
                                  struct ky_error *error)
{
    const int stands = host->built > 0 && host->built == host->bodies->place &&
                       host->opening == parameters->opening;
    return stands ? KY_OK : ky_host_tree_build(host, parameters, error);
}

/* ---- the tree to the device ---- */

static enum ky_status send(struct ky_host_tree *host, struct ky_buffer *buffer, const char *what,
                           const void *data, size_t count, size_t size, struct ky_error *error)
{
    struct ky_device_bodies *bodies = host->bodies;
    return ky_staging_fill(&bodies->staging, bodies->cards.card[0], bodies->threads, buffer, what,
                           data, count, size, error);
}

/* For `curve none`: where the lane of each body finds it. */
static enum ky_status send_places(struct ky_host_tree *host, struct ky_error *error)
{
    uint32_t *place;
    enum ky_status status = ky_octree_places(&host->tree, &place, error);
    if (status == KY_OK)
        status = send(host, &host->sink, "order of the walks", place, host->bodies->n,
                      sizeof *place, error);
    free(place);
    return status;
}

static size_t points_of(const struct ky_host_tree *host)
{
    return host->points ? host->points->count : 0;
}

/* The order of the bodies; the points behind them keep theirs. */
static void fill_order(const void *context, size_t first, size_t end, void *piece)
{
    const struct ky_host_tree *host = context;
    const size_t n = host->bodies->n;
    uint32_t *to = piece;
    for (size_t k = first; k < end; k++)
        *to++ = k < n ? host->tree.order[k] : (uint32_t)(k - n);
}

static enum ky_status send_order(struct ky_host_tree *host, struct ky_error *error)
{
    struct ky_device_bodies *bodies = host->bodies;
    struct ky_card *card = bodies->cards.card[0];
    const struct ky_staged order = {&host->order, 0, bodies->n + points_of(host), sizeof(uint32_t)};
    enum ky_status status =
        ky_buffer_need(card, &host->order, "order of the bodies", order.count, order.size, error);
    return status == KY_OK ? ky_staging_up(&bodies->staging, card, bodies->threads, &order,
                                           fill_order, host, error)
                           : status;
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
        origin[c] = ky_to_state(card, host->tree.origin[c]);
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
    const struct ky_octree *tree = &host->tree;
    const size_t nodes = tree->nodes, one = 1; /* a buffer that nobody reads */
    boxes |= (tree->opening & KY_OPENING_BOXES) != 0;
    const struct {
        struct ky_buffer *buffer;
        const char *what;
        const void *data;
        size_t count, size;
    } parts[] = {
        {&host->centre, "centres of cells", tree->centre, nodes, sizeof *tree->centre},
        {&host->centre_low, "low parts of centres", tree->low, nodes, sizeof *tree->low},
        {&host->link, "links of cells", tree->link, nodes, sizeof *tree->link},
        {&host->moment, "moments of cells", tree->moment, nodes * tree->moments, sizeof(float)},
        {&host->box, "boxes of cells", tree->box, boxes ? nodes : one, sizeof *tree->box},
    };
    double start = ky_clock();
    enum ky_status status = KY_OK;
    for (size_t k = 0; k < sizeof parts / sizeof *parts && status == KY_OK; k++)
        status = send(host, parts[k].buffer, parts[k].what, parts[k].data, parts[k].count,
                      parts[k].size, error);
    if (status == KY_OK)
        status = send_order(host, error);
    if (status == KY_OK && parameters->curve == KY_CURVE_NONE)
        status = send_places(host, error);
    if (status == KY_OK)
        status = make_sources(host, error);
    host->bodies->report.upload += ky_clock() - start;
    return status;
}
