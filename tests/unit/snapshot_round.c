/* Snapshots in every format are the same bit for bit when they have been written and read. */
#include "snapshot.h"

#include <math.h>

#include "snapshot/snapshot.h"

enum { ALL = KY_WITH_ID | KY_WITH_SOFTENING | KY_WITH_ACCELERATION | KY_WITH_POTENTIAL };

static void goes_round(const char *name, const struct ky_snapshot *before, int compress)
{
    struct ky_error error = {0};
    struct ky_write_options options;
    struct ky_snapshot after;
    ky_write_options_defaults(&options);
    options.overwrite = 1;
    options.compress = compress;
    assert_ok(ky_snapshot_write(in_folder(name), before, &options, &error));
    assert_ok(ky_snapshot_read(in_folder(name), &after, &error));
    assert_same_snapshot(before, &after);
    ky_snapshot_free(&after);
    assert_false(exists(in_folder("a.hdf5.part")) || exists(in_folder("a.csv.part")) ||
                 exists(in_folder("a.tipsy.part")));
}

static const size_t sizes[] = {1, 2, 1000};
/* TIPSY has no radii: the last row is for the others. */
static const unsigned arrays[] = {
    0, ALL, KY_WITH_ID, KY_WITH_SOFTENING, KY_WITH_POTENTIAL, ALL | KY_WITH_RADIUS};

static void exact_formats_keep_every_bit(const char *name, int compress)
{
    static const char *const types[] = {NULL, "4", "0123455", "5", "1"};
    for (size_t s = 0; s < 3; s++)
        for (size_t a = 0; a < 6; a++)
            for (size_t t = 0; t < 5; t++) {
                struct ky_snapshot snapshot = sample(sizes[s], arrays[a], types[t], 0);
                goes_round(name, &snapshot, compress);
                ky_snapshot_free(&snapshot);
            }
}

static void csv_keeps_every_bit(void **state)
{
    (void)state;
    exact_formats_keep_every_bit("a.csv", 0);
}

#ifdef KY_HAVE_HDF5
static void hdf5_keeps_every_bit(void **state)
{
    (void)state;
    exact_formats_keep_every_bit("a.hdf5", 0);
    exact_formats_keep_every_bit("a.h5", 1);
}

/* The bodies take more than one slab, and the last chunk is not full. */
static void hdf5_keeps_many_bodies(void **state)
{
    (void)state;
    struct ky_snapshot snapshot = sample(300000, KY_WITH_ID, "14", 0);
    goes_round("a.hdf5", &snapshot, 0);
    goes_round("a.hdf5", &snapshot, 1);
    ky_snapshot_free(&snapshot);
}
#endif

/* Bodies come back in TIPSY's groups gas, dark and stars; types 2, 3 and 5 are dark. */
static void tipsy_keeps_what_float_holds(void **state)
{
    (void)state;
    static const char *const types[] = {NULL, "4", "1", "0"};
    for (size_t s = 0; s < 3; s++)
        for (size_t a = 0; a < 5; a++)
            for (size_t t = 0; t < 4; t++) {
                unsigned with = arrays[a] & ~(unsigned)KY_WITH_ACCELERATION;
                struct ky_snapshot snapshot = sample(sizes[s], with, types[t], 1);
                goes_round("a.tipsy", &snapshot, 0);
                ky_snapshot_free(&snapshot);
            }
}

/* One softening of all bodies, also 0, and its kind come back from every format. */
static void one_softening_comes_back(void **state)
{
    (void)state;
    static const char *const names[] = {"s.csv", "s.tipsy",
#ifdef KY_HAVE_HDF5
                                        "s.hdf5"
#endif
    };
    struct ky_error error = {0};
    struct ky_write_options options;
    ky_write_options_defaults(&options);
    options.overwrite = 1;
    for (int f = 0; f < (int)(sizeof names / sizeof *names); f++)
        for (int k = 0; k < 5; k++) {
            struct ky_snapshot before = sample(7, 0, NULL, 1), after;
            before.softening = k == 4 ? (double)NAN : k / 2 ? 0 : 0.0625;
            before.softening_kind = k == 4   ? KY_SOFTENING_KIND_BY_SNAPSHOT
                                    : k == 3 ? KY_SPLINE
                                    : k == 1 ? KY_SYMMETRIC
                                             : KY_PLUMMER;
            assert_ok(ky_snapshot_write(in_folder(names[f]), &before, &options, &error));
            assert_ok(ky_snapshot_read(in_folder(names[f]), &after, &error));
            assert_null(after.bodies.softening);
            assert_true(k == 4 ? isnan(after.softening) : after.softening == before.softening);
            /* TIPSY keeps the kind only in a .param file */
            if (f != 1 || k > 0)
                assert_int_equal(after.softening_kind, before.softening_kind);
            ky_snapshot_free(&after);
            ky_snapshot_free(&before);
        }
}

static void tipsy_ids_tell_the_order(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_snapshot before = sample(50, KY_WITH_SOFTENING, "40153", 1), after;
    struct ky_write_options options;
    ky_write_options_defaults(&options);
    options.overwrite = 1;
    assert_ok(ky_snapshot_write(in_folder("t.tipsy"), &before, &options, &error));
    assert_true(exists(in_folder("t.tipsy.iord")));
    assert_ok(ky_snapshot_read(in_folder("t.tipsy"), &after, &error));
    assert_int_equal(after.bodies.n, 50);
    for (size_t k = 0; k < 50; k++) {
        size_t i = after.bodies.id[k];
        assert_true(before.bodies.mass[i] == after.bodies.mass[k]);
        assert_true(before.bodies.softening[i] == after.bodies.softening[k]);
        int type = before.bodies.type[i];
        assert_int_equal(type == 0 || type == 4 ? type : 1, after.bodies.type[k]);
    }
    ky_snapshot_free(&after);
    /* Bodies without ids replace a file that had some: its file of ids is removed. */
    struct ky_snapshot plain = sample(50, 0, NULL, 1);
    assert_ok(ky_snapshot_write(in_folder("t.tipsy"), &plain, &options, &error));
    assert_false(exists(in_folder("t.tipsy.iord")));
    ky_snapshot_free(&plain);
    ky_snapshot_free(&before);
}

static void set_units(struct ky_snapshot *snapshot, const char *preset)
{
    struct ky_error error = {0};
    assert_ok(ky_units_preset(preset, &snapshot->units, &error));
}

static void units_and_parameters_come_back(void **state)
{
    (void)state;
    struct ky_snapshot snapshot = sample(20, ALL, "41", 0);
    static const char ini[] = "[force]\ntheta = 0.7\n";
    snapshot.parameters = malloc(sizeof ini);
    memcpy(snapshot.parameters, ini, sizeof ini);
    set_units(&snapshot, "galaxy");
    goes_round("a.csv", &snapshot, 0);
#ifdef KY_HAVE_HDF5
    goes_round("a.hdf5", &snapshot, 0);
#endif
    set_units(&snapshot, "nbody");
    snapshot.units.g = 2;
    goes_round("a.csv", &snapshot, 0);
#ifdef KY_HAVE_HDF5
    goes_round("a.hdf5", &snapshot, 0);
#endif
    ky_snapshot_free(&snapshot);
}

#ifdef KY_HAVE_HDF5
/* Bodies in physical coordinates keep the universe that they expand with. Comoving bodies that were
 * not converted must not look as if they were physical. */
static void a_universe_comes_back(void **state)
{
    (void)state;
    struct ky_write_options replace;
    ky_write_options_defaults(&replace);
    replace.overwrite = 1;
    for (int comoving = 0; comoving < 2; comoving++) {
        struct ky_snapshot after, before = sample(3, 0, NULL, 0);
        set_units(&before, "galaxy");
        before.time = 1; /* could be a scale factor */
        before.space.hubble = 0.7;
        before.space.omega_matter = 0.3;
        before.space.omega_lambda = 0.7;
        before.space.comoving = comoving;
        struct ky_error error = {0};
        assert_ok(ky_snapshot_write(in_folder("universe.hdf5"), &before, &replace, &error));
        assert_ok(ky_snapshot_read(in_folder("universe.hdf5"), &after, &error));
        assert_int_equal(after.space.comoving, 0);
        assert_true(comoving ? isnan(after.space.hubble)
                             : after.space.hubble == 0.7 && after.space.omega_matter == 0.3 &&
                                   after.space.omega_lambda == 0.7);
        ky_snapshot_free(&before);
        ky_snapshot_free(&after);
    }
}
#endif

static void assert_near(const double *a, const double *b, size_t count, double relative)
{
    for (size_t k = 0; k < count; k++)
        assert_between(b[k] - a[k], -relative * fabs(a[k]), relative * fabs(a[k]));
}

/* The file has other scales, so the last bit may change, in TIPSY the last bit of a float. */
static void converts(const char *name, const char *preset, double tolerance)
{
    struct ky_error error = {0};
    unsigned with = KY_WITH_SOFTENING | KY_WITH_POTENTIAL;
    struct ky_snapshot before = sample(100, with, NULL, 1), after;
    struct ky_write_options options;
    ky_write_options_defaults(&options);
    options.overwrite = 1;
    set_units(&before, preset);
    assert_ok(ky_snapshot_write(in_folder(name), &before, &options, &error));
    assert_ok(ky_snapshot_read(in_folder(name), &after, &error));
    assert_memory_equal(&before.units, &after.units, sizeof before.units);
    assert_near(&before.time, &after.time, 1, 3e-16);
    assert_near(before.bodies.mass, after.bodies.mass, 100, tolerance);
    assert_near(before.bodies.softening, after.bodies.softening, 100, tolerance);
    assert_near(before.bodies.potential, after.bodies.potential, 100, tolerance);
    assert_near(&before.bodies.position[0][0], &after.bodies.position[0][0], 300, tolerance);
    assert_near(&before.bodies.velocity[0][0], &after.bodies.velocity[0][0], 300, tolerance);
    ky_snapshot_free(&before);
    ky_snapshot_free(&after);
}

static void other_units_are_converted(void **state)
{
    (void)state;
    converts("u.tipsy", "galaxy", 1.3e-7);
    converts("u.tipsy", "cluster", 1.3e-7);
    converts("u.tipsy", "nbody", 0);
#ifdef KY_HAVE_HDF5
    converts("u.hdf5", "cluster", 4.5e-16);
#endif
}

static void existing_files_are_kept(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_snapshot snapshot = sample(3, 0, NULL, 0);
    static const char *const names[] = {"keep.csv", "keep.tipsy", "keep.hdf5"};
    for (size_t k = 0; k < 3; k++) {
        const char *path = in_folder(names[k]);
        if (k == 2 && strcmp(ky_snapshot_default_suffix(), ".hdf5") != 0)
            continue;
        put_bytes(path, "mine", 4);
        assert_int_equal(ky_snapshot_write(path, &snapshot, NULL, &error), KY_USAGE);
        assert_non_null(strstr(error.text, path));
        size_t size;
        unsigned char *bytes = bytes_of(path, &size);
        assert_int_equal(size, 4);
        free(bytes);
    }
    ky_snapshot_free(&snapshot);
}

static void refusals_name_what_is_possible(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_snapshot snapshot = sample(3, 0, NULL, 0);
    struct ky_write_options options;
    ky_write_options_defaults(&options);
    assert_int_equal(ky_snapshot_write(in_folder("a.dat"), &snapshot, &options, &error), KY_USAGE);
    assert_non_null(strstr(error.text, ".tipsy"));
    options.format = KY_GADGET1;
    assert_int_equal(ky_snapshot_write(in_folder("a.dat"), &snapshot, &options, &error),
                     KY_UNSUPPORTED);
    options.format = KY_CSV;
    options.compress = 1;
    assert_int_equal(ky_snapshot_write(in_folder("a.dat"), &snapshot, &options, &error), KY_USAGE);
    options.compress = 0;
    assert_int_equal(ky_snapshot_write(in_folder("no/a.csv"), &snapshot, &options, &error),
                     KY_CANNOT_WRITE);
    assert_int_equal(ky_snapshot_write(test_folder, &snapshot, &options, &error), KY_CANNOT_WRITE);
    snapshot.bodies.position[1][0] = 1e300;
    assert_int_equal(ky_snapshot_write(in_folder("big.tipsy"), &snapshot, NULL, &error),
                     KY_BAD_DATA);
    assert_non_null(strstr(error.text, "body 1"));
    assert_false(exists(in_folder("big.tipsy")) || exists(in_folder("big.tipsy.part")));
    ky_snapshot_free(&snapshot);
}

static void names_tell_formats(void **state)
{
    (void)state;
    assert_int_equal(ky_format_of_name("a.HDF5"), KY_HDF5);
    assert_int_equal(ky_format_of_name("a.b.h5"), KY_HDF5);
    assert_int_equal(ky_format_of_name("a.tipsy"), KY_TIPSY);
    assert_int_equal(ky_format_of_name("a.csv"), KY_CSV);
    assert_int_equal(ky_format_of_name("-"), KY_FORMAT_BY_NAME);
    assert_int_equal(ky_format_of_name(NULL), KY_FORMAT_BY_NAME);
}

static void spaces_are_told_in_words(void **state)
{
    (void)state;
    char text[100];
    struct ky_space space = {.scale_factor = 1, .hubble = 0.7};
    ky_space_describe(&space, text, sizeof text);
    assert_string_equal(text, "");
    space = (struct ky_space){
        .comoving = 1, .per_h = 1, .scale_factor = 0.25, .hubble = 0.7, .box = 100};
    ky_space_describe(&space, text, sizeof text);
    assert_string_equal(
        text, "comoving (redshift 3), in units of 1/h (h = 0.7), in a periodic box of side 100");
    ky_space_describe(&space, text, 9);
    assert_string_equal(text, "comoving");
}

int main(void)
{
    ky_snapshot_quiet_exit();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_keeps_every_bit),
#ifdef KY_HAVE_HDF5
        cmocka_unit_test(hdf5_keeps_every_bit),
        cmocka_unit_test(hdf5_keeps_many_bodies),
        cmocka_unit_test(a_universe_comes_back),
#endif
        cmocka_unit_test(tipsy_keeps_what_float_holds),
        cmocka_unit_test(one_softening_comes_back),
        cmocka_unit_test(tipsy_ids_tell_the_order),
        cmocka_unit_test(units_and_parameters_come_back),
        cmocka_unit_test(other_units_are_converted),
        cmocka_unit_test(existing_files_are_kept),
        cmocka_unit_test(names_tell_formats),
        cmocka_unit_test(spaces_are_told_in_words),
        cmocka_unit_test(refusals_name_what_is_possible),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
