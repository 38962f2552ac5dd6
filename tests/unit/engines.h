/* The engines of this machine, for tests of all of them. */
#ifndef KY_TEST_ENGINES_H
#define KY_TEST_ENGINES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kyoho/kyoho.h"

#include "engine/common/device_list.h"
#include "engine/device/driver/driver.h"

enum { MOST_ENGINES = 16 };
static struct ky_device engines[MOST_ENGINES];
static int engine_count;

/* Finds the engines that are usable, or the one that KYOHO_TEST_ENGINE names. */
static inline int find_engines(void **state)
{
    (void)state;
    struct ky_device device = {0};
    for (size_t k = 0; ky_device_get(k, &device) == KY_OK; k++) {
        printf("# %s: %s%s%s\n", device.engine, device.name, device.reason[0] ? ": " : "",
               device.reason);
        const char *wanted = getenv("KYOHO_TEST_ENGINE");
        if (device.usable && engine_count < MOST_ENGINES &&
            (!wanted || !strcmp(wanted, device.engine)))
            engines[engine_count++] = device;
    }
    return 0;
}

static inline int is_slow(int k)
{
    return strstr(engines[k].reason, "a CPU") || strstr(engines[k].name, "Oclgrind");
}

/* For tests of the layers above engines: leaves out a CPU that serves as a device, on which kernels
 * take long to compile, except in check-all. contract.c tries every engine. */
static inline int find_quick_engines(void **state)
{
    const int failed = find_engines(state), all = engine_count;
    engine_count = 0;
    for (int k = 0; k < all; k++)
        if (test_everything() || !is_slow(k))
            engines[engine_count++] = engines[k];
    return failed;
}

static inline int is_cpu_engine(int k)
{
    return !strcmp(engines[k].engine, "cpu");
}

static inline void need_a_device(void)
{
    for (int k = 0; k < engine_count; k++)
        if (!is_cpu_engine(k))
            return;
    printf("# no OpenCL or CUDA device here\n");
    skip();
}

/* The devices; a CPU that serves as one, on which kernels take long to compile, only if `all`. */
static inline int next_device(int k, int all)
{
    for (k++; k < engine_count; k++)
        if (!is_cpu_engine(k) && (all || !is_slow(k) || test_everything()))
            return k;
    return -1;
}
#define FOR_DEVICES(k, all) for (int k = next_device(-1, all); k >= 0; k = next_device(k, all))

/* Skips a test that takes long on a CPU that serves as a device, unless check-all runs. */
static inline void need_a_quick_device(void)
{
    need_a_device();
    if (next_device(-1, 0) >= 0)
        return;
    printf("# a CPU serves as the device: make check-all takes this\n");
    skip();
}

/* The name of the device k with another one of its kind, "cuda:0,1". If there is none, the same
 * device is named twice. */
static inline const char *with_another(int k, char *name, size_t size)
{
    const char *colon = strchr(engines[k].engine, ':'), *number = colon + 1;
    size_t kind = (size_t)(colon - engines[k].engine);
    for (int other = 0; other < engine_count; other++)
        if (other != k && !strncmp(engines[other].engine, engines[k].engine, kind + 1) &&
            !strcmp(engines[other].name, engines[k].name))
            number = engines[other].engine + kind + 1;
    snprintf(name, size, "%.15s,%.10s", engines[k].engine, number);
    ky_device_twice = 1;
    return name;
}

/* The same name with a third device, which is the first one again. */
static inline const char *with_two_others(int k, char *name, size_t size)
{
    char two[40];
    snprintf(name, size, "%s,%s", with_another(k, two, sizeof two),
             strchr(engines[k].engine, ':') + 1);
    return name;
}

#endif
