/* The program `kyoho`: finds the subcommand, runs it, and turns its status into an error line and
 * an exit code. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <string.h>
#include <unistd.h>

#include "command/command.h"
#include "command/completion.h"
#include "command/man.h"
#include "command/topics.h"

/* The purpose of a command. FILES: it makes files and prints remarks. NUMBERS: it prints numbers
 * and may make files. PRINTS: it only prints, and so has no --quiet. */
enum purpose { FILES, NUMBERS, PRINTS };
static const struct {
    const struct subcommand *command;
    enum purpose purpose;
} commands[] = {
    {&model_command, FILES},        {&run_command, FILES},       {&force_command, NUMBERS},
    {&tune_command, NUMBERS},       {&info_command, PRINTS},     {&draw_command, FILES},
    {&view_command, PRINTS},        {&convert_command, FILES},   {&merge_command, FILES},
    {&neighbours_command, NUMBERS}, {&density_command, NUMBERS}, {&groups_command, NUMBERS},
    {&binaries_command, NUMBERS},   {&profile_command, NUMBERS}, {&power_command, NUMBERS},
    {&orbit_command, NUMBERS},      {&field_command, NUMBERS},   {&bench_command, PRINTS},
    {&devices_command, PRINTS},     {&verify_command, NUMBERS},  {&few_command, NUMBERS},
    {&haloes_command, NUMBERS},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

/* Options of every subcommand; commands that only print lack the last one. */
#define FIELD(name) offsetof(struct cli, name)
static const struct ky_option common[] = {
    {"help", KY_OPTION_FLAG, FIELD(help), NULL, KY_NO_RANGE, NULL, NULL, "print this text"},
    {"json", KY_OPTION_FLAG, FIELD(json), NULL, KY_NO_RANGE, NULL, NULL,
     "print one JSON object and nothing else"},
    {"quiet", KY_OPTION_FLAG, FIELD(quiet), NULL, KY_NO_RANGE, NULL, NULL,
     "print only warnings, errors, and the output of --json"},
};

/* Begins a call of the command at this index of the table: binds its general options. */
static void start(struct cli *cli, int index)
{
    memset(cli, 0, sizeof *cli);
    cli->command = commands[index].command;
    snprintf(cli->usage, sizeof cli->usage, "%s", cli->command->usage);
    cli->summary = cli->command->summary;
    cli_add(cli, "general", common,
            sizeof common / sizeof *common - (size_t)(commands[index].purpose == PRINTS), cli);
}

/* The help of the program, which lists the commands. */
static void help(FILE *out)
{
    fprintf(out, "kyoho %s - gravitational N-body simulation\n\nusage: kyoho COMMAND [options]\n\n",
            ky_version());
    for (int k = 0; k < COMMANDS; k++)
        fprintf(out, "  %-10s %s\n", commands[k].command->name, commands[k].command->summary);
    fputs("\n`kyoho help COMMAND` or `kyoho COMMAND --help` lists the options of a command, `kyoho "
          "help units`\nlists the units that numbers may have. `kyoho --version` prints the "
          "version and the features of\nthis build, `kyoho --completion bash|zsh` a script that "
          "completes words.\n",
          out);
    char text[512] = "Exit codes: ";
    exit_codes(text + strlen(text), sizeof text - strlen(text));
    ky_help_text(text, 0, 0, out);
}

/* Prints the error: a line on standard error, and with --json an object on standard output. */
static void complain(const struct cli *cli, enum ky_status status)
{
    if (cli->json) {
        struct ky_json json = {.out = stdout};
        ky_json_object(&json, NULL);
        ky_json_text(&json, "error", cli->error.text);
        ky_json_text(&json, "status", ky_status_name(status));
        ky_json_integer(&json, "code", status);
        ky_json_end_object(&json);
    }
    fprintf(stderr, "kyoho %s: %s\n", cli->command->name, cli->error.text);
}

/* Prints the version and the features of this build. */
static void version(void)
{
    printf("kyoho %s\n%s\n%s\n", ky_version(), ky_build_features(), ky_draw_features());
    devices_mpi();
}

static int output_closed; /* 1: the program was started without a standard output */

/* 1 if printed output was lost. */
static int output_failed(void)
{
    return fflush(stdout) || ferror(stdout);
}

/* 1 if one of two words occurs before the words that name files. */
static int has_word(int argc, char **argv, const char *word, const char *other)
{
    int has = 0;
    for (int k = 0; k < argc && strcmp(argv[k], "--") != 0; k++)
        has |= !strcmp(argv[k], word) || !strcmp(argv[k], other);
    return has;
}

/* Runs a command; returns its exit code. `asked_help`: as in `kyoho help NAME`. */
static int run(int index, int argc, char **argv, int asked_help)
{
    struct cli cli;
    start(&cli, index);
    cli.help = asked_help;
    enum ky_status status = cli.command->run(&cli, argc, argv, 0);
    cli.json |= has_word(argc, argv, "--json", "--json"); /* also after a faulty line */
    if (!status && cli.help)
        cli_help(&cli, stdout);
    int remarks = commands[index].purpose == FILES && !cli.json && !cli.help;
    if (!status && output_failed() && !(remarks && output_closed))
        status = ky_fail(&cli.error, KY_CANNOT_WRITE, "standard output cannot be written");
    if (status)
        complain(&cli, status);
    cli_free(&cli);
    return (int)status;
}

/* A call that MPI ranks run together, with rank 0 in command. */
struct shared_call {
    int index, argc;
    char **argv;
};

static int lead(void *of)
{
    const struct shared_call *call = of;
    return run(call->index, call->argc, call->argv, 0);
}

/* 1 for a call that the processes of an MPI launcher run together. */
static int is_shared(int argc, char **argv)
{
    return argc > 1 && !strcmp(argv[1], run_command.name) &&
           !has_word(argc - 2, argv + 2, "--help", "-h");
}

/* Closes the output of a process whose output another rank also prints. */
static void silence(void)
{
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
        exit(KY_FAULT);
}

/* Runs a command under an MPI launcher, which has started this process as `rank`; returns its exit
 * code. */
static int run_ranks(struct shared_call *call, int rank)
{
    struct cli cli;
    int code = KY_OK;
    start(&cli, call->index);
    enum ky_status status =
        cli.command == &run_command
            ? ky_mpi_lead(lead, call, &code, &cli.error)
            : ky_fail(&cli.error, KY_USAGE,
                      "an MPI launcher has started several processes of this command, but ranks "
                      "share only `kyoho run`: start it without the launcher");
    cli.json = has_word(call->argc, call->argv, "--json", "--json");
    if (status && !rank) {
        complain(&cli, status);
        fflush(stdout);
    }
    if (status && cli.command == &run_command)
        ky_mpi_abandon((int)status);
    cli_free(&cli);
    return status ? (int)status : code;
}

/* The exit code of a call without a subcommand, after it has printed. */
static int printed(void)
{
    if (!output_failed())
        return KY_OK;
    fputs("kyoho: standard output cannot be written\n", stderr);
    return KY_CANNOT_WRITE;
}

/* Calls `write` for each command, with its options bound. */
static void for_each_command(void (*write)(const struct cli *cli, FILE *out))
{
    for (int k = 0; k < COMMANDS; k++) {
        struct cli cli;
        start(&cli, k);
        cli.command->run(&cli, 0, NULL, 1);
        write(&cli, stdout);
        cli_free(&cli);
    }
}

/* Prints the man page. */
static void man(void)
{
    man_begin(stdout);
    for_each_command(man_command);
    man_surroundings(stdout);
    for_each_command(man_examples);
    man_end(stdout);
}

/* Prints the completion script for this shell; returns the exit code. */
static int complete(const char *shell)
{
    const struct completion *completion = completion_find(shell);
    const struct subcommand *list[COMMANDS];
    if (!completion) {
        fprintf(stderr, "kyoho: --completion needs the name of a shell: bash or zsh\n");
        return KY_USAGE;
    }
    for (int k = 0; k < COMMANDS; k++)
        list[k] = commands[k].command;
    completion->begin(list, COMMANDS, stdout);
    for_each_command(completion->command);
    completion->end(stdout);
    return printed();
}

/* Prints the error for an unknown command and suggests the nearest name. Returns its exit code. */
static int unknown(const char *word)
{
    const char *names[COMMANDS];
    for (int k = 0; k < COMMANDS; k++)
        names[k] = commands[k].command->name;
    const char *near = ky_nearest_word(word, names, COMMANDS);
    struct ky_error error;
    enum ky_status status = ky_fail(
        &error, KY_USAGE, "unknown command '%s'; %s%s%s`kyoho --help` lists all%s", word,
        near ? "did you mean '" : "", near ? near : "", near ? "'? (" : "", near ? ")" : "");
    fprintf(stderr, "kyoho: %s\n", error.text);
    return (int)status;
}

/* Opens standard streams that are closed. Otherwise the next opened file would get the descriptor
 * of such a stream, and remarks would go into that file. Writing to a closed standard output fails.
 * Exceeding the file size limit becomes a write error instead of ending the program. */
static void prepare_process(void)
{
    output_closed = fcntl(STDOUT_FILENO, F_GETFD) < 0;
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY) < 0)
            exit(KY_FAULT);
    signal(SIGXFSZ, SIG_IGN);
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 1 << 22); /* freed large arrays go back to the system */
#endif
}

/* The exit code of the program. `rank`, `ranks`: as an MPI launcher set them, otherwise 0 and 1. */
static int call(int argc, char **argv, int rank, int ranks)
{
    const char *word = argc > 1 ? argv[1] : NULL;
    if (!word) {
        help(stderr);
        return KY_USAGE;
    }
    int asks = !strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help");
    if (asks && argc == 2) {
        help(stdout);
        return printed();
    }
    if (!strcmp(word, "--version")) {
        version();
        return printed();
    }
    if (!strcmp(word, "--man")) {
        man();
        return printed();
    }
    if (!strcmp(word, "--completion"))
        return complete(argv[2]);
    argc -= 1 + asks, argv += 1 + asks; /* `kyoho help run` is `kyoho run --help` */
    asks |= ranks != 1 && has_word(argc - 1, argv + 1, "--help", "-h");
    for (int k = 0; k < COMMANDS; k++)
        if (!strcmp(argv[0], commands[k].command->name))
            return ranks == 1 || asks
                       ? run(k, argc - 1, argv + 1, asks)
                       : run_ranks(&(struct shared_call){k, argc - 1, argv + 1}, rank);
    if (asks && topic_print(argv[0], stdout))
        return printed();
    return unknown(argv[0]);
}

/* If all processes print the same, only rank 0 prints and returns the exit code. If another rank
 * ended with an error first, the launcher would kill rank 0, perhaps before it has printed. */
int main(int argc, char **argv)
{
    int rank;
    const int ranks = ky_mpi_launched(&rank), is_silent = rank && !is_shared(argc, argv);
    prepare_process();
    ky_snapshot_quiet_exit();
    if (is_silent)
        silence();
    const int code = call(argc, argv, rank, ranks);
    return is_silent ? KY_OK : code;
}
