/* The external fields of parameters: the text of --field, by the table of physics/external.h, and
 * the caller's function. */
#include "engine/common/external.h"

#include <stdio.h>
#include <string.h>

#include "base/named_numbers.h"

static const char blanks[] = " \t\r\n";

#define NAME(name, NAME, help) #name,
static const char *const kinds[] = {KY_EXTERNAL_KINDS(NAME)};

/* Numbers that every kind has. */
enum { CENTRE = 3, MOST = KY_EXTERNAL_NUMBERS + CENTRE };
static const struct ky_external_number centre[CENTRE] = {
    {0, 1, "x", KY_GIVEN_PLAIN, KY_NUMBER_ANY, "0", "of the centre [length]"},
    {0, 1, "y", KY_GIVEN_PLAIN, KY_NUMBER_ANY, "0", "of the centre [length]"},
    {0, 1, "z", KY_GIVEN_PLAIN, KY_NUMBER_ANY, "0", "of the centre [length]"},
};

static enum ky_status find_kind(const char *name, enum ky_external_kind *kind,
                                struct ky_error *error)
{
    for (int k = 0; k < KY_EXTERNAL_KIND_COUNT; k++)
        if (!strcmp(kinds[k], name)) {
            *kind = (enum ky_external_kind)k;
            return KY_OK;
        }
    const char *near = ky_nearest_word(name, kinds, KY_EXTERNAL_KIND_COUNT);
    return ky_fail(error, KY_USAGE,
                   "no external field is named '%.40s'%s%s; `kyoho help run` lists them", name,
                   near ? "; did you mean " : "", near ? near : "");
}

/* Lists the numbers of the field's kind, where they go, and how they are given; returns how many.
 */
static size_t list_numbers(struct ky_external *field, struct ky_named_number number[MOST],
                           int how[MOST])
{
    const struct ky_external_number *own = ky_external_numbers[field->kind];
    size_t count = 0;
    for (int k = 0; k < KY_EXTERNAL_NUMBERS + CENTRE; k++) {
        const struct ky_external_number *from =
            k < KY_EXTERNAL_NUMBERS ? &own[k] : &centre[k - KY_EXTERNAL_NUMBERS];
        if (!from->word)
            continue;
        how[count] = from->how;
        number[count++] = (struct ky_named_number){
            from->word,
            (enum ky_number_range)from->range,
            from->initial,
            from->help,
            k < KY_EXTERNAL_NUMBERS ? &field->number[k] : &field->centre[k - KY_EXTERNAL_NUMBERS],
            0};
    }
    return count;
}

/* A field, and the numbers that its text gives. */
struct reading {
    struct ky_external field;
    struct ky_named_number number[MOST];
    int how[MOST];
    size_t count;
};

/* "name:word=value,word=value", which is cut up. */
static enum ky_status read_numbers(char *text, const struct ky_units *units,
                                   struct reading *reading, struct ky_error *error)
{
    char of[64], *numbers = strchr(text, ':');
    if (numbers)
        *numbers++ = '\0';
    reading->field = (struct ky_external){0};
    enum ky_status status = find_kind(text, &reading->field.kind, error);
    if (status)
        return status;
    reading->count = list_numbers(&reading->field, reading->number, reading->how);
    snprintf(of, sizeof of, "external field %s", kinds[reading->field.kind]);
    return ky_named_numbers_read(of, numbers, units, reading->number, reading->count, error);
}

static enum ky_status read_field(char *text, double g, const struct ky_units *units,
                                 struct ky_external *field, struct ky_error *error)
{
    struct reading reading;
    enum ky_status status = read_numbers(text, units, &reading, error);
    for (size_t k = 0; !status && k < reading.count; k++)
        *reading.number[k].place *= reading.how[k] == KY_GIVEN_MASS      ? g
                                    : reading.how[k] == KY_GIVEN_SQUARED ? *reading.number[k].place
                                                                         : 1;
    *field = reading.field;
    return status;
}

/* Copies the next field of a text, and moves *text behind it. 0 at the end, −1 if the field has too
 * many characters. */
enum { ONE = 512 };
static int next_field(const char **text, char one[ONE])
{
    *text += strspn(*text, blanks);
    const size_t length = strcspn(*text, blanks);
    if (length >= ONE)
        return -1;
    memcpy(one, *text, length);
    one[length] = '\0';
    *text += length;
    return length > 0;
}

enum ky_status ky_externals_plain(const char *text, const struct ky_units *units, char *plain,
                                  size_t size, struct ky_error *error)
{
    char one[ONE];
    size_t used = 0;
    *plain = '\0';
    while (next_field(&text, one) > 0 && used < size) {
        struct reading reading;
        enum ky_status status = read_numbers(one, units, &reading, error);
        if (status)
            return status;
        used += (size_t)snprintf(plain + used, size - used, "%s%s:", used ? " " : "",
                                 kinds[reading.field.kind]);
        used += ky_named_numbers_write(reading.number, reading.count,
                                       plain + (used < size ? used : size),
                                       used < size ? size - used : 0);
    }
    return used < size
               ? KY_OK
               : ky_fail(error, KY_USAGE, "external fields: more than %zu characters", size);
}

enum ky_status ky_externals_read(const char *text, double g, const struct ky_units *units,
                                 struct ky_externals *own, struct ky_error *error)
{
    char one[ONE];
    struct ky_external field[KY_MOST_EXTERNALS];
    enum ky_status status = KY_OK;
    size_t count = 0;
    for (int more; !status && (more = next_field(&text, one));) {
        if (count == KY_MOST_EXTERNALS || more < 0)
            return ky_fail(error, KY_USAGE,
                           "external fields: at most %d act at once, of %d characters each",
                           KY_MOST_EXTERNALS, ONE - 1);
        status = read_field(one, g, units, &field[count++], error);
    }
    return status ? status : ky_externals_replace(own, field, count, error);
}

enum ky_status ky_externals_of(const struct ky_parameters *parameters, struct ky_externals *own,
                               struct ky_error *error)
{
    enum ky_status status = ky_externals_read(parameters->field ? parameters->field : "",
                                              parameters->g, &parameters->units, own, error);
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
