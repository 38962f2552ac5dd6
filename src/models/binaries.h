/* Primordial binaries of a sphere. The model is made of systems, pairs and single stars, as if each
 * were one body. Then each pair takes the place of its centre of mass, so that the total mass, the
 * virial ratio and the energy of the centres are the model's. */
#ifndef KY_MODELS_BINARIES_H
#define KY_MODELS_BINARIES_H

#include "models/models.h"

/* One row each: the constant of kyoho.h, the word of the option. */
#define KY_PERIOD_ROWS(X)                                                                          \
    X(KY_PERIODS_MIXED, "mixed")                                                                   \
    X(KY_PERIODS_KROUPA, "kroupa")                                                                 \
    X(KY_PERIODS_SANA, "sana")                                                                     \
    X(KY_PERIODS_LOG_UNIFORM, "log-uniform")
#define KY_ECCENTRICITY_ROWS(X)                                                                    \
    X(KY_ECCENTRICITIES_BY_PERIODS, "by-periods")                                                  \
    X(KY_ECCENTRICITIES_THERMAL, "thermal")                                                        \
    X(KY_ECCENTRICITIES_SANA, "sana")                                                              \
    X(KY_ECCENTRICITIES_CIRCULAR, "circular")
#define KY_RATIO_ROWS(X)                                                                           \
    X(KY_RATIOS_MASSIVE, "massive")                                                                \
    X(KY_RATIOS_RANDOM, "random")

/* The masses of n stars, as fractions of the total. The members of pair k are the stars 2k and
 * 2k + 1, the heavier one first; single stars follow. */
struct ky_systems {
    size_t stars, pairs;
    double *star;   /* [stars] */
    double *system; /* [stars − pairs]: the pairs, then the single stars */
};

/* For more than 0 pairs: KY_USAGE for parameters of pairs that are missing or contradict each
 * other. Sets the default softening, 0. To be called when mass and units are known. */
enum ky_status ky_binaries_resolve(const char *model, struct ky_model_parameters *parameters,
                                   struct ky_error *error);
/* Draws the masses of the stars as without pairs, and chooses the pairs. */
enum ky_status ky_binaries_choose(const struct ky_model_parameters *parameters,
                                  struct ky_systems *systems, struct ky_error *error);
/* Replaces the bodies, one a system and in the snapshot's units, by the stars. */
enum ky_status ky_binaries_put(const struct ky_model_parameters *parameters,
                               const struct ky_systems *systems, struct ky_snapshot *snapshot,
                               struct ky_error *error);
void ky_systems_free(struct ky_systems *systems);

#endif
