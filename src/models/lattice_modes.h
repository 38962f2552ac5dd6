/* Waves of bodies on a lattice: particle linear theory (Joyce & Marcos 2007). Displacements
 * u cos(k·q) of the points q of a lattice pull each other with 4πGρ E(k) u, where a fluid has
 * k̂k̂ᵀ in the place of the matrix E. An eigenvector with the eigenvalue e grows like the fluid
 * would if the pull of matter were e times as strong; with Ωm = 1 as a^m, m = (√(1 + 24 e) − 1)/4.
 *
 * Waves that start as Garrison et al. (2016) describe have the eigenvector nearest to k̂ as their
 * direction, the density of the fluid's wave, velocities with the rate of growth of the
 * eigenvector, and amplitudes with which they have grown to the fluid's at a later time. */
#ifndef KY_MODELS_LATTICE_MODES_H
#define KY_MODELS_LATTICE_MODES_H

#include "base/halt.h"
#include "base/status.h"
#include "physics/expansion.h"

/* E(k) of a cubic lattice, or of one with a second point in the middle of each cube, for k in
 * radians a spacing. Its trace is 1. */
void ky_lattice_matrix(const double k[3], int centred, double e[3][3]);

/* The wave n, in multiples of 2π/side. */
struct ky_lattice_mode {
    double along[3]; /* takes the place of n/|n|², the displacement of a fluid for δ = 1 */
    double rate;     /* d ln u/d ln a at the start over the fluid's */
};

/* The modes of a lattice with `side` points along an axis. */
struct ky_lattice_modes {
    size_t side;
    int centred;
    double start,
        fluid; /* scale factors: of the start, and when waves have the fluid's amplitude */
    struct ky_universe universe;
    struct ky_lattice_mode *mode; /* n_x ≥ n_y ≥ n_z ≥ 0, up to n_x = side/2 */
};

/* Computes the modes from the other members; when `halt` is set, the rest is skipped. KY_FAULT if
 * memory runs out. The caller frees `mode`. */
enum ky_status ky_lattice_modes_make(struct ky_lattice_modes *modes, struct ky_halt *halt,
                                     struct ky_error *error);
/* The mode of the wave n, |n_x|, |n_y|, |n_z| ≤ side/2, n not 0. */
struct ky_lattice_mode ky_lattice_mode_at(const struct ky_lattice_modes *modes, const long n[3]);

#endif
