/* The verbs of the engine of a rank, which has a part of the system's bodies on its card. */
#include "engine/device/device_engine.h"
#include "engine/device/forces/grouped.h"
#include "engine/device/ranks/movers.h"
#include "engine/device/ranks/places.h"

static enum ky_status put_numbers(struct ky_engine *base, size_t count, const uint64_t *number,
                                  struct ky_error *error)
{
    return ky_places_put_numbers(&ky_device_engine_of(base)->state, count, number, error);
}

static enum ky_status get_numbers(struct ky_engine *base, uint64_t *number, struct ky_error *error)
{
    return ky_places_get_numbers(&ky_device_engine_of(base)->state, number, error);
}

static enum ky_status move(struct ky_engine *base, const struct ky_part_move *move,
                           struct ky_error *error)
{
    struct ky_device_engine *engine = ky_device_engine_of(base);
    return ky_ranks_move(&engine->state, &engine->links.own, move, error);
}

/* In a periodic box points do not walk through parts. */
static int gives_field(const struct ky_engine *base, const struct ky_points *points)
{
    return !base->in_box && ky_points_walk(&((const struct ky_device_engine *)base)->state, points);
}

static int gives_tides(const struct ky_engine *base)
{
    return !base->in_box && ((const struct ky_device_engine *)base)->state.bodies.card->has_double;
}

static enum ky_status along(struct ky_engine *base, struct ky_error *error)
{
    return ky_grouped_along(&ky_device_engine_of(base)->links, error);
}

static enum ky_status look(struct ky_engine *base, const struct ky_part_look *look,
                           struct ky_error *error)
{
    struct ky_device_engine *engine = ky_device_engine_of(base);
    return ky_places_look(&engine->state, &engine->links.own, look, error);
}

static enum ky_status keys(struct ky_engine *base, const struct ky_part_keys *keys,
                           struct ky_error *error)
{
    struct ky_device_engine *engine = ky_device_engine_of(base);
    return ky_places_keys(&engine->state, &engine->links.own, keys, error);
}

static enum ky_status count_keys(struct ky_engine *base, const uint64_t *at, size_t ends,
                                 uint64_t *count, struct ky_error *error)
{
    struct ky_device_engine *engine = ky_device_engine_of(base);
    return ky_places_count(&engine->state, &engine->links.own, at, ends, count, error);
}

static enum ky_status leavers(struct ky_engine *base, const struct ky_part_leavers *leavers,
                              struct ky_error *error)
{
    struct ky_device_engine *engine = ky_device_engine_of(base);
    return ky_places_leavers(&engine->state, &engine->links.own, leavers, error);
}

const struct ky_part_verbs ky_device_part_verbs = {.put_numbers = put_numbers,
                                                   .get_numbers = get_numbers,
                                                   .gives_field = gives_field,
                                                   .gives_tides = gives_tides,
                                                   .along = along,
                                                   .look = look,
                                                   .keys = keys,
                                                   .count = count_keys,
                                                   .leavers = leavers,
                                                   .move = move};
