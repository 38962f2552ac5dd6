/* The options mechanism. A module offers a table of options that describe fields of its parameter
 * struct; the command binds tables to structs. From the same tables come the defaults, the command
 * line, the INI file, `--help`, the man page, the block of effective parameters in every output and
 * the error texts. */
#ifndef KY_BASE_OPTIONS_H
#define KY_BASE_OPTIONS_H

#include <stdio.h>

#include "base/sizes.h"
#include "base/status.h"

enum ky_option_type {
    KY_OPTION_FLAG,    /* int, 0 or 1; the name alone on the command line */
    KY_OPTION_INTEGER, /* int */
    KY_OPTION_COUNT,   /* uint64_t; 1e6 and 1_000_000 are understood */
    KY_OPTION_REAL,    /* double */
    KY_OPTION_CHOICE,  /* int, the index in `choices`; -1 while unset */
    KY_OPTION_TEXT     /* const char *; NULL while unset */
};

struct ky_option {
    const char *name; /* "theta"; "--theta" on the command line */
    enum ky_option_type type;
    size_t offset;       /* of the field in the parameter struct */
    const char *initial; /* the default as text; NULL: unset (NaN for a real, -1 for a choice, NULL
                            for text) */
    double low, high;    /* range of numbers, ends included; high < low: no range */
    const char *choices; /* "geometric|offset|minimum|relative" */
    const char *value;   /* what the help calls the value: "LENGTH", "FILE"; NULL: by type */
    const char *help;    /* one line: what it does and, in brackets, the unit */
};

/* A table bound to the struct that it describes; `title` is the INI section and the heading of the
 * help. Sets of one title follow each other and make one section. */
struct ky_option_set {
    const char *title;
    const struct ky_option *options;
    size_t count;
    void *values;
    unsigned char
        *given; /* [count]: set to 1 for options that a command line or file names; may be NULL */
};

#define KY_NO_RANGE 0, -1

/* What kyoho.h tells programs of an option. */
void ky_option_describe(const char *section, const struct ky_option *option,
                        struct ky_option_about *about);

/* Gives every field of the set its `initial` value, or leaves it unset. */
void ky_options_defaults(const struct ky_option_set *set);

/* The option of that name in the first set that has it, and in *owner (may be NULL) that set; NULL
 * if there is none. */
const struct ky_option *ky_options_find(const struct ky_option_set *sets, size_t count,
                                        const char *name, const struct ky_option_set **owner);

/* Sets one field from text. `where` starts the error line ("--theta", "run.ini, line 3"). TEXT
 * fields keep the pointer. KY_USAGE for what is no value of this type or out of range; then the
 * field is unchanged. */
enum ky_status ky_option_set_text(const struct ky_option *option, void *values, const char *text,
                                  const char *where, struct ky_error *error);

/* The field as text that ky_option_set_text takes back exactly, cut at `size`; "" while unset. */
void ky_option_text(const struct ky_option *option, const void *values, char *text, size_t size);
/* 0 for a REAL that is NaN, a CHOICE below 0 and a TEXT that is NULL; else 1. */
int ky_option_is_set(const struct ky_option *option, const void *values);

/* Letters for options: pairs such as {"n", "bodies"}, ended by {NULL, NULL}. */
struct ky_option_letter {
    const char *letter, *name;
};
/* The letter of an option, or NULL. `letters` may be NULL here and below. */
const char *ky_option_letter_of(const struct ky_option_letter *letters, const char *name);

/* Reads `--name value`, `--name=value`, `--flag`, `-n 5`, `-n5`. A value that begins with '-' and
 * is no number needs the '='. Words that are no options, and all after `--`, go to `positional`
 * (room for `argc`), their number to *positionals. KY_USAGE for an unknown name (with the nearest
 * one), an option that is given twice, a missing value, and what ky_option_set_text refuses. */
enum ky_status ky_options_command_line(const struct ky_option_set *sets, size_t count,
                                       const struct ky_option_letter *letters, int argc,
                                       char **argv, const char **positional, int *positionals,
                                       struct ky_error *error);

/* `given`: whether a command line or a file named the option. ky_option_given is 0 for a name that
 * no set has. */
void ky_option_mark_given(const struct ky_option_set *set, const struct ky_option *option);
int ky_option_given(const struct ky_option_set *sets, size_t count, const char *name);

/* The place of an option of the set `owner` among those of all sets, from 0, and their number. */
size_t ky_options_index(const struct ky_option_set *sets, const struct ky_option_set *owner,
                        const struct ky_option *option);
size_t ky_options_total(const struct ky_option_set *sets, size_t count);

/* Reads an INI file. "[section]" lines name the title of a set or are absent; names are those of
 * the command line. Errors start with `name` and the line. KY_USAGE for a line that is wrong or
 * names an option for the second time, KY_BAD_DATA for what is no text. TEXT fields point into
 * *storage (NULL before the first file), to be freed by ky_options_storage_free after their last
 * use, also after a failure. */
struct ky_option_storage;
enum ky_status ky_options_ini(const struct ky_option_set *sets, size_t count,
                              const struct ky_option_letter *letters, FILE *file, const char *name,
                              struct ky_option_storage **storage, struct ky_error *error);
/* The same from the object "options" of a JSON file, such as run.json. *member (may be NULL) is set
 * to the text of the member of that name outside of it, NULL if there is none. */
enum ky_status ky_options_json(const struct ky_option_set *sets, size_t count,
                               const struct ky_option_letter *letters, FILE *file, const char *name,
                               struct ky_option_storage **storage, const char *member_name,
                               const char **member, struct ky_error *error);
/* The whole of a parameter file as *text, which *storage owns. */
enum ky_status ky_options_read_file(FILE *file, const char *name,
                                    struct ky_option_storage **storage, char **text,
                                    struct ky_error *error);
void ky_options_storage_free(struct ky_option_storage *storage);

/* The word nearest to `name`, or NULL if none is near enough to be a misspelling of it. */
const char *ky_nearest_word(const char *name, const char *const *words, size_t count);
/* The same among the names of the sets; of a letter, the option that it stands for. */
const char *ky_options_nearest(const struct ky_option_set *sets, size_t count,
                               const struct ky_option_letter *letters, const char *name);

/* Reads back what ky_options_write_ini wrote. Splits `text` in place; TEXT fields point into it.
 * Sections and names that the sets do not have are passed over. */
enum ky_status ky_options_read_back(const struct ky_option_set *sets, size_t count, char *text,
                                    struct ky_error *error);

/* KY_USAGE if a field is outside its range or no choice; for structs that were filled by hand.
 * Fields that are unset and have no `initial` pass. */
enum ky_status ky_options_check(const struct ky_option_set *set, struct ky_error *error);

/* All set fields as INI text, sections included, which both readers take back exactly. */
void ky_options_write_ini(const struct ky_option_set *sets, size_t count, FILE *out);
/* What stands for the value in the help: "REAL", "FILE", "cpu|cuda"; nothing for a flag. */
const char *ky_option_value_word(const struct ky_option *option);
/* The lines of --help, 100 columns wide: "  -n, --bodies NUMBER   how many", under the titles of
 * the sets. A name that several sets have belongs to the first. */
void ky_options_help(const struct ky_option_set *sets, size_t count,
                     const struct ky_option_letter *letters, FILE *out);
/* Text (UTF-8) wrapped at 100 columns and ended with a newline. `column`: how much of the first
 * line is written already; the text starts at `indent` in every line. */
void ky_help_text(const char *text, int column, int indent, FILE *out);

#endif
