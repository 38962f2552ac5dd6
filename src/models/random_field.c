/* Random modes, and displacements of first and second order computed from them. */
#include "models/random_field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "models/models.h"

static const double pi = 3.14159265358979323846;

/* ---- modes ---- */

struct wave {
    long n[3]; /* wave numbers */
};

/* 1 if a mode is the conjugate of mode −n, for which the random numbers are drawn: only one of the
 * two draws them. */
static int is_conjugate(const struct wave *w)
{
    for (int c = 2; c > 0; c--)
        if (w->n[c])
            return w->n[c] < 0;
    return w->n[0] < 0;
}

/* 1 for a mode without a partner and for the mean: both stay 0. */
static int is_left_out(const struct wave *w, size_t n)
{
    const long last = (long)(n / 2);
    for (int c = 0; c < 3; c++)
        if (labs(w->n[c]) == last)
            return 1;
    return !(w->n[0] || w->n[1] || w->n[2]);
}

/* The wave numbers as one index, independent of the grid: 21 bits each. */
static uint64_t index_of(const struct wave *w, int sign)
{
    uint64_t index = 0;
    for (int c = 0; c < 3; c++)
        index = index << 21 | (uint64_t)(sign * w->n[c] + (1 << 20));
    return index;
}

/* δ of one mode: a complex normal number with ⟨|δ|²⟩ = P/V. */
static void draw(const struct ky_spectrum *spectrum, double box,
                 const struct ky_random_phases *phases, const struct wave *w, double wave[2])
{
    const int sign = is_conjugate(w) ? -1 : 1;
    const double x = (double)w->n[0], y = (double)w->n[1], z = (double)w->n[2];
    const double k = 2 * pi / box * sqrt(x * x + y * y + z * z);
    const double size = sqrt(ky_power(spectrum, k) / (2 * box * box * box));
    struct ky_random random = ky_random_at(phases->seed, KY_STREAM_POSITION, index_of(w, sign));
    wave[0] = size * ky_random_normal(&random);
    wave[1] = sign * size * ky_random_normal(&random);
    double factor = phases->opposite ? -1 : 1;
    if (phases->fixed)
        factor *= sqrt(2) * size / sqrt(wave[0] * wave[0] + wave[1] * wave[1]);
    if (phases->fixed || phases->opposite)
        wave[0] *= factor, wave[1] *= factor;
}

/* Multiplies a mode by e^{iφ}. */
static void turn(double phase, double wave[2])
{
    const double c = cos(phase), s = sin(phase), re = wave[0];
    wave[0] = c * re - s * wave[1];
    wave[1] = s * re + c * wave[1];
}

void ky_random_waves(const struct ky_spectrum *spectrum, double box,
                     const struct ky_random_phases *phases, size_t n, struct ky_halt *halt,
                     double *grid)
{
    const double shift = 2 * pi * phases->shift / (double)n;
#pragma omp parallel for schedule(dynamic)
    for (size_t i = 0; i < n; i++) {
        if (ky_halted(halt))
            continue;
        double(*wave)[2] = (double(*)[2])grid + i * n * (n / 2 + 1);
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k <= n / 2; k++, wave++) {
                const struct wave w = {{ky_wave_number(i, n), ky_wave_number(j, n), (long)k}};
                if (is_left_out(&w, n))
                    (*wave)[0] = (*wave)[1] = 0;
                else
                    draw(spectrum, box, phases, &w, *wave);
                if (shift != 0)
                    turn(shift * (double)(w.n[0] + w.n[1] + w.n[2]), *wave);
            }
    }
}

/* ---- displacements ---- */

/* The factor of a mode: i factor n_a/n² for one axis, n_a n_b/n² for two. */
struct derivative {
    int a, b; /* b < 0: one axis */
    double factor;
    const struct ky_lattice_modes *lattice; /* has another vector than n/n²; or NULL */
    int rate;                               /* 1: times the rate of the mode */
};

/* The component a of n/n², or of the lattice's vector. */
static double component(const struct derivative *by, const struct wave *w)
{
    if (by->lattice) {
        const struct ky_lattice_mode mode = ky_lattice_mode_at(by->lattice, w->n);
        return by->rate ? mode.rate * mode.along[by->a] : mode.along[by->a];
    }
    const double x = (double)w->n[0], y = (double)w->n[1], z = (double)w->n[2];
    return (double)w->n[by->a] / (x * x + y * y + z * z);
}

/* Sets `to` to the derivative of `from`; both may be the same grid. */
static void derive(struct derivative by, size_t n, const double *from, double *to)
{
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; i++) {
        const size_t first = i * n * (n / 2 + 1);
        const double(*in)[2] = (const double(*)[2])from + first;
        double(*out)[2] = (double(*)[2])to + first;
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k <= n / 2; k++, in++, out++) {
                const struct wave w = {{ky_wave_number(i, n), ky_wave_number(j, n), (long)k}};
                /* 0 instead of 0/0 for the mean */
                double size = is_left_out(&w, n) ? 0 : by.factor * component(&by, &w);
                const double re = (*in)[0], im = (*in)[1];
                if (by.b >= 0)
                    size *= (double)w.n[by.b];
                (*out)[0] = by.b >= 0 ? size * re : -size * im;
                (*out)[1] = by.b >= 0 ? size * im : size * re;
            }
    }
}

/* Adds factor × squares to `sum`; with `first`, sets it. */
static void add_squares(int first, double factor, size_t n, const double *values, double *sum)
{
    const size_t row = n + 2;
#pragma omp parallel for schedule(static)
    for (size_t r = 0; r < n * n; r++)
        for (size_t k = r * row; k < r * row + n; k++)
            sum[k] = (first ? 0 : sum[k]) + factor * values[k] * values[k];
}

struct work {
    const struct ky_fourier *fourier;
    const struct ky_displacement_to *to;
    double box;
    int done;
};
enum { STEPS = 14, MORE = 3 }; /* transforms; of a lattice */

static void count(struct work *work)
{
    work->done++;
    if (work->to->progress)
        work->to->progress(work->to->context, work->done, work->to->lattice ? STEPS + MORE : STEPS);
}

/* Passes i k/k² × the modes of a grid to the caller's function; for the second order with the other
 * sign, for the first one with the vectors of the lattice in the place of k/k². */
static void hand_out(struct work *work, enum ky_displacement what, const double *from)
{
    const size_t n = work->fourier->n;
    double *grid = work->fourier->grid[1];
    struct derivative by = {.b = -1, .factor = work->box / (2 * pi), .rate = what == KY_FIRST_RATE};
    if (what == KY_SECOND_ORDER)
        by.factor = -by.factor;
    else
        by.lattice = work->to->lattice;
    for (by.a = 0; by.a < 3 && !ky_halted(work->fourier->halt); by.a++) {
        derive(by, n, from, grid);
        ky_fourier_to_space(work->fourier, grid);
        work->to->take(work->to->context, what, by.a, grid);
        count(work);
    }
}

/* Sets grid[2] to the modes of ∇²φ2, from δ in grid[0]. The trace of the derivatives is δ, so the
 * products of different φ_aa are half of δ² − Σ φ_aa². */
static void second_source(struct work *work)
{
    static const int pairs[][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    const size_t n = work->fourier->n;
    double *grid = work->fourier->grid[1], *source = work->fourier->grid[2];
    memcpy(grid, work->fourier->grid[0], n * n * (n + 2) * sizeof *grid);
    ky_fourier_to_space(work->fourier, grid);
    const double cells = (double)n * (double)n * (double)n;
    add_squares(1, 0.5 / cells, n, grid, source);
    count(work);
    for (size_t p = 0; p < sizeof pairs / sizeof *pairs && !ky_halted(work->fourier->halt); p++) {
        const int a = pairs[p][0], b = pairs[p][1];
        derive((struct derivative){a, b, 1, NULL, 0}, n, work->fourier->grid[0], grid);
        ky_fourier_to_space(work->fourier, grid);
        add_squares(0, (a == b ? -0.5 : -1) / cells, n, grid, source);
        count(work);
    }
    ky_fourier_to_waves(work->fourier, source);
    count(work);
}

void ky_displace(const struct ky_fourier *fourier, double box, const struct ky_displacement_to *to)
{
    struct work work = {fourier, to, box, 0};
    hand_out(&work, KY_FIRST_ORDER, fourier->grid[0]); /* −∇φ1 = i k/k² δ */
    if (to->lattice)
        hand_out(&work, KY_FIRST_RATE, fourier->grid[0]);
    second_source(&work);
    hand_out(&work, KY_SECOND_ORDER, fourier->grid[2]); /* ∇φ2 = −i k/k² ∇²φ2 */
}
