/* Restart files and the replacement of files. */
#include "snapshot.h"

#include "base/file.h"
#include "base/hash.h"
#include "snapshot/fields.h"
#include "snapshot/pieces.h"

/* The hash gives the published values of XXH64. */
static void the_hash_is_xxh64(void **state)
{
    (void)state;
    assert_true(ky_hash("", 0, 0) == 0xEF46DB3751D8E999U);
    assert_true(ky_hash("a", 1, 0) == 0xD24EC4F1A98C6E5BU);
    assert_true(ky_hash("abc", 3, 0) == 0x44BC2CF5AD770999U);
    static const char text[] = "Nobody inspects the spammish repetition";
    assert_true(ky_hash(text, sizeof text - 1, 0) == 0xFBCEA83C8A378BF1U);
    unsigned char many[150];
    for (size_t k = 0; k < sizeof many; k++)
        many[k] = (unsigned char)(k * 37 + 11);
    for (size_t all = 0; all <= sizeof many; all += 7) /* in two pieces, of any length */
        for (size_t first = 0; first <= all; first++) {
            struct ky_hashing hashing = ky_hash_begin(all);
            ky_hash_add(&hashing, many, first);
            ky_hash_add(&hashing, many + first, all - first);
            assert_true(ky_hash_end(&hashing) == ky_hash(many, all, all));
        }
}

static const double numbers[] = {1, 2, 3.5};
static const char words[] = "some words";
static const struct ky_section sections[] = {
    {"numbers", numbers, sizeof numbers}, {"empty", NULL, 0}, {"words", words, sizeof words}};

static void check(const char *path, int previous)
{
    struct ky_error error = {0};
    struct ky_restart restart;
    struct ky_error why = {KY_FAULT, ""};
    assert_ok(ky_restart_read(path, &restart, &why, &error));
    assert_int_equal(why.status != KY_OK, previous);
    assert_string_equal(error.text, ""); /* success leaves no text */
    assert_int_equal(restart.count, 3);
    assert_int_equal(restart.version, 2);
    assert_memory_equal(ky_restart_section(&restart, "numbers", sizeof numbers, &error), numbers,
                        sizeof numbers);
    assert_memory_equal(ky_restart_section(&restart, "words", sizeof words, &error), words,
                        sizeof words);
    assert_non_null(ky_restart_section(&restart, "empty", 0, &error));
    assert_null(ky_restart_section(&restart, "words", 3, &error));
    assert_non_null(strstr(error.text, "another version of Kyoho wrote the restart file"));
    assert_non_null(strstr(error.text, "has 11 bytes where 3 are expected; continue with that"));
    assert_null(ky_restart_section(&restart, "none", 0, &error));
    ky_restart_free(&restart);
}

static void sections_come_back(void **state)
{
    (void)state;
    struct ky_error error = {0};
    const char *path = in_folder("r.kyo");
    assert_ok(ky_restart_write(&(struct ky_restart_to){.path = path}, sections, 3, &error));
    check(path, 0);
    assert_false(exists(in_folder("r.kyo.previous")));
    assert_ok(ky_restart_write(&(struct ky_restart_to){.path = path}, sections, 3, &error));
    check(in_folder("r.kyo.previous"), 0);
    assert_false(exists(in_folder("r.kyo.part")));
}

/* Gives the data of the section "words". Fails when the count in the context has run out. */
static enum ky_status get_words(void *context, const struct ky_section *section, void *data,
                                struct ky_error *error)
{
    assert_string_equal(section->name, "words");
    if (!(*(int *)context)--)
        return ky_fail(error, KY_DEVICE, "no words");
    memcpy(data, words, sizeof words);
    return KY_OK;
}

/* Sections whose data come when they are written give the same file, byte by byte. If the data
 * cannot be had, no file is written. */
static void sections_come_when_they_are_due(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_section own[] = {sections[0], sections[1], sections[2]};
    int calls = 1;
    size_t size, size_own;
    own[2].data = NULL;
    assert_ok(
        ky_restart_write(&(struct ky_restart_to){.path = in_folder("w.kyo")}, sections, 3, &error));
    unsigned char *bytes = bytes_of(in_folder("w.kyo"), &size);
    assert_ok(ky_restart_write(
        &(struct ky_restart_to){.path = in_folder("g.kyo"), .get = get_words, .context = &calls},
        own, 3, &error));
    unsigned char *bytes_own = bytes_of(in_folder("g.kyo"), &size_own);
    assert_int_equal(size, size_own);
    assert_memory_equal(bytes, bytes_own, size);
    assert_int_equal(ky_restart_write(&(struct ky_restart_to){.path = in_folder("n.kyo"),
                                                              .get = get_words,
                                                              .context = &calls},
                                      own, 3, &error),
                     KY_DEVICE);
    assert_false(exists(in_folder("n.kyo")) || exists(in_folder("n.kyo.part")));
    free(bytes);
    free(bytes_own);
}

static void damage_is_seen_and_the_previous_one_read(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_restart restart;
    char path[300], previous[320];
    snprintf(path, sizeof path, "%s", in_folder("d.kyo"));
    snprintf(previous, sizeof previous, "%s.previous", path);
    assert_ok(ky_restart_write(&(struct ky_restart_to){.path = path}, sections, 3, &error));
    size_t size;
    unsigned char *bytes = bytes_of(path, &size);
    for (size_t cut = 0; cut < size; cut++) {
        put_bytes(path, bytes, cut);
        assert_int_equal(ky_restart_read(path, &restart, NULL, &error), KY_BAD_DATA);
    }
    put_bytes(previous, bytes, size);
    for (size_t k = 0; k < size; k++) {
        bytes[k] ^= 4;
        put_bytes(path, bytes, size);
        bytes[k] ^= 4;
        struct ky_error why = {KY_FAULT, ""};
        assert_ok(ky_restart_read(path, &restart, &why, &error));
        int unused = (k >= 48 && k < 64) || (k >= 208 && k < 256); /* reserved, alignment */
        int gap = k >= 256 + sizeof numbers && k < 320;
        assert_int_equal(why.status != KY_OK, !unused && !gap);
        ky_restart_free(&restart);
    }
    remove(path);
    check(path, 1);
    put_bytes(previous, bytes, size - 1);
    assert_int_equal(ky_restart_read(path, &restart, NULL, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "no such file"));
    free(bytes);
}

/* ---- pieces ---- */

enum { PIECES_OF = 7 };
static double masses[PIECES_OF], positions[PIECES_OF][3];

/* Writes the numbers of the bodies where the plan says. */
static enum ky_status write_bodies(void *context, struct ky_write_plan *plan,
                                   struct ky_error *error)
{
    for (size_t p = 0; p < plan->parts; p++) {
        struct ky_write_piece *part = &plan->part[p];
        const size_t bytes = ky_arrays[part->array].bytes;
        const char *from = bytes == sizeof *masses ? (const char *)masses : (const char *)positions;
        part->hash = ky_hash(from + part->first * bytes, part->count * bytes, 0);
        FILE *file =
            part->count ? fopen(plan->file[part->file].open, part->offset ? "r+" : "w") : NULL;
        if (!file)
            continue;
        fseek(file, (long)part->offset, SEEK_SET);
        fwrite(from + part->first * bytes, bytes, part->count, file);
        fclose(file);
    }
    const int fails = *(int *)context;
    return fails ? ky_fail(error, KY_CANNOT_WRITE, "the disk is full") : KY_OK;
}

static enum ky_status write_pieces(const char *path, size_t n, int pieces, int fails,
                                   struct ky_error *error)
{
    const struct ky_writers writers = {KY_PIECES_ARRAYS, 1, write_bodies, &fails};
    struct ky_restart_to to = {.path = path, .pieces = pieces, .bodies = n, .writers = &writers};
    for (size_t i = 0; i < n; i++)
        masses[i] = positions[i][0] = positions[i][1] = positions[i][2] = 1 + (double)i;
    return ky_restart_write(&to, sections, 3, error);
}

/* By one process, and by three ranks. */
static void read_back(const struct ky_restart *restart, size_t n)
{
    struct ky_error error = {0};
    struct ky_pieces pieces;
    assert_ok(ky_pieces_describe(restart, &pieces, &error));
    assert_int_equal(pieces.bodies, n);
    for (size_t rank = 0; rank < 4; rank++) {
        struct ky_portion portion = ky_portion_of_all(n);
        if (rank) {
            portion.from = (size_t)ky_share_start(KY_BLOCKS, 3, rank - 1);
            portion.to = (size_t)ky_share_start(KY_BLOCKS, 3, rank);
            portion.first = ky_block_start(n, portion.from);
            portion.shares = 3;
        }
        struct ky_bodies bodies = {.n = ky_portion_count(&portion)};
        const size_t first = portion.first;
        assert_ok(ky_pieces_read(&pieces, &portion, 1, &bodies, &error));
        assert_memory_equal(bodies.mass, masses + first, bodies.n * 8);
        assert_memory_equal(bodies.position, positions + first, bodies.n * 24);
        assert_memory_equal(bodies.velocity, positions + first, bodies.n * 24);
        assert_memory_equal(bodies.acceleration, positions + first, bodies.n * 24);
        assert_memory_equal(bodies.potential, masses + first, bodies.n * 8);
        ky_bodies_free(&bodies);
    }
}

static void pieces_come_back(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        int pieces;
    } cases[] = {{7, 1}, {7, 3}, {2, 5}, {1, 2}, {0, 3}};
    struct ky_error error = {0}, why;
    struct ky_restart restart;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const size_t n = cases[k].n;
        assert_ok(write_pieces(in_folder("p.kyo"), n, cases[k].pieces, 0, &error));
        assert_ok(ky_restart_read(in_folder("p.kyo"), &restart, &why, &error));
        assert_int_equal(why.status, KY_OK);
        assert_int_equal(restart.version, 3);
        read_back(&restart, n);
        assert_memory_equal(ky_restart_section(&restart, "words", sizeof words, &error), words,
                            sizeof words);
        ky_restart_free(&restart);
        assert_false(k > 1 && exists(in_folder("p.kyo.1.0"))); /* of the one before the previous */
    }
    /* without pieces the old ones go, when no file needs them any more */
    for (int k = 0; k < 2; k++)
        assert_ok(ky_restart_write(&(struct ky_restart_to){.path = in_folder("p.kyo")}, sections, 3,
                                   &error));
    for (int k = 1; k < 9; k++) {
        char name[24];
        snprintf(name, sizeof name, "p.kyo.%d.0", k);
        assert_false(exists(in_folder(name)));
    }
}

static void expect_refusal(const char *path, const char *text)
{
    struct ky_error error = {0};
    struct ky_restart restart;
    assert_int_equal(ky_restart_read(path, &restart, NULL, &error), KY_BAD_DATA);
    if (!strstr(error.text, text))
        fail_msg("'%s' has no '%s'", error.text, text);
}

static void damaged_pieces_are_named(void **state)
{
    (void)state;
    struct ky_error error = {0}, why;
    struct ky_restart restart;
    char path[300], piece[320];
    snprintf(path, sizeof path, "%s", in_folder("q.kyo"));
    snprintf(piece, sizeof piece, "%s.1.2", path);
    assert_ok(write_pieces(path, 7, 3, 0, &error));
    size_t size;
    unsigned char *bytes = bytes_of(piece, &size);
    assert_int_equal(size, 3 * 88);
    put_bytes(piece, bytes, size - 1);
    expect_refusal(path, "q.kyo.1.2: has 263 bytes in place of 264");
    bytes[70] ^= 1;
    put_bytes(piece, bytes, size);
    expect_refusal(path, "q.kyo.1.2: is damaged: the checksum of its positions");
    remove(piece);
    expect_refusal(path, "its 3 pieces are not all intact: ");
    expect_refusal(path, "q.kyo.1.2: there is no such file");
    /* a whole one before it is taken */
    bytes[70] ^= 1;
    put_bytes(piece, bytes, size);
    assert_ok(write_pieces(path, 6, 2, 0, &error));
    remove(in_folder("q.kyo.2.0"));
    assert_ok(ky_restart_read(path, &restart, &why, &error));
    assert_non_null(strstr(why.text, "q.kyo.2.0: there is no such file"));
    read_back(&restart, 7);
    ky_restart_free(&restart);
    /* what cannot be written leaves no pieces, and the others as they were */
    assert_int_equal(write_pieces(path, 7, 4, 1, &error), KY_CANNOT_WRITE);
    assert_false(exists(in_folder("q.kyo.3.0")));
    assert_true(exists(piece) && exists(in_folder("q.kyo.2.1")));
    free(bytes);
}

static void impossible_pieces_are_refused(void **state)
{
    (void)state;
    struct ky_error error = {0};
    char path[300];
    snprintf(path, sizeof path, "%s", in_folder("i.kyo"));
    static const struct {
        uint64_t generation, count, bodies, arrays;
        char name[16];
        uint64_t hash[2];
    } good = {1, 2, 7, 1, "mass", {0, 0}};
    for (int k = 0; k < 8; k++) {
        unsigned char bytes[sizeof good];
        struct ky_section own = {"pieces", bytes, sizeof good - (k == 7)};
        memcpy(bytes, &good, sizeof good);
        memset(bytes + 8 * k, k < 4 ? 0xff : 0, k < 7 ? 8 : 0);
        if (k == 5 || k == 6) { /* no generation, no piece */
            memcpy(bytes, &good, sizeof good);
            memset(bytes + 8 * (k - 5), 0, 8);
        }
        assert_ok(ky_restart_write(&(struct ky_restart_to){.path = path}, &own, 1, &error));
        remove(in_folder("i.kyo.previous"));
        expect_refusal(path,
                       k ? "its section 'pieces' is damaged" : "its 2 pieces are not all intact: ");
    }
}

static void files_of_other_machines_are_refused(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_restart restart;
    const char *path = in_folder("o.kyo");
    assert_ok(ky_restart_write(&(struct ky_restart_to){.path = path}, sections, 3, &error));
    size_t size;
    unsigned char *bytes = bytes_of(path, &size);
    bytes[8] ^= 5, bytes[9] ^= 1, bytes[10] ^= 1, bytes[11] ^= 5; /* 04030201 to 01020304 */
    put_bytes(path, bytes, size);
    assert_int_equal(ky_restart_read(path, &restart, NULL, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "other byte order"));
    free(bytes);
}

/* A struct reads its numbers from a file of a struct that had others, in another order. */
static void numbers_are_found_by_name(void **state)
{
    (void)state;
    struct {
        double gone, kept;
        uint64_t count;
    } old = {1, 2.5, 7};
    const struct ky_stored_field old_fields[] = {
        {.name = "gone"}, {.name = "kept", .offset = 8}, {.name = "count", .offset = 16}};
    struct {
        uint64_t count;
        double later, kept;
    } read = {0, -1, 0};
    const struct ky_stored_field fields[] = {{.name = "count"},
                                             {.name = "later", .offset = 8, .may_lack = 1},
                                             {.name = "kept", .offset = 16}};
    const struct ky_stored_field needed[] = {{.name = "later", .offset = 8}};
    struct ky_error error = {0};
    struct ky_section section;
    struct ky_restart restart;
    assert_ok(ky_fields_store("numbers", old_fields, 3, &old, &section, &error));
    assert_ok(
        ky_restart_write(&(struct ky_restart_to){.path = in_folder("n.kyo")}, &section, 1, &error));
    ky_section_free(&section);
    assert_ok(ky_restart_read(in_folder("n.kyo"), &restart, NULL, &error));
    assert_ok(ky_fields_restore(&restart, "numbers", fields, 3, &read, &error));
    assert_true(read.count == 7 && read.kept == 2.5 && read.later == -1);
    assert_int_equal(ky_fields_restore(&restart, "numbers", needed, 1, &read, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "no number 'later' in a section 'numbers'"));
    assert_int_equal(ky_fields_restore(&restart, "other", fields, 3, &read, &error), KY_BAD_DATA);
    ky_restart_free(&restart);
}

static void files_are_replaced_in_one_step(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_file *file;
    char path[300];
    snprintf(path, sizeof path, "%s", in_folder("f"));
    put_bytes(path, "old", 3);
    assert_int_equal(ky_file_create(path, 0, &file, &error), KY_USAGE);
    assert_null(file);
    assert_ok(ky_file_create(path, 1, &file, &error));
    for (int k = 0; k < 300000; k++)
        assert_int_equal(ky_file_print(file, "%07d\n", k), 0);
    size_t size;
    unsigned char *bytes = bytes_of(path, &size);
    assert_int_equal(size, 3);
    free(bytes);
    assert_ok(ky_file_publish(file, in_folder("f.old"), &error));
    bytes = bytes_of(path, &size);
    assert_int_equal(size, 300000 * 8);
    assert_memory_equal(bytes + 8 * 123456, "0123456\n", 8);
    free(bytes);
    bytes = bytes_of(in_folder("f.old"), &size);
    assert_int_equal(size, 3);
    free(bytes);
    assert_ok(ky_file_create(path, 1, &file, &error));
    assert_true(exists(in_folder("f.part")));
    ky_file_discard(file);
    assert_false(exists(in_folder("f.part")));
    assert_true(exists(path));
}

/* Several writers of one file each have a temporary file of their own, and the file that is put in
 * place last stays. A temporary file that nobody writes any more is taken over. */
static void writers_of_one_file_do_not_meet(void **state)
{
    (void)state;
    enum { WRITERS = 3 };
    struct ky_error error = {0};
    struct ky_file *file[WRITERS];
    static const char *const text[WRITERS] = {"first", "the second", "third"};
    const char *path = in_folder("shared");
    put_bytes(in_folder("shared.part"), "left by a killed program", 24);
    for (int k = 0; k < WRITERS; k++)
        assert_ok(ky_file_create(path, 1, &file[k], &error));
    for (int k = 0; k < WRITERS; k++)
        ky_file_write(file[k], text[k], strlen(text[k]));
    static const int order[WRITERS] = {1, 0, 2};
    for (int j = 0; j < WRITERS; j++) {
        size_t size;
        int k = order[j];
        if (k == 2)
            ky_file_discard(file[k]);
        else
            assert_ok(ky_file_publish(file[k], NULL, &error));
        unsigned char *bytes = bytes_of(path, &size);
        const char *wanted = text[k == 2 ? 0 : k];
        assert_int_equal(size, strlen(wanted));
        assert_memory_equal(bytes, wanted, size);
        free(bytes);
    }
    assert_false(exists(in_folder("shared.part")) || exists(in_folder("shared.2.part")) ||
                 exists(in_folder("shared.3.part")));
}

/* A link to a file stays a link. The file that it leads to is replaced. */
static void links_are_followed(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_file *file;
    struct stat about;
    char target[300], name[300];
    snprintf(target, sizeof target, "%s", in_folder("target"));
    snprintf(name, sizeof name, "%s", in_folder("name"));
    put_bytes(target, "old", 3);
    assert_int_equal(symlink(target, name), 0);
    assert_ok(ky_file_create(name, 1, &file, &error));
    ky_file_write(file, "newer", 5);
    assert_ok(ky_file_publish(file, NULL, &error));
    assert_int_equal(lstat(name, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    size_t size;
    free(bytes_of(target, &size));
    assert_int_equal(size, 5);
}

static void space_for_a_file_is_reserved(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_file *file;
    assert_ok(ky_file_create(in_folder("s"), 0, &file, &error));
    assert_ok(ky_file_reserve(file, 1000, &error));
    assert_int_equal(ky_file_reserve(file, (uint64_t)1 << 62, &error), KY_CANNOT_WRITE);
    ky_file_discard(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hash_is_xxh64),
        cmocka_unit_test(sections_come_back),
        cmocka_unit_test(sections_come_when_they_are_due),
        cmocka_unit_test(damage_is_seen_and_the_previous_one_read),
        cmocka_unit_test(pieces_come_back),
        cmocka_unit_test(damaged_pieces_are_named),
        cmocka_unit_test(impossible_pieces_are_refused),
        cmocka_unit_test(files_of_other_machines_are_refused),
        cmocka_unit_test(numbers_are_found_by_name),
        cmocka_unit_test(files_are_replaced_in_one_step),
        cmocka_unit_test(writers_of_one_file_do_not_meet),
        cmocka_unit_test(links_are_followed),
        cmocka_unit_test(space_for_a_file_is_reserved),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
