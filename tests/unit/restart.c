/* Restart files and the replacement of files. */
#include "snapshot.h"

#include "base/file.h"
#include "base/hash.h"
#include "snapshot/fields.h"

/* The hash gives the published values of XXH64. */
static void the_hash_is_xxh64(void **state)
{
    (void)state;
    assert_true(ky_hash("", 0, 0) == 0xEF46DB3751D8E999U);
    assert_true(ky_hash("a", 1, 0) == 0xD24EC4F1A98C6E5BU);
    assert_true(ky_hash("abc", 3, 0) == 0x44BC2CF5AD770999U);
    static const char text[] = "Nobody inspects the spammish repetition";
    assert_true(ky_hash(text, sizeof text - 1, 0) == 0xFBCEA83C8A378BF1U);
}

static const double numbers[] = {1, 2, 3.5};
static const char words[] = "some words";
static const struct ky_section sections[] = {
    {"numbers", numbers, sizeof numbers}, {"empty", NULL, 0}, {"words", words, sizeof words}};

static void check(const char *path, int previous)
{
    struct ky_error error = {0};
    struct ky_restart restart;
    int used = -1;
    assert_ok(ky_restart_read(path, &restart, &used, &error));
    assert_int_equal(used, previous);
    assert_string_equal(error.text, ""); /* success leaves no text */
    assert_int_equal(restart.count, 3);
    assert_int_equal(restart.version, 2);
    assert_memory_equal(ky_restart_section(&restart, "numbers", sizeof numbers, &error), numbers,
                        sizeof numbers);
    assert_memory_equal(ky_restart_section(&restart, "words", sizeof words, &error), words,
                        sizeof words);
    assert_non_null(ky_restart_section(&restart, "empty", 0, &error));
    assert_null(ky_restart_section(&restart, "words", 3, &error));
    assert_non_null(strstr(error.text, "has 11 bytes where 3 were expected"));
    assert_null(ky_restart_section(&restart, "none", 0, &error));
    ky_restart_free(&restart);
}

static void sections_come_back(void **state)
{
    (void)state;
    struct ky_error error = {0};
    const char *path = in_folder("r.kyo");
    assert_ok(
        ky_restart_write(&(struct ky_restart_to){.path = path}, sections, 3, NULL, NULL, &error));
    check(path, 0);
    assert_false(exists(in_folder("r.kyo.previous")));
    assert_ok(
        ky_restart_write(&(struct ky_restart_to){.path = path}, sections, 3, NULL, NULL, &error));
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
    assert_ok(ky_restart_write(&(struct ky_restart_to){.path = in_folder("w.kyo")}, sections, 3,
                               NULL, NULL, &error));
    unsigned char *bytes = bytes_of(in_folder("w.kyo"), &size);
    assert_ok(ky_restart_write(&(struct ky_restart_to){.path = in_folder("g.kyo")}, own, 3,
                               get_words, &calls, &error));
    unsigned char *bytes_own = bytes_of(in_folder("g.kyo"), &size_own);
    assert_int_equal(size, size_own);
    assert_memory_equal(bytes, bytes_own, size);
    assert_int_equal(ky_restart_write(&(struct ky_restart_to){.path = in_folder("n.kyo")}, own, 3,
                                      get_words, &calls, &error),
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
    assert_ok(
        ky_restart_write(&(struct ky_restart_to){.path = path}, sections, 3, NULL, NULL, &error));
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
        int used = -1;
        assert_ok(ky_restart_read(path, &restart, &used, &error));
        int unused = (k >= 48 && k < 64) || (k >= 208 && k < 256); /* reserved, alignment */
        int gap = k >= 256 + sizeof numbers && k < 320;
        assert_int_equal(used, !unused && !gap);
        ky_restart_free(&restart);
    }
    remove(path);
    check(path, 1);
    put_bytes(previous, bytes, size - 1);
    assert_int_equal(ky_restart_read(path, &restart, NULL, &error), KY_BAD_DATA);
    assert_non_null(strstr(error.text, "no such file"));
    free(bytes);
}

static void files_of_other_machines_are_refused(void **state)
{
    (void)state;
    struct ky_error error = {0};
    struct ky_restart restart;
    const char *path = in_folder("o.kyo");
    assert_ok(
        ky_restart_write(&(struct ky_restart_to){.path = path}, sections, 3, NULL, NULL, &error));
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
    assert_ok(ky_restart_write(&(struct ky_restart_to){.path = in_folder("n.kyo")}, &section, 1,
                               NULL, NULL, &error));
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
        cmocka_unit_test(files_of_other_machines_are_refused),
        cmocka_unit_test(numbers_are_found_by_name),
        cmocka_unit_test(files_are_replaced_in_one_step),
        cmocka_unit_test(writers_of_one_file_do_not_meet),
        cmocka_unit_test(links_are_followed),
        cmocka_unit_test(space_for_a_file_is_reserved),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
