/* The built-in code of stellar evolution: lives and remnants of single stars after published fits
 * (physics/stellar.h). A star stays on the zero-age main sequence. A light one loses its envelope
 * evenly in the last tenth of its life; a heavy one keeps its mass, and explodes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/named_numbers.h"
#include "base/random.h"
#include "physics/main_sequence.h"
#include "physics/stellar.h"
#include "simulation/stars.h"

enum type { LIGHT, MAIN_SEQUENCE, GIANT = 5, WHITE_DWARF = 11, NEUTRON_STAR = 13, BLACK_HOLE };

struct settings {
    double metallicity, kick, seed; /* kick: the deviation of one component [km/s] */
};

/* The state of a star. */
struct life {
    uint64_t id;
    int64_t type;
    double initial, mass;
};

static int open(const char *options, void **own, char *why, size_t room)
{
    struct settings set;
    struct ky_error error = {KY_OK, ""};
    struct ky_named_number number[] = {
        {"metallicity", KY_NUMBER_POSITIVE, "0.02", "mass fraction, 7e-5 to 0.03", &set.metallicity,
         0},
        {"kick", KY_NUMBER_NOT_NEGATIVE, "265",
         "deviation of a component of the kicks of neutron stars, in km/s", &set.kick, 0},
        {"seed", KY_NUMBER_NOT_NEGATIVE, "1", "seed of the kicks", &set.seed, 0}};
    const struct ky_named_numbers numbers = {"its text", NULL, number,
                                             sizeof number / sizeof *number};
    char text[200];
    snprintf(text, sizeof text, "%s", options);
    if (strlen(options) >= sizeof text)
        snprintf(error.text, sizeof error.text, "the options are too long");
    else if (!ky_named_numbers_read(&numbers, *text ? text : NULL, &error) &&
             (set.metallicity < KY_METALLICITY_LEAST || set.metallicity > KY_METALLICITY_MOST))
        snprintf(error.text, sizeof error.text, "metallicity %g; the fits are for %g to %g",
                 set.metallicity, KY_METALLICITY_LEAST, KY_METALLICITY_MOST);
    else if (!error.text[0] && (set.seed != floor(set.seed) || set.seed > 9007199254740992.0))
        snprintf(error.text, sizeof error.text, "seed=%g; it must be a whole number up to 2^53",
                 set.seed);
    if (!error.text[0] && !(*own = ky_allocate(1, sizeof set)))
        snprintf(error.text, sizeof error.text, "no memory is left");
    snprintf(why, room, "%s", error.text);
    if (error.text[0])
        return 1;
    memcpy(*own, &set, sizeof set);
    return 0;
}

static double life_of(const struct settings *set, const struct life *life)
{
    return ky_star_lifetime(life->initial, set->metallicity);
}

static int explodes(const struct life *life)
{
    return life->initial >= KY_SUPERNOVA_MASS;
}

/* The age at which a light star begins to lose its envelope, a heavy one explodes. */
static double end_of_rest(const struct settings *set, const struct life *life)
{
    return (explodes(life) ? 1 : 0.9) * life_of(set, life);
}

static int star(void *own, uint64_t id, double mass, void *state, struct ky_star *now)
{
    struct life *life = state;
    *life = (struct life){id, mass < 0.7 ? LIGHT : MAIN_SEQUENCE, mass, mass};
    now->type = (int)life->type;
    now->mass = mass;
    now->radius = ky_main_sequence_radius(mass);
    now->next = end_of_rest(own, life);
    return 0;
}

static double radius_of(const struct life *life)
{
    switch (life->type) {
    case WHITE_DWARF:
        return ky_white_dwarf_radius(life->mass);
    case NEUTRON_STAR:
        return KY_NEUTRON_STAR_RADIUS;
    case BLACK_HOLE:
        return ky_black_hole_radius(life->mass);
    default:
        return ky_main_sequence_radius(life->initial);
    }
}

/* The kicks of neutron stars are Maxwellian (Hobbs et al. 2005: 265 km/s). A black hole has the
 * same momentum as a neutron star. */
static void kick(const struct settings *set, const struct life *life, struct ky_star *now)
{
    struct ky_random random = ky_random_at((uint64_t)set->seed, 0, life->id);
    for (int c = 0; c < 3; c++)
        now->kick[c] = set->kick * KY_NEUTRON_STAR_MASS / life->mass * ky_random_normal(&random);
}

static void die(const struct settings *set, struct life *life, struct ky_star *now)
{
    now->supernova = explodes(life);
    if (!explodes(life)) {
        life->type = WHITE_DWARF;
        life->mass = ky_white_dwarf_mass(life->initial);
        return;
    }
    const int collapses = life->initial >= KY_BLACK_HOLE_MASS;
    life->type = collapses ? BLACK_HOLE : NEUTRON_STAR;
    life->mass = collapses ? ky_black_hole_mass(life->initial) : KY_NEUTRON_STAR_MASS;
    kick(set, life, now);
}

/* The envelope is lost evenly between the end of rest and the death. Sets the age at which 1 % of
 * the mass is lost again. */
static void blow(const struct settings *set, struct life *life, double age, struct ky_star *now)
{
    const double begin = end_of_rest(set, life), end = life_of(set, life);
    const double envelope = life->initial - ky_white_dwarf_mass(life->initial);
    const double rate = envelope / (end - begin);
    life->type = GIANT;
    life->mass = life->initial - rate * (age - begin);
    now->next = rate > 0 ? fmin(end, age + 0.01 * life->mass / rate) : end;
}

static void tell(const struct life *life, struct ky_star *now)
{
    now->type = (int)life->type;
    now->mass = life->mass;
    now->radius = radius_of(life);
}

static int is_remnant(const struct life *life)
{
    return life->type >= WHITE_DWARF;
}

static int advance(void *own, void *state, double age, struct ky_star *now)
{
    struct life *life = state;
    if (is_remnant(life))
        return 0;
    if (age >= life_of(own, life))
        die(own, life, now);
    else if (age >= end_of_rest(own, life))
        blow(own, life, age, now);
    else
        now->next = end_of_rest(own, life);
    tell(life, now);
    return 0;
}

/* Two stars make a new star of their mass. A remnant swallows the other body, and falls together
 * where it becomes too heavy; it keeps all mass and gets no kick. */
static int merge(void *own, void *state, const void *other, double mass, struct ky_star *now)
{
    struct life *life = state;
    const struct life *second = other;
    if (!is_remnant(life) && !is_remnant(second))
        return star(own, life->id, mass, state, now);
    life->type = life->type > second->type ? life->type : second->type;
    life->mass = mass;
    if (life->type == WHITE_DWARF && mass > KY_WHITE_DWARF_MOST)
        life->type = NEUTRON_STAR;
    if (life->type == NEUTRON_STAR && mass > KY_NEUTRON_STAR_MOST)
        life->type = BLACK_HOLE;
    tell(life, now);
    return 0;
}

const struct ky_stellar ky_stellar_analytic = {sizeof(struct ky_stellar),
                                               KY_STELLAR_ABI,
                                               "analytic",
                                               sizeof(struct life),
                                               open,
                                               star,
                                               advance,
                                               merge,
                                               free};
