/* Fourier transforms of periodic grids, by the Stockham algorithm with factors 2, 3, 4, 5 and 7.
 *
 * LANES lines are transformed at a time, so that the innermost loops run over lines and vectorise
 * for every factor. A transform of a grid handles planes of constant x in two dimensions, then
 * lines along x. The bits do not depend on the number of threads. */
#include "base/fourier.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/threads.h"

enum { LANES = 8 };

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

/* ---- lines ---- */

/* LANES lines of `n` complex numbers: real parts [n][LANES], then imaginary parts. `to` is the
 * other half of the workspace, which every pass writes. */
struct lines {
    size_t n;
    double *from, *to;
    const double *root; /* e^{−2πi k/(n step)}, as cosine and sine of each k */
    size_t step;
    int back; /* 1: e^{+…}, by exchanging real and imaginary parts */
};

/* The transform of `radix` numbers. For odd ones the sums and differences of x[k] and x[radix − k]
 * enter by cosines and sines of 2π k m/radix. */
static inline void butterfly(const int radix, double re[7], double im[7])
{
    static const double cosine[8][4] = {
        [3] = {1, -0.5},
        [5] = {1, 0.30901699437494742, -0.80901699437494742},
        [7] = {1, 0.62348980185873353, -0.22252093395631440, -0.90096886790241913}};
    static const double sine[8][4] = {
        [3] = {0, 0.86602540378443865},
        [5] = {0, 0.95105651629515357, 0.58778525229247313},
        [7] = {0, 0.78183148246802981, 0.97492791218182361, 0.43388373911755812}};
    double sum[2][4], less[2][4], out[2][7];
    if (radix == 2) {
        const double a = re[1], b = im[1];
        re[1] = re[0] - a, im[1] = im[0] - b;
        re[0] += a, im[0] += b;
        return;
    }
    if (radix == 4) {
        const double a = re[0] + re[2], b = re[0] - re[2], c = re[1] + re[3], d = re[1] - re[3];
        const double e = im[0] + im[2], f = im[0] - im[2], g = im[1] + im[3], h = im[1] - im[3];
        re[0] = a + c, re[1] = b + h, re[2] = a - c, re[3] = b - h;
        im[0] = e + g, im[1] = f - d, im[2] = e - g, im[3] = f + d;
        return;
    }
    out[0][0] = re[0], out[1][0] = im[0];
    for (int k = 1; k <= radix / 2; k++) {
        sum[0][k] = re[k] + re[radix - k], sum[1][k] = im[k] + im[radix - k];
        less[0][k] = re[k] - re[radix - k], less[1][k] = im[k] - im[radix - k];
        out[0][0] += sum[0][k], out[1][0] += sum[1][k];
    }
    for (int m = 1; m <= radix / 2; m++) {
        double a = re[0], b = im[0], c = 0, d = 0;
        for (int k = 1; k <= radix / 2; k++) {
            const int turn = k * m % radix, fold = turn > radix / 2 ? radix - turn : turn;
            const double s = turn > radix / 2 ? -sine[radix][fold] : sine[radix][fold];
            a += cosine[radix][fold] * sum[0][k], b += cosine[radix][fold] * sum[1][k];
            c += s * less[0][k], d += s * less[1][k];
        }
        out[0][m] = a + d, out[1][m] = b - c;
        out[0][radix - m] = a - d, out[1][radix - m] = b + c;
    }
    for (int k = 0; k < radix; k++)
        re[k] = out[0][k], im[k] = out[1][k];
}

/* One pass: transforms of length `done` become transforms of length done radix. Number j of the
 * k-th transform is at [j][k], as it is in the result. */
static inline __attribute__((always_inline)) void pass(const int radix, const struct lines *lines,
                                                       size_t done)
{
    const size_t size = lines->n * LANES, left = lines->n / done / (size_t)radix;
    const size_t row = left * LANES, re = lines->back ? size : 0, im = size - re;
    for (size_t j = 0; j < done; j++) {
        const double *restrict from = lines->from + j * row * (size_t)radix;
        double *restrict to = lines->to + j * row;
        double c[7], s[7];
        for (int q = 0; q < radix; q++) {
            const double *root = lines->root + 2 * ((size_t)q * j * left * lines->step);
            c[q] = root[0], s[q] = root[1];
        }
        for (size_t i = 0; i < row; i++) {
            double x[7], y[7];
            x[0] = from[i + re], y[0] = from[i + im];
            for (int q = 1; q < radix; q++) {
                const double a = from[i + (size_t)q * row + re], b = from[i + (size_t)q * row + im];
                x[q] = c[q] * a - s[q] * b, y[q] = c[q] * b + s[q] * a;
            }
            butterfly(radix, x, y);
            for (int q = 0; q < radix; q++) {
                to[i + (size_t)q * done * row + re] = x[q];
                to[i + (size_t)q * done * row + im] = y[q];
            }
        }
    }
}

/* Transforms the lines in `from`, where the result is too. */
static void transform(struct lines *lines)
{
    size_t radix;
    for (size_t done = 1; done < lines->n; done *= radix) {
        const size_t left = lines->n / done;
        radix = left % 4 == 0 ? 4 : left % 2 == 0 ? 2 : left % 3 == 0 ? 3 : left % 5 == 0 ? 5 : 7;
        switch (radix) {
        case 2:
            pass(2, lines, done);
            break;
        case 3:
            pass(3, lines, done);
            break;
        case 4:
            pass(4, lines, done);
            break;
        case 5:
            pass(5, lines, done);
            break;
        default:
            pass(7, lines, done);
            break;
        }
        double *swap = lines->from;
        lines->from = lines->to;
        lines->to = swap;
    }
}

/* ---- lines of a grid ---- */

/* Where the lines of a grid are: number k of line l begins at `first` + k apart + l across. */
struct where {
    double *first;
    size_t apart, across, count;
};

/* Transforms lines of complex numbers in place. */
static void transform_lines(struct lines *lines, const struct where *where)
{
    for (size_t first = 0; first < where->count; first += LANES) {
        const size_t rest = where->count - first, some = rest < LANES ? rest : LANES;
        double *at = where->first + first * where->across;
        for (size_t k = 0; k < lines->n; k++)
            for (size_t l = 0; l < some; l++)
                for (size_t part = 0; part < 2; part++)
                    lines->from[(part * lines->n + k) * LANES + l] =
                        at[k * where->apart + l * where->across + part];
        transform(lines);
        for (size_t k = 0; k < lines->n; k++)
            for (size_t l = 0; l < some; l++)
                for (size_t part = 0; part < 2; part++)
                    at[k * where->apart + l * where->across + part] =
                        lines->from[(part * lines->n + k) * LANES + l];
    }
}

/* The waves X of 2n real numbers x from the waves Z of the n numbers x[2j] + i x[2j + 1], or back,
 * then twice as large, in place. X[k] = E + T and X[n − k] = (E − T)*, where E and D are half the
 * sum and half the difference of Z[k] and Z[n − k]*, and T = −i e^{−πik/n} D; back likewise. */
static void join_or_split(const struct lines *lines, double *row)
{
    const size_t n = lines->n;
    const double sign = lines->back ? -1 : 1, half = lines->back ? 1 : 0.5;
    if (lines->back)
        row[1] = row[2 * n + 1] = 0; /* the waves 0 and n of real numbers are real */
    else
        row[2 * n] = row[0], row[2 * n + 1] = row[1];
    for (size_t k = 0; k <= n / 2; k++) {
        double *a = row + 2 * k, *b = row + 2 * (n - k);
        const double c = sign * lines->root[2 * k], s = lines->root[2 * k + 1];
        const double e[2] = {half * (a[0] + b[0]), half * (a[1] - b[1])};
        const double d[2] = {half * (a[0] - b[0]), half * (a[1] + b[1])};
        const double t[2] = {s * d[0] + c * d[1], s * d[1] - c * d[0]};
        a[0] = e[0] + t[0], a[1] = e[1] + t[1];
        b[0] = e[0] - t[0], b[1] = t[1] - e[1];
    }
}

/* Transforms a plane of constant x: lines along y are complex, lines along z real numbers. */
static void transform_plane(const struct ky_fourier *fourier, struct lines *lines, double *plane)
{
    const size_t n = fourier->n, row = n + 2;
    const struct where along_y = {plane, row, 2, n / 2 + 1}, along_z = {plane, 2, row, n};
    struct lines half = *lines;
    half.n = n / 2, half.step = 2;
    if (lines->back)
        transform_lines(lines, &along_y);
    for (size_t j = 0; j < n && lines->back; j++)
        join_or_split(&half, plane + j * row);
    transform_lines(&half, &along_z);
    for (size_t j = 0; j < n && !lines->back; j++)
        join_or_split(&half, plane + j * row);
    if (!lines->back)
        transform_lines(lines, &along_y);
}

/* ---- grids ---- */

static size_t workspace(size_t n)
{
    return 4 * n * LANES;
}

enum ky_status ky_fourier_open(struct ky_fourier *fourier, size_t n, struct ky_error *error)
{
    *fourier = (struct ky_fourier){.n = n, .threads = (size_t)ky_threads(0)};
    for (int g = 0; g < KY_GRIDS; g++) {
        KY_TRY(ky_array(&fourier->grid[g], n * n, (n + 2) * sizeof(double),
                        "a grid of Fourier transforms", error));
    }
    fourier->root = ky_allocate(n, 2 * sizeof(double));
    fourier->work = ky_allocate(fourier->threads, workspace(n) * sizeof(double));
    if (!fourier->root || !fourier->work)
        return ky_no_memory(error, "lines of a grid", fourier->threads,
                            workspace(n) * sizeof(double));
    const double turn = 2 * 3.14159265358979323846 / (double)n;
    for (size_t k = 0; k < n; k++) {
        fourier->root[2 * k] = cos(turn * (double)k);
        fourier->root[2 * k + 1] = -sin(turn * (double)k);
    }
    return KY_OK;
}

void ky_fourier_close(struct ky_fourier *fourier)
{
    for (int g = 0; g < KY_GRIDS; g++)
        free(fourier->grid[g]);
    free(fourier->root);
    free(fourier->work);
    *fourier = (struct ky_fourier){0};
}

/* Transforms all planes, or all lines along x, of the grid. */
static void transform_all(const struct ky_fourier *fourier, double *grid, int back, int planes)
{
    const size_t n = fourier->n, row = n + 2, size = workspace(n);
#pragma omp parallel for schedule(static)
    for (size_t t = 0; t < fourier->threads; t++) {
        double *work = fourier->work + t * size;
        struct lines lines = {n, work, work + size / 2, fourier->root, 1, back};
        for (size_t i = t; i < n && !ky_halted(fourier->halt); i += fourier->threads) {
            const struct where along_x = {grid + i * row, n * row, 2, n / 2 + 1};
            if (planes)
                transform_plane(fourier, &lines, grid + i * n * row);
            else
                transform_lines(&lines, &along_x);
        }
    }
}

void ky_fourier_to_space(const struct ky_fourier *fourier, double *grid)
{
    transform_all(fourier, grid, 1, 0);
    transform_all(fourier, grid, 1, 1);
}

void ky_fourier_to_waves(const struct ky_fourier *fourier, double *grid)
{
    transform_all(fourier, grid, 0, 1);
    transform_all(fourier, grid, 0, 0);
}
