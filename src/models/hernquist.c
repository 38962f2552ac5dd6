/* Hernquist's (1990) sphere: ρ = 1/(2π r (1 + r)³) in scale radii. The default cut at 100 scale
 * radii leaves 98 % of the mass inside. */
#include <math.h>

#include "models/equilibrium.h"

static const double default_cutoff = 100;

static struct ky_shell shell(double r)
{
    const double constant = 1 / (2 * acos(-1.0));
    double s = 1 + r, density = constant / (r * s * s * s);
    return (struct ky_shell){
        .density = density, .slope = -density * (1 + 4 * r) / (r * s), .mass = r * r / (s * s)};
}

static enum ky_status profile_of(const void *own, struct ky_profile *profile,
                                 struct ky_error *error)
{
    const struct ky_cut *cut = own;
    (void)error;
    ky_profile_cut(profile, cut->cutoff > 0 ? cut->cutoff : default_cutoff, shell);
    return KY_OK;
}

static enum ky_status half_mass(const void *own, double *radius, struct ky_error *error)
{
    return ky_equilibrium_half_mass(profile_of, own, radius, error);
}

static enum ky_status make(const void *own, const struct ky_model_common *common,
                           struct ky_snapshot *snapshot, struct ky_error *error)
{
    return ky_equilibrium_make(profile_of, own, common, snapshot, error);
}

const struct ky_model ky_hernquist = {
    .name = "hernquist",
    .help = "Hernquist sphere in equilibrium; cut at 100 scale radii (98 % of the mass)",
    .options = ky_cut_options,
    .option_count = KY_CUT_OPTIONS,
    .own_size = sizeof(struct ky_cut),
    .scaling = KY_SCALE_RADIUS,
    .centring = KY_CENTRE_CUSP,
    .half_mass = half_mass,
    .make = make,
};
