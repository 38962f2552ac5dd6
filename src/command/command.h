/* What the subcommands share: options and words of one call, where bodies come from, how results
 * are shown. */
#ifndef KY_COMMAND_COMMAND_H
#define KY_COMMAND_COMMAND_H

#include "base/json.h"
#include "base/options.h"
#include "base/text.h"
#include "engine/engine.h"

enum { CLI_SETS = 12, CLI_OPTIONS = 48 }; /* options: of one set, at most */

/* One call of one subcommand. */
struct cli {
    const struct subcommand *command;
    struct ky_option_set sets[CLI_SETS];
    size_t count;
    unsigned char given[CLI_SETS][CLI_OPTIONS];
    unsigned char on_line[CLI_SETS][CLI_OPTIONS]; /* the same without those of a parameter file */
    const char *bodies_hash;                      /* of a parameter file run.json, or NULL */
    const char **words;                           /* what is no option */
    int word_count;
    struct ky_option_storage *storage;
    struct ky_error error;
    int json, quiet, help;
    char usage[256]; /* what follows the command's name, for its help */
    const char *summary;
    struct ky_option narrowed[CLI_OPTIONS];  /* see cli_narrow */
    struct ky_option of_models[CLI_OPTIONS]; /* see model_options_add; the help needs it last */
    struct remark *said;                     /* each remark is shown once */
};

struct subcommand {
    const char *name;
    const char *usage;   /* "FILE|FOLDER -o PNG [options]" */
    const char *summary; /* one line */
    /* Binds the option sets, parses, works. With `describe` it only binds, for the help and the man
     * page. */
    enum ky_status (*run)(struct cli *cli, int argc, char **argv, int describe);
    /* What the option tables do not say; or NULL. */
    void (*more_help)(const struct cli *cli, FILE *out);
};

extern const struct subcommand model_command, merge_command, run_command, force_command,
    info_command, convert_command, draw_command, bench_command, devices_command, neighbours_command,
    density_command;

/* Adds a set, sets its fields to their defaults. */
void cli_add(struct cli *cli, const char *title, const struct ky_option *options, size_t count,
             void *values);
/* The same for a table whose length the compiler knows. */
#define cli_add_table(cli, title, options, values)                                                 \
    cli_add(cli, title, options, sizeof(options) / sizeof *(options), values)
/* The row of --units in such a table; the field, a text, stands at `offset`. */
#define CLI_UNITS(offset, help)                                                                    \
    {                                                                                              \
        "units", KY_OPTION_TEXT, offset, NULL, KY_NO_RANGE, NULL, "nbody|galaxy|cluster", help     \
    }
void cli_add_parameters(struct cli *cli, struct ky_parameters *parameters);
/* The same, offering the options of engine and force, or of the engine alone. */
void cli_add_force(struct cli *cli, struct ky_parameters *parameters);
void cli_add_engine(struct cli *cli, struct ky_parameters *parameters);
/* Of the set `title`, offers only the options in `names` (separated by blanks). At most once in a
 * call. */
void cli_narrow(struct cli *cli, const char *title, const char *names);
/* Reads the command line. Fewer words than `least` or more than `most` are an error that shows the
 * usage. `ini`: a first word that ends in ".ini" or ".json" is read before the command line and is
 * not counted. With --help anywhere nothing is read but a first word, which goes to cli->words. */
enum ky_status cli_parse(struct cli *cli, int argc, char **argv, int least, int most, int ini);
int cli_given(const struct cli *cli, const char *name);
/* Whether the option, or any of a set, is given on the command line itself. */
int cli_on_line(const struct cli *cli, const char *name);
int cli_set_on_line(const struct cli *cli, const char *title);
/* KY_USAGE if one of `names` (separated by blanks) was given: they mean nothing without `what`. */
enum ky_status cli_refuse(struct cli *cli, const char *names, const char *what);
/* Warns of options that were given and that the chosen force, opening and engine do not look at. */
void cli_warn_idle(struct cli *cli, const struct ky_parameters *parameters);
void cli_free(struct cli *cli);
void cli_help(const struct cli *cli, FILE *out);
/* "0 ok; 1 out of memory or an internal fault; …": all exit codes, as ky_status_name names them. */
void exit_codes(char *text, size_t size);
extern const struct ky_option_letter cli_letters[];
/* Log lines to standard error, each once; for struct ky_parameters.log, with the cli as context. */
void cli_log(void *context, enum ky_log_level level, const char *line);

/* Options of everything that reads a snapshot. */
struct reading {
    const char *types;
    int physical, renumber;
    uint64_t count_above; /* of struct ky_read_options; no option */
};
void reading_add(struct cli *cli, struct reading *reading);
/* Reads `path`; `units`: of a file that names none, or NULL. `as_stored`: comoving, h-scaled and
 * periodic files are not refused, for a description or a picture. */
enum ky_status reading_get(struct cli *cli, const struct reading *reading, const char *path,
                           const struct ky_units *units, int as_stored,
                           struct ky_snapshot *snapshot);

/* What was read: types, units, space and softening, as a line and as members of an object. */
void reading_show(FILE *out, const char *name, const struct ky_snapshot *snapshot);
void reading_json(struct ky_json *json, const struct ky_snapshot *snapshot);
/* "softening 0.1", "no softening" or "softening of each body's own". */
enum { SOFTENING_WORDS = 64 };
void softening_words(const struct ky_snapshot *snapshot, char text[SOFTENING_WORDS]);
extern const char *const body_type_names[6]; /* "gas" … */

/* Options of everything that makes a model. */
struct model_options {
    struct ky_model_parameters parameters;
    union option_value {
        int integer;
        uint64_t count;
        double real;
        const char *text;
    } values[CLI_OPTIONS];
    const char *words[CLI_OPTIONS + 1]; /* for `parameters` */
    char text[2048];
};
void model_options_add(struct cli *cli, struct model_options *model);
/* Hands the options of their own that were given to the parameters. KY_USAGE for those of another
 * model than `name`. */
enum ky_status model_options_take(struct cli *cli, const char *name, struct model_options *model);
/* The first of them that was given and that `except` (may be NULL) does not take; or NULL. */
struct ky_model;
const char *model_options_given(const struct cli *cli, const struct ky_model *except);
/* The help is about one model: its options alone. */
void model_options_narrow(struct cli *cli, const struct ky_model *model);

/* Where bodies come from: a file, or a model made in memory. */
enum { ORIGIN = 1024 };
struct source {
    struct reading reading;
    const char *input, *model, *units;
    struct model_options options;
};
void source_add(struct cli *cli, struct source *source);
/* The file that the bodies will come from: --input or the first word; NULL for a model. */
const char *source_file(const struct cli *cli, const struct source *source);
/* Reads or makes; `parameters` takes G from the units of the bodies unless --g was given, and the
 * model the softening of the parameters. *origin says what was done, for run.json ("plummer -n 1000
 * --seed 1"). */
enum ky_status source_get(struct cli *cli, struct source *source, struct ky_parameters *parameters,
                          struct ky_snapshot *snapshot, char origin[ORIGIN]);

/* The units of bodies from `file`, given --units (a preset or NULL) and --g (or NaN): KY_USAGE
 * where these contradict the scales that the file brings. `made_for_g`: the velocities are known to
 * be for the G of `units`. */
enum ky_status source_units(struct cli *cli, const char *file, const char *preset, double g,
                            struct ky_units *units, int made_for_g);
/* ky_softening_choose, after which the snapshot holds what was chosen. For commands other than
 * `run`, which leaves it to the library. */
enum ky_status source_soften(struct cli *cli, struct ky_parameters *parameters,
                             struct ky_snapshot *snapshot, char remark[KY_REMARK]);
/* Whether the bodies are drawn at random, by a seed. */
int source_has_seed(const struct source *source);
/* The options that give the bodies as lines "name=value" for struct ky_run_parameters, to be freed;
 * NULL when memory is out. The file is told by its whole path. */
char *source_text(const struct cli *cli, const struct source *source);

/* Options of everything that writes a snapshot. */
struct sink {
    const char *output;
    int format, compress, overwrite;
};
void sink_add(struct cli *cli, struct sink *sink);
/* KY_USAGE before work starts if there is no output, or it exists and may not be replaced. */
enum ky_status sink_check(struct cli *cli, const struct sink *sink);
/* KY_USAGE if `output` is the file `input` (may be NULL), which it would replace. */
enum ky_status refuse_own_input(struct cli *cli, const char *output, const char *input);
/* Where the lines for the user go: standard error where the snapshot goes to standard output. */
FILE *sink_remarks(const struct sink *sink);
enum ky_status sink_put(struct cli *cli, const struct sink *sink,
                        const struct ky_snapshot *snapshot);

#endif
