/* Numbers by name in a text. */
#include "base/named_numbers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/options.h"

/* The value of a number that has a unit. */
static enum ky_status read_unit(const struct ky_named_numbers *numbers,
                                const struct ky_named_number *number, const char *text,
                                double *value, struct ky_error *error)
{
    char unit[16], where[80];
    struct ky_dimension dimension;
    ky_option_unit(number->help, unit);
    snprintf(where, sizeof where, "%.40s: %.20s", numbers->of, number->word);
    if (!ky_dimension_of(unit, &dimension))
        return ky_fail(error, KY_USAGE, "%s=%.40s; it has no unit, %s", where, text, number->help);
    return ky_quantity_read(text, &(struct ky_quantity_form){numbers->units, dimension, where},
                            value, NULL, error);
}

static int is_in_range(enum ky_number_range range, double value)
{
    return isfinite(value) && (range == KY_NUMBER_ANY || value >= 0) &&
           (range != KY_NUMBER_POSITIVE || value > 0) &&
           (range != KY_NUMBER_BELOW_TWO || value < 2) &&
           (range != KY_NUMBER_SWITCH || value == 0 || value == 1);
}

/* `units`: 1 if the number may have a unit. */
static enum ky_status set(const struct ky_named_numbers *numbers, struct ky_named_number *number,
                          const char *text, int units, struct ky_error *error)
{
    static const char *const ranges[] = {[KY_NUMBER_ANY] = "finite",
                                         [KY_NUMBER_NOT_NEGATIVE] = "0 or more",
                                         [KY_NUMBER_POSITIVE] = "positive",
                                         [KY_NUMBER_BELOW_TWO] = "0 or more and below 2",
                                         [KY_NUMBER_SWITCH] = "0 or 1"};
    char *end;
    const char *unit, *of = numbers->of;
    double value = ky_number_real(text, &end);
    if (units && ky_has_unit(text, &unit)) {
        if (read_unit(numbers, number, text, &value, error))
            return KY_USAGE;
        end += strlen(end);
    }
    const int right = end != text && !*end && is_in_range(number->range, value);
    if (!right)
        return ky_fail(error, KY_USAGE, "%s: %s=%.40s; %s must be %s, %s", of, number->word, text,
                       number->word, ranges[number->range], number->help);
    *number->place = value;
    if (number->given++)
        return ky_fail(error, KY_USAGE, "%s: %s is given twice", of, number->word);
    return KY_OK;
}

/* "word=value". */
static enum ky_status read_one(const struct ky_named_numbers *numbers, char *text,
                               struct ky_error *error)
{
    struct ky_named_number *number = numbers->number;
    const char *of = numbers->of;
    char *value = strchr(text, '='), all[160] = "";
    if (!value)
        return ky_fail(error, KY_USAGE, "%s: '%.40s' is not a number; it must be name=value", of,
                       text);
    *value++ = '\0';
    for (size_t k = 0, used = 0; k < numbers->count && used < sizeof all; k++) {
        if (!strcmp(number[k].word, text))
            return set(numbers, &number[k], value, numbers->units != NULL, error);
        used +=
            (size_t)snprintf(all + used, sizeof all - used, "%s%s", k ? ", " : "", number[k].word);
    }
    return ky_fail(error, KY_USAGE, "%s has no number '%.40s'; it has %s", of, text, all);
}

/* Sets a number without a value to its default; KY_USAGE if it has none. */
static enum ky_status complete(const struct ky_named_numbers *numbers,
                               struct ky_named_number *number, struct ky_error *error)
{
    if (number->given)
        return KY_OK;
    return number->initial ? set(numbers, number, number->initial, 0, error)
                           : ky_fail(error, KY_USAGE, "%s: %s is missing, %s; write %s=…",
                                     numbers->of, number->word, number->help, number->word);
}

enum ky_status ky_named_numbers_read(const struct ky_named_numbers *numbers, char *text,
                                     struct ky_error *error)
{
    enum ky_status status = KY_OK;
    while (!status && text) {
        char *next = strchr(text, ',');
        if (next)
            *next++ = '\0';
        status = read_one(numbers, text, error);
        text = next;
    }
    for (size_t k = 0; k < numbers->count && !status; k++)
        status = complete(numbers, &numbers->number[k], error);
    return status;
}

size_t ky_named_numbers_write(const struct ky_named_number *number, size_t count, char *text,
                              size_t size)
{
    size_t used = 0;
    for (size_t k = 0; k < count; k++) {
        char value[KY_NUMBER_TEXT];
        used += (size_t)snprintf(text + (used < size ? used : size), used < size ? size - used : 0,
                                 "%s%s=%s", k ? "," : "", number[k].word,
                                 ky_number_text(value, *number[k].place));
    }
    return used;
}

int ky_named_numbers_have_units(const char *text)
{
    const char *unit;
    while ((text = strchr(text, '=')))
        if (ky_has_unit(++text, &unit) && *unit != ' ')
            return 1;
    return 0;
}
