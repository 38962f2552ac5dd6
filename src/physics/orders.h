/* The orders of the moments of cells, and quantities that depend on the order, except the moments
 * themselves (octree/layout.h, KY_MOMENTS) and the power of the opening (opening.h). */
#ifndef KY_PHYSICS_ORDERS_H
#define KY_PHYSICS_ORDERS_H

#include "physics/dialect.h"

/* O(p, order, name, cost): a cell costs as much time as `cost` bodies. `p` is passed on
 * unchanged. */
#define KY_ORDERS(O, p)                                                                            \
    O(p, 1, "monopole", 1)                                                                         \
    O(p, 2, "quadrupole", 2)

KY_FN ky_uint ky_order_cost(int order)
{
#define KY_ORDER_COST(asked, order, name, cost) +((asked) == (order) ? (cost) : 0)
    return 0U KY_ORDERS(KY_ORDER_COST, order);
}

#endif
