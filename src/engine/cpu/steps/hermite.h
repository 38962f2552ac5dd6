/* The parts of the Hermite scheme on the CPU: hermite.c advances from block to block,
 * hermite_sums.c sums over pairs, hermite_board.c lets a board do so, hermite_start.c computes the
 * first steps once, hermite_rate.c handles bodies on which forces cancel. */
#ifndef KY_CPU_HERMITE_H
#define KY_CPU_HERMITE_H

#include "engine/cpu/state/cpu.h"
#include "physics/change.h"

struct ky_cpu_groups;
struct ky_cpu_sent;

/* Numbers of a body: two vectors of three components. */
enum { KY_HERMITE_SUMS = 6 };

/* The largest number of listed sources near a sink. */
enum { KY_HERMITE_NEAR = 32 };

/* Number of blocks of sinks that are summed at once, and of their sinks. */
enum { KY_HERMITE_BLOCKS = 64, KY_HERMITE_BATCH = KY_HERMITE_BLOCKS * KY_MOVING_BLOCK };

/* The state of the scheme in addition to the bodies and their levels. Initially all 0. */
struct ky_cpu_hermite {
    double *room;                 /* memory of the columns below */
    double *at[KY_HERMITE_SUMS];  /* [n] x and v at the current tick, in the engine's lengths */
    double *sum[KY_HERMITE_SUMS]; /* [n] accelerations and jerks of the sinks */
    double *eps2;                 /* [n] */
    double *rate2; /* [n] maximum rate of change of the force on a sink [1/time²]; 0: unknown */
    double *acting[KY_HERMITE_SUMS + 2]; /* if some bodies are massless: at[], mass and eps2 of the
                                            others, contiguous; otherwise NULL */
    void *column;                        /* sources, for the lanes */
    struct ky_moving_sinks *block;       /* and one for a single sink */
    size_t each;                         /* sinks of a block in the sums of a batch */
    uint32_t *near; /* sources near the sinks of a block: [KY_HERMITE_NEAR] for each sink */
    double near2;   /* sources with s² up to this act in double, in squares of the engine's length;
                       −1: none */
    double middle[KY_HERMITE_SUMS], speed, heaviest; /* units of the lanes' numbers */
    struct ky_cpu_groups *groups;                    /* NULL: none yet */
    struct ky_cpu_sent *sent;                        /* private to hermite_board.c */
    int members_are_late;                            /* 1: a[] of members of groups is not known */
    int potential_is_late; /* 1: the engine's potential[] belongs to other positions than x[] */
};

/* KY_SCHEME_HERMITE. */
enum ky_status ky_cpu_hermite_steps(struct ky_cpu *cpu, struct ky_advance *way,
                                    struct ky_error *error);
/* To be called after an evaluation of forces: discards the bodies' steps. In double precision the
 * potentials of this evaluation are valid; otherwise potentials are computed on demand. */
void ky_cpu_hermite_forget(struct ky_cpu *cpu);
/* If potential[] is out of date, computes it for the current positions, in double. KY_FAULT if
 * memory runs out. */
enum ky_status ky_cpu_catch_potential(struct ky_cpu *cpu, struct ky_error *error);
/* Bytes for n bodies. */
double ky_cpu_hermite_memory(size_t n);
/* Frees the columns. */
void ky_cpu_free_hermite(struct ky_cpu *cpu);

/* Writes accelerations and jerks of the sinks to cpu->hermite->sum[c][k], in the caller's units,
 * with external fields. Sinks are cpu->blocks->active[0 … count), or with `all` all bodies in
 * order. cpu->hermite->at[] has been set. KY_FAULT if memory runs out. */
enum ky_status ky_cpu_sum_jerks(struct ky_cpu *cpu, size_t count, int all, struct ky_error *error);
/* Sets softenings and the units of the lanes' numbers, which depend on masses and softenings. */
void ky_cpu_frame_hermite(struct ky_cpu *cpu);
/* Sets the position and velocity that precision extended subtracts, from a few bodies at the ends
 * of their steps. To be called before ky_cpu_sum_jerks. */
void ky_cpu_centre_hermite(struct ky_cpu *cpu);
/* Writes the second and third derivatives of all bodies' accelerations to cpu->hermite->sum, in the
 * caller's units, and their rate2. Uses the accelerations and the column of jerks. KY_FAULT if
 * memory runs out. */
enum ky_status ky_cpu_sum_changes(struct ky_cpu *cpu, struct ky_error *error);
/* The maximum rate at which the other bodies, at their current positions, and external fields can
 * change the force on body i [1/time²]. */
double ky_cpu_hermite_rate2(const struct ky_cpu *cpu, size_t i);
/* The same if the bodies' contribution is known. */
double ky_cpu_hermite_rate2_of(const struct ky_cpu *cpu, struct ky_hermite_rate rate, size_t i);
/* Allocates memory for these sums. KY_FAULT if memory runs out. */
enum ky_status ky_cpu_reserve_hermite(struct ky_cpu *cpu, struct ky_error *error);

#endif
