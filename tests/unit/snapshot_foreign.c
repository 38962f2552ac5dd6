/* Files of other programs, made here byte by byte: GADGET 1 and 2, TIPSY in all its variants, HDF5
 * of other writers and in several files. */
#include "snapshot.h"

#include <math.h>

#include "snapshot/bytes.h"
#include "snapshot/snapshot.h"

/* ---- bytes that grow ---- */

struct bytes {
    unsigned char data[1 << 16];
    size_t size;
    int turn;
};

static void add32(struct bytes *b, uint32_t value)
{
    ky_store32(b->data + b->size, value, b->turn);
    b->size += 4;
}

static void add64(struct bytes *b, uint64_t value)
{
    ky_store64(b->data + b->size, value, b->turn);
    b->size += 8;
}

static void add_real(struct bytes *b, double value, int width)
{
    if (width == 8)
        ky_store_double(b->data + b->size, value, b->turn);
    else
        ky_store_float(b->data + b->size, (float)value, b->turn);
    b->size += (size_t)width;
}

/* ---- GADGET ---- */

struct gadget {
    int turn, named, width, wide_ids, potential, files;
    uint32_t count[6], total[6];
    double mass[6];
};

static void begin_record(struct bytes *b, const struct gadget *g, const char *name, size_t length)
{
    if (g->named) {
        add32(b, 8);
        memcpy(b->data + b->size, name, 4);
        b->size += 4;
        add32(b, (uint32_t)length + 8);
        add32(b, 8);
    }
    add32(b, (uint32_t)length);
}

static void add_vectors(struct bytes *b, const struct gadget *g, const char *name, uint32_t n,
                        double base)
{
    size_t length = (size_t)(3 * g->width) * n;
    begin_record(b, g, name, length);
    for (uint32_t i = 0; i < 3 * n; i++)
        add_real(b, base + i, g->width);
    add32(b, (uint32_t)length);
}

/* Body i has position 3i, 3i + 1, …, velocity 1000 + …, id 10 + i, mass 0.5 + i where it is not in
 * the header, potential -1 - i. */
static void make_gadget(struct bytes *b, const struct gadget *g, uint32_t first)
{
    uint32_t n = 0, heavy = 0;
    *b = (struct bytes){.turn = g->turn};
    begin_record(b, g, "HEAD", 256);
    size_t head = b->size;
    for (int t = 0; t < 6; t++) {
        add32(b, g->count[t]);
        n += g->count[t];
    }
    for (int t = 0; t < 6; t++)
        add_real(b, g->mass[t], 8);
    add_real(b, 0.75, 8); /* time */
    add_real(b, 0, 8);
    add64(b, 0);
    for (int t = 0; t < 6; t++)
        add32(b, g->total[t]);
    add32(b, 0);
    add32(b, (uint32_t)g->files);
    b->size = head + 256;
    add32(b, 256);
    add_vectors(b, g, "POS ", n, 3.0 * first);
    add_vectors(b, g, "VEL ", n, 1000 + 3.0 * first);
    if (g->named) { /* a block that nobody knows */
        begin_record(b, g, "ODD ", 5);
        b->size += 5;
        add32(b, 5);
    }
    uint32_t id_bytes = n * (g->wide_ids ? 8 : 4);
    begin_record(b, g, "ID  ", id_bytes);
    for (uint32_t i = first; i < first + n; i++)
        if (g->wide_ids)
            add64(b, 10 + i + ((uint64_t)1 << 40));
        else
            add32(b, 10 + i);
    add32(b, id_bytes);
    for (int t = 0; t < 6; t++)
        heavy += g->mass[t] > 0 ? 0 : g->count[t];
    if (heavy) {
        begin_record(b, g, "MASS", heavy * (size_t)g->width);
        uint32_t i = first;
        for (int t = 0; t < 6; t++)
            for (uint32_t k = 0; k < g->count[t]; k++, i++)
                if (!(g->mass[t] > 0))
                    add_real(b, 0.5 + i, g->width);
        add32(b, heavy * (uint32_t)g->width);
    }
    if (g->potential) {
        begin_record(b, g, "POT ", n * (size_t)g->width);
        for (uint32_t i = first; i < first + n; i++)
            add_real(b, -1.0 - i, g->width);
        add32(b, n * (uint32_t)g->width);
    }
}

static void check_gadget(const struct ky_bodies *b, const struct gadget *g)
{
    size_t i = 0, n = 0;
    for (int t = 0; t < 6; t++)
        n += g->total[t] ? g->total[t] : g->count[t];
    assert_int_equal(b->n, n);
    for (int t = 0; t < 6 && g->files <= 1; t++)
        for (uint32_t k = 0; k < g->count[t]; k++, i++) {
            assert_true(b->mass[i] == (g->mass[t] > 0 ? g->mass[t] : 0.5 + (double)i));
            assert_int_equal(b->type ? b->type[i] : 4, t);
        }
    for (i = 0; i < n; i++) {
        for (size_t c = 0; c < 3; c++) {
            assert_true(b->position[i][c] == (double)(3 * i + c));
            assert_true(b->velocity[i][c] == (double)(1000 + 3 * i + c));
        }
        assert_int_equal(b->id[i], 10 + i + (g->wide_ids ? (uint64_t)1 << 40 : 0));
        if (g->named && g->potential)
            assert_true(b->potential[i] == -1.0 - (double)i);
    }
}

static const struct gadget plain_gadget = {.width = 4,
                                           .files = 1,
                                           .count = {1, 2, 0, 0, 3, 0},
                                           .total = {1, 2, 0, 0, 3, 0},
                                           .mass = {0, 0.25, 0, 0, 0, 0}};

static struct gadget variant(int k)
{
    struct gadget g = plain_gadget;
    g.turn = k & 1;
    g.named = k >> 1 & 1;
    g.width = k & 4 ? 8 : 4;
    g.wide_ids = k >> 3 & 1;
    g.potential = k >> 4 & 1;
    return g;
}

static void gadget_variants_are_read(void **state)
{
    (void)state;
    struct ky_error error = {0};
    static struct bytes bytes;
    for (int k = 0; k < 32; k++) {
        struct gadget g = variant(k);
        struct ky_snapshot snapshot;
        make_gadget(&bytes, &g, 0);
        put_bytes(in_folder("g.dat"), bytes.data, bytes.size);
        assert_ok(ky_snapshot_read(in_folder("g.dat"), &snapshot, &error));
        check_gadget(&snapshot.bodies, &g);
        assert_true(snapshot.time == 0.75);
        ky_snapshot_free(&snapshot);
    }
}

/* In memory of its own size: cuts, and numbers of the header that lie. */
static enum ky_status read_bytes(const unsigned char *data, size_t size, struct ky_error *error)
{
    struct ky_snapshot snapshot;
    struct ky_input input;
    unsigned char *copy = malloc(size ? size : 1);
    memcpy(copy, data, size);
    ky_input_memory(&input, copy, size);
    enum ky_status status = ky_snapshot_read_input(&input, KY_FORMAT_BY_NAME, NULL, &snapshot, error);
    if (!status)
        ky_snapshot_free(&snapshot);
    free(copy);
    return status;
}

static void gadget_cuts_are_seen(void **state)
{
    (void)state;
    struct ky_error error = {0};
    static struct bytes bytes;
    for (int k = 0; k < 16; k++) {
        struct gadget g = variant(k);
        make_gadget(&bytes, &g, 0);
        assert_ok(read_bytes(bytes.data, bytes.size, &error));
        for (size_t cut = 1; cut < bytes.size; cut++)
            assert_int_equal(read_bytes(bytes.data, cut, &error), KY_BAD_DATA);
    }
}

static void gadget_headers_may_lie(void **state)
{
    (void)state;
    struct ky_error error = {0};
    static struct bytes bytes;
    struct gadget g = plain_gadget;
    for (int t = 0; t < 6; t++)
        for (int lie = 0; lie < 3; lie++) {
            static const uint32_t lies[] = {7, 0x7fffffff, 0xffffffff};
            make_gadget(&bytes, &g, 0);
            ky_store32(bytes.data + 4 + 4 * t, lies[lie], 0);
            assert_int_equal(read_bytes(bytes.data, bytes.size, &error), KY_BAD_DATA);
        }
    g.total[1] = 3;
    make_gadget(&bytes, &g, 0);
    assert_int_equal(read_bytes(bytes.data, bytes.size, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "tells of 3 bodies of type 1"));
    g = plain_gadget;
    g.mass[1] = NAN;
    make_gadget(&bytes, &g, 0);
    assert_int_equal(read_bytes(bytes.data, bytes.size, &error), KY_BAD_DATA);
    g = plain_gadget;
    g.files = 3;
    make_gadget(&bytes, &g, 0);
    assert_int_equal(read_bytes(bytes.data, bytes.size, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "one of 3 files"));
}

static void gadget_in_several_files(void **state)
{
    (void)state;
    struct ky_error error = {0};
    static struct bytes bytes;
    struct ky_snapshot snapshot;
    struct gadget g = {.width = 4, .files = 2, .count = {0, 0, 0, 0, 3, 0}};
    g.total[4] = 5;
    make_gadget(&bytes, &g, 0);
    put_bytes(in_folder("many.0"), bytes.data, bytes.size);
    g.count[4] = 2;
    make_gadget(&bytes, &g, 3);
    put_bytes(in_folder("many.1"), bytes.data, bytes.size);
    static const char *const names[] = {"many.0", "many.1", "many"};
    for (int k = 0; k < 3; k++) {
        assert_ok(ky_snapshot_read(in_folder(names[k]), &snapshot, &error));
        check_gadget(&snapshot.bodies, &g);
        ky_snapshot_free(&snapshot);
    }
    remove(in_folder("many.1"));
    assert_int_equal(ky_snapshot_read(in_folder("many.0"), &snapshot, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "many.1: there is no such file"));
}

/* ---- TIPSY ---- */

struct tipsy {
    int turn, header, position, velocity, version2;
};

/* Body i of kind k: mass 1 + i, position 10i …, velocity 100i …, softening 0.5 + i, potential -i;
 * id 2^33 + i in version 2. */
static void make_tipsy(struct bytes *b, const struct tipsy *t)
{
    static const int words_before[3] = {2, 0, 2}, words_after[3] = {1, 0, 0};
    const uint32_t count[3] = {t->version2 ? 0 : 2, 2, 2};
    *b = (struct bytes){.turn = t->turn};
    add_real(b, 1.5, 8);
    add32(b, count[0] + count[1] + count[2]);
    add32(b, 3);
    for (int k = 0; k < 3; k++)
        add32(b, count[k]);
    if (t->header == 32)
        add32(b, t->version2 ? 2 : 0);
    int i = 0;
    for (int kind = 0; kind < 3; kind++)
        for (uint32_t k = 0; k < count[kind]; k++, i++) {
            add_real(b, 1 + i, 4);
            for (int c = 0; c < 3; c++)
                add_real(b, 10 * i + c, t->position);
            for (int c = 0; c < 3; c++)
                add_real(b, 100 * i + c, t->velocity);
            for (int w = 0; w < words_before[kind]; w++)
                add_real(b, 99, 4);
            if (t->version2) {
                add64(b, ((uint64_t)1 << 33) + (uint64_t)i);
                continue;
            }
            add_real(b, 0.5 + i, 4);
            for (int w = 0; w < words_after[kind]; w++)
                add_real(b, 98, 4);
            add_real(b, -i, 4);
        }
}

static void check_tipsy(const struct ky_bodies *b, const struct tipsy *t)
{
    static const int types[] = {0, 0, 1, 1, 4, 4};
    const size_t n = t->version2 ? 4 : 6;
    assert_int_equal(b->n, n);
    for (size_t i = 0; i < n; i++) {
        assert_true(b->mass[i] == (double)(1 + i));
        for (size_t c = 0; c < 3; c++) {
            assert_true(b->position[i][c] == (double)(10 * i + c));
            assert_true(b->velocity[i][c] == (double)(100 * i + c));
        }
        assert_int_equal(b->type[i], types[i + (t->version2 ? 2 : 0)]);
        if (t->version2) {
            assert_int_equal(b->id[i], ((uint64_t)1 << 33) + i);
        } else {
            assert_true(b->softening[i] == 0.5 + (double)i);
            assert_true(b->potential[i] == -(double)i);
        }
    }
}

/* A file of doubles that is cut exactly to the size of one of floats cannot be told from it. */
static int looks_like_floats(const struct tipsy *t, size_t cut)
{
    for (size_t width = 12; width <= 24; width += 12)
        for (size_t header = 28; header <= 32; header += 4)
            if (t->position == 8 && cut == header + 2 * 4 * (12 + 9 + 11) + 6 * (width - 12))
                return 1;
    return 0;
}

static void tipsy_variants_are_read(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_snapshot snapshot;
    static struct bytes bytes;
    for (int k = 0; k < 16; k++) {
        static const int widths[4][2] = {{4, 4}, {8, 4}, {8, 8}, {4, 4}};
        struct tipsy t = {k & 1, k & 2 ? 28 : 32, widths[k >> 2][0], widths[k >> 2][1], 0};
        t.version2 = k >> 2 == 3 && t.header == 32;
        make_tipsy(&bytes, &t);
        put_bytes(in_folder("t.bin"), bytes.data, bytes.size);
        assert_ok(ky_snapshot_read(in_folder("t.bin"), &snapshot, &error));
        check_tipsy(&snapshot.bodies, &t);
        assert_true(snapshot.time == 1.5);
        ky_snapshot_free(&snapshot);
        for (size_t cut = 1; cut < bytes.size; cut++)
            if (!looks_like_floats(&t, cut))
                assert_int_equal(read_bytes(bytes.data, cut, &error), KY_BAD_DATA);
    }
}

/* Units of a program that knows only kpc and Msun: velocities follow from G = 1. */
static void foreign_tipsy_units_are_read(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_snapshot snapshot;
    static struct bytes bytes;
    struct tipsy t = {KY_TURN_BIG, 32, 4, 4, 0};
    make_tipsy(&bytes, &t);
    put_bytes(in_folder("p.tipsy"), bytes.data, bytes.size);
    static const char text[] = "# run\ndKpcUnit   = 1\nxdMsolUnit = 5\ndMsolUnit=1e10\n";
    put_bytes(in_folder("p.tipsy.param"), text, strlen(text));
    assert_ok(ky_snapshot_read(in_folder("p.tipsy"), &snapshot, &error));
    assert_true(snapshot.units.g == 1);
    assert_between(snapshot.units.length_cm, 3.085677e21, 3.085679e21);
    assert_between(snapshot.units.mass_g, 1.98899e43, 1.98901e43);
    assert_between(snapshot.units.velocity_cm_s, 1e5 * 207.385, 1e5 * 207.387);
    ky_snapshot_free(&snapshot);
}

/* ---- HDF5 ---- */

#ifdef KY_HAVE_HDF5
#include <hdf5.h>

static void put_attribute(hid_t where, const char *name, hid_t type, hsize_t count,
                          const void *data)
{
    hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t made = H5Acreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(made, type, data) >= 0);
    H5Aclose(made);
    H5Sclose(space);
}

static void put_set(hid_t where, const char *name, hid_t stored, hid_t type, hsize_t rows,
                    hsize_t columns, const void *data)
{
    hsize_t size[2] = {rows, columns};
    hid_t space = H5Screate_simple(columns > 1 ? 2 : 1, size, NULL);
    hid_t made = H5Dcreate2(where, name, stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (data)
        assert_true(H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Dclose(made);
    H5Sclose(space);
}

/* What make_hdf5 leaves out or turns. */
struct strange {
    int32_t here, total, files, rows;
    double mass;
    const char *absent;
    int empty; /* data sets without data */
    const char *units;
};

/* Three dark bodies as another program writes them: big-endian float, 32-bit ids, mass in the
 * header. Body i: position 3i …, velocity 30 + 3i …. */
static void make_hdf5(const char *path, const struct strange *s, int first)
{
    float place[9], speed[9];
    int32_t ids[3];
    for (int k = 0; k < 9; k++)
        place[k] = (float)(k + 3 * first), speed[k] = (float)(30 + k + 3 * first);
    for (int k = 0; k < 3; k++)
        ids[k] = 5 + k + first;
    const int32_t here[6] = {0, s->here, 0, 0, 0, 0}, total[6] = {0, s->total, 0, 0, 0, 0};
    const double masses[6] = {0, s->mass, 0, 0, 0, 0}, time = 0.5;
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t header = H5Gcreate2(file, "Header", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_attribute(header, "NumPart_ThisFile", H5T_NATIVE_INT32, 6, here);
    put_attribute(header, "NumPart_Total", H5T_NATIVE_INT32, 6, total);
    put_attribute(header, "MassTable", H5T_NATIVE_DOUBLE, 6, masses);
    put_attribute(header, "Time", H5T_NATIVE_DOUBLE, 1, &time);
    put_attribute(header, "NumFilesPerSnapshot", H5T_NATIVE_INT32, 1, &s->files);
    H5Gclose(header);
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

static const struct strange plain_hdf5 = {3, 3, 1, 3, 0.25, NULL, 0, NULL};

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

static void hdf5_may_lie(void **state)
{
    (void)state;
    struct ky_error error = {0};
    static const struct {
        struct strange s;
        const char *says;
    } lies[] = {
        {{4, 4, 1, 3, 0.25, NULL, 0, NULL}, "has 3 rows and /Header tells of 4"},
        {{0, 0, 1, 3, 0.25, NULL, 0, NULL}, "has 3 rows and /Header tells of 0"},
        {{3, 4, 1, 3, 0.25, NULL, 0, NULL}, "NumPart_Total tells of 4"},
        {{-1, -1, 1, 3, 0.25, NULL, 0, NULL}, "Header tells of"},
        {{3, 3, 1, 3, 0, NULL, 0, NULL}, "no data set Masses"},
        {{3, 3, 1, 3, -0.25, NULL, 0, NULL}, "no data set Masses"},
        {{3, 3, 1, 3, 0.25, "Velocities", 0, NULL}, "no data set Velocities"},
        {{3, 3, 1, 3, 0.25, NULL, 1, NULL}, "does not hold all of it"},
        {{500000000, 500000000, 1, 500000000, 0.25, NULL, 1, NULL}, "does not hold all of it"},
        {{3, 3, 5, 3, 0.25, NULL, 0, NULL}, "one of 5 files"},
        {{3, 3, -5, 3, 0.25, NULL, 0, NULL}, "NumFilesPerSnapshot is -5"},
    };
    for (size_t k = 0; k < sizeof lies / sizeof *lies; k++) {
        struct ky_snapshot snapshot;
        make_hdf5(in_folder("lie.hdf5"), &lies[k].s, 0);
        assert_int_equal(ky_snapshot_read(in_folder("lie.hdf5"), &snapshot, &error), KY_BAD_DATA);
        if (!strstr(error.text, lies[k].says))
            fail_msg("'%s' does not say '%s'", error.text, lies[k].says);
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
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gadget_variants_are_read),
        cmocka_unit_test(gadget_cuts_are_seen),
        cmocka_unit_test(gadget_headers_may_lie),
        cmocka_unit_test(gadget_in_several_files),
        cmocka_unit_test(tipsy_variants_are_read),
        cmocka_unit_test(foreign_tipsy_units_are_read),
#ifdef KY_HAVE_HDF5
        cmocka_unit_test(foreign_hdf5_is_read),
        cmocka_unit_test(hdf5_in_several_files),
        cmocka_unit_test(hdf5_may_lie),
        cmocka_unit_test(order_of_another_file_is_refused),
        cmocka_unit_test(other_hdf5_is_no_snapshot),
#endif
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
