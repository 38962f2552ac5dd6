/* Rows of numbers to and from columns on a card. */
#include "engine/device/rows.h"

#include <stdlib.h>

#include "base/memory.h"

enum ky_status ky_rows_send(struct ky_card *card, struct ky_buffer *buffer, const char *what,
                            struct ky_rows rows, const double *numbers, struct ky_error *error)
{
    size_t all = rows.count * rows.columns;
    union ky_state_value *values = ky_allocate(all, sizeof *values);
    if (!values)
        return ky_no_memory(error, what, all, sizeof *values);
    for (size_t k = 0; k < all; k++)
        values[k % rows.columns * rows.count + k / rows.columns] =
            ky_to_state(card, numbers[k] * rows.factor);
    enum ky_status status = ky_buffer_fill(card, buffer, what, values, all, sizeof *values, error);
    free(values);
    return status;
}

enum ky_status ky_rows_read(struct ky_card *card, const struct ky_buffer *buffer,
                            struct ky_rows rows, double *numbers, struct ky_error *error)
{
    size_t all = rows.count * rows.columns;
    if (!numbers)
        return KY_OK;
    union ky_state_value *values = ky_allocate(all, sizeof *values);
    if (!values)
        return ky_no_memory(error, buffer->what, all, sizeof *values);
    enum ky_status status =
        card->driver->read(card, buffer, 0, values, all * sizeof *values, error);
    for (size_t k = 0; k < all && status == KY_OK; k++)
        numbers[k] = ky_from_state(card, values[k % rows.columns * rows.count + k / rows.columns]) /
                     rows.factor;
    free(values);
    return status;
}
