/* Common code of engines that build octrees on the host: the frame, and seconds in reports. */
#ifndef KY_ENGINE_TREES_H
#define KY_ENGINE_TREES_H

#include "base/phases.h"
#include "base/split.h"
#include "engine/engine.h"
#include "octree/octree.h"

/* The origin of the frame in an engine's unit of length; each coordinate is exact in float. */
static inline void ky_tree_origin(const struct ky_engine_frame *frame, double length,
                                  double origin[3])
{
    for (int c = 0; c < 3; c++)
        origin[c] = ky_high_part(frame->origin[c] / length);
}

/* The frame of a periodic box: its cube is the box, and the origin of positions its middle. */
static inline struct ky_engine_frame ky_tree_frame_of_box(double side)
{
    const double middle = side / 2;
    return (struct ky_engine_frame){.edge = side, .origin = {middle, middle, middle}};
}

/* Cube and origin of the frame, if one was given, in an engine's unit of length. */
static inline void ky_tree_frame(const struct ky_engine_frame *frame, double length,
                                 struct ky_octree_bodies *bodies)
{
    bodies->edge = frame->edge / length;
    for (int c = 0; c < 3; c++)
        bodies->low[c] = frame->low[c] / length;
    bodies->has_origin = frame->edge > 0;
    ky_tree_origin(frame, length, bodies->origin);
}

/* Adds the seconds of the last build. */
static inline void ky_tree_seconds(const struct ky_octree *tree, struct ky_force_report *report)
{
    report->keys += tree->seconds.keys;
    report->sort += tree->seconds.sort;
    report->build += tree->seconds.build;
    report->moments += tree->seconds.moments;
}

/* Sets the phases and the pairs to 0, before an evaluation. */
static inline void ky_report_clear(struct ky_force_report *report)
{
#define KY_PHASE_CLEAR(phase) report->phase = 0;
    KY_PHASES(KY_PHASE_CLEAR)
    report->body_interactions = report->cell_interactions = 0;
}

#endif
