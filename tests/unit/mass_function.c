/* Fits of mass functions against numbers of another program, and what is refused. */
#include "test.h"

#include <math.h>

#include "kyoho/kyoho.h"

static struct ky_error error;

/* Computed by COLOSSUS 1.4.0 (Diemer 2018) for the default universe without radiation, with its
 * spectrum "eisenstein98_zb", which is the same fit. Its δc is 1.68647. */
static void fits_are_those_of_another_program(void **state)
{
    (void)state;
    static const struct {
        double redshift, mass, density[3];
    } rows[] = {
        {0, 1e11, {0.042169787, 0.030291617, 0.031761133}},
        {0, 1e13, {7.1150276e-4, 4.7316763e-4, 5.2859974e-4}},
        {0, 1e14, {5.1680487e-5, 4.0301803e-5, 4.7449163e-5}},
        {0, 1e15, {3.9441658e-7, 7.2039758e-7, 7.2989188e-7}},
        {1, 1e11, {0.051395483, 0.034035137, 0.032896025}},
        {1, 1e13, {3.6956863e-4, 2.9974977e-4, 3.0151752e-4}},
        {1, 1e14, {5.1155490e-6, 8.0639054e-6, 7.0405833e-6}},
    };
    struct ky_mass_function_parameters parameters;
    ky_mass_function_parameters_defaults(&parameters);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        for (int fit = KY_PRESS_SCHECHTER; fit <= KY_TINKER; fit++) {
            double found;
            parameters.fit = fit;
            parameters.scale_factor = 1 / (1 + rows[k].redshift);
            assert_ok(ky_mass_function(&parameters, 1, &rows[k].mass, &found, &error));
            assert_between(found / rows[k].density[fit], 0.99, 1.01);
        }
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    struct ky_mass_function_parameters parameters;
    const double mass = 1e13, bad[] = {0, -1, (double)NAN, (double)INFINITY};
    double out;
    for (int k = 0; k < 9; k++) {
        ky_mass_function_parameters_defaults(&parameters);
        double *const member[] = {&parameters.omega_matter, &parameters.hubble, &parameters.sigma8,
                                  &parameters.scale_factor};
        if (k < 4)
            *member[k] = k % 2 ? 0 : (double)NAN;
        parameters.fit = k == 4 ? 3 : KY_TINKER;
        parameters.omega_baryons = k == 5 ? 0.4 : 0.05;
        parameters.spectrum = k == 6 ? "no such file" : NULL;
        const double *at = k == 7 ? NULL : &mass;
        double *to = k == 8 ? NULL : &out;
        assert_int_equal(ky_mass_function(&parameters, 1, at, to, &error), KY_USAGE);
    }
    ky_mass_function_parameters_defaults(&parameters);
    for (int k = 0; k < 4; k++)
        assert_int_equal(ky_mass_function(&parameters, 1, &bad[k], &out, &error), KY_USAGE);
    assert_ok(ky_mass_function(&parameters, 0, NULL, NULL, &error));
    assert_int_equal(ky_mass_function(NULL, 0, NULL, NULL, &error), KY_USAGE);
}

/* A table that is a power of k has a closed form, whatever its amplitude. */
static void tables_are_spectra(void **state)
{
    (void)state;
    static const char path[] = "mass-function-spectrum.txt";
    const double mass[2] = {1e12, 1e14};
    double of_fit[2], of_table[2];
    struct ky_mass_function_parameters parameters;
    ky_mass_function_parameters_defaults(&parameters);
    FILE *file = fopen(path, "w");
    for (int k = 0; k < 400; k++) /* a power law */
        fprintf(file, "%.9e %.9e\n", pow(10, -4 + 0.02 * k), pow(10, 2 - 1.5 * (0.02 * k)));
    fclose(file);
    parameters.spectrum = path;
    parameters.fit = KY_PRESS_SCHECHTER;
    assert_ok(ky_mass_function(&parameters, 2, mass, of_table, &error));
    remove(path);
    for (int k = 0; k < 2; k++) { /* P ∝ k^-1.5: σ = sigma8 (R/8)^-0.75, d ln σ/d ln M = -1/4 */
        const double mean = 2.77536627e11 * parameters.omega_matter,
                     radius = cbrt(3 * mass[k] / (4 * 3.14159265358979323846 * mean)),
                     nu = 1.686 / (parameters.sigma8 * pow(radius / 8, -0.75));
        of_fit[k] = sqrt(2 / 3.14159265358979323846) * nu * exp(-nu * nu / 2) * mean / mass[k] / 4;
        assert_between(of_table[k] / of_fit[k], 1 - 1e-3, 1 + 1e-3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fits_are_those_of_another_program),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(tables_are_spectra),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
