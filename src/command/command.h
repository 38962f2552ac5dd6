/* Declarations that all subcommands share: options and words of one call, the source of bodies, and
 * outputs. Every call that can fail fills cli->error. */
#ifndef KY_COMMAND_COMMAND_H
#define KY_COMMAND_COMMAND_H

#include "kyoho/draw.h"

#include "base/json.h"
#include "base/options.h"
#include "base/text.h"

/* Limits: sets of options in a call, options of one set, and options whose text comes from the
 * library. cli_parse fails if a call exceeds them. */
enum { CLI_SETS = 16, CLI_OPTIONS = 48, CLI_TOLD = 160 };

/* One call of one subcommand. */
struct cli {
    const struct subcommand *command;
    struct ky_option_set sets[CLI_SETS];
    size_t count;
    const char *overfull; /* the set that exceeds a limit, or NULL */
    unsigned char given[CLI_SETS][CLI_OPTIONS];
    unsigned char on_line[CLI_SETS]
                         [CLI_OPTIONS]; /* the same, but without the options of a parameter file */
    const char *waiting[CLI_SETS][CLI_OPTIONS]; /* values with units; cli_settle converts them */
    const char *bodies_hash;                    /* from a parameter file run.json, or NULL */
    const char **words;                         /* the words that are not options */
    int word_count;
    struct ky_option_storage *storage; /* text of a parameter file */
    struct ky_error error;
    int takes_file;                  /* 1: the first word may be a parameter file */
    int json, quiet, help;           /* --json, --quiet, --help */
    int all;                         /* --all with --help: explain every option */
    char usage[256];                 /* usage after the name of the command, for its help */
    const char *summary;             /* one line for its help */
    struct ky_option told[CLI_TOLD]; /* rows made by cli_add_options */
    size_t told_count;
    struct ky_option narrowed[CLI_OPTIONS];  /* rows made by cli_narrow */
    struct ky_option of_models[CLI_OPTIONS]; /* rows made by model_options_add */
    struct remark *said;                     /* remarks printed so far; each is printed once */
    const struct ky_parameters *parameters;  /* bound to the options, or NULL */
};

struct subcommand {
    const char *name;
    const char *usage;   /* "FILE|FOLDER -o PNG [options]" */
    const char *summary; /* one line */
    /* Binds the option sets, reads the command line and runs the command. With `describe` it only
     * binds, for the help and the man page. */
    enum ky_status (*run)(struct cli *cli, int argc, char **argv, int describe);
    /* Prints the end of the help, for topics that are not in the option tables; or NULL. */
    void (*more_help)(const struct cli *cli, FILE *out);
    /* Names of the options that the short help explains, separated by blanks; NULL: all. */
    const char *usual;
    /* Lines "kyoho … " to copy, each ended by a newline. The tests run the examples of all commands
     * in the order of the commands, beginning in an empty folder. */
    const char *examples;
};

extern const struct subcommand model_command, merge_command, run_command, force_command,
    info_command, convert_command, draw_command, bench_command, devices_command, neighbours_command,
    density_command, groups_command, binaries_command, profile_command, power_command,
    haloes_command, orbit_command, field_command, tune_command, view_command, verify_command,
    few_command;

/* Prints one line: the MPI libraries that are found. */
void devices_mpi(void);

/* Binds a table of options to the struct `values`, and sets its fields to their defaults. */
void cli_add(struct cli *cli, const char *title, const struct ky_option *options, size_t count,
             void *values);
/* The same for an array, whose length the compiler knows. */
#define cli_add_table(cli, title, options, values)                                                 \
    cli_add(cli, title, options, sizeof(options) / sizeof *(options), values)
/* The row for --units in such a table; the field at `offset` is a string. */
#define CLI_UNITS(offset, help)                                                                    \
    {                                                                                              \
        "units", KY_OPTION_TEXT, offset, NULL, KY_NO_RANGE, NULL,                                  \
            "nbody|galaxy|cluster|cosmic|planets", help                                            \
    }
/* Binds the options of a public struct (enum ky_options_kind or ky_draw_options_kind), which its
 * _defaults function has filled. */
void cli_add_options(struct cli *cli, const char *title, int kind, void *values);
/* The same for the options with these names (separated by blanks) alone. */
void cli_add_some(struct cli *cli, const char *title, int kind, const char *names, void *values);
/* Converts the library's description of an option to a row of a table. */
struct ky_option cli_option(const struct ky_option_about *about);
/* Bind the tables of struct ky_parameters: all of them, engine and force, or the engine only. All
 * fields get their defaults, and the log becomes cli_log. */
void cli_add_parameters(struct cli *cli, struct ky_parameters *parameters);
void cli_add_force(struct cli *cli, struct ky_parameters *parameters);
void cli_add_engine(struct cli *cli, struct ky_parameters *parameters);
/* Keeps only the options in `names` (separated by blanks) of the set `title`. May be called once in
 * a program. */
void cli_narrow(struct cli *cli, const char *title, const char *names);
/* Reads the command line. KY_USAGE for fewer words than `least`, more than `most`, wrong options,
 * and --isa or --tree that the engine does not use. With cli->takes_file, a first word that ends in
 * ".ini" or ".json" is a parameter file: it is read before the command line and not counted, and
 * such options are left to cli_choose_force. If --help occurs anywhere, only a first word is read,
 * into cli->words. */
enum ky_status cli_parse(struct cli *cli, int argc, char **argv, int least, int most);
/* To be called when the units of the bodies are known: converts option values with units, such as
 * "3pc", to numbers in `units`. KY_USAGE if `units` has no physical scale. */
enum ky_status cli_settle(struct cli *cli, const struct ky_units *units);
/* 1 if the value of the option (NULL: of any option) has a unit that cli_settle has not converted
 * yet. */
int cli_waits(const struct cli *cli, const char *name);
/* 1 if the command line or the parameter file names the option. */
int cli_given(const struct cli *cli, const char *name);
/* 1 if the command line itself names the option, or any option of the set `title`. */
int cli_on_line(const struct cli *cli, const char *name);
int cli_set_on_line(const struct cli *cli, const char *title);
/* KY_USAGE if one of `names` (separated by blanks) was given. The message says that the option has
 * no effect without `what`. */
enum ky_status cli_refuse(struct cli *cli, const char *names, const char *what);
/* Replaces --force auto by the first of tree, fmm and direct that uses all given options, if one of
 * them selects a method (--theta, --order), even at its default. KY_USAGE if no method uses them
 * all, for --error with an option that it chooses itself or with a method that cannot keep an
 * error, and for options of the command line that have no effect with the force and the engine.
 * Warns of such options in an INI file. */
enum ky_status cli_choose_force(struct cli *cli, struct ky_parameters *parameters);
/* The same if a file run.json gives all options, used or not. The command line overrides the file,
 * with a warning: --force or --error discard the file's tolerances and precision, --order discards
 * its alpha, and --integrator hermite4 discards all of its force if that is not direct or the
 * precision is single. */
enum ky_status cli_force_of_file(struct cli *cli, struct ky_parameters *parameters);
/* KY_USAGE for an option of the command line, in the section (NULL: any), that has no effect with
 * others of the line or of the file: --isa with a device, --theta with --force direct. */
enum ky_status cli_refuse_idle(struct cli *cli, const char *section,
                               const struct ky_parameters *parameters);
/* Frees the members of `cli`, not `cli` itself. */
void cli_free(struct cli *cli);
/* 1 if `name` is one of the words of `names` (separated by blanks). */
int cli_is_among(const char *name, const char *names);
/* Writes the help of the subcommand: usage, summary, examples, options. Unless cli->all is set, it
 * explains the usual options and only names the rest. */
void cli_help(const struct cli *cli, FILE *out);
/* Writes all exit codes with the names of ky_status_name: "0 ok; 1 out of memory or …". */
void exit_codes(char *text, size_t size);
/* The log of struct ky_parameters, with the cli as context: prints each line once to standard
 * error. With --quiet it prints only warnings. */
void cli_log(void *context, enum ky_log_level level, const char *line);

/* Options of every command that reads a snapshot. */
struct reading {
    const char *types;              /* --types as given, or NULL */
    int physical, stored, renumber; /* stored: --as-stored */
    int convention;                 /* enum ky_convention */
    uint64_t count_above; /* this and the next member as in struct ky_read_options; no options set
                             them */
    int may_be_empty;
};
/* Binds --physical, --as-stored, --convention, --types and --renumber. */
void reading_add(struct cli *cli, struct reading *reading);
/* Writes the options of ky_snapshot_read_as that reading_get uses. KY_USAGE for options that
 * contradict each other. */
enum ky_status reading_how(struct cli *cli, const struct reading *reading,
                           const struct ky_units *units, enum ky_space_reading usual,
                           struct ky_read_options *options);
/* Reads the snapshot `path`. `units` (or NULL) applies to a file that names none. `usual`
 * says how comoving, h-scaled and periodic files are read without options about it; with
 * KY_SPACE_AS_STORED options with units become numbers in the units of the file. Warns of a file
 * without bodies that may be incomplete. */
enum ky_status reading_get(struct cli *cli, const struct reading *reading, const char *path,
                           const struct ky_units *units, enum ky_space_reading usual,
                           struct ky_snapshot *snapshot);

/* Print the types, units, space and softening of a snapshot, as a line or as members of the open
 * JSON object. */
void reading_show(FILE *out, const char *name, const struct ky_snapshot *snapshot);
/* How the numbers of a file were converted, to follow the description of its space; or "". */
const char *reading_conversion(const struct ky_space *space);
void reading_json(struct ky_json *json, const struct ky_snapshot *snapshot);
/* Writes "softening 0.1", "no softening" or "softening of each body's own". */
enum { SOFTENING_WORDS = 128 };
void softening_words(const struct ky_snapshot *snapshot, char text[SOFTENING_WORDS]);
/* GADGET's names of the types: "gas", "halo" … */
extern const char *const body_type_names[6];

/* Options of every command that makes a model: the options that all models share, and one option
 * for each name that any model has. */
struct model_options {
    struct ky_model_parameters parameters; /* options that all models share */
    union option_value {
        int integer;
        uint64_t count;
        double real;
        const char *text;
    } values[CLI_OPTIONS]; /* the models' own options, in the order of cli->of_models */
    const char *words[CLI_OPTIONS + 1]; /* "w0=6" …, for parameters.options */
    char text[2048];                    /* holds the words */
};
/* Binds the options. */
void model_options_add(struct cli *cli, struct model_options *model);
/* Converts options with units to numbers in the units of the bodies. These are the units in which
 * the model `name` is made if `asked` are wanted; they are written to *units (may be NULL).
 * KY_USAGE for an unknown model; otherwise fails as ky_model_units and cli_settle. */
enum ky_status model_options_settle(struct cli *cli, const char *name, const struct ky_units *asked,
                                    struct ky_units *units);
/* To be called after model_options_settle: passes the models' own options that were given to the
 * parameters. KY_USAGE for an unknown model, and for an option that the model `name` does not
 * take. */
enum ky_status model_options_take(struct cli *cli, const char *name, struct model_options *model);
/* The name of the first given model option that the model `except` (may be NULL) does not take;
 * NULL if there is none. */
const char *model_options_given(const struct cli *cli, const char *except);
/* For the help of one model: keeps only its options. */
void model_options_narrow(struct cli *cli, const char *name);
/* 1 if the model has the option; 0 also if there is no model of this name. */
int model_takes(const char *name, const char *option);

/* Where bodies come from: a file, or a model made in memory. */
enum { ORIGIN = 1024 };
struct source {
    struct reading reading;
    const char *input, *model, *units; /* --input, --model and --units, or NULL */
    struct model_options options;
    /* 1: source_get may leave the bodies to ky_run_source and `later`, which is NULL if it has read
     * or made them; to be closed by ky_source_close. */
    int may_wait;
    struct ky_source *later;
    int takes_box; /* 1: source_get sets the box of the parameters from the file */
};
/* Binds the options of a source, of reading and of models. */
void source_add(struct cli *cli, struct source *source);
/* The file of the bodies: --input or the first word; NULL for a model. */
const char *source_file(const struct cli *cli, const struct source *source);
/* Reads or makes the bodies. `parameters` gets the G of their units unless --g was given; a model
 * gets the softening of the parameters. *origin becomes the name of the file or the options of the
 * model ("plummer -n 1000 --seed 1"), for run.json. KY_USAGE if no source or two are given, and for
 * options that do not apply to the source. */
enum ky_status source_get(struct cli *cli, struct source *source, struct ky_parameters *parameters,
                          struct ky_snapshot *snapshot, char origin[ORIGIN]);
/* source_get for --dry-run: of more than 100,000 bodies only the number is known afterwards, and
 * the step of a run only if it is given. */
enum ky_status source_plan(struct cli *cli, struct source *source, struct ky_parameters *parameters,
                           struct ky_snapshot *snapshot, char origin[ORIGIN]);

/* Sets the units of bodies from `file`: the file's own units, or --units (a preset or NULL) with
 * --g (or NaN). KY_USAGE if these contradict the scales of the file. `made_for_g` is 1 if the
 * velocities are known to belong to the G of `units`. */
enum ky_status source_units(struct cli *cli, const char *file, const char *preset, double g,
                            struct ky_units *units, int made_for_g);
/* Calls ky_softening_choose; afterwards the snapshot has the chosen softening. `run` does not need
 * this, since the library does it there. */
enum ky_status source_soften(struct cli *cli, struct ky_parameters *parameters,
                             struct ky_snapshot *snapshot, char remark[KY_REMARK]);
/* 1 if the bodies are drawn at random from a seed. */
int source_has_seed(const struct source *source);
/* The options that make the same bodies again, as lines "name=value" for struct ky_run_parameters.
 * A file is named by its absolute path. The caller frees the text; NULL if memory runs out. */
char *source_text(const struct cli *cli, const struct source *source);

/* Options of every command that writes a snapshot. */
struct sink {
    const char *output;
    int format, compress, overwrite;
};
/* Binds --output, --format, --compress and --overwrite. */
void sink_add(struct cli *cli, struct sink *sink);
/* To be called before any work: KY_USAGE if no output is given, or if it exists and may not be
 * replaced. */
enum ky_status sink_check(struct cli *cli, const struct sink *sink);
/* KY_USAGE if `output` is the same file as `input` (may be NULL), which would be overwritten. */
enum ky_status refuse_own_input(struct cli *cli, const char *output, const char *input);
/* The stream for messages to the user: standard output, or standard error if the snapshot goes to
 * standard output. */
FILE *sink_remarks(const struct sink *sink);
/* Writes the snapshot; fails as ky_snapshot_write. */
enum ky_status sink_put(struct cli *cli, const struct sink *sink,
                        const struct ky_snapshot *snapshot);

#endif
