/* Tables of spherical mass distributions: see profile.h. */
#include "models/profile.h"

#include <math.h>

#include "physics/actions/density.h"
#include "physics/softening_kinds.h"

const struct ky_option ky_cut_options[KY_CUT_OPTIONS] = {
    {"cutoff", KY_OPTION_REAL, offsetof(struct ky_cut, cutoff), "0", 0, 1e6, NULL, "LENGTH",
     "plummer, hernquist, jaffe, nfw: outermost radius; 0: the default of the model [scale "
     "radius]"},
};

/* r = edge/(1 + e^−t) */
void ky_profile_place(struct ky_profile *profile, double inner, double edge)
{
    const double first = log(inner / edge), last = 9;
    profile->nodes = KY_PROFILE_NODES;
    for (size_t k = 0; k < KY_PROFILE_NODES; k++) {
        double t = first + (last - first) * (double)k / (KY_PROFILE_NODES - 1);
        profile->r[k] = edge / (1 + exp(-t));
    }
    profile->r[KY_PROFILE_NODES - 1] = edge;
}

void ky_profile_cut(struct ky_profile *profile, double cutoff, struct ky_shell (*shell)(double r))
{
    const double volume = 4 * acos(-1.0) / 3;
    ky_profile_place(profile, 1e-5 * fmin(cutoff, 1), cutoff);
    struct ky_shell edge = shell(cutoff);
    double total = edge.mass - volume * edge.density * cutoff * cutoff * cutoff;
    for (size_t k = 0; k < profile->nodes; k++) {
        double r = profile->r[k];
        struct ky_shell at = shell(r);
        profile->mass[k] = (at.mass - volume * edge.density * r * r * r) / total;
        profile->slope[k] = at.slope / total;
    }
}

void ky_profile_homogeneous(struct ky_profile *profile)
{
    ky_profile_place(profile, 1e-5, 1);
    for (size_t k = 0; k < profile->nodes; k++) {
        double r = profile->r[k];
        profile->mass[k] = r * r * r;
        profile->slope[k] = 0;
    }
}

/* W = Σ m x·a = −∫ M/r dM */
double ky_profile_energy(const struct ky_profile *profile)
{
    const double *r = profile->r, *mass = profile->mass;
    double sum = 0.75 * mass[0] * mass[0] / r[0];
    for (size_t k = 1; k < profile->nodes; k++)
        sum += 0.5 * (mass[k] / r[k] + mass[k - 1] / r[k - 1]) * (mass[k] - mass[k - 1]);
    return sum;
}

/* ---- force by shells ---- */

/* The cell below node k counts as one shell at its middle, with radius s and mass m. */
struct shells {
    size_t count;
    double s[KY_PROFILE_NODES], m[KY_PROFILE_NODES];
};

/* The acceleration at r with Plummer softening. A shell has the softened potential −2 m/(A + B)
 * with A, B = √((r ± s)² + ε²), the mean of −m/√(d² + ε²) over the shell. With ε = 0 the force at
 * the nodes is exactly M/r². */
static double plummer_pull(const struct shells *shells, double eps2, double r)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t j = 0; j < shells->count; j++) {
        double far = r + shells->s[j], near = r - shells->s[j];
        double a = sqrt(far * far + eps2), b = sqrt(near * near + eps2);
        sum += shells->m[j] * (far / a + near / b) / ((a + b) * (a + b));
    }
    return 2 * sum;
}

/* ∫ 4π d² W P dd from `low` to `high`. W is the density of a spline of radius h. P is the fraction
 * of a sphere of radius d, centred on a point of shell s, that lies within r: with `cut` 0 all of
 * it, otherwise (r² − (s − d)²)/(4 s d). Gaussian quadrature is exact for either piece of W. */
static double spread(double low, double high, double h, int cut, double r, double s)
{
    static const double node[] = {-0.8611363115940526, -0.3399810435848563, 0.3399810435848563,
                                  0.8611363115940526},
                        weight[] = {0.3478548451374538, 0.6521451548625461, 0.6521451548625461,
                                    0.3478548451374538};
    double sum = 0;
    for (int piece = 0; piece < 2; piece++) {
        const double from = piece ? fmax(low, 0.5 * h) : low,
                     to = piece ? high : fmin(high, 0.5 * h);
        for (int k = 0; k < 4 && from < to; k++) {
            const double d = 0.5 * (from + to + node[k] * (to - from));
            const double part = cut ? (r - s + d) * (r + s - d) / (4 * s) : d;
            sum += weight[k] * (to - from) * ky_cubic_spline(d / h) * d * part;
        }
    }
    return 16 / (h * h * h) * sum;
}

/* The acceleration at r with each body spread as a spline of radius h: the mass of the spread
 * shells within r, over r². All terms are positive, so no digits cancel near the centre. */
static double spline_pull(const struct shells *shells, double h, double r)
{
    double within = 0;
    for (size_t j = 0; j < shells->count; j++) {
        const double s = shells->s[j], near = fabs(r - s);
        if (near >= h)
            within += s < r ? shells->m[j] : 0;
        else
            within += shells->m[j] * ((s < r ? spread(0, near, h, 0, r, s) : 0) +
                                      spread(near, fmin(r + s, h), h, 1, r, s));
    }
    return within / (r * r);
}

void ky_profile_pull(const struct ky_profile *profile, double softening, int how, size_t count,
                     const double *at, double *pull)
{
    const double h = softening * sqrt((double)KY_SPLINE_REACH2 / KY_SPLINE_REACH2_OVER);
    const size_t nodes = profile->nodes;
    struct shells shells = {.count = nodes};
    shells.s[0] = 0.75 * profile->r[0];
    shells.m[0] = profile->mass[0];
    for (size_t k = 1; k < nodes; k++) {
        shells.s[k] = 0.5 * (profile->r[k - 1] + profile->r[k]);
        shells.m[k] = profile->mass[k] - profile->mass[k - 1];
    }
#pragma omp parallel for schedule(static)
    for (size_t k = 0; k < count; k++)
        pull[k] = how & KY_SPLINED ? spline_pull(&shells, h, at[k])
                                   : plummer_pull(&shells, softening * softening, at[k]);
}

void ky_profile_force(const struct ky_profile *profile, double softening, int how,
                      double force[KY_PROFILE_NODES])
{
    ky_profile_pull(profile, softening, how, profile->nodes, profile->r, force);
}

double ky_profile_virial(const struct ky_profile *profile, const double force[KY_PROFILE_NODES])
{
    const double *r = profile->r, *mass = profile->mass;
    double sum = 0.75 * r[0] * force[0] * mass[0];
    for (size_t k = 1; k < profile->nodes; k++)
        sum += 0.5 * (r[k] * force[k] + r[k - 1] * force[k - 1]) * (mass[k] - mass[k - 1]);
    return sum;
}

double ky_profile_radius(const struct ky_profile *profile, double u)
{
    const double *r = profile->r, *mass = profile->mass;
    size_t low = 0, high = profile->nodes - 1;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (mass[middle] <= u)
            low = middle;
        else
            high = middle;
    }
    if (u < mass[0]) /* inside all nodes: the power law through the first two */
        return r[0] * pow(u / mass[0], log(r[1] / r[0]) / log(mass[1] / mass[0]));
    /* r³ is nearly linear in the mass within a cell; near the edge the mass may round to 1. */
    double dm = mass[high] - mass[low], inner = r[low] * r[low] * r[low];
    return dm > 0 ? cbrt(inner + (r[high] * r[high] * r[high] - inner) * (u - mass[low]) / dm)
                  : r[low];
}
