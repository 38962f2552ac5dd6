/* The columns that an integrator may ask for. */
#include "engine/common/integrator_columns.h"

#include "few/few.h"

const struct ky_column_about ky_columns[KY_COLUMN_COUNT] = {
    [KY_COLUMN_STEP] = {"step", 1, 0, 0},
    [KY_COLUMN_JERK] = {"jerk", 3, 1, 0},
    [KY_COLUMN_PULL] = {"pull", 1, 1, 0},
    [KY_COLUMN_FEW] = {"few", KY_FEW_NUMBERS, 1, 1},
    [KY_COLUMN_GROUP] = {"group", KY_GROUP_NUMBERS, 1, 1},
};

enum ky_status ky_column_check(unsigned set, enum ky_column column, struct ky_error *error)
{
    if (ky_column_is_in(set, (int)column))
        return KY_OK;
    return ky_fail(error, KY_USAGE, "the engine was not asked for a column '%s'",
                   ky_columns[column].name);
}

double ky_columns_bytes(unsigned set)
{
    double bytes = 0;
    for (int k = 0; k < KY_COLUMN_COUNT; k++)
        bytes += ky_column_is_in(set, k) * (double)(ky_columns[k].components * sizeof(double));
    return bytes;
}
