/* Galaxies that chase each other along one curve in the x-y plane: three on the figure eight, four
 * on the super-eight, as in Fujiwara & Nakasato (2009), whose input is lost.
 *
 * The rest is our choice. A galaxy is a Plummer sphere, cut at 5 scale radii, in equilibrium
 * with the softening; all have the same mass. The orbit is solved for the softened forces of
 * spheres (choreography.h): at ε = 0.1 the known orbit of point masses breaks up within ten
 * periods. The softening (0.1) and the numbers of bodies are from the paper. On a curve with two
 * lobes an even number of galaxies would collide at the crossing, hence the super-eight. At its
 * original size the super-eight has no solution for ε = 0.1, so it is twice as large. The galaxies
 * are small, because tides of large ones take energy from the orbit. */
#include <math.h>

#include "models/choreography.h"
#include "models/equilibrium.h"

struct figure {
    double size, galaxy_radius;
};

#define FIELD(name) offsetof(struct figure, name)
#define SIZE(initial, reach)                                                                       \
    {                                                                                              \
        "size", KY_OPTION_REAL, FIELD(size), initial, 1e-3, 1e6, NULL, NULL,                       \
            "figure8, super8: factor on all lengths of the known orbit, which reaches " reach      \
            " from its centre"                                                                     \
    }
#define RADIUS                                                                                     \
    {                                                                                              \
        "galaxy-radius", KY_OPTION_REAL, FIELD(galaxy_radius), "0.03", 1e-6, 1e6, NULL, "LENGTH",  \
            "figure8, super8: half-mass radius of a galaxy [length]"                               \
    }
static const struct ky_option three_options[] = {SIZE("1", "1.08"), RADIUS},
                              four_options[] = {SIZE("2", "1.38"), RADIUS};

/* κ, the mean square radius of a galaxy. */
static double mean_square(const struct ky_bodies *bodies)
{
    double sum = 0;
    for (size_t i = 0; i < bodies->n; i++)
        for (int c = 0; c < 3; c++)
            sum += bodies->mass[i] * bodies->position[i][c] * bodies->position[i][c];
    return sum;
}

/* Index of the first body of galaxy g; n for g = number of galaxies. */
static size_t first_of(size_t n, int count, int g)
{
    const size_t each = n / (size_t)count, more = n % (size_t)count, before = (size_t)g;
    return before * each + (before < more ? before : more);
}

/* Makes galaxy g of `count`, at rest at the origin; the sum of its masses is 1. */
static enum ky_status draw(const struct figure *figure, const struct ky_model_common *common,
                           int count, int g, struct ky_bodies *bodies, struct ky_error *error)
{
    const struct ky_cut cut = {5};
    const struct ky_sphere galaxy = {&ky_plummer, &cut, figure->galaxy_radius, 1. / count};
    const size_t first = first_of(bodies->n, count, g);
    struct ky_model_common own = *common;
    own.n = first_of(bodies->n, count, g + 1) - first;
    own.seed = common->seed + 0x9e3779b97f4a7c15U * (uint64_t)g; /* independent random numbers */
    return ky_equilibrium_put(&galaxy, &own, first, bodies, error);
}

static enum ky_status make(int count, const struct figure *figure,
                           const struct ky_model_common *common, struct ky_snapshot *snapshot,
                           struct ky_error *error)
{
    struct ky_bodies *bodies = &snapshot->bodies;
    struct ky_dance dance;
    KY_TRY(ky_model_allocate(common, 0, snapshot, error));
    for (int g = 0; g < count; g++)
        KY_TRY(draw(figure, common, count, g, bodies, error));
    const double eps = ky_pair_softening(common);
    const struct ky_dance_law law = {eps * eps, mean_square(bodies)};
    KY_TRY(ky_dance_solve(count, figure->size, &law, &dance, error));
    for (int g = 0; g < count; g++)
        for (size_t i = first_of(bodies->n, count, g); i < first_of(bodies->n, count, g + 1); i++)
            for (int c = 0; c < 2; c++) {
                bodies->position[i][c] += dance.x[g][c];
                bodies->velocity[i][c] += dance.v[g][c] / sqrt(count); /* for a total mass of 1 */
            }
    return KY_OK;
}

static enum ky_status make_three(const void *own, const struct ky_model_common *common,
                                 struct ky_snapshot *snapshot, struct ky_error *error)
{
    return make(3, own, common, snapshot, error);
}

static enum ky_status make_four(const void *own, const struct ky_model_common *common,
                                struct ky_snapshot *snapshot, struct ky_error *error)
{
    return make(4, own, common, snapshot, error);
}

#define FIGURE(number)                                                                             \
    .options = number##_options,                                                                   \
    .option_count = sizeof number##_options / sizeof *number##_options,                            \
    .own_size = sizeof(struct figure), .softening = 0.1, .scaling = KY_SCALE_MASS,                 \
    .centring = KY_CENTRE_MASS, .make = make_##number

const struct ky_model ky_figure8 = {
    .name = "figure8",
    .help = "three galaxies on the figure eight, solved for softened spheres; 7500 bodies",
    .usual = 7500,
    .least = 3,
    FIGURE(three),
};

const struct ky_model ky_super8 = {
    .name = "super8",
    .help = "four galaxies on the super-eight, an unstable orbit; 10000 bodies",
    .usual = 10000,
    .least = 4,
    FIGURE(four),
};
