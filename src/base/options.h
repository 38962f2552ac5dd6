/* The options mechanism. A module offers a table of options that describe fields of its parameter
 * struct; the command binds tables to structs. From the same tables come the defaults, the command
 * line, the INI file, `--help`, the man page, the block of effective parameters in every output and
 * the error texts. */
#ifndef KY_BASE_OPTIONS_H
#define KY_BASE_OPTIONS_H

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/quantity.h"
#include "base/sizes.h"
#include "base/status.h"

enum ky_option_type {
    KY_OPTION_FLAG,    /* int, 0 or 1; only the name on the command line */
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
    const char *value;   /* the help's word for the value: "LENGTH", "FILE"; NULL: by type */
    const char *help;    /* one line: its effect and, in brackets, the unit */
};

/* A table bound to the struct that it describes. Sets of one title follow each other and make one
 * section. */
struct ky_option_set {
    const char *title; /* of the INI section, and the heading in the help */
    const struct ky_option *options;
    size_t count;
    void *values;         /* the struct */
    unsigned char *given; /* [count] or NULL: 1 where a command line or a file named the option */
    const char **waiting; /* [count] or NULL: values with units, for ky_options_settle */
};

enum { KY_KIND_SETS = 8 }; /* the most tables that describe one struct */

/* For `low, high` of an option that takes any number, and of one that is not a number. */
#define KY_NO_RANGE 0, -1
/* The same for one that takes any number above 0. */
#define KY_ABOVE_0 DBL_TRUE_MIN, (double)INFINITY

/* Fills *about, as far as the caller's struct goes, for ky_option_get. The unit is the text in
 * brackets at the end of the help. */
void ky_option_describe(const char *section, const struct ky_option *option,
                        struct ky_option_about *about);

/* For calls by name: the option in the sets. Their struct is `values`, which belongs to the caller,
 * begins with its size and may be an earlier version. NULL, and KY_USAGE in *error, if there is no
 * such option, and if its field lies beyond the end of the struct. */
const struct ky_option *ky_option_by_name(const struct ky_option_set *sets, size_t count,
                                          const void *values, const char *name,
                                          struct ky_error *error);
/* Writes the whole text of the field, as ky_option_text does. KY_USAGE where it has `size` bytes or
 * more; `text` is unchanged then. */
enum ky_status ky_option_give_text(const struct ky_option *option, const void *values, char *text,
                                   size_t size, struct ky_error *error);

/* A public struct whose fields are options, for calls that name it by its kind. */
struct ky_options_row {
    int kind; /* enum ky_options_kind, or enum ky_draw_options_kind */
    const char *title;
    const struct ky_option
        *options; /* NULL: `sets` fills several tables, whose number it returns */
    const size_t *count;
    size_t bytes;      /* of the struct */
    const char *maker; /* fills it */
    size_t (*sets)(struct ky_option_set sets[KY_KIND_SETS]);
};
struct ky_options_rows {
    const struct ky_options_row *row;
    size_t count;
};
/* ky_options_get for the kinds of the table. */
enum ky_status ky_kind_get(const struct ky_options_rows *kinds, int kind, size_t index,
                           struct ky_option_about *about);
/* The option of this name in a caller's struct of this kind; NULL, and KY_USAGE in *error, if there
 * is none or the struct has a wrong size. */
const struct ky_option *ky_kind_find(const struct ky_options_rows *kinds, int kind,
                                     const void *values, const char *name, struct ky_error *error);

/* The unit in brackets at the end of a help, "length"; "" without. */
void ky_option_unit(const char *help, char unit[16]);

/* Gives every field of the set its `initial` value, or leaves it unset. */
void ky_options_defaults(const struct ky_option_set *set);

/* The option of that name in the first set that has it, and in *owner (may be NULL) that set; NULL
 * if there is none. */
const struct ky_option *ky_options_find(const struct ky_option_set *sets, size_t count,
                                        const char *name, const struct ky_option_set **owner);

/* 1 if `option`, of the set `owner`, is the first of its name among the sets. Tables may share an
 * option, such as --step of several integrators; lists of all options name it once. */
int ky_options_is_first(const struct ky_option_set *sets, size_t count,
                        const struct ky_option_set *owner, const struct ky_option *option);

/* Sets one field from text. `where` begins the error line ("--theta", "run.ini, line 3"). A TEXT
 * field keeps the pointer. KY_USAGE for text that is not a value of this type or lies out of range;
 * the field is unchanged then. */
enum ky_status ky_option_set_text(const struct ky_option *option, void *values, const char *text,
                                  const char *where, struct ky_error *error);

/* The same where a value may have a unit, "3pc", of the kind that the help names in brackets. The
 * field gets the number in `units`, but for an option in [s], which ignores them. KY_USAGE also
 * where `units` have no scale. */
enum ky_status ky_option_set_in(const struct ky_option *option, void *values, const char *text,
                                const struct ky_units *units, const char *where,
                                struct ky_error *error);

/* The same for an option of a set while the units of the bodies are not known. A value with a unit
 * is checked, and `waiting` points to its text. Until ky_options_settle the field holds the number
 * without its unit, or the text of a list. KY_USAGE for such a value where the set has no
 * `waiting`. */
enum ky_status ky_option_take(const struct ky_option_set *set, const struct ky_option *option,
                              const char *text, const char *where, struct ky_error *error);
/* KY_USAGE if the word behind the value of an option is its unit, as in `--end 50 Myr`. */
enum ky_status ky_option_check_next(const struct ky_option *option, const char *value,
                                    const char *next, const char *where, struct ky_error *error);
struct ky_option_storage;
/* Sets all fields whose values wait for `units`. *storage owns texts of lists, as for
 * ky_options_ini. KY_USAGE as ky_option_set_in. */
enum ky_status ky_options_settle(const struct ky_option_set *sets, size_t count,
                                 const struct ky_units *units, struct ky_option_storage **storage,
                                 struct ky_error *error);

/* Writes the field as text that ky_option_set_text takes back exactly, cut at `size`; "" while it
 * is unset. */
void ky_option_text(const struct ky_option *option, const void *values, char *text, size_t size);
/* 0 for a REAL that is NaN, a CHOICE below 0 and a TEXT that is NULL; else 1. */
int ky_option_is_set(const struct ky_option *option, const void *values);

/* Other words for options; a table ends with {NULL, NULL, NULL}. A word of one letter is taken on
 * the command line: {"n", "bodies", NULL}. A longer word is the name of the option in another
 * program, and is used only in errors. For these `name` may end with a value, "force direct", and
 * `hint` (or NULL) says how the number changes: "the square root of eps2". */
struct ky_option_word {
    const char *word, *name, *hint;
};
/* -n, -o, -h and -q, and the names of our options in other programs. */
extern const struct ky_option_word ky_option_words[];
/* The names that a command line or a parameter file may use: the options of `count` sets, and other
 * words for them, or NULL. */
struct ky_option_names {
    const struct ky_option_set *sets;
    size_t count;
    const struct ky_option_word *others;
};
/* The letter of an option, or NULL. `others` may be NULL here and below. */
const char *ky_option_letter_of(const struct ky_option_word *others, const char *name);

/* Reads `--name value`, `--name=value`, `--flag`, `-n 5`, `-n5`. A value that begins with '-' and
 * is not a number needs the '='. Words that are not options, and all words after `--`, go to
 * `positional` (room for `argc`), their number to *positionals. KY_USAGE for an unknown name (with
 * the nearest one), an option that is given twice, a missing value, and a value that
 * ky_option_set_text refuses. */
enum ky_status ky_options_command_line(const struct ky_option_names *names, int argc, char **argv,
                                       const char **positional, int *positionals,
                                       struct ky_error *error);

/* Notes that a command line or a file named the option, in `given` of its set, if that is there. */
void ky_option_mark_given(const struct ky_option_set *set, const struct ky_option *option);
/* 1 if a command line or a file named the option `name`; 0 also for a name that no set has. */
int ky_option_given(const struct ky_option_set *sets, size_t count, const char *name);

/* KY_USAGE: the option has no effect `with` another one, "--force direct", which a stored run has
 * if `is_stored`. The text names the remedy. */
enum ky_status ky_option_refuse_idle(const char *name, const char *with, int is_stored,
                                     struct ky_error *error);

/* The place, from 0, of an option of the set `owner` among the options of all sets; and how many
 * options all sets have. */
size_t ky_options_index(const struct ky_option_set *sets, const struct ky_option_set *owner,
                        const struct ky_option *option);
size_t ky_options_total(const struct ky_option_set *sets, size_t count);

/* Reads an INI file. A line "[section]" names the title of a set; a file may do without such lines.
 * Names are as on the command line. Error lines begin with `name` and the line. KY_USAGE for a line
 * that is wrong or names an option for the second time, KY_BAD_DATA for a file that is not text or
 * cannot be read. TEXT fields point into *storage, which is NULL before the first file; free it by
 * ky_options_storage_free after their last use, also after a failure. */
enum ky_status ky_options_ini(const struct ky_option_names *names, FILE *file, const char *name,
                              struct ky_option_storage **storage, struct ky_error *error);
/* The same from the object "options" of a JSON file, such as run.json. *member (may be NULL)
 * becomes the text of the outermost object's member `member_name`, or NULL if it has none. */
enum ky_status ky_options_json(const struct ky_option_names *names, FILE *file, const char *name,
                               struct ky_option_storage **storage, const char *member_name,
                               const char **member, struct ky_error *error);
/* Reads the whole of a parameter file. *text, which *storage owns, is ended by a zero byte.
 * KY_BAD_DATA for a file of 16 MiB or more, for one with zero bytes, and for one that cannot be
 * read. */
enum ky_status ky_options_read_file(FILE *file, const char *name,
                                    struct ky_option_storage **storage, char **text,
                                    struct ky_error *error);
/* Room for a text of so many bytes, which *storage owns; NULL if memory runs out. */
char *ky_options_store(struct ky_option_storage **storage, size_t bytes);
/* Frees the texts of all files that were read into it; NULL is allowed. */
void ky_options_storage_free(struct ky_option_storage *storage);

/* The word that `name` is a misspelling or the beginning of; NULL if there is none. */
const char *ky_nearest_word(const char *name, const char *const *words, size_t count);
/* The first of the other words that is `word`, but for capitals, '-' and '_', and whose option the
 * sets have; NULL if there is none. */
const struct ky_option_word *ky_option_other_word(const struct ky_option_names *names,
                                                  const char *word);
/* Writes a guess of the meaning of `name`, which the sets do not have: "; did you mean --step?",
 * with a hint if the other word has one, or "". `dashes` ("--" or "") precede the option. */
enum { KY_OPTION_GUESS = 256 };
void ky_options_guess(const struct ky_option_names *names, const char *dashes, const char *name,
                      char guess[KY_OPTION_GUESS]);

/* Reads back the text of ky_options_write_ini. Splits `text` in place; TEXT fields point into it.
 * Sections and names that the sets do not have are skipped. KY_USAGE for a value that its option
 * does not take. */
enum ky_status ky_options_read_back(const struct ky_option_set *sets, size_t count, char *text,
                                    struct ky_error *error);

/* For structs that a program filled: KY_USAGE if a field lies outside its range or is not a choice.
 * Fields that are unset and have no `initial` pass. */
enum ky_status ky_options_check(const struct ky_option_set *set, struct ky_error *error);

/* Writes the fields that are set as INI text with sections, which ky_options_ini and
 * ky_options_read_back take back exactly. */
void ky_options_write_ini(const struct ky_option_set *sets, size_t count, FILE *out);

/* Writes an INI file to be filled in: all options with their help as comments. Given options
 * (`given` of the sets) have their values; the others are commented out, with their defaults or a
 * placeholder. */
void ky_options_write_template(const struct ky_option_set *sets, size_t count, FILE *out);

/* The placeholder of the value in the help: "REAL", "FILE", "cpu|cuda"; nothing for a flag. */
const char *ky_option_value_word(const struct ky_option *option);
/* Writes the lines of --help, 100 columns wide, under the titles of the sets:
 * "  -n, --bodies NUMBER   how many". A name that several sets have belongs to the first. */
void ky_options_help(const struct ky_option_set *sets, size_t count,
                     const struct ky_option_word *others, FILE *out);
/* Writes text (UTF-8) wrapped at 100 columns, with a newline at the end. In every line it starts at
 * column `indent`. `column` says how many columns of the first line are written already. */
void ky_help_text(const char *text, int column, int indent, FILE *out);
/* The same as a comment of an INI file: every line begins with "# ". */
void ky_help_comment(const char *text, FILE *out);

#endif
