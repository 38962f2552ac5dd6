/* External fields with tables in time: curves through the rows, what the engines make of them, the
 * frame that falls in a field, axes that turn, and texts and files that are refused. */
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/common/external.h"
#include "engine/common/external_table.h"
#include "engines.h"
#include "integrate/integrate.h"
#include "resumed.h"
#include "simulation/sim.h"

static struct ky_error error;
static const struct ky_units none; /* no scales */
static const int integrators[] = {KY_LEAPFROG, KY_BLOCK_STEPS, KY_HERMITE4};

#define CENTRE "moving-centre.csv"
#define STRENGTH "moving-strength.csv"

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Where the centre is in the tables below, and how strong the field is. */
static void centre_at(double t, double x[3])
{
    x[0] = 2 * cos(0.5 * t), x[1] = 1.5 * sin(0.5 * t), x[2] = 0.3 * sin(t);
}

static double strength_at(double t)
{
    return 1 + 0.5 * sin(0.7 * t);
}

/* Tables of that from the time −1 to 13. */
static void write_tables(int rows)
{
    FILE *centre = fopen(CENTRE, "w"), *strength = fopen(STRENGTH, "w");
    assert_true(centre && strength);
    fprintf(centre, "# a comment\ntime,x,y,z,speed\n");
    for (int k = 0; k < rows; k++) {
        const double t = -1 + 14. * k / (rows - 1);
        double x[3];
        centre_at(t, x);
        fprintf(centre, "%.17g,%.17g,%.17g,%.17g,0\n", t, x[0], x[1], x[2]);
        fprintf(strength, "%.17g  %.17g\n", t, strength_at(t));
    }
    assert_int_equal(fclose(centre) | fclose(strength), 0);
}

static void remove_tables(void)
{
    remove(CENTRE);
    remove(STRENGTH);
}

/* The field at a time, and the pull there on a body with the velocity v. */
static struct ky_external_pull pull_of(const struct ky_externals *own, double time,
                                       const double x[3], const double v[3])
{
    struct ky_external now[KY_MOST_EXTERNALS];
    for (size_t k = 0; k < own->count; k++)
        now[k] = ky_external_in(&own->field[k], 1, 1, time);
    return ky_externals_at(now, own->count, x, v);
}

/* With n times as many rows the spline has 1/n⁴ of the error, at the ends too. */
static void curves_go_through_the_rows(void **state)
{
    (void)state;
    double worst[2] = {0, 0};
    for (int fine = 0; fine < 2; fine++) {
        struct ky_externals own = {0};
        write_tables(fine ? 141 : 71);
        assert_ok(ky_externals_read("uniform:ax=1,strength=@" STRENGTH
                                    " plummer:mass=1,scale=1,centre=@" CENTRE,
                                    1, &none, &own, &error));
        assert_true(own.field[1].path->begin == -1 && own.field[1].path->end == 13);
        for (double t = -1; t <= 13; t += 0.0137) {
            double cubic[KY_EXTERNAL_CUBICS][4], x[3];
            ky_external_path_at(own.field[0].path, t, cubic);
            worst[fine] = fmax(worst[fine], fabs(cubic[3][0] - strength_at(t)));
            assert_between(cubic[3][1] - 0.35 * cos(0.7 * t), -3e-4, 3e-4);
            ky_external_path_at(own.field[1].path, t, cubic);
            centre_at(t, x);
            for (int c = 0; c < 3; c++)
                worst[fine] = fmax(worst[fine], fabs(cubic[c][0] - x[c]));
            assert_between(cubic[0][1] + sin(0.5 * t), -3e-4, 3e-4);
            assert_true(cubic[3][0] == 1 && cubic[3][1] == 0);
        }
        ky_externals_release(&own);
    }
    assert_between(worst[0], 1e-7, 1e-4);
    assert_between(worst[0] / worst[1], 10, 22);
    remove_tables();
}

/* Value, slope and second derivative have no jumps at the rows. */
static void curves_are_smooth(void **state)
{
    (void)state;
    struct ky_externals own = {0};
    write_text(CENTRE, "0 1 0 0\n1 0 2 0\n1.5 -1 0 3\n4 0 1 1\n4.5 2 2 2\n");
    write_text(STRENGTH, "-1 0\n0.7 1\n2 3\n9 1\n");
    assert_ok(ky_externals_read("plummer:mass=1,scale=1,centre=@" CENTRE ",strength=@" STRENGTH, 1,
                                &none, &own, &error));
    const struct ky_external_path *path = own.field[0].path;
    assert_true(path->begin == 0 && path->end == 4.5);
    assert_int_equal(path->count, 6);
    for (size_t k = 1; k < path->count; k++) {
        const double h = path->piece[k].from - path->piece[k - 1].from;
        for (int q = 0; q < KY_EXTERNAL_CUBICS; q++) {
            const double *a = path->piece[k - 1].cubic[q], *b = path->piece[k].cubic[q];
            assert_between(a[0] + h * (a[1] + h * (a[2] + h * a[3])) - b[0], -1e-13, 1e-13);
            assert_between(a[1] + h * (2 * a[2] + h * 3 * a[3]) - b[1], -1e-13, 1e-13);
            assert_between(a[2] + h * 3 * a[3] - b[2], -1e-12, 1e-12);
        }
    }
    ky_externals_release(&own);
    remove_tables();
}

static const char *const moving[] = {
    "plummer:mass=2,scale=0.7,centre=@" CENTRE,
    "miyamoto-nagai:mass=2,scale=0.7,height=0.2,strength=@" STRENGTH ",x=0.3",
    "nfw:mass=2,scale=0.7,centre=@" CENTRE ",strength=@" STRENGTH ",reflex=1",
    "triaxial-logarithmic:speed=1,core=0.3,p=0.9,q=0.7,turn=0.8,angle=25,reflex=1,x=2,y=1",
    "tidal:xx=1,yy=-0.6,zz=-0.4,xy=0.2,turn=-0.3,centre=@" CENTRE ",strength=@" STRENGTH,
    "uniform:ax=1,ay=-2,az=0.5,strength=@" STRENGTH,
};
enum { MOVING = sizeof moving / sizeof *moving };

/* The acceleration is the slope of the potential, and the jerk is its change along the path. */
static void jerks_are_changes_of_accelerations(void **state)
{
    (void)state;
    const double x[3] = {0.9, -0.7, 0.4}, v[3] = {-0.5, 1.1, 0.3}, h = 1e-5, t = 3.21;
    write_tables(40);
    for (int k = 0; k < MOVING; k++) {
        struct ky_externals own = {0};
        assert_ok(ky_externals_read(moving[k], 1, &none, &own, &error));
        const struct ky_external_pull at = pull_of(&own, t, x, v);
        double low[3], high[3];
        for (int c = 0; c < 3; c++) {
            const double a[3] = {at.x, at.y, at.z};
            memcpy(low, x, sizeof low), memcpy(high, x, sizeof high);
            low[c] -= h, high[c] += h;
            const double slope =
                (pull_of(&own, t, high, v).potential - pull_of(&own, t, low, v).potential) /
                (2 * h);
            assert_between(a[c] + slope, -1e-8, 1e-8);
        }
        for (int c = 0; c < 3; c++)
            low[c] = x[c] - v[c] * h, high[c] = x[c] + v[c] * h;
        const struct ky_external_pull after = pull_of(&own, t + h, high, v),
                                      before = pull_of(&own, t - h, low, v);
        assert_between(at.jx - (after.x - before.x) / (2 * h), -1e-8, 1e-8);
        assert_between(at.jy - (after.y - before.y) / (2 * h), -1e-8, 1e-8);
        assert_between(at.jz - (after.z - before.z) / (2 * h), -1e-8, 1e-8);
        ky_externals_release(&own);
    }
    remove_tables();
}

/* ---- engines ---- */

static struct ky_parameters parameters_of(const char *engine, int integrator, int precision)
{
    struct ky_parameters p;
    ky_parameters_defaults(&p);
    p.engine = engine;
    p.integrator = integrator;
    p.force = KY_DIRECT;
    p.precision = precision;
    p.softening = 1e-3;
    p.threads = 2;
    p.step = 1. / 128;
    if (integrator == KY_HERMITE4) {
        p.eta = 0.01;
        p.step_min = p.step / 1024;
    }
    if (integrator == KY_BLOCK_STEPS)
        p.step_length = 3e-3;
    return p;
}

static struct ky_bodies two_bodies(void)
{
    struct ky_bodies bodies = {0};
    assert_ok(ky_bodies_allocate(&bodies, 2, KY_WITH_ACCELERATION, &error));
    bodies.mass[0] = 1e-12;
    bodies.position[0][0] = 1, bodies.position[0][1] = 0.4;
    bodies.velocity[0][1] = 0.9, bodies.velocity[0][2] = 0.2;
    bodies.position[1][0] = -1.3, bodies.position[1][2] = 0.2;
    bodies.velocity[1][1] = -0.8;
    return bodies;
}

static struct ky_sim *open_at(const struct ky_parameters *p, const char *field, double time,
                              struct ky_bodies *bodies)
{
    struct ky_parameters own = *p;
    struct ky_sim *sim = NULL;
    own.field = field;
    *bodies = two_bodies();
    assert_ok(ky_sim_open(&own, bodies, time, &sim, &error));
    return sim;
}

/* Each engine and integrator in every field ends where the first one does. */
static void engines_and_integrators_agree(void **state)
{
    (void)state;
    write_tables(40);
    for (int k = 0; k < MOVING; k++) {
        double end[2][3] = {{0}};
        for (int e = 0; e < engine_count; e++)
            for (int i = 2; i >= 0; i--)
                for (int precision = KY_EXTENDED; precision <= KY_DOUBLE; precision++) {
                    const struct ky_parameters p =
                        parameters_of(engines[e].engine, integrators[i], precision);
                    const double miss = i == 2 ? 2e-5 : 5e-3;
                    struct ky_bodies bodies;
                    struct ky_sim *sim = open_at(&p, moving[k], 1.5, &bodies);
                    assert_ok(ky_sim_advance(sim, 256, &error));
                    assert_ok(ky_sim_bodies(sim, &bodies, &error));
                    for (int b = 0; b < 2; b++)
                        for (int c = 0; c < 3; c++) {
                            if (e == 0 && i == 2 && precision == KY_EXTENDED)
                                end[b][c] = bodies.position[b][c];
                            assert_between(bodies.position[b][c] - end[b][c], -miss, miss);
                        }
                    ky_sim_close(sim);
                    ky_bodies_free(&bodies);
                }
    }
    remove_tables();
}

/* Seen from a frame that moves with constant velocity, a field at rest moves: orbits are the same.
 */
static void a_moving_frame_has_the_same_orbits(void **state)
{
    (void)state;
    const double speed[3] = {0.3, -0.2, 0.1};
    write_text(CENTRE, "0 0 0 0\n1 0.3 -0.2 0.1\n4 1.2 -0.8 0.4\n");
    for (int e = 0; e < engine_count; e++)
        for (int i = 0; i < 3; i++) {
            const struct ky_parameters p =
                parameters_of(engines[e].engine, integrators[i], KY_DOUBLE);
            const double miss = integrators[i] == KY_HERMITE4 ? 1e-9 : 1e-6;
            struct ky_bodies rest, other;
            struct ky_sim *sim = open_at(&p, "plummer:mass=1,scale=0.5", 0, &rest);
            assert_ok(ky_sim_advance(sim, 256, &error));
            assert_ok(ky_sim_bodies(sim, &rest, &error));
            ky_sim_close(sim);
            struct ky_parameters own = p;
            own.field = "plummer:mass=1,scale=0.5,centre=@" CENTRE;
            other = two_bodies();
            for (int b = 0; b < 2; b++)
                for (int c = 0; c < 3; c++)
                    other.velocity[b][c] += speed[c];
            assert_ok(ky_sim_open(&own, &other, 0, &sim, &error));
            assert_ok(ky_sim_advance(sim, 256, &error));
            assert_ok(ky_sim_bodies(sim, &other, &error));
            for (int b = 0; b < 2; b++)
                for (int c = 0; c < 3; c++) {
                    assert_between(other.position[b][c] - 2 * speed[c] - rest.position[b][c], -miss,
                                   miss);
                    assert_between(other.velocity[b][c] - speed[c] - rest.velocity[b][c], -miss,
                                   miss);
                }
            ky_sim_close(sim);
            ky_bodies_free(&rest);
            ky_bodies_free(&other);
        }
    remove(CENTRE);
}

/* A body at rest in the origin of a frame that falls stays there. */
static void the_origin_falls_with_the_frame(void **state)
{
    (void)state;
    write_tables(40);
    for (int e = 0; e < engine_count; e++)
        for (int i = 0; i < 3; i++) {
            struct ky_parameters p = parameters_of(engines[e].engine, integrators[i], KY_DOUBLE);
            struct ky_bodies bodies = two_bodies();
            struct ky_sim *sim = NULL;
            memset(bodies.position[0], 0, sizeof bodies.position[0]);
            memset(bodies.velocity[0], 0, sizeof bodies.velocity[0]);
            p.field = moving[2];
            assert_ok(ky_sim_open(&p, &bodies, 0, &sim, &error));
            assert_ok(ky_sim_advance(sim, 128, &error));
            assert_ok(ky_sim_bodies(sim, &bodies, &error));
            for (int c = 0; c < 3; c++) {
                assert_between(bodies.position[0][c], -1e-10, 1e-10);
                assert_true(fabs(bodies.position[1][c]) > 1e-3);
            }
            ky_sim_close(sim);
            ky_bodies_free(&bodies);
        }
    remove_tables();
}

static double jacobi_of(struct ky_sim *sim, struct ky_bodies *bodies, double turn, double *energy)
{
    struct ky_sums sums = {0};
    assert_ok(ky_sim_bodies(sim, bodies, &error));
    assert_ok(ky_sim_sums(sim, &sums, &error));
    const double *x = bodies->position[0], *v = bodies->velocity[0];
    *energy = sums.kinetic + sums.potential + sums.external;
    return *energy - turn * bodies->mass[0] * (x[0] * v[1] - x[1] * v[0]);
}

/* In axes that turn the energy changes, and Jacobi's integral E − Ω L_z does not. */
static void turning_axes_keep_jacobis_integral(void **state)
{
    (void)state;
    static const char text[] =
        "triaxial-logarithmic:speed=1,core=0.3,p=0.8,q=0.7,turn=0.8,angle=25";
    for (int e = 0; e < engine_count; e++)
        for (int i = 0; i < 3; i++) {
            const struct ky_parameters p =
                parameters_of(engines[e].engine, integrators[i], KY_DOUBLE);
            const double tolerance = i == 2 ? 1e-6 : 2e-3;
            double energy[2];
            struct ky_bodies bodies;
            struct ky_sim *sim = open_at(&p, text, 2, &bodies);
            const double before = jacobi_of(sim, &bodies, 0.8, &energy[0]);
            assert_ok(ky_sim_advance(sim, 512, &error));
            const double after = jacobi_of(sim, &bodies, 0.8, &energy[1]);
            assert_between((after - before) / energy[0], -tolerance, tolerance);
            assert_true(fabs(energy[1] / energy[0] - 1) > 0.02);
            ky_sim_close(sim);
            ky_bodies_free(&bodies);
        }
}

/* The bits depend neither on how a run is cut into calls, nor on a restart in the middle, which
 * reads the tables again. */
static void time_has_no_seams(void **state)
{
    (void)state;
    static const char *const path = "moving.kyo", *const before = "moving.kyo.previous";
    write_tables(40);
    for (int e = 0; e < engine_count; e++)
        for (int i = 0; i < 3; i++) {
            struct ky_bodies whole, parts;
            struct ky_parameters p = parameters_of(engines[e].engine, integrators[i], KY_DOUBLE);
            struct ky_sim *sim = open_at(&p, moving[2], 1. / 3, &whole);
            assert_ok(ky_sim_advance(sim, 60, &error));
            assert_ok(ky_sim_bodies(sim, &whole, &error));
            ky_sim_close(sim);
            sim = open_at(&p, moving[2], 1. / 3, &parts);
            for (int k = 0; k < 3; k++)
                assert_ok(ky_sim_advance(sim, 7, &error));
            goes_on_as(sim, &p, path, &whole, &parts);
        }
    write_tables(41); /* other rows */
    struct ky_parameters p = parameters_of("cpu", KY_LEAPFROG, KY_DOUBLE);
    struct ky_sim *sim = NULL;
    assert_int_equal(ky_sim_restore(path, &p, &sim, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "has changed since the simulation began"));
    remove_tables();
    assert_int_equal(ky_sim_restore(path, &p, &sim, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "there is no file"));
    remove(path);
    remove(before);
}

/* A call that would go past the end of a table is refused before its first step. */
static void times_outside_a_table_are_refused(void **state)
{
    (void)state;
    write_tables(40);
    struct ky_parameters p = parameters_of("cpu", KY_LEAPFROG, KY_DOUBLE);
    struct ky_bodies bodies = two_bodies();
    struct ky_sim *sim = NULL;
    p.field = moving[0];
    assert_int_equal(ky_sim_open(&p, &bodies, -1.5, &sim, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "has times from -1 to 13"));
    assert_ok(ky_sim_open(&p, &bodies, 12, &sim, &error));
    assert_int_equal(ky_sim_advance(sim, 129, &error), KY_USAGE);
    assert_true(ky_sim_time(sim) == 12);
    assert_ok(ky_sim_advance(sim, 128, &error));
    ky_sim_close(sim);
    p.time = 14;
    assert_int_equal(ky_forces(&p, &bodies, NULL, &error), KY_USAGE);
    p.time = 13;
    assert_ok(ky_forces(&p, &bodies, NULL, &error));
    ky_bodies_free(&bodies);
    remove_tables();
}

/* ---- texts and files ---- */

static void wrong_tables_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *table, *line;
    } wrong[] = {
        {"0 1 2 3\n1 1 2\n", "line 2 has fewer than 4 numbers; the file may be cut off"},
        {"0 1 2 3\n1 1 2 3 4\n", "line 2 has more than 4 numbers"},
        {"0 1 2 3\n1 1 2 3", "line 2 has no end; the file is cut off"},
        {"0 1 2 3\n\n# \n0 1 2 3\n", "line 4 has the time 0 after 0; times must all ascend"},
        {"0 1 2 3\n-1 1 2 3\n0 1 2 3\n", "line 3 has the time 0 after -1"},
        {"0 1 2 3\n1 1 nan 3\n", "line 2 has 'nan', which is not a finite number"},
        {"0 1 2 3\n1 1 2x 3\n", "line 2 has '2x', which is not a finite number"},
        {"0 1 2 3\n1 1 inf 3\n", "line 2 has 'inf'"},
        {"0 1 2 3\n", "has 1 row; a table in time has at least two"},
        {"", "is empty"},
        {"time,x,y\n0,1,2\n", "line 1 names no column z"},
        {"0,,1,2\n1,1,1,1\n", "line 1 has ''"},
        {"# units: time Myr, x kpc, y kpc, z kpc\n0 1 2 3\n1 1 2 3\n", "give --units"},
        {"# units: time kpc\n0 1 2 3\n1 1 2 3\n", "kpc"},
    };
    struct ky_externals own = {0};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        write_text(CENTRE, wrong[k].table);
        assert_int_not_equal(ky_externals_read(moving[0], 1, &none, &own, &error), KY_OK);
        if (!strstr(error.text, wrong[k].line))
            fail_msg("%s: %s", wrong[k].table, error.text);
    }
    static const char *const text[][2] = {
        {"point:mass=1,centre=@nowhere.csv", "there is no file nowhere.csv for centre=@"},
        {"point:mass=1,centre=3", "centre must be one table, centre=@FILE"},
        {"point:mass=1,centre=@" CENTRE ",centre=@" CENTRE, "centre must be one table"},
        {"point:mass=1,centre=@" CENTRE ",x=1", "the table has the centre"},
        {"point:mass=1,reflex=2", "reflex must be 0 or 1"},
        {"point:mass=1,centre=@" CENTRE "#12", "write %23 for #"},
        {"point:mass=1,centre=@" CENTRE "#0*1*1", "has changed"},
        {"point:mass=1,strength=@" STRENGTH ",centre=@" CENTRE, "have no times in common"},
        {"bar:mass=1,length=1,height=1,turn=1", "bar has no number 'turn'"},
    };
    write_text(CENTRE, "0 1 2 3\n1 1 2 3\n");
    write_text(STRENGTH, "1 0\n2 1\n");
    for (size_t k = 0; k < sizeof text / sizeof *text; k++) {
        assert_int_not_equal(ky_externals_read(text[k][0], 1, &none, &own, &error), KY_OK);
        if (!strstr(error.text, text[k][1]))
            fail_msg("%s: %s", text[k][0], error.text);
    }
    assert_int_equal(own.count, 0);
    remove_tables();
}

/* Tables have units of their own, and names of files may have any characters. The plain text gives
 * the same fields without units. */
static void units_and_names_are_kept(void **state)
{
    (void)state;
    struct ky_units units;
    struct ky_externals own = {0}, again = {0};
    char plain[KY_EXTERNALS_TEXT];
    assert_ok(ky_units_preset("galaxy", &units, &error));
    write_text("moving, 1#%.csv", "# units: time Gyr, x pc, y pc, z pc\n"
                                  "time,x,y,z\n1,1000,2000,0\n0,1000,0,0\n");
    const char *text =
        "mw14:reflex=1,centre=@moving%2C%201%23%25.csv hernquist:mass=1,scale=2,turn=3,angle=90";
    assert_false(ky_externals_are_plain(text));
    assert_ok(ky_externals_read(text, units.g, &units, &own, &error));
    assert_int_equal(own.count, 4);
    const struct ky_external_path *path = own.field[0].path;
    assert_true(path && path == own.field[2].path && !own.field[3].path);
    assert_between(path->end, 1.0227, 1.0228); /* 1 Gyr */
    assert_true(path->piece[0].cubic[0][0] == 1);
    assert_between(path->piece[0].cubic[1][1] * path->end, 2 - 1e-12, 2 + 1e-12);
    assert_ok(ky_externals_plain(text, units.g, &units, plain, sizeof plain, &error));
    assert_true(ky_externals_are_plain(plain));
    assert_ok(ky_externals_read(plain, units.g, &none, &again, &error));
    assert_int_equal(again.count, 4);
    for (int k = 0; k < 4; k++) {
        assert_memory_equal(own.field[k].number, again.field[k].number, sizeof own.field[k].number);
        assert_true(own.field[k].turn == again.field[k].turn &&
                    own.field[k].angle == again.field[k].angle &&
                    own.field[k].reflex == again.field[k].reflex);
        if (k < 3)
            assert_memory_equal(path->piece, again.field[k].path->piece, sizeof *path->piece);
    }
    assert_between(again.field[3].angle, 1.5707963, 1.5707964);
    ky_externals_release(&own);
    ky_externals_release(&again);
    remove("moving, 1#%.csv");
}

/* Places and velocities in axes that turn, by hand; those of a body at rest in them vanish. */
static void axes_turn(void **state)
{
    (void)state;
    struct ky_bodies bodies = two_bodies();
    bodies.position[0][0] = 2, bodies.position[0][1] = 0;
    bodies.velocity[0][0] = 0.5, bodies.velocity[0][1] = 3, bodies.velocity[0][2] = 0.2;
    bodies.acceleration[0][0] = 1;
    bodies.position[1][0] = 0, bodies.position[1][1] = 1;
    bodies.velocity[1][0] = -0.25, bodies.velocity[1][1] = 0;
    assert_ok(ky_bodies_turn(&bodies, 0.25, 2 * 3.14159265358979323846, &error)); /* by 90° */
    const double wanted[2][6] = {{0, -2, 0, 2.5, -0.5, 0.2}, {1, 0, 0.2, 0, 0, 0}};
    for (int k = 0; k < 2; k++)
        for (int c = 0; c < 3; c++) {
            if (k == 1 || c < 2)
                assert_between(bodies.position[k][c] - wanted[k][c], -1e-14, 1e-14);
            assert_between(bodies.velocity[k][c] - wanted[k][3 + c], -1e-14, 1e-14);
        }
    assert_between(bodies.acceleration[0][1], -1 - 1e-14, -1 + 1e-14);
    assert_int_equal(ky_bodies_turn(&bodies, INFINITY, 1, &error), KY_USAGE);
    struct ky_bodies still = bodies;
    still.velocity = NULL;
    assert_int_equal(ky_bodies_turn(&still, 1, 1, &error), KY_USAGE);
    ky_bodies_free(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_go_through_the_rows),
        cmocka_unit_test(curves_are_smooth),
        cmocka_unit_test(jerks_are_changes_of_accelerations),
        cmocka_unit_test(engines_and_integrators_agree),
        cmocka_unit_test(a_moving_frame_has_the_same_orbits),
        cmocka_unit_test(the_origin_falls_with_the_frame),
        cmocka_unit_test(turning_axes_keep_jacobis_integral),
        cmocka_unit_test(time_has_no_seams),
        cmocka_unit_test(times_outside_a_table_are_refused),
        cmocka_unit_test(wrong_tables_are_refused),
        cmocka_unit_test(units_and_names_are_kept),
        cmocka_unit_test(axes_turn),
    };
    return cmocka_run_group_tests(tests, find_quick_engines, NULL);
}
