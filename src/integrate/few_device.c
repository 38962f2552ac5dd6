/* Systems of few bodies on a device, in the order of their work, so that the lanes of a group end
 * at about the same time. The device takes the steps; the host starts the systems, and brings each
 * from its own time to the time that is asked for. */
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/status.h"
#include "few/system_columns.h"
#include "integrate/few_work.h"
#include "integrate/integrate.h"
#include "physics/few_single.h"

enum {
    NUMBERS_AT_ONCE = 1 << 25, /* on the device */
    STEPS_A_CALL = 2048,       /* of pairs between two looks at the stop flag */
    /* of systems of more bodies: PAIRS_A_CALL over the number of pairs in a system, from
     * LEAST_STEPS to FEWER_STEPS. Lanes and teams whose systems end sooner are idle until the call
     * ends */
    PAIRS_A_CALL = 1024,
    LEAST_STEPS = 8,
    FEWER_STEPS = 128,
    LAST = 16 /* systems a thread, which the host takes over at the end: a lane or a team takes many
                 times as long for a step as the host */
};

/* Systems on the device, and their columns. */
struct part {
    struct ky_few_work *work;
    const struct ky_few_order *order; /* [count] */
    size_t count;
    struct ky_few_kind kind;
    double *column;
};

static double *at(const struct part *part, int what, size_t i)
{
    return &part->column[(size_t)what * part->count + i];
}

static void pack(const struct part *part, size_t i, const struct ky_few *few)
{
    const struct ky_few_system_one *s = &few->system;
    if (!ky_few_is_pairs(&part->kind)) {
        ky_few_store(few, part->column, part->count, i);
        for (int b = 0; b < s->shape.n && few->settings.radii; b++)
            *at(part, KY_FEW_COLUMN_RADIUS(s->shape.n, b), i) = ky_few_radius_of(&few->settings, b);
        return;
    }
    *at(part, KY_FEW_COLUMN_TOTAL, i) = s->total[0][0];
    *at(part, KY_FEW_COLUMN_WEIGHT, i) = s->weight[0][0];
    *at(part, KY_FEW_COLUMN_H, i) = few->h;
    for (int c = 0; c < 3; c++) {
        *at(part, KY_FEW_COLUMN_X(2, 0, c), i) = s->x[0][c][0];
        *at(part, KY_FEW_COLUMN_V(2, 0, c), i) = s->v[0][c][0];
    }
    *at(part, KY_FEW_COLUMN_B, i) = s->b[0];
    *at(part, KY_FEW_COLUMN_T, i) = s->t[0];
    *at(part, KY_FEW_COLUMN_LOW, i) = s->low[0];
    *at(part, KY_FEW_COLUMN_STEPS, i) = 0;
}

static void unpack(const struct part *part, size_t i, struct ky_few *few)
{
    struct ky_few_system_one *s = &few->system;
    if (!ky_few_is_pairs(&part->kind)) {
        ky_few_load(few, s->shape.n, part->column, part->count, i);
        return;
    }
    for (int c = 0; c < 3; c++) {
        s->x[0][c][0] = *at(part, KY_FEW_COLUMN_X(2, 0, c), i);
        s->v[0][c][0] = *at(part, KY_FEW_COLUMN_V(2, 0, c), i);
    }
    s->t[0] = *at(part, KY_FEW_COLUMN_T, i);
    s->low[0] = *at(part, KY_FEW_COLUMN_LOW, i);
    few->steps = *at(part, KY_FEW_COLUMN_STEPS, i);
}

/* 1 if the device can hold the numbers of a system. */
static int fits(const struct part *part, const struct ky_few *few)
{
    const struct ky_few_systems *all = part->work->systems;
    const struct ky_few_system_one *s = &few->system;
    const double span = fabs(all->time[all->times - 1] - all->begin),
                 r2 = ky_few_square(s->x[0][0][0], s->x[0][1][0], s->x[0][2][0]),
                 v2 = ky_few_square(s->v[0][0][0], s->v[0][1][0], s->v[0][2][0]);
    return !part->work->device->in_floats ||
           ky_few_fits_floats(s->total[0][0], sqrt(r2), sqrt(v2), span);
}

/* The number of steps of systems that are not on the device. */
static const double not_there = -1;

/* Starts a system. If it has no mass or no step, or if the device cannot hold its numbers, the host
 * advances it to its end here. In its columns the step is 0 and the time is NaN, so that the device
 * leaves it alone. */
static void start(const struct part *part, size_t i)
{
    struct ky_few_one one;
    ky_few_begin(part->work, &part->order[i], &one);
    if (one.few.clock != KY_FEW_FREE && one.few.h != 0 && fits(part, &one.few)) {
        pack(part, i, &one.few);
        return;
    }
    for (size_t what = 0; what < ky_few_columns_of(&part->kind); what++)
        *at(part, (int)what, i) = 0;
    *at(part, KY_FEW_COLUMN_T, i) = (double)NAN;
    *at(part, KY_FEW_COLUMN_STEPS, i) = not_there;
    ky_few_alone(part->work, &part->order[i], &one);
}

/* Gives a system at the time with this index, from the numbers of the device. For the last systems
 * the host takes the remaining steps here. A system that floats could not hold begins again from
 * the start. */
static void show(const struct part *part, size_t i, size_t index)
{
    const struct ky_few_systems *all = part->work->systems;
    struct ky_few_one one;
    if (*at(part, KY_FEW_COLUMN_STEPS, i) == not_there)
        return;
    ky_few_begin(part->work, &part->order[i], &one);
    if (!part->work->device->in_floats || isfinite(*at(part, KY_FEW_COLUMN_T, i)))
        unpack(part, i, &one.few);
    if (ky_few_check_finite(&one.few, NULL))
        one.end = KY_FEW_LOST;
    one.next = index;
    while (!ky_few_show(part->work, &one)) {
        if (ky_halted(&part->work->halt))
            return;
        ky_few_step_alone(part->work, &one);
    }
    if (one.next == all->times)
        ky_few_report(part->work, &one);
}

/* The steps of a launch, which take a fraction of a second. */
static ky_uint steps_of(const struct part *part)
{
    const size_t n = part->work->systems->bodies, steps = 2 * PAIRS_A_CALL / (n * (n - 1));
    if (ky_few_is_pairs(&part->kind))
        return STEPS_A_CALL;
    return (ky_uint)(steps < LEAST_STEPS ? LEAST_STEPS : steps > FEWER_STEPS ? FEWER_STEPS : steps);
}

/* Advances the systems of the part to the time with this index: all, or at the last time all but a
 * few. */
static enum ky_status go(const struct part *part, size_t index, struct ky_error *error)
{
    struct ky_few_work *work = part->work;
    struct ky_few_device *device = work->device;
    const struct ky_few_course course = {.until = work->systems->time[index],
                                         .sign = work->settings.backwards ? -1 : 1,
                                         .apart = work->settings.apart,
                                         .tolerance = work->settings.tolerance,
                                         .angle = work->settings.angle,
                                         .slow_down = (ky_uint)work->settings.slow_down,
                                         .most = steps_of(part)};
    const size_t enough = index + 1 < work->systems->times ? 0 : LAST * (size_t)work->threads;
    size_t left = part->count;
    do
        KY_TRY(device->verbs->go(device, &course, &left, error));
    while (left > enough && !ky_halted(&work->halt));
    return device->verbs->get(device, part->column, error);
}

static enum ky_status advance(const struct part *part, struct ky_error *error)
{
    struct ky_few_work *work = part->work;
#pragma omp parallel for schedule(dynamic, 64) num_threads(work->threads)
    for (size_t i = 0; i < part->count; i++)
        start(part, i);
    KY_TRY(work->device->verbs->put(work->device, part->column, &part->kind, part->count, error));
    for (size_t k = 0; k < work->systems->times; k++) {
        KY_TRY(go(part, k, error));
        if (ky_halted(&work->halt))
            return KY_OK; /* the caller tells it */
#pragma omp parallel for schedule(dynamic, 16) num_threads(work->threads)
        for (size_t i = 0; i < part->count; i++)
            show(part, i, k);
    }
    return KY_OK;
}

enum ky_status ky_few_on_device(struct ky_few_work *work, struct ky_error *error)
{
    const struct ky_few_kind kind = {work->systems->bodies, work->settings.radii > 0};
    const size_t all = work->systems->count, columns = ky_few_columns_of(&kind),
                 room = NUMBERS_AT_ONCE / columns, most = all < room ? all : room;
    double *column = ky_allocate(columns * most, sizeof *column);
    if (!column)
        return ky_no_memory(error, "systems", most, columns * sizeof *column);
    enum ky_status status = KY_OK;
    work->told = ky_clock();
    for (size_t first = 0; first < all && !status && !ky_halted(&work->halt); first += most) {
        const size_t count = first + most < all ? most : all - first;
        const struct part part = {work, work->order + first, count, kind, column};
        status = advance(&part, error);
    }
    free(column);
    return status;
}
