/* Periodic grids in space and as waves, through FFTW. */
#ifndef KY_MODELS_FOURIER_H
#define KY_MODELS_FOURIER_H

#include "base/halt.h"
#include "base/status.h"

/* Three grids of n³ points, n even, and what transforms them in place. In space a grid is the
 * numbers at [i][j][k] of double[n][n][n + 2]; the last two of a row are unused. As waves it is, at
 * [i][j][k] of double[n][n][n/2 + 1][2], the real and the imaginary part of the amplitude c of c
 * e^{2πi (x i' + y j' + z k)/n}, i' = ky_wave_number(i, n), summed over all waves; waves with k < 0
 * are conjugates of these and are not stored. */
enum { KY_GRIDS = 3 };
struct ky_fourier_plans;
struct ky_fourier {
    size_t n;
    double *grid[KY_GRIDS];
    struct ky_fourier_plans *plans;
    struct ky_halt *halt; /* where it says so, transforms are left out; NULL: never */
};

/* −n/2 … n/2 − 1 for the index 0 … n − 1. The wave −n/2 has no partner and stays 0. */
static inline long ky_wave_number(size_t index, size_t n)
{
    return index < n / 2 ? (long)index : (long)index - (long)n;
}
/* The least even n ≥ `least` without prime factors above 7, for which transforms are fast. */
size_t ky_fourier_size(size_t least);
/* KY_UNSUPPORTED in a build without FFTW; KY_FAULT where memory is out. After a failure too, close
 * it. */
enum ky_status ky_fourier_open(struct ky_fourier *fourier, size_t n, struct ky_error *error);
void ky_fourier_close(struct ky_fourier *fourier);
/* From waves to numbers in space; and back, where the waves come out n³ times too large. All
 * threads work; the results do not depend on their number. */
void ky_fourier_to_space(const struct ky_fourier *fourier, double *grid);
void ky_fourier_to_waves(const struct ky_fourier *fourier, double *grid);

#endif
