/* The choice for KY_FORCE_AUTO and for a requested error, when the bodies are known. */
#ifndef KY_ANALYSIS_FORCE_ERROR_H
#define KY_ANALYSIS_FORCE_ERROR_H

#include "engine/engine.h"

/* Replaces KY_FORCE_AUTO by a method, and `error` by order, alpha and precision; also sets the
 * parameters that depend on them. Where the tables of methods say that several take about the same
 * time for this error, they are timed. `own` comes from ky_force_resolve_later. The bodies have
 * been checked and have a softening; without positions nothing is measured, and alpha is estimated.
 * If neither is requested, only *choice is filled, with an empty text. KY_USAGE if no method that
 * the user left open keeps the error; otherwise fails as an evaluation and as ky_engine_exact.
 * KY_STOPPED when `halt` (or NULL) is set. */
enum ky_status ky_force_settle(struct ky_parameters *own, const struct ky_bodies *bodies,
                               const struct ky_engine_use *use, struct ky_choice *choice,
                               struct ky_halt *halt, struct ky_error *error);

/* Finds order and α again for the error choice->asked, from the present α on; force and precision
 * stay. Fills *choice and its text. KY_USAGE if no α keeps the error: then *own and *choice are
 * unchanged. Else it fails as ky_force_settle. */
enum ky_status ky_force_settle_again(struct ky_parameters *own, const struct ky_bodies *bodies,
                                     struct ky_choice *choice, struct ky_halt *halt,
                                     struct ky_error *error);

/* The forces of which one is the fastest, and the seconds of an evaluation: infinite if a force
 * does not keep the error. count 0: they were not timed. */
struct ky_race {
    int count, force[KY_FORCE_AUTO];
    double seconds[KY_FORCE_AUTO];
};

/* The bodies, the processor and the times that the choice depends on. */
struct ky_choice_reason {
    const struct ky_parameters *own; /* as chosen */
    size_t n;
    int was_auto, on_cpu;
    struct ky_race race;
};

/* choice_text.c. Writes choice->text: the options, and why. */
void ky_choice_describe(struct ky_choice *choice, const struct ky_choice_reason *reason);

/* Fills force, order, precision and alpha from the parameters in use. */
void ky_choice_note(struct ky_choice *choice, const struct ky_parameters *own);

#endif
