/* The number of haloes of each mass, by fits that depend on the mass only through the rms σ(M) of
 * the linear density contrast in spheres that hold it on average:
 *
 *     dn/d ln M = f(σ) ρ/M |d ln σ/d ln M|        M = 4π/3 R³ ρ
 *
 * with the comoving mean density ρ of matter. With ν = δc/σ:
 *
 *     Press & Schechter (1974)        √(2/π) ν exp(−ν²/2)
 *     Sheth & Tormen (1999), eq. 10   A √(2 a/π) (1 + (a ν²)^(−p)) ν exp(−a ν²/2)
 *     Tinker et al. (2008), eq. 3     A ((σ/b)^(−a) + 1) exp(−c/σ²)
 *
 * The last is for spheres with 200 times the mean density (M200m), with the parameters of table 2
 * and their change with redshift by equations 5 to 8. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/sizes.h"
#include "base/status.h"
#include "models/cosmology.h"

static const double pi = 3.14159265358979323846;
static const double critical = 2.77536627e11; /* today, 3 H0²/(8π G) [h² Msun/Mpc³] */
static const double delta_c = 1.686;          /* linear δ of a sphere that collapses */

/* ---- the fits: f(σ) at the redshift z ---- */

static double press_schechter(double sigma, double z)
{
    const double nu = delta_c / sigma;
    (void)z;
    return sqrt(2 / pi) * nu * exp(-nu * nu / 2);
}

static double sheth_tormen(double sigma, double z)
{
    static const double norm = 0.3222, a = 0.707, p = 0.3;
    const double nu = delta_c / sigma, square = a * nu * nu;
    (void)z;
    return norm * sqrt(2 * a / pi) * (1 + pow(square, -p)) * nu * exp(-square / 2);
}

static double tinker(double sigma, double z)
{
    const double alpha = pow(10, -pow(0.75 / log10(200.0 / 75), 1.2)), later = 1 + z;
    const double norm = 0.186 * pow(later, -0.14), a = 1.47 * pow(later, -0.06),
                 b = 2.57 * pow(later, -alpha), c = 1.19;
    return norm * (pow(sigma / b, -a) + 1) * exp(-c / (sigma * sigma));
}

typedef double fit(double sigma, double z);
static fit *const fits[] = {press_schechter, sheth_tormen, tinker};
enum { FITS = sizeof fits / sizeof *fits };

/* ---- parameters ---- */

void ky_mass_function_parameters_defaults_sized(struct ky_mass_function_parameters *parameters,
                                                size_t size)
{
    const struct ky_mass_function_parameters own = {.size = sizeof own,
                                                    .fit = KY_TINKER,
                                                    .omega_matter = 0.3111,
                                                    .omega_lambda = 0.6889,
                                                    .omega_baryons = 0.049,
                                                    .hubble = 0.6766,
                                                    .spectral_index = 0.9665,
                                                    .sigma8 = 0.8102,
                                                    .scale_factor = 1};
    ky_size_fill(parameters, size, &own, sizeof own);
}

static enum ky_status check(const struct ky_mass_function_parameters *own, struct ky_error *error)
{
    const struct {
        const char *name;
        double value, least;
    } numbers[] = {{"omega_matter", own->omega_matter, 1e-3},
                   {"omega_lambda", own->omega_lambda, 0},
                   {"omega_baryons", own->omega_baryons, 0},
                   {"hubble", own->hubble, 0.01},
                   {"spectral_index", own->spectral_index, 0},
                   {"sigma8", isnan(own->sigma8) && own->spectrum ? 1 : own->sigma8, 1e-3},
                   {"scale_factor", own->scale_factor, 1e-4}};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (!(numbers[k].value >= numbers[k].least && numbers[k].value <= 10))
            return ky_fail(error, KY_USAGE, "%s of a mass function is %g; it must be %g to 10",
                           numbers[k].name, numbers[k].value, numbers[k].least);
    if (own->fit < 0 || own->fit >= FITS)
        return ky_fail(error, KY_USAGE, "no fit of mass functions has the number %d", own->fit);
    return KY_OK;
}

static struct ky_cosmology cosmology_of(const struct ky_mass_function_parameters *own)
{
    return (struct ky_cosmology){
        .universe = {.matter = own->omega_matter, .lambda = own->omega_lambda},
        .omega_b = own->omega_baryons,
        .h = own->hubble,
        .index = own->spectral_index,
        .sigma8 = own->sigma8};
}

/* ---- the number of haloes ---- */

/* dn/d ln M for a mass in Msun/h, in (h/Mpc)³. `growth`: D at the scale factor over D today. */
static double density_of(const struct ky_spectrum *spectrum,
                         const struct ky_mass_function_parameters *own, double growth, double mass)
{
    static const double step = 0.01; /* of ln R */
    const double h = own->hubble, mean = critical * own->omega_matter,
                 radius = cbrt(3 * mass / (4 * pi * mean)) / h,
                 sigma = growth * ky_sigma(spectrum, radius),
                 slope = log(ky_sigma(spectrum, radius * exp(step)) /
                             ky_sigma(spectrum, radius * exp(-step))) /
                         (2 * step) / 3;
    return fits[own->fit](sigma, 1 / own->scale_factor - 1) * mean / mass * fabs(slope);
}

enum ky_status ky_mass_function(const struct ky_mass_function_parameters *parameters, size_t count,
                                const double *mass, double *density, struct ky_error *error)
{
    struct ky_mass_function_parameters own;
    struct ky_power_table table = {0};
    ky_mass_function_parameters_defaults_sized(&own, sizeof own);
    KY_TRY(
        ky_size_adopt(&own, sizeof own, parameters, "ky_mass_function_parameters_defaults", error));
    if (count) {
        KY_NEED(mass, error);
        KY_NEED(density, error);
    }
    KY_TRY(check(&own, error));
    const struct ky_cosmology cosmology = cosmology_of(&own);
    enum ky_status status = ky_cosmology_check(&cosmology, error);
    if (!status && own.spectrum)
        status = ky_power_table_read(own.spectrum, own.hubble, &table, error);
    for (size_t k = 0; k < count && !status; k++)
        if (!(mass[k] > 0 && isfinite(mass[k])))
            status = ky_fail(error, KY_USAGE, "mass %zu is %g; it must be above 0 and finite", k,
                             mass[k]);
    if (!status) {
        const struct ky_spectrum spectrum =
            own.spectrum ? ky_spectrum_of_table(&cosmology, &table) : ky_spectrum_of(&cosmology);
        const double growth =
            ky_growth_at(&cosmology, own.scale_factor).d1 / ky_growth_at(&cosmology, 1).d1;
#pragma omp parallel for schedule(dynamic)
        for (size_t k = 0; k < count; k++)
            density[k] = density_of(&spectrum, &own, growth, mass[k]);
    }
    ky_power_table_free(&table);
    return status;
}
