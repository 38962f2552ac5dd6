/* Comoving, h-scaled and periodic snapshots: whether one may be read, and how its numbers become
 * physical ones in open space. */
#ifndef KY_SNAPSHOT_SPACE_H
#define KY_SNAPSHOT_SPACE_H

#include "snapshot/snapshot.h"

/* GADGET's own marks where a file has no ComovingIntegrationOn: it is comoving if its time is the
 * scale factor of its redshift, with matter or a redshift that is not 0. */
int ky_space_looks_comoving(double time, double redshift, double omega_matter);

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
