/* kyoho tune: settings of the force and their measurement (tune_measure.c), and the choice among
 * them (tune.c). */
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

/* An option that is the tolerance of an opening test, and the measured values, from the coarsest to
 * the finest. */
struct tune_tolerance {
    const char *option; /* "alpha" */
    size_t field;       /* its offset in struct ky_parameters */
    const double *values;
    size_t count;
};

/* A force with an opening test. */
struct tune_family {
    int force, opening;
    int order;                              /* order of the expansions; 0: there are none */
    const struct tune_tolerance *tolerance; /* NULL for the exact sum, which has one setting */
    int asked;                              /* 1: measured only if the options name it */
};

/* A setting: a family with a tolerance on one of the engines. */
struct tune_trial {
    const struct tune_family *family;
    size_t engine;
    double value;            /* α or θ; NaN for direct */
    double seconds;          /* time of an evaluation; NaN: not measured */
    double error, potential; /* error that 99 % of the bodies keep */
};

enum { TUNE_ENGINES = 8, TUNE_FAMILIES = 28, TUNE_TRIALS = 2048 };
struct tuning {
    struct cli *cli;
    const struct tune_request *request;
    struct ky_bodies *bodies;
    struct ky_parameters parameters; /* and their softening */
    char engines[TUNE_ENGINES][16];
    size_t engine_count;
    struct tune_family family[TUNE_FAMILIES];
    size_t family_count;
    struct tune_trial trial[TUNE_TRIALS];
    size_t count;
    double begin;           /* ky_clock [s] */
    double pairs_per_s;     /* rate of the current engine; 0: not known yet */
    int left_out;           /* number of settings for which there was no time */
    enum ky_status refused; /* status of the last family that an engine does not support; its
                               message is in the cli */
};

/* The parameters of a setting. */
struct ky_parameters tune_parameters(const struct tuning *tuning, const struct tune_trial *trial);
/* The setting as options: "--force tree --alpha 0.005 --engine cpu". */
enum { TUNE_WORDS = 320 };
void tune_words(const struct tuning *tuning, const struct tune_trial *trial, char text[TUNE_WORDS]);

/* Measures a setting with `repeat` evaluations. KY_UNSUPPORTED if the engine lacks the force. */
enum ky_status tune_measure(struct tuning *tuning, struct tune_trial *trial, uint64_t repeat);

/* Finds the engines, measures the settings of each family from the coarsest to the finest, and
 * prints a row for each, until the time of the request is spent. KY_USAGE if there was no time for
 * any setting, KY_UNSUPPORTED if the engines support none of the forces. */
enum ky_status tune_measure_all(struct tuning *tuning);

#endif
