/* The far field of a periodic box: see far_field.h. */
#include "engine/common/far_field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"

/* Parts of the bodies that threads sum separately; bodies of each part at least. */
enum { PARTS = 16, LEAST = 512 };
enum { REACH = KY_FAR_REACH, OFFSETS = KY_FAR_OFFSETS };
/* Pairs of terms whose degrees add up to KY_FAR_DEGREE at most. */
enum { PAIRS = 3003 };

typedef double terms[KY_FAR_TERMS];

/* M_n/4^|n| about the middle of a cube, in units of 2^exponent of mass: |M_n| < M/4^|n| for bodies
 * that are outside by less than an eighth of the side, so that no sum leaves the integers. */
typedef uint64_t wholes[KY_FAR_WHOLES];
enum { BITS = 61, SCALE = KY_FAR_SIDE };

struct ky_far_field {
    terms derivative[OFFSETS * OFFSETS * OFFSETS]; /* by the offset of the source's cube */
    unsigned char sum[PAIRS];                      /* the place of n + m, for each n and m */
    wholes part[PARTS];
    int exponent;
    terms moment[KY_FAR_CUBES];                /* M_n about the middle of a cube */
    terms local[KY_FAR_CUBES];                 /* K_n */
    double row[KY_FAR_CUBES][KY_FAR_TERMS][4]; /* of tⁿ/n!: the coefficients of -a and of -φ */
    double per_side;
};

/* ---- derivatives ---- */

/* The derivatives at an offset from the ones at its absolute values in descending order, `sorted`,
 * with axis[c] the place of axis c among them. */
static void reflect(const terms sorted, const int at[3], const int axis[3], terms to)
{
    int n = 0;
    KY_FAR_EACH(degree, i, j, k)
    {
        const int power[3] = {i, j, k};
        int from[3], odd = 0;
        for (int c = 0; c < 3; c++) {
            from[axis[c]] = power[c];
            odd += at[c] < 0 ? power[c] : 0;
        }
        to[n++] = (odd % 2 ? -1 : 1) * sorted[ky_far_term(from[0], from[1], from[2])];
    }
}

/* Ranks the absolute values of an offset: the largest has 0. */
static void rank_axes(const int at[3], int axis[3])
{
    for (int c = 0; c < 3; c++) {
        axis[c] = 0;
        for (int other = 0; other < 3; other++)
            axis[c] += abs(at[other]) > abs(at[c]) || (abs(at[other]) == abs(at[c]) && other < c);
    }
}

void ky_far_find(double (*derivative)[KY_FAR_TERMS])
{
    terms sorted[KY_FAR_SIDE][KY_FAR_SIDE][KY_FAR_SIDE];
    for (int i = 0; i < KY_FAR_SIDE; i++)
        for (int j = 0; j <= i; j++)
            for (int k = 0; k <= j; k++) {
                const double r[3] = {(double)i / KY_FAR_SIDE, (double)j / KY_FAR_SIDE,
                                     (double)k / KY_FAR_SIDE};
                ky_far_derivatives(r, KY_FAR_ALPHA, sorted[i][j][k]);
            }
    for (int k = 0; k < OFFSETS * OFFSETS * OFFSETS; k++) {
        const int at[3] = {k / OFFSETS / OFFSETS - REACH, k / OFFSETS % OFFSETS - REACH,
                           k % OFFSETS - REACH};
        int axis[3], size[3];
        rank_axes(at, axis);
        for (int c = 0; c < 3; c++)
            size[axis[c]] = abs(at[c]);
        reflect(sorted[size[0]][size[1]][size[2]], at, axis, derivative[k]);
    }
}

static void list_pairs(struct ky_far_field *far)
{
    unsigned char *sum = far->sum;
    KY_FAR_EACH(own, i, j, k)
    KY_FAR_EACH(degree, u, v, w)
    if (own + degree <= KY_FAR_DEGREE)
        *sum++ = (unsigned char)ky_far_term(i + u, j + v, k + w);
}

enum ky_status ky_far_open(struct ky_far_field **far, struct ky_error *error)
{
    KY_TRY(ky_array_zeroed(far, 1, sizeof **far, "far field of the box", error));
    ky_far_find((*far)->derivative);
    list_pairs(*far);
    return KY_OK;
}

void ky_far_close(struct ky_far_field *far)
{
    free(far);
}

size_t ky_far_memory(void)
{
    return sizeof(struct ky_far_field);
}

/* ---- moments and polynomials ---- */

/* The cube of a position, the nearest one for a position outside the box, and the vector from the
 * middle of the cube to it. */
static int cube_of(const struct ky_far_field *far, const double x[3], double from[3])
{
    int cube = 0;
    for (int c = 0; c < 3; c++) {
        const double at = x[c] * far->per_side * KY_FAR_SIDE;
        const int place = at < 1 ? 0 : at < KY_FAR_SIDE ? (int)at : KY_FAR_SIDE - 1;
        from[c] = (at - place - 0.5) / KY_FAR_SIDE;
        cube = cube * KY_FAR_SIDE + place;
    }
    return cube;
}

static void add_bodies(const struct ky_far_field *far, const struct ky_far_bodies *bodies,
                       size_t first, size_t last, wholes sum)
{
    const double unit = ldexp(1, -far->exponent);
    memset(sum, 0, sizeof(wholes));
    for (size_t k = first; k < last; k++) {
        const size_t i = bodies->member ? bodies->member[k] : k, at = i * bodies->along;
        const double x[3] = {bodies->x[0][at], bodies->x[1][at], bodies->x[2][at]},
                     mass = bodies->mass[i] * unit;
        double from[3];
        terms power;
        uint64_t *to = sum + cube_of(far, x, from) * KY_FAR_TERMS;
        if (!isfinite(mass * (from[0] + from[1] + from[2]))) {
            sum[KY_FAR_WHOLES - 1]++;
            continue;
        }
        for (int c = 0; c < 3; c++)
            from[c] *= SCALE;
        ky_far_powers(from, power);
        for (int n = 0; n < KY_FAR_TERMS; n++)
            to[n] += (uint64_t)llrint(mass * power[n]);
    }
}

uint64_t *ky_far_sum_bodies(struct ky_far_field *far, const struct ky_far_bodies *bodies,
                            double all)
{
    const int threads = ky_threads(bodies->threads), many = bodies->n >= (size_t)PARTS * LEAST;
    (void)threads, (void)many; /* without OpenMP */
    far->per_side = 1 / bodies->side;
    frexp(all, &far->exponent);
    far->exponent -= BITS;
#pragma omp parallel for num_threads(threads) if (many)
    for (int k = 0; k < PARTS; k++)
        add_bodies(far, bodies, bodies->n * (size_t)k / PARTS, bodies->n * (size_t)(k + 1) / PARTS,
                   far->part[k]);
    for (int k = 1; k < PARTS; k++)
        for (int n = 0; n < KY_FAR_WHOLES; n++)
            far->part[0][n] += far->part[k][n];
    return far->part[0];
}

/* The moments in the engine's unit of mass. */
static void take_moments(struct ky_far_field *far)
{
    const int is_lost = far->part[0][KY_FAR_WHOLES - 1] > 0;
    for (int cube = 0; cube < KY_FAR_CUBES; cube++) {
        const uint64_t *sum = far->part[0] + cube * KY_FAR_TERMS;
        for (int n = 0, degree = 0; n < KY_FAR_TERMS; n++) {
            degree += n == ky_far_term(degree + 1, 0, 0);
            far->moment[cube][n] =
                is_lost ? (double)NAN
                        : ldexp((double)(int64_t)sum[n], far->exponent) * pow(1.0 / SCALE, degree);
        }
    }
}

/* K_m += M_n D_(n+m). matrix: D_(n+m) in the order of `sum`, so that terms m are next to each
 * other. */
static void act(const double *matrix, const terms moment, terms local)
{
    for (int n = 0, degree = 0; n < KY_FAR_TERMS; n++) {
        degree += n == ky_far_term(degree + 1, 0, 0);
        const int count = ky_far_term(KY_FAR_DEGREE - degree + 1, 0, 0);
        for (int m = 0; m < count; m++)
            local[m] += moment[n] * matrix[m];
        matrix += count;
    }
}

/* The cube at these coordinates, or -1 if there is none. */
static int cube_at(int x, int y, int z)
{
    enum { S = KY_FAR_SIDE };
    const int is_inside = x >= 0 && y >= 0 && z >= 0 && x < S && y < S && z < S;
    return is_inside ? (x * S + y) * S + z : -1;
}

/* Lets the cubes at one offset act on all cubes of a plane. */
static void act_from(struct ky_far_field *far, int plane, const int offset[3])
{
    double matrix[PAIRS];
    const double *d = far->derivative[ky_far_offset(offset[0], offset[1], offset[2])];
    for (int p = 0; p < PAIRS; p++)
        matrix[p] = d[far->sum[p]];
    for (int k = 0; k < KY_FAR_SIDE * KY_FAR_SIDE; k++) {
        const int y = k / KY_FAR_SIDE, z = k % KY_FAR_SIDE,
                  from = cube_at(plane + offset[0], y + offset[1], z + offset[2]);
        if (from >= 0 && far->moment[from][0] != 0)
            act(matrix, far->moment[from], far->local[cube_at(plane, y, z)]);
    }
}

/* Acceleration and -φ of a cube as sums over the same powers: a_e(t) = -Σ K_(m+e) tᵐ/m!. */
static void arrange(const terms local, double row[KY_FAR_TERMS][4])
{
    int n = 0;
    KY_FAR_EACH(degree, i, j, k)
    {
        const int has_more = degree < KY_FAR_DEGREE;
        row[n][0] = has_more ? local[ky_far_term(i + 1, j, k)] : 0;
        row[n][1] = has_more ? local[ky_far_term(i, j + 1, k)] : 0;
        row[n][2] = has_more ? local[ky_far_term(i, j, k + 1)] : 0;
        row[n][3] = local[n];
        n++;
    }
}

/* The polynomials of a plane of cubes, from the moments of all. */
static void expand_plane(struct ky_far_field *far, int plane)
{
    enum { CUBES = KY_FAR_SIDE * KY_FAR_SIDE };
    memset(far->local[plane * CUBES], 0, CUBES * sizeof *far->local);
    for (int x = -plane; x < KY_FAR_SIDE - plane; x++)
        for (int k = 0; k < OFFSETS * OFFSETS; k++)
            act_from(far, plane, (const int[]){x, k / OFFSETS - REACH, k % OFFSETS - REACH});
    for (int k = plane * CUBES; k < (plane + 1) * CUBES; k++)
        arrange(far->local[k], far->row[k]);
}

void ky_far_expand(struct ky_far_field *far, int threads)
{
    take_moments(far);
    (void)threads; /* without OpenMP */
#pragma omp parallel for schedule(dynamic) num_threads(ky_threads(threads))
    for (int plane = 0; plane < KY_FAR_SIDE; plane++)
        expand_plane(far, plane);
}

/* t = centre - sink. Even and odd terms have sums of their own, so that additions need not wait for
 * each other. */
void ky_far_add_at(const struct ky_far_field *far, const double x[3], double field[4])
{
    double t[3], even[4] = {0}, odd[4] = {0};
    terms power;
    const double(*row)[4] = far->row[cube_of(far, x, t)];
    for (int c = 0; c < 3; c++)
        t[c] = -t[c];
    ky_far_powers(t, power);
    for (int n = 0; n + 1 < KY_FAR_TERMS; n += 2)
        for (int c = 0; c < 4; c++) {
            even[c] += row[n][c] * power[n];
            odd[c] += row[n + 1][c] * power[n + 1];
        }
    for (int c = 0; c < 4; c++)
        even[c] += odd[c] + row[KY_FAR_TERMS - 1][c] * power[KY_FAR_TERMS - 1];
    for (int c = 0; c < 3; c++)
        field[c] -= even[c] * far->per_side * far->per_side;
    field[3] += even[3] * far->per_side;
}

/* The number of a coefficient in physics/taylor.h, whose second degree has the squares first. */
static int taylor_number(int term)
{
    static const int second[] = {4, 7, 8, 5, 9, 6};
    return term < 4 || term > 9 ? term : second[term - 4];
}

/* K'_m = Σ K_(m+n) τⁿ/n!, τ from the new centre to the middle of the cube. */
void ky_far_add_local(const struct ky_far_field *far, const double x[3], int order, double *local)
{
    double t[3], scale = far->per_side;
    terms power;
    const double *from = far->local[cube_of(far, x, t)];
    const unsigned char *sum = far->sum;
    for (int c = 0; c < 3; c++)
        t[c] = -t[c];
    ky_far_powers(t, power);
    for (int degree = 0, m = 0; degree <= order; degree++, scale *= far->per_side) {
        const int count = ky_far_term(KY_FAR_DEGREE - degree + 1, 0, 0);
        for (; m < ky_far_term(degree + 1, 0, 0); m++, sum += count) {
            double shifted = 0;
            for (int n = 0; n < count; n++)
                shifted += from[sum[n]] * power[n];
            local[taylor_number(m)] += scale * shifted;
        }
    }
}

/* ∂a_i/∂x_j = Σ K_(m+i+j) tᵐ/m!. */
void ky_far_add_tide_at(const struct ky_far_field *far, const double x[3], double tide[6])
{
    static const int second[6][3] = {{2, 0, 0}, {0, 2, 0}, {0, 0, 2},
                                     {1, 1, 0}, {1, 0, 1}, {0, 1, 1}};
    const double scale = far->per_side * far->per_side * far->per_side;
    double t[3];
    terms power;
    const double *local = far->local[cube_of(far, x, t)];
    for (int c = 0; c < 3; c++)
        t[c] = -t[c];
    ky_far_powers(t, power);
    int n = 0;
    KY_FAR_EACH(degree, i, j, k)
    {
        for (int c = 0; c < 6 && degree + 2 <= KY_FAR_DEGREE; c++) {
            const int *more = second[c];
            tide[c] += scale * power[n] * local[ky_far_term(i + more[0], j + more[1], k + more[2])];
        }
        n++;
    }
}
