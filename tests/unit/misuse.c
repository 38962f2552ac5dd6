/* Calls that no program should make: NULL for a struct, structs of no size, numbers at the ends of
 * their types. Each call ends with KY_OK, or with a status and a line that says what is wrong.
 * Under the sanitizers none does anything undefined (tests/command/sanitize-address.sh). */
#include "snapshot.h"

#include <float.h>
#include <limits.h>
#include <math.h>

#include "base/random.h"
#include "integrate/integrate.h"
#include "simulation/run.h"
#include "snapshot/restart.h"

enum { N = 12, PATIENCE = 600 }; /* bodies; seconds, enough under valgrind on a busy machine */

static struct ky_error error;
static struct ky_bodies bodies;
static struct ky_parameters usual;

static int make_bodies(void **state)
{
    assert_ok(ky_bodies_allocate(&bodies, N, 0, &error));
    for (size_t i = 0; i < N; i++) {
        struct ky_random random = ky_random_at(3, 0, i);
        bodies.mass[i] = 1.0 / N;
        for (int k = 0; k < 3; k++) {
            bodies.position[i][k] = ky_random_uniform(&random);
            bodies.velocity[i][k] = 0.1 * ky_random_uniform(&random);
        }
    }
    ky_parameters_defaults(&usual);
    usual.engine = "cpu";
    usual.threads = 1;
    usual.softening = 0.05;
    usual.step = 0.01;
    return make_folder(state);
}

static int free_bodies(void **state)
{
    ky_bodies_free(&bodies);
    return remove_folder(state);
}

/* Fails unless an error has its status and a line of text. */
static void assert_told(enum ky_status status, const char *what)
{
    if (status == KY_OK)
        return;
    if (status != error.status || !error.text[0] || strchr(error.text, '\n'))
        fail_msg("%s: status %d, the error has %d and says '%s'", what, (int)status,
                 (int)error.status, error.text);
}

/* ---- structs that are not there, or not filled ---- */

#define REFUSED(call)                                                                              \
    do {                                                                                           \
        memset(&error, 0, sizeof error);                                                           \
        enum ky_status status_ = (call);                                                           \
        if (status_ != KY_USAGE)                                                                   \
            fail_msg("%s: %s, not wrong usage: %s", #call, ky_status_name(status_), error.text);   \
        assert_told(status_, #call);                                                               \
    } while (0)

static int lead_nothing(void *context)
{
    (void)context;
    return 0;
}

static void structs_that_are_not_there(void **state)
{
    (void)state;
    const struct ky_parameters *p = &usual;
    struct ky_snapshot snapshot;
    struct ky_scales scales = {0};
    struct ky_units units;
    struct ky_catalogue catalogue = {0};
    struct ky_catalogue_parameters wanted;
    struct ky_profile_parameters shells;
    struct ky_radial_profile profile = {0};
    struct ky_binaries pairs = {0};
    struct ky_draw_parameters draw;
    struct ky_option_about about = {0};
    double numbers[N];
    const double origin[3] = {0};
    uint32_t count[N];
    ky_snapshot_clear(&snapshot);
    ky_catalogue_parameters_defaults(&wanted);
    ky_profile_parameters_defaults(&shells);
    ky_draw_parameters_defaults(&draw);
    REFUSED(ky_bodies_allocate(NULL, 3, 0, &error));
    REFUSED(ky_bodies_extend(NULL, 0, &error));
    REFUSED(ky_bodies_check(NULL, &error));
    REFUSED(ky_units_preset(NULL, &units, &error));
    REFUSED(ky_units_preset("galaxy", NULL, &error));
    REFUSED(ky_forces(NULL, &bodies, NULL, &error));
    REFUSED(ky_forces(p, NULL, NULL, &error));
    int code;
    REFUSED(ky_mpi_lead(NULL, NULL, &code, &error));
    REFUSED(ky_mpi_lead(lead_nothing, NULL, NULL, &error));
    REFUSED(ky_external_field(NULL, NULL, &error));
    REFUSED(ky_external_field(p, NULL, &error));
    REFUSED(ky_orbit(NULL, 0, NULL, NULL, NULL, NULL, &error));
    REFUSED(ky_orbit(p, 2, numbers, NULL, NULL, NULL, &error));
    REFUSED(ky_neighbours(NULL, &bodies, numbers, 1, count, NULL, NULL, &error));
    REFUSED(ky_neighbours(p, NULL, numbers, 1, count, NULL, NULL, &error));
    REFUSED(ky_neighbours(p, &bodies, NULL, 1, count, NULL, NULL, &error));
    REFUSED(ky_nearest(NULL, &bodies, 1, count, NULL, NULL, &error));
    REFUSED(ky_nearest(p, NULL, 1, count, NULL, NULL, &error));
    REFUSED(ky_sph_density(NULL, &bodies, 4, numbers, NULL, NULL, &error));
    REFUSED(ky_sph_density(p, NULL, 4, numbers, NULL, NULL, &error));
    REFUSED(ky_sph_density(p, &bodies, 4, NULL, NULL, NULL, &error));
    REFUSED(ky_catalogue_make(NULL, &wanted, &bodies, &catalogue, NULL, &error));
    REFUSED(ky_catalogue_make(p, NULL, &bodies, &catalogue, NULL, &error));
    REFUSED(ky_catalogue_make(p, &wanted, NULL, &catalogue, NULL, &error));
    REFUSED(ky_catalogue_make(p, &wanted, &bodies, NULL, NULL, &error));
    REFUSED(ky_catalogue_write(NULL, &catalogue, &snapshot, 0, &error));
    REFUSED(ky_catalogue_write("a.csv", NULL, &snapshot, 0, &error));
    REFUSED(ky_catalogue_write("a.csv", &catalogue, NULL, 0, &error));
    REFUSED(ky_walk(NULL, &bodies, "count", NULL, numbers, NULL, &error));
    REFUSED(ky_walk(p, NULL, "count", NULL, numbers, NULL, &error));
    REFUSED(ky_walk(p, &bodies, NULL, NULL, numbers, NULL, &error));
    const struct ky_walk_input nothing = {.size = sizeof nothing};
    REFUSED(ky_walk(p, &bodies, "gravity", &nothing, NULL, NULL, &error));
    REFUSED(ky_snapshot_read(NULL, &snapshot, &error));
    REFUSED(ky_snapshot_read("a", NULL, &error));
    REFUSED(ky_snapshot_write(NULL, &snapshot, NULL, &error));
    REFUSED(ky_snapshot_write("a.csv", NULL, NULL, &error));
    REFUSED(ky_model_make(NULL, NULL, &snapshot, &error));
    REFUSED(ky_model_make("plummer", NULL, &snapshot, &error));
    REFUSED(ky_merge(NULL, NULL, NULL, NULL, &error));
    REFUSED(ky_density_centre(NULL, numbers, &error));
    REFUSED(ky_lagrangian_radii(NULL, numbers, 1, numbers, numbers, &error));
    REFUSED(ky_lagrangian_radii(&bodies, origin, 1, NULL, numbers, &error));
    REFUSED(ky_lagrangian_radii(&bodies, origin, 1, origin, NULL, &error));
    REFUSED(ky_system_scales(NULL, 1, 0, &scales, &error));
    REFUSED(ky_draw(NULL, &snapshot, 1, &draw, &error));
    REFUSED(ky_draw("a.png", NULL, 1, &draw, &error));
    REFUSED(ky_draw("a.png", &snapshot, 1, NULL, &error));
    REFUSED(ky_snapshot_read_as(NULL, NULL, &snapshot, &error));
    REFUSED(ky_snapshot_read_as("a", NULL, NULL, &error));
    REFUSED(ky_binaries_find(NULL, &bodies, &pairs, NULL, &error));
    REFUSED(ky_binaries_find(p, NULL, &pairs, NULL, &error));
    REFUSED(ky_binaries_find(p, &bodies, NULL, NULL, &error));
    REFUSED(ky_profile_make(NULL, &bodies, &profile, &error));
    REFUSED(ky_profile_make(&shells, NULL, &profile, &error));
    REFUSED(ky_profile_make(&shells, &bodies, NULL, &error));
    assert_int_equal(ky_model_option_get(NULL, 0, &about), KY_USAGE);
    /* Calls whose results are not wanted are no error. */
    assert_ok(ky_option_get(0, NULL));
    assert_ok(ky_action_get(0, NULL));
    assert_ok(ky_device_get(0, NULL));
    assert_ok(ky_model_option_get("plummer", 0, NULL));
}

static void simulations_that_are_not_there(void **state)
{
    (void)state;
    const struct ky_parameters *p = &usual;
    struct ky_parameters own = usual;
    struct ky_sim *sim = NULL;
    struct ky_snapshot snapshot;
    struct ky_run_parameters run;
    struct ky_plan plan = {0};
    uint64_t id = 0;
    size_t place = 0;
    char text[16];
    ky_snapshot_clear(&snapshot);
    ky_run_parameters_defaults(&run);
    REFUSED(ky_parameters_choose_force(NULL, (const char *[]){NULL}, &error));
    REFUSED(ky_parameters_choose_force(&own, NULL, &error));
    REFUSED(ky_parameters_get(NULL, "theta", text, sizeof text, &error));
    REFUSED(ky_parameters_get(&own, NULL, text, sizeof text, &error));
    REFUSED(ky_parameters_get(&own, "theta", NULL, 0, &error));
    REFUSED(ky_parameters_set(NULL, "theta", "1", &error));
    REFUSED(ky_parameters_set(&own, NULL, "1", &error));
    REFUSED(ky_parameters_set(&own, "theta", NULL, &error));
    REFUSED(ky_softening_choose(NULL, &snapshot, NULL, &error));
    REFUSED(ky_softening_choose(&own, NULL, NULL, &error));
    REFUSED(ky_sim_open(NULL, &bodies, 0, &sim, &error));
    REFUSED(ky_sim_open(p, NULL, 0, &sim, &error));
    REFUSED(ky_sim_open(p, &bodies, 0, NULL, &error));
    REFUSED(ky_sim_advance(NULL, 1, &error));
    REFUSED(ky_sim_advance_to(NULL, 1, 0, &error));
    REFUSED(ky_sim_write(NULL, &bodies, &error));
    REFUSED(ky_sim_add(NULL, &bodies, &error));
    REFUSED(ky_sim_remove(NULL, &id, 1, &error));
    REFUSED(ky_sim_change_begin(NULL, &error));
    REFUSED(ky_sim_change_end(NULL, 0, &error));
    REFUSED(ky_sim_set_parameter(NULL, "theta", "1", &error));
    REFUSED(ky_sim_set_fields(NULL, NULL, &error));
    REFUSED(ky_sim_parameters(NULL, &own, &error));
    REFUSED(ky_sim_find(NULL, &id, 1, &place, &error));
    REFUSED(ky_sim_sample(NULL, 1, 0, &place, &place, &error));
    REFUSED(ky_sim_read(NULL, NULL, &bodies, &error));
    REFUSED(ky_sim_replace(NULL, NULL, &bodies, &error));
    REFUSED(ky_sim_kick(NULL, &place, 1, (const double(*)[3])bodies.velocity, &error));
    REFUSED(ky_sim_column(NULL, "step", &place, 1, bodies.mass, &error));
    REFUSED(ky_sim_walk(NULL, "count", NULL, bodies.mass, NULL, &error));
    REFUSED(ky_sim_neighbours(NULL, bodies.mass, 1, NULL, NULL, NULL, &error));
    REFUSED(ky_sim_nearest(NULL, 1, NULL, NULL, NULL, &error));
    REFUSED(ky_sim_sph_density(NULL, 1, bodies.mass, NULL, NULL, &error));
    REFUSED(ky_sim_catalogue_make(NULL, NULL, NULL, NULL, &error));
    REFUSED(ky_sim_set_step(NULL, 1, &error));
    REFUSED(ky_sim_set_softening(NULL, 1, &error));
    REFUSED(ky_sim_field(NULL, 0, NULL, 0, NULL, NULL, &error));
    REFUSED(ky_sim_save(NULL, "a", &error));
    unsigned orders = 0;
    struct ky_view *view;
    struct ky_view_parameters shown;
    ky_view_parameters_defaults(&shown);
    assert_ok(ky_view_open(&shown, &view, &error));
    REFUSED(ky_sim_show(NULL, view, &orders, &error));
    ky_view_close(view);
    size_t room = 0;
    REFUSED(ky_sim_save_memory(NULL, NULL, &room, &error));
    REFUSED(ky_sim_restore_memory(NULL, 0, p, &sim, &error));
    REFUSED(ky_sim_restore_memory("a", 1, p, NULL, &error));
    REFUSED(ky_sim_restore(NULL, p, &sim, &error));
    REFUSED(ky_sim_restore("a", p, NULL, &error));
    REFUSED(ky_sim_bodies(NULL, &bodies, &error));
    REFUSED(ky_sim_sums(NULL, &(struct ky_sums){0}, &error));
    REFUSED(ky_run_plan(NULL, &run, &snapshot, &plan, &error));
    REFUSED(ky_run_plan(p, NULL, &snapshot, &plan, &error));
    REFUSED(ky_run_plan(p, &run, NULL, &plan, &error));
    REFUSED(ky_run(NULL, &run, &snapshot, &error));
    REFUSED(ky_run(p, NULL, &snapshot, &error));
    REFUSED(ky_run(p, &run, NULL, &error));
    REFUSED(ky_resume(NULL, &run, &error));
    REFUSED(ky_resume(p, NULL, &error));
    /* Nor are calls with optional arguments left out, or with nothing to do. */
    ky_sim_close(NULL);
    ky_bodies_free(NULL);
    ky_snapshot_free(NULL);
    ky_catalogue_free(NULL);
    ky_neighbour_lists_free(NULL);
    ky_binaries_free(NULL);
    ky_profile_free(NULL);
    ky_sim_report(NULL, &(struct ky_force_report){0});
    ky_sim_stop_reason(NULL, &(struct ky_stop){0});
    assert_int_equal(ky_sim_n(NULL), 0);
    assert_true(isnan(ky_sim_time(NULL)));
    assert_int_equal(ky_sim_steps(NULL), 0);
    assert_true(isnan(ky_total_energy(NULL)) && isnan(ky_virial_ratio(NULL)));
    ky_space_describe(NULL, text, sizeof text);
    assert_string_equal(text, "");
    assert_ok(ky_forces(p, &bodies, NULL, NULL));
}

static void structs_of_no_size(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 7, 12, sizeof(struct ky_parameters) + 8, SIZE_MAX};
    struct ky_sim *sim = NULL;
    struct ky_snapshot snapshot;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        struct ky_parameters p = usual;
        p.size = sizes[k];
        ky_snapshot_clear(&snapshot);
        REFUSED(ky_forces(&p, &bodies, NULL, &error));
        REFUSED(ky_sim_open(&p, &bodies, 0, &sim, &error));
        REFUSED(ky_softening_choose(&p, &snapshot, NULL, &error));
        char text[16];
        REFUSED(ky_parameters_get(&p, "theta", text, sizeof text, &error));
        struct ky_binaries pairs = {0};
        REFUSED(ky_binaries_find(&p, &bodies, &pairs, NULL, &error));
    }
    struct ky_radial_profile profile = {0};
    REFUSED(ky_profile_make(&(struct ky_profile_parameters){0}, &bodies, &profile, &error));
    REFUSED(
        ky_profile_make(&(struct ky_profile_parameters){.size = 12}, &bodies, &profile, &error));
    assert_null(profile.bodies);
    snapshot.size = 12;
    REFUSED(ky_snapshot_write("a.csv", &snapshot, NULL, &error));
    snapshot.size = 0;
    REFUSED(ky_snapshot_write("a.csv", &snapshot, NULL, &error));
    REFUSED(ky_sim_open(&(struct ky_parameters){0}, &bodies, 0, &sim, &error));
    REFUSED(ky_run(&usual, &(struct ky_run_parameters){0}, &snapshot, &error));
}

/* Arguments that are NULL in calls of an open simulation. */
static void arguments_that_are_not_there(void **state)
{
    (void)state;
    struct ky_sim *sim;
    size_t place = 0;
    uint64_t id = 0;
    struct ky_catalogue_parameters wanted;
    ky_catalogue_parameters_defaults(&wanted);
    assert_ok(ky_sim_open(&usual, &bodies, 0, &sim, &error));
    REFUSED(ky_sim_remove(sim, NULL, 1, &error));
    REFUSED(ky_sim_set_parameter(sim, NULL, "1", &error));
    REFUSED(ky_sim_set_parameter(sim, "theta", NULL, &error));
    REFUSED(ky_sim_parameters(sim, NULL, &error));
    REFUSED(ky_sim_find(sim, NULL, 1, &place, &error));
    REFUSED(ky_sim_find(sim, &id, 1, NULL, &error));
    REFUSED(ky_sim_sample(sim, 1, 0, NULL, &place, &error));
    REFUSED(ky_sim_sample(sim, 1, 0, &place, NULL, &error));
    REFUSED(ky_sim_read(sim, &place, NULL, &error));
    REFUSED(ky_sim_replace(sim, &place, NULL, &error));
    REFUSED(ky_sim_kick(sim, &place, 1, NULL, &error));
    REFUSED(ky_sim_column(sim, NULL, &place, 1, bodies.mass, &error));
    REFUSED(ky_sim_walk(sim, NULL, NULL, bodies.mass, NULL, &error));
    REFUSED(ky_sim_walk(sim, "count", NULL, bodies.mass, NULL, &error));
    REFUSED(ky_sim_walk(sim, "count", NULL, NULL, NULL, &error));
    REFUSED(ky_sim_neighbours(sim, NULL, 1, NULL, NULL, NULL, &error));
    REFUSED(ky_sim_sph_density(sim, 3, NULL, NULL, NULL, &error));
    REFUSED(ky_sim_field(sim, 1, NULL, 0, bodies.position, NULL, &error));
    REFUSED(ky_sim_catalogue_make(sim, NULL, &(struct ky_catalogue){0}, NULL, &error));
    REFUSED(ky_sim_catalogue_make(sim, &wanted, NULL, NULL, &error));
    struct ky_bodies dirty = bodies;
    dirty.later[3] = &dirty;
    REFUSED(ky_sim_replace(sim, NULL, &dirty, &error));
    ky_sim_stop_reason(sim, NULL);
    assert_ok(ky_sim_advance(sim, 1, &error)); /* none of these calls has harmed it */
    ky_sim_close(sim);
}

/* A struct of bodies that the program did not set to zero. */
static void bodies_that_were_not_zeroed(void **state)
{
    (void)state;
    struct ky_sim *sim = NULL;
    struct ky_bodies dirty = bodies;
    dirty.later[3] = &dirty;
    REFUSED(ky_bodies_check(&dirty, &error));
    REFUSED(ky_forces(&usual, &dirty, NULL, &error));
    REFUSED(ky_sim_open(&usual, &dirty, 0, &sim, &error));
    REFUSED(ky_bodies_extend(&dirty, KY_WITH_POTENTIAL, &error));
}

/* Bodies without masses, positions or velocities are refused by the calls that need them. */
static void bodies_that_lack_an_array(void **state)
{
    (void)state;
    enum { MASS, POSITION, VELOCITY };
    static const char *const names[] = {"`mass`", "`position`", "`velocity`"};
    struct ky_parameters p = usual;
    struct ky_sim *sim = NULL, *whole;
    struct ky_snapshot snapshot;
    struct ky_scales scales = {0};
    struct ky_catalogue catalogue = {0};
    struct ky_catalogue_parameters wanted;
    struct ky_profile_parameters shells;
    struct ky_radial_profile profile = {0};
    struct ky_binaries pairs = {0};
    struct ky_draw_parameters draw;
    struct ky_merge_parameters meeting;
    struct ky_merge_scale scale = {0};
    struct ky_picture picture = {0};
    struct ky_bodies merged = {0};
    double numbers[N], x[3];
    ky_catalogue_parameters_defaults(&wanted);
    ky_profile_parameters_defaults(&shells);
    ky_draw_parameters_defaults(&draw);
    ky_merge_parameters_defaults(&meeting);
    meeting.separation = 5;
    meeting.radius = 1;
    assert_ok(ky_sim_open(&p, &bodies, 0, &whole, &error));
    for (int lacking = MASS; lacking <= VELOCITY; lacking++) {
        struct ky_bodies b = bodies;
        b.mass = lacking == MASS ? NULL : b.mass;
        b.position = lacking == POSITION ? NULL : b.position;
        b.velocity = lacking == VELOCITY ? NULL : b.velocity;
        ky_snapshot_clear(&snapshot);
        snapshot.bodies = b;
        REFUSED(ky_bodies_check(&b, &error));
        REFUSED(ky_forces(&p, &b, NULL, &error));
        REFUSED(ky_sim_open(&p, &b, 0, &sim, &error));
        REFUSED(ky_sim_add(whole, &b, &error));
        REFUSED(ky_walk(&p, &b, "gravity", NULL, numbers, NULL, &error));
        REFUSED(ky_sph_density(&p, &b, 4, numbers, NULL, NULL, &error));
        REFUSED(ky_catalogue_make(&p, &wanted, &b, &catalogue, NULL, &error));
        REFUSED(ky_binaries_find(&p, &b, &pairs, NULL, &error));
        REFUSED(ky_profile_make(&shells, &b, &profile, &error));
        REFUSED(ky_merge(&bodies, &b, &meeting, &merged, &error));
        REFUSED(ky_draw_pixels(&snapshot, 1, &draw, &picture, &error));
        REFUSED(ky_snapshot_write(in_folder("lacking.csv"), &snapshot, NULL, &error));
        REFUSED(ky_system_scales(&b, 1, 0, &scales, &error));
        assert_non_null(strstr(error.text, names[lacking]));
        if (lacking != MASS)
            REFUSED(ky_bodies_place(&b, "1,0,0", NULL, NULL, NULL, &error));
        if (lacking == VELOCITY)
            continue;
        REFUSED(ky_density_centre(&b, x, &error));
        REFUSED(ky_sampled_centre(&b, x, &error));
        REFUSED(ky_lagrangian_radii(&b, (const double[3]){0}, 1, numbers, numbers, &error));
        REFUSED(ky_merge_scale(&b, &meeting, &scale, &error));
        assert_non_null(strstr(error.text, names[lacking]));
    }
    ky_sim_close(whole);
}

/* Centres of bodies without mass are refused. */
static void bodies_without_a_centre(void **state)
{
    (void)state;
    double centre[3], mass[N] = {0}, x[N][3] = {{0}};
    const struct ky_bodies b = {.n = N, .mass = mass, .position = x};
    assert_int_equal(ky_sampled_centre(&b, centre, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "no body has mass"));
    mass[0] = 1;
    assert_ok(ky_sampled_centre(&b, centre, &error));
    mass[3] = (double)NAN;
    assert_int_equal(ky_sampled_centre(&b, centre, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "body 3: mass"));
    mass[3] = 0;
    x[4][1] = (double)INFINITY;
    assert_int_equal(ky_sampled_centre(&b, centre, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "body 4: position y"));
}

/* A kind of softening that does not exist, in a snapshot or in the parameters. */
static void unknown_kinds_are_refused(void **state)
{
    (void)state;
    static const int none[] = {INT_MIN, -2, KY_SPLINE + 1, 64, INT_MAX};
    struct ky_snapshot snapshot;
    struct ky_plan plan = {0};
    struct ky_run_parameters run;
    char remark[KY_REMARK];
    ky_run_parameters_defaults(&run);
    run.output = "nowhere";
    run.steps = 1;
    ky_snapshot_clear(&snapshot);
    snapshot.bodies = bodies;
    for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
        struct ky_parameters p = usual, stored = usual;
        p.softening_kind = none[k];
        snapshot.softening_kind = -1;
        REFUSED(ky_softening_choose(&p, &snapshot, remark, &error));
        REFUSED(ky_run_plan(&p, &run, &snapshot, &plan, &error));
        stored.softening = (double)NAN;
        snapshot.softening = 0.1;
        snapshot.softening_kind = none[k];
        REFUSED(ky_softening_choose(&stored, &snapshot, remark, &error));
        REFUSED(ky_run_plan(&stored, &run, &snapshot, &plan, &error));
    }
}

/* ---- numbers ---- */

/* Puts a senseless number into the field of an option. */
static void spoil(const struct ky_option *option, struct ky_parameters *p, struct ky_random *random)
{
    static const int ints[] = {INT_MIN, INT_MIN + 1, -2, -1, 0, 1, 2, 3, 65, 1 << 20, INT_MAX};
    static const double reals[] = {0,   -1,    1e-300, 1e-9,   0.5,     1,
                                   1e9, 1e300, -1e300, 5e-324, DBL_MAX, 2};
    static const char *const texts[] = {"",
                                        "cpu",
                                        "=,:",
                                        "lambda:omega=1e300,h0=1e200",
                                        "point:mass=1e300",
                                        "tidal:xx=1e308,yy=1e308,zz=1e308",
                                        "plummer:mass=1e150,scale=1e-150",
                                        "logarithmic:speed=1e160,core=1e-300",
                                        "omega-m=1e-300,h0=1e300",
                                        "omega-m=0.3,omega-lambda=-1e300,h0=1"};
    void *place = (char *)p + option->offset;
    const double which = ky_random_uniform(random);
#define ONE_OF(list) list[(size_t)(which * (double)(sizeof(list) / sizeof *(list)))]
    double real = ONE_OF(reals);
    if (which > 0.9)
        real = which > 0.95 ? (double)INFINITY : (double)NAN;
    switch (option->type) {
    case KY_OPTION_REAL:
        *(double *)place = real;
        break;
    case KY_OPTION_TEXT:
        *(const char **)place = ONE_OF(texts);
        break;
    case KY_OPTION_COUNT:
        *(uint64_t *)place = UINT64_MAX;
        break;
    default:
        *(int *)place = ONE_OF(ints);
    }
}

/* Tries parameters: forces, a few steps, walks. */
static void try(const struct ky_parameters *p, int advances)
{
    struct ky_sim *sim = NULL;
    struct ky_snapshot snapshot;
    struct ky_run_parameters run;
    struct ky_plan plan = {0};
    double density[N];
    uint32_t count[N];
    const double radius = 0.3;
    assert_told(ky_forces(p, &bodies, NULL, &error), "ky_forces");
    enum ky_status status = ky_sim_open(p, &bodies, 1, &sim, &error);
    assert_told(status, "ky_sim_open");
    if (!status && advances) {
        assert_told(ky_sim_advance(sim, 2, &error), "ky_sim_advance");
        assert_told(ky_sim_advance_to(sim, ky_sim_time(sim) + p->step, 1, &error),
                    "ky_sim_advance_to");
    }
    ky_sim_close(sim);
    ky_snapshot_clear(&snapshot);
    ky_run_parameters_defaults(&run);
    snapshot.bodies = bodies;
    run.steps = 3;
    run.output = "none";
    assert_told(ky_run_plan(p, &run, &snapshot, &plan, &error), "ky_run_plan");
    assert_told(ky_sph_density(p, &bodies, 4, density, NULL, NULL, &error), "ky_sph_density");
    assert_told(ky_neighbours(p, &bodies, &radius, 1, count, NULL, NULL, &error), "ky_neighbours");
}

/* One or two options at a time have senseless numbers, so that the others do not hide the fault.
 * The engine stays. Steps of the bodies' own are left as they are, since they may really be as
 * short as the longest step over 2^40. */
static void numbers_of_no_sense(void **state)
{
    (void)state;
    const size_t rounds = test_everything() ? 20000 : 600;
    for (size_t k = 0; k < rounds; k++) {
        struct ky_random random = ky_random_at(21, 0, k);
        struct ky_parameters p = usual;
        struct ky_option_set sets[KY_PARAMETER_SETS];
        ky_parameter_sets(&p, sets);
        p.integrator = (int)(k % 3);
        p.force = k % 2 ? KY_DIRECT : KY_TREE;
        for (int changes = 1 + (int)(k % 2); changes; changes--) {
            const size_t total = ky_options_total(sets, KY_PARAMETER_SETS);
            size_t which = (size_t)(ky_random_uniform(&random) * (double)total);
            int s = 0;
            while (which >= sets[s].count)
                which -= sets[s++].count;
            spoil(&sets[s].options[which], &p, &random);
        }
        p.engine = "cpu";
        p.threads = p.threads > 4 || p.threads == 0 ? 1 : p.threads;
        alarm(PATIENCE); /* no call may go on for ever */
        try(&p, p.integrator == KY_LEAPFROG);
        alarm(0);
    }
}

/* Fails unless the simulation, after a fatal failure, can only be closed; closes it. */
static void assert_only_closes(struct ky_sim *sim)
{
    size_t index = 0, count;
    uint64_t id = 0;
    double numbers[N][3] = {{0}};
    struct ky_parameters own = usual;
    struct ky_catalogue groups = {0};
    struct ky_catalogue_parameters wanted;
    const struct ky_walk_input input = {.size = sizeof input};
    ky_catalogue_parameters_defaults(&wanted);
    REFUSED(ky_sim_advance(sim, 1, &error));
    REFUSED(ky_sim_advance_to(sim, 1, 0, &error));
    REFUSED(ky_sim_change_begin(sim, &error));
    REFUSED(ky_sim_change_end(sim, 1, &error));
    REFUSED(ky_sim_write(sim, &bodies, &error));
    REFUSED(ky_sim_add(sim, &bodies, &error));
    REFUSED(ky_sim_remove(sim, &id, 1, &error));
    REFUSED(ky_sim_set_step(sim, 1, &error));
    REFUSED(ky_sim_set_softening(sim, 1, &error));
    REFUSED(ky_sim_set_parameter(sim, "eta", "0.1", &error));
    REFUSED(ky_sim_set_fields(sim, NULL, &error));
    REFUSED(ky_sim_read(sim, NULL, &bodies, &error));
    REFUSED(ky_sim_replace(sim, NULL, &bodies, &error));
    REFUSED(ky_sim_kick(sim, NULL, N, (const double(*)[3])numbers, &error));
    REFUSED(ky_sim_column(sim, "step", NULL, N, numbers[0], &error));
    REFUSED(ky_sim_walk(sim, "count", &input, numbers[0], NULL, &error));
    REFUSED(ky_sim_neighbours(sim, numbers[0], 1, NULL, NULL, NULL, &error));
    REFUSED(ky_sim_sph_density(sim, 3, numbers[0], NULL, NULL, &error));
    REFUSED(ky_sim_catalogue_make(sim, &wanted, &groups, NULL, &error));
    REFUSED(ky_sim_bodies(sim, &bodies, &error));
    REFUSED(ky_sim_sums(sim, &(struct ky_sums){0}, &error));
    REFUSED(ky_sim_field(sim, 1, (const double(*)[3])numbers, 0, numbers, NULL, &error));
    REFUSED(ky_sim_save(sim, "failed.kyo", &error));
    assert_non_null(strstr(error.text, "only be closed"));
    /* These calls do not need the engine. */
    assert_ok(ky_sim_find(sim, &id, 1, &index, &error));
    assert_ok(ky_sim_sample(sim, 1, 0, &index, &count, &error));
    assert_ok(ky_sim_parameters(sim, &own, &error));
    assert_int_equal(ky_sim_n(sim), N);
    ky_sim_close(sim);
}

/* Numbers with which a simulation might go on for ever. */
static void motions_that_would_not_end(void **state)
{
    (void)state;
    static const char *const fields[] = {NULL,
                                         "lambda:omega=1e300,h0=1",
                                         "lambda:omega=1e300,h0=1e200",
                                         "point:mass=1e300",
                                         "plummer:mass=1e150,scale=1e-150",
                                         "logarithmic:speed=1e100,core=1e-100",
                                         "tidal:xx=-1e30,yy=-1e30,zz=-1e30",
                                         "nfw:mass=1e30,scale=1e-9"};
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
        for (int integrator = 0; integrator < 3; integrator++) {
            struct ky_parameters p = usual;
            p.force = KY_DIRECT;
            p.field = fields[f];
            p.integrator = integrator;
            alarm(PATIENCE);
            try(&p, 1);
            p.step = (double)NAN;
            p.step_max = (double)INFINITY;
            try(&p, 1);
            p.step = (double)INFINITY;
            try(&p, 1);
            alarm(0);
        }
    struct ky_parameters p = usual;
    struct ky_sim *sim;
    p.force = KY_DIRECT;
    p.integrator = KY_HERMITE4;
    p.eta = 0.02;
    p.corrections = 1;
    p.field = "tidal:xx=-1e30,yy=-1e30,zz=-1e30";
    assert_ok(ky_sim_open(&p, &bodies, 0, &sim, &error));
    assert_int_equal(ky_sim_advance(sim, 1, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "too short for a longest step of 0.01"));
    struct ky_stop stop = {0};
    ky_sim_stop_reason(sim, &stop);
    assert_true(stop.kind == KY_STOP_SHORT_STEPS && stop.time == 0 && stop.step > 0);
    assert_only_closes(sim);
}

/* Forces that are not finite are refused with every integrator. */
static void restart_files_with_wrong_forces(void **state)
{
    (void)state;
    static const char *const sections[] = {"acceleration", "potential"};
    char path[512];
    snprintf(path, sizeof path, "%s", in_folder("forces.kyo"));
    for (int integrator = KY_LEAPFROG; integrator <= KY_FEW; integrator++)
        for (int s = 0; s < 2; s++) {
            struct ky_restart restart;
            struct ky_parameters p = usual, none;
            struct ky_sim *sim;
            p.integrator = integrator;
            p.force = KY_DIRECT;
            p.softening = integrator == KY_FEW ? 0 : p.softening;
            ky_parameters_defaults(&none);
            none.threads = 1;
            remove(path);
            assert_ok(ky_sim_open(&p, &bodies, 0, &sim, &error));
            assert_ok(ky_sim_save(sim, path, &error));
            ky_sim_close(sim);
            assert_ok(ky_restart_read(path, &restart, NULL, &error));
            const double wrong = s ? (double)INFINITY : (double)NAN;
            memcpy((char *)(uintptr_t)ky_restart_find(&restart, sections[s])->data + 8, &wrong, 8);
            remove(path); /* and none is the previous one */
            assert_ok(ky_restart_write(&(struct ky_restart_to){.path = path}, restart.section,
                                       restart.count, &error));
            assert_int_equal(ky_sim_restore(path, &none, &sim, &error), KY_BAD_DATA);
            assert_non_null(strstr(error.text, sections[s]));
            ky_restart_free(&restart);
        }
}

/* Restart files with right checksums and a changed number: each word of each section in turn. */
static void restart_files_that_were_changed(void **state)
{
    (void)state;
    static const uint64_t words[] = {0, 1, UINT64_MAX, 0x7ff8000000000000};
    char path[512];
    snprintf(path, sizeof path, "%s", in_folder("changed.kyo"));
    struct ky_restart restart;
    struct ky_parameters p = usual, none;
    struct ky_sim *sim;
    p.integrator = KY_HERMITE4;
    p.force = KY_DIRECT;
    ky_parameters_defaults(&none);
    none.threads = 1;
    assert_ok(ky_sim_open(&p, &bodies, 0, &sim, &error));
    assert_ok(ky_sim_advance(sim, 2, &error));
    assert_ok(ky_sim_save(sim, path, &error));
    ky_sim_close(sim);
    assert_ok(ky_restart_read(path, &restart, NULL, &error));
    int refused = 0;
    for (size_t s = 0; s < restart.count; s++)
        for (size_t w = 0; w < restart.section[s].bytes / 8; w += w < 16 ? 1 : 13)
            for (size_t v = 0; v < sizeof words / sizeof *words; v++) {
                char *place = (char *)(uintptr_t)restart.section[s].data + 8 * w;
                uint64_t before;
                memcpy(&before, place, 8);
                memcpy(place, &words[v], 8);
                remove(path);
                assert_ok(ky_restart_write(&(struct ky_restart_to){.path = path}, restart.section,
                                           restart.count, &error));
                memcpy(place, &before, 8);
                alarm(PATIENCE);
                enum ky_status status = ky_sim_restore(path, &none, &sim, &error);
                assert_told(status, restart.section[s].name);
                refused += status != KY_OK;
                if (!status)
                    assert_told(ky_sim_advance(sim, 1, &error), restart.section[s].name);
                ky_sim_close(status ? NULL : sim);
                alarm(0);
            }
    assert_true(refused > 20);
    ky_restart_free(&restart);
}

/* ---- numbers of a restart file that contradict the rest ---- */

/* A change of a number in the file. The error has the text `told`; where `told` is NULL, it has the
 * names of the number and of the section in quotation marks. */
struct change {
    const char *section, *name;
    enum { REAL, COUNT } type;
    double real;
    uint64_t count;
    const char *told;
};

#define TO_REAL(section, name, value)                                                              \
    {                                                                                              \
        section, name, REAL, value, 0, NULL                                                        \
    }
#define TO_COUNT(section, name, value)                                                             \
    {                                                                                              \
        section, name, COUNT, 0, value, NULL                                                       \
    }
#define FLAG(name) TO_COUNT("run", name, 2)
#define NO_REAL(section, name)                                                                     \
    TO_REAL(section, name, (double)NAN), TO_REAL(section, name, (double)INFINITY)
#define NO_SIZE(section, name) NO_REAL(section, name), TO_REAL(section, name, -1)
static const struct change changes[] = {
    NO_REAL("clock", "start"),
    TO_REAL("clock", "tick", 0),
    TO_REAL("clock", "tick", 0.001),
    TO_REAL("clock", "tick", (double)NAN),
    TO_COUNT("clock", "ticks", 1),
    TO_COUNT("clock", "ticks", UINT64_MAX),
    TO_COUNT("clock", "bodies", 0),
    TO_COUNT("clock", "bodies", N - 1),
    TO_COUNT("clock", "bodies", UINT64_MAX / 16),
    TO_COUNT("clock", "with", 0),
    TO_COUNT("clock", "with", KY_WITH_ID),
    TO_COUNT("clock", "with", UINT64_MAX),
    NO_REAL("clock", "part"),
    TO_REAL("clock", "part", -0.001),
    TO_REAL("clock", "part", 1),
    TO_REAL("clock", "step", 0.005),
    TO_REAL("clock", "step", (double)NAN),
    {"clock", "step", REAL, 0, 0, "step"},
    TO_COUNT("clock", "steps", UINT64_MAX),
    {"clock", "field_function", COUNT, 0, 1, "function of the program"},
    TO_COUNT("clock", "field_function", 2),
    NO_SIZE("clock", "unit of length"),
    TO_REAL("clock", "unit of length", 3),
    TO_REAL("clock", "unit of length", 0),
    NO_SIZE("clock", "unit of mass"),
    TO_REAL("clock", "unit of mass", 3),
    TO_REAL("clock", "error asked", -1),
    TO_REAL("clock", "error measured", -1),
    TO_COUNT("clock", "error samples", UINT64_MAX),
    {"clock", "within", COUNT, 0, 1, "'ticks'"},
    TO_COUNT("clock", "within", UINT64_MAX),
    NO_REAL("clock", "tick within"),
    NO_SIZE("clock", "scale factor"),
    NO_SIZE("clock", "kinetic"),
    NO_REAL("clock", "potential"),
    NO_SIZE("clock", "mass"),
    NO_REAL("clock", "layzer irvine"),
    NO_SIZE("clock", "step to"),
    TO_COUNT("clock", "parts", 1),
    TO_COUNT("clock", "parts", UINT64_MAX),
    TO_COUNT("clock", "parts done", 1),
    TO_COUNT("clock", "parts done", UINT64_MAX),
    TO_REAL("run", "tick", 0),
    TO_REAL("run", "tick", 0.001),
    TO_COUNT("run", "end", 0),
    TO_COUNT("run", "end", 1),
    TO_COUNT("run", "end", UINT64_MAX),
    TO_REAL("run", "end part", 1),
    TO_REAL("run", "end part", -1e-9),
    NO_REAL("run", "end part"),
    TO_COUNT("run", "every", 1),
    TO_COUNT("run", "every", UINT64_MAX),
    TO_COUNT("run", "energy every", 0),
    TO_COUNT("run", "energy every", 1),
    TO_COUNT("run", "snapshots", UINT64_MAX),
    {"run", "energy bytes", COUNT, 0, 0, "energy.csv"},
    {"run", "energy bytes", COUNT, 0, 1, "energy.csv"},
    {"run", "energy bytes", COUNT, 0, 1000000, "energy.csv"},
    TO_COUNT("run", "energy bytes", UINT64_MAX),
    {"run", "escapers bytes", COUNT, 0, 1, "escapers.csv"},
    {"run", "escapers bytes", COUNT, 0, 1000000, "escapers.csv"},
    FLAG("merges"),
    FLAG("stellar radii"),
    TO_COUNT("run", "mergers", UINT64_MAX),
    TO_COUNT("run", "events bytes", UINT64_MAX),
    TO_COUNT("run", "stellar", UINT64_MAX),
    {"run", "stellar", COUNT, 0, 3, "stellar evolution"},
    {"run", "stellar", COUNT, 0, 1, "stellar evolution"},
    NO_REAL("run", "evolved"),
    NO_REAL("run", "energy"),
    NO_REAL("run", "potential"),
    NO_SIZE("run", "wall"),
    FLAG("conserved"),
    FLAG("compress"),
    FLAG("pieces"),
    TO_COUNT("run", "groups every", UINT64_MAX),
    TO_COUNT("run", "groups minimum", UINT64_MAX),
    TO_REAL("run", "linking length", -1),
    TO_REAL("run", "linking fraction", -1),
    FLAG("has seed"),
    FLAG("shorten"),
    FLAG("bare"),
    TO_COUNT("run", "bare", 1),
    FLAG("core"),
    TO_COUNT("run", "core", 0),
    FLAG("collapsed"),
    NO_SIZE("run", "length cm"),
    TO_REAL("run", "length cm", 1),
    NO_SIZE("run", "mass g"),
    TO_REAL("run", "mass g", 1),
    NO_SIZE("run", "velocity cm/s"),
    TO_REAL("run", "velocity cm/s", 1),
    NO_SIZE("run", "g"),
    TO_REAL("run", "g", 2),
    TO_COUNT("run", "stride", 0),
    TO_COUNT("run", "stride", 1),
    TO_COUNT("run", "escaped", UINT64_MAX),
    TO_REAL("run", "stop core", -1),
    TO_REAL("run", "escape radius", -1),
    TO_REAL("run", "escapers", -1),
    TO_REAL("run", "escapers", 3),
    NO_SIZE("integrator", "body steps"),
    TO_COUNT("integrator", "blocks", UINT64_MAX),
    NO_SIZE("integrator", "shortest"),
    NO_SIZE("integrator", "cut"),
    NO_SIZE("integrator", "pairs"),
    NO_REAL("integrator", "handover work"),
    NO_REAL("integrator", "slow work"),
    TO_COUNT("integrator", "has passed", 2),
    {"step", NULL, REAL, -0.001, 0, "'step'"},
    {"step", NULL, REAL, 0.02, 0, "'step'"},
    {"step", NULL, REAL, (double)NAN, 0, "'step'"},
    {"jerk", NULL, REAL, (double)INFINITY, 0, "'jerk'"},
    {"jerk", NULL, REAL, (double)NAN, 0, "'jerk'"},
    {"acceleration", NULL, REAL, (double)NAN, 0, "acceleration"},
    {"potential", NULL, REAL, (double)NAN, 0, "potential"},
    {"mass", NULL, REAL, -1, 0, "mass"},
    {"position", NULL, REAL, (double)NAN, 0, "position"},
    {"velocity", NULL, REAL, (double)NAN, 0, "velocity"},
    {"id", NULL, COUNT, 0, 104, "id 104"},
    {"at", NULL, COUNT, 0, UINT64_MAX, "'at'"},
    {"core", NULL, REAL, (double)NAN, 0, "'core'"},
};

/* Numbers of which any value may be right; docs/formats/restart.md names them. */
static const char *const free_numbers[] = {"seed",    "change",       "arithmetic", "h",
                                           "omega m", "omega lambda", "passed id",  "passed by id"};

static int is_tried(const char *section, const char *name)
{
    for (size_t k = 0; k < sizeof changes / sizeof *changes; k++)
        if (changes[k].name && !strcmp(changes[k].section, section) &&
            !strcmp(changes[k].name, name))
            return 1;
    for (size_t k = 0; k < sizeof free_numbers / sizeof *free_numbers; k++)
        if (!strcmp(free_numbers[k], name))
            return 1;
    return 0;
}

enum { PAIR = 32, NAME = 24 };

/* The place of a number in the file that was read; in a section without names, of the first
 * number. */
static char *place_of(const struct ky_restart *restart, const char *section, const char *name)
{
    const struct ky_section *found = ky_restart_find(restart, section);
    assert_non_null(found);
    char *data = (char *)(uintptr_t)found->data;
    assert_true(found->bytes >= 8);
    for (size_t k = 0; name && k < found->bytes / PAIR; k++)
        if (!strncmp(data + k * PAIR, name, NAME))
            return data + k * PAIR + NAME;
    if (name)
        fail_msg("no number '%s' in section '%s'", name, section);
    return data;
}

/* Makes a run of a few steps, with everything that a restart file may hold. */
static void make_run(const char *folder, struct ky_parameters *p, struct ky_run_parameters *run)
{
    struct ky_snapshot snapshot;
    uint64_t id[N];
    uint8_t type[N] = {0};
    ky_snapshot_clear(&snapshot);
    ky_run_parameters_defaults(run);
    snapshot.bodies = bodies;
    snapshot.bodies.id = id;
    snapshot.bodies.type = type;
    for (uint64_t i = 0; i < N; i++)
        id[i] = 103 + i;
    p->integrator = KY_HERMITE4;
    p->force = KY_DIRECT;
    run->output = folder;
    run->steps = 4;
    run->every = 0.02;
    run->at = "0.01,0.03";
    run->core = 1;
    run->stop_core = 1e-9;
    run->escape_radius = 5;
    run->keep = 1;
    assert_ok(ky_run(p, run, &snapshot, &error));
}

/* Fails unless every named number of the file is in the table of changes. */
static void assert_all_tried(const struct ky_restart *restart)
{
    static const char *const sections[] = {"clock", "run", "integrator"};
    for (size_t s = 0; s < sizeof sections / sizeof *sections; s++) {
        const struct ky_section *section = ky_restart_find(restart, sections[s]);
        for (size_t k = 0; k < section->bytes / PAIR; k++)
            if (!is_tried(sections[s], (const char *)section->data + k * PAIR))
                fail_msg("number '%s' of section '%s' is not tried: extend the table",
                         (const char *)section->data + k * PAIR, sections[s]);
    }
}

/* Resumes with the change. Returns 1 if it is refused with the right text. */
static int is_refused(const struct change *change, const char *path, struct ky_restart *restart,
                      const struct ky_run_parameters *run)
{
    char name[NAME + 2], section[NAME + 2],
        *place = place_of(restart, change->section, change->name), before[8];
    struct ky_parameters none;
    ky_parameters_defaults(&none);
    none.threads = 1;
    memcpy(before, place, 8);
    memcpy(place, change->type == REAL ? (const void *)&change->real : &change->count, 8);
    remove(path);
    assert_ok(ky_restart_write(&(struct ky_restart_to){.path = path}, restart->section,
                               restart->count, &error));
    memcpy(place, before, 8);
    memset(&error, 0, sizeof error);
    alarm(PATIENCE);
    const enum ky_status status = ky_resume(&none, run, &error);
    alarm(0);
    assert_told(status, change->section);
    snprintf(name, sizeof name, "'%s'", change->name ? change->name : "");
    snprintf(section, sizeof section, "'%s'", change->section);
    const int right =
        status && (change->told ? strstr(error.text, change->told) != NULL
                                : strstr(error.text, name) && strstr(error.text, section));
    if (!right)
        print_message("# %s %s %g %llu: status %d, %s\n", section, name, change->real,
                      (unsigned long long)change->count, (int)status, error.text);
    return right;
}

static void numbers_that_contradict_the_rest(void **state)
{
    (void)state;
    char folder[512], path[600];
    snprintf(folder, sizeof folder, "%s", in_folder("run"));
    snprintf(path, sizeof path, "%s/restart.kyo", folder);
    struct ky_restart restart;
    struct ky_parameters p = usual, none;
    struct ky_run_parameters run, again;
    make_run(folder, &p, &run);
    ky_parameters_defaults(&none);
    ky_run_parameters_defaults(&again);
    again.output = folder;
    assert_ok(ky_resume(&none, &again, &error)); /* unchanged */
    assert_ok(ky_restart_read(path, &restart, NULL, &error));
    assert_all_tried(&restart);
    int wrong = 0;
    for (size_t k = 0; k < sizeof changes / sizeof *changes; k++)
        wrong += !is_refused(&changes[k], path, &restart, &again);
    assert_int_equal(wrong, 0);
    assert_ok(ky_restart_write(&(struct ky_restart_to){.path = path}, restart.section,
                               restart.count, &error));
    assert_ok(ky_resume(&none, &again, &error)); /* no attempt has harmed the folder */
    ky_restart_free(&restart);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(structs_that_are_not_there),
        cmocka_unit_test(simulations_that_are_not_there),
        cmocka_unit_test(structs_of_no_size),
        cmocka_unit_test(arguments_that_are_not_there),
        cmocka_unit_test(bodies_that_were_not_zeroed),
        cmocka_unit_test(bodies_that_lack_an_array),
        cmocka_unit_test(bodies_without_a_centre),
        cmocka_unit_test(unknown_kinds_are_refused),
        cmocka_unit_test(numbers_of_no_sense),
        cmocka_unit_test(motions_that_would_not_end),
        cmocka_unit_test(restart_files_with_wrong_forces),
        cmocka_unit_test(restart_files_that_were_changed),
        cmocka_unit_test(numbers_that_contradict_the_rest),
    };
    return cmocka_run_group_tests(tests, make_bodies, free_bodies);
}
