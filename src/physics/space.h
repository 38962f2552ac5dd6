/* The space in which bodies attract each other: the vector from one position to another. */
#ifndef KY_PHYSICS_SPACE_H
#define KY_PHYSICS_SPACE_H

/* Source minus sink along one axis, for any type of number or vector: between two bodies, a body
 * and a cell, or a source and the centre of a group of near sinks. All walks and sums use it. In a
 * periodic box it would be the nearest image. If positions have low parts, these are added
 * unchanged. */
#define KY_APART(source, sink) ((source) - (sink))

#endif
