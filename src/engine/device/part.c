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

static const struct ky_device_state *state_of(const struct ky_engine *base)
{
    return &((const struct ky_device_engine *)base)->state;
}

static enum ky_part_way way_to_field(const struct ky_engine *base, const struct ky_points *points)
{
    return ky_points_way(state_of(base), points);
}

static int is_near(const struct ky_engine *base, const double position[3])
{
    return ky_points_are_near(state_of(base), position);
}

static double softening_of_set(const struct ky_engine *base, const struct ky_points *points)
{
    return ky_points_softening(state_of(base), points);
}

static enum ky_status at_points(struct ky_engine *base, size_t first, size_t here, size_t together,
                                struct ky_error *error)
{
    struct ky_device_engine *engine = ky_device_engine_of(base);
    const struct ky_evaluation evaluation = {
        .active = &(struct ky_active){here, NULL}, .first_point = first, .together = together};
    const struct ky_point_sources sources = {engine->method, &engine->state, &engine->links,
                                             engine->own, 0};
    return ky_points_of_part(&sources, &evaluation, error);
}

/* In a periodic box points do not walk through parts. */
static int gives_tides(const struct ky_engine *base)
{
    return !base->in_box && state_of(base)->bodies.card->has_double;
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
                                                   .gives_tides = gives_tides,
                                                   .way_to_field = way_to_field,
                                                   .is_near = is_near,
                                                   .softening_of_set = softening_of_set,
                                                   .at_points = at_points,
                                                   .along = along,
                                                   .look = look,
                                                   .keys = keys,
                                                   .count = count_keys,
                                                   .leavers = leavers,
                                                   .move = move};
