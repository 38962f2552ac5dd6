/* Systems of two bodies on a device, one lane each (kernels/steps/few.k): columns of numbers, one
 * number of each system. Masses contain G. */
#ifndef KY_PHYSICS_FEW_PAIR_H
#define KY_PHYSICS_FEW_PAIR_H

#define KY_FEW_GROUP 128 /* lanes */

#define KY_FEW_PAIR_TOTAL 0
#define KY_FEW_PAIR_WEIGHT 1 /* of V²/2 and of M/r in the clock */
#define KY_FEW_PAIR_H 2      /* the length of a step, with its sign */
/* The numbers that steps change: the vector from the first body to the second one, its velocity, B,
 * the time and its low part, and the number of steps. */
#define KY_FEW_PAIR_X 3
#define KY_FEW_PAIR_V 6
#define KY_FEW_PAIR_B 9
#define KY_FEW_PAIR_T 10
#define KY_FEW_PAIR_LOW 11
#define KY_FEW_PAIR_STEPS 12
#define KY_FEW_PAIR_COLUMNS 13

#endif
