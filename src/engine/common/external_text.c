/* The external fields of parameters: the text of --field, by the tables of physics/external.h and
 * external_sums.c, and the caller's function. */
#include "engine/common/external.h"

#include <stdio.h>
#include <string.h>

#include "base/named_numbers.h"
#include "base/options.h"
#include "base/quantity.h"
#include "base/status.h"
#include "engine/common/external_table.h"

static const char blanks[] = " \t\r\n";

/* The names of kinds, followed by the names of sums. */
#define WORD(name, NAME, word, help) word,
static const char *const words[] = {KY_EXTERNAL_KINDS(WORD) KY_EXTERNAL_SUMS(WORD)};
enum { WORDS = KY_EXTERNAL_KIND_COUNT + KY_EXTERNAL_SUM_COUNT };

/* Numbers that every field has, behind its own. A bar turns by numbers of its own, and friction has
 * no place. */
enum {
    CENTRE = KY_EXTERNAL_NUMBERS,
    REFLEX = CENTRE + 3,
    TURN,
    ANGLE,
    MOST,
    COMMON = MOST - KY_EXTERNAL_NUMBERS
};
static const struct ky_external_number common[COMMON] = {
    {0, 1, "x", KY_GIVEN_PLAIN, KY_NUMBER_ANY, "0", "of the centre [length]"},
    {0, 1, "y", KY_GIVEN_PLAIN, KY_NUMBER_ANY, "0", "of the centre [length]"},
    {0, 1, "z", KY_GIVEN_PLAIN, KY_NUMBER_ANY, "0", "of the centre [length]"},
    {0, 0, "reflex", KY_GIVEN_PLAIN, KY_NUMBER_SWITCH, "0",
     "1: the origin of the frame falls in this field"},
    {0, 0, "turn", KY_GIVEN_PLAIN, KY_NUMBER_ANY, "0",
     "rotation rate of its axes about z, radians per unit of time [1/time]"},
    {0, 0, "angle", KY_GIVEN_ANGLE, KY_NUMBER_ANY, "0",
     "of its axes at time 0, from x towards y, in degrees"},
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

/* The numbers of a kind or a sum, as a user gives them, and the names of its tables. */
struct reading {
    int which; /* its place in words[] */
    double value[MOST];
    struct ky_named_number number[MOST];
    size_t count;
    const char *table[KY_EXTERNAL_TABLES]; /* or NULL */
};

/* Lists the parameters of the kind or sum that was named, and the addresses of their values. */
static void list_numbers(struct reading *reading)
{
    const int which = reading->which;
    const struct ky_external_number *own =
        which < KY_EXTERNAL_KIND_COUNT ? ky_external_numbers[which]
                                       : ky_external_sums[which - KY_EXTERNAL_KIND_COUNT].number;
    reading->count = 0;
    for (int k = 0; k < MOST; k++) {
        const struct ky_external_number *from =
            k < KY_EXTERNAL_NUMBERS ? &own[k] : &common[k - KY_EXTERNAL_NUMBERS];
        if (from->word && (k < TURN || which != KY_EXTERNAL_BAR) &&
            (k < CENTRE || which != KY_EXTERNAL_FRICTION))
            reading->number[reading->count++] =
                (struct ky_named_number){from->word,         (enum ky_number_range)from->range,
                                         from->initial,      from->help,
                                         &reading->value[k], 0};
    }
}

/* The table that an item "centre=@FILE" names, or −1. */
static int find_table(const char *item)
{
    for (int k = 0; k < KY_EXTERNAL_TABLES; k++) {
        const size_t word = strlen(ky_external_table_words[k]);
        if (!strncmp(item, ky_external_table_words[k], word) && item[word] == '=')
            return k;
    }
    return -1;
}

/* Divides "word=value,centre=@FILE", which is cut up, into tables and numbers. *count: how many
 * numbers there are. */
static enum ky_status take_tables(char *text, struct reading *reading,
                                  char numbers[KY_EXTERNAL_TEXT], int *count,
                                  struct ky_error *error)
{
    size_t used = 0;
    for (char *item = text, *next; item; item = next) {
        next = strchr(item, ',');
        if (next)
            *next++ = '\0';
        const int table = find_table(item);
        if (table < 0) {
            used += (size_t)snprintf(numbers + used, KY_EXTERNAL_TEXT - used, "%s%s",
                                     (*count)++ ? "," : "", item);
            continue;
        }
        const char *word = ky_external_table_words[table], *value = item + strlen(word) + 1;
        if (reading->which == KY_EXTERNAL_FRICTION)
            return ky_fail(error, KY_USAGE, "external field friction has no %s", word);
        if (reading->table[table] || *value != '@')
            return ky_fail(error, KY_USAGE, "external field %s: %s must be one table, %s=@FILE",
                           words[reading->which], word, word);
        reading->table[table] = value + 1;
    }
    return KY_OK;
}

/* "name:word=value,word=value", which is cut up. */
static enum ky_status read_numbers(char *text, const struct ky_units *units,
                                   struct reading *reading, struct ky_error *error)
{
    char of[64], numbers[KY_EXTERNAL_TEXT], *given = strchr(text, ':');
    int count = 0;
    if (given)
        *given++ = '\0';
    *reading = (struct reading){0};
    KY_TRY(find_word(text, &reading->which, error));
    KY_TRY(take_tables(given, reading, numbers, &count, error));
    list_numbers(reading);
    snprintf(of, sizeof of, "external field %s", words[reading->which]);
    const struct ky_named_numbers given_numbers = {of, units, reading->number, reading->count};
    KY_TRY(ky_named_numbers_read(&given_numbers, count ? numbers : NULL, error));
    const double *centre = reading->value + CENTRE;
    if (reading->table[KY_TABLE_CENTRE] && (centre[0] != 0 || centre[1] != 0 || centre[2] != 0))
        return ky_fail(error, KY_USAGE,
                       "%s: the table has the centre; leave out x, y and z, or add them to it", of);
    return KY_OK;
}

/* The tables of a reading, as they are given. */
static enum ky_status read_tables(const struct reading *reading, const struct ky_units *units,
                                  struct ky_external_table table[KY_EXTERNAL_TABLES],
                                  struct ky_error *error)
{
    for (int k = 0; k < KY_EXTERNAL_TABLES; k++)
        if (reading->table[k])
            KY_TRY(ky_external_table_read(reading->table[k], (enum ky_external_table_kind)k, units,
                                          &table[k], error));
    return KY_OK;
}

static void free_tables(struct ky_external_table table[KY_EXTERNAL_TABLES])
{
    for (int k = 0; k < KY_EXTERNAL_TABLES; k++)
        ky_external_table_free(&table[k]);
}

/* The path of the tables, or NULL without any. */
static enum ky_status make_path(const struct reading *reading,
                                const struct ky_external_table table[KY_EXTERNAL_TABLES],
                                struct ky_external_path **path, struct ky_error *error)
{
    const struct ky_external_table *given[KY_EXTERNAL_TABLES];
    int any = 0;
    *path = NULL;
    for (int k = 0; k < KY_EXTERNAL_TABLES; k++) {
        given[k] = reading->table[k] ? &table[k] : NULL;
        any |= given[k] != NULL;
    }
    return any ? ky_external_path_make(given[KY_TABLE_CENTRE], given[KY_TABLE_STRENGTH],
                                       reading->value + CENTRE, path, error)
               : KY_OK;
}

/* The fields of a reading's kind or sum, with numbers as a user gives them. */
static enum ky_status fill_terms(const struct reading *reading, struct ky_external_terms *terms,
                                 struct ky_error *error)
{
    struct ky_external *const term = terms->term;
    const int sum = reading->which - KY_EXTERNAL_KIND_COUNT;
    if (sum < 0) {
        term[0] = (struct ky_external){.kind = (enum ky_external_kind)reading->which};
        memcpy(term[0].number, reading->value, sizeof term[0].number);
        terms->count = 1;
    } else {
        KY_TRY(ky_external_sums[sum].fill(reading->value, terms, error));
    }
    for (size_t k = 0; k < terms->count; k++) {
        memcpy(term[k].centre, reading->value + CENTRE, sizeof term[k].centre);
        term[k].reflex = reading->value[REFLEX] > 0;
        term[k].turn = reading->value[TURN];
        term[k].angle = reading->value[ANGLE];
    }
    return KY_OK;
}

/* Reads a field, which is cut up, and makes its path, which the caller releases. */
static enum ky_status read_terms(char *text, struct ky_external_terms *terms,
                                 struct ky_external_path **path, struct ky_error *error)
{
    struct reading reading;
    struct ky_external_table table[KY_EXTERNAL_TABLES] = {{.rows = 0}};
    *path = NULL;
    terms->count = 0;
    enum ky_status status = read_numbers(text, terms->units, &reading, error);
    if (!status)
        status = fill_terms(&reading, terms, error);
    if (!status)
        status = read_tables(&reading, terms->units, table, error);
    if (!status)
        status = make_path(&reading, table, path, error);
    for (size_t k = 0; k < terms->count && !status; k++)
        terms->term[k].path = *path;
    free_tables(table);
    return status;
}

/* 1 if a text begins with a unit that ends at a blank or a comma. */
static int begins_with_unit(const char *text)
{
    char word[KY_UNIT_NAMES];
    snprintf(word, sizeof word, "%.*s", (int)strcspn(text, ", \t\r\n"), text);
    return ky_unit_is(word);
}

/* The length of a field, which ends at a blank; but a unit may stand behind one: "mass=1 Msun". */
static size_t field_length(const char *text)
{
    const char *end = text + strcspn(text, blanks), *next = end + strspn(end, blanks);
    while (end > text && begins_with_unit(next)) {
        end = next + strcspn(next, blanks);
        next = end + strspn(end, blanks);
    }
    return (size_t)(end - text);
}

/* Copies the next field of a text, and moves *text behind it. 0 at the end, −1 if the field has too
 * many characters. */
static int next_field(const char **text, char one[KY_EXTERNAL_TEXT])
{
    *text += strspn(*text, blanks);
    const size_t length = field_length(*text);
    if (length >= KY_EXTERNAL_TEXT)
        return -1;
    memcpy(one, *text, length);
    one[length] = '\0';
    *text += length;
    return length > 0;
}

/* 1 if all tables have their checksums. */
static int tables_are_checked(const char *text)
{
    for (; (text = strstr(text, "=@")); text++)
        if (!memchr(text, '#', strcspn(text, ", \t\r\n")))
            return 0;
    return 1;
}

int ky_externals_are_plain(const char *text)
{
    const struct ky_units none = {0};
    struct ky_externals own = {0};
    const int are =
        tables_are_checked(text) && ky_externals_read(text, 1, &none, &own, NULL) == KY_OK;
    ky_externals_release(&own);
    return are;
}

/* Appends a field with the texts of its tables ("" without) to `text`, of which `used` characters
 * are there. Returns how many it needs; a field of too many stays too long for any text. */
static size_t write_term(const struct ky_external *term, const char *tables, char *plain,
                         size_t size, size_t used)
{
    struct reading reading = {.which = (int)term->kind};
    char one[KY_EXTERNAL_TEXT];
    memcpy(reading.value, term->number, sizeof term->number);
    memcpy(reading.value + CENTRE, term->centre, sizeof term->centre);
    reading.value[REFLEX] = term->reflex;
    reading.value[TURN] = term->turn;
    reading.value[ANGLE] = term->angle;
    list_numbers(&reading);
    size_t count = 0;
    for (size_t k = 0; k < reading.count; k++) /* without the rarely used parameters */
        if (reading.number[k].place < reading.value + REFLEX || *reading.number[k].place != 0)
            reading.number[count++] = reading.number[k];
    size_t length = (size_t)snprintf(one, sizeof one, "%s%s:", used ? " " : "", words[term->kind]);
    length += ky_named_numbers_write(reading.number, count, one + length, sizeof one - length);
    if (length + strlen(tables) >= sizeof one)
        return size;
    snprintf(plain + (used < size ? used : size), used < size ? size - used : 0, "%s%s", one,
             tables);
    return length + strlen(tables);
}

/* Writes ",centre=@…,strength=@…" of a field, which is cut up. */
static enum ky_status write_tables(char *text, const struct ky_units *units,
                                   char tables[KY_EXTERNAL_TEXT], struct ky_error *error)
{
    struct reading reading;
    struct ky_external_table table[KY_EXTERNAL_TABLES] = {{.rows = 0}};
    size_t used = 0;
    *tables = '\0';
    enum ky_status status = read_numbers(text, units, &reading, error);
    if (!status)
        status = read_tables(&reading, units, table, error);
    for (int k = 0; k < KY_EXTERNAL_TABLES && !status; k++)
        if (reading.table[k] && used < KY_EXTERNAL_TEXT) {
            used += (size_t)snprintf(tables + used, KY_EXTERNAL_TEXT - used,
                                     ",%s=", ky_external_table_words[k]);
            if (used < KY_EXTERNAL_TEXT)
                used += ky_external_table_write(&table[k], tables + used, KY_EXTERNAL_TEXT - used);
        }
    free_tables(table);
    return status || used < KY_EXTERNAL_TEXT
               ? status
               : ky_fail(error, KY_USAGE,
                         "external field: the names of its tables have more than %d characters",
                         KY_EXTERNAL_TEXT);
}

enum ky_status ky_externals_plain(const char *text, double g, const struct ky_units *units,
                                  char *plain, size_t size, struct ky_error *error)
{
    char one[KY_EXTERNAL_TEXT], again[KY_EXTERNAL_TEXT], tables[KY_EXTERNAL_TEXT];
    size_t used = 0;
    struct ky_external_terms terms = {.g = g, .units = units};
    struct ky_external_path *path;
    *plain = '\0';
    while (next_field(&text, one) > 0) {
        memcpy(again, one, sizeof one);
        enum ky_status status = read_terms(one, &terms, &path, error);
        ky_external_path_release(path);
        if (!status)
            status = write_tables(again, units, tables, error);
        if (status)
            return status;
        for (size_t k = 0; k < terms.count; k++)
            used += write_term(&terms.term[k], tables, plain, size, used);
    }
    return used < size ? KY_OK
                       : ky_fail(error, KY_USAGE,
                                 "external fields: the text has more than %zu characters", size);
}

/* Reads the next field of *text, if there is one, and appends it to *read; its terms share its
 * path. *more: as next_field. */
static enum ky_status read_next(const char **text, struct ky_external_terms *terms,
                                struct ky_externals *read, int *more, struct ky_error *error)
{
    char one[KY_EXTERNAL_TEXT];
    struct ky_external_path *path = NULL;
    enum ky_status status = KY_OK;
    *more = next_field(text, one);
    terms->count = 0;
    if (*more > 0)
        status = read_terms(one, terms, &path, error);
    if (!status && (*more < 0 || read->count + terms->count > KY_MOST_EXTERNALS))
        status = ky_fail(error, KY_USAGE,
                         "external fields: at most %d act at once, of %d characters each",
                         KY_MOST_EXTERNALS, KY_EXTERNAL_TEXT - 1);
    for (size_t k = 0; k < terms->count && !status; k++) {
        ky_external_finish(&terms->term[k], terms->g);
        ky_external_path_share(terms->term[k].path);
        read->field[read->count++] = terms->term[k];
    }
    ky_external_path_release(path);
    return status;
}

enum ky_status ky_externals_read(const char *text, double g, const struct ky_units *units,
                                 struct ky_externals *own, struct ky_error *error)
{
    struct ky_external_terms terms = {.g = g, .units = units};
    struct ky_externals read = {0};
    enum ky_status status = KY_OK;
    for (int more = 1; more > 0 && !status;)
        status = read_next(&text, &terms, &read, &more, error);
    if (!status)
        status = ky_externals_replace(own, read.field, read.count, error);
    ky_externals_release(&read);
    return status;
}

enum ky_status ky_externals_of(const struct ky_parameters *parameters, struct ky_externals *own,
                               struct ky_error *error)
{
    enum ky_status status = ky_externals_read(parameters->field ? parameters->field : "",
                                              parameters->g, &parameters->units, own, error);
    if (status || !ky_has_field_function(parameters))
        return status;
    if (parameters->field_function && parameters->field_places)
        return ky_fail(error, KY_USAGE,
                       "field_function and field_places are both set: set one of them");
    if (own->count == KY_MOST_EXTERNALS)
        return ky_fail(error, KY_USAGE,
                       "a field function and %zu fields are given; at most %d act at once",
                       own->count, KY_MOST_EXTERNALS);
    own->field[own->count++] = (struct ky_external){.kind = KY_EXTERNAL_FUNCTION,
                                                    .function = parameters->field_function,
                                                    .places = parameters->field_places,
                                                    .context = parameters->field_context,
                                                    .length = 1,
                                                    .acceleration = 1};
    return KY_OK;
}

enum ky_status ky_externals_check_times(const struct ky_parameters *parameters, double from,
                                        double to, struct ky_error *error)
{
    struct ky_externals own = {0};
    enum ky_status status = ky_externals_of(parameters, &own, error);
    if (!status)
        status = ky_externals_cover(&own, from, to, error);
    ky_externals_release(&own);
    return status;
}
