/* A galaxy with the masses of bulge, disk and halo of Kuijken & Dubinski's (1995) model A, about 1
 * : 2 : 12, as in Nakasato (2012).
 *
 * Choices that these papers leave open, and differences from them, are described here. Bulge and
 * halo are Hernquist (1990) spheres, each with its density at the edge subtracted. Their
 * distribution functions come from Eddington's formula for the spherically averaged field of all
 * three components: averaged over directions, a disk attracts like a sphere with the same mass
 * within r. The disk follows the Jeans equations (disk.h) in the field of the spheres and of
 * itself. All forces are softened as in a run. The scale lengths make the maximum circular speed
 * 1.17 √(G M_d/R_d), so that the disk forms no bar (Efstathiou, Lake & Negroponte 1982). The
 * minimum of Q is 2. Two fifths of the bodies are in the disk, a tenth in the bulge. */
#include "models/galaxy.h"

#include <math.h>
#include <stdlib.h>

#include "base/block_sums.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"
#include "physics/softening.h"

static const char *const names[KY_COMPONENTS] = {"halo", "disk", "bulge"};

enum ky_status ky_galaxy_count(const struct ky_galaxy *galaxy, size_t n,
                               size_t count[KY_COMPONENTS], struct ky_error *error)
{
    const int halo = galaxy->mass[KY_HALO] > 0, bulge = galaxy->mass[KY_BULGE] > 0;
    const double disk = galaxy->disk_share, spheroid = bulge ? galaxy->bulge_share : 0;
    if (!(disk + spheroid < 1))
        return ky_fail(error, KY_USAGE,
                       "disk-share %g and bulge-share %g leave no bodies for the halo", disk,
                       spheroid);
    count[KY_BULGE] = (size_t)(spheroid * (double)n + 0.5);
    count[KY_DISK] = halo ? (size_t)(disk * (double)n + 0.5) : n - count[KY_BULGE];
    count[KY_HALO] = n - count[KY_BULGE] - count[KY_DISK];
    for (int c = 0; c < KY_COMPONENTS; c++)
        if (galaxy->mass[c] > 0 && !(count[c] > 0 && count[c] <= n))
            return ky_fail(error, KY_USAGE,
                           "%zu bodies are too few for a galaxy: none of them is in the %s", n,
                           names[c]);
    return KY_OK;
}

/* ε of a pair of bodies, one of component `sink` and one of component `source`. */
static double softening_of(const struct ky_galaxy *galaxy, const struct ky_model_common *common,
                           int sink, int source)
{
    double eps[2];
    const int which[2] = {sink, source};
    for (int k = 0; k < 2; k++) {
        double own = galaxy->softening[which[k]];
        eps[k] = isnan(own) ? common->softening : own;
    }
    return sqrt(ky_softening_eps2(eps[0] * eps[0], eps[1] * eps[1],
                                  ky_softening_how(common->softening_kind)));
}

/* The profile of a Hernquist sphere, in lengths of the galaxy. */
static void sphere(double scale, double edge, struct ky_profile *profile)
{
    ky_profile_cut(profile, edge / scale, ky_hernquist.shell);
    for (size_t k = 0; k < profile->nodes; k++)
        profile->r[k] *= scale;
}

/* State while a galaxy's tables are computed. */
struct solving {
    const struct ky_galaxy *galaxy;
    const struct ky_model_common *common;
    struct ky_galaxy_tables *tables;
};

/* Sums the acceleration by all components on bodies of one component at the radii r; ky_disk_solve
 * adds the disk's force on itself. */
static enum ky_status pull_on(const struct solving *s, int sink, size_t count, const double *r,
                              double *pull, struct ky_error *error)
{
    double *part;
    KY_TRY(ky_array(&part, count, sizeof *part, "the model's tables", error));
    for (size_t k = 0; k < count; k++)
        pull[k] = 0;
    for (int c = 0; c < KY_COMPONENTS; c++) {
        if ((c == KY_DISK && sink == KY_DISK) || !(s->galaxy->mass[c] > 0) ||
            ky_halted(s->common->halt))
            continue;
        ky_profile_pull(&s->tables->spheres[c].profile, softening_of(s->galaxy, s->common, sink, c),
                        ky_softening_how(s->common->softening_kind), count, r, part);
        for (size_t k = 0; k < count; k++)
            pull[k] += s->galaxy->mass[c] * part[k];
    }
    free(part);
    return ky_halt_check(s->common->halt, error);
}

static enum ky_status solve_sphere(const struct solving *s, int c, struct ky_error *error)
{
    struct ky_equilibrium *own = &s->tables->spheres[c];
    own->softening = softening_of(s->galaxy, s->common, c, c);
    KY_TRY(pull_on(s, c, own->profile.nodes, own->profile.r, own->force, error));
    const enum ky_status status = ky_equilibrium_invert(own, error);
    return status ? ky_fail_in(error, status, "the %s: ", names[c]) : KY_OK;
}

/* KY_USAGE for a disk with strong random motion at its edge: the truncated disk has no equilibrium
 * there. */
static enum ky_status check_disk(const struct ky_disk *disk, const struct ky_model_common *common,
                                 struct ky_error *error)
{
    const double refused = 1.2, told = 1.05;
    const char *const line =
        "the disk of scale length %g that ends at %g with Q = %g is not in equilibrium, its virial "
        "ratio is %.3g; give an edge of six scale lengths, or a smaller Q";
    if (!(disk->virial < refused))
        return ky_fail(error, KY_USAGE, line, disk->scale, disk->edge, disk->q, disk->virial);
    if (disk->virial > told && common->log) {
        char text[256];
        ky_format(text, sizeof text, line, disk->scale, disk->edge, disk->q, disk->virial);
        common->log(common->log_context, KY_LOG_WARNING, text);
    }
    return KY_OK;
}

enum ky_status ky_galaxy_solve(const struct ky_galaxy *galaxy, const struct ky_model_common *common,
                               struct ky_galaxy_tables *tables, struct ky_error *error)
{
    const struct solving solving = {galaxy, common, tables};
    double r[KY_DISK_RADII], pull[KY_DISK_RADII];
    struct ky_disk *disk = &tables->disk;
    *disk = (struct ky_disk){.mass = galaxy->mass[KY_DISK],
                             .scale = galaxy->disk_scale,
                             .height = galaxy->disk_height,
                             .edge = galaxy->disk_edge,
                             .q = galaxy->q,
                             .softening = softening_of(galaxy, common, KY_DISK, KY_DISK)};
    sphere(galaxy->halo_scale, galaxy->halo_edge, &tables->spheres[KY_HALO].profile);
    sphere(galaxy->bulge_scale, galaxy->bulge_edge, &tables->spheres[KY_BULGE].profile);
    ky_disk_profile(disk, &tables->spheres[KY_DISK].profile);
    ky_disk_radii(disk, r);
    KY_TRY(pull_on(&solving, KY_DISK, KY_DISK_RADII, r, pull, error));
    KY_TRY(ky_disk_solve(disk, pull, error));
    KY_TRY(check_disk(disk, common, error));
    for (int c = 0; c < KY_COMPONENTS; c++)
        if (c != KY_DISK && galaxy->mass[c] > 0)
            KY_TRY(solve_sphere(&solving, c, error));
    return ky_halt_check(common->halt, error);
}

/* ---- bodies ---- */

struct drawing {
    const struct ky_galaxy_tables *tables;
    int component;
    uint64_t seed;
    size_t first;
    struct ky_bodies *bodies;
};

static void draw(const void *context, size_t first, size_t last)
{
    const struct drawing *drawing = context;
    const int c = drawing->component;
    const struct ky_equilibrium *own = &drawing->tables->spheres[c];
    for (size_t i = drawing->first + first; i < drawing->first + last; i++) {
        double *x = drawing->bodies->position[i], *v = drawing->bodies->velocity[i];
        if (c == KY_DISK)
            ky_disk_draw(&drawing->tables->disk, drawing->seed, i, x, v);
        else
            ky_equilibrium_draw(own, drawing->seed, i, x, v);
    }
}

/* Draws the bodies of a component from index `at` on. */
static enum ky_status put_component(const struct ky_galaxy *galaxy,
                                    const struct ky_model_common *common, size_t count,
                                    const struct drawing *drawing, struct ky_error *error)
{
    const int c = drawing->component;
    struct ky_bodies *bodies = drawing->bodies;
    struct ky_model_common part = *common;
    part.n = count;
    for (size_t i = drawing->first; i < drawing->first + count; i++) {
        bodies->mass[i] = galaxy->mass[c] / (double)count;
        bodies->type[i] = (uint8_t)(c + 1);
        if (bodies->softening)
            bodies->softening[i] =
                isnan(galaxy->softening[c]) ? common->softening : galaxy->softening[c];
    }
    ky_model_fill(&part, names[c], draw, drawing);
    return ky_halt_check(common->halt, error);
}

/* Subtracts their mean from the n vectors. */
static void centre(double (*x)[3], const double *mass, size_t n)
{
    double mean[3];
    ky_mean(n, mass, x, mean);
    ky_subtract(n, x, mean);
}

enum ky_status ky_galaxy_put(const struct ky_galaxy *galaxy, const struct ky_model_common *common,
                             const size_t count[KY_COMPONENTS], size_t first,
                             struct ky_bodies *bodies, struct ky_error *error)
{
    struct ky_galaxy_tables *tables;
    KY_TRY(ky_array(&tables, 1, sizeof *tables, "the model's tables", error));
    enum ky_status status = ky_galaxy_solve(galaxy, common, tables, error);
    size_t at = first;
    for (int c = 0; c < KY_COMPONENTS && !status; at += count[c++]) {
        const struct drawing drawing = {tables, c, common->seed, at, bodies};
        status = put_component(galaxy, common, count[c], &drawing, error);
    }
    free(tables);
    if (status)
        return status;
    centre(bodies->position + first, bodies->mass + first, at - first);
    centre(bodies->velocity + first, bodies->mass + first, at - first);
    return KY_OK;
}

/* ---- the model ---- */

#define FIELD(name) offsetof(struct ky_galaxy, name)
#define MASS(word, which, initial, least)                                                          \
    {                                                                                              \
        word "-mass", KY_OPTION_REAL, FIELD(mass[which]), initial, least, 1e6, NULL, NULL,         \
            "galaxy: mass of the " word "; only ratios count, the sum is --mass"                   \
    }
#define LENGTH(word, field, initial, help)                                                         \
    {                                                                                              \
        word, KY_OPTION_REAL, FIELD(field), initial, 1e-6, 1e6, NULL, "LENGTH",                    \
            "galaxy: " help " [length]"                                                            \
    }
#define SOFTENING(word, which)                                                                     \
    {                                                                                              \
        word "-softening", KY_OPTION_REAL, FIELD(softening[which]), NULL, 0, 1e6, NULL, "LENGTH",  \
            "galaxy: softening of the bodies of the " word ", in place of --softening [length]"    \
    }

static const struct ky_option options[] = {
    MASS("halo", KY_HALO, "12", 0),
    MASS("disk", KY_DISK, "2", 1e-6),
    MASS("bulge", KY_BULGE, "1", 0),
    {"disk-share", KY_OPTION_REAL, FIELD(disk_share), "0.4", 1e-6, 1, NULL, NULL,
     "galaxy: fraction of the bodies that are in the disk; the halo has the rest"},
    {"bulge-share", KY_OPTION_REAL, FIELD(bulge_share), "0.1", 0, 1, NULL, NULL,
     "galaxy: fraction of the bodies that are in the bulge"},
    LENGTH("halo-scale", halo_scale, "2.5", "scale radius of the halo, a Hernquist sphere"),
    LENGTH("halo-edge", halo_edge, "25", "radius at which the halo ends"),
    LENGTH("bulge-scale", bulge_scale, "0.2", "scale radius of the bulge, a Hernquist sphere"),
    LENGTH("bulge-edge", bulge_edge, "2", "radius at which the bulge ends"),
    LENGTH("disk-scale", disk_scale, "1",
           "scale length of the disk, whose density falls as exp(−R/length)"),
    LENGTH("disk-height", disk_height, "0.1",
           "scale height of the disk, whose density falls as sech²(z/height)"),
    LENGTH("disk-edge", disk_edge, "6", "radius at which the disk ends"),
    {"q", KY_OPTION_REAL, FIELD(q), "2", 1e-3, 100, NULL, NULL,
     "galaxy: minimum of Toomre's Q over the disk"},
    SOFTENING("halo", KY_HALO),
    SOFTENING("disk", KY_DISK),
    SOFTENING("bulge", KY_BULGE),
};

void ky_galaxy_defaults(struct ky_galaxy *galaxy, double mass, double scale)
{
    double *const lengths[] = {&galaxy->halo_scale, &galaxy->halo_edge,  &galaxy->bulge_scale,
                               &galaxy->bulge_edge, &galaxy->disk_scale, &galaxy->disk_height,
                               &galaxy->disk_edge};
    double total = 0;
    ky_options_defaults(&(const struct ky_option_set){
        "galaxy", options, sizeof options / sizeof *options, galaxy, NULL, NULL});
    for (int c = 0; c < KY_COMPONENTS; c++)
        total += galaxy->mass[c];
    for (int c = 0; c < KY_COMPONENTS; c++)
        galaxy->mass[c] *= mass / total;
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        *lengths[k] *= scale;
}

/* The half-mass radius of the disk, on which the recommended softening is based so that it resolves
 * the disk's thickness. */
static enum ky_status half_mass(const void *own, double *radius, struct ky_error *error)
{
    (void)error;
    const struct ky_galaxy *galaxy = own;
    *radius = 1.678347 * galaxy->disk_scale;
    return KY_OK;
}

static enum ky_status make(const void *own, const struct ky_model_common *common,
                           struct ky_snapshot *snapshot, struct ky_error *error)
{
    struct ky_galaxy galaxy = *(const struct ky_galaxy *)own;
    size_t count[KY_COMPONENTS];
    unsigned with = KY_WITH_TYPE;
    const double total = galaxy.mass[KY_HALO] + galaxy.mass[KY_DISK] + galaxy.mass[KY_BULGE];
    for (int c = 0; c < KY_COMPONENTS; c++) {
        galaxy.mass[c] /= total;
        galaxy.softening[c] /= common->length; /* --radius does not scale it */
        with |= isnan(galaxy.softening[c]) ? 0 : KY_WITH_SOFTENING;
    }
    enum ky_status status = ky_galaxy_count(&galaxy, common->n, count, error);
    if (!status)
        status = ky_model_allocate(common, with, snapshot, error);
    if (!status)
        status = ky_galaxy_put(&galaxy, common, count, 0, &snapshot->bodies, error);
    if (with & KY_WITH_SOFTENING)
        snapshot->softening = (double)NAN;
    return status;
}

const struct ky_model ky_galaxy = {
    .name = "galaxy",
    .help = "halo, exponential disk and bulge in equilibrium, of masses 12 : 2 : 1",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .own_size = sizeof(struct ky_galaxy),
    .least = 5,
    .balanced = 1,
    .scaling = KY_SCALE_RADIUS,
    .centring = KY_CENTRE_MASS,
    .half_mass = half_mass,
    .make = make,
};
