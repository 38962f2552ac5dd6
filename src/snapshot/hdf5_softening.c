/* The softening of each type, as given by GADGET-4 and AREPO. One parameter gives the class of a
 * type, another the softening of a class. Both codes give the Plummer-equivalent ε. */
#ifdef KY_HAVE_HDF5
#include "snapshot/hdf5.h"

#include <math.h>
#include <stdio.h>

static const struct {
    const char *class_of_type, *softening_of_class; /* names followed by a number */
} codes[] = {
    {"SofteningClassOfPartType", "SofteningComovingClass"}, /* GADGET-4 */
    {"SofteningTypeOfPartType", "SofteningComovingType"},   /* AREPO */
};

/* Options of these codes with which bodies of one type have different softenings. */
static const char *const own_softenings[] = {"INDIVIDUAL_GRAVITY_SOFTENING",
                                             "ADAPTIVE_HYDRO_SOFTENING"};

static double parameter(hid_t file, const char *name, int number)
{
    char numbered[64];
    snprintf(numbered, sizeof numbered, "%s%d", name, number);
    return ky_hdf5_tell_in(file, "Parameters", numbered).number;
}

/* The softening for bodies of this type in the parameters, or NaN. */
static double softening_of(hid_t file, int type)
{
    for (size_t k = 0; k < sizeof codes / sizeof *codes; k++) {
        double class = parameter(file, codes[k].class_of_type, type);
        double length = class >= 0 && class < 100
                            ? parameter(file, codes[k].softening_of_class, (int)class)
                            : (double)NAN;
        if (isfinite(length) && length >= 0)
            return length;
    }
    return (double)NAN;
}

void ky_hdf5_read_softenings(hid_t file, const struct ky_read_options *options,
                             const struct ky_space *space, double softening[KY_HDF5_TYPES])
{
    int sure = !space->comoving && !space->per_h, told = 0;
    for (size_t k = 0; k < sizeof own_softenings / sizeof *own_softenings; k++)
        sure &= !ky_hdf5_tell_in(file, "Config", own_softenings[k]).is_there;
    for (int t = 0; t < KY_HDF5_TYPES; t++) {
        double length = softening_of(file, t);
        softening[t] = sure ? length : (double)NAN;
        if (sure || isnan(length) || told++)
            continue;
        ky_read_log(options, KY_LOG_INFO,
                    "the file's parameters give type %d the softening %.6g, which is not used, "
                    "since the run was comoving or h-scaled or its bodies had their own "
                    "softenings; --softening sets one",
                    t, length);
    }
}
#else
typedef int ky_hdf5_is_absent;
#endif
