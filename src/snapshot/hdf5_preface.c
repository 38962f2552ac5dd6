/* The counts, masses and time of /Header, and the parameters of our own files. */
#ifdef KY_HAVE_HDF5
#include "snapshot/hdf5.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"

enum { MOST_TYPES = 16 };

/* Reads a count for each type from an attribute of /Header. KY_BAD_DATA for an attribute that is
 * not a list of numbers, and for bodies of other types if no types were selected. */
static enum ky_status counts(hid_t header, const char *name, unsigned types,
                             uint64_t count[KY_HDF5_TYPES], int *found, struct ky_error *error)
{
    uint64_t values[MOST_TYPES] = {0};
    *found = ky_hdf5_numbers(header, name, H5T_NATIVE_UINT64, MOST_TYPES, values);
    if (*found < 0)
        return ky_fail(error, KY_BAD_DATA,
                       "/Header: %s is not a list of numbers; it must be one number for each type",
                       name);
    for (int t = KY_HDF5_TYPES; t < MOST_TYPES && !types; t++)
        if (values[t])
            return ky_fail(error, KY_BAD_DATA,
                           "/Header: %s says %" PRIu64
                           " bodies of type %d%s; only types 0 to 5 are read, and --types, as in "
                           "--types 0,1,4, leaves out the others",
                           name, values[t], t, t == 6 ? " (neutrinos of SWIFT)" : "");
    for (int t = 0; t < KY_HDF5_TYPES; t++)
        count[t] = !types || types >> t & 1 ? values[t] : 0;
    return KY_OK;
}

/* Fails with KY_BAD_DATA for a header that does not count bodies. The message suggests the kind of
 * file. */
static enum ky_status no_snapshot(hid_t header, struct ky_error *error)
{
    if (H5Aexists(header, "Ngroups_Total") > 0)
        return ky_fail(error, KY_BAD_DATA,
                       "/Header has Ngroups_Total and no NumPart_ThisFile: it is a catalogue of "
                       "groups; give the snapshot in which they were found");
    return ky_fail(
        error, KY_BAD_DATA,
        "/Header has no NumPart_ThisFile, which counts the bodies; it is not a GADGET snapshot");
}

/* The identifier of the run in Kyoho's files in pieces; 0: the file has none. */
static uint64_t read_run(hid_t file)
{
    uint64_t run = 0;
    hid_t own = ky_hdf5_group(file, "Kyoho");
    if (own < 0)
        return 0;
    if (ky_hdf5_can_list(own) && ky_hdf5_numbers(own, "Run", H5T_NATIVE_UINT64, 1, &run) != 1)
        run = 0;
    H5Gclose(own);
    return run;
}

enum ky_status ky_hdf5_read_header(hid_t file, unsigned types, struct ky_hdf5_header *h,
                                   struct ky_error *error)
{
    double masses[MOST_TYPES] = {0};
    uint64_t high[KY_HDF5_TYPES];
    int found_here, found_high;
    *h = (struct ky_hdf5_header){.files = 1};
    hid_t header = ky_hdf5_group(file, "Header");
    if (header < 0)
        return ky_fail(error, KY_BAD_DATA,
                       "is an HDF5 file without a group /Header; it is not a GADGET snapshot");
    enum ky_status status = KY_OK;
    if (!ky_hdf5_can_list(header))
        status = ky_fail(error, KY_BAD_DATA, "/Header has damaged attributes");
    if (!status)
        status = counts(header, "NumPart_ThisFile", types, h->here, &found_here, error);
    if (!status && !found_here)
        status = no_snapshot(header, error);
    if (!status)
        status = counts(header, "NumPart_Total", types, h->total, &h->has_total, error);
    if (!status)
        status = counts(header, "NumPart_Total_HighWord", types, high, &found_high, error);
    for (int t = 0; t < KY_HDF5_TYPES && !status; t++)
        if (h->total[t] <= UINT32_MAX)
            h->total[t] += high[t] << 32;
    if (!status && ky_hdf5_numbers(header, "MassTable", H5T_NATIVE_DOUBLE, MOST_TYPES, masses) < 0)
        status = ky_fail(
            error, KY_BAD_DATA,
            "/Header: MassTable is not a list of numbers; it must be one number for each type");
    memcpy(h->mass, masses, sizeof h->mass);
    double files = ky_hdf5_real(header, "NumFilesPerSnapshot", 1);
    const struct ky_hdf5_told time = ky_hdf5_tell(header, "Time");
    h->time = time.is_there ? time.number : 0;
    H5Gclose(header);
    if (!status && !(files >= 0 && files <= 1e6))
        status = ky_fail(error, KY_BAD_DATA,
                         "/Header: NumFilesPerSnapshot is %g; it must be from 0 to 1e6", files);
    if (!status && !isfinite(h->time))
        status = ky_hdf5_no_number("Header", "Time", &time, error);
    h->files = status || files < 1 ? 1 : (int)files;
    h->run = status ? 0 : read_run(file);
    return status;
}

enum ky_status ky_hdf5_read_parameters(hid_t own, struct ky_snapshot *snapshot,
                                       struct ky_error *error)
{
    if (H5Lexists(own, "Parameters", H5P_DEFAULT) <= 0)
        return KY_OK;
    hid_t set = H5Dopen2(own, "Parameters", H5P_DEFAULT), type = H5Dget_type(set);
    hid_t space = H5Dget_space(set);
    size_t bytes = H5Tget_size(type);
    enum ky_status status = KY_OK;
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0 ||
        H5Sget_simple_extent_npoints(space) != 1 || H5Dget_storage_size(set) < bytes) {
        status = ky_fail(error, KY_BAD_DATA,
                         "/Kyoho/Parameters is damaged; delete that data set to read the bodies");
    } else {
        snapshot->parameters = ky_allocate_zeroed(bytes + 1, 1);
        if (!snapshot->parameters)
            status = ky_no_memory(error, "parameters", bytes, 1);
        else if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, snapshot->parameters) < 0)
            status = ky_fail(
                error, KY_BAD_DATA,
                "/Kyoho/Parameters cannot be read; delete that data set to read the bodies");
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(set);
    return status;
}
#else
typedef int ky_hdf5_is_absent;
#endif
