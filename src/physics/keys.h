/* Keys of bodies along a space-filling curve and the cube that they subdivide: only constants,
 * which tables also include. The formulas are in frame.h. */
#ifndef KY_PHYSICS_KEYS_H
#define KY_PHYSICS_KEYS_H

/* Keys have KY_KEY_LEVELS levels of 3 bits. Positions in the cube are integers along each axis,
 * from 0 to KY_KEY_PLACES - 1. */
#define KY_KEY_LEVELS 21
#define KY_KEY_PLACES (1 << KY_KEY_LEVELS)

/* Maximum number of bodies in the sample that finds the bulk; maximum width of the cube in widths
 * of the bulk. */
#define KY_FRAME_SAMPLES 2048
#define KY_FRAME_WIDEN 8

#endif
