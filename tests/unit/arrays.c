/* Forces and fields of arrays of the host and of a device by an evaluator, beside ky_forces and
 * ky_field of the same numbers: the same bits. */
#include "test.h"

#include <math.h>

#include "base/status.h"
#include "drivers.h"
#include "engine/device/driver/names.h"
#include "engines.h"
#include "systems.h"

/* ---- arrays of a device ---- */

/* Memory of a device that belongs to this program: what CuPy has. On a CPU that serves as an OpenCL
 * device it is memory of the host. */
struct lender {
    struct ky_opened opened;
    struct ky_buffer buffer[16];
    size_t count;
};

static int has_lender(int k)
{
    return !is_cpu_engine(k) && (is_slow(k) || !strncmp(engines[k].engine, "cuda", 4));
}

static void open_lender(int k, struct lender *lender)
{
    struct ky_error error;
    *lender = (struct lender){.opened.driver = driver_of(engines[k].engine)};
    if (strncmp(engines[k].engine, "cuda", 4))
        return;
    assert_ok(ky_card_open(&lender->opened, engines[k].engine, &error));
}

static void close_lender(struct lender *lender)
{
    struct ky_card *card = lender->opened.card;
    for (size_t b = 0; b < lender->count; b++) {
        if (card)
            ky_buffer_release(card, &lender->buffer[b]);
        else
            free(lender->buffer[b].handle);
    }
    if (card)
        lender->opened.driver->close(card);
}

/* A copy of the numbers on the device. */
static void *lend(struct lender *lender, const void *numbers, size_t bytes)
{
    struct ky_error error;
    struct ky_card *card = lender->opened.card;
    struct ky_buffer *buffer = &lender->buffer[lender->count++];
    assert_true(lender->count <= 16);
    if (card) {
        assert_ok(ky_buffer_fill(card, buffer, "lent numbers", numbers, bytes, 1, &error));
    } else {
        buffer->handle = malloc(bytes);
        memcpy(buffer->handle, numbers, bytes);
    }
    return buffer->handle;
}

static void read_back(struct lender *lender, const void *address, void *to, size_t bytes)
{
    struct ky_error error;
    struct ky_card *card = lender->opened.card;
    if (!card)
        memcpy(to, address, bytes);
    for (size_t b = 0; card && b < lender->count; b++)
        if (lender->buffer[b].handle == address)
            assert_ok(card->driver->read(card, &lender->buffer[b], 0, to, bytes, &error));
}

/* ---- bodies in all forms ---- */

enum form { OF_HOST, OF_HOST_SINGLE, OF_DEVICE, OF_DEVICE_SINGLE, FORMS };

static int is_single(enum form form)
{
    return form == OF_HOST_SINGLE || form == OF_DEVICE_SINGLE;
}

/* The numbers in their form, to be freed by close_lender or `free`. */
static struct ky_numbers form_of(enum form form, struct lender *lender, const double *numbers,
                                 size_t count)
{
    const int single = is_single(form);
    const size_t size = single ? sizeof(float) : sizeof(double);
    void *copy = malloc(count ? count * size : 1);
    for (size_t k = 0; k < count; k++)
        if (single)
            ((float *)copy)[k] = (float)numbers[k];
        else
            ((double *)copy)[k] = numbers[k];
    struct ky_numbers array = {copy, 0, single ? KY_FLOAT32 : KY_FLOAT64};
    if (form >= OF_DEVICE) {
        array.data = lend(lender, copy, count * size);
        free(copy);
    }
    return array;
}

/* Sets `to` to the numbers of an array. */
static void numbers_of(enum form form, struct lender *lender, const struct ky_numbers *array,
                       size_t count, double *to)
{
    const size_t size = array->number == KY_FLOAT32 ? sizeof(float) : sizeof(double);
    void *copy = malloc(count * size);
    if (form >= OF_DEVICE)
        read_back(lender, array->data, copy, count * size);
    else
        memcpy(copy, array->data, count * size);
    for (size_t k = 0; k < count; k++)
        to[k] = is_single(form) ? (double)((float *)copy)[k] : ((double *)copy)[k];
    free(copy);
}

static struct ky_array_bodies arrays_of(enum form form, struct lender *lender,
                                        const struct ky_bodies *bodies)
{
    const size_t n = bodies->n;
    struct ky_array_bodies given = {.size = sizeof given, .n = n, .on_device = form >= OF_DEVICE};
    given.position = form_of(form, lender, (const double *)bodies->position, 3 * n);
    given.mass = form_of(form, lender, bodies->mass, n);
    if (bodies->softening)
        given.softening = form_of(form, lender, bodies->softening, n);
    given.acceleration = form_of(form, lender, (const double *)bodies->velocity, 3 * n);
    given.potential = form_of(form, lender, bodies->mass, n);
    return given;
}

static void free_arrays(enum form form, struct ky_array_bodies *given)
{
    struct ky_numbers *arrays[] = {&given->position, &given->mass, &given->softening,
                                   &given->acceleration, &given->potential};
    for (size_t k = 0; k < 5 && form < OF_DEVICE; k++)
        free(arrays[k]->data);
}

/* ky_forces of the same numbers, rounded to float where the arrays are of float. */
static enum ky_status expect(enum form form, const struct ky_parameters *parameters,
                             const struct ky_bodies *given, double (*acceleration)[3],
                             double *potential, struct ky_error *refusal)
{
    struct ky_bodies bodies;
    struct ky_error error;
    const size_t n = given->n;
    assert_ok(ky_bodies_allocate(&bodies, n,
                                 KY_WITH_ACCELERATION | KY_WITH_POTENTIAL |
                                     (given->softening ? KY_WITH_SOFTENING : 0U),
                                 &error));
    for (size_t i = 0; i < n; i++) {
        for (int c = 0; c < 3; c++)
            bodies.position[i][c] =
                is_single(form) ? (double)(float)given->position[i][c] : given->position[i][c];
        bodies.mass[i] = is_single(form) ? (double)(float)given->mass[i] : given->mass[i];
        if (given->softening)
            bodies.softening[i] =
                is_single(form) ? (double)(float)given->softening[i] : given->softening[i];
    }
    const enum ky_status status = ky_forces(parameters, &bodies, NULL, refusal);
    for (size_t i = 0; i < n && !status; i++) {
        for (int c = 0; c < 3; c++)
            acceleration[i][c] = is_single(form) ? (double)(float)bodies.acceleration[i][c]
                                                 : bodies.acceleration[i][c];
        potential[i] = is_single(form) ? (double)(float)bodies.potential[i] : bodies.potential[i];
    }
    ky_bodies_free(&bodies);
    return status;
}

/* Fails unless an evaluator and ky_forces agree on these bodies, in the bits of all results or in
 * the text of an error. */
static void compare(int k, enum form form, struct ky_evaluator *evaluator,
                    const struct ky_parameters *parameters, const struct ky_bodies *bodies)
{
    struct ky_error errors[2] = {{.text = ""}, {.text = ""}};
    const size_t n = bodies->n;
    struct lender lender;
    double(*a[2])[3] = {calloc(n + 1, sizeof **a), calloc(n + 1, sizeof **a)},
    *p[2] = {calloc(n + 1, sizeof **p), calloc(n + 1, sizeof **p)};
    open_lender(k, &lender);
    struct ky_array_bodies given = arrays_of(form, &lender, bodies);
    const enum ky_status expected = expect(form, parameters, bodies, a[0], p[0], &errors[0]),
                         status =
                             ky_evaluator_forces(evaluator, parameters, &given, NULL, &errors[1]);
    if (status != expected || strcmp(errors[0].text, errors[1].text))
        fail_msg("%s, form %d: \"%s\" instead of \"%s\"", engines[k].engine, (int)form,
                 errors[1].text, errors[0].text);
    if (!status) {
        numbers_of(form, &lender, &given.acceleration, 3 * n, (double *)a[1]);
        numbers_of(form, &lender, &given.potential, n, p[1]);
        for (size_t i = 0; i < n; i++)
            for (int c = 0; c < 3; c++)
                if (memcmp(&a[0][i][c], &a[1][i][c], sizeof(double)) ||
                    memcmp(&p[0][i], &p[1][i], sizeof(double)))
                    fail_msg("%s, form %d, body %zu of %zu: %.17g %.17g instead of %.17g %.17g",
                             engines[k].engine, (int)form, i, n, a[1][i][c], p[1][i], a[0][i][c],
                             p[0][i]);
    }
    free_arrays(form, &given);
    close_lender(&lender);
    for (int r = 0; r < 2; r++) {
        free(a[r]);
        free(p[r]);
    }
}

static struct ky_parameters parameters_of(int k, int force)
{
    struct ky_parameters parameters;
    ky_parameters_defaults(&parameters);
    parameters.engine = engines[k].engine;
    parameters.force = force;
    parameters.softening = 0.01;
    return parameters;
}

/* All forms of the same bodies, by one evaluator. */
static void compare_forms(int k, const struct ky_parameters *parameters,
                          const struct ky_bodies *bodies)
{
    struct ky_error error;
    struct ky_evaluator *evaluator;
    assert_ok(ky_evaluator_open(&evaluator, &error));
    for (int form = 0; form < (has_lender(k) ? FORMS : OF_DEVICE); form++)
        compare(k, (enum form)form, evaluator, parameters, bodies);
    ky_evaluator_close(evaluator);
}

/* ---- tests ---- */

static void forces_are_those_of_the_host(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 3, 777, 5000};
    for (int k = 0; k < engine_count; k++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            struct ky_snapshot snapshot;
            ky_snapshot_clear(&snapshot);
            if (sizes[s])
                model("plummer", sizes[s], 0.01, &snapshot);
            const struct ky_parameters direct = parameters_of(k, KY_DIRECT),
                                       tree = parameters_of(k, KY_TREE);
            compare_forms(k, &direct, &snapshot.bodies);
            if (sizes[s] > 100)
                compare_forms(k, &tree, &snapshot.bodies);
            ky_snapshot_free(&snapshot);
        }
}

/* Bodies with their own softenings and unequal masses, at one place, far away, and without mass. */
static void uncommon_bodies_too(void **state)
{
    (void)state;
    struct ky_error error;
    for (int k = 0; k < engine_count; k++)
        for (int which = 0; which < 5; which++) {
            struct ky_snapshot snapshot;
            struct ky_parameters parameters = parameters_of(k, which % 2 ? KY_DIRECT : KY_TREE);
            model("plummer", 1001, 0.01, &snapshot);
            struct ky_bodies *bodies = &snapshot.bodies;
            assert_ok(ky_bodies_extend(bodies, KY_WITH_SOFTENING, &error));
            for (size_t i = 0; i < bodies->n; i++) {
                bodies->softening[i] = 0.001 * (double)(i % 7 + 1);
                bodies->mass[i] *= (double)(i % 13 + 1) * (which == 2 && i % 3 == 0 ? 0 : 1);
                for (int c = 0; c < 3; c++)
                    bodies->position[i][c] *= which == 3 ? 1e-9 : which == 4 ? 0 : 1;
            }
            bodies->position[17][1] = which == 1 ? 1e6 : bodies->position[17][1];
            if (which < 3)
                parameters.softening = (double)NAN;
            compare_forms(k, &parameters, bodies);
            parameters.force = parameters.force == KY_TREE ? KY_DIRECT : KY_TREE;
            compare_forms(k, &parameters, bodies);
            ky_snapshot_free(&snapshot);
        }
}

/* Numbers that ky_forces refuses are refused in the same words. */
static void wrong_numbers_are_named(void **state)
{
    (void)state;
    for (int k = 0; k < engine_count; k++)
        for (int which = 0; which < 5; which++) {
            struct ky_snapshot snapshot;
            const struct ky_parameters parameters = parameters_of(k, KY_DIRECT);
            model("plummer", 300, 0.01, &snapshot);
            if (which == 0)
                snapshot.bodies.mass[123] = -1;
            else if (which == 1)
                snapshot.bodies.position[299][2] = (double)NAN;
            else if (which == 2)
                snapshot.bodies.position[5][0] = (double)INFINITY;
            else if (which == 3)
                snapshot.bodies.mass[0] = (double)NAN;
            else
                snapshot.bodies.position[77][0] = 1e15;
            compare_forms(k, &parameters, &snapshot.bodies);
            ky_snapshot_free(&snapshot);
        }
}

/* An engine that is kept computes what a new one does, whatever it has computed before. */
static void what_was_before_does_not_matter(void **state)
{
    (void)state;
    static const size_t sizes[] = {2000, 2000, 500, 2000, 2000};
    struct ky_error error;
    for (int k = 0; k < engine_count; k++) {
        struct ky_evaluator *evaluator;
        struct ky_parameters parameters = parameters_of(k, KY_TREE);
        assert_ok(ky_evaluator_open(&evaluator, &error));
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            struct ky_snapshot snapshot;
            model(s % 2 ? "plummer" : "hernquist", sizes[s], 0.01, &snapshot);
            for (size_t i = 0; s == 3 && i < sizes[s]; i++)
                for (int c = 0; c < 3; c++)
                    snapshot.bodies.position[i][c] *= 1e4;
            if (s == 1)
                snapshot.bodies.mass[9] = 0;
            compare(k, OF_HOST, evaluator, &parameters, &snapshot.bodies);
            if (has_lender(k))
                compare(k, OF_DEVICE, evaluator, &parameters, &snapshot.bodies);
            parameters.alpha = s == 3 ? 0.001 : parameters.alpha;
            ky_snapshot_free(&snapshot);
        }
        ky_evaluator_close(evaluator);
    }
}

/* External fields and an error asked for, whose engines are not kept. */
static void other_parameters_work_too(void **state)
{
    (void)state;
    for (int k = 0; k < engine_count; k++) {
        struct ky_snapshot snapshot;
        struct ky_parameters parameters = parameters_of(k, KY_DIRECT);
        model("plummer", 300, 0.01, &snapshot);
        parameters.field = "plummer:mass=1,scale=2";
        compare_forms(k, &parameters, &snapshot.bodies);
        parameters.field = NULL;
        parameters.error = 1e-3;
        compare_forms(k, &parameters, &snapshot.bodies);
        ky_snapshot_free(&snapshot);
    }
}

static void fields_are_those_of_the_host(void **state)
{
    (void)state;
    struct ky_error error;
    enum { POINTS = 50 };
    for (int k = 0; k < engine_count; k++)
        for (int form = 0; form < (has_lender(k) ? FORMS : OF_DEVICE); form++) {
            const struct ky_parameters parameters = parameters_of(k, KY_DIRECT);
            struct ky_evaluator *evaluator;
            struct ky_snapshot snapshot, at;
            struct lender lender;
            double a[2][POINTS][3], p[2][POINTS];
            model("plummer", 500, 0.01, &snapshot);
            model("hernquist", POINTS, 0.01, &at);
            for (size_t i = 0; i < 500 && is_single((enum form)form); i++) {
                snapshot.bodies.mass[i] = (double)(float)snapshot.bodies.mass[i];
                for (int c = 0; c < 3; c++)
                    snapshot.bodies.position[i][c] = (double)(float)snapshot.bodies.position[i][c];
            }
            for (size_t i = 0; i < POINTS; i++)
                for (int c = 0; c < 3; c++)
                    at.bodies.position[i][c] = (double)(float)at.bodies.position[i][c];
            open_lender(k, &lender);
            struct ky_array_bodies bodies = arrays_of((enum form)form, &lender, &snapshot.bodies),
                                   points = arrays_of((enum form)form, &lender, &at.bodies);
            assert_ok(ky_evaluator_open(&evaluator, &error));
            assert_ok(ky_evaluator_field(evaluator, &parameters, &bodies, &points, 0.02, &error));
            assert_ok(ky_field(&parameters, &snapshot.bodies, POINTS,
                               (const double(*)[3])at.bodies.position, 0.02, a[0], p[0], &error));
            numbers_of((enum form)form, &lender, &points.acceleration, 3 * POINTS, a[1][0]);
            numbers_of((enum form)form, &lender, &points.potential, POINTS, p[1]);
            for (size_t i = 0; i < POINTS; i++)
                for (int c = 0; c < 3; c++) {
                    const int single = is_single((enum form)form);
                    assert_true(a[1][i][c] == (single ? (double)(float)a[0][i][c] : a[0][i][c]));
                    assert_true(p[1][i] == (single ? (double)(float)p[0][i] : p[0][i]));
                }
            ky_evaluator_close(evaluator);
            free_arrays((enum form)form, &bodies);
            free_arrays((enum form)form, &points);
            close_lender(&lender);
            ky_snapshot_free(&snapshot);
            ky_snapshot_free(&at);
        }
}

/* The arrays of a simulation, also after steps that have sorted the bodies. */
static void simulations_fill_arrays(void **state)
{
    (void)state;
    static const int schemes[] = {KY_LEAPFROG, KY_BLOCK_STEPS, KY_HERMITE4};
    struct ky_error error;
    for (int k = 0; k < engine_count; k++)
        for (int s = 0; s < 3; s++)
            for (int form = 0; form < (has_lender(k) ? FORMS : OF_DEVICE); form++) {
                struct ky_snapshot snapshot;
                struct ky_sim *sim;
                struct lender lender;
                struct ky_parameters parameters =
                    parameters_of(k, schemes[s] == KY_HERMITE4 ? KY_DIRECT : KY_TREE);
                parameters.integrator = schemes[s];
                parameters.step = 1.0 / 64;
                model("plummer", 333, 0.01, &snapshot);
                assert_ok(ky_sim_open(&parameters, &snapshot.bodies, 0, &sim, &error));
                assert_ok(ky_sim_advance(sim, 1, &error));
                assert_ok(ky_bodies_extend(&snapshot.bodies,
                                           KY_WITH_ACCELERATION | KY_WITH_POTENTIAL, &error));
                assert_ok(ky_sim_bodies(sim, &snapshot.bodies, &error));
                open_lender(k, &lender);
                struct ky_array_bodies wanted =
                    arrays_of((enum form)form, &lender, &snapshot.bodies);
                const double *of[] = {(double *)snapshot.bodies.position,
                                      (double *)snapshot.bodies.velocity, snapshot.bodies.mass,
                                      (double *)snapshot.bodies.acceleration,
                                      snapshot.bodies.potential};
                void *nothing = calloc(3 * 333, sizeof(double));
                wanted.velocity = form_of((enum form)form, &lender, nothing, 3 * 333);
                const struct ky_numbers *to[] = {&wanted.position, &wanted.velocity, &wanted.mass,
                                                 &wanted.acceleration, &wanted.potential};
                assert_ok(ky_sim_arrays(sim, &wanted, &error));
                for (int a = 0; a < 5; a++) {
                    const size_t count = 333 * (a == 2 || a == 4 ? 1 : 3);
                    double found[3 * 333];
                    numbers_of((enum form)form, &lender, to[a], count, found);
                    for (size_t i = 0; i < count; i++)
                        assert_true(
                            found[i] ==
                            (is_single((enum form)form) ? (double)(float)of[a][i] : of[a][i]));
                }
                wanted.n = 332;
                assert_int_equal(ky_sim_arrays(sim, &wanted, &error), KY_USAGE);
                if (form < OF_DEVICE)
                    free(wanted.velocity.data);
                free(nothing);
                free_arrays((enum form)form, &wanted);
                close_lender(&lender);
                ky_sim_close(sim);
                ky_snapshot_free(&snapshot);
            }
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    struct ky_error error = {.text = ""};
    struct ky_evaluator *evaluator;
    struct ky_parameters parameters;
    double x[2][3] = {{0, 0, 0}, {1, 0, 0}}, a[2][3];
    struct ky_array_bodies bodies = {.n = 2, .equal_mass = 1};
    ky_parameters_defaults(&parameters);
    parameters.engine = "cpu";
    parameters.softening = 0;
    assert_ok(ky_evaluator_open(&evaluator, &error));
    assert_int_equal(ky_evaluator_forces(evaluator, &parameters, &bodies, NULL, &error), KY_USAGE);
    assert_non_null(strstr(error.text, "no positions"));
    bodies.position.data = x;
    bodies.acceleration.data = a;
    assert_ok(ky_evaluator_forces(evaluator, &parameters, &bodies, NULL, &error));
    assert_true(a[0][0] == 1 && a[1][0] == -1);
    bodies.on_device = 1;
    assert_int_equal(ky_evaluator_forces(evaluator, &parameters, &bodies, NULL, &error),
                     KY_UNSUPPORTED);
    assert_non_null(strstr(error.text, "use engine cuda"));
    bodies.on_device = 0;
    bodies.position.number = 7;
    assert_int_equal(ky_evaluator_forces(evaluator, &parameters, &bodies, NULL, &error), KY_USAGE);
    bodies.position.number = KY_FLOAT64;
    parameters.softening = (double)NAN;
    assert_int_equal(ky_evaluator_forces(evaluator, &parameters, &bodies, NULL, &error), KY_USAGE);
    assert_int_equal(ky_evaluator_forces(NULL, &parameters, &bodies, NULL, &error), KY_USAGE);
    assert_int_equal(ky_evaluator_forces(evaluator, NULL, &bodies, NULL, &error), KY_USAGE);
    assert_int_equal(ky_evaluator_forces(evaluator, &parameters, NULL, NULL, &error), KY_USAGE);
    ky_evaluator_close(evaluator);
    ky_evaluator_close(NULL);
    /* the CPU's memory is no memory of a CUDA device */
    for (int k = 0; k < engine_count; k++)
        if (!strncmp(engines[k].engine, "cuda", 4)) {
            parameters.softening = 0;
            parameters.engine = engines[k].engine;
            bodies.on_device = 1;
            assert_ok(ky_evaluator_open(&evaluator, &error));
            assert_int_equal(ky_evaluator_forces(evaluator, &parameters, &bodies, NULL, &error),
                             KY_USAGE);
            assert_non_null(strstr(error.text, "not in the memory"));
            ky_evaluator_close(evaluator);
        }
}

/* Arrays of one CUDA device are refused by the engine of another one, with both names. */
static void arrays_of_another_device_are_refused(void **state)
{
    (void)state;
    static const double x[2][3] = {{0, 0, 0}, {1, 0, 0}};
    for (int k = 0; k < engine_count; k++)
        for (int other = 0; other < engine_count; other++) {
            struct ky_error error = {.text = ""};
            struct ky_evaluator *evaluator;
            struct lender lender;
            const struct ky_parameters parameters = parameters_of(other, KY_DIRECT);
            if (k == other || strncmp(engines[k].engine, "cuda", 4) ||
                strncmp(engines[other].engine, "cuda", 4))
                continue;
            open_lender(k, &lender);
            const struct ky_array_bodies given = {.size = sizeof given,
                                                  .n = 2,
                                                  .on_device = 1,
                                                  .equal_mass = 1,
                                                  .position.data = lend(&lender, x, sizeof x)};
            assert_ok(ky_evaluator_open(&evaluator, &error));
            assert_int_equal(ky_evaluator_forces(evaluator, &parameters, &given, NULL, &error),
                             KY_USAGE);
            assert_non_null(strstr(error.text, engines[k].engine));
            assert_non_null(strstr(error.text, engines[other].engine));
            ky_evaluator_close(evaluator);
            close_lender(&lender);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_those_of_the_host),
        cmocka_unit_test(uncommon_bodies_too),
        cmocka_unit_test(wrong_numbers_are_named),
        cmocka_unit_test(what_was_before_does_not_matter),
        cmocka_unit_test(other_parameters_work_too),
        cmocka_unit_test(fields_are_those_of_the_host),
        cmocka_unit_test(simulations_fill_arrays),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(arrays_of_another_device_are_refused),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
