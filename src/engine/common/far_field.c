/* The far field of a periodic box: see far_field.h. */
#include "engine/common/far_field.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/threads.h"
#include "physics/periodic.h"

/* Parts of the bodies that are summed separately, whatever the number of threads; bodies of each
 * part at least. */
enum { PARTS = 16, LEAST = 512 };
enum { REACH = KY_FAR_SIDE - 1, OFFSETS = 2 * REACH + 1 };
/* Pairs of terms whose degrees add up to KY_FAR_DEGREE at most. */
enum { PAIRS = 3003 };

/* K_m += M_n D_(n+m). */
struct pair {
    unsigned char m, n, sum;
};

typedef double terms[KY_FAR_TERMS];

struct ky_far_field {
    terms derivative[OFFSETS * OFFSETS * OFFSETS]; /* by the offset of the source's cube */
    struct pair pair[PAIRS];
    terms part[PARTS][KY_FAR_CUBES], moment[KY_FAR_CUBES]; /* M_n about the middle of a cube */
    terms local[KY_FAR_CUBES];                             /* K_n */
    double per_side;
};

/* ---- derivatives ---- */

static int offset_of(const int at[3])
{
    return ((at[0] + REACH) * OFFSETS + at[1] + REACH) * OFFSETS + at[2] + REACH;
}

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

static void find_derivatives(struct ky_far_field *far)
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
        reflect(sorted[size[0]][size[1]][size[2]], at, axis, far->derivative[k]);
    }
}

static void list_pairs(struct ky_far_field *far)
{
    struct pair *pair = far->pair;
    int m = 0;
    KY_FAR_EACH(own, i, j, k)
    {
        int n = 0;
        KY_FAR_EACH(degree, u, v, w)
        {
            if (own + degree <= KY_FAR_DEGREE)
                *pair++ = (struct pair){(unsigned char)m, (unsigned char)n,
                                        (unsigned char)ky_far_term(i + u, j + v, k + w)};
            n++;
        }
        m++;
    }
}

enum ky_status ky_far_open(struct ky_far_field **far, struct ky_error *error)
{
    *far = ky_allocate_zeroed(1, sizeof **far);
    if (!*far)
        return ky_no_memory(error, "far field of the box", 1, sizeof **far);
    find_derivatives(*far);
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

/* The cube of a position, and the vector from the middle of the cube to it. */
static int cube_of(const struct ky_far_field *far, const double x[3], double from[3])
{
    int cube = 0;
    for (int c = 0; c < 3; c++) {
        const double at = x[c] * far->per_side * KY_FAR_SIDE;
        const int place = at < KY_FAR_SIDE ? (int)at : KY_FAR_SIDE - 1;
        from[c] = (at - place - 0.5) / KY_FAR_SIDE;
        cube = cube * KY_FAR_SIDE + place;
    }
    return cube;
}

static void add_bodies(const struct ky_far_field *far, const struct ky_far_bodies *bodies,
                       size_t first, size_t last, terms moment[KY_FAR_CUBES])
{
    memset(moment, 0, KY_FAR_CUBES * sizeof *moment);
    for (size_t k = first; k < last; k++) {
        const size_t i = bodies->member ? bodies->member[k] : k;
        const double x[3] = {bodies->x[0][i], bodies->x[1][i], bodies->x[2][i]};
        double from[3];
        terms power;
        double *to = moment[cube_of(far, x, from)];
        ky_far_powers(from, power);
        for (int n = 0; n < KY_FAR_TERMS; n++)
            to[n] += bodies->mass[i] * power[n];
    }
}

/* The polynomial of one cube, from the moments of all. */
static void expand(struct ky_far_field *far, int sink)
{
    enum { S = KY_FAR_SIDE };
    double *local = far->local[sink];
    memset(local, 0, sizeof far->local[sink]);
    for (int cube = 0; cube < KY_FAR_CUBES; cube++) {
        const double *moment = far->moment[cube];
        const int at[3] = {cube / S / S - sink / S / S, cube / S % S - sink / S % S,
                           cube % S - sink % S};
        const double *d = far->derivative[offset_of(at)];
        for (int p = 0; p < PAIRS && moment[0] > 0; p++)
            local[far->pair[p].m] += moment[far->pair[p].n] * d[far->pair[p].sum];
    }
}

void ky_far_sum(struct ky_far_field *far, const struct ky_far_bodies *bodies)
{
    const int threads = ky_threads(bodies->threads), many = bodies->n >= (size_t)PARTS * LEAST;
    far->per_side = 1 / bodies->side;
#pragma omp parallel for num_threads(threads) if (many)
    for (int k = 0; k < PARTS; k++)
        add_bodies(far, bodies, bodies->n * (size_t)k / PARTS, bodies->n * (size_t)(k + 1) / PARTS,
                   far->part[k]);
    memset(far->moment, 0, sizeof far->moment);
    for (int k = 0; k < PARTS; k++)
        for (int cube = 0; cube < KY_FAR_CUBES; cube++)
            for (int n = 0; n < KY_FAR_TERMS; n++)
                far->moment[cube][n] += far->part[k][cube][n];
#pragma omp parallel for schedule(dynamic) num_threads(threads) if (many)
    for (int cube = 0; cube < KY_FAR_CUBES; cube++)
        expand(far, cube);
}

/* a_e(t) = -Σ K_(m+e) tᵐ/m!, t = centre - sink. */
void ky_far_add_at(const struct ky_far_field *far, const double x[3], double field[4])
{
    double t[3], sum[4] = {0};
    terms power;
    const double *local = far->local[cube_of(far, x, t)];
    for (int c = 0; c < 3; c++)
        t[c] = -t[c];
    ky_far_powers(t, power);
    int n = 0;
    KY_FAR_EACH(degree, i, j, k)
    {
        sum[3] += local[n] * power[n];
        if (degree < KY_FAR_DEGREE) {
            sum[0] -= local[ky_far_term(i + 1, j, k)] * power[n];
            sum[1] -= local[ky_far_term(i, j + 1, k)] * power[n];
            sum[2] -= local[ky_far_term(i, j, k + 1)] * power[n];
        }
        n++;
    }
    for (int c = 0; c < 3; c++)
        field[c] += sum[c] * far->per_side * far->per_side;
    field[3] += sum[3] * far->per_side;
}
