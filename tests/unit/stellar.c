/* Stellar evolution: the built-in fits against numbers by hand, and a program's own code in a run,
 * which is resumed, gets new bodies, and gives impossible numbers. */
#define _DEFAULT_SOURCE /* mkdtemp */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files.h"
#include "kyoho/stellar.h"
#include "physics/main_sequence.h"
#include "physics/stellar.h"
#include "simulation/stars.h"

static struct ky_error error;
static char top[] = "/tmp/kyoho-test-XXXXXX";

#define assert_near(value, wanted, part) assert_true(fabs((value) / (wanted)-1) < (part))

/* ---- fits ---- */

static void lives_and_remnants(void **state)
{
    (void)state;
    /* from the coefficients of Raiteri et al. (1996) by hand */
    assert_near(ky_star_lifetime(1, 0.02), 9515.7774, 1e-8);
    assert_near(ky_star_lifetime(10, 0.02), 25.344833, 1e-7);
    assert_near(ky_star_lifetime(1, 0.001), 6773.8254, 1e-8);
    for (double m = 0.08; m < 300; m *= 1.1)
        assert_true(ky_star_lifetime(1.1 * m, 0.02) <= ky_star_lifetime(m, 0.02));
    assert_near(ky_white_dwarf_mass(1), 0.503, 1e-12);
    assert_true(ky_white_dwarf_mass(0.3) == 0.3);
    assert_near(ky_white_dwarf_radius(0.6), 0.012779, 1e-4);
    assert_true(ky_white_dwarf_radius(1.44) == KY_NEUTRON_STAR_RADIUS);
    assert_near(ky_black_hole_mass(30), 10.371, 1e-9);
    assert_near(ky_black_hole_mass(100), 5.697 + 7.8598e8 * 1.92309e-10, 1e-5);
    assert_near(ky_black_hole_mass(42.3722), 15.4931, 1e-5); /* where the branches meet */
}

struct one {
    void *own;
    double state[8];
    struct ky_star now;
};

static struct one born(const char *options, uint64_t id, double mass)
{
    char why[200];
    struct one one = {.state = {0}};
    assert_int_equal(ky_stellar_analytic.open(options, &one.own, why, sizeof why), 0);
    assert_true(ky_stellar_analytic.state_size <= sizeof one.state);
    assert_int_equal(ky_stellar_analytic.star(one.own, id, mass, one.state, &one.now), 0);
    return one;
}

static void grow(struct one *one, double age)
{
    one->now.next = (double)INFINITY;
    memset(one->now.kick, 0, sizeof one->now.kick);
    one->now.supernova = 0;
    assert_int_equal(ky_stellar_analytic.advance(one->own, one->state, age, &one->now), 0);
}

static void a_light_star_becomes_a_white_dwarf(void **state)
{
    (void)state;
    struct one sun = born("", 1, 1);
    const double life = ky_star_lifetime(1, 0.02);
    double before = 1;
    int calls = 0;
    assert_near(sun.now.next, 0.9 * life, 1e-12);
    assert_true(sun.now.type == 1 && sun.now.radius == ky_main_sequence_radius(1));
    for (double age = sun.now.next; isfinite(age); age = sun.now.next, calls++) {
        grow(&sun, age);
        assert_true(sun.now.mass <= before && sun.now.mass > 0.989 * before);
        assert_true(sun.now.next > age && !sun.now.supernova);
        before = sun.now.mass;
    }
    assert_true(calls > 50 && calls < 100 && sun.now.type == 11 && sun.now.radius < 0.02);
    assert_near(sun.now.mass, 0.503, 1e-12);
    free(sun.own);
    struct one late = born("", 1, 1); /* asked after its end only */
    grow(&late, 2 * life);
    assert_true(late.now.mass == sun.now.mass && late.now.type == 11 && isinf(late.now.next));
    free(late.own);
    struct one middle = born("", 1, 4);
    grow(&middle, 0.95 * ky_star_lifetime(4, 0.02));
    assert_near(middle.now.mass, 4 - 0.5 * (4 - 0.83), 1e-9);
    assert_int_equal(middle.now.type, 5);
    free(middle.own);
}

/* The kicks of N neutron stars: mean square 3 σ², means 0, within four deviations. */
static void heavy_stars_are_kicked(void **state)
{
    (void)state;
    enum { N = 4000 };
    double square = 0, mean[3] = {0, 0, 0};
    for (uint64_t id = 0; id < N; id++) {
        struct one star = born("kick=100", id, 12);
        grow(&star, 1000);
        assert_true(star.now.supernova && star.now.type == 13 && star.now.mass == 1.4);
        for (int c = 0; c < 3; c++) {
            square += star.now.kick[c] * star.now.kick[c] / N;
            mean[c] += star.now.kick[c] / N;
        }
        free(star.own);
    }
    assert_near(square, 30000, 4 * sqrt(2.0 / (3 * N)));
    for (int c = 0; c < 3; c++)
        assert_true(fabs(mean[c]) < 4 * 100 / sqrt(N));
    struct one light = born("seed=2", 7, 12), same = born("seed=2", 7, 12),
               other = born("seed=3", 7, 12), hole = born("seed=2", 7, 30);
    grow(&light, 1000), grow(&same, 900), grow(&other, 1000), grow(&hole, 1000);
    assert_true(light.now.kick[0] == same.now.kick[0] && light.now.kick[0] != other.now.kick[0]);
    assert_int_equal(hole.now.type, 14);
    assert_near(hole.now.kick[1] * hole.now.mass, light.now.kick[1] * 1.4, 1e-12);
    free(light.own), free(same.own), free(other.own), free(hole.own);
}

static void products_of_mergers(void **state)
{
    (void)state;
    static const struct {
        double mass[2], age;
        int type;
    } cases[] = {{{3, 2}, 1, 1},    {{1, 1}, 20000, 11}, {{7, 6}, 20000, 13},  {{12, 12}, 500, 13},
                 {{12, 2}, 50, 14}, {{30, 12}, 500, 14}, {{12, 0.5}, 500, 13}, {{0.4, 0.2}, 1, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct one a = born("", 1, cases[k].mass[0]), b = born("", 2, cases[k].mass[1]);
        grow(&a, cases[k].age);
        grow(&b, cases[k].age);
        const double mass = a.now.mass + b.now.mass;
        a.now.next = (double)INFINITY;
        assert_int_equal(ky_stellar_analytic.merge(a.own, a.state, b.state, mass, &a.now), 0);
        assert_true(a.now.mass == mass && a.now.type == cases[k].type && a.now.radius > 0);
        assert_true(isinf(a.now.next) == (a.now.type > 10));
        free(a.own), free(b.own);
    }
}

/* ---- a program's own code ---- */

/* Halves the mass of every star at the age 2 Myr; `wrong` chooses an impossible number there. */
static int wrong, opened, closed;

static int own_open(const char *options, void **own, char *why, size_t room)
{
    *own = &opened;
    opened++;
    snprintf(why, room, "no %s", options);
    return strcmp(options, "good") != 0;
}

static void own_close(void *own)
{
    assert_true(own == &opened);
    closed++;
}

static double own_radius; /* of all stars */

static int own_star(void *own, uint64_t id, double mass, void *state, struct ky_star *now)
{
    (void)own, (void)id;
    assert_true(*(double *)state == 0 && mass > 0);
    *(double *)state = mass;
    now->mass = (double)NAN; /* it is not used */
    now->radius = own_radius;
    now->next = 2;
    return 0;
}

static int own_advance(void *own, void *state, double age, struct ky_star *now)
{
    (void)own;
    assert_true(age >= 2 && now->mass == *(double *)state);
    now->mass /= 2;
    now->type = 2;
    switch (wrong) {
    case 1:
        now->mass = (double)NAN;
        break;
    case 2:
        now->mass = -1e-300;
        break;
    case 3:
        now->radius = (double)INFINITY;
        break;
    case 4:
        now->next = (double)NAN;
        break;
    case 5:
        now->kick[2] = (double)INFINITY;
        break;
    case 6:
        now->type = 16;
        break;
    default:
        break;
    }
    return wrong == 7;
}

static const struct ky_stellar mine = {sizeof mine,    KY_STELLAR_ABI, "mine",
                                       sizeof(double), own_open,       own_star,
                                       own_advance,    NULL,           own_close};

/* A star and a body of type 1, which is no star, and one without mass. */
static void prepare(struct ky_parameters *parameters, struct ky_run_parameters *run,
                    struct ky_snapshot *bodies, char folder[64])
{
    static int number;
    ky_snapshot_clear(bodies);
    assert_ok(ky_units_preset("cluster", &bodies->units, &error));
    assert_ok(ky_bodies_allocate(&bodies->bodies, 3, KY_WITH_TYPE, &error));
    memset(bodies->bodies.position, 0, 3 * sizeof *bodies->bodies.position);
    memset(bodies->bodies.velocity, 0, 3 * sizeof *bodies->bodies.velocity);
    for (int i = 0; i < 3; i++) {
        bodies->bodies.mass[i] = i < 2 ? 8 : 0;
        bodies->bodies.type[i] = i == 1 ? 1 : 4;
        bodies->bodies.position[i][0] = i;
    }
    ky_parameters_defaults(parameters);
    parameters->engine = "cpu";
    parameters->softening = 0.5;
    parameters->step = 0.25;
    parameters->threads = 1;
    parameters->g = bodies->units.g;
    snprintf(folder, 64, "%s/%d", top, number++);
    ky_run_parameters_defaults(run);
    run->output = folder;
    run->end = 4;
    run->every = 0;
    run->stellar = &mine;
    run->stellar_evolution = "good";
}

static double added_y; /* place of the added body */

static enum ky_status add_later(void *context, struct ky_sim *sim, struct ky_error *problem)
{
    double mass = 4, position[1][3] = {{0, added_y, 0}}, velocity[1][3] = {{0, 0, 0}};
    const struct ky_bodies one = {
        .size = sizeof one, .n = 1, .mass = &mass, .position = position, .velocity = velocity};
    (void)context;
    return ky_sim_time(sim) == 1 ? ky_sim_add(sim, &one, problem) : KY_OK;
}

/* The number of rows of a table in the folder, and whether one of them has this text. */
static int rows_of(const char *folder, const char *name, const char *with, int *has)
{
    char path[128];
    size_t size;
    int rows = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    char *text = (char *)bytes_of(path, &size);
    text[size] = '\0';
    for (const char *line = text; *line; line++)
        rows += *line == '\n';
    *has = strstr(text, with) != NULL;
    free(text);
    return rows - 2; /* names and units */
}

static void a_program_brings_its_own(void **state)
{
    (void)state;
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    struct ky_snapshot bodies;
    char folder[64];
    int has;
    prepare(&parameters, &run, &bodies, folder);
    run.visit = add_later;
    added_y = 3;
    run.end = 1.5;
    opened = closed = 0;
    assert_ok(ky_run(&parameters, &run, &bodies, &error));
    assert_int_equal(rows_of(folder, "events.csv", "stage", &has), 0);
    run.end = 4;
    run.stellar = NULL;
    run.stellar_evolution = NULL;
    assert_int_equal(ky_resume(&parameters, &run, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "resume it there"));
    run.stellar = &mine;
    assert_ok(ky_resume(&parameters, &run, &error));
    /* the star at 2 Myr = 2.045, and the added one, which began at 1, at the end of its step */
    assert_int_equal(rows_of(folder, "events.csv", "\n2.25,stage,0,,8,", &has), 2);
    assert_true(has);
    rows_of(folder, "events.csv", "\n3.25,stage,3,,4,", &has);
    assert_true(has);
    assert_true(opened == closed && opened >= 2);
    ky_snapshot_free(&bodies);
}

/* A restart file with the number in place of one of the first star. */
static void put_number(const char *folder, size_t member, double value, double *before)
{
    char path[128];
    struct ky_restart restart;
    snprintf(path, sizeof path, "%s/restart.kyo", folder);
    assert_ok(ky_restart_read(path, &restart, NULL, &error));
    char *place = (char *)(uintptr_t)ky_restart_find(&restart, "stars")->data + member;
    memcpy(before, place, sizeof *before);
    memcpy(place, &value, sizeof value);
    assert_ok(ky_restart_write(&(struct ky_restart_to){.path = path}, restart.section,
                               restart.count, &error));
    ky_restart_free(&restart);
}

static void impossible_rows_are_refused(void **state)
{
    (void)state;
    static const struct {
        size_t member;
        double value;
    } changes[] = {{offsetof(struct ky_star_row, mass), INFINITY},
                   {offsetof(struct ky_star_row, mass), -1},
                   {offsetof(struct ky_star_row, radius), INFINITY},
                   {offsetof(struct ky_star_row, birth), NAN},
                   {offsetof(struct ky_star_row, next), NAN}};
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    struct ky_snapshot bodies;
    char folder[64];
    prepare(&parameters, &run, &bodies, folder);
    run.end = 1;
    assert_ok(ky_run(&parameters, &run, &bodies, &error));
    run.end = 4;
    for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
        double before, changed;
        put_number(folder, changes[k].member, changes[k].value, &before);
        assert_int_equal(ky_resume(&parameters, &run, &error), KY_BAD_DATA);
        assert_non_null(strstr(error.text, "impossible numbers of star"));
        put_number(folder, changes[k].member, before, &changed);
    }
    assert_ok(ky_resume(&parameters, &run, &error));
    ky_snapshot_free(&bodies);
}

/* A body that is added on a star, and a third one that is removed before their merger. */
static enum ky_status add_and_remove(void *context, struct ky_sim *sim, struct ky_error *problem)
{
    const uint64_t gone = 1;
    enum ky_status status = add_later(context, sim, problem);
    return status || ky_sim_time(sim) != 1 ? status : ky_sim_remove(sim, &gone, 1, problem);
}

static void an_added_star_merges(void **state)
{
    (void)state;
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    struct ky_snapshot bodies;
    char folder[64];
    int has;
    prepare(&parameters, &run, &bodies, folder);
    parameters.body_radius = 0.2;
    run.collisions = KY_COLLISIONS_MERGE;
    run.visit = add_and_remove;
    added_y = 0.1;
    assert_ok(ky_run(&parameters, &run, &bodies, &error));
    assert_int_equal(rows_of(folder, "events.csv", "\n1.25,merger,0,3,8,4,", &has), 2);
    assert_true(has); /* mine has no function merge: the product begins anew */
    rows_of(folder, "events.csv", "\n3.5,stage,0,,12,", &has);
    assert_true(has);
    ky_snapshot_free(&bodies);
}

/* Two bodies leave as one comes. At the end the radius of that one is read. */
static enum ky_status replace_two(void *context, struct ky_sim *sim, struct ky_error *problem)
{
    const uint64_t gone[2] = {1, 2};
    struct ky_bodies bodies = {.size = sizeof bodies, .n = 2, .radius = context};
    enum ky_status status = add_later(NULL, sim, problem);
    if (!status && ky_sim_time(sim) == 1)
        status = ky_sim_remove(sim, gone, 2, problem);
    return status || ky_sim_time(sim) != 2 ? status : ky_sim_bodies(sim, &bodies, problem);
}

static void an_added_star_has_its_radius(void **state)
{
    (void)state;
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    struct ky_snapshot bodies;
    char folder[64];
    double radius[2] = {0, 0};
    prepare(&parameters, &run, &bodies, folder);
    run.visit = replace_two;
    run.visit_context = radius;
    run.end = 2;
    added_y = 3;
    own_radius = 7;
    assert_ok(ky_run(&parameters, &run, &bodies, &error));
    own_radius = 0;
    assert_true(radius[0] > 0 && radius[1] == radius[0]);
    ky_snapshot_free(&bodies);
}

static void impossible_numbers(void **state)
{
    (void)state;
    static const char *const why[] = {"the mass nan",     "the mass -1e-300", "the radius inf",
                                      "next age nan",     "the kick inf",     "the type 16",
                                      "failed for star 0"};
    for (wrong = 1; wrong < 8; wrong++) {
        struct ky_parameters parameters;
        struct ky_run_parameters run;
        struct ky_snapshot bodies;
        char folder[64];
        prepare(&parameters, &run, &bodies, folder);
        assert_int_equal(ky_run(&parameters, &run, &bodies, &error), KY_BAD_DATA);
        assert_non_null(strstr(error.text, why[wrong - 1]));
        ky_snapshot_free(&bodies);
    }
    wrong = 0;
}

static void wrong_codes_are_refused(void **state)
{
    (void)state;
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    struct ky_snapshot bodies;
    struct ky_stellar code[4] = {mine, mine, mine, mine};
    char folder[64];
    struct stat about;
    prepare(&parameters, &run, &bodies, folder);
    run.keep = 1;
    code[0].abi++;
    code[1].advance = NULL;
    code[2].state_size = 1 << 20;
    run.stellar_evolution = "good";
    for (int k = 0; k < 4; k++) {
        run.stellar = &code[k];
        run.stellar_evolution = k < 3 ? "good" : "bad";
        assert_int_equal(ky_run(&parameters, &run, &bodies, &error), KY_USAGE);
    }
    assert_non_null(strstr(error.text, "mine: no bad"));
    assert_true(stat(folder, &about) != 0);
    run.stellar = &mine, run.stellar_evolution = "good", run.end = 0.25;
    run.stellar = NULL, run.stellar_evolution = NULL;
    assert_ok(ky_run(&parameters, &run, &bodies, &error));
    run.stellar = &mine, run.end = 0.5;
    assert_int_equal(ky_resume(&parameters, &run, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "did not begin"));
    ky_snapshot_free(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lives_and_remnants),
        cmocka_unit_test(a_light_star_becomes_a_white_dwarf),
        cmocka_unit_test(heavy_stars_are_kicked),
        cmocka_unit_test(products_of_mergers),
        cmocka_unit_test(a_program_brings_its_own),
        cmocka_unit_test(an_added_star_merges),
        cmocka_unit_test(an_added_star_has_its_radius),
        cmocka_unit_test(impossible_numbers),
        cmocka_unit_test(impossible_rows_are_refused),
        cmocka_unit_test(wrong_codes_are_refused),
    };
    if (!mkdtemp(top))
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char words[96];
    snprintf(words, sizeof words, "rm -rf %s", top);
    return system(words) || failed;
}
