/* Remarks about the bodies for the user, before the first step: escapers, coincident bodies without
 * softening, and peculiar accelerations that are small compared with the errors of forces. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
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

/* A body without softening, with its index. */
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

/* 1 if the pair separates, and so gains energy from nothing. */
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

/* Finds coincident neighbours in the order of positions; three at one position are two pairs. */
static void note_coincident(const struct ky_bodies *bodies, const struct bare *bare, size_t n,
                            char note[KY_NOTE])
{
    size_t count = 0, first = 0;
    for (size_t k = 1; k < n; k++)
        if (parts(bodies, &bare[k - 1], &bare[k]) && !count++)
            first = k;
    if (count)
        ky_format(note, KY_NOTE,
                  "%zu pair%s of bodies without softening at one position, with different "
                  "velocities (ids %llu and %llu%s): they do not act on each other there, so that "
                  "the energy jumps when they separate; move one of them, or give --softening",
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
              "%zu bod%s more than 32 times as fast as the others (%sid %llu, speed %s; the others "
              "%s): derived steps ignore %s; --escape-radius removes escapers",
              scales->escapers, scales->escapers > 1 ? "ies are" : "y is",
              scales->escapers > 1 ? "the fastest is " : "", (unsigned long long)facts->fastest,
              ky_quantity_text(units, KY_VELOCITY_UNIT,
                               sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), 3, fast),
              ky_quantity_text(units, KY_VELOCITY_UNIT, scales->velocity_dispersion, 3, others),
              scales->escapers > 1 ? "them" : "it");
}

/* The rms peculiar acceleration over the rms acceleration, or 0. The peculiar acceleration is the
 * remainder after subtraction of mean and gradient. Only bodies of the sample nearer to the middle
 * than half of it are used, to exclude the surface of a sphere that was cut out. Changes the
 * sample; `distance` has two elements for each body. */
static double peculiar_share(const struct ky_bodies *sample, const double middle[3],
                             double *distance)
{
    const size_t count = sample->n;
    double(*const x)[3] = sample->position, (*const a)[3] = sample->acceleration;
    size_t inner = 0;
    for (size_t k = 0; k < count; k++) {
        double r2 = 0;
        for (int c = 0; c < 3; c++)
            r2 += pow(x[k][c] - middle[c], 2);
        distance[k] = distance[count + k] = r2;
    }
    const double half = ky_median(distance, count);
    for (size_t k = 0; k < count; k++)
        if (distance[count + k] <= half) {
            memmove(x[inner], x[k], sizeof *x);
            memmove(a[inner++], a[k], sizeof *a);
        }
    const double all = ky_rms(inner, (const double(*)[3])a);
    ky_subtract_linear(inner, x, a);
    return all > 0 ? ky_rms(inner, (const double(*)[3])a) / all : 0;
}

/* Reads positions and accelerations of the sample, and the middle of all bodies; index[] has an
 * element for each body of the sample. The other bodies are not needed. */
static enum ky_status read_sample(struct ky_sim *sim, size_t *index, struct ky_bodies *sample,
                                  double middle[3], struct ky_error *error)
{
    struct ky_bodies few = {.n = ky_sample(sim->n, KY_MEDIAN_MOST, index),
                            .position = sample->position};
    enum ky_status status = ky_sim_read(sim, index, &few, error);
    for (int c = 0; c < 3 && !status; c++)
        middle[c] = ky_sampled_median(&few.position[0][c], 3, few.n, KY_MEDIAN_MOST);
    sample->n = ky_sample(sim->n, KY_CENTRE_SAMPLE, index);
    return status ? status : ky_sim_read(sim, index, sample, error);
}

enum ky_status ky_run_note_peculiar(struct ky_run *run, struct ky_error *error)
{
    const struct ky_parameters *made = &run->sim->parameters;
    const int expands = ky_force_kind(made->force)->expands; /* its α has no simple relation */
    const size_t n = run->sim->n, count = n < KY_CENTRE_SAMPLE ? n : KY_CENTRE_SAMPLE;
    if (!(run->age > 0) || !ky_opening_kind(made->opening)->by_alpha ||
        !ky_force_kind(made->force)->has_tree || n < 64)
        return KY_OK;
    double middle[3], *distance = ky_allocate(count, 2 * sizeof *distance);
    size_t *index = ky_allocate(count, sizeof *index);
    struct ky_bodies sample = {.position = ky_allocate(count, sizeof *sample.position),
                               .acceleration = ky_allocate(count, sizeof *sample.acceleration)};
    enum ky_status status = distance && index && sample.position && sample.acceleration
                                ? read_sample(run->sim, index, &sample, middle, error)
                                : ky_no_memory(error, "peculiar accelerations", count, 72);
    if (!status) {
        const double share = peculiar_share(&sample, middle, distance);
        /* of all accelerations; half of the error of 99 % if that was measured */
        const double measured = run->sim->choice.measured,
                     rms = isnan(measured) ? KY_ERROR_OF_ALPHA * ky_force_coarseness(made)
                                           : measured / 2;
        if (share > 0 && rms > KY_ERROR_OF_ALPHA * ky_coarsest_alpha(share))
            ky_format(run->notes.peculiar, KY_NOTE,
                      "the errors of the forces are about %.2g of the peculiar accelerations, "
                      "since these are %.2g of the total; use --%s %.2g for less than 0.05",
                      rms / share, share, expands ? "error" : "alpha",
                      ky_recommended_alpha(share) * (expands ? 2 * KY_ERROR_OF_ALPHA : 1));
    }
    free(sample.position);
    free(sample.acceleration);
    free(distance);
    free(index);
    return status;
}
