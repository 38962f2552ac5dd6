/* The orders of expansions (taylor.h) and their numbers of coefficients. */
#ifndef KY_PHYSICS_TAYLOR_ORDERS_H
#define KY_PHYSICS_TAYLOR_ORDERS_H

/* Number of coefficients up to an order, and index of the first one of degree 2: the coefficients
 * of degree 1 are 1, 2 and 3. */
#define KY_TAYLOR_COUNT(order) (((order) + 1) * ((order) + 2) * ((order) + 3) / 6)
#define KY_TAYLOR_SECOND 4

/* O(p, order): the orders whose cells have more than second moments, and all orders. `p` is passed
 * on unchanged. */
#define KY_TAYLOR_HIGHER(O, p) O(p, 3) O(p, 4) O(p, 5) O(p, 6)
#define KY_TAYLOR_ORDERS(O, p) O(p, 2) KY_TAYLOR_HIGHER(O, p)

#endif
