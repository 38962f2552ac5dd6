/* What engines that build octrees on the host share: the frame, and seconds in reports. */
#ifndef KY_ENGINE_TREES_H
#define KY_ENGINE_TREES_H

#include "engine/engine.h"
#include "octree/octree.h"

/* The cube of the frame, if it has one, in an engine's unit of length. */
static inline void ky_tree_cube(const struct ky_engine_frame *frame, double length,
                                struct ky_octree_bodies *bodies)
{
    bodies->edge = frame->edge / length;
    for (int c = 0; c < 3; c++)
        bodies->low[c] = frame->low[c] / length;
}

/* Adds those of the last build. */
static inline void ky_tree_seconds(const struct ky_octree *tree, struct ky_force_report *report)
{
    report->keys += tree->seconds.keys;
    report->sort += tree->seconds.sort;
    report->build += tree->seconds.build;
    report->moments += tree->seconds.moments;
}

/* Before an evaluation: its phases and its pairs are 0. */
static inline void ky_report_clear(struct ky_force_report *report)
{
    report->keys = report->sort = report->build = report->moments = report->walk = 0;
    report->total = report->body_interactions = report->cell_interactions = 0;
}

#endif
