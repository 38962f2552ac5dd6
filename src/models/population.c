/* Mass functions and rotation: see population.h. */
#include "models/population.h"

#include <math.h>

#include "base/random.h"

/* Between this mass and the mass of the next piece, the number of bodies per unit mass is
 * proportional to m^−slope. */
struct piece {
    double from, slope;
};

/* Masses in solar masses; only their ratios count. The last entry is the largest mass. */
enum { PIECES = 2 };
static const struct piece laws[][PIECES + 1] = {
    [KY_MASS_SALPETER] = {{0.1, 2.35}, {100, 2.35}, {100, 0}}, /* Salpeter (1955) */
    [KY_MASS_KROUPA] = {{0.08, 1.3}, {0.5, 2.3}, {100, 0}},    /* Kroupa (2001), eq. 2 */
};

/* The number of bodies in each piece, if the first one is m^−slope, and the factor that makes the
 * function continuous. */
struct part {
    double factor, number;
};

static double measure(const struct piece law[PIECES + 1], struct part part[PIECES])
{
    double total = 0, factor = 1;
    for (int k = 0; k < PIECES; k++) {
        const double power = 1 - law[k].slope;
        if (k > 0)
            factor *= pow(law[k].from, law[k].slope - law[k - 1].slope);
        part[k].factor = factor;
        part[k].number = factor * (pow(law[k + 1].from, power) - pow(law[k].from, power)) / power;
        total += part[k].number;
    }
    return total;
}

/* A mass function, prepared for sampling. */
struct function {
    const struct piece *law;
    struct part part[PIECES];
    double total;
};

static struct function function_of(int mass_function)
{
    struct function function = {.law = laws[mass_function]};
    function.total = measure(function.law, function.part);
    return function;
}

/* The mass of body i in solar masses. */
static double mass_of(const struct function *function, uint64_t seed, uint64_t i)
{
    struct ky_random random = ky_random_at(seed, KY_STREAM_MASS, i);
    double rest = function->total * ky_random_uniform(&random);
    int k = 0;
    for (; k + 1 < PIECES && rest > function->part[k].number; k++)
        rest -= function->part[k].number;
    const double from = function->law[k].from, to = function->law[k + 1].from,
                 power = 1 - function->law[k].slope;
    const double mass = pow(pow(from, power) + rest * power / function->part[k].factor, 1 / power);
    return fmin(fmax(mass, from), to);
}

double ky_population_total(int mass_function, uint64_t seed, uint64_t n)
{
    const struct function function = function_of(mass_function);
    double sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += mass_of(&function, seed, i);
    return sum;
}

uint64_t ky_population_number(int mass_function, uint64_t seed, double total, double *sum)
{
    const struct function function = function_of(mass_function);
    uint64_t n = 0;
    double before = 0;
    *sum = 0;
    if (!(total < 0x1p40 * function.law[0].from))
        return 0;
    for (; *sum < total; n++) {
        before = *sum;
        *sum += mass_of(&function, seed, n);
    }
    if (n > 1 && total - before < *sum - total) {
        *sum = before;
        n--;
    }
    return n;
}

enum ky_status ky_population_masses(int mass_function, uint64_t seed,
                                    const struct ky_portion *portion, struct ky_bodies *bodies,
                                    struct ky_error *error)
{
    double sum;
    if (mass_function == KY_MASS_EQUAL)
        return KY_OK;
    const struct function function = function_of(mass_function);
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < bodies->n; i++)
        bodies->mass[i] = mass_of(&function, seed, portion->first + i);
    const enum ky_status status = ky_portion_sum(portion, bodies->mass, &sum, error);
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < bodies->n; i++)
        bodies->mass[i] /= sum;
    return status;
}

/* Reverses the component of v about the axis: with R² = x² + y² it is L_z (−y, x)/R². */
static void turn_about(const double x[3], double v[3])
{
    const double r2 = x[0] * x[0] + x[1] * x[1], twice = 2 * (x[0] * v[1] - x[1] * v[0]) / r2;
    v[0] += twice * x[1];
    v[1] -= twice * x[0];
}

void ky_population_rotate(double fraction, uint64_t seed, size_t first, struct ky_bodies *bodies)
{
    if (!(fraction > 0))
        return;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < bodies->n; i++) {
        const double *x = bodies->position[i];
        double *v = bodies->velocity[i];
        struct ky_random random = ky_random_at(seed, KY_STREAM_ROTATION, first + i);
        if (x[0] * v[1] - x[1] * v[0] < 0 && ky_random_uniform(&random) <= fraction)
            turn_about(x, v);
    }
}
