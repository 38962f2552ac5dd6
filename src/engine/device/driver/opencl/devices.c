/* The devices of the OpenCL drivers on this machine. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/trial.h"
#include "engine/device/driver/opencl/opencl.h"

/* Drivers initialise themselves at the first request for devices, and some (PoCL) fail if two
 * threads do this at once. So the mutex admits one thread at a time. */
static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER;

enum { MOST_DEVICES = 64 };

int ky_opencl_is_gpu(cl_device_id device)
{
    cl_device_type type = 0;
    ky_cl.GetDeviceInfo(device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
    return (type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR)) != 0;
}

/* 1 for PoCL. PoCL initialises the processor at the first request for devices of any kind, and
 * kills the process if that fails (without /sys). Its name is available without initialisation. */
static int is_of_cpus(cl_platform_id platform)
{
    char name[100] = "";
    ky_cl.GetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
    return !strcmp(name, "Portable Computing Language");
}

/* The number of platforms, and the first MOST_DEVICES of them if `platforms` is not NULL. */
static cl_uint get_platforms(cl_platform_id *platforms)
{
    cl_uint count = 0;
    if (ky_opencl_missing() ||
        ky_cl.GetPlatformIDs(platforms ? MOST_DEVICES : 0, platforms, &count) != CL_SUCCESS)
        return 0;
    return count;
}

/* Adds the devices of the CPU platforms (of_cpus 1) or of all other platforms (0). */
static size_t ask_platforms(int of_cpus, cl_device_id found[MOST_DEVICES], size_t count)
{
    cl_platform_id platforms[MOST_DEVICES];
    const cl_uint platform_count = get_platforms(platforms);
    for (cl_uint p = 0; p < platform_count && p < MOST_DEVICES && count < MOST_DEVICES; p++) {
        cl_uint some = 0;
        if (is_of_cpus(platforms[p]) == of_cpus &&
            ky_cl.GetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, (cl_uint)(MOST_DEVICES - count),
                               found + count, &some) == CL_SUCCESS)
            count += some;
        count = count < MOST_DEVICES ? count : MOST_DEVICES;
    }
    return count;
}

/* ---- drivers that end the process ---- */

/* Some drivers kill the process that asks for their devices instead of reporting that they have
 * none (PoCL without /sys). So a child process asks first: trial [0] for the platforms and the
 * devices of platforms that are not for CPUs; trial [1], later or never, for the devices of the CPU
 * platforms. */
enum { TRIAL_SECONDS = 30 };
static struct {
    int was;
    struct ky_trial trial;
} trials[2];

static const char nobody[] = "-";

/* The note is the name of the last platform that was asked, or `nobody` if all platforms are of the
 * other kind. */
static void ask(int of_cpus, char *note)
{
    cl_platform_id platforms[MOST_DEVICES];
    cl_device_id found[MOST_DEVICES];
    const cl_uint count = get_platforms(platforms);
    cl_uint some;
    int asked = 0;
    for (cl_uint p = 0; p < count && p < MOST_DEVICES; p++) {
        if (is_of_cpus(platforms[p]) != of_cpus)
            continue;
        ky_cl.GetPlatformInfo(platforms[p], CL_PLATFORM_NAME, KY_TRIAL_NOTE - 1, note, NULL);
        ky_cl.GetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MOST_DEVICES, found, &some);
        asked = 1;
    }
    if (count > 0 && !asked)
        strcpy(note, nobody);
}

static void ask_others(char *note)
{
    ask(0, note);
}

static void ask_cpus(char *note)
{
    ask(1, note);
}

/* 1 if this process may ask the CPU platforms (of_cpus 1) or all other platforms (0), because the
 * child survived. Also 0 if no platform is of this kind, so that this process need not load
 * drivers. */
static int may_ask(int of_cpus)
{
    const struct ky_trial *trial = &trials[of_cpus].trial;
    if (!trials[of_cpus].was++)
        trials[of_cpus].trial = ky_trial(of_cpus ? ask_cpus : ask_others, TRIAL_SECONDS);
    return !trial->ended && strcmp(trial->note, nobody) != 0;
}

/* The trial that a driver killed, or NULL. */
static const struct ky_trial *trial_that_ended(void)
{
    for (int of_cpus = 0; of_cpus < 2; of_cpus++)
        if (trials[of_cpus].trial.ended)
            return &trials[of_cpus].trial;
    return NULL;
}

static void why_ended(const struct ky_trial *trial, char *text, size_t size)
{
    char how[40] = "it called exit";
    if (trial->signal == SIGALRM)
        snprintf(how, sizeof how, "no answer in %d s", TRIAL_SECONDS);
    else if (trial->signal)
        snprintf(how, sizeof how, "signal %d", trial->signal);
    snprintf(text, size,
             "%s OpenCL driver%s%s kills any process that asks for its devices (%s) and is not "
             "used: repair or remove it",
             *trial->note ? "the" : "an", *trial->note ? " of " : "", trial->note, how);
}

/* Finds the devices that are not CPUs; with `all`, the CPUs after them. */
static size_t find_devices(int all, cl_device_id devices[MOST_DEVICES])
{
    cl_device_id found[MOST_DEVICES];
    size_t count = may_ask(0) ? ask_platforms(0, found, 0) : 0, sorted = 0;
    if (all && !trials[0].trial.ended && may_ask(1))
        count = ask_platforms(1, found, count);
    for (int cpu = 0; cpu <= all; cpu++)
        for (size_t k = 0; k < count; k++)
            if (ky_opencl_is_gpu(found[k]) != cpu)
                devices[sorted++] = found[k];
    return sorted;
}

/* Finds enough devices to include the one with this index. */
static size_t find_device(size_t index, cl_device_id devices[MOST_DEVICES])
{
    size_t count = find_devices(0, devices);
    return index < count ? count : find_devices(1, devices);
}

/* Writes why there is no device, or why a driver is not used. PoCL has no device if it finds no
 * folder for its cache. */
static void why_none(char *text, size_t size)
{
    const struct ky_trial *ended = trial_that_ended();
    const char *missing = ky_opencl_missing();
    if (ended)
        why_ended(ended, text, size);
    else if (missing)
        snprintf(text, size, "%s", missing);
    else if (get_platforms(NULL) > 0)
        snprintf(text, size,
                 "the installed OpenCL drivers offer no device (one may need a writable folder for "
                 "its cache: XDG_CACHE_HOME)");
    else
        snprintf(text, size, "no OpenCL driver is installed");
}

size_t ky_opencl_first_cpu(void)
{
    cl_device_id devices[MOST_DEVICES];
    pthread_mutex_lock(&asking);
    const size_t count = find_devices(0, devices);
    pthread_mutex_unlock(&asking);
    return count;
}

static int available(cl_device_id device, const char **reason)
{
    cl_bool here = CL_FALSE, compiler = CL_FALSE;
    ky_cl.GetDeviceInfo(device, CL_DEVICE_AVAILABLE, sizeof here, &here, NULL);
    ky_cl.GetDeviceInfo(device, CL_DEVICE_COMPILER_AVAILABLE, sizeof compiler, &compiler, NULL);
    size_t lanes = 0;
    ky_cl.GetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof lanes, &lanes, NULL);
    *reason = !here         ? "the driver says that it is not available"
              : !compiler   ? "its driver has no compiler"
              : lanes < 256 ? "its work-groups are smaller than 256"
                            : NULL;
    return *reason == NULL;
}

void ky_opencl_describe(cl_device_id device, char *text, size_t size)
{
    char name[100] = "", version[60] = "";
    ky_cl.GetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, NULL);
    ky_cl.GetDeviceInfo(device, CL_DRIVER_VERSION, sizeof version, version, NULL);
    name[sizeof name - 1] = version[sizeof version - 1] = 0;
    snprintf(text, size, "%s, OpenCL driver %s", name, version);
}

static enum ky_status list_alone(size_t index, struct ky_device *device)
{
    cl_device_id devices[MOST_DEVICES];
    size_t count = find_device(index, devices);
    memset(device, 0, sizeof *device);
    if (index == count && (count == 0 || trial_that_ended())) {
        snprintf(device->engine, sizeof device->engine, "opencl");
        why_none(device->reason, sizeof device->reason);
        return KY_OK;
    }
    if (index >= count)
        return KY_USAGE;
    const char *reason = NULL;
    snprintf(device->engine, sizeof device->engine, "opencl:%u", (unsigned)(index % MOST_DEVICES));
    ky_opencl_describe(devices[index], device->name, sizeof device->name);
    device->usable = available(devices[index], &reason);
    device->on_cpu = !ky_opencl_is_gpu(devices[index]);
    if (reason)
        snprintf(device->reason, sizeof device->reason, "%s", reason);
    else if (device->on_cpu)
        snprintf(device->reason, sizeof device->reason, "a CPU: auto takes the CPU engine instead");
    return KY_OK;
}

enum ky_status ky_opencl_list(size_t index, struct ky_device *device)
{
    pthread_mutex_lock(&asking);
    enum ky_status status = list_alone(index, device);
    pthread_mutex_unlock(&asking);
    return status;
}

cl_device_id ky_opencl_device(size_t index)
{
    cl_device_id devices[MOST_DEVICES];
    pthread_mutex_lock(&asking);
    const size_t count = find_device(index, devices);
    pthread_mutex_unlock(&asking);
    return index < count ? devices[index] : NULL;
}
