/* Systems of up to KY_FEW_MOST bodies without softening, integrated by physics/few.h. A system
 * takes its own steps. Its state at a given time is a copy that shorter steps, forwards or
 * backwards, bring to this time, so that the times at which a caller looks do not change its path.
 * The tree of the bodies, the clock and the steps follow from the orbits and are found again as
 * they change.
 *
 * Nothing here depends on an engine. */
#ifndef KY_FEW_FEW_H
#define KY_FEW_FEW_H

#include "base/status.h"
#include "few/binary.h"
#include "few/pairs.h"
#include "few/shape.h"
#include "few/system.h"
#include "physics/few.h"

/* Two bodies that touch. */
struct ky_few_contact {
    int body[2];
    double time, distance;
};

/* KY_BAD_DATA for numbers that are not finite, for a total mass too small or large for products of
 * masses, and for a body at the place of a body with mass or too near for 1/r³; KY_UNSUPPORTED for
 * more than KY_FEW_MOST bodies. */
enum ky_status ky_few_check(const struct ky_bodies *bodies, double g, struct ky_error *error);
/* Starts from bodies at a time. Fails as ky_few_check. */
enum ky_status ky_few_start(struct ky_few *few, const struct ky_few_settings *settings,
                            const struct ky_bodies *bodies, double time, struct ky_error *error);
/* One step. Fails as ky_few_check_finite. */
enum ky_status ky_few_step(struct ky_few *few, struct ky_error *error);
/* The parts of a step, for callers that make the stages themselves: first ky_few_keep, then the
 * stages of length few->h, then ky_few_finish. ky_few_finish returns 0 if the step has to be taken
 * again: the system is then as it was, and h is half as long. */
void ky_few_keep(struct ky_few *few, struct ky_few_motion *before);
int ky_few_finish(struct ky_few *few, const struct ky_few_motion *before);
/* KY_BAD_DATA if the numbers of the system are no longer finite, or if no step keeps the energy. */
enum ky_status ky_few_check_finite(const struct ky_few *few, struct ky_error *error);
/* Steps until the system's own time is `time` or the first one behind it, or until `most` steps are
 * made, or at ky_few_is_apart. With radii it ends after a step in which two bodies touch, with
 * contact->body[0] >= 0; `before` has the state at the beginning of this step. Both may be NULL
 * without radii. */
enum ky_status ky_few_go(struct ky_few *few, double time, struct ky_few *before,
                         struct ky_few_contact *contact, struct ky_error *error);
/* The same without `apart`, for a system that must not end a run: where no step is short enough, or
 * `most` steps are not enough, it goes on with larger errors of the energy. */
enum ky_status ky_few_go_anyway(struct ky_few *few, double time, struct ky_few *before,
                                struct ky_few_contact *contact, struct ky_error *error);
/* 1 if the system has come apart: its two outermost parts are unbound, recede from each other and
 * are farther than `apart` from each other. */
int ky_few_is_apart(const struct ky_few *few);
/* How far a time is ahead of the system's own [time]; negative: behind it. */
double ky_few_ahead(const struct ky_few *few, double time);
/* The bodies at a time near the system's own; `few` stays as it is. */
void ky_few_at(const struct ky_few *few, double time, double (*position)[3], double (*velocity)[3]);

/* ---- the state as numbers ---- */

enum { KY_FEW_NUMBERS = 37 /* for each body */ };
void ky_few_pack(const struct ky_few *few, double (*row)[KY_FEW_NUMBERS]);
/* 1 if the rows have a state; 0 if they are 0. */
int ky_few_is_packed(int n, const double (*row)[KY_FEW_NUMBERS]);
/* The inverse, for the settings with which the system was started. KY_BAD_DATA for numbers that no
 * system has. */
enum ky_status ky_few_unpack(struct ky_few *few, const struct ky_few_settings *settings, int n,
                             const double (*row)[KY_FEW_NUMBERS], struct ky_error *error);

/* ---- parts ---- */

/* tree.c */
typedef void ky_few_pair_function(void *context, const struct ky_few_pair *pair);
/* Calls `visit` for all pairs. */
void ky_few_visit_pairs(const struct ky_few_system_one *system, ky_few_pair_function *visit,
                        void *context);
/* Energy of the bodies about their centre of mass, without slow-down; masses contain G. */
double ky_few_energy(const struct ky_few_system_one *system);
/* The same with slow-down, which steps without changes of κ and without others keep: the energy of
 * each slowed pair counts 1/κ times. */
double ky_few_slow_energy(const struct ky_few_system_one *system);
/* Places and velocities of the bodies from the centre of mass, in the order of the tree. */
void ky_few_positions(const struct ky_few_system_one *system, double (*x)[3], double (*v)[3]);
/* Masses of the nodes from the bodies' masses; no slow-down, and the whole system as the clock. */
void ky_few_set_masses(struct ky_few_system_one *system);
/* Makes the tree anew from the present state. */
void ky_few_renew_tree(struct ky_few *few);
/* The first tree, from bodies in the caller's order, with masses that contain G. */
void ky_few_first_tree(struct ky_few *few, const double *mass, const double (*x)[3],
                       const double (*v)[3]);

/* slow.c: with a limit of the energy: ends all slow-down, so that each pair has the energy that its
 * motion without it would have. B and the energy are old then. */
void ky_few_release(struct ky_few *few);

/* clock.h: chooses the clock, slow-down and the longest step from the present orbits. `anew`: the
 * tree is new. Returns 1 if the clock or a slow-down is new, so that B and the energy are too. */
int ky_few_choose(struct ky_few *few, int anew);

/* The weights of the nodes in the clock, which is node `inner` or, for -1, the whole system. */
void ky_few_set_weights(struct ky_few_system_one *system, int inner);

/* stages.c: one composed step of length h without any check. */
void ky_few_stages(struct ky_few_system_one *system, double h);
/* The same with pulls of bodies outside. */
void ky_few_stages_pulled(struct ky_few_system_one *system, double h,
                          const struct ky_few_others *others);
/* B at the present place. */
void ky_few_set_clock(struct ky_few_system_one *system);
/* dt/dh now: 1/(T + B). */
double ky_few_rate(const struct ky_few_system_one *system);
/* step.c: brings a system to a time near its own. Returns the number of steps. */
int ky_few_synchronise(struct ky_few *few, double time);

/* contact.c: two bodies that touch first in the step from `before` to `after`, and were apart
 * before; body[0] is -1 if there are none. */
void ky_few_find_contact(const struct ky_few *before, const struct ky_few *after,
                         struct ky_few_contact *contact);

#endif
