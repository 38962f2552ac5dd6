/* kyoho tune: settings of the force, and their measurement (tune_measure.c), for the command that
 * chooses among them (tune.c). */
#ifndef KY_COMMAND_TUNE_H
#define KY_COMMAND_TUNE_H

#include "command/command.h"
#include "command/force.h"

struct tune_request {
    struct ky_parameters parameters;
    struct source source;
    double error, seconds;
    uint64_t check, repeat;
};

/* An option that is the tolerance of opening tests, and the values that are measured, from the
 * coarsest to the finest. */
struct tune_tolerance {
    const char *option; /* "alpha" */
    size_t field;       /* its place in struct ky_parameters */
    const double *values;
    size_t count;
};

/* A force with an opening test. */
struct tune_family {
    int force, opening;
    int order;                              /* of expansions; 0: it has none */
    const struct tune_tolerance *tolerance; /* NULL: the exact sum, which opens nothing and has one
                                               setting */
    int asked;                              /* 1: measured only if --force or --opening names it */
};

/* A setting: a family with a tolerance, on one of the engines. */
struct tune_trial {
    const struct tune_family *family;
    size_t engine;
    double value;            /* α or θ; NaN: direct */
    double seconds;          /* of an evaluation; NaN: not measured */
    double error, potential; /* of 99 % of the bodies */
};

enum { TUNE_ENGINES = 8, TUNE_TRIALS = 2048 };
struct tuning {
    struct cli *cli;
    const struct tune_request *request;
    struct ky_bodies *bodies;
    struct ky_parameters parameters; /* and the softening */
    char engines[TUNE_ENGINES][16];
    size_t engine_count;
    struct tune_trial trial[TUNE_TRIALS];
    size_t count;
    double begin;       /* ky_clock [s] */
    double pairs_per_s; /* of the present engine; 0: not known yet */
    int left_out;       /* settings for which there was no time */
    enum ky_status
        refused; /* of the last family that an engine does not support; its error is in the cli */
};

/* The parameters of a setting. */
struct ky_parameters tune_parameters(const struct tuning *tuning, const struct tune_trial *trial);
/* The setting as options: "--force tree --alpha 0.005 --engine cpu". */
enum { TUNE_WORDS = 320 };
void tune_words(const struct tuning *tuning, const struct tune_trial *trial, char text[TUNE_WORDS]);

/* Measures a setting with `repeat` evaluations. KY_UNSUPPORTED if the engine lacks the force. */
enum ky_status tune_measure(struct tuning *tuning, struct tune_trial *trial, uint64_t repeat);

/* Finds the engines, measures their settings from the coarsest to the finest of each family, and
 * prints a row for each, until the time of the request is spent. KY_USAGE if there was no time for
 * any, KY_UNSUPPORTED if the engines support none of the forces. */
enum ky_status tune_measure_all(struct tuning *tuning);

#endif
