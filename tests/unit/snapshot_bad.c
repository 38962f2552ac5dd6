/* Faulty files give KY_BAD_DATA and one line that names the file and the place, never a crash and
 * never wrong numbers. */
#include "snapshot.h"

#include "snapshot/bytes.h"
#include "snapshot/snapshot.h"

enum { ALL = KY_WITH_ID | KY_WITH_SOFTENING | KY_WITH_ACCELERATION | KY_WITH_POTENTIAL };

static void assert_bad(const char *path, const char *says)
{
    struct ky_error error = {0};
    struct ky_snapshot snapshot;
    enum ky_status status = ky_snapshot_read(path, &snapshot, &error);
    if (status != KY_BAD_DATA)
        fail_msg("%s: %s, not bad data", path, ky_status_name(status));
    if (!strstr(error.text, says) || strchr(error.text, '\n'))
        fail_msg("'%s' does not say '%s' in one line", error.text, says);
    if (strncmp(error.text, path, strlen(path)) != 0)
        fail_msg("'%s' does not start with the name of the file", error.text);
    assert_null(snapshot.bodies.mass);
}

static void assert_bad_text(const char *text, const char *says)
{
    put_bytes(in_folder("bad.csv"), text, strlen(text));
    assert_bad(in_folder("bad.csv"), says);
}

static void what_is_no_snapshot_is_refused(void **state)
{
    (void)state;
    assert_bad(in_folder("missing.hdf5"), "no such file");
    assert_bad(test_folder, "folder");
    put_bytes(in_folder("empty.csv"), "", 0);
    assert_bad(in_folder("empty.csv"), "empty");
    assert_bad("/dev/null", "not a plain file");
    put_bytes(in_folder("foreign.hdf5"),
              "\x7f"
              "ELF and so on",
              14);
    assert_bad(in_folder("foreign.hdf5"), "known format");
    put_bytes(in_folder("r.csv"), "KYOHO\r\n\x1a restart", 16);
    assert_bad(in_folder("r.csv"), "restart");
}

#define HEAD "id,mass,x,y,z,vx,vy,vz,softening\n"
static void csv_names_the_line(void **state)
{
    (void)state;
    assert_bad_text(HEAD "1,1,0,0,0,0,0,0,0\n2,nan,0,0,0,0,0,0,0\n", "line 3: mass is 'nan'");
    assert_bad_text(HEAD "1,1,0,0,0,0,0,0,0\n2,1,inf,0,0,0,0,0,0\n", "line 3: x is 'inf'");
    assert_bad_text(HEAD "1,-1,0,0,0,0,0,0,0\n", "line 2: mass is '-1'");
    assert_bad_text(HEAD "1,1,0,0,0,0,0,0,-2\n", "softening is '-2'");
    assert_bad_text(HEAD "1,1,0,0,0,0,0,0,0\n1,1,1,0,0,0,0,0,0\n", "id 1 occurs twice");
    assert_bad_text(HEAD "1,1,0,0,0,0,0,0\n", "line 2 has 8 cells and the header line 9");
    assert_bad_text(HEAD "1,1,0,0,0,0,0,0,0,\n", "line 2 has 10 cells");
    assert_bad_text(HEAD "1,1,,0,0,0,0,0,0\n", "line 2: x is ''");
    assert_bad_text(HEAD "1,1,0x,0,0,0,0,0,0\n", "line 2: x is '0x'");
    assert_bad_text(HEAD "-1,1,0,0,0,0,0,0,0\n", "line 2: id is '-1'");
    assert_bad_text(HEAD "99999999999999999999,1,0,0,0,0,0,0,0\n", "line 2: id");
    assert_bad_text("mass,x,y,z,vx,vy\n1,1,1,1,1,1\n", "'vz' is missing");
    assert_bad_text("mass,x,x,y,z,vx,vy,vz\n", "'x' occurs twice");
    assert_bad_text("m,mass,x,y,z,vx,vy,vz\n", "'mass' occurs twice");
    assert_bad_text("mass,x,y,z,vx,vy,vz,colour\n", "unknown column 'colour'");
    assert_bad_text("mass,x,y,z,vx,vy,vz,ax\n", "'ay' is missing");
    assert_bad_text("mass,x,y,z,vx,vy,vz,type\n1,1,1,1,1,1,1,6\n", "type is '6'");
    assert_bad_text("mass,x,y,z,vx,vy,vz\n", "no bodies");
    assert_bad_text("# m\tx\ty\tz\tvx\tvy\tvz\n1\t1\t1\t1\t1\t1\t1\n",
                    "line 1 names the columns after a #");
    assert_bad_text("m;x;y;z;vx;vy;vz\n1;1;1;1;1;1;1\n", "line 1 has semicolons");
    assert_bad_text(",m,x,y,z,vx,vy,vz\n0,1,1,1,1,1,1,1\n", "line 1: column 1 has no name");
    assert_bad_text("m,x,y,z,vx,vy,vz,\n1,1,1,1,1,1,1,\n", "line 1: column 8 has no name");
    assert_bad_text("m,x,y,z,vx,vy,vz\n\"1,5\",1,1,1,1,1,1\n", "line 2: mass is '\"1'");
    assert_bad_text("# bodies: 2\nm,x,y,z,vx,vy,vz\n1,1,1,1,1,1,1\n", "says 2");
}

/* G follows from the units in the remarks, which must be complete. */
static void csv_units_have_their_g(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_snapshot snapshot;
    static const char units[] = "# length_cm: 3.085678e21\n# mass_g: 1.989e43\n"
                                "# velocity_cm_s: 1e5\nm,x,y,z,vx,vy,vz\n1,1,1,1,1,1,1\n";
    put_bytes(in_folder("units.csv"), units, strlen(units));
    assert_ok(ky_snapshot_read(in_folder("units.csv"), &snapshot, &error));
    assert_true(snapshot.units.g == 43009);
    ky_snapshot_free(&snapshot);
    assert_bad_text("# length_cm: 5\nm,x,y,z,vx,vy,vz\n1,1,1,1,1,1,1\n", "all three");
    assert_bad_text("# length_cm: 3.085678e21\n# mass_g: 1.989e43\n# velocity_cm_s: 1e5\n# g: 1\n"
                    "m,x,y,z,vx,vy,vz\n1,1,1,1,1,1,1\n",
                    "contradicts");
}

#define ROW "m,x,y,z,vx,vy,vz\n1,1,1,1,1,1,1\n"
static void csv_units_in_words_are_refused_or_given(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_snapshot snapshot;
    struct ky_units galaxy;
    struct ky_read_options options;
    static const char *const words[] = {"# units: kpc, Msun, km/s\n" ROW,
                                        "#Length_Unit = foot\n" ROW, "# lengths in 1e3pc\n" ROW};
    static const char *const none[] = {"# units: N-body\n" ROW,
                                       "# a community on my PC\n# about the cm\n" ROW};
    ky_read_options_defaults(&options);
    assert_ok(ky_units_preset("galaxy", &galaxy, &error));
    options.units = &galaxy;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        assert_bad_text(words[k], "units that are not understood (line 1 has '#");
        assert_ok(ky_snapshot_read_as(in_folder("bad.csv"), &options, &snapshot, &error));
        assert_true(snapshot.units.g == galaxy.g && snapshot.units.mass_g == galaxy.mass_g);
        ky_snapshot_free(&snapshot);
    }
    for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
        put_bytes(in_folder("none.csv"), none[k], strlen(none[k]));
        assert_ok(ky_snapshot_read(in_folder("none.csv"), &snapshot, &error));
        assert_true(snapshot.units.g == 1);
        ky_snapshot_free(&snapshot);
    }
    /* A remark may have capitals and an equals sign. */
    assert_bad_text("# G: 43007\n# length_cm = 3.085678e21\n" ROW, "all three");
}

static void csv_types_beyond_5_are_left_out(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_snapshot snapshot;
    struct ky_read_options options;
    static const char text[] =
        "m,x,y,z,vx,vy,vz,type\n1,1,1,1,1,1,1,6\n2,1,1,1,1,1,1,1\n3,1,1,1,1,1,1,300\n";
    assert_bad_text(text, "line 2: type is '6'; it must be 0 to 5; --types");
    ky_read_options_defaults(&options);
    options.types = 1 << 1;
    assert_ok(ky_snapshot_read_as(in_folder("bad.csv"), &options, &snapshot, &error));
    assert_int_equal(snapshot.bodies.n, 1);
    assert_true(snapshot.bodies.mass[0] == 2);
    ky_snapshot_free(&snapshot);
    options.types = 1 << 6;
    assert_int_equal(ky_snapshot_read_as(in_folder("bad.csv"), &options, &snapshot, &error),
                     KY_USAGE);
}

static void csv_ids_of_any_kind_are_renumbered(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_snapshot snapshot;
    struct ky_read_options options;
    static const char text[] = "id,m,x,y,z,vx,vy,vz\n-1,1,1,1,1,1,1,1\n-1,1,2,1,1,1,1,1\n";
    assert_bad_text(text, "--renumber");
    ky_read_options_defaults(&options);
    options.renumber = 1;
    assert_ok(ky_snapshot_read_as(in_folder("bad.csv"), &options, &snapshot, &error));
    assert_int_equal(snapshot.bodies.n, 2);
    assert_null(snapshot.bodies.id);
    ky_snapshot_free(&snapshot);
}

static void csv_forgives_blanks_and_quotation_marks(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_snapshot snapshot;
    static const char *const texts[] = {
        ("\xef\xbb\xbf# made by hand\r\n\r\n VZ , vy,vx, z,y,x , M \r\n"
         "7,6,5,4,3, 2 ,1\r\n\r\n# a remark\r\n 7e0 ,6, 5,4,3,2,1"),
        "\"vz\",\"vy\",\"vx\",\"z\",\"y\",\"x\",\"m\"\n7,6,5,4,3,2,1\n\"7\",6,5,4,3, \"2\" ,1\n",
        "\"vz\" \"vy\" \"vx\" \"z\" \"y\" \"x\" \"m\"\n7 6 5 4 3 2 1\n7 6 5 4 3 2 1\n"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        put_bytes(in_folder("blanks"), texts[k], strlen(texts[k]));
        assert_ok(ky_snapshot_read(in_folder("blanks"), &snapshot, &error));
        assert_int_equal(snapshot.bodies.n, 2);
        for (int i = 0; i < 2; i++) {
            assert_true(snapshot.bodies.mass[i] == 1 && snapshot.bodies.velocity[i][2] == 7);
            for (int c = 0; c < 3; c++)
                assert_true(snapshot.bodies.position[i][c] == 2 + c);
        }
        assert_null(snapshot.bodies.id);
        ky_snapshot_free(&snapshot);
    }
}

/* A file that we wrote and that is cut anywhere is not taken for a whole one. */
static void every_cut_is_seen(const char *name, int compress, size_t n, unsigned with)
{
    struct ky_error error = {0};
    struct ky_snapshot before = sample(n, with, "4", 1), after;
    struct ky_write_options options;
    ky_write_options_defaults(&options);
    options.overwrite = 1;
    options.compress = compress;
    before.bodies.type[0] = with == ALL ? 1 : 4;
    assert_ok(ky_snapshot_write(in_folder(name), &before, &options, &error));
    size_t size, good = 0;
    unsigned char *bytes = bytes_of(in_folder(name), &size);
    /* HDF5 is slow: between head and end of the file every 61st byte is tried. */
    const size_t all = 3000, stride = size > 2 * all ? 61 : 1;
    for (size_t cut = 1; cut < size; cut += cut < all || cut + all > size ? 1 : stride) {
        /* Memory of exactly this size shows a stray access. */
        unsigned char *copy = malloc(cut);
        memcpy(copy, bytes, cut);
        struct ky_input input;
        ky_input_memory(&input, copy, cut);
        enum ky_status status =
            ky_snapshot_read_input(&input, KY_FORMAT_BY_NAME, NULL, &after, &error);
        if (status == KY_OK) {
            good++;
            assert_same_bodies(&before.bodies, &after.bodies);
            ky_snapshot_free(&after);
        } else if (status != KY_BAD_DATA) {
            fail_msg("%s cut to %zu of %zu bytes: %s: %s", name, cut, size, ky_status_name(status),
                     error.text);
        }
        free(copy);
    }
    if (good)
        fail_msg("%s: %zu cuts were not seen", name, good);
    free(bytes);
    ky_snapshot_free(&before);
}

static void cut_files_are_seen(void **state)
{
    (void)state;
    every_cut_is_seen("a.csv", 0, 5, ALL);
    every_cut_is_seen("a.tipsy", 0, 5, KY_WITH_SOFTENING | KY_WITH_POTENTIAL);
    every_cut_is_seen("b.tipsy", 0, 5, 0);
#ifdef KY_HAVE_HDF5
    every_cut_is_seen("a.hdf5", 0, 2, ALL);
    every_cut_is_seen("a.h5", 1, 2, ALL);
#endif
}

static void cut_neighbours_of_tipsy_are_seen(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_snapshot before = sample(5, KY_WITH_ID, NULL, 1), after;
    assert_ok(ky_units_preset("galaxy", &before.units, &error));
    assert_ok(ky_snapshot_write(in_folder("n.tipsy"), &before, NULL, &error));
    static const char *const names[] = {"n.tipsy.iord", "n.tipsy.param"};
    for (int k = 0; k < 2; k++) {
        size_t size;
        unsigned char *bytes = bytes_of(in_folder(names[k]), &size);
        for (size_t cut = 1; cut < size; cut++) {
            put_bytes(in_folder(names[k]), bytes, cut);
            if (ky_snapshot_read(in_folder("n.tipsy"), &after, &error) != KY_BAD_DATA)
                fail_msg("%s cut to %zu bytes is not seen", names[k], cut);
            assert_non_null(strstr(error.text, names[k]));
        }
        put_bytes(in_folder(names[k]), bytes, size);
        free(bytes);
    }
    ky_snapshot_free(&before);
}

/* Writes a TIPSY header and `bytes` zero bytes. */
static void put_tipsy(const char *path, uint32_t n, uint32_t gas, uint32_t dark, uint32_t star,
                      size_t bytes)
{
    const uint32_t words[] = {0, 0, n, 3, gas, dark, star, 0};
    unsigned char *file = calloc(32 + bytes, 1);
    for (int k = 0; k < 8; k++)
        ky_store32(file + 4 * k, words[k], KY_TURN_BIG);
    put_bytes(path, file, 32 + bytes);
    free(file);
}

static void tipsy_headers_may_lie(void **state)
{
    (void)state;
    const char *path = in_folder("lie.tipsy");
    put_tipsy(path, 2, 0, 2, 0, 36);
    assert_bad(path, "says 2 bodies, which take 104 bytes, and the file has 68");
    put_tipsy(path, 2, 0, 1, 0, 36);
    assert_bad(path, "2 bodies in all");
    put_tipsy(path, 0x7fffffff, 0, 0x7fffffff, 0, 36);
    assert_bad(path, "says 2147483647");
    put_tipsy(path, 0xfffffffe, 0xffffffff, 0xffffffff, 0, 36);
    assert_bad(path, "in all");
    put_tipsy(path, 0, 0, 0, 0, 0);
    assert_bad(path, "no bodies");
}

static void bad_bodies_are_named(void **state)
{
    (void)state;
    struct ky_error error = {0};
    static const char *const names[] = {"x.tipsy", "x.hdf5"};
    for (int k = 0; k < (strcmp(ky_snapshot_default_suffix(), ".hdf5") ? 1 : 2); k++) {
        struct ky_snapshot snapshot = sample(5, KY_WITH_ID, NULL, 1);
        struct ky_write_options options;
        ky_write_options_defaults(&options);
        options.overwrite = 1;
        snapshot.bodies.mass[3] = -1;
        assert_ok(ky_snapshot_write(in_folder(names[k]), &snapshot, &options, &error));
        assert_bad(in_folder(names[k]), "body 3: mass is -1");
        snapshot.bodies.mass[3] = 1;
        snapshot.bodies.id[4] = snapshot.bodies.id[0];
        assert_ok(ky_snapshot_write(in_folder(names[k]), &snapshot, &options, &error));
        assert_bad(in_folder(names[k]), "occurs twice");
        ky_snapshot_free(&snapshot);
    }
}

#ifdef KY_HAVE_HDF5
/* Every byte of the headers of data sets and groups is changed. There is no crash, and bodies that
 * are read are checked. */
static void damaged_hdf5_does_no_harm(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_snapshot snapshot = sample(3, KY_WITH_ID, "14", 0), after;
    struct ky_write_options options;
    ky_write_options_defaults(&options);
    options.overwrite = 1;
    assert_ok(ky_snapshot_write(in_folder("d.hdf5"), &snapshot, &options, &error));
    size_t size, bad = 0;
    unsigned char *bytes = bytes_of(in_folder("d.hdf5"), &size);
    for (size_t k = 0; k < size; k += 23) {
        bytes[k] ^= 0x10;
        struct ky_input input;
        ky_input_memory(&input, bytes, size);
        if (ky_snapshot_read_input(&input, KY_FORMAT_BY_NAME, NULL, &after, &error))
            bad++;
        else
            ky_snapshot_free(&after);
        bytes[k] ^= 0x10;
    }
    assert_true(bad > 20);
    free(bytes);
    ky_snapshot_free(&snapshot);
}
#endif

int main(void)
{
    ky_snapshot_quiet_exit();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_snapshot_is_refused),
        cmocka_unit_test(csv_names_the_line),
        cmocka_unit_test(csv_units_have_their_g),
        cmocka_unit_test(csv_units_in_words_are_refused_or_given),
        cmocka_unit_test(csv_types_beyond_5_are_left_out),
        cmocka_unit_test(csv_ids_of_any_kind_are_renumbered),
        cmocka_unit_test(csv_forgives_blanks_and_quotation_marks),
        cmocka_unit_test(cut_files_are_seen),
        cmocka_unit_test(cut_neighbours_of_tipsy_are_seen),
        cmocka_unit_test(tipsy_headers_may_lie),
        cmocka_unit_test(bad_bodies_are_named),
#ifdef KY_HAVE_HDF5
        cmocka_unit_test(damaged_hdf5_does_no_harm),
#endif
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
