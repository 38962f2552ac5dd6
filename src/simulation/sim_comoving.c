/* Steps of comoving bodies: their division where bodies move far, and the energy of Layzer (1963)
 * and Irvine (1961). */
#include "simulation/sim.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/status.h"

/* A step is divided so that the rms displacement is at most this part of the mean spacing. */
static const double most_of_spacing = 0.25;

/* The largest acceleration of a body over its softening [1/time² in comoving numbers]. */
static enum ky_status strongest(struct ky_sim *sim, double *most, struct ky_error *error)
{
    struct ky_bodies all = {.n = sim->n,
                            .acceleration = ky_allocate(sim->n, sizeof *all.acceleration)};
    const double eps = sim->parameters.softening;
    enum ky_status status = all.acceleration ? ky_sim_get(sim, &all, error)
                                             : ky_no_memory(error, "accelerations", sim->n, 24);
    *most = 0;
    for (size_t i = 0; i < sim->n && !status; i++) {
        const double *a = all.acceleration[i];
        *most = fmax(*most, sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) / eps);
    }
    free(all.acceleration);
    return status;
}

struct ky_sums ky_comoving_sums(const struct ky_sums *sums, double a)
{
    struct ky_sums own = *sums;
    own.kinetic /= a * a;
    own.potential /= a;
    for (int c = 0; c < 3; c++) {
        own.momentum[c] /= a;
        own.angular_momentum[c] = (double)NAN;
        own.centre[c] = (double)NAN;
    }
    return own;
}

enum ky_status ky_sim_note_energy(struct ky_sim *sim, double a, struct ky_error *error)
{
    struct ky_sums sums;
    struct ky_layzer *layzer = &sim->layzer;
    const double b = layzer->a;
    KY_TRY(ky_sim_catch_up(sim, error));
    KY_TRY(ky_engine_sums(sim->engine, &sums, error));
    if (b > 0) /* ∫ 2 K d ln a/a² + ∫ U d ln a/a with the means of K and U */
        layzer->sum += 0.5 * (layzer->kinetic + sums.kinetic) * (1 / (b * b) - 1 / (a * a)) +
                       0.5 * (layzer->potential + sums.potential) * (1 / b - 1 / a);
    layzer->a = a;
    layzer->kinetic = sums.kinetic;
    layzer->potential = sums.potential;
    layzer->mass = sums.mass;
    return KY_OK;
}

enum ky_status ky_sim_parts(struct ky_sim *sim, double from, double to, unsigned *parts,
                            struct ky_error *error)
{
    const struct ky_expansion *expansion = &sim->line.expansion;
    const struct ky_layzer *now = &sim->layzer;
    const double h0 = expansion->h0, side = sim->parameters.box,
                 drift = fabs(ky_comoving_integral(from, to, 2, &expansion->universe)) / h0,
                 speed = now->mass > 0 ? sqrt(2 * now->kinetic / now->mass) : 0, /* rms p */
        spacing = side / cbrt((double)sim->n), eta = sim->parameters.eta;
    if (!isfinite(drift))
        return ky_fail(error, KY_USAGE,
                       "the universe of --expansion does not expand from a = %g to %g", from, to);
    const double by_speed = speed * drift / (most_of_spacing * spacing);
    double by_pull = 0;
    if (!isnan(eta) && sim->integrator->stride == 1) { /* in block steps each body obeys it */
        double most;
        KY_TRY(strongest(sim, &most, error));
        by_pull = from * from * drift * sqrt(most / pow(from, 3)) / eta;
    }
    const double late = sim->parameters.late_step,
                 by_age =
                     isnan(late) ? 0 : fabs(log(to / from)) / ky_longest_step(late, fmax(from, to));
    /* rounding errors make no part */
    *parts = (unsigned)fmin(fmax(ceil(fmax(fmax(by_speed, by_pull), by_age) * (1 - 1e-12)), 1),
                            KY_MOST_PARTS);
    if (!(by_speed <= KY_MOST_PARTS))
        return ky_fail(
            error, KY_BAD_DATA,
            "in the step from a = %g to %g bodies would move %.3g sides of the box (rms): "
            "their velocities do not belong to this universe; it needs %.3g parts, and %d "
            "are allowed",
            from, to, speed * drift / side, by_speed, KY_MOST_PARTS);
    if (!(by_age <= KY_MOST_PARTS))
        return ky_fail(error, KY_USAGE,
                       "--late-step %g divides the step from a = %g to %g into %.3g parts, and %d "
                       "are allowed: take a larger --late-step or a shorter --step",
                       late, from, to, by_age, KY_MOST_PARTS);
    return by_pull <= KY_MOST_PARTS
               ? KY_OK
               : ky_fail(error, KY_USAGE,
                         "--eta %g divides the step from a = %g to %g into %.3g parts, and %d are "
                         "allowed: take a larger --eta or --softening, or a shorter --%s",
                         eta, from, to, by_pull, KY_MOST_PARTS,
                         isnan(sim->parameters.step_a) ? "step" : "step-a");
}
