/* The tables of units and kernels, and allocation with its errors, for all drivers. */
#include "engine/device/driver/driver.h"

#include <string.h>

#include "base/status.h"

_Static_assert(KY_SINGLE == 0 && KY_EXTENDED == 1 && KY_DOUBLE == 2,
               "the precisions have the numbers that kernels/driver/dialect.h says");

const struct ky_unit ky_units[KY_UNIT_COUNT] = {
#define KY_U(unit, file, precision, made) {#unit, file, precision, #made},
    KY_UNITS
#undef KY_U
};

const struct ky_kernel ky_kernels[KY_KERNEL_COUNT] = {
#define KY_K(unit, name, lanes) {#name, KY_UNIT_##unit, lanes},
    KY_KERNELS
#undef KY_K
};

enum ky_kernel_id ky_variant(enum ky_force force, enum ky_kind kind,
                             const struct ky_parameters *parameters)
{
#define ROW(p, number, force, FORCE, order, kind, how, kernel)                                     \
    [KY_##FORCE][order][KY_KIND_##kind][number] = KY_KERNEL_ky_##force##_##order##_##kind##_##p,
    static const enum ky_kernel_id variants[][KY_MOST_VARIANT + 1][KY_KIND_COUNT][KY_PRECISIONS] = {
        KY_VARIANTS(ROW, single, KY_SINGLE) KY_VARIANTS(ROW, extended, KY_EXTENDED)
            KY_VARIANTS(ROW, double, KY_DOUBLE) KY_VARIANTS(ROW, extended, KY_MIXED)};
    return variants[force][parameters->multipole][kind][parameters->precision];
}

const struct ky_driver *(*ky_device_wrap)(const struct ky_driver *driver);

enum ky_status ky_device_check(const struct ky_driver *driver, size_t index, struct ky_error *error)
{
    struct ky_device device = {0}, first = {0};
    int found = driver->list(index, &device) == KY_OK;
    /* a driver without devices lists one entry with the reason */
    if (driver->list(0, &first) == KY_OK && !strchr(first.engine, ':'))
        return ky_fail(error, KY_UNSUPPORTED, "engine %s: %s", first.engine, first.reason);
    if (!found)
        return ky_fail(error, KY_UNSUPPORTED,
                       "there is no %s:%zu; `kyoho devices` lists the devices", driver->name,
                       index);
    if (!device.usable)
        return ky_fail(error, KY_UNSUPPORTED, "%s cannot be used: %s", device.engine,
                       device.reason);
    return KY_OK;
}

enum ky_status ky_arguments_check(enum ky_kernel_id kernel, const struct ky_arguments *given,
                                  const struct ky_taken *taken, struct ky_error *error)
{
    const char *name = ky_kernels[kernel].name;
    if (given->count != taken->count)
        return ky_fail(error, KY_FAULT, "kernel %s has %zu arguments, not %zu", name, taken->count,
                       given->count);
    for (size_t k = 0; k < taken->count && k < KY_MOST_ARGUMENTS; k++)
        if (taken->bytes[k] > 0 && given->of[k].size != taken->bytes[k])
            return ky_fail(error, KY_FAULT, "argument %zu of kernel %s has %d bytes, not %zu",
                           k + 1, name, taken->bytes[k], given->of[k].size);
    return KY_OK;
}

size_t ky_kernel_lanes(const struct ky_card *card, enum ky_kernel_id kernel)
{
    size_t lanes = ky_kernels[kernel].lanes % KY_EARLY;
    return lanes == KY_IN_TEAMS ? card->teams * card->team : lanes;
}

void ky_buffer_release(struct ky_card *card, struct ky_buffer *buffer)
{
    if (buffer->handle)
        card->driver->release(card, buffer);
    memset(buffer, 0, sizeof *buffer);
}

enum ky_status ky_buffer_adopt(struct ky_card *card, struct ky_buffer *buffer, const char *what,
                               void *address, uint64_t stream, size_t bytes, struct ky_error *error)
{
    *buffer = (struct ky_buffer){.what = what, .bytes = bytes};
    const enum ky_status status = card->driver->adopt(card, address, stream, buffer, error);
    if (status)
        memset(buffer, 0, sizeof *buffer);
    return status;
}

enum ky_status ky_buffer_need(struct ky_card *card, struct ky_buffer *buffer, const char *what,
                              size_t count, size_t size, struct ky_error *error)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return ky_fail(error, KY_DEVICE, "%s: %s of %zu × %zu bytes exceeds any memory", card->name,
                       what, count, size);
    bytes = bytes > 0 ? bytes : size;
    if (buffer->handle && buffer->bytes >= bytes)
        return KY_OK;
    ky_buffer_release(card, buffer);
    buffer->what = what;
    enum ky_status status = card->driver->allocate(card, bytes, buffer, error);
    if (status) {
        memset(buffer, 0, sizeof *buffer);
        return status;
    }
    buffer->bytes = bytes;
    return KY_OK;
}

enum ky_status ky_buffers_need(struct ky_card *card, const struct ky_need *needs, size_t count,
                               struct ky_error *error)
{
    for (const struct ky_need *need = needs; need < needs + count; need++)
        KY_TRY(ky_buffer_need(card, need->buffer, need->what, need->count, need->size, error));
    return KY_OK;
}

enum ky_status ky_buffer_slice(struct ky_card *card, const struct ky_buffer *whole,
                               const char *what, size_t offset, size_t bytes,
                               struct ky_buffer *part, struct ky_error *error)
{
    memset(part, 0, sizeof *part);
    if (bytes == 0 || offset % KY_SLICE_ALIGN != 0 || offset > whole->bytes ||
        bytes > whole->bytes - offset)
        return ky_fail(error, KY_FAULT, "%s: no part for %s, %zu bytes from %zu on, in %zu of %s",
                       card->name, what, bytes, offset, whole->bytes, whole->what);
    part->what = what;
    enum ky_status status = card->driver->part(card, whole, offset, bytes, part, error);
    if (status)
        memset(part, 0, sizeof *part);
    else
        part->bytes = bytes;
    return status;
}

enum ky_status ky_buffer_fill(struct ky_card *card, struct ky_buffer *buffer, const char *what,
                              const void *data, size_t count, size_t size, struct ky_error *error)
{
    KY_TRY(ky_buffer_need(card, buffer, what, count, size, error));
    return card->driver->write(card, buffer, 0, data, count * size, error);
}

void ky_pinned_release(struct ky_card *card, struct ky_pinned *pinned)
{
    if (pinned->data)
        card->driver->unpin(card, pinned);
    memset(pinned, 0, sizeof *pinned);
}

enum ky_status ky_pinned_need(struct ky_card *card, struct ky_pinned *pinned, const char *what,
                              size_t bytes, struct ky_error *error)
{
    if (pinned->data && pinned->bytes >= bytes)
        return KY_OK;
    ky_pinned_release(card, pinned);
    bytes = bytes > 0 ? bytes : 1;
    pinned->what = what;
    enum ky_status status = card->driver->pin(card, bytes, pinned, error);
    if (status) {
        memset(pinned, 0, sizeof *pinned);
        return status;
    }
    pinned->bytes = bytes;
    return KY_OK;
}

enum ky_status ky_scratch_need(struct ky_card *card, struct ky_buffer *buffer, enum ky_bulk what,
                               size_t n, struct ky_error *error)
{
    size_t bytes;
    KY_TRY(card->driver->scratch(card, what, n, &bytes, error));
    return ky_buffer_need(card, buffer, "scratch", bytes, 1, error);
}

enum ky_status ky_scratch_check(struct ky_card *card, const struct ky_buffer *scratch,
                                enum ky_bulk what, size_t n, struct ky_error *error)
{
    size_t bytes;
    enum ky_status status = card->driver->scratch(card, what, n, &bytes, error);
    if (status || scratch->bytes >= bytes)
        return status;
    return ky_fail(error, KY_FAULT,
                   "%s: scratch memory of %zu bytes, but %zu are needed for %zu numbers",
                   card->name, scratch->bytes, bytes, n);
}
