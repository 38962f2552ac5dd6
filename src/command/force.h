/* One force evaluation, repeated, timed and compared with the exact sum: for `kyoho force` and
 * `kyoho bench`. */
#ifndef KY_COMMAND_FORCE_H
#define KY_COMMAND_FORCE_H

#include "base/status.h"

struct force_result {
    size_t n;
    struct ky_parameters parameters; /* as the engine took them */
    struct ky_force_report report;   /* each time the median of all repetitions */
    struct ky_check_results errors;  /* samples = 0 without a check */
    struct ky_choice choice;         /* text "": there was nothing to choose */
    struct ky_sums sums;             /* mass = NaN unless asked for */
};

struct force_request {
    uint64_t repeat; /* evaluations */
    uint64_t check;  /* bodies, a sample, that are compared with a sum in double precision */
    int dry;         /* 1: nothing is evaluated, the memory is shown */
    int sums;        /* 1: energies and the virial ratio too */
    int keep; /* 1: the forces go into the bodies; 0: the bodies are freed once they are on the
                 engine, and their arrays are NULL afterwards */
};

/* Calls ky_forces_check for the bodies and keeps all results. */
enum ky_status force_measure(const struct ky_parameters *parameters, struct ky_bodies *bodies,
                             const struct force_request *request, struct force_result *result,
                             struct ky_error *error);

/* The peak memory of force_measure for bodies, whose arrays may be NULL, the whole program
 * included, and what would be chosen for them. Fails as the engine does. */
enum ky_status force_foresee(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                             const struct force_request *request, struct ky_check_memory *memory,
                             struct ky_choice *choice, struct ky_error *error);

/* The same as force_measure for a Plummer sphere of n bodies, made for it, with the softening of
 * the parameters or the recommended one for n. */
enum ky_status force_measure_plummer(const struct ky_parameters *parameters, size_t n,
                                     const struct force_request *request,
                                     struct force_result *result, struct ky_error *error);

/* The value of a choice of the parameters, by the option `name` of engine or force: "tree",
 * "single". */
enum { FORCE_CHOICE = 64 };
void force_choice(const struct ky_parameters *parameters, const char *name,
                  char text[FORCE_CHOICE]);

/* The force and what it goes by: "--force tree --opening relative --alpha 0.005". */
enum { FORCE_SETTING = 256 };
void force_setting(const struct ky_parameters *parameters, char text[FORCE_SETTING]);

/* Bodies, and interactions with bodies and cells, per second of the total time [1/s]. */
double force_particles_per_s(const struct force_result *result);
double force_interactions_per_s(const struct force_result *result);

/* Writes the object that `kyoho force --json` prints. `name` is as in base/json.h. */
struct ky_json;
void force_json(struct ky_json *json, const char *name, const struct force_result *result);

#endif
