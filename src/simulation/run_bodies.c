/* Notes about the bodies for the user, before the first step: escapers, coincident bodies without
 * softening, and peculiar accelerations that are small against the errors of forces. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/bodies.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/order.h"
#include "engine/common/force_kinds.h"
#include "octree/opening_kinds.h"
#include "octree/sample.h"
#include "physics/recommended.h"
#include "simulation/run.h"

static uint64_t id_of(const struct ky_bodies *bodies, size_t i)
{
    return bodies->id ? bodies->id[i] : i;
}

/* A body without softening, by its place. */
struct bare {
    double x[3];
    size_t body;
};

static int by_place(const void *one, const void *other)
{
    const struct bare *a = one, *b = other;
    for (int c = 0; c < 3; c++)
        if (a->x[c] < b->x[c] || a->x[c] > b->x[c])
            return a->x[c] < b->x[c] ? -1 : 1;
    return a->body < b->body ? -1 : a->body > b->body;
}

/* Whether the pair separates, and so gains energy from nothing. */
static int parts(const struct ky_bodies *bodies, const struct bare *a, const struct bare *b)
{
    int apart = 0, together = 1;
    for (int c = 0; c < 3; c++) {
        const double v = bodies->velocity[a->body][c], w = bodies->velocity[b->body][c];
        apart |= v < w || v > w;
        together &= !(a->x[c] < b->x[c] || a->x[c] > b->x[c]);
    }
    return together && apart && bodies->mass[a->body] + bodies->mass[b->body] > 0;
}

/* Notes coincident neighbours in the order of positions; three in one place are two pairs. */
static void note_coincident(const struct ky_bodies *bodies, const struct bare *bare, size_t n,
                            char note[KY_NOTE])
{
    size_t count = 0, first = 0;
    for (size_t k = 1; k < n; k++)
        if (parts(bodies, &bare[k - 1], &bare[k]) && !count++)
            first = k;
    if (count)
        ky_format(note, KY_NOTE,
                  "%zu pair%s of bodies without softening in one place, with different velocities "
                  "(ids %llu and %llu%s): they do not act on each other there, so that the energy "
                  "jumps when they part; move one of them, or give --softening",
                  count, count > 1 ? "s" : "",
                  (unsigned long long)id_of(bodies, bare[first - 1].body),
                  (unsigned long long)id_of(bodies, bare[first].body),
                  count > 1 ? ", the first pair" : "");
}

enum ky_status ky_run_note_coincident(const struct ky_parameters *parameters,
                                      const struct ky_bodies *bodies, char note[KY_NOTE],
                                      struct ky_error *error)
{
    const int own = isnan(parameters->softening) && bodies->softening;
    note[0] = 0;
    if (!(parameters->g > 0) || (!own && parameters->softening > 0) || bodies->n < 2)
        return KY_OK;
    struct bare *bare = ky_allocate(bodies->n, sizeof *bare);
    size_t n = 0;
    if (!bare)
        return ky_no_memory(error, "places of bodies", bodies->n, sizeof *bare);
    for (size_t i = 0; i < bodies->n; i++)
        if (!own || !(bodies->softening[i] > 0)) {
            for (int c = 0; c < 3; c++)
                bare[n].x[c] = bodies->position[i][c];
            bare[n++].body = i;
        }
    qsort(bare, n, sizeof *bare, by_place);
    note_coincident(bodies, bare, n, note);
    free(bare);
    return KY_OK;
}

void ky_run_note_escapers(const struct ky_run_facts *facts, const struct ky_units *units,
                          char note[KY_NOTE])
{
    const struct ky_scales *scales = &facts->scales;
    const double *v = facts->velocity;
    char fast[KY_QUANTITY_TEXT], others[KY_QUANTITY_TEXT];
    note[0] = 0;
    if (!scales->escapers)
        return;
    ky_format(note, KY_NOTE,
              "%zu bod%s more than 32 times as fast as the others (%sid %llu, speed %s; the "
              "others %s): steps that are derived do not follow %s; --escape-radius removes "
              "escapers",
              scales->escapers, scales->escapers > 1 ? "ies are" : "y is",
              scales->escapers > 1 ? "the fastest is " : "", (unsigned long long)facts->fastest,
              ky_quantity_text(units, KY_VELOCITY_UNIT,
                               sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), 3, fast),
              ky_quantity_text(units, KY_VELOCITY_UNIT, scales->velocity_dispersion, 3, others),
              scales->escapers > 1 ? "them" : "it");
}

/* The rms peculiar acceleration over the rms acceleration, or 0. Peculiar is what is left without
 * mean and gradient. Only bodies nearer to the middle than half of a sample count, so that the
 * surface of a sphere that was cut out does not. `distance` has room for the sample. */
static double peculiar_share(const struct ky_bodies *bodies, size_t count, const size_t *index,
                             double (*x)[3], double (*a)[3], double *distance)
{
    double middle[3];
    size_t inner = 0;
    for (int c = 0; c < 3; c++)
        middle[c] = ky_sampled_median(&bodies->position[0][c], 3, bodies->n, KY_MEDIAN_MOST);
    for (size_t k = 0; k < count; k++) {
        double r2 = 0;
        for (int c = 0; c < 3; c++)
            r2 += pow(bodies->position[index[k]][c] - middle[c], 2);
        distance[k] = distance[count + k] = r2;
    }
    const double half = ky_median(distance, count);
    for (size_t k = 0; k < count; k++)
        if (distance[count + k] <= half) {
            memcpy(x[inner], bodies->position[index[k]], sizeof *x);
            memcpy(a[inner++], bodies->acceleration[index[k]], sizeof *a);
        }
    const double all = ky_rms(inner, (const double(*)[3])a);
    ky_subtract_linear(inner, x, a);
    return all > 0 ? ky_rms(inner, (const double(*)[3])a) / all : 0;
}

enum ky_status ky_run_note_peculiar(struct ky_run *run, struct ky_error *error)
{
    const struct ky_parameters *made = &run->sim->parameters;
    const int expands = ky_force_kind(made->force)->expands; /* its α has no simple relation */
    const size_t most = KY_CENTRE_SAMPLE, n = run->sim->n, count = n < most ? n : most;
    struct ky_bodies bodies = {0};
    if (!(run->age > 0) || !ky_opening_kind(made->opening)->by_alpha ||
        !ky_force_kind(made->force)->has_tree || n < 64)
        return KY_OK;
    double(*vectors)[3] = ky_allocate(count, 2 * sizeof *vectors);
    double *distance = ky_allocate(count, 2 * sizeof *distance);
    size_t *index = ky_allocate(count, sizeof *index);
    enum ky_status status = vectors && distance && index
                                ? ky_bodies_allocate(&bodies, n, KY_WITH_ACCELERATION, error)
                                : ky_no_memory(error, "peculiar accelerations", count, 72);
    if (!status)
        status = ky_sim_bodies(run->sim, &bodies, error);
    if (!status) {
        ky_sample(n, most, index);
        const double share =
            peculiar_share(&bodies, count, index, vectors, vectors + count, distance);
        /* of all accelerations; half of the error of 99 % where that was measured */
        const double measured = run->sim->choice.measured,
                     rms = isnan(measured) ? KY_ERROR_OF_ALPHA * ky_force_coarseness(made)
                                           : measured / 2;
        if (share > 0 && rms > KY_ERROR_OF_ALPHA * ky_coarsest_alpha(share))
            ky_format(run->notes.peculiar, KY_NOTE,
                      "the errors of the forces are about %.2g of the peculiar accelerations, for "
                      "these are %.2g of all; take --%s %.2g for less than 0.05",
                      rms / share, share, expands ? "error" : "alpha",
                      ky_recommended_alpha(share) * (expands ? 2 * KY_ERROR_OF_ALPHA : 1));
    }
    ky_bodies_free(&bodies);
    free(vectors);
    free(distance);
    free(index);
    return status;
}
