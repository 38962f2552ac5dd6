/* The shortest time scale of the relative motion of two neighbouring bodies: a step has to resolve
 * it if there is no softening. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/walker.h"
#include "base/block_sums.h"
#include "base/bodies.h"
#include "base/memory.h"
#include "base/status.h"
#include "engine/common/finite.h"
#include "engine/force_options.h"
#include "physics/orbit.h"

/* A pair with a larger eccentricity in a system of more bodies is not a binary: the two approach
 * each other by chance, and other bodies will deflect them. */
static const double roundest_fall = 0.99;
/* Two isolated bodies keep their orbit. A pericentre smaller than this fraction of their distance
 * is replaced by it. */
static const double nearest_pass = 1e-4;

/* √(r³/(G m)) of a pair, where r is its separation, or its pericentre if it is a binary. An orbit
 * takes 2π of this time, the fall from rest 1.1. Infinite for bodies at the same position, which
 * exert no force on each other. */
static double pair_time(const struct ky_bodies *bodies, size_t i, size_t j, double g)
{
    double r2 = 0, v2 = 0, rv = 0, gm = g * (bodies->mass[i] + bodies->mass[j]);
    for (int k = 0; k < 3; k++) {
        double x = bodies->position[j][k] - bodies->position[i][k];
        double v = bodies->velocity[j][k] - bodies->velocity[i][k];
        r2 += x * x;
        v2 += v * v;
        rv += x * v;
    }
    double r = sqrt(r2), inverse_axis = ky_orbit_inverse_axis(gm, r, v2);
    if (!(r > 0) || !(gm > 0))
        return (double)INFINITY;
    if (inverse_axis > 0) {
        double e = ky_orbit_eccentricity(gm, inverse_axis, r, rv);
        double pericentre = (1 - e) / inverse_axis, apocentre = (1 + e) / inverse_axis;
        int binary = e < roundest_fall && apocentre < 2 * r;
        if (binary || bodies->n == 2)
            r = fmin(r, fmax(pericentre, nearest_pass * r));
    }
    return r * sqrt(r / gm);
}

static double shortest(const struct ky_bodies *bodies, double g,
                       const struct ky_neighbour_lists *near)
{
    double least = (double)INFINITY;
#pragma omp parallel for schedule(static) reduction(min : least)
    for (size_t i = 0; i < bodies->n; i++)
        for (size_t k = near->offset[i]; k < near->offset[i + 1]; k++)
            least = fmin(least, pair_time(bodies, i, near->body[k], g));
    /* In a build by clang a reduction of no finite number gives DBL_MAX. */
    return least < DBL_MAX ? least : (double)INFINITY;
}

/* The distance of each body to its nearest neighbour. */
static enum ky_status find_distances(const struct ky_parameters *parameters,
                                     const struct ky_bodies *bodies, double *distance,
                                     struct ky_error *error)
{
    struct ky_walker walker;
    const struct ky_walk_request request = {
        .action = KY_ACTION_nearest, .n = bodies->n, .k = 1, .results = distance};
    enum ky_status status = ky_walker_open(parameters, bodies, NULL, &walker, error);
    if (!status)
        status = ky_walker_walk(&walker, &request, error);
    ky_walker_close(&walker, NULL);
    return status ? status
                  : ky_finite_results(parameters->threads, KY_ACTION_nearest, distance, bodies->n,
                                      error);
}

/* The shortest time for bodies that all have mass, or none. */
static enum ky_status time_of(const struct ky_bodies *bodies, double g, double *time,
                              struct ky_error *error)
{
    struct ky_parameters parameters;
    struct ky_neighbour_lists near = {0};
    if (bodies->n < 2)
        return KY_OK;
    double *distance;
    KY_TRY(ky_array(&distance, bodies->n, sizeof *distance, "distances", error));
    ky_force_defaults(&parameters);
    parameters.engine = "cpu";
    enum ky_status status = find_distances(&parameters, bodies, distance, error);
    for (size_t i = 0; i < bodies->n && !status; i++)
        distance[i] *= 1 + 1e-12; /* for rounding: it is a square root, squared again */
    if (!status)
        status = ky_neighbours(&parameters, bodies, distance, bodies->n, NULL, &near, NULL, error);
    if (!status)
        *time = shortest(bodies, g, &near);
    ky_neighbour_lists_free(&near);
    free(distance);
    return status;
}

/* Copies of the bodies with mass. */
static enum ky_status take_massive(const struct ky_bodies *bodies, size_t massive,
                                   struct ky_bodies *some, struct ky_error *error)
{
    KY_TRY(ky_bodies_allocate(some, massive, 0, error));
    for (size_t i = 0, k = 0; i < bodies->n; i++) {
        if (!(bodies->mass[i] > 0))
            continue;
        some->mass[k] = bodies->mass[i];
        memcpy(some->position[k], bodies->position[i], sizeof *some->position);
        memcpy(some->velocity[k], bodies->velocity[i], sizeof *some->velocity);
        k++;
    }
    return KY_OK;
}

/* Massless bodies are excluded, so they do not hide the nearest neighbour of a body. */
enum ky_status ky_shortest_pair_time(const struct ky_bodies *bodies, double g, double *time,
                                     struct ky_error *error)
{
    struct ky_bodies some = {0};
    const size_t massive = ky_count_positive(bodies->n, bodies->mass);
    *time = (double)INFINITY;
    if (massive == bodies->n || massive == 0)
        return time_of(bodies, g, time, error);
    enum ky_status status = take_massive(bodies, massive, &some, error);
    if (!status)
        status = time_of(&some, g, time, error);
    ky_bodies_free(&some);
    return status;
}
