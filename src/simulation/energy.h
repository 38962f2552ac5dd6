/* energy.csv: a header line, and a row of sums for each requested time. */
#ifndef KY_SIMULATION_ENERGY_H
#define KY_SIMULATION_ENERGY_H

#include <stdio.h>

#include "analysis/analysis.h"

/* Bodies whose positions are columns: x_17, y_17, z_17 for the id 17. */
enum { KY_FOLLOW_MOST = 16 };
struct ky_followed {
    size_t count;
    uint64_t id[KY_FOLLOW_MOST];
    double place[KY_FOLLOW_MOST][3]; /* now; NaN for a body that has been removed [length] */
};

/* The energies at the start, the reference of later rows, and the columns of the file. */
struct ky_energy_start {
    double energy, potential; /* [mass velocity²] */
    int conserved; /* 0: the forces of two bodies on each other are not equal and opposite, as with
                      bodies' own softenings of the kind plummer */
    int external;  /* 1: rows have the energy in external fields, which earlier versions did not
                      write */
    int bound; /* 1: rows have number and mass of the bodies, and mass and radius of the bound ones,
                  which earlier versions did not write */
    int comoving;   /* 1: rows have the residual of Layzer and Irvine's equation */
    int core;       /* 1: rows have the numbers of the core */
    int groups;     /* 1: rows have the bodies in groups of hermite4, and the energy of their motion
                       about the centres of their groups */
    int tuned;      /* 1: rows have the force that was found for --error */
    int evolution;  /* 1: rows have `evolved` */
    double evolved; /* energy that stellar evolution has added; `energy` includes it */
    struct ky_followed followed;
};

/* Core radius [length], density [mass/length³] and number of bodies, then the Lagrangian radii. */
enum { KY_CORE_NUMBERS = 3 + KY_LAGRANGIAN_FRACTIONS };

/* The numbers of a row. */
struct ky_energy_now {
    double time, wall; /* [time], [s] */
    uint64_t steps;
    struct ky_sums sums;
    double layzer; /* ∫ (2T + W) d ln a since the start, with start->comoving [mass velocity²] */
    double order, alpha, force_error; /* with start->tuned; NaN: unknown */
    size_t bodies;
    size_t grouped; /* bodies in groups */
    double inner;   /* energy within groups [mass velocity²] */
    /* Changes of the total energy by groups; and by slow-down: by changes of κ, less the present
     * energy of slow-down [mass velocity²]. */
    double handover_work, slow_work, slow_energy;
    struct ky_bound bound;        /* measured with start->bound */
    double core[KY_CORE_NUMBERS]; /* measured with start->core */
};

/* (E − E₀)/|E₀|; NaN if energy is not conserved, and if E₀ is 0. */
double ky_energy_change(const struct ky_energy_start *start, const struct ky_sums *sums);

/* The same as a measure of the errors of forces and steps: relative to |W₀| if |E₀| is less than
 * |W₀|/100. */
double ky_energy_error(const struct ky_energy_start *start, const struct ky_sums *sums);
/* A run warns if its energy error exceeds this. */
#define KY_ENERGY_LIMIT 1e-3

/* Sets start->external, start->bound and start->core according to the columns of the open file.
 * Changes the position in the file. */
void ky_energy_find_columns(FILE *file, struct ky_energy_start *start);

/* Write the header line, or one row. An unknown number leaves its cell empty. Failures show in
 * ferror(file) and fflush(file). */
void ky_energy_header(FILE *file, const struct ky_energy_start *start);
void ky_energy_row(FILE *file, const struct ky_energy_start *start,
                   const struct ky_energy_now *now);

#endif
