/* The external fields of parameters: the text of --field, names of kinds and their numbers as the
 * table of physics/external.h has them, and the caller's function. */
#include "engine/external.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

static const char blanks[] = " \t\r\n";

#define NAME(name, NAME, help) #name,
static const char *const kinds[] = {KY_EXTERNAL_KINDS(NAME)};

/* Numbers that every kind has. */
enum { CENTRE = 3, MOST = KY_EXTERNAL_NUMBERS + CENTRE };
static const struct ky_external_number centre[CENTRE] = {
    {0, 1, "x", KY_GIVEN_PLAIN, KY_GIVEN_ANY, "0", "of the centre [length]"},
    {0, 1, "y", KY_GIVEN_PLAIN, KY_GIVEN_ANY, "0", "of the centre [length]"},
    {0, 1, "z", KY_GIVEN_PLAIN, KY_GIVEN_ANY, "0", "of the centre [length]"},
};

/* One field of the text. */
struct reading {
    struct ky_external field;
    const char *name;
    const struct ky_external_number *number[MOST];
    double *place[MOST];
    int given[MOST];
    size_t count;
    double g;
    struct ky_error *error;
};

static void add_number(struct reading *r, const struct ky_external_number *number, double *place)
{
    r->number[r->count] = number;
    r->place[r->count] = place;
    r->given[r->count++] = 0;
}

/* The numbers of the kind, and with them where they go. */
static enum ky_status begin(struct reading *r, const char *name)
{
    size_t kind = 0;
    while (kind < KY_EXTERNAL_KIND_COUNT && strcmp(kinds[kind], name) != 0)
        kind++;
    if (kind == KY_EXTERNAL_KIND_COUNT) {
        const char *near = ky_nearest_word(name, kinds, KY_EXTERNAL_KIND_COUNT);
        return ky_fail(r->error, KY_USAGE,
                       "no external field is named '%.40s'%s%s; `kyoho help run` lists them", name,
                       near ? "; did you mean " : "", near ? near : "");
    }
    r->field = (struct ky_external){.kind = (enum ky_external_kind)kind};
    r->name = kinds[kind];
    r->count = 0;
    for (int k = 0; k < KY_EXTERNAL_NUMBERS && ky_external_numbers[kind][k].word; k++)
        add_number(r, &ky_external_numbers[kind][k], &r->field.number[k]);
    for (int c = 0; c < CENTRE; c++)
        add_number(r, &centre[c], &r->field.centre[c]);
    return KY_OK;
}

static enum ky_status set_number(struct reading *r, size_t k, const char *text)
{
    static const char *const ranges[] = {[KY_GIVEN_ANY] = "finite",
                                         [KY_GIVEN_NOT_NEGATIVE] = "0 or more",
                                         [KY_GIVEN_POSITIVE] = "positive"};
    const struct ky_external_number *number = r->number[k];
    char *end;
    const double value = ky_number_real(text, &end);
    const int right = end != text && !*end && isfinite(value) &&
                      (number->range != KY_GIVEN_NOT_NEGATIVE || value >= 0) &&
                      (number->range != KY_GIVEN_POSITIVE || value > 0);
    if (!right)
        return ky_fail(r->error, KY_USAGE, "external field %s: %s=%.40s; %s must be %s, %s",
                       r->name, number->word, text, number->word, ranges[number->range],
                       number->help);
    *r->place[k] = number->how == KY_GIVEN_MASS      ? r->g * value
                   : number->how == KY_GIVEN_SQUARED ? value * value
                                                     : value;
    if (r->given[k]++)
        return ky_fail(r->error, KY_USAGE, "external field %s: %s is given twice", r->name,
                       number->word);
    return KY_OK;
}

/* "word=value". */
static enum ky_status read_number(struct reading *r, char *text)
{
    char *value = strchr(text, '=');
    const char *words[MOST];
    if (!value)
        return ky_fail(r->error, KY_USAGE,
                       "external field %s: '%.40s' is no number; it must be name=value", r->name,
                       text);
    *value++ = '\0';
    for (size_t k = 0; k < r->count; k++) {
        words[k] = r->number[k]->word;
        if (!strcmp(words[k], text))
            return set_number(r, k, value);
    }
    char all[160] = "";
    for (size_t k = 0, used = 0; k < r->count; k++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", k ? ", " : "", words[k]);
    return ky_fail(r->error, KY_USAGE, "external field %s has no number '%.40s'; it has %s",
                   r->name, text, all);
}

/* Those that were not given. */
static enum ky_status complete(struct reading *r)
{
    enum ky_status status = KY_OK;
    for (size_t k = 0; k < r->count && !status; k++)
        if (!r->given[k] && r->number[k]->initial)
            status = set_number(r, k, r->number[k]->initial);
        else if (!r->given[k])
            status = ky_fail(r->error, KY_USAGE,
                             "external field %s: %s is missing, %s; write %s:%s=…", r->name,
                             r->number[k]->word, r->number[k]->help, r->name, r->number[k]->word);
    return status;
}

/* "name:word=value,word=value", which is cut up. */
static enum ky_status read_field(struct reading *r, char *text)
{
    char *at = strchr(text, ':');
    if (at)
        *at++ = '\0';
    enum ky_status status = begin(r, text);
    while (!status && at) {
        char *next = strchr(at, ',');
        if (next)
            *next++ = '\0';
        status = read_number(r, at);
        at = next;
    }
    return status ? status : complete(r);
}

enum ky_status ky_externals_read(const char *text, double g, struct ky_externals *own,
                                 struct ky_error *error)
{
    char one[512];
    struct reading reading = {.g = g, .error = error};
    struct ky_external field[KY_MOST_EXTERNALS];
    enum ky_status status = KY_OK;
    size_t count = 0, length;
    for (text += strspn(text, blanks); *text && !status; text += strspn(text, blanks)) {
        length = strcspn(text, blanks);
        if (count == KY_MOST_EXTERNALS || length >= sizeof one)
            return ky_fail(error, KY_USAGE,
                           "external fields: at most %d act at once, of %zu characters each",
                           KY_MOST_EXTERNALS, sizeof one - 1);
        memcpy(one, text, length);
        one[length] = '\0';
        text += length;
        status = read_field(&reading, one);
        field[count++] = reading.field;
    }
    return status ? status : ky_externals_replace(own, field, count, error);
}

enum ky_status ky_externals_of(const struct ky_parameters *parameters, struct ky_externals *own,
                               struct ky_error *error)
{
    enum ky_status status =
        ky_externals_read(parameters->field ? parameters->field : "", parameters->g, own, error);
    if (status || !parameters->field_function)
        return status;
    if (own->count == KY_MOST_EXTERNALS)
        return ky_fail(error, KY_USAGE,
                       "a field function beside %zu fields; at most %d act at once", own->count,
                       KY_MOST_EXTERNALS);
    own->field[own->count++] = (struct ky_external){.kind = KY_EXTERNAL_FUNCTION,
                                                    .function = parameters->field_function,
                                                    .context = parameters->field_context,
                                                    .length = 1,
                                                    .acceleration = 1};
    return KY_OK;
}
