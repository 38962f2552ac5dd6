/* Growth and power of density perturbations: the integrals and fits that cosmology.h names. */
#include "models/cosmology.h"

#include <math.h>

#include "physics/expansion.h"

static const double pi = 3.14159265358979323846;

enum { PANELS = 2000 }; /* steps of Simpson's rule; even */

/* Simpson's weight of the point i of 0 … PANELS, in steps. */
static double simpson(int i)
{
    return i == 0 || i == PANELS ? 1. / 3 : i % 2 ? 4. / 3 : 2. / 3;
}

/* a³ (H/H0)²; tends to Ωm as a → 0. */
static double cubic(const struct ky_cosmology *c, double a)
{
    return c->omega_m + (1 - c->omega_m - c->omega_lambda) * a + c->omega_lambda * a * a * a;
}

enum ky_status ky_cosmology_check(const struct ky_cosmology *cosmology, struct ky_error *error)
{
    if (cosmology->omega_b > cosmology->omega_m)
        return ky_fail(error, KY_USAGE, "omega-b = %g is more than omega-m = %g, which includes it",
                       cosmology->omega_b, cosmology->omega_m);
    for (int i = 0; i <= PANELS; i++)
        if (!(cubic(cosmology, (double)i / PANELS) > 0))
            return ky_fail(error, KY_USAGE,
                           "omega-m = %g with omega-lambda = %g: such a universe was never dense; "
                           "a smaller omega-lambda gives a Big Bang",
                           cosmology->omega_m, cosmology->omega_lambda);
    return KY_OK;
}

double ky_matter_fraction(const struct ky_cosmology *cosmology, double a)
{
    return cosmology->omega_m / cubic(cosmology, a);
}

/* ∫ da'/(a' H/H0)³ from 0 to a. With a' = a s² the integrand is smooth at 0. */
static double growth_integral(const struct ky_cosmology *cosmology, double a)
{
    double sum = 0;
    for (int i = 0; i <= PANELS; i++) {
        const double s = (double)i / PANELS, there = a * s * s;
        sum += simpson(i) / PANELS * pow(there / cubic(cosmology, there), 1.5) * 2 * a * s;
    }
    return sum;
}

struct ky_growth ky_growth_at(const struct ky_cosmology *cosmology, double a)
{
    const double omega = ky_matter_fraction(cosmology, a),
                 rate = ky_expansion_rate(a, cosmology->omega_m, cosmology->omega_lambda);
    const double lambda = cosmology->omega_lambda / (rate * rate);
    const double d1 = 2.5 * cosmology->omega_m * rate * growth_integral(cosmology, a);
    return (struct ky_growth){
        .d1 = d1,
        .f1 = -1 - omega / 2 + lambda + 2.5 * omega * a / d1,
        .d2 = -3. / 7 * d1 * d1 * pow(omega, -1. / 143),
        .f2 = 2 * pow(omega, 6. / 11),
    };
}

double ky_transfer(const struct ky_cosmology *cosmology, double k)
{
    const double theta = 2.728 / 2.7; /* temperature of the CMB over 2.7 K */
    const double matter = cosmology->omega_m * cosmology->h * cosmology->h,
                 baryons = cosmology->omega_b * cosmology->h * cosmology->h,
                 part = cosmology->omega_b / cosmology->omega_m;
    const double horizon = 44.5 * log(9.83 / matter) / sqrt(1 + 10 * pow(baryons, 0.75)); /* Mpc */
    const double alpha =
        1 - 0.328 * log(431 * matter) * part + 0.38 * log(22.3 * matter) * part * part;
    const double shape = alpha + (1 - alpha) / (1 + pow(0.43 * k * horizon, 4));
    const double q = k * theta * theta / (matter * shape);
    const double l = log(2 * exp(1) + 1.8 * q), c = 14.2 + 731 / (1 + 62.5 * q);
    return l / (l + c * q * q);
}

double ky_power(const struct ky_spectrum *spectrum, double k)
{
    const double transfer = ky_transfer(&spectrum->cosmology, k);
    return spectrum->amplitude * pow(k, spectrum->cosmology.index) * transfer * transfer;
}

/* Fourier transform of a homogeneous sphere (top-hat window), x = k R. */
static double window(double x)
{
    return x < 1e-2 ? 1 - x * x / 10 : 3 * (sin(x) - x * cos(x)) / (x * x * x);
}

/* σ² = ∫ d ln k k³ P W²/(2 π²), over k R from e^−range to e^range; the rest is less than 1e-6 of
 * it. */
double ky_sigma(const struct ky_spectrum *spectrum, double radius)
{
    const double first = -12, last = 6, step = (last - first) / PANELS;
    double sum = 0;
    for (int i = 0; i <= PANELS; i++) {
        const double x = exp(first + i * step), k = x / radius, w = window(x);
        sum += simpson(i) * step * k * k * k * ky_power(spectrum, k) * w * w;
    }
    return sqrt(sum / (2 * pi * pi));
}

struct ky_spectrum ky_spectrum_of(const struct ky_cosmology *cosmology)
{
    struct ky_spectrum spectrum = {*cosmology, 1};
    const double ratio = cosmology->sigma8 / ky_sigma(&spectrum, 8 / cosmology->h);
    spectrum.amplitude = ratio * ratio;
    return spectrum;
}
