/* The path of one body in external fields, by extrapolation of the modified midpoint rule (Gragg;
 * Bulirsch & Stoer; Hairer, Nørsett & Wanner 1993, section II.9). The step follows from the error,
 * so that a passage through a dense centre is resolved, however long the time of the call is. */
#include "integrate/path.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/status.h"
#include "engine/common/external.h"
#include "physics/friction.h"

enum {
    NUMBERS = 6, /* place and velocity */
    ORDERS = 8,  /* largest order of the extrapolation: midpoint steps of 1/2, 1/4, 1/6, … 1/16 of
                    the step */
    FEW = 5,     /* if no higher order is needed, the next step is longer */
    MOST_STEPS = 1000000
};
static const double tolerance = 1e-12;
/* A body with friction that is slower than this part of σ comes to rest where no step is exact. Its
 * orbit through the centre of a cusp, of the size (10⁻⁴ σ)²/|a|, is not resolved: the number of its
 * revolutions has no limit. */
static const double at_rest = 1e-4;

/* A path that begins at the time `from`, with the fields at this time. */
struct flow {
    const struct ky_path *path;
    double from;
    struct ky_externals fields; /* the fields of the path, at the present time */
    struct ky_external field[KY_MOST_EXTERNALS];
};

/* The pull of a field. The caller's function for many places is not asked for jerks. */
static struct ky_external_pull pull_of(const struct flow *own, const struct ky_external *field,
                                       struct ky_external_state at)
{
    if (field->kind != KY_EXTERNAL_FUNCTION || !field->places)
        return ky_externals_on(field, 1, at);
    const double x[1][3] = {{at.x, at.y, at.z}};
    double a[1][3], potential[1];
    ky_externals_ask(&own->fields, 1, x, NULL, a, NULL, potential);
    return (struct ky_external_pull){.x = a[0][0], .y = a[0][1], .z = a[0][2]};
}

/* Friction of a field: k of physics/friction.h. */
static double rate_of(const struct flow *own, const struct ky_external *field,
                      struct ky_external_state at, double speed2)
{
    const double *number = own->path->friction, sigma2 = number[KY_EXTERNAL_FRICTION_SIGMA2];
    double distance2;
    const double density = ky_external_density(field, at, &distance2),
                 logarithm = ky_friction_logarithm(own->path->mu, number[KY_EXTERNAL_FRICTION_CORE],
                                                   distance2, speed2);
    return ky_friction_rate(own->path->mu * fmin(logarithm, number[KY_EXTERNAL_FRICTION_LOG]),
                            density, sigma2, speed2);
}

/* The derivatives of position and velocity at a time after the beginning. If the sum over all
 * densities is negative, nothing slows the body down. */
static void change(struct flow *own, double time, const double y[NUMBERS], double to[NUMBERS])
{
    const double *v = y + 3, speed2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    struct ky_external_pull sum = ky_external_none();
    double rate = 0;
    own->fields.time = own->from + time;
    for (size_t k = 0; k < own->fields.count; k++) {
        const struct ky_external *given = &own->fields.field[k];
        struct ky_external moved;
        const struct ky_external *field = given->path ? &moved : &own->field[k];
        struct ky_external_state at = {y[0], y[1], y[2], v[0], v[1], v[2], time, 1};
        if (given->path)
            moved = ky_external_in(given, 1, 1, own->fields.time), at.time = 0;
        sum = ky_external_add(sum, pull_of(own, field, at));
        if (own->path->friction && own->path->mu > 0)
            rate += rate_of(own, field, at, speed2);
    }
    rate = fmax(rate, 0);
    memcpy(to, v, 3 * sizeof *to);
    to[3] = sum.x - rate * v[0];
    to[4] = sum.y - rate * v[1];
    to[5] = sum.z - rate * v[2];
}

/* The displacement after `steps` midpoint steps, with Gragg's mean of the last steps. `at_start`:
 * the derivatives at the beginning. */
static void midpoint(struct flow *own, double time, double length, int steps,
                     const double y[NUMBERS], const double at_start[NUMBERS], double way[NUMBERS])
{
    const double h = length / steps;
    double last[NUMBERS] = {0}, here[NUMBERS], place[NUMBERS], rate[NUMBERS];
    for (int c = 0; c < NUMBERS; c++)
        here[c] = h * at_start[c];
    for (int k = 1; k <= steps; k++) {
        for (int c = 0; c < NUMBERS; c++)
            place[c] = y[c] + here[c];
        change(own, time + k * h, place, rate);
        for (int c = 0; c < NUMBERS; c++) {
            const double next = last[c] + 2 * h * rate[c];
            way[c] = 0.5 * (last[c] + here[c] + h * rate[c]);
            last[c] = here[c];
            here[c] = next;
        }
    }
}

/* Whether the error is allowed: of the way in space, and of the velocity. A body that nothing pulls
 * may be at rest, and its errors are 0 then. */
static int is_exact(const double error[NUMBERS], const double y[NUMBERS], const double way[NUMBERS],
                    double length)
{
    double size[2] = {0}, gain = 0, wrong[2] = {0}; /* |x|, |v|; the change of v */
    for (int c = 0; c < NUMBERS; c++) {
        size[c / 3] += y[c] * y[c];
        gain += c < 3 ? 0 : way[c] * way[c];
        wrong[c / 3] += error[c] * error[c];
    }
    const double speed = sqrt(size[1]) + sqrt(gain);
    return sqrt(wrong[0]) <= tolerance * speed * fabs(length) + 8 * DBL_EPSILON * sqrt(size[0]) &&
           sqrt(wrong[1]) <= tolerance * speed;
}

/* Tries a step of this length. Returns the order that suffices, with the displacement in `way`, or
 * 0 if no order suffices. */
static int try_step(struct flow *own, double time, double length, const double y[NUMBERS],
                    const double at_start[NUMBERS], double way[NUMBERS])
{
    double table[ORDERS][NUMBERS] = {{0}}; /* table[j]: extrapolated from the last j + 1 */
    for (int k = 0; k < ORDERS; k++) {
        double fresh[NUMBERS], more[NUMBERS] = {0};
        midpoint(own, time, length, 2 * (k + 1), y, at_start, fresh);
        for (int j = 0; j < k; j++) {
            const double ratio = (k + 1.) / (k - j);
            for (int c = 0; c < NUMBERS; c++) {
                more[c] = (fresh[c] - table[j][c]) / (ratio * ratio - 1);
                table[j][c] = fresh[c];
                fresh[c] += more[c];
            }
        }
        memcpy(table[k], fresh, sizeof fresh);
        memcpy(way, fresh, sizeof fresh);
        if (k > 1 && is_exact(more, y, way, length))
            return k + 1;
    }
    return 0;
}

/* Whether friction has stopped the body: it is slow before and after a step. */
static int has_stopped(const struct ky_path *path, const double y[NUMBERS],
                       const double way[NUMBERS])
{
    double speed2[2] = {0}; /* before and after */
    for (int c = 3; c < NUMBERS; c++) {
        speed2[0] += y[c] * y[c];
        speed2[1] += (y[c] + way[c]) * (y[c] + way[c]);
    }
    return path->friction && fmax(speed2[0], speed2[1]) <
                                 at_rest * at_rest * path->friction[KY_EXTERNAL_FRICTION_SIGMA2];
}

static enum ky_status too_short(const double y[NUMBERS], double time, int steps,
                                struct ky_error *error)
{
    if (steps == MOST_STEPS)
        return ky_fail(
            error, KY_BAD_DATA,
            "the path of the body needs more than %d steps between two times, at %.10g: "
            "give shorter ones (--step, or more --rows), or the field a softening (eps=)",
            steps, time);
    return ky_fail(error, KY_BAD_DATA,
                   "the body falls into the centre of a field, where no step is short enough: at "
                   "(%g, %g, %g) at the time %.10g; give the field a softening (eps=), or end the "
                   "orbit earlier",
                   y[0], y[1], y[2], time);
}

enum ky_status ky_path_follow(const struct ky_path *path, double from, double dt, double x[3],
                              double v[3], struct ky_error *error)
{
    struct flow own = {.path = path, .from = from, .fields = *path->fields};
    double y[NUMBERS] = {x[0], x[1], x[2], v[0], v[1], v[2]}, at_start[NUMBERS], way[NUMBERS];
    double done = 0, length = dt;
    for (size_t k = 0; k < path->fields->count; k++)
        own.field[k] = ky_external_in(&path->fields->field[k], 1, 1, from);
    for (int steps = 0; done != dt; steps++) {
        if (fabs(length) > fabs(dt - done))
            length = dt - done;
        if (done + length == done || steps == MOST_STEPS)
            return too_short(y, from + done, steps, error);
        change(&own, done, y, at_start);
        const int order = try_step(&own, done, length, y, at_start, way),
                  stopped = order == 0 && has_stopped(path, y, way);
        if (stopped)
            y[3] = y[4] = y[5] = 0;
        for (int c = 0; order > 0 && c < NUMBERS; c++)
            y[c] += way[c];
        if (order > 0 || stopped)
            done = length == dt - done ? dt : done + length;
        length *= stopped ? 2 : order == 0 ? 0.25 : order > FEW ? 0.8 : 2;
    }
    memcpy(x, y, 3 * sizeof *x);
    memcpy(v, y + 3, 3 * sizeof *v);
    return KY_OK;
}
