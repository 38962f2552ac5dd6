/* Launches, marks and waiting. */
#include "engine/device/driver/card.h"

#include <math.h>

#include "base/status.h"

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
    KY_TRY(card->driver->load(card, kernel, error));
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

void ky_begin_marks(struct ky_opened *opened)
{
    enum { ALL_OF_THE_FIRST = 16, THEN_EVERY = 64 };
    opened->evaluations++;
    opened->measured = opened->evaluations <= ALL_OF_THE_FIRST ||
                       opened->evaluations % THEN_EVERY == 0 || opened->reported;
    opened->reported = 0;
}

enum ky_status ky_mark(struct ky_opened *opened, int mark, struct ky_error *error)
{
    if (!opened->measured)
        return KY_OK;
    return opened->driver->mark(opened->card, mark, error);
}

double ky_marked_seconds(const struct ky_opened *opened)
{
    return opened->measured ? opened->driver->between(opened->card, 0, 1) : (double)NAN;
}

size_t ky_real_bytes(int precision)
{
    return precision == KY_DOUBLE ? sizeof(double) : sizeof(float);
}

size_t ky_real4_bytes(int precision)
{
    return 4 * ky_real_bytes(precision);
}
