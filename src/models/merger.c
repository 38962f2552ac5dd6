/* The galaxy merger of Bédorf, Gaburov & Portegies Zwart (2012): masses 1 : 3, each galaxy of
 * 100,000 dark bodies, 20,000 stars and a central black hole, pericentre 10 kpc, dt = 1/64, ε =
 * 0.1.
 *
 * The rest is our choice. Both galaxies are made by galaxy.c, halo : disk : bulge 12 : 2 : 1;
 * two thirds of the stars are in the disk. The first has a mass of 45 and a disk of R_d = 3.5 kpc,
 * the second a third of the mass and lengths in proportion to √M. A black hole has 10^−3 of the
 * stellar mass of its galaxy, is at rest at the centre of the bulge, and has the type 5. The orbit
 * is the parabola of two point masses. The mass and the first distance, 185 kpc, are fitted to the
 * paper's second and third pericentre, at t = 280 and 300: the time between the two is proportional
 * to √(length³/mass), and the distance shifts both. The disks are inclined by 30° and 60°. The unit
 * of length is 1 kpc, the unit of velocity 100 km/s; with G = 1 the units of time and mass are 9.78
 * Myr and 2.33·10⁹ Msun. Ids of the second galaxy follow the first galaxy's; in each the black hole
 * is the last. */
#include <math.h>

#include "base/block_sums.h"
#include "base/status.h"
#include "base/units.h"
#include "models/galaxy.h"

struct merger {
    double separation, pericentre;
    double first_inclination, first_omega, second_inclination, second_omega;
};

#define FIELD(name) offsetof(struct merger, name)
#define ANGLE(name, field, initial, help)                                                          \
    {                                                                                              \
        name, KY_OPTION_REAL, FIELD(field), initial, -360, 360, NULL, NULL,                        \
            "merger: " help " [degrees]"                                                           \
    }

static const struct ky_option options[] = {
    {"separation", KY_OPTION_REAL, FIELD(separation), "185", 1e-3, 1e6, NULL, "LENGTH",
     "merger: distance of the galaxies at the start [kpc]"},
    {"pericentre", KY_OPTION_REAL, FIELD(pericentre), "10", 0, 1e6, NULL, "LENGTH",
     "merger: pericentre distance of the parabola for two point masses [kpc]"},
    ANGLE("first-inclination", first_inclination, "30",
          "inclination of the first disk to the orbit, 180: retrograde"),
    ANGLE("first-omega", first_omega, "0",
          "argument of the pericentre, from the ascending node of the orbit on that disk"),
    ANGLE("second-inclination", second_inclination, "60",
          "inclination of the second disk to the orbit, 180: retrograde"),
    ANGLE("second-omega", second_omega, "90",
          "argument of the pericentre, from the ascending node of the orbit on that disk"),
};

enum { BLACK_HOLE = 5 };

/* Makes one galaxy at the origin; the last of its n bodies is the black hole. */
static enum ky_status make_galaxy(double mass, double scale, const struct ky_model_common *common,
                                  struct ky_bodies *bodies, struct ky_error *error)
{
    struct ky_galaxy galaxy;
    size_t count[KY_COMPONENTS], last = common->n - 1;
    ky_galaxy_defaults(&galaxy, mass, scale);
    galaxy.disk_share = 1. / 9; /* a sixth with the bulge: 20,000 of 120,000 */
    galaxy.bulge_share = 1. / 18;
    KY_TRY(ky_galaxy_count(&galaxy, last, count, error));
    KY_TRY(ky_bodies_allocate(bodies, common->n, KY_WITH_ID | KY_WITH_TYPE, error));
    KY_TRY(ky_galaxy_put(&galaxy, common, count, 0, bodies, error));
    for (size_t i = 0; i < common->n; i++)
        bodies->id[i] = i;
    const size_t bulge = count[KY_HALO] + count[KY_DISK];
    ky_mean(count[KY_BULGE], NULL, bodies->position + bulge, bodies->position[last]);
    ky_mean(count[KY_BULGE], NULL, bodies->velocity + bulge, bodies->velocity[last]);
    bodies->mass[last] = 1e-3 * (galaxy.mass[KY_DISK] + galaxy.mass[KY_BULGE]);
    bodies->type[last] = BLACK_HOLE;
    return KY_OK;
}

/* KY_USAGE if the caller gives units: the model has its own. */
static enum ky_status choose_units(struct ky_units *units, struct ky_error *error)
{
    if (units->length_cm > 0 || !(isnan(units->g) || units->g == 1))
        return ky_fail(
            error, KY_USAGE,
            "merger has its own units, kpc and 100 km/s with G = 1; leave out --units and --g");
    units->length_cm = KY_KPC_CM;
    units->velocity_cm_s = 100 * KY_KM_S;
    units->mass_g = 1e10 * KY_SUN_G * 1e4 / KY_GALAXY_G;
    units->g = 1;
    return KY_OK;
}

static enum ky_status make(const void *parameters, const struct ky_model_common *common,
                           struct ky_snapshot *snapshot, struct ky_error *error)
{
    const struct merger *own = parameters;
    const double mass = 45, scale = 3.5, ratio = 1. / 3;
    struct ky_model_common half = *common;
    struct ky_bodies galaxies[2] = {{0}, {0}};
    struct ky_merge_parameters orbit;
    ky_merge_parameters_defaults(&orbit);
    orbit.separation = own->separation;
    orbit.pericentre = own->pericentre;
    orbit.first_inclination = own->first_inclination;
    orbit.first_omega = own->first_omega;
    orbit.second_inclination = own->second_inclination;
    orbit.second_omega = own->second_omega;
    orbit.stop = common->halt ? common->halt->flag : NULL;
    half.n = common->n - common->n / 2;
    enum ky_status status = make_galaxy(mass, scale, &half, &galaxies[0], error);
    half.n = common->n / 2;
    half.seed = ~common->seed; /* independent random numbers */
    if (!status)
        status = make_galaxy(mass * ratio, scale * sqrt(ratio), &half, &galaxies[1], error);
    if (!status)
        status = ky_merge(&galaxies[0], &galaxies[1], &orbit, &snapshot->bodies, error);
    for (int g = 0; g < 2; g++)
        ky_bodies_free(&galaxies[g]);
    return status;
}

const struct ky_model ky_merger = {
    .name = "merger",
    .help = "two disk galaxies with black holes on a parabola, in kpc and 100 km/s; 240002 bodies",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .own_size = sizeof(struct merger),
    .usual = 240002,
    .least = 40,
    .softening = 0.1,
    .scaling = KY_NOT_SCALED,
    .centring = KY_CENTRE_MASS,
    .units = choose_units,
    .make = make,
};
