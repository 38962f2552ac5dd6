/* Hernquist's (1990) sphere: ρ = 1/(2π r (1 + r)³) in scale radii. The default cut at 100 scale
 * radii leaves 98 % of the mass inside. */
#include <math.h>

#include "models/models.h"
#include "models/profile.h"

static const double default_cutoff = 100;

static struct ky_shell shell(double r)
{
    const double constant = 1 / (2 * acos(-1.0));
    double s = 1 + r, density = constant / (r * s * s * s);
    return (struct ky_shell){
        .density = density, .slope = -density * (1 + 4 * r) / (r * s), .mass = r * r / (s * s)};
}

enum ky_status ky_profile_hernquist(const struct ky_model_parameters *parameters,
                                    struct ky_profile *profile, struct ky_error *error)
{
    (void)error;
    ky_profile_cut(profile, parameters->cutoff > 0 ? parameters->cutoff : default_cutoff, shell);
    return KY_OK;
}
