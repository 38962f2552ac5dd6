/* Every option with its type, range, default and unit, from which a program can make an interface
 * in any language; and a parameter that is set by its name.
 *
 *     cc 10-options.c $(pkg-config --cflags --libs kyoho) && ./a.out */
#include <kyoho/kyoho.h>

#include <stdio.h>
#include <stdlib.h>

static struct ky_error error;

static void must(enum ky_status status)
{
    if (status != KY_OK) {
        fprintf(stderr, "%s\n", error.text);
        exit((int)status);
    }
}

int main(void)
{
    static const char *const kinds[] = {"flag", "integer", "real", "choice", "text"};
    struct ky_option_about about = {0};
    struct ky_parameters parameters;
    for (size_t k = 0; ky_option_get(k, &about) == KY_OK; k++) {
        printf("%-10s %-15s %-8s default %-9s", about.section, about.name, kinds[about.kind],
               about.initial ? about.initial : "-");
        if (about.low <= about.high)
            printf(" from %g to %g", about.low, about.high);
        printf("%s%s %s\n", about.unit[0] ? " in units of " : "", about.unit,
               about.choices ? about.choices : "");
    }
    ky_parameters_defaults(&parameters);
    must(ky_parameters_set(&parameters, "opening", "offset", &error));
    must(ky_parameters_set(&parameters, "theta", "0.5", &error));
    printf("opening %d  theta %g\n", parameters.opening, parameters.theta);
    if (ky_parameters_set(&parameters, "thete", "0.5", &error) != KY_OK)
        printf("%s\n", error.text);
    return 0;
}
