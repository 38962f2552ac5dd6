/* A table that is written as CSV or drawn as a picture, depending on the extension of the file. */
#ifndef KY_COMMAND_PLOTTED_H
#define KY_COMMAND_PLOTTED_H

#include "command/command.h"
#include "command/table.h"

/* The output; NULL: none. Each command has a table of options for it. */
struct plotted {
    const char *output, *title;
    int overwrite, width, height;
};

/* The rows of its options. OF: the member of the request; TEXT: the help of --output; PLOT: the
 * plot in words, and ALL all of it together. */
#define PLOTTED_OPTIONS(OF, TEXT, PLOT, ALL, HEIGHT)                                               \
    {"output",    KY_OPTION_TEXT, FIELD(OF.output),        NULL,                                   \
     KY_NO_RANGE, NULL,           "FILE.csv|FILE.png|...", TEXT ": PNG, PDF, SVG"},                \
        {"overwrite", KY_OPTION_FLAG, FIELD(OF.overwrite),         NULL, KY_NO_RANGE,              \
         NULL,        NULL,           "replace a file that exists"},                               \
        {"title",     KY_OPTION_TEXT, FIELD(OF.title), NULL,                                       \
         KY_NO_RANGE, NULL,           "TEXT",          "text above the " PLOT},                    \
        {"width",                                                                                  \
         KY_OPTION_INTEGER,                                                                        \
         FIELD(OF.width),                                                                          \
         "800",                                                                                    \
         64,                                                                                       \
         16384,                                                                                    \
         NULL,                                                                                     \
         NULL,                                                                                     \
         "width of the " PLOT " [pixels]"},                                                        \
        {"height", KY_OPTION_INTEGER,           FIELD(OF.height), HEIGHT, 64, 65536, NULL,         \
         NULL,     "height of " ALL " [pixels]"},

/* Checks the output before any work. KY_USAGE if the file exists and may not be replaced, is the
 * input (may be NULL) or is standard output, for other endings of its name, and for options that do
 * not apply to it. KY_UNSUPPORTED for picture formats that this build cannot write. */
enum ky_status plotted_check(struct cli *cli, const struct plotted *plotted, const char *input);
/* Writes the table if a CSV file was asked for. *is_picture is 1 if a picture was asked for, which
 * the caller draws. */
enum ky_status plotted_write(struct cli *cli, const struct plotted *plotted,
                             const struct table *table, int *is_picture);

#endif
