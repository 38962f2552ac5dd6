/* The host's octree for walks on the device: positions are copied to the host, the tree is built
 * and copied to the device. Both copies count as download and upload of the evaluation. */
#include "engine/device/tree/host_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "engine/common/trees.h"
#include "octree/opening_kinds.h"
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
    host->put = host->sent = host->built = 0;
}

void ky_host_tree_release(struct ky_host_tree *host)
{
    forget(host);
    struct ky_card *card = host->bodies->card;
    ky_cell_columns_release(card, &host->column);
    ky_buffer_release(card, &host->order);
    ky_buffer_release(card, &host->frame);
}

void ky_host_tree_memory(const struct ky_parameters *parameters, size_t n, struct ky_memory *memory)
{
    memory->device += (double)n * sizeof(uint32_t) +
                      ky_octree_cells(parameters, n) * (double)ky_octree_cell_bytes(parameters);
    memory->host += (double)n * 5 * sizeof(double) + ky_octree_memory(parameters, n);
}

/* Allocates columns for the bodies, and reads the values that do not change until bodies are put
 * again. */
static enum ky_status start_host(struct ky_host_tree *host, struct ky_error *error)
{
    struct ky_device_bodies *bodies = host->bodies;
    size_t n = bodies->n;
    double **columns[] = {&host->x[0], &host->x[1], &host->x[2], &host->mass, &host->softening};
    forget(host);
    ky_octree_init(&host->tree);
    for (int k = 0; k < (bodies->state->own_eps ? 5 : 4); k++) {
        *columns[k] = ky_allocate(n, sizeof(double));
        if (!*columns[k])
            return ky_no_memory(error, "bodies for the tree on the host", n, sizeof(double));
    }
    enum ky_status status = ky_device_bodies_columns(bodies, KY_ARRAY_MASS, &host->mass, error);
    if (!status && bodies->state->own_eps)
        status = ky_device_bodies_columns(bodies, KY_ARRAY_SOFTENING, &host->softening, error);
    host->put = !status ? bodies->state->put : 0;
    return status;
}

/* Reads the bodies' columns at the current positions. */
static enum ky_status fetch(struct ky_host_tree *host, struct ky_error *error)
{
    struct ky_device_bodies *bodies = host->bodies;
    enum ky_status status = bodies->card->driver->wait(bodies->card, error);
    double start = ky_clock();
    if (!status && host->put != bodies->state->put)
        status = start_host(host, error);
    if (!status)
        status = ky_device_bodies_columns(bodies, KY_ARRAY_POSITION, host->x, error);
    bodies->state->report.download += ky_clock() - start;
    return status;
}

static enum ky_status build(struct ky_host_tree *host, const struct ky_parameters *parameters,
                            struct ky_error *error)
{
    /* The position of a body and the centre of a cell may each be wrong by half a unit in the last
     * place, which is 2^-24 (single) or 2^-48 (extended) of the distance from the origin. A
     * difference is wrong by both. Positions in double are exact. */
    static const double digit[KY_PRECISIONS] = {0x1p-23, 0x1p-47, 0};
    KY_TRY(fetch(host, error));
    struct ky_force_report *report = &host->bodies->state->report;
    size_t n = host->bodies->n;
    struct ky_octree_bodies bodies = {.n = n,
                                      .x = host->x[0],
                                      .y = host->x[1],
                                      .z = host->x[2],
                                      .mass = host->mass,
                                      .softening = host->softening};
    ky_tree_frame(&host->bodies->state->frame, host->bodies->state->units.length, &bodies);
    if (parameters->precision == KY_DOUBLE) {
        bodies.has_origin = 1;
        memset(bodies.origin, 0, sizeof bodies.origin);
    }
    bodies.digit = digit[parameters->precision];
    host->sent = host->built = 0;
    KY_TRY(ky_octree_build(&host->tree, &bodies, parameters, error));
    ky_tree_seconds(&host->tree, report);
    double start = ky_clock();
    ky_octree_link(&host->tree);
    report->build += ky_clock() - start;
    host->built = host->bodies->moves;
    host->opening = ky_opening_key(parameters);
    return KY_OK;
}

enum ky_status ky_host_tree_stand(struct ky_host_tree *host, const struct ky_parameters *parameters,
                                  struct ky_error *error)
{
    const int stands = host->built > 0 && host->built == host->bodies->moves &&
                       host->opening == ky_opening_key(parameters);
    return stands ? KY_OK : build(host, parameters, error);
}

/* ---- the tree to the device ---- */

static enum ky_status send(struct ky_host_tree *host, struct ky_buffer *buffer, const char *what,
                           const void *data, size_t count, size_t size, struct ky_error *error)
{
    struct ky_device_bodies *bodies = host->bodies;
    const struct ky_staged array = {buffer, 0, count, size};
    return ky_staging_fill(&bodies->staging, bodies->card, bodies->state->threads, &array, what,
                           data, error);
}

static enum ky_status send_origin(struct ky_host_tree *host, struct ky_error *error)
{
    struct ky_card *card = host->bodies->card;
    union ky_state_value frame[KY_FRAME_ORIGIN + 3] = {{0}};
    for (int c = 0; c < 3; c++)
        frame[KY_FRAME_ORIGIN + c] = ky_to_state(card, host->tree.origin[c]);
    return ky_buffer_fill(card, &host->frame, "origin of the cells", frame, KY_FRAME_ORIGIN + 3,
                          KY_STATE_BYTES, error);
}

enum ky_status ky_host_tree_send(struct ky_host_tree *host, int boxes, struct ky_error *error)
{
    const struct ky_octree *tree = &host->tree;
    const size_t moments = tree->moments;
    boxes |= (tree->opening & KY_OPENING_BOXES) != 0;
#define KY_CELL_SENT(p, type, name, count, what)                                                   \
    {&host->column.name, what, tree->name, tree->nodes, sizeof(type) * (count)},
    struct {
        struct ky_buffer *buffer;
        const char *what;
        const void *data;
        size_t count, size;
    } parts[] = {KY_CELL_COLUMNS(KY_CELL_SENT, ){&host->order, "order of the bodies", tree->order,
                                                 tree->n, sizeof *tree->order}};
    if (!boxes)
        parts[KY_COLUMN_OF_CELLS_box].count = 1; /* a dummy that is never read */
    double start = ky_clock();
    enum ky_status status = KY_OK;
    if (host->sent == host->built && host->has_boxes >= boxes)
        return KY_OK;
    for (size_t k = 0; k < sizeof parts / sizeof *parts && !status; k++)
        status = send(host, parts[k].buffer, parts[k].what, parts[k].data, parts[k].count,
                      parts[k].size, error);
    if (!status)
        status = send_origin(host, error);
    host->sent = !status ? host->built : 0;
    host->has_boxes = boxes;
    host->bodies->state->report.upload += ky_clock() - start;
    return status;
}
