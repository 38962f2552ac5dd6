/* The table of data sets, the lock and the file driver: see hdf5.h. A build without HDF5 still
 * recognises such a file, for the error message. */
#include <string.h>

#include "base/features.h"
#include "snapshot/shared_file.h"

int ky_hdf5_recognise(const struct ky_input *input, const unsigned char *head, size_t bytes)
{
    (void)input;
    /* the file may start with a user block of 0, 512, 1024, … bytes */
    for (size_t at = 0; at + 8 <= bytes; at = at ? 2 * at : 512)
        if (!memcmp(head + at, "\x89HDF\r\n\x1a\n", 8))
            return 1;
    return 0;
}

#ifdef KY_HAVE_HDF5
#include "snapshot/hdf5.h"

#include <pthread.h>
#include <stdlib.h>
#if H5_VERSION_GE(1, 14, 0)
#include <H5FDdevelop.h>
#endif

#include "base/memory.h"
#include "base/units.h"

#define ARRAY(name) &ky_arrays[KY_ARRAY_##name]
const struct ky_hdf5_field ky_hdf5_fields[KY_HDF5_FIELDS] = {
    {"Coordinates", ARRAY(POSITION), "U_L ", {NULL}},
    {"Velocities", ARRAY(VELOCITY), "U_V ", {"Velocity"}},        /* EAGLE */
    {"Masses", ARRAY(MASS), "U_M ", {"Mass", "DynamicalMasses"}}, /* EAGLE, black holes of SWIFT */
    {"ParticleIDs", ARRAY(ID), "id", {NULL}},
    {"Softening", ARRAY(SOFTENING), "U_L ", {"Softenings"}}, /* SWIFT */
    {"Acceleration", ARRAY(ACCELERATION), "U_V^2 U_L^-1 ", {NULL}},
    {"Potential", ARRAY(POTENTIAL), "U_V^2 ", {NULL}},
    {"Radius", ARRAY(RADIUS), "U_L ", {NULL}},
};

const struct ky_units ky_hdf5_units = {KY_KPC_CM, 1e10 * KY_SUN_G, KY_KM_S, KY_GALAXY_G};

void *ky_hdf5_array(const struct ky_hdf5_field *field, const struct ky_bodies *bodies)
{
    return ky_array_of(bodies, (enum ky_array_id)(field->array - ky_arrays));
}

/* 1 if the units have a physical scale. */
static int has_scale(const struct ky_units *units)
{
    return units->length_cm > 0 && units->mass_g > 0 && units->velocity_cm_s > 0;
}

/* x^exponent, exact for the small exponents of units. */
static double power(double x, int exponent)
{
    double result = 1;
    for (int k = 0; k < abs(exponent); k++)
        result *= x;
    return exponent < 0 ? 1 / result : result;
}

double ky_hdf5_scale(const struct ky_array *array, const struct ky_units *from,
                     const struct ky_units *to)
{
    if (!has_scale(from) || !has_scale(to))
        return 1;
    return power(from->length_cm / to->length_cm, array->length) *
           power(from->mass_g / to->mass_g, array->mass) *
           power(from->velocity_cm_s / to->velocity_cm_s, array->velocity);
}

double ky_hdf5_time_scale(const struct ky_units *from, const struct ky_units *to)
{
    static const struct ky_array time = {.length = 1, .velocity = -1};
    return ky_hdf5_scale(&time, from, to);
}

void ky_snapshot_quiet_exit(void)
{
    H5dont_atexit();
}

/* ---- the file driver ---- */

struct ends {
    const struct ky_input *input; /* input or file; the other one is NULL */
    struct ky_file *output;
    int *no_memory;
};

struct driver {
    H5FD_t shared; /* HDF5's own part must come first */
    struct ends ends;
    haddr_t eoa, eof;
};

/* The name under which HDF5 opens the one file. A link to another file has another name, and is not
 * followed. */
static const char NAME[] = "/the file itself";

/* Opens a file for H5Fopen and H5Fcreate. NULL for any other name than NAME. */
static H5FD_t *driver_open(const char *name, unsigned flags, hid_t access, haddr_t most)
{
    (void)flags, (void)most;
    const struct ends *ends = H5Pget_driver_info(access);
    if (!ends || strcmp(name, NAME) != 0)
        return NULL;
    struct driver *driver = ky_allocate_zeroed(1, sizeof *driver);
    if (!driver) {
        *ends->no_memory = 1;
        return NULL;
    }
    driver->ends = *ends;
    driver->eof = ends->input ? ends->input->size : 0;
    return &driver->shared;
}

static herr_t driver_close(H5FD_t *file)
{
    free(file);
    return 0;
}

static herr_t driver_query(const H5FD_t *file, unsigned long *flags)
{
    (void)file;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA;
    return 0;
}

static haddr_t driver_get_eoa(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const struct driver *)file)->eoa;
}

static herr_t driver_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t address)
{
    (void)type;
    ((struct driver *)file)->eoa = address;
    return 0;
}

static haddr_t driver_get_eof(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const struct driver *)file)->eof;
}

/* Reads bytes of the input, or of the file being written. */
static herr_t driver_read(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t address,
                          size_t size, void *buffer)
{
    (void)type, (void)transfer;
    struct driver *driver = (struct driver *)file;
    if (!driver->ends.input) {
        ky_file_read_at(driver->ends.output, address, buffer, size);
        return 0;
    }
    /* HDF5 expects zeros past the end. */
    uint64_t left = address < driver->eof ? driver->eof - address : 0;
    size_t there = size < left ? size : (size_t)left;
    memset((char *)buffer + there, 0, size - there);
    return ky_input_read(driver->ends.input, there ? address : 0, buffer, there, NULL) ? -1 : 0;
}

/* Fails for an input. A failure of the file system is kept in the ky_file. */
static herr_t driver_write(H5FD_t *file, H5FD_mem_t type, hid_t transfer, haddr_t address,
                           size_t size, const void *buffer)
{
    (void)type, (void)transfer;
    struct driver *driver = (struct driver *)file;
    if (!driver->ends.output)
        return -1;
    ky_file_write_at(driver->ends.output, address, buffer, size);
    if (address + size > driver->eof)
        driver->eof = address + size;
    return 0;
}

/* Makes the file as long as HDF5 needs it. */
static herr_t driver_truncate(H5FD_t *file, hid_t transfer, hbool_t closing)
{
    (void)transfer, (void)closing;
    struct driver *driver = (struct driver *)file;
    if (driver->ends.output && driver->eof != driver->eoa) {
        ky_file_resize(driver->ends.output, driver->eoa);
        driver->eof = driver->eoa;
    }
    return 0;
}

static const H5FD_class_t driver_class = {
#ifdef H5FD_CLASS_VERSION
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)600, /* from the range for unregistered drivers */
#endif
    .name = "kyoho",
    .maxaddr = INT64_MAX,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(struct ends),
    .open = driver_open,
    .close = driver_close,
    .query = driver_query,
    .get_eoa = driver_get_eoa,
    .set_eoa = driver_set_eoa,
    .get_eof = driver_get_eof,
    .read = driver_read,
    .write = driver_write,
    .truncate = driver_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

/* ---- between enter and leave ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* While the lock is held, the result of H5FDregister. HDF5 releases a file's driver before it calls
 * the driver's `close`, so the driver has to outlive every file that it opened. */
static hid_t registered;

void ky_hdf5_enter(struct ky_hdf5_quiet *saved)
{
    *saved = (struct ky_hdf5_quiet){0};
    pthread_mutex_lock(&lock);
    H5Eget_auto2(H5E_DEFAULT, &saved->function, &saved->data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    registered = H5FDregister(&driver_class);
}

void ky_hdf5_leave(const struct ky_hdf5_quiet *saved)
{
    if (registered >= 0)
        H5FDunregister(registered);
    H5Eclear2(H5E_DEFAULT);
    H5Eset_auto2(H5E_DEFAULT, saved->function, saved->data);
    pthread_mutex_unlock(&lock);
}

/* Creates the file. Large data sets start at a multiple of a page, which suits the page cache. No
 * times are stored, so the same bodies give the same file. */
static hid_t create(hid_t access)
{
    hid_t how = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_obj_track_times(how, 0);
    H5Pset_alignment(access, 1 << 16, 4096);
    hid_t file = H5Fcreate(NAME, H5F_ACC_TRUNC, how, access);
    H5Pclose(how);
    return file;
}

/* Opens the input or creates the file. */
static hid_t open_or_create(struct ends ends)
{
    int no_memory = 0;
    ends.no_memory = &no_memory;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), file = -1;
    if (registered >= 0 && access >= 0 && H5Pset_driver(access, registered, &ends) >= 0 &&
        H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 &&
        /* headers with checksums: damage to older ones makes the library crash */
        H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST) >= 0)
        file = ends.input ? H5Fopen(NAME, H5F_ACC_RDONLY, access) : create(access);
    if (access >= 0)
        H5Pclose(access);
    return no_memory && file < 0 ? KY_HDF5_NO_MEMORY : file;
}

hid_t ky_hdf5_open(const struct ky_input *input)
{
    return open_or_create((struct ends){.input = input});
}

hid_t ky_hdf5_create(struct ky_file *file)
{
    return open_or_create((struct ends){.output = file});
}
#else
#define REMEDY "this build has no HDF5 (" KY_WHY_NO_HDF5 "); .tipsy and .csv work without it"

void ky_snapshot_quiet_exit(void)
{
}

enum ky_status ky_hdf5_read(const struct ky_input *input, const struct ky_read_options *options,
                            struct ky_snapshot *snapshot, struct ky_error *error)
{
    (void)input, (void)options, (void)snapshot;
    return ky_fail(error, KY_UNSUPPORTED, "is an HDF5 file, and " REMEDY);
}

enum ky_status ky_hdf5_write(const char *path, const struct ky_snapshot *snapshot,
                             const struct ky_write_options *options, struct ky_error *error)
{
    (void)snapshot, (void)options;
    return ky_fail(error, KY_UNSUPPORTED, "%s: " REMEDY, path);
}

enum ky_status ky_hdf5_write_with(const char *path, const struct ky_snapshot *snapshot,
                                  const struct ky_write_options *options,
                                  struct ky_hdf5_pieces pieces, const struct ky_writers *others,
                                  struct ky_error *error)
{
    (void)pieces, (void)others;
    return ky_hdf5_write(path, snapshot, options, error);
}

const struct ky_share_verbs ky_hdf5_shares = {NULL, NULL};
#endif
