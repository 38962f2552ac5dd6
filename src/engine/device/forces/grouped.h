/* Common code of --force tree and fmm: the card builds the tree, and teams walk through it for
 * groups of bodies. Each force has its own launch. */
#ifndef KY_DEVICE_GROUPED_H
#define KY_DEVICE_GROUPED_H

#include "engine/device/forces/method.h"
#include "engine/device/forces/work_shares.h"

struct ky_grouped {
    struct ky_work_shares shares;
    struct ky_buffer scratch; /* for the sum of the pairs of a block */
};

/* The bodies of a pass, which walks for the sinks `first` … `end` - 1. */
struct ky_grouped_part {
    struct ky_device_bodies *bodies;
    struct ky_device_tree *tree;
    struct ky_pair_counts *counts;
    size_t first, end;
    size_t sinks; /* of all ranks on the first rank, which counts them; 0 on the others */
};

/* Launches the walks, with the parameters of ky_force_tree. The card has its tree with groups and
 * factors, and memory for results. The launch allocates the counts of pairs. */
typedef enum ky_status (*ky_grouped_launch)(struct ky_grouped *walk,
                                            const struct ky_grouped_part *part,
                                            const struct ky_evaluation *evaluation,
                                            const struct ky_parameters *parameters,
                                            struct ky_error *error);

/* Flags of the walks (kernels/driver/shared.h). */
uint32_t ky_grouped_flags(const struct ky_device_bodies *bodies,
                          const struct ky_evaluation *evaluation,
                          const struct ky_parameters *parameters);
/* The groups in the order of their walks, and their number. */
const struct ky_buffer *ky_grouped_groups(const struct ky_device_tree *tree,
                                          const struct ky_evaluation *evaluation,
                                          const struct ky_parameters *parameters, size_t *count);

/* Adds the far field of a periodic box to the results of a launch. */
enum ky_status ky_grouped_add_far(const struct ky_grouped_part *part,
                                  const struct ky_evaluation *evaluation, struct ky_error *error);

/* The calls of struct ky_method, whose state `own` begins with struct ky_grouped. */
enum ky_status ky_grouped_evaluate(struct ky_device_state *state, struct ky_links *links,
                                   struct ky_grouped *walk, struct ky_evaluation *evaluation,
                                   const struct ky_parameters *parameters, ky_grouped_launch launch,
                                   struct ky_error *error);
enum ky_status ky_grouped_stand(struct ky_links *links, int anew, struct ky_error *error);
/* The verb `along` of struct ky_part_verbs: builds the rank's own tree for general walks, unless
 * the tree of all ranks exists: trees for expansions have larger leaves and more moments.
 * Collective. */
enum ky_status ky_grouped_along(struct ky_links *links, struct ky_error *error);
enum ky_status ky_grouped_note(struct ky_links *links, void *own, struct ky_buffer *tally,
                               struct ky_error *error);
enum ky_status ky_grouped_report(struct ky_device_state *state, struct ky_links *links, void *own,
                                 struct ky_force_report *report, struct ky_error *error);
void ky_grouped_release(const struct ky_device_state *state, void *own);

#endif
