/* One force evaluation, repeated, timed and compared with the exact sum: for `kyoho force` and
 * `kyoho bench`. */
#ifndef KY_COMMAND_FORCE_H
#define KY_COMMAND_FORCE_H

#include "base/status.h"

struct force_result {
    size_t n;
    struct ky_parameters parameters; /* as the engine uses them */
    struct ky_force_report report;   /* each time is the median of all repetitions */
    struct ky_check_results errors;  /* samples = 0 if errors were not checked */
    struct ky_choice choice;         /* text "" if there was nothing to choose */
    struct ky_sums sums;             /* mass = NaN if the sums were not asked for */
};

struct force_request {
    uint64_t repeat; /* number of evaluations */
    uint64_t check;  /* number of sampled bodies that are compared with a sum in double precision */
    int dry;         /* 1: evaluate nothing, print the memory */
    int sums;        /* 1: also compute energies and the virial ratio */
    int keep; /* 1: store the forces in the bodies; 0: free the bodies once the engine has them, and
                 set their arrays to NULL */
};

/* Calls ky_forces_check for the bodies and keeps all results. */
enum ky_status force_measure(const struct ky_parameters *parameters, struct ky_bodies *bodies,
                             const struct force_request *request, struct force_result *result,
                             struct ky_error *error);

/* The peak memory of force_measure for these bodies (their arrays may be NULL), including the whole
 * program, and the parameters that would be chosen. Fails as the engine does. */
enum ky_status force_foresee(const struct ky_parameters *parameters, const struct ky_bodies *bodies,
                             const struct force_request *request, struct ky_check_memory *memory,
                             struct ky_choice *choice, struct ky_error *error);

/* force_measure for a new Plummer sphere of n bodies, with the softening of the parameters or the
 * recommended one for n. */
enum ky_status force_measure_plummer(const struct ky_parameters *parameters, size_t n,
                                     const struct force_request *request,
                                     struct force_result *result, struct ky_error *error);

/* The word for a choice in the parameters, by the name of its option of engine or force: "tree",
 * "single". */
enum { FORCE_CHOICE = 64 };
void force_choice(const struct ky_parameters *parameters, const char *name,
                  char text[FORCE_CHOICE]);

/* The force and its opening test as options: "--force tree --opening relative --alpha 0.005". */
enum { FORCE_SETTING = 256 };
void force_setting(const struct ky_parameters *parameters, char text[FORCE_SETTING]);

/* Bodies per second, and interactions (with bodies and cells) per second, of the total time
 * [1/s]. */
double force_particles_per_s(const struct force_result *result);
double force_interactions_per_s(const struct force_result *result);

/* Writes the object that `kyoho force --json` prints. `name` is as in base/json.h. */
struct ky_json;
void force_json(struct ky_json *json, const char *name, const struct force_result *result);

#endif
