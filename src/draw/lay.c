/* Deposits bodies on the grids of a pyramid: a body goes to 3 × 3 cells of the finest level that
 * contains it, with the weights of the quadratic B-spline. This is the only pass over the bodies,
 * and takes most of the time of a picture of many bodies. Amounts are integers, 2^62 for all bodies
 * together. So several threads, each with its own grids, which are added afterwards, give the same
 * bits as one thread. */
#include "draw/pyramid.h"

#include <math.h>
#include <stdlib.h>

#include "base/block_sums.h"
#include "base/memory.h"
#include "base/shares.h"
#include "base/threads.h"

struct bins {
    const struct ky_pyramid *pyramid;
    size_t quantities; /* number of deposited quantities; for equal masses only the number */
    /* 1/number, 1/mass and 1/(highest speed); 0 if the inverse is not finite */
    double per_number, per_mass, per_speed;
    int64_t *cell; /* [copies][cells][quantities] */
};

static int is_in(const struct ky_projection *projection, size_t i)
{
    return projection->part < 0 ||
           ky_part_of(projection->bodies, i, projection->divide) == projection->part;
}

static double mass_of(const struct ky_projection *projection, size_t i)
{
    return projection->view->by_number ? 1 : projection->bodies->mass[i];
}

static double speed_of(const struct ky_projection *projection, size_t i)
{
    return -ky_along(projection->bodies->velocity[i], projection->view->axis[2]);
}

/* Sums over the bodies of a block. */
struct block {
    size_t bodies, n; /* n: with their images */
    double mass, least, most, fastest;
};

/* The number of images of a body in the slab. */
static size_t count_images(const struct ky_images *images, const double position[3])
{
    double base[3], x[3];
    size_t count = 0;
    ky_image_base(images->view, position, base);
    for (size_t m = 0; m < images->count; m++)
        count += (size_t)ky_image_shown(images->view, base, images->shift[m], x);
    return count;
}

static void measure_block(const struct ky_pyramid *pyramid, int velocities, size_t first,
                          size_t end, struct block *block)
{
    const struct ky_projection *projection = pyramid->projection;
    struct block all = {.least = HUGE_VAL, .most = -HUGE_VAL};
    for (size_t i = first; i < end; i++) {
        if (!is_in(projection, i))
            continue;
        const double mass = mass_of(projection, i);
        const size_t shown = count_images(&pyramid->images, projection->bodies->position[i]);
        all.bodies++;
        all.n += shown;
        all.mass += (double)shown * mass;
        all.least = mass < all.least ? mass : all.least;
        all.most = mass > all.most ? mass : all.most;
        if (velocities) {
            const double speed = fabs(speed_of(projection, i));
            all.fastest = speed > all.fastest ? speed : all.fastest;
        }
    }
    *block = all;
}

void ky_pyramid_measure(struct ky_pyramid *pyramid, int velocities)
{
    struct block blocks[KY_BLOCKS];
    double least = HUGE_VAL, most = -HUGE_VAL;
    const size_t n = pyramid->projection->bodies->n;
#pragma omp parallel for schedule(static)
    for (size_t b = 0; b < KY_BLOCKS; b++)
        measure_block(pyramid, velocities, ky_block_start(n, b), ky_block_start(n, b + 1),
                      &blocks[b]);
    pyramid->n = 0, pyramid->total = 0, pyramid->fastest = 0, pyramid->crowd = 0;
    for (size_t b = 0; b < KY_BLOCKS; b++) {
        pyramid->n += blocks[b].n;
        pyramid->crowd += (double)blocks[b].bodies;
        pyramid->total += blocks[b].mass;
        pyramid->fastest = fmax(pyramid->fastest, blocks[b].fastest);
        least = fmin(least, blocks[b].least);
        most = fmax(most, blocks[b].most);
    }
    pyramid->equal = least == most;
    const struct ky_view *view = pyramid->projection->view;
    pyramid->crowd =
        view->box > 0 ? pyramid->crowd * fmin(1, view->slab / view->box) : (double)pyramid->n;
}

/* The position of a pixel in cells of the level. 0 if it is closer than `rim` cells to the grid's
 * edge. */
static int place(const struct ky_level *level, const double pixel[2], double rim, double at[2])
{
    for (int k = 0; k < 2; k++) {
        at[k] = pixel[k] / level->cell + KY_PYRAMID_PAD;
        if (!(at[k] >= rim && at[k] < (double)level->side[k] - rim))
            return 0;
    }
    return 1;
}

static void pixel_of(const struct ky_pyramid *pyramid, const double x[3], double pixel[2])
{
    for (int k = 0; k < 2; k++)
        pixel[k] = (ky_along(x, pyramid->projection->view->axis[k]) - pyramid->centre[k]) *
                       pyramid->scale +
                   pyramid->origin[k];
}

/* The quantities of body i as integers of the bins. */
static void amounts(const struct bins *bins, size_t i, double amount[KY_QUANTITIES])
{
    const struct ky_pyramid *pyramid = bins->pyramid;
    const double all = 0x1p62, part = mass_of(pyramid->projection, i) * bins->per_mass;
    size_t q = 0;
    amount[q++] = all * bins->per_number;
    if (!pyramid->equal)
        amount[q++] = all * part;
    if (q < bins->quantities)
        amount[q] = all * part * (speed_of(pyramid->projection, i) * bins->per_speed);
}

/* Deposits the amounts on 3 × 3 cells. */
static void lay_body(const struct bins *bins, const struct ky_level *level, const double at[2],
                     const double *amount, int64_t *cell)
{
    const size_t i = (size_t)at[0], j = (size_t)at[1], quantities = bins->quantities;
    const double corner[2] = {(double)i, (double)j};
    double weight[2][3];
    for (int k = 0; k < 2; k++) {
        const double d = at[k] - corner[k] - 0.5;
        weight[k][0] = 0.5 * (0.5 - d) * (0.5 - d);
        weight[k][1] = 0.75 - d * d;
        weight[k][2] = 0.5 * (0.5 + d) * (0.5 + d);
    }
    for (size_t b = 0; b < 3; b++) {
        int64_t *row = cell + quantities * (level->first + (j + b - 1) * level->side[0] + i - 1);
        for (size_t q = 0; q < quantities; q++)
            for (size_t a = 0; a < 3; a++)
                row[a * quantities + q] += (int64_t)(weight[1][b] * weight[0][a] * amount[q]);
    }
}

/* Deposits amounts on the finest level that contains the position. */
static void lay_image(const struct bins *bins, const double x[3], const double *amount,
                      int64_t *cell)
{
    const struct ky_pyramid *pyramid = bins->pyramid;
    double pixel[2], at[2] = {0, 0};
    int l = 0;
    pixel_of(pyramid, x, pixel);
    while (l < pyramid->levels && !place(&pyramid->level[l], pixel, 1, at))
        l++;
    if (l < pyramid->levels)
        lay_body(bins, &pyramid->level[l], at, amount, cell);
}

/* Deposits the bodies first … end − 1 with their images. */
static void lay_bodies(const struct bins *bins, size_t first, size_t end, int64_t *cell)
{
    const struct ky_pyramid *pyramid = bins->pyramid;
    const struct ky_images *images = &pyramid->images;
    double base[3], x[3], amount[KY_QUANTITIES];
    for (size_t i = first; i < end; i++) {
        if (!is_in(pyramid->projection, i))
            continue;
        amounts(bins, i, amount);
        ky_image_base(images->view, pyramid->projection->bodies->position[i], base);
        for (size_t m = 0; m < images->count; m++)
            if (ky_image_shown(images->view, base, images->shift[m], x))
                lay_image(bins, x, amount, cell);
    }
}

/* Deposits a round dot, (1 − r²/R²)³ over the pixels, when bodies are so few that each has to be
 * visible. */
static void lay_dot(const struct bins *bins, const double pixel[2], double radius,
                    const double *amount)
{
    const struct ky_level *level = &bins->pyramid->level[0];
    double at[2], sum = 0;
    size_t low[2], high[2];
    if (!place(level, pixel, 0, at))
        return;
    for (int k = 0; k < 2; k++) {
        low[k] = (size_t)fmax(at[k] - radius, 0);
        high[k] = (size_t)fmin(at[k] + radius, (double)level->side[k] - 1);
    }
    for (int pass = 0; pass < 2; pass++)
        for (size_t j = low[1]; j <= high[1]; j++)
            for (size_t i = low[0]; i <= high[0]; i++) {
                double dx = (double)i + 0.5 - at[0], dy = (double)j + 0.5 - at[1];
                double w = fmax(0, 1 - (dx * dx + dy * dy) / (radius * radius));
                int64_t *cell = bins->cell + bins->quantities * (j * level->side[0] + i);
                w *= w * w;
                sum += pass ? 0 : w;
                for (size_t q = 0; q < bins->quantities && pass; q++)
                    cell[q] += (int64_t)(amount[q] / sum * w);
            }
}

static void lay_dots(const struct bins *bins)
{
    const struct ky_projection *projection = bins->pyramid->projection;
    const struct ky_images *images = &bins->pyramid->images;
    const double n = bins->pyramid->crowd, side = (double)ky_shorter(projection->size);
    const double radius = fmax(side / 90 / sqrt(1 + n / 100), 1.5);
    double base[3], x[3], pixel[2], amount[KY_QUANTITIES];
    for (size_t i = 0; i < projection->bodies->n; i++) {
        if (!is_in(projection, i))
            continue;
        amounts(bins, i, amount);
        ky_image_base(images->view, projection->bodies->position[i], base);
        for (size_t m = 0; m < images->count; m++)
            if (ky_image_shown(images->view, base, images->shift[m], x)) {
                pixel_of(bins->pyramid, x, pixel);
                lay_dot(bins, pixel, radius, amount);
            }
    }
}

/* Sums the copies; quantity q of the bins becomes `value`. */
static void add_copies(const struct bins *bins, size_t copies, size_t q, double *value)
{
    const size_t cells = bins->pyramid->cells, quantities = bins->quantities;
#pragma omp parallel for schedule(static)
    for (size_t c = 0; c < cells; c++) {
        int64_t sum = 0;
        for (size_t k = 0; k < copies; k++)
            sum += bins->cell[(k * cells + c) * quantities + q];
        value[c] = (double)sum * 0x1p-62;
    }
}

/* 1/value, or 0 if it is not finite. */
static double inverse(double value)
{
    return isnormal(value) ? 1 / value : 0;
}

enum ky_status ky_pyramid_lay(struct ky_pyramid *pyramid, struct ky_error *error)
{
    const size_t all = pyramid->projection->bodies->n;
    struct bins bins = {.pyramid = pyramid,
                        .per_number = inverse((double)pyramid->n),
                        .per_mass = inverse(pyramid->total),
                        .per_speed = inverse(pyramid->fastest)};
    bins.quantities = 1U + !pyramid->equal + (pyramid->value[KY_MOMENTUM] != NULL);
    /* More grids than the bodies need would only cost time and memory. */
    size_t copies = 2 * pyramid->n / pyramid->cells, threads = (size_t)ky_threads_here();
    copies = copies > threads ? threads : copies ? copies : 1;
    KY_TRY(ky_array_zeroed(&bins.cell, copies * pyramid->cells, bins.quantities * sizeof *bins.cell,
                           "the picture", error));
    if (pyramid->crowd > KY_DOTS) {
#pragma omp parallel for schedule(static) num_threads((int)copies)
        for (size_t k = 0; k < copies; k++)
            lay_bodies(&bins, ky_share_start(all, copies, k), ky_share_start(all, copies, k + 1),
                       bins.cell + k * pyramid->cells * bins.quantities);
    } else {
        lay_dots(&bins);
    }
    add_copies(&bins, copies, 0, pyramid->value[KY_NUMBER]);
    add_copies(&bins, copies, pyramid->equal ? 0 : 1, pyramid->value[KY_MASS]);
    if (pyramid->value[KY_MOMENTUM])
        add_copies(&bins, copies, bins.quantities - 1, pyramid->value[KY_MOMENTUM]);
    free(bins.cell);
    return KY_OK;
}
