/* The space in which bodies attract each other: what leads from one place to another. */
#ifndef KY_PHYSICS_SPACE_H
#define KY_PHYSICS_SPACE_H

/* Source less sink along one axis, in any number or vector of numbers: between two bodies, a body
 * and a cell, or a source and the centre that its group of sinks has, to which the sinks are near
 * then. All walks and sums take it here. A periodic box would take the nearest image. Where a place
 * has low parts, these are added as they are. */
#define KY_APART(source, sink) ((source) - (sink))

#endif
