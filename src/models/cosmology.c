/* Growth and power of density perturbations: the integrals and fits that cosmology.h names. */
#include "models/cosmology.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"

static const double pi = 3.14159265358979323846;

enum { PANELS = 2000 }; /* steps of Simpson's rule; even */

/* Simpson's weight of the point i of 0 … PANELS, in steps. */
static double simpson(int i)
{
    return i == 0 || i == PANELS ? 1. / 3 : i % 2 ? 4. / 3 : 2. / 3;
}

/* a³ (H/H0)²; tends to Ωm as a → 0. */
static double cubic(const struct ky_cosmology *c, double a)
{
    return c->universe.matter + (1 - c->universe.matter - c->universe.lambda) * a +
           c->universe.lambda * a * a * a;
}

enum ky_status ky_cosmology_check(const struct ky_cosmology *cosmology, struct ky_error *error)
{
    if (cosmology->omega_b > cosmology->universe.matter)
        return ky_fail(error, KY_USAGE, "omega-b = %g is more than omega-m = %g, which includes it",
                       cosmology->omega_b, cosmology->universe.matter);
    for (int i = 0; i <= PANELS; i++)
        if (!(cubic(cosmology, (double)i / PANELS) > 0))
            return ky_fail(error, KY_USAGE,
                           "omega-m = %g with omega-lambda = %g: such a universe was never dense; "
                           "a smaller omega-lambda gives a Big Bang",
                           cosmology->universe.matter, cosmology->universe.lambda);
    return KY_OK;
}

double ky_matter_fraction(const struct ky_cosmology *cosmology, double a)
{
    return cosmology->universe.matter / cubic(cosmology, a);
}

struct ky_growth ky_growth_at(const struct ky_cosmology *cosmology, double a)
{
    const double omega = ky_matter_fraction(cosmology, a),
                 rate = ky_expansion_rate(a, &cosmology->universe);
    const double lambda = cosmology->universe.lambda / (rate * rate);
    const double d1 = ky_growth_factor(a, &cosmology->universe);
    return (struct ky_growth){
        .d1 = d1,
        .f1 = -1 - omega / 2 + lambda + 2.5 * omega * a / d1,
        .d2 = -3. / 7 * d1 * d1 * pow(omega, -1. / 143),
        .f2 = 2 * pow(omega, 6. / 11),
    };
}

double ky_transfer(const struct ky_cosmology *cosmology, double k)
{
    const double theta = 2.728 / 2.7; /* temperature of the CMB over 2.7 K */
    const double matter = cosmology->universe.matter * cosmology->h * cosmology->h,
                 baryons = cosmology->omega_b * cosmology->h * cosmology->h,
                 part = cosmology->omega_b / cosmology->universe.matter;
    const double horizon = 44.5 * log(9.83 / matter) / sqrt(1 + 10 * pow(baryons, 0.75)); /* Mpc */
    const double alpha =
        1 - 0.328 * log(431 * matter) * part + 0.38 * log(22.3 * matter) * part * part;
    const double shape = alpha + (1 - alpha) / (1 + pow(0.43 * k * horizon, 4));
    const double q = k * theta * theta / (matter * shape);
    const double l = log(2 * exp(1) + 1.8 * q), c = 14.2 + 731 / (1 + 62.5 * q);
    return l / (l + c * q * q);
}

/* P of a table: a power of k between two rows, and beyond the ends. */
static double table_power(const struct ky_power_table *table, double k)
{
    const double x = log(k);
    size_t low = 0, high = table->count - 1;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        *(table->ln_k[middle] <= x ? &low : &high) = middle;
    }
    const double part = (x - table->ln_k[low]) / (table->ln_k[high] - table->ln_k[low]);
    return exp(table->ln_p[low] + part * (table->ln_p[high] - table->ln_p[low]));
}

double ky_power(const struct ky_spectrum *spectrum, double k)
{
    if (spectrum->table.count)
        return spectrum->amplitude * table_power(&spectrum->table, k);
    const double transfer = ky_transfer(&spectrum->cosmology, k);
    return spectrum->amplitude * pow(k, spectrum->cosmology.index) * transfer * transfer;
}

/* Fourier transform of a homogeneous sphere (top-hat window), x = k R. */
static double window(double x)
{
    return x < 1e-2 ? 1 - x * x / 10 : 3 * (sin(x) - x * cos(x)) / (x * x * x);
}

/* σ² = ∫ d ln k k³ P W²/(2 π²), over k R from e^−range to e^range; the rest is less than 1e-6 of
 * it. */
double ky_sigma(const struct ky_spectrum *spectrum, double radius)
{
    const double first = -12, last = 6, step = (last - first) / PANELS;
    double sum = 0;
    for (int i = 0; i <= PANELS; i++) {
        const double x = exp(first + i * step), k = x / radius, w = window(x);
        sum += simpson(i) * step * k * k * k * ky_power(spectrum, k) * w * w;
    }
    return sqrt(sum / (2 * pi * pi));
}

/* The spectrum with another amplitude, so that it has the cosmology's sigma8. */
static struct ky_spectrum scaled(struct ky_spectrum spectrum)
{
    const struct ky_cosmology *cosmology = &spectrum.cosmology;
    const double ratio = cosmology->sigma8 / ky_sigma(&spectrum, 8 / cosmology->h);
    spectrum.amplitude *= ratio * ratio;
    return spectrum;
}

struct ky_spectrum ky_spectrum_of(const struct ky_cosmology *cosmology)
{
    return scaled((struct ky_spectrum){*cosmology, 1, {0}});
}

struct ky_spectrum ky_spectrum_of_table(const struct ky_cosmology *cosmology,
                                        const struct ky_power_table *table)
{
    const struct ky_spectrum spectrum = {*cosmology, 1, *table};
    return isnan(cosmology->sigma8) ? spectrum : scaled(spectrum);
}

/* δ = (2/5) (c k/H0)² T D1/Ωm × the curvature perturbation, which has k³ P/(2π²) = A_s
 * (k/0.05)^(n - 1). */
struct ky_spectrum ky_spectrum_of_curvature(const struct ky_cosmology *cosmology, double a_s)
{
    const double c_over_h0 = 299792.458 / (100 * cosmology->h), pivot = 0.05, /* Mpc, 1/Mpc */
        growth = ky_growth_at(cosmology, 1).d1,
                 factor = 0.4 * c_over_h0 * c_over_h0 * growth / cosmology->universe.matter;
    return (struct ky_spectrum){
        *cosmology, factor * factor * 2 * pi * pi * a_s * pow(pivot, 1 - cosmology->index), {0}};
}

/* ---- tables ---- */

/* Adds a row to a table with room for it. */
static enum ky_status add_row(const char *line, double h, struct ky_power_table *table,
                              struct ky_error *error)
{
    char *end, *last;
    const double k = ky_number_real(line, &end), p = ky_number_real(end, &last);
    const size_t n = table->count;
    if (end == line || last == end || !(k > 0) || !(p > 0) || !isfinite(k) || !isfinite(p))
        return ky_fail(error, KY_BAD_DATA, "'%.40s' is not a row of k and P, both above 0", line);
    table->ln_k[n] = log(k * h);
    table->ln_p[n] = log(p / (h * h * h));
    if (n && !(table->ln_k[n] > table->ln_k[n - 1]))
        return ky_fail(error, KY_BAD_DATA, "k = %g does not grow", k);
    table->count++;
    return KY_OK;
}

static enum ky_status read_rows(FILE *file, double h, struct ky_power_table *table,
                                struct ky_error *error)
{
    enum { MOST = 100000, LINE = 1024 };
    char line[LINE];
    table->ln_k = ky_allocate(MOST, sizeof *table->ln_k);
    table->ln_p = ky_allocate(MOST, sizeof *table->ln_p);
    if (!table->ln_k || !table->ln_p)
        return ky_no_memory(error, "a table of P(k)", MOST, 2 * sizeof *table->ln_k);
    while (fgets(line, sizeof line, file)) {
        const char *at = line + strspn(line, " \t\r\n");
        line[strcspn(line, "\r\n")] = '\0';
        if (!*at || *at == '#')
            continue;
        if (table->count == MOST)
            return ky_fail(error, KY_BAD_DATA, "more than %d rows", MOST);
        KY_TRY(add_row(at, h, table, error));
    }
    if (ferror(file)) /* as of a folder */
        return ky_fail(error, KY_BAD_DATA, "cannot be read: %s", strerror(errno));
    return table->count > 1 ? KY_OK
                            : ky_fail(error, KY_BAD_DATA, "%zu rows of k and P; two are the least",
                                      table->count);
}

enum ky_status ky_power_table_read(const char *path, double h, struct ky_power_table *table,
                                   struct ky_error *error)
{
    *table = (struct ky_power_table){0};
    FILE *file = fopen(path, "r");
    if (!file)
        return ky_fail(error, KY_USAGE, "%s: cannot be opened: %s", path, strerror(errno));
    const enum ky_status status = read_rows(file, h, table, error);
    fclose(file);
    return status ? ky_fail_in(error, status, "%s: ", path) : KY_OK;
}

void ky_power_table_free(struct ky_power_table *table)
{
    free(table->ln_k);
    free(table->ln_p);
    *table = (struct ky_power_table){0};
}
