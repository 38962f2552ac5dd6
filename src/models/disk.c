/* The disk of a galaxy: see disk.h. */
#include "models/disk.h"

#include <math.h>

#include "base/random.h"
#include "models/models.h"

enum { LAST = KY_DISK_NODES - 1 };

/* The mass within R = x scale, of an infinite disk of mass 1. */
static double within(double x)
{
    return 1 - (1 + x) * exp(-x);
}

double ky_disk_surface(const struct ky_disk *disk, double radius)
{
    const double pi = acos(-1.0), a = disk->scale;
    return disk->mass * exp(-radius / a) / (2 * pi * a * a * within(disk->edge / a));
}

/* |z| of equal-mass layers: the fraction tanh(z/height) of the mass lies within z. */
static double height_of(const struct ky_disk *disk, int part)
{
    return disk->height * atanh((part + 0.5) / KY_DISK_HEIGHTS);
}

static double radius_of(const struct ky_disk *disk, int k)
{
    return disk->edge * k / LAST;
}

void ky_disk_profile(const struct ky_disk *disk, struct ky_profile *profile)
{
    const double highest = height_of(disk, KY_DISK_HEIGHTS - 1);
    ky_profile_place(profile, 1e-5 * disk->scale, hypot(disk->edge, highest));
    for (size_t k = 0; k < profile->nodes; k++) {
        profile->slope[k] = 0;
        profile->mass[k] = 0;
        for (int part = 0; part < KY_DISK_HEIGHTS; part++) {
            double z = height_of(disk, part), r = profile->r[k];
            double radius = r > z ? fmin(sqrt((r - z) * (r + z)), disk->edge) : 0;
            profile->mass[k] +=
                within(radius / disk->scale) / within(disk->edge / disk->scale) / KY_DISK_HEIGHTS;
        }
    }
}

void ky_disk_radii(const struct ky_disk *disk, double r[KY_DISK_RADII])
{
    for (int k = 0; k < KY_DISK_NODES; k++)
        for (int part = 0; part < KY_DISK_HEIGHTS; part++)
            r[k * KY_DISK_HEIGHTS + part] = hypot(radius_of(disk, k), height_of(disk, part));
}

/* ---- forces ---- */

/* R times the inward acceleration at R by a ring of mass 1 and radius a, with ζ² = (difference of
 * their heights)² + ε². From the ring's potential −2 K(m)/(π s), s² = (R + a)² + ζ², m = 4 R a/s²,
 * by the arithmetic-geometric mean. */
static double ring(double radius, double a, double zeta2)
{
    const double s2 = (radius + a) * (radius + a) + zeta2, d2 = (radius - a) * (radius - a) + zeta2,
                 m = 4 * radius * a / s2;
    double mean = 1, root = sqrt(d2 / s2), sum = 0.5 * m, power = 1;
    while (mean - root > 1e-9 * mean) {
        double half = 0.5 * (mean - root), next = 0.5 * (mean + root);
        root = sqrt(mean * root);
        mean = next;
        sum += power * half * half;
        power *= 2;
    }
    const double first = 1 / (2 * mean), second = first * (1 - sum); /* K/π, E/π */
    return (first + second * (radius * radius - a * a - zeta2) / d2) / sqrt(s2);
}

/* Squared circular speed in the disk's own field, averaged over heights. Rings lie half-way between
 * the nodes, so that the forces of the two rings next to a node cancel, as in a smooth disk. */
static void pull_of_disk(struct ky_disk *disk)
{
    const double eps2 = disk->softening * disk->softening, total = within(disk->edge / disk->scale);
    disk->own2[0] = 0;
#pragma omp parallel for schedule(dynamic)
    for (int k = 1; k < KY_DISK_NODES; k++) {
        double sum = 0;
        for (int j = 0; j < LAST; j++) {
            double inner = radius_of(disk, j), outer = radius_of(disk, j + 1), mean = 0;
            for (int p = 0; p < KY_DISK_HEIGHTS; p++)
                for (int q = 0; q < KY_DISK_HEIGHTS; q++) {
                    double up = height_of(disk, p) + height_of(disk, q),
                           down = height_of(disk, p) - height_of(disk, q);
                    mean += ring(radius_of(disk, k), 0.5 * (inner + outer), up * up + eps2);
                    mean += ring(radius_of(disk, k), 0.5 * (inner + outer), down * down + eps2);
                }
            mean /= 2 * KY_DISK_HEIGHTS * KY_DISK_HEIGHTS;
            sum += mean * (within(outer / disk->scale) - within(inner / disk->scale));
        }
        disk->own2[k] = disk->mass * sum / total;
    }
}

/* The mean of d²/√(d² + ε²) over pairs of bodies of a column, with height difference d; for ε = 0
 * it is the scale height. Multiplied by π Σ it is the squared dispersion that supports the column's
 * own weight. */
static double weight_of_column(const struct ky_disk *disk)
{
    enum { PARTS = 256 };
    double z[PARTS], sum = 0;
    for (int p = 0; p < PARTS; p++)
        z[p] = disk->height * atanh((2 * p + 1.0) / PARTS - 1);
    for (int p = 0; p < PARTS; p++)
        for (int q = 0; q < PARTS; q++) {
            double d2 = (z[p] - z[q]) * (z[p] - z[q]);
            sum += d2 > 0 ? d2 / sqrt(d2 + disk->softening * disk->softening) : 0;
        }
    return sum / (PARTS * PARTS);
}

/* d/dR of a table at node k, from two nodes on each side. */
static double slope_of(const struct ky_disk *disk, const double *table, int k)
{
    int low = k > 2 ? k - 2 : 0, high = k + 2 < LAST ? k + 2 : LAST;
    return (table[high] - table[low]) / (radius_of(disk, high) - radius_of(disk, low));
}

/* Squared circular speed, and σ_z. A column is bound by its own weight and by the spheres. The term
 * −(1/R) dv²/dR of Poisson's equation, which a plane-parallel disk neglects, reduces this. */
static void columns(struct ky_disk *disk, const double *pull)
{
    const double pi = acos(-1.0), own = weight_of_column(disk);
    for (int k = 0; k < KY_DISK_NODES; k++) {
        double radius = radius_of(disk, k), inward = 0, held = 0, squares = 0;
        for (int part = 0; part < KY_DISK_HEIGHTS; part++) {
            double z = height_of(disk, part), force = pull[k * KY_DISK_HEIGHTS + part];
            inward += force * radius * radius / hypot(radius, z) / KY_DISK_HEIGHTS;
            held += force * z * z / hypot(radius, z) / KY_DISK_HEIGHTS;
            squares += z * z / KY_DISK_HEIGHTS;
        }
        double weight = pi * ky_disk_surface(disk, radius) * own;
        double apart = k ? squares * slope_of(disk, disk->own2, k) / radius : 0;
        disk->circular2[k] = disk->own2[k] + inward;
        disk->sigma[2][k] = sqrt(held + fmax(weight - apart, 0.5 * weight));
    }
}

/* ---- speeds ---- */

/* (κ/2Ω)² = (1 + dln v/dln R)/2, limited to the range between a point mass and a homogeneous
 * sphere. The jump of the density at the edge would leave this range. */
static double epicycle(const struct ky_disk *disk, int k)
{
    const int at = k ? k : 1;
    double ratio = 0.5 + 0.25 * radius_of(disk, at) * slope_of(disk, disk->circular2, at) /
                             disk->circular2[at];
    return fmin(fmax(ratio, 0.25), 1);
}

/* The mean square speed in the plane over the mean square circular speed: 1 in equilibrium.
 * Perpendicular to the plane, each column is in equilibrium by construction. */
static double virial_of(const struct ky_disk *disk)
{
    double motion = 0, pull = 0;
    for (int k = 1; k < KY_DISK_NODES; k++) {
        const double mass =
            radius_of(disk, k) * exp(-radius_of(disk, k) / disk->scale) * (k < LAST ? 1 : 0.5);
        motion +=
            mass * (disk->rotation[k] * disk->rotation[k] + disk->sigma[0][k] * disk->sigma[0][k] +
                    disk->sigma[1][k] * disk->sigma[1][k]);
        pull += mass * disk->circular2[k];
    }
    return motion / pull;
}

enum ky_status ky_disk_solve(struct ky_disk *disk, const double pull[KY_DISK_RADII],
                             struct ky_error *error)
{
    double least = (double)INFINITY;
    pull_of_disk(disk);
    columns(disk, pull);
    disk->toomre[0] = (double)INFINITY;
    for (int k = 0; k < KY_DISK_NODES; k++) {
        double radius = radius_of(disk, k);
        disk->sigma[0][k] = exp(-0.5 * radius / disk->scale);
        if (k == 0)
            continue;
        double kappa = 2 * sqrt(epicycle(disk, k) * disk->circular2[k]) / radius;
        disk->toomre[k] = disk->sigma[0][k] * kappa / (3.36 * ky_disk_surface(disk, radius));
        least = fmin(least, disk->toomre[k]);
    }
    for (int k = 0; k < KY_DISK_NODES; k++) {
        double radius = radius_of(disk, k);
        disk->toomre[k] *= disk->q / least;
        disk->sigma[0][k] *= disk->q / least;
        double radial2 = disk->sigma[0][k] * disk->sigma[0][k];
        /* Mean v_φ²: d ln(Σ σ_R²)/d ln R = −2 R/scale. */
        double across2 = disk->circular2[k] + radial2 * (1 - 2 * radius / disk->scale);
        if (!(across2 > 0))
            return ky_fail(error, KY_USAGE,
                           "no equilibrium of the disk at radius %g: Toomre's Q of %g needs a "
                           "radial dispersion of %g, but the circular speed is %g",
                           radius, disk->q, disk->sigma[0][k], sqrt(disk->circular2[k]));
        double sigma2 = fmin(epicycle(disk, k) * radial2, across2);
        disk->sigma[1][k] = sqrt(sigma2);
        disk->rotation[k] = sqrt(across2 - sigma2);
    }
    disk->virial = virial_of(disk);
    return KY_OK;
}

/* ---- drawing ---- */

/* The R that encloses the fraction u of the disk, by bisection. */
static double draw_radius(const struct ky_disk *disk, double u)
{
    double low = 0, high = disk->edge / disk->scale;
    const double wanted = u * within(high);
    for (int k = 0; k < 50; k++) {
        double middle = 0.5 * (low + high);
        if (within(middle) < wanted)
            low = middle;
        else
            high = middle;
    }
    return low * disk->scale;
}

void ky_disk_draw(const struct ky_disk *disk, uint64_t seed, size_t i, double position[3],
                  double velocity[3])
{
    struct ky_random place = ky_random_at(seed, KY_STREAM_POSITION, i);
    struct ky_random motion = ky_random_at(seed, KY_STREAM_VELOCITY, i);
    const double radius = draw_radius(disk, ky_random_uniform(&place)),
                 angle = 2 * acos(-1.0) * ky_random_uniform(&place), x = cos(angle), y = sin(angle);
    const double node = fmin(radius / disk->edge * LAST, LAST - 1e-6), part = node - floor(node);
    const int k = (int)node;
    double v[3];
    for (int c = 0; c < 3; c++)
        v[c] = ((1 - part) * disk->sigma[c][k] + part * disk->sigma[c][k + 1]) *
               ky_random_normal(&motion);
    v[1] += (1 - part) * disk->rotation[k] + part * disk->rotation[k + 1];
    position[0] = radius * x;
    position[1] = radius * y;
    position[2] = disk->height * atanh(2 * ky_random_uniform(&place) - 1);
    velocity[0] = v[0] * x - v[1] * y;
    velocity[1] = v[0] * y + v[1] * x;
    velocity[2] = v[2];
}
