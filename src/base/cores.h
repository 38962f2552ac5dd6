/* How many processors this process may use. */
#ifndef KY_BASE_CORES_H
#define KY_BASE_CORES_H

#include <stddef.h>

/* The processors (hyper-threads count) that taskset and its like allow to the calling thread. At
 * least 1. */
int ky_cores_of_thread(void);

/* Writes the set of these processors, one bit each, as far as they fit; zeros if the system
 * does not report it. */
void ky_cores_mask(unsigned char *mask, size_t bytes);

/* The processors whose time the control groups of a process allow: 1.5 count as 2; 0: no limit is
 * known. `groups` is its /proc/PID/cgroup, `mount` the folder where control groups are mounted.
 * Versions 1 and 2. */
int ky_cores_of_groups(const char *groups, const char *mount);

/* ky_cores_of_groups for this process. Reads some small files. */
int ky_cores_of_process(void);

/* The number of processors for the calling thread: the lesser of ky_cores_of_thread and
 * ky_cores_of_process. */
int ky_cores(void);

#endif
