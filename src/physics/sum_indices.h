/* The indices of the sums over bodies, for every engine. Vectors take three elements. */
#ifndef KY_PHYSICS_SUM_INDICES_H
#define KY_PHYSICS_SUM_INDICES_H

#define KY_SUM_CHUNK 4096 /* consecutive bodies of one partial sum, in the caller's order */
#define KY_SUM_MASS 0
#define KY_SUM_CENTRE 1
#define KY_SUM_MOMENTUM 4
#define KY_SUM_ANGULAR 7
#define KY_SUM_KINETIC 10
#define KY_SUM_POTENTIAL 11
#define KY_SUM_VIRIAL 12
#define KY_SUM_FORCE 13
#define KY_SUM_EXTERNAL 16 /* m φ of external fields */
#define KY_SUMS 17
/* The sums before EXTERNAL, whose terms are stored for each body. */
#define KY_SUMS_KEPT 16

#endif
