/* What a restart file keeps of a run besides the bodies. The first seventeen fields stand in the
 * order of files of version 1. */
#include "simulation/run.h"

#include <stddef.h>

#define AT(member) offsetof(struct ky_run_state, member)
static const struct ky_stored_field fields[] = {
    {"tick", AT(tick), 0},
    {"end", AT(end.ticks), 0},
    {"every", AT(every), 0},
    {"energy every", AT(energy_every), 0},
    {"snapshots", AT(snapshots), 0},
    {"energy bytes", AT(energy_bytes), 0},
    {"energy", AT(energy), 0},
    {"potential", AT(potential), 0},
    {"wall", AT(wall), 0},
    {"conserved", AT(conserved), 0},
    {"compress", AT(compress), 0},
    {"seed", AT(seed), 0},
    {"has seed", AT(has_seed), 0},
    {"length cm", AT(units.length_cm), 0},
    {"mass g", AT(units.mass_g), 0},
    {"velocity cm/s", AT(units.velocity_cm_s), 0},
    {"g", AT(units.g), 0},
    {"end part", AT(end.part), 1},
    {"stride", AT(stride), 1},
    {"shorten", AT(shorten), 1},
    {"bare", AT(bare), 1},
    {"core", AT(core), 1},
    {"collapsed", AT(collapsed), 1},
    {"escaped", AT(escaped), 1},
    {"stop core", AT(stop_core), 1},
    {"escape radius", AT(escape_radius), 1},
    {"change", AT(change), 1},
    {"h", AT(space.hubble), 1},
    {"omega m", AT(space.omega_matter), 1},
    {"omega lambda", AT(space.omega_lambda), 1},
    {"escapers", AT(escapers), 1},
    {"escapers bytes", AT(escapers_bytes), 1},
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
