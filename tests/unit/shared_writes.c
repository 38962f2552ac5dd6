/* Files of a run whose bodies are divided among ranks: snapshots in one file and in pieces, and
 * restart files in pieces, for bodies of several types whose ids are not in order. */
#define _XOPEN_SOURCE 700 /* mkdtemp, nftw */
#include "test.h"

#include <ftw.h>
#include <stdlib.h>
#include <unistd.h>

#include "ranked.h"

static struct ky_error error;

enum { N = 2003 };

/* Without HDF5 snapshots are TIPSY, which one rank writes and which lacks some arrays. */
#ifdef KY_HAVE_HDF5
enum { HAS_PIECES = 1 };
#else
enum { HAS_PIECES = 0 };
#endif

static void fill(struct ky_snapshot *initial, size_t n)
{
    ky_snapshot_clear(initial);
    initial->bodies = make(SPHERE, n);
    assert_ok(
        ky_bodies_extend(&initial->bodies, KY_WITH_ID | KY_WITH_TYPE | KY_WITH_RADIUS, &error));
    for (size_t i = 0; i < n; i++) {
        initial->bodies.id[i] = (i * 7 + 3) % n;
        initial->bodies.type[i] = (uint8_t)(i < 100 ? 1 : i % 3 ? 4 : i % 2);
        initial->bodies.radius[i] = 1e-3 * (double)(i % 5);
    }
}

/* A run to two steps on `first` ranks, which goes on to four on `then`. */
static void run_and_resume(const char *folder, size_t n, int first, int then, int pieces,
                           const char *options)
{
    struct ky_snapshot initial;
    struct ky_run_parameters run;
    struct ky_parameters parameters = parameters_of(options);
    ky_run_parameters_defaults(&run);
    run.output = folder;
    run.steps = 2;
    run.pieces = pieces;
    run.overwrite = 1;
    parameters.ranks = first;
    fill(&initial, n);
    assert_ok(ky_run(&parameters, &run, &initial, &error));
    ky_snapshot_free(&initial);
    run.steps = 4;
    parameters.ranks = then;
    assert_ok(ky_resume(&parameters, &run, &error));
}

/* The last snapshot of the run. */
static void read_last(const char *folder, struct ky_snapshot *snapshot)
{
    struct ky_paths paths;
    assert_ok(ky_run_snapshots(folder, &paths, &error));
    assert_int_equal(paths.count, 3);
    assert_ok(ky_snapshot_read(paths.path[2], snapshot, &error));
    ky_paths_free(&paths);
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *walk)
{
    (void)about, (void)kind, (void)walk;
    return remove(path);
}

static void expect_same_files(const struct ky_snapshot *a, const struct ky_snapshot *b)
{
    const struct ky_bodies *x = &a->bodies, *y = &b->bodies;
    const size_t n = y->n;
    assert_int_equal(x->n, n);
    assert_memory_equal(x->position, y->position, n * sizeof *y->position);
    assert_memory_equal(x->velocity, y->velocity, n * sizeof *y->velocity);
    assert_memory_equal(x->mass, y->mass, n * sizeof *y->mass);
    assert_memory_equal(x->id, y->id, n * sizeof *y->id);
    if (HAS_PIECES) {
        assert_memory_equal(x->potential, y->potential, n * sizeof *y->potential);
        assert_memory_equal(x->radius, y->radius, n * sizeof *y->radius);
        assert_true(!n || (!x->type && !y->type) || !memcmp(x->type, y->type, n));
    }
}

static void restarts_and_snapshots_of_ranks_are_those_of_one(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        int first, then;
        const char *options;
    } cases[] = {{N, 3, 2, ""}, {N, 4, 8, "opening=offset"},   {N, 8, 1, ""},
                 {N, 1, 3, ""}, {N, 3, 5, "integrator=block"}, {5, 3, 8, ""},
                 {1, 2, 3, ""}};
    char folder[] = "/tmp/kyoho-slices-XXXXXX";
    assert_non_null(mkdtemp(folder));
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct ky_snapshot one, ours;
        const char *options = cases[k].options;
        run_and_resume(folder, cases[k].n, 1, 1, 0, options);
        read_last(folder, &one);
        for (int pieces = 0; pieces <= HAS_PIECES; pieces++) {
            run_and_resume(folder, cases[k].n, cases[k].first, cases[k].then, pieces, options);
            read_last(folder, &ours);
            expect_same_files(&ours, &one);
            ky_snapshot_free(&ours);
        }
        ky_snapshot_free(&one);
    }
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restarts_and_snapshots_of_ranks_are_those_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
