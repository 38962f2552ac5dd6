/* An OpenCL driver that ends the process at the first request for its platforms, by abort or in the
 * way that KYOHO_TEST_ICD names. An .icd file that names it, in the folder OCL_ICD_VENDORS,
 * installs it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *clGetExtensionFunctionAddress(const char *name);
int clIcdGetPlatformIDsKHR(unsigned room, void **platforms, unsigned *count);
int clGetPlatformInfo(void *platform, unsigned info, size_t size, void *value, size_t *used);

int clIcdGetPlatformIDsKHR(unsigned room, void **platforms, unsigned *count)
{
    const char *how = getenv("KYOHO_TEST_ICD");
    (void)room, (void)platforms, (void)count;
    fprintf(stderr, "the driver was asked\n");
    if (how && !strcmp(how, "exit"))
        exit(0);
    if (how && !strcmp(how, "fault"))
        *(volatile int *)8 = 0;
    abort();
}

/* Loaders refuse a driver without this function. */
int clGetPlatformInfo(void *platform, unsigned info, size_t size, void *value, size_t *used)
{
    (void)platform, (void)info, (void)size, (void)value, (void)used;
    abort();
}

void *clGetExtensionFunctionAddress(const char *name)
{
    return strcmp(name, "clIcdGetPlatformIDsKHR") ? NULL : (void *)clIcdGetPlatformIDsKHR;
}
