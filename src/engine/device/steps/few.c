/* Systems of few bodies on one device over any driver (engine/few.h). The kernels are in
 * kernels/steps/few.k, few_small.k and few_large.k. few_single.k is for devices without double. */
#include "engine/few.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/drivers.h"
#include "base/memory.h"
#include "engine/common/device_list.h"
#include "engine/device/driver/names.h"
#include "engine/device/steps/few_single.h"

struct systems {
    struct ky_few_device base;
    struct ky_opened opened;
    struct ky_buffer column, left;
    struct ky_two_buffers list;    /* systems that need another launch */
    struct ky_few_singles singles; /* on a device without double */
    struct ky_few_kind kind;
    size_t count;
};

static void close_systems(struct ky_few_device *base)
{
    struct systems *systems = (struct systems *)base;
    struct ky_card *card = systems->opened.card;
    if (card) {
        card->driver->wait(card, NULL);
        ky_buffer_release(card, &systems->column);
        ky_buffer_release(card, &systems->left);
        ky_few_singles_release(card, &systems->singles);
        for (int k = 0; k < 2; k++)
            ky_buffer_release(card, &systems->list.buffer[k]);
        card->driver->close(card);
    }
    free(systems);
}

static enum ky_status connect(struct systems *systems, const struct ky_parameters *parameters,
                              struct ky_error *error)
{
    size_t listed;
    KY_TRY(ky_device_list_once(parameters->engine, &listed, error));
    if (listed > 1)
        return ky_fail(error, KY_USAGE,
                       "systems of few bodies take one device, but '%s' names several",
                       parameters->engine);
    KY_TRY(ky_card_open(&systems->opened, parameters->engine, error));
    systems->base.in_floats = !systems->opened.card->has_double;
    return KY_OK;
}

static enum ky_status open_systems(const struct ky_few_verbs *verbs, const struct ky_driver *driver,
                                   const struct ky_parameters *parameters,
                                   struct ky_few_device **device, struct ky_error *error)
{
    struct systems *systems = ky_allocate_zeroed(1, sizeof *systems);
    if (!systems)
        return ky_no_memory(error, "device", 1, sizeof *systems);
    systems->base.verbs = verbs;
    systems->opened.driver = ky_device_wrap ? ky_device_wrap(driver) : driver;
    enum ky_status status = connect(systems, parameters, error);
    if (status)
        close_systems(&systems->base);
    else
        *device = &systems->base;
    return status;
}

struct kernel {
    enum ky_kernel_id id;
    size_t systems; /* of a group */
};

static struct kernel kernel_of(const struct systems *systems)
{
    static const enum ky_kernel_id small[2] = {KY_KERNEL_ky_few_small,
                                               KY_KERNEL_ky_few_small_contacts},
                                   large[2] = {KY_KERNEL_ky_few_large,
                                               KY_KERNEL_ky_few_large_contacts};
    const struct ky_few_kind *kind = &systems->kind;
    if (ky_few_is_pairs(kind))
        return (struct kernel){systems->base.in_floats ? KY_KERNEL_ky_few_single
                                                       : KY_KERNEL_ky_few_pairs,
                               KY_FEW_GROUP};
    if (kind->bodies <= KY_FEW_SMALL)
        return (struct kernel){small[kind->contacts], KY_FEW_GROUP};
    return (struct kernel){large[kind->contacts],
                           systems->opened.card->is_cpu ? KY_FEW_LARGE_TEAM : 1};
}

static enum ky_status put(struct ky_few_device *base, const double *column,
                          const struct ky_few_kind *kind, size_t count, struct ky_error *error)
{
    struct systems *systems = (struct systems *)base;
    struct ky_card *card = systems->opened.card;
    systems->kind = *kind;
    systems->count = count;
    KY_TRY(card->driver->load(card, kernel_of(systems).id, error));
    KY_TRY(ky_buffer_need(card, &systems->left, "counter of systems", 1, sizeof(uint32_t), error));
    for (int k = 0; k < 2; k++)
        KY_TRY(ky_buffer_need(card, &systems->list.buffer[k], "list of systems", count,
                              sizeof(uint32_t), error));
    if (base->in_floats)
        return ky_few_singles_put(card, &systems->singles, column, count, error);
    return ky_buffer_fill(card, &systems->column, "systems", column,
                          ky_few_columns_of(kind) * count, sizeof *column, error);
}

static enum ky_status get(struct ky_few_device *base, double *column, struct ky_error *error)
{
    struct systems *systems = (struct systems *)base;
    struct ky_card *card = systems->opened.card;
    if (base->in_floats)
        return ky_few_singles_get(card, &systems->singles, column, error);
    return card->driver->read(card, &systems->column, 0, column,
                              ky_few_columns_of(&systems->kind) * systems->count * sizeof *column,
                              error);
}

/* Launches the kernel for the systems of the list. */
static enum ky_status launch(struct systems *systems, const struct ky_few_course *course,
                             struct ky_error *error)
{
    struct ky_card *card = systems->opened.card;
    struct ky_two_buffers *list = &systems->list;
    const struct kernel kernel = kernel_of(systems);
    const size_t groups = (course->listed + kernel.systems - 1) / kernel.systems;
    const struct ky_few_single_course single = {.count = course->count,
                                                .listed = course->listed,
                                                .sign = (float)course->sign,
                                                .most = course->most,
                                                .all = course->all};
    const struct ky_arguments arguments = KY_ARGUMENTS(
                                  KY_BUFFER(systems->column), KY_VALUE(*course),
                                  KY_BUFFER(list->buffer[list->now]),
                                  KY_BUFFER(list->buffer[!list->now]), KY_BUFFER(systems->left)),
                              in_floats = KY_ARGUMENTS(
                                  KY_BUFFER(systems->singles.column),
                                  KY_BUFFER(systems->singles.goal), KY_VALUE(single),
                                  KY_BUFFER(list->buffer[list->now]),
                                  KY_BUFFER(list->buffer[!list->now]), KY_BUFFER(systems->left));
    if (systems->base.in_floats)
        KY_TRY(ky_few_singles_aim(card, &systems->singles, course, error));
    return card->driver->launch(card, kernel.id, groups,
                                systems->base.in_floats ? &in_floats : &arguments, error);
}

static enum ky_status go(struct ky_few_device *base, const struct ky_few_course *course,
                         size_t *left, struct ky_error *error)
{
    struct systems *systems = (struct systems *)base;
    struct ky_card *card = systems->opened.card;
    struct ky_few_course own = *course;
    uint32_t still;
    own.count = systems->count;
    own.listed = *left;
    own.bodies = (uint32_t)systems->kind.bodies;
    own.all = *left == systems->count;
    if (isinf(own.apart))
        own.apart = 0;
    KY_TRY(card->driver->zero(card, &systems->left, error));
    KY_TRY(launch(systems, &own, error));
    KY_TRY(card->driver->read(card, &systems->left, 0, &still, sizeof still, error));
    systems->list.now = !systems->list.now;
    *left = still;
    return KY_OK;
}

#define FEW(kind)                                                                                  \
    static enum ky_status kind##_open(const struct ky_parameters *parameters,                      \
                                      struct ky_few_device **device, struct ky_error *error)       \
    {                                                                                              \
        return open_systems(&ky_##kind##_few, &ky_##kind##_driver, parameters, device, error);     \
    }                                                                                              \
    const struct ky_few_verbs ky_##kind##_few = {                                                  \
        .name = #kind,                                                                             \
        .open = kind##_open,                                                                       \
        .close = close_systems,                                                                    \
        .put = put,                                                                                \
        .get = get,                                                                                \
        .go = go,                                                                                  \
    };

KY_DRIVERS_HERE(FEW)
