/* What the device engine asks of a way to program devices (KY_DRIVERS lists them). A driver knows
 * no physics; another one (HIP) is one more implementation of this table. A device is what a driver
 * lists and a user names; once it is opened, it is a card.
 *
 * Work goes into one queue for each card and is done in order. `write` and `read` return when the
 * host memory may be used again; `write_later`, `read_later` and a launch return at once, and
 * copies may. A later call may report their failures. Errors name the call and the buffer or
 * kernel and its size. One thread at a time uses one card; different ones are independent. */
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
enum { KY_PRECISIONS = KY_DOUBLE + 1 };

struct ky_unit {
    const char *name, *file;
    int precision;    /* -1: none */
    const char *made; /* of the templates in the file, as kernels/driver/list.h says */
};
extern const struct ky_unit ky_units[KY_UNIT_COUNT];

struct ky_kernel {
    const char *name;
    enum ky_unit_id unit;
    size_t lanes; /* as kernels/driver/list.h says; for lanes of a group: ky_kernel_lanes */
};
extern const struct ky_kernel ky_kernels[KY_KERNEL_COUNT];

/* The kernel of a row of KY_VARIANTS, which there has to be, for the order of moments and the
 * precision of the parameters. */
enum ky_kind {
    KY_KIND_plain,
    KY_KIND_few,
    KY_KIND_listed,
    KY_KIND_general,
    KY_KIND_spline,
    KY_KIND_COUNT
};
enum ky_kernel_id ky_variant(enum ky_force force, enum ky_kind kind,
                             const struct ky_parameters *parameters);

/* Memory of a card. `handle` is a device pointer or a cl_mem; cleared: none. */
struct ky_buffer {
    void *handle;
    size_t bytes;
    const char *what; /* static text, for errors */
    int part;         /* 1: it lies within another buffer */
};

/* A place in a buffer: its byte `offset`. */
struct ky_buffer_place {
    const struct ky_buffer *buffer;
    size_t offset;
};
#define KY_PLACE(buffer, offset) ((struct ky_buffer_place){(buffer), (offset)})

/* A buffer and a second one as large; `now` says which of them holds the numbers. */
struct ky_two_buffers {
    struct ky_buffer buffer[2];
    int now; /* 0 or 1 */
};

/* Operations over many numbers, which need scratch. */
enum ky_bulk { KY_BULK_SORT, KY_BULK_SCAN, KY_BULK_REDUCE };

/* Memory of the host that a card reads and writes by itself; cleared: none. */
struct ky_pinned {
    void *data, *handle; /* the memory; the driver's handle of it */
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
/* The arguments in the order of the kernel's own. */
struct ky_arguments {
    const struct ky_argument *of;
    size_t count;
};
#define KY_ARGUMENTS(...)                                                                          \
    ((struct ky_arguments){(const struct ky_argument[]){__VA_ARGS__},                              \
                           sizeof((const struct ky_argument[]){__VA_ARGS__}) /                     \
                               sizeof(struct ky_argument)})

/* A card: a device that was opened. The first member of a driver's own struct for it. */
struct ky_card {
    const struct ky_driver *driver;
    char name[160]; /* for reports: "NVIDIA H200" */
    int has_double;
    size_t processors; /* processors that run groups side by side */
    size_t team;       /* lanes of a team, KY_TEAM of its kernels */
    size_t teams;      /* teams in a group of the kernels that work in teams */
    double memory;     /* bytes in all */
    int is_cpu;
};

enum { KY_MARKS = 15, KY_PART_ALIGN = 4096, KY_HANDLE_BYTES = 64 };

struct ky_driver {
    const char *name; /* "cuda" */

    /* Lists the devices; an entry without one says why there is none. KY_USAGE past the last. */
    enum ky_status (*list)(size_t index, struct ky_device *device);
    /* The index of the first CPU in the list, where `auto` stops. The platform of an OpenCL that is
     * known to be for CPUs is not asked for its devices, since that may end the process. */
    size_t (*first_cpu)(void);
    /* Opens the device with this index. KY_UNSUPPORTED, with the reason, if it cannot be used. */
    enum ky_status (*open)(size_t index, struct ky_card **card, struct ky_error *error);
    /* NULL is allowed. Its buffers and pinned memory must have been released. */
    void (*close)(struct ky_card *card);
    /* Prepares a kernel, which may have to be compiled; a launch and `resident` need this. */
    enum ky_status (*load)(struct ky_card *card, enum ky_kernel_id kernel, struct ky_error *error);
    /* The number of groups of a kernel that run at once on the whole device. */
    size_t (*resident)(struct ky_card *card, enum ky_kernel_id kernel);

    /* For ky_buffer_need and ky_buffer_release, which others call. KY_DEVICE where the card has no
     * memory for it. */
    enum ky_status (*allocate)(struct ky_card *card, size_t bytes, struct ky_buffer *buffer,
                               struct ky_error *error);
    /* For ky_buffer_part, which has checked that the part lies in the whole. */
    enum ky_status (*part)(struct ky_card *card, const struct ky_buffer *whole, size_t offset,
                           size_t bytes, struct ky_buffer *part, struct ky_error *error);
    void (*release)(struct ky_card *card, struct ky_buffer *buffer);
    /* Copies `bytes` from the host to the buffer, beginning at its byte `offset`, and back. */
    enum ky_status (*write)(struct ky_card *card, struct ky_buffer *buffer, size_t offset,
                            const void *data, size_t bytes, struct ky_error *error);
    enum ky_status (*read)(struct ky_card *card, const struct ky_buffer *buffer, size_t offset,
                           void *data, size_t bytes, struct ky_error *error);
    /* Pinned memory of the host, for the copies of this card that follow. */
    enum ky_status (*pin)(struct ky_card *card, size_t bytes, struct ky_pinned *pinned,
                          struct ky_error *error);
    /* No copy of the memory may be under way. */
    void (*unpin)(struct ky_card *card, struct ky_pinned *pinned);
    /* `data` lies in pinned memory of the card. Until the queue has reached a mark that is set
     * after the call, data to write must not change, and data to read has not arrived. */
    enum ky_status (*write_later)(struct ky_card *card, struct ky_buffer *buffer, size_t offset,
                                  const void *data, size_t bytes, struct ky_error *error);
    enum ky_status (*read_later)(struct ky_card *card, const struct ky_buffer *buffer,
                                 size_t offset, void *data, size_t bytes, struct ky_error *error);
    /* Copies within the card, in its queue. */
    enum ky_status (*copy)(struct ky_card *card, struct ky_buffer_place from,
                           struct ky_buffer_place to, size_t bytes, struct ky_error *error);
    /* Copies from a card of another thread, of the same driver, on which no work is under way that
     * writes to `from`: only the queue of to_card knows of it. */
    enum ky_status (*fetch)(struct ky_card *from_card, struct ky_buffer_place from,
                            struct ky_card *to_card, struct ky_buffer_place to, size_t bytes,
                            struct ky_error *error);
    /* A handle by which other processes of this computer find the buffer, which is no part of
     * another one. NULL where there are no handles; KY_DEVICE where the computer allows none. */
    enum ky_status (*share)(struct ky_card *card, const struct ky_buffer *buffer,
                            unsigned char handle[KY_HANDLE_BYTES], struct ky_error *error);
    /* Opens the buffer of another process that a handle names, and closes it again, once this
     * card's work with it has ended. That process releases it only afterwards. */
    enum ky_status (*open_shared)(struct ky_card *card, const unsigned char handle[KY_HANDLE_BYTES],
                                  void **memory, struct ky_error *error);
    void (*close_shared)(struct ky_card *card, void *memory);
    /* Queues a copy from it, from its byte `offset` on. */
    enum ky_status (*fetch_shared)(struct ky_card *card, void *memory, size_t offset,
                                   struct ky_buffer_place to, size_t bytes, struct ky_error *error);
    /* All bytes of the buffer become 0. */
    enum ky_status (*zero)(struct ky_card *card, struct ky_buffer *buffer, struct ky_error *error);

    /* KY_FAULT if the arguments differ from the kernel's definition in number or size. */
    enum ky_status (*launch)(struct ky_card *card, enum ky_kernel_id kernel, size_t groups,
                             const struct ky_arguments *arguments, struct ky_error *error);
    /* Waits until the queue is empty. KY_DEVICE if something in it failed. */
    enum ky_status (*wait)(struct ky_card *card, struct ky_error *error);

    /* Sets a mark, one of KY_MARKS, in the queue. */
    enum ky_status (*mark)(struct ky_card *card, int mark, struct ky_error *error);
    /* Waits until the queue has reached the mark where it was last set. Returns at once for one
     * never set. */
    enum ky_status (*reach)(struct ky_card *card, int mark, struct ky_error *error);
    /* Seconds of the device's clock from one mark to another, 0 if one was never set. Waits for
     * them. */
    double (*between)(struct ky_card *card, int from, int to);

    /* Bytes of scratch that a bulk operation over n numbers needs, at least 1. The content of the
     * scratch is undefined before and after. KY_FAULT for less scratch. */
    enum ky_status (*scratch)(struct ky_card *card, enum ky_bulk what, size_t n, size_t *bytes,
                              struct ky_error *error);
    /* Sorts n pairs by the lowest `bits` of their 64-bit keys, ascending; equal keys keep their
     * order. The values are 32 bit. Both pairs of buffers are written to, and their `now` says
     * where the result is. */
    enum ky_status (*sort)(struct ky_card *card, struct ky_two_buffers *keys,
                           struct ky_two_buffers *values, size_t n, int bits,
                           const struct ky_buffer *scratch, struct ky_error *error);
    /* to[k] = from[0] + … + from[k - 1], 32 bit; both may be the same buffer. */
    enum ky_status (*scan)(struct ky_card *card, const struct ky_buffer *from, struct ky_buffer *to,
                           size_t n, const struct ky_buffer *scratch, struct ky_error *error);
    /* The number at `to` becomes the sum of the n numbers from `from` on, all of 64 bits. */
    enum ky_status (*reduce)(struct ky_card *card, struct ky_buffer_place from, size_t n,
                             struct ky_buffer_place to, const struct ky_buffer *scratch,
                             struct ky_error *error);
};

#define KY_DRIVER_ITSELF(own, name, ...) extern const struct ky_driver ky_##name##_driver;
KY_DRIVERS(KY_DRIVER_ITSELF, )

/* For drivers, before they open a device of their list: KY_UNSUPPORTED, with the reason, if there
 * is no device with this index or it cannot be used. */
enum ky_status ky_device_check(const struct ky_driver *driver, size_t index,
                               struct ky_error *error);

/* For drivers: the arguments of a kernel as its compiler reports them. KY_FAULT for others. */
enum { KY_MOST_ARGUMENTS = 48 };
struct ky_taken {
    size_t count;
    unsigned char bytes[KY_MOST_ARGUMENTS]; /* 0: not known */
};
enum ky_status ky_arguments_check(enum ky_kernel_id kernel, const struct ky_arguments *given,
                                  const struct ky_taken *taken, struct ky_error *error);

/* Lanes of a group of a kernel on this card. */
size_t ky_kernel_lanes(const struct ky_card *card, enum ky_kernel_id kernel);

/* Allocation for the engine: `what` names the buffer in errors; 0 bytes are allowed. A buffer that
 * is large enough is kept, another is released first; its content is lost. */
enum ky_status ky_buffer_need(struct ky_card *card, struct ky_buffer *buffer, const char *what,
                              size_t count, size_t size, struct ky_error *error);
/* The same, and `data` written to it. */
enum ky_status ky_buffer_fill(struct ky_card *card, struct ky_buffer *buffer, const char *what,
                              const void *data, size_t count, size_t size, struct ky_error *error);
void ky_buffer_release(struct ky_card *card, struct ky_buffer *buffer);
/* A part of a buffer, which may be a part itself: `bytes` of it from `offset` on, a multiple of
 * KY_PART_ALIGN. The part has to be released before the whole. KY_FAULT for an empty part, and for
 * one that is not inside the whole. */
enum ky_status ky_buffer_part(struct ky_card *card, const struct ky_buffer *whole, const char *what,
                              size_t offset, size_t bytes, struct ky_buffer *part,
                              struct ky_error *error);
/* Makes a buffer at least as large as the scratch that the operation needs. */
enum ky_status ky_scratch_need(struct ky_card *card, struct ky_buffer *buffer, enum ky_bulk what,
                               size_t n, struct ky_error *error);
/* KY_FAULT for scratch that is too small; drivers ask before they start. */
enum ky_status ky_scratch_check(struct ky_card *card, const struct ky_buffer *scratch,
                                enum ky_bulk what, size_t n, struct ky_error *error);
/* The same as ky_buffer_need and ky_buffer_release for pinned memory; no copy of it may be under
 * way. */
enum ky_status ky_pinned_need(struct ky_card *card, struct ky_pinned *pinned, const char *what,
                              size_t bytes, struct ky_error *error);
void ky_pinned_release(struct ky_card *card, struct ky_pinned *pinned);

/* For tests: engines opened from now on use the driver that this function returns for theirs. NULL:
 * their own. */
extern const struct ky_driver *(*ky_device_wrap)(const struct ky_driver *driver);

#endif
