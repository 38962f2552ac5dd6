/* Error messages for OpenCL's codes. */
#include "engine/device/driver/opencl/opencl.h"

static const struct {
    cl_int code;
    const char *text;
} codes[] = {
    {CL_DEVICE_NOT_AVAILABLE, "device not available"},
    {CL_COMPILER_NOT_AVAILABLE, "compiler not available"},
    {CL_MEM_OBJECT_ALLOCATION_FAILURE, "out of device memory"},
    {CL_OUT_OF_RESOURCES, "out of resources (or an earlier kernel failed)"},
    {CL_OUT_OF_HOST_MEMORY, "out of host memory"},
    {CL_BUILD_PROGRAM_FAILURE, "build failure"},
    {CL_INVALID_BUFFER_SIZE, "more than one allocation may have"},
    {CL_INVALID_WORK_GROUP_SIZE, "work-group size not possible"},
    {CL_INVALID_KERNEL_ARGS, "kernel arguments missing"},
    {CL_INVALID_ARG_SIZE, "kernel argument of wrong size"},
};

enum ky_status ky_opencl_check(const struct ky_opencl *cl, cl_int code, const char *call,
                               const char *what, size_t bytes, struct ky_error *error)
{
    const char *text = "error";
    if (code == CL_SUCCESS)
        return KY_OK;
    for (size_t k = 0; k < sizeof codes / sizeof *codes; k++)
        if (codes[k].code == code)
            text = codes[k].text;
    return ky_fail(error, KY_DEVICE, "%s: %s of %s, %zu bytes: %s (%d)", cl->base.name, call, what,
                   bytes, text, code);
}
