/* The external fields of parameters: the text of --field, by the table of physics/external.h and
 * that of external_sums.c, and the caller's function. */
#include "engine/common/external.h"

#include <stdio.h>
#include <string.h>

#include "base/named_numbers.h"

static const char blanks[] = " \t\r\n";

/* The names of kinds, and after them those of sums. */
#define WORD(name, NAME, word, help) word,
static const char *const words[] = {KY_EXTERNAL_KINDS(WORD) KY_EXTERNAL_SUMS(WORD)};
enum { WORDS = KY_EXTERNAL_KIND_COUNT + KY_EXTERNAL_SUM_COUNT };

/* Numbers that every field has. */
enum { CENTRE = 3, MOST = KY_EXTERNAL_NUMBERS + CENTRE };
static const struct ky_external_number centre[CENTRE] = {
    {0, 1, "x", KY_GIVEN_PLAIN, KY_NUMBER_ANY, "0", "of the centre [length]"},
    {0, 1, "y", KY_GIVEN_PLAIN, KY_NUMBER_ANY, "0", "of the centre [length]"},
    {0, 1, "z", KY_GIVEN_PLAIN, KY_NUMBER_ANY, "0", "of the centre [length]"},
};

static enum ky_status find_word(const char *name, int *which, struct ky_error *error)
{
    for (int k = 0; k < WORDS; k++)
        if (!strcmp(words[k], name)) {
            *which = k;
            return KY_OK;
        }
    const char *near = ky_nearest_word(name, words, WORDS);
    return ky_fail(error, KY_USAGE,
                   "no external field is named '%.40s'%s%s; `kyoho help run` lists them", name,
                   near ? "; did you mean " : "", near ? near : "");
}

/* The numbers of a kind or a sum, as a user gives them. */
struct reading {
    int which; /* its place in words[] */
    double value[MOST];
    struct ky_named_number number[MOST];
    size_t count;
};

/* Lists the numbers of what was named, and where their values go. */
static void list_numbers(struct reading *reading)
{
    const int which = reading->which;
    const struct ky_external_number *own =
        which < KY_EXTERNAL_KIND_COUNT ? ky_external_numbers[which]
                                       : ky_external_sums[which - KY_EXTERNAL_KIND_COUNT].number;
    reading->count = 0;
    for (int k = 0; k < MOST; k++) {
        const struct ky_external_number *from =
            k < KY_EXTERNAL_NUMBERS ? &own[k] : &centre[k - KY_EXTERNAL_NUMBERS];
        if (from->word)
            reading->number[reading->count++] =
                (struct ky_named_number){from->word,         (enum ky_number_range)from->range,
                                         from->initial,      from->help,
                                         &reading->value[k], 0};
    }
}

/* "name:word=value,word=value", which is cut up. */
static enum ky_status read_numbers(char *text, const struct ky_units *units,
                                   struct reading *reading, struct ky_error *error)
{
    char of[64], *numbers = strchr(text, ':');
    if (numbers)
        *numbers++ = '\0';
    *reading = (struct reading){0};
    enum ky_status status = find_word(text, &reading->which, error);
    if (status)
        return status;
    list_numbers(reading);
    snprintf(of, sizeof of, "external field %s", words[reading->which]);
    return ky_named_numbers_read(of, numbers, units, reading->number, reading->count, error);
}

/* Reads a field, which is cut up, as one or more of the table with numbers as a user gives them. */
static enum ky_status read_parts(char *text, double g, const struct ky_units *units,
                                 struct ky_external part[KY_MOST_PARTS], size_t *parts,
                                 struct ky_error *error)
{
    struct reading reading;
    enum ky_status status = read_numbers(text, units, &reading, error);
    if (status)
        return status;
    const int sum = reading.which - KY_EXTERNAL_KIND_COUNT;
    if (sum < 0) {
        part[0] = (struct ky_external){.kind = (enum ky_external_kind)reading.which};
        memcpy(part[0].number, reading.value, sizeof part[0].number);
        *parts = 1;
    } else {
        status = ky_external_sums[sum].fill(reading.value, g, units, part, parts, error);
    }
    for (size_t k = 0; k < *parts && !status; k++)
        memcpy(part[k].centre, reading.value + KY_EXTERNAL_NUMBERS, sizeof part[k].centre);
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

int ky_externals_are_plain(const char *text)
{
    const struct ky_units none = {0};
    struct ky_externals own;
    return ky_externals_read(text, 1, &none, &own, NULL) == KY_OK;
}

/* Appends a field to the text, of which `used` characters are there; returns how many it needs. */
static size_t write_part(const struct ky_external *part, char *plain, size_t size, size_t used)
{
    struct reading reading = {.which = (int)part->kind};
    char *to = plain + (used < size ? used : size);
    list_numbers(&reading);
    memcpy(reading.value, part->number, sizeof part->number);
    memcpy(reading.value + KY_EXTERNAL_NUMBERS, part->centre, sizeof part->centre);
    const size_t room = used < size ? size - used : 0,
                 name = (size_t)snprintf(to, room, "%s%s:", used ? " " : "", words[part->kind]),
                 there = name < room ? name : room;
    return name + ky_named_numbers_write(reading.number, reading.count, to + there, room - there);
}

enum ky_status ky_externals_plain(const char *text, double g, const struct ky_units *units,
                                  char *plain, size_t size, struct ky_error *error)
{
    char one[ONE];
    size_t used = 0, parts;
    struct ky_external part[KY_MOST_PARTS];
    *plain = '\0';
    while (next_field(&text, one) > 0) {
        enum ky_status status = read_parts(one, g, units, part, &parts, error);
        if (status)
            return status;
        for (size_t k = 0; k < parts; k++)
            used += write_part(&part[k], plain, size, used);
    }
    return used < size
               ? KY_OK
               : ky_fail(error, KY_USAGE, "external fields: more than %zu characters", size);
}

enum ky_status ky_externals_read(const char *text, double g, const struct ky_units *units,
                                 struct ky_externals *own, struct ky_error *error)
{
    char one[ONE];
    struct ky_external field[KY_MOST_EXTERNALS], part[KY_MOST_PARTS];
    enum ky_status status = KY_OK;
    size_t count = 0, parts;
    for (int more; !status && (more = next_field(&text, one));) {
        if (more > 0)
            status = read_parts(one, g, units, part, &parts, error);
        if (!status && (more < 0 || count + parts > KY_MOST_EXTERNALS))
            return ky_fail(error, KY_USAGE,
                           "external fields: at most %d act at once, of %d characters each",
                           KY_MOST_EXTERNALS, ONE - 1);
        for (size_t k = 0; k < parts && !status; k++) {
            ky_external_finish(&part[k], g);
            field[count++] = part[k];
        }
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
