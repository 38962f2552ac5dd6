/* The columns that an integrator has requested, on the card. */
#include "engine/device/state/integrator_columns.h"

#include "base/status.h"
#include "engine/device/state/rows.h"

static struct ky_rows rows_of(const struct ky_device_state *state, enum ky_column column)
{
    const struct ky_engine_scale scales = ky_device_scale(state);
    const double scale = ky_columns[column].of_field ? scales.acceleration : 1;
    return (struct ky_rows){state->bodies.live, ky_columns[column].components, 1 / scale, 0};
}

static enum ky_status clear(struct ky_device_state *state, int column, struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->bodies;
    enum ky_status status = ky_device_bodies_need(bodies, KY_ARRAY_COLUMN + column, error);
    state->has_pull &= column != KY_COLUMN_PULL;
    return !status ? bodies->card->driver->zero(bodies->card, &bodies->column[column], error)
                   : status;
}

enum ky_status ky_device_columns_clear(struct ky_device_state *state, unsigned but,
                                       struct ky_error *error)
{
    for (int k = 0; k < KY_COLUMN_COUNT; k++)
        if (ky_column_is_in(state->columns & ~but, k))
            KY_TRY(clear(state, k, error));
    return KY_OK;
}

enum ky_status ky_device_columns_choose(struct ky_device_state *state, unsigned set,
                                        struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->bodies;
    const unsigned before = state->columns;
    state->columns = set;
    for (int k = 0; k < KY_COLUMN_COUNT; k++) {
        if (!ky_column_is_in(set, k)) {
            ky_buffer_release(bodies->card, &bodies->column[k]);
            bodies->has &= ~(1U << (KY_ARRAY_COLUMN + k));
        } else if (!ky_column_is_in(before, k)) {
            KY_TRY(clear(state, k, error));
        }
    }
    return KY_OK;
}

enum ky_status ky_device_columns_put(struct ky_device_state *state, enum ky_column column,
                                     const double *numbers, struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->bodies;
    const struct ky_columns to = {&bodies->column[column], bodies->n, 0, NULL};
    struct ky_buffer scratch = {0};
    enum ky_status status = ky_column_check(state->columns, column, error);
    if (!status && column == KY_COLUMN_PULL)
        state->has_pull = ky_pulls_are_known(numbers, bodies->live);
    if (!status)
        status = ky_rows_to(state, &scratch, rows_of(state, column), numbers, &to, error);
    ky_buffer_release(bodies->card, &scratch);
    return status;
}

enum ky_status ky_device_columns_get(struct ky_device_state *state, enum ky_column column,
                                     double *numbers, struct ky_error *error)
{
    struct ky_device_bodies *bodies = &state->bodies;
    const struct ky_columns from = {&bodies->column[column], bodies->n, 0, NULL};
    struct ky_buffer scratch = {0};
    enum ky_status status = ky_column_check(state->columns, column, error);
    if (!status)
        status = ky_rows_from(state, &scratch, rows_of(state, column), &from, numbers, error);
    ky_buffer_release(bodies->card, &scratch);
    return status;
}
