/* code.h - what the files of the AMUSE worker share: its bodies and the simulation that moves them.
 */
#ifndef KYOHO_AMUSE_CODE_H
#define KYOHO_AMUSE_CODE_H

#include <kyoho/kyoho.h>

/* What the functions of the worker answer. For REFUSED the function get_error_text tells why. */
enum { DONE = 0, REFUSED = -1, NO_BODY = -3 };

enum { NEW_MASS = 1, NEW_POSITION = 2, NEW_VELOCITY = 4, NEW_PARAMETERS = 8 };

/* Rows are in the order in which the bodies came; the first `known` are in the simulation, in the
 * same order. A body that was deleted keeps its row until the next code_push. */
struct code {
    struct ky_sim *sim; /* NULL before the first code_push */
    size_t n, room, known, gone;
    double *mass, *radius, *potential;
    double (*position)[3], (*velocity)[3], (*acceleration)[3];
    uint64_t *id; /* AMUSE's index, which is never used again */
    int *row;     /* by id; -1: deleted */
    int ids, id_room;
    int changed;       /* NEW_…, or-ed: what the simulation does not have yet */
    int moved;         /* the simulation has newer positions and velocities than the rows */
    int forces_copied; /* accelerations and potentials of the rows are those of the simulation */
    double begin;      /* time of the first code_push [time] */
    int reversible;    /* a model may evolve to earlier times */
};
extern struct code code;
extern struct ky_error code_error;

/* REFUSED, with this text for get_error_text. */
int code_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* DONE for KY_OK, else REFUSED; the call has filled code_error. */
int code_answer(enum ky_status status);

/* Makes room for one body more. REFUSED without memory. */
int code_grow(void);
/* Frees all bodies and the simulation. */
void code_clear(void);
/* Brings positions and velocities to the rows. */
int code_pull(void);
/* Brings accelerations and potentials to the rows. */
int code_pull_forces(void);
/* Brings all changes to the simulation, and opens it before. After REFUSED the changes wait for the
 * next call. */
int code_push(void);

/* The parameters of the simulation (parameters.c). */
struct ky_parameters *code_parameters(void);
/* All parameters have their defaults again. */
void options_reset(void);
/* REFUSED where an option that was set has no effect. */
int options_settle(struct ky_parameters *settled);

/* Conditions that stop evolve_model (stopping.c). */
int stopping_watched(void); /* 1: a condition is enabled */
void stopping_begin(void);  /* forgets what has stopped the last call, and starts the clock */
/* 1: a condition is met after `steps` steps of this call; 0: none; REFUSED. */
int stopping_met(uint64_t steps);
void stopping_reset(void); /* all conditions are disabled, and their parameters have defaults */

#endif
