/* The OpenCL driver's cache of compiled programs. Whatever is in the user's cache folder, kernels
 * run and give the right numbers, and damaged entries are whole again afterwards. */
#include "test.h"

#include <stdio.h>

#ifdef KY_HAVE_OPENCL

#include <dirent.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files.h"

#include "base/hash.h"
#include "engine/device/driver/card.h"
#include "engine/device/driver/opencl/opencl.h"

extern char **environ;

static char folder[64], cache[100], entry[600], foreign[600];
static unsigned char *whole; /* the entry as the driver wrote it */
static size_t whole_size;

enum { N = 3000 };

/* Runs one small kernel: bodies k with the mass k % 7 and x = k are gathered backwards as
 * sources. */
static enum ky_status gather(struct ky_card *card, float source[N][4], struct ky_error *error)
{
    static union ky_state_value position[3 * N], mass[N];
    union ky_state_value frame[KY_FRAME_NUMBERS];
    uint32_t order[N], n = N, flags = 0;
    enum { POSITION, MASS, ORDER, FRAME, SOURCE, LOW, BUFFERS };
    const struct {
        size_t elements, size;
        const void *data;
    } wanted[BUFFERS] = {{3 * N, 8, position},         {N, 8, mass},  {N, 4, order},
                         {KY_FRAME_NUMBERS, 8, frame}, {N, 16, NULL}, {N, 16, NULL}};
    struct ky_buffer buffer[BUFFERS] = {{0}};
    for (int k = 0; k < KY_FRAME_NUMBERS; k++)
        frame[k] = ky_to_state(card, 0); /* one of them: the origin of cells */
    for (uint32_t k = 0; k < N; k++) {
        order[k] = N - 1 - k;
        position[k] = ky_to_state(card, k);
        mass[k] = ky_to_state(card, k % 7);
    }
    enum ky_status status = KY_OK;
    for (int k = 0; k < BUFFERS && !status; k++) {
        status =
            ky_buffer_need(card, &buffer[k], "bodies", wanted[k].elements, wanted[k].size, error);
        if (!status && wanted[k].data)
            status = card->driver->write(card, &buffer[k], 0, wanted[k].data,
                                         wanted[k].elements * wanted[k].size, error);
    }
    if (!status)
        status = ky_launch_over(card, KY_KERNEL_ky_walk_sources_single, N,
                                KY_ARGUMENTS(KY_BUFFER(buffer[POSITION]), KY_BUFFER(buffer[MASS]),
                                             KY_BUFFER(buffer[MASS]), KY_BUFFER(buffer[ORDER]),
                                             KY_BUFFER(buffer[FRAME]), KY_BUFFER(buffer[SOURCE]),
                                             KY_BUFFER(buffer[LOW]), KY_BUFFER(buffer[MASS]),
                                             KY_VALUE(n), KY_VALUE(flags)),
                                error);
    if (!status)
        status = card->driver->read(card, &buffer[SOURCE], 0, source, sizeof(float[N][4]), error);
    for (int k = 0; k < BUFFERS; k++)
        ky_buffer_release(card, &buffer[k]);
    return status;
}

/* The number of programs that were compiled to run a kernel on a newly opened device; −1 if that
 * failed or its numbers are wrong. */
static int compilations_of_a_kernel(void)
{
    static float source[N][4];
    struct ky_error error = {0};
    struct ky_card *card;
    int before = ky_opencl_compilations, wrong = 0;
    memset(source, 0, sizeof source);
    enum ky_status status = ky_opencl_driver.open(0, &card, &error);
    if (!status) {
        status = gather(card, source, &error);
        card->driver->close(card);
    }
    if (status)
        printf("# %s\n", error.text);
    for (uint32_t k = 0; k < N; k++)
        wrong |= source[k][0] != (float)(N - 1 - k) || source[k][3] != (float)((N - 1 - k) % 7);
    return status || wrong ? -1 : ky_opencl_compilations - before;
}

/* The number of entries in the cache; `last` gets the path of the last one. */
static int entries(char *last, size_t size)
{
    char path[200];
    struct dirent *found;
    int count = 0;
    snprintf(path, sizeof path, "%s/kyoho", cache);
    DIR *listing = opendir(path);
    while (listing && (found = readdir(listing)))
        if (found->d_name[0] != '.') {
            snprintf(last, size, "%s/%s", path, found->d_name);
            count++;
        }
    if (listing)
        closedir(listing);
    return count;
}

/* The environment before OpenCL was loaded, for the processes that the test starts. The loader
 * ocl-icd 2.3.2 cuts OCL_ICD_FILENAMES of its own process after the first name. A process that
 * inherits this finds fewer drivers, and another first device. */
static char **started_with;

static int keep_environment(void)
{
    size_t count = 0;
    while (environ[count])
        count++;
    started_with = calloc(count + 1, sizeof *started_with);
    for (size_t k = 0; started_with && k < count; k++)
        if (!(started_with[k] = strdup(environ[k])))
            return -1;
    return started_with ? 0 : -1;
}

static int remove_sandbox(void **state)
{
    (void)state;
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    free(whole);
    for (size_t k = 0; started_with && started_with[k]; k++)
        free(started_with[k]);
    free(started_with);
    return folder[0] ? system(command) : 0;
}

/* Makes a folder for the cache, and another one for PoCL's own cache, which this test leaves
 * alone. */
static int make_sandbox(void **state)
{
    (void)state;
    char path[100];
    snprintf(folder, sizeof folder, "/tmp/kyoho-cache-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/pocl", folder);
    snprintf(cache, sizeof cache, "%s/cache", folder);
    setenv("POCL_CACHE_DIR", path, 1);
    setenv("XDG_CACHE_HOME", cache, 1);
    return keep_environment();
}

static void need_a_device(void)
{
    struct ky_device device = {0};
    if (ky_opencl_driver.list(0, &device) != KY_OK || !device.usable) {
        printf("# no OpenCL device here\n");
        skip();
    }
}

static void is_compiled_once(void **state)
{
    (void)state;
    need_a_device();
    assert_int_equal(compilations_of_a_kernel(), 1);
    assert_int_equal(entries(entry, sizeof entry), 1);
    assert_int_equal(compilations_of_a_kernel(), 0);
    whole = bytes_of(entry, &whole_size);
    assert_in_range(whole_size, 100, 100000000);
}

/* ---- damage ---- */

enum { MAGIC = 0, KEY = 8, SIZE = 16, CHECK = 24, HEADER = 32 };

static void cut_to(size_t size)
{
    put_bytes(entry, whole, size);
}

static void flip(size_t place)
{
    whole[place] ^= 0x10;
    put_bytes(entry, whole, whole_size);
    whole[place] ^= 0x10;
}

/* Writes an entry with this binary and a right header. */
static void seal(const void *binary, uint64_t size, uint64_t key, const char *path)
{
    unsigned char *bytes = malloc(HEADER + size);
    uint64_t check = ky_hash(binary, size, key);
    memcpy(bytes, whole, KEY);
    memcpy(bytes + KEY, &key, 8);
    memcpy(bytes + SIZE, &size, 8);
    memcpy(bytes + CHECK, &check, 8);
    memcpy(bytes + HEADER, binary, size);
    put_bytes(path, bytes, HEADER + size);
    free(bytes);
}

static uint64_t own_key(void)
{
    uint64_t key;
    memcpy(&key, whole + KEY, 8);
    return key;
}

static void nothing_at_all(size_t unused)
{
    (void)unused;
}

static void cut_the_end(size_t bytes)
{
    cut_to(whole_size - bytes);
}

static void cut_in_half(size_t unused)
{
    (void)unused;
    cut_to(whole_size / 2);
}

static void flip_in_the_middle(size_t unused)
{
    (void)unused;
    flip(whole_size / 2);
}

static void flip_at_the_end(size_t bytes)
{
    flip(whole_size - bytes);
}

static void add_a_byte(size_t unused)
{
    (void)unused;
    whole[whole_size] = 7;
    put_bytes(entry, whole, whole_size + 1);
}

static unsigned char *garbage(size_t size)
{
    unsigned char *bytes = malloc(size);
    for (size_t k = 0; k < size; k++)
        bytes[k] = (unsigned char)(ky_hash(&k, sizeof k, 3) >> 20);
    return bytes;
}

static void all_garbage(size_t size)
{
    unsigned char *bytes = garbage(size);
    put_bytes(entry, bytes, size);
    free(bytes);
}

/* Writes an entry of another version of the driver or of the kernels. */
static void of_another_key(size_t unused)
{
    (void)unused;
    seal(whole + HEADER, whole_size - HEADER, own_key() + 1, entry);
}

/* Writes an entry that this driver has sealed, but cannot load. */
static void sealed_garbage(size_t size)
{
    unsigned char *bytes = garbage(size);
    seal(bytes, size, own_key(), entry);
    free(bytes);
}

static void a_folder(size_t unused)
{
    (void)unused;
    assert_int_equal(mkdir(entry, 0700), 0);
}

static void a_full_folder(size_t unused)
{
    char path[700];
    a_folder(unused);
    snprintf(path, sizeof path, "%s/file", entry);
    put_bytes(path, "x", 1);
}

static void a_pipe(size_t unused)
{
    (void)unused;
    assert_int_equal(mkfifo(entry, 0600), 0);
}

static void a_link_to_itself(size_t unused)
{
    (void)unused;
    assert_int_equal(symlink(entry, entry), 0);
}

static const struct damage {
    const char *text;
    void (*make)(size_t number);
    size_t number;
    int stays; /* nothing can take its place */
} damages[] = {
    {"not there", nothing_at_all, 0, 0},
    {"empty", cut_to, 0, 0},
    {"cut in the header", cut_to, 20, 0},
    {"the header alone", cut_to, HEADER, 0},
    {"cut in half", cut_in_half, 0, 0},
    {"the last byte missing", cut_the_end, 1, 0},
    {"a byte too many", add_a_byte, 0, 0},
    {"short garbage", all_garbage, 5, 0},
    {"garbage", all_garbage, 70000, 0},
    {"another magic", flip, MAGIC, 0},
    {"another key in the header", flip, KEY, 0},
    {"another size", flip, SIZE, 0},
    {"a size beyond memory", flip, SIZE + 7, 0},
    {"another checksum", flip, CHECK, 0},
    {"damage in the first byte", flip, HEADER, 0},
    {"damage in the middle", flip_in_the_middle, 0, 0},
    {"damage in the last byte", flip_at_the_end, 1, 0},
    {"of another version", of_another_key, 0, 0},
    {"short garbage with a right checksum", sealed_garbage, 3, 0},
    {"garbage with a right checksum", sealed_garbage, 5000, 0},
    {"a pipe", a_pipe, 0, 0},
    {"a link to itself", a_link_to_itself, 0, 0},
    {"a folder", a_folder, 0, 1},
    {"a folder that is not empty", a_full_folder, 0, 1},
};

static void damaged_entries_are_made_anew(void **state)
{
    (void)state;
    need_a_device();
    assert_non_null(whole);
    for (size_t k = 0; k < sizeof damages / sizeof *damages; k++) {
        const struct damage *damage = &damages[k];
        assert_int_equal(remove(entry), 0);
        damage->make(damage->number);
        int first = compilations_of_a_kernel(), then = compilations_of_a_kernel();
        if (first != 1 || then != damage->stays)
            fail_msg("%s: %d compilations, then %d", damage->text, first, then);
        if (damage->make == a_full_folder) {
            snprintf(foreign, sizeof foreign, "%.580s/file", entry);
            assert_int_equal(remove(foreign), 0);
        }
        assert_int_equal(entries(foreign, sizeof foreign), 1); /* no temporary file stays */
    }
    assert_int_equal(remove(entry), 0);
    assert_int_equal(compilations_of_a_kernel(), 1);
}

/* ---- folders ---- */

static void folders_that_cannot_be_used(void **state)
{
    (void)state;
    char file[200], *home = getenv("HOME") ? strdup(getenv("HOME")) : NULL;
    static const char *const impossible[] = {"/proc/self/none", "/dev/null", "relative", ""};
    need_a_device();
    for (size_t k = 0; k < sizeof impossible / sizeof *impossible; k++) {
        setenv("XDG_CACHE_HOME", impossible[k], 1);
        setenv("HOME", "/dev/null", 1);
        assert_int_equal(compilations_of_a_kernel(), 1);
    }
    /* A file in place of the folder, then a folder that can be neither read nor written, then a
     * read-only one. */
    snprintf(file, sizeof file, "%s/closed", folder);
    setenv("XDG_CACHE_HOME", file, 1);
    assert_int_equal(mkdir(file, 0700), 0);
    snprintf(file, sizeof file, "%s/closed/kyoho", folder);
    put_bytes(file, "x", 1);
    assert_int_equal(compilations_of_a_kernel(), 1);
    assert_int_equal(remove(file), 0);
    for (int mode = 0; mode <= 0500 && geteuid() != 0; mode += 0500) {
        assert_int_equal(mkdir(file, (mode_t)mode), 0);
        assert_int_equal(compilations_of_a_kernel(), 1);
        assert_int_equal(remove(file), 0);
    }
    setenv("XDG_CACHE_HOME", cache, 1);
    unsetenv("HOME");
    if (home)
        setenv("HOME", home, 1);
    free(home);
}

/* ---- the limit ---- */

static int is_there(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

/* Beyond the limit the entries that were not used for longest are removed, and no files with other
 * names. */
static void the_folder_is_bounded(void **state)
{
    (void)state;
    enum { OLD = 6 };
    char path[OLD][300], mine[300];
    uint64_t limit = ky_opencl_cache_limit;
    unsigned char *bytes = garbage(whole_size);
    need_a_device();
    snprintf(mine, sizeof mine, "%s/kyoho/notes", cache);
    put_bytes(mine, bytes, whole_size);
    for (int k = 0; k < OLD; k++) {
        const struct timespec used[2] = {{1000000 + k, 0}, {1000000 + k, 0}};
        snprintf(path[k], sizeof path[k], "%s/kyoho/opencl-%016d.bin%s", cache, k,
                 k % 2 ? ".abcdef" : "");
        put_bytes(path[k], bytes, whole_size);
        assert_int_equal(utimensat(AT_FDCWD, path[k], used, 0), 0);
    }
    assert_int_equal(compilations_of_a_kernel(), 0); /* a read makes our entry the last one used */
    assert_true(is_there(path[0]));
    assert_int_equal(remove(entry), 0);
    ky_opencl_cache_limit = 3 * whole_size + whole_size / 2;
    assert_int_equal(compilations_of_a_kernel(), 1);
    ky_opencl_cache_limit = limit;
    assert_true(is_there(entry) && is_there(mine));
    for (int k = 0; k < OLD; k++)
        assert_int_equal(is_there(path[k]), k >= OLD - 2);
    assert_int_equal(remove(mine), 0);
    for (int k = OLD - 2; k < OLD; k++)
        assert_int_equal(remove(path[k]), 0);
    free(bytes);
    assert_int_equal(compilations_of_a_kernel(), 0);
}

/* ---- several processes ---- */

static void several_processes_at_once(void **state)
{
    (void)state;
    enum { PROCESSES = 3 };
    pid_t child[PROCESSES];
    char program[] = "/proc/self/exe", word[] = "scan", *const words[] = {program, word, NULL};
    need_a_device();
    for (int round = 0; round < 2; round++) {
        if (round == 0)
            assert_int_equal(remove(entry), 0);
        else
            flip_in_the_middle(0);
        for (int k = 0; k < PROCESSES; k++)
            assert_int_equal(posix_spawn(&child[k], program, NULL, NULL, words, started_with), 0);
        for (int k = 0; k < PROCESSES; k++) {
            int status;
            assert_int_equal(waitpid(child[k], &status, 0), child[k]);
            if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
                fail_msg("process %d of round %d ended with status %d", k, round, status);
        }
        assert_int_equal(entries(foreign, sizeof foreign), 1);
        assert_string_equal(foreign, entry);
        assert_int_equal(compilations_of_a_kernel(), 0);
    }
}

/* Gives each process caches of its own for what drivers keep on the disk: PoCL parts of programs,
 * NVIDIA machine code. Processes that share them may disturb each other. */
static void own_caches_of_drivers(void)
{
    static const char *const names[] = {"POCL_CACHE_DIR", "CUDA_CACHE_PATH"};
    const char *pocl = getenv("POCL_CACHE_DIR");
    char path[200];
    snprintf(path, sizeof path, "%.150s-%d", pocl ? pocl : "/tmp/none", (int)getpid());
    for (int k = 0; k < 2 && pocl; k++)
        setenv(names[k], path, 1);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "scan")) {
        own_caches_of_drivers();
        int compilations = compilations_of_a_kernel();
        if (compilations < 0 || compilations > 1)
            printf("# a process compiled %d times (-1: it failed)\n", compilations);
        return compilations == 0 || compilations == 1 ? 0 : 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_compiled_once),
        cmocka_unit_test(damaged_entries_are_made_anew),
        cmocka_unit_test(folders_that_cannot_be_used),
        cmocka_unit_test(the_folder_is_bounded),
        cmocka_unit_test(several_processes_at_once),
    };
    return cmocka_run_group_tests(tests, make_sandbox, remove_sandbox);
}

#else

MAIN_THAT_SKIPS(cache_of_programs, "OpenCL is not in this build")

#endif
