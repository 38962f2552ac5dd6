/* Systems of few bodies on a device (kernels/steps/few.k, few_small.k, few_large.k): columns of
 * numbers, one number of each system. Masses contain G. */
#ifndef KY_PHYSICS_FEW_DEVICE_H
#define KY_PHYSICS_FEW_DEVICE_H

#define KY_FEW_GROUP 128 /* lanes */
/* the most bodies of a system: in few_small.k, and on a device */
#define KY_FEW_SMALL 4
#define KY_FEW_ON_DEVICE 32
/* lanes of a group of few_large.k: a team with a lane for each body, which under CUDA is a warp */
#define KY_FEW_LARGE_TEAM KY_FEW_ON_DEVICE

/* The columns of systems of n bodies. First the time and its low part, B, the length of the next
 * step with its sign, and the number of steps. */
#define KY_FEW_COLUMN_T 0
#define KY_FEW_COLUMN_LOW 1
#define KY_FEW_COLUMN_B 2
#define KY_FEW_COLUMN_H 3
#define KY_FEW_COLUMN_STEPS 4
/* The masses of the bodies in the order of the tree. Pairs of few.k have their total mass and the
 * weight of V²/2 and of M/r in the clock instead. */
#define KY_FEW_COLUMN_MASS(i) (5 + (i))
#define KY_FEW_COLUMN_TOTAL KY_FEW_COLUMN_MASS(0)
#define KY_FEW_COLUMN_WEIGHT KY_FEW_COLUMN_MASS(1)
/* Of node k: the vector from its left side to its right one, and its velocity. */
#define KY_FEW_COLUMN_X(n, k, c) (5 + (n) + 6 * (k) + (c))
#define KY_FEW_COLUMN_V(n, k, c) KY_FEW_COLUMN_X(n, k, 3 + (c))
/* Pairs of few.k have no more. The others have 1/κ of node k and its place in the tree as one
 * number, the body at place p and the radius of body i, the clock as one number, and
 * KY_FEW_TREE_NUMBERS. */
#define KY_FEW_PAIR_COLUMNS KY_FEW_COLUMN_X(2, 1, 0)
#define KY_FEW_COLUMN_SLOW(n, k) (KY_FEW_COLUMN_X(n, (n)-1, 0) + (k))
#define KY_FEW_COLUMN_NODE(n, k) (KY_FEW_COLUMN_SLOW(n, (n)-1) + (k))
#define KY_FEW_COLUMN_BODY(n, p) (KY_FEW_COLUMN_NODE(n, (n)-1) + (p))
#define KY_FEW_COLUMN_RADIUS(n, i) (KY_FEW_COLUMN_BODY(n, n) + (i))
#define KY_FEW_COLUMN_CLOCK(n) KY_FEW_COLUMN_RADIUS(n, n)
#define KY_FEW_TREE_NUMBERS(X)                                                                     \
    X(last) X(longest) X(energy) X(error) X(whole) X(scale) X(repeated) X(kicks) X(trees)
#define KY_FEW_ONE_MORE(member) +1
#define KY_FEW_COLUMNS(n) (KY_FEW_COLUMN_CLOCK(n) + 1 KY_FEW_TREE_NUMBERS(KY_FEW_ONE_MORE))

#endif
