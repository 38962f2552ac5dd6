/* The program `kyoho`: finds the subcommand, runs it, turns its status into a line and an exit
 * code. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <string.h>

#include "command/command.h"
#include "command/man.h"
#include "snapshot/snapshot.h"

/* `loud`: what it prints is all that it is called for, so that it has no --quiet. */
static const struct {
    const struct subcommand *command;
    int loud;
} commands[] = {
    {&model_command, 0},   {&run_command, 0},     {&force_command, 0},   {&info_command, 1},
    {&draw_command, 0},    {&convert_command, 0}, {&merge_command, 0},   {&neighbours_command, 0},
    {&density_command, 0}, {&bench_command, 1},   {&devices_command, 1},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

/* Options that every subcommand has, the last unless it is loud. */
#define FIELD(name) offsetof(struct cli, name)
static const struct ky_option common[] = {
    {"help", KY_OPTION_FLAG, FIELD(help), NULL, KY_NO_RANGE, NULL, NULL, "print this text"},
    {"json", KY_OPTION_FLAG, FIELD(json), NULL, KY_NO_RANGE, NULL, NULL,
     "print one JSON object and nothing else"},
    {"quiet", KY_OPTION_FLAG, FIELD(quiet), NULL, KY_NO_RANGE, NULL, NULL,
     "print nothing but warnings, errors, and what --json asks for"},
};

static void start(struct cli *cli, int index)
{
    memset(cli, 0, sizeof *cli);
    cli->command = commands[index].command;
    snprintf(cli->usage, sizeof cli->usage, "%s", cli->command->usage);
    cli->summary = cli->command->summary;
    cli_add(cli, "general", common,
            sizeof common / sizeof *common - (size_t)(commands[index].loud != 0), cli);
}

static void help(FILE *out)
{
    fprintf(out, "kyoho %s - gravitational N-body simulation\n\nusage: kyoho COMMAND [options]\n\n",
            ky_version());
    for (int k = 0; k < COMMANDS; k++)
        fprintf(out, "  %-10s %s\n", commands[k].command->name, commands[k].command->summary);
    fputs("\n`kyoho help COMMAND` or `kyoho COMMAND --help` lists the options of a command. "
          "`kyoho --version`\nprints the version and what this build can do.\n"
          "Exit codes: 0 done, 1 out of memory or internal fault, 2 wrong usage, 3 not available "
          "here,\n4 bad data, 5 device failure, 6 stopped early but resumable, 7 cannot write.\n",
          out);
}

/* What went wrong: a line on standard error, or an object where a program is listening. */
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

static int run(int index, int argc, char **argv, int asked_help)
{
    struct cli cli;
    start(&cli, index);
    cli.help = asked_help;
    int json = 0; /* also where the command line cannot be read */
    for (int k = 0; k < argc; k++)
        json |= !strcmp(argv[k], "--json");
    enum ky_status status = cli.command->run(&cli, argc, argv, 0);
    cli.json |= json;
    if (!status && cli.help)
        cli_help(&cli, stdout);
    if (!status && fflush(stdout))
        status = ky_fail(&cli.error, KY_CANNOT_WRITE, "standard output cannot be written");
    if (status)
        complain(&cli, status);
    cli_free(&cli);
    return (int)status;
}

static void man(void)
{
    man_begin(stdout);
    for (int k = 0; k < COMMANDS; k++) {
        struct cli cli;
        start(&cli, k);
        cli.command->run(&cli, 0, NULL, 1);
        man_command(&cli, stdout);
        cli_free(&cli);
    }
    man_end(stdout);
}

static int unknown(const char *word)
{
    const char *names[COMMANDS];
    for (int k = 0; k < COMMANDS; k++)
        names[k] = commands[k].command->name;
    const char *near = ky_nearest_word(word, names, COMMANDS);
    struct ky_error error;
    enum ky_status status =
        ky_fail(&error, KY_USAGE, "unknown command '%s'%s%s%s; `kyoho --help` lists all", word,
                near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    fprintf(stderr, "kyoho: %s\n", error.text);
    return (int)status;
}

/* A closed standard stream would give its number to the next file that is opened, and remarks would
 * go into that file. A file that may not grow is an error of the write, not the end of the program.
 */
static void prepare_process(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_WRONLY : O_RDONLY) < 0)
            exit(KY_FAULT);
    signal(SIGXFSZ, SIG_IGN);
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 1 << 22); /* large arrays go back to the system when they are freed */
#endif
}

/* The end of what was printed without a subcommand. */
static int printed(void)
{
    if (!fflush(stdout) && !ferror(stdout))
        return KY_OK;
    fputs("kyoho: standard output cannot be written\n", stderr);
    return KY_CANNOT_WRITE;
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : NULL;
    prepare_process();
    ky_snapshot_quiet_exit();
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
        printf("kyoho %s\n%s\n", ky_version(), ky_build_features());
        return printed();
    }
    if (!strcmp(word, "--man")) {
        man();
        return printed();
    }
    argc -= 1 + asks, argv += 1 + asks; /* `kyoho help run` is `kyoho run --help` */
    for (int k = 0; k < COMMANDS; k++)
        if (!strcmp(argv[0], commands[k].command->name))
            return run(k, argc - 1, argv + 1, asks);
    return unknown(argv[0]);
}
