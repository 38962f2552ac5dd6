/* The units of a file of GADGET-style HDF5. Each code has its own names for them, in its own group
 * or on the data sets; the tables here list the known ones. */
#ifdef KY_HAVE_HDF5
#include "snapshot/hdf5.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/status.h"
#include "base/units.h"

enum quantity { LENGTH, MASS, VELOCITY, TIME, QUANTITIES };

/* The first of these groups with length, mass, and velocity or time is used. */
static const char *const groups[] = {"Units", "Parameters", "Header", "RuntimePars", "/"};
enum { GROUPS = sizeof groups / sizeof *groups };

/* Names of units in cgs. */
static const struct unit_name {
    const char *name;
    enum quantity quantity;
} unit_names[] = {
    {"UnitLength_in_cm", LENGTH}, /* Kyoho, EAGLE, GADGET-4, AREPO */
    {"UnitMass_in_g", MASS},          {"UnitVelocity_in_cm_per_s", VELOCITY},
    {"UnitTime_in_s", TIME},          {KY_HDF5_SWIFT_LENGTH, LENGTH},
    {"Unit mass in cgs (U_M)", MASS}, {"Unit time in cgs (U_t)", TIME},
    {"UnitLength_In_CGS", LENGTH}, /* GIZMO */
    {"UnitMass_In_CGS", MASS},        {"UnitVelocity_In_CGS", VELOCITY},
};
enum { UNIT_NAMES = sizeof unit_names / sizeof *unit_names };

/* Names of the gravitational constant in these units. 0 means the G that agrees with the units. */
static const char *const gravity_names[] = {
    "GravityConstantInternal",              /* GADGET-4, AREPO */
    "Gravitational_Constant_In_Code_Inits", /* GIZMO */
    "G",
};
enum { GRAVITY_NAMES = sizeof gravity_names / sizeof *gravity_names };

/* Attributes of a data set that convert its numbers to cgs, without factors of a and h. */
static const char *const factor_names[] = {
    "CGSConversionFactor",                                               /* EAGLE */
    "to_cgs",                                                            /* GADGET-4, AREPO */
    "Conversion factor to CGS (not including cosmological corrections)", /* SWIFT */
};
enum { FACTOR_NAMES = sizeof factor_names / sizeof *factor_names };

/* Size of a line that names units that are not understood (empty if there are none), and of an
 * attribute's name in it. */
enum { WHAT = 256, NAME = 96 };

/* ---- units that are known ---- */

/* 1 if length, mass and velocity are known. A time determines the velocity. */
static int are_whole(double q[QUANTITIES])
{
    if (!(q[VELOCITY] > 0) && q[TIME] > 0)
        q[VELOCITY] = q[LENGTH] / q[TIME];
    return q[LENGTH] > 0 && q[MASS] > 0 && q[VELOCITY] > 0 &&
           isfinite(q[LENGTH] * q[MASS] * q[VELOCITY]);
}

/* The units in the attributes of a group; 1 if they are complete. */
static int units_of_group(hid_t file, const char *group, double q[QUANTITIES])
{
    memset(q, 0, QUANTITIES * sizeof *q);
    hid_t at = ky_hdf5_group(file, group);
    for (int k = 0; k < UNIT_NAMES; k++)
        if (!(q[unit_names[k].quantity] > 0))
            q[unit_names[k].quantity] = ky_hdf5_tell(at, unit_names[k].name).number;
    ky_hdf5_close_group(at);
    return are_whole(q);
}

/* The quantity of the field's numbers; QUANTITIES for any other field. */
static enum quantity quantity_of(const struct ky_hdf5_field *field)
{
    const int power = field->array->length + field->array->mass + field->array->velocity;
    return field->array->with || power != 1 ? QUANTITIES
           : field->array->length           ? LENGTH
           : field->array->mass             ? MASS
                                            : VELOCITY;
}

/* The data set of the field in the group, or -1. */
static hid_t open_set(hid_t file, const char *group, const struct ky_hdf5_field *field)
{
    struct ky_error error;
    hid_t set = -1;
    hid_t at = ky_hdf5_group(file, group);
    const char *name = at >= 0 ? ky_hdf5_set_name(at, field) : NULL;
    if (name && !ky_hdf5_stays_inside(at, name, &error))
        set = H5Dopen2(at, name, H5P_DEFAULT);
    ky_hdf5_close_group(at);
    return set;
}

typedef void per_set(hid_t set, const struct ky_hdf5_field *field, const char *group, void *to);

/* Calls `action` for the data sets of lengths, masses and velocities. */
static void for_sets(hid_t file, per_set *action, void *to)
{
    for (int t = 0; t < KY_HDF5_TYPES; t++)
        for (int f = 0; f < KY_HDF5_FIELDS; f++) {
            const struct ky_hdf5_field *field = &ky_hdf5_fields[f];
            char group[24];
            snprintf(group, sizeof group, "PartType%d", t);
            hid_t set = quantity_of(field) < QUANTITIES ? open_set(file, group, field) : -1;
            if (set < 0)
                continue;
            action(set, field, group, to);
            H5Dclose(set);
        }
}

/* A per_set: takes the factor to cgs, if the data set has one. */
static void take_factor(hid_t set, const struct ky_hdf5_field *field, const char *group, void *to)
{
    double *unit = (double *)to + quantity_of(field);
    (void)group;
    for (int k = 0; k < FACTOR_NAMES; k++)
        if (!(*unit > 0))
            *unit = ky_hdf5_tell(set, factor_names[k]).number;
}

/* The units in the attributes of the data sets; 1 if they are complete. */
static int units_of_sets(hid_t file, double q[QUANTITIES])
{
    memset(q, 0, QUANTITIES * sizeof *q);
    for_sets(file, take_factor, q);
    return are_whole(q);
}

/* ---- units that are not understood ---- */

/* Three functions for H5Aiterate2. Each stores the first name that it looks for, and ends the
 * iteration. */
static herr_t keep(const char *name, void *found)
{
    snprintf(found, NAME, "%.*s", NAME - 1, name);
    return 1;
}

static herr_t any_name(hid_t object, const char *name, const H5A_info_t *about, void *found)
{
    (void)object, (void)about;
    return keep(name, found);
}

static herr_t speaks_of_units(hid_t object, const char *name, const H5A_info_t *about, void *found)
{
    (void)about;
    return ky_speaks_of_units(name) || ky_names_unit(ky_hdf5_tell(object, name).text)
               ? keep(name, found)
               : 0;
}

static herr_t is_factor(hid_t object, const char *name, const H5A_info_t *about, void *found)
{
    for (int k = 0; k < FACTOR_NAMES; k++)
        if (!strcmp(name, factor_names[k]) && ky_hdf5_tell(object, name).number != 0)
            return keep(name, found);
    return speaks_of_units(object, name, about, found);
}

/* Writes "/Header has 'UnitLength'" if the object has such an attribute and nothing was found
 * before. */
static void search(hid_t object, H5A_operator2_t find, const char *group, const char *set,
                   char what[WHAT])
{
    char name[NAME] = "";
    if (object >= 0 && !*what && !ky_hdf5_can_list(object))
        snprintf(what, WHAT, "%s%s%s%s has damaged attributes", *group == '/' ? "" : "/", group,
                 *set ? "/" : "", set);
    else if (object >= 0 && !*what)
        H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, NULL, find, name);
    if (*name)
        snprintf(what, WHAT, "%s%s%s%s has '%s'", *group == '/' ? "" : "/", group, *set ? "/" : "",
                 set, name);
}

static void search_set(hid_t set, const struct ky_hdf5_field *field, const char *group, void *what)
{
    search(set, is_factor, group, field->name, what);
}

/* Finds attributes that look like units but are not known. */
static void find_strange_units(hid_t file, char what[WHAT])
{
    static const struct {
        const char *group;
        H5A_operator2_t find;
    } places[] = {{"Units", any_name},
                  {"InternalCodeUnits", any_name}, /* SWIFT: units of the code, not of the file */
                  {"Parameters", speaks_of_units},
                  {"Header", speaks_of_units},
                  {"RuntimePars", speaks_of_units},
                  {"/", speaks_of_units}};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        hid_t group = ky_hdf5_group(file, places[k].group);
        search(group, places[k].find, places[k].group, "", what);
        ky_hdf5_close_group(group);
    }
    for_sets(file, search_set, what);
}

/* ---- the constant of gravity ---- */

/* Reads G. It has to agree with the units: units->g is derived from them. */
static void read_gravity(hid_t file, int known, struct ky_units *units, char what[WHAT])
{
    for (int k = 0; k < GROUPS * GRAVITY_NAMES; k++) {
        const char *group = groups[k / GRAVITY_NAMES], *name = gravity_names[k % GRAVITY_NAMES];
        struct ky_hdf5_told told = ky_hdf5_tell_in(file, group, name);
        if (!told.is_there || told.number == 0)
            continue;
        if (fabs(told.number - units->g) <= 0.01 * units->g)
            units->g = told.number;
        else
            snprintf(what, WHAT, "%s%s has '%s' = %s%s", *group == '/' ? "" : "/", group, name,
                     told.text, known ? ", which contradicts its units" : "");
        return;
    }
}

/* ---- all together ---- */

/* The units of the run that wrote the file, if Kyoho wrote it. */
static enum ky_status own_units(hid_t file, int known, struct ky_units *stored,
                                struct ky_units *units, struct ky_error *error)
{
    static const char *const names[] = {"UnitLength_in_cm", "UnitMass_in_g",
                                        "UnitVelocity_in_cm_per_s", "G"};
    double values[4] = {-1, 0, 0, 0};
    hid_t own = ky_hdf5_group(file, "Kyoho");
    enum ky_status status = KY_OK;
    for (int k = 0; k < 4 && own >= 0 && !status; k++) {
        struct ky_hdf5_told told = ky_hdf5_tell(own, names[k]);
        if (told.is_there && !(told.number >= 0 && isfinite(told.number)))
            status = ky_fail(error, KY_BAD_DATA, "/Kyoho: %s is %s; it must be 0 or more", names[k],
                             told.text);
        else if (told.is_there)
            values[k] = told.number;
    }
    ky_hdf5_close_group(own);
    if (own < 0 || status)
        return status;
    struct ky_units run = {values[0], values[1], values[2], 0};
    if (run.length_cm == 0) /* N-body numbers: /Units is a convention */
        *stored = *units = (struct ky_units){.g = 1};
    else if (known && run.length_cm > 0 && run.mass_g > 0 && run.velocity_cm_s > 0 &&
             isfinite(run.length_cm * run.mass_g * run.velocity_cm_s)) {
        run.g = ky_units_gravity(run.length_cm, run.mass_g, run.velocity_cm_s);
        *units = run;
    }
    if (values[3] > 0)
        units->g = values[3];
    return KY_OK;
}

enum ky_status ky_hdf5_read_units(hid_t file, const struct ky_read_options *options,
                                  struct ky_units *stored, struct ky_units *units,
                                  struct ky_error *error)
{
    const struct ky_units otherwise = options->units ? *options->units : (struct ky_units){.g = 1};
    char what[WHAT] = "";
    double q[QUANTITIES];
    int known = 0;
    for (int g = 0; g < GROUPS && !known; g++)
        known = units_of_group(file, groups[g], q);
    known = known || units_of_sets(file, q);
    *stored = otherwise;
    if (known)
        *stored = (struct ky_units){q[LENGTH], q[MASS], q[VELOCITY],
                                    ky_units_gravity(q[LENGTH], q[MASS], q[VELOCITY])};
    else
        find_strange_units(file, what);
    if (!*what)
        read_gravity(file, known, stored, what);
    if (*what) {
        KY_TRY(ky_units_unknown(options, what, error));
        *stored = otherwise;
        known = 0;
    }
    *units = *stored;
    return own_units(file, known, stored, units, error);
}
#else
typedef int ky_hdf5_is_absent;
#endif
