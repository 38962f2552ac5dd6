/* The kernels of tree walks and of their lists, each compiled for several orders of moments and in
 * several kinds. The units and kernels of list.h and the host's table, ky_variant(), are made from
 * this list. A new order is a row of KY_VARIANTS. */
#ifndef KY_KERNELS_VARIANTS_H
#define KY_KERNELS_VARIANTS_H

/* V(p, number, force, FORCE, order, kind, how, kernel): for cells with moments up to this order (1:
 * masses; 2: also quadrupoles; 3: also third moments), `how` with the bits of pairs.h. The file of
 * the force has KY_VARIANT_force(order, kind, how, kernel), which makes the kernel
 * ky_force_order_kind; `kernel` gives its lanes and registers, which that file defines. `p` and
 * `number` are passed on unchanged.
 *
 * Kinds; a force has only the kinds that make a difference to it:
 * plain: one softening, which is not 0, and no flags; for lists also softenings of the sources.
 * few: there are so few groups of sinks that lanes share them. listed: few, and the sinks are
 * listed. general: according to the flags. spline: general, with the spline. box_…: in a periodic
 * box. */
#define KY_VARIANTS(V, p, number)                                                                  \
    KY_VARIANTS_OF(V, p, number, 1)                                                                \
    KY_VARIANTS_OF(V, p, number, 2)                                                                \
    KY_VARIANTS_OF_FMM(V, p, number, 2)                                                            \
    KY_VARIANTS_OF_FMM(V, p, number, 3)
/* The highest order, and the maximum of --multipole. */
#define KY_MOST_VARIANT 3
#define KY_MOST_ORDER 2

#define KY_VARIANTS_OF_FMM(V, p, number, order)                                                    \
    V(p, number, fmm, FMM, order, plain, 0, KY_FMM_PLAIN)                                          \
    V(p, number, fmm, FMM, order, general, KY_GUARD | KY_EPS_SUM | KY_SHARES, KY_TEAM_KERNEL)      \
    V(p, number, fmm, FMM, order, spline, KY_GUARD | KY_SPLINED | KY_EPS_LARGER | KY_SHARES,       \
      KY_TEAM_KERNEL)                                                                              \
    V(p, number, fmm, FMM, order, box_plain, KY_BOXED, KY_FMM_BOX)                                 \
    V(p, number, fmm, FMM, order, box_general, KY_GUARD | KY_EPS_SUM | KY_SHARES | KY_BOXED,       \
      KY_TEAM_KERNEL)                                                                              \
    V(p, number, fmm, FMM, order, box_spline,                                                      \
      KY_GUARD | KY_SPLINED | KY_EPS_LARGER | KY_SHARES | KY_BOXED, KY_TEAM_KERNEL)

#define KY_VARIANTS_OF(V, p, number, order)                                                        \
    V(p, number, walk, WALK, order, plain, 0, KY_WALK_FULL)                                        \
    V(p, number, walk, WALK, order, general, KY_GENERAL | KY_EPS_SUM, KY_WALK_PLAIN)               \
    V(p, number, walk, WALK, order, spline, KY_GENERAL | KY_SPLINED | KY_EPS_LARGER,               \
      KY_WALK_PLAIN)                                                                               \
    V(p, number, tree, TREE, order, plain, 0, KY_TREE_PLAIN_##order)                               \
    V(p, number, tree, TREE, order, few, KY_SHARES, KY_TEAM_KERNEL_FULL(7))                        \
    V(p, number, tree, TREE, order, listed, KY_SHARES | KY_PICKS, KY_TEAM_KERNEL_FULL(7))          \
    V(p, number, tree, TREE, order, general, KY_GUARD | KY_EPS_SUM | KY_SHARES,                    \
      KY_TREE_GENERAL_##order)                                                                     \
    V(p, number, tree, TREE, order, spline, KY_GUARD | KY_SPLINED | KY_EPS_LARGER | KY_SHARES,     \
      KY_TEAM_KERNEL)                                                                              \
    V(p, number, tree, TREE, order, box_general, KY_GUARD | KY_EPS_SUM | KY_SHARES | KY_BOXED,     \
      KY_TEAM_KERNEL)                                                                              \
    V(p, number, tree, TREE, order, box_spline,                                                    \
      KY_GUARD | KY_SPLINED | KY_EPS_LARGER | KY_SHARES | KY_BOXED, KY_TEAM_KERNEL)                \
    V(p, number, list, LIST, order, plain, KY_EPS_SUM, KY_KERNEL(KY_LIST_LANES))                   \
    V(p, number, list, LIST, order, spline, KY_SPLINED | KY_EPS_LARGER, KY_KERNEL(KY_LIST_LANES))

#endif
