/* Systems of two bodies on one device over any driver (engine/few.h). The kernel is in
 * kernels/steps/few.k. */
#include "engine/few.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/drivers.h"
#include "base/memory.h"
#include "engine/common/device_list.h"
#include "engine/device/driver/names.h"
#include "physics/few_pair.h"

struct pairs {
    struct ky_few_device base;
    struct ky_opened opened;
    struct ky_buffer column, left;
    size_t count;
};

static void close_pairs(struct ky_few_device *base)
{
    struct pairs *pairs = (struct pairs *)base;
    struct ky_card *card = pairs->opened.card;
    if (card) {
        card->driver->wait(card, NULL);
        ky_buffer_release(card, &pairs->column);
        ky_buffer_release(card, &pairs->left);
        card->driver->close(card);
    }
    free(pairs);
}

static enum ky_status connect(struct pairs *pairs, const struct ky_parameters *parameters,
                              struct ky_error *error)
{
    size_t listed;
    KY_TRY(ky_device_list_once(parameters->engine, &listed, error));
    if (listed > 1)
        return ky_fail(error, KY_USAGE,
                       "systems of few bodies take one device, but '%s' names several",
                       parameters->engine);
    KY_TRY(ky_card_open(&pairs->opened, parameters->engine, error));
    struct ky_card *card = pairs->opened.card;
    if (!card->has_double)
        return ky_fail(error, KY_UNSUPPORTED,
                       "%s has no double, which systems of few bodies need: use --engine cpu",
                       card->name);
    return card->driver->load(card, KY_KERNEL_ky_few_pairs, error);
}

static enum ky_status open_pairs(const struct ky_few_verbs *verbs, const struct ky_driver *driver,
                                 const struct ky_parameters *parameters,
                                 struct ky_few_device **device, struct ky_error *error)
{
    struct pairs *pairs = ky_allocate_zeroed(1, sizeof *pairs);
    if (!pairs)
        return ky_no_memory(error, "device", 1, sizeof *pairs);
    pairs->base.verbs = verbs;
    pairs->opened.driver = ky_device_wrap ? ky_device_wrap(driver) : driver;
    enum ky_status status = connect(pairs, parameters, error);
    if (status)
        close_pairs(&pairs->base);
    else
        *device = &pairs->base;
    return status;
}

static enum ky_status put(struct ky_few_device *base, const double *column, size_t count,
                          struct ky_error *error)
{
    struct pairs *pairs = (struct pairs *)base;
    struct ky_card *card = pairs->opened.card;
    pairs->count = count;
    KY_TRY(ky_buffer_need(card, &pairs->left, "counter of systems", 1, sizeof(uint32_t), error));
    return ky_buffer_fill(card, &pairs->column, "systems", column, KY_FEW_PAIR_COLUMNS * count,
                          sizeof *column, error);
}

static enum ky_status get(struct ky_few_device *base, double *column, struct ky_error *error)
{
    struct pairs *pairs = (struct pairs *)base;
    struct ky_card *card = pairs->opened.card;
    return card->driver->read(card, &pairs->column, 0, column,
                              KY_FEW_PAIR_COLUMNS * pairs->count * sizeof *column, error);
}

static enum ky_status go(struct ky_few_device *base, const struct ky_few_course *course,
                         size_t *left, struct ky_error *error)
{
    struct pairs *pairs = (struct pairs *)base;
    struct ky_card *card = pairs->opened.card;
    const double until = course->until, sign = course->sign,
                 apart = isinf(course->apart) ? 0 : course->apart;
    const uint32_t most = course->most;
    const uint64_t count = pairs->count;
    uint32_t still;
    const struct ky_arguments arguments =
        KY_ARGUMENTS(KY_BUFFER(pairs->column), KY_VALUE(count), KY_VALUE(until), KY_VALUE(sign),
                     KY_VALUE(apart), KY_VALUE(most), KY_BUFFER(pairs->left));
    KY_TRY(card->driver->zero(card, &pairs->left, error));
    KY_TRY(card->driver->launch(card, KY_KERNEL_ky_few_pairs,
                                (pairs->count + KY_FEW_GROUP - 1) / KY_FEW_GROUP, &arguments,
                                error));
    KY_TRY(card->driver->read(card, &pairs->left, 0, &still, sizeof still, error));
    *left = still;
    return KY_OK;
}

#define FEW(kind)                                                                                  \
    static enum ky_status kind##_open(const struct ky_parameters *parameters,                      \
                                      struct ky_few_device **device, struct ky_error *error)       \
    {                                                                                              \
        return open_pairs(&ky_##kind##_few, &ky_##kind##_driver, parameters, device, error);       \
    }                                                                                              \
    const struct ky_few_verbs ky_##kind##_few = {                                                  \
        .name = #kind,                                                                             \
        .open = kind##_open,                                                                       \
        .close = close_pairs,                                                                      \
        .put = put,                                                                                \
        .get = get,                                                                                \
        .go = go,                                                                                  \
    };

KY_DRIVERS_HERE(FEW)
