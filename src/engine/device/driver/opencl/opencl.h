/* The OpenCL driver's own state and functions. It uses only OpenCL 1.2. */
#ifndef KY_OPENCL_H
#define KY_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdatomic.h>

#include "engine/device/driver/driver.h"

/* Lanes of a team; a team is a work-group. */
#ifndef KY_OPENCL_TEAM
#define KY_OPENCL_TEAM 32
#endif

/* The functions of OpenCL that the driver calls: ky_cl.Finish is clFinish. */
#define KY_OPENCL_CALLS(F)                                                                         \
    F(BuildProgram)                                                                                \
    F(CreateBuffer)                                                                                \
    F(CreateCommandQueue)                                                                          \
    F(CreateContext)                                                                               \
    F(CreateKernel)                                                                                \
    F(CreateProgramWithBinary)                                                                     \
    F(CreateProgramWithSource)                                                                     \
    F(CreateSubBuffer)                                                                             \
    F(EnqueueCopyBuffer)                                                                           \
    F(EnqueueFillBuffer)                                                                           \
    F(EnqueueMapBuffer)                                                                            \
    F(EnqueueMarkerWithWaitList)                                                                   \
    F(EnqueueNDRangeKernel)                                                                        \
    F(EnqueueReadBuffer)                                                                           \
    F(EnqueueUnmapMemObject)                                                                       \
    F(EnqueueWriteBuffer)                                                                          \
    F(Finish)                                                                                      \
    F(Flush)                                                                                       \
    F(GetDeviceIDs)                                                                                \
    F(GetDeviceInfo)                                                                               \
    F(GetEventProfilingInfo)                                                                       \
    F(GetKernelArgInfo)                                                                            \
    F(GetKernelInfo)                                                                               \
    F(GetMemObjectInfo)                                                                            \
    F(GetPlatformIDs)                                                                              \
    F(GetPlatformInfo)                                                                             \
    F(GetProgramBuildInfo)                                                                         \
    F(GetProgramInfo)                                                                              \
    F(ReleaseCommandQueue)                                                                         \
    F(ReleaseContext)                                                                              \
    F(ReleaseEvent)                                                                                \
    F(ReleaseKernel)                                                                               \
    F(ReleaseMemObject)                                                                            \
    F(ReleaseProgram)                                                                              \
    F(SetKernelArg)                                                                                \
    F(WaitForEvents)
struct ky_opencl_calls {
#define MEMBER(name) __typeof__(&cl##name) name;
    KY_OPENCL_CALLS(MEMBER)
#undef MEMBER
};
extern struct ky_opencl_calls ky_cl;
/* Opens OpenCL's loader, once. Returns NULL, or why the functions cannot be called. Every function
 * below needs it. */
const char *ky_opencl_missing(void);

struct ky_opencl {
    struct ky_card base;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program[KY_UNIT_COUNT];
    cl_kernel kernel[KY_KERNEL_COUNT];
    struct ky_taken taken[KY_KERNEL_COUNT]; /* of kernels that are loaded */
    cl_event mark[KY_MARKS];
};

/* For tests: 1 treats devices as if they had no double. */
extern int ky_opencl_hide_double;
/* For tests: 1 lets devices compute products of tiles without matrix units. */
extern int ky_opencl_show_tiles;
/* For tests: the number of programs compiled from source so far. */
extern atomic_int ky_opencl_compilations;

/* devices.c. The calls `list` and `first_cpu` of driver.h. */
enum ky_status ky_opencl_list(size_t index, struct ky_device *device);
size_t ky_opencl_first_cpu(void);
/* The device with this index in the list, or NULL past the last device. */
cl_device_id ky_opencl_device(size_t index);
int ky_opencl_is_gpu(cl_device_id device);
void ky_opencl_describe(cl_device_id device, char *text, size_t size);

/* Returns KY_OK for a call that succeeded, else KY_DEVICE. The error names the call that failed,
 * the buffer or kernel `what` with its bytes, and the meaning of the code. */
enum ky_status ky_opencl_check(const struct ky_opencl *cl, cl_int code, const char *call,
                               const char *what, size_t bytes, struct ky_error *error);
/* Gets the program of a unit from the cache, or builds it from its source. */
enum ky_status ky_opencl_build(struct ky_opencl *cl, enum ky_unit_id unit, struct ky_error *error);
/* sort.c: see driver.h. */
enum ky_status ky_opencl_scratch(struct ky_card *card, enum ky_bulk what, size_t n, size_t *bytes,
                                 struct ky_error *error);
enum ky_status ky_opencl_sort(struct ky_card *card, struct ky_two_buffers *keys,
                              struct ky_two_buffers *values, size_t n, int bits,
                              const struct ky_buffer *scratch, struct ky_error *error);
enum ky_status ky_opencl_scan(struct ky_card *card, const struct ky_buffer *from,
                              struct ky_buffer *to, size_t n, const struct ky_buffer *scratch,
                              struct ky_error *error);
enum ky_status ky_opencl_reduce(struct ky_card *card, struct ky_buffer_address from, size_t n,
                                struct ky_buffer_address to, const struct ky_buffer *scratch,
                                struct ky_error *error);

/* cache.c: PATH of the entry with this key; -1 if the user has no cache folder. Makes the folders.
 */
int ky_opencl_cache_path(uint64_t key, char *path, size_t size);
/* The binary of a complete entry (the caller frees it), or NULL. A pipe instead of an entry does
 * not block. */
unsigned char *ky_opencl_cache_read(const char *path, uint64_t key, size_t *size);
/* A failure to write is ignored. */
void ky_opencl_cache_write(const char *path, uint64_t key, const unsigned char *binary,
                           size_t size);
/* Limit for the total size of all entries; tests set it lower. */
extern uint64_t ky_opencl_cache_limit;

#endif
