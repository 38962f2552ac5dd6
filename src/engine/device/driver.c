/* The tables of units and kernels, and allocation with its errors: the same for every driver. */
#include "engine/device/driver.h"

#include <stdatomic.h>
#include <string.h>

_Static_assert(KY_SINGLE == 0 && KY_EXTENDED == 1 && KY_DOUBLE == 2,
               "the precisions have the numbers that kernels/dialect.h says");

const struct ky_unit ky_units[KY_UNIT_COUNT] = {
#define KY_U(unit, file, precision, variant) {#unit, file, precision, variant},
    KY_UNITS
#undef KY_U
};

const struct ky_kernel ky_kernels[KY_KERNEL_COUNT] = {
#define KY_K(unit, name, lanes, arguments) {#name, KY_UNIT_##unit, lanes, arguments},
    KY_KERNELS
#undef KY_K
};

int ky_device_fail_allocation = -1;
int ky_device_guard, ky_device_overruns, ky_device_twice;
static atomic_int buffers;

int ky_device_buffers(void)
{
    return buffers;
}

static const char guard_mark[64] = "around this buffer nobody has anything to write, nor to read.";

static int is_marked(struct ky_card *card, const struct ky_buffer *buffer, size_t place)
{
    char found[sizeof guard_mark];
    return card->driver->read(card, buffer, place, found, sizeof found, NULL) == KY_OK &&
           memcmp(found, guard_mark, sizeof found) == 0;
}

static const size_t front_mark = KY_GUARD_FRONT - sizeof guard_mark;

static void look_after_guards(struct ky_card *card, const struct ky_buffer *buffer)
{
    const struct ky_buffer whole = {.handle = buffer->whole, .what = buffer->what};
    ky_device_overruns +=
        !is_marked(card, &whole, front_mark) || !is_marked(card, buffer, buffer->bytes);
}

static enum ky_status allocate_guarded(struct ky_card *card, size_t bytes, struct ky_buffer *buffer,
                                       struct ky_error *error)
{
    const struct ky_driver *driver = card->driver;
    size_t rest = bytes + sizeof guard_mark, size = sizeof guard_mark;
    enum ky_status status = driver->allocate(card, KY_GUARD_FRONT + rest, buffer, error);
    if (status != KY_OK)
        return status;
    status = driver->write(card, buffer, front_mark, guard_mark, size, error);
    if (status == KY_OK)
        status = driver->shift(card, buffer, rest, error);
    if (status == KY_OK)
        status = driver->write(card, buffer, bytes, guard_mark, size, error);
    if (status != KY_OK)
        driver->release(card, buffer);
    return status;
}

void ky_buffer_release(struct ky_card *card, struct ky_buffer *buffer)
{
    if (buffer->handle && buffer->guarded)
        look_after_guards(card, buffer);
    if (buffer->handle) {
        card->driver->release(card, buffer);
        buffers--;
    }
    memset(buffer, 0, sizeof *buffer);
}

enum ky_status ky_buffer_need(struct ky_card *card, struct ky_buffer *buffer, const char *what,
                              size_t count, size_t size, struct ky_error *error)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return ky_fail(error, KY_DEVICE, "%s: %s of %zu × %zu bytes is beyond any memory",
                       card->name, what, count, size);
    bytes = bytes > 0 ? bytes : size;
    if (buffer->handle && buffer->bytes >= bytes)
        return KY_OK;
    ky_buffer_release(card, buffer);
    if (ky_device_fail_allocation >= 0 && ky_device_fail_allocation-- == 0)
        return ky_fail(error, KY_DEVICE, "%s: no memory for %s, %zu bytes (as a test demands)",
                       card->name, what, bytes);
    buffer->what = what;
    buffer->guarded = ky_device_guard != 0;
    enum ky_status status = buffer->guarded ? allocate_guarded(card, bytes, buffer, error)
                                            : card->driver->allocate(card, bytes, buffer, error);
    if (status != KY_OK) {
        memset(buffer, 0, sizeof *buffer);
        return status;
    }
    buffers++;
    buffer->bytes = bytes;
    return KY_OK;
}

enum ky_status ky_buffer_fill(struct ky_card *card, struct ky_buffer *buffer, const char *what,
                              const void *data, size_t count, size_t size, struct ky_error *error)
{
    enum ky_status status = ky_buffer_need(card, buffer, what, count, size, error);
    return status == KY_OK ? card->driver->write(card, buffer, 0, data, count * size, error)
                           : status;
}
