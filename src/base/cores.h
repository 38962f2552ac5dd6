/* How many processors this process may use. */
#ifndef KY_BASE_CORES_H
#define KY_BASE_CORES_H

/* The processors (hyper-threads count) that taskset and its like allow to the calling thread, or
 * fewer where a control group limits their time: 1.5 processors count as 2. At least 1. */
int ky_cores(void);

/* The processors whose time the control groups of a process allow, rounded up; 0: no limit is
 * known. `groups` is its /proc/PID/cgroup, `mount` the folder where control groups are mounted:
 * /sys/fs/cgroup. Versions 1 and 2. */
int ky_cores_of_groups(const char *groups, const char *mount);

#endif
