/* Projected density, smooth where bodies are few and sharp where they are many.
 *
 * Every body is deposited on the pixels (lay.c); all further steps use only cells. On each level of
 * a pyramid a cell keeps a fraction of its mass, which depends on the number of bodies around it.
 * The rest rises to the next level, whose cells are twice as wide. There a cell takes (1/4, 3/4,
 * 3/4, 1/4) of four cells along each axis: the refinement mask of quadratic B-splines, so the mass
 * on the coarse cells is as if the bodies had been deposited there. The levels are then added from
 * the coarsest to the pixels, each step refining the grid by the subdivision of quadratic B-splines
 * (1/4, 3/4), which conserves mass: mass on a level is spread over nearly a Gaussian with a
 * standard deviation of 0.71 of its cells. No sum depends on the number of threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "draw/pyramid.h"

enum { PAD = KY_PYRAMID_PAD, TOP_CELLS = 5 };

/* With this number of cells or more, a loop over a level uses several threads. */
enum { MANY = 1 << 14 };

/* The number of bodies under the kernel if each cell has one: 4π (0.71 cells)². */
static const double kernel_cells = 6.28;

/* Computes the sides of the grids. */
static void prepare(struct ky_pyramid *pyramid)
{
    const struct ky_projection *projection = pyramid->projection;
    const size_t *size = projection->size, shorter = ky_shorter(size);
    size_t inner[2];
    int top = 0;
    while (top < KY_PYRAMID_LEVELS - 1 && (shorter >> (top + 1)) >= TOP_CELLS)
        top++;
    pyramid->scale = (double)shorter / projection->view->side;
    for (int k = 0; k < 2; k++) {
        inner[k] = (size[k] + ((size_t)1 << top) - 1) >> top;
        pyramid->corner[k] = ((inner[k] << top) - size[k]) / 2;
        pyramid->origin[k] = (double)size[k] / 2 + (double)pyramid->corner[k];
        pyramid->centre[k] = ky_along(projection->view->middle, projection->view->axis[k]);
    }
    pyramid->levels = top + 1;
    for (int l = 0; l <= top; l++) {
        struct ky_level *level = &pyramid->level[l];
        for (int k = 0; k < 2; k++)
            level->side[k] = (inner[k] << (top - l)) + 2 * PAD;
        level->cell = ldexp(1, l);
        level->first = pyramid->cells;
        pyramid->cells += level->side[0] * level->side[1];
    }
}

/* The contributions of four by four cells to the cell (i, j) of the level above. `stays`: fraction
 * of each cell that does not rise; NULL: 0. */
static double gather(const struct ky_level *fine, const double *value, const float *stays, size_t i,
                     size_t j)
{
    static const double weight[4] = {0.25, 0.75, 0.75, 0.25};
    double sum = 0;
    for (size_t b = 0; b < 4; b++) {
        const size_t y = 2 * j + b - PAD - 1; /* wraps to a huge number below 0 */
        if (y >= fine->side[1])
            continue;
        for (size_t a = 0; a < 4; a++) {
            const size_t x = 2 * i + a - PAD - 1;
            if (x >= fine->side[0])
                continue;
            const size_t at = y * fine->side[0] + x;
            const double rises = stays ? 1 - (double)stays[at] : 1;
            sum += weight[a] * weight[b] * rises * value[at];
        }
    }
    return sum;
}

/* Adds to level l the mass that rises from the level below. */
static void rise(const struct ky_pyramid *pyramid, int l, double *value, const float *stays)
{
    const struct ky_level *coarse = &pyramid->level[l], *fine = coarse - 1;
    const double *below = value + fine->first;
    double *here = value + coarse->first;
    stays = stays ? stays + fine->first : NULL;
#pragma omp parallel for schedule(static) if (coarse->side[0] * coarse->side[1] >= MANY)
    for (size_t j = 0; j < coarse->side[1]; j++)
        for (size_t i = 0; i < coarse->side[0]; i++)
            here[j * coarse->side[0] + i] += gather(fine, below, stays, i, j);
}

/* The contribution of the level above to the cell (x, y): 3/4 of its parent and 1/4 of the parent's
 * nearer neighbour, along both axes, times a quarter of the area. */
static double refined(const struct ky_level *coarse, const double *value, size_t x, size_t y)
{
    size_t i = (x + PAD) / 2, j = (y + PAD) / 2;
    size_t ni = x % 2 ? i + 1 : i - 1, nj = y % 2 ? j + 1 : j - 1;
    const double *row = value + coarse->first + j * coarse->side[0];
    const double *near = value + coarse->first + nj * coarse->side[0];
    return (3 * (3 * row[i] + row[ni]) + 3 * near[i] + near[ni]) / 64;
}

/* The fraction of a cell's mass that stays on its level: all if the cell has the wanted number of
 * bodies, nothing if a cell of the next level around it has fewer. Between these it follows from
 * the fractional level at which a cell would have that number. */
static float part_that_stays(double here, double above, double wanted)
{
    if (here >= wanted)
        return 1;
    return here > 0 && above > wanted ? (float)(log(above / wanted) / log(above / here)) : 0;
}

/* Fills stays[cells]. `wanted`: number of bodies in a cell, as a fraction of all bodies. */
static void choose_levels(const struct ky_pyramid *pyramid, double wanted, float *stays)
{
    double *number = pyramid->value[KY_NUMBER];
    for (int l = 1; l < pyramid->levels; l++)
        rise(pyramid, l, number, NULL);
    for (int l = 0; l < pyramid->levels; l++) {
        const struct ky_level *level = &pyramid->level[l];
        const int top = l + 1 == pyramid->levels;
#pragma omp parallel for schedule(static) if (level->side[0] * level->side[1] >= MANY)
        for (size_t y = 0; y < level->side[1]; y++)
            for (size_t x = 0; x < level->side[0]; x++) {
                const size_t at = level->first + y * level->side[0] + x;
                stays[at] =
                    top ? 1
                        : part_that_stays(number[at], 4 * refined(level + 1, number, x, y), wanted);
            }
    }
}

/* Adds the level above to this level. */
static void add_up(const struct ky_pyramid *pyramid, int l, double *value, const float *stays)
{
    const struct ky_level *fine = &pyramid->level[l];
#pragma omp parallel for schedule(static) if (fine->side[0] * fine->side[1] >= MANY)
    for (size_t y = 0; y < fine->side[1]; y++)
        for (size_t x = 0; x < fine->side[0]; x++) {
            const size_t at = fine->first + y * fine->side[0] + x;
            value[at] = (double)stays[at] * value[at] + refined(fine + 1, value, x, y);
        }
}

/* Spreads a quantity, so that the pixels hold the sum of all levels. */
static void spread(const struct ky_pyramid *pyramid, double *value, const float *stays)
{
    for (int l = 1; l < pyramid->levels; l++)
        rise(pyramid, l, value, stays);
    for (int l = pyramid->levels - 2; l >= 0; l--)
        add_up(pyramid, l, value, stays);
}

/* Copies the pixels of the picture from the finest level. */
static void take_pixels(const struct ky_pyramid *pyramid, double *density, double *velocity)
{
    const struct ky_level *base = &pyramid->level[0];
    const size_t *size = pyramid->projection->size, left = pyramid->corner[0] + PAD;
    const double per_area = pyramid->total * pyramid->scale * pyramid->scale;
    const double *mass = pyramid->value[KY_MASS], *momentum = pyramid->value[KY_MOMENTUM];
#pragma omp parallel for schedule(static)
    for (size_t y = 0; y < size[1]; y++) {
        const size_t row = (size[1] - 1 - y + pyramid->corner[1] + PAD) * base->side[0] + left;
        for (size_t x = 0; x < size[0]; x++) {
            density[y * size[0] + x] = mass[row + x] * per_area;
            if (velocity)
                velocity[y * size[0] + x] =
                    mass[row + x] > 0 ? momentum[row + x] / mass[row + x] * pyramid->fastest : 0;
        }
    }
}

/* Computes the pixels from the bodies, after memory has been allocated. */
static enum ky_status project(struct ky_pyramid *pyramid, float *stays, double *density,
                              double *velocity, struct ky_error *error)
{
    const double few = 0.002 * (pyramid->crowd - KY_DOTS);
    const double wanted = pyramid->projection->smooth / kernel_cells;
    KY_TRY(ky_pyramid_lay(pyramid, error));
    if (pyramid->crowd > KY_DOTS) {
        choose_levels(pyramid, fmin(wanted, few) / (double)pyramid->n, stays);
        spread(pyramid, pyramid->value[KY_MASS], stays);
        if (velocity)
            spread(pyramid, pyramid->value[KY_MOMENTUM], stays);
    }
    take_pixels(pyramid, density, velocity);
    return KY_OK;
}

enum ky_status ky_density_project(const struct ky_projection *projection, double *density,
                                  double *velocity, struct ky_error *error)
{
    const size_t pixels = projection->size[0] * projection->size[1];
    struct ky_pyramid pyramid = {.projection = projection};
    enum ky_status status;
    prepare(&pyramid);
    const double rim = pyramid.level[pyramid.levels - 1].cell * (PAD + 1);
    KY_TRY(ky_images_list(projection->view, projection->size, rim, &pyramid.images, error));
    ky_pyramid_measure(&pyramid, velocity != NULL);
    if (!pyramid.n) {
        memset(density, 0, pixels * sizeof *density);
        if (velocity)
            memset(velocity, 0, pixels * sizeof *velocity);
        ky_images_free(&pyramid.images);
        return KY_OK;
    }
    float *stays = ky_allocate(pyramid.cells, sizeof *stays);
    int room = stays != NULL;
    for (int q = 0; q < KY_QUANTITIES; q++)
        if (q != KY_MOMENTUM || velocity) {
            pyramid.value[q] = ky_allocate(pyramid.cells, sizeof *pyramid.value[q]);
            room &= pyramid.value[q] != NULL;
        }
    if (room)
        status = project(&pyramid, stays, density, velocity, error);
    else
        status = ky_no_memory(error, "the picture", pyramid.cells,
                              KY_QUANTITIES * sizeof(double) + sizeof *stays);
    for (int q = 0; q < KY_QUANTITIES; q++)
        free(pyramid.value[q]);
    free(stays);
    ky_images_free(&pyramid.images);
    return status;
}
