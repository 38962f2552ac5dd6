/* The run's part of a restart file. The first seventeen fields have the order of files of version
 * 1. */
#include "simulation/run.h"

#include <stddef.h>

#define AT(member) offsetof(struct ky_run_state, member)
static const struct ky_stored_field fields[] = {
    {"tick", AT(tick), 0, KY_STORED_ANY},
    {"end", AT(end.ticks), 0, KY_STORED_COUNT},
    {"every", AT(every), 0, KY_STORED_COUNT},
    {"energy every", AT(energy_every), 0, KY_STORED_COUNT},
    {"snapshots", AT(snapshots), 0, KY_STORED_COUNT},
    {"energy bytes", AT(energy_bytes), 0, KY_STORED_COUNT},
    {"energy", AT(energy), 0, KY_STORED_REAL},
    {"potential", AT(potential), 0, KY_STORED_REAL},
    {"wall", AT(wall), 0, KY_STORED_SIZE},
    {"conserved", AT(conserved), 0, KY_STORED_FLAG},
    {"compress", AT(compress), 0, KY_STORED_FLAG},
    {"seed", AT(seed), 0, KY_STORED_ANY},
    {"has seed", AT(has_seed), 0, KY_STORED_FLAG},
    {"length cm", AT(units.length_cm), 0, KY_STORED_SIZE},
    {"mass g", AT(units.mass_g), 0, KY_STORED_SIZE},
    {"velocity cm/s", AT(units.velocity_cm_s), 0, KY_STORED_SIZE},
    {"g", AT(units.g), 0, KY_STORED_SIZE},
    {"end part", AT(end.part), 1, KY_STORED_REAL},
    {"stride", AT(stride), 1, KY_STORED_ANY},
    {"shorten", AT(shorten), 1, KY_STORED_FLAG},
    {"bare", AT(bare), 1, KY_STORED_FLAG},
    {"core", AT(core), 1, KY_STORED_FLAG},
    {"collapsed", AT(collapsed), 1, KY_STORED_FLAG},
    {"escaped", AT(escaped), 1, KY_STORED_COUNT},
    {"stop core", AT(stop_core), 1, KY_STORED_MAYBE},
    {"escape radius", AT(escape_radius), 1, KY_STORED_MAYBE},
    {"change", AT(change), 1, KY_STORED_ANY},
    {"h", AT(space.hubble), 1, KY_STORED_MAYBE},
    {"omega m", AT(space.omega_matter), 1, KY_STORED_MAYBE},
    {"omega lambda", AT(space.omega_lambda), 1, KY_STORED_ANY},
    {"escapers", AT(escapers), 1, KY_STORED_MAYBE},
    {"escapers bytes", AT(escapers_bytes), 1, KY_STORED_COUNT},
    {"pieces", AT(pieces), 1, KY_STORED_FLAG},
    {"groups every", AT(groups_every), 1, KY_STORED_COUNT},
    {"groups minimum", AT(groups_minimum), 1, KY_STORED_COUNT},
    {"linking length", AT(linking_length), 1, KY_STORED_MAYBE},
    {"linking fraction", AT(linking_fraction), 1, KY_STORED_MAYBE},
    {"merges", AT(merges), 1, KY_STORED_FLAG},
    {"stellar radii", AT(stellar_radii), 1, KY_STORED_FLAG},
    {"mergers", AT(mergers), 1, KY_STORED_COUNT},
    {"events bytes", AT(events_bytes), 1, KY_STORED_COUNT},
    {"stellar", AT(stellar), 1, KY_STORED_COUNT},
    {"evolved", AT(evolved), 1, KY_STORED_REAL},
};
enum { FIELDS = sizeof fields / sizeof *fields };

enum ky_status ky_run_store_state(const struct ky_run_state *state, struct ky_section *section,
                                  struct ky_error *error)
{
    return ky_fields_store("run", fields, FIELDS, state, section, error);
}

enum ky_status ky_run_restore_state(const struct ky_restart *restart, struct ky_run_state *state,
                                    struct ky_error *error)
{
    return ky_fields_restore(restart, "run", fields, FIELDS, state, error);
}
