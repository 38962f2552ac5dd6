/* Numbers by name in a text. */
#include "base/named_numbers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

static enum ky_status set(const char *of, struct ky_named_number *number, const char *text,
                          struct ky_error *error)
{
    static const char *const ranges[] = {[KY_NUMBER_ANY] = "finite",
                                         [KY_NUMBER_NOT_NEGATIVE] = "0 or more",
                                         [KY_NUMBER_POSITIVE] = "positive"};
    char *end;
    const double value = ky_number_real(text, &end);
    const int right = end != text && !*end && isfinite(value) &&
                      (number->range != KY_NUMBER_NOT_NEGATIVE || value >= 0) &&
                      (number->range != KY_NUMBER_POSITIVE || value > 0);
    if (!right)
        return ky_fail(error, KY_USAGE, "%s: %s=%.40s; %s must be %s, %s", of, number->word, text,
                       number->word, ranges[number->range], number->help);
    *number->place = value;
    if (number->given++)
        return ky_fail(error, KY_USAGE, "%s: %s is given twice", of, number->word);
    return KY_OK;
}

/* "word=value". */
static enum ky_status read_one(const char *of, char *text, struct ky_named_number *number,
                               size_t count, struct ky_error *error)
{
    char *value = strchr(text, '='), all[160] = "";
    if (!value)
        return ky_fail(error, KY_USAGE, "%s: '%.40s' is not a number; it must be name=value", of,
                       text);
    *value++ = '\0';
    for (size_t k = 0, used = 0; k < count && used < sizeof all; k++) {
        if (!strcmp(number[k].word, text))
            return set(of, &number[k], value, error);
        used +=
            (size_t)snprintf(all + used, sizeof all - used, "%s%s", k ? ", " : "", number[k].word);
    }
    return ky_fail(error, KY_USAGE, "%s has no number '%.40s'; it has %s", of, text, all);
}

/* Gives a number that was not named its default; KY_USAGE if it has none. */
static enum ky_status complete(const char *of, struct ky_named_number *number,
                               struct ky_error *error)
{
    if (number->given)
        return KY_OK;
    return number->initial ? set(of, number, number->initial, error)
                           : ky_fail(error, KY_USAGE, "%s: %s is missing, %s; write %s=…", of,
                                     number->word, number->help, number->word);
}

enum ky_status ky_named_numbers_read(const char *of, char *text, struct ky_named_number *number,
                                     size_t count, struct ky_error *error)
{
    enum ky_status status = KY_OK;
    while (!status && text) {
        char *next = strchr(text, ',');
        if (next)
            *next++ = '\0';
        status = read_one(of, text, number, count, error);
        text = next;
    }
    for (size_t k = 0; k < count && !status; k++)
        status = complete(of, &number[k], error);
    return status;
}
