/* The interface of a driver, a way to program devices (KY_DRIVERS lists them). A driver knows no
 * physics; another one (HIP) would be one more implementation of this table. A driver lists
 * devices, which users name; an opened device is a card.
 *
 * Work goes into one in-order queue per card. `write` and `read` return when the host memory may be
 * used again; `write_later`, `read_later` and a launch return at once, and copies may. A later call
 * may report their failures. Errors name the call and the buffer or kernel and its size. One thread
 * at a time uses one card; different ones are independent. */
#ifndef KY_DEVICE_DRIVER_H
#define KY_DEVICE_DRIVER_H

#include "base/drivers.h"
#include "base/status.h"
#include "engine/device/kernels/driver/list.h"

enum ky_unit_id {
#define KY_U(unit, file, precision, made) KY_UNIT_##unit,
    KY_UNITS
#undef KY_U
        KY_UNIT_COUNT
};

enum ky_kernel_id {
#define KY_K(unit, name, lanes) KY_KERNEL_##name,
    KY_KERNELS
#undef KY_K
        KY_KERNEL_COUNT
};
enum { KY_PRECISIONS = KY_MIXED + 1 };

struct ky_unit {
    const char *name, *file;
    int precision;    /* -1: none */
    const char *made; /* expansion of the file's templates, as kernels/driver/list.h says */
};
extern const struct ky_unit ky_units[KY_UNIT_COUNT];

struct ky_kernel {
    const char *name;
    enum ky_unit_id unit;
    size_t lanes; /* as in kernels/driver/list.h; the lanes of a group are ky_kernel_lanes */
};
extern const struct ky_kernel ky_kernels[KY_KERNEL_COUNT];

/* The kernel of a row of KY_VARIANTS, which must exist, for the moments' order and the precision of
 * the parameters. */
enum ky_kind {
    KY_KIND_plain,
    KY_KIND_few,
    KY_KIND_listed,
    KY_KIND_general,
    KY_KIND_spline,
    KY_KIND_box_plain,
    KY_KIND_box_general,
    KY_KIND_box_spline,
    KY_KIND_COUNT
};
enum ky_kernel_id ky_variant(enum ky_force force, enum ky_kind kind,
                             const struct ky_parameters *parameters);

/* Memory of a card. `handle` is a device pointer or a cl_mem; cleared: no memory. */
struct ky_buffer {
    void *handle;
    size_t bytes;
    const char *what; /* static text, for errors */
    int part;         /* 1: it is part of another buffer */
};

/* A position in a buffer, at byte `offset`. */
struct ky_buffer_address {
    const struct ky_buffer *buffer;
    size_t offset;
};
#define KY_ADDRESS(buffer, offset) ((struct ky_buffer_address){(buffer), (offset)})

/* Two buffers of the same size; `now` says which of them holds the data. */
struct ky_two_buffers {
    struct ky_buffer buffer[2];
    int now; /* 0 or 1 */
};

/* Operations over many numbers, which need scratch memory. */
enum ky_bulk { KY_BULK_SORT, KY_BULK_SCAN, KY_BULK_REDUCE };

/* Host memory that a card reads and writes directly; cleared: none. */
struct ky_pinned {
    void *data, *handle; /* the memory, and the driver's handle of it */
    size_t bytes;
    const char *what; /* static text, for errors */
};

/* An argument of a kernel: a value, or a buffer by its handle. */
struct ky_argument {
    const void *value;
    size_t size;
};
#define KY_VALUE(variable) ((struct ky_argument){&(variable), sizeof(variable)})
#define KY_BUFFER(buffer) ((struct ky_argument){&(buffer).handle, sizeof(void *)})
/* The arguments of a kernel, in order. */
struct ky_arguments {
    const struct ky_argument *of;
    size_t count;
};
#define KY_ARGUMENTS(...)                                                                          \
    ((struct ky_arguments){(const struct ky_argument[]){__VA_ARGS__},                              \
                           sizeof((const struct ky_argument[]){__VA_ARGS__}) /                     \
                               sizeof(struct ky_argument)})

/* A card: an opened device. It is the first member of the struct of each driver. */
struct ky_card {
    const struct ky_driver *driver;
    char name[160]; /* for reports: "NVIDIA H200" */
    int has_double;
    int has_tiles;     /* matrix units, or in tests their substitute (kernels/driver/tiles.h) */
    size_t processors; /* processors that run groups in parallel */
    size_t team;       /* lanes of a team: KY_TEAM of its kernels */
    size_t teams;      /* teams in a group of the kernels that work in teams */
    double memory;     /* total bytes */
    int is_cpu;
};

enum { KY_MARKS = 15, KY_SLICE_ALIGN = 4096, KY_HANDLE_BYTES = 64 };

struct ky_driver {
    const char *name; /* "cuda" */

    /* Lists the devices; an entry without a device gives the reason. KY_USAGE past the last. */
    enum ky_status (*list)(size_t index, struct ky_device *device);
    /* The index of the first CPU in the list, where `auto` stops. An OpenCL platform that is known
     * to be for CPUs is not queried, since that may kill the process. */
    size_t (*first_cpu)(void);
    /* Opens the device with this index. KY_UNSUPPORTED, with the reason, if it cannot be used. */
    enum ky_status (*open)(size_t index, struct ky_card **card, struct ky_error *error);
    /* Closes a card or NULL. Its buffers and pinned memory must have been released. */
    void (*close)(struct ky_card *card);
    /* Prepares a kernel, which may have to be compiled; required before a launch or `resident`. */
    enum ky_status (*load)(struct ky_card *card, enum ky_kernel_id kernel, struct ky_error *error);
    /* The number of groups of a kernel that run at the same time on the whole device. */
    size_t (*resident)(struct ky_card *card, enum ky_kernel_id kernel);

    /* Used by ky_buffer_need and ky_buffer_release, which other code calls. KY_DEVICE if the card
     * lacks the memory. */
    enum ky_status (*allocate)(struct ky_card *card, size_t bytes, struct ky_buffer *buffer,
                               struct ky_error *error);
    /* Used by ky_buffer_slice, which has checked that the slice is inside the buffer. */
    enum ky_status (*part)(struct ky_card *card, const struct ky_buffer *whole, size_t offset,
                           size_t bytes, struct ky_buffer *part, struct ky_error *error);
    void (*release)(struct ky_card *card, struct ky_buffer *buffer);
    /* Makes memory of the caller on this card a buffer, whose release does not free it. Later work
     * in the queue waits until the present work of the CUDA stream `stream` has ended (0: there is
     * none). KY_USAGE for an address that is not on this card. With OpenCL KY_UNSUPPORTED, except
     * on a CPU, where the memory is the host's. */
    enum ky_status (*adopt)(struct ky_card *card, void *address, uint64_t stream,
                            struct ky_buffer *buffer, struct ky_error *error);
    /* Copies `bytes` from the host to the buffer, beginning at its byte `offset`, and back. */
    enum ky_status (*write)(struct ky_card *card, struct ky_buffer *buffer, size_t offset,
                            const void *data, size_t bytes, struct ky_error *error);
    enum ky_status (*read)(struct ky_card *card, const struct ky_buffer *buffer, size_t offset,
                           void *data, size_t bytes, struct ky_error *error);
    /* Pins host memory for later copies of this card. */
    enum ky_status (*pin)(struct ky_card *card, size_t bytes, struct ky_pinned *pinned,
                          struct ky_error *error);
    /* Frees it; no copy of the memory may be in progress. */
    void (*unpin)(struct ky_card *card, struct ky_pinned *pinned);
    /* Queues a copy; `data` is in the card's pinned memory. Data to write must not change, and read
     * data is not valid, until the queue has reached a mark that is set after this call. */
    enum ky_status (*write_later)(struct ky_card *card, struct ky_buffer *buffer, size_t offset,
                                  const void *data, size_t bytes, struct ky_error *error);
    enum ky_status (*read_later)(struct ky_card *card, const struct ky_buffer *buffer,
                                 size_t offset, void *data, size_t bytes, struct ky_error *error);
    /* Queues a copy within the card. */
    enum ky_status (*copy)(struct ky_card *card, struct ky_buffer_address from,
                           struct ky_buffer_address to, size_t bytes, struct ky_error *error);
    /* Copies from a card of another thread and the same driver, on which no pending work writes to
     * `from`: only the queue of to_card contains the copy. */
    enum ky_status (*fetch)(struct ky_card *from_card, struct ky_buffer_address from,
                            struct ky_card *to_card, struct ky_buffer_address to, size_t bytes,
                            struct ky_error *error);
    /* Creates a handle by which other processes of this computer find the buffer, which must not be
     * part of another one. NULL if the driver has no handles; KY_DEVICE if the computer allows
     * none. */
    enum ky_status (*share)(struct ky_card *card, const struct ky_buffer *buffer,
                            unsigned char handle[KY_HANDLE_BYTES], struct ky_error *error);
    /* Opens a buffer of another process by its handle, and closes it when this card's work with it
     * has ended. The other process may release it only afterwards. */
    enum ky_status (*open_shared)(struct ky_card *card, const unsigned char handle[KY_HANDLE_BYTES],
                                  void **memory, struct ky_error *error);
    void (*close_shared)(struct ky_card *card, void *memory);
    /* Queues a copy from a shared buffer, from its byte `offset` on. */
    enum ky_status (*fetch_shared)(struct ky_card *card, void *memory, size_t offset,
                                   struct ky_buffer_address to, size_t bytes,
                                   struct ky_error *error);
    /* Sets all bytes of the buffer to 0. */
    enum ky_status (*zero)(struct ky_card *card, struct ky_buffer *buffer, struct ky_error *error);

    /* Queues a kernel. KY_FAULT if the arguments differ from the kernel's definition in number or
     * size. */
    enum ky_status (*launch)(struct ky_card *card, enum ky_kernel_id kernel, size_t groups,
                             const struct ky_arguments *arguments, struct ky_error *error);
    /* Waits until the queue is empty. KY_DEVICE if something in it failed. */
    enum ky_status (*wait)(struct ky_card *card, struct ky_error *error);

    /* Sets a mark, one of KY_MARKS, in the queue. */
    enum ky_status (*mark)(struct ky_card *card, int mark, struct ky_error *error);
    /* Waits until the queue has reached the mark where it was last set. Returns at once if it was
     * never set. */
    enum ky_status (*reach)(struct ky_card *card, int mark, struct ky_error *error);
    /* The device's time in seconds from one mark to another; 0 if one was never set. Waits for
     * them. */
    double (*between)(struct ky_card *card, int from, int to);

    /* Bytes of scratch memory for a bulk operation over n numbers, at least 1. Its content is
     * undefined before and after. KY_FAULT for less scratch. */
    enum ky_status (*scratch)(struct ky_card *card, enum ky_bulk what, size_t n, size_t *bytes,
                              struct ky_error *error);
    /* Sorts n pairs by the lowest `bits` of their 64-bit keys, ascending and stable. Values have 32
     * bits. Both pairs of buffers are overwritten, and their `now` says which holds the result. */
    enum ky_status (*sort)(struct ky_card *card, struct ky_two_buffers *keys,
                           struct ky_two_buffers *values, size_t n, int bits,
                           const struct ky_buffer *scratch, struct ky_error *error);
    /* Exclusive scan: to[k] = from[0] + … + from[k - 1], 32 bits; both may be the same buffer. */
    enum ky_status (*scan)(struct ky_card *card, const struct ky_buffer *from, struct ky_buffer *to,
                           size_t n, const struct ky_buffer *scratch, struct ky_error *error);
    /* Sets the number at `to` to the sum of the n numbers from `from` on, all of 64 bits. */
    enum ky_status (*reduce)(struct ky_card *card, struct ky_buffer_address from, size_t n,
                             struct ky_buffer_address to, const struct ky_buffer *scratch,
                             struct ky_error *error);
};

#define KY_DRIVER_ITSELF(own, name, ...) extern const struct ky_driver ky_##name##_driver;
KY_DRIVERS(KY_DRIVER_ITSELF, )

/* For drivers, before opening a device of their list: KY_UNSUPPORTED, with the reason, if there is
 * no device with this index or it cannot be used. */
enum ky_status ky_device_check(const struct ky_driver *driver, size_t index,
                               struct ky_error *error);

/* For drivers: checks the arguments of a kernel against the compiler's report. KY_FAULT if they
 * differ. */
enum { KY_MOST_ARGUMENTS = 48 };
struct ky_taken {
    size_t count;
    unsigned char bytes[KY_MOST_ARGUMENTS]; /* 0: unknown */
};
enum ky_status ky_arguments_check(enum ky_kernel_id kernel, const struct ky_arguments *given,
                                  const struct ky_taken *taken, struct ky_error *error);

/* The lanes of a group of a kernel on this card. */
size_t ky_kernel_lanes(const struct ky_card *card, enum ky_kernel_id kernel);

/* Allocation for the engine: `what` names the buffer in errors; 0 bytes are allowed. A buffer that
 * is large enough is kept; otherwise it is replaced and its content lost. */
enum ky_status ky_buffer_need(struct ky_card *card, struct ky_buffer *buffer, const char *what,
                              size_t count, size_t size, struct ky_error *error);
/* The same for several buffers. */
struct ky_need {
    struct ky_buffer *buffer;
    const char *what;
    size_t count, size;
};
enum ky_status ky_buffers_need(struct ky_card *card, const struct ky_need *needs, size_t count,
                               struct ky_error *error);
/* The same for one, and copies `data` to it. */
enum ky_status ky_buffer_fill(struct ky_card *card, struct ky_buffer *buffer, const char *what,
                              const void *data, size_t count, size_t size, struct ky_error *error);
void ky_buffer_release(struct ky_card *card, struct ky_buffer *buffer);
/* A buffer of `bytes` bytes at an address of the caller, as `adopt` says. */
enum ky_status ky_buffer_adopt(struct ky_card *card, struct ky_buffer *buffer, const char *what,
                               void *address, uint64_t stream, size_t bytes,
                               struct ky_error *error);
/* Makes a slice of a buffer, or of a slice: `bytes` bytes from `offset` on, a multiple of
 * KY_SLICE_ALIGN. The slice has to be released before the buffer. KY_FAULT for an empty slice, or
 * one that is not inside the buffer. */
enum ky_status ky_buffer_slice(struct ky_card *card, const struct ky_buffer *whole,
                               const char *what, size_t offset, size_t bytes,
                               struct ky_buffer *part, struct ky_error *error);
/* Allocates a buffer with at least the scratch memory of the operation. */
enum ky_status ky_scratch_need(struct ky_card *card, struct ky_buffer *buffer, enum ky_bulk what,
                               size_t n, struct ky_error *error);
/* KY_FAULT if scratch memory is too small; drivers call it before they start. */
enum ky_status ky_scratch_check(struct ky_card *card, const struct ky_buffer *scratch,
                                enum ky_bulk what, size_t n, struct ky_error *error);
/* ky_buffer_need and ky_buffer_release for pinned memory; no copy of it may be in progress. */
enum ky_status ky_pinned_need(struct ky_card *card, struct ky_pinned *pinned, const char *what,
                              size_t bytes, struct ky_error *error);
void ky_pinned_release(struct ky_card *card, struct ky_pinned *pinned);

/* For tests: engines opened from now on use the driver that this function returns instead of their
 * own. NULL: their own. */
extern const struct ky_driver *(*ky_device_wrap)(const struct ky_driver *driver);

#endif
