/* Rows of numbers to and from columns on a card. */
#include "engine/device/state/rows.h"

#include <stdlib.h>

#include "base/memory.h"

/* The place of number k of the rows in the columns. */
static size_t place_of(struct ky_rows rows, size_t k)
{
    return k % rows.columns * rows.count + k / rows.columns;
}

enum ky_status ky_rows_send(struct ky_card *card, struct ky_buffer *buffer, const char *what,
                            struct ky_rows rows, const double *numbers, struct ky_error *error)
{
    size_t all = rows.count * rows.columns;
    void *values = ky_allocate(all, rows.bytes);
    if (!values)
        return ky_no_memory(error, what, all, rows.bytes);
    for (size_t k = 0; k < all; k++)
        ky_to_card(card, rows.bytes, values, place_of(rows, k), numbers[k] * rows.factor);
    enum ky_status status = ky_buffer_fill(card, buffer, what, values, all, rows.bytes, error);
    free(values);
    return status;
}

enum ky_status ky_rows_read(struct ky_card *card, const struct ky_buffer *buffer,
                            struct ky_rows rows, double *numbers, struct ky_error *error)
{
    size_t all = rows.count * rows.columns;
    if (!numbers)
        return KY_OK;
    void *values = ky_allocate(all, rows.bytes);
    if (!values)
        return ky_no_memory(error, buffer->what, all, rows.bytes);
    enum ky_status status = card->driver->read(card, buffer, 0, values, all * rows.bytes, error);
    for (size_t k = 0; k < all && status == KY_OK; k++)
        numbers[k] = ky_from_card(card, rows.bytes, values, place_of(rows, k)) / rows.factor;
    free(values);
    return status;
}
