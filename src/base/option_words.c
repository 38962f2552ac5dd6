/* Short letters of options, and option names of other programs (the table "Options that you know
 * from other programs" in docs/from-others.md), for error messages. */
#include "base/options.h"

const struct ky_option_word ky_option_words[] = {
    {"n", "bodies", NULL},
    {"o", "output", NULL},
    {"h", "help", NULL},
    {"q", "quiet", NULL},
    /* Bonsai */
    {"infile", "input", NULL},
    {"snapname", "output", NULL},
    {"tend", "end", NULL}, /* phi-GRAPE: t_end */
    {"snapiter", "every", NULL},
    {"dt", "step", NULL}, /* REBOUND too */
    {"eps", "softening", NULL},
    {"direct", "force direct", NULL},
    /* GADGET-4 */
    {"InitCondFile", "input", NULL},
    {"OutputDir", "output", NULL},
    {"TimeMax", "end", NULL},
    {"TimeBetSnapshot", "every", NULL},
    {"TimeBetStatistics", "energy-every", NULL},
    {"MaxSizeTimestep", "step", NULL},
    {"ErrTolIntAccuracy", "integrator block", "with --eta the square root of 2 ErrTolIntAccuracy"},
    {"BoxSize", "box", NULL},
    {"SofteningComovingClass0", "softening", "with --softening-kind spline GADGET's"},
    {"SofteningMaxPhysClass0", "softening-max", "in a comoving box; else --softening"},
    {"ErrTolTheta", "theta", NULL},
    {"ErrTolForceAcc", "alpha", NULL},
    {"GravityConstantInternal", "g", NULL},
    /* phi-GRAPE, phi-GPU */
    {"dt_disk", "every", NULL},
    {"dt_contr", "energy-every", NULL},
    /* gyrfalcON; some of its names are options of ours with another meaning */
    {"in", "input", NULL},
    {"out", "output", NULL},
    {"tstop", "end", NULL},
    {"step=", "every", "or --step, which in gyrfalcON is 2^-kmax"},
    {"logstep", "energy-every", "a time; logstep counts steps"},
    {"kmax", "step", "2^-kmax"},
    {"fac", "integrator block", "with --eta"},
    {"Grav", "g", NULL},
    /* REBOUND */
    {"opening_angle2", "theta", "the square root of opening_angle2"},
    {"sim.opening_angle2", "theta", "the square root of opening_angle2"},
    {"sim.dt", "step", NULL},
    {"sim.softening", "softening", NULL},
    {"sim.gravity", "force direct", NULL},
    {"sim.G", "g", NULL},
    {"interval", "every", NULL},
    /* other common names */
    {"outfile", "output", NULL},
    {"outdir", "output", NULL},
    {"tmax", "end", NULL},
    {"t_final", "end", NULL},
    {"timestep", "step", NULL},
    {"dt_out", "every", NULL},
    {"nsteps", "steps", NULL},
    {"nbody", "bodies", NULL},
    {"eps2", "softening", "the square root of eps2"},
    {"nthreads", "threads", NULL},
    {"opening_angle", "theta", NULL},
    {"epsilon", "softening", NULL}, /* AMUSE: epsilon_squared */
    {"epsilon_squared", "softening", "the square root of epsilon_squared"},
    {"W0", "w0", NULL},
    {"at-a", "at", "whose times are scale factors in a comoving box"},
    {"end-a", "end", "which is a scale factor in a comoving box"},
    {"every-lna", "every", "an interval of ln a in a comoving box"},
    {NULL, NULL, NULL},
};

const char *ky_option_word(size_t index, const char **name, const char **hint)
{
    if (index >= sizeof ky_option_words / sizeof *ky_option_words - 1)
        return NULL;
    *name = ky_option_words[index].name;
    *hint = ky_option_words[index].hint;
    return ky_option_words[index].word;
}
