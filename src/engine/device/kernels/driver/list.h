/* Every kernel, and the units that OpenCL compiles together when one of their kernels is first
 * needed. Included only by the host. */
#ifndef KY_KERNELS_LIST_H
#define KY_KERNELS_LIST_H

#include "engine/device/kernels/driver/shared.h"
#include "engine/device/kernels/driver/variants.h"

#include "physics/actions/table.h"
#include "physics/few_device.h"
#include "physics/softening_kinds.h"
#include "physics/taylor_orders.h"

/* U(unit, file, precision, made): KY_PRECISION of the file (-1 for none), and the text that
 * instantiates the file's templates; empty if the file has the kernels themselves.
 * K(unit, kernel, lanes of its group); lanes KY_IN_TEAMS: chosen by the driver.
 * Lanes | KY_EARLY: the kernel begins with KY_AWAIT_THE_LAST(), and a driver may start it before
 * the previous kernel has ended, which hides the start-up time of short kernels. */
#define KY_IN_TEAMS 0
#define KY_EARLY 0x10000

#define KY_TUNED_KERNEL(p, unused, name, NAME, how)                                                \
    KY_K(tuned_##name##_##p, ky_direct_tuned_##name##_##p, KY_DIRECT_LANES)                        \
    KY_K(points_##name##_##p, ky_direct_points_##name##_##p, KY_DIRECT_LANES)
#define KY_DIRECT_UNITS(p, number, name, NAME, how)                                                \
    KY_U(tuned_##name##_##p, "forces/direct.k", number,                                            \
         KY_DIRECT_TUNED(ky_direct_tuned_##name, how))                                             \
    KY_U(points_##name##_##p, "forces/direct.k", number,                                           \
         KY_DIRECT_TUNED(ky_direct_points_##name, (how) | KY_LABELLED))

/* Kernels that read the state, in double. */
#define KY_EXACT_UNIT(a, b, name, NAME, how)                                                       \
    KY_U(exact_##name, "forces/exact.k", KY_DOUBLE, KY_DIRECT_TUNED(ky_exact_##name, how))
#define KY_EXACT_KERNEL(a, b, name, NAME, how)                                                     \
    KY_K(exact_##name, ky_exact_##name##_double, KY_DIRECT_LANES)

/* The exact sum on matrix units, in extended precision. */
#define KY_MATRIX_UNIT(p, number, name, NAME, how)                                                 \
    KY_U(matrix_##name, "forces/matrix.k", number, KY_DIRECT_MATRIX(ky_direct_matrix_##name, how))
#define KY_MATRIX_KERNEL(p, unused, name, NAME, how)                                               \
    KY_K(matrix_##name, ky_direct_matrix_##name##_##p, KY_IN_TEAMS)
#define KY_MATRIX_UNITS_single(number)
#define KY_MATRIX_UNITS_extended(number)                                                           \
    KY_U(boxes, "forces/boxes.k", number, )                                                        \
    KY_SOFTENED(KY_MATRIX_UNIT, extended, number)
#define KY_MATRIX_UNITS_double(number)
#define KY_MATRIX_KERNELS_single
#define KY_MATRIX_KERNELS_extended                                                                 \
    KY_K(boxes, ky_direct_boxes_extended, KY_IN_TEAMS)                                             \
    KY_K(boxes, ky_direct_heavy_extended, KY_HEAVY_LANES)                                          \
    KY_K(boxes, ky_direct_doubted_extended, 256)                                                   \
    KY_SOFTENED(KY_MATRIX_KERNEL, extended, )
#define KY_MATRIX_KERNELS_double

/* The rows of KY_VARIANTS. */
#define KY_VARIANT_UNIT(p, number, force, FORCE, order, kind, how, kernel)                         \
    KY_U(force##_##order##_##kind##_##p, "forces/" #force ".k", number,                            \
         KY_VARIANT_##force(order, kind, how, kernel))
#define KY_VARIANT_KERNEL(p, number, force, FORCE, order, kind, how, kernel)                       \
    KY_K(force##_##order##_##kind##_##p, ky_##force##_##order##_##kind##_##p, KY_LANES_OF_##force)
#define KY_LANES_OF_walk KY_WALK_LANES
#define KY_LANES_OF_tree KY_IN_TEAMS
#define KY_LANES_OF_fmm KY_IN_TEAMS
#define KY_LANES_OF_list KY_LIST_LANES

/* Expansions of each order, in open space and in a periodic box. */
#define KY_EXPAND_UNIT(p, order)                                                                   \
    KY_U(expand_##order, "forces/expand.k", KY_SINGLE,                                             \
         KY_EXPAND_CELLS(order, order, 0) KY_EXPAND_GROUPS(order, order, 0))                       \
    KY_U(expand_box_##order, "forces/expand.k", KY_SINGLE,                                         \
         KY_EXPAND_CELLS(order, box_##order, 1) KY_EXPAND_GROUPS(order, box_##order, 1))
#define KY_EXPAND_KERNEL(p, order)                                                                 \
    KY_K(expand_##order, ky_expand_cells_##order, KY_IN_TEAMS)                                     \
    KY_K(expand_##order, ky_expand_groups_##order, KY_IN_TEAMS)                                    \
    KY_K(expand_box_##order, ky_expand_cells_box_##order, KY_IN_TEAMS)                             \
    KY_K(expand_box_##order, ky_expand_groups_box_##order, KY_IN_TEAMS)
#define KY_HIGHER_UNIT(p, order)                                                                   \
    KY_U(higher_##order, "tree/higher.k", KY_SINGLE, KY_HIGHER_LEAVES(order) KY_HIGHER_LEVEL(order))
#define KY_HIGHER_KERNEL(p, order)                                                                 \
    KY_K(higher_##order, ky_higher_leaves_##order, KY_LEVEL_LANES)                                 \
    KY_K(higher_##order, ky_higher_level_##order, KY_LEVEL_LANES | KY_EARLY)

/* Systems of few bodies, with and without contacts. */
#define KY_FEW_MADE(name, file, lanes, contacts)                                                   \
    KY_U(name, "steps/" file ".k", KY_DOUBLE, KY_FEW_LANE_KERNEL(ky_##name, lanes, contacts))
#define KY_FEW_UNITS                                                                               \
    KY_FEW_MADE(few_small, "few_small", KY_FEW_GROUP, 0)                                           \
    KY_FEW_MADE(few_small_contacts, "few_small", KY_FEW_GROUP, 1)
#define KY_FEW_LARGE_UNITS                                                                         \
    KY_FEW_MADE(few_large, "few_large", KY_FEW_LARGE_TEAM, 0)                                      \
    KY_FEW_MADE(few_large_contacts, "few_large", KY_FEW_LARGE_TEAM, 1)

/* The general walk: a kernel for each action, two for the cuts of an action, and for the k nearest
 * one for each size of heap. They take longest to compile, and a search needs few of them. */
#define KY_GENERAL_UNITS_OF(name, needs, p, number)                                                \
    KY_U(general_##name##_##p, "forces/general.k", number, KY_GENERAL_KERNEL(name, needs))         \
    KY_U(general_box_##name##_##p, "forces/general.k", number, KY_GENERAL_BOX_KERNEL(name, needs)) \
    KY_U(cut_##name##_##p, "forces/general.k", number, KY_CUT_KERNELS(name, needs))
#define KY_GENERAL_KERNELS_OF(name, needs, p, number)                                              \
    KY_K(general_##name##_##p, ky_general_##name##_##p, KY_IN_TEAMS)                               \
    KY_K(general_box_##name##_##p, ky_general_box_##name##_##p, KY_IN_TEAMS)                       \
    KY_K(cut_##name##_##p, ky_cut_around_##name##_##p, KY_IN_TEAMS)                                \
    KY_K(cut_##name##_##p, ky_cut_##name##_##p, KY_IN_TEAMS)

#define KY_NEAREST_UNIT_OF(most, p, number)                                                        \
    KY_U(nearest_##most##_##p, "forces/nearest.k", number, KY_NEAREST_KERNEL(most))                \
    KY_U(nearest_box_##most##_##p, "forces/nearest.k", number, KY_NEAREST_BOX_KERNEL(most))
#define KY_NEAREST_KERNEL_OF(most, p, number)                                                      \
    KY_K(nearest_##most##_##p, ky_general_nearest_##most##_##p, KY_IN_TEAMS)                       \
    KY_K(nearest_box_##most##_##p, ky_general_box_nearest_##most##_##p, KY_IN_TEAMS)

/* The dual walk: four kernels for each joining action. */
#define KY_JOINING_KERNELS_OF(name, needs, p, number)                                              \
    KY_K(joins_##p, ky_reach_##name##_##p, KY_WALK_LANES)                                          \
    KY_K(joins_##p, ky_joins_##name##_##p, KY_WALK_LANES)                                          \
    KY_K(joins_##p, ky_joins_box_##name##_##p, KY_WALK_LANES)                                      \
    KY_K(joins_##p, ky_across_##name##_##p, KY_WALK_LANES)

/* Boards and the Hermite scheme, for extended and double precision. */
#define KY_HERMITE_UNIT(p, number, name, NAME, how)                                                \
    KY_U(hermite_##name##_##p, "steps/hermite_sum.k", number,                                      \
         KY_HERMITE_SUM(ky_hermite_sum_##name, how))
#define KY_HERMITE_KERNEL(p, unused, name, NAME, how)                                              \
    KY_K(hermite_##name##_##p, ky_hermite_sum_##name##_##p, KY_JERK_LANES | KY_EARLY)
#define KY_MOVING_UNITS_single(number)
#define KY_MOVING_UNITS_extended(number) KY_MOVING_UNITS(extended, number)
#define KY_MOVING_UNITS_double(number) KY_MOVING_UNITS(double, number)
#define KY_MOVING_UNITS(p, number)                                                                 \
    KY_U(board_slots_##p, "board/slots.k", number, )                                               \
    KY_U(board_soft_##p, "board/sum.k", number, KY_BOARD_SUM(ky_board_sum_soft, 0))                \
    KY_U(board_guard_##p, "board/sum.k", number, KY_BOARD_SUM(ky_board_sum_guard, KY_GUARD))       \
    KY_U(board_lists_##p, "board/sum.k", number,                                                   \
         KY_BOARD_SUM(ky_board_sum_lists, KY_GUARD | KY_JERK_LISTS))                               \
    KY_U(board_after_##p, "board/reduce.k", number, )                                              \
    KY_U(board_after_lists_##p, "board/lists.k", number, )                                         \
    KY_U(hermite_correct_##p, "steps/hermite_correct.k", number, )                                 \
    KY_U(hermite_##p, "steps/hermite.k", number, )                                                 \
    KY_SOFTENED_AS_PLUMMER(KY_HERMITE_UNIT, p, number)
#define KY_MOVING_KERNELS_single
#define KY_MOVING_KERNELS_extended KY_MOVING_KERNELS(extended)
#define KY_MOVING_KERNELS_double KY_MOVING_KERNELS(double)
#define KY_MOVING_KERNELS(p)                                                                       \
    KY_K(board_slots_##p, ky_board_put_##p, 256)                                                   \
    KY_K(board_slots_##p, ky_board_predict_all_##p, 256)                                           \
    KY_K(board_soft_##p, ky_board_sum_soft_##p, KY_JERK_LANES)                                     \
    KY_K(board_guard_##p, ky_board_sum_guard_##p, KY_JERK_LANES)                                   \
    KY_K(board_lists_##p, ky_board_sum_lists_##p, KY_JERK_LANES)                                   \
    KY_K(board_after_##p, ky_board_reduce_##p, KY_JERK_LANES)                                      \
    KY_K(board_after_lists_##p, ky_board_lists_##p, KY_IN_TEAMS)                                   \
    KY_K(hermite_##p, ky_hermite_begin_##p, 256)                                                   \
    KY_K(hermite_##p, ky_hermite_predict_##p, 256 | KY_EARLY)                                      \
    KY_K(hermite_##p, ky_hermite_list_##p, 256 | KY_EARLY)                                         \
    KY_K(hermite_correct_##p, ky_hermite_reduce_##p, KY_JERK_LANES | KY_EARLY)                     \
    KY_K(hermite_correct_##p, ky_hermite_correct_##p, KY_JERK_LANES | KY_EARLY)                    \
    KY_SOFTENED_AS_PLUMMER(KY_HERMITE_KERNEL, p, )

/* Block steps, and those in comoving boxes. */
#define KY_BLOCK_KERNELS_OF(name, p)                                                               \
    KY_K(name##_##p, ky_##name##_begin_##p, 256)                                                   \
    KY_K(name##_##p, ky_##name##_predict_##p, 256)                                                 \
    KY_K(name##_##p, ky_##name##_count_##p, KY_IN_TEAMS)                                           \
    KY_K(name##_##p, ky_##name##_open_##p, KY_IN_TEAMS)                                            \
    KY_K(name##_##p, ky_##name##_close_##p, 256)

#define KY_UNITS_OF(p, number)                                                                     \
    KY_U(sources_##p, "forces/sources.k", number, )                                                \
    KY_U(block_##p, "steps/block.k", number, )                                                     \
    KY_U(comoving_##p, "steps/comoving.k", number, )                                               \
    KY_U(tree_##p, "tree/walk_sources.k", number, )                                                \
    KY_SOFTENED(KY_DIRECT_UNITS, p, number)                                                        \
    KY_MATRIX_UNITS_##p(number) KY_VARIANTS(KY_VARIANT_UNIT, p, number)                            \
        KY_ACTIONS_OF(KY_GENERAL_UNITS_OF, p, number)                                              \
            KY_NEAREST_HEAPS(KY_NEAREST_UNIT_OF, p, number)                                        \
                KY_U(joins_##p, "forces/joins.k", number, ) KY_MOVING_UNITS_##p(number)
#define KY_KERNELS_OF(p, number)                                                                   \
    KY_K(sources_##p, ky_sources_##p, 256)                                                         \
    KY_K(sources_##p, ky_points_##p, 256)                                                          \
    KY_K(sources_##p, ky_reduce_##p, 256)                                                          \
    KY_BLOCK_KERNELS_OF(block, p)                                                                  \
    KY_BLOCK_KERNELS_OF(comoving, p)                                                               \
    KY_K(block_##p, ky_block_weigh_##p, 256)                                                       \
    KY_SOFTENED(KY_TUNED_KERNEL, p, )                                                              \
    KY_MATRIX_KERNELS_##p KY_K(tree_##p, ky_walk_sources_##p, 256)                                 \
        KY_K(tree_##p, ky_walk_points_##p, 256) KY_VARIANTS(KY_VARIANT_KERNEL, p, number)          \
            KY_ACTIONS_OF(KY_GENERAL_KERNELS_OF, p, number)                                        \
                KY_NEAREST_HEAPS(KY_NEAREST_KERNEL_OF, p, number)                                  \
                    KY_JOINING_OF(KY_JOINING_KERNELS_OF, p, number) KY_MOVING_KERNELS_##p

#define KY_EXPAND_UNITS KY_TAYLOR_ORDERS(KY_EXPAND_UNIT, ) KY_TAYLOR_HIGHER(KY_HIGHER_UNIT, )
#define KY_KERNELS_EXPAND KY_TAYLOR_ORDERS(KY_EXPAND_KERNEL, ) KY_TAYLOR_HIGHER(KY_HIGHER_KERNEL, )

/* The including file defines KY_U or KY_K first. */
#define KY_UNITS                                                                                   \
    KY_U(order, "driver/order.k", -1, )                                                            \
    KY_U(teams, "driver/teams.k", -1, )                                                            \
    KY_U(tiles, "driver/tiles.k", -1, )                                                            \
    KY_U(keys, "tree/keys.k", -1, )                                                                \
    KY_U(grow, "tree/grow.k", -1, )                                                                \
    KY_U(cells, "tree/cells.k", -1, )                                                              \
    KY_U(reorder, "driver/reorder.k", -1, )                                                        \
    KY_U(groups, "tree/groups.k", -1, )                                                            \
    KY_U(forest, "forces/forest.k", -1, )                                                          \
    KY_U(curve, "ranks/curve.k", -1, )                                                             \
    KY_U(rows, "ranks/rows.k", -1, )                                                               \
    KY_U(prune, "ranks/prune.k", -1, )                                                             \
    KY_U(graft, "ranks/graft.k", -1, )                                                             \
    KY_U(sort, "driver/sort.k", -1, )                                                              \
    KY_U(bodies, "state/bodies.k", -1, )                                                           \
    KY_U(outer, "state/outer.k", -1, )                                                             \
    KY_U(external, "state/external.k", -1, )                                                       \
    KY_U(relative, "tree/relative.k", -1, )                                                        \
    KY_U(sums, "state/body_sums.k", -1, )                                                          \
    KY_U(expand_sinks, "forces/expand_sinks.k", -1, )                                              \
    KY_U(far, "forces/far.k", -1, )                                                                \
    KY_U(balance, "forces/balance.k", -1, )                                                        \
    KY_EXPAND_UNITS                                                                                \
    KY_SOFTENED(KY_EXACT_UNIT, , )                                                                 \
    KY_U(hermite_start, "steps/hermite_start.k", KY_DOUBLE, )                                      \
    KY_U(few, "steps/few.k", KY_DOUBLE, )                                                          \
    KY_U(few_single, "steps/few_single.k", -1, )                                                   \
    KY_FEW_UNITS                                                                                   \
    KY_FEW_LARGE_UNITS                                                                             \
    KY_U(tides, "forces/tides.k", KY_DOUBLE, )                                                     \
    KY_UNITS_OF(single, KY_SINGLE)                                                                 \
    KY_UNITS_OF(extended, KY_EXTENDED)                                                             \
    KY_UNITS_OF(double, KY_DOUBLE)

#define KY_KERNELS_COMMON                                                                          \
    KY_K(order, ky_order_lists, KY_IN_TEAMS)                                                       \
    KY_K(order, ky_order_parts, KY_IN_TEAMS)                                                       \
    KY_K(keys, ky_tree_bounds, 256)                                                                \
    KY_K(keys, ky_tree_axis, 256)                                                                  \
    KY_K(keys, ky_tree_cube, 1)                                                                    \
    KY_K(keys, ky_tree_keys, 256)                                                                  \
    KY_K(keys, ky_tree_keys_again, 256)                                                            \
    KY_K(reorder, ky_gather_numbers, 256)                                                          \
    KY_K(reorder, ky_gather_words, 256)                                                            \
    KY_K(reorder, ky_rows_to_columns, 256)                                                         \
    KY_K(reorder, ky_rows_from_columns, 256)                                                       \
    KY_K(reorder, ky_order_inverse, 256)                                                           \
    KY_K(reorder, ky_order_itself, 256)                                                            \
    KY_K(bodies, ky_bodies_advance, 256)                                                           \
    KY_K(bodies, ky_scatter, 256)                                                                  \
    KY_K(outer, ky_outer_survey, 256)                                                              \
    KY_K(outer, ky_outer_rows, 256)                                                                \
    KY_K(outer, ky_outer_in, 256)                                                                  \
    KY_K(outer, ky_outer_out, 256)                                                                 \
    KY_K(external, ky_external_add_to, 256)                                                        \
    KY_K(external, ky_external_add_given, 256)                                                     \
    KY_K(external, ky_external_potential, 256)                                                     \
    KY_K(relative, ky_relative_masses, 256)                                                        \
    KY_K(relative, ky_relative_total, 256)                                                         \
    KY_K(relative, ky_relative_keep, 256)                                                          \
    KY_K(relative, ky_relative_largest, 256)                                                       \
    KY_K(relative, ky_relative_squares, 256)                                                       \
    KY_K(relative, ky_relative_squared, 256)                                                       \
    KY_K(relative, ky_relative_floor, 64)                                                          \
    KY_K(relative, ky_relative_factors, 256)                                                       \
    KY_K(sums, ky_sums_largest, 256)                                                               \
    KY_K(sums, ky_sums_whole, 256)                                                                 \
    KY_K(grow, ky_tree_count, KY_IN_TEAMS)                                                         \
    KY_K(grow, ky_tree_facts, KY_FACT_LANES)                                                       \
    KY_K(grow, ky_tree_cells, KY_IN_TEAMS)                                                         \
    KY_K(grow, ky_tree_next, 256)                                                                  \
    KY_K(grow, ky_tree_untie, 256)                                                                 \
    KY_K(cells, ky_tree_leaves, 128)                                                               \
    KY_K(cells, ky_tree_level, KY_LEVEL_LANES | KY_EARLY)                                          \
    KY_K(cells, ky_tree_widen, 256)                                                                \
    KY_K(groups, ky_groups_count, 256)                                                             \
    KY_K(groups, ky_groups_roots, 64)                                                              \
    KY_K(groups, ky_groups_place, 256)                                                             \
    KY_K(groups, ky_groups_runs_count, 256)                                                        \
    KY_K(groups, ky_groups_runs, 256)                                                              \
    KY_K(groups, ky_groups_weigh, 256)                                                             \
    KY_K(groups, ky_groups_turn, 256)                                                              \
    KY_K(groups, ky_groups_want, 256)                                                              \
    KY_K(groups, ky_groups_wanted, 256)                                                            \
    KY_K(groups, ky_groups_behind, 256)                                                            \
    KY_K(groups, ky_groups_work, 256)                                                              \
    KY_K(groups, ky_groups_listed, 256)                                                            \
    KY_K(groups, ky_cuts_count, 256)                                                               \
    KY_K(groups, ky_cuts_mark, 64)                                                                 \
    KY_K(groups, ky_cuts_most, 64)                                                                 \
    KY_K(groups, ky_cuts_place, 256)                                                               \
    KY_K(expand_sinks, ky_expand_sources, 256)                                                     \
    KY_K(expand_sinks, ky_expand_sinks, KY_IN_TEAMS)                                               \
    KY_K(far, ky_far_moments, KY_FAR_LANES)                                                        \
    KY_K(far, ky_far_total, 256)                                                                   \
    KY_K(far, ky_far_take, 256)                                                                    \
    KY_K(far, ky_far_act, KY_FAR_LANES)                                                            \
    KY_K(far, ky_far_rows, 256)                                                                    \
    KY_K(far, ky_far_add, 256)                                                                     \
    KY_K(far, ky_far_tides, 256)                                                                   \
    KY_K(balance, ky_balance_largest, 256)                                                         \
    KY_K(balance, ky_balance_forces, 256)                                                          \
    KY_K(balance, ky_balance_total, 256)                                                           \
    KY_K(balance, ky_balance_subtract, 256)                                                        \
    KY_K(forest, ky_forest_start, 256)                                                             \
    KY_K(forest, ky_forest_leaves, 256)                                                            \
    KY_K(forest, ky_forest_roots, 256)                                                             \
    KY_K(forest, ky_forest_groups, 256)                                                            \
    KY_K(curve, ky_curve_probe, 256)                                                               \
    KY_K(curve, ky_curve_weigh, 256)                                                               \
    KY_K(curve, ky_curve_agree, 256)                                                               \
    KY_K(curve, ky_curve_leave, 256)                                                               \
    KY_K(curve, ky_curve_roots, 256)                                                               \
    KY_K(curve, ky_curve_cells, 64)                                                                \
    KY_K(rows, ky_rows_pack, 128)                                                                  \
    KY_K(rows, ky_rows_gaps, 128)                                                                  \
    KY_K(rows, ky_rows_last, 128)                                                                  \
    KY_K(rows, ky_rows_move, 128)                                                                  \
    KY_K(rows, ky_rows_unpack, 128)                                                                \
    KY_K(prune, ky_part_boxes, KY_IN_TEAMS)                                                        \
    KY_K(prune, ky_part_reaches, 64)                                                               \
    KY_K(prune, ky_part_cells, KY_IN_TEAMS)                                                        \
    KY_K(prune, ky_part_around, 64)                                                                \
    KY_K(prune, ky_prune_begin, 64)                                                                \
    KY_K(prune, ky_prune_look, KY_IN_TEAMS)                                                        \
    KY_K(prune, ky_prune_count, 256)                                                               \
    KY_K(prune, ky_prune_pack, 256)                                                                \
    KY_K(graft, ky_graft_tell, 64)                                                                 \
    KY_K(graft, ky_graft_most, KY_IN_TEAMS)                                                        \
    KY_K(graft, ky_graft_cells, 256)                                                               \
    KY_K(graft, ky_graft_bodies, 256)                                                              \
    KY_K(graft, ky_graft_roots, 64)                                                                \
    KY_K(graft, ky_graft_missing, 1)                                                               \
    KY_K(graft, ky_graft_follow, 256)                                                              \
    KY_K(graft, ky_graft_next, 256)                                                                \
    KY_K(teams, ky_compact_count, KY_IN_TEAMS)                                                     \
    KY_K(teams, ky_compact_place, KY_IN_TEAMS)                                                     \
    KY_K(teams, ky_team_facts, KY_IN_TEAMS)                                                        \
    KY_K(tiles, ky_tile_facts, 32)

#define KY_KERNELS_EXACT                                                                           \
    KY_SOFTENED(KY_EXACT_KERNEL, , )                                                               \
    KY_K(hermite_start, ky_hermite_start_double, KY_JERK_LANES)                                    \
    KY_K(few, ky_few_pairs, KY_FEW_GROUP)                                                          \
    KY_K(few_small, ky_few_small, KY_FEW_GROUP)                                                    \
    KY_K(few_small_contacts, ky_few_small_contacts, KY_FEW_GROUP)                                  \
    KY_K(tides, ky_tides_of_bodies_double, KY_WALK_LANES)                                          \
    KY_K(tides, ky_tides_of_cells_double, KY_WALK_LANES)

#define KY_KERNELS_FEW_LARGE                                                                       \
    KY_K(few_large, ky_few_large, KY_FEW_LARGE_TEAM)                                               \
    KY_K(few_large_contacts, ky_few_large_contacts, KY_FEW_LARGE_TEAM)

/* For devices without double. There are none with CUDA. */
#define KY_KERNELS_FEW_SINGLE KY_K(few_single, ky_few_single, KY_FEW_GROUP)

/* For drivers without their own sort, scan and reduce. */
#define KY_KERNELS_SORT                                                                            \
    KY_K(sort, ky_scan_sum, 256)                                                                   \
    KY_K(sort, ky_scan_tile, 256)                                                                  \
    KY_K(sort, ky_sort_count, 256)                                                                 \
    KY_K(sort, ky_sort_place, 256)                                                                 \
    KY_K(sort, ky_reduce_counts, 256)

#define KY_KERNELS                                                                                 \
    KY_KERNELS_COMMON                                                                              \
    KY_KERNELS_OF(single, KY_SINGLE)                                                               \
    KY_KERNELS_OF(extended, KY_EXTENDED)                                                           \
    KY_KERNELS_OF(double, KY_DOUBLE)                                                               \
    KY_KERNELS_EXACT                                                                               \
    KY_KERNELS_EXPAND                                                                              \
    KY_KERNELS_FEW_LARGE                                                                           \
    KY_KERNELS_FEW_SINGLE                                                                          \
    KY_KERNELS_SORT

#endif
