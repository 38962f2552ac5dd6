/* All calls of FFTW. A build without FFTW returns KY_UNSUPPORTED.
 *
 * A transform handles planes of constant x in two dimensions, then lines along x. Each plane and
 * each set of lines is one call of the same plan, so threads can share the calls, and the bits do
 * not depend on the number of threads. Plans are FFTW's estimates, since plans that it measures
 * differ from run to run. */
#include "models/fourier.h"

#include <stdlib.h>
#include <string.h>

#include "base/features.h"
#include "base/memory.h"

size_t ky_fourier_size(size_t least)
{
    static const size_t factors[] = {2, 3, 5, 7};
    for (size_t n = least + least % 2;; n += 2) {
        size_t rest = n;
        for (size_t f = 0; f < sizeof factors / sizeof *factors; f++)
            while (rest && rest % factors[f] == 0)
                rest /= factors[f];
        if (rest == 1)
            return n;
    }
}

#ifndef KY_HAVE_FFTW

enum ky_status ky_fourier_open(struct ky_fourier *fourier, size_t n, struct ky_error *error)
{
    *fourier = (struct ky_fourier){.n = n};
    return ky_fail(error, KY_UNSUPPORTED,
                   "random fields need FFTW, which this build does not have: " KY_WHY_NO_FFTW);
}

void ky_fourier_close(struct ky_fourier *fourier)
{
    (void)fourier;
}

void ky_fourier_to_space(const struct ky_fourier *fourier, double *grid)
{
    (void)fourier, (void)grid;
}

void ky_fourier_to_waves(const struct ky_fourier *fourier, double *grid)
{
    (void)fourier, (void)grid;
}

#else

#include <fftw3.h>
#include <pthread.h>

enum { PLANE_TO_SPACE, LINES_TO_SPACE, PLANE_TO_WAVES, LINES_TO_WAVES, PLANS };
struct ky_fourier_plans {
    fftw_plan plan[PLANS];
};

/* FFTW's planner is not thread-safe. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Plans the transforms of the lines along x at one y. */
static fftw_plan plan_lines(int n, fftw_complex *waves, int sign)
{
    const int row = n / 2 + 1, apart = n * row;
    return fftw_plan_many_dft(1, &n, row, waves, NULL, apart, 1, waves, NULL, apart, 1, sign,
                              FFTW_ESTIMATE | FFTW_UNALIGNED);
}

/* 0 if a plan cannot be made. */
static int make_plans(int n, double *grid, fftw_plan plan[PLANS])
{
    fftw_complex *waves = (fftw_complex *)grid;
    const unsigned how = FFTW_ESTIMATE | FFTW_UNALIGNED;
    pthread_mutex_lock(&lock);
    plan[PLANE_TO_SPACE] = fftw_plan_dft_c2r_2d(n, n, waves, grid, how);
    plan[PLANE_TO_WAVES] = fftw_plan_dft_r2c_2d(n, n, grid, waves, how);
    plan[LINES_TO_SPACE] = plan_lines(n, waves, FFTW_BACKWARD);
    plan[LINES_TO_WAVES] = plan_lines(n, waves, FFTW_FORWARD);
    pthread_mutex_unlock(&lock);
    for (int k = 0; k < PLANS; k++)
        if (!plan[k])
            return 0;
    return 1;
}

enum ky_status ky_fourier_open(struct ky_fourier *fourier, size_t n, struct ky_error *error)
{
    enum { LARGEST = 32768 }; /* FFTW takes sizes as int */
    *fourier = (struct ky_fourier){.n = n};
    for (int g = 0; g < KY_GRIDS; g++) {
        fourier->grid[g] = ky_allocate(n * n, (n + 2) * sizeof(double));
        if (!fourier->grid[g] || n > LARGEST)
            return ky_no_memory(error, "a grid of the random field", n * n,
                                (n + 2) * sizeof(double));
    }
    fourier->plans = ky_allocate_zeroed(1, sizeof *fourier->plans);
    if (!fourier->plans || !make_plans((int)n, fourier->grid[0], fourier->plans->plan))
        return ky_fail(error, KY_FAULT, "FFTW lacks the memory for a grid of %zu³ points", n);
    return KY_OK;
}

void ky_fourier_close(struct ky_fourier *fourier)
{
    for (int g = 0; g < KY_GRIDS; g++)
        free(fourier->grid[g]);
    pthread_mutex_lock(&lock);
    for (int k = 0; k < PLANS && fourier->plans; k++)
        if (fourier->plans->plan[k])
            fftw_destroy_plan(fourier->plans->plan[k]);
    pthread_mutex_unlock(&lock);
    free(fourier->plans);
    *fourier = (struct ky_fourier){0};
}

static void lines(const struct ky_fourier *fourier, int which, double *grid)
{
    const size_t n = fourier->n, row = n + 2;
#pragma omp parallel for schedule(static)
    for (size_t j = 0; j < n; j++) {
        fftw_complex *waves = (fftw_complex *)(grid + j * row);
        if (!ky_halted(fourier->halt))
            fftw_execute_dft(fourier->plans->plan[which], waves, waves);
    }
}

void ky_fourier_to_space(const struct ky_fourier *fourier, double *grid)
{
    const size_t n = fourier->n, plane = n * (n + 2);
    lines(fourier, LINES_TO_SPACE, grid);
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++)
        if (!ky_halted(fourier->halt))
            fftw_execute_dft_c2r(fourier->plans->plan[PLANE_TO_SPACE],
                                 (fftw_complex *)(grid + i * plane), grid + i * plane);
}

void ky_fourier_to_waves(const struct ky_fourier *fourier, double *grid)
{
    const size_t n = fourier->n, plane = n * (n + 2);
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++)
        if (!ky_halted(fourier->halt))
            fftw_execute_dft_r2c(fourier->plans->plan[PLANE_TO_WAVES], grid + i * plane,
                                 (fftw_complex *)(grid + i * plane));
    lines(fourier, LINES_TO_WAVES, grid);
}

#endif
