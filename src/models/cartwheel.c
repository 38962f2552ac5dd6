/* A disk galaxy and a compact intruder that falls along its axis, as in Fujiwara & Nakasato (2009),
 * whose input is lost. The paper gives N = 18,000, dt = 1/128 and ε = 0.01, and nothing else.
 *
 * The following is our choice, with G = M = 1: the galaxy is made by galaxy.c with R_d = 0.2, all
 * other lengths in proportion, and Q = 1.5; three quarters of its bodies are in the disk, one
 * twentieth in the bulge. The intruder is a Plummer sphere in equilibrium, cut at 5 scale radii,
 * with a fifth of the galaxy's mass and a tenth of the bodies. It starts above the disk and moves
 * down with the speed of two point masses that fall from rest at infinity. */
#include <math.h>

#include "base/status.h"
#include "models/galaxy.h"

struct cartwheel {
    double ratio, radius, separation;
};

#define FIELD(name) offsetof(struct cartwheel, name)

static const struct ky_option options[] = {
    {"intruder-mass", KY_OPTION_REAL, FIELD(ratio), "0.2", 1e-6, 1e6, NULL, NULL,
     "cartwheel: mass of the intruder relative to the galaxy"},
    {"intruder-radius", KY_OPTION_REAL, FIELD(radius), "0.05", 1e-6, 1e6, NULL, "LENGTH",
     "cartwheel: half-mass radius of the intruder [length]"},
    {"intruder-height", KY_OPTION_REAL, FIELD(separation), "0.8", 1e-6, 1e6, NULL, "LENGTH",
     "cartwheel: height of the intruder above the disk at the start [length]"},
};

/* The galaxy of the model `galaxy` with the parameters described above. */
static struct ky_galaxy target(double mass)
{
    struct ky_galaxy galaxy;
    ky_galaxy_defaults(&galaxy, mass, 0.2);
    galaxy.disk_share = 0.75;
    galaxy.bulge_share = 0.05;
    galaxy.q = 1.5;
    return galaxy;
}

/* Puts the centres of both systems on the z axis, with the common centre of mass at rest. */
static void meet(const struct cartwheel *own, size_t n, struct ky_bodies *bodies)
{
    const double mass = own->ratio / (1 + own->ratio), d = own->separation, speed = sqrt(2 / d);
    for (size_t i = 0; i < bodies->n; i++) {
        const double part = i < n ? -mass : 1 - mass;
        bodies->position[i][2] += part * d;
        bodies->velocity[i][2] -= part * speed;
    }
}

/* Makes the intruder from body n on. It uses random numbers different from the galaxy's. */
static enum ky_status drop(const struct cartwheel *own, const struct ky_model_common *common,
                           size_t n, double mass, struct ky_bodies *bodies, struct ky_error *error)
{
    const struct ky_cut cut = {5};
    const struct ky_sphere intruder = {&ky_plummer, &cut, own->radius, mass};
    struct ky_model_common part = *common;
    part.n = common->n - n;
    part.seed = ~common->seed;
    return ky_equilibrium_put(&intruder, &part, n, bodies, error);
}

static enum ky_status make(const void *parameters, const struct ky_model_common *common,
                           struct ky_snapshot *snapshot, struct ky_error *error)
{
    const struct cartwheel *own = parameters;
    const double mass = own->ratio / (1 + own->ratio);
    const struct ky_galaxy galaxy = target(1 - mass);
    const size_t n = common->n - common->n / 10;
    size_t count[KY_COMPONENTS];
    KY_TRY(ky_galaxy_count(&galaxy, n, count, error));
    KY_TRY(ky_model_allocate(common, KY_WITH_TYPE, snapshot, error));
    KY_TRY(ky_galaxy_put(&galaxy, common, count, 0, &snapshot->bodies, error));
    KY_TRY(drop(own, common, n, mass, &snapshot->bodies, error));
    for (size_t i = n; i < common->n; i++)
        snapshot->bodies.type[i] = 4;
    meet(own, n, &snapshot->bodies);
    return KY_OK;
}

const struct ky_model ky_cartwheel = {
    .name = "cartwheel",
    .help = "a disk galaxy and a compact intruder on its axis; 18000 bodies",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .own_size = sizeof(struct cartwheel),
    .usual = 18000,
    .least = 20,
    .softening = 0.01,
    .scaling = KY_SCALE_MASS,
    .centring = KY_CENTRE_MASS,
    .make = make,
};
