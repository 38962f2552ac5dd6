/* The octree made on the first card, from the positions that lie there to the arrays that walks
 * read: bounds, keys, sort, bodies along the curve, cells, moments and groups. */
#ifndef KY_DEVICE_DEVICE_TREE_H
#define KY_DEVICE_DEVICE_TREE_H

#include "engine/device/bodies.h"

struct ky_device_tree {
    struct ky_buffer curve, partial, frame;                           /* kernels/keys.k */
    struct ky_buffer first, facts;                                    /* kernels/grow.k */
    struct ky_buffer centre, centre_low, link, moment, box, children; /* octree/layout.h */
    struct ky_buffer exponents, floor;                                /* kernels/relative.k */
    struct ky_buffer weights, starts;                                 /* kernels/groups.k */
    struct ky_buffer scratch;                                         /* of sort and scan */
    struct ky_pinned pinned;                                          /* the number of groups */
    /* Parts of bodies->curve.room. Before the bodies lie along the curve, and after. */
    struct ky_two_buffers keys;
    struct ky_buffer masks, at;
    struct ky_buffer group, turn, weight, before, factor, wanted; /* kernels/groups.k, relative.k */
    size_t cells, turns;
    size_t groups; /* in `group`: the last of them may be empty where they are of active bodies */
    size_t whole;  /* of all bodies */
    size_t full;   /* as many as there would be if all were full */
    size_t listed; /* active bodies of which `group` is; 0: it is of all */
    int serves;    /* block steps: it is that of an earlier tick, and good enough */
    int refreshed; /* the last one was not built: it served */
    int has_floor; /* of the accelerations when it was new */
    int few;       /* a few groups for each that runs at once: the heaviest of them are divided */
    uint32_t level[KY_FACT_CELLS + 1]; /* the first cell of each */
    uint64_t builds;                   /* trees until now */
    uint64_t built;                    /* bodies->place of the cells; 0: there are none */
    int opening;                       /* with which they were built: enum ky_opening */
    int is_wide; /* their boxes have been widened for those who round places (links.c) */
};

/* Builds the tree over the present positions, and brings the bodies into its order. What it needs
 * of bodies->curve.room stays there until ky_device_tree_done. */
enum ky_status ky_device_tree_build(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                    const struct ky_parameters *parameters, struct ky_error *error);
/* Moments, boxes and opening radii for the present positions, of the tree that serves; the bodies
 * come back into its order if they left it. */
enum ky_status ky_device_tree_refresh(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                      const struct ky_parameters *parameters,
                                      struct ky_error *error);
/* In a block: groups of the active bodies alone, places in their list, or those of all. */
enum ky_status ky_device_tree_regroup(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                      const struct ky_parameters *parameters,
                                      struct ky_error *error);
/* The factors of the relative opening test, into tree->factor, with the floor that was found when
 * the tree was new; in a block those of the active bodies, in the order of their list. */
enum ky_status ky_device_tree_factors(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                      const struct ky_parameters *parameters,
                                      struct ky_error *error);
/* The groups in the order of their walks, into tree->turn, by the factors; tree->turns of them,
 * some of which may be empty. `flags`: KY_FLAG_FACTORS. */
enum ky_status ky_device_tree_turns(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                    uint32_t flags, struct ky_error *error);
/* Which bodies are active, into tree->wanted, but for blocks. */
enum ky_status ky_device_tree_wanted(struct ky_device_tree *tree, struct ky_device_bodies *bodies,
                                     struct ky_error *error);
/* Groups and factors are no longer needed. */
void ky_device_tree_done(struct ky_device_tree *tree, const struct ky_device_bodies *bodies);
/* Adds the seconds of the phases of the last tree, which are the device's own. */
void ky_device_tree_report(const struct ky_device_tree *tree, const struct ky_device_bodies *bodies,
                           struct ky_force_report *report);
void ky_device_tree_release(struct ky_device_tree *tree, const struct ky_device_bodies *bodies);
/* Bytes on the card for n bodies. */
double ky_device_tree_memory(const struct ky_parameters *parameters, size_t n);

#endif
