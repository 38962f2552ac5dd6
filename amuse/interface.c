/* interface.c - the functions of AMUSE's gravity codes. Numbers are in N-body units, G = 1. */
#include "code.h"
#include "worker.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- life ---- */

int initialize_code(void)
{
    static int once;
    if (!once++)
        stopping_reset();
    code_parameters();
    return DONE;
}

int cleanup_code(void)
{
    code_clear();
    options_reset();
    stopping_reset();
    return DONE;
}

int commit_parameters(void)
{
    struct ky_parameters settled;
    return options_settle(&settled);
}

int recommit_parameters(void)
{
    return code.sim ? code_push() : DONE;
}

int commit_particles(void)
{
    return code_push();
}

int recommit_particles(void)
{
    return code_push();
}

int synchronize_model(void)
{
    return DONE;
}

int get_error_text(char **text)
{
    *text = code_error.text;
    return DONE;
}

/* ---- bodies ---- */

int new_particle(int *index, double mass, double x, double y, double z, double vx, double vy,
                 double vz, double radius)
{
    *index = -1;
    if (code_grow())
        return REFUSED;
    size_t i = code.n++;
    code.mass[i] = mass;
    code.radius[i] = radius;
    memcpy(code.position[i], (double[]){x, y, z}, sizeof *code.position);
    memcpy(code.velocity[i], (double[]){vx, vy, vz}, sizeof *code.velocity);
    code.id[i] = (uint64_t)code.ids;
    code.row[code.ids] = (int)i;
    *index = code.ids++;
    return DONE;
}

int new_source(int *index, double mass, double x, double y, double z)
{
    return new_particle(index, mass, x, y, z, 0, 0, 0, 0);
}

/* Finds the row of a body; `fresh`: with its present position and velocity. */
static int find(int index, int fresh, size_t *row)
{
    if (index < 0 || index >= code.ids || code.row[index] < 0) {
        code_refuse("there is no body with the index %d", index);
        return NO_BODY;
    }
    *row = (size_t)code.row[index];
    return fresh ? code_pull() : DONE;
}

int delete_particle(int index)
{
    size_t i;
    int answer = find(index, 0, &i);
    if (answer)
        return answer;
    code.row[index] = -1;
    code.gone++;
    return DONE;
}

int get_number_of_particles(int *count)
{
    *count = (int)(code.n - code.gone);
    return DONE;
}

/* The first body from this row on; 1 where there is none. */
static int next_from(size_t row, int *index)
{
    for (size_t i = row; i < code.n; i++)
        if (code.row[code.id[i]] >= 0) {
            *index = (int)code.id[i];
            return DONE;
        }
    return 1;
}

int get_index_of_first_particle(int *index)
{
    return next_from(0, index);
}

int get_index_of_next_particle(int index, int *next)
{
    size_t i;
    int answer = find(index, 0, &i);
    return answer ? answer : next_from(i + 1, next);
}

static void split(const double vector[3], double *x, double *y, double *z)
{
    *x = vector[0];
    *y = vector[1];
    *z = vector[2];
}

static void join(double vector[3], double x, double y, double z, int what)
{
    vector[0] = x;
    vector[1] = y;
    vector[2] = z;
    code.changed |= what;
}

int get_state(int index, double *mass, double *x, double *y, double *z, double *vx, double *vy,
              double *vz, double *radius)
{
    size_t i;
    int answer = find(index, 1, &i);
    if (answer)
        return answer;
    *mass = code.mass[i];
    *radius = code.radius[i];
    split(code.position[i], x, y, z);
    split(code.velocity[i], vx, vy, vz);
    return DONE;
}

int set_state(int index, double mass, double x, double y, double z, double vx, double vy, double vz,
              double radius)
{
    size_t i;
    int answer = find(index, 1, &i);
    if (answer)
        return answer;
    code.mass[i] = mass;
    code.radius[i] = radius;
    join(code.position[i], x, y, z, NEW_MASS | NEW_POSITION);
    join(code.velocity[i], vx, vy, vz, NEW_VELOCITY);
    return DONE;
}

int get_mass(int index, double *mass)
{
    size_t i;
    int answer = find(index, 0, &i);
    if (!answer)
        *mass = code.mass[i];
    return answer;
}

int set_mass(int index, double mass)
{
    size_t i;
    int answer = find(index, 0, &i);
    if (answer)
        return answer;
    code.mass[i] = mass;
    code.changed |= NEW_MASS;
    return DONE;
}

int get_radius(int index, double *radius)
{
    size_t i;
    int answer = find(index, 0, &i);
    if (!answer)
        *radius = code.radius[i];
    return answer;
}

int set_radius(int index, double radius)
{
    size_t i;
    int answer = find(index, 0, &i);
    if (!answer)
        code.radius[i] = radius;
    return answer;
}

int get_position(int index, double *x, double *y, double *z)
{
    size_t i;
    int answer = find(index, 1, &i);
    if (!answer)
        split(code.position[i], x, y, z);
    return answer;
}

int set_position(int index, double x, double y, double z)
{
    size_t i;
    int answer = find(index, 1, &i);
    if (!answer)
        join(code.position[i], x, y, z, NEW_POSITION);
    return answer;
}

int get_velocity(int index, double *vx, double *vy, double *vz)
{
    size_t i;
    int answer = find(index, 1, &i);
    if (!answer)
        split(code.velocity[i], vx, vy, vz);
    return answer;
}

int set_velocity(int index, double vx, double vy, double vz)
{
    size_t i;
    int answer = find(index, 1, &i);
    if (!answer)
        join(code.velocity[i], vx, vy, vz, NEW_VELOCITY);
    return answer;
}

int get_acceleration(int index, double *ax, double *ay, double *az)
{
    size_t i;
    if (code_push() || code_pull_forces())
        return REFUSED;
    int answer = find(index, 0, &i);
    if (!answer)
        split(code.acceleration[i], ax, ay, az);
    return answer;
}

int get_potential(int index, double *potential)
{
    size_t i;
    if (code_push() || code_pull_forces())
        return REFUSED;
    int answer = find(index, 0, &i);
    if (!answer)
        *potential = code.potential[i];
    return answer;
}

/* ---- motion ---- */

int get_time(double *time)
{
    *time = code.sim ? ky_sim_time(code.sim) : code.begin;
    return DONE;
}

/* Steps, as long as none of the conditions is met. */
static int advance_watched(double end, double step)
{
    uint64_t before = ky_sim_steps(code.sim);
    int met = 0;
    while (!met && ky_sim_time(code.sim) != end) {
        double next = ky_sim_time(code.sim) + step;
        enum ky_status status = (step > 0 ? next >= end : next <= end)
                                    ? ky_sim_advance_to(code.sim, end, 1, &code_error)
                                    : ky_sim_advance(code.sim, 1, &code_error);
        code.moved = 1;
        code.forces_copied = 0;
        if (code_answer(status))
            return REFUSED;
        met = stopping_met(ky_sim_steps(code.sim) - before);
    }
    return met < 0 ? REFUSED : DONE;
}

int evolve_model(double end)
{
    double step = code_parameters()->step;
    if (code_push())
        return REFUSED;
    stopping_begin();
    double ahead = end - ky_sim_time(code.sim);
    if (ahead == 0 || (ahead < 0 && -ahead < 1e-9 * step)) /* the rounding of AMUSE's units */
        return DONE;
    if (ahead < 0 && !code.reversible)
        return code_refuse("the time is %g; a model evolves to earlier times, such as %g, with the "
                           "parameter is_time_reversed_allowed alone",
                           ky_sim_time(code.sim), end);
    struct ky_parameters used = {.size = sizeof used};
    if (ahead < 0)
        step = -step;
    if (code_answer(ky_sim_parameters(code.sim, &used, &code_error)) ||
        (used.step != step && code_answer(ky_sim_set_step(code.sim, step, &code_error))))
        return REFUSED;
    code.moved = 1;
    code.forces_copied = 0;
    if (stopping_watched())
        return advance_watched(end, step);
    return code_answer(ky_sim_advance_to(code.sim, end, 1, &code_error));
}

/* ---- sums ---- */

static int sum(struct ky_sums *sums)
{
    *sums = (struct ky_sums){.size = sizeof *sums};
    return code_push() ? REFUSED : code_answer(ky_sim_sums(code.sim, sums, &code_error));
}

int get_kinetic_energy(double *energy)
{
    struct ky_sums sums;
    int answer = sum(&sums);
    *energy = sums.kinetic;
    return answer;
}

/* With that in external fields. */
int get_potential_energy(double *energy)
{
    struct ky_sums sums;
    int answer = sum(&sums);
    *energy = sums.potential + sums.external;
    return answer;
}

int get_total_mass(double *mass)
{
    struct ky_sums sums;
    int answer = sum(&sums);
    *mass = sums.mass;
    return answer;
}

int get_center_of_mass_position(double *x, double *y, double *z)
{
    struct ky_sums sums;
    int answer = sum(&sums);
    split(sums.centre, x, y, z);
    return answer;
}

int get_center_of_mass_velocity(double *vx, double *vy, double *vz)
{
    struct ky_sums sums;
    int answer = sum(&sums);
    double mass = sums.mass > 0 ? sums.mass : 1;
    split((double[]){sums.momentum[0] / mass, sums.momentum[1] / mass, sums.momentum[2] / mass}, vx,
          vy, vz);
    return answer;
}

/* The distance of the farthest body from the centre of mass. */
int get_total_radius(double *radius)
{
    struct ky_sums sums;
    *radius = 0;
    if (sum(&sums) || code_pull())
        return REFUSED;
    for (size_t i = 0; i < code.n; i++)
        *radius = fmax(*radius, hypot(hypot(code.position[i][0] - sums.centre[0],
                                            code.position[i][1] - sums.centre[1]),
                                      code.position[i][2] - sums.centre[2]));
    return DONE;
}

/* ---- field at points ---- */

struct field {
    double (*position)[3], (*acceleration)[3], *potential;
};

static void free_field(struct field *field)
{
    free(field->position);
    free(field->acceleration);
    free(field->potential);
}

/* The field at points of softening eps; `want_potential` in place of accelerations. Free after
 * DONE. */
static int make_field(struct field *field, const double *eps, const double *x, const double *y,
                      const double *z, int count, int want_potential)
{
    if (code_push())
        return REFUSED;
    size_t n = (size_t)count;
    *field = (struct field){malloc((n + 1) * sizeof *field->position),
                            want_potential ? NULL : malloc((n + 1) * sizeof *field->acceleration),
                            want_potential ? malloc((n + 1) * sizeof *field->potential) : NULL};
    int answer = field->position && (field->acceleration || field->potential)
                     ? DONE
                     : code_refuse("there is no memory for the field at %zu points", n);
    for (size_t i = 0; !answer && i < n; i++)
        memcpy(field->position[i], (double[]){x[i], y[i], z[i]}, sizeof *field->position);
    if (!answer)
        answer = code_answer(ky_sim_field_fill(
            code.sim,
            &(struct ky_field_points){.size = sizeof(struct ky_field_points),
                                      .count = n,
                                      .position = (const double(*)[3])field->position,
                                      .softenings = eps,
                                      .acceleration = field->acceleration,
                                      .potential = field->potential},
            &code_error));
    if (answer)
        free_field(field);
    return answer;
}

int get_gravity_at_point(double *eps, double *x, double *y, double *z, double *ax, double *ay,
                         double *az, int count)
{
    struct field field;
    if (make_field(&field, eps, x, y, z, count, 0))
        return REFUSED;
    for (size_t i = 0; i < (size_t)count; i++)
        split(field.acceleration[i], ax + i, ay + i, az + i);
    free_field(&field);
    return DONE;
}

int get_potential_at_point(double *eps, double *x, double *y, double *z, double *potential,
                           int count)
{
    struct field field;
    if (make_field(&field, eps, x, y, z, count, 1))
        return REFUSED;
    memcpy(potential, field.potential, (size_t)count * sizeof *potential);
    free_field(&field);
    return DONE;
}
