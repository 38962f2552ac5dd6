/* A Gaussian random density field on a periodic grid, and the displacements that grow from it, to
 * second order in Lagrangian perturbation theory. */
#ifndef KY_MODELS_RANDOM_FIELD_H
#define KY_MODELS_RANDOM_FIELD_H

#include "base/fourier.h"
#include "models/cosmology.h"
#include "models/lattice_modes.h"

/* The random numbers of a field. */
struct ky_random_phases {
    uint64_t seed;
    int fixed;    /* 1: each mode has its rms amplitude, and only its phase is random (Angulo &
                     Pontzen 2016) */
    int opposite; /* 1: each mode has the other sign: the second field of a pair */
    double shift; /* points of the grid lie at (i + shift) × spacing along each axis */
};

/* Fills a grid of n³ points with the modes of δ in a periodic cube of side `box` [Mpc]. The random
 * numbers of a mode are a function of the seed and of its three wave numbers: a finer grid in the
 * same box has the same long waves, and more short ones. The mean is 0. When `halt` (or NULL) is
 * set, the remaining modes are skipped. */
void ky_random_waves(const struct ky_spectrum *spectrum, double box,
                     const struct ky_random_phases *phases, size_t n, struct ky_halt *halt,
                     double *grid);

/* A grid of ψ1, of ψ2, or with a lattice of dψ1/d ln D1 in the velocities of the start, which is
 * otherwise ψ1. */
enum ky_displacement { KY_FIRST_ORDER, KY_SECOND_ORDER, KY_FIRST_RATE };
/* Receives the displacement along an axis, in real space, in the unit of `box`. The grid is valid
 * only during the call. */
typedef void ky_displacement_function(void *context, enum ky_displacement what, int axis,
                                      const double *grid);
/* Receives the progress: `done` of `all` steps of about the same length. */
typedef void ky_progress_function(void *context, int done, int all);
struct ky_displacement_to {
    ky_displacement_function *take;
    ky_progress_function *progress;         /* or NULL */
    void *context;                          /* for both functions */
    const struct ky_lattice_modes *lattice; /* whose modes ψ1 consists of; NULL: a fluid */
};

/* Computes the displacements from the modes of δ in grid[0], which is kept; the other grids are
 * overwritten. With growth factors D1 and D2 a point q moves to q + D1 ψ1 + D2 ψ2: ψ1 = −∇φ1, ∇²φ1
 * = δ; ψ2 = ∇φ2, ∇²φ2 = Σ_{a<b} (∂²_a φ1 ∂²_b φ1 − (∂_a ∂_b φ1)²), where φ1 is the fluid's. The
 * products are computed in real space, so products of the shortest waves are aliased to longer
 * ones. When fourier->halt is set, the rest is skipped. */
void ky_displace(const struct ky_fourier *fourier, double box, const struct ky_displacement_to *to);

#endif
