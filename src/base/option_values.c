/* Options: fields set from text, and checked. The command line is in options_line.c, INI text in
 * ini.c, the text of --help in help.c. */
#include "base/options.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

/* ---- one field ---- */

static void *field(const struct ky_option *option, void *values)
{
    return (char *)values + option->offset;
}

static const void *const_field(const struct ky_option *option, const void *values)
{
    return (const char *)values + option->offset;
}

static int in_range(const struct ky_option *option, double value)
{
    return option->high < option->low || (value >= option->low && value <= option->high);
}

static enum ky_status out_of_range(const struct ky_option *option, const char *text,
                                   const char *where, struct ky_error *error)
{
    if (option->high < option->low)
        return ky_fail(error, KY_USAGE, "%s: %s is out of range; it must be finite", where, text);
    if (option->low == DBL_TRUE_MIN)
        return ky_fail(error, KY_USAGE, "%s: %s is out of range; it must be above 0", where, text);
    if (isinf(option->high))
        return ky_fail(error, KY_USAGE, "%s: %s is out of range; it must be at least %g", where,
                       text, option->low);
    return ky_fail(error, KY_USAGE, "%s: %s is out of range; it must be from %g to %g", where, text,
                   option->low, option->high);
}

/* The number in `text`, all of it; '_' may stand between digits. */
static int parse_number(const char *text, double *value)
{
    char clean[64];
    size_t used = 0;
    for (const char *c = text; *c; c++) {
        if (*c == '_' && used && c[1])
            continue;
        if (used == sizeof clean - 1)
            return 0;
        clean[used++] = *c;
    }
    clean[used] = '\0';
    char *end = clean;
    *value = ky_number_real(clean, &end);
    return used && *end == '\0' && isfinite(*value);
}

/* Reads yes, no and their synonyms; 0 for other text. */
static int parse_flag(const char *text, int *value)
{
    static const char *const words[2][4] = {{"0", "no", "false", "off"},
                                            {"1", "yes", "true", "on"}};
    for (int v = 0; v < 2; v++)
        for (int k = 0; k < 4; k++)
            if (!strcmp(text, words[v][k])) {
                *value = v;
                return 1;
            }
    return 0;
}

/* Index of `text` in "a|b|c", or -1. */
static int choice_index(const char *choices, const char *text)
{
    size_t length = strlen(text);
    int index = 0;
    for (const char *word = choices;; index++) {
        size_t size = strcspn(word, "|");
        if (size == length && length && !strncmp(word, text, size))
            return index;
        if (!word[size])
            return -1;
        word += size + 1;
    }
}

/* The word with that index in "a|b|c", and its length; NULL for an index outside of the list. */
static const char *choice_word(const char *choices, int index, size_t *length)
{
    const char *word = choices;
    *length = 0;
    if (index < 0)
        return NULL;
    for (;; index--) {
        *length = strcspn(word, "|");
        if (index == 0)
            return word;
        if (!word[*length])
            return NULL;
        word += *length + 1;
    }
}

/* Sets a count. Plain digits are exact up to 2^64 − 1; a number such as 1e6 goes through double. */
static enum ky_status set_count(uint64_t *place, const char *text, double value, const char *where,
                                struct ky_error *error)
{
    int digits = text[strspn(text, "0123456789")] == '\0';
    char *end = NULL;
    uint64_t exact = digits ? ky_number_count(text, &end) : 0;
    if (end == text || value < 0 || (!digits && value >= 0x1p64))
        return ky_fail(error, KY_USAGE, "%s: %s must be from 0 to 2^64 - 1", where, text);
    *place = digits ? exact : (uint64_t)value;
    return KY_OK;
}

/* Sets an integer, a count or a real. KY_USAGE for text that is not a number, or is out of range.
 */
static enum ky_status set_number(const struct ky_option *option, void *place, const char *text,
                                 const char *where, struct ky_error *error)
{
    double value = 0;
    if (!parse_number(text, &value))
        return ky_fail(error, KY_USAGE, "%s: '%s' is not a number", where, text);
    if (option->type != KY_OPTION_REAL && value != floor(value))
        return ky_fail(error, KY_USAGE, "%s: %s is not a whole number", where, text);
    if (!in_range(option, value))
        return out_of_range(option, text, where, error);
    switch (option->type) {
    case KY_OPTION_REAL:
        *(double *)place = value;
        break;
    case KY_OPTION_INTEGER:
        if (fabs(value) > 2147483647.0)
            return ky_fail(error, KY_USAGE, "%s: %s is too large", where, text);
        *(int *)place = (int)value;
        break;
    default:
        return set_count(place, text, value, where, error);
    }
    return KY_OK;
}

enum ky_status ky_option_set_text(const struct ky_option *option, void *values, const char *text,
                                  const char *where, struct ky_error *error)
{
    void *place = field(option, values);
    int value = 0;
    switch (option->type) {
    case KY_OPTION_TEXT:
        *(const char **)place = text;
        return KY_OK;
    case KY_OPTION_FLAG:
        if (!parse_flag(text, &value))
            return ky_fail(error, KY_USAGE, "%s: '%s' is neither yes nor no", where, text);
        *(int *)place = value;
        return KY_OK;
    case KY_OPTION_CHOICE:
        value = choice_index(option->choices, text);
        if (value < 0)
            return ky_fail(error, KY_USAGE, "%s: '%s' is not one of %s", where, text,
                           option->choices);
        *(int *)place = value;
        return KY_OK;
    default:
        return set_number(option, place, text, where, error);
    }
}

/* Gives a field the value that stands for "unset"; flags and whole numbers become 0. */
static void unset(const struct ky_option *option, void *values)
{
    void *place = field(option, values);
    switch (option->type) {
    case KY_OPTION_TEXT:
        *(const char **)place = NULL;
        break;
    case KY_OPTION_REAL:
        *(double *)place = (double)NAN;
        break;
    case KY_OPTION_CHOICE:
        *(int *)place = -1;
        break;
    case KY_OPTION_COUNT:
        *(uint64_t *)place = 0;
        break;
    default:
        *(int *)place = 0;
    }
}

void ky_options_defaults(const struct ky_option_set *set)
{
    for (size_t k = 0; k < set->count; k++) {
        const struct ky_option *option = &set->options[k];
        unset(option, set->values);
        if (option->initial)
            ky_option_set_text(option, set->values, option->initial, option->name, NULL);
    }
}

int ky_option_is_set(const struct ky_option *option, const void *values)
{
    const void *place = const_field(option, values);
    switch (option->type) {
    case KY_OPTION_TEXT:
        return *(const char *const *)place != NULL;
    case KY_OPTION_REAL:
        return !isnan(*(const double *)place);
    case KY_OPTION_CHOICE:
        return *(const int *)place >= 0;
    default:
        return 1;
    }
}

void ky_option_text(const struct ky_option *option, const void *values, char *text, size_t size)
{
    const void *place = const_field(option, values);
    size_t length = 0;
    const char *word = "";
    char number[KY_NUMBER_TEXT];
    *text = '\0';
    if (!ky_option_is_set(option, values))
        return;
    switch (option->type) {
    case KY_OPTION_TEXT:
        snprintf(text, size, "%s", *(const char *const *)place);
        break;
    case KY_OPTION_REAL:
        snprintf(text, size, "%s", ky_number_text(number, *(const double *)place));
        break;
    case KY_OPTION_CHOICE:
        word = choice_word(option->choices, *(const int *)place, &length);
        snprintf(text, size, "%.*s", word ? (int)length : 0, word ? word : "");
        break;
    case KY_OPTION_FLAG:
        snprintf(text, size, "%s", *(const int *)place ? "yes" : "no");
        break;
    case KY_OPTION_COUNT:
        snprintf(text, size, "%" PRIu64, *(const uint64_t *)place);
        break;
    default:
        snprintf(text, size, "%d", *(const int *)place);
    }
}

/* ---- many options ---- */

size_t ky_options_total(const struct ky_option_set *sets, size_t count)
{
    size_t total = 0;
    for (size_t s = 0; s < count; s++)
        total += sets[s].count;
    return total;
}

size_t ky_options_index(const struct ky_option_set *sets, const struct ky_option_set *owner,
                        const struct ky_option *option)
{
    return ky_options_total(sets, (size_t)(owner - sets)) + (size_t)(option - owner->options);
}

const char *ky_option_value_word(const struct ky_option *option)
{
    if (option->value)
        return option->value;
    switch (option->type) {
    case KY_OPTION_FLAG:
        return "";
    case KY_OPTION_CHOICE:
        return option->choices;
    case KY_OPTION_REAL:
        return "REAL";
    case KY_OPTION_TEXT:
        return "TEXT";
    default:
        return "NUMBER";
    }
}

void ky_option_mark_given(const struct ky_option_set *set, const struct ky_option *option)
{
    if (set->given)
        set->given[option - set->options] = 1;
}

int ky_option_given(const struct ky_option_set *sets, size_t count, const char *name)
{
    const struct ky_option_set *owner = NULL;
    const struct ky_option *option = ky_options_find(sets, count, name, &owner);
    return option && owner->given && owner->given[option - owner->options];
}

enum ky_status ky_option_refuse_idle(const char *name, const char *with, int is_stored,
                                     struct ky_error *error)
{
    return ky_fail(error, KY_USAGE,
                   "--%s has no effect with %s%s: leave out --%s, or change the other option", name,
                   with, is_stored ? ", which this run has" : "", name);
}

enum ky_status ky_options_check(const struct ky_option_set *set, struct ky_error *error)
{
    for (size_t k = 0; k < set->count; k++) {
        const struct ky_option *option = &set->options[k];
        const void *place = const_field(option, set->values);
        int below = option->type == KY_OPTION_CHOICE && *(const int *)place < -1;
        if (!below && !ky_option_is_set(option, set->values) && !option->initial)
            continue; /* an option may stay unset */
        char text[64];
        size_t length;
        double value = 0;
        switch (option->type) {
        case KY_OPTION_REAL:
            value = *(const double *)place;
            break;
        case KY_OPTION_COUNT:
            value = (double)*(const uint64_t *)place;
            break;
        case KY_OPTION_INTEGER:
            value = *(const int *)place;
            break;
        case KY_OPTION_CHOICE:
            if (!choice_word(option->choices, *(const int *)place, &length))
                return ky_fail(error, KY_USAGE, "%s: %d is not one of %s", option->name,
                               *(const int *)place, option->choices);
            continue;
        case KY_OPTION_FLAG:
            if (*(const unsigned *)place > 1)
                return ky_fail(error, KY_USAGE, "%s: %d is neither 0 nor 1", option->name,
                               *(const int *)place);
            continue;
        default:
            continue;
        }
        ky_option_text(option, set->values, text, sizeof text);
        if (!*text)
            ky_format(text, sizeof text, "%g", value);
        if (!isfinite(value) || !in_range(option, value))
            return out_of_range(option, text, option->name, error);
    }
    return KY_OK;
}
