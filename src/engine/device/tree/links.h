/* The octree in the form for walks of single bodies and points (kernels/forces/walk.k, general.k)
 * and for lists: sources along the curve, and cells with links. The card or the host builds the
 * tree, as the parameters say. One tree is used for all walks until the bodies move. */
#ifndef KY_DEVICE_LINKS_H
#define KY_DEVICE_LINKS_H

#include "engine/device/tree/counts.h"
#include "engine/device/tree/device_tree.h"
#include "engine/device/tree/host_tree.h"

struct ky_links {
    struct ky_device_bodies *bodies;
    struct ky_host_tree host;
    struct ky_device_tree own;          /* the card's tree */
    uint64_t moves;                     /* bodies->moves of the sources; 0: none */
    int by_host;                        /* 1: they are in the order of the host's tree */
    struct ky_buffer source, low, eps2; /* bodies along the curve, followed by points */
    struct ky_buffer lanes;             /* places along the curve in the order of the lanes */
    struct ky_pair_counts counts;       /* of the last walk through either tree */
};

/* The current tree: its cells, the cell where walks begin, the caller's index of each body, and the
 * origin at KY_FRAME_ORIGIN of the frame. */
struct ky_cells {
    size_t count;
    uint32_t root;
    const struct ky_cell_columns *column;
    const struct ky_buffer *order, *frame;
};

/* 1 if the host builds the tree, 0 if the card does. */
int ky_links_of_host(const struct ky_parameters *parameters);
/* The same for the current tree: the card's tree is not used while block steps keep it, since it is
 * from an earlier tick. */
int ky_links_are_of_host(const struct ky_links *links);
/* KY_UNSUPPORTED for a force that needs the other tree. */
enum ky_status ky_links_check(const struct ky_parameters *parameters, struct ky_error *error);

/* Begins an evaluation: clears the counts and times of the previous one. */
void ky_links_begin(struct ky_links *links);
/* Makes valid: the tree for the current positions with the opening test of these parameters; its
 * cells, with boxes if `boxes` or if the opening test needs them; the sources, followed by `points`
 * (NULL: none). Adds the time of a host tree. */
enum ky_status ky_links_stand(struct ky_links *links, const struct ky_parameters *parameters,
                              int boxes, const struct ky_points *points, struct ky_error *error);
/* The same for walks of points only. The report and the marks of the last forces are kept. */
enum ky_status ky_links_stand_for_points(struct ky_links *links,
                                         const struct ky_parameters *parameters,
                                         const struct ky_points *points, struct ky_error *error);
/* The same, but always builds a new tree. */
enum ky_status ky_links_build(struct ky_links *links, const struct ky_parameters *parameters,
                              struct ky_error *error);
/* For an engine of a rank, whose own tree exists (ky_grouped_along). ky_links_stand_part: makes the
 * tree and the sources of the rank's own bodies valid for these parameters. ky_links_stand_parts,
 * after the parcels of other ranks have been appended (ranks/exchange.h): makes the sources of all
 * bodies valid, followed by `points` (NULL: none), and boxes for walks that round positions. */
enum ky_status ky_links_stand_part(struct ky_links *links, const struct ky_parameters *parameters,
                                   struct ky_error *error);
enum ky_status ky_links_stand_parts(struct ky_links *links, const struct ky_parameters *parameters,
                                    const struct ky_points *points, struct ky_error *error);
/* Adds the time of the last tree, if the card has built it. */
void ky_links_report(const struct ky_links *links, struct ky_force_report *report);
/* To be called after ky_links_stand or ky_links_build and the walks: frees memory that only forces
 * need. */
void ky_links_done(struct ky_links *links);

/* Writes places along the curve to links->lanes: of the active bodies along the curve or, for
 * `curve none`, of all bodies in the caller's order. Otherwise does nothing. To be called right
 * after the tree was built. */
enum ky_status ky_links_lanes(struct ky_links *links, struct ky_evaluation *evaluation,
                              const struct ky_parameters *parameters, struct ky_error *error);

/* The present tree. */
struct ky_cells ky_links_cells(const struct ky_links *links);
/* KY_FLAG_… for these parameters and bodies, and KY_OPENING_… of the tree. */
uint32_t ky_links_flags(const struct ky_links *links, const struct ky_parameters *parameters);

/* Releases both trees and the sources. */
void ky_links_release(struct ky_links *links);
/* Adds the memory of the tree of n bodies and its sources. */
void ky_links_memory(const struct ky_parameters *parameters, size_t n, struct ky_memory *memory);

#endif
