/* Projected density, smooth where bodies are few and sharp where they are many.
 *
 * A pyramid of grids, each level with cells twice as wide as those of the level below, counts the
 * bodies. A body's level is the (fractional) one at which a cell around it would hold a given
 * number of bodies; there its mass is laid down with a quadratic kernel over 3 × 3 cells. The
 * levels are then added up from the coarsest to the pixels, each step refining the grid by the
 * subdivision of quadratic B-splines (1/4, 3/4), which conserves mass: the two together are nearly
 * a Gaussian with a deviation of 0.71 cells. Masses are laid down as integers, 2^62 being the
 * panel's mass, so that the sums do not depend on the order of the threads. */
#include "draw/draw.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* Cells around the picture on every level: what a body outside may reach. Even, so that cells stay
 * aligned between levels. */
enum { PAD = 4, MAX_LEVELS = 16, TOP_CELLS = 5 };

/* So many bodies and fewer are drawn as dots. */
enum { DOTS = 1000 };

/* The number of bodies under the kernel if a cell has one: 4π (0.71 cells)². */
static const double kernel_cells = 6.28;

struct level {
    size_t side[2];  /* cells along right and up, padding included */
    double cell;     /* pixels */
    uint32_t *count; /* bodies */
    uint64_t *mass;  /* laid down at this level, in units of total / 2^62 */
    double *sum;     /* mass of this and all coarser levels */
};

struct pyramid {
    const struct ky_bodies *bodies;
    const double *weight; /* of each body, or NULL: its mass */
    const struct ky_view *view;
    double centre[2];        /* of the view, along right and up */
    double scale, origin[2]; /* pixel = (position − centre) × scale + origin */
    double unit;             /* mass on the grids per mass of a body: 2^62 / total */
    int levels;
    size_t corner[2]; /* pixels from the grid's inner corner to the picture's: the grids are
                         centred */
    struct level level[MAX_LEVELS];
};

static void release(struct pyramid *pyramid)
{
    for (int l = 0; l < pyramid->levels; l++) {
        free(pyramid->level[l].count);
        free(pyramid->level[l].mass);
        free(pyramid->level[l].sum);
    }
}

/* Makes the grids. KY_FAULT when memory is out. */
static enum ky_status prepare(struct pyramid *pyramid, const size_t size[2], struct ky_error *error)
{
    int top = 0;
    while (top < MAX_LEVELS - 1 && (ky_shorter(size) >> (top + 1)) >= TOP_CELLS)
        top++;
    size_t inner[2];
    for (int k = 0; k < 2; k++) {
        inner[k] = (size[k] + ((size_t)1 << top) - 1) >> top;
        pyramid->corner[k] = ((inner[k] << top) - size[k]) / 2;
        pyramid->origin[k] = (double)size[k] / 2 + (double)pyramid->corner[k];
    }
    pyramid->levels = 0;
    for (int l = 0; l <= top; l++) {
        struct level *level = &pyramid->level[l];
        for (int k = 0; k < 2; k++)
            level->side[k] = (inner[k] << (top - l)) + 2 * PAD;
        level->cell = ldexp(1, l);
        size_t cells = level->side[0] * level->side[1];
        level->count = ky_allocate_zeroed(cells, sizeof *level->count);
        level->mass = ky_allocate_zeroed(cells, sizeof *level->mass);
        level->sum = ky_allocate(cells, sizeof *level->sum);
        pyramid->levels = l + 1;
        if (!level->count || !level->mass || !level->sum) {
            release(pyramid);
            return ky_no_memory(error, "the picture", cells,
                                sizeof *level->count + sizeof *level->mass + sizeof *level->sum);
        }
    }
    return KY_OK;
}

/* The place of a pixel in cells of the level; 0 if it lies less than `rim` cells inside the grid.
 */
static int place(const struct level *level, const double pixel[2], double rim, double at[2])
{
    for (int k = 0; k < 2; k++) {
        at[k] = pixel[k] / level->cell + PAD;
        if (!(at[k] >= rim && at[k] < (double)level->side[k] - rim))
            return 0;
    }
    return 1;
}

static void pixel_of(const struct pyramid *pyramid, size_t i, double pixel[2])
{
    const double *x = pyramid->bodies->position[i];
    for (int k = 0; k < 2; k++)
        pixel[k] = (ky_along(x, pyramid->view->axis[k]) - pyramid->centre[k]) * pyramid->scale +
                   pyramid->origin[k];
}

static double mass_of(const struct pyramid *pyramid, size_t i)
{
    if (pyramid->weight)
        return pyramid->weight[i];
    return pyramid->view->by_number ? 1 : pyramid->bodies->mass[i];
}

/* Counts the bodies in cells. A body is counted on the finest level that holds it; coarser levels
 * add up what lies below. */
static void count_bodies(struct pyramid *pyramid)
{
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < pyramid->bodies->n; i++) {
        double pixel[2], at[2];
        pixel_of(pyramid, i, pixel);
        for (int l = 0; l < pyramid->levels; l++) {
            struct level *level = &pyramid->level[l];
            if (!place(level, pixel, 0, at))
                continue;
            size_t cell = (size_t)at[1] * level->side[0] + (size_t)at[0];
#pragma omp atomic
            level->count[cell]++;
            break;
        }
    }
    for (int l = 1; l < pyramid->levels; l++) {
        struct level *coarse = &pyramid->level[l], *fine = &pyramid->level[l - 1];
        for (size_t y = 0; y < fine->side[1]; y++)
            for (size_t x = 0; x < fine->side[0]; x++)
                coarse->count[((y + PAD) / 2) * coarse->side[0] + (x + PAD) / 2] +=
                    fine->count[y * fine->side[0] + x];
    }
}

/* Bodies per cell at a place, linear between the cells' centres. */
static double count_at(const struct level *level, const double at[2])
{
    double x = at[0] - 0.5, y = at[1] - 0.5;
    size_t i = (size_t)x, j = (size_t)y;
    double fx = x - (double)i, fy = y - (double)j;
    const uint32_t *row = level->count + j * level->side[0] + i, *next = row + level->side[0];
    return (row[0] * (1 - fx) + row[1] * fx) * (1 - fy) + (next[0] * (1 - fx) + next[1] * fx) * fy;
}

/* The level at which a cell holds `wanted` bodies; negative if no level holds the place. */
static double find_level(const struct pyramid *pyramid, const double pixel[2], double wanted)
{
    double before = 0, at[2];
    int seen = 0;
    for (int l = 0; l < pyramid->levels; l++) {
        if (!place(&pyramid->level[l], pixel, 1, at))
            continue;
        double count = count_at(&pyramid->level[l], at);
        if (count >= wanted) {
            double step = seen && before > 0 ? log(count / wanted) / log(count / before) : 0;
            return l - fmin(step, l > 0 ? 1 : 0);
        }
        before = count, seen = 1;
    }
    return seen ? pyramid->levels - 1 : -1;
}

/* Adds mass to 3 × 3 cells with the weights of the quadratic B-spline. */
static void lay_down(struct level *level, const double pixel[2], double mass)
{
    double at[2], weight[2][3];
    if (!(mass > 0) || !place(level, pixel, 1, at))
        return;
    size_t i = (size_t)at[0], j = (size_t)at[1];
    for (int k = 0; k < 2; k++) {
        double d = at[k] - floor(at[k]) - 0.5;
        weight[k][0] = 0.5 * (0.5 - d) * (0.5 - d);
        weight[k][1] = 0.75 - d * d;
        weight[k][2] = 0.5 * (0.5 + d) * (0.5 + d);
    }
    for (size_t b = 0; b < 3; b++)
        for (size_t a = 0; a < 3; a++) {
            uint64_t part = (uint64_t)(weight[0][a] * weight[1][b] * mass + 0.5);
            uint64_t *cell = &level->mass[(j + b - 1) * level->side[0] + i + a - 1];
#pragma omp atomic
            *cell += part;
        }
}

/* Adds the level above to this one. A cell takes 3/4 of its parent and 1/4 of the parent's nearer
 * neighbour, along both axes, and a quarter of the area's mass. */
static void add_up(const struct pyramid *pyramid, int l)
{
    const struct level *fine = &pyramid->level[l];
#pragma omp parallel for schedule(static)
    for (size_t y = 0; y < fine->side[1]; y++)
        for (size_t x = 0; x < fine->side[0]; x++) {
            double sum = (double)fine->mass[y * fine->side[0] + x];
            if (l + 1 < pyramid->levels) {
                const struct level *coarse = fine + 1;
                size_t i = (x + PAD) / 2, j = (y + PAD) / 2;
                size_t ni = x % 2 ? i + 1 : i - 1, nj = y % 2 ? j + 1 : j - 1;
                const double *row = coarse->sum + j * coarse->side[0];
                const double *near = coarse->sum + nj * coarse->side[0];
                sum += (3 * (3 * row[i] + row[ni]) + 3 * near[i] + near[ni]) / 64;
            }
            fine->sum[y * fine->side[0] + x] = sum;
        }
}

/* A round dot, for bodies so few that each is to be seen: (1 − r²/R²)³ over the pixels. */
static void lay_dot(struct level *level, const double pixel[2], double radius, double mass)
{
    double at[2], sum = 0;
    if (!(mass > 0) || !place(level, pixel, 0, at))
        return;
    size_t low[2], high[2];
    for (int k = 0; k < 2; k++) {
        low[k] = (size_t)fmax(at[k] - radius, 0);
        high[k] = (size_t)fmin(at[k] + radius, (double)level->side[k] - 1);
    }
    for (int pass = 0; pass < 2; pass++)
        for (size_t j = low[1]; j <= high[1]; j++)
            for (size_t i = low[0]; i <= high[0]; i++) {
                double dx = (double)i + 0.5 - at[0], dy = (double)j + 0.5 - at[1];
                double w = fmax(0, 1 - (dx * dx + dy * dy) / (radius * radius));
                if (pass == 0)
                    sum += w * w * w;
                else
                    level->mass[j * level->side[0] + i] += (uint64_t)(mass / sum * w * w * w + 0.5);
            }
}

static void draw_dots(struct pyramid *pyramid, double side)
{
    double radius = fmax(side / 90 / sqrt(1 + (double)pyramid->bodies->n / 100), 1.5);
    for (size_t i = 0; i < pyramid->bodies->n; i++) {
        double pixel[2];
        pixel_of(pyramid, i, pixel);
        lay_dot(&pyramid->level[0], pixel, radius, mass_of(pyramid, i) * pyramid->unit);
    }
}

/* Lays down every body on the two levels about its own, in parts that follow from the fraction. */
static void spread(struct pyramid *pyramid, double smooth)
{
    double wanted = fmin(smooth / kernel_cells, 0.002 * (double)(pyramid->bodies->n - DOTS));
    count_bodies(pyramid);
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < pyramid->bodies->n; i++) {
        double pixel[2];
        pixel_of(pyramid, i, pixel);
        double at = find_level(pyramid, pixel, wanted);
        if (at < 0)
            continue;
        int l = (int)at;
        double mass = mass_of(pyramid, i) * pyramid->unit, upper = at - l;
        lay_down(&pyramid->level[l], pixel, mass * (1 - upper));
        if (l + 1 < pyramid->levels)
            lay_down(&pyramid->level[l + 1], pixel, mass * upper);
    }
}

enum ky_status ky_density_project(const struct ky_bodies *bodies, const double *weight,
                                  const struct ky_view *view, const size_t size[2], double smooth,
                                  double *density, struct ky_error *error)
{
    double shorter = (double)ky_shorter(size);
    struct pyramid pyramid = {
        .bodies = bodies, .weight = weight, .view = view, .scale = shorter / view->side};
    enum ky_status status = prepare(&pyramid, size, error);
    if (status)
        return status;
    for (int k = 0; k < 2; k++)
        pyramid.centre[k] = ky_along(view->middle, view->axis[k]);
    double total = 0;
    for (size_t i = 0; i < bodies->n; i++)
        total += mass_of(&pyramid, i);
    pyramid.unit = total > 0 ? 0x1p62 / total : 0;
    if (bodies->n > DOTS)
        spread(&pyramid, smooth);
    else
        draw_dots(&pyramid, shorter);
    for (int l = pyramid.levels - 1; l >= 0; l--)
        add_up(&pyramid, l);
    const struct level *base = &pyramid.level[0];
    size_t left = pyramid.corner[0] + PAD, bottom = pyramid.corner[1] + PAD;
    double per_area = total * 0x1p-62 * pyramid.scale * pyramid.scale;
    for (size_t y = 0; y < size[1]; y++)
        for (size_t x = 0; x < size[0]; x++)
            density[y * size[0] + x] =
                base->sum[(size[1] - 1 - y + bottom) * base->side[0] + x + left] * per_area;
    release(&pyramid);
    return KY_OK;
}
