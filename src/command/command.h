/* What the subcommands share: options and words of one call, where bodies come from, how results
 * are shown. */
#ifndef KY_COMMAND_COMMAND_H
#define KY_COMMAND_COMMAND_H

#include "base/json.h"
#include "base/options.h"
#include "engine/engine.h"

enum { CLI_SETS = 8, CLI_OPTIONS = 48 }; /* options: of one set, at most */

/* One call of one subcommand. */
struct cli {
    const struct subcommand *command;
    struct ky_option_set sets[CLI_SETS];
    size_t count;
    unsigned char given[CLI_SETS][CLI_OPTIONS];
    const char **words; /* what is no option */
    int word_count;
    struct ky_option_storage *storage;
    struct ky_error error;
    int json, quiet, help;
};

struct subcommand {
    const char *name;
    const char *usage;   /* "FILE|FOLDER -o PNG [options]" */
    const char *summary; /* one line */
    /* Binds the option sets, parses, works. With `describe` it only binds, for the help and the man
     * page. */
    enum ky_status (*run)(struct cli *cli, int argc, char **argv, int describe);
    void (*more_help)(FILE *out); /* what the option tables do not say; or NULL */
};

extern const struct subcommand model_command, merge_command, run_command, force_command,
    info_command, convert_command, draw_command, bench_command, devices_command, neighbours_command,
    density_command;

/* Adds a set, sets its fields to their defaults. */
void cli_add(struct cli *cli, const char *title, const struct ky_option *options, size_t count,
             void *values);
void cli_add_parameters(struct cli *cli, struct ky_parameters *parameters);
/* The same, offering only the options of the engine. */
void cli_add_engine(struct cli *cli, struct ky_parameters *parameters);
/* Reads the command line; words past `most` are an error that shows the usage. `ini`: a first word
 * that ends in
 * ".ini" is read before the command line and is not counted. */
enum ky_status cli_parse(struct cli *cli, int argc, char **argv, int least, int most, int ini);
int cli_given(const struct cli *cli, const char *name);
void cli_help(const struct cli *cli, FILE *out);
/* Log lines to standard error; for struct ky_parameters.log, with the cli as context. */
void cli_log(void *context, enum ky_log_level level, const char *line);

/* Where bodies come from: a file, or a model made in memory. */
enum { ORIGIN = 1024 };
struct source {
    const char *input, *model, *units;
    struct ky_model_parameters parameters;
};
/* KY_USAGE for an option of another model than `name`. */
enum ky_status model_check_options(struct cli *cli, const char *name);
void source_add(struct cli *cli, struct source *source);
/* The file that the bodies will come from: --input or the first word; NULL for a model. */
const char *source_file(const struct cli *cli, const struct source *source);
/* Reads or makes; `parameters` takes G from the units of the bodies unless --g was given, and the
 * model the softening of the parameters. *origin says what was done, for run.json ("plummer -n 1000
 * --seed 1"). */
enum ky_status source_get(struct cli *cli, struct source *source, const char *file,
                          struct ky_parameters *parameters, struct ky_snapshot *snapshot,
                          char origin[ORIGIN]);

/* Options of everything that writes a snapshot. */
struct sink {
    const char *output;
    int format, compress, overwrite;
};
void sink_add(struct cli *cli, struct sink *sink);
/* KY_USAGE before work starts if there is no output, or it exists and may not be replaced. */
enum ky_status sink_check(struct cli *cli, const struct sink *sink);
enum ky_status sink_put(struct cli *cli, const struct sink *sink,
                        const struct ky_snapshot *snapshot);

#endif
