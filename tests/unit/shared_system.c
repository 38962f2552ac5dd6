/* Engines that share one system. Each holds some of the bodies, and together they do the work of
 * one engine with all bodies. */
#include "test.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "clouds.h"
#include "engine/common/force_kinds.h"
#include "engine/common/sums.h"
#include "engine/common/trees.h"
#include "engines.h"
#include "octree/decide.h"
#include "physics/fmm.h"

static struct ky_error error;

/* ---- parts of cases ---- */

/* The n bodies from `first` on, in the arrays of `all`. */
static struct ky_bodies part_of(const struct ky_bodies *all, size_t first, size_t n)
{
    return (struct ky_bodies){.size = sizeof *all,
                              .n = n,
                              .softening = all->softening ? all->softening + first : NULL,
                              .mass = all->mass + first,
                              .position = all->position + first,
                              .velocity = all->velocity + first,
                              .acceleration = all->acceleration + first,
                              .potential = all->potential + first};
}

static struct ky_engine *open_with(const struct ky_parameters *parameters,
                                   const struct ky_engine_frame *frame,
                                   const struct ky_bodies *bodies)
{
    struct ky_engine *engine;
    assert_ok(ky_engine_open(parameters, bodies->n, &engine, &error));
    assert_ok(ky_engine_set_frame(engine, frame, &error));
    assert_ok(ky_engine_put(engine, bodies, &error));
    return engine;
}

/* ---- sums ---- */

/* The field of a fixed mass. */
static const struct ky_external field = {.kind = KY_EXTERNAL_POINT, .number = {2, 0.1}};

static void add_sums(struct ky_engine *engine, struct ky_raw_sums *raw)
{
    struct ky_partial_sums parts;
    assert_ok(ky_engine_set_fields(engine, &field, 1, &error));
    assert_ok(ky_engine_partial_sums(engine, &parts, &error));
    ky_sums_add(raw, &parts);
    free(parts.of);
    ky_engine_close(engine);
}

/* The sums of all bodies. The first `cut` bodies are on one engine, the others on another. */
static struct ky_sums of_two(const struct ky_parameters parameters[2],
                             const struct ky_engine_frame *frame, const struct ky_bodies *all,
                             size_t cut)
{
    struct ky_raw_sums raw = {.of = {0}};
    struct ky_sums sums;
    const struct ky_bodies one = part_of(all, 0, cut), other = part_of(all, cut, all->n - cut);
    add_sums(open_with(&parameters[0], frame, &one), &raw);
    add_sums(open_with(&parameters[1], frame, &other), &raw);
    ky_sums_finish(&raw, &sums);
    return sums;
}

static void expect_near(const struct ky_sums *a, const struct ky_sums *b, double limit)
{
    const double *x = &a->mass, *y = &b->mass;
    const size_t numbers = (sizeof *a - offsetof(struct ky_sums, mass)) / sizeof *x;
    for (size_t k = 0; k < numbers; k++)
        assert_between(x[k], y[k] - limit * (fabs(y[k]) + 1), y[k] + limit * (fabs(y[k]) + 1));
}

/* Sums of two devices have the bits of one where their bodies begin at whole chunks, also if their
 * units differ. Those of the CPU are rounded once for each engine. */
static void expect_same(const struct ky_sums *a, const struct ky_sums *b, const char *engine)
{
    if (strcmp(engine, "cpu") == 0)
        expect_near(a, b, 1e-15);
    else
        assert_memory_equal(a, b, sizeof *a);
}

static void sums_of_two_engines(void **state)
{
    (void)state;
    enum { N = 2 * KY_SUM_CHUNK + 300 };
    struct ky_bodies bodies = cloud_make(PLUMMER, N);
    for (size_t i = 0; i < N; i++) { /* the parts differ in size, and so in units */
        for (int c = 0; c < 3; c++) {
            bodies.position[i][c] *= i < KY_SUM_CHUNK ? 1 : 4;
            bodies.acceleration[i][c] = -bodies.position[i][c] * (1 + 0.1 * c);
        }
        bodies.potential[i] = -1 - 0.5 * bodies.position[i][0];
    }
    for (int k = 0; k < engine_count; k++) {
        struct ky_parameters parameters[2] = {cloud_parameters(), cloud_parameters()};
        parameters[0].engine = parameters[1].engine = engines[k].engine;
        parameters[0].precision = parameters[1].precision = KY_EXTENDED;
        parameters[0].force = parameters[1].force = KY_DIRECT;
        for (int part = 0; part < 2; part++)
            assert_ok(ky_force_resolve(&parameters[part], &parameters[part], &error));
        struct ky_engine *whole = open_with(&parameters[0], NULL, &bodies);
        const struct ky_engine_frame frame = ky_engine_units_of(whole);
        struct ky_sums one, two;
        assert_ok(ky_engine_set_fields(whole, &field, 1, &error));
        assert_ok(ky_engine_sums(whole, &one, &error));
        ky_engine_close(whole);
        two = of_two(parameters, &frame, &bodies, KY_SUM_CHUNK);
        expect_same(&one, &two, parameters[0].engine);
        two = of_two(parameters, NULL, &bodies, KY_SUM_CHUNK);
        expect_same(&one, &two, parameters[0].engine);
        two = of_two(parameters, NULL, &bodies, 0);
        expect_same(&one, &two, parameters[0].engine);
        two = of_two(parameters, NULL, &bodies, 1000);
        expect_near(&one, &two, 1e-11);
        parameters[1].engine = "cpu"; /* its units are chosen in another way */
        two = of_two(parameters, NULL, &bodies, KY_SUM_CHUNK);
        expect_near(&one, &two, 1e-6);
    }
    ky_bodies_free(&bodies);
}

/* ---- sources of another engine ---- */

/* A system whose first half lies on one side of the middle along x. */
static struct ky_bodies divided(enum cloud kind, size_t n, int own_softening)
{
    struct ky_bodies bodies = cloud_make(kind, n);
    for (size_t i = 0; kind == CUBE && i < n; i++) /* a lattice */
        for (size_t c = 0, k = i; c < 3; c++, k /= 12)
            bodies.position[i][c] = 0.25 * (double)(k % 12) - 1.4;
    qsort(bodies.position, n, sizeof *bodies.position, ky_order_reals);
    bodies.softening = own_softening ? malloc(n * sizeof *bodies.softening) : NULL;
    for (size_t i = 0; own_softening && i < n; i++)
        bodies.softening[i] = 0.01 + 0.02 * (double)(i % 7);
    return bodies;
}

/* A tree on its way to another engine. */
struct letter {
    struct ky_cell_centre *centre;
    struct ky_low *low;
    struct ky_cell_link *link;
    struct ky_cell_box *box;
    float *moment;
    unsigned char *children;
    uint32_t *cell; /* the cells of the sender's tree */
    double (*position)[3], *mass, *softening;
    struct ky_foreign foreign;
};

static void drop(struct letter *letter)
{
    free(letter->centre), free(letter->low), free(letter->link), free(letter->box);
    free(letter->moment), free(letter->children), free(letter->cell), free(letter->position),
        free(letter->mass);
    free(letter->softening);
}

static struct letter empty_letter(const struct ky_octree *tree, int own_softening)
{
    struct letter letter = {.centre = malloc(tree->nodes * sizeof *letter.centre),
                            .low = malloc(tree->nodes * sizeof *letter.low),
                            .link = malloc(tree->nodes * sizeof *letter.link),
                            .box = malloc(tree->nodes * sizeof *letter.box),
                            .moment = malloc(tree->nodes * tree->moments * sizeof(float)),
                            .children = malloc(tree->nodes),
                            .cell = malloc(tree->nodes * sizeof *letter.cell),
                            .position = malloc(tree->n * sizeof *letter.position),
                            .mass = malloc(tree->n * sizeof *letter.mass)};
    letter.softening = own_softening ? malloc(tree->n * sizeof *letter.softening) : NULL;
    letter.foreign = (struct ky_foreign){.position = (const double(*)[3])letter.position,
                                         .mass = letter.mass,
                                         .softening = letter.softening,
                                         .cells = {.centre = letter.centre,
                                                   .low = letter.low,
                                                   .link = letter.link,
                                                   .box = letter.box,
                                                   .moment = letter.moment,
                                                   .children = letter.children}};
    return letter;
}

/* The box of the receiver's bodies, relative to the tree's origin, and the numbers of its sinks
 * that decide which cells are opened. */
struct receiver {
    double middle[3], factor, eps2;
    float half[3];
    int order;                   /* of the expansions, where cells act on cells; else 0 */
    struct ky_fmm_limits limits; /* for cells that act on each of the sinks */
};

/* 1 if a sink of the receiver may open the cell. Where cells act on cells, a cell that may act on
 * each sink by itself need not be opened. */
static int opens(const struct ky_octree *tree, uint32_t cell, const struct receiver *to)
{
    double d[3], radius2 = 0;
    ky_cell_apart(tree, cell, to->middle, d);
    if (!to->order)
        return ky_octree_must_open(tree, cell, d, to->half, to->factor, to->eps2);
    const float *below = tree->box[cell].below, *above = tree->box[cell].above,
                *moment = tree->moment + cell * tree->moments;
    for (int c = 0; c < 3; c++)
        radius2 += pow((double)fmaxf(below[c], above[c]), 2);
    const float d2 = ky_opening_distance2((struct ky_opening_apart){
        (float)d[0], (float)d[1], (float)d[2], to->half[0], to->half[1], to->half[2]});
    return !ky_fmm_acts(sqrtf(d2), (float)sqrt(radius2),
                        (float)ky_cell_mean_radius(moment, to->order), moment[KY_MOMENT_MASS],
                        to->limits, 3);
}

static size_t closed_cells; /* in all letters */

static void send_leaf(struct letter *letter, const struct ky_octree *tree,
                      const struct ky_bodies *bodies, struct ky_cell_link *link)
{
    const size_t first = link->body;
    link->body = (unsigned)letter->foreign.n;
    for (size_t k = first; k < first + link->bodies; k++) {
        const size_t to = letter->foreign.n++, i = tree->order[k];
        memcpy(letter->position[to], bodies->position[i], sizeof *letter->position);
        letter->mass[to] = bodies->mass[i];
        if (letter->softening)
            letter->softening[to] = bodies->softening[i];
    }
}

/* A letter for the receiver. It has the cells that the receiver may have to open, and the cells
 * just below them, which are sent closed. */
static struct letter make_letter(const struct ky_octree *tree, const struct ky_bodies *bodies,
                                 const struct receiver *receiver)
{
    struct letter letter = empty_letter(tree, bodies->softening != NULL);
    size_t count = 1;
    letter.cell[0] = 0;
    for (size_t k = 0; k < count; k++) {
        const uint32_t cell = letter.cell[k];
        struct ky_cell_link *link = &letter.link[k];
        letter.centre[k] = tree->centre[cell];
        letter.low[k] = tree->low[cell];
        letter.box[k] = tree->box[cell];
        letter.children[k] = 0;
        *link = tree->link[cell];
        memcpy(letter.moment + k * tree->moments, tree->moment + cell * tree->moments,
               tree->moments * sizeof(float));
        if (!opens(tree, cell, receiver)) {
            link->more = KY_NO_LINK;
            link->bodies = KY_CLOSED_CELL;
            closed_cells++;
        } else if (link->more == KY_NO_LINK) {
            send_leaf(&letter, tree, bodies, link);
        } else {
            for (uint32_t c = 0; c < tree->children[cell]; c++)
                letter.cell[count + c] = link->more + c;
            letter.children[k] = tree->children[cell];
            link->more = (unsigned)count;
            count += tree->children[cell];
        }
    }
    letter.foreign.cells.count = count;
    return letter;
}

/* The tree that an engine with these bodies has. */
static struct ky_octree tree_of(const struct ky_bodies *bodies,
                                const struct ky_parameters *parameters,
                                const struct ky_engine_frame *frame)
{
    const size_t n = bodies->n;
    double *column = malloc(5 * n * sizeof *column);
    struct ky_octree_bodies view = {.n = n,
                                    .x = column,
                                    .y = column + n,
                                    .z = column + 2 * n,
                                    .mass = column + 3 * n,
                                    .softening = bodies->softening ? column + 4 * n : NULL};
    struct ky_octree tree;
    for (size_t i = 0; i < n; i++) {
        for (size_t c = 0; c < 3; c++)
            column[c * n + i] = bodies->position[i][c] / frame->length;
        column[3 * n + i] = bodies->mass[i] / frame->mass;
        column[4 * n + i] = bodies->softening ? bodies->softening[i] / frame->length : 0;
    }
    ky_tree_frame(frame, frame->length, &view);
    ky_octree_init(&tree);
    assert_ok(ky_octree_build(&tree, &view, parameters, &error));
    free(column);
    return tree;
}

static struct receiver receiver_of(const struct ky_bodies *bodies,
                                   const struct ky_parameters *parameters,
                                   const struct ky_engine_frame *frame)
{
    struct receiver receiver = {.factor = 1};
    double least = (double)INFINITY, most = bodies->softening ? 0 : parameters->softening;
    for (int c = 0; c < 3; c++) {
        double low = (double)INFINITY, high = -low;
        for (size_t i = 0; i < bodies->n; i++) {
            low = fmin(low, bodies->position[i][c]);
            high = fmax(high, bodies->position[i][c]);
        }
        receiver.middle[c] = (0.5 * (low + high) - frame->origin[c]) / frame->length;
        receiver.half[c] = (float)(0.5 * (high - low) / frame->length * (1 + KY_OPENING_SLACK));
    }
    for (size_t i = 0; i < bodies->n; i++) {
        const double *a = bodies->acceleration[i];
        least = fmin(least, sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]));
        most = bodies->softening ? fmax(most, bodies->softening[i]) : most;
    }
    if (parameters->opening == KY_RELATIVE)
        receiver.factor = ky_opening_relative_factor(
            parameters->alpha, least * frame->length * frame->length / frame->mass,
            parameters->multipole);
    receiver.eps2 = most * most / frame->length / frame->length;
    if (ky_force_kind(parameters->force)->expands) {
        const double a = least * frame->length * frame->length / frame->mass;
        receiver.order = parameters->order;
        receiver.limits =
            (struct ky_fmm_limits){.angle = KY_FMM_ANGLE,
                                   .error = (float)(parameters->alpha * a),
                                   .most = INFINITY,
                                   .hold = parameters->softening_kind == KY_SPLINE
                                               ? sqrtf(ky_opening_reach2((float)receiver.eps2, 0))
                                               : 0};
    }
    return receiver;
}

/* The letter from an engine with these bodies to a receiver. */
static struct letter letter_of(const struct ky_parameters *parameters,
                               const struct ky_engine_frame *frame, const struct ky_bodies *from,
                               const struct ky_bodies *to)
{
    struct letter letter = {.foreign = {.n = from->n,
                                        .position = (const double(*)[3])from->position,
                                        .mass = from->mass,
                                        .softening = from->softening}};
    if (parameters->force == KY_DIRECT)
        return letter;
    const struct ky_parameters of_tree = ky_force_tree(parameters);
    struct ky_octree tree = tree_of(from, &of_tree, frame);
    const struct receiver receiver = receiver_of(to, parameters, frame);
    letter = make_letter(&tree, from, &receiver);
    ky_octree_free(&tree);
    return letter;
}

/* Forces of all bodies on one half of them, on an engine that holds this half. The other half is on
 * two engines. */
static void forces_of_half(const struct ky_parameters *parameters,
                           const struct ky_engine_frame *frame, const struct ky_bodies *all,
                           int half)
{
    const size_t cut = all->n / 2, quarter = cut / 2, first = half ? 0 : cut;
    struct ky_bodies own = part_of(all, cut - first, cut),
                     others[] = {part_of(all, first, quarter),
                                 part_of(all, first + quarter, cut - quarter)};
    struct ky_engine *engine = open_with(parameters, frame, &own);
    struct letter letters[] = {letter_of(parameters, frame, &others[0], &own),
                               letter_of(parameters, frame, &others[1], &own)};
    const struct ky_foreign foreign[] = {letters[0].foreign, letters[1].foreign};
    assert_ok(ky_engine_foreign(engine, foreign, 2, &error));
    assert_ok(ky_engine_forces(engine, &error));
    assert_ok(ky_engine_get(engine, &own, &error));
    ky_engine_close(engine);
    drop(&letters[0]);
    drop(&letters[1]);
}

static void expect_like(const struct ky_parameters *p, struct cloud_error own,
                        struct cloud_error whole)
{
    const double limit = p->force != KY_DIRECT ? 0 : p->precision == KY_DOUBLE ? 1e-11 : 1e-5;
    if (!(own.median <= 2 * whole.median + limit && own.p99 <= 2 * whole.p99 + limit &&
          own.max <= 3 * whole.max + limit &&
          own.potential_p99 <= 2.5 * whole.potential_p99 + limit))
        fail_msg("force %d, opening %d, order %d, precision %d, kind %d: errors %g %g %g %g in "
                 "halves, %g %g %g %g of the whole",
                 p->force, p->opening, p->multipole, p->precision, p->softening_kind, own.median,
                 own.p99, own.max, own.potential_p99, whole.median, whole.p99, whole.max,
                 whole.potential_p99);
}

/* A frame for these bodies: their units, a cube around them, and an origin in their midst. */
static struct ky_engine_frame frame_of(const struct ky_parameters *parameters,
                                       const struct ky_bodies *bodies)
{
    struct ky_engine *engine = open_with(parameters, NULL, bodies);
    struct ky_engine_frame frame = ky_engine_units_of(engine);
    ky_engine_close(engine);
    for (int c = 0; c < 3; c++)
        frame.low[c] = -16;
    frame.edge = 32;
    frame.origin[0] = 0.25;
    return frame;
}

static void forces_of_all(const struct ky_parameters *parameters,
                          const struct ky_engine_frame *frame, struct ky_bodies *all,
                          struct ky_bodies *exact)
{
    struct ky_engine *engine = open_with(parameters, frame, all);
    size_t *sinks = malloc(all->n * sizeof *sinks);
    for (size_t i = 0; i < all->n; i++)
        sinks[i] = i;
    assert_ok(ky_engine_forces(engine, &error));
    assert_ok(ky_engine_get(engine, all, &error));
    assert_ok(
        ky_engine_exact(engine, sinks, all->n, exact->acceleration, exact->potential, &error));
    ky_engine_close(engine);
    free(sinks);
}

/* Fails unless errors against the exact sum are as small as those of an engine with all bodies. */
static void compare_halves(const struct ky_parameters *given, enum cloud kind, size_t n)
{
    const int own_softening = given->softening_kind == KY_SYMMETRIC;
    struct ky_parameters parameters;
    struct ky_bodies all = divided(kind, n, own_softening), exact = cloud_make(kind, n);
    assert_ok(ky_force_resolve(given, &parameters, &error));
    const struct ky_engine_frame frame = frame_of(&parameters, &all);
    forces_of_all(&parameters, &frame, &all, &exact);
    const struct cloud_error whole = cloud_compare(&all, &exact);
    forces_of_half(&parameters, &frame, &all, 0);
    forces_of_half(&parameters, &frame, &all, 1);
    expect_like(&parameters, cloud_compare(&all, &exact), whole);
    ky_bodies_free(&all);
    ky_bodies_free(&exact);
}

static void forces_from_another_engine(void **state)
{
    (void)state;
    static const int forces[] = {KY_DIRECT, KY_TREE, KY_WALK, KY_FMM},
                     openings[] = {KY_OFFSET, KY_MINIMUM, KY_RELATIVE},
                     kinds[] = {KY_PLUMMER, KY_SYMMETRIC, KY_SPLINE};
    for (int k = 0; k < 144; k++) {
        struct ky_parameters given = cloud_parameters();
        given.force = forces[k % 4];
        given.opening = openings[k / 4 % 3];
        given.softening_kind = kinds[k / 12 % 3];
        given.softening = given.softening_kind == KY_SPLINE ? 0.2 : 0.01;
        given.multipole = 1 + k / 36 % 2;
        given.order = 2 + k / 4 % 5;
        given.precision = k / 72 ? KY_DOUBLE : KY_SINGLE;
        compare_halves(&given, (k + k / 4) % 2 ? PLUMMER : CUBE, 12 * 12 * 12);
    }
    printf("# %zu closed cells\n", closed_cells);
    assert_true(closed_cells > 1000);
}

/* A closed cell acts as a whole on every sink, also on a sink that the sender did not know. */
static void closed_cells_stay_closed(void **state)
{
    (void)state;
    enum { N = 200 };
    static const int forces[] = {KY_DIRECT, KY_TREE, KY_WALK, KY_FMM};
    enum { FORCES = sizeof forces / sizeof *forces };
    struct ky_bodies all = divided(PLUMMER, N, 0), result[FORCES];
    const struct ky_bodies own = part_of(&all, 0, N / 2), other = part_of(&all, N / 2, N / 2);
    for (int k = 0; k < FORCES; k++) {
        struct ky_parameters given = cloud_parameters(), parameters;
        double centre[1][3], mass[1];
        struct ky_foreign foreign = {.n = 1, .position = (const double(*)[3])centre, .mass = mass};
        given.force = forces[k];
        given.opening = KY_OFFSET;
        given.theta = 0.01; /* everything is opened */
        if (forces[k] == KY_FMM)
            given.alpha = 1e-12;
        given.multipole = 1;
        given.precision = KY_DOUBLE;
        given.softening = 0.1;
        assert_ok(ky_force_resolve(&given, &parameters, &error));
        const struct ky_engine_frame frame = frame_of(&parameters, &all);
        const struct ky_parameters of_tree = ky_force_tree(&parameters);
        struct ky_octree tree = tree_of(&other, &of_tree, &frame);
        struct letter letter =
            make_letter(&tree, &other, &(struct receiver){.middle = {-1e9}, .factor = 1});
        assert_true(letter.foreign.cells.count == 1 && letter.foreign.n == 0);
        mass[0] = (double)tree.moment[0] * frame.mass;
        for (int c = 0; c < 3; c++)
            centre[0][c] = frame.length * ((double)tree.centre[0].x[c] + (double)tree.low[0].x[c] +
                                           tree.origin[c]);
        for (size_t m = KY_MOMENT_SECOND; m < KY_MOMENT_SECOND + 6 && m < tree.moments; m++)
            letter.moment[m] = 0; /* to act as a body */
        struct ky_engine *engine = open_with(&parameters, &frame, &own);
        assert_ok(ky_engine_forces(engine, &error)); /* last accelerations */
        assert_ok(ky_engine_foreign(engine, k ? &letter.foreign : &foreign, 1, &error));
        assert_ok(ky_engine_forces(engine, &error));
        result[k] = cloud_make(PLUMMER, N / 2);
        assert_ok(ky_engine_get(engine, &result[k], &error));
        ky_engine_close(engine);
        drop(&letter);
        ky_octree_free(&tree);
        assert_between(cloud_compare(&result[k], &result[0]).max, 0, 1e-6);
    }
    for (int k = 0; k < FORCES; k++)
        ky_bodies_free(&result[k]);
    ky_bodies_free(&all);
}

/* An engine without bodies gives the field of the bodies of another engine. */
static void field_without_own_bodies(void **state)
{
    (void)state;
    enum { N = 200 };
    static const int forces[] = {KY_DIRECT, KY_TREE, KY_WALK, KY_FMM};
    struct ky_bodies all = divided(PLUMMER, N, 0);
    const struct ky_bodies none = part_of(&all, 0, 0);
    const struct ky_points point = {1, (const double(*)[3]) & (double[3]){0.5, -1, 2}, 0.1, NULL,
                                    NULL};
    for (int k = 0; k < 4; k++) {
        struct ky_parameters given = cloud_parameters(), parameters;
        double a[2][1][3], p[2];
        given.force = forces[k];
        given.opening = KY_OFFSET;
        given.precision = KY_DOUBLE;
        assert_ok(ky_force_resolve(&given, &parameters, &error));
        const struct ky_engine_frame frame = frame_of(&parameters, &all);
        struct letter letter = letter_of(&parameters, &frame, &all, &all);
        struct ky_engine *engine[] = {open_with(&parameters, &frame, &all),
                                      open_with(&parameters, &frame, &none)};
        assert_ok(ky_engine_foreign(engine[1], &letter.foreign, 1, &error));
        for (int e = 0; e < 2; e++) {
            assert_ok(ky_engine_field(engine[e], &point, a[e], &p[e], &error));
            ky_engine_close(engine[e]);
        }
        assert_memory_equal(a[0], a[1], sizeof a[0]);
        assert_memory_equal(&p[0], &p[1], sizeof p[0]);
        drop(&letter);
    }
    ky_bodies_free(&all);
}

/* Engines refuse sources that they cannot take, and then have none. */
static void wrong_sources(void **state)
{
    (void)state;
    enum { N = 200 };
    const struct ky_seam seam = {0};
    struct ky_advance way = {.scheme = KY_SCHEME_BLOCK, .seam = &seam};
    struct ky_bodies all = divided(PLUMMER, N, 0);
    struct ky_parameters given = cloud_parameters(), parameters;
    struct ky_bodies own = part_of(&all, 0, N / 2), other = part_of(&all, N / 2, N / 2);
    own.acceleration = NULL;
    given.force = KY_WALK;
    given.opening = KY_RELATIVE;
    assert_ok(ky_force_resolve(&given, &parameters, &error));
    const struct ky_engine_frame frame = frame_of(&parameters, &all);
    struct ky_octree tree = tree_of(&other, &parameters, &frame);
    const struct receiver receiver = receiver_of(&other, &parameters, &frame); /* opens all */
    struct letter letter = make_letter(&tree, &other, &receiver);
    struct ky_foreign *foreign = &letter.foreign;
    const uint32_t last = (uint32_t)foreign->cells.count - 1;
    const struct ky_cell_link links[] = {{0, 0, 0, 1},
                                         {0, 2, 0, 1},
                                         {0, last + 1, 0, 1},
                                         {0, last, 0, 1},
                                         {0, KY_NO_LINK, 0, N + 1},
                                         {0, KY_NO_LINK, N, 1}};
    const struct ky_points point = {1, (const double(*)[3])all.position, 0.1, NULL, NULL};
    const size_t sink = 0;
    struct ky_engine *engine = open_with(&parameters, &frame, &own);
    for (size_t k = 0; k < sizeof links / sizeof *links; k++) {
        const uint32_t cell = k < 4 ? 0 : last;
        const struct ky_cell_link right = letter.link[cell];
        letter.link[cell] = links[k];
        assert_int_equal(ky_engine_foreign(engine, foreign, 1, &error), KY_BAD_DATA);
        letter.link[cell] = right;
    }
    letter.centre[last].x[1] = NAN;
    assert_int_equal(ky_engine_foreign(engine, foreign, 1, &error), KY_BAD_DATA);
    letter.centre[last].x[1] = 0;
    letter.moment[0] = INFINITY;
    assert_int_equal(ky_engine_foreign(engine, foreign, 1, &error), KY_BAD_DATA);
    letter.moment[0] = 1;
    foreign->cells.box = NULL;
    assert_int_equal(ky_engine_foreign(engine, foreign, 1, &error), KY_USAGE);
    foreign->cells.box = letter.box;
    letter.mass[3] = (double)NAN;
    assert_int_equal(ky_engine_foreign(engine, foreign, 1, &error), KY_BAD_DATA);
    letter.mass[3] = 1;
    assert_ok(ky_engine_foreign(engine, foreign, 1, &error));
    assert_int_equal(ky_engine_forces(engine, &error), KY_USAGE);
    assert_int_equal(ky_engine_field(engine, &point, NULL, NULL, &error), KY_UNSUPPORTED);
    assert_int_equal(ky_engine_exact(engine, &sink, 1, NULL, NULL, &error), KY_UNSUPPORTED);
    assert_ok(ky_engine_foreign(engine, NULL, 0, &error));
    assert_ok(ky_engine_forces(engine, &error));
    assert_int_equal(
        ky_engine_foreign(engine, &(struct ky_foreign){.n = 1, .mass = all.mass}, 1, &error),
        KY_USAGE);
    foreign->softening = letter.mass;
    assert_int_equal(ky_engine_foreign(engine, foreign, 1, &error), KY_USAGE);
    foreign->softening = NULL;
    foreign->cells.count = 0;
    assert_int_equal(ky_engine_foreign(engine, foreign, 1, &error), KY_USAGE);
    foreign->cells.count = last + 1;
    assert_ok(ky_engine_set_frame(engine, NULL, &error));
    assert_ok(ky_engine_put(engine, &own, &error));
    assert_int_equal(ky_engine_foreign(engine, foreign, 1, &error), KY_USAGE);
    ky_engine_close(engine);
    given.force = KY_DIRECT;
    assert_ok(ky_force_resolve(&given, &parameters, &error));
    engine = open_with(&parameters, &frame, &own);
    assert_int_equal(ky_engine_foreign(engine, foreign, 1, &error), KY_USAGE);
    ky_engine_close(engine);
    given.force = KY_DIRECT;
    for (int k = 0; k < engine_count; k++) {
        given.engine = engines[k].engine;
        assert_ok(ky_force_resolve(&given, &parameters, &error));
        engine = open_with(&parameters, NULL, &own);
        foreign->cells.count = 0;
        assert_int_equal(ky_engine_foreign(engine, foreign, 1, &error),
                         is_cpu_engine(k) ? KY_OK : KY_UNSUPPORTED);
        assert_int_equal(ky_engine_advance(engine, &way, &error),
                         is_cpu_engine(k) ? KY_USAGE : KY_UNSUPPORTED);
        assert_non_null(strstr(error.text, is_cpu_engine(k) ? "not opened" : "share a system"));
        ky_engine_close(engine);
    }
    drop(&letter);
    ky_octree_free(&tree);
    ky_bodies_free(&all);
}

/* ---- the seam ---- */

enum { SHARERS = 2 };

/* The place where the two engines meet, each in a thread of its own. */
struct table {
    pthread_barrier_t barrier;
    uint64_t number[SHARERS];
    const struct ky_foreign *own[SHARERS];
};

struct seat {
    struct table *table;
    int who;
    size_t meetings;
};

static enum ky_status least(void *context, uint64_t *number, struct ky_error *at)
{
    (void)at;
    struct seat *seat = context;
    struct table *table = seat->table;
    table->number[seat->who] = *number;
    seat->meetings++;
    pthread_barrier_wait(&table->barrier);
    for (int k = 0; k < SHARERS; k++)
        *number = table->number[k] < *number ? table->number[k] : *number;
    pthread_barrier_wait(&table->barrier);
    return KY_OK;
}

static enum ky_status exchange(void *context, struct ky_engine *engine,
                               const struct ky_foreign *own, struct ky_error *at)
{
    struct seat *seat = context;
    struct table *table = seat->table;
    table->own[seat->who] = own;
    pthread_barrier_wait(&table->barrier);
    const enum ky_status status = ky_engine_foreign(engine, table->own[1 - seat->who], 1, at);
    pthread_barrier_wait(&table->barrier);
    return status;
}

/* The part of a run that one engine does, and its results. */
struct run {
    const struct ky_parameters *parameters;
    const struct ky_engine_frame *frame;
    struct ky_bodies bodies;
    enum ky_scheme scheme;
    struct seat *seat; /* NULL: it has all bodies */
    struct ky_advance way;
    uint64_t strides;
    struct ky_raw_sums sums;
    enum ky_status status;
    struct ky_error error;
};

/* Sends the other engine this engine's bodies at their present positions. The last accelerations
 * and jerks are not sent. */
static enum ky_status meet(struct run *run, struct ky_engine *engine)
{
    const struct ky_bodies *b = &run->bodies;
    const struct ky_foreign own = {.n = b->n,
                                   .position = (const double(*)[3])b->position,
                                   .mass = b->mass,
                                   .softening = b->softening,
                                   .velocity = (const double(*)[3])b->velocity};
    return run->seat ? exchange(run->seat, engine, &own, &run->error) : KY_OK;
}

static enum ky_status go(struct run *run, struct ky_engine *engine)
{
    const struct ky_seam seam = {run->seat, least, exchange};
    run->way = (struct ky_advance){.scheme = run->scheme,
                                   .tick = 0x1p-12,
                                   .stride = 256,
                                   .most = UINT64_MAX,
                                   .eta = run->scheme == KY_SCHEME_BLOCK ? 0.1 : 0.01,
                                   .length = (double)NAN,
                                   .corrections = 2,
                                   .passed = {KY_NO_BODY, KY_NO_BODY},
                                   .close = KY_NO_BODY,
                                   .seam = run->seat ? &seam : NULL};
    enum ky_status status = ky_engine_forces(engine, &run->error);
    /* One call for each longest step, until a pair is too close. */
    for (uint64_t k = 0; k < run->strides && !status && run->way.now == run->way.until; k++) {
        run->way.until += run->way.stride;
        status = ky_engine_advance(engine, &run->way, &run->error);
    }
    return status;
}

static void *run_one(void *context)
{
    struct run *run = context;
    struct ky_bodies places = run->bodies;
    struct ky_engine *engine = NULL;
    struct ky_partial_sums parts = {.of = NULL};
    const struct ky_engine_use use = {.n = run->bodies.n, .schemes = 1U << run->scheme};
    places.potential = NULL;
    run->status = ky_engine_open_for(run->parameters, use.n, &use, &engine, &run->error);
    if (!run->status)
        run->status =
            ky_engine_columns(engine, 1U << KY_COLUMN_STEP | 1U << KY_COLUMN_JERK, &run->error);
    if (!run->status)
        run->status = ky_engine_set_frame(engine, run->frame, &run->error);
    if (!run->status)
        run->status = ky_engine_put(engine, &run->bodies, &run->error);
    if (!run->status)
        run->status = meet(run, engine);
    if (!run->status)
        run->status = go(run, engine);
    if (!run->status)
        run->status = ky_engine_get(engine, &places, &run->error);
    if (!run->status)
        run->status = meet(run, engine);
    if (!run->status)
        run->status = ky_engine_get(engine, &run->bodies, &run->error);
    if (!run->status)
        run->status = ky_engine_partial_sums(engine, &parts, &run->error);
    if (!run->status)
        ky_sums_add(&run->sums, &parts);
    free(parts.of);
    ky_engine_close(engine);
    return NULL;
}

static struct ky_sums finished(struct run run[], int count)
{
    struct ky_sums sums;
    struct ky_raw_sums raw = run[0].sums;
    for (int k = 1; k < count; k++)
        ky_sums_add(&raw, &(struct ky_partial_sums){run[k].sums.units, 1, &run[k].sums.of});
    ky_sums_finish(&raw, &sums);
    return sums;
}

/* Each engine moves its part of the bodies: the first `cut` of them, or the others. */
static void run_shared(struct run run[SHARERS], const struct run *whole, size_t cut)
{
    struct table table = {.number = {0}};
    struct seat seat[SHARERS] = {{&table, 0, 0}, {&table, 1, 0}};
    pthread_t thread[SHARERS];
    assert_int_equal(pthread_barrier_init(&table.barrier, NULL, SHARERS), 0);
    for (int k = 0; k < SHARERS; k++) {
        run[k] = *whole;
        run[k].bodies = part_of(&whole->bodies, k ? cut : 0, k ? whole->bodies.n - cut : cut);
        run[k].seat = &seat[k];
        assert_int_equal(pthread_create(&thread[k], NULL, run_one, &run[k]), 0);
    }
    for (int k = 0; k < SHARERS; k++) {
        assert_int_equal(pthread_join(thread[k], NULL), 0);
        if (run[k].status)
            fail_msg("%s", run[k].error.text);
    }
    assert_int_equal(seat[0].meetings, seat[1].meetings);
    pthread_barrier_destroy(&table.barrier);
}

/* The largest difference of a coordinate between two runs. */
static double apart(const struct ky_bodies *a, const struct ky_bodies *b)
{
    double most = 0;
    for (size_t i = 0; i < a->n; i++)
        for (int c = 0; c < 3; c++)
            most = fmax(most, fabs(a->position[i][c] - b->position[i][c]));
    return most;
}

static struct ky_bodies copy_of(const struct ky_bodies *from)
{
    struct ky_bodies to = cloud_make(PLUMMER, from->n);
    memcpy(to.mass, from->mass, to.n * sizeof *to.mass);
    memcpy(to.position, from->position, to.n * sizeof *to.position);
    memcpy(to.velocity, from->velocity, to.n * sizeof *to.velocity);
    to.softening = from->softening ? malloc(to.n * sizeof *to.softening) : NULL;
    if (to.softening)
        memcpy(to.softening, from->softening, to.n * sizeof *to.softening);
    return to;
}

/* The first `cut` bodies are on one engine, the others on another. Numbers of steps may differ by a
 * fraction `slack`, positions by `apart`. */
struct sharing {
    enum ky_scheme scheme;
    int precision;
    double softening;
    size_t cut;
    double slack, apart;
};

static void compare_runs(const struct sharing *sharing, const struct ky_bodies *start)
{
    const double slack = sharing->slack;
    struct ky_parameters given = cloud_parameters(), parameters;
    struct ky_bodies one = copy_of(start), two = copy_of(start);
    struct run run[SHARERS];
    given.force = KY_DIRECT;
    given.precision = sharing->precision;
    given.softening = sharing->softening;
    given.softening_kind = start->softening ? KY_SYMMETRIC : KY_PLUMMER;
    given.threads = 1;
    assert_ok(ky_force_resolve(&given, &parameters, &error));
    const struct ky_engine_frame frame = frame_of(&parameters, start);
    struct run whole = {.parameters = &parameters,
                        .frame = &frame,
                        .bodies = two,
                        .scheme = sharing->scheme,
                        .strides = 4};
    run_shared(run, &whole, sharing->cut);
    const struct ky_sums of_two = finished(run, SHARERS);
    whole.bodies = one;
    run_one(&whole);
    assert_int_equal(whole.status, KY_OK);
    const struct ky_sums of_one = finished(&whole, 1);
    printf("# %llu blocks, %g body steps, %g apart\n", (unsigned long long)whole.way.steps,
           whole.way.body_steps, apart(&one, &two));
    for (int k = 0; k < SHARERS; k++) {
        assert_true(run[k].way.now == whole.way.now && run[k].way.steps == run[0].way.steps);
        assert_between((double)run[k].way.steps, (1 - slack) * (double)whole.way.steps,
                       (1 + slack) * (double)whole.way.steps);
    }
    assert_between(run[0].way.body_steps + run[1].way.body_steps,
                   (1 - slack) * whole.way.body_steps, (1 + slack) * whole.way.body_steps);
    assert_true((whole.way.close == KY_NO_BODY) == (sharing->softening > 0 || slack > 0));
    assert_true(run[0].way.close == whole.way.close && run[1].way.close == KY_NO_BODY);
    assert_between(apart(&one, &two), 0, sharing->apart);
    expect_near(&of_one, &of_two, 10 * sharing->apart);
    ky_bodies_free(&one);
    ky_bodies_free(&two);
}

/* A sphere in which two of the first bodies fall towards each other. They get short steps, or
 * without softening come too close. */
static void steps_of_two_engines(void **state)
{
    (void)state;
    enum { N = 96 };
    static const struct sharing cases[] = {
        {KY_SCHEME_BLOCK, KY_DOUBLE, 0.02, 48, 0, 1e-10},
        {KY_SCHEME_HERMITE, KY_DOUBLE, 0.02, 48, 0, 1e-10},
        {KY_SCHEME_HERMITE, KY_EXTENDED, 0.02, 48, 0.05, 1e-5},
        {KY_SCHEME_BLOCK, KY_EXTENDED, 0.02, 7, 0.05, 1e-5},
        {KY_SCHEME_HERMITE, KY_DOUBLE, 0, 48, 0, 1e-10}, /* the pair comes too close */
        {KY_SCHEME_HERMITE, KY_DOUBLE, 0.02, 0, 0, 1e-10},
    };
    struct ky_bodies bodies = divided(PLUMMER, N, 0);
    for (size_t i = 0; i < N; i++)
        for (int c = 0; c < 3; c++)
            bodies.velocity[i][c] *= 0.4;
    for (int c = 0; c < 3; c++) {
        bodies.position[1][c] = bodies.position[0][c] + (c == 0 ? 0.02 : 0);
        bodies.velocity[1][c] = bodies.velocity[0][c];
    }
    bodies.mass[0] = bodies.mass[1] = 0.3;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        compare_runs(&cases[k], &bodies);
    bodies.softening = malloc(N * sizeof *bodies.softening);
    for (size_t i = 0; i < N; i++)
        bodies.softening[i] = 0.02 + 0.001 * (double)(i % 5);
    for (size_t k = 0; k < 3; k++)
        compare_runs(&cases[k], &bodies);
    ky_bodies_free(&bodies);
}

/* On a body where forces cancel but for roundings, the bodies that exert them bound its step, also
 * if they are on another engine. */
static void a_body_amid_those_of_another_engine(void **state)
{
    (void)state;
    enum { RING = 5 };
    const struct sharing sharing = {/* roundings decide some steps */
                                    KY_SCHEME_HERMITE, KY_DOUBLE, 0, 1, 0.1, 1e-10};
    const double pi = 3.14159265358979323846, radius = 1;
    struct ky_bodies bodies = cloud_make(POINT, 1 + RING);
    double pull = 0;
    for (int k = 1; k < RING; k++)
        pull += 1 / (4 * sin(pi * k / RING));
    for (int k = 0; k <= RING; k++) {
        const double size = k ? radius : 0, speed = k ? sqrt(pull / radius) : 0,
                     angle = 2 * pi * k / RING;
        bodies.mass[k] = k ? 1 : 1e-9;
        bodies.position[k][0] = size * cos(angle);
        bodies.position[k][1] = size * sin(angle);
        bodies.velocity[k][0] = -speed * sin(angle);
        bodies.velocity[k][1] = speed * cos(angle);
        bodies.position[k][2] = bodies.velocity[k][2] = 0;
    }
    compare_runs(&sharing, &bodies);
    ky_bodies_free(&bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_two_engines),
        cmocka_unit_test(forces_from_another_engine),
        cmocka_unit_test(closed_cells_stay_closed),
        cmocka_unit_test(field_without_own_bodies),
        cmocka_unit_test(wrong_sources),
        cmocka_unit_test(steps_of_two_engines),
        cmocka_unit_test(a_body_amid_those_of_another_engine),
    };
    return cmocka_run_group_tests(tests, find_engines, NULL);
}
