/* Tables of spherical mass distributions: see profile.h. */
#include "models/profile.h"

#include <math.h>

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

/* The cell below node k counts as one shell at its middle. A shell of radius s and mass m has the
 * softened potential −2 m/(A + B) with A, B = √((r ± s)² + ε²), the mean of −m/√(d² + ε²) over the
 * shell. With ε = 0 the force at the nodes is M/r² exactly. */
void ky_profile_pull(const struct ky_profile *profile, double softening, size_t count,
                     const double *at, double *pull)
{
    double shell[KY_PROFILE_NODES], mass[KY_PROFILE_NODES];
    const double eps2 = softening * softening;
    const size_t nodes = profile->nodes;
    shell[0] = 0.75 * profile->r[0];
    mass[0] = profile->mass[0];
    for (size_t k = 1; k < nodes; k++) {
        shell[k] = 0.5 * (profile->r[k - 1] + profile->r[k]);
        mass[k] = profile->mass[k] - profile->mass[k - 1];
    }
#pragma omp parallel for schedule(static)
    for (size_t k = 0; k < count; k++) {
        double r = at[k], sum = 0;
#pragma omp simd reduction(+ : sum)
        for (size_t j = 0; j < nodes; j++) {
            double far = r + shell[j], near = r - shell[j];
            double a = sqrt(far * far + eps2), b = sqrt(near * near + eps2);
            sum += mass[j] * (far / a + near / b) / ((a + b) * (a + b));
        }
        pull[k] = 2 * sum;
    }
}

void ky_profile_force(const struct ky_profile *profile, double softening,
                      double force[KY_PROFILE_NODES])
{
    ky_profile_pull(profile, softening, profile->nodes, profile->r, force);
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
    if (u < mass[0]) /* inside all nodes: the power law of the first two */
        return r[0] * pow(u / mass[0], log(r[1] / r[0]) / log(mass[1] / mass[0]));
    /* r³ is nearly linear in the mass within a cell; at the edge the mass may round to 1 early. */
    double dm = mass[high] - mass[low], inner = r[low] * r[low] * r[low];
    return dm > 0 ? cbrt(inner + (r[high] * r[high] * r[high] - inner) * (u - mass[low]) / dm)
                  : r[low];
}
