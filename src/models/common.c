/* Functions that the models' `make` verbs share: bodies at rest, the softening of a pair, and the
 * loop that fills the bodies. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/number.h"
#include "base/status.h"
#include "base/threads.h"
#include "base/units.h"
#include "models/population.h"
#include "physics/softening.h"

double ky_pair_softening(const struct ky_model_common *common)
{
    return common->softening *
           sqrt(ky_softening_eps2(1, 1, ky_softening_how(common->softening_kind)));
}

struct ky_portion ky_model_portion(const struct ky_model_common *common)
{
    return common->portion ? *common->portion : ky_portion_of_all(common->n);
}

enum ky_status ky_model_allocate(const struct ky_model_common *common, unsigned with,
                                 struct ky_snapshot *snapshot, struct ky_error *error)
{
    struct ky_bodies *bodies = &snapshot->bodies;
    const struct ky_portion portion = ky_model_portion(common);
    enum ky_status status = ky_bodies_allocate(bodies, ky_portion_count(&portion),
                                               with | (common->portion ? 0 : KY_WITH_ID), error);
    if (status)
        return status;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < bodies->n; i++) {
        bodies->mass[i] = 1 / (double)common->n;
        if (bodies->id)
            bodies->id[i] = i;
    }
    if (common->masses) {
        memcpy(bodies->mass, common->masses + portion.first, bodies->n * sizeof *bodies->mass);
        return KY_OK;
    }
    return ky_population_masses(common->mass_function, common->seed, &portion, bodies, error);
}

/* ---- filling ---- */

enum { PART = 1 << 12, LINE = 160 }; /* bodies per block of work; characters */

struct progress {
    const struct ky_model_common *common;
    size_t n; /* bodies in this portion */
    const char *what;
    double began, told; /* ky_clock at the start and at the last line */
};

/* Logs the progress: first after 2 s, then at growing intervals. */
static void tell(struct progress *progress, size_t done)
{
    const struct ky_model_common *common = progress->common;
    const double now = ky_clock(), so_far = now - progress->began;
    char line[LINE];
    if (!common->log || now - progress->told < fmax(2, 0.2 * so_far))
        return;
    progress->told = now;
    ky_format(line, sizeof line, "%.0f %% of the %s of %zu bodies, %.0f s left",
              100.0 * (double)done / (double)progress->n, progress->what, common->n,
              so_far * (double)(progress->n - done) / (double)done);
    common->log(common->log_context, KY_LOG_INFO, line);
}

void ky_model_fill(const struct ky_model_common *common, const char *what,
                   void (*fill)(const void *context, size_t first, size_t last),
                   const void *context)
{
    const struct ky_portion portion = ky_model_portion(common);
    const size_t n = ky_portion_count(&portion), parts = n / PART + (n % PART != 0);
    struct progress progress = {common, n, what, ky_clock(), ky_clock()};
    size_t done = 0;
#pragma omp parallel for schedule(dynamic)
    for (size_t part = 0; part < parts; part++) {
        const size_t first = part * PART, left = n - first;
        size_t now;
        if (ky_halted(common->halt))
            continue;
        fill(context, first, first + (left < PART ? left : PART));
#pragma omp atomic capture
        now = done += left < PART ? left : PART;
        if (ky_thread() == 0) /* only the caller's thread calls the log function */
            tell(&progress, now);
    }
}

enum ky_status ky_model_galaxy_units(const char *name, struct ky_units *units,
                                     struct ky_error *error)
{
    struct ky_units galaxy;
    KY_TRY(ky_units_preset("galaxy", &galaxy, error));
    if (!(units->length_cm > 0) && (isnan(units->g) || units->g == 1 || units->g == galaxy.g))
        *units = galaxy;
    return ky_units_agree(units, &galaxy)
               ? KY_OK
               : ky_fail(error, KY_USAGE,
                         "%s is in kpc, 1e10 Msun and km/s; leave out --units and --g, or give "
                         "--units galaxy",
                         name);
}

void ky_model_tell_field(const struct ky_model_common *common, struct ky_model_clock *clock,
                         size_t n, int done, int all)
{
    enum { MOST = 128 };
    const double now = ky_clock(), so_far = now - clock->began;
    char line[MOST];
    if (!common->log || done == all || now - clock->told < fmax(2, 0.2 * so_far))
        return;
    clock->told = now;
    ky_format(line, sizeof line,
              "%d of %d transforms of the random field of %zu³ points, %.0f s left", done, all, n,
              so_far * (all - done) / done);
    common->log(common->log_context, KY_LOG_INFO, line);
}
