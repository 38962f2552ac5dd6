/* Rows of the caller's numbers (points, for example) as columns on the first card: number c of row
 * k lies at c × rows + k. */
#ifndef KY_DEVICE_ROWS_H
#define KY_DEVICE_ROWS_H

#include "engine/device/driver/card.h"

struct ky_rows {
    size_t count, columns;
    double factor; /* the card's numbers are the caller's times this; a power of two */
    size_t bytes;  /* of a number on the card: see ky_to_card */
};

/* Copies numbers[k × columns + c] to a buffer, which is made large enough; `what` names it in
 * errors. */
enum ky_status ky_rows_send(struct ky_card *card, struct ky_buffer *buffer, const char *what,
                            struct ky_rows rows, const double *numbers, struct ky_error *error);
/* Copies a buffer to `numbers`; NULL: does nothing. */
enum ky_status ky_rows_read(struct ky_card *card, const struct ky_buffer *buffer,
                            struct ky_rows rows, double *numbers, struct ky_error *error);

#endif
