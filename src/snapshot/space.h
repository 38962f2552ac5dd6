/* Comoving, h-scaled and periodic snapshots: whether one may be read, and how its numbers become
 * physical ones in open space. */
#ifndef KY_SNAPSHOT_SPACE_H
#define KY_SNAPSHOT_SPACE_H

#include "snapshot/snapshot.h"

/* What a file may say of its space. */
enum ky_space_fact {
    KY_COMOVING,
    KY_SCALE_FACTOR,
    KY_REDSHIFT,
    KY_PER_H,  /* h, where numbers are in units of 1/h */
    KY_HUBBLE, /* h */
    KY_OMEGA_MATTER,
    KY_OMEGA_LAMBDA,
    KY_BOX_SIDE, /* 0: open space */
    KY_SPACE_FACTS
};

/* KY_BAD_DATA, with `place` at the start of the line, for a number that the fact cannot have. */
enum ky_status ky_space_check(enum ky_space_fact fact, double value, const char *place,
                              struct ky_error *error);

/* The space that these facts make; NaN: the file does not tell. A file that does not say whether it
 * is comoving is so if its redshift is not 0 or its scale factor not 1; also if it has matter and
 * either tells its scale factor, or its time can be the scale factor: the time is 1/(1 + redshift),
 * or no redshift is told and the time lies in (0, 1]. */
struct ky_space ky_space_of(const double facts[KY_SPACE_FACTS], double time);

/* "comoving (redshift 3), in units of 1/h (h = 0.7), in a periodic box of side 100"; empty for an
 * ordinary file. */
void ky_space_describe(const struct ky_space *space, char *text, size_t size);

/* Sets snapshot->space, and `converted` if the options ask for it. KY_BAD_DATA for a space that the
 * options refuse, and for a conversion that the file lacks the numbers for. */
enum ky_status ky_space_decide(const struct ky_space *space, const struct ky_read_options *options,
                               struct ky_snapshot *snapshot, struct ky_error *error);

/* Numbers in units length^length mass^mass velocity^velocity times this are physical ones: lengths
 * a/h, masses 1/h, velocities √a (GADGET stores peculiar velocity / √a). 1 unless converted. */
double ky_space_factor(const struct ky_space *space, int length, int mass, int velocity);

/* The rest of the conversion, once all bodies are physical and velocities peculiar: the Hubble flow
 * about the centre of mass, and the time. */
void ky_space_finish(struct ky_snapshot *snapshot);

#endif
