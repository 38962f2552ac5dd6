/* Processors that a process may use: its affinity, and the limits of its control groups, each of
 * which is also limited by its parents in the tree of folders. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include "base/cores.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"

enum { PATH = 4096 };

/* Reads up to two numbers from a file; returns how many. The word "max" ends the numbers. */
static int read_numbers(const char *folder, const char *name, double number[2])
{
    char path[PATH + 32];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    char line[80] = "", *end = line;
    int found = 0;
    if (fgets(line, sizeof line, file))
        for (char *begin = line; found < 2; begin = end, found++) {
            number[found] = ky_number_real(begin, &end);
            if (end == begin)
                break;
        }
    fclose(file);
    return found;
}

/* The processors that one group allows: HUGE_VAL without a limit. */
static double limit_of(const char *folder)
{
    double both[2], quota[2], period[2];
    if (read_numbers(folder, "cpu.max", both) == 2 && both[0] > 0 && both[1] > 0)
        return both[0] / both[1];
    if (read_numbers(folder, "cpu.cfs_quota_us", quota) == 1 && quota[0] > 0 &&
        read_numbers(folder, "cpu.cfs_period_us", period) == 1 && period[0] > 0)
        return quota[0] / period[0];
    return HUGE_VAL;
}

/* The smallest limit of the group at `path` below `mount` and of the groups above it. Where a
 * container sees its own group as the root, the folders of `path` do not exist, and the root has
 * the limit. */
static double least_limit(const char *mount, const char *controller, const char *path)
{
    char folder[PATH];
    int root = snprintf(folder, sizeof folder, "%s%s%s", mount, *controller ? "/" : "", controller);
    if (root < 0 || (size_t)root + strlen(path) + 1 > sizeof folder)
        return HUGE_VAL;
    strcpy(folder + root, path);
    double least = limit_of(folder);
    for (char *slash; (slash = strrchr(folder + root, '/'));) {
        *slash = 0;
        least = fmin(least, limit_of(folder));
    }
    return least;
}

/* Whether `cpu` is among the names of a line's controllers, "cpu,cpuacct". */
static int has_cpu(const char *names)
{
    for (; names; names = strchr(names, ','), names = names ? names + 1 : NULL)
        if (strncmp(names, "cpu", 3) == 0 && (names[3] == ',' || names[3] == 0))
            return 1;
    return 0;
}

int ky_cores_of_groups(const char *groups, const char *mount)
{
    char line[PATH];
    double least = HUGE_VAL;
    FILE *file = fopen(groups, "r");
    if (!file)
        return 0;
    while (fgets(line, sizeof line, file)) { /* "4:cpu,cpuacct:/path"; version 2: "0::/path" */
        line[strcspn(line, "\n")] = 0;
        char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;
        if (!path)
            continue;
        *names++ = *path++ = 0;
        if (!*names) {
            least = fmin(least, least_limit(mount, "", path));
            least = fmin(least, least_limit(mount, "unified", path));
        } else if (has_cpu(names)) {
            least = fmin(least, least_limit(mount, names, path));
            least = fmin(least, least_limit(mount, "cpu", path));
        }
    }
    fclose(file);
    return least < 1e6 ? (int)ceil(least) : 0;
}

int ky_cores_of_process(void)
{
    return ky_cores_of_groups("/proc/self/cgroup", "/sys/fs/cgroup");
}

void ky_cores_mask(unsigned char *mask, size_t bytes)
{
    memset(mask, 0, bytes);
#ifdef CPU_COUNT_S
    cpu_set_t allowed[8];
    if (!sched_getaffinity(0, sizeof allowed, allowed))
        memcpy(mask, allowed, bytes < sizeof allowed ? bytes : sizeof allowed);
#endif
}

int ky_cores_of_thread(void)
{
#ifdef CPU_COUNT_S
    cpu_set_t allowed[8]; /* of 1,024 processors each: the system refuses a set that is too small */
    if (!sched_getaffinity(0, sizeof allowed, allowed))
        return CPU_COUNT_S(sizeof allowed, allowed);
#endif
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 1 ? (int)cores : 1;
}

int ky_cores(void)
{
    const int cores = ky_cores_of_thread(), limit = ky_cores_of_process();
    return limit && limit < cores ? limit : cores;
}
