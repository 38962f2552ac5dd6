/* The columns of cells on a card: a buffer for each row of KY_CELL_COLUMNS (octree/layout.h). */
#ifndef KY_DEVICE_TREE_COLUMNS_H
#define KY_DEVICE_TREE_COLUMNS_H

#include "engine/device/driver/card.h"
#include "octree/layout.h"

#define KY_CELL_BUFFER(p, type, name, count, what) struct ky_buffer name;
struct ky_cell_columns {
    KY_CELL_COLUMNS(KY_CELL_BUFFER, )
};

/* All columns as arguments of a kernel: the first of KY_CELLS_ARGUMENTS. */
#define KY_CELL_GIVEN(columns, type, name, count, what) KY_BUFFER((columns).name),
#define KY_CELLS(columns) KY_CELL_COLUMNS(KY_CELL_GIVEN, columns)

/* Allocates this many cells if there is memory for fewer than `least`. KY_DEVICE if the card lacks
 * the memory. */
enum ky_status ky_cell_columns_need(struct ky_card *card, struct ky_cell_columns *columns,
                                    size_t least, size_t cells, size_t moments,
                                    struct ky_error *error);
/* 1 if there is memory for this many cells with this many moments each. */
static inline int ky_cell_columns_hold(const struct ky_cell_columns *columns, size_t cells,
                                       size_t moments)
{
    return cells <= columns->children.bytes &&
           cells * moments * sizeof(float) <= columns->moment.bytes;
}
/* Enlarges the memory to this many cells, and keeps the first `kept` ones. KY_DEVICE if the card
 * lacks the memory; the cells are lost then. */
enum ky_status ky_cell_columns_extend(struct ky_card *card, struct ky_cell_columns *columns,
                                      size_t kept, size_t cells, size_t moments,
                                      struct ky_error *error);
/* Releases the buffers. */
void ky_cell_columns_release(struct ky_card *card, struct ky_cell_columns *columns);

#endif
