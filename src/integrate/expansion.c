/* The text of --expansion. */
#include "integrate/expansion.h"

#include <string.h>

#include "base/named_numbers.h"
#include "base/number.h"

enum ky_status ky_expansion_read(const char *text, const struct ky_units *units,
                                 struct ky_expansion *expansion, struct ky_error *error)
{
    char own[KY_EXPANSION_TEXT];
    *expansion = (struct ky_expansion){0};
    if (!text)
        return KY_OK;
    struct ky_named_number numbers[] = {
        {"omega-m", KY_NUMBER_POSITIVE, NULL, "density of matter relative to the critical density",
         &expansion->omega_matter, 0},
        {"omega-lambda", KY_NUMBER_ANY, "0", "the same for the cosmological constant",
         &expansion->omega_lambda, 0},
        {"h0", KY_NUMBER_POSITIVE, NULL, "H0 [1/time]", &expansion->h0, 0},
    };
    if (strlen(text) >= sizeof own)
        return ky_fail(error, KY_USAGE,
                       "--expansion has %zu characters; omega-m, omega-lambda and h0 need less "
                       "than %zu",
                       strlen(text), sizeof own);
    strcpy(own, text);
    return ky_named_numbers_read(
        &(struct ky_named_numbers){"--expansion", units, numbers, sizeof numbers / sizeof *numbers},
        own, error);
}

void ky_expansion_write(const struct ky_expansion *expansion, char text[KY_EXPANSION_TEXT])
{
    char matter[KY_NUMBER_TEXT], lambda[KY_NUMBER_TEXT], h0[KY_NUMBER_TEXT];
    ky_format(text, KY_EXPANSION_TEXT, "omega-m=%s,omega-lambda=%s,h0=%s",
              ky_number_text(matter, expansion->omega_matter),
              ky_number_text(lambda, expansion->omega_lambda), ky_number_text(h0, expansion->h0));
}
