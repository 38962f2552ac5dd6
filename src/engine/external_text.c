/* The external fields of parameters: the text of --field, names of kinds and their numbers as the
 * table of physics/external.h has them, and the caller's function. */
#include "engine/external.h"

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

/* The numbers of the field's kind with the places where they go, and how they are given; returns
 * how many. */
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

/* "name:word=value,word=value", which is cut up. */
static enum ky_status read_field(char *text, double g, struct ky_external *field,
                                 struct ky_error *error)
{
    struct ky_named_number number[MOST];
    char of[64], *numbers = strchr(text, ':');
    int how[MOST];
    if (numbers)
        *numbers++ = '\0';
    *field = (struct ky_external){0};
    enum ky_status status = find_kind(text, &field->kind, error);
    if (status)
        return status;
    const size_t count = list_numbers(field, number, how);
    snprintf(of, sizeof of, "external field %s", kinds[field->kind]);
    status = ky_named_numbers_read(of, numbers, number, count, error);
    for (size_t k = 0; k < count && !status; k++)
        *number[k].place *= how[k] == KY_GIVEN_MASS      ? g
                            : how[k] == KY_GIVEN_SQUARED ? *number[k].place
                                                         : 1;
    return status;
}

enum ky_status ky_externals_read(const char *text, double g, struct ky_externals *own,
                                 struct ky_error *error)
{
    char one[512];
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
        status = read_field(one, g, &field[count++], error);
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
