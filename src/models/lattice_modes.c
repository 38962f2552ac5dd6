/* The modes of a lattice: Ewald sums of its matrix, eigenvectors, and their growth. */
#include "models/lattice_modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "physics/periodic.h"

static const double pi = 3.14159265358979323846;

/* ---- the matrix ----
 *
 *     E(k) = Σ_G f(k + G) − Σ_{G≠0} f(G) + 1/(4πρ) Σ_{R≠0} (1 − cos k·R) ∇∇ erfc(α|R|)/|R|
 *     f(q) = q qᵀ/q² exp(−q²/(4α²))
 *
 * over the vectors R of the lattice and G of its reciprocal lattice; the spacing is 1. */

static const double alpha = 1.8; /* both sums are exact to 1e-12 */
enum { NEAR = 3, WAVES = 4 };    /* the largest |R| and |G|/(2π) along an axis */

/* Adds factor q qᵀ. */
static void add_product(const double q[3], double factor, double e[3][3])
{
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            e[a][b] += factor * q[a] * q[b];
}

static void add_wave(const double q[3], double sign, double e[3][3])
{
    const double q2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
    if (q2 > 0)
        add_product(q, sign * exp(-q2 / (4 * alpha * alpha)) / q2, e);
}

static void add_neighbour(const double k[3], const double r[3], double density, double e[3][3])
{
    double g[KY_FAR_DEGREE + 1];
    const double r2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    if (!(r2 > 0))
        return;
    ky_far_erfc(r2, alpha, g); /* ∇∇ = g₁ + g₂ r rᵀ */
    const double factor = (1 - cos(k[0] * r[0] + k[1] * r[1] + k[2] * r[2])) / (4 * pi * density);
    add_product(r, factor * g[2], e);
    for (int c = 0; c < 3; c++)
        e[c][c] += factor * g[1];
}

void ky_lattice_matrix(const double k[3], int centred, double e[3][3])
{
    memset(e, 0, 9 * sizeof(double));
    for (int x = -WAVES; x <= WAVES; x++)
        for (int y = -WAVES; y <= WAVES; y++)
            for (int z = -WAVES; z <= WAVES; z++) {
                const double g[] = {2 * pi * x, 2 * pi * y, 2 * pi * z},
                             q[] = {g[0] + k[0], g[1] + k[1], g[2] + k[2]};
                if (centred && (x + y + z) % 2)
                    continue;
                add_wave(q, 1, e);
                add_wave(g, -1, e);
            }
    for (int second = 0; second <= centred; second++)
        for (int x = -NEAR; x <= NEAR; x++)
            for (int y = -NEAR; y <= NEAR; y++)
                for (int z = -NEAR; z <= NEAR; z++) {
                    const double r[] = {x + 0.5 * second, y + 0.5 * second, z + 0.5 * second};
                    add_neighbour(k, r, 1 + centred, e);
                }
}

/* ---- eigenvectors ---- */

/* Turns the axes p and q so that e[p][q] becomes 0; the columns of v are the axes. */
static void turn(int p, int q, double e[3][3], double v[3][3])
{
    const double angle = 0.5 * atan2(2 * e[p][q], e[q][q] - e[p][p]), c = cos(angle),
                 s = sin(angle);
    for (int k = 0; k < 3; k++) {
        const double ep = e[k][p], vp = v[k][p];
        e[k][p] = c * ep - s * e[k][q], e[k][q] = s * ep + c * e[k][q];
        v[k][p] = c * vp - s * v[k][q], v[k][q] = s * vp + c * v[k][q];
    }
    for (int k = 0; k < 3; k++) {
        const double ep = e[p][k];
        e[p][k] = c * ep - s * e[q][k], e[q][k] = s * ep + c * e[q][k];
    }
}

/* Finds the eigenvector of a symmetric matrix that makes the smallest angle with n, by Jacobi's
 * rotations. *along is the multiple of it whose product with n is 1. Returns its eigenvalue. Equal
 * eigenvalues would leave a choice of eigenvectors. In a box they occur only for waves along an
 * axis or a diagonal, where n itself is an eigenvector. */
static double nearest_eigenvector(double e[3][3], const double n[3], double along[3])
{
    enum { SWEEPS = 8 }; /* errors fall as squares and faster */
    double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, product[3];
    int best = 0;
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++)
                turn(p, q, e, v);
    for (int j = 0; j < 3; j++) {
        product[j] = v[0][j] * n[0] + v[1][j] * n[1] + v[2][j] * n[2];
        if (fabs(product[j]) > fabs(product[best]))
            best = j;
    }
    for (int c = 0; c < 3; c++)
        along[c] = v[c][best] / product[best];
    return e[best][best];
}

/* ---- growth ---- */

/* A wave with the pull e: its rate d ln u/d ln a at the start, and ln of its growth from there. */
struct growth {
    double rate, ln_factor;
};

static struct growth growth_of(const struct ky_lattice_modes *modes, double pull)
{
    enum { STEPS = 200 };
    const struct ky_universe *u = &modes->universe;
    const double early = 1e-4 * modes->start, m = (sqrt(1 + 24 * pull) - 1) / 4;
    /* as in matter alone; all other parts of a wave decay */
    const struct ky_growing first = {1, m, pull},
                            start = ky_growth_follow(first, early, modes->start, STEPS, u),
                            end = ky_growth_follow(start, modes->start, modes->fluid, STEPS, u);
    return (struct growth){start.slope / start.d, log(end.d / start.d)};
}

/* Growth for pulls from LEAST on, to be interpolated to 1e-5. */
enum { PULLS = 256 };
static const double least = 0.25, most = 1.25; /* modes have 0.32 to 1.11 */

static struct growth interpolate(const struct growth table[PULLS], double pull)
{
    const double at = (pull - least) / (most - least) * (PULLS - 1);
    const int low = (int)fmin(fmax(at, 0), PULLS - 2);
    const double part = at - low;
    const struct growth *a = table + low, *b = a + 1;
    return (struct growth){a->rate + part * (b->rate - a->rate),
                           a->ln_factor + part * (b->ln_factor - a->ln_factor)};
}

/* ---- all modes ---- */

/* The place of n_x ≥ n_y ≥ n_z ≥ 0. */
static size_t place_of(const size_t n[3])
{
    return n[0] * (n[0] + 1) * (n[0] + 2) / 6 + n[1] * (n[1] + 1) / 2 + n[2];
}

static struct ky_lattice_mode mode_of(const struct ky_lattice_modes *modes,
                                      const struct growth table[PULLS], const size_t place[3])
{
    const double n[] = {(double)place[0], (double)place[1], (double)place[2]},
                 unit = 2 * pi / (double)modes->side, k[] = {unit * n[0], unit * n[1], unit * n[2]};
    const struct growth fluid = interpolate(table, 1);
    struct ky_lattice_mode mode = {{0}, 1};
    double e[3][3];
    if (!place[0])
        return mode;
    ky_lattice_matrix(k, modes->centred, e);
    const struct growth own = interpolate(table, nearest_eigenvector(e, n, mode.along));
    mode.rate = own.rate / fluid.rate;
    for (int c = 0; c < 3; c++)
        mode.along[c] *= exp(fluid.ln_factor - own.ln_factor);
    return mode;
}

enum ky_status ky_lattice_modes_make(struct ky_lattice_modes *modes, struct ky_halt *halt,
                                     struct ky_error *error)
{
    const size_t reach = modes->side / 2, count = place_of((size_t[]){reach + 1, 0, 0});
    struct growth table[PULLS];
    KY_TRY(
        ky_array_zeroed(&modes->mode, count, sizeof *modes->mode, "modes of the lattice", error));
#pragma omp parallel for schedule(static)
    for (int p = 0; p < PULLS; p++)
        table[p] = growth_of(modes, least + (most - least) * p / (PULLS - 1));
#pragma omp parallel for schedule(dynamic)
    for (size_t k = 0; k <= reach; k++) /* the most work first */
        for (size_t x = reach - k, y = 0; y <= x && !ky_halted(halt); y++)
            for (size_t z = 0; z <= y; z++) {
                const size_t n[] = {x, y, z};
                modes->mode[place_of(n)] = mode_of(modes, table, n);
            }
    return KY_OK;
}

struct ky_lattice_mode ky_lattice_mode_at(const struct ky_lattice_modes *modes, const long n[3])
{
    int axis[] = {0, 1, 2}; /* in the order of falling |n| */
    for (int k = 0; k < 3; k++) {
        const int low = k == 1; /* compares the places 0 and 1, 1 and 2, 0 and 1 */
        if (labs(n[axis[low]]) < labs(n[axis[low + 1]])) {
            const int first = axis[low];
            axis[low] = axis[low + 1], axis[low + 1] = first;
        }
    }
    const size_t sorted[] = {(size_t)labs(n[axis[0]]), (size_t)labs(n[axis[1]]),
                             (size_t)labs(n[axis[2]])};
    const struct ky_lattice_mode *mode = &modes->mode[place_of(sorted)];
    struct ky_lattice_mode turned = {.rate = mode->rate};
    for (int c = 0; c < 3; c++)
        turned.along[axis[c]] = n[axis[c]] < 0 ? -mode->along[c] : mode->along[c];
    return turned;
}
