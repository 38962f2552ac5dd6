/* The benchmark of unrollings through OpenCL. The program is compiled with includes from the source
 * tree, UNROLL_TOP. */
#include "unroll/card.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/device/driver/opencl/opencl.h"

enum { COUNT = 16, MOST_SOURCE = 200 };
static struct {
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel sum[COUNT], advance;
    cl_mem body, velocity, field;
    cl_uint n;
} cl;

static void stop_if(cl_int code, const char *what)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "OpenCL: %s fails (%d)\n", what, code);
    exit(KY_DEVICE);
}

/* Compiles the kernels; the compiler's words where it fails. */
static void build(cl_device_id device)
{
    static const char options[] = "-cl-std=CL1.2 -cl-denorms-are-zero -I " UNROLL_TOP "/src";
    cl_device_fp_config fp64 = 0;
    cl_int code;
    char head[MOST_SOURCE];
    ky_cl.GetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof fp64, &fp64, NULL);
    snprintf(head, sizeof head, "#define KY_TEAM %d\n%s%s#include \"../bench/unroll/kernels.k\"\n",
             KY_OPENCL_TEAM, fp64 ? "#define KY_HAS_DOUBLE 1\n" : "",
             ky_opencl_is_gpu(device) ? "" : "#define KY_ON_CPU 1\n");
    cl.program = ky_cl.CreateProgramWithSource(cl.context, 1, &(const char *){head}, NULL, &code);
    stop_if(code, "clCreateProgramWithSource");
    code = ky_cl.BuildProgram(cl.program, 1, &device, options, NULL, NULL);
    if (code != CL_SUCCESS) {
        static char log[20000];
        ky_cl.GetProgramBuildInfo(cl.program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log,
                                  NULL);
        fputs(log, stderr);
    }
    stop_if(code, "clBuildProgram");
}

static cl_kernel kernel(const char *name)
{
    cl_int code;
    cl_kernel made = ky_cl.CreateKernel(cl.program, name, &code);
    stop_if(code, name);
    return made;
}

static cl_mem buffer(size_t n)
{
    cl_int code;
    cl_mem made =
        ky_cl.CreateBuffer(cl.context, CL_MEM_READ_WRITE, n * sizeof(cl_float4), NULL, &code);
    stop_if(code, "clCreateBuffer");
    return made;
}

static void open_device(size_t index, size_t n, char name[160])
{
    cl_int code;
    cl_device_id device = ky_opencl_device(index);
    if (!device) {
        fprintf(stderr, "there is no opencl:%zu\n", index);
        exit(KY_UNSUPPORTED);
    }
    ky_cl.GetDeviceInfo(device, CL_DEVICE_NAME, 160, name, NULL);
    cl.context = ky_cl.CreateContext(NULL, 1, &device, NULL, NULL, &code);
    stop_if(code, "clCreateContext");
    cl.queue = ky_cl.CreateCommandQueue(cl.context, device, 0, &code);
    stop_if(code, "clCreateCommandQueue");
    build(device);
    int k = 0;
#define KERNEL(sinks, sources) cl.sum[k++] = kernel("unroll_" #sinks "x" #sources);
    UNROLLINGS(KERNEL)
    cl.advance = kernel("unroll_advance");
    cl.n = (cl_uint)n;
    cl.body = buffer(n);
    cl.velocity = buffer(n);
    cl.field = buffer(n);
}

static void put(const float (*body)[4], const float (*velocity)[4])
{
    const size_t bytes = cl.n * sizeof *body;
    stop_if(ky_cl.EnqueueWriteBuffer(cl.queue, cl.body, CL_TRUE, 0, bytes, body, 0, NULL, NULL),
            "put");
    stop_if(
        ky_cl.EnqueueWriteBuffer(cl.queue, cl.velocity, CL_TRUE, 0, bytes, velocity, 0, NULL, NULL),
        "put");
}

static void get(float (*body)[4], float (*velocity)[4], float (*field)[4])
{
    const size_t bytes = cl.n * sizeof *body;
    stop_if(ky_cl.EnqueueReadBuffer(cl.queue, cl.body, CL_TRUE, 0, bytes, body, 0, NULL, NULL),
            "get");
    stop_if(
        ky_cl.EnqueueReadBuffer(cl.queue, cl.velocity, CL_TRUE, 0, bytes, velocity, 0, NULL, NULL),
        "get");
    stop_if(ky_cl.EnqueueReadBuffer(cl.queue, cl.field, CL_TRUE, 0, bytes, field, 0, NULL, NULL),
            "get");
}

static void launch(cl_kernel what, size_t groups, size_t lanes, const char *name)
{
    stop_if(ky_cl.EnqueueNDRangeKernel(cl.queue, what, 1, NULL, &(size_t){groups * lanes}, &lanes,
                                       0, NULL, NULL),
            name);
}

/* An argument of a kernel: SET(kernel, 3, cl.n). */
#define SET(kernel, k, value)                                                                      \
    stop_if(ky_cl.SetKernelArg(kernel, k, sizeof(value), &(value)), #value)

static void sum(int unrolling, int sinks, float eps2)
{
    const cl_kernel run = cl.sum[unrolling];
    const cl_uint none = 0;
    const size_t block = (size_t)sinks * KY_DIRECT_LANES;
    const cl_mem buffers[] = {cl.body, cl.body, cl.body, cl.body, cl.field};
    const cl_uint numbers[] = {cl.n, none, cl.n, cl.n, none}; /* n, first, count, slice, flags */
    for (cl_uint k = 0; k < 5; k++)
        SET(run, k, buffers[k]);
    for (cl_uint k = 0; k < 5; k++)
        SET(run, 5 + k, numbers[k]);
    SET(run, 10, eps2);
    launch(run, (cl.n + block - 1) / block, KY_DIRECT_LANES, "the sum");
}

static void advance(float kick, float drift)
{
    SET(cl.advance, 0, cl.body);
    SET(cl.advance, 1, cl.velocity);
    SET(cl.advance, 2, cl.field);
    SET(cl.advance, 3, cl.n);
    SET(cl.advance, 4, kick);
    SET(cl.advance, 5, drift);
    launch(cl.advance, (cl.n + 255) / 256, 256, "a step");
}

static void finish(void)
{
    stop_if(ky_cl.Finish(cl.queue), "clFinish");
}

const struct unroll_card unroll_opencl = {open_device, put, get, sum, advance, finish};
