/* Lives and remnants of single stars, after published fits. Host only. Masses are in solar masses,
 * radii in solar radii, times in Myr. */
#ifndef KY_PHYSICS_STELLAR_H
#define KY_PHYSICS_STELLAR_H

#include <math.h>

/* The range of metallicities of the lifetimes. */
#define KY_METALLICITY_LEAST 7e-5
#define KY_METALLICITY_MOST 0.03

/* Stars from here on explode; from the second mass on they leave black holes. */
#define KY_SUPERNOVA_MASS 8.0
#define KY_BLACK_HOLE_MASS 18.5

#define KY_NEUTRON_STAR_MASS 1.4
#define KY_NEUTRON_STAR_RADIUS 1.4e-5 /* 10 km */
#define KY_WHITE_DWARF_MOST 1.44
#define KY_NEUTRON_STAR_MOST 3.0

/* The life of a star until its end: Raiteri, Villata & Navarro (1996), eq. 3, for 0.6 to 120 solar
 * masses. The parabola in log m goes on to smaller masses; beyond its minimum, near 106 solar
 * masses at Z = 0.02, lives are as long as there. */
static inline double ky_star_lifetime(double mass, double metallicity)
{
    const double z = log10(metallicity);
    const double a0 = 10.13 + 0.07547 * z - 0.008084 * z * z,
                 a1 = -4.424 - 0.7939 * z - 0.1187 * z * z,
                 a2 = 1.262 + 0.3385 * z + 0.05417 * z * z;
    const double m = fmin(log10(mass), -a1 / (2 * a2));
    return pow(10, a0 + (a1 + a2 * m) * m - 6);
}

/* The white dwarf of a star below KY_SUPERNOVA_MASS: Kalirai et al. (2008), eq. 1, which was fitted
 * from 1.16 to 6.5 solar masses. */
static inline double ky_white_dwarf_mass(double initial)
{
    return fmin(0.109 * initial + 0.394, initial);
}

/* Nauenberg (1972), as in Hurley et al. (2000), eq. 91. */
static inline double ky_white_dwarf_radius(double mass)
{
    const double x = cbrt(mass / KY_WHITE_DWARF_MOST), square = 1 / (x * x) - x * x;
    return fmax(KY_NEUTRON_STAR_RADIUS, 0.0115 * sqrt(fmax(square, 0)));
}

/* The black hole of a star above KY_BLACK_HOLE_MASS, if the core falls in and the envelope is lost:
 * Raithel, Sukhbold & Özel (2018), the fits for cores with f_ej = 1. The smaller of the two
 * branches joins them at 42.4 solar masses. */
static inline double ky_black_hole_mass(double initial)
{
    return fmin(-2.049 + 0.4140 * initial, 5.697 + 7.8598e8 * pow(initial, -4.858));
}

/* 2 G M/c². */
static inline double ky_black_hole_radius(double mass)
{
    return 4.2456e-6 * mass;
}

#endif
