/* A universe of matter, curvature and a cosmological constant: linear growth and power spectrum of
 * density perturbations. Radiation is neglected. a is the scale factor, 1 today; lengths are
 * comoving Mpc, k is in 1/Mpc. physics/expansion.h has expansion and age. */
#ifndef KY_MODELS_COSMOLOGY_H
#define KY_MODELS_COSMOLOGY_H

#include "base/status.h"
#include "physics/expansion.h"

struct ky_cosmology {
    struct ky_universe universe;
    double omega_b; /* density parameter of baryons today (included in matter) */
    double h;       /* H0 in 100 km/s/Mpc */
    double index;   /* n of P ∝ k^n at small k */
    double sigma8;  /* rms of the linear δ today, in spheres of radius 8/h Mpc */
};

/* KY_USAGE for more baryons than matter, or for a universe that did not begin at a = 0. The option
 * table checks the ranges of the members. */
enum ky_status ky_cosmology_check(const struct ky_cosmology *cosmology, struct ky_error *error);

/* Ωm at the scale factor a. */
double ky_matter_fraction(const struct ky_cosmology *cosmology, double a);

/* Growth factors of first and second order for displacements, and d ln D/d ln a of each. */
struct ky_growth {
    double d1, f1; /* D1 is ky_growth_factor; f1 follows from it (Heath 1977) */
    double d2, f2; /* −3/7 D1² Ωm^(−1/143) and 2 Ωm^(6/11): Bouchet et al. (1995), for flat space */
};
struct ky_growth ky_growth_at(const struct ky_cosmology *cosmology, double a);

/* Transfer function of cold dark matter and baryons without acoustic oscillations: Eisenstein & Hu
 * (1998), equations 26 and 28 to 31. 1 at k = 0. */
double ky_transfer(const struct ky_cosmology *cosmology, double k);

/* A table of P(k): ln k [1/Mpc] ascending, and ln P [Mpc³]. */
struct ky_power_table {
    size_t count; /* 0: there is none */
    double *ln_k, *ln_p;
};
/* Reads lines "k P" in h/Mpc and (Mpc/h)³, as CAMB and CLASS write them; lines that begin with #
 * are comments. KY_BAD_DATA for other files, with fewer than two rows or a k that does not grow.
 * The caller frees it with ky_power_table_free, also after a failure. */
enum ky_status ky_power_table_read(const char *path, double h, struct ky_power_table *table,
                                   struct ky_error *error);
void ky_power_table_free(struct ky_power_table *table);

/* P(k) = amplitude k^n T², or amplitude × the table, of the linear δ today: ⟨|δ_k|²⟩ = P/V in the
 * volume V. */
struct ky_spectrum {
    struct ky_cosmology cosmology;
    double amplitude;            /* Mpc^(3 + n); with a table a number */
    struct ky_power_table table; /* not owned; beyond its ends P is a power of k */
};
/* The spectrum with the cosmology's sigma8. The second: with a table, whose amplitude stays as it
 * is if sigma8 is NaN. The third: with the amplitude A_s of curvature perturbations at k =
 * 0.05/Mpc. */
struct ky_spectrum ky_spectrum_of(const struct ky_cosmology *cosmology);
struct ky_spectrum ky_spectrum_of_table(const struct ky_cosmology *cosmology,
                                        const struct ky_power_table *table);
struct ky_spectrum ky_spectrum_of_curvature(const struct ky_cosmology *cosmology, double a_s);
double ky_power(const struct ky_spectrum *spectrum, double k); /* Mpc³ */
/* The rms of δ in spheres of the given radius [Mpc]. */
double ky_sigma(const struct ky_spectrum *spectrum, double radius);

#endif
