/* The options of a run in a folder. */
#include <math.h>
#include <stddef.h>

#include "base/options.h"
#include "simulation/run.h"

#define FIELD(name) offsetof(struct ky_run_parameters, name)

const struct ky_option ky_run_options[] = {
    {"output", KY_OPTION_TEXT, FIELD(output), NULL, KY_NO_RANGE, NULL, "FOLDER",
     "folder for snapshots, energy.csv, run.json, run.log and restart files"},
    {"end", KY_OPTION_REAL, FIELD(end), NULL, KY_NO_RANGE, NULL, "TIME",
     "time at which the run ends; in a comoving box the scale factor [time]"},
    {"end-z", KY_OPTION_REAL, FIELD(end_z), NULL, -1, (double)INFINITY, NULL, "Z",
     "redshift at which a run in a comoving box ends, instead of --end"},
    {"steps", KY_OPTION_COUNT, FIELD(steps), NULL, KY_NO_RANGE, NULL, NULL,
     "number of steps of the run, instead of --end"},
    {"every", KY_OPTION_REAL, FIELD(every), NULL, 0, (double)INFINITY, NULL, "TIME",
     "time between snapshots, a multiple of the step; without it only the first and the last state "
     "are written; 0: only the snapshots of --at [time]"},
    {"at", KY_OPTION_TEXT, FIELD(at), NULL, KY_NO_RANGE, NULL, "TIME,TIME...",
     "additional times of snapshots, in any order; each must be the end of a step, except in a "
     "comoving box [time]"},
    {"at-z", KY_OPTION_TEXT, FIELD(at_z), NULL, KY_NO_RANGE, NULL, "Z,Z...",
     "redshifts of additional snapshots in a comoving box"},
    {"shorten", KY_OPTION_FLAG, FIELD(shorten), NULL, KY_NO_RANGE, NULL, NULL,
     "divide a step if a time of --at or the end lies within it; without it such times are errors"},
    {"energy-every", KY_OPTION_REAL, FIELD(energy_every), NULL, 0, (double)INFINITY, NULL, "TIME",
     "time between rows of energy.csv; without it one row per step, but at most 5,000 rows; each "
     "snapshot has a row too [time]"},
    {"restart-every", KY_OPTION_REAL, FIELD(restart_every), "600", 0, (double)INFINITY, NULL,
     "SECONDS", "wall time between two restart files; 0: none, so the run cannot be resumed [s]"},
    {"max-wall", KY_OPTION_REAL, FIELD(max_wall), NULL, 0, (double)INFINITY, NULL, "SECONDS",
     "stop after this wall time; --resume continues the run [s]"},
    {"core", KY_OPTION_FLAG, FIELD(core), NULL, KY_NO_RANGE, NULL, NULL,
     "add columns to energy.csv: radius, density and number of bodies of the core (Casertano & Hut "
     "1985), and Lagrangian radii; with --groups a close pair is one body of the core"},
    {"follow", KY_OPTION_TEXT, FIELD(follow), NULL, KY_NO_RANGE, NULL, "ID,ID...",
     "add columns x_ID, y_ID, z_ID to energy.csv: the positions of the bodies with these ids, at "
     "most 16"},
    {"stop-core", KY_OPTION_REAL, FIELD(stop_core), NULL, 0, (double)INFINITY, NULL, "LENGTH",
     "stop at core collapse: when the median core radius of the last 2 time units is at most this "
     "length. The run can be resumed. 0: the larger one of 8 softenings and 32/n. Includes --core "
     "[length]"},
    {"escape-radius", KY_OPTION_REAL, FIELD(escape_radius), NULL, 0, (double)INFINITY, NULL,
     "LENGTH",
     "before each row of energy.csv remove bodies that are unbound and farther from the density "
     "centre than this; `de` excludes their energy. escapers.csv has a row for each [length]"},
    {"escapers", KY_OPTION_REAL, FIELD(escapers), NULL, 0, (double)INFINITY, NULL, "LENGTH",
     "before each row of energy.csv list bodies that are unbound and farther from the density "
     "centre than this, each once, in escapers.csv; they stay in the run [length]"},
    {"groups-every", KY_OPTION_COUNT, FIELD(groups_every), "0", KY_NO_RANGE, NULL, NULL,
     "write a catalogue of groups of friends of friends, groups_0000.csv, with every so many "
     "snapshots, the first one included; 0: none"},
    {"linking-length", KY_OPTION_REAL, FIELD(linking_length), NULL, KY_ABOVE_0, NULL, "LENGTH",
     "with --groups-every: largest distance of two friends [length]"},
    {"linking-fraction", KY_OPTION_REAL, FIELD(linking_fraction), "0.2", KY_ABOVE_0, NULL, NULL,
     "with --groups-every: the linking length as a fraction of the mean distance of the bodies"},
    {"groups-minimum", KY_OPTION_COUNT, FIELD(groups_minimum), "20", 1, (double)INFINITY, NULL,
     NULL, "with --groups-every: smallest number of bodies in a group"},
    {"collisions", KY_OPTION_CHOICE, FIELD(collisions), NULL, KY_NO_RANGE, "stop|merge", NULL,
     "two bodies that touch, as tested by --stop-collision, stop the run, or merge: they become "
     "one with the sum of their masses and momenta, and a row of events.csv. Stars in physical "
     "units without radii get the radii of the main sequence"},
    {"stellar-evolution", KY_OPTION_TEXT, FIELD(stellar_evolution), NULL, KY_NO_RANGE, NULL,
     "NAME|FILE[:OPTIONS]",
     "stars lose mass, explode, and have radii, by the fits `analytic`, with "
     ":metallicity=0.02,kick=265,seed=1, or by a plug-in, such as ./mine.so. Masses must be in "
     "physical units (--units), and all stars begin at age 0. events.csv has a row for each change "
     "of type"},
    {"compress", KY_OPTION_FLAG, FIELD(compress), NULL, KY_NO_RANGE, NULL, NULL,
     "compress HDF5 snapshots"},
    {"pieces", KY_OPTION_FLAG, FIELD(pieces), NULL, KY_NO_RANGE, NULL, NULL,
     "write each snapshot as GADGET files in parts, one for each rank: snapshot_0000.0.hdf5, "
     "snapshot_0000.1.hdf5 ... Without ranks there is one part"},
    {"overwrite", KY_OPTION_FLAG, FIELD(overwrite), NULL, KY_NO_RANGE, NULL, NULL,
     "remove the results of another run from the folder"},
};
const size_t ky_run_option_count = sizeof ky_run_options / sizeof *ky_run_options;

void ky_run_parameters_defaults_sized(struct ky_run_parameters *run, size_t size)
{
    struct ky_run_parameters own = {.size = sizeof own};
    const struct ky_option_set set = {"run", ky_run_options, ky_run_option_count, &own, NULL, NULL};
    ky_options_defaults(&set);
    ky_size_fill(run, size, &own, sizeof own);
}
