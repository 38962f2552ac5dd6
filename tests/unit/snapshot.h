/* What the tests of snapshots share: bodies of every kind, comparisons, files as bytes. */
#ifndef KY_TEST_SNAPSHOT_H
#define KY_TEST_SNAPSHOT_H

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"

#include "base/random.h"

/* HDF5 keeps its own pools until the process ends. */
KY_API const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

/* A folder of its own below $TMPDIR, removed at the end of the group. */
static char test_folder[256];

static inline int make_folder(void **state)
{
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(test_folder, sizeof test_folder, "%s/kyoho-test-XXXXXX", base ? base : "/tmp");
    return mkdtemp(test_folder) ? 0 : -1;
}

static inline int remove_folder(void **state)
{
    (void)state;
    char command[sizeof test_folder + 16];
    snprintf(command, sizeof command, "rm -rf '%s'", test_folder);
    return system(command);
}

/* The path of a name in the folder. The text stays for the next three calls. */
static inline const char *in_folder(const char *name)
{
    static char paths[4][512];
    static int next;
    next = (next + 1) % 4;
    snprintf(paths[next], sizeof paths[next], "%s/%s", test_folder, name);
    return paths[next];
}

static inline int exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* Makes a snapshot of n bodies. `as_float`: with numbers that a float can hold. `types`: a digit
 * for each body, by turns ("4": stars; "041": gas, a star, dark matter, gas …), or NULL for
 * none. */
static inline struct ky_snapshot sample(size_t n, unsigned with, const char *types, int as_float)
{
    struct ky_error error = {0};
    struct ky_snapshot snapshot;
    ky_snapshot_clear(&snapshot);
    assert_ok(ky_bodies_allocate(&snapshot.bodies, n, with | (types ? KY_WITH_TYPE : 0), &error));
    struct ky_bodies *b = &snapshot.bodies;
    const char *digits = types ? types : "4";
    for (size_t i = 0; i < n; i++) {
        struct ky_random random = ky_random_at(11, 0, i);
#define NUMBER(low, high)                                                                          \
    ((as_float) ? (double)(float)((low) + ((high) - (low)) * ky_random_uniform(&random))           \
                : (low) + ((high) - (low)) * ky_random_uniform(&random))
        b->mass[i] = i % 7 == 3 ? 0 : NUMBER(0, 2);
        for (int c = 0; c < 3; c++) {
            b->position[i][c] = NUMBER(-1, 1);
            b->velocity[i][c] = NUMBER(-3, 3);
            if (b->acceleration)
                b->acceleration[i][c] = NUMBER(-1, 1);
        }
        if (b->id)
            b->id[i] = ((uint64_t)1 << 60) + 3 * ((i * 7) % (n | 1)) + 7 * (n | 1) * i;
        if (b->softening)
            b->softening[i] = NUMBER(0.01, 0.1);
        if (b->radius)
            b->radius[i] = NUMBER(0, 0.2);
        if (b->potential)
            b->potential[i] = NUMBER(-2, -1);
        if (b->type)
            b->type[i] = (uint8_t)(digits[i % strlen(digits)] - '0');
#undef NUMBER
    }
    snapshot.time = 0.3125;
    return snapshot;
}

static inline void assert_same_array(const char *name, const void *a, const void *b, size_t bytes)
{
    if (!a != !b)
        fail_msg("%s: there before %d, after %d", name, a != NULL, b != NULL);
    if (a && memcmp(a, b, bytes) != 0)
        fail_msg("%s differ", name);
}

/* Fails unless the bodies are the same bit for bit. Without ids the id is the index; without types
 * bodies are stars. */
static inline void assert_same_bodies(const struct ky_bodies *a, const struct ky_bodies *b)
{
    assert_int_equal(a->n, b->n);
    assert_same_array("masses", a->mass, b->mass, a->n * sizeof *a->mass);
    assert_same_array("positions", a->position, b->position, a->n * sizeof *a->position);
    assert_same_array("velocities", a->velocity, b->velocity, a->n * sizeof *a->velocity);
    assert_same_array("softenings", a->softening, b->softening, a->n * sizeof *a->softening);
    assert_same_array("radii", a->radius, b->radius, a->n * sizeof *a->radius);
    assert_same_array("potentials", a->potential, b->potential, a->n * sizeof *a->potential);
    assert_same_array("accelerations", a->acceleration, b->acceleration,
                      a->n * sizeof *a->acceleration);
    for (size_t i = 0; i < a->n; i++) {
        assert_int_equal(a->id ? a->id[i] : i, b->id ? b->id[i] : i);
        assert_int_equal(a->type ? a->type[i] : 4, b->type ? b->type[i] : 4);
    }
}

static inline void assert_same_snapshot(const struct ky_snapshot *a, const struct ky_snapshot *b)
{
    assert_same_bodies(&a->bodies, &b->bodies);
    assert_true(a->time == b->time);
    assert_memory_equal(&a->units, &b->units, sizeof a->units);
    if (a->parameters)
        assert_string_equal(a->parameters, b->parameters);
}

#endif
