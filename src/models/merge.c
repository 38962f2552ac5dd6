/* Two systems on a Kepler orbit about each other. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "base/block_sums.h"
#include "base/bodies.h"
#include "base/halt.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/status.h"
#include "models/kepler.h"
#include "models/models.h"

#define FIELD(name) offsetof(struct ky_merge_parameters, name)

#define ANGLE(name, field, help)                                                                   \
    {                                                                                              \
        name, KY_OPTION_REAL, FIELD(field), "0", -360, 360, NULL, NULL, help " [degrees]"          \
    }

const struct ky_option ky_merge_options[] = {
    {"separation", KY_OPTION_REAL, FIELD(separation), NULL, 0, (double)INFINITY, NULL, "LENGTH",
     "distance of the centres of mass at the start; required [length]"},
    {"pericentre", KY_OPTION_REAL, FIELD(pericentre), NULL, 0, (double)INFINITY, NULL, "LENGTH",
     "pericentre of the orbit of two point masses; required; 0 is head on [length]"},
    {"eccentricity", KY_OPTION_REAL, FIELD(eccentricity), "1", 0, (double)INFINITY, NULL, NULL,
     "eccentricity of the orbit; 1 is a parabola"},
    {"g", KY_OPTION_REAL, FIELD(g), "1", 0, (double)INFINITY, NULL, NULL,
     "gravitational constant in the units of the bodies"},
    {"softening", KY_OPTION_REAL, FIELD(softening), NULL, 0, (double)INFINITY, NULL, "LENGTH",
     "softening of all bodies. Without it bodies keep their own softenings, and of two stored "
     "softenings the larger one is used [length]"},
    {"mass", KY_OPTION_REAL, FIELD(mass), NULL, 1e-300, 1e300, NULL, NULL,
     "total mass to which the second system is scaled; without it the system keeps its mass "
     "[mass]"},
    {"radius", KY_OPTION_REAL, FIELD(radius), NULL, 1e-300, 1e300, NULL, "LENGTH",
     "half-mass radius to which the second system is scaled; without it the radius is proportional "
     "to the square root of the mass [length]"},
    ANGLE("first-inclination", first_inclination,
          "inclination of the first system's x-y plane to the orbit; 180 is retrograde"),
    ANGLE("first-omega", first_omega,
          "argument of the pericentre, from the ascending node of the orbit on that plane"),
    ANGLE("second-inclination", second_inclination,
          "inclination of the second system's x-y plane to the orbit; 180 is retrograde"),
    ANGLE("second-omega", second_omega,
          "argument of the pericentre, from the ascending node of the orbit on that plane"),
};
const size_t ky_merge_option_count = sizeof ky_merge_options / sizeof *ky_merge_options;

static struct ky_option_set options_of(struct ky_merge_parameters *parameters)
{
    return (struct ky_option_set){
        "merge", ky_merge_options, ky_merge_option_count, parameters, NULL, NULL};
}

void ky_merge_parameters_defaults_sized(struct ky_merge_parameters *parameters, size_t size)
{
    struct ky_merge_parameters own = {.size = sizeof own};
    const struct ky_option_set set = options_of(&own);
    ky_options_defaults(&set);
    ky_size_fill(parameters, size, &own, sizeof own);
}

/* KY_USAGE if the orbit never reaches this separation: it ranges from the pericentre q to the
 * apocentre q (1 + e)/(1 − e). */
static enum ky_status check_orbit(const struct ky_merge_parameters *parameters,
                                  struct ky_error *error)
{
    const double q = parameters->pericentre, e = parameters->eccentricity,
                 d = parameters->separation;
    if (!(d > 0) || !(q >= 0))
        return ky_fail(error, KY_USAGE,
                       "an orbit needs a separation (greater than 0) and a pericentre");
    if (q == 0 && e != 1)
        return ky_fail(error, KY_USAGE,
                       "pericentre 0 (head on) is possible only with eccentricity 1; it is %g", e);
    double far = e < 1 ? q * (1 + e) / (1 - e) : (double)INFINITY;
    double rounding = 1e-12 * d; /* the user may have computed a start at an end of the range */
    if (d < q - rounding || d > far + rounding) {
        if (e < 1)
            return ky_fail(error, KY_USAGE,
                           "separation %g is not on the orbit; with pericentre %g and eccentricity "
                           "%g it is from %g to %g",
                           d, q, e, q, far);
        return ky_fail(error, KY_USAGE,
                       "separation %g is not on the orbit; it is at least the pericentre, %g", d,
                       q);
    }
    if (!(parameters->g > 0) || isinf(parameters->g))
        return ky_fail(error, KY_USAGE, "the gravitational constant is %g; it must be positive",
                       parameters->g);
    return KY_OK;
}

static struct ky_kepler orbit_of(const struct ky_merge_parameters *parameters, double mass)
{
    return (struct ky_kepler){parameters->g * mass, parameters->pericentre,
                              parameters->eccentricity, parameters->separation};
}

/* The scaling factors for the second system. */
static enum ky_status scale_of(const struct ky_bodies *b,
                               const struct ky_merge_parameters *parameters, struct ky_halt *halt,
                               struct ky_merge_scale *scale, struct ky_error *error)
{
    const double half = 0.5;
    double centre[3], radius, mass = ky_sum(b->n, b->mass);
    *scale = (struct ky_merge_scale){1, 1, 1};
    if (isnan(parameters->mass) && isnan(parameters->radius))
        return KY_OK;
    if (!(mass > 0))
        return ky_fail(error, KY_BAD_DATA, "the second system has no mass that could be scaled");
    if (!isnan(parameters->mass))
        scale->mass = parameters->mass / mass;
    scale->length = sqrt(scale->mass);
    if (!isnan(parameters->radius)) {
        KY_TRY(ky_density_centre_until(b, halt, centre, error));
        KY_TRY(ky_lagrangian_radii(b, centre, 1, &half, &radius, error));
        if (!(radius > 0))
            return ky_fail(error, KY_BAD_DATA,
                           "the half-mass radius of the second system is 0; it cannot be scaled");
        scale->length = parameters->radius / radius;
    }
    scale->speed = sqrt(scale->mass / scale->length);
    return KY_OK;
}

static uint64_t largest(const uint64_t *values, size_t n)
{
    uint64_t most = 0;
    for (size_t i = 0; i < n; i++)
        most = values[i] > most ? values[i] : most;
    return most;
}

/* Makes ids unique: id[0 … first) belong to a, the rest to b, and the ids of each system are unique
 * already. */
static enum ky_status make_unique(uint64_t *id, size_t n, size_t first, struct ky_error *error)
{
    uint64_t *sorted;
    KY_TRY(ky_array(&sorted, n, sizeof *sorted, "ids", error));
    memcpy(sorted, id, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, ky_order_ids);
    size_t same = 0;
    for (size_t i = 1; i < n; i++)
        same += sorted[i] == sorted[i - 1];
    free(sorted);
    if (!same)
        return KY_OK;
    uint64_t past = largest(id, first), most = largest(id + first, n - first);
    if (past == UINT64_MAX || most > UINT64_MAX - past - 1)
        return ky_fail(
            error, KY_BAD_DATA,
            "%zu ids are in both systems and the ids of the second cannot be moved past %" PRIu64
            ", the largest of the first; give one of them new ids",
            same, past);
    for (size_t i = first; i < n; i++)
        id[i] += past + 1;
    return KY_OK;
}

/* Orientation of a system on the orbit, and position and velocity of its centre of mass. */
struct stance {
    double tilt[3][3], position[3], velocity[3];
};

/* Copies one system, scaled and rotated, to bodies[first …). */
static void place(const struct ky_bodies *from, const struct ky_merge_scale *scale,
                  const struct stance *stance, double softening, struct ky_bodies *to, size_t first)
{
    double x[3], v[3];
    ky_mean(from->n, from->mass, from->position, x);
    ky_mean(from->n, from->mass, from->velocity, v);
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < from->n; i++) {
        size_t at = first + i;
        to->mass[at] = from->mass[i] * scale->mass;
        to->id[at] = from->id ? from->id[i] : i;
        if (to->softening)
            to->softening[at] = from->softening ? from->softening[i] * scale->length : softening;
        if (to->radius)
            to->radius[at] = from->radius ? from->radius[i] * scale->length : 0;
        if (to->type)
            to->type[at] = (uint8_t)ky_type_of(from, i);
        for (int k = 0; k < 3; k++) {
            double along = 0, speed = 0;
            for (int j = 0; j < 3; j++) {
                along += stance->tilt[k][j] * (from->position[i][j] - x[j]);
                speed += stance->tilt[k][j] * (from->velocity[i][j] - v[j]);
            }
            to->position[at][k] = along * scale->length + stance->position[k];
            to->velocity[at][k] = speed * scale->speed + stance->velocity[k];
        }
    }
}

static enum ky_status check_system(const struct ky_bodies *bodies, const char *which,
                                   struct ky_error *error)
{
    if (!bodies->n)
        return ky_fail(error, KY_BAD_DATA, "the %s system has no bodies", which);
    enum ky_status status = ky_bodies_check(bodies, error);
    return status ? ky_fail_in(error, status, "the %s system: ", which) : KY_OK;
}

/* Fills in defaults. KY_USAGE for an orbit that does not exist. */
static enum ky_status adopt(const struct ky_merge_parameters *given,
                            struct ky_merge_parameters *parameters, struct ky_error *error)
{
    ky_merge_parameters_defaults(parameters);
    enum ky_status status =
        ky_size_adopt(parameters, sizeof *parameters, given, "ky_merge_parameters_defaults", error);
    struct ky_option_set set = options_of(parameters);
    if (!status)
        status = ky_options_check(&set, error);
    return status ? status : check_orbit(parameters, error);
}

enum ky_status ky_merge_scale(const struct ky_bodies *b,
                              const struct ky_merge_parameters *parameters,
                              struct ky_merge_scale *scale, struct ky_error *error)
{
    KY_NEED(b, error);
    KY_NEED(scale, error);
    struct ky_merge_parameters own;
    KY_TRY(ky_bodies_need(b, KY_NEED_PLACES, error));
    KY_TRY(adopt(parameters, &own, error));
    return scale_of(b, &own, NULL, scale, error);
}

enum ky_status ky_merge_time(const struct ky_merge_parameters *parameters, double mass,
                             double *time, struct ky_error *error)
{
    KY_NEED(time, error);
    struct ky_merge_parameters own;
    enum ky_status status = adopt(parameters, &own, error);
    if (!status && !(mass > 0 && isfinite(mass)))
        return ky_fail(error, KY_USAGE,
                       "the mass of the two systems is %g; an orbit needs a finite positive mass",
                       mass);
    const struct ky_kepler orbit = orbit_of(&own, mass);
    if (!status)
        *time = ky_kepler_time(&orbit);
    return status;
}

/* Fills in defaults and checks. KY_BAD_DATA for systems that cannot be merged. */
static enum ky_status check(const struct ky_bodies *a, const struct ky_bodies *b,
                            const struct ky_merge_parameters *given,
                            struct ky_merge_parameters *parameters, struct ky_error *error)
{
    KY_TRY(adopt(given, parameters, error));
    KY_TRY(check_system(a, "first", error));
    KY_TRY(check_system(b, "second", error));
    if (!a->softening != !b->softening && isnan(parameters->softening))
        return ky_fail(error, KY_USAGE,
                       "only the bodies of the %s system have softenings, and the other bodies "
                       "need one too; give --softening",
                       a->softening ? "first" : "second");
    return KY_OK;
}

enum ky_status ky_merge(const struct ky_bodies *a, const struct ky_bodies *b,
                        const struct ky_merge_parameters *parameters, struct ky_bodies *merged,
                        struct ky_error *error)
{
    KY_NEED(a, error);
    KY_NEED(b, error);
    KY_NEED(parameters, error);
    KY_NEED(merged, error);
    struct ky_merge_parameters own;
    memset(merged, 0, sizeof *merged);
    KY_TRY(check(a, b, parameters, &own, error));
    struct ky_halt halt = {.flag = own.stop};
    const struct ky_merge_scale as_it_is = {1, 1, 1};
    struct ky_merge_scale scale;
    KY_TRY(ky_halt_check(&halt, error));
    KY_TRY(scale_of(b, &own, &halt, &scale, error));
    KY_TRY(ky_halt_check(&halt, error));
    double mass_a = ky_sum(a->n, a->mass), mass_b = ky_sum(b->n, b->mass) * scale.mass,
           mass = mass_a + mass_b;
    if (!(mass > 0))
        return ky_fail(error, KY_BAD_DATA,
                       "no body of the two systems has mass: there is no orbit");
    unsigned with = KY_WITH_ID | (a->softening || b->softening ? KY_WITH_SOFTENING : 0) |
                    (a->radius || b->radius ? KY_WITH_RADIUS : 0) |
                    (a->type || b->type ? KY_WITH_TYPE : 0);
    KY_TRY(ky_bodies_allocate(merged, a->n + b->n, with, error));
    const struct ky_kepler orbit = orbit_of(&own, mass);
    const double angle = ky_kepler_angle(&orbit), x = own.separation;
    double v[2];
    ky_kepler_velocity(&orbit, v);
    struct stance first = {.position = {-x * mass_b / mass, 0, 0},
                           .velocity = {-v[0] * mass_b / mass, -v[1] * mass_b / mass, 0}},
                  second = {.position = {x * mass_a / mass, 0, 0},
                            .velocity = {v[0] * mass_a / mass, v[1] * mass_a / mass, 0}};
    ky_kepler_tilt(own.first_inclination, own.first_omega, angle, first.tilt);
    ky_kepler_tilt(own.second_inclination, own.second_omega, angle + acos(-1.0), second.tilt);
    place(a, &as_it_is, &first, own.softening, merged, 0);
    if (!ky_halted(&halt))
        place(b, &scale, &second, own.softening, merged, a->n);
    enum ky_status status = ky_halt_check(&halt, error);
    if (!status)
        status = make_unique(merged->id, merged->n, a->n, error);
    if (!status)
        status = ky_halt_check(&halt, error);
    if (!status) {
        status = ky_bodies_check(merged, error);
        if (status)
            ky_fail_in(error, status,
                       "the orbit with G = %g, eccentricity %g and separation %g leaves the range "
                       "of numbers: ",
                       own.g, own.eccentricity, own.separation);
    }
    if (status)
        ky_bodies_free(merged);
    return status;
}
