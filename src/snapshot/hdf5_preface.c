/* What a file of GADGET-style HDF5 says beside its bodies: counts, time, units and space. Each code
 * has its own names for them; the tables here list those that are known. */
#ifdef KY_HAVE_HDF5
#include "snapshot/hdf5.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/units.h"
#include "snapshot/space.h"

enum { MOST_TYPES = 16 };

/* ---- attributes ---- */

int ky_hdf5_numbers(hid_t object, const char *name, hid_t type, int most, void *data)
{
    if (object < 0 || H5Aexists(object, name) <= 0)
        return 0;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    hid_t space = H5Aget_space(attribute), stored = H5Aget_type(attribute);
    hssize_t count = H5Sget_simple_extent_npoints(space);
    H5T_class_t class = H5Tget_class(stored);
    int result = -1;
    if (count >= 1 && count <= most && (class == H5T_INTEGER || class == H5T_FLOAT) &&
        H5Aread(attribute, type, data) >= 0)
        result = (int)count;
    H5Tclose(stored);
    H5Sclose(space);
    H5Aclose(attribute);
    return result;
}

double ky_hdf5_real(hid_t object, const char *name, double otherwise)
{
    double value;
    return ky_hdf5_numbers(object, name, H5T_NATIVE_DOUBLE, 1, &value) == 1 ? value : otherwise;
}

hid_t ky_hdf5_group(hid_t where, const char *name)
{
    H5L_info_t link;
    if (H5Lexists(where, name, H5P_DEFAULT) <= 0 ||
        H5Lget_info(where, name, &link, H5P_DEFAULT) < 0)
        return -1;
    /* the file driver knows one file: a link out of it would lead into the same file */
    return link.type == H5L_TYPE_EXTERNAL ? -1 : H5Gopen2(where, name, H5P_DEFAULT);
}

static void close_group(hid_t group)
{
    if (group >= 0)
        H5Gclose(group);
}

/* The attribute as a number, or NaN. */
static double number_at(hid_t file, const char *group, const char *name)
{
    hid_t at = ky_hdf5_group(file, group);
    double value = ky_hdf5_real(at, name, (double)NAN);
    close_group(at);
    return value;
}

static int is_there(hid_t file, const char *group, const char *name)
{
    hid_t at = ky_hdf5_group(file, group);
    int result = at >= 0 && H5Aexists(at, name) > 0;
    close_group(at);
    return result;
}

/* ---- counts and time ---- */

static enum ky_status counts(hid_t header, const char *name, unsigned types,
                             uint64_t count[KY_HDF5_TYPES], int *found, struct ky_error *error)
{
    uint64_t values[MOST_TYPES] = {0};
    *found = ky_hdf5_numbers(header, name, H5T_NATIVE_UINT64, MOST_TYPES, values);
    if (*found < 0)
        return ky_fail(error, KY_BAD_DATA, "/Header: %s is no list of numbers", name);
    for (int t = KY_HDF5_TYPES; t < MOST_TYPES && !types; t++)
        if (values[t])
            return ky_fail(error, KY_BAD_DATA,
                           "/Header: %s tells of %" PRIu64
                           " bodies of type %d%s; types 0 to 5 are read, and --types chooses among "
                           "them, as in --types 0,1,4",
                           name, values[t], t, t == 6 ? " (neutrinos of SWIFT)" : "");
    for (int t = 0; t < KY_HDF5_TYPES; t++)
        count[t] = !types || types >> t & 1 ? values[t] : 0;
    return KY_OK;
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
                       "is an HDF5 file without a group /Header; it is no GADGET snapshot");
    enum ky_status status = counts(header, "NumPart_ThisFile", types, h->here, &found_here, error);
    if (!status && !found_here)
        status = ky_fail(error, KY_BAD_DATA, "/Header has no NumPart_ThisFile");
    if (!status)
        status = counts(header, "NumPart_Total", types, h->total, &h->has_total, error);
    if (!status)
        status = counts(header, "NumPart_Total_HighWord", types, high, &found_high, error);
    for (int t = 0; t < KY_HDF5_TYPES && !status; t++)
        if (h->total[t] <= UINT32_MAX)
            h->total[t] += high[t] << 32;
    if (!status && ky_hdf5_numbers(header, "MassTable", H5T_NATIVE_DOUBLE, MOST_TYPES, masses) < 0)
        status = ky_fail(error, KY_BAD_DATA, "/Header: MassTable is no list of numbers");
    memcpy(h->mass, masses, sizeof h->mass);
    double files = ky_hdf5_real(header, "NumFilesPerSnapshot", 1);
    h->time = ky_hdf5_real(header, "Time", 0);
    H5Gclose(header);
    if (!status && !(files >= 0 && files <= 1e6))
        status = ky_fail(error, KY_BAD_DATA, "/Header: NumFilesPerSnapshot is %g", files);
    if (!status && !isfinite(h->time))
        status = ky_fail(error, KY_BAD_DATA, "/Header: Time is %g; it must be finite", h->time);
    h->files = status || files < 1 ? 1 : (int)files;
    return status;
}

/* ---- units ---- */

enum quantity { LENGTH, MASS, VELOCITY, TIME, GRAVITY, QUANTITIES };

/* Names of units in cgs, and of the constant of gravity in them (0: it follows from the units).
 * Rows of one convention stand together; the first convention of which length, mass and velocity or
 * time are there counts. */
static const struct unit_name {
    int convention;
    const char *group, *name;
    enum quantity quantity;
} unit_names[] = {
    {0, "Units", "UnitLength_in_cm", LENGTH}, /* Kyoho, EAGLE */
    {0, "Units", "UnitMass_in_g", MASS},
    {0, "Units", "UnitVelocity_in_cm_per_s", VELOCITY},
    {0, "Units", "UnitTime_in_s", TIME},
    {1, "Units", "Unit length in cgs (U_L)", LENGTH}, /* SWIFT */
    {1, "Units", "Unit mass in cgs (U_M)", MASS},
    {1, "Units", "Unit time in cgs (U_t)", TIME},
    {2, "Parameters", "UnitLength_in_cm", LENGTH}, /* GADGET-4, AREPO */
    {2, "Parameters", "UnitMass_in_g", MASS},
    {2, "Parameters", "UnitVelocity_in_cm_per_s", VELOCITY},
    {2, "Parameters", "GravityConstantInternal", GRAVITY},
    {3, "Header", "UnitLength_in_cm", LENGTH}, /* AREPO */
    {3, "Header", "UnitMass_in_g", MASS},
    {3, "Header", "UnitVelocity_in_cm_per_s", VELOCITY},
    {4, "Header", "UnitLength_In_CGS", LENGTH}, /* GIZMO */
    {4, "Header", "UnitMass_In_CGS", MASS},
    {4, "Header", "UnitVelocity_In_CGS", VELOCITY},
    {4, "Header", "Gravitational_Constant_In_Code_Inits", GRAVITY},
};
enum { UNIT_NAMES = sizeof unit_names / sizeof *unit_names, CONVENTIONS = 5 };

static int known_units(hid_t file, int convention, struct ky_units *units)
{
    double q[QUANTITIES] = {0};
    for (int k = 0; k < UNIT_NAMES; k++)
        if (unit_names[k].convention == convention)
            q[unit_names[k].quantity] = number_at(file, unit_names[k].group, unit_names[k].name);
    if (!(q[VELOCITY] > 0) && q[TIME] > 0)
        q[VELOCITY] = q[LENGTH] / q[TIME];
    if (!(q[LENGTH] > 0 && q[MASS] > 0 && q[VELOCITY] > 0) ||
        !isfinite(q[LENGTH] * q[MASS] * q[VELOCITY]))
        return 0;
    double g = ky_units_gravity(q[LENGTH], q[MASS], q[VELOCITY]);
    *units = (struct ky_units){q[LENGTH], q[MASS], q[VELOCITY],
                               q[GRAVITY] > 0 && isfinite(q[GRAVITY]) ? q[GRAVITY] : g};
    return isfinite(units->g) && units->g > 0;
}

/* For H5Aiterate2: keeps the first name that speaks of a unit. */
static herr_t find_unit_word(hid_t object, const char *name, const H5A_info_t *about, void *found)
{
    (void)object, (void)about;
    if (strncasecmp(name, "unit", 4) != 0)
        return 0;
    snprintf(found, 64, "%.63s", name);
    return 1;
}

/* A name in a group where units stand that speaks of one: the file has units. */
static int names_units(hid_t file, char text[96])
{
    static const char *const groups[] = {"Units", "Parameters", "Header"};
    for (int k = 0; k < 3; k++) {
        char name[64] = "";
        hid_t group = ky_hdf5_group(file, groups[k]);
        if (group >= 0)
            H5Aiterate2(group, H5_INDEX_NAME, H5_ITER_INC, NULL, find_unit_word, name);
        close_group(group);
        if (*name) {
            snprintf(text, 96, "/%s has '%s'", groups[k], name);
            return 1;
        }
    }
    return 0;
}

/* The units of the run that wrote the file, if it is ours. */
static void own_units(hid_t file, int known, struct ky_units *stored, struct ky_units *units)
{
    hid_t own = ky_hdf5_group(file, "Kyoho");
    if (own < 0)
        return;
    struct ky_units run = {ky_hdf5_real(own, "UnitLength_in_cm", -1),
                           ky_hdf5_real(own, "UnitMass_in_g", 0),
                           ky_hdf5_real(own, "UnitVelocity_in_cm_per_s", 0), 0};
    if (run.length_cm == 0) /* raw numbers: /Units is a convention */
        *stored = *units = (struct ky_units){.g = 1};
    else if (known && run.length_cm > 0 && run.mass_g > 0 && run.velocity_cm_s > 0 &&
             isfinite(run.length_cm * run.mass_g * run.velocity_cm_s)) {
        run.g = ky_units_gravity(run.length_cm, run.mass_g, run.velocity_cm_s);
        *units = run;
    }
    double g = ky_hdf5_real(own, "G", units->g);
    if (isfinite(g) && g > 0)
        units->g = g;
    H5Gclose(own);
}

enum ky_status ky_hdf5_read_units(hid_t file, const struct ky_read_options *options,
                                  struct ky_units *stored, struct ky_units *units,
                                  struct ky_error *error)
{
    char text[96];
    int known = 0;
    *stored = (struct ky_units){.g = 1};
    for (int c = 0; c < CONVENTIONS && !known; c++)
        known = known_units(file, c, stored);
    if (!known && names_units(file, text)) {
        if (!options->units && options->space != KY_SPACE_AS_STORED)
            return ky_fail(error, KY_BAD_DATA,
                           "names units that are not understood (%s); --units tells what they are",
                           text);
        ky_read_log(
            options, KY_LOG_WARNING, "the file names units that are not understood (%s); %s", text,
            options->units ? "those of --units are taken" : "its numbers are shown without units");
    }
    if (!known && options->units)
        *stored = *options->units;
    *units = *stored;
    own_units(file, known, stored, units);
    return KY_OK;
}

/* ---- space ---- */

enum fact { COMOVING, SCALE_FACTOR, REDSHIFT, HUBBLE, PER_H, OMEGA_MATTER, OMEGA_LAMBDA, FACTS };

/* The first row of a fact that the file has counts. */
static const struct fact_name {
    const char *group, *name;
    enum fact fact;
} fact_names[] = {
    {"Cosmology", "Cosmological run", COMOVING}, /* SWIFT */
    {"Parameters", "ComovingIntegrationOn", COMOVING},
    {"Header", "ComovingIntegrationOn", COMOVING},
    {"Header", "Scale-factor", SCALE_FACTOR},
    {"Header", "ExpansionFactor", SCALE_FACTOR}, /* EAGLE */
    {"Header", "Redshift", REDSHIFT},
    {"Parameters", "HubbleParam", PER_H},
    {"Header", "HubbleParam", PER_H},
    {"Cosmology", "h", HUBBLE}, /* SWIFT: numbers without factors of h */
    {"Parameters", "HubbleParam", HUBBLE},
    {"Header", "HubbleParam", HUBBLE},
    {"Cosmology", "Omega_m", OMEGA_MATTER},
    {"Parameters", "Omega0", OMEGA_MATTER},
    {"Header", "Omega0", OMEGA_MATTER},
    {"Header", "Omega_Matter", OMEGA_MATTER}, /* GIZMO */
    {"Cosmology", "Omega_lambda", OMEGA_LAMBDA},
    {"Parameters", "OmegaLambda", OMEGA_LAMBDA},
    {"Header", "OmegaLambda", OMEGA_LAMBDA},
    {"Header", "Omega_Lambda", OMEGA_LAMBDA},
};
enum { FACT_NAMES = sizeof fact_names / sizeof *fact_names };

/* SWIFT writes its parameters as text. */
static int is_text_zero(hid_t file, const char *group, const char *name)
{
    char text[16] = "";
    hid_t at = ky_hdf5_group(file, group);
    if (at >= 0 && H5Aexists(at, name) > 0) {
        hid_t attribute = H5Aopen(at, name, H5P_DEFAULT), type = H5Aget_type(attribute);
        hid_t space = H5Aget_space(attribute);
        if (H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
            H5Tget_size(type) < sizeof text && H5Sget_simple_extent_npoints(space) == 1)
            H5Aread(attribute, type, text);
        H5Sclose(space);
        H5Tclose(type);
        H5Aclose(attribute);
    }
    close_group(at);
    return !strcmp(text, "0");
}

/* A box is written by every code, and is periodic unless the code says that it is not. */
static int is_open(hid_t file)
{
    return is_text_zero(file, "Parameters", "InitialConditions:periodic") || /* SWIFT */
           number_at(file, "RuntimePars", "PeriodicBoundariesOn") == 0 ||    /* SWIFT's input */
           is_there(file, "Config", "GRAVITY_NOT_PERIODIC") ||               /* AREPO */
           (is_there(file, "Parameters", "SofteningClassOfPartType0") &&     /* GADGET-4 */
            H5Lexists(file, "Config", H5P_DEFAULT) > 0 && !is_there(file, "Config", "PERIODIC"));
}

void ky_hdf5_read_space(hid_t file, double time, struct ky_space *space)
{
    double f[FACTS], box[3] = {0};
    for (int k = 0; k < FACTS; k++)
        f[k] = (double)NAN;
    for (int k = 0; k < FACT_NAMES; k++)
        if (isnan(f[fact_names[k].fact]))
            f[fact_names[k].fact] = number_at(file, fact_names[k].group, fact_names[k].name);
    double redshift = isnan(f[REDSHIFT]) ? 0 : f[REDSHIFT];
    *space = (struct ky_space){.scale_factor = 1,
                               .hubble = f[HUBBLE],
                               .omega_matter = f[OMEGA_MATTER],
                               .omega_lambda = f[OMEGA_LAMBDA]};
    space->comoving = isnan(f[COMOVING]) ? ky_space_looks_comoving(time, redshift, f[OMEGA_MATTER])
                                         : f[COMOVING] != 0;
    if (space->comoving)
        space->scale_factor = f[SCALE_FACTOR] > 0  ? f[SCALE_FACTOR]
                              : isnan(f[REDSHIFT]) ? time
                                                   : 1 / (1 + redshift);
    space->per_h = f[PER_H] > 0 && f[PER_H] != 1;
    hid_t header = ky_hdf5_group(file, "Header");
    int sides = ky_hdf5_numbers(header, "BoxSize", H5T_NATIVE_DOUBLE, 3, box);
    close_group(header);
    if (sides > 0 && !is_open(file))
        space->box = fmax(box[0], fmax(box[1], box[2]));
}
#else
typedef int ky_hdf5_is_absent;
#endif
