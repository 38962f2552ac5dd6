/* Launches, marks, waiting. */
#include "engine/device/driver/card.h"

#include <math.h>

/* ---- launches ---- */

size_t ky_groups(size_t n, size_t lanes)
{
    return (n + lanes - 1) / lanes;
}

enum ky_status ky_launch(struct ky_card *card, enum ky_kernel_id kernel, size_t groups,
                         struct ky_arguments arguments, struct ky_error *error)
{
    if (groups == 0)
        return KY_OK;
    enum ky_status status = card->driver->load(card, kernel, error);
    if (status != KY_OK)
        return status;
    return card->driver->launch(card, kernel, groups, &arguments, error);
}

enum ky_status ky_launch_over(struct ky_card *card, enum ky_kernel_id kernel, size_t items,
                              struct ky_arguments arguments, struct ky_error *error)
{
    return ky_launch(card, kernel, ky_groups(items, ky_kernel_lanes(card, kernel)), arguments,
                     error);
}

enum ky_status ky_launch_teams(struct ky_card *card, enum ky_kernel_id kernel, size_t items,
                               struct ky_arguments arguments, struct ky_error *error)
{
    return ky_launch(card, kernel, ky_groups(items, card->teams), arguments, error);
}

/* ---- marks ---- */

void ky_begin_marks(struct ky_cards *cards)
{
    enum { ALL_OF_THE_FIRST = 16, THEN_EVERY = 64 };
    cards->evaluations++;
    cards->measured = cards->evaluations <= ALL_OF_THE_FIRST ||
                      cards->evaluations % THEN_EVERY == 0 || cards->reported;
    cards->reported = 0;
}

enum ky_status ky_mark(struct ky_cards *cards, int mark, struct ky_error *error)
{
    if (!cards->measured)
        return KY_OK;
    return cards->driver->mark(cards->card[0], mark, error);
}

double ky_marked_seconds(const struct ky_cards *cards)
{
    return cards->measured ? cards->driver->between(cards->card[0], 0, 1) : (double)NAN;
}

enum ky_status ky_wait_for_all(const struct ky_cards *cards, struct ky_error *error)
{
    enum ky_status status = KY_OK;
    for (size_t k = 0; k < cards->count && status == KY_OK; k++)
        status = cards->driver->wait(cards->card[k], error);
    return status;
}

size_t ky_real_bytes(int precision)
{
    return precision == KY_DOUBLE ? sizeof(double) : sizeof(float);
}

size_t ky_real4_bytes(int precision)
{
    return 4 * ky_real_bytes(precision);
}
