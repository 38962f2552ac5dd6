/* See dominant.h. */
#include "analysis/dominant.h"

#include <string.h>

#include "engine/common/softening.h"
#include "engine/common/units.h"
#include "physics/gravity.h"

struct ky_dominant ky_dominant_find(const struct ky_bodies *bodies,
                                    const struct ky_parameters *parameters)
{
    struct ky_dominant found = {.body = SIZE_MAX, .own = bodies->softening != NULL};
    double rest = 0;
    if (!bodies->mass || !bodies->position || bodies->n < 2)
        return found;
    size_t heaviest = 0;
    for (size_t i = 1; i < bodies->n; i++)
        heaviest = bodies->mass[i] > bodies->mass[heaviest] ? i : heaviest;
    for (size_t i = 0; i < bodies->n; i++)
        rest += i == heaviest ? 0 : bodies->mass[i];
    if (!(rest > 0) || !(bodies->mass[heaviest] > rest))
        return found;
    found.body = heaviest;
    found.mass = bodies->mass[heaviest];
    found.softening = found.own ? bodies->softening[heaviest] : parameters->softening;
    memcpy(found.position, bodies->position[heaviest], sizeof found.position);
    return found;
}

void ky_dominant_pull(const struct ky_dominant *dominant, const struct ky_parameters *parameters,
                      const struct ky_engine_frame *units, const double x[3], double softening,
                      double a[3])
{
    const int kind = parameters->softening_kind, own = dominant->own;
    const struct ky_engine_units of = {.length = units->length, .mass = units->mass};
    const struct ky_engine_scale scale = ky_engine_scale(&of, parameters->g);
    const double factor = scale.strength * scale.acceleration, per = 1 / units->length,
                 eps = dominant->softening * per;
    double d[3];
    for (int c = 0; c < 3; c++)
        d[c] = (dominant->position[c] - x[c]) * per;
    const struct ky_softened pair =
        ky_soften(d[0], d[1], d[2], ky_sink_eps2(kind, own, softening * per), own ? eps * eps : 0,
                  ky_pairs_how(kind, own) | KY_GUARD);
    const struct ky_field field = ky_add_body((struct ky_field){0, 0, 0, 0}, d[0], d[1], d[2], pair,
                                              dominant->mass / units->mass);
    a[0] = factor * field.x;
    a[1] = factor * field.y;
    a[2] = factor * field.z;
}
