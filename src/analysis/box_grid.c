/* A grid of cubes in a periodic box: see box_grid.h. */
#include "analysis/box_grid.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "physics/space.h"

/* Mean number of bodies in a cube, and the largest number of cubes along an axis. */
enum { IN_CUBE = 4, MOST_CUBES = 512 };

static size_t cube_along(const struct ky_box_grid *grid, double x)
{
    const double place = ky_wrap(x, grid->side) / grid->side * (double)grid->cubes;
    const size_t cube = place > 0 ? (size_t)place : 0;
    return cube < grid->cubes ? cube : grid->cubes - 1;
}

static size_t cube_of(const struct ky_box_grid *grid, const double x[3])
{
    return (cube_along(grid, x[0]) * grid->cubes + cube_along(grid, x[1])) * grid->cubes +
           cube_along(grid, x[2]);
}

enum ky_status ky_box_grid_open(const struct ky_bodies *bodies, double side,
                                struct ky_box_grid *grid, struct ky_error *error)
{
    const size_t n = bodies->n, wanted = (size_t)cbrt((double)n / IN_CUBE) + 1,
                 cubes = wanted < MOST_CUBES ? wanted : MOST_CUBES, all = cubes * cubes * cubes;
    *grid = (struct ky_box_grid){.bodies = bodies, .side = side, .cubes = cubes};
    grid->first = ky_allocate_zeroed(all + 1, sizeof *grid->first);
    grid->body = ky_allocate(n, sizeof *grid->body);
    if (!grid->first || !grid->body)
        return ky_no_memory(error, "bodies in cubes", n + all, sizeof *grid->first);
    for (size_t i = 0; i < n; i++)
        grid->first[cube_of(grid, bodies->position[i])]++;
    uint32_t end = 0;
    for (size_t k = 0; k <= all; k++) {
        end += grid->first[k];
        grid->first[k] = end;
    }
    for (size_t i = n; i-- > 0;)
        grid->body[--grid->first[cube_of(grid, bodies->position[i])]] = (uint32_t)i;
    return KY_OK;
}

void ky_box_grid_close(struct ky_box_grid *grid)
{
    free(grid->first);
    free(grid->body);
    grid->first = grid->body = NULL;
}

/* Adds the bodies of a cube that are within the radius. */
static int add_cube(const struct ky_box_grid *grid, size_t cube, const double place[3],
                    double radius, struct ky_box_sphere *sphere)
{
    for (uint32_t k = grid->first[cube]; k < grid->first[cube + 1]; k++) {
        double r2 = 0;
        for (int c = 0; c < 3; c++) {
            const double d =
                remainder(grid->bodies->position[grid->body[k]][c] - place[c], grid->side);
            r2 += d * d;
        }
        if (r2 > radius * radius)
            continue;
        if (!ky_room_for_one(&sphere->body, sphere->count, &sphere->room, sizeof *sphere->body))
            return 0;
        sphere->body[sphere->count++] = (struct ky_box_near){r2, grid->body[k]};
    }
    return 1;
}

static int nearer_first(const void *a, const void *b)
{
    const struct ky_box_near *x = a, *y = b;
    if (x->r2 != y->r2)
        return x->r2 < y->r2 ? -1 : 1;
    return (x->body > y->body) - (x->body < y->body);
}

int ky_box_grid_find(const struct ky_box_grid *grid, const double place[3], double radius,
                     struct ky_box_sphere *sphere)
{
    const size_t cubes = grid->cubes, reach = (size_t)(radius / grid->side * (double)cubes) + 1,
                 count = 2 * reach + 1 < cubes ? 2 * reach + 1 : cubes;
    size_t from[3];
    for (int c = 0; c < 3; c++) /* the first cube, counted from one box before */
        from[c] = cube_along(grid, place[c]) + cubes - (count < cubes ? reach : 0);
    sphere->count = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            for (size_t k = 0; k < count; k++) {
                const size_t cube =
                    ((from[0] + i) % cubes * cubes + (from[1] + j) % cubes) * cubes +
                    (from[2] + k) % cubes;
                if (!add_cube(grid, cube, place, radius, sphere))
                    return 0;
            }
    if (sphere->count)
        qsort(sphere->body, sphere->count, sizeof *sphere->body, nearer_first);
    return 1;
}
