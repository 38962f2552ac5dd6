/* What is done to a simulation whose bodies ranks share: changes between steps, restarts with
 * another number of ranks, threads and forks of the caller, and what is refused. */
#include "test.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ranked.h"

static struct ky_error error;

/* ---- changes between steps ---- */

/* A change, which every number of ranks makes alike. */
typedef void change(struct ky_sim *sim);

static void read_some(struct ky_sim *sim)
{
    static const size_t index[] = {7, 0, 5000, 7, 4096, 1};
    double position[6][3], velocity[6][3], potential[6], mass[6], acceleration[6][3], softening[6];
    struct ky_bodies some = {.n = 6,
                             .position = position,
                             .velocity = velocity,
                             .potential = potential,
                             .mass = mass,
                             .acceleration = acceleration,
                             .softening = softening};
    assert_ok(ky_sim_read(sim, index, &some, &error));
    struct ky_bodies all = state_of(sim);
    for (size_t k = 0; k < 6; k++) {
        const size_t i = index[k];
        assert_memory_equal(position[k], all.position[i], sizeof *position);
        assert_memory_equal(velocity[k], all.velocity[i], sizeof *velocity);
        assert_memory_equal(acceleration[k], all.acceleration[i], sizeof *acceleration);
        assert_true(potential[k] == all.potential[i] && mass[k] == all.mass[i]);
        assert_true(softening[k] == 0.01);
    }
    ky_bodies_free(&all);
}

static void kick_some(struct ky_sim *sim)
{
    static const size_t index[] = {4096, 3, 5999};
    static const double by[3][3] = {{1, 0, 0}, {0, -2, 0}, {0.5, 0.5, 0.5}};
    assert_ok(ky_sim_kick(sim, index, 3, by, &error));
}

static void replace_some(struct ky_sim *sim)
{
    static const size_t index[] = {17, 5000, 0};
    double mass[3] = {1e-3, 0.05, 1e-4}, position[3][3] = {{1, 2, 3}, {-4, 0, 0}, {9, 9, 9}};
    const struct ky_bodies some = {.n = 3, .mass = mass, .position = position};
    assert_ok(ky_sim_replace(sim, index, &some, &error));
}

static void remove_some(struct ky_sim *sim)
{
    enum { FEW = 500 };
    uint64_t gone[FEW];
    for (size_t k = 0; k < FEW; k++)
        gone[k] = 3 * k + 1;
    assert_ok(ky_sim_remove(sim, gone, FEW, &error));
}

static void add_some(struct ky_sim *sim)
{
    struct ky_bodies more = make(BLOCK, 3001);
    more.softening = NULL;
    assert_ok(ky_sim_add(sim, &more, &error));
    ky_bodies_free(&more);
}

static void write_all(struct ky_sim *sim)
{
    struct ky_bodies all = state_of(sim);
    for (size_t i = 0; i < all.n; i++)
        all.position[i][1] *= 1.5;
    assert_ok(ky_sim_write(sim, &all, &error));
    ky_bodies_free(&all);
}

static void set_opening(struct ky_sim *sim)
{
    assert_ok(ky_sim_set_parameter(sim, "opening", "offset", &error));
    assert_ok(ky_sim_set_parameter(sim, "theta", "0.4", &error));
}

static void set_alpha(struct ky_sim *sim)
{
    assert_ok(ky_sim_set_parameter(sim, "alpha", "1e-5", &error));
}

static void set_tree(struct ky_sim *sim)
{
    assert_ok(ky_sim_set_parameter(sim, "curve", "morton", &error));
    assert_ok(ky_sim_set_parameter(sim, "group", "256", &error));
    assert_ok(ky_sim_set_parameter(sim, "leaf", "5", &error));
    assert_ok(ky_sim_set_parameter(sim, "multipole", "1", &error));
}

/* After these every rank has all bodies, in place of a part of them. */
static void set_undivided(struct ky_sim *sim)
{
    assert_ok(ky_sim_set_parameter(sim, "cell", "edge", &error));
    assert_ok(ky_sim_advance(sim, 1, &error));
    assert_ok(ky_sim_set_parameter(sim, "cell", "box", &error)); /* and back */
    assert_ok(ky_sim_advance(sim, 1, &error));
    assert_ok(ky_sim_set_parameter(sim, "curve", "none", &error));
}

static void add_massless(struct ky_sim *sim)
{
    struct ky_bodies light = make(SPHERE, 2);
    const uint64_t first = 6007;
    light.mass[0] = light.mass[1] = 0;
    light.id = NULL;
    assert_ok(ky_sim_add(sim, &light, &error));
    assert_ok(ky_sim_advance(sim, 1, &error));
    assert_ok(ky_sim_remove(sim, &first, 1, &error));
    ky_bodies_free(&light);
}

static void replace_by_massless(struct ky_sim *sim)
{
    static const size_t index[] = {5000};
    double none[1] = {0};
    const struct ky_bodies some = {.n = 1, .mass = none};
    assert_ok(ky_sim_replace(sim, index, &some, &error));
}

static void write_softenings(struct ky_sim *sim)
{
    struct ky_bodies all = state_of(sim);
    all.softening = malloc(all.n * sizeof *all.softening);
    cloud_softenings(all.softening, all.n);
    assert_ok(ky_sim_write(sim, &all, &error));
    ky_bodies_free(&all);
    assert_ok(ky_sim_advance(sim, 1, &error));
    assert_ok(ky_sim_set_softening(sim, 0.02, &error));
}

static void set_field(struct ky_sim *sim)
{
    assert_ok(ky_sim_set_parameter(sim, "field", "point:mass=1", &error));
    assert_ok(ky_sim_advance(sim, 1, &error));
}

static void set_softening(struct ky_sim *sim)
{
    assert_ok(ky_sim_set_softening(sim, 0.25, &error));
    assert_ok(ky_sim_set_parameter(sim, "softening-kind", "spline", &error));
}

static void set_step(struct ky_sim *sim)
{
    assert_ok(ky_sim_set_step(sim, 0.001, &error));
    assert_ok(ky_sim_advance_to(sim, ky_sim_time(sim) + 0.0015, 1, &error));
}

static void change_many(struct ky_sim *sim)
{
    assert_ok(ky_sim_change_begin(sim, &error));
    kick_some(sim);
    remove_some(sim);
    replace_some(sim);
    add_some(sim);
    assert_ok(ky_sim_change_end(sim, 1, &error));
}

static void remove_all(struct ky_sim *sim)
{
    struct ky_bodies all = state_of(sim);
    assert_ok(ky_sim_remove(sim, all.id, all.n, &error));
    ky_bodies_free(&all);
    assert_ok(ky_sim_advance(sim, 1, &error));
    add_some(sim);
}

static void changes_have_the_same_bits(void **state)
{
    (void)state;
    static change *const changes[] = {read_some,           kick_some,        replace_some,
                                      remove_some,         add_some,         write_all,
                                      set_opening,         set_alpha,        set_tree,
                                      set_softening,       set_step,         change_many,
                                      remove_all,          set_undivided,    add_massless,
                                      replace_by_massless, write_softenings, set_field};
    struct ky_parameters parameters = parameters_of("");
    struct ky_bodies bodies = make(SPHERE, 6007);
    const size_t count = sizeof changes / sizeof *changes;
    for (size_t k = 0; k < count; k++) {
        struct ky_bodies last = {0};
        for (int ranks = 1; ranks <= 8; ranks = ranks == 1                        ? 3
                                                : ranks == 3 && test_everything() ? 8
                                                                                  : 9) {
            char what[64];
            struct ky_sim *sim = open_ranks(&parameters, ranks, &bodies);
            assert_ok(ky_sim_advance(sim, 1, &error));
            changes[k](sim);
            struct ky_bodies at_once = state_of(sim); /* with forces, before the next step */
            assert_ok(ky_sim_advance(sim, 1, &error));
            struct ky_bodies got = state_of(sim);
            snprintf(what, sizeof what, "change %zu, %d ranks", k, ranks);
            if (last.n)
                expect_same(&got, &last, what);
            ky_bodies_free(&at_once);
            ky_bodies_free(&last);
            last = got;
            ky_sim_close(sim);
        }
        ky_bodies_free(&last);
    }
    ky_bodies_free(&bodies);
}

/* Searches and fields at points, where every rank has all bodies and where they are divided: the
 * numbers of one rank, and no trace in later steps. */
static void searches_leave_no_trace(void **state)
{
    (void)state;
    enum { N = 6007 };
    static const char *const options[] = {"cell=edge", "integrator=block force=tree", "force=fmm"};
    static const double at[3][3] = {{1, 0, 0}, {5, 5, 5}, {0, 0.1, 0}}, radius = 0.05;
    struct ky_bodies bodies = make(SPHERE, N);
    for (int k = 0; k < 3; k++) {
        static uint32_t count[2][N];
        double a[2][3][3], p[2][3];
        struct ky_parameters parameters = parameters_of(options[k]);
        struct ky_sim *sim[2] = {open_ranks(&parameters, 1, &bodies),
                                 open_ranks(&parameters, 3, &bodies)};
        for (int step = 0; step < 2; step++) {
            for (int r = 0; r < 2; r++) {
                assert_ok(ky_sim_neighbours(sim[r], &radius, 1, count[r], NULL, NULL, &error));
                assert_ok(ky_sim_field(sim[r], 3, at, 0.01, a[r], p[r], &error));
                assert_ok(ky_sim_advance(sim[r], 1, &error));
            }
            assert_memory_equal(count[0], count[1], sizeof count[0]);
            assert_memory_equal(a[0], a[1], sizeof a[0]);
            assert_memory_equal(p[0], p[1], sizeof p[0]);
            struct ky_bodies one = state_of(sim[0]), three = state_of(sim[1]);
            expect_same(&three, &one, options[k]);
            ky_bodies_free(&one);
            ky_bodies_free(&three);
        }
        ky_sim_close(sim[0]);
        ky_sim_close(sim[1]);
    }
    ky_bodies_free(&bodies);
}

/* ---- restarts ---- */

static struct ky_sim *restored(struct ky_sim *sim, int ranks)
{
    struct ky_sim *again = NULL;
    struct ky_parameters parameters = parameters_of("");
    size_t bytes = 0;
    parameters.ranks = ranks; /* 0: that of the simulation which was saved */
    assert_ok(ky_sim_save_memory(sim, NULL, &bytes, &error));
    void *data = malloc(bytes);
    assert_ok(ky_sim_save_memory(sim, data, &bytes, &error));
    assert_ok(ky_sim_restore_memory(data, bytes, &parameters, &again, &error));
    free(data);
    return again;
}

static int ranks_of(const struct ky_sim *sim)
{
    struct ky_parameters parameters = {.size = sizeof parameters};
    assert_ok(ky_sim_parameters(sim, &parameters, &error));
    return parameters.ranks;
}

/* A simulation goes on with another number of ranks as if nothing had been, from memory and from a
 * file. */
static void restarts_take_any_number_of_ranks(void **state)
{
    (void)state;
    static const int path[] = {2, 5, 1, 3, 0};
    struct ky_parameters parameters = parameters_of("");
    struct ky_bodies bodies = make(COLLISION, 6007);
    struct ky_sim *whole = open_ranks(&parameters, 1, &bodies),
                  *sim = open_ranks(&parameters, 8, &bodies);
    char name[] = "/tmp/kyoho-ranks-XXXXXX";
    const int file = mkstemp(name);
    assert_true(file >= 0);
    for (int k = 0; k < 5; k++) {
        assert_ok(ky_sim_advance(sim, 1, &error));
        struct ky_sim *again = NULL;
        if (k == 1) {
            parameters.ranks = path[k];
            assert_ok(ky_sim_save(sim, name, &error));
            assert_ok(ky_sim_restore(name, &parameters, &again, &error));
        } else {
            again = restored(sim, path[k]);
        }
        assert_int_equal(ranks_of(again), path[k] ? path[k] : 3);
        ky_sim_close(sim);
        sim = again;
    }
    assert_ok(ky_sim_advance(sim, 1, &error));
    assert_ok(ky_sim_advance(whole, 6, &error));
    struct ky_bodies got = state_of(sim), expected = state_of(whole);
    expect_same(&got, &expected, "a simulation with five restarts");
    ky_sim_close(sim);
    ky_sim_close(whole);
    ky_bodies_free(&got);
    ky_bodies_free(&expected);
    ky_bodies_free(&bodies);
    close(file);
    remove(name);
}

/* ---- what ranks do not do ---- */

static void expect_refused(const char *options, const struct ky_bodies *bodies, int status,
                           const char *word)
{
    struct ky_sim *sim = NULL;
    struct ky_parameters parameters = parameters_of(options);
    parameters.ranks = 3;
    const int got = (int)ky_sim_open(&parameters, bodies, 0, &sim, &error);
    if (got != status || sim || !strstr(error.text, word))
        fail_msg("'%s': status %d, '%s'", options, got, error.text);
}

/* What ranks cannot do is refused before any force, with a text that says what to do. */
static void what_ranks_cannot_do_is_refused(void **state)
{
    (void)state;
    struct ky_bodies bodies = make(SPHERE, 100);
    static const struct {
        const char *options, *word;
    } cases[] = {
        {"force=fmm mutual=on", "--mutual"},
        {"force=list", "--force tree"},
        {"engine=opencl force=walk", "--force tree"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        expect_refused(cases[k].options, &bodies, KY_UNSUPPORTED, cases[k].word);
    bodies.position[3][1] = (double)NAN;
    expect_refused("", &bodies, KY_BAD_DATA, "3");
    ky_bodies_free(&bodies);
}

/* A change that ranks cannot take leaves the simulation as it was. */
static void changes_that_ranks_cannot_take(void **state)
{
    (void)state;
    struct ky_parameters parameters = parameters_of("");
    struct ky_bodies bodies = make(SPHERE, 5000);
    static const char *const wrong[][2] = {{"ranks", "2"}, {"mutual", "on"}};
    struct ky_sim *one = open_ranks(&parameters, 1, &bodies),
                  *sim = open_ranks(&parameters, 3, &bodies);
    assert_ok(ky_sim_advance(sim, 1, &error));
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        const int status = (int)ky_sim_set_parameter(sim, wrong[k][0], wrong[k][1], &error);
        if (status != KY_UNSUPPORTED && status != KY_USAGE)
            fail_msg("%s=%s: status %d, '%s'", wrong[k][0], wrong[k][1], status, error.text);
    }
    assert_ok(ky_sim_advance(sim, 1, &error));
    assert_ok(ky_sim_advance(one, 2, &error));
    struct ky_bodies got = state_of(sim), expected = state_of(one);
    expect_same(&got, &expected, "after changes that were refused");
    ky_bodies_free(&got);
    ky_bodies_free(&expected);
    ky_sim_close(sim);
    ky_sim_close(one);
    ky_bodies_free(&bodies);
}

/* ---- lives ---- */

static void *one_life(void *of)
{
    const int number = (int)(intptr_t)of;
    struct ky_error own = {KY_OK, ""};
    struct ky_sim *sim = NULL;
    struct ky_parameters parameters;
    struct ky_bodies bodies = {0};
    double sum = 0;
    ky_parameters_defaults(&parameters);
    parameters.engine = "cpu";
    parameters.force = KY_TREE;
    parameters.softening = 0.01;
    parameters.step = 0.01;
    parameters.ranks = number;
    struct ky_bodies given = make(SPHERE, 5000);
    if (!ky_sim_open(&parameters, &given, 0, &sim, &own) && !ky_sim_advance(sim, 2, &own) &&
        !ky_bodies_allocate(&bodies, 5000, RESULTS, &own) && !ky_sim_bodies(sim, &bodies, &own))
        for (size_t i = 0; i < 5000; i++)
            sum += bodies.position[i][0] + bodies.potential[i];
    ky_sim_close(sim);
    ky_bodies_free(&bodies);
    ky_bodies_free(&given);
    double *result = malloc(sizeof *result);
    *result = own.status ? (double)NAN : sum;
    return result;
}

/* Simulations side by side, each called by its own thread. */
static void threads_run_ranks_side_by_side(void **state)
{
    (void)state;
    pthread_t thread[3];
    double first = 0;
    for (int k = 0; k < 3; k++)
        assert_int_equal(pthread_create(&thread[k], NULL, one_life, (void *)(intptr_t)(k + 1)), 0);
    for (int k = 0; k < 3; k++) {
        void *result;
        assert_int_equal(pthread_join(thread[k], &result), 0);
        first = k ? first : *(double *)result;
        assert_true(*(double *)result == first);
        free(result);
    }
}

static void *step_once(void *sim)
{
    struct ky_error own;
    return (void *)(intptr_t)ky_sim_advance(sim, 1, &own);
}

/* Calls of a simulation may come from one thread after the other, and it may be closed in any
 * state. */
static void simulations_end_in_any_state(void **state)
{
    (void)state;
    struct ky_parameters parameters = parameters_of("");
    struct ky_bodies bodies = make(SPHERE, 5000);
    ky_sim_close(open_ranks(&parameters, 3, &bodies));
    struct ky_sim *sim = open_ranks(&parameters, 3, &bodies);
    for (int k = 0; k < 3; k++) {
        pthread_t thread;
        void *result;
        assert_int_equal(pthread_create(&thread, NULL, step_once, sim), 0);
        assert_int_equal(pthread_join(thread, &result), 0);
        assert_int_equal((int)(intptr_t)result, KY_OK);
    }
    assert_ok(ky_sim_change_begin(sim, &error));
    ky_sim_close(sim);
    sim = open_ranks(&parameters, 2, &bodies);
    assert_ok(ky_sim_advance_to(sim, 0.001, 1, &error));
    ky_sim_close(sim);
    ky_bodies_free(&bodies);
}

/* What a simulation tells of numbers that are not finite, step by step. */
static void describe(const char *options, int ranks, char *text, size_t room)
{
    const struct ky_parameters parameters = parameters_of(options);
    struct ky_bodies bodies = make(SPHERE, 20000), got = {0};
    bodies.velocity[17123][0] = 1e306;
    struct ky_sim *sim = open_ranks(&parameters, ranks, &bodies);
    size_t used = 0;
    assert_ok(ky_bodies_allocate(&got, bodies.n, RESULTS, &error));
    for (int step = 0; step < 4; step++) {
        struct ky_sums sums = {0};
        error.text[0] = '\0';
        const int status = (int)ky_sim_sums(sim, &sums, &error);
        used += (size_t)snprintf(text + used, room - used, "sums %d: %s\n", status, error.text);
        error.text[0] = '\0';
        const int of_bodies = (int)ky_sim_bodies(sim, &got, &error);
        used +=
            (size_t)snprintf(text + used, room - used, "bodies %d: %.36s\n", of_bodies, error.text);
        const int of_step = (int)ky_sim_advance(sim, 1, &error);
        used += (size_t)snprintf(text + used, room - used, "step %d\n", of_step);
    }
    ky_sim_close(sim);
    ky_bodies_free(&got);
    ky_bodies_free(&bodies);
}

/* Places that are no numbers end nothing by themselves: ranks go on as long as one engine. */
static void numbers_beyond_the_range_are_told(void **state)
{
    (void)state;
    static const char *const options[] = {"step=1e6", "step=1e6 integrator=block step-min=1e6"};
    for (int k = 0; k < 2; k++) {
        char one[4096], three[4096];
        describe(options[k], 1, one, sizeof one);
        describe(options[k], 3, three, sizeof three);
        assert_string_equal(three, one);
        assert_non_null(strstr(one, "bodies 4: the position of body 17123 is"));
        assert_non_null(strstr(one, "bodies 4: the position of body 0 is"));
    }
}

/* In a child of the process ranks do not live: calls fail at once, and closing ends. */
static void a_child_has_no_ranks(void **state)
{
    (void)state;
    struct ky_parameters parameters = parameters_of("");
    struct ky_bodies bodies = make(SPHERE, 5000);
    struct ky_sim *sim = open_ranks(&parameters, 3, &bodies);
    int status = 0;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        struct ky_sums sums = {0};
        alarm(60);
        int good = ky_sim_advance(sim, 1, &error) == KY_FAULT && strstr(error.text, "fork");
        good &= ky_sim_sums(sim, &sums, &error) != KY_OK;
        ky_sim_close(sim);
        parameters.ranks = 1; /* a simulation of its own is served */
        good &= ky_sim_open(&parameters, &bodies, 0, &sim, &error) == KY_OK &&
                ky_sim_advance(sim, 1, &error) == KY_OK;
        ky_sim_close(sim);
        _exit(good ? 0 : 1);
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        fail_msg("the child ended with %x", (unsigned)status);
    assert_ok(ky_sim_advance(sim, 1, &error)); /* the parent goes on */
    ky_sim_close(sim);
    ky_bodies_free(&bodies);
}

/* Ranks without end, and none. */
static void numbers_of_ranks(void **state)
{
    (void)state;
    struct ky_bodies bodies = make(SPHERE, 5000);
    static const int wrong[] = {0, -3, 1025, 1 << 30};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        struct ky_sim *sim = NULL;
        struct ky_parameters parameters = parameters_of("");
        parameters.ranks = wrong[k];
        assert_int_equal(ky_sim_open(&parameters, &bodies, 0, &sim, &error), KY_USAGE);
        assert_non_null(strstr(error.text, "ranks"));
    }
    if (test_everything()) {
        struct ky_parameters parameters = parameters_of("");
        struct ky_sim *one = open_ranks(&parameters, 1, &bodies),
                      *sim = open_ranks(&parameters, 1024, &bodies);
        struct ky_bodies got = state_of(sim), expected = state_of(one);
        expect_same(&got, &expected, "1024 ranks");
        ky_sim_close(one);
        ky_sim_close(sim);
        ky_bodies_free(&got);
        ky_bodies_free(&expected);
    }
    ky_bodies_free(&bodies);
}

/* Other calls than those of a simulation say that they take no ranks. */
static void other_calls_take_no_ranks(void **state)
{
    (void)state;
    struct ky_parameters parameters = parameters_of("");
    struct ky_bodies bodies = make(SPHERE, 100);
    parameters.ranks = 2;
    assert_int_equal(ky_forces(&parameters, &bodies, NULL, &error), KY_UNSUPPORTED);
    assert_non_null(strstr(error.text, "--ranks"));
    ky_bodies_free(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_have_the_same_bits),
        cmocka_unit_test(searches_leave_no_trace),
        cmocka_unit_test(restarts_take_any_number_of_ranks),
        cmocka_unit_test(what_ranks_cannot_do_is_refused),
        cmocka_unit_test(changes_that_ranks_cannot_take),
        cmocka_unit_test(threads_run_ranks_side_by_side),
        cmocka_unit_test(simulations_end_in_any_state),
        cmocka_unit_test(numbers_beyond_the_range_are_told),
        cmocka_unit_test(a_child_has_no_ranks),
        cmocka_unit_test(numbers_of_ranks),
        cmocka_unit_test(other_calls_take_no_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
