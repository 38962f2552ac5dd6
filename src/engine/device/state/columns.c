/* The columns of an integrator on the first card. */
#include "engine/device/state/columns.h"

#include "engine/device/state/rows.h"

static struct ky_rows rows_of(const struct ky_device_bodies *bodies, enum ky_column column)
{
    const struct ky_engine_scale scales = ky_engine_scale(&bodies->units, bodies->parameters->g);
    const double scale = ky_columns[column].of_field ? scales.acceleration : 1;
    return (struct ky_rows){bodies->n, ky_columns[column].components, 1 / scale, KY_STATE_BYTES};
}

static enum ky_status clear(struct ky_device_bodies *bodies, int column, struct ky_error *error)
{
    struct ky_card *card = bodies->cards.card[0];
    struct ky_buffer *buffer = &bodies->columns.of[column];
    enum ky_status status =
        ky_buffer_need(card, buffer, ky_columns[column].name,
                       bodies->n * ky_columns[column].components, KY_STATE_BYTES, error);
    return status == KY_OK ? card->driver->zero(card, buffer, error) : status;
}

enum ky_status ky_device_columns_clear(struct ky_device_bodies *bodies, struct ky_error *error)
{
    enum ky_status status = KY_OK;
    for (int k = 0; k < KY_COLUMN_COUNT && status == KY_OK; k++)
        if (ky_column_is_in(bodies->columns.set, k))
            status = clear(bodies, k, error);
    return status;
}

enum ky_status ky_device_columns_choose(struct ky_device_bodies *bodies, unsigned set,
                                        struct ky_error *error)
{
    const unsigned before = bodies->columns.set;
    enum ky_status status = KY_OK;
    bodies->columns.set = set;
    for (int k = 0; k < KY_COLUMN_COUNT && status == KY_OK; k++) {
        if (!ky_column_is_in(set, k))
            ky_buffer_release(bodies->cards.card[0], &bodies->columns.of[k]);
        else if (!ky_column_is_in(before, k))
            status = clear(bodies, k, error);
    }
    return status;
}

enum ky_status ky_device_columns_put(struct ky_device_bodies *bodies, enum ky_column column,
                                     const double *numbers, struct ky_error *error)
{
    enum ky_status status = ky_column_check(bodies->columns.set, column, error);
    return status ? status
                  : ky_rows_send(bodies->cards.card[0], &bodies->columns.of[column],
                                 ky_columns[column].name, rows_of(bodies, column), numbers, error);
}

enum ky_status ky_device_columns_get(struct ky_device_bodies *bodies, enum ky_column column,
                                     double *numbers, struct ky_error *error)
{
    enum ky_status status = ky_column_check(bodies->columns.set, column, error);
    return status ? status
                  : ky_rows_read(bodies->cards.card[0], &bodies->columns.of[column],
                                 rows_of(bodies, column), numbers, error);
}

void ky_device_columns_release(struct ky_device_bodies *bodies)
{
    for (int k = 0; k < KY_COLUMN_COUNT && bodies->cards.count > 0; k++)
        ky_buffer_release(bodies->cards.card[0], &bodies->columns.of[k]);
}
