/* Cells and bodies of a part's tree in one piece of memory: see parts.h. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "octree/work.h"

struct header {
    uint64_t cells, bodies, roots, moments;
    uint64_t numbers, unused; /* numbers: 1 if the bodies have them. Columns begin at lines of 16 */
};

/* Bytes of a column: whole lines of 16. */
static size_t column_bytes(size_t count, size_t size)
{
    return (count * size + 15) / 16 * 16;
}

static size_t parcel_bytes(const struct header *header)
{
    const size_t moments = header->moments;
    (void)moments;
#define KY_CELL_LINES(p, type, name, count, what)                                                  \
    +column_bytes(header->cells *(count), sizeof(type))
    return sizeof *header + 4 * header->bodies * sizeof(double) +
           column_bytes(header->numbers * header->bodies, sizeof(uint32_t))
               KY_CELL_COLUMNS(KY_CELL_LINES, );
}

/* Sets the members to the addresses of the columns, for these numbers of cells and bodies. */
static void lay_out(const struct header *header, char *data, struct ky_octree_parcel *parcel)
{
    const size_t moments = header->moments;
    char *at = data + sizeof *header;
    (void)moments;
#define KY_CELL_LAY(p, type, name, count, what)                                                    \
    parcel->cells.name = (type *)(void *)at;                                                       \
    at += column_bytes(header->cells * (count), sizeof(type));
    KY_CELL_COLUMNS(KY_CELL_LAY, )
    const double **column[] = {&parcel->x, &parcel->y, &parcel->z, &parcel->mass};
    for (int c = 0; c < 4; c++, at += header->bodies * sizeof(double))
        *column[c] = (double *)(void *)at;
    parcel->number = header->numbers ? (uint32_t *)(void *)at : NULL;
    parcel->cells.count = header->cells;
    parcel->n = header->bodies;
    parcel->roots = header->roots;
    parcel->bytes = parcel_bytes(header);
    parcel->data = data;
}

enum ky_status ky_octree_unwrap(void *data, size_t bytes, size_t moments,
                                struct ky_octree_parcel *parcel, struct ky_error *error)
{
    const size_t most = bytes / sizeof(double);
    struct header header = {0};
    *parcel = (struct ky_octree_parcel){.data = data};
    if (bytes >= sizeof header)
        memcpy(&header, data, sizeof header);
    if (header.cells > most || header.bodies > most || header.roots > header.cells ||
        header.moments != moments || header.numbers > 1 || parcel_bytes(&header) != bytes)
        return ky_fail(error, KY_BAD_DATA, "%zu bytes of another part are not cells of a tree",
                       bytes);
    lay_out(&header, data, parcel);
    return KY_OK;
}

static struct header count_needed(const struct ky_octree *tree, const unsigned char *need)
{
    struct header header = {
        .roots = tree->roots, .moments = tree->moments, .numbers = tree->number != NULL};
    for (size_t cell = 0; cell < tree->nodes; cell++) {
        header.cells += need[cell] != KY_NEED_NOTHING;
        if (need[cell] > KY_NEED_CELL && !tree->children[cell])
            header.bodies += tree->link[cell].bodies;
    }
    return header;
}

/* The columns in a parcel that is being written. */
#define KY_CELL_WRITTEN(p, type, name, count, what) type *name;
struct written {
    KY_CELL_COLUMNS(KY_CELL_WRITTEN, )
    double *column[4];
    uint32_t *number;
};

/* Cells are written in the order of the tree, breadth first: children of opened cells are
 * consecutive here too. Links still have the tree's places of bodies. */
static void write_cells(const struct ky_octree *tree, const unsigned char *need,
                        const struct written *to)
{
    const size_t moments = tree->moments;
    size_t at = 0, next = tree->roots;
    for (size_t cell = 0; cell < tree->nodes; cell++) {
        if (need[cell] == KY_NEED_NOTHING)
            continue;
#define KY_CELL_WRITE(p, type, name, count, what)                                                  \
    memcpy(to->name + at * (count), tree->name + cell * (count), (count) * sizeof(type));
        KY_CELL_COLUMNS(KY_CELL_WRITE, )
        struct ky_cell_link *link = &to->link[at];
        link->next = link->more = KY_NO_LINK;
        if (need[cell] == KY_NEED_CELL) {
            to->children[at] = 0;
            link->bodies = KY_CLOSED_CELL;
        } else if (tree->children[cell]) {
            link->more = (unsigned)next;
            next += tree->children[cell];
        }
        at++;
    }
}

/* Writes the bodies below a cell of the parcel from place `at` on, along the curve. If all leaves
 * of a cell are in the parcel, its bodies are consecutive. Returns their end. */
static size_t write_bodies(const struct ky_octree *tree, const struct written *to, size_t cell,
                           size_t at)
{
    const double *const column[] = {tree->x, tree->y, tree->z, tree->mass};
    struct ky_cell_link *link = &to->link[cell];
    const size_t from = link->body, children = to->children[cell];
    link->body = (unsigned)at;
    for (size_t k = 0; k < children; k++)
        at = write_bodies(tree, to, link->more + k, at);
    if (children || link->bodies == KY_CLOSED_CELL)
        return at;
    for (int c = 0; c < 4; c++)
        memcpy(to->column[c] + at, column[c] + from, link->bodies * sizeof(double));
    if (tree->number)
        memcpy(to->number + at, tree->number + from, link->bodies * sizeof *to->number);
    return at + link->bodies;
}

enum ky_status ky_octree_pack(const struct ky_octree *tree, const unsigned char *need,
                              struct ky_octree_parcel *parcel, struct ky_error *error)
{
    const struct header header = count_needed(tree, need);
    const size_t bytes = parcel_bytes(&header);
    char *data;
    KY_TRY(ky_array(&data, bytes, 1, "cells for another part", error));
    lay_out(&header, data, parcel);
    memcpy(data, &header, sizeof header);
    const struct ky_given_cells *cells = &parcel->cells;
#define KY_CELL_WRITABLE(p, type, name, count, what) .name = (type *)(uintptr_t)cells->name,
    const struct written to = {
        KY_CELL_COLUMNS(KY_CELL_WRITABLE, ).column = {(double *)(uintptr_t)parcel->x,
                                                      (double *)(uintptr_t)parcel->y,
                                                      (double *)(uintptr_t)parcel->z,
                                                      (double *)(uintptr_t)parcel->mass},
        .number = (uint32_t *)(uintptr_t)parcel->number};
    write_cells(tree, need, &to);
    for (size_t r = 0, bodies = 0; r < tree->roots; r++)
        bodies = write_bodies(tree, &to, r, bodies);
    return KY_OK;
}
