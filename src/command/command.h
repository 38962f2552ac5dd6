/* What the subcommands share: the options and words of one call, where bodies come from and where
 * they go. Every call that can fail fills cli->error. */
#ifndef KY_COMMAND_COMMAND_H
#define KY_COMMAND_COMMAND_H

#include "kyoho/draw.h"

#include "base/json.h"
#include "base/options.h"
#include "base/text.h"

/* At most; options of one set; options that the library tells. cli_parse fails where a call binds
 * more. */
enum { CLI_SETS = 16, CLI_OPTIONS = 48, CLI_TOLD = 160 };

/* One call of one subcommand. */
struct cli {
    const struct subcommand *command;
    struct ky_option_set sets[CLI_SETS];
    size_t count;
    const char *overfull; /* the set for which there is no room, or NULL */
    unsigned char given[CLI_SETS][CLI_OPTIONS];
    unsigned char on_line[CLI_SETS]
                         [CLI_OPTIONS];         /* the same, without options of a parameter file */
    const char *waiting[CLI_SETS][CLI_OPTIONS]; /* values with units, until cli_settle */
    const char *bodies_hash;                    /* of a parameter file run.json, or NULL */
    const char **words;                         /* the words that are not options */
    int word_count;
    struct ky_option_storage *storage; /* text of a parameter file */
    struct ky_error error;
    int json, quiet, help;           /* --json, --quiet, --help */
    int all;                         /* --all beside --help: every option is explained */
    char usage[256];                 /* what follows the command's name, for its help */
    const char *summary;             /* one line, for its help */
    struct ky_option told[CLI_TOLD]; /* tables that cli_add_options makes */
    size_t told_count;
    struct ky_option narrowed[CLI_OPTIONS];  /* table that cli_narrow makes */
    struct ky_option of_models[CLI_OPTIONS]; /* table that model_options_add makes */
    struct remark *said;                     /* remarks that were shown; each is shown once */
};

struct subcommand {
    const char *name;
    const char *usage;   /* "FILE|FOLDER -o PNG [options]" */
    const char *summary; /* one line */
    /* Binds the option sets, reads the command line and works. With `describe` it only binds, for
     * the help and the man page. */
    enum ky_status (*run)(struct cli *cli, int argc, char **argv, int describe);
    /* Prints what the option tables do not contain, at the end of the help; or NULL. */
    void (*more_help)(const struct cli *cli, FILE *out);
    /* Names of the options that the short help explains, with blanks between; NULL: all. */
    const char *usual;
    /* Lines "kyoho … " to copy, each ended by a newline. The examples of all commands, in the order
     * of the commands, run in an empty folder. */
    const char *examples;
};

extern const struct subcommand model_command, merge_command, run_command, force_command,
    info_command, convert_command, draw_command, bench_command, devices_command, neighbours_command,
    density_command, groups_command, binaries_command, profile_command, orbit_command,
    field_command, tune_command, view_command;

/* Prints which plug-ins for MPI are here, in one line. */
void devices_mpi(void);

/* Binds a table of options to the struct `values`, and sets its fields to their defaults. */
void cli_add(struct cli *cli, const char *title, const struct ky_option *options, size_t count,
             void *values);
/* The same for a table whose length the compiler knows. */
#define cli_add_table(cli, title, options, values)                                                 \
    cli_add(cli, title, options, sizeof(options) / sizeof *(options), values)
/* The row of --units in such a table; the field at `offset` is a text. */
#define CLI_UNITS(offset, help)                                                                    \
    {                                                                                              \
        "units", KY_OPTION_TEXT, offset, NULL, KY_NO_RANGE, NULL, "nbody|galaxy|cluster|planets",  \
            help                                                                                   \
    }
/* Binds the options of a public struct, of enum ky_options_kind or ky_draw_options_kind, which its
 * _defaults call has filled. */
void cli_add_options(struct cli *cli, const char *title, int kind, void *values);
/* An option that the library tells, as a row of a table. */
struct ky_option cli_option(const struct ky_option_about *about);
/* Bind the tables of struct ky_parameters: all, or engine and force, or the engine alone. All
 * fields get their defaults, and the log becomes cli_log. */
void cli_add_parameters(struct cli *cli, struct ky_parameters *parameters);
void cli_add_force(struct cli *cli, struct ky_parameters *parameters);
void cli_add_engine(struct cli *cli, struct ky_parameters *parameters);
/* Leaves of the set `title` only the options in `names` (separated by blanks). At most once in a
 * call of the program. */
void cli_narrow(struct cli *cli, const char *title, const char *names);
/* Reads the command line. KY_USAGE for fewer words than `least` or more than `most`, and for
 * options that are wrong. With `ini`, a first word that ends in ".ini" or ".json" is a parameter
 * file: it is read before the command line and is not counted. With --help anywhere, only a first
 * word is read, which goes to cli->words. */
enum ky_status cli_parse(struct cli *cli, int argc, char **argv, int least, int most, int ini);
/* To be called once the units of the bodies are known: sets options whose values had units, "3pc",
 * to numbers in `units`. KY_USAGE if these have no scale. */
enum ky_status cli_settle(struct cli *cli, const struct ky_units *units);
/* 1 if the value of the option (NULL: of any) has a unit and waits for cli_settle. */
int cli_waits(const struct cli *cli, const char *name);
/* 1 if the command line or the parameter file names the option. */
int cli_given(const struct cli *cli, const char *name);
/* 1 if the command line itself names the option, or any option of the set `title`. */
int cli_on_line(const struct cli *cli, const char *name);
int cli_set_on_line(const struct cli *cli, const char *title);
/* KY_USAGE if one of `names` (separated by blanks) was given. The error line says that it has no
 * effect without `what`. */
enum ky_status cli_refuse(struct cli *cli, const char *names, const char *what);
/* Replaces --force auto by the first of tree, fmm and direct that uses all options that were given,
 * if one of these chooses (--theta, --order), even at its default. KY_USAGE if none uses them all,
 * for --error beside what it chooses or cannot keep, and for options of the command line that have
 * no effect with the force and the engine. Warns of such options in an INI file. */
enum ky_status cli_choose_force(struct cli *cli, struct ky_parameters *parameters);
/* The same where a file run.json has all options, used or not. With --error or --force on the
 * command line the tolerances and the precision of the file are forgotten, with --order its alpha,
 * and all of its force with --integrator hermite4, which another force than direct or the precision
 * single do not suit; a warning says so. */
enum ky_status cli_force_of_file(struct cli *cli, struct ky_parameters *parameters);
/* Frees the members of the call, not `cli` itself. */
void cli_free(struct cli *cli);
/* 1 if `name` is among the words of `names`, which blanks separate. */
int cli_is_among(const char *name, const char *names);
/* Writes the help of the subcommand: usage, summary, examples, options. Unless cli->all is set, it
 * explains the usual options and lists the names of the others. */
void cli_help(const struct cli *cli, FILE *out);
/* Writes all exit codes as ky_status_name names them: "0 ok; 1 out of memory or …". */
void exit_codes(char *text, size_t size);
/* The log of struct ky_parameters, with the cli as context: prints each line to standard error
 * once. With --quiet it prints warnings alone. */
void cli_log(void *context, enum ky_log_level level, const char *line);

/* Options of everything that reads a snapshot. */
struct reading {
    const char *types;              /* --types as it was given, or NULL */
    int physical, stored, renumber; /* stored: --as-stored */
    uint64_t count_above;           /* this and the next as in struct ky_read_options; there are no
                                       options for them */
    int may_be_empty;
};
/* Binds --physical, --as-stored, --types and --renumber. */
void reading_add(struct cli *cli, struct reading *reading);
/* The options of ky_snapshot_read_as that reading_get uses. KY_USAGE for options that contradict
 * each other. */
enum ky_status reading_how(struct cli *cli, const struct reading *reading,
                           const struct ky_units *units, int as_it_is,
                           struct ky_read_options *options);
/* Reads the snapshot `path`. `units` (or NULL) are for a file that names none. With `as_it_is`
 * comoving, h-scaled and periodic files are read as they are, for a description or a picture, and
 * options with units get numbers in the units of the file. Else such files are KY_BAD_DATA unless
 * the options say how to read them. Warns of a file without bodies that may be empty. */
enum ky_status reading_get(struct cli *cli, const struct reading *reading, const char *path,
                           const struct ky_units *units, int as_it_is,
                           struct ky_snapshot *snapshot);

/* Show what was read: types, units, space and softening, as a line or as members of the open
 * object.
 */
void reading_show(FILE *out, const char *name, const struct ky_snapshot *snapshot);
void reading_json(struct ky_json *json, const struct ky_snapshot *snapshot);
/* Writes "softening 0.1", "no softening" or "softening of each body's own". */
enum { SOFTENING_WORDS = 128 };
void softening_words(const struct ky_snapshot *snapshot, char text[SOFTENING_WORDS]);
/* GADGET's names of the types: "gas", "halo" … */
extern const char *const body_type_names[6];

/* Options of everything that makes a model: those that models share, and one option for each name
 * that any model has. */
struct model_options {
    struct ky_model_parameters parameters; /* options that models share */
    union option_value {
        int integer;
        uint64_t count;
        double real;
        const char *text;
    } values[CLI_OPTIONS]; /* of the models' own options, in the order of cli->of_models */
    const char *words[CLI_OPTIONS + 1]; /* "w0=6" …, for parameters.options */
    char text[2048];                    /* storage of the words */
};
/* Binds the options. */
void model_options_add(struct cli *cli, struct model_options *model);
/* Converts options with units to numbers in the units of the bodies. These are the units that the
 * model `name` makes if `asked` are wanted; they become *units (may be NULL). KY_USAGE for an
 * unknown model, and as ky_model_units and cli_settle. */
enum ky_status model_options_settle(struct cli *cli, const char *name, const struct ky_units *asked,
                                    struct ky_units *units);
/* To be called next: hands the models' own options that were given to the parameters. KY_USAGE for
 * an unknown model, and for an option that the model `name` does not take. */
enum ky_status model_options_take(struct cli *cli, const char *name, struct model_options *model);
/* The name of the first option of models that was given and that the model `except` (may be NULL)
 * does not take; NULL if there is none. */
const char *model_options_given(const struct cli *cli, const char *except);
/* For the help of one model: leaves its options alone. */
void model_options_narrow(struct cli *cli, const char *name);
/* 1 if the model has the option; 0 also for the name of no model. */
int model_takes(const char *name, const char *option);

/* Where bodies come from: a file, or a model made in memory. */
enum { ORIGIN = 1024 };
struct source {
    struct reading reading;
    const char *input, *model, *units; /* --input, --model and --units, or NULL */
    struct model_options options;
    /* 1: where ky_model_describe knows the model, source_get makes no bodies; where
     * ky_snapshot_describe knows the file, it reads none. */
    int may_describe, may_describe_file;
};
/* Binds the options of a source, of reading and of models. */
void source_add(struct cli *cli, struct source *source);
/* The file of the bodies: --input or the first word; NULL for a model. */
const char *source_file(const struct cli *cli, const struct source *source);
/* Reads or makes the bodies. `parameters` gets the G of their units, unless --g was given; a model
 * gets the softening of the parameters. *origin becomes the name of the file, or the options of the
 * model, for run.json: "plummer -n 1000 --seed 1". KY_USAGE if no source or two are given, and for
 * options that do not belong to it. */
enum ky_status source_get(struct cli *cli, struct source *source, struct ky_parameters *parameters,
                          struct ky_snapshot *snapshot, char origin[ORIGIN]);
/* How source_get reads a file. *units becomes those of --units, if they are given. */
enum ky_status source_how(struct cli *cli, const struct source *source, struct ky_units *units,
                          struct ky_read_options *options);
/* The same as source_get for a plan. Of more than 100,000 bodies only the number is known
 * afterwards, and the step of a run only if it is given. */
enum ky_status source_plan(struct cli *cli, struct source *source, struct ky_parameters *parameters,
                           struct ky_snapshot *snapshot, char origin[ORIGIN]);

/* Settles the units of bodies from `file`: the file's, or --units (a preset or NULL), with --g (or
 * NaN). KY_USAGE where these contradict the scales of the file. `made_for_g` is 1 if the velocities
 * are known to be for the G of `units`. */
enum ky_status source_units(struct cli *cli, const char *file, const char *preset, double g,
                            struct ky_units *units, int made_for_g);
/* Calls ky_softening_choose; afterwards the snapshot has the chosen softening. `run` does not need
 * it, since the library does this there. */
enum ky_status source_soften(struct cli *cli, struct ky_parameters *parameters,
                             struct ky_snapshot *snapshot, char remark[KY_REMARK]);
/* 1 if the bodies are drawn at random, from a seed. */
int source_has_seed(const struct source *source);
/* The options that give the same bodies again, as lines "name=value" for struct ky_run_parameters.
 * A file is named by its whole path. To be freed; NULL when memory is out. */
char *source_text(const struct cli *cli, const struct source *source);

/* Options of everything that writes a snapshot. */
struct sink {
    const char *output;
    int format, compress, overwrite;
};
/* Binds --output, --format, --compress and --overwrite. */
void sink_add(struct cli *cli, struct sink *sink);
/* Before work starts: KY_USAGE if no output is given, or if it exists and may not be replaced. */
enum ky_status sink_check(struct cli *cli, const struct sink *sink);
/* KY_USAGE if `output` is the same file as `input` (may be NULL), which it would replace. */
enum ky_status refuse_own_input(struct cli *cli, const char *output, const char *input);
/* The stream for messages to the user: standard output, or standard error if the snapshot goes to
 * standard output. */
FILE *sink_remarks(const struct sink *sink);
/* Writes the snapshot; fails as ky_snapshot_write does. */
enum ky_status sink_put(struct cli *cli, const struct sink *sink,
                        const struct ky_snapshot *snapshot);

#endif
