/* Catalogues of groups as files: the choice of the format, and the CSV writer. */
#include "snapshot/catalogue.h"

#include <math.h>

#include "base/status.h"
#include "snapshot/csv.h"
#include "snapshot/space.h"

static void write_row(struct ky_file *file, const struct ky_catalogue *catalogue, size_t g)
{
    ky_file_print(file, "%zu,%zu", g, catalogue->offset[g + 1] - catalogue->offset[g]);
    for (int c = 0; c < ky_catalogue_count(catalogue); c++) {
        const struct ky_catalogue_column *column = &ky_catalogue_columns[c];
        const size_t columns = (size_t)column->array.columns;
        for (size_t k = 0; k < columns; k++)
            ky_file_print(file, ",%.17g", ky_catalogue_numbers(catalogue, column)[g * columns + k]);
    }
    ky_file_print(file, "\n");
}

/* Writes a line for each group, in the units of the snapshot. */
static enum ky_status write_csv(const char *path, const struct ky_catalogue *catalogue,
                                const struct ky_snapshot *snapshot,
                                const struct ky_write_options *options, struct ky_error *error)
{
    struct ky_file *file;
    KY_TRY(ky_file_create(path, options->overwrite, &file, error));
    ky_file_print(file, "# kyoho %s groups\n# bodies: %zu\n", ky_version(), snapshot->bodies.n);
    ky_csv_write_comments(file, snapshot);
    ky_file_print(file, "# linking_length: %.17g\n", catalogue->linking_length);
    if (!isnan(catalogue->mean_distance))
        ky_file_print(file, "# mean_distance: %.17g\n", catalogue->mean_distance);
    ky_file_print(file, "# minimum: %llu\n", (unsigned long long)catalogue->minimum);
    if (ky_catalogue_has_spheres(catalogue))
        ky_file_print(file, "# box: %.17g\n", catalogue->box);
    if (ky_space_is_comoving(&snapshot->space))
        ky_file_print(file, "# comoving: scale factor %.17g\n", snapshot->space.scale_factor);
    ky_file_print(file, "group,bodies");
    for (int c = 0; c < ky_catalogue_count(catalogue); c++)
        ky_file_print(file, ",%s", ky_catalogue_columns[c].names);
    ky_file_print(file, "\n");
    for (size_t g = 0; g < catalogue->groups; g++)
        write_row(file, catalogue, g);
    return ky_file_publish(file, NULL, error);
}

enum ky_status ky_catalogue_may_write(const char *path, int overwrite, struct ky_error *error)
{
    KY_NEED(path, error);
    if (!ky_hdf5_ending(path) && !ky_ends_with(path, ".csv"))
        return ky_fail(error, KY_USAGE,
                       "%s: a catalogue is HDF5 or CSV; name it .hdf5, .h5 or .csv", path);
    if (ky_hdf5_ending(path))
        KY_TRY(ky_hdf5_catalogue_check(path, error));
    return ky_file_may_write(path, overwrite, error);
}

enum ky_status ky_catalogue_write(const char *path, const struct ky_catalogue *catalogue,
                                  const struct ky_snapshot *snapshot, int overwrite,
                                  struct ky_error *error)
{
    KY_NEED(path, error);
    KY_NEED(catalogue, error);
    KY_NEED(snapshot, error);
    struct ky_write_options options;
    ky_write_options_defaults(&options);
    options.overwrite = overwrite;
    KY_TRY(ky_catalogue_may_write(path, overwrite, error));
    return ky_hdf5_ending(path)
               ? ky_hdf5_write_catalogue(path, catalogue, snapshot, &options, error)
               : write_csv(path, catalogue, snapshot, &options, error);
}
