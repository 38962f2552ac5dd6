/* King (1966) lowered isothermal sphere: f(E) ∝ e^(E/σ²) − 1 inside the tidal radius, which the
 * central potential W₀ = Ψ(0)/σ² determines.
 *
 * With softening, the density is King's and the distribution function follows from the softened
 * potential. Without softening the distribution function is King's. */
#include <math.h>

#include "models/models.h"
#include "models/profile.h"

struct king {
    double w0;
};

static const struct ky_option options[] = {
    {"w0", KY_OPTION_REAL, offsetof(struct king, w0), "6", 0.1, 16, NULL, NULL,
     "king: central potential in units of the velocity parameter squared"},
};

/* Density in units of ρ₁, and its derivative by w: e^w erf √w − √(4w/π)(1 + 2w/3), as the series
 * 2/√π Σ 2^n w^(n+½)/(2n+1)!! from n = 2 on, which does not cancel at small w. */
static double density(double w, double *slope)
{
    const double constant = 2 / sqrt(acos(-1.0));
    double term = w > 0 ? 2.0 / 3 * w * sqrt(w) : 0, first = term, sum = 0;
    for (int n = 1; term > 1e-17 * sum; n++) {
        term *= 2 * w / (2 * n + 3);
        sum += term;
    }
    *slope = constant * (first + sum);
    return constant * sum;
}

struct state {
    double w, mass; /* mass in units of σ² r₀/G */
};

/* Poisson's equation, with r in King radii: 4πG ρ₀ r₀² = 9 σ². */
static struct state derivative(double r, struct state at, double centre)
{
    double slope;
    return (struct state){.w = -at.mass / (r * r),
                          .mass = 9 * r * r * density(at.w, &slope) / centre};
}

/* One step of the classical Runge-Kutta method of fourth order. */
static struct state step(double r, struct state at, double dr, double centre)
{
    struct state k1 = derivative(r, at, centre);
    struct state s2 = {at.w + 0.5 * dr * k1.w, at.mass + 0.5 * dr * k1.mass};
    struct state k2 = derivative(r + 0.5 * dr, s2, centre);
    struct state s3 = {at.w + 0.5 * dr * k2.w, at.mass + 0.5 * dr * k2.mass};
    struct state k3 = derivative(r + 0.5 * dr, s3, centre);
    struct state s4 = {at.w + dr * k3.w, at.mass + dr * k3.mass};
    struct state k4 = derivative(r + dr, s4, centre);
    return (struct state){at.w + dr / 6 * (k1.w + 2 * k2.w + 2 * k3.w + k4.w),
                          at.mass + dr / 6 * (k1.mass + 2 * k2.mass + 2 * k3.mass + k4.mass)};
}

/* Steps of 1.25 % of the radius; near the edge, steps of 6 % of the remaining w. Each step is a
 * node. Below w = 1e-6 no mass is left (ρ ∝ w^(5/2)) and w = mass (1/r − 1/edge). */
enum ky_status ky_king_profile(double w0, struct ky_profile *profile, struct ky_error *error)
{
    double slope, centre = density(w0, &slope), r = 1e-5;
    struct state at = {w0 - 1.5 * r * r, 3 * r * r * r};
    const double constant = 9 / (4 * acos(-1.0) * centre);
    size_t k = 0;
    for (; at.w > 1e-6 && k + 1 < KY_PROFILE_NODES; k++) {
        density(at.w, &slope);
        profile->r[k] = r;
        profile->mass[k] = at.mass;
        profile->slope[k] = -constant * slope * at.mass / (r * r);
        double dr = fmin(0.0125 * r, 0.06 * at.w * r * r / at.mass);
        at = step(r, at, dr, centre);
        r += dr;
    }
    if (at.w > 1e-6)
        return ky_fail(error, KY_FAULT, "king: W0 = %g needs more than %d nodes", w0,
                       (int)KY_PROFILE_NODES);
    profile->r[k] = 1 / (1 / r - at.w / at.mass);
    profile->mass[k] = at.mass;
    profile->slope[k] = 0;
    profile->nodes = k + 1;
    for (size_t j = 0; j <= k; j++) {
        profile->mass[j] /= at.mass;
        profile->slope[j] /= at.mass;
    }
    return KY_OK;
}

static enum ky_status profile_of(const void *own, struct ky_profile *profile,
                                 struct ky_error *error)
{
    const struct king *king = own;
    return ky_king_profile(king->w0, profile, error);
}

const struct ky_model ky_king = {
    .name = "king",
    .help = "King sphere in equilibrium, out to its tidal radius",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .own_size = sizeof(struct king),
    .scaling = KY_SCALE_RADIUS,
    .centring = KY_CENTRE_MASS,
    .profile = profile_of,
};
