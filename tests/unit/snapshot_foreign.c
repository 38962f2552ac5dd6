/* Files of other programs, made here byte by byte: GADGET 1 and 2, TIPSY in all its variants. */
#include "snapshot.h"

#include <math.h>
#include <sys/time.h>

#include "snapshot/bytes.h"
#include "snapshot/shared_file.h"

/* ---- a file in memory ---- */

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

/* Body i has the position 3i, 3i + 1, …, the velocity 1000 + …, the id 10 + i, the potential −1 −
 * i, and the mass 0.5 + i unless the header has the mass. */
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
    if (g->named) { /* an unknown block */
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

/* Reads the bytes from memory of exactly their size. */
static enum ky_status read_bytes(const unsigned char *data, size_t size, struct ky_error *error)
{
    struct ky_snapshot snapshot;
    struct ky_input input;
    unsigned char *copy = malloc(size ? size : 1);
    memcpy(copy, data, size);
    ky_input_memory(&input, copy, size);
    enum ky_status status =
        ky_snapshot_read_input(&input, KY_FORMAT_BY_NAME, NULL, &snapshot, error);
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
    assert_non_null(strstr(error.text, "says 3 bodies of type 1"));
    g = plain_gadget;
    g.mass[1] = (double)NAN;
    make_gadget(&bytes, &g, 0);
    assert_int_equal(read_bytes(bytes.data, bytes.size, &error), KY_BAD_DATA);
    g = plain_gadget;
    g.files = 3;
    make_gadget(&bytes, &g, 0);
    assert_int_equal(read_bytes(bytes.data, bytes.size, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "one of 3 files"));
}

/* A file that is replaced between its survey and the reading of a share: it has a block less, which
 * its reader sees; or as many bytes, written one second later. */
static void gadget_may_change_before_a_share_is_read(void **state)
{
    (void)state;
    static struct bytes bytes;
    static struct ky_shared_file file;
    struct ky_error error = {0};
    struct ky_snapshot snapshot;
    struct gadget g = {.width = 4, .files = 1, .named = 1, .potential = 1};
    g.count[4] = g.total[4] = 5;
    make_gadget(&bytes, &g, 0);
    put_bytes(in_folder("changes"), bytes.data, bytes.size);
    assert_ok(ky_shared_file_open(in_folder("changes"), NULL, &snapshot, &file, &error));
    const struct ky_portion all = ky_portion_of_all(snapshot.bodies.n);
    const uint64_t size = file.input.size;
    for (int changed = 0; changed < 3; changed++) {
        struct ky_bodies bodies = {.size = sizeof bodies};
        struct ky_error outcome = {KY_OK, ""};
        const struct timeval times[2] = {{(time_t)file.input.written + (changed == 2), 0},
                                         {(time_t)file.input.written + (changed == 2), 0}};
        uint64_t wrong;
        g.potential = changed != 1;
        make_gadget(&bytes, &g, 0);
        put_bytes(in_folder("changes"), bytes.data, bytes.size);
        assert_int_equal(utimes(in_folder("changes"), times), 0);
        file.input.size = bytes.size;
        assert_true((bytes.size == size) == (changed != 1));
        assert_ok(ky_shared_file_read(&file, &all, 1, &bodies, &wrong, &outcome, &error));
        assert_int_equal(wrong, changed > 0);
        if (changed)
            assert_non_null(strstr(outcome.text, "changes: has changed while it was read"));
        else
            check_gadget(&bodies, &g);
        ky_bodies_free(&bodies);
    }
    ky_shared_file_close(&file);
    ky_snapshot_free(&snapshot);
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
        struct ky_read_options options; /* the bare number */
        size_t n = snapshot.bodies.n;
        ky_snapshot_free(&snapshot);
        ky_read_options_defaults(&options);
        options.count_above = n - 1;
        assert_ok(ky_snapshot_read_as(in_folder(names[k]), &options, &snapshot, &error));
        assert_true(snapshot.bodies.n == n && !snapshot.bodies.mass && snapshot.time == 0.75);
        ky_snapshot_free(&snapshot);
    }
    remove(in_folder("many.1"));
    assert_int_equal(ky_snapshot_read(in_folder("many.0"), &snapshot, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "many.1: there is no such file"));
    /* a piece of another snapshot: another time, total, mass or number of files */
    static const struct {
        size_t at;
        int width;
        double number;
        const char *says;
    } others[] = {{72, 8, 0.5, "its time is 0.5, but 0.75 in the first file"},
                  {112, 4, 6, "its header gives 6 bodies of type 4"},
                  {56, 8, 0.5, "the mass 0.5, and that of the first file 5 bodies the mass 0"},
                  {124, 4, 3, "is one of 3 files, but the first file is one of 2"}};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        const uint32_t count = (uint32_t)others[k].number;
        const void *number = others[k].width == 8 ? (const void *)&others[k].number : &count;
        make_gadget(&bytes, &g, 3);
        memcpy(bytes.data + 4 + others[k].at, number, (size_t)others[k].width);
        if (others[k].at == 56) /* the block of masses is empty then */
            bytes.size -= 8 + 2 * 4;
        put_bytes(in_folder("many.1"), bytes.data, bytes.size);
        assert_int_equal(ky_snapshot_read(in_folder("many.0"), &snapshot, &error), KY_BAD_DATA);
        if (!strstr(error.text, others[k].says) || !strstr(error.text, "many.1: "))
            fail_msg("'%s' in '%s'", others[k].says, error.text);
    }
    remove(in_folder("many.1"));
}

/* ---- TIPSY ---- */

struct tipsy {
    int turn, header, position, velocity, version2, ids; /* ids: in phi, as Bonsai has them */
};

/* Body i has the mass 1 + i, the position 10i …, the velocity 100i …, the softening 0.5 + i, the
 * potential −i, and in version 2 the id 2^33 + i. */
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
            if (t->ids)
                add32(b, (uint32_t)(200000000 + i));
            else
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

/* Whether a file of doubles was cut exactly to the size of a file of floats: then nothing tells
 * them apart. */
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
        struct tipsy t = {k & 1, k & 2 ? 28 : 32, widths[k >> 2][0], widths[k >> 2][1], 0, 0};
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

/* Units of a program that gives only kpc and Msun: velocities follow from G = 1. */
static void foreign_tipsy_units_are_read(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_snapshot snapshot;
    static struct bytes bytes;
    struct tipsy t = {KY_TURN_BIG, 32, 4, 4, 0, 0};
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

/* Bonsai's first version has ids as whole numbers in phi; those of a halo begin at 200,000,000. */
static void ids_of_bonsai_are_read(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_snapshot snapshot;
    static struct bytes bytes;
    for (int turn = 0; turn < 2; turn++) {
        struct tipsy t = {turn, 32, 4, 4, 0, 1};
        make_tipsy(&bytes, &t);
        put_bytes(in_folder("b.bin"), bytes.data, bytes.size);
        assert_ok(ky_snapshot_read(in_folder("b.bin"), &snapshot, &error));
        assert_null(snapshot.bodies.potential);
        for (size_t i = 0; i < 6; i++)
            assert_int_equal(snapshot.bodies.id[i], 200000000 + i);
        ky_snapshot_free(&snapshot);
    }
}

static void neighbours_of_tipsy_must_be_whole(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_snapshot snapshot;
    static struct bytes bytes;
    struct tipsy t = {KY_TURN_BIG, 32, 4, 4, 0, 0};
    make_tipsy(&bytes, &t);
    put_bytes(in_folder("e.tipsy"), bytes.data, bytes.size);
    put_bytes(in_folder("e.tipsy.iord"), "", 0);
    assert_int_equal(ky_snapshot_read(in_folder("e.tipsy"), &snapshot, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "e.tipsy.iord: is empty"));
    put_bytes(in_folder("e.tipsy.iord"), "6\n1\n-1\n3\n4\n5\n6\n", 15);
    assert_int_equal(ky_snapshot_read(in_folder("e.tipsy"), &snapshot, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "e.tipsy.iord: line 3"));
    remove(in_folder("e.tipsy.iord"));
    put_bytes(in_folder("e.tipsy.param"), "bComove = 1\n", 12);
    assert_int_equal(ky_snapshot_read(in_folder("e.tipsy"), &snapshot, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "comoving"));
}

/* NAME.param beside a TIPSY file is used, or the error says what is wrong there; NULL: no error. */
static void parameters_of_tipsy_are_heeded(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } files[] = {
        {"bComove = 1\n", "read that with --physical"},
        {"bComove = yes\n", "bComove is 'yes'"},
        {"bComove = 0\n#bComove = 1\n", NULL},
        {"bPeriodic = 1\n", "in a periodic box of side 1"},
        {"bPeriodic = 1\ndPeriod = 25\n", "in a periodic box of side 25"},
        {"dPeriod = 25\n", "in a periodic box of side 25"},
        {"dPeriod = nan\n", "dPeriod is 'nan'"},
        {"bPeriodic = 0\ndPeriod = 25\n", NULL},
        {"dKpcUnit = kpc\ndMsolUnit = 1\n", "dKpcUnit is 'kpc'"},
        {"dKpcUnit = 1\n", "dMsolUnit = 0"},
    };
    struct ky_error error = {0};
    struct ky_snapshot snapshot;
    static struct bytes bytes;
    struct tipsy t = {KY_TURN_BIG, 32, 4, 4, 0, 0};
    make_tipsy(&bytes, &t);
    put_bytes(in_folder("c.tipsy"), bytes.data, bytes.size);
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        put_bytes(in_folder("c.tipsy.param"), files[k].text, strlen(files[k].text));
        enum ky_status status = ky_snapshot_read(in_folder("c.tipsy"), &snapshot, &error);
        if (files[k].says ? !status || !strstr(error.text, files[k].says) : status)
            fail_msg("%s: status %d, '%s'", files[k].text, status, error.text);
        ky_snapshot_free(&snapshot);
    }
    struct ky_read_options options;
    ky_read_options_defaults(&options);
    put_bytes(in_folder("c.tipsy.param"), files[0].text, strlen(files[0].text));
    options.space = KY_SPACE_OPEN;
    assert_ok(ky_snapshot_read_as(in_folder("c.tipsy"), &options, &snapshot, &error));
    assert_false(snapshot.space.comoving);
    ky_snapshot_free(&snapshot);
    put_bytes(in_folder("c.tipsy.param"), "bPeriodic = 1\ndPeriod = 25\n", 28);
    options.space = KY_SPACE_PHYSICAL;
    assert_ok(ky_snapshot_read_as(in_folder("c.tipsy"), &options, &snapshot, &error));
    check_tipsy(&snapshot.bodies, &t);
    ky_snapshot_free(&snapshot);
}

/* Bodies that are counted alone have no velocities that the G of NAME.param would scale. */
static void bodies_of_tipsy_are_counted(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_snapshot written = sample(4, 0, NULL, 1), snapshot;
    struct ky_read_options options;
    assert_ok(ky_units_preset("cluster", &written.units, &error));
    assert_ok(ky_snapshot_write(in_folder("g.tipsy"), &written, NULL, &error));
    ky_read_options_defaults(&options);
    options.count_above = 3;
    assert_ok(ky_snapshot_read_as(in_folder("g.tipsy"), &options, &snapshot, &error));
    assert_true(snapshot.bodies.n == 4 && !snapshot.bodies.velocity);
    assert_true(snapshot.units.g == written.units.g);
    ky_snapshot_free(&snapshot);
    ky_snapshot_free(&written);
}

static void softening_of_tipsy_parameters_is_read(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_snapshot bare = sample(4, 0, NULL, 1), snapshot;
    assert_ok(ky_snapshot_write(in_folder("d.tipsy"), &bare, NULL, &error));
    ky_snapshot_free(&bare);
    put_bytes(in_folder("d.tipsy.param"), "dSoft\t= 0.25\r\n", 15);
    assert_ok(ky_snapshot_read(in_folder("d.tipsy"), &snapshot, &error));
    assert_true(snapshot.softening == 0.25);
    ky_snapshot_free(&snapshot);
}

static void forces_that_are_not_finite_are_refused(void **state)
{
    (void)state;
    struct ky_error error = {0};
    static struct bytes bytes;
    struct tipsy t = {KY_TURN_BIG, 32, 4, 4, 0, 0};
    make_tipsy(&bytes, &t);
    ky_store_float(bytes.data + bytes.size - 4, NAN, KY_TURN_BIG); /* phi: the last star */
    assert_int_equal(read_bytes(bytes.data, bytes.size, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "body 5: potential is nan"));
    struct gadget g = variant(2 + 16); /* format 2, with potentials */
    make_gadget(&bytes, &g, 0);
    ky_store_float(bytes.data + bytes.size - 8, INFINITY, 0);
    assert_int_equal(read_bytes(bytes.data, bytes.size, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "body 5: potential is inf"));
}

/* Bytes of the header: Redshift at 80, BoxSize 128, Omega0 136, OmegaLambda 144, HubbleParam
 * 152. */
static void gadget_spaces_are_seen(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        double value;
        const char *says;
    } facts[] = {{80, 1, "comoving (redshift 1)"},
                 {128, 10, "periodic box of side 10"},
                 {136, 0.3, "comoving (redshift 0.3333)"}, /* its time is 0.75 */
                 {80, (double)NAN, "its redshift is nan"},
                 {80, -1, "its redshift is -1"},
                 {128, -1, "box is -1"},
                 {152, (double)NAN, "(h) is nan"},
                 {152, 0.7, "units of 1/h (h = 0.7)"}}; /* converted below */
    struct ky_error error = {0};
    struct ky_snapshot snapshot;
    struct ky_read_options options;
    static struct bytes bytes;
    struct gadget g = plain_gadget;
    ky_read_options_defaults(&options);
    options.space = KY_SPACE_PHYSICAL;
    for (size_t k = 0; k < sizeof facts / sizeof *facts; k++) {
        make_gadget(&bytes, &g, 0);
        ky_store_double(bytes.data + 4 + facts[k].at, facts[k].value, 0);
        assert_int_equal(read_bytes(bytes.data, bytes.size, &error), KY_BAD_DATA);
        assert_non_null(strstr(error.text, facts[k].says));
        options.space = KY_SPACE_OPEN; /* an isolated system; then this number means nothing */
        put_bytes(in_folder("s.dat"), bytes.data, bytes.size);
        if (strstr(facts[k].says, " is "))
            continue;
        assert_ok(ky_snapshot_read_as(in_folder("s.dat"), &options, &snapshot, &error));
        assert_true(snapshot.bodies.position[1][0] == 3 && snapshot.bodies.mass[1] == 0.25 &&
                    snapshot.time == 0.75 && !snapshot.space.comoving);
        ky_snapshot_free(&snapshot);
    }
    options.space = KY_SPACE_PHYSICAL;
    assert_ok(ky_snapshot_read_as(in_folder("s.dat"), &options, &snapshot, &error));
    assert_between(snapshot.bodies.position[1][0], 3 / 0.7 - 1e-12, 3 / 0.7 + 1e-12);
    assert_between(snapshot.bodies.mass[1], 0.25 / 0.7 - 1e-12, 0.25 / 0.7 + 1e-12);
    ky_snapshot_free(&snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gadget_variants_are_read),
        cmocka_unit_test(gadget_cuts_are_seen),
        cmocka_unit_test(gadget_headers_may_lie),
        cmocka_unit_test(gadget_may_change_before_a_share_is_read),
        cmocka_unit_test(gadget_in_several_files),
        cmocka_unit_test(tipsy_variants_are_read),
        cmocka_unit_test(foreign_tipsy_units_are_read),
        cmocka_unit_test(ids_of_bonsai_are_read),
        cmocka_unit_test(neighbours_of_tipsy_must_be_whole),
        cmocka_unit_test(parameters_of_tipsy_are_heeded),
        cmocka_unit_test(bodies_of_tipsy_are_counted),
        cmocka_unit_test(softening_of_tipsy_parameters_is_read),
        cmocka_unit_test(forces_that_are_not_finite_are_refused),
        cmocka_unit_test(gadget_spaces_are_seen),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
