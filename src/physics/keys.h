/* Keys of bodies along a curve, and the cube that they divide: only the numbers, which tables read
 * too. The formulas are in frame.h. */
#ifndef KY_PHYSICS_KEYS_H
#define KY_PHYSICS_KEYS_H

/* Keys have KY_KEY_LEVELS levels of 3 bits. Positions in the cube are whole numbers along each
 * axis, from 0 to KY_KEY_PLACES - 1. */
#define KY_KEY_LEVELS 21
#define KY_KEY_PLACES (1 << KY_KEY_LEVELS)

/* The most bodies of the sample that finds the bulk; how much wider than the bulk the cube may be.
 */
#define KY_FRAME_SAMPLES 2048
#define KY_FRAME_WIDEN 8

#endif
