/* Comoving, h-scaled and periodic snapshots: whether one may be read, and the conversion of its
 * numbers to physical ones in open space. */
#ifndef KY_SNAPSHOT_SPACE_H
#define KY_SNAPSHOT_SPACE_H

#include "base/portion.h"
#include "physics/expansion.h"
#include "snapshot/snapshot.h"

/* Facts that a file may give about its space. */
enum ky_space_fact {
    KY_COMOVING,
    KY_SCALE_FACTOR,
    KY_REDSHIFT,
    KY_PER_H,  /* h, if numbers are in units of 1/h */
    KY_HUBBLE, /* h */
    KY_OMEGA_MATTER,
    KY_OMEGA_LAMBDA,
    KY_BOX_SIDE, /* 0: open space */
    KY_SPACE_FACTS
};

/* KY_BAD_DATA for a value that is impossible for the fact. `place` begins the message. */
enum ky_status ky_space_check(enum ky_space_fact fact, double value, const char *place,
                              struct ky_error *error);

/* The space with these facts. A fact is NaN if the file does not give it.
 *
 * A file that does not say whether it is comoving is taken as comoving in these cases: its redshift
 * is not 0; its scale factor is not 1; it has matter (Ω_m > 0) and a scale factor; it has matter,
 * and its time may be the scale factor. This is assumed if the time is 1/(1 + redshift), or if
 * there is no redshift and the time lies in (0, 1]. */
struct ky_space ky_space_of(const double facts[KY_SPACE_FACTS], double time);

/* 1 if h, Ω_m and Ω_Λ are known, which determine the expansion of a universe. */
int ky_space_tells_universe(const struct ky_space *space);
/* Its contents: matter and a cosmological constant. */
struct ky_universe ky_space_universe(const struct ky_space *space);

/* 1 for comoving bodies in a box, with the units of a run there: KY_TO_COMOVING. */
int ky_space_is_comoving(const struct ky_space *space);

/* The units of a comoving box in a file that gives none: kpc or Mpc, 1e10 Msun or Msun (over h, if
 * the space is in units of 1/h), and km/s. In these units `mass`, the mass of all bodies,
 * is the matter of the universe; the log says so. Does nothing for any other space, without bodies,
 * and if the options give units or treat the space as open. KY_BAD_DATA, unless the file is only
 * described, if no units fit or the mass is not known (NaN). */
enum ky_status ky_space_find_units(const struct ky_space *space, double mass,
                                   const struct ky_read_options *options, struct ky_units *units,
                                   struct ky_error *error);

/* Sets snapshot->space, and its `converted` if the options ask for the conversion. KY_BAD_DATA for
 * a space that the options do not accept, and for a conversion for which the file lacks numbers. */
enum ky_status ky_space_decide(const struct ky_space *space, const struct ky_read_options *options,
                               struct ky_snapshot *snapshot, struct ky_error *error);

/* The factor that converts stored numbers in the unit length^length mass^mass velocity^velocity to
 * physical ones: a/h for lengths, 1/h for masses, √a for velocities, since GADGET stores the
 * peculiar velocity divided by √a. To comoving ones: 1/h for lengths. 1 unless the space is
 * converted. */
double ky_space_factor(const struct ky_space *space, int length, int mass, int velocity);

/* The stored form of comoving bodies in a box, which is GADGET's: a number in such units is written
 * times `factor`, and stored × a^a h^h is the physical number. Of all other bodies factor is 1, and
 * a and h are 0. */
struct ky_space_form {
    double factor, a, h;
};
struct ky_space_form ky_space_stored(const struct ky_space *space, const struct ky_array *array);
/* h in the file: the bodies' own, or 1 where lengths have no physical unit. */
double ky_space_h(const struct ky_space *space);

/* H0 = 100 h km/s/Mpc in velocity/length of these units, which have physical scales. */
double ky_space_hubble(const struct ky_space *space, const struct ky_units *units);

/* The rate of the Hubble flow that a conversion adds, velocity over distance; 0 without
 * conversion. */
double ky_space_flow(const struct ky_space *space, const struct ky_units *units);
/* Adds the Hubble flow about the centre of mass of all bodies to the bodies of the portion. Fails
 * as ky_portion_add_up. */
enum ky_status ky_space_add_flow(const struct ky_portion *portion, const struct ky_bodies *bodies,
                                 double rate, struct ky_error *error);

/* The end of the conversion, when the bodies have physical positions and peculiar velocities. Adds
 * the Hubble flow about the centre of mass, H(a) (x − centre), and sets the time to the age of the
 * universe. Does nothing unless the space is converted. */
void ky_space_finish(struct ky_snapshot *snapshot);

#endif
