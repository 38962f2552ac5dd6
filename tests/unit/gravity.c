/* The formulas of src/physics: the field of a cell against finite differences of its potential, and
 * against the field of its bodies, with and without softening. */
#include "test.h"

#include <math.h>

#include "physics/gravity.h"

enum { BODIES = 7 };
static const double cloud[BODIES][4] = {
    {0.3, -0.1, 0.2, 1}, {-0.2, 0.4, 0.1, 2}, {0.1, 0.1, -0.5, 1},   {-0.4, -0.3, 0.0, 0.5},
    {0.2, -0.4, 0.3, 3}, {0.0, 0.2, 0.4, 0},  {-0.1, 0.0, -0.2, 1.5}};

static struct ky_field bodies_at(const double x[3], double eps2)
{
    struct ky_field field = {0, 0, 0, 0};
    for (int j = 0; j < BODIES; j++) {
        double dx = cloud[j][0] - x[0], dy = cloud[j][1] - x[1], dz = cloud[j][2] - x[2];
        field = ky_add_body(field, dx, dy, dz, ky_soften(dx, dy, dz, eps2, 0, 0),
                            cloud[j][3] * KY_SCALE_MASS(1));
    }
    return field;
}

/* The field of the cloud as one cell. */
static struct ky_field cell_at(const double x[3], double eps2)
{
    double m = 0, com[3] = {0}, P[6] = {0}, trace;
    for (int j = 0; j < BODIES; j++) {
        m += cloud[j][3];
        for (int c = 0; c < 3; c++)
            com[c] += cloud[j][3] * cloud[j][c];
    }
    for (int j = 0; j < BODIES; j++) {
        double d[3];
        for (int c = 0; c < 3; c++)
            d[c] = cloud[j][c] - com[c] / m;
        for (int k = 0; k < 6; k++)
            P[k] += cloud[j][3] * d[k < 3 ? k : k == 5 ? 1 : 0] * d[k < 3 ? k : k == 3 ? 1 : 2];
    }
    trace = P[0] + P[1] + P[2];
    for (int k = 0; k < 6; k++)
        P[k] *= KY_SCALE_SECOND(1);
    const struct ky_moments moments = {
        m * KY_SCALE_MASS(1),      P[0], P[1], P[2], P[3], P[4], P[5], KY_SCALE_TRACE(1) * trace,
        KY_SCALE_TRACE3(1) * trace};
    double dx = com[0] / m - x[0], dy = com[1] / m - x[1], dz = com[2] / m - x[2];
    return ky_add_cell((struct ky_field){0, 0, 0, 0}, dx, dy, dz, ky_soften(dx, dy, dz, eps2, 0, 0),
                       moments);
}

typedef struct ky_field field_at(const double x[3], double eps2);

/* Fails unless a = ∇p (p = −φ), by differences of fourth order. */
static void check_gradient(field_at *field)
{
    static const double x[3] = {1.3, -0.9, 0.7}, h = 1e-3;
    for (int soft = 0; soft < 2; soft++) {
        double eps2 = 0.3 * soft;
        struct ky_field at = field(x, eps2);
        const double a[3] = {at.x, at.y, at.z};
        for (int c = 0; c < 3; c++) {
            double p[5];
            for (int k = -2; k <= 2; k++) {
                double shifted[3] = {x[0], x[1], x[2]};
                shifted[c] += k * h;
                p[k + 2] = field(shifted, eps2).p;
            }
            double slope = (p[0] - 8 * p[1] + 8 * p[3] - p[4]) / (12 * h);
            assert_between(slope - a[c], -1e-9, 1e-9);
        }
    }
}

static void a_bodys_pull_is_the_gradient(void **state)
{
    (void)state;
    check_gradient(bodies_at);
}

static void a_cells_pull_is_the_gradient(void **state)
{
    (void)state;
    check_gradient(cell_at);
}

/* The error of a quadrupole falls as (size/distance)³, for the potential and the acceleration,
 * softened or not. At twice the distance it is 8 times smaller, up to the next order. With a wrong
 * quadrupole, or with softening and a traceless one, it would be 4 times smaller. */
static void a_cell_stands_for_its_bodies(void **state)
{
    (void)state;
    for (int soft = 0; soft < 2; soft++) {
        double error[2][2];
        for (int far = 0; far < 2; far++) {
            double scale = far ? 20 : 10, eps2 = soft * scale * scale;
            const double x[3] = {0.6 * scale, -0.5 * scale, 0.4 * scale};
            struct ky_field cell = cell_at(x, eps2), bodies = bodies_at(x, eps2);
            double dx = cell.x - bodies.x, dy = cell.y - bodies.y, dz = cell.z - bodies.z;
            double a = bodies.x * bodies.x + bodies.y * bodies.y + bodies.z * bodies.z;
            error[far][0] = sqrt((dx * dx + dy * dy + dz * dz) / a);
            error[far][1] = fabs(cell.p / bodies.p - 1);
        }
        assert_between(error[0][0], 1e-8, 1e-3);
        assert_between(error[0][0] / error[1][0], 6, 11);
        assert_between(error[0][1] / error[1][1], 6, 11);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bodys_pull_is_the_gradient),
        cmocka_unit_test(a_cells_pull_is_the_gradient),
        cmocka_unit_test(a_cell_stands_for_its_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
