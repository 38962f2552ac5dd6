/* Determines whether a file of GADGET-style HDF5 is comoving, h-scaled or periodic. Each code has
 * its own names for this; the tables list the known ones. */
#ifdef KY_HAVE_HDF5
#include "snapshot/hdf5.h"

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

enum ky_status ky_hdf5_read_space(hid_t file, double time, struct ky_space *space,
                                  struct ky_error *error)
{
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
    *space = ky_space_of(facts, time);
    return status;
}
#else
typedef int ky_hdf5_is_absent;
#endif
