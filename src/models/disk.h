/* An exponential disk in a spherical field, in equilibrium by the Jeans equations.
 *
 * The density is exponential in R up to an edge, and sech²(z/height). Velocities are Gaussian about
 * the mean rotation. The radial dispersion is proportional to exp(−R/(2 scale)), so that its square
 * follows the density (van der Kruit & Searle 1981). σ_φ follows from it by the epicycle
 * approximation, the mean rotation from the asymmetric drift, and σ_z from the force towards the
 * plane; each has one value for all heights at a radius. Forces are softened and averaged over the
 * heights, so the disk is in virial balance with the forces of a softened run. G = 1. */
#ifndef KY_MODELS_DISK_H
#define KY_MODELS_DISK_H

#include "models/profile.h"

enum { KY_DISK_NODES = 129, KY_DISK_HEIGHTS = 8, KY_DISK_RADII = KY_DISK_NODES * KY_DISK_HEIGHTS };

struct ky_disk {
    double mass, scale, height, edge;
    double q;         /* the minimum of Toomre's Q over all radii */
    double softening; /* ε of a pair of disk bodies */
    /* At the nodes R = k edge/(KY_DISK_NODES − 1): squared circular speed and the disk's
     * contribution to it; mean rotation; dispersions; Q, which is undefined at R = 0. */
    double circular2[KY_DISK_NODES], own2[KY_DISK_NODES], rotation[KY_DISK_NODES];
    double sigma[3][KY_DISK_NODES]; /* along R, φ, z */
    double toomre[KY_DISK_NODES];
    double virial; /* 2T/|Σ m x·a| of the motion in the plane; 1 in equilibrium */
};

/* The mean surface density at R, as if the disk had no edge. */
double ky_disk_surface(const struct ky_disk *disk, double radius);

/* The mass of the disk within spheres, for components that feel its spherically averaged force.
 * Does not set the slope. */
void ky_disk_profile(const struct ky_disk *disk, struct ky_profile *profile);

/* The distances from the centre at which ky_disk_solve needs the force of the spheres. */
void ky_disk_radii(const struct ky_disk *disk, double r[KY_DISK_RADII]);
/* Fills the tables from the members above them, which the caller has set, and from the inward
 * acceleration by the spheres at these distances. KY_USAGE if there is no equilibrium: the
 * dispersion for this Q exceeds the limit of the field. */
enum ky_status ky_disk_solve(struct ky_disk *disk, const double pull[KY_DISK_RADII],
                             struct ky_error *error);

/* Draws position and velocity of body i; the disk turns anticlockwise about z. */
void ky_disk_draw(const struct ky_disk *disk, uint64_t seed, size_t i, double position[3],
                  double velocity[3]);

#endif
