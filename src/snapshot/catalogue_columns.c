/* The columns of a catalogue of groups. */
#include "snapshot/catalogue.h"

#include <stddef.h>

#define COLUMN(member) offsetof(struct ky_catalogue, member)
const struct ky_catalogue_column ky_catalogue_columns[KY_CATALOGUE_COLUMNS] = {
    {"GroupMass", "mass", "U_M ", COLUMN(mass), {.columns = 1, .mass = 1}},
    {"GroupPos", "x,y,z", "U_L ", COLUMN(centre), {.columns = 3, .length = 1}},
    {"GroupVel", "vx,vy,vz", "U_V ", COLUMN(velocity), {.columns = 3, .velocity = 1}},
    {"GroupRadius", "radius", "U_L ", COLUMN(radius), {.columns = 1, .length = 1}},
    {"GroupVelDisp", "dispersion", "U_V ", COLUMN(dispersion), {.columns = 1, .velocity = 1}},
    {"GroupPeakPos", "x_peak,y_peak,z_peak", "U_L ", COLUMN(peak), {.columns = 3, .length = 1}},
    {"Group_M_Mean200", "m200m", "U_M ", COLUMN(m200m), {.columns = 1, .mass = 1}},
    {"Group_R_Mean200", "r200m", "U_L ", COLUMN(r200m), {.columns = 1, .length = 1}},
    {"Group_M_Crit200", "m200c", "U_M ", COLUMN(m200c), {.columns = 1, .mass = 1}},
    {"Group_R_Crit200", "r200c", "U_L ", COLUMN(r200c), {.columns = 1, .length = 1}},
};
