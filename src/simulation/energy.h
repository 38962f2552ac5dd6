/* energy.csv: a header line, and a row of sums for each time that was asked for. */
#ifndef KY_SIMULATION_ENERGY_H
#define KY_SIMULATION_ENERGY_H

#include <stdio.h>

#include "base/status.h"

/* Bodies whose places are columns: x_17, y_17, z_17 for the id 17. */
enum { KY_FOLLOW_MOST = 16 };
struct ky_followed {
    size_t count;
    uint64_t id[KY_FOLLOW_MOST];
    double place[KY_FOLLOW_MOST][3]; /* now; NaN for a body that has been removed [length] */
};

/* The energies at the start, which those of later rows are compared with, and the columns. */
struct ky_energy_start {
    double energy, potential; /* [mass velocity²] */
    int conserved; /* 0: the forces of two bodies on each other are not opposite and equal, as for
                      bodies with softenings of their own and the kind plummer */
    int external;  /* 1: the rows have the energy in external fields; earlier versions wrote none */
    int core;      /* 1: the rows have the numbers of the core */
    struct ky_followed followed;
};

/* Core radius [length], density [mass/length³] and number of bodies, then the Lagrangian radii. */
enum { KY_CORE_NUMBERS = 3 + KY_LAGRANGIAN_FRACTIONS };

/* (E − E₀)/|E₀|; NaN where no energy is conserved, and where E₀ is 0. */
double ky_energy_change(const struct ky_energy_start *start, const struct ky_sums *sums);

/* 1 if the open file has the column of the energy in external fields, else 0. Changes the position
 * in the file. */
int ky_energy_has_external(FILE *file);

/* Write the line with the names of the columns, or one row, to the open file. `wall` is in seconds.
 * `core` is looked at with start->core. A number that is not known leaves its place empty.
 * KY_CANNOT_WRITE where the disk refuses;
 * `folder` is for that error line. */
enum ky_status ky_energy_header(FILE *file, const char *folder, const struct ky_energy_start *start,
                                struct ky_error *error);
enum ky_status ky_energy_row(FILE *file, const char *folder, const struct ky_energy_start *start,
                             const struct ky_sums *sums, const double core[KY_CORE_NUMBERS],
                             double time, uint64_t steps, double wall, struct ky_error *error);

#endif
