/* The man page kyoho(1), in the macros of man(7). */
#include "command/man.h"

#include <string.h>

/* Writes text with roff's special characters escaped. */
static void plain(const char *text, FILE *out)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", out);
    for (; *text; text++)
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else
            fputc(*text, out);
}

void man_begin(FILE *out)
{
    fprintf(out,
            ".TH KYOHO 1 2026-11-28 \"kyoho %s\" \"User commands\"\n"
            ".SH NAME\nkyoho \\- gravitational N\\-body simulation\n"
            ".SH SYNOPSIS\n.B kyoho\n.I COMMAND\n.RI [ options ]\n"
            ".SH DESCRIPTION\n"
            "Makes initial conditions of star clusters and galaxies, follows their motion under "
            "their own gravity,\n"
            "computed exactly or with an octree, and shows the results.\n"
            "Option names are never abbreviated. Where a time or a length is asked for, it is in "
            "the units of the\n"
            "bodies.\n",
            ky_version());
}

void man_command(const struct cli *cli, FILE *out)
{
    fprintf(out, ".SH kyoho %s\n.B kyoho %s\n", cli->command->name, cli->command->name);
    plain(cli->command->usage, out);
    fputs("\n.PP\n", out);
    plain(cli->command->summary, out);
    fputs("\n", out);
    for (size_t s = 0; s < cli->count; s++)
        for (size_t k = 0; k < cli->sets[s].count; k++) {
            const struct ky_option *option = &cli->sets[s].options[k];
            if (!ky_options_is_first(cli->sets, cli->count, &cli->sets[s], option))
                continue;
            const char *letter = ky_option_letter_of(ky_option_words, option->name);
            fputs(".TP\n.BR ", out);
            if (letter)
                fprintf(out, "\\-%s \", \" ", letter);
            fputs("\\-\\-", out);
            plain(option->name, out);
            fputs(" \" ", out);
            plain(ky_option_value_word(option), out);
            fputs("\"\n", out);
            plain(option->help, out);
            if (option->initial && option->type != KY_OPTION_FLAG)
                fprintf(out, " (default %s)", option->initial);
            fputs("\n", out);
        }
}

void man_surroundings(FILE *out)
{
    fputs(".SH FILES\n"
          "A run's folder holds\n.I snapshot_0000.hdf5 \\fR...,\n.I energy.csv\\fR,\n.I "
          "run.json\\fR,\n.I run.log\\fR,\n"
          ".I restart.kyo\nand the restart file before it. A file named\n.I stop\nput there ends "
          "the run, resumable.\n"
          ".SH ENVIRONMENT\n.TP\n.B OMP_NUM_THREADS\nthreads on the CPU, unless\n.B "
          "\\-\\-threads\nis given.\n"
          ".TP\n.B OMP_WAIT_POLICY\nwith\n.I passive\nthreads sleep while they wait, and do not "
          "spin before.\n"
          ".TP\n.B XDG_CACHE_HOME\nits folder\n.I kyoho\nkeeps programs compiled for OpenCL "
          "devices (else that in\n.IR ~/.cache ),\nup to 256 MiB of them; it may be removed at "
          "any time.\n"
          ".SH EXIT STATUS\n",
          out);
    char text[512];
    exit_codes(text, sizeof text);
    plain(text, out);
    fputs("\n.SH EXAMPLES\n.nf\n", out);
}

void man_examples(const struct cli *cli, FILE *out)
{
    for (const char *line = cli->command->examples; line && *line; line = strchr(line, '\n') + 1) {
        char one[256];
        snprintf(one, sizeof one, "%.*s", (int)strcspn(line, "\n"), line);
        plain(one, out);
        fputc('\n', out);
    }
}

void man_end(FILE *out)
{
    fputs(".fi\n.SH SEE ALSO\n"
          "The folder\n.I share/doc/kyoho\nof the installation:\n.I docs/README.md\n"
          "(a map of the documents),\n.I docs/from-others.md\n(options that other programs have),\n"
          ".I docs/command.md\n(the manual),\n"
          ".I docs/tutorials\n(a star cluster, a galaxy, a universe),\n.I docs/numerics.md\n"
          "(what is computed, and how accurately),\n.IR examples .\n.PP\n.BR ffmpeg (1)\n"
          "makes films.\n",
          out);
}
