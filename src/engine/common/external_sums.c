/* External fields that are sums of simpler fields: a disk whose density falls as an exponential,
 * and models of the Milky Way by their published numbers. */
#include <math.h>
#include <string.h>

#include "base/named_numbers.h"
#include "base/status.h"
#include "base/units.h"
#include "engine/common/external.h"

/* Adds a field of up to four numbers. */
static void add(struct ky_external_terms *terms, enum ky_external_kind kind, const double number[4])
{
    struct ky_external *term = &terms->term[terms->count++];
    *term = (struct ky_external){.kind = kind};
    memcpy(term->number, number, 4 * sizeof *number);
}

/* ---- the exponential disk ---- */

/* c[0] + c[1] x + … + c[4] x⁴. */
static double polynomial(const double c[5], double x)
{
    return c[0] + x * (c[1] + x * (c[2] + x * (c[3] + x * c[4])));
}

/* Three Miyamoto-Nagai disks of one height b (Smith et al. 2015, MNRAS 448, 2934): table 1, which
 * has a negative mass, and equation 7. Masses and scales, in units of the disk's mass and scale,
 * are polynomials in b/scale. */
static void add_disk(struct ky_external_terms *terms, double mass, double scale, double b)
{
    static const double masses[3][5] = {{1.9487, 0.1164, -0.1653, 0.0640, -0.0090},
                                        {-1.3077, 0.2029, 0.0877, -0.0903, 0.0173},
                                        {0.2242, -0.0544, -0.0361, 0.0287, -0.0051}},
                        scales[3][5] = {{2.0074, -0.1193, -0.6987, 0.2610, -0.0358},
                                        {4.4441, -1.2966, -0.7967, 0.4992, -0.0830},
                                        {0.7333, -0.5944, -0.4124, 0.1718, -0.0247}};
    for (int k = 0; k < 3; k++)
        add(terms, KY_EXTERNAL_MIYAMOTO_NAGAI,
            (const double[4]){mass * polynomial(masses[k], b), scale * polynomial(scales[k], b),
                              b * scale});
}

/* b/scale for a height/scale. */
static double height_of(double height)
{
    return height * (1.092 + height * (1.080 - 0.269 * height));
}

/* The fit ends at b = 3 scale, which is this height in scales. */
static const double highest = 1.4365;

static enum ky_status fill_exponential_disk(const double *number, struct ky_external_terms *terms,
                                            struct ky_error *error)
{
    const double ratio = number[2] / number[1], b = height_of(ratio);
    if (!(ratio <= highest))
        return ky_fail(error, KY_USAGE,
                       "external field exponential-disk: height is %.4g of scale; the fit by three "
                       "disks ends at %.2f",
                       ratio, highest);
    add_disk(terms, number[0], number[1], b);
    return KY_OK;
}

/* ---- the Milky Way ---- */

/* kpc, Msun, km/s and kpc (km/s)², the last a mass times G, in the units of the bodies. */
struct scales {
    double length, mass, velocity, mu;
};

static enum ky_status find_scales(const char *word, const struct ky_external_terms *terms,
                                  struct scales *scales, struct ky_error *error)
{
    const struct ky_units *units = terms->units;
    const double g = terms->g;
    if (!(units->length_cm > 0))
        return ky_fail(error, KY_USAGE,
                       "external field %s has sizes in kpc, but the bodies are in N-body units, "
                       "which have no physical scale; give --units galaxy or cluster",
                       word);
    if (!(g > 0))
        return ky_fail(error, KY_USAGE, "external field %s: G must be more than 0, and is %g", word,
                       g);
    scales->length = KY_KPC_CM / units->length_cm;
    scales->mass = KY_SUN_G / units->mass_g;
    scales->velocity = KY_KM_S / units->velocity_cm_s;
    scales->mu = scales->length * scales->velocity * scales->velocity;
    return KY_OK;
}

/* Adds a field whose first number is a mass in the units of the bodies, and whose lengths are in
 * kpc. */
static void add_in_kpc(struct ky_external_terms *terms, enum ky_external_kind kind, double mass,
                       const double number[3], double kpc)
{
    const struct ky_external_number *row = ky_external_numbers[kind];
    double own[4] = {mass};
    for (int k = 1; k < 4; k++)
        own[k] = number[k - 1] * (row[k].length ? kpc : 1);
    add(terms, kind, own);
}

/* The acceleration towards the centre at (x, 0, 0) of the field with a mass of 1/G; numbers in the
 * same lengths as x. */
static double pull_of_unit(enum ky_external_kind kind, const double number[3], double x)
{
    struct ky_external unit = {.kind = kind, .number = {1, number[0], number[1], number[2]}};
    return -ky_externals_at(&unit, 1, (const double[3]){x, 0, 0}, NULL).x;
}

/* MWPotential2014 (Bovy 2015, ApJS 216, 29, table 1): bulge, disk and halo, with their shares of
 * the force that keeps a circular orbit of 220 km/s at 8 kpc. */
static enum ky_status fill_mw14(const double *number, struct ky_external_terms *terms,
                                struct ky_error *error)
{
    static const struct {
        enum ky_external_kind kind;
        double number[3], share; /* numbers after the mass, lengths in kpc */
    } rows[] = {{KY_EXTERNAL_POWER_LAW_CUTOFF, {1.8, 1.9}, 0.05},
                {KY_EXTERNAL_MIYAMOTO_NAGAI, {3, 0.28}, 0.6},
                {KY_EXTERNAL_NFW, {16}, 0.35}};
    const double radius = 8, speed = 220; /* kpc, km/s */
    struct scales scales = {0};
    (void)number;
    KY_TRY(find_scales("mw14", terms, &scales, error));
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const double mu = rows[k].share * speed * speed / radius /
                          pull_of_unit(rows[k].kind, rows[k].number, radius);
        add_in_kpc(terms, rows[k].kind, mu * scales.mu / terms->g, rows[k].number, scales.length);
    }
    return KY_OK;
}

/* McMillan (2017, MNRAS 465, 76), the best model of table 3. The halo is McMillan's, the stellar
 * disks are exponential. The last disks represent gas and bulge, and correct the error of the
 * stellar disks: external_sums.py has fitted them to the accelerations from 1 to 50 kpc. */
static enum ky_status fill_mcmillan17(const double *number, struct ky_external_terms *terms,
                                      struct ky_error *error)
{
    static const double stars[][3] =
        {/* Msun/kpc² in the centre, scale and height in kpc */
         {896e6, 2.5, 0.3},
         {183e6, 3.02, 0.9}},
                        halo[] = {0.00854e9, 19.6}; /* Msun/kpc³, kpc */
    static const double rest[][3] = {               /* disks: Msun, scale and height in kpc */
                                     {0.368571e10, 0.275423, 0.245472},
                                     {-1.256681e10, 1.316306, 1.33631},
                                     {-7.467377e10, 1.450344, 0.50957},
                                     {9e10, 1.3176, 0.589063},
                                     {1.82539e10, 9.689141, 0.10428}};
    const double pi = acos(-1.0);
    struct scales scales = {0};
    (void)number;
    KY_TRY(find_scales("mcmillan17", terms, &scales, error));
    add_in_kpc(terms, KY_EXTERNAL_NFW, scales.mass * 4 * pi * halo[0] * halo[1] * halo[1] * halo[1],
               (const double[3]){halo[1]}, scales.length);
    for (size_t k = 0; k < sizeof stars / sizeof *stars; k++)
        add_disk(terms, scales.mass * 2 * pi * stars[k][0] * stars[k][1] * stars[k][1],
                 scales.length * stars[k][1], height_of(stars[k][2] / stars[k][1]));
    for (size_t k = 0; k < sizeof rest / sizeof *rest; k++)
        add_in_kpc(terms, KY_EXTERNAL_MIYAMOTO_NAGAI, scales.mass * rest[k][0],
                   (const double[3]){rest[k][1], rest[k][2]}, scales.length);
    return KY_OK;
}
#define SUM(name, NAME, word, help)                                                                \
    [KY_EXTERNAL_SUM_##NAME] = {word, {KY_NUMBERS_##name(KY_EXTERNAL_NUMBER_ROW){0}}, fill_##name},
const struct ky_external_sum ky_external_sums[KY_EXTERNAL_SUM_COUNT] = {KY_EXTERNAL_SUMS(SUM)};
