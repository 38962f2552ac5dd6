/* Two bodies about each other, with the pulls of other bodies. Vectors are relative, from the first
 * body to the second one. Masses contain G. */
#ifndef KY_FEW_BINARY_H
#define KY_FEW_BINARY_H

#include <stddef.h>

/* Bodies that pull a system from outside. Each moves from its place d relative to the centre of
 * mass of the system by d + w s + a s²/2 + j s³/6, where s is the time since the start. */
enum { KY_FEW_PATH = 12 /* numbers of a path: d, w, a, j */ };
struct ky_few_others {
    double from; /* [time] the start */
    size_t count;
    const double *gm;                  /* [count] */
    const double (*path)[KY_FEW_PATH]; /* [count] */
    /* Distant bodies: their tidal tensor xx yy zz xy xz yz, t₀ + t₁ s + t₂ s². */
    double tide[3][6];
};

/* Adds the accelerations by the others on places about the centre of mass, at the time s. */
void ky_few_pull(const struct ky_few_others *others, double s, int n, const double (*place)[3],
                 double (*pull)[3]);

struct ky_few_binary {
    double gm[2];
    double x[3], v[3];
};

/* Advances the binary by the time dt, from the time 0 of the others on. With slow-down κ its motion
 * takes dt/κ and the pulls are κ times as strong (Mikkola & Aarseth 1996). `angle`: of eccentric
 * anomaly in a step [rad]. Returns the number of steps. Without others it moves on its orbit. */
double ky_few_binary_go(struct ky_few_binary *binary, double dt, double kappa, double angle,
                        const struct ky_few_others *others);

#endif
