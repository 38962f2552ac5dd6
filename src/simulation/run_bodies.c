/* What the bodies of a run have that its user should know before the first step: escapers, and
 * bodies in one place that nothing softens. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/number.h"
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

/* Whether the pair parts, and gets an energy that it did not have. */
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

/* Bodies next to each other in the order of their places; of three in one place two pairs. */
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

void ky_run_note_escapers(const struct ky_bodies *bodies, const struct ky_scales *scales,
                          char note[KY_NOTE])
{
    note[0] = 0;
    if (!scales->escapers)
        return;
    const double *v = bodies->velocity[scales->fastest];
    ky_format(note, KY_NOTE,
              "%zu bod%s more than 32 times as fast as the others (%sid %llu, speed %.3g; the "
              "others %.3g): steps that are derived do not follow %s; --escape-radius removes "
              "escapers",
              scales->escapers, scales->escapers > 1 ? "ies are" : "y is",
              scales->escapers > 1 ? "the fastest is " : "",
              (unsigned long long)id_of(bodies, scales->fastest),
              sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), scales->velocity_dispersion,
              scales->escapers > 1 ? "them" : "it");
}
