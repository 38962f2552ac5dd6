/* Structs of parameters in programs that were built with an older or a newer kyoho.h than the
 * library: how they are filled, and that calls take them. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "test.h"

#include <math.h>
#include <string.h>

#include "wall.h"

static struct ky_error error;

enum { OTHER = -1, MOST = 512 }; /* a struct without options by name; no struct is longer */

/* Each struct with its size in programs that were built before the calls were macros: at commit
 * d395f53, or later when the struct came later. Pointers have 8 bytes. */
#define STRUCTS(STRUCT)                                                                            \
    STRUCT(parameters, 200, KY_OPTIONS_PARAMETERS)                                                 \
    STRUCT(check_parameters, 64, OTHER)                                                            \
    STRUCT(catalogue_parameters, 40, KY_OPTIONS_GROUPS)                                            \
    STRUCT(run_parameters, 216, KY_OPTIONS_RUN)                                                    \
    STRUCT(write_options, 24, OTHER)                                                               \
    STRUCT(read_options, 56, OTHER)                                                                \
    STRUCT(model_parameters, 176, KY_OPTIONS_MODEL)                                                \
    STRUCT(merge_parameters, 96, KY_OPTIONS_MERGE)                                                 \
    STRUCT(profile_parameters, 72, KY_OPTIONS_PROFILE)
/* Those that are younger than the macros, and have no such functions. */
#define DRAWN(STRUCT)                                                                              \
    STRUCT(draw_parameters, 160, KY_OPTIONS_DRAW)                                                  \
    STRUCT(film_parameters, 72, KY_OPTIONS_FILM)                                                   \
    STRUCT(view_parameters, 24, KY_OPTIONS_VIEW)                                                   \
    STRUCT(tune_parameters, 64, KY_OPTIONS_TUNE)

/* The calls of a struct: what fills that of older programs, the function behind the macro, and the
 * macro. */
#define CALLS(name, first, kind) CALLS_OF(name, (ky_##name##_defaults)(to))
#define CALLS_OF_DRAWN(name, first, kind) CALLS_OF(name, ky_##name##_defaults_sized(to, first))
#define CALLS_OF(name, old)                                                                        \
    static void name##_of_old(void *to)                                                            \
    {                                                                                              \
        old;                                                                                       \
    }                                                                                              \
    static void name##_sized(void *to, size_t size)                                                \
    {                                                                                              \
        ky_##name##_defaults_sized(to, size);                                                      \
    }                                                                                              \
    static void name##_of_now(void *to)                                                            \
    {                                                                                              \
        ky_##name##_defaults(to);                                                                  \
    }
STRUCTS(CALLS)
DRAWN(CALLS_OF_DRAWN)

static const struct kind {
    const char *name;
    size_t first, whole;
    int options; /* enum ky_options_kind, or OTHER */
    void (*of_old)(void *to);
    void (*sized)(void *to, size_t size);
    void (*of_now)(void *to);
} kinds[] = {
#define KIND(name, first, kind)                                                                    \
    {#name, first, sizeof(struct ky_##name), kind, name##_of_old, name##_sized, name##_of_now},
    STRUCTS(KIND) DRAWN(KIND)};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* What is told to bindings. */
static void told(void **state)
{
    (void)state;
    char name[64];
    for (int k = 0; k < KINDS; k++) {
        snprintf(name, sizeof name, "ky_%s", kinds[k].name);
        assert_int_equal(kinds[k].options >= KY_OPTIONS_DRAW ? ky_draw_abi(name) : ky_abi(name),
                         kinds[k].whole);
    }
    assert_int_equal(ky_abi("ky_picture"), 0);
    assert_int_equal(ky_draw_abi("ky_picture"), sizeof(struct ky_picture));
    assert_int_equal(ky_draw_abi("ky_error"), 0);
    assert_int_equal(ky_draw_abi(NULL), 0);
    assert_int_equal(ky_abi("ky_error"), sizeof(struct ky_error));
    assert_int_equal(ky_abi("error"), 0);
    assert_int_equal(ky_abi(""), 0);
    assert_int_equal(ky_abi(NULL), 0);
}

/* Memory of that many bytes before a wall, with other bytes than 0. */
static void *unknown_memory(size_t size)
{
    static const unsigned char none[MOST];
    char *end = (char *)before_a_wall(none, sizeof none) + sizeof none;
    assert_true(size <= sizeof none);
    return memset(end - size, 0x5a, size);
}

static size_t size_of(const void *values)
{
    size_t size;
    memcpy(&size, values, sizeof size);
    return size;
}

/* That `values` have the defaults in its first `size` bytes, and that options behind them are not
 * there. */
static void check_defaults(const struct kind *kind, const void *values, size_t size)
{
    unsigned char all[MOST] = {0};
    struct ky_option_about about = {.size = sizeof about};
    kind->of_now(all);
    assert_int_equal(size_of(all), kind->whole);
    if (size_of(values) != size)
        fail_msg("%s: size is %zu, not %zu", kind->name, size_of(values), size);
    if (kind->options == OTHER) {
        assert_memory_equal((const char *)values + sizeof size, all + sizeof size,
                            size - sizeof size);
        return;
    }
    for (size_t k = 0; ky_draw_options_get(kind->options, k, &about) == KY_OK; k++) {
        char text[128], wanted[128];
        assert_ok(
            ky_draw_options_text(kind->options, all, about.name, wanted, sizeof wanted, &error));
        const enum ky_status status =
            ky_draw_options_text(kind->options, values, about.name, text, sizeof text, &error);
        assert_int_equal(status, about.offset + about.bytes <= size ? KY_OK : KY_USAGE);
        if (!status)
            assert_string_equal(text, wanted);
    }
}

/* Nothing behind the struct is touched: there is a wall. */
static void an_older_program_gets_what_it_knows(void **state)
{
    (void)state;
    for (const struct kind *kind = kinds; kind < kinds + KINDS; kind++) {
        void *values = unknown_memory(kind->first);
        kind->of_old(values);
        check_defaults(kind, values, kind->first);
        for (size_t size = sizeof size; size <= kind->whole; size += sizeof size) {
            values = unknown_memory(size);
            kind->sized(values, size);
            check_defaults(kind, values, size);
        }
        for (size_t size = 0; size < sizeof size; size++)
            kind->sized(unknown_memory(size), size); /* no struct */
    }
}

static void a_newer_program_sees_what_the_library_knows(void **state)
{
    (void)state;
    for (const struct kind *kind = kinds; kind < kinds + KINDS; kind++) {
        const size_t later = 3 * sizeof(double);
        const unsigned char *values = unknown_memory(kind->whole + later);
        kind->sized((void *)values, kind->whole + later);
        check_defaults(kind, values, kind->whole);
        for (size_t k = 0; k < later; k++)
            assert_int_equal(values[kind->whole + k], 0);
    }
}

/* The struct of an older program, filled by the function that it calls. */
#define OLDER(name) ((struct ky_##name *)filled_for_old(#name))
static void *filled_for_old(const char *name)
{
    const struct kind *kind = kinds;
    while (strcmp(kind->name, name) != 0)
        kind++;
    void *values = unknown_memory(kind->first);
    kind->of_old(values);
    return values;
}

/* Members that the program does not know have their defaults. */
static void calls_take_structs_of_older_programs(void **state)
{
    (void)state;
    struct ky_parameters *older = OLDER(parameters), now;
    struct ky_model_parameters *sphere = OLDER(model_parameters);
    struct ky_snapshot snapshot;
    struct ky_sim *sim;
    char remark[KY_REMARK];
    sphere->n = 64;
    ky_snapshot_clear(&snapshot);
    assert_ok(ky_model_make("plummer", sphere, &snapshot, &error));
    struct ky_bodies *bodies = &snapshot.bodies;
    double(*const exact)[3] = calloc(bodies->n, sizeof *exact);
    ky_parameters_defaults(&now);
    assert_ok(ky_softening_choose(&now, &snapshot, remark, &error));
    assert_ok(ky_softening_choose(older, &snapshot, remark, &error));
    older->engine = now.engine = "cpu";
    older->step = 0.0625;
    assert_ok(ky_bodies_extend(bodies, KY_WITH_ACCELERATION, &error));
    assert_ok(ky_forces(&now, bodies, NULL, &error));
    memcpy(exact, bodies->acceleration, bodies->n * sizeof *exact);
    memset(bodies->acceleration, 0, bodies->n * sizeof *exact);
    assert_ok(ky_forces(older, bodies, NULL, &error));
    assert_memory_equal(exact, bodies->acceleration, bodies->n * sizeof *exact);
    assert_ok(ky_sim_open(older, bodies, 0, &sim, &error));
    assert_ok(ky_sim_advance(sim, 2, &error));
    assert_true(ky_sim_time(sim) == 0.125);
    ky_sim_close(sim);
    struct ky_check_results results = {0};
    assert_ok(ky_forces_check(older, bodies, OLDER(check_parameters), &results, &error));
    struct ky_run_parameters *run = OLDER(run_parameters);
    struct ky_plan plan = {0};
    run->end = 1;
    assert_ok(ky_run_plan(older, run, &snapshot, &plan, &error));
    assert_true(plan.steps == 16);
    free(exact);
    ky_snapshot_free(&snapshot);
}

static void calls_take_other_structs_of_older_programs(void **state)
{
    (void)state;
    struct ky_snapshot snapshot, again;
    struct ky_bodies both = {0};
    struct ky_catalogue groups = {0};
    struct ky_radial_profile profile = {0};
    struct ky_picture picture = {0};
    char path[] = "/tmp/kyoho-test-XXXXXX";
    struct ky_model_parameters *sphere = OLDER(model_parameters);
    struct ky_write_options *writing = OLDER(write_options);
    struct ky_merge_parameters *orbit = OLDER(merge_parameters);
    struct ky_draw_parameters *drawing = OLDER(draw_parameters);
    sphere->n = 64;
    ky_snapshot_clear(&snapshot);
    assert_ok(ky_model_make("plummer", sphere, &snapshot, &error));
    close(mkstemp(path));
    assert_int_equal(ky_snapshot_write(path, &snapshot, writing, &error), KY_USAGE);
    writing->format = KY_CSV;
    writing->overwrite = 1;
    assert_ok(ky_snapshot_write(path, &snapshot, writing, &error));
    assert_ok(ky_snapshot_read_as(path, OLDER(read_options), &again, &error));
    unlink(path);
    assert_int_equal(again.bodies.n, 64);
    orbit->separation = 10;
    orbit->pericentre = 1;
    assert_ok(ky_merge(&snapshot.bodies, &again.bodies, orbit, &both, &error));
    assert_int_equal(both.n, 128);
    assert_ok(ky_catalogue_make(OLDER(parameters), OLDER(catalogue_parameters), &both, &groups,
                                NULL, &error));
    assert_ok(ky_profile_make(OLDER(profile_parameters), &both, &profile, &error));
    assert_int_equal(profile.shells, 20);
    drawing->width = 32;
    assert_ok(ky_draw_pixels(&snapshot, 1, drawing, &picture, &error));
    assert_true(picture.width >= 32);
    ky_picture_free(&picture);
    ky_profile_free(&profile);
    ky_catalogue_free(&groups);
    ky_bodies_free(&both);
    ky_snapshot_free(&again);
    ky_snapshot_free(&snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(told),
        cmocka_unit_test(an_older_program_gets_what_it_knows),
        cmocka_unit_test(a_newer_program_sees_what_the_library_knows),
        cmocka_unit_test(calls_take_structs_of_older_programs),
        cmocka_unit_test(calls_take_other_structs_of_older_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
