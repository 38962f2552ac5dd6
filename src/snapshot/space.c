/* Comoving, h-scaled and periodic snapshots: see space.h. */
#include "snapshot/space.h"

#include <float.h>
#include <math.h>

#include "base/number.h"
#include "base/units.h"
#include "physics/expansion.h"

enum ky_status ky_space_check(enum ky_space_fact fact, double value, const char *place,
                              struct ky_error *error)
{
    static const struct {
        double least;
        int excluded; /* 1: the minimum itself is excluded */
        const char *right;
    } ranges[KY_SPACE_FACTS] = {
        [KY_COMOVING] = {-DBL_MAX, 0, "0 or 1"},
        [KY_SCALE_FACTOR] = {0, 1, "a number above 0"},
        [KY_REDSHIFT] = {-1, 1, "a number above -1"},
        [KY_PER_H] = {0, 0, "0 or more"},
        [KY_HUBBLE] = {0, 0, "0 or more"},
        [KY_OMEGA_MATTER] = {0, 0, "0 or more"},
        [KY_OMEGA_LAMBDA] = {-DBL_MAX, 0, "a number"},
        [KY_BOX_SIDE] = {0, 0, "0 or more"},
    };
    const double least = ranges[fact].least;
    if (isfinite(value) && (ranges[fact].excluded ? value > least : value >= least))
        return KY_OK;
    return ky_fail(error, KY_BAD_DATA, "%s is %g; it must be %s", place, value, ranges[fact].right);
}

/* Decides whether a file that does not say so is comoving: the rule of ky_space_of. */
static int looks_comoving(const double f[KY_SPACE_FACTS], double time)
{
    const int matter = f[KY_OMEGA_MATTER] > 0;
    if (!isnan(f[KY_SCALE_FACTOR]) && (f[KY_SCALE_FACTOR] != 1 || matter))
        return 1;
    if (isnan(f[KY_REDSHIFT]))
        return matter && time > 0 && time <= 1;
    return f[KY_REDSHIFT] != 0 || (matter && fabs(time * (1 + f[KY_REDSHIFT]) - 1) < 1e-6);
}

struct ky_space ky_space_of(const double f[KY_SPACE_FACTS], double time)
{
    struct ky_space space = {.scale_factor = 1,
                             .hubble = f[KY_HUBBLE],
                             .omega_matter = f[KY_OMEGA_MATTER],
                             .omega_lambda = f[KY_OMEGA_LAMBDA],
                             .per_h = f[KY_PER_H] > 0 && f[KY_PER_H] != 1,
                             .box = f[KY_BOX_SIDE] > 0 ? f[KY_BOX_SIDE] : 0};
    space.comoving = isnan(f[KY_COMOVING]) ? looks_comoving(f, time) : f[KY_COMOVING] != 0;
    if (space.comoving)
        space.scale_factor = !isnan(f[KY_SCALE_FACTOR]) ? f[KY_SCALE_FACTOR]
                             : isnan(f[KY_REDSHIFT])    ? time
                                                        : 1 / (1 + f[KY_REDSHIFT]);
    return space;
}

int ky_space_tells_universe(const struct ky_space *space)
{
    return space->hubble > 0 && space->omega_matter > 0 && isfinite(space->omega_lambda);
}

struct ky_universe ky_space_universe(const struct ky_space *space)
{
    return (struct ky_universe){.matter = space->omega_matter, .lambda = space->omega_lambda};
}

void ky_space_describe(const struct ky_space *space, char *text, size_t size)
{
    static const struct ky_space ordinary = {.scale_factor = 1};
    char part[3][64] = {"", "", ""};
    space = space ? space : &ordinary;
    const double z = 1 / space->scale_factor - 1;
    if (space->comoving && space->scale_factor > 0)
        ky_format(part[0], sizeof part[0], "comoving (redshift %.4g)", fabs(z) < 1e-9 ? 0 : z);
    else if (space->comoving)
        ky_format(part[0], sizeof part[0], "comoving (scale factor %.4g)", space->scale_factor);
    if (space->per_h)
        ky_format(part[1], sizeof part[1], "in units of 1/h (h = %.4g)", space->hubble);
    if (space->box > 0)
        ky_format(part[2], sizeof part[2], "in a periodic box of side %.6g", space->box);
    ky_format(text, size, "%s%s%s%s%s", part[0], *part[0] && *part[1] ? ", " : "", part[1],
              (*part[0] || *part[1]) && *part[2] ? ", " : "", part[2]);
}

/* The mass over the matter of the universe if lengths and masses are in these units. */
static double share_of_matter(const struct ky_space *space, double mass,
                              const struct ky_units *units)
{
    const double h0 = ky_space_hubble(space, units) / (space->per_h ? space->hubble : 1);
    const double critical = 3 * h0 * h0 / (8 * 3.14159265358979323846 * units->g);
    return mass / (space->omega_matter * critical * pow(space->box, 3));
}

enum ky_status ky_space_find_units(const struct ky_space *space, double mass,
                                   const struct ky_read_options *options, struct ky_units *units,
                                   struct ky_error *error)
{
    static const struct {
        const char *length, *mass;
        double length_cm, mass_g;
    } known[] = {{"Mpc", "1e10 Msun", 1e3 * KY_KPC_CM, 1e10 * KY_SUN_G},
                 {"kpc", "1e10 Msun", KY_KPC_CM, 1e10 * KY_SUN_G},
                 {"Mpc", "Msun", 1e3 * KY_KPC_CM, KY_SUN_G},
                 {"kpc", "Msun", KY_KPC_CM, KY_SUN_G}};
    const char *per_h = space->per_h ? "/h" : "";
    if (!space->comoving || !(space->box > 0) || options->units ||
        options->space == KY_SPACE_OPEN || mass == 0) /* 0: no bodies */
        return KY_OK;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const struct ky_units tried = {
            known[k].length_cm, known[k].mass_g, KY_KM_S,
            ky_units_gravity(known[k].length_cm, known[k].mass_g, KY_KM_S)};
        const double share = share_of_matter(space, mass, &tried);
        if (!(share > 0.5 && share < 1.1)) /* without gas it is 0.84 */
            continue;
        *units = tried;
        ky_read_log(options, KY_LOG_INFO,
                    "the file gives no units; in %s%s and %s%s its mass is %.4g of the matter of "
                    "its universe, so it is read in these, and velocities in km/s",
                    known[k].length, per_h, known[k].mass, per_h, share);
        return KY_OK;
    }
    return options->space != KY_SPACE_IN_BOX
               ? KY_OK
               : ky_fail(error, KY_BAD_DATA,
                         "is a comoving box and gives no units, and the header does not show them "
                         "by the mass of all bodies: give --units cosmic if its lengths are "
                         "Mpc%s, or --units galaxy if they are kpc%s (with masses in 1e10 Msun%s "
                         "and velocities in km/s)",
                         per_h, per_h, per_h);
}

/* KY_BAD_DATA if the file lacks a number that the conversion needs. */
static enum ky_status check_factors(const struct ky_space *space, struct ky_error *error)
{
    if (!(space->scale_factor > 0) || isinf(space->scale_factor))
        return ky_fail(error, KY_BAD_DATA, "its scale factor is %g; it must be positive",
                       space->scale_factor);
    if (space->per_h && !(space->hubble > 0 && isfinite(space->hubble)))
        return ky_fail(error, KY_BAD_DATA, "its h is %g; it must be positive", space->hubble);
    return KY_OK;
}

static enum ky_status check_conversion(const struct ky_space *space, const struct ky_units *units,
                                       struct ky_error *error)
{
    const struct ky_universe universe = ky_space_universe(space);
    KY_TRY(check_factors(space, error));
    if (!space->comoving)
        return KY_OK;
    if (!(space->hubble > 0) || !(ky_expansion_rate(space->scale_factor, &universe) > 0) ||
        !(space->omega_matter > 0))
        return ky_fail(error, KY_BAD_DATA,
                       "is comoving and has h = %g, Omega_m = %g, Omega_Lambda = %g; the Hubble "
                       "flow needs all three, and the first two above 0",
                       space->hubble, space->omega_matter, space->omega_lambda);
    if (!(units->length_cm > 0 && units->velocity_cm_s > 0))
        return ky_fail(error, KY_BAD_DATA,
                       "is comoving and gives no units, which the Hubble flow needs; give --units "
                       "galaxy if they are kpc, 1e10 Msun and km/s (before factors of h)");
    return KY_OK;
}

enum ky_status ky_space_decide(const struct ky_space *space, const struct ky_read_options *options,
                               struct ky_snapshot *snapshot, struct ky_error *error)
{
    const int ordinary = !space->comoving && !space->per_h && !(space->box > 0);
    const int only_box = !space->comoving && !space->per_h && space->box > 0;
    snapshot->space = *space;
    if (ordinary || options->space == KY_SPACE_AS_STORED ||
        (options->space == KY_SPACE_IN_BOX && only_box))
        return KY_OK;
    if (options->space == KY_SPACE_IN_BOX && space->box > 0) {
        KY_TRY(check_factors(space, error));
        snapshot->space.converted = KY_TO_COMOVING;
        snapshot->space.box *= ky_space_factor(&snapshot->space, 1, 0, 0);
        return KY_OK;
    }
    if (options->space ==
        KY_SPACE_OPEN) { /* nor do the bodies belong to the cosmology of the file */
        snapshot->space = (struct ky_space){.scale_factor = 1,
                                            .hubble = (double)NAN,
                                            .omega_matter = (double)NAN,
                                            .omega_lambda = (double)NAN};
        return KY_OK;
    }
    if (options->space == KY_SPACE_PHYSICAL) {
        snapshot->space.converted = KY_TO_PHYSICAL;
        return check_conversion(space, &snapshot->units, error);
    }
    char what[256];
    ky_space_describe(space, what, sizeof what);
    return ky_fail(error, KY_BAD_DATA,
                   "is %s; physical coordinates in open space are needed here: --physical "
                   "converts it%s, and --as-stored treats its numbers as physical",
                   what, space->box > 0 ? " and leaves out the box" : "");
}

double ky_space_factor(const struct ky_space *space, int length, int mass, int velocity)
{
    if (!space->converted)
        return 1;
    double a = space->comoving ? space->scale_factor : 1, h = space->per_h ? space->hubble : 1;
    if (space->converted == KY_TO_COMOVING)
        return pow(h, -length - mass) * pow(a, 0.5 * velocity);
    return pow(a / h, length) * pow(h, -mass) * pow(a, 0.5 * velocity);
}

int ky_space_is_comoving(const struct ky_space *space)
{
    return space->comoving && space->converted == KY_TO_COMOVING;
}

double ky_space_h(const struct ky_space *space)
{
    return space->hubble > 0 ? space->hubble : 1;
}

struct ky_space_form ky_space_stored(const struct ky_space *space, const struct ky_array *array)
{
    const int power = array->length + array->mass;
    const double a = space->scale_factor, h = ky_space_h(space);
    if (!ky_space_is_comoving(space))
        return (struct ky_space_form){1, 0, 0};
    if (array->velocity == 1) /* peculiar ones over √a */
        return (struct ky_space_form){1 / sqrt(a), 0.5, 0};
    return (struct ky_space_form){pow(h, power), array->length - 0.5 * array->velocity, -power};
}

double ky_space_hubble(const struct ky_space *space, const struct ky_units *units)
{
    return space->hubble * 1e7 / units->velocity_cm_s * (units->length_cm / (1e3 * KY_KPC_CM));
}

double ky_space_flow(const struct ky_space *space, const struct ky_units *units)
{
    const struct ky_universe universe = ky_space_universe(space);
    return space->converted == KY_TO_PHYSICAL && space->comoving
               ? ky_space_hubble(space, units) * ky_expansion_rate(space->scale_factor, &universe)
               : 0;
}

enum ky_status ky_space_add_flow(const struct ky_portion *portion, const struct ky_bodies *bodies,
                                 double rate, struct ky_error *error)
{
    double centre[3], mass;
    const enum ky_status status =
        ky_portion_mean(portion, bodies->mass, bodies->position, centre, &mass, error);
    for (size_t i = 0; i < bodies->n && !status; i++)
        for (int k = 0; k < 3; k++)
            bodies->velocity[i][k] += rate * (bodies->position[i][k] - centre[k]);
    return status;
}

void ky_space_finish(struct ky_snapshot *snapshot)
{
    const struct ky_space *space = &snapshot->space;
    const struct ky_bodies *bodies = &snapshot->bodies;
    const struct ky_portion all = ky_portion_of_all(bodies->n);
    const double rate = ky_space_flow(space, &snapshot->units);
    const struct ky_universe universe = ky_space_universe(space);
    if (!space->converted)
        return;
    if (ky_space_is_comoving(space)) {
        snapshot->time = space->scale_factor;
        return;
    }
    if (!space->comoving) {
        snapshot->time /= space->per_h ? space->hubble : 1;
        return;
    }
    if (bodies->mass)
        ky_space_add_flow(&all, bodies, rate, NULL); /* on a single rank nothing can fail */
    snapshot->time =
        ky_expansion_age(space->scale_factor, &universe) / ky_space_hubble(space, &snapshot->units);
}
