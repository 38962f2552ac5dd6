/* A galaxy of a halo, a disk and a bulge, for the models that have one or more of them. G = 1. */
#ifndef KY_MODELS_GALAXY_H
#define KY_MODELS_GALAXY_H

#include "models/disk.h"
#include "models/equilibrium.h"

/* In the order of their bodies. The GADGET type is this number plus one. */
enum ky_component { KY_HALO, KY_DISK, KY_BULGE, KY_COMPONENTS };

struct ky_galaxy {
    double mass[KY_COMPONENTS];     /* 0: no such component; the disk is always there */
    double disk_share, bulge_share; /* of the number of bodies; the halo has the rest */
    double halo_scale, halo_edge, bulge_scale, bulge_edge;
    double disk_scale, disk_height, disk_edge;
    double q;                        /* the smallest of Toomre's Q */
    double softening[KY_COMPONENTS]; /* NaN: the common one */
};

/* The default galaxy of the model `galaxy`, with this total mass and scale length of the disk. */
void ky_galaxy_defaults(struct ky_galaxy *galaxy, double mass, double scale);

/* How many of n bodies each component gets. A component that is absent leaves its share to the
 * halo; without a halo, to the disk. KY_USAGE if one would get none. */
enum ky_status ky_galaxy_count(const struct ky_galaxy *galaxy, size_t n,
                               size_t count[KY_COMPONENTS], struct ky_error *error);

/* Fields and distribution functions, solved for the softenings. */
struct ky_galaxy_tables {
    struct ky_disk disk;
    struct ky_equilibrium spheres[KY_COMPONENTS]; /* [KY_DISK]: the profile alone */
};
/* KY_USAGE if there is no such equilibrium. */
enum ky_status ky_galaxy_solve(const struct ky_galaxy *galaxy, const struct ky_model_common *common,
                               struct ky_galaxy_tables *tables, struct ky_error *error);

/* Makes bodies first … first + Σ count − 1 a galaxy about the origin, with its centre of mass there
 * at rest: masses, types, softenings where bodies have any, places, velocities. The disk turns
 * anticlockwise about z. */
enum ky_status ky_galaxy_put(const struct ky_galaxy *galaxy, const struct ky_model_common *common,
                             const size_t count[KY_COMPONENTS], size_t first,
                             struct ky_bodies *bodies, struct ky_error *error);

#endif
