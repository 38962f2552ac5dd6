/* The text of --expansion. */
#include "integrate/expansion.h"

#include <math.h>
#include <string.h>

#include "base/named_numbers.h"
#include "base/number.h"

enum ky_status ky_expansion_read(const char *text, const struct ky_units *units,
                                 struct ky_expansion *expansion, struct ky_error *error)
{
    char own[KY_EXPANSION_TEXT];
    double w0;
    *expansion = (struct ky_expansion){0};
    if (!text)
        return KY_OK;
    struct ky_named_number numbers[] = {
        {"omega-m", KY_NUMBER_POSITIVE, NULL, "density of matter relative to the critical density",
         &expansion->universe.matter, 0},
        {"omega-lambda", KY_NUMBER_ANY, "0", "the same for the cosmological constant",
         &expansion->universe.lambda, 0},
        {"omega-r", KY_NUMBER_NOT_NEGATIVE, "0", "the same for radiation",
         &expansion->universe.radiation, 0},
        {"w0", KY_NUMBER_ANY, "-1", "w today of dark energy with w = w0 + wa (1 - a)", &w0, 0},
        {"wa", KY_NUMBER_ANY, "0", "the change of w with a", &expansion->universe.wa, 0},
        {"h0", KY_NUMBER_POSITIVE, NULL, "H0 [1/time]", &expansion->h0, 0},
    };
    if (strlen(text) >= sizeof own)
        return ky_fail(error, KY_USAGE,
                       "--expansion has %zu characters; its numbers need less than %zu",
                       strlen(text), sizeof own);
    strcpy(own, text);
    KY_TRY(ky_named_numbers_read(
        &(struct ky_named_numbers){"--expansion", units, numbers, sizeof numbers / sizeof *numbers},
        own, error));
    expansion->universe.w0_and_1 = w0 + 1;
    return KY_OK;
}

int ky_is_comoving(const struct ky_parameters *parameters)
{
    return parameters->box > 0 && parameters->expansion != NULL;
}

void ky_expansion_write(const struct ky_expansion *expansion, char text[KY_EXPANSION_TEXT])
{
    const struct ky_universe *universe = &expansion->universe;
    const struct {
        const char *name;
        double value, usual;
    } numbers[] = {{"omega-lambda", universe->lambda, (double)NAN},
                   {"omega-r", universe->radiation, 0},
                   {"w0", universe->w0_and_1 - 1, -1},
                   {"wa", universe->wa, 0},
                   {"h0", expansion->h0, (double)NAN}};
    char number[KY_NUMBER_TEXT];
    size_t used = (size_t)ky_format(text, KY_EXPANSION_TEXT, "omega-m=%s",
                                    ky_number_text(number, universe->matter));
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
        if (numbers[k].value < numbers[k].usual || !(numbers[k].value <= numbers[k].usual))
            used += (size_t)ky_format(text + used, KY_EXPANSION_TEXT - used, ",%s=%s",
                                      numbers[k].name, ky_number_text(number, numbers[k].value));
}
