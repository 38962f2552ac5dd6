/* Galaxies with halo, disk and bulge, for the models that contain one or more galaxies. G = 1. */
#ifndef KY_MODELS_GALAXY_H
#define KY_MODELS_GALAXY_H

#include "models/disk.h"
#include "models/equilibrium.h"

/* The components, in the order of their bodies. The GADGET type is this number plus one. */
enum ky_component { KY_HALO, KY_DISK, KY_BULGE, KY_COMPONENTS };

struct ky_galaxy {
    double mass[KY_COMPONENTS];     /* 0: no such component; the disk is always present */
    double disk_share, bulge_share; /* fractions of the number of bodies; the halo has the rest */
    double halo_scale, halo_edge, bulge_scale, bulge_edge;
    double disk_scale, disk_height, disk_edge;
    double q;                        /* minimum of Toomre's Q */
    double softening[KY_COMPONENTS]; /* NaN: the common softening */
};

/* The galaxy of the model `galaxy`, with this total mass and this scale length of the disk. */
void ky_galaxy_defaults(struct ky_galaxy *galaxy, double mass, double scale);

/* The number of bodies of each component, for n bodies. The share of an absent component goes to
 * the halo, or without a halo to the disk. KY_USAGE if a component would get no body. */
enum ky_status ky_galaxy_count(const struct ky_galaxy *galaxy, size_t n,
                               size_t count[KY_COMPONENTS], struct ky_error *error);

/* Forces and distribution functions for the given softenings. */
struct ky_galaxy_tables {
    struct ky_disk disk;
    struct ky_equilibrium spheres[KY_COMPONENTS]; /* of [KY_DISK] only the profile */
};
/* Computes the tables. KY_USAGE if there is no such equilibrium. */
enum ky_status ky_galaxy_solve(const struct ky_galaxy *galaxy, const struct ky_model_common *common,
                               struct ky_galaxy_tables *tables, struct ky_error *error);

/* Makes the bodies first … first + Σ count − 1 as a galaxy whose centre of mass is at rest at the
 * origin: masses, types, softenings (if the bodies have any), positions, velocities. The disk turns
 * anticlockwise about z. */
enum ky_status ky_galaxy_put(const struct ky_galaxy *galaxy, const struct ky_model_common *common,
                             const size_t count[KY_COMPONENTS], size_t first,
                             struct ky_bodies *bodies, struct ky_error *error);

#endif
