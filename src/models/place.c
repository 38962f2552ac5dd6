/* Rotating and moving a system: see place.h. */
#include "models/place.h"

#include <math.h>
#include <string.h>

#include "base/bodies.h"
#include "base/quantity.h"
#include "base/status.h"
#include "physics/external.h"

/* Parses "x,y,z"; NULL: zeros. */
static enum ky_status read_three(const char *text, const struct ky_quantity_form *form, double x[3],
                                 struct ky_error *error)
{
    memset(x, 0, 3 * sizeof *x);
    const char *at = text;
    for (int k = 0; at && k < 3; k++) {
        KY_TRY(ky_quantity_read(at, form, &x[k], &at, error));
        if (k < 2 ? *at != ',' : *at != '\0')
            return ky_fail(error, KY_USAGE,
                           "%s: '%.80s' is not three numbers separated by commas, such as 1,0,-2",
                           form->where, text);
        at++;
    }
    return KY_OK;
}

/* The rotation matrix of these angles [degrees]. */
static void matrix(const double angle[3], double turn[3][3])
{
    double c[3], s[3];
    for (int k = 0; k < 3; k++) {
        const double degrees = fmod(angle[k], 360), quarters = degrees / 90;
        const double radians = acos(-1.0) * degrees / 180;
        const int exact = quarters == floor(quarters); /* a multiple of 90° is exact */
        c[k] = exact ? round(cos(radians)) : cos(radians);
        s[k] = exact ? round(sin(radians)) : sin(radians);
    }
    const double ci = c[0], si = s[0], cn = c[1], sn = s[1], ca = c[2], sa = s[2];
    const double m[3][3] = {{cn * ca - sn * ci * sa, -cn * sa - sn * ci * ca, sn * si},
                            {sn * ca + cn * ci * sa, -sn * sa + cn * ci * ca, -cn * si},
                            {si * sa, si * ca, ci}};
    memcpy(turn, m, sizeof m);
}

static void turn_and_add(double turn[3][3], const double add[3], double x[3])
{
    double turned[3];
    for (int k = 0; k < 3; k++)
        turned[k] = turn[k][0] * x[0] + turn[k][1] * x[1] + turn[k][2] * x[2];
    for (int k = 0; k < 3; k++)
        x[k] = turned[k] + add[k];
}

enum ky_status ky_bodies_place(struct ky_bodies *bodies, const char *position, const char *velocity,
                               const char *orientation, const struct ky_units *units,
                               struct ky_error *error)
{
    KY_NEED(bodies, error);
    double x[3], v[3], angle[3], turn[3][3];
    const struct ky_units none = {0};
    units = units ? units : &none;
    enum ky_status status =
        ky_bodies_need(bodies, 1U << KY_ARRAY_POSITION | 1U << KY_ARRAY_VELOCITY, error);
    if (!status)
        status = read_three(
            position, &(struct ky_quantity_form){units, KY_LENGTH_UNIT, "--position"}, x, error);
    if (!status)
        status = read_three(
            velocity, &(struct ky_quantity_form){units, KY_VELOCITY_UNIT, "--velocity"}, v, error);
    if (!status)
        status =
            read_three(orientation, &(struct ky_quantity_form){units, KY_NO_UNIT, "--orientation"},
                       angle, error);
    if (status || !(position || velocity || orientation))
        return status;
    matrix(angle, turn);
    for (size_t i = 0; i < bodies->n; i++) {
        turn_and_add(turn, x, bodies->position[i]);
        turn_and_add(turn, v, bodies->velocity[i]);
        if (bodies->acceleration)
            turn_and_add(turn, (const double[3]){0, 0, 0}, bodies->acceleration[i]);
    }
    return KY_OK;
}

enum ky_status ky_bodies_turn(struct ky_bodies *bodies, double speed, double time,
                              struct ky_error *error)
{
    KY_NEED(bodies, error);
    KY_TRY(ky_bodies_need(bodies, 1U << KY_ARRAY_POSITION | 1U << KY_ARRAY_VELOCITY, error));
    if (!isfinite(speed * time))
        return ky_fail(error, KY_USAGE, "axes cannot turn by %g in the time %g", speed, time);
    for (size_t i = 0; i < bodies->n; i++) {
        double *x = bodies->position[i], *v = bodies->velocity[i];
        const struct ky_external_state at = ky_external_turn_in(
            (struct ky_external_state){.x = x[0], .y = x[1], .vx = v[0], .vy = v[1]}, speed * time,
            speed);
        x[0] = at.x, x[1] = at.y;
        v[0] = at.vx, v[1] = at.vy;
        if (bodies->acceleration) {
            double *a = bodies->acceleration[i];
            const struct ky_external_state along = ky_external_turn_in(
                (struct ky_external_state){.x = a[0], .y = a[1]}, speed * time, 0);
            a[0] = along.x, a[1] = along.y;
        }
    }
    return KY_OK;
}
