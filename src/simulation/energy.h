/* energy.csv: one row of sums for each time that was asked for. The columns stand in one table. */
#ifndef KY_SIMULATION_ENERGY_H
#define KY_SIMULATION_ENERGY_H

#include <stdio.h>

#include "base/status.h"

/* What later rows are compared with. */
struct ky_energy_start {
    double energy, potential;
    int conserved; /* 0: own softenings with the kind plummer, whose pairs are not symmetric */
};

double ky_energy_change(const struct ky_energy_start *start,
                        const struct ky_sums *sums); /* NaN: not known */

/* `folder` is for error lines. */
enum ky_status ky_energy_header(FILE *file, const char *folder, struct ky_error *error);
enum ky_status ky_energy_row(FILE *file, const char *folder, const struct ky_energy_start *start,
                             const struct ky_sums *sums, double time, uint64_t steps, double wall,
                             struct ky_error *error);

#endif
