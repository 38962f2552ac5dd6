/* Masses of bodies in a periodic box on a mesh: see mesh.h, and ky_density_mesh in kyoho.h. */
#include "analysis/mesh.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "physics/space.h"

/* The bodies in the order of their planes of the mesh. */
struct sorted {
    const struct ky_bodies *bodies;
    const struct ky_mesh *mesh;
    size_t *first, *body; /* [n + 2], [bodies] */
};

/* The place of a body along an axis in cells, from 0 to n. As ky_wrap does, it moves a body to 0
 * whose distance in boxes is beyond the range of numbers. */
static double cells(const struct sorted *sorted, size_t i, int axis)
{
    const double n = (double)sorted->mesh->n,
                 place = sorted->bodies->position[i][axis] / sorted->mesh->box * n +
                         sorted->mesh->shift;
    return isfinite(place) ? ky_wrap(place, n) : 0;
}

/* The nearest point of the mesh, and in d the distance from it. */
static size_t nearest(double place, size_t n, double *d)
{
    const double point = floor(place + 0.5);
    *d = place - point;
    return (size_t)point % n;
}

/* Weights of the three points about the nearest one. */
static void cloud(double d, double weight[3])
{
    weight[0] = 0.5 * (0.5 - d) * (0.5 - d);
    weight[1] = 0.75 - d * d;
    weight[2] = 0.5 * (0.5 + d) * (0.5 + d);
}

/* Sorts the bodies by the plane of their nearest point, in their own order within it. */
static void sort_planes(struct sorted *sorted)
{
    const size_t n = sorted->mesh->n;
    double d;
    memset(sorted->first, 0, (n + 2) * sizeof *sorted->first);
    for (size_t i = 0; i < sorted->bodies->n; i++)
        sorted->first[nearest(cells(sorted, i, 0), n, &d) + 2]++;
    for (size_t p = 2; p <= n + 1; p++)
        sorted->first[p] += sorted->first[p - 1];
    for (size_t i = 0; i < sorted->bodies->n; i++)
        sorted->body[sorted->first[nearest(cells(sorted, i, 0), n, &d) + 1]++] = i;
}

/* Adds a body to a plane of the mesh; `side`: which of its three planes that is. */
static void add_to_plane(const struct sorted *sorted, size_t i, int side, double *plane)
{
    const size_t n = sorted->mesh->n;
    double d[3], weight[3][3];
    size_t point[3];
    for (int c = 0; c < 3; c++) {
        point[c] = nearest(cells(sorted, i, c), n, &d[c]);
        cloud(d[c], weight[c]);
    }
    const double m = sorted->bodies->mass[i] * weight[0][side];
    for (size_t j = 0; j < 3; j++)
        for (size_t k = 0; k < 3; k++)
            plane[(point[1] + n + j - 1) % n * sorted->mesh->row + (point[2] + n + k - 1) % n] +=
                m * weight[1][j] * weight[2][k];
}

/* Each plane is summed by one thread, in a fixed order. */
static void assign(struct sorted *sorted, double *grid)
{
    const size_t n = sorted->mesh->n, size = n * sorted->mesh->row;
    sort_planes(sorted);
#pragma omp parallel for schedule(dynamic)
    for (size_t p = 0; p < n; p++) {
        double *plane = grid + p * size;
        memset(plane, 0, size * sizeof *plane);
        for (int side = 0; side < 3; side++) { /* of bodies one plane above, here, one below */
            const size_t from = (p + n + 1 - (size_t)side) % n;
            for (size_t b = sorted->first[from]; b < sorted->first[from + 1]; b++)
                add_to_plane(sorted, sorted->body[b], side, plane);
        }
    }
}

enum ky_status ky_mesh_assign(const struct ky_mesh *mesh, const struct ky_bodies *bodies,
                              double *grid, struct ky_error *error)
{
    struct sorted sorted = {bodies, mesh, ky_allocate(mesh->n + 2, sizeof *sorted.first),
                            ky_allocate(bodies->n, sizeof *sorted.body)};
    const enum ky_status status =
        sorted.first && sorted.body ? KY_OK : ky_no_memory(error, "bodies on a mesh", bodies->n, 8);
    if (!status)
        assign(&sorted, grid);
    free(sorted.first);
    free(sorted.body);
    return status;
}

enum ky_status ky_mesh_check_box(double box, const char *what, struct ky_error *error)
{
    return box > 0 && isfinite(box)
               ? KY_OK
               : ky_fail(error, KY_USAGE, "%s needs a periodic box; its side is %g", what, box);
}

enum ky_status ky_density_mesh(const struct ky_bodies *bodies, double box, uint64_t mesh,
                               double *density, struct ky_error *error)
{
    KY_NEED(bodies, error);
    KY_NEED(density, error);
    KY_TRY(ky_mesh_check_box(box, "a density mesh", error));
    if (mesh < 1 || mesh > KY_MESH_MOST)
        return ky_fail(error, KY_USAGE,
                       "a mesh of %" PRIu64 " points; it must be a number from 1 to %d", mesh,
                       KY_MESH_MOST);
    KY_TRY(ky_bodies_check(bodies, error));
    const size_t n = (size_t)mesh;
    const struct ky_mesh all = {box, n, n, 0};
    const double cells = pow((double)n / box, 3);
    KY_TRY(ky_mesh_assign(&all, bodies, density, error));
    for (size_t p = 0; p < n * n * n; p++) {
        density[p] *= cells;
        if (!isfinite(density[p]))
            return ky_fail(error, KY_BAD_DATA,
                           "a density is not finite (%g): masses or the box leave the range of "
                           "numbers",
                           density[p]);
    }
    return KY_OK;
}
