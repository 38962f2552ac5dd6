/* Integrators with a step for each body: the longest one divided by powers of two, counted in
 * ticks. The engine goes from block to block. The longest step is parameters->step; at its
 * multiples all bodies are at one time. */
#ifndef KY_INTEGRATE_OWN_STEPS_H
#define KY_INTEGRATE_OWN_STEPS_H

#include "integrate/expansion.h"
#include "integrate/integrate.h"

/* The first member of the struct of such an integrator. */
struct ky_own_steps {
    struct ky_integrator_state base;
    struct ky_engine *engine;
    size_t n;                      /* bodies */
    double eta;                    /* of the criterion */
    struct ky_expansion expansion; /* of comoving boxes; h0 = 0: there is none */
    struct ky_integrator_report report;
    /* Advances from a time at which all bodies are, with ticks of this length, by ky_own_steps_go.
     */
    enum ky_status (*go)(struct ky_own_steps *own, double tick, uint64_t ticks,
                         struct ky_error *error);
};

/* Makes a struct of `size` bytes, which begins with struct ky_own_steps and is 0 after it. KY_FAULT
 * if memory runs out. */
enum ky_status ky_own_steps_create(const struct ky_own_steps *own, size_t size,
                                   const struct ky_parameters *parameters,
                                   struct ky_integrator_state **integrator, struct ky_error *error);

/* The rows of integrators with such steps. */
#define KY_OPTIONS_OF_OWN_STEPS                                                                    \
    KY_OPTION_STEP, KY_OPTION_ETA,                                                                 \
        {"step-max",                                                                               \
         KY_OPTION_REAL,                                                                           \
         offsetof(struct ky_parameters, step_max),                                                 \
         NULL,                                                                                     \
         KY_NO_RANGE,                                                                              \
         NULL,                                                                                     \
         "TIME",                                                                                   \
         "block, hermite4: the longest step that the program may choose if --step is not "         \
         "given; all bodies are at one time, and output is possible, at its multiples (default: "  \
         "a 16th of the crossing time) [time]"},                                                   \
        {"step-min",                                                                               \
         KY_OPTION_REAL,                                                                           \
         offsetof(struct ky_parameters, step_min),                                                 \
         NULL,                                                                                     \
         KY_NO_RANGE,                                                                              \
         NULL,                                                                                     \
         "TIME",                                                                                   \
         "block, hermite4: no step is shorter than this; the report of the run has the number of " \
         "steps that should have been shorter, and hermite4 stops if a body without "              \
         "softening needs a shorter one (default: the longest step over 2^20, for hermite4 "       \
         "over 2^32) [time]"},

/* Ticks of a longest step `step` [time] or not known yet (NaN): the tick is the shortest step that
 * is not below --step-min, or without that the longest step over 2^levels. */
uint64_t ky_own_steps_stride(const struct ky_parameters *parameters, double step, int levels);
/* The verb `suggest`: --step-max, or a 16th of the crossing time rounded down to a power of two. */
double ky_own_steps_suggest(const struct ky_parameters *parameters, const struct ky_scales *scales);
/* KY_USAGE for lengths of steps that contradict each other. */
enum ky_status ky_own_steps_check(const struct ky_parameters *parameters, struct ky_error *error);
/* Stores body i and the body with the strongest pull on it in the report; i = own->n stands for the
 * body with the shortest step. KY_FAULT if memory runs out. */
enum ky_status ky_own_steps_note(struct ky_own_steps *own, size_t i, struct ky_error *error);
/* Advances the engine by `ticks` ticks of the length `tick`, and adds to the report. The caller
 * sets in `way` the scheme and what the scheme needs besides times and ticks. Fails as the engine
 * fails; KY_STOPPED if base.is_over has ended the call; KY_USAGE if the last call ended within a
 * longest step and `tick` is not the tick of this step. */
enum ky_status ky_own_steps_go(struct ky_own_steps *own, struct ky_advance *way, double tick,
                               uint64_t ticks, struct ky_error *error);

/* Verbs. The short step is the longest of the bodies' steps within it. */
enum ky_status ky_own_steps_advance(struct ky_integrator_state *integrator, uint64_t ticks,
                                    struct ky_error *error);
enum ky_status ky_own_steps_short_step(struct ky_integrator_state *integrator, double dt,
                                       struct ky_error *error);
void ky_own_steps_report(const struct ky_integrator_state *integrator,
                         struct ky_integrator_report *report);
void ky_own_steps_free(struct ky_integrator_state *integrator);

#define KY_VERBS_OF_OWN_STEPS                                                                      \
    .suggest = ky_own_steps_suggest, .advance = ky_own_steps_advance,                              \
    .short_step = ky_own_steps_short_step, .report = ky_own_steps_report,                          \
    .free = ky_own_steps_free

/* The rows of restart files for the report. */
#define KY_FIELDS_OF_OWN_STEPS                                                                     \
    {"body steps", offsetof(struct ky_own_steps, report.body_steps), 1, KY_STORED_SIZE},           \
        {"blocks", offsetof(struct ky_own_steps, report.blocks), 1, KY_STORED_COUNT},              \
        {"shortest", offsetof(struct ky_own_steps, report.shortest), 1, KY_STORED_SIZE},           \
    {                                                                                              \
        "cut", offsetof(struct ky_own_steps, report.cut), 1, KY_STORED_SIZE                        \
    }

#endif
