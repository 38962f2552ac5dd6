/* Comoving, h-scaled and periodic snapshots: see space.h. */
#include "snapshot/space.h"

#include <math.h>

#include "base/number.h"
#include "base/sums.h"
#include "physics/expansion.h"

static const double MPC_CM = 3.085678e24;

int ky_space_looks_comoving(double time, double redshift, double omega_matter)
{
    return redshift != 0 || (omega_matter > 0 && fabs(time * (1 + redshift) - 1) < 1e-6);
}

void ky_space_describe(const struct ky_space *space, char *text, size_t size)
{
    char part[3][64] = {"", "", ""};
    if (space->comoving)
        ky_format(part[0], sizeof part[0], "comoving (redshift %.4g)", 1 / space->scale_factor - 1);
    if (space->per_h)
        ky_format(part[1], sizeof part[1], "in units of 1/h (h = %.4g)", space->hubble);
    if (space->box > 0)
        ky_format(part[2], sizeof part[2], "in a periodic box of side %.6g", space->box);
    ky_format(text, size, "%s%s%s%s%s", part[0], *part[0] && *part[1] ? ", " : "", part[1],
              (*part[0] || *part[1]) && *part[2] ? ", " : "", part[2]);
}

static enum ky_status check_conversion(const struct ky_space *space, const struct ky_units *units,
                                       struct ky_error *error)
{
    if (!(space->scale_factor > 0) || isinf(space->scale_factor))
        return ky_fail(error, KY_BAD_DATA, "its scale factor is %g; it must be positive",
                       space->scale_factor);
    if (space->per_h && !(space->hubble > 0 && isfinite(space->hubble)))
        return ky_fail(error, KY_BAD_DATA, "its h is %g; it must be positive", space->hubble);
    if (!space->comoving)
        return KY_OK;
    if (!(space->hubble > 0) ||
        !(ky_expansion_rate(space->scale_factor, space->omega_matter, space->omega_lambda) > 0) ||
        !(space->omega_matter > 0))
        return ky_fail(error, KY_BAD_DATA,
                       "is comoving, and the Hubble flow needs h, the density of matter and of "
                       "the cosmological constant, of which the file tells %g, %g and %g",
                       space->hubble, space->omega_matter, space->omega_lambda);
    if (!(units->length_cm > 0 && units->velocity_cm_s > 0))
        return ky_fail(error, KY_BAD_DATA,
                       "is comoving and tells no units, which the Hubble flow needs; --units "
                       "galaxy if they are kpc, 1e10 Msun and km/s (before factors of h)");
    return KY_OK;
}

enum ky_status ky_space_decide(const struct ky_space *space, const struct ky_read_options *options,
                               struct ky_snapshot *snapshot, struct ky_error *error)
{
    const int ordinary = !space->comoving && !space->per_h && !(space->box > 0);
    snapshot->space = *space;
    if (ordinary || options->space == KY_SPACE_AS_STORED)
        return KY_OK;
    if (options->space == KY_SPACE_PHYSICAL) {
        snapshot->space.converted = 1;
        return check_conversion(space, &snapshot->units, error);
    }
    char what[256];
    ky_space_describe(space, what, sizeof what);
    return ky_fail(error, KY_BAD_DATA,
                   "is %s; forces are computed in physical coordinates and open space, and "
                   "--physical converts it",
                   what);
}

double ky_space_factor(const struct ky_space *space, int length, int mass, int velocity)
{
    if (!space->converted)
        return 1;
    double a = space->comoving ? space->scale_factor : 1, h = space->per_h ? space->hubble : 1;
    return pow(a / h, length) * pow(h, -mass) * pow(a, 0.5 * velocity);
}

void ky_space_finish(struct ky_snapshot *snapshot)
{
    const struct ky_space *space = &snapshot->space;
    const struct ky_bodies *bodies = &snapshot->bodies;
    if (!space->converted)
        return;
    if (!space->comoving) {
        snapshot->time /= space->per_h ? space->hubble : 1;
        return;
    }
    /* 100 h km/s/Mpc, in units of velocity / length */
    const double rate =
        space->hubble * 1e7 / snapshot->units.velocity_cm_s * (snapshot->units.length_cm / MPC_CM);
    const double now =
        rate * ky_expansion_rate(space->scale_factor, space->omega_matter, space->omega_lambda);
    double centre[3];
    ky_mean(bodies->n, bodies->mass, bodies->position, centre);
    for (size_t i = 0; i < bodies->n; i++)
        for (int k = 0; k < 3; k++)
            bodies->velocity[i][k] += now * (bodies->position[i][k] - centre[k]);
    snapshot->time =
        ky_expansion_age(space->scale_factor, space->omega_matter, space->omega_lambda) / rate;
}
