/* Dynamical friction of named bodies. Few have it, so that the host computes it. */
#include "integrate/friction.h"

#include <inttypes.h>
#include <math.h>

#include "base/status.h"
#include "engine/common/external.h"
#include "integrate/path.h"

/* The rows, with the bodies in ascending order. */
struct rows {
    size_t count;
    uint32_t body[KY_MOST_EXTERNALS];
    const struct ky_external *row[KY_MOST_EXTERNALS];
};

static int has_rows(const struct ky_externals *fields)
{
    for (size_t k = 0; k < fields->count; k++)
        if (fields->field[k].kind == KY_EXTERNAL_FRICTION)
            return 1;
    return 0;
}

int ky_friction_is_there(const struct ky_engine *engine)
{
    return has_rows(&engine->externals);
}

/* The place of the body with an id; n if there is none. */
static size_t find_body(const uint64_t *id, size_t n, double wanted)
{
    size_t place = 0;
    if (!id)
        return wanted < (double)n && wanted == floor(wanted) ? (size_t)wanted : n;
    while (place < n && (double)id[place] != wanted)
        place++;
    return place;
}

/* Adds a row at its place. */
static void insert(struct rows *rows, const struct ky_external *row, uint32_t body)
{
    size_t place = rows->count++;
    for (; place > 0 && rows->body[place - 1] > body; place--) {
        rows->body[place] = rows->body[place - 1];
        rows->row[place] = rows->row[place - 1];
    }
    rows->body[place] = body;
    rows->row[place] = row;
}

/* KY_USAGE for friction that cannot act: on a body without mass, or with a sigma whose power in the
 * rate overflows or underflows. */
static enum ky_status check_row(const double *number, const double *mass, struct ky_error *error)
{
    const double body = number[KY_EXTERNAL_FRICTION_BODY],
                 sigma = sqrt(number[KY_EXTERNAL_FRICTION_SIGMA2]);
    if (mass && *mass == 0 && number[KY_EXTERNAL_FRICTION_MASS] == 0)
        return ky_fail(error, KY_USAGE,
                       "friction of body %.17g: the body has no mass, and nothing would slow it "
                       "down; give friction:mass=...",
                       body);
    if (!isnormal(sigma * sigma * sigma))
        return ky_fail(
            error, KY_USAGE,
            "friction of body %.17g: the third power of sigma is outside the range of numbers",
            body);
    return KY_OK;
}

/* `mass`: masses of the bodies to check, or NULL: they have been checked. */
static enum ky_status find_rows(const struct ky_externals *fields, const uint64_t *id,
                                const double *mass, size_t n, struct rows *rows,
                                struct ky_error *error)
{
    rows->count = 0;
    for (size_t k = 0; k < fields->count; k++) {
        const struct ky_external *row = &fields->field[k];
        if (row->kind != KY_EXTERNAL_FRICTION)
            continue;
        const size_t body = find_body(id, n, row->number[KY_EXTERNAL_FRICTION_BODY]);
        if (body == n)
            return ky_fail(error, KY_USAGE,
                           "friction: no body has the id %.17g; `kyoho info --json` has ids",
                           row->number[KY_EXTERNAL_FRICTION_BODY]);
        KY_TRY(check_row(row->number, mass ? &mass[body] : NULL, error));
        insert(rows, row, (uint32_t)body);
    }
    for (size_t k = 1; k < rows->count; k++)
        if (rows->body[k] == rows->body[k - 1])
            return ky_fail(error, KY_USAGE, "friction of body %.17g is given twice",
                           rows->row[k]->number[KY_EXTERNAL_FRICTION_BODY]);
    if (rows->count > 0 && rows->count == fields->count)
        return ky_fail(error, KY_USAGE,
                       "friction: there is no other field, and so no density that slows the body "
                       "down; add one, --field \"plummer:mass=1,scale=1 friction:...\"");
    return KY_OK;
}

enum ky_status ky_friction_check(const struct ky_parameters *parameters,
                                 const struct ky_integrator_verbs *verbs, struct ky_error *error)
{
    struct ky_externals fields = {0};
    enum ky_status status = verbs->friction ? KY_OK : ky_externals_of(parameters, &fields, error);
    if (!status && has_rows(&fields))
        status = ky_fail(error, KY_USAGE,
                         "--field friction acts between steps that all bodies share, but with "
                         "--integrator %s each body has its own steps; use --integrator leapfrog",
                         verbs->name);
    ky_externals_release(&fields);
    return status;
}

int ky_friction_is_asked(const struct ky_parameters *parameters)
{
    struct ky_externals fields = {0};
    const int is_asked = !ky_externals_of(parameters, &fields, NULL) && has_rows(&fields);
    ky_externals_release(&fields);
    return is_asked;
}

enum ky_status ky_friction_check_bodies(const struct ky_parameters *parameters,
                                        const struct ky_bodies *bodies, struct ky_error *error)
{
    struct rows rows;
    struct ky_externals fields = {0};
    enum ky_status status = ky_externals_of(parameters, &fields, error);
    if (!status)
        status = find_rows(&fields, bodies->id, bodies->mass, bodies->n, &rows, error);
    ky_externals_release(&fields);
    return status;
}

enum ky_status ky_friction_alone(const struct ky_externals *fields, const double **number,
                                 struct ky_error *error)
{
    struct rows rows;
    const double none = 0;
    const enum ky_status status = find_rows(fields, NULL, &none, 1, &rows, error);
    *number = !status && rows.count ? rows.row[0]->number : NULL;
    return status;
}

/* Adds the pull of all fields during dt to the velocity of a body. */
static void add_kick(const struct ky_externals *fields, double time, const double x[3], double dt,
                     double v[3])
{
    struct ky_externals then = *fields;
    double pull[3] = {0};
    then.time = time;
    ky_externals_add(&then, x, pull, NULL);
    for (int c = 0; c < 3; c++)
        v[c] += dt * pull[c];
}

/* The path of the body includes the pull of the fields, which both kicks contain too. So their part
 * of the first kick is undone here, and their part of the second kick is subtracted in advance. */
static enum ky_status follow(const struct ky_path *path, double from, double dt, double x[3],
                             double v[3], struct ky_error *error)
{
    add_kick(path->fields, from, x, -0.5 * dt, v);
    const enum ky_status status = ky_path_follow(path, from, dt, x, v, error);
    add_kick(path->fields, from + dt, x, -0.5 * dt, v);
    return status;
}

enum ky_status ky_friction_drift(struct ky_engine *engine, const struct ky_integrator_state *state,
                                 double g, double from, double dt, struct ky_error *error)
{
    struct rows rows;
    double position[KY_MOST_EXTERNALS][3], velocity[KY_MOST_EXTERNALS][3], mass[KY_MOST_EXTERNALS];
    enum ky_status status = find_rows(&engine->externals, state->id, NULL, engine->n, &rows, error);
    struct ky_bodies bodies = {
        .n = rows.count, .position = position, .velocity = velocity, .mass = mass};
    if (!status)
        status = ky_engine_get_some(engine, rows.body, &bodies, error);
    for (size_t k = 0; k < rows.count && !status; k++) {
        const double *number = rows.row[k]->number, given = number[KY_EXTERNAL_FRICTION_MASS];
        const struct ky_path path = {&engine->externals, number, given > 0 ? given : g * mass[k]};
        status = follow(&path, from, dt, position[k], velocity[k], error);
        if (status)
            ky_fail_in(error, status,
                       "friction of body %.17g: ", number[KY_EXTERNAL_FRICTION_BODY]);
    }
    if (!status)
        status = ky_engine_drift(engine, dt, error);
    const struct ky_some changed = {.count = rows.count,
                                    .body = rows.body,
                                    .position = (const double(*)[3])position,
                                    .velocity = (const double(*)[3])velocity};
    return status ? status : ky_engine_put_some(engine, &changed, error);
}
