/* Periodic grids and their Fourier transforms. */
#ifndef KY_BASE_FOURIER_H
#define KY_BASE_FOURIER_H

#include "base/halt.h"
#include "base/status.h"

/* Three grids of n³ points, n even with no prime factor above 7, and the workspace of transforms in
 * place. In real space a grid is the numbers at [i][j][k] of double[n][n][n + 2]; the last two of a
 * row are unused. In Fourier space, [i][j][k] of double[n][n][n/2 + 1][2] holds the real and the
 * imaginary part of the amplitude c of c e^{2πi (x i' + y j' + z k)/n}, i' = ky_wave_number(i, n),
 * summed over all modes; modes with k < 0 are the conjugates of the stored ones and are not stored.
 */
enum { KY_GRIDS = 3 };
struct ky_fourier {
    size_t n, threads;
    double *grid[KY_GRIDS];
    double *root, *work;  /* e^{−2πi k/n}; the lines that each thread transforms */
    struct ky_halt *halt; /* when it is set, transforms are skipped; NULL: never */
};

/* The wave number −n/2 … n/2 − 1 of the index 0 … n − 1. Mode −n/2 has no partner and stays 0. */
static inline long ky_wave_number(size_t index, size_t n)
{
    return index < n / 2 ? (long)index : (long)index - (long)n;
}
/* The smallest even n ≥ `least` without prime factors above 7, for which transforms are fast. */
size_t ky_fourier_size(size_t least);
/* Allocates grids and workspace; n is of ky_fourier_size. KY_FAULT if memory runs out. Call
 * ky_fourier_close also after a failure. */
enum ky_status ky_fourier_open(struct ky_fourier *fourier, size_t n, struct ky_error *error);
void ky_fourier_close(struct ky_fourier *fourier);
/* Transforms to real space and back, in place. The second is not normalised: its amplitudes are n³
 * times too large. Uses all threads; the results do not depend on their number. */
void ky_fourier_to_space(const struct ky_fourier *fourier, double *grid);
void ky_fourier_to_waves(const struct ky_fourier *fourier, double *grid);

#endif
