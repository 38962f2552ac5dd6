/* The columns of a tree's cells for kernels: octree/layout.h, KY_CELL_COLUMNS. */
#ifndef KY_KERNELS_CELL_COLUMNS_H
#define KY_KERNELS_CELL_COLUMNS_H

#include "engine/device/kernels/driver/dialect.h"

#include "octree/layout.h"

/* The first members of the structs of walks and of the kernels that compute cells. */
#define KY_CELL_READ(p, type, name, count, what) KY_GLOBAL const type *name;
#define KY_CELL_MADE(p, type, name, count, what) KY_GLOBAL type *name;
#define KY_CELLS_READ KY_CELL_COLUMNS(KY_CELL_READ, )
#define KY_CELLS_MADE KY_CELL_COLUMNS(KY_CELL_MADE, )

/* The first arguments of their kernels; the host passes KY_CELLS
 * (engine/device/tree/cell_columns.h). */
#define KY_CELL_TO_READ(p, type, name, count, what) KY_GLOBAL const type *KY_RESTRICT name,
#define KY_CELL_TO_MAKE(p, type, name, count, what) KY_GLOBAL type *name,
#define KY_CELLS_TO_READ KY_CELL_COLUMNS(KY_CELL_TO_READ, )
#define KY_CELLS_TO_MAKE KY_CELL_COLUMNS(KY_CELL_TO_MAKE, )

/* In a kernel with these arguments: the values of the members, at the beginning of an
 * initializer. */
#define KY_CELL_HERE(p, type, name, count, what) name,
#define KY_CELLS_HERE KY_CELL_COLUMNS(KY_CELL_HERE, )

#endif
