/* What the benchmark of unrollings asks of a device. Kernels read the table of unrollings too. */
#ifndef UNROLL_CARD_H
#define UNROLL_CARD_H

/* The unrollings of F09's loop: sinks × sources of a lane and turn. */
#define UNROLLINGS(X)                                                                              \
    X(1, 1)                                                                                        \
    X(1, 2)                                                                                        \
    X(1, 4)                                                                                        \
    X(1, 8)                                                                                        \
    X(2, 1)                                                                                        \
    X(2, 2)                                                                                        \
    X(2, 4)                                                                                        \
    X(2, 8)                                                                                        \
    X(4, 1)                                                                                        \
    X(4, 2)                                                                                        \
    X(4, 4)                                                                                        \
    X(4, 8)                                                                                        \
    X(8, 1)                                                                                        \
    X(8, 2)                                                                                        \
    X(8, 4)                                                                                        \
    X(8, 8)
#define MOST 8 /* sinks of a lane, and sources of a turn */

#ifndef __OPENCL_VERSION__
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A call that fails prints why and ends the program. `unrolling` is a row of the table. */
struct unroll_card {
    /* Takes the device with this number, writes its name, and makes room for n bodies. */
    void (*open)(size_t device, size_t n, char name[160]);
    void (*put)(const float (*body)[4], const float (*velocity)[4]);
    void (*get)(float (*body)[4], float (*velocity)[4], float (*field)[4]);
    /* Starts the sum of the forces: x, y, z and Σm/r in `field`. */
    void (*sum)(int unrolling, int sinks, float eps2);
    /* Starts v += kick a; x += drift v. */
    void (*advance)(float kick, float drift);
    void (*finish)(void); /* waits for all that was started */
};
extern const struct unroll_card unroll_opencl, unroll_cuda;

#ifdef __cplusplus
}
#endif
#endif
#endif
