/* Finds the device for the name of an engine. */
#include "engine/device/driver/names.h"

#include <string.h>

#include "base/status.h"
#include "engine/common/device_list.h"

static enum ky_status open_card(struct ky_opened *opened, size_t index, struct ky_error *error)
{
    struct ky_card *card;
    KY_TRY(opened->driver->open(index, &card, error));
    opened->card = card;
    opened->index = index;
    return KY_OK;
}

/* Opens the first working device of the list; auto stops at the first CPU. */
static enum ky_status open_first(struct ky_opened *opened, int automatic, struct ky_error *error)
{
    const struct ky_driver *driver = opened->driver;
    struct ky_device device = {0};
    size_t end = automatic ? driver->first_cpu() : SIZE_MAX;
    enum ky_status status =
        ky_fail(error, KY_UNSUPPORTED, "there is no %s device that is a GPU", driver->name);
    for (size_t k = 0; k < end && status && driver->list(k, &device) == KY_OK; k++)
        status = open_card(opened, k, error);
    return status;
}

enum ky_status ky_card_open(struct ky_opened *opened, const char *name, struct ky_error *error)
{
    size_t count;
    KY_TRY(ky_device_list_once(name, &count, error));
    for (size_t k = 1; k < count; k++)
        KY_TRY(ky_device_check(opened->driver, ky_device_listed(name, k), error));
    return count > 0 ? open_card(opened, ky_device_listed(name, 0), error)
                     : open_first(opened, !strcmp(name, "auto"), error);
}
