/* HDF5 snapshots of other programs, in one file or several, and files that contradict themselves.
 * snapshot_codes.c has the names and conventions of single codes. */
#include "hdf5_files.h"

#include <math.h>

#ifdef KY_HAVE_HDF5

/* What make_hdf5 writes, changes or leaves out. */
struct strange {
    int32_t here, total, files, rows;
    double mass;
    const char *absent;
    int empty; /* data sets without data */
    const char *units;
    double later; /* than 0.5 */
    uint64_t run; /* 0: not one of our own pieces */
};

/* Three dark bodies as another program writes them: big-endian floats, 32-bit ids, the mass in the
 * header. Body i has the position 3i … and the velocity 30 + 3i …. */
static void make_hdf5(const char *path, const struct strange *s, int first)
{
    float place[9], speed[9];
    int32_t ids[3];
    for (int k = 0; k < 9; k++)
        place[k] = (float)(k + 3 * first), speed[k] = (float)(30 + k + 3 * first);
    for (int k = 0; k < 3; k++)
        ids[k] = 5 + k + first;
    const int32_t here[6] = {0, s->here, 0, 0, 0, 0}, total[6] = {0, s->total, 0, 0, 0, 0};
    const double masses[6] = {0, s->mass, 0, 0, 0, 0}, time = 0.5 + s->later;
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t header = H5Gcreate2(file, "Header", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_attribute(header, "NumPart_ThisFile", H5T_NATIVE_INT32, 6, here);
    put_attribute(header, "NumPart_Total", H5T_NATIVE_INT32, 6, total);
    put_attribute(header, "MassTable", H5T_NATIVE_DOUBLE, 6, masses);
    put_attribute(header, "Time", H5T_NATIVE_DOUBLE, 1, &time);
    put_attribute(header, "NumFilesPerSnapshot", H5T_NATIVE_INT32, 1, &s->files);
    H5Gclose(header);
    if (s->run) {
        hid_t own = H5Gcreate2(file, "Kyoho", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        put_attribute(own, "Run", H5T_NATIVE_UINT64, 1, &s->run);
        H5Gclose(own);
    }
    hid_t group = H5Gcreate2(file, "PartType1", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const struct {
        const char *name;
        hid_t stored, type;
        hsize_t columns;
        const void *data;
    } sets[] = {
        {"Coordinates", H5T_IEEE_F32BE, H5T_NATIVE_FLOAT, 3, place},
        {"Velocities", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 3, speed},
        {"ParticleIDs", H5T_STD_U32LE, H5T_NATIVE_INT32, 1, ids},
    };
    for (int k = 0; k < 3; k++)
        if (!s->absent || strcmp(s->absent, sets[k].name) != 0)
            put_set(group, sets[k].name, sets[k].stored, sets[k].type, (hsize_t)s->rows,
                    sets[k].columns, s->empty ? NULL : sets[k].data);
    H5Gclose(group);
    if (s->units) {
        const double scales[] = {3.085678e18, 1.989e33, 1e5};
        hid_t units = H5Gcreate2(file, s->units, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        put_attribute(units, "UnitLength_in_cm", H5T_NATIVE_DOUBLE, 1, &scales[0]);
        put_attribute(units, "UnitMass_in_g", H5T_NATIVE_DOUBLE, 1, &scales[1]);
        put_attribute(units, "UnitVelocity_in_cm_per_s", H5T_NATIVE_DOUBLE, 1, &scales[2]);
        H5Gclose(units);
    }
    H5Fclose(file);
}

static const struct strange plain_hdf5 = {3, 3, 1, 3, 0.25, NULL, 0, NULL, 0, 0};

static void check_hdf5(const struct ky_snapshot *snapshot, size_t n)
{
    const struct ky_bodies *b = &snapshot->bodies;
    assert_int_equal(b->n, n);
    assert_true(snapshot->time == 0.5);
    for (size_t i = 0; i < n; i++) {
        assert_true(b->mass[i] == 0.25);
        assert_int_equal(b->type[i], 1);
        assert_true(!b->id || b->id[i] == 5 + i);
        for (size_t c = 0; c < 3; c++) {
            assert_true(b->position[i][c] == (double)(3 * i + c));
            assert_true(b->velocity[i][c] == (double)(30 + 3 * i + c));
        }
    }
}

static void foreign_hdf5_is_read(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_snapshot snapshot;
    struct strange s = plain_hdf5;
    make_hdf5(in_folder("f.hdf5"), &s, 0);
    assert_ok(ky_snapshot_read(in_folder("f.hdf5"), &snapshot, &error));
    check_hdf5(&snapshot, 3);
    assert_true(snapshot.units.length_cm == 0 && snapshot.units.g == 1);
    ky_snapshot_free(&snapshot);
    s.absent = "ParticleIDs";
    s.units = "Parameters";
    make_hdf5(in_folder("f.hdf5"), &s, 0);
    assert_ok(ky_snapshot_read(in_folder("f.hdf5"), &snapshot, &error));
    check_hdf5(&snapshot, 3);
    assert_null(snapshot.bodies.id);
    assert_true(snapshot.units.length_cm == 3.085678e18);
    assert_between(snapshot.units.g, 0.00430089, 0.00430091);
    ky_snapshot_free(&snapshot);
}

static void hdf5_in_several_files(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_snapshot snapshot;
    struct strange s = plain_hdf5;
    s.files = 2, s.total = 6;
    make_hdf5(in_folder("h.0.hdf5"), &s, 0);
    make_hdf5(in_folder("h.1.hdf5"), &s, 3);
    static const char *const names[] = {"h.0.hdf5", "h.1.hdf5", "h", "h.hdf5"};
    for (int k = 0; k < 4; k++) {
        assert_ok(ky_snapshot_read(in_folder(names[k]), &snapshot, &error));
        check_hdf5(&snapshot, 6);
        ky_snapshot_free(&snapshot);
    }
    s.total = 7;
    make_hdf5(in_folder("h.1.hdf5"), &s, 3);
    assert_int_equal(ky_snapshot_read(in_folder("h.0.hdf5"), &snapshot, &error), KY_BAD_DATA);
    remove(in_folder("h.1.hdf5"));
    assert_int_equal(ky_snapshot_read(in_folder("h.0.hdf5"), &snapshot, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "h.1.hdf5: there is no such file"));
}

/* Pieces with another time, run, mass, or number of files or bodies. */
static void pieces_of_other_snapshots_are_refused(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_snapshot snapshot;
    struct strange s = plain_hdf5;
    s.files = 2, s.total = 6;
    for (int k = 0; k < 7; k++) {
        static const char *const says[] = {
            NULL,
            "its time is 0.75, but 0.5 in the first file",
            "is one of 3 files, but the first file is one of 2",
            "NumPart_Total says 7 bodies of type 1, and that of the first file 6",
            "MassTable gives bodies of type 1 the mass 0.5, but 0.25 in the first file",
            "is a piece of another run",
            "is a piece of another run"};
        struct strange first = s, other = s;
        first.run = other.run = k < 6 ? UINT64_MAX - 2 : 0; /* foreign pieces have no /Kyoho/Run */
        other.later = k == 1 ? 0.25 : 0;
        other.files += k == 2;
        other.total += k == 3;
        other.mass *= k == 4 ? 2 : 1;
        other.run += k >= 5;
        make_hdf5(in_folder("p.0.hdf5"), &first, 0);
        make_hdf5(in_folder("p.1.hdf5"), &other, 3);
        const enum ky_status status = ky_snapshot_read(in_folder("p.0.hdf5"), &snapshot, &error);
        assert_int_equal(status, k ? KY_BAD_DATA : KY_OK);
        if (k && (!strstr(error.text, says[k]) || !strstr(error.text, "p.1.hdf5: ")))
            fail_msg("'%s' in '%s'", says[k], error.text);
        if (!k)
            ky_snapshot_free(&snapshot);
    }
}

static void hdf5_may_lie(void **state)
{
    (void)state;
    struct ky_error error = {0};
    static const struct {
        struct strange s;
        const char *says;
    } lies[] = {
        {{4, 4, 1, 3, 0.25, NULL, 0, NULL, 0, 0}, "has 3 rows and /Header says 4"},
        {{0, 0, 1, 3, 0.25, NULL, 0, NULL, 0, 0}, "has 3 rows and /Header says 0"},
        {{3, 4, 1, 3, 0.25, NULL, 0, NULL, 0, 0}, "NumPart_Total says 4"},
        {{-1, -1, 1, 3, 0.25, NULL, 0, NULL, 0, 0}, "Header says"},
        {{3, 3, 1, 3, 0, NULL, 0, NULL, 0, 0}, "no data set Masses"},
        {{3, 3, 1, 3, -0.25, NULL, 0, NULL, 0, 0}, "no data set Masses"},
        {{3, 3, 1, 3, 0.25, "Velocities", 0, NULL, 0, 0}, "no data set Velocities"},
        {{3, 3, 1, 3, 0.25, NULL, 1, NULL, 0, 0}, "does not contain all of it"},
        {{500000000, 500000000, 1, 500000000, 0.25, NULL, 1, NULL, 0, 0},
         "does not contain all of it"},
        {{3, 3, 5, 3, 0.25, NULL, 0, NULL, 0, 0}, "one of 5 files"},
        {{3, 3, -5, 3, 0.25, NULL, 0, NULL, 0, 0}, "NumFilesPerSnapshot is -5"},
    };
    for (size_t k = 0; k < sizeof lies / sizeof *lies; k++) {
        struct ky_snapshot snapshot;
        make_hdf5(in_folder("lie.hdf5"), &lies[k].s, 0);
        assert_int_equal(ky_snapshot_read(in_folder("lie.hdf5"), &snapshot, &error), KY_BAD_DATA);
        if (!strstr(error.text, lies[k].says))
            fail_msg("'%s' does not say '%s'", error.text, lies[k].says);
    }
}

/* A time may be a text. A text that is no number is refused, and not taken for 0. */
static void time_that_is_no_number(void **state)
{
    (void)state;
    struct ky_error error = {0};
    static const struct {
        const char *text;
        double time; /* NaN: refused */
    } times[] = {{"0.25", 0.25}, {"late", (double)NAN}, {"inf", (double)NAN}};
    for (size_t k = 0; k < sizeof times / sizeof *times; k++) {
        struct ky_snapshot snapshot;
        make_hdf5(in_folder("t.hdf5"), &plain_hdf5, 0);
        hid_t file = H5Fopen(in_folder("t.hdf5"), H5F_ACC_RDWR, H5P_DEFAULT);
        hid_t header = H5Gopen2(file, "Header", H5P_DEFAULT), type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, strlen(times[k].text));
        H5Adelete(header, "Time");
        put_attribute(header, "Time", type, 1, times[k].text);
        H5Tclose(type);
        H5Gclose(header);
        H5Fclose(file);
        enum ky_status status = ky_snapshot_read(in_folder("t.hdf5"), &snapshot, &error);
        assert_int_equal(status, isnan(times[k].time) ? KY_BAD_DATA : KY_OK);
        if (status) {
            assert_non_null(strstr(error.text, "/Header: Time is "));
            assert_non_null(strstr(error.text, times[k].text));
        } else {
            assert_true(snapshot.time == times[k].time);
        }
        ky_snapshot_free(&snapshot);
    }
}

static void order_of_another_file_is_refused(void **state)
{
    (void)state;
    struct ky_error error = {0};
    static const uint64_t orders[3][3] = {{0, 1, 3}, {0, 1, 1}, {2, 0, 1}};
    for (int k = 0; k < 3; k++) {
        struct ky_snapshot snapshot;
        make_hdf5(in_folder("o.hdf5"), &plain_hdf5, 0);
        hid_t file = H5Fopen(in_folder("o.hdf5"), H5F_ACC_RDWR, H5P_DEFAULT);
        hid_t own = H5Gcreate2(file, "Kyoho", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        put_set(own, "Order", H5T_STD_U64LE, H5T_NATIVE_UINT64, 3, 1, orders[k]);
        H5Gclose(own);
        H5Fclose(file);
        enum ky_status status = ky_snapshot_read(in_folder("o.hdf5"), &snapshot, &error);
        assert_int_equal(status, k < 2 ? KY_BAD_DATA : KY_OK);
        if (status)
            assert_non_null(strstr(error.text, "/Kyoho/Order"));
        else
            assert_int_equal(snapshot.bodies.id[2], 5);
        ky_snapshot_free(&snapshot);
    }
}

static void other_hdf5_is_no_snapshot(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_snapshot snapshot;
    H5Fclose(H5Fcreate(in_folder("other.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    assert_int_equal(ky_snapshot_read(in_folder("other.h5"), &snapshot, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "/Header"));
}

/* Object headers of the old format have no checksums. If an attribute in a header is damaged, HDF5
 * 1.10 crashes when it lists the attributes, or when it converts numbers with more bits than they
 * have room for. */
static void damage_without_checksums(void **state)
{
    (void)state;
    struct ky_error error = {0};
    static const unsigned char real[] = {0x11, 0x20, 0x3f, 0, 8, 0, 0, 0, 0, 0, 64, 0},
                               place[] = {0x11, 0x21, 0x1f, 0, 4, 0, 0, 0, 0, 0, 32, 0};
    static const struct {
        const void *bytes;
        size_t size;
        long at; /* the byte that changes, counted from the text */
        const char *says;
    } damages[] = {
        {"MassTable", 10, -8, "/Header has damaged attributes"}, /* version of the message */
        {"Time", 5, -8, "/Header has damaged attributes"},
        {"UnitLength_in_cm", 17, -8, "/Parameters has damaged attributes"},
        {real, sizeof real, 11, "MassTable is not a list of numbers"}, /* bits of a number */
        {place, sizeof place, 11, "more bits than their size"},
    };
    struct strange s = plain_hdf5;
    s.units = "Parameters";
    for (size_t k = 0; k < sizeof damages / sizeof *damages; k++) {
        struct ky_snapshot snapshot;
        size_t size, found = 0, at = 0;
        make_hdf5(in_folder("d.hdf5"), &s, 0);
        unsigned char *bytes = bytes_of(in_folder("d.hdf5"), &size);
        for (; at + damages[k].size <= size; at++)
            if (!memcmp(bytes + at, damages[k].bytes, damages[k].size)) {
                bytes[(long)at + damages[k].at] = 0x7f;
                found++;
            }
        assert_true(found > 0);
        put_bytes(in_folder("d.hdf5"), bytes, size);
        free(bytes);
        assert_int_equal(ky_snapshot_read(in_folder("d.hdf5"), &snapshot, &error), KY_BAD_DATA);
        if (!strstr(error.text, damages[k].says))
            fail_msg("%zu: '%s' does not say '%s'", k, error.text, damages[k].says);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(foreign_hdf5_is_read),
        cmocka_unit_test(hdf5_in_several_files),
        cmocka_unit_test(pieces_of_other_snapshots_are_refused),
        cmocka_unit_test(hdf5_may_lie),
        cmocka_unit_test(time_that_is_no_number),
        cmocka_unit_test(damage_without_checksums),
        cmocka_unit_test(order_of_another_file_is_refused),
        cmocka_unit_test(other_hdf5_is_no_snapshot),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
#endif
