/* Systems of two to four bodies on one device over any driver (engine/few.h). The kernels are in
 * kernels/steps/few.k and few_small.k. */
#include "engine/few.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/drivers.h"
#include "base/memory.h"
#include "engine/common/device_list.h"
#include "engine/device/driver/names.h"

struct systems {
    struct ky_few_device base;
    struct ky_opened opened;
    struct ky_buffer column, left;
    struct ky_two_buffers list; /* systems that need another launch */
    size_t bodies, count;
};

static void close_systems(struct ky_few_device *base)
{
    struct systems *systems = (struct systems *)base;
    struct ky_card *card = systems->opened.card;
    if (card) {
        card->driver->wait(card, NULL);
        ky_buffer_release(card, &systems->column);
        ky_buffer_release(card, &systems->left);
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
    struct ky_card *card = systems->opened.card;
    if (!card->has_double)
        return ky_fail(error, KY_UNSUPPORTED,
                       "%s has no double, which systems of few bodies need: use --engine cpu",
                       card->name);
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

static enum ky_kernel_id kernel_of(const struct systems *systems)
{
    return systems->bodies == 2 ? KY_KERNEL_ky_few_pairs : KY_KERNEL_ky_few_small;
}

static enum ky_status put(struct ky_few_device *base, const double *column, size_t bodies,
                          size_t count, struct ky_error *error)
{
    struct systems *systems = (struct systems *)base;
    struct ky_card *card = systems->opened.card;
    systems->bodies = bodies;
    systems->count = count;
    KY_TRY(card->driver->load(card, kernel_of(systems), error));
    KY_TRY(ky_buffer_need(card, &systems->left, "counter of systems", 1, sizeof(uint32_t), error));
    for (int k = 0; k < 2; k++)
        KY_TRY(ky_buffer_need(card, &systems->list.buffer[k], "list of systems", count,
                              sizeof(uint32_t), error));
    return ky_buffer_fill(card, &systems->column, "systems", column, KY_FEW_COLUMNS(bodies) * count,
                          sizeof *column, error);
}

static enum ky_status get(struct ky_few_device *base, double *column, struct ky_error *error)
{
    struct systems *systems = (struct systems *)base;
    struct ky_card *card = systems->opened.card;
    return card->driver->read(card, &systems->column, 0, column,
                              KY_FEW_COLUMNS(systems->bodies) * systems->count * sizeof *column,
                              error);
}

static enum ky_status go(struct ky_few_device *base, const struct ky_few_course *course,
                         size_t *left, struct ky_error *error)
{
    struct systems *systems = (struct systems *)base;
    struct ky_card *card = systems->opened.card;
    struct ky_two_buffers *list = &systems->list;
    struct ky_few_course own = *course;
    uint32_t still;
    own.count = systems->count;
    own.listed = *left;
    own.bodies = (uint32_t)systems->bodies;
    own.all = *left == systems->count;
    if (isinf(own.apart))
        own.apart = 0;
    const struct ky_arguments arguments =
        KY_ARGUMENTS(KY_BUFFER(systems->column), KY_VALUE(own), KY_BUFFER(list->buffer[list->now]),
                     KY_BUFFER(list->buffer[!list->now]), KY_BUFFER(systems->left));
    KY_TRY(card->driver->zero(card, &systems->left, error));
    KY_TRY(card->driver->launch(card, kernel_of(systems), (*left + KY_FEW_GROUP - 1) / KY_FEW_GROUP,
                                &arguments, error));
    KY_TRY(card->driver->read(card, &systems->left, 0, &still, sizeof still, error));
    list->now = !list->now;
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
