/* Snapshots of HDF5 that ranks read, each its own bodies (ky_run_file): the files of a run are
 * those of one process that reads all, and so are its errors. tests/command/ranks_read.py has the
 * same from the command line. */
#include "hdf5_files.h"

#include <math.h>
#include <sys/time.h>

#ifdef KY_HAVE_HDF5
#include "domain/domain.h"
#include "engines.h"

enum { BODIES = 700, TYPES = 6 };
static struct ky_error error;

/* How a file is written. */
struct form {
    const char *name;
    int count[TYPES]; /* bodies of each type; all 0: 700 stars */
    int pieces;       /* 0: one file, whose name has no number */
    int as_floats, is_packed, comoving;
    int expands;     /* the run is one with --expansion bodies */
    const char *ids; /* "none", "count", "from 1", "signed" or NULL: not in order */
    int potentials, radii;
    int softenings;   /* "softening": 1 a data set, 2 for each type another, 3 for each the same */
    double of_header; /* the mass of the first type that there is; 0: in a data set */
    unsigned types;   /* ky_read_options */
    int renumber;
    /* what is wrong, and with which body */
    enum { NOTHING, MASSLESS, NEGATIVE, PLACE, SPEED, POTENTIAL, TWICE, BELOW_0, RADIUS } wrong;
    int body;
    int apart; /* result: 1: the ranks read them */
};

static void take(const struct form *form, int count[TYPES])
{
    int sum = 0;
    memcpy(count, form->count, sizeof form->count);
    for (int t = 0; t < TYPES; t++)
        sum += count[t];
    if (!sum)
        count[4] = BODIES;
}

/* The bodies of a form, in the order of the file. */
static void make_bodies(const struct form *form, struct ky_snapshot *snapshot)
{
    struct ky_model_parameters model;
    ky_model_parameters_defaults(&model);
    int count[TYPES], n = 0;
    take(form, count);
    for (int t = 0; t < TYPES; t++)
        n += count[t];
    model.n = (uint64_t)n;
    model.softening = 0.05;
    assert_ok(ky_model_make("plummer", &model, snapshot, &error));
    struct ky_bodies *b = &snapshot->bodies;
    assert_ok(ky_bodies_extend(b, KY_WITH_POTENTIAL | KY_WITH_RADIUS | KY_WITH_SOFTENING, &error));
    for (size_t i = 0; i < b->n; i++) {
        const int counts = form->ids && !strcmp(form->ids, "count"),
                  from_1 = form->ids && !strcmp(form->ids, "from 1");
        b->id[i] = counts ? i : from_1 ? i + 1 : i * 389 % 1009 + 5;
        b->mass[i] = form->of_header > 0 ? form->of_header : b->mass[i] * (double)(1 + i % 3);
        b->potential[i] = -1.0 / (double)(i + 1);
        b->radius[i] = 1e-6 * (double)i;
        b->softening[i] = 0.01 + 1e-5 * (double)i;
    }
    const size_t i = (size_t)form->body;
    switch (form->wrong) {
    case NOTHING:
        break;
    case MASSLESS:
        b->mass[i] = 0;
        break;
    case NEGATIVE:
        b->mass[i] = -1;
        break;
    case PLACE:
        b->position[i][1] = (double)NAN;
        break;
    case SPEED:
        b->velocity[i][2] = (double)INFINITY;
        break;
    case POTENTIAL:
        b->potential[i] = (double)NAN;
        break;
    case TWICE:
        b->id[i] = b->id[3];
        break;
    case BELOW_0:
        b->id[i] = (uint64_t)-7;
        break;
    case RADIUS:
        b->radius[i] = -1;
        break;
    }
}

/* A data set, packed if the form says so. */
static void put(const struct form *form, hid_t group, const char *name, hid_t stored, hid_t type,
                size_t rows, size_t columns, const void *data)
{
    hsize_t size[2] = {rows, columns}, chunk[2] = {rows < 64 ? rows : 64, columns};
    if (!form->is_packed) {
        put_set(group, name, stored, type, rows, columns, data);
        return;
    }
    hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    const int rank = columns > 1 ? 2 : 1;
    assert_true(H5Pset_chunk(how, rank, chunk) >= 0 && H5Pset_deflate(how, 1) >= 0);
    hid_t space = H5Screate_simple(rank, size, NULL);
    hid_t set = H5Dcreate2(group, name, stored, space, H5P_DEFAULT, how, H5P_DEFAULT);
    assert_true(set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(how);
}

static void put_header(const struct form *form, hid_t file, const int here[TYPES],
                       const int total[TYPES], int first)
{
    double mass[TYPES] = {0}, time = form->comoving ? 0.5 : 0.25;
    const double universe[] = {1, 0.3, 0.7, 0.6, 50};
    static const char *const names[] = {"Redshift", "Omega0", "OmegaLambda", "HubbleParam",
                                        "BoxSize"};
    const int files = form->pieces ? form->pieces : 1;
    mass[first] = form->of_header;
    hid_t header = H5Gcreate2(file, "Header", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_attribute(header, "NumPart_ThisFile", H5T_NATIVE_INT, TYPES, here);
    put_attribute(header, "NumPart_Total", H5T_NATIVE_INT, TYPES, total);
    put_attribute(header, "MassTable", H5T_NATIVE_DOUBLE, TYPES, mass);
    put_attribute(header, "Time", H5T_NATIVE_DOUBLE, 1, &time);
    put_attribute(header, "NumFilesPerSnapshot", H5T_NATIVE_INT, 1, &files);
    for (int k = 0; k < 5 && form->comoving; k++)
        put_attribute(header, names[k], H5T_NATIVE_DOUBLE, 1, &universe[k]);
    H5Gclose(header);
    if (form->softenings < 2)
        return;
    hid_t parameters = H5Gcreate2(file, "Parameters", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    for (int t = 0; t < TYPES; t++) {
        char name[2][40];
        const double softening = form->softenings == 3 ? 0.04 : 0.04 + 0.01 * t;
        snprintf(name[0], sizeof name[0], "SofteningClassOfPartType%d", t);
        snprintf(name[1], sizeof name[1], "SofteningComovingClass%d", t);
        put_attribute(parameters, name[0], H5T_NATIVE_INT, 1, &t);
        put_attribute(parameters, name[1], H5T_NATIVE_DOUBLE, 1, &softening);
    }
    H5Gclose(parameters);
}

/* Bodies `at` … of one type. */
static void put_type(const struct form *form, hid_t file, int type, int count,
                     const struct ky_bodies *b, size_t at, int first)
{
    char name[24];
    const int has_ids = !form->ids || strcmp(form->ids, "none") != 0,
              is_signed = form->ids && !strcmp(form->ids, "signed");
    const hid_t real = form->as_floats ? H5T_IEEE_F32BE : H5T_NATIVE_DOUBLE,
                id = is_signed ? H5T_STD_I64BE : H5T_NATIVE_UINT64;
    const struct {
        const char *name;
        int is_there;
        hid_t stored, type;
        size_t columns;
        const void *data;
    } sets[] = {
        {"Coordinates", 1, real, H5T_NATIVE_DOUBLE, 3, b->position[at]},
        {"Velocities", 1, real, H5T_NATIVE_DOUBLE, 3, b->velocity[at]},
        {"Masses", !(type == first && form->of_header > 0), real, H5T_NATIVE_DOUBLE, 1,
         &b->mass[at]},
        {"ParticleIDs", has_ids, id, is_signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64, 1,
         &b->id[at]},
        {"Potential", form->potentials, real, H5T_NATIVE_DOUBLE, 1, &b->potential[at]},
        {"Radius", form->radii, real, H5T_NATIVE_DOUBLE, 1, &b->radius[at]},
        {"Softening", form->softenings == 1, real, H5T_NATIVE_DOUBLE, 1, &b->softening[at]},
    };
    snprintf(name, sizeof name, "PartType%d", type);
    hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    for (size_t k = 0; k < sizeof sets / sizeof *sets; k++)
        if (sets[k].is_there)
            put(form, group, sets[k].name, sets[k].stored, sets[k].type, (size_t)count,
                sets[k].columns, sets[k].data);
    H5Gclose(group);
}

/* Writes the files of a form, and returns the name of the first. A file has the k-th part of each
 * type; in the order of files the first one has no bodies where there are four. */
static const char *write_form(const struct form *form)
{
    struct ky_snapshot snapshot;
    int total[TYPES], first = 0;
    const int pieces = form->pieces ? form->pieces : 1;
    size_t at = 0;
    take(form, total);
    while (!total[first])
        first++;
    make_bodies(form, &snapshot);
    for (int k = 0; k < pieces; k++) {
        char name[32];
        int here[TYPES];
        snprintf(name, sizeof name, form->pieces ? "form.%d.hdf5" : "form.hdf5", k);
        hid_t file = H5Fcreate(in_folder(name), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        for (int t = 0; t < TYPES; t++) {
            const int from = pieces == 4 ? (k ? k - 1 : 0) : k, parts = pieces == 4 ? 3 : pieces;
            here[t] = total[t] * (from + 1) / parts - total[t] * from / parts;
            here[t] = pieces == 4 && !k ? 0 : here[t];
        }
        put_header(form, file, here, total, first);
        for (int t = 0; t < TYPES; t++) {
            if (here[t])
                put_type(form, file, t, here[t], &snapshot.bodies, at, first);
            at += (size_t)here[t];
        }
        H5Fclose(file);
    }
    ky_snapshot_free(&snapshot);
    return in_folder(form->pieces ? "form.0.hdf5" : "form.hdf5");
}

/* ---- runs ---- */

static const struct ky_units galaxy = {
    .length_cm = 3.085678e21, .mass_g = 1.989e43, .velocity_cm_s = 1e5, .g = 43009.1727};

static void set_up(const struct form *form, struct ky_read_options *reading,
                   struct ky_parameters *parameters, struct ky_run_parameters *run)
{
    ky_read_options_defaults(reading);
    ky_parameters_defaults(parameters);
    ky_run_parameters_defaults(run);
    reading->space = form->comoving ? KY_SPACE_PHYSICAL : KY_SPACE_REFUSED;
    reading->units = form->comoving ? &galaxy : NULL;
    reading->types = form->types;
    reading->renumber = form->renumber;
    parameters->engine = "cpu";
    parameters->force = KY_TREE;
    parameters->step = form->comoving ? 1e-6 : 1.0 / 64;
    parameters->softening = form->softenings ? (double)NAN : 0.05;
    parameters->expansion = form->expands ? "bodies" : NULL;
    run->output = in_folder("run");
    run->steps = 2;
    run->every = 2 * parameters->step;
    run->overwrite = 1;
}

/* energy.csv without the seconds, and the bodies of the last snapshot; to be freed. */
static char *results(size_t *bytes)
{
    static const char *const names[] = {"run/snapshot_0000.hdf5", "run/snapshot_0001.hdf5"};
    char *text = NULL, line[4096];
    FILE *out = open_memstream(&text, bytes), *file = fopen(in_folder("run/energy.csv"), "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        char *last = strrchr(line, ','); /* the comment with units has none */
        if (last)
            *last = 0;
        fprintf(out, "%s\n", line);
    }
    fclose(file);
    for (int k = 0; k < 2; k++) {
        struct ky_snapshot last;
        assert_ok(ky_snapshot_read(in_folder(names[k]), &last, &error));
        const struct ky_bodies *b = &last.bodies;
        fprintf(out, "%d %d %d", b->id != NULL, b->type != NULL, b->radius != NULL);
        fwrite(b->mass, sizeof *b->mass, b->n, out);
        fwrite(b->position, sizeof *b->position, b->n, out);
        fwrite(b->velocity, sizeof *b->velocity, b->n, out);
        fwrite(b->potential, sizeof *b->potential, b->n, out);
        if (b->id)
            fwrite(b->id, sizeof *b->id, b->n, out);
        if (b->type)
            fwrite(b->type, sizeof *b->type, b->n, out);
        if (b->radius)
            fwrite(b->radius, sizeof *b->radius, b->n, out);
        ky_snapshot_free(&last);
    }
    fclose(out);
    return text;
}

/* 1 if a file of the run has the text; hash: appends the line that has it to `hash`. */
static int has(const char *name, const char *text, char hash[128])
{
    char line[4096];
    int found = 0;
    FILE *file = fopen(in_folder(name), "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        if (strstr(line, text)) {
            found = 1;
            snprintf(hash, 128, "%.127s", line);
        }
    fclose(file);
    return found;
}

/* A run that reads all, or opens the file first as the command does. */
static enum ky_status run_once(const struct form *form, const char *path, int ranks, int describes,
                               struct ky_error *why)
{
    struct ky_read_options reading;
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    struct ky_snapshot snapshot;
    struct ky_source *source = NULL;
    set_up(form, &reading, &parameters, &run);
    parameters.ranks = ranks;
    enum ky_status status = describes ? ky_source_file(path, &reading, &source, &snapshot, why)
                                      : ky_snapshot_read_as(path, &reading, &snapshot, why);
    assert_true(status || (snapshot.bodies.n && !snapshot.bodies.mass == (source != NULL)));
    if (!status)
        parameters.g = snapshot.units.g;
    if (!status)
        status = ky_run_source(&parameters, &run, source, &snapshot, why);
    ky_source_close(source);
    ky_snapshot_free(&snapshot);
    return status;
}

static void try_form(const struct form *form)
{
    static const int ranks[] = {1, 2, 3, 4, 8};
    const char *const read = "each rank has read its own bodies";
    char path[512], hash[2][128];
    size_t bytes[2];
    snprintf(path, sizeof path, "%s", write_form(form));
    assert_ok(run_once(form, path, 1, 0, &error));
    char *one = results(&bytes[0]);
    assert_true(has("run/run.json", "bodies_hash", hash[0]));
    assert_false(has("run/run.log", read, hash[1]));
    for (size_t k = 0; k < sizeof ranks / sizeof *ranks; k++) {
        assert_ok(run_once(form, path, ranks[k], 1, &error));
        char *many = results(&bytes[1]);
        if (bytes[0] != bytes[1] || memcmp(one, many, bytes[0]) != 0)
            fail_msg("%s: %d ranks have other bits", form->name, ranks[k]);
        free(many);
        if (has("run/run.log", read, hash[1]) != (form->apart && ranks[k] > 1))
            fail_msg("%s: %d ranks: where are the bodies?", form->name, ranks[k]);
        assert_true(has("run/run.json", "bodies_hash", hash[1]));
        assert_string_equal(hash[0], hash[1]);
    }
    free(one);
}

#define GALAXY                                                                                     \
    {                                                                                              \
        100, 250, 0, 0, 349, 1                                                                     \
    }
static void forms_have_the_same_bits(void **state)
{
    (void)state;
    static const struct form forms[] = {
        {.name = "stars, ids in no order", .apart = 1},
        {.name = "ids that count", .ids = "count", .potentials = 1, .apart = 1},
        {.name = "ids from 1", .ids = "from 1", .apart = 1},
        {.name = "no ids", .ids = "none", .apart = 1},
        {.name = "renumbered", .renumber = 1, .apart = 1},
        {.name = "floats of the other byte order", .as_floats = 1, .apart = 1},
        {.name = "packed", .is_packed = 1, .potentials = 1, .apart = 1},
        {.name = "types", .count = GALAXY, .apart = 1},
        {.name = "types that are chosen", .count = GALAXY, .types = 0x12, .apart = 1},
        {.name = "masses of the header, radii",
         .count = GALAXY,
         .of_header = 0.002,
         .radii = 1,
         .apart = 1},
        {.name = "pieces", .pieces = 3, .ids = "count", .apart = 1},
        {.name = "pieces, the first of which is empty, of types",
         .count = GALAXY,
         .pieces = 4,
         .as_floats = 1,
         .apart = 1},
        {.name = "comoving", .comoving = 1, .as_floats = 1, .potentials = 1, .apart = 1},
        {.name = "expanding", .comoving = 1, .expands = 1, .as_floats = 1, .apart = 1},
        {.name = "one body", .count = {0, 1}, .apart = 1},
        {.name = "five bodies", .count = {0, 2, 0, 3}, .apart = 1},
        {.name = "the same softening of all types", .count = GALAXY, .softenings = 3, .apart = 1},
        {.name = "other softenings of types", .count = GALAXY, .softenings = 2},
        {.name = "softenings of bodies", .softenings = 1},
        {.name = "a body without mass", .wrong = MASSLESS, .body = 500},
    };
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
        try_form(&forms[k]);
}

/* Snapshots that runs write: with units, and types that are not in order. */
static void own_files_have_the_same_bits(void **state)
{
    (void)state;
    for (int mixed = 0; mixed < 2; mixed++) {
        const struct form form = {.name = mixed ? "mixed types" : "own", .apart = !mixed};
        struct ky_snapshot snapshot;
        make_bodies(&form, &snapshot);
        snapshot.units = galaxy;
        assert_ok(ky_bodies_extend(&snapshot.bodies, KY_WITH_TYPE, &error));
        for (size_t i = 0; i < snapshot.bodies.n; i++)
            snapshot.bodies.type[i] = (uint8_t)(mixed ? i * 7 % 3 : 3 * i / BODIES);
        free(snapshot.bodies.softening);
        snapshot.bodies.softening = NULL;
        struct ky_write_options options;
        ky_write_options_defaults(&options);
        options.overwrite = 1;
        assert_ok(ky_snapshot_write(in_folder("own.hdf5"), &snapshot, &options, &error));
        ky_snapshot_free(&snapshot);
        char path[512];
        snprintf(path, sizeof path, "%s", in_folder("own.hdf5"));
        assert_ok(run_once(&form, path, 1, 0, &error));
        size_t bytes[2];
        char *one = results(&bytes[0]), line[128];
        for (int ranks = 2; ranks < 5; ranks++) {
            assert_ok(run_once(&form, path, ranks, 1, &error));
            char *many = results(&bytes[1]);
            assert_true(bytes[0] == bytes[1] && !memcmp(one, many, bytes[0]));
            free(many);
            assert_int_equal(has("run/run.log", "has read its own bodies", line), !mixed);
        }
        free(one);
    }
}

static void errors_are_those_of_one(void **state)
{
    (void)state;
    static const struct form forms[] = {
        {.name = "negative mass", .wrong = NEGATIVE, .body = 650},
        {.name = "place", .wrong = PLACE, .body = 3, .pieces = 3},
        {.name = "speed", .wrong = SPEED, .body = 699, .count = GALAXY},
        {.name = "potential", .wrong = POTENTIAL, .body = 400, .potentials = 1},
        {.name = "the same id twice", .wrong = TWICE, .body = 600},
        {.name = "the same id twice, from 1", .wrong = TWICE, .body = 600, .ids = "from 1"},
        {.name = "an id below 0", .wrong = BELOW_0, .body = 555, .ids = "signed", .pieces = 3},
        {.name = "radius", .wrong = RADIUS, .body = 2, .radii = 1},
    };
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        char path[512];
        struct ky_error one;
        snprintf(path, sizeof path, "%s", write_form(&forms[k]));
        assert_int_equal(run_once(&forms[k], path, 1, 0, &one), KY_BAD_DATA);
        for (int ranks = 1; ranks < 6; ranks += 2) {
            assert_int_equal(run_once(&forms[k], path, ranks, 1, &error), KY_BAD_DATA);
            assert_string_equal(error.text, one.text);
        }
    }
}

/* A file that is cut off, anywhere; a piece that is missing, or cut off. */
static void damaged_files_are_told_as_by_one(void **state)
{
    (void)state;
    const struct form whole = {.name = "whole", .potentials = 1},
                      pieces = {.name = "pieces", .pieces = 3};
    char path[512];
    struct ky_error one;
    size_t size;
    snprintf(path, sizeof path, "%s", write_form(&whole));
    unsigned char *bytes = bytes_of(path, &size);
    for (size_t k = 1; k < 8; k++) {
        put_bytes(path, bytes, size * k / 8);
        assert_int_equal(run_once(&whole, path, 1, 0, &one), KY_BAD_DATA);
        assert_int_equal(run_once(&whole, path, 3, 1, &error), KY_BAD_DATA);
        assert_string_equal(error.text, one.text);
    }
    free(bytes);
    snprintf(path, sizeof path, "%s", write_form(&pieces));
    for (int cut = 1; cut >= 0; cut--) {
        bytes = bytes_of(in_folder("form.1.hdf5"), &size);
        if (cut)
            put_bytes(in_folder("form.1.hdf5"), bytes, size / 2);
        else
            unlink(in_folder("form.1.hdf5"));
        free(bytes);
        assert_int_equal(run_once(&pieces, path, 1, 0, &one), KY_BAD_DATA);
        assert_int_equal(run_once(&pieces, path, 3, 1, &error), KY_BAD_DATA);
        assert_string_equal(error.text, one.text);
        assert_non_null(strstr(error.text, "form.1.hdf5"));
    }
}

static void others_are_read_together(void **state)
{
    (void)state;
    const struct form form = {.name = "plain"};
    struct ky_snapshot snapshot;
    struct ky_read_options reading;
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    char line[128];
    make_bodies(&form, &snapshot);
    struct ky_write_options options;
    ky_write_options_defaults(&options);
    options.overwrite = 1;
    assert_ok(ky_snapshot_write(in_folder("plain.csv"), &snapshot, &options, &error));
    ky_snapshot_free(&snapshot);
    assert_int_equal(ky_snapshot_describe(in_folder("plain.csv"), NULL, &snapshot, &error),
                     KY_UNSUPPORTED);
    assert_int_equal(ky_snapshot_describe("-", NULL, &snapshot, &error), KY_UNSUPPORTED);
    assert_int_equal(ky_snapshot_describe(in_folder("none.hdf5"), NULL, &snapshot, &error),
                     KY_BAD_DATA);
    assert_int_equal(ky_snapshot_describe(NULL, NULL, &snapshot, &error), KY_USAGE);
    set_up(&form, &reading, &parameters, &run);
    reading.types = 1U << 6;
    memset(&snapshot, 0x55, sizeof snapshot);
    assert_int_equal(ky_snapshot_describe(in_folder("plain.csv"), &reading, &snapshot, &error),
                     KY_USAGE);
    ky_snapshot_free(&snapshot);
    reading.types = 0;
    parameters.ranks = 2;
    ky_snapshot_clear(&snapshot);
    assert_ok(ky_run_file(&parameters, &run, in_folder("plain.csv"), &reading, &snapshot, &error));
    assert_false(has("run/run.log", "has read its own bodies", line));
    assert_int_equal(ky_run_file(&parameters, &run, NULL, &reading, &snapshot, &error), KY_USAGE);
    ky_snapshot_free(&snapshot);
}

/* A file that is written between its opening and the run, with ranks and without. */
static void a_file_may_not_change(void **state)
{
    (void)state;
    const struct form form = {.name = "changes"};
    struct ky_read_options reading;
    struct ky_parameters parameters;
    struct ky_run_parameters run;
    struct ky_snapshot snapshot;
    struct ky_source *source;
    char path[512];
    snprintf(path, sizeof path, "%s", write_form(&form));
    set_up(&form, &reading, &parameters, &run);
    for (parameters.ranks = 1; parameters.ranks < 4; parameters.ranks++)
        for (int changes = 0; changes < 2; changes++) {
            const struct timeval times[2] = {{1000 + changes, 0}, {1000 + changes, 0}};
            assert_int_equal(utimes(path, (const struct timeval[2]){{1000, 0}, {1000, 0}}), 0);
            assert_ok(ky_source_file(path, &reading, &source, &snapshot, &error));
            assert_non_null(source);
            assert_int_equal(utimes(path, times), 0);
            assert_int_equal(ky_run_source(&parameters, &run, source, &snapshot, &error),
                             changes ? KY_BAD_DATA : KY_OK);
            if (changes)
                assert_non_null(strstr(error.text, "form.hdf5: has changed while it was read"));
            ky_source_close(source);
            ky_snapshot_free(&snapshot);
        }
}

static void count_units(void *context, enum ky_log_level level, const char *line)
{
    (void)level;
    *(int *)context += strstr(line, "units that are not understood") != NULL;
}

/* Ranks that read a file, and those that cannot. */
static void lines_are_told_once(void **state)
{
    (void)state;
    const struct form forms[] = {{.name = "apart", .ids = "count"},
                                 {.name = "own softenings", .ids = "count", .softenings = 1}};
    for (int k = 0; k < 2; k++) {
        struct ky_read_options reading;
        struct ky_parameters parameters;
        struct ky_run_parameters run;
        struct ky_snapshot snapshot;
        char path[512], line[128];
        int lines = 0;
        const double unit = 1;
        snprintf(path, sizeof path, "%s", write_form(&forms[k]));
        hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT),
              header = H5Gopen2(file, "Header", H5P_DEFAULT);
        put_attribute(header, "UnitLength_in_furlongs", H5T_NATIVE_DOUBLE, 1, &unit);
        H5Gclose(header);
        H5Fclose(file);
        set_up(&forms[k], &reading, &parameters, &run);
        parameters.ranks = 2;
        parameters.g = galaxy.g;
        reading.units = &galaxy;
        reading.log = count_units;
        reading.log_context = &lines;
        ky_snapshot_clear(&snapshot);
        snapshot.units = galaxy;
        assert_ok(ky_run_file(&parameters, &run, path, &reading, &snapshot, &error));
        assert_int_equal(has("run/run.log", "has read its own bodies", line), k == 0);
        assert_int_equal(lines, 1);
        ky_snapshot_free(&snapshot);
    }
}

/* Devices that become ranks by the program's own choice read the bodies too. */
static void ranks_that_are_chosen_read_bodies(void **state)
{
    (void)state;
    const struct form form = {.name = "stars"};
    const size_t usual = ky_domain_ranks_from[0][1];
    char path[512], line[128];
    need_a_device();
    snprintf(path, sizeof path, "%s", write_form(&form));
    FOR_DEVICES(k, 1)
    {
        char engine[40], *text[2];
        size_t bytes[2];
        for (int apart = 0; apart < 2; apart++) {
            struct ky_read_options reading;
            struct ky_parameters parameters;
            struct ky_run_parameters run;
            struct ky_snapshot snapshot;
            set_up(&form, &reading, &parameters, &run);
            parameters.integrator = KY_BLOCK_STEPS;
            parameters.engine = with_another(k, engine, sizeof engine);
            ky_domain_ranks_from[0][1] = 1;
            run.choose_ranks = 1;
            assert_ok((apart ? ky_snapshot_describe : ky_snapshot_read_as)(path, &reading,
                                                                           &snapshot, &error));
            if (apart)
                assert_ok(ky_run_file(&parameters, &run, path, &reading, &snapshot, &error));
            else
                assert_ok(ky_run(&parameters, &run, &snapshot, &error));
            ky_snapshot_free(&snapshot);
            assert_true(has("run/run.log", "2 ranks, one for each device", line));
            assert_int_equal(has("run/run.log", "has read its own bodies", line), apart);
            text[apart] = results(&bytes[apart]);
            ky_domain_ranks_from[0][1] = usual;
            ky_device_twice = 0;
        }
        assert_true(bytes[0] == bytes[1] && !memcmp(text[0], text[1], bytes[0]));
        free(text[0]);
        free(text[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_have_the_same_bits),
        cmocka_unit_test(own_files_have_the_same_bits),
        cmocka_unit_test(errors_are_those_of_one),
        cmocka_unit_test(damaged_files_are_told_as_by_one),
        cmocka_unit_test(others_are_read_together),
        cmocka_unit_test(a_file_may_not_change),
        cmocka_unit_test(lines_are_told_once),
        cmocka_unit_test(ranks_that_are_chosen_read_bodies),
    };
    find_engines(NULL);
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
#endif
