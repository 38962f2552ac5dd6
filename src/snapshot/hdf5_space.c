/* Determines whether a file of GADGET-style HDF5 is comoving, h-scaled or periodic. Each code has
 * its own names for this; the tables list the known ones. */
#ifdef KY_HAVE_HDF5
#include "snapshot/hdf5_reader.h"

#include <math.h>
#include <stdio.h>

#include "snapshot/space.h"

/* If several rows are for one fact, the first one that the file has is used; it is looked for in
 * these groups in order. */
static const char *const groups[] = {"Kyoho",  "Cosmology",   "Parameters",
                                     "Header", "RuntimePars", "/"};
static const struct fact_name {
    enum ky_space_fact fact;
    const char *name;
} fact_names[] = {
    {KY_COMOVING, "Cosmological run"}, /* SWIFT */
    {KY_COMOVING, "ComovingIntegrationOn"},
    {KY_SCALE_FACTOR, "Scale-factor"},    /* SWIFT */
    {KY_SCALE_FACTOR, "ExpansionFactor"}, /* EAGLE */
    {KY_REDSHIFT, "Redshift"},
    {KY_PER_H, "HubbleParam"},
    {KY_HUBBLE, "h"}, /* SWIFT and Kyoho: numbers without factors of h */
    {KY_HUBBLE, "HubbleParam"},
    {KY_OMEGA_MATTER, "Omega_m"}, /* SWIFT, Kyoho */
    {KY_OMEGA_MATTER, "Omega0"},
    {KY_OMEGA_MATTER, "Omega_Matter"}, /* GIZMO */
    {KY_OMEGA_LAMBDA, "Omega_lambda"}, /* SWIFT, Kyoho */
    {KY_OMEGA_LAMBDA, "OmegaLambda"},
    {KY_OMEGA_LAMBDA, "Omega_Lambda"}, /* GIZMO */
    {KY_BOX_SIDE, "BoxSize"},
};
enum {
    GROUPS = sizeof groups / sizeof *groups,
    FACT_NAMES = sizeof fact_names / sizeof *fact_names
};

static int is_there(hid_t file, const char *group, const char *name)
{
    return ky_hdf5_tell_in(file, group, name).is_there;
}

/* 1 if the code declares open space. Every code writes a box, which is periodic without such an
 * attribute. */
static int is_open(hid_t file)
{
    return ky_hdf5_tell_in(file, "Parameters", "InitialConditions:periodic").number ==
               0 || /* SWIFT */
           ky_hdf5_tell_in(file, "RuntimePars", "PeriodicBoundariesOn").number ==
               0 ||                                                      /* SWIFT's input */
           is_there(file, "Config", "GRAVITY_NOT_PERIODIC") ||           /* AREPO */
           (is_there(file, "Parameters", "SofteningClassOfPartType0") && /* GADGET-4 */
            H5Lexists(file, "Config", H5P_DEFAULT) > 0 && !is_there(file, "Config", "PERIODIC"));
}

/* Reads the fact if the file has it under this name. */
static enum ky_status read_fact(hid_t file, const struct fact_name *row, double *fact,
                                struct ky_error *error)
{
    for (int g = 0; g < GROUPS; g++) {
        char place[64];
        struct ky_hdf5_told told = ky_hdf5_tell_in(file, groups[g], row->name);
        if (!told.is_there)
            continue;
        if (isnan(told.number))
            return ky_hdf5_no_number(groups[g], row->name, &told, error);
        snprintf(place, sizeof place, "/%s: %s", groups[g], row->name);
        *fact = told.number;
        return ky_space_check(row->fact, told.number, place, error);
    }
    return KY_OK;
}

/* KY_BAD_DATA if the file gives a scale factor that contradicts its redshift. It is dropped if the
 * time agrees with the redshift: MUSIC writes the redshift under the name of SWIFT's scale factor.
 */
static enum ky_status check_scale_factor(double f[KY_SPACE_FACTS], double time,
                                         const struct ky_read_options *options,
                                         struct ky_error *error)
{
    const double near = 1e-3, wanted = 1 / (1 + f[KY_REDSHIFT]);
    if (isnan(f[KY_SCALE_FACTOR]) || isnan(wanted) || fabs(f[KY_SCALE_FACTOR] / wanted - 1) < near)
        return KY_OK;
    if (!(fabs(time / wanted - 1) < near))
        return ky_fail(error, KY_BAD_DATA,
                       "gives the scale factor %.6g and the redshift %.6g, which contradict each "
                       "other; correct one of the attributes",
                       f[KY_SCALE_FACTOR], f[KY_REDSHIFT]);
    ky_read_log(options, KY_LOG_WARNING,
                "the file gives the scale factor %.6g, which contradicts its time %.6g and its "
                "redshift %.6g; it is not used",
                f[KY_SCALE_FACTOR], time, f[KY_REDSHIFT]);
    f[KY_SCALE_FACTOR] = (double)NAN;
    return KY_OK;
}

/* Decides whose factors of a and h the numbers have. A file with SWIFT's names of units has none if
 * it gives no h, or gives it in /Cosmology as SWIFT does. HubbleParam alone means 1/h elsewhere. */
static enum ky_status find_convention(hid_t file, double f[KY_SPACE_FACTS],
                                      const struct ky_read_options *options, int *convention,
                                      struct ky_error *error)
{
    const int scaled = f[KY_PER_H] > 0 && f[KY_PER_H] != 1;
    *convention = options->convention;
    if (*convention == KY_CONVENTION_OF_FILE)
        *convention = is_there(file, "Units", KY_HDF5_SWIFT_LENGTH) ? KY_CONVENTION_SWIFT
                                                                    : KY_CONVENTION_GADGET;
    if (*convention == KY_CONVENTION_SWIFT && options->convention == KY_CONVENTION_OF_FILE &&
        options->space != KY_SPACE_OPEN && scaled && !is_there(file, "Cosmology", "h"))
        return ky_fail(error, KY_BAD_DATA,
                       "has units as SWIFT names them, and HubbleParam = %g as GADGET's files in "
                       "units of 1/h: give --convention swift if its numbers have no factors of "
                       "h, or --convention gadget if lengths and masses are in units of 1/h and "
                       "velocities are peculiar ones over √a",
                       f[KY_PER_H]);
    if (*convention == KY_CONVENTION_SWIFT)
        f[KY_PER_H] = (double)NAN;
    return KY_OK;
}

enum ky_status ky_hdf5_read_space(hid_t file, struct ky_hdf5_reader *r, struct ky_space *space,
                                  struct ky_error *error)
{
    const double time = r->like.time;
    double facts[KY_SPACE_FACTS];
    enum ky_status status = KY_OK;
    for (int k = 0; k < KY_SPACE_FACTS; k++)
        facts[k] = (double)NAN;
    for (int k = 0; k < FACT_NAMES && !status; k++)
        if (isnan(facts[fact_names[k].fact]))
            status = read_fact(file, &fact_names[k], &facts[fact_names[k].fact], error);
    /* the file describes a cosmology, but does not say whether the run was comoving */
    if (isnan(facts[KY_COMOVING]) && H5Lexists(file, "Cosmology", H5P_DEFAULT) > 0)
        facts[KY_COMOVING] = 1;
    if (is_open(file))
        facts[KY_BOX_SIDE] = 0;
    if (!status)
        status = check_scale_factor(facts, time, r->options, error);
    if (!status)
        status = find_convention(file, facts, r->options, &r->convention, error);
    *space = ky_space_of(facts, time);
    return status;
}
#else
typedef int ky_hdf5_is_absent;
#endif
