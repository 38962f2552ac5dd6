/* The tree of card or host, sources and points: the host side of kernels/tree/walk_sources.k. */
#include "engine/device/tree/links.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"
#include "engine/common/force_kinds.h"
#include "engine/common/trees.h"
#include "engine/device/state/curve.h"
#include "engine/device/state/rows.h"
#include "engine/device/tree/active.h"
#include "engine/device/tree/tree_groups.h"
#include "octree/opening_kinds.h"

int ky_links_of_host(const struct ky_parameters *parameters)
{
    return ky_force_kind(parameters->force)->tree == KY_TREE_OF_HOST ||
           parameters->tree == KY_TREE_OF_HOST;
}

enum ky_status ky_links_check(const struct ky_parameters *parameters, struct ky_error *error)
{
    const struct ky_force_kind *force = ky_force_kind(parameters->force);
    const int any = force->tree == KY_TREE_BY_ENGINE || parameters->tree == KY_TREE_BY_ENGINE;
    return any || parameters->tree == (int)force->tree
               ? KY_OK
               : ky_fail(error, KY_UNSUPPORTED, "%s", force->not_the_other);
}

int ky_links_are_of_host(const struct ky_links *links)
{
    return ky_links_of_host(links->bodies->state->parameters) || links->own.serves;
}

void ky_links_begin(struct ky_links *links)
{
    ky_report_clear(&links->bodies->state->report);
    ky_begin_marks(&links->bodies->state->opened);
    links->counts.of.groups = 0;
}

void ky_links_release(struct ky_links *links)
{
    struct ky_buffer *buffers[] = {&links->source, &links->low, &links->eps2, &links->lanes};
    links->moves = 0;
    ky_host_tree_release(&links->host);
    ky_pair_counts_release(&links->counts, links->bodies);
    ky_device_tree_release(&links->own, links->bodies);
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        ky_buffer_release(links->bodies->card, buffers[k]);
}

void ky_links_memory(const struct ky_parameters *parameters, size_t n, struct ky_memory *memory)
{
    double low = parameters->precision == KY_DOUBLE ? 0 : 4 * sizeof(float);
    double body = (double)ky_real4_bytes(parameters->precision) + low + sizeof(uint32_t);
    memory->device += (double)n * body;
    if (ky_links_of_host(parameters))
        ky_host_tree_memory(parameters, n, memory);
    else
        memory->device += ky_device_tree_memory(parameters, n);
}

struct ky_cells ky_links_cells(const struct ky_links *links)
{
    const struct ky_host_tree *host = &links->host;
    const struct ky_device_tree *own = &links->own;
    return ky_links_are_of_host(links)
               ? (struct ky_cells){host->tree.nodes, 0, &host->column, &host->order, &host->frame}
               : (struct ky_cells){own->cells, own->start, &own->column,
                                   &links->bodies->curve.index, &own->frame};
}

uint32_t ky_links_flags(const struct ky_links *links, const struct ky_parameters *parameters)
{
    const struct ky_device_bodies *bodies = links->bodies;
    int own_eps = bodies->state->own_eps, source_eps = bodies->state->how & KY_EPS_OF_BOTH;
    return (own_eps ? KY_FLAG_OWN_EPS : 0U) | (source_eps ? KY_FLAG_SOURCE_EPS : 0U) |
           (own_eps && (bodies->state->how & KY_EPS_SUM) && !ky_links_are_of_host(links)
                ? KY_FLAG_MIXED
                : 0U) |
           ky_octree_opening(parameters);
}

/* ---- sources ---- */

static enum ky_status make_sources(struct ky_links *links, struct ky_error *error)
{
    const struct ky_device_bodies *bodies = links->bodies;
    const struct ky_cells cells = ky_links_cells(links);
    uint32_t n = (uint32_t)bodies->n, flags = (bodies->state->own_eps ? KY_FLAG_OWN_EPS : 0U) |
                                              (bodies->curve.is_followed ? KY_FLAG_ALONG : 0U);
    return ky_launch_over(links->bodies->card,
                          KY_IN_PRECISION(ky_walk_sources, bodies->state->parameters->precision), n,
                          KY_ARGUMENTS(KY_BUFFER(bodies->position), KY_BUFFER(bodies->mass),
                                       KY_BUFFER(*ky_device_softenings(bodies)),
                                       KY_BUFFER(*cells.order), KY_BUFFER(*cells.frame),
                                       KY_BUFFER(links->source), KY_BUFFER(links->low),
                                       KY_BUFFER(links->eps2), KY_VALUE(n), KY_VALUE(flags)),
                          error);
}

/* Allocates memory for the sources and these points behind them. If it has to grow, the sources are
 * lost. */
static enum ky_status need_sources(struct ky_links *links, const struct ky_points *points,
                                   struct ky_error *error)
{
    const struct ky_device_bodies *bodies = links->bodies;
    const int precision = bodies->state->parameters->precision;
    const size_t n = bodies->n, all = n + (points ? points->count : 0);
    const int softened = bodies->state->own_eps || (points && points->softenings);
    const struct ky_need needs[] = {
        {&links->source, "sources", all, ky_real4_bytes(precision)},
        {&links->low, "low parts of sources", precision == KY_DOUBLE ? 1 : all, 4 * sizeof(float)},
        {&links->eps2, "squared softenings", softened ? all : 1, ky_real_bytes(precision)},
    };
    for (size_t k = 0; k < sizeof needs / sizeof *needs; k++)
        if (needs[k].buffer->bytes < needs[k].count * needs[k].size)
            links->moves = 0;
    return ky_buffers_need(links->bodies->card, needs, sizeof needs / sizeof *needs, error);
}

/* Writes points behind the bodies. */
static enum ky_status make_points(struct ky_links *links, const struct ky_points *points,
                                  struct ky_error *error)
{
    const struct ky_device_bodies *bodies = links->bodies;
    struct ky_card *card = links->bodies->card;
    uint32_t n = (uint32_t)bodies->n, count = (uint32_t)points->count;
    const struct ky_rows rows = {count, 3, 1 / bodies->state->units.length, bodies->state->box};
    const struct ky_cells cells = ky_links_cells(links);
    struct ky_buffer position = {0};
    enum ky_status status =
        ky_rows_send(bodies->state, &position, "points", rows, points->position[0], error);
    if (!status)
        status = ky_launch_over(
            card, KY_IN_PRECISION(ky_walk_points, bodies->state->parameters->precision), count,
            KY_ARGUMENTS(KY_BUFFER(position), KY_BUFFER(*cells.frame), KY_BUFFER(links->source),
                         KY_BUFFER(links->low), KY_VALUE(n), KY_VALUE(count)),
            error);
    ky_buffer_release(card, &position);
    return status ? status
                  : ky_device_send_softenings(bodies, points, bodies->state->parameters->precision,
                                              &links->eps2, bodies->n, error);
}

/* ---- trees ---- */

static enum ky_status stand_host(struct ky_links *links, const struct ky_parameters *parameters,
                                 int boxes, struct ky_error *error)
{
    KY_TRY(ky_device_curve_leave(links->bodies, error));
    KY_TRY(ky_host_tree_stand(&links->host, parameters, error));
    return ky_host_tree_send(&links->host, boxes, error);
}

/* Widens the boxes of this many cells for walks that round, by octree_bodies.digit. */
static enum ky_status widen(struct ky_links *links, int precision, size_t count,
                            struct ky_error *error)
{
    /* Cells store 48 bits of their positions; the card's own sums lose the last of these. */
    static const float digit[KY_PRECISIONS] = {0x1p-23f, 0x1p-45f, 0x1p-45f};
    struct ky_device_tree *own = &links->own;
    uint32_t cells = (uint32_t)count;
    if (own->is_wide)
        return KY_OK;
    enum ky_status status =
        ky_launch_over(links->bodies->card, KY_KERNEL_ky_tree_widen, cells,
                       KY_ARGUMENTS(KY_BUFFER(own->column.centre), KY_BUFFER(own->column.box),
                                    KY_VALUE(digit[precision]), KY_VALUE(cells)),
                       error);
    own->is_wide = !status;
    return status;
}

static enum ky_status stand_own(struct ky_links *links, const struct ky_parameters *parameters,
                                struct ky_error *error)
{
    const struct ky_device_tree *own = &links->own;
    const int stands = own->built > 0 && own->built == links->bodies->moves &&
                       own->opening == ky_opening_key(parameters) &&
                       own->order == parameters->multipole && own->leaf == parameters->leaf;
    if (!stands)
        KY_TRY(ky_device_tree_build(&links->own, links->bodies, parameters, error));
    return widen(links, parameters->precision, own->cells, error);
}

enum ky_status ky_links_stand(struct ky_links *links, const struct ky_parameters *parameters,
                              int boxes, const struct ky_points *points, struct ky_error *error)
{
    enum ky_status status = ky_links_are_of_host(links)
                                ? stand_host(links, parameters, boxes, error)
                                : stand_own(links, parameters, error);
    if (!status)
        status = need_sources(links, points, error);
    if (!status &&
        (links->moves != links->bodies->moves || links->by_host != ky_links_are_of_host(links)))
        status = make_sources(links, error);
    links->by_host = ky_links_are_of_host(links);
    links->moves = !status ? links->bodies->moves : 0;
    return !status && points ? make_points(links, points, error) : status;
}

static enum ky_status source_parts(struct ky_links *links, const struct ky_points *points,
                                   struct ky_error *error)
{
    const enum ky_status status = need_sources(links, points, error);
    links->moves = 0; /* force evaluations do not update them */
    return status ? status : make_sources(links, error);
}

enum ky_status ky_links_stand_part(struct ky_links *links, const struct ky_parameters *parameters,
                                   struct ky_error *error)
{
    struct ky_device_tree *own = &links->own;
    enum ky_status status = KY_OK;
    if (own->is_wide || own->opening != ky_opening_key(parameters))
        status = ky_device_tree_refresh(own, links->bodies, parameters, error);
    own->opening = ky_opening_key(parameters);
    own->is_wide = 0;
    return status ? status : source_parts(links, NULL, error);
}

enum ky_status ky_links_stand_parts(struct ky_links *links, const struct ky_parameters *parameters,
                                    const struct ky_points *points, struct ky_error *error)
{
    enum ky_status status = source_parts(links, points, error);
    if (!status)
        status = widen(links, parameters->precision, links->own.reached, error);
    return !status && points ? make_points(links, points, error) : status;
}

enum ky_status ky_links_stand_for_points(struct ky_links *links,
                                         const struct ky_parameters *parameters,
                                         const struct ky_points *points, struct ky_error *error)
{
    struct ky_device_bodies *bodies = links->bodies;
    const struct ky_force_report report = bodies->state->report;
    const int measured = bodies->state->opened.measured;
    bodies->state->opened.measured = 0;
    const enum ky_status status = ky_links_stand(links, parameters, 0, points, error);
    ky_links_done(links);
    bodies->state->opened.measured = measured;
    bodies->state->report = report;
    return status;
}

enum ky_status ky_links_build(struct ky_links *links, const struct ky_parameters *parameters,
                              struct ky_error *error)
{
    links->host.built = links->own.built = 0;
    return ky_links_stand(links, parameters, 0, NULL, error);
}

void ky_links_report(const struct ky_links *links, struct ky_force_report *report)
{
    if (!ky_links_are_of_host(links))
        ky_device_tree_report(&links->own, links->bodies, report);
}

void ky_links_done(struct ky_links *links)
{
    ky_device_tree_done(&links->own, links->bodies);
}

/* ---- lanes ---- */

static enum ky_status send_active(struct ky_links *links, const struct ky_active *active,
                                  struct ky_error *error)
{
    const size_t n = links->bodies->n, count = active->count;
    unsigned char *is_active;
    size_t next = 0;
    uint32_t *list = ky_allocate(count, sizeof *list);
    enum ky_status status = ky_device_active_places(&links->host, active, &is_active, error);
    if (!status && !list)
        status = ky_no_memory(error, "active bodies", count, sizeof *list);
    for (size_t k = 0; k < n && !status; k++)
        if (is_active[k])
            list[next++] = (uint32_t)k;
    if (!status)
        status = ky_buffer_fill(links->bodies->card, &links->lanes, "active bodies", list, count,
                                sizeof *list, error);
    free(is_active);
    free(list);
    return status;
}

static enum ky_status list_active(struct ky_links *links, struct ky_evaluation *evaluation,
                                  struct ky_error *error)
{
    KY_TRY(ky_buffer_need(links->bodies->card, &links->lanes, "active bodies",
                          evaluation->active->count, sizeof(uint32_t), error));
    return ky_device_tree_list(&links->own, links->bodies, evaluation, &links->lanes, error);
}

enum ky_status ky_links_lanes(struct ky_links *links, struct ky_evaluation *evaluation,
                              const struct ky_parameters *parameters, struct ky_error *error)
{
    struct ky_card *card = links->bodies->card;
    uint32_t n = (uint32_t)links->bodies->n;
    if (evaluation->active)
        return ky_links_are_of_host(links) ? send_active(links, evaluation->active, error)
                                           : list_active(links, evaluation, error);
    if (parameters->curve != KY_CURVE_NONE)
        return KY_OK;
    KY_TRY(ky_buffer_need(card, &links->lanes, "order of the walks", n, sizeof n, error));
    return ky_launch_over(
        card, KY_KERNEL_ky_order_inverse, n,
        KY_ARGUMENTS(KY_BUFFER(*ky_links_cells(links).order), KY_BUFFER(links->lanes), KY_VALUE(n)),
        error);
}
