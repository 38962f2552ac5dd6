/* Neighbours and roots of a part: the host side of kernels/ranks/curve.k. */
#include "engine/device/tree/tree_part.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"

enum ky_status ky_tree_part_neighbours(struct ky_tree_part *part,
                                       const struct ky_device_bodies *bodies,
                                       const struct ky_buffer *keys, struct ky_error *error)
{
    const struct ky_shared *shared = ky_device_shared(bodies->state);
    const struct ky_driver *driver = bodies->card->driver;
    const size_t n = bodies->live, size = sizeof(uint64_t);
    uint64_t own[2] = {1, 0}, (*all)[2] = ky_allocate(shared->ranks, sizeof *all);
    enum ky_status status =
        all ? KY_OK : ky_no_memory(error, "the ranks", shared->ranks, sizeof *all);
    if (!status && n > 0)
        status = driver->read(bodies->card, keys, 0, &own[0], size, error);
    if (!status && n > 0)
        status = driver->read(bodies->card, keys, (n - 1) * size, &own[1], size, error);
    if (!status)
        status = ky_shared_gather(shared, own, sizeof own, all, error);
    part->neighbours = 0;
    for (size_t r = 0; r < shared->ranks && !status; r++) {
        if (all[r][0] > all[r][1]) /* no bodies */
            continue;
        if (r < shared->rank) {
            part->neighbours |= KY_IS_BEFORE;
            part->before = all[r][1];
        } else if (r > shared->rank && !(part->neighbours & KY_IS_AFTER)) {
            part->neighbours |= KY_IS_AFTER;
            part->after = all[r][0];
        }
    }
    free(all);
    return status;
}

enum ky_status ky_tree_part_roots(struct ky_tree_part *part, const struct ky_device_bodies *bodies,
                                  const struct ky_buffer *keys, struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    uint32_t n = (uint32_t)bodies->live, room = KY_PART_ROOTS, neighbours = part->neighbours;
    uint64_t before = part->before, after = part->after;
    KY_TRY(ky_buffer_need(card, &part->root, "roots of a tree", KY_PART_ROOTS, sizeof *part->known,
                          error));
    KY_TRY(ky_buffer_need(card, &part->count, "number of roots", 1, sizeof(uint32_t), error));
    KY_TRY(card->driver->zero(card, &part->count, error));
    return ky_launch_over(card, KY_KERNEL_ky_curve_roots, n,
                          KY_ARGUMENTS(KY_BUFFER(*keys), KY_BUFFER(part->root),
                                       KY_BUFFER(part->count), KY_VALUE(n), KY_VALUE(room),
                                       KY_VALUE(neighbours), KY_VALUE(before), KY_VALUE(after)),
                          error);
}

static int along_the_curve(const void *a, const void *b)
{
    const struct ky_part_root *p = a, *q = b;
    return (p->body > q->body) - (p->body < q->body);
}

/* Sends the list of the roots' cells to the card. */
static enum ky_status list_cells(struct ky_tree_part *part, struct ky_card *card,
                                 struct ky_error *error)
{
    uint32_t cell[KY_PART_ROOTS];
    for (size_t k = 0; k < part->roots; k++)
        cell[k] = part->known[k].cell;
    return ky_buffer_fill(card, &part->cell, "cells of roots", cell, part->roots, sizeof *cell,
                          error);
}

enum ky_status ky_tree_part_cells(struct ky_tree_part *part, const struct ky_device_bodies *bodies,
                                  const struct ky_buffer *link, const struct ky_buffer *facts,
                                  struct ky_error *error)
{
    struct ky_card *card = bodies->card;
    uint32_t roots = 0;
    if (!part->known)
        KY_TRY(
            ky_array(&part->known, KY_PART_ROOTS, sizeof *part->known, "roots of a tree", error));
    enum ky_status status = card->driver->read(card, &part->count, 0, &roots, sizeof roots, error);
    part->roots = roots;
    if (!status && (roots == 0 || roots > KY_PART_ROOTS))
        status = ky_fail(
            error, KY_DEVICE,
            "%s: the tree of %zu bodies has %u roots, not 1 to %d: the device computes incorrectly",
            card->name, bodies->live, roots, KY_PART_ROOTS);
    if (!status)
        status = ky_launch_over(card, KY_KERNEL_ky_curve_cells, roots,
                                KY_ARGUMENTS(KY_BUFFER(*link), KY_BUFFER(*facts),
                                             KY_BUFFER(part->root), KY_VALUE(roots)),
                                error);
    if (!status)
        status = card->driver->read(card, &part->root, 0, part->known, roots * sizeof *part->known,
                                    error);
    if (status)
        return status;
    qsort(part->known, roots, sizeof *part->known, along_the_curve);
    return list_cells(part, card, error);
}

void ky_tree_part_release(struct ky_tree_part *part, const struct ky_device_bodies *bodies)
{
    struct ky_buffer *buffers[] = {&part->root, &part->count, &part->cell};
    for (size_t k = 0; k < sizeof buffers / sizeof *buffers; k++)
        ky_buffer_release(bodies->card, buffers[k]);
    free(part->known);
    part->known = NULL;
    part->roots = 0;
}
