/* Groups of bodies that walk together through a tree on the card. */
#ifndef KY_DEVICE_TREE_GROUPS_H
#define KY_DEVICE_TREE_GROUPS_H

#include "engine/device/tree/tree_memory.h"

/* Minimum number of cells of the uppermost cut, if there are other cuts. Tests change it. */
extern uint32_t ky_device_tree_top;

/* Sets the number of cuts, from the size of the system's tree. */
void ky_device_tree_count_cuts(struct ky_device_tree *tree, const struct ky_device_bodies *bodies,
                               const struct ky_parameters *parameters);
/* Maximum number of bodies of a cell of cut k, unless it is a leaf. */
size_t ky_device_tree_cut_bodies(const struct ky_device_tree *tree, const struct ky_card *card,
                                 const struct ky_parameters *parameters, size_t k);
/* Makes the cuts of a new tree, before its groups, except for the engine of a rank. Their ends are
 * copied to tree->pinned after the number of groups. */
enum ky_status ky_device_tree_make_cuts(struct ky_device_tree *tree,
                                        const struct ky_device_bodies *bodies,
                                        const struct ky_parameters *parameters,
                                        struct ky_error *error);
/* The sinks of an evaluation for kernels (kernels/tree/listed.h): with KY_FLAG_LISTED the first
 * `listed` bodies of a list, otherwise all. A kernel needs a list even if it does not read it. */
struct ky_listed_sinks {
    const struct ky_buffer *list;
    uint32_t listed, flags;
};
/* The cells from which cuts are made: the cells of the tree, and the total number including cells
 * above. `mark`: the list of cells that are in cuts, k cells + c for cell c of cut k, for cells
 * above and for roots; NULL: the tree has one root, which is cell 0. Of the other cells, cuts have
 * only cells that contain a body of `sinks`. */
struct ky_cut_cells {
    size_t cells, marks;
    const struct ky_buffer *mark;
    struct ky_listed_sinks sinks;
};
/* Writes the cells of the cuts to tree->cut, and their ends to tree->cut_first. The counts of
 * groups, in tree->before, are lost. */
enum ky_status ky_device_tree_place_cuts(struct ky_device_tree *tree,
                                         const struct ky_device_bodies *bodies,
                                         const struct ky_parameters *parameters,
                                         const struct ky_cut_cells *of, struct ky_error *error);
/* Makes the groups of all bodies. Their number is copied to tree->pinned; it is valid when
 * KY_MARK_GROUPS is reached. */
enum ky_status ky_device_tree_make_groups(struct ky_device_tree *tree,
                                          const struct ky_device_bodies *bodies,
                                          const struct ky_parameters *parameters,
                                          struct ky_error *error);
/* Consecutive groups of one cell form runs, of at most `most` groups each. Counts the runs, for
 * which the host waits: `count`, a buffer for cells + 1 words, is an input of the next call. */
enum ky_status ky_device_tree_count_runs(struct ky_device_tree *tree,
                                         const struct ky_device_bodies *bodies, uint32_t most,
                                         struct ky_buffer *count, size_t *runs,
                                         struct ky_error *error);
/* Writes the first group of each run and the end of its groups, two words each. */
enum ky_status ky_device_tree_list_runs(const struct ky_device_tree *tree,
                                        const struct ky_device_bodies *bodies, uint32_t most,
                                        const struct ky_buffer *count, const struct ky_buffer *run,
                                        struct ky_error *error);
/* 1 if the card runs this many groups in only a few rounds. Then a walk several times as long as
 * the mean would end last; with many rounds the other walks hide it. */
int ky_device_tree_are_few(const struct ky_card *card, size_t groups);
/* In a block and for points: makes groups of the active bodies only, as ranges of their list;
 * otherwise the groups of all bodies. If the list is empty, as it may be on a rank, tree->few
 * becomes the value of all ranks, and nothing else changes. */
enum ky_status ky_device_tree_regroup(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                      const struct ky_evaluation *evaluation,
                                      const struct ky_parameters *parameters,
                                      struct ky_error *error);
/* Writes the groups in the order of their walks to tree->turn, sorted by the factors; tree->turns
 * of them, some of which may be empty. `flags`: KY_FLAG_FACTORS. */
enum ky_status ky_device_tree_turns(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                    uint32_t flags, struct ky_error *error);
/* The collective calls of a rank without groups while the other ranks agree on the groups to
 * divide. */
enum ky_status ky_device_tree_no_turns(struct ky_device_tree *tree,
                                       const struct ky_device_bodies *bodies,
                                       struct ky_error *error);
/* Writes the places of the active bodies along the curve to a list of sufficient size, in their
 * order; not in blocks. */
enum ky_status ky_device_tree_list(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                   struct ky_evaluation *evaluation, const struct ky_buffer *list,
                                   struct ky_error *error);
/* The same for points, to bodies->active_list, before ky_device_tree_regroup. */
enum ky_status ky_device_tree_list_active(struct ky_device_tree *tree,
                                          struct ky_device_bodies *bodies,
                                          struct ky_evaluation *evaluation, struct ky_error *error);
/* Marks the active bodies in tree->wanted; not in blocks. */
enum ky_status ky_device_tree_wanted(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                     struct ky_evaluation *evaluation, struct ky_error *error);

#endif
