/* A model that is one file and a line of the table may have parameters of its own, components with
 * types, ids and softenings, units, and its own choice of steps. Options of a model can be set by
 * name, as from another language. */
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/models.h"

static struct ky_error error;

/* A disk and a halo of n/2 bodies each, on the x axis at 1, 2, … and at 101, 102, …, with
 * velocities along y. */
struct galaxy {
    double disk_mass, cutoff; /* `cutoff` is a field of struct ky_model_parameters too */
    int turns;
    const char *name;
};

#define FIELD(name) offsetof(struct galaxy, name)
static const struct ky_option options[] = {
    {"disk-mass", KY_OPTION_REAL, FIELD(disk_mass), "0.5", 0, 1, NULL, NULL,
     "mass of the disk over that of all"},
    {"cutoff", KY_OPTION_REAL, FIELD(cutoff), "0", 0, 1e6, NULL, "LENGTH", "first x of the halo"},
    {"turns", KY_OPTION_FLAG, FIELD(turns), NULL, KY_NO_RANGE, NULL, NULL, "the disk moves"},
    {"name", KY_OPTION_TEXT, FIELD(name), NULL, KY_NO_RANGE, NULL, NULL, "what it is called"},
};

static struct galaxy seen;
static struct ky_model_common seen_common;

static enum ky_status half_mass(const void *own, double *radius, struct ky_error *why)
{
    (void)own, (void)why;
    *radius = 2;
    return KY_OK;
}

static enum ky_status make(const void *own, const struct ky_model_common *common,
                           struct ky_snapshot *snapshot, struct ky_error *why)
{
    const struct galaxy *galaxy = own;
    struct ky_bodies *b = &snapshot->bodies;
    const size_t half = common->n / 2;
    seen = *galaxy;
    seen_common = *common;
    enum ky_status status =
        ky_model_allocate(common, KY_WITH_TYPE | KY_WITH_SOFTENING, snapshot, why);
    if (status)
        return status;
    if (galaxy->disk_mass == 0)
        return ky_fail(why, KY_USAGE, "a galaxy without a disk");
    for (size_t i = 0; i < b->n; i++) {
        int disk = i < half;
        b->mass[i] = (disk ? galaxy->disk_mass : 1 - galaxy->disk_mass) / (double)half;
        b->position[i][0] = (double)(disk ? i + 1 : i - half + 101);
        b->velocity[i][1] = disk && galaxy->turns ? 4 : 0;
        b->id[i] = disk ? i : 1000 + i;
        b->type[i] = disk ? 2 : 1;
        b->softening[i] = disk ? 0.5 : 1;
    }
    return KY_OK;
}

/* A model in units of its own. */
static enum ky_status make_physical(const void *own, const struct ky_model_common *common,
                                    struct ky_snapshot *snapshot, struct ky_error *why)
{
    snapshot->space.hubble = 0.7;
    enum ky_status status = ky_units_preset("galaxy", &snapshot->units, why);
    return status ? status : make(own, common, snapshot, why);
}

static const struct ky_model galaxy = {
    .name = "galaxy",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .own_size = sizeof(struct galaxy),
    .own_softenings = 1,
    .scaling = KY_SCALE_RADIUS,
    .centring = KY_CENTRE_MASS,
    .half_mass = half_mass,
    .make = make,
};

static struct ky_model_parameters ten(const char *const *words)
{
    struct ky_model_parameters parameters;
    ky_model_parameters_defaults(&parameters);
    parameters.n = 10;
    parameters.options = words;
    return parameters;
}

/* Components keep what the model gave them; only masses, lengths, softenings and speeds are
 * scaled. */
static void components_of_a_model(void **state)
{
    (void)state;
    static const char *const words[] = {"disk-mass=0.25", "turns=yes", "name=a=b", NULL};
    struct ky_snapshot snapshot;
    struct ky_model_parameters parameters = ten(words);
    parameters.mass = 6, parameters.radius = 4, parameters.units.g = 3, parameters.cutoff = 7;
    assert_ok(ky_model_make_one(&galaxy, &parameters, &snapshot, &error));
    const struct ky_bodies *b = &snapshot.bodies;
    const double length = 2, speed = sqrt(3.0 * 6 / 2), mean = (0.25 * 3 + 0.75 * 103) * length;
    assert_true(seen.disk_mass == 0.25 && seen.cutoff == 7 && seen.turns);
    assert_string_equal(seen.name, "a=b");
    assert_true(isnan(seen_common.softening) && isnan(snapshot.softening));
    assert_int_equal(snapshot.softening_kind, KY_SOFTENING_KIND_BY_SNAPSHOT);
    for (size_t i = 0; i < 10; i++) {
        int disk = i < 5;
        assert_int_equal(b->type[i], disk ? 2 : 1);
        assert_int_equal(b->id[i], disk ? i : 1000 + i);
        assert_true(b->softening[i] == (disk ? 1 : 2));
        assert_between(b->mass[i], 6 * (disk ? 0.05 : 0.15) - 1e-14,
                       6 * (disk ? 0.05 : 0.15) + 1e-14);
        double x = length * (double)(disk ? i + 1 : i + 96) - mean;
        assert_between(b->position[i][0], x - 1e-12, x + 1e-12);
        double v = speed * (disk ? 3 : -1);
        assert_between(b->velocity[i][1], v - 1e-12, v + 1e-12);
    }
    ky_snapshot_free(&snapshot);
}

/* A model in units of its own takes neither the steps of scaling and centring nor their options. A
 * model that is centred on its own origin does not move its bodies. */
static void steps_that_a_model_chooses(void **state)
{
    (void)state;
    static const char *const turns[] = {"turns=1", NULL}, *const mass[] = {"mass=3", NULL};
    struct ky_snapshot snapshot;
    struct ky_model_parameters parameters = ten(turns);
    struct ky_model other = galaxy;
    other.scaling = KY_NOT_SCALED, other.centring = KY_NOT_CENTRED, other.make = make_physical;
    parameters.mass = 5, parameters.radius = 9;
    assert_ok(ky_model_make_one(&other, &parameters, &snapshot, &error));
    assert_true(snapshot.units.g == 43009 && snapshot.space.hubble == 0.7);
    assert_true(snapshot.bodies.position[0][0] == 1 && snapshot.bodies.position[9][0] == 105);
    assert_true(snapshot.bodies.velocity[0][1] == 4 && snapshot.bodies.mass[0] == 0.1);
    assert_true(snapshot.bodies.softening[9] == 1);
    ky_snapshot_free(&snapshot);
    assert_false(ky_model_takes(&other, "mass") || ky_model_takes(&other, "radius") ||
                 ky_model_takes(&other, "softening") || ky_model_takes(&other, "softening-kind"));
    assert_true(ky_model_takes(&other, "g") && ky_model_takes(&other, "disk-mass"));
    parameters.options = mass;
    assert_int_equal(ky_model_make_one(&other, &parameters, &snapshot, &error), KY_USAGE);

    other = galaxy;
    other.scaling = KY_SCALE_MASS, other.centring = KY_CENTRE_CUSP, other.own_softenings = 0;
    parameters = ten(turns);
    parameters.mass = 4, parameters.radius = 9, parameters.softening = 0.25;
    assert_ok(ky_model_make_one(&other, &parameters, &snapshot, &error));
    assert_true(snapshot.bodies.position[0][0] == 1 && snapshot.bodies.mass[0] == 0.4);
    assert_between(snapshot.bodies.velocity[0][1], 4 - 1e-14, 4 + 1e-14);
    assert_between(snapshot.bodies.velocity[9][1], -4 - 1e-14, -4 + 1e-14);
    assert_true(seen_common.softening == 0.25 && snapshot.softening == 0.25);
    ky_snapshot_free(&snapshot);
}

static void a_model_that_fails_leaves_nothing(void **state)
{
    (void)state;
    static const char *const none[] = {"disk-mass=0", NULL};
    struct ky_snapshot snapshot;
    struct ky_model_parameters parameters = ten(none);
    assert_int_equal(ky_model_make_one(&galaxy, &parameters, &snapshot, &error), KY_USAGE);
    assert_string_equal(error.text, "a galaxy without a disk");
    assert_int_equal(snapshot.bodies.n, 0);
    assert_null(snapshot.bodies.mass);
    assert_true(isnan(snapshot.softening) && snapshot.units.g == 1);
}

static void make_two(const char *name, const struct ky_model_parameters *parameters,
                     const char *const *words, struct ky_snapshot two[2])
{
    struct ky_model_parameters by_name = ten(words);
    assert_ok(ky_model_make(name, parameters, &two[0], &error));
    assert_ok(ky_model_make(name, &by_name, &two[1], &error));
}

/* Fields and names set the same options. A name comes after the fields. */
static void options_by_name(void **state)
{
    (void)state;
    static const char *const words[] = {"w0=9", "seed=5", "mass=2", "softening-kind=symmetric",
                                        NULL};
    struct ky_model_parameters parameters = ten(NULL);
    struct ky_snapshot two[2];
    parameters.w0 = 9, parameters.seed = 5, parameters.mass = 2;
    parameters.softening_kind = KY_SYMMETRIC;
    make_two("king", &parameters, words, two);
    const size_t bytes = two[0].bodies.n * sizeof *two[0].bodies.position;
    assert_memory_equal(two[0].bodies.position, two[1].bodies.position, bytes);
    assert_memory_equal(two[0].bodies.velocity, two[1].bodies.velocity, bytes);
    assert_true(two[0].bodies.mass[3] == 0.2 && two[1].bodies.mass[3] == 0.2);
    ky_snapshot_free(&two[0]);
    ky_snapshot_free(&two[1]);
    parameters.w0 = 3, parameters.options = words;
    make_two("king", &parameters, words, two);
    assert_memory_equal(two[0].bodies.position, two[1].bodies.position, bytes);
    ky_snapshot_free(&two[0]);
    ky_snapshot_free(&two[1]);
}

static void wrong_options_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *model, *word, *told;
    } cases[] = {
        {"king", "w0=99", "w0: 99 is out of range"},
        {"king", "cutoff=3",
         "softening softening-kind mass radius g mass-function rotation binaries binary-periods "
         "binary-axis-min binary-axis-max binary-eccentricities binary-ratios eigenevolution "
         "position velocity orientation w0"},
        {"king", "w0", "'w0' is not an option of the model king and its value"},
        {"king", "=9", "'=9'"},
        {"two-body", "radius=1", "eccentricity mass-ratio semi-major-axis"},
        {"plummer", "bodies=0", "0 is out of range"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *const words[] = {cases[k].word, NULL};
        struct ky_snapshot snapshot;
        struct ky_model_parameters parameters = ten(words);
        parameters.n = strcmp(cases[k].model, "two-body") ? 10 : 2;
        assert_int_equal(ky_model_make(cases[k].model, &parameters, &snapshot, &error), KY_USAGE);
        assert_non_null(strstr(error.text, cases[k].told));
    }
}

/* A model ignores fields of other models, whatever they hold. */
static void fields_of_other_models(void **state)
{
    (void)state;
    struct ky_snapshot snapshot;
    struct ky_model_parameters parameters = ten(NULL);
    parameters.w0 = -1;
    assert_int_equal(ky_model_make("king", &parameters, &snapshot, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "w0: -1"));
    assert_ok(ky_model_make("plummer", &parameters, &snapshot, &error));
    ky_snapshot_free(&snapshot);
}

static void options_are_listed(void **state)
{
    (void)state;
    struct ky_option_about about = {0};
    char names[512] = "";
    for (size_t k = 0; ky_model_option_get("king", k, &about) == KY_OK; k++) {
        strcat(strcat(names, about.name), " ");
        assert_string_equal(about.section, "model");
        if (!strcmp(about.name, "radius"))
            assert_string_equal(about.unit, "length");
    }
    assert_string_equal(
        names, "bodies seed softening softening-kind mass radius g mass-function rotation binaries "
               "binary-periods binary-axis-min binary-axis-max binary-eccentricities binary-ratios "
               "eigenevolution position velocity orientation w0 ");
    assert_true(about.kind == KY_IS_REAL && about.low == 0.1 && about.high == 16);
    assert_string_equal(about.initial, "6");
    for (size_t k = 0; ky_model_option_get("two-body", k, &about) == KY_OK; k++)
        assert_string_not_equal(about.name, "radius");
    assert_int_equal(ky_model_option_get("kings", 0, &about), KY_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(components_of_a_model),
        cmocka_unit_test(steps_that_a_model_chooses),
        cmocka_unit_test(a_model_that_fails_leaves_nothing),
        cmocka_unit_test(options_by_name),
        cmocka_unit_test(wrong_options_by_name),
        cmocka_unit_test(fields_of_other_models),
        cmocka_unit_test(options_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
