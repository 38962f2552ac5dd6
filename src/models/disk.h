/* An exponential disk in a spherical field, in equilibrium by the Jeans equations.
 *
 * The density is exponential in R up to an edge, and sech²(z/height). Speeds are normal about the
 * mean rotation. The radial dispersion goes with exp(−R/(2 scale)), so that its square follows the
 * density (van der Kruit & Searle 1981). σ_φ follows from it by the epicycles, the mean rotation
 * from the asymmetric drift, and σ_z from the pull towards the plane, the same at all heights of a
 * radius. Forces are softened, and means over the heights, so that the disk is in virial balance
 * with the forces of a softened run. G = 1. */
#ifndef KY_MODELS_DISK_H
#define KY_MODELS_DISK_H

#include "models/profile.h"

enum { KY_DISK_NODES = 129, KY_DISK_HEIGHTS = 8, KY_DISK_RADII = KY_DISK_NODES * KY_DISK_HEIGHTS };

struct ky_disk {
    double mass, scale, height, edge;
    double q;         /* the smallest of Toomre's Q at all radii */
    double softening; /* ε of two bodies of the disk */
    /* At the nodes R = k edge/(KY_DISK_NODES − 1): the square of the circular speed and the disk's
     * part of it; the mean rotation; dispersions; Q, which has no value at R = 0. */
    double circular2[KY_DISK_NODES], own2[KY_DISK_NODES], rotation[KY_DISK_NODES];
    double sigma[3][KY_DISK_NODES]; /* along R, φ, z */
    double toomre[KY_DISK_NODES];
    double virial; /* 2T/|Σ m x·a| of the motion in the plane; 1 in equilibrium */
};

/* The mean surface density at R, before the edge. */
double ky_disk_surface(const struct ky_disk *disk, double radius);

/* The mass of the disk within spheres, for components that feel its pull averaged over directions.
 * Does not set the slope. */
void ky_disk_profile(const struct ky_disk *disk, struct ky_profile *profile);

/* The distances from the centre at which ky_disk_solve needs the field of the spheres. */
void ky_disk_radii(const struct ky_disk *disk, double r[KY_DISK_RADII]);
/* Fills the tables from the numbers above, which the caller has set, and from the inward pull of
 * the spheres at these distances. KY_USAGE where there is no equilibrium: the dispersion that Q
 * asks for exceeds what the field can hold. */
enum ky_status ky_disk_solve(struct ky_disk *disk, const double pull[KY_DISK_RADII],
                             struct ky_error *error);

/* Draws place and velocity of body i; it turns anticlockwise about z. */
void ky_disk_draw(const struct ky_disk *disk, uint64_t seed, size_t i, double position[3],
                  double velocity[3]);

#endif
