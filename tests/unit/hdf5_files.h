/* What tests that make HDF5 files share. In a build without HDF5 this has the main function of such
 * a test, which skips. */
#ifndef KY_TEST_HDF5_FILES_H
#define KY_TEST_HDF5_FILES_H

#include "snapshot.h"

#ifdef KY_HAVE_HDF5
#include <hdf5.h>

static inline void put_attribute(hid_t object, const char *name, hid_t type, hsize_t count,
                                 const void *data)
{
    hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t made = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(made >= 0 && H5Awrite(made, type, data) >= 0);
    H5Aclose(made);
    H5Sclose(space);
}

/* Writes a data set with the type `stored`. `type` is that of the data, which may be NULL. */
static inline void put_set(hid_t where, const char *name, hid_t stored, hid_t type, hsize_t rows,
                           hsize_t columns, const void *data)
{
    hsize_t size[2] = {rows, columns};
    hid_t space = H5Screate_simple(columns > 1 ? 2 : 1, size, NULL);
    hid_t made = H5Dcreate2(where, name, stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(made >= 0);
    if (data)
        assert_true(H5Dwrite(made, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Dclose(made);
    H5Sclose(space);
}
#else
MAIN_THAT_SKIPS(files_of_hdf5, "HDF5 is not in this build")
#endif

#endif
