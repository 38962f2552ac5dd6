/* Rows of the caller's numbers (points, for example) as columns of numbers of the state on the
 * card. They cross in their order, piece by piece; the card makes columns of them. */
#ifndef KY_DEVICE_ROWS_H
#define KY_DEVICE_ROWS_H

#include "engine/device/state/state.h"

struct ky_rows {
    size_t count, columns;
    double factor; /* the card's numbers are the caller's times this; a power of two */
};

/* Columns of n numbers, where number c of row k lies at c × n + order[first + k], or at
 * c × n + first + k without an order. */
struct ky_columns {
    const struct ky_buffer *buffer;
    size_t n, first;
    const struct ky_buffer *order; /* or NULL */
};

/* Copies numbers[k × columns + c] to columns. `scratch` becomes large enough for the rows. */
enum ky_status ky_rows_to(struct ky_device_state *state, struct ky_buffer *scratch,
                          struct ky_rows rows, const double *numbers, const struct ky_columns *to,
                          struct ky_error *error);
/* Copies columns to `numbers`; NULL: does nothing. */
enum ky_status ky_rows_from(struct ky_device_state *state, struct ky_buffer *scratch,
                            struct ky_rows rows, const struct ky_columns *from, double *numbers,
                            struct ky_error *error);

/* The same for a buffer that has columns of `count` numbers, with scratch of its own. To send makes
 * the buffer large enough; `what` names it in errors. */
enum ky_status ky_rows_send(struct ky_device_state *state, struct ky_buffer *buffer,
                            const char *what, struct ky_rows rows, const double *numbers,
                            struct ky_error *error);
enum ky_status ky_rows_read(struct ky_device_state *state, const struct ky_buffer *buffer,
                            struct ky_rows rows, double *numbers, struct ky_error *error);

#endif
