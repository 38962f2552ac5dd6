/* Opens OpenCL's loader, which finds the drivers of the machine. */
#include "engine/device/driver/opencl/opencl.h"

#include "base/opened.h"

struct ky_opencl_calls ky_cl;

const char *ky_opencl_missing(void)
{
#define NAME(name) "cl" #name,
    static const char *const names[] = {KY_OPENCL_CALLS(NAME)};
#undef NAME
    static struct ky_opened loader = {.file = KY_SHARED_FILE("OpenCL", "1"),
                                      .package = "ocl-icd-libopencl1 and the GPU's driver",
                                      .names = names,
                                      .count = sizeof names / sizeof *names,
                                      .calls = &ky_cl};
    return ky_open_library(&loader);
}
