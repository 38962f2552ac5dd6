/* Which devices the name of an engine means. */
#include "engine/device/driver/names.h"

#include <string.h>

#include "engine/common/device_list.h"

static enum ky_status open_card(struct ky_cards *cards, size_t index, struct ky_error *error)
{
    enum ky_status status = cards->driver->open(index, &cards->card[cards->count], error);
    if (status == KY_OK && !cards->count++)
        cards->first = index;
    return status;
}

/* The first of the list that works; auto stops where CPUs begin. */
static enum ky_status open_first(struct ky_cards *cards, int automatic, struct ky_error *error)
{
    const struct ky_driver *driver = cards->driver;
    struct ky_device device = {0};
    size_t end = automatic ? driver->first_cpu() : SIZE_MAX;
    enum ky_status status =
        ky_fail(error, KY_UNSUPPORTED, "there is no %s device that is a GPU", driver->name);
    for (size_t k = 0; k < end && status != KY_OK && driver->list(k, &device) == KY_OK; k++)
        status = open_card(cards, k, error);
    return status;
}

enum ky_status ky_cards_open(struct ky_cards *cards, const char *name, struct ky_error *error)
{
    size_t count;
    enum ky_status status = ky_device_list_once(name, &count, error);
    if (status == KY_OK && count == 0)
        return open_first(cards, !strcmp(name, "auto"), error);
    for (size_t place = 0; place < count && status == KY_OK; place++) {
        if (cards->count == KY_MOST_CARDS)
            return ky_fail(error, KY_USAGE, "engine '%s': at most %d devices", name, KY_MOST_CARDS);
        status = open_card(cards, ky_device_listed(name, place), error);
    }
    return status;
}
