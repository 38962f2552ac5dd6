/* The cosmology that comes with the bodies of a run, as from the model cosmic. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "engine/common/external.h"
#include "simulation/run.h"
#include "snapshot/space.h"

/* 1 if the snapshot gives the cosmology with which its bodies expand. */
static int brings_universe(const struct ky_snapshot *snapshot)
{
    return ky_space_tells_universe(&snapshot->space) && snapshot->units.length_cm > 0;
}

double ky_run_age(const struct ky_snapshot *snapshot)
{
    return brings_universe(snapshot) && !ky_space_is_comoving(&snapshot->space) ? snapshot->time
                                                                                : 0;
}

/* Replaces the word "bodies" of --expansion by the cosmological parameters of the bodies. */
static enum ky_status settle_expansion(struct ky_parameters *parameters,
                                       const struct ky_snapshot *snapshot,
                                       const struct ky_expansion *told,
                                       struct ky_run_universe *universe, struct ky_error *error)
{
    if (!parameters->expansion || strcmp(parameters->expansion, "bodies") != 0)
        return KY_OK;
    if (!brings_universe(snapshot))
        return ky_fail(error, KY_USAGE,
                       "%s: the input does not give H0 and the density parameters, or has no "
                       "units; give --expansion omega-m=…,omega-lambda=…,h0=…",
                       ky_space_is_comoving(&snapshot->space) ? "comoving bodies"
                                                              : "--expansion bodies");
    ky_expansion_write(told, universe->expansion);
    parameters->expansion = universe->expansion;
    return KY_OK;
}

/* Determines whether there are fields `lambda`, and in *strength the sum of their Ω H0². */
static enum ky_status find_lambda(const struct ky_parameters *parameters, int *there,
                                  double *strength, struct ky_error *error)
{
    struct ky_externals fields = {0};
    enum ky_status status = ky_externals_of(parameters, &fields, error);
    *there = 0;
    *strength = 0;
    for (size_t k = 0; k < fields.count && !status; k++)
        if (fields.field[k].kind == KY_EXTERNAL_LAMBDA) {
            *there = 1;
            *strength += fields.field[k].number[0] * fields.field[k].number[1];
        }
    ky_externals_release(&fields);
    return status;
}

/* Adds the field `wanted` to the fields of the parameters. */
static enum ky_status add_field(struct ky_parameters *parameters, const char *wanted,
                                struct ky_run_universe *universe, struct ky_error *error)
{
    const char *before = parameters->field ? parameters->field : "";
    const size_t room = strlen(before) + strlen(wanted) + 2;
    KY_TRY(ky_array(&universe->field, room, 1, "external fields", error));
    snprintf(universe->field, room, "%s%s%s", before, *before ? " " : "", wanted);
    parameters->field = universe->field;
    return KY_OK;
}

/* Settles the field of Λ. With --expansion it is derived from the cosmology, and a field of another
 * strength is rejected. Bodies with such a cosmology that run without either get a warning. */
static enum ky_status settle_lambda(struct ky_parameters *parameters,
                                    const struct ky_expansion *own,
                                    struct ky_run_universe *universe, struct ky_error *error)
{
    char wanted[96], omega[KY_NUMBER_TEXT], h0[KY_NUMBER_TEXT];
    const double strength = own->universe.lambda * own->h0 * own->h0;
    int there;
    double given;
    enum ky_status status = find_lambda(parameters, &there, &given, error);
    ky_format(wanted, sizeof wanted, "lambda:omega=%s,h0=%s",
              ky_number_text(omega, own->universe.lambda), ky_number_text(h0, own->h0));
    if (status || (!there && strength == 0))
        return status;
    if (there && fabs(given - strength) > 0.01 * fmax(fabs(given), fabs(strength)))
        return ky_fail(error, KY_USAGE,
                       "--field lambda has omega h0² = %g, but the cosmology of the bodies has %g; "
                       "give %s, or leave the field out with --expansion bodies",
                       given, strength, wanted);
    if (there)
        return KY_OK;
    universe->level = parameters->expansion ? KY_LOG_INFO : KY_LOG_WARNING;
    ky_format(universe->remark, sizeof universe->remark,
              parameters->expansion
                  ? "external field %s, the cosmological constant of the universe"
                  : "the bodies' cosmology has a cosmological constant, which does not act on "
                    "them; --expansion bodies or --field %s adds it",
              wanted);
    return parameters->expansion ? add_field(parameters, wanted, universe, error) : KY_OK;
}

/* The comoving density of the bodies, and the one of the matter in their universe: they should be
 * the same. */
enum ky_status ky_run_check_matter(const struct ky_parameters *parameters, double mass,
                                   char note[KY_NOTE], struct ky_error *error)
{
    struct ky_expansion own;
    note[0] = 0;
    if (!ky_is_comoving(parameters))
        return KY_OK;
    KY_TRY(ky_expansion_read(parameters->expansion, &parameters->units, &own, error));
    const double wanted = own.universe.matter * 3 * own.h0 * own.h0 / (8 * 3.14159265358979323846) *
                          pow(parameters->box, 3) / parameters->g;
    if (wanted > 0 && fabs(mass / wanted - 1) > 0.01)
        ky_format(note, KY_NOTE,
                  "the bodies have %.4g of the matter of their universe (omega-m and h0 of "
                  "--expansion, --box, --g): perturbations will grow at another rate than there",
                  mass / wanted);
    return KY_OK;
}

/* Rejects an expansion that differs from the cosmology of the bodies. */
static enum ky_status check_same(const struct ky_expansion *given, const struct ky_expansion *own,
                                 struct ky_error *error)
{
    char text[KY_EXPANSION_TEXT];
    const double densities[][2] = {
        {given->universe.matter * given->h0 * given->h0, own->universe.matter * own->h0 * own->h0},
        {given->universe.lambda * given->h0 * given->h0, own->universe.lambda * own->h0 * own->h0},
        {given->h0, own->h0}};
    for (int k = 0; k < 3; k++)
        if (fabs(densities[k][0] - densities[k][1]) >
            0.01 * fmax(fabs(densities[k][0]), fabs(densities[k][1]))) {
            ky_expansion_write(own, text);
            return ky_fail(error, KY_USAGE,
                           "--expansion differs from the cosmology of the bodies, which is %s; "
                           "--expansion bodies uses it",
                           text);
        }
    return KY_OK;
}

enum ky_status ky_run_settle_universe(struct ky_parameters *parameters,
                                      const struct ky_snapshot *snapshot,
                                      struct ky_run_universe *universe, struct ky_error *error)
{
    const struct ky_space *space = &snapshot->space;
    struct ky_expansion own = {0}, given = {0};
    *universe = (struct ky_run_universe){.field = NULL};
    if (ky_space_is_comoving(space) && !(parameters->box > 0))
        parameters->box = space->box;
    if (ky_space_is_comoving(space) && !parameters->expansion)
        parameters->expansion = "bodies";
    if (brings_universe(snapshot))
        own = (struct ky_expansion){ky_space_universe(space),
                                    ky_space_hubble(space, &snapshot->units)};
    enum ky_status status = settle_expansion(parameters, snapshot, &own, universe, error);
    if (!status && parameters->expansion)
        status = ky_expansion_read(parameters->expansion, &parameters->units, &given, error);
    if (!status && parameters->expansion && own.h0 > 0)
        status = check_same(&given, &own, error);
    if (parameters->expansion)
        own = given;
    if (status || !(own.h0 > 0) || ky_is_comoving(parameters)) /* which contains Λ */
        return status;
    return settle_lambda(parameters, &own, universe, error);
}
